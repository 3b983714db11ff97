# SPDX-License-Identifier: MIT
"""One item laid out for a reader: tracks over time, and tables. A task fills it, a report draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kammerton.errors import Diagnostic

__all__ = ["Column", "ItemView", "Mark", "Span", "State", "Table", "Track"]

State = Literal["wrong", "excluded"]


@dataclass(frozen=True, slots=True)
class Span:
    """A row of an annotation."""

    start: float
    end: float
    label: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of time that was judged wrong, or was not judged."""

    start: float
    end: float
    state: State


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
    """

    name: str
    spans: tuple[Span, ...]
    marks: tuple[Mark, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, and what its numbers are."""

    heading: str
    kind: Literal["text", "time", "share", "score"] = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """A table below the timeline; in a cell, None is an undefined value and a text stands for itself."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str | float | None, ...], ...]


@dataclass(frozen=True, slots=True)
class ItemView:
    """One item: its timeline, and the tables below it.

    Parameters
    ----------
    item, measure : str
        What is shown, and the measure that the marks follow.
    end : float
        Last end of any track; the timeline starts at 0.
    tracks : tuple of Track
        The reference first.
    tables : tuple of Table
        Costs of each estimate, scores, what was excluded.
    notes : tuple of str
        What a reader of the figures must know.
    unit : str
        Unit of time.
    diagnostics : tuple of Diagnostic
        What was noticed while the item was read.
    """

    item: str
    measure: str
    end: float
    tracks: tuple[Track, ...]
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    unit: str = "s"
    diagnostics: tuple[Diagnostic, ...] = ()
