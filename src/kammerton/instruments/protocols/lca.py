# SPDX-License-Identifier: MIT
"""Protocol ``lca``: each label with the way to its lowest common ancestor with the other side."""

from __future__ import annotations

from collections.abc import Sequence

from kammerton.instruments.columns import InstrumentColumns
from kammerton.instruments.formulas import ByMeasure, Texts, lca_counts, measures, quotients, rates
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.measure import BY_HAND, Measure, Protocol

_PAPER = "Kosmopoulos, Partalas, Gaussier, Paliouras & Androutsopoulos 2015, doi:10.1007/s10618-014-0382-x"

_CARDS: dict[str, Texts] = {
    "P": (
        "Precision on labels with the way to their lowest common ancestor.",
        "nodes on ways of both sides / nodes on ways of listed labels",
        "nothing is listed; it then counts 0 in the mean if anything is annotated",
    ),
    "R": (
        "Recall on labels with the way to their lowest common ancestor.",
        "nodes on ways of both sides / nodes on ways of annotated labels",
        "no instrument is annotated",
    ),
    "F": (
        "Balance of both, of each file.",
        "2 * nodes on ways of both sides / (nodes on ways of listed + of annotated labels)",
        "nothing is listed, nor annotated",
    ),
}

_CITATION = """@article{kosmopoulos2015hierarchical,
  author = {Kosmopoulos, Aris and Partalas, Ioannis and Gaussier, Eric and
    Paliouras, Georgios and Androutsopoulos, Ion},
  title = {Evaluation measures for hierarchical classification: a unified
    view and novel approaches},
  journal = {Data Mining and Knowledge Discovery},
  volume = {29},
  number = {3},
  year = {2015},
  doi = {10.1007/s10618-014-0382-x},
}"""

PROTOCOL = Protocol(
    name="lca",
    revision=1,
    summary="Hierarchical measures in which deep labels weigh no more than others.",
    rules=(
        "Each label is connected with the deepest ancestor, or itself, that it shares with a label of the "
        "other side; equally deep ones all count, a root only where there is nothing else. The nodes on "
        "these ways are compared. Corpus score: mean over files, as in open-mic-task1."
    ),
    measures=measures("lca", _CARDS, _PAPER, BY_HAND, headlines=("F",)),
    citation=_CITATION,
)


def evaluate(columns: InstrumentColumns, chosen: Sequence[Measure], options: InstrumentOptions) -> ByMeasure:
    """Return the statistics of measures of this protocol."""
    counts = lca_counts(columns)
    pairs, annotated = quotients(counts), counts[:, 2] > 0
    return {
        measure: rates(
            *pairs[measure.name], undefined=options.undefined, annotated=annotated, known=columns.known
        )
        for measure in chosen
    }
