# SPDX-License-Identifier: MIT
"""One item laid out for a reader: tracks over time, note by note, or class by class, and tables.

A task fills it, a report draws it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kammerton.errors import Diagnostic, plural

MarkState = Literal["wrong", "excluded"]

ErrorKind = Literal["root", "quality", "bass", "presence"]
"""What is wrong with a chord; *presence*: a chord where there is none, or none where there is one."""

CellState = Literal["wrong", "partly", "excluded"]

_ALIKE = 3
"""Confusions that are named where they cost the same."""


@dataclass(frozen=True, slots=True)
class Span:
    """A row of an annotation."""

    start: float
    end: float
    label: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of time that was judged wrong, or was not judged; what is wrong, if there are kinds of it."""

    start: float
    end: float
    state: MarkState
    kind: ErrorKind | None = None


@dataclass(frozen=True, slots=True)
class Track:
    """What one annotator or system wrote, and what became of it.

    Parameters
    ----------
    name : str
        Name of the annotator or system.
    spans : tuple of Span
        Sorted, without overlaps.
    marks : tuple of Mark
        Sorted, without overlaps; what lies outside them is right. The reference has none.
    note : str
        Why there are no spans, if something kept them from being read.
    judged : mapping of str to tuple of Mark
        Marks as other measures set them, by address; that of the item is among them.
    """

    name: str
    spans: tuple[Span, ...]
    marks: tuple[Mark, ...] = ()
    note: str = ""
    judged: Mapping[str, tuple[Mark, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cell:
    """What a line of a staff has for one event."""

    text: str  # what is drawn
    state: CellState | None = None  # how it was judged; None is right, or not judged
    flagged: bool = False  # whether something else is amiss with it


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a staff: in each column of the grid, a cell for each of its events."""

    name: str
    columns: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Staff:
    """Lines that speak of the same events; in a column, all have equally many cells."""

    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """Events in columns, one column for each time at which any of them begins."""

    times: tuple[float, ...]  # ascending
    # drawn one below the other; each line has a tuple of cells, perhaps empty, for each time
    staves: tuple[Staff, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A note on a keyboard."""

    # onset, offset: in the unit of time of the item
    onset: float
    offset: float
    pitch: int  # MIDI number, -1 if it is not known
    name: str  # name of the key
    hand: Literal["right", "left", ""]  # the hand it is shown with; of either one if empty


@dataclass(frozen=True, slots=True)
class DrawnViolation:
    """Two notes that no hand can play as they are fingered."""

    # first, second: numbers of the notes, from 0
    first: int
    second: int
    reason: str  # why not, and what the limit is, in words


@dataclass(frozen=True, slots=True)
class Voice:
    """The finger that an annotator or a system gives to each note, and what of it cannot be played."""

    name: str
    fingers: tuple[Cell, ...]
    violations: tuple[DrawnViolation, ...] = ()


@dataclass(frozen=True, slots=True)
class Roll:
    """Notes over time, and who plays them with which finger."""

    notes: tuple[Note, ...]  # in the order of the source
    voices: tuple[Voice, ...]  # the annotators first; each has a cell for each note


@dataclass(frozen=True, slots=True)
class Ranked:
    """A label that an annotator or a system lists, the best first."""

    label: str  # name of the class
    score: float | None = None  # what the system gave it
    state: CellState | None = None  # as of a :class:`Cell`


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of an outline: a class, below the one it belongs to, and what each track says of it."""

    depth: int  # 0 at the top
    label: str  # name of the class
    cells: tuple[Cell, ...]  # one for each track, perhaps without text


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, and what its numbers are."""

    heading: str
    kind: Literal["text", "time", "count", "share", "score"] = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """A table below the timeline; in a cell, None is an undefined value and a text stands for itself.

    Columns of text come before those of numbers.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str | float | None, ...], ...]


@dataclass(frozen=True, slots=True)
class ItemView:
    """One item: its timeline, its grid or its outline, and the tables below it.

    Parameters
    ----------
    item, measure : str
        What is shown, and the measure that the marks follow.
    end : float
        Last end of any track; the timeline starts at 0. Of no meaning for an outline.
    tracks : tuple of Track
        The references first.
    tables : tuple of Table
        Costs of each estimate, scores, what was excluded.
    notes : tuple of str
        What a reader of the scores must know.
    unit : str
        Unit of time.
    diagnostics : tuple of Diagnostic
        What was noticed while the item was read.
    grid : Grid, optional
        What is drawn instead of the spans of the tracks.
    outline : tuple of Branch, optional
        What is drawn of an item that has no time.
    references : int
        How many of the tracks are references.
    legend : mapping of str to str
        What the states of marks and cells, and ``"flagged"``, mean; in the order of the legend.
    others : tuple of Track
        What annotators wrote who do not judge; their marks say where they differ from the one who does.
    beats : tuple of float
        Times of beats, ascending, if they are known.
    roll : Roll, optional
        The notes of an item with a grid, for readers who can look closer than a terminal can.
    ranked : tuple of tuple of Ranked
        What each track lists, if an item has lists.
    signs : mapping of str to str
        What the texts of the cells of an outline mean, or one of them that stands for others alike.
    reasons : mapping of str to tuple of str
        Why a system did not do better, by its name, in sentences without their full stops.
    annotations : mapping of str to annotation
        What is shown, by the names of the tracks.
    sound : str
        The recording, as a ``data:`` address; empty if there is none.
    """

    item: str
    measure: str
    end: float
    tracks: tuple[Track, ...]
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    unit: str = "s"
    diagnostics: tuple[Diagnostic, ...] = ()
    grid: Grid | None = None
    outline: tuple[Branch, ...] | None = None
    references: int = 1
    legend: Mapping[str, str] = field(
        default_factory=lambda: {"wrong": "wrong", "partly": "partly wrong", "excluded": "not scored"}
    )
    others: tuple[Track, ...] = ()
    beats: tuple[float, ...] = ()
    roll: Roll | None = None
    ranked: tuple[tuple[Ranked, ...], ...] = ()
    signs: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    annotations: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    sound: str = field(default="", repr=False)


def largest_part(losses: Table) -> str:
    """Return what was taken for what most, by a table of both and the amount that was lost.

    Examples
    --------
    >>> columns = (Column("reference"), Column("estimate"), Column("notes", "count"))
    >>> largest_part(Table("mine", columns, (("R1", "R2", 3.0), ("2 more", "", 9.0))))
    'the largest part, 3 notes: R1 taken for R2'
    >>> largest_part(Table("mine", columns, (("R1", "R2", 1.0), ("R3", "L1", 1.0))))
    'the largest parts, 1 note each: R1 taken for R2, R3 taken for L1'
    """
    column = losses.columns[2]
    pairs = [(f"{row[0]} taken for {row[1]}", float(row[2] or 0.0)) for row in losses.rows if row[1]]
    most = pairs[0][1]
    alike = [confusion for confusion, lost in pairs if lost == most]
    amount = f"{most:.3f} s" if column.kind == "time" else plural(round(most), column.heading[:-1])
    if not losses.rows[1:]:
        return f"all of it {alike[0]}"
    if not alike[1:]:
        return f"the largest part, {amount}: {alike[0]}"
    others = " and others" if alike[_ALIKE:] else ""
    return f"the largest parts, {amount} each: {', '.join(alike[:_ALIKE])}{others}"
