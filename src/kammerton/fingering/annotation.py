# SPDX-License-Identifier: MIT
"""Pitches, finger labels, and the fingering of a piece.

The grammar of labels, in the notation of PIG and what is near to it::

    label   = list | "(" list ")"
    list    = finger { joint finger } [ "_" ]
    joint   = "_" | "-"
    finger  = [ "-" | "L" | "R" ] number

Numbers are never handed to ``int``: Python reads ``"4_1"`` as 41.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, some_repr
from kammerton.errors import Diagnostic, LabelError, OptionError, Severity, quote

# --- pitches --------------------------------------------------------------------------------------------

LOWEST_KEY, HIGHEST_KEY = 21, 108
"""A0 and C8, the outer keys of a piano, as MIDI numbers."""
MAX_ACCIDENTALS = 4
_LETTERS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
_NAMES = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
_SPELLED = re.compile(rf"([A-G])(#{{0,{MAX_ACCIDENTALS}}}|b{{0,{MAX_ACCIDENTALS}}})(-?)([0-9]{{1,2}})")
_MIDI = re.compile(r"([0-9]{1,3})(?:\.0*)?")


def midi_of(letter: str, alteration: int, octave: int) -> int:
    """Return the MIDI number of a pitch; the octave is that of the letter.

    Examples
    --------
    >>> midi_of("B", 1, 3), midi_of("C", -1, 4)
    (60, 59)
    """
    return 12 * (octave + 1) + _LETTERS[letter] + alteration


@lru_cache(maxsize=1024)
def parse_pitch(text: str, /) -> int | None:
    """Return the MIDI number of a spelled pitch, or None if the text is none.

    Examples
    --------
    >>> [parse_pitch(text) for text in ("C#4", "Db4", "C##5", "Bbb2", "E#4", "H4")]
    [61, 61, 74, 45, 65, None]
    """
    match = _SPELLED.fullmatch(text)
    if match is None:
        return None
    letter, signs, minus, digits = match.groups()
    alteration = -len(signs) if signs.startswith("b") else len(signs)
    midi = midi_of(letter, alteration, -int(digits) if minus else int(digits))
    return midi if 0 <= midi <= 127 else None


def parse_midi(text: str, /) -> int | None:
    """Return the MIDI number that a text is, or None.

    Examples
    --------
    >>> [parse_midi(text) for text in ("60", "60.0", "60.5", "128", "1_0")]
    [60, 60, None, None, None]
    """
    match = _MIDI.fullmatch(text)
    return int(match[1]) if match is not None and int(match[1]) <= 127 else None


def read_pitch(text: str, /) -> tuple[int, Diagnostic | None]:
    """Return the MIDI number of a spelled pitch, or -1 and what is wrong."""
    midi = parse_pitch(text)
    return (-1, diagnose_pitch(text)) if midi is None else (midi, None)


def read_key(text: str, /) -> tuple[int, Diagnostic | None]:
    """Return the MIDI number of a number or a spelled pitch, or -1 and what is wrong."""
    midi = parse_midi(text)
    return read_pitch(text) if midi is None else (midi, None)


def spell(midi: int, /) -> str:
    """Return the usual spelling of a MIDI number: two of the black keys sharp, three flat.

    Examples
    --------
    >>> spell(61), spell(63), spell(0)
    ('C#4', 'Eb4', 'C-1')
    """
    return f"{_NAMES[midi % 12]}{midi // 12 - 1}"


def diagnose_pitch(text: str, /) -> Diagnostic:
    """Return the diagnostic of a text that is no pitch."""
    hint = "a pitch is a letter, `#` or `b`, and an octave, as in `C#4`; C4 is the middle C"
    upper, ascii_spelling = text[:1].upper() + text[1:], text.replace("♯", "#").replace("♭", "b")
    if text[:1] == "H":
        hint = "German `H` is `B`, `B` is `Bb`"
    elif text != upper and parse_pitch(upper) is not None:
        hint = f"letters are upper case: {quote(upper)}"
    elif parse_pitch(ascii_spelling) is not None:
        hint = f"write {quote(ascii_spelling)}"
    message = f"not a pitch: {quote(text)}"
    return Diagnostic(code="KT341", severity="error", message=message, hint=hint)


# --- labels ---------------------------------------------------------------------------------------------

Encoding = Literal["pig", "1-10", "0-9", "L1/R5"]
ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)
"""Ways in which numbers mean fingers."""
RIGHT, LEFT, UNKNOWN = 0, 1, -1
"""Codes of hands."""
MISSING = ""
"""Label of a note that nobody fingered."""

_CODES: Mapping[str, Mapping[str, int]] = {
    "1-10": {str(code): -code if code < 6 else code - 5 for code in range(1, 11)},
    "0-9": {str(code): code + 1 if code < 5 else 4 - code for code in range(10)},
}
"""Signed finger of each number where the number alone tells the hand."""
CODED_NUMBERS = frozenset(_CODES["1-10"])
"""Numbers that are fingers where they count through both hands from 1."""
_FINGERS = {str(finger): finger for finger in range(1, 6)}

_NUMBER = r"[0-9]++(?:\.[0-9]*+)?+(?:[eE][+-]?+[0-9]++)?+"
_LIST = re.compile(rf"(?:[LRlr]|-)?+{_NUMBER}(?:[_-](?:[LRlr]|-)?+{_NUMBER})*+_?+")
_FINGER = re.compile(rf"(?P<mark>[LRlr]|-)?+(?P<number>{_NUMBER})")
_PIG = re.compile(r"-?[1-5](?:_-?[1-5])*+_?")
_NOTHING = frozenset(("", "0", ".", "x", "noinfo"))
"""What tools write for a note without finger, in any case."""
_WHOLE = re.compile(r"(?<=[0-9])\.0*+(?![0-9eE.])")
"""What a number may end in that is whole: scores have `1.`, tables in which fingers are missing `1.0`."""
_DASHES = str.maketrans({"\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "\N{HYPHEN}": "-"})
_HINTS: Mapping[str, str] = {
    "pig": "fingers are 1 to 5, of the left hand -1 to -5; no finger is `0` or `x`",
    "1-10": "1 to 5 are the left hand from the thumb on, 6 to 10 the right; no finger is `0`",
    "0-9": "0 to 4 are the right hand from the thumb on, 5 to 9 the left; no finger is `x`",
    "L1/R5": "fingers are `L1` to `L5` and `R1` to `R5`; no finger is `0` or `x`",
}


@dataclass(frozen=True, slots=True)
class FingerLabel:
    """The fingers of one note.

    Examples
    --------
    >>> label = parse_label("-2_-1")
    >>> label.fingers, label.strike, label.hand == LEFT
    ((-2, -1), -2, True)
    >>> str(parse_label("7-8", encoding="1-10"))
    '2_3'
    """

    # 1 to 5 of the right hand, -1 to -5 of the left, thumbs first; the first one strikes the key, each
    # further one takes it over from the one before
    fingers: tuple[int, ...]

    @property
    def strike(self) -> int:
        """The finger that strikes the key."""
        return self.fingers[0]

    @property
    def hand(self) -> int:
        """The hand that strikes the key."""
        return RIGHT if self.strike > 0 else LEFT

    def __str__(self) -> str:
        return "_".join(map(str, self.fingers))


@dataclass(frozen=True, slots=True)
class LabelMeaning:
    """What a text means."""

    label: FingerLabel | None = None  # none if the note has no finger, or the text is none
    # the label in the notation of PIG, as annotations keep and compare it; empty where missing
    canonical: str = MISSING
    # what is wrong or odd about the text; its column lies within the text
    diagnostic: Diagnostic | None = None


def parse_label(text: str, /, *, encoding: Encoding = "pig", hand: int = UNKNOWN) -> FingerLabel | None:
    """Read one finger label.

    Examples
    --------
    >>> str(parse_label("4-1")), str(parse_label("4-1", hand=LEFT))
    ('4_1', '-4_-1')
    >>> parse_label("7", encoding="1-10").fingers, parse_label("7", encoding="0-9").fingers
    ((2,), (-3,))
    >>> parse_label("Noinfo") is None
    True
    >>> parse_label("4_6")
    Traceback (most recent call last):
    kammerton.errors.LabelError: 3: KT330 `6` is not a finger
      help: fingers are 1 to 5; if numbers count through both hands: label_encoding 1-10 or 0-9
    """
    meaning = inspect(text, encoding, hand)
    if meaning.diagnostic is not None and meaning.diagnostic.severity == "error":
        raise LabelError(meaning.diagnostic)
    return meaning.label


@lru_cache(maxsize=1 << 14)
def inspect(text: str, encoding: Encoding = "pig", hand: int = UNKNOWN) -> LabelMeaning:
    """Return what a text means, without raising; ``hand`` is that of the note.

    Text that is in the notation of PIG already stays as it is written.

    Examples
    --------
    >>> [inspect(text).canonical for text in ("4_", "(1)", "L2", "x")]
    ['4_', '1', '-2', '']
    """
    if encoding not in ENCODINGS:
        raise OptionError.unknown("encoding of finger labels", encoding, ENCODINGS)
    stripped = text.strip(" \t")
    if stripped.casefold() in _NOTHING and (encoding, stripped) != ("0-9", "0"):
        return LabelMeaning()
    begin = text.index(stripped)
    if len(stripped) > 2 and stripped[0] == "(" and stripped[-1] == ")":
        stripped, begin = stripped[1:-1], begin + 1
    listed = _listed(stripped, begin, encoding, hand) if _LIST.fullmatch(stripped) else None
    if listed is not None and listed.diagnostic is None:
        return listed
    respelled = _WHOLE.sub("", unicodedata.normalize("NFKC", text).translate(_DASHES))
    if respelled != text:
        meaning = inspect(respelled, encoding, hand)
        if meaning.diagnostic is None:
            message = f"{quote(text)} read as {quote(respelled)}"
            return LabelMeaning(
                meaning.label, meaning.canonical, _about("KT332", "warning", message, 0, len(text))
            )
        if listed is None and meaning.diagnostic.severity == "error":
            return LabelMeaning(diagnostic=meaning.diagnostic.at(column=1, length=len(text)))
    if listed is not None:
        return listed
    message = f"not a finger label, the note counts as without finger: {quote(text)}"
    return LabelMeaning(diagnostic=_about("KT331", "warning", message, 0, len(text), _HINTS[encoding]))


def _about(
    code: str, severity: Severity, message: str, begin: int, length: int, hint: str | None = None
) -> Diagnostic:
    return Diagnostic(
        code=code, severity=severity, message=message, column=begin + 1, length=length, hint=hint
    )


def _parts(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """Give each finger as it is written, and the hand that it names, or the one before it."""
    begin, hand = 0, UNKNOWN
    while part := _FINGER.match(text, begin):
        if part["mark"] is not None:
            hand = RIGHT if part["mark"] in "Rr" else LEFT
        elif text[begin - 1 : begin] == "_" and not text[0].isalpha():
            hand = UNKNOWN  # PIG repeats the sign: `-2_1` hands over to the right thumb
        yield part, hand
        begin = part.end() + 1


def _listed(text: str, begin: int, encoding: Encoding, hand: int) -> LabelMeaning:
    parts = list(_parts(text))
    signed = any(named != UNKNOWN for _, named in parts)
    fingers = []
    for part, named in parts:
        finger = _finger_of(part, encoding, named, named if signed else hand)
        if finger is None:
            return LabelMeaning(diagnostic=_not_a_finger(part, named, begin, encoding))
        fingers.append(finger)
    label = FingerLabel(tuple(fingers))
    as_written = encoding == "pig" and (signed or hand != LEFT) and _PIG.fullmatch(text)
    return LabelMeaning(label, text if as_written else str(label))


def _finger_of(part: re.Match[str], encoding: Encoding, named: int, hand: int) -> int | None:
    """Return the signed finger, or None if there is no such finger, or no hand that has it."""
    if encoding in _CODES and (part["mark"] == "-" or named == UNKNOWN):
        return None if part["mark"] == "-" else _CODES[encoding].get(part["number"])
    finger = _FINGERS.get(part["number"])
    if finger is None or (hand == UNKNOWN and encoding == "L1/R5"):
        return None
    return -finger if hand == LEFT else finger


def _not_a_finger(part: re.Match[str], named: int, begin: int, encoding: Encoding) -> Diagnostic:
    start, length, hint = begin + part.start(), len(part[0]), _HINTS[encoding]
    if part["number"] in _FINGERS and encoding == "L1/R5":
        return _about("KT333", "error", f"{quote(part[0])} has no hand", start, length, hint)
    if encoding == "pig" and named == UNKNOWN and part["number"] in CODED_NUMBERS:
        hint = "fingers are 1 to 5; if numbers count through both hands: --label-encoding 1-10 or 0-9"
    return _about("KT330", "error", f"{quote(part[0])} is not a finger", start, length, hint)


# --- tables of labels -----------------------------------------------------------------------------------

Comparison = Literal["strike", "finger", "exact", "any", "text"]
"""When two labels match: *strike*: same hand and first finger; *finger*: same first finger;
*exact*: same fingers in the same order; *any*: a finger in common; *text*: same code."""
SIGNED_FINGERS = (1, 2, 3, 4, 5, -1, -2, -3, -4, -5)
"""Rows 1 to 10 of a table of confusions, whose row 0 is the missing label."""


@dataclass(frozen=True, eq=False)
class LabelTable:
    """What each label code stands for."""

    strikes: Codes  # first finger, negative in the left hand; 0 for a missing label
    releases: Codes  # last finger, which lets the key go, likewise; 0 also if it is of the other hand
    tuples: Codes  # number of the tuple of fingers, 0 for none: two spellings of one tuple have one number
    fingers: Codes  # the set of fingers, a bit for each of :data:`SIGNED_FINGERS`

    @cached_property
    def hands(self) -> Codes:
        """The hand that strikes, -1 for a missing label."""
        return hands_of_labels(self.strikes)

    def values(self, comparison: Comparison) -> Codes:
        """Return the value of each label that a comparison looks at, 0 where missing."""
        if comparison == "strike":
            return self.strikes
        if comparison == "finger":
            return np.abs(self.strikes)
        if comparison == "exact":
            return self.tuples
        return self.fingers if comparison == "any" else np.arange(len(self.strikes))


def tabulate(labels: Sequence[str]) -> LabelTable:
    """Build the table of distinct labels.

    Examples
    --------
    >>> tabulate(["", "4_1", "-2"]).strikes
    array([ 0,  4, -2])
    """
    parsed = [parse_label(label) for label in labels]
    fingers = [() if label is None else label.fingers for label in parsed]
    numbers: dict[tuple[int, ...], int] = {(): 0}
    strikes = [label[0] if label else 0 for label in fingers]
    releases = [label[-1] if label and label[-1] * label[0] > 0 else 0 for label in fingers]
    tuples = [numbers.setdefault(label, len(numbers)) for label in fingers]
    sets = [sum(1 << SIGNED_FINGERS.index(finger) for finger in set(label)) for label in fingers]
    return LabelTable(*(np.array(column, dtype=np.int64) for column in (strikes, releases, tuples, sets)))


def hands_of_labels(strikes: Codes) -> Codes:
    """Return the hand of each struck finger, -1 where missing."""
    return np.where(strikes == 0, UNKNOWN, np.where(strikes > 0, RIGHT, LEFT))


_numbers = {MISSING: 0}
"""Code of every label that any fingering has had: there are few, and each is looked at once."""


def number_of_label(label: str) -> int:
    """Return the code that a label has in :attr:`Fingering.codes`."""
    return _numbers.setdefault(label, len(_numbers))


def label_table() -> LabelTable:
    """Return what the codes of all labels stand for that any fingering has had."""
    return _tabulated(len(_numbers))


@lru_cache(maxsize=1)
def _tabulated(count: int) -> LabelTable:
    return tabulate(list(_numbers)[:count])


# --- fingerings -----------------------------------------------------------------------------------------

TimeUnit = Literal["s", "quarters"]
"""Seconds; or quarter notes, of a score whose tempo nobody knows."""


@dataclass(frozen=True, eq=False)
class Fingering:
    """Notes of one piece as one annotator or system fingered them.

    Parameters
    ----------
    onsets, offsets : ndarray of float64, shape (n,)
        In the unit of time; in the order of the source.
    pitches : ndarray of int64, shape (n,)
        MIDI numbers.
    hands : ndarray of int64, shape (n,)
        The hand that the source gives a note to, whether it is fingered or not: 0 right, 1 left, -1
        unknown.
    labels : tuple of str, length n
        Labels in the notation of PIG: ``"1"`` to ``"5"`` of the right hand, ``"-1"`` to ``"-5"`` of
        the left, substitutions as ``"4_1"``; empty where missing.
    line_of : callable, optional
        ``line_of(note)`` returns the line of the file that a note stands in, None if there is none. It
        does not go along to other processes.
    unit : {"s", "quarters"}
        Unit of time.
    place_of : callable, optional
        ``place_of(note)`` says where in a score a note stands, as ``"measure 3, beat 2.5"``. It does not go
        along either.

    Notes
    -----
    Made by :func:`kammerton.fingering.formats.read_fingering` and by everything that takes fingers and
    pitches; the constructor does not check.
    """

    onsets: NDArray[np.float64]
    offsets: NDArray[np.float64]
    pitches: NDArray[np.int64]
    hands: NDArray[np.int64]
    labels: tuple[str, ...]
    line_of: Callable[[int], int | None] | None = None
    unit: TimeUnit = "s"
    place_of: Callable[[int], str] | None = None

    def __getstate__(self) -> dict[str, object]:
        state = {**self.__dict__, "line_of": None, "place_of": None}
        # another process numbers labels in an order of its own; the rest is found again sooner than sent
        for name in ("codes", "label_hands", "played_hands", "lacking"):
            state.pop(name, None)
        return state

    def __repr__(self) -> str:
        """Show notes and labels, of many the first and the last."""
        names = ("onsets", "offsets", "pitches", "hands", "labels")
        return f"Fingering({', '.join(f'{name}={some_repr(getattr(self, name))}' for name in names)})"

    def __len__(self) -> int:
        """Return the number of notes."""
        return len(self.labels)

    def moment(self, note: int) -> str:
        """Return when a note begins, as messages say it.

        Examples
        --------
        >>> column = np.array([1.25])
        >>> Fingering(column, column, column, column, ("1",)).moment(0)
        '1.25 s'
        """
        if self.place_of is not None:
            return self.place_of(note)
        return f"{float(self.onsets[note]):.6g} {self.unit}"

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """Code of each label, 0 where missing; see :func:`label_table`."""
        for label in sorted(set(self.labels) - _numbers.keys()):
            number_of_label(label)
        return np.fromiter(map(_numbers.__getitem__, self.labels), dtype=np.int64, count=len(self.labels))

    @cached_property
    def label_hands(self) -> NDArray[np.int64]:
        """The hand of each note by the sign of its label, -1 where there is no label."""
        codes = self.codes  # a label is in the table once its code was asked for
        return label_table().hands[codes]

    @property
    def strikes(self) -> NDArray[np.int64]:
        """The signed finger that strikes each note, 0 where it is missing."""
        codes = self.codes
        return label_table().strikes[codes]

    @cached_property
    def played_hands(self) -> NDArray[np.int64]:
        """The hand of each note by its label or the source, -1 where neither has it.

        A finger without sign is of the right hand only in a piece in which another finger has a sign.
        """
        hands = np.where(self.label_hands == UNKNOWN, self.hands, self.label_hands)
        if not (self.label_hands == LEFT).any():
            hands[self.hands == UNKNOWN] = UNKNOWN
        return hands

    @cached_property
    def lacking(self) -> frozenset[str]:
        """What is missing of ``"fingers"``, ``"pitches"``, ``"onsets"``, ``"durations"`` and ``"hands"``."""
        fingered = self.codes != 0
        if not fingered.any():
            return self._placeholders | {"fingers"}
        if not (fingered & (self.played_hands != UNKNOWN)).any():
            return self._placeholders | {"hands"}
        return self._placeholders

    @cached_property
    def _placeholders(self) -> frozenset[str]:
        """What of the notes stands for nothing.

        Labels alone have neither pitches nor times: those that they have are placeholders. Nor has a piece of
        several notes that all begin at one time and end there.
        """
        if (self.pitches < 0).all():
            return frozenset(("pitches", "onsets", "durations"))
        if not (self.offsets <= self.onsets).all():
            return frozenset()
        at_once = len(self) > 1 and (self.onsets == self.onsets[0]).all()
        return frozenset(("onsets", "durations") if at_once else ("durations",))

    def labelled(self, codes: NDArray[np.int64], line_of: Callable[[int], int]) -> Fingering:
        """Return the same notes with the labels of these codes, as another file has them."""
        labels = tuple(map(tuple(_numbers).__getitem__, codes.tolist()))
        fingering = Fingering(self.onsets, self.offsets, self.pitches, self.hands, labels, line_of)
        # sooner known here than from the labels and the notes
        vars(fingering).update(codes=codes, _placeholders=self._placeholders)
        return fingering
