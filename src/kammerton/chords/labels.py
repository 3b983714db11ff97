# SPDX-License-Identifier: MIT
"""Chord labels: the strict grammar of Harte, with the place of each error.

The grammar, after [1]_ and as mir_eval checks it::

    label   = "N" | "X" | root [ ":" quality [ list ] | ":" list ] [ "/" degree ]
    root    = "A" … "G", then only "b" or only "#"
    list    = "(" [ "*" ] degree { "," [ "*" ] degree } ")"
    degree  = only "b" or only "#", then "1" … "13"

No blanks, and upper and lower case differ. A root or degree has at most four accidentals.

References
----------
.. [1] C. Harte, M. Sandler, S. Abdallah, E. Gómez: Symbolic representation of musical
   chords: a proposed syntax for text annotations. ISMIR 2005.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NoReturn

from kammerton.chords.degrees import DEGREES, MAX_ACCIDENTALS, QUALITIES, SHORTHAND_DEGREES, Degree
from kammerton.errors import Diagnostic, LabelError, OptionError, quote

__all__ = ["QUALITIES", "SHORTHAND_DEGREES", "Chord", "Degree", "absent_omissions", "parse"]

MAX_LENGTH = 4096

_LETTERS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
_ACCIDENTALS = [sign * count for sign in "b#" for count in range(1, MAX_ACCIDENTALS + 1)]
_ROOTS: Mapping[str, int] = MappingProxyType(
    {
        letter + accidental: (pitch + accidental.count("#") - accidental.count("b")) % 12
        for letter, pitch in _LETTERS.items()
        for accidental in ["", *_ACCIDENTALS]
    }
)

_ROOT = re.compile(r"[A-G][b#]*")
_TOKEN_END = re.compile(r"[():/,]|\Z")


@dataclass(frozen=True, slots=True)
class Chord:
    """A chord label, taken apart.

    Parameters
    ----------
    kind : {"chord", "N", "X"}
        A chord, no chord, or a chord that cannot be told.
    root : str
        As spelled; empty for ``N`` and ``X``.
    quality : str, optional
        The shorthand as written, ``"maj"`` for a bare root, None when only a degree list was written.
    degrees : tuple of Degree
        The degree list, in its order.
    bass : Degree, optional
        None when no slash was written; ``/1`` is kept.

    Raises
    ------
    OptionError
        If the fields make no label.

    Examples
    --------
    >>> chord = parse("Eb:7(b9,*5)/b7")
    >>> chord.root, chord.root_pitch_class, chord.quality
    ('Eb', 3, '7')
    >>> [str(degree) for degree in chord.degrees], str(chord.bass)
    (['b9', '*5'], 'b7')
    >>> str(parse("C/3"))
    'C:maj/3'
    """

    kind: Literal["chord", "N", "X"]
    root: str = ""
    quality: str | None = None
    degrees: tuple[Degree, ...] = ()
    bass: Degree | None = None

    def __post_init__(self) -> None:
        if self.kind == "chord":
            sound = self.root in _ROOTS and (
                bool(self.degrees) if self.quality is None else self.quality in SHORTHAND_DEGREES
            )
        else:
            sound = not self.root and self.quality is None and not self.degrees and self.bass is None
        if not sound or (self.bass is not None and self.bass.omitted):
            raise OptionError(f"these fields make no chord label: {quote(str(self))}")

    @property
    def root_pitch_class(self) -> int | None:
        """0 for C to 11 for B, whatever the spelling; None for ``N`` and ``X``."""
        return _ROOTS[self.root] if self.kind == "chord" else None

    def __str__(self) -> str:
        if self.kind != "chord":
            return self.kind
        listed = f"({','.join(map(str, self.degrees))})" if self.degrees else ""
        bass = "" if self.bass is None else f"/{self.bass}"
        return f"{self.root}:{self.quality or ''}{listed}{bass}"


_SPECIAL = {"N": Chord("N"), "X": Chord("X")}


def parse(label: str, /, *, lenient: bool = False) -> Chord:
    """Read one chord label.

    Parameters
    ----------
    label : str
        The label.
    lenient : bool
        Whether to respell what is common in the wild, such as ``Cm7``, before giving up.

    Returns
    -------
    Chord
        The label, taken apart.

    Raises
    ------
    LabelError
        If the label does not follow the grammar; with the place in the label.

    Examples
    --------
    >>> parse("A:min7/b3").bass
    Degree(number=3, accidental=-1, omitted=False)
    """
    return _strict(label)


def absent_omissions(chord: Chord, /) -> tuple[Degree, ...]:
    """List the omitted degrees that the chord does not have anyway.

    Parameters
    ----------
    chord : Chord
        A parsed label.

    Returns
    -------
    tuple of Degree
        Each ``*d`` that is neither a tone of the shorthand nor added by the list.

    Examples
    --------
    >>> [str(degree) for degree in absent_omissions(parse("C:maj(*3,*b7)"))]
    ['*b7']
    """
    tones = set() if chord.quality is None else set(SHORTHAND_DEGREES[chord.quality])
    tones.update(degree for degree in chord.degrees if not degree.omitted)
    present = {(tone.number, tone.accidental) for tone in tones}
    return tuple(
        degree
        for degree in chord.degrees
        if degree.omitted and (degree.number, degree.accidental) not in present
    )


def _strict(label: str) -> Chord:
    if label in _SPECIAL:
        return _SPECIAL[label]
    root, at = _read_root(label)
    quality: str | None = "maj"
    degrees: tuple[Degree, ...] = ()
    if label.startswith(":", at):
        quality, at = _read_quality(label, at + 1)
        if label.startswith("(", at):
            degrees, at = _read_list(label, at)
    bass = None
    if label.startswith("/", at):
        bass, at = _read_bass(label, at + 1)
    if at != len(label):
        _reject("KT315", f"left over at the end of the label: {quote(label[at:])}", at, len(label))
    return Chord("chord", root, quality, degrees, bass)


def _token(label: str, at: int) -> tuple[str, int]:
    end = next(_TOKEN_END.finditer(label, at)).start()
    return label[at:end], end


def _reject(code: str, message: str, start: int, end: int) -> NoReturn:
    raise LabelError(
        Diagnostic(code=code, severity="error", message=message, column=start + 1, length=end - start)
    )


def _read_root(label: str) -> tuple[str, int]:
    found = _ROOT.match(label)
    if found is None or found[0] not in _ROOTS:
        _reject("KT310", f"{quote(label)} is not a chord root", 0, max(len(label), 1))
    return found[0], found.end()


def _read_quality(label: str, at: int) -> tuple[str | None, int]:
    name, end = _token(label, at)
    if name in SHORTHAND_DEGREES:
        return name, end
    if not name and label.startswith("(", at):
        return None, at
    if not name:
        _reject("KT312", "no chord quality after the colon", at - 1, at)
    _reject("KT312", f"unknown chord quality {quote(name)}", at, end)


def _read_list(label: str, at: int) -> tuple[tuple[Degree, ...], int]:
    close = label.find(")", at)
    if close < 0:
        _reject("KT315", "parenthesis is never closed", at, at + 1)
    degrees = []
    start = at + 1
    for token in label[start:close].split(","):
        if token not in DEGREES:
            _reject(
                "KT313", f"{quote(token)} is not a scale degree", start, max(start + len(token), start + 1)
            )
        degrees.append(DEGREES[token])
        start += len(token) + 1
    return tuple(degrees), close + 1


def _read_bass(label: str, at: int) -> tuple[Degree, int]:
    token, end = _token(label, at)
    degree = DEGREES.get(token)
    if degree is None or degree.omitted:
        _reject("KT314", f"{quote(token)} is not a bass degree", min(at, len(label) - 1), len(label))
    return degree, end
