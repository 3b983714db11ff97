# SPDX-License-Identifier: MIT
"""The differences between two runs."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kammerton.errors import DataError, OptionError, out_of, quote
from kammerton.model.corpus import ALL
from kammerton.model.measure import Aggregate, Measure, choose
from kammerton.results.scores import Printed, Scores
from kammerton.results.tables import null, table
from kammerton.runs.files import Run, scores_of
from kammerton.runs.joining import check_task, differing_choices, matched_names
from kammerton.statistics.paired import differences, scale_of
from kammerton.version import __version__

if TYPE_CHECKING:
    import polars as pl

_KEYS = ("system", "item", "annotator", "protocol", "measure")
_COLUMNS = (*_KEYS, "before", "after", "difference", "status_before", "status_after")
_ItemKey = tuple[str, str, str]
"""System, item and annotator."""


@dataclass(frozen=True, slots=True)
class Only:
    """An item that only one run has; of one annotator, if the other run has it of others."""

    system: str
    item: str
    annotator: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A value of a measure before and after."""

    system: str
    annotator: str
    measure: Measure
    # before, after: NaN where there is none
    before: float
    after: float

    columns: ClassVar[tuple[str, ...]] = ()
    """Names of its plain values."""

    @property
    def difference(self) -> float:
        """After less before; NaN if either is."""
        return self.after - self.before

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, None for NaN."""
        named = {"protocol": self.measure.protocol, "measure": self.measure.name}
        values = [named[name] if name in named else getattr(self, name) for name in self.columns]
        return {
            name: null(value) if isinstance(value, float) else value
            for name, value in zip(self.columns, values, strict=True)
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChange(Change):
    """An item, or a class, whose value or status changed."""

    columns: ClassVar[tuple[str, ...]] = _COLUMNS
    item: str
    # status_before, status_after: as in :attr:`kammerton.Scores.items`, or ``absent`` for a class that only
    # one run has
    status_before: str
    status_after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreChange(Change):
    """A corpus score before and after, changed or not."""

    columns: ClassVar[tuple[str, ...]] = (
        *("system", "annotator", "protocol", "measure", "aggregate"),
        *("before", "after", "difference", "changed"),
    )
    aggregate: Aggregate
    changed: bool  # whether it differs by more than the tolerance


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RunDifference(Printed):
    """The differences between two runs of a task.

    Made by :func:`kammerton.diff`.
    """

    task: str
    # values that differ by no more are equal, as are those that differ through rounding alone
    tolerance: float
    compared: int  # items that both runs have, of each system
    # only_before, only_after: items that only one run has
    only_before: tuple[Only, ...]
    only_after: tuple[Only, ...]
    # what changed of items that both have, by system, item, annotator and measure
    items: tuple[ItemChange, ...]
    scores: tuple[ScoreChange, ...]  # every corpus score that both have
    notes: tuple[str, ...]  # other differences: options, systems and measures that only one has

    @property
    def changed(self) -> bool:
        """Whether an item or a corpus score changed, or only one run has an item."""
        scores = any(score.changed for score in self.scores)
        return bool(self.only_before or self.only_after or self.items or scores)

    @property
    def table(self) -> pl.DataFrame:
        """The changes of items: keys, ``before``, ``after``, ``difference`` and status.

        An item that only one run has is one row without a measure, in the other it is ``absent``.
        """
        rows = [tuple(change.to_dict().values()) for change in self.items]
        for only, statuses in (
            (self.only_before, ("there", "absent")),
            (self.only_after, ("absent", "there")),
        ):
            rows += [(item.system, item.item, item.annotator, *[None] * 5, *statuses) for item in only]
        return table(rows, _COLUMNS)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, undefined ones as None; what ``--format json`` prints."""
        return {
            "kammerton": __version__,
            "task": self.task,
            "changed": self.changed,
            "tolerance": self.tolerance,
            "compared": self.compared,
            "only_before": [asdict(item) for item in self.only_before],
            "only_after": [asdict(item) for item in self.only_after],
            "items": [change.to_dict() for change in self.items],
            "scores": [change.to_dict() for change in self.scores],
            "notes": list(self.notes),
        }


def differ(measure: Measure, before: float, after: float, tolerance: float) -> bool:
    """Return whether two values differ by more than rounding; undefined is equal to undefined only."""
    if math.isnan(before) or math.isnan(after):
        return math.isnan(before) != math.isnan(after)
    return bool(np.abs(differences(after, before, scale_of(measure))) > tolerance)


def diff(
    before: Run,
    after: Run,
    *,
    tolerance: float = 0.0,
    measures: Iterable[str] | None = None,
) -> RunDifference:
    """Compare two runs item by item.

    Parameters
    ----------
    before, after : Scores or path
        Two runs of a task against the same references. Where each has one system, or one annotator, these
        are compared whatever they are called.
    tolerance : float
        Largest difference of values that count as equal; 1 % is 0.01. Differences through rounding alone
        never count.
    measures : iterable of str, optional
        Measures to compare, as ``PROTOCOL/MEASURE``, or by a name that only one measure has; by default all
        that both runs have.

    Returns
    -------
    RunDifference

    Raises
    ------
    OptionError
        If the runs are of two tasks, have no system or no such measure in common, or the tolerance is none.
    DataError
        If a run cannot be read (KT700 to KT706; KT705 if it is of another revision of a protocol), or
        references of the same items differ (KT708).

    Examples
    --------
    >>> from kammerton import score
    >>> ref = {"song": ([(0, 4)], ["C"])}
    >>> found = [
    ...     score("chords", ref, {"mine": {"song": ([(0, end), (end, 4)], ["C", "G"])}})
    ...     for end in (3, 2)
    ... ]
    >>> difference = diff(*found, measures=["mirex2013/MajMin"])
    >>> difference.changed, difference.items[0].difference
    (True, -0.25)
    """
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float):
        raise OptionError.of_type("tolerance", tolerance, "a number")
    if not (math.isfinite(tolerance) and tolerance >= 0):
        raise OptionError(f"a tolerance is not negative: {tolerance}")
    earlier, later = scores_of(before), scores_of(after)
    check_task(earlier, later)
    return _RunPair(earlier, later).difference(_shared_measures(earlier, later, measures), float(tolerance))


def _shared_measures(before: Scores, after: Scores, measures: Iterable[str] | None) -> tuple[Measure, ...]:
    """Return the measures that both runs have, or the chosen ones of them."""
    shared = [measure for measure in before.measures if measure in set(after.measures)]
    if not shared:
        raise OptionError("runs have no measure in common")
    if measures is None:
        return tuple(shared)
    protocols = dict.fromkeys(measure.protocol for measure in shared)
    chosen = choose(before.origin.task.protocols, protocols, measures)
    lacking = [measure for measure in chosen if measure not in shared]
    if lacking:
        raise OptionError(f"not both runs have {quote(str(lacking[0]))}")
    return chosen


class _RunPair:
    """Two runs, and the names in the later one of systems and annotators of the earlier one."""

    def __init__(self, before: Scores, after: Scores) -> None:
        self._before, self._after = before, after
        self._systems = matched_names(before.systems, after.systems)
        if not self._systems:
            names = (f"{', '.join(run.systems)}" for run in (before, after))
            raise OptionError(f"runs have no system in common: {'; '.join(names)}")
        annotators = ([name for name in run.annotators if name != ALL] for run in (before, after))
        self._annotators = matched_names(*annotators) | {ALL: ALL}
        self._check_references()

    def _check_references(self) -> None:
        """Refuse runs of different references, where a change of a score says nothing about a system."""
        earlier, later = self._before.fingerprints, self._after.fingerprints
        pairs = [
            (item, digest, later[self._annotators[who], item])
            for (who, item), digest in earlier.items()
            if who in self._annotators and (self._annotators[who], item) in later
        ]
        if not pairs:
            raise DataError.of("KT708", "runs are of different references: no item has one in both")
        differing = sorted({item for item, digest, later_digest in pairs if digest != later_digest})
        if differing:
            count = out_of(len(differing), len({item for item, _, _ in pairs}), "item")
            message = f"runs are of different references: {count}, such as {quote(differing[0])}"
            raise DataError.of("KT708", message, hint="score both against the same references")

    def difference(self, measures: Sequence[Measure], tolerance: float) -> RunDifference:
        earlier = {
            (self._systems[system], item, self._annotators.get(annotator, annotator))
            for system, item, annotator in _item_keys(self._before, self._systems)
        }
        later = _item_keys(self._after, self._systems.values())
        return RunDifference(
            task=self._before.task,
            tolerance=tolerance,
            compared=len({(system, item) for system, item, _ in earlier & later}),
            only_before=_only(earlier, later),
            only_after=_only(later, earlier),
            items=tuple(self._items(measures, tolerance, earlier & later)),
            scores=tuple(self._scores(measures, tolerance)),
            notes=tuple(self._notes()),
        )

    def _items(
        self, measures: Sequence[Measure], tolerance: float, shared: set[_ItemKey]
    ) -> list[ItemChange]:
        order = {(measure.protocol, measure.name): place for place, measure in enumerate(measures)}
        changes: list[tuple[tuple[_ItemKey, int], ItemChange]] = []
        for system, item, annotator, protocol, name, *values in self._differing(tolerance).iter_rows():
            place = order.get((protocol, name))
            if place is None:
                continue
            measure, (before, status_before, after, status_after) = measures[place], values
            change = ItemChange(
                system=system,
                item=item,
                annotator=annotator,
                measure=measure,
                before=math.nan if before is None else before,
                after=math.nan if after is None else after,
                status_before=status_before,
                status_after=status_after,
            )
            is_known = (system, item, annotator) in shared
            if measure.aggregate == "gathered":  # classes are no items: a run may have some alone
                is_known |= system in self._systems.values() and annotator in self._annotators.values()
            is_changed = status_before != status_after
            if is_known and (is_changed or differ(measure, change.before, change.after, tolerance)):
                changes.append((((system, item, annotator), place), change))
        return [change for _, change in sorted(changes, key=lambda keyed: keyed[0])]

    def _differing(self, tolerance: float) -> pl.DataFrame:
        """Return the rows of items, of either run, whose value or status is another in the other."""
        import polars as pl  # noqa: PLC0415 - half the import time

        sides = [
            run.items.filter(pl.col("system").is_in(list(systems))).select(*_KEYS, "value", "status")
            for run, systems in ((self._before, self._systems), (self._after, self._systems.values()))
        ]
        sides[0] = sides[0].with_columns(
            pl.col("system").replace(self._systems), pl.col("annotator").replace(self._annotators)
        )
        both = sides[0].join(sides[1], on=_KEYS, how="full", suffix="_after", coalesce=True)
        both = both.with_columns(pl.col("status", "status_after").fill_null("absent"))
        before, after = pl.col("value"), pl.col("value_after")
        one_undefined = before.is_null() != after.is_null()
        apart = ((after - before).abs() > tolerance).fill_null(value=False)
        return both.filter(one_undefined | apart | (pl.col("status") != pl.col("status_after")))

    def _scores(self, measures: Sequence[Measure], tolerance: float) -> Iterator[ScoreChange]:
        keys = [
            (system, measure, annotator, how)
            for system in self._systems
            for measure in measures
            for annotator in self._before.annotators_of(measure)
            if self._annotators.get(annotator) in self._after.annotators_of(measure)
            for how in measure.aggregates
        ]
        for system, measure, annotator, how in keys:
            names = self._systems[system], self._annotators[annotator]
            before = self._before.corpus_score(measure, system, annotator, how).value
            after = self._after.corpus_score(measure, *names, how).value
            yield ScoreChange(
                system=names[0],
                annotator=names[1],
                measure=measure,
                before=before,
                after=after,
                aggregate=how,
                changed=differ(measure, before, after, tolerance),
            )

    def _notes(self) -> Iterator[str]:
        """Describe the other differences."""
        before, after = self._before, self._after
        for kind, names in (("system", self._systems), ("annotator", self._annotators)):
            for earlier, later in names.items():
                if earlier != later:
                    yield f"{kind} {quote(earlier)} before is compared with {quote(later)} after"
        systems = set(before.systems) - set(self._systems), set(after.systems) - {*self._systems.values()}
        measured = {*map(str, before.measures)}, {*map(str, after.measures)}
        for kind, only_before, only_after in (
            ("system", *systems),
            ("measure", measured[0] - measured[1], measured[1] - measured[0]),
        ):
            for when, only in (("before", only_before), ("after", only_after)):
                if only:
                    yield f"only {when} there is {kind} {', '.join(map(quote, sorted(only)))}"
        for name, value, other in differing_choices(before, after):
            yield f"option {name} was {quote(value)} before and is {quote(other)} after"


def _item_keys(run: Scores, systems: Collection[str]) -> set[_ItemKey]:
    parts = run.origin.evidence.rows.values()
    return {(row.system, row.item, row.annotator) for rows in parts for row in rows if row.system in systems}


def _only(own: set[_ItemKey], other: set[_ItemKey]) -> tuple[Only, ...]:
    """Return what one run has and the other has not: whole items, else items of an annotator."""
    items = {(system, item) for system, item, _ in other}
    lacking = sorted(own - other)
    only = (Only(*key) if key[:2] in items else Only(*key[:2], None) for key in lacking)
    return tuple(dict.fromkeys(only))
