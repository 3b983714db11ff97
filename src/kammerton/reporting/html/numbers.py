# SPDX-License-Identifier: MIT
"""Numbers as pages print them."""

from __future__ import annotations

import math

from kammerton.model.measure import Measure
from kammerton.reporting import tables
from kammerton.reporting.tables import PER_CENT

__all__ = ["UNDEFINED", "amount", "ends", "figure", "is_per_cent", "p_value", "part_of", "scaled", "unit_of"]

UNDEFINED = "undefined"


def is_per_cent(measure: Measure) -> bool:
    """Tell whether figures of a measure are printed in per cent."""
    return measure.range == PER_CENT


def scaled(value: float, measure: Measure) -> float:
    """Return a figure in the unit that is printed."""
    return 100 * value if is_per_cent(measure) else value


def unit_of(measure: Measure) -> str:
    """Return the unit that figures of a measure are printed in."""
    return "per cent" if is_per_cent(measure) else "value"


def figure(value: float, measure: Measure, *, signed: bool = False) -> str:
    """Return a figure: one decimal of a per cent, or three digits."""
    if math.isnan(value):
        return UNDEFINED
    sign = "+" if signed and value else ""
    digits = 1 if is_per_cent(measure) else 3
    text = f"{scaled(value, measure):{sign}.{digits}f}"
    return text.replace("-", "−")


def ends(low: float, high: float, measure: Measure) -> str:
    """Return an interval, nothing if its ends are not known."""
    return "" if math.isnan(low) else f"{figure(low, measure)} to {figure(high, measure)}"


def p_value(value: float) -> str:
    """Return a p-value as it stands in a sentence, with its sign of relation.

    >>> p_value(0.00001), p_value(0.0301)
    ('< 0.0001', '= 0.030')
    """
    if math.isnan(value):
        return UNDEFINED
    return "< 0.0001" if value < 1e-4 else f"= {value:.4f}" if value < 0.01 else f"= {value:.3f}"


def amount(value: float, unit: str) -> str:
    """Return a weight with its unit; seconds from one minute on as hours, minutes and seconds.

    >>> amount(47213.5, "s"), amount(71.5, "s"), amount(12.0, "notes")
    ('13 h 07 min', '1 min 12 s', '12 notes')
    """
    if unit == "s" and value >= 600:
        minutes = round(value / 60)
        hours, rest = divmod(minutes, 60)
        return f"{hours} h {rest:02} min" if hours else f"{minutes} min"
    if unit == "s" and value >= 60:
        minutes, rest = divmod(round(value), 60)
        return f"{minutes} min {rest:02} s"
    return tables.amount(value, unit)


def part_of(value: float, whole: float, unit: str) -> str:
    """Return how much of a weight something is, with the unit once where it is the same.

    >>> part_of(12.0, 1204.0, "notes"), part_of(59.5, 5400.0, "s")
    ('12 of 1,204 notes', '59.5 s of 1 h 30 min')
    """
    part = f"{value:,.0f}" if unit != "s" else amount(value, unit)
    return f"{part} of {amount(whole, unit)}"
