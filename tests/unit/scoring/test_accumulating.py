# SPDX-License-Identifier: MIT
"""Accumulators: what comes item by item counts as if it had come at once."""

import pickle
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt

REF = ([(0, 2), (2, 4)], ["C", "G:7"])
EST = ([(0, 3), (3, 4)], ["C", "G"])
OTHER = ([(0, 1)], ["A:min"])
SPLIT = 7


def test_scores_are_of_all_items() -> None:
    accumulator = kt.Accumulator("chords", measures=["MajMin"])
    accumulator.update(REF, EST)  # 3 of 4 seconds
    assert accumulator.compute().value("MajMin") == 0.75
    accumulator.update({"a": OTHER, "b": OTHER}, {"a": OTHER})  # 1 of 2 seconds: b is missing
    assert len(accumulator) == 3
    assert accumulator.compute().value("MajMin") == 4 / 6
    assert accumulator.compute().items["item"].to_list() == ["000000001", "a", "b"]
    accumulator.reset()
    assert (len(accumulator), accumulator.sums()) == (0, {})


def test_intervals_are_made_when_they_are_asked_for() -> None:
    accumulator = kt.Accumulator("chords", measures=["MajMin"])
    items = {f"{number}": (REF, EST if number % 2 else REF) for number in range(6)}
    for item, (reference, estimate) in items.items():
        accumulator.update(reference, estimate, item=item)
    at_once = kt.score(
        "chords",
        {item: pair[0] for item, pair in items.items()},
        {"estimate": {item: pair[1] for item, pair in items.items()}},
        measures=["MajMin"],
        resamples=100,
    )
    assert accumulator.compute(ci=0.95, resamples=100).summary.equals(at_once.summary)


def test_merged_accumulators_number_their_items_on() -> None:
    first, second = (kt.Accumulator("chords", measures=["MajMin"]) for _ in range(2))
    first.update(REF, EST)
    second.update(OTHER, OTHER)
    second.update(REF, REF, item="named")
    first.merge(second)
    assert first.compute().items["item"].to_list() == ["000000001", "000000002", "named"]
    assert first.compute().value("MajMin") == (3 + 1 + 4) / 9


def test_what_cannot_be_taken_in_leaves_the_accumulator_as_it_was() -> None:
    accumulator = kt.Accumulator("chords", measures=["MajMin"])
    with pytest.raises(kt.OptionError, match="no item"):
        accumulator.compute()
    accumulator.update(REF, EST, item="a")
    with pytest.raises(kt.OptionError, match="taken in before"):
        accumulator.update(REF, REF, item="a")
    with pytest.raises(kt.DataError, match="not a chord root"):
        accumulator.update(([(0, 1)], ["H:foo"]), EST, item="b")
    with pytest.raises(kt.OptionError, match="the same"):
        accumulator.merge(kt.Accumulator("chords", measures=["Root"]))
    with pytest.raises(kt.OptionError, match="unknown measure"):
        kt.Accumulator("chords", measures=["Foo"])
    assert accumulator.compute().value("MajMin") == 0.75


def test_sums_of_processes_add_up() -> None:
    songs = [(REF, EST), (OTHER, OTHER), (REF, REF), (OTHER, REF)]
    whole, *parts = (kt.Accumulator("chords", protocols=["all"]) for _ in range(3))
    for number, (reference, estimate) in enumerate(songs):
        whole.update(reference, estimate)
        parts[number % 2].update(reference, estimate)
    first, second = (part.sums() for part in parts)
    values = whole.values({address: first[address] + second[address] for address in first})
    scores = whole.compute()
    assert len(values) == len(scores.measures)
    for address, value in values.items():
        assert value == pytest.approx(scores.value(address), nan_ok=True)


def assert_equal_to_score(task: Any, references: Mapping[str, Any], estimates: Mapping[str, Any]) -> None:
    """Split items at random over several accumulators, merge these, and compare every score bit by bit."""
    items = sorted(references)
    random.Random(1).shuffle(items)
    accumulators = [kt.Accumulator(task, protocols=["all"]) for _ in range(SPLIT)]
    for number, item in enumerate(items):
        accumulators[number % SPLIT].update(references[item], estimates[item], item=item)
    whole = accumulators[0]
    for other in accumulators[1:]:
        whole.merge(pickle.loads(pickle.dumps(other)))
    at_once = kt.score(task, references, {"estimate": estimates}, protocols=["all"], ci=None)
    assert whole.compute().summary.equals(at_once.summary)
    assert whole.compute().items.equals(at_once.items)


@pytest.mark.slow
def test_real_songs(shared_chords: Path) -> None:
    folder = shared_chords / "mirex/Isophonics2009"
    references = {
        path.relative_to(folder / "Ground-Truth").with_suffix("").as_posix(): path
        for path in (folder / "Ground-Truth").rglob("*.lab")
    }
    assert len(references) == 217
    assert_equal_to_score(
        "chords", references, {item: folder / "2017-KBK2" / f"{item}.lab" for item in references}
    )


def test_real_fingerings(shared_chords: Path) -> None:
    folder = shared_chords.parent / "fingering"
    estimates = {path.name[:3]: path for path in (folder / "beringer_est_CHMM").glob("*.txt")}
    assert len(estimates) == 68
    assert_equal_to_score(
        "fingering",
        {item: folder / "beringer_pig" / f"{item}-1_fingering.txt" for item in estimates},
        estimates,
    )


@pytest.mark.parametrize("ranked", [True, False])
def test_instruments_ranked_or_not(ranked: bool) -> None:
    rng, names = random.Random(0), ["flute", "violin", "cello", "drums", "voice"]
    references = {f"{n}": rng.sample(names, rng.randint(1, 3)) for n in range(40)}
    lists = {item: rng.sample(names, rng.randint(1, 4)) for item in references}
    scored = {item: {name: rng.random() for name in names} for item in references}
    assert_equal_to_score("instruments", references, scored if ranked else lists)
