# SPDX-License-Identifier: MIT
"""Which annotation of an estimate is scored, where a file or a folder has several of an item."""

import json
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from kammerton.chords import ChordOptions
from kammerton.errors import OptionError
from kammerton.scoring.keeping import keeping

REF = {"song": ([(0, 4)], ["C"])}
MAJMIN = "mirex2013/MajMin"


def annotation(name: str | None, label: str, seconds: float) -> dict[str, Any]:
    """Return an annotation that is right for so many of 4 s."""
    rows = [(0, seconds, "C"), (seconds, 4 - seconds, label)]
    person = {} if name is None else {"annotator": {"name": name}}
    return {
        "namespace": "chord",
        "annotation_metadata": person,
        "data": [{"time": start, "duration": lasting, "value": value} for start, lasting, value in rows],
    }


@pytest.fixture
def estimates(tmp_path: Path) -> Path:
    """Song by Ann, who is right for 1 s, Bob, for 2 s, and one called 1, for 3 s."""
    folder = tmp_path / "system"
    folder.mkdir()
    annotations = [annotation("Ann", "G", 1), annotation("Bob", "G", 2), annotation("1", "G", 3)]
    (folder / "song.jams").write_text(json.dumps({"annotations": annotations}))
    return folder


@pytest.mark.parametrize(
    ("chosen", "value"),
    [("Ann", 1 / 4), ("Bob", 2 / 4), ("2", 2 / 4), (2, 2 / 4), (3, 3 / 4), ("1", 3 / 4), (1, 3 / 4)],
    ids=["name", "another", "number", "number as int", "last", "name before number", "also of an int"],
)
def test_it_is_chosen_by_name_or_else_by_number(estimates: Path, chosen: str | int, value: float) -> None:
    scores = kt.score("chords", REF, estimates, estimate_annotator=chosen, measures=[MAJMIN])
    assert scores.value(MAJMIN) == value
    assert f"|estimate_annotator:{chosen}|" in scores.summary["signature"][0]


@pytest.mark.parametrize("chosen", ["Eve", "0", "4", "", "ann", "\u0662"])
def test_who_is_not_there_is_said(estimates: Path, chosen: str) -> None:
    (estimates / "other.lab").write_text("0 4 C")
    refs = REF | {"other": ([(0, 4)], ["C"])}
    scores = kt.score("chords", refs, estimates, estimate_annotator=chosen, measures=[MAJMIN])
    assert scores.counts["system"] == {"total": 2, "ok": 1, "missing": 0, "failed": 1}
    (said,) = [each for each in scores.diagnostics if each.code == "KT212"]
    assert (said.item, said.system, said.hint) == ("song", "system", "annotators: `Ann`, `Bob`, `1`")


def test_a_lone_annotation_is_scored_whoever_made_it(tmp_path: Path) -> None:
    song = tmp_path / "song.jams"
    song.write_text(json.dumps({"annotations": [annotation("Ann", "G", 1)]}))
    scores = kt.score("chords", REF, {"x": {"song": song}}, estimate_annotator="Bob", measures=[MAJMIN])
    assert scores.value(MAJMIN) == 1 / 4


def test_names_of_files_tell_annotators_of_fingerings(tmp_path: Path) -> None:
    row = "0\t0.0\t0.5\tC4\t64\t80\t0\t{}\n1\t0.5\t1.0\tD4\t64\t80\t0\t2\n"
    for side, annotator, finger in (("ref", "1", 1), ("est", "3", 1), ("est", "7", 5)):
        (tmp_path / side).mkdir(exist_ok=True)
        (tmp_path / side / f"p-{annotator}_fingering.txt").write_text(row.format(finger))
    sides = str(tmp_path / "ref"), str(tmp_path / "est")
    with pytest.raises(kt.DataError) as refused:
        kt.score("fingering", *sides)
    several = next(each for each in refused.value.diagnostics if each.code == "KT206")
    assert "by name or number: `3`, `7`" in str(several.hint)
    for chosen, value in (("3", 1), ("7", 1 / 2), (2, 1 / 2)):
        scores = kt.score("fingering", *sides, estimate_annotator=chosen, measures=["nakamura2020/M_gen"])
        assert scores.value("nakamura2020/M_gen") == value


def test_rows_of_a_table_tell_annotators_of_instruments(tmp_path: Path) -> None:
    rows = "file,annotator,instrument\nsong,Ann,piano\nsong,Bob,piano\nsong,Bob,voice\n"
    (tmp_path / "est.csv").write_text(rows)
    refs = {"song": {"piano", "voice"}}
    for chosen, value in (("Ann", 2 / 3), ("Bob", 1)):  # F: precision 1, recall 1/2 or 1
        scores = kt.score(
            "instruments",
            refs,
            tmp_path / "est.csv",
            estimate_annotator=chosen,
            measures=["open-mic-task1/F"],
        )
        assert scores.value("open-mic-task1/F") == pytest.approx(value)


def test_lists_of_pairs_and_packs_take_the_choice(estimates: Path, tmp_path: Path) -> None:
    (tmp_path / "ref.lab").write_text("0 4 C")
    (tmp_path / "pairs.csv").write_text(f"item,annotator,reference,S\nsong,a,ref.lab,{estimates}/song.jams\n")
    kt.pack("chords", estimates, tmp_path / "est.parquet")
    of_pairs = kt.score("chords", pairs=tmp_path / "pairs.csv", estimate_annotator="Bob", measures=[MAJMIN])
    of_pack = kt.score("chords", REF, tmp_path / "est.parquet", estimate_annotator="Bob", measures=[MAJMIN])
    assert of_pairs.value(MAJMIN) == of_pack.value(MAJMIN) == 2 / 4


def test_processes_and_stores_take_the_choice(estimates: Path, tmp_path: Path) -> None:
    refs = {f"{number}/song": ([(0, 4)], ["C"]) for number in range(3)}
    system = dict.fromkeys(refs, estimates / "song.jams")
    for chosen, value in (("Ann", 1 / 4), ("Bob", 2 / 4)):
        with keeping(str(tmp_path / "run")) as store:
            scores = kt.score(
                "chords",
                refs,
                {"s": system},
                estimate_annotator=chosen,
                measures=[MAJMIN],
                jobs=2,
                shard_size=1,
                store=store,
            )
        assert scores.value(MAJMIN) == value


def test_a_choice_that_cannot_be_is_refused(estimates: Path) -> None:
    for wrong in (1.5, True, ["Ann"]):
        with pytest.raises(OptionError, match="estimate_annotator"):
            kt.score("chords", REF, estimates, estimate_annotator=wrong, options=ChordOptions())  # type: ignore[arg-type]
