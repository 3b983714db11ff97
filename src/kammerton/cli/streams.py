# SPDX-License-Identifier: MIT
"""Exit codes."""

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

__all__ = [
    "ReaderGoneError",
    "Signals",
    "StoppedError",
    "Style",
    "abandon",
    "check_stopped",
    "check_width",
    "is_screen",
    "say",
    "say_all",
    "style_of",
    "style_of_document",
    "write_out",
]

DONE = 0
PARTIAL = 1
"""Items failed or are missing, a gate failed, or there are findings."""
USAGE = 2
NOTHING = 3
"""Nothing could be scored, or the run was ended before."""
INTERNAL = 4
OUTPUT = 5
"""Output could not be written."""
READER_GONE = 141
"""Standard output was closed by its reader; what shells report of programs that SIGPIPE ends."""


_FILE_WIDTH = 80
"""Columns of tables in files, and where nobody says how many there are."""
_NARROWEST, _WIDEST = 20, 10_000


class ReaderGoneError(Exception):
    """Nobody reads standard output any more, as after ``| head``."""


@dataclass(frozen=True, slots=True)
class Style:
    """What a stream can show.

    Parameters
    ----------
    colour : bool
        Whether it understands colours, and the user wants them.
    width : int
        Columns.
    encoding : str
        What characters it has.
    """

    colour: bool
    width: int
    encoding: str


def style_of(stream: TextIO | None) -> Style:
    """Return what a stream can show; ``NO_COLOR``, ``TERM=dumb`` and ``COLUMNS`` are respected."""
    screen = is_screen(stream)
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return Style(screen and not plain, _width(stream if screen else None), encoding)


def style_of_document(output: str | None, width: int | None) -> Style:
    """Return what a document is drawn for: a file, or standard output if there is none."""
    plain = Style(colour=False, width=_FILE_WIDTH, encoding="utf-8")
    style = style_of(sys.stdout) if output is None else plain
    return style if width is None else replace(style, width=width)


def check_width(width: int | None) -> None:
    """Refuse tables of a width that nothing fits into."""
    if width is not None and not _NARROWEST <= width <= _WIDEST:
        raise OptionError(f"--width must be {_NARROWEST} to {_WIDEST:,} columns, got {width:,}")


def is_screen(stream: TextIO | None) -> bool:
    """Tell whether somebody looks at a stream."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def _width(screen: TextIO | None) -> int:
    told = os.environ.get("COLUMNS", "")
    if told.isascii() and told.isdecimal() and int(told) > 0:
        return int(told)
    if screen is not None:
        with contextlib.suppress(OSError, ValueError):
            return os.get_terminal_size(screen.fileno()).columns or _FILE_WIDTH
    return _FILE_WIDTH


def write_out(text: str, *, is_data: bool = False) -> None:
    """Write to standard output.

    Parameters
    ----------
    text : str
        What to write, with its last line end.
    is_data : bool
        Whether it is for programs: then it is UTF-8 whatever the locale says, unless a screen shows it.

    Raises
    ------
    ReaderGoneError
        If nobody reads.
    OutputError
        If it cannot be written.
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
        abandon(stream)
        raise ReaderGoneError from None
    except (OSError, ValueError) as error:
        abandon(stream)
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"KT502 cannot write standard output: {reason.lower()}") from error


def abandon(stream: TextIO) -> None:
    """Send what a stream still holds nowhere, so that closing it at exit does not fail again."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def say(line: str) -> None:
    """Write one line of talk; a standard error that is closed is no reason to fail."""
    say_all((line,))


def say_all(lines: Iterable[str]) -> None:
    """Write lines of talk, with as much of addresses as others may see: talk is kept in logs."""
    stream = sys.stderr
    if stream is None:
        return
    text = "".join(f"{line}\n" for line in lines)
    if "://" in text:
        from kammerton.formats.remote import with_shown_addresses  # noqa: PLC0415 - not for help

        text = with_shown_addresses(text)
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except (OSError, ValueError):
        abandon(stream)


class StoppedError(BaseException):
    """A signal asked the program to stop; not an Exception, so that nothing on the way swallows it."""


class _InterruptedError(KeyboardInterrupt):
    """Ctrl-C.

    Where ``KeyboardInterrupt`` itself leaves code that was a string, as libraries run while they are
    imported, ``python -m`` ends by the signal, whatever exit code it is given.
    """


class Signals:
    """Turns the signals that end a process into an exception, so that half-written files are removed.

    A signal is remembered: what is written in C, as NumPy is, may raise something else in place of the
    exception, which somebody may take for bad data and go on.

    Attributes
    ----------
    number : int or None
        Of the first signal that came.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for name in ("SIGHUP", "SIGINT", "SIGTERM"):
                number = getattr(signal, name, None)
                # an ignored signal stays ignored: that is how `nohup` works
                if number is not None and signal.getsignal(number) != signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._stop)
            _LOOKED_OUT_FOR.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        if self in _LOOKED_OUT_FOR:
            _LOOKED_OUT_FOR.remove(self)
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stop(self, number: int, _: FrameType | None) -> None:
        self.number = self.number or number
        self.check()

    def check(self) -> None:
        """Stop if a signal has come."""
        if self.number is not None:
            raise _InterruptedError if self.number == signal.SIGINT else StoppedError


_LOOKED_OUT_FOR: list[Signals] = []


def check_stopped() -> None:
    """Stop if a signal came and what it raised was lost: before results are written, and now and then."""
    if threading.current_thread() is threading.main_thread():
        for each in _LOOKED_OUT_FOR:
            each.check()
