# SPDX-License-Identifier: MIT
"""Write a fingering as a score in MusicXML: two staves, the notes in their order, fingers above them.

One unit of the annotation's times (a second, or a quarter note) becomes a quarter note. Times that are
fractions of a quarter note as music has them are kept exactly, others to half a millionth of a quarter;
a note that sounds for less than a millionth sounds for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, indent, tostring

import numpy as np

from kammerton.errors import OptionError
from kammerton.fingering.annotation import LEFT, UNKNOWN, Fingering, parse_label, spell

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
    """Return a fingering as a MusicXML document."""
    _check(fingering)
    order = np.argsort(fingering.onsets, kind="stable")
    divisions = _choose_divisions(fingering)
    begins = np.rint(fingering.onsets[order] * divisions).astype(np.int64)
    ends = np.rint(fingering.offsets[order] * divisions).astype(np.int64)
    # what sounds at all sounds for a division
    ends = np.where(fingering.offsets[order] > fingering.onsets[order], np.maximum(ends, begins + 1), begins)
    beats = _choose_beats(int(max(begins.max(initial=0), ends.max(initial=0))), divisions)
    notes = [
        _Note(int(begin), int(end), _staff(fingering, row), _pitch(fingering, row), _fingers(fingering, row))
        for begin, end, row in zip(begins, ends, order.tolist(), strict=True)
    ]
    part = _element("part", id="P1")
    for number, pieces in enumerate(_measures(notes, beats * divisions), 1):
        first = [_attributes(divisions, beats)] if number == 1 else []
        elements = _Measure(beats * divisions).elements(pieces)
        part.append(_element("measure", *first, *elements, number=str(number)))
    score = _element(
        "score-partwise",
        _element("identification", _element("encoding", _element("software", "Kammerton"))),
        _element("part-list", _element("score-part", _element("part-name", "Piano"), id="P1")),
        part,
        version="4.0",
    )
    indent(score, " ")
    return f"{_HEAD}{tostring(score, encoding='unicode')}\n"


def _element(name: str, *content: str | int | Element, **attributes: str) -> Element:
    """Return an element with a text or with children."""
    element = Element(name, attributes)
    for each in content:
        if isinstance(each, Element):
            element.append(each)
        else:
            element.text = str(each)
    return element


def _attributes(divisions: int, beats: int) -> Element:
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


def _choose_beats(end: int, divisions: int) -> int:
    """Return the beats of a measure: four, but more where there would be too many measures."""
    beats = _BEATS
    while end > beats * divisions * _MOST_MEASURES:
        beats *= 2
    return beats


def _staff(fingering: Fingering, row: int) -> int:
    label = parse_label(fingering.labels[row])
    hand = int(fingering.hands[row]) if label is None else label.hand
    if hand == UNKNOWN:
        return 1 if fingering.pitches[row] >= _MIDDLE_C else 2
    return 2 if hand == LEFT else 1


def _pitch(fingering: Fingering, row: int) -> Element:
    step, *alter, octave = list(spell(int(fingering.pitches[row])))
    alters = (_element("alter", {"#": 1, "b": -1}[each]) for each in alter)
    return _element("pitch", _element("step", step), *alters, _element("octave", octave))


def _fingers(fingering: Fingering, row: int) -> list[Element]:
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
    pitch: Element
    fingers: list[Element]
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
        return (self.note.staff, self.begin, self.length, self.is_first) == (
            other.note.staff,
            other.begin,
            other.length,
            other.is_first,
        ) and self.length > 0


def _measures(notes: Sequence[_Note], length: int) -> list[list[_Piece]]:
    """Cut notes at the bars."""
    measures: list[list[_Piece]] = [[]]
    for note in notes:
        begin = note.begin
        while True:
            measure, offset = divmod(begin, length)
            measures.extend([] for _ in range(measure + 1 - len(measures)))
            end = min(note.end, (measure + 1) * length)
            piece = _Piece(note, offset, end - begin, begin == note.begin, end == note.end)
            measures[measure].append(piece)
            if piece.is_last:
                break
            begin = end
    return measures


class _Measure:
    """Writes the pieces of a measure in their order, going back and forth in time as they need."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._cursor = 0
        self._busy: dict[int, dict[int, int]] = {1: {}, 2: {}}
        """Until when each voice of a staff has notes."""

    def elements(self, pieces: Sequence[_Piece]) -> Iterator[Element]:
        """Give the elements of the measure."""
        before: _Piece | None = None
        furthest = 0
        for piece in pieces:
            is_chord = before is not None and before.goes_with(piece)
            if before is not None and is_chord:
                piece.note.voice = before.note.voice
            else:
                yield from self._go_to(piece.begin)
                self._choose_voice(piece)
                self._cursor += piece.length
            furthest = max(furthest, self._cursor)
            yield _note(piece, is_chord=is_chord)
            before = piece
        if furthest < self._length:  # a measure is as long as what stands in it
            yield from self._go_to(self._length)

    def _go_to(self, position: int) -> Iterator[Element]:
        way = position - self._cursor
        if way:
            yield _element("forward" if way > 0 else "backup", _element("duration", abs(way)))
        self._cursor = position

    def _choose_voice(self, piece: _Piece) -> None:
        """Give a note the first voice that is free; what continues a note stays in its voice."""
        busy = self._busy[piece.note.staff]
        voice = piece.note.voice if not piece.is_first else 1
        while piece.is_first and busy.get(voice, 0) > piece.begin:
            voice += 1
        busy[voice] = piece.begin + piece.length
        piece.note.voice = voice


def _note(piece: _Piece, *, is_chord: bool) -> Element:
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
