# SPDX-License-Identifier: MIT
"""``kammerton diff``: what changed between two runs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from kammerton.errors import OptionError

if TYPE_CHECKING:
    from kammerton.runs import RunDifference

__all__ = ["app"]

app = App(
    name="diff",
    help="Say item by item what changed between two runs.",
    usage="Usage: kammerton diff RUN_A RUN_B [OPTIONS]",
)


@app.default
def diff(
    before: Annotated[str | None, Parameter(name="RUN_A", show_default=False)] = None,
    after: Annotated[str | None, Parameter(name="RUN_B", show_default=False)] = None,
    /,
    *,
    measures: Annotated[list[str] | None, Parameter(name="--measure", negative="", metavar="NAME")] = None,
    tolerance: Annotated[float, Parameter(metavar="X")] = 0.0,
    form: Annotated[Literal["table", "json", "csv", "md"], Parameter(name="--format")] = "table",
    quiet: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Compare two runs that `kammerton score --out` wrote, item by item and figure by figure.

    Exit code 1 if anything changed, 0 if nothing did. Runs of two tasks, of different references, or of
    another revision of a protocol are refused.

    Parameters
    ----------
    before
        The earlier run.
    after
        The later run.
    measures
        Measure to look at, PROTOCOL/MEASURE, or a name that only one has; repeatable, or with commas.
    tolerance
        Values that differ by no more are equal; per cent are written as 0.01.
    form
        What to print: tables of what changed (table, md), everything (json), items (csv).
    quiet
        Say errors only.
    """
    import kammerton  # noqa: PLC0415 - not for help pages
    from kammerton.cli.outputs import say_problems  # noqa: PLC0415
    from kammerton.cli.scoring import listed  # noqa: PLC0415
    from kammerton.cli.streams import DONE, NOTHING, PARTIAL, say, say_all, style_of, write_out  # noqa: PLC0415  # noqa: PLC0415
    from kammerton.errors import DataError  # noqa: PLC0415
    from kammerton.reporting.differences import summary_of  # noqa: PLC0415

    if before is None or after is None:
        raise OptionError("RUN_A and RUN_B are needed", "two folders that `kammerton score --out` wrote")
    try:
        found = kammerton.diff(before, after, tolerance=tolerance, measures=listed(measures))
    except DataError as error:
        say_problems(error.diagnostics, quiet=quiet)
        return NOTHING
    write_out(_document(found, form, style_of(sys.stdout).encoding), is_data=form != "table")
    if not quiet:
        say_all(found.notes)
        say(summary_of(found))
    return PARTIAL if found.changed else DONE


def _document(found: RunDifference, form: str, encoding: str) -> str:
    from kammerton.reporting.differences import render_difference  # noqa: PLC0415
    from kammerton.reporting.documents import render_frame, render_json  # noqa: PLC0415

    if form == "json":
        return render_json(found.to_dict())
    if form == "csv":
        return render_frame(found.table)
    return render_difference(found, form, encoding=encoding)
