# SPDX-License-Identifier: MIT
"""The task ``instruments``: its record, baselines, ratings of annotators, and conversion."""

from __future__ import annotations

import os
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Any

import numpy as np

from kammerton.arrays import Codes
from kammerton.errors import DataError, Diagnostic, OptionError, inflected, plural
from kammerton.formats.writing import left_behind, write_annotation
from kammerton.instruments.annotation import PACKING, InstrumentList
from kammerton.instruments.columns import InstrumentColumns, annotated, build_columns
from kammerton.instruments.error_analysis import instrument_breakdown, instrument_losses
from kammerton.instruments.formats.writing import (
    ListEntry,
    render_jams,
    render_qrels,
    render_run,
    render_table,
)
from kammerton.instruments.kernels import applicable, evaluate, gather, survey
from kammerton.instruments.labels import identify
from kammerton.instruments.options import LABEL_MAPS, InstrumentOptions, load_label_map
from kammerton.instruments.protocols import PROTOCOLS
from kammerton.instruments.reading import SUFFIXES, adopt, read_instruments, read_with_metadata, unfold
from kammerton.instruments.taxonomy_files import TAXONOMIES
from kammerton.instruments.views import DEFAULT_MEASURE, view_item
from kammerton.model.task import Case, ClassKey, Conversion, ItemReadings, Ratings, Reading, Task, Vocabulary


def baselines(references: Mapping[str, Sequence[InstrumentList]]) -> dict[str, dict[str, InstrumentList]]:
    """Return trivial estimates made from the references: the same for every recording.

    Examples
    --------
    >>> lists = {"a": ["piano"], "b": ["piano", "voice"], "c": ["piano"]}
    >>> estimates = baselines({item: [InstrumentList(tuple(labels))] for item, labels in lists.items()})
    >>> {name: of_item["a"].labels for name, of_item in estimates.items()}
    {'the 1 commonest': ('piano',), 'everything': ('piano', 'voice')}
    """
    annotations = [annotation for item in references.values() for annotation in item]
    if not annotations or any(annotation.query for annotation in annotations):
        return {}
    counts = Counter(label for annotation in annotations for label in annotation.labels)
    ranking = sorted(counts, key=lambda label: (-counts[label], label))
    scores = np.array([counts[label] / len(annotations) for label in ranking], dtype=np.float64)
    mean = max(1, round(counts.total() / len(annotations)))
    return {
        name: dict.fromkeys(references, InstrumentList(tuple(ranking[:size]), scores[:size], ranked=True))
        for name, size in ((f"the {mean} commonest", mean), ("everything", len(ranking)))
    }


def oracle(
    references: Sequence[InstrumentList], estimates: Sequence[InstrumentList], _: object
) -> InstrumentList | None:
    """Return the instruments of the first reference that a system lists.

    Examples
    --------
    >>> lists = [["piano", "voice"], ["flute", "piano"], ["drums"]]
    >>> truth, *estimates = (InstrumentList(tuple(labels)) for labels in lists)
    >>> oracle([truth], estimates, None).labels
    ('piano',)
    """
    if references[0].query or any(estimate.vector for estimate in estimates):
        return None
    listed = {label for estimate in estimates for label in estimate.labels}
    return InstrumentList(tuple(label for label in references[0].labels if label in listed), ranked=True)


Items = Sequence[Sequence[InstrumentList | None]]
"""Annotations of each recording, by annotator; None where there is none."""
_ONLY_PRESENT = (
    "open lists name only what is present, so nobody knows what is absent; "
    "--assume-absent takes all that they do not name for absent"
)


def ratings(items: Items, options: InstrumentOptions | None = None) -> Ratings:
    """Return whether each instrument is there.

    Examples
    --------
    Nobody names drums of the first recording: there all agree that they are absent.

    >>> first = [InstrumentList(("piano", "voice")), InstrumentList(("drums",))]
    >>> second = [InstrumentList(("voice",)), InstrumentList(("drums",))]
    >>> rated = ratings(list(zip(first, second)))  # of each: piano, voice, drums
    >>> rated.labels, rated.codes.tolist()
    (('absent', 'present'), [[1, 0], [1, 1], [0, 0], [0, 0], [0, 0], [1, 1]])
    """
    options = options or InstrumentOptions()
    places: list[tuple[int, int]] = []
    cases = []
    for item, of_item in enumerate(items):
        for rater, annotation in enumerate(of_item):
            if annotation is not None:
                places.append((item, rater))
                cases.append(Case((annotation,), InstrumentList(())))
    columns = build_columns(cases, options)
    unit_of, count = _units(columns, options.level)
    owners = np.array(places, dtype=np.int64).reshape(-1, 2)
    codes = np.full((len(items), count, len(items[0]) if items else 0), -1, dtype=np.int64)
    closed = owners[columns.closed]
    codes[closed[:, 0], :, closed[:, 1]] = 0
    counting = np.ones((len(items), count), dtype=bool)  # of a query those units that somebody judged
    counting[owners[columns.queries, 0]] = False
    for code, lists in ((0, columns.absent), (1, columns.truth)):
        own_items, raters = owners[lists.owners].T
        codes[own_items, unit_of[lists.codes], raters] = code
        counting[own_items, unit_of[lists.codes]] = True
    reason = _ONLY_PRESENT if _name_only_present(items, options) else ""
    return Ratings(("absent", "present"), codes[counting], reason=reason)


def _units(columns: InstrumentColumns, level: int) -> tuple[Codes, int]:
    """Return which unit each label is, and how many there are: all of the taxonomy, and all that is used."""
    labels: Iterable[str] = () if columns.tree is None else columns.tree.leaves
    if columns.tree is not None and level:
        labels = [node for leaf in labels for node in columns.tree.project(leaf, level)]
    index = {label: code for code, label in enumerate(columns.labels)}
    used = dict.fromkeys(index[label] for label in labels)
    used |= dict.fromkeys([*columns.truth.codes.tolist(), *columns.absent.codes.tolist()])
    unit_of = np.full(len(columns.labels), -1, dtype=np.int64)
    unit_of[list(used)] = np.arange(len(used))
    return unit_of, len(used)


def _is_open(annotation: InstrumentList, options: InstrumentOptions) -> bool:
    return not (annotation.closed or annotation.query or options.assume_absent)


def _name_only_present(items: Items, options: InstrumentOptions) -> bool:
    """Return whether some lists are open, and none of these has anything absent."""
    annotations = (annotation for item in items for annotation in item if annotation is not None)
    judging = (annotation for annotation in annotations if len(annotation) + len(annotation.absent))
    open_lists = [annotation for annotation in judging if _is_open(annotation, options)]
    return bool(open_lists) and not any(annotation.absent for annotation in open_lists)


Pair = Callable[[InstrumentList, InstrumentList], InstrumentList]


def judged_by_both(items: Items, options: InstrumentOptions) -> Pair | None:
    """Return what leaves of a reference only what another annotator judged too.

    Examples
    --------
    >>> whole = InstrumentList(("piano", "voice"))
    >>> partly = InstrumentList((), absent=("voice",), closed=False)
    >>> judged_by_both([[whole, partly]], InstrumentOptions())(whole, partly).labels
    ('voice',)
    """
    annotations = (annotation for item in items for annotation in item if annotation is not None)
    if not any(_is_open(annotation, options) for annotation in annotations):
        return None
    only_present = _name_only_present(items, options)

    def pair(reference: InstrumentList, estimate: InstrumentList) -> InstrumentList:
        if only_present and (_is_open(reference, options) or _is_open(estimate, options)):
            return replace(reference, labels=(), absent=(), closed=False)
        return (
            _restricted(annotated(reference, options), estimate) if _is_open(estimate, options) else reference
        )

    return pair


def _restricted(reference: InstrumentList, estimate: InstrumentList) -> InstrumentList:
    """Return a reference with those labels only that an open estimate judged."""
    judged = dict.fromkeys((*estimate.labels, *estimate.absent))
    present = tuple(label for label in reference.labels if label in judged)
    absent = judged.keys() - present if reference.closed else judged.keys() & set(reference.absent)
    return InstrumentList(
        present,
        ranked=reference.ranked,
        vector=reference.vector,
        absent=tuple(label for label in judged if label in absent),
        closed=False,
        query=reference.query,
    )


# --- conversion ------------------------------------------------------------------------------

_SUFFIXES = {"jams": ".jams", "csv": ".csv", "qrels": ".qrels", "run": ".run"}


@dataclass(frozen=True, slots=True)
class WrittenLists:
    """What one annotator, or a system, has in a file."""

    file: str  # what diagnostics call the file
    entries: tuple[ListEntry, ...]  # one for each item


def _track(annotation: InstrumentList, annotator: str | None, name: str) -> WrittenLists:
    return WrittenLists(name, (ListEntry(None, annotator, annotation),))


def _load(path: str | os.PathLike[str], name: str, options: InstrumentOptions) -> Reading[WrittenLists]:
    """Read a file of one item."""
    reading, metadata = read_with_metadata(path, name, options)
    tracks = [
        (annotator, WrittenLists(name, (ListEntry(None, annotator, annotation, about),)))
        for (annotator, annotation), about in zip_longest(reading.annotations, metadata)
    ]
    return Reading(tuple(tracks), reading.diagnostics)


def _unfold(
    path: str | os.PathLike[str], name: str, options: InstrumentOptions
) -> ItemReadings[WrittenLists] | None:
    """Read a file of many items."""
    many_items = unfold(path, name, options)
    if many_items is None:
        return None
    items = {
        item: tuple((annotator, _track(labels, annotator, name)) for annotator, labels in annotations)
        for item, annotations in many_items.items.items()
    }
    return ItemReadings(items, many_items.broken, many_items.diagnostics)


def _gather(parts: Sequence[tuple[str, str | None, WrittenLists]]) -> list[WrittenLists]:
    """Put the lists of one annotator together."""
    lists: dict[str | None, list[tuple[str, ListEntry]]] = {}
    for item, annotator, track in parts:
        entry = replace(track.entries[0], item=item, annotator=annotator)
        lists.setdefault(annotator, []).append((track.file, entry))
    return [WrittenLists(own[0][0], tuple(entry for _, entry in own)) for own in lists.values()]


_RENDERERS: dict[str, Callable[[Sequence[ListEntry]], str]] = {
    "jams": render_jams,
    "csv": render_table,
    "qrels": render_qrels,
    "run": render_run,
}


def _informative(track: WrittenLists) -> Sequence[ListEntry]:
    """Return the lists of a track without those that nobody judged, if all others are closed."""
    lists = [(entry, entry.annotation) for entry in track.entries]
    judged = [entry for entry, listed in lists if listed.closed or len(listed) or listed.absent]
    return judged if judged and all(entry.annotation.closed for entry in judged) else track.entries


def _render(tracks: Sequence[WrittenLists], form: str) -> str:
    try:
        return _RENDERERS[form]([entry for track in tracks for entry in _informative(track)])
    except DataError as error:
        raise DataError([problem.at(file=tracks[0].file) for problem in error.diagnostics]) from None


def _remark(track: WrittenLists, form: str) -> Iterator[Diagnostic]:
    count = len(track.entries) - len(_informative(track))
    if count:
        items = f"{plural(count, 'item')} {inflected(count, 'is', 'are')}"
        message = f"{items} left out, of whose instruments nothing is known"
        hint = "--assume-absent writes them as items without instruments"
        yield Diagnostic("KT666", "note", message, file=track.file, hint=hint, count=count)
    if form == "jams":
        yield from left_behind(track.entries[0].metadata)


CONVERSION = Conversion(
    forms=_SUFFIXES,
    joint=frozenset(("jams", "csv")),
    load=_load,
    render=_render,
    track=_track,
    remark=_remark,
    sheets=frozenset(("csv", "qrels", "run")),
    unfold=_unfold,
    gather=_gather,
)


# --- the record ------------------------------------------------------------------------------

_ABOUT_FILES = {
    "nothing annotated, nothing listed": "have neither annotated nor listed instruments",
    "nothing annotated, something listed": "have no annotated instruments, but listed ones",
    "nothing listed": "have annotated instruments, but no listed ones",
    "labels tied": "list instruments with equal scores",
    "too many errors to pair": "have more errors than the tables `errors` and `confusion` can pair",
}
_OF_ONE = {"have": "has", "list": "lists"}
_SAID_ONCE = frozenset(
    (
        *("KT600", "KT601", "KT602", "KT605", "KT606", "KT607", "KT608"),
        *("KT611", "KT612", "KT627", "KT628", "KT629", "KT632", "KT633"),
    )
)
"""Codes of what holds for a label, or for a whole collection, whichever file it is reported of."""


def _remark_of_task(tables: Mapping[str, Mapping[ClassKey, float]]) -> Iterator[Diagnostic]:
    for (what,), count in tables.get("files", {}).items():
        verb, _, rest = _ABOUT_FILES[str(what)].partition(" ")
        number = round(count)
        who = f"{plural(number, 'item')} {inflected(number, _OF_ONE[verb], verb)}"
        yield Diagnostic(code="KT690", severity="note", message=f"{who} {rest}")


def _notices(options: InstrumentOptions) -> tuple[Diagnostic, ...]:
    """Return what is odd about a taxonomy and a label map of the caller's own."""
    tree = None if options.taxonomy in TAXONOMIES else options.tree
    label_map = None if options.map in LABEL_MAPS else options.label_map
    return (*(tree.diagnostics if tree else ()), *(label_map.diagnostics if label_map else ()))


def _unknown_labels(options: InstrumentOptions) -> Callable[[str | os.PathLike[str], str], list[str]]:
    """Return what reads the labels of a file that the taxonomy does not have."""
    tree, keeping = options.tree, replace(options, unknown="keep")
    if tree is None:
        raise OptionError("without a taxonomy, no label is unknown", "say which: --taxonomy NAME or FILE")

    def read(path: str | os.PathLike[str], name: str) -> list[str]:
        table = unfold(path, name, keeping)
        lists = chain(*table.items.values()) if table else read_instruments(path, name, keeping).annotations
        labels = (label for _, annotation in lists for label in (*annotation.labels, *annotation.absent))
        return [label for label in labels if label not in tree.index]

    return read


def _nearest_label(label: str, options: InstrumentOptions) -> str | None:
    """Return what a built-in map to the taxonomy has for a label, else the node that is most like it."""
    assert options.tree is not None, "without a taxonomy, no label is unknown"
    for name in LABEL_MAPS:
        if name.endswith(f"-to-{options.tree.name}") and (known := load_label_map(name)).has(label):
            return known.apply(label)
    return next(iter(options.tree.nearest(label, 1)), None)


def _content(annotation: InstrumentList) -> bytes:
    """Return labels, then numbers as little-endian."""
    labels = "\0".join((*annotation.labels, "", *annotation.absent)).encode("utf-8", "surrogatepass")
    flags = (annotation.ranked, annotation.vector, annotation.closed, annotation.query)
    return b"".join(
        (
            struct.pack("<qq4?", len(annotation.labels), len(annotation.absent), *flags),
            np.asarray(annotation.scores, dtype="<f8").tobytes(),
            np.asarray(annotation.grades, dtype="<i8").tobytes(),
            labels,
        )
    )


TASK = Task(
    name="instruments",
    summary="Instruments of recordings.",
    protocols=PROTOCOLS,
    suffixes=SUFFIXES,
    options=InstrumentOptions,
    read=read_instruments,
    adopt=adopt,
    blank=lambda reference: InstrumentList((), ranked=True, query=reference.query),
    content=_content,
    extent=lambda _: 0.0,
    evaluate=evaluate,
    gather=gather,
    survey=survey,
    applicable=applicable,
    unfold=unfold,
    remark=_remark_of_task,
    notices=_notices,
    view=view_item,
    judge=DEFAULT_MEASURE,
    default_measures=("open-mic-task1/*",),
    class_tables=("instruments", "families", "subfamilies", "errors", "confusion", "files"),
    losses=instrument_losses,
    breakdown=instrument_breakdown,
    baselines=baselines,
    oracle=oracle,
    ratings=ratings,
    rated=(
        "present or absent; a unit is a recording and an instrument that the taxonomy has, or that anyone "
        "names of any recording"
    ),
    judged_by_both=judged_by_both,
    identify=identify,
    conversion=CONVERSION,
    packing=PACKING,
    vocabulary=Vocabulary(noun="instrument", unknown=_unknown_labels, nearest=_nearest_label),
    said_once=_SAID_ONCE,
    coincides=True,
)


def write(
    annotation: Any,
    path: str | os.PathLike[str],
    *,
    to: str | None = None,
    options: InstrumentOptions | None = None,
) -> None:
    """Write the instruments of one recording to a file.

    Parameters
    ----------
    annotation : InstrumentList or other object
        Or anything that :func:`kammerton.score` takes for one.
    path : path
        Its suffix tells the format.
    to : {"jams", "csv", "qrels", "run"}, optional
        The format.
    options : InstrumentOptions, optional
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
    ...     write(["piano", "voice"], f"{folder}/song.jams")
    ...     "piano" in pathlib.Path(folder, "song.jams").read_text()
    True
    """
    write_annotation(TASK, annotation, path, to, options)
