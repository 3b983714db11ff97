# SPDX-License-Identifier: MIT
"""Baselines and human agreement on a page.

The song has 4 s. One annotator hears C throughout, the other G in the last second: against each other both
are right for 3 of 4 s. A system that says C throughout is right for 4 and 3 of 4 s, which is 7 of 8, and so
are the trivial answers that are the commonest triad.
"""

from typing import Any

import pytest

import kammerton as kt
from kammerton.reporting.charts import Band, forest
from kammerton.reporting.figures import figure_files
from kammerton.reporting.html.overview import bands_of, context_note, context_rows
from kammerton.reporting.html.page import Source
from unit.reporting.pages import section, text_of

pytestmark = pytest.mark.usefixtures("undrawn")

ONE = {"song": ([(0, 4)], ["C"])}
OTHER = {"song": ([(0, 3), (3, 4)], ["C", "G"])}


def scored(annotators: Any, **options: Any) -> kt.Scores:
    chosen: Any = {"context": True, "measures": ["mirex2013/MajMin"], "ci": None} | options
    return kt.score("chords", ONE, {"mine": ONE}, annotators=annotators, **chosen)


def test_scores_stand_between_baselines_and_annotators() -> None:
    text = text_of(section(scored({"other": OTHER}), "scores"))
    assert "mine 87.5 baseline: all N 0.0 baseline: commonest triad 87.5 " in text
    assert "annotators against the others 75.0 mine, share of the annotators 116.7 %" in text
    assert "Annotators are each scored against the others of an item, on 1 item; " in text
    assert "dashed is human agreement" in text


def test_tables_for_papers_stand_between_baselines_and_annotators_too() -> None:
    scores = scored({"other": OTHER}, protocols=["mirex2013"])
    tables = dict(figure_files(Source(key="c1", scores=scores), "chords"))
    text = tables["chords-figures-mirex2013.tex"].decode("utf-8")
    rows = [line.split(" & ")[0] for line in text.splitlines() if line.endswith(r" \\")]
    assert rows == ["", "mine", "baseline", "human agreement"]
    assert "Human agreement: every annotator of an item against the others, 1 item." in text
    alone = scored({"other": OTHER}, context=False)
    without = dict(figure_files(Source(key="c1", scores=alone), "chords"))
    assert b"baseline" not in without["chords-figures-mirex2013.tex"]


def test_bands_are_the_best_baseline_and_human_agreement() -> None:
    source = Source(key="c1", scores=scored({"other": OTHER}))
    baseline, agreement = bands_of(source, source.headline)
    assert (baseline.role, baseline.value) == ("baseline", 87.5)
    assert (agreement.role, agreement.value) == ("agreement", 75.0)
    made = forest([], "per cent", bands=[baseline, agreement]).to_dict()
    assert [row["role"] for row in made["data"]["values"]] == ["baseline", "agreement"]
    marks = [layer["mark"]["type"] for layer in made["spec"]["layer"]]
    # baseline, band and line of human agreement, and of systems: nothing is drawn from the end of the axis
    assert marks == ["rule", "rect", "rule", "rule", "point"]
    lower = Band(measure="M", role="agreement", value=1, low=0.5, high=2)
    values = forest([], "value", bands=[lower]).to_dict()["data"]["values"]
    assert values == [{"measure": "M", "role": "agreement", "value": 1, "low": 0.5, "high": 2, "place": 0}]


def test_how_far_people_agree_is_answered() -> None:
    text = text_of(section(scored({"other": OTHER}), "summary"))
    assert "How far is it from human agreement? mine reaches 117 % of human agreement." in text
    told = "By mirex2013/MajMin, against the other annotators of an item: annotators 75.0, mine 87.5 per cent"
    assert (
        f"{told}, on 1 item. More than 100 % is closer to the annotators than they are to each other." in text
    )


def test_items_that_one_annotated_say_nothing_of_agreement() -> None:
    items = {"one": ([(0, 4)], ["C"]), "two": ([(0, 4)], ["C"])}
    other = {"one": ([(0, 3), (3, 4)], ["C", "G"])}
    worse = {"one": ([(0, 2), (2, 4)], ["C", "G"]), "two": items["two"]}
    scores = kt.score(
        *("chords", items, {"mine": other | {"two": items["two"]}, "worse": worse}),
        annotators={"other": other},
        protocols=["mirex2013"],
        ci=None,
        context=True,
    )
    text = text_of(section(scores, "summary"))
    # of item one: people agree for 3 of 4 s; mine is right for 3 and 4, worse for 2 and 3
    assert "mine reaches 117 % of human agreement, worse 83 %." in text
    assert "worse 62.5 per cent, on 1 of 2 items, those that several annotated." in text


def test_human_agreement_is_told_of_the_best_systems_first() -> None:
    # each of eight systems is right for so many of 8 s, and a second more against the other annotator
    items = dict.fromkeys("ab", ([(0, 8)], ["C"]))
    other = dict.fromkeys("ab", ([(0, 7), (7, 8)], ["C", "G"]))
    systems = {
        f"s{till}": dict.fromkeys("ab", ([(0, till), (till, 8)], ["C", "G"]))
        for till in (1, 2, 5, 3, 6, 4, 7)
    }
    scores = kt.score(
        "chords", items, systems, annotators={"other": other}, protocols=["mirex2013"], ci=None, context=True
    )
    text = text_of(section(scores, "summary"))
    # annotators agree for 7 of 8 s; s7 is right for 7 and 8, s6 for 6 and 7, s5 for 5 and 6
    assert "s7 reaches 107 % of human agreement, s6 93 %, s5 79 %." in text
    assert "annotators 87.5, s7 93.8, s6 81.2, s5 68.8 per cent" in text
    figures = text_of(section(scores, "scores"))
    shares = [name for name in systems if f"{name}, share of the annotators" in figures]
    assert sorted(shares) == ["s2", "s3", "s4", "s5", "s6", "s7"]
    assert figures.index("s7, share of") < figures.index("s6, share of")


def test_baselines_are_said_to_be_of_the_items_that_all_systems_have() -> None:
    refs = dict.fromkeys("abc", ([(0, 4)], ["C"]))
    systems = {"most": {name: refs[name] for name in "ab"}, "all": refs}
    scores = kt.score(
        "chords", refs, systems, measures=["mirex2013/MajMin"], missing="skip", context=True, ci=None
    )
    said = "They and the systems have the 2 items that all systems have here."
    assert said in context_note(Source(key="c1", scores=scores))
    assert "have here" not in context_note(Source(key="c1", scores=scored({})))


def test_the_worst_item_is_told_annotator_by_annotator() -> None:
    text = text_of(section(scored({"other": OTHER}), "summary"))
    assert "song: 87.5 per cent for mine." in text
    assert "Annotator by annotator: 100.0 against reference, 75.0 against other." in text
    assert "Annotator by annotator" not in text_of(section(scored({}), "summary"))


def test_the_only_system_stands_beside_the_best_baseline() -> None:
    text = text_of(section(scored({"other": OTHER}), "summary"))
    assert "mine scores 87.5 per cent by mirex2013/MajMin." in text
    assert "The best baseline (commonest triad) scores 87.5." in text


def test_without_two_annotators_there_are_baselines_only() -> None:
    source = Source(key="c1", scores=scored({}))
    assert [row.name for row in context_rows(source, source.headline)] == [
        "baseline: all N",
        "baseline: commonest triad",
        "baseline: best triad of each song",
    ]
    assert context_note(source).endswith("No item has two annotators to be compared with.")
    assert "The upright line is the best baseline." in text_of(section(source.scores, "scores"))
    assert "One annotator: human agreement is unknown here." in text_of(section(source.scores, "summary"))


def test_without_context_there_is_none_of_it() -> None:
    scores = scored({"other": OTHER}, context=False)
    text = text_of(section(scores, "scores"))
    assert "baseline" not in text.lower()
    told = "2 annotators; against one or another: mine 75.0 to 100.0 per cent."
    assert told in text_of(section(scores, "summary"))


@pytest.mark.parametrize(("ci", "ends"), [(None, ""), (0.9, "75.0 to 75.0")])
def test_intervals_are_shown_where_there_are(ci: float | None, ends: str) -> None:
    twice = [dict.fromkeys(("one", "two"), each["song"]) for each in (ONE, OTHER)]
    scores = kt.score(
        "chords",
        twice[0],
        {"mine": twice[0]},
        annotators={"other": twice[1]},
        measures=["mirex2013/MajMin"],
        context=True,
        ci=ci,
    )
    rows = context_rows(Source(key="c1", scores=scores), scores.measures)
    # both items are alike, so whichever are drawn the figure is the same
    assert rows[3].cells == (("75.0", ends),)
