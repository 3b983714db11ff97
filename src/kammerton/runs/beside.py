# SPDX-License-Identifier: MIT
"""Runs of any kind, sorted into those that can stand beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kammerton.errors import DataError
from kammerton.model.corpus import Corpus
from kammerton.model.drawing import Drawing
from kammerton.model.scores import Scores
from kammerton.runs.joining import Runs, check_alike, join_runs, named_runs

__all__ = ["Joined", "join_alike"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Joined:
    """Runs that stand beside each other, as one.

    Parameters
    ----------
    scores : Scores
        With intervals, if one of the runs has them.
    apart : str
        What keeps them from runs of the same task before them; empty if there are none.
    """

    scores: Scores
    apart: str = ""


def join_alike(runs: Runs) -> tuple[Joined, ...]:
    """Return runs joined as far as they can be, in the order of the first of each.

    Parameters
    ----------
    runs : sequence of Scores or path, or mapping
        As for :func:`join_runs`, but of any tasks and references.

    Raises
    ------
    OptionError, DataError
        If two systems on the same references have one name, or a run cannot be read.
    """
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


def _kept_apart(one: Scores, other: Scores) -> str | None:
    """Return why two runs cannot be joined: nothing is to be said if they are of two tasks."""
    if one.task != other.task:
        return ""
    try:
        check_alike(one, other)
    except DataError as error:
        return error.diagnostics[0].message
    return None


def _as_one(runs: Sequence[Scores]) -> Scores:
    """Return runs as one, with intervals, annotations and groups as far as they have them."""
    if len(runs) == 1:
        return runs[0]
    context = all(run.origin.surroundings is not None for run in runs)
    return join_runs(runs, context=context).remade(
        drawing=next((run.origin.drawing for run in runs if run.ci is not None), Drawing()),
        corpus=_annotations(runs),
        grouping=next((run.origin.grouping for run in runs if run.origin.grouping is not None), None),
    )


def _annotations(runs: Sequence[Scores]) -> Corpus | None:
    """Return the references of the first and the estimates of all; None if one of them has none."""
    known = [run.origin.corpus for run in runs if run.origin.corpus is not None]
    if len(known) < len(runs):
        return None
    return Corpus(known[0].references, tuple(system for corpus in known for system in corpus.systems))
