# SPDX-License-Identifier: MIT
"""Systems that have several estimates of an item: which of them is selected."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from kammerton.errors import OptionError, quote
from kammerton.formats.lists import read_confidences
from kammerton.formats.reading import signed_file
from kammerton.model.corpus import Corpus, Missing
from kammerton.model.evidence import Evidence
from kammerton.results.candidates import CandidateEvidence, Confidences
from kammerton.scoring.candidates import (
    CandidateSystem,
    best_and_worst,
    candidate_systems,
    with_candidates,
    with_lacking,
    without_candidates,
)
from kammerton.scoring.loading import ScoringJob
from kammerton.scoring.running import Execution, score_corpus
from kammerton.scoring.scored_corpus import ScoredCorpus

Selection = Mapping[tuple[str, str], float] | str | os.PathLike[str]
"""Confidences by item and candidate, a table of them, ``agreement``, or the name of a candidate."""
AGREEMENT = "agreement"
_TABLES = (".csv", ".tsv", ".txt")


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of a corpus, if it has some, and which are selected."""

    systems: Mapping[str, CandidateSystem]
    corpus: Corpus  # in which each candidate is a system
    signed: Mapping[str, str]  # entries of the signature
    confidences: Mapping[str, Confidences] = field(default_factory=dict)
    selected: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def complete(self, corpus: Corpus, missing: Missing) -> Corpus:
        """Return a part of the corpus that reports which items have no candidate."""
        return with_lacking(corpus, self.systems.values(), missing)

    def finish(self, corpus: Corpus, evidence: Evidence) -> tuple[Corpus, Evidence, CandidateEvidence | None]:
        """Return the corpus and evidence of what is reported, and of all candidates."""
        if not self.systems:
            return corpus, evidence, None
        systems = tuple(self.systems.values())
        whole = CandidateEvidence(
            systems=systems, evidence=evidence, confidences=self.confidences, selected=self.selected
        )
        return without_candidates(corpus, evidence, systems), best_and_worst(evidence, systems), whole


def find_candidates(
    job: ScoringJob, corpus: Corpus, pattern: str | None, select: Selection | None, execution: Execution
) -> Candidates:
    """Return the candidates that a pattern finds, or a list of pairs names."""
    pattern = corpus.candidates if pattern is None else pattern
    if pattern is None:
        if select is not None:
            raise OptionError(
                "there are no candidates to select from", "say what they are called: --candidates"
            )
        return Candidates({}, corpus, {})
    if all(measure.aggregate == "gathered" for measure in job.measures):
        raise OptionError("candidates are compared item by item", "name a measure that is not over classes")
    corpus = corpus.paired()
    systems = candidate_systems(job.task, corpus, pattern, job.options)
    signed = {"candidates": pattern}
    if select is None:
        return Candidates(systems, with_candidates(corpus, systems, {}), signed)
    confidences: Mapping[str, Confidences] = {}
    if isinstance(select, Mapping):
        signed["select_by"], confidences = "given", dict.fromkeys(systems, select)
    elif select == AGREEMENT:
        signed["select_by"], confidences = AGREEMENT, _agreement(job, corpus, systems, execution)
    elif PurePath(select).suffix.lower() in _TABLES:
        signed["select_by"] = signed_file(os.fspath(select))
        confidences = dict.fromkeys(systems, read_confidences(select))
    else:
        signed["select_by"] = os.fspath(select)
        selected = _named(systems, os.fspath(select))
        return Candidates(systems, with_candidates(corpus, systems, selected), signed, {}, selected)
    selected = {name: _most_confident(system, confidences[name]) for name, system in systems.items()}
    return Candidates(systems, with_candidates(corpus, systems, selected), signed, confidences, selected)


def _named(systems: Mapping[str, CandidateSystem], name: str) -> dict[str, dict[str, str]]:
    """Return the candidate of that name for each item that has it."""
    known = {candidate for system in systems.values() for candidate in system.candidates}
    if name not in known:
        unknown = OptionError.unknown("candidate", name, known)
        raise OptionError(unknown.message, f"{unknown.hint}; or FILE.csv, or `{AGREEMENT}`")
    return {system.name: dict.fromkeys(system.candidates.get(name, ()), name) for system in systems.values()}


def _most_confident(system: CandidateSystem, confidences: Confidences) -> dict[str, str]:
    """Return the candidate of the highest confidence of each item that has one; the first of those alike."""
    selected = {}
    for item, candidates in system.by_item.items():
        known = [candidate for candidate in candidates if (item, candidate) in confidences]
        if known:
            selected[item] = max(known, key=lambda candidate: confidences[item, candidate])
    if not selected:
        item, candidate = next(iter(confidences), ("", ""))
        hint = f"confidences are of candidates such as {quote(candidate)} of {quote(item)}" if item else None
        raise OptionError(f"no candidate of {quote(system.name)} has a confidence", hint)
    return selected


def _agreement(
    job: ScoringJob, corpus: Corpus, systems: Mapping[str, CandidateSystem], execution: Execution
) -> dict[str, Confidences]:
    """Return how far each candidate agrees with all other sources of its item, by the first measure."""
    measure = next(measure for measure in job.measures if measure.aggregate != "gathered")
    every = with_candidates(corpus, systems, {}).systems
    others = replace(job, measures=(measure,), missing="skip", strict=False)
    confidences: dict[str, Confidences] = {}
    for system in systems.values():
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
