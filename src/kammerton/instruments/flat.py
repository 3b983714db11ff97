# SPDX-License-Identifier: MIT
"""Labels against labels, without a taxonomy: counts of each file and of each label."""

from __future__ import annotations

import numpy as np

from kammerton.core.intervals import Flags
from kammerton.instruments.columns import Columns
from kammerton.instruments.lists import rank
from kammerton.instruments.options import Ties
from kammerton.instruments.ranking import precision_at_hits
from kammerton.model.measure import Statistics, Values

__all__ = ["counts_of_files", "counts_of_labels", "list_precision", "tied_files"]


def counts_of_files(columns: Columns) -> Statistics:
    """Return hits, labels said and labels annotated of each file, of those that were judged.

    Returns
    -------
    ndarray of float64, shape (files, 3)
        Columns :data:`kammerton.instruments.formulas.COUNTS`.
    """
    hits = np.bincount(columns.judged.owners[columns.hits], minlength=len(columns.judged))
    return np.stack((hits, columns.judged.lengths, columns.truth.lengths), axis=1).astype(np.float64)


def counts_of_labels(columns: Columns) -> Statistics:
    """Return the same counts for each label, over all files.

    Returns
    -------
    ndarray of float64, shape (labels, 3)
    """
    size, judged = len(columns.labels), columns.judged.codes
    counted = (judged[columns.hits], judged, columns.truth.codes)
    return np.stack([np.bincount(codes, minlength=size) for codes in counted], axis=1).astype(np.float64)


def list_precision(columns: Columns, ties: Ties) -> Values:
    """Return the sum of the precision at each hit of each file's list.

    Parameters
    ----------
    columns : Columns
        Files.
    ties : {"expected", "given", "trec", "grouped", "best", "worst"}
        As for :func:`kammerton.instruments.lists.rank`.

    Returns
    -------
    ndarray of float64, shape (files,)
        Divided by the number of annotated labels, it is the average precision of the list: a label
        that is not listed is missed.
    """
    names = columns.name_order() if ties == "trec" else None
    ranking = rank(columns.judged, ties, columns.hits, names)
    return precision_at_hits(columns.judged, ranking, columns.hits, grouped=ties == "grouped")


def tied_files(columns: Columns) -> Flags:
    """Tell in which files labels that were judged have equal scores; those of a set have none."""
    judged = columns.judged
    return rank(judged, "given", columns.hits).tied & columns.confident
