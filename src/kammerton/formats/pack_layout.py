# SPDX-License-Identifier: MIT
"""The format of packs: seal, record, columns."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import chain, compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic
from kammerton.formats.writing import escaped, unescaped
from kammerton.model.corpus import Collection, Corpus
from kammerton.model.task import ColumnKind, PackedColumn, Packing
from kammerton.version import __version__

if TYPE_CHECKING:
    import polars as pl

MAGIC = b"PAR1"
_TAIL = 8
"""Bytes behind the footer: its length, and the magic number again."""
_SEAL = hashlib.sha256().digest_size
_PIECE = 1 << 20


def damaged(why: str, file: str) -> DataError:
    """Return the error of a pack that is not as it was written."""
    return DataError.of("KT721", f"pack is damaged: {why}", file, "pack it again")


def put_seal(path: Path) -> None:
    """Put a seal between the last page and the footer, where no reader of Parquet files looks.

    It is the SHA-256 of everything else: where a byte is another, a decoder may ask for more memory than
    there is, and end the program.
    """
    with path.open("rb+") as file:
        begin = _footer_begin(file, str(path))
        file.seek(begin)
        footer = file.read()
        seal = _digest_around(file, begin, begin)
        file.seek(begin)
        file.write(seal + footer)


def check_seal(file: BinaryIO, name: str) -> None:
    """Refuse a file that is no pack, or of which a byte is not what was written."""
    begin = _footer_begin(file, name)
    file.seek(begin)
    if KEY.encode() not in file.read():
        hint = "`kammerton pack` makes one of a folder"
        raise DataError.of("KT720", "a Parquet file, but no pack of annotations", name, hint)
    file.seek(max(0, begin - _SEAL))
    if file.read(_SEAL) != _digest_around(file, max(0, begin - _SEAL), begin):
        raise damaged("it is not what was written", name)


def _footer_begin(file: BinaryIO, name: str) -> int:
    """Return where the footer of a Parquet file begins."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if size < len(MAGIC) + _TAIL or file.read(len(MAGIC)) != MAGIC:
        message = "pack cannot be read: no Parquet file: it does not begin with PAR1"
        raise DataError.of("KT720", message, name, "pack it again")
    file.seek(size - _TAIL)
    tail = file.read(_TAIL)
    begin = size - _TAIL - int.from_bytes(tail[:4], "little")
    if tail[4:] != MAGIC or begin < len(MAGIC):
        message = "pack cannot be read: file ends too early: it has no footer"
        raise DataError.of("KT721", message, name, "pack it again")
    return begin


def _digest_around(file: BinaryIO, end: int, begin: int) -> bytes:
    """Return the SHA-256 of what stands before ``end`` and from ``begin`` on."""
    whole = hashlib.sha256()
    file.seek(0)
    for at in range(0, end, _PIECE):
        whole.update(file.read(min(_PIECE, end - at)))
    file.seek(begin)
    whole.update(file.read())
    return whole.digest()


KEY = "kammerton"
"""What the metadata of the file calls the record."""
_KIND, _FORMAT = "kammerton pack", 1
CollectionRole = Literal["", "reference", "system"]
"""What a collection is to the others of its pack; nothing if it is the only one."""


def with_roles(corpus: Corpus) -> list[tuple[Collection, CollectionRole]]:
    """Return references and systems as a pack has them."""
    references: list[tuple[Collection, CollectionRole]] = [(base, "reference") for base in corpus.references]
    return [*references, *((system, "system") for system in corpus.systems)]


_ROLES = ("", "reference", "system")


class RecordError(ValueError):
    """A record that cannot be used; ``is_later`` says whether a later version wrote it."""

    def __init__(self, message: str, *, is_later: bool = False) -> None:
        super().__init__(message)
        self.is_later = is_later


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that were digested together."""

    rows: int  # how many
    digest: str  # SHA-256 of their columns as they were written


@dataclass(frozen=True, slots=True)
class About:
    """A collection of a pack, without its annotations."""

    role: CollectionRole
    # name, origin, single, broken, written, diagnostics, made: as in :class:`.Collection`
    name: str
    origin: str
    single: bool
    broken: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    made: str = ""

    @classmethod
    def of(cls, collection: Collection, role: CollectionRole) -> About:
        """Return the entry of a collection."""
        names = ("name", "origin", "single", "broken", "written", "diagnostics", "made")
        return cls(role, *(getattr(collection, name) for name in names))

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as JSON values."""
        plain = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        if not self.made:
            del plain["made"]
        mappings = {"broken": dict(self.broken), "written": dict(self.written)}
        return plain | mappings | {"diagnostics": [_brief(diagnostic) for diagnostic in self.diagnostics]}


@dataclass(frozen=True, slots=True)
class Record:
    """The record of a pack: its task, options, collections and blocks."""

    task: str
    choices: Mapping[str, str]  # those options that decide what is read, as far as they are not the defaults
    collections: tuple[About, ...]
    blocks: tuple[Block, ...]  # what the rows were digested in, in order

    def render(self) -> str:
        """Return the record as text."""
        plain = {
            "kind": _KIND,
            "format": _FORMAT,
            "version": __version__,
            "task": self.task,
            "choices": dict(self.choices),
            "collections": [about.to_dict() for about in self.collections],
            "blocks": [[block.rows, block.digest] for block in self.blocks],
        }
        return json.dumps(plain)

    @classmethod
    def parse(cls, text: str) -> Record:
        """Read a record."""
        try:
            plain = json.loads(text)
            if not isinstance(plain, dict) or plain.get("kind") != _KIND:
                raise RecordError("not the record of a pack")
            if plain.get("format") != _FORMAT:
                raise RecordError(f"pack of form {plain.get('format')!r}", is_later=True)
            return cls(
                plain["task"],
                {**plain["choices"]},
                tuple(map(_about, plain["collections"])),
                tuple(map(_block, plain["blocks"])),
            )
        except RecordError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise RecordError("record is damaged") from error


def _block(plain: Sequence[Any]) -> Block:
    rows, digest = plain
    if type(rows) is not int or rows < 0:
        raise RecordError("record is damaged")
    return Block(rows, str(digest))


def _about(plain: Mapping[str, Any]) -> About:
    texts = (
        plain["role"],
        plain["name"],
        plain["origin"],
        *plain["broken"].values(),
        *plain["written"].values(),
        plain.get("made", ""),
    )
    if plain["role"] not in _ROLES or not all(isinstance(text, str) for text in texts):
        raise RecordError("record is damaged")
    diagnostics = tuple(Diagnostic(**fields) for fields in plain["diagnostics"])
    return About(**{**plain, "diagnostics": diagnostics})


def _brief(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return the fields of a diagnostic that are not what they are by default."""
    default = asdict(Diagnostic("", "note", ""))
    fields = asdict(diagnostic)
    return {
        name: value
        for name, value in fields.items()
        if name in ("code", "severity", "message") or value != default[name]
    }


def render_diagnostics(diagnostics: Sequence[Diagnostic]) -> str | None:
    """Return diagnostics as text; None if there are none."""
    return json.dumps([_brief(diagnostic) for diagnostic in diagnostics]) if diagnostics else None


def parse_diagnostics(text: str | None) -> tuple[Diagnostic, ...]:
    """Return what :func:`render_diagnostics` was given."""
    try:
        return () if text is None else tuple(Diagnostic(**fields) for fields in json.loads(text))
    except (ValueError, TypeError, RecursionError) as error:
        raise RecordError("diagnostics of a file cannot be read") from error


_TYPES = {"real": np.float64, "whole": np.int64, "flag": np.bool_}


@dataclass(frozen=True, slots=True)
class PlainColumn:
    """A column with one value in each row, None where there is none."""

    values: list[Any]

    def of(self, rows: NDArray[np.bool_], kind: ColumnKind) -> PackedColumn:
        """Return the values of some rows."""
        some = list(compress(self.values, rows.tolist()))
        if None in some:
            raise ValueError("has nulls")
        offsets = np.arange(len(some) + 1)
        if kind == "text":
            return PackedColumn.of_texts(texts_of(some), offsets)
        return PackedColumn(np.array(some, dtype=_TYPES[kind]), offsets)


@dataclass(frozen=True, slots=True)
class ListColumn:
    """A column with a list in each row, of which length -1 stands for none."""

    lengths: NDArray[np.int64]  # of each list
    flat: NDArray[Any]  # numbers, or places in ``names``, of all lists one behind the other
    names: list[str] | None = None  # distinct texts, if the lists are of texts

    def of(self, rows: NDArray[np.bool_], _: ColumnKind) -> PackedColumn:
        """Return the lists of some rows; the others have none."""
        lengths = self.lengths[rows]
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        if (lengths < 0).any() or len(self.flat) != offsets[-1]:
            raise ValueError("has nulls")
        names = None if self.names is None else tuple(map(unescaped, self.names))
        return PackedColumn(self.flat, offsets, names)


_Contents = PlainColumn | ListColumn


def contents_of(frame: pl.DataFrame) -> dict[str, _Contents]:
    """Return the content of each column."""
    import polars as pl  # noqa: PLC0415 - half the import time; many runs of the program read no pack

    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    # One query for all lengths: each has a cost of its own, however small the table is.
    lengths = frame.select(pl.col(nested).list.len().cast(pl.Int64).fill_null(-1)) if nested else frame
    contents: dict[str, _Contents] = {}
    for column in frame.get_columns():
        if column.name in nested:
            contents[column.name] = _lists(column, lengths[column.name].to_numpy())
        else:
            contents[column.name] = PlainColumn(column.to_list())
    return contents


def _lists(column: pl.Series, lengths: NDArray[np.int64]) -> ListColumn:
    import polars as pl  # noqa: PLC0415

    flat = column.explode()
    if flat.null_count():  # an empty list has none, and explodes to a null
        flat = flat.drop_nulls()
    if flat.dtype != pl.Categorical:
        return ListColumn(lengths, flat.to_numpy())
    codes = flat.to_physical().to_numpy()
    used = np.flatnonzero(np.bincount(codes)) if len(codes) else np.empty(0, dtype=np.int64)
    first = np.zeros(int(used[-1]) + 1 if len(used) else 0, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    places = np.zeros(len(first), dtype=np.int64)
    places[used] = np.arange(len(used))
    names = flat.gather(first[used]).cast(pl.String).to_list()
    return ListColumn(lengths, places.take(codes), names)


def texts_of(values: Sequence[str | None]) -> list[Any]:
    """Return texts as they were before they were escaped, None where there is none."""
    return [value and unescaped(value) for value in values]


INDEX: Mapping[str, str] = {"collection": "whole", "item": "text", "told": "text", "first": "flag"}
"""Columns that say what there is: number of the collection, name of the item, the annotator that the
name of the file told, and whether a source begins."""
OWN: Mapping[str, str] = {**INDEX, "name": "text", "file": "text", "usable": "flag", "said": "text"}
"""Columns of every task. Behind the index: the annotator that the file named, the file, whether there is an
annotation, and what was said of the source, as JSON."""


def schema_of(packing: Packing) -> dict[str, pl.DataType]:
    """Return the type of each column of a table."""
    import polars as pl  # noqa: PLC0415 - half the import time; most runs of the program pack nothing

    kinds = {"real": pl.Float64(), "whole": pl.Int64(), "text": pl.String(), "flag": pl.Boolean()}
    own = {name: kinds[kind] for name, kind in OWN.items()}
    single = {name: kinds[kind] for name, kind in packing.single.items()}
    lists: dict[str, pl.DataType] = {
        name: pl.List(pl.Categorical() if kind == "text" else kinds[kind])
        for name, kind in packing.lists.items()
    }
    return own | single | lists


def frame_of(packing: Packing, rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return rows as a table; a row that has no annotation lacks the columns of the task."""
    import polars as pl  # noqa: PLC0415

    kinds = {**OWN, **packing.single}
    columns = []
    for name, dtype in schema_of(packing).items():
        values: list[Any]
        if name in packing.lists:
            lists = [row.get(name, ()) for row in rows]
            if packing.lists[name] == "text":
                stored = {text: escaped(text) for text in set(chain.from_iterable(lists))}  # each once
                values = [[stored[text] for text in texts] for texts in lists]
            else:
                values = [np.asarray(numbers).tolist() for numbers in lists]
        else:
            values = [row.get(name) for row in rows]
            if kinds[name] == "text":
                values = [None if value is None else escaped(value) for value in values]
        columns.append(pl.Series(name, values, dtype=dtype))
    return pl.DataFrame(columns)
