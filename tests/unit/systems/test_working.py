# SPDX-License-Identifier: MIT
"""A run of a system that was stopped resumes, and shows its progress."""

import hashlib
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from kammerton.scoring.keeping import keeping
from kammerton.scoring.running import Progress
from kammerton.systems import Input, System, SystemCard
from kammerton.systems.working import Kept

SONGS = {name: ([(0, 4)], [label]) for name, label in (("a", "C"), ("b", "D"), ("c", "E"), ("d", "F"))}


class Counting:
    """A system that gives each song back, and knows which ones it was asked for."""

    def __init__(self, broken: str = "", stop: str = "") -> None:
        self.asked: list[str] = []
        self.broken, self.stop = broken, stop

    def __call__(self, source: Input, *_: object) -> Any:
        self.asked.append(source.item)
        if source.item == self.stop:
            raise KeyboardInterrupt
        if source.item == self.broken:
            raise ValueError("no beats")
        return next(iter(source.annotations.values()))

    def run(self, folder: Path, songs: Any = SONGS, **choices: Any) -> Any:
        card = SystemCard(summary="A test.")
        takes = frozenset(("annotations",))
        system = System(name="test", task="chords", takes=takes, card=card, annotate=self)
        return kt.annotate("chords", songs, system, out=folder / "out", **choices)


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    """Stop at the third song; the second one had failed."""
    with pytest.raises(KeyboardInterrupt) as stop:
        Counting(broken="b", stop="c").run(tmp_path)
    assert stop.value.__notes__ == ["1 finished part is kept"]
    assert [path.name for path in tmp_path.iterdir()] == [".out.shards"]
    return tmp_path


def test_what_was_finished_is_not_done_again(stopped: Path) -> None:
    system, seen = Counting(), list[Progress]()
    made = system.run(stopped, progress=seen.append)
    assert system.asked == ["b", "c", "d"]  # what failed is tried again
    assert {item: own.labels for item, own in made.items()} == {
        "a": ("C",), "b": ("D",), "c": ("E",), "d": ("F",)
    }  # fmt: skip
    assert seen == [Progress(done, 4, 1, 0) for done in (1, 2, 3, 4)]
    assert [path.name for path in stopped.iterdir()] == ["out"]
    assert (stopped / "out/a.lab").read_text() == "0.0\t4.0\tC\n"


def test_another_input_is_done_anew(stopped: Path) -> None:
    system = Counting()
    assert system.run(stopped, {**SONGS, "a": ([(0, 4)], ["G"])})["a"].labels == ("G",)
    assert system.asked == ["a", "b", "c", "d"]


def test_items_that_fail_are_counted(tmp_path: Path) -> None:
    seen: list[Progress] = []
    made = Counting(broken="c").run(tmp_path, progress=seen.append)
    assert [progress.failed for progress in seen] == [0, 0, 1, 1]
    assert dict(made.failed) == {"c": "`test` failed on `c`: ValueError: no beats"}


def test_parts_are_written_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kammerton.systems.working._SECONDS", 0.0)
    with pytest.raises(KeyboardInterrupt):
        Counting(stop="d").run(tmp_path)
    assert len(list((tmp_path / ".out.shards").glob("*.part"))) == 3


@pytest.mark.parametrize(
    "body",
    [
        b"no pickle",
        pickle.dumps({"a": os.getcwd}),
        pickle.dumps({"a": 3}),
        pickle.dumps(3),
        b"ckammerton.systems.working\nmonotonic\n.",  # a function that a module of ours happens to have
        b"\x80\x04\x8c\x1ckammerton.systems.provenance\x8c\x07os.name\x93.",
    ],
)
def test_files_that_others_made_run_nothing(tmp_path: Path, body: bytes) -> None:
    with keeping(tmp_path / "out") as store:
        assert store is not None
        store.keep("one", hashlib.sha256(body).digest() + body)
        store.keep("two", b"torn")
        kept = Kept(store)
        assert kept.find("a") is None
        assert store.found == 2


def test_progress_of_fusion() -> None:
    seen: list[Progress] = []
    kt.fuse("chords", {"x": SONGS, "y": SONGS}, progress=seen.append)
    assert seen == [Progress(done, 4, 0, 0) for done in (1, 2, 3, 4)]
