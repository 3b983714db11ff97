# SPDX-License-Identifier: MIT
"""Spelled pitches, and the keys of the piano they are played on."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, quote

LOWEST_KEY, HIGHEST_KEY = 21, 108
"""A0 and C8, the outer keys of a piano, as MIDI numbers."""
MAX_ACCIDENTALS = 4
_LETTERS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
_NAMES = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
_SPELLED = re.compile(rf"([A-G])(#{{0,{MAX_ACCIDENTALS}}}|b{{0,{MAX_ACCIDENTALS}}})(-?)([0-9]{{1,2}})")
_MIDI = re.compile(r"([0-9]{1,3})(?:\.0*)?")


def midi_of(letter: str, alteration: int, octave: int) -> int:
    """Return the MIDI number of a pitch; the octave is that of the letter.

    Examples
    --------
    >>> midi_of("B", 1, 3), midi_of("C", -1, 4)
    (60, 59)
    """
    return 12 * (octave + 1) + _LETTERS[letter] + alteration


@lru_cache(maxsize=1024)
def parse_pitch(text: str, /) -> int | None:
    """Return the MIDI number of a spelled pitch, or None if the text is none.

    Examples
    --------
    >>> [parse_pitch(text) for text in ("C#4", "Db4", "C##5", "Bbb2", "E#4", "H4")]
    [61, 61, 74, 45, 65, None]
    """
    match = _SPELLED.fullmatch(text)
    if match is None:
        return None
    letter, signs, minus, digits = match.groups()
    alteration = -len(signs) if signs.startswith("b") else len(signs)
    midi = midi_of(letter, alteration, -int(digits) if minus else int(digits))
    return midi if 0 <= midi <= 127 else None


def parse_midi(text: str, /) -> int | None:
    """Return the MIDI number that a text is, or None.

    Examples
    --------
    >>> [parse_midi(text) for text in ("60", "60.0", "60.5", "128", "1_0")]
    [60, 60, None, None, None]
    """
    match = _MIDI.fullmatch(text)
    return int(match[1]) if match is not None and int(match[1]) <= 127 else None


def spell(midi: int, /) -> str:
    """Return the usual spelling of a MIDI number: two of the black keys sharp, three flat.

    Examples
    --------
    >>> spell(61), spell(63), spell(0)
    ('C#4', 'Eb4', 'C-1')
    """
    return f"{_NAMES[midi % 12]}{midi // 12 - 1}"


def diagnose_pitch(text: str, /) -> Diagnostic:
    """Return the diagnostic of a text that is no pitch."""
    hint = "a pitch is a letter, `#` or `b`, and an octave, as in `C#4`; C4 is the middle C"
    upper, ascii_spelling = text[:1].upper() + text[1:], text.replace("♯", "#").replace("♭", "b")
    if text[:1] == "H":
        hint = "German `H` is `B`, `B` is `Bb`"
    elif text != upper and parse_pitch(upper) is not None:
        hint = f"letters are upper case: {quote(upper)}"
    elif parse_pitch(ascii_spelling) is not None:
        hint = f"write {quote(ascii_spelling)}"
    message = f"not a pitch: {quote(text)}"
    return Diagnostic(code="KT341", severity="error", message=message, hint=hint)


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
    Made by :func:`kammerton.fingering.reading.read_fingering` and by everything that takes fingers and
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
        for name in ("codes", "label_hands", "played_hands", "lacking"):
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
    def label_hands(self) -> NDArray[np.int64]:
        """The hand of each note by the sign of its label, -1 where there is no label."""
        codes = self.codes  # which may be new, of labels that no fingering had
        return _hands_of_labels(len(_numbers))[codes]

    @cached_property
    def played_hands(self) -> NDArray[np.int64]:
        """The hand of each note by its label or the source, -1 where neither has it.

        A finger without sign is of the right hand only in a piece in which another finger has a sign.
        """
        hands = np.where(self.label_hands == UNKNOWN, self.hands, self.label_hands)
        if not (self.label_hands == LEFT).any():
            hands[self.hands == UNKNOWN] = UNKNOWN
        return hands

    @cached_property
    def lacking(self) -> frozenset[str]:
        """What is missing of ``"fingers"``, ``"pitches"``, ``"onsets"``, ``"durations"`` and ``"hands"``.

        Labels alone have neither pitches nor times: those that they have are placeholders. Nor has a piece of
        several notes that all begin at one time and end there.
        """
        lacking = set()
        fingered = self.codes != 0
        if not fingered.any():
            lacking.add("fingers")
        elif (self.played_hands[fingered] == UNKNOWN).all():
            lacking.add("hands")
        labels_alone = bool((self.pitches < 0).all())
        if labels_alone:
            lacking.add("pitches")
        if labels_alone or (self.offsets <= self.onsets).all():
            lacking.add("durations")
            if labels_alone or (len(self) > 1 and (self.onsets == self.onsets[0]).all()):
                lacking.add("onsets")
        return frozenset(lacking)

    def labelled(self, codes: NDArray[np.int64], line_of: Callable[[int], int]) -> Fingering:
        """Return the same notes with the labels of these codes, as another file has them."""
        labels = tuple(map(known_labels().__getitem__, codes.tolist()))
        fingering = Fingering(self.onsets, self.offsets, self.pitches, self.hands, labels, line_of)
        vars(fingering)["codes"] = codes  # sooner known here than from the labels
        return fingering


@lru_cache(maxsize=1)
def _hands_of_labels(count: int) -> NDArray[np.int64]:
    """Return the hands of the first so many labels by their signs, -1 of the missing label."""
    hands = [(LEFT if label[0] == "-" else RIGHT) if label else UNKNOWN for label in known_labels()[:count]]
    return np.array(hands, dtype=np.int64)


def number_of_label(label: str) -> int:
    """Return the code that a label has in :attr:`Fingering.codes`."""
    return _numbers.setdefault(label, len(_numbers))
