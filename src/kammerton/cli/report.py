# SPDX-License-Identifier: MIT
"""``kammerton report``: runs as one page."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from kammerton.errors import OptionError

__all__ = ["app"]

app = App(
    name="report",
    help="Write runs as one HTML page.",
    usage="Usage: kammerton report RUN [RUN ...] [OPTIONS]",
)


@app.default
def report(
    *runs: Annotated[str, Parameter(name="RUN", show_default=False)],
    output: Annotated[str, Parameter(name=["--output", "-o"], metavar="FILE")] = "report.html",
    title: Annotated[str, Parameter(metavar="TEXT")] = "Evaluation report",
    quiet: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Write runs that `kammerton score --out` wrote as one HTML page, which opens anywhere without a network.

    Runs of one task and the same references become one chapter, in which their systems are compared.

    Parameters
    ----------
    runs
        Folders of runs.
    output
        Where to.
    title
        Heading of the page.
    quiet
        Say errors only.
    """
    import kammerton  # noqa: PLC0415 - not for help pages
    from kammerton.cli.exit_codes import DONE, NOTHING  # noqa: PLC0415
    from kammerton.cli.streams import say  # noqa: PLC0415
    from kammerton.cli.talk import say_problems  # noqa: PLC0415
    from kammerton.errors import DataError, quote  # noqa: PLC0415

    if not runs:
        raise OptionError("RUN is needed", "a folder that `kammerton score --out` wrote")
    try:
        kammerton.report(runs, output, title=title)
    except DataError as error:
        say_problems(error.diagnostics, quiet=quiet)
        return NOTHING
    if not quiet:
        say(f"wrote {quote(output)}")
    return DONE
