# SPDX-License-Identifier: MIT
"""Faults of how a task reads, takes, tells apart, converts and shows annotations."""

from __future__ import annotations

import os
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kammerton.errors import DataError, Diagnostic
from kammerton.formats.packs import new_pack, open_pack
from kammerton.model.corpus import Collection
from kammerton.model.task import Conversion, Reading
from kammerton.model.views import ItemView
from kammerton.reporting.timeline import NARROWEST, render_item
from kammerton.testing.specimens import Specimens

__all__ = [
    "faults_of_annotations",
    "faults_of_conversion",
    "faults_of_packing",
    "faults_of_reading",
    "faults_of_views",
]

_CODE = re.compile(r"[A-Z]{2,8}[0-9]{3,5}")


def _garbage() -> dict[str, bytes]:
    """Return contents that no reader expects, by what they are."""
    dice = random.Random("garbage")  # noqa: S311 - the same every time
    return {
        "empty": b"",
        "blank": b" \n\t\n\n",
        "zeros": bytes(64),
        "bytes": bytes(dice.randrange(256) for _ in range(512)),
        "latin-1": b"caf\xe9\n",
        "utf-16 without mark": "0 1 C\n".encode("utf-16-le"),
        "words": b"this is not an annotation\nat all\n",
        "numbers": b"1 2 3 4 5\n6 7\n8,9;10\n",
        "json begun": b'{"a": [1, {"b": ',
        "json of another kind": b'{"a": [1, null, {"b": NaN}]}',
        "deep json": b"[" * 5000,
        "xml begun": b"<?xml version='1.0'?><a><b>",
        "xml with entities": b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        "quote": b'a,b\n"c,d\n',
        "zip begun": b"PK\x03\x04" + bytes(40),
        "long line": b"a" * 5000,
        "escape": b"\x1b]0;x\x07\x1b[31m\n",
    }


def faults_of_reading(specimens: Specimens) -> Iterator[str]:
    """Give what reading does with what is no annotation: it never raises, and always says what is wrong."""
    task = specimens.task
    with tempfile.TemporaryDirectory() as folder:
        for suffix in sorted(task.suffixes):
            for what, content in _garbage().items():
                path = Path(folder, f"a{suffix}")
                path.write_bytes(content)
                yield from _tried(specimens, path, f"{what}{suffix}", f"a file {suffix} ({what})")
            yield from _tried(
                specimens, Path(folder, f"none{suffix}"), "none", f"a path {suffix} without a file"
            )
        yield from _tried(specimens, Path(folder), "folder", "a folder")


def _tried(specimens: Specimens, path: Path, name: str, what: str) -> Iterator[str]:
    try:
        reading = specimens.task.read(path, name, specimens.options)
    except Exception as error:  # whatever a reader raises is the fault that is looked for
        yield f"reading {what} raises {type(error).__name__}: {error}"
        return
    yield from _faults_of(reading, name, what)


def _faults_of(reading: Reading[Any], name: str | None, what: str) -> Iterator[str]:
    if not reading.annotations and not any(each.severity == "error" for each in reading.diagnostics):
        yield f"reading {what} gives neither an annotation nor an error"
    for each in reading.diagnostics:
        yield from _faults_of_diagnostic(each, name, what)


def _faults_of_diagnostic(found: Diagnostic, name: str | None, what: str) -> Iterator[str]:
    if name is not None and found.file != name:
        yield f"reading {what}: {found.code} names the file {found.file!r}, which is called {name!r}"
    if not _CODE.fullmatch(found.code):
        yield f"reading {what}: {found.code!r} is no code"
    if not found.message or not found.message.isprintable():
        yield f"reading {what}: the message of {found.code} is not one printable line: {found.message!r}"


def faults_of_annotations(specimens: Specimens) -> Iterator[str]:
    """Give the faults of content, extent, adoption, matching, and of estimates that say nothing."""
    task = specimens.task
    contents = [task.content(each) for each in specimens.annotations]
    if not all(isinstance(content, bytes) for content in contents):
        yield "content() returns no bytes"
        return
    if contents != [task.content(each) for each in specimens.annotations]:
        yield "content() of one annotation changes from call to call"
    for second, content in enumerate(contents):
        first = contents.index(content)
        if first < second:
            yield f"samples {first} and {second} have the same content: it must tell annotations apart"
    for number, each in enumerate(specimens.annotations):
        yield from _faults_of_annotation(specimens, number, each)
    try:
        refused = task.adopt(object(), "object", specimens.options)
    except Exception as error:  # whatever it raises
        yield f"adopt() of an object that is no annotation raises {type(error).__name__}: {error}"
    else:
        yield from _faults_of(refused, None, "an object that is no annotation")


def _faults_of_annotation(specimens: Specimens, number: int, annotation: Any) -> Iterator[str]:
    task, options = specimens.task, specimens.options
    extent = task.extent(annotation)
    if not 0 <= extent < float("inf"):
        yield f"sample {number} has the extent {extent!r}"
    if task.match is not None and task.match(annotation, annotation, options)[0] is None:
        yield f"sample {number} does not match itself"
    task.content(task.blank(annotation))
    try:
        adopted = task.adopt(annotation, "sample", options)
    except Exception as error:  # whatever it raises
        yield f"adopt() of sample {number} raises {type(error).__name__}: {error}"
        return
    if [task.content(found) for _, found in adopted.annotations] != [task.content(annotation)]:
        yield f"adopt() does not return sample {number} as it is"


def faults_of_conversion(specimens: Specimens) -> Iterator[str]:
    """Give what does not come back from the formats that a task writes; needs samples that are files."""
    conversion = specimens.task.conversion
    if conversion is None:
        return
    for form in sorted(conversion.joint.difference(conversion.forms)):
        yield f"format {form} holds several annotators, and is not written"
    for form, suffix in conversion.forms.items():
        if suffix not in specimens.task.suffixes:
            yield f"format {form} is written to files {suffix}, which the task does not read"
    for path in specimens.files:
        tracks = [track for _, track in conversion.load(path, os.fspath(path), specimens.options).annotations]
        for form in conversion.forms:
            groups = [tracks] if form in conversion.joint else [[track] for track in tracks]
            for group in groups:
                yield from _there_and_back(specimens, conversion, group, form, path.name)


def _there_and_back(
    specimens: Specimens, conversion: Conversion, tracks: Sequence[Any], form: str, what: str
) -> Iterator[str]:
    """Write and read; what was written once must come back, and be written the same again."""
    try:
        text = conversion.render(tracks, form)
    except DataError:  # the format cannot hold it, and says so
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a{conversion.forms[form]}")
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        back = conversion.load(path, "a", specimens.options)
        again = specimens.task.read(path, "a", specimens.options)
    if len(back.annotations) != len(tracks):
        yield f"{what} as {form}: {len(tracks)} annotations written, {len(back.annotations)} read"
    elif conversion.render([track for _, track in back.annotations], form) != text:
        yield f"{what} as {form}: what is read back is written otherwise"
    elif len(again.annotations) != len(tracks):
        yield f"{what} as {form}: what is written is not read as an annotation"


def faults_of_views(specimens: Specimens) -> Iterator[str]:
    """Give the faults of the view of an item, and of what is odd about annotations."""
    task = specimens.task
    for number, each in enumerate(specimens.annotations):
        for found in () if task.lint is None else task.lint(each, specimens.options):
            if found.severity == "error" or found.file is not None:
                yield f"lint() of sample {number}: {found.code} is an error, or names a file"
        if task.view is None:
            continue
        estimates = {"same": each, "blank": task.blank(each), "gone": "no estimate"}
        view = task.view("item", "me", {"me": each}, estimates, None, specimens.options)
        yield from _faults_of_view(view, ["me", *estimates], number)


def _faults_of_view(view: ItemView, names: Sequence[str], number: int) -> Iterator[str]:
    told = [track.name for track in view.tracks]
    if told != list(names):
        yield f"the view of sample {number} has the tracks {told}, not {names}"
    if [track.name for track in view.tracks if track.note] != ["gone"]:
        yield f"the view of sample {number} does not say why an estimate is not there"
    for width in (NARROWEST, 80):
        text = render_item(view, width=width)
        if max(map(len, text.splitlines())) > width:
            yield f"the view of sample {number} does not fit {width} columns"


def faults_of_packing(specimens: Specimens) -> Iterator[str]:
    """Give what does not come back from columns, or comes back although it is impossible."""
    task = specimens.task
    packing = task.packing
    if packing is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "samples.parquet")
        with new_pack(path, task, specimens.options) as writer:
            writer.begin(Collection("samples", {}))
            for number, each in enumerate(specimens.annotations):
                writer.add(f"{number}", None, None, Reading(((None, each),)))
        stored = [sources[0][1].read() for sources in open_pack(path, task).sources(0).values()]
    for number, (each, reading) in enumerate(zip(specimens.annotations, stored, strict=True)):
        if packing.rows(each) < 0:
            yield f"sample {number} is packed with {packing.rows(each)} rows"
        contents = [task.content(found) for _, found in reading.annotations]
        if contents != [task.content(each)]:
            yield f"sample {number} does not come back from a pack as it is"
        elif _said_of(specimens, reading.annotations[0][1]) != _said_of(specimens, each):
            yield f"lint() says something else of sample {number} once it was packed"


def _said_of(specimens: Specimens, annotation: Any) -> tuple[Diagnostic, ...]:
    lint = specimens.task.lint
    return () if lint is None else lint(annotation, specimens.options)
