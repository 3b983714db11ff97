# SPDX-License-Identifier: MIT
"""Times of scores: fractions of a quarter note."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from kammerton.errors import DataError, Diagnostic, Severity, quote
from kammerton.fingering.annotation import midi_of
from kammerton.formats.reading import Limits, Problems
from kammerton.model.annotations import Place

ZERO = Fraction(0)
_FINEST = 10**9


def add_times(first: Fraction, second: Fraction) -> Fraction:
    """Add times: exact for all music, and bounded where a file is made to blow the fractions up.

    Examples
    --------
    >>> add_times(Fraction(1, 3), Fraction(1, 5))
    Fraction(8, 15)
    """
    total = first + second
    return total if total.denominator <= _FINEST else total.limit_denominator(_FINEST // 1000)


_SHARPS = "FCGDAEB"
_FIFTHS = {"F": -1, "C": 0, "G": 1, "D": 2, "A": 3, "E": 4, "B": 5}
_MODES = {
    "maj": 0,
    "ion": 0,
    "lyd": 1,
    "mix": -1,
    "dor": -2,
    "m": -3,
    "min": -3,
    "aeo": -3,
    "phr": -4,
    "loc": -5,
}
_KEY = re.compile(r"\s*([A-G][#b]?)([A-Za-z]*)(?:\s+([A-Za-z]+)(?=\s|$))?")
_NO_KEY = {"": {}, "none": {}, "HP": {}, "Hp": {"F": 1, "C": 1}}
_ALTERATIONS = {"^^": 2, "^": 1, "=": 0, "_": -1, "__": -2}
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
"""Digits of a number in a length; half as many slashes stand for a number."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a ``K:`` or ``V:`` field says; None where it does not say it."""

    key: Mapping[str, int] | None = None  # alteration of each letter that has one
    octave: int | None = None  # octaves to add to the written pitches
    clef_octave: int | None = None  # octaves of an ``8`` above or below the clef
    transpose: int | None = None  # semitones to add

    def over(self, other: Signature) -> Signature:
        """Return what holds if this is said after ``other``."""
        return Signature(
            other.key if self.key is None else self.key,
            other.octave if self.octave is None else self.octave,
            other.clef_octave if self.clef_octave is None else self.clef_octave,
            other.transpose if self.transpose is None else self.transpose,
        )


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
    found = Signature(
        _key(text),
        None if octave is None else int(octave[1]),
        clef_octave,
        None if transpose is None else int(transpose[1]),
    )
    return None if found == Signature() else found


def _key(text: str) -> Mapping[str, int] | None:
    if text.strip() in _NO_KEY:
        return _NO_KEY[text.strip()]
    found = _KEY.match(text)
    if found is None:
        return None
    tonic, mode, word = found.groups()
    if not mode and word is not None and _mode(word) is not None:
        mode = word
    shift = _mode(mode)
    if shift is None:
        return None
    key: dict[str, int] = {}
    if word != "exp":
        fifths = _FIFTHS[tonic[0]] + 7 * (tonic.count("#") - tonic.count("b")) + shift
        step = 1 if fifths > 0 else -1
        for index in range(abs(fifths)):
            letter = _SHARPS[index % 7] if fifths > 0 else _SHARPS[-1 - index % 7]
            key[letter] = key.get(letter, 0) + step
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
    found = _LENGTH.match(text, offset)
    assert found is not None, "it matches nothing as well"
    above, slashes, below = found.groups()
    if (
        max(len(above), len(below), 2 * len(slashes)) > 2 * LONGEST_NUMBER
        or max(len(above), len(below)) > LONGEST_NUMBER
    ):
        return None, found.end()
    divisor = int(below) if below else 2 ** len(slashes)
    if divisor == 0 or (below and len(slashes) != 1):
        return None, found.end()
    return Fraction(int(above or 1), divisor), found.end()


def parse_unit(text: str) -> Fraction | None:
    """Read a unit of length, such as ``1/16``, in whole notes; None if it is none."""
    found = _FRACTION.fullmatch(text)
    if found is None or 0 in (above := int(found[1]), below := int(found[2])):
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
    found = _METER.fullmatch(text)
    if found is None:
        return None
    beats, beat = sum(int(each) for each in found[1].split("+")), int(found[2])
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
    for each in _STAVES.findall(text):
        if each in "()":
            is_shared = each == "("
            if is_shared:
                staves.append([])
        elif is_shared:
            staves[-1].append(each)
        else:
            staves.append([each])
    return [staff for staff in staves if staff]


Spelled = tuple[str, int]
"""Letter and octave as written, before the octave of the voice."""
_ALTERATIONS_of_abcdf_voice: Mapping[str, int] = {"^^": 2, "^": 1, "=": 0, "_": -1, "__": -2}


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
            alteration = _ALTERATIONS_of_abcdf_voice[written.accidental]
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
_BLANK = Signature()


@dataclass(slots=True, eq=False)
class Tune:
    """A tune: its voices by name, and the voices of each staff."""

    voices: dict[str, Voice]
    staves: list[list[str]]

    def staff(self, index: int) -> list[Voice]:
        """Return the voices of a staff, from the top; none if there is no such staff."""
        names = self.staves[index] if index < len(self.staves) else []
        return [self.voices[name] for name in names if name in self.voices]


def read_tune(text: str, problems: Problems, limits: Limits) -> Tune:
    """Read the first tune of a text."""
    reader = _TuneReader(problems, limits)
    for number, line in enumerate(text.split("\n"), 1):
        if not reader.take(number, line):
            break
    return reader.tune()


class _TuneReader:
    """Reads lines; knows the fields that hold for all voices."""

    def __init__(self, problems: Problems, limits: Limits) -> None:
        self._problems = problems
        self._limits = limits
        self._voices: dict[str, Voice] = {}
        self._now: Voice | None = None
        self._staves: list[list[str]] | None = None
        self._tune = _BLANK
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

    def tune(self) -> Tune:
        """Return what was read."""
        if not self._in_body:
            problem = Diagnostic(
                code="KT363",
                severity="error",
                message="no music: there is no field `K:`",
                file=self._problems.file,
            )
            self._problems.add(problem)
        staves = self._staves
        if staves is None:
            staves = [[name] for name in self._voices]
        return Tune({name: voice for name, voice in self._voices.items() if voice.notes}, staves)

    def take(self, number: int, line: str) -> bool:
        """Take the next line; False if it begins another tune."""
        self._number, self._line = number, line
        if line.startswith("%%"):
            self._take_directive(line[2:].strip())
            return True
        found = _CODE.match(line)
        code = line if found is None else found.group()
        field = _FIELD.match(code)
        if field is not None:
            if field[1] == "X" and self._count:
                self._say("KT364", "warning", "further tune left out: one file holds one", 0, 2)
                return False
            self._take_field(field[1], field[2], field.start(2))
        elif self._in_body:
            self._take_music(code)
        return True

    def _say(
        self,
        code: str,
        severity: Severity,
        message: str,
        begin: int,
        length: int = 1,
        hint: str | None = None,
    ) -> None:
        if not self._problems.room(code):
            self._problems.add_unlisted(code, 1)
            return
        place = Place(self._problems.file, self._number, begin + 1, max(1, length), self._line)
        self._problems.add(
            place.diagnose(Diagnostic(code=code, severity=severity, message=message, hint=hint))
        )

    def _take_directive(self, text: str) -> None:
        name, _, rest = text.partition(" ")
        if name in ("score", "staves") and not self._count:
            self._staves = parse_staves(rest)

    def _take_field(self, name: str, value: str, begin: int) -> None:
        written = value.strip()
        length = len(value)
        if name == "L":
            unit = parse_unit(value)
            if unit is None:
                self._say("KT363", "error", f"not a length of a unit: {quote(written)}", begin, length)
            elif self._in_body:
                self._voice().unit = unit
            else:
                self._unit = unit
        elif name == "M":
            meter = parse_meter(value)
            if meter is None:
                self._say("KT363", "error", f"not a meter: {quote(written)}", begin, length)
            else:
                self._bar, self._is_compound = meter
        elif name == "V":
            self._take_voice(written)
        elif name == "K":
            self._take_key(value, begin)

    def _take_voice(self, written: str) -> None:
        name, _, rest = written.partition(" ")
        self._now = self._voices.setdefault(name, Voice())
        signature = parse_signature(f" {rest}")
        if signature is not None:
            self._now.set(replace(signature, key=None))

    def _take_key(self, value: str, begin: int) -> None:
        signature = parse_signature(value)
        if signature is None:
            self._say("KT363", "error", f"not a key: {quote(value.strip())}", begin, len(value))
            signature = _BLANK
        if self._in_body:
            self._voice().set(signature)
        else:
            self._in_body = True
            self._tune = signature
            self._now = None

    def _voice(self) -> Voice:
        """Return the voice that is read: where none is named, the first one."""
        if self._now is None:
            self._now = next(iter(self._voices.values()), None) or self._voices.setdefault("1", Voice())
        return self._now

    def _unit_of(self, voice: Voice) -> Fraction:
        default = Fraction(1, 16) if self._bar < Fraction(3, 4) else Fraction(1, 8)
        return voice.unit or self._unit or default

    def _take_music(self, code: str) -> None:
        if not self._is_continued:
            self._source_line += 1
        self._is_continued = code.rstrip().endswith("\\")
        offset = 0
        while offset < len(code):
            found = _TOKEN.match(code, offset)
            if found is None:
                message = f"not part of ABC music, passed over: {quote(code[offset])}"
                self._say("KT364", "warning", message, offset)
                offset += 1
            else:
                offset = self._take_token(found, code)
        if self._in_grace:
            self._say("KT363", "error", "grace notes that are not closed", len(code) - 1)
            self._in_grace = False

    def _take_token(self, found: re.Match[str], code: str) -> int:
        """Take a token, and return the offset behind it and what belongs to it."""
        if found["note"]:
            return self._play([self._note_of(found)], found.start(), found.end(), code)
        if found["chord"]:
            return self._take_chord(found.start(), code)
        if found["rest"]:
            return self._take_rest(found["rest"], found.end(), code)
        if found["field"]:
            self._take_field(found["field"], found["value"], found.start("value"))
        elif found["tuplet"]:
            self._take_tuplet(found)
        elif found["broken"]:
            self._take_broken(found["broken"])
        else:
            self._take_mark(found.lastgroup)
        return found.end()

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
            self._say("KT363", "error", f"not a length: {quote(code[offset:end])}", offset, end - offset)
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
            found = _TOKEN.match(code, offset)
            kind = "" if found is None else found.lastgroup
            if found is not None and found["note"]:
                length, offset = self._length(code, found.end())
                first = first if notes else length
                notes.append(self._note_of(found))
            elif found is not None and kind == "tie" and notes:
                notes[-1] = replace(notes[-1], is_tied=True)
                offset = found.end()
            elif found is not None and kind in ("blank", "text", "decoration", "slur"):
                offset = found.end()
            else:
                self._say("KT363", "error", f"not part of a chord: {quote(code[offset])}", offset)
                return offset + 1
        if offset == len(code):
            self._say("KT363", "error", "chord that is not closed", begin)
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
                self._say("KT363", "error", message, begin, end - begin)
                return after
        self._count += len(notes)
        if self._count > self._limits.rows:
            message = f"more than {self._limits.rows:,} notes"
            place = Place(self._problems.file, self._number, begin + 1, 1, self._line)
            raise DataError((place.diagnose(Diagnostic(code="KT106", severity="error", message=message)),))
        if self._in_grace:
            voice.grace(chord)
        else:
            voice.play(chord, units * first, self._unit_of(voice))
        return after

    def _take_tuplet(self, found: re.Match[str]) -> None:
        notes = int(found["tuplet"])
        time = int(found["time"] or _TUPLETS.get(notes, 3 if self._is_compound else 2))
        self._voice().start_tuplet(Fraction(time, notes), int(found["count"] or notes))

    def _take_broken(self, written: str) -> None:
        shorter = Fraction(1, 2 ** len(written))
        longer = 2 - shorter
        before, after = (longer, shorter) if written[0] == ">" else (shorter, longer)
        self._voice().break_rhythm(before, after)

    def _note_of(self, found: re.Match[str]) -> WrittenNote:
        letter, marks = found["letter"], found["marks"]
        octave = (5 if letter.islower() else 4) + marks.count("'") - marks.count(",")
        return WrittenNote(found["accidental"], letter.upper(), octave, (self._number, found.start() + 1))
