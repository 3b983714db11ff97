# SPDX-License-Identifier: MIT
"""Parts are kept beside a run until it is whole: the same command goes on where it was stopped."""

from __future__ import annotations

import json
import os
import shutil
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from kammerton.engine.encoding import TornError, decode_part, encode_part
from kammerton.errors import OutputError, quote
from kammerton.formats.atomic import clear_left, write_atomically
from kammerton.model.measure import Measure
from kammerton.model.parts import Part

try:
    import fcntl
except ImportError:  # not on Windows, where nobody is kept out
    fcntl = None  # type: ignore[assignment]

__all__ = ["Store", "keeping"]

_LOCK = "lock"
_SUFFIX = ".part"


class Store:
    """Parts in a folder, each called by its key, with which its file begins, lest it be renamed.

    Parameters
    ----------
    folder : Path

    Attributes
    ----------
    found, kept : int
        How many were there, and how many were written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.found = 0
        self.kept = 0

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_SUFFIX}"

    def find(self, key: str, measures: Iterable[Measure]) -> Part | None:
        """Return the part of this key, if it is there and whole; one that is torn or another goes."""
        path, own = self._path(key), key.encode("ascii")
        try:
            part = decode_part(_behind(own, path.read_bytes()), measures)
        except FileNotFoundError:
            return None
        except TornError:
            path.unlink()
            return None
        self.found += 1
        return part

    def keep(self, key: str, part: bytes | Part) -> None:
        """Write a part so that it is there whole, or not at all.

        Raises
        ------
        OutputError
            KT502 if it cannot be written.
        """
        data = encode_part(part) if isinstance(part, Part) else part
        write_atomically(self._path(key), key.encode("ascii") + data, clear=False)
        self.kept += 1


def _behind(key: bytes, data: bytes) -> bytes:
    if not data.startswith(key):
        raise TornError("the part of another key")
    return data[len(key) :]


@contextmanager
def keeping(run: str | os.PathLike[str] | None) -> Iterator[Store | None]:
    """Keep what is finished of a run beside it, until it is written.

    After an interruption, the same does only what is missing. What is kept goes once all went well; and what
    was left of a run beside it, by a writer that was killed, goes at once.

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
    with _locked(folder, os.fspath(run)):
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


@contextmanager
def _locked(folder: Path, run: str) -> Iterator[None]:
    """Keep everybody else out of a folder, which is made if it is not there."""
    file = _open_lock(folder, run)
    try:
        yield
    finally:
        file.close()  # which ends the lock, as the end of the process does


def _open_lock(folder: Path, run: str) -> IO[str]:
    while True:
        try:
            folder.mkdir(exist_ok=True)
            file = (folder / _LOCK).open("a+", encoding="utf-8")
        except FileNotFoundError:  # gone in between
            if not folder.parent.is_dir():
                raise OutputError(f"KT501 cannot write {quote(run)}: no folder to write it to") from None
            continue
        except OSError as error:
            raise OutputError(f"KT501 cannot write {quote(run)}: {(error.strerror or '').lower()}") from error
        if not _lock(file):
            raise OutputError(f"KT504 cannot write {quote(run)}: {_told(file)}")
        if _is_there(file, folder / _LOCK):
            _sign(file)
            return file
        file.close()  # whoever had it has removed it


def _lock(file: IO[str]) -> bool:
    if fcntl is None:
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
    """Write who has the lock, for whoever comes in vain."""
    since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    file.truncate(0)
    json.dump({"pid": os.getpid(), "host": socket.gethostname(), "since": since}, file)
    file.flush()


def _told(file: IO[str]) -> str:
    file.seek(0)
    try:
        owner: dict[str, Any] = json.load(file)
        return f"locked by pid {owner['pid']} on {owner['host']} since {owner['since']}"
    except (ValueError, KeyError, TypeError):  # it is just about to say so
        return "locked by another process"
    finally:
        file.close()
