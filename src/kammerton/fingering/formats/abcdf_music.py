# SPDX-License-Identifier: MIT
"""The notes of ABC music, as far as a fingering needs them: which key, when, how long, on which staff.

Repeats stand once, as they are written; accidentals hold for their octave until the end of the bar;
times are quarter notes from the beginning. Of several tunes in a file the first one is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from kammerton.errors import DataError, Diagnostic, Severity, quote
from kammerton.fingering.formats.abcdf_keys import (
    Signature,
    parse_length,
    parse_meter,
    parse_signature,
    parse_staves,
    parse_unit,
)
from kammerton.fingering.formats.abcdf_voice import Voice, WrittenNote
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.model.annotations import Place

__all__ = ["Tune", "read_tune"]

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
    """Read the first tune of a text.

    Parameters
    ----------
    text : str
        A file; comments are passed over.
    problems : Problems
        Takes KT363 for what cannot be read and KT364 for what is passed over.
    limits : Limits
        ``rows`` bounds the notes.

    Raises
    ------
    DataError
        KT106 if there are too many notes.
    """
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
