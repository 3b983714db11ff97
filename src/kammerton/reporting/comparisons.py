# SPDX-License-Identifier: MIT
"""Scores, comparisons and agreement as documents: a sentence, the ranking, candidates, tests, details."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from kammerton.errors import plural
from kammerton.model.measure import Measure, find
from kammerton.reporting.escaping import for_terminal
from kammerton.reporting.ranking_texts import render_rankings, wrapped
from kammerton.reporting.rankings import (
    TESTS,
    RankingCell,
    RankingRow,
    ScoreRanking,
    TableOptions,
    adjusting,
    compared_by,
    comparison_of,
    context_rows,
    interval_text,
    main_measure,
    persons_of,
    rankings,
    shown_measures,
    swaps_of,
    verdict,
)
from kammerton.reporting.tables import (
    FORMS,
    PER_CENT,
    aligned,
    amount,
    code_in_markdown,
    format_difference,
    format_p,
    format_score,
    latex,
    line_in_markdown,
    protocol_signature,
)
from kammerton.results.agreement import AnnotatorAgreement
from kammerton.results.candidates import CHOSEN
from kammerton.results.comparison import SystemComparison
from kammerton.results.groups import Groups, GroupScore
from kammerton.results.scores import Scores
from kammerton.statistics.agreement import Agreement
from kammerton.statistics.comparison import Comparison, MeasureComparison, Pair, Reliability
from kammerton.statistics.intervals import UNDEFINED
from kammerton.statistics.resampling import ScoreKey

_ABOUT = "`kammerton explain human-agreement` compares them with the human agreement of --context."
_AGREEMENT = "Agreement of annotators."
_LEGEND = 2
"""Notes of a table of pairs that explain its columns."""
_ODD = 0.05
"""Distance in scores from which on an annotator may be the odd one out."""


def render_scores(
    scores: Scores, form: str, options: TableOptions, *, width: int = 80, encoding: str = "utf-8"
) -> str:
    """Return scores as text; several systems are tested if they have intervals."""
    comparison = comparison_of(scores, shown_measures(scores, options))
    return _document(scores, comparison, scores.groups, _Writer(form, options, width, encoding))


def render_comparison(
    compared: SystemComparison,
    form: str,
    options: TableOptions,
    *,
    width: int = 80,
    encoding: str = "utf-8",
) -> str:
    """Return a comparison as text."""
    writer = _Writer(form, options, width, encoding)
    return _document(compared.scores, compared.comparison, compared.groups, writer)


def render_values(scores: Scores, options: TableOptions) -> str:
    """Return bare numbers, a line for each system: of the main measure, or of those that were chosen.

    Of several systems a line begins with the name.
    """
    measures = shown_measures(scores, options)[: len(options.show) or 1]
    lines = []
    for system in scores.systems:
        values = [
            scores.corpus_score(measure, system, scores.annotators_of(measure)[-1], measure.aggregate).value
            for measure in measures
        ]
        texts = [
            "nan" if math.isnan(value) else format_score(value, measure, options.digits)
            for value, measure in zip(values, measures, strict=True)
        ]
        names = [for_terminal(system)] if len(scores.systems) > 1 else []
        lines.append("\t".join((*names, *texts)) + "\n")
    return "".join(lines)


class _Writer:
    """Writes the parts of a document in one form."""

    def __init__(self, form: str, options: TableOptions, width: int, encoding: str) -> None:
        self.form, self.options, self.width, self.encoding = form, options, width, encoding

    def sentence(self, text: str) -> str:
        """Return a sentence: wrapped for a terminal, a comment in LaTeX."""
        if self.form == "table":
            return "".join(f"{line}\n" for line in wrapped(for_terminal(text, self.encoding), self.width))
        return f"{line_in_markdown(text)}\n" if self.form == "md" else f"% {for_terminal(text)}\n"

    def table(
        self,
        head: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        text_columns: int,
        title: str = "",
        notes: Sequence[str] = (),
        subject: str = "",
        label: str = "",
    ) -> list[str]:
        """Return a table of texts its title above and its notes below it; LaTeX has both as its caption."""
        if self.form == "latex":
            caption = " ".join(filter(None, (subject, title and f"{title}.", *notes)))
            return [latex(head, rows, text_columns=text_columns, caption=caption, label=label)]
        if self.form == "table":
            drawn = aligned(head, rows, text_columns=text_columns, encoding=self.encoding, width=self.width)
        else:
            drawn = FORMS[self.form](head, rows, text_columns=text_columns)
        return [*([self.sentence(title)] if title else []), drawn, *map(self.sentence, notes)]

    def rankings(self, tables: Sequence[ScoreRanking], *, intervals: bool = False) -> str:
        """Return tables of scores."""
        options = replace(self.options, intervals=True) if intervals else self.options
        return render_rankings(tables, self.form, options, width=self.width, encoding=self.encoding)


def _document(scores: Scores, comparison: Comparison | None, groups: Groups | None, writer: _Writer) -> str:
    options = writer.options
    tables = rankings(scores, comparison, options)
    main = compared_by(comparison, tables[0].measures[0]) if tables and tables[0].measures else None
    parts = []
    if tables and tables[0].measures:
        parts.append(writer.sentence(verdict(scores, comparison, tables[0], options.digits)))
    if comparison is not None and main is not None:
        lines = list(lines_on_tests(main, comparison, options.digits))
        if writer.form == "latex":  # the caption is long enough without them
            parts.append("".join(map(writer.sentence, lines)))
        else:
            tables[0] = replace(tables[0], notes=(*lines, *tables[0].notes))
    parts.append(writer.rankings(tables))
    candidates = candidate_table(scores, options)
    if candidates is not None:
        notes = list(candidate_notes(scores))
        parts += writer.table(*candidates, text_columns=2, notes=notes, label="candidates")
    if comparison is not None and (options.tests or options.details):
        parts += _tests(comparison, tables, writer)
    if groups is not None:
        parts.append(writer.rankings([_of_groups(groups, table, options.digits) for table in tables]))
    if options.details:
        parts += _details(scores, comparison, tables, writer)
    return "\n".join(filter(None, parts))


def candidate_table(scores: Scores, options: TableOptions) -> tuple[list[str], list[list[str]]] | None:
    """Return head and rows of the table of candidates by the main measure, or by those that were chosen."""
    if scores.candidates is None:
        return None
    measures = shown_measures(scores, options)
    if not (options.show or options.details):
        measures = measures[:1]
    every = {
        (row["system"], row["annotator"], f"{row['protocol']}/{row['measure']}"): row
        for row in scores.candidates.to_dicts()
    }
    chosen = [which for which in CHOSEN if any(row[which] is not None for row in every.values())]
    has_confidence = any(row["with_confidence"] for row in every.values())
    rows = []
    for system in dict.fromkeys(system for system, _, _ in every):
        for measure in measures:
            row = every.get((system, scores.annotators_of(measure)[-1], str(measure)))
            if row is not None:
                values = (math.nan if row[which] is None else row[which] for which in chosen)
                cells = [format_score(value, measure, options.digits) for value in values]
                if has_confidence:
                    correlation = row["rank_correlation"]
                    cells.append("-" if correlation is None else f"{correlation:.2f}")
                rows.append([system, str(measure), *cells])
    return ["candidates of", "measure", *chosen, *(["confidence ~ score"] if has_confidence else [])], rows


def candidate_notes(scores: Scores) -> Iterator[str]:
    """Yield what the columns of the table are."""
    yield (
        "Candidates: each item counts its worst, mean, selected or best one, by each measure for itself. The "
        "best is an upper bound, since no system knows it."
    )
    rows = [] if scores.candidates is None else scores.candidates.to_dicts()
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["system"]] = max(counts.get(row["system"], 0), row["with_confidence"])
    known = [f"{count:,} of {system}" for system, count in counts.items() if count]
    if known:
        yield f"confidence ~ score: Spearman's rank correlation over candidates, {', '.join(known)}."


def lines_on_tests(main: MeasureComparison, comparison: Comparison, digits: int) -> Iterator[str]:
    """Report the only test, tests that no difference could pass, and the reliability of the items."""
    if len(main.pairs) == 1 and not math.isnan(main.pairs[0].difference):
        yield _line_of_pair(main, main.pairs[0], comparison)
    yield from too_few_items(main, comparison)
    yield from _lines_on_resamples(main)
    if main.friedman is not None:
        yield _line_of_friedman(main, comparison)
    if main.reliability is not None:
        yield from _lines_on_reliability(main.reliability, main.measure, comparison, digits)


def _line_of_pair(main: MeasureComparison, pair: Pair, comparison: Comparison) -> str:
    """Report how two systems compare item by item, and how many items a difference would need."""
    unit = main.measure.weight_unit if main.measure.resamples_classes else "items"
    wins = f"{pair.first} is better on {amount(pair.wins, unit)}, worse on {pair.losses:,}, "
    wins += f"equal on {pair.ties:,}"
    needed = comparison.items_needed(pair)
    power = f"; about {needed:,} items would detect this difference at 80 % power" if needed else ""
    return f"{wins}{power}."


def render_tests(
    comparison: Comparison, tables: Sequence[ScoreRanking], form: str, options: TableOptions
) -> str:
    """Return the pairs of systems by the main measure as a table."""
    return "".join(_tests(comparison, tables, _Writer(form, options, 80, "utf-8")))


def _tests(comparison: Comparison, tables: Sequence[ScoreRanking], writer: _Writer) -> Iterator[str]:
    """Give the pairs of systems: by the main measure, by those that were chosen, or by all in details."""
    shown = [measure for table in tables for measure in table.measures]
    if not (writer.options.details or writer.options.show):
        shown = shown[:1]
    for pairs in pair_tables(comparison, shown, writer.options.digits):
        notes = pairs.notes if writer.options.details else pairs.notes[:_LEGEND]
        title, *rest = writer.table(
            pairs.head,
            pairs.rows,
            text_columns=2,
            title=pairs.title,
            notes=notes,
            label=f"pairs-{pairs.label}",
        )
        yield ("\n" if writer.form == "md" else "").join((title, *rest))


@dataclass(frozen=True, slots=True)
class PairTable:
    """The pairs of systems by a measure, as texts."""

    label: str  # of the table, in LaTeX
    title: str
    head: list[str]
    rows: list[list[str]]  # two names, then numbers
    notes: tuple[str, ...]  # how it was tested


def pair_tables(comparison: Comparison, measures: Sequence[Measure], digits: int) -> Iterator[PairTable]:
    """Give the pairs by each measure by which systems were compared."""
    for measure in measures:
        compared = compared_by(comparison, measure)
        if compared is None:
            continue
        unit = ", %" if measure.range == PER_CENT else ""
        differ = len({pair.items for pair in compared.pairs}) > 1
        head = [
            "first",
            "second",
            *(["items"] if differ else []),
            f"difference [{100 * comparison.level:g} % CI]",
        ]
        yield PairTable(
            label=str(measure),
            title=f"{measure}{unit}; {counted(compared)}",
            head=[*head, "p", adjusted_p(comparison), "d_z", "+ / = / -"],
            rows=[_pair(pair, measure, digits, counted=differ) for pair in compared.pairs],
            notes=tuple(how_tested(compared, comparison)),
        )


def _pair(pair: Pair, measure: Measure, digits: int, *, counted: bool) -> list[str]:
    difference = format_difference(pair.difference, measure, digits)
    within = interval_text((pair.low, pair.high), measure, digits)
    return [
        pair.first,
        f"{pair.second} *" if pair.significant else pair.second,
        *([f"{pair.items:,}"] if counted else []),
        f"{difference} {within}".rstrip(),
        *(_p(p) for p in (pair.p, pair.adjusted)),
        _number(pair.d_z),
        " / ".join(f"{count:,}" for count in (pair.wins, pair.ties, pair.losses)),
    ]


def _details(
    scores: Scores, comparison: Comparison | None, tables: Sequence[ScoreRanking], writer: _Writer
) -> Iterator[str]:
    """Give every score with its interval, against each annotator, every baseline, and disagreements."""
    yield writer.rankings([_in_detail(scores, table) for table in tables if table.measures], intervals=True)
    if comparison is not None:
        yield "".join(map(writer.sentence, lines_on_comparison(comparison)))


def lines_on_comparison(comparison: Comparison) -> Iterator[str]:
    """Report where protocols disagree, which systems have too few items, and how intervals were made."""
    for compared in comparison.disagreements:
        significant = "both are" if compared.significant else "not both are"
        yield (
            f"{compared.first} ranks {compared.better} before {compared.worse}, {compared.second} the other "
            f"way round; {significant} significant."
        )
    yield from (f"System {system} {reason}." for system, reason in comparison.why_few())
    yield (
        f"Intervals of differences: expanded {comparison.method}, {_resampled(comparison)} resampled, "
        f"seed {comparison.seed}."
    )


def _in_detail(scores: Scores, table: ScoreRanking) -> ScoreRanking:
    """Return a table of every score: against each annotator, with every baseline, system and share."""
    names = [name for measure in table.measures for name in scores.annotators_of(measure)]
    annotators = list(dict.fromkeys(names)) if persons_of(scores) else []
    rows = [row for row in table.rows if row.role == "system"]
    if annotators[1:]:
        rows = [
            RankingRow(
                name=f"{row.name} / {annotator}",
                cells=tuple(_detail_cell(scores, row.name, annotator, m) for m in table.measures),
            )
            for row in rows
            for annotator in annotators
        ]
    by_aggregate: dict[str, list[str]] = {}
    for measure in table.measures:
        by_aggregate.setdefault(measure.aggregate.replace("_", " "), []).append(measure.name)
    aggregates = "; ".join(f"{', '.join(names)}: {aggregate}" for aggregate, names in by_aggregate.items())
    if scores.context is not None:
        rows += context_rows(scores.context, table.measures, every=True)
    return replace(table, rows=tuple(rows), notes=(f"Over items, {aggregates}.",), signatures=(), against="")


def _detail_cell(scores: Scores, system: str, annotator: str, measure: Measure) -> RankingCell | None:
    if annotator not in scores.annotators_of(measure):
        return None
    score = scores.corpus_score(measure, system, annotator, measure.aggregate)
    key = ScoreKey(system, annotator, measure, measure.aggregate)
    return RankingCell(value=score.value, interval=scores.intervals.get(key, UNDEFINED))


def counted(compared: MeasureComparison) -> str:
    """Return how many items systems have, as ``6 items`` or ``1 to 20 items``."""
    fewest, most = compared.item_counts
    return plural(most, "item") if fewest == most else f"{fewest:,} to {most:,} items"


def adjusted_p(comparison: Comparison) -> str:
    """Return what adjusted p-values are called, with what adjusts them."""
    return f"adjusted p ({adjusting(comparison)})"


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"


def _p(value: float) -> str:
    return "-" if math.isnan(value) else format_p(value).removeprefix("= ").replace("< ", "<")


def how_tested(compared: MeasureComparison, comparison: Comparison) -> Iterator[str]:
    """Report how it was tested, and the results of the test of all systems and the study of reliability."""
    test = TESTS[comparison.test]
    if comparison.test == "permutation":
        test += f", {swaps_of(compared)}"
    if adjusting(comparison) == "Tukey":
        test += ", Tukey-Kramer on mean ranks"
    else:
        if comparison.test == "friedman":
            test += ", normal distribution of differences of mean ranks"
        test += f", {adjusting(comparison)} over {plural(_tested(compared), 'pair')}"
    yield (
        "+ / = / -: items on which the first is better, equal, worse; d_z: mean difference of items in "
        "standard deviations of the differences."
    )
    yield f"* significant at {comparison.alpha:g}: {test}."
    yield from too_few_items(compared, comparison)
    yield from _lines_on_resamples(compared)
    if compared.friedman is not None:
        yield _line_of_friedman(compared, comparison)
    if compared.undefined:
        yield f"{plural(compared.undefined, 'item')} without a value for some system."
    if compared.reliability is not None:
        yield from _lines_on_reliability(compared.reliability, compared.measure, comparison, 2)


def _lines_on_resamples(compared: MeasureComparison) -> Iterator[str]:
    if compared.measure.resamples_classes:
        yield f"Intervals resample {compared.measure.weight_unit} in place of items."
    elif compared.measure.aggregate == "gathered":
        yield f"Intervals are of {compared.resamples:,} resamples."


def _line_of_friedman(compared: MeasureComparison, comparison: Comparison) -> str:
    friedman = compared.friedman
    assert friedman is not None, "Friedman's test was made"
    ranks = f"mean ranks that differ by {_number(friedman.critical)} differ significantly; "
    return (  # the threshold is Tukey's, of all pairs
        f"Friedman: chi2 {_number(friedman.chi_squared)}, p {format_p(friedman.p)}; "
        f"{ranks if comparison.against is None else ''}on {_common(friedman.items, comparison)}."
    )


def _common(count: int, comparison: Comparison) -> str:
    """Return how many items, or clusters, a test of all systems is of."""
    if not count:
        return "no item that all systems have"
    return f"{plural(count, 'cluster' if comparison.clustered else 'item')} that all systems have"


def _tested(compared: MeasureComparison) -> int:
    """Return how many pairs have a p-value."""
    return sum(not math.isnan(pair.p) for pair in compared.pairs)


def too_few_items(compared: MeasureComparison, comparison: Comparison) -> Iterator[str]:
    """Report that no difference could be significant, if too few items differ."""
    if compared.smallest_p >= comparison.alpha:
        least = format_p(compared.smallest_p).removeprefix("= ")
        yield f"Too few items differ: no adjusted p could be smaller than {least}."


def _lines_on_reliability(
    reliability: Reliability, measure: Measure, comparison: Comparison, digits: int
) -> Iterator[str]:
    yield (
        f"Reliability: E rho2 {_number(reliability.e_rho2)}, Phi {_number(reliability.phi)}; for .95 they "
        f"need {_count(reliability.items_for_e_rho2)} and {_count(reliability.items_for_phi)} items; on "
        f"{_common(reliability.components.studied, comparison)}."
    )
    detectable = format_score(reliability.detectable, measure, digits)
    yield f"Smallest difference that is detected at 80 % power: {detectable}."


def _count(value: float) -> str:
    return f"{value:,.0f}" if math.isfinite(value) else "more than any number of"


def item_notes(comparison: Comparison) -> Iterator[str]:
    """Report what comes of systems that have different items."""
    if any(compared.item_counts[0] < compared.item_counts[1] for compared in comparison.measures):
        if comparison.against is not None:
            whose = "each score is over the items that both of a pair have"
        else:
            whose = (
                "each score is over its system's own items, each pair is tested on the items that both have"
            )
        yield f"systems have different items: {whose}; ranking and groups follow the pairs"
    yield from (f"system {system} {reason}" for system, reason in comparison.why_few())


def _resampled(comparison: Comparison) -> str:
    """Return what intervals resample: so many items, or clusters, if that is the same for all."""
    unit = "cluster" if comparison.clustered else "item"
    counts = {compared.item_counts for compared in comparison.measures}
    if any(fewest < most for fewest, most in counts):
        return f"{unit}s of each system, or pair,"
    return plural(comparison.units, unit)


def group_name(name: str | None, by: str) -> str:
    """Return what a group is called in tables."""
    return f"(no {by})" if name is None else name


def _of_groups(groups: Groups, table: ScoreRanking, digits: int) -> ScoreRanking:
    """Return the scores of each group, systems in the order of the ranking."""
    rows = []
    for row in table.rows:
        by_measure = [groups.of(measure, row.name) for measure in table.measures]
        some = next(filter(None, by_measure), None) if row.role == "system" else None
        for place, group in enumerate(some or ()):
            cells = (_group_cell(scores[place]) if scores else None for scores in by_measure)
            name = f"{row.name}, {group_name(group.group, groups.by)}"
            rows.append(RankingRow(name=name, cells=tuple(cells), role="group"))
    sizes = [f"{group_name(name, groups.by)} {size:,}" for name, size in groups.sizes.items()]
    notes = [f"Items of each {groups.by}: {', '.join(sizes)}.", *_group_losses(groups, table, digits)]
    return replace(
        table, rows=tuple(rows), notes=tuple(notes), signatures=(), against="", subject=f"by {groups.by}"
    )


def _group_cell(score: GroupScore) -> RankingCell:
    return RankingCell(value=score.value, interval=(score.low, score.high))


def _group_losses(groups: Groups, table: ScoreRanking, digits: int) -> Iterator[str]:
    """Report the group that lost each system most by the main measure."""
    measure = table.measures[0]
    losses = [
        f"{row.system} in {group_name(row.group, groups.by)} ({format_score(row.cost, measure, digits)})"
        for row in groups.rows
        if row.measure == measure and row.costs_most
    ]
    if losses:
        gain = "what all would gain if it were like the rest"
        yield f"Most {measure.name} is lost by {', '.join(losses)}: {gain}."


def render_agreement(
    agreement: AnnotatorAgreement,
    form: str,
    options: TableOptions,
    *,
    width: int = 80,
    encoding: str = "utf-8",
) -> str:
    """Return inter-annotator agreement: a matrix by the main measure, means by all, alpha and kappa."""
    writer = _Writer(form, options, width, encoding)
    measures = _measures_of_agreement(agreement, options)
    parts: list[str] = []
    matrices = measures if options.show or options.details else measures[:1]
    for measure in matrices if agreement.persons else ():
        parts += _matrix(agreement, measure, writer)
    head = ["measure", *(name.replace("_", " ") for name in agreement.means(measures[0]))]
    rows = [[_titled(measure), *_means(agreement, measure, options.digits)] for measure in measures]
    parts += writer.table(
        head, rows, text_columns=1, notes=_on_means(agreement), subject=_AGREEMENT, label="agreement"
    )
    parts.append(writer.sentence(_ABOUT))
    rated = f" ({agreement.rated})" if agreement.rated else ""
    beyond = (_beyond("Krippendorff's alpha", agreement.alpha), _beyond("Fleiss' kappa", agreement.kappa))
    signed = [protocol_signature(agreement.signatures, m) for m in _first_of_protocols(measures)]
    lines = [f"Beyond chance{rated}: {'; '.join(beyond)}.", *signed]
    parts.append(
        "".join(map(writer.sentence, lines[:1])) + "".join(_signature(text, form) for text in signed)
    )
    return "\n".join(parts)


def _signature(text: str, form: str) -> str:
    if form == "md":
        return f"\n{code_in_markdown(text)}\n"
    return f"% {for_terminal(text)}\n" if form == "latex" else f"{for_terminal(text)}\n"


def _first_of_protocols(measures: Sequence[Measure]) -> list[Measure]:
    return list({measure.protocol: measure for measure in reversed(measures)}.values())[::-1]


def _titled(measure: Measure) -> str:
    return f"{measure}, %" if measure.range == PER_CENT else str(measure)


def _means(agreement: AnnotatorAgreement, measure: Measure, digits: int) -> list[str]:
    return [format_score(mean.value, measure, digits) for mean in agreement.means(measure).values()]


def _measures_of_agreement(agreement: AnnotatorAgreement, options: TableOptions) -> list[Measure]:
    """Return the measures that are shown, the main one first."""
    if options.show:
        return [find(name, agreement.measures) for name in options.show]
    chosen = [measure for measure in agreement.measures if options.every or measure.headline]
    chosen = chosen or list(agreement.measures)
    main = main_measure(next(iter(agreement.scores.values())))
    return sorted(chosen, key=lambda measure: measure != main)


def _on_means(agreement: AnnotatorAgreement) -> list[str]:
    """Report how means are weighted."""
    of_pairs = "mean of pairs: each ordered pair of annotators counts the same. " * agreement.persons
    return [f"{of_pairs}mean of items: each item of each ordered pair counts the same, long or short."]


def _matrix(agreement: AnnotatorAgreement, measure: Measure, writer: _Writer) -> Iterator[str]:
    """Give the scores of each pair of annotators, the mean of both directions, and the odd one out."""
    digits = writer.options.digits
    pairs = _pair_values(agreement, measure)
    means = {name: _mean_with_others(pairs, name) for name in agreement.annotators}
    unit = ", %" if measure.range == PER_CENT else ""
    head = [f"{measure.name}{unit}", *agreement.annotators, "mean"]
    rows = [
        [
            name,
            *(
                _matrix_cell(pairs.get(frozenset((name, other))), measure, digits)
                for other in agreement.annotators
            ),
            format_score(means[name], measure, digits),
        ]
        for name in agreement.annotators
    ]
    notes = ["Each score is the mean of both directions: one annotator as reference, or the other."]
    odd = _odd_one(means, measure)
    if odd is not None:
        others = fmean(value for name, value in means.items() if name != odd and not math.isnan(value))
        apart = format_score(abs(others - means[odd]), measure, 0)
        way = "above" if measure.direction == "lower" else "below"
        notes.append(f"Odd one out: {odd}, who agrees least: {apart} points {way} the mean of the others.")
    subject = f"{_AGREEMENT[:-1]} by {measure}."
    yield from writer.table(
        head, rows, text_columns=1, notes=notes, subject=subject, label=f"agreement-{measure}"
    )


def _pair_values(agreement: AnnotatorAgreement, measure: Measure) -> dict[frozenset[str], float]:
    """Return the score of each pair, the mean of both directions."""
    values: dict[frozenset[str], list[float]] = {}
    for pair in agreement.pairs:
        value = agreement.corpus_score(measure, *pair).value
        if not math.isnan(value):
            values.setdefault(frozenset(pair), []).append(value)
    return {pair: fmean(both) for pair, both in values.items()}


def _mean_with_others(pairs: dict[frozenset[str], float], name: str) -> float:
    own = [value for pair, value in pairs.items() if name in pair]
    return fmean(own) if own else math.nan


def _matrix_cell(value: float | None, measure: Measure, digits: int) -> str:
    return "" if value is None else format_score(value, measure, digits)


def _odd_one(means: dict[str, float], measure: Measure) -> str | None:
    """Return the annotator who is further from the others than these are from each other."""
    sign = -1 if measure.direction == "lower" else 1
    known = sorted((sign * mean, name) for name, mean in means.items() if not math.isnan(mean))
    if len(known) < 3:
        return None
    (least, odd), (second, _), (most, _) = known[0], known[1], known[-1]
    return odd if second - least > max(most - second, _ODD * (measure.range[1] - measure.range[0])) else None


def _beyond(name: str, agreement: Agreement) -> str:
    if math.isnan(agreement.value):
        return f"{name} undefined, {agreement.reason}"
    return f"{name} {agreement.value:.3f} ({plural(agreement.units, 'unit')})"
