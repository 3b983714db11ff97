# SPDX-License-Identifier: MIT
"""``NAME=PATH`` on the command line."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kammerton.cli.streams import check_stopped, say, say_all, style_of, write_out
from kammerton.errors import Diagnostic, OptionError, OutputError, plural, printable, quote
from kammerton.formats.collecting import name_of
from kammerton.formats.remote import check_here
from kammerton.formats.writing import write_atomically
from kammerton.model.corpus import ALL, check_names
from kammerton.model.measure import Measure, find, namesakes
from kammerton.reporting.diagnostics import render_grouped
from kammerton.reporting.tables import PER_CENT
from kammerton.results.scores import Scores
from kammerton.runs import check_place
from kammerton.statistics.paired import differences, scale_of

__all__ = [
    "Gate",
    "check_output",
    "check_outputs",
    "name_systems",
    "parse_gates",
    "replaced_run",
    "say_namesakes",
    "say_problems",
    "sort_annotators",
    "split_name",
    "write_document",
]


def split_name(argument: str) -> tuple[str | None, str]:
    """Take ``NAME=PATH`` apart; the name is None if there is none.

    What stands before the first ``=`` is a name unless it has a slash: ``./a=b`` is a path.

    Raises
    ------
    OptionError
        If the name or the path is empty.
    """
    name, equals, path = argument.partition("=")
    if not equals or "/" in name or os.sep in name:
        return None, argument
    hint = f"a path that holds `=` is written with its folder: {quote(f'./{argument}')}"
    if not name or not path:
        raise OptionError(f"expected NAME=PATH, got {quote(argument)}", hint)
    if os.path.lexists(argument) and not os.path.lexists(path):
        raise OptionError(f"no such file or folder: {quote(path)}, to be called {quote(name)}", hint)
    return name, path


def name_systems(arguments: Sequence[str]) -> dict[str, str]:
    """Return the paths of systems by name, by default the last component of the path.

    Raises
    ------
    OptionError
        If two have one name.
    """
    named = [split_name(argument) for argument in arguments]
    names = [name_of(path) if name is None else name for name, path in named]
    check_names("system", names)
    return dict(zip(names, (path for _, path in named), strict=True))


def sort_annotators(arguments: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Tell annotators that are added, ``NAME=PATH``, from the one that is chosen.

    Returns
    -------
    chosen : str
        ``"all"`` if none is.
    added : dict of str to str
        Paths by name.
    """
    named = [split_name(argument) for argument in arguments]
    chosen = [path for name, path in named if name is None]
    for each in chosen:
        if "/" in each or os.sep in each:
            raise OptionError(f"not the name of an annotator: {quote(each)}", "NAME=PATH adds a further one")
    if len(chosen) > 1:
        raise OptionError(
            f"two annotators are chosen: {quote(chosen[0])} and {quote(chosen[1])}",
            "leave out --annotator for all of them",
        )
    added = [(name, path) for name, path in named if name is not None]
    check_names("annotator", [name for name, _ in added])
    return (chosen[0] if chosen else ALL), dict(added)


def check_output(path: str, inputs: Iterable[str], suffixes: Iterable[str]) -> None:
    """Find out before any work whether a file can be written.

    Parameters
    ----------
    path : str
        The file.
    inputs : iterable of str
        Files that are read, and must not be written, and folders, which must not get more to read.
    suffixes : iterable of str
        Suffixes of the files that are read in folders.

    Raises
    ------
    OutputError
        KT501 if its folder is missing or may not be written to, or if it is a folder.
    OptionError
        If it is one of the inputs, or would be when the same is run again, or an address.
    """
    check_here(path)
    target = Path(path)
    try:
        _check_place(target)
        _check_inputs(target, [Path(each) for each in inputs if Path(each).exists()], tuple(suffixes))
    except OSError as error:
        raise OutputError(f"KT501 cannot write {quote(path)}: {(error.strerror or '').lower()}") from error


def write_document(document: str, output: str | None, *, is_data: bool) -> None:
    """Write a document to a file, or to standard output if there is none: see :func:`.write_out`."""
    if output is None:
        write_out(document, is_data=is_data)
    else:
        check_stopped()
        write_atomically(output, document.encode("utf-8", "backslashreplace"))


def check_outputs(
    output: str | None,
    per_item: str | None,
    run: str | None,
    inputs: Sequence[str],
    suffixes: Collection[str],
) -> None:
    """Find out before any work whether all that was asked for can be written.

    Parameters
    ----------
    output, per_item : str, optional
        Files.
    run : str, optional
        The folder of a run.
    inputs : sequence of str
        Files and folders that are read.
    suffixes : iterable of str
        As for :func:`check_output`.

    Raises
    ------
    OutputError
        KT501 as there, KT707 if other things are where the run is to be.
    OptionError
        As there; if both files are one, if the run is within an input, or a file within the run.
    """
    if output and per_item and os.path.realpath(output) == os.path.realpath(per_item):
        raise OptionError("--output and --per-item name the same file")
    files = [path for path in (output, per_item) if path is not None]
    for path in files:
        check_output(path, inputs, suffixes)
    if run is not None:
        _check_run(run, inputs, files)


def _check_run(path: str, inputs: Iterable[str], outputs: Iterable[str]) -> None:
    check_here(path)
    target, shown = Path(os.path.realpath(path)), quote(path)
    if any(target.is_relative_to(os.path.realpath(each)) for each in inputs):
        raise OptionError(f"{shown} is within an input", "write the run to another folder")
    within = [each for each in outputs if Path(os.path.realpath(each)).is_relative_to(target)]
    if within:
        raise OptionError(f"{quote(within[0])} is within the run", "a run holds nothing else")
    if not target.is_dir():
        _check_place(Path(path))
    check_place(path)


def replaced_run(path: str) -> list[str]:
    """Return a line that says which run will be replaced; none if there is no run."""
    record = check_place(path)
    if record is None:
        return []
    kind = "system" if record.get("systems") else "annotator"
    size = plural(len(record[f"{kind}s"]), kind)
    return [f"replaced a run of {size} in {quote(path)}"]


def _check_place(target: Path) -> None:
    told, folder = (quote(os.fspath(path)) for path in (target, target.parent))
    if target.is_dir():
        raise OutputError(f"KT501 cannot write {told}: it is a folder")
    if not target.parent.is_dir():
        kind = f"{folder} is not a folder" if target.parent.exists() else f"folder {folder} does not exist"
        raise OutputError(f"KT501 cannot write {told}: {kind}")
    if not os.access(target if _is_device(target) else target.parent, os.W_OK):
        raise OutputError(f"KT501 cannot write {told}: folder {folder} is not writable")


def _check_inputs(target: Path, inputs: Iterable[Path], suffixes: tuple[str, ...]) -> None:
    shown = quote(os.fspath(target))
    for given in inputs:
        if target.exists() and target.samefile(given):
            raise OptionError(f"{shown} would overwrite an input", "write to another file")
        real = Path(os.path.realpath(target))
        within = real.is_relative_to(os.path.realpath(given))
        if within and real.exists() and target.is_symlink() and real.is_file():
            raise OptionError(f"{shown} leads to an input", "write to another file")
        if within and target.name.lower().endswith(suffixes):
            raise OptionError(f"{shown} would be read as an annotation next time", "write to another folder")


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file()


@dataclass(frozen=True, slots=True)
class Gate:
    """The worst that the headline figure of a measure may be."""

    measure: Measure
    limit: float

    def failures(self, scores: Scores) -> Iterator[str]:
        """Say which systems do not pass; an undefined figure does not."""
        higher = self.measure.direction == "higher"
        for system in scores.systems:
            told = f"gate failed: {self.measure} of {printable(system)} is"
            if self.measure not in scores.measures:
                yield f"{told} not evaluated; a note above says why"
                continue
            value = scores.value(str(self.measure), system=system)
            if math.isnan(value):
                why = scores.why_undefined(self.measure, system, scores.annotators_of(self.measure)[-1])
                yield f"{told} undefined" + (f" ({why})" if " " not in why else "")  # codes, not sentences
                continue
            beyond = differences(value, self.limit, scale_of(self.measure))
            if (beyond < 0) if higher else (beyond > 0):
                yield f"{told} {self._told(value)}, {'below' if higher else 'above'} {self._told(self.limit)}"

    def _told(self, value: float) -> str:
        """Return a figure as tables have it, in per cent, and as it was written on the command line."""
        return f"{100 * value:.6g} % ({value:.6g})" if self.measure.range == PER_CENT else f"{value:.6g}"


def parse_gates(
    arguments: Sequence[str], measures: Sequence[Measure], every: Sequence[Measure]
) -> list[Gate]:
    """Read ``PROTOCOL/MEASURE=VALUE``.

    Parameters
    ----------
    arguments : sequence of str
        As written.
    measures : sequence of Measure
        Those that will be computed.
    every : sequence of Measure
        Those of the task.

    Raises
    ------
    OptionError
        If there is no such measure among them, or its value cannot be what is written.
    """
    return [_gate(argument, measures, every) for argument in arguments]


def _gate(argument: str, measures: Sequence[Measure], every: Sequence[Measure]) -> Gate:
    address, equals, written = argument.rpartition("=")
    if not equals:
        raise OptionError(f"expected PROTOCOL/MEASURE=VALUE, got {quote(argument)}")
    measure = find(address, measures, every)
    try:
        limit = float(written)
    except ValueError:
        raise OptionError(f"not a number: {quote(written)} in {quote(argument)}") from None
    low, high = measure.range
    if not low <= limit <= high:
        hint = f"write 75 % as 0.75; you wrote {limit:g}" if (low, high) == (0.0, 1.0) else None
        raise OptionError(f"{measure} lies between {low:g} and {high:g}", hint)
    return Gate(measure, limit)


def say_problems(diagnostics: Iterable[Diagnostic], *, quiet: bool = False) -> None:
    """Show diagnostics, many of a kind grouped; only errors if ``quiet``."""
    style = style_of(sys.stderr)
    shown = [each for each in diagnostics if not quiet or each.severity == "error"]
    say_all(render_grouped(shown, colour=style.colour, width=style.width, encoding=style.encoding))


def say_namesakes(names: Iterable[str] | None, chosen: Sequence[Measure], every: Sequence[Measure]) -> None:
    """Say which measures were taken where the same name, perhaps in other case, is that of another one."""
    for measure, others in namesakes(list(names or ()), chosen, every).items():
        say(f"{measure.name} is {measure}; not {', '.join(map(str, others))}")
