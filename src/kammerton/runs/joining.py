# SPDX-License-Identifier: MIT
"""Several runs as one: the scores of all their systems, where these are comparable."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise

import numpy as np

from kammerton.errors import DataError, Diagnostic, OptionError, out_of, quote, some
from kammerton.model.corpus import ALL, Corpus, check_names
from kammerton.model.evidence import Evidence, Tally
from kammerton.model.measure import EVERY, Measure, choose
from kammerton.results.scores import Scores
from kammerton.runs.files import Run, scores_of
from kammerton.scoring.candidates import CandidateEvidence
from kammerton.scoring.evaluating import ContextEvidence
from kammerton.statistics.resampling import BootstrapSettings

Runs = Mapping[str, Run] | Sequence[Run | tuple[str | None, Run]] | Run
_OF_RESAMPLING = frozenset({"KT218", "KT219", "KT220"})
"""Notes on intervals and groups of one run: whoever resamples or groups all runs reports them again."""


def join_runs(
    runs: Runs,
    *,
    protocols: Iterable[str] | None = None,
    measures: Iterable[str] | None = None,
    context: bool = False,
) -> Scores:
    """Return the scores of the systems of several runs.

    Examples
    --------
    >>> from kammerton import score
    >>> ref = {"song": ([(0, 4)], ["C"])}
    >>> found = [
    ...     score("chords", ref, {name: {"song": ([(0, end), (end, 4)], ["C", "G"])}})
    ...     for name, end in (("good", 3), ("poor", 1))
    ... ]
    >>> joined = join_runs(found, measures=["mirex2013/MajMin"])
    >>> {system: joined.value("MajMin", system=system) for system in joined.systems}
    {'good': 0.75, 'poor': 0.25}
    """
    opened = named_runs(runs)
    if not opened:
        raise OptionError("there is no run")
    for run, following in pairwise(opened):
        check_alike(run, following)
    check_names("system", [system for run in opened for system in run.systems])
    chosen, left_out = _measures(opened, protocols, measures)
    parts = (_narrowed(run.origin.evidence, chosen, _annotators(run, opened[0])) for run in opened)
    whole = reduce(Evidence.merged, parts)
    return opened[0].remade(
        evidence=replace(whole, diagnostics=(*_diagnostics(opened), *left_out)),
        context_evidence=_context_evidence(opened) if context else None,
        candidates=_candidate_evidence(opened, chosen),
        bootstrap=None,
        corpus=None,
        grouping=None,
        made={system: made for run in opened for system, made in run.origin.made.items()},
    )


def shared_clusters(runs: Sequence[Scores]) -> BootstrapSettings | None:
    """Return settings with the clusters of runs that all have the same; None for others."""
    first = runs[0].origin
    is_same = all(run.origin.clusters == first.clusters for run in runs)
    return first.bootstrap if is_same and first.clusters is not None else None


def narrow_run(run: Scores, protocols: Iterable[str] | None, measures: Iterable[str] | None) -> Scores:
    """Return a run with the chosen ones of its measures."""
    if protocols is None and measures is None:
        return run
    chosen, left_out = _measures([run], protocols, measures)
    evidence = _narrowed(run.origin.evidence, chosen, {})
    return run.remade(evidence=replace(evidence, diagnostics=(*run.diagnostics, *left_out)))


def narrow_items(run: Scores, items: frozenset[str], warnings: Iterable[Diagnostic] = ()) -> Scores:
    """Return a run with some of its items; class tables, which are of all of them, are left out."""
    notes = list(warnings)
    evidence = run.origin.evidence
    if all(map(items.issuperset, (rows.items for rows in evidence.rows.values()))):
        return run.remade(evidence=replace(evidence, diagnostics=(*evidence.diagnostics, *notes)))
    if run.tables:
        message = f"class tables are of all items of the run: left out ({some(run.tables)})"
        notes.append(Diagnostic(code="KT224", severity="note", message=message))
    context, corpus = run.origin.context_evidence, run.origin.corpus
    if context is not None:
        parts = (context.baselines, context.others, context.annotators)
        baselines, others, annotators = (part and _only(part, items) for part in parts)
        single = sum(count == 1 for item, count in run.references.items() if item in items)
        context = replace(context, baselines=baselines, others=others, annotators=annotators, single=single)
    evidence = _only(evidence, items)
    candidates = run.origin.candidates
    if candidates is not None:
        candidates = replace(candidates, evidence=_only(candidates.evidence, items))
    return run.remade(
        evidence=replace(evidence, diagnostics=(*evidence.diagnostics, *notes)),
        context_evidence=context,
        candidates=candidates,
        corpus=None if corpus is None else corpus.paired().only(items.__contains__),
    )


def _only(evidence: Evidence, items: frozenset[str]) -> Evidence:
    """Return the evidence of some items."""
    chosen = {
        needs: np.fromiter(map(items.__contains__, rows.items), dtype=bool, count=len(rows))
        for needs, rows in evidence.rows.items()
    }
    return replace(
        evidence.where(chosen),
        fingerprints={key: digest for key, digest in evidence.fingerprints.items() if key[1] in items},
        diagnostics=tuple(d for d in evidence.diagnostics if d.item is None or d.item in items),
    )


def _context_evidence(runs: Sequence[Scores]) -> ContextEvidence:
    """Return the evidence of the context of all runs; of equal references, that of annotators is equal."""
    contexts = [run.origin.context_evidence for run in runs if run.origin.context_evidence is not None]
    if len(contexts) < len(runs):
        raise OptionError("not all runs have a context", "score them with --context")
    parts = [context.others for context in contexts if context.others is not None]
    if not parts:
        return contexts[0]
    shared = tuple(m for m in parts[0].measures if all(m in part.measures for part in parts))
    return replace(
        contexts[0], others=reduce(Evidence.merged, (_narrowed(part, shared, {}) for part in parts))
    )


def _candidate_evidence(runs: Sequence[Scores], measures: tuple[Measure, ...]) -> CandidateEvidence | None:
    """Return the candidates of the systems of all runs."""
    parts = [
        (run.origin.candidates, _annotators(run, runs[0]))
        for run in runs
        if run.origin.candidates is not None
    ]
    if not parts:
        return None
    of_items = tuple(measure for measure in measures if measure.aggregate != "gathered")
    return CandidateEvidence(
        systems=tuple(system for candidates, _ in parts for system in candidates.systems),
        evidence=reduce(
            Evidence.merged,
            (_narrowed(candidates.evidence, of_items, annotators) for candidates, annotators in parts),
        ),
    )


def named_runs(runs: Runs) -> list[Scores]:
    """Read runs, and give their systems the names that the caller chose."""
    if isinstance(runs, Mapping):
        return [_with_name(str(name), scores_of(run)) for name, run in runs.items()]
    if isinstance(runs, Scores | str | os.PathLike):
        return [scores_of(runs)]
    return [
        _with_name(run[0], scores_of(run[1])) if isinstance(run, tuple) else scores_of(run) for run in runs
    ]


def _with_name(name: str | None, run: Scores) -> Scores:
    """Return the run with another name of its system."""
    if name is None:
        return run
    if len(run.systems) > 1:
        known = ", ".join(map(quote, run.systems))
        raise OptionError(f"a run has several systems, and {quote(name)} names one", f"they are {known}")
    return with_names(run, {run.systems[0]: name})


def with_names(run: Scores, names: Mapping[str, str]) -> Scores:
    """Return a run with other names of its systems, of each by its name."""
    origin = run.origin
    evidence = _renamed(origin.evidence, names, {})
    context, corpus = origin.context_evidence, origin.corpus
    if context is not None and context.others is not None:
        context = replace(context, others=_renamed(context.others, names, {}))
    if corpus is not None:
        systems = tuple(replace(system, name=names[system.name]) for system in corpus.systems)
        corpus = Corpus(corpus.references, systems)
    diagnostics = tuple(
        diagnostic.at(system=names.get(diagnostic.system or "", diagnostic.system))
        for diagnostic in run.diagnostics
    )
    evidence = replace(evidence, diagnostics=diagnostics)
    made = {names.get(system, system): made for system, made in origin.made.items()}
    # a run with candidates has several systems: its names are changed only to test it against another run
    return run.remade(evidence=evidence, corpus=corpus, context_evidence=context, made=made, candidates=None)


# --- what must be alike --------------------------------------------------------------------


def check_alike(run: Scores, following: Scores) -> None:
    """Refuse runs that are not comparable."""
    check_task(run, following)
    for name, value, other in differing_choices(run, following):
        message = f"runs were not scored alike: option {name} was {quote(value)} and {quote(other)}"
        raise DataError.of("KT709", message, hint="score both with the same options")
    _check_references(run, following)


def check_task(run: Scores, following: Scores) -> None:
    """Refuse runs of two tasks."""
    if run.task != following.task:
        raise OptionError(f"runs are of two tasks: {run.task}, {following.task}")


def differing_choices(run: Scores, following: Scores) -> Iterator[tuple[str, str, str]]:
    """Yield options that two runs do not have in common, with the value of each."""
    both = run.origin.all_choices, following.origin.all_choices
    for name in dict.fromkeys((*both[0], *both[1])):
        value, other = (choices.get(name, "default") for choices in both)
        if value != other:
            yield name, value, other


def _check_references(run: Scores, following: Scores) -> None:
    """Refuse runs that are not of exactly the same references."""
    annotators = _annotators(following, run)
    digests = run.fingerprints
    following_digests = {
        (annotators.get(who, who), item): digest for (who, item), digest in following.fingerprints.items()
    }
    keys = {*digests, *following_digests}
    differing = sorted({key[1] for key in keys if digests.get(key) != following_digests.get(key)})
    if differing:
        count = out_of(len(differing), len({item for _, item in keys}), "item")
        message = f"runs are of different references: {count}, such as {quote(differing[0])}"
        raise DataError.of("KT708", message, hint="score both against the same references")


def _annotators(run: Scores, first: Scores) -> dict[str, str]:
    """Return what annotators are called in the first run."""
    own, names = ([name for name in scores.annotators if name != ALL] for scores in (run, first))
    return matched_names(own, names)


def matched_names(names: Sequence[str], others: Sequence[str]) -> dict[str, str]:
    """Return the name in another run of each name: where each run has one, they are the same."""
    if len(names) == len(others) == 1:
        return {names[0]: others[0]}
    return {name: name for name in names if name in set(others)}


# --- measures ------------------------------------------------------------------------------


def _measures(
    runs: Sequence[Scores], protocols: Iterable[str] | None, measures: Iterable[str] | None
) -> tuple[tuple[Measure, ...], tuple[Diagnostic, ...]]:
    """Return the chosen measures that all runs have, and a diagnostic on those that some runs lack."""
    if protocols is not None:
        protocols = [protocols] if isinstance(protocols, str) else list(protocols)
        protocols = None if EVERY in protocols else protocols
    every = dict.fromkeys(measure for run in runs for measure in run.measures)
    shared = [measure for measure in every if all(measure in run.measures for run in runs)]
    if protocols is None and measures is None:
        chosen, lacking = tuple(shared), [measure for measure in every if measure not in shared]
    else:
        names = dict.fromkeys(measure.protocol for measure in every) if protocols is None else protocols
        candidates = choose(runs[0].origin.task.protocols, names, measures)
        chosen = tuple(measure for measure in candidates if measure in shared)
        lacking = [measure for measure in candidates if measure not in shared]
    if not chosen:
        raise OptionError("runs have no such measure in common", "score them by the same protocols")
    if not lacking:
        return chosen, ()
    message = f"not all runs have {', '.join(map(str, lacking))}: left out"
    return chosen, (Diagnostic("KT710", "note", message),)


def _narrowed(evidence: Evidence, measures: tuple[Measure, ...], annotators: Mapping[str, str]) -> Evidence:
    """Return the evidence of some measures, with other names of annotators."""
    needs = dict.fromkeys(measure.needs for measure in measures)
    of_classes = any(measure.aggregate == "gathered" for measure in measures)
    return _renamed(
        replace(
            evidence,
            measures=measures,
            rows={need: evidence.rows[need] for need in needs},
            statistics={m: evidence.statistics[m] for m in measures if m in evidence.statistics},
            gathered=evidence.gathered if of_classes else None,
        ),
        {},
        annotators,
    )


def _diagnostics(runs: Sequence[Scores]) -> list[Diagnostic]:
    """Return the diagnostics of all runs: those of no system once, then system by system."""
    without_system = [diagnostic for diagnostic in runs[0].diagnostics if diagnostic.system is None]
    for run in runs[1:]:
        without_system += [d for d in run.diagnostics if d.system is None and d not in without_system]
    of_systems = [d for run in runs for d in run.diagnostics if d.system is not None]
    return [d for d in (*without_system, *of_systems) if d.code not in _OF_RESAMPLING]


# --- names ---------------------------------------------------------------------------------


def _renamed(evidence: Evidence, systems: Mapping[str, str], annotators: Mapping[str, str]) -> Evidence:
    if not any(old != new for names in (systems, annotators) for old, new in names.items()):
        return evidence

    def renamed(system: str, annotator: str) -> tuple[str, str]:
        return systems.get(system, system), annotators.get(annotator, annotator)

    return replace(
        evidence,
        rows={needs: rows.regrouped(renamed) for needs, rows in evidence.rows.items()},
        tallies={
            name: Tally(
                tally.columns, tally.unit, {renamed(*key): cells for key, cells in tally.cells.items()}
            )
            for name, tally in evidence.tallies.items()
        },
        fingerprints={
            (annotators.get(who, who), item): digest for (who, item), digest in evidence.fingerprints.items()
        },
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Joined:
    """Comparable runs, as one."""

    scores: Scores  # with intervals, if one of the runs has them
    # why they are not comparable with runs of the same task before them; empty if there are none
    apart: str = ""


def join_alike(runs: Runs) -> tuple[Joined, ...]:
    """Return runs joined as far as they can be, in the order of the first of each."""
    groups: list[tuple[list[Scores], str]] = []
    for run in named_runs(runs):
        apart = ""
        for group, _ in groups:
            reason = _kept_apart(group[0], run)
            if reason is None:
                group.append(run)
                break
            apart = apart or reason
        else:
            groups.append(([run], apart))
    return tuple(Joined(scores=_as_one(group), apart=apart) for group, apart in groups)


def _kept_apart(run: Scores, following: Scores) -> str | None:
    """Return why two runs cannot be joined, an empty text if they are of two tasks."""
    if run.task != following.task:
        return ""
    try:
        check_alike(run, following)
    except DataError as error:
        return error.diagnostics[0].message
    return None


def _as_one(runs: Sequence[Scores]) -> Scores:
    """Return runs as one, with intervals, annotations and groups as far as they have them."""
    if len(runs) == 1:
        return runs[0]
    context = all(run.origin.context_evidence is not None for run in runs)
    joined = join_runs(runs, context=context)
    return joined.remade(
        evidence=replace(
            joined.origin.evidence, diagnostics=(*joined.diagnostics, *_differing_settings(runs))
        ),
        bootstrap=next((run.origin.bootstrap for run in runs if run.origin.bootstrap is not None), None),
        corpus=_annotations(runs),
        grouping=next((run.origin.grouping for run in runs if run.origin.grouping is not None), None),
    )


def _differing_settings(runs: Sequence[Scores]) -> Iterator[Diagnostic]:
    """Report that runs have intervals, or groups, of different settings, of which the first are taken."""
    for what, settings in (
        ("confidence intervals", [run.origin.bootstrap for run in runs]),
        ("groups", [g and (g.by, g.of) for g in (run.origin.grouping for run in runs)]),
    ):
        if any(own != settings[0] for own in settings):
            message = f"runs have {what} of different settings: those of the first are taken"
            yield Diagnostic("KT712", "note", message)


def _annotations(runs: Sequence[Scores]) -> Corpus | None:
    """Return the references of the first and the estimates of all; None if one of them has none."""
    corpora = [run.origin.corpus for run in runs if run.origin.corpus is not None]
    if len(corpora) < len(runs):
        return None
    return Corpus(corpora[0].references, tuple(system for corpus in corpora for system in corpus.systems))
