# SPDX-License-Identifier: MIT
"""All protocols of instruments: which measures apply, and their statistics of files and of classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from kammerton.errors import Diagnostic, inflected, out_of
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.columns import InstrumentColumns, build_columns
from kammerton.instruments.error_analysis import class_tables
from kammerton.instruments.formulas import RATE, ByMeasure
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
from kammerton.model.measure import Gathered, Measure
from kammerton.model.task import Case, Evaluation


def evaluate(
    cases: Sequence[Case[InstrumentList]], measures: Sequence[Measure], options: InstrumentOptions
) -> Evaluation:
    """Return the statistics of each case, its part of the class tables, and its rows of classes.

    ``measures`` are those that the annotations allow.
    """
    columns = build_columns(cases, options)
    by_case = [measure for measure in measures if measure.aggregate != "gathered"]
    return Evaluation(
        statistics_of_files(columns, by_case, options),
        class_tables(columns),
        gather_rows(columns) if len(by_case) < len(measures) else None,
    )


def statistics_of_files(
    columns: InstrumentColumns, measures: Sequence[Measure], options: InstrumentOptions
) -> ByMeasure:
    """Return the statistics of ``measures``, none of them gathered, one row per file."""
    computed: ByMeasure = {}
    for module in (open_mic_task1, kiritchenko2006, lca, scores):
        own = [measure for measure in measures if measure.protocol == module.PROTOCOL.name]
        if own:
            computed |= module.evaluate(columns, own, options)
    return {measure: computed[measure] for measure in measures}


def gather(
    gathered: Gathered, measures: Sequence[Measure], options: InstrumentOptions
) -> tuple[tuple[str, ...], ByMeasure]:
    """Return the names of the classes, and the statistics of each gathered measure, one row per class.

    ``gathered`` is of one system and annotator. Classes are instruments, or topics, by name; behind them, if
    a measure is over all pairs of file and label, ``"all"``. A row is NaN where a measure has no such class.
    """
    queries = Queries(gathered, options)
    computed: ByMeasure = {}
    for module in (open_mic_task1, open_mic_task2):
        own = [measure for measure in measures if measure.protocol == module.PROTOCOL.name]
        if own:
            computed |= module.gather(queries, own, options)
    vectors = [measure for measure in measures if measure.protocol == scores.PROTOCOL.name]
    if not vectors:
        return queries.names, computed
    nothing = np.full((1, len(RATE)), np.nan)
    computed = {measure: np.concatenate((rows, nothing)) for measure, rows in computed.items()}
    return (*queries.names, scores.EVERYTHING), computed | scores.gather(queries, vectors, options)


# --- which measures apply --------------------------------------------------------------------

_OBSTACLES = {
    "KT670": (
        "no taxonomy",
        "--taxonomy names one that has the labels: openmic-2018, general-midi, medleydb, or a file",
    ),
    "KT671": ("estimates are sets, not ranked lists", "list the likeliest instrument first, or give scores"),
    "KT672": (
        "estimates have no scores, by which files could be ranked",
        "give each label of an estimate a score",
    ),
    "KT673": ("estimates do not score every label of a vocabulary", None),
    "KT674": (
        "estimates score every label, so that all of them would be listed",
        "say what is taken for present: --threshold 0.5, or --top-k 5",
    ),
    "KT675": ("the references are queries with relevant documents, which are no classes", None),
}


def survey(
    references: Sequence[InstrumentList], estimates: Sequence[InstrumentList], options: InstrumentOptions
) -> dict[str, int]:
    """Count what decides which measures have scores."""
    topics = [ref for ref in references if ref.query]
    best = [int(ref.grades.max(initial=1)) for ref in topics]
    ordered = [est for est in estimates if est.ranked or est.vector]
    unordered = [len(est) for est in estimates if not (est.ranked or est.vector)]
    unscored = [len(est) for est in ordered if not len(est.scores)]
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
        "without order": sum(labels > 1 for labels in unordered),
        "cut without order": sum(labels > options.top_k > 0 for labels in unordered),
        "without vector": sum(len(est) > 0 and not est.vector for est in estimates),
        "without scores": sum(labels > 0 for labels in (*unordered, *unscored)),
    }


def applicable(
    counts: Mapping[str, int], measures: Sequence[Measure], options: InstrumentOptions
) -> tuple[tuple[Measure, ...], tuple[Diagnostic, ...]]:
    """Return the measures that annotations have scores for, and a note for each reason against."""
    queries, references = counts["queries"], counts["references"]
    if 0 < queries < references:
        message = f"{queries:,} of {references:,} references are queries, and the others recordings"
        return (), (Diagnostic(code="KT680", severity="error", message=message, hint="score them apart"),)
    excluded: dict[str, list[Measure]] = {}
    applying = []
    for measure in measures:
        obstacle = _obstacle(measure, counts, options)
        if obstacle is None:
            applying.append(measure)
        else:
            excluded.setdefault(obstacle, []).append(measure)
    reasons = []
    for code in sorted(excluded):
        why, hint = _OBSTACLES[code]
        verb = inflected(len(excluded[code]), "is", "are")
        message = f"{why}: {_listed(excluded[code])} {verb} not evaluated"
        reasons.append(Diagnostic(code=code, severity="note", message=message, hint=hint))
    return tuple(applying), (*reasons, *_notes(counts, applying, options))


def _ranks_files(measure: Measure) -> bool:
    return measure.protocol == open_mic_task2.PROTOCOL.name and measure.name not in open_mic_task2.AS_SETS


def _ranks_labels(measure: Measure) -> bool:
    return measure.protocol == open_mic_task1.PROTOCOL.name and measure.name == "AP"


def _obstacle(measure: Measure, counts: Mapping[str, int], options: InstrumentOptions) -> str | None:
    """Return the code of what keeps a measure from having scores."""
    queries = counts["queries"] > 0
    needs_taxonomy = (
        measure.protocol == lca.PROTOCOL.name
        or measure.name in open_mic_task1.HIERARCHICAL | open_mic_task2.GRADED
    )
    if queries and not _is_of_documents(measure, counts):
        return "KT675"
    if needs_taxonomy and not queries and options.tree is None:
        return "KT670"
    if measure.protocol == scores.PROTOCOL.name:
        return None if counts["vectors"] else "KT673"
    if _ranks_files(measure):
        return None if counts["scored"] or (queries and counts["ranked"]) else "KT672"
    if _ranks_labels(measure):
        return None if counts["ordered"] else "KT671"
    are_listed = not counts["vectors"] or options.cut is not None or options.top_k > 0
    return None if are_listed else "KT674"


def _is_of_documents(measure: Measure, counts: Mapping[str, int]) -> bool:
    """Return whether a measure has scores of queries."""
    if measure.protocol == open_mic_task1.PROTOCOL.name:
        return measure.name not in open_mic_task1.HIERARCHICAL and measure.aggregate != "gathered"
    if measure.protocol == open_mic_task2.PROTOCOL.name:
        graded = counts["queries with grade 2"] > 0 and not counts["queries with higher grades"]
        return graded or measure.name not in open_mic_task2.GRADED
    return False


def _listed(measures: Sequence[Measure]) -> str:
    """Return the names of measures, and only that of the protocol where it is all of a protocol."""
    parts = []
    for protocol in PROTOCOLS:
        own = [measure.name for measure in measures if measure.protocol == protocol.name]
        if len(own) == len(protocol.measures) > 1:
            parts.append(protocol.name)
        elif own:
            parts.append(f"{protocol.name}/{' '.join(own)}")
    return ", ".join(parts)


def _notes(
    counts: Mapping[str, int], measures: Sequence[Measure], options: InstrumentOptions
) -> Iterator[Diagnostic]:
    """Give what users must know of the annotations to understand the scores."""

    def share(code: str, which: str, side: str, what: str, hint: str | None = None) -> Iterator[Diagnostic]:
        if counts[which]:
            message = f"{counts[which]:,} of {counts[side]:,} {side} {what}"
            yield Diagnostic(code=code, severity="note", message=message, hint=hint)

    if any(map(_ranks_labels, measures)):
        yield from share("KT676", "without order", "estimates", "are not ranked: all their labels tie")
    if any(measure.protocol == scores.PROTOCOL.name for measure in measures):
        what = f"do not score every label: for {scores.PROTOCOL.name}, what they do not score is not found"
        yield from share("KT677", "without vector", "estimates", what)
    if not counts["queries"] and any(map(_ranks_files, measures)):
        what = "have no scores: what they list comes last, and ties"
        yield from share("KT679", "without scores", "estimates", what)
    what = f"score labels: annotated is what passes {options.truth_threshold.strip()}"
    hint = "--truth-threshold has another threshold"
    yield from share("KT678", "references with vectors", "references", what, hint)
    count = counts["cut without order"]
    if count:
        which = out_of(count, counts["estimates"], "estimate")
        verb = inflected(count, "is", "are")
        message = f"{which} {verb} not ranked: --top-k {options.top_k} keeps what is listed first"
        hint = "give scores or ranks, or leave out --top-k"
        yield Diagnostic(code="KT681", severity="warning", message=message, hint=hint)
