# SPDX-License-Identifier: MIT
"""Fingerings as abcDF writes them above music in ABC: a character for a note, staff by staff, line by line.

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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from kammerton.errors import DataError, Severity, quote
from kammerton.fingering.annotation import LEFT, MISSING, RIGHT, Fingering, FingerLabel, parse_label
from kammerton.fingering.formats.abc_music import AbcNote, Tune, TuneReader
from kammerton.fingering.formats.notes import DEFAULT_OPTIONS, FingeringOptions, Notes, check_notes, finish
from kammerton.formats.reading import Limits, Problems, within_line_limits
from kammerton.model.annotations import Place
from kammerton.model.task import Reading

# --- fingers --------------------------------------------------------------------------------------------

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
class FingerLine:
    """The notes of a line of music."""

    tokens: tuple[FingerToken, ...]
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class FingerStaff:
    """The lines of a staff."""

    lines: tuple[FingerLine, ...]

    @property
    def tokens(self) -> list[FingerToken]:
        """All notes of the staff."""
        return [token for line in self.lines for token in line.tokens]

    @property
    def is_blank(self) -> bool:
        """Tell whether the staff is not fingered: nothing stands there, or an ``x`` for all of it."""
        return [token.label for token in self.tokens] in ([], [MISSING])


@dataclass(eq=False)
class FingerError(Exception):
    """Something in a fingering is not part of abcDF."""

    message: str
    begin: int
    length: int = 1
    hint: str | None = None


def parse_fingers(text: str) -> tuple[FingerStaff, FingerStaff]:
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
        reader = _StaffReader(text, hand)
        lines = []
        for line in written.split("&"):
            lines.append(reader.line(min(begin, len(text)), min(begin + len(line), len(text))))
            begin += len(line) + 1
        staves.append(FingerStaff(tuple(lines)))
    if begin <= len(text):
        raise FingerError("third staff", begin - 1, 1, "there is an upper and a lower staff")
    return staves[0], staves[1]


class _StaffReader:
    """Reads the notes of a staff and keeps the hand that holds."""

    def __init__(self, text: str, hand: int) -> None:
        self._text = text
        self._hand = hand
        self._end = 0

    def line(self, begin: int, end: int) -> FingerLine:
        """Read a line."""
        self._end = end
        return FingerLine(tuple(self._tokens(begin)), begin, end)

    def _tokens(self, begin: int) -> Iterator[FingerToken]:
        offset = self._behind(begin, " \t")
        while offset < self._end:
            start, hand = offset, self._hand
            label, offset, is_ornament = self._note(offset)
            alternate = label
            has_alternate = self._text.startswith("/", offset, self._end)
            if has_alternate:
                after, self._hand = self._hand, hand
                alternate, offset, _ = self._note(offset + 1)
                self._hand = after  # the music goes on from the main fingering
            yield FingerToken(label, alternate, self._hand, start, offset, has_alternate, is_ornament)
            if self._text.startswith((",", ";", "."), offset, self._end):
                offset += 1
            offset = self._behind(offset, " \t")

    def _behind(self, offset: int, blanks: str) -> int:
        return self._end - len(self._text[offset : self._end].lstrip(blanks))

    def _note(self, offset: int) -> tuple[str, int, bool]:
        """Return a label, the offset behind it, and whether it is the first one of an ornament."""
        if not self._text.startswith("(", offset):
            return *self._single(offset), False
        closing = self._text.find(")", offset, self._end)
        if closing < 0:
            raise FingerError("ornament that is not closed", offset)
        if closing == offset + 1:
            raise FingerError("ornament without a finger", offset, 2)
        label, offset = self._single(offset + 1)
        while offset < closing:
            _, offset = self._single(offset)
        return label, closing + 1, True

    def _single(self, offset: int) -> tuple[str, int]:
        match = _SINGLE.match(self._text, offset, self._end)
        if match is None:
            written = self._text[offset : min(offset + 1, self._end)]
            if not written:
                raise FingerError("a finger is missing at the end", offset)
            hint = "fingers are 1 to 5, `x` is a note without finger"
            raise FingerError(f"not part of a fingering in abcDF: {quote(written)}", offset, 1, hint)
        fingers = [self._finger(finger) for finger in match.group("strike", "release") if finger]
        return str(FingerLabel(tuple(fingers))) if fingers else MISSING, match.end()

    def _finger(self, written: str) -> int:
        """Return a signed finger, and let its hand hold from here on."""
        mark, digit = written[:-1], int(written[-1])
        self._hand = _HANDS.get(mark, self._hand)
        return digit if self._hand == RIGHT else -digit


# --- fingers on notes -----------------------------------------------------------------------------------

_FINGERING = re.compile(r"%\s*abcD fingering\s+([0-9]{1,4})\s*:[ \t]*(.*)", re.IGNORECASE)


def parse_abcdf(
    text: str, problems: Problems, options: FingeringOptions = DEFAULT_OPTIONS
) -> Reading[Fingering]:
    """Read the text of a file in abcDF."""
    if not within_line_limits(text, problems, options.limits):
        return Reading((), problems.diagnostics())
    try:
        tune = TuneReader(problems, options.limits).read(text)
    except DataError as error:
        return Reading((), (*problems.diagnostics(), *error.diagnostics))
    annotations = tuple(_annotations(text, _Music(text, tune, problems), problems, options.limits))
    return Reading(() if problems.has_errors else annotations, problems.diagnostics())


class _Music:
    """The notes of a tune, staff by staff, in the order in which a fingering goes through them."""

    def __init__(self, text: str, tune: Tune, problems: Problems) -> None:
        self._lines = text.split("\n")
        self._file = problems.file
        self.heads = tuple(
            sorted(
                (note for voice in tune.staff(staff) for note in voice.notes),
                key=lambda note: (float(note.onset), not note.is_grace),
            )
            for staff in (0, 1)
        )
        self.struck = tuple([note for note in staff if note.begun_by is None] for staff in self.heads)
        listed = {name for staff in tune.staves for name in staff}
        for name in tune.voices:
            if name not in listed:
                message = f"voice {quote(name)} left out: the score does not list it"
                problems.report("KT364", message, severity="warning")
        if any(tune.staff(staff) for staff in range(2, len(tune.staves))):
            message = f"music on {len(tune.staves)} staves: a fingering has an upper and a lower one"
            problems.report("KT365", message, hint="`%%score ( 1 2 ) | ( 3 4 )` joins voices to staves")
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
        placed.sort(key=lambda entry: float(entry[0].onset))
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


def _annotations(
    text: str, music: _Music, problems: Problems, limits: Limits
) -> Iterator[tuple[str | None, Fingering]]:
    annotators = [
        _Annotator(match[1], match[2].rstrip(), number, match.start(2) + 1, line, problems)
        for number, line in enumerate(text.split("\n"), 1)
        if (match := _FINGERING.match(line))
    ]
    if not annotators and music.is_sound:
        message = "no line `% abcD fingering 1: ...`: no note has a finger"
        problems.report("KT360", message, severity="warning")
        yield None, music.notes(({}, {})).fingering()
    if len(annotators) * music.count > limits.rows:
        labels = f"{len(annotators):,} fingerings of {music.count:,} notes"
        problems.report("KT106", f"{labels}: over the limit of {limits.rows:,} labels")
        return
    numbers = set()
    for annotator in annotators:
        if annotator.number in numbers:
            annotator.report("KT361", "error", f"fingering {annotator.number} stands twice", 0, 1)
        numbers.add(annotator.number)
        yield from annotator.annotations(music)


class _Fingered(NamedTuple):
    """What a note gets."""

    label: str
    hand: int

    def taken_over(self, by: _Fingered) -> _Fingered:
        """Return what a note gets that is tied over to one with its own finger."""
        own, further = parse_label(self.label), parse_label(by.label)
        if own is None or further is None:
            return by if own is None else self
        fingers = further.fingers if further.strike != own.fingers[-1] else further.fingers[1:]
        return self._replace(label=str(FingerLabel(own.fingers + fingers)))


@dataclass(frozen=True, slots=True, eq=False)
class _Annotator:
    """Gives the fingers of one fingering to the notes."""

    number: str  # as the file counts fingerings
    text: str  # the fingering as it is written
    # line, column: where it begins
    line: int
    column: int
    excerpt: str  # its whole line
    problems: Problems

    def report(
        self, code: str, severity: Severity, message: str, begin: int, length: int, hint: str | None = None
    ) -> None:
        """Report a problem of a piece of the fingering."""
        place = Place(self.problems.file, self.line, self.column + begin, max(1, length), self.excerpt)
        self.problems.report(code, message, place, severity=severity, hint=hint)

    def annotations(self, music: _Music) -> Iterator[tuple[str | None, Fingering]]:
        """Give the annotation, and that of the alternatives."""
        try:
            staves = parse_fingers(self.text)
        except FingerError as error:
            self.report("KT361", "error", error.message, error.begin, error.length, error.hint)
            return
        if not music.heads[1] and staves[0].is_blank:
            staves = staves[::-1]  # a single staff, for the left hand
        matched = [self._match(staff, index, music) for index, staff in enumerate(staves)]
        yield self.number, music.notes([_fingers(pairs, "label") for pairs in matched]).fingering()
        if any(token.has_alternate for staff in staves for token in staff.tokens):
            alternates = [_fingers(pairs, "alternate") for pairs in matched]
            yield f"{self.number}-alternate", music.notes(alternates).fingering()

    def _match(self, staff: FingerStaff, index: int, music: _Music) -> list[tuple[AbcNote, FingerToken]]:
        """Pair the notes of a staff with what is written for them."""
        tokens = staff.tokens
        if staff.is_blank:
            return []
        for token in tokens:
            if token.is_ornament:
                message = "fingers of an ornament: the first one strikes the note"
                self.report("KT366", "note", message, token.begin, token.end - token.begin)
        for notes in (music.heads[index], music.struck[index]):
            if len(notes) == len(tokens):
                return list(zip(notes, tokens, strict=True))
        if music.is_sound:
            self._report_mismatch(staff, index, music.heads[index])
        return []

    def _report_mismatch(self, staff: FingerStaff, index: int, notes: Sequence[AbcNote]) -> None:
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
        self.report("KT362", "error", message, begin, end - begin)


def _fingers(
    pairs: Sequence[tuple[AbcNote, FingerToken]], which: Literal["label", "alternate"]
) -> dict[AbcNote, _Fingered]:
    """Return what each struck note gets; a finger that differs on the continuation of a tie takes over."""
    fingers: dict[AbcNote, _Fingered] = {}
    for note, token in pairs:
        text = token.label if which == "label" else token.alternate
        label = parse_label(text)
        fingered = _Fingered(text, token.hand if label is None else label.hand)
        struck = note.begun_by or note
        fingers[struck] = fingers[struck].taken_over(fingered) if struck in fingers else fingered
    return fingers
