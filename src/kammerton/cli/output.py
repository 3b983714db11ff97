# SPDX-License-Identifier: MIT
"""Standard output, standard error, and files of results; exit codes; signals that end the process.

Results go to standard output, messages to standard error. Nothing here imports NumPy: help pages need it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, TextIO

from kammerton.errors import OptionError, OutputError

if TYPE_CHECKING:
    from types import FrameType

    from kammerton.errors import Diagnostic

DONE = 0
PARTIAL = 1
"""Items failed or are missing, or there are findings."""
USAGE = 2
NOTHING = 3
"""Nothing could be scored, or the run was ended before."""
INTERNAL = 4
OUTPUT = 5
"""Output could not be written."""
GATE = 6
"""A threshold was not met, whether or not items failed too."""
READER_GONE = 141
"""Standard output was closed by its reader; what shells report of programs that SIGPIPE ends."""
_FILE_WIDTH = 80
"""Columns of tables in files, and where the terminal has no known width."""
_NARROWEST, _WIDEST = 20, 10_000


class ReaderGoneError(Exception):
    """The reader of standard output is gone, as after ``| head``."""


@dataclass(frozen=True, slots=True)
class Style:
    """What a stream can show."""

    colour: bool  # the stream understands colours, and the user wants them
    width: int  # columns
    encoding: str  # which characters it has


def style_of(stream: TextIO | None) -> Style:
    """Return what a stream can show; ``NO_COLOR``, ``TERM=dumb`` and ``COLUMNS`` are respected."""
    screen = is_screen(stream)
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return Style(screen and not plain, _width(stream if screen else None), encoding)


def style_of_document(output: str | None, width: int | None) -> Style:
    """Return the style of a document: that of a file, or of standard output if there is no file."""
    plain = Style(colour=False, width=_FILE_WIDTH, encoding="utf-8")
    style = style_of(sys.stdout) if output is None else plain
    return style if width is None else replace(style, width=width)


def check_width(width: int | None) -> None:
    """Refuse a width of tables that nothing fits into."""
    if width is not None and not _NARROWEST <= width <= _WIDEST:
        raise OptionError(f"--width must be {_NARROWEST} to {_WIDEST:,} columns, got {width:,}")


def is_screen(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def _width(screen: TextIO | None) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdecimal() and int(columns) > 0:
        return int(columns)
    if screen is not None:
        with contextlib.suppress(OSError, ValueError):
            return os.get_terminal_size(screen.fileno()).columns or _FILE_WIDTH
    return _FILE_WIDTH


def write_document(document: str, output: str | None, *, is_data: bool) -> None:
    """Write a document to a file, or to standard output if there is no file: see :func:`write_output`."""
    if output is None:
        write_output(document, is_data=is_data)
    else:
        from kammerton.formats.writing import write_atomically  # noqa: PLC0415 - loads NumPy

        check_stopped()
        write_atomically(output, document.encode("utf-8", "backslashreplace"))


def write_output(text: str, *, is_data: bool = False) -> None:
    """Write to standard output; data for programs are UTF-8 in any locale, unless a terminal shows them.

    Raises
    ------
    ReaderGoneError, OutputError
        If its reader is gone, or it cannot be written.
    """
    check_stopped()
    stream = sys.stdout
    if stream is None:
        raise OutputError("KT502 cannot write standard output: it is closed")
    if is_screen(stream) and is_data:
        from kammerton.reporting.escaping import for_screen  # noqa: PLC0415 - of no use to pipes

        text, is_data = for_screen(text), False
    encoding = "utf-8" if is_data else stream.encoding or "utf-8"
    data = text.encode(encoding, "backslashreplace")
    try:
        buffer = getattr(stream, "buffer", None)
        if buffer is None:
            stream.write(data.decode(encoding))
        else:
            stream.flush()
            buffer.write(data)
        stream.flush()
    except BrokenPipeError:
        _abandon(stream)
        raise ReaderGoneError from None
    except (OSError, ValueError) as error:
        _abandon(stream)
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"KT502 cannot write standard output: {reason.lower()}") from error


def _abandon(stream: TextIO) -> None:
    """Send what a stream still holds to the null device, so that closing it at exit does not fail again."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def print_message(line: str) -> None:
    """Print one line on standard error; a standard error that is closed is no reason to fail."""
    print_messages((line,))


def print_messages(lines: Iterable[str]) -> None:
    """Print lines on standard error, without the secrets in addresses: messages are kept in logs."""
    stream = sys.stderr
    if stream is None:
        return
    text = "".join(f"{line}\n" for line in lines)
    if "://" in text:
        from kammerton.formats.remote import with_shown_addresses  # noqa: PLC0415 - loads NumPy

        text = with_shown_addresses(text)
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except (OSError, ValueError):
        _abandon(stream)


def print_diagnostics(diagnostics: Iterable[Diagnostic], *, quiet: bool = False) -> None:
    """Print diagnostics, many of a kind grouped; only errors if ``quiet``."""
    from kammerton.reporting.diagnostics import render_grouped  # noqa: PLC0415 - loads NumPy

    style = style_of(sys.stderr)
    shown = [problem for problem in diagnostics if not quiet or problem.severity == "error"]
    print_messages(render_grouped(shown, colour=style.colour, width=style.width, encoding=style.encoding))


# --- signals --------------------------------------------------------------------------------------------


class StoppedError(BaseException):
    """A signal asked the program to stop; not an Exception, so that no handler on the way swallows it."""


class _InterruptedError(KeyboardInterrupt):
    """Ctrl-C.

    A plain ``KeyboardInterrupt`` from code that was a string, as libraries run while they are imported,
    makes ``python -m`` end by the signal, whatever exit code it is given.
    """


class Signals:
    """Turns the signals that end a process into an exception, so that half-written files are removed.

    It remembers the signal too: C code, such as NumPy's, may raise another exception in place of ours, and
    a caller may take that for bad data and go on.
    """

    def __init__(self) -> None:
        self.number: int | None = None  # of the first signal that came
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for name in ("SIGHUP", "SIGINT", "SIGTERM"):
                number = getattr(signal, name, None)
                # an ignored signal stays ignored: that is how `nohup` works
                if number is not None and signal.getsignal(number) != signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._stop)
            _ACTIVE.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        if self in _ACTIVE:
            _ACTIVE.remove(self)
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stop(self, number: int, _: FrameType | None) -> None:
        self.number = self.number or number
        self.check()

    def check(self) -> None:
        """Stop if a signal has come."""
        if self.number is not None:
            raise _InterruptedError if self.number == signal.SIGINT else StoppedError


_ACTIVE: list[Signals] = []


def check_stopped() -> None:
    """Stop if a signal came and its exception was lost: before results are written, and after each shard."""
    if threading.current_thread() is threading.main_thread():
        for signals in _ACTIVE:
            signals.check()
