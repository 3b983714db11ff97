# SPDX-License-Identifier: MIT
"""What changed between two runs; the figures are worked out by hand.

Of the song `one`, MajMin takes G:7 for G: an estimate of C to `end` and G behind it is right for as long
as both say the same, of 4 s. Of `two` everything is right.
"""

import math
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from kammerton.model.corpus import ALL
from kammerton.runs import RunDifference
from kammerton.runs.diff import Only, differ
from tabled_scores import MEAN

REF: dict[str, Any] = {"one": ([(0, 2), (2, 4)], ["C", "G:7"]), "two": ([(0, 2)], ["D:min"])}
MAJMIN = "mirex2013/MajMin"


def song(end: float) -> Any:
    return ([(0, end), (end, 4)], ["C", "G"])


def scored(ref: Any = None, *, name: str = "mine", **items: Any) -> kt.Scores:
    choices: dict[str, Any] = {"protocols": ["mirex2013"], "ci": None}
    return kt.score("chords", ref or REF, {name: {"one": song(2), "two": REF["two"], **items}}, **choices)


def told(found: RunDifference) -> list[tuple[Any, ...]]:
    return [(c.system, c.item, c.annotator, c.before, c.after) for c in found.items]


def test_nothing_changed() -> None:
    found = kt.diff(scored(), scored())
    assert not found.changed
    assert found.items == ()
    assert found.compared == 2
    assert found.notes == ()
    assert not any(figure.changed for figure in found.scores)
    assert {figure.aggregate for figure in found.scores if str(figure.measure) == MAJMIN} == {
        "pooled",
        "mean",
        "median",
    }


def test_an_item_changed() -> None:
    found = kt.diff(scored(), scored(one=song(3)), measures=[MAJMIN])
    assert found.changed
    assert told(found) == [("mine", "one", "reference", 1.0, 0.75)]  # 2 to 3 s were right before
    assert found.items[0].difference == -0.25
    pooled, mean, median = found.scores
    assert (pooled.before, pooled.after) == (1.0, 5 / 6)
    assert (mean.before, mean.after, mean.difference) == (1.0, 0.875, -0.125)
    assert median.aggregate == "median"


def test_all_measures_that_changed_are_told_in_order() -> None:
    found = kt.diff(scored(), scored(one=song(3)))
    measures = [str(change.measure) for change in found.items]
    order = [str(measure) for measure in scored().measures]
    assert measures == sorted(measures, key=order.index)
    assert {"mirex2013/Root", MAJMIN} < set(measures)


def test_runs_on_disk_are_as_good_as_scores(tmp_path: Path) -> None:
    before, after = scored(), scored(one=song(3))
    kt.write_run(before, tmp_path / "a")
    kt.write_run(after, tmp_path / "b")
    read = kt.diff(tmp_path / "a", str(tmp_path / "b"))
    assert read.to_dict() == kt.diff(before, after).to_dict()


def test_a_tolerance() -> None:
    assert kt.diff(scored(), scored(one=song(2.5)), measures=[MAJMIN], tolerance=0.1).changed  # by 0.125
    found = kt.diff(scored(), scored(one=song(2.5)), measures=[MAJMIN], tolerance=0.125)
    assert not found.changed
    assert found.to_dict()["tolerance"] == 0.125


@pytest.mark.parametrize("tolerance", [-1, math.nan, math.inf])
def test_what_is_no_tolerance(tolerance: float) -> None:
    with pytest.raises(kt.OptionError, match="a tolerance is not negative"):
        kt.diff(scored(), scored(), tolerance=tolerance)
    with pytest.raises(kt.OptionError, match="tolerance must be a number, not str"):
        kt.diff(scored(), scored(), tolerance="1")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (0.5, 0.5, False),
        (0.5, 0.6, True),
        (math.nan, math.nan, False),
        (math.nan, 0.0, True),
        (0.0, math.nan, True),
    ],
)
def test_undefined_differs_from_any_value(before: float, after: float, expected: bool) -> None:
    assert differ(MEAN, before, after, 0.0) is expected


def test_an_estimate_that_is_missing_is_a_change_of_status() -> None:
    before = kt.score("chords", REF, {"mine": {"one": song(2), "two": REF["two"]}}, measures=[MAJMIN])
    after = kt.score("chords", REF, {"mine": {"one": song(2)}}, measures=[MAJMIN])
    (change,) = kt.diff(before, after).items
    assert (change.item, change.before, change.after) == ("two", 1.0, 0.0)
    assert (change.status_before, change.status_after) == ("ok", "missing")


def test_items_that_only_one_run_has() -> None:
    three = {**REF, "three": REF["two"]}
    found = kt.diff(scored(), scored(three, three=REF["two"]), measures=[MAJMIN])
    assert found.only_before == ()
    assert found.only_after == (Only("mine", "three", None),)
    assert found.items == ()
    assert found.changed
    assert kt.diff(scored(three, three=REF["two"]), scored()).only_before == found.only_after


def annotated(**annotators: Any) -> kt.Scores:
    est = {"mine": {"one": song(2), "two": REF["two"]}}
    return kt.score("chords", annotators=annotators, estimates=est, measures=[MAJMIN], ci=None)


def test_annotators_that_only_one_run_has() -> None:
    found = kt.diff(annotated(a=REF, b=REF), annotated(a=REF, b=REF, c=REF))
    assert found.only_before == ()
    assert found.only_after == (Only("mine", "one", "c"), Only("mine", "two", "c"))
    assert {figure.annotator for figure in found.scores} == {"a", "b", ALL}
    assert kt.diff(annotated(a=REF, c=REF), annotated(b=REF, c=REF)).only_before == (
        Only("mine", "one", "a"),
        Only("mine", "two", "a"),
    )


def test_lone_annotators_and_systems_are_compared_whatever_they_are_called() -> None:
    found = kt.diff(scored(), scored(name="new", one=song(3)), measures=[MAJMIN])
    assert told(found) == [("new", "one", "reference", 1.0, 0.75)]
    assert found.notes == ("system `mine` before is compared with `new` after",)
    assert not kt.diff(annotated(a=REF), annotated(b=REF)).changed
    assert kt.diff(annotated(a=REF), annotated(b=REF)).notes == (
        "annotator `a` before is compared with `b` after",
    )


def two(first: str, second: str) -> kt.Scores:
    system = {"one": song(2), "two": REF["two"]}
    return kt.score("chords", REF, {first: system, second: system}, measures=[MAJMIN], ci=None)


def test_systems_that_only_one_run_has() -> None:
    found = kt.diff(two("a", "b"), two("b", "c"))
    assert not found.changed
    assert found.compared == 2
    assert found.notes == ("only before there is system `a`", "only after there is system `c`")
    with pytest.raises(kt.OptionError, match="runs have no system in common: a, b; c, d"):
        kt.diff(two("a", "b"), two("c", "d"))


def test_measures_that_only_one_run_has() -> None:
    estimates = {"mine": {"one": song(2), "two": REF["two"]}}
    before = kt.score("chords", REF, estimates, measures=["mirex2013/Root", MAJMIN], ci=None)
    after = kt.score("chords", REF, estimates, measures=[MAJMIN, "decibel/CSR"], ci=None)
    found = kt.diff(before, after)
    assert {str(figure.measure) for figure in found.scores} == {MAJMIN}
    assert found.notes == (
        "only before there is measure `mirex2013/Root`",
        "only after there is measure `decibel/CSR`",
    )
    with pytest.raises(kt.OptionError, match="not both runs have `mirex2013/Root`"):
        kt.diff(before, after, measures=["Root"])
    only = kt.score("chords", REF, estimates, measures=["decibel/CSR"], ci=None)
    with pytest.raises(kt.OptionError, match="runs have no measure in common"):
        kt.diff(before, only)


def test_other_options_are_told() -> None:
    estimates = {"mine": {"one": song(2), "two": REF["two"]}}
    options = kt.chords.ChordOptions(lenient=True)
    after = kt.score("chords", REF, estimates, protocols=["mirex2013"], missing="skip", options=options)
    assert kt.diff(scored(), after).notes == (
        "option missing was `worst` before and is `skip` after",
        "option lenient was `default` before and is `yes` after",
    )


def test_runs_of_two_tasks_are_refused() -> None:
    other = kt.score("instruments", {"x": ["a"]}, {"mine": {"x": ["a"]}}, ci=None)
    with pytest.raises(kt.OptionError, match="runs are of two tasks: chords, instruments"):
        kt.diff(scored(), other)


def refused(ref: Any) -> str:
    after = scored(ref, three=REF["two"])
    with pytest.raises(kt.DataError) as caught:
        kt.diff(scored(), after)
    (problem,) = caught.value.diagnostics
    assert problem.code == "KT708"
    return problem.message


def test_runs_of_other_references_are_refused() -> None:
    corrected = {**REF, "two": ([(0, 2)], ["D"])}
    assert refused(corrected) == "runs are of different references: 1 of 2 items, such as `two`"
    assert refused({"three": REF["two"]}) == "runs are of different references: no item has one in both"


def test_classes_that_only_one_run_has_are_absent() -> None:
    """A measure over classes has the classes that anybody named: `violin` is named only after."""
    ref = {"x": ["piano"], "y": ["voice"]}
    before, after = (
        kt.score(
            "instruments",
            ref,
            {"mine": {"x": ["piano"], "y": second}},
            measures=["open-mic-task1/macro_P"],
            ci=None,
        )
        for second in (["voice"], ["violin"])
    )
    found = kt.diff(before, after)
    by_class = {change.item: (change.status_before, change.status_after) for change in found.items}
    assert by_class["violin"][0] == "absent"
    assert found.only_after == ()
    assert found.table["status_before"].to_list() == [change.status_before for change in found.items]


def test_tables_and_plain_values() -> None:
    three = {**REF, "three": REF["two"]}
    found = kt.diff(scored(three, three=REF["two"]), scored(one=song(3)), measures=[MAJMIN])
    assert found.table.rows() == [
        ("mine", "one", "reference", "mirex2013", "MajMin", 1.0, 0.75, -0.25, "ok", "ok"),
        ("mine", "three", None, None, None, None, None, None, "there", "absent"),
    ]
    plain = found.to_dict()
    assert plain["changed"] is True
    assert kt.diff(scored(), scored(three, three=REF["two"])).to_dict()["only_after"] == plain["only_before"]
    assert plain["only_before"] == [{"system": "mine", "item": "three", "annotator": None}]
    assert plain["items"][0]["difference"] == -0.25
    assert plain["scores"][0] == {
        "system": "mine",
        "annotator": "reference",
        "protocol": "mirex2013",
        "measure": "MajMin",
        "aggregate": "pooled",
        "before": 1.0,
        "after": 5 / 6,
        "difference": 5 / 6 - 1,
        "changed": True,
    }
