# SPDX-License-Identifier: MIT
"""Convert annotation files between formats, one or a whole tree."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Any

from kammerton.arguments import options_of, without_sides
from kammerton.errors import DataError, Diagnostic, OptionError, OutputError, quote, told_once
from kammerton.formats.atomic import write_atomically
from kammerton.formats.collecting import find
from kammerton.formats.folders import Found, leads_out
from kammerton.formats.packs import is_pack, opened_pack
from kammerton.formats.packs.reading import Pack
from kammerton.formats.packs.unpacking import unpacked
from kammerton.formats.reading import such_rows
from kammerton.formats.remote import RemoteSource, check_here, is_remote, lying_here, shown_path
from kammerton.model.loading import name_of_source
from kammerton.model.packing import OF_BLOCKS
from kammerton.model.registry import find_task
from kammerton.model.task import Conversion, Reading, Task

__all__ = ["Converted", "convert"]

StrPath = str | os.PathLike[str]

_UNFIT_FOR_NAMES = re.compile(r'^\.+|[/\\:*?"<>|\x00-\x1f\x7f]')
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Converted:
    """What a conversion did.

    Parameters
    ----------
    written : tuple of str
        Every file that was written.
    failed : tuple of str
        Every file that was not converted.
    diagnostics : tuple of Diagnostic
        Why, and what else was noticed.
    """

    written: tuple[str, ...]
    failed: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


def convert(
    task: str | Task,
    source: StrPath,
    target: StrPath,
    *,
    to: str | None = None,
    annotator: str | None = None,
    force: bool = False,
    options: object | None = None,
) -> Converted:
    """Convert a file, or every file of a folder.

    Parameters
    ----------
    task : str or Task
        ``"chords"``, ``"fingering"``, ``"instruments"``, or the name of a third party's task, which its
        package declares; or the :class:`kammerton.tasks.Task` record of one.
    source : path
        A file, a folder whose tree is kept, a pack, or the address of any of these.
    target : path
        A file, or a folder: one that is there, or a path that ends with a slash. A format that holds
        one annotator gets one file for each: named ``ANNOTATOR`` with the suffix if the source is a
        file, ``ANNOTATOR/ITEM`` if it is a folder; PIG, ``ITEM-NUMBER_fingering.txt``.
    to : str, optional
        The format; by default the suffix of ``target`` tells it. For chords ``lab``, ``jams``,
        ``audacity`` or ``csv``, for fingering ``pig``, ``csv`` or ``musicxml``.
    annotator : str, optional
        Convert this annotator only.
    force : bool
        Whether files that are there already are replaced.
    options : object, optional
        How files are read: a :class:`kammerton.chords.ChordOptions`,
        :class:`kammerton.fingering.FingeringOptions` or :class:`kammerton.instruments.InstrumentOptions`.

    Returns
    -------
    Converted

    Raises
    ------
    OptionError
        If a name or combination is not possible.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     song = pathlib.Path(folder, "song.lab")
    ...     written = song.write_text("0 2 C:maj")
    ...     done = convert("chords", song, song.with_suffix(".csv"))
    ...     print(song.with_suffix(".csv").read_text())
    start,end,label
    0.0,2.0,C:maj
    """
    found = find_task(task)
    if found.conversion is None:
        raise OptionError(f"files of {found.name} cannot be converted")
    if not os.fspath(target):
        raise OptionError("the target is empty", "`.` is the current folder")
    check_here(target)
    reading = without_sides(options_of(found, options))
    pack = opened_pack(source, found, reading) if is_pack(source) else None
    files = None if pack is not None else find(source, found, reading)
    if files is not None:
        files.check_not_empty(shown_path(source), found.suffixes)
    whole = files is None or not files.single
    job = _Job(
        conversion=found.conversion,
        options=reading,
        form=_form(found.conversion, Path(target), to),
        annotator=annotator,
        force=force,
        target=Path(target),
        into_folder=whole or _is_folder(target) or os.fspath(target).endswith(("/", os.sep)),
        whole=whole,
    )
    if not is_remote(source):
        _check_apart(Path(source), Path(target), whole=whole)
    if files is not None:
        job.convert_files(files)
    if pack is not None:
        job.unpack(pack, found)
    said = told_once(job.diagnostics, OF_BLOCKS)
    return Converted(tuple(job.written), tuple(job.failed), (*said, *job.remarks()))


def _form(conversion: Conversion, target: Path, to: str | None) -> str:
    if to is not None:
        if to not in conversion.forms:
            raise OptionError.unknown("format", to, conversion.forms)
        return to
    for form, suffix in conversion.forms.items():
        if target.name.lower().endswith(suffix) and not _is_folder(target):
            return form
    known = ", ".join(conversion.forms)
    raise OptionError(f"the name {quote(target.name)} does not tell the format", f"say it: {known}")


def _is_folder(path: StrPath) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - it does not raise where nothing may be seen


def _check_apart(source: Path, target: Path, *, whole: bool) -> None:
    """Refuse to write what is read, or into the folder that is read, where the next run would read it."""
    if not whole:
        if os.path.isfile(target) and target.samefile(source):  # noqa: PTH113 - as above
            raise OptionError("source and target are the same file")
        return
    if os.path.exists(target) and not _is_folder(target):  # noqa: PTH110 - as above
        raise OptionError(f"{quote(os.fspath(target))} is a file, and the source a folder")
    if Path(os.path.realpath(target)).is_relative_to(os.path.realpath(source)):
        raise OptionError("the target lies within the source", "write to another folder")


@dataclass(slots=True, kw_only=True)
class _Job:
    """Converts file after file, and remembers what became of each."""

    conversion: Conversion
    options: object
    form: str
    annotator: str | None
    force: bool
    target: Path
    into_folder: bool
    whole: bool
    diagnostics: list[Diagnostic] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    _remarks: Counter[Diagnostic] = field(default_factory=Counter)
    """What is true of so many files."""

    def remarks(self) -> Iterator[Diagnostic]:
        """Give what readers of the files must know, each once."""
        for remark, files in self._remarks.items():
            yield remark.at(message=remark.message + such_rows(files, "files"), count=files)

    def convert_files(self, files: Found[Any]) -> None:
        """Convert every file; if one fails, the others still go on."""
        self.diagnostics += files.diagnostics
        for item, paths in files.files.items():
            names = [name_of_source(path) or "" for path in paths]
            if len(paths) > 1:
                self.failed += names
            else:
                self._convert(names[0], item, self._load(paths[0], names[0]))

    def _load(self, file: StrPath | RemoteSource, name: str) -> Reading[Any]:
        try:
            with lying_here(file) as path:
                return self.conversion.load(path, name, self.options)
        except DataError as error:
            return Reading((), error.diagnostics)

    def unpack(self, pack: Pack, task: Task) -> None:
        """Write what a pack holds as files; each is called as that from which it was read."""
        for about in pack.record.collections:
            self.diagnostics += about.diagnostics
        for stem, name, reading in unpacked(pack, task):
            tracks = [(who, self.conversion.track(each, who, name)) for who, each in reading.annotations]
            self._convert(name, stem, Reading(tuple(tracks), reading.diagnostics))

    def _convert(self, name: str, item: str, reading: Reading[Any]) -> None:
        """Write what was read of a file, if anything was, and to a place below the target."""
        self.diagnostics += reading.diagnostics
        if leads_out(item):
            message = f"name of an item leads out of the folder: {quote(item)}"
            self.diagnostics.append(Diagnostic(code="KT727", severity="error", message=message, file=name))
        if leads_out(item) or not reading.annotations:
            self.failed.append(name)
            return
        try:
            for place, text in self._outputs(name, item, reading):
                self._write(place, text)
            if self.conversion.remark is not None:
                told = (self.conversion.remark(track, self.form) for _, track in self._chosen(name, reading))
                self._remarks.update(dict.fromkeys(chain(*told)).keys())
        except DataError as error:
            self.diagnostics += error.diagnostics
            self.failed.append(name)
        except OutputError as error:
            self.diagnostics.append(_as_diagnostic(error, name))
            self.failed.append(name)

    def _outputs(self, name: str, item: str, reading: Reading[Any]) -> list[tuple[Path, str]]:
        """Return every file that is to be written for one that was read, complete before any is."""
        tracks = self._chosen(name, reading)
        render, form = self.conversion.render, self.form
        if len(tracks) == 1 or form in self.conversion.joint:
            place = self.target / self._named(item) if self.into_folder else self.target
            return [(place, render([track for _, track in tracks], form))]
        if not self.into_folder:
            raise DataError([_several(name, form, [annotator for annotator, _ in tracks])])
        places = self._places(name, item, [annotator for annotator, _ in tracks])
        return [(place, render([track], form)) for place, (_, track) in zip(places, tracks, strict=True)]

    def _places(self, name: str, item: str, annotators: Sequence[str]) -> list[Path]:
        """Return the file of each annotator of an item."""
        of_format = self.conversion.stems
        stems = None if of_format is None else of_format(item, annotators, self.form)
        if stems is None:
            names = _file_names(annotators)
            stems = [f"{name}/{item}" for name in names] if self.whole else names
        else:
            whose = zip(annotators, stems, strict=True)
            told = ", ".join(f"{quote(each)} in {quote(self._named(stem))}" for each, stem in whose)
            message = f"{len(annotators)} annotators: {told}"
            self.diagnostics.append(Diagnostic(code="KT395", severity="note", message=message, file=name))
        return [self.target / self._named(stem) for stem in stems]

    def _named(self, stem: str) -> str:
        return f"{stem}{self.conversion.forms[self.form]}"

    def _chosen(self, name: str, reading: Reading[Any]) -> list[tuple[str, Any]]:
        tracks = [(told or str(place), track) for place, (told, track) in enumerate(reading.annotations, 1)]
        if self.annotator is None:
            return tracks
        chosen = [(told, track) for told, track in tracks if told == self.annotator]
        if not chosen:
            hint = f"annotators: {', '.join(quote(told) for told, _ in tracks)}"
            message = f"no annotator {quote(self.annotator)}"
            raise DataError(
                [Diagnostic(code="KT212", severity="error", message=message, file=name, hint=hint)]
            )
        return chosen[:1]

    def _write(self, place: Path, text: str) -> None:
        shown = quote(os.fspath(place))
        if self.into_folder:
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise OutputError(f"KT501 cannot write {shown}: {(error.strerror or '').lower()}") from error
        if os.path.lexists(place) and not self.force and (place.is_file() or place.is_symlink()):
            raise OutputError(f"KT503 cannot write {shown}: it is there already\n  help: --force replaces it")
        write_atomically(place, text.encode("utf-8", "surrogateescape"), clear=not self.into_folder)
        self.written.append(os.fspath(place))


def _several(name: str, form: str, annotators: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        code="KT206",
        severity="error",
        message=f"{len(annotators)} annotations in one file, and {form} holds one",
        file=name,
        hint="--annotator chooses one; a path that ends with a slash, as `out/`, is a folder for all; "
        f"annotators: {', '.join(map(quote, annotators))}",
    )


def _file_names(annotators: Sequence[str]) -> list[str]:
    """Return a file name for each annotator; names come from other people's files."""
    names: list[str] = []
    for place, annotator in enumerate(annotators, 1):
        stem = _UNFIT_FOR_NAMES.sub("_", annotator)[:_LONGEST_NAME].strip() or str(place)
        numbered = (f"{stem}-{number}" for number in count(place))
        taken = set(map(str.casefold, names))
        names.append(next(name for name in chain([stem], numbered) if name.casefold() not in taken))
    return names


def _as_diagnostic(error: OutputError, name: str) -> Diagnostic:
    first, *rest = str(error).split("\n")
    code, _, message = first.partition(" ")
    hint = " ".join(line.strip().removeprefix("help: ") for line in rest) or None
    return Diagnostic(code=code, severity="error", message=message, file=name, hint=hint)
