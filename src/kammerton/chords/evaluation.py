# SPDX-License-Identifier: MIT
"""Score one pair of chord sequences held in arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.kernels import build_columns
from kammerton.chords.protocols import MODULES, frames10ms
from kammerton.chords.reading import ChordOptions, adopt_chords
from kammerton.errors import DataError, OptionError
from kammerton.formats.reading import NO_ROWS
from kammerton.model.task import Case, Reading

__all__ = ["evaluate", "frame_csr"]

_PROTOCOLS = {module.PROTOCOL.name: module for module in MODULES}


def evaluate(
    ref_intervals: ArrayLike,
    ref_labels: Sequence[str],
    est_intervals: ArrayLike,
    est_labels: Sequence[str],
    *,
    protocol: str = "mir_eval",
    options: ChordOptions | None = None,
) -> dict[str, float]:
    """Score one song.

    Parameters
    ----------
    ref_intervals, est_intervals : array-like, shape (n, 2)
        Start and end of each row in seconds. The estimate may be empty.
    ref_labels, est_labels : sequence of str, length n
        Labels in Harte syntax.
    protocol : str
        ``"mir_eval"``, ``"mirex2013"``, ``"decibel"`` or ``"frames10ms"``.
    options : ChordOptions, optional
        How both sides are read, such as ``ChordOptions(lenient=True)``.

    Returns
    -------
    dict of str to float
        Value of each measure by its name, in the order of the protocol; NaN where undefined.

    Raises
    ------
    DataError
        If a side cannot be used: the diagnostics say which row or label, and why.
    OptionError
        If there is no such protocol.

    Notes
    -----
    Names and order of arguments are those of ``mir_eval.chord.evaluate``. For many songs
    :func:`kammerton.score` is faster and gives corpus figures.

    Examples
    --------
    >>> scores = evaluate([(0, 2), (2, 4)], ["C", "A:min"], [(0, 3), (3, 4)], ["C", "A:min7"])
    >>> scores["majmin"], scores["sevenths"]
    (0.75, 0.5)
    """
    if not isinstance(protocol, str) or protocol not in _PROTOCOLS:
        raise OptionError.unknown("protocol", protocol, _PROTOCOLS)
    module = _PROTOCOLS[protocol]
    pair = _pair((ref_intervals, ref_labels), (est_intervals, est_labels), options)
    result = module.evaluate(build_columns([pair]), module.PROTOCOL.measures)
    return {m.name: float(m.formula.finalise(each)[0]) for m, each in result.statistics.items()}


def frame_csr(
    ref_intervals: ArrayLike,
    ref_labels: Sequence[str],
    est_intervals: ArrayLike,
    est_labels: Sequence[str],
    *,
    hop_s: float = 0.01,
) -> dict[str, float]:
    """Score one song by samples, as MIREX did before 2013.

    Parameters
    ----------
    ref_intervals, est_intervals : array-like, shape (n, 2)
        Start and end of each row in seconds. The estimate may be empty.
    ref_labels, est_labels : sequence of str, length n
        Labels in Harte syntax.
    hop_s : float
        Seconds from one sample to the next; samples are at 0, ``hop_s``, 2 ``hop_s``, ...

    Returns
    -------
    dict of str to float
        Value of the five recall measures of ``mirex2013``; NaN where undefined.

    Raises
    ------
    DataError
        If a side cannot be used.
    OptionError
        If ``hop_s`` is not a positive number.

    Examples
    --------
    >>> frame_csr([(0, 1)], ["C"], [(0, 0.255), (0.255, 1)], ["C", "G"])["MajMin"]
    0.26
    """
    if not isinstance(hop_s, int | float | np.floating) or not 1e-6 <= hop_s < float("inf"):
        raise OptionError(f"hop_s must be a number of seconds from 1e-6 on, got {hop_s!r}")
    columns = build_columns([_pair((ref_intervals, ref_labels), (est_intervals, est_labels))])
    result = frames10ms.evaluate(columns, frames10ms.PROTOCOL.measures, hop_s)
    return {m.name: float(m.formula.finalise(each)[0]) for m, each in result.statistics.items()}


def _pair(reference: object, estimate: object, options: ChordOptions | None = None) -> Case[ChordAnnotation]:
    reading = ChordOptions() if options is None else options
    if not isinstance(reading, ChordOptions):
        raise OptionError.of_type("options", reading, "ChordOptions")
    ref = _annotation(adopt_chords(reference, "reference", reading))
    read = adopt_chords(estimate, "estimate", reading)
    empty = [problem.code for problem in read.diagnostics] == [NO_ROWS]
    return Case((ref,), ChordAnnotation.empty() if empty else _annotation(read))


def _annotation(reading: Reading[ChordAnnotation]) -> ChordAnnotation:
    if not reading.annotations:
        raise DataError([d for d in reading.diagnostics if d.severity == "error"])
    return reading.annotations[0][1]
