# SPDX-License-Identifier: MIT
"""Files that a command writes: checked before the work starts, written when it is done."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from kammerton.cli.streams import check_stopped, write_out
from kammerton.errors import OptionError, OutputError, plural, quote
from kammerton.formats.atomic import write_atomically
from kammerton.formats.remote import check_here
from kammerton.runs import check_place

__all__ = ["check_output", "check_outputs", "replaced_run", "write_document"]


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
