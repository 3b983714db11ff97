# SPDX-License-Identifier: MIT
"""``kammerton show``, ``report`` and ``diff``: one item, the page of runs, and what changed between two."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import kammerton
from kammerton.api.scoring import items_of_run
from kammerton.cli.options import (
    OUTPUT,
    Annotator,
    Estimates,
    Quiet,
    References,
    Settings,
    option,
    settings_by_name,
)
from kammerton.cli.output import (
    DONE,
    PARTIAL,
    print_diagnostics,
    print_message,
    print_messages,
    style_of,
    write_output,
)
from kammerton.cli.paths import check_output, sides, sort_annotators, split_name
from kammerton.cli.progress import phases
from kammerton.errors import OptionError, printable, quote
from kammerton.formats.remote import is_remote
from kammerton.formats.writing import lies_within
from kammerton.model.annotations import portable
from kammerton.model.corpus import ALL, one_of
from kammerton.model.measure import find
from kammerton.model.task import Task
from kammerton.model.views import ItemView
from kammerton.reporting.differences import render_difference, summary_of
from kammerton.reporting.documents import item_losses, render_frame, render_item_losses, render_json
from kammerton.reporting.timeline import NARROWEST, WIDEST, render_item
from kammerton.runs import RunDifference, is_run
from kammerton.runs.joining import named_runs

_MOST_LINES = 80
"""Lines of an item that was chosen by its loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a system would have it so, or not."""

    explain: Annotated[
        str | None,
        option(
            "Say what this system, such as `rules` of fingering, makes of each annotation, note by note.",
            metavar="SYSTEM",
        ),
    ] = None
    setting: Settings = None

    def check(self) -> None:
        """Refuse settings of no system."""
        if self.setting and self.explain is None:
            raise OptionError("--set needs --explain", "settings are those of a system")

    def of(self, task: Task, view: ItemView, system: str, start: float | None, end: float | None) -> ItemView:
        """Return a view with a table for each track: what the system makes of it, and why."""
        from kammerton.systems.annotating import settings_of  # noqa: PLC0415 - few ask for it
        from kammerton.systems.registry import find_system, known_systems  # noqa: PLC0415

        chosen = find_system(task, system)
        if chosen.explain is None:
            able = [own.name for own, _ in known_systems()[0] if own.task == task.name and own.explain]
            hint = f"these do: {', '.join(able)}" if able else f"no system of {task.name} does"
            raise OptionError(f"{quote(chosen.name)} does not explain itself", hint)
        settings = settings_of(chosen, settings_by_name(self.setting))
        tables = []
        for name, annotation in view.annotations.items():
            table = chosen.explain(annotation, settings, start or 0.0, math.inf if end is None else end)
            tables.append(replace(table, title=f"{name}: {table.title}"))
        return replace(view, tables=(*view.tables, *tables))


def show(
    task: Task,
    references: References = None,
    /,
    *estimates: Estimates,
    worst: Annotated[
        int | None,
        option(
            "Show the N items with the largest loss instead of ITEM, a list of them first. The loss of an "
            "item is how far its score is from the best value, times its seconds, notes or files, "
            "over all systems.",
            metavar="N",
        ),
    ] = None,
    items: Annotated[
        str | None,
        option(
            "Choose the worst among these items: names that match, or a file with one a line.",
            metavar="REGEX|FILE",
        ),
    ] = None,
    annotator: Annotator = None,
    start: Annotated[
        float | None,
        option("Start of the timeline: seconds, or quarter notes of a score.", name="--from", metavar="TIME"),
    ] = None,
    end: Annotated[float | None, option("End of the timeline.", name="--to", metavar="TIME")] = None,
    every: Annotated[
        bool,
        option("Draw the whole of the --worst items, not only where most is wrong.", name="--all"),
    ] = False,
    width: Annotated[
        int | None,
        option("Width of the drawing; by default that of the terminal.", metavar="COLUMNS", group=OUTPUT),
    ] = None,
    quiet: Quiet = False,
    explanation: Explanation,
    **choices: Any,
) -> int:
    """Draw the reference over each estimate with the errors marked, and list what lost most.

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
    """
    chosen, added = sort_annotators(annotator)
    sources, item = _sources_and_item(references, estimates, added, choices["pairs"], whole=worst is not None)
    measure, systems = choices.pop("measure"), choices.pop("systems")
    arguments = {**choices, **sources, "annotator": None if chosen == ALL else chosen}
    style = style_of(sys.stdout)
    columns = max(NARROWEST, min(style.width, WIDEST)) if width is None else width
    names: list[str | None] = [item]
    parts: list[str] = []
    if items is not None and worst is None:
        raise OptionError("--items needs --worst", "ITEM names one")
    if worst is not None:
        names, summary = _most_costly(
            task, arguments, measure, systems or (), worst, items, columns, style.encoding
        )
        parts.append(summary)
    explanation.check()
    asked = {"measure": measure, "systems": systems}
    views = [kammerton.show(task, item=name, **asked, **arguments) for name in names]
    if explanation.explain is not None:
        views = [explanation.of(task, view, explanation.explain, start, end) for view in views]
    used = sum(part.count("\n") + 1 for part in parts)
    is_whole = worst is None or every or start is not None or end is not None
    for view in views:  # all of them before anything is printed: one may be refused
        print_diagnostics(view.diagnostics, quiet=quiet)
        parts.append(
            render_item(
                view,
                width=columns,
                start=start,
                end=end,
                encoding=style.encoding,
                colour=style.colour,
                most=None if is_whole else _MOST_LINES - used,
            )
        )
        used = 1
    write_output("\n".join(parts))
    return PARTIAL if any(track.note for view in views for track in view.tracks) else DONE


def _sources_and_item(
    references: str | None,
    estimates: Sequence[str],
    added: dict[str, str],
    pairs: str | None,
    *,
    whole: bool,
) -> tuple[dict[str, Any], str | None]:
    """Return references, estimates and annotators as the Python calls take them, and the item behind them."""
    if pairs is not None:
        if estimates or added:
            raise OptionError("--pairs stands in place of REF, EST and further annotators")
        return {}, references
    if references is not None and len(estimates) <= (not whole) and is_run(split_name(references)[1]):
        return {"references": split_name(references), "annotators": added or None}, next(
            iter(estimates), None
        )
    if references is None or not estimates:
        raise OptionError("REF and EST are needed", "or a run, or --pairs FILE.csv")
    *systems, last = estimates
    path = split_name(last)[1]
    is_folder = Path(split_name(references)[1]).is_dir()
    is_item = not is_remote(path) and (is_folder or not Path(path).exists())
    if whole or not systems or not is_item:
        return sides(references, estimates, added, None), None
    return sides(references, systems, added, None), last


def _most_costly(
    task: Task,
    arguments: dict[str, Any],
    measure: str | None,
    systems: Sequence[str],
    count: int,
    items: str | None,
    width: int,
    encoding: str,
) -> tuple[list[str | None], str]:
    """Return the names of the items with the largest loss, and a table of them."""
    if count < 1:
        raise OptionError(f"--worst must be 1 or more, got {count}")
    address = measure or task.judge
    if not address:
        raise OptionError("by which measure?", "name it: --measure PROTOCOL/MEASURE")
    if arguments["pairs"] is None and "estimates" not in arguments:
        (run,) = named_runs([arguments["references"]])
        scores = items_of_run(run, items)
        judge = find(address, scores.measures, task.measures)
    else:
        judge = task.find(address)
        scoring = {**arguments, "items": items, "annotator": arguments["annotator"] or ALL, "protocols": None}
        scores = kammerton.score(task, measures=[str(judge)], **scoring)
    for system in systems:
        one_of("system", system, scores.systems)
    losses = item_losses(scores, judge, systems)[:count]
    if not losses:
        raise OptionError(f"no item has a loss by {judge}")
    summary = render_item_losses(scores, judge, losses, systems, width=width, encoding=encoding)
    return [loss.item for loss in losses], summary


def report(
    *runs: Annotated[str, option(name="RUN", show_default=False)],
    output: Annotated[
        str, option("Write the page to this file.", name=["--output", "-o"], metavar="FILE", group=OUTPUT)
    ] = "report.html",
    quiet: Quiet = False,
    **choices: Any,
) -> int:
    """Write runs that `kammerton score --out` wrote as one HTML page, which opens anywhere without a network.

    Runs of one task and the same references become one chapter, in which their systems are compared.

    Parameters
    ----------
    runs
        Folder of a run; NAME=RUN names the system of a run that has one.
    """
    if not runs:
        raise OptionError("RUN is needed", "a folder that `kammerton score --out` wrote")
    names_and_runs = [split_name(run) for run in runs]
    paths, figures = [path for _, path in names_and_runs], choices["figures"]
    check_output(output, paths, ())
    for path in (output, *([figures] if figures else ())):
        if any(lies_within(path, run) for run in paths):
            raise OptionError(f"{quote(path)} is within a run", "a run holds nothing else")
    written = [f"{name}={portable(path)}" if name else portable(path) for name, path in names_and_runs]
    command = shlex.join(["kammerton", "report", *written, "--output", portable(output)])
    with phases(quiet=quiet) as progress:
        kammerton.report(names_and_runs, output, progress=progress, command=command, **choices)
    if not quiet:
        beside = f", and figures to `{printable(figures)}`" if figures else ""
        print_message(f"wrote `{printable(output)}`{beside}")
    return DONE


def diff(
    before: Annotated[str | None, option(name="RUN_A", show_default=False)] = None,
    after: Annotated[str | None, option(name="RUN_B", show_default=False)] = None,
    /,
    *,
    form: Annotated[
        Literal["table", "json", "csv", "md"],
        option(
            "Print tables of what changed (table, md), everything (json), or items (csv).",
            name="--format",
            group=OUTPUT,
        ),
    ] = "table",
    quiet: Quiet = False,
    **choices: Any,
) -> int:
    """Compare two runs that `kammerton score --out` wrote, item by item and score by score.

    Exit code 1 if anything changed, 0 if nothing did. Runs of two tasks, of different references, or of
    another revision of a protocol are refused.

    Parameters
    ----------
    before
        The earlier run; NAME=RUN names the system of a run that has one.
    after
        The later run.
    """
    if before is None or after is None:
        raise OptionError("RUN_A and RUN_B are needed", "two folders that `kammerton score --out` wrote")
    runs = named_runs([split_name(before), split_name(after)])
    difference = kammerton.diff(*runs, **choices)
    write_output(_difference_document(difference, form), is_data=form != "table")
    if not quiet:
        print_messages(difference.notes)
        print_message(summary_of(difference))
    return PARTIAL if difference.changed else DONE


def _difference_document(difference: RunDifference, form: str) -> str:
    if form == "json":
        return render_json(difference.to_dict())
    if form == "csv":
        return render_frame(difference.table)
    return render_difference(difference, form, encoding=style_of(sys.stdout).encoding)
