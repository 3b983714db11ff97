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
from kammerton.reporting.html.page import Source, amount_text, score_text
from kammerton.reporting.html.summary import judges_of, worst_item
from tabled_scores import CLASSES, LOSS, MEAN, MIDDLE, POOLED, lacking, tabled, valued
from unit.reporting.pages import section, text_of

pytestmark = pytest.mark.usefixtures("undrawn")

NAN = float("nan")
BETTER = [1.0] * 6 + [0.5] * 4
WORSE = [0.5] * 6 + [0.25] * 4


def told(values: dict[str, Any], *measures: Any) -> str:
    return text_of(section(tabled(valued(values), measures or (MEAN,)), "summary"))


def test_the_better_system_is_named_if_the_data_can_tell() -> None:
    # all differences favour it: 2 of the 2 ** 10 ways to swap ten items are as far apart
    text = told({"worse": WORSE, "better": BETTER})
    assert "better is significantly better than worse." in text
    assert "By one/mean: 80.0 against 40.0 per cent, a difference of +40.0 (95 % interval" in text
    assert "p = .002, adjusted p (Holm) = .002, on 10 items." in text
    assert "Too few items differ" not in text


def test_a_system_with_one_item_does_not_hide_which_is_better() -> None:
    # sub has one item of ten, and the others differ on all ten
    table = lacking({"sub": [1, *[NAN] * 9], "worse": WORSE, "better": BETTER})
    text = text_of(section(tabled(table, (MEAN,)), "summary"))
    assert "better is significantly better than worse." in text
    # 2 of 1,024 swaps, and three pairs
    assert "p = .002, adjusted p (Holm) = .006, on 10 items." in text
    assert "System sub has at most 1 item in common with any other: too few to be compared." in text
    assert "Systems have different items: each score is over its system's own items" in text


def test_scores_of_a_difference_are_of_the_items_of_both() -> None:
    # one has six items of twelve, and is behind on these, though its score is higher
    table = lacking({"one": [0.5] * 6 + [NAN] * 6, "other": [0.75] * 6 + [0.0] * 6})
    text = text_of(section(tabled(table, (MEAN,)), "summary"))
    assert "other is significantly better than one." in text
    assert "By one/mean: 75.0 against 50.0 per cent, a difference of +25.0" in text
    assert "on 6 items that both have." in text


def test_it_is_said_that_the_data_cannot_tell() -> None:
    # 1 and 0 against 0 and 1, and a tenth more: of 8 ways to swap, none is less far apart than 4
    text = told({"one": [1, 0, 0.6], "other": [0, 1, 0.5]})
    assert "one and other do not differ significantly; one scores higher." in text
    # with two systems, three items have 2 of 8 swaps that are the farthest
    assert "Too few items differ: no adjusted p could be smaller than .250." in text


def test_measures_by_which_systems_tie_do_not_rank_one_first() -> None:
    # pooled 3/4 against 1/4; 0.5 of the two items in the mean and the median
    equal = {"one": [(3, 3), (0, 1)], "other": [(1, 1), (0, 3)]}
    text = text_of(section(tabled(equal, (POOLED, MEAN, MIDDLE)), "summary"))
    assert "1 of 3 headline measures rank it first; by one/mean, one/middle it ties with another." in text
    nothing = {"one": [(1, 2), (2, 2)], "other": [(2, 2), (1, 2)]}
    text = text_of(section(tabled(nothing, (POOLED, MEAN)), "summary"))
    assert "one and other score the same." in text
    assert "0 of 2 headline measures rank it first; by one/pooled, one/mean it ties with another." in text


def test_equal_systems_score_the_same() -> None:
    assert "one and other score the same." in told({"one": [1, 0], "other": [0, 1]})


def test_lower_may_be_better() -> None:
    text = told({"one": [0.5, 0.2, 0.1], "other": [0.1, 0.1, 0.5]}, LOSS)
    assert "other and one do not differ significantly; other scores lower, which is better." in text
    # the worst item of the system that is better has the highest loss
    assert "item 00002: 50.0 per cent for other." in text
    assert "scored the same" not in text


def test_items_that_are_as_bad_as_the_worst_are_counted() -> None:
    text = told({"one": [0.2, 0.1, 0.1, 0.1]})
    assert "item 00001: 10.0 per cent for one. 2 other items scored the same." in text


def test_systems_that_cannot_be_told_from_the_best_are_named() -> None:
    close = [*BETTER[:-1], 0.4]
    text = told({"better": BETTER, "close": close, "far": WORSE})
    assert "better and close do not differ significantly; better scores higher." in text
    assert "Not significantly" not in text
    third = told({"better": BETTER, "close": close, "third": [*close[:-1], 0.3]})
    assert "Not significantly different from it: third." in third


def test_measures_that_rank_another_system_first_are_named() -> None:
    # pooled over 10 and 1: 9 + 0 of 11 against 5 + 1; the mean of .9 and 0 is less than that of .5 and 1
    rows = {"one": [(9, 10), (0, 1)], "other": [(5, 10), (1, 1)]}
    text = text_of(section(tabled(rows, (POOLED, MEAN)), "summary"))
    # of the four ways to swap two items, none is less far apart than half of them
    said = "1 of 2 headline measures rank it first; one/mean puts another first, not significantly."
    assert said in text
    assert "All 2 headline measures rank it first." in text_of(
        section(tabled({"one": [(9, 10), (1, 1)], "other": [(5, 10), (0, 1)]}, (POOLED, MEAN)), "summary")
    )


def test_measures_that_cannot_tell_two_systems_put_neither_first() -> None:
    # pooled 10 of 20 against 91 of 110; the means of .1 and .9 are the same
    found = tabled({"one": [(1, 10), (9, 10)], "other": [(1, 10), (90, 100)]}, (POOLED, MEAN))
    said = "1 of 2 headline measures rank it first; by one/mean it ties with another."
    assert said in text_of(section(found, "summary"))
    best = section(found, "scores").body.count('class="number best"')
    assert best == 1 + 2


def test_measures_that_surely_rank_another_first_are_told_from_those_that_may() -> None:
    # pooled 1000 + 0 of 1090 against 0 + 90; by the mean nine of ten items favour the other: of 1024 ways to
    # swap them, the 2 * (1 + 10) with at most one the other way round are as far apart, which is 0.0215
    rows = {"one": [(1000, 1000)] + [(0, 10)] * 9, "other": [(0, 1000)] + [(10, 10)] * 9}
    text = text_of(section(tabled(rows, (POOLED, MEAN)), "summary"))
    assert "1 of 2 headline measures rank it first; one/mean does not." in text


def test_items_that_may_belong_together_are_told_beside_how_sure_it_is() -> None:
    song = ([(0, 1)], ["C"])
    items = dict.fromkeys(("a/1", "a/2", "b/1", "b/2"), song)
    told = "Intervals take 4 items for independent, but by their names they belong to 2 groups, such as a"
    for systems in ({"one": items}, {"one": items, "other": items}):
        scores = kt.score("chords", items, systems, protocols=["mirex2013"])
        page = section(scores, "summary")
        first, _ = text_of(page).split("Which item is worst")
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


def test_one_system_is_not_compared() -> None:
    text = told({"one": [1, 0.5]})
    assert "How good is it? one scores 75.0 per cent by one/mean." in text
    assert "A report of two systems tests which is better." in text


def test_what_is_undefined_is_not_compared() -> None:
    assert "one/mean has no scores to compare." in told({"one": [1, 1], "other": [np.nan, np.nan]})


def test_systems_without_an_item_in_common_are_not_compared() -> None:
    text = text_of(section(tabled({"one": [(1, 1), (np.nan, 1)], "other": [(np.nan, 1), (0, 1)]}), "summary"))
    assert "one scores 100.0 per cent; other scores 0.0 per cent by one/pooled." in text


def test_the_worst_item_is_that_of_the_better_system_and_the_dearest_those_of_all() -> None:
    # lost by both: 0 + 1 of item 0, 1 + 0 of item 1, 1 + 2 of item 2
    rows = {"one": [(1, 1), (9, 10), (1, 2)], "other": [(0, 1), (10, 10), (0, 2)]}
    text = text_of(section(tabled(rows, (POOLED,)), "summary"))
    assert "item 00002: 50.0 per cent for one." in text
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
    assert "Which item is worst" not in text_of(section(scores, "summary"))
    assert judges_of(Source(key="c1", scores=scores)) == {}


def test_of_a_task_that_lays_nothing_out_nothing_is_missed() -> None:
    text = told({"one": [0.5]})
    assert "Which item is worst, and why?" in text
    assert "The reason is unknown" not in text


def test_nothing_defined_has_no_worst_item() -> None:
    assert "Which item is worst" not in told({"one": [np.nan]})


def test_one_annotator_tells_nothing_of_agreement() -> None:
    text = told({"one": [1]})
    assert "One annotator: human agreement is unknown here." in text
    assert "That takes a second annotator: score with --annotator NAME=PATH as well" in text


def test_several_annotators_show_how_far_they_spread() -> None:
    scores = tabled({"one": {"ann": [(1, 2)], "bob": [(2, 2)]}})
    assert "2 annotators; against one or another: one 50.0 to 100.0 per cent." in text_of(
        section(scores, "summary")
    )


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
            "Chord quality 7, with 100 % of what mine lost by root and full quality: 2 s of 2 s. It was",
        ),
        # one of two violins was missed, and two organs are none
        (
            "instruments",
            {"a": ["violin"], "b": ["violin"]},
            {"a": ["organ"], "b": ["organ", "violin"]},
            "Instrument organ, with 67 % of what mine lost: 2 of 3 errors. An error is an instrument that",
        ),
    ],
)
def test_the_dearest_class_is_named(task: str, reference: Any, estimate: Any, answer: str) -> None:
    items = reference if isinstance(reference, dict) else {"song": reference}
    scores = kt.score(task, items, {"mine": estimate if isinstance(estimate, dict) else {"song": estimate}})
    assert answer in text_of(section(scores, "summary"))


def test_what_qualities_cost_is_not_passed_off_as_what_the_measure_of_triads_counts() -> None:
    # G:7 as G costs nothing by MajMin, which heads the page; G as D costs both systems
    song = ([(0, 3), (3, 4)], ["G:7", "C"])
    said = {
        "mine": ([(0, 3), (3, 4)], ["G", "C"]),
        "same": song,
        "poor": ([(0, 3), (3, 4)], ["G:7", "D:min"]),
    }
    systems = {name: {"song": each} for name, each in said.items()}
    scores = kt.score("chords", {"song": song}, systems, protocols=["mirex2013"], ci=None)
    text = text_of(section(scores, "summary"))
    assert "Chord quality 7, with 100 % of what mine lost by root and full quality: 3 s of 3 s." in text
    assert "poor: chord quality maj, with 100 %." in text
    assert "same: nothing was lost." in text
    assert "mirex2013/MajMin, which heads this section, counts otherwise." in text


def test_classes_that_cost_the_same_are_said_to_tie() -> None:
    references = {name: [name] for name in ("banjo", "cello", "flute", "organ", "piano", "violin")}
    one = kt.score("instruments", references, {"mine": references | {"banjo": [], "cello": []}}, ci=None)
    told = "No single instrument: banjo and cello tie, each with 50 % of what mine lost: 1 of 2 errors."
    assert told in text_of(section(one, "summary"))
    none = kt.score("instruments", references, {"mine": dict.fromkeys(references, ())}, ci=None)
    told = (
        "No single instrument: banjo, cello, flute and 3 more tie, each with 17 % of what mine lost: 1 of 6"
    )
    assert told in text_of(section(none, "summary"))


def test_classes_of_another_system_may_tie_as_well() -> None:
    references = {"a": ["violin"], "b": ["organ"], "c": ["flute"]}
    one, other = references | {"a": []}, references | {"b": [], "c": []}
    scores = kt.score("instruments", references, {"one": one, "other": other}, ci=None)
    told = "other: no single instrument: flute and organ tie, each with 50 %."
    assert told in text_of(section(scores, "summary"))


def test_what_tells_the_dearest_finger_is_named_where_it_was_not_scored(tmp_path: Path) -> None:
    for name, finger in (("refs/a-1", 1), ("mine/a-1", 2)):
        path = tmp_path / f"{name}_fingering.txt"
        path.parent.mkdir()
        path.write_text(f"0\t0.0\t0.5\tC4\t64\t64\t0\t{finger}\n", "utf-8")
    for measure in ("nakamura2020/M_gen", "strike/accuracy"):
        scores = kt.score("fingering", tmp_path / "refs", tmp_path / "mine", measures=[measure])
        text = text_of(section(scores, "summary"))
        missing = (
            "Which finger loses most? Not known here. It is told where a measure such as strike/accuracy"
        )
        assert (missing in text) == (measure == "nakamura2020/M_gen")


def test_what_instruments_lost_is_errors_and_what_there_is_of_them_files() -> None:
    references, said = {"a": ["violin"], "b": ["violin"]}, {"a": ["organ"], "b": ["organ", "violin"]}
    scores = kt.score("instruments", references, {"mine": said}, ci=None)
    text = text_of(section(scores, "losses"))
    assert "organ 0 files 2 errors 66.7 % violin 2 files 1 error 33.3 % organ" in text
    assert '"lost, errors"' in scores.chart("losses").to_json()


def test_what_classes_cost_is_said_to_be_against_annotators_together() -> None:
    # against one annotator all 4 s are right, against the other 1 s of G is C
    reference, other = ([(0, 4)], ["C"]), ([(0, 3), (3, 4)], ["C", "G"])
    scores = kt.score(
        "chords", {"song": reference}, {"mine": {"song": reference}}, annotators={"other": {"song": other}}
    )
    text = text_of(section(scores, "summary"))
    told = (
        "Chord quality maj, with 100 % of what mine lost by root and full quality against 2 annotators "
        "together: 1 s of 1 s."
    )
    assert told in text


def test_what_classes_cost_is_told_of_the_best_system_first() -> None:
    items = dict.fromkeys("abcdef", ([(0, 4)], ["C"]))
    poor, good = (dict.fromkeys("abcdef", ([(0, end), (end, 4)], ["C", "G"])) for end in (1, 3))
    scores = kt.score("chords", items, {"poor": poor, "good": good}, protocols=["mirex2013"], ci=None)
    for part in ("losses", "classes"):
        text = text_of(section(scores, part))
        assert 0 <= text.index("good") < text.index("poor")
    assert "100 % of what good lost by root and full quality: 6 s of 6 s." in text_of(
        section(scores, "summary")
    )


def test_of_many_systems_the_best_are_told_annotator_by_annotator() -> None:
    table = {name: {"ann": [(part, 8)] * 6, "bob": [(part + 1, 8)] * 6} for part, name in enumerate("abcd")}
    text = text_of(section(tabled(table, (MEAN,)), "summary"))
    assert "d 37.5 to 50.0; c 25.0 to 37.5; b 12.5 to 25.0 per cent." in text


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
    first = found.body.split("</table>")[0]
    assert first.count("<tr>") == 1 + 12 + 1
    assert "all others 7.7 %" in text_of(found)
    assert "3 more systems" in text_of(found)
    drawn = scores.chart("losses").to_dict()["data"]["values"]
    assert {row["system"] for row in drawn} == {f"s{number}" for number in range(6)}


def test_a_system_without_errors_has_no_dearest_class() -> None:
    song = ([(0, 1)], ["C"])
    scores = kt.score("chords", {"song": song}, {"mine": {"song": song}})
    text = text_of(section(scores, "summary"))
    assert "loses most" not in text
    assert "nothing was lost" in text_of(section(scores, "losses"))


def test_numbers_are_printed_with_their_units() -> None:
    assert score_text(-0.1234, MEAN, signed=True) == "−12.3"
    assert score_text(float("nan"), MEAN) == "undefined"
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
