# SPDX-License-Identifier: MIT
"""What differs between two runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kammerton.model.measure import Aggregate, Measure
from kammerton.model.score_tables import null, table
from kammerton.statistics.ranks import differences, scale_of
from kammerton.version import __version__

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Change", "FigureChange", "ItemChange", "Only", "RunDifference", "differ"]

CHANGES = (
    *("system", "item", "annotator", "protocol", "measure"),
    *("before", "after", "difference", "status_before", "status_after"),
)


@dataclass(frozen=True, slots=True)
class Only:
    """An item that only one run has; of one annotator, if the other run has it of others.

    Parameters
    ----------
    system, item : str
    annotator : str or None
    """

    system: str
    item: str
    annotator: str | None

    def to_dict(self) -> dict[str, str | None]:
        """Return it as plain values."""
        return {"system": self.system, "item": self.item, "annotator": self.annotator}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A value of a measure before and after.

    Parameters
    ----------
    system, annotator : str
    measure : Measure
    before, after : float
        NaN where there is none.
    """

    system: str
    annotator: str
    measure: Measure
    before: float
    after: float

    @property
    def difference(self) -> float:
        """After less before; NaN if either is."""
        return self.after - self.before

    def values(self) -> dict[str, float | None]:
        """Return before, after and difference, None for NaN."""
        return {
            "before": null(self.before),
            "after": null(self.after),
            "difference": null(self.difference),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChange(Change):
    """An item, or a class, whose value or status changed.

    Parameters
    ----------
    item : str
    status_before, status_after : str
        As in :attr:`kammerton.Scores.items`, or ``absent`` for a class that only one run has.
    """

    item: str
    status_before: str
    status_after: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "system": self.system,
            "item": self.item,
            "annotator": self.annotator,
            "protocol": self.measure.protocol,
            "measure": self.measure.name,
            **self.values(),
            "status_before": self.status_before,
            "status_after": self.status_after,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureChange(Change):
    """A corpus figure before and after, changed or not.

    Parameters
    ----------
    aggregate : aggregate
    changed : bool
        Whether it differs by more than the tolerance.
    """

    aggregate: Aggregate
    changed: bool

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "system": self.system,
            "annotator": self.annotator,
            "protocol": self.measure.protocol,
            "measure": self.measure.name,
            "aggregate": self.aggregate,
            **self.values(),
            "changed": self.changed,
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunDifference:
    """What differs between two runs of a task.

    Made by :func:`kammerton.diff`.

    Parameters
    ----------
    task : str
    tolerance : float
        Values that differ by no more are equal, as are those that differ through rounding alone.
    compared : int
        Items that both runs have, of each system.
    only_before, only_after : tuple of Only
        Items that only one run has.
    items : tuple of ItemChange
        What changed of items that both have, by system, item, annotator and measure.
    figures : tuple of FigureChange
        Every corpus figure that both have.
    notes : tuple of str
        What else differs: options, systems and measures that only one has.
    """

    task: str
    tolerance: float
    compared: int
    only_before: tuple[Only, ...]
    only_after: tuple[Only, ...]
    items: tuple[ItemChange, ...]
    figures: tuple[FigureChange, ...]
    notes: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether an item or a figure changed, or only one run has an item."""
        figures = any(figure.changed for figure in self.figures)
        return bool(self.only_before or self.only_after or self.items or figures)

    @property
    def table(self) -> pl.DataFrame:
        """What changed of items: keys, ``before``, ``after``, ``difference`` and status.

        An item that only one run has is one row without a measure, in the other it is ``absent``.
        """
        rows = [tuple(change.to_dict()[name] for name in CHANGES) for change in self.items]
        for found, statuses in (
            (self.only_before, ("there", "absent")),
            (self.only_after, ("absent", "there")),
        ):
            rows += [(o.system, o.item, o.annotator, *[None] * 5, *statuses) for o in found]
        return table(iter(rows), CHANGES)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, undefined ones as None; what ``--format json`` prints."""
        return {
            "kammerton": __version__,
            "task": self.task,
            "changed": self.changed,
            "tolerance": self.tolerance,
            "compared": self.compared,
            "only_before": [each.to_dict() for each in self.only_before],
            "only_after": [each.to_dict() for each in self.only_after],
            "items": [each.to_dict() for each in self.items],
            "scores": [each.to_dict() for each in self.figures],
            "notes": list(self.notes),
        }


def differ(measure: Measure, before: float, after: float, tolerance: float) -> bool:
    """Tell whether two values differ, by more than rounding; undefined is equal to undefined only."""
    if math.isnan(before) or math.isnan(after):
        return math.isnan(before) != math.isnan(after)
    return bool(np.abs(differences(after, before, scale_of(measure))) > tolerance)
