# SPDX-License-Identifier: MIT
"""How fast chords of several sources are fused, and how much memory that takes.

    python benchmarks/fusion.py [SONGSxSOURCES ...]

Songs have 90 chords; each source moves boundaries a little and has another label for one row in five. A
figure is one call of ``kammerton.fuse`` that reads folders and writes one, imports excluded, in a process of
its own.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from measuring import alone, peak_bytes

import kammerton as kt

TARGETS = {"217x6": (8.0, 1000), "10000x3": (180.0, 1000)}
"""Seconds and MB that a corpus may take."""
_ROWS = 90
_ROOTS = ("C", "Db", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
_QUALITIES = (":maj", ":min", ":7", ":min7", ":maj7", "/3", "")
_PALETTE = 8
"""Different chords of a song."""


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast chords of several sources are fused.")
    parser.add_argument("corpora", nargs="*", default=list(TARGETS), metavar="SONGSxSOURCES")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(*one(arguments.one))
        return
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for corpus in arguments.corpora:
        elapsed, used, peak = map(float, alone(__file__, "--one", corpus).split())
        line = f"{corpus:>9} {elapsed:7.1f} s, {used:6.1f} s of processors, peak {peak:.0f} MB"
        if corpus in TARGETS:
            seconds, megabytes = TARGETS[corpus]
            line += f" (at most {seconds:.0f} s and {megabytes:,} MB)"
            line += "" if elapsed <= seconds and peak <= megabytes else "  MISSED"
        print(line)


def one(corpus: str) -> tuple[float, float, float]:
    """Return seconds, seconds of processors and peak of MB of one fusion."""
    songs, sources = map(int, corpus.split("x"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folders = {f"s{source}": folder / f"s{source}" for source in range(sources)}
        for path in folders.values():
            path.mkdir()
        for song, texts in enumerate(_songs(songs, sources)):
            for path, text in zip(folders.values(), texts, strict=True):
                (path / f"{song:05}.lab").write_text(text)
        kt.fuse("chords", {"a": {"song": ([(0, 1)], ["C"])}, "b": {"song": ([(0, 1)], ["G"])}})  # imports
        began, used = time.perf_counter(), time.process_time()
        kt.fuse("chords", folders, out=folder / "out")
        return time.perf_counter() - began, time.process_time() - used, peak_bytes() / 1e6


def _songs(songs: int, sources: int) -> Iterator[list[str]]:
    """Give the text of each source for each song."""
    rng = np.random.default_rng(0)
    for _ in range(songs):
        ends = np.cumsum(rng.uniform(0.5, 4, _ROWS))
        roots, qualities = rng.integers(0, len(_ROOTS), _PALETTE), rng.integers(0, len(_QUALITIES), _PALETTE)
        palette = [_ROOTS[root] + _QUALITIES[quality] for root, quality in zip(roots, qualities, strict=True)]
        labels = rng.integers(0, _PALETTE, _ROWS)
        texts = []
        for _ in range(sources):
            times = np.append(0, np.sort(ends + rng.uniform(-0.2, 0.2, _ROWS))).round(3)
            own = np.where(rng.random(_ROWS) < 0.8, labels, rng.integers(0, _PALETTE, _ROWS))
            rows = zip(times[:-1].tolist(), times[1:].tolist(), own.tolist(), strict=True)
            texts.append("".join(f"{start}\t{end}\t{palette[code]}\n" for start, end, code in rows))
        yield texts


if __name__ == "__main__":
    main()
