# SPDX-License-Identifier: MIT
"""Scores as tables of systems by measures, one for each protocol, for every way of printing them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kammerton.model.measure import Estimate, Measure
from kammerton.model.scores import Scores

__all__ = ["Block", "Line", "build_blocks", "figure"]

PER_CENT = (0.0, 1.0)
"""Range of the measures that are printed in per cent."""


@dataclass(frozen=True, slots=True)
class Line:
    """Figures of one system against one annotator; None where a measure has no figure for it.

    ``items`` is how many they are made of: of measures over classes, if there are no others, how many
    classes.
    """

    system: str
    annotator: str
    figures: tuple[Estimate | None, ...]
    items: int

    @property
    def undefined(self) -> tuple[int | None, ...]:
        """Items that each measure is undefined for."""
        return tuple(None if each is None else each.undefined for each in self.figures)


@dataclass(frozen=True, slots=True)
class Block:
    """The table of one protocol.

    Parameters
    ----------
    protocol : str
        Its name.
    measures : tuple of Measure
        The columns.
    lines : tuple of Line
        The rows.
    signature : str
        Signature of every figure, with ``*`` for the measure.
    basis : str
        What the figures were measured on.
    """

    protocol: str
    measures: tuple[Measure, ...]
    lines: tuple[Line, ...]
    signature: str
    basis: str = ""

    @property
    def caption(self) -> str:
        """The title, and what the figures were measured on."""
        return f"{self.title}; measured on {self.basis}" if self.basis else self.title

    @property
    def title(self) -> str:
        """The name of the protocol, and the unit of the figures if they share one."""
        kinds = {measure.range == PER_CENT for measure in self.measures}
        return f"{self.protocol}, per cent" if kinds == {True} else self.protocol

    @property
    def names_annotators(self) -> bool:
        """Whether the rows are of several annotators."""
        return len({line.annotator for line in self.lines}) > 1

    def heading(self, measure: Measure) -> str:
        """Return the name of a column, with its unit where the title does not tell it."""
        in_per_cent = measure.range == PER_CENT
        return f"{measure.name} %" if in_per_cent and self.title == self.protocol else measure.name


def build_blocks(scores: Scores, *, every: bool = False) -> tuple[Block, ...]:
    """Return the tables of scores.

    Parameters
    ----------
    scores : Scores
        What was scored.
    every : bool
        Whether to show every measure, not the headline measures only.
    """
    rows = scores.to_dict()["scores"]
    signatures = {(row["protocol"], row["measure"]): row["signature"] for row in rows}
    blocks = []
    for protocol in dict.fromkeys(measure.protocol for measure in scores.measures):
        measures = tuple(m for m in scores.measures if m.protocol == protocol and (every or m.headline))
        if measures:
            signature = signatures[protocol, measures[0].name]
            whole = f"{protocol}/*{signature.removeprefix(str(measures[0]))}"
            lines = tuple(_lines(rows, measures))
            blocks.append(Block(protocol, measures, lines, whole, _basis(scores, measures, lines)))
    return tuple(blocks)


def _basis(scores: Scores, measures: tuple[Measure, ...], lines: Sequence[Line]) -> str:
    """Return e.g. ``156 to 312 notes, 2 annotators``: the smallest and the largest weight of a figure."""
    weights: dict[str, list[float]] = {}
    for line in lines:
        for measure, found in zip(measures, line.figures, strict=True):
            if found is not None and not math.isnan(found.value):
                pooled = scores.estimate(measure, line.system, line.annotator, "pooled")
                weights.setdefault(measure.weight_unit, []).append(pooled.weight)
    counts = list(scores.references.values())
    annotators = _range(counts, "annotator" if max(counts) == 1 else "annotators")
    each = " an item" if min(counts) < max(counts) else ""
    return ", ".join([*(_range(found, unit) for unit, found in weights.items()), annotators + each])


def _range(amounts: Sequence[float], unit: str) -> str:
    texts = [f"{amount:,.0f}" if amount == round(amount) else f"{amount:,.1f}" for amount in sorted(amounts)]
    return f"{texts[0]} {unit}" if texts[0] == texts[-1] else f"{texts[0]} to {texts[-1]} {unit}"


def _lines(rows: Sequence[Mapping[str, Any]], measures: tuple[Measure, ...]) -> Iterator[Line]:
    places = {(m.protocol, m.name, m.aggregate): place for place, m in enumerate(measures)}
    lines: dict[tuple[str, str], list[Estimate | None]] = {}
    for row in rows:
        place = places.get((row["protocol"], row["measure"], row["aggregate"]))
        if place is not None:
            value = math.nan if row["value"] is None else row["value"]
            found = Estimate(value, row["weight"], row["items"], row["undefined"])
            lines.setdefault((row["system"], row["annotator"]), [None] * len(measures))[place] = found
    for (system, annotator), figures in lines.items():
        yield Line(system, annotator, tuple(figures), _items(measures, figures))


def _items(measures: Sequence[Measure], figures: Sequence[Estimate | None]) -> int:
    found = [(m, each.items) for m, each in zip(measures, figures, strict=True) if each is not None]
    of_items = [items for measure, items in found if measure.aggregate != "gathered"]
    return max(of_items or [items for _, items in found])


def figure(estimate: Estimate | None, measure: Measure) -> str:
    """Return a figure as tables print it: two decimals of a per cent, or four digits."""
    if estimate is None:
        return ""
    if math.isnan(estimate.value):
        return "undefined"
    return f"{100 * estimate.value:.2f}" if measure.range == PER_CENT else f"{estimate.value:.4f}"
