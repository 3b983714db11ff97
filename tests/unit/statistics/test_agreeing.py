# SPDX-License-Identifier: MIT
"""Annotators against each other, by hand.

``one`` and ``other`` have two songs, ``third`` has one of them.
"""

from dataclasses import replace
from pathlib import Path

import pytest

import kammerton as kt
from cases.chords import song
from kammerton.api import comparing as agreeing
from kammerton.chords import TASK
from kammerton.errors import DataError, OptionError
from kammerton.results.agreement import AnnotatorAgreement

ONE = {"a": song((0, 2, "C"), (2, 4, "G:7")), "b": song((0, 10, "C"))}
OTHER = {"a": song((0, 3, "C"), (3, 4, "G")), "b": song((0, 10, "C"))}
THIRD = {"a": song((0, 4, "G")), "c": song((0, 4, "G"))}
MAJMIN = "mirex2013/MajMin"


def test_two_annotators() -> None:
    found = kt.agree("chords", {"one": ONE, "other": OTHER}, measures=[MAJMIN])
    # a: 3 of 4 s, b: 10 of 10 s, the same both ways
    assert found.value("MajMin") == pytest.approx((3 / 4 + 1) / 2)
    assert found.value("MajMin", reference="one", estimate="other") == pytest.approx(13 / 14)
    assert found.items == ("a", "b")
    # of 14 s one is apart: Do = 1/14; C has 25 of 28, G has 3: De = 1 - (25**2 + 3**2) / 28**2 = 150/784
    assert found.alpha.value == pytest.approx(1 - (1 / 14) / (150 / 784))
    # Pe of Fleiss is 634/784 here too
    assert found.kappa.value == pytest.approx((13 / 14 - 634 / 784) / (150 / 784))


def test_pairs_share_the_items_that_both_have() -> None:
    found = kt.agree("chords", {"one": ONE, "other": OTHER, "third": THIRD}, measures=[MAJMIN])
    assert found.items == ("a", "b")  # c has one annotator
    assert found.value("MajMin", reference="third", estimate="one") == pytest.approx(2 / 4)
    assert found.value("MajMin", reference="other", estimate="third") == pytest.approx(1 / 4)
    # one-other twice 13/14, one-third 1/2, other-third 1/4
    assert found.value("MajMin", over="pairs") == pytest.approx((13 / 14 + 1 / 2 + 1 / 4) / 3)
    # one-other twice: a 3/4, b 1; one-third twice: a 1/2; other-third twice: a 1/4
    assert found.value("MajMin") == pytest.approx((3 / 4 + 1 + 1 / 2 + 1 / 4) / 4)
    rows = found.summary.rows()
    assert len(rows) == 8
    assert rows[0][:5] == ("mirex2013", "MajMin", "one", "other", "pooled")
    assert rows[-2][:5] == ("mirex2013", "MajMin", "all", "all", "mean_of_pairs")
    assert rows[-1] == ("mirex2013", "MajMin", "all", "all", "mean_of_items", pytest.approx(2.5 / 4), 2)
    assert found.kappa.reason == "units have 2 to 3 ratings, and Fleiss' kappa needs equally many"


def said(found: AnnotatorAgreement, code: str) -> list[str]:
    return [diagnostic.message for diagnostic in found.diagnostics if diagnostic.code == code]


def test_items_of_one_annotator_are_said() -> None:
    found = kt.agree("chords", {"one": ONE, "other": OTHER, "third": THIRD}, measures=[MAJMIN])
    assert said(found, "KT230") == ["1 of 3 items has one annotator, left out (`c`)"]
    whole = kt.agree("chords", {"one": ONE, "other": OTHER}, measures=[MAJMIN])
    assert whole.diagnostics == ()
    alone = dict.fromkeys("efgh", ONE["a"])
    many = kt.agree("chords", {"one": ONE, "other": {**OTHER, **alone}}, measures=[MAJMIN])
    assert said(many, "KT230") == ["4 of 6 items have one annotator, left out (`e`, `f`, `g` and 1 more)"]


def test_pairs_that_share_nothing_have_no_row() -> None:
    apart = {"b": ONE["b"]}
    found = kt.agree("chords", {"one": ONE, "a": {"a": ONE["a"]}, "b": apart}, measures=[MAJMIN])
    assert found.pairs == (("one", "a"), ("one", "b"), ("a", "one"), ("b", "one"))
    assert said(found, "KT231") == ["1 of 3 pairs of annotators shares no item, left out"]
    assert found.value("MajMin", over="pairs") == 1.0
    with pytest.raises(OptionError, match="`a` and `b` share no item"):
        found.value("MajMin", reference="a", estimate="b")


def test_annotators_who_share_nothing_are_left_out() -> None:
    annotators = {"one": ONE, "other": OTHER, "hermit": {"c": ONE["a"]}, "monk": {"d": ONE["a"]}}
    found = kt.agree("chords", annotators, measures=[MAJMIN])
    assert found.annotators == ("one", "other")
    assert said(found, "KT230") == ["2 of 4 items have one annotator, left out (`c`, `d`)"]
    assert said(found, "KT231") == ["5 of 6 pairs of annotators share no item, left out"]


def test_measures_made_for_several_annotators_are_said(tmp_path: Path) -> None:
    pig(tmp_path, "001-1", 1, 2)
    pig(tmp_path, "001-2", 1, 2)
    found = kt.agree("fingering", tmp_path, measures=["strike/accuracy", "strike/M_gen"])
    assert said(found, "KT232") == ["made for several annotators, here against one at a time: `strike/M_gen`"]


def test_items_have_a_table() -> None:
    found = kt.agree("chords", {"one": ONE, "other": OTHER}, measures=[MAJMIN])
    assert found.table.rows()[0] == ("mirex2013", "MajMin", "a", "one", "other", 0.75)
    assert len(found.table) == 4


def test_plain_values() -> None:
    document = kt.agree("chords", {"one": ONE, "other": OTHER}, measures=[MAJMIN]).to_dict()
    assert document["annotators"] == ["one", "other"]
    assert document["agreement"][-1]["value"] == pytest.approx(7 / 8)
    assert document["alpha"]["units"] == 4
    assert document["kappa"]["reason"] is None


def pig(folder: Path, name: str, *fingers: int) -> None:
    rows = (f"{n}\t{n}.0\t{n}.5\tC4\t64\t64\t0\t{finger}\n" for n, finger in enumerate(fingers))
    (folder / f"{name}_fingering.txt").write_text("".join(rows))


def test_annotators_in_folders_of_their_own_are_persons_whatever_they_are_called() -> None:
    songs = {"song": ([(0, 1)], ["C"])}
    assert kt.agree("chords", {"1": songs, "2": songs}, measures=["mirex2013/MajMin"]).persons


def test_numbered_annotators_are_no_persons(tmp_path: Path) -> None:
    pig(tmp_path, "001-1", 1, 2, 3, 4)
    pig(tmp_path, "001-2", 1, 2, 3, 5)
    pig(tmp_path, "002-1", 1, 1)
    pig(tmp_path, "002-2", 2, 2)
    found = kt.agree("fingering", tmp_path, measures=["strike/accuracy"])
    assert not found.persons
    assert found.value("accuracy") == pytest.approx((3 / 4 + 0) / 2)
    assert [row[2:5] for row in found.summary.rows()] == [("all", "all", "mean_of_items")]
    with pytest.raises(OptionError, match="numbered"):
        found.value("accuracy", reference="1", estimate="2")
    with pytest.raises(OptionError, match="numbered"):
        found.value("accuracy", over="pairs")


def test_instruments_agree_by_recording_and_label() -> None:
    one, other = {"x": ["piano", "voice"]}, {"x": ["piano", "drums"]}
    found = kt.agree("instruments", {"one": one, "other": other}, protocols=["open-mic-task1"])
    assert found.value("F") == pytest.approx(1 / 2)
    assert all(measure.aggregate != "gathered" for measure in found.measures)
    # piano 11, voice 10, drums 01: 4 of 6 present; Do = 2/3, De = (36 - 16 - 4) / (6 * 5) = 8/15
    assert found.alpha.value == pytest.approx(1 - (2 / 3) / (8 / 15))


@pytest.mark.parametrize(
    ("annotators", "message"),
    [
        ({"one": ONE}, "two annotators"),
        (7, "annotators"),
        ([ONE, OTHER], "annotators in a list must be paths, not dict"),
        ({"one": ONE, "other": OTHER, "x": Path("none")}, "no such"),
    ],
)
def test_what_is_no_agreement(annotators: object, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        kt.agree("chords", annotators)


def test_nothing_in_common() -> None:
    with pytest.raises(DataError, match="no item has annotations of two") as caught:
        kt.agree("chords", {"one": {"x": ONE["a"]}, "other": {"y": ONE["a"]}})
    (problem,) = caught.value.diagnostics
    assert problem.hint is not None
    assert problem.hint.endswith("without suffix; found: `x` of `one` and `y` of `other`")
    with pytest.raises(DataError, match="none that can be used"):
        kt.agree("chords", {who: {"x": ([(0, 1)], ["H"])} for who in ("one", "other")})


def test_measures_that_compare_nobody() -> None:
    with pytest.raises(OptionError, match="no measure compares"):
        kt.agree("fingering", {"a": {}, "b": {}}, measures=["playability/ifr_melodic"])


def test_who_was_found_alone_is_said() -> None:
    with pytest.raises(OptionError) as caught:
        kt.agree("chords", {"one": ONE})
    assert caught.value.hint == "found: `one`; name several, as NAME=PATH or in a mapping"


def test_unknown_names_are_named() -> None:
    found = kt.agree("chords", {"one": ONE, "other": OTHER}, measures=[MAJMIN])
    with pytest.raises(OptionError, match="unknown annotator"):
        found.value("MajMin", reference="one", estimate="nobody")


def test_paths_are_named_by_their_last_component(tmp_path: Path) -> None:
    for name, text in (("one", "0 4 C"), ("other", "0 4 G")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.lab").write_text(text)
    found = kt.agree("chords", [tmp_path / "one", tmp_path / "other"], measures=[MAJMIN])
    assert found.annotators == ("one", "other")
    assert found.value("MajMin") == 0.0


def test_measures_that_these_annotations_have_no_figures_for() -> None:
    lists = {"x": {"piano"}}
    with pytest.raises(DataError, match="no taxonomy"):
        kt.agree("instruments", {"one": lists, "other": lists}, protocols=["lca"])


def test_a_task_without_nominal_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreeing, "find_task", lambda name: replace(TASK, ratings=None))
    found = kt.agree("chords", {"one": ONE, "other": OTHER}, measures=[MAJMIN])
    assert found.alpha.reason == found.kappa.reason == "the labels of this task are not nominal"
    assert found.to_dict()["alpha"]["value"] is None


def test_figures_are_signed() -> None:
    found = kt.agree("chords", {"one": ONE, "other": OTHER}, measures=[MAJMIN])
    (signature,) = found.signatures.values()
    assert signature.startswith("mirex2013/MajMin|rev:2|missing:skip|items:2|data:")
    changed = kt.agree("chords", {"one": ONE, "other": ONE}, measures=[MAJMIN])
    assert set(changed.signatures.values()) != {signature}
