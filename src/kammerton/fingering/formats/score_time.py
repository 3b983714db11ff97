# SPDX-License-Identifier: MIT
"""Times of scores: fractions of a quarter note."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["ZERO", "add_times"]

ZERO = Fraction(0)

_FINEST = 10**9


def add_times(first: Fraction, second: Fraction) -> Fraction:
    """Add times: exact for all music, and bounded where a file is made to blow the fractions up.

    Examples
    --------
    >>> add_times(Fraction(1, 3), Fraction(1, 5))
    Fraction(8, 15)
    """
    total = first + second
    return total if total.denominator <= _FINEST else total.limit_denominator(_FINEST // 1000)
