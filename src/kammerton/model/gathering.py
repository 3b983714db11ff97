# SPDX-License-Identifier: MIT
"""Rows that measures over classes are made from: joined from parts, and taken apart by system."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

__all__ = ["Gathered", "join", "name_items"]


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """What measures over classes are a function of: rows of all cases, each on one class.

    Parameters
    ----------
    columns : tuple of str
        Names of the values.
    cases : ndarray of int64, shape (rows,)
        Case of each row.
    classes : tuple of str
        Names of the classes, such as instruments.
    codes : ndarray of int64, shape (rows,)
        Class of each row; -1 if the item of the case is the class.
    units : tuple of str
        Names of what the classes are said of, such as recordings.
    unit_codes : ndarray of int64, shape (rows,)
        Unit of each row; -1 if it is the item of the case.
    values : ndarray of float64, shape (rows, columns)
    """

    columns: tuple[str, ...]
    cases: NDArray[np.int64]
    classes: tuple[str, ...]
    codes: NDArray[np.int64]
    units: tuple[str, ...]
    unit_codes: NDArray[np.int64]
    values: NDArray[np.float64]

    def of(self, chosen: NDArray[np.bool_]) -> Gathered:
        """Return the rows of some cases; ``chosen`` has one flag per case."""
        mine = chosen[self.cases]
        return replace(
            self,
            cases=self.cases[mine],
            codes=self.codes[mine],
            unit_codes=self.unit_codes[mine],
            values=self.values[mine],
        )


def name_items(part: Gathered, places: NDArray[np.int64], items: Sequence[str]) -> Gathered:
    """Return a part with its cases at their places in the whole, and the names of items put in.

    Parameters
    ----------
    part : Gathered
        Of the cases of a part.
    places : ndarray of int64, shape (cases,)
        Number of each case in the whole.
    items : sequence of str
        Name of the item of each case in the whole.
    """
    cases = places[part.cases]
    classes, codes = _put_in(part.classes, part.codes, cases, items)
    units, unit_codes = _put_in(part.units, part.unit_codes, cases, items)
    return Gathered(part.columns, cases, classes, codes, units, unit_codes, part.values)


def _put_in(
    names: tuple[str, ...], codes: NDArray[np.int64], cases: NDArray[np.int64], items: Sequence[str]
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    own = codes < 0
    if not own.any():
        return names, codes
    used, at = np.unique(cases[own], return_inverse=True)
    filled = codes.copy()
    filled[own] = len(names) + at
    return _merged((*names, *(items[case] for case in used.tolist())), filled)


def join(parts: Iterable[Gathered]) -> Gathered:
    """Return the rows of all parts, whose cases are numbered alike.

    Parameters
    ----------
    parts : iterable of Gathered
        At least one, all with the same columns.
    """
    known = list(parts)
    classes, codes = _joined([(part.classes, part.codes) for part in known])
    units, unit_codes = _joined([(part.units, part.unit_codes) for part in known])
    return Gathered(
        known[0].columns,
        np.concatenate([part.cases for part in known]),
        classes,
        codes,
        units,
        unit_codes,
        np.concatenate([part.values for part in known]),
    )


def _joined(
    parts: Sequence[tuple[tuple[str, ...], NDArray[np.int64]]],
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    starts = np.cumsum([0, *(len(names) for names, _ in parts)])
    shifted = [
        np.where(codes < 0, codes, codes + start) for (_, codes), start in zip(parts, starts, strict=False)
    ]
    return _merged(tuple(name for names, _ in parts for name in names), np.concatenate(shifted))


def _merged(names: tuple[str, ...], codes: NDArray[np.int64]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Give equal names one code."""
    number: dict[str, int] = {}
    for name in names:
        number.setdefault(name, len(number))
    table = np.array([*(number[name] for name in names), -1], dtype=np.int64)
    return tuple(number), table[codes]
