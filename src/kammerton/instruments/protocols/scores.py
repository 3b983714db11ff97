# SPDX-License-Identifier: MIT
"""Protocol ``scores``: the measures of systems that score every label of a vocabulary.

As in scikit-learn, over what was judged: each label over all files, all of them together, and each file.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kammerton.instruments.columns import InstrumentColumns, Lists, average_precision, rank, roc_area
from kammerton.instruments.formulas import RATE, ByMeasure, Texts, leave_out, measures, rates
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.retrieval import Queries
from kammerton.model.measure import Measure, Protocol

_NAME = "scores"
EVERYTHING = "all"
"""Name of the only class of micro scores."""

_AREA = "area under the curve of precision over recall, in steps"
_PAIRS = "pairs of a file that has the label and one that has not, scored in this order / all such pairs"
_NO_HIT = "no file has the label"
_SOURCE = "scikit-learn's definitions, as PaSST, MediaEval 2019 and MTG-Jamendo use them"
_SKLEARN = "scikit-learn 1.9 (1e-12)"

_HEADLINES = ("mAP", "ROC_AUC")
_MACRO: dict[str, Texts] = {
    "mAP": ("Average precision of each label over files, averaged over labels.", _AREA, _NO_HIT),
    "ROC_AUC": (
        "How likely a file that has a label is scored above one that has not, averaged over labels.",
        f"{_PAIRS}; equal scores count half",
        "all files have the label, or none",
    ),
    "PR_AUC": (
        "The same as mAP, under the name that MediaEval and MTG-Jamendo print; no trapezoids.",
        _AREA,
        _NO_HIT,
    ),
}
_RANKED: dict[str, Texts] = {
    "LRAP": (
        "Label ranking average precision of each file, averaged over files; one step for equal scores.",
        "mean over labels of the file of (labels of the file scored as high / labels scored as high)",
        "the file has no label",
    )
}


_TOGETHER = "over all pairs of file and label together"
_NOTHING = "no file has any label"
_MICRO: dict[str, Texts] = {
    "micro_mAP": (f"As mAP, {_TOGETHER}.", _AREA, _NOTHING),
    "micro_ROC_AUC": (
        f"As ROC_AUC, {_TOGETHER}.",
        f"{_PAIRS}; equal scores count half",
        f"{_NOTHING}, or every file every one",
    ),
    "micro_PR_AUC": (f"As PR_AUC, {_TOGETHER}.", _AREA, _NOTHING),
}


_CITATION = """@article{pedregosa2011sklearn,
  author = {Pedregosa, F. and Varoquaux, G. and Gramfort, A. and Michel, V.
    and Thirion, B. and Grisel, O. and Blondel, M. and Prettenhofer, P. and
    Weiss, R. and Dubourg, V. and Vanderplas, J. and Passos, A. and
    Cournapeau, D. and Brucher, M. and Perrot, M. and Duchesnay, E.},
  title = {Scikit-learn: Machine Learning in {Python}},
  journal = {Journal of Machine Learning Research},
  volume = {12},
  pages = {2825--2830},
  year = {2011},
}"""

PROTOCOL = Protocol(
    name=_NAME,
    revision=1,
    summary="Score vectors: how well scores tell what is there from what is not, at any threshold.",
    rules=(
        "Needs a score for every label of a vocabulary; thresholds do not matter. Pairs of file and label "
        "that nobody judged are left out. Equal scores are one step, whatever --ties says. An annotated "
        "label without a score is not found: it is behind all others, and adds no precision. Systems that "
        "only list labels have no scores of labels."
    ),
    measures=(
        *measures(
            _NAME, _MACRO, _SOURCE, _SKLEARN, headlines=_HEADLINES, aggregate="gathered", unit="labels"
        ),
        *measures(_NAME, _RANKED, _SOURCE, _SKLEARN),
        *measures(
            _NAME, _MICRO, _SOURCE, _SKLEARN, headlines=(), aggregate="gathered", unit="pairs", over_all=True
        ),
    ),
    citation=_CITATION,
)


def evaluate(columns: InstrumentColumns, chosen: Sequence[Measure], options: InstrumentOptions) -> ByMeasure:
    """Return the statistics of LRAP, one row per file."""
    scored = columns.condensed(columns.scored)
    hits = columns.annotated(scored)
    part, _ = average_precision(scored, rank(scored, "grouped"), hits)
    annotated = columns.truth.lengths.astype(np.float64)
    rows = rates(
        part,
        annotated,
        undefined=options.undefined,
        annotated=annotated > 0,
        known=columns.known,
        of_nothing=1.0,
    )
    return dict.fromkeys(chosen, rows)


def gather(queries: Queries, chosen: Sequence[Measure], options: InstrumentOptions) -> ByMeasure:
    """Return the statistics of each label, and behind them a row for all together."""
    lists, hits = queries.vectors()
    together = Lists(lists.offsets[[0, -1]], lists.codes, lists.strengths)
    rankings = {vectors: rank(vectors, "grouped") for vectors in (lists, together)}
    nothing = np.full((1, len(RATE)), np.nan)
    computed = {}
    for measure in chosen:
        kernel = roc_area if measure.name.endswith("ROC_AUC") else average_precision
        vectors = together if measure.over_all else lists
        part, whole = kernel(vectors, rankings[vectors], hits)
        annotated = whole > 0
        rows = rates(part, whole, undefined=options.undefined, annotated=annotated)
        if kernel is roc_area and options.undefined == "sklearn" and not annotated.all():
            rows[:, 2:4] = 0.0  # scikit-learn has no mean then
        if not measure.over_all:
            rows = leave_out(rows, queries.rare)
        if queries.only_lists:
            rows = np.zeros_like(rows)
        others = np.repeat(nothing, len(queries), axis=0) if measure.over_all else nothing
        computed[measure] = np.concatenate((others, rows) if measure.over_all else (rows, others))
    return computed
