# SPDX-License-Identifier: MIT
"""Whether a task keeps what everything else relies on."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

from kammerton.errors import plural
from kammerton.model.task import Task
from kammerton.testing.files import (
    faults_of_annotations,
    faults_of_conversion,
    faults_of_packing,
    faults_of_reading,
    faults_of_views,
)
from kammerton.testing.kernels import faults_of_kernels, faults_of_laws, faults_of_merging
from kammerton.testing.records import faults_of_options, faults_of_record
from kammerton.testing.specimens import Specimens, gather

__all__ = ["NonconformityError", "check_task", "find_faults"]


class NonconformityError(AssertionError):
    """A task does not keep what it must.

    Attributes
    ----------
    faults : tuple of str
        Everything that is wrong.
    """

    def __init__(self, name: str, faults: Sequence[str]) -> None:
        listed = "".join(f"\n- {fault}" for fault in faults)
        super().__init__(f"task {name!r} has {plural(len(faults), 'fault')}:{listed}")
        self.faults = tuple(faults)


def check_task(task: Task, *, samples: Sequence[Any], options: object | None = None) -> None:
    """Raise if a task does not keep what the rest of Kammerton relies on.

    Parameters
    ----------
    task : Task
        The record of the task.
    samples : sequence
        Annotations, or paths of files, of at least two different contents; some of them should belong
        together, so that one can be scored against the other. Conversion is tried on files alone.
    options : object, optional
        The task's options; by default its defaults.

    Raises
    ------
    NonconformityError
        An ``AssertionError`` that lists every fault.
    OptionError
        If a sample cannot be read, or there are fewer than two.

    See Also
    --------
    find_faults : The same as a list.

    Notes
    -----
    What is tried:

    - names, cards, ranges, directions, worst values, unique addresses; options described one by one;
    - statistics: as many as the formula names, finite, the same whatever else is computed, and such that
      the evidence of two halves of a corpus merges into that of the whole;
    - values within their range, of single items, of sums, of classes and of nothing; the worst worth what
      it says;
    - the declared laws ``identity`` and ``duplicate_annotator``;
    - ``content`` that tells the samples apart, ``adopt`` that keeps them, no sample changed;
    - ``read`` on garbage of every suffix: no exception, an error that names the file;
    - conversion and packing there and back, views that can be drawn, lint without errors;
    - pickling, by which workers get the task.

    Laws that need to know the music, such as transposition, are for the task's own tests.

    Examples
    --------
    In the tests of a task of your own::

        def test_the_task_conforms():
            check_task(TASK, samples=[*Path("tests/data").glob("*.txt")])

    >>> import numpy as np
    >>> from kammerton import chords
    >>> times = np.array([[0.0, 2.0], [2.0, 4.0]])
    >>> samples = [chords.ChordAnnotation(times, labels) for labels in (("C", "G:7"), ("C", "N"))]
    >>> check_task(chords.TASK, samples=samples)
    """
    faults = find_faults(task, samples=samples, options=options)
    if faults:
        raise NonconformityError(task.name, faults)


def find_faults(task: Task, *, samples: Sequence[Any], options: object | None = None) -> list[str]:
    """Return everything that :func:`check_task` would complain about, each once.

    Parameters
    ----------
    task, samples, options
        As for :func:`check_task`.
    """
    faults = [*faults_of_options(task.options), *faults_of_record(task)]
    if not faults:  # what follows needs a record that can be worked with
        specimens = gather(task, samples, options)
        before = [task.content(each) for each in specimens.annotations]
        faults += _faults_of_work(specimens)
        if [task.content(each) for each in specimens.annotations] != before:
            faults.append("the samples have been changed; annotations are never written to")
    return list(dict.fromkeys(faults))


def _faults_of_pickling(specimens: Specimens) -> Iterator[str]:
    """Give what keeps workers from getting the task."""
    try:
        pickle.loads(pickle.dumps(specimens.task))  # noqa: S301 - what was pickled a moment ago
    except Exception as error:  # pickle raises whatever it likes
        yield f"workers cannot get the task: lambdas and nested functions have no pickle: {error}"


def _faults_of_work(specimens: Specimens) -> Iterator[str]:
    for faults_of in (
        _faults_of_pickling,
        faults_of_annotations,
        faults_of_kernels,
        faults_of_laws,
        faults_of_merging,
        faults_of_reading,
        faults_of_conversion,
        faults_of_packing,
        faults_of_views,
    ):
        try:
            yield from faults_of(specimens)
        except Exception as error:  # a task that is not finished raises anything
            name = faults_of.__name__.removeprefix("_").removeprefix("faults_of_")
            yield f"trying its {name} raises {type(error).__name__}: {error}"
