# SPDX-License-Identifier: MIT
"""From arguments to exit code: the verbs, and what happens when something goes wrong."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import signal
import sys
import tempfile
import traceback
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from kammerton.cli.exit_codes import DONE, INTERNAL, NOTHING, OUTPUT, READER_GONE, USAGE
from kammerton.cli.streams import ReaderGoneError, Signals, say, say_all, style_of, write_out
from kammerton.errors import DataError, KammertonError, OptionError, OutputError, printable, quote
from kammerton.version import __version__

if TYPE_CHECKING:
    from cyclopts import App

__all__ = ["VERBS", "run"]

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

    from kammerton.cli.elsewhere import hint_of_option  # noqa: PLC0415
    from kammerton.cli.tasks import add_tasks_of_others  # noqa: PLC0415
    from kammerton.cli.usage import as_option_error, check_command  # noqa: PLC0415
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

    from kammerton.cli.help_pages import PlainHelp, wrapped  # noqa: PLC0415

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
    from kammerton.cli.talk import say_problems  # noqa: PLC0415
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
    from kammerton.formats.remote.addresses import with_shown_addresses  # noqa: PLC0415 - for crashes only

    where = ""
    with contextlib.suppress(OSError):
        descriptor, path = tempfile.mkstemp(prefix="kammerton-crash-", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(with_shown_addresses(report))
        where = f"; a crash report is in {path}"
    say(f"internal error: {printable(with_shown_addresses(summary))}{where}")
    return INTERNAL
