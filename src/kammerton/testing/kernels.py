# SPDX-License-Identifier: MIT
"""Faults of what a task computes: statistics, their sums, the worst, the laws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kammerton.engine import score_corpus
from kammerton.errors import KammertonError
from kammerton.model.corpus import Collection, Corpus
from kammerton.model.evidence import Evidence, Tally
from kammerton.model.gathering import name_items
from kammerton.model.measure import Measure, Statistics
from kammerton.model.origin import Origin
from kammerton.model.scores import Scores
from kammerton.model.scoring import Order
from kammerton.model.task import Case, Evaluation
from kammerton.testing.specimens import Specimens

__all__ = ["faults_of_kernels", "faults_of_laws", "faults_of_merging"]

_ROUNDING = 1e-9


def faults_of_kernels(specimens: Specimens) -> Iterator[str]:
    """Give the faults of statistics and of what formulas make of them."""
    task = specimens.task
    for needs in dict.fromkeys(measure.needs for measure in specimens.measures):
        measures = [measure for measure in specimens.measures if measure.needs == needs]
        by_case = [measure for measure in measures if measure.aggregate != "gathered"]
        cases = specimens.cases(needs)
        whole = task.evaluate(cases, measures, specimens.options)
        yield from _faults_of_keys(whole, by_case)
        for measure in by_case:
            found = whole.statistics.get(measure)
            if found is not None:
                yield from _faults_of_statistics(measure, found, len(cases))
        alone = [task.evaluate([case], measures, specimens.options) for case in cases]
        for measure in by_case:
            rows = np.concatenate([each.statistics[measure] for each in alone])
            if not np.array_equal(rows, whole.statistics[measure], equal_nan=True):
                yield f"{measure}: the statistics of a case depend on the cases beside it"
        yield from _faults_of_tables(whole, alone)
        for measure in by_case:  # every measure can be had without the others
            single = task.evaluate(cases, [measure], specimens.options).statistics
            if not np.array_equal(single[measure], whole.statistics[measure], equal_nan=True):
                yield f"{measure}: the statistics depend on what else is measured"
        yield from _faults_of_classes(specimens, whole, [each for each in measures if each not in by_case])


def _faults_of_classes(specimens: Specimens, whole: Evaluation, measures: Sequence[Measure]) -> Iterator[str]:
    """Give the faults of measures over classes, which are made from the rows of all cases."""
    task = specimens.task
    if not measures:
        return
    if whole.gathered is None or task.gather is None:
        lacking = "evaluate() returned no rows" if whole.gathered is None else "the task has no gather()"
        yield f"{measures[0]}: {lacking} to make classes from"
        return
    cases = int(whole.gathered.cases.max(initial=-1)) + 1
    items = [f"item {number}" for number in range(cases)]
    rows = name_items(whole.gathered, np.arange(cases), items)
    names, found = task.gather(rows, measures, specimens.options)
    for measure in measures:
        expected = (len(names), len(measure.formula.statistics))
        if measure not in found or found[measure].shape != expected:
            yield f"{measure}: gather() returned no statistics of shape {expected}"
            continue
        own = found[measure][~np.isnan(found[measure]).all(axis=1)]
        if not np.isfinite(own).all():
            yield f"{measure}: statistics are not finite"
        yield from _faults_of_values(measure, own, " of classes")


def _faults_of_keys(evaluation: Evaluation, measures: Sequence[Measure]) -> Iterator[str]:
    for measure in measures:
        if measure not in evaluation.statistics:
            yield f"{measure}: evaluate() returned no statistics"


def _faults_of_statistics(measure: Measure, found: Statistics, cases: int) -> Iterator[str]:
    names = measure.formula.statistics
    if found.shape != (cases, len(names)):
        yield f"{measure}: statistics of shape {found.shape}, not {(cases, len(names))}: {', '.join(names)}"
        return
    if not np.isfinite(found).all():
        yield f"{measure}: statistics are not finite; they could not be added up"
        return
    yield from _faults_of_values(measure, found, "")
    worst = measure.formula.worst(found)
    if worst.shape != found.shape or not np.isfinite(worst).all():
        yield f"{measure}: worst() returned statistics of shape {worst.shape} or not finite ones"
        return
    value = measure.formula.finalise(worst)
    if not (np.isnan(value) | np.isclose(value, measure.worst, atol=_ROUNDING)).all():
        yield f"{measure}: worst() is worth {value.tolist()}, and the worst is {measure.worst:g}"
    summed = found.sum(axis=0, keepdims=True)
    yield from _faults_of_values(measure, summed, " of all samples together")
    yield from _faults_of_values(measure, np.zeros_like(summed), " of nothing")


def _faults_of_values(measure: Measure, found: Statistics, whose: str) -> Iterator[str]:
    values, weights = measure.formula.finalise(found), measure.formula.weight(found)
    low, high = measure.range
    if values.shape != (len(found),) or weights.shape != (len(found),):
        yield f"{measure}: a value and a weight for each row are needed"
        return
    defined = values[~np.isnan(values)]
    if ((defined < low - _ROUNDING) | (defined > high + _ROUNDING)).any():
        yield f"{measure}: values{whose} outside of {low:g} to {high:g}: {defined.tolist()}"
    if not ((weights >= 0) & np.isfinite(weights)).all():
        yield f"{measure}: weights{whose} are negative or not finite"


def _faults_of_tables(whole: Evaluation, alone: Sequence[Evaluation]) -> Iterator[str]:
    for table in whole.tables:
        weights = dict.fromkeys(table.classes, 0.0)
        for key, weight in zip(table.classes, table.weights.tolist(), strict=True):
            weights[key] += weight
        for each in (found for one in alone for found in one.tables if found.name == table.name):
            for key, weight in zip(each.classes, each.weights.tolist(), strict=True):
                weights[key] = weights.get(key, 0.0) - weight
        if any(abs(rest) > _ROUNDING for rest in weights.values()):
            yield f"class table {table.name}: the tables of single cases do not add up to that of all"
        if any(len(key) != len(table.columns) for key in table.classes):
            yield f"class table {table.name}: rows and columns {table.columns} differ in number"


def faults_of_laws(specimens: Specimens) -> Iterator[str]:
    """Give the declared laws that do not hold for the samples; those that can be tried without music."""
    for measure in specimens.measures:
        if "identity" in measure.laws:
            yield from _unlike_itself(specimens, measure)
        if "duplicate_annotator" in measure.laws and measure.needs == "references+estimate":
            yield from _unlike_doubled(specimens, measure)


def _unlike_itself(specimens: Specimens, measure: Measure) -> Iterator[str]:
    best = measure.range[1] if measure.direction == "higher" else measure.range[0]
    for number, each in enumerate(specimens.annotations):
        value = _value(specimens, measure, (each,), each)
        if not (np.isnan(value) or abs(value - best) <= _ROUNDING):
            yield f"{measure}: sample {number} scores {value:g} against itself, not {best:g}"


def _unlike_doubled(specimens: Specimens, measure: Measure) -> Iterator[str]:
    for reference, estimate in specimens.pairs():
        once = _value(specimens, measure, (reference,), estimate)
        twice = _value(specimens, measure, (reference, reference), estimate)
        if not (np.isnan(once) and np.isnan(twice)) and not abs(once - twice) <= _ROUNDING:
            yield f"{measure}: {once:g} with an annotator once, {twice:g} with the same one twice"


def _value(specimens: Specimens, measure: Measure, references: tuple[Any, ...], estimate: Any) -> float:
    case: Case[Any] = Case(references, estimate)
    if measure.needs == "estimate":
        case = Case((), estimate)
    elif measure.needs == "annotators":
        case = Case(references, None)
    found = specimens.task.evaluate([case], [measure], specimens.options).statistics[measure]
    return float(measure.formula.finalise(found)[0])


def faults_of_merging(specimens: Specimens) -> Iterator[str]:
    """Give what the merged evidence of two halves of a corpus has otherwise than that of the whole."""
    items = list(range(len(specimens.annotations)))
    try:
        whole = _evidence(specimens, items)
        merged = _evidence(specimens, items[1::2]).merged(_evidence(specimens, items[::2]))
    except KammertonError as error:
        yield f"a corpus of the samples cannot be scored: {error}"
        return
    if _figures(specimens, whole) != _figures(specimens, merged):
        yield "figures of a corpus differ from those of its two halves merged"
    if whole.fingerprints != merged.fingerprints:
        yield "fingerprints of a corpus differ from those of its two halves"
    for name, tally in whole.tallies.items():
        if not _equal(tally, merged.tallies.get(name)):
            yield f"class table {name} of a corpus differs from that of its two halves merged"


def _evidence(specimens: Specimens, items: Sequence[int]) -> Evidence:
    """Score samples against others that belong to them, in a corpus where each is an item."""
    annotations = specimens.annotations
    references, estimates = {}, {}
    for item in items:
        others = (specimens.matched(annotations[item], each) for each in reversed(annotations))
        references[f"item {item}"] = ((None, annotations[item]),)
        estimates[f"item {item}"] = ((None, next(each for each in others if each is not None)),)
    corpus = Corpus((Collection("reference", references),), (Collection("system", estimates),))
    # what one half allows, the other may not
    task = replace(specimens.task, applicable=None)
    return score_corpus(Order(task=task, measures=specimens.measures, options=specimens.options), corpus)


def _figures(specimens: Specimens, evidence: Evidence) -> list[dict[str, Any]]:
    scores = Scores(
        Origin(task=specimens.task, evidence=evidence, missing="worst", options=specimens.options, choices={})
    )
    found: list[dict[str, Any]] = scores.to_dict()["scores"]
    return found


def _equal(one: Tally, other: Tally | None) -> bool:
    if other is None or one.cells.keys() != other.cells.keys():
        return False
    return all(_close(cells, other.cells[key]) for key, cells in one.cells.items())


def _close(one: Mapping[Any, float], other: Mapping[Any, float]) -> bool:
    return all(abs(one.get(key, 0.0) - other.get(key, 0.0)) <= _ROUNDING for key in {*one, *other})
