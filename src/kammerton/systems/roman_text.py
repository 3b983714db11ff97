# SPDX-License-Identifier: MIT
"""Roman numerals in files of RomanText: chords by measure and beat, in Harte syntax.

The format is that of D. Tymoczko et al., "The RomanText format", ISMIR 2019. A line is a measure:
``m4 I6/4 b2 V b2.5 V7 b3 A: I ||``. Of a measure with alternatives (``m4var1``) the first reading counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kammerton.chords.labels import Chord
from kammerton.chords.respelling import PITCH_CLASSES, SHORTHAND_DEGREES, Degree
from kammerton.errors import Diagnostic, quote
from kammerton.systems.scenes import root_name

_MEASURE = re.compile(r"m(\d+)(?:-(\d+))?(\s*var\s*\d*|[a-z]\b)?(.*)", re.IGNORECASE)
_COPY = re.compile(r"\s*=\s*m(\d+)(?:-(\d+))?\s*")
_TOKEN = re.compile(r"\S+")
_BEAT = re.compile(r"b(\d*\.?\d+)")
_KEY = re.compile(r"([A-Ga-g])([b#]*):")
_METER = re.compile(r"time signature:\s*(\d+)/(\d+)", re.IGNORECASE)
_UNREAD = re.compile(r"[|:]+|[()]+|\?.*")
"""Bars, and keys that a passage could be in too, ``?(d:`` to ``?)d``."""
_FIGURE = re.compile(
    r"(?P<signs>[b#]*)(?P<numeral>VII|VI|V|IV|III|II|I|vii|vi|v|iv|iii|ii|i|N|It|Ger|Fr|Cad)"
    r"(?P<quality>/?o|ø|°|\+)?(?P<inversion>9|7|6/?5|6/?4|4/?3|4/?2|5/?3|6|2)?(?P<late>\+)?"
    r"(?P<changes>(?:\[[^\]]*\])*)(?:/(?P<of>.+))?"
)
_CHANGE = re.compile(r"(no|add)?([b#]*)(\d+)")
_NUMERALS = ("I", "II", "III", "IV", "V", "VI", "VII")
_SCALES = {"major": (0, 2, 4, -1, 1, 3, 5), "minor": (0, 2, -3, -1, 1, -4, -2)}
"""Degrees of a key in fifths above its tonic."""
_FIFTHS = {letter: place for place, letter in enumerate("FCGDAEB", start=-1)}
_TRIADS = {"": ("maj", "min"), "+": ("aug", "aug"), "o": ("dim", "dim"), "/o": ("dim", "dim")}
_SEVENTHS = {9: Degree(7, -2), 10: Degree(7, -1), 11: Degree(7)}
"""Sevenths by their semitones."""
_SHORTHANDS = {tones: quality for quality, tones in SHORTHAND_DEGREES.items()}
_BASSES = {"6": 1, "65": 1, "64": 2, "43": 2, "42": 3, "2": 3}
"""Which tone of the chord is the bass, counted from its root."""
_AUGMENTED_SIXTHS = {"It": "1 3 #6", "Fr": "1 3 #4 #6", "Ger": "1 3 5 #6"}
UNKNOWN = "X"


class Key(NamedTuple):
    """A key: its tonic on the line of fifths, on which C is 0, and its mode."""

    tonic: int
    mode: str


_C_MAJOR = Key(0, "major")


@dataclass
class _Analysis:
    """Chords of measures, while they are read."""

    name: str | None
    key: Key = _C_MAJOR
    beat: float = 1.0  # quarter notes of a beat
    quarters: float = 4.0  # of a measure
    # by number: quarter notes, key at the end, chords by quarter notes from the begin
    measures: dict[int, tuple[float, Key, list[tuple[float, str]]]] = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)


def roman_chords(
    text: str, measures: Sequence[tuple[str, float]], name: str | None = None
) -> tuple[tuple[tuple[float, str], ...], tuple[Diagnostic, ...]]:
    """Return the chords of an analysis by beats of its score, given the number and begin of each measure.

    >>> roman_chords("m0 b4 D: V7", [("0", 0.0), ("1", 1.0)])[0]
    ((0.0, 'A:7'),)
    >>> roman_chords("m1 D: I b3 V6/5/V", [("1", 0.0)])[0]
    ((0.0, 'D:maj'), (2.0, 'E:7/3'))
    """
    analysis = _Analysis(name)
    for number, line in enumerate(text.splitlines(), 1):
        _read_line(line, number, analysis)
    begins: dict[str, float] = {}
    lengths: dict[str, float] = {}
    ends = [begin for _, begin in measures[1:]]
    for (own, begin), end in zip(measures, [*ends, float("inf")], strict=True):
        begins.setdefault(own, begin)
        lengths.setdefault(own, end - begin)
    chords: dict[float, str] = {}
    lost = []
    for number, (quarters, _, within) in sorted(analysis.measures.items()):
        own = str(number)
        if own not in begins:
            lost.append(number)
            continue
        is_upbeat = begins[own] == 0 and lengths[own] < quarters
        early = quarters - lengths[own] if is_upbeat else 0
        chords |= {begins[own] + max(beat - early, 0): label for beat, label in within}
    if lost:
        message = f"measures that the score does not have: {', '.join(map(str, lost[:5]))}"
        analysis.problems.append(Diagnostic("KT840", "warning", message, file=name, count=len(lost)))
    return tuple(sorted(chords.items())), tuple(analysis.problems)


def _read_line(line: str, number: int, analysis: _Analysis) -> None:
    """Read a line: a measure, a copy of measures, a meter; others say nothing of chords."""
    meter = _METER.match(line.strip())
    if meter is not None:
        beats, unit = int(meter[1]), max(int(meter[2]), 1)
        analysis.quarters = 4 * beats / unit
        analysis.beat = 4 / unit * (3 if beats % 3 == 0 and beats > 3 else 1)
        return
    measure = _MEASURE.match(line)
    if measure is None or measure[3]:
        return
    first = int(measure[1])
    copy = _COPY.fullmatch(measure[4])
    if copy is not None:
        for step in range(int(measure[2] or first) - first + 1):
            if int(copy[1]) + step in analysis.measures:
                analysis.measures[first + step] = analysis.measures[int(copy[1]) + step]
                analysis.key = analysis.measures[first + step][1]
        return
    body = re.sub(r"/\s+(?=[b#]*[ivIV])", "/", measure[4])
    body = re.sub(r"\b([A-Ga-g][b#]*:)(?=[b#]*[ivIV])", r"\1 ", body)
    chords = list(_chords(body, number, line, analysis))
    analysis.measures[first] = (analysis.quarters, analysis.key, chords)


def _chords(body: str, number: int, line: str, analysis: _Analysis) -> Iterator[tuple[float, str]]:
    """Give the chords of a measure, by quarter notes from its begin."""
    at = 0.0
    for match in _TOKEN.finditer(body):
        token = match[0]
        if _UNREAD.fullmatch(token):
            continue
        beat, key = _BEAT.fullmatch(token), _KEY.fullmatch(token)
        if beat is not None:
            at = (_whole_thirds(float(beat[1])) - 1) * analysis.beat
        elif key is not None:
            analysis.key = key_of(key[1] + key[2])
        else:
            label = label_of_figure(token, analysis.key)
            if label is None:
                column = line.find(token) + 1
                message = f"not a Roman numeral that can be read: {quote(token)}, taken as `X`"
                problem = Diagnostic("KT840", "warning", message, file=analysis.name, line=number)
                analysis.problems.append(problem.at(column=column, length=len(token), excerpt=line))
            yield max(at, 0.0), label or UNKNOWN


def _whole_thirds(beat: float) -> float:
    """Return a beat; .33 and .67 are thirds."""
    thirds = round(3 * beat) / 3
    return thirds if abs(thirds - beat) < 0.01 else beat


def key_of(name: str) -> Key:
    """Return a key; minor ones have small letters.

    >>> key_of("Bb"), key_of("f#")
    (Key(tonic=-2, mode='major'), Key(tonic=6, mode='minor'))
    """
    tonic = _FIFTHS[name[0].upper()] + 7 * (name.count("#") - name[1:].count("b"))
    return Key(tonic, "major" if name[0].isupper() else "minor")


def label_of_figure(figure: str, key: Key) -> str | None:
    """Return a Roman numeral in Harte syntax; None if it cannot be read.

    >>> label_of_figure("viio6/5/V", key_of("C")), label_of_figure("bVII", key_of("C"))
    ('F#:dim7/b3', 'Bb:maj')
    """
    parts = []
    rest: str | None = figure.removesuffix("/")
    while rest is not None:
        match = _FIGURE.fullmatch(rest)
        if match is None:
            return None
        parts.append(match)
        rest = match["of"]
    first, *keys = parts
    for within in reversed(keys):
        if within["numeral"].upper() not in _NUMERALS:
            return None
        mode = "major" if within["numeral"].isupper() else "minor"
        key = Key(_root(within["signs"], within["numeral"], key), mode)
    return _label(first.groupdict(), key)


def _root(signs: str, numeral: str, key: Key) -> int:
    """Return the root of a numeral on the line of fifths."""
    degree = _NUMERALS.index(numeral.upper())
    fifths = _SCALES[key.mode][degree]
    if key.mode == "minor" and degree > 4 and numeral.islower() and not signs:
        fifths += 7  # vi and vii are on the raised degrees, VI and VII on the natural ones
    return key.tonic + fifths + 7 * (signs.count("#") - signs.count("b"))


def _label(parts: Mapping[str, str | None], key: Key) -> str | None:
    """Return the chord of a figure in a key."""
    numeral, inversion = parts["numeral"] or "", (parts["inversion"] or "").replace("/", "")
    if numeral in _AUGMENTED_SIXTHS:
        tones = (Degree(*_spelled(tone)) for tone in _AUGMENTED_SIXTHS[numeral].split())
        flat_sixth = root_name(key.tonic - 4)
        return str(Chord("chord", flat_sixth, None, tuple(tones))) if flat_sixth in PITCH_CLASSES else None
    signs, quality = parts["signs"] or "", (parts["quality"] or parts["late"] or "").replace("ø", "/o")
    if numeral == "N":
        signs, numeral, quality = "b", "II", ""
    if numeral == "Cad":
        numeral = "I" if key.mode == "major" else "i"
    root = _root(signs, numeral, key)
    if root_name(root) not in PITCH_CLASSES:
        return None
    quality = quality.replace("°", "o")
    name = _TRIADS[quality][numeral.islower()]
    degrees = list(SHORTHAND_DEGREES[name])
    if inversion in ("7", "65", "43", "42", "2", "9"):
        above = {"o": 9, "/o": 10}.get(quality) or _above(6, root, numeral, key)
        if above not in _SEVENTHS:
            return None
        degrees.append(_SEVENTHS[above])
        if inversion == "9":
            degrees.append(Degree(9, _above(1, root, numeral, key) - 2))
    return _changed(root_name(root), degrees, _BASSES.get(inversion, 0), parts["changes"] or "")


def _above(steps: int, root: int, numeral: str, key: Key) -> int:
    """Return the semitones from a root up to the tone that is so many steps of the key above it."""
    degree = _NUMERALS.index(numeral.upper()) + steps
    mode = "minor" if numeral in ("i", "iv") else key.mode  # in major they are those of minor
    return 7 * (key.tonic + _SCALES[mode][degree % 7] - root) % 12


def _spelled(tone: str) -> tuple[int, int]:
    """Return number and accidental of a degree as it is written."""
    number = tone.lstrip("b#")
    return int(number), tone.count("#") - tone.count("b")


def _changed(root: str, tones: Sequence[Degree], bass: int, changes: str) -> str | None:
    """Return a label of tones, some left out, added or altered, as ``[no3]`` and ``[add4]`` say."""
    degrees = {tone.number: tone for tone in tones}
    known = next(count for count in (len(tones), 4, 3) if tuple(tones[:count]) in _SHORTHANDS)
    quality, listed = _SHORTHANDS[tuple(tones[:known])], list(tones[known:])
    found = _CHANGE.findall(changes)
    for kind, signs, number in found:
        own = degrees.get(int(number))
        if own is not None and kind != "add":
            listed.append(Degree(own.number, own.accidental, omitted=True))
        if kind != "no" and 1 <= int(number) <= 13 and len(signs) <= 2:
            listed.append(Degree(*_spelled(signs + number)))
    if changes and not found:
        return None
    return str(Chord("chord", root, quality, tuple(listed), tones[bass] if bass else None))
