# SPDX-License-Identifier: MIT
"""Instruments of scores and MIDI files: what they declare, by order of evidence.

Of MusicXML the sound of an instrument comes first, then names, then its channel and program; of MIDI the
channel of drums, then the program, then the name of the track. Programs that are the same in all parts say
nothing but where nothing else does: nobody chose them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import PurePath

import numpy as np

from kammerton.arrays import Seconds
from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.fingering.formats.notes import DEFAULT_OPTIONS
from kammerton.fingering.formats.xml_document import XmlReader, XmlText
from kammerton.formats.midi import DRUMS as DRUM_CHANNEL
from kammerton.formats.reading import Limits
from kammerton.formats.source import read_bytes
from kammerton.instruments.annotation import InstrumentList, Segment
from kammerton.systems.instrument_names import instrument_named, instrument_of_sound
from kammerton.systems.midi_notes import SUFFIXES as MIDI_SUFFIXES
from kammerton.systems.music import PERCUSSION, Music, sounding
from kammerton.systems.scenes import program_name
from kammerton.systems.score_music import music_of_parts, read_music, read_parts
from kammerton.systems.system import Input, System, SystemCard

_UNPITCHED = 35
"""Key that notes without pitch are given."""
_EFFECTS = 120
"""Program from which on there are effects, which are no instruments."""
_BASS, _VOICE = "Electric Bass (finger)", "Choir Aahs"
_WORDS = {"sound": "its sound", "name": "its name", "drums": "the channel of drums", "program": "its program"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PartEvidence:
    """What a part is played by, and what tells so.

    Attributes
    ----------
    part : str
        Its name, or its number from 1.
    label : str or None
        Instrument by its name in General MIDI, ``drums``, or another name; None if nothing tells.
    origin : str
        ``sound``, ``name``, ``drums``, ``program``, or nothing.
    others : mapping of str to str
        What the rest of the evidence says, where it says something else.
    intervals : ndarray of float64, shape (n, 2)
        Seconds in which it sounds; gaps of less than half a second are none.
    """

    part: str
    label: str | None
    origin: str = ""
    others: Mapping[str, str] = field(default_factory=dict)
    intervals: Seconds


@dataclass(frozen=True, slots=True, eq=False)
class HeardInstruments(InstrumentList):
    """Instruments with what was noticed about them."""

    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class SymbolicInstrumentSettings:
    """Settings of the system ``symbolic`` of instruments.

    Parameters
    ----------
    least : float
        Share of the time that an instrument must sound to be listed, from 0 to 1.
    """

    least: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.least <= 1:
            raise OptionError("least is a share from 0 to 1")


def read_evidence(path: str | os.PathLike[str], name: str | None = None) -> tuple[PartEvidence, ...]:
    """Return what plays each part of a score in MusicXML or a MIDI file, without parts that have no notes.

    Raises
    ------
    DataError
        If it cannot be read, or has no notes.
    """
    shown = os.fsdecode(path) if name is None else name
    if PurePath(os.fsdecode(path)).suffix.lower() in MIDI_SUFFIXES:
        music = read_music(path, shown).music
        clues: list[_Clues] = [
            {"drums": program_name(PERCUSSION)}
            if program == PERCUSSION
            else {"program": _program(program), "name": instrument_named(title)}
            for program, title in zip(music.programs, music.names, strict=True)
        ]
        order, titles = ["drums", "program", "name"], music.names
    else:
        declared, music = _read_score(path, shown)
        clues = [_clues(instrument) for instrument in declared]
        order, titles = ["sound", "name", "drums", "program"], tuple(own.title for own in declared)
    return tuple(_evidence(clues, order, titles, music))


_Clues = dict[str, str | None]
"""What each kind of evidence says of a part."""


def _evidence(
    clues: Sequence[_Clues], order: Sequence[str], titles: Sequence[str], music: Music
) -> Iterator[PartEvidence]:
    """Give the instrument of each part that has notes."""
    programs = [own["program"] for own in clues if "program" in own]
    if len(programs) > 1 and len(set(programs)) == 1:  # they come last, and are no contradiction
        order = [*(kind for kind in order if kind != "program"), "program"]
    else:
        programs = []
    seconds = [music.seconds(beats) for beats in (music.onsets, music.offsets)]
    labels = {own.get("name") for own in clues}
    for number, (own, title) in enumerate(zip(clues, titles, strict=True)):
        notes = music.parts == number
        if not notes.any():
            continue
        said = {kind: own[kind] for kind in order if own.get(kind)}
        if said.get("name") == _BASS and _VOICE in labels:
            said["name"] = _VOICE  # a bass that sings
        origin = next(iter(said), "")
        yield PartEvidence(
            part=title.strip() or str(number + 1),
            label=said.get(origin),
            origin=origin,
            others={
                kind: label
                for kind, label in said.items()
                if label is not None and label != said[origin] and not (kind == "program" and programs)
            },
            intervals=sounding(*(times[notes] for times in seconds)),
        )


def _program(program: int | None) -> str | None:
    return None if program is None or program >= _EFFECTS else program_name(program)


# --- scores ----------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Declared:
    """An instrument of a part, as the list of parts declares it."""

    title: str = ""  # of the part
    name: str = ""
    sound: str = ""
    channel: int | None = None  # from 0, as the program
    program: int | None = None
    is_one_of_many: bool = False


def _clues(own: _Declared) -> _Clues:
    """Return what evidence says of a declared instrument."""
    names = (own.name, own.title) if own.is_one_of_many else (own.title, own.name)
    clues: _Clues = {
        "sound": instrument_of_sound(own.sound) if own.sound else None,
        "name": next((label for name in names if (label := instrument_named(name))), None),
    }
    if own.channel == DRUM_CHANNEL:
        clues["drums"] = program_name(PERCUSSION)
    elif own.program is not None:
        clues["program"] = _program(own.program)
    return clues


def _read_score(path: str | os.PathLike[str], name: str) -> tuple[list[_Declared], Music]:
    """Return the instruments of a score, and the notes of each as a part of music."""
    data = read_bytes(path, name=name, limits=DEFAULT_OPTIONS.limits)
    score = read_parts(data, name, unpitched=_UNPITCHED)
    declarations = _PartList(score.source, score.limits)
    declarations.parse()
    declared, parts = [], []
    for part in score.parts:
        listed = declarations.parts.get(part.name, {})
        first = next(iter(listed), "")

        def owner(note: object, listed: Mapping[str, _Declared] = listed, first: str = first) -> str:
            identifier = getattr(note, "instrument", "")
            return identifier if identifier in listed else first

        for identifier, notes in groupby(sorted(part.notes, key=owner), key=owner):
            instrument = listed.get(identifier) or _Declared(title=declarations.titles.get(part.name, ""))
            declared.append(replace(instrument, is_one_of_many=len(listed) > 1))
            parts.append(replace(part, notes=list(notes)))
    if not parts:
        raise DataError.of("KT810", "score has no notes", name)
    return declared, music_of_parts(parts, score.starts)


class _PartList(XmlReader):
    """Reads the list of parts: the instruments of each by their identifiers."""

    def __init__(self, source: XmlText, limits: Limits) -> None:
        super().__init__(source, limits)
        self.parts: dict[str, dict[str, _Declared]] = {}
        self.titles: dict[str, str] = {}
        self._path: list[str] = []
        self._part = self._instrument = self._text = ""

    def start(self, name: str, attributes: dict[str, str]) -> bool:
        """Take a start tag; nothing but the list of parts is wanted."""
        if len(self._path) == 1 and name != "part-list":
            return False
        self._path.append(name)
        self._text = ""
        if name == "score-part":
            self._part = attributes.get("id", "")
            self.parts[self._part] = {}
        elif name in ("score-instrument", "midi-instrument"):
            self._instrument = attributes.get("id", "")
            self.parts.setdefault(self._part, {}).setdefault(self._instrument, _Declared())
        return True

    def characters(self, text: str) -> None:
        """Take a piece of text."""
        self._text = (self._text + text)[: self.limits.label]

    def end(self) -> None:
        """Take an end tag."""
        name, text = self._path.pop(), " ".join(self._text.split())
        self._text = ""
        own = self.parts.get(self._part, {}).get(self._instrument)
        if name == "part-name":
            self.titles[self._part] = text
        elif name == "score-part":
            for instrument in self.parts[self._part].values():
                instrument.title = self.titles.get(self._part, "")
        elif own is not None and name == "instrument-name":
            own.name = text
        elif own is not None and name == "instrument-sound":
            own.sound = text
        elif own is not None and name in ("midi-channel", "midi-program") and text.isdecimal():
            setattr(own, name.removeprefix("midi-"), int(text) - 1)


# --- the system ------------------------------------------------------------------------------


def _annotate(source: Input, _: object, settings: SymbolicInstrumentSettings) -> HeardInstruments:
    return instruments_of(source.files["score"], settings)


def instruments_of(
    path: str | os.PathLike[str], settings: SymbolicInstrumentSettings | None = None
) -> HeardInstruments:
    """Return the instruments of a score, ranked by how long they sound.

    Their scores are shares of the time from the first note to the last.
    """
    least = (settings or SymbolicInstrumentSettings()).least
    evidence = read_evidence(path)
    times = np.concatenate([own.intervals for own in evidence])
    length = float(times.max() - times.min()) or 1.0
    spans: dict[str, list[Seconds]] = {}
    for own in evidence:
        if own.label is not None:
            spans.setdefault(own.label, []).append(own.intervals)
    shares = {label: _seconds(np.concatenate(parts)) / length for label, parts in spans.items()}
    listed = sorted((label for label in shares if shares[label] >= least), key=lambda label: -shares[label])
    return HeardInstruments(
        tuple(listed),
        scores=np.minimum([shares[label] for label in listed], 1.0),
        ranked=True,
        segments=tuple(
            Segment(start, end, label)
            for label in listed
            for start, end in sounding(*np.concatenate(spans[label]).T).tolist()
        ),
        diagnostics=tuple(_noticed(evidence, os.fsdecode(path))),
    )


def _seconds(intervals: Seconds) -> float:
    """Return how long it is that any of some intervals lasts."""
    return float(np.diff(sounding(*intervals.T, gap=1e-9)).sum())


def _noticed(evidence: Sequence[PartEvidence], file: str) -> Iterator[Diagnostic]:
    """Report parts of which evidence disagrees, or tells nothing."""
    for own in evidence:
        if own.label is None:
            message = f"nothing tells what plays part {quote(own.part)}, which is left out"
            yield Diagnostic(code="KT823", severity="warning", message=message, file=file)
        elif own.others:
            rest = ", ".join(f"by {_WORDS[kind]} {label}" for kind, label in own.others.items())
            message = f"part {quote(own.part)} is {own.label} by {_WORDS[own.origin]}, {rest}"
            yield Diagnostic(code="KT823", severity="note", message=message, file=file)


INSTRUMENTS_SYMBOLIC = System(
    name="symbolic",
    task="instruments",
    takes=frozenset(("score",)),
    card=SystemCard(
        summary="Instruments that a score or MIDI file declares: by sounds, names, channels and programs.",
        source="kammerton; names in six languages",
        licence="MIT",
        levels=("declared instruments of scenes: all and no other, in 100 of 100 (medium, seed 0)",),
        limits="Labels are those of General MIDI, `drums`, `mandolin` and `ukulele`: map them with --map. It "
        "knows what is declared, not what is heard: rests are left out, loudness is not.",
        cost="a score of 10 minutes in less than a second",
    ),
    options=SymbolicInstrumentSettings,
    annotate=_annotate,
)
