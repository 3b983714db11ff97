# SPDX-License-Identifier: MIT
"""Match the annotations of an item to each other, by tasks whose annotations need it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from kammerton.errors import Diagnostic
from kammerton.model.loading import Estimates, References
from kammerton.model.task import Match, Reading, Task

__all__ = ["match_annotators", "match_estimates", "match_references"]


def match_references(task: Task, references: References, options: object) -> References:
    """Match the annotations of each item to those of its first annotator."""
    matched, said = match_annotators(task, references, options)
    return replace(matched, diagnostics=(*matched.diagnostics, *chain.from_iterable(said.values())))


def match_annotators(
    task: Task, references: References, options: object
) -> tuple[References, dict[str, list[Diagnostic]]]:
    """Return matched references, and what is to be said of the matches of each annotator."""
    if task.match is None:
        return references, {}
    first: dict[str, Any] = {}
    annotations: dict[str, dict[str, Any]] = {}
    failed: dict[str, dict[str, str]] = {}
    said: dict[str, list[Diagnostic]] = {}
    for annotator, items in references.annotations.items():
        base = {item: first.setdefault(item, annotation) for item, annotation in items.items()}
        annotations[annotator], unmatched, said[annotator] = _match(task.match, base, items, options)
        failed[annotator] = {**references.failed[annotator], **unmatched}
    return References(annotations, failed, references.diagnostics), said


def match_estimates(task: Task, estimates: Estimates, references: References, options: object) -> Estimates:
    """Match the estimates to the references of the same items."""
    if task.match is None:
        return estimates
    base = {i: found for items in references.annotations.values() for i, found in items.items()}
    annotations, unmatched, said = _match(task.match, base, estimates.annotations, options)
    return Estimates(annotations, {**estimates.failed, **unmatched}, (*estimates.diagnostics, *said))


def _match(
    match: Match, base: Mapping[str, Any], items: Mapping[str, Any], options: object
) -> tuple[dict[str, Any], dict[str, str], list[Diagnostic]]:
    """Match annotations by item; those without a base, and empty ones, stay as they are."""
    matched: dict[str, Any] = {}
    failed: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    for item, annotation in items.items():
        found: Any = annotation
        if annotation is not None and base.get(item, annotation) is not annotation:
            found, said = match(base[item], annotation, options)
            diagnostics += (each.at(item=item) for each in said)
            if found is None:
                failed[item] = Reading((), said).why
                continue
        matched[item] = found
    return matched, failed, diagnostics
