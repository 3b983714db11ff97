# SPDX-License-Identifier: MIT
"""Check annotation files: every problem of every file, without scores."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kammerton.api.check_rules import CheckRules, comments_of, settings_of
from kammerton.errors import (
    DataError,
    Diagnostic,
    OptionError,
    Severity,
    merge_repeated,
    outcome_text,
    plural,
    quote,
)
from kammerton.formats.collecting import find
from kammerton.formats.folders import suffixes_read
from kammerton.formats.packs import is_pack, opened_pack
from kammerton.formats.reading import LISTED_PROBLEMS, MOST_LISTED, options_of, without_sides
from kammerton.formats.remote import RemoteSource, lying_here
from kammerton.model.corpus import name_of_source
from kammerton.model.registry import TaskName, find_task
from kammerton.model.task import OF_BLOCKS, Options, Task, Vocabulary
from kammerton.reporting.explanations import page_of
from kammerton.version import __version__

_Path = str | os.PathLike[str]
_LISTED_OF_ROWS = 1_000
"""Problems of one code that comments of rows are held against."""


@dataclass(frozen=True, slots=True)
class CodeCount:
    """How often there is a problem."""

    code: str
    severity: Severity
    count: int
    files: int  # files that have it
    title: str  # what the code means


@dataclass(frozen=True, slots=True)
class UnknownLabel:
    """A label that is not known."""

    label: str
    nearest: str | None  # the known one that it may mean
    times: int
    files: int  # files that have it


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in annotation files.

    Examples
    --------
    >>> import kammerton
    >>> kammerton.check("chords", kammerton.example("chords").references)
    chords: 4 files checked, problems: none
    """

    task: str  # name of the task
    files: tuple[str, ...]  # every file that was read
    ignored: tuple[str, ...]  # files of folders that were not read
    diagnostics: tuple[Diagnostic, ...]  # every problem of every file, but for those below
    left_out: tuple[Diagnostic, ...] = ()  # problems that were not selected, or ignored, by their codes
    suppressed: tuple[Diagnostic, ...] = ()  # problems that comments in the files ignore
    unusable: tuple[str, ...] = ()  # files that cannot be used, though no error of theirs is reported

    # labels that are not known, if they were asked for, the most frequent first
    unknown_labels: tuple[UnknownLabel, ...] = ()

    def __repr__(self) -> str:
        """Return how many files were checked, and the problems."""
        counts = ", ".join(f"{code} {count:,}" for code, count in _counts(self.diagnostics).items())
        head = f"{self.task}: {plural(len(self.files), 'file')} checked, problems: {counts or 'none'}"
        return outcome_text(head, self.diagnostics)

    def has_findings(self, *, strict: bool = False) -> bool:
        """Return whether there is an error or, if ``strict``, a warning."""
        refused = ("error", "warning") if strict else ("error",)
        return any(diagnostic.severity in refused for diagnostic in self.diagnostics)

    @property
    def statistics(self) -> tuple[CodeCount, ...]:
        """How often there is each problem, the most frequent first."""
        counts: Counter[tuple[str, Severity]] = Counter()
        files: dict[tuple[str, Severity], set[str | None]] = {}
        for problem in self.diagnostics:
            key = problem.code, problem.severity
            counts[key] += problem.count
            files.setdefault(key, set()).add(problem.file)
        return tuple(
            CodeCount(code, severity, count, len(files[code, severity] - {None}), page_of(code)[0])
            for (code, severity), count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "kammerton": __version__,
            "task": self.task,
            "files": len(self.files),
            "ignored": list(self.ignored),
            "left_out": _counts(self.left_out),
            "suppressed": _counts(self.suppressed),
            "unusable": list(self.unusable),
            "statistics": [asdict(row) for row in self.statistics],
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }


def _counts(diagnostics: Iterable[Diagnostic]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for diagnostic in diagnostics:
        counts[diagnostic.code] += diagnostic.count
    return dict(sorted(counts.items()))


def check(
    task: TaskName | Task,
    *paths: _Path,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    severity: Mapping[str, str] | None = None,
    config: _Path | None = None,
    labels: bool = False,
    options: Options | None = None,
) -> Checked:
    """Read annotation files and report everything that is wrong or odd about them.

    Parameters
    ----------
    task : str or Task
        ``"chords"``, ``"fingering"``, ``"instruments"``, or the name of a third party's task, which its
        package declares; or the :class:`kammerton.tasks.Task` record of one.
    *paths : path
        Files, folders of files in any depth, packs, and addresses of any of these.
    select : iterable of str, optional
        Report these codes only, such as KT391, or KT3 for all that begin so.
    ignore : iterable of str, optional
        Leave out these codes, or those that begin so.
    severity : mapping of str to {"error", "warning", "note"}, optional
        Report a code, or those that begin so, as an error, warning or note.
    config : path, optional
        A ``pyproject.toml`` whose table ``tool.kammerton`` says what ``select``, ``ignore`` and ``severity``
        are where they are not given; by default none.
    labels : bool
        Also list the labels of chords or instruments that are not known, as ``unknown_labels``.
    options : object, optional
        How files are read: a :class:`kammerton.chords.ChordOptions`,
        :class:`kammerton.fingering.FingeringOptions` or :class:`kammerton.instruments.InstrumentOptions`.

    Returns
    -------
    Checked

    Raises
    ------
    OptionError
        If a path does not exist, there is no file among them, or no code begins so.
    DataError
        If ``config`` cannot be used (KT250).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = pathlib.Path(folder, "song.lab").write_text("0 2 C:mja7")
    ...     found = check("chords", folder)
    ...     milder = check("chords", folder, severity={"KT312": "warning"})
    >>> found.diagnostics[0].code, found.has_findings()
    ('KT312', True)
    >>> milder.has_findings(), len(milder.unusable)
    (False, 1)
    """
    kind = find_task(task)
    reading = without_sides(options_of(kind, options))
    rules = CheckRules.of(select, ignore, severity)
    if config is not None:
        rules = rules.over(settings_of(config, kind.name))
    if labels and kind.vocabulary is None:
        raise OptionError(f"{kind.name} has no names of its own to know")
    checker = _Checker(kind, reading, kind.vocabulary if labels else None)
    for path in paths:
        checker.take(path)
    checker.read_files()
    return checker.checked(rules)


class _Checker:
    """Reads files, and collects what is wrong with them."""

    def __init__(self, task: Task, options: object, vocabulary: Vocabulary | None) -> None:
        self._task, self._options, self._vocabulary = task, options, vocabulary
        self._unknown = None if vocabulary is None else vocabulary.unknown(options)
        self._labels: dict[str, list[int]] = {}  # how often each unknown one is in each file that has it
        self._loose: dict[str, _Path | RemoteSource] = {}
        self._files: dict[str, None] = {}
        self._ignored: list[str] = []
        self._suppressed: list[Diagnostic] = []
        self._diagnostics = list(() if task.notices is None else task.notices(options))

    def take(self, path: _Path) -> None:
        """Check a pack, or find the files of a path."""
        if not isinstance(path, str | os.PathLike):
            raise OptionError.of_type("path", path, "a path")
        if is_pack(path):
            if self._unknown is not None:
                raise OptionError("a pack has no unknown labels", "name the files that it was made of")
            in_pack: list[Diagnostic] = []
            for name, problems in _check_pack(path, self._task, self._options):
                in_pack += problems
                self._files |= {} if name is None else {name: None}
            self._diagnostics += merge_repeated(in_pack, OF_BLOCKS)
            return
        items = find(path, self._task, self._options)
        self._diagnostics += items.diagnostics
        self._ignored += items.ignored
        self._loose |= {name_of_source(file) or "": file for paths in items.files.values() for file in paths}

    def read_files(self) -> None:
        """Check the files that were found."""
        self._files |= dict.fromkeys(self._loose)
        if not self._files and not any(problem.severity == "error" for problem in self._diagnostics):
            hint = suffixes_read(self._task.suffixes, self._ignored)
            raise OptionError("no annotation files to check", hint)
        for name, file in self._loose.items():
            try:
                with lying_here(file) as here:
                    self._read_file(here, name)
            except DataError as error:
                self._diagnostics += error.diagnostics

    def _read_file(self, path: Path, name: str) -> None:
        comments, notes = comments_of(path, name, self._options)
        of_rows = any(comment.line is not None for comment in comments)
        before = MOST_LISTED.set(_LISTED_OF_ROWS if of_rows else LISTED_PROBLEMS)
        try:
            problems = list(_check_file(path, name, self._task, self._options))
        finally:
            MOST_LISTED.reset(before)
        remaining: list[Diagnostic] = []
        for problem in problems:
            leaving_out = [comment.leaves_out(problem) for comment in comments]
            (self._suppressed if any(leaving_out) else remaining).append(problem)
        self._diagnostics += [*(_shortened(remaining) if of_rows else remaining), *notes]
        for label, times in Counter(() if self._unknown is None else self._unknown(path, name)).items():
            self._labels.setdefault(label, []).append(times)
        for comment in comments:
            self._diagnostics += comment.notes()

    def checked(self, rules: CheckRules) -> Checked:
        """Return what was found, by the rules."""
        judged = [(problem, rules.judged(problem)) for problem in self._diagnostics]
        reported = [after for before, after in judged if rules.has(before)]
        left_out = [before for before, _ in judged if not rules.has(before)]
        errors = [self._suppressed, self._diagnostics, reported]
        hidden, found, shown = ({each.file for each in part if each.severity == "error"} for part in errors)
        return Checked(
            self._task.name,
            tuple(self._files),
            tuple(self._ignored),
            tuple(reported),
            tuple(left_out),
            tuple(self._suppressed),
            tuple(sorted(file for file in (hidden | found) - shown if file is not None)),
            self._unknown_labels(),
        )

    def _unknown_labels(self) -> tuple[UnknownLabel, ...]:
        if self._vocabulary is None:
            return ()
        nearest, options = self._vocabulary.nearest, self._options
        labels = [
            UnknownLabel(label, nearest(label, options), sum(times), len(times))
            for label, times in self._labels.items()
        ]
        return tuple(sorted(labels, key=lambda unknown: (-unknown.times, unknown.label)))


def _shortened(problems: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield as many problems of each code of a file as are listed, then how many more there are."""
    listed, rest = Counter[str](), dict[str, Diagnostic]()
    for problem in problems:
        listed[problem.code] += 1
        if listed[problem.code] <= LISTED_PROBLEMS:
            yield problem
        else:
            first = rest.get(problem.code, problem.at(count=0))
            rest[problem.code] = first.at(count=first.count + problem.count)
    for code, last in rest.items():
        message = f"and {last.count:,} more like these"
        yield Diagnostic(code, last.severity, message, file=last.file, count=last.count)


def _check_pack(
    path: str | os.PathLike[str], task: Task, options: object
) -> Iterator[tuple[str | None, Iterable[Diagnostic]]]:
    """Yield the diagnostics of packing, and each source with those of reading it now."""
    pack = opened_pack(path, task, options)
    for number, collection in enumerate(pack.record.collections):
        yield None, collection.diagnostics
        for item, sources in pack.sources(number).items():
            for _, source in sources:
                reading, file = source.read(), source.file
                yield file, reading.diagnostics
                if file is None and reading.annotations:  # of many in one file, for which the pack stands
                    yield pack.path, _lint(task, reading.annotations, file, options, item)
                else:
                    yield file, _lint(task, reading.annotations, file, options)


def _check_file(path: Path, name: str, task: Task, options: object) -> Iterator[Diagnostic]:
    """Yield the diagnostics of reading a file, and of its annotations."""
    unfold = task.unfolder(path.name)
    items = None if unfold is None else unfold(path, name, options)
    if items is None:
        reading = task.read(path, name, options)
        yield from reading.diagnostics
        yield from _lint(task, reading.annotations, name, options)
    else:
        yield from items.diagnostics
        for item, tracks in items.items.items():
            yield from _lint(task, tracks, name, options, item)


def _lint(
    task: Task,
    tracks: Sequence[tuple[str | None, Any]],
    file: str | None,
    options: object,
    item: str | None = None,
) -> Iterator[Diagnostic]:
    """Yield warnings on annotations, with the annotator of several and the item of a file with many."""
    for number, (annotator, annotation) in enumerate(tracks, 1):
        whose = "" if item is None else f"{quote(item)}: "
        if len(tracks) > 1:
            whose += f"annotator {quote(annotator or str(number))}, "
        for diagnostic in () if task.lint is None else task.lint(annotation, options):
            yield diagnostic.at(file=file, item=item or diagnostic.item, message=whose + diagnostic.message)
