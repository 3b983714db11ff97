# SPDX-License-Identifier: MIT
"""Charts: what they show, and that names in them are names."""

import math
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import kammerton as kt
from kammerton.errors import OptionError
from kammerton.reporting.charts import (
    COLOURS,
    OTHERS,
    ChartScore,
    MeanRanks,
    bins_of,
    confusion,
    forest,
    losses,
    mean_ranks,
    most_costly,
    render_chart,
    scatter,
    spread,
    squeezed,
)
from kammerton.reporting.figures import CHARTS, chart, charts_of
from kammerton.reporting.html.chapters import source_of
from kammerton.reporting.html.page import Source
from kammerton.reporting.systems import learning_curve
from tabled_scores import CLASSES, LOSS, MEAN, POOLED, tabled, valued

HOSTILE = ["</text><script>", "{{7*7}}", "\u202egnp", 10_000 * "x" + "1", 10_000 * "x" + "2", "datum.a", ""]


def source(*args: Any, **options: Any) -> Source:
    return Source(key="c1", scores=tabled(*args, **options))


def data(made: Any) -> list[list[dict[str, Any]]]:
    """Return the values of each data set of a chart."""
    found = []

    def look(part: Any) -> None:
        if isinstance(part, dict):
            if isinstance(part.get("values"), list):
                found.append(part["values"])
            for each in part.values():
                look(each)
        elif isinstance(part, list):
            for each in part:
                look(each)

    look(made.to_dict())
    return found


def words(made: Any) -> list[str]:
    """Return the texts that are drawn."""
    root = ET.fromstring(render_chart(made, "svg"))
    return [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]


def figures(systems: list[str]) -> list[ChartScore]:
    return [ChartScore(measure="M", system=name, value=50, low=40, high=60) for name in systems]


def test_hostile_names_are_text_and_stay_apart() -> None:
    said = words(forest(figures(HOSTILE), "per cent"))
    assert {"</text><script>", "{{7*7}}", "\\u202egnp", "datum.a"} <= set(said)
    clipped = [word for word in said if word.startswith("xxx")]
    assert len(clipped) == 2
    assert clipped[0] != clipped[1]
    assert max(map(len, said)) < 40


def test_hostile_names_are_drawn_in_every_chart() -> None:
    from kammerton.model.task import ClassLoss, ClassLosses  # noqa: PLC0415

    cells = {(name, other): 1.0 for name in HOSTILE for other in HOSTILE}
    rows = tuple(ClassLoss(name=name, whole=2, lost=1) for name in HOSTILE)
    costs = ClassLosses(kind=HOSTILE[0], unit="s", rule="r", rows=rows)
    values: dict[str, list[float]] = {name: [1.0, 2.0] for name in HOSTILE}
    ranks = [float(place) for place in range(len(HOSTILE))]
    measures = [
        ChartScore(measure=name, system=other, value=1, low=0, high=2)
        for name in HOSTILE
        for other in HOSTILE
    ]
    for made in (
        forest(measures, HOSTILE[0]),
        spread(values, HOSTILE[0]),
        scatter((HOSTILE[0], [1.0]), (HOSTILE[1], [2.0]), HOSTILE[5]),
        mean_ranks(MeanRanks(systems=HOSTILE, ranks=ranks, critical=2)),
        losses(dict.fromkeys(HOSTILE, costs)),
        confusion(dict.fromkeys(HOSTILE, cells), HOSTILE[0]),
    ):
        assert "</text><script>" in " ".join(words(made))


def test_rows_are_in_the_order_given() -> None:
    names = ["b", "c", "a"]
    drawn_first = [word for word in words(forest(figures(names), "per cent")) if word in names]
    assert drawn_first == names
    measures = [ChartScore(measure=name, system="s", value=1, low=0, high=2) for name in names]
    assert [word for word in words(forest(measures, "value")) if word in names] == names
    spreads = words(spread({name: [1.0, 2.0] for name in names}, "M"))
    assert [word for word in spreads if word in names] == names
    confusions = words(confusion({"s": {(name, name): 3 - place for place, name in enumerate(names)}}, "k"))
    assert [word for word in confusions if word in names] == [*names, *names]


def test_undefined_figures_have_no_point() -> None:
    made = forest([ChartScore(measure="M", system="a", value=math.nan, low=math.nan, high=math.nan)], "value")
    assert data(made) == [
        [{"measure": "M", "system": "a", "value": None, "low": None, "high": None, "place": 0}]
    ]


def marks(made: Any) -> list[tuple[str, str]]:
    """Return shape and colour of each point that is drawn."""
    paths = ET.fromstring(render_chart(made, "svg")).iter("{http://www.w3.org/2000/svg}path")
    points = [each for each in paths if each.get("aria-roledescription") == "point"]
    return [(each.get("d", ""), each.get("fill", "")) for each in points]


@pytest.mark.parametrize("count", [7, 8, 30, 56])
def test_every_system_has_a_mark_of_its_own(count: int) -> None:
    names = [f"s{number:02}" for number in range(count)]
    for made in (forest(figures(names), "per cent"), spread({name: [1.0, 2.0] for name in names}, "M")):
        found = marks(made)
        assert len(found) == len(set(found)) == count
        assert {colour for _, colour in found} <= set(COLOURS)
        # what is filled has an area: its outline is closed, or a circle's; a stroke's is neither
        assert all(shape.endswith("Z") or "A" in shape for shape, _ in found)


def test_bins_hold_every_value_once() -> None:
    found = bins_of([0, 5, 5.1, 99.99, 100, math.nan], 0, 100)
    assert len(found) == 20
    # 0 | 5, 5.1 | ... | 99.99, 100: a value on an edge is in the bin above, the highest in the last
    assert [each.count for each in found] == [1, 2, *[0] * 17, 2]


def test_a_histogram_has_the_median_of_what_is_known() -> None:
    (rows,) = data(spread({"a": [1.0, 2.0, 9.0, math.nan], "b": [math.nan]}, "M"))
    assert [row["median"] for row in rows if "median" in row] == [2.0, None]
    assert sum(row["count"] for row in rows) == 3
    assert (rows[0]["low"], rows[19]["high"]) == (1.0, 9.0)
    (same,) = data(spread({"a": [3.0, 3.0]}, "M"))
    assert (same[0]["low"], same[19]["high"]) == (2.5, 3.5)


def test_a_histogram_says_what_it_counts_and_what_it_marks() -> None:
    bars, *_ = spread({"a": [1.0, 2.0, 9.0]}, "M").to_dict()["spec"]["layer"]
    assert bars["encoding"]["y"]["title"] == "items"
    assert bars["encoding"]["x"]["title"] == ["M", "dashed line and marker: the median over items"]


def test_points_are_of_items_that_both_have() -> None:
    line, points = data(scatter(("a", [1.0, math.nan, 3.0]), ("b", [2.0, 5.0, 7.0]), "M"))
    assert points == [{"x": 1.0, "y": 2.0}, {"x": 3.0, "y": 7.0}]
    assert line == [{"x": 1.0, "y": 1.0}, {"x": 7.0, "y": 7.0}]


def test_rare_classes_are_taken_together() -> None:
    cells = {("a", "a"): 4.0, ("b", "a"): 3.0, ("c", "c"): 2.0, ("c", "d"): 1.0}
    assert squeezed(cells, 2) == {
        ("a", "a"): 4.0,
        ("b", "a"): 3.0,  # b is as common as c, and before it in the alphabet
        (OTHERS, "c"): 2.0,
        (OTHERS, OTHERS): 1.0,
    }


def test_a_confusion_has_shares_of_each_class() -> None:
    found = {"one": {("a", "a"): 3.0, ("a", "b"): 1.0}, "two": {("b", "b"): 2.0}}
    (rows,) = data(confusion(found, "class"))
    shares = {(row["system"], row["class"], row["taken"]): row["share"] for row in rows}
    assert shares == {
        ("one", "a", "a"): 0.75,
        ("one", "a", "b"): 0.25,
        ("one", "b", "a"): 0.0,
        ("one", "b", "b"): 0.0,
        ("two", "a", "a"): 0.0,
        ("two", "a", "b"): 0.0,
        ("two", "b", "a"): 0.0,
        ("two", "b", "b"): 1.0,
    }


def test_the_classes_that_lost_most_are_those_of_all_systems() -> None:
    from kammerton.model.task import ClassLoss, ClassLosses  # noqa: PLC0415

    def costs(**lost: float) -> ClassLosses:
        rows = tuple(ClassLoss(name=name, whole=9, lost=each) for name, each in lost.items())
        return ClassLosses(kind="k", unit="s", rule="r", rows=rows)

    found = {"one": costs(a=1, b=2, c=0), "two": costs(a=3, b=1, c=0)}
    assert most_costly(found, 5) == ["a", "b"]
    assert most_costly(found, 1) == ["a"]
    (rows,) = data(losses(found))
    assert {(row["system"], row["class"]): row["lost"] for row in rows} == {
        ("one", "a"): 1,
        ("one", "b"): 2,
        ("two", "a"): 3,
        ("two", "b"): 1,
    }


@pytest.mark.parametrize("critical", [0.1, 9.0])
def test_mean_ranks_name_every_system(critical: float) -> None:
    made = mean_ranks(MeanRanks(systems=["a", "b", "c"], ranks=[2.0, 1.0, 3.0], critical=critical))
    assert {"a", "b", "c", "mean rank"} <= set(words(made))
    joined = [values for values in data(made) if values and "high" in values[0]]
    assert joined == ([[{"low": 1.0, "high": 3.0, "row": -1}]] if critical > 1 else [])


def test_all_charts_of_three_systems() -> None:
    rates = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    table = valued({"a": rates, "b": [each - 0.1 for each in rates], "c": [each - 0.2 for each in rates]})
    assert [name for name, _ in charts_of(source(table, (MEAN, LOSS)))] == [
        "forest-one",
        "ranks",
        "items",
        "scatter",
    ]


def test_of_several_systems_the_two_that_the_page_speaks_of_stand_against_each_other() -> None:
    table = valued({"poor": [0.1, 0.2], "best": [0.8, 0.9], "next": [0.5, 0.7]})
    made = dict(charts_of(source_of(tabled(table, (MEAN,)), "c1")))["scatter"]
    across, up = (made.to_dict()["layer"][1]["encoding"][axis]["title"] for axis in "xy")
    assert (across.split(": ")[-1], up.split(": ")[-1]) == ("best", "next")
    assert data(made)[1] == [{"x": 80.0, "y": 50.0}, {"x": 90.0, "y": 70.0}]


def test_charts_of_a_task_with_classes() -> None:
    scores = kt.score(
        "chords",
        {"song": ([(0, 2), (2, 4)], ["C", "G:7"])},
        {"mine": {"song": ([(0, 4)], ["C"])}},
        protocols=["mirex2013"],
        ci=None,
    )
    found = dict(charts_of(Source(key="c1", scores=scores)))
    assert list(found) == ["forest-mirex2013", "items", "losses", "confusion"]
    (rows,) = data(found["confusion"])
    assert {(row["class"], row["taken"]): row["share"] for row in rows} == {
        ("maj", "maj"): 1.0,
        ("maj", "another root"): 0.0,
        ("7", "maj"): 0.0,
        ("7", "another root"): 1.0,
    }


def test_nothing_to_draw_is_said() -> None:
    nothing = source({"a": [(0, 0)], "b": [(0, 0)]}, (POOLED,))
    for name in ("forest", "ranks", "items", "groups", "losses", "confusion"):
        with pytest.raises(OptionError, match=f"there is nothing to draw: {name} of one/pooled"):
            chart(nothing, name, POOLED)
    for name in ("ranks", "items", "scatter"):
        nothing = source({"a": [(0, 0)], "b": [(0, 0)], "c": [(0, 0)]}, (POOLED, CLASSES))
        with pytest.raises(OptionError, match="there is nothing to draw"):
            chart(nothing, name, CLASSES)
    with pytest.raises(OptionError, match="unknown chart `pie`"):
        chart(nothing, "pie", POOLED)
    assert set(CHARTS) == {"forest", "ranks", "items", "scatter", "groups", "losses", "confusion"}


def test_systems_without_an_item_in_common_have_no_ranks() -> None:
    here, gone = (1, 1), (math.nan, 1)
    apart = source({"a": [here, gone, gone], "b": [gone, here, gone], "c": [gone, gone, here]}, (MEAN,))
    with pytest.raises(OptionError, match="there is nothing to draw: ranks"):
        chart(apart, "ranks", MEAN)


def test_a_system_has_one_colour_whatever_its_rank() -> None:
    scores = [
        ChartScore(measure="M", system=name, value=value, low=0.0, high=1.0)
        for name, value in (("b", 0.9), ("a", 0.1))
    ]
    spec = forest(scores, "value", order=("a", "b")).to_dict()
    colours = [
        layer["encoding"]["color"]["scale"]["domain"]
        for layer in spec["spec"]["layer"]
        if "color" in layer["encoding"]
    ]
    assert colours
    assert all(domain == ["a", "b"] for domain in colours)  # as in the charts of items and losses


def test_a_learning_curve_marks_the_best_epoch() -> None:
    chart = learning_curve([(1.5, 0.5, 0.1), (0.75, 0.75, 0.1), (0.5, 0.625, 0.05)]).to_dict()
    assert chart["data"]["values"] == [
        {"epoch": 1, "loss": 1.5, "agreement": 50.0, "best": False},
        {"epoch": 2, "loss": 0.75, "agreement": 75.0, "best": True},
        {"epoch": 3, "loss": 0.5, "agreement": 62.5, "best": False},
    ]
