# SPDX-License-Identifier: MIT
"""Scores of some items of a corpus, ready to be computed on bootstrap samples of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, compress

import numpy as np

from kammerton.arrays import Codes, Flags, ratio
from kammerton.errors import OptionError, inflected, out_of, quote
from kammerton.model.corpus import ALL
from kammerton.model.evidence import ClassEvidence, ClassStatistics, has_class
from kammerton.model.measure import Gathered, Measure, Values
from kammerton.scoring.scored_corpus import ItemScores, ScoredCorpus
from kammerton.statistics.resampling import LeaveOneOut, ResampledScores, Resampling, ScoreKey, each_block

_ROWS_TOGETHER = 65_536
"""Rows of classes that are gathered at once, so that large corpora need no more memory than others."""


class ResampledClasses:
    """The classes of a bootstrap sample of items.

    An item that is in a sample twice counts as two items: the second time its unit, or its class, gets
    another name, and its place is behind the first.
    """

    def __init__(self, class_evidence: ClassEvidence, items: Sequence[str], counting: Container[str]) -> None:
        self._class_evidence = class_evidence
        place = {name: number for number, name in enumerate(items) if name in counting}
        self._cases: dict[tuple[str, str], Codes] = {}
        for number, row in enumerate(class_evidence.rows):
            of_group = self._cases.setdefault((row.system, row.annotator), np.full(len(items), -1))
            if row.counts and row.item in place:
                of_group[place[row.item]] = number
        gathered = class_evidence.gathered
        self._order = np.argsort(gathered.cases, kind="stable")
        cases = gathered.cases[self._order]
        self._offsets = np.searchsorted(cases, np.arange(len(class_evidence.rows) + 1))
        self._unit_is_item = self._units_are_items(cases)

    def _units_are_items(self, cases: Codes) -> Flags:
        """Return for each row whether all units of its case have the name of the item."""
        gathered, rows = self._class_evidence.gathered, self._class_evidence.rows
        number = {name: code for code, name in enumerate(gathered.units)}
        own = np.array([number.get(row.item, -1) for row in rows], dtype=np.int64)
        others = np.bincount(cases, gathered.unit_codes[self._order] != own[cases], minlength=len(rows))
        return np.asarray(others[cases] == 0)

    def __len__(self) -> int:
        """Return the number of rows that classes are made of, of all systems and annotators."""
        return len(self._order)

    def cases(self, system: str, annotator: str) -> dict[str, Codes]:
        """Return the case of each item of a system, -1 where there is none, by annotator: one, or all."""
        return {
            who: cases
            for (name, who), cases in self._cases.items()
            if name == system and annotator in (ALL, who)
        }

    def classes(self, cases: Mapping[str, Codes], copies: Codes) -> dict[str, ClassStatistics]:
        """Return the classes against each annotator."""
        measures = self._class_evidence.measures
        return {
            who: self._class_evidence.classes(self._gathered(own, copies), measures)
            for who, own in cases.items()
        }

    def classes_of_many(
        self, cases: Mapping[str, Codes], measures: Sequence[Measure]
    ) -> list[list[ClassStatistics]]:
        """Return the classes of many samples, which have no item twice, against each annotator.

        Cases are of shape (samples, items). As each class is a function of its own rows, those of all samples
        are gathered at once, but for measures over all classes.
        """
        protocols = {measure.protocol for measure in measures}
        if any(m.over_all for m in self._class_evidence.measures if m.protocol in protocols):
            no_copies = np.zeros(next(iter(cases.values())).shape[1], dtype=np.int64)
            samples = zip(*cases.values(), strict=True)
            return [
                list(self.classes(dict(zip(cases, of_sample, strict=True)), no_copies).values())
                for of_sample in samples
            ]
        rows = len(self) // max(len(self._cases), 1)
        together = max(_ROWS_TOGETHER // max(rows, 1), 1)
        by_annotator = [
            [
                part
                for at in range(0, len(own), together)
                for part in self._classes_of_samples(own[at : at + together], measures)
            ]
            for own in cases.values()
        ]
        return [list(parts) for parts in zip(*by_annotator, strict=True)]

    def _classes_of_samples(self, cases: Codes, measures: Sequence[Measure]) -> list[ClassStatistics]:
        """Return the classes of each sample against one annotator."""
        sample_of_case, places = np.nonzero(cases >= 0)
        at, lengths = self._rows_of(cases[sample_of_case, places])
        whole, rows = self._class_evidence.gathered, self._order[at]
        classes = len(whole.classes)
        codes = np.repeat(sample_of_case, lengths) * classes + whole.codes[rows]
        used, codes = np.unique(codes, return_inverse=True)
        gathered = Gathered(
            columns=whole.columns,
            cases=np.repeat(np.arange(len(lengths)), lengths),
            classes=tuple(f"{code // classes:06}\0{whole.classes[code % classes]}" for code in used.tolist()),
            codes=codes.ravel(),
            units=whole.units,
            unit_codes=whole.unit_codes[rows],
            values=whole.values[rows],
        )
        names, statistics = self._class_evidence.classes(gathered, measures)
        # a class of all others is of no sample: measures over it are not asked for here
        numbers = [int(name.partition("\0")[0]) if "\0" in name else -1 for name in names]
        samples = np.array(numbers, dtype=np.int64)
        parts: list[ClassStatistics] = []
        for sample in range(len(cases)):
            own = np.flatnonzero(samples == sample)
            named = tuple(names[place].partition("\0")[2] for place in own.tolist())
            parts.append((named, {measure: statistics[measure][own] for measure in measures}))
        return parts

    def _rows_of(self, cases: Codes) -> tuple[Codes, Codes]:
        """Return the rows of cases, and how many each has."""
        begins, lengths = self._offsets[cases], np.diff(self._offsets)[cases]
        at = np.arange(int(lengths.sum())) + np.repeat(begins - np.cumsum(lengths) + lengths, lengths)
        return at, lengths

    def _gathered(self, cases: Codes, copies: Codes) -> Gathered:
        copies, cases = copies[cases >= 0], cases[cases >= 0]
        at, lengths = self._rows_of(cases)
        whole, rows, again = self._class_evidence.gathered, self._order[at], np.repeat(copies, lengths)
        of_unit = self._unit_is_item[at]
        units, unit_codes = _renamed(whole.units, whole.unit_codes[rows], np.where(of_unit, again, 0))
        classes, codes = _renamed(whole.classes, whole.codes[rows], np.where(of_unit, 0, again))
        return Gathered(
            columns=whole.columns,
            cases=np.repeat(np.arange(len(cases)), lengths),
            classes=classes,
            codes=codes,
            units=units,
            unit_codes=unit_codes,
            values=whole.values[rows],
        )


def scores_of_classes(parts: Iterable[ClassStatistics], measure: Measure, *, several: bool) -> ItemScores:
    """Return the scores of classes, of which there may be several parts, such as annotators."""
    known = list(parts)
    names = [name for part, _ in known for name in part]
    statistics = np.concatenate([of_measure[measure] for _, of_measure in known])
    own = [place for place, row in enumerate(statistics) if has_class(row)]
    return ItemScores(measure, [names[place] for place in own], statistics[own], several=several)


def values_of(samples: Sequence[Iterable[ClassStatistics]], measures: Sequence[Measure]) -> Values:
    """Return the scores of many samples at once, shape (samples, measures)."""
    known = [list(parts) for parts in samples]
    several = max(map(len, known), default=0) > 1
    number: dict[tuple[int, str], int] = {}
    sample_of_row: list[int] = []
    rows: list[int] = []
    for sample, parts in enumerate(known):
        for names, _ in parts:
            if several:
                rows += [number.setdefault((sample, name), len(number)) for name in names]
            sample_of_row += [sample] * len(names)
    place = np.array(sample_of_row, dtype=np.int64)
    classes = np.array(rows, dtype=np.int64) if several else np.arange(len(place))
    sample_of = np.array([sample for sample, _ in number], dtype=np.int64) if several else place
    values = np.empty((len(known), len(measures)))
    for column, measure in enumerate(measures):
        statistics = np.concatenate([of_measure[measure] for parts in known for _, of_measure in parts])
        counted = measure.counted(statistics)
        counted[np.isnan(statistics).all(axis=1)] = np.nan
        values[:, column] = _means(_means(counted, classes, len(sample_of)), sample_of, len(known))
    return values


def _means(values: Values, groups: Codes, count: int) -> Values:
    """Return the mean of the values of each group that are defined."""
    defined = ~np.isnan(values)
    sums = np.bincount(groups[defined], values[defined], count).astype(np.float64)
    return ratio(sums, np.bincount(groups[defined], minlength=count).astype(np.float64))


def _renamed(names: tuple[str, ...], codes: Codes, copies: Codes) -> tuple[tuple[str, ...], Codes]:
    """Give copies names of their own, which come right behind the name that they are copies of."""
    again = copies > 0
    if not again.any():
        return names, codes
    pairs = np.stack((codes[again], copies[again]), axis=1)
    used, number = np.unique(pairs, axis=0, return_inverse=True)
    renamed = codes.copy()
    renamed[again] = len(names) + number.ravel()
    return (*names, *(f"{names[code]}\0{copy:06}" for code, copy in used.tolist())), renamed


ItemsByMeasure = Mapping[Measure, frozenset[str]]
"""The items that scores are computed on, by measure."""
_DRAWN_ROWS, _SWAPPED_ROWS, _FEWEST = 4_000_000, 16_000_000, 200
"""Rows of classes that are gone through at most, for intervals and for tests, but for this many samples. It
takes about five seconds, and twenty: p-values that are adjusted for many pairs need more permutations."""
_OVERHEAD = 1_800
"""Classes of one sample, or of one side of a permutation, take as long as so many more rows."""

_FEW = 12
"""Of so few units the same sample may come again."""
_TOGETHER = 100
"""Samples whose classes are held at once."""


def headline_keys(corpus: ScoredCorpus, measure: Measure, annotator: str | None = None) -> list[ScoreKey]:
    """Return the headline score of each system, against an annotator where the measure has such scores.

    Otherwise it is against the only annotator, or all of them.
    """
    known = corpus.annotators_of(measure)
    who = known[-1] if annotator is None or annotator not in known else annotator
    return [ScoreKey(system, who, measure, measure.aggregate) for system in corpus.systems]


def items_behind(corpus: ScoredCorpus, key: ScoreKey) -> frozenset[str]:
    """Return the items that count in a score; for measures over classes, those that classes are made of."""
    system, annotator, measure, _ = key
    if measure.aggregate != "gathered":
        return frozenset(corpus.of_items(measure, system, annotator).names)
    assert corpus.class_evidence is not None, "measures over classes are gathered"
    return frozenset(
        row.item
        for row in corpus.class_evidence.rows
        if row.counts and row.system == system and annotator in (ALL, row.annotator)
    )


def few_systems(items: Mapping[str, frozenset[str]], alpha: float = 0.05) -> dict[str, int]:
    """Return the systems that share too few items with any other, and how many at most.

    Of n items the smallest p of a permutation test is ``2 / 2**n``: if that is not below alpha, no difference
    can be significant. Systems are named if others have enough items; and if they share no item at all.

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

    Those that share too few with any other (:func:`few_systems`) by some measure are skipped, unless all do.
    """
    known = list({tuple(names.items()): names for names in items}.values())
    systems = tuple(known[0]) if known else ()
    few = {system for names in known for system in few_systems(names)}
    return tuple(system for system in systems if system not in few) or systems


class Sample:
    """Scores on some items, ready to be computed on bootstrap samples of them.

    Attributes
    ----------
    items : tuple of str
        All of them, by name.
    clusters : list of str or None
        Cluster of each item.
    """

    def __init__(
        self,
        corpus: ScoredCorpus,
        keys: Sequence[ScoreKey],
        items_by_measure: ItemsByMeasure,
        clusters: Mapping[str, str] | None = None,
        sharers: int = 1,
    ) -> None:
        self._corpus, self._items_by_measure, self._sharers = corpus, items_by_measure, sharers
        self.keys: tuple[ScoreKey, ...] = tuple(keys)
        self.items: tuple[str, ...] = tuple(
            sorted(frozenset().union(*(items_by_measure[key.measure] for key in keys)))
        )
        self.clusters: list[str] | None = None if clusters is None else _clusters(self.items, clusters)
        self._chosen: dict[tuple[int, frozenset[str]], Codes] = {}

    @cached_property
    def units(self) -> Codes:
        """Number of the unit that each item belongs to."""
        return Resampling(len(self.items), clusters=self.clusters).unit_of

    @cached_property
    def unit_of(self) -> Mapping[str, int]:
        """The same by the name of the item."""
        return dict(zip(self.items, self.units.tolist(), strict=True))

    def items_of(self, measure: Measure) -> frozenset[str]:
        """Return the items that a measure is computed on."""
        return self._items_by_measure[measure]

    def item_scores(self, keys: Sequence[ScoreKey]) -> dict[ScoreKey, ItemScores]:
        """Return the scores of the items, or their classes, that corpus scores are made of."""
        once = np.ones(len(self.items), dtype=np.int64)
        groups = dict.fromkeys((key.system, key.annotator) for key in keys if is_gathered([key]))
        classes = {group: self._classes(once, *group) for group in groups}
        known: dict[tuple[str, str, Measure], ItemScores] = {}  # aggregates are made of the same
        for system, annotator, measure in dict.fromkeys(key[:3] for key in keys):
            if measure.aggregate == "gathered":
                of_group = classes[system, annotator]
                scores = scores_of_classes(of_group, measure, several=annotator == ALL)
            else:
                scores = self._corpus.of_items(measure, system, annotator)
                scores = scores.of_rows(self._rows(scores.row_names, self._items_by_measure[measure]))
            known[system, annotator, measure] = scores
        return {key: known[key[:3]] for key in keys}

    def _rows(self, names: tuple[str, ...], items: frozenset[str]) -> Codes:
        """Return the numbers of the rows of some items; most scores of a system share them."""
        key = id(names), items  # the corpus holds these names as long as it lives
        if key not in self._chosen:
            chosen = [place for place, name in enumerate(names) if name in items]
            self._chosen[key] = np.array(chosen, dtype=np.int64)
        return self._chosen[key]

    def resampler(self, item_scores: Mapping[ScoreKey, ItemScores]) -> ResampledScores:
        """Return scores, none of them gathered, as functions of how often each item is in a sample."""
        # two standard deviations of how often half of the items are in a sample
        spread = math.sqrt(sum(size * size for size in Counter(self.units.tolist()).values()))
        return ResampledScores(item_scores, self.items, spread)

    def evaluate(
        self,
        resampling: Resampling | LeaveOneOut,
        item_scores: Mapping[ScoreKey, ItemScores],
        wanted: Sequence[ScoreKey] | None = None,
    ) -> dict[ScoreKey, Values]:
        """Return the scores of each sample."""
        keys = list(item_scores if wanted is None else wanted)
        if is_gathered(keys):
            return dict(zip(keys, self._values_of_classes(resampling, keys).T, strict=True))
        return _evaluate(self.resampler(item_scores), resampling, keys)

    def resampled(
        self,
        item_scores: Mapping[ScoreKey, ItemScores],
        resamples: int,
        seed: int,
        wanted: Sequence[ScoreKey] | None = None,
        beside: Iterable[Mapping[ScoreKey, ItemScores]] = (),
    ) -> dict[ScoreKey, Values]:
        """Return the scores of bootstrap samples of items, of clusters, or of classes."""
        resampling = partial(Resampling, repetitions=resamples, seed=seed)
        return self._of_units(resampling, item_scores, wanted, beside)

    def without_each(
        self,
        item_scores: Mapping[ScoreKey, ItemScores],
        most: int,
        wanted: Sequence[ScoreKey] | None = None,
        beside: Iterable[Mapping[ScoreKey, ItemScores]] = (),
    ) -> dict[ScoreKey, Values]:
        """Return the scores without each item, cluster or class, or each of so many groups at most."""
        return self._of_units(partial(LeaveOneOut, repetitions=most), item_scores, wanted, beside)

    def _of_units(
        self,
        resampling_of: partial[Resampling] | partial[LeaveOneOut],
        item_scores: Mapping[ScoreKey, ItemScores],
        wanted: Sequence[ScoreKey] | None,
        beside: Iterable[Mapping[ScoreKey, ItemScores]],
    ) -> dict[ScoreKey, Values]:
        """Return the scores of samples of items, or of classes, made for their number and clusters."""
        if not are_resampled_by_class(item_scores):
            return self.evaluate(resampling_of(len(self.items), clusters=self.clusters), item_scores, wanted)
        names, clusters = self._class_units((item_scores, *beside))
        resampler = ResampledScores(item_scores, names, math.sqrt(len(names)))
        return _evaluate(resampler, resampling_of(len(names), clusters=clusters), list(wanted or item_scores))

    def _class_units(
        self, item_scores: Iterable[Mapping[ScoreKey, ItemScores]]
    ) -> tuple[tuple[str, ...], list[str] | None]:
        """Return the classes that are resampled, and their clusters if they are items, as topics are."""
        class_names = (scores.names for by_key in item_scores for scores in by_key.values())
        names = tuple(sorted(frozenset(chain.from_iterable(class_names))))
        if self.clusters is None or not self.unit_of.keys() >= set(names):
            return names, None
        cluster = dict(zip(self.items, self.clusters, strict=True))
        return names, [cluster[name] for name in names]

    def units_behind(self, key: ScoreKey, item_scores: ItemScores, resampled: Values) -> int:
        """Return the number of items, or clusters, that have a value of their own in a score."""
        if is_gathered([key]) and not key.measure.resamples_classes:
            cases = self.classes.cases(key.system, key.annotator).values()
            units = len(np.unique(self.units[np.any([numbers >= 0 for numbers in cases], axis=0)]))
        else:
            defined = ~np.isnan(item_scores.counted)
            units = int(np.count_nonzero(defined))
            if self.clusters is not None and self.unit_of.keys() >= set(item_scores.names):
                units = len({self.unit_of[name] for name in compress(item_scores.names, defined)})
        if units > 1:
            return units
        known = resampled[~np.isnan(resampled)]
        return 2 if len(known) and known.min() < known.max() else units

    # --- measures over classes ---------------------------------------------------------------

    @cached_property
    def classes(self) -> ResampledClasses:
        """What measures over classes are made from."""
        class_evidence = self._corpus.class_evidence
        assert class_evidence is not None, "measures over classes are gathered"
        counting = frozenset().union(
            *(self._items_by_measure.get(measure, ()) for measure in class_evidence.measures)
        )
        return ResampledClasses(class_evidence, self.items, counting)

    def _classes(self, counts: Codes, system: str, annotator: str) -> list[ClassStatistics]:
        """Return the classes of one sample, against each annotator."""
        chosen = np.repeat(np.arange(len(counts)), counts)
        copies = np.arange(len(chosen)) - np.repeat(np.cumsum(counts) - counts, counts)  # before this one
        cases = {who: own[chosen] for who, own in self.classes.cases(system, annotator).items()}
        return list(self.classes.classes(cases, copies).values())

    def _values_of_classes(self, resampling: Resampling | LeaveOneOut, keys: Sequence[ScoreKey]) -> Values:
        """Return scores over classes of each sample, shape (samples, keys)."""
        rows = np.concatenate([resampling.block(start).astype(np.int32) for start in resampling.starts])
        again = np.arange(len(rows))
        if resampling.units <= _FEW:  # then many samples are the same
            rows, again = np.unique(rows, axis=0, return_inverse=True)
        values = np.empty((len(rows), len(keys)))
        for group in dict.fromkeys((key.system, key.annotator) for key in keys):
            own = [place for place, key in enumerate(keys) if (key.system, key.annotator) == group]
            measures = [keys[place].measure for place in own]
            for at in range(0, len(rows), _TOGETHER):
                some = [self._classes(counts, *group) for counts in rows[at : at + _TOGETHER]]
                values[at : at + _TOGETHER, own] = values_of(some, measures)
        return values[again.ravel()]

    def resamples_of(self, keys: Sequence[ScoreKey], wanted: int) -> int:
        """Return the number of bootstrap samples for scores that are all resampled alike."""
        recomputed = is_gathered(keys) and not are_resampled_by_class(keys)
        return self.gathered_resamples(wanted) if recomputed else wanted

    def gathered_resamples(self, wanted: int) -> int:
        """Return the number of bootstrap samples for gathered measures: fewer, where they take long."""
        recomputed = [key for key in self.keys if is_gathered([key]) and not key.measure.resamples_classes]
        groups = {(key.system, key.annotator) for key in recomputed}
        if not groups:
            return wanted
        rows = self._sharers * (len(self.classes) + _OVERHEAD * len(groups))
        affordable = max(_FEWEST, _DRAWN_ROWS // rows)
        units = int(self.units.max(initial=-1)) + 1
        if units <= _FEW and math.comb(2 * units - 1, units) <= affordable:  # all samples that differ
            return wanted
        return min(wanted, affordable)

    def gathered_permutations(self, wanted: int, pairs: int) -> int:
        """Return the number of permutations for measures over classes: fewer, where they take long."""
        systems = len({key.system for key in self.keys})
        rows = 2 * pairs * self._sharers * (len(self.classes) // systems + _OVERHEAD)
        return min(wanted, max(_FEWEST, _SWAPPED_ROWS // rows))


def split_gathered(keys: Sequence[ScoreKey]) -> Iterator[list[ScoreKey]]:
    """Yield the scores that are sums or medians, and those of classes; neither if there are none."""
    for gathered in (False, True):
        chosen = [key for key in keys if is_gathered([key]) == gathered]
        if chosen:
            yield chosen


def split_resampled(keys: Sequence[ScoreKey]) -> Iterator[list[ScoreKey]]:
    """Yield the same, those of classes in two: where classes are resampled, and where items are."""
    for part in split_gathered(keys):
        for by_class in (False, True):
            chosen = [key for key in part if key.measure.resamples_classes == by_class]
            if chosen:
                yield chosen


def are_resampled_by_class(keys: Iterable[ScoreKey]) -> bool:
    """Return whether classes are resampled for intervals of scores: of all of them, or of none."""
    return next(iter(keys)).measure.resamples_classes


def is_gathered(keys: Sequence[ScoreKey]) -> bool:
    """Return whether scores are of classes: all of them, or none."""
    return keys[0].measure.aggregate == "gathered"


def _clusters(items: Sequence[str], clusters: Mapping[str, str]) -> list[str]:
    without = [item for item in items if item not in clusters]
    if without:
        verb = inflected(len(without), "has", "have")
        count = out_of(len(without), len(items), "item")
        message = f"{count} {verb} no cluster, e.g. {quote(without[0])}"
        raise OptionError(message, "an item that belongs to no other is a cluster of its own")
    return [clusters[item] for item in items]


def _evaluate(
    scores: ResampledScores, resampling: Resampling | LeaveOneOut, keys: Sequence[ScoreKey]
) -> dict[ScoreKey, Values]:
    """Return the scores of each sample, block by block."""
    blocks = each_block(lambda start: scores.evaluate(resampling.block(start), keys), resampling.starts)
    return dict(zip(keys, np.concatenate(list(blocks)).T, strict=True))
