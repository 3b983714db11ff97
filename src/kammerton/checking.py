# SPDX-License-Identifier: MIT
"""Look through annotation files without scoring anything."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kammerton.arguments import options_of, without_sides
from kammerton.errors import DataError, Diagnostic, OptionError, quote, told_once
from kammerton.formats.collecting import find
from kammerton.formats.folders import suffixes_read
from kammerton.formats.packs import is_pack, opened_pack
from kammerton.formats.remote import RemoteSource, lying_here
from kammerton.model.loading import name_of_source
from kammerton.model.packing import OF_BLOCKS
from kammerton.model.registry import find_task
from kammerton.model.task import Task
from kammerton.version import __version__

__all__ = ["Checked", "check"]


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in annotation files.

    Parameters
    ----------
    task : str
        Name of the task.
    files : tuple of str
        Every file that was read.
    ignored : tuple of str
        What was passed over in folders.
    diagnostics : tuple of Diagnostic
        Every problem of every file.
    """

    task: str
    files: tuple[str, ...]
    ignored: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]

    def has_findings(self, *, strict: bool = False) -> bool:
        """Tell whether there is an error or, if ``strict``, a warning."""
        refused = ("error", "warning") if strict else ("error",)
        return any(diagnostic.severity in refused for diagnostic in self.diagnostics)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "kammerton": __version__,
            "task": self.task,
            "files": len(self.files),
            "ignored": list(self.ignored),
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }


def check(task: str | Task, *paths: str | os.PathLike[str], options: object | None = None) -> Checked:
    """Read annotation files and say everything that is wrong or odd about them.

    Parameters
    ----------
    task : str or Task
        ``"chords"``, ``"fingering"``, ``"instruments"``, or the name of a third party's task, which its
        package declares; or the :class:`kammerton.tasks.Task` record of one.
    *paths : path
        Files, folders of files in any depth, packs, and addresses of any of these.
    options : object, optional
        How files are read: a :class:`kammerton.chords.ChordOptions`,
        :class:`kammerton.fingering.FingeringOptions` or :class:`kammerton.instruments.InstrumentOptions`.

    Returns
    -------
    Checked

    Raises
    ------
    OptionError
        If a path does not exist, or there is no file among them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = pathlib.Path(folder, "song.lab").write_text("0 2 C:mja7")
    ...     found = check("chords", folder)
    >>> found.diagnostics[0].code, found.has_findings()
    ('KT312', True)
    """
    found = find_task(task)
    reading = without_sides(options_of(found, options))
    files: dict[str, None] = {}
    loose: dict[str, str | os.PathLike[str] | RemoteSource] = {}
    ignored: list[str] = []
    diagnostics = list(() if found.notices is None else found.notices(reading))
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise OptionError.of_type("path", path, "a path")
        if is_pack(path):
            said: list[Diagnostic] = []
            for name, each in _of_pack(path, found, reading):
                said += each
                files |= {} if name is None else {name: None}
            diagnostics += told_once(said, OF_BLOCKS)
            continue
        listed = find(path, found, reading)
        diagnostics += listed.diagnostics
        ignored += listed.ignored
        loose |= {name_of_source(file) or "": file for each in listed.files.values() for file in each}
    files |= dict.fromkeys(loose)
    if not files and not any(problem.severity == "error" for problem in diagnostics):
        raise OptionError("no annotation files to check", suffixes_read(found.suffixes, ignored))
    for called, file in loose.items():
        diagnostics += _of_file(file, called, found, reading)
    return Checked(found.name, tuple(files), tuple(ignored), tuple(diagnostics))


def _of_pack(
    path: str | os.PathLike[str], task: Task, options: object
) -> Iterator[tuple[str | None, Iterable[Diagnostic]]]:
    """Give what was said when it was packed, and each source with what can be said of it now."""
    pack = opened_pack(path, task, options)
    for number, about in enumerate(pack.record.collections):
        yield None, about.diagnostics
        for item, sources in pack.sources(number).items():
            for _, source in sources:
                reading, file = source.read(), source.file
                yield file, reading.diagnostics
                if file is None and reading.annotations:  # of many in one file, for which the pack stands
                    yield pack.path, _linted_item(task, item, reading.annotations, file, options)
                else:
                    yield file, _linted(task, reading.annotations, file, options)


def _of_file(
    file: str | os.PathLike[str] | RemoteSource, name: str, task: Task, options: object
) -> Iterator[Diagnostic]:
    try:
        with lying_here(file) as path:
            yield from _of_path(path, name, task, options)
    except DataError as error:
        yield from error.diagnostics


def _of_path(path: Path, name: str, task: Task, options: object) -> Iterator[Diagnostic]:
    sheet = None if task.unfold is None else task.unfold(path, name, options)
    if sheet is None:
        reading = task.read(path, name, options)
        yield from reading.diagnostics
        yield from _linted(task, reading.annotations, name, options)
    else:
        yield from sheet.diagnostics
        for item, tracks in sheet.items.items():
            yield from _linted_item(task, item, tracks, name, options)


def _linted_item(
    task: Task, item: str, tracks: Sequence[tuple[str | None, Any]], file: str | None, options: object
) -> Iterator[Diagnostic]:
    for said in _linted(task, tracks, file, options):
        yield said.at(item=item, message=f"{quote(item)}: {said.message}")


def _linted(
    task: Task, tracks: Sequence[tuple[str | None, Any]], file: str | None, options: object
) -> Iterator[Diagnostic]:
    """Give what is odd about annotations that could be read; of several, say whose it is."""
    for number, (annotator, annotation) in enumerate(tracks, 1):
        for found in () if task.lint is None else task.lint(annotation, options):
            several = len(tracks) > 1
            whose = f"annotator {quote(annotator or str(number))}, " if several else ""
            yield found.at(file=file, message=whose + found.message)
