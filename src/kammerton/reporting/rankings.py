# SPDX-License-Identifier: MIT
"""One table of systems by measures, ranked by the main measure, for every way of printing it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kammerton.errors import OptionError, plural
from kammerton.model.corpus import ALL
from kammerton.model.measure import Measure, find
from kammerton.reporting.tables import (
    DIGITS,
    PER_CENT,
    format_difference,
    format_p,
    format_score,
    protocol_signatures,
)
from kammerton.results.comparison import compare
from kammerton.results.context import Context, ContextScore, Role
from kammerton.results.scores import Scores
from kammerton.statistics.comparison import Comparison, MeasureComparison, Pair
from kammerton.statistics.intervals import UNDEFINED, Interval
from kammerton.statistics.paired import is_tie, scale_of
from kammerton.statistics.resampling import ScoreKey

_MOST_COLUMNS = 10
"""Measures of several protocols that stand in one table; more have a table for each protocol."""
_MOST_COUNTS = 6
"""Counts of undefined items that are listed."""
_NAMED = 6
"""Annotators that are named."""
TESTS = {
    "permutation": "paired permutation test",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "friedman": "Friedman's test",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """What a reader chose of a table."""

    digits: int = DIGITS  # decimals of per cents; other values have two more
    intervals: bool = False  # whether every score has its interval, not those of the main measure only
    every: bool = False  # whether all measures are shown, not the headline measures only
    show: tuple[str, ...] = ()  # measures in this order, the first of which ranks
    tests: bool = False  # whether the pairs of systems follow
    details: bool = False  # whether everything else follows

    def __post_init__(self) -> None:
        if not 0 <= self.digits <= 10:
            raise OptionError(f"digits must be 0 to 10, got {self.digits}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingCell:
    """A score in a table."""

    value: float
    interval: Interval = UNDEFINED
    letters: str = ""  # systems that share one do not differ significantly
    is_best: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingRow:
    """The scores of a system, a baseline, the annotators or a group."""

    name: str
    cells: tuple[RankingCell | None, ...]  # one for each measure; None where there is no score
    role: Literal["system", "context", "group"] = "system"
    is_baseline: bool = False
    difference: str = ""  # from the system that all are compared with


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRanking:
    """A table of systems by measures."""

    measures: tuple[Measure, ...]  # the columns; the first ranks the rows
    rows: tuple[RankingRow, ...]  # systems, the best first; behind them those of another role
    notes: tuple[str, ...] = ()  # sentences below the table, and in its caption
    asides: tuple[str, ...] = ()  # sentences below the table, but in no caption
    signatures: tuple[str, ...] = ()
    level: str = ""  # of the intervals, as ``"95 % CI"``
    against: str = ""  # system that all are compared with
    subject: str = ""  # what the rows are, if not systems

    @property
    def unit(self) -> str:
        """The unit of all scores; nothing if they have several."""
        return "%" if all(measure.range == PER_CENT for measure in self.measures) else ""

    @property
    def title(self) -> str:
        """What stands above the names: the protocol of the main measure, the unit, and the groups."""
        return ", ".join(filter(None, (self.measures[0].protocol, self.unit, self.subject)))

    @property
    def caption(self) -> str:
        """What the table has, in sentences."""
        protocols = dict.fromkeys(measure.protocol for measure in self.measures)
        title = ", ".join(filter(None, (*protocols, self.unit, self.subject)))
        return " ".join((f"{title}{f'; {self.level} in brackets' if self.level else ''}.", *self.notes))

    def heading(self, measure: Measure) -> str:
        """Return the heading of a column: the measure, with its protocol if the title has another."""
        name = measure.name if measure.protocol == self.measures[0].protocol else str(measure)
        return f"{name} %" if not self.unit and measure.range == PER_CENT else name

    def arrow(self, measure: Measure) -> str:
        """Return which way is better, of the main measure and of those that are better lower."""
        if measure.direction == "lower":
            return "↓"
        return "↑" if measure == self.measures[0] else ""


def main_measure(scores: Scores) -> Measure:
    """Return the measure that ranks systems: that of the task, or the first headline measure."""
    task = scores.origin.task
    evaluated = [measure for measure in scores.measures if scores.is_evaluated(measure)] or scores.measures
    by_address = {str(measure): measure for measure in evaluated}
    headline = next((measure for measure in evaluated if measure.headline), evaluated[0])
    return by_address.get(task.leading) or by_address.get(task.judge) or headline


def shown_measures(scores: Scores, options: TableOptions) -> tuple[Measure, ...]:
    """Return the measures that a table shows, the main one first."""
    if options.show:
        known = scores.origin.task.measures
        return tuple(dict.fromkeys(find(name, scores.measures, known) for name in options.show))
    chosen = [measure for measure in scores.measures if options.every or measure.headline]
    main = main_measure(scores)
    return tuple(dict.fromkeys((main, *(chosen or scores.measures))))


def comparison_of(scores: Scores, measures: Sequence[Measure]) -> Comparison | None:
    """Compare systems by measures, as their intervals were asked for; None where nothing can be tested."""
    bootstrap = scores.origin.bootstrap
    comparable = [m for m in measures if m.needs != "annotators" and scores.is_evaluated(m)]
    if bootstrap is None or len(scores.systems) < 2 or not comparable:
        return None
    try:
        return compare(
            scores,
            measures=comparable,
            level=bootstrap.level,
            method=bootstrap.method,
            resamples=bootstrap.resamples,
            seed=bootstrap.seed,
            clusters=bootstrap.clusters,
        )
    except OptionError:  # no item in common: there is nothing to compare
        return None


def compared_by(comparison: Comparison | None, measure: Measure) -> MeasureComparison | None:
    """Return the comparison by one measure, if there is one."""
    compared = () if comparison is None else comparison.measures
    return next((by_measure for by_measure in compared if by_measure.measure == measure), None)


def rankings(scores: Scores, comparison: Comparison | None, options: TableOptions) -> list[ScoreRanking]:
    """Return the tables of scores: one, or one for each protocol if there are many measures."""
    chosen = shown_measures(scores, options)
    measures = tuple(measure for measure in chosen if scores.is_evaluated(measure))
    waiting = ", ".join(str(measure) for measure in chosen if measure not in measures)
    note = f"Not evaluated, for lack of references: {waiting}."
    tables = [_ranking(scores, comparison, own, options) for own in _by_table(measures)]
    if waiting and tables:
        tables[-1] = replace(tables[-1], notes=(*tables[-1].notes, note))
    elif waiting:
        tables.append(ScoreRanking(measures=(), rows=(), notes=(note,)))
    return tables


def _by_table(measures: Sequence[Measure]) -> list[tuple[Measure, ...]]:
    """Return the measures of each table."""
    if len(measures) <= _MOST_COLUMNS:
        return [tuple(measures)] if measures else []
    by_protocol: dict[str, list[Measure]] = {}
    for measure in measures:
        by_protocol.setdefault(measure.protocol, []).append(measure)
    return [tuple(own) for own in by_protocol.values()]


def _ranking(
    scores: Scores, comparison: Comparison | None, measures: tuple[Measure, ...], options: TableOptions
) -> ScoreRanking:
    columns = [_column(scores, compared_by(comparison, measure), measure) for measure in measures]
    defined = tuple(
        measure
        for measure, column in zip(measures, columns, strict=True)
        if options.every or options.show or not all(math.isnan(cell.value) for cell in column.values())
    )
    shown = defined or measures
    columns = [column for measure, column in zip(measures, columns, strict=True) if measure in shown]
    against = "" if comparison is None else comparison.against or ""
    compared = compared_by(comparison, shown[0])
    pairs = {} if compared is None or not against else {pair.first: pair for pair in compared.pairs}
    rows = [
        RankingRow(
            name=system,
            cells=tuple(column[system] for column in columns),
            difference=_difference(pairs.get(system), shown[0], options.digits),
        )
        for system in _ranked(scores, compared, columns[0], shown[0])
    ]
    folded = ", ".join(measure.name for measure in measures if measure not in shown)
    notes = [
        *_notes_on_annotators(scores, compared),
        *_notes_on_clusters(scores),
        *_notes_on_tests(comparison, compared),
        *(_notes_on_items(scores, shown[0]) if compared is None else ()),
        *([f"Undefined for every system: {folded}."] if folded else []),
        *_notes_on_undefined(scores, shown),
        *([] if scores.context is None else notes_on_context(scores.context, shown[0], options.digits)),
    ]
    return ScoreRanking(
        measures=shown,
        rows=(*rows, *([] if scores.context is None else context_rows(scores.context, shown))),
        notes=tuple(notes),
        asides=() if scores.context is None else tuple(_asides_on_context(scores.context)),
        signatures=tuple(signature_lines(scores, shown, ALL if compared is None else compared.annotator)),
        level=_level(scores, comparison),
        against=against,
    )


def _level(scores: Scores, comparison: Comparison | None) -> str:
    level = scores.ci if comparison is None else comparison.level
    return "" if level is None else f"{100 * level:g} % CI"


def _column(scores: Scores, compared: MeasureComparison | None, measure: Measure) -> dict[str, RankingCell]:
    """Return the cell of each system."""
    annotator = scores.annotators_of(measure)[-1] if compared is None else compared.annotator
    rows = {} if compared is None else {row.system: row for row in compared.ranking}
    cells = {}
    for system in scores.systems:
        score = scores.corpus_score(measure, system, annotator, measure.aggregate)
        key = ScoreKey(system, annotator, measure, measure.aggregate)
        row = rows.get(system)
        ends = UNDEFINED if row is None else (row.low, row.high)
        cells[system] = RankingCell(
            value=score.value,
            interval=ends if scores.ci is None else scores.intervals.get(key, UNDEFINED),
            letters="" if row is None else row.letters,
        )
    defined = [cell.value for cell in cells.values() if not math.isnan(cell.value)]
    if len(defined) < 2:
        return cells
    best = min(defined) if measure.direction == "lower" else max(defined)
    return {
        system: replace(cell, is_best=is_tie(cell.value, best, scale_of(measure)))
        for system, cell in cells.items()
    }


def _ranked(
    scores: Scores, compared: MeasureComparison | None, cells: Mapping[str, RankingCell], measure: Measure
) -> list[str]:
    """Return the systems, the best first: as they were compared, or by their scores."""
    if compared is not None:
        return [row.system for row in compared.ranking]
    sign = 1 if measure.direction == "lower" else -1
    numbers = {system: sign * cells[system].value for system in scores.systems}
    return sorted(numbers, key=lambda name: (math.isnan(numbers[name]), numbers[name]))


def _difference(pair: Pair | None, measure: Measure, digits: int) -> str:
    """Return the difference of a system from the one that all are compared with."""
    if pair is None:
        return ""
    text = format_difference(pair.difference, measure, digits)
    within = interval_text((pair.low, pair.high), measure, digits)
    return f"{text} {within}{' *' if pair.significant else ''}".replace("  ", " ")


def interval_text(interval: Interval, measure: Measure, digits: int) -> str:
    """Return an interval in brackets; nothing where there is none."""
    if math.isnan(interval[0]):
        return ""
    low, high = (format_score(end, measure, digits) for end in interval)
    return f"[{low}, {high}]"


def signature_lines(scores: Scores, measures: Sequence[Measure], annotator: str) -> Iterator[str]:
    """Give the signature of each protocol; where systems have different items, behind the names of those."""
    for protocol in dict.fromkeys(measure.protocol for measure in measures):
        own = [measure for measure in measures if measure.protocol == protocol]
        for names, signature in protocol_signatures(scores, own, annotator):
            yield f"{names}: {signature}" if names else signature


def _test_name(comparison: Comparison, compared: MeasureComparison) -> str:
    """Return the test, its swaps, what adjusts its p-values, and its level."""
    swaps = [swaps_of(compared)] if comparison.test == "permutation" else []
    level = f"{100 * comparison.alpha:g} %"
    return ", ".join((TESTS[comparison.test], *swaps, adjusting(comparison), level))


def adjusting(comparison: Comparison) -> str:
    """Return what adjusts p-values: Tukey's test of all pairs of mean ranks, else Holm's procedure."""
    return "Tukey" if comparison.test == "friedman" and comparison.against is None else "Holm"


def swaps_of(compared: MeasureComparison) -> str:
    """Return how many swaps are behind the tests, which depends on the items of a pair."""
    tested = [pair for pair in compared.pairs if pair.items]
    counts = sorted({pair.permutations for pair in tested}) or [0]
    if all(pair.exact for pair in tested):
        least, most = f"{counts[0]:,}", f"{counts[-1]:,}"
        return f"all {least} swaps" if least == most else f"all {least} to {most} swaps"
    random = f"{max(pair.permutations for pair in tested if not pair.exact):,} random swaps"
    if any(pair.exact for pair in tested):
        return f"all swaps of pairs with few items, else {random}"
    return random


def persons_of(scores: Scores) -> list[str]:
    """Return the names of annotators, unless these are numbers, which may be another's in each item."""
    names = [name for name in scores.annotators if name != ALL]
    return [] if all(map(str.isdecimal, names)) else names


def _notes_on_annotators(scores: Scores, compared: MeasureComparison | None) -> Iterator[str]:
    """Report whose references the scores are against, where items have several."""
    names = persons_of(scores)
    if names[1:]:
        if compared is not None and compared.annotator != ALL:
            yield f"Against {compared.annotator} alone."
        else:
            more = f" and {len(names) - _NAMED} more" if names[_NAMED:] else ""
            yield f"Against {len(names)} annotators together: {', '.join(names[:_NAMED])}{more}."
    elif max(scores.references.values(), default=0) > 1:
        fewest, most = min(scores.references.values()), max(scores.references.values())
        count = f"{most}" if fewest == most else f"{fewest} to {most}"
        yield f"Against all annotators of an item together: {count}."


def _clusters_of(clusters: Mapping[str, str] | None) -> str:
    """Return how many clusters the items are in, as `` in 12 clusters``; nothing if each is on its own."""
    return "" if clusters is None else f" in {plural(len(set(clusters.values())), 'cluster')}"


def _notes_on_clusters(scores: Scores) -> Iterator[str]:
    """Report that items are resampled together."""
    clusters = scores.origin.clusters
    if clusters is not None:
        items = plural(len(clusters), "item")
        yield f"Clusters of items are resampled: {items}{_clusters_of(clusters)}."


def _item_counts(scores: Scores, measure: Measure) -> dict[str, int]:
    """Return how many items of each system count; of measures over classes, how many it has."""
    annotator = scores.annotators_of(measure)[-1]
    if measure.aggregate == "gathered":
        return {system: count["total"] for system, count in scores.counts.items()}
    return {
        system: scores.corpus_score(measure, system, annotator, measure.aggregate).items
        for system in scores.systems
    }


def _notes_on_items(scores: Scores, measure: Measure) -> Iterator[str]:
    """Report that systems which were not compared have different items."""
    counts = _item_counts(scores, measure).values()
    if min(counts) < max(counts):
        yield f"Systems have {min(counts):,} to {max(counts):,} items."


def _notes_on_tests(comparison: Comparison | None, compared: MeasureComparison | None) -> Iterator[str]:
    """Report what letters and stars mean, and where no difference can be significant."""
    if comparison is None or compared is None:
        return
    name = _test_name(comparison, compared)
    if comparison.against is not None:
        yield f"* differs significantly from {comparison.against} ({name})."
    elif any(row.letters for row in compared.ranking):
        yield f"Systems that share a letter do not differ significantly ({name})."
    fewest, most = compared.item_counts
    if fewest < most:
        yield (
            f"Systems have {fewest:,} to {most:,} items: each score is over its system's own, each pair is "
            "tested on the items that both have."
        )
    if comparison.left_out:
        count = len(comparison.left_out)
        yield f"{plural(count, 'item')} left out: no pair has {'it' if count == 1 else 'them'}."


def _notes_on_undefined(scores: Scores, measures: Sequence[Measure]) -> Iterator[str]:
    """Report how many items the scores of each system have no value for."""
    counts = []
    for system in scores.systems:
        for measure in measures:
            annotator = scores.annotators_of(measure)[-1]
            undefined = scores.corpus_score(measure, system, annotator, measure.aggregate).undefined
            if undefined:
                counts.append((system, measure.name, undefined))
    by_count: dict[tuple[str, int], list[str]] = {}
    for system, name, undefined in counts:
        by_count.setdefault((system, undefined), []).append(name)
    texts = [f"{', '.join(names)} of {system} {count:,}" for (system, count), names in by_count.items()]
    if texts:
        more = len(texts) - _MOST_COUNTS
        rest = f"; and {more} more" if more > 0 else ""
        yield f"Items without a value: {'; '.join(texts[:_MOST_COUNTS])}{rest}."


def context_rows(context: Context, measures: Sequence[Measure], *, every: bool = False) -> list[RankingRow]:
    """Return the rows of the best baseline, or of every one, and of human agreement."""
    rows = []
    for name in _baselines(context, measures[0], every=every):
        title = f"baseline: {name}" if every else "baseline"
        rows.append(_context_row(context, measures, "baseline", name, title))
    if any(context.of(measure, "oracle") for measure in measures):
        rows.append(_context_row(context, measures, "oracle", None, "oracle"))
    if any(context.of(measure, "annotators") for measure in measures):
        rows.append(_context_row(context, measures, "annotators", None, "human agreement"))
    return rows


def _baselines(context: Context, measure: Measure, *, every: bool) -> list[str]:
    """Return the names of baselines, the best by a measure first."""
    sign = 1 if measure.direction == "lower" else -1
    known = [row for row in context.of(measure, "baseline") if not math.isnan(row.value)]
    names = [row.name for row in sorted(known, key=lambda row: sign * row.value)]
    return names if every else names[:1]


def _context_row(
    context: Context, measures: Sequence[Measure], role: Role, name: str | None, title: str
) -> RankingRow:
    by_measure = [
        next((row for row in context.of(measure, role) if name is None or row.name == name), None)
        for measure in measures
    ]
    cells = tuple(_context_cell(row) for row in by_measure)
    return RankingRow(name=title, cells=cells, role="context", is_baseline=role == "baseline")


def _context_cell(row: ContextScore | None) -> RankingCell | None:
    return None if row is None else RankingCell(value=row.value, interval=(row.low, row.high))


def notes_on_context(context: Context, main: Measure, digits: int) -> Iterator[str]:
    """Report the best baseline, the items of human agreement, and the share of it that systems reach."""
    baselines = _baselines(context, main, every=True)
    if baselines:
        others = f", the best of {len(baselines)}" if baselines[1:] else ""
        yield f"Baseline: {baselines[0]}{others}."
    if context.of(main, "oracle"):
        yield (
            "Oracle: of each part what is right, if any system has it; an upper bound of shares that are "
            "right, not of segmentation."
        )
    if context.left_out:
        yield f"Baselines are of the {plural(context.shared, 'item')} that all systems have."
    if not context.items:
        return
    single = f"; {plural(context.single, 'item')} with one annotator left out" if context.single else ""
    yield (
        "Human agreement: each annotator of an item against the others together, "
        f"{plural(context.items, 'item')}{single}."
    )
    shares = [
        f"{row.name} {format_score(row.value, main, digits)} ({100 * row.share:.0f} %)"
        for row in sorted(context.of(main, "others"), key=lambda row: -row.share)
        if not math.isnan(row.share)
    ]
    if shares:
        yield f"Against the same annotators, and as a share of human agreement: {', '.join(shares)}."


def _asides_on_context(context: Context) -> Iterator[str]:
    """Report what there is not."""
    if not context.items:
        yield "Human agreement is unknown: no item has two annotators."


def verdict(scores: Scores, comparison: Comparison | None, table: ScoreRanking, digits: int) -> str:
    """Return in a sentence which system is best, and whether significantly."""
    if not table.measures:
        return ""
    measure = table.measures[0]
    systems = [row for row in table.rows if row.role == "system"]
    defined = [row for row in systems if row.cells[0] is not None and not math.isnan(row.cells[0].value)]
    if not defined:
        return f"{measure.name} is undefined for every system."
    compared = compared_by(comparison, measure)
    pair = None if compared is None else _decisive(compared)
    if pair is None or compared is None or comparison is None or len(defined) < 2:
        return _verdict_on_one(scores, table, defined, digits)
    return _verdict_on_pair(comparison, compared, pair, digits)


def _decisive(compared: MeasureComparison) -> Pair | None:
    """Return the pair of a verdict: the best system, and the next or the one that all are compared with."""
    best = compared.ranking[0].system
    pairs = [pair for pair in compared.pairs if not math.isnan(pair.difference)]
    own = [pair for pair in pairs if best in (pair.first, pair.second)]
    return next(iter(own or pairs), None)


def _verdict_on_one(scores: Scores, table: ScoreRanking, defined: Sequence[RankingRow], digits: int) -> str:
    """Return a sentence without a test: of one system, or of several whose difference was not tested."""
    measure, best = table.measures[0], defined[0]
    cell = best.cells[0]
    assert cell is not None, "the best system has a score"
    unit = " %" if measure.range == PER_CENT else ""
    score = f"{format_score(cell.value, measure, digits)}{unit} {measure.name}"
    details = [
        plural(_item_counts(scores, measure)[best.name], "item") + _clusters_of(scores.origin.clusters)
    ]
    if not math.isnan(cell.interval[0]):
        low, high = (format_score(end, measure, digits) for end in cell.interval)
        details.insert(0, f"{100 * (scores.ci or 0.95):g} % CI {low} to {high}")
    if len(defined) < 2:
        return f"{best.name} scores {score} ({', '.join(details)})."
    second = defined[1].cells[0]
    assert second is not None, "the second system has a score"
    details.append("not tested")
    if second.is_best:
        return f"{best.name} and {defined[1].name} score the same: {score} ({', '.join(details)})."
    difference = _points(cell.value - second.value, measure, digits)
    return f"{best.name} scores best, {score}, {difference} against {defined[1].name} ({', '.join(details)})."


def _points(difference: float, measure: Measure, digits: int) -> str:
    """Return a difference of scores with its unit."""
    text = format_difference(difference, measure, digits)
    return f"{text} percentage points" if measure.range == PER_CENT else text


def _verdict_on_pair(comparison: Comparison, compared: MeasureComparison, pair: Pair, digits: int) -> str:
    measure = compared.measure
    low, high = (format_score(end, measure, digits) for end in (pair.low, pair.high))
    tested = sum(not math.isnan(other.p) for other in compared.pairs)
    p = pair.adjusted if tested > 1 or math.isnan(pair.p) else pair.p
    evidence = [
        *(["lower is better"] if measure.direction == "lower" else []),
        *([] if math.isnan(pair.low) else [f"{100 * comparison.level:g} % CI {low} to {high}"]),
        *([] if math.isnan(p) else [f"{'adjusted ' if tested > 1 else ''}p {format_p(p)}"]),
        plural(pair.items, "item") + (f" in {plural(comparison.units, 'cluster')}" * comparison.clustered),
    ]
    of = " of" if measure.range == PER_CENT else ""
    difference = f"{_points(pair.difference, measure, digits)}{of} {measure.name}"
    within = f"{difference} ({', '.join(evidence)})"
    if pair.difference == 0:
        return f"{pair.first} and {pair.second} score the same: {within}."
    is_lower = measure.direction == "lower"
    is_first = pair.difference < 0 if is_lower else pair.difference > 0
    comparative = "better" if is_first else "worse"
    verb = "is" if pair.significant else "is not"
    return f"{pair.first} {verb} significantly {comparative} than {pair.second}: {within}."
