# SPDX-License-Identifier: MIT
"""How time and memory grow with the number of tracks, beside mir_eval's loop.

    python benchmarks/scaling.py [ITEMS ...] [--jobs 1 2] [--dask] [--protocol NAME ...] [--data FOLDER]

Packs of chord tracks (``benchmarks/tracks.py``: 80 rows on each side) are scored, from the packs to every
corpus figure, without intervals: the fifteen measures of ``mir_eval``, and what was confused with what. Each
run is a process of its own, imports excluded; memory is the most that it, or the largest of its workers,
ever held. mir_eval reads nothing: it evaluates 300 of the same tracks from arrays, and its loop is
extrapolated from them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

from measuring import alone, peak_bytes
from tracks import SIDES, make_packs, tracks

ITEMS = (1_000, 10_000, 100_000)
SAMPLE = 300


def main() -> None:
    parser = argparse.ArgumentParser(description="How time and memory grow with the number of tracks.")
    parser.add_argument("items", nargs="*", type=int, default=ITEMS, metavar="ITEMS")
    parser.add_argument("--jobs", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--dask", action="store_true", help="a Dask cluster of two workers too")
    parser.add_argument("--protocol", nargs="+", default=["mir_eval"], metavar="NAME")
    parser.add_argument("--data", type=Path, help="keep the packs there")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        print(json.dumps(one(**json.loads(given.one))))
        return
    with tempfile.TemporaryDirectory() as temporary:
        report(given, given.data or Path(temporary))


def report(given: argparse.Namespace, data: Path) -> None:
    load = os.getloadavg()[0]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{machine}, load {load:.1f}")
    each, cpu = mir_eval_seconds()
    print(f"mir_eval: {each * 1e3:.1f} ms for each of {SAMPLE} tracks, {cpu * 1e3:.1f} ms of CPU time\n")
    print(f"{'items':>9}  {'by':7} {'seconds':>8} {'CPU s':>8} {'us/item':>8} {'MB':>6}   x mir_eval (CPU)")
    for items in given.items:
        folder = data / str(items)
        if not all((folder / f"{side}.parquet").exists() for side in SIDES):
            make_packs(items, folder)
        ways: list[dict[str, Any]] = [{"jobs": jobs} for jobs in given.jobs]
        ways += [{"jobs": 2, "executor": "dask"}] * given.dask
        for way in ways:
            found = measured(folder, {"protocols": given.protocol, **way})
            by = "dask 2" if "executor" in way else f"{way['jobs']}"
            print(
                f"{items:9,}  {by:7} {found['seconds']:8.2f} {found['cpu']:8.2f} "
                f"{found['seconds'] / items * 1e6:8.0f} {found['bytes'] / 1e6:6,.0f} "
                f"{each * items / found['seconds']:10.1f} ({cpu * items / found['cpu']:.0f})",
                flush=True,
            )


def mir_eval_seconds() -> tuple[float, float]:
    """Return the seconds that mir_eval needs for a track, and those of CPU time."""
    import mir_eval  # noqa: PLC0415 - each side imports only what it measures

    sample = list(islice(tracks(SAMPLE), SAMPLE))
    begin, cpu = time.perf_counter(), time.process_time()
    for _, reference, estimate in sample:
        mir_eval.chord.evaluate(
            reference.intervals, list(reference.labels), estimate.intervals, list(estimate.labels)
        )
    return (time.perf_counter() - begin) / SAMPLE, (time.process_time() - cpu) / SAMPLE


def measured(folder: Path, way: dict[str, Any]) -> dict[str, float]:
    """Score packs in a process of its own, and return its time and memory."""
    found: dict[str, float] = json.loads(alone(__file__, "--one", json.dumps({"folder": str(folder), **way})))
    return found


def one(folder: str, **way: Any) -> dict[str, float]:
    """Score two packs."""
    import kammerton  # noqa: PLC0415

    reference, estimate = (str(Path(folder, f"{side}.parquet")) for side in SIDES)
    warm = {"song": ([(0, 1)], ["C"])}
    kammerton.score("chords", warm, warm, protocols=way["protocols"], ci=None).to_dict()
    begin, cpu = time.perf_counter(), cpu_seconds()
    scores = kammerton.score("chords", reference, estimate, ci=None, **way)
    scores.to_dict()
    seconds = time.perf_counter() - begin
    peak = max(peak_bytes(), peak_bytes(resource.RUSAGE_CHILDREN))
    return {"seconds": seconds, "cpu": cpu_seconds() - cpu, "bytes": peak}


def cpu_seconds() -> float:
    """Return what this process and its workers that have ended have used."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in both)


if __name__ == "__main__":
    main()
