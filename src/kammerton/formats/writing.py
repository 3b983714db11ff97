# SPDX-License-Identifier: MIT
"""Write annotations as text, and files whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import compress
from pathlib import Path
from typing import Any, Protocol

from kammerton.errors import DataError, Diagnostic, OptionError, OutputError, printable, quote
from kammerton.formats.intervals import EXACT
from kammerton.formats.jams import annotator_names
from kammerton.formats.tables import render_rows
from kammerton.model.annotations import LabelledIntervals, Metadata
from kammerton.model.task import Task

_TO_ESCAPE = re.compile(r"[\\\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(?:\\|u([0-9a-f]{4}))")


def escaped(text: str) -> str:
    r"""Return text without lone surrogates.

    >>> print(escaped("caf\udce9"))
    caf\udce9
    """
    return _TO_ESCAPE.sub(lambda match: "\\\\" if match[0] == "\\" else f"\\u{ord(match[0]):04x}", text)


def unescaped(text: str) -> str:
    """Return what :func:`escaped` was given."""
    if "\\" not in text:
        return text
    return _ESCAPED.sub(lambda match: "\\" if match[1] is None else chr(int(match[1], 16)), text)


_CAN_SYNC_FOLDERS = os.name == "posix"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def write_atomically(path: str | os.PathLike[str], data: bytes, *, clear: bool = True) -> None:
    """Write a file so that at every moment either the old or the new one stands, complete."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        try:
            target.write_bytes(data)  # to a device or a pipe
        except OSError as error:
            raise _failure(error, target, os.fspath(path), len(data)) from error
        return
    with replacing(path, clear=clear, size=len(data)) as folder:
        (folder / "whole").write_bytes(data)


def check_parent(target: Path, name: str | os.PathLike[str]) -> None:
    """Refuse a place, as messages name it, that is in no folder."""
    if not target.parent.is_dir():
        folder = _named(Path(name).parent)
        fault = f"{folder} is not a folder" if target.parent.exists() else f"folder {folder} does not exist"
        raise OutputError(f"KT501 cannot write {_named(name)}: {fault}")


def already_there(shown: str) -> OutputError:
    """Return the error that something stands at a place, as messages show it."""
    return OutputError(f"KT503 cannot write {shown}: it is there already\n  help: --force replaces it")


def lies_within(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> bool:
    """Return whether a path is a folder or lies below it, whatever links lead there."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], *, clear: bool = True, size: int = 0) -> Iterator[Path]:
    """Open a folder in which a new file is written as ``whole``, and then put it in place."""
    target, name = Path(os.path.realpath(path)), os.fspath(path)
    if target.is_dir():
        raise OutputError(f"KT501 cannot write {_named(name)}: it is a folder")
    check_parent(target, name)
    if target.exists() and not target.is_file():
        raise OutputError(f"KT501 cannot write {_named(name)}: it is no file")
    with _beside(target, name, clear=clear, size=size) as folder:
        yield folder
        new = folder / "whole"
        with new.open("rb+") as file:
            os.fsync(file.fileno())
        if target.exists():
            new.chmod(stat.S_IMODE(target.stat().st_mode))
        new.replace(target)
        _sync_folder(target.parent)


@contextlib.contextmanager
def replacing_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Open an empty folder, and put it in place once it is filled."""
    target = Path(os.path.realpath(path))
    check_parent(target, path)
    if target.exists() and not target.is_dir():
        raise OutputError(f"KT501 cannot write {_named(path)}: it is no folder")
    with _beside(target, os.fspath(path)) as folder:
        new = folder / _NEW
        new.mkdir()
        yield new
        _sync_folder(new)
        _exchange(target, new, folder / _OLD)
        _sync_folder(target.parent)


@contextlib.contextmanager
def _beside(target: Path, name: str, *, clear: bool = True, size: int = 0) -> Iterator[Path]:
    """Open a locked folder beside a place, and remove it with its content in the end."""
    folder: Path | None = None
    held: Lock | None = None
    if clear:
        clear_left(target)
    try:
        folder, held = _new_beside(target)
        yield folder
    except OSError as error:
        files = [] if folder is None else [path for path in folder.rglob("*") if path.is_file()]
        needed = max(size, sum(path.stat().st_size for path in files))
        raise _failure(error, target, name, needed) from error
    finally:  # also when interrupted; of what was put in place there is nothing to remove
        if held is not None:  # before the rest goes: Windows removes no file that is open
            held.release()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _new_beside(target: Path) -> tuple[Path, Lock | None]:
    """Make a folder beside a place; return it and its lock, if the file system has locks."""
    while True:
        folder = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
        folder.mkdir()
        with contextlib.suppress(FileNotFoundError, HeldError):  # somebody has taken it for one that was left
            return folder, hold(folder / LOCK)


def clear_left(target: Path) -> None:
    """Remove folders that killed writers have left beside a file or folder.

    Those who are at work have locked what they write. What stood at the place is put back if there is
    nothing.
    """
    left: list[str] = []
    with contextlib.suppress(OSError):
        left = os.listdir(target.parent)  # noqa: PTH208 - of many names few are ours
    left_by_us = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.tmp", re.DOTALL)
    for place in (target.with_name(name) for name in left if left_by_us.fullmatch(name)):
        if place.is_symlink() or not place.is_dir():
            continue
        with contextlib.suppress(OSError, HeldError):
            held = hold(place / LOCK)
            if held is not None:
                if (place / _OLD).exists() and not target.exists():
                    (place / _OLD).rename(target)
                held.release()
                shutil.rmtree(place)


LOCK = "lock"
"""The file of a folder that whoever writes there has locked."""
_NEW, _OLD = "new", "old"


class HeldError(Exception):
    """Another process holds a lock."""


class Lock(Protocol):
    """What holds a lock."""

    def release(self) -> None:
        """Let others have it."""


def hold(path: Path) -> Lock | None:
    """Lock a file, which is made in its folder; return None where the file system has no locks.

    Raises
    ------
    HeldError
        If another process holds the lock.
    FileNotFoundError
        If the folder is gone.
    """
    import filelock  # noqa: PLC0415 - only what writes needs it

    lock = filelock.FileLock(path)
    try:
        lock.acquire(blocking=False)
    except filelock.Timeout as error:
        raise HeldError from error
    except FileNotFoundError:
        raise
    except (OSError, NotImplementedError):  # nobody can tell who is at work
        return None
    return lock


def write_new(path: Path, data: bytes) -> None:
    """Write a file that is not there yet, in a folder from :func:`replacing_folder`."""
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _exchange(target: Path, new: Path, old: Path) -> None:
    """Put a new folder in place of one that may be there, and that is moved aside for a moment."""
    if target.exists():
        target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        if old.exists():
            old.rename(target)
        raise


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a loss of power, where folders can be synced."""
    if _CAN_SYNC_FOLDERS:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _failure(error: OSError, target: Path, name: str, needed: int) -> OutputError:
    reason = (error.strerror or str(error)).lower()
    if error.errno in _FULL:
        free = shutil.disk_usage(target.parent).free
        reason += f" (needs {size_of(needed)}, {size_of(free)} free)"
    still = ""
    if target.is_file() or target.is_dir():
        still = f"\n  note: the earlier {_named(target.name)} was left as it was"
    return OutputError(f"KT502 cannot write {_named(name)}: {reason}{still}")


def _named(path: str | os.PathLike[str]) -> str:
    return f"`{printable(os.fspath(path))}`"


def size_of(count: int) -> str:
    """Return a number of bytes in the unit that suits it."""
    if count < 1000:
        return f"{count} bytes"
    value, unit = count / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.1f} {unit}"


_JAMS_VERSION = "0.3.4"
_WHOLE = 1e18
"""Whole numbers below are written as such."""


def write_annotation(
    task: Task, annotation: Any, path: str | os.PathLike[str], to: str | None, options: Any
) -> None:
    """Write one annotation of a task, in the format that the suffix tells if none is named."""
    conversion, target = task.conversion, Path(path)
    assert conversion is not None, "of built-in tasks"
    fitting = [form for form, suffix in conversion.forms.items() if target.name.lower().endswith(suffix)]
    if to is None and not fitting:
        known = ", ".join(conversion.forms)
        raise OptionError(
            f"the name {quote(target.name)} has no suffix of a format", f"`to` names one: {known}"
        )
    form = to or fitting[0]
    if form not in conversion.forms:
        raise OptionError.unknown("format", form, conversion.forms)
    reading = task.adopt(annotation, target.stem, task.options() if options is None else options)
    if not reading.annotations:
        raise DataError(reading.diagnostics)
    track = conversion.track(reading.annotations[0][1], None, os.fspath(path))
    write_atomically(path, conversion.render([track], form).encode("utf-8"))


def render_lab(track: LabelledIntervals) -> str:
    """Write rows of start, end and label between tabs."""
    return _lines(track, ".lab")


def _lines(track: LabelledIntervals, form: str) -> str:
    """Write rows between tabs; a label that begins with a quote stands within quotes."""
    _check_labels(track, form, "\t")
    lines = []
    for start, end, label in _rows(track):
        doubled = label.replace('"', '""')
        lines.append(f"{start!r}\t{end!r}\t" + (f'"{doubled}"\n' if label.startswith('"') else f"{label}\n"))
    return "".join(lines)


def render_audacity(track: LabelledIntervals) -> str:
    """Write a label track of Audacity; it has the form of :func:`render_lab`."""
    return _lines(track, "an Audacity label track")


def render_csv(track: LabelledIntervals) -> str:
    """Write comma-separated rows below the header ``start,end,label``."""
    return render_table([replace(track, item=None)])


def render_table(tracks: Sequence[LabelledIntervals]) -> str:
    """Write the same of many items, with their names, and those of annotators, before each row."""
    for track in tracks:
        _check_labels(track, "CSV", "")
        for name in (track.item, track.annotator) if track.item is not None else ():
            reason = None if name is None else _obstacle(name, "")
            if reason is not None:
                raise DataError.of("KT151", f"name cannot be written as CSV, {reason}: {quote(str(name))}")
    of_many = any(track.item is not None for track in tracks)
    named = of_many, of_many and any(track.annotator is not None for track in tracks)
    header = [*compress(("item", "annotator"), named), "start", "end", "label"]
    rows = (
        (*compress((track.item, track.annotator or ""), named), repr(start), repr(end), label)
        for track in tracks
        for start, end, label in _rows(track)
    )
    return render_rows((header, *rows))


def render_jams(tracks: Sequence[LabelledIntervals], *, namespace: str) -> str:
    """Write a JAMS file with one annotation per track.

    Start and duration, added as they are written, give the end.
    """
    for track in tracks:
        for row, label in enumerate(track.labels):
            if not _is_writable(label):
                raise _unwritable(track, row, "JAMS", "half a surrogate pair")
    ends = [float(track.ends.max()) for track in tracks if len(track.ends)]
    parts = [
        JamsPart(namespace, track.annotator, "".join(_observations(track)), track.metadata)
        for track in tracks
    ]
    return jams_document(parts, max(ends, default=0.0))


@dataclass(frozen=True, slots=True)
class JamsPart:
    """An annotation as JAMS has it."""

    namespace: str
    annotator: str | None
    observations: str  # observations as JSON, with commas and line ends between them
    # other content of the file that it was read from, which is kept
    metadata: Metadata | None = None
    ranked: bool = False  # whether the order of observations ranks them, which the sandbox then says


def jams_document(parts: Sequence[JamsPart], last_end_s: float) -> str:
    """Write a JAMS file; other content of the file that was read is kept."""
    read = [part.metadata for part in parts if part.metadata is not None]
    members: dict[str, Any] = _plain(read[0].file) if read else {}
    of_file: dict[str, Any] = {"identifiers": {}, "jams_version": _JAMS_VERSION, "duration": None}
    of_file |= _object(members.pop("file_metadata", None)) | {"jams_version": _JAMS_VERSION}
    if of_file["duration"] is None:
        of_file["duration"] = last_end_s
    abouts = [{} if part.metadata is None else _plain(part.metadata.annotation) for part in parts]
    names = annotator_names(abouts)
    annotations = ",\n".join(
        _annotation(part, about, name, of_file["duration"])
        for part, about, name in zip(parts, abouts, names, strict=True)
    )
    head = _members({"file_metadata": of_file})
    tail = _members({**members, "sandbox": _object(members.get("sandbox"))})
    return f'{{\n{head},\n"annotations": [\n{annotations}\n],\n{tail}\n}}\n'


def left_behind(metadata: Metadata | None) -> Iterator[Diagnostic]:
    """Yield a note on annotations of other namespaces, which a JAMS file made of this one lacks."""
    if metadata is not None and metadata.others:
        listed = ", ".join(map(quote, metadata.others))
        message = f"annotations of other namespaces are not carried over: {listed}"
        yield Diagnostic("KT149", "note", message)


def _rows(track: LabelledIntervals) -> Iterator[tuple[float, float, str]]:
    return zip(track.starts.tolist(), track.ends.tolist(), track.labels, strict=True)


def _annotation(part: JamsPart, about: dict[str, Any], name: str | None, duration: float) -> str:
    """Write an annotation; ``name`` is what readers call its annotator unless the name is written anew."""
    person = _object(about.pop("annotation_metadata", None))
    if part.annotator is not None and part.annotator != name:
        person["annotator"] = _object(person.get("annotator")) | {"name": part.annotator}
    head = {"namespace": part.namespace, "annotation_metadata": person}
    tail = {"time": 0, "duration": duration, "sandbox": {}}
    tail |= {key: value for key, value in about.items() if value is not None}
    if part.ranked:
        tail["sandbox"] = _object(tail["sandbox"]) | {"ranked": True}
    return f'{{{_members(head)}, "data": [\n{part.observations}\n], {_members(tail)}}}'


def _observations(track: LabelledIntervals) -> Iterator[str]:
    """Yield the rows of a track as JSON, with commas and line ends between them."""
    for row, (start, end, label) in enumerate(_rows(track)):
        confidence = None if track.confidence is None else _plain(track.confidence(row))
        yield (",\n" if row else "") + (
            f'{{"time": {start!r}, "duration": {_duration(start, end)}, '
            f'"value": {json.dumps(label, ensure_ascii=False)}, '
            f'"confidence": {json.dumps(confidence, ensure_ascii=False)}}}'
        )


def _members(values: Mapping[str, object]) -> str:
    """Return the members of a JSON object, without its braces."""
    return json.dumps(values, ensure_ascii=False)[1:-1]


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _plain(value: Any) -> Any:
    """Return a JSON value with numbers that can be written: NaN and what no double holds become null."""
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    if isinstance(value, Decimal):
        double = float(value)
        if value.as_tuple().exponent == 0 and abs(double) < _WHOLE:
            return int(value)
        return double if math.isfinite(double) else None
    return value


def _duration(start: float, end: float) -> str:
    """Return a duration that gives the end when it is added to the start.

    It should do so in the decimal arithmetic of our reader and in the binary one of others, for whom an
    end that is an ulp too late is an overlap. Where no double does both, ours comes first.
    """
    exact = EXACT.subtract(Decimal(repr(end)), Decimal(repr(start)))
    for double in (float(exact), end - start):
        if start + double == end and float(EXACT.add(Decimal(repr(start)), Decimal(repr(double)))) == end:
            return repr(double)
    return str(exact)


def _check_labels(track: LabelledIntervals, form: str, separators: str) -> None:
    for row, label in enumerate(track.labels):
        reason = _obstacle(label, separators)
        if reason is not None:
            raise _unwritable(track, row, form, reason)


def _obstacle(label: str, separators: str) -> str | None:
    """Return what keeps a label from being written between separators, if anything does."""
    if not label:
        return "it is empty"
    if label != label.strip(" \t"):
        return "it has blanks around it"
    for character, name in (("\n", "a line end"), ("\r", "a line end"), ("\0", "a NUL"), ("\t", "a tab")):
        if character in label and (character != "\t" or character in separators):
            return f"it has {name}"
    return None if _is_writable(label) else "half a surrogate pair"


def _is_writable(label: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in label)


def _unwritable(track: LabelledIntervals, row: int, form: str, reason: str) -> DataError:
    message = f"label cannot be written as {form}, {reason}: {quote(track.labels[row])}"
    problem = Diagnostic("KT151", "error", message, hint="JAMS can hold any text")
    return DataError((track.locate(row, "label").diagnose(problem),))
