# SPDX-License-Identifier: MIT
"""``kammerton check``, ``convert`` and ``pack``: annotation files, without scores."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import kammerton
from kammerton.api.files import Checked, Converted, Packed
from kammerton.cli.lookup import pages
from kammerton.cli.options import OUTPUT, Quiet, option
from kammerton.cli.output import (
    DONE,
    NOTHING,
    PARTIAL,
    print_diagnostics,
    print_message,
    style_of,
    write_output,
)
from kammerton.cli.output import (
    OUTPUT as UNWRITTEN,
)
from kammerton.cli.paths import check_output
from kammerton.errors import OptionError, plural, quote
from kammerton.formats.writing import size_of
from kammerton.model.task import Task
from kammerton.reporting.diagnostics import count_problems, render_concise, render_findings, render_github
from kammerton.reporting.documents import render_json

_Problems = Annotated[
    Literal["table", "concise", "json", "github"],
    option(
        "Print problems with their lines (table), in one line each (concise), as JSON, or as annotations of "
        "a pull request (github).",
        name="--format",
        group=OUTPUT,
    ),
]
_CODE = re.compile(r"[A-Z]{2,8}[0-9]{0,5}")
_Paths = Annotated[str, option(name="PATH")]


def check(
    task: Task,
    /,
    *paths: _Paths,
    strict: Annotated[bool, option("Exit with code 1 for warnings too.")] = False,
    select: Annotated[
        list[str] | None,
        option(
            "Report these codes only, such as KT391, or KT3 for all that begin so; several with commas.",
            metavar="CODE",
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        option(
            "Leave out these codes, or those that begin so; several with commas.",
            metavar="CODE",
        ),
    ] = None,
    form: _Problems = "table",
    quiet: Annotated[bool, option("Print neither notes nor the summary.", group=OUTPUT)] = False,
    **choices: Any,
) -> int:
    """Read files, and folders of files in any depth, and print every problem at once.

    Exit code 1 if there is an error.

    Parameters
    ----------
    paths
        Files, folders and packs, on this machine or at an address.
    """
    if not paths:
        raise OptionError("PATH is needed", "files or folders")
    selected, ignored = (_codes(codes) for codes in (select, ignore))
    checked = kammerton.check(task.name, *paths, **choices)
    found = checked.diagnostics
    reported = tuple(
        problem
        for problem in found
        if problem.code.startswith(selected or ("",)) and not (ignored and problem.code.startswith(ignored))
    )
    checked = replace(checked, diagnostics=reported)
    write_output(_findings(checked, form, quiet=quiet), is_data=form != "table")
    if not quiet:
        summary = _summary_of_check(checked)
        left_out = sum(problem.count for problem in found) - sum(problem.count for problem in reported)
        print_message(f"{summary}; {left_out:,} left out by their codes" if left_out else summary)
    return PARTIAL if checked.has_findings(strict=strict) else DONE


def _codes(arguments: Sequence[str] | None) -> tuple[str, ...]:
    """Return codes, or beginnings of codes, in upper case; several may stand between commas."""
    codes = tuple(code.strip().upper() for argument in arguments or () for code in argument.split(","))
    for code in codes:
        if not _CODE.fullmatch(code):
            raise OptionError(f"not a code: {quote(code)}", "such as KT391, or KT3 for all that begin so")
        if code.startswith("KT") and not any(known.startswith(code) for known in pages()):
            raise OptionError(f"no code begins with {quote(code)}", "known codes: `kammerton explain`")
    return codes


def _findings(checked: Checked, form: str, *, quiet: bool) -> str:
    if form == "json":
        return render_json(checked.to_dict())
    shown = [problem for problem in checked.diagnostics if not quiet or problem.severity != "note"]
    if form == "github":
        return render_github(shown)
    if form == "concise":
        return render_concise(shown)
    style = style_of(sys.stdout)
    return render_findings(shown, colour=style.colour, width=style.width, encoding=style.encoding)


def _summary_of_check(checked: Checked) -> str:
    ignored = f"; {plural(len(checked.ignored), 'path')} ignored" if checked.ignored else ""
    counts = count_problems(checked.diagnostics) or "no problems"
    problems = [problem for problem in checked.diagnostics if problem.severity != "note"]
    causes = len({(problem.code, problem.message) for problem in problems})
    fewer = f", of {plural(causes, 'cause')}" if causes < sum(problem.count for problem in problems) else ""
    return f"{plural(len(checked.files), 'file')} checked: {counts}{fewer}{ignored}"


def convert(
    task: Task,
    source: Annotated[str, option(name="IN")],
    target: Annotated[str, option(name="OUT")],
    /,
    *,
    quiet: Quiet = False,
    **choices: Any,
) -> int:
    """Convert a file, or every file of a folder; labels stay as they were written.

    Exit code 1 if some of the files could not be converted.

    Parameters
    ----------
    source
        A file, a folder whose tree is kept, or a pack, on this machine or at an address.
    target
        A file, or a folder: one that exists, or a path that ends with a slash, as `out/`. A format
        that holds one annotator gets a file for each: NAME with the suffix if IN is a file,
        NAME/ITEM if it is a folder; pig, ITEM-NUMBER_fingering.txt, as score reads it.
    """
    converted = kammerton.convert(task.name, source, target, **choices)
    print_diagnostics(converted.diagnostics, quiet=quiet)
    if not quiet:
        print_message(_summary_of_conversion(converted))
    errors = [problem.code for problem in converted.diagnostics if problem.severity == "error"]
    if not errors or converted.written:
        return PARTIAL if errors else DONE
    return UNWRITTEN if all(code.startswith("KT5") for code in errors) else NOTHING


def _summary_of_conversion(converted: Converted) -> str:
    failed = f", {len(converted.failed):,} not converted" if converted.failed else ""
    problems = count_problems(converted.diagnostics)
    return f"{plural(len(converted.written), 'file')} written{failed}" + (f"; {problems}" if problems else "")


def pack(task: Task, /, *paths: _Paths, quiet: Quiet = False, **choices: Any) -> int:
    """Read annotations once, and write them to a file that every command takes in place of the folder.

    Scores and messages are the same as from the folder, and come faster; `kammerton convert` converts it to
    files again. Exit code 1 if something could not be read; the file says so too.

    Parameters
    ----------
    paths
        A folder or a file, and the file to write, whose name ends in .parquet.
    """
    pairs = choices["pairs"]
    form = "PATH OUT.parquet" if pairs is None else "--pairs FILE.csv OUT.parquet"
    if len(paths) != (2 if pairs is None else 1):
        raise OptionError(f"expected {form}, got {len(paths)} paths")
    source, target = (paths[0] if pairs is None else None), paths[-1]
    check_output(target, [path for path in (source, pairs) if path], task.suffixes)
    packed = kammerton.pack(task.name, source, target, **choices)
    print_diagnostics(packed.diagnostics, quiet=quiet)
    if not quiet:
        print_message(_summary_of_pack(packed))
    return PARTIAL if packed.broken or packed.counts.get("error") else DONE


def _summary_of_pack(packed: Packed) -> str:
    counts = f"{plural(packed.items, 'item')}, {plural(packed.annotations, 'annotation')}"
    broken = f"; {packed.broken:,} cannot be used, and the pack says why" if packed.broken else ""
    return f"packed {counts}, {plural(packed.rows, 'row')}: {size_of(packed.bytes)}{broken}"
