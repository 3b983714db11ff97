# SPDX-License-Identifier: MIT
"""``kammerton demo``: the bundled example, scored."""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from kammerton.cli.streams import DONE, say, style_of, write_out
from kammerton.errors import OptionError, OutputError, printable, quote

if TYPE_CHECKING:
    from kammerton.results.scores import Scores

__all__ = ["EXAMPLE", "app"]

EXAMPLE = Path(__file__).parent.parent / "demo"
"""Where the bundled files are."""

_CHORDS = (
    "kammerton show chords reference careful hasty greensleeves --measure mirex2013/Sevenths",
    "kammerton score chords reference careful hasty --format csv --per-item songs.csv",
    "kammerton measures chords",
)
_FINGERING = (
    "kammerton show fingering reference careful hasty minuet",
    "kammerton check fingering hasty",
    "kammerton convert fingering reference scores --to musicxml",
)

_INSTRUMENTS = (
    "kammerton show instruments reference.csv careful.csv hasty.csv parade --taxonomy openmic-2018",
    "kammerton score instruments reference.csv careful.csv hasty.csv --all",
)

_TRIED = {"chords": _CHORDS, "fingering": _FINGERING, "instruments": _INSTRUMENTS}
"""What to try with the files of each task."""

_PROTOCOLS = {
    "chords": ("mirex2013",),
    "fingering": ("nakamura2020", "playability"),
    "instruments": ("open-mic-task1",),
}

_REPORTED = {**_PROTOCOLS, "fingering": ("nakamura2020", "strike", "playability")}
"""Those of a report, which tells of fingers what only ``strike`` counts."""

_FURTHER = {"chords": ("second",)}
"""Annotators of further folders; those of fingerings are told by the names of the files."""

_OPTIONS = {"instruments": {"taxonomy": "openmic-2018"}}

app = App(
    name="demo",
    help="Score the bundled example.",
    usage="Usage: kammerton demo [--copy FOLDER | --report FILE]",
)


@app.default
def demo(
    *,
    copy: Annotated[str | None, Parameter(metavar="FOLDER")] = None,
    report: Annotated[str | None, Parameter(metavar="FILE")] = None,
) -> int:
    """Score the bundled example: chords of tunes, fingerings of pieces, instruments of recordings.

    Each has two annotators and two systems.

    Parameters
    ----------
    copy
        Copy the files of the example to a folder that is new or empty instead, to play with them.
    report
        Write a report of all three tasks, too.
    """
    if copy is not None and report is not None:
        raise OptionError("--copy and --report exclude each other")
    if copy is not None:
        _copy(copy)
        tried = tuple((Path(copy) / task, own) for task, own in _TRIED.items())
        write_out(
            f"copied to {copy}\n" + "".join(f"try, in {folder}:\n{_indented(own)}" for folder, own in tried)
        )
        return DONE
    if report is not None:
        _report(report)
    write_out(_shown())
    if report is not None:
        say(f"wrote `{printable(report)}`: open it in a browser")
    return DONE


def _report(path: str) -> None:
    import kammerton  # noqa: PLC0415 - not for help pages, nor for copying
    from kammerton.cli.outputs import check_output  # noqa: PLC0415

    check_output(path, (), ())
    found = [_scores(task, *_REPORTED[task], context=True) for task in _TRIED]
    kammerton.report(found, path, title="The bundled example of Kammerton")


def _shown() -> str:
    """Return figures and a piece of a view for each task, and what to try next."""
    first = f"kammerton demo --copy example && cd {Path('example', 'chords')}"
    parts = (
        "Chords of four old tunes: the systems `careful` and `hasty` against the annotators",
        "`reference` and `second`; `all` takes both annotators together.",
        "",
        _scored("chords"),
        _drawn("chords", "Amazing Grace", 8.0, 24.0),
        "Fingerings of three short pieces, by two annotators and two systems.",
        "",
        _scored("fingering"),
        _drawn("fingering", "Cadence"),
        "Instruments of six recordings, on the taxonomy `openmic-2018`.",
        "",
        _scored("instruments"),
        _drawn("instruments", "harbour song"),
        f"The files are in {EXAMPLE}",
        "Next, try:",
        _indented((first, *_CHORDS))
        + "".join(_indented((f"cd {Path('..', task)}", *_TRIED[task])) for task in list(_TRIED)[1:]),
    )
    return "\n".join(parts)


def _scored(task: str) -> str:
    from kammerton.reporting.tables import build_blocks, render_text  # noqa: PLC0415

    style = style_of(sys.stdout)
    blocks = build_blocks(_scores(task, *_PROTOCOLS[task]))
    return render_text(blocks, width=style.width, encoding=style.encoding)


def _scores(task: str, *protocols: str, context: bool = False) -> Scores:
    from kammerton.api.scoring import score  # noqa: PLC0415 - not for help pages, nor for copying

    return score(
        task,
        _place(task, "reference"),
        _systems(task),
        annotators={name: _place(task, name) for name in _FURTHER.get(task, ())},
        protocols=protocols,
        options=_options(task),
        context=context,
    )


def _drawn(task: str, item: str, start: float | None = None, end: float | None = None) -> str:
    from kammerton.api.pages import show  # noqa: PLC0415 - not for help pages, nor for copying
    from kammerton.reporting.timeline import NARROWEST, WIDEST, render_item  # noqa: PLC0415

    style = style_of(sys.stdout)
    view = show(task, _place(task, "reference"), _systems(task), item, options=_options(task))
    return render_item(
        replace(view, tables=()),
        width=max(NARROWEST, min(style.width, WIDEST)),
        start=start,
        end=end,
        encoding=style.encoding,
        colour=style.colour,
    )


def _place(task: str, name: str) -> Path:
    """Return the folder of an annotator or system, or the file where all items are in one."""
    folder = EXAMPLE / task / name
    return folder if folder.is_dir() else folder.with_suffix(".csv")


def _systems(task: str) -> dict[str, Path]:
    return {name: _place(task, name) for name in ("careful", "hasty")}


def _options(task: str) -> object:
    from kammerton.model.registry import find_task  # noqa: PLC0415 - not for help pages, nor for copying

    return find_task(task).options(**_OPTIONS.get(task, {}))


def _indented(commands: tuple[str, ...]) -> str:
    return "".join(f"  {command}\n" for command in commands)


def _copy(destination: str) -> None:
    """Copy the example beside its destination, then move it there as a whole."""
    target = Path(destination)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        what = "the folder is not empty" if target.is_dir() else "a file is there"
        raise OutputError(f"KT501 cannot write {quote(destination)}: {what}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".kammerton-", dir=target.parent) as aside:
            copied = Path(aside, "demo")
            for source in sorted(EXAMPLE.rglob("*.*")):
                place = copied / source.relative_to(EXAMPLE)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, place)  # not their modes: what is installed may be read-only
            if target.exists():
                target.rmdir()
            copied.rename(target)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"KT502 cannot write {quote(destination)}: {reason}") from error
