# SPDX-License-Identifier: MIT
"""What a computation costs, in a unit that is the same on fast, slow and busy machines."""

from collections.abc import Callable
from time import process_time
from typing import TypeVar

__all__ = ["effort"]

Result = TypeVar("Result")


def effort(run: Callable[[], Result]) -> tuple[float, Result]:
    """Return the CPU time of a call, in times of a loop of Python that takes about 10 ms, and its result.

    The loop is timed before and after the call, and the slower time counts: what slows the machine down
    slows both. Bounds are ten times what was measured, and more: the call may be traced for coverage.
    """
    before, start = _yardstick(), process_time()
    result = run()
    spent = process_time() - start
    return spent / max(before, _yardstick()), result


def _yardstick() -> float:
    start, total = process_time(), 0
    for number in range(500_000):
        total += number & 7
    assert total == 1_750_000
    return process_time() - start
