# SPDX-License-Identifier: MIT
"""Read files as text: regular files only, within limits, in the right encoding, of a kind that is text."""

from __future__ import annotations

import codecs
import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from kammerton.errors import DataError, Diagnostic
from kammerton.formats.kinds import BEGINNINGS, bytes_kind
from kammerton.formats.reading import Limits
from kammerton.model.annotations import clip_excerpt

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
"""Byte order marks, each with the codec that takes it off and the name that messages use."""
_OPEN_FLAGS = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):  # as far as the system has them
    _OPEN_FLAGS |= getattr(os, _flag, 0)


def read_text(
    path: str | os.PathLike[str], *, name: str, encoding: str = "utf-8", limits: Limits | None = None
) -> str:
    r"""Read a regular file as text."""
    return _decode(read_bytes(path, name=name, limits=limits), name, encoding)


def read_bytes(path: str | os.PathLike[str], *, name: str, limits: Limits | None = None) -> bytes:
    """Read a regular file as it is, with those diagnostics of :func:`read_text` that apply."""
    limits = limits or Limits()
    try:
        _check_kind(os.stat(path), name, limits.bytes)  # noqa: PTH116 - a Path takes longer to make than to read
        descriptor = os.open(path, _OPEN_FLAGS)  # does not wait, should a FIFO stand here by now
        try:
            opened = os.fstat(descriptor)
            _check_kind(opened, name, limits.bytes)
            data = _read_descriptor(descriptor, opened.st_size)
            closed = os.fstat(descriptor)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:  # ValueError: NUL in the path
        raise _unreadable(error, name, path) from error
    if (len(data), closed.st_mtime_ns) != (opened.st_size, opened.st_mtime_ns):
        raise _failure("KT108", "file changed while it was read", name, "run again when it is complete")
    return data


@contextlib.contextmanager
def open_regular(path: str | os.PathLike[str], *, name: str) -> Iterator[BinaryIO]:
    """Open a regular file of any size, of which only parts will be read."""
    place = Path(path)
    try:
        _check_kind(place.stat(), name)
        descriptor = os.open(place, _OPEN_FLAGS)  # does not wait, should a FIFO stand here by now
    except (OSError, ValueError) as error:  # ValueError: NUL in the path
        raise _unreadable(error, name, place) from error
    with os.fdopen(descriptor, "rb") as file:
        yield file


def read_stream(stream: BinaryIO, *, name: str, encoding: str = "utf-8", limits: Limits | None = None) -> str:
    """Read a stream, such as a member of an archive, as :func:`read_text` reads a file."""
    limit = (limits or Limits()).bytes
    try:
        data = stream.read(limit + 1)
    except OSError as error:
        raise _unreadable(error, name) from error
    if len(data) > limit:
        raise _failure("KT106", f"more than {limit:,} bytes", name, larger_files())
    return _decode(data, name, encoding)


def _failure(code: str, message: str, name: str, hint: str | None = None) -> DataError:
    from kammerton.formats.remote import is_remote, shown_address  # noqa: PLC0415 - if all else fails

    file = shown_address(name) if is_remote(name) else name  # it was given as the path of a file
    return DataError.of(code, message, file, hint)


def _read_descriptor(descriptor: int, size: int) -> bytes:
    """Read ``size`` bytes and one more, if there is one, by which a file that has grown is noticed."""
    data = os.read(descriptor, size + 1)
    while len(data) <= size and (more := os.read(descriptor, size + 1 - len(data))):
        data += more
    return data


def _check_kind(status: os.stat_result, name: str, limit: int | None = None) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _failure("KT102", f"not a regular file: {_kind(status.st_mode)}", name)
    if limit is not None and status.st_size > limit:
        message = f"file of {status.st_size:,} bytes: over the limit of {limit:,}"
        raise _failure("KT106", message, name, larger_files(status.st_size))


def larger_files(size: int | None = None) -> str:
    """Return the hint at the option that allows for files of a size.

    >>> larger_files(70_000_000)
    '--max-file-size 67MiB allows for it'
    """
    return f"--max-file-size {'SIZE' if size is None else f'{-(-size // 2**20)}MiB'} allows for it"


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"))
    return next((kind for test, kind in kinds if test(mode)), "a device")


def _unreadable(
    error: OSError | ValueError, name: str, path: str | os.PathLike[str] | None = None
) -> DataError:
    reason = "NUL in its path"
    if isinstance(error, OSError):
        reason = (error.strerror or str(error)).lower()
    # a link to nothing, or in a circle
    if path is not None and os.path.islink(path) and not os.path.exists(path):  # noqa: PTH110, PTH114
        return _failure("KT102", f"not a regular file: a link that leads nowhere ({reason})", name)
    return _failure("KT101", f"cannot be read: {reason}", name)


def _decode(data: bytes, name: str, encoding: str) -> str:
    if data.startswith(BEGINNINGS) or data[4:8] == b"ftyp":
        raise DataError([bytes_kind(data, name).diagnose(name)])
    codec, title = encoding, encoding.upper()
    for mark, its_codec, its_title in _MARKS:
        if data.startswith(mark):
            codec, title = its_codec, its_title
            break
    if codec == "utf-8" and b"\0" in data:
        _check_bytes(data, name)
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        raise _undecodable(error, data, name, codec, title) from error
    if "\0" in text:
        at = text.index("\0")
        raise _placed("KT105", "NUL character: not a text file", name, text[:at], text[at : at + 401], None)
    return with_newlines(text)


def with_newlines(text: str) -> str:
    r"""Return a text whose lines all end in ``\n``, whether they ended in ``\r\n``, ``\r`` or that."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _check_bytes(data: bytes, name: str) -> None:
    """Refuse UTF-16 without a mark, of which every other byte of Latin text is NUL."""
    sample = data[: 2**16]
    halves = [sample[offset::2].count(0) / len(sample[offset::2] or b"?") for offset in (0, 1)]
    if max(halves) > 0.4 and min(halves) < 0.1:
        order = "LE" if halves[1] > halves[0] else "BE"
        message = f"looks like UTF-16 {order} without a byte order mark"
        raise _failure("KT103", message, name, f"save it as UTF-8, or --encoding utf-16-{order.lower()}")


def _undecodable(error: UnicodeDecodeError, data: bytes, name: str, codec: str, title: str) -> DataError:
    text = data[: error.start].decode(codec, "replace")
    rest = data[error.start : error.start + 400].decode(codec, "replace")
    byte = f"byte 0x{data[error.start]:02X}"
    hint = "--encoding latin-1 (or cp1252), or save it as UTF-8" if codec == "utf-8" else None
    return _placed("KT104", f"not {title}: {byte}", name, text, rest, hint)


def _placed(code: str, message: str, name: str, before: str, rest: str, hint: str | None) -> DataError:
    """Return the error at the place between ``before`` and ``rest``."""
    before = with_newlines(before)
    begin = before.rfind("\n") + 1
    column = len(before) - begin + 1
    line = before[begin:] + rest.replace("\r", "\n").partition("\n")[0]
    problem = Diagnostic(
        code,
        "error",
        message,
        file=name,
        line=before.count("\n") + 1,
        column=column,
        excerpt=clip_excerpt(line, column),
        hint=hint,
    )
    return DataError((problem,))
