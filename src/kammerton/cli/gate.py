# SPDX-License-Identifier: MIT
"""Gates: corpus scores below which ``kammerton score`` fails."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kammerton.errors import OptionError, printable, quote
from kammerton.model.measure import Measure, find
from kammerton.reporting.tables import PER_CENT
from kammerton.results.scores import Scores
from kammerton.statistics.paired import differences, scale_of


@dataclass(frozen=True, slots=True)
class Threshold:
    """The worst corpus score of a headline measure that ``--fail-under`` accepts."""

    measure: Measure
    limit: float

    def failures(self, scores: Scores) -> Iterator[str]:
        """Yield a line on each system that is worse; an undefined score is."""
        for system in scores.systems:
            opening = f"--fail-under: {self.measure} of {printable(system)} is"
            if self.measure not in scores.measures:
                yield f"{opening} not evaluated; a note above says why"
                continue
            value = scores.value(str(self.measure), system=system)
            if math.isnan(value):
                reason = scores.why_undefined(self.measure, system, scores.annotators_of(self.measure)[-1])
                yield f"{opening} undefined" + (f" ({reason})" if " " not in reason else "")  # codes only
                continue
            beyond = differences(value, self.limit, scale_of(self.measure))
            if beyond < 0 and self.measure.direction == "higher":
                yield f"{opening} {self._shown(value)}, below {self._shown(self.limit)}"
            elif beyond > 0 and self.measure.direction == "lower":
                yield f"{opening} {self._shown(value)}, above {self._shown(self.limit)}"

    def _shown(self, value: float) -> str:
        """Return a score in per cent, as tables have it, and as it is written on the command line."""
        return f"{100 * value:.6g} % ({value:.6g})" if self.measure.range == PER_CENT else f"{value:.6g}"


def read_threshold(argument: str, computed: Sequence[Measure], known: Sequence[Measure]) -> Threshold:
    """Read ``PROTOCOL/MEASURE=VALUE``."""
    address, equals, number = argument.rpartition("=")
    if not equals:
        raise OptionError(f"expected PROTOCOL/MEASURE=VALUE, got {quote(argument)}")
    measure = find(address, computed, known)
    try:
        limit = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        raise OptionError(f"not a number: {quote(number)} in {quote(argument)}") from None
    low, high = measure.range
    if not low <= limit <= high:
        hint = f"write 75 % as 0.75 or 75%; you wrote {number}" if (low, high) == (0.0, 1.0) else None
        raise OptionError(f"{measure} lies between {low:g} and {high:g}", hint)
    return Threshold(measure, limit)
