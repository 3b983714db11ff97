# SPDX-License-Identifier: MIT
"""Files and folders at addresses: of the web and of object stores."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from html import unescape
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, TypeGuard, TypeVar
from urllib.parse import parse_qsl, unquote, unquote_plus, urlsplit

from kammerton.errors import DataError, OptionError, quote
from kammerton.formats.folders import (
    FoundItems,
    found_items,
    item_name,
    why_ignored,
    without_suffix,
)
from kammerton.formats.reading import Limits, Problems
from kammerton.model.corpus import StoredSource
from kammerton.model.task import ItemReadings, Reading, Task

_REMOTE = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://[^\s'\"`]+", re.IGNORECASE)
_CUT = re.compile(r"(.*://)[^/@]*…", re.DOTALL)
"""An address cut so short that credentials cannot be told from the host."""
_KEYS_WITH_SLASH = re.compile(r"[^/?#@:\[]*:(?!\d*(?:[/?#]|\Z))[^@/?#]*[/?#][^@]*@")
"""A name and a secret that ought to have been quoted, as a slash is in many of them; a port is none."""
_SUFFIX = re.compile(r"\.[a-z]\w*", re.IGNORECASE)


def is_remote(path: object) -> TypeGuard[str]:
    """Return whether a path is an address.

    >>> is_remote("s3://corpus/songs"), is_remote("songs"), is_remote("C:/songs")
    (True, False, False)
    """
    return isinstance(path, str) and _REMOTE.match(path) is not None


def shown_address(address: str) -> str:
    """Return an address without what proves who is asking: names, passwords, queries.

    >>> shown_address("https://me:secret@host.org/a/songs.parquet?X-Signature=1f2e")
    'https://host.org/a/songs.parquet'
    """
    scheme, _, rest = address.partition("://")
    rest = _KEYS_WITH_SLASH.sub("", rest, count=1) if _KEYS_WITH_SLASH.match(rest) else rest
    place, slash, path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    return f"{scheme}://{place.rpartition('@')[2]}{slash}{path}"


def shown_path(path: str | os.PathLike[str]) -> str:
    """Return what messages call a path or an address."""
    return shown_address(path).rstrip("/") if is_remote(path) else os.fspath(Path(path))


def check_here(path: str | os.PathLike[str]) -> None:
    """Refuse to write to an address."""
    if is_remote(path):
        raise OptionError(f"cannot write to {quote(shown_address(path))}", "write here, and copy it there")


def with_shown_addresses(text: str) -> str:
    """Return a text in which addresses are as :func:`shown_address` has them.

    >>> with_shown_addresses("score ref mine=s3://key:secret@corpus/mine --quiet")
    'score ref mine=s3://corpus/mine --quiet'
    """
    return _ADDRESS.sub(lambda match: shown_address(_CUT.sub(r"\1…", match[0])), text)


def name_at(address: str) -> str:
    """Return what a collection at an address is called: its last component, without the suffix of a file.

    >>> name_at("s3://corpus/systems/mine/"), name_at("memory://mine.parquet"), name_at("s3://corpus/v1.0")
    ('mine', 'mine', 'v1.0')
    """
    parts = urlsplit(shown_address(address))
    path = PurePosixPath(parts.path.rstrip("/") or parts.netloc)
    return path.stem if _SUFFIX.fullmatch(path.suffix) else path.name


_FILES, _BYTES = 64, 16 * 2**20
"""Files, and bytes of them, that are fetched together."""


class Batch:
    """Files that are fetched together once one of them is asked for."""

    def __init__(
        self, store: RemoteStore, entries: tuple[RemoteFile, ...], task: Task, options: object
    ) -> None:
        self.store = store
        self.entries = entries
        self.task = task
        self.options = options
        self._fetched: dict[str, bytes | Exception] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Batch, (self.store, self.entries, self.task, self.options)

    def take(self, number: int) -> bytes | Exception:
        """Return what a file holds, and let go of it."""
        path = self.entries[number].path
        with self._lock:  # threads may read side by side
            if path not in self._fetched:
                limit = _limit_of(self.options)
                self._fetched = self.store.fetch(
                    [entry.path for entry in self.entries if _fits(entry, limit)]
                )
            return self._fetched.pop(path)


def _batches(
    store: RemoteStore, entries: Iterable[RemoteFile], task: Task, options: object
) -> Iterator[Batch]:
    """Yield files in batches, in the same order."""
    together: list[RemoteFile] = []
    size = 0
    for entry in entries:
        if together and (len(together) == _FILES or size + (entry.size or 0) > _BYTES):
            yield Batch(store, tuple(together), task, options)
            together, size = [], 0
        together.append(entry)
        size += entry.size or 0
    if together:
        yield Batch(store, tuple(together), task, options)


class RemoteSource(StoredSource):
    """A file elsewhere, as one of a batch."""

    __slots__ = ("_batch", "_number")

    def __init__(self, batch: Batch, number: int) -> None:
        self._batch = batch
        self._number = number

    def __reduce__(self) -> tuple[Any, ...]:
        return RemoteSource, (self._batch, self._number)

    def read(self) -> Reading[Any]:
        """Fetch the file, and read it as a local one."""
        batch = self._batch
        try:
            with self.fetched() as path:
                return batch.task.read(path, self.file, batch.options)
        except DataError as error:
            return Reading((), error.diagnostics)

    def unfold(self) -> ItemReadings[Any] | None:
        """Return what the file holds if it holds many items; None if not, or if it cannot be fetched."""
        batch = self._batch
        unfold = batch.task.unfolder(batch.entries[self._number].name)
        if unfold is None:
            return None
        try:
            with self.fetched() as path:
                return unfold(path, self.file, batch.options)
        except DataError:
            return None

    @contextlib.contextmanager
    def fetched(self) -> Iterator[Path]:
        """Fetch the file into a temporary one of the same name."""
        entry, limit = self._batch.entries[self._number], _limit_of(self._batch.options)
        if not _fits(entry, limit):
            message = f"file of {entry.size:,} bytes: over the limit of {limit:,}"
            raise DataError.of("KT106", message, entry.shown)
        data = self._batch.take(self._number)
        if isinstance(data, Exception):
            raise _unreadable(data, entry.shown)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, PurePosixPath(entry.name).name)
            path.write_bytes(data)
            yield path

    @property
    def file(self) -> str:
        """Its address, as messages have it."""
        return self._batch.entries[self._number].shown

    @property
    def digest(self) -> str | None:
        """Its address, size and digest, if the store keeps a digest."""
        entry = self._batch.entries[self._number]
        return None if entry.mark is None else f"{entry.shown}:{entry.size}:{entry.mark}"


def _limit_of(options: object) -> int:
    """Return how many bytes a file may have."""
    limits = getattr(options, "limits", None)
    return (limits if isinstance(limits, Limits) else Limits()).bytes


def _fits(entry: RemoteFile, limit: int) -> bool:
    """Return whether a file may be fetched; one of unknown size is checked once it is fetched."""
    return entry.size is None or entry.size <= limit


def lying_here(file: str | os.PathLike[str] | RemoteSource) -> AbstractContextManager[Path]:
    """Return a local file that readers can open."""
    return file.fetched() if isinstance(file, RemoteSource) else contextlib.nullcontext(Path(file))


def source_at(address: str, task: Task, options: object) -> RemoteSource:
    """Return a file at an address as a source."""
    store = RemoteStore(address)
    (batch,) = _batches(store, [store.whole()], task, options)
    return RemoteSource(batch, 0)


def find_remote(address: str, task: Task, options: object) -> FoundItems[RemoteSource]:
    """Find the items of a folder elsewhere, in any depth, or of one file; none is fetched for it."""
    store, suffixes = RemoteStore(address), tuple(task.suffixes)
    entries = store.listing()
    if entries is None:
        name = PurePosixPath(store.shown).name
        item = item_name(without_suffix(name, suffixes) or PurePosixPath(name).stem)
        return FoundItems({item: [source_at(address, task, options)]}, (), (), single=True)
    problems = Problems(store.shown)
    reasons = {entry: why_ignored(entry.name, suffixes) for entry in entries}
    ignored = {entry.shown: why for entry, why in reasons.items() if why is not None}
    sources = {
        entry.name: RemoteSource(batch, number)
        for batch in _batches(store, [entry for entry in entries if reasons[entry] is None], task, options)
        for number, entry in enumerate(batch.entries)
    }
    return found_items(sources, suffixes, ignored, problems)


ATTEMPTS = 5
"""How often something is asked for before it counts as unreadable."""
_PAUSE = 0.1
"""Seconds before the second attempt; each further pause is twice as long."""
_IN_MEMORY = "memory://"
_LASTING = (FileNotFoundError, PermissionError, NotADirectoryError)
"""Errors that no further attempt mends."""
T = TypeVar("T")


def _unreadable(error: BaseException, file: str) -> DataError:
    """Return why something cannot be read; of the error its kind only: its text may hold signed addresses."""
    status = _status_of(error)
    kind = type(error).__name__ + (f", status {status}" if status else "")
    attempts = "" if _is_lasting(error) else f" in {ATTEMPTS} attempts"
    return DataError.of("KT730", f"cannot be read{attempts}: {kind}", file)


class RemoteFile(NamedTuple):
    """A file of a store.

    Where it is, its name below the folder, its size if known, its name in messages, and what the store says
    that is another once the content is.
    """

    path: str
    name: str
    size: int | None
    shown: str
    mark: str | None = None


class RemoteStore:
    """A folder or a file at an address.

    Attributes
    ----------
    shown : str
        The address as messages have it.
    """

    def __init__(self, address: str) -> None:
        scheme, mark, place = address.partition("://")
        self._address = f"{scheme.lower()}{mark}{place}"
        self.shown: str = shown_path(self._address)

    def __reduce__(self) -> tuple[Any, ...]:
        if _IN_MEMORY in self._address.lower():
            message = f"{quote(self.shown)} is in the memory of this process: no other can read it"
            raise OptionError(message, "score it without --jobs and --executor, or pack it to a file")
        return RemoteStore, (self._address,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemoteStore) and self._address == other._address

    def __hash__(self) -> int:
        return hash(self._address)

    def __repr__(self) -> str:
        return f"RemoteStore({self.shown!r})"

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        """The file system, and the place in it."""
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415 - few read from elsewhere
        except ImportError as error:
            raise OptionError.of_import(
                f"reading {quote(self.shown)} needs fsspec", "remote", error
            ) from error
        address, options = _opened_with(self._address)
        try:
            system, place = url_to_fs(address, **options)
        except (ImportError, ValueError):
            kind = self.shown.partition("://")[0]
            extra = _EXTRAS.get(kind, "remote")
            raise OptionError(
                f"nothing is installed that reads {kind}://", f"pip install 'kammerton[{extra}]'"
            ) from None
        return system, place

    def listing(self) -> list[RemoteFile] | None:
        """Return all files below, by name; None if it is a file itself."""
        if not self.is_folder():
            return None
        entries = [
            RemoteFile(path, name, about.get("size"), f"{self.shown}/{name}", _mark(about))
            for path, name, about in self._files()
        ]
        return sorted(entries, key=lambda entry: entry.name.split("/"))

    def _files(self) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
        """Yield path, name and metadata of all files below."""
        system, place = self._opened
        top = place.rstrip("/") + "/"
        if _is_web(self._address):

            def page(folder: str) -> Iterable[Mapping[str, Any]]:
                links: list[dict[str, Any]] = self._tried(lambda: system.ls(folder, detail=True), folder)
                return links

            return linked(page, top, _opened_with(self._address)[1])
        files = self._tried(lambda: system.find(place, detail=True))
        return ((path, path[len(top) :], about) for path, about in files.items() if path.startswith(top))

    def whole(self) -> RemoteFile:
        """Return the file that the address is of."""
        system, place = self._opened
        about = self._tried(lambda: system.info(place))
        if about.get("mimetype") == "text/html" and not PurePosixPath(self.shown).suffix:
            raise OptionError(
                f"{quote(self.shown)} is a web page",
                "the address of a folder ends with a slash; what stands behind `?` comes after that",
            )
        return RemoteFile(place, self.shown.rpartition("/")[2], about.get("size"), self.shown, _mark(about))

    def is_folder(self) -> bool:
        """Return whether the address is that of a folder."""
        system, place = self._opened
        if _is_web(self._address):  # where everything is a file
            return place.endswith("/")
        return bool(self._tried(lambda: system.info(place))["type"] == "directory")

    def fetch(self, paths: Sequence[str]) -> dict[str, bytes | Exception]:
        """Return the content of each file, or the error that kept it from being read.

        What fails is asked for again, after 0.1 s, 0.2 s, 0.4 s and 0.8 s.
        """
        system, _ = self._opened
        contents: dict[str, bytes | Exception] = {}
        waiting = list(paths)
        for attempt in range(ATTEMPTS):
            _pause(attempt)
            try:
                answers = system.cat(waiting, on_error="return")
            except Exception as error:  # whatever a backend or a network raises
                answers = dict.fromkeys(waiting, error)
            nothing = FileNotFoundError(2, "no answer")
            contents |= {path: answers.get(path, nothing) for path in waiting}
            failed = [(path, fault) for path in waiting if isinstance(fault := contents[path], Exception)]
            waiting = [path for path, fault in failed if not _is_lasting(fault)]
            if not waiting:
                break
        return contents

    def head(self) -> bytes:
        """Return the first four bytes of a file."""
        system, place = self._opened
        begin = self._tried(lambda: system.cat_file(place, start=0, end=4))
        return bytes(begin[:4])  # there are servers that send all of it

    def copy_to(self, target: Path) -> None:
        """Copy a file."""
        path = self.whole().path
        self._tried(lambda: self._opened[0].get_file(path, os.fspath(target)))

    def _tried(self, ask: Callable[[], T], place: str | None = None) -> T:
        shown = self.shown if place is None else shown_address(place)
        for attempt in range(ATTEMPTS):
            _pause(attempt)
            try:
                return ask()
            except Exception as error:  # whatever a backend or a network raises
                last: BaseException = error
                if _is_web(self._address) and isinstance(error, FileNotFoundError):
                    last = error.__cause__ or error  # fsspec takes anything for a file that is not there
                if isinstance(last, FileNotFoundError) or _status_of(last) in _GONE:
                    raise OptionError(f"no such file or folder: {quote(shown)}") from None
                if _is_lasting(last):
                    break
        raise _unreadable(last, shown) from None


_EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs"}


def _mark(about: Mapping[str, Any]) -> str | None:
    """Return the digest of a file that the store keeps: S3 and the web call it ETag, Google md5Hash."""
    digest = next((about[name] for name in ("ETag", "etag", "md5Hash") if about.get(name)), None)
    return None if digest is None else str(digest)


def _pause(attempt: int) -> None:
    if attempt:
        time.sleep(_PAUSE * 2 ** (attempt - 1))


_GONE = (404, 410)
_PASSING = (408, 425, 429)
"""Answers after which another attempt makes sense."""
_DEEPEST, _MOST_PAGES = 32, 100_000
"""Folders within each other, and pages in all, that are looked at: a page that links to itself has no end."""
_REFERENCE = re.compile(r"&#?\w+;")
"""A character as pages have it: fsspec gives links as they stand there."""


def _is_web(address: str) -> bool:
    """Return whether an address is one of the web."""
    return address.lower().startswith(("http://", "https://"))


def _opened_with(address: str) -> tuple[str, dict[str, Any]]:
    """Return what is to be opened, and what goes with whatever is asked for there.

    The query of a folder, which ends with a slash, goes with the files in it.

    >>> _opened_with("https://host.org/ref/?token=1&all=")
    ('https://host.org/ref/', {'params': {'token': '1', 'all': ''}})
    >>> _opened_with("https://host.org/one.lab?token=1")
    ('https://host.org/one.lab?token=1', {})
    """
    place, _, query = address.partition("#")[0].partition("?")
    if not _is_web(address) or not place.endswith("/"):
        return address, {}
    params = dict(parse_qsl(query, keep_blank_values=True))
    return place, {"params": params} if params else {}


def linked(
    pages: Callable[[str], Iterable[Mapping[str, Any]]], top: str, options: Mapping[str, Any]
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the files that the page of a folder, and the pages of the folders below it, link to."""
    waiting, seen, known = [top], {top}, options.get("params", {})
    pages_seen = 1
    while waiting:
        for about in pages(waiting.pop()):
            link = _REFERENCE.sub(lambda match: unescape(match[0]), about["name"])
            place, _, query = link.partition("#")[0].partition("?")
            if not place.startswith(top) or place in seen:
                continue
            seen.add(place)
            if place.endswith("/"):
                pages_seen += 1
                _check_end(top, place, pages_seen)
                waiting.append(place)
            else:
                pairs = (pair for pair in query.split("&") if unquote_plus(pair.split("=")[0]) not in known)
                own = "&".join(pairs)
                yield f"{place}?{own}" if own else place, unquote(place[len(top) :]), about


def _check_end(top: str, place: str, pages: int) -> None:
    """Refuse folders nested too deep, and too many folders."""
    if place.count("/") - top.count("/") > _DEEPEST:
        limit = f"more than {_DEEPEST} folders deep"
    elif pages > _MOST_PAGES:
        limit = f"more than {_MOST_PAGES:,} folders below {shown_address(top)}"
    else:
        return
    message = f"cannot be listed: {limit}; a page may link to itself"
    hint = "give the address of the folder that has the files, name them in a table (--pairs), or copy them"
    raise DataError.of("KT730", message, shown_address(place), hint)


def _status_of(error: BaseException) -> int | None:
    """Return the number that a server answered with, if it is known."""
    status = getattr(error, "status", None)
    return status if isinstance(status, int) else None


def _is_lasting(error: BaseException) -> bool:
    """Return whether another attempt is useless."""
    status = _status_of(error)
    return isinstance(error, _LASTING) or (
        status is not None and 400 <= status < 500 and status not in _PASSING
    )
