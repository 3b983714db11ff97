# SPDX-License-Identifier: MIT
"""Figures group by group: those of the items of a group scored alone; and which costs most, by hand."""

import math
from typing import Any

import pytest

import kammerton as kt
from cases.chords import song
from kammerton.errors import OptionError
from kammerton.instruments import InstrumentOptions
from kammerton.model.measure import Measure
from kammerton.results.groups import Groups, GroupScore, groups_of
from kammerton.results.signature import Grouping
from kammerton.statistics import sample as sampling
from kammerton.statistics.resampling import BootstrapSettings, ScoreKey
from tabled_scores import CLASSES, LOSS, MEAN, MIDDLE, POOLED, WEIGHTED, Table, groups_in, names, tabled
from unit.statistics.test_intervals import ESTS, REFS, SAID, SECOND, TRUTH, lists

DRAWN = {"level": 0.9, "resamples": 50, "seed": 3, "method": "percentile", "clusters": None}


def grouped(
    table: Table, text: str, measures: tuple[Measure, ...] = (POOLED,), *, drawn: Any = (), **choices: Any
) -> Groups:
    """Return the groups of items: a letter for each, or a dash for none."""
    of = {name: letter for name, letter in zip(names(len(text)), text, strict=True) if letter != "-"}
    scores = tabled(table, measures)
    bootstrap = BootstrapSettings(**drawn) if drawn else None
    return groups_of(scores, scores.origin, Grouping("letter", of), bootstrap, measures=measures, **choices)


def costs(groups: Groups, measure: Measure = POOLED, system: str = "s") -> dict[str | None, float]:
    return {row.group: row.cost for row in groups.of(measure, system)}


def most_costly(groups: Groups, measure: Measure = POOLED, system: str = "s") -> list[str | None]:
    return [row.group for row in groups.of(measure, system) if row.costs_most]


# --- figures -------------------------------------------------------------------------------------

GENRES = {name: "early" if name in "aceg" else "late" for name in REFS}


@pytest.mark.parametrize("annotators", [None, {"second": SECOND}])
@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_a_group_is_its_items_scored_alone(annotators: Any, interval: Any) -> None:
    choices: dict[str, Any] = {"resamples": 50, "interval": interval, "protocols": ["mirex2013", "decibel"]}
    scores = kt.score("chords", REFS, {"s": ESTS}, annotators=annotators, group_by=GENRES, **choices)
    groups = groups_in(scores)
    assert dict(groups.sizes) == {"early": 4, "late": 4}
    for name in groups.sizes:
        some = {item: found for item, found in REFS.items() if GENRES[item] == name}
        more = {
            who: {i: f for i, f in found.items() if i in some} for who, found in (annotators or {}).items()
        }
        alone = kt.score("chords", some, {"s": ESTS}, annotators=more, **choices)
        for row in groups.rows:
            if row.group == name:
                how = {"measure": row.measure.name, "aggregate": row.measure.aggregate}
                expected = alone.summary.filter(
                    protocol=row.measure.protocol, annotator=row.annotator, **how
                ).row(0, named=True)
                found = [row.value, row.low, row.high]
                assert [None if math.isnan(each) else each for each in found] == [
                    expected["value"],
                    expected["ci_low"],
                    expected["ci_high"],
                ]
                assert (row.items, row.undefined) == (expected["items"], expected["undefined"])
                assert groups.signatures[name, row.system][row.measure] == expected["signature"]


def test_classes_of_a_group_are_made_of_its_items() -> None:
    choices: dict[str, Any] = {
        "options": InstrumentOptions(taxonomy="openmic-2018", min_support=1),
        "measures": ["open-mic-task1/macro_F", "open-mic-task1/F"],
        "resamples": 20,
    }
    truth, said = lists(TRUTH), lists(SAID)
    scores = kt.score("instruments", truth, {"s": said}, group_by={"a": "x", "b": "x", "c": "x"}, **choices)
    some = {name: truth[name] for name in "abc"}
    alone = kt.score("instruments", some, {"s": said}, **choices)
    macro = next(measure for measure in scores.measures if measure.name == "macro_F")
    inside, without = groups_in(scores).of(macro, "s")
    assert inside.value == alone.value("macro_F")
    assert (inside.low, inside.high) == alone.intervals[ScoreKey("s", "reference", macro, "gathered")]
    assert without.group is None
    assert inside.cost == pytest.approx(without.value - scores.value("macro_F"))


def test_groups_tell_the_fewest_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Measure, "resamples_classes", False)  # of what is made anew there are fewer
    monkeypatch.setattr(sampling, "_DRAWN_ROWS", 0)
    # of the four items of x more draws differ; those of the one of y are all the same
    monkeypatch.setattr(sampling, "_FEWEST", 2)
    choices: dict[str, Any] = {"measures": ["open-mic-task1/macro_F"], "resamples": 20}
    genres = {"a": "x", "b": "x", "c": "x", "d": "x", "e": "y"}
    scores = kt.score("instruments", lists(TRUTH), {"s": lists(SAID)}, group_by=genres, **choices)
    assert groups_in(scores).fewest_resamples == 2
    chords = kt.score(
        "chords", REFS, {"s": ESTS}, group_by=GENRES, measures=["mirex2013/MajMin"], resamples=20
    )
    assert groups_in(chords).fewest_resamples == 20


def test_items_without_a_group_are_one_and_come_last() -> None:
    groups = grouped({"s": [(1, 2), (1, 4), (3, 4)]}, "b-a")
    assert list(groups.sizes.items()) == [("a", 1), ("b", 1), (None, 1)]
    assert [(row.group, row.value) for row in groups.rows] == [("a", 0.75), ("b", 0.5), (None, 0.25)]


def test_each_system_has_its_own_items_unless_they_are_shared() -> None:
    nan = math.nan
    table: Table = {"s": [(1, 4), (2, 4)], "t": [(nan, nan), (3, 4)]}
    assert [row.value for row in grouped(table, "xx").rows] == [3 / 8, 3 / 4]
    assert [row.value for row in grouped(table, "xx", shared=True).rows] == [2 / 4, 3 / 4]
    shared = grouped(table, "xy", shared=True)
    assert dict(shared.sizes) == {"y": 1}
    assert costs(shared) == {"y": pytest.approx(math.nan, nan_ok=True)}


def test_against_one_annotator() -> None:
    table: Table = {"s": {"A": [(1, 4), (2, 4)], "B": [(3, 4), (4, 4)]}}
    assert [row.value for row in grouped(table, "xy").rows] == [4 / 8, 6 / 8]
    of_b = grouped(table, "xy", annotator="B")
    assert [(row.value, row.annotator) for row in of_b.rows] == [(3 / 4, "B"), (1, "B")]


def test_intervals_are_of_what_is_in_a_group() -> None:
    groups = grouped({"s": [(0, 4), (4, 4), (1, 4)]}, "xxy", drawn=DRAWN)
    two, one = groups.rows
    assert (two.low, two.high) == (0, 1)
    assert math.isnan(one.low)
    clustered = grouped(
        {"s": [(0, 4), (4, 4)]}, "xx", drawn=DRAWN | {"clusters": dict.fromkeys(names(2), "c")}
    )
    assert math.isnan(clustered.rows[0].low)


def test_a_group_may_have_no_item_for_a_measure() -> None:
    reference = {"a": song((0, 4, "X")), "b": song((0, 4, "C"))}
    scores = kt.score(
        "chords",
        reference,
        {"s": reference},
        group_by={"a": "out", "b": "within"},
        measures=["mirex2013/MajMin"],
    )
    undefined, defined = groups_in(scores).rows
    assert math.isnan(undefined.value)
    assert (undefined.items, undefined.undefined, defined.value) == (1, 1, 1.0)


# --- what costs most -----------------------------------------------------------------------------


def test_a_group_costs_what_the_figure_gains_without_it() -> None:
    # 10 of 20 and 30 of 40: .6667; a third of all is .25 behind
    groups = grouped({"s": [(10, 20), (30, 40)]}, "xy")
    assert costs(groups) == pytest.approx({"x": 30 / 40 - 40 / 60, "y": 10 / 20 - 40 / 60})
    assert costs(groups)["x"] == pytest.approx(20 / 60 * (3 / 4 - 1 / 2))
    assert most_costly(groups) == ["x"]


def test_a_large_group_that_is_a_little_behind_costs_more_than_a_small_one_far_behind() -> None:
    groups = grouped({"s": [(0, 1), (540, 900), (99, 99)]}, "xyz")
    assert costs(groups)["x"] == pytest.approx(639 / 999 - 639 / 1000)
    assert costs(groups)["y"] == pytest.approx(99 / 100 - 639 / 1000)
    assert most_costly(groups) == ["y"]


def test_means_count_items_not_their_lengths() -> None:
    groups = grouped({"s": [(0, 1), (540, 900), (99, 99)]}, "xyz", (MEAN,))
    # 0, .6 and 1: mean .5333
    assert costs(groups, MEAN) == pytest.approx({"x": 0.8 - 1.6 / 3, "y": 0.5 - 1.6 / 3, "z": 0.3 - 1.6 / 3})
    assert most_costly(groups, MEAN) == ["x"]


def test_weighted_means_and_medians() -> None:
    groups = grouped({"s": [(1, 2), (3, 4), (6, 6)]}, "xyz", (WEIGHTED, MIDDLE))
    # without x: (3 + 6) / 10, all: 10 / 12; medians of .75 and 1, and of .5, .75 and 1
    assert costs(groups, WEIGHTED)["x"] == pytest.approx(9 / 10 - 10 / 12)
    assert costs(groups, MIDDLE)["x"] == pytest.approx(0.875 - 0.75)


def test_where_lower_is_better_a_group_costs_what_it_adds() -> None:
    groups = grouped({"s": [(1, 4), (3, 4)]}, "xy", (LOSS,))
    assert costs(groups, LOSS) == {"x": -0.25, "y": 0.25}
    assert most_costly(groups, LOSS) == ["y"]


def test_classes_are_made_anew_without_a_group() -> None:
    groups = grouped({"s": [(1, 2), (0, 2), (1, 3)]}, "xyy", (CLASSES,))
    whole = groups.whole[("s", "reference", CLASSES, "gathered")]  # type: ignore[index]
    # class 2 was found in one of two units, class 3 in its one
    assert whole.value == pytest.approx((1 / 2 + 1) / 2)
    # without x: 0 of 1 and 1 of 1; without y: 1 of 1
    assert costs(groups, CLASSES) == pytest.approx({"x": 1 / 2 - 3 / 4, "y": 1 - 3 / 4})
    assert most_costly(groups, CLASSES) == ["y"]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([(1, 2), (1, 2)], "xy"),  # nothing costs
        ([(1, 2), (0, 2)], "xx"),  # there is no rest
        ([(0, 2), (0, 2), (2, 2)], "xyz"),  # two cost as much
        ([(0, 0), (1, 2)], "xy"),  # one is undefined, and costs nothing
    ],
)
def test_no_group_costs_most(rows: list[tuple[float, float]], text: str) -> None:
    assert most_costly(grouped({"s": rows}, text)) == []


def test_each_system_loses_most_in_its_own_group() -> None:
    groups = grouped({"s": [(0, 1), (1, 1)], "t": [(1, 1), (0, 1)]}, "xy")
    assert (most_costly(groups), most_costly(groups, system="t")) == (["x"], ["y"])


# --- what a caller says --------------------------------------------------------------------------


def test_no_groups_unless_they_are_wanted() -> None:
    scores = kt.score("chords", REFS, {"s": ESTS}, measures=["mirex2013/MajMin"])
    assert scores.groups is None
    assert "groups" not in scores.to_dict()


def test_the_table_has_all_of_it() -> None:
    scores = kt.score(
        "chords", REFS, {"s": ESTS}, measures=["mirex2013/MajMin"], group_by={"a": "x"}, ci=None
    )
    table = groups_in(scores).table
    assert table.columns == [
        *("protocol", "measure", "aggregate", "system", "annotator", "group", "value", "low", "high"),
        *("items", "undefined", "cost", "costs_most", "signature"),
    ]
    assert table["group"].to_list() == ["x", None]
    assert table["low"].to_list() == [None, None]
    document = scores.to_dict()["groups"]
    assert document["by"] == "group"
    assert document["groups"] == [{"group": "x", "items": 1}, {"group": None, "items": 7}]
    assert document["rows"] == table.to_dicts()


def test_items_that_are_in_no_group_and_names_of_no_item_are_told() -> None:
    by = dict.fromkeys("abcdefg", "x") | {"other": "y", "z": "y"}
    told = kt.score(
        "chords", REFS, {"s": ESTS}, measures=["mirex2013/MajMin"], group_by=by, ci=None
    ).diagnostics
    assert [(each.code, each.message) for each in told if each.code in ("KT219", "KT220")] == [
        ("KT219", "1 of 8 items is in no group, shown as a group of their own: `h` has none in the table"),
        ("KT220", "table of groups has 2 names that no item has, such as `other`"),
    ]
    expression = kt.score(
        "chords", REFS, {"s": ESTS}, measures=["mirex2013/MajMin"], group_by="[ab]", ci=None
    )
    assert [each.message for each in expression.diagnostics if each.code == "KT219"] == [
        "6 of 8 items are in no group, shown as a group of their own: `c` does not match `[ab]`"
    ]
    assert list(groups_in(expression).sizes) == ["a", "b", None]


def test_the_order_of_items_does_not_show() -> None:
    choices: dict[str, Any] = {"measures": ["mirex2013/MajMin"], "resamples": 50}
    one = groups_in(kt.score("chords", REFS, {"s": ESTS}, group_by=GENRES, **choices))
    turned: list[Any] = [dict(reversed(each.items())) for each in (REFS, ESTS, GENRES)]
    other = groups_in(kt.score("chords", turned[0], {"s": turned[1]}, group_by=turned[2], **choices))
    assert list(map(repr, one.rows)) == list(map(repr, other.rows))
    assert list(one.sizes) == list(other.sizes)


def test_some_item_must_have_a_group() -> None:
    with pytest.raises(OptionError, match="no item has a group: `a` does not match `xyz`"):
        kt.score("chords", REFS, {"s": ESTS}, group_by="xyz")


def test_comparisons_have_groups_of_what_all_systems_have() -> None:
    table = {"s": ESTS, "t": {name: found for name, found in ESTS.items() if name != "a"}}
    choices: dict[str, Any] = {"measures": ["mirex2013/MajMin"], "missing": "skip", "group_by": GENRES}
    found = kt.compare("chords", REFS, table, resamples=50, permutations=50, **choices)
    assert found.groups is not None
    assert dict(found.groups.sizes) == {"early": 3, "late": 4}
    first, *_ = found.groups.rows
    assert isinstance(first, GroupScore)
    kept = {name: each for name, each in REFS.items() if name in "ceg"}
    assert first.value == kt.score("chords", kept, {"s": ESTS}, measures=["mirex2013/MajMin"]).value("MajMin")
    assert not math.isnan(first.low)
    assert found.to_dict()["groups"]["by"] == "group"
    assert (
        kt.compare("chords", REFS, {"s": ESTS, "t": ESTS}, measures=["mirex2013/MajMin"], resamples=50).groups
        is None
    )
