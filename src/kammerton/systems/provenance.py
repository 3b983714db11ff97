# SPDX-License-Identifier: MIT
"""Folders of annotations that a system made: how they are written, and the record of their making."""

from __future__ import annotations

import json
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kammerton.arrays import Weights
from kammerton.errors import Diagnostic, OptionError, OutputError, quote
from kammerton.formats.folders import leads_out
from kammerton.formats.reading import RECORD
from kammerton.formats.remote import check_here, is_remote
from kammerton.formats.writing import already_there, check_parent, lies_within, replacing_folder
from kammerton.model.annotations import LabelledIntervals, Metadata
from kammerton.model.task import Conversion, Task
from kammerton.version import __version__

StrPath = str | os.PathLike[str]


def check_folder(folder: StrPath, inputs: Iterable[StrPath], *, force: bool) -> None:
    """Check before any work that annotations can be written there, and replace nothing but such a folder."""
    check_here(folder)
    target, shown = Path(folder), quote(os.fsdecode(folder))
    for path in inputs:
        if not path or is_remote(path) or not os.path.exists(path):  # noqa: PTH110 - it never raises
            continue
        name = quote(os.fsdecode(path))
        if lies_within(target, path) and lies_within(path, target):
            raise OptionError(f"{shown} is a source", "write to another folder")
        if lies_within(target, path):
            raise OptionError(f"{shown} lies within a source, {name}", "write to another folder")
        if lies_within(path, target):
            raise OptionError(f"{shown} holds a source, {name}", "write to another folder")
    check_parent(target, target)
    if not target.exists():
        return
    if not target.is_dir():
        raise OutputError(f"KT501 cannot write {shown}: it is a file")
    names = {path.name for path in target.iterdir()}
    if names and RECORD not in names:
        raise OutputError(f"KT503 cannot write {shown}: it holds other things\n  help: write to a new folder")
    if names and not force:
        raise already_there(shown)


def check_name(folder: StrPath, task: Task) -> None:
    """Refuse to make a folder that is called as a file."""
    suffixes = (*task.suffixes, *(task.conversion.forms.values() if task.conversion else ()))
    name = os.fsdecode(folder)
    if name.lower().endswith(suffixes) and not Path(folder).is_dir():
        message = f"annotations are written to a folder, and {quote(name)} has the suffix of a file"
        raise OptionError(message, "--out FOLDER; --to has the format of the files in it")


def form_of(task: Task, to: str | None) -> str:
    """Return the format to write, by default the first that the task has."""
    if task.conversion is None:
        raise OptionError(f"annotations of {task.name} cannot be written")
    if to is not None and to not in task.conversion.forms:
        raise OptionError.unknown("format", to, task.conversion.forms)
    return to or next(iter(task.conversion.forms))


class Written(ABC):
    """Annotations of a task that can be written to a folder, with how they were made."""

    def write(self, out: StrPath, *, to: str | None = None, force: bool = False) -> tuple[Diagnostic, ...]:
        """Write a folder with a file for each item, and ``kammerton.json`` with how they were made.

        Parameters
        ----------
        out : path
            The folder. Of annotations that were fused, it has the support of each row in
            ``_fusion/rows.csv``, too.
        to : str, optional
            Format, as for :func:`kammerton.convert`; by default the first that the task has. Of notes in a
            score, ``musicxml`` is that score with nothing else changed.
        force : bool
            Replace a folder that was written so before.

        Returns
        -------
        tuple of Diagnostic
            What was noticed while it was written.

        Raises
        ------
        OptionError
            If there is no such format.
        OutputError
            If the folder cannot be written, or holds other things.
        """
        form = form_of(self._kind(), to)
        check_folder(out, self._places(), force=force)
        noticed: list[Diagnostic] = []
        write_folder(out, self._files(form, noticed), self._record())
        return tuple(noticed)

    @abstractmethod
    def _kind(self) -> Task:
        """Return the task."""

    @abstractmethod
    def _places(self) -> Iterable[StrPath]:
        """Return what was read."""

    @abstractmethod
    def _files(self, form: str, noticed: list[Diagnostic]) -> Iterator[tuple[str, str]]:
        """Give name and text of each file, and note what a reader must know."""

    @abstractmethod
    def _record(self) -> Mapping[str, Any]:
        """Return how the annotations were made, without anything that differs from machine to machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What is written of annotations by item."""

    annotations: Mapping[str, Any]
    made: str  # how they were made
    confidences: Mapping[str, Weights | None]  # of their rows
    sources: Mapping[str, Path] = field(default_factory=dict)  # files that they can be put into
    reading: object = None  # how these are read


def annotation_files(
    task: Task, content: Content, form: str, noticed: list[Diagnostic]
) -> Iterator[tuple[str, str]]:
    """Give name and text of the file of each item: its source with the annotation in it, or a new one."""
    conversion = task.conversion
    assert conversion is not None, "which the format was checked for"
    for item, annotation in content.annotations.items():
        if leads_out(item):
            raise OptionError(f"name of an item leads out of the folder: {quote(item)}", "call it otherwise")
        filler, source = conversion.fillers.get(form), content.sources.get(item)
        text = None
        if filler is not None and source is not None and source.suffix.lower() in filler.suffixes:
            text = filler.fill(source, annotation, content.reading)
            if text is None:
                message = f"{quote(item)} is written as a new file: its source has no place for what was made"
                noticed.append(Diagnostic(code="KT812", severity="warning", message=message, item=item))
        if text is None:
            text = _rendered(conversion, content, item, form)
        yield f"{item}{conversion.forms[form]}", text


def _rendered(conversion: Conversion, content: Content, item: str, form: str) -> str:
    """Return the text of the file of an item; JAMS says how it was made, and the confidence of rows."""
    track = conversion.track(content.annotations[item], None, item)
    if form == "jams":
        track = with_making(track, content.made)
    confidence = content.confidences.get(item)
    if confidence is not None and isinstance(track, LabelledIntervals):
        shares = [None if math.isnan(share) else round(share, 6) for share in confidence.tolist()]
        track = replace(track, confidence=shares.__getitem__)
    tracks = [track]
    if conversion.gather is not None and form in conversion.sheets:
        tracks = list(conversion.gather([(item, None, track)]))  # with the name of the item
    return conversion.render(tracks, form)


def with_making(track: Any, made: str) -> Any:
    """Return a track that says in JAMS how it was made; one of several entries says so in each."""
    about = {"annotation_tools": f"kammerton {made}", "data_source": "program"}
    metadata = Metadata({}, {"annotation_metadata": about})
    if isinstance(track, LabelledIntervals):
        return replace(track, metadata=metadata)
    return replace(track, entries=tuple(replace(entry, metadata=metadata) for entry in track.entries))


def write_folder(folder: StrPath, files: Iterable[tuple[str, str]], record: Mapping[str, Any]) -> None:
    """Write a folder of files, by name and text, with the record of their making: whole or not at all."""
    whole = {"kammerton": __version__, **record}
    with replacing_folder(folder) as new:
        for name, text in files:
            place = new / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode("utf-8", "surrogateescape"))
        document = json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False)
        (new / RECORD).write_bytes(f"{document}\n".encode())
