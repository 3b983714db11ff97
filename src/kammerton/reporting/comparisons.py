# SPDX-License-Identifier: MIT
"""A comparison of systems for readers: a ranking for each measure, and below it the pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from textwrap import fill

from kammerton.errors import plural
from kammerton.model.measure import Measure
from kammerton.reporting.contexts import standing_lines
from kammerton.reporting.escaping import for_terminal
from kammerton.reporting.groups import group_name
from kammerton.reporting.plain_tables import FORMS, Best, aligned
from kammerton.reporting.tables import PER_CENT, figure
from kammerton.statistics.compared import SystemComparison
from kammerton.statistics.comparison import Comparison, MeasureComparison, Pair, Ranked, Reliability
from kammerton.statistics.groups import GroupFigure, Groups

__all__ = ["how_tested", "render_comparison", "too_few_swaps"]

_TESTS = {
    "permutation": "permutation test",
    "t": "Student's t",
    "wilcoxon": "Wilcoxon's test",
    "friedman": "Friedman's test, Tukey-Kramer on mean ranks",
}


def render_comparison(
    found: SystemComparison, form: str, *, every: bool = False, width: int = 80, encoding: str = "utf-8"
) -> str:
    """Return a comparison as text.

    Parameters
    ----------
    found : SystemComparison
        What was found.
    form : {"table", "md", "latex"}
        The form of tables.
    every : bool
        Whether to show every measure, not the headline measures only.
    width, encoding
        Of a terminal.
    """
    table = partial(aligned, encoding=encoding, width=width) if form == "table" else FORMS[form]
    told = partial(_told, form=form, width=width)
    parts = [
        _of_measure(each, found, form, table, told)
        for each in found.comparison.measures
        if every or each.measure.headline
    ]
    notes = "".join(map(told, _notes(found.comparison)))
    return "\n".join([*parts, *([notes] if notes else [])])


def _told(line: str, *, form: str, width: int) -> str:
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
    title = for_terminal(f"{each.measure}{unit}; {plural(each.items, 'item')}{against}")
    level = f"{100 * comparison.level:g} %"
    blank = "\n" if form == "md" else ""
    parts = [
        f"### {title}\n\n" if form == "md" else f"{_comment(form)}{title}\n",
        table(
            ["system", "groups", "figure", f"{level} from", "to", "better", "alike", "worse"],
            [_ranked(row, each) for row in each.ranking],
            texts=2,
        ),
        blank,
        table(
            ["first", "second", "difference", f"{level} from", "to", "p", "adjusted", "d_z", "superiority"],
            [_pair(pair, each.measure) for pair in each.pairs],
            texts=2,
            **_star(f"told apart at {comparison.alpha:g}", any(pair.told_apart for pair in each.pairs), form),
        ),
        blank,
        *map(told, how_tested(each, comparison)),
        *map(told, _context(found, each.measure)),
        *([] if found.groups is None else _groups(found.groups, each, level, form, table)),
        f"{_comment(form)}signature {found.scores.signatures(each.annotator)[each.measure]}\n",
    ]
    return "".join(parts)


def _star(meaning: str, starred: bool, form: str) -> dict[str, str]:
    """Say what a star means, in LaTeX, where no reader of the paper sees the lines below."""
    return {"note": f"* {meaning}"} if starred and form == "latex" else {}


def _context(found: SystemComparison, measure: Measure) -> Iterator[str]:
    return standing_lines(found.scores, measure) if found.scores.context is not None else iter(())


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


def _of_group(row: GroupFigure, by: str) -> list[str]:
    name = f"{group_name(row.group, by)} *" if row.costs_most else group_name(row.group, by)
    others = [
        "-" if math.isnan(value) else figure(value, row.measure) for value in (row.low, row.high, row.cost)
    ]
    counts = [str(row.items), str(row.undefined)]
    return [name, row.system, *counts, figure(row.value, row.measure), *others]


def _ranked(row: Ranked, found: MeasureComparison) -> list[str]:
    value, *ends = (figure(each, found.measure) for each in (row.value, row.low, row.high))
    counts = [str(count) for count in (row.wins, row.ties, row.losses)]
    told = Best(value) if found.places.get(row.system) == 1 else value
    return [row.system, row.letters, told, *ends, *counts]


def _pair(pair: Pair, measure: Measure) -> list[str]:
    second = f"{pair.second} *" if pair.told_apart else pair.second
    ends = [figure(each, measure) for each in (pair.difference, pair.low, pair.high)]
    return [
        pair.first,
        second,
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
        told += (
            f", all {each.permutations:,} swaps" if each.exact else f", {each.permutations:,} random swaps"
        )
    if comparison.test != "friedman":
        told += f", Holm over {plural(len(each.pairs), 'pair')}"
    yield f"* told apart at {comparison.alpha:g}: {told}"
    yield from too_few_swaps(each, comparison)
    if each.measure.aggregate == "gathered":
        yield f"intervals of {each.resamples:,} draws"
    if each.friedman is not None:
        found = each.friedman
        yield (
            f"Friedman: chi2 {_number(found.chi_squared)}, p {_p(found.p)}; mean ranks that differ by "
            f"{_number(found.critical)} are told apart"
        )
    if each.undefined:
        yield f"{plural(each.undefined, 'item')} without a value for some system"
    if each.reliability is not None:
        yield from _reliability(each.reliability, each.measure)


def too_few_swaps(each: MeasureComparison, comparison: Comparison) -> Iterator[str]:
    """Say that no difference could be told, if there are too few items for it."""
    smallest = _smallest(each)
    if smallest >= comparison.alpha:
        yield f"so few swaps tell nothing apart: no adjusted p could be smaller than {_p(min(smallest, 1.0))}"


def _smallest(each: MeasureComparison) -> float:
    """Return the smallest adjusted p-value that the swaps allow; 0 of other tests."""
    if not each.permutations:
        return 0.0
    return len(each.pairs) * (2 / each.permutations if each.exact else 1 / (each.permutations + 1))


def _reliability(found: Reliability, measure: Measure) -> Iterator[str]:
    yield (
        f"reliability: E rho2 {_number(found.e_rho2)}, Phi {_number(found.phi)}; for .95 they need "
        f"{_count(found.items_for_e_rho2)} and {_count(found.items_for_phi)} items"
    )
    yield f"smallest difference that is detected with power .8: {figure(found.detectable, measure)}"


def _count(value: float) -> str:
    return f"{value:,.0f}" if math.isfinite(value) else "more than any number of"


def _notes(comparison: Comparison) -> Iterator[str]:
    for each in comparison.disagreements:
        verb = "tell them apart" if each.told_apart else "do not both tell them apart"
        yield (
            f"{each.first} ranks {each.better} before {each.worse}, {each.second} the other way round; "
            f"they {verb}"
        )
    if comparison.left_out:
        yield f"{plural(len(comparison.left_out), 'item')} left out: not all systems have them"
    units = "clusters" if comparison.clustered else "items"
    yield (
        f"intervals: expanded {comparison.method}, {comparison.units:,} {units} drawn anew, "
        f"seed {comparison.seed}"
    )
