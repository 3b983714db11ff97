# SPDX-License-Identifier: MIT
"""Which tasks there are: those built in, and those that other packages declare.

A task is imported only when it is asked for. A package adds one by an entry point of the group
``kammerton.tasks``, whose name is that of the task and whose value is its :class:`Task` record::

    [project.entry-points."kammerton.tasks"]
    keys = "song_keys:TASK"
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from kammerton.errors import KammertonError, OptionError, TaskError, quote

if TYPE_CHECKING:  # names and summaries are for help pages, which do without arrays
    from importlib.metadata import EntryPoint

    from kammerton.model.task import Task

TASKS = {
    "chords": "Chord symbols over time",
    "fingering": "Piano fingering",
    "instruments": "Instruments of recordings",
}
"""Summary of each built-in task by its name, which is also that of its package."""

_GROUP = "kammerton.tasks"


def find_task(task: str | Task) -> Task:
    """Return the task called so, built in or of another package; a :class:`Task` record is taken as it is.

    Raises
    ------
    OptionError
        If there is no such task, two packages have one of this name, its package cannot be imported, or a
        record has the name of a built-in task.
    """
    if isinstance(task, str):
        if task in TASKS:
            built_in: Task = import_module(f"kammerton.{task}").TASK
            return built_in
        return _load(task, _declared())
    from kammerton.model.task import Task  # noqa: PLC0415 - help pages do without arrays

    if not isinstance(task, Task):
        raise OptionError.of_type("task", task, "a name or a Task")
    if task.name in TASKS and task is not find_task(task.name):
        message = f"the task {quote(task.name)} is built in, and another record has its name"
        raise OptionError(message, "call the task of your own otherwise: scores and runs name it")
    return task


def known_tasks() -> dict[str, str]:
    """Return the summary of each task by its name; of a third party's, the packages that declare it."""
    tasks = dict(TASKS)
    for name, entries in _declared().items():
        packages = " and ".join(map(_package, entries))
        if name in TASKS:
            tasks[name] += f" (built in; the task of this name from the package {packages} is not used)"
        else:
            clash = "; it cannot be used before one of them is uninstalled" if len(entries) > 1 else ""
            tasks[name] = f"From the package {packages}{clash}"
    return tasks


def _declared() -> dict[str, list[EntryPoint]]:
    """Return the entry points of each task that packages declare, one of each package."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - 30 ms, for third parties alone

    declared: dict[str, dict[str, EntryPoint]] = {}
    for entry in sorted(entry_points(group=_GROUP), key=lambda entry: (entry.name, _package(entry))):
        declared.setdefault(entry.name, {})[_package(entry)] = entry
    return {name: list(by_package.values()) for name, by_package in declared.items()}


def _load(name: str, declared: dict[str, list[EntryPoint]]) -> Task:
    """Import a third party's task; whatever its package raises is a message, not a traceback."""
    from kammerton.model.task import Task  # noqa: PLC0415 - help pages do without arrays

    if name not in declared:
        raise OptionError.unknown("task", name, (*TASKS, *declared))
    entry, *others = declared[name]
    if others:
        raise OptionError(
            f"the package {_package(others[0])} declares the task {quote(name)}, as the package "
            f"{_package(entry)} does",
            f"uninstall one of them, or ask its authors for another name: `pip uninstall {_name(others[0])}`",
        )
    try:
        task = entry.load()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise _broken(entry, f"cannot be imported: {reason}") from error
    if not isinstance(task, Task):
        raise _broken(entry, f"is of the type {type(task).__name__}, not Task")
    if task.name != name:
        raise _broken(entry, f"calls itself {quote(task.name)}")
    return task


def failure_of(task: Task, step: str, item: str, error: Exception) -> TaskError | None:
    """Return the error that names a third party's task which raised an exception, and the item.

    None of a built-in task, whose exceptions are faults of ours, and of exceptions that say all there is.
    """
    if task.name in TASKS or isinstance(error, KammertonError | MemoryError):
        return None
    entries = [entry for entry in _declared().get(task.name, ()) if _package(entry) != "?"]
    owner = f" of the package {_package(entries[0])} ({entries[0].value})" if entries else ""
    reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return TaskError(f"the task {quote(task.name)}{owner} failed: `{step}` of {quote(item)}: {reason}")


def _broken(entry: EntryPoint, what: str) -> OptionError:
    return OptionError(
        f"the task {quote(entry.name)} of the package {_package(entry)} ({entry.value}) {what}",
        "report it to the authors of that package; `kammerton.testing.check_task` finds such faults",
    )


def _name(entry: EntryPoint) -> str:
    return "?" if entry.dist is None else entry.dist.name


def _package(entry: EntryPoint) -> str:
    return "?" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
