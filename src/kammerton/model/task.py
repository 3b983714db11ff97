# SPDX-License-Identifier: MIT
"""A task: what a kind of annotation needs to bring so that everything else works on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic
from kammerton.model.measure import Measure, Statistics
from kammerton.model.protocol import Protocol

__all__ = ["ClassTable", "Evaluation", "Pair", "Reading", "Task"]

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Reading(Generic[A]):
    """What a source held: one annotation per annotator, and what was wrong with it.

    ``annotations`` is empty if an error kept the source from being used.
    """

    annotations: tuple[tuple[str | None, A], ...]
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair(Generic[A]):
    """One reference, one estimate, and the group whose class tables they count in."""

    ref: A
    est: A
    group: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class ClassTable:
    """Weights by classes: a confusion matrix, the time left out by label, ...

    Parameters
    ----------
    name : str
        What it counts, e.g. ``"confusion"``.
    columns : tuple of str
        Names of the classes.
    unit : str
        Unit of the weights.
    groups : ndarray of int64, shape (rows,)
        Group of pairs that a row was summed over.
    classes : list of tuple
        Classes of each row: strings, numbers or None.
    weights : ndarray of float64, shape (rows,)
    """

    name: str
    columns: tuple[str, ...]
    unit: str
    groups: NDArray[np.int64]
    classes: list[tuple[str | int | None, ...]]
    weights: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the kernels of a task return for a list of pairs.

    Parameters
    ----------
    statistics : mapping of Measure to ndarray, shape (pairs, statistics)
    tables : tuple of ClassTable
    notes : tuple of (group, Diagnostic)
        What a reader of the figures must know, per group of pairs.
    """

    statistics: Mapping[Measure, Statistics]
    tables: tuple[ClassTable, ...] = ()
    notes: tuple[tuple[int, Diagnostic], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A kind of annotation. The built-in tasks and those of third parties use the same record.

    Parameters
    ----------
    name, summary : str
        Name on the command line; one sentence.
    protocols : tuple of Protocol
        In the order of output.
    suffixes : frozenset of str
        Suffixes of the files it reads, lower-case, with the dot.
    options : type
        Frozen dataclass of reading options; ``options()`` are the defaults.
    read : callable
        ``read(path, name, options)`` reads a file.
    adopt : callable
        ``adopt(value, name, options)`` takes an object of the caller's.
    blank : callable
        ``blank(reference)`` returns the estimate that says nothing.
    content : callable
        ``content(annotation)`` returns bytes that are equal for equal annotations.
    extent : callable
        ``extent(annotation)`` returns how far it reaches, in ``extent_unit``.
    evaluate : callable
        ``evaluate(pairs, measures)`` runs the kernels.
    extent_unit : str
        Unit of the extent.
    """

    name: str
    summary: str
    protocols: tuple[Protocol, ...]
    suffixes: frozenset[str]
    options: type[Any]
    read: Callable[[Any, str, Any], Reading[Any]]
    adopt: Callable[[object, str, Any], Reading[Any]]
    blank: Callable[[Any], Any]
    content: Callable[[Any], bytes]
    extent: Callable[[Any], float]
    evaluate: Callable[[Sequence[Pair[Any]], Sequence[Measure]], Evaluation]
    extent_unit: str = "s"

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Every measure of every protocol, in the order of output."""
        return tuple(measure for protocol in self.protocols for measure in protocol.measures)

    def revision(self, measure: Measure) -> int:
        """Return the revision of the measure's protocol."""
        return next(p.revision for p in self.protocols if p.name == measure.protocol)
