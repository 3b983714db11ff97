# SPDX-License-Identifier: MIT
"""Scores made from tables of numbers, for tests of what scores are worth.

A measure is a share: the first column over the second. ``one/pooled`` pools it, ``one/mean``, ``one/middle``
and ``one/weighted`` average it; ``one/loss`` is better if it is lower. ``other/pooled`` is of its own
statistics. ``one/classes`` is the mean over classes of the share of *different* units in which a class was
found: an item that is drawn twice is two units.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kammerton.arrays import ratio
from kammerton.model.evidence import Evidence, Row, Rows
from kammerton.model.measure import Aggregate, Card, Gathered, Measure, Protocol, Statistics, Values
from kammerton.model.task import Evaluation, Reading, Task
from kammerton.results.context import Context
from kammerton.results.groups import Groups
from kammerton.results.scores import Scores
from kammerton.results.signature import Origin
from kammerton.statistics.paired import PairedTest, PermutationTest, permutation_tests
from kammerton.statistics.resampling import Permutations
from kammerton.statistics.sample import Sample, headline_keys, items_behind

__all__ = [
    "CLASSES",
    "LOSS",
    "MEAN",
    "MIDDLE",
    "OTHER",
    "POOLED",
    "TOGETHER",
    "WEIGHTED",
    "Share",
    "Table",
    "context_of",
    "groups_in",
    "lacking",
    "names",
    "permutation_test",
    "swapped",
    "tabled",
    "valued",
]

CARD = Card(summary="s", equation="e", undefined_when="there is nothing", source="s", agrees_with="a")


class Share:
    """The first column over the second."""

    statistics = ("part", "whole")

    def finalise(self, statistics: Statistics, /) -> Values:
        return ratio(statistics[:, 0], statistics[:, 1])

    def weight(self, statistics: Statistics, /) -> Values:
        return statistics[:, 1]

    def worst(self, statistics: Statistics, /) -> Statistics:
        return statistics * [0, 1]


def _measure(name: str, aggregate: Aggregate, *beside: Aggregate, protocol: str = "one") -> Measure:
    return Measure(
        protocol=protocol,
        name=name,
        formula=Share(),
        aggregate=aggregate,
        beside=beside,
        card=CARD,
        headline=True,
    )


POOLED = _measure("pooled", "pooled", "mean", "median", "weighted_mean")
MEAN = _measure("mean", "mean")
MIDDLE = _measure("middle", "median")
WEIGHTED = _measure("weighted", "weighted_mean")
OTHER = _measure("pooled", "pooled", protocol="other")
CLASSES = _measure("classes", "gathered")
TOGETHER = replace(CLASSES, name="together", over_all=True)
"""Made anew from the items that are drawn."""
LOSS = replace(MEAN, name="loss", direction="lower")

Cells = ArrayLike | Sequence[tuple[float, float]]
Table = Mapping[str, Cells | Mapping[str, Cells]]
"""By system, perhaps by annotator: rows of part and whole, one per item; NaN where there is no row."""


def gather(
    gathered: Gathered, measures: Sequence[Measure], options: object
) -> tuple[tuple[str, ...], Mapping[Measure, Statistics]]:
    """Count the units of each class, and those in which it was found; no class of a name that is not used."""
    used = np.unique(gathered.codes)
    counts = [
        (len(set(units[found > 0].tolist())), len(set(units.tolist())))
        for units, found in (
            (gathered.unit_codes[gathered.codes == code], gathered.values[gathered.codes == code, 0])
            for code in used
        )
    ]
    statistics = np.array(counts, dtype=float).reshape(-1, 2)
    return tuple(gathered.classes[code] for code in used), dict.fromkeys(measures, statistics)


def _unused(*given: object) -> Evaluation:
    raise AssertionError("scores are made without")


def task(measures: Sequence[Measure]) -> Task:
    """Return a task that has these measures, and can read nothing."""
    return Task(
        name="tables",
        summary="Tables.",
        protocols=tuple(
            Protocol(
                name=name,
                revision=1,
                summary="s",
                rules="r",
                measures=tuple(measure for measure in measures if measure.protocol == name),
            )
            for name in dict.fromkeys(measure.protocol for measure in measures)
        ),
        suffixes=frozenset((".table",)),
        options=object,
        read=lambda path, name, options: Reading(()),
        adopt=lambda value, name, options: Reading(()),
        blank=lambda reference: reference,
        content=lambda annotation: b"",
        extent=lambda annotation: 0.0,
        evaluate=_unused,
        gather=gather,
    )


def names(items: int) -> list[str]:
    """Return names of items, in their order."""
    return [f"item {number:05}" for number in range(items)]


def tabled(
    table: Table,
    measures: Sequence[Measure] = (POOLED,),
    *,
    others: Table | None = None,
    order: Sequence[int] | None = None,
    by_item: bool = False,
) -> Scores:
    """Return scores with these statistics.

    Parameters
    ----------
    table : mapping
        Statistics by system, perhaps by annotator.
    measures : sequence of Measure
    others : mapping, optional
        Statistics of ``other/pooled``.
    order : sequence of int, optional
        Order of the items in the evidence.
    by_item : bool
        Classes are items: what is found of an item is said of itself, in a unit called "here".
    """
    systems = {name: _by_annotator(rows) for name, rows in table.items()}
    other = {name: _by_annotator(rows) for name, rows in (others or table).items()}
    pairs, statistics, of_other = [], [], []
    for system, annotators in systems.items():
        for annotator, rows in annotators.items():
            named = names(len(rows))
            for item in range(len(rows)) if order is None else order:
                counts = not np.isnan(rows[item]).any()
                name = named[item]
                pairs.append(Row(system, name, annotator, "ok" if counts else "missing", counts))
                statistics.append(np.nan_to_num(rows[item]))
                of_other.append(np.nan_to_num(other[system][annotator][item]))
    by_measure = {
        measure: np.array(of_other if measure is OTHER else statistics)
        for measure in measures
        if measure.aggregate != "gathered"
    }
    over_classes = any(measure.aggregate == "gathered" for measure in measures)
    evidence = Evidence(
        measures=tuple(measures),
        rows={"pair": Rows.of(pairs)},
        statistics=by_measure,
        tallies={},
        fingerprints={(row.annotator, row.item): row.item.encode() for row in pairs},
        gathered=_gathered(pairs, np.array(statistics), by_item=by_item) if over_classes else None,
    )
    origin = Origin(task=task(measures), evidence=evidence, missing="worst", options=None, choices={})
    return Scores(origin)


def _by_annotator(rows: Cells | Mapping[str, Cells]) -> dict[str, Statistics]:
    found = rows if isinstance(rows, Mapping) else {"reference": rows}
    return {name: np.asarray(each, dtype=float).reshape(-1, 2) for name, each in found.items()}


def _gathered(pairs: Sequence[Row], statistics: Statistics, *, by_item: bool) -> Gathered:
    """Return a row for each item that counts: whether it was found, said of the class ``whole``."""
    counting = np.array([place for place, row in enumerate(pairs) if row.counts], dtype=np.int64)
    items = tuple(dict.fromkeys(row.item for row in pairs))
    of_item = np.array([items.index(pairs[place].item) for place in counting], dtype=np.int64)
    classes = tuple(f"class {number:g}" for number in np.unique(statistics[:, 1]))
    of_class = np.unique(statistics[:, 1], return_inverse=True)[1][counting]
    here = np.zeros(len(counting), dtype=np.int64)
    return Gathered(
        columns=("found",),
        cases=counting,
        classes=items if by_item else classes,
        codes=of_item if by_item else of_class,
        units=("here",) if by_item else items,
        unit_codes=here if by_item else of_item,
        values=(statistics[counting, :1] > 0).astype(float),
    )


def valued(values: Mapping[str, ArrayLike]) -> dict[str, Statistics]:
    """Return statistics of items that have these values, each measured on 1; undefined ones on nothing."""
    made = {}
    for system, given in values.items():
        column = np.asarray(given, dtype=float)
        made[system] = np.stack((np.nan_to_num(column), (~np.isnan(column)).astype(float)), axis=1)
    return made


def lacking(values: Mapping[str, ArrayLike]) -> dict[str, Statistics]:
    """Return the same, but where a value is undefined the system has no such item."""
    made = valued(values)
    for statistics in made.values():
        statistics[statistics[:, 1] == 0] = np.nan
    return made


def permutation_test(differences: ArrayLike, **choices: Any) -> PairedTest:
    """Test whether differences of items are 0 in the mean; see :func:`swapped`."""
    values = np.asarray(differences, dtype=float)
    return swapped(valued({"first": values, "second": 0 * values}), MEAN, **choices)


def swapped(
    table: Table,
    measure: Measure = POOLED,
    *,
    repetitions: int = 10_000,
    seed: int = 0,
    clusters: Sequence[str] | None = None,
    exact_up_to: int = 16,
) -> PairedTest:
    """Test the difference of the scores of two systems, whose statistics are swapped item by item."""
    scores = tabled(table, (measure,))
    test = PermutationTest(*headline_keys(scores, measure))
    items = items_behind(scores, test.first)
    cluster_of = None if clusters is None else dict(zip(names(len(clusters)), clusters, strict=True))
    sample = Sample(scores, test, {measure: items}, cluster_of)
    permutations = Permutations(len(items), repetitions, seed, sample.clusters, exact_up_to)
    outcomes, _ = permutation_tests(sample, sample.item_scores(test), [test], permutations)
    return outcomes[test]


def context_of(scores: Scores) -> Context:
    """Return the context of scores that have one."""
    assert scores.context is not None
    return scores.context


def groups_in(scores: Scores) -> Groups:
    """Return the groups of scores that have some."""
    assert scores.groups is not None
    return scores.groups
