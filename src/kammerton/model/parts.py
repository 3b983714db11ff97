# SPDX-License-Identifier: MIT
"""Scores of a part of a corpus: statistics, and what is needed to say something of the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kammerton.errors import Diagnostic
from kammerton.model.evaluating import Judged
from kammerton.model.loading import Roster
from kammerton.model.measure import Measure
from kammerton.model.suspicions import Suspicions
from kammerton.model.task import Task

__all__ = ["Facts", "Part", "Section", "applicable_measures"]

Section = tuple[str, str]
"""Where a diagnostic is said: while reading what, and whose."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What must be known of a whole corpus before a part of it can be scored; facts of parts add up.

    Parameters
    ----------
    rosters : tuple of Roster
        What each collection of references tells of its annotators.
    census : mapping of str to int
        What the task counts in annotations; see :attr:`.Task.survey`.
    """

    rosters: tuple[Roster, ...]
    census: Mapping[str, int] = field(default_factory=dict)

    def merged(self, other: Facts) -> Facts:
        """Return the facts of both parts."""
        names = {**self.census, **other.census}
        return Facts(
            tuple(one.merged(another) for one, another in zip(self.rosters, other.rosters, strict=True)),
            {name: self.census.get(name, 0) + other.census.get(name, 0) for name in names},
        )


@dataclass(frozen=True, slots=True)
class Grounds:
    """What of the whole a part was scored on; it holds as long as that of the whole is the same.

    Parameters
    ----------
    measures : tuple of Measure
        What was measured.
    crowded, several : tuple of bool
        Of the roster of each collection.
    names : tuple of frozenset of str
        Names of the annotators of collections with several, if items failed for all of them; else empty.
    named : bool
        Whether items did.
    """

    measures: tuple[Measure, ...]
    crowded: tuple[bool, ...]
    several: tuple[bool, ...]
    names: tuple[frozenset[str], ...]
    named: bool

    @classmethod
    def of(cls, measures: Sequence[Measure], facts: Facts, *, named: bool) -> Grounds:
        """Return what of these facts matters, with the names of annotators or without."""
        return cls(
            tuple(measures),
            tuple(roster.crowded for roster in facts.rosters),
            tuple(roster.several for roster in facts.rosters),
            tuple(roster.names for roster in facts.rosters if roster.several) if named else (),
            named,
        )

    def hold(self, measures: Sequence[Measure] | None, facts: Facts) -> bool:
        """Tell whether they are what matters of these facts, too; without measures, but for those."""
        return self == Grounds.of(self.measures if measures is None else measures, facts, named=self.named)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What was found in some items of a corpus.

    Parameters
    ----------
    items : tuple of str
        Those that the references have, sorted.
    facts : Facts
        Of these items alone.
    grounds : Grounds
        What the figures rest on.
    judged : Judged or None
        Rows and statistics; None if nothing was to be scored.
    fingerprints : mapping of (annotator, item) to bytes
        Digest of each reference.
    suspicions : Suspicions
    said : mapping of section to list of Diagnostic
        What was said, by where.
    paired : bool
        Whether an item has a reference and an estimate.
    ended : bool
        Whether something was found that is to end the run.
    """

    items: tuple[str, ...]
    facts: Facts
    grounds: Grounds
    judged: Judged | None
    fingerprints: Mapping[tuple[str, str], bytes]
    suspicions: Suspicions
    said: Mapping[Section, Sequence[Diagnostic]]
    paired: bool
    ended: bool


def applicable_measures(
    task: Task, census: Mapping[str, int], measures: Sequence[Measure], options: object
) -> tuple[tuple[Measure, ...], tuple[Diagnostic, ...]]:
    """Return the measures that have figures for annotations of such a census, and why others have none."""
    if task.applicable is None:
        return tuple(measures), ()
    return task.applicable(census, measures, options)
