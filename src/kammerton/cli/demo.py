# SPDX-License-Identifier: MIT
"""``kammerton demo``: the bundled example, scored and annotated."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from cyclopts import Parameter

import kammerton
from kammerton.cli.output import DONE, print_message, style_of, write_output
from kammerton.errors import OptionError, OutputError, printable, quote
from kammerton.model.registry import TaskName, find_task

if TYPE_CHECKING:
    from kammerton.results.scores import Scores

_TITLE = "The bundled example of Kammerton"
EXAMPLE: Path = Path(__file__).parent.parent / "demo"
"""The folder of the bundled files."""

_SONG_HEADING = (
    "Chords of two songs made just now: of a recording (`audio`), of a MIDI file with mistakes\n"
    "(`symbolic`), of a chord sheet with mistakes (`sheet`), and of all three together (`fused`)."
)
_SONGS = 2
_SONG_SETTINGS = {"bars": 8, "errors": 0.4}


class _Example(NamedTuple):
    """How the files of a task are scored, and what to try with them."""

    heading: str
    protocols: tuple[str, ...]
    item: str  # to draw
    commands: tuple[str, ...]  # to try
    window: tuple[float | None, float | None] = (None, None)  # of the drawing
    reported: tuple[str, ...] = ()  # protocols of the report alone
    annotators: tuple[str, ...] = ()  # in folders of their own
    options: dict[str, str] = {}  # noqa: RUF012 - never changed


_EXAMPLES: dict[TaskName, _Example] = {
    "chords": _Example(
        "Chords of four old tunes: the systems `careful` and `hasty` against the annotators\n"
        "`reference` and `second`; `all` takes both annotators together.",
        ("mirex2013",),
        "Amazing Grace",
        (
            "kammerton show chords reference careful hasty greensleeves --measure mirex2013/Sevenths",
            "kammerton score chords reference careful hasty --format csv --per-item songs.csv",
            "kammerton measures chords",
        ),
        window=(8.0, 24.0),
        annotators=("second",),
    ),
    "fingering": _Example(
        "Fingerings of three short pieces, by two annotators and two systems.",
        ("nakamura2020", "playability"),
        "Cadence",
        (
            "kammerton show fingering reference careful hasty minuet",
            "kammerton check fingering hasty",
            "kammerton annotate fingering reference --system rules --out fingered",
            "kammerton show fingering reference fingered scale --explain rules",
            "kammerton convert fingering reference scores --to musicxml",
            "kammerton train fingering practice --splits practice_splits.csv --system hmm2 --out model.npz",
        ),
        reported=("strike",),
    ),
    "instruments": _Example(
        "Instruments of six recordings, on the taxonomy `openmic-2018`.",
        ("open-mic-task1",),
        "harbour song",
        (
            "kammerton show instruments reference.csv careful.csv hasty.csv parade --taxonomy openmic-2018",
            "kammerton score instruments reference.csv careful.csv hasty.csv --all",
        ),
        options={"taxonomy": "openmic-2018"},
    ),
}


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
        Copy the files of the example to a folder that is new or empty instead.
    report
        Write a report of all three tasks, too, and of two songs that are made for it, which can be heard in
        it; these need `kammerton[audio]`.
    """
    if copy is not None and report is not None:
        raise OptionError("--copy and --report exclude each other")
    if copy is not None:
        _copy(copy)
        lines = [
            f"try, in {Path(copy) / task}:\n{_indented(own.commands)}" for task, own in _EXAMPLES.items()
        ]
        write_output(f"copied to {copy}\n{''.join(lines)}")
        return DONE
    if report is None:
        write_output(_overview())
        return DONE
    from kammerton.cli.paths import check_output  # noqa: PLC0415 - loads NumPy
    from kammerton.systems.audio import require_soundfile  # noqa: PLC0415

    check_output(report, (), ())
    scores = [_scores(task, *own.reported, context=True) for task, own in _EXAMPLES.items()]
    try:
        require_soundfile()
    except OptionError as error:
        kammerton.report(scores, report, title=_TITLE)
        write_output(_overview())
        print_message(f"no songs are made: {error}")
    else:
        with _made_songs() as (heard, recordings):
            kammerton.report([*scores, heard], report, title=_TITLE, recordings=recordings)
        write_output(f"{_overview()}\n{_SONG_HEADING}\n\n{_rendered(heard)}")
    print_message(f"wrote `{printable(report)}`: open it in a browser")
    return DONE


def _overview() -> str:
    """Return scores and a drawing for each task, and what to try next."""
    parts = [f"{own.heading}\n\n{_table(task)}\n{_drawing(task)}" for task, own in _EXAMPLES.items()]
    parts.append(_fingered("C major scale"))
    commands = [f"kammerton demo --copy example && cd {Path('example', 'chords')}"]
    for task, own in _EXAMPLES.items():
        commands += [f"cd {Path('..', task)}"] * (task != "chords") + [*own.commands]
    return "\n".join((*parts, f"The files are in {EXAMPLE}", "Next, try:", _indented(commands)))


def _table(task: TaskName) -> str:
    return _rendered(_scores(task))


def _rendered(scores: Scores) -> str:
    from kammerton.reporting.comparisons import render_scores  # noqa: PLC0415 - loads NumPy
    from kammerton.reporting.rankings import TableOptions  # noqa: PLC0415

    style = style_of(sys.stdout)
    return render_scores(scores, "table", TableOptions(), width=style.width, encoding=style.encoding)


def _scores(task: TaskName, *further: str, context: bool = False) -> Scores:
    example = _EXAMPLES[task]
    return kammerton.score(
        task,
        _place(task, "reference"),
        _systems(task),
        annotators={name: _place(task, name) for name in example.annotators},
        protocols=(*example.protocols, *further),
        options=_options(task),
        context=context,
    )


def _drawing(task: TaskName) -> str:
    from kammerton.reporting.timeline import NARROWEST, WIDEST, render_item  # noqa: PLC0415 - loads NumPy

    style, example = style_of(sys.stdout), _EXAMPLES[task]
    start, end = example.window
    view = kammerton.show(
        task, _place(task, "reference"), _systems(task), example.item, options=_options(task)
    )
    return render_item(
        replace(view, tables=()),
        width=max(NARROWEST, min(style.width, WIDEST)),
        start=start,
        end=end,
        encoding=style.encoding,
        colour=style.colour,
    )


def _fingered(item: str) -> str:
    """Return a piece as the system ``rules`` fingers it, on staves."""
    from kammerton.reporting.staff import render_staves  # noqa: PLC0415 - loads NumPy

    reference = _place("fingering", "reference")
    made = kammerton.annotate("fingering", reference, system="rules")
    view = kammerton.show("fingering", reference, {"rules": made}, item)
    assert view.roll is not None, "notes are shown on a keyboard"
    width = style_of(sys.stdout).width
    return f"{item}, fingered by the system `rules`:\n\n{render_staves(view.roll, 'rules', width)}\n"


def _place(task: str, name: str) -> Path:
    """Return the folder of an annotator or system, or the file where all items are in one."""
    folder = EXAMPLE / task / name
    return folder if folder.is_dir() else folder.with_suffix(".csv")


def _systems(task: str) -> dict[str, Path]:
    return {name: _place(task, name) for name in ("careful", "hasty")}


def _options(task: TaskName) -> Any:
    return find_task(task).options(**_EXAMPLES[task].options)


def _indented(commands: Iterable[str]) -> str:
    return "".join(f"  {command}\n" for command in commands)


def _copy(destination: str) -> None:
    """Copy the example beside its destination, then move it there as a whole."""
    from kammerton.systems.practice import write_practice  # noqa: PLC0415 - loads NumPy

    target = Path(destination)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        what = "the folder is not empty" if target.is_dir() else "a file is there"
        raise OutputError(f"KT501 cannot write {quote(destination)}: {what}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".kammerton-", dir=target.parent) as aside:
            copied = Path(aside, "demo")
            for source in sorted(EXAMPLE.rglob("*.*")):
                place = copied / source.relative_to(EXAMPLE)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, place)  # not their modes: what is installed may be read-only
            write_practice(copied / "fingering/practice")
            if target.exists():
                target.rmdir()
            copied.rename(target)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"KT502 cannot write {quote(destination)}: {reason}") from error


@contextmanager
def _made_songs() -> Iterator[tuple[Scores, Path]]:
    """Make songs, and give the scores of every system on them, and the folder of the recordings."""
    with TemporaryDirectory(prefix="kammerton-") as made:
        folder = Path(made, "songs")
        songs = kammerton.scenes(
            items=_SONGS,
            difficulty="hard",
            settings=_SONG_SETTINGS,
            audio=True,
            bad_midis=1,
            sheets=1,
            out=folder,
        )
        sound, midi, sheets = (folder / name for name in ("audio", "bad_midi_1", "sheets_1"))
        inputs = {"audio": [sound], "symbolic": [midi], "sheet": [sheets, sound]}
        heard = {system: kammerton.annotate("chords", paths, system) for system, paths in inputs.items()}
        fused = kammerton.fuse("chords", heard)
        reference = {item: song.chords for item, song in songs.items()}
        systems = {**heard, "fused": fused.annotations}
        yield kammerton.score("chords", reference, systems, protocols=["mirex2013"], ci=None), sound
