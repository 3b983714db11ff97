# SPDX-License-Identifier: MIT
"""By what means a corpus is scored; none of them shows in the result."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass

from kammerton.engine.clusters import Cluster
from kammerton.engine.crews import Crew, Given, Here, Processes
from kammerton.engine.plan import SHARD
from kammerton.errors import OptionError

__all__ = ["Means", "crew_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """How the work is done.

    Parameters
    ----------
    size : int
        Items of a shard.
    jobs : int
        Processes that work side by side; 1 is the one that asks.
    executor : Executor or str, optional
        Works in their place: an executor, which is left open; ``dask`` for a new Dask cluster on this
        machine, with ``jobs`` workers; ``dask://host:port`` for one that is there.

    Raises
    ------
    OptionError
        If there are no jobs, or jobs and an executor.
    """

    size: int = SHARD
    jobs: int = 1
    executor: Executor | str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.jobs, int) or isinstance(self.jobs, bool) or self.jobs < 1:
            raise OptionError(f"jobs are 1 or more, got {self.jobs!r}")
        if not isinstance(self.executor, Executor | str | None):
            raise OptionError.of_type("executor", self.executor, "an Executor, dask, or dask://HOST:PORT")
        if self.jobs > 1 and self.executor not in (None, "dask"):
            raise OptionError("an executor knows how many jobs it has")


@contextmanager
def crew_of(means: Means) -> Iterator[Crew]:
    """Give those who work, and send them home afterwards."""
    crew = _crew(means)
    try:
        yield crew
    except BaseException:
        crew.close(at_once=True)
        raise
    crew.close(at_once=False)


def _crew(means: Means) -> Crew:
    if isinstance(means.executor, str):
        return Cluster(means.executor, means.jobs)
    if means.executor is not None:
        return Given(means.executor)
    return Processes(means.jobs) if means.jobs > 1 else Here()
