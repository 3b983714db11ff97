# SPDX-License-Identifier: MIT
"""A fingering: the notes of a piece, and the finger that plays each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEFT", "MISSING", "RIGHT", "UNKNOWN", "Fingering", "TimeUnit", "known_labels", "number_of_label"]

TimeUnit = Literal["s", "quarters"]
"""Seconds; or quarter notes, of a score whose tempo nobody knows."""

RIGHT, LEFT, UNKNOWN = 0, 1, -1
"""Codes of hands."""

MISSING = ""
"""Label of a note that nobody fingered."""


_numbers = {MISSING: 0}
"""Code of every label that any fingering has had: there are few, and each is looked at once."""


def known_labels() -> tuple[str, ...]:
    """Return the label that each code of :attr:`Fingering.codes` stands for."""
    return tuple(_numbers)


@dataclass(frozen=True, eq=False)
class Fingering:
    """Notes of one piece as one annotator or system fingered them.

    Parameters
    ----------
    onsets, offsets : ndarray of float64, shape (n,)
        In the unit of time; in the order of the source.
    pitches : ndarray of int64, shape (n,)
        MIDI numbers.
    hands : ndarray of int64, shape (n,)
        The hand that the source gives a note to, whether it is fingered or not: 0 right, 1 left, -1
        unknown.
    labels : tuple of str, length n
        Labels in the notation of PIG: ``"1"`` to ``"5"`` of the right hand, ``"-1"`` to ``"-5"`` of
        the left, substitutions as ``"4_1"``; empty where missing.
    line_of : callable, optional
        ``line_of(note)`` returns the line of the file that a note stands in, None if there is none. It
        does not go along to other processes.
    unit : {"s", "quarters"}
        Unit of time.
    place_of : callable, optional
        ``place_of(note)`` says where in a score a note stands, as ``"measure 3, beat 2.5"``. It does not go
        along either.

    Notes
    -----
    Made by :func:`kammerton.fingering.formats.read_fingering` and by everything that takes fingers and
    pitches; the constructor does not check.
    """

    onsets: NDArray[np.float64]
    offsets: NDArray[np.float64]
    pitches: NDArray[np.int64]
    hands: NDArray[np.int64]
    labels: tuple[str, ...]
    line_of: Callable[[int], int | None] | None = None
    unit: TimeUnit = "s"
    place_of: Callable[[int], str] | None = None

    def __getstate__(self) -> dict[str, object]:
        state = {**self.__dict__, "line_of": None, "place_of": None}
        # another process numbers labels in an order of its own; the rest is found again sooner than sent
        for name in ("codes", "told_hands", "lacking"):
            state.pop(name, None)
        return state

    def __len__(self) -> int:
        """Return the number of notes."""
        return len(self.labels)

    def moment(self, note: int) -> str:
        """Return when a note begins, as messages say it.

        Examples
        --------
        >>> column = np.array([1.25])
        >>> Fingering(column, column, column, column, ("1",)).moment(0)
        '1.25 s'
        """
        if self.place_of is not None:
            return self.place_of(note)
        return f"{float(self.onsets[note]):.6g} {self.unit}"

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """Code of each label, 0 where missing; see :func:`known_labels`."""
        for label in sorted(set(self.labels) - _numbers.keys()):
            number_of_label(label)
        return np.fromiter(map(_numbers.__getitem__, self.labels), dtype=np.int64, count=len(self.labels))

    @cached_property
    def told_hands(self) -> NDArray[np.int64]:
        """The hand of each note as its label or the source tells it, -1 where neither does.

        A finger without sign tells the right hand only in a piece in which another finger has a sign.
        """
        codes = self.codes  # which may be new, of labels that no fingering had
        signs = _hands_of_labels(len(_numbers))[codes]
        told = np.where(signs == UNKNOWN, self.hands, signs)
        if not (signs == LEFT).any():
            told[self.hands == UNKNOWN] = UNKNOWN
        return told

    @cached_property
    def lacking(self) -> frozenset[str]:
        """What is not there: of ``"fingers"``, ``"pitches"``, ``"onsets"``, ``"durations"`` and ``"hands"``.

        Labels alone have neither pitches nor times: those that they have are placeholders. Nor has a piece of
        several notes that all begin at one time and end there.
        """
        found = set()
        fingered = self.codes != 0
        if not fingered.any():
            found.add("fingers")
        elif (self.told_hands[fingered] == UNKNOWN).all():
            found.add("hands")
        alone = bool((self.pitches < 0).all())
        if alone:
            found.add("pitches")
        if alone or (self.offsets <= self.onsets).all():
            found.add("durations")
            if alone or (len(self) > 1 and (self.onsets == self.onsets[0]).all()):
                found.add("onsets")
        return frozenset(found)

    def labelled(self, codes: NDArray[np.int64], line_of: Callable[[int], int]) -> Fingering:
        """Return the same notes, fingered otherwise, as another file has them.

        Parameters
        ----------
        codes : ndarray of int64, shape (n,)
            From :func:`number_of_label`.
        line_of : callable
            Returns the line of each note.
        """
        labels = tuple(_spellings(len(_numbers))[codes].tolist())
        other = Fingering(self.onsets, self.offsets, self.pitches, self.hands, labels, line_of)
        vars(other)["codes"] = codes  # sooner known here than from the labels
        return other


@lru_cache(maxsize=1)
def _spellings(count: int) -> NDArray[np.object_]:
    """Return the first so many labels."""
    return np.array(known_labels()[:count], dtype=object)


@lru_cache(maxsize=1)
def _hands_of_labels(count: int) -> NDArray[np.int64]:
    """Return the hands that the signs of the first so many labels tell, -1 of the missing label."""
    hands = [(LEFT if label[0] == "-" else RIGHT) if label else UNKNOWN for label in known_labels()[:count]]
    return np.array(hands, dtype=np.int64)


def number_of_label(label: str) -> int:
    """Return the code that a label has in :attr:`Fingering.codes`."""
    return _numbers.setdefault(label, len(_numbers))
