# SPDX-License-Identifier: MIT
"""Score one pair of chord sequences held in arrays."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.columns import build_columns
from kammerton.chords.protocols import decibel, frames10ms, mir_eval, mirex2013
from kammerton.chords.reading import ChordOptions, adopt_chords
from kammerton.errors import DataError, OptionError
from kammerton.model.task import Case

__all__ = ["evaluate", "frame_csr"]

_PROTOCOLS = {module.PROTOCOL.name: module for module in (mirex2013, mir_eval, decibel, frames10ms)}


def evaluate(
    ref_intervals: ArrayLike,
    ref_labels: Sequence[str],
    est_intervals: ArrayLike,
    est_labels: Sequence[str],
    *,
    protocol: str = "mir_eval",
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
    if protocol not in _PROTOCOLS:
        raise OptionError.unknown("protocol", protocol, _PROTOCOLS)
    module = _PROTOCOLS[protocol]
    pair = _pair(ref_intervals, ref_labels, est_intervals, est_labels)
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
    if not 1e-6 <= hop_s < float("inf"):
        raise OptionError(f"hop_s must be a number of seconds from 1e-6 on, got {hop_s!r}")
    columns = build_columns([_pair(ref_intervals, ref_labels, est_intervals, est_labels)])
    result = frames10ms.evaluate(columns, frames10ms.PROTOCOL.measures, hop_s)
    return {m.name: float(m.formula.finalise(each)[0]) for m, each in result.statistics.items()}


def _pair(
    ref_intervals: ArrayLike, ref_labels: Sequence[str], est_intervals: ArrayLike, est_labels: Sequence[str]
) -> Case[ChordAnnotation]:
    ref = _annotation(ref_intervals, ref_labels, "reference")
    empty = len(est_labels) == 0
    est = ChordAnnotation.empty() if empty else _annotation(est_intervals, est_labels, "estimate")
    return Case((ref,), est)


def _annotation(intervals: ArrayLike, labels: Sequence[str], name: str) -> ChordAnnotation:
    reading = adopt_chords((intervals, labels), name, ChordOptions())
    if not reading.annotations:
        raise DataError([d for d in reading.diagnostics if d.severity == "error"])
    return reading.annotations[0][1]
