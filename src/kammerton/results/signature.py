# SPDX-License-Identifier: MIT
"""What a score comes from, and the signature that says it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Container, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from kammerton.model.corpus import ALL, Corpus
from kammerton.model.evidence import Evidence
from kammerton.model.measure import Measure, Needs
from kammerton.model.task import Task
from kammerton.scoring.context import ContextEvidence
from kammerton.version import __version__

if TYPE_CHECKING:
    from kammerton.results.scores import Scores

__all__ = [
    "BootstrapSettings",
    "Grouping",
    "Interval",
    "Origin",
    "Resample",
    "data_hash",
    "signature",
]


def data_hash(fingerprints: Mapping[tuple[str, str], bytes]) -> str:
    """Return six hexadecimal digits that tell apart sets of references."""
    whole = hashlib.sha256()
    for item, digest in sorted((item, digest) for (_, item), digest in fingerprints.items()):
        whole.update(item.encode("utf-8", "surrogateescape") + b"\0" + digest)
    return whole.hexdigest()[:6]


def signature(
    measure: Measure,
    *,
    revision: int,
    missing: str,
    items: int,
    scored: int | None = None,
    data: str,
    choices: Mapping[str, str],
    drawing: Mapping[str, str] | None = None,
) -> str:
    """Return e.g. ``mirex2013/MajMin|rev:1|missing:worst|items:217|data:9f3c2a|kammerton:0.1.0``."""
    fields = {
        "rev": str(revision),
        "missing": missing,
        **choices,
        "items": str(items) if scored in (None, items) else f"{scored}/{items}",
        "data": data,
        **(drawing or {}),
        "kammerton": __version__,
    }
    return "|".join((str(measure), *(f"{key}:{value}" for key, value in fields.items())))


Interval = tuple[float, float]
"""Low and high end, NaN where undefined."""
Resample = Callable[["Scores"], Mapping[Any, Interval]]
"""Returns the interval of each figure by system, annotator, measure and aggregate."""


@dataclass(frozen=True, slots=True)
class BootstrapSettings:
    """What is known of the intervals of scores before they are made."""

    level: float | None = None  # level of the intervals; None if there are to be none
    resample: Resample | None = None  # makes them
    signed: Mapping[str, str] = field(default_factory=dict)  # what signatures say of it
    # arguments from which the same intervals are made again
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Groups of items, such as genres."""

    by: str  # what groups are, such as ``"genre"``
    of: Mapping[str, str]  # group of each item that has one; items without are a group of their own
    divide: Callable[[Scores], Any]  # makes of scores, with this grouping, what ``Scores.groups`` is


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Origin:
    """Everything that scores are made from."""

    task: Task
    evidence: Evidence
    missing: str  # policy for missing estimates
    options: object  # the task's options
    choices: Mapping[str, str]  # options that differ from their defaults, as signatures have them
    drawing: BootstrapSettings = field(default_factory=BootstrapSettings)  # how intervals are made
    # what was scored, from which items can be laid out; None if only figures are left of it
    corpus: Corpus | None = None
    context_evidence: ContextEvidence | None = None  # what systems stand between, if it was asked for
    grouping: Grouping | None = None  # what items belong to, if figures of groups were asked for

    @property
    def roots(self) -> tuple[str, ...]:
        """What messages call the folders that were scored."""
        if self.corpus is None:
            return ()
        return tuple(each.origin for each in (*self.corpus.references, *self.corpus.systems) if each.origin)

    @property
    def told(self) -> dict[str, str]:
        """What was chosen that decides figures: the policy for missing estimates, and other choices."""
        return {"missing": self.missing, **self.choices}

    def signatures(
        self, annotator: str, items: Container[str] | None = None, systems: Collection[str] = ()
    ) -> dict[Measure, str]:
        """Return the signature of each measure."""
        used = {
            (who, item): digest
            for (who, item), digest in self.evidence.fingerprints.items()
            if annotator in (ALL, who) and (items is None or item in items)
        }
        whole = _items_and_hash(used)
        scored = {needs: self._scored(used, needs, systems) for needs in self.evidence.rows}
        told = {
            needs: whole if chosen is used else _items_and_hash(chosen) for needs, chosen in scored.items()
        }
        return {
            measure: signature(
                measure,
                revision=self.task.revision(measure),
                missing=self.missing,
                items=whole[0],
                scored=told[measure.needs][0],
                data=told[measure.needs][1],
                choices=self.choices,
                drawing=self.drawing.signed,
            )
            for measure in self.evidence.measures
        }

    def _scored(
        self, used: Mapping[tuple[str, str], bytes], needs: Needs, systems: Collection[str]
    ) -> Mapping[tuple[str, str], bytes]:
        """Return the references that count for all of some systems."""
        if self.missing != "skip" or not systems:
            return used
        rows = self.evidence.rows[needs]
        skipped = ~rows.in_state(lambda state: state.counts) & rows.of_groups(lambda name, _: name in systems)
        lost = {(row.annotator, row.item) for row in rows.take(np.flatnonzero(skipped))}
        return {
            (who, item): digest
            for (who, item), digest in used.items()
            if (who, item) not in lost and (ALL, item) not in lost
        }


def _items_and_hash(references: Mapping[tuple[str, str], bytes]) -> tuple[int, str]:
    """Return the number of items of references, and the hash of these."""
    return len({item for _, item in references}), data_hash(references)
