# SPDX-License-Identifier: MIT
"""What differs between two runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kammerton.errors import OptionError, out_of, quote
from kammerton.model.corpus import ALL
from kammerton.model.measure import Aggregate, Measure, choose
from kammerton.results.scores import Scores
from kammerton.results.tables import null, table
from kammerton.runs.layout import fault
from kammerton.runs.reading import Run, scores_of
from kammerton.statistics.paired import differences, scale_of
from kammerton.version import __version__

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Change", "ItemChange", "Only", "RunDifference", "ScoreChange", "diff", "differ"]

CHANGES = (
    *("system", "item", "annotator", "protocol", "measure"),
    *("before", "after", "difference", "status_before", "status_after"),
)


@dataclass(frozen=True, slots=True)
class Only:
    """An item that only one run has; of one annotator, if the other run has it of others."""

    system: str
    item: str
    annotator: str | None

    def to_dict(self) -> dict[str, str | None]:
        """Return it as plain values."""
        return {"system": self.system, "item": self.item, "annotator": self.annotator}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A value of a measure before and after."""

    system: str
    annotator: str
    measure: Measure
    # before, after: naN where there is none
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
    """An item, or a class, whose value or status changed."""

    item: str
    # status_before, status_after: as in :attr:`kammerton.Scores.items`, or ``absent`` for a class that only
    # one run has
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
class ScoreChange(Change):
    """A corpus figure before and after, changed or not."""

    aggregate: Aggregate
    changed: bool  # whether it differs by more than the tolerance

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
    notes: tuple[str, ...]  # what else differs: options, systems and measures that only one has

    @property
    def changed(self) -> bool:
        """Whether an item or a figure changed, or only one run has an item."""
        scores = any(score.changed for score in self.scores)
        return bool(self.only_before or self.only_after or self.items or scores)

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
            "scores": [each.to_dict() for each in self.scores],
            "notes": list(self.notes),
        }


def differ(measure: Measure, before: float, after: float, tolerance: float) -> bool:
    """Tell whether two values differ, by more than rounding; undefined is equal to undefined only."""
    if math.isnan(before) or math.isnan(after):
        return math.isnan(before) != math.isnan(after)
    return bool(np.abs(differences(after, before, scale_of(measure))) > tolerance)


_KEYS = ("system", "item", "annotator", "protocol", "measure")


class _Key(NamedTuple):
    system: str
    item: str
    annotator: str


def diff(
    before: Run,
    after: Run,
    *,
    tolerance: float = 0.0,
    measures: Iterable[str] | None = None,
) -> RunDifference:
    """Say item by item what changed between two runs.

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
    one, other = scores_of(before), scores_of(after)
    if one.task != other.task:
        raise OptionError(f"runs are of two tasks: {one.task}, {other.task}")
    return _Pair(one, other).difference(_common(one, other, measures), float(tolerance))


def _common(before: Scores, after: Scores, wanted: Iterable[str] | None) -> tuple[Measure, ...]:
    shared = [measure for measure in before.measures if measure in set(after.measures)]
    if not shared:
        raise OptionError("runs have no measure in common")
    if wanted is None:
        return tuple(shared)
    protocols = dict.fromkeys(measure.protocol for measure in shared)
    chosen = choose(before.origin.task.protocols, protocols, wanted)
    lacking = [measure for measure in chosen if measure not in shared]
    if lacking:
        raise OptionError(f"not both runs have {quote(str(lacking[0]))}")
    return chosen


class _Pair:
    """Two runs, and which systems and annotators of theirs belong together."""

    def __init__(self, before: Scores, after: Scores) -> None:
        self._before, self._after = before, after
        self._systems = _together(before.systems, after.systems)
        self._annotators = _together(*(_persons(run) for run in (before, after))) | {ALL: ALL}
        if not self._systems:
            names = (f"{', '.join(run.systems)}" for run in (before, after))
            raise OptionError(f"runs have no system in common: {'; '.join(names)}")
        self._check_references()

    def _check_references(self) -> None:
        """Refuse runs of different references: no change of a figure would say anything of a system."""
        earlier, later = self._before.fingerprints, self._after.fingerprints
        pairs = [
            (item, digest, later[self._annotators[who], item])
            for (who, item), digest in earlier.items()
            if who in self._annotators and (self._annotators[who], item) in later
        ]
        if not pairs:
            raise fault("KT708", "runs are of different references: no item has one in both")
        odd = sorted({item for item, digest, other in pairs if digest != other})
        if odd:
            count = out_of(len(odd), len({item for item, _, _ in pairs}), "item")
            message = f"runs are of different references: {count}, such as {quote(odd[0])}"
            raise fault("KT708", message, hint="score both against the same references")

    def difference(self, measures: Sequence[Measure], tolerance: float) -> RunDifference:
        keys = _keys(self._before), _keys(self._after)
        earlier = {self._renamed(key) for key in keys[0] if key.system in self._systems}
        later = {key for key in keys[1] if key.system in self._systems.values()}
        return RunDifference(
            task=self._before.task,
            tolerance=tolerance,
            compared=len({(key.system, key.item) for key in earlier & later}),
            only_before=_only(earlier, later),
            only_after=_only(later, earlier),
            items=tuple(self._items(measures, tolerance, earlier & later)),
            scores=tuple(self._scores(measures, tolerance)),
            notes=tuple(self._notes()),
        )

    def _renamed(self, key: _Key) -> _Key:
        """Return a key of the earlier run as the later one has it."""
        annotator = self._annotators.get(key.annotator, key.annotator)
        return _Key(self._systems[key.system], key.item, annotator)

    def _items(
        self, measures: Sequence[Measure], tolerance: float, shared: AbstractSet[_Key]
    ) -> Iterator[ItemChange]:
        sides = set(product(self._systems.values(), self._annotators.values()))
        order = {(measure.protocol, measure.name): place for place, measure in enumerate(measures)}
        found = []
        for system, item, annotator, protocol, name, *values in self._differing(tolerance).iter_rows():
            key, place = _Key(system, item, annotator), order.get((protocol, name))
            if place is not None:
                of_class = measures[place].aggregate == "gathered" and (system, annotator) in sides
                if (of_class or key in shared) and _changed(measures[place], values, tolerance):
                    found.append((key, place, values))
        for key, place, (before, status_before, after, status_after) in sorted(found, key=lambda e: e[:2]):
            yield ItemChange(
                **key._asdict(),
                measure=measures[place],
                before=_number(before),
                after=_number(after),
                status_before=status_before,
                status_after=status_after,
            )

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
        for system, later_system in self._systems.items():
            for measure in measures:
                for who in self._before.annotators_of(measure):
                    later = self._annotators.get(who)
                    if later not in self._after.annotators_of(measure):
                        continue
                    for how in measure.aggregates:
                        value = self._before.estimate(measure, system, who, how).value
                        after = self._after.estimate(measure, later_system, later, how).value
                        yield ScoreChange(
                            system=later_system,
                            annotator=later,
                            measure=measure,
                            before=value,
                            after=after,
                            aggregate=how,
                            changed=differ(measure, value, after, tolerance),
                        )

    def _notes(self) -> Iterator[str]:
        """Say what else differs."""
        before, after = self._before, self._after
        for kind, pairs in (("system", self._systems), ("annotator", self._annotators)):
            for name, other in pairs.items():
                if name != other:
                    yield f"{kind} {quote(name)} before is compared with {quote(other)} after"
        systems = set(before.systems) - set(self._systems), set(after.systems) - {*self._systems.values()}
        measured = {*map(str, before.measures)}, {*map(str, after.measures)}
        for kind, only_before, only_after in (
            ("system", *systems),
            ("measure", measured[0] - measured[1], measured[1] - measured[0]),
        ):
            for when, names in (("before", only_before), ("after", only_after)):
                if names:
                    yield f"only {when} there is {kind} {', '.join(map(quote, sorted(names)))}"
        yield from _choices(before.origin.all_choices, after.origin.all_choices)


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _changed(measure: Measure, values: Sequence[Any], tolerance: float) -> bool:
    """Tell whether an item changed: its status, or its value by more than rounding."""
    before, status_before, after, status_after = values
    return status_before != status_after or differ(measure, _number(before), _number(after), tolerance)


def _choices(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys((*before, *after)):
        values = [choices.get(name, "default") for choices in (before, after)]
        if values[0] != values[1]:
            yield f"option {name} was {quote(values[0])} before and is {quote(values[1])} after"


def _together(before: Sequence[str], after: Sequence[str]) -> dict[str, str]:
    if len(before) == len(after) == 1:
        return {before[0]: after[0]}
    return {name: name for name in before if name in set(after)}


def _persons(run: Scores) -> list[str]:
    return [name for name in run.annotators if name != ALL]


def _keys(run: Scores) -> list[_Key]:
    rows = run.origin.evidence.rows.values()
    return list(dict.fromkeys(_Key(r.system, r.item, r.annotator) for part in rows for r in part))


def _only(own: AbstractSet[_Key], other: AbstractSet[_Key]) -> tuple[Only, ...]:
    """Return what one run has and the other has not: whole items, else items of an annotator."""
    items = {(key.system, key.item) for key in other}
    lacking = sorted(own - other)
    found = (Only(k.system, k.item, k.annotator if (k.system, k.item) in items else None) for k in lacking)
    return tuple(dict.fromkeys(found))
