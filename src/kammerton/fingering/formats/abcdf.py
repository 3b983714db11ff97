# SPDX-License-Identifier: MIT
"""Read fingerings in abcDF: ABC music, with fingerings in comments above it.

::

    % abcD fingering 1: 123&4@54
    % Authority: A. Pianist (1900)
    % Transcriber: B. Scribe
    % abcDidactyl END
    X:1
    ...

A fingering goes note by note through a staff: by onset, grace notes first, then voice by voice as the
score lists them, chords from the bottom. It may count the continuations of ties as notes, as some
programs do, or leave them out. Annotators bear the numbers of the fingerings; where a fingering has
alternatives, ``1-alternate`` is the annotator who takes them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from kammerton.errors import DataError, Diagnostic, Severity, quote
from kammerton.fingering.annotation import LEFT, MISSING, RIGHT, Fingering
from kammerton.fingering.formats.abcdf_fingers import FingerError, FingerToken, Staff, parse_fingers
from kammerton.fingering.formats.abcdf_music import Tune, read_tune
from kammerton.fingering.formats.abcdf_voice import AbcNote
from kammerton.fingering.formats.notes import Notes, check_notes, say_no_notes
from kammerton.fingering.formats.options import DEFAULT_OPTIONS, ReadingOptions
from kammerton.fingering.labels import FingerLabel, parse_label
from kammerton.formats.budgets import keeps_lines
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.model.annotations import Place
from kammerton.model.task import Reading

__all__ = ["Annotator", "find_annotators", "is_abcdf", "parse_abcdf"]

_FINGERING = re.compile(r"%\s*abcD fingering\s+([0-9]{1,4})\s*:[ \t]*(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Annotator:
    """Whose fingering it is, and where it stands.

    Parameters
    ----------
    number : str
        As the file counts fingerings.
    text : str
        The fingering as it is written.
    line, column : int
        Where it begins.
    excerpt : str
        Its whole line.
    """

    number: str
    text: str
    line: int
    column: int
    excerpt: str

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
    text: str, problems: Problems, options: ReadingOptions = DEFAULT_OPTIONS
) -> Reading[Fingering]:
    """Read the text of a file in abcDF.

    Parameters
    ----------
    text : str
        The file.
    problems : Problems
        Takes every problem found.
    options : ReadingOptions
        Says how long the file may be.

    Returns
    -------
    Reading of Fingering
        One annotation for each fingering, named by its number; one without labels and name if there
        is no fingering; none if a diagnostic is an error.
    """
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
            say_no_notes(problems)
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
        fingered = _Fingered(label, token.hand if finger is None else finger.hand_code)
        struck = note.begun_by or note
        before = found.get(struck)
        found[struck] = fingered if before is None else before.taken_over(fingered)
    return found
