# SPDX-License-Identifier: MIT
"""Whether intervals cover what they should, whether tests reject as often as they should, and how fast.

    python benchmarks/uncertainty.py speed
    python benchmarks/uncertainty.py coverage [--collections N]
    python benchmarks/uncertainty.py rejection [--collections N]

``coverage`` simulates a world of songs whose figures are known, draws collections from it, and counts how
often the 95 % interval of a collection holds the figure of the world. ``rejection`` draws collections on
which two systems do not differ, and counts how often a test at 5 % says that they do. In worlds with albums,
songs of one album are alike; the same collections are then judged with albums as clusters, and without.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from measuring import peak_bytes
from numpy.typing import NDArray

import kammerton
from kammerton.chords import TASK
from kammerton.model.evidence import Evidence, Row, Rows
from kammerton.model.measure import Measure
from kammerton.results.comparison import compare
from kammerton.results.groups import Groups, groups_of
from kammerton.results.scores import Scores
from kammerton.results.signature import Grouping, Origin
from kammerton.statistics.intervals import intervals
from kammerton.statistics.resampling import BootstrapSettings, ScoreKey

MEASURE = next(measure for measure in TASK.measures if str(measure) == "mirex2013/MajMin")
AGGREGATES = ("pooled", "mean", "median")
TARGET_SECONDS, TARGET_MEGABYTES = 20, 2000

Array = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Whether intervals and tests keep what they say, and how fast."
    )
    parser.add_argument("what", choices=("speed", "coverage", "rejection"))
    parser.add_argument("--collections", type=int, default=2000)
    parser.add_argument("--resamples", type=int, default=1000)
    given = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions()}\n")
    if given.what == "speed":
        speed()
    elif given.what == "coverage":
        coverage(given.collections, given.resamples)
    else:
        rejection(given.collections, given.resamples)


def versions() -> str:
    return f"NumPy {np.__version__}, SciPy {scipy.__version__}, kammerton {kammerton.__version__}"


# --- worlds --------------------------------------------------------------------------------


@dataclass(frozen=True)
class World:
    """Songs of albums: each has a length, and each system a share of it that it gets right.

    Parameters
    ----------
    albums : int
        How many of them make a collection.
    songs : float
        Songs of an album beyond the first, on average.
    alike : float
        How far songs of an album are alike: part of the variance of how hard they are.
    """

    name: str
    albums: int
    songs: float = 0.0
    alike: float = 0.0

    def draw(
        self, rng: np.random.Generator, systems: int = 1, albums: int = 0
    ) -> tuple[NDArray[np.int64], Array, Array]:
        """Return the album, the length, and the right share by each system, of each song."""
        album = np.repeat(
            np.arange(albums or self.albums), 1 + rng.poisson(self.songs, albums or self.albums)
        )
        songs = len(album)
        common = rng.normal(size=album[-1] + 1)[album]
        hard = math.sqrt(self.alike) * common + math.sqrt(1 - self.alike) * rng.normal(size=songs)
        # long songs are a little harder: the pooled figure is not the mean
        length = 200 * np.exp(0.4 * (0.5 * hard + math.sqrt(0.75) * rng.normal(size=songs)))
        # what a system makes of a song beyond its being hard: alike within an album as well
        own = math.sqrt(self.alike) * rng.normal(size=(album[-1] + 1, systems))[album]
        own = own + math.sqrt(1 - self.alike) * rng.normal(size=(songs, systems))
        right = 1 / (1 + np.exp(-(1.2 - hard[:, None] + 0.5 * own)))
        return album, length, right

    def truth(self, songs: int = 4_000_000) -> dict[str, float]:
        """Return the figures of the world, from very many songs."""
        albums = int(songs / (1 + self.songs))
        _, length, right = self.draw(np.random.default_rng(0), albums=albums)
        share = right[:, 0]
        pooled = float((share * length).sum() / length.sum())
        return {"pooled": pooled, "mean": float(share.mean()), "median": float(np.median(share))}


INDEPENDENT = [World(f"{songs} songs", songs) for songs in (20, 50, 100, 200)]
CLUSTERED = [World(f"{albums} albums of 5 songs", albums, songs=4, alike=0.5) for albums in (20, 60)]


def scores_of(length: Array, right: Array) -> Scores:
    """Return scores of systems that get these shares of songs right."""
    systems = right.shape[1]
    songs = [f"{number:06}" for number in range(len(length))]
    rows = Rows.of(Row(f"system {system}", song, "reference") for system in range(systems) for song in songs)
    statistics = np.zeros((len(rows), len(MEASURE.formula.statistics)))
    names = list(MEASURE.formula.statistics)
    statistics[:, names.index("correct_chord")] = (right * length[:, None]).T.ravel()
    statistics[:, names.index("deleted")] = ((1 - right) * length[:, None]).T.ravel()
    return made({MEASURE: statistics}, rows)


def made(statistics: Mapping[Measure, Array], rows: Rows) -> Scores:
    fingerprints = {(row.annotator, row.item): b"" for row in rows}
    evidence = Evidence(tuple(statistics), {"pair": rows}, statistics, {}, fingerprints)
    origin = Origin(task=TASK, evidence=evidence, missing="worst", options=TASK.options(), choices={})
    return Scores(origin)


def clusters_of(album: NDArray[np.int64]) -> dict[str, str]:
    return {f"{number:06}": str(each) for number, each in enumerate(album.tolist())}


def shown(share: float, count: int) -> str:
    """Return a share and its standard error, in per cent."""
    return f"{100 * share:6.1f} ± {100 * math.sqrt(share * (1 - share) / count):.1f}"


# --- coverage ------------------------------------------------------------------------------


def coverage(collections: int, resamples: int) -> None:
    print(
        f"95 % intervals, {collections:,} collections, {resamples:,} resamples: how many hold the truth, %\n"
    )
    print(f"{'world':22} {'drawn':8} {'interval':11}" + "".join(f"{how:>13}" for how in AGGREGATES))
    for world in (*INDEPENDENT, *CLUSTERED):
        truth = world.truth()
        found: dict[tuple[str, str], list[Array]] = {}
        for seed in range(collections):
            for key, hits in held(world, truth, seed, resamples):
                found.setdefault(key, []).append(hits)
        for (drawn, method), hits_of in found.items():
            shares = np.mean(hits_of, axis=0)
            print(
                f"{world.name:22} {drawn:8} {method:11}"
                + "".join(f"{shown(s, collections):>13}" for s in shares)
            )


def held(
    world: World, truth: Mapping[str, float], seed: int, resamples: int
) -> Iterator[tuple[tuple[str, str], Array]]:
    """Give what was drawn, the kind of interval, and which aggregates it holds."""
    album, length, right = world.draw(np.random.default_rng(1_000_000 + seed))
    scores = scores_of(length, right)
    for drawn in ("songs", "albums") if world.alike else ("songs",):
        clusters = clusters_of(album) if drawn == "albums" else None
        for method in ("percentile", "bca"):
            choices: dict[str, Any] = {"method": method, "clusters": clusters}
            found = intervals(scores, BootstrapSettings(seed=seed, resamples=resamples, **choices))
            ends = [found[ScoreKey("system 0", "reference", MEASURE, how)] for how in MEASURE.aggregates]
            hits = [
                low <= truth[how] <= high for how, (low, high) in zip(MEASURE.aggregates, ends, strict=True)
            ]
            yield (drawn, method), np.array(hits, dtype=float)


# --- rejection -----------------------------------------------------------------------------


def rejection(collections: int, permutations: int) -> None:
    print(
        f"two equal systems, {collections:,} collections, {permutations:,} permutations: rejected at 5 %, %\n"
    )
    tests = ("permutation", "t", "wilcoxon", "friedman")
    print(f"{'world':22} {'swapped':8}" + "".join(f"{test:>13}" for test in tests))
    for world in (*INDEPENDENT, *CLUSTERED):
        rejected: dict[str, list[list[bool]]] = {}
        for seed in range(collections):
            album, length, right = world.draw(np.random.default_rng(2_000_000 + seed), systems=2)
            scores = scores_of(length, right)
            for swapped in ("songs", "albums") if world.alike else ("songs",):
                clusters = clusters_of(album) if swapped == "albums" else None
                row = [reject(scores, test, seed, permutations, clusters) for test in tests]
                rejected.setdefault(swapped, []).append(row)
        for swapped, rows in rejected.items():
            shares: Sequence[float] = np.mean(rows, axis=0).tolist()
            print(f"{world.name:22} {swapped:8}" + "".join(f"{shown(s, collections):>13}" for s in shares))


def reject(
    scores: Scores, test: Any, seed: int, permutations: int, clusters: Mapping[str, str] | None
) -> bool:
    choices: dict[str, Any] = {"test": test, "clusters": clusters, "seed": seed}
    found = compare(scores, resamples=1, permutations=permutations, **choices)
    return found.measures[0].pairs[0].adjusted < 0.05


# --- speed ---------------------------------------------------------------------------------


def speed(items: int = 10_000, systems: int = 5, count: int = 20) -> None:
    scores = large(items, systems, count)
    print(f"{items:,} items x {count} measures x {systems} systems, 10,000 draws")
    timed("intervals of all figures", lambda: len(list(intervals(scores).values())))
    timed("comparison of all pairs", lambda: len(compare(scores).measures))
    timed("figures of ten groups", lambda: len(in_groups(scores, items).rows))
    print(f"{'peak memory':26} {peak_bytes() / 1e6:8.0f} MB   target below {TARGET_MEGABYTES} MB")


def in_groups(scores: Scores, items: int, groups: int = 10) -> Groups:
    """Return figures of groups with intervals, and what each group costs."""
    of = {f"{item:06}": str(item % groups) for item in range(items)}
    return groups_of(scores, scores.origin, Grouping("group", of), BootstrapSettings())


def timed(name: str, run: Any) -> None:
    begin = time.perf_counter()
    figures = run()
    seconds = time.perf_counter() - begin
    print(f"{name:26} {seconds:8.1f} s    target below {TARGET_SECONDS} s   ({figures} of them)")


def large(items: int, systems: int, count: int) -> Scores:
    """Return scores by real measures of chords, with every aggregate that they have."""
    rng = np.random.default_rng(0)
    chosen = [measure for measure in TASK.measures if measure.protocol in ("mirex2013", "mir_eval")][:count]
    rows = Rows.of(Row(f"s{system}", f"{item:06}", "r") for system in range(systems) for item in range(items))
    return made({measure: plausible(measure, len(rows), rng) for measure in chosen}, rows)


def plausible(measure: Measure, rows: int, rng: np.random.Generator) -> Array:
    """Return statistics whose value is between 0 and 1."""
    names = measure.formula.statistics
    statistics = rng.exponential(30, (rows, len(names)))
    if names[-1] == "duration":
        statistics[:, -1] += statistics[:, :-1].sum(axis=1)
    elif names[0].startswith("correct:"):
        half = len(names) // 2
        statistics[:, half:] += statistics[:, :half]
    return statistics


if __name__ == "__main__":
    main()
