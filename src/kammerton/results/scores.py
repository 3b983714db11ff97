# SPDX-License-Identifier: MIT
"""Scores: evidence made into figures, as tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from itertools import chain, pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes
from kammerton.errors import Diagnostic, OptionError, plural, quote
from kammerton.model.corpus import ALL, one_of
from kammerton.model.evidence import (
    ClassEvidence,
    Group,
    Kind,
    Row,
    Rows,
    State,
    Tally,
    has_class,
    kind_of,
    statistics_by_class,
)
from kammerton.model.item_scores import ItemScores
from kammerton.model.measure import Aggregate, Estimate, Measure, Statistics, find
from kammerton.results.signature import Interval, Origin
from kammerton.scoring.evaluating import Timing
from kammerton.version import __version__

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import polars as pl

__all__ = [
    "ITEMS",
    "SUMMARY",
    "Scores",
    "Shown",
    "WithCharts",
    "describe",
    "entries",
    "item_rows",
    "keys_in_order",
    "null",
    "summary_rows",
    "table",
]

Figure = tuple[str, str, Measure]
"""Whose, against whom, by what."""
ResampledScores = tuple[float, float, float]
"""Value, what it counts in a mean, and its weight."""


def item_rows(
    measures: Sequence[Measure],
    systems: Sequence[str],
    rows: Mapping[Kind, Rows],
    order: Mapping[Kind, Codes],
    statistics: Mapping[Measure, Statistics],
) -> Iterator[tuple[Any, ...]]:
    """Give the rows of the table ``ITEMS``: of each system the rows of each kind in their order."""
    figures: dict[Kind, list[tuple[Measure, list[ResampledScores]]]] = {kind: [] for kind in order}
    for measure in measures:
        figures[kind_of(measure)].append((measure, _figures_of(measure, statistics[measure])))
    for system, kind in product(systems, figures):
        numbers = order[kind][rows[kind].of_system(system)[order[kind]]]
        for index, row in zip(numbers.tolist(), rows[kind].take(numbers), strict=True):
            for measure, found in figures[kind]:
                if kind != "gathered" or has_class(statistics[measure][index]):
                    yield _item_row(row, measure, found[index])


def _figures_of(measure: Measure, statistics: Statistics) -> list[ResampledScores]:
    """Return the figures of each row of statistics."""
    found = (
        measure.formula.finalise(statistics),
        measure.counted(statistics),
        measure.formula.weight(statistics),
    )
    return list(zip(*(each.tolist() for each in found), strict=True))


def _item_row(row: Row, measure: Measure, figures: ResampledScores) -> tuple[Any, ...]:
    """Return the row of an item in the table ``ITEMS``."""
    value, counted, weight = figures
    status: str = row.status
    reason = None if row.status == "ok" else row.reason
    if row.status == "ok" and math.isnan(value):
        status, reason = "undefined", measure.why_undefined(row.reason)
    defined = row.counts and not math.isnan(value)
    if measure.aggregate not in ("pooled", "weighted_mean"):
        weight = 1.0
    counts_as = None if defined or not row.counts else null(counted)
    return (
        *(row.system, row.item, row.annotator, measure.protocol, measure.name),
        *(value if defined else None, weight if defined else 0.0, status, reason, counts_as),
    )


SUMMARY = (
    *("system", "annotator", "protocol", "measure", "aggregate"),
    *("value", "ci_low", "ci_high", "items", "undefined", "weight", "weight_unit", "signature"),
)
ITEMS = (
    *("system", "item", "annotator", "protocol", "measure"),
    *("value", "weight", "status", "reason", "counted_as"),
)
_NUMBERS = {
    **dict.fromkeys(("value", "weight", "counted_as", "ci_low", "ci_high"), "Float64"),
    **dict.fromkeys(("before", "after", "difference"), "Float64"),
    **dict.fromkeys(("items", "undefined"), "Int64"),
}


def table(rows: Iterator[tuple[Any, ...]], columns: Sequence[str]) -> pl.DataFrame:
    """Return rows as a data frame."""
    import polars as pl  # noqa: PLC0415 - half the import time; tables are for those who look at them

    schema = {name: getattr(pl, _NUMBERS.get(name, "String")) for name in columns}
    return pl.DataFrame(list(rows), schema=schema, orient="row")


def keys_in_order(scores: Scores) -> Iterator[Figure]:
    """Give system, annotator and measure of all figures, in the order of the table ``SUMMARY``."""
    for system, annotator in product(scores.systems, dict.fromkeys((*scores.annotators, ALL))):
        for measure in scores.measures:
            if annotator in scores.annotators_of(measure):
                yield system, annotator, measure


def summary_rows(scores: Scores, figures: Iterable[Figure] | None = None) -> Iterator[tuple[Any, ...]]:
    """Give the rows of the table ``SUMMARY``, perhaps of some figures: one for each of their aggregates."""
    for system, annotator, measure in keys_in_order(scores) if figures is None else figures:
        signed = scores.signatures(annotator, systems=(system,))[measure]
        of_items = scores.of_items(measure, system, annotator)
        for how in measure.aggregates:
            found = of_items.estimate(how)
            low, high = scores.intervals.get((system, annotator, measure, how), (math.nan, math.nan))
            unit = "items" if how in ("mean", "median") else measure.weight_unit
            yield (
                *(system, annotator, measure.protocol, measure.name, how),
                *(null(found.value), null(low), null(high)),
                *(found.items, found.undefined, found.weight, unit, signed),
            )


def entries(scores: Scores) -> Iterator[dict[str, Any]]:
    """Give the rows of ``SUMMARY`` as JSON has them: ends of an interval together, why there is no value."""
    for figure in keys_in_order(scores):
        for row in summary_rows(scores, (figure,)):
            cells = dict(zip(SUMMARY, row, strict=True))
            ends = [cells.pop("ci_low"), cells.pop("ci_high")]
            head = {name: cells.pop(name) for name in SUMMARY[:6]}
            if head["value"] is None:
                system, annotator, measure = figure
                cells["reason"] = scores.why_undefined(measure, system, annotator)
            yield {**head, "ci": None if None in ends else ends, **cells}


def describe(scores: Scores) -> str:
    """Return the headline figures as text, one line per system and protocol."""
    counts = [
        f"{name} {count['ok']}/{plural(count['total'], 'item')}" for name, count in scores.counts.items()
    ]
    lines = [f"Scores({scores.task}: {', '.join(counts)})"]
    for system, protocol in product(scores.systems, dict.fromkeys(m.protocol for m in scores.measures)):
        chosen = [m for m in scores.measures if m.protocol == protocol and m.headline]
        if chosen and not any(map(scores.is_evaluated, chosen)):
            lines.append(f"  {system}  {protocol}: not evaluated: needs a reference")
            continue
        found = [scores.estimate(m, system, scores.annotators_of(m)[-1], m.aggregate).value for m in chosen]
        named = ["undefined" if scores.is_evaluated(measure) else "not evaluated" for measure in chosen]
        told = [
            name if math.isnan(value) else f"{value:.4f}" for name, value in zip(named, found, strict=True)
        ]
        texts = [f"{measure.name} {value}" for measure, value in zip(chosen, told, strict=True)]
        lines.append(f"  {system}  {protocol}: {', '.join(texts)}")
    return "\n".join(lines)


def null(value: float) -> float | None:
    """Return the value, None where undefined."""
    return None if math.isnan(value) else value


_NOTEBOOK = "kammerton.reporting.figures"


class Shown:
    """A result that notebooks show as tables."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the tables that a notebook shows."""
        shown: str = _notebook().html_of(self)
        return shown


class WithCharts(Shown):
    """A result that has charts."""

    __slots__ = ()

    def chart(self, name: str = "forest", *, measure: str | None = None) -> alt.TopLevelMixin:
        """Return a chart, which notebooks show; needs the extra ``kammerton[report]``.

        Examples
        --------
        >>> from kammerton import score
        >>> ref = {"song": ([(0, 2), (2, 4)], ["C", "G:7"])}
        >>> scores = score("chords", ref, {"mine": {"song": ([(0, 4)], ["C"])}})
        >>> scores.chart("items", measure="mirex2013/Root").to_dict()["facet"]["row"]["field"]
        'system'
        """
        drawn: alt.TopLevelMixin = _notebook().chart_of(self, name, measure)
        return drawn


def _notebook() -> Any:
    return import_module(_NOTEBOOK)


_STATES = ("ok", "missing", "failed")
"""Of items, the worst behind."""


class Scores(WithCharts):
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
        self.class_evidence = ClassEvidence.of(origin.task, evidence, origin.options)
        self._rows: dict[Kind, Rows] = dict(evidence.rows.items())
        self._statistics: Mapping[Measure, Statistics] = evidence.statistics
        if self.class_evidence is not None:
            self._rows["gathered"], of_classes = statistics_by_class(self.class_evidence)
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
        """Floors and ceiling: see :class:`kammerton.results.context.Context`; None unless asked for."""
        context_evidence = self.origin.context_evidence
        if context_evidence is None or context_evidence.stand is None:
            return None
        with self.timing.during("context"):
            return context_evidence.stand(self)

    @cached_property
    def groups(self) -> Any:
        """Figures group by group: see :class:`kammerton.results.groups.Groups`; None unless asked for."""
        grouping = self.origin.grouping
        if grouping is None:
            return None
        with self.timing.during("groups"):
            return grouping.divide(self)

    @cached_property
    def summary(self) -> pl.DataFrame:
        """Corpus figures.

        ScoreKey: ``system``, ``annotator``, ``protocol``, ``measure``, ``aggregate``; then ``value``
        (null if undefined), ``ci_low`` and ``ci_high`` (its interval), ``items``, ``undefined``, ``weight``,
        ``weight_unit``, ``signature``. The headline aggregate of a measure is the first of its rows.
        """
        return table(summary_rows(self), SUMMARY)

    @cached_property
    def items(self) -> pl.DataFrame:
        """Figures of each item.

        ScoreKey: ``system``, ``item``, ``annotator``, ``protocol``, ``measure``; then ``value`` (null if
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

    def of_items(self, measure: Measure, system: str, annotator: str) -> ItemScores:
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
        return ItemScores(measure, names, statistics[chosen], several=several)

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
