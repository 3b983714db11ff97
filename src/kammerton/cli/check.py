# SPDX-License-Identifier: MIT
"""``kammerton check``: everything that is wrong with annotation files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from kammerton.cli.tasks import task_verb
from kammerton.errors import OptionError

if TYPE_CHECKING:
    from kammerton.api.files import Checked
    from kammerton.model.task import Task

__all__ = ["app", "command"]

_Format = Literal["table", "concise", "json", "github"]

app = task_verb("check", "Check annotation files.", "PATH [PATH ...] [OPTIONS]")


def command(task: Task) -> Callable[..., int]:
    """Return the sub-command of a task."""
    from kammerton.api.files import check as look  # noqa: PLC0415 - not for help pages
    from kammerton.cli.streams import DONE, PARTIAL, say, write_out  # noqa: PLC0415  # noqa: PLC0415

    def check(
        *paths: Annotated[str, Parameter(name="PATH")],
        form: Annotated[_Format, Parameter(name="--format")] = "table",
        strict: Annotated[bool, Parameter(negative="")] = False,
        quiet: Annotated[bool, Parameter(negative="")] = False,
        **reading: Any,
    ) -> int:
        """Read files, and folders of files in any depth, and list every problem at once.

        Exit code 1 if there is an error.

        Parameters
        ----------
        paths
            Files, folders and packs, here or at an address.
        form
            Problems with their lines (table), one line for each (concise), JSON, or annotations of a
            pull request (github).
        strict
            Exit code 1 for warnings too.
        quiet
            Leave out notes and the summary.
        """
        if not paths:
            raise OptionError("PATH is needed", "files or folders")
        checked = look(task.name, *paths, options=task.options(**reading))
        write_out(_document(checked, form, quiet=quiet), is_data=form != "table")
        if not quiet:
            say(_summary(checked))
        return PARTIAL if checked.has_findings(strict=strict) else DONE

    return check


def _document(checked: Checked, form: str, *, quiet: bool) -> str:
    import sys  # noqa: PLC0415

    from kammerton.cli.streams import style_of  # noqa: PLC0415
    from kammerton.reporting.diagnostics import (  # noqa: PLC0415
        render_concise,
        render_findings,
        render_github,
    )
    from kammerton.reporting.documents import render_json  # noqa: PLC0415

    if form == "json":
        return render_json(checked.to_dict())
    shown = [each for each in checked.diagnostics if not quiet or each.severity != "note"]
    if form == "github":
        return render_github(shown)
    if form == "concise":
        return render_concise(shown)
    style = style_of(sys.stdout)
    return render_findings(shown, colour=style.colour, width=style.width, encoding=style.encoding)


def _summary(checked: Checked) -> str:
    from kammerton.errors import plural  # noqa: PLC0415
    from kammerton.reporting.diagnostics import count_problems  # noqa: PLC0415

    ignored = f"; {plural(len(checked.ignored), 'path')} ignored" if checked.ignored else ""
    found = count_problems(checked.diagnostics) or "no problems"
    wrong = [each for each in checked.diagnostics if each.severity != "note"]
    causes = len({(each.code, each.message) for each in wrong})
    fewer = f", of {plural(causes, 'cause')}" if causes < sum(each.count for each in wrong) else ""
    return f"{plural(len(checked.files), 'file')} checked: {found}{fewer}{ignored}"
