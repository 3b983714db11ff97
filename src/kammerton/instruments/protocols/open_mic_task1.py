# SPDX-License-Identifier: MIT
"""Protocol ``open-mic-task1``: which instruments a recording has.

The measures of the OpenMIC campaign's first task: each file on its own, averaged over files; beside them
all files together, and each instrument on its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from kammerton.instruments.columns import InstrumentColumns
from kammerton.instruments.formulas import (
    ByMeasure,
    Counts,
    Texts,
    counts_of_files,
    leave_out,
    list_precision,
    measures,
    quotients,
    rates,
)
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.retrieval import Queries
from kammerton.model.measure import Measure, Protocol, Statistics

_NAME = "open-mic-task1"
_CAMPAIGN = "OpenMIC, an open MIR evaluation campaign, 2016-17: Task 1"
_SKLEARN = "scikit-learn (1e-12)"
_BOTH = f"{_SKLEARN}; pytrec_eval (1e-9) with --ties trec"
_EXAMPLE = "hiclass 5.0.8 on lists that it takes (1e-12); the campaign's own example, by hand"

_NOT_ANNOTATED = "no instrument is annotated"
_FILES: dict[str, Texts] = {
    "P": (
        "Precision: how much of what the system lists is there.",
        "labels listed and annotated / labels listed",
        "nothing is listed; it then counts 0 in the mean if anything is annotated",
    ),
    "R": (
        "Recall: how much of what is there the system lists.",
        "labels listed and annotated / labels annotated",
        _NOT_ANNOTATED,
    ),
    "F": (
        "Balance of precision and recall of each file; the mean is not the F of the mean P and R.",
        "2 * labels listed and annotated / (labels listed + labels annotated)",
        "nothing is listed, nor annotated",
    ),
    "AP": (
        "Average precision of the ranked list: right labels ahead of wrong ones.",
        "sum over right labels of (right labels up to its place / its place) / labels annotated",
        _NOT_ANNOTATED,
    ),
}
_EXTENDED: dict[str, Texts] = {
    "hP": (
        "Precision on labels with all their ancestors.",
        "nodes above listed and above annotated labels / nodes above listed labels",
        "nothing but roots is listed; it then counts 0 in the mean if anything is annotated",
    ),
    "hR": (
        "Recall on labels with all their ancestors.",
        "nodes above listed and above annotated labels / nodes above annotated labels",
        _NOT_ANNOTATED,
    ),
    "hF": (
        "Balance of hierarchical precision and recall of each file.",
        "2 * nodes above both / (nodes above listed + nodes above annotated labels)",
        "nothing is listed, nor annotated",
    ),
}

HIERARCHICAL = frozenset(_EXTENDED)
"""Measures that need a taxonomy."""

_ALL = "All labels of all files together"
_EACH = "Each instrument over all files, averaged over instruments"
_SUMMED = "summed over files"
_NONE = "none in any file"
_MICRO: dict[str, Texts] = {
    "micro_P": (f"{_ALL}: precision.", f"hits / listed, {_SUMMED}", _NONE),
    "micro_R": (f"{_ALL}: recall.", f"hits / annotated, {_SUMMED}", _NONE),
    "micro_F": (f"{_ALL}: balance of both.", f"2 * hits / (listed + annotated), {_SUMMED}", _NONE),
}
_MACRO: dict[str, Texts] = {
    f"macro_{letter}": (
        f"{_EACH}: {what}.",
        f"mean over instruments of {quotient} of its files",
        f"it is {never}; it is then not in the mean",
    )
    for letter, what, quotient, never in (
        ("P", "precision", "hits / listed", "never listed"),
        ("R", "recall", "hits / annotated", "never annotated"),
        ("F", "balance of both", "2 * hits / (listed + annotated)", "neither listed nor annotated"),
    )
}

_CITATION = r"""@misc{openmic_campaign,
  author = {{cosmir}},
  title = {{OpenMIC}: an open {MIR} evaluation campaign},
  howpublished = {\url{https://github.com/cosmir/open-mic}},
  note = {2016--17},
}"""

PROTOCOL = Protocol(
    name=_NAME,
    revision=1,
    summary="Instruments of each file: the first task of the OpenMIC campaign.",
    rules=(
        "Labels match if they are equal. Duplicates count once, at their first place. Files without "
        "annotation are in no mean over files, but in micro scores and in those of instruments. With a "
        "taxonomy: hP, hR and hF extend both sides by all ancestors on all paths, never a root. Of files "
        "judged in part, what nobody judged is left out of both sides, after it was extended."
    ),
    measures=(
        *measures(_NAME, _FILES, _CAMPAIGN, _BOTH),
        *measures(_NAME, _EXTENDED, _CAMPAIGN, _EXAMPLE),
        *measures(
            _NAME, _MICRO, _CAMPAIGN, _SKLEARN, headlines=("micro_F",), aggregate="pooled", unit="labels"
        ),
        *measures(
            _NAME,
            _MACRO,
            _CAMPAIGN,
            _SKLEARN,
            headlines=("macro_F",),
            aggregate="gathered",
            unit="instruments",
        ),
    ),
    citation=_CITATION,
)


def evaluate(columns: InstrumentColumns, chosen: Sequence[Measure], options: InstrumentOptions) -> ByMeasure:
    """Return the statistics of measures of this protocol that are not gathered."""
    flat = counts_of_files(columns)
    computed: ByMeasure = {}
    for measure in chosen:
        if isinstance(measure.formula, Counts):
            computed[measure] = flat
            continue
        counts = columns.extended_counts if measure.name in HIERARCHICAL else flat
        annotated = counts[:, 2]
        if measure.name == "AP":
            part, whole = list_precision(columns, options.ties), annotated
        else:
            part, whole = quotients(counts)[measure.name[-1]]
        computed[measure] = rates(
            part, whole, undefined=options.undefined, annotated=annotated > 0, known=columns.known
        )
    return computed


def gather(queries: Queries, chosen: Sequence[Measure], options: InstrumentOptions) -> ByMeasure:
    """Return the statistics of each instrument, for gathered measures of this protocol."""
    return gathered_rates(queries.counts(), chosen, options)


def gathered_rates(counts: Statistics, chosen: Sequence[Measure], options: InstrumentOptions) -> ByMeasure:
    """Return the statistics of instruments that were hit, listed and annotated so often."""
    annotated = counts[:, 2]
    # the campaign leaves an undefined value of an instrument out
    undefined = "skip" if options.undefined == "campaign" else options.undefined
    return {
        measure: leave_out(
            rates(*quotients(counts)[measure.name[-1]], undefined=undefined, annotated=annotated > 0),
            annotated < options.min_support,
        )
        for measure in chosen
    }
