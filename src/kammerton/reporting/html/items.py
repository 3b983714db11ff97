# SPDX-License-Identifier: MIT
"""What each item scored: a table that is sorted and searched, and system against system."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, pairwise
from statistics import median
from typing import Any, Literal

import numpy as np

from kammerton.errors import out_of, plural
from kammerton.model.evidence import Row
from kammerton.model.measure import Measure
from kammerton.model.views import Branch, Cell, ItemView, Mark, Ranked, Roll, Span, Table, Track
from kammerton.reporting.charts import bins_of, ends_of
from kammerton.reporting.html.page import Draw, Section, Source, fill, is_per_cent, scaled, shown
from kammerton.reporting.html.summary import judges_of

STEPS = 10_000
"""A share is embedded as a whole number of steps: short, and more digits than are shown."""
_MOST = 2_000_000
"""Values that a page holds of items; beyond, it has fewer measures."""


def items(source: Source) -> Section | None:
    """Return the section of items, if there is a measure that items have values of."""
    measures = _measures(source)
    if not measures:
        return None
    systems = source.ranked
    body = fill(
        "items",
        key=source.key,
        count=len(source.items),
        measures=[str(measure) for measure in measures],
        systems=[shown(name) for name in systems],
        left_out=len(_possible(source)) - len(measures),
        spread=_spread(source, measures[0]),
        main=str(measures[0]),
    )
    return Section(part="items", title="Items", body=body, data=_data(source, measures, systems))


def _spread(source: Source, measure: Measure) -> list[dict[str, Any]]:
    """Return for each system how many items lie in each part of the range, and where their median is."""
    known = {}
    for system in source.ranked:
        values = [scaled(value, measure) for value in source.of_items(measure, system)]
        known[system] = [value for value in values if not math.isnan(value)]
    every = [value for values in known.values() for value in values]
    if not every:
        return []
    low, high = (0.0, 100.0) if is_per_cent(measure) else ends_of(every)
    bins = {system: bins_of(values, low, high) for system, values in known.items()}
    most = max(part.count for parts in bins.values() for part in parts)
    return [
        {
            "name": shown(system, 60),
            "bars": [
                (100 * number / len(parts), 100 / len(parts), 100 * part.count / most)
                for number, part in enumerate(parts)
                if part.count
            ],
            "median": 100 * (median(known[system]) - low) / (high - low) if known[system] else None,
            "text": f"{median(known[system]):.1f}" if known[system] else "undefined",
        }
        for system, parts in bins.items()
    ]


def _possible(source: Source) -> list[Measure]:
    chosen = dict.fromkeys((source.main, *source.headline))
    return [measure for measure in chosen if measure.aggregate != "gathered"]


def _measures(source: Source) -> list[Measure]:
    """Return the measures that items are shown by: the main one first, as many as the page can hold."""
    pairs = len(source.items) * len(source.scores.systems)
    return _possible(source)[: max(1, _MOST // max(1, pairs))]


def _data(source: Source, measures: Sequence[Measure], systems: Sequence[str]) -> dict[str, Any]:
    return {
        "items": [shown(name) for name in source.items],
        "systems": [shown(name) for name in systems],
        "measures": [_texts_by_annotator(measure) for measure in measures],
        "values": [
            [[_coded(value, measure) for value in source.of_items(measure, system)] for system in systems]
            for measure in measures
        ],
        "weights": [_weights(source, measure, systems) for measure in measures],
        "states": [dict(_states(source, system)) for system in systems],
    }


def _texts_by_annotator(measure: Measure) -> dict[str, Any]:
    return {
        "name": str(measure),
        "scale": STEPS if is_per_cent(measure) else 0,
        "lower": measure.direction == "lower",
    }


def _coded(value: float, measure: Measure) -> float | None:
    if math.isnan(value):
        return None
    return round(value * STEPS) if is_per_cent(measure) else round(value, 4)


def _weights(source: Source, measure: Measure, systems: Sequence[str]) -> list[float] | None:
    """Return what the value of each item was measured on; None where each counts the same."""
    if measure.aggregate not in ("pooled", "weighted_mean"):
        return None
    known: dict[str, float] = {}
    for system in reversed(systems):
        scores = source.scores.of_items(measure, system, source.annotator(measure))
        known |= zip(scores.names, scores.weights.tolist(), strict=True)
    return [round(known.get(name, 0.0), 3) for name in source.items]


def _states(source: Source, system: str) -> Iterator[tuple[str, list[str]]]:
    """Give the items of a system that were missing or failed, by their numbers, with the reason."""
    numbers = {name: number for number, name in enumerate(source.items)}
    worst: dict[str, Row] = {}
    for row in source.scores.unusable(system):
        if row.item not in worst or row.status == "failed":
            worst[row.item] = row
    for name in sorted(worst):
        yield str(numbers[name]), [worst[name].status, shown(worst[name].reason)]


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
        self.size: int = 0
        self._numbers: dict[str, int] = {}

    def add(self, number: int, view: ItemView) -> None:
        """Add an item."""
        known = len(self.texts)
        item = self._item(view)
        self.items[str(number)] = item
        self.size += sum(
            len(json.dumps(each, separators=(",", ":"))) + 1 for each in (item, *self.texts[known:])
        )

    def _text(self, text: str) -> int:
        text_shown = shown(text)
        if text_shown not in self._numbers:
            self._numbers[text_shown] = len(self.texts)
            self.texts.append(text_shown)
        return self._numbers[text_shown]

    def _item(self, view: ItemView) -> dict[str, Any]:
        measures = next((list(t.judged) for t in (*view.tracks, *view.others) if t.judged), [view.measure])
        whole: dict[str, Any] = {
            "name": self._text(view.item),
            "unit": view.unit,
            "measures": [self._text(measure) for measure in measures],
            "chosen": measures.index(view.measure),
            "legend": [
                [_STATES.get(state, ""), self._text(meaning)] for state, meaning in view.legend.items()
            ],
            "notes": [self._text(note) for note in view.notes],
            "tables": [self._table(table) for table in view.tables],
            "tracks": self._tracks(view, measures),
        }
        if view.sound:
            whole["sound"] = view.sound
        if view.beats:
            whole["beats"] = _steps(view.beats)
        if view.roll is not None:
            whole["roll"] = self._roll(view.roll, view.references)
        if view.outline is not None:
            whole["outline"] = [self._branch(branch) for branch in view.outline]
        if any(view.ranked):
            whole["ranked"] = [[self._ranked(each) for each in part] for part in view.ranked]
        return whole

    def _texts_by_annotator(self, cell: Cell) -> int:
        return self._text(cell.text)

    def _branch(self, branch: Branch) -> list[Any]:
        cells = list(map(self._texts_by_annotator, branch.cells))
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
        data: dict[str, Any] = {"name": self._text(track.name), "role": role}
        if track.note:
            data["note"] = self._text(track.note)
        if track.spans:
            data["edges"], labels = _stretches(track.spans)
            data["labels"] = [_NOTHING if span is None else self._text(span.label) for span in labels]
        marks = [track.judged.get(measure, track.marks) for measure in measures]
        if any(marks):
            data["marks"] = self._marks(marks)
        return data

    def _marks(self, marks: Sequence[Sequence[Mark]]) -> list[list[int]]:
        """Return where what any measure says changes, and what all say from there on."""
        edges = sorted({0.0, *(time for each in marks for mark in each for time in (mark.start, mark.end))})
        states = [_states_at(edges, each) for each in marks]
        texts = [self._text("".join(each)) for each in zip(*states, strict=True)]
        return [_steps(edges), texts]

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
                    "fingers": list(map(self._texts_by_annotator, voice.fingers)),
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


BUDGET = 1_800_000
"""Bytes of a page that items may take, unless told."""
Why = Literal["worst", "best", "drawn"]
_TURNS: tuple[Why, ...] = ("worst", "worst", "best", "drawn")


@dataclass(frozen=True, slots=True)
class Chosen:
    """Items that a page lays out."""

    data: ItemData  # the items
    why: dict[int, Why]  # why each was chosen; empty if all were
    left: int  # how many could be laid out, and were not


def choose(
    ranked: Sequence[int],
    others: Sequence[int],
    draw: Callable[[int], ItemView | None],
    *,
    budget: int = BUDGET,
    seed: int = 0,
) -> Chosen:
    """Lay out items until the budget is used."""
    data = ItemData()
    why: dict[int, Why] = {}
    left = 0
    for number, reason in in_turn(ranked, others, seed):
        if data.items and data.size >= budget:
            left += 1
            continue
        view = draw(number)
        if view is not None:
            data.add(number, view)
            why[number] = reason
    return Chosen(data, why if left else {}, left)


def in_turn(ranked: Sequence[int], others: Sequence[int], seed: int) -> Iterator[tuple[int, Why]]:
    """Give each item once: the worst two that are left, the best, one at random, and so on.

    >>> [number for number, _ in in_turn([3, 1, 0, 2], [], 0)]
    [3, 1, 2, 0]
    """
    every = np.array([*ranked, *others], dtype=np.int64)
    at_random = np.random.default_rng(seed).permutation(np.sort(every)).tolist()
    queues: dict[Why, Iterator[int]] = {
        "worst": iter(ranked),
        "best": iter(ranked[::-1]),
        "drawn": iter(at_random),
    }
    seen: set[int] = set()
    for reason in cycle(_TURNS):
        if len(seen) == len(every):
            return
        number = next((candidate for candidate in queues[reason] if candidate not in seen), None)
        if number is not None:
            seen.add(number)
            yield number, reason


_SEED = 0


def item(source: Source, draw: Draw | None, *, budget: int = BUDGET) -> Section | None:
    """Return the section in which an item is looked at, if any can be laid out."""
    if draw is None:
        return None
    ranked, others = _ranked(source)
    worst = source.worst
    first = ranked if worst is None else [worst[1], *(number for number in ranked if number != worst[1])]
    judges = judges_of(source)

    def laid_out(number: int) -> ItemView | None:
        name = source.items[number]
        return draw(name, judges.get(name))

    chosen = choose(first, others, laid_out, budget=budget, seed=_SEED)
    if not chosen.data.items:
        return None
    order = [number for number in (*ranked, *others) if str(number) in chosen.data.items]
    data = {
        "texts": chosen.data.texts,
        "items": chosen.data.items,
        "order": order,
        "first": next(number for number in (*first, *order) if str(number) in chosen.data.items),
        "system": shown(source.ranked[0]),  # of which the answers speak
    }
    body = fill(
        "item",
        key=source.key,
        measure=str(source.main),
        told=_choice_note(chosen, len(source.items), budget),
        hardest=shown(source.ranked[0], 60) if len(set(judges.values())) > 1 else "",
    )
    return Section(part="item", title="One item", body=body, data=data)


def _ranked(source: Source) -> tuple[list[int], list[int]]:
    """Return the items with a value, the worst first by the mean over systems, and those without."""
    measure = source.main
    systems = () if measure.aggregate == "gathered" else source.scores.systems
    means = dict[int, float]()
    for number, values in enumerate(
        zip(*(source.of_items(measure, system) for system in systems), strict=True)
    ):
        known = [value for value in values if not math.isnan(value)]
        if known:
            means[number] = sum(known) / len(known)
    sign = -1 if measure.direction == "lower" else 1
    ranked = sorted(means, key=lambda number: (sign * means[number], number))
    return ranked, [number for number in range(len(source.items)) if number not in means]


def _choice_note(chosen: Chosen, items: int, budget: int) -> str:
    """Report which items can be looked at."""
    there = len(chosen.data.items)
    if not chosen.left:
        if there == items:
            return f"All {plural(items, 'item')} can be looked at."
        return f"{out_of(there, items, 'item')} can be looked at; the others have no reference to lay out."
    counts = Counter(chosen.why.values())
    return (
        f"{out_of(there, items, 'item')} can be looked at, as many as {budget / 1e6:.3g} MB hold: the "
        f"{counts['worst']:,} worst, the {counts['best']:,} best, and {counts['drawn']:,} drawn at random."
    )
