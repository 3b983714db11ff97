# SPDX-License-Identifier: MIT
"""The arrays of OpenMIC-2018: relevance of 20 instruments, and which of it was judged."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic, quote
from kammerton.formats.budgets import keeps_rows
from kammerton.formats.reading import Problems
from kammerton.instruments.assembling import Manner
from kammerton.instruments.entries import Entries, judge, note_unjudged
from kammerton.instruments.finishing import finish
from kammerton.instruments.formats.items import item_names
from kammerton.instruments.formats.npy_arrays import read_arrays
from kammerton.instruments.formats.source import Source, say_empty
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Place

__all__ = ["INSTRUMENTS", "read_openmic_arrays"]

INSTRUMENTS = (
    *("accordion", "banjo", "bass", "cello", "clarinet", "cymbals", "drums", "flute", "guitar"),
    *("mallet_percussion", "mandolin", "organ", "piano", "saxophone", "synthesizer", "trombone"),
    *("trumpet", "ukulele", "violin", "voice"),
)
"""The columns, in alphabetical order, as ``class-map.json`` of the data set has them."""

_NEEDED = ("Y_true", "Y_mask", "sample_key")
_NAMES = "labels"
"""Array that names the columns where they are others."""


def read_openmic_arrays(stream: BinaryIO, problems: Problems, options: InstrumentOptions) -> Source | None:
    """Read an ``.npz`` archive with ``Y_true``, ``Y_mask`` and ``sample_key``.

    Parameters
    ----------
    stream : binary file
        The archive; ``labels``, if it has such an array, names the columns. Features (``X``) are not read.
    problems : Problems
        Takes every problem found.
    options : InstrumentOptions
        With the threshold of relevance.

    Returns
    -------
    Source or None
        Judged labels of each clip, present or absent; the others were not judged.
    """
    if not stream.read(1):
        say_empty(problems)
        return None
    stream.seek(0)
    try:
        arrays = read_arrays(stream, (*_NEEDED, _NAMES), file=problems.file, limits=options.limits)
    except DataError as error:
        problems.add(error.diagnostics[0])
        return None
    names = _names(arrays, problems)
    if names is None or not _fit(arrays, len(names), problems, options):
        return None
    relevance, mask, keys = (arrays[name] for name in _NEEDED)
    if not len(keys):
        say_empty(problems)
        return None
    judged = np.asarray(mask, dtype=bool) & np.isfinite(relevance)
    rows, columns = np.nonzero(judged)
    entries = Entries(names, columns.astype(np.int64), rows.astype(np.int64), lambda _: Place(problems.file))
    entries.present = judge(entries, relevance[rows, columns].astype(np.float64), options)
    note_unjudged(len(rows), judged.size, problems, options)
    items = item_names(
        [key if isinstance(key, str) else key.decode("utf-8", "replace") for key in keys.tolist()]
    )
    broken = _twice(items, problems)
    manner = Manner(closed=np.full(len(items), options.assume_absent), sheet=True)
    lists = finish(entries, len(items), problems, options, manner, broken)
    return Source([(item, None) for item in items], lists, is_sheet=True)


def _say(problems: Problems, code: str, message: str, hint: str | None = None) -> None:
    problems.add(Diagnostic(code=code, severity="error", message=message, file=problems.file, hint=hint))


def _names(arrays: dict[str, NDArray[Any]], problems: Problems) -> list[str] | None:
    """Return what the columns are called; report arrays that are missing."""
    missing = [name for name in _NEEDED if name not in arrays]
    if missing:
        hint = f"read are archives with the arrays {', '.join(_NEEDED)}"
        _say(problems, "KT634", f"archive has no array {quote(missing[0])}", hint)
        return None
    names = [str(name) for name in arrays[_NAMES].ravel().tolist()] if _NAMES in arrays else [*INSTRUMENTS]
    if len(set(names)) < len(names):
        _say(problems, "KT617", f"array {quote(_NAMES)} has a name twice")
        return None
    return names


def _fit(arrays: dict[str, NDArray[Any]], width: int, problems: Problems, options: InstrumentOptions) -> bool:
    """Tell whether arrays have the shapes and kinds that belong together."""
    relevance, mask, keys = (arrays[name] for name in _NEEDED)
    shape = (len(keys) if keys.ndim == 1 else -1, width)
    for name, array, kinds in (("Y_true", relevance, "fiub"), ("Y_mask", mask, "biuf")):
        if array.shape != shape or array.dtype.kind not in kinds:
            found = f"numbers of shape {array.shape}" if array.dtype.kind in kinds else f"{array.dtype}"
            expected = f"a number for each of {len(keys):,} clips and {width} labels"
            message = f"array {quote(name)} is {found}, not {expected}"
            hint = f"an array {quote(_NAMES)} names other columns than the 20 of OpenMIC-2018"
            _say(problems, "KT634", message, hint)
            return False
    if keys.dtype.kind not in "USO":
        _say(problems, "KT634", f"array `sample_key` is of {keys.dtype}, not of text")
        return False
    return keeps_rows(len(keys), problems, options.limits)


def _twice(items: list[str], problems: Problems) -> dict[int, str]:
    """Report clips that stand twice."""
    broken: dict[int, str] = {}
    first: dict[str, int] = {}
    for row, item in enumerate(items):
        if first.setdefault(item, row) < row:
            message = f"item stands twice: {quote(item)}"
            rows = f"rows {first[item]:,} and {row:,} of the arrays, counted from 0"
            _say(problems, "KT618", message, f"{rows}: take one of the two out")
            broken[row] = f"KT618 {message}"
    return broken
