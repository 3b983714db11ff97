# SPDX-License-Identifier: MIT
"""Verbs that work on a task: one sub-command per task, with the task's own reading options.

No task is imported before its sub-command is called: a sub-command is registered by name as
``kammerton.cli.tasks:score.chords``, which :func:`__getattr__` makes when it is asked for.
"""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from kammerton.errors import OptionError, quote
from kammerton.model.registry import TASKS, find_task

if TYPE_CHECKING:
    from kammerton.model.task import Task

__all__ = ["split_pair", "task_verb", "with_reading_options"]

Command = Callable[..., int]

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
"""What fits into 64 bits."""


def task_verb(verb: str, summary: str, usage: str) -> App:
    """Return the application of a verb with one sub-command per task.

    Parameters
    ----------
    verb : str
        Name of the verb and of its module below :mod:`kammerton.cli`.
    summary : str
        One sentence.
    usage : str
        What follows the task on the usage line, e.g. ``REF EST [EST ...]``.
    """
    app = App(
        name=verb,
        help=summary,
        usage=f"Usage: kammerton {verb} TASK {usage}\n\n"
        f"`kammerton {verb} TASK --help` explains arguments and options.",
        group_commands="Tasks",
    )
    for name, about in TASKS.items():
        app.command(f"{__name__}:{verb}.{name}", name=name, help=about)
    return app


def __getattr__(name: str) -> App:
    verb, dot, task = name.partition(".")
    if not dot or task not in TASKS:
        raise AttributeError(name)
    module = import_module(f"kammerton.cli.{verb}")
    command = with_reading_options(module.command(find_task(task)), find_task(task))
    usage = module.app.usage.partition("\n")[0].replace(" TASK ", f" {task} ")
    described = inspect.getdoc(command) or ""
    app = App(name=task, usage=f"{usage}\n\n{_opening(described)}")
    app.default(command)
    return app


def _opening(docstring: str) -> str:
    """Return what stands before the parameters of a docstring."""
    return docstring.partition("\nParameters\n")[0].strip().replace("``", "`")


def with_reading_options(command: Command, task: Task) -> Command:
    """Put a task's reading options in place of the catch-all ``**reading`` of a command."""
    hints = typing.get_type_hints(command, include_extras=True)
    given = inspect.signature(command).parameters.values()
    own = [each.replace(annotation=hints[each.name]) for each in given if each.kind is not each.VAR_KEYWORD]
    parameters = [_in_whole_numbers(each) for each in (*own, *_reading_options(task))]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


def _reading_options(task: Task) -> Iterator[inspect.Parameter]:
    """Give the reading options of a task as parameters of a command.

    Budgets and other nested records are for the library only; a mapping is an option that is given
    once per entry, ``--columns onset=start``.
    """
    hints = typing.get_type_hints(task.options)
    helps = _documented(task.options)
    for field in fields(task.options):
        hint = hints[field.name]
        if is_dataclass(hint):
            continue
        default = field.default if field.default is not MISSING else None
        about: dict[str, Any] = {"help": helps.get(field.name), "group": "Reading", "negative": ""}
        if _is_mapping(hint):
            hint, default = list[str], None
            about |= {"converter": _mapping, "n_tokens": 1, "accepts_keys": False, "metavar": "OWN=OURS"}
        elif hint in (str, int, float):
            about["metavar"] = field.name.upper()
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=Annotated[hint, Parameter(**about)],
        )


def _in_whole_numbers(parameter: inspect.Parameter) -> inspect.Parameter:
    """Refuse ``1.5`` where a whole number is expected, which the parser would round."""
    hint, *about = typing.get_args(parameter.annotation) or (parameter.annotation,)
    if int not in (hint, *typing.get_args(hint)) or float in typing.get_args(hint):
        return parameter
    return parameter.replace(annotation=Annotated[hint, *about, Parameter(converter=_whole)])


def _whole(_: object, tokens: Sequence[Any]) -> int:
    (token,) = tokens
    if not _WHOLE.fullmatch(token.value):
        raise OptionError(f"invalid value {quote(token.value)} for {token.keyword}", "a whole number")
    return int(token.value)


def _is_mapping(hint: object) -> bool:
    origin = typing.get_origin(hint)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _mapping(_: object, tokens: Sequence[Any]) -> dict[str, str]:
    return dict(split_pair(token.value, "OWN=OURS") for token in tokens)


def split_pair(text: str, form: str) -> tuple[str, str]:
    """Split ``name=value``.

    Raises
    ------
    OptionError
        If there is no name, no value, or no ``=``.
    """
    name, _, value = text.partition("=")
    if not name or not value:
        raise OptionError(f"expected {form}, got {quote(text)}")
    return name, value


def _documented(options: type) -> dict[str, str]:
    """Return what the docstrings of a class and of those it extends say about each field."""
    found: dict[str, str] = {}
    for each in reversed(options.__mro__):
        found |= _parameters(inspect.cleandoc(each.__dict__.get("__doc__") or ""))
    return found


def _parameters(docstring: str) -> dict[str, str]:
    section = docstring.partition("\nParameters\n")[2].partition("\n\n")[0]
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for line in section.splitlines()[1:]:
        if line.startswith(" "):
            for name in names:
                found[name].append(line.strip())
        else:
            names = [name.strip() for name in line.partition(" : ")[0].split(",")]
            found |= {name: [] for name in names}
    return {name: " ".join(lines).replace("``", "`").replace("*", "") for name, lines in found.items()}
