# SPDX-License-Identifier: MIT
"""The agreement of annotators as tables: a line for each pair, and behind them the means."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kammerton.errors import plural
from kammerton.model.corpus import ALL
from kammerton.model.measure import Measure
from kammerton.reporting.tables import Block, Line, line_of, signed_whole
from kammerton.statistics.agreement import Agreement
from kammerton.statistics.annotators import AnnotatorAgreement

__all__ = ["beyond_chance", "blocks_of_agreement"]


def blocks_of_agreement(found: AnnotatorAgreement, *, every: bool = False) -> tuple[Block, ...]:
    """Return a table for each protocol.

    Parameters
    ----------
    found : AnnotatorAgreement
        What was found out.
    every : bool
        Whether to show every measure, not the headline measures only.
    """
    blocks = []
    for protocol in dict.fromkeys(measure.protocol for measure in found.measures):
        measures = tuple(m for m in found.measures if m.protocol == protocol and (every or m.headline))
        if measures:
            whole = (signed_whole(found.signatures, measures[0]),)
            basis = f"{plural(len(found.annotators), 'annotator')}, {plural(len(found.items), 'item')}"
            lines = tuple(_lines(found, measures))
            blocks.append(Block(protocol, measures, lines, whole, basis, who=("annotator", "against")))
    return tuple(blocks)


def _lines(found: AnnotatorAgreement, measures: tuple[Measure, ...]) -> Iterator[Line]:
    """Give the figures of each annotator against each other, then their mean, then that of items."""
    for reference, estimate in found.pairs if found.persons else ():
        figures = [found.estimate(measure, reference, estimate) for measure in measures]
        yield line_of(estimate, reference, measures, figures)
    means = [found.means(measure) for measure in measures]
    for name in means[0]:
        line = tuple(of_measure[name] for of_measure in means)
        yield Line(name.replace("_", " "), ALL, line, len(found.items))


def beyond_chance(found: AnnotatorAgreement) -> tuple[str, ...]:
    """Return what is to be said of Krippendorff's alpha and Fleiss' kappa, and what they are of."""
    labels = (f"beyond chance: {found.rated}",) if found.rated else ()
    return *labels, _told("Krippendorff's alpha", found.alpha), _told("Fleiss' kappa", found.kappa)


def _told(name: str, agreement: Agreement) -> str:
    if math.isnan(agreement.value):
        return f"{name}: undefined, {agreement.reason}"
    return f"{name}: {agreement.value:.4f} ({plural(agreement.units, 'unit')})"
