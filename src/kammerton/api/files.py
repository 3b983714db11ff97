# SPDX-License-Identifier: MIT
"""Check, convert and pack annotation files."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Any

from kammerton.api.scoring import corpus_of, options_of, without_sides
from kammerton.errors import DataError, Diagnostic, OptionError, OutputError, merge_repeated, quote
from kammerton.formats.collecting import collect, find
from kammerton.formats.folders import FoundItems, leads_out, suffixes_read
from kammerton.formats.packs import is_pack, new_pack, opened_pack
from kammerton.formats.packs.layout import Role
from kammerton.formats.packs.pack import Pack, unpacked
from kammerton.formats.packs.packing import PackWriter
from kammerton.formats.reading import such_rows
from kammerton.formats.remote import RemoteSource, check_here, is_remote, lying_here, shown_path
from kammerton.formats.writing import write_atomically
from kammerton.model.corpus import Collection, name_of_source
from kammerton.model.registry import find_task
from kammerton.model.task import OF_BLOCKS, Conversion, Reading, Task
from kammerton.scoring.loading import read_source
from kammerton.version import __version__

__all__ = ["Checked", "Converted", "Packed", "check", "convert", "pack"]


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in annotation files."""

    task: str  # name of the task
    files: tuple[str, ...]  # every file that was read
    ignored: tuple[str, ...]  # what was passed over in folders
    diagnostics: tuple[Diagnostic, ...]  # every problem of every file

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
    """Read annotation files and report everything that is wrong or odd about them.

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
    kind = find_task(task)
    reading = without_sides(options_of(kind, options))
    files: dict[str, None] = {}
    loose: dict[str, str | os.PathLike[str] | RemoteSource] = {}
    ignored: list[str] = []
    diagnostics = list(() if kind.notices is None else kind.notices(reading))
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise OptionError.of_type("path", path, "a path")
        if is_pack(path):
            of_pack: list[Diagnostic] = []
            for name, noticed in _of_pack(path, kind, reading):
                of_pack += noticed
                files |= {} if name is None else {name: None}
            diagnostics += merge_repeated(of_pack, OF_BLOCKS)
            continue
        listed = find(path, kind, reading)
        diagnostics += listed.diagnostics
        ignored += listed.ignored
        loose |= {
            name_of_source(file) or "": file
            for files_of_item in listed.files.values()
            for file in files_of_item
        }
    files |= dict.fromkeys(loose)
    if not files and not any(problem.severity == "error" for problem in diagnostics):
        raise OptionError("no annotation files to check", suffixes_read(kind.suffixes, ignored))
    for called, file in loose.items():
        diagnostics += _of_file(file, called, kind, reading)
    return Checked(kind.name, tuple(files), tuple(ignored), tuple(diagnostics))


def _of_pack(
    path: str | os.PathLike[str], task: Task, options: object
) -> Iterator[tuple[str | None, Iterable[Diagnostic]]]:
    """Give the diagnostics of packing, and each source with those of reading it now."""
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
    for diagnostic in _linted(task, tracks, file, options):
        yield diagnostic.at(item=item, message=f"{quote(item)}: {diagnostic.message}")


def _linted(
    task: Task, tracks: Sequence[tuple[str | None, Any]], file: str | None, options: object
) -> Iterator[Diagnostic]:
    """Give what is odd about annotations that could be read; of several, with the annotator."""
    for number, (annotator, annotation) in enumerate(tracks, 1):
        for diagnostic in () if task.lint is None else task.lint(annotation, options):
            several = len(tracks) > 1
            whose = f"annotator {quote(annotator or str(number))}, " if several else ""
            yield diagnostic.at(file=file, message=whose + diagnostic.message)


StrPath = str | os.PathLike[str]
_UNFIT_FOR_NAMES = re.compile(r'^\.+|[/\\:*?"<>|\x00-\x1f\x7f]')
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Converted:
    """What a conversion did."""

    written: tuple[str, ...]  # every file that was written
    failed: tuple[str, ...]  # every file that was not converted
    diagnostics: tuple[Diagnostic, ...]  # why, and what else was noticed


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
        Format to write; by default that of the suffix of the target. For chords ``lab``, ``jams``,
        ``audacity`` or ``csv``, for fingering ``pig``, ``csv`` or ``musicxml``.
    annotator : str, optional
        Convert this annotator only.
    force : bool
        Replace files that exist already.
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
    kind = find_task(task)
    if kind.conversion is None:
        raise OptionError(f"files of {kind.name} cannot be converted")
    if not os.fspath(target):
        raise OptionError("the target is empty", "`.` is the current folder")
    check_here(target)
    reading = without_sides(options_of(kind, options))
    pack = opened_pack(source, kind, reading) if is_pack(source) else None
    files = None if pack is not None else find(source, kind, reading)
    if files is not None:
        files.check_not_empty(shown_path(source), kind.suffixes)
    whole = files is None or not files.single
    job = _Job(
        conversion=kind.conversion,
        options=reading,
        form=_form(kind.conversion, Path(target), to),
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
        job.unpack(pack, kind)
    diagnostics = merge_repeated(job.diagnostics, OF_BLOCKS)
    return Converted(tuple(job.written), tuple(job.failed), (*diagnostics, *job.remarks()))


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

    def convert_files(self, files: FoundItems[Any]) -> None:
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
            tracks = [
                (who, self.conversion.track(annotation, who, name)) for who, annotation in reading.annotations
            ]
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
                remarks = (
                    self.conversion.remark(track, self.form) for _, track in self._chosen(name, reading)
                )
                self._remarks.update(dict.fromkeys(chain(*remarks)).keys())
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
            placed = ", ".join(
                f"{quote(annotator)} in {quote(self._named(stem))}" for annotator, stem in whose
            )
            message = f"{len(annotators)} annotators: {placed}"
            self.diagnostics.append(Diagnostic(code="KT395", severity="note", message=message, file=name))
        return [self.target / self._named(stem) for stem in stems]

    def _named(self, stem: str) -> str:
        return f"{stem}{self.conversion.forms[self.form]}"

    def _chosen(self, name: str, reading: Reading[Any]) -> list[tuple[str, Any]]:
        tracks = [
            (annotator or str(place), track)
            for place, (annotator, track) in enumerate(reading.annotations, 1)
        ]
        if self.annotator is None:
            return tracks
        chosen = [(annotator, track) for annotator, track in tracks if annotator == self.annotator]
        if not chosen:
            hint = f"annotators: {', '.join(quote(annotator) for annotator, _ in tracks)}"
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


_LISTED = 1000
"""Problems of packed sources that are returned at most; all of them are in the pack."""


@dataclass(frozen=True, slots=True)
class Packed:
    """What was packed."""

    items: int  # items of all collections, usable or not
    # annotations, rows: annotations, and rows, notes or labels in them
    annotations: int
    rows: int
    broken: int  # sources and items that cannot be used; the pack has why
    bytes: int  # size of the pack
    diagnostics: tuple[Diagnostic, ...]  # what was noticed, the first thousand problems of sources
    counts: dict[str, int]  # how many errors, warnings and notes there were


def pack(
    task: str | Task,
    source: Any = None,
    target: StrPath | None = None,
    *,
    pairs: StrPath | None = None,
    force: bool = False,
    options: object | None = None,
) -> Packed:
    """Read annotations, and write them into one file that every verb takes in their place.

    Parameters
    ----------
    task : str or Task
        ``"chords"``, ``"fingering"``, ``"instruments"``, or the name of a third party's task, which its
        package declares; or the :class:`kammerton.tasks.Task` record of one.
    source : path or mapping, optional
        A folder, a file, or a mapping of items, as for :func:`kammerton.score`.
    target : path
        The file, called ``.parquet``.
    pairs : path, optional
        List of pairs in place of the folder: all annotators and systems go into one file, which is then a
        list of pairs itself.
    force : bool
        Replace a file that exists already.
    options : object, optional
        How files are read. Those options that decide what is made of labels have to be the same when the
        pack is used.

    Returns
    -------
    Packed

    Raises
    ------
    OptionError
        If a name or combination is not possible.
    DataError
        If there is nothing that can be read at all.
    OutputError
        If the file cannot be written, or is there already (KT503). What stood there still does.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from kammerton import score
    >>> songs = {"song": ([(0, 2), (2, 4)], ["C", "G:7"])}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     packed = pack("chords", songs, pathlib.Path(folder, "songs.parquet"))
    ...     scores = score("chords", pathlib.Path(folder, "songs.parquet"), {"same": songs})
    >>> packed.items, packed.rows, scores.value("mirex2013/MajMin")
    (1, 2, 1.0)
    """
    kind = find_task(task)
    reading = options_of(kind, options)
    if kind.packing is None:
        raise OptionError(f"annotations of {kind.name} cannot be packed")
    if target is None:
        raise OptionError("where to?", "the path of a file, OUT.parquet")
    collections = _collections(kind, source, pairs, reading)
    check_target(target, force=force)
    job = _PackingJob(kind, reading)
    with new_pack(target, kind, reading) as writer:
        for collection, role in collections:
            writer.begin(collection, role)
            job.pack(collection, writer)
        job.check(writer)
    return job.done(writer, collections, Path(target).stat().st_size)


def check_target(target: StrPath, *, force: bool) -> None:
    """Refuse a target that is there, or that nobody would take for a pack."""
    check_here(target)
    shown = quote(os.fsdecode(target))
    if Path(target).suffix.lower() != ".parquet":
        raise OptionError(f"the name of a pack ends in .parquet: {shown}")
    if os.path.lexists(target) and not force:
        raise OutputError(f"KT503 cannot write {shown}: it is there already\n  help: --force replaces it")


def _collections(
    task: Task, source: Any, pairs: StrPath | None, options: object
) -> list[tuple[Collection, Role]]:
    if pairs is None:
        if source is None:
            raise OptionError("what is to be packed?", "a folder, or a list of pairs: --pairs")
        plain = without_sides(options)
        return [(collect(source, name=None, default_name="annotations", task=task, options=plain), "")]
    corpus = corpus_of(task, source, None, {}, pairs, options)
    references: list[tuple[Collection, Role]] = [(each, "reference") for each in corpus.references]
    return [*references, *((each, "system") for each in corpus.systems)]


class _PackingJob:
    """Packs collection after collection, and remembers what was wrong."""

    def __init__(self, task: Task, options: object) -> None:
        self._task = task
        self._options = options
        self._diagnostics: list[Diagnostic] = []
        self._counts: Counter[str] = Counter()

    def pack(self, collection: Collection, writer: PackWriter) -> None:
        """Read every source, and hand it on."""
        self._diagnostics += collection.diagnostics
        self._counts.update(diagnostic.severity for diagnostic in collection.diagnostics)
        for item, annotator, source, reading in self._readings(collection):
            writer.add(item, annotator, name_of_source(source), reading)
            self._counts.update(diagnostic.severity for diagnostic in reading.diagnostics)
            room = max(0, _LISTED - len(self._diagnostics))
            self._diagnostics += [diagnostic.at(item=item) for diagnostic in reading.diagnostics[:room]]

    def _readings(self, collection: Collection) -> Iterator[tuple[str, str | None, object, Reading[Any]]]:
        for item, sources in collection.sources.items():
            for annotator, source in sources:
                yield (
                    item,
                    annotator,
                    source,
                    read_source(self._task, source, item, collection.read_by(self._options)),
                )

    def check(self, writer: PackWriter) -> None:
        """Refuse to write a pack of nothing."""
        if not writer.written.annotations:
            raise DataError(self._merged())

    def done(self, writer: PackWriter, collections: list[tuple[Collection, Role]], size: int) -> Packed:
        """Return what was packed."""
        written = writer.written
        items = {item for collection, _ in collections for item in collection.items}
        broken = sum(len(collection.broken) for collection, _ in collections) + written.failed
        diagnostics = tuple(self._merged())
        return Packed(
            len(items), written.annotations, written.rows, broken, size, diagnostics, dict(self._counts)
        )

    def _merged(self) -> list[Diagnostic]:
        return merge_repeated(self._diagnostics, OF_BLOCKS)
