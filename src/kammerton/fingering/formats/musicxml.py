# SPDX-License-Identifier: MIT
"""Which fingers the fingerings of a MusicXML score give to which notes.

A note may have alternatives, each of which may be a substitution. Some programs put the fingers of a
whole chord on one of its notes: they go to the notes as a hand lies on them, the thumb of the right
hand at the bottom, that of the left at the top, in whatever order they are written.
"""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import accumulate, groupby
from operator import itemgetter
from pathlib import PurePath, PurePosixPath
from typing import NoReturn

import numpy as np

from kammerton.errors import DataError, Diagnostic, clip, plural, printable, quote, some
from kammerton.fingering.annotation import (
    LEFT,
    MISSING,
    RIGHT,
    Encoding,
    Fingering,
    FingerLabel,
    inspect,
    parse_label,
)
from kammerton.fingering.formats.musicxml_parts import (
    Part,
    PartReader,
    ScoreNote,
    ScoreTree,
    Spot,
    home_staves,
)
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
    Element,
    ScoreProblems,
    XmlReader,
    decode_xml,
)
from kammerton.formats.reading import Limits
from kammerton.formats.source import read_bytes
from kammerton.model.task import Reading

MOST_ALTERNATES = 9
"""Alternatives of one note that are read; each makes an annotator."""

_KINDS = ("substitution", "alternate")
"""Attributes by which a fingering belongs to the one before it."""


@dataclass(frozen=True, slots=True)
class _Label:
    """A label, and how it is kept."""

    label: FingerLabel
    written: str
    element: Element

    def taken_over(self, by: _Label, *, after: int | None = None) -> _Label:
        """Return the label with further fingers, after all of its own or the first few."""
        label = FingerLabel(self.label.fingers[:after] + by.label.fingers)
        return replace(self, label=label, written=str(label))


@dataclass(slots=True)
class _Choice:
    """A label and the alternatives to it."""

    main: _Label
    alternates: list[_Label] = field(default_factory=list)

    def texts(self) -> NoteLabels:
        return NoteLabels(self.main.written, tuple(label.written for label in self.alternates))


@dataclass(frozen=True, slots=True)
class NoteLabels:
    """The labels of a note in the notation of PIG: the main one, and alternatives to it."""

    main: str = MISSING
    alternates: tuple[str, ...] = ()

    def of(self, annotator: int) -> str:
        """Return the label that an annotator, counted from 0, gives: the main one where he has no own."""
        if 0 < annotator <= len(self.alternates):
            return self.alternates[annotator - 1]
        return self.main


_UNLABELLED = NoteLabels()


class FingerReader:
    """Reads the fingerings of one hand."""

    def __init__(self, hand: int, encoding: Encoding, problems: ScoreProblems) -> None:
        self._hand = hand
        self._encoding = encoding
        self._problems = problems
        self._known: dict[str, NoteLabels] = {}
        """What texts mean that there is nothing to say about."""

    def label_chord(self, notes: Sequence[ScoreNote]) -> list[NoteLabels]:
        """Return the labels of notes struck together: the notes of a chord, or a single one."""
        plain = self._plain(notes[0]) if len(notes) == 1 else None
        if plain is not None:
            return [plain]
        choices = [self._read(note) if note.fingerings else [] for note in notes]
        if any(len(each) > 1 for each in choices):
            self._settle(notes, choices)
        for note, each in zip(notes, choices, strict=True):
            self._continue_tied(note, each)
        return [each[0].texts() if each else _UNLABELLED for each in choices]

    def _plain(self, note: ScoreNote) -> NoteLabels | None:
        """Return the label of a note that has one finger, and nothing else to look at."""
        if note.continued or len(note.fingerings) != 1 or note.fingerings[0].attributes:
            return None
        text = note.fingerings[0].text.strip()
        known = self._known.get(text)
        if known is None and text:
            found = inspect(text, self._encoding, self._hand)
            if found.label is not None and found.diagnostic is None:
                known = self._known[text] = NoteLabels(found.canonical)
        return known

    def _read(self, note: ScoreNote) -> list[_Choice]:
        """Read what stands at the beginning of a note: the choices, of which there should be one."""
        choices: list[_Choice] = []
        for element in note.fingerings:
            label = self._label(element, note.where)
            if label is None:
                continue
            kind = next(filter(partial(_is, element), _KINDS), None) if element.attributes else None
            if kind is not None and choices:
                if len(choices[-1].alternates) < MOST_ALTERNATES or not _is(element, "alternate"):
                    _extend(choices[-1], label)
                else:
                    message = f"more than {MOST_ALTERNATES} alternatives: left out"
                    self._problems.report_of(element, "KT357", message, note.where, severity="warning")
                continue
            if kind is not None:
                message = f"{kind} without a finger before it: taken as the finger"
                self._problems.report_of(element, "KT357", message, note.where, severity="warning")
            choices.append(_Choice(label))
        return choices

    def _label(self, element: Element, where: Spot) -> _Label | None:
        text = element.text.strip()
        found = inspect(text, self._encoding, self._hand)
        problem = found.diagnostic
        if problem is not None and problem.severity == "error":  # of a score, one odd mark costs one finger
            message = f"{problem.message}: the note counts as without finger"
            problem = problem.at(severity="warning", message=message)
        if problem is not None:
            self._problems.add_of(element, problem, where)
        elif not text:
            message = "empty fingering: the note counts as without finger"
            self._problems.report_of(element, "KT357", message, where, severity="note")
        return None if found.label is None else _Label(found.label, found.canonical, element)

    def _settle(self, notes: Sequence[ScoreNote], choices: list[list[_Choice]]) -> None:
        """Give fingers that stand together at one note to the notes of its chord, if each gets one."""
        crowded = next(index for index, each in enumerate(choices) if len(each) > 1)
        everything = [choice for each in choices for choice in each]
        if len(everything) != len(notes):
            self._drop(notes, choices)
            return
        count = len(choices[crowded])
        message = f"{count} fingers on one note of a chord: they go to its {len(notes)} notes by hand"
        element = choices[crowded][0].main.element
        self._problems.report_of(element, "KT357", message, notes[crowded].where, severity="note")
        if len(everything[-1].alternates) == len(notes):  # another whole chord
            others = sorted(everything[-1].alternates, key=_strike)
        else:
            others = []
        everything.sort(key=lambda choice: _strike(choice.main))
        upwards = sorted(range(len(notes)), key=lambda index: notes[index].midi)
        for rank, index in enumerate(upwards):
            choices[index] = [everything[rank]]
            if others:
                everything[rank].alternates = [others[rank]]

    def _drop(self, notes: Sequence[ScoreNote], choices: list[list[_Choice]]) -> None:
        for note, each in zip(notes, choices, strict=True):
            if len(each) < 2:
                continue
            texts = ", ".join(choice.main.element.text.strip() for choice in each)
            if len(notes) == 1:
                message = f"several fingers on one note, the first one strikes it: {quote(texts)}"
                kept = each[:1]
            else:
                message = f"fingers that do not go to the {len(notes)} notes of their chord: {quote(texts)}"
                kept = []
            self._problems.report_of(each[0].main.element, "KT357", message, note.where, severity="warning")
            each[:] = kept

    def _continue_tied(self, note: ScoreNote, choices: list[_Choice]) -> None:
        """Add the fingers that take a tied note over."""
        for element, where in note.continued:
            label = self._label(element, where)
            if label is None:
                continue
            if not choices:
                message = "finger on the continuation of a tie, none on its beginning: taken as the finger"
                self._problems.report_of(element, "KT357", message, where, severity="warning")
                choices.append(_Choice(label))
                continue
            now = choices[0].main.label.fingers[-1:]
            if label.label.fingers == now:
                continue  # a reminder
            if not _is(element, "substitution"):
                message = (
                    f"finger on the continuation of a tie: {quote(element.text.strip())} takes the key over"
                )
                self._problems.report_of(element, "KT357", message, where, severity="note")
            choices[0].main = choices[0].main.taken_over(label)
            choices[0].alternates = [each.taken_over(label) for each in choices[0].alternates]


def _extend(choice: _Choice, label: _Label) -> None:
    """Add a substitution, an alternative, or an alternative substitution after the same first finger."""
    is_substitution, is_alternate = (_is(label.element, kind) for kind in ("substitution", "alternate"))
    if is_alternate:
        choice.alternates.append(choice.main.taken_over(label, after=1) if is_substitution else label)
    elif choice.alternates:
        choice.alternates[-1] = choice.alternates[-1].taken_over(label)
    else:
        choice.main = choice.main.taken_over(label)


def _strike(label: _Label) -> int:
    """Return the signed finger: these ascend from the left of the keyboard to the right in both hands."""
    return label.label.strike


def _is(element: Element, attribute: str) -> bool:
    return element.attributes.get(attribute) == "yes"


_HAND_HINT = "--hand right or --hand left"
Labelled = tuple[ScoreNote, int, NoteLabels]
"""A note, the hand that plays it, and its labels."""


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
    limits = options.limits
    try:
        if data.startswith(b"PK"):
            member, data = _unpack(data, name, limits)
            name, limits = f"{name}/{member}", replace(limits, bytes=limits.bytes * EXPANSION)
        elif PurePath(name).suffix.lower() == ".mxl" and not _looks_like_xml(data):
            _refuse("KT400", "not a zip archive", name)
        problems = ScoreProblems(decode_xml(data, name=name, encoding=options.encoding, limits=limits))
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
    return finish(_annotations(notes, _measure_starts(reader.parts), problems), problems)


def _looks_like_xml(data: bytes) -> bool:
    """Tell XML from other files by its first character, in the encodings that have a mark or are ASCII."""
    return data[:64].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<")


def _measure_starts(parts: Sequence[Part]) -> list[Fraction]:
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


def _report_written_fingers(written: Sequence[tuple[Element, Spot]], problems: ScoreProblems) -> None:
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


def _annotations(
    labelled: Sequence[Labelled], starts: Sequence[Fraction], problems: ScoreProblems
) -> list[tuple[str | None, Fingering]]:
    """Return the annotation of each annotator: notes by onset, at one onset in the order of the score."""
    timed = [(starts[entry[0].bar.index] + entry[0].offset, *entry) for entry in labelled]
    timed.sort(key=lambda entry: float(entry[0]))
    heads = [note for _, note, _, _ in timed]
    annotators = 1 + max(len(labels.alternates) for _, _, _, labels in timed)
    notes = [
        Notes(
            np.array([float(onset) for onset, _, _, _ in timed]),
            np.array([float(onset + note.length) for onset, note, _, _ in timed]),
            np.array([note.midi for note in heads], dtype=np.int64),
            np.array([_hand(labels.of(annotator), hand) for _, _, hand, labels in timed], dtype=np.int64),
            [labels.of(annotator) for _, _, _, labels in timed],
            lambda row, _: problems.source.tag_of(heads[row].element),
            unit="quarters",
            place_of=lambda row: heads[row].where.in_part,
        )
        for annotator in range(annotators)
    ]
    check_notes(notes[0], problems)
    names = [None] if annotators == 1 else [str(number + 1) for number in range(annotators)]
    return [(name, own_notes.fingering()) for name, own_notes in zip(names, notes, strict=True)]


def _hand(label: str, staff: int) -> int:
    """Return the hand that plays a note: that of its finger, which may be written to be the other one."""
    finger = parse_label(label)
    return staff if finger is None else finger.hand


EXPANSION = 4
"""How many times as large as a file may be, what it unpacks to may be."""
RATIO = 100
"""How many times as large as its packed form a member may be, if it is not small."""
SMALL = 2**20
DIRECTORY_LIMIT = 2**20
"""Bytes of the list of members."""
CONTAINER = "META-INF/container.xml"
_END = b"PK\x05\x06"
_LARGE = b"PK\x06\x07"
"""Stands 20 bytes before the end of archives that may be larger than 4 GiB."""
_END_LENGTH = 22
_ENCRYPTED = 0x1
Member = zipfile.ZipInfo


def _refuse(code: str, message: str, name: str, hint: str | None = None) -> NoReturn:
    raise DataError((Diagnostic(code=code, severity="error", message=message, file=name, hint=hint),))


def _unpack(data: bytes, name: str, limits: Limits) -> tuple[str, bytes]:
    """Return the name and the content of the score in an archive."""
    _check_end(data, name)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = _checked_members(archive, name)
            container = members.get(CONTAINER)
            if container is None:
                score = _only_score(members, name)
            else:
                score = _root_file(
                    _content(archive, container, name, limits), members, f"{name}/{CONTAINER}", limits
                )
            return score.filename, _content(archive, score, name, limits)
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        OSError,
        ValueError,
        RuntimeError,
    ) as error:
        _refuse("KT400", f"zip archive is damaged: {printable(clip(str(error), 100)).lower()}", name)


def _check_end(data: bytes, name: str) -> None:
    """Look at the end of the archive, before a list of members of any length is made."""
    where = data.rfind(_END)
    if where < 0 or where + _END_LENGTH > len(data):
        _refuse("KT400", "zip archive is damaged: it has no end", name, "was the file cut off?")
    (size,) = struct.unpack_from("<I", data, where + 12)
    if size > DIRECTORY_LIMIT or data[max(0, where - 20) :].startswith(_LARGE):
        _refuse("KT402", "archive of more or larger files than a score has", name)


def _checked_members(archive: zipfile.ZipFile, name: str) -> dict[str, Member]:
    """Return the files of an archive by name, if all of them lie within it and none stands twice."""
    members: dict[str, Member] = {}
    for member in archive.infolist():
        written = member.orig_filename
        if _escapes(written):
            _refuse("KT401", f"archive with a file outside of itself: {quote(written)}", name)
        if member.filename in members:
            _refuse("KT404", f"archive has {quote(member.filename)} twice", name)
        members[member.filename] = member
    return members


def _escapes(written: str) -> bool:
    parts = written.replace("\\", "/").split("/")
    return ".." in parts or parts[0] == "" or ":" in parts[0] or "\0" in written


def _only_score(members: dict[str, Member], name: str) -> Member:
    scores = [
        member
        for written, member in members.items()
        if PurePosixPath(written).suffix.lower() in (".musicxml", ".xml")
        and not written.startswith(("META-INF/", "__MACOSX/"))
    ]
    if len(scores) == 1:
        return scores[0]
    count = "no score" if not scores else f"{len(scores)} scores"
    _refuse("KT404", f"archive without {CONTAINER} has {count}", name, "it says which file is the score")


class _Container(XmlReader):
    """Takes the first root file that a container names."""

    path: str | None = None

    def start(self, name: str, attributes: dict[str, str]) -> bool:
        """Take a start tag."""
        if name.rpartition(":")[2] == "rootfile" and self.path is None:
            self.path = attributes.get("full-path")
        return True


def _root_file(data: bytes, members: dict[str, Member], name: str, limits: Limits) -> Member:
    container = _Container(decode_xml(data, name=name, encoding="utf-8", limits=limits), limits)
    container.parse()
    if container.path is None:
        _refuse("KT404", "container names no root file", name)
    if _escapes(container.path):
        _refuse("KT401", f"container names a file outside of the archive: {quote(container.path)}", name)
    if container.path not in members:
        _refuse("KT404", f"container names a file that is not in the archive: {quote(container.path)}", name)
    return members[container.path]


def _content(archive: zipfile.ZipFile, member: Member, name: str, limits: Limits) -> bytes:
    """Unpack one member, if it says that it stays within the budget: nothing gives more than it says."""
    if member.flag_bits & _ENCRYPTED:
        _refuse("KT403", f"{quote(member.filename)} is encrypted", name)
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        _refuse("KT403", f"{quote(member.filename)} is packed by another method than deflate", name)
    limit = limits.bytes * EXPANSION
    if member.compress_size * RATIO < limit:
        limit = max(SMALL, member.compress_size * RATIO)
    if member.file_size > limit:
        packed = f"{member.compress_size:,}"
        message = f"{quote(member.filename)} unpacks to more than {limit:,} bytes, from {packed}"
        _refuse("KT402", message, name, "this is no score")
    with archive.open(member) as stream:
        return stream.read(limit)
