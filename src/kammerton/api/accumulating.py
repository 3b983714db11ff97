# SPDX-License-Identifier: MIT
"""Scores of items that come one after the other, as in a training loop."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.api.scoring import score
from kammerton.errors import OptionError, merge_repeated, plural, some
from kammerton.model.corpus import Missing
from kammerton.model.evidence import Evidence
from kammerton.model.measure import Measure, find
from kammerton.model.registry import TaskName, find_task
from kammerton.model.task import Options, Task
from kammerton.results.scores import Scores
from kammerton.results.signature import Origin
from kammerton.statistics.resampling import BootstrapSettings

_DIGITS = 9
"""Of the names of items that have none, so that they sort as they came."""


class Accumulator:
    """Scores one system on items that come one after the other.

    It keeps the additive statistics of each item, not the annotations. The scores are those that
    :func:`kammerton.score` computes of all items at once, to the last bit, in whatever order and by however
    many accumulators the items were taken in.

    Parameters
    ----------
    task : str or Task
        As for :func:`kammerton.score`.
    protocols, measures : iterable of str, optional
        As for :func:`kammerton.score`.
    options : object, optional
        As for :func:`kammerton.score`.
    missing : {"worst", "skip", "error"}
        What an item without an estimate counts, in updates by mappings of items.

    Raises
    ------
    OptionError
        If a protocol or measure is unknown.

    Examples
    --------
    >>> accumulator = Accumulator("chords", measures=["MajMin"])
    >>> accumulator.update(([(0, 2), (2, 4)], ["C", "G:7"]), ([(0, 3), (3, 4)], ["C", "G"]))
    >>> accumulator.update(([(0, 1)], ["A:min"]), ([(0, 1)], ["A:min"]))
    >>> len(accumulator), accumulator.compute().value("MajMin")
    (2, 0.8)
    """

    def __init__(
        self,
        task: TaskName | Task,
        *,
        protocols: Iterable[str] | None = None,
        measures: Iterable[str] | None = None,
        options: Options | None = None,
        missing: Missing = "worst",
    ) -> None:
        self._task = find_task(task)
        self._choices: dict[str, Any] = {
            "protocols": None if protocols is None else tuple(protocols),
            "measures": None if measures is None else tuple(measures),
            "options": options,
            "missing": missing,
        }
        self._task.choose(self._choices["protocols"], self._choices["measures"])
        self.reset()

    def reset(self) -> None:
        """Forget all items."""
        self._origin: Origin | None = None  # of the first update: how everything is scored
        self._parts: list[Evidence] = []
        self._items: set[str] = set()
        self._numbered: set[str] = set()

    def __repr__(self) -> str:
        """Return the task and the number of items."""
        return f"<Accumulator of {self._task.name}: {plural(len(self), 'item')}>"

    def __len__(self) -> int:
        return len(self._items)

    def update(self, reference: Any, estimate: Any, *, item: str | None = None) -> None:
        """Take in an item, or several.

        Parameters
        ----------
        reference, estimate : path or annotation, or a mapping of items to these
            As for :func:`kammerton.score`. Of mappings, items that only the reference has are missing.
        item : str, optional
            Name of the item; by default items have numbers.

        Raises
        ------
        OptionError
            If an item was taken in before.
        DataError
            If it cannot be scored; the accumulator is as it was.
        """
        if isinstance(reference, Mapping) and isinstance(estimate, Mapping) and item is None:
            references, estimates = dict(reference), dict(estimate)
        else:
            name = self._next_number() if item is None else item
            references, estimates = {name: reference}, {name: estimate}
        scores = score(self._task, references, {"estimate": estimates}, ci=None, **self._choices)
        items = set(map(str, references))
        self._refuse_known(items)
        self._items |= items
        if item is None and len(items) == 1 and not isinstance(reference, Mapping):
            self._numbered |= items
        self._origin = self._origin or replace(scores.origin, corpus=None)
        self._parts.append(scores.origin.evidence)

    def merge(self, other: Accumulator) -> None:
        """Take in the items of another accumulator of the same task and choices, such as another process's.

        Raises
        ------
        OptionError
            If it has another task or other choices, or an item that was taken in before.
        """
        if (self._task.name, self._choices) != (other._task.name, other._choices):
            raise OptionError("accumulators merge if their task, measures and options are the same")
        new_names: dict[str, str] = {}
        for name in sorted(other._numbered):
            new_names[name] = self._next_number(len(new_names))
        items = {new_names.get(item, item) for item in other._items}
        self._refuse_known(items)
        self._items |= items
        self._numbered |= set(new_names.values())
        self._origin = self._origin or other._origin
        self._parts += [_renamed(part, new_names) for part in other._parts]

    def compute(self, *, ci: float | None = None, resamples: int = 10_000, seed: int = 0) -> Scores:
        """Return the scores of all items so far.

        Parameters
        ----------
        ci : float, optional
            Level of the confidence intervals, such as .95; by default there are none.
        resamples, seed : int
            As for :func:`kammerton.score`.

        Raises
        ------
        OptionError
            If there is no item.
        """
        if self._origin is None:
            raise OptionError("there is no item to compute scores of", "take items in with update")
        self._parts = [_joined(self._parts)]
        bootstrap = None
        if ci is not None:
            signed = {"ci": f"{ci:g},expanded-percentile,{resamples},{seed}"}
            bootstrap = BootstrapSettings(level=ci, resamples=resamples, seed=seed, signed=signed)
        return Scores(replace(self._origin, evidence=self._parts[0], bootstrap=bootstrap))

    def sums(self) -> dict[str, NDArray[np.float64]]:
        """Return plain sums of each measure by its address, which add up over accumulators and processes.

        Of a pooled measure they are its statistics; of a mean, what items count and how much they weigh.
        Medians, and measures over classes, have none.

        Examples
        --------
        >>> accumulator = Accumulator("chords", measures=["MajMin"])
        >>> accumulator.update(([(0, 2), (2, 4)], ["C", "G:7"]), ([(0, 3), (3, 4)], ["C", "G"]))
        >>> sums = accumulator.sums()
        >>> accumulator.values({address: array + array for address, array in sums.items()})
        {'mirex2013/MajMin': 0.75}
        """
        if self._origin is None:
            return {}
        scores = self.compute()
        sums = {}
        for measure in scores.measures:
            items = scores.of_items(measure, "estimate", scores.annotators_of(measure)[-1])
            if measure.aggregate == "pooled":
                sums[str(measure)] = items.statistics.sum(axis=0)
            elif measure.aggregate in ("mean", "weighted_mean"):
                counts = ~np.isnan(items.counted)
                weights = (items.weights if measure.aggregate == "weighted_mean" else counts)[counts]
                sums[str(measure)] = np.array([items.counted[counts] @ weights, weights.sum()], dtype=float)
        return sums

    def values(self, sums: Mapping[str, NDArray[np.float64]]) -> dict[str, float]:
        """Return the scores that :meth:`sums`, added up, stand for; NaN where undefined."""
        values = {}
        for address, array in sums.items():
            measure = find(address, self._task.measures, self._task.measures)
            if measure.aggregate == "pooled":
                values[address] = float(measure.formula.finalise(array[None])[0])
            else:
                values[address] = float(array[0] / array[1]) if array[1] else math.nan
        return values

    def _next_number(self, ahead: int = 0) -> str:
        """Return the name of an item without one."""
        return f"{len(self._numbered) + ahead + 1:0{_DIGITS}d}"

    def _refuse_known(self, items: set[str]) -> None:
        known = sorted(items & self._items)
        if known:
            raise OptionError(f"taken in before: {some(known)}", "each item counts once")


def _renamed(evidence: Evidence, names: Mapping[str, str]) -> Evidence:
    """Return evidence in which some items have other names."""
    if not names:
        return evidence
    rows = {
        needs: replace(of_needs, items=tuple(names.get(item, item) for item in of_needs.items))
        for needs, of_needs in evidence.rows.items()
    }
    prints = {(who, names.get(item, item)): digest for (who, item), digest in evidence.fingerprints.items()}
    return replace(evidence, rows=rows, fingerprints=prints)


def _joined(parts: list[Evidence]) -> Evidence:
    """Return the evidence of all parts, joined in pairs so that nothing is copied often."""
    measures = [measure for measure in parts[0].measures if all(measure in part.measures for part in parts)]
    parts = [_narrowed(part, measures) for part in parts]
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [*(first.merged(second) for first, second in pairs), *parts[len(parts) // 2 * 2 :]]
    whole = parts[0]  # notes that are of no item came with each part
    general = {diagnostic.code for diagnostic in whole.diagnostics if diagnostic.item is None}
    return replace(whole, diagnostics=tuple(merge_repeated(whole.diagnostics, general)))


def _narrowed(evidence: Evidence, measures: list[Measure]) -> Evidence:
    """Return the evidence of some measures: parts without ranks have fewer."""
    if list(evidence.measures) == measures:
        return evidence
    statistics = {measure: values for measure, values in evidence.statistics.items() if measure in measures}
    return replace(evidence, measures=tuple(measures), statistics=statistics)
