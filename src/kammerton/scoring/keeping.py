# SPDX-License-Identifier: MIT
"""Finished shards on disk, from which a stopped run is resumed."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import shutil
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kammerton.errors import OutputError, plural, quote
from kammerton.formats.writing import LOCK, HeldError, Lock, clear_left, hold, write_atomically
from kammerton.model.measure import Measure
from kammerton.scoring.evaluating import PartialEvidence

_DIGEST = hashlib.sha256().digest_size
_MADE = {
    *("AnnotatorNames", "Assumptions", "CorpusSurvey", "Diagnostic", "DistantEnds", "ExactTally", "Gathered"),
    *("IdenticalEstimates", "KernelResults", "PartialEvidence", "Rows", "SanityChecks", "State"),
    *("_frombuffer", "_reconstruct", "dtype", "ndarray"),  # of NumPy
}
"""What parts consist of, besides texts, numbers, and collections of these."""


class TornError(ValueError):
    """Bytes that are no part, or only a part of one."""


class _PartPickler(pickle.Pickler):
    """Writes measures as their addresses."""

    def persistent_id(self, value: Any) -> str | None:
        return str(value) if isinstance(value, Measure) else None


class _PartUnpickler(pickle.Unpickler):
    """Makes nothing but what parts consist of: anybody may have written the file."""

    def __init__(self, data: bytes, measures: Iterable[Measure]) -> None:
        super().__init__(io.BytesIO(data))
        self._measures = {str(measure): measure for measure in measures}

    def persistent_load(self, address: str) -> Measure:
        return self._measures[address]

    def find_class(self, module: str, name: str) -> Any:
        if name not in _MADE or module.partition(".")[0] not in ("kammerton", "numpy"):
            raise pickle.UnpicklingError(f"{module}.{name} is in no part")
        return super().find_class(module, name)


def encode_part(part: PartialEvidence) -> bytes:
    """Return a part as bytes, which begin with their digest."""
    file = io.BytesIO()
    _PartPickler(file, protocol=5).dump(part)
    return hashlib.sha256(file.getvalue()).digest() + file.getvalue()


def decode_part(data: bytes, measures: Iterable[Measure]) -> PartialEvidence:
    """Return the part that bytes stand for."""
    body = data[_DIGEST:]
    if hashlib.sha256(body).digest() != data[:_DIGEST]:
        raise TornError("no whole part")
    try:
        part = _PartUnpickler(body, measures).load()
    except Exception as error:  # whatever comes of what others made
        raise TornError("no part") from error
    if not isinstance(part, PartialEvidence):
        raise TornError("no part")
    return part


_OWNER = "owner.json"
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

    def parts(self) -> Iterator[bytes]:
        """Give what every part holds that is called by its key."""
        for path in sorted(self._folder.glob(f"*{_SUFFIX}")):
            data, own = path.read_bytes(), path.name.removesuffix(_SUFFIX).encode()
            if data.startswith(own):
                self.found += 1
                yield data.removeprefix(own)

    def keep(self, key: str, part: bytes | PartialEvidence) -> None:
        """Write a part so that it is there whole, or not at all."""
        data = encode_part(part) if isinstance(part, PartialEvidence) else part
        write_atomically(self._path(key), key.encode("ascii") + data, clear=False)
        self.kept += 1


@contextmanager
def keeping(run: str | os.PathLike[str] | None, part: str = "shard") -> Iterator[Store | None]:
    """Keep what is finished of a run beside it, until it is written.

    After an interruption, the same call resumes: it scores only what is missing. The finished parts are
    deleted once the run is written; what a killed writer left beside the run is deleted at once.

    Parameters
    ----------
    run : path, optional
        Where the run is to be written; without it nothing is kept.
    part : str
        What a finished part is called.

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
    lock = _locked(folder, os.fspath(run))
    try:
        clear_left(target)
        yield store
    except BaseException as error:
        done = sum(1 for _ in folder.glob(f"*{_SUFFIX}"))
        if done:
            error.add_note(f"{plural(done, f'finished {part}')} {'is' if done == 1 else 'are'} kept")
        else:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    else:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        if lock is not None:
            lock.release()


def _locked(folder: Path, run: str) -> Lock | None:
    """Make a folder if it is not there, lock it, and write who has done so."""
    try:
        folder.mkdir(exist_ok=True)
        lock = hold(folder / LOCK)
    except FileNotFoundError:  # a place where nobody can make a folder, as /proc
        raise OutputError(f"KT501 cannot write {quote(run)}: no folder to write it to") from None
    except OSError as error:
        raise OutputError(f"KT501 cannot write {quote(run)}: {(error.strerror or '').lower()}") from error
    except HeldError:
        raise OutputError(f"KT504 cannot write {quote(run)}: {_owner_of(folder)}") from None
    owner = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()),
    }
    (folder / _OWNER).write_text(json.dumps(owner), encoding="utf-8")
    return lock


def _owner_of(folder: Path) -> str:
    """Return who has the lock of a folder, as a message says it."""
    try:
        owner = json.loads((folder / _OWNER).read_text(encoding="utf-8"))
        return f"locked by pid {owner['pid']} on {owner['host']} since {owner['since']}"
    except (OSError, ValueError, KeyError, TypeError):  # not written yet
        return "locked by another process"
