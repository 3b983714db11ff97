# SPDX-License-Identifier: MIT
"""From a corpus to evidence: read, pair, run the kernels of the task. No file format, no music here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.model.corpus import ALL, Corpus, Missing, spelled_apart, unmatched
from kammerton.model.evaluating import contents_of, evaluate_loaded, has_pairs
from kammerton.model.evidence import Evidence
from kammerton.model.loading import (
    Estimates,
    References,
    load_estimates,
    load_references,
    match_estimates,
    match_references,
)
from kammerton.model.measure import Measure
from kammerton.model.task import Task

__all__ = ["Sides", "applicable_measures", "evaluate_sides", "gather_evidence", "load_sides"]

_EXTENT_SHARE, _EXTENT_UNITS = 0.1, 2.0
"""Extents that differ by more than either point to different recordings."""


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Both sides of a corpus, read and matched.

    Parameters
    ----------
    references : References
        By annotator.
    systems : mapping of str to Estimates
        By system.
    contents : mapping of str to mapping of str to bytes
        Of the references, by annotator and item.
    measures : tuple of Measure
        Those that the annotations have figures for.
    diagnostics : tuple of Diagnostic
        What was noticed.
    """

    references: References
    systems: Mapping[str, Estimates]
    contents: Mapping[str, Mapping[str, bytes]]
    measures: tuple[Measure, ...]
    diagnostics: tuple[Diagnostic, ...]


def gather_evidence(
    task: Task,
    corpus: Corpus,
    measures: Sequence[Measure],
    *,
    options: object,
    missing: Missing = "worst",
    annotator: str = ALL,
    strict: bool = False,
) -> Evidence:
    """Score every system of a corpus against every annotator: see :func:`load_sides`."""
    sides = load_sides(
        task, corpus, measures, options=options, missing=missing, annotator=annotator, strict=strict
    )
    return evaluate_sides(task, sides, options=options, missing=missing)


def load_sides(
    task: Task,
    corpus: Corpus,
    measures: Sequence[Measure],
    *,
    options: object,
    missing: Missing = "worst",
    annotator: str = ALL,
    strict: bool = False,
) -> Sides:
    """Read references and systems of a corpus, and find out what can be scored.

    Parameters
    ----------
    task : Task
        Reads the sources and runs the kernels.
    corpus : Corpus
        References and systems.
    measures : sequence of Measure
        What to compute.
    options : object
        The task's options.
    missing : {"worst", "skip", "error"}
        What a missing or unusable estimate counts.
    annotator : str
        One annotator's name, or ``"all"``.
    strict : bool
        Whether an error or a repair keeps anything from being scored.

    Returns
    -------
    Sides

    Raises
    ------
    DataError
        If nothing can be scored; with ``strict``, if anything was wrong; with ``missing="error"``, if
        an estimate is missing or unusable.
    OptionError
        If there is no such annotator.
    """
    corpus = corpus.paired()
    loaded = _chosen(load_references(task, corpus.references, options), annotator)
    references = match_references(task, loaded, options)
    notices = () if task.notices is None else task.notices(options)
    diagnostics = [*notices, *references.diagnostics]
    systems: dict[str, Estimates] = {}
    for system in corpus.systems:
        expected = references.every_item()
        diagnostics += unmatched(expected, system, missing=missing)
        diagnostics += spelled_apart(corpus.references, system)
        estimates = load_estimates(task, system, expected, options)
        systems[system.name] = match_estimates(task, estimates, references, options)
        diagnostics += systems[system.name].diagnostics
    contents = {name: contents_of(task, items) for name, items in references.annotations.items()}
    diagnostics += _suspicions(task, references, systems, contents)
    _stop_early(diagnostics, systems, strict=strict, missing=missing)
    if not has_pairs(references, systems):
        raise DataError([*diagnostics, _nothing(corpus)])
    measures, notes = applicable_measures(task, references, systems, measures, options)
    diagnostics += notes
    if not measures:
        raise DataError(diagnostics)
    return Sides(references, systems, contents, measures, tuple(diagnostics))


def evaluate_sides(task: Task, sides: Sides, *, options: object, missing: Missing = "worst") -> Evidence:
    """Score every system against every annotator.

    Parameters
    ----------
    task : Task
        Runs the kernels.
    sides : Sides
        What was read.
    options : object
        The task's options.
    missing : {"worst", "skip", "error"}
        What a missing or unusable estimate counts.
    """
    found = evaluate_loaded(
        task,
        sides.references,
        sides.systems,
        sides.measures,
        options=options,
        missing=missing,
        contents=sides.contents,
    )
    return replace(found, diagnostics=(*sides.diagnostics, *found.diagnostics))


def applicable_measures(
    task: Task,
    references: References,
    systems: Mapping[str, Estimates],
    measures: Sequence[Measure],
    options: object,
) -> tuple[tuple[Measure, ...], tuple[Diagnostic, ...]]:
    """Return the measures that have figures for these annotations, and why others have none."""
    if task.applicable is None:
        return tuple(measures), ()
    annotations = [each for items in references.annotations.values() for each in items.values()]
    estimates = [
        each for system in systems.values() for each in system.annotations.values() if each is not None
    ]
    return task.applicable(annotations, estimates, measures, options)


def _chosen(references: References, annotator: str) -> References:
    if annotator == ALL:
        return references
    if annotator not in references.annotations:
        unknown = OptionError.unknown("annotator", annotator, [ALL, *references.annotations])
        raise OptionError(unknown.message, f"{unknown.hint}; NAME=PATH adds a further one")
    return References(
        {annotator: references.annotations[annotator]},
        {annotator: references.failed[annotator]},
        references.diagnostics,
    )


def _stop_early(
    diagnostics: Sequence[Diagnostic],
    systems: Mapping[str, Estimates],
    *,
    strict: bool,
    missing: Missing,
) -> None:
    lacking = any(d.code == "KT203" for d in diagnostics) or any(e.failed for e in systems.values())
    wrong = any(d.severity != "note" for d in diagnostics)
    if (strict and wrong) or (missing == "error" and lacking):
        raise DataError(diagnostics)


def _nothing(corpus: Corpus) -> Diagnostic:
    return Diagnostic(
        code="KT200",
        severity="error",
        message="nothing could be scored: no reference and estimate that can be read form a pair",
        hint="items are paired by path below the folder, without suffix",
        file=corpus.references[0].origin or None,
    )


def _suspicions(
    task: Task,
    references: References,
    systems: Mapping[str, Estimates],
    contents: Mapping[str, Mapping[str, bytes]],
) -> Iterator[Diagnostic]:
    """Say what does not keep anything from being scored, but would shame the one who publishes it."""
    estimated = {name: contents_of(task, estimates.annotations) for name, estimates in systems.items()}
    for annotator, reference in contents.items():
        for name, estimates in systems.items():
            yield from _identical(name, estimated[name], reference, all_of_them=task.coincides)
            yield from _different_extents(
                task, name, estimates.annotations, references.annotations[annotator]
            )
    for (other, theirs), (name, own) in combinations(estimated.items(), 2):
        if own and own == theirs:
            message = f"systems {quote(other)} and {quote(name)} gave the same estimates"
            yield Diagnostic(code="KT209", severity="warning", message=message, system=name)


def _identical(
    system: str, contents: Mapping[str, bytes], reference: Mapping[str, bytes], *, all_of_them: bool
) -> Iterator[Diagnostic]:
    same = [item for item, content in reference.items() if contents.get(item) == content]
    if same and (not all_of_them or len(same) == len(reference) > 1):
        message = f"estimate is identical to the reference for {_items(len(same))}, e.g. {quote(same[0])}"
        yield Diagnostic(code="KT208", severity="warning", message=message, system=system, count=len(same))


def _different_extents(
    task: Task, system: str, estimates: Mapping[str, Any], references: Mapping[str, Any]
) -> Iterator[Diagnostic]:
    apart = []
    for item, annotation in references.items():
        if estimates.get(item) is not None:
            ref, est = task.extent(annotation), task.extent(estimates[item])
            if abs(ref - est) > min(_EXTENT_UNITS, _EXTENT_SHARE * ref):
                apart.append((abs(ref - est), item, ref, est))
    if apart:
        _, item, ref, est = max(apart)
        yield Diagnostic(
            code="KT210",
            severity="warning",
            message=(
                f"estimate and reference of {_items(len(apart))} end far apart, most of all {quote(item)}: "
                f"{est:.1f} and {ref:.1f} {task.extent_unit}"
            ),
            system=system,
            hint="another recording, or times in another unit?",
            count=len(apart),
        )


def _items(count: int) -> str:
    return f"{count:,} item" if count == 1 else f"{count:,} items"
