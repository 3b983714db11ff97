# SPDX-License-Identifier: MIT
"""What the page answers first."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.model.measure import Measure
from kammerton.reporting.figures import charts_of
from kammerton.reporting.html.chapters import source_of
from kammerton.reporting.html.page import Source, amount_text
from kammerton.reporting.html.summary import judges_of, worst_item
from tabled_scores import CLASSES, LOSS, MEAN, POOLED, tabled, valued
from unit.reporting.pages import section, text_of, with_intervals

NAN = float("nan")
BETTER = [1.0] * 6 + [0.5] * 4
WORSE = [0.5] * 6 + [0.25] * 4


def told(values: dict[str, Any], *measures: Any) -> str:
    return text_of(section(tabled(valued(values), measures or (MEAN,)), "summary"))


def test_the_page_opens_with_the_sentence_of_the_terminal() -> None:
    # all differences favour better: 2 of the 2 ** 10 ways to swap ten items are as far apart
    page = section(with_intervals(tabled(valued({"worse": WORSE, "better": BETTER}), (MEAN,))), "summary")
    assert text_of(page).startswith(
        "better is significantly better than worse: +40.0 percentage points of mean (95 % CI "
    )
    assert "p = .002, 10 items)." in page.body
    assert told({"one": [1, 0.5]}).startswith("one scores 75.0 % mean (2 items).")
    assert told({"one": [np.nan], "other": [np.nan]}).startswith("mean is undefined for every system.")


def test_lower_may_be_better() -> None:
    table = valued({"one": [0.5, 0.2, 0.1], "other": [0.1, 0.1, 0.5]})
    text = text_of(section(with_intervals(tabled(table, (LOSS,))), "summary"))
    assert text.startswith(
        "other is not significantly better than one: -3.3 percentage points of loss (lower is better, "
    )
    # the worst item of the system that is better has the highest loss
    assert "item 00002: 50.0 % for other." in text
    assert "scored the same" not in text


def test_items_that_are_as_bad_as_the_worst_are_counted() -> None:
    text = told({"one": [0.2, 0.1, 0.1, 0.1]})
    assert "item 00001: 10.0 % for one. 2 other items scored the same." in text


def test_items_that_may_belong_together_are_told_beside_how_sure_it_is() -> None:
    song = ([(0, 1)], ["C"])
    items = dict.fromkeys(("a/1", "a/2", "b/1", "b/2"), song)
    told = "Intervals take 4 items for independent, but by their names they belong to 2 groups, such as a"
    for systems in ({"one": items}, {"one": items, "other": items}):
        scores = kt.score("chords", items, systems, protocols=["mirex2013"])
        page = section(scores, "summary")
        first, _ = text_of(page).split("Worst item")
        assert f"{told} (KT218)." in first
        assert "If items of a group are alike, as songs of an album are, take --cluster '^(.*)/' ." in first
        assert "such as <code><bdi>a</bdi></code> (KT218)" in page.body


def test_fingers_are_answered_by_the_published_rate_and_without_it_by_what_judges(tmp_path: Path) -> None:
    for name, finger in (("refs/a-1", 1), ("mine/a-1", 2)):
        path = tmp_path / f"{name}_fingering.txt"
        path.parent.mkdir()
        path.write_text(f"0\t0.0\t0.5\tC4\t64\t64\t0\t{finger}\n", "utf-8")
    folders = str(tmp_path / "refs"), str(tmp_path / "mine")
    chosen = ("nakamura2020/M_gen", "strike/accuracy"), ("strike/M_gen", "strike/accuracy")
    scores = [kt.score("fingering", *folders, measures=measures) for measures in chosen]
    mains = [str(Source(key="c1", scores=each).main) for each in scores]
    assert mains == ["nakamura2020/M_gen", "strike/accuracy"]


def test_the_worst_item_is_that_of_the_better_system_and_the_dearest_those_of_all() -> None:
    # lost by both: 0 + 1 of item 0, 1 + 0 of item 1, 1 + 2 of item 2
    rows = {"one": [(1, 1), (9, 10), (1, 2)], "other": [(0, 1), (10, 10), (0, 2)]}
    text = text_of(section(tabled(rows, (POOLED,)), "summary"))
    assert "item 00002: 50.0 % for one." in text
    assert (
        "The items that lost all systems most, by score and length: item 00002, item 00000, item 00001."
        in text
    )


def test_what_cost_most_is_by_what_the_measure_counts() -> None:
    scores = tabled({"one": [(1, 2)]}, (replace(POOLED, weight_unit="notes"),))
    text = text_of(section(scores, "summary"))
    assert "The items that lost it most, by score and number of notes: item 00000." in text
    # a file is one file
    files = tabled({"one": [(1, 2)]}, (replace(POOLED, weight_unit="files"),))
    assert "The items that lost it most, by score: item 00000." in text_of(section(files, "summary"))


@pytest.mark.parametrize(("measure", "whom"), [(MEAN, "bob"), (LOSS, "ann")])
def test_the_worst_item_is_laid_out_by_the_annotator_against_whom_it_was_worst(
    measure: Measure, whom: str
) -> None:
    asked = []
    scores = tabled({"one": {"ann": [(2, 2)], "bob": [(1, 2)]}}, (measure,))
    found = worst_item(Source(key="c1", scores=scores), None, lambda *given: asked.append(given))
    assert asked == [("item 00000", whom)]
    assert found is not None
    assert found.details[0] == "Annotator by annotator: 100.0 against ann, 50.0 against bob."


def test_of_many_annotators_some_are_told() -> None:
    scores = tabled({"one": {name: [(1, 2)] for name in "abcdefgh"}}, (MEAN,))
    told = ", ".join(f"50.0 against {name}" for name in "abcdef")
    assert f"Annotator by annotator: {told} and 2 more." in text_of(section(scores, "summary"))


def test_classes_are_no_items() -> None:
    scores = tabled({"one": {"ann": [(1, 1), (0, 2)], "bob": [(1, 1), (1, 2)]}}, (CLASSES,))
    assert "Worst item" not in text_of(section(scores, "summary"))
    assert judges_of(Source(key="c1", scores=scores)) == {}


def test_of_a_task_that_lays_nothing_out_nothing_is_missed() -> None:
    text = told({"one": [0.5]})
    assert "Worst item" in text
    assert "The reason is unknown" not in text


def test_nothing_defined_has_no_worst_item() -> None:
    assert "Worst item" not in told({"one": [np.nan]})


def test_one_annotator_tells_nothing_of_agreement() -> None:
    text = told({"one": [1]})
    assert "One annotator: unknown here." in text
    assert "That takes a second annotator: score with --annotator NAME=PATH as well" in text


def test_what_was_left_out_is_said() -> None:
    scores = tabled({"one": [(1, 1), (np.nan, 1)]})
    assert "1 of 2 items scored for one: 1 missing." in text_of(section(scores, "summary"))


@pytest.mark.parametrize(
    ("task", "reference", "estimate", "answer"),
    [
        # 2 s of G:7 as C; the second of C is right
        (
            "chords",
            ([(0, 1), (1, 3)], ["C", "G:7"]),
            ([(0, 3)], ["C"]),
            "Chord quality 7: 100 % of what mine lost. 2 s of 2 s. It was",
        ),
        # one of two violins was missed, and two organs are none
        (
            "instruments",
            {"a": ["violin"], "b": ["violin"]},
            {"a": ["organ"], "b": ["organ", "violin"]},
            "Instrument organ: 67 % of what mine lost. 2 of 3 errors.",
        ),
    ],
)
def test_the_dearest_class_is_named(task: Any, reference: Any, estimate: Any, answer: str) -> None:
    items = reference if isinstance(reference, dict) else {"song": reference}
    scores = kt.score(task, items, {"mine": estimate if isinstance(estimate, dict) else {"song": estimate}})
    assert answer in text_of(section(scores, "summary"))


def test_what_qualities_cost_is_what_the_measure_counts_that_heads_the_page() -> None:
    # G:7 as G costs nothing by MajMin, but all by Sevenths; C as D:min costs by both
    song = ([(0, 3), (3, 4)], ["G:7", "C"])
    said = {
        "mine": ([(0, 3), (3, 4)], ["G", "C"]),
        "same": song,
        "poor": ([(0, 3), (3, 4)], ["G:7", "D:min"]),
    }
    systems = {name: {"song": each} for name, each in said.items()}
    triads = kt.score("chords", {"song": song}, systems, measures=["mirex2013/MajMin"], ci=None)
    assert "Most of the loss" not in text_of(section(triads, "summary"))
    assert "By mirex2013/MajMin: score and share of the loss" in text_of(section(triads, "losses"))
    mine = {"mine": systems["mine"]}
    sevenths = kt.score("chords", {"song": song}, mine, measures=["mirex2013/Sevenths"], ci=None)
    assert "Chord quality 7: 100 % of what mine lost. 3 s of 3 s." in text_of(section(sevenths, "summary"))
    # confusions have no basses: by these measures a loss is by something else, and the page says by what
    basses = kt.score("chords", {"song": song}, systems, measures=["mirex2013/MajMinBass"], ci=None)
    text = text_of(section(basses, "summary"))
    assert "Most of the loss by root and full quality Chord quality 7: 100 % of what mine lost." in text
    assert "poor: chord quality maj: 100 %." in text
    assert "same: nothing was lost." in text


def test_classes_that_cost_the_same_are_said_to_tie() -> None:
    references = {name: [name] for name in ("banjo", "cello", "flute", "organ", "piano", "violin")}
    one = kt.score("instruments", references, {"mine": references | {"banjo": [], "cello": []}}, ci=None)
    told = "No single instrument: banjo and cello tie, each 50 % of what mine lost. 1 of 2 errors."
    assert told in text_of(section(one, "summary"))
    none = kt.score("instruments", references, {"mine": dict.fromkeys(references, ())}, ci=None)
    told = "No single instrument: banjo, cello, flute and 3 more tie, each 17 % of what mine lost. 1 of 6"
    assert told in text_of(section(none, "summary"))


def test_classes_of_another_system_may_tie_as_well() -> None:
    references = {"a": ["violin"], "b": ["organ"], "c": ["flute"]}
    one, other = references | {"a": []}, references | {"b": [], "c": []}
    scores = kt.score("instruments", references, {"one": one, "other": other}, ci=None)
    told = "other: no single instrument: flute and organ tie, each 50 %."
    assert told in text_of(section(scores, "summary"))


def test_what_tells_the_dearest_finger_is_named_where_it_was_not_scored(tmp_path: Path) -> None:
    for name, finger in (("refs/a-1", 1), ("mine/a-1", 2)):
        path = tmp_path / f"{name}_fingering.txt"
        path.parent.mkdir()
        path.write_text(f"0\t0.0\t0.5\tC4\t64\t64\t0\t{finger}\n", "utf-8")
    for measure in ("nakamura2020/M_gen", "strike/accuracy"):
        scores = kt.score("fingering", tmp_path / "refs", tmp_path / "mine", measures=[measure])
        text = text_of(section(scores, "summary"))
        missing = "Most of the loss Not known here. It is told where a measure such as strike/accuracy"
        assert (missing in text) == (measure == "nakamura2020/M_gen")


def test_what_instruments_lost_is_errors_and_what_there_is_of_them_files() -> None:
    references, said = {"a": ["violin"], "b": ["violin"]}, {"a": ["organ"], "b": ["organ", "violin"]}
    scores = kt.score("instruments", references, {"mine": said}, ci=None)
    text = text_of(section(scores, "losses"))
    # F of the violin: one of two was found, and no other said
    assert "organ 0 files 0.0 66.7 % violin 2 files 66.7 33.3 %" in text
    assert "lost in all 3 errors" in text
    assert '"lost, errors"' in scores.chart("losses").to_json()


def test_what_classes_cost_is_said_to_be_against_annotators_together() -> None:
    # against one annotator all 4 s are right, against the other 1 s of G is C
    reference, other = ([(0, 4)], ["C"]), ([(0, 3), (3, 4)], ["C", "G"])
    scores = kt.score(
        "chords", {"song": reference}, {"mine": {"song": reference}}, annotators={"other": {"song": other}}
    )
    text = text_of(section(scores, "summary"))
    told = "Chord quality maj: 100 % of what mine lost. 1 s of 1 s against 2 annotators together."
    assert told in text


def test_what_classes_cost_is_told_of_the_best_system_first() -> None:
    items = dict.fromkeys("abcdef", ([(0, 4)], ["C"]))
    poor, good = (dict.fromkeys("abcdef", ([(0, end), (end, 4)], ["C", "G"])) for end in (1, 3))
    scores = kt.score("chords", items, {"poor": poor, "good": good}, protocols=["mirex2013"], ci=None)
    for part in ("losses", "classes"):
        text = text_of(section(scores, part))
        assert 0 <= text.index("good") < text.index("poor")
    assert "100 % of what good lost. 6 s of 6 s" in text_of(section(scores, "summary"))


def test_of_many_systems_the_best_are_drawn_with_what_classes_cost() -> None:
    items = dict.fromkeys("ab", ([(0, 8)], ["C"]))
    # s7, the last by name, is wrong for one of eight seconds, s1 for seven
    said = {f"s{end}": dict.fromkeys("ab", ([(0, end), (end, 8)], ["C", "G"])) for end in range(1, 8)}
    source = source_of(kt.score("chords", items, said, protocols=["mirex2013"], ci=None), "c1")
    drawn = dict(charts_of(source))["losses"].to_dict()["data"]["values"]
    assert list(dict.fromkeys(row["system"] for row in drawn)) == ["s2", "s3", "s4", "s5", "s6", "s7"]


def test_the_dearest_classes_and_systems_are_listed_and_the_others_told_together() -> None:
    # thirteen qualities that are each wrong for a second, by seven systems
    qualities = (
        *("maj", "min", "7", "maj7", "min7", "dim", "aug", "sus2", "sus4", "dim7", "hdim7", "min6"),
        "maj6",
    )
    labels = [f"C:{each}" for each in qualities]
    rows = [(at, at + 1) for at in range(13)]
    right = {"a": (rows, labels)}
    wrong = {"a": (rows, ["D"] * 13)}
    scores = kt.score(
        "chords", right, {f"s{number}": wrong for number in range(7)}, protocols=["mirex2013"], ci=None
    )
    found = section(scores, "losses")
    # a head, sixteen classes at most, here those of major and minor triads, and what was lost in all
    assert found.body.count("<tr>") == 1 + 7 + 1
    # 1 s of each quality is wrong
    assert "min6 1 s 0.0 14.3 %" in text_of(found)
    drawn = scores.chart("losses").to_dict()["data"]["values"]
    assert {row["system"] for row in drawn} == {f"s{number}" for number in range(6)}


def test_a_system_without_errors_has_no_dearest_class() -> None:
    song = ([(0, 1)], ["C"])
    scores = kt.score("chords", {"song": song}, {"mine": {"song": song}})
    text = text_of(section(scores, "summary"))
    assert "Most of the loss" not in text
    assert "lost in all 0 s" in text_of(section(scores, "losses"))


def test_numbers_are_printed_with_their_units() -> None:
    assert [
        amount_text(*given)
        for given in ((59.25, "s"), (599.25, "s"), (600.0, "s"), (7200.0, "s"), (1234.0, "notes"))
    ] == [
        "59.2 s",
        "9 min 59 s",
        "10 min",
        "2 h 00 min",
        "1,234 notes",
    ]
