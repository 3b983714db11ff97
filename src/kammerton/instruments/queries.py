# SPDX-License-Identifier: MIT
"""From files to queries: what is said of each instrument, gathered from all files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from kammerton.core.intervals import Codes, Flags
from kammerton.instruments.columns import Columns
from kammerton.instruments.lists import Lists, contains, lists_of, numbered
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.retrieval import Answers
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.gathering import Gathered
from kammerton.model.measure import Values

__all__ = ["Queries", "gather_rows"]

_COLUMNS = ("relevance", "said", "score", "closed", "query", "vector")


def gather_rows(columns: Columns) -> Gathered:
    """Return a row for each file and each label that is annotated, estimated, or judged absent.

    *relevance* is 0 for what is not there, 1 or the grade for what is, NaN where nobody judged it. *said*
    tells what the system takes for present, *score* how sure it is, NaN if it does not say. *closed*
    tells whether unjudged labels of the file are absent, *query* that the file is a query, *vector* that
    its estimate has the scores of a whole vocabulary.
    """
    size = len(columns.labels)
    scored_keys = columns.scored.keys(size)
    missed = columns.truth.keep(~contains(scored_keys, columns.truth.keys(size), columns.keys))
    unsaid = columns.absent.keep(~contains(scored_keys, columns.absent.keys(size), columns.keys))
    parts = (columns.scored, missed, unsaid)
    files = np.concatenate([part.owners for part in parts])
    labels = np.concatenate([part.codes for part in parts])
    values = np.zeros((len(files), len(_COLUMNS)))
    keys = files * size + labels
    values[:, 0] = _relevance(columns, keys, files)
    values[:, 1] = contains(columns.said.keys(size), keys, columns.keys) & columns.listed[files]
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


def _scores(columns: Columns) -> Values:
    """Return what can be compared: scores; or, within the list of a query, its order."""
    scored = columns.scored
    strengths = scored.strengths if len(scored.strengths) else -np.arange(len(scored.codes), dtype=np.float64)
    return np.where((columns.confident | columns.queries)[scored.owners], strengths, np.nan)


def _relevance(columns: Columns, keys: Codes, files: Codes) -> Values:
    size = len(columns.labels)
    truth = columns.truth.keys(size)
    order = np.argsort(truth)
    relevance = np.where(columns.closed[files], 0.0, np.nan)
    if not columns.closed.all():
        relevance[contains(columns.absent.keys(size), keys, columns.keys)] = 0.0
    if len(truth):
        place = np.minimum(np.searchsorted(truth, keys, sorter=order), len(truth) - 1)
        found = truth[order[place]] == keys
        relevance[found] = columns.grades[order[place[found]]]
    return relevance


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Rows of classes, sorted by class, and within it by the name of the unit, or as a query lists them."""

    codes: Codes
    units: Codes
    relevance: Values
    said: Flags
    scores: Values
    closed: Flags
    vector: Flags


class Queries:
    """What is known of each class: of instruments over recordings, or of topics over documents.

    Parameters
    ----------
    gathered : Gathered
        Rows of :func:`gather_rows`, of one system.
    options : InstrumentOptions
        Taxonomy, ties, number of results.

    Attributes
    ----------
    names : tuple of str
        The classes, by name.
    """

    def __init__(self, gathered: Gathered, options: InstrumentOptions) -> None:
        self._options = options
        used = [gathered.classes[code] for code in np.unique(gathered.codes).tolist()]
        self.names = tuple(sorted(used))
        self._unit_places = _places(gathered.units)
        relevance, said, scores, closed, query, vector = gathered.values.T
        self._number = {name: place for place, name in enumerate(self.names)}
        numbers = np.array([self._number.get(name, -1) for name in gathered.classes], dtype=np.int64)
        codes = numbers[gathered.codes]
        self._topics = bool(query.any())
        # a topic has its documents in the order of its list
        position = np.arange(len(codes)) if self._topics else self._unit_places[gathered.unit_codes]
        order = np.lexsort((position, codes))
        self._rows = _Rows(
            codes[order],
            gathered.unit_codes[order],
            relevance[order],
            said[order] > 0,
            scores[order],
            closed[order] > 0,
            vector[order] > 0,
        )

    def __len__(self) -> int:
        """Return the number of classes."""
        return len(self.names)

    @property
    def annotated(self) -> Codes:
        """Units that each class is annotated in."""
        return self._count(self._rows.relevance > 0)

    @property
    def rare(self) -> Flags:
        """Instruments that are annotated in too few units; topics are not."""
        return (self.annotated < self._options.min_support) & (not self._topics)

    @property
    def judged(self) -> Codes:
        """Units of which it is known, for each class, whether they have it."""
        return self._count(~np.isnan(self._rows.relevance))

    def _count(self, which: Flags) -> Codes:
        return np.bincount(self._rows.codes[which], minlength=len(self))

    def counts(self) -> Values:
        """Return hits, units it was said of, and units it is annotated in, of each class; where judged."""
        right, judged = self._rows.relevance > 0, ~np.isnan(self._rows.relevance)
        which = (self._rows.said & right, self._rows.said & judged, right)
        return np.stack([self._count(each) for each in which], axis=1).astype(np.float64)

    def vectors(self) -> tuple[Lists, Flags]:
        """Return the scores of all judged units for each class, and which of them have it.

        What has no score is at minus infinity.
        """
        rows = self._rows
        kept = ~np.isnan(rows.relevance) & (~np.isnan(rows.scores) | (rows.relevance > 0))
        return self._lists(kept), rows.relevance[kept] > 0

    @property
    def only_lists(self) -> bool:
        """Whether there are estimates, and none of them scores a whole vocabulary."""
        rows = self._rows
        return not rows.vector.any() and bool((rows.said | ~np.isnan(rows.scores)).any())

    def _lists(self, kept: Flags) -> Lists:
        strengths = np.where(np.isnan(self._rows.scores), -np.inf, self._rows.scores)
        return lists_of(self._count(kept), self._rows.units[kept], strengths[kept])

    def answers(self, *, as_set: bool = False) -> Answers:
        """Return the units that were returned for each class.

        Parameters
        ----------
        as_set : bool
            Only those that the system takes for right, and not all that have a score.
        """
        grades, wanted = self._grades
        rows = self._rows
        returned = rows.said if as_set else rows.said | ~np.isnan(rows.scores)
        kept = returned & (~np.isnan(rows.relevance) | (grades > 1))
        return Answers(
            listed=self._lists(kept),
            relevant=rows.relevance[kept] > 0,
            grades=grades[kept],
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
        rows, tree = self._rows, self._options.tree
        relevance = np.nan_to_num(rows.relevance).astype(np.int64)
        grades = relevance if self._topics else 2 * relevance
        if self._topics or tree is None:
            found = grades > 0
            return grades, lists_of(self._count(found), grades[found])
        grades = grades.copy()
        wanted: list[Codes] = []
        bounds = np.searchsorted(rows.codes, np.arange(len(self) + 1))
        for code, (begin, end) in enumerate(pairwise(bounds.tolist())):
            of_unit = self._of_units(tree, code, bounds)
            grades[begin:end] = of_unit[rows.units[begin:end]]
            wanted.append(of_unit[of_unit > 0])
        lengths = np.array([len(each) for each in wanted], dtype=np.int64)
        return grades, lists_of(lengths, np.concatenate([grades[:0], *wanted]))

    def _of_units(self, tree: Taxonomy, code: int, bounds: Codes) -> Codes:
        """Return the grade of each unit for one class: 2 if it has it, 1 if it has a sibling."""
        rows, of_unit = self._rows, np.zeros(len(self._unit_places), dtype=np.int64)
        mine = slice(*bounds[code : code + 2].tolist())
        not_there = np.zeros(len(of_unit), dtype=bool)
        not_there[rows.units[mine][rows.relevance[mine] == 0]] = True
        for grade, names in enumerate(_relatives(tree, self.names[code]), 1):
            for other in (self._number[name] for name in names if name in self._number):
                own = slice(*bounds[other : other + 2].tolist())
                units, right = rows.units[own], rows.relevance[own] > 0
                if grade == 1:  # nobody knows whether it has more than a sibling where that was not judged
                    right &= rows.closed[own] | not_there[units]
                of_unit[units[right]] = grade
        return of_unit


def _places(names: Sequence[str]) -> Codes:
    """Return the place of each name in the order of names."""
    places = np.empty(len(names), dtype=np.int64)
    places[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return places


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
