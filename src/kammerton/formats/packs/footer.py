# SPDX-License-Identifier: MIT
"""What a Parquet file claims to hold, read before anything of it is decoded.

The footer is Thrift in its compact protocol [1]_ [2]_. Whoever decodes a file takes as much memory as its
footer and its pages say; so what it says is looked at first.

References
----------
.. [1] https://parquet.apache.org/docs/file-format/metadata
.. [2] https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, BinaryIO

__all__ = ["MAGIC", "Footer", "FooterError", "read_footer"]

MAGIC = b"PAR1"
_TAIL = 8
"""Bytes behind the footer: its length, and the magic number again."""

_STRUCT, _LIST, _SET, _MAP, _BINARY, _DOUBLE = 12, 9, 10, 11, 8, 7
_DEEPEST = 16

_ROWS, _GROUPS, _PAIRS = 3, 4, 5
_COLUMNS, _METADATA, _VALUES, _UNPACKED = 1, 3, 5, 6


class FooterError(ValueError):
    """A file that is no Parquet file, or whose footer cannot be read."""


@dataclass(frozen=True, slots=True)
class Footer:
    """What a Parquet file claims.

    Parameters
    ----------
    rows : int
        Of the whole file.
    values : int
        Most values that a column of a row group has.
    unpacked : int
        Most bytes that a row group takes once it is unpacked.
    pairs : mapping of str to str
        Metadata of whoever wrote it.
    """

    rows: int
    values: int
    unpacked: int
    pairs: dict[str, str]


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
        raise FooterError("no Parquet file: it does not begin with PAR1")
    file.seek(size - _TAIL)
    tail = file.read(_TAIL)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != MAGIC or length > size - len(MAGIC) - _TAIL:
        raise FooterError("file ends too early: it has no footer")
    file.seek(size - _TAIL - length)
    try:
        return _footer_of(_Thrift(file.read(length)).struct())
    except (IndexError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise FooterError("footer is damaged") from error


def _footer_of(fields: dict[int, Any]) -> Footer:
    groups = [[column[_METADATA] for column in group[_COLUMNS]] for group in fields[_GROUPS]]
    pairs = {pair[1].decode(): pair.get(2, b"").decode() for pair in fields.get(_PAIRS, ())}
    values = max((column[_VALUES] for columns in groups for column in columns), default=0)
    unpacked = max((sum(column[_UNPACKED] for column in columns) for columns in groups), default=0)
    if min(fields[_ROWS], values, unpacked) < 0:
        raise ValueError("nothing is counted below zero")
    return Footer(fields[_ROWS], values, unpacked, pairs)


class _Thrift:
    """Reads values of the compact protocol one after the other; structs as fields by number."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Read a struct."""
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != 0:
            kind = head & 15
            number = number + (head >> 4) if head >> 4 else self._signed()
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("nested too deep")
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind == _BINARY:
            return self._bytes(self._unsigned())
        if kind in (_LIST, _SET):
            return self._list(depth)
        if kind == _DOUBLE:
            return self._bytes(8)
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed()
        raise ValueError(f"no value of kind {kind} is in a footer")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._unsigned()
        if count > len(self._data):  # each value takes a byte at least
            raise ValueError("longer than the footer")
        return [self._value(head & 15, depth + 1) for _ in range(count)]

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _bytes(self, count: int) -> bytes:
        begin, self._at = self._at, self._at + count
        if self._at > len(self._data):
            raise ValueError("longer than the footer")
        return self._data[begin : self._at]

    def _unsigned(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7
            if shift > 63:
                raise ValueError("number without end")

    def _signed(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)
