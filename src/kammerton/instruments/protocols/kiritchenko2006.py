# SPDX-License-Identifier: MIT
"""Protocol ``kiritchenko2006``: hierarchical precision, recall and F over all files together."""

from __future__ import annotations

from collections.abc import Sequence

from kammerton.instruments.columns import InstrumentColumns
from kammerton.instruments.formulas import ByMeasure, Texts, measures
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.measure import Measure, Protocol

_NAME = "kiritchenko2006"
_PAPER = "Kiritchenko, Matwin, Nock & Famili 2006, doi:10.1007/11766247_34"
_HICLASS = "hiclass 5.0.8 on lists that it takes (1e-12)"

_CARDS: dict[str, Texts] = {
    "hP": (
        "Precision on labels with all their ancestors, over all files together.",
        "sum over files of nodes above both / sum of nodes above listed labels",
        "nothing but roots is listed in any file",
    ),
    "hR": (
        "Recall on labels with all their ancestors, over all files together.",
        "sum over files of nodes above both / sum of nodes above annotated labels",
        "nothing but roots is annotated in any file",
    ),
    "hF": (
        "Balance of hierarchical precision and recall, over all files together.",
        "2 hP hR / (hP + hR)",
        "nothing is listed, nor annotated",
    ),
}

_CITATION = """@inproceedings{kiritchenko2006hierarchies,
  author = {Kiritchenko, Svetlana and Matwin, Stan and Nock, Richard and
    Famili, A. Fazel},
  title = {Learning and evaluation in the presence of class hierarchies:
    Application to text categorization},
  booktitle = {Canadian Conference on Artificial Intelligence},
  year = {2006},
  doi = {10.1007/11766247_34},
}"""

PROTOCOL = Protocol(
    name=_NAME,
    revision=1,
    summary="Hierarchical precision and recall as first published: all files together.",
    rules=(
        "Labels are extended by all their ancestors on all paths, never a root; nodes are counted over "
        "all files, then divided. open-mic-task1 has the same of each file, averaged over files."
    ),
    measures=measures(_NAME, _CARDS, _PAPER, _HICLASS, aggregate="pooled", unit="nodes"),
    citation=_CITATION,
)


def evaluate(columns: InstrumentColumns, chosen: Sequence[Measure], _: InstrumentOptions) -> ByMeasure:
    """Return the statistics of measures of this protocol, from counts of labels with their ancestors."""
    return dict.fromkeys(chosen, columns.extended_counts)
