# SPDX-License-Identifier: MIT
"""Short cells of a file as integers of eight bytes, and the numbers that their digits make.

A cell of up to eight characters is one integer, its last character in the highest byte, with zeros where
there is no character.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["CELL_BYTES", "Cells", "cells_before", "numbers_of", "text_of"]

CELL_BYTES = 8

Cells = NDArray[np.uint64]

_ZEROS = np.uint64(0x3030303030303030)
_TO_SIXTEEN, _HIGH = np.uint64(0x0606060606060606), np.uint64(0xF0F0F0F0F0F0F0F0)
_PAIRINGS = (
    (np.uint64(0x00FF00FF00FF00FF), np.uint64(10 * 2**8 + 1), np.uint64(8)),
    (np.uint64(0x0000FFFF0000FFFF), np.uint64(100 * 2**16 + 1), np.uint64(16)),
    (np.uint64(0x00000000FFFFFFFF), np.uint64(10_000 * 2**32 + 1), np.uint64(32)),
)
"""Two neighbours become one number: its mask, the factor of the first one, and where the sum appears."""


def cells_before(data: bytes, ends: NDArray[np.int64], widths: NDArray[np.int64]) -> Cells:
    """Return the cells that end at some places; 0 for those that are empty or too wide.

    Parameters
    ----------
    data : bytes
        Without NUL; before the first cell stand eight more.
    ends : ndarray of int64
        Where the cells end, counted from the ninth byte.
    widths : ndarray of int64
        Their numbers of characters.
    """
    windows = np.ndarray((len(data) - CELL_BYTES + 1,), "<u8", data, strides=(1,))
    unused = _unused(widths)
    return np.asarray(windows[ends] >> unused << unused, dtype=np.uint64)


def text_of(cell: int) -> str:
    """Return the characters of a cell."""
    return cell.to_bytes(CELL_BYTES, "little").lstrip(b"\0").decode("ascii")


def numbers_of(cells: Cells, widths: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the numbers that digits make, and whether cells are nothing but digits.

    Parameters
    ----------
    cells : ndarray of uint64
        From :func:`cells_before`.
    widths : ndarray of int64
        Their numbers of characters; a cell without any is the number 0.
    """
    unused = _unused(widths)
    digits = cells ^ (_ZEROS >> unused << unused)
    plain = (((digits + _TO_SIXTEEN) | digits) & _HIGH == 0) & (widths <= CELL_BYTES)
    for mask, factor, shift in _PAIRINGS:
        digits = (digits * factor >> shift) & mask
    return digits.astype(np.float64), plain


def _unused(widths: NDArray[np.int64]) -> Cells:
    """Return how many bits of a cell have no character; 64 and more leave none."""
    return (8 * (CELL_BYTES - widths)).astype(np.uint64)
