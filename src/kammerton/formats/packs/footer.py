# SPDX-License-Identifier: MIT
"""What a Parquet file claims to hold, read before anything of it is decoded.

Whoever decodes a file takes as much memory as its footer and its pages say; so what they say is looked at
first [1]_.

References
----------
.. [1] https://parquet.apache.org/docs/file-format/metadata
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from kammerton.formats.packs.thrift import MALFORMED, Compact

__all__ = ["MAGIC", "Chunk", "Footer", "FooterError", "Group", "NoParquetError", "read_footer"]

MAGIC = b"PAR1"
_TAIL = 8
"""Bytes behind the footer: its length, and the magic number again."""

_ROWS, _GROUPS, _PAIRS = 3, 4, 5
_CHUNKS, _ROWS_OF_GROUP = 1, 3
_METADATA, _PATH, _VALUES, _UNPACKED, _PACKED, _PAGES, _DICTIONARY = 3, 3, 5, 6, 7, 9, 11


class FooterError(ValueError):
    """A Parquet file whose footer cannot be read."""


class NoParquetError(FooterError):
    """A file that is no Parquet file."""


class Chunk(NamedTuple):
    """Bytes that hold a column of a group of rows, and how much they claim to hold."""

    column: str
    begin: int
    length: int
    values: int
    unpacked: int


class Group(NamedTuple):
    """Rows that are decoded together."""

    rows: int
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Footer:
    """What a Parquet file claims.

    Parameters
    ----------
    rows : int
        Of the whole file.
    groups : tuple of Group
        Where they are.
    pairs : mapping of str to str
        Metadata of whoever wrote it.
    begin : int
        Where the footer begins, which ends with the file.
    """

    rows: int
    groups: tuple[Group, ...]
    pairs: dict[str, str]
    begin: int

    @property
    def values(self) -> int:
        """Most values that a column of a row group has."""
        return max((chunk.values for group in self.groups for chunk in group.chunks), default=0)

    @property
    def unpacked(self) -> int:
        """Most bytes that a row group takes once it is unpacked."""
        return max((sum(chunk.unpacked for chunk in group.chunks) for group in self.groups), default=0)


def read_footer(file: BinaryIO) -> Footer:
    """Read the footer of a file.

    Raises
    ------
    FooterError
        If it has none that can be read.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if size < len(MAGIC) + _TAIL or file.read(len(MAGIC)) != MAGIC:
        raise NoParquetError("no Parquet file: it does not begin with PAR1")
    file.seek(size - _TAIL)
    tail = file.read(_TAIL)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != MAGIC or length > size - len(MAGIC) - _TAIL:
        raise FooterError("file ends too early: it has no footer")
    begin = file.seek(size - _TAIL - length)
    try:
        return _footer_of(Compact(file.read(length)).struct(), begin)
    except MALFORMED as error:
        raise FooterError("footer is damaged") from error


def _footer_of(fields: dict[int, Any], begin: int) -> Footer:
    groups = tuple(
        Group(group[_ROWS_OF_GROUP], tuple(_chunk(each[_METADATA], begin) for each in group[_CHUNKS]))
        for group in fields[_GROUPS]
    )
    if min(fields[_ROWS], *(group.rows for group in groups), 0) < 0:
        raise ValueError("nothing is counted below zero")
    pairs = {pair[1].decode(): pair.get(2, b"").decode() for pair in fields.get(_PAIRS, ())}
    return Footer(fields[_ROWS], groups, pairs, begin)


def _chunk(fields: dict[int, Any], most: int) -> Chunk:
    begin = fields.get(_DICTIONARY) or fields[_PAGES]
    chunk = Chunk(fields[_PATH][0].decode(), begin, fields[_PACKED], fields[_VALUES], fields[_UNPACKED])
    if min(chunk[1:]) < 0 or chunk.begin + chunk.length > most:
        raise ValueError("a chunk lies outside of the file, or counts below zero")
    return chunk
