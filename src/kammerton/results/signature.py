# SPDX-License-Identifier: MIT
"""The origin of scores, and the signature that names it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass, field

import numpy as np

from kammerton.model.corpus import ALL, Corpus
from kammerton.model.evidence import Evidence
from kammerton.model.measure import Measure, Needs
from kammerton.model.task import Task
from kammerton.scoring.candidates import CandidateEvidence
from kammerton.scoring.evaluating import ContextEvidence
from kammerton.statistics.resampling import BootstrapSettings
from kammerton.version import __version__


def data_hash(fingerprints: Mapping[tuple[str, str], bytes]) -> str:
    """Return six hexadecimal digits that are others for other references."""
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
    bootstrap: Mapping[str, str] | None = None,
) -> str:
    """Return e.g. ``mirex2013/MajMin|rev:2|missing:worst|items:217|data:9f3c2a|kammerton:0.1.0``."""
    fields = {
        "rev": str(revision),
        "missing": missing,
        **choices,
        "items": str(items) if scored in (None, items) else f"{scored}/{items}",
        "data": data,
        **(bootstrap or {}),
        "kammerton": __version__,
    }
    return "|".join((str(measure), *(f"{key}:{value}" for key, value in fields.items())))


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Groups of items, such as genres."""

    by: str  # what groups are, such as ``"genre"``
    of: Mapping[str, str]  # group of each item that has one; items without are a group of their own


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Origin:
    """Everything that scores are made from."""

    task: Task
    evidence: Evidence
    missing: str  # policy for missing estimates
    options: object  # the task's options
    choices: Mapping[str, str]  # options that differ from their defaults, as signatures have them
    bootstrap: BootstrapSettings | None = None  # how confidence intervals are made; None if there are none
    corpus: Corpus | None = None  # annotations that were scored; None if only their statistics are left
    context_evidence: ContextEvidence | None = None  # of baselines and annotators, if it was asked for
    grouping: Grouping | None = None  # if scores of groups were asked for
    # how a comparison of the scores makes their intervals, where these have none of their own
    compared_by: BootstrapSettings | None = None
    candidates: CandidateEvidence | None = None  # of systems with several estimates of an item
    made: Mapping[str, str] = field(default_factory=dict)  # how each system made its estimates, if known
    _signatures: dict[tuple[str, Container[str] | None, Collection[str]], dict[Measure, str]] = field(
        default_factory=dict, init=False, repr=False
    )

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders that were scored, as messages name them."""
        if self.corpus is None:
            return ()
        collections = (*self.corpus.references, *self.corpus.systems)
        return tuple(collection.origin for collection in collections if collection.origin)

    @property
    def all_choices(self) -> dict[str, str]:
        """All choices that scores depend on: the policy for missing estimates, and options."""
        return {"missing": self.missing, **self.choices}

    @property
    def clusters(self) -> Mapping[str, str] | None:
        """Cluster of each item, if clusters are resampled."""
        return None if self.bootstrap is None else self.bootstrap.clusters

    def signatures(
        self, annotator: str, items: frozenset[str] | None = None, systems: Collection[str] = ()
    ) -> dict[Measure, str]:
        """Return the signature of each measure for scores against an annotator, on all or some items.

        Which systems were scored matters if it is known how they made their estimates, and if items without
        an estimate are skipped: then an item counts if all these systems have it.
        """
        key = annotator, items, tuple(systems) if self.missing == "skip" or self.made else ()
        if key not in self._signatures:
            self._signatures[key] = self._signed(annotator, items, systems)
        return self._signatures[key]

    def _signed(
        self, annotator: str, items: Container[str] | None, systems: Collection[str]
    ) -> dict[Measure, str]:
        used = {
            (who, item): digest
            for (who, item), digest in self.evidence.fingerprints.items()
            if annotator in (ALL, who) and (items is None or item in items)
        }
        known = {name: self.made[name] for name in systems if name in self.made}
        made = {"made": ",".join(known.values() if len(systems) == 1 else map("=".join, known.items()))}
        made = made if known else {}
        every = _items_and_hash(used)
        intervals = self.bootstrap or self.compared_by
        scored: dict[Needs, tuple[int, str]] = {}
        for needs in self.evidence.rows:
            counting = self._scored(used, needs, systems)
            scored[needs] = every if counting is used else _items_and_hash(counting)
        return {
            measure: signature(
                measure,
                revision=self.task.revision(measure),
                missing=self.missing,
                items=every[0],
                scored=scored[measure.needs][0],
                data=scored[measure.needs][1],
                choices={**self.choices, **made},
                bootstrap=None if intervals is None else intervals.signed,
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
        of_systems = np.any([rows.of_system(name) for name in systems], axis=0)
        skipped = ~rows.counting & of_systems
        lost = {(row.annotator, row.item) for row in rows.take(np.flatnonzero(skipped))}
        return {
            (who, item): digest
            for (who, item), digest in used.items()
            if (who, item) not in lost and (ALL, item) not in lost
        }


def _items_and_hash(references: Mapping[tuple[str, str], bytes]) -> tuple[int, str]:
    """Return the number of items of references, and the hash of these."""
    return len({item for _, item in references}), data_hash(references)
