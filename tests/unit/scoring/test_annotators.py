# SPDX-License-Identifier: MIT
"""Several annotators of one item: where they come from, and what ``all`` is."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import kammerton as kt
from cases.chords import song
from kammerton.errors import DataError, OptionError
from strategies import Song

MAJMIN = "mirex2013/MajMin"


def jams(**annotators: Sequence[tuple[float, float, str]]) -> str:
    """Return a JAMS file: rows of time, duration and label by annotator."""
    annotations = [
        {
            "namespace": "chord",
            "annotation_metadata": {"annotator": {"name": name}},
            "data": [{"time": t, "duration": d, "value": v, "confidence": None} for t, d, v in rows],
        }
        for name, rows in annotators.items()
    ]
    return json.dumps({"annotations": annotations, "file_metadata": {"duration": 100}, "sandbox": {}})


def write(folder: Path, files: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def by_annotator(scores: kt.Scores, measure: str = MAJMIN, aggregate: str | None = None) -> dict[str, float]:
    return {who: scores.value(measure, annotator=who, aggregate=aggregate) for who in scores.annotators}


# --- what "all" is -------------------------------------------------------------------------

# Song 1: 10 s by both annotators. A: 8 of 10 s right; B: 4 of 10 s right.
# Song 2: annotated by A only: 2 of 5 s right.
REF_A: dict[str, Song] = {"1": song((0, 8, "C"), (8, 10, "G")), "2": song((0, 2, "C"), (2, 5, "G"))}
REF_B: dict[str, Song] = {"1": song((0, 4, "C"), (4, 10, "G"))}
EST: dict[str, Song] = {"1": song((0, 10, "C")), "2": song((0, 5, "C"))}


@pytest.fixture(scope="module")
def two() -> kt.Scores:
    return kt.score("chords", None, {"system": EST}, annotators={"A": REF_A, "B": REF_B}, protocols="all")


def test_all_stands_behind_the_annotators(two: kt.Scores) -> None:
    assert two.annotators == ("A", "B", "all")


def test_pooled_figures_of_all_sum_over_annotators(two: kt.Scores) -> None:
    assert by_annotator(two) == {
        "A": pytest.approx((8 + 2) / (10 + 5)),
        "B": pytest.approx(4 / 10),
        "all": pytest.approx((8 + 2 + 4) / (10 + 5 + 10)),
    }


def test_means_of_all_average_an_item_over_its_annotators_first(two: kt.Scores) -> None:
    assert by_annotator(two, aggregate="mean") == {
        "A": pytest.approx((0.8 + 0.4) / 2),
        "B": pytest.approx(0.4),
        "all": pytest.approx(((0.8 + 0.4) / 2 + 0.4) / 2),
    }


def test_the_median_of_all_is_that_of_the_items(two: kt.Scores) -> None:
    assert two.value(MAJMIN, annotator="all", aggregate="median") == pytest.approx((0.6 + 0.4) / 2)


def test_weighted_means_of_all_weigh_an_item_by_its_mean_length(two: kt.Scores) -> None:
    # item 1: mean of 0.8 and 0.4, 10 s; item 2: 0.4, 5 s
    assert two.value("decibel/CSR", annotator="all") == pytest.approx((0.6 * 10 + 0.4 * 5) / 15)


def test_items_are_counted_once(two: kt.Scores) -> None:
    rows = {
        row["annotator"]: (row["items"], row["weight"])
        for row in two.summary.filter(protocol="mirex2013", measure="MajMin", aggregate="pooled").to_dicts()
    }
    assert rows == {"A": (2, 15.0), "B": (1, 10.0), "all": (2, 25.0)}
    assert two.counts == {"system": {"total": 2, "ok": 2, "missing": 0, "failed": 0}}


def test_an_annotation_that_is_undefined_does_not_count_in_the_mean_of_its_item() -> None:
    # A says sus4, out of vocabulary; B says C, half of it right; the other item is all wrong
    scores = kt.score(
        "chords",
        None,
        {"system": {"1": song((0, 2, "C"), (2, 4, "G")), "2": song((0, 4, "G"))}},
        annotators={
            "A": {"1": song((0, 4, "C:sus4")), "2": song((0, 4, "C"))},
            "B": {"1": song((0, 4, "C")), "2": song((0, 4, "C"))},
        },
        protocols="all",
    )
    assert scores.value(MAJMIN, annotator="all", aggregate="mean") == pytest.approx((0.5 + 0) / 2)
    assert scores.value(MAJMIN, annotator="A", aggregate="mean") == 0.0
    assert scores.value(MAJMIN, annotator="all") == pytest.approx(2 / 12)


def test_an_annotation_that_is_undefined_does_not_count_in_the_length_of_its_item() -> None:
    # of item 1 A has 12 s out of vocabulary, B 4 s, half of them right; item 2 is right, 6 s
    scores = kt.score(
        "chords",
        None,
        {"system": {"1": song((0, 2, "C"), (2, 12, "G")), "2": song((0, 6, "C"))}},
        annotators={
            "A": {"1": song((0, 12, "C:sus4")), "2": song((0, 6, "C"))},
            "B": {"1": song((0, 4, "C")), "2": song((0, 6, "C"))},
        },
        protocols="all",
    )
    assert scores.value("decibel/CSR", annotator="all") == pytest.approx((0.5 * 4 + 1 * 6) / (4 + 6))


def test_an_item_that_is_undefined_for_all_is_counted_as_such() -> None:
    sus = song((0, 4, "C:sus4"))
    right = song((0, 4, "C"))
    scores = kt.score(
        "chords",
        None,
        {"system": {"1": sus, "2": right}},
        annotators={"A": {"1": sus, "2": right}, "B": {"1": sus, "2": right}},
        protocols="all",
    )
    found = scores.summary.filter(measure="MajMin", annotator="all").to_dicts()
    assert [(row["aggregate"], row["value"], row["items"], row["undefined"]) for row in found] == [
        ("pooled", 1.0, 2, 1),
        ("mean", 1.0, 2, 1),
        ("median", 1.0, 2, 1),
    ]


def test_a_missing_estimate_is_worst_against_every_annotator() -> None:
    scores = kt.score(
        "chords", None, {"system": {"2": EST["2"]}}, annotators={"A": REF_A, "B": REF_B}, protocols="all"
    )
    # A: 2 of 15 s, B: 0 of 10 s
    assert by_annotator(scores) == {
        "A": pytest.approx(2 / 15),
        "B": 0.0,
        "all": pytest.approx(2 / 25),
    }
    assert scores.counts == {"system": {"total": 2, "ok": 1, "missing": 1, "failed": 0}}


def test_one_annotator_can_be_chosen() -> None:
    scores = kt.score(
        "chords", None, {"s": EST}, annotators={"A": REF_A, "B": REF_B}, annotator="B", protocols="all"
    )
    assert scores.annotators == ("B",)
    assert scores.value(MAJMIN) == pytest.approx(4 / 10)
    # B has no song 2: an estimate of it has no reference
    assert scores.counts == {"s": {"total": 1, "ok": 1, "missing": 0, "failed": 0}}


def test_an_unknown_annotator_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(OptionError, match="did you mean `alice`"):
        kt.score(
            "chords",
            None,
            {"s": EST},
            annotators={"alice": REF_A, "bob": REF_B},
            annotator="alcie",
            protocols="all",
        )


# --- where annotators come from ------------------------------------------------------------


def test_a_single_folder_gives_its_name(tmp_path: Path) -> None:
    refs = write(tmp_path / "isophonics", {"1.lab": "0 10 C\n"})
    scores = kt.score("chords", refs, {"system": {"1": song((0, 10, "C"))}}, protocols="all")
    assert scores.annotators == ("isophonics",)


def test_further_annotators_come_from_folders(tmp_path: Path) -> None:
    first = write(tmp_path / "first", {"1.lab": "0 10 C\n"})
    second = write(tmp_path / "elsewhere", {"1.lab": "0 4 C\n4 10 G\n"})
    scores = kt.score("chords", first, {"s": EST}, annotators={"second": second}, protocols="all")
    assert by_annotator(scores) == {"first": 1.0, "second": pytest.approx(0.4), "all": pytest.approx(14 / 20)}


def test_several_annotations_of_a_jams_file_are_several_annotators(tmp_path: Path) -> None:
    refs = write(tmp_path / "refs", {"1.jams": jams(alice=[(0, 10, "C")], bob=[(0, 4, "C"), (4, 6, "G")])})
    scores = kt.score("chords", refs, {"s": EST}, protocols="all")
    assert by_annotator(scores) == {"alice": 1.0, "bob": pytest.approx(0.4), "all": pytest.approx(0.7)}


def test_an_annotator_called_like_the_folder_keeps_what_is_theirs(tmp_path: Path) -> None:
    refs = write(tmp_path / "alice", {"1.jams": jams(alice=[(0, 10, "C")], bob=[(0, 4, "C"), (4, 6, "G")])})
    scores = kt.score("chords", refs, {"s": EST}, protocols="all")
    assert by_annotator(scores) == {"alice": 1.0, "bob": pytest.approx(0.4), "all": pytest.approx(0.7)}


def test_annotators_need_not_have_the_same_items(tmp_path: Path) -> None:
    refs = write(
        tmp_path / "refs",
        {"1.jams": jams(alice=[(0, 10, "C")], bob=[(0, 10, "G")]), "2.jams": jams(bob=[(0, 5, "C")])},
    )
    scores = kt.score("chords", refs, {"s": EST}, protocols="all")
    assert by_annotator(scores) == {"alice": 1.0, "bob": pytest.approx(5 / 15), "all": pytest.approx(15 / 25)}


def test_a_file_that_tells_no_annotator_is_of_annotator_1(tmp_path: Path) -> None:
    refs = write(
        tmp_path / "refs", {"1.jams": jams(alice=[(0, 10, "C")], bob=[(0, 10, "G")]), "2.lab": "0 5 C\n"}
    )
    scores = kt.score("chords", refs, {"s": EST}, protocols="all")
    assert by_annotator(scores) == {"1": 1.0, "alice": 1.0, "bob": 0.0, "all": pytest.approx(15 / 25)}


def test_a_file_that_cannot_be_read_fails_for_every_annotator(tmp_path: Path) -> None:
    refs = write(
        tmp_path / "refs",
        {"1.jams": jams(alice=[(0, 10, "C")], bob=[(0, 10, "G")]), "2.lab": "0 5 nonsense\n"},
    )
    scores = kt.score("chords", refs, {"s": EST}, protocols="all")
    assert scores.counts == {"s": {"total": 2, "ok": 1, "missing": 0, "failed": 1}}
    assert by_annotator(scores) == {"alice": 1.0, "bob": 0.0, "all": 0.5}


def test_a_file_that_cannot_be_read_fails_for_annotators_of_other_shards(tmp_path: Path) -> None:
    rows = [(0, 10, "C")]
    files = {f"{number:03}.lab": "0 10 C\n" for number in range(2, 200)}
    files |= {"000.lab": "0 5 nonsense\n", "001.jams": jams(alice=rows, bob=rows)}
    files |= {"200.jams": jams(carl=rows)}
    refs = write(tmp_path / "refs", files)
    for shard_size in (200, 400):
        scores = kt.score("chords", refs, {"s": {"001": EST["1"]}}, shard_size=shard_size, protocols="all")
        failed = [row.annotator for row in scores.unusable("s") if row.status == "failed"]
        assert failed == ["1", "alice", "bob", "carl"]


def test_annotators_who_are_numbers_stand_by_number_and_before_the_others(tmp_path: Path) -> None:
    rows = [(0, 10, "C")]
    refs = write(tmp_path / "refs", {"1.jams": jams(**dict.fromkeys(("x", "10", "9"), rows))})
    assert kt.score("chords", refs, {"s": EST}, protocols="all").annotators == ("9", "10", "x", "all")


def test_a_broken_file_of_one_annotator_fails_for_that_one_alone(tmp_path: Path) -> None:
    note = "0\t0.0\t1.0\tC4\t64\t80\t0\t1\n"
    names = [f"{piece}-{who}_fingering.txt" for piece in ("001", "002") for who in (1, 2)]
    refs = write(tmp_path / "refs", {**dict.fromkeys(names, note), "001-2_fingering.txt": "0\t0.0\n"})
    ests = write(tmp_path / "ests", {f"{piece}.txt": note for piece in ("001", "002")})
    scores = kt.score("fingering", refs, ests, measures=["strike/accuracy"])
    assert [(row.item, row.annotator) for row in scores.unusable("ests")] == [("001", "2")]
    found = {who: scores.of_items(scores.measures[0], "ests", who).names for who in scores.annotators}
    assert found == {"1": ("001", "002"), "2": ("002",), "all": ("001", "002")}


def test_two_annotators_of_one_name_are_refused(tmp_path: Path) -> None:
    refs = write(tmp_path / "refs", {"1.jams": jams(alice=[(0, 10, "C")], bob=[(0, 10, "G")])})
    with pytest.raises(OptionError, match="alice"):
        kt.score("chords", refs, {"s": EST}, annotators={"alice": REF_A}, protocols="all")


def test_two_folders_of_one_name_are_refused(tmp_path: Path) -> None:
    refs = write(tmp_path / "A", {"1.lab": "0 10 C\n"})
    with pytest.raises(OptionError, match="two annotators are called `A`"):
        kt.score("chords", refs, {"s": EST}, annotators={"A": REF_A}, protocols="all")


def test_no_annotator_can_be_called_all() -> None:
    with pytest.raises(OptionError, match="cannot be called `all`"):
        kt.score("chords", None, {"s": EST}, annotators={"all": REF_A}, protocols="all")


def test_several_annotations_in_an_estimate_cannot_be_used(tmp_path: Path) -> None:
    two = tmp_path / "1.jams"
    two.write_text(jams(alice=[(0, 10, "C")], bob=[(0, 10, "G")]))
    scores = kt.score("chords", REF_A, {"s": {"1": two, "2": EST["2"]}}, protocols="all")
    assert "KT206" in {found.code for found in scores.diagnostics}
    assert scores.counts == {"s": {"total": 2, "ok": 1, "missing": 0, "failed": 1}}
    # worst: 0 of 10 s of song 1, 2 of 5 s of song 2
    assert scores.value(MAJMIN) == pytest.approx(2 / 15)


def test_an_annotator_without_any_usable_item_has_undefined_figures(tmp_path: Path) -> None:
    broken = write(tmp_path / "broken", {"1.lab": "0 10 nonsense\n"})
    scores = kt.score("chords", {"1": REF_A["1"]}, {"s": EST}, annotators={"broken": broken}, protocols="all")
    assert math.isnan(scores.value(MAJMIN, annotator="broken"))
    assert scores.value(MAJMIN, annotator="all") == pytest.approx(0.8)


def test_nothing_can_be_scored_if_no_annotator_is_usable(tmp_path: Path) -> None:
    broken = write(tmp_path / "broken", {"1.lab": "0 10 nonsense\n"})
    with pytest.raises(DataError) as caught:
        kt.score("chords", broken, {"s": EST}, protocols="all")
    assert [found.code for found in caught.value.diagnostics] == ["KT310", "KT204"]


def test_an_annotator_called_all_fails_its_item_only(tmp_path: Path) -> None:
    refs = write(
        tmp_path / "refs",
        {
            "1.jams": jams(A=[(0, 1, "C")], all=[(0, 1, "C")]),
            "2.jams": jams(A=[(0, 4, "C")], B=[(0, 2, "C"), (2, 2, "G")]),
        },
    )
    scores = kt.score(
        "chords", refs, {"system": {"1": song((0, 1, "C")), "2": song((0, 4, "C"))}}, protocols="all"
    )
    # of item 2, A is right for 4 of 4 s and B for 2 of 4 s
    assert by_annotator(scores) == {"A": 1.0, "B": 0.5, "all": 0.75}
    (said,) = (each for each in scores.diagnostics if each.severity == "error")
    assert (said.code, said.item, said.file) == ("KT202", "1", str(refs / "1.jams"))
    assert scores.counts["system"] == {"total": 2, "ok": 1, "missing": 0, "failed": 1}


def test_a_lone_annotator_of_a_file_may_be_called_all(tmp_path: Path) -> None:
    refs = write(tmp_path / "refs", {"1.jams": jams(all=[(0, 1, "C")])})
    assert kt.score("chords", refs, {"system": {"1": song((0, 1, "C"))}}, protocols="all").annotators == (
        "refs",
    )
