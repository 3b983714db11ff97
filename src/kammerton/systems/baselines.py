# SPDX-License-Identifier: MIT
"""Baselines as systems: the trivial answers that ``--context`` scores, which can be written to files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from kammerton.errors import OptionError, quote
from kammerton.model.task import Task
from kammerton.systems.system import Input, System, SystemCard

PREFIX = "baseline:"
BASELINES: Mapping[str, Mapping[str, str]] = {
    "chords": {
        "all-N": "No chord at all, N from the first start to the last end of the annotations.",
        "commonest-triad": "The major or minor triad that lasts longest in all songs, throughout.",
        "best-triad-of-each-song": "The major or minor triad that lasts longest in the song, throughout.",
    },
    "fingering": {
        "always-3": "The third finger on every note, in the hand that plays it.",
        "random": "A random finger on every note, the same for a piece of the same name.",
    },
    "instruments": {
        "commonest": "The commonest instruments, as many as recordings have on average.",
        "everything": "Every instrument that any recording has, the commonest first.",
    },
}
"""What each baseline of the built-in tasks is, by its name."""


def baseline(task: Task, name: str) -> System:
    """Return the baseline of a task; of a third party's task, any name that it gives one."""
    known = BASELINES.get(task.name)
    if task.baselines is None:
        raise OptionError(f"{task.name} has no baselines")
    if known is not None and name not in known:
        raise OptionError.unknown("baseline", name, known)
    summary = f"A baseline of {task.name}." if known is None else known[name]
    return System(
        name=f"{PREFIX}{name}",
        task=task.name,
        takes=frozenset(("annotations",)),
        card=SystemCard(
            summary=summary,
            source="kammerton",
            licence="MIT",
            trained_on="the annotations that it is given, which are the references of a test",
            limits="It hears nothing: a system that is not better has learned nothing.",
        ),
        prepare=partial(_answers, task, name),
        annotate=_answer,
    )


def _answers(task: Task, name: str, inputs: Mapping[str, Input], _: Any, __: Any) -> Mapping[str, Any]:
    """Return the baseline of every item; a number in its name depends on the items."""
    assert task.baselines is not None, "which is checked before"
    annotations = {item: list(source.annotations.values()) for item, source in inputs.items()}
    answers = {key.replace(" ", "-"): of_items for key, of_items in task.baselines(annotations).items()}
    for key, of_items in answers.items():
        if key == name or key.endswith(f"-{name}"):
            return of_items
    raise OptionError(f"there is no baseline {quote(name)} of these items", f"known: {', '.join(answers)}")


def _answer(source: Input, answers: Mapping[str, Any], _: Any) -> Any:
    return answers[source.item]
