# SPDX-License-Identifier: MIT
"""What chord systems reach: the levels on their cards, with confidence intervals.

    PYTHONPATH=tests python benchmarks/chord_levels.py [--soundfont FILE.sf2] [--system NAME ...] [--scenes N]

On chorales of music21's corpus, as piano and as string quartet, and on scenes. Sound is made by a soundfont,
by default the one in pretty_midi's wheel. A system that learns hears each item by a model of 15 others.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pretty_midi

import kammerton as kt
from kammerton.model.registry import find_task
from kammerton.systems.music import write_midi
from kammerton.systems.registry import find_system
from kammerton.systems.rendering import sound_of, wav_bytes
from unit.systems.chorales import QUARTET, chorales

FONT = Path(pretty_midi.__file__).parent / "TimGM6mb.sf2"
PIANO = (0, 0, 0, 0)
MEASURES = ("MajMin", "Root", "Sevenths", "MajMinBass", "SeventhsBass", "MeanSeg")
_SEED = 1


def main() -> None:
    parser = argparse.ArgumentParser(description="What chord systems reach.")
    parser.add_argument("--soundfont", type=Path, default=FONT)
    parser.add_argument("--system", nargs="*", default=["symbolic", "audio"])
    parser.add_argument("--scenes", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        for name in arguments.system:
            system = find_system(find_task("chords"), name)
            kind, needs_model = "audio" if "audio" in system.takes else "score", system.train is not None
            for data, truth, folder in corpora(Path(place), kind, arguments.soundfont, arguments.scenes):
                heard = (
                    leave_one_out(name, truth, folder) if needs_model else kt.annotate("chords", folder, name)
                )
                scores = kt.score("chords", truth, heard, protocols=["mirex2013"])
                print(f"{name} on {data}: {', '.join(levels(scores))}", flush=True)


def corpora(
    place: Path, kind: str, soundfont: Path, scenes: int
) -> Iterator[tuple[str, Mapping[str, Any], Path]]:
    """Give name, truth and folder of each corpus, as sound or as notes."""
    pieces = chorales()
    truth: dict[str, Any] = {name: (piece.intervals, piece.labels) for name, piece in pieces.items()}
    for timbre, programs in {"piano": PIANO, "quartet": QUARTET}.items():
        folder = place / f"{kind}_{timbre}"
        folder.mkdir(exist_ok=True)
        for name, piece in pieces.items():
            music = piece.played_by(*programs)
            if kind == "audio":
                sound = sound_of(music, soundfont=soundfont)
                (folder / f"{name}.wav").write_bytes(wav_bytes(sound))
            else:
                (folder / f"{name}.mid").write_bytes(write_midi(music))
        yield f"{len(pieces)} chorales ({timbre})", truth, folder
    for difficulty in ("medium", "hard"):
        font = soundfont if kind == "audio" else None
        out = place / difficulty
        made = kt.scenes(
            items=scenes, seed=_SEED, difficulty=difficulty, soundfont=font, bad_midis=1, out=out, force=True
        )
        truth = {item: scene.chords for item, scene in made.items()}
        for part in ("audio",) if kind == "audio" else ("midi", "bad_midi_1"):
            yield f"{scenes} scenes ({difficulty}, {part}, seed {_SEED})", truth, out / part


def leave_one_out(system: str, truth: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return what a system that learns from recordings hears in each item, trained on 15 others at most."""
    heard = {}
    names = sorted(truth)
    for number, name in enumerate(names):
        others = [names[(number + step) % len(names)] for step in range(1, min(len(names), 16))]
        model = kt.train("chords", {other: truth[other] for other in others}, system, audio=folder)
        heard[name] = kt.annotate("chords", {name: folder / f"{name}.wav"}, system, model=model)[name]
    return heard


def levels(scores: kt.Scores) -> Iterator[str]:
    """Give each measure with its confidence interval, in per cent."""
    intervals = {
        key.measure.name: bounds for key, bounds in scores.intervals.items() if key.aggregate == "pooled"
    }
    for name in MEASURES:
        level = f"{name} {100 * scores.value(f'mirex2013/{name}'):.1f}"
        bounds = intervals.get(name)
        yield level if bounds is None else f"{level} [{100 * bounds[0]:.1f}, {100 * bounds[1]:.1f}]"


if __name__ == "__main__":
    main()
