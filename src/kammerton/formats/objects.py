# SPDX-License-Identifier: MIT
"""Objects of other packages, each read as the file that it would be written to.

None of these packages is imported: an object is known by where its class was made.
"""

from __future__ import annotations

import io
import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kammerton.formats.tables import render_rows
from kammerton.model.task import ItemReadings, Reading, Task


class ObjectFile(NamedTuple):
    """What a file of an object would hold."""

    suffix: str
    content: bytes


def file_of(value: Any) -> ObjectFile | None:
    """Return the file of an object of another package; None of any other object."""
    if isinstance(value, np.ndarray) and value.dtype.names:
        return ObjectFile(".csv", _array_table(value).encode())
    for kind in type(value).__mro__:
        package, name = kind.__module__.partition(".")[0], kind.__name__
        if (package, name) in _WRITERS:
            suffix, write = _WRITERS[package, name]
            content = write(value)
            return ObjectFile(suffix, content.encode() if isinstance(content, str) else content)
    return None


def adopt(task: Task, value: Any, name: str, options: object) -> Reading[Any]:
    """Read one object, of Python or of another package."""
    file = file_of(value)
    if file is None or file.suffix not in task.suffixes:
        return task.adopt(value, name, options)
    with _lying_in(file) as path:
        return task.read(path, f"{name}{file.suffix}", options)


def unfold(task: Task, value: Any, name: str, options: object) -> ItemReadings[Any] | None:
    """Read an object that holds many items; None of any other object."""
    file = file_of(value) or _file_of_matrix(task, value, name, options)
    reader = None if file is None else task.unfolder(file.suffix)
    if file is None or reader is None or file.suffix not in task.suffixes:
        return None
    with _lying_in(file) as path:
        return reader(path, f"{name}{file.suffix}", options)


def _file_of_matrix(task: Task, value: Any, name: str, options: object) -> ObjectFile | None:
    """Return the table of a matrix and the names of its columns; a row is an item."""
    if not isinstance(value, tuple) or len(value) != 2 or len(getattr(value[0], "shape", ())) != 2:
        return None
    matrix, names = np.asarray(value[0]), list(value[1])
    fits = matrix.shape[1] == len(names) and matrix.dtype.kind in "bfiu"
    if not fits or task.adopt(value, name, options).annotations:
        return None
    rows = numbered(len(matrix))
    return ObjectFile(".csv", _table({"item": rows, **dict(zip(names, matrix.T, strict=True))}).encode())


def numbered(count: int) -> list[str]:
    """Return names of items that have none: numbers from 0, which sort as they count.

    Examples
    --------
    >>> numbered(3), numbered(11)[-2:]
    (['0', '1', '2'], ['09', '10'])
    """
    return [f"{number:0{len(str(max(count - 1, 0)))}d}" for number in range(count)]


@contextmanager
def _lying_in(file: ObjectFile) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"object{file.suffix}")
        path.write_bytes(file.content)
        yield path


# --- tables ----------------------------------------------------------------------------------------------


def _table(columns: Mapping[str, Sequence[Any] | np.ndarray[Any, Any]]) -> str:
    """Return columns as a file has them, in the fewest digits that mean the same numbers."""
    lists = (column.tolist() if isinstance(column, np.ndarray) else column for column in columns.values())
    cells = (map(_cell, column) for column in lists)
    return render_rows(((*map(str, columns),), *zip(*cells, strict=True)))


def _cell(value: Any) -> object:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return value


def _pandas_table(frame: Any) -> str:
    """Return a frame with its index, if that has a name or names rows."""
    index = frame.index
    if index.names != [None]:
        frame = frame.reset_index()
    elif index.dtype.kind not in "iuf":
        frame = frame.rename_axis("item").reset_index()
    return _table({str(name): frame[name].to_numpy(dtype=object, na_value=None) for name in frame.columns})


_NAMES_OF_ARRAYS = (
    *(("onset_sec", "onset"), ("onset_quarter", "onset"), ("onset_beat", "onset")),
    *(("duration_sec", "duration"), ("duration_quarter", "duration"), ("duration_beat", "duration")),
)
"""Fields of partitura's arrays, in the order in which they are preferred, and what tables call them."""
_HAND_OF_STAFF = {1: "right", 2: "left"}


def _array_table(array: Any) -> str:
    """Return an array of notes, in which the staff tells the hand if nothing else does."""
    columns = {name: array[name] for name in array.dtype.names if name not in dict(_NAMES_OF_ARRAYS)}
    for field, name in _NAMES_OF_ARRAYS:
        if field in array.dtype.names:
            columns.setdefault(name, array[field])
    if "hand" not in columns and "staff" in columns:
        columns["hand"] = [_HAND_OF_STAFF.get(staff, "") for staff in columns["staff"].tolist()]
    return _table(columns)


# --- packages --------------------------------------------------------------------------------------------


def _annotation_as_jams(annotation: Any) -> str:
    return f'{{"annotations": [{annotation.dumps()}], "file_metadata": {{}}, "sandbox": {{}}}}'


def _music21_xml(stream: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return Path(stream.write("musicxml", fp=Path(folder, "stream.musicxml"))).read_bytes()


def _partitura_xml(score: Any) -> bytes:
    written: bytes = sys.modules["partitura"].save_musicxml(score)
    return written


def _midi(notes: Any) -> bytes:
    stream = io.BytesIO()
    notes.write(stream)
    return stream.getvalue()


_WRITERS: Mapping[tuple[str, str], tuple[str, Callable[[Any], str | bytes]]] = {
    ("jams", "JAMS"): (".jams", lambda document: document.dumps()),
    ("jams", "Annotation"): (".jams", _annotation_as_jams),
    ("music21", "Stream"): (".musicxml", _music21_xml),
    ("pandas", "DataFrame"): (".csv", _pandas_table),
    **{("partitura", name): (".musicxml", _partitura_xml) for name in ("Score", "Part", "PartGroup")},
    ("polars", "DataFrame"): (".csv", lambda frame: _table(frame.to_dict(as_series=False))),
    ("pretty_midi", "PrettyMIDI"): (".mid", _midi),
}
"""By package and class: the suffix of the file that an object is read as, and what writes it."""
