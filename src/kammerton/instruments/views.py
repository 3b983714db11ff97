# SPDX-License-Identifier: MIT
"""One recording, laid out for a reader: what was annotated, what was listed, which errors there are.

What is returned knows nothing of how it will be drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap

from kammerton.errors import OptionError
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.columns import build_columns, rank
from kammerton.instruments.error_analysis import RELATIONS, relation
from kammerton.instruments.kernels import applicable, statistics_of_files, survey
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.protocols import PROTOCOLS
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.measure import Measure, find
from kammerton.model.task import Case
from kammerton.model.views import Branch, Cell, CellState, Column, ItemView, Ranked, Table, Track

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
_MOST_NAMED = 6
"""Labels of a kind of error that are named in a sentence."""

Lists = Mapping[str, InstrumentList | str]
"""What systems list, or why there is nothing."""


def view_item(
    item: str,
    annotator: str,
    references: Mapping[str, InstrumentList],
    estimates: Lists,
    measure: str | None = None,
    options: InstrumentOptions | None = None,
) -> ItemView:
    """Lay out one recording.

    Examples
    --------
    >>> reference, estimate = InstrumentList(("piano", "voice")), InstrumentList(("voice",), ranked=True)
    >>> view = view_item("song", "me", {"me": reference}, {"mine": estimate})
    >>> [(branch.label, [cell.text for cell in branch.cells]) for branch in view.outline]
    [('piano', ['+', 'missed']), ('voice', ['+', '1'])]
    """
    options = options or InstrumentOptions()
    chosen, reference = _choose(measure or DEFAULT_MEASURE), references[annotator]
    listed = {name: labels for name, labels in estimates.items() if not isinstance(labels, str)}
    by_annotator = {name: _Side.of_reference(labels, options) for name, labels in references.items()}
    truth, annotators = by_annotator[annotator], list(by_annotator.values())
    systems = {name: _Side.of_estimate(reference, labels, options) for name, labels in listed.items()}
    verdicts = {name: _Verdict(truth, side, options.tree) for name, side in systems.items()}
    outline = _outline((*annotators, *systems.values()), options.tree)
    end = _DOCUMENTS if reference.query else len(outline)
    branches = tuple(
        Branch(depth, label, _cells(label, annotators, estimates, verdicts)) for depth, label in outline[:end]
    )
    notes = [f"judged by {annotator}"] if len(references) > 1 else []
    notes += _why_not(chosen, reference, list(listed.values()), options)
    notes += [f"{len(outline) - end:,} more documents are not shown"] if outline[end:] else []
    return ItemView(
        item=item,
        measure=str(chosen),
        end=0.0,
        tracks=tuple(starmap(_track, (*references.items(), *estimates.items()))),
        tables=(
            *(table for name, verdict in verdicts.items() for table in verdict.table(name)),
            _scores(reference, estimates, chosen, options),
        ),
        notes=tuple(notes),
        outline=branches,
        references=len(references),
        legend=_LEGEND,
        ranked=_ranked(annotators, estimates, verdicts),
        signs=_signs(branches),
        reasons={name: (why,) for name, verdict in verdicts.items() if (why := verdict.reason())},
    )


def _track(name: str, labels: InstrumentList | str) -> Track:
    return Track(name, (), note=labels if isinstance(labels, str) else "")


def _why_not(
    chosen: Measure, reference: InstrumentList, listed: Sequence[InstrumentList], options: InstrumentOptions
) -> list[str]:
    """Return why a measure has no score, if it has none."""
    possible, reasons = applicable(survey([reference], listed, options), [chosen], options)
    return [] if possible else [reason.message for reason in reasons]


def _ranked(
    annotators: Sequence[_Side], estimates: Lists, verdicts: Mapping[str, _Verdict]
) -> tuple[tuple[Ranked, ...], ...]:
    return (
        *(tuple(map(Ranked, list(side.ranks)[:_DOCUMENTS])) for side in annotators),
        *(verdicts[name].ranked(_DOCUMENTS) if name in verdicts else () for name in estimates),
    )


def _choose(address: str) -> Measure:
    measures = [measure for protocol in PROTOCOLS for measure in protocol.measures]
    chosen = find(address, measures)
    if chosen.aggregate == "gathered":
        of_files = ", ".join(str(measure) for measure in measures if measure.aggregate != "gathered")
        raise OptionError(f"{chosen} has no score of a single item", f"these have: {of_files}")
    return chosen


# --- the outline -----------------------------------------------------------------------------


def _outline(sides: Iterable[_Side], tree: Taxonomy | None) -> list[tuple[int, str]]:
    """Return the labels of all sides with their depths: below their families, or as they are listed."""
    labels = dict.fromkeys(label for side in sides for label in side.ranks)
    if tree is None:
        return [(0, label) for label in labels]
    used = _extended([label for label in labels if label in tree.index], tree)
    branches: list[tuple[int, str]] = []
    seen: set[str] = set()

    def descend(label: str, depth: int) -> None:
        branches.append((depth, label))
        if label not in seen:  # a label with two parents has those below it drawn once
            seen.add(label)
            for child in tree.children(label):
                if child in used:
                    descend(child, depth + 1)

    for label, parents in zip(tree.nodes, tree.parents, strict=True):
        if label in used and not any(tree.nodes[parent] in used for parent in parents):
            descend(label, 0)
    return branches + [(0, label) for label in labels if label not in tree.index]


def _cells(
    label: str, annotators: Sequence[_Side], estimates: Lists, verdicts: Mapping[str, _Verdict]
) -> tuple[Cell, ...]:
    return (
        *(Cell(side.text(label)) for side in annotators),
        *(verdicts[name].cell(label) if name in verdicts else Cell("", None) for name in estimates),
    )


def _signs(branches: Sequence[Branch]) -> dict[str, str]:
    """Return what the texts of cells mean, of those that occur; one place in a list stands for all."""
    texts = dict.fromkeys(cell.text for branch in branches for cell in branch.cells)
    placed = [text for text in texts if text[:1].isdecimal()]
    scored = [text for text in placed if " " in text]
    places = {(scored or placed)[0]: "place in a list" + (" and score" if scored else "")} if placed else {}
    return {**{sign: meaning for sign, meaning in _SIGNS.items() if sign in texts}, **places}


# --- the scores ------------------------------------------------------------------------------


def _scores(
    reference: InstrumentList, estimates: Lists, chosen: Measure, options: InstrumentOptions
) -> Table:
    """List the measures of single files, a column per system."""
    listed = [labels for labels in estimates.values() if not isinstance(labels, str)]
    measures = [
        measure
        for protocol in PROTOCOLS
        for measure in protocol.measures
        if measure == chosen or (measure.headline and measure.aggregate == "mean")
    ]
    possible, _ = applicable(survey([reference], listed, options), measures, options)
    columns = build_columns([Case((reference,), labels) for labels in listed], options)
    statistics = statistics_of_files(columns, possible, options)
    rows = []
    for measure in possible:
        values = iter(measure.formula.finalise(statistics[measure]).tolist())
        cells = ["-" if isinstance(labels, str) else _known(next(values)) for labels in estimates.values()]
        rows.append((str(measure), *cells))
    heads = (Column("measure"), *(Column(name, "score") for name in estimates))
    return Table("scores, per cent", heads, tuple(rows))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


# --- one side, and the verdict on an estimate --------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Side:
    """The labels of one side, as they are compared."""

    ranks: Mapping[str, int]  # place of each listed label
    extended: frozenset[str]  # the labels with all their ancestors
    scores: Mapping[str, float] = field(default_factory=dict)
    ranked: bool = False
    absent: frozenset[str] = frozenset()
    closed: bool = True
    query: bool = False

    @classmethod
    def of_reference(cls, reference: InstrumentList, options: InstrumentOptions) -> _Side:
        """Return what an annotator has."""
        columns = build_columns([Case((reference,), InstrumentList(()))], options)
        labels = [columns.labels[code] for code in columns.truth.codes.tolist()]
        return cls(
            dict.fromkeys(labels, 0),
            _extended(labels, options.tree),
            absent=frozenset(columns.labels[code] for code in columns.absent.codes.tolist()),
            closed=reference.closed or options.assume_absent,
            query=reference.query,
        )

    @classmethod
    def of_estimate(
        cls, reference: InstrumentList, estimate: InstrumentList, options: InstrumentOptions
    ) -> _Side:
        """Return what a system lists, after thresholds."""
        columns = build_columns([Case((reference,), estimate)], options)
        lists = columns.predictions
        order = rank(lists, "given").order
        labels = [columns.labels[code] for code in lists.codes[order].tolist()]
        scores = {}
        if len(lists.strengths) and len(estimate.scores):
            scores = dict(zip(labels, lists.strengths[order].tolist(), strict=True))
        return cls(
            {label: place for place, label in enumerate(labels, 1)},
            _extended(labels, options.tree),
            scores=scores,
            ranked=estimate.ranked or estimate.vector,
            query=estimate.query,
        )

    def text(self, label: str) -> str:
        """Return what is drawn for a label."""
        if label in self.ranks:
            place = str(self.ranks[label]) if self.ranked else "+"
            return f"{place} ({self.scores[label]:.2f})" if label in self.scores else place
        if label in self.absent:
            return "-"
        return "(+)" if label in self.extended else "" if self.closed else "?"


def _extended(labels: Sequence[str], tree: Taxonomy | None) -> frozenset[str]:
    """Return labels with all their ancestors."""
    if tree is None:
        return frozenset(labels)
    above = (tree.ancestors(label) for label in labels if label in tree.index)
    return frozenset(labels).union(*above)


class _Verdict:
    """What is wrong with an estimate."""

    def __init__(self, reference: _Side, estimate: _Side, tree: Taxonomy | None) -> None:
        self._reference, self._estimate, self._tree = reference, estimate, tree
        self._missed = [label for label in reference.ranks if label not in estimate.ranks]
        self._spurious = [
            label for label in estimate.ranks if label not in reference.ranks and self._is_judged(label)
        ]

    def _is_judged(self, label: str) -> bool:
        return self._reference.closed or label in self._reference.absent or label in self._reference.ranks

    def cell(self, label: str) -> Cell:
        """Return what is drawn for a label, and how it was judged."""
        reference, estimate = self._reference, self._estimate
        listed, annotated = label in estimate.ranks, label in reference.ranks
        text = estimate.text(label)
        if listed and not annotated:
            return Cell(text, self._state(label, reference) if self._is_judged(label) else "excluded")
        if annotated and not listed:
            return Cell(text or "missed", self._state(label, estimate))
        if listed or (label in estimate.extended) == (label in reference.extended):
            return Cell(text)
        return Cell(text or "(missed)", "wrong")

    def _state(self, label: str, other: _Side) -> CellState:
        """Return whether the other side has something of the same family."""
        above = self._tree.ancestors(label) if self._tree is not None and label in self._tree.index else ()
        return "wrong" if other.extended.isdisjoint((label, *above)) else "partly"

    def ranked(self, most: int) -> tuple[Ranked, ...]:
        """Return what the estimate lists, the best first, and how each label was judged."""
        scores = self._estimate.scores
        return tuple(
            Ranked(label, scores.get(label), self.cell(label).state)
            for label in list(self._estimate.ranks)[:most]
        )

    def table(self, name: str) -> Iterator[Table]:
        """List the errors of an estimate; on a taxonomy, each with the nearest label meant instead."""
        rows = [
            *(("missed", label, *self._nearest(label, self._spurious)) for label in self._missed),
            *(("spurious", label, *self._nearest(label, self._missed)) for label in self._spurious),
        ]
        if rows and not self._reference.query:
            heads = ("error", "label", "instead", "which is")[: len(rows[0])]
            yield Table(f"errors of {name}", tuple(map(Column, heads)), tuple(rows))

    def _nearest(self, label: str, others: Sequence[str]) -> tuple[str, ...]:
        if self._tree is None:  # each other label is as far away
            return ()
        if not others:
            return "nothing", ""
        kinds = [RELATIONS.index(relation(self._tree, label, other)) for other in others]
        nearest = min(kinds)
        return others[kinds.index(nearest)], RELATIONS[nearest]

    def reason(self) -> str:
        """Return which labels were missed, and which are spurious; nothing if none is either."""
        if self._reference.query:
            return ""
        return "; ".join(
            f"{kind} {', '.join(labels[:_MOST_NAMED])}"
            + (f" and {len(labels) - _MOST_NAMED} more" if labels[_MOST_NAMED:] else "")
            for kind, labels in (("missed", self._missed), ("spurious", self._spurious))
            if labels
        )
