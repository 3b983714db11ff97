# SPDX-License-Identifier: MIT
"""``kammerton show``: one item in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from kammerton.cli.outputs import name_systems, split_name
from kammerton.cli.tasks import task_verb
from kammerton.errors import OptionError
from kammerton.formats.remote import is_remote
from kammerton.runs import is_run

if TYPE_CHECKING:
    from kammerton.model.task import Task

__all__ = ["app", "command"]

app = task_verb(
    "show",
    "Show one item in the terminal: where the points went.",
    "(REF EST [EST ...]|RUN) [ITEM] [OPTIONS]",
)


def command(task: Task) -> Callable[..., int]:
    """Return the sub-command of a task."""
    from kammerton.api.pages import show as lay_out  # noqa: PLC0415 - not for help pages
    from kammerton.cli.outputs import say_problems, sort_annotators  # noqa: PLC0415
    from kammerton.cli.streams import DONE, PARTIAL, style_of, write_out  # noqa: PLC0415  # noqa: PLC0415
    from kammerton.model.corpus import ALL  # noqa: PLC0415
    from kammerton.reporting.timeline import NARROWEST, WIDEST, render_item  # noqa: PLC0415

    def show(
        references: Annotated[str | None, Parameter(name="REF", show_default=False)] = None,
        /,
        *estimates: Annotated[str, Parameter(name="EST")],
        measure: str | None = None,
        worst: Annotated[int | None, Parameter(metavar="N")] = None,
        annotator: Annotated[
            list[str] | None, Parameter(name="--annotator", negative="", metavar="NAME|NAME=PATH")
        ] = None,
        estimate_annotator: Annotated[str | None, Parameter(metavar="NAME|NUMBER")] = None,
        pairs: Annotated[str | None, Parameter(metavar="FILE.csv")] = None,
        start: Annotated[float | None, Parameter(name="--from", metavar="TIME")] = None,
        end: Annotated[float | None, Parameter(name="--to", metavar="TIME")] = None,
        width: Annotated[int | None, Parameter(metavar="COLUMNS")] = None,
        quiet: Annotated[bool, Parameter(negative="")] = False,
        **reading: Any,
    ) -> int:
        """Draw the reference over each estimate, with what is wrong marked, and list what cost most.

        ITEM is the name of an item, or a part of the name that no other item has. It is needed if REF
        is a folder, unless --worst chooses.

        Parameters
        ----------
        references
            Folder or file of the references; NAME=PATH names the annotator. Or a run, which keeps what was
            scored, in place of REF and EST.
        estimates
            Folder or file of each system; NAME=PATH names it. The last one is ITEM if REF is a folder,
            or if there is no such path.
        measure
            Judges what is wrong, PROTOCOL/MEASURE, or a name that only one has; case matters.
        worst
            Show the N items that cost most instead of ITEM, a list of them first: what a value lacks to the
            best, times its seconds, notes or files, all systems together; not the lowest values.
        annotator
            Show this annotator's reference; NAME=PATH adds a further annotator, repeatable.
        estimate_annotator
            Which annotation is the estimate, as for score.
        pairs
            List of what belongs together, as for score, in place of REF and EST; ITEM may follow.
        start
            Where the timeline begins: seconds, or quarter notes of a score.
        end
            Where it ends.
        width
            Columns to fill; by default those of the terminal.
        quiet
            Say errors only.
        """
        chosen, added = sort_annotators(annotator or ())
        named, item = _named(references, estimates, added, pairs, whole=worst is not None)
        named |= {
            "annotator": None if chosen == ALL else chosen,
            "estimate_annotator": estimate_annotator,
            "options": task.options(**reading),
        }
        style = style_of(sys.stdout)
        code = DONE
        columns = max(NARROWEST, min(style.width, WIDEST)) if width is None else width
        items: list[str | None] = [item]
        if worst is not None:
            items, summary = _costliest(task, named, measure, worst, columns, style.encoding)
            write_out(f"{summary}\n")
        for number, each in enumerate(items):
            view = lay_out(task.name, item=each, measure=measure, **named)
            drawn = render_item(
                view,
                width=columns,
                start=start,
                end=end,
                encoding=style.encoding,
                colour=style.colour,
            )
            say_problems(view.diagnostics, quiet=quiet)
            write_out(("\n" if number else "") + drawn)
            code = PARTIAL if any(track.note for track in view.tracks) else code
        return code

    return show


def _named(
    references: str | None,
    estimates: Sequence[str],
    added: Mapping[str, str],
    pairs: str | None,
    *,
    whole: bool,
) -> tuple[dict[str, Any], str | None]:
    """Return references, estimates and annotators as the API takes them, and the item."""
    if pairs is not None:
        if estimates or added:
            raise OptionError("--pairs stands in place of REF, EST and further annotators")
        return {"pairs": pairs}, references
    if references is not None and len(estimates) <= (not whole) and is_run(references):
        return {"references": references, "annotators": dict(added)}, next(iter(estimates), None)
    if references is None or not estimates:
        raise OptionError("REF and EST are needed", "or a run, or --pairs FILE.csv")
    name, path = split_name(references)
    systems, item = (estimates, None) if whole else _split_item(path, estimates)
    return {
        "references": path if name is None else None,
        "estimates": name_systems(systems),
        "annotators": dict(added) if name is None else {name: path, **added},
    }, item


def _costliest(
    task: Task, named: Mapping[str, Any], measure: str | None, count: int, width: int, encoding: str
) -> tuple[list[str | None], str]:
    """Return the names of the items that cost most by what judges, and a table of them."""
    import kammerton  # noqa: PLC0415
    from kammerton.model.corpus import ALL  # noqa: PLC0415
    from kammerton.model.measure import find  # noqa: PLC0415
    from kammerton.reporting.documents import costs_of_items, render_costs  # noqa: PLC0415

    if count < 1:
        raise OptionError(f"--worst must be 1 or more, got {count}")
    if not (measure or task.judge):
        raise OptionError("by which measure?", "say it: --measure PROTOCOL/MEASURE")
    asked = measure or task.judge
    if named.keys() & {"estimates", "pairs"}:
        judge = find(asked, task.measures)
        scored = {**named, "annotator": named["annotator"] or ALL}
        scores = kammerton.score(task.name, measures=[str(judge)], **scored)
    else:
        scores = kammerton.read_run(named["references"])
        judge = find(asked, scores.measures, task.measures)
    costs = costs_of_items(scores, judge)[:count]
    if not costs:
        raise OptionError(f"no item cost anything by {judge}")
    summary = render_costs(scores, judge, costs, width=width, encoding=encoding)
    return [cost.item for cost in costs], summary


def _split_item(references: str, arguments: Sequence[str]) -> tuple[Sequence[str], str | None]:
    """Tell the systems from the item behind them."""
    *systems, last = arguments
    path = split_name(last)[1]
    is_item = not is_remote(path) and (Path(references).is_dir() or not Path(path).exists())
    return (systems, last) if systems and is_item else (arguments, None)
