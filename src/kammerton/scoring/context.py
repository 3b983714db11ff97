# SPDX-License-Identifier: MIT
"""What scores are compared with: baselines, and annotators against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from kammerton.errors import Diagnostic, inflected, out_of, some
from kammerton.model.corpus import Missing
from kammerton.model.evidence import Evidence, Group
from kammerton.model.measure import Measure
from kammerton.model.task import Task
from kammerton.scoring.evaluating import evaluate_loaded
from kammerton.scoring.loading import Estimates, References, Sides, applicable_to


def items_shared(references: References) -> list[str]:
    """Return the items with usable annotations of two annotators or more, sorted."""
    return sorted(item for item, count in references.annotators_of_items().items() if count > 1)


def sharing_annotators(references: References) -> References:
    """Return the annotations of the annotators who share an item with another, of all their items."""
    shared = set(items_shared(references))
    names = [name for name, items in references.annotations.items() if not shared.isdisjoint(items)]
    return References(
        {name: references.annotations[name] for name in names},
        {name: references.failed[name] for name in names},
        references.diagnostics,
    )


def notes_on_sharing(
    references: References, measures: Sequence[Measure], *, persons: bool
) -> Iterator[Diagnostic]:
    """Report items and pairs that agreement skips, and measures that are made for several annotators."""
    counts = references.annotators_of_items()
    alone = sorted(item for item, count in counts.items() if count == 1)
    if alone:
        verb = inflected(len(alone), "has", "have")
        message = f"{out_of(len(alone), len(counts), 'item')} {verb} one annotator, left out"
        yield _note("KT230", f"{message} ({some(alone)})", len(alone))
    if persons:
        pairs = list(combinations(references.annotations.values(), 2))
        apart = sum(first.keys().isdisjoint(second) for first, second in pairs)
        if apart:
            verb = inflected(apart, "shares", "share")
            message = f"{out_of(apart, len(pairs), 'pair')} of annotators {verb} no item, left out"
            yield _note("KT231", message, apart)
    several = [str(measure) for measure in measures if measure.needs == "references+estimate"]
    if several:
        message = f"made for several annotators, here against one at a time: {some(several)}"
        yield _note("KT232", message, 1)


def _note(code: str, message: str, count: int) -> Diagnostic:
    return Diagnostic(code=code, severity="note", message=message, count=count)


ANNOTATORS = "annotators"
"""The only system of the evidence on annotators."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ContextEvidence:
    """Evidence of the context of scores: baselines, and annotators against each other."""

    # of trivial answers, as systems against all annotators; None if the task has none
    baselines: Evidence | None = None
    # of the systems against all annotators but one: a row says in place of the annotator who was left out, by
    # number, and against whom it is, ``"2.Ann"``. None if no item has two annotators.
    others: Evidence | None = None
    # the same of the annotator who was left out, whoever it is called ``ANNOTATORS``
    annotators: Evidence | None = None
    single: int = 0  # items with one annotator, of which there are neither


def evaluate_context(task: Task, sides: Sides, *, options: object, missing: Missing) -> ContextEvidence:
    """Score the baselines of a corpus, and its systems and annotators against all annotators but one."""
    measures = [measure for measure in sides.assumptions.measures if measure.needs != "annotators"]
    everyone = sides.references.annotations
    several = frozenset(items_shared(sides.references))
    alone = {name: Estimates(items, {}, ()) for name, items in everyone.items()}
    by_people, _ = applicable_to(task, sides.references, alone, measures, options)
    others: Evidence | None = None
    annotators: Evidence | None = None
    for number, name in enumerate(everyone):
        left = _without(everyone, name, several)
        if not left.annotations:
            continue
        evidence = evaluate_loaded(task, left, sides.systems, measures, options=options, missing=missing)
        others = _added(others, evidence, number)
        if by_people:
            own = {item: everyone[name][item] for item in left.every_item()}
            person = {ANNOTATORS: Estimates(own, {}, ())}
            evidence = evaluate_loaded(task, left, person, by_people, options=options, missing=missing)
            annotators = _added(annotators, evidence, number)
    return ContextEvidence(
        baselines=_baselines(task, sides.references, measures, options),
        others=others,
        annotators=annotators,
        single=len(frozenset().union(*everyone.values())) - len(several),
    )


def _baselines(
    task: Task, references: References, measures: Sequence[Measure], options: object
) -> Evidence | None:
    """Score trivial answers, by the measures that apply to them."""
    if task.baselines is None:
        return None
    of_items: dict[str, list[Any]] = {}
    for items in references.annotations.values():
        for item, annotation in items.items():
            of_items.setdefault(item, []).append(annotation)
    answers = {name: Estimates(items, {}, ()) for name, items in task.baselines(of_items).items()}
    chosen, _ = applicable_to(task, references, answers, measures, options)
    if not answers or not chosen:
        return None
    return _bare(evaluate_loaded(task, references, answers, chosen, options=options))


def _without(everyone: Mapping[str, Mapping[str, Any]], name: str, several: frozenset[str]) -> References:
    """Return the annotations of all others of the items that an annotator has, and others too."""
    own = several & everyone[name].keys()
    left = {
        other: {item: annotation for item, annotation in items.items() if item in own}
        for other, items in everyone.items()
        if other != name
    }
    left = {other: items for other, items in left.items() if items}
    return References(left, {other: {} for other in left}, ())


def _added(whole: Evidence | None, part: Evidence, number: int) -> Evidence:
    """Return evidence with that of a further annotator who was left out."""

    def without(system: str, annotator: str) -> Group:
        return system, f"{number}.{annotator}"

    rows = {needs: own.regrouped(without) for needs, own in part.rows.items()}
    labelled = replace(_bare(part), rows=rows)
    return labelled if whole is None else whole.merged(labelled)


def _bare(evidence: Evidence) -> Evidence:
    """Return evidence without what scores are not made from."""
    return replace(evidence, tallies={}, diagnostics=(), fingerprints={})
