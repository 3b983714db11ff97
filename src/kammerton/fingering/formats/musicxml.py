# SPDX-License-Identifier: MIT
"""Scores in MusicXML: which fingers they give to which notes, and how a fingering is written as one.

A note may have alternatives, each of which may be a substitution. Some programs put the fingers of a
whole chord on one of its notes: they go to the notes as a hand lies on them, the thumb of the right
hand at the bottom, that of the left at the top, in whatever order they are written.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import accumulate, groupby
from operator import itemgetter
from pathlib import PurePath
from xml.etree import ElementTree as ET

import numpy as np

from kammerton.errors import DataError, OptionError, Severity, plural, quote, some
from kammerton.fingering.annotation import (
    LEFT,
    MISSING,
    RIGHT,
    UNKNOWN,
    Encoding,
    Fingering,
    FingerLabel,
    inspect,
    parse_label,
    spell,
)
from kammerton.fingering.formats.musicxml_parts import Part, PartReader, ScoreNote, ScorePlace, ScoreTree
from kammerton.fingering.formats.notes import (
    DEFAULT_OPTIONS,
    ZERO,
    FingeringOptions,
    Notes,
    add_times,
    check_notes,
    finish,
)
from kammerton.fingering.formats.xml_document import (
    EXPANSION,
    Element,
    ScoreProblems,
    XmlText,
    decode_xml,
    refuse,
    unpack_score,
)
from kammerton.formats.reading import Limits
from kammerton.formats.source import read_bytes
from kammerton.model.annotations import Place
from kammerton.model.task import Reading

MOST_ALTERNATES = 9
"""Alternatives of one note that are read; each makes an annotator."""

_KINDS = ("substitution", "alternate")
"""Attributes by which a fingering belongs to the one before it."""


@dataclass(frozen=True, slots=True)
class _Label:
    """A label, and how it is kept."""

    label: FingerLabel
    written: str  # in the notation of PIG
    element: Element

    def taken_over(self, by: _Label, *, after: int | None = None) -> _Label:
        """Return the label with further fingers, after all of its own or the first few."""
        label = FingerLabel(self.label.fingers[:after] + by.label.fingers)
        return replace(self, label=label, written=str(label))


_Choice = list[_Label]
"""A label and the alternatives to it."""


class FingerReader:
    """Reads the fingerings of one hand."""

    def __init__(self, hand: int, encoding: Encoding, problems: ScoreProblems) -> None:
        self._hand = hand
        self._encoding = encoding
        self._problems = problems

    def label_chord(self, notes: Sequence[ScoreNote]) -> list[list[str]]:
        """Return the label of each note that is struck together with others or alone, and alternatives."""
        choices = [self._read(note) for note in notes]
        if any(len(of_note) > 1 for of_note in choices):
            self._settle(notes, choices)
        for note, of_note in zip(notes, choices, strict=True):
            self._continue_tied(note, of_note)
        return [[label.written for label in of_note[0]] if of_note else [] for of_note in choices]

    def _report(
        self, element: Element, message: str, where: ScorePlace, severity: Severity = "warning"
    ) -> None:
        self._problems.report_of(element, "KT357", message, where, severity=severity)

    def _read(self, note: ScoreNote) -> list[_Choice]:
        """Read what stands at the beginning of a note: the choices, of which there should be one."""
        choices: list[_Choice] = []
        for element in note.fingerings:
            label = self._label(element, note.where)
            if label is None:
                continue
            kind = next(filter(partial(_is, element), _KINDS), None) if element.attributes else None
            if kind is not None and choices:
                if len(choices[-1]) <= MOST_ALTERNATES or not _is(element, "alternate"):
                    _extend(choices[-1], label)
                else:
                    self._report(element, f"more than {MOST_ALTERNATES} alternatives: left out", note.where)
                continue
            if kind is not None:
                self._report(element, f"{kind} without a finger before it: taken as the finger", note.where)
            choices.append([label])
        return choices

    def _label(self, element: Element, where: ScorePlace) -> _Label | None:
        text = element.text.strip()
        meaning = inspect(text, self._encoding, self._hand)
        problem = meaning.diagnostic
        if problem is not None and problem.severity == "error":  # of a score, one odd mark costs one finger
            message = f"{problem.message}: the note counts as without finger"
            problem = problem.at(severity="warning", message=message)
        if problem is not None:
            self._problems.add_of(element, problem, where)
        elif not text:
            self._report(element, "empty fingering: the note counts as without finger", where, "note")
        return None if meaning.label is None else _Label(meaning.label, meaning.canonical, element)

    def _settle(self, notes: Sequence[ScoreNote], choices: list[list[_Choice]]) -> None:
        """Give fingers that stand together at one note to the notes of its chord, if each gets one."""
        crowded = next(index for index, of_note in enumerate(choices) if len(of_note) > 1)
        everything = [choice for of_note in choices for choice in of_note]
        if len(everything) != len(notes):
            self._drop(notes, choices)
            return
        count = len(choices[crowded])
        message = f"{count} fingers on one note of a chord: they go to its {len(notes)} notes by hand"
        self._report(choices[crowded][0][0].element, message, notes[crowded].where, "note")
        _, *others = everything[-1]
        everything.sort(key=lambda choice: _strike(choice[0]))
        upwards = sorted(range(len(notes)), key=lambda index: notes[index].midi)
        for rank, index in enumerate(upwards):
            choices[index] = [everything[rank]]
        if len(others) == len(notes):  # another whole chord
            for choice, other in zip(everything, sorted(others, key=_strike), strict=True):
                choice[1:] = [other]

    def _drop(self, notes: Sequence[ScoreNote], choices: list[list[_Choice]]) -> None:
        for note, of_note in zip(notes, choices, strict=True):
            if len(of_note) > 1:
                texts = quote(", ".join(choice[0].element.text.strip() for choice in of_note))
                message = f"several fingers on one note, the first one strikes it: {texts}"
                if len(notes) > 1:
                    message = f"fingers that do not go to the {len(notes)} notes of their chord: {texts}"
                self._report(of_note[0][0].element, message, note.where)
                del of_note[1 if len(notes) == 1 else 0 :]

    def _continue_tied(self, note: ScoreNote, choices: list[_Choice]) -> None:
        """Add the fingers that take a tied note over."""
        for element, where in note.continued:
            label = self._label(element, where)
            if label is None:
                continue
            if not choices:
                message = "finger on the continuation of a tie, none on its beginning: taken as the finger"
                self._report(element, message, where)
                choices.append([label])
            elif label.label.fingers != choices[0][0].label.fingers[-1:]:  # else it is a reminder
                if not _is(element, "substitution"):
                    written = quote(element.text.strip())
                    message = f"finger on the continuation of a tie: {written} takes the key over"
                    self._report(element, message, where, "note")
                choices[0] = [before.taken_over(label) for before in choices[0]]


def _extend(choice: _Choice, label: _Label) -> None:
    """Add a substitution, an alternative, or an alternative substitution after the same first finger."""
    is_substitution, is_alternate = (_is(label.element, kind) for kind in _KINDS)
    if is_alternate:
        choice.append(choice[0].taken_over(label, after=1) if is_substitution else label)
    else:
        choice[-1] = choice[-1].taken_over(label)


def _strike(label: _Label) -> int:
    """Return the signed finger: these ascend from the left of the keyboard to the right in both hands."""
    return label.label.strike


def _is(element: Element, attribute: str) -> bool:
    return element.attributes.get(attribute) == "yes"


_HAND_HINT = "--hand right or --hand left"
Labelled = tuple[ScoreNote, int, list[str]]
"""A note, the hand that plays it, its label and alternatives to it."""


def read_score(
    path: str | os.PathLike[str], name: str, options: FingeringOptions = DEFAULT_OPTIONS
) -> Reading[Fingering]:
    """Read a score from a file, compressed or not."""
    try:
        data = read_bytes(path, name=name, limits=options.limits)
    except DataError as error:
        return Reading((), error.diagnostics)
    return parse_score(data, name=name, options=options)


def parse_score(data: bytes, *, name: str, options: FingeringOptions = DEFAULT_OPTIONS) -> Reading[Fingering]:
    """Read a score from bytes as :func:`read_score` does."""
    try:
        problems, limits = decode_score(data, name, options)
    except DataError as error:
        return Reading((), error.diagnostics)
    reader = PartReader(problems, limits)
    try:
        ScoreTree(problems.source, reader, limits).parse()
    except DataError as error:
        return Reading((), (*problems.diagnostics(), *error.diagnostics))
    _report_written_fingers(reader.written_fingers, problems)
    notes = list(_labelled(reader.parts, problems, options))
    if not notes or problems.has_errors:
        return finish((), problems)
    return finish(_annotations(_timed(notes, reader.parts), problems), problems)


def notes_of_score(
    data: bytes, *, name: str, options: FingeringOptions = DEFAULT_OPTIONS
) -> tuple[XmlText, list[Labelled]]:
    """Return the text of a score that can be read, and its notes in the order of its fingering."""
    problems, limits = decode_score(data, name, options)
    reader = PartReader(problems, limits)
    ScoreTree(problems.source, reader, limits).parse()
    notes = _timed(list(_labelled(reader.parts, problems, options)), reader.parts)
    return problems.source, [(note, hand, labels) for _, note, hand, labels in notes]


def decode_score(data: bytes, name: str, options: FingeringOptions) -> tuple[ScoreProblems, Limits]:
    """Decode a score, compressed or not; its problems have its text."""
    limits = options.limits
    if data.startswith(b"PK"):
        member, data = unpack_score(data, name, limits)
        name, limits = f"{name}/{member}", replace(limits, bytes=limits.bytes * EXPANSION)
    elif PurePath(name).suffix.lower() == ".mxl" and not _looks_like_xml(data):
        refuse("KT400", "not a zip archive", Place(name))
    return ScoreProblems(decode_xml(data, name=name, encoding=options.encoding, limits=limits)), limits


def _looks_like_xml(data: bytes) -> bool:
    """Tell XML from other files by its first character, in the encodings that have a mark or are ASCII."""
    return data[:64].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<")


def measure_starts(parts: Sequence[Part]) -> list[Fraction]:
    """Return where each measure begins; one part with a beat too many does not shift the others."""
    lengths: dict[int, list[Fraction]] = {}
    for part in parts:
        for measure, length in part.lengths.items():
            lengths.setdefault(measure, []).append(length)
    usual = []
    for measure in range(max(lengths, default=-1) + 1):
        # of a measure that stands empty in a score by measures, no part tells the length
        choices = lengths.get(measure, [ZERO])
        usual.append(max(sorted(set(choices), reverse=True), key=choices.count))  # the longest of several
    return list(accumulate(usual, add_times, initial=ZERO))


def _labelled(
    parts: Sequence[Part], problems: ScoreProblems, options: FingeringOptions
) -> Iterator[Labelled]:
    encoding = options.encoding_of_labels
    readers = {hand: FingerReader(hand, encoding, problems) for hand in (RIGHT, LEFT)}
    for part, hands in _hands(parts, problems, options):
        staves = home_staves(part, problems) if len(hands) > 1 else [1] * len(part.notes)
        playing = [hands[min(staff, len(hands)) - 1] for staff in staves]
        chords = [(note.chord, hand) for note, hand in zip(part.notes, playing, strict=True)]
        for (_, hand), chord in groupby(zip(chords, part.notes, strict=True), key=itemgetter(0)):
            notes = [note for _, note in chord]
            for note, labels in zip(notes, readers[hand].label_chord(notes), strict=True):
                yield note, hand, labels


def _hands(
    parts: Sequence[Part], problems: ScoreProblems, options: FingeringOptions
) -> list[tuple[Part, tuple[int, ...]]]:
    """Return the parts that a piano plays, each with the hands of its staves."""
    playing = [part for part in parts if part.notes]
    grand = [part for part in playing if part.staves > 1]
    for part in grand:
        if part.staves > 2:
            message = f"part of {part.staves} staves: those below the second taken as the left hand"
            _warn_of(part, "KT356", message, problems)
    if grand:
        for part in playing:
            if part.staves == 1:
                message = "part of one staff left out: another part has the staves of a piano"
                _warn_of(part, "KT358", message, problems)
        return [(part, (RIGHT, LEFT)) for part in grand]
    if options.hand != "auto":
        return [(part, (RIGHT if options.hand == "right" else LEFT,)) for part in playing]
    if len(playing) == 1:
        _warn_of(playing[0], "KT356", "single staff taken as the right hand", problems, _HAND_HINT)
    elif len(playing) == 2:
        message = "two parts of one staff: the upper one taken as the right hand, the lower as the left"
        _warn_of(playing[0], "KT356", message, problems, _HAND_HINT)
    elif playing:
        first = playing[0].notes[0]
        message = f"{len(playing)} parts of one staff each: which hand plays which cannot be told"
        problems.report_of(first.element, "KT352", message, first.where, hint=_HAND_HINT)
    return list(zip(playing, ((RIGHT,), (LEFT,)), strict=False))


def _warn_of(part: Part, code: str, message: str, problems: ScoreProblems, hint: str | None = None) -> None:
    first = part.notes[0]
    problems.report_of(first.element, code, message, first.where, severity="warning", hint=hint)


def _report_written_fingers(written: Sequence[tuple[Element, ScorePlace]], problems: ScoreProblems) -> None:
    """Report text that looks like fingers, once, at the first one."""
    if not written:
        return
    first, where = written[0]
    element = "words" if first.name == "words" else "lyric"
    examples = some(list(dict.fromkeys(text.text.strip() for text, _ in written)))
    message = f"{plural(len(written), 'text')} in `<{element}>` may be fingers, and are not read: {examples}"
    hint = (
        "make each a fingering of its note, `<fingering>` in `<technical>`; MuseScore has a palette of them"
    )
    problems.report_of(first, "KT368", message, where, severity="note", hint=hint, count=len(written))


Timed = tuple[Fraction, ScoreNote, int, list[str]]
"""A note with its onset, hand and labels."""


def _timed(labelled: Sequence[Labelled], parts: Sequence[Part]) -> list[Timed]:
    """Return notes by onset, at one onset in the order of the score."""
    starts = measure_starts(parts)
    timed = [(starts[entry[0].bar.index] + entry[0].offset, *entry) for entry in labelled]
    return sorted(timed, key=lambda entry: float(entry[0]))


def _annotations(timed: Sequence[Timed], problems: ScoreProblems) -> list[tuple[str | None, Fingering]]:
    """Return the annotation of each annotator."""
    heads = [note for _, note, _, _ in timed]
    count = max(1, *(len(labels) for _, _, _, labels in timed))
    annotations: list[tuple[str | None, Fingering]] = []
    for annotator in range(count):
        labels = [(labels or [MISSING])[annotator if annotator < len(labels) else 0] for *_, labels in timed]
        fingers = map(parse_label, labels)  # which may be written to be of the other hand
        hands = [hand if f is None else f.hand for (_, _, hand, _), f in zip(timed, fingers, strict=True)]
        notes = Notes(
            np.array([float(onset) for onset, _, _, _ in timed]),
            np.array([float(onset + note.length) for onset, note, _, _ in timed]),
            np.array([note.midi for note in heads], dtype=np.int64),
            np.array(hands, dtype=np.int64),
            labels,
            lambda row, _: problems.source.tag_of(heads[row].element),
            unit="quarters",
            place_of=lambda row: heads[row].where.in_part,
        )
        if annotator == 0:
            check_notes(notes, problems)
        annotations.append((None if count == 1 else str(annotator + 1), notes.fingering()))
    return annotations


# --- staves of voices -----------------------------------------------------------------------------------

_NUMBER = re.compile("[1-9][0-9]?")
_PER_STAFF = 4
"""Voices of a staff, where numbers are by staff."""


def home_staves(part: Part, problems: ScoreProblems) -> list[int]:
    """Return the staff that each note of a part belongs to, and report the notes written on another one."""
    staves = [note.staff for note in part.notes]
    homes = _homes(part)
    strays = [
        index for index, note in enumerate(part.notes) if homes.get(note.voice, note.staff) != note.staff
    ]
    if not strays:
        return staves
    guests = _Guests(part, homes)
    crossing: dict[tuple[str, int], list[ScoreNote]] = defaultdict(list)
    for index in strays:
        note = part.notes[index]
        if guests.include(note):
            staves[index] = homes[note.voice]
            crossing[note.voice, note.bar.index].append(note)
    for (voice, _), notes in crossing.items():
        _report_crossing(notes, homes[voice], problems)
    return staves


def _homes(part: Part) -> dict[str, int]:
    """Return the home staff of each voice; empty if all notes have one number, which then tells nothing."""
    numbers = {voice for bar in part.measures for voice in bar.staves_of if voice}
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for note in part.notes:
        if note.voice and note.voice not in part.doubled:
            counts[note.voice][note.staff] += 1
    if len(numbers) < 2:
        return {}
    # of equally many, the first one that was counted
    homes = {voice: max(count, key=count.__getitem__) for voice, count in counts.items()}
    if len(set(homes.values())) > 1:
        return homes
    return {voice: next(iter(count)) for voice, count in counts.items()}


class _Guests:
    """Tells which notes off the home of their voice belong there."""

    def __init__(self, part: Part, homes: Mapping[str, int]) -> None:
        self._homes = homes
        self._by_staff = len(set(homes.values())) > 1 and all(
            _NUMBER.fullmatch(voice) and (int(voice) - 1) // _PER_STAFF + 1 == home
            for voice, home in homes.items()
        )
        self._hosts = {
            (note.bar.index, note.staff) for note in part.notes if homes.get(note.voice) == note.staff
        }
        """Staves, and measures, in which a voice that is at home there has notes."""
        staff_of: dict[int, int] = {}
        self._spread = {
            note.chord for note in part.notes if staff_of.setdefault(note.chord, note.staff) != note.staff
        }
        """Chords whose notes are on several staves."""

    def include(self, note: ScoreNote) -> bool:
        """Tell whether a note off the home of its voice goes with its voice.

        Those of a chord across staves do if the other hand has notes of its own in their measure;
        else each hand plays what is on its staff.
        """
        home, staves_of = self._homes[note.voice], note.bar.staves_of
        if note.chord in self._spread:
            return (note.bar.index, note.staff) in self._hosts
        if home in staves_of[note.voice]:
            return True
        meets = any(
            self._homes.get(voice) == note.staff and note.staff in staves
            for voice, staves in staves_of.items()
        )
        return meets and (self._by_staff or not any(home in staves for staves in staves_of.values()))


def _report_crossing(notes: list[ScoreNote], home: int, problems: ScoreProblems) -> None:
    first = notes[0]
    hand = "right" if home == 1 else "left"
    message = (
        f"{plural(len(notes), 'note')} of voice {quote(first.voice)} on staff {first.staff}:"
        f" taken for the {hand} hand, as the home of the voice is staff {home}"
    )
    problems.report_of(first.element, "KT367", message, first.where, severity="note", count=len(notes))


# --- writing --------------------------------------------------------------------------------------------

_DIVISIONS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 480, 10_080)
"""Divisions of a quarter note that are tried, in this order."""

_FINEST = 1_000_000
_ROUNDING = 1e-9

_BEATS = 4
_MOST_MEASURES = 2_000
_LONGEST = 1e9

_MIDDLE_C = 60
_LOWEST, _HIGHEST = 12, 127
"""C0 and G9: the octaves of MusicXML are 0 to 9."""

_HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE score-partwise PUBLIC "-//Recordare//DTD MusicXML 4.0 Partwise//EN" \
"http://www.musicxml.org/dtds/partwise.dtd">
"""


def render_musicxml(fingering: Fingering, /) -> str:
    """Return a fingering as a MusicXML document: two staves, the notes in their order, fingers above them.

    One unit of the annotation's times (a second, or a quarter note) becomes a quarter note. Times that are
    fractions of a quarter note as music has them are kept exactly, others to half a millionth of a quarter;
    a note that sounds for less than a millionth sounds for that.
    """
    _check(fingering)
    order = np.argsort(fingering.onsets, kind="stable")
    divisions = _choose_divisions(fingering)
    begins = np.rint(fingering.onsets[order] * divisions).astype(np.int64)
    ends = np.rint(fingering.offsets[order] * divisions).astype(np.int64)
    # what sounds at all sounds for a division
    ends = np.where(fingering.offsets[order] > fingering.onsets[order], np.maximum(ends, begins + 1), begins)
    beats, end = _BEATS, int(max(begins.max(initial=0), ends.max(initial=0)))
    while end > beats * divisions * _MOST_MEASURES:
        beats *= 2
    notes = [
        _Note(int(begin), int(end), _staff(fingering, row), _pitch(fingering, row), _fingers(fingering, row))
        for begin, end, row in zip(begins, ends, order.tolist(), strict=True)
    ]
    part = _element("part", id="P1")
    for number, pieces in enumerate(_measures(notes, beats * divisions), 1):
        first = [_attributes(divisions, beats)] if number == 1 else []
        elements = _measure(pieces, beats * divisions)
        part.append(_element("measure", *first, *elements, number=str(number)))
    score = _element(
        "score-partwise",
        _element("identification", _element("encoding", _element("software", "Kammerton"))),
        _element("part-list", _element("score-part", _element("part-name", "Piano"), id="P1")),
        part,
        version="4.0",
    )
    ET.indent(score, " ")
    return f"{_HEAD}{ET.tostring(score, encoding='unicode')}\n"


def _element(name: str, *content: str | int | ET.Element, **attributes: str) -> ET.Element:
    """Return an element with a text or with children."""
    element = ET.Element(name, attributes)
    for part in content:
        if isinstance(part, ET.Element):
            element.append(part)
        else:
            element.text = str(part)
    return element


def _attributes(divisions: int, beats: int) -> ET.Element:
    clefs = (
        _element("clef", _element("sign", sign), _element("line", line), number=staff)
        for staff, sign, line in (("1", "G", 2), ("2", "F", 4))
    )
    time = _element("time", _element("beats", beats), _element("beat-type", 4))
    return _element("attributes", _element("divisions", divisions), time, _element("staves", 2), *clefs)


def _check(fingering: Fingering) -> None:
    times = np.concatenate((fingering.onsets, fingering.offsets))
    if not ((times >= 0) & (times <= _LONGEST)).all():  # NaN compares false
        raise OptionError(f"a score has no times outside of 0 to {_LONGEST:g}")
    if ((fingering.pitches < _LOWEST) | (fingering.pitches > _HIGHEST)).any():
        raise OptionError(f"a score has no pitches outside of {spell(_LOWEST)} to {spell(_HIGHEST)}")


def _choose_divisions(fingering: Fingering) -> int:
    """Return the first divisions that hold every time, and no note so short that it would be lost."""
    times = np.stack((fingering.onsets, fingering.offsets))
    sounds = fingering.offsets > fingering.onsets
    for divisions in _DIVISIONS:
        ticks = np.rint(times * divisions)
        is_exact = (np.abs(ticks / divisions - times) <= _ROUNDING).all()
        if is_exact and (ticks[1] > ticks[0])[sounds].all():
            return divisions
    return _FINEST


def _staff(fingering: Fingering, row: int) -> int:
    label = parse_label(fingering.labels[row])
    hand = int(fingering.hands[row]) if label is None else label.hand
    if hand == UNKNOWN:
        return 1 if fingering.pitches[row] >= _MIDDLE_C else 2
    return 2 if hand == LEFT else 1


def _pitch(fingering: Fingering, row: int) -> ET.Element:
    step, *alter, octave = list(spell(int(fingering.pitches[row])))
    alters = (_element("alter", {"#": 1, "b": -1}[sign]) for sign in alter)
    return _element("pitch", _element("step", step), *alters, _element("octave", octave))


def _fingers(fingering: Fingering, row: int) -> list[ET.Element]:
    """Return the fingerings of a note; what MusicXML has no elements for is written as PIG has it."""
    written = fingering.labels[row]
    label = parse_label(written)
    if label is None:
        return []
    if str(label) != written or len({finger > 0 for finger in label.fingers}) > 1:
        return [_element("fingering", written)]
    first, *others = (abs(finger) for finger in label.fingers)
    changes = (_element("fingering", finger, substitution="yes") for finger in others)
    return [_element("fingering", first), *changes]


@dataclass(slots=True, eq=False)
class _Note:
    """A note in divisions from the beginning."""

    begin: int
    end: int
    staff: int
    pitch: ET.Element
    fingers: list[ET.Element]
    voice: int = 0


@dataclass(frozen=True, slots=True)
class _Piece:
    """The part of a note that lies in one measure, in divisions from its start."""

    note: _Note
    begin: int
    length: int
    is_first: bool
    is_last: bool

    def goes_with(self, other: _Piece) -> bool:
        """Tell whether both can stand in one chord."""
        own, others = ((p.note.staff, p.begin, p.length, p.is_first) for p in (self, other))
        return own == others and self.length > 0


def _measures(notes: Sequence[_Note], length: int) -> list[list[_Piece]]:
    """Cut notes at the bars."""
    measures: list[list[_Piece]] = [[]]
    for note in notes:
        begin, is_last = note.begin, False
        while not is_last:
            measure, offset = divmod(begin, length)
            measures.extend([] for _ in range(measure + 1 - len(measures)))
            end = min(note.end, (measure + 1) * length)
            is_last = end == note.end
            measures[measure].append(_Piece(note, offset, end - begin, begin == note.begin, is_last))
            begin = end
    return measures


def _measure(pieces: Sequence[_Piece], length: int) -> Iterator[ET.Element]:
    """Give the elements of a measure in their order, going back and forth in time as they need."""
    cursor = furthest = 0
    busy: dict[int, dict[int, int]] = {1: {}, 2: {}}  # until when each voice of a staff has notes
    before: _Piece | None = None
    for piece in pieces:
        is_chord = before is not None and before.goes_with(piece)
        if before is not None and is_chord:
            piece.note.voice = before.note.voice
        else:
            yield from _move(piece.begin - cursor)
            _choose_voice(piece, busy[piece.note.staff])
            cursor = piece.begin + piece.length
        furthest = max(furthest, cursor)
        yield _note(piece, is_chord=is_chord)
        before = piece
    if furthest < length:  # a measure is as long as what stands in it
        yield from _move(length - cursor)


def _move(way: int) -> Iterator[ET.Element]:
    if way:
        yield _element("forward" if way > 0 else "backup", _element("duration", abs(way)))


def _choose_voice(piece: _Piece, busy: dict[int, int]) -> None:
    """Give a note the first voice that is free; what continues a note stays in its voice."""
    voice = 1 if piece.is_first else piece.note.voice
    while piece.is_first and busy.get(voice, 0) > piece.begin:
        voice += 1
    busy[voice] = piece.begin + piece.length
    piece.note.voice = voice


def _note(piece: _Piece, *, is_chord: bool) -> ET.Element:
    note = piece.note
    is_grace = note.begin == note.end
    ties = [
        name for name, is_there in (("stop", not piece.is_first), ("start", not piece.is_last)) if is_there
    ]
    notations = [_element("tied", type=tie) for tie in ties]
    if note.fingers and piece.is_first:
        notations.append(_element("technical", *note.fingers))
    return _element(
        "note",
        *([_element("grace")] if is_grace else []),
        *([_element("chord")] if is_chord else []),
        note.pitch,
        *([] if is_grace else [_element("duration", piece.length)]),
        *(_element("tie", type=tie) for tie in ties),
        _element("voice", _voice_number(note.staff, note.voice)),
        _element("staff", note.staff),
        *([_element("notations", *notations)] if notations else []),
    )


def _voice_number(staff: int, voice: int) -> int:
    """Return the number that programs expect: 1 to 4 on the upper staff, 5 to 8 on the lower one."""
    return 4 * (staff - 1) + voice if voice <= 4 else 2 * voice + staff - 2
