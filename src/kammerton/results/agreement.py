# SPDX-License-Identifier: MIT
"""Inter-annotator agreement: what :func:`kammerton.agree` returns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kammerton.arrays import Codes
from kammerton.errors import Diagnostic, OptionError, quote
from kammerton.model.corpus import ALL
from kammerton.model.measure import CorpusScore, Measure, Values, average, find
from kammerton.model.task import Ratings
from kammerton.results.scores import Scores, Shown
from kammerton.results.signature import data_hash, signature
from kammerton.results.tables import null, table
from kammerton.statistics.agreement import Agreement, fleiss_kappa, krippendorff_alpha
from kammerton.version import __version__

if TYPE_CHECKING:
    import polars as pl

_SUMMARY = ("protocol", "measure", "reference", "estimate", "aggregate", "value", "items")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class AnnotatorAgreement(Shown):
    """Inter-annotator agreement.

    Made by :func:`kammerton.agree`.

    Examples
    --------
    >>> import kammerton
    >>> song, other = ([(0, 4)], ["C"]), ([(0, 3), (3, 4)], ["C", "G"])
    >>> agreement = kammerton.agree("chords", {"first": {"song": song}, "second": {"song": other}})
    >>> agreement.annotators
    ('first', 'second')
    """

    task: str  # the task
    annotators: tuple[str, ...]  # names
    measures: tuple[Measure, ...]
    scores: Mapping[str, Scores]  # of all other annotators against each
    items: tuple[str, ...]  # items with annotations of two annotators or more
    # whether a name is the same annotator in every item. If not, as where files only number their annotators,
    # there are no scores of single pairs.
    persons: bool
    ratings: Ratings | None  # what alpha and kappa are made of
    rated: str  # what the labels of these ratings are, and what a unit is
    revisions: Mapping[str, int]  # of protocols
    choices: Mapping[str, str]  # options that differ from their defaults; part of every signature
    diagnostics: tuple[Diagnostic, ...]  # everything that was noticed in the data

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Annotators who share an item: the one whose annotation is the reference, and the other."""
        ordered = permutations(self.annotators, 2)
        return tuple(pair for pair in ordered if pair[1] in self.scores[pair[0]].systems)

    def value(
        self,
        measure: str,
        *,
        reference: str | None = None,
        estimate: str | None = None,
        over: Literal["items", "pairs"] = "items",
    ) -> float:
        """Return the mean over ordered pairs and items; or the corpus score of one pair, or their mean."""
        chosen = find(measure, self.measures)
        names = [name for name in (reference, estimate) if name is not None]
        if (len(names) == 2 or over == "pairs") and not self.persons:
            raise OptionError("annotators are numbered file by file: pairs have no scores")
        if len(names) < 2:
            return (self.mean_of_pairs(chosen) if over == "pairs" else self.mean(chosen)).value
        for name in names:
            if name not in self.annotators:
                raise OptionError.unknown("annotator", name, self.annotators)
        if tuple(names) not in self.pairs:
            raise OptionError(f"{quote(names[0])} and {quote(names[1])} share no item")
        return self.corpus_score(chosen, *names).value

    def corpus_score(self, measure: Measure, reference: str, estimate: str) -> CorpusScore:
        """Return the headline score of one annotator against another."""
        scores = self.scores[reference]
        return scores.corpus_score(measure, estimate, scores.annotators_of(measure)[-1], measure.aggregate)

    def _values(self, measure: Measure) -> Iterator[tuple[str, str, str, float]]:
        """Yield reference, estimate, item and value."""
        for reference, estimate in self.pairs:
            scores = self.scores[reference]
            item_scores = scores.of_items(measure, estimate, scores.annotators_of(measure)[-1])
            for item, value in zip(item_scores.names, item_scores.values.tolist(), strict=True):
                yield reference, estimate, item, value

    def mean(self, measure: Measure) -> CorpusScore:
        """Return the mean over ordered pairs and items."""
        return _mean(value for *_, value in self._values(measure))

    def mean_of_pairs(self, measure: Measure) -> CorpusScore:
        """Return the mean of the headline scores of all ordered pairs, however many items a pair has."""
        return _mean(self.corpus_score(measure, *pair).value for pair in self.pairs)

    def means(self, measure: Measure) -> dict[str, CorpusScore]:
        """Return the means by aggregate; that of pairs only where annotators are persons."""
        of_pairs = {"mean_of_pairs": self.mean_of_pairs(measure)} if self.persons else {}
        return {**of_pairs, "mean_of_items": self.mean(measure)}

    @cached_property
    def signatures(self) -> Mapping[Measure, str]:
        """Signature of the scores of each measure: of the items that annotators share."""
        shared = frozenset(self.items)
        used = {
            (name, item): digest
            for name, scores in self.scores.items()
            for (_, item), digest in scores.fingerprints.items()
            if item in shared
        }
        return {
            measure: signature(
                measure,
                revision=self.revisions[measure.protocol],
                missing="skip",
                items=len(self.items),
                data=data_hash(used),
                choices=self.choices,
            )
            for measure in self.measures
        }

    @cached_property
    def alpha(self) -> Agreement:
        """Krippendorff's alpha of nominal labels over all items."""
        return self._beyond_chance(krippendorff_alpha)

    @cached_property
    def kappa(self) -> Agreement:
        """Fleiss' kappa of nominal labels over all items."""
        return self._beyond_chance(fleiss_kappa)

    def _beyond_chance(self, coefficient: Callable[[Codes, Values | None], Agreement]) -> Agreement:
        reason = "the labels of this task are not nominal" if self.ratings is None else self.ratings.reason
        if self.ratings is None or reason:
            return Agreement(math.nan, math.nan, math.nan, 0, 0.0, reason)
        return coefficient(self.ratings.codes, self.ratings.weights)

    @cached_property
    def summary(self) -> pl.DataFrame:
        """Scores of each pair, and behind them of all pairs.

        ``protocol``, ``measure``, ``reference``, ``estimate`` (both ``"all"`` for means), ``aggregate``
        (``"mean_of_pairs"`` is of the scores of the pairs, ``"mean_of_items"`` of the values of all items
        and ordered pairs), ``value`` (null if undefined), ``items``.
        """
        return table(self._rows(), _SUMMARY)

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        for measure in self.measures:
            address = (measure.protocol, measure.name)
            for pair in self.pairs if self.persons else ():
                score = self.corpus_score(measure, *pair)
                yield *address, *pair, measure.aggregate, null(score.value), score.items
            for name, mean in self.means(measure).items():
                yield *address, ALL, ALL, name, null(mean.value), len(self.items)

    @cached_property
    def table(self) -> pl.DataFrame:
        """Value of each item: ``protocol``, ``measure``, ``item``, ``reference``, ``estimate``, ``value``."""
        rows = (
            (measure.protocol, measure.name, item, reference, estimate, null(value))
            for measure in self.measures
            for reference, estimate, item, value in self._values(measure)
        )
        return table(rows, ("protocol", "measure", "item", "reference", "estimate", "value"))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, undefined ones as None."""
        return {
            "kammerton": __version__,
            "task": self.task,
            "annotators": list(self.annotators),
            "items": len(self.items),
            "rated": self.rated,
            "agreement": [dict(zip(_SUMMARY, row, strict=True)) for row in self._rows()],
            "alpha": _plain(self.alpha),
            "kappa": _plain(self.kappa),
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }


def _mean(numbers: Iterable[float]) -> CorpusScore:
    values = np.array(list(numbers))
    return average(values, values, np.ones(len(values)), "mean")


def _plain(agreement: Agreement) -> dict[str, Any]:
    return {"value": null(agreement.value), "units": agreement.units, "reason": agreement.reason or None}
