# SPDX-License-Identifier: MIT
"""Score lists of instruments by the kernels, and taxonomies to do it with."""

import json
import math
import tempfile
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.kernels import evaluate, gather
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.protocols import PROTOCOLS
from kammerton.model.measure import Measure, name_items
from kammerton.model.task import Case, Evaluation

__all__ = [
    "BELLS",
    "DEEP",
    "FIGURE",
    "MEASURES",
    "by_class",
    "equals",
    "figures",
    "listed",
    "options",
    "values",
]

Parents = Mapping[str, str | list[str]]

MEASURES = {str(measure): measure for protocol in PROTOCOLS for measure in protocol.measures}

FIGURE: Parents = {
    **dict.fromkeys("BCD", "A"),
    **dict.fromkeys("EFG", "B"),
    **dict.fromkeys("HI", "C"),
    **dict.fromkeys("JK", "D"),
}
"""The taxonomy of the campaign's figure: A is the root."""

BELLS: Parents = {
    "percussion": "instrument",
    "bell": "instrument",
    "snare": "percussion",
    "cowbell": ["percussion", "bell"],
    "handbell": "bell",
}

DEEP: Parents = {
    "strings": "instrument",
    "voice": "instrument",
    "bowed": "strings",
    "plucked": "strings",
    "violin": "bowed",
    "guitar": "plucked",
    "male singer": "voice",
}

_FOLDER = tempfile.TemporaryDirectory()


@cache
def _file(text: str) -> str:
    path = Path(_FOLDER.name) / f"{abs(hash(text))}.json"
    path.write_text(text, encoding="utf-8")
    return str(path)


def options(tree: Parents | None = None, **choices: Any) -> InstrumentOptions:
    """Return options with a taxonomy that is given by the parents of its nodes."""
    return InstrumentOptions(taxonomy="" if tree is None else _file(json.dumps(tree)), **choices)


def listed(
    labels: Sequence[str] | Mapping[str, float], absent: Sequence[str] | None = None, **given: Any
) -> InstrumentList:
    """Return a list in order, or with scores; judged in part if labels are said to be absent."""
    if isinstance(labels, Mapping):
        scores = np.array(list(labels.values()), dtype=float)
        return InstrumentList(tuple(labels), scores, **{"ranked": True, **given})
    judged: dict[str, Any] = {} if absent is None else {"absent": tuple(absent), "closed": False}
    return InstrumentList(tuple(labels), **{"ranked": True, **judged, **given})


Pair = tuple[InstrumentList, InstrumentList]


def run(pairs: Sequence[Pair], chosen: InstrumentOptions, names: Sequence[str]) -> Evaluation:
    """Run the kernels on pairs of reference and estimate."""
    cases = [Case((ref,), est) for ref, est in pairs]
    return evaluate(cases, [MEASURES[name] for name in names], chosen)


def values(pair: Pair, chosen: InstrumentOptions, names: Sequence[str]) -> dict[str, float]:
    """Return the values of one file."""
    found = run([pair], chosen, names).statistics
    return {str(measure): float(measure.formula.finalise(rows)[0]) for measure, rows in found.items()}


def by_class(
    pairs: Sequence[Pair], chosen: InstrumentOptions, names: Sequence[str]
) -> tuple[tuple[str, ...], dict[str, list[float]]]:
    """Return the classes, and the value of each for measures over classes."""
    classes, found = _gathered(pairs, chosen, [MEASURES[name] for name in names])
    return classes, {str(measure): measure.formula.finalise(rows).tolist() for measure, rows in found.items()}


def _gathered(
    pairs: Sequence[Pair], chosen: InstrumentOptions, measures: Sequence[Measure]
) -> tuple[tuple[str, ...], dict[Measure, Any]]:
    cases = [Case((ref,), est) for ref, est in pairs]
    rows = evaluate(cases, measures, chosen).gathered
    assert rows is not None
    items = [f"file {number:03}" for number in range(len(pairs))]
    return gather(name_items(rows, np.arange(len(pairs)), items), measures, chosen)


def figures(pairs: Sequence[Pair], chosen: InstrumentOptions, names: Sequence[str]) -> dict[str, float]:
    """Return corpus figures."""
    measures = [MEASURES[name] for name in names]
    by_case = [measure for measure in measures if measure.aggregate != "gathered"]
    found: dict[Measure, Any] = dict(run(pairs, chosen, [str(measure) for measure in by_case]).statistics)
    of_classes = [measure for measure in measures if measure.aggregate == "gathered"]
    if of_classes:
        _, rows = _gathered(pairs, chosen, of_classes)
        found |= {measure: each[~np.isnan(each).all(axis=1)] for measure, each in rows.items()}
    return {str(m): m.corpus_score(found[m], m.aggregate).value for m in measures}


def equals(text: str) -> Any:
    """Return what a value must be: a fraction, or ``u`` for undefined."""
    expected = math.nan if text == "u" else float(Fraction(text))
    return pytest.approx(expected, abs=1e-12, rel=0, nan_ok=True)
