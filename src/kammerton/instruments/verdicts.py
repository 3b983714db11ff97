# SPDX-License-Identifier: MIT
"""What both sides say of each label of one recording, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kammerton.instruments.anatomy import RELATIONS, relation
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.lists import rank
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.shaping import build_columns
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.task import Case
from kammerton.model.views import Cell, CellState, Column, Ranked, Table

__all__ = ["Side", "Verdict", "extended"]

_NAMED = 6
"""Labels of a kind of error that are named in a sentence."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one side says of each label, as it is compared.

    ``ranks`` has a place for each listed label, ``scores`` its score where there is one; ``extended`` has
    the labels with all their ancestors.
    """

    ranks: Mapping[str, int]
    scores: Mapping[str, float]
    ranked: bool
    absent: frozenset[str]
    closed: bool
    extended: frozenset[str]
    query: bool

    @classmethod
    def of_reference(cls, annotation: InstrumentList, options: InstrumentOptions) -> Side:
        """Return what an annotator says."""
        columns = build_columns([Case((annotation,), InstrumentList(()))], options)
        labels = [columns.labels[code] for code in columns.truth.codes.tolist()]
        absent = frozenset(columns.labels[code] for code in columns.absent.codes.tolist())
        return cls(
            dict.fromkeys(labels, 0),
            {},
            ranked=False,
            absent=absent,
            closed=annotation.closed or options.assume_absent,
            extended=extended(labels, options.tree),
            query=annotation.query,
        )

    @classmethod
    def of_estimate(
        cls, reference: InstrumentList, estimate: InstrumentList, options: InstrumentOptions
    ) -> Side:
        """Return what a system lists, after thresholds."""
        columns = build_columns([Case((reference,), estimate)], options)
        said = columns.said
        order = rank(said, "given", said.codes.astype(float)).order.tolist()
        labels = [columns.labels[said.codes[entry]] for entry in order]
        scored = len(said.strengths) > 0 and len(estimate.scores) > 0
        return cls(
            {label: place for place, label in enumerate(labels, 1)},
            {label: float(said.strengths[entry]) for label, entry in zip(labels, order, strict=True)}
            if scored
            else {},
            ranked=estimate.ranked or estimate.vector,
            absent=frozenset(),
            closed=True,
            extended=extended(labels, options.tree),
            query=estimate.query,
        )

    def text(self, label: str) -> str:
        """Return what is drawn for a label."""
        if label in self.ranks:
            told = str(self.ranks[label]) if self.ranked else "+"
            return f"{told} ({self.scores[label]:.2f})" if label in self.scores else told
        if label in self.absent:
            return "-"
        return "(+)" if label in self.extended else "" if self.closed else "?"


def extended(labels: Sequence[str], tree: Taxonomy | None) -> frozenset[str]:
    """Return labels with all their ancestors."""
    if tree is None:
        return frozenset(labels)
    above = {each for label in labels if label in tree.index for each in tree.ancestors(label)}
    return frozenset((*labels, *above))


class Verdict:
    """What is wrong with an estimate."""

    def __init__(self, reference: Side, estimate: Side, tree: Taxonomy | None) -> None:
        self._reference, self._estimate, self._tree = reference, estimate, tree
        self.missed = [label for label in reference.ranks if label not in estimate.ranks]
        self.spurious = [
            label for label in estimate.ranks if label not in reference.ranks and self._judged(label)
        ]

    def _judged(self, label: str) -> bool:
        return self._reference.closed or label in self._reference.absent or label in self._reference.ranks

    def cell(self, label: str) -> Cell:
        """Return what is drawn for a label, and how it was judged."""
        reference, estimate = self._reference, self._estimate
        listed, annotated = label in estimate.ranks, label in reference.ranks
        text = estimate.text(label)
        if listed:
            if annotated:
                return Cell(text)
            return Cell(text, self._state(label, reference) if self._judged(label) else "excluded")
        if annotated:
            return Cell(text or "missed", self._state(label, estimate))
        if (label in estimate.extended) == (label in reference.extended):
            return Cell(text)
        return Cell(text or "(missed)", "wrong")

    def ranked(self, most: int) -> tuple[Ranked, ...]:
        """Return what the estimate lists, the best first, and how each label was judged."""
        listed = list(self._estimate.ranks)[:most]
        scores = self._estimate.scores
        return tuple(Ranked(label, scores.get(label), self.cell(label).state) for label in listed)

    def _state(self, label: str, other: Side) -> CellState:
        """Tell whether the other side has something of the same family."""
        above = self._tree.ancestors(label) if self._tree is not None and label in self._tree.index else ()
        return "wrong" if other.extended.isdisjoint((label, *above)) else "partly"

    def table(self, name: str) -> Iterator[Table]:
        """List the errors of an estimate; on a taxonomy, each with the nearest label meant instead."""
        rows = [
            *(("missed", label, *self._nearest(label, self.spurious)) for label in self.missed),
            *(("spurious", label, *self._nearest(label, self.missed)) for label in self.spurious),
        ]
        if rows and not self._reference.query:
            heads = ("error", "label", "instead", "which is")[: len(rows[0])]
            yield Table(f"errors of {name}", tuple(map(Column, heads)), tuple(rows))

    def reason(self) -> str:
        """Say which labels were missed, and which are spurious; nothing if none is either."""
        if self._reference.query:
            return ""
        told = (
            f"{kind} {', '.join(labels[:_NAMED])}"
            + (f" and {len(labels) - _NAMED} more" if labels[_NAMED:] else "")
            for kind, labels in (("missed", self.missed), ("spurious", self.spurious))
            if labels
        )
        return "; ".join(told)

    def _nearest(self, label: str, others: Sequence[str]) -> tuple[str, ...]:
        if self._tree is None:  # each other label is as far away
            return ()
        kinds = [(RELATIONS.index(relation(self._tree, label, other)), other) for other in others]
        if not kinds:
            return "nothing", ""
        kind, other = min(kinds, key=lambda each: each[0])
        return other, RELATIONS[kind]
