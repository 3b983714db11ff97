# SPDX-License-Identifier: MIT
"""Figures of scores on a collection of items, and what they are on others that are drawn from it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from kammerton.core.intervals import Codes
from kammerton.errors import OptionError, inflected, plural, quote
from kammerton.model.corpus import ALL
from kammerton.model.item_figures import ItemFigures
from kammerton.model.measure import Measure, Values
from kammerton.model.scores import Scores
from kammerton.statistics.figures import Figures, Key
from kammerton.statistics.products import each_block
from kammerton.statistics.regathering import Regathering, figures_of, times
from kammerton.statistics.resampling import LeaveOneOut, Resampling

__all__ = ["Kept", "Sample", "is_gathered", "names_of", "split_gathered"]

Kept = Mapping[Measure, frozenset[str]]
"""Items that are in, by measure."""

_GATHERED_ROWS, _OVERHEAD, _FEWEST = 100_000_000, 400_000, 200
"""Rows of classes that are gone through at most, but for this many draws; a draw costs as much as some more
rows, however few it has."""


def names_of(scores: Scores, measure: Measure, system: str, annotator: str) -> frozenset[str]:
    """Return the items that count in a figure; of measures over classes, those that classes are made of."""
    if measure.aggregate != "gathered":
        return frozenset(scores.of_items(measure, system, annotator).names)
    assert scores.gathering is not None, "measures over classes are gathered"
    return frozenset(
        row.item
        for row in scores.gathering.rows
        if row.counts and row.system == system and annotator in (ALL, row.annotator)
    )


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
        self, scores: Scores, keys: Sequence[Key], kept: Kept, clusters: Mapping[str, str] | None = None
    ) -> None:
        self._scores, self._kept = scores, kept
        self.keys = tuple(keys)
        self.items = tuple(sorted(frozenset().union(*(kept[key.measure] for key in keys))))
        self.clusters = None if clusters is None else _clusters(self.items, clusters)

    @cached_property
    def units(self) -> Codes:
        """Number of the unit that each item is drawn with."""
        return Resampling(len(self.items), clusters=self.clusters).unit_of

    @property
    def units_count(self) -> int:
        """How many there are."""
        return int(self.units.max(initial=-1)) + 1

    def kept(self, measure: Measure) -> frozenset[str]:
        """Return the items that are in for a measure."""
        return self._kept[measure]

    def found(self, keys: Sequence[Key]) -> dict[Key, ItemFigures]:
        """Return what the items, or their classes, bring to figures: all of them gathered, or none."""
        if is_gathered(keys):
            return self._classes(np.ones(len(self.items), dtype=np.int64), keys)
        return {
            key: self._scores.of_items(key.measure, key.system, key.annotator).only(self._kept[key.measure])
            for key in keys
        }

    def figures(self, found: Mapping[Key, ItemFigures]) -> Figures:
        """Return figures, none of them gathered, as functions of draws."""
        spread = math.sqrt(sum(size * size for size in Counter(self.units.tolist()).values()))
        return Figures(found, self.items, spread)

    def evaluate(
        self, draws: Resampling | LeaveOneOut, found: Mapping[Key, ItemFigures]
    ) -> dict[Key, Values]:
        """Return figures of each draw.

        Parameters
        ----------
        draws : Resampling or LeaveOneOut
            Of the items.
        found : mapping of Key to ItemFigures
            What the items bring to them, from :meth:`found`.

        Returns
        -------
        dict of Key to ndarray, shape (draws,)
        """
        keys = list(found)
        if is_gathered(keys):
            made = np.array([self._values(counts, keys) for counts in _each(draws)])
        else:
            figures = self.figures(found)
            blocks = each_block(lambda start: figures.evaluate(draws.block(start)), draws.starts)
            made = np.concatenate(list(blocks))
        return dict(zip(keys, made.T, strict=True))

    def is_of_one(self, key: Key, found: ItemFigures, resampled: Values) -> bool:
        """Tell whether a figure does not vary because all of it is of one item, or of one cluster.

        Parameters
        ----------
        key : Key
        found : ItemFigures
            Of the figure.
        resampled : ndarray, shape (resamples,)
            The figure of each resample.
        """
        known = resampled[~np.isnan(resampled)]
        if len(known) and known.min() < known.max():
            return False
        if is_gathered([key]):
            return self.units_count < 2
        place = {name: number for number, name in enumerate(self.items)}
        defined = np.flatnonzero(~np.isnan(found.counted)).tolist()
        return len({int(self.units[place[found.names[number]]]) for number in defined}) < 2

    # --- measures over classes ---------------------------------------------------------------

    @cached_property
    def regathering(self) -> Regathering:
        """What measures over classes are made from."""
        gathering = self._scores.gathering
        assert gathering is not None, "measures over classes are gathered"
        kept = frozenset().union(*(self._kept.get(measure, ()) for measure in gathering.measures))
        return Regathering(gathering, self.items, kept)

    def _classes(self, counts: Codes, keys: Sequence[Key]) -> dict[Key, ItemFigures]:
        drawn, copies = times(counts)
        found = {}
        for group in dict.fromkeys((key.system, key.annotator) for key in keys):
            cases = {who: each[drawn] for who, each in self.regathering.cases(*group).items()}
            classes = self.regathering.classes(cases, copies).values()
            for key in keys:
                if (key.system, key.annotator) == group:
                    found[key] = figures_of(classes, key.measure, several=key.annotator == ALL)
        return found

    def _values(self, counts: Codes, keys: Sequence[Key]) -> list[float]:
        found = self._classes(counts, keys)
        return [found[key].estimate(key.aggregate).value for key in keys]

    def gathered_draws(self, wanted: int) -> int:
        """Return how many draws there are of measures over classes: fewer, where each takes long."""
        return min(wanted, max(_FEWEST, _GATHERED_ROWS // (len(self.regathering) + _OVERHEAD)))


def split_gathered(keys: Sequence[Key]) -> Iterator[list[Key]]:
    """Give the figures that are sums or medians, and those of classes; neither if there are none."""
    for gathered in (False, True):
        chosen = [key for key in keys if is_gathered([key]) == gathered]
        if chosen:
            yield chosen


def is_gathered(keys: Sequence[Key]) -> bool:
    """Tell whether figures are of classes: all of them, or none."""
    return keys[0].measure.aggregate == "gathered"


def _each(draws: Resampling | LeaveOneOut) -> Iterator[Codes]:
    for start in draws.starts:
        yield from draws.block(start).astype(np.int64)


def _clusters(items: Sequence[str], clusters: Mapping[str, str]) -> list[str]:
    without = [item for item in items if item not in clusters]
    if without:
        verb = inflected(len(without), "has", "have")
        count = f"{len(without):,} of {plural(len(items), 'item')}"
        message = f"{count} {verb} no cluster, e.g. {quote(without[0])}"
        raise OptionError(message, "an item that belongs to no other is a cluster of its own")
    return [clusters[item] for item in items]
