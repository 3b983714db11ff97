# SPDX-License-Identifier: MIT
"""Lists of instruments that come from Python instead of a file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, quote
from kammerton.formats.reading import Problems
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.finishing import LabelList, ReadingRules, finish, judge
from kammerton.instruments.formats.source import ONE, Source, as_reading
from kammerton.instruments.lookup import PROGRAMS, look_up
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Place
from kammerton.model.task import Reading

__all__ = ["adopt"]

_ATTRIBUTES = ("instruments", "instrument", "labels", "tags")
"""What objects call their labels: the first are those of mirdata."""

_UNGRADED: NDArray[np.int64] = np.empty(0, dtype=np.int64)

_HINT = "a list or set of labels, pairs of label and score, or a mapping of labels to scores"


def adopt(value: object, name: str, options: InstrumentOptions | None = None) -> Reading[InstrumentList]:
    """Take a list of instruments of the caller's.

    Examples
    --------
    >>> ((_, found),) = adopt({"piano": 0.25, "violin": 0.75}, "song").annotations
    >>> found.labels, found.scores.tolist(), found.vector
    (('piano', 'violin'), [0.25, 0.75], True)
    """
    adoption = _Adoption(name, options or InstrumentOptions())
    if isinstance(value, InstrumentList):
        return adoption.of_list(value)
    if isinstance(value, Mapping):
        return adoption.of_scores(value)
    if _is_listed(value):
        return adoption.of_labels(value)
    for attribute in _ATTRIBUTES:
        found = getattr(value, attribute, None)
        if isinstance(found, Mapping):
            return adoption.of_relevance(found)
        if isinstance(found, str):
            found = [found]
        if _is_listed(found):
            return adoption.of_labels(found)
    return adoption.refuse(f"not a list of instruments: {type(value).__name__}", _HINT)


def _is_listed(value: object) -> bool:
    return isinstance(value, np.ndarray | AbstractSet) or (
        isinstance(value, Sequence) and not isinstance(value, str | bytes)
    )


class _Adoption:
    """Takes one object over."""

    def __init__(self, name: str, options: InstrumentOptions) -> None:
        self._problems = Problems(name)
        self._options = options

    def refuse(
        self, message: str, hint: str | None = None, row: int | None = None
    ) -> Reading[InstrumentList]:
        """Report what is wrong with the object, or one of its labels."""
        problem = Diagnostic(code="KT620", severity="error", message=message, hint=hint)
        self._problems.add(self._place(row).diagnose(problem))
        return Reading((), self._problems.diagnostics())

    def _place(self, row: int | None) -> Place:
        return Place(self._problems.file, row=row)

    def of_list(self, value: InstrumentList) -> Reading[InstrumentList]:
        """Take a list that was made already, perhaps by hand, or read under other options."""
        fault = _fault_of(value)
        if fault is not None:
            return self.refuse(fault)
        written = () if value.query else (*value.labels, *value.absent)
        meanings = look_up(written, self._options)
        if all(each.stays and each.label == label for label, each in zip(written, meanings, strict=True)):
            return Reading(((None, value),))
        listed = self._looked_up(value.labels, value.scores if len(value.scores) else None, value)
        absent = self._looked_up(value.absent, None, value).labels
        found = replace(
            value,
            labels=listed.labels,
            scores=listed.scores,
            absent=tuple(label for label in absent if label not in listed.labels),
            grades=_UNGRADED,
        )
        return Reading(() if self._problems.has_errors else ((None, found),), self._problems.diagnostics())

    def _looked_up(
        self, labels: Sequence[str], scores: NDArray[np.float64] | None, value: InstrumentList
    ) -> InstrumentList:
        entries = LabelList.of(labels, np.zeros(len(labels), dtype=np.int64), self._place, scores=scores)
        manner = ReadingRules(ordered=value.ranked, vector=value.vector)
        return finish(entries, 1, self._problems, self._options, manner).found[0]

    def of_labels(self, value: Any) -> Reading[InstrumentList]:
        """Take labels, or pairs of label and score."""
        if isinstance(value, np.ndarray) and value.ndim > 1:
            return self.refuse(f"labels must be an array of one dimension, not of shape {value.shape}", _HINT)
        labels = value.tolist() if isinstance(value, np.ndarray) else list(value)
        if labels and all(isinstance(each, tuple | list) and len(each) == 2 for each in labels):
            return self._of_pairs(labels)
        if isinstance(value, AbstractSet):
            labels.sort(key=str)  # the order of a set is not the same each time
        return self._finish(labels, None, ReadingRules(ordered=not isinstance(value, AbstractSet)))

    def _of_pairs(self, pairs: Sequence[Sequence[object]]) -> Reading[InstrumentList]:
        scores = self._numbers([score for _, score in pairs])
        return self._finish([label for label, _ in pairs], scores, ReadingRules())

    def of_scores(self, value: Mapping[Any, Any]) -> Reading[InstrumentList]:
        """Take a mapping of labels to scores; of labels to 1 and 0, if these are all there are."""
        scores = self._numbers(value.values())
        if scores is not None and np.isin(scores, (0.0, 1.0)).all():
            return self._finish([label for label, is_there in zip(value, scores, strict=True) if is_there])
        labels = list(value)
        if scores is not None and np.isnan(scores).any():
            self._note_unscored(np.flatnonzero(np.isnan(scores)).tolist(), labels)
            kept = np.flatnonzero(~np.isnan(scores))
            labels, scores = [labels[row] for row in kept.tolist()], scores[kept]
        return self._finish(labels, scores, ReadingRules(vector=True))

    def of_relevance(self, value: Mapping[Any, Any]) -> Reading[InstrumentList]:
        """Take a mapping of labels that were judged to their relevance."""
        scores = self._numbers(value.values())
        closed = np.array([self._options.assume_absent])
        return self._finish(list(value), scores, ReadingRules(closed=closed), judged=True)

    def _note_unscored(self, rows: list[int], labels: Sequence[object]) -> None:
        message = f"label without a score left out: {quote(str(labels[rows[0]]))}"
        problem = Diagnostic(code="KT612", severity="note", message=message, count=len(rows))
        self._problems.add(self._place(rows[0]).diagnose(problem))

    def _numbers(self, values: Iterable[object]) -> NDArray[np.float64] | None:
        """Return scores, NaN for None; report those that are no numbers."""
        found = []
        for row, value in enumerate(values):
            number = _number(value)
            if number is None:
                message = f"score is no finite number: {quote(str(value))}"
                problem = Diagnostic(code="KT609", severity="error", message=message)
                self._problems.add(self._place(row).diagnose(problem))
                number = math.nan
            found.append(number)
        return None if self._problems.has_errors else np.array(found, dtype=np.float64)

    def _finish(
        self,
        labels: Sequence[object],
        scores: NDArray[np.float64] | None = None,
        manner: ReadingRules | None = None,
        *,
        judged: bool = False,
    ) -> Reading[InstrumentList]:
        for row, label in enumerate(labels):
            if not isinstance(label, str) and not self._is_program(label):
                self.refuse(f"label must be a string, not {type(label).__name__}", _HINT, row)
        if self._problems.has_errors:
            return Reading((), self._problems.diagnostics())
        texts = [str.__str__(label) if isinstance(label, str) else str(label) for label in labels]
        entries = LabelList.of(texts, np.zeros(len(texts), dtype=np.int64), self._place)
        if judged and scores is not None:
            entries.present = judge(entries, scores, self._options)
        else:
            entries.scores = scores
        found = finish(entries, 1, self._problems, self._options, manner or ReadingRules())
        return as_reading(Source(ONE, found), self._problems)

    def _is_program(self, label: object) -> bool:
        """Tell whether a label is a number of a taxonomy whose instruments have numbers."""
        tree = self._options.tree
        is_number = isinstance(label, int | np.integer) and not isinstance(label, bool)
        return is_number and tree is not None and tree.name == PROGRAMS


def _fault_of(value: InstrumentList) -> str | None:
    """Return what is wrong with a list that somebody made by hand."""
    labels = (*value.labels, *value.absent)
    for label in labels:
        if not isinstance(label, str):
            return f"label must be a string, not {type(label).__name__}"
    if len(set(labels)) < len(labels):
        again = next(label for place, label in enumerate(labels) if label in labels[:place])
        return f"label stands twice in a list: {quote(again)}"
    for what, numbers in (("scores", value.scores), ("grades", value.grades)):
        given = np.asarray(numbers)
        if given.shape not in ((0,), (len(value.labels),)):
            return f"{what} of a list have shape {given.shape}, and it has {len(value.labels):,} labels"
        if not np.isfinite(given).all():
            return f"{what} of a list must be finite"
    return None


def _number(value: object) -> float | None:
    """Return a number, NaN for what stands for none, or None for what is no finite number."""
    if value is None:
        return math.nan
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return None if math.isinf(number) else number
