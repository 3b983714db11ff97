# SPDX-License-Identifier: MIT
"""The task of fingering: what the rest of the house knows of it."""

from __future__ import annotations

import hashlib
import os
import struct
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes
from kammerton.errors import DataError, Diagnostic, OptionError
from kammerton.fingering.alignment import align
from kammerton.fingering.annotation import LEFT, MISSING, RIGHT, UNKNOWN, Fingering, TimeUnit, inspect
from kammerton.fingering.formats import SUFFIXES, read_fingering, unfold
from kammerton.fingering.formats.musicxml_fingers import SCORES, score_with
from kammerton.fingering.formats.named_notes import adopt_fingering, render_csv
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.fingering.formats.pig import identify, render_pig
from kammerton.fingering.lint import lint, remark
from kammerton.fingering.protocols import PROTOCOLS, evaluate
from kammerton.fingering.views import DEFAULT_MEASURE, view_item
from kammerton.formats.writing import write_annotation
from kammerton.model.task import (
    Breakdown,
    ClassKey,
    ClassLosses,
    Conversion,
    Filler,
    Matrix,
    PackedColumn,
    Packing,
    Ratings,
    Reading,
    Task,
    join_ratings,
    losses_by_confusion,
)

_SEED = 1


def baselines(references: Mapping[str, Sequence[Fingering]]) -> dict[str, dict[str, Fingering]]:
    """Return fingerings that no thought was needed for, on the notes and hands of the references.

    Examples
    --------
    >>> notes = np.array([0.0]), np.array([1.0]), np.array([60]), np.array([LEFT])
    >>> baselines({"piece": [Fingering(*notes, ("-1",))]})["always 3"]["piece"].labels
    ('-3',)
    """
    first = {item: annotations[0] for item, annotations in references.items()}
    return {
        "always 3": {item: _labelled(piece, np.full(len(piece), 3)) for item, piece in first.items()},
        "random": {item: _labelled(piece, _drawn(item, len(piece))) for item, piece in first.items()},
    }


def _drawn(item: str, notes: int) -> Codes:
    """Return fingers that depend on the name of the piece alone: not on its place, nor on the others."""
    digest = hashlib.sha256(item.encode("utf-8", "surrogateescape")).digest()
    generator = np.random.default_rng([_SEED, int.from_bytes(digest[:8], "little")])
    return generator.integers(1, 6, notes)


def _labelled(piece: Fingering, fingers: Codes) -> Fingering:
    hands = np.where([label.startswith("-") for label in piece.labels], LEFT, piece.hands)
    signed = np.where(hands == LEFT, -fingers, fingers)
    return replace(piece, labels=tuple(map(str, signed.tolist())))


def oracle(
    references: Sequence[Fingering], estimates: Sequence[Fingering], options: FingeringOptions
) -> Fingering:
    """Return the fingering in which each note has the label of the system that agrees with most references.

    Examples
    --------
    >>> notes = np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.array([60, 62]), np.array([0, 0])
    >>> piece, early, late = (Fingering(*notes, labels) for labels in (("1", "2"), ("1", "3"), ("5", "2")))
    >>> oracle([piece], [early, late], FingeringOptions()).labels
    ('1', '2')
    """
    piece, count = references[0], len(references[0])
    right = np.zeros((len(estimates), count))
    labels = np.full(right.shape, MISSING, dtype=object)
    hands = np.full(right.shape, UNKNOWN)
    for row, estimate in enumerate(estimates):
        matched = align(piece, estimate, tolerance_s=options.tolerance_s).matched
        notes = np.flatnonzero(matched >= 0)
        labels[row, notes] = np.array(estimate.labels, dtype=object)[matched[notes]]
        hands[row, notes] = estimate.hands[matched[notes]]
        for reference in references:
            if len(reference) == count:
                right[row, notes] += reference.strikes[notes] == estimate.strikes[matched[notes]]
    chosen = right.argmax(axis=0), np.arange(count)
    return replace(piece, labels=tuple(labels[chosen]), hands=hands[chosen], line_of=None, place_of=None)


_FINGERS = tuple(str(finger) for finger in (*range(-5, 0), *range(1, 6)))


def ratings(items: Sequence[Sequence[Fingering | None]], _: object = None) -> Ratings:
    """Return the finger that strikes each note, signed by hand.

    Examples
    --------
    >>> notes = np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.array([60, 62]), np.array([0, 0])
    >>> found = ratings([[Fingering(*notes, ("4_1", "2")), Fingering(*notes, ("4", ""))]])
    >>> [[found.labels[code] if code >= 0 else None for code in unit] for unit in found.codes]
    [['4', '4'], ['2', None]]
    """
    return join_ratings(map(_of_piece, items))


def _of_piece(annotations: Sequence[Fingering | None]) -> Ratings:
    """Return the fingers on the notes of one piece."""
    notes = max((len(fingering) for fingering in annotations if fingering is not None), default=0)
    struck = np.zeros((notes, len(annotations)), dtype=np.int64)
    for rater, fingering in enumerate(annotations):
        if fingering is not None:
            struck[:, rater] = fingering.strikes
    place = np.where(struck < 0, struck + 5, struck + 4)
    return Ratings(_FINGERS, np.where(struck == 0, -1, place))


_SUFFIXES = {"pig": ".txt", "csv": ".csv", "musicxml": ".musicxml"}


def _load(path: str | os.PathLike[str], name: str, options: FingeringOptions) -> Reading[Fingering]:
    """Read a file of notes; labels alone are none, of one recording or of many."""
    many_items = unfold(path, name, options)
    if many_items is not None and (many_items.items or many_items.broken):
        return Reading((), (_without_notes(name),))
    reading = read_fingering(path, name, options)
    if any((fingering.pitches < 0).all() for _, fingering in reading.annotations):
        return Reading((), (*reading.diagnostics, _without_notes(name)))
    return reading


def _without_notes(name: str) -> Diagnostic:
    return Diagnostic(
        code="KT151",
        severity="error",
        message="labels without notes cannot become a score: nothing tells their pitches and times",
        file=name,
        hint="put each label beside its note: a table with the columns onset, offset, pitch and finger",
    )


def _render(tracks: Sequence[Fingering], form: str) -> str:
    (track,) = tracks
    return _RENDERERS[form](track)


def _as_musicxml(fingering: Fingering) -> str:
    from kammerton.fingering.formats.musicxml import render_musicxml  # noqa: PLC0415 - rarely written

    try:
        return render_musicxml(fingering)
    except OptionError as error:  # of a file, it is the data that cannot be written
        message = f"cannot be written as MusicXML: {error.message}"
        raise DataError((Diagnostic(code="KT151", severity="error", message=message),)) from None


_RENDERERS = {"pig": render_pig, "csv": render_csv, "musicxml": _as_musicxml}


def _track(fingering: Fingering, _annotator: str | None, _name: str) -> Fingering:
    return fingering


def _stems(item: str, annotators: Sequence[str], form: str) -> list[str] | None:
    """Name files as PIG does, whose annotators are numbers."""
    if form != "pig":
        return None
    are_numbers = all(name.isascii() and name.isdecimal() for name in annotators)
    apart = are_numbers and len(set(annotators)) == len(annotators)
    numbers = annotators if apart else [str(place) for place in range(1, len(annotators) + 1)]
    return [f"{identify(item)[0]}-{number}_fingering" for number in numbers]


def _remark(fingering: Fingering, form: str) -> Iterator[Diagnostic]:
    in_quarters = fingering.unit == "quarters"
    if in_quarters == (form == "musicxml"):
        return
    message = "times are seconds: a second is written as a quarter note"
    if in_quarters:
        message = "times are quarter notes, as the score has them: a quarter note counts as a second"
    yield Diagnostic(code="KT394", severity="note", message=message)


CONVERSION = Conversion(
    forms=_SUFFIXES,
    joint=frozenset(),
    load=_load,
    render=_render,
    track=_track,
    stems=_stems,
    remark=_remark,
    fillers={"musicxml": Filler(suffixes=SCORES, fill=score_with)},
)


_NOTES = ("onsets", "offsets", "pitches", "hands")
_WHERE = ("lines", "places")
_NO_LINE = -1
_HIGHEST = 127


def _pack(fingering: Fingering) -> Mapping[str, Any]:
    """Return columns; lines and places are empty where no note has any."""
    notes, line_of, place_of = range(len(fingering)), fingering.line_of, fingering.place_of
    lines = [] if line_of is None else [line_of(note) for note in notes]
    numbers = np.array([_NO_LINE if line is None else line for line in lines], dtype=np.int64)
    return {
        **{name: getattr(fingering, name) for name in _NOTES},
        "labels": fingering.labels,
        "lines": numbers if (numbers != _NO_LINE).any() else numbers[:0],
        "places": [] if place_of is None else [place_of(note) for note in notes],
        "in_quarters": fingering.unit == "quarters",
    }


def _unpack(columns: Mapping[str, PackedColumn]) -> Sequence[Fingering | None]:
    labels = columns["labels"]
    odd = np.zeros(len(labels.offsets) - 1, dtype=bool)
    for name in _NOTES:
        odd |= columns[name].lengths != labels.lengths
    for name in _WHERE:
        odd |= (columns[name].lengths > 0) & (columns[name].lengths != labels.lengths)
    if not odd.any():
        odd = labels.having(_odd_notes(columns))
    in_quarters = columns["in_quarters"].values
    notes = zip(*(columns[name].parts() for name in (*_NOTES, "labels", *_WHERE)), in_quarters, strict=True)
    return [None if bad else _fingering(*row) for row, bad in zip(notes, odd.tolist(), strict=True)]


def _fingering(*columns: Any) -> Fingering:
    onsets, offsets, pitches, hands, labels, lines, places, in_quarters = columns
    line_of = partial(_line, lines) if len(lines) else None
    place_of = places.__getitem__ if places else None
    unit: TimeUnit = "quarters" if in_quarters else "s"
    return Fingering(onsets, offsets, pitches, hands, tuple(labels), line_of, unit, place_of)


def _line(lines: NDArray[np.int64], note: int) -> int | None:
    line = int(lines[note])
    return None if line == _NO_LINE else line


def _odd_notes(columns: Mapping[str, PackedColumn]) -> NDArray[np.bool_]:
    """Tell which notes are not as reading leaves them: times that can be, keys, hands, fingers."""
    onsets, offsets, pitches, hands = (columns[name].values for name in _NOTES)
    labels = columns["labels"]
    fingers = np.array([inspect(label).diagnostic is None for label in labels.names or ()], dtype=bool)
    sound: NDArray[np.bool_] = (onsets >= 0) & (offsets >= onsets) & np.isfinite(offsets)
    sound &= (pitches >= -1) & (pitches <= _HIGHEST) & np.isin(hands, (RIGHT, LEFT, UNKNOWN))
    sound &= fingers.take(labels.values)
    return ~sound


PACKING = Packing(
    lists={
        "onsets": "real",
        "offsets": "real",
        "pitches": "whole",
        "hands": "whole",
        "labels": "text",
        "lines": "whole",
        "places": "text",
    },
    single={"in_quarters": "flag"},
    pack=_pack,
    unpack=_unpack,
    rows=len,
)


_HANDS = {"R": "Right hand", "L": "Left hand"}
_FINGERS_of_breakdown = tuple("12345")
_OTHER = "anything else"


def finger_breakdown(tables: Mapping[str, Mapping[ClassKey, float]], _: object = None) -> Breakdown | None:
    """Return a confusion of five by five fingers for each hand; None without the table ``confusion``.

    Examples
    --------
    >>> found = finger_breakdown({"confusion": {("R1", "R1"): 3.0, ("R1", "R2"): 1.0, ("R2", "L2"): 2.0}})
    >>> found.matrices[0].cells
    {('1', '1'): 3.0, ('1', '2'): 1.0, ('2', 'anything else'): 2.0}
    """
    cells = tables.get("confusion", {})
    of_hands = [_of_hand(letter, cells) for letter in _HANDS]
    matrices = tuple(matrix for matrix in of_hands if matrix is not None)
    return Breakdown(unit="notes", matrices=matrices) if matrices else None


def _of_hand(letter: str, cells: Mapping[ClassKey, float]) -> Matrix | None:
    """Return the confusion of one hand, if the reference has any note of it."""
    counts: Counter[tuple[str, str]] = Counter()
    for (reference, estimate), notes in cells.items():
        finger = _finger(str(reference), letter)
        if str(reference).startswith(letter) and notes:
            counts[finger, _finger(str(estimate), letter)] += notes  # type: ignore[assignment]
    if not counts:
        return None
    others = [any(pair[side] == _OTHER for pair in counts) for side in (0, 1)]
    rows, columns = ((*_FINGERS_of_breakdown, _OTHER) if other else _FINGERS_of_breakdown for other in others)
    return Matrix(
        title=_HANDS[letter],
        down="finger",
        across="estimated finger",
        rows=rows,
        columns=columns,
        cells=dict(sorted(counts.items())),
        right=frozenset((finger, finger) for finger in _FINGERS_of_breakdown),
        note="Per cent of the notes of each finger, over all annotators.",
    )


def _finger(label: str, letter: str) -> str:
    """Return the finger of a label of one hand; of the other hand, of none, or a change is anything else."""
    finger = label.removeprefix(letter)
    return finger if label.startswith(letter) and finger in _FINGERS_of_breakdown else _OTHER


_RULE = (
    "A note counts as lost where the finger is another one, or only one side has one, summed over all "
    "annotators; L is the left hand, R the right."
)
_NEEDS = "It is told where a measure such as strike/accuracy is scored (protocol strike), and none was."


def finger_losses(tables: Mapping[str, Mapping[ClassKey, float]], _: object = None) -> ClassLosses | None:
    """Return what each finger of the reference cost; without the table ``confusion``, what makes it.

    Examples
    --------
    >>> finger_losses({"confusion": {("R1", "R1"): 3.0, ("R1", "R2"): 1.0}}).rows[0]
    ClassLoss(name='R1', whole=4.0, lost=1.0, instead='R2', f=None)
    """
    if "confusion" not in tables:
        return ClassLosses(kind="finger", unit="notes", rule=_RULE, rows=(), needs=_NEEDS)
    cells = {
        (str(reference), str(estimate)): weight
        for (reference, estimate), weight in tables["confusion"].items()
    }
    if not cells:
        return None
    return ClassLosses(
        kind="finger",
        unit="notes",
        rule=_RULE,
        rows=losses_by_confusion(cells),
        cells=dict(sorted(cells.items())),
    )


def _match(
    reference: Fingering, other: Fingering, options: FingeringOptions
) -> tuple[Fingering | None, tuple[Diagnostic, ...]]:
    """Write another fingering down on the notes of the reference."""
    if other.onsets is reference.onsets and other.pitches is reference.pitches:
        return other, ()
    alignment = align(reference, other, tolerance_s=options.tolerance_s)
    if not alignment.usable:
        return None, alignment.diagnostics
    if not alignment.diagnostics and np.array_equal(alignment.matched, np.arange(len(other))):
        return other, ()
    labels = (*other.labels, MISSING)
    matched = replace(
        reference,
        labels=tuple(labels[note] for note in alignment.matched.tolist()),
        line_of=None,
        hands=np.where(alignment.matched < 0, reference.hands, np.append(other.hands, 0)[alignment.matched]),
    )
    return matched, alignment.diagnostics


def _blank(reference: Fingering) -> Fingering:
    """Return the notes alone: who says no finger says no hand either."""
    hands = np.full(len(reference), UNKNOWN)
    return replace(reference, labels=(MISSING,) * len(reference), hands=hands)


def _content(fingering: Fingering) -> bytes:
    """Return numbers as little-endian, then labels."""
    times = (column.astype("<f8", copy=False) for column in (fingering.onsets, fingering.offsets))
    codes = (column.astype("<i8", copy=False) for column in (fingering.pitches, fingering.hands))
    columns = b"".join(column.tobytes() for column in (*times, *codes))
    return struct.pack("<q", len(fingering)) + columns + "\0".join(fingering.labels).encode()


def _extent(fingering: Fingering) -> float:
    return float(fingering.offsets.max(initial=0.0))


TASK = Task(
    name="fingering",
    summary="Piano fingering.",
    protocols=PROTOCOLS,
    suffixes=SUFFIXES,
    options=FingeringOptions,
    read=read_fingering,
    adopt=adopt_fingering,
    unfold=unfold,
    lacking=attrgetter("lacking"),
    blank=_blank,
    content=_content,
    extent=_extent,
    evaluate=evaluate,
    remark=remark,
    view=view_item,
    baselines=baselines,
    oracle=oracle,
    ratings=ratings,
    rated="the finger that strikes, signed by hand; a unit is a note",
    judge=DEFAULT_MEASURE,
    # of pairs, by whose confusions errors are explained, one measure
    default_measures=("nakamura2020/*", "strike/accuracy", "pianovam/Accuracy", "playability/*"),
    leading="nakamura2020/M_gen",
    class_tables=("confusion", "unlabelled"),
    losses=finger_losses,
    breakdown=finger_breakdown,
    match=_match,
    identify=identify,
    conversion=CONVERSION,
    packing=PACKING,
    lint=lint,
    said_once=frozenset(("KT337", "KT338")),
)


def write(
    annotation: Any,
    path: str | os.PathLike[str],
    *,
    to: str | None = None,
    options: FingeringOptions | None = None,
) -> None:
    """Write the fingering of one piece to a file.

    Parameters
    ----------
    annotation : Fingering or other object
        Or anything that :func:`kammerton.score` takes for one.
    path : path
        Its suffix tells the format.
    to : {"pig", "csv", "musicxml"}, optional
        The format.
    options : FingeringOptions, optional
        How the annotation is read, if it is none of ours.

    Returns
    -------
    None
        What stood there before is replaced.

    Raises
    ------
    DataError
        If the annotation cannot be used, or the format cannot hold it.
    OptionError
        If no format is told.
    OutputError
        If the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> notes = {"onsets": [0], "offsets": [1], "pitches": [60], "hands": ["right"], "fingers": [1]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(notes, f"{folder}/scale.csv")
    ...     pathlib.Path(folder, "scale.csv").read_text().splitlines()[1]
    '0.0,1.0,60,right,1'
    """
    write_annotation(TASK, annotation, path, to, options)
