# SPDX-License-Identifier: MIT
"""Finished shards on disk, from which a stopped run is resumed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from itertools import chain, count
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, OutputError, quote
from kammerton.formats.writing import clear_left, fcntl, write_atomically
from kammerton.model.evidence import ExactTally, Group, Rows, State
from kammerton.model.measure import Gathered, Measure
from kammerton.model.task import ClassKey
from kammerton.scoring.evaluating import KernelResults, PartialEvidence
from kammerton.scoring.loading import AnnotatorNames, Assumptions, CorpusSurvey
from kammerton.scoring.sanity_checks import DistantEnds, IdenticalEstimates, SanityChecks

_MAGIC = b"kammerton part 4\n"
_DIGEST = hashlib.sha256().digest_size
_LENGTH = 8
_PLAIN = frozenset((str, int, float, bool, type(None)))
"""Types that JSON has."""


class TornError(ValueError):
    """Bytes that are no part, or only a part of one."""


def encode_part(part: PartialEvidence) -> bytes:
    """Return a part as bytes: JSON, and behind it the arrays that it refers to by number."""
    arrays: list[NDArray[Any]] = []
    plain = _encoded(part, arrays)
    kinds = [(values.dtype.str, values.shape) for values in arrays]
    head = json.dumps({"part": plain, "arrays": kinds}).encode("ascii")
    data = b"".join((len(head).to_bytes(_LENGTH, "big"), head, *(values.tobytes() for values in arrays)))
    return _MAGIC + hashlib.sha256(data).digest() + data


def _encoded(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """Return a value as JSON has it; what it has not is a list that begins with its kind."""
    kind = type(value).__name__
    if type(value) in _PLAIN:
        return value
    if isinstance(value, np.ndarray):
        arrays.append(np.ascontiguousarray(value))
        return ["array", len(arrays) - 1]
    if isinstance(value, Measure):
        return ["measure", str(value)]
    if isinstance(value, bytes):
        return ["bytes", value.hex()]
    if isinstance(value, Mapping):
        kind, value = "map", chain.from_iterable(value.items())
    elif isinstance(value, frozenset):
        kind, value = "set", sorted(value)
    elif isinstance(value, ExactTally):  # the terms of all cells are one array
        terms = [terms for cells in value.cells.values() for terms in cells.values()]
        counts = np.array(list(map(len, terms)), dtype=np.int64)
        cells = {group: list(of_group) for group, of_group in value.cells.items()}
        kind, value = "tally", (value.columns, value.unit, cells, counts, np.array(list(chain(*terms))))
    elif is_dataclass(value):
        value = [getattr(value, field.name) for field in fields(value)]
    elif _PLAIN.issuperset(map(type, value)):
        return [kind, *value]
    return [kind, *(_encoded(part, arrays) for part in value)]


def decode_part(data: bytes, measures: Iterable[Measure]) -> PartialEvidence:
    """Return the part that bytes stand for."""
    start = len(_MAGIC) + _DIGEST
    body = memoryview(data)[start:]
    if not data.startswith(_MAGIC) or hashlib.sha256(body).digest() != data[len(_MAGIC) : start]:
        raise TornError("no whole part")
    try:
        end = _LENGTH + int.from_bytes(body[:_LENGTH], "big")
        head = json.loads(bytes(body[_LENGTH:end]))
        arrays = list(_arrays(body[end:], head["arrays"]))
        known = {str(measure): measure for measure in measures}
        makers: dict[str, Callable[..., Any]] = {
            **_MAKERS,
            "array": arrays.__getitem__,
            "measure": known.__getitem__,
        }
        part = _decoded(head["part"], makers)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:  # made by others
        raise TornError("no part") from error
    if not isinstance(part, PartialEvidence):
        raise TornError("no part")
    return part


def _arrays(body: memoryview, kinds: Iterable[tuple[str, list[int]]]) -> Iterator[NDArray[Any]]:
    begin = 0
    for kind, shape in kinds:
        values = np.frombuffer(body, dtype=kind, count=int(np.prod(shape, dtype=np.int64)), offset=begin)
        begin += values.nbytes
        yield values.reshape(shape)


def _decoded(plain: Any, makers: Mapping[str, Callable[..., Any]]) -> Any:
    """Return the value that :func:`_encoded` was given."""
    if type(plain) is not list:
        return plain
    kind, *parts = plain
    return makers[kind](*(_decoded(part, makers) for part in parts))


def _tally(
    columns: tuple[str, ...],
    unit: str,
    cells: Mapping[Group, Sequence[ClassKey]],
    counts: NDArray[np.int64],
    terms: NDArray[np.float64],
) -> ExactTally:
    of_cells = np.split(terms, np.cumsum(counts)[:-1])
    tally, number = ExactTally(columns, unit), count()
    for group, classes in cells.items():
        tally.cells[group] = {key: of_cells[next(number)].tolist() for key in classes}
    return tally


def _diagnostic(*values: Any) -> Diagnostic:
    names = (field.name for field in fields(Diagnostic))
    return Diagnostic(**dict(zip(names, values, strict=True)))


_MAKERS: Mapping[str, Callable[..., Any]] = {
    **{
        record.__name__: record
        for record in (
            *(AnnotatorNames, Assumptions, CorpusSurvey, DistantEnds, Gathered, IdenticalEstimates),
            *(KernelResults, PartialEvidence, SanityChecks, State),
        )
    },
    "Diagnostic": _diagnostic,
    "Rows": Rows.made,
    "bytes": bytes.fromhex,
    "list": lambda *values: list(values),
    "map": lambda *values: dict(zip(values[::2], values[1::2], strict=True)),
    "set": lambda *values: frozenset(values),
    "tally": _tally,
    "tuple": lambda *values: values,
}
"""What makes a value of each kind of its parts."""


_LOCK = "lock"
_ATTEMPTS = 1_000
"""Attempts to make a folder that others may remove meanwhile."""
_SUFFIX = ".part"


class Store:
    """Finished parts in a folder; each file is named by its key, and begins with it, lest it be renamed.

    Attributes
    ----------
    found, kept : int
        How many were there, and how many were written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.found: int = 0
        self.kept: int = 0

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_SUFFIX}"

    def find(self, key: str, measures: Iterable[Measure]) -> PartialEvidence | None:
        """Return the part of this key, if it is there and whole; one that is torn or another goes."""
        path, own = self._path(key), key.encode("ascii")
        try:
            data = path.read_bytes()
            part = decode_part(data.removeprefix(own) if data.startswith(own) else b"", measures)
        except FileNotFoundError:
            return None
        except TornError:
            path.unlink()
            return None
        self.found += 1
        return part

    def keep(self, key: str, part: bytes | PartialEvidence) -> None:
        """Write a part so that it is there whole, or not at all."""
        data = encode_part(part) if isinstance(part, PartialEvidence) else part
        write_atomically(self._path(key), key.encode("ascii") + data, clear=False)
        self.kept += 1


@contextmanager
def keeping(run: str | os.PathLike[str] | None) -> Iterator[Store | None]:
    """Keep what is finished of a run beside it, until it is written.

    After an interruption, the same call resumes: it scores only what is missing. The finished parts are
    deleted once the run is written; what a killed writer left beside the run is deleted at once.

    Parameters
    ----------
    run : path, optional
        Where the run is to be written; without it nothing is kept.

    Returns
    -------
    context manager of Store or None
        For :func:`kammerton.score`.

    Raises
    ------
    OutputError
        KT501 if there can be no folder beside the run, KT504 if somebody else is writing it.

    Examples
    --------
    >>> import tempfile, kammerton
    >>> ref = {"song": ([(0, 2), (2, 4)], ["C", "G:7"])}
    >>> with tempfile.TemporaryDirectory() as folder, keeping(f"{folder}/run") as store:
    ...     scores = kammerton.score("chords", ref, {"mine": ref}, store=store)
    ...     kammerton.write_run(scores, f"{folder}/run")
    ()
    """
    if run is None:
        yield None
        return
    target = Path(os.path.realpath(run))
    folder = target.with_name(f".{target.name}.shards")
    store = Store(folder)
    with _open_lock(folder, os.fspath(run)):  # whose end closes the file, and so ends the lock
        clear_left(target)
        try:
            yield store
        except BaseException as error:
            done = sum(1 for _ in folder.glob(f"*{_SUFFIX}"))
            if done:
                error.add_note(f"{done:,} finished {'shard is' if done == 1 else 'shards are'} kept")
            else:
                shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)


def _open_lock(folder: Path, run: str) -> IO[str]:
    """Return the locked file of a folder, which is made if it is not there."""
    attempts = 0
    while True:
        attempts += 1
        try:
            folder.mkdir(exist_ok=True)
            file = (folder / _LOCK).open("a+", encoding="utf-8")
        except FileNotFoundError:  # gone in between, or a place where nobody can make a folder, as /proc
            if attempts == _ATTEMPTS or not folder.parent.is_dir():
                raise OutputError(f"KT501 cannot write {quote(run)}: no folder to write it to") from None
            continue
        except OSError as error:
            raise OutputError(f"KT501 cannot write {quote(run)}: {(error.strerror or '').lower()}") from error
        if not _lock(file):
            raise OutputError(f"KT504 cannot write {quote(run)}: {_owner_of(file)}")
        if _is_there(file, folder / _LOCK):
            _sign(file)
            return file
        file.close()  # whoever had it has removed it


def _lock(file: IO[str]) -> bool:
    if fcntl is None:  # nobody is kept out
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_there(file: IO[str], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _sign(file: IO[str]) -> None:
    """Write who has the lock, for the message that others get."""
    since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    file.truncate(0)
    json.dump({"pid": os.getpid(), "host": socket.gethostname(), "since": since}, file)
    file.flush()


def _owner_of(file: IO[str]) -> str:
    file.seek(0)
    try:
        owner: dict[str, Any] = json.load(file)
        return f"locked by pid {owner['pid']} on {owner['host']} since {owner['since']}"
    except (ValueError, KeyError, TypeError):  # not written yet
        return "locked by another process"
    finally:
        file.close()
