# SPDX-License-Identifier: MIT
"""Protocol ``open-mic-task2``: which recordings have an instrument.

The measures of the OpenMIC campaign's second task. A query is an instrument, and its answers are the files
ranked by their score for it; or a topic with documents.
"""

from __future__ import annotations

from collections.abc import Sequence

from kammerton.instruments.formulas import ByMeasure, Texts, leave_out, measures, quotients, rates
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.protocols.open_mic_task1 import PROTOCOL as TASK1
from kammerton.instruments.retrieval import Answers, Parts, Queries
from kammerton.model.measure import BY_HAND, Measure, Protocol

_NAME = "open-mic-task2"

PLACES = (5, 10, 15, 20, 50, 100)
"""Places at which precision is measured."""

AS_SETS = frozenset(("set_P", "set_R", "set_F"))
"""Measures that do not look at the order."""

GRADED = frozenset(("ERR", "GAP", *(f"EP@{places}" for places in PLACES)))
"""Measures that need the grades 0, 1, 2."""

_NONE_THERE = "no file has the instrument"
_CAMPAIGN = "OpenMIC, an open MIR evaluation campaign, 2016-17: Task 2"
_TREC = "pytrec_eval (1e-9) with --ties trec"

_HEADLINES = ("RR", "P@10", "AP", "ERR", "GAP", "nDCG")
_CARDS: dict[str, Texts] = {
    "RR": ("How early the first right file comes.", "1 / place of the first right file; 0 if none", "never"),
    **{
        f"P@{places}": (
            f"How many of the first {places} files are right.",
            f"right files up to place {places} / {places}",
            "never",
        )
        for places in PLACES
    },
    "AP": (
        "Average precision: right files ahead of wrong ones, none missing.",
        "sum over right files of (right files up to its place / its place) / right files of the corpus",
        _NONE_THERE,
    ),
    "ERR": (
        "How early a reader is satisfied who goes down the list; siblings satisfy in part.",
        "sum over places i of 1/i * p_i * product over j < i of (1 - p_j), p = grade / 2",
        "never",
    ),
    **{
        f"EP@{places}": (
            f"How many of the first {places} files are right, as readers see it who take siblings or not.",
            f"1/3 * files of grade 1 or 2 / {places} + 2/3 * files of grade 2 / {places}",
            "never",
        )
        for places in PLACES
    },
    "GAP": (
        "Average precision, as readers see it who take siblings or not.",
        "sum over t = 1, 2 of t/3 * the sum over files of grade >= t of their precision / the most it can be",
        "no file has the instrument, nor a sibling",
    ),
    "nDCG": (
        "Grades of the files, the earlier the better, against the best order of the whole corpus.",
        "sum of grade / log2(place + 1) / the same of the corpus in the best order",
        "no file has the instrument, nor a sibling",
    ),
    "set_P": (
        "How much of what is returned is right.",
        "right files returned / files returned",
        "no file is returned",
    ),
    "set_R": (
        "How much of what is right is returned.",
        "right files returned / right files of the corpus",
        _NONE_THERE,
    ),
    "set_F": (
        "Balance of both.",
        "2 * right files returned / (files returned + right files of the corpus)",
        "no file is returned, and none is right",
    ),
}


def _agreement(name: str) -> str:
    return BY_HAND if name in GRADED else f"{_TREC}; scikit-learn (1e-12)" if name == "nDCG" else _TREC


PROTOCOL = Protocol(
    name=_NAME,
    revision=2,
    summary="Files for each instrument: the second task of the OpenMIC campaign.",
    rules=(
        "For each instrument, files are ranked by the score that the system gave it there; at most 1000 "
        "count (option results). A file is right if it is annotated with the instrument. Grades: 2 for the "
        "instrument or one below it, 1 for a sibling, 0 else; children of the root are no siblings. ERR "
        "multiplies the chances of going on; AP, GAP and nDCG count all files of the corpus. Instruments "
        "that no file is annotated with are in no mean. Ties: RR, P@k, AP and nDCG are averaged over all "
        "orders; ERR, EP and GAP keep the order of a topic's list, and for an instrument that of file names."
    ),
    measures=tuple(
        measure
        for name, texts in _CARDS.items()
        for measure in measures(
            _NAME,
            {name: texts},
            _CAMPAIGN,
            _agreement(name),
            headlines=_HEADLINES,
            aggregate="gathered",
            unit="queries",
        )
    ),
    citation=TASK1.citation,
)


def gather(queries: Queries, chosen: Sequence[Measure], options: InstrumentOptions) -> ByMeasure:
    """Return the statistics of each query, for measures of this protocol."""
    answers, returned = queries.answers(), queries.answers(as_set=True)
    as_set = quotients(returned.as_set())
    annotated, known = queries.annotated > 0, queries.judged > 0
    computed = {}
    for measure in chosen:
        is_set = measure.name in AS_SETS
        parts = as_set[measure.name[-1]] if is_set else _ranked(measure.name, answers, options)
        rows = rates(*parts, undefined=options.undefined, annotated=annotated, known=known)
        computed[measure] = leave_out(rows, queries.rare)
    return computed


def _ranked(name: str, answers: Answers, options: InstrumentOptions) -> Parts:
    measured, _, places = name.partition("@")
    if places:
        at = answers.precision_at if measured == "P" else answers.expected_precision_at
        return at(int(places))
    if name == "ERR":
        return answers.reciprocal_rank_of_satisfaction(options.gain)
    return {
        "RR": answers.reciprocal_rank,
        "AP": answers.average_precision,
        "GAP": answers.graded_average_precision,
        "nDCG": answers.discounted_gain,
    }[name]()
