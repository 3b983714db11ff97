# SPDX-License-Identifier: MIT
"""Convert and pack annotation files."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Any

from kammerton.api.scoring import corpus_of
from kammerton.errors import (
    DataError,
    Diagnostic,
    OptionError,
    OutputError,
    merge_repeated,
    outcome_text,
    plural,
    quote,
    some,
)
from kammerton.formats.collecting import collect, find
from kammerton.formats.folders import FoundItems, leads_out
from kammerton.formats.pack_layout import CollectionRole, with_roles
from kammerton.formats.packs import Pack, PackWriter, is_pack, new_pack, opened_pack, unpacked
from kammerton.formats.reading import options_of, read_record, such_rows, without_sides
from kammerton.formats.remote import check_here, is_remote, lying_here, shown_path
from kammerton.formats.writing import already_there, write_atomically
from kammerton.model.corpus import Collection, name_of_source
from kammerton.model.registry import TaskName, find_task
from kammerton.model.task import OF_BLOCKS, Conversion, ItemReadings, Options, Task
from kammerton.scoring.loading import read_source
from kammerton.systems.provenance import with_making

StrPath = str | os.PathLike[str]
_UNFIT_FOR_NAMES = re.compile(r'^\.+|[/\\:*?"<>|\x00-\x1f\x7f]')
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Converted:
    """The outcome of a conversion.

    Examples
    --------
    >>> import tempfile, kammerton
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kammerton.convert("chords", kammerton.example("chords").references, f"{folder}/jams", to="jams")
    4 files written, 0 not converted
    """

    written: tuple[str, ...]  # every file that was written
    failed: tuple[str, ...]  # every file that was not converted
    diagnostics: tuple[Diagnostic, ...]  # why, and other problems

    def __repr__(self) -> str:
        """Return how many files were written, and the problems."""
        head = f"{plural(len(self.written), 'file')} written, {len(self.failed):,} not converted"
        return outcome_text(head, self.diagnostics)


def convert(
    task: TaskName | Task,
    source: StrPath | Mapping[str, StrPath],
    target: StrPath,
    *,
    to: str | None = None,
    annotator: str | None = None,
    force: bool = False,
    options: Options | None = None,
) -> Converted:
    """Convert files: each to another, many into one, or one into many.

    Parameters
    ----------
    task : str or Task
        ``"chords"``, ``"fingering"``, ``"instruments"``, or the name of a third party's task, which its
        package declares; or the :class:`kammerton.tasks.Task` record of one.
    source : path, or mapping of str to path
        A file, a folder whose tree is kept, a pack, or the address of any of these. Several are those of
        annotators, by name: their annotations of an item are put together.
    target : path
        A file, or a folder: one that is there, or a path that ends with a slash. A file takes all items of
        a folder, or of several sources, if its format holds many: csv, qrels, run. In a folder each item has
        a file of its own, called as the item is, also those of a source that is one table of many. A
        format that holds one annotator gets one file for each: ``ANNOTATOR/ITEM`` with the suffix, of a
        source that is a file of one item ``ANNOTATOR``; PIG, ``ITEM-NUMBER_fingering.txt``.
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
    named: Mapping[Any, StrPath] = source if isinstance(source, Mapping) else {None: source}
    sources = [_Source.open(name, path, kind, reading) for name, path in named.items()]
    if not sources:
        raise OptionError("what is to be converted?", "files or folders")
    form = _form(kind.conversion, Path(target), to)
    several = len(sources) > 1 or not sources[0].is_file
    is_file = Path(target).name.lower().endswith(kind.conversion.forms[form]) or not several
    is_folder = _is_folder(target) or os.fspath(target).endswith(("/", os.sep))
    converter = _Converter(
        conversion=kind.conversion,
        options=reading,
        form=form,
        annotator=annotator,
        force=force,
        target=Path(target),
        into_folder=is_folder or not is_file,
    )
    for each in sources:
        _check_apart(each, Path(target), into_folder=converter.into_folder)
    if isinstance(source, Mapping) or (several and not converter.into_folder):
        converter.join(sources, kind)
    else:
        converter.convert(sources[0], kind)
    diagnostics = merge_repeated(converter.diagnostics, OF_BLOCKS)
    failed = tuple(dict.fromkeys(converter.failed))
    return Converted(tuple(converter.written), failed, (*diagnostics, *converter.remarks()))


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


def _check_apart(source: _Source, target: Path, *, into_folder: bool) -> None:
    """Refuse to write what is read, or into the folder that is read, where the next run would read it."""
    if is_remote(source.path):
        return
    if source.is_file:
        if os.path.isfile(target) and target.samefile(source.path):  # noqa: PTH113 - as above
            raise OptionError("source and target are the same file")
        return
    if into_folder and os.path.exists(target) and not _is_folder(target):  # noqa: PTH110 - as above
        raise OptionError(f"{quote(os.fspath(target))} is a file, and the source a folder")
    if Path(os.path.realpath(target)).is_relative_to(os.path.realpath(source.path)):
        raise OptionError("the target lies within the source", "write to another folder")


_Part = tuple[str | None, str | None, Any]
"""An annotation as it is carried over, behind its item, where a file has to name it, and its annotator."""


@dataclass(frozen=True, slots=True)
class _Source:
    """What is to be converted: files, or a pack of them."""

    name: str | None  # of the annotator
    path: StrPath
    files: FoundItems[Any] | None
    pack: Pack | None

    @classmethod
    def open(cls, name: str | None, path: StrPath, task: Task, options: object) -> _Source:
        """Find what there is at a path."""
        if is_pack(path):
            return cls(name, path, None, opened_pack(path, task, options))
        files = find(path, task, options)
        files.check_not_empty(shown_path(path), task.suffixes)
        return cls(name, path, files, None)

    @property
    def is_file(self) -> bool:
        """Whether it is one file that is no pack."""
        return self.files is not None and self.files.single

    @property
    def made(self) -> str:
        """How a system made what is in the folder, as its record has it; empty if none did."""
        if self.files is None or self.files.single or is_remote(self.path):
            return ""
        made = read_record(Path(self.path)).get("made")
        return made if isinstance(made, str) else ""

    def annotator(self, parts: Sequence[_Part], place: int, of_file: str | None) -> str | None:
        """Return what one annotator of an item is called: as the source is, unless that has several."""
        several = len(parts) > 1
        own = parts[place][1] or of_file or (str(place + 1) if several else None)
        if self.name is None or not (several or of_file):
            return self.name or own
        return f"{self.name}-{own}"


@dataclass(frozen=True, slots=True)
class _Read:
    """What a file gave."""

    file: str
    stem: str  # path below the source, without suffix
    parts: Sequence[_Part]
    diagnostics: tuple[Diagnostic, ...]
    is_table: bool = False  # whether it is of many items
    is_torn: bool = False  # whether some of them cannot be used

    @classmethod
    def of_table(cls, file: str, stem: str, table: ItemReadings[Any]) -> _Read:
        """Return what a table of many items gave."""
        parts = [(item, who, track) for item, tracks in table.items.items() for who, track in tracks]
        has_errors = any(problem.severity == "error" for problem in table.diagnostics)
        return cls(file, stem, parts, table.diagnostics, True, bool(table.broken) or has_errors)


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
    diagnostics: list[Diagnostic] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    _remarks: Counter[Diagnostic] = field(default_factory=Counter)  # with the number of files
    _numbers: dict[str, str] = field(default_factory=dict)  # of annotators, where names of files have these

    def remarks(self) -> Iterator[Diagnostic]:
        """Yield what readers of the files must know, each once."""
        for remark, files in self._remarks.items():
            yield remark.at(message=remark.message + such_rows(files, "files"), count=files)

    def convert(self, source: _Source, task: Task) -> None:
        """Convert the files of a source, each to another, or to one for each of its items."""
        of_many = self.form in self.conversion.sheets
        for read in self._reads(source, task):
            splits = read.is_table and self.into_folder and (source.is_file or not of_many)
            if not read.parts or (read.is_torn and not splits):
                self.failed.append(read.file)
            elif not splits:
                self._convert(read.file, read.stem, read.parts, whole=not source.is_file)
            else:
                self.failed += [read.file] if read.is_torn else []
                above = "" if source.is_file else f"{read.stem}/"
                apart = len({annotator for _, annotator, _ in read.parts}) > 1
                for item, parts in _by_item(read.parts).items():
                    named = parts if of_many else [(None, *part[1:]) for part in parts]
                    self._convert(read.file, above + item, named, apart=apart)

    def join(self, sources: Sequence[_Source], task: Task) -> None:
        """Put the annotations of each item together, and those of all items if there is one file for them."""
        joined: dict[tuple[str, str | None], Any] = {}
        files: dict[str, str] = {}  # the first one of each item
        are_files = all(source.is_file for source in sources)
        for source in sources:
            for read in self._reads(source, task):
                stem, own = task.identify(read.stem)
                if are_files and len(files) == 1:  # files of one item, whatever they are called
                    stem = next(iter(files))
                tracks = {
                    (item, source.annotator(parts, place, own)): part[2]
                    for item, parts in _by_item(read.parts, stem).items()
                    for place, part in enumerate(parts)
                }
                if not tracks or read.is_torn:
                    self.failed.append(read.file)
                elif again := [item for item, who in tracks if (item, who) in joined]:
                    self.diagnostics.append(_twice(again[0], read.file, files[again[0]]))
                    self.failed.append(read.file)
                else:
                    joined |= tracks
                    files = {item: read.file for item, _ in tracks} | files
        parts = [(item, who, track) for (item, who), track in joined.items()]
        if not self.into_folder and parts:
            self._convert(os.fspath(self.target), parts[0][0], self._named(parts))
        elif self.into_folder:
            for item, of_item in _by_item(parts).items():
                self._convert(files[item], item, self._named(of_item), apart=True)

    def _named(self, parts: Sequence[_Part]) -> Sequence[_Part]:
        """Return annotations with their items, or without if there is one, and the format names none."""
        names_items = self.form in self.conversion.sheets | self.conversion.joint
        one = len({item for item, _, _ in parts}) == 1
        return [(None, who, track) for _, who, track in parts] if one and not names_items else parts

    def _reads(self, source: _Source, task: Task) -> Iterator[_Read]:
        """Read every file; if one fails, the others still go on."""
        if source.pack is not None:
            for collection in source.pack.record.collections:
                self.diagnostics += collection.diagnostics
            for stem, name, reading in unpacked(source.pack, task):
                self.diagnostics += reading.diagnostics
                track = self.conversion.track
                parts = [(None, who, track(annotation, who, name)) for who, annotation in reading.annotations]
                yield _Read(name, stem, parts, reading.diagnostics)
            return
        assert source.files is not None, "a source is a pack, or has files"
        self.diagnostics += source.files.diagnostics
        made = source.made
        for stem, paths in source.files.files.items():
            names = [name_of_source(path) or "" for path in paths]
            if len(paths) > 1:
                self.failed += names
                continue
            try:
                with lying_here(paths[0]) as here:
                    read = self._read(here, names[0], stem, task, made)
            except DataError as error:
                read = _Read(names[0], stem, (), error.diagnostics)
            self.diagnostics += read.diagnostics
            yield read

    def _read(self, path: Path, name: str, stem: str, task: Task, made: str) -> _Read:
        unfold = self.conversion.unfold if task.unfolder(path.name) else None
        table = None if unfold is None else unfold(path, name, self.options)
        if table is not None:
            return _Read.of_table(name, stem, table)
        reading = self.conversion.load(path, name, self.options)
        parts = [
            (None, who, with_making(track, made) if made and self.form == "jams" else track)
            for who, track in reading.annotations
        ]
        return _Read(name, stem, parts, reading.diagnostics)

    def _convert(
        self, name: str, item: str, parts: Sequence[_Part], *, whole: bool = True, apart: bool = False
    ) -> None:
        """Write annotations to a place below the target, all files of it or none.

        ``whole`` says that there are other items, and ``apart`` that there are other annotators, so that
        names of files have both.
        """
        try:
            if leads_out(item):
                raise DataError.of("KT727", f"name of an item leads out of the folder: {quote(item)}", name)
            chosen = self._chosen(name, parts)
            outputs = self._outputs(name, item, chosen, whole=whole, apart=apart)
            for place, _ in outputs:
                if not self.force and (place.is_file() or place.is_symlink()):
                    raise already_there(quote(os.fspath(place)))
            for place, text in outputs:
                self._write(place, text)
            if self.conversion.remark is not None:
                remarks = (self.conversion.remark(track, self.form) for track in self._tracks(chosen))
                self._remarks.update(dict.fromkeys(chain(*remarks)).keys())
        except DataError as error:
            self.diagnostics += error.diagnostics
            self.failed.append(name)
        except OutputError as error:
            self.diagnostics.append(_as_diagnostic(error, name))
            self.failed.append(name)

    def _tracks(self, parts: Sequence[_Part]) -> Sequence[Any]:
        """Return what is written: with their items in the file where it has to name them."""
        gather, of_items = self.conversion.gather, [part for part in parts if part[0] is not None]
        return [track for _, _, track in parts] if gather is None or not of_items else gather(parts)  # type: ignore[arg-type]

    def _outputs(
        self, name: str, item: str, parts: Sequence[_Part], *, whole: bool, apart: bool
    ) -> list[tuple[Path, str]]:
        """Return every file to write, all of them before any is written."""
        render, form = self.conversion.render, self.form
        items = dict.fromkeys(part[0] for part in parts)
        if len(items) > 1 and form not in self.conversion.sheets:
            raise DataError([_too_many(name, form, "items", "items", list(map(str, items)))])
        holds_all = form in self.conversion.joint or None not in items
        if (len(parts) == 1 and not apart) or holds_all:
            place = self.target / self._file_name(item) if self.into_folder else self.target
            return [(place, render(self._tracks(parts), form))]
        annotators = [annotator or str(place) for place, (_, annotator, _) in enumerate(parts, 1)]
        if not self.into_folder:
            problem = _too_many(name, form, "annotations", "annotators", annotators)
            raise DataError([problem.at(hint=f"--annotator chooses one; {problem.hint}")])
        places = self._places(name, item, annotators, whole=whole)
        return [(place, render([track], form)) for place, (_, _, track) in zip(places, parts, strict=True)]

    def _places(self, name: str, item: str, annotators: Sequence[str], *, whole: bool) -> list[Path]:
        """Return the file of each annotator of an item."""
        stems = None
        if self.conversion.stems is not None:
            numbers = [self._numbers.setdefault(name, str(len(self._numbers) + 1)) for name in annotators]
            are_numbers = all(name.isascii() and name.isdecimal() for name in annotators)
            stems = self.conversion.stems(item, annotators if are_numbers else numbers, self.form)
        if stems is None:
            names = _file_names(annotators)
            stems = [f"{name}/{item}" for name in names] if whole else names
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

    def _chosen(self, name: str, parts: Sequence[_Part]) -> Sequence[_Part]:
        """Return the annotations of the annotator that was chosen, or all."""
        if self.annotator is None:
            return parts
        annotators = [annotator or str(place) for place, (_, annotator, _) in enumerate(parts, 1)]
        chosen = [part for who, part in zip(annotators, parts, strict=True) if who == self.annotator]
        if not chosen:
            hint = f"annotators: {', '.join(map(quote, dict.fromkeys(annotators)))}"
            raise DataError.of("KT212", f"no annotator {quote(self.annotator)}", name, hint)
        return chosen if chosen[0][0] is not None else chosen[:1]

    def _write(self, place: Path, text: str) -> None:
        if self.into_folder:
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                reason = (error.strerror or "").lower()
                raise OutputError(f"KT501 cannot write {quote(os.fspath(place))}: {reason}") from error
        write_atomically(place, text.encode("utf-8", "surrogateescape"), clear=not self.into_folder)
        self.written.append(os.fspath(place))


def _by_item(parts: Iterable[_Part], name: str = "") -> dict[str, list[_Part]]:
    """Return the parts of each item; those that name none are of one that is called ``name``."""
    by_item: dict[str, list[_Part]] = {}
    for part in parts:
        by_item.setdefault(name if part[0] is None else part[0], []).append(part)
    return by_item


def _twice(item: str, file: str, other: str) -> Diagnostic:
    message = f"another annotation of {quote(item)}, beside that in {quote(other)}"
    return Diagnostic("KT201", "error", message, file=file, hint="name annotators apart: NAME=PATH")


def _too_many(name: str, form: str, what: str, whose: str, names: Sequence[str]) -> Diagnostic:
    folder = "a path that ends with a slash, as `out/`, is a folder for all"
    message = f"{len(names)} {what} in one file, and {form} holds one"
    return Diagnostic("KT206", "error", message, file=name, hint=f"{folder}; {whose}: {some(names, 20)}")


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
    """Counts of a pack, and the problems of what was packed.

    Examples
    --------
    >>> import tempfile, kammerton
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kammerton.pack("chords", kammerton.example("chords").references, f"{folder}/songs.parquet").rows
    85
    """

    items: int  # items of all collections, usable or not
    # annotations, rows: annotations, and rows, notes or labels in them
    annotations: int
    rows: int
    broken: int  # sources and items that cannot be used; the pack has the reasons
    bytes: int  # size of the pack
    diagnostics: tuple[Diagnostic, ...]  # problems, of sources the first thousand
    counts: dict[str, int]  # how many errors, warnings and notes there were

    def __repr__(self) -> str:
        """Return how much was packed, and the problems."""
        parts = (plural(self.items, "item"), plural(self.annotations, "annotation"), plural(self.rows, "row"))
        head = f"{', '.join(parts)} in {self.bytes:,} bytes, {self.broken:,} broken"
        return outcome_text(head, self.diagnostics)


def pack(
    task: TaskName | Task,
    source: Any = None,
    target: StrPath | None = None,
    *,
    pairs: StrPath | None = None,
    force: bool = False,
    options: Options | None = None,
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
        raise OptionError("no output file is given", "the path of a file, OUT.parquet")
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
