# SPDX-License-Identifier: MIT
"""What ``kammerton compare`` does once its options are understood."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import kammerton
from kammerton.cli.exit_codes import NOTHING
from kammerton.cli.names import split_name
from kammerton.cli.outputs import check_output, write_document
from kammerton.cli.scoring import outcome, sides
from kammerton.cli.streams import check_width, say, style_of_document
from kammerton.cli.talk import say_namesakes, say_problems
from kammerton.errors import DataError, OptionError, quote
from kammerton.model.task import Task
from kammerton.reporting.comparisons import render_comparison
from kammerton.reporting.documents import render_frame, render_json
from kammerton.reporting.left_out import closing_line
from kammerton.runs import is_run
from kammerton.statistics.compared import SystemComparison

__all__ = ["run", "runs_or_sides"]


def runs_or_sides(
    references: str | None,
    estimates: Sequence[str],
    added: dict[str, str],
    pairs: str | None,
    *,
    alone: bool,
) -> dict[str, Any]:
    """Return what is compared as the API takes it: runs, or references and estimates, or these ``alone``."""
    given = [split_name(each) for each in (references, *estimates) if each is not None]
    are_runs = [is_run(path) for _, path in given]
    if not any(are_runs):
        return sides(references, estimates, added, pairs, alone=alone)
    if not all(are_runs):
        odd = given[are_runs.index(False)][1]
        raise OptionError(
            f"runs are compared with runs, and {quote(odd)} is none", "score it with --out first"
        )
    if added or pairs is not None:
        raise OptionError("runs are scored already: there are no further annotators or pairs")
    if alone:
        raise OptionError("runs are scored already, with references or without", "leave out --no-reference")
    return {"runs": given}


def run(
    task: Task,
    choices: dict[str, Any],
    inputs: Sequence[str],
    *,
    form: str,
    output: str | None,
    width: int | None,
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
    form, output, width, every, quiet
        As on the command line.
    """
    check_width(width)
    if output is not None:
        check_output(output, inputs, task.suffixes)
    try:
        found = kammerton.compare(task.name, **choices)
    except DataError as error:
        say_problems(error.diagnostics, quiet=quiet)
        return NOTHING
    say_problems(found.scores.diagnostics, quiet=quiet)
    if not quiet and choices["protocols"] is None:
        say_namesakes(choices["measures"], found.scores.measures, task.measures)
    style = style_of_document(output, width)
    document = _document(found, form, style.width, every=every, encoding=style.encoding)
    write_document(document, output, is_data=form != "table")
    if not quiet:
        say(closing_line(found.scores))
    return outcome(found.scores)


def _document(found: SystemComparison, form: str, width: int, *, every: bool, encoding: str) -> str:
    if form == "json":
        return render_json(found.to_dict())
    if form == "csv":
        return render_frame(found.pairs)
    return render_comparison(found, form, every=every, width=width, encoding=encoding)
