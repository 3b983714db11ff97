# SPDX-License-Identifier: MIT
"""Reports: runs, or scores, as one page."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from kammerton.errors import DataError, OptionError, OutputError, quote
from kammerton.formats.atomic import write_atomically
from kammerton.model.corpus import ALL
from kammerton.model.scores import Scores
from kammerton.model.views import ItemView
from kammerton.runs.beside import Joined, join_alike
from kammerton.runs.joining import Runs
from kammerton.showing import lay_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kammerton.reporting.html.source import Draw, Source

__all__ = ["report"]


def report(
    runs: Runs,
    path: str | os.PathLike[str],
    *,
    title: str = "Evaluation report",
    figures: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> None:
    """Write runs as one HTML file that opens anywhere, without a network.

    Parameters
    ----------
    runs : Scores, path of a run, or several of them
        Runs of one task and the same references become one chapter, in which their systems are compared. A
        mapping, or pairs of a name and a run, give the system of a run that has only one another name.
    path : path
        Of the file; what stands there is replaced.
    title : str
        Heading of the page.
    figures : path, optional
        Folder for the charts as SVG, PDF and PNG, and the tables as LaTeX. It is made unless it is there;
        files of the same names are replaced, others stay.
    progress : callable, optional
        Called with what is done next, in a few words.

    Returns
    -------
    None

    Raises
    ------
    OptionError
        If there is no run, or what draws charts is not installed: ``pip install 'kammerton[report]'``.
    DataError
        If a run cannot be read.
    OutputError
        KT501, KT502 if the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile, kammerton
    >>> ref = {"song": ([(0, 2), (2, 4)], ["C", "G:7"])}
    >>> est = {"song": ([(0, 3), (3, 4)], ["C", "G"])}
    >>> scores = kammerton.score("chords", ref, {"mine": est}, protocols=["mirex2013"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report(scores, f"{folder}/page.html")
    ...     pathlib.Path(folder, "page.html").read_text("utf-8")[:15]
    '<!DOCTYPE html>'
    """
    from kammerton.reporting.charts.drawing import altair_of  # noqa: PLC0415 - many write no report
    from kammerton.reporting.html.chapters import chapter_of, source_of  # noqa: PLC0415
    from kammerton.reporting.html.filling import shown  # noqa: PLC0415
    from kammerton.reporting.html.page import render_page  # noqa: PLC0415
    from kammerton.reporting.html.sections import Page  # noqa: PLC0415

    altair_of()
    tell = progress or _nobody_asks
    tell("reading runs")
    found = _joined(runs)
    sources, chapters = [], []
    titles = _titles([each.scores.task for each in found])
    for number, (each, name) in enumerate(zip(found, titles, strict=True), 1):
        tell(f"{name}: comparing systems")
        source = source_of(each.scores, f"c{number}")
        sources.append(source)
        tell(f"{name}: drawing figures and items")
        draw = _drawer(each.scores, str(source.main))
        chapters.append(chapter_of(source, name, draw, each.apart))
    page = render_page(Page(title=shown(title), chapters=chapters))
    if figures is not None:
        tell("writing figures")
        _write_figures(sources, titles, figures)
    write_atomically(path, page)


def _nobody_asks(_: str) -> None:
    """Take what is done next, and say nothing."""


def _joined(runs: Runs) -> Sequence[Joined]:
    if not isinstance(runs, Iterable | Scores | os.PathLike):
        raise OptionError.of_type("runs", runs, "scores, the path of a run, or several of them")
    found = join_alike(runs)
    if not found:
        raise OptionError("a report needs a run", "folders that `kammerton score --out` wrote")
    if not all(each.scores.has_references for each in found):
        hint = "`kammerton check` and `kammerton compare` tell of estimates alone"
        raise OptionError("a report needs references, and a run was scored without any", hint)
    return found


def _write_figures(sources: Sequence[Source], titles: Sequence[str], folder: str | os.PathLike[str]) -> None:
    from kammerton.reporting.figures import figure_files  # noqa: PLC0415 - many want none

    place = Path(folder)
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"KT501 cannot write {quote(os.fspath(folder))}: {reason}") from error
    for source, title in zip(sources, titles, strict=True):
        for name, data in figure_files(source, title.lower().replace(" ", "-")):
            write_atomically(place / name, data)


def _drawer(scores: Scores, measure: str) -> Draw | None:
    """Return what lays out an item; None if items cannot be, or only figures are left of them."""
    origin = scores.origin
    if origin.task.view is None or origin.corpus is None:
        return None
    task, corpus, options = origin.task, origin.corpus.paired(), origin.options
    named = [name for name in scores.annotators if name != ALL]
    judging = named[0] if len(named) == 1 else None

    def draw(item: str, annotator: str | None) -> ItemView | None:
        for judge in (measure, None):  # not every measure says what of an item is wrong
            try:
                return lay_out(
                    task, corpus, item, measure=judge, annotator=annotator or judging, options=options
                )
            except OptionError:
                continue
            except DataError as error:
                if any(problem.code == "KT721" for problem in error.diagnostics):
                    raise  # what was scored is there no more
                break  # there is no reference to lay it out by
        return None

    return draw


def _titles(tasks: list[str]) -> list[str]:
    """Return a heading for each chapter; several of one task are numbered."""
    counts, seen = Counter(tasks), Counter[str]()
    titles = []
    for task in tasks:
        seen[task] += 1
        titles.append(task.capitalize() + (f" {seen[task]}" if counts[task] > 1 else ""))
    return titles
