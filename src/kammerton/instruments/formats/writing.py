# SPDX-License-Identifier: MIT
"""Lists of instruments as text; our readers return what was written.

What a format cannot hold is refused: a ranking without scores in JAMS, a label with a blank in rows of TREC.
Of runs, labels of equal scores come back in the order of ``trec_eval``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal, NoReturn

import numpy as np

from kammerton.errors import DataError, Diagnostic, quote
from kammerton.formats.tables import render_rows
from kammerton.formats.writing import JamsPart, jams_document
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.formats.tables import NAMES
from kammerton.model.annotations import Metadata

Kind = Literal["set", "order", "scores", "vector", "judged", "grades"]

_KINDS: dict[Kind, str] = {
    "set": "sets",
    "order": "rankings without scores",
    "scores": "rankings with scores",
    "vector": "scores of a vocabulary",
    "judged": "judgements of some labels",
    "grades": "grades of relevance",
}


@dataclass(frozen=True, slots=True)
class ListEntry:
    """A list, and whose it is."""

    # item, annotator: None where a file does not name them
    item: str | None
    annotator: str | None
    annotation: InstrumentList
    metadata: Metadata | None = None  # what a JAMS file has beside the list


def render_jams(entries: Sequence[ListEntry]) -> str:
    """Write a JAMS file of one recording, with one annotation of tags per annotator."""
    if len({entry.item for entry in entries}) > 1:
        _refuse("JAMS", "a file is of one recording", "csv holds many")
    for entry in entries:
        kind = _kind(entry.annotation)
        if kind not in ("set", "order", "scores", None):
            _refuse_kind("JAMS", kind)
        _check(entry, "JAMS", blanks_allowed=True)
    parts = [
        JamsPart(
            "tag_open",
            entry.annotator,
            ",\n".join(
                f'{{"time": {json.dumps(start)}, "duration": {json.dumps(length)}, '
                f'"value": {json.dumps(label, ensure_ascii=False)}, "confidence": {json.dumps(score)}}}'
                for label, score in _scored(entry.annotation)
                for start, length in _times(entry.annotation, label)
            ),
            entry.metadata,
            ranked=_kind(entry.annotation) == "order",
        )
        for entry in entries
    ]
    ends = [segment.end for entry in entries for segment in entry.annotation.segments]
    return jams_document(parts, max(ends, default=0))


def _times(annotation: InstrumentList, label: str) -> list[tuple[float, float]]:
    """Return start and duration of each segment of a label; 0 and 0 if it has none."""
    own = [segment for segment in annotation.segments if segment.label == label]
    return [(round(one.start, 6), round(one.end - one.start, 6)) for one in own] or [(0, 0)]


def render_table(entries: Sequence[ListEntry]) -> str:
    """Write a comma-separated table."""
    kinds = {kind for entry in entries if (kind := _kind(entry.annotation)) is not None} or {"set"}
    if len(kinds) > 1:
        _refuse("CSV", f"lists are of several kinds: {', '.join(sorted(_KINDS[kind] for kind in kinds))}")
    (kind,) = kinds
    if kind == "grades":
        _refuse_kind("CSV", kind)
    for entry in entries:
        _check(entry, "CSV", blanks_allowed=True)
    if kind == "vector":
        _check_wide(entries)
        return render_rows(_wide(entries))
    return render_rows(_long(entries, kind))


def _keys(entries: Sequence[ListEntry]) -> tuple[list[str], list[list[str]]]:
    """Return the columns that name item and annotator, and their cells for each list."""
    names: list[str] = []
    cells: list[list[str]] = [[] for _ in entries]
    for name, values in (
        ("file", [entry.item for entry in entries]),
        ("annotator", [entry.annotator for entry in entries]),
    ):
        if any(value is not None for value in values):
            names.append(name)
            for row, value in zip(cells, values, strict=True):
                row.append(value or "")
    return names, cells


def _check_wide(entries: Sequence[ListEntry]) -> None:
    """Refuse scores that would be read as something else."""
    if any(entry.item is None for entry in entries):
        _refuse("CSV", "scores of a vocabulary need the name of their item", "write a table of many items")
    if all(np.isin(entry.annotation.scores, (0.0, 1.0)).all() for entry in entries):
        _refuse("CSV", "scores that are all 0 or 1 would be read as sets", "0.5 as a threshold makes sets")
    labels = (label for entry in entries for label in entry.annotation.labels)
    column = next(filter(NAMES.column, labels), None)
    if column is not None:
        _refuse("CSV", f"label {quote(column)} would be read as the name of another column")


def _wide(entries: Sequence[ListEntry]) -> Iterator[list[str]]:
    """Give the rows of a table with a column for each label."""
    labels = list(dict.fromkeys(label for entry in entries for label in entry.annotation.labels))
    names, keys = _keys(entries)
    yield [*names, *labels]
    for key, entry in zip(keys, entries, strict=True):
        scores = dict(zip(entry.annotation.labels, entry.annotation.scores.tolist(), strict=True))
        yield [*key, *(repr(scores[label]) if label in scores else "" for label in labels)]


_COLUMNS: dict[Kind, list[str]] = {"order": ["rank"], "scores": ["score"], "judged": ["relevance"]}


def _long(entries: Sequence[ListEntry], kind: Kind) -> Iterator[list[str]]:
    """Give the rows of a table with a row for each label; a list without labels has one with none."""
    names, keys = _keys(entries)
    columns = _COLUMNS.get(kind, [])
    yield [*names, "instrument", *columns]
    for key, entry in zip(keys, entries, strict=True):
        rows: list[list[str]] = [[label] for label in entry.annotation.labels]
        if kind == "order":
            rows = [[label, str(rank)] for rank, label in enumerate(entry.annotation.labels, 1)]
        elif kind == "scores":
            rows = [[label, repr(score)] for label, score in _scored(entry.annotation)]
        elif kind == "judged":
            rows = [[label, "1"] for label in entry.annotation.labels]
            rows += [[label, "0"] for label in entry.annotation.absent]
        for row in rows or [[""] * (1 + len(columns))]:
            yield [*key, *row]


def render_qrels(entries: Sequence[ListEntry]) -> str:
    """Write judgements as ``trec_eval`` reads them: items are topics, and labels documents."""
    rows = []
    for entry in _topics(entries, "qrels"):
        annotation = entry.annotation
        if not annotation.closed:
            hint = "--assume-absent takes it for absent"
            _refuse("qrels", "what nobody judged would count as absent", hint)
        grades = annotation.grades.tolist() if len(annotation.grades) else [1] * len(annotation)
        pairs = [*zip(annotation.labels, grades, strict=True), *((label, 0) for label in annotation.absent)]
        rows += [f"{entry.item} 0 {label} {grade}\n" for label, grade in pairs]
    return "".join(rows)


def render_run(entries: Sequence[ListEntry]) -> str:
    """Write a run as ``trec_eval`` reads it: items are topics, and labels documents.

    Lists without scores get descending ones, from their length to 1.
    """
    rows = []
    for entry in _topics(entries, "a run"):
        annotation = entry.annotation
        count = len(annotation)
        if count > 1 and not annotation.ranked:
            _refuse("a run", f"the labels of {quote(str(entry.item))} have no order", "qrels has sets")
        scores = annotation.scores.tolist() if len(annotation.scores) else range(count, 0, -1)
        rows += [
            f"{entry.item} Q0 {label} {rank} {score!r} kammerton\n"
            for rank, (label, score) in enumerate(zip(annotation.labels, scores, strict=True), 1)
        ]
    return "".join(rows)


def _topics(entries: Sequence[ListEntry], form: str) -> Sequence[ListEntry]:
    """Check that lists can be rows of topics."""
    seen = set()
    for entry in entries:
        if entry.item is None:
            _refuse(form, "the file does not name its item", "write a table of many items")
        if entry.item in seen:
            _refuse(form, f"item {quote(entry.item)} has several annotators", "write those of one")
        seen.add(entry.item)
        _check(entry, form, blanks_allowed=False)
        if not len(entry.annotation) and not entry.annotation.absent:
            _refuse(form, f"item {quote(entry.item)} has no label", "csv holds empty lists")
    return entries


def _kind(annotation: InstrumentList) -> Kind | None:
    """Return what a list has of its labels; None if it has none, and fits any kind."""
    if (annotation.grades != 1).any():
        return "grades"
    if not annotation.closed:
        return "judged"
    if not len(annotation):
        return None
    if annotation.vector:
        return "vector"
    if len(annotation.scores):
        return "scores"
    return "order" if annotation.ranked else "set"


def _scored(annotation: InstrumentList) -> Iterator[tuple[str, float | None]]:
    return zip_longest(annotation.labels, annotation.scores.tolist())


def _check(entry: ListEntry, form: str, *, blanks_allowed: bool) -> None:
    """Refuse names that a line, or an encoding, cannot hold."""
    for name in (entry.item, entry.annotator, *entry.annotation.labels, *entry.annotation.absent):
        if name is None:
            continue
        if any("\ud800" <= character <= "\udfff" for character in name):
            _refuse(form, f"half a surrogate pair: {quote(name)}")
        if form != "JAMS" and any(character in name for character in "\n\r\0"):
            _refuse(form, f"a line end or NUL: {quote(name)}", "JAMS can hold any text")
        if not blanks_allowed and (not name or name.split() != [name]):
            _refuse(form, f"a blank in a name: {quote(name)}", "a label map can replace it")


def _refuse_kind(form: str, kind: Kind) -> NoReturn:
    holder = "qrels" if kind == "grades" else "csv"
    _refuse(form, f"{_KINDS[kind]} have no form in it", f"{holder} can hold them")


def _refuse(form: str, reason: str, hint: str | None = None) -> NoReturn:
    message = f"cannot be written as {form}: {reason}"
    raise DataError((Diagnostic(code="KT151", severity="error", message=message, hint=hint),))
