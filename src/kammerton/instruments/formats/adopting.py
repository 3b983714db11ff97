# SPDX-License-Identifier: MIT
"""Lists of instruments that come from Python instead of a file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

import numpy as np

from kammerton.errors import quote
from kammerton.formats.reading import Problems
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.formats.source import ONE, as_reading
from kammerton.instruments.labels import PROGRAMS, LabelList, ReadingRules, finish, judge, look_up
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Place
from kammerton.model.measure import Values
from kammerton.model.task import Reading

_ATTRIBUTES = ("instruments", "instrument", "labels", "tags")
"""What objects call their labels: the first are those of mirdata."""
_HINT = "a list or set of labels, pairs of label and score, or a mapping of labels to scores"


def adopt(value: object, name: str, options: InstrumentOptions | None = None) -> Reading[InstrumentList]:
    """Take a list of instruments of the caller's.

    Examples
    --------
    >>> ((_, adopted),) = adopt({"piano": 0.25, "violin": 0.75}, "song").annotations
    >>> adopted.labels, adopted.scores.tolist(), adopted.vector
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
        content = getattr(value, attribute, None)
        if isinstance(content, Mapping):
            return adoption.of_relevance(content)
        if isinstance(content, str):
            content = [content]
        if _is_listed(content):
            return adoption.of_labels(content)
    return adoption.refuse(f"not a list of instruments: {type(value).__name__}", _HINT)


def _is_listed(value: object) -> bool:
    return isinstance(value, np.ndarray | AbstractSet) or (
        isinstance(value, Sequence) and not isinstance(value, str | bytes)
    )


class _Adoption:
    """Adopts one object."""

    def __init__(self, name: str, options: InstrumentOptions) -> None:
        self._problems = Problems(name)
        self._options = options

    def refuse(self, message: str, hint: str | None = None) -> Reading[InstrumentList]:
        """Report what is wrong with the object."""
        self._problems.report("KT620", message, hint=hint)
        return Reading((), self._problems.diagnostics())

    def _place(self, row: int) -> Place:
        return Place(self._problems.file, row=row)

    def of_list(self, value: InstrumentList) -> Reading[InstrumentList]:
        """Adopt a list that was made already, perhaps by hand, or read under other options."""
        fault = _fault_of(value)
        if fault is not None:
            return self.refuse(fault)
        written = () if value.query else (*value.labels, *value.absent)
        meanings = look_up(written, self._options)
        if all(each.stays and each.label == label for label, each in zip(written, meanings, strict=True)):
            return Reading(((None, value),))
        present = self._looked_up(value.labels, value)
        absent = self._looked_up(value.absent, replace(value, scores=np.empty(0))).labels
        adopted = replace(
            value,
            labels=present.labels,
            scores=present.scores,
            absent=tuple(label for label in absent if label not in present.labels),
            grades=np.empty(0, dtype=np.int64),
        )
        annotations = () if self._problems.has_errors else ((None, adopted),)
        return Reading(annotations, self._problems.diagnostics())

    def _looked_up(self, labels: Sequence[str], value: InstrumentList) -> InstrumentList:
        scores = value.scores if len(value.scores) else None
        entries = LabelList.of(labels, self._place, scores=scores)
        rules = ReadingRules(ordered=value.ranked, vector=value.vector)
        return finish(entries, ONE, self._problems, self._options, rules).lists[0]

    def of_labels(self, value: Any) -> Reading[InstrumentList]:
        """Adopt labels, or pairs of label and score."""
        if isinstance(value, np.ndarray) and value.ndim > 1:
            return self.refuse(f"labels must be an array of one dimension, not of shape {value.shape}", _HINT)
        labels = value.tolist() if isinstance(value, np.ndarray) else list(value)
        if labels and all(isinstance(each, tuple | list) and len(each) == 2 for each in labels):
            scores = self._numbers([score for _, score in labels])
            return self._finish([label for label, _ in labels], ReadingRules(), scores)
        if isinstance(value, AbstractSet):
            labels.sort(key=str)  # the order of a set is not the same each time
        return self._finish(labels, ReadingRules(ordered=not isinstance(value, AbstractSet)))

    def of_scores(self, value: Mapping[Any, Any]) -> Reading[InstrumentList]:
        """Adopt a mapping of labels to scores; of labels to 1 and 0, if these are all there are."""
        scores, labels = self._numbers(value.values()), list(value)
        if scores is not None and np.isin(scores, (0.0, 1.0)).all():
            present = [label for label, score in zip(labels, scores.tolist(), strict=True) if score]
            return self._finish(present, ReadingRules())
        if scores is not None and np.isnan(scores).any():
            rows, kept = np.flatnonzero(np.isnan(scores)), np.flatnonzero(~np.isnan(scores))
            message = f"label without a score left out: {quote(str(labels[rows[0]]))}"
            place = self._place(int(rows[0]))
            self._problems.report("KT612", message, place, severity="note", count=len(rows))
            labels, scores = [labels[row] for row in kept.tolist()], scores[kept]
        return self._finish(labels, ReadingRules(vector=True), scores)

    def of_relevance(self, value: Mapping[Any, Any]) -> Reading[InstrumentList]:
        """Adopt a mapping of labels that were judged to their relevance."""
        relevance = self._numbers(value.values())
        rules = ReadingRules(closed=np.array([self._options.assume_absent]))
        return self._finish(list(value), rules, relevance, judged=True)

    def _numbers(self, values: Iterable[object]) -> Values | None:
        """Return scores, NaN for None; report those that are no numbers."""
        numbers = []
        for row, value in enumerate(values):
            numbers.append(_number(value))
            if numbers[-1] is None:
                message = f"score is no finite number: {quote(str(value))}"
                self._problems.report("KT609", message, self._place(row))
        return None if self._problems.has_errors else np.array(numbers, dtype=np.float64)

    def _finish(
        self,
        labels: Sequence[object],
        rules: ReadingRules,
        scores: Values | None = None,
        *,
        judged: bool = False,
    ) -> Reading[InstrumentList]:
        for row, label in enumerate(labels):
            if not isinstance(label, str) and not self._is_program(label):
                message = f"label must be a string, not {type(label).__name__}"
                self._problems.report("KT620", message, self._place(row), hint=_HINT)
        if self._problems.has_errors:
            return Reading((), self._problems.diagnostics())
        texts = [str.__str__(label) if isinstance(label, str) else str(label) for label in labels]
        entries = LabelList.of(texts, self._place)
        if judged and scores is not None:
            entries.present = judge(entries, scores, self._options)
        else:
            entries.scores = scores
        parsed = finish(entries, ONE, self._problems, self._options, rules)
        return as_reading(parsed, self._problems)

    def _is_program(self, label: object) -> bool:
        """Return whether a label is a number of a taxonomy whose instruments have numbers."""
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
    for what, column in (("scores", value.scores), ("grades", value.grades)):
        numbers = np.asarray(column)
        if numbers.shape not in ((0,), (len(value.labels),)):
            return f"{what} of a list have shape {numbers.shape}, and it has {len(value.labels):,} labels"
        if not np.isfinite(numbers).all():
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
