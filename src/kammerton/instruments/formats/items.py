# SPDX-License-Identifier: MIT
"""What the items of a sheet are called, so that they pair with files and with other sheets."""

from __future__ import annotations

import os.path
import re
from collections.abc import Sequence

from kammerton.errors import Diagnostic, Severity
from kammerton.formats.folders import normal_form
from kammerton.model.annotations import Place

__all__ = ["Key", "add_uneven", "identify", "item_names", "twice"]

Key = tuple[str, str | None]
"""Item and annotator of a list."""

_AUDIO = re.compile(
    r"\.(?:wav|wave|mp3|flac|ogg|oga|opus|aiff?|m4a|aac|wma|mid|midi|au|npz|jams)$", re.IGNORECASE
)
"""Suffixes of recordings, of their features, and of annotations, which are no part of their names."""

_ENDING = re.compile(r"_METADATA$|(?<=[^/])/metadata$")
"""What the names of metadata files of MedleyDB, Mixing Secrets and Slakh2100 end in."""


def identify(name: str) -> tuple[str, str | None]:
    """Take the name of a file apart into item and annotator.

    Parameters
    ----------
    name : str
        Path below the folder, without suffix.

    Returns
    -------
    str, None
        The item; names of files do not tell an annotator.

    Examples
    --------
    >>> identify("AHa_TakeOnMe_METADATA")
    ('AHa_TakeOnMe', None)
    >>> identify("Track00001/metadata")
    ('Track00001', None)
    """
    return _ENDING.sub("", name), None


def item_names(written: Sequence[str]) -> list[str]:
    """Return what the items of a sheet are called.

    Parameters
    ----------
    written : sequence of str
        What the sheet calls them.

    Returns
    -------
    list of str
        The names composed (NFC), without the suffix of a recording. If all are paths of recordings, the
        folder that all of them are in is left out, as it is in the names of the files of a folder.

    Examples
    --------
    >>> item_names(["data/a/1.wav", "data/b/1.wav"])
    ['a/1', 'b/1']
    >>> item_names(["AC/DC"])
    ['AC/DC']
    """
    names = [normal_form(name.strip()) for name in written]
    bare = [_AUDIO.sub("", name) or name for name in names]
    if not names or any(len(name) == len(cut) for name, cut in zip(names, bare, strict=True)):
        return bare
    paths = [name.replace("\\", "/") for name in bare]
    folders = {path.rpartition("/")[0] for path in paths}
    if folders == {""}:
        return paths
    try:
        common = os.path.commonpath(folders)
    except ValueError:  # some begin at the root and some do not
        return paths
    return [path[len(common) :].lstrip("/") for path in paths] if common else paths


def twice(message: str, first: Place, severity: Severity = "error") -> Diagnostic:
    """Return the problem that an item stands twice, with the place where it stood first."""
    column = f", column {first.column}" if (first.column or 1) > 1 else ""
    hint = f"it stands first in line {first.line}{column}: take one of the two out"
    return Diagnostic(code="KT618", severity=severity, message=message, hint=hint)


def add_uneven(
    keys: list[Key], broken: dict[int, str], uneven: Sequence[tuple[Sequence[str], str]], index: int
) -> None:
    """Take up the items of rows that could not be cut into cells, as broken.

    Parameters
    ----------
    keys : list of (str, str or None)
        Item and annotator of each list; items that have no list yet are added.
    broken : dict of int to str
        Why a list cannot be used.
    uneven : sequence of (sequence of str, str)
        Cells of the rows, and what is wrong with each.
    index : int
        The cell that names the item.
    """
    known = {item: number for number, (item, _) in enumerate(keys)}
    for record, reason in uneven:
        if index < len(record) and record[index].strip():
            (item,) = item_names([record[index]])
            if item not in known:
                known[item] = len(keys)
                keys.append((item, None))
            broken.setdefault(known[item], reason)
