# SPDX-License-Identifier: MIT
"""Options of the command line, made from the Python calls and from the reading options of a task.

A keyword of a call is an option of the same name and default. Its type is the one that the docstring of the
call gives, and its help the first sentence there: what follows that sentence is about Python alone. A field
of a task's options is an option of the group "Reading", with the whole of its description.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import cyclopts
from cyclopts import Group

import kammerton
from kammerton.api.docstrings import described_fields, described_parameters
from kammerton.errors import OptionError, close_match, quote, some

if TYPE_CHECKING:
    from kammerton.model.task import Task

Command = Callable[..., int]

OPTIONS: Group = Group("Options", sort_key=0)
OUTPUT: Group = Group("Output", sort_key=1)
_READING = Group("Reading", sort_key=2)
INTERVALS: Group = Group("Confidence intervals", sort_key=3)
_WORK = Group("Parallel work", sort_key=4)
_LATER = {
    *("--alpha", "--permutations", "--reliability", "--group-by", "--estimate-annotator", "--pairs"),
    *("--strict", "--no-reference", "--split", "--splits", "--tolerance", "--digits", "--width"),
    *("--intervals", "--table", "--cite", "--per-item", "--no-annotations", "--safe-csv"),
    *("--accuracy", "--copies", "--change-cost", "--min-sources"),
    *("--candidates", "--select-by", "--explain", "--oracle", "--tests", "--value-only", "--leave-one-out"),
}
"""Options of the first groups that a help page only names, unless everything is asked for."""
_FIRST = {
    *("--layout", "--lenient", "--label-encoding", "--hand", "--taxonomy", "--threshold"),
}
"""Options of the other groups that every help page explains."""


def is_for_later(name: str, group: str) -> bool:
    """Return whether a help page only names an option, which is of no use on the first day."""
    return name not in _FIRST if group in (_READING.name, INTERVALS.name, _WORK.name) else name in _LATER


def option(text: str | None = None, **about: Any) -> cyclopts.Parameter:
    """Return how an option is written: its help, and its name, metavariable and group where they differ."""
    if text is not None:
        about["help"] = text
    return cyclopts.Parameter(negative="", **about)


References = Annotated[str | None, cyclopts.Parameter(name="REF", show_default=False)]
Estimates = Annotated[str, cyclopts.Parameter(name="EST")]
Annotator = Annotated[
    list[str] | None,
    option(
        "Use this annotator only (NAME), or add a further annotator (NAME=PATH, repeatable).",
        name="--annotator",
        metavar="NAME|NAME=PATH",
    ),
]
NoReference = Annotated[
    bool,
    option(
        "Use estimates alone: all paths are EST. Measures that need references are not evaluated.",
        name="--no-reference",
    ),
]
Quiet = Annotated[bool, option("Print errors only.", group=OUTPUT)]
Settings = Annotated[
    list[str] | None,
    option("Change a setting from its default. Repeatable.", name="--set", metavar="NAME=VALUE"),
]

_WRITTEN: dict[str, dict[str, Any]] = {
    "protocols": {"name": "--protocol", "metavar": "NAME"},
    "measures": {"name": "--measure", "metavar": "NAME"},
    "measure": {"metavar": "NAME"},
    "systems": {"name": "--system", "metavar": "NAME"},
    "against": {"metavar": "SYSTEM"},
    "test": {},
    "alpha": {"metavar": "P"},
    "permutations": {"metavar": "N"},
    "reliability": {},
    "context": {},
    "oracle": {},
    "group_by": {"metavar": "FILE.csv:COLUMN|REGEX"},
    "method": {},
    "details": {},
    "accuracy": {},
    "copies": {},
    "select": {"metavar": "CODE"},
    "ignore": {"metavar": "CODE"},
    "change_cost": {"metavar": "X"},
    "min_sources": {"metavar": "N"},
    "least_support": {"metavar": "SHARE"},
    "leave_out": {"metavar": "NAME"},
    "model": {"metavar": "FILE"},
    "to": {"metavar": "FORMAT"},
    "difficulty": {},
    "audio": {},
    "soundfont": {"metavar": "FILE.sf2"},
    "bad_midis": {"metavar": "N"},
    "sheets": {"metavar": "N"},
    "tolerance": {"metavar": "X"},
    "annotator": {"metavar": "NAME"},
    "estimate_annotator": {"metavar": "NAME|NUMBER"},
    "pairs": {"metavar": "FILE.csv"},
    "candidates": {"metavar": "{item}.{candidate}"},
    "select_by": {"metavar": "FILE.csv|agreement|NAME"},
    "missing": {},
    "strict": {},
    "items": {"metavar": "REGEX|FILE"},
    "split": {"metavar": "NAME"},
    "splits": {"metavar": "FILE"},
    "ci": {"metavar": "LEVEL", "group": INTERVALS},
    "interval": {"group": INTERVALS},
    "resamples": {"metavar": "N", "group": INTERVALS},
    "seed": {"metavar": "N", "group": INTERVALS},
    "clusters": {"name": "--cluster", "metavar": "FILE.csv:COLUMN|REGEX", "group": INTERVALS},
    "jobs": {"metavar": "N", "group": _WORK},
    "executor": {"metavar": "dask[://HOST:PORT]", "group": _WORK},
    "shard_size": {"metavar": "N", "group": _WORK},
    "force": {},
    "recordings": {"metavar": "FOLDER", "group": OUTPUT},
    "figures": {"metavar": "FOLDER", "group": OUTPUT},
    "title": {"metavar": "TEXT", "group": OUTPUT},
    "description": {"metavar": "TEXT", "group": OUTPUT},
    "date": {"metavar": "YYYY-MM-DD", "group": OUTPUT},
}
"""How each keyword of a call is written as an option, in the order of the help page."""

_SHARES = {"ci", "alpha", "least_support", "tolerance"}
"""Options that may be written in per cent."""
_TYPES = {"int": int, "float": float, "bool": bool, "iterable of str": list[str]}
"""Types of options by their names in docstrings; the others are text."""

_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?) ?(?:([kmgt])(i)?)?b?", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
"""Whole numbers of 64 bits."""
_SEE = re.compile(r"As for :func:`(?:kammerton)?\.?(\w+)`")


def with_options(
    verb: Command, calls: Sequence[Callable[..., Any]], task: Task | None, *, sided: bool = True
) -> Command:
    """Return a verb as a command for the parser, with the options of calls and of a task.

    They replace the verb's ``**choices``, and reach it under the names that the calls use. An option that the
    verb declares itself is not taken from a call. Where a verb takes a dataclass, the fields are options.
    Reading options may differ by side if the verb is ``sided``.
    """
    bound = verb if task is None else functools.partial(verb, task)
    declared, records = _declared(verb, bound)
    own = {parameter.name for parameter in declared}
    offered = [parameter for parameter in _options_of_calls(calls, task) if parameter.name not in own]
    lists = {parameter.name for parameter in offered if list[str] in typing.get_args(_hint(parameter))}
    reading = [] if task is None else [*_reading_options(task, sided=sided), _FILE_SIZE]
    read = {parameter.name for parameter in reading}

    @functools.wraps(verb)
    def command(*arguments: Any, **options: Any) -> int:
        choices = {parameter.name: parameter.default for parameter in offered}
        choices |= {name: value for name, value in options.items() if name not in read}
        choices |= {name: _split_commas(choices[name]) for name in lists}
        if task is not None:
            values = {name: value for name, value in options.items() if name in read}
            choices["options"] = task.options(**_reading(values))
        for name, record in records.items():
            names = choices.keys() & {field.name for field in fields(record)}
            choices[name] = record(**{field: choices.pop(field) for field in names})
        return bound(*arguments, **choices)

    positional = [parameter for parameter in declared if parameter.kind is not Parameter.KEYWORD_ONLY]
    keywords = [parameter for parameter in declared if parameter.kind is Parameter.KEYWORD_ONLY]
    parameters = [_in_whole_numbers(p) for p in (*positional, *offered, *keywords, *reading)]
    taken = sorted(read & (own | {parameter.name for parameter in offered}))
    if taken and task is not None:
        message = f"the task {quote(task.name)} has the options {some(taken)}, which the command has too"
        raise OptionError(message, "ask the authors of the task to rename them")
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _declared(verb: Command, bound: Command) -> tuple[list[Parameter], dict[str, type[Any]]]:
    """Return the parameters of a verb, with the fields of dataclasses among them, and the dataclasses."""
    hints = typing.get_type_hints(verb, include_extras=True)
    declared: list[Parameter] = []
    records: dict[str, type[Any]] = {}
    for parameter in inspect.signature(bound).parameters.values():
        hint = hints[parameter.name]
        if parameter.kind is Parameter.KEYWORD_ONLY and isinstance(hint, type) and is_dataclass(hint):
            records[parameter.name] = hint
            annotations = typing.get_type_hints(hint, include_extras=True)
            declared += [
                _keyword(field.name, field.default, annotations[field.name]) for field in fields(hint)
            ]
        elif parameter.kind is not Parameter.VAR_KEYWORD:
            declared.append(parameter.replace(annotation=hint))
    return declared, records


def _options_of_calls(calls: Iterable[Callable[..., Any]], task: Task | None) -> list[Parameter]:
    """Return the keywords of calls that are options, the first call's where several have one name."""
    options: dict[str, Parameter] = {}
    for call in calls:
        for name, parameter in inspect.signature(call).parameters.items():
            if parameter.kind is Parameter.KEYWORD_ONLY and name in _WRITTEN and name not in options:
                options[name] = _option_of_call(call, parameter, task)
    return [options[name] for name in _WRITTEN if name in options]


def _option_of_call(call: Callable[..., Any], parameter: Parameter, task: Task | None) -> Parameter:
    source, kind, text = _described(call, parameter.name)
    sentence = text.partition(". ")[0].rstrip(".")
    for name in _WRITTEN.keys() & inspect.signature(source).parameters.keys():
        sentence = sentence.replace(f"``{name}``", f"--{name.replace('_', '-')}")
    choices = tuple(re.findall('"(.*?)"', kind)) if kind.startswith("{") else ()
    hint: Any = Literal[choices] if choices else _TYPES.get(kind.removesuffix(", optional"), str)
    if hint == list[str]:
        sentence += "; repeatable, or several with commas"
    if parameter.default is None:
        hint = hint | None
    written = _WRITTEN[parameter.name]
    if parameter.name == "to" and task is not None and task.conversion is not None:
        written = {"metavar": "|".join(task.conversion.forms)}
    if parameter.name in _SHARES:
        written = {**written, "converter": _share}
    about = option(f"{_without_markup(sentence)}.", **written)
    return parameter.replace(annotation=Annotated[hint, about])


def _described(call: Callable[..., Any], name: str) -> tuple[Callable[..., Any], str, str]:
    """Return the call that describes a parameter, itself or the one it refers to; type and description."""
    kind, text = described_parameters(inspect.getdoc(call) or "")[name]
    see = _SEE.match(text)
    return (call, kind, text) if see is None else _described(getattr(kammerton, see[1]), name)


def _without_markup(text: str) -> str:
    return re.sub(r"\*([\w/-]+)\*", r"\1", text.replace("``", "`"))


def _split_commas(values: Sequence[str] | None) -> list[str] | None:
    """Split ``a,b`` into two values."""
    if values is None:
        return None
    parts = [part.strip() for value in values for part in value.split(",")]
    if not all(parts):
        raise OptionError(f"a name is empty in {quote(','.join(values))}")
    return parts


def _reading_options(task: Task, *, sided: bool) -> Iterator[Parameter]:
    """Yield the reading options of a task.

    Nested records are for Python only; a mapping is an option that is given once per entry,
    ``--columns onset=start``. An option that may differ by side is given once per side,
    ``--layout estimates=points``; for a flag, a further option takes the side, ``--lenient-for estimates``.
    """
    hints = typing.get_type_hints(task.options)
    described = described_fields(task.options)
    by_side: frozenset[str] = getattr(task.options, "by_side", frozenset()) if sided else frozenset()
    for field in fields(task.options):
        if is_dataclass(hints[field.name]) or field.name == "sides":
            continue
        text = _without_markup(described[field.name]) if field.name in described else None
        yield _reading_option(field, hints[field.name], text, by_side=field.name in by_side)
        if field.name in by_side and hints[field.name] is bool:
            about = option(f"The same for one side: {_SIDE_HINT}.", group=_READING, metavar="SIDE")
            yield _keyword(f"{field.name}_for", None, Annotated[list[str] | None, about])


def _reading_option(field: Field[Any], hint: Any, text: str | None, *, by_side: bool) -> Parameter:
    default = field.default if field.default is not MISSING else None
    about: dict[str, Any] = {"group": _READING}
    once = {"n_tokens": 1, "accepts_keys": False}
    side = "[SIDE=]" if by_side else ""
    if isinstance(origin := typing.get_origin(hint), type) and issubclass(origin, Mapping):
        hint, default = list[str], None
        about |= {
            **once,
            "converter": functools.partial(_mapping, sided=by_side),
            "metavar": f"{side}OWN=OURS",
        }
    elif by_side and hint is not bool:
        known = typing.get_args(hint)
        metavar = f"{side}{'|'.join(known) or field.name.upper()}"
        about |= {**once, "converter": functools.partial(_by_side, known=known), "metavar": metavar}
        hint = list[str]
    elif hint in (str, int, float):
        about["metavar"] = field.name.upper()
    return _keyword(field.name, default, Annotated[hint, option(text, **about)])


def _keyword(name: str, default: object, annotation: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _mapping(_: object, tokens: Sequence[Any], *, sided: bool = False) -> dict[str, Any]:
    """Read ``OWN=OURS``, if ``sided`` perhaps behind the side: ``SIDE=OWN=OURS``."""
    by_side: dict[str, dict[str, str]] = {}
    for token in tokens:
        side = token.value.rpartition("=")[0].rpartition("=")[0] if sided else ""
        pair = token.value.removeprefix(f"{side}=") if side else token.value
        own, _, ours = pair.partition("=")
        if not own or not ours:
            raise OptionError(f"expected {'[SIDE=]' * sided}OWN=OURS, got {quote(token.value)}")
        _add_once(by_side.setdefault(side or "all", {}), own, ours, token.keyword)
    return by_side if by_side.keys() - {"all"} else by_side.get("all", {})


def _by_side(_: object, tokens: Sequence[Any], *, known: Sequence[str] = ()) -> str | dict[str, str]:
    """Read values, each perhaps behind its side, ``SIDE=VALUE``."""
    by_side: dict[str, str] = {}
    for token in tokens:
        side, behind, value = token.value.rpartition("=")
        if known and value not in known:
            near = close_match(value, known)
            hint = f"{'' if near is None else f'did you mean {quote(near)}? '}known: {', '.join(known)}"
            raise OptionError(f"invalid value {quote(value)} for {token.keyword}", hint)
        if behind and not side:
            raise OptionError(f"{token.keyword} has no side before `=` in {quote(token.value)}", _SIDE_HINT)
        _add_once(by_side, side or "all", value, token.keyword)
    return by_side["all"] if by_side.keys() == {"all"} else by_side


_SIDE_HINT = "`references`, `estimates`, or the name of an annotator or system"


def _add_once(values: dict[str, str], name: str, value: str, keyword: str) -> None:
    """Add a value of a name that has none yet."""
    if name in values:
        where = "" if name == "all" else f" for {quote(name)}"
        raise OptionError(f"{keyword} is given twice{where}", "give it once")
    values[name] = value


_FILE_SIZE = Parameter(
    "max_file_size",
    Parameter.KEYWORD_ONLY,
    default=None,
    annotation=Annotated[
        str | None,
        option(
            "Refuse files that are larger, such as 500kB, 64MiB or 2GB; by default 64 MiB. A larger limit "
            "allows more rows in proportion.",
            group=_READING,
            metavar="SIZE",
        ),
    ],
)


def _reading(options: dict[str, Any]) -> dict[str, Any]:
    """Return reading options as the task takes them: flags by side, and the file size as its limits."""
    size = options.pop("max_file_size", None)
    for name in [name for name in options if name.endswith("_for")]:
        flag = name.removesuffix("_for")
        if sides := options.pop(name):
            options[flag] = {"all": bool(options.get(flag)), **dict.fromkeys(sides, True)}
    if size is not None:
        from kammerton.formats.reading import Limits  # noqa: PLC0415 - not for help pages

        count, usual = bytes_in(size), Limits()
        rows = max(usual.rows, usual.rows * count // usual.bytes)  # larger files have more of them
        options["limits"] = Limits(bytes=count, rows=rows)
    return options


def bytes_in(size: str) -> int:
    """Return a size in bytes.

    >>> bytes_in("1500"), bytes_in("2 kB"), bytes_in("1.5MiB")
    (1500, 2000, 1572864)
    """
    match = _SIZE.fullmatch(size.strip())
    exponent, base = (0, 1) if match is None else (" kmgt".index((match[2] or " ").lower()), match[3])
    count = 0 if match is None else int(float(match[1]) * (1024 if base else 1000) ** exponent)
    if count < 1:
        raise OptionError(f"invalid value {quote(size)} for --max-file-size", "such as 500kB, 64MiB or 2GB")
    return count


def settings_by_name(arguments: Sequence[str] | None) -> dict[str, object]:
    """Return the settings of a system: numbers and truth values as JSON has them, else the text."""
    settings: dict[str, object] = {}
    for argument in arguments or ():
        name, equals, text = argument.partition("=")
        if not name or not equals:
            raise OptionError(f"expected NAME=VALUE, got {quote(argument)}")
        try:
            settings[name] = json.loads(text)
        except ValueError:
            settings[name] = text
    return settings


def _hint(parameter: Parameter) -> Any:
    """Return the type of an option."""
    return (typing.get_args(parameter.annotation) or (parameter.annotation,))[0]


def _in_whole_numbers(parameter: Parameter) -> Parameter:
    """Refuse ``1.5`` where a whole number is expected, which the parser would round."""
    hint, *about = typing.get_args(parameter.annotation) or (parameter.annotation,)
    if int not in (hint, *typing.get_args(hint)) or float in typing.get_args(hint):
        return parameter
    return parameter.replace(annotation=Annotated[hint, *about, cyclopts.Parameter(converter=_whole)])


def _whole(_: object, tokens: Sequence[Any]) -> int:
    (token,) = tokens
    if not _WHOLE.fullmatch(token.value):
        raise OptionError(f"invalid value {quote(token.value)} for {token.keyword}", "a whole number")
    return int(token.value)


def _share(_: object, tokens: Sequence[Any]) -> float:
    """Return ``0.7`` of ``0.7`` or ``70%``."""
    (token,) = tokens
    try:
        return float(token.value.removesuffix("%")) / (100 if token.value.endswith("%") else 1)
    except ValueError:
        hint = "a number, or per cent: 0.95 or 95%"
        raise OptionError(f"invalid value {quote(token.value)} for {token.keyword}", hint) from None
