# SPDX-License-Identifier: MIT
"""Products of large matrices whose last bit does not depend on how many cores there are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["each_block"]

B = TypeVar("B")
T = TypeVar("T")

_MOST_WORKERS = 4
"""Each holds a block of draws and what is made of it."""


def each_block(work: Callable[[B], T], blocks: Iterable[B]) -> Iterator[T]:
    """Give what ``work`` makes of each block, in order.

    Blocks are worked on side by side, each on one thread of the linear algebra library: how it cuts a
    product up among threads decides in which order numbers are added.

    Parameters
    ----------
    work : callable
        Must not depend on other blocks.
    blocks : iterable
        What it is called with.
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415 - only who resamples needs it

    workers = min(_MOST_WORKERS, os.cpu_count() or 1)
    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(workers) as pool:
        yield from pool.map(work, blocks)
