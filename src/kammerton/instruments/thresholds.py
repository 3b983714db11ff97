# SPDX-License-Identifier: MIT
"""From scores to lists: which score says that an instrument is there."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic, OptionError, close_match, quote
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.formats.source import read_text
from kammerton.formats.tables import Row, Shape, named_rows
from kammerton.formats.times import parse_time
from kammerton.model.annotations import Place

__all__ = ["Operator", "Threshold", "canonical", "read_threshold"]

Operator = Literal[">=", ">"]

OTHERS = "*"
"""Row of a file that stands for all instruments without a row of their own."""

_TEXT = re.compile(r"(?P<operator>>=?)?[ \t]*(?P<value>\S+)")
_SHAPE = Shape("KT665", (("instrument", "label"), ("threshold",)), numbers=(1,))


@dataclass(frozen=True, slots=True)
class Threshold:
    """The least score of a label that is taken for present.

    Parameters
    ----------
    operator : {">=", ">"}
        Whether a score that equals the value passes.
    value : float
        Of all labels that have no value of their own; NaN if those have none.
    by_label : mapping of str to float
        Values of single labels.

    Examples
    --------
    >>> Threshold(">", 0.5).passes(["piano", "violin"], [0.5, 0.75]).tolist()
    [False, True]
    """

    operator: Operator
    value: float
    by_label: Mapping[str, float] = field(default_factory=dict)

    def passes(
        self, labels: Sequence[str], scores: NDArray[np.float64] | Sequence[float]
    ) -> NDArray[np.bool_]:
        """Tell which labels a list keeps.

        Parameters
        ----------
        labels : sequence of str, length n
        scores : array-like of float, shape (n,)
            NaN does not pass.

        Returns
        -------
        ndarray of bool, shape (n,)

        Raises
        ------
        OptionError
            If a label has no threshold.
        """
        given = np.asarray(scores, dtype=np.float64)
        least = self.values(labels)
        return given >= least if self.operator == ">=" else given > least

    def values(self, labels: Sequence[str]) -> NDArray[np.float64]:
        """Return the threshold of each label; ``OptionError`` if one has none."""
        if not self.by_label:
            return np.full(len(labels), self.value)
        found = [self.by_label.get(label, self.value) for label in labels]
        lacking = next((label for label, each in zip(labels, found, strict=True) if math.isnan(each)), None)
        if lacking is not None:
            near = close_match(lacking, self.by_label)
            hint = f"add a row for it, or `{OTHERS}` for all others"
            hint = hint if near is None else f"is it {quote(near)}? {hint}"
            raise OptionError(f"no threshold for {quote(lacking)}", hint)
        return np.array(found, dtype=np.float64)

    def __str__(self) -> str:
        """Return e.g. ``>=0.5``, as options and signatures have it."""
        return f"{self.operator}{self.value:g}"


def canonical(text: str) -> str:
    """Return a threshold as signatures have it; what is no number is returned as it is.

    >>> canonical("0.50"), canonical("> .5"), canonical("each.csv")
    ('>=0.5', '>0.5', 'each.csv')
    """
    found = _number(text)
    return text if found is None else f"{found[0]}{found[1]!r}"


def _number(text: str) -> tuple[Operator, float] | None:
    found = _TEXT.fullmatch(text.strip())
    value = None if found is None else parse_time(found["value"], ".")
    if found is None or value is None or not math.isfinite(value):
        return None
    return ">" if found["operator"] == ">" else ">=", value


def read_threshold(text: str, *, encoding: str = "utf-8", limits: Limits | None = None) -> Threshold:
    """Return the threshold that a text names.

    Parameters
    ----------
    text : str
        A number, perhaps after ``>`` or ``>=`` (which is meant without either); or the path of a CSV
        file with the columns ``instrument,threshold``, in which ``*`` stands for all other instruments.
        Scores of a file pass if they reach the threshold.
    encoding : str
        Encoding of a file that has no byte order mark.
    limits : Limits, optional
        Budgets of the file.

    Returns
    -------
    Threshold

    Raises
    ------
    OptionError
        If the text is neither.
    DataError
        If the file cannot be used.

    Examples
    --------
    >>> read_threshold(">0.5")
    Threshold(operator='>', value=0.5, by_label={})
    """
    found = _number(text)
    if found is not None:
        return Threshold(*found)
    # a path may be too long, or hold what no path has
    if text.lower().endswith((".csv", ".tsv")) or os.path.isfile(text):  # noqa: PTH113
        return _read_file(text, encoding, limits or Limits())
    raise OptionError(
        f"no threshold: {quote(text)}", "write a number, `>` and a number, or the path of a CSV file"
    )


def _read_file(path: str, encoding: str, limits: Limits) -> Threshold:
    problems = Problems(path)
    found: dict[str, float] = {}
    for row in named_rows(
        read_text(path, name=path, encoding=encoding, limits=limits), _SHAPE, problems, limits
    ):
        _take(found, row, problems)
    if not found and not problems.has_errors:
        _say(problems, Place(path), "no thresholds", f"a header `{_SHAPE.header}`, and a row for each")
    if problems.has_errors:
        raise DataError(problems.diagnostics())
    return Threshold(">=", found.pop(OTHERS, math.nan), found)


def _take(found: dict[str, float], row: Row, problems: Problems) -> None:
    """Take up one row, or report it."""
    label, written = row.cells
    value = parse_time(written, ".")
    if value is None or not math.isfinite(value):
        _say(problems, row.place(1), f"not a number: {quote(written)}", "a threshold looks like 0.5")
    elif label in found:
        _say(problems, row.place(0), f"instrument stands twice: {quote(label)}")
    elif not label:
        _say(problems, row.place(0), "row has no instrument", f"`{OTHERS}` stands for all others")
    else:
        found[label] = value


def _say(problems: Problems, place: Place, message: str, hint: str | None = None) -> None:
    problems.add(place.diagnose(Diagnostic(code="KT665", severity="error", message=message, hint=hint)))
