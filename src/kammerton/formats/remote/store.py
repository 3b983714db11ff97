# SPDX-License-Identifier: MIT
"""A place elsewhere: what it has, and its bytes, asked for again if it stumbles."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, TypeVar

from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.formats.remote import web
from kammerton.formats.remote.addresses import shown_address, shown_path

__all__ = ["ATTEMPTS", "Entry", "Store", "unreadable"]

ATTEMPTS = 5
"""How often something is asked for before it counts as unreadable."""

_PAUSE = 0.1
"""Seconds before the second attempt; each further pause is twice as long."""

_IN_MEMORY = "memory://"

_PIECE = 16 * 2**20
_LASTING = (FileNotFoundError, PermissionError, NotADirectoryError)
"""Errors that no further attempt mends."""

T = TypeVar("T")


def unreadable(error: BaseException, file: str) -> Diagnostic:
    """Return why something cannot be read; of the error its kind only: its text may hold signed addresses."""
    status = web.status_of(error)
    kind = type(error).__name__ + (f", status {status}" if status else "")
    attempts = "" if _is_lasting(error) else f" in {ATTEMPTS} attempts"
    message = f"cannot be read{attempts}: {kind}"
    return Diagnostic(code="KT730", severity="error", message=message, file=file)


class Entry(NamedTuple):
    """A file of a store.

    Where it is, its name below the folder, its size if known, its name in messages, and what the store says
    that is another once the content is.
    """

    path: str
    name: str
    size: int | None
    shown: str
    mark: str | None = None


class Store:
    """A folder or a file at an address.

    Parameters
    ----------
    address : str
        With all that it takes to be let in, which is shown nowhere.

    Attributes
    ----------
    shown : str
        The address as messages have it.
    """

    def __init__(self, address: str) -> None:
        scheme, mark, place = address.partition("://")
        self._address = f"{scheme.lower()}{mark}{place}"
        self.shown = shown_path(self._address)

    def __reduce__(self) -> tuple[Any, ...]:
        if _IN_MEMORY in self._address.lower():
            message = f"{quote(self.shown)} is in the memory of this process: no other can read it"
            raise OptionError(message, "score it without --jobs and --executor, or pack it to a file")
        return Store, (self._address,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Store) and self._address == other._address

    def __hash__(self) -> int:
        return hash(self._address)

    def __repr__(self) -> str:
        return f"Store({self.shown!r})"

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        """The file system, and the place in it."""
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415 - few read from elsewhere
        except ImportError as error:
            raise OptionError.of_import(
                f"reading {quote(self.shown)} needs fsspec", "remote", error
            ) from error
        address, options = web.opened_with(self._address)
        try:
            system, place = url_to_fs(address, **options)
        except (ImportError, ValueError):
            kind = self.shown.partition("://")[0]
            raise OptionError(f"nothing is installed that reads {kind}://", _INSTALL) from None
        return system, place

    def listing(self) -> list[Entry] | None:
        """Return all files below, by name; None if it is a file itself.

        Raises
        ------
        OptionError
            If there is nothing.
        DataError
            KT730 if it cannot be told.
        """
        if not self.is_folder():
            return None
        entries = [
            Entry(path, name, about.get("size"), f"{self.shown}/{name}", _mark(about))
            for path, name, about in self._files()
        ]
        return sorted(entries, key=lambda entry: entry.name.split("/"))

    def _files(self) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
        """Give path and name of all files below, and what the store says of them."""
        system, place = self._opened
        top = place.rstrip("/") + "/"
        if web.is_web(self._address):
            return web.linked(self._page, top, web.opened_with(self._address)[1])
        found = self._tried(lambda: system.find(place, detail=True))
        return ((path, path[len(top) :], about) for path, about in found.items() if path.startswith(top))

    def _page(self, place: str) -> Iterable[Mapping[str, Any]]:
        system, _ = self._opened
        found: list[dict[str, Any]] = self._tried(lambda: system.ls(place, detail=True), place)
        return found

    def whole(self) -> Entry:
        """Return the file that the address is of.

        Raises
        ------
        OptionError
            If there is none, or a page for people.
        DataError
            KT730 if it cannot be told.
        """
        system, place = self._opened
        about = self._tried(lambda: system.info(place))
        if web.is_page(about) and not PurePosixPath(self.shown).suffix:
            raise OptionError(
                f"{quote(self.shown)} is a web page",
                "the address of a folder ends with a slash; what stands behind `?` comes after that",
            )
        return Entry(place, self.shown.rpartition("/")[2], about.get("size"), self.shown, _mark(about))

    def is_folder(self) -> bool:
        """Tell a folder from a file."""
        system, place = self._opened
        if web.is_web(self._address):  # where everything is a file
            return place.endswith("/")
        return bool(self._tried(lambda: system.info(place))["type"] == "directory")

    def fetch(self, paths: Sequence[str]) -> dict[str, bytes | Exception]:
        """Return the content of files, or what kept it from being read.

        What fails is asked for again, after 0.1 s, 0.2 s, 0.4 s and 0.8 s.
        """
        system, _ = self._opened
        found: dict[str, bytes | Exception] = {}
        waiting = list(paths)
        for attempt in range(ATTEMPTS):
            _pause(attempt)
            found |= _answers(system, waiting)
            waiting = [path for path in waiting if _may_pass(found[path])]
            if not waiting:
                break
        return found

    def head(self) -> bytes:
        """Return the first four bytes of a file."""
        system, place = self._opened
        found = self._tried(lambda: system.cat_file(place, start=0, end=4))
        return bytes(found[:4])  # there are servers that send all of it

    def copy_to(self, target: Path) -> None:
        """Copy a file, piece by piece.

        Raises
        ------
        DataError
            KT730 if it cannot be read.
        """
        whole = self.whole()
        system, _ = self._opened
        with target.open("wb") as file:
            if whole.size is None:
                file.write(self._tried(lambda: system.cat_file(whole.path)))
                return
            for begin in range(0, whole.size, _PIECE):
                end = min(begin + _PIECE, whole.size)
                piece = self._piece(begin, end)
                file.write(piece)
                if len(piece) > end - begin:  # the server sends all of it, whatever it is asked for
                    return

    def _piece(self, begin: int, end: int) -> bytes:
        system, place = self._opened
        return bytes(self._tried(lambda: system.cat_file(place, start=begin, end=end)))

    def _tried(self, ask: Callable[[], T], place: str | None = None) -> T:
        shown = self.shown if place is None else shown_address(place)
        for attempt in range(ATTEMPTS):
            _pause(attempt)
            try:
                return ask()
            except Exception as error:  # whatever a backend or a network raises
                last = web.cause_of(error) if web.is_web(self._address) else error
                if isinstance(last, FileNotFoundError) or web.is_gone(last):
                    raise OptionError(f"no such file or folder: {quote(shown)}") from None
                if _is_lasting(last):
                    break
        raise DataError((unreadable(last, shown),)) from None


_INSTALL = "pip install 'kammerton[remote]'"


def _mark(about: Mapping[str, Any]) -> str | None:
    """Return a digest that stores keep of what they hold: S3 and the web call it ETag, Google md5Hash."""
    found = next((about[name] for name in ("ETag", "etag", "md5Hash") if about.get(name)), None)
    return None if found is None else str(found)


def _answers(system: Any, paths: list[str]) -> Mapping[str, bytes | Exception]:
    try:
        found: Mapping[str, bytes | Exception] = system.cat(paths, on_error="return")
    except Exception as error:  # whatever a backend or a network raises
        return dict.fromkeys(paths, error)
    return {path: found.get(path, FileNotFoundError(2, "no answer")) for path in paths}


def _may_pass(answer: bytes | Exception) -> bool:
    return isinstance(answer, Exception) and not _is_lasting(answer)


def _is_lasting(error: BaseException) -> bool:
    return isinstance(error, _LASTING) or web.is_lasting(error)


def _pause(attempt: int) -> None:
    if attempt:
        time.sleep(_PAUSE * 2 ** (attempt - 1))
