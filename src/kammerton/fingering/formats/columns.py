# SPDX-License-Identifier: MIT
"""What the cells of a column mean; each distinct cell is looked at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic
from kammerton.formats.reading import Problems, such_rows
from kammerton.formats.times import diagnose_time, parse_time
from kammerton.model.annotations import Place

__all__ = ["Column", "Locate", "codes_of", "interpret", "plain_times", "say_rows", "texts_of", "times_of"]

_TIME_CHARACTERS = b"0123456789.e-+E"
"""Of these, ``float`` reads what times are and nothing else: no ``1_0``, no ``nan``."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

Locate = Callable[[int], Place]
"""Finds the cell of a row in the file, once a problem asks for it."""

Read = Callable[[K], tuple[V, Diagnostic | None]]
"""Returns what a cell means, and what is wrong with it."""


@dataclass(frozen=True, slots=True, eq=False)
class Column(Generic[K]):
    """The cells of a column.

    Parameters
    ----------
    values : sequence
        The distinct cells.
    codes : ndarray of int64, shape (n,)
        Index of the cell that each row has.
    """

    values: Sequence[K]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, cells: Sequence[K]) -> Column[K]:
        """Find the distinct ones among cells."""
        values = list(dict.fromkeys(cells))
        index = {value: code for code, value in enumerate(values)}
        return cls(values, np.fromiter(map(index.__getitem__, cells), np.int64, len(cells)))


def interpret(column: Column[K], read: Read[K, V], locate: Locate, problems: Problems) -> list[V]:
    """Return what each distinct cell means, and report what is wrong with it.

    Errors are reported at each row, anything less once.
    """
    meanings = [read(value) for value in column.values]
    odd = [code for code, (_, problem) in enumerate(meanings) if problem is not None]
    if odd:
        rows = np.argsort(column.codes, kind="stable")
        bounds = np.searchsorted(column.codes[rows], np.arange(len(meanings) + 1)).tolist()
        firsts = rows[bounds[:-1]].tolist()
        for code in sorted(odd, key=firsts.__getitem__):
            _say_meaning(meanings[code][1], rows[bounds[code] : bounds[code + 1]], locate, problems)
    return [meaning for meaning, _ in meanings]


def _say_meaning(
    problem: Diagnostic | None, rows: NDArray[np.int64], locate: Locate, problems: Problems
) -> None:
    """Report what is wrong with a cell that some rows have."""
    assert problem is not None, "only odd cells are looked at"
    if problem.severity == "error":
        say_rows(problems, problem.code, rows.tolist(), partial(_placed, problem, locate))
    else:
        problems.add_at(_counted(problem, len(rows)), partial(locate, int(rows[0])))


def codes_of(column: Column[K], read: Read[K, int], locate: Locate, problems: Problems) -> NDArray[np.int64]:
    """Return the number that the cell of each row means."""
    return np.array(interpret(column, read, locate, problems), dtype=np.int64)[column.codes]


def texts_of(column: Column[K], read: Read[K, str], locate: Locate, problems: Problems) -> list[str]:
    """Return the text that the cell of each row means."""
    texts: list[str] = np.array(interpret(column, read, locate, problems), dtype=object)[
        column.codes
    ].tolist()
    return texts


def times_of(cells: Sequence[str], locate: Locate, problems: Problems) -> NDArray[np.float64]:
    """Return the seconds that cells mean, NaN where one is no time and was reported."""
    plain = plain_times(cells)
    if plain is not None:
        return plain
    times = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        time = parse_time(cell, ".")
        if time is None:
            problem = diagnose_time(cell, ".")
            hint = "write times with a decimal point" if problem.code == "KT121" else problem.hint
            problems.add(locate(row).diagnose(problem.at(hint=hint)))
        else:
            times[row] = time
    return times


def plain_times(cells: Sequence[str]) -> NDArray[np.float64] | None:
    """Return the seconds that cells mean, or None if one of them is no time."""
    if "".join(cells).encode().translate(None, _TIME_CHARACTERS):
        return None
    try:
        return np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        return None


def say_rows(
    problems: Problems, code: str, rows: Sequence[int], diagnose: Callable[[int], Diagnostic]
) -> None:
    """Add a diagnostic for each row, as far as the list of its code has room."""
    listed = rows[: problems.room(code)]
    for row in listed:
        problems.add(diagnose(row))
    problems.add_unlisted(code, len(rows) - len(listed))


def _counted(problem: Diagnostic, count: int) -> Diagnostic:
    return problem if count == 1 else problem.at(message=problem.message + such_rows(count), count=count)


def _placed(problem: Diagnostic, locate: Locate, row: int) -> Diagnostic:
    return locate(row).diagnose(problem)
