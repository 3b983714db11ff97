# SPDX-License-Identifier: MIT
"""Checksums of all bytes of a pack, by which damage is told before anything is decoded.

What decodes a file trusts what its pages say of themselves: where a bit is another, it may ask for more
memory than there is, and end the program. The seal stands between the last page and the footer, where no
reader of Parquet files looks: SHA-256 of the rest of it and of the footer, and CRC-32 of each chunk of a
column.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from kammerton.formats.packs.footer import Chunk, Footer, read_footer
from kammerton.formats.packs.thrift import MALFORMED, Compact

__all__ = ["Seal", "SealError", "put_seal"]

_DIGEST = hashlib.sha256().digest_size
_SUM = np.dtype("<u4")

_UNPACKED, _PACKED, _PAGE, _DICTIONARY, _PAGE_2, _VALUES = 2, 3, 5, 7, 8, 1
"""Fields of a page by number, and that of its values."""


class SealError(ValueError):
    """Bytes of a pack that are not what was written."""


def put_seal(path: Path) -> None:
    """Put a seal into a Parquet file that has none."""
    with path.open("rb+") as file:
        footer = read_footer(file)
        sums = [crc32(_bytes_of(file, chunk)) for group in footer.groups for chunk in group.chunks]
        told = np.array(sums, dtype=_SUM).tobytes()
        file.seek(footer.begin)
        rest = file.read()
        file.seek(footer.begin)
        file.write(hashlib.sha256(told + rest).digest() + told + rest)


class Seal:
    """The seal of a file, whose footer is what was written.

    Parameters
    ----------
    file : binary file
    footer : Footer

    Raises
    ------
    SealError
        If the footer is another, or there is no seal.
    """

    def __init__(self, file: BinaryIO, footer: Footer) -> None:
        self._groups = footer.groups
        self._begins = [0, *accumulate(group.rows for group in footer.groups)]
        self._firsts = [0, *accumulate(len(group.chunks) for group in footer.groups)]
        size = self._firsts[-1] * _SUM.itemsize
        file.seek(max(0, footer.begin - size - _DIGEST))
        digest, rest = file.read(_DIGEST), file.read()
        if hashlib.sha256(rest).digest() != digest:
            raise SealError
        self._sums: NDArray[Any] = np.frombuffer(rest[:size], dtype=_SUM)

    def check(self, file: BinaryIO, columns: Container[str], begin: int, end: int) -> None:
        """Look at the bytes from which columns of some rows are decoded.

        Raises
        ------
        SealError
            If they are not what was written.
        """
        for chunk, told in self._chunks(begin, end):
            if chunk.column in columns:
                data = _bytes_of(file, chunk)
                if crc32(data) != told or not _is_as_claimed(data, chunk):
                    raise SealError

    def _chunks(self, begin: int, end: int) -> Iterator[tuple[Chunk, int]]:
        """Give the chunks of the groups that hold some rows, each with what its checksum has to be."""
        for number in range(bisect_right(self._begins, begin) - 1, bisect_left(self._begins, end)):
            sums = self._sums[self._firsts[number] : self._firsts[number + 1]].tolist()
            yield from zip(self._groups[number].chunks, sums, strict=True)


def _bytes_of(file: BinaryIO, chunk: Chunk) -> bytes:
    file.seek(chunk.begin)
    return file.read(chunk.length)


def _is_as_claimed(data: bytes, chunk: Chunk) -> bool:
    """Tell whether pages hold what the footer says, which was looked at: anybody can seal a file."""
    pages, values, unpacked = Compact(data), 0, 0
    try:
        while pages.at < len(data):
            page = pages.struct()
            pages.at += _natural(page[_PACKED])
            unpacked += _natural(page[_UNPACKED])
            if _DICTIONARY not in page:
                values += _natural((page.get(_PAGE) or page[_PAGE_2])[_VALUES])
            elif _natural(page[_DICTIONARY][_VALUES]) > page[_UNPACKED]:  # each takes a byte at least
                return False
    except MALFORMED:
        return False
    return pages.at == len(data) and values == chunk.values and unpacked <= chunk.unpacked


def _natural(number: int) -> int:
    if number < 0:
        raise ValueError("nothing is counted below zero")
    return number
