# SPDX-License-Identifier: MIT
"""``kammerton convert``: annotation files in other formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from kammerton.cli.tasks import task_verb

if TYPE_CHECKING:
    from kammerton.api.files import Converted
    from kammerton.model.task import Task

__all__ = ["app", "command"]

app = task_verb("convert", "Convert annotation files between formats.", "IN OUT [OPTIONS]")


def command(task: Task) -> Callable[..., int]:
    """Return the sub-command of a task."""
    from kammerton.api.files import convert as carry  # noqa: PLC0415
    from kammerton.cli.outputs import say_problems  # noqa: PLC0415
    from kammerton.cli.streams import say  # noqa: PLC0415 - not for help pages

    def convert(
        source: Annotated[str, Parameter(name="IN")],
        target: Annotated[str, Parameter(name="OUT")],
        /,
        *,
        to: str | None = None,
        annotator: Annotated[str | None, Parameter(metavar="NAME")] = None,
        force: Annotated[bool, Parameter(negative="")] = False,
        quiet: Annotated[bool, Parameter(negative="")] = False,
        **reading: Any,
    ) -> int:
        """Convert a file, or every file of a folder, labels as they were written.

        Exit code 1 if some of the files could not be converted.

        Parameters
        ----------
        source
            A file, a folder whose tree is kept, or a pack, here or at an address.
        target
            A file, or a folder: one that is there, or a path that ends with a slash, as `out/`. A format
            that holds one annotator gets a file for each: NAME with the suffix if IN is a file,
            NAME/ITEM if it is a folder; pig, ITEM-NUMBER_fingering.txt, as score reads it.
        to
            The format; by default the suffix of OUT tells it.
        annotator
            Convert this annotator only.
        force
            Replace files that are there already.
        quiet
            Say errors only.
        """
        done = carry(
            task.name,
            source,
            target,
            to=to,
            annotator=annotator,
            force=force,
            options=task.options(**reading),
        )
        say_problems(done.diagnostics, quiet=quiet)
        if not quiet:
            say(_summary(done))
        return _exit_code(done)

    formats = "|".join(task.conversion.forms) if task.conversion else "FORMAT"
    convert.__annotations__["to"] = Annotated[str | None, Parameter(metavar=formats)]
    return convert


def _exit_code(done: Converted) -> int:
    from kammerton.cli.streams import DONE, NOTHING, OUTPUT, PARTIAL  # noqa: PLC0415

    errors = [each.code for each in done.diagnostics if each.severity == "error"]
    if not errors:
        return DONE
    if done.written:
        return PARTIAL
    return OUTPUT if all(code.startswith("KT5") for code in errors) else NOTHING


def _summary(done: Converted) -> str:
    from kammerton.errors import plural  # noqa: PLC0415
    from kammerton.reporting.diagnostics import count_problems  # noqa: PLC0415

    parts = [f"{plural(len(done.written), 'file')} written"]
    if done.failed:
        parts.append(f"{len(done.failed):,} not converted")
    problems = count_problems(done.diagnostics)
    return ", ".join(parts) + (f"; {problems}" if problems else "")
