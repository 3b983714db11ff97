# SPDX-License-Identifier: MIT
"""Cells that are numbers: scores, relevance, ranks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, quote
from kammerton.formats.reading import Problems, such_rows
from kammerton.formats.times import number_pattern
from kammerton.model.annotations import Place

__all__ = ["Numbers", "diagnose_number", "is_number", "numbers_of"]

_CHARACTERS = b"0123456789.e-+E"
"""Of these, ``float`` reads what numbers are and nothing else: no ``1_0``, no ``nan``."""

_NUMBER = re.compile(number_pattern("."))
_COMMA = re.compile(number_pattern(","))
_TRUTH = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """What cells mean.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        NaN where there is none.
    wrong : dict of int to str
        Rows whose cell is no number, and the reason.
    """

    values: NDArray[np.float64]
    wrong: dict[int, str] = field(default_factory=dict)


def numbers_of(
    cells: Sequence[str],
    locate: Callable[[int], Place],
    problems: Problems,
    *,
    what: str = "score",
    commas: bool = False,
    required: bool = False,
) -> Numbers:
    """Return cells as numbers.

    Parameters
    ----------
    cells : sequence of str
        Decimal numbers; ``true`` and ``false`` are 1 and 0; empty where there is none, and ``nan``
        counts as that, with a note.
    locate : callable
        ``locate(row)`` finds a cell.
    problems : Problems
        Takes KT609 and KT612.
    what : str
        What messages call the numbers.
    commas : bool
        Whether a comma is the decimal mark.
    required : bool
        Whether each cell must have a number.
    """
    if commas:
        cells = [cell.replace(",", ".") for cell in cells]
    fast = _plain(cells)
    if fast is not None and not (required and np.isnan(fast).any()):
        return Numbers(fast)
    values = np.full(len(cells), np.nan)
    wrong: dict[int, str] = {}
    unknown: list[int] = []
    known: dict[str, float | None] = {}
    for row, written in enumerate(cells):
        if written not in known:
            known[written] = _number(written.strip())
        value = known[written]
        if value is not None and not (required and math.isnan(value)):
            values[row] = value
            if math.isnan(value) and written.strip():
                unknown.append(row)
            continue
        problem = diagnose_number(written.strip(), what)
        problems.add_at(problem, lambda row=row: locate(row))  # type: ignore[misc]
        wrong[row] = f"{problem.code} {problem.message}"
    if unknown:
        message = f"{what} is not a number, and counts as none{such_rows(len(unknown))}"
        note = Diagnostic(code="KT612", severity="note", message=message, count=len(unknown))
        problems.add_at(note, lambda: locate(unknown[0]))
    return Numbers(values, wrong)


def _plain(cells: Sequence[str]) -> NDArray[np.float64] | None:
    """Return cells that are all numbers, or empty; None if one of them is not."""
    if "".join(cells).encode("utf-8", "surrogatepass").translate(None, _CHARACTERS):
        return None
    try:
        values = np.fromiter(
            map(float, cells if all(cells) else [cell or "nan" for cell in cells]), np.float64
        )
    except ValueError:
        return None
    return None if np.isinf(values).any() else values


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number, and not empty.

    >>> [is_number(cell) for cell in ("0.5", "TRUE", "nan", "high", " ")]
    [True, True, False, False, False]
    """
    value = _number(cell.strip())
    return value is not None and not math.isnan(value)


def _number(cell: str) -> float | None:
    """Return what a cell means, NaN if it stands for nothing, None if it is no finite number."""
    if _NUMBER.fullmatch(cell):
        value = float(cell)
        return None if math.isinf(value) else value
    folded = cell.casefold()
    if folded in ("", "nan"):
        return math.nan
    return _TRUTH.get(folded)


def diagnose_number(written: str, what: str = "score") -> Diagnostic:
    """Say that a text is no finite number."""
    hint = f"a {what} looks like {'1' if what == 'rank' else '0.75'}"
    if "," in written and _COMMA.fullmatch(written):
        hint = "write it with a decimal point"
    message = f"{what} is no finite number: {quote(written)}" if written else f"row has no {what}"
    return Diagnostic(code="KT609", severity="error", message=message, hint=hint)
