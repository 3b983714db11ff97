# SPDX-License-Identifier: MIT
"""One recording, laid out for a reader: what was annotated, what was listed, what was said instead.

What is returned knows nothing of how it will be drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from kammerton.errors import OptionError
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.error_analysis import Side, Verdict, extended
from kammerton.instruments.kernels import applicable, evaluate, survey
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.protocols import PROTOCOLS
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.measure import Measure, find
from kammerton.model.task import Case
from kammerton.model.views import Branch, Cell, Column, ItemView, Ranked, Table, Track

__all__ = ["DEFAULT_MEASURE", "view_item"]

DEFAULT_MEASURE = "open-mic-task1/F"

_LEGEND: Mapping[str, str] = {
    "wrong": "missed, or not annotated",
    "partly": "the same, but its family is right",
    "excluded": "not judged",
}
_SIGNS: Mapping[str, str] = {
    "+": "named",
    "(+)": "one below it is",
    "-": "known to be absent",
    "?": "nobody judged it",
}
_DOCUMENTS = 50
"""Documents of a query that are listed."""


def view_item(
    item: str,
    annotator: str,
    references: Mapping[str, InstrumentList],
    estimates: Mapping[str, InstrumentList | str],
    measure: str | None = None,
    options: InstrumentOptions | None = None,
) -> ItemView:
    """Lay out one recording.

    Examples
    --------
    >>> reference, estimate = InstrumentList(("piano", "voice")), InstrumentList(("voice",), ranked=True)
    >>> shown = view_item("song", "me", {"me": reference}, {"mine": estimate})
    >>> [(branch.label, [cell.text for cell in branch.cells]) for branch in shown.outline]
    [('piano', ['+', 'missed']), ('voice', ['+', '1'])]
    """
    options = options or InstrumentOptions()
    chosen = _choose(measure or DEFAULT_MEASURE)
    reference = Side.of_reference(references[annotator], options)
    systems = {
        name: Side.of_estimate(references[annotator], each, options)
        for name, each in estimates.items()
        if not isinstance(each, str)
    }
    sides = [Side.of_reference(each, options) for each in references.values()]
    marks = {name: Verdict(reference, side, options.tree) for name, side in systems.items()}
    outline = _outline(sides, list(systems.values()), options.tree)
    shown, left = outline[:_DOCUMENTS], outline[_DOCUMENTS:]
    if not reference.query:
        shown, left = outline, []
    branches = tuple(Branch(depth, label, _cells(label, sides, estimates, marks)) for depth, label in shown)
    return ItemView(
        item=item,
        measure=str(chosen),
        end=0.0,
        tracks=tuple(
            Track(name, (), note=each if isinstance(each, str) else "")
            for name, each in (*references.items(), *estimates.items())
        ),
        tables=(
            *(table for name, verdict in marks.items() for table in verdict.table(name)),
            _scores(references[annotator], estimates, chosen, options),
        ),
        notes=(
            *_others(references, annotator),
            *_without_figure(references[annotator], estimates, chosen, options),
            *_cut(len(left)),
        ),
        outline=branches,
        references=len(references),
        legend=_LEGEND,
        ranked=tuple(_ranked(sides, estimates, marks)),
        signs=_signs(branches),
        reasons={name: (told,) for name, verdict in marks.items() if (told := verdict.reason())},
    )


def _signs(branches: Sequence[Branch]) -> dict[str, str]:
    """Return what the texts of cells mean, of those that occur; one place in a list stands for all."""
    texts = dict.fromkeys(cell.text for branch in branches for cell in branch.cells)
    placed = [text for text in texts if text[:1].isdecimal()]
    scored = [text for text in placed if " " in text]
    listed = {(scored or placed)[0]: "place in a list" + (" and score" if scored else "")} if placed else {}
    return {**{sign: told for sign, told in _SIGNS.items() if sign in texts}, **listed}


def _choose(address: str) -> Measure:
    measures = [measure for protocol in PROTOCOLS for measure in protocol.measures]
    chosen = find(address, measures)
    if chosen.aggregate == "gathered":
        of_files = ", ".join(str(each) for each in measures if each.aggregate != "gathered")
        raise OptionError(f"{chosen} has no figure of a single item", f"these have: {of_files}")
    return chosen


def _outline(
    references: Sequence[Side], systems: Sequence[Side], tree: Taxonomy | None
) -> list[tuple[int, str]]:
    """Return the labels of all sides with their depths: below their families, or as they are listed."""
    every: dict[str, None] = {}
    for side in (*references, *systems):
        every.update(dict.fromkeys(side.ranks))
    known = [label for label in every if tree is not None and label in tree.index]
    unknown = [(0, label) for label in every if label not in known]
    if tree is None:
        return unknown
    used = extended(known, tree)
    branches: list[tuple[int, str]] = []
    seen: set[str] = set()

    def descend(label: str, depth: int) -> None:
        branches.append((depth, label))
        if label not in seen:  # a label with two parents has those below it drawn once
            seen.add(label)
            for child in tree.children(label):
                if child in used:
                    descend(child, depth + 1)

    for label in tree.nodes:
        top = not any(tree.nodes[parent] in used for parent in tree.parents[tree.index[label]])
        if label in used and top:
            descend(label, 0)
    return branches + unknown


def _ranked(
    references: Sequence[Side],
    estimates: Mapping[str, InstrumentList | str],
    verdicts: Mapping[str, Verdict],
) -> Iterator[tuple[Ranked, ...]]:
    """Give what each track lists, the best first."""
    for side in references:
        yield tuple(Ranked(label) for label in list(side.ranks)[:_DOCUMENTS])
    for name in estimates:
        yield verdicts[name].ranked(_DOCUMENTS) if name in verdicts else ()


def _cells(
    label: str,
    references: Sequence[Side],
    estimates: Mapping[str, InstrumentList | str],
    verdicts: Mapping[str, Verdict],
) -> tuple[Cell, ...]:
    said = (verdicts[name].cell(label) if name in verdicts else Cell("", None) for name in estimates)
    return (*(Cell(side.text(label)) for side in references), *said)


def _scores(
    reference: InstrumentList,
    estimates: Mapping[str, InstrumentList | str],
    chosen: Measure,
    options: InstrumentOptions,
) -> Table:
    """List the measures of single files, a column per system."""
    listed = [each for each in estimates.values() if not isinstance(each, str)]
    measures = [m for protocol in PROTOCOLS for m in protocol.measures if m.aggregate != "gathered"]
    shown = [m for m in measures if m == chosen or (m.headline and m.aggregate == "mean")]
    possible, _ = applicable(survey([reference], listed, options), shown, options)
    columns = [_values(reference, each, possible, options) for each in estimates.values()]
    rows = [(str(measure), *(column[place] for column in columns)) for place, measure in enumerate(possible)]
    return Table(
        "scores, per cent", (Column("measure"), *(Column(name, "score") for name in estimates)), tuple(rows)
    )


def _values(
    reference: InstrumentList,
    estimate: InstrumentList | str,
    measures: Sequence[Measure],
    options: InstrumentOptions,
) -> list[str | float | None]:
    if isinstance(estimate, str):
        return ["-"] * len(measures)
    statistics = evaluate([Case((reference,), estimate)], measures, options).statistics
    values = [float(measure.formula.finalise(statistics[measure])[0]) for measure in measures]
    return [None if math.isnan(value) else value for value in values]


def _without_figure(
    reference: InstrumentList,
    estimates: Mapping[str, InstrumentList | str],
    chosen: Measure,
    options: InstrumentOptions,
) -> Iterator[str]:
    """Say why there is no figure of the chosen measure."""
    listed = [each for each in estimates.values() if not isinstance(each, str)]
    possible, why = applicable(survey([reference], listed, options), [chosen], options)
    if not possible:
        yield from (each.message for each in why)


def _others(references: Mapping[str, InstrumentList], annotator: str) -> Iterator[str]:
    if len(references) > 1:
        yield f"judged by {annotator}"


def _cut(left: int) -> Iterator[str]:
    if left:
        yield f"{left:,} more documents are not shown"
