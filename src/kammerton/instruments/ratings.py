# SPDX-License-Identifier: MIT
"""Lists of instruments as ratings: whether each annotator heard each instrument."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.ratings import Ratings

__all__ = ["ratings"]


def ratings(
    annotations: Sequence[InstrumentList | None], options: InstrumentOptions | None = None
) -> Ratings:
    """Return whether each instrument is there.

    Parameters
    ----------
    annotations : sequence of InstrumentList or None
        Of one recording, by annotator; None where there is none.
    options : InstrumentOptions, optional
        Units are the leaves of its taxonomy and whatever else is listed; without one, what is listed.

    Returns
    -------
    Ratings
        A unit is a recording and an instrument; what an annotator did not judge has no label.

    Examples
    --------
    >>> found = ratings([InstrumentList(("piano", "voice")), InstrumentList(("voice",))])
    >>> found.labels, found.codes.tolist()
    (('absent', 'present'), [[1, 0], [1, 1]])
    """
    tree = None if options is None else options.tree
    units = dict.fromkeys(() if tree is None else tree.leaves)
    for annotation in annotations:
        if annotation is not None:
            units.update(dict.fromkeys((*annotation.labels, *annotation.absent)))
    codes = np.full((len(units), len(annotations)), -1, dtype=np.int64)
    for rater, annotation in enumerate(annotations):
        if annotation is not None:
            present, absent = set(annotation.labels), set(annotation.absent)
            unsaid = 0 if annotation.closed else -1
            codes[:, rater] = [1 if u in present else 0 if u in absent else unsaid for u in units]
    return Ratings(("absent", "present"), codes)
