# SPDX-License-Identifier: MIT
"""Music in ABC: its fields, its voices, and the notes of the first tune of a text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

from kammerton.errors import DataError, Diagnostic, Severity, quote
from kammerton.fingering.annotation import midi_of
from kammerton.fingering.formats.notes import ZERO, add_times
from kammerton.formats.reading import Limits, Problems
from kammerton.model.annotations import Place

# --- fields of ABC --------------------------------------------------------------------------------------

_SHARPS = "FCGDAEB"
_MODES = {"maj": 0, "ion": 0, "lyd": 1, "mix": -1, "dor": -2, "min": -3, "aeo": -3, "phr": -4, "loc": -5}
_KEY = re.compile(r"\s*([A-G][#b]?)([A-Za-z]*)(?:\s+([A-Za-z]+)(?=\s|$))?")
_NO_KEY = {"": {}, "none": {}, "HP": {}, "Hp": {"F": 1, "C": 1}}
_ALTERATIONS: Mapping[str, int] = {"^^": 2, "^": 1, "=": 0, "_": -1, "__": -2}
_ALTERED = re.compile(r"(?<=\s)(\^\^|\^|=|__|_)([A-Ga-g])(?=\s|$)")
_OCTAVE = re.compile(r"(?:^|(?<=\s))octave\s*=\s*([+-]?[0-9])(?=\s|$)")
_TRANSPOSE = re.compile(r"(?:^|(?<=\s))(?:transpose|t)\s*=\s*([+-]?[0-9]{1,2})(?=\s|$)")
_CLEF = re.compile(
    r"(?:^|(?<=\s))(?:clef\s*=\s*\S*?|(?:treble|bass|alto|tenor)[1-5]?)(?P<shift>[+-]8)?(?=\s|$)"
)
_LENGTH = re.compile(r"([0-9]*+)(/*+)([0-9]*+)")
_FRACTION = re.compile(r"\s*([0-9]{1,4})\s*/\s*([0-9]{1,4})\s*")
_METER = re.compile(r"\s*\(?([0-9]{1,3}(?:\s*\+\s*[0-9]{1,3})*)\)?\s*/\s*([0-9]{1,3})\s*")
_STAVES = re.compile(r"[()]|[^\s(){}\[\]|*]+")
LONGEST_NUMBER = 4
"""Digits of a number in a length, and slashes that stand for one."""


class Signature(NamedTuple):
    """What a ``K:`` or ``V:`` field says; None where it does not say it."""

    key: Mapping[str, int] | None = None  # alteration of each letter that has one
    octave: int | None = None  # octaves to add to the written pitches
    clef_octave: int | None = None  # octaves of an ``8`` above or below the clef
    transpose: int | None = None  # semitones to add

    def over(self, other: Signature) -> Signature:
        """Return what holds if this is said after ``other``."""
        pairs = zip(self, other, strict=True)
        return Signature(*(before if own is None else own for own, before in pairs))  # type: ignore[arg-type]


def parse_signature(text: str) -> Signature | None:
    """Read what stands behind ``K:``, or behind the name in ``V:``.

    Examples
    --------
    >>> parse_signature("F#maj").key["E"]
    1
    >>> parse_signature(" clef=treble octave=-1")
    Signature(key=None, octave=-1, clef_octave=0, transpose=None)
    """
    octave, transpose, clef = _OCTAVE.search(text), _TRANSPOSE.search(text), _CLEF.search(text)
    clef_octave = None
    if clef is not None:
        clef_octave = 0 if clef["shift"] is None else int(clef["shift"][0] + "1")
    signature = Signature(
        _key(text),
        None if octave is None else int(octave[1]),
        clef_octave,
        None if transpose is None else int(transpose[1]),
    )
    return None if signature == Signature() else signature


def _key(text: str) -> Mapping[str, int] | None:
    if text.strip() in _NO_KEY:
        return _NO_KEY[text.strip()]
    match = _KEY.match(text)
    if match is None:
        return None
    tonic, mode, word = match.groups()
    if not mode and word is not None and _mode(word) is not None:
        mode = word
    shift = _mode(mode)
    if shift is None:
        return None
    key: dict[str, int] = {}
    if word != "exp":
        fifths = _SHARPS.index(tonic[0]) - 1 + 7 * (tonic.count("#") - tonic.count("b")) + shift
        letters, step = (_SHARPS, 1) if fifths > 0 else (_SHARPS[::-1], -1)
        for index in range(abs(fifths)):
            key[letters[index % 7]] = key.get(letters[index % 7], 0) + step
    return key | {letter.upper(): _ALTERATIONS[sign] for sign, letter in _ALTERED.findall(text)}


def _mode(written: str) -> int | None:
    """Return by how many fifths a mode lies from major, or None if it is no mode."""
    if len(written) < 3:
        return {"": 0, "m": -3}.get(written)
    return _MODES.get(written[:3].lower())


def parse_length(text: str, offset: int) -> tuple[Fraction | None, int]:
    """Read a length such as ``3/2`` or ``//``.

    Examples
    --------
    >>> parse_length("C3/2", 1), parse_length("C//", 1), parse_length("C", 1)
    ((Fraction(3, 2), 4), (Fraction(1, 4), 3), (Fraction(1, 1), 1))
    """
    match = _LENGTH.match(text, offset)
    assert match is not None, "it matches nothing as well"
    above, slashes, below = match.groups()
    if max(len(above), len(below), len(slashes)) > LONGEST_NUMBER:
        return None, match.end()
    divisor = int(below) if below else 2 ** len(slashes)
    if divisor == 0 or (below and len(slashes) != 1):
        return None, match.end()
    return Fraction(int(above or 1), divisor), match.end()


def parse_unit(text: str) -> Fraction | None:
    """Read a unit of length, such as ``1/16``, in whole notes; None if it is none."""
    match = _FRACTION.fullmatch(text)
    if match is None or 0 in (above := int(match[1]), below := int(match[2])):
        return None
    return Fraction(above, below)


def parse_meter(text: str) -> tuple[Fraction, bool] | None:
    """Read a meter as the length of a bar in whole notes, and whether it is compound; None if it is none.

    Examples
    --------
    >>> parse_meter("C|"), parse_meter("6/8"), parse_meter("(2+3)/8")
    ((Fraction(1, 1), False), (Fraction(3, 4), True), (Fraction(5, 8), False))
    """
    if text.strip() in ("C", "C|", "none", ""):
        return Fraction(1), False
    match = _METER.fullmatch(text)
    if match is None:
        return None
    beats, beat = sum(int(number) for number in match[1].split("+")), int(match[2])
    if 0 in (beats, beat):
        return None
    return Fraction(beats, beat), beat == 8 and beats in (6, 9, 12)


def parse_staves(text: str) -> list[list[str]]:
    """Return the voices of each staff that ``%%score`` or ``%%staves`` lists.

    Examples
    --------
    >>> parse_staves("{ ( 1 2 ) | 3 }")
    [['1', '2'], ['3']]
    """
    staves: list[list[str]] = []
    is_shared = False
    for mark in _STAVES.findall(text):
        if mark in "()":
            is_shared = mark == "("
            if is_shared:
                staves.append([])
        elif is_shared:
            staves[-1].append(mark)
        else:
            staves.append([mark])
    return [staff for staff in staves if staff]


# --- voices ---------------------------------------------------------------------------------------------

Spelled = tuple[str, int]
"""Letter and octave as written, before the octave of the voice."""


@dataclass(frozen=True, slots=True)
class WrittenNote:
    """A note as it stands in the text."""

    accidental: str | None
    letter: str  # upper case
    octave: int  # 4 for upper-case letters without marks
    position: tuple[int, int]  # its line and column in the text, from 1
    is_tied: bool = False  # within a chord: whether this note of it is tied over


@dataclass(slots=True, eq=False)
class AbcNote:
    """A note head."""

    midi: int
    # onset, length: quarter notes; a tied note is as long as all of it, a grace note has no length
    onset: Fraction
    length: Fraction
    line: int  # index of its line of music among those of its voice
    is_grace: bool
    position: tuple[int, int]  # line and column in the text, from 1
    begun_by: AbcNote | None = None  # the note that this one continues


@dataclass(slots=True, eq=False)
class _Event:
    """What was played last: a note, a chord or a rest."""

    length: Fraction = ZERO
    sounding: list[tuple[Spelled, int, AbcNote]] = field(default_factory=list)
    """Spelling, alteration, and the note as it was struck."""


@dataclass(slots=True, eq=False)
class AbcVoice:
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
    tuplet: tuple[Fraction, int] = (Fraction(1), 0)  # by how much the next notes are longer, and how many
    _next_factor: Fraction = Fraction(1)
    _last: _Event = field(default_factory=_Event)

    def settle_on(self, source_line: int) -> None:
        """Say which line of the text is read now."""
        self.line += source_line != self._source_line
        self._source_line = source_line

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
        """Play notes together."""
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
        self.cursor = add_times(self.cursor, length)

    def grace(self, chord: Sequence[tuple[WrittenNote, int, int]]) -> None:
        """Play grace notes: they take no time."""
        for written, alteration, midi in chord:
            self.notes.append(AbcNote(midi, self.cursor, ZERO, self.line, True, written.position))
            self._remember(written, alteration)

    def rest(self, units: Fraction, unit: Fraction) -> None:
        """Let time pass."""
        self._tied = {}
        self._last = _Event(self._timed(units * unit * 4))
        self.cursor = add_times(self.cursor, self._last.length)

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

    def break_rhythm(self, before: Fraction, after: Fraction) -> None:
        """Give time of the note played last to the next one, or the other way round."""
        change = self._last.length * (before - 1)
        for _, _, note in self._last.sounding:
            note.length = add_times(note.length, change)
        self._last.length = add_times(self._last.length, change)
        self.cursor = add_times(self.cursor, change)
        self._next_factor = after

    def _remember(self, written: WrittenNote, alteration: int) -> None:
        if written.accidental is not None:
            self._altered[written.letter, written.octave] = alteration

    def _timed(self, length: Fraction) -> Fraction:
        factor, left = self.tuplet
        if left:
            self.tuplet = (factor, left - 1)
            length *= factor
        length *= self._next_factor
        self._next_factor = Fraction(1)
        return length


# --- tunes ----------------------------------------------------------------------------------------------

_CODE = re.compile(r'(?:"[^"]*"|\\.|[^%"\\]++|["\\](?![^"]*"))*+')
_FIELD = re.compile(r"([A-Za-z+]):(?![|:])(.*)")
_TOKEN = re.compile(
    r"""(?P<blank>[\s`$*]+|\\|y[0-9]*)
    |\[(?P<field>[A-Za-z]):(?P<value>[^\]\[]{0,200})\]
    |(?P<text>"[^"]*")
    |(?P<decoration>![^!]*!|\+[^+]*\+|[~.HIJKLMNOPQRSTUVWhijklmnopqrstuvw])
    |(?P<bar>(?:\[\||\|[\]|:]*|::?\|*[\]|:]*)[1-9]?[0-9,.]*|\[[1-9][0-9,.\-]*)
    |(?P<note>(?P<accidental>\^\^|\^|__|_|=)?(?P<letter>[A-Ga-g])(?P<marks>[,']*))
    |(?P<rest>[zxZX])
    |(?P<chord>\[)
    |(?P<grace>\{/?)
    |(?P<ungrace>\})
    |\((?P<tuplet>[2-9])(?::(?P<time>[1-9]?)(?::(?P<count>[1-9]?))?)?
    |(?P<slur>[()])
    |(?P<broken><{1,3}|>{1,3})
    |(?P<overlay>&)
    |(?P<tie>-)
    """,
    re.VERBOSE,
)
_TUPLETS = {2: 3, 3: 2, 4: 3, 6: 2, 8: 3}
"""In the time of how many notes so many stand; of others it depends on the meter."""


@dataclass(slots=True, eq=False)
class Tune:
    """A tune: its voices by name, and the voices of each staff."""

    voices: dict[str, AbcVoice]
    staves: list[list[str]]

    def staff(self, index: int) -> list[AbcVoice]:
        """Return the voices of a staff, from the top; none if there is no such staff."""
        names = self.staves[index] if index < len(self.staves) else []
        return [self.voices[name] for name in names if name in self.voices]


class TuneReader:
    """Reads lines; knows the fields that hold for all voices."""

    def __init__(self, problems: Problems, limits: Limits) -> None:
        self._problems = problems
        self._limits = limits
        self._voices: dict[str, AbcVoice] = {}
        self._now: AbcVoice | None = None
        self._staves: list[list[str]] | None = None
        self._tune = Signature()
        self._unit: Fraction | None = None
        self._bar = Fraction(1)
        self._is_compound = False
        self._in_body = False
        self._count = 0
        self._number = 0
        self._line = ""
        self._source_line = 0
        self._is_continued = False
        self._in_grace = False

    def read(self, text: str) -> Tune:
        """Read the first tune of a text."""
        for self._number, self._line in enumerate(text.split("\n"), 1):
            if not self._take(self._line):
                break
        if not self._in_body:
            self._problems.report("KT363", "no music: there is no field `K:`")
        staves = [[name] for name in self._voices] if self._staves is None else self._staves
        return Tune({name: voice for name, voice in self._voices.items() if voice.notes}, staves)

    def _take(self, line: str) -> bool:
        """Take the next line; False if it begins another tune."""
        if line.startswith("%%"):
            name, _, rest = line[2:].strip().partition(" ")
            if name in ("score", "staves") and not self._count:
                self._staves = parse_staves(rest)
            return True
        match = _CODE.match(line)
        code = line if match is None else match.group()
        field = _FIELD.match(code)
        if field is not None:
            if field[1] == "X" and self._count:
                self._report("KT364", "further tune left out: one file holds one", 0, 2)
                return False
            self._take_field(field[1], field[2], field.start(2))
        elif self._in_body:
            self._take_music(code)
        return True

    def _place(self, begin: int, length: int = 1) -> Place:
        return Place(self._problems.file, self._number, begin + 1, max(1, length), self._line)

    def _report(self, code: str, message: str, begin: int, length: int = 1) -> None:
        """Report a problem of the line: what is passed over is a warning."""
        severity: Severity = "warning" if code == "KT364" else "error"
        self._problems.report(code, message, lambda: self._place(begin, length), severity=severity)

    def _take_field(self, name: str, value: str, begin: int) -> None:
        written = value.strip()
        length = len(value)
        if name == "L":
            unit = parse_unit(value)
            if unit is None:
                self._report("KT363", f"not a length of a unit: {quote(written)}", begin, length)
            elif self._in_body:
                self._voice().unit = unit
            else:
                self._unit = unit
        elif name == "M":
            meter = parse_meter(value)
            if meter is None:
                self._report("KT363", f"not a meter: {quote(written)}", begin, length)
            else:
                self._bar, self._is_compound = meter
        elif name == "V":
            self._take_voice(written)
        elif name == "K":
            self._take_key(value, begin)

    def _take_voice(self, written: str) -> None:
        name, _, rest = written.partition(" ")
        self._now = self._voices.setdefault(name, AbcVoice())
        signature = parse_signature(f" {rest}")
        if signature is not None:
            self._now.signature = signature._replace(key=None).over(self._now.signature)

    def _take_key(self, value: str, begin: int) -> None:
        signature = parse_signature(value)
        if signature is None:
            self._report("KT363", f"not a key: {quote(value.strip())}", begin, len(value))
            signature = Signature()
        if self._in_body:
            voice = self._voice()
            voice.signature = signature.over(voice.signature)
        else:
            self._in_body = True
            self._tune = signature
            self._now = None

    def _voice(self) -> AbcVoice:
        """Return the voice that is read: where none is named, the first one."""
        if self._now is None:
            self._now = next(iter(self._voices.values()), None) or self._voices.setdefault("1", AbcVoice())
        return self._now

    def _unit_of(self, voice: AbcVoice) -> Fraction:
        default = Fraction(1, 16) if self._bar < Fraction(3, 4) else Fraction(1, 8)
        return voice.unit or self._unit or default

    def _take_music(self, code: str) -> None:
        if not self._is_continued:
            self._source_line += 1
        self._is_continued = code.rstrip().endswith("\\")
        offset = 0
        while offset < len(code):
            match = _TOKEN.match(code, offset)
            if match is None:
                message = f"not part of ABC music, passed over: {quote(code[offset])}"
                self._report("KT364", message, offset)
                offset += 1
            else:
                offset = self._take_token(match, code)
        if self._in_grace:
            self._report("KT363", "grace notes that are not closed", len(code) - 1)
            self._in_grace = False

    def _take_token(self, match: re.Match[str], code: str) -> int:
        """Take a token, and return the offset behind it and what belongs to it."""
        if match["note"]:
            return self._play([self._note_of(match)], match.start(), match.end(), code)
        if match["chord"]:
            return self._take_chord(match.start(), code)
        if match["rest"]:
            return self._take_rest(match["rest"], match.end(), code)
        if match["field"]:
            self._take_field(match["field"], match["value"], match.start("value"))
        elif match["tuplet"]:
            notes = int(match["tuplet"])
            time = int(match["time"] or _TUPLETS.get(notes, 3 if self._is_compound else 2))
            self._voice().tuplet = (Fraction(time, notes), int(match["count"] or notes))
        elif match["broken"]:
            shorter = Fraction(1, 2 ** len(match["broken"]))
            longer = 2 - shorter
            of_both = (longer, shorter) if match["broken"][0] == ">" else (shorter, longer)
            self._voice().break_rhythm(*of_both)
        else:
            self._take_mark(match.lastgroup)
        return match.end()

    def _take_mark(self, kind: str | None) -> None:
        """Take a token that says all by its kind; most kinds mean nothing to the notes."""
        if kind in ("grace", "ungrace"):
            self._in_grace = kind == "grace"
        elif kind == "bar":
            self._voice().bar()
        elif kind == "overlay":
            self._voice().overlay()
        elif kind == "tie":
            self._voice().tie()

    def _length(self, code: str, offset: int) -> tuple[Fraction, int]:
        length, end = parse_length(code, offset)
        if length is None:
            self._report("KT363", f"not a length: {quote(code[offset:end])}", offset, end - offset)
        return (Fraction(1) if length is None else length), end

    def _take_rest(self, letter: str, offset: int, code: str) -> int:
        units, end = self._length(code, offset)
        voice = self._voice()
        if letter in "ZX":
            voice.rest(units * self._bar, Fraction(1))
        else:
            voice.rest(units, self._unit_of(voice))
        return end

    def _take_chord(self, begin: int, code: str) -> int:
        notes: list[WrittenNote] = []
        first = Fraction(1)
        offset = begin + 1
        while offset < len(code) and code[offset] != "]":
            match = _TOKEN.match(code, offset)
            kind = "" if match is None else match.lastgroup
            if match is not None and match["note"]:
                length, offset = self._length(code, match.end())
                first = first if notes else length
                notes.append(self._note_of(match))
            elif match is not None and kind == "tie" and notes:
                notes[-1] = replace(notes[-1], is_tied=True)
                offset = match.end()
            elif match is not None and kind in ("blank", "text", "decoration", "slur"):
                offset = match.end()
            else:
                self._report("KT363", f"not part of a chord: {quote(code[offset])}", offset)
                return offset + 1
        if offset == len(code):
            self._report("KT363", "chord that is not closed", begin)
            return offset
        notes.sort(key=lambda note: (note.octave, "CDEFGAB".index(note.letter)))
        return self._play(notes, begin, offset + 1, code, first)

    def _play(
        self, notes: list[WrittenNote], begin: int, end: int, code: str, first: Fraction = Fraction(1)
    ) -> int:
        """Play notes whose length stands at ``end``; return the offset behind it."""
        voice = self._voice()
        units, after = self._length(code, end)
        voice.settle_on(self._source_line)
        chord = [(note, *voice.key_of(note, self._tune)) for note in notes]
        for _, _, midi in chord:
            if not 0 <= midi <= 127:
                message = f"pitch beyond the range of MIDI: {quote(code[begin:end])}"
                self._report("KT363", message, begin, end - begin)
                return after
        self._count += len(notes)
        if self._count > self._limits.rows:
            message = f"more than {self._limits.rows:,} notes"
            problem = Diagnostic(code="KT106", severity="error", message=message)
            raise DataError((self._place(begin).diagnose(problem),))
        if self._in_grace:
            voice.grace(chord)
        else:
            voice.play(chord, units * first, self._unit_of(voice))
        return after

    def _note_of(self, match: re.Match[str]) -> WrittenNote:
        letter, marks = match["letter"], match["marks"]
        octave = (5 if letter.islower() else 4) + marks.count("'") - marks.count(",")
        return WrittenNote(match["accidental"], letter.upper(), octave, (self._number, match.start() + 1))
