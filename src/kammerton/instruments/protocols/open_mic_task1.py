# SPDX-License-Identifier: MIT
"""Protocol ``open-mic-task1``: which instruments a recording has.

The measures of the OpenMIC campaign's first task: each file on its own, averaged over files; beside them
all files together, and each instrument on its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from kammerton.instruments.columns import Columns
from kammerton.instruments.formulas import Counts, leave_out, measure, rates
from kammerton.instruments.hierarchical import counts_of_files, list_precision
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.retrieval import Queries
from kammerton.model.measure import Measure, Protocol, Statistics, Values

__all__ = ["HIERARCHICAL", "PROTOCOL", "evaluate", "gather", "gathered_rates"]

_NAME = "open-mic-task1"
_CAMPAIGN = "OpenMIC, an open MIR evaluation campaign, 2016-17: Task 1"
_SKLEARN = "scikit-learn (1e-12)"
_BOTH = f"{_SKLEARN}; pytrec_eval (1e-9) with --ties trec"
_EXAMPLE = "hiclass 5.0.8 on lists that it takes (1e-12); the campaign's own example, by hand"

HIERARCHICAL = frozenset(("hP", "hR", "hF"))
"""Measures that need a taxonomy."""

_NOT_ANNOTATED = "no instrument is annotated"
_HEADLINES = ("P", "R", "F", "AP", "hP", "hR", "hF", "micro_F", "macro_F")
_FILES = {
    "P": (
        "Precision: how much of what the system lists is there.",
        "labels listed and annotated / labels listed",
        "nothing is listed; it then counts 0 in the mean if anything is annotated",
        _CAMPAIGN,
        _BOTH,
    ),
    "R": (
        "Recall: how much of what is there the system lists.",
        "labels listed and annotated / labels annotated",
        _NOT_ANNOTATED,
        _CAMPAIGN,
        _BOTH,
    ),
    "F": (
        "Balance of precision and recall of each file; the mean is not the F of the mean P and R.",
        "2 * labels listed and annotated / (labels listed + labels annotated)",
        "nothing is listed, nor annotated",
        _CAMPAIGN,
        _BOTH,
    ),
    "AP": (
        "Average precision of the ranked list: right labels ahead of wrong ones.",
        "sum over right labels of (right labels up to its place / its place) / labels annotated",
        _NOT_ANNOTATED,
        _CAMPAIGN,
        _BOTH,
    ),
    "hP": (
        "Precision on labels with all their ancestors.",
        "nodes above listed and above annotated labels / nodes above listed labels",
        "nothing but roots is listed; it then counts 0 in the mean if anything is annotated",
        _CAMPAIGN,
        _EXAMPLE,
    ),
    "hR": (
        "Recall on labels with all their ancestors.",
        "nodes above listed and above annotated labels / nodes above annotated labels",
        _NOT_ANNOTATED,
        _CAMPAIGN,
        _EXAMPLE,
    ),
    "hF": (
        "Balance of hierarchical precision and recall of each file.",
        "2 * nodes above both / (nodes above listed + nodes above annotated labels)",
        "nothing is listed, nor annotated",
        _CAMPAIGN,
        _EXAMPLE,
    ),
}

_Which = Literal["P", "R", "F"]
_ALL = "All labels of all files together"
_EACH = "Each instrument over all files, averaged over instruments"
_SUMMED = "summed over files"
_NONE = "none in any file"
_MICRO: dict[_Which, tuple[str, str, str, str, str]] = {
    "P": (f"{_ALL}: precision.", f"hits / listed, {_SUMMED}", _NONE, _CAMPAIGN, _SKLEARN),
    "R": (f"{_ALL}: recall.", f"hits / annotated, {_SUMMED}", _NONE, _CAMPAIGN, _SKLEARN),
    "F": (
        f"{_ALL}: balance of both.",
        f"2 * hits / (listed + annotated), {_SUMMED}",
        _NONE,
        _CAMPAIGN,
        _SKLEARN,
    ),
}
_MACRO: dict[_Which, tuple[str, str, str, str, str]] = {
    "P": (
        f"{_EACH}: precision.",
        "mean over instruments of hits / listed of its files",
        "it is never listed; it is then not in the mean",
        _CAMPAIGN,
        _SKLEARN,
    ),
    "R": (
        f"{_EACH}: recall.",
        "mean over instruments of hits / annotated of its files",
        "it is never annotated; it is then not in the mean",
        _CAMPAIGN,
        _SKLEARN,
    ),
    "F": (
        f"{_EACH}: balance of both.",
        "mean over instruments of 2 * hits / (listed + annotated) of its files",
        "it is neither listed nor annotated; it is then not in the mean",
        _CAMPAIGN,
        _SKLEARN,
    ),
}


def _of_file(name: str) -> Measure:
    return measure(_NAME, name, _FILES[name], headline=name in _HEADLINES)


def _micro(which: _Which) -> Measure:
    name = f"micro_{which}"
    return measure(
        _NAME,
        name,
        _MICRO[which],
        headline=name in _HEADLINES,
        formula=Counts(which),
        aggregate="pooled",
        unit="labels",
    )


def _macro(which: _Which) -> Measure:
    name = f"macro_{which}"
    return measure(
        _NAME,
        name,
        _MACRO[which],
        headline=name in _HEADLINES,
        aggregate="gathered",
        unit="instruments",
    )


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
        "annotation are in no mean over files, but in micro figures and in those of instruments. With a "
        "taxonomy: hP, hR and hF extend both sides by all ancestors on all paths, never a root. Of files "
        "judged in part, what nobody judged is left out of both sides, after it was extended."
    ),
    measures=(
        *map(_of_file, _FILES),
        *(_micro(which) for which in _MICRO),
        *(_macro(which) for which in _MACRO),
    ),
    citation=_CITATION,
)


def evaluate(
    columns: Columns, measures: Sequence[Measure], options: InstrumentOptions, extended: Statistics | None
) -> dict[Measure, Statistics]:
    """Return the statistics of ``measures``, those of this protocol that are not gathered.

    Parameters
    ----------
    columns : Columns
        Files.
    measures : sequence of Measure
        What to compute.
    options : InstrumentOptions
        Ties, and what undefined values count.
    extended : ndarray of float64, shape (files, 3), optional
        Counts of labels with their ancestors, for hierarchical measures.
    """
    flat = counts_of_files(columns)
    known = (columns.truth.lengths > 0) | (columns.absent.lengths > 0)
    computed: dict[Measure, Statistics] = {}
    for each in measures:
        if isinstance(each.formula, Counts):
            computed[each] = flat
            continue
        counts = flat
        if each.name in HIERARCHICAL:
            assert extended is not None, "hierarchical measures need a taxonomy"
            counts = extended
        annotated = counts[:, 2]
        if each.name == "AP":
            part, whole = list_precision(columns, options.ties), annotated
        else:
            part, whole = _quotients(counts)[each.name[-1]]
        computed[each] = rates(part, whole, undefined=options.undefined, annotated=annotated > 0, known=known)
    return computed


def _quotients(counts: Statistics) -> dict[str, tuple[Values, Values]]:
    """Return part and whole of each rate, by the last letter of its name."""
    hits, said, annotated = counts.T
    return {"P": (hits, said), "R": (hits, annotated), "F": (2 * hits, said + annotated)}


def gather(
    queries: Queries, measures: Sequence[Measure], options: InstrumentOptions
) -> dict[Measure, Statistics]:
    """Return the statistics of each instrument, for the gathered ones of this protocol."""
    return gathered_rates(queries.counts(), measures, options)


def gathered_rates(
    counts: Statistics, measures: Sequence[Measure], options: InstrumentOptions
) -> dict[Measure, Statistics]:
    """Return the statistics of instruments that were hit, listed and annotated so often."""
    annotated, quotients = counts[:, 2], _quotients(counts)
    computed = {}
    for each in measures:
        part, whole = quotients[each.name[-1]]
        # the campaign leaves an undefined figure of an instrument out
        undefined = "skip" if options.undefined == "campaign" else options.undefined
        found = rates(part, whole, undefined=undefined, annotated=annotated > 0)
        computed[each] = leave_out(found, annotated < options.min_support)
    return computed
