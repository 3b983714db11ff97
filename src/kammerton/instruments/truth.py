# SPDX-License-Identifier: MIT
"""What a reference takes for present, where it scores labels instead of listing them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.options import InstrumentOptions

__all__ = ["annotated"]


def annotated(reference: InstrumentList, options: InstrumentOptions) -> InstrumentList:
    """Return a reference as a list of what is there.

    Parameters
    ----------
    reference : InstrumentList
        A list is returned as it is.
    options : InstrumentOptions
        The threshold of truth.

    Returns
    -------
    InstrumentList
        Of a vector, the labels whose scores pass; the others were judged absent.

    Raises
    ------
    OptionError
        If thresholds are those of single labels, and a label has none.

    Examples
    --------
    >>> scored = InstrumentList(("piano", "voice"), np.array([0.75, 0.25]), vector=True)
    >>> found = annotated(scored, InstrumentOptions())
    >>> found.labels, found.absent
    (('piano',), ('voice',))
    """
    if not reference.vector:
        return reference
    passed = options.truth_cut.passes(reference.labels, reference.scores)
    of_labels = list(zip(reference.labels, passed.tolist(), strict=True))
    return replace(
        reference,
        labels=tuple(label for label, is_there in of_labels if is_there),
        scores=np.asarray(reference.scores)[passed],
        absent=(*reference.absent, *(label for label, is_there in of_labels if not is_there)),
        vector=False,
    )
