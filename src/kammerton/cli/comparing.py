# SPDX-License-Identifier: MIT
"""What ``kammerton compare`` does once its options are understood."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import kammerton
from kammerton.cli.exit_codes import DONE, NOTHING, PARTIAL
from kammerton.cli.outputs import check_output
from kammerton.cli.streams import say, style_of, write_out
from kammerton.cli.talk import say_problems
from kammerton.errors import DataError
from kammerton.formats.atomic import write_atomically
from kammerton.model.task import Task
from kammerton.reporting.comparisons import render_comparison
from kammerton.reporting.documents import render_csv, render_json
from kammerton.reporting.left_out import closing_line
from kammerton.statistics.compared import SystemComparison

__all__ = ["run"]


def run(
    task: Task,
    choices: dict[str, Any],
    inputs: Sequence[str],
    *,
    form: str,
    output: str | None,
    every: bool,
    quiet: bool,
) -> int:
    """Compare, print, and return the exit code.

    Parameters
    ----------
    task : Task
        The task.
    choices : dict
        Arguments of :func:`kammerton.compare`.
    inputs : sequence of str
        Paths that must not be written to.
    form, output, every, quiet
        As on the command line.
    """
    if output is not None:
        check_output(output, inputs, task.suffixes)
    try:
        found = kammerton.compare(task.name, **choices)
    except DataError as error:
        say_problems(error.diagnostics, quiet=quiet)
        return NOTHING
    say_problems(found.scores.diagnostics, quiet=quiet)
    if output is None:
        write_out(
            _document(found, form, every=every, encoding=style_of(sys.stdout).encoding),
            is_data=form != "table",
        )
    else:
        document = _document(found, form, every=every, encoding="utf-8")
        write_atomically(output, document.encode("utf-8", "backslashreplace"))
    if not quiet:
        say(closing_line(found.scores))
    lost = any(problem.severity == "error" for problem in found.scores.diagnostics)
    return PARTIAL if found.scores.is_partial or lost else DONE


def _document(found: SystemComparison, form: str, *, every: bool, encoding: str) -> str:
    if form == "json":
        return render_json(found.to_dict())
    if form == "csv":
        return render_csv(found.pairs.columns, found.pairs.iter_rows())
    return render_comparison(found, form, every=every, encoding=encoding)
