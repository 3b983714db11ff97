# SPDX-License-Identifier: MIT
"""Paths on the command line: ``NAME=PATH``, what is read, and where results may be written."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from kammerton.errors import DataError, OptionError, OutputError, plural, quote
from kammerton.formats.collecting import name_of
from kammerton.formats.lists import read_pairs
from kammerton.formats.remote import check_here
from kammerton.formats.writing import check_parent, lies_within
from kammerton.model.corpus import ALL, check_names
from kammerton.runs import check_place


def split_name(argument: str) -> tuple[str | None, str]:
    """Split ``NAME=PATH``; the name is None if there is none.

    The text before the first ``=`` is a name unless it has a slash: ``./a=b`` is a path.
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


def name_systems(arguments: Sequence[str], kind: str = "system") -> dict[str, str]:
    """Return the paths of systems, or of another kind, by name: by default the last component of the path."""
    pairs = [split_name(argument) for argument in arguments]
    names = [name_of(path) if name is None else name for name, path in pairs]
    check_names(kind, names)
    return dict(zip(names, (path for _, path in pairs), strict=True))


def sort_annotators(arguments: Sequence[str] | None) -> tuple[str, dict[str, str]]:
    """Split the values of ``--annotator`` into the chosen one, by default all, and the added ones by name."""
    pairs = [split_name(argument) for argument in arguments or ()]
    chosen = [path for name, path in pairs if name is None]
    for annotator in chosen:
        if "/" in annotator or os.sep in annotator:
            hint = "NAME=PATH adds a further one"
            raise OptionError(f"not the name of an annotator: {quote(annotator)}", hint)
    if len(chosen) > 1:
        raise OptionError(
            f"two annotators are chosen: {quote(chosen[0])} and {quote(chosen[1])}",
            "leave out --annotator for all of them",
        )
    added = [(name, path) for name, path in pairs if name is not None]
    check_names("annotator", [name for name, _ in added])
    return (chosen[0] if chosen else ALL), dict(added)


def sides(
    references: str | None,
    estimates: Sequence[str],
    added: dict[str, str],
    pairs: str | None,
    *,
    no_reference: bool = False,
) -> dict[str, Any]:
    """Return references, estimates and annotators as the Python calls take them, or estimates alone."""
    if no_reference:
        if pairs is not None or added:
            option = "--pairs" if pairs is not None else "--annotator NAME=PATH"
            raise OptionError(f"{option} names references, and --no-reference scores without any")
        paths = [path for path in (references, *estimates) if path is not None]
        if not paths:
            raise OptionError("EST is needed", "the folder or file of a system")
        return {"estimates": name_systems(paths)}
    if pairs is not None:
        if references is not None or added:
            raise OptionError("--pairs stands in place of REF, EST and further annotators")
        return {}
    if references is None or not estimates:
        raise OptionError("REF and EST are needed", "or --pairs FILE.csv")
    name, path = split_name(references)
    if name is not None and name in added:
        raise OptionError(f"two annotators are called {quote(name)}", "name them apart: NAME=PATH")
    return {
        "references": path if name is None else None,
        "estimates": name_systems(estimates),
        "annotators": (added if name is None else {name: path, **added}) or None,
    }


def input_paths(arguments: Iterable[str | None], pairs: str | None, *lists: str | None) -> list[str]:
    """Return all paths that a command reads: its arguments, its lists, and the files that pairs name."""
    paths = [split_name(argument)[1] for argument in arguments if argument]
    paths += [path for path in (pairs, *lists) if path and os.path.isfile(path)]  # noqa: PTH113 - or an expression
    if pairs is not None:
        with contextlib.suppress(DataError):  # a list that will be refused
            corpus = read_pairs(pairs)
            for side in (*corpus.references, *corpus.systems):
                paths += [str(path) for item in side.sources.values() for _, path in item]
    return paths


def check_output(path: str, inputs: Iterable[str], suffixes: Iterable[str]) -> None:
    """Check before any work that a file can be written: not over an input, nor where it would be read.

    ``suffixes`` are those of the files that are read in folders.
    """
    check_here(path)
    target = Path(path)
    try:
        _check_place(target)
        _check_inputs(target, [Path(name) for name in inputs if Path(name).exists()], tuple(suffixes))
    except OSError as error:
        raise OutputError(f"KT501 cannot write {quote(path)}: {(error.strerror or '').lower()}") from error


def check_outputs(
    output: str | None,
    per_item: str | None,
    run: str | None,
    inputs: Sequence[str],
    suffixes: Collection[str],
) -> None:
    """Check before any work that two files and the folder of a run can be written."""
    if output and per_item and os.path.realpath(output) == os.path.realpath(per_item):
        raise OptionError("--output and --per-item name the same file")
    files = [path for path in (output, per_item) if path is not None]
    for path in files:
        check_output(path, inputs, suffixes)
    if run is None:
        return
    check_here(run)
    if any(lies_within(run, path) for path in inputs):
        raise OptionError(f"{quote(run)} is within an input", "write the run to another folder")
    for path in files:
        if lies_within(path, run):
            raise OptionError(f"{quote(path)} is within the run", "a run holds nothing else")
    if not Path(run).is_dir():
        _check_place(Path(run))
    check_place(run)


def replaced_run(path: str) -> list[str]:
    """Return a line on the run that will be replaced; none if there is no run."""
    record = check_place(path)
    if record is None:
        return []
    kind = "system" if record.get("systems") else "annotator"
    return [f"replaced a run of {plural(len(record[f'{kind}s']), kind)} in {quote(path)}"]


def _check_place(target: Path) -> None:
    shown, folder = (quote(os.fspath(path)) for path in (target, target.parent))
    if target.is_dir():
        raise OutputError(f"KT501 cannot write {shown}: it is a folder")
    check_parent(target, target)
    is_device = target.exists() and not target.is_file()
    if not os.access(target if is_device else target.parent, os.W_OK):
        raise OutputError(f"KT501 cannot write {shown}: folder {folder} is not writable")


def _check_inputs(target: Path, inputs: Iterable[Path], suffixes: tuple[str, ...]) -> None:
    shown = quote(os.fspath(target))
    for path in inputs:
        if target.exists() and target.samefile(path):
            raise OptionError(f"{shown} would overwrite an input", "write to another file")
        within = lies_within(target, path)
        if within and target.is_symlink() and Path(os.path.realpath(target)).is_file():
            raise OptionError(f"{shown} leads to an input", "write to another file")
        if within and target.name.lower().endswith(suffixes):
            raise OptionError(f"{shown} would be read as an annotation next time", "write to another folder")
