# SPDX-License-Identifier: MIT
"""Which note of an estimate is which note of a reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kammerton.arrays import Codes, Seconds
from kammerton.errors import Diagnostic, out_of
from kammerton.fingering.annotation import Fingering, spell
from kammerton.fingering.judging import EXACT_S

LEAST_MATCHED = 0.95
"""Share of the notes of a reference that an estimate must have to be scored against it."""
CELLS = 1024
"""Largest table of the dynamic programme; greater crowds of one pitch are matched greedily."""


@dataclass(frozen=True, slots=True, eq=False)
class NoteAlignment:
    """Which note of an estimate is which note of a reference."""

    matched: Codes  # number of each note of the reference in the estimate, -1 where there is none
    diagnostics: tuple[Diagnostic, ...] = ()  # what is amiss, in one line for each kind

    @property
    def usable(self) -> bool:
        """Whether no diagnostic is an error."""
        return all(diagnostic.severity != "error" for diagnostic in self.diagnostics)


def align(ref: Fingering, est: Fingering, /, *, tolerance_s: float) -> NoteAlignment:
    """Align the notes of an estimate with those of a reference."""
    same_keys = np.array_equal(ref.pitches, est.pitches)
    if same_keys and (np.abs(ref.onsets - est.onsets) <= EXACT_S).all():
        return NoteAlignment(np.arange(len(ref)))
    limit = tolerance_s + EXACT_S
    matched = match_notes(ref.pitches, ref.onsets, est.pitches, est.onsets, limit)
    return NoteAlignment(matched, tuple(_diagnose(matched, ref, est, limit)))


def match_notes(
    ref_keys: Codes, ref_times: Seconds, est_keys: Codes, est_times: Seconds, limit: float
) -> Codes:
    """Match notes of equal key, one to one and in order of time."""
    matched = np.full(len(ref_keys), -1)
    keys, times = np.concatenate((ref_keys, est_keys)), np.concatenate((ref_times, est_times))
    order = np.lexsort((times, keys))
    apart = np.ones(len(order), dtype=bool)  # from the note before, too far for any match across
    apart[1:] = (np.diff(keys[order]) != 0) | (np.diff(times[order]) > limit)
    crowd = np.cumsum(apart) - 1
    is_ref = order < len(ref_keys)
    refs, ests = order[is_ref], order[~is_ref] - len(ref_keys)
    ref_crowd, est_crowd = crowd[is_ref], crowd[~is_ref]
    ref_counts = np.bincount(ref_crowd, minlength=len(order))
    est_counts = np.bincount(est_crowd, minlength=len(order))

    even = ref_counts == est_counts  # pairing in order is best wherever it is possible
    paired_refs, paired_ests = refs[even[ref_crowd]], ests[even[est_crowd]]
    too_far = np.abs(ref_times[paired_refs] - est_times[paired_ests]) > limit
    even[ref_crowd[even[ref_crowd]][too_far]] = False
    paired = even[ref_crowd]
    matched[refs[paired]] = ests[even[est_crowd]]

    for number in np.flatnonzero(~even & (ref_counts > 0) & (est_counts > 0)):
        some_refs = refs[slice(*np.searchsorted(ref_crowd, (number, number + 1)))]
        some_ests = ests[slice(*np.searchsorted(est_crowd, (number, number + 1)))]
        pairs = _pair(ref_times[some_refs].tolist(), est_times[some_ests].tolist(), limit)
        for ref, est in pairs:
            matched[some_refs[ref]] = some_ests[est]
    return matched


def _pair(refs: list[float], ests: list[float], limit: float) -> Iterator[tuple[int, int]]:
    """Pair sorted times: as many as possible, then with the least sum of deviations."""
    if len(refs) * len(ests) > CELLS:
        yield from _pair_greedily(refs, ests, limit)
        return
    gain = 1 + limit * (len(refs) + len(ests))  # one more pair outweighs all deviations
    best = [[0.0] * (len(ests) + 1) for _ in range(len(refs) + 1)]
    for i, ref in enumerate(refs):
        for j, est in enumerate(ests):
            without = max(best[i][j + 1], best[i + 1][j])
            deviation = abs(ref - est)
            together = best[i][j] + gain - deviation if deviation <= limit else 0.0
            best[i + 1][j + 1] = max(without, together)
    i, j = len(refs), len(ests)
    while i and j:
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            yield i, j


def _pair_greedily(refs: list[float], ests: list[float], limit: float) -> Iterator[tuple[int, int]]:
    i = j = 0
    while i < len(refs) and j < len(ests):
        if abs(refs[i] - ests[j]) <= limit:
            yield i, j
            i, j = i + 1, j + 1
        elif refs[i] < ests[j]:
            i += 1
        else:
            j += 1


def _conflicts(ref: Fingering, est: Fingering, missing: Codes, extra: Codes, limit: float) -> Codes:
    """Pair unmatched notes by onset alone, whose pitches contradict; within a chord, from the bottom up."""
    missing = missing[np.argsort(ref.pitches[missing], kind="stable")]
    extra = extra[np.argsort(est.pitches[extra], kind="stable")]
    ref_keys, est_keys = np.zeros_like(missing), np.zeros_like(extra)  # any key will do
    matched = match_notes(ref_keys, ref.onsets[missing], est_keys, est.onsets[extra], limit)
    paired = np.flatnonzero(matched >= 0)
    pairs = np.stack((missing[paired], extra[matched[paired]]), axis=1)
    return np.asarray(pairs[np.argsort(pairs[:, 0])])


def _diagnose(matched: Codes, ref: Fingering, est: Fingering, limit: float) -> Iterator[Diagnostic]:
    missing, extra = np.flatnonzero(matched < 0), np.setdiff1d(np.arange(len(est)), matched)
    conflicts = _conflicts(ref, est, missing, extra, limit)
    if len(conflicts):
        first, second = _name(ref, conflicts[0, 0]), _name(est, conflicts[0, 1])
        message = f"{first} of the reference is {second} in the estimate"
        yield _warning("KT370", message, len(conflicts), "the two must be the same notes")
    alone = np.setdiff1d(extra, conflicts[:, 1])
    if len(alone):
        message = f"{_name(est, alone[0])} of the estimate is not in the reference"
        yield _warning("KT371", message, len(alone), "it is left out")
    alone = np.setdiff1d(missing, conflicts[:, 0])
    if len(alone):
        message = f"{_name(ref, alone[0])} of the reference is not in the estimate"
        yield _warning("KT372", message, len(alone), "it counts as a note without finger")
    if 1 - len(missing) / max(len(ref), 1) < LEAST_MATCHED and len(est):
        message = f"{out_of(len(ref) - len(missing), len(ref), 'note')} of the reference matched"
        hint = "is it the same piece? onsets may differ by the tolerance, pitches not at all"
        yield Diagnostic(code="KT373", severity="error", message=message, hint=hint)


def _warning(code: str, message: str, count: int, hint: str) -> Diagnostic:
    more = f", and {count - 1:,} more like this" if count > 1 else ""
    return Diagnostic(code=code, severity="warning", message=message + more, hint=hint, count=count)


def _name(notes: Fingering, note: int) -> str:
    return f"note {note + 1} ({spell(int(notes.pitches[note]))} at {notes.onsets[note]:.6g})"
