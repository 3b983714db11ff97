# SPDX-License-Identifier: MIT
"""Who works on shards: this process, processes of this machine, or any executor."""

from __future__ import annotations

import contextlib
import gc
import os
import secrets
import signal
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

__all__ = ["Crew", "Given", "Here", "Processes"]

_MADE = 50_000
"""Objects that a process may have made before it looks for cycles among them."""


class Crew(ABC):
    """Takes work, and says of an error whether it means that a worker was lost.

    Attributes
    ----------
    workers : int
        How many shards are worked on at the same time.
    here : bool
        Whether work is done by this process, which needs no bytes.
    """

    workers = 1
    here = False

    @abstractmethod
    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Take work."""

    def prepare(self, *known: object) -> None:  # noqa: B027 - most need not
        """Let workers start while the work is still planned; ``known`` is what all of it needs."""

    def loss(self, error: BaseException) -> str | None:
        """Say how a worker was lost; None if the error is one of the work itself."""
        return "out of memory" if isinstance(error, MemoryError) else None

    def check(self) -> None:  # noqa: B027 - most need not
        """Refuse to wait any longer if nobody will finish what was handed out."""

    def renew(self) -> None:  # noqa: B027 - most need not
        """Make ready for work again after a worker was lost."""

    def close(self, *, at_once: bool) -> None:  # noqa: B027 - most need not
        """Send everybody home; at once, if nothing of what they do is wanted any more."""


class Here(Crew):
    """The process that asks."""

    here = True

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Do it."""
        done: Future[Any] = Future()
        try:
            done.set_result(function(*arguments))
        except Exception as error:  # whoever asks for the result gets it
            done.set_exception(error)
        return done


class Processes(Crew):
    """Processes of this machine, each with one thread.

    Parameters
    ----------
    jobs : int
        How many.
    """

    def __init__(self, jobs: int) -> None:
        self.workers = jobs
        self._open()

    def _open(self) -> None:
        self._started: dict[int, Any] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="kammerton-")
        self._pool = ProcessPoolExecutor(
            self.workers, mp_context=get_context("spawn"), initializer=_begin_work
        )

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Hand it to a process."""
        # By way of a file: whoever is killed while it sends something long would leave the pool waiting for
        # the rest of it for ever.
        path = Path(self._folder.name, secrets.token_hex(8))
        written = self._ask(_to_file, path, function, *arguments)
        self._note_started()
        future: Future[Any] = Future()
        written.add_done_callback(partial(_from_file, path, future))
        return future

    def prepare(self, *known: object) -> None:
        """Start the processes, and let each import what it needs to understand what is known."""
        with contextlib.suppress(BrokenExecutor):  # which is told once there is work
            for _ in range(self.workers):
                self._ask(_understand, *known)
        self._note_started()

    def _ask(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        try:
            return self._pool.submit(function, *arguments)
        except (OSError, ValueError) as error:
            if not getattr(self._pool, "_broken", False):
                raise
            # By a process that ended while this one was to start: what it is given was closed.
            raise BrokenExecutor(str(error)) from error

    def _note_started(self) -> None:
        """Note the processes: the pool tells that one is gone, but not how."""
        self._started |= getattr(self._pool, "_processes", None) or {}

    def loss(self, error: BaseException) -> str | None:
        """Say how a process ended."""
        if not isinstance(error, BrokenExecutor):
            return super().loss(error)
        for process in self._started.values():  # the pool may not know of one that was just started
            process.terminate()
        self._pool.shutdown(wait=True)
        codes = {process.exitcode for process in self._started.values()}
        codes -= {None, 0, -signal.SIGTERM}  # of those that were left over
        return f"worker {_ended(min(codes))}" if codes else "worker killed"

    def renew(self) -> None:
        """Start other processes."""
        self.close(at_once=True)
        self._open()

    def close(self, *, at_once: bool) -> None:  # noqa: ARG002 - either way
        """End the processes, which have given what they had to give, or are to give nothing."""
        for process in list(self._started.values()):
            process.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._folder.cleanup()


def _understand(*known: object) -> None:
    """Do nothing more than to have been told."""


def _to_file(path: Path, function: Callable[..., bytes], *arguments: Any) -> None:
    path.write_bytes(function(*arguments))


def _from_file(path: Path, future: Future[bytes], written: Future[None]) -> None:
    """Hand on what a process has written, or the error that it ended with."""
    if written.cancelled():
        future.cancel()
        return
    error = written.exception()
    if error is not None:
        future.set_exception(error)
        return
    future.set_result(path.read_bytes())
    path.unlink()


def _ended(code: int) -> str:
    return f"killed (signal {-code})" if code < 0 else f"ended with exit code {code}"


def _begin_work() -> None:
    """Prepare a process: one thread, no interest in Ctrl-C, no life without the process that started it.

    Next to nothing of what it makes is in cycles, so they are looked for less often.
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415 - for workers alone

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["POLARS_MAX_THREADS"] = "1"  # read when it is imported, which is later
    threadpool_limits(1)
    gc.freeze()
    gc.set_threshold(_MADE)
    parent = parent_process()
    assert parent is not None, "a worker was started by somebody"
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


class Given(Crew):
    """An executor of the caller's, who closes it.

    Parameters
    ----------
    executor : Executor
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._running: set[Future[Any]] = set()
        self.workers = getattr(executor, "_max_workers", None) or os.cpu_count() or 1

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Hand it on."""
        future = self._executor.submit(function, *arguments)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return future

    def close(self, *, at_once: bool) -> None:
        """Take back what was not begun."""
        if at_once:
            for future in list(self._running):
                future.cancel()
