# SPDX-License-Identifier: MIT
"""Trivial answers made from the references: what a system must beat to have heard anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from kammerton.instruments.annotation import InstrumentList

__all__ = ["floors"]


def floors(references: Mapping[str, Sequence[InstrumentList]]) -> dict[str, dict[str, InstrumentList]]:
    """Return lists that no ear was needed for: the same for every recording.

    Parameters
    ----------
    references : mapping of str to sequence of InstrumentList
        All annotations of each recording.

    Returns
    -------
    dict of str to dict of str to InstrumentList
        *the k commonest*: as many labels as a recording has on average, the commonest first.
        *everything*: all labels of the references. Their scores are how common they are. None for queries,
        of which each has documents of its own.

    Examples
    --------
    >>> lists = {"a": ["piano"], "b": ["piano", "voice"], "c": ["piano"]}
    >>> found = floors({item: [InstrumentList(tuple(labels))] for item, labels in lists.items()})
    >>> {name: of_item["a"].labels for name, of_item in found.items()}
    {'the 1 commonest': ('piano',), 'everything': ('piano', 'voice')}
    """
    every = [annotation for annotations in references.values() for annotation in annotations]
    if not every or any(annotation.query for annotation in every):
        return {}
    counts = Counter(label for annotation in every for label in annotation.labels)
    ranking = sorted(counts, key=lambda label: (-counts[label], label))
    mean = max(1, round(sum(counts.values()) / len(every)))
    return {
        name: dict.fromkeys(references, _listed(ranking[:size], counts, len(every)))
        for name, size in ((f"the {mean} commonest", mean), ("everything", len(ranking)))
    }


def _listed(labels: Sequence[str], counts: Mapping[str, int], annotations: int) -> InstrumentList:
    scores = np.array([counts[label] / annotations for label in labels], dtype=np.float64)
    return InstrumentList(tuple(labels), scores, ranked=True)
