# SPDX-License-Identifier: MIT
"""Items without a usable estimate or reference: what they count, and what is said of them."""

import math
from pathlib import Path

import pytest

import kammerton as kt
from cases.chords import song
from kammerton.errors import DataError, Diagnostic, OptionError
from strategies import Song

MAJMIN = "mirex2013/MajMin"

# Song 1: 10 s, of which 6 s are right; over 1, under 1 - 4/10.  Song 2: 30 s, without an estimate.
REFS: dict[str, Song] = {
    "1": song((0, 6, "C"), (6, 10, "G")),
    "2": song((0, 20, "C"), (20, 25, "N"), (25, 30, "X")),
}
ONLY_1: dict[str, Song] = {"1": song((0, 10, "C"))}
BROKEN_2: dict[str, Song] = {**ONLY_1, "2": song((0, 20, "nonsense"))}


def scored(estimates: object, **options: object) -> kt.Scores:
    return kt.score("chords", REFS, {"system": estimates}, **{"protocols": "all", **options})  # type: ignore[arg-type]


def coded(scores: kt.Scores, code: str) -> Diagnostic:
    (found,) = (each for each in scores.diagnostics if each.code == code)
    return found


# --- worst ---------------------------------------------------------------------------------


@pytest.mark.parametrize("estimates", [ONLY_1, BROKEN_2], ids=["missing", "failed"])
@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("mirex2013/MajMin", 6 / (10 + 25)),  # X is not scored: 25 s of song 2 are
        ("mirex2013/Root", 6 / (10 + 25)),
        ("mirex2013/MeanSeg", (0.75 + 0) / 2),  # 2 * 1 * 0.6 / 1.6 = 0.75
        ("mirex2013/UnderSeg", (0.6 + 0) / 2),
        ("mirex2013/OverSeg", (1 + 0) / 2),
        ("mirex2013/ACQA", (6 / 30 + 0 / 5) / 2),  # maj 6 of 10 + 20 s, N 0 of 5 s
        ("mir_eval/majmin", 6 / (10 + 25)),
        ("mir_eval/seg", (0.6 + 0) / 2),
        ("decibel/CSR", (0.6 * 10 + 0 * 30) / 40),
        ("decibel/OvS", (1 * 10 + 0 * 30) / 40),
    ],
)
def test_an_unusable_estimate_counts_as_the_worst(estimates: object, measure: str, value: float) -> None:
    assert scored(estimates).value(measure) == pytest.approx(value)


def test_worst_is_worse_than_an_empty_estimate() -> None:
    # without rows, MajMin is as bad, but nothing is lost in segmentation
    empty = scored({**ONLY_1, "2": ([], [])})
    assert empty.value("mirex2013/MeanSeg") == pytest.approx((0.75 + 1) / 2)
    # to mir_eval it says N all the way: 5 s of N are right
    assert empty.value("mir_eval/majmin") == pytest.approx((6 + 5) / (10 + 25))
    assert empty.counts["system"] == {"total": 2, "ok": 2, "missing": 0, "failed": 0}
    assert coded(empty, "KT110").severity == "warning"


def test_a_missing_estimate_is_a_row_and_is_reported() -> None:
    scores = scored(ONLY_1)
    assert scores.counts == {"system": {"total": 2, "ok": 1, "missing": 1, "failed": 0}}
    assert scores.is_partial
    (row,) = scores.items.filter(item="2", protocol="mirex2013", measure="MajMin").to_dicts()
    assert (row["value"], row["weight"], row["status"], row["reason"]) == (
        0.0,
        25.0,
        "missing",
        "no estimate",
    )
    found = coded(scores, "KT203")
    assert (found.severity, found.system, found.count) == ("error", "system", 1)
    assert found.message == "no estimate for 1 of 2 items (`2`)"
    assert found.hint == "scored as worst; `--missing skip` leaves them out"


def test_a_failed_estimate_is_a_row_with_the_reason() -> None:
    scores = scored(BROKEN_2)
    assert scores.counts == {"system": {"total": 2, "ok": 1, "missing": 0, "failed": 1}}
    (row,) = scores.items.filter(item="2", protocol="mirex2013", measure="MajMin").to_dicts()
    assert (row["value"], row["status"]) == (0.0, "failed")
    assert row["reason"].startswith("estimate: KT310 ")
    assert [(row.item, row.status) for row in scores.unusable("system")] == [("2", "failed")]


def test_undefined_stays_undefined_where_nothing_is_scored() -> None:
    refs = {"1": REFS["1"], "2": song((0, 9, "X"))}
    scores = kt.score("chords", refs, {"system": ONLY_1}, protocols="all")
    assert scores.value(MAJMIN) == pytest.approx(0.6)
    assert scores.value(MAJMIN, aggregate="mean") == pytest.approx(0.6)
    (row,) = scores.items.filter(item="2", protocol="mirex2013", measure="MajMin").to_dicts()
    assert (row["value"], row["status"]) == (None, "missing")


# --- skip and error ------------------------------------------------------------------------


@pytest.mark.parametrize("estimates", [ONLY_1, BROKEN_2], ids=["missing", "failed"])
def test_skip_leaves_the_item_out(estimates: object) -> None:
    scores = scored(estimates, missing="skip")
    assert scores.value(MAJMIN) == pytest.approx(0.6)
    assert scores.value("mirex2013/MeanSeg") == pytest.approx(0.75)
    assert scores.value("decibel/CSR") == pytest.approx(0.6)
    assert scores.is_partial
    rows = scores.items.filter(item="2")
    assert rows["value"].null_count() == len(rows)
    assert set(rows["weight"]) == {0.0}
    pooled = scores.summary.filter(protocol="mirex2013", measure="MajMin", aggregate="pooled").to_dicts()[0]
    assert (pooled["items"], pooled["weight"]) == (1, 10.0)
    (total,) = [scores.table("confusion")["s"].sum()]
    assert total == pytest.approx(10.0)


@pytest.mark.parametrize(("estimates", "code"), [(ONLY_1, "KT203"), (BROKEN_2, "KT310")])
def test_error_ends_the_run_and_says_why(estimates: object, code: str) -> None:
    with pytest.raises(DataError) as caught:
        scored(estimates, missing="error")
    assert code in {found.code for found in caught.value.diagnostics}


def test_error_does_not_mind_complete_systems_and_failed_references() -> None:
    refs = {**REFS, "3": song((0, 1, "nonsense"))}
    ests = {**ONLY_1, "2": REFS["2"], "3": song((0, 1, "C"))}
    scores = kt.score("chords", refs, {"system": ests}, missing="error", protocols="all")
    assert scores.counts["system"] == {"total": 3, "ok": 2, "missing": 0, "failed": 1}


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(OptionError, match="did you mean `worst`"):
        scored(ONLY_1, missing="wurst")


# --- references ----------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["worst", "skip"])
def test_a_failed_reference_is_left_out_whatever_the_policy(missing: str) -> None:
    refs = {"1": REFS["1"], "2": song((0, 20, "nonsense"))}
    scores = kt.score("chords", refs, {"s": ONLY_1}, missing=missing, protocols="all")  # type: ignore[arg-type]
    assert scores.value(MAJMIN) == pytest.approx(0.6)
    (row,) = scores.items.filter(item="2", protocol="mirex2013", measure="MajMin").to_dicts()
    assert (row["value"], row["status"]) == (None, "failed")
    assert row["reason"].startswith("reference: KT310 ")
    assert "items:1|" in scores.summary["signature"][0]


def test_nothing_to_score_is_an_error_with_every_reason() -> None:
    with pytest.raises(DataError) as caught:
        kt.score("chords", {"1": REFS["1"]}, {"system": {"one": REFS["1"]}}, protocols="all")
    assert [found.code for found in caught.value.diagnostics] == ["KT203", "KT204", "KT200"]
    assert [found.file for found in caught.value.diagnostics] == ["system", "system", "reference"]


# --- pairing -------------------------------------------------------------------------------


def test_an_estimate_without_a_reference_is_not_scored_and_reported() -> None:
    scores = scored({**ONLY_1, "2": REFS["2"], "3": song((0, 1, "C")), "4": song((0, 1, "C"))})
    found = coded(scores, "KT204")
    assert (found.severity, found.count) == ("warning", 2)
    assert found.message == "no reference for 2 of 4 items (`3`, `4`); not scored"
    assert not scores.is_partial


def test_many_missing_items_are_counted_and_the_nearest_name_is_given() -> None:
    refs = {f"song {number}": REFS["1"] for number in range(1, 6)}
    scores = kt.score("chords", refs, {"system": {"song 5": REFS["1"], "Song 1": REFS["1"]}}, protocols="all")
    found = coded(scores, "KT203")
    assert found.message == "no estimate for 4 of 5 items (`song 1`, `song 2`, `song 3` and 1 more)"
    assert found.hint == "nearest name: `Song 1`"


@pytest.mark.parametrize(
    ("missing", "hint"),
    [
        ("worst", "scored as worst; `--missing skip` leaves them out"),
        ("skip", "left out; `--missing worst` scores them as worst"),
    ],
)
def test_the_hint_says_what_the_policy_does(missing: str, hint: str) -> None:
    assert coded(scored(ONLY_1, missing=missing), "KT203").hint == hint


def test_an_item_with_two_files_cannot_be_used(tmp_path: Path) -> None:
    for name in ("1.lab", "1.txt", "2.lab"):
        (tmp_path / name).write_text("0 10 C\n")
    scores = scored(tmp_path)
    assert scores.counts["system"] == {"total": 2, "ok": 1, "missing": 0, "failed": 1}
    assert coded(scores, "KT201").severity == "error"


# --- strict --------------------------------------------------------------------------------


def test_strict_ends_the_run_if_anything_had_to_be_repaired() -> None:
    unsorted = {"1": song((6, 10, "G"), (0, 6, "C")), "2": REFS["2"]}
    assert scored(unsorted).value(MAJMIN) == 1.0
    with pytest.raises(DataError) as caught:
        scored(unsorted, strict=True)
    assert "KT128" in {found.code for found in caught.value.diagnostics}


def test_strict_does_not_mind_notes() -> None:
    refs = {"1": song((0, 10, "C:maj(*b7)"))}  # omits what it does not have: a note
    scores = kt.score("chords", refs, {"1": song((0, 10, "C"))}, strict=True, protocols="all")
    assert [found.severity for found in scores.diagnostics] == ["note"]


# --- suspicions ----------------------------------------------------------------------------


def test_an_estimate_that_is_the_reference_is_pointed_at() -> None:
    found = coded(scored({**ONLY_1, "2": REFS["2"]}), "KT208")
    assert found.message == "estimate is identical to the reference for 1 item, e.g. `2`"
    assert (found.severity, found.system) == ("warning", "system")


def test_two_systems_of_the_same_estimates_are_pointed_at() -> None:
    ests = {"one": {**ONLY_1, "2": song((0, 30, "C"))}, "two": {**ONLY_1, "2": song((0, 30, "C"))}}
    found = coded(kt.score("chords", REFS, ests, protocols="all"), "KT209")
    assert found.message == "systems `one` and `two` gave the same estimates"


@pytest.mark.parametrize("other", [{}, {"2": song((0, 30, "D"))}, {"2": song((0, 29, "C"))}])
def test_two_systems_that_differ_in_an_item_are_not(other: dict[str, Song]) -> None:
    ests = {"one": {**ONLY_1, "2": song((0, 30, "C"))}, "two": {**ONLY_1, **other}}
    for systems in (ests, dict(reversed(ests.items()))):
        scores = kt.score("chords", REFS, systems, protocols="all")
        assert "KT209" not in {found.code for found in scores.diagnostics}


def test_ends_that_lie_far_apart_are_pointed_at() -> None:
    # 10 s: more than a tenth of it, 1 s, apart; 30 s: more than 2 s apart
    found = coded(scored({"1": song((0, 8.9, "C")), "2": song((0, 40, "C"))}), "KT210")
    assert found.message == (
        "estimate and reference of 2 items end far apart, most of all `2`: 40.0 and 30.0 s"
    )


def test_ends_that_lie_close_are_not() -> None:
    scores = scored({"1": song((0, 9.1, "C")), "2": song((0, 31.9, "C"))})
    assert not [found for found in scores.diagnostics if found.code == "KT210"]


def test_every_aggregate_of_an_undefined_measure_is_undefined() -> None:
    scores = kt.score("chords", {"1": song((0, 9, "X"))}, {"1": song((0, 9, "C"))}, protocols="all")
    found = scores.summary.filter(measure="MajMin")
    assert found["value"].null_count() == len(found) == 3
    assert all(math.isnan(scores.value(MAJMIN, aggregate=how)) for how in ("pooled", "mean", "median"))


def test_nothing_scored_is_explained_once(tmp_path: Path) -> None:
    unmet = [("key of the mapping", {"a": song((0, 1, "C"))}, {"b": song((0, 1, "C"))})]
    for side, name in (("ref", "a"), ("est", "b")):
        (tmp_path / side).mkdir()
        (tmp_path / side / f"{name}.lab").write_text("0 1 C")
    unmet.append(("path below the folder, without suffix", tmp_path / "ref", tmp_path / "est"))  # type: ignore[arg-type]
    for key, references, estimates in unmet:
        with pytest.raises(DataError) as caught:
            kt.score("chords", references, {"s": estimates}, protocols="all")
        last = caught.value.diagnostics[-1]
        assert (last.code, last.hint) == ("KT200", f"items are paired by {key}")
    with pytest.raises(DataError) as caught:  # the names meet, and the file tells what is wrong with it
        kt.score("chords", {"a": song((0, 1, "C"))}, {"s": {"a": song((0, 1, "nonsense"))}}, protocols="all")
    assert "KT200" not in [found.code for found in caught.value.diagnostics]
