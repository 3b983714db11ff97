# SPDX-License-Identifier: MIT
"""Find the files of a folder that hold items, and name the items."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Generic, TypeVar

from kammerton.errors import DataError, Diagnostic, OptionError, close_match, plural, printable, quote
from kammerton.formats.reading import Problems
from kammerton.formats.source import suffix_kind
from kammerton.model.annotations import Place

_NOBODYS = (
    (r"\._", "left by macOS"),
    (r"\.", "hidden"),
    (r"__MACOSX$", "left by macOS"),
    (r"(?i:Thumbs\.db|desktop\.ini)$", "left by Windows"),
    (r".*~$|#.*#$", "an editor's backup"),
    (r"sed[A-Za-z0-9]{6}$", "left by sed"),
    (r"kammerton\.json$|_(?:fusion|annotate)$", "how the annotations were made"),
)
"""Names of files that are no annotations, each with the reason."""

_LITTER = re.compile("|".join(f"({pattern})" for pattern, _ in _NOBODYS))
_MOST_LINKS = 100
"""Links to one folder that are followed: where links lead to links, folders would be without number."""

_HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Halves of surrogate pairs that do not stand for a byte, as JSON may have them."""

_LIKE_ESCAPED = re.compile("\\\\+(?=x[0-9a-f]{2}|u[0-9a-f]{4}|[\ud800-\udfff])")
"""Backslashes before what could be taken for a byte that is spelled out, or before such a byte."""


File = TypeVar("File")


@dataclass(frozen=True, slots=True)
class FoundItems(Generic[File]):
    """The items that a path or an address holds."""

    # files of each item, sorted by item; more than one only with a diagnostic KT201
    files: dict[str, list[File]]
    ignored: tuple[str, ...]  # files that were ignored
    diagnostics: tuple[Diagnostic, ...]  # KT101, KT107, KT201 and KT205
    # names as the folder has them, of the items whose names had to be composed
    written: dict[str, str] = field(default_factory=dict)
    single: bool = False  # whether it is one file

    def check_not_empty(self, root: str | os.PathLike[str], suffixes: Iterable[str]) -> None:
        """Refuse a path without files."""
        if self.files:
            return
        if any(problem.severity == "error" for problem in self.diagnostics):
            raise DataError(self.diagnostics)
        message = f"no annotation files in `{printable(os.fspath(root))}`"
        raise OptionError(message, suffixes_read(suffixes, self.ignored))


def suffixes_read(suffixes: Iterable[str], ignored: Iterable[str]) -> str:
    """Return the hint that lists the suffixes that are read, and the kind of most other files."""
    hint = f"suffixes read: {', '.join(sorted(suffixes))}"
    there = Counter(Path(name).suffix.lower() for name in ignored)
    for suffix, count in there.most_common(1):
        kind = suffix_kind(suffix)
        ending = f"ending in {quote(suffix)}" if suffix else "without a suffix"
        hint += f"; there: {plural(count, 'file')} {ending}"
        hint += "" if kind is None else f", each {kind.what}: {kind.hint}"
    return hint


def find_files(root: str | os.PathLike[str], *, suffixes: Sequence[str]) -> FoundItems[Path]:
    """Find the items of a folder, in any depth, or of one file.

    An item is called by its path below ``root``, with ``/``, without the recognised suffix, in
    Unicode's composed form (NFC).
    """
    if not os.fspath(root):
        raise OptionError("a path is empty", "`.` is the current folder")
    top = Path(root)
    try:
        os.lstat(top)
    except (OSError, ValueError) as error:
        raise OptionError(f"{_reason(error)}: `{printable(os.fspath(top))}`", _near(top)) from error
    if not top.is_dir():
        return FoundItems(
            {item_name(without_suffix(top.name, suffixes) or top.stem): [top]}, (), (), single=True
        )
    problems = Problems(os.fspath(top))
    walk = _Walk(top, suffixes, problems)
    files = {name: top / name for name in sorted(walk.files(), key=lambda name: name.split("/"))}
    ignored = {os.fspath(path): walk.ignored[path] for path in sorted(walk.ignored)}
    return found_items(files, suffixes, ignored, problems)


def found_items(
    files: Mapping[str, File], suffixes: Sequence[str], ignored: Mapping[str, str], problems: Problems
) -> FoundItems[File]:
    """Return the items of the files of a folder by name, and report files that were ignored, and why."""
    names = _names_by_item(files, suffixes, problems)
    for file, why in ignored.items():
        problems.report("KT205", f"ignored: {why}", Place(file), severity="note")
    written = {}
    for item, (first, *_) in names.items():
        name = "" if first.isascii() else _readable(without_suffix(first, suffixes) or "")
        if normal_form(name) != name:
            written[item] = name
    by_item = {item: [files[name] for name in of_item] for item, of_item in names.items()}
    return FoundItems(by_item, tuple(ignored), problems.diagnostics(), written)


def _near(path: Path) -> str | None:
    """Return a hint at a path that exists if the first missing part is spelled like a neighbour."""
    lost = next((parent for parent in reversed((path, *path.parents)) if not os.path.lexists(parent)), path)
    try:
        near = close_match(lost.name, [parent.name for parent in lost.parent.iterdir()])
    except OSError:
        return None
    meant = lost.parent / (near or "") / path.relative_to(lost)
    return f"did you mean `{printable(os.fspath(meant))}`?" if near and os.path.lexists(meant) else None


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.strerror and not isinstance(error, FileNotFoundError):
        return error.strerror.lower()
    return "no such file or folder"


def _names_by_item(names: Iterable[str], suffixes: Sequence[str], problems: Problems) -> dict[str, list[str]]:
    """Group files by item, and report items with more than one; case does not tell items apart."""
    twins: dict[str, dict[str, list[str]]] = {}
    for name in names:
        item = item_name(without_suffix(name, suffixes) or "")
        twins.setdefault(item.casefold(), {}).setdefault(item, []).append(name)
    files = {}
    for names_of_item in twins.values():
        item, spellings = min(names_of_item), [name for same in names_of_item.values() for name in same]
        if len(spellings) > 1:
            _report_ambiguous(item, spellings, problems)
        files[item] = spellings
    return dict(sorted(files.items()))


def why_ignored(name: str, suffixes: Sequence[str]) -> str | None:
    """Return why a file cannot be an annotation, by its name below a folder; None if it can."""
    for part in name.split("/"):
        litter = _LITTER.match(part)
        if litter is not None:
            return _NOBODYS[(litter.lastindex or 0) - 1][1]
    return "suffix not recognised" if without_suffix(name, suffixes) is None else None


class _Walk:
    """Walks through a folder and the folders that its links lead to, and collects ignored files."""

    def __init__(self, top: Path, suffixes: Sequence[str], problems: Problems) -> None:
        self._top = top
        self._suffixes = suffixes
        self._problems = problems
        self._followed: Counter[str] = Counter()
        self.ignored: dict[Path, str] = {}

    def files(self) -> Iterator[str]:
        """Yield every file with a recognised suffix by its path below the top, with ``/``."""
        folders: list[tuple[str, tuple[str, ...]]] = [("", ())]
        while folders:
            below, ancestors = folders.pop()
            folder = self._top / below
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError as error:
                message = f"folder cannot be read: {(error.strerror or str(error)).lower()}"
                self._problems.report("KT101", message, Place(os.fspath(folder)))
                continue
            for entry in entries:
                litter = _LITTER.match(entry.name)
                if litter is not None:
                    self.ignored[folder / entry.name] = _NOBODYS[(litter.lastindex or 0) - 1][1]
                elif entry.is_dir(follow_symlinks=False):
                    folders.append((f"{below}{entry.name}/", ancestors))
                elif entry.is_symlink() and os.path.isdir(entry.path):  # noqa: PTH112 - it never raises
                    further = self._follow(folder, entry.name, ancestors)
                    folders += [] if further is None else [(f"{below}{entry.name}/", further)]
                elif without_suffix(entry.name, self._suffixes) is not None:
                    yield below + entry.name
                else:
                    self._pass_over(folder / entry.name)

    def _follow(self, folder: Path, name: str, ancestors: tuple[str, ...]) -> tuple[str, ...] | None:
        """Return the real folders that lead to where a link leads; None if it leads back to one of them."""
        link, target = folder / name, os.path.realpath(folder / name)
        here = (*ancestors, os.path.realpath(folder))
        self._followed[target] += 1
        if any(Path(ancestor).is_relative_to(target) for ancestor in here):
            message = f"link not followed: it leads back to `{printable(target)}`, in which it lies"
            self._problems.report("KT107", message, Place(os.fspath(link)), severity="warning")
        elif self._followed[target] > _MOST_LINKS:
            message = f"link not followed: {_MOST_LINKS} others lead to `{printable(target)}`"
            self._problems.report("KT107", message, Place(os.fspath(link)))
        else:
            return here
        return None

    def _pass_over(self, path: Path) -> None:
        """Note a file of another suffix; and a link to nothing, which may have been one to a folder."""
        if path.is_symlink() and not os.path.exists(path):  # noqa: PTH110 - it never raises
            message = f"link leads nowhere that can be read: `{printable(os.path.realpath(path))}`"
            self._problems.report("KT107", message, Place(os.fspath(path)), severity="warning")
        else:
            self.ignored[path] = "suffix not recognised"


def without_suffix(name: str, suffixes: Sequence[str]) -> str | None:
    """Take off the longest suffix that ``name`` ends in, or return None if there is none."""
    base = name.rpartition("/")[2].lower()
    fitting = max(filter(base[1:].endswith, _lowered(tuple(suffixes))), key=len, default=None)
    return None if fitting is None else name[: -len(fitting)]


@cache
def _lowered(suffixes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(suffix.lower() for suffix in suffixes)


def normal_form(name: str) -> str:
    r"""Return a name as text that can be written: composed, foreign bytes as ``\xe9``."""
    return unicodedata.normalize("NFC", _readable(name))


def item_name(stem: str) -> str:
    r"""Return the name of the item of a file: as :func:`normal_form`, but different for different files.

    Where a name has the characters of an escape, such as ``\xe9``, its backslash is doubled.

    >>> print(item_name("caf\udce9"), item_name("caf\\xe9"), item_name("AC\\DC"))
    caf\xe9 caf\\xe9 AC\DC
    """
    if stem.isascii() and "\\" not in stem:  # as most are
        return stem
    return normal_form(_LIKE_ESCAPED.sub(lambda backslashes: 2 * backslashes[0], stem))


def _readable(name: str) -> str:
    """Return a name that can be written: bytes that are no text, and half surrogates, are spelled out."""
    whole = _HALVES.sub(lambda half: f"\\u{ord(half[0]):x}", name)
    return whole.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def leads_out(stem: str) -> bool:
    """Return whether a path would not lie below the folder that it is put in."""
    parts = stem.replace("\\", "/").split("/")
    return any(part in ("", ".", "..") or "\0" in part for part in parts) or Path(stem).is_absolute()


def _report_ambiguous(item: str, names: list[str], problems: Problems) -> None:
    """Report all files of one item, and how their names differ if that is hard to see."""
    composed = {unicodedata.normalize("NFC", name) for name in names}
    hint = "keep one of them, or rename"
    if len(composed) < len(names):
        hint = "the names look the same, but differ in Unicode form (NFC and NFD): rename one"
    elif len({name.casefold() for name in composed}) < len(names):
        hint = "the names differ in case only: rename one"
    message = f"{len(names)} files for one item {quote(item)}: {', '.join(map(quote, names))}"
    path = os.path.join(problems.file, names[0])  # noqa: PTH118 - or an address
    problems.report("KT201", message, Place(os.fspath(path)), hint=hint)
