# SPDX-License-Identifier: MIT
"""Measures of one piece, and rules of a hand, for those who have fingers in Python."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kammerton.arrays import Codes, ratio
from kammerton.errors import DataError, Diagnostic, OptionError, plural, quote
from kammerton.fingering.annotation import (
    ENCODINGS,
    LEFT,
    RIGHT,
    SIGNED_FINGERS,
    UNKNOWN,
    Encoding,
    Fingering,
    FingerLabel,
    LabelMeaning,
    hands_of_labels,
    inspect,
)
from kammerton.fingering.judging import (
    LARGE_SPAN,
    ORDER,
    SAME_FINGER,
    KeyPresses,
    Playability,
    Profile,
    SkillLevel,
    SpanLimits,
    ViolationRate,
    consecutive_notes,
    judge_steps,
    limits_of,
)
from kammerton.fingering.match_rates import (
    MATCH_RATE,
    FingerColumns,
    Matches,
    Share,
    build_columns,
    confusion_counts,
    finger_counts,
    hand_confusions,
)
from kammerton.model.task import Case

Statistics = NDArray[np.float64]
Integers = Sequence[int] | Sequence[int | None] | NDArray[np.integer]
Hands = Sequence[str | int | None] | NDArray[np.integer] | NDArray[np.str_]
"""``"R"`` and ``"L"``, ``"right"`` and ``"left"``, or 0 (right) and 1 (left); None if not known."""
_HANDS = {0: RIGHT, 1: LEFT, "r": RIGHT, "l": LEFT, "right": RIGHT, "left": LEFT, None: UNKNOWN}
Hand = Literal["right", "left"]
Layout = Literal["by_note", "by_annotator"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
RatesProtocol = Literal["pianovam", "nakamura2020", "strike"]
PROTOCOLS: tuple[RatesProtocol, ...] = get_args(RatesProtocol)

# --- arguments ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Labels:
    """Labels of one annotator or system."""

    # in the notation of PIG; empty where missing. Without signs or hands, fingers are of the right.
    labels: tuple[str, ...]
    tells_hands: bool  # whether the labels themselves say which hand
    remarks: tuple[str, ...]  # what was odd about them

    def on_notes(self) -> Fingering:
        """Stand in for notes that are the same for all: only labels are compared."""
        nothing = np.zeros(len(self.labels))
        return Fingering(nothing, nothing, nothing.astype(np.int64), nothing.astype(np.int64), self.labels)


def _fail(code: str, message: str, hint: str | None = None) -> DataError:
    """Return the error that says what is wrong with an argument."""
    return DataError((Diagnostic(code=code, severity="error", message=message, hint=hint),))


def _elements(values: object, name: str, code: str) -> list[object]:
    """Return the elements of a list, tuple or array as plain Python values."""
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise _fail(code, f"{name} must have one dimension, not shape {values.shape}")
        return list(values.tolist())
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise _fail(code, f"{name} must be a sequence, not {type(values).__name__}")
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _checked(
    values: object, name: str, code: str, is_valid: Callable[[Any], bool], kind: str, hint: str | None = None
) -> list[Any]:
    """Return the elements of a sequence, each of which must be valid."""
    elements = _elements(values, name, code)
    for note, value in enumerate(elements):
        if not is_valid(value):
            raise _fail(code, f"{name}[{note}] is not {kind}: {quote(repr(value))}", hint)
    return elements


def _as_fingers(values: object) -> Codes:
    """Check fingers given as numbers: 1 to 5, negative in the left hand, 0 or None where missing."""
    hint = "fingers are 1 to 5, of the left hand -1 to -5; 0 or None where there is none"
    fingers = _checked(values, "fingers", "KT381", _is_finger, "a finger", hint)
    return np.array([finger or 0 for finger in fingers], dtype=np.int64)


def _is_finger(value: object) -> bool:
    return value is None or (_is_whole(value) and -5 <= value <= 5)


def _as_pitches(values: object) -> Codes:
    """Check MIDI numbers."""
    pitches = _checked(values, "pitches", "KT382", _is_key, "a MIDI number", "0 to 127")
    return np.array(pitches, dtype=np.int64)


def _is_key(value: object) -> bool:
    return _is_whole(value) and 0 <= value <= 127


def _as_hands(values: Hands) -> Codes:
    """Check hands: 0 right, 1 left, -1 unknown."""
    hint = 'hands are "R" and "L", "right" and "left", or 0 and 1'
    hands = _checked(values, "hands", "KT383", _is_hand, "a hand", hint)
    return np.array([_HANDS[_folded(hand)] for hand in hands], dtype=np.int64)


def _is_hand(value: object) -> bool:
    is_name = isinstance(value, str | int | None) and not isinstance(value, bool)
    return is_name and _folded(value) in _HANDS


def _folded(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def _is_time(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value)


def _as_labels(values: object, name: str, encoding: Encoding, hands: Codes | None) -> _Labels:
    """Check labels, given as numbers or text."""
    if encoding not in ENCODINGS:
        raise OptionError.unknown("encoding of finger labels", encoding, ENCODINGS)
    texts = [_text(value, name, note) for note, value in enumerate(_elements(values, name, "KT381"))]
    tells_hands = encoding in ("1-10", "0-9") or any(_tells_hand(text, encoding) for text in set(texts))
    if hands is None or (tells_hands and encoding != "L1/R5"):
        meanings = [inspect(text, encoding) for text in texts]
    else:
        _check_lengths({name: len(texts), "hands": len(hands)})
        meanings = [inspect(text, encoding, hand) for text, hand in zip(texts, hands.tolist(), strict=True)]
    labels = tuple(meaning.canonical for meaning in meanings)
    return _Labels(labels, tells_hands, tuple(_remarks(meanings, name)))


def _text(value: object, name: str, note: int) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):  # so pandas has it
        return ""
    if isinstance(value, str | FingerLabel):
        return str(value)
    if _is_whole(value) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    raise _fail("KT381", f"{name}[{note}] is not a finger: {quote(repr(value))}", "a number, text or None")


def _tells_hand(text: str, encoding: Encoding) -> bool:
    right, left = (inspect(text, encoding, hand).label for hand in (RIGHT, LEFT))
    return right is not None and right == left


def _remarks(meanings: Sequence[LabelMeaning], name: str) -> Iterator[str]:
    odd: Counter[str] = Counter()
    for note, meaning in enumerate(meanings):
        problem = meaning.diagnostic
        if problem is not None and problem.severity == "error":
            # the option of the command line is an argument here
            hint = problem.hint and problem.hint.replace("--label-encoding ", "encoding ")
            raise _fail("KT381", f"{name}[{note}] is not a finger: {problem.message}", hint)
        if problem is not None:
            odd[problem.message] += 1
    for message, count in odd.items():
        yield f"{name}: {message}" + (f" ({count:,} times)" if count > 1 else "")


def _split_annotators(
    values: object, name: str, notes: int, layout: Layout | None
) -> tuple[list[list[object]], tuple[str, ...]]:
    """Tell the annotators of a ground truth apart."""
    if layout is not None and layout not in LAYOUTS:
        raise OptionError.unknown("layout", layout, LAYOUTS)
    if isinstance(values, np.ndarray) and values.ndim == 2:
        values = list(values)
    rows = _elements(values, name, "KT381")
    if not any(_is_nested(row) for row in rows):
        _check_lengths({"predictions": notes, name: len(rows)})
        return [rows], ()
    inner = [_elements(row, name, "KT381") if _is_nested(row) else [row] for row in rows]
    by_note, by_annotator = len(rows) == notes, all(len(row) == notes for row in inner)
    if layout is None and by_note and by_annotator and notes > 1:
        message = f"{name} of {notes} by {notes} labels may go by note or by annotator"
        raise OptionError(message, 'layout="by_note": one list for each note; else layout="by_annotator"')
    if layout == "by_annotator" or (layout is None and by_annotator and not by_note):
        for number, row in enumerate(inner):
            _check_lengths({"predictions": notes, f"{name}[{number}]": len(row)})
        return inner, ()
    _check_lengths({"predictions": notes, name: len(rows)})
    return _columns_of_notes(inner, name)


def _is_nested(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _columns_of_notes(rows: list[list[object]], name: str) -> tuple[list[list[object]], tuple[str, ...]]:
    fewest, most = min(map(len, rows)), max(map(len, rows))
    columns = [[row[number] if number < len(row) else None for row in rows] for number in range(most)]
    if fewest == most:
        return columns, ()
    remark = f"{name} has {fewest} to {most} labels a note: the n-th of a note is taken for annotator n"
    return columns, (remark,)


def _check_lengths(lengths: Mapping[str, int]) -> None:
    """Check that columns are equally long."""
    (first, count), *others = lengths.items()
    for name, length in others:
        if length != count:
            raise _fail("KT380", f"{first} has {plural(count, 'note')}, but {name} has {length:,}")


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


# --- results --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FingerScore:
    """How well one finger is predicted, against the first annotator; NaN where undefined."""

    # precision, recall, f1: right over predicted, right over in the reference, and their harmonic mean
    precision: float
    recall: float
    f1: float
    # predicted, support: notes with the finger in the predictions and in the reference
    predicted: int
    support: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FingeringResult:
    """Measures of one piece: None is *not evaluated*, NaN is *undefined*."""

    protocol: RatesProtocol  # whose rules hold for ``accuracy``, ``m_gen`` and ``m_high``, and for the tables
    # agreement with the first annotator; a note that is not predicted is a miss
    accuracy: float | None = None
    m_gen: float | None = None  # mean agreement with the annotators
    # *pianovam*: agreement with any annotator, note by note, of fingers without their hand. Elsewhere:
    # agreement with the closest annotator of each hand.
    m_high: float | None = None
    m_soft: float | None = None  # agreement with any annotator, note by note, of fingers of a hand
    m_rec: float | None = None  # agreement with a reference recombined from the annotators
    # steps within a hand that break a constraint of the document, over all that were judged
    ifr: float | None = None
    hand_accuracy: float | None = None  # notes in the right hand; None where nothing tells the hands
    # by finger 1 to 5; but for *pianovam* also -1 to -5 of the left hand
    per_finger: Mapping[int, FingerScore] | None = None
    # notes by finger of the first annotator (rows) and of the predictions (columns). But for *pianovam*
    # without notes in the wrong hand.
    confusion: Codes | None = None
    # num_notes, num_annotators: notes, and annotators that took part
    num_notes: int = 0
    num_annotators: int = 0
    notes: tuple[str, ...] = ()  # what was assumed, left out or not evaluated


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Arguments of a call, checked."""

    est: _Labels  # predictions
    refs: tuple[_Labels, ...]  # annotators who labelled any note
    # hands, pitches: as given
    hands: Codes | None
    pitches: Codes | None

    @property
    def tells_hands(self) -> bool:
        """Whether any label tells its hand; then those without sign are of the right."""
        return any(column.tells_hands for column in (self.est, *self.refs))

    def encode(self) -> FingerColumns:
        """Encode the labels; without annotators against one who labelled nothing."""
        refs = self.refs or (_Labels(("",) * len(self.est.labels), False, ()),)
        return build_columns([Case(tuple(ref.on_notes() for ref in refs), self.est.on_notes())])


class FingeringMetrics:
    """Evaluates predicted fingers of one piece.

    Parameters
    ----------
    protocol : {"pianovam", "nakamura2020", "strike"}
        *pianovam*: Accuracy, M_gen and M_high as the evaluation document of PianoVAM has them, fingers
        without their hand. *nakamura2020*: M_gen, M_high, M_soft and M_rec as published with PIG.
        *strike*: the same on struck fingers and with missing labels.

    Raises
    ------
    OptionError
        If there is no such protocol.

    Examples
    --------
    >>> metrics = FingeringMetrics()
    >>> predictions, ground_truth = [1, 2, 3, 1], [[1, 1], [2, 3], [3, 3], [4, 4]]
    >>> result = metrics.evaluate(predictions, ground_truth, pitches=[60, 62, 64, 65])
    >>> result.accuracy, result.m_gen, result.m_high, result.ifr
    (0.75, 0.625, 0.75, 0.0)
    >>> print(*result.notes)
    fingers have no signs and no hands are given: one hand is assumed, crossings are not judged
    >>> metrics.evaluate(predictions).accuracy is None
    True
    """

    def __init__(self, protocol: RatesProtocol = "pianovam") -> None:
        if protocol not in PROTOCOLS:
            raise OptionError.unknown("protocol", protocol, PROTOCOLS)
        self.protocol = protocol

    def evaluate(
        self,
        predictions: object,
        ground_truth: object = None,
        *,
        pitches: Integers | None = None,
        hands: Hands | None = None,
        onsets: ArrayLike | None = None,
        layout: Layout | None = None,
        encoding: Encoding = "pig",
    ) -> FingeringResult:
        """Compare predictions with one or several annotators, and judge whether they can be played.

        Parameters
        ----------
        predictions : sequence
            A label for each note: a number, text, or None where there is none.
        ground_truth : sequence, optional
            Labels of one annotator, or a list for each note or for each annotator.
        pitches : sequence of int, optional
            MIDI numbers; without them there is no IFR.
        hands : sequence, optional
            ``"R"`` and ``"L"``, ``"right"`` and ``"left"``, or 0 (right) and 1 (left). They decide
            which steps IFR judges, and whose fingers labels without sign are; without hands the signs
            of the labels decide.
        onsets : sequence of float, optional
            Checked, but not needed: notes are taken in the order given.
        layout : {"by_note", "by_annotator"}, optional
            What the inner lists of ``ground_truth`` hold; needed only where both are possible.
        encoding : {"pig", "1-10", "0-9", "L1/R5"}
            What numbers mean (:func:`kammerton.fingering.annotation.parse_label`).

        Returns
        -------
        FingeringResult

        Raises
        ------
        DataError
            If an argument is not what it should be (KT380 to KT384).
        OptionError
            If an option is not possible, or the layout is needed.
        """
        of_hands = None if hands is None else _as_hands(hands)
        known_hands = of_hands if of_hands is not None and (of_hands != UNKNOWN).any() else None
        est = _as_labels(predictions, "predictions", encoding, known_hands)
        keys = None if pitches is None else _as_pitches(pitches)
        times = None if onsets is None else _checked(onsets, "onsets", "KT384", _is_time, "a time")
        columns = {"predictions": est.labels, "hands": of_hands, "pitches": keys, "onsets": times}
        lengths = {name: len(column) for name, column in columns.items() if column is not None}
        _check_lengths(lengths)
        remarks: tuple[str, ...] = (_NO_GROUND_TRUTH,)
        piece, measured = _Piece(est, (), known_hands, keys), {}
        if ground_truth is not None:
            rows, odd = _split_annotators(ground_truth, "ground_truth", lengths["predictions"], layout)
            refs = [_as_labels(row, "ground_truth", encoding, known_hands) for row in rows]
            piece = _Piece(est, tuple(ref for ref in refs if any(ref.labels)), known_hands, keys)
            measured = _measure(self.protocol, piece)
            remarks = (*odd, *_about_annotators(self.protocol, refs))
        return FingeringResult(
            protocol=self.protocol,
            ifr=_irrational_rate(piece),
            hand_accuracy=_hand_accuracy(piece),
            num_notes=lengths["predictions"],
            notes=(*est.remarks, *remarks, *_about_hands(piece)),
            **measured,
        )


_NO_GROUND_TRUTH = "no ground truth: accuracy, m_gen, m_high, m_soft and m_rec are not evaluated"
_ACCURACY, _HAND_ACCURACY = Share("matched", "labelled"), Share("same_hand", "labelled")


def _measure(protocol: RatesProtocol, piece: _Piece) -> dict[str, Any]:
    """Return what annotators are needed for, by field of the result."""
    columns = piece.encode()
    (whole,), (complete,), table = columns.pieces, columns.complete, columns.table
    taken = complete if protocol == "nakamura2020" else whole
    unsigned, strike = Matches(whole, table, "finger"), Matches(taken, table)
    first = unsigned if protocol == "pianovam" else Matches(whole, table)
    general, highest = strike.general_by_annotator(), strike.closest()
    if protocol == "pianovam":
        general, highest = unsigned.general_by_note(), unsigned.soft()
    elif protocol == "nakamura2020":
        general = Matches(taken, table, "text").general_by_annotator()
    confusion = confusion_counts(whole, table)[0]
    fingers, counts, square = _tables(protocol, confusion)
    return {
        "accuracy": float(_ACCURACY.finalise(first.against())[0]),
        "m_gen": _rate(general),
        "m_high": _rate(highest),
        "m_soft": _rate(strike.soft()),
        "m_rec": _rate(strike.recombined()),
        "per_finger": dict(zip(fingers, _finger_scores(counts), strict=True)),
        "confusion": square.astype(np.int64),
        "num_annotators": len(taken.refs) if piece.refs else 0,
    }


def _rate(statistics: Statistics) -> float:
    return float(MATCH_RATE.finalise(statistics)[0])


def _tables(protocol: RatesProtocol, confusion: Statistics) -> tuple[Sequence[int], Statistics, Statistics]:
    """Return fingers, their counts, and the confusion of five fingers."""
    if protocol != "pianovam":
        return SIGNED_FINGERS, finger_counts(confusion), hand_confusions(confusion).sum(axis=0)
    without_hand = confusion[:6].copy()
    without_hand[1:] += confusion[6:]
    without_hand[:, 1:6] += without_hand[:, 6:]
    folded = without_hand[:, :6]
    return SIGNED_FINGERS[:5], finger_counts(folded), folded[1:, 1:]


def _finger_scores(counts: Statistics) -> Iterator[FingerScore]:
    right, predicted, support = counts.T
    rates = (ratio(right, predicted), ratio(right, support), ratio(2 * right, predicted + support))
    for precision, recall, f1, *numbers in zip(*rates, predicted, support, strict=True):
        yield FingerScore(float(precision), float(recall), float(f1), *map(int, numbers))


def _irrational_rate(piece: _Piece) -> float | None:
    if piece.pitches is None:
        return None
    strikes, count = piece.est.on_notes().strikes, len(piece.pitches)
    hands = np.full(count, UNKNOWN) if piece.hands is None else piece.hands
    if piece.est.tells_hands:
        hands = np.where(hands == UNKNOWN, hands_of_labels(strikes), hands)
    no_time, fingers = np.zeros(count), np.abs(strikes)
    presses = KeyPresses(fingers, fingers, hands, piece.pitches, no_time, no_time, np.array([0, count]))
    judged = Playability(presses).in_order(limits_of("pianovam")).statistics
    return float(ViolationRate().finalise(judged)[0])


def _hand_accuracy(piece: _Piece) -> float | None:
    """Compare the hands of the predictions with those of the first annotator, else with those given."""
    if piece.refs:
        if piece.hands is None and not piece.tells_hands:
            return None
        columns = piece.encode()
        against = Matches(columns.pieces[0], columns.table).against()
        return float(_HAND_ACCURACY.finalise(against)[0])
    if piece.hands is None or not piece.est.tells_hands:
        return None
    known = piece.hands != UNKNOWN
    same = known & (piece.est.on_notes().label_hands == piece.hands)
    return _rate(np.array([[same.sum(), known.sum()]]))


def _about_annotators(protocol: RatesProtocol, refs: Sequence[_Labels]) -> Iterator[str]:
    yield from dict.fromkeys(remark for ref in refs for remark in ref.remarks)
    silent = sum(not any(ref.labels) for ref in refs)
    if silent:
        yield f"annotators left out, who labelled no note: {silent} of {len(refs)}"
    partial = sum(any(ref.labels) and not all(ref.labels) for ref in refs)
    if protocol == "nakamura2020" and partial:
        what = "left out, who did not label every note"
        if partial + silent == len(refs):
            what = "whose unlabelled notes count as missed, as nobody labelled every note"
        yield f"annotators {what}: {partial} of {len(refs)}"


def _about_hands(piece: _Piece) -> Iterator[str]:
    if piece.hands is not None:
        if piece.refs and not (piece.est.tells_hands or piece.refs[0].tells_hands):
            yield "fingers have no signs: the hand accuracy compares the hands given with themselves"
    elif not piece.tells_hands:
        yield "fingers have no signs and no hands are given: one hand is assumed, crossings are not judged"
    elif not piece.est.tells_hands:
        yield (
            "predictions have no signs but the ground truth has: they are compared as fingers of the "
            "right hand, and crossings are not judged; if they are unsigned, give the hands"
        )
    elif not all(ref.tells_hands for ref in piece.refs):
        yield (
            "predictions have signs but not all of the ground truth has: it is compared as fingers of the "
            "right hand; if it is unsigned, give the hands"
        )
    if piece.pitches is None:
        yield "no pitches: ifr is not evaluated"


# --- rules of a hand ------------------------------------------------------------------------------------

Rule = Literal["same_finger", "crossing", "stretch"]
_HAND_NAMES: Mapping[int, Hand] = {RIGHT: "right", LEFT: "left"}


@dataclass(frozen=True, slots=True)
class Violation:
    """A step from one note to the next that a hand cannot make."""

    note_index: int  # index of the second note
    rule: Rule  # what is wrong
    description: str  # the same in words
    # above 0, at most 1: of a stretch the semitones beyond the limit / 12, of one finger its way in semitones
    # / 12, of a crossing 1
    severity: float
    hand: Hand | None  # which hand, if known


class BiomechanicalConstraints:
    """Rules that consecutive notes of a hand obey, in the order given.

    Parameters
    ----------
    profile : str or Profile
        Span table: ``"pianovam"`` or another of :data:`~kammerton.fingering.judging.PROFILES`, or one
        of your own.
    skill_level : {"beginner", "intermediate", "advanced"}
        Multiplies the largest spans by 0.8, 1.0 or 1.2; fractions are cut off.
    strict : bool
        Whether one finger on another key is always wrong, not only beyond 2 semitones.

    Raises
    ------
    OptionError
        If there is no such profile or skill level.

    Notes
    -----
    Fingers are 1 to 5, or signed (negative in the left hand), or 0 or None where missing. Hands are
    ``"R"`` and ``"L"``, ``"right"`` and ``"left"``, or 0 and 1. Without hands the signs of the fingers
    decide; without signs one hand is assumed, and crossings are not judged.

    Examples
    --------
    >>> constraints = BiomechanicalConstraints()
    >>> violations = constraints.validate_sequence([1, 3, 4], [60, 64, 62], ["R", "R", "R"])
    >>> [(violation.note_index, violation.rule) for violation in violations]
    [(2, 'crossing')]
    >>> constraints.suggest_correction([1, 3, 4], [60, 64, 62], 2, ["R", "R", "R"])
    2
    """

    def __init__(
        self,
        profile: str | Profile = "pianovam",
        skill_level: SkillLevel = "intermediate",
        strict: bool = False,
    ) -> None:
        self.limits: SpanLimits = limits_of(profile, skill_level, strict=strict)

    def validate_sequence(
        self, fingers: Integers, pitches: Integers, hands: Hands | None = None
    ) -> list[Violation]:
        """Return what is wrong, at most one violation for each note.

        Parameters
        ----------
        fingers, pitches : sequence of int
            Fingers, and MIDI numbers.
        hands : sequence, optional
            Hands.

        Raises
        ------
        DataError
            If they are not what they should be, or differ in length (KT380 to KT383).
        """
        numbers, keys, of_hand = _columns(fingers, pitches, hands)
        steps = _steps(numbers, of_hand)
        rules, spans = judge_steps(self.limits, np.abs(numbers[steps]), keys[steps], of_hand[steps[1]])
        return [
            self._violation(int(rules[step]), int(spans[step]), steps[:, step], numbers, keys, of_hand)
            for step in np.flatnonzero(rules)
        ]

    def valid_fingers(
        self, finger: int, pitch: int, next_pitch: int, hand: str | int | None = None
    ) -> list[int]:
        """Return the fingers that may follow on another note of the same hand.

        Parameters
        ----------
        finger, pitch : int
            What was played.
        next_pitch : int
            What is to be played.
        hand : {"R", "L", "right", "left", 0, 1}, optional
            The hand; without it the sign of ``finger``, if negative.

        Returns
        -------
        list of int
            Of 1 to 5, without sign.

        Raises
        ------
        OptionError
            If ``finger`` is 0.
        DataError
            As :meth:`validate_sequence`.
        """
        numbers, keys, of_hand = _columns([finger], [pitch], None if hand is None else [hand])
        if numbers[0] == 0:
            raise OptionError("no finger to go on from")
        fingers = np.stack((np.repeat(np.abs(numbers), 5), np.arange(1, 6)))
        keys = np.stack((keys, _as_pitches([next_pitch])))
        rules, _ = judge_steps(self.limits, fingers, np.repeat(keys, 5, axis=1), np.repeat(of_hand, 5))
        return [int(finger) for finger in fingers[1, rules == 0]]

    def suggest_correction(
        self, fingers: Integers, pitches: Integers, note_index: int, hands: Hands | None = None
    ) -> int | None:
        """Return the finger nearest to the one given that makes both steps of a note legal.

        One that need not slide to another key or from it goes before one that must.

        Parameters
        ----------
        fingers, pitches, hands
            As in :meth:`validate_sequence`.
        note_index : int
            The note.

        Returns
        -------
        int or None
            With the sign of the finger given; None if no finger will do.

        Raises
        ------
        OptionError
            If there is no such note.
        DataError
            As :meth:`validate_sequence`.
        """
        numbers, keys, of_hand = _columns(fingers, pitches, hands)
        if not 0 <= note_index < len(numbers):
            raise OptionError(f"no note {note_index} among {len(numbers)}")
        written = int(numbers[note_index])
        legal = []
        for finger in range(1, 6):
            numbers[note_index] = finger
            steps = _steps(numbers, of_hand)
            steps = steps[:, (steps == note_index).any(axis=0)]
            fingers_of, keys_of = np.abs(numbers[steps]), keys[steps]
            rules, _ = judge_steps(self.limits, fingers_of, keys_of, of_hand[steps[1]])
            slides = bool(((fingers_of[0] == fingers_of[1]) & (keys_of[0] != keys_of[1])).any())
            if not rules.any():
                legal.append((slides, abs(finger - abs(written)), finger))
        return min(legal)[2] * (-1 if written < 0 else 1) if legal else None

    def _violation(
        self, rule: int, span: int, step: Codes, numbers: Codes, keys: Codes, of_hand: Codes
    ) -> Violation:
        low, high = sorted(np.abs(numbers[step]).tolist())
        limits = self.limits
        unit = "semitones" if limits.profile.distance == "semitones" else "steps"
        least, most = int(limits.least[low, high]), int(limits.most[low, high])
        name: Rule = "stretch"
        if rule == SAME_FINGER:
            way = abs(int(keys[step[1]] - keys[step[0]]))
            name, severity = "same_finger", way / 12
            description = f"finger {low} goes {way} semitones to another key"
        elif rule == ORDER:
            name, severity = "crossing", 1.0
            allowed = f"by more than {-least}" if least < 0 else "at all"
            description = f"fingers {low} and {high} may not cross {allowed}: {-span} {unit}"
        elif rule == LARGE_SPAN:
            severity = (span - most) / 12
            description = f"fingers {low} and {high} span at most {most} {unit}, not {span}"
        else:
            severity = (least - span) / 12
            description = f"fingers {low} and {high} span at least {least} {unit}, not {span}"
        return Violation(
            int(step[1]), name, description, min(1.0, severity), _HAND_NAMES.get(int(of_hand[step[1]]))
        )


def _columns(fingers: Integers, pitches: Integers, hands: Hands | None) -> tuple[Codes, Codes, Codes]:
    """Check columns; without hands, signs of fingers are those of hands, if there are any."""
    numbers, keys = _as_fingers(fingers), _as_pitches(pitches)
    if hands is not None:
        of_hand = _as_hands(hands)
    else:
        of_hand = hands_of_labels(numbers) if (numbers < 0).any() else np.full(len(numbers), UNKNOWN)
    _check_lengths({"fingers": len(numbers), "pitches": len(keys), "hands": len(of_hand)})
    return numbers, keys, of_hand


def _steps(numbers: Codes, of_hand: Codes) -> Codes:
    return consecutive_notes(numbers, of_hand, np.array([0, len(numbers)]))
