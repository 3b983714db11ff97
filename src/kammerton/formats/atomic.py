# SPDX-License-Identifier: MIT
"""Files that appear complete or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from kammerton.errors import OutputError, printable

try:
    import fcntl
except ImportError:  # not on Windows, where nothing tells a writer that was killed from one at work
    fcntl = None  # type: ignore[assignment]

__all__ = [
    "clear_left",
    "replacing",
    "replacing_folder",
    "size_of",
    "write_atomically",
    "write_folder_atomically",
    "write_new",
]

_CAN_SYNC_FOLDERS = os.name == "posix"

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def write_atomically(path: str | os.PathLike[str], data: bytes, *, clear: bool = True) -> None:
    """Write a file so that at every moment either the old or the new one stands, complete.

    Parameters
    ----------
    path : path
        Where to; what a link leads to is replaced, not the link. A device is written to directly.
    data : bytes
        All of it.
    clear : bool
        Whether to look for what a writer of this file has left that was killed; not for each of many files.

    Raises
    ------
    OutputError
        KT501 if the folder is missing or something else is in the way, KT502 if writing fails.
        What stood at ``path`` still does.
    """
    target = Path(os.path.realpath(path))
    _check_target(target, os.fspath(path))
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
        else:
            if clear:
                clear_left(target)
            _replace(target, data)
    except OSError as error:
        raise _failure(error, target, os.fspath(path), len(data)) from error


def _check_target(target: Path, name: str) -> None:
    if target.is_dir():
        raise OutputError(f"KT501 cannot write {_named(name)}: it is a folder")
    _check_parent(target, name)


def _check_parent(target: Path, name: str) -> None:
    if not target.parent.is_dir():
        folder = _named(Path(name).parent)
        fault = f"{folder} is not a folder" if target.parent.exists() else f"folder {folder} does not exist"
        raise OutputError(f"KT501 cannot write {_named(name)}: {fault}")


def _replace(target: Path, data: bytes) -> None:
    """Write beside ``target``, make sure it is on disk, and put it in place."""
    with _temporary(target) as (descriptor, temporary):
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    _sync_folder(target.parent)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a place beside a file where a new one can be written, piece by piece, and put that in place.

    Parameters
    ----------
    path : path
        Where to; what a link leads to is replaced, not the link.

    Yields
    ------
    Path
        An empty folder, for pieces too; the file is written there as ``whole``.

    Raises
    ------
    OutputError
        KT501 if the folder above is missing or something else is in the way, KT502 if writing fails.
        What stood at ``path`` still does.
    """
    target = Path(os.path.realpath(path))
    _check_target(target, os.fspath(path))
    if target.exists() and not target.is_file():
        raise OutputError(f"KT501 cannot write {_named(path)}: it is no file")
    with _beside(target, path) as folder:
        yield folder
        _put(folder / "whole", target)


def _put(new: Path, target: Path) -> None:
    """Put a file that is complete in the place of another."""
    with new.open("rb+") as file:
        os.fsync(file.fileno())
    if target.exists():
        new.chmod(stat.S_IMODE(target.stat().st_mode))
    new.replace(target)
    _sync_folder(target.parent)


@contextlib.contextmanager
def replacing_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give an empty folder beside a place, and put it there once it is filled.

    Parameters
    ----------
    path : path
        Where to. A folder that stands there goes, with all that is in it, once the new one is complete; what
        a link leads to is replaced, not the link.

    Yields
    ------
    Path
        The new folder; :func:`write_new` writes files that last.

    Raises
    ------
    OutputError
        KT501 if the folder above is missing or there is something else than a folder, KT502 if writing
        fails. What stood at ``path`` still does.
    """
    target = Path(os.path.realpath(path))
    _check_parent(target, os.fspath(path))
    if target.exists() and not target.is_dir():
        raise OutputError(f"KT501 cannot write {_named(path)}: it is no folder")
    with _beside(target, path) as new:
        yield new
        _sync_folder(new)
        _exchange(target, new)
        _sync_folder(target.parent)


@contextlib.contextmanager
def _beside(target: Path, path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give an empty folder beside a place: locked while it is filled, and then removed with what is left."""
    folder: Path | None = None
    held: int | None = None
    clear_left(target)
    try:
        folder, _, held = _new_beside(target, Path.mkdir)
        yield folder
    except OSError as error:
        needed = 0 if folder is None else _size_below(folder)
        raise _failure(error, target, os.fspath(path), needed) from error
    finally:  # also when interrupted; of what was put in place there is nothing to remove
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        _release(held)


def _new_beside(target: Path, make: Callable[[Path], int | None]) -> tuple[Path, int | None, int | None]:
    """Make a file or folder beside a place; return it, what making it returned, and its lock."""
    while True:
        place = _name_beside(target, "tmp")
        made = make(place)
        held = _hold(place)
        if place.exists():
            return place, made, held
        _release(made)  # between the two, somebody has taken it for one that was left
        _release(held)


def _name_beside(target: Path, end: str) -> Path:
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.{end}")


def clear_left(target: Path) -> None:
    """Remove what writers of a file or folder have left beside it that were killed.

    Those who are at work have locked what they write. What stood at the place is put back if there is
    nothing.
    """
    left: list[str] = []
    with contextlib.suppress(OSError):
        left = os.listdir(target.parent)  # noqa: PTH208 - of many names few are ours
    ours = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.(tmp|old)", re.DOTALL)
    for place in (target.with_name(name) for name in left if ours.fullmatch(name)):
        held = _hold(place, wait=False)
        if held is not None:
            _clear(place, target)
            _release(held)


def _clear(left: Path, target: Path) -> None:
    with contextlib.suppress(OSError):
        if left.suffix == ".old" and not target.exists():
            left.rename(target)
        elif left.is_dir():
            shutil.rmtree(left)
        elif left.is_file():
            left.unlink()


def _hold(path: Path, *, wait: bool = True) -> int | None:
    """Lock a file or folder and return its descriptor; None if that cannot be, or not without waiting."""
    if fcntl is None:
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # where there are no locks nobody can tell who is at work
        os.close(descriptor)
        return None
    return descriptor


def _release(held: int | None) -> None:
    if held is not None:
        os.close(held)


def write_new(path: Path, data: bytes) -> None:
    """Write a file that is not there yet, in a folder from :func:`replacing_folder`."""
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def write_folder_atomically(path: str | os.PathLike[str], files: Mapping[str, bytes]) -> None:
    """Write a folder of files so that it appears complete, or not at all.

    Parameters
    ----------
    path : path
        As for :func:`replacing_folder`.
    files : mapping of str to bytes
        Content by name.

    Raises
    ------
    OutputError
        As :func:`replacing_folder`.
    """
    with replacing_folder(path) as folder:
        for name, data in files.items():
            write_new(folder / name, data)


def _size_below(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())


def _exchange(target: Path, new: Path) -> None:
    """Put a new folder in place of one that may be there."""
    if not target.exists():
        new.rename(target)
        return
    old, held = _name_beside(target, "old"), _hold(target)
    try:
        target.rename(old)
        try:
            new.rename(target)
        except BaseException:
            old.rename(target)
            raise
        shutil.rmtree(old, ignore_errors=True)
    finally:
        _release(held)


@contextlib.contextmanager
def _temporary(target: Path) -> Iterator[tuple[int, Path]]:
    """Open a new file in the folder of ``target``, locked, and see that it does not stay there."""
    temporary, descriptor, held = _new_beside(target, _open_new)
    assert descriptor is not None, "a file was opened"
    try:
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        yield descriptor, temporary
    finally:  # also when interrupted; after the replacement there is nothing to remove
        temporary.unlink(missing_ok=True)
        _release(held)


def _open_new(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a loss of power, where folders can be synced."""
    if _CAN_SYNC_FOLDERS:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _failure(error: OSError, target: Path, name: str, needed: int) -> OutputError:
    reason = (error.strerror or str(error)).lower()
    if error.errno in _FULL:
        free = shutil.disk_usage(target.parent).free
        reason += f" (needs {size_of(needed)}, {size_of(free)} free)"
    still = ""
    if target.is_file() or target.is_dir():
        still = f"\n  note: the earlier {_named(target.name)} was left as it was"
    return OutputError(f"KT502 cannot write {_named(name)}: {reason}{still}")


def _named(path: str | os.PathLike[str]) -> str:
    return f"`{printable(os.fspath(path))}`"


def size_of(count: int) -> str:
    """Return a number of bytes in the unit that suits it."""
    if count < 1000:
        return f"{count} bytes"
    value, unit = count / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.1f} {unit}"
