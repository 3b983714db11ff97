# SPDX-License-Identifier: MIT
"""What a hand can do: span tables, each with its source, and what they make of key presses.

A span is the distance from the key of the lower finger to the key of the higher one, seen by the right
hand; the left hand is mirrored. It is negative where the thumb has passed under, or a finger over it.

Many pieces are judged at once: from key to key, and within chords. Within a hand, notes that begin within
30 ms of the first one are a group; a grace note, which lasts no time, is a group of its own, before the note
it belongs to. Of one note, a group leads on to the next one if no more than 50 ms of silence lie between;
groups of several notes are chords.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags, Seconds, ratio, sequence_of_rows
from kammerton.errors import DataError, OptionError, close_match, quote
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering, label_table
from kammerton.formats.json_places import JsonPlaces, decode
from kammerton.formats.reading import Limits, Problems
from kammerton.formats.source import read_text
from kammerton.model.measure import Statistics

# --- span tables ----------------------------------------------------------------------------------------

Distance = Literal["semitones", "fourteenths", "physical"]
DISTANCES: tuple[Distance, ...] = get_args(Distance)
"""Units of spans: *semitones*; *fourteenths*: of an octave, with imaginary black keys between E and F
and between B and C; *physical*: between the middles of the keys, in mean semitones."""

PAIRS = tuple((low, high) for low in range(1, 5) for high in range(low + 1, 6))
"""Pairs of fingers, in the order of a profile's spans."""
_PAIR_NAMES = tuple(f"{low}-{high}" for low, high in PAIRS)

WIDEST = 60
"""Largest span that a profile may state."""

_IN_OCTAVE: Mapping[Distance, tuple[float, ...]] = {
    "semitones": (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    "fourteenths": (0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 14),
    "physical": (0, 9.5, 23.5, 37.5, 47, 70.5, 78.5, 94, 105.5, 117, 132.5, 140.5, 164),
}
"""Place of each key from C to C; in the last, the middle of the key in millimetres."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A span table."""

    name: str  # what it is called; stands in signatures
    source: str  # where its numbers come from
    spans: tuple[tuple[int, int], ...]  # least and largest span of each of :data:`PAIRS` that can be played
    distance: Distance = "semitones"  # what spans are counted in

    def __post_init__(self) -> None:
        if self.distance not in DISTANCES:
            raise OptionError.unknown("distance", self.distance, DISTANCES)
        if len(self.spans) != len(PAIRS):
            raise OptionError(f"a profile has {len(PAIRS)} spans, not {len(self.spans)}")
        for pair, span in zip(_PAIR_NAMES, self.spans, strict=True):
            problem = _span_problem(*span)
            if problem is not None:
                raise OptionError(f"span of {pair} in profile {quote(self.name)}: {problem}")

    def limits(self) -> tuple[Codes, Codes]:
        """Return least and largest span by finger and finger, each of shape (6, 6).

        Both orders of a pair have its span; finger 0 and equal fingers have 0.
        """
        return _limits(self.spans)

    def measure(self, begin: Codes, end: Codes) -> Codes:
        """Return the distance from one pitch to another, negative downwards, in whole units.

        Examples
        --------
        >>> PROFILES["balliauw2017-M"].measure(np.array([64, 71]), np.array([65, 59]))
        array([  2, -14])
        """
        if self.distance == "semitones":
            return np.asarray(end - begin)
        places = _places(self.distance)
        way = places[end] - places[begin]
        if self.distance == "physical":
            way = np.rint(way * (12 / _IN_OCTAVE["physical"][12]))
        return np.asarray(way, dtype=np.int64)


@lru_cache(maxsize=len(DISTANCES))
def _places(distance: Distance) -> NDArray[np.float64]:
    """Return the place of each of the 128 keys that have a MIDI number."""
    octave, key = np.divmod(np.arange(128), 12)
    of_octave = np.array(_IN_OCTAVE[distance], dtype=np.float64)
    return np.asarray(of_octave[key] + of_octave[12] * octave)


def _span_problem(least: int, most: int) -> str | None:
    if least > most:
        return f"the least, {least}, is above the largest, {most}"
    if most < 1:
        return f"the largest, {most}, is below 1"
    return None if -WIDEST <= least <= most <= WIDEST else f"{least} to {most} is beyond {WIDEST}"


@lru_cache(maxsize=64)
def _limits(spans: tuple[tuple[int, int], ...]) -> tuple[Codes, Codes]:
    limits = np.zeros((2, 6, 6), dtype=np.int64)
    for (low, high), span in zip(PAIRS, spans, strict=True):
        limits[:, low, high] = limits[:, high, low] = span
    limits.setflags(write=False)
    return limits[0], limits[1]


def _spans(least: Iterable[int], most: Iterable[int]) -> tuple[tuple[int, int], ...]:
    return tuple(zip(least, most, strict=True))


_TRANSCRIBED = "MinPrac and MaxPrac as pydactyl (MIT) transcribes them in dactyler/Parncutt.py"

#                      1-2 1-3 1-4 1-5 2-3 2-4 2-5 3-4 3-5 4-5
_PARNCUTT = _spans((-5, -4, -3, -1, 1, 1, 2, 1, 1, 1), (10, 12, 14, 15, 5, 7, 10, 4, 7, 5))

_BUILT_IN = (
    Profile(
        "pianovam",
        "evaluation protocol of the PianoVAM fingering project: largest spans, both ways; how far a thumb "
        "passes: Parncutt et al. 1997; a pass of finger 5, or without the thumb, is never legal",
        _spans((-5, -4, -3, 1, 1, 1, 1, 1, 1, 1), (10, 11, 12, 12, 5, 7, 9, 4, 6, 5)),
    ),
    Profile(
        "parncutt1997",
        "R. Parncutt et al., An ergonomic model of keyboard fingering for melodic fragments, Music "
        f"Perception 14(4), 1997: {_TRANSCRIBED}",
        _PARNCUTT,
    ),
    *(
        Profile(
            f"balliauw2017-{size}",
            "M. Balliauw et al., A variable neighborhood search algorithm to generate piano fingerings for "
            f"polyphonic sheet music, ITOR 24(3), 2017, {hand} hands: {_TRANSCRIBED}",
            spans,
            "fourteenths",
        )
        for size, hand, spans in (
            ("S", "small", _spans((-7, -6, -4, -2, 1, 1, 2, 1, 1, 1), (10, 12, 13, 14, 6, 8, 10, 4, 8, 6))),
            ("M", "medium", _spans((-8, -7, -5, -2, 1, 1, 2, 1, 1, 1), (10, 14, 15, 16, 7, 8, 12, 4, 8, 6))),
            ("L", "large", _spans((-10, -8, -6, -2, 1, 1, 2, 1, 1, 1), (11, 15, 16, 18, 7, 8, 12, 4, 8, 6))),
        )
    ),
    Profile(
        "jacobs2001",
        "J. P. Jacobs, Refinements to the ergonomic model for keyboard fingering of Parncutt et al., Music "
        "Perception 18(4), 2001: Parncutt's limits on the physical distance of keys, whose places are those "
        "of pydactyl's PhysicalRuler (MIT)",
        _PARNCUTT,
        "physical",
    ),
    Profile("badgerow", f"Badgerow, right hand: {_TRANSCRIBED}; they are Parncutt's", _PARNCUTT),
)

PROFILES: Mapping[str, Profile] = MappingProxyType({profile.name: profile for profile in _BUILT_IN})
"""The profiles that come with Kammerton, by name."""


def profile_named(profile: str | Profile) -> Profile:
    """Return the profile of this name, or the profile itself."""
    if isinstance(profile, Profile):
        return profile
    if profile not in PROFILES:
        raise OptionError.unknown("profile", profile, PROFILES)
    return PROFILES[profile]


_KEYS = ("name", "source", "distance", "spans")


def load_profile(path: str | os.PathLike[str], /) -> Profile:
    """Read a profile from a TOML or JSON file.

    Examples
    --------
    The beginning of a file::

        source = "measured on my own hand"
        distance = "semitones"

        [spans]
        1-2 = [-5, 9]
        1-3 = [-4, 11]
    """
    file = str(path)
    places = JsonPlaces(read_text(path, name=file), file)
    problems = Problems(file)
    document = _parse(places, problems, Path(path).suffix.lower() == ".json")
    profile = None
    if not problems.has_errors:
        profile = _ProfileReader(places, problems).profile(document, Path(path).stem)
    if profile is None:
        raise DataError(problems.diagnostics())
    return profile


def _parse(places: JsonPlaces, problems: Problems, is_json: bool) -> object:
    if is_json:
        document = decode(places, problems, Limits())
        return None if document is None else document.value
    try:
        return tomllib.loads(places.text)
    except (ValueError, RecursionError) as error:
        match = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        place = None
        if match is not None:
            lines = places.text.split("\n", int(match[1]) - 1)
            begin = len(places.text) - len(lines[-1]) + int(match[2]) - 1
            place = places.at((begin, begin + 1))
        problems.report("KT375", f"not valid TOML: {str(error).split(' (at ')[0]}", place)
        return None


class _ProfileReader:
    """Turns a parsed file into a profile, and collects what is wrong with it."""

    def __init__(self, places: JsonPlaces, problems: Problems) -> None:
        self._places = places
        self._problems = problems

    def profile(self, document: object, stem: str) -> Profile | None:
        """Return the profile, or None if anything is wrong with it."""
        if not isinstance(document, dict):
            self._report("KT377", "a profile is an object with `source` and `spans`")
            return None
        self._check_keys(document, _KEYS, "a profile")
        name = self._text(document, "name", stem)
        if name in PROFILES:
            self._report("KT377", f"{quote(name)} is a profile that comes with Kammerton", "name")
        source = self._text(document, "source", None)
        distance = self._text(document, "distance", "semitones")
        if distance not in DISTANCES:
            near = close_match(distance, DISTANCES)
            hint = None if near is None else f"did you mean {quote(near)}?"
            message = f"{quote(distance)} is not a distance: {', '.join(DISTANCES)}"
            self._report("KT377", message, "distance", hint)
        spans = self._spans(document.get("spans"))
        if self._problems.has_errors:
            return None
        return Profile(name, source, tuple(spans), DISTANCES[DISTANCES.index(distance)])

    def _text(self, document: Mapping[str, object], key: str, default: str | None) -> str:
        value = document.get(key, default)
        if isinstance(value, str) and value:
            return value
        self._report("KT377", f"`{key}` {'is missing' if value is None else 'must be text'}", key)
        return default or ""

    def _spans(self, table: object) -> list[tuple[int, int]]:
        if not isinstance(table, dict):
            self._report("KT377", "`spans` must be a table of pairs of fingers", "spans")
            return []
        self._check_keys(table, _PAIR_NAMES, "the spans")
        missing = [name for name in _PAIR_NAMES if name not in table]
        if missing:
            self._report("KT377", f"no span for {', '.join(missing)}", "spans")
        return [self._span(name, table[name]) for name in _PAIR_NAMES if name in table]

    def _span(self, name: str, value: object) -> tuple[int, int]:
        numbers = [_whole(number) for number in value] if isinstance(value, list) else []
        least, most = numbers if len(numbers) == 2 else (None, None)
        if least is None or most is None:
            self._report("KT377", f"span of {name} must be two whole numbers", name, "as in [-5, 10]")
            return 0, 1
        problem = _span_problem(least, most)
        if problem is not None:
            self._report("KT377", f"span of {name}: {problem}", name)
        return least, most

    def _check_keys(self, table: Mapping[str, object], known: Sequence[str], whose: str) -> None:
        for key in table:
            if key not in known:
                near = key[::-1] if key[::-1] in known else close_match(key, known)
                hint = f"known: {', '.join(known)}"
                hint = hint if near is None else f"did you mean {quote(near)}? {hint}"
                self._report("KT376", f"not a key of {whose}: {quote(key)}", key, hint)

    def _report(self, code: str, message: str, key: str | None = None, hint: str | None = None) -> None:
        pattern = rf"(?<![\w-])([\"']?{re.escape(key or '')}[\"']?)[ \t]*+[=:\]]"
        match = re.search(pattern, self._places.text) if key else None
        place = None if match is None else self._places.at(match.span(1))
        self._problems.report(code, message, place, hint=hint)


def _whole(value: object) -> int | None:
    """Return a whole number that is not too large to be looked at."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not math.isfinite(value):
        return None
    return int(value) if -1e6 < value < 1e6 and value == int(value) else None


# --- judging --------------------------------------------------------------------------------------------

RULES = ("same_finger", "order", "large_span", "small_span")
"""Rules that a step or a chord may break, the first that applies first; 0 is none, 1 to 4 are these."""

SAME_FINGER, ORDER, LARGE_SPAN, SMALL_SPAN = range(1, 5)

SkillLevel = Literal["beginner", "intermediate", "advanced"]
SKILL_LEVELS: tuple[SkillLevel, ...] = get_args(SkillLevel)

_TENTHS: Mapping[SkillLevel, int] = {"beginner": 8, "intermediate": 10, "advanced": 12}

SLIDE = 2
"""Semitones that one finger may move from key to key."""


CHORD_S = 0.03
"""Seconds after the first note of a chord within which its others begin."""

LEGATO_S = 0.05
"""Longest silence between two notes that a hand plays as one motion."""

EXACT_S = 1e-9
"""Rounding that times go through on their way."""

_PLACES = 128
"""More than the pairs of one chord: what it holds by one finger, by two nearest, and by two farthest."""

JUDGED = ("judged", *RULES)
"""Columns of a judgement: what was judged, and how much of it broke each rule."""

_NO_RANK = (len(JUDGED) + 1) * _PLACES
"""More than the rank of any pair of a chord."""


@dataclass(frozen=True, slots=True, eq=False)
class SpanLimits:
    """What a hand can do."""

    profile: Profile  # where the spans come from; measures distances
    # least, most: least and largest span by finger and finger
    least: Codes
    most: Codes
    slide: int = SLIDE  # semitones that one finger may move from key to key


def limits_of(
    profile: str | Profile, skill_level: SkillLevel = "intermediate", *, strict: bool = False
) -> SpanLimits:
    """Return the limits of a profile."""
    profile = profile_named(profile)
    if skill_level not in SKILL_LEVELS:
        raise OptionError.unknown("skill level", skill_level, SKILL_LEVELS)
    least, most = profile.limits()
    return SpanLimits(profile, least, most * _TENTHS[skill_level] // 10, 0 if strict else SLIDE)


def consecutive_notes(fingers: Codes, hands: Codes, offsets: Codes) -> Codes:
    """Pair each note with the next one of its hand, in the order given."""
    pieces, fingered = sequence_of_rows(offsets), fingers != 0
    anywhere = ~fingered & (hands == UNKNOWN)
    before = np.full(len(fingers), -1)
    for hand in (RIGHT, LEFT, UNKNOWN):
        notes = np.flatnonzero((hands == hand) | anywhere)
        begin, end = notes[:-1], notes[1:]
        judged = np.flatnonzero((pieces[begin] == pieces[end]) & fingered[begin] & fingered[end])
        before[end[judged]] = begin[judged]
    ends = np.flatnonzero(before >= 0)
    return np.stack((before[ends], ends))


def judge_steps(limits: SpanLimits, fingers: Codes, pitches: Codes, hands: Codes) -> tuple[Codes, Codes]:
    """Tell which rule each step from key to key breaks."""
    (begin, end), (first, second) = pitches, fingers
    way = limits.profile.measure(begin, end)
    spans = np.where((first > second) != (hands == LEFT), -way, way)
    known = hands != UNKNOWN
    if not known.all():
        spans = np.where(known, spans, np.abs(way))
    same = first == second
    apart = (begin != end) & ~same
    pairs = len(limits.most) * first + second
    too_large = apart & (spans > limits.most.ravel()[pairs])
    too_small = apart & known & (spans < limits.least.ravel()[pairs])
    rules = np.where(too_small, np.where(spans < 0, ORDER, SMALL_SPAN), too_large * LARGE_SPAN)
    rules[same & (np.abs(end - begin) > limits.slide)] = SAME_FINGER
    return rules, spans


@dataclass(frozen=True, slots=True, eq=False)
class KeyPresses:
    """Notes of pieces, one piece after the other."""

    fingers: Codes  # struck fingers 1 to 5, 0 where missing, or where the pitch is not known
    releases: Codes  # fingers on the keys when these are let go, 0 where missing or of the other hand
    hands: Codes  # 0 right, 1 left, -1 unknown
    pitches: Codes  # MIDI numbers; -1 unknown
    # onsets, ends: seconds, NaN where not known. After an end that is NaN nothing is legato.
    onsets: Seconds
    ends: Seconds
    offsets: Codes  # note at which each piece begins

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self.offsets) - 1


def key_presses(fingerings: Iterable[Fingering]) -> KeyPresses:
    """Put fingerings one after the other.

    The hand is that of the struck finger; where that tells none, what the source says. A note whose pitch is
    not known is as one without finger: no step from it or to it is judged.
    """
    pieces = list(fingerings)
    codes = np.concatenate([np.empty(0, dtype=np.int64), *(p.codes for p in pieces)])
    table = label_table()  # a label is known once its code was asked for
    pitches = np.concatenate([np.empty(0, dtype=np.int64), *(p.pitches for p in pieces)])
    known = pitches >= 0
    return KeyPresses(
        fingers=np.abs(table.strikes)[codes] * known,
        releases=np.abs(table.releases)[codes] * known,
        hands=np.concatenate([np.empty(0, dtype=np.int64), *(p.played_hands for p in pieces)]),
        pitches=pitches,
        onsets=_times(pieces, "onsets"),
        ends=_times(pieces, "durations"),
        offsets=np.concatenate(([0], np.cumsum([len(p) for p in pieces], dtype=np.int64))),
    )


def _times(pieces: Sequence[Fingering], what: Literal["onsets", "durations"]) -> NDArray[np.float64]:
    """Return onsets, or when notes end: NaN where a piece has placeholders only."""
    times = [p.onsets if what == "onsets" else p.offsets for p in pieces]
    known = [np.full(len(p), np.nan) if what in p.lacking else t for p, t in zip(pieces, times, strict=True)]
    return np.concatenate([np.empty(0), *known])


@dataclass(frozen=True, slots=True)
class ViolationRate:
    """What breaks a rule, over what was judged."""

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns: what was judged, and how much broke each rule first."""
        return JUDGED

    def finalise(self, statistics: Statistics, /) -> Statistics:
        """Divide violations by what was judged."""
        return ratio(statistics[:, 1:].sum(axis=1), statistics[:, 0])

    def weight(self, statistics: Statistics, /) -> Statistics:
        """Return how much was judged."""
        return np.asarray(statistics[:, 0])

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Break a rule with everything that is judged; the rules do not matter."""
        worst = np.zeros_like(statistics)
        worst[:, :2] = statistics[:, :1]
        return worst


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What was judged, and what is wrong with it."""

    pieces: int  # number of pieces
    piece: Codes  # piece of each step or chord
    notes: Codes  # from and to; of a chord, the two notes that are wrong, or any two
    # fingers of these notes; of a step, the one that lets the first key go, and that which strikes
    fingers: Codes
    rules: Codes  # 0, or 1 to 4 for the first of :data:`RULES` that is broken

    @property
    def statistics(self) -> Statistics:
        """Counts of each piece, shape (pieces, 5): :data:`JUDGED`."""
        cells = self.piece * len(JUDGED) + self.rules
        counts = np.bincount(cells, minlength=self.pieces * len(JUDGED)).reshape(self.pieces, len(JUDGED))
        counts[:, 0] = counts.sum(axis=1)  # the column of rule 0 held what is right
        return counts.astype(float)

    @property
    def places(self) -> Codes:
        """The pairs of notes that break a rule, shape (2, violations)."""
        return np.asarray(self.notes[:, self.rules > 0])


@dataclass(frozen=True, slots=True, eq=False)
class _Lanes:
    """Notes hand by hand: all of one hand of one piece in order of time, then the next lane."""

    notes: Codes  # note numbers
    joined: Flags  # whether a note and the next one are of one lane
    heads: Flags  # whether a note begins a group
    single: Flags  # whether it is a group of its own


class Playability:
    """Judges pieces under any number of profiles."""

    def __init__(self, presses: KeyPresses, *, one_hand: bool = False) -> None:
        self._presses = presses
        self._hands = (RIGHT, LEFT, UNKNOWN) if one_hand else (RIGHT, LEFT)
        self._pieces = sequence_of_rows(presses.offsets)

    def in_order(self, limits: SpanLimits) -> Judgement:
        """Judge consecutive notes of a hand in the order given, whatever their onsets."""
        steps = self._in_order
        return self._judged(steps, self._presses.fingers[steps], limits)

    def melodic(self, limits: SpanLimits) -> Judgement:
        """Judge steps from one note to one note, legato, where both are fingered.

        Where fingers change on the first key, the last one is what the hand goes on from.
        """
        return self._judged(*self._melodic, limits)

    def chords(self, limits: SpanLimits) -> Judgement:
        """Judge chords of which at least two notes are fingered.

        Any two fingers must lie in the order of their keys and within their span, their farthest keys
        as well as their nearest; one finger may hold keys no more than 2 semitones apart. Two fingers
        on one key are not judged.
        """
        pairs, chords, places = self._chords
        fingers = self._presses.fingers[pairs]
        rules, spans = self._rules(pairs, fingers, limits)
        rules[(fingers[0] != fingers[1]) & (spans < 0)] = ORDER
        ranks = np.where(rules == 0, len(JUDGED), rules) * _PLACES + places
        worst = np.full(chords.max(initial=-1) + 1, _NO_RANK)
        np.minimum.at(worst, chords, ranks)
        first_broken = np.flatnonzero(ranks == worst[chords])
        of_chord = np.empty_like(worst)
        of_chord[chords[first_broken]] = first_broken
        chosen = of_chord[worst < _NO_RANK]
        return self._judgement(pairs[:, chosen], fingers[:, chosen], rules[chosen])

    @property
    def judged(self) -> Flags:
        """Whether each note is of a step or a chord that is judged, shape (notes,)."""
        judged = np.zeros(len(self._presses.pitches), dtype=bool)
        judged[self._melodic[0]] = True
        judged[self._held[0]] = True
        return judged

    def _judged(self, steps: Codes, fingers: Codes, limits: SpanLimits) -> Judgement:
        rules, _ = self._rules(steps, fingers, limits)
        return self._judgement(steps, fingers, rules)

    def _judgement(self, notes: Codes, fingers: Codes, rules: Codes) -> Judgement:
        return Judgement(len(self._presses), self._pieces[notes[1]], notes, fingers, rules)

    def _rules(self, pairs: Codes, fingers: Codes, limits: SpanLimits) -> tuple[Codes, Codes]:
        presses = self._presses
        return judge_steps(limits, fingers, presses.pitches[pairs], presses.hands[pairs[1]])

    @cached_property
    def _in_order(self) -> Codes:
        presses = self._presses
        return consecutive_notes(presses.fingers, presses.hands, presses.offsets)

    @cached_property
    def _lanes(self) -> _Lanes:
        presses = self._presses
        timed = ~np.isnan(presses.onsets)
        of_hands = [np.flatnonzero(timed & (presses.hands == hand)) for hand in self._hands]
        notes = np.concatenate(of_hands)
        behind = np.repeat(np.arange(len(of_hands)) * len(presses), list(map(len, of_hands)))
        lanes = self._pieces[notes] + behind
        onsets = presses.onsets[notes]
        grace = presses.ends[notes] <= onsets  # an end that is NaN lasts
        joined = lanes[1:] == lanes[:-1]
        if grace.any() or (joined & (onsets[1:] < onsets[:-1])).any():
            order = np.lexsort((~grace, onsets, lanes))
            notes, onsets, grace = notes[order], onsets[order], grace[order]
        heads = _heads(joined, onsets, grace)
        return _Lanes(notes, joined, heads, heads & np.append(heads[1:], True)[: len(heads)])

    @cached_property
    def _melodic(self) -> tuple[Codes, Codes]:
        """Pairs of notes, and the fingers between which the hand moves."""
        presses, lanes = self._presses, self._lanes
        steps = np.flatnonzero(lanes.joined & lanes.single[1:] & lanes.single[:-1])
        begin, end = lanes.notes[steps], lanes.notes[steps + 1]
        released, struck = presses.releases[begin], presses.fingers[end]
        silence = presses.onsets[end] - presses.ends[begin]
        judged = np.flatnonzero((silence <= LEGATO_S + EXACT_S) & (released > 0) & (struck > 0))
        return np.stack((begin, end))[:, judged], np.stack((released, struck))[:, judged]

    @cached_property
    def _held(self) -> tuple[Codes, Codes, Codes]:
        """Fingered notes of chords of which at least two notes are fingered, their chords and fingers."""
        lanes = self._lanes
        together = np.flatnonzero(~lanes.single)
        notes, chords = lanes.notes[together], np.cumsum(lanes.heads[together]) - 1
        fingers = self._presses.fingers[notes]
        fingered = np.bincount(chords, weights=fingers > 0)
        held = np.flatnonzero((fingers > 0) & (fingered > 1)[chords])
        return notes[held], chords[held], fingers[held]

    @cached_property
    def _chords(self) -> tuple[Codes, Codes, Codes]:
        """Pairs of notes that tell whether a chord can be held, their chords, and the place of each there.

        For two fingers their nearest and their farthest keys, for one finger its outermost.
        """
        presses = self._presses
        notes, chords, fingers = self._held
        keys = np.where(presses.hands[notes] == LEFT, -presses.pitches[notes], presses.pitches[notes])
        order = np.argsort((6 * chords + fingers) * 512 + keys, kind="stable")  # keys are -127 to 127
        return _telling_pairs(notes[order], fingers[order], chords[order])


def _heads(joined: Flags, onsets: Seconds, grace: Flags) -> Flags:
    """Tell which notes begin a group, of notes sorted by lane and onset."""
    limit = CHORD_S + EXACT_S
    heads = np.ones(len(onsets), dtype=bool)
    heads[1:] = ~joined | grace[1:] | grace[:-1] | (np.diff(onsets) > limit)
    begins = np.flatnonzero(heads)
    ends = np.append(begins, len(heads))[1:]
    for run in np.flatnonzero(onsets[ends - 1] - onsets[begins] > limit):  # rolled on and on: rare
        begin = int(begins[run])
        times = onsets[begin : ends[run]].tolist()
        anchor = times[0]
        for note, time in enumerate(times, begin):
            if time - anchor > limit:
                heads[note] = True
                anchor = time
    return heads


def _telling_pairs(notes: Codes, fingers: Codes, chords: Codes) -> tuple[Codes, Codes, Codes]:
    """Return pairs of notes, their chords, and their places within these.

    Notes are sorted by chord, finger and key. Of a chord, pairs of one finger have the first places, then the
    nearest keys of two fingers, then their farthest where these are others.
    """
    starts = np.flatnonzero(np.diff(6 * chords + fingers, prepend=-1))
    lowest, highest = notes[starts], notes[np.append(starts, len(notes))[1:] - 1]
    chords, fingers = chords[starts], fingers[starts]
    several = lowest != highest
    both = np.flatnonzero(several)
    pairs = [(lowest[both], highest[both], chords[both], fingers[both])]
    for apart in range(1, 5):
        one = np.flatnonzero(chords[apart:] == chords[:-apart])
        other = one + apart
        place = 6 * fingers[one] + fingers[other]
        pairs.append((highest[one], lowest[other], chords[one], place + 6))
        farther = np.flatnonzero(several[one] | several[other])
        one, other, place = one[farther], other[farther], place[farther]
        pairs.append((lowest[one], highest[other], chords[one], place + _PLACES // 2))
    begin, end, chord, place = (np.concatenate(column) for column in zip(*pairs, strict=True))
    return np.stack((begin, end)), chord, place
