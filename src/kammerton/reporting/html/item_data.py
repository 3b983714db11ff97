# SPDX-License-Identifier: MIT
"""Items laid out, as data that a page draws: short, and without a text twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from kammerton.model.views import Branch, Cell, ItemView, Mark, Ranked, Roll, Span, Table, Track
from kammerton.reporting.html.filling import shown

__all__ = ["ItemData"]

_TICKS = 1000
"""Times are whole numbers of these per second, or per quarter note."""

RIGHT = "0"
_STATES = {"excluded": "1", "wrong": "2", "partly": "3"}
_KINDS = {"root": "4", "quality": "5", "bass": "6", "presence": "7"}
"""What became of a stretch of time or of a note, in one character."""

_NOTHING = -1
"""In place of a label where there is no row."""


class ItemData:
    """Items of a page; texts are numbered over all of them.

    Attributes
    ----------
    items : dict of str to dict
        By the number of the item in the page.
    texts : list of str
        What numbers of texts stand for.
    size : int
        Bytes that all of it takes in the page.
    """

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self.texts: list[str] = []
        self.size = 0
        self._numbers: dict[str, int] = {}

    def add(self, number: int, view: ItemView) -> None:
        """Add an item.

        Parameters
        ----------
        number : int
            Of the item in the page.
        view : ItemView
            The item, laid out.
        """
        known = len(self.texts)
        item = self._item(view)
        self.items[str(number)] = item
        self.size += sum(
            len(json.dumps(each, separators=(",", ":"))) + 1 for each in (item, *self.texts[known:])
        )

    def _text(self, text: str) -> int:
        told = shown(text)
        if told not in self._numbers:
            self._numbers[told] = len(self.texts)
            self.texts.append(told)
        return self._numbers[told]

    def _item(self, view: ItemView) -> dict[str, Any]:
        measures = next((list(t.judged) for t in (*view.tracks, *view.others) if t.judged), [view.measure])
        whole: dict[str, Any] = {
            "name": self._text(view.item),
            "unit": view.unit,
            "measures": [self._text(measure) for measure in measures],
            "chosen": measures.index(view.measure),
            "legend": [[_STATES.get(state, ""), self._text(told)] for state, told in view.legend.items()],
            "notes": [self._text(note) for note in view.notes],
            "tables": [self._table(table) for table in view.tables],
            "tracks": self._tracks(view, measures),
        }
        if view.beats:
            whole["beats"] = _steps(view.beats)
        if view.roll is not None:
            whole["roll"] = self._roll(view.roll, view.references)
        if view.outline is not None:
            whole["outline"] = [self._branch(branch) for branch in view.outline]
        if any(view.ranked):
            whole["ranked"] = [[self._ranked(each) for each in part] for part in view.ranked]
        return whole

    def _told(self, cell: Cell) -> int:
        return self._text(cell.text)

    def _branch(self, branch: Branch) -> list[Any]:
        cells = list(map(self._told, branch.cells))
        return [branch.depth, self._text(branch.label), cells, _judged(branch.cells)]

    def _ranked(self, entry: Ranked) -> list[Any]:
        return [self._text(entry.label), _rounded(entry.score), _STATES.get(entry.state or "", RIGHT)]

    def _tracks(self, view: ItemView, measures: Sequence[str]) -> list[dict[str, Any]]:
        """Return the tracks: references, other annotators, systems."""
        references = [("reference", track) for track in view.tracks[: view.references]]
        others = [("other", track) for track in view.others]
        systems = [("system", track) for track in view.tracks[view.references :]]
        return [self._track(role, track, measures) for role, track in (*references, *others, *systems)]

    def _track(self, role: str, track: Track, measures: Sequence[str]) -> dict[str, Any]:
        told: dict[str, Any] = {"name": self._text(track.name), "role": role}
        if track.note:
            told["note"] = self._text(track.note)
        if track.spans:
            told["edges"], labels = _stretches(track.spans)
            told["labels"] = [_NOTHING if span is None else self._text(span.label) for span in labels]
        marks = [track.judged.get(measure, track.marks) for measure in measures]
        if any(marks):
            told["marks"] = self._marks(marks)
        return told

    def _marks(self, marks: Sequence[Sequence[Mark]]) -> list[list[int]]:
        """Return where what any measure says changes, and what all say from there on."""
        edges = sorted({0.0, *(time for each in marks for mark in each for time in (mark.start, mark.end))})
        states = [_states_at(edges, each) for each in marks]
        said = [self._text("".join(each)) for each in zip(*states, strict=True)]
        return [_steps(edges), said]

    def _roll(self, roll: Roll, references: int) -> dict[str, Any]:
        return {
            "onsets": _steps([note.onset for note in roll.notes]),
            "lengths": [_ticks(note.offset) - _ticks(note.onset) for note in roll.notes],
            "pitches": [note.pitch for note in roll.notes],
            "names": [self._text(note.name) for note in roll.notes],
            "hands": "".join(note.hand[:1] or "-" for note in roll.notes),
            "references": references,
            "voices": [
                {
                    "name": self._text(voice.name),
                    "fingers": list(map(self._told, voice.fingers)),
                    "states": _judged(voice.fingers),
                    "flagged": [number for number, cell in enumerate(voice.fingers) if cell.flagged],
                    "violations": [
                        [each.first, each.second, self._text(each.reason)] for each in voice.violations
                    ],
                }
                for voice in roll.voices
            ],
        }

    def _table(self, table: Table) -> dict[str, Any]:
        return {
            "title": self._text(table.title),
            "columns": [[self._text(column.heading), column.kind] for column in table.columns],
            "rows": [[self._cell(value) for value in row] for row in table.rows],
        }

    def _cell(self, value: str | float | None) -> list[int] | float | None:
        """Return a number as it is, and a text as a list of its number."""
        return [self._text(value)] if isinstance(value, str) else _rounded(value)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _ticks(time: float) -> int:
    return round(time * _TICKS)


def _steps(times: Sequence[float]) -> list[int]:
    """Return the first time and the steps from each to the next: rounded once, so that none drift."""
    ticks = [0, *map(_ticks, times)]
    return [later - earlier for earlier, later in pairwise(ticks)]


def _stretches(spans: Sequence[Span]) -> tuple[list[int], list[Span | None]]:
    """Return where rows begin, and where one ends before a gap; and the row from each to the next."""
    edges, rows = [spans[0].start], list[Span | None]()
    for span in spans:
        if span.start > edges[-1]:
            edges.append(span.start)
            rows.append(None)
        edges.append(max(edges[-1], span.end))
        rows.append(span)
    return _steps(edges), rows


def _states_at(edges: Sequence[float], marks: Sequence[Mark]) -> list[str]:
    """Return what the marks say from each time on."""
    states, remaining = [], iter((*marks, None))
    mark = next(remaining)
    for edge in edges:
        while mark is not None and mark.end <= edge:
            mark = next(remaining)
        inside = mark is not None and mark.start <= edge
        states.append(_state_of(mark) if mark is not None and inside else RIGHT)
    return states


def _state_of(mark: Mark) -> str:
    return _STATES[mark.state] if mark.kind is None else _KINDS[mark.kind]


def _judged(cells: Iterable[Cell]) -> str:
    return "".join(RIGHT if cell.state is None else _STATES[cell.state] for cell in cells)
