# SPDX-License-Identifier: MIT
"""The notes of the parts of a MusicXML score: when each begins, how long it sounds, which key it is.

Times are fractions of a quarter note. A note that is tied over is one note: what continues it adds to
its length, and to its fingers. Repeats stand once, as they are written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from kammerton.errors import clip, printable
from kammerton.fingering.formats.musicxml_tree import Element, ScoreProblems
from kammerton.fingering.formats.musicxml_values import read_integer, read_pitch, read_staff, read_time
from kammerton.fingering.formats.score_time import ZERO, add_times
from kammerton.fingering.formats.xml_document import refuse
from kammerton.formats.options import Limits

__all__ = ["Part", "PartReader", "ScoreNote", "Spot"]

_TIED_LIMIT = 16
"""Notes of one key that may wait for a continuation at one time."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the music, as messages name it; made into words only if there is something to say."""

    part: str
    measure: str
    offset: Fraction
    beat_type: int

    @property
    def in_part(self) -> str:
        """The place without its part."""
        beat = round(float(self.offset * self.beat_type / 4) + 1, 3)
        return f"measure {_name(self.measure)}, beat {beat:g}"

    def __str__(self) -> str:
        return f"part {_name(self.part)}, {self.in_part}"


@dataclass(slots=True, eq=False)
class ScoreNote:
    """A note as it is struck, tied notes together.

    Parameters
    ----------
    element : Element
        Where it begins.
    midi : int
    staff, voice : int, str
    measure : int
        Index of its measure.
    offset, length : Fraction
        Quarter notes from the start of the measure, and of sound; a grace note has no length.
    until : Fraction
        Where it ends, in quarter notes from the start of its part.
    chord : int
        Equal for the notes of a chord within a part.
    where : Spot
    fingerings : list of Element
        At its beginning.
    continued : list of (Element, Spot)
        At the notes it is tied over to, and where these are.
    """

    element: Element
    midi: int
    staff: int
    voice: str
    measure: int
    offset: Fraction
    length: Fraction
    until: Fraction
    chord: int
    where: Spot
    fingerings: list[Element]
    continued: list[tuple[Element, Spot]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Part:
    """A part: its notes, and how long each measure is in it."""

    name: str
    notes: list[ScoreNote] = field(default_factory=list)
    lengths: dict[int, Fraction] = field(default_factory=dict)
    staves: int = 1


@dataclass(slots=True, eq=False)
class _State:
    """Where a part stands, and what holds until it is changed."""

    part: Part
    divisions: Fraction | None = None
    beat_type: int = 4
    nominal: Fraction | None = None
    transpositions: dict[int, int] = field(default_factory=dict)
    """By staff; 0 for all of them."""
    elapsed: Fraction = ZERO
    measure: int = 0
    number: str = ""
    is_implicit: bool = False
    cursor: Fraction = ZERO
    furthest: Fraction = ZERO
    has_music: bool = False
    chord_begin: Fraction | None = None
    chord: int = 0
    tied: dict[tuple[int, Fraction], list[ScoreNote]] = field(default_factory=dict)
    """Notes that wait for their continuation, by key and by where they end in their part."""

    def where(self, offset: Fraction) -> Spot:
        return Spot(self.part.name, self.number, offset, self.beat_type)


def _name(text: str) -> str:
    return printable(clip(text))


class PartReader:
    """Collects the notes of every part; a :class:`MeasureConsumer`."""

    def __init__(self, problems: ScoreProblems, limits: Limits) -> None:
        self._problems = problems
        self._limits = limits
        self._states: dict[str, _State] = {}
        self._now = _State(Part(""))
        self._count = 0
        self._take = {
            "note": self._take_note,
            "backup": self._take_backup,
            "forward": self._take_forward,
            "attributes": self._take_attributes,
        }

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts, in the order of the score."""
        return tuple(state.part for state in self._states.values())

    def begin(self, part: str, measure: int, number: str, *, is_implicit: bool) -> None:
        """Take up a measure of a part; measures are counted from 0."""
        now = self._now = self._states.setdefault(part, _State(Part(part)))
        now.measure, now.number, now.is_implicit = measure, number, is_implicit
        now.cursor = now.furthest = ZERO
        now.has_music = False
        now.chord_begin = None

    def take(self, element: Element) -> None:
        """Take the next element of the measure."""
        self._take[element.name](element)

    def close(self) -> None:
        """End the measure: it is as long as what stands in it, or if that is nothing as its meter says."""
        now = self._now
        if not now.has_music and not now.is_implicit and now.nominal is not None:
            now.furthest = now.nominal
        now.part.lengths[now.measure] = now.furthest
        now.elapsed = add_times(now.elapsed, now.furthest)

    def _quarters(self, element: Element) -> Fraction | None:
        """Return the duration of an element, or None if it has none that can be."""
        now = self._now
        where = now.where(now.cursor)
        duration = element.find("duration")
        if duration is None:
            self._problems.say("KT353", "error", f"{element.name} without duration", element, where)
            return None
        value = read_time(duration, self._problems, where)
        if now.divisions is None:
            now.divisions = Fraction(1)
            message = "no divisions before the first duration: 1 to a quarter note assumed"
            self._problems.say("KT359", "warning", message, element, where)
        return None if value is None else value / now.divisions

    def _advance(self, quarters: Fraction) -> None:
        now = self._now
        now.has_music = True
        now.cursor = add_times(now.cursor, quarters)
        now.furthest = max(now.furthest, now.cursor)

    def _take_forward(self, element: Element) -> None:
        self._advance(self._quarters(element) or ZERO)

    def _take_backup(self, element: Element) -> None:
        now = self._now
        quarters = self._quarters(element) or ZERO
        if quarters > now.cursor:
            message = "backup goes to before the measure: it goes to its start"
            self._problems.say("KT359", "warning", message, element, now.where(now.cursor))
        now.cursor = max(ZERO, add_times(now.cursor, -quarters))

    def _take_attributes(self, element: Element) -> None:
        now = self._now
        where = now.where(now.cursor)
        for divisions in element.all("divisions"):
            now.divisions = read_time(divisions, self._problems, where) or Fraction(1)
        for staves in element.all("staves"):
            now.part.staves = max(now.part.staves, read_staff(staves, self._problems, where))
        for time in element.all("time"):
            self._take_meter(time)
        for transpose in element.all("transpose"):
            self._take_transposition(transpose, where)

    def _take_meter(self, time: Element) -> None:
        """Take up a meter; what is no simple one only leaves the length of empty measures unknown."""
        now = self._now
        beats, beat_type = (
            text if text.isascii() and text.isdecimal() and len(text) < 4 else ""
            for text in (_text(time, "beats"), _text(time, "beat-type"))
        )
        now.beat_type = int(beat_type or 4) or 4
        now.nominal = Fraction(4 * int(beats), now.beat_type) if beats and beat_type else None

    def _take_transposition(self, transpose: Element, where: Spot) -> None:
        now = self._now
        number = transpose.attributes.get("number", "0")
        staff = int(number) if number.isascii() and number.isdecimal() and len(number) < 3 else 0
        semitones = read_integer(transpose.find("chromatic"), self._problems, where)
        semitones += 12 * read_integer(transpose.find("octave-change"), self._problems, where)
        if semitones:
            message = f"transposing part: keys are {semitones:+} semitones from the written pitches"
            self._problems.say("KT355", "note", message, transpose, where)
        now.transpositions[staff] = semitones

    def _take_note(self, element: Element) -> None:
        now = self._now
        is_grace, is_chord = element.has("grace"), element.has("chord")
        quarters = ZERO if is_grace else self._quarters(element) or ZERO
        if is_chord and now.chord_begin is None:
            message = "chord note without a note before it in its measure"
            self._problems.say("KT359", "warning", message, element, now.where(now.cursor))
        if is_chord and now.chord_begin is not None:
            begin = now.chord_begin
        else:
            begin = now.chord_begin = now.cursor
            now.chord += 1
            self._advance(quarters)
        # a chord note longer than its chord reaches further, but does not move what follows
        now.furthest = max(now.furthest, add_times(begin, quarters))
        self._keep(element, begin, quarters)

    def _keep(self, element: Element, begin: Fraction, quarters: Fraction) -> None:
        now = self._now
        where = now.where(begin)
        staff = read_staff(element.find("staff"), self._problems, where)
        midi = self._key(element, staff, where)
        if midi is None:
            return
        now.part.staves = max(now.part.staves, staff)
        begin_in_part = add_times(now.elapsed, begin)
        note = ScoreNote(
            element=element,
            midi=midi,
            staff=staff,
            voice=_text(element, "voice"),
            measure=now.measure,
            offset=begin,
            length=quarters,
            until=add_times(begin_in_part, quarters),
            chord=now.chord,
            where=where,
            fingerings=list(element.all("notations", "technical", "fingering")),
        )
        ties = _ties(element)
        struck = self._continued(note, begin_in_part) if "stop" in ties else None
        if struck is None:
            struck = note
            self._count_note(element)
            now.part.notes.append(note)
            if "stop" in ties:
                message = "tie that begins nowhere: the note counts as struck"
                self._problems.say("KT359", "warning", message, element, where)
        if "start" in ties:
            now.tied.setdefault((midi, struck.until), []).append(struck)
        element.children.clear()

    def _key(self, element: Element, staff: int, where: Spot) -> int | None:
        """Return the key of a note, or None if it has none."""
        pitch = element.find("pitch")
        if element.has("rest"):
            return None
        if element.has("cue") or element.has("unpitched"):
            kind = "cue note" if element.has("cue") else "note without pitch"
            self._problems.say("KT358", "warning", f"{kind} left out", element, where)
            return None
        if pitch is None:
            self._problems.say("KT354", "error", "note without pitch or rest", element, where)
            return None
        midi = read_pitch(pitch, self._problems, where)
        if midi is None:
            return None
        transpositions = self._now.transpositions
        midi += transpositions.get(staff, transpositions.get(0, 0))
        if 0 <= midi <= 127:
            return midi
        self._problems.say("KT354", "error", "transposed beyond the range of MIDI", pitch, where)
        return None

    def _continued(self, note: ScoreNote, begin: Fraction) -> ScoreNote | None:
        """Return the note that this one continues, now longer; or None if none ends where it begins."""
        waiting = self._now.tied.pop((note.midi, begin), [])
        if not waiting:
            return None
        struck = next((other for other in waiting if other.voice == note.voice), waiting[0])
        rest = [other for other in waiting if other is not struck][:_TIED_LIMIT]
        if rest:
            self._now.tied[note.midi, begin] = rest
        struck.length = add_times(struck.length, note.length)
        struck.until = note.until
        struck.continued += [(element, note.where) for element in note.fingerings]
        return struck

    def _count_note(self, element: Element) -> None:
        self._count += 1
        if self._count > self._limits.rows:
            message = f"more than {self._limits.rows:,} notes"
            refuse("KT106", message, self._problems.source.tag(element.name, element.position))


def _text(element: Element, name: str) -> str:
    found = element.find(name)
    return "" if found is None else found.text.strip()


def _ties(element: Element) -> set[str]:
    """Return ``start`` and ``stop`` as far as a note has them: ``tie`` is heard, ``tied`` is seen."""
    sounding = list(element.all("tie"))
    ties = sounding or list(element.all("notations", "tied"))
    return {tie.attributes.get("type", "") for tie in ties}
