# SPDX-License-Identifier: MIT
"""Runs keep what was scored: any item is laid out from the run alone, as it was before."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from kammerton.api.pages import lay_out
from kammerton.cli.demo import EXAMPLE
from kammerton.model.corpus import name_of_source
from kammerton.model.views import ItemView


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for task in ("chords", "fingering", "instruments"):
        shutil.copytree(EXAMPLE / task, tmp_path / task)
    monkeypatch.chdir(tmp_path)


def scored(task: Any, **options: Any) -> kt.Scores:
    end = ".csv" if task == "instruments" else ""
    systems = {name: f"{task}/{name}{end}" for name in ("careful", "hasty")}
    return kt.score(task, f"{task}/reference{end}", systems, ci=None, **options)


def views(scores: kt.Scores) -> Mapping[str, ItemView]:
    """Lay out every item of scores, with nothing but what they bring."""
    origin = scores.origin
    assert origin.corpus is not None
    corpus = origin.corpus.paired()
    return {
        item: lay_out(origin.task, corpus, item, measure=None, annotator=None, options=origin.options)
        for item in scores.references
    }


@pytest.mark.parametrize("task", ["chords", "fingering", "instruments"])
def test_items_are_laid_out_from_the_run_alone(task: str) -> None:
    scores = scored(task)
    expected = views(scores)
    assert kt.write_run(scores, "run") == ()
    for each in ("chords", "fingering", "instruments"):
        shutil.rmtree(each)
    assert views(kt.read_run("run")) == expected
    assert expected


def test_several_annotators_are_kept_apart() -> None:
    scores = scored("chords", annotators={"second": "chords/second"})
    kt.write_run(scores, "run")
    systems = {name: f"chords/{name}" for name in ("careful", "hasty")}
    asked: dict[str, Any] = {"item": "Amazing Grace", "annotator": "second"}
    added = {"second": "chords/second"}
    drawn = kt.show("chords", "run", **asked)
    assert drawn == kt.show("chords", "chords/reference", systems, annotators=added, **asked)
    assert drawn.tracks[0].name == "second"


def test_what_cannot_be_read_is_kept_as_that() -> None:
    Path("chords/hasty/Greensleeves.lab").write_text("0 1 nonsense", encoding="utf-8")
    scores = scored("chords")
    kt.write_run(scores, "run")
    found = views(kt.read_run("run"))["Greensleeves"]
    assert found == views(scores)["Greensleeves"]
    assert any("nonsense" in each.message for each in found.diagnostics)


def test_nothing_of_the_machine_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "chords"
    (folder / "careful/Greensleeves.lab").write_text("0 1 nonsense", encoding="utf-8")
    (folder / "careful/greensleeves.jams").write_text("{}", encoding="utf-8")
    scores = kt.score("chords", folder / "reference", {"careful": folder / "careful"}, ci=None)
    kt.write_run(scores, "run")
    corpus = kt.read_run("run").origin.corpus
    assert corpus is not None
    ((_, source),) = corpus.systems[0].sources["Amazing Grace"]
    assert name_of_source(source) == "chords/careful/Amazing Grace.lab"
    assert corpus.systems[0].origin == "chords/careful"
    told = [each.file for system in corpus.systems for each in system.diagnostics]
    assert all(file is None or not file.startswith("/") for file in told)


def test_only_what_was_scored_is_kept() -> None:
    Path("chords/hasty/extra.lab").write_text("0 1 C", encoding="utf-8")
    kt.write_run(scored("chords"), "run")
    corpus = kt.read_run("run").origin.corpus
    assert corpus is not None
    assert {len(each.sources) for each in (*corpus.references, *corpus.systems)} == {4}


def test_annotations_can_be_left_out() -> None:
    scores = scored("chords")
    assert kt.write_run(scores, "run", annotations=False) == ()
    assert not Path("run/annotations.parquet").exists()
    again = kt.read_run("run")
    assert again.origin.corpus is None
    assert again.to_dict() == scores.to_dict()
    kt.write_run(again, "copy")  # of what a run does not have, a copy has nothing
    assert not Path("copy/annotations.parquet").exists()


def test_too_many_are_left_out_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kammerton.runs.layout.MOST_ROWS", 100)
    (note,) = kt.write_run(scored("chords"), "run")
    assert (note.code, note.severity) == ("KT712", "note")
    assert not Path("run/annotations.parquet").exists()
    assert not Path("run/parts").exists()
    assert kt.read_run("run").origin.corpus is None


def test_a_run_takes_its_annotations_with_it() -> None:
    kt.write_run(scored("chords"), "run")
    again = kt.read_run("run")
    kt.write_run(again, "copy")
    shutil.rmtree("run")
    assert len(views(kt.read_run("copy"))) == 4
    kt.write_run(kt.read_run("copy"), "copy")  # over itself
    assert len(views(kt.read_run("copy"))) == 4


def test_a_run_that_lost_its_annotations_is_torn() -> None:
    kt.write_run(scored("chords"), "run")
    Path("run/annotations.parquet").unlink()
    with pytest.raises(kt.DataError, match="KT702 run is torn: cannot be read: no such file or directory"):
        kt.read_run("run")


def test_the_annotations_of_another_run_are_refused() -> None:
    kt.write_run(scored("chords"), "run")
    kt.write_run(scored("chords", annotators={"second": "chords/second"}), "other")
    shutil.copy("other/annotations.parquet", "run/annotations.parquet")
    with pytest.raises(kt.DataError, match="KT702 run is torn: its annotations are not those"):
        kt.read_run("run")


def test_damaged_annotations_are_refused() -> None:
    kt.write_run(scored("chords"), "run")
    path = Path("run/annotations.parquet")
    data = bytearray(path.read_bytes())
    data[4 : len(data) // 3] = bytes(len(data) // 3 - 4)
    path.write_bytes(data)
    with pytest.raises(kt.DataError, match="KT702 run is torn: pack is damaged: it is not what was written"):
        kt.read_run("run")


def test_runs_from_before_have_none() -> None:
    kt.write_run(scored("chords"), "run", annotations=False)
    assert "annotations" not in json.loads(Path("run/run.json").read_bytes())
    assert kt.read_run("run").origin.corpus is None


def test_other_things_called_annotations_are_not_replaced() -> None:
    kt.write_run(scored("chords"), "run", annotations=False)
    Path("run/annotations.parquet").write_bytes(b"mine")
    with pytest.raises(kt.OutputError, match="KT707"):
        kt.write_run(scored("chords"), "run")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"annotators": {"x": "chords/second"}}, "a run has its own annotators and options"),
        ({"options": kt.chords.ChordOptions(lenient=True)}, "a run has its own annotators and options"),
        ({"task": "fingering"}, "`run` is a run of chords, not of fingering"),
    ],
)
def test_a_run_is_shown_as_it_was_scored(given: dict[str, Any], said: str) -> None:
    kt.write_run(scored("chords"), "run")
    with pytest.raises(kt.OptionError, match=said):
        kt.show(**{"task": "chords", "references": "run", "item": "Greensleeves", **given})


def test_a_run_without_annotations_cannot_be_shown() -> None:
    kt.write_run(scored("chords"), "run", annotations=False)
    with pytest.raises(kt.OptionError, match="`run` keeps no annotations"):
        kt.show("chords", "run", item="Greensleeves")


def test_options_are_those_of_the_run() -> None:
    Path("chords/hasty/Greensleeves.lab").write_text("0 3 Cm7", encoding="utf-8")
    scores = scored("chords", options=kt.chords.ChordOptions(lenient=True))
    kt.write_run(scores, "run")
    assert kt.read_run("run").origin.options == scores.origin.options
    (_, _, hasty) = kt.show("chords", "run", item="Greensleeves", options=kt.chords.ChordOptions()).tracks
    assert [span.label for span in hasty.spans] == ["C:min7"]
