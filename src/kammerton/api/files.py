# SPDX-License-Identifier: MIT
"""Convert and pack annotation files."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Any

from kammerton.api.scoring import corpus_of
from kammerton.errors import DataError, Diagnostic, OptionError, OutputError, merge_repeated, quote
from kammerton.formats.collecting import collect, find
from kammerton.formats.folders import FoundItems, leads_out
from kammerton.formats.pack_layout import CollectionRole, with_roles
from kammerton.formats.packs import Pack, PackWriter, is_pack, new_pack, opened_pack, unpacked
from kammerton.formats.reading import options_of, such_rows, without_sides
from kammerton.formats.remote import check_here, is_remote, lying_here, shown_path
from kammerton.formats.writing import already_there, write_atomically
from kammerton.model.corpus import Collection, name_of_source
from kammerton.model.registry import find_task
from kammerton.model.task import OF_BLOCKS, Conversion, Reading, Task
from kammerton.scoring.loading import read_source

StrPath = str | os.PathLike[str]
_UNFIT_FOR_NAMES = re.compile(r'^\.+|[/\\:*?"<>|\x00-\x1f\x7f]')
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Converted:
    """The outcome of a conversion."""

    written: tuple[str, ...]  # every file that was written
    failed: tuple[str, ...]  # every file that was not converted
    diagnostics: tuple[Diagnostic, ...]  # why, and other problems


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
    converter = _Converter(
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
        converter.convert_files(files)
    if pack is not None:
        converter.unpack(pack, kind)
    diagnostics = merge_repeated(converter.diagnostics, OF_BLOCKS)
    return Converted(tuple(converter.written), tuple(converter.failed), (*diagnostics, *converter.remarks()))


def _form(conversion: Conversion, target: Path, to: str | None) -> str:
    if to is not None:
        if to not in conversion.forms:
            raise OptionError.unknown("format", to, conversion.forms)
        return to
    for form, suffix in conversion.forms.items():
        if target.name.lower().endswith(suffix) and not _is_folder(target):
            return form
    known = ", ".join(conversion.forms)
    raise OptionError(f"the name {quote(target.name)} has no suffix of a format", f"--to names one: {known}")


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
class _Converter:
    """Converts file after file, and lists those that were written, and those that failed."""

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
    _remarks: Counter[Diagnostic] = field(default_factory=Counter)  # with the number of files

    def remarks(self) -> Iterator[Diagnostic]:
        """Yield what readers of the files must know, each once."""
        for remark, files in self._remarks.items():
            yield remark.at(message=remark.message + such_rows(files, "files"), count=files)

    def convert_files(self, files: FoundItems[Any]) -> None:
        """Convert every file; if one fails, the others still go on."""
        self.diagnostics += files.diagnostics
        for item, paths in files.files.items():
            names = [name_of_source(path) or "" for path in paths]
            if len(paths) > 1:
                self.failed += names
                continue
            try:
                with lying_here(paths[0]) as here:
                    reading = self.conversion.load(here, names[0], self.options)
            except DataError as error:
                reading = Reading((), error.diagnostics)
            self._convert(names[0], item, reading)

    def unpack(self, pack: Pack, task: Task) -> None:
        """Write the annotations of a pack to files; each has the name of the file that it was read from."""
        for collection in pack.record.collections:
            self.diagnostics += collection.diagnostics
        for stem, name, reading in unpacked(pack, task):
            tracks = [
                (who, self.conversion.track(annotation, who, name)) for who, annotation in reading.annotations
            ]
            self._convert(name, stem, Reading(tuple(tracks), reading.diagnostics))

    def _convert(self, name: str, item: str, reading: Reading[Any]) -> None:
        """Write the annotations of a file, if it has any, to a place below the target."""
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
        """Return every file to write for one that was read, all of them before any is written."""
        tracks = self._chosen(name, reading)
        render, form = self.conversion.render, self.form
        if len(tracks) == 1 or form in self.conversion.joint:
            place = self.target / self._file_name(item) if self.into_folder else self.target
            return [(place, render([track for _, track in tracks], form))]
        if not self.into_folder:
            raise DataError([_too_many(name, form, [annotator for annotator, _ in tracks])])
        places = self._places(name, item, [annotator for annotator, _ in tracks])
        return [(place, render([track], form)) for place, (_, track) in zip(places, tracks, strict=True)]

    def _places(self, name: str, item: str, annotators: Sequence[str]) -> list[Path]:
        """Return the file of each annotator of an item."""
        stems = None
        if self.conversion.stems is not None:
            stems = self.conversion.stems(item, annotators, self.form)
        if stems is None:
            names = _file_names(annotators)
            stems = [f"{name}/{item}" for name in names] if self.whole else names
        else:
            places = ", ".join(
                f"{quote(annotator)} in {quote(self._file_name(stem))}"
                for annotator, stem in zip(annotators, stems, strict=True)
            )
            message = f"{len(annotators)} annotators: {places}"
            self.diagnostics.append(Diagnostic(code="KT395", severity="note", message=message, file=name))
        return [self.target / self._file_name(stem) for stem in stems]

    def _file_name(self, stem: str) -> str:
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
        if not self.force and (place.is_file() or place.is_symlink()):
            raise already_there(shown)
        write_atomically(place, text.encode("utf-8", "surrogateescape"), clear=not self.into_folder)
        self.written.append(os.fspath(place))


def _too_many(name: str, form: str, annotators: Sequence[str]) -> Diagnostic:
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
    """Counts of a pack, and the problems of what was packed."""

    items: int  # items of all collections, usable or not
    # annotations, rows: annotations, and rows, notes or labels in them
    annotations: int
    rows: int
    broken: int  # sources and items that cannot be used; the pack has the reasons
    bytes: int  # size of the pack
    diagnostics: tuple[Diagnostic, ...]  # problems, of sources the first thousand
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
    _check_target(target, force=force)
    diagnostics: list[Diagnostic] = []
    counts: Counter[str] = Counter()
    with new_pack(target, kind, reading) as writer:
        for collection, role in collections:
            writer.begin(collection, role)
            diagnostics += collection.diagnostics
            counts.update(diagnostic.severity for diagnostic in collection.diagnostics)
            for problems in _pack_sources(collection, kind, reading, writer):
                counts.update(diagnostic.severity for diagnostic in problems)
                diagnostics += problems[: max(0, _LISTED - len(diagnostics))]
        diagnostics = merge_repeated(diagnostics, OF_BLOCKS)
        if not writer.written.annotations:
            raise DataError(diagnostics)
    return Packed(
        items=len({item for collection, _ in collections for item in collection.items}),
        annotations=writer.written.annotations,
        rows=writer.written.rows,
        broken=sum(len(collection.broken) for collection, _ in collections) + writer.written.failed,
        bytes=Path(target).stat().st_size,
        diagnostics=tuple(diagnostics),
        counts=dict(counts),
    )


def _check_target(target: StrPath, *, force: bool) -> None:
    """Refuse a target that is there, or that nobody would take for a pack."""
    check_here(target)
    shown = quote(os.fsdecode(target))
    if Path(target).suffix.lower() != ".parquet":
        raise OptionError(f"the name of a pack ends in .parquet: {shown}")
    if os.path.lexists(target) and not force:
        raise already_there(shown)


def _collections(
    task: Task, source: Any, pairs: StrPath | None, options: object
) -> list[tuple[Collection, CollectionRole]]:
    if pairs is None:
        if source is None:
            raise OptionError("what is to be packed?", "a folder, or a list of pairs: --pairs")
        plain = without_sides(options)
        return [(collect(source, name=None, default_name="annotations", task=task, options=plain), "")]
    corpus = corpus_of(task, source, None, {}, pairs, options)
    return with_roles(corpus)


def _pack_sources(
    collection: Collection, task: Task, options: object, writer: PackWriter
) -> Iterator[list[Diagnostic]]:
    """Pack every source of a collection, and yield the problems of each."""
    for item, sources in collection.sources.items():
        for annotator, source in sources:
            reading = read_source(task, source, item, collection.read_by(options))
            writer.add(item, annotator, name_of_source(source), reading)
            yield [diagnostic.at(item=item) for diagnostic in reading.diagnostics]
