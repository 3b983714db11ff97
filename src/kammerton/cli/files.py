# SPDX-License-Identifier: MIT
"""``kammerton check``, ``convert`` and ``pack``: annotation files, without scores."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import kammerton
from kammerton.api.check_rules import nearest_settings
from kammerton.api.checking import Checked
from kammerton.api.files import Converted, Packed
from kammerton.cli.options import OUTPUT, Quiet, option
from kammerton.cli.output import (
    DONE,
    NOTHING,
    PARTIAL,
    print_diagnostics,
    print_message,
    style_of,
    write_document,
    write_output,
)
from kammerton.cli.output import (
    OUTPUT as UNWRITTEN,
)
from kammerton.cli.paths import check_output, split_name
from kammerton.errors import OptionError, OutputError, plural, quote
from kammerton.formats.collecting import name_of
from kammerton.formats.tables import render_rows
from kammerton.formats.writing import size_of
from kammerton.model.corpus import check_names
from kammerton.model.task import Task
from kammerton.reporting.diagnostics import (
    count_problems,
    render_concise,
    render_findings,
    render_github,
    render_sarif,
)
from kammerton.reporting.documents import render_json
from kammerton.reporting.tables import aligned

_Problems = Annotated[
    Literal["table", "concise", "json", "github", "sarif"],
    option(
        "Print problems with their lines (table), in one line each (concise), as JSON, as annotations of "
        "a pull request (github), or as SARIF 2.1.0.",
        name="--format",
        group=OUTPUT,
    ),
]
_Paths = Annotated[str, option(name="PATH")]
_Settings = Annotated[
    str | None,
    option(
        "Take --select, --ignore and --severity from the table `tool.kammerton` of this file where they are "
        "not given. By default it is the nearest `pyproject.toml` that has one.",
        metavar="FILE",
    ),
]


def check(
    task: Task,
    /,
    *paths: _Paths,
    strict: Annotated[bool, option("Exit with code 1 for warnings too.")] = False,
    severity: Annotated[
        list[str] | None,
        option(
            "Report a code, or those that begin so, as an error, warning or note; several with commas.",
            metavar="CODE=LEVEL",
        ),
    ] = None,
    config: _Settings = None,
    isolated: Annotated[bool, option("Take no settings from files.")] = False,
    unknown_labels: Annotated[
        str | None,
        option(
            "Write the labels that are not known to a table, with the nearest known one, and how often they "
            "are there. Of instruments, --map takes it once it is looked through.",
            metavar="FILE.csv",
            group=OUTPUT,
        ),
    ] = None,
    statistics: Annotated[bool, option("Print how often there is each problem.", group=OUTPUT)] = False,
    form: _Problems = "table",
    quiet: Annotated[bool, option("Print neither notes nor the summary.", group=OUTPUT)] = False,
    **choices: Any,
) -> int:
    """Read files, and folders of files in any depth, and print every problem at once.

    Exit code 1 if there is an error.

    Parameters
    ----------
    paths
        Files, folders and packs, on this machine or at an address; of NAME=PATH, as other commands take it,
        the path.
    """
    if not paths:
        raise OptionError("PATH is needed", "files or folders")
    paths = tuple(path if os.path.lexists(path) else split_name(path)[1] for path in paths)
    if isolated and config is not None:
        raise OptionError("--isolated takes no settings, and --config names some", "give one of them")
    if statistics and form not in ("table", "json"):
        raise OptionError(f"--statistics has no form for {form}", "--format table or json")
    settings = config if isolated or config is not None else nearest_settings()
    levels = _levels(severity or ())
    if unknown_labels is not None:
        check_output(unknown_labels, paths, task.suffixes)
        if os.path.lexists(unknown_labels):
            shown = f"KT503 cannot write {quote(unknown_labels)}: it is there already"
            raise OutputError(f"{shown}\n  help: write to a new file")
        choices["labels"] = True
    checked = kammerton.check(task, *paths, severity=levels, config=settings, **choices)
    if unknown_labels is not None:
        write_document(_table_of_labels(task, checked), unknown_labels, is_data=True)
    write_output(_findings(checked, form, quiet=quiet, statistics=statistics), is_data=form != "table")
    if not quiet:
        print_message(_summary_of_check(checked, None if settings is None else os.path.relpath(settings)))
    return PARTIAL if checked.has_findings(strict=strict) else DONE


def _table_of_labels(task: Task, checked: Checked) -> str:
    """Return the unknown labels as a label map; those that are like no other one stand for themselves."""
    noun = "nearest" if task.vocabulary is None else task.vocabulary.noun
    rows = [(row.label, row.nearest or row.label, row.times, row.files) for row in checked.unknown_labels]
    return render_rows([("label", noun, "times", "files"), *rows])


def _levels(arguments: Sequence[str]) -> dict[str, str]:
    """Return the level of each code of ``CODE=LEVEL``; several may stand between commas."""
    pairs = [part.strip().partition("=") for argument in arguments for part in argument.split(",")]
    for code, _, level in pairs:
        if not code or not level:
            raise OptionError(f"expected CODE=LEVEL, got {quote(code or level)}", "such as KT391=error")
    return {code: level for code, _, level in pairs}


def _findings(checked: Checked, form: str, *, quiet: bool, statistics: bool) -> str:
    if form == "json":
        return render_json(checked.to_dict())
    if quiet:
        shown = tuple(problem for problem in checked.diagnostics if problem.severity != "note")
        checked = replace(checked, diagnostics=shown)
    style = style_of(sys.stdout)
    if statistics:
        rows = [
            (row.code, row.severity, row.title, f"{row.count:,}", f"{row.files:,}")
            for row in checked.statistics
        ]
        head = ("code", "severity", "problem", "times", "files")
        return aligned(head, rows, text_columns=3, encoding=style.encoding) if rows else ""
    if form == "sarif":
        return render_sarif(checked.diagnostics, checked.suppressed)
    if form == "github":
        return render_github(checked.diagnostics)
    if form == "concise":
        return render_concise(checked.diagnostics)
    return render_findings(
        checked.diagnostics, colour=style.colour, width=style.width, encoding=style.encoding
    )


def _summary_of_check(checked: Checked, settings: str | None) -> str:
    counts = count_problems(checked.diagnostics) or "no problems"
    problems = [problem for problem in checked.diagnostics if problem.severity != "note"]
    messages = len({(problem.code, problem.message) for problem in problems})
    times = sum(problem.count for problem in problems)
    fewer = f", {plural(messages, 'distinct message')}" if messages < times else ""
    parts = [f"{plural(len(checked.files), 'file')} checked: {counts}{fewer}"]
    if checked.ignored:
        parts.append(f"{plural(len(checked.ignored), 'path')} ignored")
    for left_out, why in (
        (checked.left_out, "by their codes"),
        (checked.suppressed, "by comments in the files"),
    ):
        if left_out:
            parts.append(f"{sum(problem.count for problem in left_out):,} left out {why}")
    if checked.unusable:
        files = plural(len(checked.unusable), "file")
        parts.append(f"{files} cannot be used, though no error is reported")
    if settings is not None:
        parts.append(f"settings of {quote(settings)}")
    return "; ".join(parts)


def convert(
    task: Task, /, *paths: Annotated[str, option(name="IN")], quiet: Quiet = False, **choices: Any
) -> int:
    """Convert files: each to another, many into one, or one into many; labels stay as they were written.

    Exit code 1 if some of the files could not be converted.

    Parameters
    ----------
    paths
        Files, folders whose tree is kept, or packs, on this machine or at an address; the last is OUT.
        Several, [NAME=]IN, are of annotators: their annotations of an item are put together. OUT is a
        file, or a folder: one that exists, or a path that ends with a slash, as `out/`. A file takes all
        items of a folder, if its format holds many, as csv does. In a folder each item has a file of its
        own, also those of an IN that is a table of many. A format that holds one annotator gets a file
        for each: NAME/ITEM, of an IN that is a file of one item NAME; pig, ITEM-NUMBER_fingering.txt.
    """
    if len(paths) < 2:
        raise OptionError("IN and OUT are needed", "the file or folder to convert, and where to")
    named = [split_name(path) for path in paths[:-1]]
    source: Any = named[0][1]
    if len(named) > 1 or named[0][0] is not None:
        names = [name_of(path) if name is None else name for name, path in named]
        check_names("annotator", names)
        source = dict(zip(names, (path for _, path in named), strict=True))
    converted = kammerton.convert(task, source, paths[-1], **choices)
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
    name, source = (None, None) if pairs is not None else split_name(paths[0])
    if name is not None:
        message = "a pack has the name of its file, or that of NAME=PACK where it is read"
        raise OptionError(message, f"leave out {quote(f'{name}=')}")
    target = paths[-1]
    check_output(target, [path for path in (source, pairs) if path], task.suffixes)
    packed = kammerton.pack(task, source, target, **choices)
    print_diagnostics(packed.diagnostics, quiet=quiet)
    if not quiet:
        print_message(_summary_of_pack(packed))
    return PARTIAL if packed.broken or packed.counts.get("error") else DONE


def _summary_of_pack(packed: Packed) -> str:
    counts = f"{plural(packed.items, 'item')}, {plural(packed.annotations, 'annotation')}"
    broken = f"; {packed.broken:,} cannot be used, and the pack says why" if packed.broken else ""
    return f"packed {counts}, {plural(packed.rows, 'row')}: {size_of(packed.bytes)}{broken}"
