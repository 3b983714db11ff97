# SPDX-License-Identifier: MIT
"""The rules of each protocol, one file per protocol, and how all of them are evaluated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kammerton.fingering.annotation import Fingering
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.fingering.judging import Playability, key_presses
from kammerton.fingering.lint import unlabelled_table
from kammerton.fingering.match_rates import build_columns
from kammerton.fingering.protocols import nakamura2020, pianovam, playability, strike
from kammerton.model.measure import Measure, Statistics
from kammerton.model.task import Case, Evaluation

__all__ = ["PROTOCOLS", "evaluate"]

PROTOCOLS = (nakamura2020.PROTOCOL, strike.PROTOCOL, pianovam.PROTOCOL, playability.PROTOCOL)
"""In the order in which they are shown."""
_TOGETHER = 200
"""References that are judged at once: as many as fit the cache."""


def evaluate(
    cases: Sequence[Case[Fingering]], measures: Sequence[Measure], options: FingeringOptions
) -> Evaluation:
    """Return the statistics of measures that need the same annotations, one row per case."""
    needs = measures[0].needs
    of = {protocol.name: [m for m in measures if m.protocol == protocol.name] for protocol in PROTOCOLS}
    if needs == "annotators":
        return Evaluation(_judge_references(cases, measures, options))
    if needs == "estimate":
        judge = Playability(key_presses(case.estimate for case in cases if case.estimate is not None))
        statistics = pianovam.evaluate_alone(judge, of["pianovam"])
        return Evaluation(statistics | playability.evaluate(judge, of["playability"], options))
    columns = build_columns(cases)
    statistics = strike.evaluate(columns, of["strike"], options)
    if needs == "pair":
        return Evaluation(statistics, (strike.confusion_table(columns),))
    statistics |= nakamura2020.evaluate(columns, of["nakamura2020"])
    statistics |= pianovam.evaluate(columns, of["pianovam"])
    return Evaluation(statistics, (unlabelled_table(columns, complete=bool(of["nakamura2020"])),))


def _judge_references(
    cases: Sequence[Case[Fingering]], measures: Sequence[Measure], options: FingeringOptions
) -> dict[Measure, Statistics]:
    """Judge each annotator, and sum over those of an item."""
    of_case = np.repeat(np.arange(len(cases)), [len(case.references) for case in cases])
    references = [reference for case in cases for reference in case.references]
    summed = {measure: np.zeros((len(cases), len(measure.formula.statistics))) for measure in measures}
    for at in range(0, len(references), _TOGETHER):
        some = slice(at, at + _TOGETHER)
        judged = playability.evaluate(Playability(key_presses(references[some])), measures, options)
        for measure, statistics in judged.items():
            np.add.at(summed[measure], of_case[some], statistics)
    return summed
