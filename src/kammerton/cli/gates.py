# SPDX-License-Identifier: MIT
"""``--fail-under``: figures that decide whether a change may land."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kammerton.errors import OptionError, printable, quote
from kammerton.model.measure import Measure
from kammerton.model.protocol import find
from kammerton.model.scores import Scores
from kammerton.reporting.tables import PER_CENT
from kammerton.statistics.ranks import differences, scale_of

__all__ = ["Gate", "parse_gates"]


@dataclass(frozen=True, slots=True)
class Gate:
    """The worst that the headline figure of a measure may be."""

    measure: Measure
    limit: float

    def failures(self, scores: Scores) -> Iterator[str]:
        """Say which systems do not pass; an undefined figure does not."""
        higher = self.measure.direction == "higher"
        for system in scores.systems:
            told = f"gate failed: {self.measure} of {printable(system)} is"
            if self.measure not in scores.measures:
                yield f"{told} not evaluated; a note above says why"
                continue
            value = scores.value(str(self.measure), system=system)
            if math.isnan(value):
                why = scores.why_undefined(self.measure, system, scores.annotators_of(self.measure)[-1])
                yield f"{told} undefined" + (f" ({why})" if " " not in why else "")  # codes, not sentences
                continue
            beyond = differences(value, self.limit, scale_of(self.measure))
            if (beyond < 0) if higher else (beyond > 0):
                yield f"{told} {self._told(value)}, {'below' if higher else 'above'} {self._told(self.limit)}"

    def _told(self, value: float) -> str:
        """Return a figure as tables have it, in per cent, and as it was written on the command line."""
        return f"{100 * value:.6g} % ({value:.6g})" if self.measure.range == PER_CENT else f"{value:.6g}"


def parse_gates(
    arguments: Sequence[str], measures: Sequence[Measure], every: Sequence[Measure]
) -> list[Gate]:
    """Read ``PROTOCOL/MEASURE=VALUE``.

    Parameters
    ----------
    arguments : sequence of str
        As written.
    measures : sequence of Measure
        Those that will be computed.
    every : sequence of Measure
        Those of the task.

    Raises
    ------
    OptionError
        If there is no such measure among them, or its value cannot be what is written.
    """
    return [_gate(argument, measures, every) for argument in arguments]


def _gate(argument: str, measures: Sequence[Measure], every: Sequence[Measure]) -> Gate:
    address, equals, written = argument.rpartition("=")
    if not equals:
        raise OptionError(f"expected PROTOCOL/MEASURE=VALUE, got {quote(argument)}")
    measure = find(address, measures, every)
    try:
        limit = float(written)
    except ValueError:
        raise OptionError(f"not a number: {quote(written)} in {quote(argument)}") from None
    low, high = measure.range
    if not low <= limit <= high:
        hint = f"write 75 % as 0.75; you wrote {limit:g}" if (low, high) == (0.0, 1.0) else None
        raise OptionError(f"{measure} lies between {low:g} and {high:g}", hint)
    return Gate(measure, limit)
