# SPDX-License-Identifier: MIT
"""The program: from arguments to a verb and an exit code, its help pages, and what it prints when it fails.

A verb is a function of the module that :data:`VERBS` names, imported only when the verb is called. Options
that are keywords of Python calls come from these: see :mod:`kammerton.cli.options`.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import re
import shlex
import signal
import sys
import tempfile
import textwrap
import traceback
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import kammerton
from kammerton.cli.output import (
    DONE,
    INTERNAL,
    NOTHING,
    OUTPUT,
    READER_GONE,
    USAGE,
    ReaderGoneError,
    Signals,
    print_diagnostics,
    print_message,
    print_messages,
    style_of,
    write_output,
)
from kammerton.errors import (
    DataError,
    KammertonError,
    OptionError,
    OutputError,
    TaskError,
    close_match,
    printable,
    quote,
)
from kammerton.model.registry import TASKS, find_task, known_tasks

if TYPE_CHECKING:
    from cyclopts import App, CycloptsError
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions


class _Verb(NamedTuple):
    """How a verb is called."""

    summary: str
    usage: str  # what follows the verb, and its task, on the usage line
    module: str  # of kammerton.cli
    calls: tuple[str, ...] = ()  # Python calls whose keywords are options
    takes_task: bool = True


VERBS: dict[str, _Verb] = {
    "score": _Verb(
        "Score one or several systems.", "(REF EST [EST ...] | RUN) [OPTIONS]", "scoring", ("score",)
    ),
    "compare": _Verb(
        "Rank systems, and test which differ significantly.",
        "(REF EST EST [EST ...] | RUN [RUN ...]) [OPTIONS]",
        "scoring",
        ("compare", "score"),
    ),
    "agree": _Verb(
        "Measure inter-annotator agreement.", "(ANN [ANN ...] | RUN) [OPTIONS]", "scoring", ("agree",)
    ),
    "report": _Verb(
        "Write runs as one HTML page.",
        "[NAME=]RUN [[NAME=]RUN ...] [OPTIONS]",
        "pages",
        ("report",),
        takes_task=False,
    ),
    "diff": _Verb(
        "Print what changed between two runs, item by item.",
        "RUN_A RUN_B [OPTIONS]",
        "pages",
        ("diff",),
        takes_task=False,
    ),
    "show": _Verb(
        "Show one item in the terminal, with its errors.",
        "(REF EST [EST ...] | RUN) [ITEM] [OPTIONS]",
        "pages",
        ("show",),
    ),
    "check": _Verb("Check annotation files.", "PATH [PATH ...] [OPTIONS]", "files", ("check",)),
    "convert": _Verb(
        "Convert annotation files between formats.",
        "[NAME=]IN [[NAME=]IN ...] OUT [OPTIONS]",
        "files",
        ("convert",),
    ),
    "pack": _Verb("Pack annotation files into one.", "PATH OUT.parquet [OPTIONS]", "files", ("pack",)),
    "fuse": _Verb(
        "Fuse several annotations of each item into one.",
        "SRC SRC [SRC ...] --out DIR [OPTIONS]",
        "systems",
        ("fuse",),
    ),
    "annotate": _Verb(
        "Run a system over a corpus, and write its annotations.",
        "INPUT [INPUT ...] [--system NAME] --out DIR [OPTIONS]",
        "systems",
        ("annotate",),
    ),
    "train": _Verb(
        "Train a system on annotations, and write its model.",
        "REF [REF ...] --system NAME --out FILE [OPTIONS]",
        "systems",
        ("train",),
    ),
    "scenes": _Verb(
        "Make music with known chords, instruments, beats, fingers.",
        "[--task TASK] --out DIR [OPTIONS]",
        "systems",
        ("scenes",),
        takes_task=False,
    ),
    "systems": _Verb(
        "List systems, or describe one: what it takes and reaches.",
        "[TASK] [NAME] [OPTIONS]",
        "systems",
        takes_task=False,
    ),
    "measures": _Verb(
        "Describe every protocol and measure: formula, range, source.",
        "[TASK] [PROTOCOL|PROTOCOL/MEASURE] [OPTIONS]",
        "lookup",
        takes_task=False,
    ),
    "explain": _Verb("Explain a diagnostic and how to mend it.", "[CODE]", "lookup", takes_task=False),
    "demo": _Verb("Score the bundled example.", "[--copy FOLDER | --report FILE]", "demo", takes_task=False),
}
"""The verbs by name; a verb is the function of that name in its module."""

_EPILOGUE = """\
Results go to standard output, everything else to standard error.
Exit codes: 0 done; 1 partial; 2 usage; 3 nothing could be scored; 4 internal error; \
5 output could not be written; 6 a gate failed; 130 stopped by Ctrl-C."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code; see :func:`kammerton.cli.main`."""
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    signals = Signals()
    try:
        with signals:
            code = _run(tokens)
            signals.check()
            return code
    except BaseException as error:
        if signals.number is not None:
            return _report_stop(signals.number, error, tokens)
        return _report(error, tokens)


_HELP = ("--help", "-h", "--help-all")


def _run(tokens: list[str]) -> int:
    from cyclopts import App, CycloptsError  # noqa: PLC0415 - inside, so that an interrupt is caught

    if "" in tokens:
        raise OptionError("an argument is empty", "is a variable of the shell not set?")
    if tokens:
        _check_known("command", tokens[0], VERBS)
    words = [token for token in tokens if token not in _HELP]  # which may stand anywhere
    is_whole = "--help-all" in tokens
    tokens = ["--help" if word == "--help-all" else word for word in tokens]
    takes_task = bool(words) and words[0] in VERBS and VERBS[words[0]].takes_task
    if takes_task and len(words) > 1 and (task := _task_of_run(words[1])) is not None:
        words.insert(1, task)
        tokens.insert(1, task)
    if takes_task and (len(words) > 1 or words == tokens):
        _check_task(*words)
    pages = _PlainHelp(style_of(sys.stdout).width, every=is_whole or not takes_task)
    app = _application(words, pages)
    try:
        command, bound, _ = app.parse_args(
            tokens or ["--help"], print_error=False, exit_on_error=False, end_of_options_delimiter="--"
        )
    except CycloptsError as error:
        if isinstance(error.__cause__, OptionError):  # of a converter, whose errors of values it wraps
            raise error.__cause__ from None
        raise _usage_error(error, tokens) from None
    if isinstance(getattr(command, "__self__", None), App):  # a help page or the version
        with contextlib.redirect_stdout(io.StringIO()) as page:
            command(*bound.args, **bound.kwargs)
        text = page.getvalue().replace("\n\n\n", "\n\n")
        write_output(text.replace(_THERE, pages.named()))
        return DONE
    return int(command(*bound.args, **bound.kwargs))


def _application(words: Sequence[str], pages: _PlainHelp) -> App:
    """Return the program, with the verb and the task that the words begin with, and the names of others."""
    from cyclopts import App  # noqa: PLC0415 - as above

    app = App(
        name="kammerton",
        help="Score music annotations.",
        help_epilogue=f"{_THERE}{_filled(_EPILOGUE, pages.width)}",
        version=kammerton.__version__,
        help_format="plaintext",
        help_formatter=pages,
        group_parameters="Options",
        usage="Usage: kammerton COMMAND ...",
    )
    command, task = (*words, None, None)[:2]
    for name, verb in VERBS.items():
        if name != command:
            app.command(App(name=name, help=verb.summary))
        elif not verb.takes_task:
            app.command(_command(name, None))
        else:
            app.command(_tasks_of(name, task))
    return app


def _tasks_of(name: str, chosen: str | None) -> App:
    """Return a verb with a sub-command for each task, of which the chosen one is loaded."""
    from cyclopts import App  # noqa: PLC0415 - as above

    verb = VERBS[name]
    app = App(
        name=name,
        help=verb.summary,
        usage=f"Usage: kammerton {name} TASK {verb.usage}\n\n"
        f"`kammerton {name} TASK --help` explains arguments and options.",
        group_commands="Tasks",
    )
    for task, about in (TASKS if chosen in TASKS else known_tasks()).items():
        app.command(_command(name, task) if task == chosen else App(name=task, help=about))
    return app


def _command(name: str, task: str | None) -> App:
    """Return a verb, of a task if it takes one, with its arguments and options."""
    from cyclopts import App  # noqa: PLC0415 - as above

    from kammerton.cli.options import OPTIONS, with_options  # noqa: PLC0415 - as above

    verb = VERBS[name]
    function = getattr(import_module(f"kammerton.cli.{verb.module}"), name)
    calls = [getattr(kammerton, call) for call in verb.calls]
    record = None if task is None else find_task(task)
    sided = name not in ("annotate", "check", "convert", "fuse", "train")
    command = with_options(function, calls, record, sided=sided)
    opening = (inspect.getdoc(function) or "").partition("\nParameters\n")[0].strip()
    words = " ".join(filter(None, ("Usage: kammerton", name, task, verb.usage)))
    app = App(name=task or name, help=opening, usage=words, group_parameters=OPTIONS)
    app.default(command)
    return app


def _report(error: BaseException, tokens: Sequence[str]) -> int:
    """Report what ended the program, if it was no signal that it has seen, and return the exit code."""
    if isinstance(error, ReaderGoneError):
        return READER_GONE
    if isinstance(error, DataError):
        return _report_data_error(error, quiet="--quiet" in tokens)
    if isinstance(error, KammertonError) and not isinstance(error, TaskError):
        return _report_error(error)
    if isinstance(error, OSError):
        return _report_error(_refused(error))
    if isinstance(error, KeyboardInterrupt) or "KEYBOARD_INTERRUPT" in str(error):  # how polars panics
        return _report_stop(signal.SIGINT, error, tokens)
    if isinstance(error, Exception):  # a traceback is no message
        return _report_crash(error, tokens)
    raise error


def _report_data_error(error: DataError, *, quiet: bool) -> int:
    """Print why data cannot be used at all; a task that is not known is a usage error in a run too."""
    from kammerton.reporting.diagnostics import count_problems  # noqa: PLC0415 - loads NumPy

    print_diagnostics(error.diagnostics, quiet=quiet)
    if not quiet:
        print_message(f"nothing was done: {count_problems(error.diagnostics)}")
    return USAGE if any(problem.code in ("KT250", "KT706") for problem in error.diagnostics) else NOTHING


def _report_error(error: KammertonError) -> int:
    """Print an error in the form of diagnostics, and return the exit code of its kind."""
    from kammerton.reporting.diagnostics import paint  # noqa: PLC0415 - loads NumPy

    text = str(error)
    if isinstance(error, OptionError) and error.hint is not None:  # its text is in the words of Python
        text = f"{error.message}\n  help: {error.hint}"
    first, *rest = text.split("\n")
    code, _, text = first.partition(" ")
    if not (isinstance(error, OutputError) and code.startswith("KT")):
        code, text = "", first
    kind = f"error[{code}]" if code else "error:"
    print_message(f"{paint(kind, 'error', colour=style_of(sys.stderr).colour)} {printable(text)}")
    print_messages(printable(line) for line in rest)
    return OUTPUT if isinstance(error, OutputError) else USAGE if isinstance(error, OptionError) else NOTHING


def _refused(error: OSError) -> OptionError:
    """Return the usage error for what the system refuses, as a name too long or a folder without rights."""
    if error.filename is None and isinstance(error, FileNotFoundError):
        return OptionError("the current folder does not exist any more", "change to another one")
    return OptionError(
        f"{(error.strerror or str(error)).lower()}: {quote(os.fsdecode(error.filename or ''))}"
    )


def _report_stop(number: int, error: BaseException, tokens: Sequence[str]) -> int:
    print_message(f"stopped by {signal.Signals(number).name}")
    for note in getattr(error, "__notes__", ()):
        if note.endswith(" kept"):
            print_message(f"  help: {note}; resume with: {shlex.join(('kammerton', *tokens))}")
    return 128 + number


def _report_crash(error: Exception, tokens: Sequence[str]) -> int:
    """Print one line, and write everything that a developer needs to a file."""
    from kammerton.formats.remote import with_shown_addresses  # noqa: PLC0415 - loads NumPy

    summary = traceback.format_exception_only(error)[-1].strip().partition("\n")[0]
    lines = (
        f"kammerton {kammerton.__version__}, Python {sys.version}, {sys.platform}",
        f"arguments: {tokens!r}",
        "",
        *traceback.format_exception(error),
    )
    where = ""
    with contextlib.suppress(OSError):
        descriptor, path = tempfile.mkstemp(prefix="kammerton-crash-", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(with_shown_addresses("\n".join(lines)))
        where = f"; a crash report is in {path}"
    message = f"error: {error}" if isinstance(error, TaskError) else f"internal error: {summary}"
    print_message(f"{printable(with_shown_addresses(message))}{where}")
    return INTERNAL


def _check_known(kind: str, token: str | None, known: Iterable[str]) -> None:
    """Refuse a verb or task that does not exist, or is missing; an option may stand in its place."""
    names = list(known)
    hint = f"known: {', '.join(names)}"
    if token is None:
        raise OptionError(f"which {kind}?", hint)
    if token in names or token.startswith("-"):
        return
    near = close_match(token, names)
    raise OptionError(f"unknown {kind} {quote(token)}", f"did you mean `{near}`? {hint}" if near else hint)


def _check_task(verb: str, task: str | None = None, *rest: str) -> None:
    """Refuse a task that does not exist, or is missing; a path in its place was meant for behind it."""
    if task in TASKS:  # those of other packages are looked for only if they are needed
        return
    known = known_tasks()
    if task is not None and task not in known and _is_path(task):
        arguments = printable(shlex.join((verb, next(iter(TASKS)), task, *rest)))
        hint = f"the task comes first: `kammerton {arguments}`"
        raise OptionError(f"unknown task {quote(task)}", f"{hint}; known: {', '.join(known)}")
    _check_known("task", task, known)


def _task_of_run(argument: str) -> str | None:
    """Return the task of a run that stands in place of a task, perhaps behind a name."""
    path = argument.partition("=")[2] if "=" in argument else argument
    if argument in TASKS or not os.path.isfile(os.path.join(path, "run.json")):  # noqa: PTH113, PTH118
        return None
    from kammerton.runs import is_run, task_of_run  # noqa: PLC0415 - loads NumPy

    return task_of_run(path) if is_run(path) else None


_NEAR = 0.75
"""Likeness above which a spelling is a slip: `protcol` is `protocol`, `cite` is not `title`."""


def _hint_of_option(tokens: Sequence[str], option: str) -> str:
    """Return the hint on an option that a command does not have.

    It names the commands that have the option, or the nearest option of this command, if one is near.
    """
    typed, name = tokens[0], option.strip("-")
    here = f"kammerton {typed}" if typed in VERBS else "kammerton"
    own: list[str] = []
    having: dict[str, list[str]] = {}
    for verb in VERBS:
        for command, names in _options_of(verb):
            words = command.split()
            if words == list(tokens[: len(words)]):
                here, own = f"kammerton {command}", names
            if option in names:
                having.setdefault(verb, []).append(command)
    near = _nearest(name.lower(), [option.strip("-") for option in own])
    if not having:
        return f"did you mean `--{near}`?" if near else f"`{here} --help` lists the options"
    verbs = [typed] if typed in having else list(having)
    commands: list[str] = []
    for verb in verbs:  # the verb alone if the commands of all tasks have the option
        commands += [verb] if len(having[verb]) == len(TASKS) else having[verb]
    *first, last = [f"`kammerton {command}`" for command in commands]
    listed = f"{', '.join(first)} and {last}" if first else last
    opening = f"did you mean `--{near}`? " if near.startswith(name) else ""
    return f"{opening}{quote(option)} is an option of {listed}"


def _nearest(name: str, own: Sequence[str]) -> str:
    """Return the option that begins like a name or is spelled nearly so, or nothing."""
    begun = [option for option in own if len(name) > 2 and option.startswith(name)]
    return next(iter((*begun, *get_close_matches(name, own, n=1, cutoff=_NEAR))), "")


def _options_of(verb: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of a verb with its options."""
    for task in TASKS if VERBS[verb].takes_task else (None,):
        arguments = _command(verb, task).assemble_argument_collection()
        names = [name for argument in arguments for name in argument.names if name.startswith("-")]
        yield verb if task is None else f"{verb} {task}", names


_HINT = re.compile(r"\s*(Did you mean .*|Choose from: .*)", re.DOTALL)
_UNKNOWN = re.compile(r'Unknown (?:option: |command )"?(--?[^\s"=]*[^\s"=.])')
_PIPE = re.compile(r'Unknown option: "?-"?\.')
_LACKING = re.compile(r"(?:Parameter )?(\S+) requires an argument")
_COMMAND = re.compile(r'Command "[^"]*" parameter ')


def _usage_error(error: CycloptsError, tokens: Sequence[str]) -> OptionError:
    """Return a usage error of the parser in the form of our own: lower-case, one line, a hint."""
    from cyclopts import UnusedCliTokensError  # noqa: PLC0415 - as above

    text = str(error).strip()
    if _PIPE.match(text):
        return OptionError("nothing is read from standard input", "save it, and name the file or folder")
    unknown = _UNKNOWN.match(text)
    if unknown:
        option = unknown.group(1)
        return OptionError(f"unknown option: {printable(option)}", _hint_of_option(tokens, option))
    if isinstance(error, UnusedCliTokensError):
        return OptionError(f"unexpected argument: {' '.join(map(quote, error.unused_tokens or ()))}")
    text = _COMMAND.sub("", text)
    hint = _HINT.search(text)
    message = (text[: hint.start()] if hint else text).strip().rstrip(".")
    if lacking := _LACKING.fullmatch(message):
        name = lacking[1].strip('"')
        message = f"{name} needs a value" if name.startswith("-") else f"{name} is needed"
    if not message[1:2].isupper():
        message = message[:1].lower() + message[1:]
    message = printable(message).replace('"', "`")
    if hint is None:
        return OptionError(message)
    # the parser's advice turned round: the suggestion first, then the choices
    choices, _, suggestion = hint[1].partition("Did you mean ")
    listed = choices.strip().removeprefix("Choose from: ").rstrip(". ").replace('"', "")
    near = suggestion.partition("?")[0].strip('" ')
    parts = [f"did you mean `{near}`?"] if near else []
    return OptionError(message, " ".join([*parts, *([f"known: {listed}"] if listed else [])]))


def _is_path(token: str) -> bool:
    return "/" in token or os.sep in token or os.path.lexists(token)


_INDENT = "  "
_WIDEST_TERM = 26
_NARROW = 50
"""Columns below which explanations stand below the terms."""


_MORE = "More options; `--help-all` explains every one in full:"
_THERE = "\0"
"""Stands where a page names the options that it does not explain, once all groups are there."""


class _PlainHelp:
    """Formats help for cyclopts, to a width of its own: the library's does not know pipes.

    Unless ``every`` option is asked for, those for later are only named, and of descriptions only the
    beginning is printed.
    """

    def __init__(self, width: int, *, every: bool) -> None:
        self.width, self._every = width, every
        self._later: dict[str, list[str]] = {}

    def named(self) -> str:
        """Return the options that were not explained, group by group."""
        lines = [
            textwrap.fill(
                f"{title}: {', '.join(names)}",
                self.width,
                initial_indent=_INDENT,
                subsequent_indent=2 * _INDENT,
                break_on_hyphens=False,
            )
            for title, names in self._later.items()
        ]
        return "\n".join((_filled(_MORE, self.width), *lines, "", "")) if lines else ""

    def _explained(self, panel: HelpPanel) -> list[HelpEntry]:
        """Return the entries of a panel that are not for later, and keep the names of those that are."""
        if self._every:
            return panel.entries
        from kammerton.cli.options import is_for_later  # noqa: PLC0415 - as above

        explained, title = [], str(panel.title)
        for entry in panel.entries:
            name = next((name for name in entry.positive_names if name.startswith("--")), "")
            if name and is_for_later(name, title):
                self._later.setdefault(title, []).append(name)
            else:
                explained.append(entry)
        return explained

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:  # noqa: ARG002
        """Print a list of commands, arguments or options."""
        entries = self._explained(panel)
        if not entries:
            return
        terms = [_term(entry, panel.format) for entry in entries]
        width = min(max(map(len, terms)), _WIDEST_TERM, self.width // 3)
        lines = [_filled(f"{panel.title}:", self.width)] if panel.title else []
        for term, entry in zip(terms, entries, strict=True):
            text = _description(
                entry, every=self._every or panel.format == "command" or panel.title == "Arguments"
            )
            lines += _definition(term, text, width, self.width)
        _print(console, "\n".join(lines) + "\n")

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:  # noqa: ARG002
        """Print the usage line and what follows it."""
        _print(console, _filled(_plain(usage), self.width) + "\n")

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:  # noqa: ARG002
        """Print what a command does."""
        text = _plain(description)
        if text:
            _print(console, _filled(text, self.width) + "\n")


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


def _description(entry: HelpEntry, *, every: bool) -> str:
    """Return every sentence, or the first up to a semicolon."""
    text = " ".join(_plain(entry.description).split())
    if not every:
        text = f"{re.split('; |[.] ', text, maxsplit=1)[0].rstrip('.')}."
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


def _filled(text: str, columns: int) -> str:
    """Fill the paragraphs of a text to ``columns``; those that are indented stay as they are."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(
        part if part.startswith(" ") else textwrap.fill(part, columns, break_on_hyphens=False)
        for part in paragraphs
    )
