# SPDX-License-Identifier: MIT
"""What headers call the columns of labelled intervals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

__all__ = ["NAMES", "Column", "column_of"]

Column = Literal["start", "end", "duration", "label"]

NAMES: dict[Column, tuple[str, ...]] = {
    "start": ("start", "onset", "begin", "time", "from", "start_time", "onset_time", "begin_time", "t_start"),
    "end": ("end", "offset", "stop", "to", "until", "end_time", "offset_time", "stop_time", "t_end"),
    "duration": ("duration", "dur", "length"),
    "label": ("label", "chord", "value", "annotation", "text", "symbol", "name", "labels", "chords"),
}
"""Names that are understood, the usual ones first."""

_COLUMNS: dict[str, Column] = {name: column for column, names in NAMES.items() for name in names}

_UNIT = re.compile(r"_(?:in_)?(?:s|sec|secs|seconds)$|[([](?:s|sec|secs|seconds)[)\]]$")


def column_of(header: str, own: Mapping[str, Column]) -> Column | None:
    """Return which column a header names, or None.

    Parameters
    ----------
    header : str
        As the file has it.
    own : mapping of str to str
        The caller's names, which count before ours.
    """
    if header in own:
        return own[header]
    name = re.sub(r"[\s-]+", "_", header.strip().casefold())
    if name in _COLUMNS:
        return _COLUMNS[name]
    return _COLUMNS.get(_UNIT.sub("", name).rstrip("_"))
