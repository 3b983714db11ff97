# SPDX-License-Identifier: MIT
"""Dask clusters: one that is there, or one on this machine for as long as a run takes."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from time import monotonic
from typing import Any

from kammerton.engine.crews import Given
from kammerton.errors import DataError, Diagnostic, OptionError, quote

__all__ = ["Cluster"]

_PREFIX = "dask://"
_SECONDS = 10
"""How long a scheduler may take to answer."""

_LONELY_S = 60
"""How many seconds a scheduler may have no workers: those that are killed come back sooner, or never."""


class Cluster(Given):
    """Workers of a Dask cluster.

    Parameters
    ----------
    address : str
        ``dask://host:port`` of its scheduler; ``dask`` for a new one on this machine.
    jobs : int
        Workers of the new one; with 1 as many as there are cores.

    Raises
    ------
    OptionError
        If Dask is not installed, the address is none, or nobody answers there.
    """

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
        self.workers = max(self._present(), 1)

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
        """Hand it on as bytes: Dask looks for tasks in whatever else it is given, object by object."""
        return super().submit(_unpacked, pickle.dumps((function, arguments)))

    def _present(self) -> int:
        return len(self._client.scheduler_info(n_workers=-1)["workers"])

    def check(self) -> None:
        """Refuse to wait for a cluster that has had no workers for a minute.

        Raises
        ------
        DataError
            KT241.
        """
        now = monotonic()
        if self._present():
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = now
        elif now - self._alone_since >= _LONELY_S:
            message = f"the cluster has had no workers for {_LONELY_S} s"
            hint = "start workers, and run the same command again: what is finished is kept with --out"
            raise DataError((Diagnostic(code="KT241", severity="error", message=message, hint=hint),))

    def loss(self, error: BaseException) -> str | None:
        """Say that workers were lost to a shard; Dask gives one to several before it gives up."""
        return "worker killed" if isinstance(error, self._lost) else super().loss(error)

    def close(self, *, at_once: bool) -> None:
        """Leave the cluster; end it, if it was started for this."""
        super().close(at_once=at_once)
        self._open.close()


def _unpacked(work: bytes) -> Any:
    """Do what the run has sent."""
    function, arguments = pickle.loads(work)  # noqa: S301 - Dask serves the process that wrote it
    return function(*arguments)
