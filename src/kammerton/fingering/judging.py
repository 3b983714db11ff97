# SPDX-License-Identifier: MIT
"""Which notes of one estimate a measure takes for right, and what it would have had instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kammerton.core.intervals import Codes, Flags
from kammerton.errors import OptionError
from kammerton.fingering.annotation import LEFT, RIGHT, Fingering
from kammerton.fingering.columns import build_columns
from kammerton.fingering.match_rates import Matches
from kammerton.fingering.options import FingeringOptions
from kammerton.fingering.pieces import Comparison
from kammerton.fingering.protocols import PROTOCOLS, nakamura2020, pianovam
from kammerton.model.measure import Measure
from kammerton.model.protocol import find
from kammerton.model.task import Case

__all__ = ["Judge", "Verdict", "choose_judge"]

Against = Literal["one", "first", "hand", "piece", "any"]
"""Whom a note must match: the annotator chosen, the first one, the closest one of the hand or of the
piece, or any."""

_AGAINST: Mapping[str, Against] = {
    "strike/accuracy": "one",
    "strike/M_high": "hand",
    "strike/M_high_piece": "piece",
    "strike/M_soft": "any",
    "nakamura2020/M_high": "hand",
    "nakamura2020/M_high_piece": "piece",
    "nakamura2020/M_soft": "any",
    "pianovam/Accuracy": "first",
    "pianovam/M_high": "any",
}


_WHOM: Mapping[Against, str] = {
    "hand": "the closest annotator of each hand",
    "piece": "the closest annotator",
    "any": "all annotators",
}


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What a measure says of each note of an estimate.

    Parameters
    ----------
    scored : ndarray of bool, shape (notes,)
        Whether the note counts.
    right : ndarray of bool, shape (notes,)
        Whether it is right.
    shared : ndarray of bool, shape (notes,)
        Whether any annotator has the finger.
    wanted : tuple of tuple of str
        Labels of each note that would have been right.
    """

    scored: Flags
    right: Flags
    shared: Flags
    wanted: tuple[tuple[str, ...], ...]

    @property
    def wrong(self) -> Flags:
        """Whether a note counts and is not right."""
        return self.scored & ~self.right


@dataclass(frozen=True, slots=True)
class Judge:
    """A measure that can say note by note what is right.

    Parameters
    ----------
    measure : Measure
        The measure.
    comparison : str
        When two labels match.
    annotator : str
        The annotator chosen.
    """

    measure: Measure
    comparison: Comparison
    annotator: str

    @property
    def against(self) -> Against:
        """Whom a note must match."""
        return _AGAINST[str(self.measure)]

    def whom(self, references: Mapping[str, Fingering], called: str = "{}") -> str:
        """Return in words whom a note must match; ``called`` says what a single annotator is called."""
        names = list(references)
        if len(names) == 1 or self.against == "first":
            return called.format(names[0])
        return called.format(self.annotator) if self.against == "one" else _WHOM[self.against]

    def verdict(self, references: Mapping[str, Fingering], estimate: Fingering) -> Verdict:
        """Judge an estimate.

        Parameters
        ----------
        references : mapping of str to Fingering
            All annotations of the piece by annotator, on the same notes.
        estimate : Fingering
            On these notes too.
        """
        names = list(references)
        columns = build_columns([Case(tuple(references.values()), estimate)])
        (pieces,) = columns.pieces
        if self.measure.protocol == nakamura2020.PROTOCOL.name:
            (pieces,) = columns.complete
            names = [name for name in names if all(references[name].labels)] or names
        matches = Matches(pieces, columns.table, self.comparison)
        hits, labelled = matches.hits, pieces.refs != 0
        shared = np.asarray(hits.any(axis=0))
        labels = [references[name].labels for name in names]
        if self.against == "any":
            every = zip(*labels, strict=True)
            wanted = tuple(tuple(dict.fromkeys(filter(None, note))) for note in every)
            return Verdict(labelled.any(axis=0), shared, shared, wanted)
        chosen = self._chosen(names, matches.hands(), hits)
        notes = np.arange(len(chosen))
        alone = self.against in ("one", "first")
        return Verdict(
            labelled[chosen, notes] if alone else labelled.any(axis=0),
            hits[chosen, notes],
            shared,
            tuple((labels[row][note],) for note, row in enumerate(chosen.tolist())),
        )

    def _chosen(self, names: list[str], hands: Codes, hits: Flags) -> Codes:
        """Return the row of the annotator that each note is compared with."""
        if self.against in ("one", "first"):
            return np.full(len(hands), names.index(self.annotator) if self.against == "one" else 0)
        if self.against == "piece":
            return np.full(len(hands), hits.sum(axis=1).argmax())
        chosen = np.zeros(len(hands), dtype=np.int64)
        for hand in (RIGHT, LEFT):
            chosen[hands == hand] = hits[:, hands == hand].sum(axis=1).argmax()
        return chosen


def choose_judge(address: str, annotator: str, options: FingeringOptions) -> Judge:
    """Return the measure of this address as a judge.

    Raises
    ------
    OptionError
        If there is no such measure, or it does not say of a note whether it is right.
    """
    measure = find(address, [measure for protocol in PROTOCOLS for measure in protocol.measures])
    if str(measure) not in _AGAINST:
        raise OptionError(f"{measure} does not say when a note is right", f"these do: {', '.join(_AGAINST)}")
    comparison: Comparison = "strike"
    if measure.protocol != nakamura2020.PROTOCOL.name:
        comparison = "finger" if measure.protocol == pianovam.PROTOCOL.name else options.substitution
    return Judge(measure, comparison, annotator)
