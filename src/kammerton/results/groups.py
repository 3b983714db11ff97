# SPDX-License-Identifier: MIT
"""Scores of groups of items, and the loss of each group.

The loss of a group is what the corpus score would gain if the group were like the rest: the score without it
less the score of all, in the direction of better. For a pooled score, or a mean, this is the share of the
group in the denominator times how far it is behind the others: a small group that is far behind, and a large
one that is a little behind, may have the same loss.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kammerton.errors import some
from kammerton.model.corpus import ALL
from kammerton.model.measure import CorpusScore, Measure
from kammerton.results.signature import Grouping, Origin
from kammerton.results.tables import columns_of, frame, plain_score, with_interval
from kammerton.scoring.scored_corpus import ScoredCorpus
from kammerton.statistics.intervals import UNDEFINED, Interval, scores_with_intervals
from kammerton.statistics.resampling import BootstrapSettings, LeaveOneOut, ScoreKey
from kammerton.statistics.sample import (
    ItemsByMeasure,
    Sample,
    headline_keys,
    items_behind,
    split_gathered,
    systems_with_enough,
)

if TYPE_CHECKING:
    import polars as pl

_NOTHING = 1e-12
"""Scores differ by less only because they were rounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupScore:
    """A score of a group."""

    measure: Measure  # its headline aggregate is meant
    system: str
    annotator: str
    group: str | None  # none for items that have no group
    # value, low, high: the score and the ends of its interval; NaN where undefined
    value: float
    low: float
    high: float
    # items, undefined: items, or classes, that count, and those of them without a value
    items: int
    undefined: int
    # the loss: what the corpus score would gain if the group were like the rest; NaN where there is no rest
    cost: float
    costs_most: bool = False  # whether no other group has as high a loss


@dataclass(frozen=True, eq=False, kw_only=True)
class Groups:
    """Scores of groups of items.

    The attribute ``groups`` of scores, and of comparisons, that were made with ``group_by``.

    Parameters
    ----------
    by : str
        What groups are, such as ``"genre"``.
    sizes : mapping of (str or None) to int
        Items of each group, by name; None, for those that have none, last.
    rows : tuple of GroupScore
        By measure and system, the groups in the order of ``sizes``.
    whole : mapping of ScoreKey to CorpusScore
        The scores of all groups together.
    signatures : mapping of ((str or None), str) to mapping of Measure to str
        Of each group and system: those of its items scored alone.
    fewest_resamples : int
        Behind an interval: measures over classes may have fewer than others. 0 if there are no intervals.
    """

    by: str
    sizes: Mapping[str | None, int]
    rows: tuple[GroupScore, ...]
    whole: Mapping[ScoreKey, CorpusScore]
    signatures: Mapping[tuple[str | None, str], Mapping[Measure, str]]
    fewest_resamples: int = 0

    def __repr__(self) -> str:
        """Return what groups there are."""
        names = some(list(map(str, self.sizes)))
        return f"<Groups by {self.by}: {names}; `table` has the scores>"

    def of(self, measure: Measure, system: str) -> tuple[GroupScore, ...]:
        """Return the scores of one system by one measure."""
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
        return (plain_score(row, self.signatures[row.group, row.system][row.measure]) for row in self.rows)


def groups_of(
    corpus: ScoredCorpus,
    origin: Origin,
    grouping: Grouping,
    bootstrap: BootstrapSettings | None,
    *,
    measures: Sequence[Measure] | None = None,
    annotator: str | None = None,
    shared: bool = False,
) -> Groups:
    """Return the scores of each group, with intervals if there are settings for them.

    If ``shared``, groups have the items that all systems have, except systems with too few items.
    """
    chosen = corpus.measures if measures is None else measures
    by_measure = {m: headline_keys(corpus, m, annotator) for m in chosen if m.needs != "annotators"}
    names = {m: {key.system: items_behind(corpus, key) for key in own} for m, own in by_measure.items()}
    together = systems_with_enough(names.values()) if shared else ()
    items_by_measure = {
        measure: frozenset.intersection(*(own[system] for system in together))
        if shared
        else frozenset[str]().union(*own.values())
        for measure, own in names.items()
    }
    sample = Sample(corpus, [key for own in by_measure.values() for key in own], items_by_measure)
    members = _members(sample.items, grouping)
    whole, without = _whole_and_without(sample, [grouping.of.get(item) for item in sample.items])
    fewest_resamples = 0 if bootstrap is None else bootstrap.resamples
    scores: dict[str | None, Mapping[ScoreKey, tuple[CorpusScore, Interval]]] = {}
    for group, items in members.items():
        in_group: ItemsByMeasure = {
            measure: of_measure & items for measure, of_measure in items_by_measure.items()
        }
        if bootstrap is None:
            of_group = Sample(corpus, sample.keys, in_group)
            own = of_group.item_scores(sample.keys).items()
            scores[group] = {key: (of_items.corpus_score(key.aggregate), UNDEFINED) for key, of_items in own}
        else:
            of_group = Sample(corpus, sample.keys, in_group, bootstrap.clusters)
            fewest_resamples = min(fewest_resamples, of_group.gathered_resamples(bootstrap.resamples))
            scores[group] = scores_with_intervals(of_group, bootstrap)
    rows: list[GroupScore] = []
    for key in sample.keys:
        sign = -1 if key.measure.direction == "lower" else 1
        losses = {group: sign * (value - whole[key].value) for group, value in without[key].items()}
        of_key = (
            GroupScore(
                measure=key.measure,
                system=key.system,
                annotator=key.annotator,
                group=name,
                cost=losses[name],
                **with_interval(*scores[name][key]),
            )
            for name in members
        )
        rows += _marked(list(of_key))
    return Groups(
        by=grouping.by,
        sizes={group: len(items) for group, items in members.items()},
        rows=tuple(rows),
        whole=whole,
        signatures={
            (group, system): origin.signatures(
                annotator or ALL, items, tuple(dict.fromkeys((*together, system)))
            )
            for group, items in members.items()
            for system in corpus.systems
        },
        fewest_resamples=fewest_resamples,
    )


def _members(items: Sequence[str], grouping: Grouping) -> dict[str | None, frozenset[str]]:
    """Return the items of each group by name; of None, which are in no group, last."""
    groups: dict[str | None, set[str]] = {}
    for item in items:
        groups.setdefault(grouping.of.get(item), set()).add(item)
    names = sorted(groups, key=lambda name: (name is None, name or ""))
    return {name: frozenset(groups[name]) for name in names}


def _whole_and_without(
    sample: Sample, group_of: Sequence[str | None]
) -> tuple[dict[ScoreKey, CorpusScore], dict[ScoreKey, dict[str | None, float]]]:
    """Return each score, and without each of the groups that items, in their order, belong to."""
    item_scores = sample.item_scores(sample.keys)
    groups = list(dict.fromkeys(group_of))
    left_out = LeaveOneOut(len(sample.items), max(len(groups), 1), clusters=group_of)
    without: dict[ScoreKey, dict[str | None, float]] = {}
    for keys in split_gathered(sample.keys):
        values = sample.evaluate(left_out, {key: item_scores[key] for key in keys})
        without |= {key: dict(zip(groups, values[key].tolist(), strict=True)) for key in keys}
    return {key: scores.corpus_score(key.aggregate) for key, scores in item_scores.items()}, without


def _marked(rows: Sequence[GroupScore]) -> list[GroupScore]:
    """Return the scores of all groups, that with the highest loss marked if it is above 0 and no other's."""
    highest = max((row.cost for row in rows if not math.isnan(row.cost)), default=0.0)
    most_costly = [row for row in rows if row.cost >= highest - _NOTHING]
    if highest <= _NOTHING or len(most_costly) > 1:
        return list(rows)
    return [replace(row, costs_most=row is most_costly[0]) for row in rows]
