# SPDX-License-Identifier: MIT
"""A scored corpus: the statistics of each item by each measure, from which scores of any items are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain, count
from operator import attrgetter, itemgetter

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, ratio
from kammerton.model.corpus import ALL
from kammerton.model.evidence import (
    ClassEvidence,
    Evidence,
    RowKind,
    Rows,
    has_class,
    kind_of,
    statistics_by_class,
)
from kammerton.model.measure import Aggregate, CorpusScore, Measure, Statistics, Values, average
from kammerton.model.task import Task


class ItemScores:
    """Items of one system, with all that a corpus score of a measure is made of.

    Attributes
    ----------
    names : tuple of str
        The items, in the order of their first rows.
    row_names : tuple of str
        Item of each row.
    """

    def __init__(
        self, measure: Measure, names: Sequence[str], statistics: Statistics, *, several: bool = False
    ) -> None:
        self._measure = measure
        self._rows = statistics
        self._item: NDArray[np.int64] | None = None
        self.row_names: tuple[str, ...] = tuple(names)
        self.names: tuple[str, ...] = self.row_names
        if several:
            self._item, self.names = _numbered(self.row_names)

    def of_rows(self, numbers: NDArray[np.int64]) -> ItemScores:
        """Return the scores of some rows by number, each once and in their order."""
        if len(numbers) == len(self.row_names):
            return self
        names = tuple(map(self.row_names.__getitem__, numbers.tolist()))
        return ItemScores(self._measure, names, self._rows[numbers], several=self._item is not None)

    @cached_property
    def statistics(self) -> Statistics:
        """Statistics of each item, shape (items, statistics)."""
        if self._item is None:
            return self._rows
        summed = np.zeros((len(self.names), self._rows.shape[1]))
        np.add.at(summed, self._item, self._rows)
        return summed

    @cached_property
    def values(self) -> Values:
        """Value of each item, NaN where undefined."""
        return self._of_rows if self._item is None else self._averaged(self._of_rows)

    @cached_property
    def counted(self) -> Values:
        """What each item counts in a mean, NaN where it does not take part."""
        return self._averaged(self._measure.counted(self._rows))

    @cached_property
    def weights(self) -> Values:
        """What the value of each item was measured on."""
        weights = self._measure.formula.weight(self._rows)
        if self._item is None:
            return weights
        return np.nan_to_num(self._averaged(weights, where=self._of_rows))

    @cached_property
    def _of_rows(self) -> Values:
        return self._measure.formula.finalise(self._rows)

    def _averaged(self, values: Values, where: Values | None = None) -> Values:
        """Return the mean of each item over its rows that are defined ``where`` says so, or themselves."""
        if self._item is None:
            return values
        defined = ~np.isnan(values if where is None else where)
        item, items = self._item[defined], len(self.names)
        count = np.bincount(item, minlength=items).astype(float)
        return ratio(np.bincount(item, values[defined], items).astype(float), count)

    def corpus_score(self, how: Aggregate) -> CorpusScore:
        """Return the corpus score of these items."""
        if how == "pooled":
            if self._item is not None:
                return self._measure.corpus_score(self.statistics, how)
            return self._measure.pooled(self.statistics, self.values, self.weights)
        return average(self.values, self.counted, self.weights, how)


@lru_cache(maxsize=8)
def _numbered(names: tuple[str, ...]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the number of each item, and their names: scores of all measures are of the same rows."""
    numbers: dict[str, int] = {}
    codes = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)
    return codes, tuple(numbers)


class ScoredCorpus:
    """Rows of items and classes, and the statistics of each measure in these rows.

    Attributes
    ----------
    class_evidence : ClassEvidence or None
        What measures over classes are made from.
    """

    def __init__(self, task: Task, evidence: Evidence, options: object) -> None:
        self._evidence = evidence
        self.class_evidence: ClassEvidence | None = None
        if evidence.gathered is not None:
            self.class_evidence = ClassEvidence.of(task, evidence, options)
        self._groups = list(chain.from_iterable(map(attrgetter("groups"), evidence.rows.values())))
        self._rows: dict[RowKind, Rows] = dict(evidence.rows.items())
        self._statistics: Mapping[Measure, Statistics] = evidence.statistics
        if self.class_evidence is not None:
            self._rows["gathered"], of_classes = statistics_by_class(self.class_evidence)
            self._statistics = {**evidence.statistics, **of_classes}
        self._order = dict(zip(self._rows, map(self._sorted, self._rows.values()), strict=True))
        self._chosen: dict[tuple[RowKind, str, str], tuple[Codes, tuple[str, ...]]] = {}

    def _sorted(self, rows: Rows) -> Codes:
        """Return the numbers of the rows by system, annotator and item: shards do not show."""
        systems, annotators = (dict(zip(names, count())) for names in (self.systems, self.annotators))
        places = [(systems[system], annotators.get(annotator, 0)) for system, annotator in rows.groups]
        keys = list(zip(map(places.__getitem__, rows.group_codes.tolist()), rows.items, strict=True))
        return np.array(sorted(range(len(rows)), key=keys.__getitem__), dtype=np.int64)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was measured, in the order of output."""
        return self._evidence.measures

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order given."""
        return tuple(dict.fromkeys(map(itemgetter(0), self._groups)))

    @cached_property
    def annotators(self) -> tuple[str, ...]:
        """Names of the annotators, and ``"all"`` behind them if there are several."""
        names = dict.fromkeys(map(itemgetter(1), self._groups))
        names.pop(ALL, None)
        return tuple(names) if len(names) == 1 else (*names, ALL)

    def annotators_of(self, measure: Measure) -> tuple[str, ...]:
        """Names of the annotators that a measure has scores for."""
        return self.annotators if measure.needs == "pair" else (ALL,)

    @property
    def has_references(self) -> bool:
        """Whether estimates were compared with references; else only what needs none has values."""
        return self._evidence.has_references

    def is_evaluated(self, measure: Measure) -> bool:
        """Return whether there is what a measure compares with."""
        return measure.needs == "estimate" or self.has_references

    def corpus_score(self, measure: Measure, system: str, annotator: str, how: Aggregate) -> CorpusScore:
        """Return a corpus score with what it was measured on.

        Parameters
        ----------
        measure : Measure
            One of :attr:`measures`.
        system, annotator : str
            One of :attr:`systems`, and of :meth:`annotators_of` the measure.
        how : aggregate
            One of the measure's aggregates.
        """
        return self.of_items(measure, system, annotator).corpus_score(how)

    def of_items(self, measure: Measure, system: str, annotator: str) -> ItemScores:
        """Return the scores of each item, or class, that the corpus scores of a measure are made of.

        Parameters
        ----------
        measure : Measure
            One of :attr:`measures`.
        system, annotator : str
            One of :attr:`systems`, and of :meth:`annotators_of` the measure.
        """
        rows, statistics = self._rows[kind_of(measure)], self._statistics[measure]
        chosen, names = self._counting(kind_of(measure), system, annotator)
        if measure.aggregate == "gathered":
            chosen = np.array([index for index in chosen.tolist() if has_class(statistics[index])], dtype=int)
            names = rows.items_at(chosen)
        # rows of all annotators but one name the annotator who was left out: an item then has several rows
        of_sets = len(chosen) > 0 and rows.groups[rows.group_codes[chosen[0]]][1] != ALL
        several = annotator == ALL and (measure.needs == "pair" or of_sets)
        return ItemScores(measure, names, statistics[chosen], several=several)

    def why_undefined(self, measure: Measure, system: str, annotator: str) -> str:
        """Return why a corpus score has no value: the reason of its items, if all have the same.

        Parameters
        ----------
        measure : Measure
            One of :attr:`measures`.
        system, annotator : str
            One of :attr:`systems`, and of :meth:`annotators_of` the measure.
        """
        rows = self._rows[kind_of(measure)]
        chosen, _ = self._counting(kind_of(measure), system, annotator)
        states = [rows.states[code] for code in np.unique(rows.state_codes[chosen]).tolist()]
        reasons = {measure.why_undefined(s.reason) if s.status == "ok" else s.reason for s in states}
        return reasons.pop() if len(reasons) == 1 else measure.why_undefined("")

    def _counting(self, kind: RowKind, system: str, annotator: str) -> tuple[Codes, tuple[str, ...]]:
        """Return the numbers and items of the rows that count; most measures share them."""
        key = (kind, system, annotator)
        if key not in self._chosen:
            rows, order = self._rows[kind], self._order[kind]
            wanted = rows.counting & rows.of_system(system, annotator)
            chosen = order[wanted[order]]
            self._chosen[key] = chosen, rows.items_at(chosen)
        return self._chosen[key]
