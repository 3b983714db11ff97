# SPDX-License-Identifier: MIT
"""The form of a run on disk: its files, its record, the options it keeps."""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as url_quote

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic, OutputError, quote
from kammerton.formats.reading import file_of
from kammerton.formats.writing import escaped, unescaped
from kammerton.model.annotations import carried
from kammerton.model.measure import Needs
from kammerton.model.task import Task
from kammerton.version import __version__

if TYPE_CHECKING:
    import polars as pl


def fault(code: str, message: str, file: str | None = None, hint: str | None = None) -> DataError:
    """Return the error of a run that cannot be used."""
    return DataError((Diagnostic(code=code, severity="error", message=message, file=file, hint=hint),))


KIND = "kammerton run"
FORMAT = 1
"""Raised whenever a run of this form could no longer be read by an earlier version."""
SCORES, AGREEMENT = "scores", "agreement"
"""What a run may hold."""
RECORD = "run.json"
REFERENCES = "references.parquet"
CASES = "gathered.parquet"
"""Rows that measures over classes are made from."""
CLASSES = "gathered_classes.parquet"
UNITS = "gathered_units.parquet"
CLUSTERS = "clusters.parquet"
GROUPS = "groups.parquet"
ANNOTATIONS = "annotations.parquet"
"""A pack of what was scored. Nothing of it is read before an item is looked at."""
RATINGS = "ratings.parquet"
"""Codes of what annotators called each unit, and the size of it."""
LABELS = "ratings_labels.parquet"


def rows_of(needs: Needs) -> str:
    """Return the file of rows for measures that need the same."""
    return f"rows_{needs.replace('+', '_')}.parquet"


def table_of(name: str) -> str:
    """Return the file of a class table."""
    return f"table_{url_quote(name, safe='')}.parquet"


def below(start: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files whose names begin so, called by the rest of their names."""
    return {name.removeprefix(start): data for name, data in files.items() if name.startswith(start)}


def of_annotator(number: int, file: str) -> str:
    """Return the file of one annotator in a run of an agreement."""
    return f"annotator{number}_{file}"


def of_part(part: str, file: str) -> str:
    """Return the file of a part of the context: floors, others, annotators."""
    return f"context_{part}_{file}"


_LEVEL = 3
_ROW_GROUP = 1 << 20
Column = Sequence[Any] | NDArray[Any]


def to_parquet(columns: Mapping[str, Column]) -> bytes:
    """Return columns as a file; of one kind each: texts, numbers, flags, with None where there is nothing."""
    import polars as pl  # noqa: PLC0415 - half the import time; most runs of the program write no run

    series = []
    for name, values in columns.items():
        if isinstance(values, np.ndarray) or any(isinstance(value, int | float) for value in values):
            series.append(pl.Series(escaped(name), values))
        else:
            texts = [None if value is None else escaped(value) for value in values]
            series.append(pl.Series(escaped(name), texts, dtype=pl.String))
    file = io.BytesIO()
    pl.DataFrame(series).write_parquet(
        file, compression="zstd", compression_level=_LEVEL, row_group_size=_ROW_GROUP
    )
    return file.getvalue()


def from_parquet(data: bytes) -> pl.DataFrame:
    """Return the columns of :func:`to_parquet`; the functions below find them by their names."""
    import polars as pl  # noqa: PLC0415

    return pl.read_parquet(io.BytesIO(data))


def names_of(frame: pl.DataFrame) -> list[str]:
    """Return the names of the columns."""
    return [unescaped(name) for name in frame.columns]


def texts_of(frame: pl.DataFrame, name: str) -> list[Any]:
    """Return a column that is no array: texts, numbers or flags, None where there is nothing."""
    values = frame.get_column(escaped(name)).to_list()
    return [unescaped(value) if isinstance(value, str) else value for value in values]


def numbers_of(frame: pl.DataFrame, names: Iterable[str]) -> NDArray[np.float64]:
    """Return columns of numbers side by side, shape (rows, names)."""
    chosen = [frame.get_column(escaped(name)).to_numpy() for name in names]
    return np.ascontiguousarray(np.stack(chosen, axis=1), dtype=np.float64)


_DIGEST = "digest"
_NOT_SIGNED = "timing"
"""What differs between two runs of the same."""


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(data).hexdigest()


def render_record(record: Mapping[str, Any]) -> bytes:
    """Return a record as the content of ``run.json``."""
    whole = {"kind": KIND, "format": FORMAT, **record}
    signed = {name: value for name, value in whole.items() if name != _NOT_SIGNED}
    return _text({**whole, _DIGEST: digest_of(_text(signed))})


def _text(record: Mapping[str, Any]) -> bytes:
    return (json.dumps(record, indent=1, allow_nan=False) + "\n").encode("ascii")


def parse_record(data: bytes, name: str) -> dict[str, Any]:
    """Return the record that ``run.json`` holds."""
    try:
        record = json.loads(data)
    except (ValueError, RecursionError) as error:
        if KIND.encode("ascii") in data:
            raise fault("KT701", "run is torn: its record ends too early, or was changed", name) from error
        raise fault("KT700", "not the record of a run", name) from error
    if not isinstance(record, dict) or record.get("kind") != KIND:
        raise fault("KT700", "not the record of a run", name)
    if record.get("format") != FORMAT:
        message = f"run of form {record.get('format')!r}, written by a later version; this one reads {FORMAT}"
        raise fault("KT704", message, name, "score again, or read it with that version")
    del record["kind"], record["format"]
    record.pop(_DIGEST, None)
    if data != _rewritten(record):  # to the byte: nobody has to judge which changes matter
        raise fault("KT701", "run was changed after it was written: its record is not what was signed", name)
    return record


def _rewritten(record: Mapping[str, Any]) -> bytes:
    try:
        return render_record(record)
    except (ValueError, RecursionError):  # what no record has: NaN, too many digits, lists in lists
        return b""


def versions() -> dict[str, str]:
    """Return the versions of what a run is made with."""
    import polars as pl  # noqa: PLC0415 - half the import time; most runs of the program write no run

    return {
        "kammerton": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "polars": pl.__version__,
    }


def noticed(diagnostics: Iterable[Diagnostic], roots: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return diagnostics as plain values, without what is so on one machine only."""
    return [asdict(diagnostic) for diagnostic in carried(diagnostics, roots)]


_PLAIN = (str, int, float, type(None))


def keep_options(options: Any) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the options that differ from their defaults, and the files among them."""
    default = type(options)()
    values: dict[str, Any] = {}
    files: dict[str, bytes] = {}
    for field in fields(options):
        value = getattr(options, field.name)
        if value == getattr(default, field.name):
            continue
        if isinstance(value, Mapping):
            values[field.name] = dict(value)
        elif isinstance(value, _PLAIN):
            values[field.name] = value
        if field.metadata.get("file"):
            path, part = file_of(value)
            if path is not None:
                name = _name(field.name, PurePath(path).suffix.lower())
                values[field.name] = {"file": name, "part": part}
                files[name] = _content(path)
    return values, files


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"KT502 cannot keep {quote(path)} in the run: {reason}") from error


def options_of(task: Task, values: Mapping[str, Any], folder: Path) -> Any:
    """Return the options that a run keeps."""
    own = {field.name for field in fields(task.options) if field.metadata.get("file")}
    return task.options(
        **{
            name: _path(folder, name, value) if name in own and isinstance(value, Mapping) else value
            for name, value in values.items()
        }
    )


def _path(folder: Path, option: str, value: Mapping[str, Any]) -> str:
    """Return the path of a file that was kept; one that is not of the run is not opened."""
    name = str(value["file"])
    if Path(name).name != name or not name.startswith(_name(option, "")):
        message = f"run was changed: the file of its option {option} is {quote(name)} in the record"
        raise fault("KT701", message, os.fspath(folder))
    return f"{folder / name}{value['part']}"


def _name(option: str, suffix: str) -> str:
    return f"option_{option}{suffix}"
