# SPDX-License-Identifier: MIT
"""What scores are made from, such as a run on disk keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kammerton.model.corpus import Corpus
from kammerton.model.drawing import Drawing
from kammerton.model.evidence import Evidence
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
    """

    task: Task
    evidence: Evidence
    missing: str
    options: object
    choices: Mapping[str, str]
    drawing: Drawing = field(default_factory=Drawing)
    corpus: Corpus | None = None
    surroundings: Surroundings | None = None
