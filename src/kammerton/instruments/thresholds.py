# SPDX-License-Identifier: MIT
"""From scores to lists: which score says that an instrument is there."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic, OptionError, close_match, quote
from kammerton.formats.csv_header import cells_of, field_at
from kammerton.formats.reading import Problems
from kammerton.formats.source import read_text
from kammerton.formats.times import parse_time
from kammerton.model.annotations import Place

__all__ = ["Operator", "Threshold", "read_threshold"]

Operator = Literal[">=", ">"]

OTHERS = "*"
"""Row of a file that stands for all instruments without a row of their own."""

_TEXT = re.compile(r"(?P<operator>>=?)?[ \t]*(?P<value>\S+)")
_HEADER = ("instrument", "threshold")


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


def read_threshold(text: str) -> Threshold:
    """Return the threshold that a text names.

    Parameters
    ----------
    text : str
        A number, perhaps after ``>`` or ``>=`` (which is meant without either); or the path of a CSV
        file with the columns ``instrument,threshold``, in which ``*`` stands for all other instruments.
        Scores of a file pass if they reach the threshold.

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
    found = _TEXT.fullmatch(text.strip())
    value = None if found is None else parse_time(found["value"], ".")
    if found is not None and value is not None and math.isfinite(value):
        return Threshold(">" if found["operator"] == ">" else ">=", value)
    if Path(text).suffix.lower() in (".csv", ".tsv") or Path(text).is_file():
        return _read_file(text)
    raise OptionError(
        f"no threshold: {quote(text)}", "write a number, `>` and a number, or the path of a CSV file"
    )


def _read_file(path: str) -> Threshold:
    problems = Problems(path)
    found: dict[str, float] = {}
    lines = [
        (number, line)
        for number, line in enumerate(read_text(path, name=path).split("\n"), 1)
        if line.strip() and not line.startswith("#")
    ]
    separator = max((",", ";", "\t"), key=lines[0][1].count) if lines else ","
    if not lines or [name.casefold() for name in _cells(lines[0][1], separator)] != [*_HEADER]:
        number, line = lines[0] if lines else (1, "")
        _say(
            problems, Place(path, number, 1, max(1, len(line)), line), "header must be `instrument,threshold`"
        )
    for number, line in lines[1:] if not problems.has_errors else ():
        _take(found, number, line, separator, problems)
    if not found and not problems.has_errors:
        _say(problems, Place(path), "no thresholds")
    if problems.has_errors:
        raise DataError(problems.diagnostics())
    return Threshold(">=", found.pop(OTHERS, math.nan), found)


def _cells(line: str, separator: str) -> list[str]:
    return [cell.strip() for cell in cells_of(line, separator) or [line]]


def _take(found: dict[str, float], number: int, line: str, separator: str, problems: Problems) -> None:
    """Take up one row, or report it."""
    cells = _cells(line, separator)
    if len(cells) != len(_HEADER):
        _say(
            problems,
            Place(problems.file, number, 1, len(line), line),
            "row must be an instrument and a number",
        )
        return
    label, written = cells
    value = parse_time(written, ".")
    columns = [field_at(line, separator, index)[0] for index in range(len(_HEADER))]
    if value is None or not math.isfinite(value):
        place = Place(problems.file, number, columns[1], max(1, len(written)), line)
        _say(problems, place, f"not a number: {quote(written)}", "a threshold looks like 0.5")
    elif label in found or not label:
        what = f"instrument stands twice: {quote(label)}" if label else "row has no instrument"
        _say(problems, Place(problems.file, number, columns[0], max(1, len(label)), line), what)
    else:
        found[label] = value


def _say(problems: Problems, place: Place, message: str, hint: str | None = None) -> None:
    problems.add(place.diagnose(Diagnostic(code="KT665", severity="error", message=message, hint=hint)))
