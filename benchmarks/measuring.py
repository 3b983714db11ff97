# SPDX-License-Identifier: MIT
"""How benchmarks measure: time in turns, memory in processes of their own."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

TURN_S = 1.0
"""Seconds that a turn lasts at least: one side runs many times in it, the other once."""


def timed(runs: dict[str, Callable[[], object]], repeats: int) -> dict[str, tuple[float, float]]:
    """Return the seconds of the first run of each, and the median of the turns behind it.

    They take turns, so that whatever else the machine does meets both. Who is quick runs until the turn is
    over, so that neither is measured on the caches that the other has left.
    """
    first = {name: seconds_of(run) for name, run in runs.items()}
    turns: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            turns[name].append(seconds_of(run, TURN_S))
    return {name: (first[name], statistics.median(turns[name])) for name in runs}


def seconds_of(run: Callable[[], object], at_least: float = 0.0) -> float:
    """Return the mean seconds of one run, over as many as take ``at_least`` seconds."""
    begin, count, passed = time.perf_counter(), 0, 0.0
    while not count or passed < at_least:
        run()
        count += 1
        passed = time.perf_counter() - begin
    return passed / count


def alone(script: str, *arguments: str) -> str:
    """Run a script in a process of its own, and return what it prints."""
    # A process starts with the peak of its parent: a small one stands between.
    between = [sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:], check=True)"]
    command = [*between, sys.executable, script, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def peak_bytes(who: int = resource.RUSAGE_SELF) -> int:
    """Return the most memory that this process, or the largest of its workers, ever held."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(who).ru_maxrss * unit
