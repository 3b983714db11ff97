# SPDX-License-Identifier: MIT
"""Networks that finger notes: by hand, against the sum over all paths, and NumPy against Keras."""

import os
import random
import sys
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from math import log
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import DataError, OptionError
from kammerton.fingering import Fingering
from kammerton.fingering.annotation import LEFT, RIGHT
from kammerton.fingering.lines import hand_lines
from kammerton.systems import Model, fingering_training
from kammerton.systems.fingering_features import note_features, pair_numbers
from kammerton.systems.fingering_forward import chain_scores, emissions
from kammerton.systems.fingering_paths import marginals
from kammerton.systems.fingering_training import (
    agreement,
    build_network,
    divided,
    lessons_of,
    load_keras,
    log_sum,
    path_loss,
    windows,
)
from kammerton.systems.models import FORMAT
from kammerton.systems.practice import practice_pieces
from kammerton.systems.system import TrainingItems

# how Keras makes arrays of its variables
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def piece(
    keys: list[int], onsets: list[float], ends: list[float], hand: int, labels: tuple[str, ...]
) -> Fingering:
    hands = np.full(len(keys), hand)
    return Fingering(np.array(onsets), np.array(ends), np.array(keys), hands, labels)


# C4, then E4 and F#4 together 0.5 s later, and 1.5 s later the same F#4; the second note is held on
KEYS, ONSETS, ENDS = [60, 64, 66, 66], [0.0, 0.5, 0.5, 2.0], [0.4, 2.2, 1.0, 7.0]
SCALED = {span: log(1 + span / 0.1) / log(41) for span in (0.0, 0.1, 0.4, 0.5, 1.5, 1.7, 4.0)}


def test_features_by_hand() -> None:
    (line,) = hand_lines(piece(KEYS, ONSETS, ENDS, RIGHT, ("",) * 4))
    notes = note_features(piece(KEYS, ONSETS, ENDS, RIGHT, ("",) * 4), line)
    assert notes.shape == (4, 76)
    assert notes.dtype == np.float32
    c, e, f_sharp, last = notes.astype(float)
    assert not c[:21].any()  # nothing before it
    assert c[21:27] == pytest.approx([4 / 12, 0, 1, 1, 0, 0])  # far, black, there, up, in the chord, the key
    assert c[27:32] == pytest.approx([6 / 12, 1, 1, 1, 0])
    assert e[21:27] == pytest.approx([2 / 12, 1, 1, 1, 1, 0])
    assert e[15:21] == pytest.approx([-4 / 12, 0, 1, -1, 0, 0])
    assert f_sharp[21:27] == pytest.approx([0, 1, 1, 0, 0, 1])
    assert f_sharp[42] == 1
    assert np.flatnonzero(f_sharp[43:55]).tolist() == [6]
    assert f_sharp[55] == pytest.approx(4 / 24)
    assert e[56:62] == pytest.approx([2 / 5, 0, 1 / 4, 1, 0, 2 / 12])
    assert f_sharp[56:62] == pytest.approx([2 / 5, 1 / 4, 0, 1, 2 / 12, 0])
    assert c[56:62] == pytest.approx([1 / 5, 0, 0, 0, 0, 0])
    assert e[62:70] == pytest.approx([0, 0, -4 / 12, -4 / 12, 2 / 12, 2 / 12, 0, 0])
    assert c[70:] == pytest.approx([SCALED[0.5], 1, SCALED[0.4], SCALED[0.1], 1, 0])
    # the chord ends at 2.2, after the next begins, which its lower note overlaps by 0.2 s
    assert e[70:] == pytest.approx([SCALED[1.5], SCALED[0.5], SCALED[1.7], 0, SCALED[0.1], 1])
    assert f_sharp[70:] == pytest.approx([SCALED[1.5], SCALED[0.5], SCALED[0.5], 0, SCALED[0.1], 0])
    assert last[70:] == pytest.approx([1, SCALED[1.5], 1, 1, 0, 0])
    # C to E: 2 white keys up, as white; E to F#: 1 and to black, in a chord; F# to F#: none
    assert pair_numbers(line, 1).tolist() == [0, 1 + 3 * 17 + 1, 1 + 3 * 16 + 2 + 93, 1 + 3 * 15 + 1]
    assert pair_numbers(line, 2).tolist() == [0, 0, 1 + 3 * 18 + 2, 1 + 3 * 16 + 2]


def test_a_left_hand_is_a_right_one_mirrored() -> None:
    right = piece(KEYS, ONSETS, ENDS, RIGHT, ("",) * 4)
    left = piece([124 - key for key in KEYS], ONSETS, ENDS, LEFT, ("",) * 4)
    (of_right,), (of_left,) = hand_lines(right), hand_lines(left)
    assert np.array_equal(note_features(right, of_right), note_features(left, of_left))
    for apart in (1, 2):
        assert np.array_equal(pair_numbers(of_right, apart), pair_numbers(of_left, apart))


def random_arrays(units: int, *, chained: bool) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    sizes = {
        "in/w": (76, units), "in/b": (units,), "l0/w": (2, units, 4 * units), "l0/r": (2, units, 4 * units),
        "l0/b": (2, 1, 4 * units), "out/w": (2 * units, 5), "out/b": (5,),
    }  # fmt: skip
    if chained:
        sizes |= {"crf/T3": (5, 5, 5), "crf/O1": (5, 5, 186), "crf/O2": (5, 5, 186)}
    arrays = {name: rng.normal(size=size).astype(np.float32) for name, size in sizes.items()}
    return {**arrays, "curve": np.zeros((1, 3))}


def sums_of_paths(arrays: Mapping[str, Any], emission: Any, last: Any, before: Any) -> dict[Any, float]:
    """Return the score of each path, note by note."""
    sums = {}
    for path in product(range(5), repeat=len(emission)):
        score = sum(float(emission[note, finger]) for note, finger in enumerate(path))
        for note in range(1, len(path)):
            score += arrays["crf/O1"][path[note - 1], path[note], last[note] - 1]
            if note >= 2:
                score += arrays["crf/O2"][path[note - 2], path[note], before[note] - 1]
                score += arrays["crf/T3"][path[note - 2 : note + 1]]
        sums[path] = float(score)
    return sums


EMISSION: Any = np.random.default_rng(5).normal(size=(4, 5)).astype(np.float32)


def known_sums(arrays: Mapping[str, Any]) -> tuple[Any, Any, Any, Any]:
    """Return the numbers of intervals of a line of four notes, all its paths, and how probable each is."""
    (line,) = hand_lines(piece(KEYS, ONSETS, ENDS, RIGHT, ("",) * 4))
    last, before = pair_numbers(line, 1), pair_numbers(line, 2)
    sums = sums_of_paths(arrays, EMISSION, last, before)
    return last, before, np.array(list(sums)), np.exp(np.array(list(sums.values())))


def test_marginals_are_those_of_all_paths() -> None:
    arrays = random_arrays(4, chained=True)
    last, before, paths, weights = known_sums(arrays)
    shares = [[weights[paths[:, note] == f].sum() / weights.sum() for f in range(5)] for note in range(4)]
    assert marginals(chain_scores(arrays, EMISSION, last, before)) == pytest.approx(np.array(shares))


@pytest.mark.slow
def test_the_forward_recursion_is_the_sum_over_all_paths() -> None:
    ops = load_keras().ops
    arrays = random_arrays(4, chained=True)
    last, before, paths, weights = known_sums(arrays)
    # with two notes of padding at the end, whatever they hold
    two, across = (
        np.concatenate((np.zeros((1, 5, 5)), arrays[name].transpose(2, 0, 1)))[np.append(numbers, [9, 9])]
        for name, numbers in (("crf/O1", last), ("crf/O2", before))
    )
    real = (np.arange(6) < 4)[None]
    padded = ops.convert_to_tensor(np.concatenate((EMISSION, np.ones((2, 5), dtype=np.float32)))[None])
    tables = [two[None].astype(np.float32), across[None].astype(np.float32), arrays["crf/T3"][None]]
    assert float(log_sum(ops, padded, tables, real)[0]) == pytest.approx(log(weights.sum()), abs=1e-5)
    # fingers 2, any, 4, 1: minus the logarithm of their share, for each note
    fingers = np.array([[2, 0, 4, 1, 0, 0]])
    agreed = (paths[:, 0] == 1) & (paths[:, 2] == 3) & (paths[:, 3] == 0)
    loss = path_loss(ops, padded, tables, fingers, real)
    assert float(loss[0]) == pytest.approx(-log(weights[agreed].sum() / weights.sum()) / 4, abs=1e-5)
    alone = path_loss(ops, padded, [], fingers, real)
    shares = np.exp(EMISSION) / np.exp(EMISSION).sum(axis=1, keepdims=True)
    assert float(alone[0]) == pytest.approx(-np.log(shares[[0, 2, 3], [1, 3, 0]]).sum() / 4, abs=1e-5)


@pytest.mark.slow
def test_numpy_is_keras() -> None:
    network = build_network(load_keras(), 16, chained=True)
    rng = np.random.default_rng(6)
    for layer in network.layers.values():
        layer.set_weights([rng.normal(size=weight.shape) for weight in layer.get_weights()])
    arrays = network.arrays()
    assert sum(array.size for array in arrays.values()) == 76 * 16 + 16 + 2 * (
        2 * 16 * 64 + 64
    ) + 32 * 5 + 5 + (2 * 186 * 25 + 125)
    (line, *_) = lessons_of({"scale": [practice_pieces()["Bb minor scale"]]})
    size = len(line.features)
    padded = np.zeros((1, 64, 76), dtype=np.float32)
    padded[0, :size] = line.features
    by_keras = np.asarray(network.emission(padded))[0, :size]
    by_numpy, shorter = emissions(arrays, [line.features, line.features[:7]])
    assert np.abs(by_numpy - by_keras).max() < 1e-5
    assert np.abs(shorter - emissions(arrays, [line.features[:7]])[0]).max() < 1e-6


def test_windows_are_cut_anew() -> None:
    scale = practice_pieces()["C major scale"]  # 29 notes of each hand
    other = replace(scale, labels=tuple(label.replace("1", "2") for label in scale.labels))
    moved = replace(scale, onsets=scale.onsets + 0.01)
    lessons = lessons_of({"scale": [scale, other, moved], "none": [replace(scale, labels=("",) * 58)]})
    assert [(lesson.item, lesson.fingers.shape) for lesson in lessons] == [
        ("scale", (2, 29)), ("scale", (2, 29)), ("scale", (1, 29)), ("scale", (1, 29)),
    ]  # fmt: skip
    rng = np.random.default_rng(1)
    drawn = [window for _ in range(40) for window in windows(lessons[:1], rng)]
    sizes = [int(features.any(axis=1).sum()) for features, *_ in drawn]
    assert min(sizes) >= 6
    assert max(sizes) == 29
    assert len(set(sizes)) > 10
    octaves = set()
    for (features, last, before, fingers), size in zip(drawn, sizes, strict=True):
        assert (last[0], *before[:2]) == (0, 0, 0)
        assert last[1:size].all()
        assert before[2:size].all()
        assert not last[size:].any()
        assert fingers[:size].all()
        begin = next(
            place for place in range(29) if np.allclose(features[0, :55], lessons[0].features[place, :55])
        )
        octaves.add(round(24 * float(features[0, 55] - lessons[0].features[begin, 55])))
    assert octaves == {-12, 0, 12}
    assert len({tuple(fingers) for *_, fingers in drawn if fingers[28]}) == 2  # annotators


def test_agreement_is_of_annotators() -> None:
    scale = practice_pieces()["C major scale"]
    halves = ("5",) * 29 + ("",) * 29  # the first 15 notes of the right hand, 14 of the left
    second = replace(scale, labels=tuple(("-" if hand else "") + "5" if label else "" for label, hand in
                                         zip(halves, scale.hands.tolist(), strict=True)))  # fmt: skip
    lessons = lessons_of({"scale": [scale, second]})
    arrays = {name: 0 * array for name, array in random_arrays(4, chained=False).items()}
    arrays["out/b"][4] = 1.0  # always the little finger
    fives = [sum(abs(int(label)) == 5 for label in scale.labels[:29]), scale.labels.count("5")]
    fives = [
        sum(label.lstrip("-") == "5" for label in labels) for labels in (scale.labels[:29], scale.labels[29:])
    ]
    assert agreement(arrays, lessons) == pytest.approx((0.5 * (fives[0] + 29) + fives[1]) / 58)


def model_of(name: str, arrays: Mapping[str, Any]) -> Model:
    header = {
        "format": FORMAT,
        "task": "fingering",
        "system": name,
        "items": [],
        "from": [],
        "data": "000000",
    }
    return Model("fingering", name, arrays, header)


@pytest.mark.parametrize("name", ["bilstm", "crf"])
def test_notes_are_fingered_without_keras(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keras", None)
    model = model_of(name, random_arrays(8, chained=name == "crf"))
    scale = practice_pieces()["E major scale"]
    notes = {"scale": replace(scale, labels=("",) * len(scale))}
    for decoding in ("marginals", "path", "sample"):
        settings = {"decoding": decoding, "profile": "parncutt1997"}
        made = kt.annotate("fingering", notes, name, model=model, settings=settings)
        rate = kt.score("fingering", None, {"mine": made}, ci=None, measures=["playability/ifr_melodic"])
        assert rate.value("ifr_melodic") == 0
    kept = {"scale": replace(scale, labels=("3", *("",) * (len(scale) - 1)))}
    made = kt.annotate("fingering", kept, name, model=model, settings={"keep": True, "decoding": "path"})
    assert made["scale"].labels[0] == "3"
    with pytest.raises(OptionError, match="another version"):
        kt.annotate("fingering", notes, name, model=replace(model, header={**model.header, "version": 2}))
    with pytest.raises(OptionError, match="training a network needs Keras and JAX") as error:
        kt.train("fingering", {"scale": scale}, name)
    assert "pip install 'kammerton[train]'" in str(error.value)


def test_the_best_path_is_the_best_that_a_hand_can_play() -> None:
    model = model_of("crf", random_arrays(8, chained=True))
    notes = piece([60, 64, 67, 66, 62, 71], [0, 0, 0, 1, 2, 3], [1, 1, 1, 2, 3, 4], LEFT, ("",) * 6)
    settings = {"decoding": "path", "profile": "balliauw2017-M"}
    made = kt.annotate("fingering", {"piece": notes}, "crf", model=model, settings=settings)["piece"]
    (line,) = hand_lines(notes)
    (emission,) = emissions(model.arrays, [note_features(notes, line)])
    sums = sums_of_paths(model.arrays, emission, pair_numbers(line, 1), pair_numbers(line, 2))
    in_order = [path for path in sums if path[0] <= path[1] <= path[2]]
    measures = ["playability/ifr_melodic", "playability/ifr_chord"]
    for path in sorted(in_order, key=lambda path: -sums[path]):
        labels = dict(zip(line.notes.tolist(), path, strict=True))
        tried = replace(notes, labels=tuple(str(-labels[note] - 1) for note in range(6)))
        options = kt.fingering.FingeringOptions(profile="balliauw2017-M")
        scores = kt.score(
            "fingering", None, {"mine": {"piece": tried}}, ci=None, measures=measures, options=options
        )
        if scores.value("ifr_melodic") == scores.value("ifr_chord") == 0:
            break
    assert made.labels == tried.labels


@pytest.mark.parametrize(
    ("chosen", "present", "backend"),
    [
        (None, ("torch", "jax"), "jax"),
        (None, ("torch",), "torch"),
        ("tensorflow", ("jax",), "tensorflow"),
        (None, (), None),
    ],
)
def test_the_backend_is_the_one_of_the_user(
    chosen: str | None, present: tuple[str, ...], backend: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[str | None] = []

    def imported(name: str) -> SimpleNamespace:
        named.append(os.environ.get("KERAS_BACKEND"))
        return SimpleNamespace(backend=SimpleNamespace(backend=lambda: named[0] or "numpy"))

    monkeypatch.setattr(fingering_training, "import_module", imported)
    monkeypatch.setattr(fingering_training, "find_spec", lambda name: name if name in present else None)
    monkeypatch.delitem(sys.modules, "keras", raising=False)
    monkeypatch.setenv("KERAS_BACKEND", chosen or "")
    if chosen is None:
        monkeypatch.delenv("KERAS_BACKEND")
    if backend is None:
        with pytest.raises(OptionError, match="Keras cannot train on its backend numpy"):
            load_keras()
    else:
        load_keras()
    assert named == [backend]


PIECES = {name: practice_pieces()[name] for name in ("C major scale", "Eb minor scale", "A major arpeggio")}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bilstm", "crf"])
def test_three_pieces_are_learned_by_heart(name: str, tmp_path: Path) -> None:
    lines: list[str] = []
    path = tmp_path / "model.npz"
    settings = {"validation": 0, "epochs": 8}
    model = kt.train("fingering", PIECES, name, settings=settings, out=path, progress=lines.append)
    assert lines[0].startswith("1 epoch: agreement ")
    bare = {item: replace(notes, labels=("",) * len(notes)) for item, notes in PIECES.items()}
    # the usual fingers of the arpeggio lie wider than hands of the profile
    made = kt.annotate("fingering", bare, name, model=path, settings={"profile": ""})
    for item, notes in PIECES.items():
        same = [a == b for a, b in zip(made[item].labels, notes.labels, strict=True)]
        assert np.mean(same) > 0.95
    assert model.header["training"]["agreement"] == model.arrays["curve"][:, 1].max()
    assert len(model.arrays["curve"]) <= 8


@pytest.mark.slow
def test_a_split_tells_when_to_stop_and_a_seed_tells_all() -> None:
    splits = dict(zip(PIECES, ("train", "validation", "test"), strict=True))
    settings = {"epochs": 1, "units": 4}
    before = random.getstate()
    model = kt.train("fingering", PIECES, "bilstm", splits=splits, settings=settings)
    assert model.header["training"]["validation"] == ["Eb minor scale"]
    assert model.header["items"] == ["C major scale", "Eb minor scale"]
    assert model.reached.endswith(" %, after epoch 1 of 1")
    made = kt.annotate("fingering", {"Eb minor scale": PIECES["Eb minor scale"]}, "bilstm", model=model)
    scores = kt.score(
        "fingering", PIECES, {"mine": made}, items=["Eb minor scale"], protocols=["nakamura2020"]
    )
    for name in ("M_gen", "M_high", "M_soft", "M_rec"):
        assert model.header["training"]["scores"][name] == pytest.approx(scores.value(f"nakamura2020/{name}"))
    again = kt.train("fingering", PIECES, "bilstm", splits=splits, settings=settings)
    assert again.digest == model.digest
    assert random.getstate() == before


@pytest.mark.parametrize(
    ("count", "share", "held"), [(120, 0.21, 25), (92, 0.21, 19), (3, 0.21, 1), (1, 0.21, 1)]
)
def test_validation_items_are_drawn(count: int, share: float, held: int) -> None:
    items = TrainingItems({str(number): [] for number in range(count)})
    learned, checks = divided(items, share)
    assert len(checks) == held
    assert {*learned, *checks} == set(items)
    assert count == 1 or not learned.keys() & checks.keys()
    assert divided(items, 0.0) == (items, items)
    of_split = TrainingItems(items, validation={"other": []})
    assert divided(of_split, share) == (items, {"other": []})


def test_too_little_is_no_training() -> None:
    scale = PIECES["C major scale"]
    with pytest.raises(DataError, match="KT809 there is nothing to learn"):
        kt.train("fingering", {"scale": replace(scale, labels=("",) * len(scale))}, "crf")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"units": 0}, "units: a whole number from 1 on, not 0"),
        ({"epochs": 1.5}, "epochs is a whole number, not `1.5`"),
        ({"validation": 1}, "validation: a share from 0 to below 1, not 1"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        kt.train("fingering", PIECES, "crf", settings=settings)
