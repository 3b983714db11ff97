# SPDX-License-Identifier: MIT
"""Arrays of ``.npz`` archives, unpacked within a budget; never by unpickling."""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from collections.abc import Iterable
from tokenize import TokenError
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic, clip, printable, quote
from kammerton.formats.options import Limits

__all__ = ["EXPANSION", "RATIO", "SMALL", "read_arrays"]

EXPANSION = 4
"""How many times as large as a file may be, an array of it may be."""

RATIO = 100
"""How many times as large as its packed form an array may be, if it is not small."""

SMALL = 2**20

_DIRECTORY = 2**16
"""Bytes of the list of members: a data set has few arrays."""

_END = b"PK\x05\x06"
_END_LENGTH = 22
_KINDS = "biufUS"

Array = NDArray[Any]


def read_arrays(data: bytes, names: Iterable[str], *, file: str, limits: Limits) -> dict[str, Array]:
    """Return those arrays of an archive that are asked for, as far as it has them.

    Parameters
    ----------
    data : bytes
        The archive.
    names : iterable of str
        Names of arrays; the others are not unpacked.
    file : str
        What diagnostics call the archive.
    limits : Limits
        An array may be four times as large as a file, and a hundred times as large as its packed form.

    Returns
    -------
    dict of str to ndarray
        Numbers, truth values or strings.

    Raises
    ------
    DataError
        KT634 if the archive or an array is damaged, KT635 if an array would have to be unpickled, KT636
        if one is over the budget.
    """
    _check_end(data, file)
    found: dict[str, Array] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {member.filename: member for member in archive.infolist()}
            for name in names:
                member = members.get(f"{name}.npy")
                if member is not None:
                    found[name] = _array(_content(archive, member, file, limits), name, file)
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        NotImplementedError,
        RuntimeError,  # encrypted
        OSError,
        ValueError,
        SyntaxError,  # of the head of an array, which is written in Python
        TokenError,
    ) as error:
        _refuse("KT634", f"archive is damaged: {printable(clip(str(error), 100)).lower()}", file)
    return found


def _refuse(code: str, message: str, file: str, hint: str | None = None) -> NoReturn:
    raise DataError((Diagnostic(code=code, severity="error", message=message, file=file, hint=hint),))


def _check_end(data: bytes, file: str) -> None:
    """Look at the end of the archive before a list of members of any length is made."""
    where = data.rfind(_END)
    if not data.startswith(b"PK") or where < 0 or where + _END_LENGTH > len(data):
        _refuse("KT634", "not a zip archive, or cut off", file, "arrays are saved by numpy.savez")
    (size,) = struct.unpack_from("<I", data, where + 12)
    if size > _DIRECTORY:
        _refuse("KT636", "archive has more arrays than a data set", file)


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: str, limits: Limits) -> bytes:
    """Unpack one member, if it says that it stays within the budget: nothing gives more than it says."""
    limit = limits.bytes * EXPANSION
    if member.compress_size * RATIO < limit:
        limit = max(SMALL, member.compress_size * RATIO)
    if member.file_size > limit:
        packed = f"{member.compress_size:,}"
        message = f"{quote(member.filename)} unpacks to more than {limit:,} bytes, from {packed}"
        _refuse("KT636", message, file)
    with archive.open(member) as stream:
        return stream.read(limit)


def _array(content: bytes, name: str, file: str) -> Array:
    """Return the array that a member holds."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0
    shape, in_fortran_order, dtype = (read if version == (1, 0) else np.lib.format.read_array_header_2_0)(
        stream
    )
    if dtype.hasobject:
        hint = f"save it again as text: {name}.astype(str)"
        _refuse("KT635", f"array {quote(name)} holds pickled objects, which are not loaded", file, hint)
    if dtype.kind not in _KINDS:
        _refuse("KT634", f"array {quote(name)} is of {dtype}, not of numbers or text", file)
    count = math.prod(shape)
    begin = stream.tell()
    if count * dtype.itemsize != len(content) - begin:
        size = f"{len(content) - begin:,} bytes, and not those of {count:,} values"
        _refuse("KT634", f"array {quote(name)} has {size}", file)
    values = np.frombuffer(content, dtype, count, begin) if count else np.empty(0, dtype)
    return values.reshape(shape, order="F" if in_fortran_order else "C")
