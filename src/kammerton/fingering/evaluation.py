# SPDX-License-Identifier: MIT
"""Scores of one fingering that is held in Python."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from typing import Any

from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.model.measure import NamedScores


def evaluate(
    reference: Any,
    estimate: Any,
    *,
    protocol: str | Collection[str] | None = None,
    options: FingeringOptions | None = None,
) -> NamedScores:
    """Score the fingering of one piece.

    Parameters
    ----------
    reference : path or annotation, or a list of these
        Of several annotators, a list. An annotation is a :class:`kammerton.fingering.Fingering`, or anything
        else that :func:`kammerton.score` takes for one.
    estimate : path or annotation
        The fingering that is scored.
    protocol : str or collection of str, optional
        ``"nakamura2020"``, ``"strike"``, ``"pianovam"``, ``"playability"``, several of them or ``"all"``; by
        default those of the main measures.
    options : FingeringOptions, optional
        How both sides are read, such as ``FingeringOptions(tolerance_s=0.1)``.

    Returns
    -------
    NamedScores
        A dict from ``protocol/measure`` to the score, over all annotators; NaN where undefined.

    Raises
    ------
    DataError
        If a side cannot be used, or the notes are not those of the reference.
    OptionError
        If there is no such protocol.

    Notes
    -----
    For many pieces :func:`kammerton.score` is faster and gives corpus scores.

    Examples
    --------
    >>> notes = {"onsets": [0, 1, 2], "offsets": [1, 2, 3], "pitches": [60, 62, 64]}
    >>> scores = evaluate({**notes, "fingers": [1, 2, 3]}, {**notes, "fingers": [1, 2, 4]}, protocol="strike")
    >>> round(scores["strike/accuracy"], 4)
    0.6667
    """
    names = protocol if protocol is None or not isinstance(protocol, str) else [protocol]
    score = import_module("kammerton.api.scoring").score  # the verbs are above tasks
    annotators = reference if isinstance(reference, list) else [reference]
    scores = score(
        "fingering",
        estimates={"estimate": {"piece": estimate}},
        annotators={f"annotator {number}": {"piece": one} for number, one in enumerate(annotators, 1)},
        protocols=names,
        missing="error",
        options=options,
        ci=None,
    )
    return NamedScores({str(measure): scores.value(str(measure)) for measure in scores.measures})
