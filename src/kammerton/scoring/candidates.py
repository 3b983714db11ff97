# SPDX-License-Identifier: MIT
"""Several estimates of an item by one system: the worst, the selected and the best of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from kammerton.arrays import Codes, Values
from kammerton.errors import OptionError, quote
from kammerton.model.corpus import Collection, Corpus, ItemSources, Missing
from kammerton.model.evidence import Evidence, Row, Rows, Tally
from kammerton.model.measure import Measure, Statistics
from kammerton.model.task import Task
from kammerton.scoring.loading import annotations_apart
from kammerton.scoring.sanity_checks import unmatched

WORST, SELECTED, BEST = "worst", "selected", "best"
ANNOTATIONS = "annotations"
"""In place of a pattern: the annotations of an item are its candidates."""
Confidences = Mapping[tuple[str, str], float]
"""Scores that a source gives itself, by item and candidate."""
_FIELDS = {"item": "(?P<item>.+)", "candidate": "(?P<candidate>[^/]+)"}


def candidate_pattern(text: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern such as ``{item}.{candidate}``."""
    if not isinstance(text, str):
        raise OptionError.of_type("candidates", text, "a str")
    parts = re.split(r"\{(\w+)\}", text)
    if sorted(parts[1::2]) != sorted(_FIELDS):
        raise OptionError(
            f"{quote(text)} does not say where item and candidate stand",
            "each once in braces, such as '{item}.{candidate}' or '{candidate}/{item}'",
        )
    fields = [_FIELDS[part] if place % 2 else re.escape(part) for place, part in enumerate(parts)]
    return re.compile("".join(fields), re.DOTALL)


@dataclass(frozen=True, eq=False)
class CandidateSystem:
    """A system that has several estimates of an item."""

    whole: Collection  # its estimates as they lie there
    # by name of the candidate: items, and what the estimates are called
    candidates: Mapping[str, Mapping[str, str]]
    confidences: Confidences = field(default_factory=dict)
    selected: Mapping[str, str] | None = None  # candidate of each item; None if none is selected

    @property
    def name(self) -> str:
        """Name of the system."""
        return self.whole.name

    @cached_property
    def names(self) -> dict[str, str]:
        """Name of the system that each candidate is for a while, by candidate."""
        return {candidate: f"{self.name}/{candidate}" for candidate in self.candidates}

    @cached_property
    def keys(self) -> list[tuple[str, str]]:
        """Item and candidate of every estimate."""
        return [(item, candidate) for candidate, names in self.candidates.items() for item in names]

    @cached_property
    def by_item(self) -> dict[str, list[str]]:
        """Candidates of each item, in the order of their names."""
        items: dict[str, list[str]] = {}
        for candidate, names in self.candidates.items():
            for item in names:
                items.setdefault(item, []).append(candidate)
        return items

    def chosen(self, name: str, candidate_of: Mapping[str, str], *, partial: bool = False) -> Collection:
        """Return the system that has one candidate of each item."""
        sources: dict[str, tuple[tuple[str | None, object], ...]] = {}
        broken = {}
        for item, candidate in candidate_of.items():
            written = self.candidates[candidate][item]
            if written in self.whole.broken:
                broken[item] = self.whole.broken[written]
            else:
                sources[item] = self.whole.sources[written]
        return replace(
            self.whole,
            name=name,
            sources=sources,
            broken=broken,
            diagnostics=(),
            single=False,
            partial=partial,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidateEvidence:
    """What scores of candidates are made from."""

    systems: tuple[CandidateSystem, ...]
    evidence: Evidence  # of each candidate as a system


def candidate_systems(
    task: Task, corpus: Corpus, pattern: str, options: object
) -> tuple[CandidateSystem, ...]:
    """Return the systems that have several estimates of an item."""
    if pattern == ANNOTATIONS:
        several = [_of_annotations(task, system, options) for system in corpus.systems]
        message, hint = "no estimate has several annotations", "such as a JAMS file of several annotators"
    else:
        expression = candidate_pattern(pattern)
        several = [_of_names(system, expression, corpus.items) for system in corpus.systems]
        names = sorted(item for system in corpus.systems for item in system.items)
        message = f"no estimate is called {quote(pattern)}"
        hint = f"estimates are called by their path, such as {quote(names[0])}" if names else ""
    systems = tuple(system for system in several if system.candidates)
    if not systems:
        raise OptionError(message, hint or None)
    return systems


def _of_names(system: Collection, expression: re.Pattern[str], items: frozenset[str]) -> CandidateSystem:
    """Return the candidates that the names of estimates tell; a name that an item has is no candidate's."""
    candidates: dict[str, dict[str, str]] = {}
    for written in sorted(system.items):
        match = expression.fullmatch(written)
        if match is not None and written not in items:
            candidates.setdefault(match["candidate"], {})[match["item"]] = written
    return CandidateSystem(system, dict(sorted(candidates.items())))


def _of_annotations(task: Task, system: Collection, options: object) -> CandidateSystem:
    """Return the annotations of each item as its candidates; an only one is the first."""
    apart = annotations_apart(task, system, options)
    candidates: dict[str, dict[str, str]] = {}
    sources: dict[str, tuple[tuple[str | None, object], ...]] = {}
    for item, of_item in system.sources.items() if apart else ():
        for candidate, source in apart.get(item, {"1": of_item[0][1]}).items():
            written = f"{item}\0{candidate}"
            candidates.setdefault(candidate, {})[item] = written
            sources[written] = ((None, source),)
    return CandidateSystem(replace(system, sources=sources), candidates)


def with_candidates(corpus: Corpus, systems: Iterable[CandidateSystem]) -> Corpus:
    """Return the corpus with each candidate, and the selected ones, as systems."""
    of_name = {system.name: system for system in systems}
    expanded: list[Collection] = []
    for collection in corpus.systems:
        system = of_name.get(collection.name)
        if system is None:
            expanded.append(collection)
            continue
        first = len(expanded)
        for candidate, names in system.candidates.items():
            one_each = dict.fromkeys(names, candidate)
            expanded.append(system.chosen(system.names[candidate], one_each, partial=True))
        expanded[first] = replace(expanded[first], diagnostics=system.whole.diagnostics)
        if system.selected is not None:
            whole = corpus.items & system.by_item.keys() <= system.selected.keys()
            selected = system.chosen(f"{system.name}:{SELECTED}", system.selected, partial=whole)
            expanded.append(replace(selected, origin=f"{selected.origin}:{SELECTED}"))
    return Corpus(corpus.references, tuple(expanded))


def with_lacking(corpus: Corpus, systems: Iterable[CandidateSystem], missing: Missing) -> Corpus:
    """Return the corpus in which the first candidate of a system reports the items that have none at all."""
    of_name = {collection.name: collection for collection in corpus.systems}
    for system in systems:
        sources: ItemSources = dict.fromkeys(system.by_item, ())
        whole = replace(system.whole, sources=sources, broken={})
        reports = unmatched(corpus.items, corpus.references, whole, missing=missing)
        lacking = [diagnostic for diagnostic in reports if diagnostic.code == "KT203"]
        first = next(iter(system.names.values()))
        of_name[first] = replace(of_name[first], diagnostics=(*of_name[first].diagnostics, *lacking))
    return Corpus(corpus.references, tuple(of_name.values()))


def report_candidates(
    corpus: Corpus, evidence: Evidence, systems: tuple[CandidateSystem, ...]
) -> tuple[Corpus, Evidence, CandidateEvidence | None]:
    """Return the corpus and the evidence in which the worst and the best candidates stand for all, and those.

    What is best differs by measure: the corpus has that by the first one. Class tables and measures over
    classes know no items: they have neither worst nor best.
    """
    if not systems:
        return corpus, evidence, None
    evidence = replace(evidence, statistics=dict(evidence.statistics))  # put together at each look
    names = {name for system in systems for name in system.names.values()}
    is_candidate = {
        needs: np.isin(rows.group_codes, _codes_of(rows, names)) for needs, rows in evidence.rows.items()
    }
    of_all = replace(
        evidence.where(is_candidate), measures=tuple(evidence.statistics), gathered=None, diagnostics=()
    )
    tallies = {name: _without(tally, names) for name, tally in evidence.tallies.items()}
    reported = replace(
        evidence.where({needs: ~flags for needs, flags in is_candidate.items()}), tallies=tallies
    )
    collections = [collection for collection in corpus.systems if collection.name not in names]
    for system in systems:
        for of_items, collection in _worst_and_best(of_all, system):
            reported = reported.merged(of_items)
            collections.append(collection)
    whole = CandidateEvidence(systems=systems, evidence=of_all)
    return Corpus(corpus.references, tuple(collections)), reported, whole


def _worst_and_best(evidence: Evidence, system: CandidateSystem) -> Iterator[tuple[Evidence, Collection]]:
    """Yield evidence of the worst and of the best of each item, each with estimates by the first measure."""
    grids = {needs: _grid(rows, list(system.names.values())) for needs, rows in evidence.rows.items()}
    first, candidates = evidence.measures[0], list(system.candidates)
    for which in (WORST, BEST):
        name = f"{system.name}:{which}"
        places = {
            measure: _choose(measure, statistics, grids[measure.needs][1], which)
            for measure, statistics in evidence.statistics.items()
        }
        of_items = replace(
            evidence,
            rows={needs: _rows(rows, *grids[needs], name) for needs, rows in evidence.rows.items()},
            statistics={
                measure: evidence.statistics[measure][_at(grids[measure.needs][1], of_measure)]
                for measure, of_measure in places.items()
            },
        )
        candidate_of = {
            item: candidates[place]
            for (_, item), place in zip(grids[first.needs][0], places[first].tolist(), strict=True)
            if item in system.candidates[candidates[place]]
        }
        yield of_items, system.chosen(name, candidate_of)


def _without(tally: Tally, systems: set[str]) -> Tally:
    cells = {group: cells for group, cells in tally.cells.items() if group[0] not in systems}
    return replace(tally, cells=cells)


def _codes_of(rows: Rows, systems: set[str]) -> list[int]:
    return [code for code, (system, _) in enumerate(rows.groups) if system in systems]


def _grid(rows: Rows, candidates: Sequence[str]) -> tuple[list[tuple[str, str]], Codes]:
    """Return annotators and items, and the numbers of the rows of each candidate; below 0 where it has none.

    Where no candidate has an estimate, the row that says so stands for the first.
    """
    place = {name: number for number, name in enumerate(candidates)}
    wanted = np.flatnonzero(np.isin(rows.group_codes, _codes_of(rows, set(candidates))))
    has_estimate = ~rows.with_status("missing")
    numbers: dict[tuple[str, str], list[int]] = {}
    lacking: dict[tuple[str, str], int] = {}
    for number in wanted.tolist():
        system, annotator = rows.groups[rows.group_codes[number]]
        key = annotator, rows.items[number]
        of_item = numbers.setdefault(key, [-1] * len(candidates))
        if has_estimate[number]:
            of_item[place[system]] = number
        else:
            lacking[key] = number
    keys = sorted(numbers)
    for key in keys:
        if max(numbers[key]) < 0:
            numbers[key][0] = lacking[key]
    return keys, np.array([numbers[key] for key in keys], dtype=np.int64).reshape(len(keys), len(candidates))


def _at(grid: Codes, places: Codes) -> Codes:
    """Return the row at one place of each item."""
    numbers: Codes = grid[np.arange(len(grid)), places]
    return numbers


def _choose(measure: Measure, statistics: Statistics, grid: Codes, which: str) -> Codes:
    """Return the place of the worst or best candidate of each item; the first of those that are alike."""
    values: Values = measure.formula.finalise(statistics)[grid]
    higher = (measure.direction == "higher") == (which == BEST)
    rank = np.where(np.isnan(values) | (grid < 0), -np.inf, values if higher else -values)
    places: Codes = rank.argmax(axis=1)
    undefined = ~np.isfinite(rank).any(axis=1)
    places[undefined] = (grid[undefined] >= 0).argmax(axis=1)
    return places


def _rows(rows: Rows, keys: Sequence[tuple[str, str]], grid: Codes, system: str) -> Rows:
    """Return the rows of the worst or best candidates: in the state of the first that can be used."""
    usable = rows.with_status("ok")
    made = []
    for (annotator, item), numbers in zip(keys, grid.tolist(), strict=True):
        present = [number for number in numbers if number >= 0]
        row = rows[next((number for number in present if usable[number]), present[0])]
        made.append(Row(system, item, annotator, row.status, row.counts, row.reason))
    return Rows.of(made)
