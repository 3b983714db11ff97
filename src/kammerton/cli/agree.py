# SPDX-License-Identifier: MIT
"""``kammerton agree``: how far annotators agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from kammerton.cli.tasks import task_verb

if TYPE_CHECKING:
    from kammerton.model.task import Task

__all__ = ["app", "command"]

_Several = list[str] | None
_Format = Literal["table", "json", "csv", "md", "latex"]

app = task_verb("agree", "Measure how far annotators agree.", "(ANN [ANN ...] | RUN) [OPTIONS]")


def command(task: Task) -> Callable[..., int]:
    """Return the sub-command of a task."""

    def agree(
        *annotators: Annotated[str, Parameter(name="ANN")],
        protocols: Annotated[_Several, Parameter(name="--protocol", negative="", metavar="NAME")] = None,
        measures: Annotated[_Several, Parameter(name="--measure", negative="", metavar="NAME")] = None,
        every: Annotated[bool, Parameter(name="--all", negative="")] = False,
        form: Annotated[_Format, Parameter(name="--format")] = "table",
        output: Annotated[str | None, Parameter(metavar="FILE")] = None,
        width: Annotated[int | None, Parameter(metavar="COLUMNS")] = None,
        per_item: Annotated[str | None, Parameter(metavar="FILE.csv")] = None,
        out: Annotated[str | None, Parameter(metavar="RUN")] = None,
        quiet: Annotated[bool, Parameter(negative="")] = False,
        **reading: Any,
    ) -> int:
        """Compare annotators with each other by every measure, and all together beyond chance.

        Each annotator is taken for the reference of each other one, on the items that both have.

        Parameters
        ----------
        annotators
            Folder or file of each annotator; NAME=PATH names it, otherwise its last component does. One
            folder is enough if its files hold several annotators of each item. Or a run that --out wrote.
        protocols
            Protocol to run; repeatable, or several with commas. By default all of the task.
        measures
            Measure to compute, PROTOCOL/MEASURE, or a name that only one has; repeatable, or with commas.
        every
            Show every measure in tables, not the headline measures only.
        form
            What to print: tables of headline figures (table, md, latex), or every figure (json, csv).
        output
            Write that to a file instead.
        width
            Columns that tables fill; by default those of the terminal, and 80 in a file.
        per_item
            Write the figures of each item and pair of annotators to a CSV file.
        out
            Write everything that the figures are made from to a folder, which `kammerton agree` reads; an
            earlier run there is replaced.
        quiet
            Say errors only.
        """
        from kammerton.cli.agreeing import Wanted, run  # noqa: PLC0415 - not for help pages
        from kammerton.cli.scoring import listed  # noqa: PLC0415

        wanted = Wanted(
            form=form,
            every=every or measures is not None,
            output=output,
            width=width,
            per_item=per_item,
            out=out,
        )
        choices = {
            "protocols": listed(protocols),
            "measures": listed(measures),
            "options": task.options(**reading),
        }
        return run(task, annotators, choices, wanted, quiet=quiet)

    return agree
