# SPDX-License-Identifier: MIT
"""Fingerings as abcDF writes them: a character for a note, staff by staff, line by line.

The grammar is that of David Randolph's Didactyl::

    fingering = staff [ "@" staff ]                  upper, lower
    staff     = line { "&" line }
    line      = { note }
    note      = ( ornament | single ) [ "/" ( ornament | single ) ] [ "," | ";" | "." ]
    ornament  = "(" single { single } ")"
    single    = { "p" | "f" } ( finger [ "-" finger ] | "x" ) { "_" | "^" }
    finger    = [ "<" | ">" ] ( "1" | "2" | "3" | "4" | "5" )

``<`` and ``>`` are the left and the right hand, and hold until the next one within their staff; ``-``
is a substitution, ``x`` a note without finger, ``/`` sets an alternative apart. Pedals and the ends of
phrases are passed over.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import NoReturn

import numpy as np

from kammerton.errors import DataError, Diagnostic, Severity, quote
from kammerton.fingering.annotation import LEFT, MISSING, RIGHT, Fingering, FingerLabel, parse_label
from kammerton.fingering.formats.abcdf_music import AbcNote, Tune, read_tune
from kammerton.fingering.formats.notes import (
    DEFAULT_OPTIONS,
    FingeringOptions,
    Notes,
    check_notes,
    finish,
)
from kammerton.formats.reading import Limits, Problems, keeps_lines
from kammerton.model.annotations import Place
from kammerton.model.task import Reading

_SINGLE = re.compile(r"[pf]*+(?:(?P<strike>[<>]?[1-5])(?:-(?P<release>[<>]?[1-5]))?+|x)[_^]*+")
_HANDS = {">": RIGHT, "<": LEFT}


@dataclass(frozen=True, slots=True)
class FingerToken:
    """What is written for one note."""

    # label, alternate: in the notation of PIG; the alternative is the label itself where there is none
    label: str
    alternate: str
    hand: int  # the hand that holds from here on, and here if the note has no finger
    # begin, end: offsets in the text
    begin: int
    end: int
    has_alternate: bool
    is_ornament: bool


@dataclass(frozen=True, slots=True)
class Line:
    """The notes of a line of music."""

    tokens: tuple[FingerToken, ...]
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Staff:
    """The lines of a staff."""

    lines: tuple[Line, ...]

    @property
    def tokens(self) -> list[FingerToken]:
        """All notes of the staff."""
        return [token for line in self.lines for token in line.tokens]

    @property
    def is_blank(self) -> bool:
        """Tell whether the staff is not fingered: nothing stands there, or an ``x`` for all of it."""
        return [token.label for token in self.tokens] in ([], [MISSING])


class FingerError(Exception):
    """Something in a fingering is not part of abcDF."""

    def __init__(self, message: str, begin: int, length: int = 1, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.begin = begin
        self.length = length
        self.hint = hint


def parse_fingers(text: str) -> tuple[Staff, Staff]:
    """Read a fingering.

    Examples
    --------
    >>> upper, lower = parse_fingers("12<3-1x&>4@5")
    >>> [[token.label for token in line.tokens] for line in upper.lines]
    [['1', '2', '-3_-1', ''], ['4']]
    >>> [token.label for token in lower.tokens]
    ['-5']
    """
    staves = []
    begin = 0
    for written, hand in zip([*text.split("@"), ""], (RIGHT, LEFT), strict=False):
        staves.append(_staff(text, begin, min(begin + len(written), len(text)), hand))
        begin += len(written) + 1
    if begin <= len(text):
        raise FingerError("third staff", begin - 1, 1, "there is an upper and a lower staff")
    return staves[0], staves[1]


def _staff(text: str, begin: int, end: int, hand: int) -> Staff:
    scanner = _Scanner(text, end, hand)
    lines = []
    for written in text[begin:end].split("&"):
        tokens = tuple(scanner.tokens(begin, begin + len(written)))
        lines.append(Line(tokens, begin, begin + len(written)))
        begin += len(written) + 1
    return Staff(tuple(lines))


class _Scanner:
    """Reads the notes of a staff and keeps the hand that holds."""

    def __init__(self, text: str, end: int, hand: int) -> None:
        self._text = text
        self._end = end
        self._hand = hand

    def tokens(self, begin: int, end: int) -> Iterator[FingerToken]:
        """Give the notes of a line."""
        self._end = end
        offset = self._after_blanks(begin)
        while offset < end:
            start, hand = offset, self._hand
            label, offset, is_ornament = self._note(offset)
            alternate = label
            has_alternate = offset < end and self._text[offset] == "/"
            if has_alternate:
                after, self._hand = self._hand, hand
                alternate, offset, _ = self._note(offset + 1)
                self._hand = after  # the music goes on from the main fingering
            yield FingerToken(label, alternate, self._hand, start, offset, has_alternate, is_ornament)
            if offset < end and self._text[offset] in ",;.":
                offset += 1
            offset = self._after_blanks(offset)

    def _after_blanks(self, offset: int) -> int:
        while offset < self._end and self._text[offset] in " \t":
            offset += 1
        return offset

    def _note(self, offset: int) -> tuple[str, int, bool]:
        """Return a label, the offset behind it, and whether it is the first one of an ornament."""
        if self._text[offset : offset + 1] != "(":
            return *self._single(offset), False
        closing = self._text.find(")", offset, self._end)
        if closing < 0:
            raise FingerError("ornament that is not closed", offset, 1)
        if closing == offset + 1:
            raise FingerError("ornament without a finger", offset, 2)
        label, offset = self._single(offset + 1)
        while offset < closing:
            _, offset = self._single(offset)
        return label, closing + 1, True

    def _single(self, offset: int) -> tuple[str, int]:
        found = _SINGLE.match(self._text, offset, self._end)
        if found is None:
            self._fail(offset)
        fingers = [self._finger(finger) for finger in found.group("strike", "release") if finger]
        return str(FingerLabel(tuple(fingers))) if fingers else MISSING, found.end()

    def _finger(self, written: str) -> int:
        """Return a signed finger, and let its hand hold from here on."""
        mark, digit = written[:-1], int(written[-1])
        self._hand = _HANDS.get(mark, self._hand)
        return digit if self._hand == RIGHT else -digit

    def _fail(self, offset: int) -> NoReturn:
        written = self._text[offset] if offset < self._end else ""
        if not written:
            raise FingerError("a finger is missing at the end", offset)
        raise FingerError(f"not part of a fingering in abcDF: {quote(written)}", offset, 1, _HINT)


_HINT = "fingers are 1 to 5, `x` is a note without finger"


_FINGERING = re.compile(r"%\s*abcD fingering\s+([0-9]{1,4})\s*:[ \t]*(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Annotator:
    """Whose fingering it is, and where it stands."""

    number: str  # as the file counts fingerings
    text: str  # the fingering as it is written
    # line, column: where it begins
    line: int
    column: int
    excerpt: str  # its whole line

    def place(self, file: str, begin: int, length: int) -> Place:
        """Return the place of a piece of the fingering."""
        return Place(file, self.line, self.column + begin, max(1, length), self.excerpt)


def is_abcdf(text: str) -> bool:
    """Tell whether a text has a fingering in abcDF.

    Examples
    --------
    >>> is_abcdf("% abcD fingering 1: 123@"), is_abcdf("X:1")
    (True, False)
    """
    return any(_FINGERING.match(line) for line in text.split("\n"))


def find_annotators(text: str) -> tuple[Annotator, ...]:
    """Return the fingerings of a file."""
    found: list[Annotator] = []
    for number, line in enumerate(text.split("\n"), 1):
        fingering = _FINGERING.match(line)
        if fingering is not None:
            column = fingering.start(2) + 1
            found.append(Annotator(fingering[1], fingering[2].rstrip(), number, column, line))
    return tuple(found)


def parse_abcdf(
    text: str, problems: Problems, options: FingeringOptions = DEFAULT_OPTIONS
) -> Reading[Fingering]:
    """Read the text of a file in abcDF."""
    if not keeps_lines(text, problems, options.limits):
        return Reading((), problems.diagnostics())
    try:
        tune = read_tune(text, problems, options.limits)
    except DataError as error:
        return Reading((), (*problems.diagnostics(), *error.diagnostics))
    annotations = list(_annotations(text, _Music(text, tune, problems), problems, options.limits))
    return Reading(() if problems.has_errors else tuple(annotations), problems.diagnostics())


def _say(problems: Problems, code: str, severity: Severity, message: str, hint: str | None = None) -> None:
    problems.add(Diagnostic(code=code, severity=severity, message=message, file=problems.file, hint=hint))


class _Music:
    """The notes of a tune, staff by staff, in the order in which a fingering goes through them."""

    def __init__(self, text: str, tune: Tune, problems: Problems) -> None:
        self._lines = text.split("\n")
        self._file = problems.file
        self.heads = tuple(_in_order(tune, staff) for staff in (0, 1))
        self.struck = tuple([note for note in staff if note.begun_by is None] for staff in self.heads)
        listed = {name for staff in tune.staves for name in staff}
        for name in tune.voices:
            if name not in listed:
                message = f"voice {quote(name)} left out: the score does not list it"
                _say(problems, "KT364", "warning", message)
        if any(tune.staff(staff) for staff in range(2, len(tune.staves))):
            message = f"music on {len(tune.staves)} staves: a fingering has an upper and a lower one"
            _say(problems, "KT365", "error", message, "`%%score ( 1 2 ) | ( 3 4 )` joins voices to staves")
        if any(self.heads):
            check_notes(self.notes(({}, {})), problems)
        else:
            finish((), problems)
        self.count = sum(map(len, self.struck))
        self.is_sound = not problems.has_errors

    def notes(self, fingers: Sequence[Mapping[AbcNote, _Fingered]]) -> Notes:
        """Return the notes with these fingers by onset, at one onset those of the upper staff first."""
        placed = [
            (note, fingers[staff].get(note, _Fingered(MISSING, hand)))
            for staff, hand in enumerate((RIGHT, LEFT))
            for note in self.struck[staff]
        ]
        placed.sort(key=lambda each: float(each[0].onset))
        return Notes(
            np.array([float(note.onset) for note, _ in placed]),
            np.array([float(note.onset + note.length) for note, _ in placed]),
            np.array([note.midi for note, _ in placed], dtype=np.int64),
            np.array([finger.hand for _, finger in placed], dtype=np.int64),
            [finger.label for _, finger in placed],
            lambda row, _: self._place(placed[row][0]),
            unit="quarters",
        )

    def _place(self, note: AbcNote) -> Place:
        line, column = note.position
        return Place(self._file, line, column, 1, self._lines[line - 1])


def _in_order(tune: Tune, staff: int) -> list[AbcNote]:
    notes = [note for voice in tune.staff(staff) for note in voice.notes]
    return sorted(notes, key=lambda note: (float(note.onset), not note.is_grace))


def _annotations(
    text: str, music: _Music, problems: Problems, limits: Limits
) -> Iterator[tuple[str | None, Fingering]]:
    annotators = find_annotators(text)
    if not annotators and music.is_sound:
        message = "no line `% abcD fingering 1: ...`: no note has a finger"
        _say(problems, "KT360", "warning", message)
        yield None, music.notes(({}, {})).fingering()
    if len(annotators) * music.count > limits.rows:
        labels = f"{len(annotators):,} fingerings of {music.count:,} notes"
        _say(problems, "KT106", "error", f"{labels}: over the limit of {limits.rows:,} labels")
        return
    numbers = set()
    for annotator in annotators:
        scribe = _Scribe(annotator, problems)
        if annotator.number in numbers:
            scribe.say("KT361", "error", f"fingering {annotator.number} stands twice", 0, 1)
        numbers.add(annotator.number)
        yield from scribe.annotations(music)


@dataclass(frozen=True, slots=True)
class _Fingered:
    """What a note gets."""

    label: str
    hand: int

    def taken_over(self, by: _Fingered) -> _Fingered:
        """Return what a note gets that is tied over to one with its own finger."""
        own, further = parse_label(self.label), parse_label(by.label)
        if own is None or further is None:
            return by if own is None else self
        fingers = further.fingers if further.strike != own.fingers[-1] else further.fingers[1:]
        return replace(self, label=str(FingerLabel(own.fingers + fingers)))


class _Scribe:
    """Gives the fingers of one fingering to the notes."""

    def __init__(self, annotator: Annotator, problems: Problems) -> None:
        self._annotator = annotator
        self._problems = problems

    def say(
        self, code: str, severity: Severity, message: str, begin: int, length: int, hint: str | None = None
    ) -> None:
        """Report a problem of a piece of the fingering."""
        place = self._annotator.place(self._problems.file, begin, length)
        self._problems.add(
            place.diagnose(Diagnostic(code=code, severity=severity, message=message, hint=hint))
        )

    def annotations(self, music: _Music) -> Iterator[tuple[str | None, Fingering]]:
        """Give the annotation, and that of the alternatives."""
        try:
            staves = parse_fingers(self._annotator.text)
        except FingerError as error:
            self.say("KT361", "error", error.message, error.begin, error.length, error.hint)
            return
        if not music.heads[1] and staves[0].is_blank:
            staves = staves[::-1]  # a single staff, for the left hand
        matched = [self._match(staff, index, music) for index, staff in enumerate(staves)]
        number = self._annotator.number
        yield number, music.notes([_fingers(pairs, attrgetter("label")) for pairs in matched]).fingering()
        if any(token.has_alternate for staff in staves for token in staff.tokens):
            alternates = [_fingers(pairs, attrgetter("alternate")) for pairs in matched]
            yield f"{number}-alternate", music.notes(alternates).fingering()

    def _match(self, staff: Staff, index: int, music: _Music) -> list[tuple[AbcNote, FingerToken]]:
        """Pair the notes of a staff with what is written for them."""
        tokens = staff.tokens
        if staff.is_blank:
            return []
        for token in tokens:
            if token.is_ornament:
                message = "fingers of an ornament: the first one strikes the note"
                self.say("KT366", "note", message, token.begin, token.end - token.begin)
        for notes in (music.heads[index], music.struck[index]):
            if len(notes) == len(tokens):
                return list(zip(notes, tokens, strict=True))
        if music.is_sound:
            self._say_mismatch(staff, index, music.heads[index])
        return []

    def _say_mismatch(self, staff: Staff, index: int, notes: Sequence[AbcNote]) -> None:
        """Report the first line whose fingers are not as many as its notes, if lines can be compared."""
        name = ("upper", "lower")[index]
        counts = Counter(note.line for note in notes)
        begin, end = staff.lines[0].begin, staff.lines[-1].end
        written, wanted, of_line = len(staff.tokens), len(notes), ""
        if len(counts) == len(staff.lines) > 1:
            number = next(n for n, line in enumerate(staff.lines) if len(line.tokens) != counts[n])
            line = staff.lines[number]
            begin, end = line.begin, line.end
            written, wanted, of_line = len(line.tokens), counts[number], f"line {number + 1} of "
        message = f"{written} fingers for the {wanted} notes of {of_line}the {name} staff"
        self.say("KT362", "error", message, begin, end - begin)


def _fingers(
    pairs: Sequence[tuple[AbcNote, FingerToken]], choose: Callable[[FingerToken], str]
) -> dict[AbcNote, _Fingered]:
    """Return what each struck note gets; a finger that differs on the continuation of a tie takes over."""
    found: dict[AbcNote, _Fingered] = {}
    for note, token in pairs:
        label = choose(token)
        finger = parse_label(label)
        fingered = _Fingered(label, token.hand if finger is None else finger.hand)
        struck = note.begun_by or note
        before = found.get(struck)
        found[struck] = fingered if before is None else before.taken_over(fingered)
    return found
