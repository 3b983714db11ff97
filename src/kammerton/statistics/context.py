# SPDX-License-Identifier: MIT
"""What systems stand between: floors below them, and the ceiling of annotators who are scored as systems are.

A floor is a trivial answer that is made from the references. The ceiling is how far annotators agree: each is
scored against the others of an item. As K - 1 references are another yardstick than K, systems are scored
anew against the same sets, all annotators but one, for each that is left out; the share of a system is its
figure there over that of the annotators. Pooled figures sum the statistics of all sets of an item; means
average within an item first, then over items. Items with one annotator have no such sets.

What stands beside each other is of the same items: those that all systems have, but for systems that share
too few with any other, whose figures are of what they have of these.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kammerton.core.ratios import ratio
from kammerton.model.corpus import ALL
from kammerton.model.evidence import Evidence
from kammerton.model.measure import Estimate, Measure, Values
from kammerton.model.scores import Scores
from kammerton.statistics.bootstrap import UNDEFINED, Interval, interval
from kammerton.statistics.figures import Key
from kammerton.statistics.records import columns_of, frame, plain_figure
from kammerton.statistics.sample import Sample, headlines, names_of, split_resampled, systems_with_enough

if TYPE_CHECKING:
    import polars as pl

__all__ = ["OTHERS", "Context", "Role", "Standing", "context_of"]

Role = Literal["floor", "system", "others", "annotators"]

OTHERS = "others"
"""The annotator column of figures against all annotators but one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A figure of the context.

    Parameters
    ----------
    measure : Measure
        Its headline aggregate is meant.
    role : {"floor", "system", "others", "annotators"}
        A trivial answer or a system, against all annotators; a system against all annotators but one, for
        each that is left out; or the annotators who were left out against the others, which is the ceiling.
    name : str
        Of the floor or the system.
    annotator : str
        Against whom: the only annotator, ``"all"``, or ``"others"``.
    value, low, high : float
        The figure and the ends of its interval; NaN where undefined.
    items, undefined : int
        Items that count, and those of them without a value.
    share, share_low, share_high : float
        Of a system against the others: the figure over the ceiling, with its interval. NaN where there is
        none, as of measures that are better if they are lower.
    """

    measure: Measure
    role: Role
    name: str
    annotator: str
    value: float
    low: float
    high: float
    items: int
    undefined: int
    share: float = float("nan")
    share_low: float = float("nan")
    share_high: float = float("nan")


@dataclass(frozen=True, eq=False, kw_only=True)
class Context:
    """Floors, systems and the ceiling of annotators.

    The attribute ``context`` of scores that :func:`kammerton.score` made with ``context=True``.

    Parameters
    ----------
    rows : tuple of Standing
        By measure: floors, systems, systems against all annotators but one, annotators.
    items : int
        Items that the ceiling is of.
    single : int
        Items that have one annotator only, and are out of it.
    shared, left_out : int
        Items that floors and systems are of, and those that only some of them have.
    signatures : mapping of (Role, str) to mapping of Measure to str
        Of each role and name.
    fewest_draws : int
        Behind an interval: measures over classes may have fewer than others. 0 if there are no intervals.
    """

    rows: tuple[Standing, ...]
    items: int
    single: int
    shared: int
    left_out: int
    signatures: Mapping[tuple[Role, str], Mapping[Measure, str]]
    fewest_draws: int = 0

    def of(self, measure: Measure, role: Role) -> tuple[Standing, ...]:
        """Return the figures of a measure in one role, in the order of output."""
        return tuple(row for row in self.rows if row.measure == measure and row.role == role)

    @cached_property
    def table(self) -> pl.DataFrame:
        """The rows: ``protocol``, ``measure``, ``aggregate``, fields of :class:`Standing`, ``signature``."""
        return frame(self._plain(), columns_of(Standing), Standing)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, undefined ones as None."""
        counts = {name: getattr(self, name) for name in ("items", "single", "shared", "left_out")}
        return {**counts, "rows": list(self._plain())}

    def _plain(self) -> Iterator[dict[str, Any]]:
        return (plain_figure(row, self.signatures[row.role, row.name][row.measure]) for row in self.rows)


def context_of(scores: Scores) -> Context:
    """Return what systems stand between.

    Parameters
    ----------
    scores : Scores
        With surroundings.
    """
    made = _Context(scores)
    rows: list[Standing] = []
    for measure in made.measures:
        rows += [*made.floors(measure), *made.systems(measure), *made.others(measure)]
    return Context(
        rows=tuple(rows),
        items=made.items,
        single=made.single,
        shared=len(made.shared),
        left_out=len(made.every - made.shared),
        signatures={
            (row.role, row.name): scores.signatures(ALL, systems=_scored_for(row, made.together))
            for row in rows
        },
        fewest_draws=made.fewest_draws,
    )


def _scored_for(row: Standing, together: Sequence[str]) -> Sequence[str]:
    """Return the systems whose items a figure is of: those that stand beside each other, and itself."""
    return together if row.role in ("floor", "annotators") else tuple(dict.fromkeys((*together, row.name)))


class _Context:
    """Figures of scores and of their surroundings."""

    def __init__(self, scores: Scores) -> None:
        surroundings = scores.origin.surroundings
        assert surroundings is not None, "there are surroundings"
        self._scores, self.single = scores, surroundings.single
        self.measures = [measure for measure in scores.measures if measure.needs != "annotators"]
        self._names = {measure: _names(scores, measure) for measure in self.measures}
        self.together = systems_with_enough(self._names.values())
        self._kept = {
            measure: frozenset.intersection(*(names[system] for system in self.together))
            for measure, names in self._names.items()
        }
        around = (surroundings.floors, surroundings.others, surroundings.annotators)
        floors, others, annotators = (_scores_of(scores, each) for each in around)
        own = [(measure, names) for measure, each in self._names.items() for names in each.values()]
        self._systems = self._drawn([scores]) if any(names != self._kept[m] for m, names in own) else []
        self._floors = self._drawn([floors])
        self._left_out = self._drawn([others, annotators])
        self.shared = frozenset().union(*self._kept.values())
        known = [] if floors is None else [_names(floors, m) for m in self.measures if m in floors.measures]
        self.every = frozenset().union(
            *(names for each in (*self._names.values(), *known) for names in each.values())
        )

    def _drawn(self, parts: Sequence[Scores | None]) -> list[_Drawn]:
        """Return figures of scores, all on the same draws of the items that count in all of them."""
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return []
        shared = [m for m in self.measures if all(m in each.measures for each in known)]
        few = set(self._scores.systems) - set(self.together)
        kept = {}
        for measure in shared:
            own = [names for each in known for names in _names(each, measure, without=few).values()]
            kept[measure] = frozenset.intersection(self._kept[measure], *own)
        shared = [measure for measure in shared if kept[measure]]
        if not shared:
            return []
        samples = []
        for each in known:
            keys = [key for measure in shared for key in headlines(each, measure)]
            samples.append(Sample(each, keys, kept, self._scores.origin.drawing.settings.get("clusters")))
        return [_Drawn(each, samples, self._scores) for each in samples]

    @property
    def items(self) -> int:
        """Items that the ceiling is of."""
        return len(self._left_out[0].sample.items) if self._left_out else 0

    @property
    def fewest_draws(self) -> int:
        """Fewest draws behind an interval."""
        return min((each.fewest_draws for each in (*self._floors, *self._left_out)), default=0)

    def floors(self, measure: Measure) -> Iterator[Standing]:
        for drawn in self._floors:
            for key in drawn.of(measure):
                yield _standing(key, "floor", key.annotator, drawn.estimate(key), drawn.interval(key))

    def systems(self, measure: Measure) -> Iterator[Standing]:
        for key in headlines(self._scores, measure):
            found = self._scores.estimate(measure, key.system, key.annotator, key.aggregate)
            ends = self._scores.intervals.get(key, UNDEFINED)
            for drawn in self._systems if self._names[measure][key.system] != self._kept[measure] else ():
                found, ends = drawn.estimate(key), drawn.interval(key)
            yield _standing(key, "system", key.annotator, found, ends)

    def others(self, measure: Measure) -> Iterator[Standing]:
        """Give the systems against all annotators but one, and the ceiling."""
        if not self._left_out or not self._left_out[1].of(measure):
            return
        systems, people = self._left_out
        (top,) = people.of(measure)
        for key in systems.of(measure):
            share, ends = systems.share(key, people, top)
            standing = _standing(key, "others", OTHERS, systems.estimate(key), systems.interval(key))
            yield replace(standing, share=share, share_low=ends[0], share_high=ends[1])
        yield _standing(top, "annotators", OTHERS, people.estimate(top), people.interval(top))


def _names(scores: Scores, measure: Measure, without: Container[str] = ()) -> dict[str, frozenset[str]]:
    """Return the items of each system, or of each floor."""
    keys = headlines(scores, measure)
    return {key.system: names_of(scores, key) for key in keys if key.system not in without}


def _scores_of(scores: Scores, evidence: Evidence | None) -> Scores | None:
    return None if evidence is None else scores.remade(evidence=evidence, surroundings=None, grouping=None)


def _standing(key: Key, role: Role, annotator: str, found: Estimate, ends: Interval) -> Standing:
    return Standing(
        measure=key.measure,
        role=role,
        name=key.system,
        annotator=annotator,
        value=found.value,
        low=ends[0],
        high=ends[1],
        items=found.items,
        undefined=found.undefined,
    )


class _Drawn:
    """Figures of a sample, with their draws.

    Parameters
    ----------
    sample : Sample
    together : sequence of Sample
        On the same items; all get as many draws.
    scores : Scores
        Say how items are drawn.
    """

    def __init__(self, sample: Sample, together: Sequence[Sample], scores: Scores) -> None:
        self.sample = sample
        self._drawing = scores.origin.drawing
        self._found = sample.found(sample.keys)
        self._resampled: dict[Key, Values] = {}
        self._without: dict[Key, Values] = {}
        self.fewest_draws: int = self._drawing.settings.get("resamples", 0)
        if self._drawing.level is not None:
            for part in split_resampled(sample.keys):
                self._draw(part, together)

    def _draw(self, keys: Sequence[Key], together: Sequence[Sample]) -> None:
        sample, settings = self.sample, self._drawing.settings
        measures = {key.measure for key in keys}
        wanted, beside = settings["resamples"], []
        for each in together:
            own = [key for key in each.keys if key.measure in measures]
            wanted = min(wanted, each.draws_for(own, settings["resamples"]))
            beside.append(each.found(own))
        found = {key: self._found[key] for key in keys}
        self.fewest_draws = min(self.fewest_draws, wanted)
        self._resampled |= sample.resampled(found, wanted, settings["seed"], beside=beside)
        if settings["method"] == "bca":
            self._without |= sample.without_each(found, wanted, beside=beside)

    def of(self, measure: Measure) -> list[Key]:
        """Return the figures of a measure."""
        return [key for key in self.sample.keys if key.measure == measure]

    def estimate(self, key: Key) -> Estimate:
        return self._found[key].estimate(key.aggregate)

    def interval(self, key: Key) -> Interval:
        if key not in self._resampled:
            return UNDEFINED
        value, without = self.estimate(key).value, self._without.get(key)
        return interval(value, self._resampled[key], without, self._drawing.level or 0, self._units(key))

    def _units(self, key: Key) -> int:
        return self.sample.units_behind(key, self._found[key], self._resampled[key])

    def share(self, key: Key, people: _Drawn, top: Key) -> tuple[float, Interval]:
        """Return the figure over that of the annotators, and the interval of this share."""
        if key.measure.direction == "lower":
            return float("nan"), UNDEFINED
        ceiling = people.estimate(top).value
        share = float(_over(np.array([self.estimate(key).value]), np.array([ceiling]))[0])
        if key not in self._resampled:
            return share, UNDEFINED
        without = None
        if self._without:
            without = _over(self._without[key], people._without[top])
        drawn = _over(self._resampled[key], people._resampled[top])
        units = min(self._units(key), people._units(top))
        return share, interval(share, drawn, without, self._drawing.level or 0, units)


def _over(values: Values, ceilings: Values) -> Values:
    """Return the share of each, NaN where the ceiling is not above 0."""
    return ratio(values, np.where(ceilings > 0, ceilings, np.nan))
