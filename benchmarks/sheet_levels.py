# SPDX-License-Identifier: MIT
"""What the system ``sheet`` reaches: the levels on its card, beside ``audio`` on the same recordings.

    PYTHONPATH=tests python benchmarks/sheet_levels.py [--soundfont FILE.sf2]

On chorales of music21's corpus, as piano and as string quartet, with sheets that are right, that have
mistakes, one time in another key, and that are of another chorale.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from chord_levels import FONT, corpora, levels

import kammerton as kt
from kammerton.chords.labels import parse
from kammerton.chords.respelling import ROOTS

SUFFIXES = {
    "maj": "", "min": "m", "7": "7", "min7": "m7", "hdim7": "m7b5", "aug": "+", "min6": "m6", "maj6": "6",
    "minmaj7": "m(maj7)", "aug7": "7#5",
}  # fmt: skip
"""How sheets write qualities; the others as they are."""
MISTAKES = {"right": 0.0, "20 % wrong or left out, a fourth higher": 0.2, "40 % wrong or left out": 0.4}
_SEED, _ROW = 1, 8


def main() -> None:
    parser = argparse.ArgumentParser(description="What the system sheet reaches.")
    parser.add_argument("--soundfont", type=Path, default=FONT)
    with tempfile.TemporaryDirectory() as place:
        kinds = corpora(Path(place), "audio", parser.parse_args().soundfont, 1)
        for _ in range(2):
            data, truth, recordings = next(kinds)
            print(f"audio on {data}: {', '.join(levels(scored(truth, recordings)))}", flush=True)
            for what, sheets in sheets_of(truth, Path(place)):
                scores = scored(truth, recordings, sheets)
                print(f"sheets {what}, {data}: {', '.join(levels(scores))}", flush=True)


def scored(truth: Mapping[str, Any], recordings: Path, sheets: Path | None = None) -> kt.Scores:
    """Return the scores of recordings alone, or with their sheets."""
    heard = (
        kt.annotate("chords", recordings, "audio")
        if sheets is None
        else kt.annotate("chords", [sheets, recordings], "sheet")
    )
    return kt.score("chords", truth, heard, protocols=["mirex2013"])


def sheets_of(truth: Mapping[str, Any], place: Path) -> Iterator[tuple[str, Path]]:
    """Give folders of sheets: with shares of mistakes, half of them chords left out; and of other pieces."""
    for what, mistakes in MISTAKES.items():
        rng = np.random.default_rng(_SEED)
        steps = 5 if "higher" in what else 0
        texts = {name: sheet(labels, mistakes, steps, rng) for name, (_, labels) in truth.items()}
        yield what, written(place / f"sheets {what}", texts)
    names = list(truth)
    rng = np.random.default_rng(_SEED)
    others = zip(names, [*names[1:], names[0]], strict=True)
    texts = {name: sheet(truth[other][1], 0.0, 0, rng) for name, other in others}
    yield "of another piece", written(place / "other sheets", texts)


def written(folder: Path, texts: Mapping[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


def sheet(labels: list[str], mistakes: float, steps: int, rng: np.random.Generator) -> str:
    """Return chords as sheets write them, eight a row, without basses."""
    chords = []
    for label in labels:
        fate, chord = rng.random(), parse(label)
        if fate < mistakes / 2:
            continue
        if fate < mistakes:
            chords.append(f"{rng.choice(ROOTS)}{rng.choice(['', 'm', '7'])}")
        elif chord.root_pitch_class is None:
            chords.append("N.C.")
        else:
            quality = chord.quality or "maj"
            chords.append(f"{ROOTS[(chord.root_pitch_class + steps) % 12]}{SUFFIXES.get(quality, quality)}")
    return "\n".join("  ".join(chords[begin : begin + _ROW]) for begin in range(0, len(chords), _ROW))


if __name__ == "__main__":
    main()
