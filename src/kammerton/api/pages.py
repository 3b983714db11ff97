# SPDX-License-Identifier: MIT
"""Show one item, and write the report."""

from __future__ import annotations

import base64
import datetime as dt
import io
import os
import unicodedata
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kammerton.api.scoring import corpus_of, is_lone_run, items_of_run
from kammerton.errors import DataError, OptionError, OutputError, close_match, plural, quote, some
from kammerton.formats.folders import find_files
from kammerton.formats.lists import Items
from kammerton.formats.reading import options_of
from kammerton.formats.writing import write_atomically
from kammerton.model.annotations import portable
from kammerton.model.corpus import ALL, Collection, Corpus
from kammerton.model.registry import TaskName, find_task
from kammerton.model.task import Options, Task
from kammerton.model.views import ItemView
from kammerton.reporting.timeline import DrawnItem
from kammerton.results.scores import Scores
from kammerton.runs.joining import Joined, Runs, join_alike, named_runs
from kammerton.runs.layout import versions
from kammerton.scoring.loading import load_estimates, load_references

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kammerton.reporting.html.page import Draw, Source

_LISTED = 5
"""Items that a message lists."""
Recordings = str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]]
_RATE = 16000
"""Of sound on a page, in samples per second."""


def show(  # noqa: PLR0913 - one per choice
    task: TaskName | Task,
    references: Any = None,
    estimates: Any = None,
    item: str | None = None,
    *,
    measure: str | None = None,
    protocols: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    annotators: Mapping[str, Any] | None = None,
    annotator: str | None = None,
    estimate_annotator: str | int | None = None,
    pairs: str | os.PathLike[str] | None = None,
    options: Options | None = None,
) -> ItemView:
    """Lay out one item: references and estimates, the errors in these, and the loss.

    Parameters
    ----------
    task : str or Task
        ``"chords"``, ``"fingering"``, ``"instruments"``, or the name of a third party's task, which its
        package declares; or the :class:`kammerton.tasks.Task` record of one.
    references, estimates, annotators, pairs
        As for :func:`score`; items that are not shown are not read. Or a run alone, as ``references``, which
        keeps what was scored.
    item : str, optional
        Name of the item, or a part of it that no other name has, whatever case and accents; of no need
        if there is only one.
    measure : str, optional
        Measure that decides what is wrong, as ``PROTOCOL/MEASURE``, or by a name that only one measure has;
        case matters. By default ``mirex2013/MajMin`` for chords, ``strike/accuracy`` for fingerings,
        ``open-mic-task1/F`` for instruments.
    protocols : iterable of str, optional
        Protocols whose scores are listed; by default those of the main measures, ``all`` for every one.
    systems : iterable of str, optional
        Show these systems only, such as one of a run.
    annotator : str, optional
        Annotator whose reference is shown; by default the first who has the item.
    estimate_annotator : str or int, optional
        As for :func:`score`.
    options : object, optional
        How files are read, as for :func:`score`.

    Returns
    -------
    ItemView
        Printed, it is a drawing 80 columns wide; :func:`kammerton.reporting.timeline.render_item` has
        choices. ``tables`` has the largest losses and the scores of the item, ``tracks`` the annotations,
        with marks on errors.

    Raises
    ------
    OptionError
        If there is no such item, measure or annotator, a name fits several items, or one is needed.
    DataError
        If no reference of the item can be used. An estimate that cannot be used is shown as none.

    Examples
    --------
    >>> ref = {"song": ([(0, 2), (2, 4)], ["C", "G:7"])}
    >>> est = {"song": ([(0, 3), (3, 4)], ["C", "G"])}
    >>> show("chords", ref, {"mine": est}).tracks[1].marks
    (Mark(start=2.0, end=3.0, state='wrong', kind='root'),)
    """
    kind = find_task(task)
    if kind.view is None:
        raise OptionError(f"items of {kind.name} cannot be shown")
    reading = options_of(kind, options)
    if not isinstance(item, str | None):
        raise OptionError.of_type("item", item, "a str")
    if estimates is None and pairs is None and is_lone_run(references):
        if annotators or reading != kind.options() or estimate_annotator is not None:
            raise OptionError("a run has its own annotators and options", "name it alone")
        corpus, reading = _of_run(kind, references)
    else:
        corpus = corpus_of(kind, references, estimates, annotators or {}, pairs, reading, estimate_annotator)
    corpus = _with_systems(corpus.paired(), systems)
    if not corpus.references:
        hint = f"`kammerton check {kind.name}` lists what is wrong with estimates alone"
        raise OptionError("items are shown against references, and the run was scored without any", hint)
    chosen = _matching(item, {name for collection in corpus.references for name in collection.items})
    listed = kind.choose(protocols, None)
    judge = None if measure is None else str(kind.find(measure))
    view = lay_out(kind, corpus, chosen, measure=judge, annotator=annotator, options=reading)
    return DrawnItem.of(_with_scores_of(view, {view.measure, *map(str, listed)}))


def _with_systems(corpus: Corpus, names: Iterable[str] | None) -> Corpus:
    """Return a corpus with the systems of these names, in the order of the corpus."""
    if names is None:
        return corpus
    chosen, known = [names] if isinstance(names, str) else list(names), {s.name for s in corpus.systems}
    for name in chosen:
        if name not in known:
            raise OptionError.unknown("system", name, known)
    return replace(corpus, systems=tuple(system for system in corpus.systems if system.name in chosen))


def _with_scores_of(view: ItemView, addresses: Container[str]) -> ItemView:
    """Return a view whose table of scores has these measures."""
    tables = [
        replace(table, rows=tuple(row for row in table.rows if row[0] in addresses))
        if table.columns[0].heading == "measure"
        else table
        for table in view.tables
    ]
    return replace(view, tables=tuple(tables))


def _of_run(task: Task, run: Any) -> tuple[Corpus, object]:
    """Return the annotations of a run, and the options by which they were read."""
    (scores,) = named_runs([run])
    name = quote(os.fsdecode(run[1] if isinstance(run, tuple) else run))
    if scores.task != task.name:
        raise OptionError(f"{name} is a run of {scores.task}, not of {task.name}")
    if scores.origin.corpus is None:
        raise OptionError(f"{name} keeps no annotations", "name references and estimates")
    return scores.origin.corpus, scores.origin.options


def lay_out(
    task: Task, corpus: Corpus, item: str, *, measure: str | None, annotator: str | None, options: object
) -> ItemView:
    """Lay out an item of a paired corpus, of a task that has views; as :func:`show`."""
    assert task.view is not None, "the task has views"
    crowded = {collection.name for collection in corpus.references if collection.crowded}
    references = tuple(_only(item, c) for c in corpus.references)
    loaded = load_references(task, references, options, crowded=crowded)
    usable = {name: items[item] for name, items in loaded.annotations.items() if item in items}
    if not usable:
        raise DataError(loaded.diagnostics)
    if annotator is not None and annotator not in usable:
        raise OptionError.unknown("annotator", annotator, usable)
    judging = next(iter(usable)) if annotator is None else annotator
    tracks: dict[str, Any] = {}
    diagnostics = list(loaded.diagnostics)
    for system in corpus.systems:
        estimates = load_estimates(task, _only(item, system), loaded, options)
        diagnostics += (*estimates.diagnostics, *estimates.match_diagnostics)
        track = estimates.annotations.get(item, estimates.failed.get(item, "no estimate"))
        tracks[system.name] = task.blank(usable[judging]) if track is None else track
    annotators, systems = (
        _shown_names(task, item, usable, "reference"),
        _shown_names(task, item, tracks, "estimate"),
    )
    judges = {annotators[name]: annotation for name, annotation in usable.items()}
    judged = {systems[name]: annotation for name, annotation in tracks.items()}
    view = task.view(item, annotators[judging], judges, judged, measure, options)
    known = {name: own for name, own in (*judges.items(), *judged.items()) if not isinstance(own, str)}
    return replace(view, diagnostics=tuple(diagnostics), annotations=known)


def _shown_names(task: Task, item: str, names: Iterable[str], role: str) -> dict[str, str]:
    """Return how names are shown: the role in place of that of a lone file, which is called like its item."""
    known = list(names)
    like_item = [name for name in known if task.identify(name)[0] == item]
    return {name: role if like_item == [name] and role not in known else name for name in known}


def _only(item: str, collection: Collection) -> Collection:
    """Return one item of a collection, without diagnostics on others."""
    return replace(
        collection.only([item]), diagnostics=collection.diagnostics if item in collection.broken else ()
    )


def _matching(name: str | None, items: Iterable[str]) -> str:
    """Return the item of this name, or the only one that has it as a part of its name."""
    known = sorted(items)
    if name is None:
        if len(known) == 1:
            return known[0]
        raise OptionError(f"which of {len(known):,} items?", some(known, _LISTED))
    exact = [item for item in known if item == unicodedata.normalize("NFC", name)]
    matches = exact or [item for item in known if _folded(name) in _folded(item)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        listed = ", ".join(map(quote, matches[:_LISTED]))
        raise OptionError(f"{len(matches):,} items have {quote(name)} in their names", listed)
    near = close_match(name, known)
    hint = f"did you mean {quote(near)}?" if near else f"there are {some(known, _LISTED)}"
    raise OptionError(f"no item {quote(name)}", hint)


def _folded(name: str) -> str:
    """Return a name without case and accents, which people leave out."""
    parts = unicodedata.normalize("NFKD", name.casefold())
    return "".join(part for part in parts if not unicodedata.combining(part))


def report(
    runs: Runs,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    description: str = "",
    date: str | None = None,
    command: str = "",
    items: Items | None = None,
    recordings: Recordings | None = None,
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
    title : str, optional
        Heading of the page; by default it names the systems.
    description : str
        What stands below the heading.
    date : str, optional
        Date on the page, as YYYY-MM-DD; by default that of the environment variable ``SOURCE_DATE_EPOCH``,
        or today.
    command : str
        Command that the page is said to be made by.
    items : str, path or iterable of str, optional
        As for :func:`kammerton.score`: the page is of these items of the runs.
    recordings : path, or mapping of str to path, optional
        Folder of recordings, or the recording of each item: the page holds them, one channel as MP3, and
        plays them in step. Needs ``kammerton[audio]``.
    figures : path, optional
        Folder to write the charts to as SVG, PDF and PNG, and the tables as LaTeX. It is made unless it
        exists; files of the same names are replaced, others stay.
    progress : callable, optional
        Called with what is done next, in a few words.

    Returns
    -------
    None

    Raises
    ------
    OptionError
        If there is no run, the date is none, or figures are asked for and what draws them is not installed:
        ``pip install 'kammerton[report]'``.
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
    from kammerton.reporting.charts import altair_of  # noqa: PLC0415 - many write no report
    from kammerton.reporting.html.chapters import chapter_of, source_of  # noqa: PLC0415
    from kammerton.reporting.html.page import Page, render_page, shown  # noqa: PLC0415

    written = _date(date)
    if figures is not None:
        altair_of()  # before anything else is done
    sounds = _recordings_of(recordings)
    report_phase = progress or (lambda _: None)
    report_phase("reading runs")
    joined = [replace(part, scores=items_of_run(part.scores, items)) for part in _joined(runs)]
    sources, chapters = [], []
    titles = _titles([part.scores.task for part in joined])
    for number, (part, name) in enumerate(zip(joined, titles, strict=True), 1):
        report_phase(f"{name}: comparing systems")
        source = source_of(part.scores, f"c{number}")
        sources.append(source)
        report_phase(f"{name}: drawing figures and items")
        draw = _drawer(part.scores, str(source.main), sounds)
        chapters.append(chapter_of(source, name, draw, part.apart))
    systems = list(dict.fromkeys(system for part in joined for system in part.scores.systems))
    page = render_page(
        Page(
            title=shown(_title_of(systems) if title is None else title),
            description="\n".join(shown(line, 1000) for line in description.splitlines()),
            date=written,
            made=[(term, shown(text, 1000)) for term, text in _made(joined, titles, command) if text],
            chapters=chapters,
        )
    )
    if figures is not None:
        report_phase("writing figures")
        _write_figures(sources, titles, figures)
    write_atomically(path, page)


def _date(date: str | None) -> str:
    """Return the date of a page, which the environment may set, so that builds can be repeated."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        if date is None and epoch:
            day = dt.datetime.fromtimestamp(int(epoch), dt.UTC).date()
        elif date is None:
            day = dt.datetime.now(dt.UTC).date()
        else:
            day = dt.date.fromisoformat(date)
    except (ValueError, TypeError, OverflowError, OSError) as error:
        if date is None:
            raise OptionError(f"SOURCE_DATE_EPOCH is no time: {quote(str(epoch))}") from error
        raise OptionError(f"date must be YYYY-MM-DD, got {quote(str(date))}") from error
    return day.isoformat()


def _title_of(systems: Sequence[str]) -> str:
    return f"Evaluation of {plural(len(systems), 'system') if systems[1:] else systems[0]}"


def _made(joined: Sequence[Joined], titles: Sequence[str], command: str) -> Iterator[tuple[str, str]]:
    """Give what a page was made of and by."""
    for part, title in zip(joined, titles, strict=True):
        scores = part.scores
        corpus = scores.origin.corpus
        origins = [] if corpus is None else [c.origin for c in corpus.references if c.origin]
        names = [portable(origin, [origin]) for origin in origins] or [
            n for n in scores.annotators if n != ALL
        ]
        yield f"{title}: references", ", ".join(names)
        yield f"{title}: systems", ", ".join(scores.systems)
    yield "Command", command
    yield "Versions", ", ".join(f"{name} {version}" for name, version in versions().items())


def _joined(runs: Runs) -> Sequence[Joined]:
    if not isinstance(runs, Iterable | Scores | os.PathLike):
        raise OptionError.of_type("runs", runs, "scores, the path of a run, or several of them")
    joined = join_alike(runs)
    if not joined:
        raise OptionError("a report needs a run", "folders that `kammerton score --out` wrote")
    if not all(part.scores.has_references for part in joined):
        hint = "`kammerton check` and `kammerton compare` take estimates alone"
        raise OptionError("a report needs references, and a run was scored without any", hint)
    return joined


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


def _drawer(scores: Scores, measure: str, sounds: Mapping[str, Path]) -> Draw | None:
    """Return a function that lays out an item; None if the task or the run has nothing to lay out."""
    origin = scores.origin
    if origin.task.view is None or origin.corpus is None:
        return None
    task, corpus, options = origin.task, origin.corpus.paired(), origin.options
    annotators = [name for name in scores.annotators if name != ALL]
    judging = annotators[0] if len(annotators) == 1 else None

    def draw(item: str, annotator: str | None) -> ItemView | None:
        for judge in (measure, None):  # not every measure marks errors
            try:
                view = lay_out(
                    task, corpus, item, measure=judge, annotator=annotator or judging, options=options
                )
                return replace(view, sound=_sound_of(sounds[item])) if item in sounds else view
            except OptionError:
                continue
            except DataError as error:
                if any(problem.code == "KT721" for problem in error.diagnostics):
                    raise  # the annotations that were scored do not exist any more
                break  # no annotator has the item
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


def _recordings_of(recordings: Recordings | None) -> dict[str, Path]:
    """Return the recording of each item, of a folder or a mapping."""
    from kammerton.systems.audio import require_soundfile  # noqa: PLC0415 - most pages are silent
    from kammerton.systems.system import SUFFIXES  # noqa: PLC0415

    if recordings is None:
        return {}
    require_soundfile()
    if isinstance(recordings, Mapping):
        return {item: Path(path) for item, path in recordings.items()}
    if not isinstance(recordings, str | os.PathLike):
        raise OptionError.of_type("recordings", recordings, "a path or a mapping")
    return {
        item: paths[0] for item, paths in find_files(recordings, suffixes=SUFFIXES["audio"]).files.items()
    }


def _sound_of(path: Path) -> str:
    """Return a recording as an address that has all of it: one channel, as MP3."""
    from kammerton.systems.audio import read_blocks, require_soundfile  # noqa: PLC0415 - as above

    samples = np.concatenate([np.zeros(0, dtype=np.float32), *read_blocks(path, _RATE)])
    file = io.BytesIO()
    require_soundfile().write(file, samples, _RATE, format="MP3", subtype="MPEG_LAYER_III")
    return f"data:audio/mpeg;base64,{base64.b64encode(file.getvalue()).decode('ascii')}"
