# SPDX-License-Identifier: MIT
"""From arguments to exit code: the verbs, and what happens when something goes wrong."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import signal
import sys
import tempfile
import textwrap
import traceback
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any

from kammerton.cli.streams import (
    DONE,
    INTERNAL,
    NOTHING,
    OUTPUT,
    READER_GONE,
    USAGE,
    ReaderGoneError,
    Signals,
    say,
    say_all,
    style_of,
    write_out,
)
from kammerton.errors import (
    DataError,
    KammertonError,
    OptionError,
    OutputError,
    close_match,
    printable,
    quote,
)
from kammerton.model.registry import TASKS
from kammerton.version import __version__

if TYPE_CHECKING:
    from cyclopts import App, CycloptsError
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions

__all__ = [
    "VERBS",
    "PlainHelp",
    "as_option_error",
    "check_command",
    "hint_of_option",
    "hint_of_task",
    "run",
    "wrapped",
]

VERBS = {
    "score": "Score one or several systems.",
    "compare": "Rank systems, with tests.",
    "agree": "Measure how far annotators agree.",
    "report": "Write runs as one HTML page.",
    "diff": "Say item by item what changed between two runs.",
    "show": "Show one item in the terminal: where the points went.",
    "check": "Check annotation files.",
    "convert": "Convert annotation files between formats.",
    "pack": "Pack annotation files into one.",
    "measures": "Describe every protocol and measure: formula, range, source.",
    "explain": "Say what a diagnostic means and how to mend it.",
    "demo": "Score the bundled example.",
}
"""Summary of each verb by its name, which is also that of its module."""
_EPILOGUE = """\
Results go to standard output, everything else to standard error.

Exit codes: 0 done; 1 partial, or a gate failed; 2 usage; 3 nothing could be scored; \
4 internal error; 5 output could not be written; 130 stopped by Ctrl-C."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code; see :func:`kammerton.cli.main`."""
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    signals = Signals()
    try:
        with signals:
            code = _called(tokens)
            signals.check()
            return code
    except BaseException as stop:
        if signals.number is not None:
            return _stopped(signals.number, stop, tokens)
        return _ended(stop, tokens)


def _ended(stop: BaseException, tokens: list[str]) -> int:
    """Say what ended the program, if it was no signal that it has seen."""
    if isinstance(stop, ReaderGoneError):
        return READER_GONE
    if isinstance(stop, KammertonError):
        return _said(stop)
    if isinstance(stop, OSError):
        return _said(_refused(stop))
    if isinstance(stop, KeyboardInterrupt) or "KEYBOARD_INTERRUPT" in str(stop):  # how polars panics
        return _stopped(signal.SIGINT, stop, tokens)
    if isinstance(stop, Exception):  # a traceback is no message
        return _crashed(stop, tokens)
    raise stop


def _called(tokens: list[str]) -> int:
    from cyclopts import App, CycloptsError  # noqa: PLC0415 - inside, so that an interrupt is caught

    from kammerton.cli.tasks import add_tasks_of_others  # noqa: PLC0415
    from kammerton.model.registry import TASKS, known_tasks  # noqa: PLC0415

    if "" in tokens:
        raise OptionError("an argument is empty", "is a variable of the shell not set?")
    if tokens:
        check_command("command", tokens[0], list(VERBS))
    app = _application()
    if tokens and tokens[0] in VERBS and app[tokens[0]].default_command is None:
        if len(tokens) == 1:
            check_command("task", None, list(known_tasks()))
        if tokens[1] not in TASKS:
            add_tasks_of_others(app[tokens[0]], tokens[0])
    try:
        command, bound, _ = app.parse_args(
            tokens or ["--help"], print_error=False, exit_on_error=False, end_of_options_delimiter="--"
        )
    except CycloptsError as error:
        hint = partial(hint_of_option, app, list(VERBS), tokens)
        raise as_option_error(error, tokens, hint) from None
    if isinstance(getattr(command, "__self__", None), App):  # a help page or the version
        with contextlib.redirect_stdout(io.StringIO()) as page:
            command(*bound.args, **bound.kwargs)
        write_out(page.getvalue().replace("\n\n\n", "\n\n"))
        return DONE
    return int(command(*bound.args, **bound.kwargs))


def _application() -> App:
    from cyclopts import App  # noqa: PLC0415

    width = style_of(sys.stdout).width
    app = App(
        name="kammerton",
        help="Score music annotations.",
        help_epilogue=wrapped(_EPILOGUE, width),
        version=__version__,
        help_format="plaintext",
        help_formatter=PlainHelp(width),
        group_parameters="Options",
        usage="Usage: kammerton COMMAND ...",
    )
    for verb, summary in VERBS.items():
        app.command(f"kammerton.cli.{verb}:app", name=verb, help=summary)
    return app


def _said(error: KammertonError) -> int:
    """Say what went wrong, in the form of diagnostics, and return the exit code of its kind."""
    from kammerton.cli.outputs import say_problems  # noqa: PLC0415
    from kammerton.reporting.diagnostics import count_problems, paint  # noqa: PLC0415

    if isinstance(error, DataError):
        say_problems(error.diagnostics)
        say(f"nothing was done: {count_problems(error.diagnostics)}")
        return NOTHING
    first, *rest = str(error).split("\n")
    code, _, text = first.partition(" ")
    if not (isinstance(error, OutputError) and code.startswith("KT")):
        code, text = "", first
    kind = f"error[{code}]" if code else "error:"
    say(f"{paint(kind, 'error', colour=style_of(sys.stderr).colour)} {printable(text)}")
    say_all(printable(line) for line in rest)
    return OUTPUT if isinstance(error, OutputError) else USAGE if isinstance(error, OptionError) else NOTHING


def _refused(error: OSError) -> OptionError:
    """Say what the system refused; a name too long or a folder without rights is no fault of ours."""
    if error.filename is None and isinstance(error, FileNotFoundError):
        return OptionError("the current folder is not there any more", "change to another one")
    return OptionError(
        f"{(error.strerror or str(error)).lower()}: {quote(os.fsdecode(error.filename or ''))}"
    )


def _stopped(number: int, stop: BaseException, tokens: Sequence[str]) -> int:
    say(f"stopped by {signal.Signals(number).name}")
    for kept in (note for note in getattr(stop, "__notes__", ()) if note.endswith(" kept")):
        say(f"  help: {kept}; the same command goes on from there: {shlex.join(('kammerton', *tokens))}")
    return 128 + number


def _crashed(error: Exception, tokens: Sequence[str]) -> int:
    """Say one line, and leave everything that a developer needs in a file."""
    summary = traceback.format_exception_only(error)[-1].strip().partition("\n")[0]
    report = "\n".join(
        (
            f"kammerton {__version__}, Python {sys.version}, {sys.platform}",
            f"arguments: {tokens!r}",
            "",
            *traceback.format_exception(error),
        )
    )
    from kammerton.formats.remote import with_shown_addresses  # noqa: PLC0415 - for crashes only

    where = ""
    with contextlib.suppress(OSError):
        descriptor, path = tempfile.mkstemp(prefix="kammerton-crash-", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(with_shown_addresses(report))
        where = f"; a crash report is in {path}"
    say(f"internal error: {printable(with_shown_addresses(summary))}{where}")
    return INTERNAL


_NEAR = 0.75
"""Likeness above which a spelling is a slip: `protcol` is `protocol`, `cite` is not `title`."""


def hint_of_option(app: App, verbs: Sequence[str], tokens: Sequence[str], option: str) -> str:
    """Return the way out for an option that a command does not have.

    Parameters
    ----------
    app : App
        The whole program.
    verbs : sequence of str
        Its verbs.
    tokens : sequence of str
        What was typed.
    option : str
        As typed.

    Returns
    -------
    str
        The commands that have the option, behind an option of this one that begins with it; or the nearest
        option of this one, if one is near.
    """
    verb, name = tokens[0], option.strip("-")
    here = f"kammerton {verb}" if verb in verbs else "kammerton"
    own: list[str] = []
    having: dict[str, list[str]] = {}
    for other in verbs:
        for command, names in _options(app, other):
            words = command.split()
            if words == list(tokens[: len(words)]):
                here, own = f"kammerton {command}", names
            if option in names:
                having.setdefault(other, []).append(command)
    near = _nearest(name.lower(), [each.strip("-") for each in own])
    if having:
        nearest = {verb: having[verb]} if verb in having else having
        found = [each for named, commands in nearest.items() for each in _together(named, commands)]
        opening = f"did you mean `--{near}`? " if near.startswith(name) else ""
        return f"{opening}{quote(option)} is an option of {_listed(found)}"
    return f"did you mean `--{near}`?" if near else f"`{here} --help` lists the options"


def _nearest(name: str, own: Sequence[str]) -> str:
    """Return the option that begins like a name or is spelled nearly so, or nothing."""
    begun = [each for each in own if len(name) > 2 and each.startswith(name)]
    return next(iter((*begun, *get_close_matches(name, own, n=1, cutoff=_NEAR))), "")


def _options(app: App, verb: str) -> Iterator[tuple[str, list[str]]]:
    """Give each command of a verb with its options."""
    tasks = [] if app[verb].default_command is not None else list(TASKS)
    commands = {f"{verb} {task}": app[verb][task] for task in tasks} or {verb: app[verb]}
    for command, its in commands.items():
        arguments = its.assemble_argument_collection()
        yield command, [name for each in arguments for name in each.names if name.startswith("-")]


def _together(verb: str, commands: Sequence[str]) -> list[str]:
    return [verb] if len(commands) == len(TASKS) else list(commands)


def _listed(commands: Sequence[str]) -> str:
    *first, last = [f"`kammerton {each}`" for each in commands]
    return f"{', '.join(first)} and {last}" if first else last


def hint_of_task(tokens: Sequence[str]) -> str:
    """Return the way out where paths stand in the place of a task."""
    verb, *rest = tokens
    task = next(iter(TASKS))
    return f"the task comes first: `kammerton {printable(shlex.join((verb, task, *rest)))}`"


_HINT = re.compile(r"\s*(Did you mean .*|Choose from: .*|Available commands: .*)", re.DOTALL)
_SURPLUS = re.compile(r"Unused Tokens: \[(.*)\]", re.DOTALL)
_STRANGER = re.compile(r'Unknown (?:option: |command )"?(--?[^\s"=]*[^\s"=.])')
_PIPE = re.compile(r'Unknown option: "?-"?\.')
_COMMAND = re.compile(r'Command "[^"]*" parameter ')


def as_option_error(
    error: CycloptsError, tokens: Sequence[str], hint_of_option: Callable[[str], str]
) -> OptionError:
    """Return a mistake that the parser found in the form of our own: lower-case, one line, a hint.

    Parameters
    ----------
    error : CycloptsError
    tokens : sequence of str
        What was typed.
    hint_of_option : callable
        Takes an option that the command does not have, and returns where it belongs.
    """
    text = str(error).strip()
    if _PIPE.match(text):
        return OptionError("nothing is read from standard input", "save it, and name the file or folder")
    stranger = _STRANGER.match(text)
    if stranger:
        option = stranger.group(1)
        return OptionError(f"unknown option: {printable(option)}", hint_of_option(option))
    if error.command_chain:  # below a verb, commands are tasks
        text = text.replace("Unknown command", "Unknown task").replace("Available commands", "Choose from")
    surplus = _SURPLUS.match(text)
    if surplus:
        return OptionError(f"arguments that nothing takes: {printable(surplus.group(1))}")
    text = _COMMAND.sub("", text)
    hint = _HINT.search(text)
    if error.command_chain and text.startswith("Unknown task") and _is_path(tokens[1]):
        known = "" if hint is None else f"; {_as_hint(hint.group(1))}"
        return OptionError(f"unknown task {quote(tokens[1])}", hint_of_task(tokens) + known)
    message = (text[: hint.start()] if hint else text).strip().rstrip(".")
    if not message[1:2].isupper():
        message = message[:1].lower() + message[1:]
    message = printable(message).replace('"', "`")
    return OptionError(message, None if hint is None else _as_hint(hint.group(1)))


def _is_path(token: str) -> bool:
    return "/" in token or os.sep in token or os.path.lexists(token)


def _as_hint(text: str) -> str:
    """Turn the parser's advice round: the suggestion first, then the choices."""
    choices, _, suggestion = text.partition("Did you mean ")
    listed = choices.strip().removeprefix("Choose from: ").removeprefix("Available commands: ").rstrip(". ")
    near = suggestion.partition("?")[0].strip('" ')
    parts = [f"did you mean `{near}`?"] if near else []
    return " ".join([*parts, *([f"known: {listed.replace(chr(34), '')}"] if listed else [])])


def check_command(kind: str, token: str | None, known: Sequence[str]) -> None:
    """Refuse a verb or task that does not exist, or is not there; an option may stand in its place.

    Raises
    ------
    OptionError
        With the nearest name.
    """
    if token is None:
        raise OptionError(f"which {kind}?", f"known: {', '.join(known)}")
    if token in known or token.startswith("-"):
        return
    near = close_match(token, known)
    hint = f"known: {', '.join(known)}"
    raise OptionError(f"unknown {kind} {quote(token)}", f"did you mean `{near}`? {hint}" if near else hint)


_INDENT = "  "
_WIDEST_TERM = 26
_NARROW = 50
"""Columns below which explanations stand below the terms."""


class PlainHelp:
    """Formats help for cyclopts, to a width of its own: the library's does not know pipes."""

    def __init__(self, width: int) -> None:
        self._width = width

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:  # noqa: ARG002
        """Print a list of commands, arguments or options."""
        if not panel.entries:
            return
        terms = [_term(entry, panel.format) for entry in panel.entries]
        width = min(max(map(len, terms)), _WIDEST_TERM, self._width // 3)
        lines = [f"{panel.title}:"] if panel.title else []
        for term, entry in zip(terms, panel.entries, strict=True):
            lines += _definition(term, _description(entry), width, self._width)
        _print(console, "\n".join(lines) + "\n")

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:  # noqa: ARG002
        """Print the usage line and what follows it."""
        _print(console, wrapped(_plain(usage), self._width) + "\n")

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:  # noqa: ARG002
        """Print what a command does."""
        text = _plain(description)
        if text:
            _print(console, wrapped(text, self._width) + "\n")


def _print(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def _plain(text: Any) -> str:
    text = getattr(text, "primary_renderable", text)
    return str(getattr(text, "plain", text) or "").strip()


def _term(entry: HelpEntry, kind: str) -> str:
    if kind == "command":
        return ", ".join((*entry.positive_names, *entry.positive_shorts))
    term = ", ".join(entry.display_labels_with_metavar)
    return term.replace("CHOICE", "|".join(entry.choices)) if entry.choices else term


def _description(entry: HelpEntry) -> str:
    text = " ".join(_plain(entry.description).split())
    default = "" if entry.default is None else str(entry.default).strip('"')
    return f"{text} [default: {default}]" if default not in ("", "False") else text


def _definition(term: str, text: str, width: int, columns: int) -> list[str]:
    """Return a term with its text beside it, or below it if the term is too long."""
    if columns < _NARROW:
        width = len(_INDENT)
    lead = " " * (len(_INDENT) + width + 2)
    body = textwrap.wrap(text, max(columns - len(lead), 12), break_on_hyphens=False) or [""]
    if len(term) > width:
        return [_INDENT + term, *(lead + line for line in body)]
    return [f"{_INDENT}{term:<{width}}  {body[0]}".rstrip(), *(lead + line for line in body[1:])]


def wrapped(text: str, columns: int) -> str:
    """Fill the paragraphs of a text to ``columns``; those that are indented stay as they are."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(
        part if part.startswith(" ") else textwrap.fill(part, columns, break_on_hyphens=False)
        for part in paragraphs
    )
