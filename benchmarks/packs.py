# SPDX-License-Identifier: MIT
"""How much faster chords are scored from packs than from folders of files.

    python benchmarks/packs.py [--tracks 10000] [--repeats 3]

Tracks are those of ``tracks.py``. Each figure is one whole call of ``kammerton.score``, by one measure, by
one protocol, and by all, without intervals, imports excluded, in a process of its own that is told only the
paths; judging is the same for both. The medians of the repeats are printed, of elapsed time and of processor
time, with the load of the machine, and how long packing took. Files were written a moment ago, so that no
disk is waited for.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import tracks
from measuring import alone, peak_bytes

SOURCES = {"folders": "", "packs": ".parquet"}
CHOICES: dict[str, dict[str, Any]] = {
    "mirex2013/MajMin": {"measures": ["mirex2013/MajMin"]},
    "mirex2013": {"protocols": ["mirex2013"]},
    "all measures": {"protocols": "all"},
}
FEW = 10
"""Tracks that are scored before what is measured, so that nothing is imported in it."""


def main() -> None:
    parser = argparse.ArgumentParser(description="How much faster packs are than folders.")
    parser.add_argument("--tracks", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(*one(*given.one))
        return
    with tempfile.TemporaryDirectory() as folder:
        report(Path(folder), given.tracks, given.repeats)


def report(folder: Path, count: int, repeats: int) -> None:
    make(FEW, folder / "few")
    seconds = make(count, folder / "whole")
    print(f"{count:,} tracks, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"packing both sides: {seconds:.1f} s")
    for choice in CHOICES:
        print(f"\nby {choice}")
        compared({name: measured(folder, suffix, choice, repeats) for name, suffix in SOURCES.items()}, count)


def make(count: int, folder: Path) -> float:
    """Write folders and packs of tracks, and return how many seconds packing took."""
    tracks.make_folders(count, folder)
    began = time.perf_counter()
    for side in tracks.SIDES:
        command = ["pack", "chords", str(folder / side), str(folder / f"{side}.parquet"), "--quiet"]
        subprocess.run([sys.executable, "-m", "kammerton", *command], check=True)
    return time.perf_counter() - began


def compared(figures: dict[str, tuple[float, float, float]], count: int) -> None:
    for name, (elapsed, used, peak) in figures.items():
        rate = f"{count / elapsed:,.0f} tracks/s"
        print(f"{name:8} {elapsed:7.2f} s, {used:6.2f} s of processors, {rate}, peak {peak:.0f} MB")
    ratios = [figures["folders"][at] / figures["packs"][at] for at in (0, 1)]
    print(f"packs are {ratios[0]:.1f} times as fast, and take a {ratios[1]:.1f}th of the processor")


def measured(folder: Path, suffix: str, choice: str, repeats: int) -> tuple[float, float, float]:
    """Return medians of seconds, seconds of processors, and peaks of MB."""
    paths = [str(folder / size / f"{side}{suffix}") for size in ("few", "whole") for side in tracks.SIDES]
    runs = (alone(__file__, "--one", choice, *paths) for _ in range(repeats))
    found = [[float(each) for each in told.split()] for told in runs]
    elapsed, used, peak = (statistics.median(each) for each in zip(*found, strict=True))
    return elapsed, used, peak


def one(choice: str, few: str, few_estimates: str, whole: str, estimates: str) -> tuple[float, ...]:
    """Score once, and return seconds, seconds of processors, and the peak in MB."""
    from kammerton import score  # noqa: PLC0415 - what is imported is not measured

    chosen = CHOICES[choice]
    # what is imported as it is needed is imported for a few tracks
    score("chords", few, {"estimate": few_estimates}, ci=None, **chosen)
    began, used = time.perf_counter(), time.process_time()
    score("chords", whole, {"estimate": estimates}, ci=None, **chosen)
    return time.perf_counter() - began, time.process_time() - used, peak_bytes() / 1e6


if __name__ == "__main__":
    main()
