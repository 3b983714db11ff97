# SPDX-License-Identifier: MIT
"""Write a fingering as a score in MusicXML: two staves, the notes in their order, fingers above them.

One unit of the annotation's times (a second, or a quarter note) becomes a quarter note. Times that are
fractions of a quarter note as music has them are kept exactly, others to half a millionth of a quarter;
a note that sounds for less than a millionth sounds for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import OptionError
from kammerton.fingering.annotation import LEFT, UNKNOWN, Fingering
from kammerton.fingering.labels import parse_label
from kammerton.fingering.pitch import spell

__all__ = ["render_musicxml"]

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
<score-partwise version="4.0">
 <work><work-title>{title}</work-title></work>
 <identification><encoding><software>Kammerton</software></encoding></identification>
 <part-list><score-part id="P1"><part-name>Piano</part-name></score-part></part-list>
 <part id="P1">
"""

_ATTRIBUTES = """\
   <attributes>
    <divisions>{divisions}</divisions>
    <time><beats>{beats}</beats><beat-type>4</beat-type></time>
    <staves>2</staves>
    <clef number="1"><sign>G</sign><line>2</line></clef>
    <clef number="2"><sign>F</sign><line>4</line></clef>
   </attributes>
"""

Ticks = NDArray[np.int64]


def render_musicxml(fingering: Fingering, /, *, title: str = "") -> str:
    """Return a fingering as a MusicXML document.

    Parameters
    ----------
    fingering : Fingering
        Its notes are written in the order of their onsets. A note goes to the staff of the hand of its
        finger, without finger to that of its hand; if nobody knows that, from the middle C on to the
        upper staff. Notes that end where they begin are written as grace notes.
    title : str
        Title of the work.

    Returns
    -------
    str
        Reading it gives the same pitches, order, hands and labels.

    Raises
    ------
    OptionError
        If a time is negative, not finite or above a milliard, or a pitch is below C0.
    """
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
    measures = _measures(notes, beats * divisions)
    lines = [_HEAD.format(title=escape(title))]
    for number, pieces in enumerate(measures, 1):
        lines.append(f'  <measure number="{number}">\n')
        if number == 1:
            lines.append(_ATTRIBUTES.format(divisions=divisions, beats=beats))
        lines.extend(_Measure(beats * divisions).elements(pieces))
        lines.append("  </measure>\n")
    lines.append(" </part>\n</score-partwise>\n")
    return "".join(lines)


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
    hand = int(fingering.hands[row]) if label is None else label.hand_code
    if hand == UNKNOWN:
        return 1 if fingering.pitches[row] >= _MIDDLE_C else 2
    return 2 if hand == LEFT else 1


def _pitch(fingering: Fingering, row: int) -> str:
    name = spell(int(fingering.pitches[row]))
    alter = {"#": "<alter>1</alter>", "b": "<alter>-1</alter>"}.get(name[1], "")
    return f"<pitch><step>{name[0]}</step>{alter}<octave>{name[-1]}</octave></pitch>"


def _fingers(fingering: Fingering, row: int) -> str:
    """Return the fingerings of a note; what MusicXML has no elements for is written as PIG has it."""
    written = fingering.labels[row]
    label = parse_label(written)
    if label is None:
        return ""
    if str(label) != written or len({finger > 0 for finger in label.fingers}) > 1:
        return f"<fingering>{written}</fingering>"
    first, *others = (abs(finger) for finger in label.fingers)
    return f"<fingering>{first}</fingering>" + "".join(
        f'<fingering substitution="yes">{finger}</fingering>' for finger in others
    )


@dataclass(slots=True, eq=False)
class _Note:
    """A note in divisions from the beginning."""

    begin: int
    end: int
    staff: int
    pitch: str
    fingers: str
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

    def elements(self, pieces: Sequence[_Piece]) -> Iterator[str]:
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

    def _go_to(self, position: int) -> Iterator[str]:
        way = position - self._cursor
        if way:
            name = "forward" if way > 0 else "backup"
            yield f"   <{name}><duration>{abs(way)}</duration></{name}>\n"
        self._cursor = position

    def _choose_voice(self, piece: _Piece) -> None:
        """Give a note the first voice that is free; what continues a note stays in its voice."""
        busy = self._busy[piece.note.staff]
        voice = piece.note.voice if not piece.is_first else 1
        while piece.is_first and busy.get(voice, 0) > piece.begin:
            voice += 1
        busy[voice] = piece.begin + piece.length
        piece.note.voice = voice


def _note(piece: _Piece, *, is_chord: bool) -> str:
    note = piece.note
    is_grace = note.begin == note.end
    ties = [
        name for name, is_there in (("stop", not piece.is_first), ("start", not piece.is_last)) if is_there
    ]
    technical = f"<technical>{note.fingers}</technical>" if note.fingers and piece.is_first else ""
    notations = "".join(f'<tied type="{tie}"/>' for tie in ties) + technical
    return "".join(
        (
            "   <note>",
            "<grace/>" if is_grace else "",
            "<chord/>" if is_chord else "",
            note.pitch,
            "" if is_grace else f"<duration>{piece.length}</duration>",
            *(f'<tie type="{tie}"/>' for tie in ties),
            f"<voice>{_voice_number(note.staff, note.voice)}</voice>",
            f"<staff>{note.staff}</staff>",
            f"<notations>{notations}</notations>" if notations else "",
            "</note>\n",
        )
    )


def _voice_number(staff: int, voice: int) -> int:
    """Return the number that programs expect: 1 to 4 on the upper staff, 5 to 8 on the lower one."""
    return 4 * (staff - 1) + voice if voice <= 4 else 2 * voice + staff - 2
