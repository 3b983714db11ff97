# SPDX-License-Identifier: MIT
"""Scores: what :func:`kammerton.score` returns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from kammerton.errors import Diagnostic, OptionError, quote
from kammerton.model.corpus import ALL, one_of
from kammerton.model.evidence import Row, Tally
from kammerton.model.measure import Measure, find
from kammerton.results.candidates import (
    CANDIDATE_ITEM_TYPES,
    CANDIDATE_ITEMS,
    CANDIDATE_TYPES,
    CANDIDATES,
    candidate_item_rows,
    candidate_rows,
)
from kammerton.results.context import Context, context_of
from kammerton.results.groups import Groups, groups_of
from kammerton.results.signature import Origin
from kammerton.results.tables import ITEMS, SUMMARY, item_rows, null, short, table
from kammerton.scoring.evaluating import Timing
from kammerton.scoring.scored_corpus import ScoredCorpus
from kammerton.statistics.intervals import UNDEFINED, Interval, intervals
from kammerton.statistics.resampling import ScoreKey
from kammerton.version import __version__

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import polars as pl

_NOTEBOOK = "kammerton.reporting.figures"
"""Makes tables and charts for notebooks. It stands above results, and is imported when one is shown."""
_STATUSES = ("ok", "missing", "failed")
"""Of items, from best to worst."""
SummaryKey = tuple[str, str, Measure]
"""System, annotator and measure."""


def keys_in_order(scores: Scores) -> Iterator[SummaryKey]:
    """Yield system, annotator and measure of all corpus scores, in the order of the table ``SUMMARY``."""
    for system, annotator in product(scores.systems, dict.fromkeys((*scores.annotators, ALL))):
        for measure in scores.measures:
            if annotator in scores.annotators_of(measure):
                yield system, annotator, measure


def summary_rows(scores: Scores, keys: Iterable[SummaryKey] | None = None) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the table ``SUMMARY``, of all scores or of some: one row for each aggregate."""
    for system, annotator, measure in keys_in_order(scores) if keys is None else keys:
        signature = scores.signatures(annotator, systems=(system,))[measure]
        item_scores = scores.of_items(measure, system, annotator)
        for how in measure.aggregates:
            score = item_scores.corpus_score(how)
            low, high = scores.intervals.get(ScoreKey(system, annotator, measure, how), UNDEFINED)
            unit = "items" if how in ("mean", "median") else measure.weight_unit
            yield (
                *(system, annotator, measure.protocol, measure.name, how),
                *(null(score.value), null(low), null(high)),
                *(score.items, score.undefined, short(score.weight), unit, signature),
            )


class Printed:
    """A result that is printed as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the table that the command line prints; of many items without intervals and tests."""
        text: str = import_module(_NOTEBOOK).text_of(self)
        return text


class Shown(Printed):
    """A result that notebooks and papers show too."""

    __slots__ = ()

    def to_markdown(self, *, digits: int = 1, show: Iterable[str] = (), intervals: bool = False) -> str:
        """Return the table in GitHub's Markdown.

        Parameters
        ----------
        digits : int
            Decimals of per cents; other values have two more.
        show : iterable of str, optional
            Measures in this order, the first of which ranks; by default the headline measures.
        intervals : bool
            Add the interval of every score, not of the main measure only.
        """
        text: str = import_module(_NOTEBOOK).document_of(
            self, "md", digits=digits, show=tuple(show), intervals=intervals
        )
        return text

    def to_latex(self, *, digits: int = 1, show: Iterable[str] = (), intervals: bool = False) -> str:
        """Return the table in LaTeX, for booktabs and graphicx; parameters as of :meth:`to_markdown`."""
        text: str = import_module(_NOTEBOOK).document_of(
            self, "latex", digits=digits, show=tuple(show), intervals=intervals
        )
        return text

    def _repr_html_(self) -> str:
        """Return the tables that a notebook shows."""
        html: str = import_module(_NOTEBOOK).html_of(self)
        return html


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
        chart: alt.TopLevelMixin = import_module(_NOTEBOOK).chart_of(self, name, measure)
        return chart


class Scores(ScoredCorpus, WithCharts):
    """The scores of one or several systems.

    Made by :func:`kammerton.score`. Of most use are

    - ``scores["MajMin"]``, :meth:`value` and :meth:`interval`: one corpus score, and its confidence interval
    - :attr:`summary` and :attr:`items`: data frames of all corpus scores, and of the scores of all items
    - :meth:`wide`, :meth:`to_markdown`, :meth:`to_latex`: a table with a row for each system
    - :meth:`flat`: scores as trackers of experiments log them
    - :attr:`counts`, :attr:`diagnostics`: what could not be scored, and what was noticed in the data
    - :meth:`table`: class tables, such as the confusions of chords
    - :attr:`context`, :attr:`groups`, :attr:`candidates`: what :func:`kammerton.score` added when asked to
    - :meth:`chart`: charts for notebooks; :func:`kammerton.report` makes a page of all

    Printed, they are the table of the command line.

    Parameters
    ----------
    origin : Origin
        What all of it is made from.
    timing : Timing, optional
        What phases took up to now.

    Attributes
    ----------
    origin : Origin
        What all of it is made from.
    timing : Timing
        What phases took, of computing intervals, context and groups too.
    """

    def __init__(self, origin: Origin, timing: Timing | None = None) -> None:
        super().__init__(origin.task, origin.evidence, origin.options)
        self.origin = origin
        self.timing: Timing = timing or Timing()

    @property
    def task(self) -> str:
        """Name of the task."""
        return self.origin.task.name

    @cached_property
    def references(self) -> dict[str, int]:
        """Number of references of each item that has any: of annotators whose annotations were used."""
        return dict(Counter(item for who, item in self.origin.evidence.fingerprints if who != ALL))

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
        counts: dict[str, dict[str, int]] = {}
        for system in self.systems:
            items = set[str]()
            for rows in self.origin.evidence.rows.values():
                items.update(rows.items_at(np.flatnonzero(rows.of_system(system))))
            worst: dict[str, str] = {}
            for row in self.unusable(system):
                worst[row.item] = max(worst.get(row.item, "ok"), row.status, key=_STATUSES.index)
            of_status = Counter(worst.values())
            counts[system] = {"total": len(items), "ok": len(items) - len(worst)}
            counts[system] |= {status: of_status[status] for status in _STATUSES[1:]}
        return counts

    @property
    def is_partial(self) -> bool:
        """Whether an item is missing or failed."""
        return any(count["ok"] < count["total"] for count in self.counts.values())

    def unusable(self, system: str) -> tuple[Row, ...]:
        """Return the rows of a system that have no estimate, or a side that cannot be used."""
        chosen: list[Row] = []
        for rows in self.origin.evidence.rows.values():
            chosen += rows.take(np.flatnonzero(rows.of_system(system) & ~rows.with_status("ok")))
        return tuple(chosen)

    @property
    def ci(self) -> float | None:
        """Level of the confidence intervals; None if there are none."""
        return None if self.origin.bootstrap is None else self.origin.bootstrap.level

    @cached_property
    def intervals(self) -> Mapping[ScoreKey, Interval]:
        """Ends of the confidence interval of each score, by system, annotator, measure and aggregate.

        NaN where undefined; empty if none were asked for.
        """
        if self.origin.bootstrap is None:
            return {}
        with self.timing.during("intervals"):
            return intervals(self, self.origin.bootstrap, timing=self.timing)

    @cached_property
    def context(self) -> Context | None:
        """Scores of baselines and human agreement; None unless asked for."""
        if self.origin.context_evidence is None:
            return None
        with self.timing.during("context"):
            return context_of(self, self.origin, self.origin.context_evidence, self.intervals)

    @cached_property
    def groups(self) -> Groups | None:
        """Scores of each group of items; None unless asked for."""
        if self.origin.grouping is None:
            return None
        with self.timing.during("groups"):
            return groups_of(self, self.origin, self.origin.grouping, self.origin.bootstrap)

    @cached_property
    def candidates(self) -> pl.DataFrame | None:
        """Corpus scores of the candidates of each system that has several; None unless asked for.

        Key: ``system``, ``annotator``, ``protocol``, ``measure``, ``aggregate``; then ``items``,
        ``candidates`` (how many were scored), ``worst``, ``mean``, ``selected`` and ``best``: corpus scores
        in which each item counts what that candidate of it scores; ``rank_correlation`` (Spearman) of
        confidence and score over the candidates ``with_confidence``.
        """
        if self.origin.candidates is None:
            return None
        rows = candidate_rows(self, self.origin.task, self.origin.options, self.origin.candidates)
        return table(rows, CANDIDATES, CANDIDATE_TYPES)

    @cached_property
    def candidate_items(self) -> pl.DataFrame | None:
        """Scores of each candidate; None unless asked for.

        Key: ``system``, ``item``, ``candidate``, ``annotator``, ``protocol``, ``measure``; then ``value``
        (null if undefined), ``confidence`` (null if none was given) and ``selected``.
        """
        if self.origin.candidates is None:
            return None
        rows = candidate_item_rows(self, self.origin.task, self.origin.options, self.origin.candidates)
        return table(rows, CANDIDATE_ITEMS, CANDIDATE_ITEM_TYPES)

    @cached_property
    def summary(self) -> pl.DataFrame:
        """Corpus scores.

        Key: ``system``, ``annotator``, ``protocol``, ``measure``, ``aggregate``; then ``value``
        (null if undefined), ``ci_low`` and ``ci_high`` (its confidence interval), ``items``, ``undefined``,
        ``weight``, ``weight_unit``, ``signature``. The headline aggregate of a measure is the first of its
        rows.
        """
        return table(summary_rows(self), SUMMARY)

    @cached_property
    def items(self) -> pl.DataFrame:
        """Scores of each item.

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
        import polars as pl  # noqa: PLC0415 - as in :func:`table`

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
        """Return one corpus score.

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
        key = self._key(measure, system, annotator, aggregate)
        return self.corpus_score(key.measure, key.system, key.annotator, key.aggregate).value

    def _key(
        self, measure: str, system: str | None, annotator: str | None, aggregate: str | None
    ) -> ScoreKey:
        """Return which corpus score names stand for."""
        chosen = find(measure, self.measures, self.origin.task.measures)
        system = one_of("system", system, self.systems)
        known = self.annotators_of(chosen)
        annotator = known[-1] if annotator is None else one_of("annotator", annotator, known)
        how = one_of("aggregate", aggregate or chosen.aggregate, chosen.aggregates)
        return ScoreKey(system, annotator, chosen, how)  # type: ignore[arg-type]

    def __getitem__(self, measure: str) -> float:
        """Return the corpus score of the only system by a measure; see :meth:`value`."""
        return self.value(measure)

    __iter__: None = None  # scores are looked up by measure, and never gone through by number

    def interval(
        self,
        measure: str,
        *,
        system: str | None = None,
        annotator: str | None = None,
        aggregate: str | None = None,
    ) -> Interval:
        """Return both ends of the confidence interval of a corpus score; parameters as of :meth:`value`.

        NaN where it is undefined, or there are to be no intervals.

        Examples
        --------
        >>> from kammerton import score
        >>> songs = {str(end): ([(0, end), (end, 8)], ["C", "G"]) for end in range(1, 8)}
        >>> scores = score("chords", songs, dict.fromkeys(songs, ([(0, 8)], ["C"])))
        >>> low, high = scores.interval("MajMin")
        >>> low < scores["MajMin"] < high
        True
        """
        return self.intervals.get(self._key(measure, system, annotator, aggregate), UNDEFINED)

    def flat(self, system: str | None = None) -> dict[str, float]:
        """Return the corpus scores of a system as plain numbers, as trackers of experiments log them.

        Parameters
        ----------
        system : str, optional
            By default the only one.

        Returns
        -------
        dict of str to float
            By ``protocol/measure``: headline aggregates, over all annotators; NaN where undefined.

        Examples
        --------
        >>> from kammerton import score
        >>> song = ([(0, 2), (2, 4)], ["C", "G:7"])
        >>> score("chords", song, ([(0, 4)], ["C"]), measures=["MajMin", "Root"]).flat()
        {'mirex2013/Root': 0.5, 'mirex2013/MajMin': 0.5}
        """
        return {str(measure): self.value(str(measure), system=system) for measure in self.measures}

    def wide(self) -> pl.DataFrame:
        """Return a row for each system: ``system``, and a column for each ``protocol/measure``.

        Values are those of :meth:`flat`, null where undefined; systems are in their order.
        """
        rows = [[system, *map(null, self.flat(system).values())] for system in self.systems]
        addresses = [*map(str, self.measures)]
        return table(rows, ["system", *addresses], dict.fromkeys(addresses, "Float64"))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, undefined ones as None; what ``--format json`` prints."""
        return {
            "kammerton": __version__,
            "task": self.task,
            "items": self.counts,
            "scores": list(self._entries()),
            **({} if self.candidates is None else {"candidates": self.candidates.to_dicts()}),
            **({} if self.context is None else {"context": self.context.to_dict()}),
            **({} if self.groups is None else {"groups": self.groups.to_dict()}),
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }

    def _entries(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the summary as JSON has them: one entry an interval; undefined has a reason."""
        for key in keys_in_order(self):
            for row in summary_rows(self, (key,)):
                cells: dict[str, Any] = dict(zip(SUMMARY, row, strict=True))
                ends = [cells.pop("ci_low"), cells.pop("ci_high")]
                head = {name: cells.pop(name) for name in SUMMARY[:6]}
                if head["value"] is None:
                    system, annotator, measure = key
                    cells["reason"] = self.why_undefined(measure, system, annotator)
                yield {**head, "ci": None if None in ends else ends, **cells}

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

    def signatures(
        self, annotator: str, items: frozenset[str] | None = None, systems: Sequence[str] = ()
    ) -> dict[Measure, str]:
        """Return the signature of each measure: see :meth:`.Origin.signatures`."""
        return self.origin.signatures(annotator, items, systems)
