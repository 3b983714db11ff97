# SPDX-License-Identifier: MIT
"""Numbers of labels: theirs in one process alone, and none of the caller's business."""

import copy
import os
import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from enum import Enum
from multiprocessing import get_context
from threading import Barrier, Event
from time import sleep

import numpy as np
import pytest

from kammerton.chords import ChordAnnotation
from kammerton.chords import annotation as module
from kammerton.chords.annotation import Spellings
from kammerton.chords.kernels import build_columns
from kammerton.model.task import Case

TIMES = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]])


def test_a_label_has_one_number() -> None:
    spellings = Spellings()
    codes = spellings.numbers(("G:7", "C", "G:7"))
    assert codes[0] == codes[2] != codes[1]
    assert [spellings.labels[code] for code in codes] == ["G:7", "C", "G:7"]
    assert spellings.numbers(["C"])[0] == codes[1]
    assert spellings.numbers(()).tolist() == []


def test_only_what_was_called_sound_is() -> None:
    spellings = Spellings()
    spellings.numbers(("C",))
    assert spellings.numbers_of_sound(["C"]) is None
    spellings.sound["C"] = int(spellings.numbers(("C",))[0])
    found = spellings.numbers_of_sound(["C", "C"])
    assert found is not None
    assert found.tolist() == spellings.numbers(("C", "C")).tolist()
    assert spellings.numbers_of_sound(["C", "G"]) is None
    assert spellings.numbers_of_sound([["C"]]) is None


@pytest.mark.parametrize("copied", [lambda each: pickle.loads(pickle.dumps(each)), copy.deepcopy])
def test_annotations_travel_by_their_labels(copied: object, monkeypatch: pytest.MonkeyPatch) -> None:
    song = ChordAnnotation(TIMES, ("C", "G:7", "C"))
    elsewhere = Spellings()
    elsewhere.numbers(("N", "G:7"))
    monkeypatch.setattr(module, "_in_use", [elsewhere])
    found = copied(song)  # type: ignore[operator]
    assert found.spellings is elsewhere
    assert found.codes.tolist() != song.codes.tolist()
    assert found.labels == song.labels == ("C", "G:7", "C")
    assert found.intervals.tolist() == TIMES.tolist()
    assert "('C', 'G:7', 'C')" in repr(found)


def test_annotations_do_not_change() -> None:
    song = ChordAnnotation(TIMES, ("C", "G:7", "C"))
    with pytest.raises(FrozenInstanceError):
        song.codes = song.codes[:1]  # type: ignore[misc]


def test_pairs_of_different_spellings_are_compared_by_labels() -> None:
    known = ChordAnnotation(TIMES, ("C", "G:7", ""))
    others = Spellings()
    others.numbers(("A", "G:7", "C"))
    coded = ChordAnnotation.coded(TIMES, others.numbers(("A", "G:7", "C")), others)
    columns = build_columns([Case((known,), coded, 0), Case((coded,), known, 0)])
    assert columns.labels == ("", "N", "A", "C", "G:7")
    assert columns.ref.codes.tolist() == [3, 4, 0, 2, 4, 3]
    assert columns.est.codes.tolist() == [2, 4, 3, 3, 4, 0]


def test_many_labels_are_followed_by_others(monkeypatch: pytest.MonkeyPatch) -> None:
    first = Spellings()
    monkeypatch.setattr(module, "_in_use", [first])
    monkeypatch.setattr(module, "_MANY", 2)
    song = ChordAnnotation(TIMES, ("C", "G", "A"))
    other = ChordAnnotation(TIMES, ("G", "G", "G"))
    assert song.spellings is first
    assert other.spellings is not first
    assert (song.labels, other.labels) == (("C", "G", "A"), ("G", "G", "G"))


def test_labels_of_other_types_are_texts_to_everyone_else() -> None:
    spellings = Spellings()
    spellings.numbers(np.array(["C", "G:7"]))
    assert [type(label) for label in spellings.labels] == [str, str]


def test_members_of_enumerations_are_the_labels_that_they_equal() -> None:
    class Label(str, Enum):  # noqa: UP042 - StrEnum shows what it equals
        C = "C"  # found by the text too: hashes are those of names
        DOMINANT = "G:7"

    members: list[str] = list(Label)
    for order in ((members, ["C", "G:7"]), (["C", "G:7"], members)):
        spellings = Spellings()
        codes = [spellings.numbers(each).tolist() for each in order]
        assert codes[0] == codes[1]
        assert spellings.labels == ["C", "G:7"]
        assert [type(label) for label in spellings.labels] == [str, str]


@pytest.fixture
def _hurried() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.parametrize("_", range(8))
@pytest.mark.usefixtures("_hurried")
def test_threads_share_numbers(_: int) -> None:
    spellings, started = Spellings(), Barrier(4)
    labels = [f"label {number}" for number in range(10_000)]

    def spelled(_: int) -> list[str]:
        started.wait()
        return [spellings.labels[code] for code in spellings.numbers(labels)]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(spelled, range(4))) == [labels] * 4
    assert sorted(spellings.labels) == sorted(labels)


@pytest.mark.skipif(os.name != "posix", reason="processes are forked on POSIX systems alone")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_that_is_forked_while_a_thread_adds_labels_can_add_its_own() -> None:
    spellings, is_adding = Spellings(), Event()

    class Slow(list[str]):
        def __iter__(self) -> Iterator[str]:
            yield "C"
            is_adding.set()
            sleep(0.1)
            yield "G"

    with ThreadPoolExecutor(1) as pool:
        added = pool.submit(spellings.numbers, Slow(("C", "G")))
        is_adding.wait()
        forked = get_context("fork").Process(target=spellings.numbers, args=(("A",),))
        forked.start()
        forked.join(600)
        forked.kill()
        assert added.result().tolist() == [0, 1]
    assert forked.exitcode == 0


@pytest.mark.usefixtures("_hurried")
def test_labels_may_be_added_while_others_are_compared() -> None:
    spellings = Spellings()
    song = ChordAnnotation.coded(TIMES, spellings.numbers(("C", "G:7", "C")), spellings)

    def compared() -> set[tuple[str, ...]]:
        return {build_columns([Case((song,), song, 0)]).labels for _ in range(2000)}

    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(compared)
        while not found.done():
            spellings.numbers((f"label {len(spellings.labels)}",))
    assert found.result() == {("", "N", "C", "G:7")}
