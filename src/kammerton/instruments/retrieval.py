# SPDX-License-Identifier: MIT
"""Ranked answers to queries: numerators and denominators of each query's measures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from kammerton.arrays import Codes, Flags
from kammerton.instruments.columns import (
    InstrumentColumns,
    Lists,
    Ranking,
    at_places,
    contains,
    first_hits,
    lists_of,
    numbered,
    places_of,
    precision_at_hits,
    rank,
    sums,
)
from kammerton.instruments.options import Gain, InstrumentOptions, Ties
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.measure import Gathered, Statistics, Values

Parts = tuple[Values, Values]
"""Numerators and denominators, one of each per query."""
_CHANCES = {1: 1 / 3, 2: 2 / 3}
"""Probability that a reader calls a recording relevant only from this grade on."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What was returned for queries, and what there was to be found."""

    listed: Lists  # recordings returned for each query, with what they are ranked by
    relevant: Flags  # whether a recording is what the query asks for
    grades: Codes  # how close it is: 0 not at all
    wanted: Lists  # recordings of the corpus with a grade of 1 or more; the codes are their grades
    total: Codes  # relevant recordings of the corpus
    ties: Ties  # what ties do, where a measure has a closed form
    results: int  # recordings that count at most
    names: Codes  # place of each recording in the order of names

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.listed)

    @cached_property
    def _ranking(self) -> Ranking:
        return rank(self.listed, self.ties, self.grades + 0.5 * self.relevant, self.names)

    @cached_property
    def _strict(self) -> Ranking:
        """The same without ties: where there is no closed form, they keep the order of the list."""
        return self._ranking.in_order()

    @property
    def _ones(self) -> Values:
        return np.ones(len(self))

    def reciprocal_rank(self) -> Parts:
        """One over the place of the first relevant recording; 0 if none was returned."""
        grouped = self.ties == "grouped"
        part = first_hits(self.listed, self._ranking, self.relevant, grouped=grouped, results=self.results)
        return part, self._ones

    def precision_at(self, places: int) -> Parts:
        """Relevant recordings up to a place, over that place however short the list is."""
        return self._expected(self._ranking.places <= places), places * self._ones

    def _expected(self, which: Flags) -> Values:
        """Return the relevant recordings that are to be expected at some places."""
        which = which & (self._ranking.places <= self.results)
        return sums(self.listed, np.where(which, at_places(self._ranking, self.relevant), 0.0))

    def average_precision(self) -> Parts:
        """Precision at each relevant recording, over all relevant ones of the corpus."""
        grouped = self.ties == "grouped"
        part = precision_at_hits(
            self.listed, self._ranking, self.relevant, grouped=grouped, results=self.results
        )
        return part, self.total.astype(np.float64)

    def discounted_gain(self) -> Parts:
        """Grades, discounted by the logarithm of the place; over those of the best order of the corpus."""
        gains = at_places(self._ranking, self.grades.astype(np.float64))
        discounted = np.where(
            self._ranking.places <= self.results, gains / np.log2(self._ranking.places + 1), 0.0
        )
        strengths = self.wanted.codes.astype(np.float64)
        ideal = rank(replace(self.wanted, strengths=strengths), "given")
        best = self.wanted.codes[ideal.order] / np.log2(ideal.places + 1)
        return sums(self.listed, discounted), sums(self.wanted, best)

    # --- graded measures without a closed form for ties --------------------------------------

    def reciprocal_rank_of_satisfaction(self, gain: Gain) -> Parts:
        """Mean of one over the place at which a reader who goes down the list is satisfied (ERR).

        A recording of grade r satisfies with probability r / 2; ``chapelle``: (2**r - 1) / 4.
        """
        chances = (self.grades / 2 if gain == "campaign" else (2.0**self.grades - 1) / 4)[self._strict.order]
        part = np.zeros(len(self))
        for query, (begin, end) in enumerate(pairwise(self.listed.offsets.tolist())):
            chance = chances[begin : min(end, begin + self.results)]
            going_on = np.concatenate(([1.0], np.cumprod(1 - chance)))[:-1]
            part[query] = (chance * going_on / np.arange(1, len(chance) + 1)).sum()
        return part, self._ones

    def expected_precision_at(self, places: int) -> Parts:
        """Precision up to a place, averaged over what readers call relevant (EP)."""
        counting = self._strict.places <= min(places, self.results)
        grades = self.grades[self._strict.order]
        worth = sum(chance * (grades >= grade) for grade, chance in _CHANCES.items())
        return sums(self.listed, np.where(counting, worth, 0.0)), places * self._ones

    def graded_average_precision(self) -> Parts:
        """Precision at each recording, averaged over what readers call relevant (GAP)."""
        part, whole = np.zeros(len(self)), np.zeros(len(self))
        for grade, chance in _CHANCES.items():
            part += chance * precision_at_hits(
                self.listed, self._strict, self.grades >= grade, results=self.results
            )
            whole += chance * sums(self.wanted, self.wanted.codes >= grade)
        return part, whole

    # --- the answer as a set -----------------------------------------------------------------

    def as_set(self) -> Statistics:
        """Return hits, recordings returned, and relevant recordings of the corpus, of each query."""
        hits = self._expected(np.ones(len(self.listed.codes), dtype=bool))
        returned = np.minimum(self.listed.lengths, self.results)
        return np.stack((hits, returned, self.total), axis=1).astype(np.float64)


_COLUMNS = ("relevance", "said", "score", "closed", "query", "vector")


def gather_rows(columns: InstrumentColumns) -> Gathered:
    """Return a row for each file and each label that is annotated, estimated, or judged absent.

    *relevance* is 0 for what is not there, 1 or the grade for what is, NaN where nobody judged it. *said* is
    1 for what the system takes for present, *score* how sure it is, NaN where it has none. *closed* is
    whether unjudged labels of the file are absent, *query* whether the file is a query, *vector* whether its
    estimate has the scores of a whole vocabulary.
    """
    size = len(columns.labels)
    scored_keys = columns.scored.keys(size)
    missed = columns.truth.keep(~contains(scored_keys, columns.truth.keys(size), columns.keys))
    unlisted = columns.absent.keep(~contains(scored_keys, columns.absent.keys(size), columns.keys))
    parts = (columns.scored, missed, unlisted)
    files = np.concatenate([part.owners for part in parts])
    labels = np.concatenate([part.codes for part in parts])
    values = np.zeros((len(files), len(_COLUMNS)))
    keys = files * size + labels
    values[:, 0] = _relevance(columns, keys, files)
    values[:, 1] = contains(columns.predictions.keys(size), keys, columns.keys) & columns.listed[files]
    values[:, 2] = np.nan
    values[: len(columns.scored.codes), 2] = _scores(columns)
    for place, flags in enumerate((columns.closed, columns.queries, columns.vector), 3):
        values[:, place] = flags[files]
    used, codes = numbered(labels, size)
    names = tuple(columns.labels[code] for code in used.tolist())
    queries = columns.queries[files]
    return Gathered(
        columns=_COLUMNS,
        cases=files,
        classes=() if queries.all() else names,
        codes=np.where(queries, -1, codes),
        units=names if queries.any() else (),
        unit_codes=np.where(queries, codes, -1),
        values=values,
    )


def _scores(columns: InstrumentColumns) -> Values:
    """Return what can be compared: scores; or, within the list of a query, its order."""
    scored = columns.scored
    strengths = scored.strengths if len(scored.strengths) else -np.arange(len(scored.codes), dtype=np.float64)
    return np.where((columns.confident | columns.queries)[scored.owners], strengths, np.nan)


def _relevance(columns: InstrumentColumns, keys: Codes, files: Codes) -> Values:
    size = len(columns.labels)
    truth = columns.truth.keys(size)
    order = np.argsort(truth)
    relevance = np.where(columns.closed[files], 0.0, np.nan)
    if not columns.closed.all():
        relevance[contains(columns.absent.keys(size), keys, columns.keys)] = 0.0
    if len(truth):
        place = np.minimum(np.searchsorted(truth, keys, sorter=order), len(truth) - 1)
        is_true = truth[order[place]] == keys
        relevance[is_true] = columns.grades[order[place[is_true]]]
    return relevance


class Queries:
    """What is known of each class: of instruments over recordings, or of topics over documents.

    Attributes
    ----------
    names : tuple of str
        The classes, by name.
    """

    def __init__(self, gathered: Gathered, options: InstrumentOptions) -> None:
        self._options = options
        self.names: tuple[str, ...] = tuple(
            sorted(gathered.classes[code] for code in np.unique(gathered.codes))
        )
        self._number = {name: place for place, name in enumerate(self.names)}
        self._unit_places = places_of(gathered.units)
        numbers = np.array([self._number.get(name, -1) for name in gathered.classes], dtype=np.int64)
        codes = numbers[gathered.codes]
        self._topics = bool(gathered.values[:, _COLUMNS.index("query")].any())
        # a topic has its documents in the order of its list
        position = np.arange(len(codes)) if self._topics else self._unit_places[gathered.unit_codes]
        order = np.lexsort((position, codes))
        # rows of classes, sorted by class, and within it by the name of the unit, or as a query lists them
        self._codes: Codes = codes[order]
        self._units: Codes = gathered.unit_codes[order]
        relevance, listed, scores, closed, _, vector = gathered.values[order].T
        self._relevance: Values = relevance
        self._scores: Values = scores
        self._listed, self._closed, self._vector = listed > 0, closed > 0, vector > 0

    def __len__(self) -> int:
        """Return the number of classes."""
        return len(self.names)

    @property
    def annotated(self) -> Codes:
        """Units that each class is annotated in."""
        return self._count(self._relevance > 0)

    @property
    def rare(self) -> Flags:
        """Instruments that are annotated in too few units; topics are not."""
        return (self.annotated < self._options.min_support) & (not self._topics)

    @property
    def judged(self) -> Codes:
        """Units of which it is known, for each class, whether they have it."""
        return self._count(~np.isnan(self._relevance))

    def _count(self, which: Flags) -> Codes:
        return np.bincount(self._codes[which], minlength=len(self))

    def counts(self) -> Values:
        """Return hits, units it is listed in, and units it is annotated in, of each class; where judged."""
        right, judged = self._relevance > 0, ~np.isnan(self._relevance)
        which = (self._listed & right, self._listed & judged, right)
        return np.stack([self._count(flags) for flags in which], axis=1).astype(np.float64)

    def vectors(self) -> tuple[Lists, Flags]:
        """Return the scores of all judged units for each class, and which of them have it.

        What has no score is at minus infinity.
        """
        rows = ~np.isnan(self._relevance) & (~np.isnan(self._scores) | (self._relevance > 0))
        return self._lists(rows), self._relevance[rows] > 0

    @property
    def only_lists(self) -> bool:
        """Whether there are estimates, and none of them scores a whole vocabulary."""
        return not self._vector.any() and bool((self._listed | ~np.isnan(self._scores)).any())

    def _lists(self, rows: Flags) -> Lists:
        strengths = np.where(np.isnan(self._scores), -np.inf, self._scores)
        return lists_of(self._count(rows), self._units[rows], strengths[rows])

    def answers(self, *, as_set: bool = False) -> Answers:
        """Return the units that were returned for each class."""
        grades, wanted = self._grades
        returned = self._listed if as_set else self._listed | ~np.isnan(self._scores)
        rows = returned & (~np.isnan(self._relevance) | (grades > 1))
        return Answers(
            listed=self._lists(rows),
            relevant=self._relevance[rows] > 0,
            grades=grades[rows],
            wanted=wanted,
            total=self.annotated,
            ties=self._options.ties,
            results=self._options.results,
            names=self._unit_places,
        )

    # --- grades ------------------------------------------------------------------------------

    @cached_property
    def _grades(self) -> tuple[Codes, Lists]:
        """Return the grade of each row, and the grades from 1 on of all units of each class."""
        tree = self._options.tree
        relevance = np.nan_to_num(self._relevance).astype(np.int64)
        grades = relevance if self._topics else 2 * relevance
        if self._topics or tree is None:
            return grades, lists_of(self._count(grades > 0), grades[grades > 0])
        grades = grades.copy()
        wanted: list[Codes] = []
        bounds = np.searchsorted(self._codes, np.arange(len(self) + 1))
        for code, (begin, end) in enumerate(pairwise(bounds.tolist())):
            by_unit = self._grades_of_units(tree, code, bounds)
            grades[begin:end] = by_unit[self._units[begin:end]]
            wanted.append(by_unit[by_unit > 0])
        lengths = np.array(list(map(len, wanted)), dtype=np.int64)
        return grades, lists_of(lengths, np.concatenate([grades[:0], *wanted]))

    def _grades_of_units(self, tree: Taxonomy, code: int, bounds: Codes) -> Codes:
        """Return the grade of each unit for one class: 2 if it has it, 1 if it has a sibling."""
        grades = np.zeros(len(self._unit_places), dtype=np.int64)
        own = slice(*bounds[code : code + 2].tolist())
        is_absent = np.zeros(len(grades), dtype=bool)
        is_absent[self._units[own][self._relevance[own] == 0]] = True
        for grade, names in enumerate(_relatives(tree, self.names[code]), 1):
            for other in (self._number[name] for name in names if name in self._number):
                span = slice(*bounds[other : other + 2].tolist())
                units, right = self._units[span], self._relevance[span] > 0
                if grade == 1:  # nobody knows whether it has more than a sibling where that was not judged
                    right &= self._closed[span] | is_absent[units]
                grades[units[right]] = grade
        return grades


@lru_cache(maxsize=4096)
def _relatives(tree: Taxonomy, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return siblings, and the node itself with all below it."""
    if name not in tree.index:
        return (), (name,)
    below, waiting = {name: None}, [name]
    while waiting:
        children = [child for child in tree.children(waiting.pop()) if child not in below]
        below.update(dict.fromkeys(children))
        waiting += children
    return tuple(other for other in tree.siblings(name) if other not in below), tuple(below)
