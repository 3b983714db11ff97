# SPDX-License-Identifier: MIT
"""Which tasks there are: those built in, and those that other packages declare.

A task is imported only when it is asked for. A package adds one by an entry point of the group
``kammerton.tasks``, whose name is that of the task and whose value is its :class:`Task` record::

    [project.entry-points."kammerton.tasks"]
    keys = "song_keys:TASK"
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Literal, TypeVar

from kammerton.errors import KammertonError, OptionError, TaskError, quote

if TYPE_CHECKING:  # names and summaries are for help pages, which do without arrays
    from collections.abc import Sequence
    from importlib.metadata import EntryPoint

    from kammerton.model.task import Task

TASKS = {
    "chords": "Chord symbols over time",
    "fingering": "Piano fingering",
    "instruments": "Instruments of recordings",
}
"""Summary of each built-in task by its name, which is also that of its package."""

TaskName = Literal["chords", "fingering", "instruments"]
"""Names of the built-in tasks."""
_GROUP = "kammerton.tasks"
Record = TypeVar("Record")


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
        return _load(task)
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
    for name, entries in declared(_GROUP).items():
        packages = " and ".join(map(package_of, entries))
        if name in TASKS:
            tasks[name] += f" (built in; the task of this name from the package {packages} is not used)"
        else:
            clash = "; it cannot be used before one of them is uninstalled" if len(entries) > 1 else ""
            tasks[name] = f"From the package {packages}{clash}"
    return tasks


def _load(name: str) -> Task:
    """Import a third party's task."""
    from kammerton.model.task import Task  # noqa: PLC0415 - help pages do without arrays

    of_packages = declared(_GROUP)
    if name not in of_packages:
        raise OptionError.unknown("task", name, (*TASKS, *of_packages))
    return load_record("task", of_packages[name], Task)


def declared(group: str) -> dict[str, list[EntryPoint]]:
    """Return the entry points of a group by name, one of each package."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - 30 ms, for third parties alone

    by_name: dict[str, dict[str, EntryPoint]] = {}
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, package_of(entry))):
        by_name.setdefault(entry.name, {})[package_of(entry)] = entry
    return {name: list(by_package.values()) for name, by_package in by_name.items()}


def load_record(noun: str, entries: Sequence[EntryPoint], kind: type[Record]) -> Record:
    """Import the record of a name that a package declares, such as a task.

    Whatever the package raises is a message, not a traceback.
    """
    entry, *others = entries
    if others:
        raise OptionError(
            f"the package {package_of(others[0])} declares the {noun} {quote(entry.name)}, as the package "
            f"{package_of(entry)} does",
            f"uninstall one of them, or ask its authors for another name: `pip uninstall {_name(others[0])}`",
        )
    try:
        record = entry.load()
    except Exception as error:
        raise _broken(noun, entry, f"cannot be imported: {type(error).__name__}: {error}") from error
    if not isinstance(record, kind):
        raise _broken(noun, entry, f"is of the type {type(record).__name__}, not {kind.__name__}")
    name = getattr(record, "name", None)
    if name != entry.name:
        raise _broken(noun, entry, f"calls itself {quote(str(name))}")
    return record


def failure_of(task: Task, step: str, item: str, error: Exception) -> TaskError | None:
    """Return the error that names a third party's task which raised an exception, and the item.

    None of a built-in task, whose exceptions are faults of ours, and of exceptions that say all there is.
    """
    if task.name in TASKS or isinstance(error, KammertonError | MemoryError):
        return None
    entries = [entry for entry in declared(_GROUP).get(task.name, ()) if package_of(entry) != "?"]
    owner = f" of the package {package_of(entries[0])} ({entries[0].value})" if entries else ""
    reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return TaskError(f"the task {quote(task.name)}{owner} failed: `{step}` of {quote(item)}: {reason}")


def _broken(noun: str, entry: EntryPoint, what: str) -> OptionError:
    return OptionError(
        f"the {noun} {quote(entry.name)} of the package {package_of(entry)} ({entry.value}) {what}",
        "report it to the authors of that package"
        + ("; `kammerton.testing.check_task` finds such faults" if noun == "task" else ""),
    )


def _name(entry: EntryPoint) -> str:
    return "?" if entry.dist is None else entry.dist.name


def package_of(entry: EntryPoint) -> str:
    """Return name and version of the package that declares an entry point."""
    return "?" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
