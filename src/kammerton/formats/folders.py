# SPDX-License-Identifier: MIT
"""Which files of a folder are items, and what the items are called."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Generic, TypeVar

from kammerton.errors import (
    DataError,
    Diagnostic,
    OptionError,
    Severity,
    close_match,
    plural,
    printable,
    quote,
)
from kammerton.formats.kinds import kind_of_suffix
from kammerton.formats.reading import Problems

__all__ = [
    "Found",
    "find_files",
    "item_name",
    "leads_out",
    "names_by_item",
    "normal_form",
    "suffixes_read",
    "why_ignored",
    "without_suffix",
]

_NOBODYS = (
    (r"\._", "left by macOS"),
    (r"\.", "hidden"),
    (r"__MACOSX$", "left by macOS"),
    (r"(?i:Thumbs\.db|desktop\.ini)$", "left by Windows"),
    (r".*~$|#.*#$", "an editor's backup"),
    (r"sed[A-Za-z0-9]{6}$", "left by sed"),
)
"""Names that are nobody's annotation, each with the reason that is given."""

_LITTER = re.compile("|".join(f"({pattern})" for pattern, _ in _NOBODYS))
_MOST_LINKS = 100
"""Links to one folder that are followed: where links lead to links, folders would be without number."""

_HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Halves of surrogate pairs that do not stand for a byte, as JSON may have them."""

_LIKE_ESCAPED = re.compile("\\\\+(?=x[0-9a-f]{2}|u[0-9a-f]{4}|[\ud800-\udfff])")
"""Backslashes before what could be taken for a byte that is spelled out, or before such a byte."""


File = TypeVar("File")


@dataclass(frozen=True, slots=True)
class Found(Generic[File]):
    """What a path or an address holds.

    Parameters
    ----------
    files : dict of str to list of file
        Files of each item, sorted by item; more than one only with a diagnostic KT201.
    ignored : tuple of str
        What was passed over.
    diagnostics : tuple of Diagnostic
        KT101, KT107, KT201 and KT205.
    written : dict of str to str
        Names as the folder has them, of the items whose names had to be composed.
    single : bool
        Whether it is one file.
    """

    files: dict[str, list[File]]
    ignored: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    written: dict[str, str] = field(default_factory=dict)
    single: bool = False

    def check_not_empty(self, root: str | os.PathLike[str], suffixes: Iterable[str]) -> None:
        """Refuse a path without files.

        Raises
        ------
        DataError
            If there may be some that cannot be seen.
        OptionError
            If there is none.
        """
        if self.files:
            return
        if any(problem.severity == "error" for problem in self.diagnostics):
            raise DataError(self.diagnostics)
        message = f"no annotation files in `{printable(os.fspath(root))}`"
        raise OptionError(message, suffixes_read(suffixes, self.ignored))


def suffixes_read(suffixes: Iterable[str], ignored: Iterable[str]) -> str:
    """Return a hint where no file is read: which suffixes are, and what most of the files are instead."""
    hint = f"suffixes read: {', '.join(sorted(suffixes))}"
    there = Counter(Path(name).suffix.lower() for name in ignored)
    for suffix, count in there.most_common(1):
        kind = kind_of_suffix(suffix)
        hint += f"; there: {plural(count, 'file')} {_ending_in(suffix)}"
        hint += "" if kind is None else f", each {kind.what}: {kind.hint}"
    return hint


def _ending_in(suffix: str) -> str:
    return f"ending in {quote(suffix)}" if suffix else "without a suffix"


def find_files(root: str | os.PathLike[str], *, suffixes: Sequence[str]) -> Found[Path]:
    """Find the items of a folder, in any depth, or of one file.

    An item is called by its path below ``root``, with ``/``, without the recognised suffix, in
    Unicode's composed form (NFC).

    Parameters
    ----------
    root : path
        A folder; or a file of any suffix, which is then the only item.
    suffixes : sequence of str
        What files of annotations end in, such as ``(".lab", ".jams")``, in any case.

    Returns
    -------
    Found

    Raises
    ------
    OptionError
        If there is nothing at ``root``, or not for us to see.
    """
    if not os.fspath(root):
        raise OptionError("a path is empty", "`.` is the current folder")
    top = Path(root)
    try:
        os.lstat(top)
    except (OSError, ValueError) as error:
        raise OptionError(f"{_reason(error)}: `{printable(os.fspath(top))}`", _near(top)) from error
    if not top.is_dir():
        return Found({item_name(without_suffix(top.name, suffixes) or top.stem): [top]}, (), (), single=True)
    problems = Problems(os.fspath(top))
    walk = _Walk(top, suffixes, problems)
    names = names_by_item(sorted(walk.files(), key=_parts), suffixes, problems)
    files = {item: [top / name for name in found] for item, found in names.items()}
    ignored = sorted(walk.ignored)
    for path in ignored:
        problems.add(_about("KT205", "note", f"ignored: {walk.ignored[path]}", path))
    foreign = {item: paths[0] for item, paths in files.items() if not os.fspath(paths[0]).isascii()}
    told = {item: _written(path, top, suffixes) for item, path in foreign.items()}
    written = {item: name for item, name in told.items() if normal_form(name) != name}
    return Found(files, tuple(map(os.fspath, ignored)), problems.diagnostics(), written)


def _near(path: Path) -> str | None:
    """Ask for the path that there is if the first part that is missing is spelled like a neighbour."""
    lost = next((each for each in reversed((path, *path.parents)) if not os.path.lexists(each)), path)
    try:
        near = close_match(lost.name, [each.name for each in lost.parent.iterdir()])
    except OSError:
        return None
    meant = lost.parent / (near or "") / path.relative_to(lost)
    return f"did you mean `{printable(os.fspath(meant))}`?" if near and os.path.lexists(meant) else None


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.strerror and not isinstance(error, FileNotFoundError):
        return error.strerror.lower()
    return "no such file or folder"


def _parts(name: str) -> list[str]:
    return name.split("/")


def _item_of(name: str, suffixes: Sequence[str]) -> str:
    return item_name(without_suffix(name, suffixes) or "")


def _written(path: Path, top: Path, suffixes: Sequence[str]) -> str:
    """Return the name of an item as the folder has it."""
    return _readable(without_suffix(path.relative_to(top).as_posix(), suffixes) or "")


def names_by_item(names: Sequence[str], suffixes: Sequence[str], problems: Problems) -> dict[str, list[str]]:
    """Group files by item, and report items with more than one; case does not tell items apart.

    Parameters
    ----------
    names : sequence of str
        Below the folder that ``problems`` are of, with ``/``.
    suffixes : sequence of str
        One of which each of them ends in.
    problems : Problems
        Where KT201 is told.
    """
    twins: dict[str, dict[str, list[str]]] = {}
    for name in names:
        item = _item_of(name, suffixes)
        twins.setdefault(item.casefold(), {}).setdefault(item, []).append(name)
    files = {}
    for named in twins.values():
        item, found = min(named), [name for same in named.values() for name in same]
        if len(found) > 1:
            _say_ambiguous(item, found, problems)
        files[item] = found
    return dict(sorted(files.items()))


def why_ignored(name: str, suffixes: Sequence[str]) -> str | None:
    """Return why a file is nobody's annotation by its name below a folder; None if it may be one."""
    for part in name.split("/"):
        litter = _LITTER.match(part)
        if litter is not None:
            return _NOBODYS[(litter.lastindex or 0) - 1][1]
    return "suffix not recognised" if without_suffix(name, suffixes) is None else None


class _Walk:
    """Goes through a folder and what its links lead to, and remembers what it passes over."""

    def __init__(self, top: Path, suffixes: Sequence[str], problems: Problems) -> None:
        self._top = top
        self._suffixes = suffixes
        self._problems = problems
        self._followed: Counter[str] = Counter()
        self.ignored: dict[Path, str] = {}

    def files(self) -> Iterator[str]:
        """Give every file with a recognised suffix by its path below the top, with ``/``."""
        folders: list[tuple[str, tuple[str, ...]]] = [("", ())]
        while folders:
            below, way = folders.pop()
            folder = self._top / below
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError as error:
                message = f"folder cannot be read: {(error.strerror or str(error)).lower()}"
                self._problems.add(_about("KT101", "error", message, folder))
                continue
            for entry in entries:
                litter = _LITTER.match(entry.name)
                if litter is not None:
                    self.ignored[folder / entry.name] = _NOBODYS[(litter.lastindex or 0) - 1][1]
                elif entry.is_dir(follow_symlinks=False):
                    folders.append((f"{below}{entry.name}/", way))
                elif entry.is_symlink() and os.path.isdir(entry.path):  # noqa: PTH112 - it never raises
                    further = self._follow(folder, entry.name, way)
                    folders += [] if further is None else [(f"{below}{entry.name}/", further)]
                elif without_suffix(entry.name, self._suffixes) is not None:
                    yield below + entry.name
                else:
                    self._pass_over(folder / entry.name)

    def _follow(self, folder: Path, name: str, way: tuple[str, ...]) -> tuple[str, ...] | None:
        """Return the real folders that lead to where a link leads; None if it leads back to one of them."""
        link, target = folder / name, os.path.realpath(folder / name)
        here = (*way, os.path.realpath(folder))
        self._followed[target] += 1
        if any(Path(each).is_relative_to(target) for each in here):
            message = f"link not followed: it leads back to `{printable(target)}`, in which it lies"
            self._problems.add(_about("KT107", "warning", message, link))
        elif self._followed[target] > _MOST_LINKS:
            message = f"link not followed: {_MOST_LINKS} others lead to `{printable(target)}`"
            self._problems.add(_about("KT107", "error", message, link))
        else:
            return here
        return None

    def _pass_over(self, path: Path) -> None:
        """Note a file of another suffix; and a link to nothing, which may have been one to a folder."""
        if path.is_symlink() and not os.path.exists(path):  # noqa: PTH110 - it never raises
            message = f"link leads nowhere that can be read: `{printable(os.path.realpath(path))}`"
            self._problems.add(_about("KT107", "warning", message, path))
        else:
            self.ignored[path] = "suffix not recognised"


def without_suffix(name: str, suffixes: Sequence[str]) -> str | None:
    """Take off the longest suffix that ``name`` ends in, or return None if there is none."""
    base = name.rpartition("/")[2].lower()
    fitting = [len(each) for each in _lowered(tuple(suffixes)) if base.endswith(each) and base != each]
    return name[: -max(fitting)] if fitting else None


@cache
def _lowered(suffixes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(suffix.lower() for suffix in suffixes)


def normal_form(name: str) -> str:
    r"""Return a name as text that can be written: composed, foreign bytes as ``\xe9``."""
    return unicodedata.normalize("NFC", _readable(name))


def item_name(stem: str) -> str:
    r"""Return what a file is called as an item: as :func:`normal_form`, no two of them alike.

    Where a name has the characters of an escape, such as ``\xe9``, its backslash is doubled.

    >>> print(item_name("caf\udce9"), item_name("caf\\xe9"), item_name("AC\\DC"))
    caf\xe9 caf\\xe9 AC\DC
    """
    return normal_form(_LIKE_ESCAPED.sub(lambda backslashes: 2 * backslashes[0], stem))


def _readable(name: str) -> str:
    """Return a name that can be written: bytes that are no text, and half surrogates, are spelled out."""
    whole = _HALVES.sub(lambda half: f"\\u{ord(half[0]):x}", name)
    return whole.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def leads_out(stem: str) -> bool:
    """Tell whether a path would not lie below the folder that it is put in."""
    parts = stem.replace("\\", "/").split("/")
    return any(part in ("", ".", "..") or "\0" in part for part in parts) or Path(stem).is_absolute()


def _say_ambiguous(item: str, names: list[str], problems: Problems) -> None:
    """Name all files of one item, and what their names differ in if that is hard to see."""
    composed = {unicodedata.normalize("NFC", name) for name in names}
    hint = "keep one of them, or rename"
    if len(composed) < len(names):
        hint = "the names look the same, but differ in Unicode form (NFC and NFD): rename one"
    elif len({name.casefold() for name in composed}) < len(names):
        hint = "the names differ in case only: rename one"
    message = f"{len(names)} files for one item {quote(item)}: {', '.join(map(quote, names))}"
    path = os.path.join(problems.file, names[0])  # noqa: PTH118 - or an address
    problems.add(_about("KT201", "error", message, path, hint))


def _about(
    code: str, severity: Severity, message: str, path: str | os.PathLike[str], hint: str | None = None
) -> Diagnostic:
    return Diagnostic(code=code, severity=severity, message=message, file=os.fspath(path), hint=hint)
