# SPDX-License-Identifier: MIT
"""Train the model of instruments that comes with Kammerton, and measure it, from nothing but soundfonts.

Arguments are soundfonts and a file to write to: ``fluid=FluidR3_GM.sf2 tim=TimGM6mb.sf2 --out model.npz``.
``sines=`` is sound added up of sines.

Scenes of one to four instruments, which change from phrase to phrase, are played by each soundfont, under a
random equalizer and tuning; a phrase is a clip. Levels are of clips that no model was trained on: within a
soundfont, and across: of a soundfont by models of the others, other clips in both cases.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score

from kammerton.instruments import load_label_map, load_taxonomy
from kammerton.systems import Model, Scene
from kammerton.systems.audio_features import SoundFeatures, read_features
from kammerton.systems.instrument_audio import best_thresholds, coded, fit, out_of_fold, probabilities
from kammerton.systems.models import FORMAT
from kammerton.systems.rendering import wav_bytes
from kammerton.systems.scenes import DIFFICULTIES, make_scene
from kammerton.version import __version__

OPTIONS = replace(
    DIFFICULTIES["medium"], ensemble="mixed", bars=32, slowest=110, fastest=170, eq_db=4, detune=20
)
FOLDS = 3
KNOWN = frozenset(load_taxonomy("openmic-2018").leaves)
LEAST_S = 0.5
"""Seconds that an instrument must sound in a clip to be in it."""
Clip = tuple[np.ndarray[Any, Any], frozenset[str], int]


def heard(scene: Scene, soundfont: str) -> SoundFeatures:
    """Return the features of a scene as a soundfont plays it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scene.wav")
        path.write_bytes(wav_bytes(scene.sound(soundfont=soundfont or None)))
        return read_features(path)


def clips_of(scene: Scene, sound: SoundFeatures, group: int) -> Iterator[Clip]:
    """Give the features and instruments of each phrase, and the scene they are of."""
    names = load_label_map("general-midi-to-openmic-2018")
    for _, begin, end in scene.sections:
        first, last = scene.music.seconds(np.array([begin, end]))
        start, stop = int(np.ceil(first)), min(int(last), len(sound))
        if stop - start < 2:
            continue
        present: set[str] = set()
        for name, times in scene.instruments.items():
            overlap = np.minimum(times[:, 1], stop) - np.maximum(times[:, 0], start)
            if overlap.clip(0).sum() > LEAST_S and (label := names.apply(name)) in KNOWN:
                present.add(label)
        yield sound.windows(np.array([start]), np.array([stop]))[0], frozenset(present), group


def mean_precision(targets: Any, chances: Any) -> float:
    """Return the mean of the average precision of each instrument."""
    return float(np.mean([average_precision_score(*pair) for pair in zip(targets.T, chances.T, strict=True)]))


def interval(targets: Any, chances: Any, groups: Any) -> str:
    """Return mean average precision with its confidence interval by bootstrap over scenes."""
    random = np.random.default_rng(0)
    names = np.unique(groups)
    rows = {name: np.flatnonzero(groups == name) for name in names}
    scores = []
    for _ in range(300):
        chosen = np.concatenate([rows[name] for name in random.choice(names, len(names))])
        if targets[chosen].any(axis=0).all():
            scores.append(mean_precision(targets[chosen], chances[chosen]))
    low, high = np.quantile(scores, (0.025, 0.975))
    return f"{mean_precision(targets, chances):.3f} [{low:.3f}, {high:.3f}]"


def macro_f1(targets: Any, listed: Any) -> float:
    """Return the mean F1 of instruments."""
    both = (targets & listed).sum(axis=0)
    return float(np.mean(2 * both / np.maximum(targets.sum(axis=0) + listed.sum(axis=0), 1)))


def measured(features: Any, targets: Any, groups: Any, fonts: Any) -> None:
    """Print levels, within each soundfont and across, beside those of baselines."""
    for font in np.unique(fonts):
        own = fonts == font
        truth = targets[own] > 0
        within = out_of_fold(features[own], targets[own], groups[own])
        across = np.zeros(within.shape)
        for fold in range(FOLDS):
            train, test = ~own & (groups % FOLDS != fold), groups[own] % FOLDS == fold
            across[test] = probabilities(features[own][test], fit(features[train], targets[train]))
        inner = ~own
        least = best_thresholds(out_of_fold(features[inner], targets[inner], groups[inner]), targets[inner])
        prior = np.tile(targets[inner].mean(axis=0), (len(truth), 1))
        scores = [interval(truth, chances, groups[own]) for chances in (within, across)]
        rates = [macro_f1(truth, listed) for listed in (across >= least, np.ones_like(truth))]
        print(font, "within", scores[0], "across", scores[1], "prevalence", mean_precision(truth, prior))
        print("  F1 across", rates[0], "of all-positive", rates[1], flush=True)


def main() -> None:
    """Render, learn, measure, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("soundfonts", nargs="+", metavar="NAME=FILE")
    parser.add_argument("--scenes", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--out", required=True)
    chosen = parser.parse_args()
    clips, fonts, digest = [], [], hashlib.sha256()
    for name, _, path in (text.partition("=") for text in chosen.soundfonts):
        for number in range(chosen.scenes):
            scene = make_scene(number, chosen.seed, OPTIONS)
            own = list(clips_of(scene, heard(scene, path), number))
            clips += own
            fonts += [name] * len(own)
    write(clips, np.array(fonts), digest, chosen.out)


def write(clips: list[Clip], fonts: Any, digest: Any, out: str) -> None:
    """Measure and write the model of clips."""
    labels = sorted(frozenset().union(*(present for _, present, _ in clips)))
    features = np.array([row for row, _, _ in clips])
    groups = np.array([group for _, _, group in clips])
    targets = np.array([[float(label in present) for label in labels] for _, present, _ in clips])
    measured(features, targets, groups, fonts)
    arrays: dict[str, Any] = dict(fit(features, targets))
    arrays["thresholds"] = best_thresholds(out_of_fold(features, targets, groups), targets)
    arrays["labels"] = coded(labels)
    digest.update(features.tobytes())
    names = sorted({f"{font} scene {group}" for font, group in zip(fonts, groups, strict=True)})
    header = {
        "format": FORMAT,
        "task": "instruments",
        "system": "audio",
        "version": 1,
        "settings": {},
        "reading": {},
        "from": [f"mixed scenes, {len(clips)} clips by {', '.join(np.unique(fonts))}"],
        "items": names,
        "data": digest.hexdigest()[:6],
        "kammerton": __version__,
    }
    Model("instruments", "audio", arrays, header).write(out, force=True)


if __name__ == "__main__":
    main()
