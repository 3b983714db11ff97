# SPDX-License-Identifier: MIT
"""Agreements as runs: what is read says what was written."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from cases.chords import song
from kammerton.chords import ChordOptions
from kammerton.cli.demo import EXAMPLE
from kammerton.runs.files import read_agreement
from kammerton.runs.layout import render_record

ONE = {"a": song((0, 2, "C"), (2, 4, "G:7")), "b": song((0, 10, "C"))}
OTHER = {"a": song((0, 3, "C"), (3, 4, "G")), "b": song((0, 10, "C"))}
THIRD = {"a": song((0, 4, "G")), "c": song((0, 4, "G"))}
MAJMIN = "mirex2013/MajMin"


@pytest.fixture
def found() -> Any:
    return kt.agree(
        "chords", {"one": ONE, "other": OTHER, "third": THIRD}, protocols=["mirex2013", "decibel"]
    )


def refused(task: Any, run: Path) -> tuple[str, str]:
    with pytest.raises(kt.DataError) as caught:
        kt.agree(task, run)
    (problem,) = caught.value.diagnostics
    return problem.code, problem.message


def test_what_is_read_says_what_was_written(found: Any, tmp_path: Path) -> None:
    kt.write_run(found, tmp_path / "run")
    read = kt.agree("chords", tmp_path / "run")
    assert read.to_dict() == found.to_dict()
    assert read.summary.equals(found.summary)
    assert read.table.equals(found.table)
    assert read.signatures == found.signatures
    # one-other twice: a 3/4, b 1; one-third twice: a 1/2; other-third twice: a 1/4
    assert read.value(MAJMIN) == pytest.approx((3 / 4 + 1 + 1 / 2 + 1 / 4) / 4)
    kt.write_run(read, tmp_path / "again")
    assert [(tmp_path / name / "run.json").read_bytes() for name in ("run", "again")] == [
        (tmp_path / "run" / "run.json").read_bytes()
    ] * 2


def test_measures_can_still_be_chosen(found: Any, tmp_path: Path) -> None:
    kt.write_run(found, tmp_path / "run")
    read = kt.agree("chords", tmp_path / "run", measures=["MajMin"])
    assert list(map(str, read.measures)) == [MAJMIN]
    assert {m.protocol for m in kt.agree("chords", tmp_path / "run", protocols=["decibel"]).measures} == {
        "decibel"
    }
    with pytest.raises(kt.OptionError, match="no measure compares"):
        kt.agree("chords", tmp_path / "run", protocols=["mir_eval"])
    with pytest.raises(kt.OptionError, match="a run has read its files already"):
        kt.agree("chords", tmp_path / "run", options=ChordOptions(lenient=True))
    with pytest.raises(kt.OptionError, match="the run is of another task: chords"):
        kt.agree("fingering", tmp_path / "run")


def test_units_that_have_no_size(tmp_path: Path) -> None:
    with contextlib.chdir(EXAMPLE / "fingering"):
        found = kt.agree("fingering", {"one": "reference", "other": "careful"})
    kt.write_run(found, tmp_path / "run")
    read = kt.agree("fingering", tmp_path / "run")
    assert read.alpha == found.alpha
    assert read.kappa == found.kappa


def test_runs_of_something_else(found: Any, tmp_path: Path) -> None:
    kt.write_run(found, tmp_path / "agreement")
    kt.write_run(kt.score("chords", ONE, {"x": OTHER}, measures=[MAJMIN]), tmp_path / "scores")
    for reader in (kt.read_run, lambda run: kt.compare("chords", runs=[run]), lambda run: kt.diff(run, run)):
        with pytest.raises(kt.DataError, match="KT711 run of an agreement of annotators, not of scores"):
            reader(tmp_path / "agreement")
    record = json.loads((tmp_path / "agreement" / "run.json").read_bytes())
    for name in ("kind", "format", "digest"):
        del record[name]
    (tmp_path / "agreement" / "run.json").write_bytes(render_record(record | {"holds": "beats"}))
    assert refused("chords", tmp_path / "agreement") == (
        "KT711",
        "run of something else, not of an agreement of annotators",
    )


def test_the_annotators_of_a_run_of_scores(found: Any, tmp_path: Path) -> None:
    people = {"one": ONE, "other": OTHER, "third": THIRD}
    scores = kt.score("chords", None, {"x": OTHER}, annotators=people, measures=[MAJMIN])
    kt.write_run(scores, tmp_path / "run")
    read = kt.agree("chords", tmp_path / "run", protocols=["mirex2013", "decibel"])
    assert read.to_dict() == found.to_dict()
    with pytest.raises(kt.OptionError, match="the run is of another task: chords"):
        kt.agree("fingering", tmp_path / "run")
    kt.write_run(scores.remade(corpus=None), tmp_path / "without")
    with pytest.raises(kt.OptionError, match="keeps no annotations"):
        kt.agree("chords", tmp_path / "without")


def test_runs_in_place_of_references_and_estimates(tmp_path: Path) -> None:
    systems = {"x": OTHER, "y": ONE}
    for name, estimates in systems.items():
        kt.write_run(kt.score("chords", ONE, {name: estimates}, measures=[MAJMIN]), tmp_path / name)
    expected = kt.compare("chords", ONE, systems, measures=[MAJMIN]).to_dict()["measures"]
    one, other = tmp_path / "x", tmp_path / "y"
    assert kt.compare("chords", one, other).to_dict()["measures"] == expected
    assert kt.compare("chords", one, [other]).to_dict()["measures"] == expected
    assert kt.compare("chords", one, {"z": other}).comparison.systems == ("x", "z")
    with pytest.raises(kt.OptionError, match="a comparison needs two systems"):
        kt.compare("chords", one)


def test_a_torn_run(found: Any, tmp_path: Path) -> None:
    kt.write_run(found, tmp_path / "run")
    (tmp_path / "run" / "ratings.parquet").unlink()
    assert refused("chords", tmp_path / "run")[0] == "KT702"
    with pytest.raises(kt.DataError, match="KT700"):
        read_agreement(tmp_path)


def test_tasks_whose_labels_are_not_rated(found: Any, tmp_path: Path) -> None:
    kt.write_run(replace(found, ratings=None), tmp_path / "run")
    read = kt.agree("chords", tmp_path / "run")
    assert read.ratings is None
    assert read.annotators == found.annotators
