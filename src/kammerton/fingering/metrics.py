# SPDX-License-Identifier: MIT
"""The measures of one piece, for those who have its fingers in Python."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeGuard, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kammerton.arrays import Codes, ratio
from kammerton.errors import DataError, Diagnostic, OptionError, plural, quote
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.columns import Columns, build_columns
from kammerton.fingering.judging import KeyPresses, Playability, limits_of
from kammerton.fingering.labels import ENCODINGS, Encoding, Finding, FingerLabel, Hand, inspect, strike_codes
from kammerton.fingering.match_rates import (
    AGAINST,
    SIGNED_FINGERS,
    Matches,
    confusion_counts,
    finger_counts,
    hand_confusions,
    hands_of_labels,
)
from kammerton.model.task import Case

Seconds = NDArray[np.float64]
Integers = Sequence[int] | Sequence[int | None] | NDArray[np.integer]
Hands = Sequence[str | int | None] | NDArray[np.integer] | NDArray[np.str_]
"""``"R"`` and ``"L"``, ``"right"`` and ``"left"``, or 0 (right) and 1 (left); None if not known."""
_HANDS: Mapping[object, int] = MappingProxyType(
    {0: RIGHT, 1: LEFT, "r": RIGHT, "l": LEFT, "right": RIGHT, "left": LEFT, None: UNKNOWN}
)

Layout = Literal["by_note", "by_annotator"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
_HAND_NAMES: Mapping[int, Hand] = MappingProxyType({RIGHT: "right", LEFT: "left"})


@dataclass(frozen=True, slots=True)
class LabelColumn:
    """Labels of one annotator or system."""

    # in the notation of PIG; empty where missing. Without signs or hands, fingers are of the right.
    labels: tuple[str, ...]
    tells_hands: bool  # whether the labels themselves say which hand
    remarks: tuple[str, ...]  # what was odd about them


def fail(code: str, message: str, hint: str | None = None) -> DataError:
    """Return the error that says what is wrong with an argument."""
    return DataError((Diagnostic(code=code, severity="error", message=message, hint=hint),))


def elements(values: object, name: str, code: str) -> list[object]:
    """Return the elements of a list, tuple or array as plain Python values."""
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise fail(code, f"{name} must have one dimension, not shape {values.shape}")
        return list(values.tolist())
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise fail(code, f"{name} must be a sequence, not {type(values).__name__}")
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def as_fingers(values: object, name: str = "fingers") -> Codes:
    """Check fingers given as numbers: 1 to 5, negative in the left hand, 0 or None where missing."""
    found = elements(values, name, "KT381")
    for note, finger in enumerate(found):
        if not (finger is None or (_is_whole(finger) and -5 <= finger <= 5)):
            hint = "fingers are 1 to 5, of the left hand -1 to -5; 0 or None where there is none"
            raise fail("KT381", f"{name}[{note}] is not a finger: {quote(repr(finger))}", hint)
    return np.array([finger or 0 for finger in found], dtype=np.int64)


def as_labels(values: object, name: str, encoding: Encoding, hands: Codes | None) -> LabelColumn:
    """Check labels, given as numbers or text."""
    if encoding not in ENCODINGS:
        raise OptionError.unknown("encoding of finger labels", encoding, ENCODINGS)
    texts = [_text(value, name, note) for note, value in enumerate(elements(values, name, "KT381"))]
    tells_hands = encoding in ("1-10", "0-9") or any(_tells_hand(text, encoding) for text in set(texts))
    if hands is None or (tells_hands and encoding != "L1/R5"):
        found = [inspect(text, encoding) for text in texts]
    else:
        check_lengths({name: len(texts), "hands": len(hands)})
        names = (_HAND_NAMES.get(hand) for hand in hands.tolist())
        found = [inspect(text, encoding, hand) for text, hand in zip(texts, names, strict=True)]
    labels = tuple(finding.canonical for finding in found)
    return LabelColumn(labels, tells_hands, tuple(_remarks(found, name)))


def _text(value: object, name: str, note: int) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):  # so pandas has it
        return ""
    if isinstance(value, str | FingerLabel):
        return str(value)
    if _is_whole(value) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    raise fail("KT381", f"{name}[{note}] is not a finger: {quote(repr(value))}", "a number, text or None")


def _tells_hand(text: str, encoding: Encoding) -> bool:
    right, left = inspect(text, encoding, "right").label, inspect(text, encoding, "left").label
    return right is not None and right == left


def _remarks(found: Sequence[Finding], name: str) -> Iterable[str]:
    odd: Counter[str] = Counter()
    for note, finding in enumerate(found):
        problem = finding.diagnostic
        if problem is not None and problem.severity == "error":
            raise fail("KT381", f"{name}[{note}] is not a finger: {problem.message}", _hint_of(problem))
        if problem is not None:
            odd[problem.message] += 1
    return [f"{name}: {message}{_times(count)}" for message, count in odd.items()]


def _times(count: int) -> str:
    return f" ({count:,} times)" if count > 1 else ""


def split_annotators(
    values: object, name: str, notes: int, layout: Layout | None
) -> tuple[list[list[object]], tuple[str, ...]]:
    """Tell the annotators of a ground truth apart."""
    if layout is not None and layout not in LAYOUTS:
        raise OptionError.unknown("layout", layout, LAYOUTS)
    if isinstance(values, np.ndarray) and values.ndim == 2:
        values = list(values)
    rows = elements(values, name, "KT381")
    if not any(_is_nested(row) for row in rows):
        check_lengths({"predictions": notes, name: len(rows)})
        return [rows], ()
    inner = [elements(row, name, "KT381") if _is_nested(row) else [row] for row in rows]
    by_note, by_annotator = len(rows) == notes, all(len(row) == notes for row in inner)
    if layout is None and by_note and by_annotator and notes > 1:
        message = f"{name} of {notes} by {notes} labels may go by note or by annotator"
        raise OptionError(message, 'layout="by_note": one list for each note; else layout="by_annotator"')
    if layout == "by_annotator" or (layout is None and by_annotator and not by_note):
        for number, row in enumerate(inner):
            check_lengths({"predictions": notes, f"{name}[{number}]": len(row)})
        return inner, ()
    check_lengths({"predictions": notes, name: len(rows)})
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


def as_pitches(values: object) -> Codes:
    """Check MIDI numbers."""
    found = elements(values, "pitches", "KT382")
    for note, pitch in enumerate(found):
        if not (_is_whole(pitch) and 0 <= pitch <= 127):
            raise fail("KT382", f"pitches[{note}] is not a MIDI number: {quote(repr(pitch))}", "0 to 127")
    return np.array(found, dtype=np.int64)


def as_hands(values: Hands) -> Codes:
    """Check hands: 0 right, 1 left, -1 unknown."""
    found = elements(values, "hands", "KT383")
    codes = []
    for note, hand in enumerate(found):
        key = hand.casefold() if isinstance(hand, str) else hand
        if isinstance(key, bool) or not isinstance(key, str | int | None) or key not in _HANDS:
            message = f"hands[{note}] is not a hand: {quote(repr(hand))}"
            raise fail("KT383", message, 'hands are "R" and "L", "right" and "left", or 0 and 1')
        codes.append(_HANDS[key])
    return np.array(codes, dtype=np.int64)


def as_seconds(values: ArrayLike, name: str) -> Seconds:
    """Check times: finite numbers."""
    found = elements(values, name, "KT384")
    for note, time in enumerate(found):
        if isinstance(time, bool) or not isinstance(time, int | float) or not np.isfinite(float(time)):
            raise fail("KT384", f"{name}[{note}] is not a time: {quote(repr(time))}")
    return np.array(found, dtype=np.float64)


def check_lengths(lengths: Mapping[str, int]) -> None:
    """Check that columns are equally long."""
    (first, count), *others = lengths.items()
    for name, length in others:
        if length != count:
            raise fail("KT380", f"{first} has {plural(count, 'note')}, but {name} has {length:,}")


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _hint_of(problem: Diagnostic) -> str | None:
    """Return a hint in which the option of the command line is the argument that stands for it."""
    return None if problem.hint is None else problem.hint.replace("--label-encoding ", "encoding ")


Statistics = NDArray[np.float64]
RatesProtocol = Literal["pianovam", "nakamura2020", "strike"]
PROTOCOLS: tuple[RatesProtocol, ...] = get_args(RatesProtocol)


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

    est: LabelColumn  # predictions
    refs: tuple[LabelColumn, ...]  # annotators who labelled any note
    # hands, pitches: as given
    hands: Codes | None
    pitches: Codes | None

    @property
    def tells_hands(self) -> bool:
        """Whether any label tells its hand; then those without sign are of the right."""
        return any(column.tells_hands for column in (self.est, *self.refs))

    def encode(self) -> Columns:
        """Encode the labels; without annotators against one who labelled nothing."""
        count = len(self.est.labels)
        refs = [ref.labels for ref in self.refs] or [("",) * count]
        est, *references = (_on_notes(labels) for labels in (self.est.labels, *refs))
        return build_columns([Case(tuple(references), est)])


def _on_notes(labels: tuple[str, ...]) -> Fingering:
    """Stand in for notes that are the same for all: only labels are compared."""
    nothing = np.zeros(len(labels))
    return Fingering(nothing, nothing, nothing.astype(np.int64), nothing.astype(np.int64), labels)


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
            What numbers mean (:func:`kammerton.fingering.labels.parse_label`).

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
        of_hands = None if hands is None else as_hands(hands)
        told = of_hands if of_hands is not None and (of_hands != UNKNOWN).any() else None
        est = as_labels(predictions, "predictions", encoding, told)
        count = len(est.labels)
        keys = None if pitches is None else as_pitches(pitches)
        times = None if onsets is None else as_seconds(onsets, "onsets")
        columns = {"hands": of_hands, "pitches": keys, "onsets": times}
        given = {name: len(column) for name, column in columns.items() if column is not None}
        check_lengths({"predictions": count, **given})
        remarks: tuple[str, ...] = (_NO_GROUND_TRUTH,)
        piece, measured = _Piece(est, (), told, keys), {}
        if ground_truth is not None:
            rows, odd = split_annotators(ground_truth, "ground_truth", count, layout)
            refs = [as_labels(row, "ground_truth", encoding, told) for row in rows]
            piece = _Piece(est, tuple(ref for ref in refs if any(ref.labels)), told, keys)
            measured = _measure(self.protocol, piece)
            remarks = (*odd, *_about_annotators(self.protocol, refs))
        return FingeringResult(
            protocol=self.protocol,
            ifr=_irrational_rate(piece),
            hand_accuracy=_hand_accuracy(piece),
            num_notes=count,
            notes=(*est.remarks, *remarks, *_about_hands(piece)),
            **measured,
        )


_NO_GROUND_TRUTH = "no ground truth: accuracy, m_gen, m_high, m_soft and m_rec are not evaluated"
_MATCHED, _LABELLED = AGAINST.index("matched"), AGAINST.index("labelled")


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
        "accuracy": _rate(first.against()[:, [_MATCHED, _LABELLED]]),
        "m_gen": _rate(general),
        "m_high": _rate(highest),
        "m_soft": _rate(strike.soft()),
        "m_rec": _rate(strike.recombined()),
        "per_finger": dict(zip(fingers, _finger_scores(counts), strict=True)),
        "confusion": square.astype(np.int64),
        "num_annotators": len(taken.refs) if piece.refs else 0,
    }


def _rate(statistics: Statistics) -> float:
    return float(ratio(statistics[:, 0], statistics[:, 1])[0])


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
    strikes, count = strike_codes(piece.est.labels), len(piece.pitches)
    hands = np.full(count, UNKNOWN) if piece.hands is None else piece.hands
    if piece.est.tells_hands:
        hands = np.where(hands == UNKNOWN, hands_of_labels(strikes), hands)
    no_time = np.zeros(count)
    fingers = np.abs(strikes)
    presses = KeyPresses(fingers, fingers, hands, piece.pitches, no_time, no_time, np.array([0, count]))
    judged, *broken = Playability(presses).in_order(limits_of("pianovam")).statistics.T
    return float(ratio(sum(broken), judged)[0])


def _hand_accuracy(piece: _Piece) -> float | None:
    """Compare the hands of the predictions with those of the first annotator, else with those given."""
    if piece.refs:
        if piece.hands is None and not piece.tells_hands:
            return None
        columns = piece.encode()
        against = Matches(columns.pieces[0], columns.table).against()
        return _rate(against[:, [AGAINST.index("same_hand"), _LABELLED]])
    if piece.hands is None or not piece.est.tells_hands:
        return None
    known = piece.hands != UNKNOWN
    same = known & (hands_of_labels(strike_codes(piece.est.labels)) == piece.hands)
    return _rate(np.array([[same.sum(), known.sum()]]))


def _about_annotators(protocol: RatesProtocol, refs: Sequence[LabelColumn]) -> Iterator[str]:
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
