# SPDX-License-Identifier: MIT
"""Systems that have several estimates of an item: which of them is selected."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any, SupportsFloat

from kammerton.errors import Diagnostic, OptionError, inflected, out_of, plural, quote
from kammerton.formats.lists import read_confidences
from kammerton.formats.reading import signed_file
from kammerton.model.corpus import Corpus
from kammerton.scoring.candidates import CandidateSystem, Confidences, candidate_systems, with_candidates
from kammerton.scoring.loading import ScoringJob
from kammerton.scoring.running import Execution, score_corpus
from kammerton.scoring.scored_corpus import ScoredCorpus

Selection = Mapping[tuple[str, str], float] | str | os.PathLike[str]
"""Confidences by item and candidate, a table of them, ``agreement``, or the name of a candidate."""
AGREEMENT = "agreement"
_TABLES = (".csv", ".tsv", ".txt")


def find_candidates(
    job: ScoringJob, corpus: Corpus, pattern: str | None, select: Selection | None, execution: Execution
) -> tuple[Corpus, tuple[CandidateSystem, ...], dict[str, str]]:
    """Return the corpus in which each candidate is a system, systems with candidates, and what is signed.

    Candidates are those that a pattern finds, or a list of pairs names.
    """
    pattern = corpus.candidates if pattern is None else pattern
    if pattern is None:
        if select is not None:
            raise OptionError(
                "there are no candidates to select from", "say what they are called: --candidates"
            )
        return corpus, (), {}
    if all(measure.aggregate == "gathered" for measure in job.measures):
        raise OptionError("candidates are compared item by item", "name a measure that is not over classes")
    corpus = corpus.paired()
    systems = candidate_systems(job.task, corpus, pattern, job.options)
    signed = {"candidates": pattern}
    if select is not None:
        systems, signed["select_by"] = _selected(job, corpus, systems, select, execution)
    return with_candidates(corpus, systems), systems, signed


def _selected(
    job: ScoringJob,
    corpus: Corpus,
    systems: tuple[CandidateSystem, ...],
    select: Selection,
    execution: Execution,
) -> tuple[tuple[CandidateSystem, ...], str]:
    """Return the systems with their selected candidates, and how the signature says that."""
    if isinstance(select, Mapping):
        _check_confidences(select)
        return _by_confidence(systems, select), "given"
    if select == AGREEMENT:
        agreement = _agreement(job, corpus, systems, execution)
        return tuple(_most_confident(system, agreement[system.name]) for system in systems), AGREEMENT
    name = os.fspath(select)
    if PurePath(name).suffix.lower() in _TABLES:
        return _by_confidence(systems, read_confidences(name)), signed_file(name)
    return _named(systems, name), name


def _named(systems: tuple[CandidateSystem, ...], name: str) -> tuple[CandidateSystem, ...]:
    """Return the systems in which the candidate of that name is selected for each item that has it."""
    known = {candidate for system in systems for candidate in system.candidates}
    if name not in known:
        unknown = OptionError.unknown("candidate", name, known)
        raise OptionError(unknown.message, f"{unknown.hint}; or FILE.csv, or `{AGREEMENT}`")
    return tuple(
        replace(system, selected=dict.fromkeys(system.candidates.get(name, ()), name)) for system in systems
    )


def _check_confidences(confidences: Mapping[Any, Any]) -> None:
    """Refuse confidences that a table could not have."""
    for key, confidence in confidences.items():
        if not (isinstance(key, tuple) and len(key) == 2 and all(isinstance(name, str) for name in key)):
            raise OptionError.of_type("a key of select_by", key, "a pair of item and candidate")
        if not isinstance(confidence, SupportsFloat) or not math.isfinite(confidence):
            raise OptionError(f"a confidence is a finite number, got {confidence!r} for {quote(key[0])}")


def _by_confidence(
    systems: tuple[CandidateSystem, ...], confidences: Confidences
) -> tuple[CandidateSystem, ...]:
    """Return the systems with selected candidates, and report which lack a confidence, and the reverse."""
    selected = [_with_lacking(_most_confident(system, confidences)) for system in systems]
    known = {key for system in systems for key in system.keys}
    unknown = [key for key in confidences if key not in known]
    if unknown:
        item, candidate = unknown[0]
        verb = inflected(len(unknown), "is", "are")
        example = f"{quote(candidate)} of {quote(item)}"
        message = f"{plural(len(unknown), 'confidence')} {verb} of no candidate, such as {example}"
        note = Diagnostic("KT226", "note", message, count=len(unknown))
        selected[0] = _noticed(selected[0], note)
    return tuple(selected)


def _with_lacking(system: CandidateSystem) -> CandidateSystem:
    lacking = [key for key in system.keys if key not in system.confidences]
    if not lacking:
        return system
    item, candidate = lacking[0]
    counted = out_of(len(lacking), len(system.keys), "candidate")
    lack = f"{counted} {inflected(len(lacking), 'has', 'have')} no confidence"
    message = f"{quote(system.name)}: {lack}, such as {quote(candidate)} of {quote(item)}; never selected"
    return _noticed(system, Diagnostic("KT226", "warning", message, count=len(lacking)))


def _noticed(system: CandidateSystem, diagnostic: Diagnostic) -> CandidateSystem:
    whole = replace(system.whole, diagnostics=(*system.whole.diagnostics, diagnostic))
    return replace(system, whole=whole)


def _most_confident(system: CandidateSystem, confidences: Confidences) -> CandidateSystem:
    """Return the system in which the candidate of the highest confidence of each item is selected.

    It is the first of those that are alike; an item of which no candidate has a confidence has none.
    """
    selected = {}
    for item, candidates in system.by_item.items():
        known = [candidate for candidate in candidates if (item, candidate) in confidences]
        if known:
            selected[item] = max(known, key=lambda candidate: confidences[item, candidate])
    if not selected:
        item, candidate = next(iter(confidences), ("", ""))
        hint = f"confidences are of candidates such as {quote(candidate)} of {quote(item)}" if item else None
        raise OptionError(f"no candidate of {quote(system.name)} has a confidence", hint)
    return replace(system, confidences=confidences, selected=selected)


def _agreement(
    job: ScoringJob, corpus: Corpus, systems: tuple[CandidateSystem, ...], execution: Execution
) -> dict[str, Confidences]:
    """Return how far each candidate agrees with all other sources of its item, by the first measure."""
    measure = next(measure for measure in job.measures if measure.aggregate != "gathered")
    every = with_candidates(corpus, systems).systems
    others = replace(job, measures=(measure,), missing="skip", strict=False)
    confidences: dict[str, Confidences] = {}
    for system in systems:
        names = set(system.names.values())
        own = tuple(collection for collection in every if collection.name in names)
        rest = tuple(replace(collection, diagnostics=()) for collection in every)
        if len(rest) < 2:
            raise OptionError("agreement needs a further source", "name further systems, or candidates")
        evidence = score_corpus(others, Corpus(rest, own), execution)
        scored = ScoredCorpus(job.task, evidence, job.options)
        sums: dict[tuple[str, str], list[float]] = {}
        for candidate, name in system.names.items():
            for source in (collection.name for collection in rest if collection.name != name):
                if source in scored.annotators and name in scored.systems:
                    of_items = scored.of_items(measure, name, source)
                    for item, value in zip(of_items.names, of_items.values.tolist(), strict=True):
                        if item in system.candidates[candidate] and not math.isnan(value):
                            sums.setdefault((item, candidate), []).append(value)
        sign = 1 if measure.direction == "higher" else -1
        confidences[system.name] = {
            key: sign * math.fsum(values) / len(values) for key, values in sums.items()
        }
    return confidences
