# SPDX-License-Identifier: MIT
"""Several estimates of an item by one system: the worst, the selected and the best of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
    candidates: Mapping[
        str, Mapping[str, str]
    ]  # by name of the candidate: items, and what the estimates are called

    @property
    def name(self) -> str:
        """Name of the system."""
        return self.whole.name

    @cached_property
    def names(self) -> dict[str, str]:
        """Name of the system that each candidate is for a while, by candidate."""
        return {candidate: f"{self.name}/{candidate}" for candidate in self.candidates}

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


def candidate_systems(
    task: Task, corpus: Corpus, pattern: str, options: object
) -> dict[str, CandidateSystem]:
    """Return the systems that have several estimates of an item, by name."""
    if pattern == ANNOTATIONS:
        several = {system.name: _of_annotations(task, system, options) for system in corpus.systems}
        message, hint = "no estimate has several annotations", "such as a JAMS file of several annotators"
    else:
        expression = candidate_pattern(pattern)
        several = {system.name: _of_names(system, expression, corpus.items) for system in corpus.systems}
        names = sorted(item for system in corpus.systems for item in system.items)
        message = f"no estimate is called {quote(pattern)}"
        hint = f"estimates are called by their path, such as {quote(names[0])}" if names else ""
    systems = {name: system for name, system in several.items() if system.candidates}
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


def with_candidates(
    corpus: Corpus, systems: Mapping[str, CandidateSystem], selected: Mapping[str, Mapping[str, str]]
) -> Corpus:
    """Return the corpus with each candidate, and the selected ones, as systems."""
    expanded: list[Collection] = []
    for collection in corpus.systems:
        system = systems.get(collection.name)
        if system is None:
            expanded.append(collection)
            continue
        first = len(expanded)
        for candidate, names in system.candidates.items():
            one_each = dict.fromkeys(names, candidate)
            expanded.append(system.chosen(system.names[candidate], one_each, partial=True))
        expanded[first] = replace(expanded[first], diagnostics=collection.diagnostics)
        if system.name in selected:
            chosen = selected[system.name]
            whole = chosen.keys() == system.by_item.keys()
            expanded.append(system.chosen(f"{system.name}:{SELECTED}", chosen, partial=whole))
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


def without_candidates(corpus: Corpus, evidence: Evidence, systems: Iterable[CandidateSystem]) -> Corpus:
    """Return the corpus that has the worst and the best candidates by the first measure in place of all."""
    every = list(systems)
    dropped = {name for system in every for name in system.names.values()}
    kept = [collection for collection in corpus.systems if collection.name not in dropped]
    measure = next(iter(evidence.statistics))
    rows, statistics = evidence.rows[measure.needs], evidence.statistics[measure]
    for system in every:
        names = list(system.candidates)
        keys, grid = _grid(rows, list(system.names.values()))
        for which in (WORST, BEST):
            places = _choose(measure, statistics, grid, which)
            candidate_of = {
                item: names[place]
                for (_, item), place in zip(keys, places.tolist(), strict=True)
                if item in system.candidates[names[place]]
            }
            kept.append(system.chosen(f"{system.name}:{which}", candidate_of))
    return Corpus(corpus.references, tuple(kept))


def best_and_worst(evidence: Evidence, systems: Iterable[CandidateSystem]) -> Evidence:
    """Return the evidence in which the worst and the best candidate of each item stand for all of them.

    What is best differs by measure. Class tables and measures over classes know no items: they have neither.
    """
    every = list(systems)
    candidates = {name for system in every for name in system.names.values()}
    rows, statistics = {}, dict(evidence.statistics)  # which puts its columns together at each look
    for needs, of_needs in evidence.rows.items():
        measures = [measure for measure in statistics if measure.needs == needs]
        rest = np.flatnonzero(~np.isin(np.array(of_needs.group_codes), _codes_of(of_needs, candidates)))
        parts, numbers = [of_needs.take(rest)], {measure: [rest] for measure in measures}
        for system in every:
            keys, grid = _grid(of_needs, list(system.names.values()))
            for which in (WORST, BEST):
                for measure in measures:
                    places = _choose(measure, statistics[measure], grid, which)
                    numbers[measure].append(grid[np.arange(len(grid)), places])
                parts.append(_rows(of_needs, keys, grid, f"{system.name}:{which}"))
        rows[needs] = Rows.joined(parts)
        for measure in measures:
            statistics[measure] = statistics[measure][np.concatenate(numbers[measure])]
    gathered = evidence.gathered
    if gathered is not None:  # its cases are numbers of rows
        pairs = evidence.rows["pair"]
        stays = ~np.isin(pairs.group_codes, _codes_of(pairs, candidates))
        gathered = gathered.of(stays)
        gathered = replace(gathered, cases=(np.cumsum(stays) - 1)[gathered.cases])
    return replace(
        evidence,
        rows=rows,
        statistics=statistics,
        tallies={name: _without(tally, candidates) for name, tally in evidence.tallies.items()},
        gathered=gathered,
    )


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
