# SPDX-License-Identifier: MIT
"""How fast fingerings are scored, beside a plain program that goes note by note.

    python benchmarks/fingering.py [--pieces N] [--notes N] [--repeats N]

Pieces are made up, four annotators and an estimate each, and written as PIG files. Both sides read them
and compute all measures of all protocols, in one process, imports excluded; the figure is the median of the
repeats. The figures of both must be equal. Then one long piece, on our side alone.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import random
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import plain_fingering
from measuring import alone, peak_bytes, timed

SIDES = ("plain", "kammerton")
ANNOTATORS = 4
LONG = 200_000
TARGET_SECONDS, TARGET_RATIO = 0.6, 5
TARGET_LONG_SECONDS, TARGET_LONG_MEGABYTES = 2.0, 500

NAMES = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")

Row = tuple[float, float, str, int]


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast fingerings are scored.")
    parser.add_argument("--pieces", type=int, default=300)
    parser.add_argument("--notes", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--run", nargs=3, metavar=("SIDE", "REFERENCES", "ESTIMATES"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        side, references, estimates = given.run
        print(*measured_alone(side, Path(references), Path(estimates)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        references, estimates = make_corpus(Path(temporary, "corpus"), [given.notes] * given.pieces)
        report(references, estimates, given.repeats)
        report_long(*make_corpus(Path(temporary, "long"), [LONG]))


def report(references: Path, estimates: Path, repeats: int) -> None:
    import kammerton  # noqa: PLC0415 - each side imports only what it measures

    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, ", end="")
    print(f"NumPy {np.__version__}, kammerton {kammerton.__version__}")
    count = check_agreement(references, estimates)
    files = sum(1 for folder in (references, estimates) for _ in folder.iterdir())
    print(f"{files:,} files; {count} corpus figures agree to 1e-12\n")
    seconds = timed({side: partial(run, side, references, estimates) for side in SIDES}, repeats)
    for side, (first, median) in seconds.items():
        print(f"{side:10} {median:8.3f} s   first run {first:.3f} s")
    ratio = seconds["plain"][1] / seconds["kammerton"][1]
    print(f"{'ratio':10} {ratio:8.1f} x   target {TARGET_RATIO} x, and below {TARGET_SECONDS} s")
    peaks = {side: measured(side, references, estimates)[1] / 1e6 for side in SIDES}
    print(f"peak memory: plain {peaks['plain']:.0f} MB, kammerton {peaks['kammerton']:.0f} MB\n")


def report_long(references: Path, estimates: Path) -> None:
    seconds, peak = measured("kammerton", references, estimates)
    print(f"{LONG:,} notes in one piece: {seconds:.3f} s, {peak / 1e6:.0f} MB, ", end="")
    print(f"targets {TARGET_LONG_SECONDS} s and {TARGET_LONG_MEGABYTES} MB")


def run(side: str, references: Path, estimates: Path) -> dict[str, float]:
    if side == "plain":
        return plain_fingering.score(references, estimates)
    import kammerton  # noqa: PLC0415

    scores = kammerton.score("fingering", references, estimates, protocols="all", ci=None)
    scores.to_dict()
    return {str(measure): scores.value(str(measure)) for measure in scores.measures}


def check_agreement(references: Path, estimates: Path) -> int:
    ours, plain = (run(side, references, estimates) for side in ("kammerton", "plain"))
    assert ours.keys() == plain.keys(), sorted(ours.keys() ^ plain.keys())
    for name, value in plain.items():
        assert math.isclose(ours[name], value, abs_tol=1e-12), (name, ours[name], value)
    return len(plain)


def measured_alone(side: str, references: Path, estimates: Path) -> tuple[float, int]:
    """Run one side, and return the seconds and the most bytes that this process ever held."""
    if side == "kammerton":
        import kammerton  # noqa: F401, PLC0415
    begin = time.perf_counter()
    run(side, references, estimates)
    seconds = time.perf_counter() - begin
    return seconds, peak_bytes()


def measured(side: str, references: Path, estimates: Path) -> tuple[float, int]:
    """Run one side in a process of its own, and return the same."""
    seconds, peak = alone(__file__, "--run", side, str(references), str(estimates)).split()
    return float(seconds), int(peak)


# --- pieces --------------------------------------------------------------------------------


def make_corpus(folder: Path, lengths: Sequence[int]) -> tuple[Path, Path]:
    """Write pieces, four annotators of each who agree on most notes, and an estimate."""
    rng = random.Random(2020)
    references, estimates = folder / "references", folder / "estimate"
    for each in (references, estimates):
        each.mkdir(parents=True)
    for number, length in enumerate(lengths):
        rows = make_rows(rng, length)
        usual = [rng.randint(1, 5) for _ in rows]
        for annotator in range(1, ANNOTATORS + 1):
            gaps = 0.05 if annotator == ANNOTATORS and number % 4 == 0 else 0.0
            labels = finger(rng, rows, usual, other=0.25, gaps=gaps)
            (references / f"{number:03}-{annotator}_fingering.txt").write_text(rendered(rows, labels))
        labels = finger(rng, rows, usual, other=0.35, gaps=0.01)
        (estimates / f"{number:03}_est_fingering.txt").write_text(rendered(rows, labels))
    return references, estimates


def make_rows(rng: random.Random, length: int) -> list[Row]:
    """Make melodies and chords for two hands, in order of time."""
    rows: list[Row] = []
    onset = 0.0
    while len(rows) < length:
        for hand, centre in ((0, 80), (1, 50)):
            low = centre + rng.randint(-8, 8)
            size = rng.choice((1, 1, 1, 3))
            for key in sorted(rng.sample(range(low, low + 12), size)):
                end = onset + rng.choice((0.2, 0.25, 0.5))
                rows.append((onset, round(end, 4), f"{NAMES[key % 12]}{key // 12 - 1}", hand))
        onset = round(onset + 0.25, 4)
    return rows[:length]


def finger(
    rng: random.Random, rows: Sequence[Row], usual: Sequence[int], *, other: float, gaps: float
) -> list[str]:
    """Finger notes mostly as usual, a few with a change of fingers or in the other hand."""
    labels = []
    for (_, _, _, hand), common in zip(rows, usual, strict=True):
        chosen = rng.randint(1, 5) if rng.random() < other else common
        sign = "-" if hand else ""
        change = f"_{sign}{rng.randint(1, 5)}" if rng.random() < 0.005 else ""
        labels.append("0" if rng.random() < gaps else f"{sign}{chosen}{change}")
    return labels


def rendered(rows: Sequence[Row], labels: Sequence[str]) -> str:
    lines = [
        f"{number}\t{onset}\t{offset}\t{pitch}\t64\t80\t{hand}\t{label}\n"
        for number, ((onset, offset, pitch, hand), label) in enumerate(zip(rows, labels, strict=True))
    ]
    return "//Version: PianoFingering_v170101\n" + "".join(lines)


if __name__ == "__main__":
    main()
