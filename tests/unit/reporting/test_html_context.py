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
from kammerton.reporting.html.page import Source
from unit.reporting.pages import section, sections, text_of

ONE = {"song": ([(0, 4)], ["C"])}
OTHER = {"song": ([(0, 3), (3, 4)], ["C", "G"])}


def scored(annotators: Any, **options: Any) -> kt.Scores:
    chosen: Any = {"context": True, "measures": ["mirex2013/MajMin"], "ci": None} | options
    return kt.score("chords", ONE, {"mine": ONE}, annotators=annotators, **chosen)


def test_tables_for_papers_stand_between_baselines_and_annotators_too() -> None:
    scores = scored({"other": OTHER}, protocols=["mirex2013"])
    tables = dict(figure_files(Source(key="c1", scores=scores), "chords"))
    text = tables["chords-figures-mirex2013.tex"].decode("utf-8")
    rows = [line.split(" & ")[0] for line in text.splitlines() if line.endswith(r" \\")]
    assert rows == ["", "mine", "baseline", "human agreement"]
    assert "Human agreement: each annotator of an item against the others together, 1 item." in text
    alone = scored({"other": OTHER}, context=False)
    without = dict(figure_files(Source(key="c1", scores=alone), "chords"))
    assert b"baseline" not in without["chords-figures-mirex2013.tex"]


def test_scores_stand_between_baselines_and_annotators() -> None:
    scores = scored({"other": OTHER})
    text = text_of(section(scores, "scores"))
    assert "mine 87.5 baseline 87.5 human agreement 75.0" in text
    picture = section(scores, "summary").body
    # both are drawn behind every row
    assert picture.count('class="baseline"') == picture.count('class="agreement"') == 3
    assert picture.count('<tr class="context">') == 2


def test_bands_are_the_best_baseline_and_human_agreement() -> None:
    made = scored({"other": OTHER}).chart("forest").to_dict()
    bands = {row["role"]: row["value"] for row in made["data"]["values"] if "role" in row}
    assert bands == {"baseline": 87.5, "agreement": 75.0}
    marks = [layer["mark"]["type"] for layer in made["spec"]["layer"]]
    # baseline, band and line of human agreement, and of systems: nothing is drawn from the end of the axis
    assert marks == ["rule", "rect", "rule", "rule", "point"]
    lower = Band(measure="M", role="agreement", value=1, low=0.5, high=2)
    values = forest([], "value", bands=[lower]).to_dict()["data"]["values"]
    assert values == [{"measure": "M", "role": "agreement", "value": 1, "low": 0.5, "high": 2, "place": 0}]


def test_the_worst_item_is_told_annotator_by_annotator() -> None:
    text = text_of(section(scored({"other": OTHER}), "summary"))
    assert "song: 87.5 % for mine." in text
    assert "Annotator by annotator: 100.0 against reference, 75.0 against other." in text
    assert "Annotator by annotator" not in text_of(section(scored({}), "summary"))


def test_human_agreement_is_a_table_with_the_best_systems_first() -> None:
    # each of three systems is right for so many of 8 s, and a second more against the other annotator
    items = dict.fromkeys("ab", ([(0, 8)], ["C"]))
    other = dict.fromkeys("ab", ([(0, 7), (7, 8)], ["C", "G"]))
    systems = {f"s{till}": dict.fromkeys("ab", ([(0, till), (till, 8)], ["C", "G"])) for till in (5, 7, 6)}
    scores = kt.score(
        "chords", items, systems, annotators={"other": other}, protocols=["mirex2013"], ci=None, context=True
    )
    text = text_of(section(scores, "agreement"))
    # annotators agree for 7 of 8 s; s7 is right for 7 and 8, s6 for 6 and 7, s5 for 5 and 6
    assert text.endswith("human agreement 87.5 100 % s7 93.8 107 % s6 81.2 93 % s5 68.8 79 %")
    assert (
        "against the others together, 2 items. Systems stand against the same annotators. More than 100 %"
        in text
    )
    assert "Human agreement 87.5 %: s7 reaches 107 % of it. s6 93 %, s5 79 %" in text_of(
        section(scores, "summary")
    )


def test_shares_of_human_agreement_have_intervals_where_there_are() -> None:
    twice = [dict.fromkeys(("one", "two"), each["song"]) for each in (ONE, OTHER)]
    scores = kt.score(
        "chords",
        twice[0],
        {"mine": twice[0]},
        annotators={"other": twice[1]},
        measures=["mirex2013/MajMin"],
        context=True,
        ci=0.9,
    )
    # both items are alike, so whichever are drawn the score is the same
    assert "mine 87.5 [87.5, 87.5] 117 % [117, 117]" in text_of(section(scores, "agreement"))


@pytest.mark.parametrize(
    ("annotators", "context", "told"),
    [
        ({}, True, "Human agreement One annotator: unknown here."),
        ({}, False, "Human agreement One annotator: unknown here."),
        ({"other": OTHER}, False, "Human agreement 2 annotators; scores are against all of them at once."),
    ],
)
def test_without_two_annotators_or_context_nothing_is_known_of_agreement(
    annotators: Any, context: bool, told: str
) -> None:
    scores = scored(annotators, context=context)
    assert told in text_of(section(scores, "summary"))
    assert "agreement" not in sections(scores)
    assert ("baseline" in text_of(section(scores, "scores"))) == context
