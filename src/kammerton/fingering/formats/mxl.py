# SPDX-License-Identifier: MIT
"""Read scores in MusicXML, compressed (``.mxl``) or not; which of them a file is, its content tells.

An archive is looked at before anything of it is unpacked, and unpacked in memory, no further than its
budget goes.
"""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath, PurePosixPath
from typing import NoReturn

from kammerton.errors import DataError, Diagnostic, clip, printable, quote
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.formats.musicxml import score_from_bytes
from kammerton.fingering.formats.options import DEFAULT_OPTIONS, ReadingOptions
from kammerton.fingering.formats.xml_document import Position, decode_xml, looks_like_xml, parse_xml
from kammerton.formats.options import Limits
from kammerton.formats.source import read_bytes
from kammerton.model.task import Reading

__all__ = ["read_score", "score_or_archive"]

EXPANSION = 4
"""How many times as large as a file may be, what it unpacks to may be."""

RATIO = 100
"""How many times as large as its packed form a member may be, if it is not small."""

SMALL = 2**20

DIRECTORY_LIMIT = 2**20
"""Bytes of the list of members."""

CONTAINER = "META-INF/container.xml"

_END = b"PK\x05\x06"
_LARGE = b"PK\x06\x07"
"""Stands 20 bytes before the end of archives that may be larger than 4 GiB."""

_END_LENGTH = 22
_ENCRYPTED = 0x1

Member = zipfile.ZipInfo


def read_score(
    path: str | os.PathLike[str], name: str, options: ReadingOptions = DEFAULT_OPTIONS
) -> Reading[Fingering]:
    """Read a score from a file, compressed or not.

    Parameters
    ----------
    path : path
        A regular file.
    name : str
        What diagnostics call it.
    options : ReadingOptions
        What the caller says about it.
    """
    try:
        data = read_bytes(path, name=name, limits=options.limits)
    except DataError as error:
        return Reading((), error.diagnostics)
    return score_or_archive(data, name=name, options=options)


def score_or_archive(
    data: bytes, *, name: str, options: ReadingOptions = DEFAULT_OPTIONS
) -> Reading[Fingering]:
    """Read a score from bytes as :func:`read_score` does."""
    try:
        if not data.startswith(b"PK"):
            if PurePath(name).suffix.lower() == ".mxl" and not looks_like_xml(data):
                _refuse("KT400", "not a zip archive", name)
            return score_from_bytes(data, name=name, options=options)
        member, document = _unpack(data, name, options.limits)
    except DataError as error:
        return Reading((), error.diagnostics)
    within = replace(options, limits=_enlarged(options.limits))
    return score_from_bytes(document, name=f"{name}/{member}", options=within)


def _enlarged(limits: Limits) -> Limits:
    return replace(limits, bytes=limits.bytes * EXPANSION)


def _refuse(code: str, message: str, name: str, hint: str | None = None) -> NoReturn:
    raise DataError((Diagnostic(code=code, severity="error", message=message, file=name, hint=hint),))


def _unpack(data: bytes, name: str, limits: Limits) -> tuple[str, bytes]:
    """Return the name and the content of the score in an archive."""
    _check_end(data, name)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = _checked_members(archive, name)
            container = members.get(CONTAINER)
            if container is None:
                score = _only_score(members, name)
            else:
                score = _root_file(_content(archive, container, name, limits), members, name, limits)
            return score.filename, _content(archive, score, name, limits)
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        OSError,
        ValueError,
        RuntimeError,
    ) as error:
        _refuse("KT400", f"zip archive is damaged: {printable(clip(str(error), 100)).lower()}", name)


def _check_end(data: bytes, name: str) -> None:
    """Look at the end of the archive, before a list of members of any length is made."""
    where = data.rfind(_END)
    if where < 0 or where + _END_LENGTH > len(data):
        _refuse("KT400", "zip archive is damaged: it has no end", name, "was the file cut off?")
    (size,) = struct.unpack_from("<I", data, where + 12)
    if size > DIRECTORY_LIMIT or data[max(0, where - 20) :].startswith(_LARGE):
        _refuse("KT402", "archive of more or larger files than a score has", name)


def _checked_members(archive: zipfile.ZipFile, name: str) -> dict[str, Member]:
    """Return the files of an archive by name, if all of them lie within it and none stands twice."""
    members: dict[str, Member] = {}
    for member in archive.infolist():
        written = member.orig_filename
        if _escapes(written):
            _refuse("KT401", f"archive with a file outside of itself: {quote(written)}", name)
        if member.filename in members:
            _refuse("KT404", f"archive has {quote(member.filename)} twice", name)
        members[member.filename] = member
    return members


def _escapes(written: str) -> bool:
    parts = written.replace("\\", "/").split("/")
    return ".." in parts or parts[0] == "" or ":" in parts[0] or "\0" in written


def _only_score(members: dict[str, Member], name: str) -> Member:
    scores = [
        member
        for written, member in members.items()
        if PurePosixPath(written).suffix.lower() in (".musicxml", ".xml")
        and not written.startswith(("META-INF/", "__MACOSX/"))
    ]
    if len(scores) == 1:
        return scores[0]
    found = "no score" if not scores else f"{len(scores)} scores"
    _refuse("KT404", f"archive without {CONTAINER} has {found}", name, "it says which file is the score")


class _Container:
    """Takes the first root file that a container names."""

    def __init__(self) -> None:
        self.path: str | None = None

    def start(self, name: str, attributes: dict[str, str], position: Callable[[], Position]) -> bool:
        del position
        if name.rpartition(":")[2] == "rootfile" and self.path is None:
            self.path = attributes.get("full-path")
        return True

    def end(self) -> None:
        pass

    def characters(self, text: str) -> None:
        pass


def _root_file(data: bytes, members: dict[str, Member], name: str, limits: Limits) -> Member:
    shown = f"{name}/{CONTAINER}"
    container = _Container()
    parse_xml(decode_xml(data, name=shown, encoding="utf-8", limits=limits), container, limits)
    if container.path is None:
        _refuse("KT404", "container names no root file", shown)
    if _escapes(container.path):
        _refuse("KT401", f"container names a file outside of the archive: {quote(container.path)}", shown)
    if container.path not in members:
        _refuse("KT404", f"container names a file that is not in the archive: {quote(container.path)}", shown)
    return members[container.path]


def _content(archive: zipfile.ZipFile, member: Member, name: str, limits: Limits) -> bytes:
    """Unpack one member, if it says that it stays within the budget: nothing gives more than it says."""
    if member.flag_bits & _ENCRYPTED:
        _refuse("KT403", f"{quote(member.filename)} is encrypted", name)
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        _refuse("KT403", f"{quote(member.filename)} is packed by another method than deflate", name)
    limit = limits.bytes * EXPANSION
    if member.compress_size * RATIO < limit:
        limit = max(SMALL, member.compress_size * RATIO)
    if member.file_size > limit:
        packed = f"{member.compress_size:,}"
        message = f"{quote(member.filename)} unpacks to more than {limit:,} bytes, from {packed}"
        _refuse("KT402", message, name, "this is no score")
    with archive.open(member) as stream:
        return stream.read(limit)
