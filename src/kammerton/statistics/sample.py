# SPDX-License-Identifier: MIT
"""Figures of scores on a collection of items, and what they are on others that are drawn from it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress

import numpy as np

from kammerton.core.intervals import Codes
from kammerton.errors import OptionError, inflected, out_of, quote
from kammerton.model.classes import Classes
from kammerton.model.corpus import ALL
from kammerton.model.item_figures import ItemFigures
from kammerton.model.measure import Measure, Values
from kammerton.model.scores import Scores
from kammerton.statistics.figures import Figures, Key
from kammerton.statistics.products import each_block
from kammerton.statistics.regathering import Regathering, figures_of, times, values_of
from kammerton.statistics.resampling import LeaveOneOut, Resampling

__all__ = [
    "Kept",
    "Sample",
    "are_resampled_by_class",
    "few_systems",
    "headlines",
    "is_gathered",
    "names_of",
    "split_gathered",
    "split_resampled",
    "systems_with_enough",
]

Kept = Mapping[Measure, frozenset[str]]
"""Items that are in, by measure."""

_DRAWN_ROWS, _SWAPPED_ROWS, _FEWEST = 4_000_000, 16_000_000, 200
"""Rows of classes that are gone through at most, for intervals and for tests, but for this many draws. It
takes about five seconds, and twenty: p-values that are adjusted for many pairs need more draws."""

_OVERHEAD = 1_800
"""Classes of one draw, or of one side of a swap, cost as much as so many more rows, however few they have."""


_FEW = 12
"""Of so few units the same draw may come again."""

_TOGETHER = 100
"""Draws whose classes are held at once."""


def headlines(scores: Scores, measure: Measure, annotator: str | None = None) -> list[Key]:
    """Return the headline figure of each system, against an annotator where the measure has such figures.

    Otherwise it is against the only annotator, or all of them.
    """
    known = scores.annotators_of(measure)
    who = known[-1] if annotator is None or annotator not in known else annotator
    return [Key(system, who, measure, measure.aggregate) for system in scores.systems]


def names_of(scores: Scores, key: Key) -> frozenset[str]:
    """Return the items that count in a figure; of measures over classes, those that classes are made of."""
    system, annotator, measure, _ = key
    if measure.aggregate != "gathered":
        return frozenset(scores.of_items(measure, system, annotator).names)
    assert scores.gathering is not None, "measures over classes are gathered"
    return frozenset(
        row.item
        for row in scores.gathering.rows
        if row.counts and row.system == system and annotator in (ALL, row.annotator)
    )


def few_systems(items: Mapping[str, frozenset[str]], alpha: float = 0.05) -> dict[str, int]:
    """Return the systems that share too few items with any other, and how many at most.

    Of n items the smallest p of a permutation test is ``2 / 2**n``: if that is not below alpha, no difference
    can be significant. Systems are named where others have enough items, and so it is for what they lack; and
    those that share no item at all.

    Parameters
    ----------
    items : mapping of str to frozenset of str
        Items of each system.
    alpha : float

    Examples
    --------
    >>> many = frozenset(map(str, range(20)))
    >>> few_systems({"a": many, "b": many, "c": frozenset("7")})
    {'c': 1}
    """
    enough = math.floor(1 - math.log2(alpha)) + 1
    few: dict[str, int] = {}
    for system, own in items.items():
        others = [names for name, names in items.items() if name != system]
        most = max(map(len, others), default=0)
        shared = max((len(own if names is own else own & names) for names in others), default=0)
        if shared < min(enough, most) and (most >= enough or not shared):
            few[system] = shared
    return few


def systems_with_enough(items: Iterable[Mapping[str, frozenset[str]]]) -> tuple[str, ...]:
    """Return the systems that are shown beside each other on the items that all of them have.

    Those that share too few with any other (:func:`few_systems`) by some measure are left out, unless all do.

    Parameters
    ----------
    items : iterable of mapping of str to frozenset of str
        Items of each system, by each measure.
    """
    known = list({tuple(names.items()): names for names in items}.values())
    systems = tuple(known[0]) if known else ()
    few = {system for names in known for system in few_systems(names)}
    return tuple(system for system in systems if system not in few) or systems


class Sample:
    """Figures of scores on some items, ready to be computed on draws of them.

    Parameters
    ----------
    scores : Scores
    keys : sequence of Key
        Which figures.
    kept : mapping of Measure to frozenset of str
        Items that are in.
    clusters : mapping of str to str, optional
        Cluster of each item.
    sharers : int
        How many samples share the time that measures over classes may take.

    Attributes
    ----------
    items : tuple of str
        All of them, by name.
    clusters : list of str or None
        Cluster of each item.

    Raises
    ------
    OptionError
        If an item has no cluster.
    """

    def __init__(
        self,
        scores: Scores,
        keys: Sequence[Key],
        kept: Kept,
        clusters: Mapping[str, str] | None = None,
        sharers: int = 1,
    ) -> None:
        self._scores, self._kept, self._sharers = scores, kept, sharers
        self.keys = tuple(keys)
        self.items = tuple(sorted(frozenset().union(*(kept[key.measure] for key in keys))))
        self.clusters = None if clusters is None else _clusters(self.items, clusters)
        self._chosen: dict[tuple[int, frozenset[str]], Codes] = {}

    @cached_property
    def units(self) -> Codes:
        """Number of the unit that each item is drawn with."""
        return Resampling(len(self.items), clusters=self.clusters).unit_of

    @cached_property
    def unit_of(self) -> Mapping[str, int]:
        """The same by the name of the item."""
        return dict(zip(self.items, self.units.tolist(), strict=True))

    @property
    def units_count(self) -> int:
        """How many there are."""
        return int(self.units.max(initial=-1)) + 1

    def kept(self, measure: Measure) -> frozenset[str]:
        """Return the items that are in for a measure."""
        return self._kept[measure]

    def found(self, keys: Sequence[Key]) -> dict[Key, ItemFigures]:
        """Return what the items, or their classes, bring to figures."""
        once = np.ones(len(self.items), dtype=np.int64)
        groups = dict.fromkeys((key.system, key.annotator) for key in keys if is_gathered([key]))
        classes = {group: self._classes(once, *group) for group in groups}
        made: dict[tuple[str, str, Measure], ItemFigures] = {}  # aggregates are made of the same
        for system, annotator, measure in dict.fromkeys(key[:3] for key in keys):
            if measure.aggregate == "gathered":
                found = figures_of(classes[system, annotator], measure, several=annotator == ALL)
            else:
                whole = self._scores.of_items(measure, system, annotator)
                found = whole.of_rows(self._rows(whole, measure))
            made[system, annotator, measure] = found
        return {key: made[key[:3]] for key in keys}

    def _rows(self, whole: ItemFigures, measure: Measure) -> Codes:
        """Return the numbers of the rows that are in; most figures of a system share them."""
        names, kept = whole.row_names, self._kept[measure]
        key = id(names), kept  # scores hold these names as long as they live
        if key not in self._chosen:
            chosen = [place for place, name in enumerate(names) if name in kept]
            self._chosen[key] = np.array(chosen, dtype=np.int64)
        return self._chosen[key]

    def figures(self, found: Mapping[Key, ItemFigures]) -> Figures:
        """Return figures, none of them gathered, as functions of draws."""
        spread = math.sqrt(sum(size * size for size in Counter(self.units.tolist()).values()))
        return Figures(found, self.items, spread)

    def evaluate(
        self,
        draws: Resampling | LeaveOneOut,
        found: Mapping[Key, ItemFigures],
        wanted: Sequence[Key] | None = None,
    ) -> dict[Key, Values]:
        """Return figures of each draw.

        Parameters
        ----------
        draws : Resampling or LeaveOneOut
            Of the items.
        found : mapping of Key to ItemFigures
            What the items bring to them, from :meth:`found`: all of them gathered, or none.
        wanted : sequence of Key, optional
            Some of them. Last digits of sums depend on what is found, not on what is wanted of it.

        Returns
        -------
        dict of Key to ndarray, shape (draws,)
        """
        keys = list(found if wanted is None else wanted)
        if is_gathered(keys):
            return dict(zip(keys, self._drawn_classes(draws, keys).T, strict=True))
        return _evaluated(self.figures(found), draws, keys)

    def resampled(
        self,
        found: Mapping[Key, ItemFigures],
        draws: int,
        seed: int,
        wanted: Sequence[Key] | None = None,
        beside: Iterable[Mapping[Key, ItemFigures]] = (),
    ) -> dict[Key, Values]:
        """Return figures of items, clusters or classes that are drawn with replacement.

        Parameters
        ----------
        found : mapping of Key to ItemFigures
            As for :meth:`evaluate`; classes are drawn for all of them, or for none.
        draws, seed : int
            How many draws, and their seed.
        wanted : sequence of Key, optional
            Some of them.
        beside : iterable of mapping of Key to ItemFigures
            What other samples have, whose classes are drawn too: they get the same draws.
        """
        if not are_resampled_by_class(found):
            return self.evaluate(Resampling(len(self.items), draws, seed, self.clusters), found, wanted)
        names, clusters = self._class_units((found, *beside))
        drawn = Resampling(len(names), draws, seed, clusters)
        return _evaluated(Figures(found, names, math.sqrt(len(names))), drawn, list(wanted or found))

    def without_each(
        self,
        found: Mapping[Key, ItemFigures],
        most: int,
        wanted: Sequence[Key] | None = None,
        beside: Iterable[Mapping[Key, ItemFigures]] = (),
    ) -> dict[Key, Values]:
        """Return figures without each item, cluster or class, or without each of so many groups at most."""
        if not are_resampled_by_class(found):
            return self.evaluate(LeaveOneOut(len(self.items), most, clusters=self.clusters), found, wanted)
        names, clusters = self._class_units((found, *beside))
        out = LeaveOneOut(len(names), most, clusters=clusters)
        return _evaluated(Figures(found, names, math.sqrt(len(names))), out, list(wanted or found))

    def _class_units(
        self, found: Iterable[Mapping[Key, ItemFigures]]
    ) -> tuple[tuple[str, ...], list[str] | None]:
        """Return the classes that are drawn, by name, and their clusters if they are items, as topics are."""
        of_figures = (figures.names for each in found for figures in each.values())
        names = tuple(sorted(frozenset(chain.from_iterable(of_figures))))
        if self.clusters is None or not self.unit_of.keys() >= set(names):
            return names, None
        cluster = dict(zip(self.items, self.clusters, strict=True))
        return names, [cluster[name] for name in names]

    def units_behind(self, key: Key, found: ItemFigures, resampled: Values) -> int:
        """Return how many items, or clusters, have a value of their own in a figure.

        Parameters
        ----------
        key : Key
        found : ItemFigures
            Of the figure.
        resampled : ndarray, shape (resamples,)
            The figure of each resample. If it varies, it is of two at least.
        """
        if is_gathered([key]) and not key.measure.resamples_classes:
            cases = self.regathering.cases(key.system, key.annotator).values()
            units = len(np.unique(self.units[np.any([each >= 0 for each in cases], axis=0)]))
        else:
            defined = ~np.isnan(found.counted)
            units = int(np.count_nonzero(defined))
            if self.clusters is not None and self.unit_of.keys() >= set(found.names):
                units = len({self.unit_of[name] for name in compress(found.names, defined)})
        if units > 1:
            return units
        known = resampled[~np.isnan(resampled)]
        return 2 if len(known) and known.min() < known.max() else units

    # --- measures over classes ---------------------------------------------------------------

    @cached_property
    def regathering(self) -> Regathering:
        """What measures over classes are made from."""
        gathering = self._scores.gathering
        assert gathering is not None, "measures over classes are gathered"
        kept = frozenset().union(*(self._kept.get(measure, ()) for measure in gathering.measures))
        return Regathering(gathering, self.items, kept)

    def _classes(self, counts: Codes, system: str, annotator: str) -> list[Classes]:
        """Return the classes of one draw, against each annotator."""
        drawn, copies = times(counts)
        cases = {who: each[drawn] for who, each in self.regathering.cases(system, annotator).items()}
        return list(self.regathering.classes(cases, copies).values())

    def _drawn_classes(self, draws: Resampling | LeaveOneOut, keys: Sequence[Key]) -> Values:
        """Return figures over classes of each draw, shape (draws, keys)."""
        rows = np.concatenate([draws.block(start).astype(np.int32) for start in draws.starts])
        again = np.arange(len(rows))
        if self.units_count <= _FEW:  # then many draws are the same
            rows, again = np.unique(rows, axis=0, return_inverse=True)
        made = np.empty((len(rows), len(keys)))
        for group in dict.fromkeys((key.system, key.annotator) for key in keys):
            own = [place for place, key in enumerate(keys) if (key.system, key.annotator) == group]
            measures = [keys[place].measure for place in own]
            for at in range(0, len(rows), _TOGETHER):
                some = [self._classes(counts, *group) for counts in rows[at : at + _TOGETHER]]
                made[at : at + _TOGETHER, own] = values_of(some, measures)
        return made[again.ravel()]

    def draws_for(self, keys: Sequence[Key], wanted: int) -> int:
        """Return how many draws there are of figures that are all drawn alike."""
        anew = is_gathered(keys) and not are_resampled_by_class(keys)
        return self.gathered_draws(wanted) if anew else wanted

    def gathered_draws(self, wanted: int) -> int:
        """Return how many draws there are of what is made anew from each: fewer, where that takes long."""
        anew = [key for key in self.keys if is_gathered([key]) and not key.measure.resamples_classes]
        groups = {(key.system, key.annotator) for key in anew}
        if not groups:
            return wanted
        rows = self._sharers * (len(self.regathering) + _OVERHEAD * len(groups))
        affordable = max(_FEWEST, _DRAWN_ROWS // rows)
        units = self.units_count
        if units <= _FEW and math.comb(2 * units - 1, units) <= affordable:  # all draws that differ
            return wanted
        return min(wanted, affordable)

    def gathered_swaps(self, wanted: int, pairs: int) -> int:
        """Return how often systems are swapped by measures over classes: less often, where it takes long."""
        systems = len({key.system for key in self.keys})
        rows = 2 * pairs * self._sharers * (len(self.regathering) // systems + _OVERHEAD)
        return min(wanted, max(_FEWEST, _SWAPPED_ROWS // rows))


def split_gathered(keys: Sequence[Key]) -> Iterator[list[Key]]:
    """Give the figures that are sums or medians, and those of classes; neither if there are none."""
    for gathered in (False, True):
        chosen = [key for key in keys if is_gathered([key]) == gathered]
        if chosen:
            yield chosen


def split_resampled(keys: Sequence[Key]) -> Iterator[list[Key]]:
    """Give the same, those of classes in two: where classes are resampled, and where items are."""
    for part in split_gathered(keys):
        for of_classes in (False, True):
            chosen = [key for key in part if key.measure.resamples_classes == of_classes]
            if chosen:
                yield chosen


def are_resampled_by_class(keys: Iterable[Key]) -> bool:
    """Tell whether classes are resampled for intervals of figures: of all of them, or of none."""
    return next(iter(keys)).measure.resamples_classes


def is_gathered(keys: Sequence[Key]) -> bool:
    """Tell whether figures are of classes: all of them, or none."""
    return keys[0].measure.aggregate == "gathered"


def _clusters(items: Sequence[str], clusters: Mapping[str, str]) -> list[str]:
    without = [item for item in items if item not in clusters]
    if without:
        verb = inflected(len(without), "has", "have")
        count = out_of(len(without), len(items), "item")
        message = f"{count} {verb} no cluster, e.g. {quote(without[0])}"
        raise OptionError(message, "an item that belongs to no other is a cluster of its own")
    return [clusters[item] for item in items]


def _evaluated(figures: Figures, draws: Resampling | LeaveOneOut, keys: Sequence[Key]) -> dict[Key, Values]:
    """Return figures of each draw, block by block."""
    blocks = each_block(lambda start: figures.evaluate(draws.block(start), keys), draws.starts)
    return dict(zip(keys, np.concatenate(list(blocks)).T, strict=True))
