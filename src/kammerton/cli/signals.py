# SPDX-License-Identifier: MIT
"""Signals that end the process: an exception on the way, and a memory of it."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import FrameType


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
