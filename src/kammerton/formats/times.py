# SPDX-License-Identifier: MIT
"""How times are written, what is no time, and the exact sum of start and duration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Literal

import numpy as np

from kammerton.errors import Diagnostic, quote
from kammerton.formats.reading import such_rows
from kammerton.model.annotations import Seconds

__all__ = [
    "EXACT",
    "DecimalMark",
    "are_times",
    "diagnose_mark",
    "diagnose_time",
    "ends_from_durations",
    "number_pattern",
    "other_mark",
    "parse_time",
    "seconds",
]

DecimalMark = Literal[".", ","]

EXACT = Context(prec=800, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
"""Decimal arithmetic that rounds no sum of two doubles below 1e5, and never raises."""

_ROUNDING_S = 1e-9
"""Durations that were computed in binary overshoot the next start by less."""

_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


def number_pattern(mark: DecimalMark) -> str:
    """Return the pattern of a time: ASCII digits, one mark, an exponent; it never backtracks."""
    dot = re.escape(mark)
    return rf"[+-]?+(?:[0-9]++(?:{dot}[0-9]*+)?+|{dot}[0-9]++)(?:[eE][+-]?+[0-9]++)?+"


_NUMBERS = {mark: re.compile(number_pattern(mark)) for mark in (".", ",")}
_COLUMNS = {
    mark: re.compile(rf"(?:[ \t]*+{number_pattern(mark)}[ \t]*+(?:\n(?!\Z)|\Z))++") for mark in (".", ",")
}


def are_times(tokens: Iterable[str], mark: DecimalMark) -> bool:
    """Tell whether all tokens, of one line each, are times; blanks around them do not count."""
    listed = list(tokens)
    return not listed or _COLUMNS[mark].fullmatch("\n".join(listed)) is not None


def parse_time(token: str, mark: DecimalMark) -> float | None:
    """Return the seconds a token means, or None if it is no time."""
    if _NUMBERS[mark].fullmatch(token) is None:
        return None
    return float(token.replace(",", "."))


def seconds(tokens: Sequence[str], mark: DecimalMark) -> Seconds:
    """Return tokens that are known to be times as an array."""
    if mark == ",":
        tokens = [token.replace(",", ".") for token in tokens]
    return np.fromiter(map(float, tokens), np.float64, len(tokens))


def diagnose_time(token: str, mark: DecimalMark) -> Diagnostic:
    """Say what is wrong with a token that is no time."""
    if _NOT_FINITE.fullmatch(token):
        return Diagnostic(code="KT122", severity="error", message=f"time is not finite: {quote(token)}")
    if _NUMBERS[other_mark(mark)].fullmatch(token):
        return diagnose_mark(token, mark)
    message = f"not a time in seconds: {quote(token)}"
    return Diagnostic(code="KT120", severity="error", message=message, hint=_hint(token))


def diagnose_mark(token: str, mark: DecimalMark, count: int = 1) -> Diagnostic:
    """Say that a time, or those of ``count`` rows, would be times with the other decimal mark."""
    other = other_mark(mark)
    name = "comma" if other == "," else "point"
    message = f"time with a decimal {name}: {quote(token)}{such_rows(count)}"
    return Diagnostic(code="KT121", severity="error", message=message, hint=f"--decimal {other}", count=count)


def other_mark(mark: DecimalMark) -> DecimalMark:
    """Return the decimal mark that is not meant."""
    return "." if mark == "," else ","


def _hint(token: str) -> str:
    if not token.isascii():
        return "times are written with the digits 0 to 9"
    if re.fullmatch(r"[0-9]+(?::[0-9]+)+(?:\.[0-9]*)?", token):
        return "write minutes and seconds as seconds"
    if re.fullmatch(r"[0-9]{1,3}(?:[,_'][0-9]{3})+(?:\.[0-9]*)?", token):
        return "write it without separators of thousands"
    return "a time looks like 12.34"


def ends_from_durations(starts: Seconds, exact: Iterable[Decimal], durations: Iterable[Decimal]) -> Seconds:
    """Add durations to starts as decimal numbers, so that 0.1 and 0.2 end at 0.3.

    An end that passes the next start by what binary rounding makes of it is that start.
    """
    ends = np.fromiter(map(float, map(EXACT.add, exact, durations)), np.float64, len(starts))
    following = starts[1:]
    with np.errstate(invalid="ignore", over="ignore"):
        passed = ends[:-1] - following
    ends[:-1] = np.where((passed > 0) & (passed <= _ROUNDING_S), following, ends[:-1])
    return ends
