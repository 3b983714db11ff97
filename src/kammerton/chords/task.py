# SPDX-License-Identifier: MIT
"""The task of chords: its record, and what is done with the arrays of one song."""

from __future__ import annotations

import os
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from itertools import chain, pairwise
from operator import attrgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from kammerton.arrays import Codes, Seconds, Weights, total
from kammerton.chords.annotation import (
    NAMESPACES,
    SHEETS,
    SUFFIXES,
    ChordAnnotation,
    ChordOptions,
    adopt_chords,
    is_chord,
    read_chords,
    read_tracks,
    spellings_in_use,
    unfold,
    unfold_tracks,
)
from kammerton.chords.error_analysis import (
    chord_breakdown,
    confusion_table,
    credited_table,
    excluded_table,
    quality_losses,
    remarks,
    root_bass_table,
)
from kammerton.chords.kernels import build_columns
from kammerton.chords.labels import parse
from kammerton.chords.protocols import MODULES, frames10ms, mir_eval, mirex2013
from kammerton.chords.respelling import ROOTS, respell
from kammerton.chords.templates import map_label
from kammerton.chords.views import DEFAULT_MEASURE, view_item
from kammerton.errors import DataError, Diagnostic, LabelError, OptionError, quote
from kammerton.formats.reading import NO_ROWS, Problems, TrackReading
from kammerton.formats.writing import (
    left_behind,
    render_audacity,
    render_jams,
    render_lab,
    render_table,
    write_annotation,
)
from kammerton.model.annotations import LabelledIntervals, Place
from kammerton.model.measure import Measure, NamedScores, Statistics
from kammerton.model.task import (
    Case,
    ClassKey,
    Conversion,
    Evaluation,
    ItemReadings,
    PackedColumn,
    Packing,
    Ratings,
    Reading,
    Task,
    Vocabulary,
    join_ratings,
)

_PROTOCOLS = {module.PROTOCOL.name: module for module in MODULES}


def evaluate(
    ref_intervals: ArrayLike,
    ref_labels: Sequence[str],
    est_intervals: ArrayLike,
    est_labels: Sequence[str],
    *,
    protocol: str = "mir_eval",
    options: ChordOptions | None = None,
) -> NamedScores:
    """Score one song.

    Parameters
    ----------
    ref_intervals, est_intervals : array-like, shape (n, 2)
        Start and end of each row in seconds. The estimate may be empty.
    ref_labels, est_labels : sequence of str, length n
        Labels in Harte syntax.
    protocol : str
        ``"mir_eval"``, ``"mirex2013"``, ``"decibel"`` or ``"frames10ms"``.
    options : ChordOptions, optional
        How both sides are read, such as ``ChordOptions(lenient=True)``.

    Returns
    -------
    NamedScores
        A dict from ``protocol/measure`` to the score, in the order of the protocol; NaN where undefined. Of
        ``mir_eval``, from the names that mir_eval has.

    Raises
    ------
    DataError
        If a side cannot be used: the diagnostics say which row or label, and why.
    OptionError
        If there is no such protocol.

    Notes
    -----
    Names and order of arguments are those of ``mir_eval.chord.evaluate``. For many songs
    :func:`kammerton.score` is faster and gives corpus scores.

    Examples
    --------
    >>> scores = evaluate([(0, 2), (2, 4)], ["C", "A:min"], [(0, 3), (3, 4)], ["C", "A:min7"])
    >>> scores["majmin"], scores["sevenths"]
    (0.75, 0.5)
    >>> evaluate([(0, 4)], ["C"], [(0, 4)], ["C:7"], protocol="frames10ms")["frames10ms/Root"]
    1.0
    """
    if not isinstance(protocol, str) or protocol not in _PROTOCOLS:
        raise OptionError.unknown("protocol", protocol, _PROTOCOLS)
    module = _PROTOCOLS[protocol]
    pair = _pair((ref_intervals, ref_labels), (est_intervals, est_labels), options)
    result = module.evaluate(build_columns([pair]), module.PROTOCOL.measures)
    name = attrgetter("name") if module is mir_eval else str
    return NamedScores(
        {name(m): float(m.formula.finalise(statistics)[0]) for m, statistics in result.statistics.items()}
    )


def frame_csr(
    ref_intervals: ArrayLike,
    ref_labels: Sequence[str],
    est_intervals: ArrayLike,
    est_labels: Sequence[str],
    *,
    hop_s: float = 0.01,
) -> dict[str, float]:
    """Score one song by samples, as MIREX did before 2013.

    Parameters
    ----------
    ref_intervals, est_intervals : array-like, shape (n, 2)
        Start and end of each row in seconds. The estimate may be empty.
    ref_labels, est_labels : sequence of str, length n
        Labels in Harte syntax.
    hop_s : float
        Seconds from one sample to the next; samples are at 0, ``hop_s``, 2 ``hop_s``, ...

    Returns
    -------
    dict of str to float
        Value of the five recall measures of ``mirex2013``; NaN where undefined.

    Raises
    ------
    DataError
        If a side cannot be used.
    OptionError
        If ``hop_s`` is not a positive number.

    Examples
    --------
    >>> frame_csr([(0, 1)], ["C"], [(0, 0.255), (0.255, 1)], ["C", "G"])["MajMin"]
    0.26
    """
    if not isinstance(hop_s, int | float | np.floating) or not 1e-6 <= hop_s < float("inf"):
        raise OptionError(f"hop_s must be a number of seconds from 1e-6 on, got {hop_s!r}")
    columns = build_columns([_pair((ref_intervals, ref_labels), (est_intervals, est_labels))])
    result = frames10ms.evaluate(columns, frames10ms.PROTOCOL.measures, hop_s)
    return {m.name: float(m.formula.finalise(statistics)[0]) for m, statistics in result.statistics.items()}


def fuse(
    sources: Sequence[tuple[ArrayLike, Sequence[str]]],
    *,
    method: Literal["agreement", "vote", "pick", "random"] = "agreement",
    details: Literal["able", "all", "none"] = "able",
    copies: Literal["one", "keep"] = "one",
    weights: Sequence[float] | None = None,
    change_cost: float = 0.1,
    least_support: float = 0.0,
    seed: int = 0,
    options: ChordOptions | None = None,
) -> tuple[Seconds, tuple[str, ...], Weights]:
    """Fuse several annotations of one song.

    Parameters
    ----------
    sources : sequence of pairs
        Of each source the intervals, shape (n, 2) in seconds, and n labels in Harte syntax. It may be empty.
    method, details, copies, change_cost, least_support, seed
        As for :func:`kammerton.fuse`.
    weights : sequence of float, optional
        What the vote of each source is multiplied by; 0 leaves it out of votes.
    options : ChordOptions, optional
        How the sources are read, such as ``ChordOptions(lenient=True)``.

    Returns
    -------
    intervals : ndarray of float64, shape (n, 2)
        Start and end of each row.
    labels : tuple of str
        Chord of each row.
    support : ndarray of float64, shape (n,)
        Share of votes that say the triad of each row, NaN for ``X``.

    Raises
    ------
    DataError
        If a source cannot be used, or all of them are empty.
    OptionError
        If a choice is not possible.

    Notes
    -----
    Of one song little is known of how good sources are, and which of them write sevenths:
    :func:`kammerton.fuse` knows more of many songs.

    Examples
    --------
    >>> intervals, labels, support = fuse([
    ...     ([(0, 2), (2, 4)], ["C", "G:7"]),
    ...     ([(0, 2), (2, 4)], ["C", "G:min"]),
    ...     ([(0, 1), (1, 4)], ["C", "G:7"]),
    ... ])
    >>> intervals.tolist(), labels, support.round(2).tolist()
    ([[0.0, 2.0], [2.0, 4.0]], ('C', 'G:7'), [0.83, 0.67])
    """
    if not isinstance(sources, Sequence):
        raise OptionError.of_type("sources", sources, "a list of pairs of intervals and labels")
    reading = _options(options)
    names = [f"source {number}" for number in range(1, len(sources) + 1)]
    pairs = zip(names, sources, strict=True)
    annotations = {name: {"song": _possibly_empty(source, name, reading)} for name, source in pairs}
    if weights is not None and len(weights) != len(names):
        raise OptionError(f"there are {len(names)} sources, and {len(weights)} weights", "one for each")
    fusing = import_module(
        "kammerton.systems.fusing"
    )  # systems are above tasks: loaded by name, as tasks are
    fused = fusing.fuse(
        "chords",
        annotations,
        method=method,
        details=details,
        copies=copies,
        weights=None if weights is None else dict(zip(names, weights, strict=True)),
        change_cost=change_cost,
        least_support=least_support,
        seed=seed,
    )
    (annotation,) = fused.annotations.values()
    return annotation.intervals, annotation.labels, annotation.support


def _pair(reference: object, estimate: object, options: ChordOptions | None = None) -> Case[ChordAnnotation]:
    reading = _options(options)
    ref = _annotation(adopt_chords(reference, "reference", reading))
    return Case((ref,), _possibly_empty(estimate, "estimate", reading))


def _options(options: ChordOptions | None) -> ChordOptions:
    reading = ChordOptions() if options is None else options
    if not isinstance(reading, ChordOptions):
        raise OptionError.of_type("options", reading, "ChordOptions")
    return reading


def _possibly_empty(source: object, name: str, options: ChordOptions) -> ChordAnnotation:
    """Return an annotation that may have no rows."""
    read = adopt_chords(source, name, options)
    is_empty = [problem.code for problem in read.diagnostics] == [NO_ROWS]
    return ChordAnnotation.empty() if is_empty else _annotation(read)


def _annotation(reading: Reading[ChordAnnotation]) -> ChordAnnotation:
    if not reading.annotations:
        raise DataError([d for d in reading.diagnostics if d.severity == "error"])
    return reading.annotations[0][1]


_TRIADS = ("maj", "min")


def baselines(references: Mapping[str, Sequence[ChordAnnotation]]) -> dict[str, dict[str, ChordAnnotation]]:
    """Return estimates that no ear was needed for.

    Examples
    --------
    >>> song = ChordAnnotation(np.array([[0.0, 3.0], [3.0, 4.0]]), ("D:7", "G"))
    >>> {name: found["song"].labels for name, found in baselines({"song": [song]}).items()}
    {'all N': ('N',), 'commonest triad': ('D:maj',), 'best triad of each song': ('D:maj',)}
    """
    seconds = {item: _seconds(annotations) for item, annotations in references.items()}
    whole: Counter[str] = Counter()
    for of_item in seconds.values():
        whole.update(of_item)
    labels = {
        "all N": dict.fromkeys(references, "N"),
        "commonest triad": dict.fromkeys(references, _longest(whole)),
        "best triad of each song": {item: _longest(of_item) for item, of_item in seconds.items()},
    }
    return {
        name: {item: _throughout(references[item], label) for item, label in of_items.items()}
        for name, of_items in labels.items()
    }


def oracle(
    references: Sequence[ChordAnnotation], estimates: Sequence[ChordAnnotation], _: object
) -> ChordAnnotation | None:
    """Return the chords in which each moment has the label of the system that is nearest the references.

    Examples
    --------
    >>> song = ChordAnnotation(np.array([[0.0, 4.0]]), ("C",))
    >>> halves = np.array([[0.0, 2.0], [2.0, 4.0]])
    >>> systems = [ChordAnnotation(halves, labels) for labels in (("C", "F"), ("D", "C:min"))]
    >>> oracle([song], systems, None).labels
    ('C', 'C:min')
    """
    every = [*references, *estimates]
    bounds = np.unique(np.concatenate([annotation.intervals.ravel() for annotation in every]))
    columns = [_labels_at(annotation, bounds[:-1]) for annotation in every]
    rows: list[tuple[float, float, str]] = []
    for start, end, *labels in zip(bounds[:-1].tolist(), bounds[1:].tolist(), *columns, strict=True):
        of_references, of_estimates = labels[: len(references)], labels[len(references) :]
        label = max(of_estimates, key=lambda own: sum(_nearness(ref, own) for ref in of_references))
        if rows and rows[-1][1:] == (start, label):
            rows[-1] = rows[-1][0], end, label
        elif label:
            rows.append((start, end, label))
    if not rows:
        return None
    intervals = np.array([(start, end) for start, end, _ in rows])
    return ChordAnnotation(intervals, tuple(label for _, _, label in rows))


def _labels_at(annotation: ChordAnnotation, times: Seconds) -> list[str]:
    """Return the label that lasts at each time, empty where there is none."""
    lasting = annotation.intervals[:, 1] > annotation.intervals[:, 0]
    intervals, labels = annotation.intervals[lasting], np.array([*annotation.labels, ""], dtype=object)
    row = np.searchsorted(intervals[:, 0], times, side="right") - 1
    covered = (row >= 0) & (times < np.append(intervals[:, 1], -np.inf)[row])
    return list(labels[np.where(covered, np.append(np.flatnonzero(lasting), -1)[row], -1)])


@lru_cache(maxsize=1 << 16)
def _nearness(reference: str, estimate: str) -> int:
    """Return how much of a label is right: the root, then the triad, then tetrad and bass."""
    if not reference or not estimate:
        return 0
    ref, est = map_label(reference), map_label(estimate)
    if ref.kind != est.kind or ref.root != est.root or est.kind == "X":
        return 0
    triad = ref.triad == est.triad
    return 1 + triad * (2 + (ref.tetrad == est.tetrad) + (ref.bass == est.bass))


def _seconds(annotations: Sequence[ChordAnnotation]) -> dict[str, float]:
    """Return how long each triad lasts, summed over annotators."""
    rows: dict[str, list[float]] = {}
    for annotation in annotations:
        lengths = annotation.intervals[:, 1] - annotation.intervals[:, 0]
        for label, length in zip(annotation.labels, lengths.tolist(), strict=True):
            chord = map_label(label)
            if chord.kind == "chord" and chord.spelled_triad in _TRIADS:
                rows.setdefault(f"{ROOTS[chord.root]}:{chord.spelled_triad}", []).append(length)
    return {triad: total(np.array(lengths)) for triad, lengths in rows.items()}


def _longest(seconds: Mapping[str, float]) -> str:
    """Return the triad that lasts longest; of equal ones the first by name, ``N`` if there is none."""
    return min(seconds, key=lambda triad: (-seconds[triad], triad), default="N")


def _throughout(annotations: Sequence[ChordAnnotation], label: str) -> ChordAnnotation:
    """Return one label from the first start to the last end of the annotations."""
    times = [annotation.intervals for annotation in annotations if len(annotation)]
    if not times:
        return ChordAnnotation.empty()
    span = min(rows[0, 0] for rows in times), max(rows[-1, 1] for rows in times)
    return ChordAnnotation(np.array([span], dtype=np.float64), (label,))


def ratings(items: Sequence[Sequence[ChordAnnotation | None]], _: object = None) -> Ratings:
    """Return the triad, or ``N``, of each annotator between any two boundaries.

    Examples
    --------
    >>> one = ChordAnnotation(np.array([[0.0, 4.0]]), ("C:7",))
    >>> other = ChordAnnotation(np.array([[0.0, 1.0], [1.0, 4.0]]), ("C/3", "C:min"))
    >>> found = ratings([[one, other]])
    >>> found.labels, found.codes.tolist(), found.weights.tolist()
    (('0:maj', '0:min'), [[0, 0], [0, 1]], [1.0, 3.0])
    """
    return join_ratings(map(_of_song, items))


def _of_song(annotations: Sequence[ChordAnnotation | None]) -> Ratings:
    """Return the triads of one song."""
    present = [annotation for annotation in annotations if annotation is not None]
    boundaries = [annotation.intervals.ravel() for annotation in present]
    times = np.unique(np.concatenate([np.empty(0), *boundaries]))
    number: dict[str, int] = {}
    codes = np.full((max(len(times) - 1, 0), len(annotations)), -1, dtype=np.int64)
    for rater, annotation in enumerate(annotations):
        if annotation is not None and len(annotation):
            codes[:, rater] = _between(annotation, times, number)
    return Ratings(tuple(number), codes, np.diff(times))


def _between(annotation: ChordAnnotation, times: Seconds, number: dict[str, int]) -> Codes:
    """Return the code of the row that lasts from each time to the next one; -1 without one."""
    lasting = annotation.intervals[:, 1] > annotation.intervals[:, 0]
    starts, ends = annotation.intervals[lasting].T
    labels = [label for label, lasts in zip(annotation.labels, lasting.tolist(), strict=True) if lasts]
    of_row = np.array([*(_code(label, number) for label in labels), -1], dtype=np.int64)
    row = np.searchsorted(starts, times[:-1], side="right") - 1
    covered = (row >= 0) & (np.append(ends, -np.inf)[row] > times[:-1])
    return of_row[np.where(covered, row, -1)]


def _code(label: str, number: dict[str, int]) -> int:
    chord = map_label(label)
    if chord.kind == "N":
        return number.setdefault("N", len(number))
    if chord.kind != "chord":
        return -1
    return number.setdefault(f"{chord.root}:{chord.triad}", len(number))


_SUFFIXES = {"lab": ".lab", "jams": ".jams", "audacity": ".txt", "csv": ".csv"}
_RENDERERS: dict[str, Callable[[LabelledIntervals], str]] = {
    "lab": render_lab,
    "audacity": render_audacity,
}


def _load(path: str | os.PathLike[str], name: str, options: ChordOptions) -> Reading[LabelledIntervals]:
    """Read rows; a label that is no chord is kept, with a warning, or respelled if ``lenient``."""
    return _carried_over(read_tracks(path, name, options), name, options)


def _unfold(
    path: str | os.PathLike[str], name: str, options: ChordOptions
) -> ItemReadings[LabelledIntervals] | None:
    return unfold_tracks(path, name, options, lambda tracks: _carried_over(tracks, name, options))


def _carried_over(reading: TrackReading, name: str, options: ChordOptions) -> Reading[LabelledIntervals]:
    problems = Problems(name)
    carried = tuple(
        (track.annotator, _carried(track, problems, lenient=options.lenient)) for track in reading.tracks
    )
    return Reading(carried, (*reading.diagnostics, *problems.diagnostics()))


def _carried(track: LabelledIntervals, problems: Problems, *, lenient: bool) -> LabelledIntervals:
    spelling = {}
    for label in dict.fromkeys(track.labels):
        spelling[label] = label
        try:
            parse(label)
        except LabelError as error:
            respelled = respell(label) if lenient else None
            problem = error.diagnostic.at(severity="warning", count=track.labels.count(label))
            if respelled is None:
                problem = problem.at(message=f"{problem.message}; carried over as it is")
            else:
                spelling[label] = respelled
                message = f"{quote(label)} written as {quote(respelled)}"
                problem = Diagnostic("KT318", "warning", message, count=problem.count)
            problems.add(track.locate(track.labels.index(label), "label").diagnose(problem))
    return replace(track, labels=[spelling[label] for label in track.labels])


def _render(tracks: Sequence[LabelledIntervals], form: str) -> str:
    if form == "jams":
        return render_jams(tracks, namespace=NAMESPACES[0])
    if form == "csv":
        return render_table(tracks)
    (track,) = tracks
    return _RENDERERS[form](track)


def _track(annotation: ChordAnnotation, annotator: str | None, name: str) -> LabelledIntervals:
    starts, ends = annotation.intervals.T
    return LabelledIntervals(
        starts, ends, list(annotation.labels), lambda row, _: Place(name, row=row), annotator
    )


def _remark(track: LabelledIntervals, form: str) -> Iterator[Diagnostic]:
    return left_behind(track.metadata if form == "jams" else None)


CONVERSION = Conversion(
    forms=_SUFFIXES,
    joint=frozenset(("jams",)),
    load=_load,
    render=_render,
    track=_track,
    remark=_remark,
    sheets=frozenset(("csv",)),
    unfold=_unfold,
    gather=lambda parts: [replace(track, item=item, annotator=who) for item, who, track in parts],
)


def _unknown_labels(options: ChordOptions) -> Callable[[str | os.PathLike[str], str], list[str]]:
    """Return what reads the labels of a file that are no chords."""

    def read(path: str | os.PathLike[str], name: str) -> list[str]:
        table = _unfold(path, name, options)
        tracks = chain(*table.items.values()) if table else _load(path, name, options).annotations
        return [label for _, track in tracks for label in track.labels if not is_chord(label)]

    return read


def _pack(annotation: ChordAnnotation) -> Mapping[str, Any]:
    starts, ends = annotation.intervals.T
    return {"starts": starts, "ends": ends, "labels": annotation.labels}


def _unpack(columns: Mapping[str, PackedColumn]) -> Sequence[ChordAnnotation | None]:
    starts, ends, labels = (columns[name] for name in ("starts", "ends", "labels"))
    if not all(np.array_equal(starts.offsets, column.offsets) for column in (ends, labels)):
        return [None] * (len(starts.offsets) - 1)
    names, spellings = labels.names or (), spellings_in_use()
    intervals = np.column_stack((starts.values, ends.values))
    codes = spellings.numbers(names).take(labels.values)
    odd = starts.having(_odd_rows(starts, ends, labels)).tolist()
    return [
        None if bad else ChordAnnotation.coded(intervals[a:b], codes[a:b], spellings)
        for (a, b), bad in zip(pairwise(starts.offsets.tolist()), odd, strict=True)
    ]


def _odd_rows(starts: PackedColumn, ends: PackedColumn, labels: PackedColumn) -> Any:
    """Tell which rows are not as reading leaves them: in order, apart, labelled with chords."""
    odd = ~((starts.values >= 0) & (ends.values >= starts.values) & np.isfinite(ends.values))
    behind = starts.owners[1:] == starts.owners[:-1]
    odd[1:] |= behind & (starts.values[1:] < ends.values[:-1])
    are_odd = np.array([not is_chord(name) for name in labels.names or ()], dtype=bool)
    return odd | are_odd.take(labels.values)


PACKING = Packing(
    lists={"starts": "real", "ends": "real", "labels": "text"},
    single={},
    pack=_pack,
    unpack=_unpack,
    rows=len,
    choices=frozenset(("lenient", "overlap")),
)

_OFFICIAL = (mirex2013.PROTOCOL.name, frames10ms.PROTOCOL.name)
"""Protocols to which an explicit ``/1`` is a bass, and differs from none."""


def _evaluate(
    cases: Sequence[Case[ChordAnnotation]], measures: Sequence[Measure], _: ChordOptions
) -> Evaluation:
    columns = build_columns(cases)
    by_protocol: dict[str, list[Measure]] = {}
    for measure in measures:
        by_protocol.setdefault(measure.protocol, []).append(measure)
    results = {}
    statistics: dict[Measure, Statistics] = {}
    for module in MODULES:
        own = by_protocol.get(module.PROTOCOL.name, [])
        if own or module is mirex2013:  # its times are those of the confusions
            results[module.PROTOCOL.name] = module.evaluate(columns, own)
            statistics |= results[module.PROTOCOL.name].statistics
    mirex = results[mirex2013.PROTOCOL.name]
    tables = [confusion_table(mirex.times, columns), excluded_table(results, columns, measures)]
    result = results.get(mir_eval.PROTOCOL.name)
    if result is not None:
        recalls = [m for m in measures if m.protocol == mir_eval.PROTOCOL.name and m.name in result.rules]
        tables.append(credited_table(result, columns, recalls))
    basses = [m for m in measures if m.protocol in _OFFICIAL and m.name in mirex.root_basses]
    if basses:
        tables.append(root_bass_table(mirex, columns, basses))
    return Evaluation(statistics, tuple(tables))


_ADDRESSES = [str(measure) for module in MODULES for measure in module.PROTOCOL.measures]


def _remark_of_task(tables: Mapping[str, Mapping[ClassKey, float]]) -> Iterable[Diagnostic]:
    """Explain the tables of time by measure, measures in the order of their protocols."""
    return remarks(tables, _ADDRESSES)


def _content(annotation: ChordAnnotation) -> bytes:
    """Return times as little-endian doubles, then labels."""
    times = np.ascontiguousarray(annotation.intervals, dtype="<f8").tobytes()
    return struct.pack("<q", len(annotation)) + times + "\0".join(annotation.labels).encode()


def _extent(annotation: ChordAnnotation) -> float:
    return float(annotation.intervals[-1, 1]) if len(annotation) else 0.0


def _blank(_: ChordAnnotation) -> ChordAnnotation:
    return ChordAnnotation.empty()


TASK = Task(
    name="chords",
    summary="Chord symbols over time.",
    protocols=tuple(module.PROTOCOL for module in MODULES),
    suffixes=SUFFIXES,
    options=ChordOptions,
    read=read_chords,
    adopt=adopt_chords,
    blank=_blank,
    content=_content,
    extent=_extent,
    evaluate=_evaluate,
    remark=_remark_of_task,
    view=view_item,
    baselines=baselines,
    oracle=oracle,
    ratings=ratings,
    rated=(
        "roots and triads, as they sound by the map of mirex2013, and N; "
        "a unit is the time between two boundaries, weighted by its seconds"
    ),
    judge=DEFAULT_MEASURE,
    default_measures=("mirex2013/*",),
    class_tables=("confusion", "excluded", "credited", "root_bass"),
    losses=quality_losses,
    breakdown=chord_breakdown,
    conversion=CONVERSION,
    packing=PACKING,
    vocabulary=Vocabulary(noun="chord", unknown=_unknown_labels, nearest=lambda label, _: respell(label)),
    unfold=unfold,
    sheets=SHEETS,
)


def write(
    annotation: Any,
    path: str | os.PathLike[str],
    *,
    to: str | None = None,
    options: ChordOptions | None = None,
) -> None:
    r"""Write the chords of one song to a file.

    Parameters
    ----------
    annotation : ChordAnnotation or other object
        Or anything that :func:`kammerton.score` takes for one.
    path : path
        Its suffix tells the format.
    to : {"lab", "jams", "csv", ...}, optional
        The format.
    options : ChordOptions, optional
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
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(([(0, 2), (2, 4)], ["C", "G:7"]), f"{folder}/song.lab")
    ...     pathlib.Path(folder, "song.lab").read_text()
    '0.0\t2.0\tC\n2.0\t4.0\tG:7\n'
    """
    write_annotation(TASK, annotation, path, to, options)
