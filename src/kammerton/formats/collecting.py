# SPDX-License-Identifier: MIT
"""Make a collection of what a caller names: a file, a folder, or a mapping of items."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.formats.folders import FoundItems, find_files, normal_form
from kammerton.formats.objects import unfold
from kammerton.formats.packs import collect_pack, is_pack
from kammerton.formats.reading import learned_items, read_record, signed_making
from kammerton.formats.remote import (
    RemoteSource,
    find_remote,
    is_remote,
    lying_here,
    name_at,
    shown_path,
    source_at,
)
from kammerton.formats.source import read_bytes
from kammerton.model.corpus import Collection, name_of_source
from kammerton.model.task import ItemReadings, Task

_DOCUMENT = re.compile(
    r"(?:.*[-_.])?(?:read[-_]?me|licen[cs]e)(?:[-_. ].*)?|(?:.*[-_.])?(?:index|metadata|manifest)"
    r"|copying|copyright|notice|authors|contributors|citation|change[-_]?log|credits"
    r"|(?:file|song|track|piece)[-_]?list|checksums|(?:md5|sha256)(?:sums?)?",
    re.IGNORECASE,
)
"""Names of files that describe the annotations of a folder."""

_ROW = re.compile(r"\s*[-+]?[0-9.,]+(?:[\s,;]|$)")
"""A line that begins with a time, or with the number of a note."""

_OF_NO_FORM = frozenset(("KT109", "KT113", "KT145", "KT162", "KT616", "KT624"))
"""Codes of files that the task cannot read at all; KT143 is one at the first line."""

Source = str | os.PathLike[str] | Mapping[str, object] | object


def collect(
    source: Source, *, name: str | None, default_name: str, task: Task, options: object
) -> Collection:
    """Return the items of a source; their annotations are not read yet."""
    if isinstance(source, str | os.PathLike):
        if not os.fspath(source):
            raise OptionError("a path is empty", "`.` is the current folder")
        if is_pack(source):
            return collect_pack(source, name=name, task=task, options=options)
        return _from_place(source, name, task, options)
    called = name or default_name
    if isinstance(source, Mapping):
        return _from_mapping(source, called, task, options)
    many_items = unfold(task, source, called, options)
    if many_items is not None:
        return Collection(called, many_items.items, called, many_items.diagnostics, many_items.broken)
    return Collection(called, {called: ((None, source),)}, called, single=True)


def name_of(path: str | os.PathLike[str]) -> str:
    """Return the last component of a path or an address, without the suffix if it is a file."""
    if is_remote(path):
        return name_at(path)
    resolved = Path(os.path.abspath(path))  # noqa: PTH100 - `.` and `..` have names, links keep theirs
    return resolved.name if resolved.is_dir() else resolved.stem


def _from_mapping(source: Mapping[str, object], name: str, task: Task, options: object) -> Collection:
    sources: dict[str, tuple[tuple[str | None, object], ...]] = {}
    written: dict[str, str] = {}
    for key, value in source.items():
        item = normal_form(str(key))
        if item in sources:
            raise OptionError(
                f"two items of {quote(name)} are called {quote(item)}",
                "keys are compared as text, in composed form (NFC)",
            )
        sources[item] = ((None, source_at(value, task, options) if is_remote(value) else value),)
        if item != str(key):
            written[item] = str(key)
    return Collection(
        name,
        sources,
        name,
        written=written,
        made=signed_making(getattr(source, "made", "")),  # of annotations that a system has just made
        learned=learned_items(getattr(source, "learned", ())),
    )


def find(place: str | os.PathLike[str], task: Task, options: object) -> FoundItems[Any]:
    """Find the items at a path or an address; no annotation is read."""
    if is_remote(place):
        items: FoundItems[Any] = find_remote(place, task, options)
    else:
        items = find_files(place, suffixes=tuple(task.suffixes))
    return items if items.single else _without_documents(items, task, options)


def _without_documents(items: FoundItems[Any], task: Task, options: object) -> FoundItems[Any]:
    """Pass over files of a folder that describe the data, or are prose beside files of other suffixes."""
    files = {item: name_of_source(paths[0]) or "" for item, paths in items.files.items() if len(paths) == 1}
    suffixes = Counter(PurePath(file).suffix.lower() for file in files.values())
    usual = suffixes.most_common(1)[0][0] if suffixes else ""
    notes: dict[str, Diagnostic] = {}
    for item, file in files.items():
        by_name = _DOCUMENT.fullmatch(item.rpartition("/")[2]) is not None
        by_suffix = usual != ".txt" and file.lower().endswith(".txt")
        if (by_name or by_suffix) and _is_document(items.files[item][0], task, options, by_name=by_name):
            message = f"ignored: no annotation by what it holds, beside files ending in {quote(usual)}"
            if by_name:
                message = "ignored: about the data by its name, and no annotation by what it holds"
            notes[item] = Diagnostic("KT205", "note", message, file=file)
    if not notes:
        return items
    return replace(
        items,
        files={item: paths for item, paths in items.files.items() if item not in notes},
        ignored=tuple(sorted((*items.ignored, *(files[item] for item in notes)))),
        diagnostics=(*items.diagnostics, *notes.values()),
    )


def _is_document(path: Path | RemoteSource, task: Task, options: object, *, by_name: bool) -> bool:
    """Return whether a file is in no format that the task reads, or prose if its name suggests it."""
    name = name_of_source(path) or ""
    try:
        with lying_here(path) as here:
            unfold = task.unfolder(name)
            many_items = None if unfold is None else unfold(here, name, options)
            if many_items is not None:
                return not many_items.items and not many_items.broken
            if by_name and here.suffix.lower() == ".txt":
                text = read_bytes(here, name=name).decode(errors="replace")
                lines = [line for line in text.splitlines() if line.strip()]
                return 2 * sum(_ROW.match(line) is not None for line in lines) < len(lines)
            problems = task.read(here, name, options).diagnostics
    except DataError:
        return False
    errors = [problem for problem in problems if problem.severity == "error"]
    return bool(errors) and all(
        problem.code in _OF_NO_FORM or (problem.code == "KT143" and problem.line == 1) for problem in errors
    )


def _from_place(place: str | os.PathLike[str], name: str | None, task: Task, options: object) -> Collection:
    items, shown = find(place, task, options), shown_path(place)
    items.check_not_empty(shown, task.suffixes)
    sources: dict[str, tuple[tuple[str | None, object], ...]] = {}
    broken: dict[str, str] = {}
    diagnostics = list(items.diagnostics)
    holds_many = False
    for file, paths in items.files.items():
        item, annotator = task.identify(file)
        many_items: ItemReadings[object] | None = None
        if len(paths) == 1 and isinstance(paths[0], RemoteSource):
            many_items = paths[0].unfold()
        elif len(paths) == 1 and (unfold := task.unfolder(paths[0].name)) is not None:
            many_items = unfold(paths[0], os.fspath(paths[0]), options)
        if many_items is not None:
            holds_many = True
            diagnostics += many_items.diagnostics
            broken |= many_items.broken
            for item_of_file, annotations in many_items.items.items():
                sources[item_of_file] = (*sources.get(item_of_file, ()), *annotations)
        elif len(paths) > 1:
            broken[item] = "several files for one item"
        else:
            sources[item] = (*sources.get(item, ()), (annotator, paths[0]))
    record = {} if items.single or is_remote(place) else read_record(Path(place))
    return Collection(
        name or name_of(place),
        sources,
        shown,
        tuple(diagnostics),
        broken,
        single=items.single and not holds_many,
        written={task.identify(file)[0]: name_as_written for file, name_as_written in items.written.items()},
        made=signed_making(record.get("made")),
        learned=learned_items(record.get("learned")),
    )
