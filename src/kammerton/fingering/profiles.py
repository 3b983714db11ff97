# SPDX-License-Identifier: MIT
"""How far two fingers of a hand reach: span tables, each with its source.

A span is the distance from the key of the lower finger to the key of the higher one, seen by the right
hand; the left hand is mirrored. It is negative where the thumb has passed under, or a finger over it.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes
from kammerton.errors import DataError, Diagnostic, OptionError, close_match, quote
from kammerton.formats.json_places import JsonPlaces, decode
from kammerton.formats.reading import Limits, Problems
from kammerton.formats.source import read_text

Distance = Literal["semitones", "fourteenths", "physical"]
DISTANCES: tuple[Distance, ...] = get_args(Distance)
"""Units of spans: *semitones*; *fourteenths*: of an octave, with imaginary black keys between E and F
and between B and C; *physical*: between the middles of the keys, in mean semitones."""

PAIRS = tuple((low, high) for low in range(1, 5) for high in range(low + 1, 6))
"""Pairs of fingers, in the order of a profile's spans."""

WIDEST = 60
"""Largest span that a profile may state."""

_IN_OCTAVE: Mapping[Distance, tuple[float, ...]] = MappingProxyType(
    {
        "semitones": (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
        "fourteenths": (0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 14),
        "physical": (0, 9.5, 23.5, 37.5, 47, 70.5, 78.5, 94, 105.5, 117, 132.5, 140.5, 164),
    }
)
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
        for pair, span in zip(PAIRS, self.spans, strict=True):
            problem = _span_problem(*span)
            if problem is not None:
                raise OptionError(f"span of {_pair_name(pair)} in profile {quote(self.name)}: {problem}")

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


def _pair_name(pair: tuple[int, int]) -> str:
    return f"{pair[0]}-{pair[1]}"


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
    Profile(
        "badgerow",
        f"Badgerow, right hand: {_TRANSCRIBED}; they are Parncutt's",
        _spans((-5, -4, -3, -1, 1, 1, 2, 1, 1, 1), (10, 12, 14, 15, 5, 7, 10, 4, 7, 5)),
    ),
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
    if document is not None:
        profile = _Reader(places, problems).profile(document, Path(path).stem)
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
        found = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        message = f"not valid TOML: {str(error).split(' (at ')[0]}"
        problem = Diagnostic(code="KT375", severity="error", message=message, file=places.file)
        if found is not None:
            lines = places.text.split("\n", int(found[1]) - 1)
            begin = len(places.text) - len(lines[-1]) + int(found[2]) - 1
            problem = places.at((begin, begin + 1)).diagnose(problem)
        problems.add(problem)
        return None


class _Reader:
    """Turns a parsed file into a profile, and collects what is wrong with it."""

    def __init__(self, places: JsonPlaces, problems: Problems) -> None:
        self._places = places
        self._problems = problems

    def profile(self, document: object, stem: str) -> Profile | None:
        if not isinstance(document, dict):
            self._say("KT377", "a profile is an object with `source` and `spans`")
            return None
        self._check_keys(document, _KEYS, "a profile")
        name = self._text(document, "name", stem)
        if name in PROFILES:
            self._say("KT377", f"{quote(name)} is a profile that comes with Kammerton", "name")
        source = self._text(document, "source", None)
        distance = self._text(document, "distance", "semitones")
        if distance not in DISTANCES:
            near = close_match(distance, DISTANCES)
            hint = None if near is None else f"did you mean {quote(near)}?"
            known = ", ".join(DISTANCES)
            self._say("KT377", f"{quote(distance)} is not a distance: {known}", "distance", hint)
        spans = self._spans(document.get("spans"))
        if self._problems.has_errors:
            return None
        return Profile(name, source, tuple(spans), DISTANCES[DISTANCES.index(distance)])

    def _text(self, document: Mapping[str, object], key: str, default: str | None) -> str:
        value = document.get(key, default)
        if isinstance(value, str) and value:
            return value
        wrong = "is missing" if value is None else "must be text"
        self._say("KT377", f"`{key}` {wrong}", key)
        return default or ""

    def _spans(self, table: object) -> list[tuple[int, int]]:
        if not isinstance(table, dict):
            self._say("KT377", "`spans` must be a table of pairs of fingers", "spans")
            return []
        names = [_pair_name(pair) for pair in PAIRS]
        self._check_keys(table, names, "the spans")
        missing = [name for name in names if name not in table]
        if missing:
            self._say("KT377", f"no span for {', '.join(missing)}", "spans")
        return [self._span(name, table[name]) for name in names if name in table]

    def _span(self, name: str, value: object) -> tuple[int, int]:
        numbers = [_whole(number) for number in value] if isinstance(value, list) else []
        least, most = numbers if len(numbers) == 2 else (None, None)
        if least is None or most is None:
            self._say("KT377", f"span of {name} must be two whole numbers", name, "as in [-5, 10]")
            return 0, 1
        problem = _span_problem(least, most)
        if problem is not None:
            self._say("KT377", f"span of {name}: {problem}", name)
        return least, most

    def _check_keys(self, table: Mapping[str, object], known: Iterable[str], whose: str) -> None:
        for key in [key for key in table if key not in known]:
            near = key[::-1] if key[::-1] in known else close_match(key, known)
            hint = f"known: {', '.join(known)}"
            hint = hint if near is None else f"did you mean {quote(near)}? {hint}"
            self._say("KT376", f"not a key of {whose}: {quote(key)}", key, hint)

    def _say(self, code: str, message: str, key: str | None = None, hint: str | None = None) -> None:
        problem = Diagnostic(code=code, severity="error", message=message, file=self._places.file, hint=hint)
        pattern = rf"(?<![\w-])([\"']?{re.escape(key or '')}[\"']?)[ \t]*+[=:\]]"
        found = re.search(pattern, self._places.text) if key else None
        self._problems.add(problem if found is None else self._places.at(found.span(1)).diagnose(problem))


def _whole(value: object) -> int | None:
    """Return a whole number that is not too large to be looked at."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    if not isinstance(value, int) and not math.isfinite(value):
        return None
    return int(value) if -(10**6) < value < 10**6 and value == int(value) else None
