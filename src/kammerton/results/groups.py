# SPDX-License-Identifier: MIT
"""Figures group by group, and which group costs most.

What a group costs is what the corpus figure would gain if the group were like the rest: the figure without it
less the figure of all, in the direction of better. For a pooled figure, or a mean, this is the share of the
group in the denominator times how far it is behind the others: a small group that is far behind, and a large
one that is a little behind, may cost the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kammerton.model.corpus import ALL
from kammerton.model.measure import Estimate, Measure
from kammerton.results.context import columns_of, frame, plain_figure
from kammerton.results.scores import Scores
from kammerton.results.signature import Grouping
from kammerton.statistics.intervals import UNDEFINED, Interval, estimated
from kammerton.statistics.resampling import LeaveOneOut, ScoreKey
from kammerton.statistics.sample import (
    Sample,
    headline_keys,
    items_behind,
    split_gathered,
    systems_with_enough,
)

if TYPE_CHECKING:
    import polars as pl

__all__ = ["GroupScore", "Groups", "divide", "groups_of"]

_NOTHING = 1e-12
"""Figures differ by less only because they were rounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupScore:
    """A figure of a group."""

    measure: Measure  # its headline aggregate is meant
    system: str
    annotator: str
    group: str | None  # none for items that have no group
    # value, low, high: the figure and the ends of its interval; NaN where undefined
    value: float
    low: float
    high: float
    # items, undefined: items, or classes, that count, and those of them without a value
    items: int
    undefined: int
    # what the corpus figure would gain if the group were like the rest; NaN where there is no rest
    cost: float
    costs_most: bool = False  # whether no other group costs as much


@dataclass(frozen=True, eq=False, kw_only=True)
class Groups:
    """Figures group by group.

    The attribute ``groups`` of scores, and of comparisons, that were made with ``group_by``.

    Parameters
    ----------
    by : str
        What groups are, such as ``"genre"``.
    sizes : mapping of (str or None) to int
        Items of each group, by name; None, for those that have none, last.
    rows : tuple of GroupFigure
        By measure and system, the groups in the order of ``sizes``.
    whole : mapping of ScoreKey to Estimate
        The figures of all groups together.
    signatures : mapping of ((str or None), str) to mapping of Measure to str
        Of each group and system: those of its items scored alone.
    fewest_draws : int
        Behind an interval: measures over classes may have fewer than others. 0 if there are no intervals.
    """

    by: str
    sizes: Mapping[str | None, int]
    rows: tuple[GroupScore, ...]
    whole: Mapping[ScoreKey, Estimate]
    signatures: Mapping[tuple[str | None, str], Mapping[Measure, str]]
    fewest_draws: int = 0

    def of(self, measure: Measure, system: str) -> tuple[GroupScore, ...]:
        """Return the figures of one system by one measure."""
        return tuple(row for row in self.rows if (row.measure, row.system) == (measure, system))

    @cached_property
    def table(self) -> pl.DataFrame:
        """The rows: measure in three columns, fields of :class:`GroupScore`, ``signature``."""
        return frame(self._plain(), columns_of(GroupScore), GroupScore)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, undefined ones as None."""
        sizes = [{"group": group, "items": items} for group, items in self.sizes.items()]
        return {"by": self.by, "groups": sizes, "rows": list(self._plain())}

    def _plain(self) -> Iterator[dict[str, Any]]:
        return (plain_figure(row, self.signatures[row.group, row.system][row.measure]) for row in self.rows)


def divide(scores: Scores) -> Groups:
    """Return the figures of each group of scores that have groups, with intervals if the scores have them."""
    grouping = scores.origin.grouping
    assert grouping is not None, "what is divided has groups"
    return groups_of(scores, grouping, scores.origin.drawing.settings)


def groups_of(
    scores: Scores,
    grouping: Grouping,
    settings: Mapping[str, Any],
    *,
    measures: Sequence[Measure] | None = None,
    annotator: str | None = None,
    shared: bool = False,
) -> Groups:
    """Return the figures of each group of items."""
    made = _Divided(scores, settings, measures, annotator, shared=shared)
    group_of = [grouping.of.get(item) for item in made.items]
    groups: dict[str | None, set[str]] = {}
    for item, name in zip(made.items, group_of, strict=True):
        groups.setdefault(name, set()).add(item)
    names = sorted(groups, key=lambda name: (name is None, name or ""))
    members = {name: frozenset(groups[name]) for name in names}
    found = {name: made.figures(members[name]) for name in names}
    rows: list[GroupScore] = []
    without = made.without(group_of)
    for key in made.keys:
        costs = made.costs(key, without[key])
        rows += _marked([_row(key, name, found[name][key], costs[name]) for name in names])
    return Groups(
        by=grouping.by,
        sizes={name: len(groups[name]) for name in names},
        rows=tuple(rows),
        whole=made.whole,
        signatures={
            (name, system): scores.signatures(
                annotator or ALL, members[name], tuple(dict.fromkeys((*made.together, system)))
            )
            for name in names
            for system in scores.systems
        },
        fewest_draws=made.fewest_draws,
    )


class _Divided:
    """Figures of some of the items of scores."""

    def __init__(
        self,
        scores: Scores,
        settings: Mapping[str, Any],
        measures: Sequence[Measure] | None,
        annotator: str | None,
        *,
        shared: bool,
    ) -> None:
        self._scores, self._settings = scores, dict(settings)
        self._clusters = self._settings.pop("clusters", None)
        chosen = scores.measures if measures is None else measures
        keys = {m: headline_keys(scores, m, annotator) for m in chosen if m.needs != "annotators"}
        names = {m: {key.system: items_behind(scores, key) for key in own} for m, own in keys.items()}
        self.keys = [key for own in keys.values() for key in own]
        self.together = systems_with_enough(names.values()) if shared else ()
        self.kept = {
            measure: frozenset.intersection(*(own[system] for system in self.together))
            if shared
            else frozenset().union(*own.values())
            for measure, own in names.items()
        }
        self.fewest_draws: int = self._settings.get("resamples", 0)
        self._sample = Sample(scores, self.keys, self.kept)
        self._found = self._sample.found(self.keys)
        self.whole = {key: each.estimate(key.aggregate) for key, each in self._found.items()}
        self.items = self._sample.items

    def without(self, group_of: Sequence[str | None]) -> dict[ScoreKey, dict[str | None, float]]:
        """Return each figure without each of the groups that items, in their order, belong to."""
        names = list(dict.fromkeys(group_of))
        out = LeaveOneOut(len(self.items), max(len(names), 1), clusters=group_of)
        made: dict[ScoreKey, dict[str | None, float]] = {}
        for part in split_gathered(self.keys):
            values = self._sample.evaluate(out, {key: self._found[key] for key in part})
            made |= {key: dict(zip(names, values[key].tolist(), strict=True)) for key in part}
        return made

    def figures(self, group: frozenset[str]) -> dict[ScoreKey, tuple[Estimate, Interval]]:
        """Return each figure of a group."""
        kept = {measure: names & group for measure, names in self.kept.items()}
        sample = Sample(self._scores, self.keys, kept, self._clusters)
        if self._settings:
            self.fewest_draws = min(self.fewest_draws, sample.gathered_draws(self._settings["resamples"]))
            return estimated(sample, **self._settings)
        return {
            key: (each.estimate(key.aggregate), UNDEFINED) for key, each in sample.found(self.keys).items()
        }

    def costs(self, key: ScoreKey, without: Mapping[str | None, float]) -> dict[str | None, float]:
        """Return what each group costs: what the figure gains without it."""
        sign = -1 if key.measure.direction == "lower" else 1
        return {name: sign * (value - self.whole[key].value) for name, value in without.items()}


def _row(key: ScoreKey, group: str | None, found: tuple[Estimate, Interval], cost: float) -> GroupScore:
    figure, ends = found
    return GroupScore(
        measure=key.measure,
        system=key.system,
        annotator=key.annotator,
        group=group,
        value=figure.value,
        low=ends[0],
        high=ends[1],
        items=figure.items,
        undefined=figure.undefined,
        cost=cost,
    )


def _marked(rows: Sequence[GroupScore]) -> list[GroupScore]:
    """Return figures of all groups with the one that costs most marked; none if several do, or none costs."""
    most = max((row.cost for row in rows if not math.isnan(row.cost)), default=0.0)
    most_costly = [row for row in rows if row.cost >= most - _NOTHING]
    if most <= _NOTHING or len(most_costly) > 1:
        return list(rows)
    return [replace(row, costs_most=row is most_costly[0]) for row in rows]
