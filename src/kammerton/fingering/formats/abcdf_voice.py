# SPDX-License-Identifier: MIT
"""A voice of ABC music: where it stands, what its letters mean, and the notes it has played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from kammerton.fingering.formats.abcdf_keys import Signature
from kammerton.fingering.formats.score_time import ZERO, add_times
from kammerton.fingering.pitch import midi_of

__all__ = ["AbcNote", "Voice", "WrittenNote"]

Spelled = tuple[str, int]
"""Letter and octave as written, before the octave of the voice."""

_ALTERATIONS: Mapping[str, int] = {"^^": 2, "^": 1, "=": 0, "_": -1, "__": -2}


@dataclass(frozen=True, slots=True)
class WrittenNote:
    """A note as it stands in the text.

    Parameters
    ----------
    accidental : str, optional
    letter : str
        Upper case.
    octave : int
        4 for upper-case letters without marks.
    position : tuple of int
        Its line and column in the text, from 1.
    is_tied : bool
        Within a chord: whether this note of it is tied over.
    """

    accidental: str | None
    letter: str
    octave: int
    position: tuple[int, int]
    is_tied: bool = False


@dataclass(slots=True, eq=False)
class AbcNote:
    """A note head.

    Parameters
    ----------
    midi : int
    onset, length : Fraction
        Quarter notes; a tied note is as long as all of it, a grace note has no length.
    line : int
        Index of its line of music among those of its voice.
    is_grace : bool
    position : tuple of int
        Line and column in the text, from 1.
    begun_by : AbcNote, optional
        The note that this one continues.
    """

    midi: int
    onset: Fraction
    length: Fraction
    line: int
    is_grace: bool
    position: tuple[int, int]
    begun_by: AbcNote | None = None


@dataclass(slots=True, eq=False)
class _Event:
    """What was played last: a note, a chord or a rest."""

    length: Fraction = ZERO
    sounding: list[tuple[Spelled, int, AbcNote]] = field(default_factory=list)
    """Spelling, alteration, and the note as it was struck."""


@dataclass(slots=True, eq=False)
class Voice:
    """A voice while it is read; what it does not say itself, the tune says for all."""

    signature: Signature = field(default_factory=Signature)
    unit: Fraction | None = None
    notes: list[AbcNote] = field(default_factory=list)
    cursor: Fraction = ZERO
    line: int = -1
    _source_line: int = -1
    _bar_start: Fraction = ZERO
    _bar_end: Fraction = ZERO
    _altered: dict[Spelled, int] = field(default_factory=dict)
    _tied: dict[Spelled, tuple[int, AbcNote]] = field(default_factory=dict)
    _tuplet: tuple[Fraction, int] = (Fraction(1), 0)
    _next_factor: Fraction = Fraction(1)
    _last: _Event = field(default_factory=_Event)

    def settle_on(self, source_line: int) -> None:
        """Say which line of the text is read now."""
        if source_line != self._source_line:
            self._source_line = source_line
            self.line += 1

    def set(self, signature: Signature) -> None:
        """Take over what a field says."""
        self.signature = signature.over(self.signature)

    def key_of(self, written: WrittenNote, tune: Signature) -> tuple[int, int]:
        """Return the alteration and the MIDI number of a note, which may be beyond all keys."""
        signature = self.signature.over(tune)
        spelled = (written.letter, written.octave)
        alteration = (signature.key or {}).get(written.letter, 0)
        if written.accidental is not None:
            alteration = _ALTERATIONS[written.accidental]
        elif spelled in self._altered:
            alteration = self._altered[spelled]
        elif spelled in self._tied:
            alteration = self._tied[spelled][0]
        octave = written.octave + (signature.octave or 0) + (signature.clef_octave or 0)
        return alteration, midi_of(written.letter, alteration, octave) + (signature.transpose or 0)

    def play(self, chord: Sequence[tuple[WrittenNote, int, int]], units: Fraction, unit: Fraction) -> None:
        """Play notes together.

        Parameters
        ----------
        chord : sequence of (WrittenNote, int, int)
            Each with its alteration and MIDI number.
        units : Fraction
            Their length in units.
        unit : Fraction
            Length of a unit in whole notes.
        """
        length = self._timed(units * unit * 4)
        event = _Event(length)
        tied, self._tied = self._tied, {}
        for written, alteration, midi in chord:
            spelled = (written.letter, written.octave)
            before = tied.get(spelled)
            struck = before[1] if before is not None and before[0] == alteration else None
            note = AbcNote(midi, self.cursor, length, self.line, False, written.position, struck)
            self.notes.append(note)
            if struck is None:
                self._remember(written, alteration)
            else:
                struck.length = add_times(struck.length, length)
            event.sounding.append((spelled, alteration, struck or note))
            if written.is_tied:
                self._tied[spelled] = (alteration, struck or note)
        self._last = event
        self._move(length)

    def grace(self, chord: Sequence[tuple[WrittenNote, int, int]]) -> None:
        """Play grace notes: they take no time."""
        for written, alteration, midi in chord:
            self.notes.append(AbcNote(midi, self.cursor, ZERO, self.line, True, written.position))
            self._remember(written, alteration)

    def rest(self, units: Fraction, unit: Fraction) -> None:
        """Let time pass."""
        self._tied = {}
        self._last = _Event(self._timed(units * unit * 4))
        self._move(self._last.length)

    def tie(self) -> None:
        """Tie what was played last over to what comes."""
        for spelled, alteration, note in self._last.sounding:
            self._tied[spelled] = (alteration, note)

    def bar(self) -> None:
        """End a bar."""
        self.cursor = self._bar_start = self._bar_end = max(self.cursor, self._bar_end)
        self._altered = {}

    def overlay(self) -> None:
        """Go back to the start of the bar."""
        self._bar_end = max(self.cursor, self._bar_end)
        self.cursor = self._bar_start

    def start_tuplet(self, factor: Fraction, notes: int) -> None:
        """Let the next notes be longer or shorter."""
        self._tuplet = (factor, notes)

    def break_rhythm(self, before: Fraction, after: Fraction) -> None:
        """Give time of the note played last to the next one, or the other way round."""
        change = self._last.length * (before - 1)
        for _, _, note in self._last.sounding:
            note.length = add_times(note.length, change)
        self._last.length = add_times(self._last.length, change)
        self._move(change)
        self._next_factor = after

    def _remember(self, written: WrittenNote, alteration: int) -> None:
        if written.accidental is not None:
            self._altered[written.letter, written.octave] = alteration

    def _timed(self, length: Fraction) -> Fraction:
        factor, left = self._tuplet
        if left:
            self._tuplet = (factor, left - 1)
            length *= factor
        length *= self._next_factor
        self._next_factor = Fraction(1)
        return length

    def _move(self, length: Fraction) -> None:
        self.cursor = add_times(self.cursor, length)
