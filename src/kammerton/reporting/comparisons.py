# SPDX-License-Identifier: MIT
"""Floors, systems and the ceiling of annotators in one table for each protocol."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from textwrap import fill

from kammerton.errors import plural
from kammerton.model.corpus import ALL
from kammerton.model.measure import Estimate, Measure
from kammerton.reporting.escaping import for_terminal
from kammerton.reporting.tables import (
    FORMS,
    PER_CENT,
    Best,
    Block,
    Line,
    aligned,
    build_blocks,
    figure,
    line_of,
    signed_whole,
)
from kammerton.results.agreement import AnnotatorAgreement
from kammerton.results.comparison import SystemComparison
from kammerton.results.context import Context, ContextScore, Role
from kammerton.results.groups import Groups, GroupScore
from kammerton.results.scores import Scores
from kammerton.statistics.agreement import Agreement
from kammerton.statistics.comparison import Comparison, MeasureComparison, Pair, Ranked, Reliability

__all__ = [
    "adjusted_p",
    "agreement_blocks",
    "beyond_chance",
    "context_blocks",
    "context_lines",
    "cost_lines",
    "counted",
    "few_items",
    "group_blocks",
    "group_name",
    "how_tested",
    "item_notes",
    "render_comparison",
    "too_few_items",
]

_CEILING = "annotators (ceiling)"


def context_blocks(scores: Scores, *, every: bool = False) -> tuple[tuple[Block, ...], list[str]]:
    """Return a table of floors, systems and ceiling for each protocol, and what is to be said of all."""
    found = scores.context
    assert found is not None, "scores have a context"
    blocks = ((block, tuple(_lines(found, block.measures))) for block in build_blocks(scores, every=every))
    return tuple(replace(block, lines=lines) for block, lines in blocks if lines), _notes(found)


def _lines(found: Context, measures: Sequence[Measure]) -> Iterator[Line]:
    for role, called in (
        ("baseline", "floor: {}"),
        ("system", "{}"),
        ("others", "{}"),
        ("annotators", _CEILING),
    ):
        for rows in _by_name(found, measures, role):
            ends = [None if row is None else (row.low, row.high) for row in rows]
            line = _line(called, measures, rows, [_estimate(row) for row in rows], ends)
            yield replace(line, ranks=role == "system")
    for rows in _by_name(found, measures, "others"):
        shares = [_share(row) for row in rows]
        if any(each is not None and not math.isnan(each.value) for each in shares):
            ends = [None if row is None else (row.share_low, row.share_high) for row in rows]
            yield _line("{} / ceiling", measures, rows, shares, ends)


def _by_name(found: Context, measures: Sequence[Measure], role: str) -> Iterator[list[ContextScore | None]]:
    """Give the figures of each floor or system, one for each measure."""
    of_role: Role = role  # type: ignore[assignment]
    known = [{row.name: row for row in found.of(measure, of_role)} for measure in measures]
    for name in dict.fromkeys(name for each in known for name in each):
        yield [each.get(name) for each in known]


def _line(
    called: str,
    measures: Sequence[Measure],
    rows: Sequence[ContextScore | None],
    figures: Sequence[Estimate | None],
    ends: Sequence[tuple[float, float] | None],
) -> Line:
    some = next(row for row in rows if row is not None)
    return line_of(called.format(some.name), some.annotator, measures, figures, ends)


def _estimate(row: ContextScore | None) -> Estimate | None:
    return None if row is None else Estimate(row.value, 0.0, row.items, row.undefined)


def _share(row: ContextScore | None) -> Estimate | None:
    """Return a share; there is none of measures that are better if they are lower."""
    if row is None or row.measure.direction == "lower":
        return None
    return Estimate(row.share, 0.0, row.items, 0)


def _notes(found: Context) -> list[str]:
    """Say what floors, systems and ceiling are of."""
    lines = list(shared_line(found))
    if not found.items:
        return [*lines, "no ceiling: no item has two annotators"]
    out = f"; {plural(found.single, 'item')} with one annotator left out" if found.single else ""
    return [
        *lines,
        f"ceiling: every annotator of an item against the others, {plural(found.items, 'item')}{out}",
        "others: systems against the same sets, all annotators of an item but one",
    ]


def shared_line(found: Context) -> Iterator[str]:
    """Say which items floors and systems are of, where not all have the same."""
    if found.left_out:
        yield (
            f"floors and systems: the {plural(found.shared, 'item')} that all systems have, "
            f"{found.left_out:,} left out"
        )


def context_lines(scores: Scores, measure: Measure) -> Iterator[str]:
    """Say in a line or two what the systems stand between by one measure."""
    found = scores.context
    assert found is not None, "scores have a context"
    rows = found.of(measure, "baseline")
    if rows:
        told = ", ".join(f"{row.name} {figure(row.value, measure)}" for row in rows)
        of_items = f"; of the {plural(rows[0].items, 'item')} that all systems have" if found.left_out else ""
        yield f"floors: {told}{of_items}"
    for ceiling in found.of(measure, "annotators"):
        told = f"ceiling: annotators {figure(ceiling.value, measure)} against the others"
        shares = [
            f"{row.name} {100 * row.share:.1f} %"
            for row in found.of(measure, "others")
            if not math.isnan(row.share)
        ]
        reached = f", of which {', '.join(shares)}" if shares else ""
        yield f"{told}, {plural(ceiling.items, 'item')}{reached}"


def group_blocks(scores: Scores, *, every: bool = False) -> tuple[tuple[Block, ...], list[str]]:
    """Return a table of figures group by group for each protocol, and what is to be said of all."""
    groups = scores.groups
    assert groups is not None, "scores have groups"
    built = build_blocks(scores, every=every)
    blocks = [replace(each, lines=tuple(_lines_of_groups(scores, each, groups))) for each in built]
    known = {row.measure for row in groups.rows}
    measures = [measure for block in blocks for measure in block.measures if measure in known]
    notes = [_sizes(groups), *(line for measure in measures for line in cost_lines(groups, measure))]
    return tuple(block for block in blocks if block.lines or not block.measures), notes


def group_name(name: str | None, by: str) -> str:
    """Return what a group is called in tables."""
    return f"(no {by})" if name is None else name


def _lines_of_groups(scores: Scores, block: Block, groups: Groups) -> Iterator[Line]:
    """Give the line of each system, and below it those of its groups."""
    for system in scores.systems:
        of_measures = [groups.of(measure, system) for measure in block.measures]
        some = next((rows for rows in of_measures if rows), None)
        if some is None:
            continue
        yield next(
            line for line in block.lines if (line.system, line.annotator) == (system, some[0].annotator)
        )
        for place, row in enumerate(some):
            rows = [found[place] if found else None for found in of_measures]
            yield _line_of_groups(f"{system}: {group_name(row.group, groups.by)}", block.measures, rows)


def _line_of_groups(called: str, measures: Sequence[Measure], rows: Sequence[GroupScore | None]) -> Line:
    annotator = next(row.annotator for row in rows if row is not None)
    figures = [None if row is None else Estimate(row.value, 0.0, row.items, row.undefined) for row in rows]
    ends = [None if row is None else (row.low, row.high) for row in rows]
    return line_of(called, annotator, measures, figures, ends)


def _sizes(groups: Groups) -> str:
    sizes = [f"{group_name(name, groups.by)} {size:,}" for name, size in groups.sizes.items()]
    return f"groups by {groups.by}: {', '.join(sizes)}"


def cost_lines(groups: Groups, measure: Measure) -> Iterator[str]:
    """Say in a line which group costs each system most by a measure, and how much."""
    most_costly = [row for row in groups.rows if row.measure == measure and row.costs_most]
    told = [
        f"{row.system} in {group_name(row.group, groups.by)} ({figure(row.cost, measure)})"
        for row in most_costly
    ]
    if told:
        yield f"{measure} loses most: {', '.join(told)}"


def agreement_blocks(found: AnnotatorAgreement, *, every: bool = False) -> tuple[Block, ...]:
    """Return a table for each protocol."""
    blocks = []
    for protocol in dict.fromkeys(measure.protocol for measure in found.measures):
        measures = tuple(m for m in found.measures if m.protocol == protocol and (every or m.headline))
        if measures:
            whole = (signed_whole(found.signatures, measures[0]),)
            basis = f"{plural(len(found.annotators), 'annotator')}, {plural(len(found.items), 'item')}"
            lines = tuple(_lines_of_agreements(found, measures))
            blocks.append(Block(protocol, measures, lines, whole, basis, who=("annotator", "against")))
    return tuple(blocks)


def _lines_of_agreements(found: AnnotatorAgreement, measures: tuple[Measure, ...]) -> Iterator[Line]:
    """Give the figures of each annotator against each other, then their mean, then that of items."""
    for reference, estimate in found.pairs if found.persons else ():
        figures = [found.estimate(measure, reference, estimate) for measure in measures]
        yield line_of(estimate, reference, measures, figures)
    means = [found.means(measure) for measure in measures]
    for name in means[0]:
        line = tuple(of_measure[name] for of_measure in means)
        yield Line(name.replace("_", " "), ALL, line, len(found.items))


def beyond_chance(found: AnnotatorAgreement) -> tuple[str, ...]:
    """Return what is to be said of Krippendorff's alpha and Fleiss' kappa, and what they are of."""
    labels = (f"beyond chance: {found.rated}",) if found.rated else ()
    return *labels, _told("Krippendorff's alpha", found.alpha), _told("Fleiss' kappa", found.kappa)


def _told(name: str, agreement: Agreement) -> str:
    if math.isnan(agreement.value):
        return f"{name}: undefined, {agreement.reason}"
    return f"{name}: {agreement.value:.4f} ({plural(agreement.units, 'unit')})"


_TESTS = {
    "permutation": "permutation test",
    "t": "Student's t",
    "wilcoxon": "Wilcoxon's test",
    "friedman": "Friedman's test, Tukey-Kramer on mean ranks",
}


def render_comparison(
    found: SystemComparison, form: str, *, every: bool = False, width: int = 80, encoding: str = "utf-8"
) -> str:
    """Return a comparison as text."""
    table = partial(aligned, encoding=encoding, width=width) if form == "table" else FORMS[form]
    told = partial(_told_of_comparisons, form=form, width=width)
    parts = [
        _of_measure(each, found, form, table, told)
        for each in found.comparison.measures
        if every or each.measure.headline
    ]
    notes = "".join(map(told, _notes_of_comparisons(found.comparison)))
    return "\n".join([*parts, *([notes] if notes else [])])


def _told_of_comparisons(line: str, *, form: str, width: int) -> str:
    """Return a line below tables, wrapped where a reader has so many columns."""
    said = for_terminal(line)  # names in it have no line ends that would end a comment
    return f"{fill(said, width, subsequent_indent='  ') if form == 'table' else _comment(form) + said}\n"


def _comment(form: str) -> str:
    return "% " if form == "latex" else ""


def _of_measure(
    each: MeasureComparison,
    found: SystemComparison,
    form: str,
    table: Callable[..., str],
    told: Callable[[str], str],
) -> str:
    """Return title, ranking, pairs, what else there is, and the signature."""
    comparison = found.comparison
    unit = ", per cent" if each.measure.range == PER_CENT else ""
    against = f", against {each.annotator}" if len(found.scores.annotators) > 1 else ""
    title = for_terminal(f"{each.measure}{unit}; {counted(each)}{against}")
    level = f"{100 * comparison.level:g} %"
    blank = "\n" if form == "md" else ""
    star = _star(f"told apart at {comparison.alpha:g}", any(pair.significant for pair in each.pairs), form)
    tables = _all_pairs if comparison.against is None else _pairs_with_one
    parts = [
        f"### {title}\n\n" if form == "md" else f"{_comment(form)}{title}\n",
        *(made + blank for made in tables(each, comparison, table, star)),
        *map(told, how_tested(each, comparison)),
        *map(told, _context(found, each.measure)),
        *([] if found.groups is None else _groups(found.groups, each, level, form, table)),
        *_signatures(each, found, form),
    ]
    return "".join(parts)


def _signatures(each: MeasureComparison, found: SystemComparison, form: str) -> Iterator[str]:
    """Give the signature of what all systems have, and those of systems that have different items."""
    whole = found.scores.signatures(each.annotator, systems=found.scores.systems)[each.measure]
    yield f"{_comment(form)}signature {whole}\n"
    systems: dict[str, list[str]] = {}
    for name in found.scores.systems:
        signature = found.scores.signatures(each.annotator, systems=(name,))[each.measure]
        systems.setdefault(signature, []).append(name)
    for signature, names in systems.items() if len(systems) > 1 else ():
        yield f"{_comment(form)}signature {for_terminal(', '.join(names))}: {signature}\n"


def counted(each: MeasureComparison) -> str:
    """Return how many items systems have, as ``6 items`` or ``1 to 20 items``."""
    fewest, most = each.item_counts
    return plural(most, "item") if fewest == most else f"{fewest:,} to {most:,} items"


def _all_pairs(
    each: MeasureComparison, comparison: Comparison, table: Callable[..., str], star: dict[str, str]
) -> Iterator[str]:
    """Give the ranking, and all pairs."""
    ends = [f"{100 * comparison.level:g} % from", "to"]
    head = ["system", "groups", "items", "score", *ends, "better", "alike", "worse"]
    yield table(head, [_ranked(row, each) for row in each.ranking], texts=2)
    head = [
        "first",
        "second",
        "items",
        "difference",
        *ends,
        "p",
        adjusted_p(comparison),
        "d_z",
        "superiority",
    ]
    yield table(head, [_pair(pair, each.measure) for pair in each.pairs], texts=2, **star)


def _pairs_with_one(
    each: MeasureComparison, comparison: Comparison, table: Callable[..., str], star: dict[str, str]
) -> Iterator[str]:
    """Give all systems in the order of the ranking, with what each differs by from the one."""
    ends = [f"{100 * comparison.level:g} % from", "to"]
    head = ["system", "items", "score", "difference", *ends, "p", adjusted_p(comparison)]
    pairs = {pair.first: pair for pair in each.pairs}
    rows = []
    for row in each.ranking:
        pair = pairs.get(row.system)
        if pair is None:
            rows.append([row.system, str(row.items), figure(row.value, each.measure), *["-"] * 5])
        else:
            numbers = (pair.first_value, pair.difference, pair.low, pair.high)
            name = f"{row.system} *" if pair.significant else row.system
            told = [figure(number, each.measure) for number in numbers]
            rows.append([name, str(pair.items), *told, _p(pair.p), _p(pair.adjusted)])
    yield table(head, rows, texts=1, **star)


def adjusted_p(comparison: Comparison) -> str:
    """Return what adjusted p-values are called, with what adjusts them."""
    by_tukey = comparison.test == "friedman" and comparison.against is None
    return f"adjusted p ({'Tukey' if by_tukey else 'Holm'})"


def _star(meaning: str, starred: bool, form: str) -> dict[str, str]:
    """Say what a star means, in LaTeX, where no reader of the paper sees the lines below."""
    return {"note": f"* {meaning}"} if starred and form == "latex" else {}


def _context(found: SystemComparison, measure: Measure) -> Iterator[str]:
    return context_lines(found.scores, measure) if found.scores.context is not None else iter(())


def _groups(
    groups: Groups, each: MeasureComparison, level: str, form: str, table: Callable[..., str]
) -> Iterator[str]:
    """Give the figures of each group, systems in the order of the ranking, and which cost most."""
    head = [groups.by, "system", "items", "undefined", "figure", f"{level} from", "to", "cost"]
    of_systems = [groups.of(each.measure, ranked.system) for ranked in each.ranking]
    rows = [row for of_group in zip(*of_systems, strict=True) for row in of_group]
    blank = "\n" if form == "md" else ""
    yield blank
    star = _star("costs most", any(row.costs_most for row in rows), form)
    yield table(head, [_of_group(row, groups.by) for row in rows], texts=2, **star)
    yield blank
    yield f"{_comment(form)}cost: what the figure of all would gain if the group were like the rest; * most\n"


def _of_group(row: GroupScore, by: str) -> list[str]:
    name = f"{group_name(row.group, by)} *" if row.costs_most else group_name(row.group, by)
    others = [
        "-" if math.isnan(value) else figure(value, row.measure) for value in (row.low, row.high, row.cost)
    ]
    counts = [str(row.items), str(row.undefined)]
    return [name, row.system, *counts, figure(row.value, row.measure), *others]


def _ranked(row: Ranked, found: MeasureComparison) -> list[str]:
    value, *ends = (figure(each, found.measure) for each in (row.value, row.low, row.high))
    counts = [str(count) for count in (row.wins, row.ties, row.losses)]
    told = Best(value) if row.place == 1 else value
    return [row.system, row.letters, str(row.items), told, *ends, *counts]


def _pair(pair: Pair, measure: Measure) -> list[str]:
    second = f"{pair.second} *" if pair.significant else pair.second
    ends = [figure(each, measure) for each in (pair.difference, pair.low, pair.high)]
    return [
        pair.first,
        second,
        str(pair.items),
        *ends,
        _p(pair.p),
        _p(pair.adjusted),
        *map(_number, (pair.d_z, pair.superiority)),
    ]


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"


def _p(value: float) -> str:
    if math.isnan(value):
        return "-"
    return "<.0001" if value < 1e-4 else f"{value:.4f}"


def how_tested(each: MeasureComparison, comparison: Comparison) -> Iterator[str]:
    """Say how it was tested, and what the test of all systems and the study of reliability found."""
    told = _TESTS[comparison.test]
    if comparison.test == "permutation":
        told += f", {_swaps(each)}"
    if comparison.test == "friedman" and comparison.against is not None:
        told = "Friedman's test, normal distribution of differences of mean ranks"
    if comparison.test != "friedman" or comparison.against is not None:
        told += f", Holm over {plural(_tested(each), 'pair')}"
    yield f"* told apart at {comparison.alpha:g}: {told}"
    yield from too_few_items(each, comparison)
    if each.measure.resamples_classes:
        yield f"intervals: {each.measure.weight_unit} drawn anew in place of items"
    elif each.measure.aggregate == "gathered":
        yield f"intervals of {each.resamples:,} draws"
    if each.friedman is not None:
        found = each.friedman
        ranks = f"mean ranks that differ by {_number(found.critical)} are told apart; "
        yield (  # the threshold is Tukey's, of all pairs
            f"Friedman: chi2 {_number(found.chi_squared)}, p {_p(found.p)}; "
            f"{ranks if comparison.against is None else ''}on {_common(found.items, comparison)}"
        )
    if each.undefined:
        yield f"{plural(each.undefined, 'item')} without a value for some system"
    if each.reliability is not None:
        yield from _reliability(each.reliability, each.measure, comparison)


def _common(count: int, comparison: Comparison) -> str:
    """Return how many items, or clusters, a test of all systems is of."""
    if not count:
        return "no item that all systems have"
    return f"{plural(count, 'cluster' if comparison.clustered else 'item')} that all systems have"


def _tested(each: MeasureComparison) -> int:
    """Return how many pairs have a p-value."""
    return sum(not math.isnan(pair.p) for pair in each.pairs)


def _swaps(each: MeasureComparison) -> str:
    """Return how many swaps are behind the tests, which depends on the items of a pair."""
    tested = [pair for pair in each.pairs if pair.items]
    counts = sorted({pair.permutations for pair in tested}) or [0]
    if all(pair.exact for pair in tested):
        return (
            f"all {counts[0]:,} swaps"
            if counts[0] == counts[-1]
            else f"all {counts[0]:,} to {counts[-1]:,} swaps"
        )
    drawn = f"{max(pair.permutations for pair in tested if not pair.exact):,} random swaps"
    return f"all swaps of pairs with few items, else {drawn}" if any(pair.exact for pair in tested) else drawn


def too_few_items(each: MeasureComparison, comparison: Comparison) -> Iterator[str]:
    """Report that no difference could be significant, if too few items differ."""
    if each.smallest_p >= comparison.alpha:
        least = _p(each.smallest_p)
        yield f"too few items differ: no adjusted p could be smaller than {least}"


def _reliability(found: Reliability, measure: Measure, comparison: Comparison) -> Iterator[str]:
    yield (
        f"reliability: E rho2 {_number(found.e_rho2)}, Phi {_number(found.phi)}; for .95 they need "
        f"{_count(found.items_for_e_rho2)} and {_count(found.items_for_phi)} items; on "
        f"{_common(found.components.studied, comparison)}"
    )
    yield f"smallest difference that is detected with power .8: {figure(found.detectable, measure)}"


def _count(value: float) -> str:
    return f"{value:,.0f}" if math.isfinite(value) else "more than any number of"


def _notes_of_comparisons(comparison: Comparison) -> Iterator[str]:
    for each in comparison.disagreements:
        verb = "tell them apart" if each.significant else "do not both tell them apart"
        yield (
            f"{each.first} ranks {each.better} before {each.worse}, {each.second} the other way round; "
            f"they {verb}"
        )
    yield from item_notes(comparison)
    if comparison.left_out:
        yield f"{plural(len(comparison.left_out), 'item')} left out: no pair has them"
    yield f"intervals: expanded {comparison.method}, {_drawn(comparison)} drawn anew, seed {comparison.seed}"


def item_notes(comparison: Comparison) -> Iterator[str]:
    """Say what comes of systems that have different items."""
    if any(each.item_counts[0] < each.item_counts[1] for each in comparison.measures):
        if comparison.against is not None:
            whose = "each score is over the items that both of a pair have"
        else:
            whose = (
                "each score is over its system's own items, each pair is tested on the items that both have"
            )
        yield f"systems have different items: {whose}; ranking and groups follow the pairs"
    yield from (f"system {system} {told}" for system, told in few_items(comparison))


def few_items(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Give systems that share too few items with others, and say so."""
    for system, items in comparison.few.items():
        shared = f"at most {plural(items, 'item')}" if items else "no item"
        yield system, f"has {shared} in common with any other: too few to be compared"


def _drawn(comparison: Comparison) -> str:
    """Return what intervals draw: so many items, or clusters, if that is the same for all."""
    unit = "cluster" if comparison.clustered else "item"
    counts = {each.item_counts for each in comparison.measures}
    if any(fewest < most for fewest, most in counts):
        return f"{unit}s of each system, or pair,"
    return plural(comparison.units, unit)
