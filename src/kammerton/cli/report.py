# SPDX-License-Identifier: MIT
"""``kammerton report``: runs as one page."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from kammerton.errors import OptionError, printable, quote

__all__ = ["app"]

app = App(
    name="report",
    help="Write runs as one HTML page.",
    usage="Usage: kammerton report [NAME=]RUN [[NAME=]RUN ...] [OPTIONS]",
)


@app.default
def report(
    *runs: Annotated[str, Parameter(name="RUN", show_default=False)],
    output: Annotated[str, Parameter(name=["--output", "-o"], metavar="FILE")] = "report.html",
    figures: Annotated[str | None, Parameter(metavar="FOLDER")] = None,
    title: Annotated[str, Parameter(metavar="TEXT")] = "Evaluation report",
    quiet: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Write runs that `kammerton score --out` wrote as one HTML page, which opens anywhere without a network.

    Runs of one task and the same references become one chapter, in which their systems are compared.

    Parameters
    ----------
    runs
        Folder of a run; NAME=RUN names the system of a run that has one.
    output
        Where to.
    figures
        Write the charts as SVG, PDF and PNG, and the tables as LaTeX, to this folder too.
    title
        Heading of the page.
    quiet
        Say errors only.
    """
    import kammerton  # noqa: PLC0415 - not for help pages
    from kammerton.cli.outputs import check_output, say_problems, split_name  # noqa: PLC0415
    from kammerton.cli.progress import telling  # noqa: PLC0415
    from kammerton.cli.streams import (  # noqa: PLC0415
        DONE,
        NOTHING,
        say,
    )
    from kammerton.errors import DataError  # noqa: PLC0415

    if not runs:
        raise OptionError("RUN is needed", "a folder that `kammerton score --out` wrote")
    given = [split_name(each) for each in runs]
    paths = [path for _, path in given]
    check_output(output, paths, ())
    _check_outside(paths, (output, figures))
    try:
        with telling(quiet=quiet) as progress:
            kammerton.report(given, output, title=title, figures=figures, progress=progress)
    except DataError as error:
        say_problems(error.diagnostics, quiet=quiet)
        return NOTHING
    if not quiet:
        beside = f", and figures to `{printable(figures)}`" if figures else ""
        say(f"wrote `{printable(output)}`{beside}")
    return DONE


def _check_outside(runs: Iterable[str], outputs: Iterable[str | None]) -> None:
    for run in runs:
        for path in outputs:
            if path is not None and Path(os.path.realpath(path)).is_relative_to(os.path.realpath(run)):
                raise OptionError(f"{quote(path)} is within a run", "a run holds nothing else")
