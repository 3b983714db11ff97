# SPDX-License-Identifier: MIT
"""Make chord tracks for benchmarks: the same ones each time, as folders or as packs.

    python benchmarks/tracks.py 10000 OUT [--as folders|packs]

OUT gets ``reference`` and ``estimate``, with 80 rows in each track. An estimate has the boundaries of its
reference, most of them moved a little, and three in four of its labels. Any number of tracks takes the
memory of a thousand.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kammerton.chords import ChordAnnotation, ChordOptions
from kammerton.chords.task import TASK
from kammerton.formats.packs import new_pack
from kammerton.model.corpus import Collection
from kammerton.model.task import Reading

ROWS = 80
SIDES = ("reference", "estimate")
_BATCH = 1000
_ROOTS = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
_QUALITIES = ("maj", "min", "7", "min7", "maj7", "sus4", "dim", "maj/3")
LABELS = (*(f"{root}:{quality}" for quality in _QUALITIES for root in _ROOTS), "N")


class Track(NamedTuple):
    """A side of one track."""

    intervals: NDArray[np.float64]
    labels: tuple[str, ...]


def tracks(count: int) -> Iterator[tuple[str, Track, Track]]:
    """Give name, reference and estimate of each track."""
    for begin in range(0, count, _BATCH):
        # Whole batches are drawn, so that a track does not depend on how many there are.
        rng = np.random.default_rng((2026, begin))
        ends = np.cumsum(rng.integers(4, 40, (_BATCH, ROWS)), axis=1) / 8
        moved = ends + rng.integers(-3, 4, (_BATCH, ROWS)) / 32
        moved[:, -1] = ends[:, -1]
        said = rng.integers(0, len(LABELS), (_BATCH, ROWS))
        heard = np.where(rng.random((_BATCH, ROWS)) < 0.75, said, rng.integers(0, len(LABELS), said.shape))
        for at in range(min(_BATCH, count - begin)):
            yield f"{begin + at:08d}", _track(ends[at], said[at]), _track(moved[at], heard[at])


def _track(ends: NDArray[np.float64], labels: NDArray[np.int64]) -> Track:
    starts = np.concatenate(([0.0], ends[:-1]))
    return Track(np.column_stack((starts, ends)), tuple([LABELS[label] for label in labels.tolist()]))


def make_folders(count: int, target: Path) -> None:
    """Write a folder of .lab files for each side, a thousand files in each folder below."""
    for name, *sides in tracks(count):
        for side, track in zip(SIDES, sides, strict=True):
            path = target / side / name[:-3] / f"{name}.lab"
            path.parent.mkdir(parents=True, exist_ok=True)
            rows = zip(track.intervals.tolist(), track.labels, strict=True)
            path.write_text("".join(f"{start} {end} {label}\n" for (start, end), label in rows))


def make_packs(count: int, target: Path) -> None:
    """Write a pack for each side."""
    target.mkdir(parents=True, exist_ok=True)
    for number, side in enumerate(SIDES):
        with new_pack(target / f"{side}.parquet", TASK, ChordOptions()) as writer:
            writer.begin(Collection(side, {}))
            for name, *pair in tracks(count):
                found = Reading(((None, ChordAnnotation(*pair[number])),))
                writer.add(f"{name[:-3]}/{name}", None, None, found)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make chord tracks for benchmarks.")
    parser.add_argument("count", type=int)
    parser.add_argument("target", type=Path)
    parser.add_argument("--as", dest="form", choices=("folders", "packs"), default="packs")
    given = parser.parse_args()
    (make_folders if given.form == "folders" else make_packs)(given.count, given.target)


if __name__ == "__main__":
    main()
