# SPDX-License-Identifier: MIT
"""Scores as tables of systems by measures, one for each protocol, for every way of printing them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from kammerton.model.corpus import ALL
from kammerton.model.measure import Estimate, Measure
from kammerton.model.scores import Scores

__all__ = [
    "Block",
    "Line",
    "amount",
    "build_blocks",
    "cell",
    "ends",
    "figure",
    "line_of",
    "signed_by_system",
    "signed_protocol",
    "signed_whole",
]

PER_CENT = (0.0, 1.0)
"""Range of the measures that are printed in per cent."""


@dataclass(frozen=True, slots=True)
class Line:
    """Figures of one system against one annotator; None where a measure has no figure for it.

    ``items`` is how many they are made of: of measures over classes, if there are no others, how many
    classes. ``intervals`` has the ends of each figure's interval; it is empty if there are none. ``ranks``
    tells figures of a system over all items, the best of which are bold, from those of floors, groups and so
    on.
    """

    system: str
    annotator: str
    figures: tuple[Estimate | None, ...]
    items: int
    intervals: tuple[tuple[float, float] | None, ...] = ()
    ranks: bool = False

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
    signatures : tuple of str
        Signature of every figure, with ``*`` for the measure: one, or, where systems were scored on other
        items, one for each of them that have the same, behind their names.
    basis : str
        What the figures were measured on.
    level : str
        How likely intervals hold the figure, such as ``"95 %"``.
    folded : tuple of Measure
        Measures that would be shown, but are undefined for every system and annotator.
    unreferenced : tuple of Measure
        Measures that would be shown, but have no references to compare with. If all are, there is no table.
    who : tuple of str
        Headings of whose figures they are, and of the annotator they are against.
    """

    protocol: str
    measures: tuple[Measure, ...]
    lines: tuple[Line, ...]
    signatures: tuple[str, ...]
    basis: str = ""
    level: str = ""
    folded: tuple[Measure, ...] = ()
    unreferenced: tuple[Measure, ...] = ()
    who: tuple[str, str] = ("system", "annotator")

    @property
    def caption(self) -> str:
        """The title, what the figures were measured on, and which measures have none."""
        basis = [f"measured on {self.basis}"] if self.basis else []
        names = ", ".join(measure.name for measure in self.folded)
        return "; ".join((self.title, *basis, *([f"undefined for all: {names}"] if names else [])))

    @property
    def not_evaluated(self) -> str:
        """Which measures have no references to compare with; nothing if all have."""
        names = ", ".join(measure.name for measure in self.unreferenced)
        return f"not evaluated: needs a reference ({names})" if names else ""

    @property
    def title(self) -> str:
        """The name of the protocol, and the unit of the figures if they share one."""
        kinds = {measure.range == PER_CENT for measure in self.measures}
        return f"{self.protocol}, per cent" if kinds == {True} else self.protocol

    @property
    def names_annotators(self) -> bool:
        """Whether the rows are of several annotators."""
        return len({line.annotator for line in self.lines}) > 1

    def best(self, place: int) -> dict[str, float]:
        """Return the best figure of a measure against each annotator, where several systems have one."""
        known: dict[str, list[float]] = {}
        for line in self.lines:
            found = line.figures[place]
            if line.ranks and found is not None and not math.isnan(found.value):
                known.setdefault(line.annotator, []).append(found.value)
        best = min if self.measures[place].direction == "lower" else max
        return {annotator: best(values) for annotator, values in known.items() if len(values) > 1}

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
        Whether to show every measure, not only the headline measures that are defined for any system.
    """
    level = "" if scores.ci is None else f"{100 * scores.ci:g} %"
    blocks = []
    for protocol in dict.fromkeys(measure.protocol for measure in scores.measures):
        wanted = tuple(m for m in scores.measures if m.protocol == protocol and (every or m.headline))
        measures = tuple(measure for measure in wanted if scores.is_evaluated(measure))
        unreferenced = tuple(measure for measure in wanted if measure not in measures)
        if not measures and unreferenced:
            blocks.append(Block(protocol, (), (), (), unreferenced=unreferenced))
        if measures:
            signed = signed_protocol(scores, measures)
            whole = tuple(f"{names}: {each}" if names else each for names, each in signed)
            defined = measures if every else _defined(scores, measures)
            folded = tuple(measure for measure in measures if measure not in defined)
            lines = tuple(_lines(scores, defined))
            basis = _basis(scores, defined, lines)
            blocks.append(Block(protocol, defined, lines, whole, basis, level, folded, unreferenced))
    return tuple(blocks)


def signed_by_system(scores: Scores, measure: Measure) -> list[tuple[str, str]]:
    """Return each signature of a measure's figures behind the systems that have it: none if all have one."""
    systems: dict[str, list[str]] = {}
    for system in scores.systems:
        signature = scores.signatures(ALL, systems=(system,))[measure]
        systems.setdefault(signature, []).append(system)
    several = len(systems) > 1
    return [(", ".join(names) if several else "", signature) for signature, names in systems.items()]


def signed_protocol(scores: Scores, measures: Sequence[Measure]) -> list[tuple[str, str]]:
    """Return the same of every figure of a protocol, with ``*`` for the measure."""
    measure = next((m for m in measures if m.needs != "annotators"), measures[0])
    return [
        (names, signed_whole({measure: each}, measure)) for names, each in signed_by_system(scores, measure)
    ]


def signed_whole(signatures: Mapping[Measure, str], measure: Measure) -> str:
    """Return the signature of every figure of a protocol, with ``*`` for the measure."""
    return f"{measure.protocol}/*{signatures[measure].removeprefix(str(measure))}"


def _defined(scores: Scores, measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Return the measures that have a figure for any system; all of them if none has."""
    shown: dict[Measure, None] = {}
    for line in _lines(scores, measures):
        for measure, found in zip(measures, line.figures, strict=True):
            if found is not None and not math.isnan(found.value):
                shown[measure] = None
    return tuple(measure for measure in measures if measure in shown) or measures


def _basis(scores: Scores, measures: tuple[Measure, ...], lines: Sequence[Line]) -> str:
    """Return e.g. ``156 to 312 notes per figure, 2 annotators``: the smallest and the largest weight."""
    weights: dict[str, list[float]] = {}
    for line in lines:
        for measure, found in zip(measures, line.figures, strict=True):
            if found is not None and not math.isnan(found.value):
                pooled = scores.estimate(measure, line.system, line.annotator, "pooled")
                weights.setdefault(measure.weight_unit, []).append(pooled.weight)
    counts = list(scores.references.values())
    told = [_range(found, unit) for unit, found in weights.items()]
    if any(" to " in text for text in told):
        told[-1] += " per figure"
    if not counts:
        return ", ".join([*told, "without references"]) if told else ""
    each = " an item" if min(counts) < max(counts) else ""
    return ", ".join([*told, _range(counts, "annotators") + each])


def amount(value: float, unit: str) -> str:
    """Return a weight with its unit; units but ``s`` are plural nouns.

    >>> amount(1.0, "files"), amount(1204.0, "files"), amount(147.5, "s")
    ('1 file', '1,204 files', '147.5 s')
    """
    return f"{_number(value)} {unit.removesuffix('s') if value == 1 and unit != 's' else unit}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def _range(amounts: Sequence[float], unit: str) -> str:
    least, most = min(amounts), max(amounts)
    lowest = _number(least)
    return amount(least, unit) if lowest == _number(most) else f"{lowest} to {amount(most, unit)}"


def _lines(scores: Scores, measures: tuple[Measure, ...]) -> Iterator[Line]:
    for system, annotator in product(scores.systems, dict.fromkeys((*scores.annotators, ALL))):
        known = [annotator in scores.annotators_of(measure) for measure in measures]
        if not any(known):
            continue
        figures = tuple(
            scores.estimate(measure, system, annotator, measure.aggregate) if has else None
            for measure, has in zip(measures, known, strict=True)
        )
        intervals = tuple(
            scores.intervals.get((system, annotator, measure, measure.aggregate)) for measure in measures
        )
        yield replace(line_of(system, annotator, measures, figures, intervals), ranks=True)


def line_of(
    system: str,
    annotator: str,
    measures: Sequence[Measure],
    figures: Sequence[Estimate | None],
    intervals: Sequence[tuple[float, float] | None] = (),
) -> Line:
    """Return a line of figures, one for each measure, without intervals if none of them is known."""
    known = any(each is not None and not math.isnan(each[0]) for each in intervals)
    shown = tuple(intervals) if known else ()
    return Line(system, annotator, tuple(figures), _items(measures, figures), shown)


def _items(measures: Sequence[Measure], figures: Sequence[Estimate | None]) -> int:
    found = [(m, each.items) for m, each in zip(measures, figures, strict=True) if each is not None]
    of_items = [items for measure, items in found if measure.aggregate != "gathered"]
    return max(of_items or [items for _, items in found])


def figure(value: float, measure: Measure) -> str:
    """Return a figure as tables print it: two decimals of a per cent, or four digits."""
    if math.isnan(value):
        return "undefined"
    return f"{100 * value:.2f}" if measure.range == PER_CENT else f"{value:.4f}"


def cell(estimate: Estimate | None, measure: Measure) -> str:
    """Return a figure as tables print it; nothing where there is none."""
    return "" if estimate is None else figure(estimate.value, measure)


def ends(interval: tuple[float, float] | None, measure: Measure) -> tuple[str, str]:
    """Return the ends of an interval as tables print them; nothing where there is none."""
    if interval is None or math.isnan(interval[0]):
        return "", ""
    low, high = (figure(end, measure) for end in interval)
    return low, high
