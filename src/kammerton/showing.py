# SPDX-License-Identifier: MIT
"""One item laid out: found by its name, read from what was scored, and shown by its task."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kammerton.arguments import corpus_of, options_of
from kammerton.errors import DataError, OptionError, close_match, quote, some
from kammerton.model.corpus import Collection, Corpus
from kammerton.model.loading import load_estimates, load_references
from kammerton.model.matching import match_estimates, match_references
from kammerton.model.registry import find_task
from kammerton.model.task import Task
from kammerton.model.views import ItemView
from kammerton.reporting.drawn import DrawnItem
from kammerton.runs import is_run, read_run

__all__ = ["lay_out", "show"]

_NAMED = 5
"""Items that a message names."""


def show(
    task: str | Task,
    references: Any = None,
    estimates: Any = None,
    item: str | None = None,
    *,
    measure: str | None = None,
    annotators: Mapping[str, Any] | None = None,
    annotator: str | None = None,
    estimate_annotator: str | int | None = None,
    pairs: str | os.PathLike[str] | None = None,
    options: object | None = None,
) -> ItemView:
    """Lay out one item: who wrote what, which of it is wrong, and what that cost.

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
        Judges what is wrong, as ``protocol/measure`` or by a name that only one has; by default of
        chords ``mirex2013/MajMin``, of fingerings ``strike/accuracy``, of instruments
        ``open-mic-task1/F``.
    annotator : str, optional
        Whose reference it is; by default the first that has the item.
    estimate_annotator : str or int, optional
        Which annotation is the estimate, as for :func:`score`.
    options : object, optional
        How files are read, as for :func:`score`.

    Returns
    -------
    ItemView
        Printed, it is a drawing 80 columns wide; :func:`kammerton.reporting.timeline.render_item` has
        choices. ``tables`` has what cost most and the scores of the item, ``tracks`` who wrote what, with
        marks where it is wrong.

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
    found = find_task(task)
    if found.view is None:
        raise OptionError(f"items of {found.name} cannot be shown")
    reading = options_of(found, options)
    if not isinstance(item, str | None):
        raise OptionError.of_type("item", item, "a str")
    if _is_lone_run(references, estimates, pairs):
        if annotators or reading != found.options() or estimate_annotator is not None:
            raise OptionError("a run has its own annotators and options", "name it alone")
        corpus, reading = _of_run(found, references)
    else:
        corpus = corpus_of(found, references, estimates, annotators or {}, pairs, reading, estimate_annotator)
    corpus = corpus.paired()
    if not corpus.references:
        hint = f"`kammerton check {found.name}` lists what is wrong with estimates alone"
        raise OptionError("items are shown against references, and the run was scored without any", hint)
    chosen = _matching(item, {name for collection in corpus.references for name in collection.items})
    view = lay_out(found, corpus, chosen, measure=measure, annotator=annotator, options=reading)
    return DrawnItem.of(view)


def _is_lone_run(references: object, estimates: object, pairs: object) -> bool:
    if estimates is not None or pairs is not None:
        return False
    return isinstance(references, str | os.PathLike) and is_run(references)


def _of_run(task: Task, folder: str | os.PathLike[str]) -> tuple[Corpus, object]:
    """Return what a run holds of annotations, and the options by which they were read."""
    scores, name = read_run(folder), quote(os.fsdecode(folder))
    if scores.task != task.name:
        raise OptionError(f"{name} is a run of {scores.task}, not of {task.name}")
    if scores.origin.corpus is None:
        raise OptionError(f"{name} keeps no annotations", "name references and estimates")
    return scores.origin.corpus, scores.origin.options


def lay_out(
    task: Task, corpus: Corpus, item: str, *, measure: str | None, annotator: str | None, options: object
) -> ItemView:
    """Lay out an item of a paired corpus, of a task that can; as :func:`show`."""
    assert task.view is not None, "the task lays items out"
    crowded = {each.name for each in corpus.references if each.crowded}
    references = tuple(_only(item, c) for c in corpus.references)
    loaded_references = load_references(task, references, options, crowded=crowded)
    read = match_references(task, loaded_references, options)
    usable = {name: items[item] for name, items in read.annotations.items() if item in items}
    if not usable:
        raise DataError(read.diagnostics)
    if annotator is not None and annotator not in usable:
        raise OptionError.unknown("annotator", annotator, usable)
    who = next(iter(usable)) if annotator is None else annotator
    tracks: dict[str, Any] = {}
    diagnostics = list(read.diagnostics)
    for system in corpus.systems:
        loaded = load_estimates(task, _only(item, system), {item}, options)
        loaded = match_estimates(task, loaded, read, options)
        diagnostics += loaded.diagnostics
        track = loaded.annotations.get(item, loaded.failed.get(item, "no estimate"))
        tracks[system.name] = task.blank(usable[who]) if track is None else track
    told = _told(task, item, usable, "reference"), _told(task, item, tracks, "estimate")
    view = task.view(
        item,
        told[0][who],
        {told[0][name]: each for name, each in usable.items()},
        {told[1][name]: each for name, each in tracks.items()},
        measure,
        options,
    )
    return replace(view, diagnostics=tuple(diagnostics))


def _told(task: Task, item: str, names: Iterable[str], role: str) -> dict[str, str]:
    """Return how names are shown: a lone file is called like its item, which tells nobody whose it is."""
    known = list(names)
    alike = [name for name in known if task.identify(name)[0] == item]
    return {name: role if alike == [name] and role not in known else name for name in known}


def _only(item: str, collection: Collection) -> Collection:
    """Return what a collection has of one item; what was noticed of others does not matter here."""
    return replace(
        collection.only([item]), diagnostics=collection.diagnostics if item in collection.broken else ()
    )


def _matching(asked: str | None, items: Iterable[str]) -> str:
    """Return the item of this name, or the only one that has it as a part of its name."""
    known = sorted(items)
    if asked is None:
        if len(known) == 1:
            return known[0]
        raise OptionError(f"which of {len(known):,} items?", some(known, _NAMED))
    wanted = _folded(asked)
    exact = [each for each in known if each == unicodedata.normalize("NFC", asked)]
    fitting = exact or [each for each in known if wanted in _folded(each)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        named = ", ".join(map(quote, fitting[:_NAMED]))
        raise OptionError(f"{len(fitting):,} items have {quote(asked)} in their names", named)
    near = close_match(asked, known)
    hint = f"did you mean {quote(near)}?" if near else f"there are {some(known, _NAMED)}"
    raise OptionError(f"no item {quote(asked)}", hint)


def _folded(name: str) -> str:
    """Return a name as it is typed in haste: without case and accents."""
    parts = unicodedata.normalize("NFKD", name.casefold())
    return "".join(part for part in parts if not unicodedata.combining(part))
