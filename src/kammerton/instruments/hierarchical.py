# SPDX-License-Identifier: MIT
"""Labels with all their ancestors (Kiritchenko, Matwin & Famili 2005): counts of each file."""

from __future__ import annotations

import numpy as np

from kammerton.core.intervals import Flags
from kammerton.instruments.columns import Columns
from kammerton.instruments.lists import Lists
from kammerton.instruments.nodes import Bits, size_of
from kammerton.model.measure import Statistics

__all__ = ["extended_counts", "known_nodes"]


def extended_counts(columns: Columns) -> Statistics:
    """Return hits, nodes said and nodes annotated of each file, labels extended by their ancestors.

    Roots are not counted. A label that the taxonomy does not have is a node of its own. Of files that
    are judged in part, the nodes whose truth is unknown are then left out.

    Returns
    -------
    ndarray of float64, shape (files, 3)
        Columns :data:`kammerton.instruments.formulas.COUNTS`.
    """
    nodes = columns.nodes
    truth, said = nodes.extended(columns.truth), nodes.extended(columns.said)
    if not columns.closed.all():
        said &= known_nodes(columns, truth)
    judged = columns.judged
    counts = (
        size_of(truth & said) + _outside(columns, judged, columns.hits),
        size_of(said) + _outside(columns, judged),
        size_of(truth) + _outside(columns, columns.truth),
    )
    return np.stack(counts, axis=1).astype(np.float64)


def known_nodes(columns: Columns, truth: Bits) -> Bits:
    """Return the nodes of which it is known whether they are there; ``truth`` are those that are."""
    known = truth | columns.nodes.absent(columns.absent, truth)
    known[columns.closed] = ~np.uint64(0)
    return known


def _outside(columns: Columns, lists: Lists, chosen: Flags | None = None) -> Statistics:
    """Return how many labels of each file are no nodes."""
    outside = lists.codes >= len(columns.nodes)
    if chosen is not None:
        outside &= chosen
    return np.bincount(lists.owners[outside], minlength=len(lists)).astype(np.float64)
