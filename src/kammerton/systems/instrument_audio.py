# SPDX-License-Identifier: MIT
"""Instruments of a recording: one logistic regression for each, heard second by second.

Training needs scikit-learn; models are weights, so that NumPy alone is needed to hear by them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Flags
from kammerton.errors import DataError, Diagnostic, OptionError
from kammerton.instruments.annotation import InstrumentList, Segment
from kammerton.systems.audio_features import FEATURES, Matrix, SoundFeatures, read_features
from kammerton.systems.instrument_symbolic import HeardInstruments
from kammerton.systems.models import Model
from kammerton.systems.openmic import is_features, read_clips
from kammerton.systems.system import Input, System, SystemCard, TrainingItems

Arrays = Mapping[str, NDArray[Any]]
_FEW = 5
"""Items with an instrument, and items without it, from which on it is learned."""
_FOLDS = 3
_PENALTY = 0.05
"""Inverse strength of the penalty on weights."""
_MEDIAN = 3
"""Windows of which the middle probability is taken."""
_KEEP = 0.7
"""Share of its threshold down to which an instrument that plays goes on."""
SHIPPED = Path(__file__).with_suffix(".npz")
"""Made by ``benchmarks/train_instruments.py``."""


@dataclass(frozen=True)
class AudioInstrumentSettings:
    """Settings of the system ``audio`` of instruments.

    Parameters
    ----------
    window : int
        Seconds that are heard together; windows are a second apart.
    shortest : float
        Seconds that an instrument must play to be listed; in recordings shorter than twice that, half of it.
    """

    window: int = 5
    shortest: float = 3.0

    def __post_init__(self) -> None:
        if not (isinstance(self.window, int) and 1 <= self.window <= 60):
            raise OptionError("window is a whole number of seconds from 1 to 60")
        if not 0 <= self.shortest < np.inf:
            raise OptionError("shortest is a number of seconds from 0 on")


# --- training --------------------------------------------------------------------------------


def targets_of(lists: Sequence[InstrumentList], labels: Sequence[str]) -> Matrix:
    """Return by label the share of annotators who hear it; NaN where nobody says.

    >>> first = InstrumentList(("piano",), absent=("banjo",), closed=False)
    >>> targets_of([first, InstrumentList(("piano", "banjo"))], ["piano", "banjo", "voice"]).tolist()
    [1.0, 0.5, 0.0]
    """
    said = np.full((len(lists), len(labels)), np.nan)
    for row, own in zip(said, lists, strict=True):
        if own.closed and not own.vector:
            row[:] = 0
        scores = own.scores if own.vector else np.ones(len(own.labels))
        known = dict.fromkeys(own.absent, 0.0) | dict(zip(own.labels, scores.tolist(), strict=True))
        for place, label in enumerate(labels):
            row[place] = known.get(label, row[place])
    counts = np.isfinite(said).sum(axis=0)
    return np.asarray(np.where(counts > 0, np.nansum(said, axis=0) / np.maximum(counts, 1), np.nan))


def fit(features: Matrix, targets: Matrix, penalty: float = _PENALTY) -> dict[str, NDArray[np.float64]]:
    """Return the weights of one regression per column of targets; those that are NaN do not count."""
    linear_model = _require_sklearn()
    mean, scale = features.mean(axis=0), features.std(axis=0)
    scale[scale < 1e-6] = 1.0
    standard = (features - mean) / scale
    weights, biases = np.zeros((targets.shape[1], features.shape[1])), np.zeros(targets.shape[1])
    for place, target in enumerate(targets.T):
        known = np.isfinite(target)
        regression = linear_model.LogisticRegression(C=penalty, class_weight="balanced", max_iter=1_000)
        regression.fit(standard[known], target[known] >= 0.5)
        weights[place], biases[place] = regression.coef_[0], regression.intercept_[0]
    return {"mean": mean, "scale": scale, "weights": weights, "biases": biases}


def probabilities(features: Matrix, arrays: Arrays) -> Matrix:
    """Return the probability of each instrument in each row of features."""
    logits = (features - arrays["mean"]) / arrays["scale"] @ arrays["weights"].T + arrays["biases"]
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -500, 500))))


def best_thresholds(chances: Matrix, targets: Matrix) -> NDArray[np.float64]:
    """Return the threshold of each column that has the largest F1, in the middle between two chances.

    >>> best_thresholds(np.array([[0.9], [0.7], [0.5], [0.1]]), np.array([[1], [1], [0], [0]])).round(3)
    array([0.6])
    """
    thresholds = np.full(chances.shape[1], 0.5)
    for place, (own, target) in enumerate(zip(chances.T, targets.T, strict=True)):
        known = np.isfinite(target)
        order = np.argsort(-own[known], kind="stable")
        ranked, present = own[known][order], target[known][order] >= 0.5
        if not present.any():
            continue
        scores = 2 * np.cumsum(present) / (np.arange(1, len(present) + 1) + present.sum())
        scores[:-1][ranked[:-1] == ranked[1:]] = 0  # equal chances stand together
        best = int(scores.argmax())
        thresholds[place] = (ranked[best] + (ranked[best + 1] if best + 1 < len(ranked) else 0)) / 2
    return thresholds


def out_of_fold(features: Matrix, targets: Matrix, groups: NDArray[np.int64]) -> Matrix:
    """Return probabilities of rows by models of the other folds; rows of a group are in one fold."""
    chances = np.full(targets.shape, np.nan)
    for fold in range(_FOLDS):
        held = groups % _FOLDS == fold
        able = [place for place, target in enumerate(targets[~held].T) if _is_learnable(target, 1)]
        arrays = fit(features[~held], targets[~held][:, able])
        chances[np.ix_(held, able)] = probabilities(features[held], arrays)
    return np.where(np.isnan(chances), 0.5, chances)


def _is_learnable(target: NDArray[np.float64], few: int = _FEW) -> bool:
    return bool((target >= 0.5).sum() >= few and (target < 0.5).sum() >= few)


def _train(items: TrainingItems, _: AudioInstrumentSettings) -> dict[str, NDArray[Any]]:
    _require_sklearn()
    rows = {
        item: row for item in [*items, *items.validation] if (row := _features_of(items, item)) is not None
    }
    known = {item: lists for item, lists in {**items.validation, **items}.items() if item in rows}
    learned = [item for item in items if item in rows]
    named = sorted({label for item in learned for own in known[item] for label in (*own.labels, *own.absent)})
    targets = np.array([targets_of(known[item], named) for item in learned]).reshape(-1, len(named))
    able = [place for place, target in enumerate(targets.T) if _is_learnable(target)]
    if not able:
        message = f"there is nothing to learn: no instrument is in {_FEW} items, and not in {_FEW} others"
        raise DataError((*items.diagnostics, Diagnostic(code="KT809", severity="error", message=message)))
    labels, targets = [named[place] for place in able], targets[:, able]
    features = np.array([rows[item] for item in learned])
    items.report(f"{len(labels)} instruments")
    arrays: dict[str, NDArray[Any]] = dict(fit(features, targets))
    held = [item for item in items.validation if item in rows]
    if held:
        chances = probabilities(np.array([rows[item] for item in held]), arrays)
        targets = np.array([targets_of(known[item], labels) for item in held])
    else:
        chances = out_of_fold(features, targets, np.arange(len(features)))
    return arrays | {"thresholds": best_thresholds(chances, targets), "labels": coded(labels)}


def _features_of(items: TrainingItems, item: str) -> NDArray[np.float64] | None:
    """Return the features of an item; leave it out if it cannot be heard."""
    path = items.files[item]["audio"]
    try:
        if is_features(path):
            return read_clips(path).features[item]
        sound = read_features(path)
    except DataError as error:
        if item in items:
            items.leave_out(item, error.diagnostics)
        return None
    (row,) = sound.windows(np.array([0]), np.array([len(sound)]))
    return np.asarray(row)


def coded(labels: Sequence[str]) -> NDArray[np.uint8]:
    """Return labels as an array of numbers, as models have them."""
    return np.frombuffer("\n".join(labels).encode(), dtype=np.uint8)


def labels_of(arrays: Arrays) -> tuple[str, ...]:
    """Return the labels of a model."""
    return tuple(arrays["labels"].tobytes().decode().split("\n"))


def _require_sklearn() -> Any:
    try:
        from sklearn import linear_model  # noqa: PLC0415 - of an extra
    except ImportError as error:
        raise OptionError.of_import("training needs scikit-learn", "train", error) from error
    return linear_model


# --- hearing ---------------------------------------------------------------------------------


def _annotate(source: Input, model: Model, settings: AudioInstrumentSettings) -> HeardInstruments:
    path = source.files["audio"]
    if not is_features(path):
        _check_size(model.arrays, FEATURES, path)
        return hear(read_features(path), model.arrays, settings)
    features = read_clips(path).features[source.item][None]
    _check_size(model.arrays, features.shape[1], path)
    (scores,) = probabilities(features, model.arrays)
    return _listed(model.arrays, scores, scores >= model.arrays["thresholds"])


def _check_size(arrays: Arrays, size: int, path: Path) -> None:
    """Refuse features of another kind than those that a model was trained on."""
    if len(arrays["mean"]) != size:
        message = f"the model was trained on {len(arrays['mean'])} features, of which there are {size} here"
        raise DataError.of("KT824", message, os.fsdecode(path))


def hear(sound: SoundFeatures, arrays: Arrays, settings: AudioInstrumentSettings) -> HeardInstruments:
    """Return the instruments of a recording, and when they play."""
    from scipy.ndimage import median_filter  # noqa: PLC0415 - scipy takes long to load

    length = len(sound)
    size = min(settings.window, length)
    starts = np.clip(np.arange(length) - size // 2, 0, length - size)
    chances = probabilities(sound.windows(starts, starts + size), arrays)
    chances = median_filter(chances, (_MEDIAN, 1), mode="nearest")
    playing = hysteresis(chances, arrays["thresholds"])
    shortest = min(settings.shortest, sound.duration / 2)
    lasting = playing.sum(axis=0) * sound.duration / length >= shortest
    # the probability that it has for as long as that
    scores = -np.sort(-chances, axis=0)[min(max(math.ceil(shortest), 1), length) - 1]
    segments = [
        Segment(float(start), sound.duration if end == length else float(end), label)
        for label, own, is_long in zip(labels_of(arrays), playing.T, lasting, strict=True)
        if is_long
        for start, end in np.flatnonzero(np.diff(own, prepend=False, append=False)).reshape(-1, 2).tolist()
    ]
    return _listed(arrays, scores, lasting & playing.any(axis=0), tuple(segments), sound.diagnostics)


def hysteresis(chances: Matrix, thresholds: NDArray[np.float64], keep: float = _KEEP) -> Flags:
    """Return when each column is on: from its threshold, for as long as it stays above a share of that.

    >>> hysteresis(np.array([[0.4], [0.6], [0.45], [0.2], [0.45]]), np.array([0.5]))[:, 0].tolist()
    [False, True, True, False, False]
    """
    on, playing = chances >= thresholds, np.zeros(chances.shape, dtype=bool)
    alive = chances >= keep * thresholds
    before = np.zeros(chances.shape[1], dtype=bool)
    for step in range(len(chances)):
        before = playing[step] = on[step] | (before & alive[step])
    return playing


def _listed(
    arrays: Arrays,
    scores: NDArray[np.float64],
    present: Flags,
    segments: tuple[Segment, ...] = (),
    diagnostics: tuple[Diagnostic, ...] = (),
) -> HeardInstruments:
    """Return the instruments that are present, the likeliest first."""
    labels = labels_of(arrays)
    order = np.flatnonzero(present)
    order = order[np.argsort(-scores[order], kind="stable")]
    return HeardInstruments(
        tuple(labels[place] for place in order.tolist()),
        scores=scores[order],
        ranked=True,
        segments=segments,
        diagnostics=diagnostics,
    )


_LEVELS = (
    "mean average precision of 17 instruments in 320 clips (phrases of 40 mixed scenes, seed 1000) as below",
    "same sound, other scenes: TimGM6mb 45.2 [43.4, 49.1], FluidR3 48.8 [46.3, 52.6]",
    "and MuseScore General 50.5 [48.2, 55.0], sines 45.1 [43.7, 49.1]; prevalence 13.6",
    "by the three others, other scenes: 33.1 [32.3, 36.7], 40.6 [38.7, 44.5], 42.1 [40.5, 46.0]",
    "and sines 30.3 [29.9, 32.9]; macro F1 of these: 33.8, 42.2, 41.4, 33.1; of all instruments 24.0",
)

INSTRUMENTS_AUDIO = System(
    name="audio",
    task="instruments",
    takes=frozenset(("audio",)),
    card=SystemCard(
        summary="Instruments of a recording by a logistic regression of each, and when they play.",
        source="features and classifiers as in Humphrey et al., OpenMIC-2018, ISMIR 2018",
        licence="MIT",
        trained_on="what its model was trained on; the one that is shipped, 40 mixed scenes by sines and "
        "three soundfonts, TimGM6mb, FluidR3 and MuseScore General, under random equalizers and tunings",
        levels=_LEVELS,
        limits="Rendered sound is not recorded sound: the shipped model knows three soundfonts and sines; "
        "what it hears of recordings is not known. Train one on recordings. It has 17 labels of "
        "OpenMIC-2018: not cymbals, mandolin and ukulele.",
        cost="1 hour of sound in about 10 s, 400 MB",
    ),
    options=AudioInstrumentSettings,
    annotate=_annotate,
    extra="audio",
    train=_train,
    arrays={
        "mean": (None,),
        "scale": (None,),
        "weights": (None, None),
        "biases": (None,),
        "thresholds": (None,),
        "labels": (None,),
    },
    shipped=SHIPPED,
)
