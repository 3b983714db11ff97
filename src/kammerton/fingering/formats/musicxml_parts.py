# SPDX-License-Identifier: MIT
"""Parts of a MusicXML score: numbers, pitches, measures, and notes as they are struck.

What is no number or pitch is reported, and read as the nearest that is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import itemgetter

from kammerton.errors import clip, printable, quote
from kammerton.fingering.annotation import midi_of
from kammerton.fingering.formats.notes import ZERO, add_times
from kammerton.fingering.formats.xml_document import Element, ScoreProblems, XmlReader, XmlText, refuse
from kammerton.formats.reading import Limits

_TIME = r"[0-9]{1,10}(?:\.[0-9]{0,6})?"
_INTEGER = r"[+-]?[0-9]{1,3}"
_NUMBERS = {
    "duration": (_TIME, "a number from zero on"),
    "divisions": (rf"(?=.*[1-9]){_TIME}", "a number above zero"),
    "chromatic": (_INTEGER, "a whole number"),
    "octave-change": (_INTEGER, "a whole number"),
    "staff": ("[1-9][0-9]?", "a number from 1 to 99"),
    "staves": ("[1-9][0-9]?", "a number from 1 to 99"),
    "offset": (rf"[+-]?{_TIME}", "a number"),
}
"""Patterns of the numbers that elements hold, and what messages call these."""
_ALTER = re.compile(r"[+-]?[0-9](?:\.[0-9]{0,6})?")
_TEMPO = re.compile(r"(?=.*[1-9])[0-9]{1,4}(?:\.[0-9]{0,6})?")
MAX_ALTER = 4
_PITCH_FIELDS = (
    ("step", frozenset("ABCDEFG"), "a letter from A to G"),
    ("octave", frozenset("0123456789"), "a number from 0 to 9"),
)


def _read_number(
    element: Element | None, problems: ScoreProblems, where: ScorePlace, default: int = 0
) -> Fraction | int:
    """Return the number of an element; the default if it has none, which is reported."""
    if element is None:
        return default
    pattern, kind = _NUMBERS[element.name]
    text = element.text.strip()
    if re.fullmatch(pattern, text):
        return Fraction(text)
    problems.report_of(element, "KT353", f"{element.name} is not {kind}: {quote(text)}", where)
    return default


def _read_pitch(pitch: Element, problems: ScoreProblems, where: ScorePlace) -> int | None:
    """Read a written pitch as a MIDI number; None if it is none, which is reported."""
    fields = pitch.fields()
    alter = _read_alter(fields["alter"], problems, where) if "alter" in fields else 0
    texts = []
    for name, known, kind in _PITCH_FIELDS:
        if name not in fields:
            problems.report_of(pitch, "KT354", f"pitch without {name}", where)
            return None
        text = fields[name].text.strip()
        if text not in known:
            hint = "German `H` is `B`, `B` is `B` with an alter of -1" if text == "H" else None
            message = f"{name} is not {kind}: {quote(text)}"
            problems.report_of(fields[name], "KT354", message, where, hint=hint)
            return None
        texts.append(text)
    if alter is None:
        return None
    step, octave = texts
    midi = midi_of(step, alter, int(octave))
    if 0 <= midi <= 127:
        return midi
    message = f"pitch beyond the range of MIDI: {step}{octave} altered by {alter}"
    problems.report_of(pitch, "KT354", message, where)
    return None


def _read_alter(element: Element, problems: ScoreProblems, where: ScorePlace) -> int | None:
    """Return the alteration in semitones; what lies between two keys goes to the one nearer the letter."""
    text = element.text.strip()
    if not _ALTER.fullmatch(text) or abs(float(text)) > MAX_ALTER:
        message = f"alter is not a number from -{MAX_ALTER} to {MAX_ALTER}: {quote(text)}"
        problems.report_of(element, "KT354", message, where)
        return None
    semitones = int(float(text))
    if semitones != float(text):
        message = f"no key lies between two keys: alter {quote(text)} read as {semitones}"
        problems.report_of(element, "KT355", message, where, severity="warning")
    return semitones


def _text(element: Element, name: str) -> str:
    child = element.find(name)
    return "" if child is None else child.text.strip()


_FINGERS = re.compile(r"[1-5](?:[-_,\s\N{EN DASH}]+[1-5]){0,4}\.?")
"""A text that is of fingers only, as far as can be seen: `3`, `4-1`, `1 3 5`."""
_SLACK = Fraction(1, 16)
"""Quarter notes by which notes of one voice may overlap: programs round the durations of tuplets."""
_TIED_LIMIT = 16
"""Notes of one key that may wait for a continuation at one time."""


@dataclass(frozen=True, slots=True)
class ScorePlace:
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
class Bar:
    """A measure of a part."""

    # part, number: as the score calls them
    part: str
    number: str
    index: int  # from 0
    beat_type: int  # beats are counted in quarter notes (4), eighths (8) and so on
    staves_of: dict[str, set[int]] = field(default_factory=dict)  # where each voice has notes or rests


@dataclass(slots=True, eq=False)
class ScoreNote:
    """A note as it is struck, tied notes together."""

    element: Element  # where it begins
    midi: int
    staff: int
    voice: str
    bar: Bar  # in which it begins
    # offset, length: quarter notes from the start of the measure, and of sound; a grace note has no length
    offset: Fraction
    length: Fraction
    chord: int  # equal for the notes of a chord within a part
    fingerings: Sequence[Element] = ()  # at its beginning
    continued: Sequence[
        tuple[Element, ScorePlace]
    ] = ()  # at the notes it is tied over to, and where these are
    instrument: str = ""  # by its identifier, where the score names it
    until: Fraction = ZERO  # where it ends, in quarter notes from the start of its part, if it is tied

    @property
    def where(self) -> ScorePlace:
        """The place where it begins."""
        return ScorePlace(self.bar.part, self.bar.number, self.offset, self.bar.beat_type)


@dataclass(slots=True, eq=False)
class Part:
    """A part: its notes, how long each measure is in it, and which voices stand where."""

    name: str
    notes: list[ScoreNote] = field(default_factory=list)
    lengths: dict[int, Fraction] = field(default_factory=dict)  # by the index of a measure
    staves: int = 1
    measures: list[Bar] = field(default_factory=list)
    # voices that are on two staves at one time: their number is used for each staff anew
    doubled: set[str] = field(default_factory=set)
    # chord symbols, each with its measure, the quarter notes from there, and semitones that keys are above it
    harmonies: list[tuple[Bar, Fraction, int, Element]] = field(default_factory=list)
    # quarter notes a minute, with measure and quarter notes from there
    tempos: list[tuple[Bar, Fraction, float]] = field(default_factory=list)


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
    bar: Bar = field(default_factory=lambda: Bar("", "", 0, 4))
    is_implicit: bool = False
    cursor: Fraction = ZERO
    furthest: Fraction = ZERO
    has_music: bool = False
    chord_begin: Fraction | None = None
    chord: int = 0
    chord_voice: str = ""
    spans: list[tuple[Fraction, Fraction, int, str, int]] = field(default_factory=list)
    """Begin, length, chord, voice and staff of what stands in the measure."""
    tied: dict[tuple[int, Fraction], list[ScoreNote]] = field(default_factory=dict)
    """Notes that wait for their continuation, by key and by where they end in their part."""

    def where(self, offset: Fraction) -> ScorePlace:
        return ScorePlace(self.part.name, self.bar.number, offset, self.beat_type)


def _name(text: str) -> str:
    return printable(clip(text))


class PartReader:
    """Collects the notes of every part."""

    def __init__(self, problems: ScoreProblems, limits: Limits, *, unpitched: int | None = None) -> None:
        self._problems = problems
        self._limits = limits
        self._unpitched = unpitched  # key of notes without pitch, which else are left out
        self._states: dict[str, _State] = {}
        self._now = _State(Part(""))
        self._count = 0
        self._take: dict[str, Callable[[Element], None]] = {
            "note": self._take_note,
            "backup": self._take_backup,
            "forward": lambda forward: self._advance(self._quarters(forward, forward.find("duration"))),
            "attributes": self._take_attributes,
            "direction": self._take_direction,
            "harmony": self._take_harmony,
            "sound": self._take_tempo,
        }
        self.written_fingers: list[tuple[Element, ScorePlace]] = []
        """What looks like fingers, but stands in words beside the notes or in lyrics."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts, in the order of the score."""
        return tuple(state.part for state in self._states.values())

    def begin(self, part: str, measure: int, number: str, *, is_implicit: bool) -> None:
        """Take up a measure of a part; measures are counted from 0."""
        now = self._now = self._states.setdefault(part, _State(Part(part)))
        now.bar, now.is_implicit = Bar(part, number, measure, now.beat_type), is_implicit
        now.part.measures.append(now.bar)
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
        now.part.lengths[now.bar.index] = now.furthest
        now.elapsed = add_times(now.elapsed, now.furthest)
        for _, _, _, voice, staff in now.spans:
            now.bar.staves_of.setdefault(voice, set()).add(staff)
        if any(len(staves) > 1 for staves in now.bar.staves_of.values()):
            now.part.doubled |= _doubled_voices(now.bar, now.spans)
        now.spans.clear()

    def _quarters(self, element: Element, duration: Element | None) -> Fraction:
        """Return the duration of an element; it counts as none if it is none that can be."""
        now = self._now
        if duration is None:
            message = f"{element.name} without duration"
            self._problems.report_of(element, "KT353", message, now.where(now.cursor))
            return ZERO
        where = now.where(now.cursor)
        quarters = Fraction(_read_number(duration, self._problems, where))
        if now.divisions is None:
            now.divisions = Fraction(1)
            message = "no divisions before the first duration: 1 to a quarter note assumed"
            self._problems.report_of(element, "KT359", message, where, severity="warning")
        return quarters / now.divisions

    def _advance(self, quarters: Fraction) -> None:
        now = self._now
        now.has_music = True
        now.cursor = add_times(now.cursor, quarters)
        now.furthest = max(now.furthest, now.cursor)

    def _take_backup(self, element: Element) -> None:
        now = self._now
        quarters = self._quarters(element, element.find("duration"))
        if quarters > now.cursor:
            message = "backup goes to before the measure: it goes to its start"
            self._problems.report_of(element, "KT359", message, now.where(now.cursor), severity="warning")
        now.cursor = max(ZERO, add_times(now.cursor, -quarters))

    def _take_attributes(self, element: Element) -> None:
        now = self._now
        where = now.where(now.cursor)
        for divisions in element.all("divisions"):
            now.divisions = Fraction(_read_number(divisions, self._problems, where, 1))
        for staves in element.all("staves"):
            now.part.staves = max(now.part.staves, int(_read_number(staves, self._problems, where, 1)))
        for time in element.all("time"):
            self._take_meter(time)
        for transpose in element.all("transpose"):
            self._take_transposition(transpose, where)

    def _take_direction(self, direction: Element) -> None:
        self._look_for_fingers(direction.all("direction-type", "words"), self._now.cursor)
        for sound in direction.all("sound"):
            self._take_tempo(sound)

    def _take_tempo(self, sound: Element) -> None:
        now, tempo = self._now, sound.attributes.get("tempo", "")
        if _TEMPO.fullmatch(tempo):
            now.part.tempos.append((now.bar, now.cursor, float(tempo)))

    def _take_harmony(self, harmony: Element) -> None:
        now = self._now
        offset = Fraction(_read_number(harmony.find("offset"), self._problems, now.where(now.cursor)))
        at = max(ZERO, add_times(now.cursor, offset / (now.divisions or 1)))
        now.part.harmonies.append((now.bar, at, now.transpositions.get(0, 0), harmony))

    def _look_for_fingers(self, texts: Iterable[Element], at: Fraction) -> None:
        self.written_fingers += [
            (text, self._now.where(at)) for text in texts if _FINGERS.fullmatch(text.text.strip())
        ]

    def _take_meter(self, time: Element) -> None:
        """Take up a meter; what is no simple one only leaves the length of empty measures unknown."""
        now = self._now
        beats, beat_type = (
            text if text.isascii() and text.isdecimal() and len(text) < 4 else ""
            for text in (_text(time, "beats"), _text(time, "beat-type"))
        )
        now.beat_type = int(beat_type or 4) or 4
        now.bar.beat_type = now.beat_type
        now.nominal = Fraction(4 * int(beats), now.beat_type) if beats and beat_type else None

    def _take_transposition(self, transpose: Element, where: ScorePlace) -> None:
        now = self._now
        number = transpose.attributes.get("number", "0")
        staff = int(number) if number.isascii() and number.isdecimal() and len(number) < 3 else 0
        semitones = int(_read_number(transpose.find("chromatic"), self._problems, where))
        semitones += 12 * int(_read_number(transpose.find("octave-change"), self._problems, where))
        if semitones:
            message = f"transposing part: keys are {semitones:+} semitones from the written pitches"
            self._problems.report_of(transpose, "KT355", message, where, severity="note")
        now.transpositions[staff] = semitones

    def _take_note(self, element: Element) -> None:
        now = self._now
        fields = element.fields()
        quarters = ZERO if "grace" in fields else self._quarters(element, fields.get("duration"))
        voice = fields["voice"].text.strip() if "voice" in fields else ""
        if "chord" in fields and now.chord_begin is not None:
            begin = now.chord_begin
            voice = now.chord_voice or voice  # a chord is of one voice, and some programs write it once
            # a chord note longer than its chord reaches further, but does not move what follows
            now.furthest = max(now.furthest, add_times(begin, quarters))
        else:
            if "chord" in fields:
                message = "chord note without a note before it in its measure"
                self._problems.report_of(element, "KT359", message, now.where(now.cursor), severity="warning")
            begin = now.chord_begin = now.cursor
            now.chord += 1
            now.chord_voice = voice
            self._advance(quarters)
        self._keep(element, fields, voice, begin, quarters)

    def _keep(
        self, element: Element, fields: dict[str, Element], voice: str, begin: Fraction, quarters: Fraction
    ) -> None:
        now = self._now
        staff = 1
        if "staff" in fields:
            staff = int(_read_number(fields["staff"], self._problems, now.where(begin), 1))
        now.spans.append((begin, quarters, now.chord, voice, staff))
        midi = None if "rest" in fields else self._key(element, fields, staff, begin)
        if midi is None:
            return
        now.part.staves = max(now.part.staves, staff)
        note = ScoreNote(element, midi, staff, voice, now.bar, begin, quarters, now.chord)
        if "instrument" in fields:
            note.instrument = fields["instrument"].attributes.get("id", "")
        note.fingerings = list(element.all("notations", "technical", "fingering"))
        self._look_for_fingers(element.all("lyric", "text"), begin)
        # `tie` is heard, `tied` is seen
        marks = list(element.all("tie")) or element.all("notations", "tied")
        ties = {mark.attributes.get("type", "") for mark in marks}
        if ties:
            self._keep_tied(note, ties)
        else:
            self._strike(note)
        element.children = []

    def _strike(self, note: ScoreNote) -> None:
        self._count += 1
        if self._count > self._limits.rows:
            message = f"more than {self._limits.rows:,} notes"
            refuse("KT106", message, self._problems.source.tag_of(note.element))
        self._now.part.notes.append(note)

    def _keep_tied(self, note: ScoreNote, ties: Container[str]) -> None:
        """Keep a note that continues another, or is to be continued."""
        now = self._now
        begin = add_times(now.elapsed, note.offset)
        note.until = add_times(begin, note.length)
        struck = self._continued(note, begin) if "stop" in ties else None
        if struck is None:
            struck = note
            self._strike(note)
            if "stop" in ties:
                message = "tie that begins nowhere: the note counts as struck"
                self._problems.report_of(note.element, "KT359", message, note.where, severity="warning")
        if "start" in ties:
            now.tied.setdefault((note.midi, struck.until), []).append(struck)

    def _key(self, element: Element, fields: dict[str, Element], staff: int, begin: Fraction) -> int | None:
        """Return the key of a note, or None if it has none."""
        if "unpitched" in fields and "cue" not in fields and self._unpitched is not None:
            return self._unpitched
        if "cue" in fields or "unpitched" in fields:
            kind = "cue note" if "cue" in fields else "note without pitch"
            self._problems.report_of(
                element, "KT358", f"{kind} left out", self._now.where(begin), severity="warning"
            )
            return None
        if "pitch" not in fields:
            message = "note without pitch or rest"
            self._problems.report_of(element, "KT354", message, self._now.where(begin))
            return None
        pitch, transpositions = fields["pitch"], self._now.transpositions
        midi = _read_pitch(pitch, self._problems, self._now.where(begin))
        if midi is not None:
            midi += transpositions.get(staff, transpositions.get(0, 0))
            if 0 <= midi <= 127:
                return midi
            message = "transposed beyond the range of MIDI"
            self._problems.report_of(pitch, "KT354", message, self._now.where(begin))
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
        struck.continued = (*struck.continued, *((element, note.where) for element in note.fingerings))
        return struck


def _doubled_voices(bar: Bar, spans: Sequence[tuple[Fraction, Fraction, int, str, int]]) -> set[str]:
    """Return the voices of a measure that have notes or rests of two chords on two staves at one time."""
    doubled = set()
    reach: dict[tuple[str, int], tuple[Fraction, int]] = {}
    for begin, length, chord, voice, staff in sorted(spans):
        end = begin + length
        for other in bar.staves_of[voice] - {staff}:
            until, of_chord = reach.get((voice, other), (ZERO, chord))
            if of_chord != chord and min(until, end) - begin > _SLACK:
                doubled.add(voice)
        reach[voice, staff] = max((end, chord), reach.get((voice, staff), (ZERO, 0)), key=itemgetter(0))
    return doubled


_LAYOUTS = {
    "score-partwise": ("score-partwise", "part", "measure"),
    "score-timewise": ("score-timewise", "measure", "part"),
}
_WHOLE = frozenset(("note", "backup", "forward", "attributes", "direction", "harmony", "sound"))
"""Children of a measure that are handed over, each when it is complete."""
_KEPT = frozenset(
    (
        *(
            "instrument",
            "grace",
            "cue",
            "chord",
            "pitch",
            "unpitched",
            "rest",
            "step",
            "alter",
            "octave",
            "duration",
        ),
        *("tie", "tied", "voice", "staff", "notations", "technical", "fingering", "lyric", "text"),
        *("direction-type", "words", "divisions", "time", "beats", "beat-type", "staves"),
        *("transpose", "chromatic", "octave-change", "sound", "offset"),
        *("root", "root-step", "root-alter", "kind", "bass", "bass-step", "bass-alter"),
        *("degree", "degree-value", "degree-alter", "degree-type"),
    )
)
"""What is kept of them."""
_FREE = frozenset(("text", "words"))
"""Elements whose text may be of any length; what is too long is nothing that is looked for."""
_LARGEST = 1_000
"""Elements that one note may hold."""


class ScoreTree(XmlReader):
    """Follows a document down to its measures, whose elements it hands to a reader of parts."""

    def __init__(self, source: XmlText, reader: PartReader, limits: Limits) -> None:
        super().__init__(source, limits)
        self._reader = reader
        self._layout: tuple[str, ...] = ()
        self._path: list[tuple[str, dict[str, str]]] = []
        self._counts = [0, 0, 0]
        self._tree: list[Element] = []
        self._size = 0

    def start(self, name: str, attributes: dict[str, str]) -> bool:
        """Take a start tag, and return whether what stands in the element is wanted."""
        if not self._tree and len(self._path) < 3:
            return self._descend(name, attributes)
        if name not in (_KEPT if self._tree else _WHOLE):
            return False
        element = Element(name, attributes, self.position())
        if self._tree:
            self._size += 1
            if self._size > _LARGEST:
                whole = self._tree[0]
                message = f"more than {_LARGEST:,} elements in one {quote(f'<{whole.name}>')}"
                refuse("KT106", message, self.source.tag_of(whole))
            self._tree[-1].children.append(element)
        else:
            self._size = 0
        self._tree.append(element)
        return True

    def end(self) -> None:
        """Take an end tag."""
        if self._tree:
            element = self._tree.pop()
            if not self._tree:
                self._reader.take(element)
        else:
            if len(self._path) == 3:
                self._reader.close()
            self._path.pop()

    def characters(self, text: str) -> None:
        """Take a piece of text."""
        if not self._tree:
            return
        element = self._tree[-1]
        if not element.text and text.isspace():
            return  # what stands between its children
        if len(element.text) + len(text) <= self.limits.label:
            element.text += text
        elif element.name not in _FREE:
            message = f"text of more than {self.limits.label:,} characters"
            refuse("KT106", message, self.source.tag_of(element))

    def _descend(self, name: str, attributes: dict[str, str]) -> bool:
        depth = len(self._path)
        if depth == 0:
            if name not in _LAYOUTS:
                message = f"not a score in MusicXML: its root is {quote(f'<{name}>')}"
                hint = "an opus lists scores: read those" if name == "opus" else None
                refuse("KT352", message, self.source.tag(name, self.position()), hint)
            self._layout = _LAYOUTS[name]
        if name != self._layout[depth]:
            return False
        self._path.append((name, attributes))
        self._counts[depth] += 1
        self._counts[depth + 1 :] = [0] * (2 - depth)
        if depth == 2:
            open_levels = dict(self._path)
            number = self._counts[self._layout.index("measure")]
            measure = open_levels["measure"]
            self._reader.begin(
                open_levels["part"].get("id", ""),
                number - 1,
                measure.get("number", str(number)),
                is_implicit=measure.get("implicit") == "yes",
            )
        return True
