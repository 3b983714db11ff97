# SPDX-License-Identifier: MIT
"""Train the networks that finger notes, with Keras on JAX or whatever backend the user has chosen."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes
from kammerton.errors import DataError, OptionError, plural
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.lines import MIDDLE_C, Table, hand_lines
from kammerton.fingering.metrics import FingeringMetrics
from kammerton.systems.fingering_features import FEATURES, HEIGHT, PAIRS, note_features, pair_numbers
from kammerton.systems.fingering_forward import Floats, chain_scores, emissions, path_scores
from kammerton.systems.fingering_paths import fingered, marginals
from kammerton.systems.system import Input, TrainingItems

if TYPE_CHECKING:
    from kammerton.systems.fingering_nets import NetSettings

WINDOW = 64
"""Notes of a window."""
_LEAST_NOTES = 6
"""Windows of fewer notes are left out."""
_BATCH = 32
_LEAST_STEPS = 16
"""Batches of an epoch, which goes through little data several times."""
_DROPPED = 0.3
_RATE = 3e-3
_PATIENCE = {"rate": 4, "end": 10}
"""Epochs without a gain after which the rate is halved, and after which training ends."""
_OCTAVE = 0.5
"""An octave among the features."""
_IMPOSSIBLE = -1e4
_BACKENDS = ("jax", "torch", "tensorflow")


def load_keras() -> Any:
    """Return the module ``keras`` on the backend of the user, or the first that there is.

    Raises
    ------
    OptionError
        If the packages are not installed, or the backend cannot train.
    """
    if "keras" not in sys.modules and "KERAS_BACKEND" not in os.environ:
        present = next((name for name in _BACKENDS if find_spec(name) is not None), None)
        if present is not None:  # otherwise Keras says what it misses
            os.environ["KERAS_BACKEND"] = present
    try:
        keras = import_module("keras")
    except ImportError as error:
        raise OptionError.of_import("training a network needs Keras and JAX", "train", error) from error
    backend = keras.backend.backend()
    if backend not in _BACKENDS:
        raise OptionError(f"Keras cannot train on its backend {backend}", "KERAS_BACKEND=jax")
    return keras


@contextmanager
def seeded(keras: Any, seed: int) -> Iterator[None]:
    """Seed everything that Keras draws from, and leave Python's and NumPy's own states as they were."""
    states = random.getstate(), np.random.get_state()  # noqa: NPY002 - what Keras seeds
    keras.utils.set_random_seed(seed)
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002


class Lesson(NamedTuple):
    """A hand of a piece, and its fingers by each annotator of the same notes."""

    item: str
    features: Floats
    last: Codes
    before: Codes
    fingers: Codes  # annotators, notes; 0 where there is none


def lessons_of(items: Mapping[str, Sequence[Fingering]], split: int = MIDDLE_C) -> list[Lesson]:
    """Return the hands of all items; annotators whose notes are the same stand together."""
    lessons: dict[tuple[object, ...], tuple[Fingering, Any, list[Codes]]] = {}
    for item, fingerings in items.items():
        for fingering in fingerings:
            for line in hand_lines(fingering, split):
                columns = line.pitches, fingering.onsets[line.notes], fingering.offsets[line.notes]
                key = (item, line.hand, *(column.tobytes() for column in columns))
                if line.fixed.any():
                    lessons.setdefault(key, (fingering, line, []))[2].append(line.fixed)
    return [
        Lesson(
            str(key[0]),
            note_features(fingering, line),
            pair_numbers(line, 1),
            pair_numbers(line, 2),
            np.stack(fingers),
        )
        for key, (fingering, line, fingers) in lessons.items()
    ]


def agreement(arrays: Mapping[str, NDArray[Any]], lessons: Sequence[Lesson]) -> float:
    """Return the share of annotators whose finger is the most probable one, the mean of all notes."""
    agreed = labelled = 0.0
    for lesson, emission in zip(lessons, emissions(arrays, [each.features for each in lessons]), strict=True):
        shares = marginals(chain_scores(arrays, emission, lesson.last, lesson.before))
        annotators = (lesson.fingers > 0).sum(axis=0)
        same = (lesson.fingers == shares.argmax(axis=1) + 1).sum(axis=0)
        agreed += float((same / np.maximum(annotators, 1)).sum())
        labelled += int((annotators > 0).sum())
    return agreed / labelled


def validation_scores(
    arrays: Mapping[str, NDArray[Any]], items: Mapping[str, Sequence[Fingering]], settings: NetSettings
) -> dict[str, float]:
    """Return the rates of *nakamura2020* that a model reaches, the mean of the items.

    Annotators count whose notes are those of an item's first one.
    """
    rates = []
    for item, (first, *others) in items.items():
        bare = replace(first, labels=("",) * len(first))
        made = fingered(Input(item=item, annotations={"": bare}), settings, partial(path_scores, arrays))
        alike = [first, *(other for other in others if np.array_equal(other.pitches, first.pitches))]
        labels = [annotator.labels for annotator in alike]
        result = FingeringMetrics("nakamura2020").evaluate(made.labels, labels, layout="by_annotator")
        rates.append((result.m_gen, result.m_high, result.m_soft, result.m_rec))
    means = np.nanmean(np.array(rates, dtype=np.float64), axis=0)
    return dict(zip(("M_gen", "M_high", "M_soft", "M_rec"), means.tolist(), strict=True))


Batch = tuple[Floats, Codes, Codes, Codes]
"""Features, numbers of both intervals and fingers of so many windows."""


def windows(lessons: Sequence[Lesson], rng: np.random.Generator) -> list[Batch]:
    """Return all windows of an epoch, shuffled: each draws its grid, octave and annotator again."""
    cut = []
    for lesson in lessons:
        length = lesson.fingers.shape[1]
        for begin in range(-int(rng.integers(WINDOW)), length, WINDOW):
            notes = slice(max(begin, 0), min(begin + WINDOW, length))
            if notes.stop - notes.start < _LEAST_NOTES:
                continue
            annotator, octaves = rng.integers(len(lesson.fingers)), rng.integers(-1, 2)
            cut.append(_window(lesson, notes, int(annotator), int(octaves)))
    return [cut[number] for number in rng.permutation(len(cut))]


def _window(lesson: Lesson, notes: slice, annotator: int, octaves: int) -> Batch:
    """Return a window with zeros at its end; notes before it are not there for its first intervals."""
    size = notes.stop - notes.start
    features = np.zeros((WINDOW, FEATURES), dtype=np.float32)
    features[:size] = lesson.features[notes]
    features[:size, HEIGHT] += octaves * _OCTAVE
    numbers = np.zeros((3, WINDOW), dtype=np.int32)
    numbers[0, 1:size] = lesson.last[notes][1:]
    numbers[1, 2:size] = lesson.before[notes][2:]
    numbers[2, :size] = lesson.fingers[annotator, notes]
    return features, numbers[0], numbers[1], numbers[2]


def batches(lessons: Sequence[Lesson], steps: int, rng: np.random.Generator) -> Iterator[tuple[Batch, Table]]:
    """Give batches without end, ``steps`` to an epoch; the second of each pair says nothing."""
    while True:
        cut: list[Batch] = []
        while len(cut) < steps * _BATCH:
            cut += windows(lessons, rng)
        for first in range(0, steps * _BATCH, _BATCH):
            columns = zip(*cut[first : first + _BATCH], strict=True)
            features, last, before, fingers = map(np.stack, columns)
            yield (features, last, before, fingers), np.zeros(_BATCH)


def path_loss(ops: Any, emission: Any, tables: Sequence[Any], fingers: Any, real: Any) -> Any:
    """Return how improbable the annotator's fingers are, minus the logarithm for each note, by window.

    ``tables`` has the scores of two fingers in a row, of two with one between, and of three in a row; without
    tables each note is by itself. What has no finger may have any.
    """
    allowed = ops.logical_or(
        ops.equal(fingers[..., None], ops.arange(1, 6)), ops.equal(fingers, 0)[..., None]
    )
    agreed = ops.where(allowed, emission, _IMPOSSIBLE)
    if tables:
        lacking = log_sum(ops, emission, tables, real) - log_sum(ops, agreed, tables, real)
    else:
        of_notes = ops.logsumexp(emission, axis=-1) - ops.logsumexp(agreed, axis=-1)
        lacking = ops.sum(ops.where(real, of_notes, 0.0), axis=1)
    return lacking / ops.sum(ops.cast(real, emission.dtype), axis=1)


def log_sum(ops: Any, emission: Any, tables: Sequence[Any], real: Any) -> Any:
    """Return the logarithm of the sum over all paths of the exponential of their scores, by window."""
    two, across, three = tables
    notes = emission.shape[1]
    later = ops.cast(ops.arange(notes) >= 2, emission.dtype)  # has two notes before it

    def step(sums: Any, note: Any) -> tuple[Any, None]:
        score, of_two, of_across, is_later, is_real = note
        of_three = is_later * (of_across[:, :, None, :] + three)
        reached = ops.logsumexp(sums[..., None] + of_three, axis=1) + of_two + score[:, None, :]
        return ops.where(is_real[:, None, None], reached, sums), None

    begin = ops.repeat(emission[:, :1], 5, axis=1) - np.log(5.0)  # the finger before is any
    by_note = [ops.moveaxis(column, 1, 0)[1:] for column in (emission, two, across)]
    sums, _ = ops.scan(step, begin, (*by_note, later[1:], ops.moveaxis(real, 1, 0)[1:]))
    return ops.logsumexp(sums, axis=(1, 2))


@dataclass(frozen=True, eq=False)
class Network:
    """A network in Keras, and its layers by name."""

    model: Any
    emission: Any  # a model that gives the scores of fingers alone
    layers: Mapping[str, Any]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the weights as models have them."""
        weights = {name: layer.get_weights() for name, layer in self.layers.items()}
        directions = zip(weights["l0"][:3], weights["l0"][3:], strict=True)
        kernel, recurrent, bias = map(np.stack, directions)
        arrays = {"l0/w": kernel, "l0/r": recurrent, "l0/b": bias[:, None]}
        for name in ("in", "out"):
            arrays |= {f"{name}/w": weights[name][0], f"{name}/b": weights[name][1]}
        if "O1" in weights:
            arrays["crf/T3"] = weights["T3"][0].reshape(5, 5, 5)
            for name in ("O1", "O2"):
                arrays[f"crf/{name}"] = weights[name][0][1:].reshape(-1, 5, 5).transpose(1, 2, 0)
        return arrays


def build_network(keras: Any, units: int, *, chained: bool) -> Network:
    """Return a network that gives its own loss, of windows with their fingers."""
    ops, layers = keras.ops, keras.layers
    features = keras.Input((WINDOW, FEATURES))
    last, before, fingers = (keras.Input((WINDOW,), dtype="int32") for _ in range(3))
    near_zero = keras.initializers.VarianceScaling(0.01, "fan_avg")
    named = {
        "in": layers.Dense(units, "relu"),
        "l0": layers.Bidirectional(layers.LSTM(units, return_sequences=True)),
        "out": layers.Dense(5, kernel_initializer=near_zero),
    }
    hidden = layers.Dropout(_DROPPED)(named["in"](layers.Masking(0.0)(features)))
    emission = named["out"](layers.Dropout(_DROPPED)(named["l0"](hidden)))
    tables = []
    if chained:
        sizes = {"O1": (PAIRS + 1, 25), "O2": (PAIRS + 1, 25), "T3": (1, 125)}
        named |= {name: layers.Embedding(*size, "zeros") for name, size in sizes.items()}
        tables = [named["O1"](last), named["O2"](before), named["T3"](ops.zeros_like(last[:, :1]))]

    class Loss(layers.Layer):  # type: ignore[misc, name-defined]
        def call(self, inputs: Any) -> Any:
            given, score, labels, *scores = inputs
            shaped = [ops.reshape(score_of, (-1, WINDOW, 5, 5)) for score_of in scores[:2]]
            shaped += [ops.reshape(score_of, (-1, 5, 5, 5)) for score_of in scores[2:]]
            return path_loss(ops, score, shaped, labels, ops.any(ops.not_equal(given, 0.0), axis=-1))

    loss = Loss()
    loss.supports_masking = True
    model = keras.Model([features, last, before, fingers], loss([features, emission, fingers, *tables]))
    optimiser = keras.optimizers.Adam(_RATE, global_clipnorm=1.0)
    model.compile(optimiser, loss=lambda _, losses: losses)
    return Network(model, keras.Model(features, emission), named)


def train_network(items: TrainingItems, settings: NetSettings, *, chained: bool) -> dict[str, NDArray[Any]]:
    """Return the weights by which the most fingers of validation items come out, and the learning curve."""
    learned, held = divided(items, settings.validation)
    lessons, checks = lessons_of(learned, settings.split), lessons_of(held, settings.split)
    if not checks or not any(lesson.fingers.shape[1] >= _LEAST_NOTES for lesson in lessons):
        message = "there is nothing to learn: no hand has six notes with fingers, in training and validation"
        raise DataError.of("KT809", message)
    keras = load_keras()
    with seeded(keras, settings.seed):
        network = build_network(keras, settings.units, chained=chained)
        course = _Course(network, checks, items)
        _fit(keras, network, lessons, settings, course)
    curve = np.array(course.curve)
    best = int(curve[:, 1].argmax())
    items.facts.update(
        keras=keras.__version__,
        backend=keras.backend.backend(),
        validation=sorted(held) if held is not learned else [],
        agreement=float(curve[best, 1]),
        scores=validation_scores(course.arrays, held, settings),
        best=best + 1,
        epochs=len(curve),
    )
    return {**course.arrays, "curve": curve}


def _fit(
    keras: Any, network: Network, lessons: Sequence[Lesson], settings: NetSettings, course: _Course
) -> None:
    """Train until nothing is gained any more."""
    rng = np.random.default_rng(settings.seed)
    steps = max(_LEAST_STEPS, len(windows(lessons, rng)) // _BATCH)
    watch = {"monitor": "agreement", "mode": "max", "min_delta": 0}
    network.model.fit(
        batches(lessons, steps, rng),
        epochs=settings.epochs,
        steps_per_epoch=steps,
        shuffle=False,
        verbose=0,
        callbacks=[
            keras.callbacks.LambdaCallback(
                on_epoch_end=course.note
            ),  # first: the others look at what it notes
            keras.callbacks.ReduceLROnPlateau(factor=0.5, patience=_PATIENCE["rate"], **watch),
            keras.callbacks.EarlyStopping(patience=_PATIENCE["end"], **watch),
        ],
    )


def divided(
    items: TrainingItems, share: float
) -> tuple[Mapping[str, Sequence[Any]], Mapping[str, Sequence[Any]]]:
    """Return what is learned from, and what tells when to stop."""
    if items.validation:
        return items, items.validation
    names = np.random.default_rng(0).permutation(sorted(items)).tolist()
    held = min(max(round(share * len(names)), 1), len(names) - 1) if share else 0
    if not held:
        return items, items
    return {name: items[name] for name in names[held:]}, {name: items[name] for name in names[:held]}


class _Course:
    """How training goes: after each epoch its loss, agreement and rate; the best weights so far."""

    def __init__(self, network: Network, checks: Sequence[Lesson], items: TrainingItems) -> None:
        self._network, self._checks, self._items = network, checks, items
        self.curve: list[tuple[float, float, float]] = []
        self.best = -1.0
        self.arrays: dict[str, NDArray[Any]] = {}

    def note(self, epoch: int, logs: dict[str, float]) -> None:
        """Note an epoch, and tell Keras the agreement."""
        arrays = self._network.arrays()
        reached = logs["agreement"] = agreement(arrays, self._checks)
        rate = float(self._network.model.optimizer.learning_rate)
        self.curve.append((logs["loss"], reached, rate))
        if reached > self.best:
            self.best, self.arrays = reached, arrays
        self._items.report(
            f"{plural(epoch + 1, 'epoch')}: agreement {100 * reached:.1f} %, best {100 * self.best:.1f} %"
        )
