# SPDX-License-Identifier: MIT
"""Labels as the protocols compare them: pitch classes of qualities, and where they are mapped to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from kammerton.chords.labels import Chord, parse
from kammerton.chords.respelling import SHORTHAND_DEGREES, Degree

_OCTAVE = 12


# Where rows are merged it takes these tones from the shorthand into the degree list, in which a
# degree counts once. Elsewhere the extended shorthands are seventh chords to it.
_UPPER_TONES = {
    "minmaj7": (7,),
    "9": (9,),
    "maj9": (9,),
    "min9": (9,),
    "11": (9, 11),
    "maj11": (9, 11),
    "min11": (9, 11),
    "13": (9, 11, 13),
    "maj13": (9, 11, 13),
    "min13": (9, 11, 13),
}


@dataclass(frozen=True, slots=True)
class EncodedChord:
    """One label."""

    kind: str  # kind of the label
    root: int  # pitch class; -1 for ``N`` and ``X``, which are equal in this
    # bit ``i`` is set if the tone ``i`` semitones above the root is in the chord; 0 for ``N``, -1 (every bit)
    # for ``X``
    bits: int
    bass: int  # semitones above the root; -1 for ``N`` and ``X``
    # the same with the tones beyond the octave folded into it: neighbours that agree in root, bass and these
    # are one segment
    merged_bits: int
    chroma: int  # ``bits`` as absolute pitch classes: bit ``p`` is set if pitch class ``p`` is in the chord


@lru_cache(maxsize=1 << 16)
def encode_label(label: str) -> EncodedChord:
    """Encode one label; each distinct label is encoded once.

    >>> bin(encode_label("C:maj(9)").bits), bin(encode_label("C:maj(2)").bits)
    ('0b10010001', '0b10010101')
    """
    chord = parse(label)
    if chord.root_pitch_class is None:
        bits = 0 if chord.kind == "N" else -1
        return EncodedChord(chord.kind, -1, bits, -1, bits, bits & 0xFFF)
    root = chord.root_pitch_class
    bits = _bits(chord, fold=False)
    bass = 0 if chord.bass is None else chord.bass.semitones % _OCTAVE
    chroma = ((bits << root) | (bits >> (_OCTAVE - root))) & 0xFFF
    return EncodedChord("chord", root, bits, bass, _bits(chord, fold=True), chroma)


def _bits(chord: Chord, *, fold: bool) -> int:
    quality = chord.quality or ""
    upper = _UPPER_TONES.get(quality, ()) if fold else ()
    tones = [0] * _OCTAVE
    for degree in SHORTHAND_DEGREES.get(quality, ()):
        if degree.semitones < _OCTAVE and degree.number not in upper:
            tones[degree.semitones] = 1
    tones[0] = 1
    listed = {str(degree): degree for degree in (*chord.degrees, *map(Degree, upper))}
    for degree in listed.values():  # below the root it folds even where it does not fold
        if fold or degree.semitones < _OCTAVE:
            tones[degree.semitones % _OCTAVE] += -1 if degree.omitted else 1
    tones[0 if chord.bass is None else chord.bass.semitones % _OCTAVE] = 1
    return sum(1 << tone for tone, count in enumerate(tones) if count > 0)


# Position of each degree of the major scale on the line of fifths; a flat is 7 to the left.
_FIFTHS = {1: 0, 2: 2, 3: 4, 4: -1, 5: 1, 6: 3, 7: 5}
SPELLED = {
    name: _FIFTHS[int(name.strip("b#"))] + 7 * (name.count("#") - name.count("b"))
    for name in ("1", "2", "b3", "3", "4", "b5", "5", "#5", "6", "bb7", "b7", "7")
}
SOUNDING = {name: position * 7 % 12 for name, position in SPELLED.items()}


# What a shorthand names beyond its seventh; the maps do not look at it, the chroma set does.
_UNHEARD = {
    **dict.fromkeys(("9", "maj9", "min9", "11", "maj11", "min11", "13", "maj13", "min13"), (9, 11, 13))
}
_CHROMA = {
    **dict.fromkeys(("9", "maj9", "min9"), (9,)),
    **dict.fromkeys(("11", "maj11", "min11", "13", "min13"), (9, 11)),
    "maj13": (9, 11, 13),
}
_TRIAD_TONES = {
    "maj": ("1", "3", "5"),
    "majb5": ("1", "3", "b5"),
    "aug": ("1", "3", "#5"),
    "min": ("1", "b3", "5"),
    "dim": ("1", "b3", "b5"),
    "min#5": ("1", "b3", "#5"),
    "sus4": ("1", "4", "5"),
    "sus2": ("1", "2", "5"),
    "5": ("1", "5"),
    "1": ("1",),
}
_COMMON_NAMES = {
    ("maj", "b7"): "7",
    ("maj", "7"): "maj7",
    ("maj", "6"): "maj6",
    ("min", "b7"): "min7",
    ("min", "7"): "minmaj7",
    ("min", "6"): "min6",
    ("dim", "b7"): "hdim7",
    ("dim", "bb7"): "dim7",
}
_SEVENTHS = {
    **dict.fromkeys(_TRIAD_TONES, ("b7", "7", "6")),
    **dict.fromkeys(("aug", "majb5", "min#5"), ("b7", "7")),
    "dim": ("b7", "bb7"),
}
_PARTS = {
    _COMMON_NAMES.get((triad, seventh), f"{triad}({seventh})" if seventh else triad): (triad, seventh)
    for triad in _TRIAD_TONES
    for seventh in ("", *_SEVENTHS[triad])
}
TETRADS: dict[str, tuple[str, ...]] = {
    name: (*_TRIAD_TONES[triad], *filter(None, (seventh,))) for name, (triad, seventh) in _PARTS.items()
}
"""Tones of every type that a chord can map to, by the type's name."""
TRIADS: dict[str, str] = {name: triad for name, (triad, _) in _PARTS.items()}
"""Triad of every type, by the type's name."""


@dataclass(frozen=True, slots=True)
class MappedChord:
    """What the protocol knows of one label."""

    kind: str  # kind of the label
    root: int = -1  # pitch class, -1 if it is no chord
    # spelled_triad, spelled_tetrad: types by spelling; they decide whether a reference is in a vocabulary
    spelled_triad: str = ""
    spelled_tetrad: str = ""
    # triad, tetrad: types by sound; they decide whether two chords are equal
    triad: str = ""
    tetrad: str = ""
    bass: int = -1  # semitones from the root to a bass that was written, -1 if none was
    chroma: int = 0  # bit ``p`` is set if pitch class ``p`` sounds

    def bass_within(self, mapped: str) -> int:
        """Return the bass if it is a tone of the type ``mapped``, else -1."""
        return self.bass if self.bass in {SOUNDING[tone] for tone in TETRADS.get(mapped, ())} else -1


@lru_cache(maxsize=1 << 16)
def map_label(label: str) -> MappedChord:
    """Map one label; each distinct label is mapped once.

    >>> map_label("A:min7(*5,b6)").spelled_triad, map_label("A:min7(*5,b6)").triad
    ('min', 'min#5')
    """
    chord = parse(label)
    if chord.root_pitch_class is None:
        return MappedChord(chord.kind)
    spelled = _spelled_tones(chord)
    sounding = {position * 7 % 12 for position in spelled}
    extra = _CHROMA.get(chord.quality or "", ())
    pitches = sounding | {_position(Degree(number)) * 7 % 12 for number in extra}
    return MappedChord(
        kind="chord",
        root=chord.root_pitch_class,
        spelled_triad=_triad(spelled, SPELLED),
        spelled_tetrad=_tetrad(spelled, SPELLED),
        triad=_triad(sounding, SOUNDING),
        tetrad=_tetrad(sounding, SOUNDING),
        bass=-1 if chord.bass is None else chord.bass.semitones % 12,
        chroma=sum(1 << (chord.root_pitch_class + pitch) % 12 for pitch in pitches),
    )


def _position(degree: Degree) -> int:
    return _FIFTHS[(degree.number - 1) % 7 + 1] + 7 * degree.accidental


def _spelled_tones(chord: Chord) -> set[int]:
    """Return the tones on the line of fifths, the octave folded.

    The 1 is not implied by a degree list, and a bass sounds even if it was omitted.
    """
    quality = chord.quality or ""
    shorthand = SHORTHAND_DEGREES.get(quality, ())
    tones = {_position(degree) for degree in shorthand if degree.number not in _UNHEARD.get(quality, ())}
    for degree in chord.degrees:
        if degree.omitted:
            tones.discard(_position(degree))
        else:
            tones.add(_position(degree))
    if chord.bass is not None:
        tones.add(_position(chord.bass))
    return tones


def _triad(tones: set[int], key: dict[str, int]) -> str:
    present = {name for name, tone in key.items() if tone in tones}
    if "3" in present or "b3" not in present:
        return _base(present)
    # Between two altered fifths a triad stays minor; a tetrad does not ask that.
    altered = present & {"b5", "#5"}
    return "min" if len(altered) == 2 else _base(present)


def _tetrad(tones: set[int], key: dict[str, int]) -> str:
    present = {name for name, tone in key.items() if tone in tones}
    base = _base(present)
    seventh = next((name for name in _SEVENTHS[base] if name in present), "")
    return _COMMON_NAMES.get((base, seventh), f"{base}({seventh})" if seventh else base)


def _base(present: set[str]) -> str:
    if "3" in present:
        return _by_fifth(present, flat="majb5", sharp="aug", plain="maj", both="maj")
    if "b3" in present:
        return _by_fifth(present, flat="dim", sharp="min#5", plain="min", both="dim")
    if ("4" in present) != ("2" in present):
        return "sus4" if "4" in present else "sus2"
    return "5" if present >= {"1", "5"} else "1"


def _by_fifth(present: set[str], *, flat: str, sharp: str, plain: str, both: str) -> str:
    if "5" in present or not present & {"b5", "#5"}:
        return plain
    if present >= {"b5", "#5"}:
        return both
    return flat if "b5" in present else sharp
