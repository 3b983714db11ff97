# SPDX-License-Identifier: MIT
"""The annotations that a task is tried on."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kammerton.errors import OptionError
from kammerton.model.measure import Measure
from kammerton.model.task import Case, Task

__all__ = ["Specimens", "gather"]


@dataclass(frozen=True, slots=True, eq=False)
class Specimens:
    """A task, and what it is tried on.

    Parameters
    ----------
    task : Task
        What is tried.
    options : object
        Its options.
    annotations : tuple
        Annotations, each different from the others.
    files : tuple of Path
        Those files among the samples.
    """

    task: Task
    options: Any
    annotations: tuple[Any, ...]
    files: tuple[Path, ...]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that have figures for the annotations."""
        if self.task.applicable is None or self.task.survey is None:
            return self.task.measures
        counts = self.task.survey(self.annotations, self.annotations, self.options)
        return self.task.applicable(counts, self.task.measures, self.options)[0]

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Give every two annotations that belong together, reference first; each with itself, too."""
        for reference in self.annotations:
            for other in self.annotations:
                matched = self.matched(reference, other)
                if matched is not None:
                    yield reference, matched

    def matched(self, reference: Any, other: Any) -> Any | None:
        """Return another annotation on what the reference is made of, or None if it does not belong to it."""
        if self.task.match is None or other is reference:
            return other
        return self.task.match(reference, other, self.options)[0]

    def cases(self, needs: str) -> list[Case[Any]]:
        """Return cases of what measures need: of all pairs, and of estimates that say nothing."""
        pairs = [*self.pairs(), *((each, self.task.blank(each)) for each in self.annotations)]
        if needs == "pair":
            return [Case((reference,), estimate) for reference, estimate in pairs]
        if needs == "estimate":
            return [Case((), estimate) for _, estimate in pairs]
        if needs == "annotators":
            return [Case((reference,), None) for reference in self.annotations]
        return [
            Case((reference, other), estimate)
            for reference, estimate in pairs
            for other in self._beside(reference)
        ]

    def _beside(self, reference: Any) -> list[Any]:
        """Return a second annotator of an item."""
        found = (self.matched(reference, other) for other in self.annotations if other is not reference)
        return [next((other for other in found if other is not None), reference)]


def gather(task: Task, samples: Sequence[Any], options: Any | None) -> Specimens:
    """Read those samples that are files.

    Raises
    ------
    OptionError
        If one of them cannot be read, or there are fewer than two annotations.
    """
    chosen = task.options() if options is None else options
    annotations: list[Any] = []
    files = []
    for sample in samples:
        if not isinstance(sample, str | os.PathLike):
            annotations.append(sample)
            continue
        path = Path(sample)
        reading = task.read(path, os.fspath(path), chosen)
        if not reading.annotations:
            raise OptionError(f"sample {os.fspath(path)} cannot be read", reading.diagnostics[0].concise())
        annotations += [annotation for _, annotation in reading.annotations]
        files.append(path)
    if len(annotations) < 2:
        raise OptionError("two samples are needed at least, of different content")
    return Specimens(task, chosen, tuple(annotations), tuple(files))
