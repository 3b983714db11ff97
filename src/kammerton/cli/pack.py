# SPDX-License-Identifier: MIT
"""``kammerton pack``: the annotations of a folder in one file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from kammerton.cli.tasks import task_verb

if TYPE_CHECKING:
    from kammerton.api.files import Packed
    from kammerton.model.task import Task

__all__ = ["app", "command"]

app = task_verb("pack", "Pack annotation files into one.", "PATH OUT.parquet [OPTIONS]")


def command(task: Task) -> Callable[..., int]:
    """Return the sub-command of a task."""

    def pack(
        *paths: Annotated[str, Parameter(name="PATH")],
        pairs: Annotated[str | None, Parameter(metavar="FILE.csv")] = None,
        force: Annotated[bool, Parameter(negative="")] = False,
        quiet: Annotated[bool, Parameter(negative="")] = False,
        **reading: Any,
    ) -> int:
        """Read annotations once, and keep them in a file that every command takes in place of the folder.

        Scores and messages are the same as from the folder, and come faster; `kammerton convert` makes
        files of it again. Exit code 1 if something could not be read; the file says so too.

        Parameters
        ----------
        paths
            A folder or a file, and the file to write, which is called .parquet.
        pairs
            List of what belongs together, as for `kammerton score`, in place of PATH; the file is then such
            a list itself.
        force
            Replace a file that is there already.
        quiet
            Say errors only.
        """
        from kammerton.api.files import pack as carry  # noqa: PLC0415
        from kammerton.cli.outputs import check_output, say_problems  # noqa: PLC0415
        from kammerton.cli.streams import (  # noqa: PLC0415 - not for help pages
            DONE,
            PARTIAL,
            say,
        )

        source, target = _sides(paths, pairs)
        check_output(target, [each for each in (source, pairs) if each], task.suffixes)
        done = carry(task.name, source, target, pairs=pairs, force=force, options=task.options(**reading))
        say_problems(done.diagnostics, quiet=quiet)
        if not quiet:
            say(_summary(done))
        return PARTIAL if done.broken or done.counts.get("error") else DONE

    return pack


def _sides(paths: tuple[str, ...], pairs: str | None) -> tuple[str | None, str]:
    """Tell what is packed from where it goes."""
    from kammerton.errors import OptionError  # noqa: PLC0415 - not for help pages

    expected = 2 if pairs is None else 1
    if len(paths) != expected:
        form = "PATH OUT.parquet" if pairs is None else "--pairs FILE.csv OUT.parquet"
        raise OptionError(f"expected {form}, got {len(paths)} paths")
    return (paths[0] if pairs is None else None), paths[-1]


def _summary(done: Packed) -> str:
    from kammerton.errors import plural  # noqa: PLC0415
    from kammerton.formats.writing import size_of  # noqa: PLC0415

    what = f"{plural(done.items, 'item')}, {plural(done.annotations, 'annotation')}"
    broken = f"; {done.broken:,} cannot be used, and the pack says why" if done.broken else ""
    return f"packed {what}, {plural(done.rows, 'row')}: {size_of(done.bytes)}{broken}"
