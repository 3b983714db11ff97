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

from kammerton.errors import OptionError, close_match, quote
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
    sided = verb not in ("check", "convert")
    command = with_reading_options(module.command(find_task(task)), find_task(task), sided=sided)
    usage = module.app.usage.partition("\n")[0].replace(" TASK ", f" {task} ")
    described = inspect.getdoc(command) or ""
    app = App(name=task, usage=f"{usage}\n\n{_opening(described)}")
    app.default(command)
    return app


def _opening(docstring: str) -> str:
    """Return what stands before the parameters of a docstring."""
    return docstring.partition("\nParameters\n")[0].strip().replace("``", "`")


def with_reading_options(command: Command, task: Task, *, sided: bool = True) -> Command:
    """Put a task's reading options in place of the catch-all ``**reading`` of a command.

    Of budgets, the size of a file can be said; the command gets it as ``limits``. Where there are no sides,
    values of options are not ``sided``.
    """

    @functools.wraps(command)
    def called(*arguments: Any, max_file_size: str | None = None, **options: Any) -> int:
        for name in [name for name in options if name.endswith("_for")]:
            sides = options.pop(name) or ()
            flag = name.removesuffix("_for")
            if sides:
                options[flag] = {"all": bool(options.get(flag)), **dict.fromkeys(sides, True)}
        if max_file_size is not None:
            from kammerton.formats.options import Limits  # noqa: PLC0415 - not for help pages

            size, usual = bytes_in(max_file_size), Limits()
            rows = max(usual.rows, usual.rows * size // usual.bytes)  # larger files have more of them
            options["limits"] = Limits(bytes=size, rows=rows)
        return command(*arguments, **options)

    hints = typing.get_type_hints(command, include_extras=True)
    given = inspect.signature(command).parameters.values()
    own = [each.replace(annotation=hints[each.name]) for each in given if each.kind is not each.VAR_KEYWORD]
    parameters = [
        _in_whole_numbers(each) for each in (*own, *_reading_options(task, sided=sided), _FILE_SIZE)
    ]
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    return called


def _reading_options(task: Task, *, sided: bool) -> Iterator[inspect.Parameter]:
    """Give the reading options of a task as parameters of a command.

    Nested records are for the library only; a mapping is an option that is given once per entry,
    ``--columns onset=start``. What may be said of one side alone is given once per side,
    ``--layout estimates=points``; of a flag, by an option that takes the side, ``--lenient-for estimates``.
    """
    hints = typing.get_type_hints(task.options)
    helps = _documented(task.options)
    by_side: frozenset[str] = getattr(task.options, "by_side", frozenset()) if sided else frozenset()
    for field in fields(task.options):
        hint = hints[field.name]
        if is_dataclass(hint) or field.name == "sides":
            continue
        default = field.default if field.default is not MISSING else None
        about: dict[str, Any] = {"help": helps.get(field.name), "group": "Reading", "negative": ""}
        once = {"n_tokens": 1, "accepts_keys": False}
        if _is_mapping(hint):
            hint, default = list[str], None
            converter = _mapping_by_side if field.name in by_side else _mapping
            about |= once | {
                "converter": converter,
                "metavar": "[SIDE=]OWN=OURS"[0 if field.name in by_side else 7 :],
            }
        elif field.name in by_side and hint is not bool:
            known = typing.get_args(hint)
            metavar = f"[SIDE=]{'|'.join(known) or field.name.upper()}"
            hint = list[str]
            about |= once | {"converter": functools.partial(_by_side, known=known), "metavar": metavar}
        elif hint in (str, int, float):
            about["metavar"] = field.name.upper()
        yield _keyword(field.name, default, hint, about)
        if field.name in by_side and hint is bool:
            said = "The same for one side: `references`, `estimates`, or the name of an annotator or system."
            yield _keyword(f"{field.name}_for", None, list[str], about | {"help": said, "metavar": "SIDE"})


def _keyword(name: str, default: object, hint: Any, about: Mapping[str, Any]) -> inspect.Parameter:
    annotation = Annotated[hint, Parameter(**about)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _by_side(_: object, tokens: Sequence[Any], *, known: Sequence[str] = ()) -> str | dict[str, str]:
    """Take values, each perhaps behind the side that it is of, as options take them."""
    found: dict[str, str] = {}
    for token in tokens:
        side, _, value = token.value.rpartition("=")
        if known and value not in known:
            near = close_match(value, known)
            hint = f"{'' if near is None else f'did you mean {quote(near)}? '}known: {', '.join(known)}"
            raise OptionError(f"invalid value {quote(value)} for {token.keyword}", hint)
        _put(found, side, value, token.keyword)
    return found["all"] if found.keys() == {"all"} else found


def _mapping_by_side(_: object, tokens: Sequence[Any]) -> dict[str, Any]:
    """Take ``OWN=OURS``, each perhaps behind the side that it is of."""
    found: dict[str, dict[str, str]] = {}
    for token in tokens:
        named, _, ours = token.value.rpartition("=")
        side, _, own = named.rpartition("=")
        own, ours = split_pair(f"{own}={ours}" if named else token.value, "OWN=OURS")
        found.setdefault(side or "all", {})[own] = ours
    return found["all"] if found.keys() == {"all"} else found


def _put(found: dict[str, str], side: str, value: str, option: str) -> None:
    if (side or "all") in found:
        raise OptionError(f"{option} is given twice{f' for {quote(side)}' if side else ''}", "give it once")
    found[side or "all"] = value


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
