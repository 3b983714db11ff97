# SPDX-License-Identifier: MIT
"""Workers that score the shards: this process, several, or an executor of the caller's."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import secrets
import signal
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path
from time import monotonic
from typing import Any

from kammerton.errors import DataError, OptionError, quote

_MADE = 50_000
"""Objects that a process may have made before it looks for cycles among them."""


class WorkerPool(ABC):
    """Runs work; knows whether an error means that a worker was lost.

    Attributes
    ----------
    workers : int
        How many shards are worked on at the same time.
    """

    workers = 1

    @abstractmethod
    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Start to run a function."""

    def prepare(self, *known: object) -> None:  # noqa: B027 - most need not
        """Start the workers while the work is still planned; ``known`` is what all of it needs."""

    def loss(self, error: BaseException) -> str | None:
        """Return how a worker was lost; None if the error is one of the work itself."""
        return "out of memory" if isinstance(error, MemoryError) else None

    def check(self) -> None:  # noqa: B027 - most need not
        """Raise an error if no worker is left that could finish the work."""

    def renew(self) -> None:  # noqa: B027 - most need not
        """Get ready for work again after a worker was lost."""

    def close(self, *, at_once: bool) -> None:  # noqa: B027 - most need not
        """End the workers; at once, if nothing of what they do is needed any more."""


class SerialPool(WorkerPool):
    """Runs work in this process."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Run a function."""
        done: Future[Any] = Future()
        try:
            done.set_result(function(*arguments))
        except Exception as error:  # for the caller of result()
            done.set_exception(error)
        return done


class ProcessPool(WorkerPool):
    """Processes of this machine, each with one thread."""

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
        """Send a function to a process."""
        # By way of a file: whoever is killed while it sends something long would leave the pool waiting for
        # the rest of it for ever.
        path = Path(self._folder.name, secrets.token_hex(8))
        written = self._ask(_to_file, path, function, *arguments)
        self._note_started()
        future: Future[Any] = Future()
        written.add_done_callback(partial(_from_file, path, future))
        return future

    def prepare(self, *known: object) -> None:
        """Start the processes, and let each import what ``known`` needs."""
        with contextlib.suppress(BrokenExecutor):  # which is raised again once there is work
            for _ in range(self.workers):
                self._ask(bool, known)  # which unpickles, and so imports, what is known
        self._note_started()

    def _ask(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        try:
            return self._pool.submit(function, *arguments)
        except (OSError, ValueError) as error:
            if not getattr(self._pool, "_broken", False):
                raise
            # Another process ended while this one started: its pipes were closed.
            raise BrokenExecutor(str(error)) from error

    def _note_started(self) -> None:
        """Note the processes: the pool reports that one is gone, but not how."""
        self._started |= getattr(self._pool, "_processes", None) or {}

    def loss(self, error: BaseException) -> str | None:
        """Return how a process ended."""
        if not isinstance(error, BrokenExecutor):
            return super().loss(error)
        for process in self._started.values():  # the pool may not know of one that was just started
            process.terminate()
        self._pool.shutdown(wait=True)
        codes = {process.exitcode for process in self._started.values()}
        codes -= {None, 0, -signal.SIGTERM}  # those that were ended just now
        if not codes:
            return "worker killed"
        code = min(codes)
        return f"worker killed (signal {-code})" if code < 0 else f"worker ended with exit code {code}"

    def renew(self) -> None:
        """Start other processes."""
        self.close(at_once=True)
        self._open()

    def close(self, *, at_once: bool) -> None:  # noqa: ARG002 - either way
        """End the processes, which are idle, or whose work is not needed."""
        for process in list(self._started.values()):
            process.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._folder.cleanup()


def _to_file(path: Path, function: Callable[..., bytes], *arguments: Any) -> None:
    path.write_bytes(function(*arguments))


def _from_file(path: Path, future: Future[bytes], written: Future[None]) -> None:
    """Pass on what a process has written, or the error that it ended with."""
    if written.cancelled():
        future.cancel()
        return
    error = written.exception()
    if error is not None:
        future.set_exception(error)
        return
    future.set_result(path.read_bytes())
    path.unlink()


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
    assert parent is not None, "a worker has a parent"
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


class ExternalPool(WorkerPool):
    """An executor of the caller's, who closes it."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._running: set[Future[Any]] = set()
        self.workers: int = getattr(executor, "_max_workers", None) or os.cpu_count() or 1

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Submit a function to the executor."""
        future = self._executor.submit(function, *arguments)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return future

    def close(self, *, at_once: bool) -> None:
        """Cancel what has not begun."""
        if at_once:
            for future in list(self._running):
                future.cancel()


_PREFIX = "dask://"
_SECONDS = 10
"""How long a scheduler may take to answer."""
_LONELY_S = 60
"""How many seconds a scheduler may have no workers: those that are killed come back sooner, or never."""


class Cluster(ExternalPool):
    """Workers of a Dask cluster."""

    def __init__(self, address: str, jobs: int) -> None:
        if address != "dask" and not address.startswith(_PREFIX):
            raise OptionError(f"unknown executor {quote(address)}", "known: dask, dask://HOST:PORT")
        try:
            import distributed  # noqa: PLC0415 - half a second, and an extra
        except ImportError as error:
            raise OptionError.of_import("clusters need dask and distributed", "dask", error) from error
        self._open = ExitStack()
        self._lost: type[BaseException] = distributed.KilledWorker
        client = self._connect(distributed, address, jobs)
        super().__init__(client.get_executor(pure=False))  # what is done again is not taken from before
        self._client = client
        self._alone_since: float | None = None
        self.workers: int = max(self._present(), 1)

    def _connect(self, distributed: Any, address: str, jobs: int) -> Any:
        if address == "dask":
            cluster = distributed.LocalCluster(
                n_workers=jobs if jobs > 1 else os.cpu_count(),
                threads_per_worker=1,
                dashboard_address=":0",
            )
            return self._open.enter_context(distributed.Client(self._open.enter_context(cluster)))
        there = f"tcp://{address.removeprefix(_PREFIX)}"
        try:
            return self._open.enter_context(distributed.Client(there, timeout=_SECONDS))
        except (OSError, ValueError) as error:
            raise OptionError(f"no scheduler of Dask answers at {quote(address)}") from error

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Submit bytes: Dask looks for tasks in whatever else it gets, object by object."""
        return super().submit(_unpacked, pickle.dumps((function, arguments)))

    def _present(self) -> int:
        return len(self._client.scheduler_info(n_workers=-1)["workers"])

    def check(self) -> None:
        """Refuse to wait for a cluster that has had no workers for a minute."""
        now = monotonic()
        if self._present():
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = now
        elif now - self._alone_since >= _LONELY_S:
            message = f"the cluster has had no workers for {_LONELY_S} s"
            hint = "start workers, and run the same command again: what is finished is kept with --out"
            raise DataError.of("KT241", message, hint=hint)

    def loss(self, error: BaseException) -> str | None:
        """Return how workers were lost to a shard; Dask tries several before it gives up."""
        return "worker killed" if isinstance(error, self._lost) else super().loss(error)

    def close(self, *, at_once: bool) -> None:
        """Leave the cluster; end it, if it was started for this."""
        super().close(at_once=at_once)
        self._open.close()


def _unpacked(work: bytes) -> Any:
    """Run a function that came as bytes."""
    function, arguments = pickle.loads(work)  # noqa: S301 - Dask serves the process that wrote it
    return function(*arguments)


@contextmanager
def open_pool(jobs: int, executor: Executor | str | None) -> Iterator[WorkerPool]:
    """Start the workers, and end them afterwards."""
    pool: WorkerPool
    if isinstance(executor, str):
        pool = Cluster(executor, jobs)
    else:
        pool = ProcessPool(jobs) if executor is None else ExternalPool(executor)
    try:
        yield pool
    except BaseException:
        pool.close(at_once=True)
        raise
    pool.close(at_once=False)


def work_in_order(function: Callable[[Any], Any], parts: Sequence[Any], jobs: int) -> Iterator[Any]:
    """Give what a function returns for each part, in their order, worked on by several processes.

    What a process had that was lost is done here.
    """
    if jobs == 1 or len(parts) < 2:
        yield from map(function, parts)
        return
    with open_pool(min(jobs, len(parts)), None) as pool:
        pending = [pool.submit(_pickled, function, part) for part in parts]
        for part, future in zip(parts, pending, strict=True):
            try:
                result = pickle.loads(future.result())  # noqa: S301 - of a process of our own
            except BrokenExecutor:
                result = function(part)
            yield result


def _pickled(function: Callable[[Any], Any], part: Any) -> bytes:
    return pickle.dumps(function(part))
