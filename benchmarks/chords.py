# SPDX-License-Identifier: MIT
"""How fast chords are scored, beside mir_eval doing the same song by song.

    python benchmarks/chords.py [REFERENCES ESTIMATES [ESTIMATES ...]] [--repeats N]

Without folders it takes Isophonics and two systems from ``KAMMERTON_SHARED``, or else makes a corpus.
Only songs count for which mir_eval returns. Its side reads and evaluates pair by pair: fifteen values.
Ours is one call: eleven measures of ``mirex2013``, the fifteen of ``mir_eval``, the confusions, and
every corpus figure, without the intervals that mir_eval does not have. Both run in one process, imports
excluded; they take turns of a second or more, and the figure is the median of the turns.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import tempfile
import warnings
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from measuring import alone, peak_bytes, timed

if TYPE_CHECKING:
    from collections.abc import Iterator

SIDES = ("mir_eval", "kammerton")
SOURCES = ("files", "arrays")
TARGET_RATIO = {"files": 25, "arrays": 60}
TARGET_MEGABYTES = 150

Annotation = tuple[Any, list[str]]


@dataclass(frozen=True)
class Songs:
    """The songs that count: files by item, and estimates by system."""

    references: dict[str, Path]
    systems: dict[str, dict[str, Path]]

    def __len__(self) -> int:
        return len(self.references) * len(self.systems)


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast chords are scored, beside mir_eval.")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="references, then estimates")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--peak", choices=SIDES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.peak is not None:
        runner(given.peak, "files", find_songs(given.folders))()
        print(peak_bytes())
        return
    with tempfile.TemporaryDirectory() as temporary:
        folders = given.folders or default_folders(Path(temporary))
        report(folders, given.repeats)


def report(folders: Sequence[Path], repeats: int) -> None:
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions()}")
    every = find_songs(folders)
    songs = taken_by_mir_eval(every)
    rows = sum(path.read_text().count("\n") for path in songs.references.values())
    print(
        f"{len(songs.references)} of {len(every.references)} songs x {len(songs.systems)} systems "
        f"= {len(songs)} pairs, {rows / len(songs.references):.0f} rows per reference\n"
    )
    for source in SOURCES:
        seconds = timed({side: runner(side, source, songs) for side in SIDES}, repeats)
        for side, (first, median) in seconds.items():
            rate = len(songs) / median
            print(f"{source:7} {side:10} {median:8.3f} s {rate:10,.0f} songs/s   first run {first:.3f} s")
        ratio = seconds["mir_eval"][1] / seconds["kammerton"][1]
        print(f"{source:7} {'ratio':10} {ratio:8.1f} x   target {TARGET_RATIO[source]} x\n")
    peaks = {side: measured_peak(side, folders) / 1e6 for side in SIDES}
    print(f"peak memory: mir_eval {peaks['mir_eval']:.0f} MB, kammerton {peaks['kammerton']:.0f} MB")
    print(
        f"difference:  {peaks['kammerton'] - peaks['mir_eval']:+.0f} MB, target below +{TARGET_MEGABYTES} MB"
    )


def versions() -> str:
    import mir_eval  # noqa: PLC0415 - each side imports only what it measures

    import kammerton  # noqa: PLC0415

    return f"NumPy {np.__version__}, mir_eval {mir_eval.__version__}, kammerton {kammerton.__version__}"


# --- both sides ----------------------------------------------------------------------------


def runner(side: str, source: str, songs: Songs) -> Callable[[], object]:
    """Return what is timed; arrays are read before."""
    refs: dict[str, Any] = dict(songs.references)
    systems: dict[str, dict[str, Any]] = dict(songs.systems)
    if source == "arrays":
        refs = load(refs)
        systems = {name: load(items) for name, items in systems.items()}
    if side == "kammerton":
        return lambda: run_kammerton(refs, systems)
    read = _as_it_is if source == "arrays" else _read
    return lambda: run_mir_eval(refs, systems, read)


def run_kammerton(refs: dict[str, Any], systems: dict[str, dict[str, Any]]) -> object:
    import kammerton  # noqa: PLC0415

    scores = kammerton.score("chords", refs, systems, protocols=["mirex2013", "mir_eval"], ci=None)
    return scores.to_dict(), scores.tally("confusion")


def run_mir_eval(
    refs: dict[str, Any], systems: dict[str, dict[str, Any]], read: Callable[[Any], Annotation]
) -> object:
    import mir_eval  # noqa: PLC0415

    with quiet():
        return {
            (system, item): mir_eval.chord.evaluate(*read(refs[item]), *read(estimate))
            for system, items in systems.items()
            for item, estimate in items.items()
        }


@contextmanager
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _read(path: Path) -> Annotation:
    import mir_eval  # noqa: PLC0415

    intervals, labels = mir_eval.io.load_labeled_intervals(str(path))
    return intervals, labels


def _as_it_is(annotation: Annotation) -> Annotation:
    return annotation


def load(paths: dict[str, Path]) -> dict[str, Annotation]:
    """Read files once, with the plainest reader that does."""
    found = {}
    for item, path in paths.items():
        rows = [line.split() for line in path.read_text().splitlines() if line.strip()]
        found[item] = (np.array([row[:2] for row in rows], dtype=float), [row[2] for row in rows])
    return found


def measured_peak(side: str, folders: Sequence[Path]) -> int:
    """Return the peak of a process that runs one side only."""
    with tempfile.TemporaryDirectory() as temporary:
        links = [Path(temporary, str(number), folder.name) for number, folder in enumerate(folders)]
        songs = taken_by_mir_eval(find_songs(folders))
        for link, items in zip(links, (songs.references, *songs.systems.values()), strict=True):
            for item, path in items.items():
                copy = link / f"{item}.lab"
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(path.read_bytes())
        return int(alone(__file__, "--peak", side, *map(str, links)))


# --- songs ---------------------------------------------------------------------------------


def find_songs(folders: Sequence[Path]) -> Songs:
    """Find the items that all folders have."""
    found = [
        {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(folder.rglob("*.lab"))}
        for folder in folders
    ]
    common = [item for item in found[0] if all(item in items for items in found)]
    refs, *ests = ({item: items[item] for item in common} for items in found)
    return Songs(refs, {folder.name: items for folder, items in zip(folders[1:], ests, strict=True)})


def taken_by_mir_eval(songs: Songs) -> Songs:
    """Leave out the songs that it raises on for any system."""
    taken = [item for item in songs.references if all(_takes(songs, item, name) for name in songs.systems)]
    return Songs(
        {item: songs.references[item] for item in taken},
        {name: {item: items[item] for item in taken} for name, items in songs.systems.items()},
    )


def _takes(songs: Songs, item: str, system: str) -> bool:
    import mir_eval  # noqa: PLC0415

    try:
        with quiet():
            mir_eval.chord.evaluate(*_read(songs.references[item]), *_read(songs.systems[system][item]))
    except (ValueError, TypeError):
        return False
    return True


def default_folders(temporary: Path) -> list[Path]:
    shared = os.environ.get("KAMMERTON_SHARED")
    if shared is None:
        return make_corpus(temporary)
    isophonics = Path(shared) / "data" / "chords" / "mirex" / "Isophonics2009"
    return [isophonics / name for name in ("Ground-Truth", "2017-KBK2", "2017-CM2")]


def make_corpus(folder: Path, songs: int = 200) -> list[Path]:
    """Write songs of 120 chords or so, and two systems that are nearly right."""
    rng = random.Random(2009)
    qualities = ["", "", "", ":min", ":min", ":7", ":min7", ":maj7", "/3", "/5", ":sus4"]
    labels = [root + quality for root in ("A", "Bb", "C", "C#", "D", "E", "F", "G") for quality in qualities]
    folders = [folder / name for name in ("references", "careful", "hasty")]
    for each in folders:
        each.mkdir()
    for number in range(songs):
        known = rng.sample(labels, 8)
        edges = np.cumsum([rng.uniform(0.8, 3.0) for _ in range(rng.randint(90, 150))])
        truth = [rng.choice(known) for _ in edges]
        for each, error in zip(folders, (0.0, 0.1, 0.4), strict=True):
            moved = [edge + error * rng.uniform(-0.3, 0.3) for edge in edges[:-1]] + [edges[-1]]
            said = [rng.choice(known) if rng.random() < error else label for label in truth]
            rows = zip([0.0, *moved[:-1]], moved, said, strict=True)
            text = "".join(f"{start:.6f}\t{end:.6f}\t{label}\n" for start, end, label in rows)
            (each / f"{number:03}.lab").write_text(text)
    return folders


if __name__ == "__main__":
    main()
