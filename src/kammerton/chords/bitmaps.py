# SPDX-License-Identifier: MIT
"""Encode a chord as mir_eval 0.8 does: root, twelve bits relative to it, bass.

Its peculiarities are kept, since its figures rest on them: a degree of an octave or more is no tone,
the root always is one, and so is the bass, whatever was omitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from kammerton.chords.degrees import SHORTHAND_DEGREES, Degree
from kammerton.chords.labels import Chord, parse

__all__ = ["EncodedChord", "encode_label"]

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
    """One label.

    Parameters
    ----------
    kind : {"chord", "N", "X"}
        Kind of the label.
    root : int
        Pitch class; -1 for ``N`` and ``X``, which are equal in this.
    bits : int
        Bit ``i`` is set if the tone ``i`` semitones above the root is in the chord; 0 for ``N``,
        -1 (every bit) for ``X``.
    bass : int
        Semitones above the root; -1 for ``N`` and ``X``.
    merged_bits : int
        The same with the tones beyond the octave folded into it: neighbours that agree in root, bass
        and these are one segment.
    chroma : int
        ``bits`` as absolute pitch classes: bit ``p`` is set if pitch class ``p`` is in the chord.
    """

    kind: str
    root: int
    bits: int
    bass: int
    merged_bits: int
    chroma: int


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
