# SPDX-License-Identifier: MIT
"""What mir_eval 0.8.2 itself says of a pair of annotations, or None where it raises."""

import warnings
from collections.abc import Mapping
from pathlib import Path

import mir_eval
import numpy as np

import kammerton as kt
from strategies import Song

__all__ = [
    "Values",
    "arrays",
    "compared_with",
    "evaluated",
    "evaluated_files",
    "loaded",
    "nothing_comparable",
    "segmented_unmerged",
]

Values = dict[str, float]

Arrays = tuple[np.ndarray[tuple[int, int], np.dtype[np.float64]], list[str]]


def arrays(song: Song) -> Arrays:
    """Return a song as mir_eval wants it."""
    return np.array(song[0], dtype=float).reshape(-1, 2), list(song[1])


def loaded(path: Path) -> Arrays | None:
    """Read a file with mir_eval's own reader."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            intervals, labels = mir_eval.io.load_labeled_intervals(str(path))
        except (ValueError, TypeError):
            return None
    return intervals, labels


def evaluated(ref: Arrays | None, est: Arrays | None) -> Values | None:
    """Return the fifteen values."""
    if ref is None or est is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return dict(mir_eval.chord.evaluate(*ref, *est))
        except (ValueError, TypeError):
            return None


def evaluated_files(ref: Path, est: Path) -> Values | None:
    """Return the fifteen values of two files."""
    return evaluated(loaded(ref), loaded(est))


def segmented_unmerged(ref: Arrays | None, est: Arrays | None) -> Values | None:
    """Return OvS, UnS and Seg on rows as they are, as the DECIBEL evaluator computes them."""
    if ref is None or est is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            cropped, _ = mir_eval.util.adjust_intervals(
                *est, ref[0].min(), ref[0].max(), mir_eval.chord.NO_CHORD, mir_eval.chord.NO_CHORD
            )
            over = 1 - mir_eval.chord.directional_hamming_distance(ref[0], cropped)
            under = 1 - mir_eval.chord.directional_hamming_distance(cropped, ref[0])
        except (ValueError, TypeError):
            return None
    return {"OvS": over, "UnS": under, "Seg": min(over, under)}


def nothing_comparable(ref: Arrays, est: Arrays, measure: str) -> bool:
    """Tell whether mir_eval compares no time at all, in which case it returns 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cropped = mir_eval.util.adjust_intervals(
            *est, ref[0].min(), ref[0].max(), mir_eval.chord.NO_CHORD, mir_eval.chord.NO_CHORD
        )
        _, ref_labels, est_labels = mir_eval.util.merge_labeled_intervals(*ref, *cropped)
        return bool((getattr(mir_eval.chord, measure)(ref_labels, est_labels) < 0).all())


def compared_with(scores: kt.Scores, originals: Mapping[str, Values | None], protocol: str) -> list[str]:
    """Return what differs, by item and measure, where the original has values.

    A value of ours that is undefined counts as different unless the original is 0.
    """
    ours: dict[str, dict[str, float | None]] = {}
    columns = ("item", "measure", "value", "status")
    for item, measure, value, status in scores.items.filter(protocol=protocol).select(columns).iter_rows():
        assert status in ("ok", "undefined")
        ours.setdefault(item, {})[measure] = value
    differences = []
    for item, original in originals.items():
        for measure, theirs in (original or {}).items():
            value = ours[item][measure]
            if abs((0.0 if value is None else value) - theirs) > 1e-9:
                differences.append(f"{item} {measure}: {value} instead of {theirs}")
    return differences
