# SPDX-License-Identifier: MIT
"""What scores are made from, such as a run on disk keeps."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass, field

import numpy as np

from kammerton.model.corpus import ALL, Corpus
from kammerton.model.drawing import Drawing
from kammerton.model.evidence import Evidence
from kammerton.model.grouping import Grouping
from kammerton.model.measure import Measure, Needs
from kammerton.model.signature import data_hash, signature
from kammerton.model.surroundings import Surroundings
from kammerton.model.task import Task

__all__ = ["Origin"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Origin:
    """Everything that scores are made from.

    Parameters
    ----------
    task : Task
    evidence : Evidence
    missing : str
        Policy for missing estimates.
    options : object
        The task's options.
    choices : mapping of str to str
        Options that differ from their defaults, as signatures have them.
    drawing : Drawing
        How intervals are made.
    corpus : Corpus, optional
        What was scored, from which items can be laid out; None if only figures are left of it.
    surroundings : Surroundings, optional
        What systems stand between, if it was asked for.
    grouping : Grouping, optional
        What items belong to, if figures of groups were asked for.
    """

    task: Task
    evidence: Evidence
    missing: str
    options: object
    choices: Mapping[str, str]
    drawing: Drawing = field(default_factory=Drawing)
    corpus: Corpus | None = None
    surroundings: Surroundings | None = None
    grouping: Grouping | None = None

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
        """Return the signature of each measure.

        Parameters
        ----------
        annotator : str
            Against whom: one annotator, or ``"all"``.
        items : collection of str, optional
            Some of the items, if it is figures of these that are signed.
        systems : collection of str
            Whose figures are signed. Items that are skipped for any of them are not counted as scored.
        """
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
