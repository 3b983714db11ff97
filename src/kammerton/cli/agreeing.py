# SPDX-License-Identifier: MIT
"""What ``kammerton agree`` does once its options are understood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import kammerton
from kammerton.cli.outputs import (
    check_outputs,
    replaced_run,
    say_namesakes,
    say_problems,
    split_name,
    write_document,
)
from kammerton.cli.streams import DONE, NOTHING, PARTIAL, check_width, say, say_all, style_of_document
from kammerton.errors import DataError, OptionError, plural
from kammerton.formats.collecting import name_of
from kammerton.model.corpus import check_names
from kammerton.model.task import Task
from kammerton.reporting.comparisons import beyond_chance, blocks_of_agreement
from kammerton.reporting.documents import render_frame, render_json
from kammerton.reporting.tables import render_blocks
from kammerton.results.agreement import AnnotatorAgreement
from kammerton.runs import write_run

__all__ = ["Wanted", "run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is printed and written."""

    form: str
    every: bool
    output: str | None
    per_item: str | None
    width: int | None = None
    out: str | None = None

    def check(self, inputs: Sequence[str], task: Task) -> None:
        """Find out before any work whether everything can be written."""
        check_width(self.width)
        if self.per_item is not None and not self.per_item.lower().endswith(".csv"):
            raise OptionError("--per-item writes CSV", "name a file that ends in .csv")
        check_outputs(self.output, self.per_item, self.out, inputs, task.suffixes)

    def deliver(self, found: AnnotatorAgreement) -> None:
        """Write and print the figures."""
        if self.per_item is not None:
            write_document(render_frame(found.table), self.per_item, is_data=True)
        if self.out is not None:
            write_run(found, self.out)
        style = style_of_document(self.output, self.width)
        document = self._document(found, style.width, style.encoding)
        write_document(document, self.output, is_data=self.form != "table")

    def _document(self, found: AnnotatorAgreement, width: int, encoding: str) -> str:
        if self.form == "json":
            return render_json(found.to_dict())
        if self.form == "csv":
            return render_frame(found.summary)
        blocks, lines = blocks_of_agreement(found, every=self.every), beyond_chance(found)
        return render_blocks(blocks, self.form, notes=lines, width=width, encoding=encoding)


def run(
    task: Task, annotators: Sequence[str], choices: dict[str, Any], wanted: Wanted, *, quiet: bool
) -> int:
    """Compare, print, and return the exit code."""
    named = [split_name(each) for each in annotators]
    if not named:
        raise OptionError("ANN is needed", "the folder of each annotator, or one that holds several")
    paths = [path for _, path in named]
    wanted.check(paths, task)
    names = [name_of(path) if name is None else name for name, path in named]
    check_names("annotator", names)
    given = paths[0] if len(named) == 1 and named[0][0] is None else dict(zip(names, paths, strict=True))
    try:
        found = kammerton.agree(task.name, given, **choices)
    except DataError as error:
        say_problems(error.diagnostics, quiet=quiet)
        return NOTHING
    say_problems(found.diagnostics, quiet=quiet)
    if not quiet and choices["protocols"] is None:
        say_namesakes(choices["measures"], found.measures, task.measures)
    replaced = [] if wanted.out is None else replaced_run(wanted.out)
    wanted.deliver(found)
    if not quiet:
        say_all(replaced)
        say(f"{plural(len(found.annotators), 'annotator')} compared on {plural(len(found.items), 'item')}")
    return PARTIAL if any(problem.severity == "error" for problem in found.diagnostics) else DONE
