# SPDX-License-Identifier: MIT
"""What there is to measure, the bundled example, written annotations, and runs that go on."""

from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from kammerton.scoring.running import Progress

SONG = [(0, 2), (2, 4)], ["C", "G:7"]


def test_every_measure_is_listed() -> None:
    listed = kt.measures()
    assert set(listed["task"]) == {"chords", "fingering", "instruments"}
    row = listed.filter(measure="mirex2013/MajMin").to_dicts()[0]
    assert (row["direction"], row["unit"], row["aggregate"], row["headline"]) == (
        "higher",
        "s",
        "pooled",
        True,
    )
    assert kt.measures("fingering")["measure"][0] == "nakamura2020/M_gen"


@pytest.mark.parametrize("task", ["chords", "fingering", "instruments"])
def test_the_example_is_scored(task: Any) -> None:
    scores = kt.score(task, *kt.example(task), ci=None)
    assert scores.systems == ("careful", "hasty")
    assert not scores.is_partial


def test_names_that_are_none() -> None:
    unknown: Any = "chord"
    with pytest.raises(kt.OptionError, match="unknown task `chord`"):
        kt.example(unknown)
    with pytest.raises(kt.OptionError, match=r"unknown code `KT999`"):
        kt.explain("KT999")
    assert kt.explain("[kt114]") == kt.explain("114")


@pytest.mark.parametrize("name", ["song.lab", "song.csv", "song.jams"])
def test_a_written_annotation_is_read_again(name: str, tmp_path: Path) -> None:
    kt.chords.write(SONG, tmp_path / name)
    again = kt.chords.read(tmp_path / name)
    assert again.labels == ("C", "G:7")
    assert again.intervals.tolist() == [[0, 2], [2, 4]]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(kt.OptionError, match=r"the name `song` has no suffix of a format\n.*`to` names one"):
        kt.chords.write(SONG, tmp_path / "song")
    with pytest.raises(kt.OptionError, match="unknown format `mp3`"):
        kt.chords.write(SONG, tmp_path / "song", to="mp3")
    with pytest.raises(kt.DataError, match="KT310"):
        kt.chords.write(([(0, 1)], ["H"]), tmp_path / "song.lab")
    assert [*tmp_path.iterdir()] == []


def test_the_same_call_goes_on_where_it_was(tmp_path: Path) -> None:
    songs = {f"{number:04}": SONG for number in range(1000)}
    done: list[Progress] = []

    def stop(progress: Progress) -> None:
        done.append(progress)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kt.score("chords", songs, songs, resume=tmp_path / "run", shard_size=200, progress=stop)
    scores = kt.score("chords", songs, songs, resume=tmp_path / "run", shard_size=200, progress=done.append)
    assert (done[1].done, done[1].found) == (200, 200)
    assert scores["MajMin"] == 1.0
    assert [*tmp_path.iterdir()] == []
