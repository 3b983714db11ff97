# SPDX-License-Identifier: MIT
"""Make a collection of what a caller names: a file, a folder, or a mapping of items."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.formats.folders import Found, find_files, normal_form
from kammerton.formats.packs import collect_pack, is_pack
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
from kammerton.model.corpus import Collection
from kammerton.model.loading import name_of_source
from kammerton.model.task import Sheet, Task

__all__ = ["collect", "find", "name_of"]

_DOCUMENT = re.compile(
    r"(?:.*[-_.])?(?:read[-_]?me|licen[cs]e)(?:[-_. ].*)?|(?:.*[-_.])?(?:index|metadata|manifest)"
    r"|copying|copyright|notice|authors|contributors|citation|change[-_]?log|credits"
    r"|(?:file|song|track|piece)[-_]?list|checksums|(?:md5|sha256)(?:sums?)?",
    re.IGNORECASE,
)
"""Names of files that stand in folders beside annotations, to say what these are."""

_ROW = re.compile(r"\s*[-+]?[0-9.,]+(?:[\s,;]|$)")
"""A line that begins with a time, or with the number of a note."""

_OF_NO_FORM = frozenset(("KT109", "KT113", "KT145", "KT162", "KT616", "KT624"))
"""Codes that say of a file that it is nothing the task reads; KT143 does at its first line."""

Source = str | os.PathLike[str] | Mapping[str, object] | object


def collect(
    source: Source, *, name: str | None, default_name: str, task: Task, options: object
) -> Collection:
    """Return the items of a source; what holds one of them is not read yet.

    Parameters
    ----------
    source : path, mapping of str to object, or object
        A folder, in which an item is called by its path without suffix; a pack; another file, which is a
        single item unless it is unfolded; an address of any of these, such as ``s3://corpus/songs``; items
        by name, each a path or an annotation; or a single annotation.
    name : str, optional
        Name of the annotator or system; by default the last component of the path without suffix.
    default_name : str
        The name if there is neither a name nor a path.
    task : Task
        Says which files are annotations, and which of them hold many items.
    options : object
        The task's options.

    Raises
    ------
    OptionError
        If there is no such path, or a pack was read with other options.
    DataError
        If a pack cannot be used.
    """
    if isinstance(source, str | os.PathLike):
        if not os.fspath(source):
            raise OptionError("a path is empty", "`.` is the current folder")
        if is_pack(source):
            return collect_pack(source, name=name, task=task, options=options)
        return _from_place(source, name, task, options)
    called = name or default_name
    if isinstance(source, Mapping):
        return _from_mapping(source, called, task, options)
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
    return Collection(name, sources, name, written=written)


def find(place: str | os.PathLike[str], task: Task, options: object) -> Found[Any]:
    """Find the items at a path or an address, of which none is read for it.

    Returns
    -------
    Found
        Of paths, or of :class:`kammerton.formats.remote.RemoteSource`.

    Raises
    ------
    OptionError
        If there is nothing there, or not for us to see.
    DataError
        KT730 if an address cannot be read.
    """
    if is_remote(place):
        found: Found[Any] = find_remote(place, task, options)
    else:
        found = find_files(place, suffixes=tuple(task.suffixes))
    return found if found.single else _without_documents(found, task, options)


def _without_documents(found: Found[Any], task: Task, options: object) -> Found[Any]:
    """Pass over files of a folder that are about the data by their names, and no annotations by content."""
    documents = {
        item: name_of_source(paths[0]) or ""
        for item, paths in found.files.items()
        if len(paths) == 1
        and _DOCUMENT.fullmatch(item.rpartition("/")[2])
        and _is_document(paths[0], task, options)
    }
    if not documents:
        return found
    message = "ignored: about the data by its name, and no annotation by what it holds"
    notes = [
        Diagnostic(code="KT205", severity="note", message=message, file=file) for file in documents.values()
    ]
    return replace(
        found,
        files={item: paths for item, paths in found.files.items() if item not in documents},
        ignored=tuple(sorted((*found.ignored, *documents.values()))),
        diagnostics=(*found.diagnostics, *notes),
    )


def _is_document(path: Path | RemoteSource, task: Task, options: object) -> bool:
    """Tell whether a file is prose, or of no form that is read; not whether something is wrong with it."""
    name = name_of_source(path) or ""
    try:
        with lying_here(path) as here:
            sheet = None if task.unfold is None else task.unfold(here, name, options)
            if sheet is not None:
                return not sheet.items and not sheet.broken
            if here.suffix.lower() == ".txt":
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
    found, shown = find(place, task, options), shown_path(place)
    found.check_not_empty(shown, task.suffixes)
    holding = _Holding(found.diagnostics, task, options)
    for file, paths in found.files.items():
        holding.add(file, paths)
    return Collection(
        name or name_of(place),
        holding.sources,
        shown,
        tuple(holding.diagnostics),
        holding.broken,
        single=found.single and not holding.unfolded,
        written={task.identify(file)[0]: told for file, told in found.written.items()},
    )


class _Holding:
    """The items of a folder, by file or from files that hold many."""

    def __init__(self, diagnostics: Iterable[Diagnostic], task: Task, options: object) -> None:
        self._task = task
        self._options = options
        self.sources: dict[str, tuple[tuple[str | None, object], ...]] = {}
        self.diagnostics = list(diagnostics)
        self.unfolded = False
        self.broken: dict[str, str] = {}

    def add(self, file: str, paths: Sequence[Path | RemoteSource]) -> None:
        """Take up the file, or the several files, of one name."""
        item, annotator = self._task.identify(file)
        sheet = self._sheet(paths[0]) if len(paths) == 1 else None
        if sheet is not None:
            self.unfolded = True
            self.diagnostics += sheet.diagnostics
            self.broken |= sheet.broken
            for each, annotations in sheet.items.items():
                self.sources[each] = (*self.sources.get(each, ()), *annotations)
        elif len(paths) > 1:
            self.broken[item] = "several files for one item"
        else:
            self.sources[item] = (*self.sources.get(item, ()), (annotator, paths[0]))

    def _sheet(self, path: Path | RemoteSource) -> Sheet[object] | None:
        if isinstance(path, RemoteSource):
            return path.unfold()
        unfold = self._task.unfold
        return None if unfold is None else unfold(path, os.fspath(path), self._options)
