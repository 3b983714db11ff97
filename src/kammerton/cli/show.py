# SPDX-License-Identifier: MIT
"""``kammerton show``: one item in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from kammerton.cli.names import split_name
from kammerton.cli.tasks import task_verb
from kammerton.errors import OptionError

if TYPE_CHECKING:
    from kammerton.model.task import Task

__all__ = ["app", "command"]

app = task_verb(
    "show", "Show one item in the terminal: where the points went.", "REF EST [EST ...] [ITEM] [OPTIONS]"
)


def command(task: Task) -> Callable[..., int]:
    """Return the sub-command of a task."""
    from kammerton.api import show as lay_out  # noqa: PLC0415 - not for help pages
    from kammerton.cli.exit_codes import DONE, PARTIAL  # noqa: PLC0415
    from kammerton.cli.names import name_systems, sort_annotators  # noqa: PLC0415
    from kammerton.cli.streams import style_of, write_out  # noqa: PLC0415
    from kammerton.cli.talk import say_problems  # noqa: PLC0415
    from kammerton.model.corpus import ALL  # noqa: PLC0415
    from kammerton.reporting.timeline import NARROWEST, WIDEST, render_item  # noqa: PLC0415

    def show(
        references: Annotated[str, Parameter(name="REF")],
        /,
        *estimates: Annotated[str, Parameter(name="EST")],
        measure: str | None = None,
        annotator: Annotated[
            list[str] | None, Parameter(name="--annotator", negative="", metavar="NAME|NAME=PATH")
        ] = None,
        start: Annotated[float | None, Parameter(name="--from", metavar="S")] = None,
        end: Annotated[float | None, Parameter(name="--to", metavar="S")] = None,
        width: Annotated[int | None, Parameter(metavar="COLUMNS")] = None,
        quiet: Annotated[bool, Parameter(negative="")] = False,
        **reading: Any,
    ) -> int:
        """Draw the reference over each estimate, with what is wrong marked, and list what cost most.

        ITEM is the name of an item, or a part of the name that no other item has. It is needed if REF
        is a folder.

        Parameters
        ----------
        references
            Folder or file of the references; NAME=PATH names the annotator.
        estimates
            Folder or file of each system; NAME=PATH names it. The last one is ITEM if REF is a folder,
            or if there is no such path.
        measure
            Judges what is wrong, PROTOCOL/MEASURE, or a name that only one has.
        annotator
            Show this annotator's reference; NAME=PATH adds a further annotator, repeatable.
        start
            First second of the timeline.
        end
            Last second of the timeline.
        width
            Columns to fill; by default those of the terminal.
        quiet
            Say errors only.
        """
        chosen, added = sort_annotators(annotator or ())
        name, path = split_name(references)
        systems, item = _split_item(path, estimates)
        view = lay_out(
            task.name,
            path if name is None else None,
            name_systems(systems),
            item,
            measure=measure,
            annotators=added if name is None else {name: path, **added},
            annotator=None if chosen == ALL else chosen,
            options=task.options(**reading),
        )
        style = style_of(sys.stdout)
        drawn = render_item(
            view,
            width=max(NARROWEST, min(style.width, WIDEST)) if width is None else width,
            start=start,
            end=end,
            encoding=style.encoding,
            colour=style.colour,
        )
        say_problems(view.diagnostics, quiet=quiet)
        write_out(drawn)
        return PARTIAL if any(track.note for track in view.tracks) else DONE

    return show


def _split_item(references: str, arguments: Sequence[str]) -> tuple[Sequence[str], str | None]:
    """Tell the systems from the item behind them."""
    if not arguments:
        raise OptionError("REF and EST are needed")
    *systems, last = arguments
    is_item = Path(references).is_dir() or not Path(split_name(last)[1]).exists()
    return (systems, last) if systems and is_item else (arguments, None)
