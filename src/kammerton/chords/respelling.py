# SPDX-License-Identifier: MIT
r"""What chord labels are spelled with, and the strict spelling of labels that are common in the wild.

Three habits are read. Lead sheets (``Cm7b5``, ``C7sus4``, ``C/G``; iReal Pro's ``C^7``, ``C-7``,
``Ch7``): an alteration takes the place of the natural tone, so ``C7b5`` is ``C:7(*5,b5)``. The
Weimar Jazz Database (``C79b``, ``Cj7911#``, ``Csus7913``): numbers follow one another without
signs between them, and an accidental stands behind its number. Harte labels with a slip
(``Emin/4``, ``C:6(9)``, ``c:maj``): a list in parentheses after a colon is a degree list, kept
as it stands.

Decisions, where one had to be made:

- A lower-case root is read as upper case, so a lone ``c`` is ``C``, major.
- ``H`` is ``B``; ``B`` is a strict label and stays, though German means ``Bb`` by it.
- A pitch as bass becomes the degree of the chord tone that sounds there, else the degree its
  letter spells: ``F#/Bb`` is ``F#/3``, ``C:min/A`` is ``C:min/6``.
- ``hdim``, ``ø`` and ``%7`` (Jazz Corpus) include the seventh, ``Δ`` and ``^`` the major seventh;
  ``+7`` is ``aug7``.
- A stack of the Weimar Jazz Database that ends in a natural number is named by it (``C7913`` is
  ``C:13``); below an altered one the naturals say no more than how far the stack goes
  (``Cj7911#`` is ``C:maj7(#11)``, ``C79b13`` is ``C:7(b9,13)``). ``69`` is a sixth with a ninth.
- ``113`` in a list is ``11,13``: ChoCo's converter took the root out of
  ``1,3,5,b7,9,11,13`` by deleting every ``1,``. Likewise ``#113`` and ``#1b13``.

What has two common readings stays unknown: ``C2`` (sus2 or add9), ``C4`` and ``C:4`` (sus4,
a list, a note), ``C(9)`` and ``C+9`` (add9 or a ninth chord), ``C7+`` (augmented or major
seventh), ``C7/9`` and ``C:6/9`` (bass or added tone), ``C-maj7`` (minor or a dash), ``Csus9`` (with a
seventh or not), ``Gb5,7`` (root or fifth), ``C%`` (half diminished or repeated), ``C7alt``,
``Do7`` (D diminished or do), ``b7`` (root or degree), text turned round by direction marks.
``?``, ``&pause`` and ``Z`` say nothing that ``N`` or ``X`` would surely mean.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from kammerton.errors import OptionError

MAX_ACCIDENTALS = 4
"""Accidentals that one root or degree may carry; Harte's grammar sets no limit."""
_MAJOR_SCALE = (0, 2, 4, 5, 7, 9, 11)
_ACCIDENTALS = range(-MAX_ACCIDENTALS, MAX_ACCIDENTALS + 1)


@dataclass(frozen=True, slots=True)
class Degree:
    """A degree of the major scale on the root, as spelled.

    Parameters
    ----------
    number : int
        1 to 13; 8 is the octave, 9 the second above it.
    accidental : int
        -1 for each flat, +1 for each sharp; at most four of either.
    omitted : bool
        Whether a ``*`` takes the degree away from the chord.

    Raises
    ------
    OptionError
        If number or accidental is out of range.

    Examples
    --------
    >>> str(Degree(3, -1)), Degree(3, -1).semitones
    ('b3', 3)
    >>> str(Degree(5, 0, omitted=True)), Degree(9).semitones
    ('*5', 14)
    """

    number: int
    accidental: int = 0
    omitted: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.number <= 13:
            raise OptionError(f"degree number {self.number} is outside 1 to 13")
        if abs(self.accidental) > MAX_ACCIDENTALS:
            raise OptionError(f"{abs(self.accidental)} accidentals on a degree; at most {MAX_ACCIDENTALS}")

    @property
    def semitones(self) -> int:
        """Semitones above the root: negative for ``b1``, 12 and more from ``8`` on."""
        octave, step = divmod(self.number - 1, 7)
        return 12 * octave + _MAJOR_SCALE[step] + self.accidental

    def __str__(self) -> str:
        return f"{'*' if self.omitted else ''}{_signs(self.accidental)}{self.number}"


def _signs(accidental: int) -> str:
    return ("b" if accidental < 0 else "#") * abs(accidental)


def _every_degree() -> dict[str, Degree]:
    degrees = (
        Degree(number, accidental, omitted)
        for omitted in (False, True)
        for accidental in _ACCIDENTALS
        for number in range(1, 14)
    )
    return {str(degree): degree for degree in degrees}


DEGREES: Mapping[str, Degree] = MappingProxyType(_every_degree())
"""Every degree that a label can spell, by its spelling."""
PITCH_CLASSES: Mapping[str, int] = MappingProxyType(
    {
        letter + _signs(accidental): (step + accidental) % 12
        for letter, step in zip("CDEFGAB", _MAJOR_SCALE, strict=True)
        for accidental in _ACCIDENTALS
    }
)
"""Every root that a label can spell, with its semitones above C."""
ROOTS = ("C", "Db", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
"""A root of each pitch class."""
_TONES = {
    "maj": "1 3 5",
    "min": "1 b3 5",
    "dim": "1 b3 b5",
    "aug": "1 3 #5",
    "1": "1",
    "5": "1 5",
    "sus2": "1 2 5",
    "sus4": "1 4 5",
    "maj6": "1 3 5 6",
    "min6": "1 b3 5 6",
    "7": "1 3 5 b7",
    "maj7": "1 3 5 7",
    "min7": "1 b3 5 b7",
    "dim7": "1 b3 b5 bb7",
    "hdim7": "1 b3 b5 b7",
    "minmaj7": "1 b3 5 7",
    "aug7": "1 3 #5 b7",
    "9": "1 3 5 b7 9",
    "maj9": "1 3 5 7 9",
    "min9": "1 b3 5 b7 9",
    "11": "1 3 5 b7 9 11",
    "maj11": "1 3 5 7 9 11",
    "min11": "1 b3 5 b7 9 11",
    "13": "1 3 5 b7 9 11 13",
    "maj13": "1 3 5 7 9 11 13",
    "min13": "1 b3 5 b7 9 11 13",
}
SHORTHAND_DEGREES: Mapping[str, tuple[Degree, ...]] = MappingProxyType(
    {name: tuple(DEGREES[tone] for tone in tones.split()) for name, tones in _TONES.items()}
)
"""The tones of each shorthand as spelled, the 1 included."""
QUALITIES: tuple[str, ...] = tuple(SHORTHAND_DEGREES)
"""The shorthands of the grammar, in its order."""


MAX_LENGTH = 4096
"""Characters that a label may have."""
_SPELLINGS: Mapping[str, str] = MappingProxyType(
    {
        "♯": "#",
        "♭": "b",
        "♮": "",
        "𝄪": "##",
        "𝄫": "bb",
        **dict.fromkeys("△∆", "Δ"),
        **dict.fromkeys("Ø∅", "ø"),
        **dict.fromkeys("º˚", "°"),
        **dict.fromkeys("−‐‑‒–", "-"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
        # Cyrillic, then Greek
        **dict(zip("АВСЕХасеоΑΒΕΝΧ", "ABCEXaceoABENX", strict=True)),
    }
)
_FOLD = str.maketrans(dict(_SPELLINGS))
_SIGN_NAMES: Mapping[str, str] = MappingProxyType({"Δ": "maj7", "ø": "hdim7", "°": "dim"})
_NO_CHORD = ("n", "nc", "n.c", "n.c.", "n/c", "no chord", "nochord", "no-chord", "no_chord")
_WHOLE_LABELS: Mapping[str, str] = MappingProxyType({**dict.fromkeys(_NO_CHORD, "N"), "x": "X"})


def _cased(*words: str) -> tuple[str, ...]:
    """Return each word lower, Capital and UPPER; single letters as they are (``m`` is not ``M``)."""
    return tuple(
        spelled
        for word in words
        for spelled in ([word] if len(word) == 1 else dict.fromkeys([word, word.capitalize(), word.upper()]))
    )


_MAJOR = (*_cased("maj", "major", "ma"), "M")
_TRIANGLE = ("Δ", "^")
_MAJOR_SEVENTH = (*_MAJOR, *_TRIANGLE, "j")
"""What makes the seventh after it major; ``j`` is the Weimar Jazz Database's."""
_MINOR = (*_cased("min", "minor", "mi"), "m")
_DIMINISHED = (*_cased("dim", "diminished"), "o", "°")
_AUGMENTED = _cased("aug", "augmented")
_MINOR_MAJOR = (
    *(minor + major for minor in _MINOR for major in _MAJOR_SEVENTH),
    *(minor + sign + major for minor in _MINOR for sign in "/-," for major in _MAJOR),
    # a dash before a word may be no more than a dash
    *("-" + major for major in ("M", "j", *_TRIANGLE)),
)
_FAMILIES: tuple[tuple[Iterable[str], str], ...] = (
    (("",), "=maj 5=5 6=maj6 69=maj6+9 6/9=maj6+9 7=7 9=9 11=11 13=13 7M=maj7"),
    (_MAJOR, "=maj 6=maj6 69=maj6+9 6/9=maj6+9 7=maj7 9=maj9 11=maj11 13=maj13"),
    (_TRIANGLE, "=maj7 7=maj7 9=maj9 11=maj11 13=maj13"),
    (("j",), "7=maj7 9=maj9 11=maj11 13=maj13"),
    ([f"({major}" for major in _MAJOR_SEVENTH], "7)=maj7 9)=maj9"),
    ((*_MINOR, "-"), "=min 6=min6 69=min6+9 6/9=min6+9 7=min7 9=min9 11=min11 13=min13"),
    (_MINOR_MAJOR, "7=minmaj7 9=minmaj7+9"),
    ([minor + sign for minor in (*_MINOR, "-") for sign in _TRIANGLE], "=minmaj7"),
    ([f"{minor}({major}" for minor in (*_MINOR, "-") for major in _MAJOR], "7)=minmaj7 9)=minmaj7+9"),
    (_MINOR, "7M=minmaj7"),
    (_DIMINISHED, "=dim 7=dim7"),
    ([dim + major for dim in _DIMINISHED for major in _MAJOR_SEVENTH], "7=dim+7"),
    ([f"{dim}({major}" for dim in _DIMINISHED for major in _MAJOR_SEVENTH], "7)=dim+7"),
    ((*_AUGMENTED, "+"), "=aug 7=aug7"),
    (_AUGMENTED, "9=aug7+9"),
    ([aug + major for aug in _AUGMENTED for major in _MAJOR_SEVENTH], "7=maj7+*5+#5"),
    ([f"{aug}({major}" for aug in (*_AUGMENTED, "+") for major in _MAJOR_SEVENTH], "7)=maj7+*5+#5"),
    (("+j",), "7=maj7+*5+#5"),
    ((*_cased("hdim", "halfdim", "half-dim"), "ø", "h"), "=hdim7 7=hdim7 9=hdim7+9"),
    (("%",), "7=hdim7"),
    (("sus", "sus4,"), "7=sus4+b7"),
    (_cased("dom", "dominant"), "7=7 9=9 11=11 13=13"),
    (_cased("power"), "=5"),
)
_Stem = tuple[str, tuple[Degree, ...]]


def _every_stem() -> Iterator[tuple[str, _Stem]]:
    for beginnings, endings in _FAMILIES:
        for ending in endings.split():
            tail, _, meaning = ending.partition("=")
            shorthand, *added = meaning.split("+")
            for beginning in beginnings:
                yield beginning + tail, (shorthand, tuple(DEGREES[degree] for degree in added))


_STEMS: Mapping[str, _Stem] = MappingProxyType(dict(_every_stem()))
_STEMS_AFTER_COLON: Mapping[str, _Stem] = MappingProxyType(
    {
        **{text: stem for text, stem in _STEMS.items() if "/" not in text},
        **{quality: (quality, ()) for quality in QUALITIES},
    }
)
_LONGEST_STEM = max(map(len, _STEMS))
_MERGED: Mapping[tuple[str, str], str] = MappingProxyType(
    {("min7", "b5"): "hdim7", ("min", "b5"): "dim", ("7", "#5"): "aug7", ("maj", "#5"): "aug"}
)
_MINUS_AND_PLUS: Mapping[str, str] = MappingProxyType(
    {"-5": "b5", "-9": "b9", "-13": "b13", "+5": "#5", "+9": "#9", "+11": "#11"}
)
_ALTERABLE = frozenset({2, 4, 5, 6, 9, 11, 13})


# A scale degree (`b7`) or a lower-case root; D diminished (`Do7`) or do
_TWO_READINGS = re.compile(r"b+[0-9]|[Dd]o")
_PITCH = re.compile(r"[A-Ga-g](?:b+|#+)?|H(?![b#])")
_CHANGE = re.compile(r"sus(?P<sus>[24]?)|(?P<verb>add|no|omit|\*)?(?P<degree>[b#+-]?(?:1[0-3]|[1-9]))")
_STACK = re.compile(r"(?P<kind>:?[^\d(),/:]*)(?P<base>[67])(?P<above>(?:(?:9|11|13)[b#]?)+)(?=/|\Z)")
_TONE = re.compile("(9|11|13)([b#]?)")
_GLUED = re.compile(r"^([b#]?)1([b#]?13)$")
_BLANK_BESIDE_SIGN = re.compile(r" ?([():,/]) ?")


def respell(label: str, /) -> str | None:
    """Return the strict label that a label from the wild means.

    Examples
    --------
    >>> respell("Cm7b5"), respell("G7sus4/C"), respell("B♭"), respell("N.C.")
    ('C:hdim7', 'G:sus4(b7)/4', 'Bb', 'N')
    >>> respell("C7alt") is None
    True
    """
    if len(label) > MAX_LENGTH:
        return None
    text = _folded(label)
    whole = _WHOLE_LABELS.get(text.lower())
    if whole is not None:
        return whole
    pitch = _PITCH.match(text)
    root = _pitch_name(text if pitch is None else pitch[0])
    if pitch is None or root is None or _TWO_READINGS.match(text):
        return None
    for reading, rest in _readings(_unstacked(text[pitch.end() :])):
        bass = _bass(reading, root, rest)
        if bass is not None:
            return root + reading.written() + bass
    return None


def ascii_spelling(character: str, /) -> str | None:
    r"""Return how labels spell a character that looks alike or hides.

    Examples
    --------
    >>> ascii_spelling("♭"), ascii_spelling("Ｃ"), ascii_spelling("ø"), ascii_spelling("\u200b")
    ('b', 'C', 'hdim7', '')
    """
    folded = unicodedata.normalize("NFKC", _SPELLINGS.get(character, character))
    spelling = _SIGN_NAMES.get(folded, folded)
    return spelling if spelling.isascii() and spelling != character else None


def _folded(label: str) -> str:
    text = unicodedata.normalize("NFKC", label.translate(_FOLD))
    return _BLANK_BESIDE_SIGN.sub(r"\1", " ".join(text.split()))


def _pitch_name(text: str) -> str | None:
    name = "B" if text == "H" else text[:1].upper() + text[1:]
    return name if name in PITCH_CLASSES else None


def _unstacked(text: str) -> str:
    """Return the numbers of the Weimar Jazz Database as lead sheets write them: ``j7911#`` as ``j7(#11)``."""
    stack = _STACK.match(text)
    if stack is None or (stack["base"] == "6" and stack["above"][-1] not in "b#"):
        return text  # `69#11` is a lead sheet's sixth with ninth and raised eleventh
    kind, base, rest = stack["kind"], stack["base"], text[stack.end() :]
    tones: list[tuple[str, str]] = _TONE.findall(stack["above"])
    naturals: list[str] = [number for number, sign in tones if not sign]
    if base == "6" and naturals[:1] == ["9"]:
        base, tones, naturals = "69", tones[1:], naturals[1:]
    if len(naturals) == len(tones) and base == "7" and kind.removeprefix(":") + naturals[-1] in _STEMS:
        return kind + naturals[-1] + rest
    altered = len(naturals) < len(tones)
    top = tones[-1]
    listed = [sign + number for number, sign in tones if sign or not altered or (number, sign) == top]
    return f"{kind}{base}({','.join(listed)}){rest}"


@dataclass(slots=True)
class _Reading:
    """One way to read what stands between root and bass."""

    stem: str
    colon: bool
    shorthand: str | None
    degrees: list[Degree] = field(default_factory=list)

    def tones(self) -> tuple[Degree, ...]:
        return () if self.shorthand is None else SHORTHAND_DEGREES[self.shorthand]

    def written(self) -> str:
        listed = f"({','.join(map(str, self.degrees))})" if self.degrees else ""
        if not (self.stem or self.colon or listed or self.shorthand != "maj"):
            return ""
        return f":{self.shorthand or ''}{listed}"

    def takes_plain_numbers(self) -> bool:
        """Whether ``(9)`` can only mean an added tone: not so after a triad, where it may hide a seventh."""
        return self.stem in SHORTHAND_DEGREES or self.shorthand == "sus4" or len(self.tones()) > 3

    def is_harte(self) -> bool:
        """Whether a bass such as ``/9`` can be no added tone, for the label has Harte's form so far."""
        return self.stem in QUALITIES or self.shorthand is None if self.colon else not self.written()

    def append(self, degree: Degree) -> None:
        if degree not in self.degrees:
            self.degrees.append(degree)

    def add(self, degree: Degree) -> bool:
        if degree not in self.tones():
            self.append(degree)
        return True

    def omit(self, degree: Degree) -> bool:
        """Take away the tone of this number, however the shorthand alters it."""
        tone = next((tone for tone in self.tones() if tone.number == degree.number), None)
        if tone is None or (degree.accidental and degree != tone):
            return False
        self.append(replace(tone, omitted=True))
        return True

    def alter(self, degree: Degree) -> bool:
        """Put an altered tone in the place of the natural one."""
        if degree.number not in _ALTERABLE:
            return False
        merged = _MERGED.get((self.shorthand or "", str(degree)))
        if merged is not None and not any(other.number == 5 for other in self.degrees):
            self.shorthand = merged
        natural = Degree(degree.number)
        if natural in self.tones() and degree not in self.tones():
            self.append(replace(natural, omitted=True))
        return self.add(degree)

    def suspend(self, number: str) -> bool:
        """Put the fourth or second in the place of the major third."""
        tones = self.tones()
        if DEGREES["3"] not in tones or DEGREES["5"] not in tones:
            return False
        self.shorthand = f"sus{number or 4}"
        replaced = (1, 3, 5, 9) if number == "2" else (1, 3, 5, 11)
        self.degrees[:0] = [tone for tone in tones if tone.number not in replaced]
        return True


def _readings(text: str) -> Iterator[tuple[_Reading, str]]:
    """Read the quality, longest stem first; yield what it may be and the text behind it."""
    colon = text.startswith(":")
    body = text[1:] if colon else text.removeprefix(" ")
    stems = _STEMS_AFTER_COLON if colon else _STEMS
    for length in range(min(len(body), _LONGEST_STEM), -1, -1):
        stem = body[:length]
        if stem not in stems:
            continue
        shorthand, added = stems[stem]
        rest = body[length:]
        only_a_list = colon and not stem and rest.startswith("(")
        if not stem and (text.startswith(" ") or (colon and (not rest or rest[0] == "/"))):
            return
        reading = _Reading(stem, colon, None if only_a_list else shorthand, list(added))
        end = _read_changes(reading, rest)
        if end is not None:
            yield reading, rest[end:]


def _read_changes(reading: _Reading, text: str) -> int | None:
    """Apply alterations, added tones and lists; return where they end, None if one is no such thing."""
    at = 0
    while at < len(text) and text[at] != "/":
        if text[at] == "(":
            close = text.find(")", at)
            if close < 0 or not all(_apply_item(reading, item) for item in _items(text[at + 1 : close])):
                return None
            at = close + 1
        else:
            change = _CHANGE.match(text, at)
            if change is None or not _apply(reading, change):
                return None
            at = change.end()
    return at


def _items(inner: str) -> list[str]:
    parts = inner.replace(" ", ",").split(",")
    return ",".join(_GLUED.sub(r"\g<1>11,\2", part) for part in parts).split(",")


def _apply_item(reading: _Reading, item: str) -> bool:
    """Apply one item of a list: as it stands after a colon, as lead sheets mean it otherwise."""
    if reading.colon:
        return _keep(reading, item)
    if item.isdigit() and item in DEGREES:
        return reading.takes_plain_numbers() and reading.add(DEGREES[item])
    at = 0
    while (change := _CHANGE.match(item, at)) is not None:
        if not _apply(reading, change):
            return False
        at = change.end()
    return at == len(item) > 0


def _apply(reading: _Reading, change: re.Match[str]) -> bool:
    if change["sus"] is not None:
        return reading.suspend(change["sus"])
    degree = _degree(change["degree"])
    if degree is None or (change["degree"][0] in "+-" and not reading.stem):
        return False
    if change["verb"] is not None:
        return reading.add(degree) if change["verb"] == "add" else reading.omit(degree)
    return degree.accidental != 0 and reading.alter(degree)


def _keep(reading: _Reading, item: str) -> bool:
    change = _CHANGE.fullmatch(item)
    degree = DEGREES.get(item)
    if degree is None and change is not None and change["sus"] is None:
        degree = _degree(change["degree"])
        if degree is not None and change["verb"] in ("no", "omit"):
            degree = replace(degree, omitted=True)
    if degree is None:
        return False
    reading.degrees.append(degree)
    return True


def _degree(text: str) -> Degree | None:
    return DEGREES.get(_MINUS_AND_PLUS.get(text, text))


def _bass(reading: _Reading, root: str, rest: str) -> str | None:
    """Return the bass as a slash and a degree, empty if there is none; None if it is no bass."""
    if not rest:
        return ""
    written = rest.removeprefix("/")
    degree = DEGREES.get(written)
    if degree is None:
        spelled = _PITCH.fullmatch(written)
        pitch = None if spelled is None else _pitch_name(written)
        degree = None if pitch is None else _degree_of(pitch, root, reading)
    elif degree.omitted or (degree.number > 7 and not reading.is_harte()):
        return None
    return None if degree is None else f"/{degree}"


def _degree_of(pitch: str, root: str, reading: _Reading) -> Degree | None:
    semitones = (PITCH_CLASSES[pitch] - PITCH_CLASSES[root]) % 12
    for tone in (*reading.tones(), *reading.degrees):
        if not tone.omitted and tone.semitones % 12 == semitones:
            return Degree((tone.number - 1) % 7 + 1, tone.accidental)
    number = (ord(pitch[0]) - ord(root[0])) % 7 + 1
    accidental = (semitones - Degree(number).semitones + 6) % 12 - 6
    return Degree(number, accidental) if abs(accidental) <= MAX_ACCIDENTALS else None
