# SPDX-License-Identifier: MIT
"""Every chord measure of the registry, on one pair of annotations or on a corpus."""

import math
from collections.abc import Mapping, Sequence

import kammerton as kt
from kammerton.chords import TASK
from kammerton.model.measure import Measure, Statistics
from strategies import Song

__all__ = [
    "MEASURES",
    "PROTOCOLS",
    "corpus",
    "keepers",
    "measure_named",
    "same",
    "statistics_of",
    "values_of",
]

PROTOCOLS = [protocol.name for protocol in TASK.protocols]
MEASURES = TASK.measures


def measure_named(address: str) -> Measure:
    """Return a measure by its address."""
    return next(measure for measure in MEASURES if str(measure) == address)


def keepers(law: str) -> list[Measure]:
    """Return the measures that declare a law."""
    return [measure for measure in MEASURES if law in measure.laws]


def corpus(pairs: Mapping[str, tuple[Song, Song]]) -> kt.Scores:
    """Score one system on several items under every protocol."""
    refs = {item: ref for item, (ref, _) in pairs.items()}
    ests = {item: est for item, (_, est) in pairs.items()}
    return kt.score("chords", refs, {"system": ests}, protocols=PROTOCOLS, ci=None)


def statistics_of(ref: Song, est: Song) -> Mapping[Measure, Statistics]:
    """Return the statistics of every measure, one row each."""
    return corpus({"song": (ref, est)}).origin.evidence.statistics


def values_of(ref: Song, est: Song) -> dict[Measure, float]:
    """Return the value of every measure for one pair."""
    found = statistics_of(ref, est)
    return {measure: float(measure.formula.finalise(each)[0]) for measure, each in found.items()}


def same(
    measures: Sequence[Measure],
    before: Mapping[Measure, float],
    after: Mapping[Measure, float],
    *,
    within: float = 0.0,
) -> None:
    """Assert that these measures have the same value, or are undefined, both times."""
    changed = {
        str(measure): (before[measure], after[measure])
        for measure in measures
        if not _equal(before[measure], after[measure], within)
    }
    assert not changed


def _equal(one: float, other: float, within: float) -> bool:
    return (math.isnan(one) and math.isnan(other)) or abs(one - other) <= within
