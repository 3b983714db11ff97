# SPDX-License-Identifier: MIT
"""All protocols of instruments: cases to statistics, rows of classes to statistics of classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from kammerton.errors import Diagnostic, inflected, out_of
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.columns import Columns, build_columns
from kammerton.instruments.error_analysis import class_tables
from kammerton.instruments.formulas import RATE
from kammerton.instruments.hierarchical import extended_counts
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.protocols import (
    PROTOCOLS,
    kiritchenko2006,
    lca,
    open_mic_task1,
    open_mic_task2,
    scores,
)
from kammerton.instruments.retrieval import Queries, gather_rows
from kammerton.model.measure import Gathered, Measure, Statistics
from kammerton.model.task import Case, Evaluation

__all__ = ["applicable", "evaluate", "gather", "statistics_of_files", "survey"]


def evaluate(
    cases: Sequence[Case[InstrumentList]], measures: Sequence[Measure], options: InstrumentOptions
) -> Evaluation:
    """Return the statistics of each case, its part of the class tables, and its rows of classes.

    Parameters
    ----------
    cases : sequence of Case
        Pairs.
    measures : sequence of Measure
        What to compute: those that the annotations allow.
    options : InstrumentOptions
        Choices of the caller.
    """
    columns = build_columns(cases, options)
    by_case = [measure for measure in measures if measure.aggregate != "gathered"]
    return Evaluation(
        statistics_of_files(columns, by_case, options),
        class_tables(columns),
        gather_rows(columns) if len(by_case) < len(measures) else None,
    )


def statistics_of_files(
    columns: Columns, measures: Sequence[Measure], options: InstrumentOptions
) -> dict[Measure, Statistics]:
    """Return the statistics of ``measures``, none of them gathered, one row per file."""
    extended = None
    if any(_is_extended(measure) for measure in measures):
        extended = extended_counts(columns)
    computed = open_mic_task1.evaluate(columns, _of(open_mic_task1, measures), options, extended)
    pooled = _of(kiritchenko2006, measures)
    if extended is not None:
        computed |= kiritchenko2006.evaluate(pooled, extended)
    if ways := _of(lca, measures):
        computed |= lca.evaluate(columns, ways, options)
    if vectors := _of(scores, measures):
        computed |= scores.evaluate(columns, vectors, options)
    return {measure: computed[measure] for measure in measures}


def _is_extended(measure: Measure) -> bool:
    task1 = measure.protocol == open_mic_task1.PROTOCOL.name and measure.name in open_mic_task1.HIERARCHICAL
    return task1 or measure.protocol == kiritchenko2006.PROTOCOL.name


def _of(module: ModuleType, measures: Sequence[Measure]) -> list[Measure]:
    return [measure for measure in measures if measure.protocol == module.PROTOCOL.name]


def gather(
    gathered: Gathered, measures: Sequence[Measure], options: InstrumentOptions
) -> tuple[tuple[str, ...], dict[Measure, Statistics]]:
    """Return the names of the classes, and the statistics of each gathered measure, one row per class.

    Parameters
    ----------
    gathered : Gathered
        What :func:`evaluate` gave, of one system and annotator.
    measures : sequence of Measure
        What to compute, all of it gathered.
    options : InstrumentOptions
        Choices of the caller.

    Returns
    -------
    tuple of str, dict of Measure to ndarray
        Instruments, or topics, by name; behind them, if a measure is over all pairs of file and label,
        ``"all"``. A row of NaN where a measure has no such class.
    """
    queries = Queries(gathered, options)
    computed = open_mic_task1.gather(queries, _of(open_mic_task1, measures), options)
    if searches := _of(open_mic_task2, measures):
        computed |= open_mic_task2.gather(queries, searches, options)
    vectors = _of(scores, measures)
    if not vectors:
        return queries.names, computed
    nothing = np.full((1, len(RATE)), np.nan)
    computed = {measure: np.concatenate((found, nothing)) for measure, found in computed.items()}
    return (*queries.names, scores.EVERYTHING), computed | scores.gather(queries, vectors, options)


_REASONS = {
    "KT670": (
        "no taxonomy",
        "--taxonomy names one that has the labels: openmic-2018, general-midi, medleydb, or a file",
    ),
    "KT671": (
        "estimates are sets, not ranked lists",
        "list the likeliest instrument first, or give scores",
    ),
    "KT672": (
        "estimates have no scores, by which files could be ranked",
        "give each label of an estimate a score",
    ),
    "KT673": (
        "estimates do not score every label of a vocabulary",
        None,
    ),
    "KT674": (
        "estimates score every label, so that all of them would be listed",
        "say what is taken for present: --threshold 0.5, or --top-k 5",
    ),
    "KT675": (
        "the references are queries with relevant documents, which are no classes",
        None,
    ),
}


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the annotations allow."""

    taxonomy: bool
    ranked: bool
    scored: bool
    vectors: bool
    listed: bool
    queries: bool
    graded: bool

    def obstacle(self, measure: Measure) -> str | None:
        """Return the code of what keeps a measure from having figures."""
        if self.queries and not self._asks_documents(measure):
            return "KT675"
        if _is_hierarchical(measure) and not (self.taxonomy or self.queries):
            return "KT670"
        if measure.protocol == scores.PROTOCOL.name:
            return None if self.vectors else "KT673"
        if _ranks_files(measure):
            return None if self.scored else "KT672"
        if measure.protocol == open_mic_task1.PROTOCOL.name and measure.name == "AP":
            return None if self.ranked else "KT671"
        return None if self.listed else "KT674"

    def _asks_documents(self, measure: Measure) -> bool:
        if measure.protocol == open_mic_task1.PROTOCOL.name:
            return measure.name not in open_mic_task1.HIERARCHICAL and measure.aggregate != "gathered"
        if measure.protocol == open_mic_task2.PROTOCOL.name:
            return self.graded or measure.name not in open_mic_task2.GRADED
        return False


def _is_hierarchical(measure: Measure) -> bool:
    by_protocol = {
        open_mic_task1.PROTOCOL.name: measure.name in open_mic_task1.HIERARCHICAL,
        open_mic_task2.PROTOCOL.name: measure.name in open_mic_task2.GRADED,
        kiritchenko2006.PROTOCOL.name: True,
        lca.PROTOCOL.name: True,
    }
    return by_protocol.get(measure.protocol, False)


def survey(
    references: Sequence[InstrumentList], estimates: Sequence[InstrumentList], options: InstrumentOptions
) -> dict[str, int]:
    """Count what decides which measures have figures."""
    topics = [ref for ref in references if ref.query]
    best = [int(ref.grades.max(initial=1)) for ref in topics]
    ordered = [est for est in estimates if est.ranked or est.vector]
    return {
        "references": len(references),
        "queries": len(topics),
        "queries with grade 2": sum(grade == 2 for grade in best),
        "queries with higher grades": sum(grade > 2 for grade in best),
        "references with vectors": sum(ref.vector for ref in references),
        "estimates": len(estimates),
        "ranked": sum(est.ranked for est in estimates),
        "ordered": len(ordered),
        "scored": sum(len(est.scores) > 0 for est in ordered),
        "vectors": sum(est.vector for est in estimates),
        "without order": sum(len(est) > 1 and not (est.ranked or est.vector) for est in estimates),
        "cut without order": sum(
            len(est) > options.top_k > 0 and not (est.ranked or est.vector) for est in estimates
        ),
        "without vector": sum(len(est) > 0 and not est.vector for est in estimates),
        "without scores": sum(
            len(est) > 0 and not (len(est.scores) and (est.ranked or est.vector)) for est in estimates
        ),
    }


def applicable(
    counts: Mapping[str, int], measures: Sequence[Measure], options: InstrumentOptions
) -> tuple[tuple[Measure, ...], tuple[Diagnostic, ...]]:
    """Return the measures that annotations have figures for, and a note for each reason against."""
    if 0 < counts["queries"] < counts["references"]:
        return (), (_mixed(counts["queries"], counts["references"]),)
    facts = _facts(counts, options)
    left_out: dict[str, list[Measure]] = {}
    found = []
    for measure in measures:
        obstacle = facts.obstacle(measure)
        if obstacle is None:
            found.append(measure)
        else:
            left_out.setdefault(obstacle, []).append(measure)
    notes = [_note(code, left_out[code]) for code in sorted(left_out)]
    if facts.ranked and any(_is_ranked_alike(measure) for measure in found):
        notes += _unranked(counts)
    if any(measure.protocol == scores.PROTOCOL.name for measure in found):
        notes += _without_vectors(counts)
    if not facts.queries and any(_ranks_files(measure) for measure in found):
        notes += _without_scores(counts)
    return tuple(found), (*notes, *_scored_references(counts, options), *_cut_without_order(counts, options))


def _facts(counts: Mapping[str, int], options: InstrumentOptions) -> _Facts:
    queries, vectors = counts["queries"] > 0, counts["vectors"] > 0
    return _Facts(
        taxonomy=options.tree is not None,
        ranked=counts["ordered"] > 0,
        scored=counts["scored"] > 0 or (queries and counts["ranked"] > 0),
        vectors=vectors,
        listed=not vectors or options.cut is not None or options.top_k > 0,
        queries=queries,
        graded=counts["queries with grade 2"] > 0 and not counts["queries with higher grades"],
    )


def _note(code: str, measures: Sequence[Measure]) -> Diagnostic:
    why, hint = _REASONS[code]
    many = len(measures) > 1
    message = f"{why}: {_listed(measures)} {'are' if many else 'is'} not evaluated"
    return Diagnostic(code=code, severity="note", message=message, hint=hint)


def _listed(measures: Sequence[Measure]) -> str:
    """Name measures, and only the protocol where all of a protocol are meant."""
    parts = []
    for protocol in PROTOCOLS:
        own = [measure.name for measure in measures if measure.protocol == protocol.name]
        if len(own) == len(protocol.measures) > 1:
            parts.append(protocol.name)
        elif own:
            parts.append(f"{protocol.name}/{' '.join(own)}")
    return ", ".join(parts)


def _mixed(topics: int, references: int) -> Diagnostic:
    message = f"{topics:,} of {references:,} references are queries, and the others recordings"
    hint = "score them apart"
    return Diagnostic(code="KT680", severity="error", message=message, hint=hint)


def _ranks_files(measure: Measure) -> bool:
    return measure.protocol == open_mic_task2.PROTOCOL.name and measure.name not in open_mic_task2.AS_SETS


def _without_scores(counts: Mapping[str, int]) -> Iterator[Diagnostic]:
    count, estimates = counts["without scores"], counts["estimates"]
    if count:
        message = f"{count:,} of {estimates:,} estimates have no scores: what they list comes last, and ties"
        yield Diagnostic(code="KT679", severity="note", message=message)


def _is_ranked_alike(measure: Measure) -> bool:
    return measure.protocol == open_mic_task1.PROTOCOL.name and measure.name == "AP"


def _unranked(counts: Mapping[str, int]) -> Iterator[Diagnostic]:
    count, estimates = counts["without order"], counts["estimates"]
    if count:
        message = f"{count:,} of {estimates:,} estimates are not ranked: all their labels tie"
        yield Diagnostic(code="KT676", severity="note", message=message)


def _without_vectors(counts: Mapping[str, int]) -> Iterator[Diagnostic]:
    count, estimates = counts["without vector"], counts["estimates"]
    if count:
        which = f"{count:,} of {estimates:,} estimates do not score every label"
        message = f"{which}: for {scores.PROTOCOL.name}, what they do not score is not found"
        yield Diagnostic(code="KT677", severity="note", message=message)


def _scored_references(counts: Mapping[str, int], options: InstrumentOptions) -> Iterator[Diagnostic]:
    count, references = counts["references with vectors"], counts["references"]
    if count:
        given = options.truth_threshold.strip()
        message = f"{count:,} of {references:,} references score labels: annotated is what passes {given}"
        hint = "--truth-threshold has another threshold"
        yield Diagnostic(code="KT678", severity="note", message=message, hint=hint)


def _cut_without_order(counts: Mapping[str, int], options: InstrumentOptions) -> Iterator[Diagnostic]:
    count = counts["cut without order"]
    if count:
        which = out_of(count, counts["estimates"], "estimate")
        verb = inflected(count, "is", "are")
        message = f"{which} {verb} not ranked: --top-k {options.top_k} keeps what is listed first"
        hint = "give scores or ranks, or leave out --top-k"
        yield Diagnostic(code="KT681", severity="warning", message=message, hint=hint)
