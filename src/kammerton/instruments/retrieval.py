# SPDX-License-Identifier: MIT
"""Ranked answers to queries: numerators and denominators of each query's measures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from kammerton.core.intervals import Codes, Flags
from kammerton.instruments.lists import Lists, Ranking, rank, sums
from kammerton.instruments.options import Ties
from kammerton.instruments.ranking import at_places, first_hits, precision_at_hits
from kammerton.model.measure import Values

__all__ = ["Answers", "Parts"]

Parts = tuple[Values, Values]
"""Numerators and denominators, one of each per query."""

_CHANCES = {1: 1 / 3, 2: 2 / 3}
"""Probability that a reader calls a recording relevant only from this grade on."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What was returned for queries, and what there was to be found.

    Parameters
    ----------
    listed : Lists
        Recordings returned for each query, with what they are ranked by.
    relevant : ndarray of bool, shape (returned,)
        Whether a recording is what the query asks for.
    grades : ndarray of int64, shape (returned,)
        How close it is: 0 not at all.
    wanted : Lists
        Recordings of the corpus with a grade of 1 or more; the codes are their grades.
    total : ndarray of int64, shape (queries,)
        Relevant recordings of the corpus.
    ties : {"expected", "given", "trec", "grouped", "best", "worst"}
        What ties do, where a measure has a closed form.
    results : int
        Recordings that count at most.
    names : ndarray of int64, shape (recordings,)
        Place of each recording in the order of names.
    """

    listed: Lists
    relevant: Flags
    grades: Codes
    wanted: Lists
    total: Codes
    ties: Ties
    results: int
    names: Codes

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
    def tied(self) -> Flags:
        """Queries in which recordings are equally strong."""
        return self._ranking.tied

    @property
    def _ones(self) -> Values:
        return np.ones(len(self))

    def reciprocal_rank(self) -> Parts:
        """One over the place of the first relevant recording; 0 if none was returned."""
        grouped = self.ties == "grouped"
        found = first_hits(self.listed, self._ranking, self.relevant, grouped=grouped, results=self.results)
        return found, self._ones

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
        ideal = rank(
            Lists(self.wanted.offsets, self.wanted.codes, self.wanted.codes.astype(np.float64)),
            "given",
            self.wanted.codes.astype(np.float64),
        )
        best = self.wanted.codes[ideal.order] / np.log2(ideal.places + 1)
        return sums(self.listed, discounted), sums(self.wanted, best)

    # --- graded measures without a closed form for ties --------------------------------------

    def reciprocal_rank_of_satisfaction(self, gain: Literal["campaign", "chapelle"]) -> Parts:
        """Mean of one over the place at which a reader who goes down the list is satisfied (ERR).

        A recording of grade r satisfies with probability r / 2; ``chapelle``: (2**r - 1) / 4.
        """
        chances = (self.grades / 2 if gain == "campaign" else (2.0**self.grades - 1) / 4)[self._strict.order]
        found = np.zeros(len(self))
        for query, begin, end in self._spans():
            chance = chances[begin:end]
            still = np.concatenate(([1.0], np.cumprod(1 - chance[:-1])))
            found[query] = (chance * still / np.arange(1, end - begin + 1)).sum()
        return found, self._ones

    def _spans(self) -> Iterator[tuple[int, int, int]]:
        """Give the places of each query that count."""
        begins, ends = self.listed.offsets[:-1], self.listed.offsets[1:]
        ends = np.minimum(ends, begins + self.results)
        for query in np.flatnonzero(ends > begins).tolist():
            yield query, int(begins[query]), int(ends[query])

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

    def as_set(self) -> tuple[Values, Values, Values]:
        """Return hits, recordings returned, and relevant recordings of the corpus."""
        everywhere = np.ones(len(self.listed.codes), dtype=bool)
        returned = np.minimum(self.listed.lengths, self.results).astype(np.float64)
        return self._expected(everywhere), returned, self.total.astype(np.float64)
