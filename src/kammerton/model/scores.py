# SPDX-License-Identifier: MIT
"""Scores: evidence made into figures, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, OptionError, quote
from kammerton.model.classes import Gathering, Kind, gather_classes, has_class, kind_of
from kammerton.model.corpus import ALL, one_of
from kammerton.model.drawing import Interval
from kammerton.model.evidence import Tally
from kammerton.model.item_figures import ItemFigures
from kammerton.model.measure import Aggregate, Estimate, Measure, Statistics
from kammerton.model.notebook import Charted
from kammerton.model.origin import Origin
from kammerton.model.protocol import find
from kammerton.model.rows import Group, Row, Rows, State
from kammerton.model.score_tables import ITEMS, SUMMARY, describe, entries, item_rows, summary_rows, table
from kammerton.model.timing import Timing
from kammerton.version import __version__

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

__all__ = ["Scores"]

_STATES = ("ok", "missing", "failed")
"""Of items, the worst behind."""


class Scores(Charted):
    """What one or several systems scored.

    Made by :func:`kammerton.score`.

    Parameters
    ----------
    origin : Origin
        What all of it is made from.
    timing : Timing, optional
        What phases took up to now.

    Attributes
    ----------
    gathering : Gathering or None
        What measures over classes are made from.
    timing : Timing
        What phases took, of making figures too.
    """

    def __init__(self, origin: Origin, timing: Timing | None = None) -> None:
        self.origin = origin
        self.timing = timing or Timing()
        evidence = origin.evidence
        self.gathering = Gathering.of(origin.task, evidence, origin.options)
        self._rows: dict[Kind, Rows] = dict(evidence.rows.items())
        self._statistics: Mapping[Measure, Statistics] = evidence.statistics
        if self.gathering is not None:
            self._rows["gathered"], of_classes = gather_classes(self.gathering)
            self._statistics = {**evidence.statistics, **of_classes}
        self._order = {kind: self._sorted(rows) for kind, rows in self._rows.items()}
        self._chosen: dict[tuple[Kind, str, str], tuple[NDArray[np.int_], tuple[str, ...]]] = {}
        self._signed: dict[tuple[str, frozenset[str] | None, tuple[str, ...]], dict[Measure, str]] = {}

    def _sorted(self, rows: Rows) -> NDArray[np.int64]:
        """Return the numbers of the rows by system, annotator and item: shards do not show."""
        systems = {name: place for place, name in enumerate(self.systems)}
        annotators = {name: place for place, name in enumerate(self.annotators)}
        places = [(systems[system], annotators.get(annotator, 0)) for system, annotator in rows.groups]
        keys = list(zip(map(places.__getitem__, rows.group_codes.tolist()), rows.items, strict=True))
        if all(one <= other for one, other in pairwise(keys)):
            return np.arange(len(rows))
        return np.array(sorted(range(len(rows)), key=keys.__getitem__), dtype=np.int64)

    @property
    def task(self) -> str:
        """Name of the task."""
        return self.origin.task.name

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was measured, in the order of output."""
        return self.origin.evidence.measures

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order given."""
        return tuple(dict.fromkeys(system for system, _ in self._groups()))

    @cached_property
    def annotators(self) -> tuple[str, ...]:
        """Names of the annotators, and ``"all"`` behind them if there are several."""
        names = tuple(dict.fromkeys(annotator for _, annotator in self._groups() if annotator != ALL))
        return names if len(names) == 1 else (*names, ALL)

    def annotators_of(self, measure: Measure) -> tuple[str, ...]:
        """Names of the annotators that a measure has figures for."""
        return self.annotators if measure.needs == "pair" else (ALL,)

    def _groups(self) -> Iterator[Group]:
        """Give the groups of rows of items; classes are none."""
        return chain.from_iterable(rows.groups for rows in self.origin.evidence.rows.values())

    @cached_property
    def references(self) -> dict[str, int]:
        """Number of references that each item has: one for each annotator whose annotation was used."""
        return dict(Counter(item for who, item in self.origin.evidence.fingerprints if who != ALL))

    @property
    def has_references(self) -> bool:
        """Whether estimates were compared with references; else only what needs none has values."""
        return self.origin.evidence.has_references

    def is_evaluated(self, measure: Measure) -> bool:
        """Tell whether there is what a measure compares with."""
        return measure.needs == "estimate" or self.has_references

    @property
    def fingerprints(self) -> Mapping[tuple[str, str], bytes]:
        """Digest of the content of each reference that was used, by annotator and item."""
        return self.origin.evidence.fingerprints

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything that was noticed in the data, in the order of reading."""
        return self.origin.evidence.diagnostics

    @cached_property
    def counts(self) -> dict[str, dict[str, int]]:
        """Items of each system: ``total``, ``ok``, ``missing``, ``failed``.

        With several annotators an item counts once: as failed or missing if it is for any of them.
        """
        found: dict[str, dict[str, int]] = {}
        for system in self.systems:
            of_rows = self.origin.evidence.rows.values()
            chosen = ((rows, np.flatnonzero(rows.of_system(system))) for rows in of_rows)
            items = set[str]().union(*(rows.items_at(numbers) for rows, numbers in chosen))
            worst: dict[str, str] = {}
            for row in self.unusable(system):
                worst[row.item] = max(worst.get(row.item, "ok"), row.status, key=_STATES.index)
            lost = Counter(worst.values())
            told = {"total": len(items), "ok": len(items) - len(worst)}
            found[system] = told | {state: lost[state] for state in _STATES[1:]}
        return found

    @property
    def is_partial(self) -> bool:
        """Whether an item is missing or failed."""
        return any(count["ok"] < count["total"] for count in self.counts.values())

    def unusable(self, system: str) -> tuple[Row, ...]:
        """Return the rows of a system that have no estimate, or a side that cannot be used."""
        return tuple(
            row
            for rows in self.origin.evidence.rows.values()
            for row in rows.take(np.flatnonzero(rows.of_system(system) & rows.in_state(_is_unusable)))
        )

    @property
    def ci(self) -> float | None:
        """Level of the intervals; None if there are none."""
        return self.origin.drawing.level

    @cached_property
    def intervals(self) -> Mapping[Any, Interval]:
        """Ends of the interval of each figure, by system, annotator, measure and aggregate.

        NaN where undefined; empty if none were asked for.
        """
        if self.origin.drawing.resample is None:
            return {}
        with self.timing.during("intervals"):
            return self.origin.drawing.resample(self)

    @cached_property
    def context(self) -> Any:
        """Floors and ceiling: see :class:`kammerton.statistics.context.Context`; None unless asked for."""
        surroundings = self.origin.surroundings
        if surroundings is None or surroundings.stand is None:
            return None
        with self.timing.during("context"):
            return surroundings.stand(self)

    @cached_property
    def groups(self) -> Any:
        """Figures group by group: see :class:`kammerton.statistics.groups.Groups`; None unless asked for."""
        grouping = self.origin.grouping
        if grouping is None:
            return None
        with self.timing.during("groups"):
            return grouping.divide(self)

    @cached_property
    def summary(self) -> pl.DataFrame:
        """Corpus figures.

        Key: ``system``, ``annotator``, ``protocol``, ``measure``, ``aggregate``; then ``value``
        (null if undefined), ``ci_low`` and ``ci_high`` (its interval), ``items``, ``undefined``, ``weight``,
        ``weight_unit``, ``signature``. The headline aggregate of a measure is the first of its rows.
        """
        return table(summary_rows(self), SUMMARY)

    @cached_property
    def items(self) -> pl.DataFrame:
        """Figures of each item.

        Key: ``system``, ``item``, ``annotator``, ``protocol``, ``measure``; then ``value`` (null if
        undefined), ``weight``, ``status`` (``ok``, ``undefined``, ``missing``, ``failed``), ``reason``,
        ``counted_as`` (what an undefined value counts in a mean, if anything). Of measures over classes
        the items are the classes.
        """
        return self.items_by(self.measures)

    def items_by(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the rows of :attr:`items` that are by some of the measures."""
        return table(item_rows(measures, self.systems, self._rows, self._order, self._statistics), ITEMS)

    def table(self, name: str) -> pl.DataFrame:
        """Return a class table of the task, heaviest rows first.

        Parameters
        ----------
        name : str
            One of :attr:`tables`, e.g. ``"confusion"``.

        Returns
        -------
        polars.DataFrame
            ``system``, ``annotator``, the classes, and the weight, called by its unit.

        Raises
        ------
        OptionError
            If there is no such table.
        """
        import polars as pl  # noqa: PLC0415

        tally = self.tally(name)
        rows = [
            (system, annotator, *classes, weight)
            for (system, annotator), cells in tally.cells.items()
            for classes, weight in sorted(cells.items(), key=lambda cell: (-cell[1], str(cell[0])))
        ]
        columns = ["system", "annotator", *tally.columns, tally.unit]
        return pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)

    def tally(self, name: str) -> Tally:
        """Return a class table as plain mappings; see :meth:`table`."""
        if not self.has_references:
            raise OptionError(f"no table {quote(name)}", "class tables compare with references")
        if name not in self.origin.evidence.tallies:
            raise OptionError.unknown("table", name, self.tables)
        return self.origin.evidence.tallies[name]

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the class tables there are."""
        return tuple(self.origin.evidence.tallies)

    def value(
        self,
        measure: str,
        *,
        system: str | None = None,
        annotator: str | None = None,
        aggregate: str | None = None,
    ) -> float:
        """Return one corpus figure.

        Parameters
        ----------
        measure : str
            Address ``protocol/measure``, or a name that only one measure has.
        system : str, optional
            By default the only one.
        annotator : str, optional
            By default the only one, or ``"all"``.
        aggregate : str, optional
            By default the headline.

        Returns
        -------
        float
            NaN if undefined.

        Raises
        ------
        OptionError
            If a name is unknown, or was left out where there is a choice.
        """
        found = find(measure, self.measures, self.origin.task.measures)
        chosen = one_of("system", system, self.systems)
        known = self.annotators_of(found)
        who = known[-1] if annotator is None else one_of("annotator", annotator, known)
        how = one_of("aggregate", aggregate or found.aggregate, found.aggregates)
        return self.estimate(found, chosen, who, how).value  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, undefined ones as None; what ``--format json`` prints."""
        return {
            "kammerton": __version__,
            "task": self.task,
            "items": self.counts,
            "scores": list(entries(self)),
            **({} if self.context is None else {"context": self.context.to_dict()}),
            **({} if self.groups is None else {"groups": self.groups.to_dict()}),
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }

    def remade(self, **changes: Any) -> Scores:
        """Return scores that are made from another :attr:`origin`: some of its fields are changed."""
        return Scores(replace(self.origin, **changes))

    def to_pandas(self) -> pd.DataFrame:
        """Return :attr:`summary` as a pandas data frame; needs the extra ``kammerton[pandas]``."""
        try:
            return self.summary.to_pandas()
        except ImportError as error:
            raise OptionError.of_import(
                "pandas data frames need pandas and pyarrow", "pandas", error
            ) from error

    def __repr__(self) -> str:
        """Return the headline figures, one line per system and protocol."""
        return describe(self)

    def estimate(self, measure: Measure, system: str, annotator: str, how: Aggregate) -> Estimate:
        """Return a corpus figure with what it was measured on.

        Parameters
        ----------
        measure : Measure
            One of :attr:`measures`.
        system, annotator : str
            One of :attr:`systems`, and of :meth:`annotators_of` the measure.
        how : aggregate
            One of the measure's aggregates.
        """
        return self.of_items(measure, system, annotator).estimate(how)

    def of_items(self, measure: Measure, system: str, annotator: str) -> ItemFigures:
        """Return what each item, or class, brings to the corpus figures of a measure.

        Parameters
        ----------
        measure : Measure
            One of :attr:`measures`.
        system, annotator : str
            One of :attr:`systems`, and of :meth:`annotators_of` the measure.
        """
        rows, statistics = self._rows[kind_of(measure)], self._statistics[measure]
        chosen, names = self._counting(kind_of(measure), system, annotator)
        if measure.aggregate == "gathered":
            chosen = np.array([index for index in chosen.tolist() if has_class(statistics[index])], dtype=int)
            names = rows.items_at(chosen)
        # who was left out stands where all of them are meant, if leaving one out is what rows are of
        of_sets = len(chosen) > 0 and rows[chosen[0]].annotator != ALL
        several = annotator == ALL and (measure.needs == "pair" or of_sets)
        return ItemFigures(measure, names, statistics[chosen], several=several)

    def why_undefined(self, measure: Measure, system: str, annotator: str) -> str:
        """Return why a corpus score has no value: the reason of its items, if all have the same.

        Parameters
        ----------
        measure : Measure
            One of :attr:`measures`.
        system, annotator : str
            One of :attr:`systems`, and of :meth:`annotators_of` the measure.
        """
        rows = self._rows[kind_of(measure)]
        chosen, _ = self._counting(kind_of(measure), system, annotator)
        states = [rows.states[code] for code in np.unique(rows.state_codes[chosen]).tolist()]
        reasons = {measure.why_undefined(s.reason) if s.status == "ok" else s.reason for s in states}
        return reasons.pop() if len(reasons) == 1 else measure.why_undefined("")

    def _counting(self, kind: Kind, system: str, annotator: str) -> tuple[NDArray[np.int_], tuple[str, ...]]:
        """Return the numbers and items of the rows that a figure is made of; most measures share them."""
        key = (kind, system, annotator)
        if key not in self._chosen:
            rows, order = self._rows[kind], self._order[kind]
            wanted = rows.in_state(lambda state: state.counts)
            wanted &= rows.of_groups(lambda one, who: one == system and annotator in (ALL, who))
            chosen = order[wanted[order]]
            self._chosen[key] = chosen, rows.items_at(chosen)
        return self._chosen[key]

    def signatures(
        self, annotator: str, items: frozenset[str] | None = None, systems: Sequence[str] = ()
    ) -> dict[Measure, str]:
        """Return the signature of each measure: see :meth:`.Origin.signatures`."""
        key = annotator, items, tuple(systems) if self.origin.missing == "skip" else ()
        if key not in self._signed:
            self._signed[key] = self.origin.signatures(*key)
        return self._signed[key]


def _is_unusable(state: State) -> bool:
    return state.status != "ok"
