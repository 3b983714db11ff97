# SPDX-License-Identifier: MIT
"""Estimates without references: what needs none has values, and everything else a reason."""

import math
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import DataError, OptionError
from kammerton.fingering.task import TASK
from kammerton.model.measure import Measure
from kammerton.statistics.resampling import ScoreKey

ALONE = [measure for measure in TASK.measures if measure.needs == "estimate"]
OTHERS = [measure for measure in TASK.measures if measure.needs != "estimate"]

Note = tuple[float, int, int]
"""Onset, pitch, finger; each note lasts a second."""

# Cases I10, I12 and I18 of the specification: a finger that leaps three semitones, a stretch on its limit,
# and a finger on two far keys. IFR takes notes in the order given, whatever their onsets: it is 1/1 of the
# chord too.
LEAP: list[Note] = [(0, 60, 2), (1, 63, 2)]
STRETCH: list[Note] = [(0, 60, 2), (1, 65, 3)]
CHORD: list[Note] = [(0, 60, 1), (0, 64, 1)]
PIECES = {"leap": LEAP, "stretch": STRETCH, "chord": CHORD}


def piece(notes: list[Note], hand: str = "R") -> dict[str, object]:
    onsets, pitches, fingers = map(list, zip(*notes, strict=True))
    times = {"onsets": onsets, "offsets": [onset + 1 for onset in onsets]}
    return {**times, "pitches": pitches, "fingers": fingers, "hands": [hand] * len(notes)}


def pieces(which: Mapping[str, list[Note]]) -> dict[str, SimpleNamespace]:
    return {name: SimpleNamespace(**piece(notes)) for name, notes in which.items()}


def alone(estimates: Any, **options: Any) -> kt.Scores:
    return kt.score("fingering", None, estimates, **options)


def values(scores: kt.Scores, **choice: Any) -> dict[str, float]:
    return {str(measure): scores.value(str(measure), **choice) for measure in ALONE}


EXPECTED = {"pianovam/IFR": 2 / 3, "playability/ifr_melodic": 1 / 2, "playability/ifr_chord": 1 / 1}
"""Of all three: of three steps two are wrong, of two from note to note one, and the chord is."""


# --- values --------------------------------------------------------------------------------------


def test_what_needs_no_reference_has_its_value() -> None:
    scores = alone(pieces(PIECES))
    assert values(scores) == pytest.approx(EXPECTED)
    assert scores.value("IFR", aggregate="mean") == pytest.approx((1 + 0 + 1) / 3)
    assert scores.counts == {"estimate": {"total": 3, "ok": 3, "missing": 0, "failed": 0}}
    assert (scores.has_references, scores.references, scores.annotators) == (False, {}, ("all",))


def test_everything_else_is_undefined_and_says_why() -> None:
    scores = alone(pieces(PIECES))
    rows = [row for row in scores.items.to_dicts() if row["reason"] == "no_reference"]
    assert {(row["value"], row["status"]) for row in rows} == {(None, "undefined")}
    assert {(row["item"], f"{row['protocol']}/{row['measure']}") for row in rows} == {
        (item, str(measure)) for item in PIECES for measure in OTHERS
    }
    for entry in scores.to_dict()["scores"]:
        is_lacking = f"{entry['protocol']}/{entry['measure']}" in map(str, OTHERS)
        assert (entry["value"] is None, entry.get("reason")) == (
            (True, "no_reference") if is_lacking else (False, None)
        )
        assert (entry["items"], entry["undefined"] == 3) == (3, is_lacking)
    assert all(math.isnan(scores.value(str(measure))) for measure in OTHERS)
    assert "Not evaluated, for lack of references: nakamura2020/M_gen" in repr(scores).replace("\n", " ")


@pytest.mark.parametrize("measure", OTHERS, ids=str)
def test_no_statistics_are_no_value(measure: Measure) -> None:
    nothing = np.zeros((1, len(measure.formula.statistics)))
    assert math.isnan(measure.formula.finalise(nothing)[0])
    assert math.isnan(measure.corpus_score(np.repeat(nothing, 3, axis=0), measure.aggregate).value)


def test_values_and_intervals_are_those_beside_references() -> None:
    ests = pieces(PIECES)
    by_itself, beside = (
        alone({"s": ests}, resamples=200),
        kt.score("fingering", ests, {"s": ests}, resamples=200, protocols="all"),
    )
    assert values(by_itself) == values(beside)
    for measure in ALONE:
        for how in measure.aggregates:
            key = ScoreKey("s", "all", measure, how)
            assert by_itself.intervals[key] == pytest.approx(beside.intervals[key], nan_ok=True)


# --- what is scored ------------------------------------------------------------------------------


def written(folder: Path, which: Mapping[str, list[Note]]) -> Path:
    folder.mkdir()
    for name, notes in which.items():
        rows = [f"{onset},{onset + 1},{pitch},R,{finger}" for onset, pitch, finger in notes]
        (folder / f"{name}.csv").write_text("\n".join(["onset,offset,pitch,hand,finger", *rows]))
    return folder


@pytest.mark.parametrize("how", ["folder", "list", "named", "pack", "paths", "objects", "mappings"])
def test_every_kind_of_estimates_is_taken(how: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "mine", PIECES)
    pack = tmp_path / "mine.parquet"
    kt.pack("fingering", folder, pack)
    estimates: dict[str, Any] = {
        "folder": folder,
        "list": [str(folder)],
        "named": {"mine": folder},
        "pack": pack,
        "paths": {"mine": {name: folder / f"{name}.csv" for name in PIECES}},
        "objects": pieces(PIECES),
        "mappings": {name: piece(notes) for name, notes in PIECES.items()},
    }
    scores = alone(estimates[how])
    assert values(scores) == pytest.approx(EXPECTED)
    assert scores.systems == (("estimate",) if how in ("objects", "mappings") else ("mine",))
    assert scores.counts[scores.systems[0]]["ok"] == 3


def test_single_files_are_one_item(tmp_path: Path) -> None:
    one, other = (written(tmp_path / name, {name: notes}) for name, notes in (("a", LEAP), ("b", STRETCH)))
    scores = alone({"one": one / "a.csv", "other": other / "b.csv"})
    assert [values(scores, system=name)["pianovam/IFR"] for name in ("one", "other")] == [1.0, 0.0]
    assert set(scores.items["item"]) == {"a"}
    assert alone(one / "a.csv").value("IFR") == 1.0
    assert alone(pieces(PIECES)["leap"]).value("IFR") == 1.0


def test_shards_and_processes_do_not_show() -> None:
    many = {f"{name} {number}": each for number in range(70) for name, each in pieces(PIECES).items()}
    whole = alone({"s": many}, ci=None)
    assert values(whole) == pytest.approx(EXPECTED)
    for more in ({"shard_size": 1}, {"jobs": 2, "shard_size": 1}):
        assert alone({"s": many}, ci=None, **more).to_dict() == whole.to_dict()


def test_a_split_is_scored() -> None:
    splits = {"leap": "test", "stretch": "train", "other": "test"}
    scores = alone(pieces(PIECES), splits=splits, split="test", ci=None)
    assert (scores.value("IFR"), scores.counts["estimate"]["total"]) == (1.0, 1)
    assert "|split:test|references:none|items:1|" in scores.summary["signature"][0]
    (lacking,) = (each for each in scores.diagnostics if each.code == "KT216")
    assert lacking.message == "1 of 2 items of the split `test` has no estimate (`other`)"


# --- items that are lacking ----------------------------------------------------------------------


def test_a_missing_estimate_is_the_worst_of_what_another_system_plays() -> None:
    ests = {"whole": pieces(PIECES), "part": pieces({"stretch": STRETCH})}
    scores = alone(ests, ci=None)
    # of the steps of all three items, that of `stretch` is right; those of the others are those of `whole`
    assert values(scores, system="part") == pytest.approx(
        {"pianovam/IFR": 2 / 3, "playability/ifr_melodic": 1 / 2, "playability/ifr_chord": 1.0}
    )
    assert scores.counts["part"] == {"total": 3, "ok": 1, "missing": 2, "failed": 0}
    (lacking,) = (each for each in scores.diagnostics if each.code == "KT203")
    assert (lacking.system, lacking.count) == ("part", 2)
    skipped = alone(ests, missing="skip", ci=None)
    assert skipped.value("IFR", system="part") == 0.0
    assert skipped.value("IFR", system="whole") == pytest.approx(2 / 3)
    with pytest.raises(DataError, match="KT203"):
        alone(ests, missing="error")


def test_what_nobody_can_read_counts_nowhere(tmp_path: Path) -> None:
    folder = written(tmp_path / "mine", {"leap": LEAP, "stretch": STRETCH})
    (folder / "broken.csv").write_text("onset,offset,pitch,hand,finger\n0,1,60,R,9\n")
    scores = alone(folder, ci=None)
    assert scores.value("IFR") == 1 / 2
    assert scores.counts["mine"] == {"total": 3, "ok": 2, "missing": 0, "failed": 1}
    (row,) = scores.items.filter(item="broken", measure="IFR").to_dicts()
    assert (row["value"], row["status"]) == (None, "failed")
    assert row["reason"].startswith("estimate: KT330")
    with pytest.raises(DataError, match="KT200 nothing could be scored: no estimate can be read"):
        alone({"broken": folder / "broken.csv"})


def test_an_estimate_without_notes_has_no_value(tmp_path: Path) -> None:
    folder = written(tmp_path / "mine", {"leap": LEAP})
    (folder / "empty.txt").write_text("//Version: PianoFingering_v170101\n")
    scores = alone({"mine": folder}, ci=None)
    (row,) = scores.items.filter(item="empty", measure="IFR").to_dicts()
    assert (row["value"], row["status"]) == (None, "undefined")
    assert scores.value("IFR") == 1.0


# --- signatures ----------------------------------------------------------------------------------


def test_signatures_say_that_there_were_no_references() -> None:
    signed = alone(pieces(PIECES), ci=None).summary["signature"]
    assert all("|missing:worst|references:none|items:3|data:" in each for each in signed)


def test_the_data_are_the_notes_not_who_plays_them() -> None:
    def data(notes: list[Note], hand: str = "R") -> str:
        scores = alone({"leap": SimpleNamespace(**piece(notes, hand))}, ci=None)
        return str(scores.summary["signature"][0]).partition("data:")[2]

    other_fingers = [(onset, pitch, 6 - finger) for onset, pitch, finger in LEAP]
    assert data(LEAP) == data(other_fingers) == data(LEAP, "L")
    assert data(LEAP) != data(STRETCH)


# --- refusals ------------------------------------------------------------------------------------


NEEDED = "references and estimates are needed: no measure of {} does without references"


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        ("chords", {}, NEEDED.format("chords")),
        ("instruments", {}, NEEDED.format("instruments")),
        ("fingering", {"measures": ["strike/accuracy"]}, "all of these measures need references"),
        ("fingering", {"annotator": "1"}, "without references there is no annotator to choose"),
        ("fingering", {"context": True}, "context is made from references, and there are none"),
    ],
)
def test_what_is_not_possible_is_refused(task: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        kt.score(task, None, {"s": pieces(PIECES)}, **options)
    assert caught.value.message == message
    assert (caught.value.hint is None) == (message.startswith(("without", "context")))


def test_nothing_at_all_is_still_refused() -> None:
    with pytest.raises(OptionError, match="references and estimates are needed"):
        kt.score("fingering")


def test_there_are_no_class_tables() -> None:
    with pytest.raises(OptionError, match="no table `confusion`"):
        alone(pieces(PIECES)).table("confusion")


# --- comparisons and runs ------------------------------------------------------------------------


def test_systems_are_compared_by_what_needs_no_reference() -> None:
    # of the same six pieces, one system leaps in each, the other in none
    good = {str(number): SimpleNamespace(**piece([(0, 60, 2), (1, 63, 3)])) for number in range(6)}
    poor = {str(number): SimpleNamespace(**piece([(0, 60, 2), (1, 63, 2)])) for number in range(6)}
    found = kt.compare("fingering", None, {"good": good, "poor": poor})
    assert [str(each.measure) for each in found.comparison.measures] == list(map(str, ALONE))
    (pair,) = found.of("IFR").pairs
    # two of the 64 ways to swap them are as far apart
    assert (pair.first, pair.difference, pair.p) == ("good", -1.0, 2 / 64)


def test_a_run_keeps_that_there_were_no_references(tmp_path: Path) -> None:
    scores = alone({"mine": pieces(PIECES)}, resamples=200)
    kt.write_run(scores, tmp_path / "run")
    again = kt.read_run(tmp_path / "run")
    assert again.to_dict() == scores.to_dict()
    assert not again.has_references
    other = alone({"theirs": pieces(PIECES)}, resamples=200)
    found = kt.compare("fingering", runs=[tmp_path / "run", other])
    assert found.of("IFR").pairs[0].difference == 0.0
    assert not kt.diff(tmp_path / "run", again).changed
    beside = kt.score("fingering", pieces(PIECES), {"theirs": pieces(PIECES)}, resamples=200)
    with pytest.raises(DataError, match="KT709 runs were not scored alike: option references was `none`"):
        kt.compare("fingering", runs=[tmp_path / "run", beside])


def test_what_shows_references_says_that_there_are_none(tmp_path: Path) -> None:
    kt.write_run(alone({"mine": pieces(PIECES)}, ci=None), tmp_path / "run")
    with pytest.raises(OptionError, match="a report needs references"):
        kt.report([tmp_path / "run"], tmp_path / "page.html")
    with pytest.raises(OptionError, match="items are shown against references"):
        kt.show("fingering", tmp_path / "run", item="leap")


def test_notebooks_show_what_there_is() -> None:
    page = alone({"mine": pieces(PIECES)}, ci=None)._repr_html_()
    assert "IFR" in page
    assert "undefined" not in page
    assert "Not evaluated, for lack of references: nakamura2020/M_gen" in page
