# SPDX-License-Identifier: MIT
"""What there is to measure, and the bundled example."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kammerton.errors import OptionError
from kammerton.model.registry import TASKS, TaskName, find_task
from kammerton.model.task import Task
from kammerton.results.tables import table

if TYPE_CHECKING:
    import polars as pl

_COLUMNS = ("task", "measure", "summary", "formula", "direction", "unit", "aggregate", "headline")
_DEMO = Path(__file__).parent.parent / "demo"


def measures(task: TaskName | Task | None = None) -> pl.DataFrame:
    """Return what can be measured.

    Parameters
    ----------
    task : str or Task, optional
        By default all built-in tasks.

    Returns
    -------
    polars.DataFrame
        A row for each measure: ``task``, ``measure`` (its address, ``protocol/measure``), ``summary``,
        ``formula``, ``direction`` (what is better), ``unit`` of its weights, ``aggregate``, and whether
        tables show it unasked (``headline``).

    Raises
    ------
    OptionError
        If there is no such task.

    Examples
    --------
    >>> measures("chords").filter(measure="mirex2013/MajMin").row(0)[2]
    'Chord symbol recall of major and minor triads; richer chords count as the triad that their third makes.'
    """
    kinds = map(find_task, TASKS if task is None else (task,))
    rows = [
        (
            *(kind.name, str(measure), measure.card.summary, measure.card.equation),
            *(measure.direction, measure.weight_unit, measure.aggregate, measure.headline),
        )
        for kind in kinds
        for measure in kind.measures
    ]
    return table(rows, _COLUMNS, {"headline": "Boolean"})


class Example(NamedTuple):
    """The bundled example of a task, as :func:`kammerton.score` takes it.

    Examples
    --------
    >>> sorted(example("chords").estimates)
    ['careful', 'hasty']
    """

    references: str
    estimates: dict[str, str]  # by system


def example(task: TaskName) -> Example:
    """Return the files of the bundled example, for trying things out.

    Parameters
    ----------
    task : {"chords", "fingering", "instruments"}
        Four old tunes, three short pieces, or six recordings.

    Returns
    -------
    Example
        A pair: where the references are, and where the estimates of each system are.

    Raises
    ------
    OptionError
        If there is no such task.

    Examples
    --------
    >>> import kammerton
    >>> kammerton.score("chords", *example("chords")).value("MajMin", system="careful") > 0.9
    True
    """
    if task not in TASKS:
        raise OptionError.unknown("task", task, TASKS)
    folder, suffix = _DEMO / task, ".csv" if task == "instruments" else ""
    systems = {name: str(folder / f"{name}{suffix}") for name in ("careful", "hasty")}
    return Example(str(folder / f"reference{suffix}"), systems)
