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
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Literal, NoReturn

from kammerton.chords.respelling import (
    DEGREES,
    MAX_ACCIDENTALS,
    MAX_LENGTH,
    PITCH_CLASSES,
    QUALITIES,
    SHORTHAND_DEGREES,
    Degree,
    ascii_spelling,
    respell,
)
from kammerton.errors import Diagnostic, LabelError, OptionError, close_match, quote

_ROOT = re.compile(r"[A-G][b#]*")
_NEARLY_A_ROOT = re.compile(r"[a-hH][b#]*")
_DEGREE = re.compile(r"\*?([b#]*)([0-9]*)")
_TOKEN_END = re.compile(r"[():/,]|\Z")
_QUALITY_START = re.compile(r"[^):,*]")
_UNPRINTABLE = re.compile(r"\s+|[^!-~]", re.ASCII)

_WORDS: Mapping[str, str] = MappingProxyType(
    {"major": "maj", "minor": "min", "diminished": "dim", "augmented": "aug", "dominant": "7"}
)
"""What people write out, and its shorthand: `mjor` is nearer to `major` than to `maj`."""

_ROOT_HINT = "a root is `A` to `G`, then only `b` or only `#`; no chord is `N`, an unknown one `X`"
_DEGREE_HINT = f"a degree is 1 to 13, with at most {MAX_ACCIDENTALS} `b` or `#` before it"
_RESPELLED_HINTS: Mapping[str, str] = MappingProxyType(
    {
        "KT311": "Harte syntax puts a colon before the quality: {}; --lenient respells it",
        "KT314": "the bass is a degree of the scale on the root: {}",
    }
)


Hint = Callable[[], str] | str | None
"""How to mend it, or what looks for that: of a million labels nobody reads more than the first few."""


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
            sound = self.root in PITCH_CLASSES and (
                bool(self.degrees) if self.quality is None else self.quality in SHORTHAND_DEGREES
            )
        else:
            sound = not self.root and self.quality is None and not self.degrees and self.bass is None
        if not sound or (self.bass is not None and self.bass.omitted):
            raise OptionError(f"these fields make no chord label: {quote(str(self))}")

    @property
    def root_pitch_class(self) -> int | None:
        """0 for C to 11 for B, whatever the spelling; None for ``N`` and ``X``."""
        return PITCH_CLASSES[self.root] if self.kind == "chord" else None

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
    OptionError
        If it is no text.

    Examples
    --------
    >>> parse("A:min7/b3").bass
    Degree(number=3, accidental=-1, omitted=False)
    >>> str(parse("Am7/C", lenient=True))
    'A:min7/b3'
    >>> parse("A:mni7")
    Traceback (most recent call last):
    kammerton.errors.LabelError: 3: KT312 unknown chord quality `mni7`
      help: did you mean `min7`?
    """
    if not isinstance(label, str):
        raise OptionError.of_type("label", label, "a str")
    try:
        return _strict(label)
    except _FaultError as fault:
        respelled = respell(label)
        if lenient and respelled is not None:
            return _strict(respelled)
        diagnostic = _unprintable(label) or fault.diagnostic()
    if respelled is not None:
        diagnostic = diagnostic.at(hint=_respelled_hint(diagnostic.code, label, respelled))
    raise LabelError(diagnostic)


def fault_code(label: str, /) -> str | None:
    """Return the code of what is wrong with a label, without looking for a hint; None if nothing is."""
    try:
        _strict(label)
    except _FaultError as fault:
        odd = _odd_characters(label)
        return fault.code if odd is None else _code_of(odd[0])
    return None


class _FaultError(Exception):
    """Why a label does not follow the grammar, and where."""

    def __init__(self, problem: Diagnostic, hint: Hint) -> None:
        super().__init__()
        self.code = problem.code
        self._problem, self._hint = problem, hint

    def diagnostic(self) -> Diagnostic:
        """Return what is wrong, and how to mend it."""
        return self._problem.at(hint=self._hint() if callable(self._hint) else self._hint)


def absent_omissions(chord: Chord, /) -> tuple[Degree, ...]:
    """List the omitted degrees that the chord does not have anyway.

    Examples
    --------
    >>> [str(degree) for degree in absent_omissions(parse("C:maj(*3,*b7)"))]
    ['*b7']
    """
    tones = {degree for degree in chord.degrees if not degree.omitted}
    if chord.quality is not None:
        tones.update(SHORTHAND_DEGREES[chord.quality])
    return tuple(
        degree for degree in chord.degrees if degree.omitted and replace(degree, omitted=False) not in tones
    )


def _strict(label: str) -> Chord:
    if label in _SPECIAL:
        return _SPECIAL[label]
    _check_length(label)
    root, at = _read_root(label)
    quality: str | None = "maj"
    degrees: tuple[Degree, ...] = ()
    if label.startswith(":", at):
        quality, at = _read_quality(label, at + 1)
        if label.startswith("(", at):
            degrees, at = _read_list(label, at)
    elif at < len(label) and label[at] != "/":
        _reject_after_root(label, at)
    bass = None
    if label.startswith("/", at):
        bass, at = _read_bass(label, at + 1)
    if at < len(label):
        _reject("KT315", f"left over after {quote(label[:at])}: {quote(label[at:])}", at, len(label))
    return Chord("chord", root, quality, degrees, bass)


def _reject(code: str, message: str, start: int, end: int, hint: Hint = None) -> NoReturn:
    raise _FaultError(_problem(code, message, start, end), hint)


def _problem(code: str, message: str, start: int, end: int, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code, "error", message, column=start + 1, length=end - start, hint=hint)


def _token(label: str, at: int) -> tuple[str, int]:
    end = next(_TOKEN_END.finditer(label, at)).start()
    return label[at:end], end


def _check_length(label: str) -> None:
    if not label:
        _reject("KT317", "label is empty", 0, 1, "no chord is written `N`")
    if len(label) > MAX_LENGTH:
        message = f"label has {len(label):,} characters; at most {MAX_LENGTH:,} are read"
        _reject("KT317", message, MAX_LENGTH, len(label))


def _read_root(label: str) -> tuple[str, int]:
    match = _ROOT.match(label)
    if match is not None and match[0] in PITCH_CLASSES:
        return match[0], match.end()
    if match is not None:
        _reject("KT310", _accidental_fault("root", match[0], match[0][1:]), 1, match.end(), _ROOT_HINT)
    if label[0] in _SPECIAL and label[1] in ":(/":
        _reject("KT315", f"{quote(label[0])} takes no quality, degrees or bass", 1, len(label))
    nearly = _NEARLY_A_ROOT.match(label)
    root = _token(label, 0)[0] if nearly is None else nearly[0]
    message = f"{quote(root)} is not a chord root" if root else f"no root before {quote(label)}"
    _reject("KT310", message, 0, len(root) or 1, _ROOT_HINT)


def _accidental_fault(kind: str, token: str, signs: str) -> str:
    if "b" in signs and "#" in signs:
        return f"{kind} {quote(token)} mixes sharps and flats"
    return f"more than {MAX_ACCIDENTALS} accidentals on {kind} {quote(token)}"


def _reject_after_root(label: str, at: int) -> NoReturn:
    root, rest = label[:at], label[at:]
    if rest[0] == "(":
        only, added = quote(f"{root}:{rest}"), quote(f"{root}:maj{rest}")
        hint = f"{only} has these tones only, {added} adds them to the triad"
        _reject("KT311", "missing colon before the degree list", at, at + 1, hint)
    if not _QUALITY_START.match(rest):
        _reject("KT315", f"left over after {quote(root)}: {quote(rest)}", at, len(label))
    name, end = _token(label, at)
    _reject(
        "KT311",
        f"missing colon before the quality {quote(name)}",
        at,
        end,
        partial(_quality_hint, name, root + ":"),
    )


def _read_quality(label: str, at: int) -> tuple[str | None, int]:
    name, end = _token(label, at)
    if name in SHORTHAND_DEGREES:
        return name, end
    if name:
        _reject("KT312", f"unknown chord quality {quote(name)}", at, end, partial(_quality_hint, name))
    if not label.startswith("(", at):
        _reject("KT312", "no chord quality after the colon", at - 1, at, partial(_quality_hint, ""))
    return None, at


def _quality_hint(name: str, before: str = "") -> str:
    near = close_match(name, (*QUALITIES, *_WORDS))
    near = _WORDS.get(near, near) if near else None
    if near is None:
        return f"known qualities: {' '.join(QUALITIES)}"
    return f"did you mean {quote(before + near)}?"


def _read_list(label: str, at: int) -> tuple[tuple[Degree, ...], int]:
    close = label.find(")", at)
    if close < 0:
        _reject("KT315", "parenthesis is never closed", at, at + 1, "end the degree list with `)`")
    if close == at + 1:
        _reject("KT315", "degree list is empty", at, close + 1, "leave out `()`")
    degrees = []
    start = at + 1
    for token in label[start:close].split(","):
        if token not in DEGREES:
            _reject_degree("KT313", "scale degree", token, start, close)
        degrees.append(DEGREES[token])
        start += len(token) + 1
    return tuple(degrees), close + 1


def _reject_degree(code: str, kind: str, token: str, start: int, close: int) -> NoReturn:
    if not token:
        comma = start if start < close else start - 1
        _reject(code, f"no {kind} beside the comma", comma, comma + 1, _DEGREE_HINT)
    _reject(code, _degree_fault(kind, token), start, start + len(token), _DEGREE_HINT)


def _degree_fault(kind: str, token: str) -> str:
    match = _DEGREE.fullmatch(token)
    if match is None:
        return f"{quote(token)} is not a {kind}"
    signs, number = match.groups()
    if len(signs) > MAX_ACCIDENTALS or ("b" in signs and "#" in signs):
        return _accidental_fault(kind, token, signs)
    if not number:
        return f"{kind} {quote(token)} has no number"
    if number != "0" and number.startswith("0"):
        return f"{quote(token)} is not a {kind}"
    return f"{kind} {quote(token)} is outside 1 to 13"


def _read_bass(label: str, at: int) -> tuple[Degree, int]:
    token, end = _token(label, at)
    degree = DEGREES.get(token)
    if not token:
        _reject("KT314", "no bass degree after the slash", at - 1, at, _DEGREE_HINT)
    if degree is None:
        _reject_degree("KT314", "bass degree", token, at, end)
    if degree.omitted:
        _reject("KT314", f"a bass degree takes no `*`: {quote(token)}", at, end)
    return degree, end


def _odd_characters(label: str) -> re.Match[str] | None:
    """Find the first character that no label has, or blanks: they explain what else seems wrong."""
    return None if len(label) > MAX_LENGTH else _UNPRINTABLE.search(label)


def _code_of(odd: str) -> str:
    return "KT320" if odd.isspace() and odd.isascii() else "KT316"


def _unprintable(label: str) -> Diagnostic | None:
    odd = _odd_characters(label)
    if odd is None:
        return None
    start, end = odd.span()
    code = _code_of(odd[0])
    if code == "KT320":
        where = "around" if start == 0 or end == len(label) else "in"
        return _problem(code, f"white space {quote(odd[0])} {where} the label", start, end)
    message = f"{quote(odd[0])} is {_unicode_name(odd[0])}; labels are printable ASCII"
    spelling = ascii_spelling(odd[0]) if odd[0].isprintable() else ""
    hint = f"write {quote(spelling)} in its place" if spelling else "delete it" if spelling == "" else None
    return _problem(code, message, start, end, hint)


def _unicode_name(character: str) -> str:
    fallback = {"Cc": "CONTROL CHARACTER", "Cs": "LONE SURROGATE"}
    name = unicodedata.name(character, fallback.get(unicodedata.category(character), "UNNAMED CHARACTER"))
    return f"U+{ord(character):04X} {name}"


def _respelled_hint(code: str, label: str, respelled: str) -> str:
    written = quote(respelled)
    if respelled in _SPECIAL:
        return f"{'no' if respelled == 'N' else 'an unknown'} chord is written {written}"
    if code == "KT310":
        return f"{'German `H` is `B`' if label[0] == 'H' else 'roots are upper case'}: {written}"
    return _RESPELLED_HINTS.get(code, "write {}").format(written)
