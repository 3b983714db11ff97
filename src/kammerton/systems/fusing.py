# SPDX-License-Identifier: MIT
"""Fuse several annotations of each item into one."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any, get_args

import numpy as np

from kammerton.arrays import Codes, Weights
from kammerton.errors import DataError, Diagnostic, OptionError, out_of, plural, quote, some
from kammerton.formats.reading import options_of, without_sides
from kammerton.model.registry import TaskName, find_task
from kammerton.model.task import Options, Task
from kammerton.scoring.running import Execution, Progress, Watch
from kammerton.scoring.sanity_checks import are_far_apart
from kammerton.scoring.workers import work_in_order
from kammerton.systems.fused import (
    Choices,
    Counting,
    Details,
    FusedItem,
    Method,
    Scope,
    Survey,
    TaskFusion,
    Weighing,
    merge_surveys,
)
from kammerton.systems.fusion_result import Fusion, Making, signature_of
from kammerton.systems.provenance import check_folder, check_name, form_of
from kammerton.systems.sources import Sources, StrPath, paths_of, read_sources
from kammerton.systems.system import Input, System, SystemCard

FUSED_TASKS = {
    "chords": "kammerton.systems.chord_fusion",
    "fingering": "kammerton.systems.fingering_fusion",
    "instruments": "kammerton.systems.instrument_fusion",
}
"""Module of the fusion of each task."""

_LEVELS = {
    "chords": (
        "CM2 and KBK2 (MIREX 2017) on Isophonics: MajMin 85.9 [84.0, 87.7], alone 75.5 and 86.8",
        "three annotators of CASD against the fourth: MajMin 78.0 [73.2, 82.7], one alone 71.2 [66.1, 76.2]",
    )
}
"""What fusion reaches, by task."""
_CONTESTED = 0.05
"""Share without a majority from which it is reported."""
_SURVEYED = 256
"""Items whose surveys are added up at a time."""
_SHARD = 32
"""Items that a process fuses at a time."""


def fuse(  # noqa: PLR0913 - one per choice
    task: TaskName | Task,
    sources: Any,
    *,
    method: Method | None = None,
    details: Details = "able",
    accuracy: Scope = "corpus",
    copies: Counting = "one",
    weights: Mapping[str, float] | None = None,
    change_cost: float | None = None,
    min_sources: int = 1,
    least_support: float = 0.0,
    leave_out: str | None = None,
    seed: int = 0,
    options: Options | None = None,
    out: StrPath | None = None,
    to: str | None = None,
    force: bool = False,
    jobs: int = 1,
    progress: Watch | None = None,
) -> Fusion:
    """Fuse several annotations of each item into one.

    Parameters
    ----------
    task : str or Task
        ``"chords"``, ``"fingering"`` or ``"instruments"``.
    sources : mapping of str to source, list of paths, or path
        Sources by name. A source is what :func:`kammerton.score` takes as estimates: a folder, a pack, a
        file, a mapping of items, or an annotation. One that holds several annotations of an item is a source
        for each annotator, called ``NAME/ANNOTATOR``. A source that lacks an item abstains there.
    method : {"agreement", "vote", "pick", "random"}, optional
        Weigh votes by how far sources agree (agreement), count all alike (vote), take each item from the
        source that agrees most with the others (pick), or take a random source everywhere (random). Chords
        are fused by agreement by default, other tasks by vote; instruments have the vote alone. See
        ``docs/fusion.md``.
    details : {"able", "all", "none"}
        Sevenths and basses of chords: voted by sources that ever write such (able), by all, or left out
        (none).
    accuracy : {"corpus", "item"}
        Estimate how far sources agree over all items, or for each item by itself.
    copies : {"one", "keep"}
        Count sources that copy each other as one, or each.
    weights : mapping of str to float, optional
        What the votes of sources are multiplied by, by name; 0 leaves a source out of votes.
    change_cost : float, optional
        Cost of a change, against fragments: of the chord, 0.1 s by default, and twice that for details; of
        the source of a fingering, half a note.
    min_sources : int
        Leave out items that fewer sources have.
    least_support : float
        Leave open what has a lower share of votes: chords are written ``X``, notes have no finger,
        instruments are not judged.
    leave_out : str, optional
        Fuse the other sources only, as a reference for this one.
    seed : int
        Seed of the random numbers of ``random``.
    options : object, optional
        How files are read: a :class:`kammerton.chords.ChordOptions`,
        :class:`kammerton.fingering.FingeringOptions` or :class:`kammerton.instruments.InstrumentOptions`.
    out : path, optional
        Folder to write to; see :meth:`Fusion.write`.
    to : str, optional
        Format to write; by default of chords ``lab``, of fingering ``pig``, of instruments ``jams``.
    force : bool
        Replace a folder that was fused before.
    jobs : int
        Number of processes that fuse in parallel; the result does not depend on it.
    progress : callable, optional
        Called with a :class:`kammerton.scoring.running.Progress` after each item that is fused.

    Returns
    -------
    Fusion
        ``annotations`` has the result by item, ``rows`` its support; ``sources`` describes the sources.

    Raises
    ------
    OptionError
        If a name or combination is not possible.
    DataError
        If nothing can be fused.
    OutputError
        If the folder cannot be written.

    Examples
    --------
    >>> fused = fuse("chords", {
    ...     "A": {"song": ([(0, 2), (2, 4)], ["C", "G:7"])},
    ...     "B": {"song": ([(0, 2), (2, 4)], ["C", "G:min"])},
    ...     "C": {"song": ([(0, 1), (1, 4)], ["C", "G:7"])},
    ... })
    >>> fused.annotations["song"].labels, fused.annotations["song"].support.round(2).tolist()
    (('C', 'G:7'), [0.83, 0.67])
    """
    kind = find_task(task)
    fusion = _fusion_of(kind)
    reading = without_sides(options_of(kind, options))
    choices = Choices(
        method=method or fusion.methods[0],
        details=details,
        accuracy=accuracy,
        copies=copies,
        change_cost=(fusion.change_cost or 0.0) if change_cost is None else change_cost,
        least_support=least_support,
        seed=seed,
        factors=np.empty(0),
        min_sources=min_sources,
        options=reading,
    )
    if fusion.change_cost is None and change_cost is not None:
        raise OptionError(f"fusion of {kind.name} has no cost of changes", "leave out --change-cost")
    _check(kind, fusion, choices, to)
    jobs = Execution(jobs=jobs).jobs
    if out is not None:
        check_name(out, kind)
        check_folder(out, paths_of(sources), force=force)
    read = read_sources(kind, sources, reading)
    if leave_out is not None:
        read = read.without(leave_out)
    choices = replace(choices, factors=_factors(read, weights), leave_out=leave_out)
    fused = _fused(kind, fusion, read, choices, jobs, progress)
    if out is not None:
        fused.write(out, to=to, force=force)
    return fused


@dataclass(frozen=True, kw_only=True)
class FusionSettings:
    """Settings of fusion as a system; see :func:`fuse`."""

    method: Method | None = None
    details: Details = "able"
    accuracy: Scope = "corpus"
    copies: Counting = "one"
    change_cost: float | None = None
    min_sources: int = 1
    least_support: float = 0.0
    seed: int = 0


def fusion_system(task: str) -> System:
    """Return fusion as a system, whose sources are the annotators of its inputs."""
    return System(
        name="fusion",
        task=task,
        takes=frozenset(("annotations",)),
        options=FusionSettings,
        prepare=partial(_fuse_annotators, task),
        annotate=_fused_before,
        card=SystemCard(
            summary="One annotation of each item, by a vote of several annotators or systems.",
            source="Dawid and Skene 1979, doi:10.2307/2346806; kammerton: docs/fusion.md",
            licence="MIT",
            trained_on="the annotations that it is given",
            levels=_LEVELS.get(task, ()),
            limits="It is not always better than the best of its sources, and agreement cannot tell.",
            cost="217 songs of 6 sources in less than 8 s on one core",
        ),
    )


def _fuse_annotators(
    task: str, inputs: Mapping[str, Input], _: object, settings: FusionSettings
) -> Mapping[str, Any]:
    sources: dict[str, dict[str, Any]] = {}
    for item, source in inputs.items():
        for annotator, annotation in source.annotations.items():
            sources.setdefault(annotator, {})[item] = annotation
    return fuse(find_task(task), sources, **asdict(settings)).annotations


def _fused_before(source: Input, fused: Mapping[str, Any], _: object) -> Any:
    return fused[source.item]


def _fusion_of(task: Task) -> TaskFusion:
    if task.name not in FUSED_TASKS or find_task(task.name) is not task:
        raise OptionError(
            f"annotations of {quote(task.name)} cannot be fused", f"known: {', '.join(FUSED_TASKS)}"
        )
    fusion: TaskFusion = import_module(FUSED_TASKS[task.name]).FUSION
    return fusion


def _check(task: Task, fusion: TaskFusion, choices: Choices, to: str | None) -> None:
    """Refuse choices that are not possible, before any work."""
    known = {
        "method": fusion.methods,
        "details": get_args(Details),
        "accuracy": get_args(Scope),
        "copies": get_args(Counting),
    }
    for name, values in known.items():
        if getattr(choices, name) not in values:
            raise OptionError.unknown(name, getattr(choices, name), values)
    if choices.details != "able" and not fusion.has_details:
        raise OptionError(f"details are of chords, and {task.name} has none", "leave out --details")
    if not (isinstance(choices.change_cost, int | float) and 0 <= choices.change_cost < math.inf):
        raise OptionError(f"a cost is 0 or more, got {choices.change_cost!r}")
    if not (isinstance(choices.least_support, int | float) and 0 <= choices.least_support <= 1):
        raise OptionError(f"least support is a share from 0 to 1, got {choices.least_support!r}")
    for name, least in (("min_sources", 1), ("seed", 0)):
        value = getattr(choices, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise OptionError(f"{name} is a whole number, {least} or more, got {value!r}")
    form_of(task, to)


def _factors(sources: Sources, weights: Mapping[str, float] | None) -> Weights:
    factors = dict.fromkeys(sources.annotations, 1.0)
    for name, weight in (weights or {}).items():
        if name not in factors:
            raise OptionError.unknown("source", name, factors)
        if not (isinstance(weight, int | float) and 0 <= weight < math.inf):
            raise OptionError(f"a weight is a number, 0 or more, got {weight!r} for {quote(name)}")
        factors[name] = float(weight)
    return np.array(list(factors.values()))


def _without(
    task: Task, fusion: TaskFusion, sources: Sources, choices: Choices, jobs: int, name: str
) -> Fusion:
    """Fuse all sources but one."""
    others = sources.without(name)
    factors = np.delete(choices.factors, list(sources.annotations).index(name))
    return _fused(task, fusion, others, replace(choices, factors=factors, leave_out=name), jobs)


def _fused(
    task: Task,
    fusion: TaskFusion,
    sources: Sources,
    choices: Choices,
    jobs: int,
    watch: Watch | None = None,
) -> Fusion:
    """Weigh the sources over all items, then fuse item by item."""
    if len(choices.factors) and not choices.factors.any():
        raise OptionError("the weight of every source is 0", "one at least must have a vote")
    min_sources = choices.min_sources
    chosen, failed = _chosen_items(sources, min_sources)
    few = [item for item in sources.items if item not in chosen and item not in failed]
    diagnostics = [*sources.diagnostics, *_lost(failed), *_few(few, min_sources)]
    if not chosen:
        raise DataError(diagnostics or [_nothing()])
    survey = replace(_survey(fusion, chosen, choices), originals=_originals(task, chosen))
    weighing = fusion.weigh(survey, choices)
    items: dict[str, FusedItem] = {}
    outcomes = _fuse_items(task.name, chosen, weighing, choices, jobs)
    for done, (item, fused) in enumerate(outcomes, 1):
        if fused.annotation is not None:
            items[item] = fused
        else:
            failed[item] = "its sources label nothing"
        if watch is not None:
            watch(Progress(done, len(chosen), 0, done - len(items)))
    diagnostics += _lost({item: reason for item, reason in failed.items() if item in chosen})
    if not items:
        raise DataError(diagnostics)
    making = Making(
        task=task,
        fusion=fusion,
        sources=sources,
        weighing=weighing,
        choices=choices,
        items=items,
        without=partial(_without, task, fusion, sources, choices, jobs),
    )
    diagnostics += _notes(making, chosen)
    return Fusion(
        task=task.name,
        annotations={item: fused.annotation for item, fused in items.items()},
        signature=signature_of(task, fusion, choices, sources),
        failed=failed | dict.fromkeys(few, f"fewer than {min_sources} sources"),
        diagnostics=tuple(diagnostics),
        _made=making,
    )


def _chosen_items(sources: Sources, least: int) -> tuple[dict[str, list[Any]], dict[str, str]]:
    """Return the items that enough sources have, and why those that none has fail."""
    chosen: dict[str, list[Any]] = {}
    failed: dict[str, str] = {}
    for item in sources.items:
        annotations = sources.of_item(item)
        present = sum(annotation is not None for annotation in annotations)
        if not present:
            failed[item] = "no source has an annotation that can be used"
        elif present >= least:
            chosen[item] = annotations
    return chosen, failed


_Items = Mapping[str, Sequence[Any]]
"""The annotations of each item by source."""


def _fuse_items(
    task: str, chosen: _Items, weighing: Weighing, choices: Choices, jobs: int
) -> Iterator[tuple[str, FusedItem]]:
    """Fuse item by item, in this process or several."""
    names = list(chosen)
    shards = [names[begin : begin + _SHARD] for begin in range(0, len(names), _SHARD)]
    parts = [{item: chosen[item] for item in shard} for shard in shards]
    for fused in work_in_order(partial(_fuse_part, task, weighing, choices), parts, jobs):
        yield from fused


def _fuse_part(task: str, weighing: Weighing, choices: Choices, items: _Items) -> list[tuple[str, FusedItem]]:
    fuse_item = import_module(FUSED_TASKS[task]).FUSION.fuse
    return [(item, fuse_item(item, of_sources, weighing, choices)) for item, of_sources in items.items()]


def _survey(fusion: TaskFusion, items: Mapping[str, Sequence[Any]], choices: Choices) -> Survey:
    """Return the survey of all items, added up in parts, so that little is kept of many."""
    parts: list[Survey] = []
    for of_sources in items.values():
        parts.append(fusion.survey(of_sources, choices))
        if len(parts) >= _SURVEYED:
            parts = [merge_surveys(parts)]
    return merge_surveys(parts)


def _originals(task: Task, items: _Items) -> Codes:
    """Return of each source the first whose annotations are exactly the same."""
    digests = [hashlib.sha256() for _ in next(iter(items.values()))]
    for of_sources in items.values():
        for digest, annotation in zip(digests, of_sources, strict=True):
            content = b"" if annotation is None else task.content(annotation)
            digest.update(b"%d:" % len(content) + content)
    names = [digest.digest() for digest in digests]
    return np.array(list(map(names.index, names)))


def _nothing() -> Diagnostic:
    return Diagnostic(code="KT805", severity="error", message="there is no item to fuse")


def _lost(failed: Mapping[str, str]) -> Iterator[Diagnostic]:
    for item, reason in failed.items():
        message = f"{quote(item)} was not fused: {reason}"
        yield Diagnostic(code="KT805", severity="error", message=message, item=item)


def _few(items: Sequence[str], min_sources: int) -> Iterator[Diagnostic]:
    if items:
        message = (
            f"{plural(len(items), 'item')} with fewer than {min_sources} sources left out ({some(items)})"
        )
        yield Diagnostic(code="KT806", severity="warning", message=message, count=len(items))


def _notes(making: Making, chosen: Mapping[str, Sequence[Any]]) -> Iterator[Diagnostic]:
    """Report what a reader of the result must know of its sources."""
    names = list(making.sources.annotations)
    if making.choices.copies == "one":
        for (first, second), share in making.weighing.copies.shares.items():
            pair = f"{quote(names[first])} and {quote(names[second])}"
            message = f"{pair} label alike, as copies do ({100 * share:.0f} % of what was compared)"
            yield _note("KT800", f"{message}: counted as one", "--copies keep counts each")
    yield from _ends(making, chosen)
    overall = making.overall()
    contested = overall["no_majority"]
    voices = np.unique(making.weighing.copies.groups[making.weighing.votes > 0])
    is_vote = making.choices.method in ("agreement", "vote")
    if is_vote and len(names) == len(voices) == 2 and "2" in overall["items_by_sources"]:
        yield _note("KT804", "two sources have no majority: where they differ, continuity decides")
    elif contested > _CONTESTED:
        yield _note("KT803", f"no majority in {100 * contested:.0f} % of what was fused")


def _ends(making: Making, chosen: Mapping[str, Sequence[Any]]) -> Iterator[Diagnostic]:
    """Report sources that end far from each other, as those of different recordings do."""
    apart: list[tuple[float, str]] = []
    for item, of_sources in chosen.items():
        ends = [making.task.extent(annotation) for annotation in of_sources if annotation is not None]
        if are_far_apart(max(ends), min(ends)):
            apart.append((max(ends) - min(ends), item))
    if apart:
        distance, item = max(apart)
        counted = out_of(len(apart), len(chosen), "item")
        message = (
            f"sources of {counted} end far apart, most of all {quote(item)}: "
            f"{distance:.1f} {making.task.extent_unit}"
        )
        yield Diagnostic(code="KT802", severity="warning", message=message, item=item, count=len(apart))


def _note(code: str, message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code=code, severity="note", message=message, hint=hint)
