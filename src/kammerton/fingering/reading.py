# SPDX-License-Identifier: MIT
"""Read one fingering."""

from __future__ import annotations

import os

from kammerton.fingering.annotation import Fingering
from kammerton.fingering.formats import read_fingering
from kammerton.fingering.options import FingeringOptions
from kammerton.model.loading import read_one

__all__ = ["read"]


def read(
    path: str | os.PathLike[str], *, annotator: str | None = None, options: FingeringOptions | None = None
) -> Fingering:
    r"""Read the fingering of one piece from a file.

    Parameters
    ----------
    path : path
        A file of any format that fingerings are read from: PIG, a table of notes, JSON, MusicXML or abcDF.
    annotator : str, optional
        Which annotation, where the file holds several.
    options : FingeringOptions, optional
        How it is read.

    Returns
    -------
    Fingering
        Its times are in seconds, or in quarter notes if ``unit`` says so; its labels, in the notation of PIG.

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
    ...     path = pathlib.Path(folder, "scale.csv")
    ...     written = path.write_text("onset,offset,pitch,hand,finger\n0,1,C4,right,1\n1,2,D4,right,2\n")
    ...     found = read(path)
    >>> found.labels, found.pitches.tolist(), found.unit
    (('1', '2'), [60, 62], 's')
    """
    return read_one(read_fingering, path, annotator, options or FingeringOptions())
