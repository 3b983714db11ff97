# SPDX-License-Identifier: MIT
"""Verbs that work on a task: one sub-command per task, with the task's own reading options.

No task is imported before its sub-command is called: a sub-command is registered by name as
``kammerton.cli.tasks:score.chords``, which :func:`__getattr__` makes when it is asked for.
"""

from __future__ import annotations

import functools
import inspect
import re
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from kammerton.errors import OptionError, quote
from kammerton.model.registry import TASKS, find_task, known_tasks

if TYPE_CHECKING:
    from kammerton.model.task import Task

__all__ = ["add_tasks_of_others", "bytes_in", "split_pair", "task_verb", "with_reading_options"]

Command = Callable[..., int]

_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?) ?(?:([kmgt])(i)?)?b?", re.IGNORECASE)

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


def add_tasks_of_others(app: App, verb: str) -> None:
    """Add the sub-commands of third parties' tasks."""
    for name, about in known_tasks().items():
        if name not in (*TASKS, *app):
            app.command(f"{__name__}:{verb}.{name}", name=name, help=about)


def __getattr__(name: str) -> App:
    verb, dot, task = name.partition(".")
    if not dot or verb.startswith("_"):
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
    """Put a task's reading options in place of the catch-all ``**reading`` of a command.

    Of budgets, the size of a file can be said; the command gets it as ``limits``.
    """

    @functools.wraps(command)
    def called(*arguments: Any, max_file_size: str | None = None, **options: Any) -> int:
        if max_file_size is not None:
            from kammerton.formats.reading import Limits  # noqa: PLC0415 - not for help pages

            size, usual = bytes_in(max_file_size), Limits()
            rows = max(usual.rows, usual.rows * size // usual.bytes)  # larger files have more of them
            options["limits"] = Limits(bytes=size, rows=rows)
        return command(*arguments, **options)

    hints = typing.get_type_hints(command, include_extras=True)
    given = inspect.signature(command).parameters.values()
    own = [each.replace(annotation=hints[each.name]) for each in given if each.kind is not each.VAR_KEYWORD]
    parameters = [_in_whole_numbers(each) for each in (*own, *_reading_options(task), _FILE_SIZE)]
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    return called


def _reading_options(task: Task) -> Iterator[inspect.Parameter]:
    """Give the reading options of a task as parameters of a command.

    Nested records are for the library only; a mapping is an option that is given
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


_FILE_SIZE = inspect.Parameter(
    "max_file_size",
    inspect.Parameter.KEYWORD_ONLY,
    default=None,
    annotation=Annotated[
        str | None,
        Parameter(
            help=(
                "Refuse larger files, such as 500kB, 64MiB or 2GB; 64 MiB unless told otherwise. Larger "
                "files may have more rows in proportion."
            ),
            group="Reading",
            metavar="SIZE",
        ),
    ],
)


def bytes_in(size: str) -> int:
    """Return a size in bytes.

    >>> bytes_in("1500"), bytes_in("2 kB"), bytes_in("1.5MiB")
    (1500, 2000, 1572864)

    Raises
    ------
    OptionError
        If it is none, or less than a byte.
    """
    found = _SIZE.fullmatch(size.strip())
    exponent, base = (0, 1) if found is None else (" kmgt".index((found[2] or " ").lower()), found[3])
    count = 0 if found is None else int(float(found[1]) * (1024 if base else 1000) ** exponent)
    if count < 1:
        raise OptionError(f"invalid value {quote(size)} for --max-file-size", "such as 500kB, 64MiB or 2GB")
    return count


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
