# SPDX-License-Identifier: MIT
"""From a part of a corpus to its statistics: read, pair, run the kernels. No file format, no music here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kammerton.core.memory import keep_freed_memory
from kammerton.errors import Diagnostic
from kammerton.model.corpus import ALL, Corpus, Missing
from kammerton.model.evaluating import Judged, contents_of, fingerprints_of, has_pairs, judge
from kammerton.model.loading import (
    Estimates,
    Found,
    References,
    load_estimates,
    load_references,
    name_references,
    read_collection,
    said_once,
)
from kammerton.model.matching import match_annotators, match_estimates, match_references
from kammerton.model.measure import Measure
from kammerton.model.parts import Facts, Grounds, Part, Section, applicable_measures
from kammerton.model.suspicions import look_for_suspicions
from kammerton.model.task import Task

__all__ = ["Order", "Sides", "applicable_to", "load_sides", "score_part"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be done with every part of a corpus.

    Parameters
    ----------
    task : Task
        Reads the sources and runs the kernels.
    measures : tuple of Measure
        What to compute.
    options : object
        The task's options.
    missing : {"worst", "skip", "error"}
        What a missing or unusable estimate counts; ``error`` ends the run.
    annotator : str
        One annotator's name, or ``"all"``.
    strict : bool
        Whether an error or a repair keeps anything from being scored.
    """

    task: Task
    measures: tuple[Measure, ...]
    options: Any
    missing: Missing = "worst"
    annotator: str = ALL
    strict: bool = False


def score_part(
    order: Order,
    corpus: Corpus,
    items: Sequence[str],
    known: Facts | None = None,
    *,
    complete: bool = False,
) -> Part:
    """Score some items of a corpus.

    Parameters
    ----------
    order : Order
        What is to be done.
    corpus : Corpus
        What it has of these items.
    items : sequence of str
        Their names, sorted.
    known : Facts, optional
        What is known of other parts. If it is not enough, the part has to be scored again.
    complete : bool
        Whether that is of all parts, of this one too.

    Returns
    -------
    Part
    """
    keep_freed_memory()
    task, options = order.task, order.options
    found = [read_collection(task, collection, options) for collection in corpus.references]
    own = Facts(tuple(each.roster for each in found))
    facts = _together(known, own, complete=complete)
    loaded = _chosen(name_references(found, facts.rosters), order.annotator)
    references, matched = match_annotators(task, loaded, options)
    if not corpus.references:
        references = replace(references, alone=corpus.items)
    said = _said_of_references(task, found, facts)
    said |= {("matched", annotator): told for annotator, told in matched.items()}
    systems: dict[str, Estimates] = {}
    for name, read, paired in _estimates(order, corpus, references):
        systems[name] = paired
        said["estimates", name] = list(read.diagnostics)
        said["paired", name] = list(paired.diagnostics[len(read.diagnostics) :])
    expected = references.every_item()
    own = Facts(own.rosters, _survey(task, references, systems, options))
    facts = _together(known, own, complete=complete)
    measures = applicable_measures(task, facts.census, order.measures, options)[0]
    contents = contents_of(task, references, systems)
    lacking = any(system.failed for system in systems.values())
    ended = _is_wrong(order, said) or (order.missing == "error" and lacking)
    return Part(
        items=tuple(item for item in items if item in expected),
        facts=own,
        grounds=Grounds.of(measures, facts, named=_lost_for_all(found)),
        judged=None if ended or not measures else _judged(order, references, systems, measures, items),
        fingerprints=fingerprints_of(contents),
        suspicions=look_for_suspicions(task, references, systems, {} if references.alone else contents),
        said={section: told for section, told in said.items() if told},
        paired=has_pairs(references, systems),
        ended=ended,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Both sides of a corpus, read and matched.

    Parameters
    ----------
    references : References
        By annotator.
    systems : mapping of str to Estimates
        By system.
    measures : tuple of Measure
        Those that the annotations have figures for.
    """

    references: References
    systems: Mapping[str, Estimates]
    measures: tuple[Measure, ...]


def load_sides(order: Order, corpus: Corpus, measures: Sequence[Measure]) -> Sides:
    """Read references and systems of a corpus, all at once.

    Parameters
    ----------
    order : Order
        What it was scored by.
    corpus : Corpus
        References and systems.
    measures : sequence of Measure
        What was measured.
    """
    task, options, whole = order.task, order.options, corpus.paired()
    loaded = _chosen(load_references(task, whole.references, options), order.annotator)
    references = match_references(task, loaded, options)
    if not whole.references:
        references = replace(references, alone=whole.items)
    systems = {name: paired for name, _, paired in _estimates(order, whole, references)}
    return Sides(references, systems, tuple(measures))


def _estimates(
    order: Order, corpus: Corpus, references: References
) -> Iterator[tuple[str, Estimates, Estimates]]:
    """Give the name of each system, its estimates as read, and as matched to the references."""
    expected = references.every_item()
    for system in corpus.systems:
        read = load_estimates(order.task, system, expected, order.options)
        yield system.name, read, match_estimates(order.task, read, references, order.options)


def _said_of_references(task: Task, found: Sequence[Found], facts: Facts) -> dict[Section, list[Diagnostic]]:
    said: dict[Section, list[Diagnostic]] = {}
    for number, (each, roster) in enumerate(zip(found, facts.rosters, strict=True)):
        said["references", str(number)] = said_once(task, each.diagnostics)
        said["refused", str(number)] = said_once(task, list(each.refused(roster).values()))
    return said


def applicable_to(
    task: Task,
    references: References,
    systems: Mapping[str, Estimates],
    measures: Sequence[Measure],
    options: object,
) -> tuple[tuple[Measure, ...], tuple[Diagnostic, ...]]:
    """Return the measures that have figures for these annotations, and why others have none."""
    return applicable_measures(task, _survey(task, references, systems, options), measures, options)


def _together(known: Facts | None, own: Facts, *, complete: bool) -> Facts:
    if known is None:
        return own
    return known if complete else known.merged(own)


def _survey(
    task: Task, references: References, systems: Mapping[str, Estimates], options: object
) -> Mapping[str, int]:
    """Return what the task counts in annotations."""
    if task.survey is None:
        return {}
    annotations = [each for items in references.annotations.values() for each in items.values()]
    estimates = [
        each for system in systems.values() for each in system.annotations.values() if each is not None
    ]
    return task.survey(annotations, estimates, options)


def _judged(
    order: Order,
    references: References,
    systems: Mapping[str, Estimates],
    measures: Sequence[Measure],
    items: Sequence[str],
) -> Judged:
    return judge(
        order.task,
        references,
        systems,
        measures,
        options=order.options,
        missing=order.missing,
        items=items,
    )


def _chosen(references: References, annotator: str) -> References:
    if annotator == ALL:
        return references
    if annotator not in references.annotations:  # of other parts, or there is none: see the whole
        return References({}, {}, references.diagnostics)
    return References(
        {annotator: references.annotations[annotator]},
        {annotator: references.failed[annotator]},
        references.diagnostics,
    )


def _is_wrong(order: Order, said: Mapping[Section, Sequence[Diagnostic]]) -> bool:
    return order.strict and any(each.severity != "note" for told in said.values() for each in told)


def _lost_for_all(found: Sequence[Found]) -> bool:
    """Tell whether an item failed for every annotator there may be elsewhere."""
    return any(each.failed or each.called_all for each in found)
