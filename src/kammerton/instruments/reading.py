# SPDX-License-Identifier: MIT
"""Read one list of instruments."""

from __future__ import annotations

import os

from kammerton.formats.reading import read_one
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.formats import read_instruments
from kammerton.instruments.options import InstrumentOptions

__all__ = ["read"]


def read(
    path: str | os.PathLike[str], *, annotator: str | None = None, options: InstrumentOptions | None = None
) -> InstrumentList:
    r"""Read the instruments of one recording from a file.

    Parameters
    ----------
    path : path
        A file of any format that instruments are read from, if it holds one recording.
    annotator : str, optional
        Which annotation, where the file holds several.
    options : InstrumentOptions, optional
        How it is read.

    Returns
    -------
    InstrumentList

    Raises
    ------
    DataError
        If the file cannot be used.
    OptionError
        If it holds several annotations and ``annotator`` names none of them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = pathlib.Path(folder, "song.txt").write_text("piano\nvoice\n")
    ...     read(pathlib.Path(folder, "song.txt")).labels
    ('piano', 'voice')
    """
    return read_one(read_instruments, path, annotator, options or InstrumentOptions())
