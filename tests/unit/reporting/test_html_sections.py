# SPDX-License-Identifier: MIT
"""What the sections of a page say, and the data in them."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import Diagnostic
from kammerton.reporting.charts import cliques
from kammerton.reporting.html import items as html_items
from kammerton.reporting.html.scores import Axis, plot_of
from kammerton.reporting.rankings import RankingCell, RankingRow, ScoreRanking
from kammerton.results.scores import Scores
from kammerton.statistics.resampling import BootstrapSettings
from tabled_scores import CLASSES, LOSS, MEAN, OTHER, POOLED, Table, tabled, valued
from unit.reporting.pages import section, sections, text_of, with_intervals


def with_diagnostics(scores: Scores, *diagnostics: Diagnostic) -> Scores:
    return scores.remade(evidence=replace(scores.origin.evidence, diagnostics=diagnostics))


def test_figures_have_intervals_and_letters() -> None:
    scores = kt.score(
        "chords",
        {"one": ([(0, 4)], ["C"]), "two": ([(0, 4)], ["G"])},
        {"good": {"one": ([(0, 4)], ["C"]), "two": ([(0, 3), (3, 4)], ["G", "F"])}, "poor": {}},
        measures=["mirex2013/MajMin"],
    )
    found = section(scores, "scores")
    # 7 of 8 s; drawn items have 6, 7 or 8 of 8 s
    assert "good 87.5 a [75.0, 100.0] poor 0.0 a [0.0, 0.0]" in text_of(found)
    assert 'class="best">87.5<' in found.body
    assert "mirex2013/*|rev:2|missing:worst|items:2|" in text_of(found)


def test_figures_without_intervals_are_alone() -> None:
    found = section(tabled({"one": [(1, 2)]}), "scores")
    assert "one 50.0 " in text_of(found)


@pytest.mark.parametrize(
    ("table", "low", "high", "ticks", "off"),
    [
        # from 70 to 90, and 8 % of that on either side; the baseline at 20 is too far away
        ({"a": 0.9, "b": 0.7, "baseline": 0.2}, 68.4, 91.6, ["70", "75", "80", "85", "90"], ["left"]),
        # the baseline at 60 is within the span of the systems
        ({"a": 0.9, "b": 0.7, "baseline": 0.6}, 57.6, 92.4, ["60", "70", "80", "90"], []),
        # equal systems have an axis all the same, which ends where the measure does
        ({"a": 1.0, "b": 1.0}, 98.0, 100.0, ["98", "98.5", "99", "99.5", "100"], []),
    ],
)
def test_axes_are_zoomed_to_the_systems(
    table: dict[str, float], low: float, high: float, ticks: list[str], off: list[str]
) -> None:
    rows = tuple(
        RankingRow(name=n, cells=(RankingCell(value=v),), role="context" if n == "baseline" else "system")
        for n, v in table.items()
    )
    ranking = ScoreRanking(measures=(MEAN,), rows=rows)
    axis = Axis.of(ranking, 0)
    assert axis is not None
    assert (axis.low, axis.high) == pytest.approx((low, high))
    assert [text for _, text in axis.ticks()] == ticks
    assert axis.is_cut
    assert [row["off"] for row in plot_of(ranking, 0, axis, MEAN)["rows"] if row["off"]] == off


def test_candidates_are_drawn_by_confidence_and_score() -> None:
    reference = {"one": ([(0, 4)], ["C"])}
    midi = {f"one.{name}": ([(0, end), (end, 4)], ["C", "G"]) for name, end in (("a", 1), ("b", 3))}
    choices: dict[str, Any] = {
        "candidates": "{item}.{candidate}",
        "measures": ["mirex2013/MajMin"],
        "ci": None,
    }
    confidences = {("one", "a"): 0.2, ("one", "b"): 0.4}
    found = section(
        kt.score("chords", reference, {"midi": midi}, select_by=confidences, **choices), "candidates"
    )
    assert "midi mirex2013/MajMin 25.0 50.0 75.0 75.0 1.00" in text_of(found)
    # 25 % at the left end of 300, 75 % at the right, from the top of 200
    assert 'd="M0 150h0"' in found.body
    assert 'class="selected" d="M300 50h0"' in found.body
    without = section(kt.score("chords", reference, {"midi": midi}, **choices), "candidates")
    assert "<svg" not in without.body


def test_what_nobody_has_a_score_of_is_not_drawn() -> None:
    assert "<svg" not in section(tabled({"one": [(0, 0)]}), "summary").body
    assert section(tabled({"one": [(1, 2)], "two": [(0, 2)]}), "summary").body.count('class="dots"') == 2


def test_pairs_have_their_tests() -> None:
    table = valued({"one": [1, 1, 0.5], "other": [0.5, 0, 0.5]})
    found = section(with_intervals(tabled(table, (MEAN, LOSS))), "comparison")
    text = text_of(found)
    # 5/6 less 1/3; better on two, as good on one
    assert text.startswith("one/mean, %; 3 items first second difference [95 % CI] p adjusted p (Holm)")
    assert re.search(r"one other \+50\.0 \[\S+, \S+\] \.500 \.500 \S+ 2 / 1 / 0", text)
    assert "significant at 0.05: paired permutation test, all 8 swaps, Holm over 1 pair." in text
    assert found.body.count("<details>") == 2


def test_protocols_that_disagree_are_named() -> None:
    scores = tabled({"a": [(2, 2)], "b": [(1, 2)]}, (POOLED, OTHER), others={"a": [(0, 2)], "b": [(1, 2)]})
    text = text_of(section(with_intervals(scores), "comparison"))
    assert "one/pooled ranks a before b, other/pooled the other way round; not both are significant." in text


@pytest.mark.parametrize(
    ("ranks", "critical", "expected"),
    [
        ([1, 2, 3], 0.5, []),
        ([3, 1, 2], 1.5, [(1, 2), (2, 3)]),
        ([1, 1.2, 1.4], 1, [(1, 1.4)]),
        ([1, 1.2, 1.4, 2.3], 1, [(1, 1.4), (1.4, 2.3)]),
    ],
)
def test_cliques_are_the_longest(ranks: list[float], critical: float, expected: Any) -> None:
    assert cliques(ranks, critical) == expected


def test_items_are_embedded_in_short() -> None:
    rows: Table = {"one": [(1, 3), (0, 0), (2, 2)], "other": [(0, 3), (0, 0), (np.nan, 1)]}
    assert section(tabled(rows, (POOLED, MEAN)), "items").data == {
        "items": ["item 00000", "item 00001", "item 00002"],
        "systems": ["one", "other"],
        "measures": [
            {"name": "one/pooled", "scale": 10000, "lower": False},
            {"name": "one/mean", "scale": 10000, "lower": False},
        ],
        "values": [[[3333, None, 10000], [0, None, None]], [[3333, None, 10000], [0, None, None]]],
        "weights": [[3.0, 0.0, 2.0], None],
        "states": [{}, {"2": ["missing", ""]}],
    }


def test_the_best_system_is_the_first_column() -> None:
    data = section(tabled(valued({"poor": [0, 0.5], "good": [1, 0.5]}), (MEAN,)), "items").data
    assert data["systems"] == ["good", "poor"]
    assert data["values"] == [[[10000, 5000], [0, 5000]]]


def test_values_of_other_ranges_are_embedded_as_they_are() -> None:
    measure = replace(MEAN, range=(0.0, 10.0))
    data = section(tabled({"one": [(20, 3)]}, (measure,)), "items").data
    assert data["values"] == [[[6.6667]]]
    assert data["measures"] == [{"name": "one/mean", "scale": 0, "lower": False}]


def test_a_failed_item_is_embedded_with_its_reason() -> None:
    scores = kt.score(
        "chords",
        {"one": ([(0, 4)], ["C"]), "two": ([(0, 4)], ["G"])},
        {"mine": {"one": ([(0, 4)], ["Cmaj"]), "two": ([(0, 4)], ["G"])}},
        measures=["mirex2013/MajMin"],
    )
    data = section(scores, "items").data
    assert data["states"] == [
        {"0": ["failed", "estimate: KT311 row index 0: missing colon before the quality `maj`"]}
    ]
    text = text_of(section(scores, "quality"))
    assert "error KT311 × 1" in text
    assert "missing colon before the quality `maj`" in text
    assert "KT208 × 1 estimate is identical to the reference for 1 item" in text


def test_it_is_said_that_differences_are_taken_before_rounding() -> None:
    told = "Differences are taken before scores are rounded."
    assert told in text_of(section(tabled({"one": [(1, 2)], "two": [(2, 2)]}), "items"))
    assert told not in text_of(section(tabled({"one": [(1, 2)]}), "items"))


def test_measures_over_classes_have_no_items() -> None:
    assert "items" not in sections(tabled({"one": [(1, 1), (0, 2)]}, (CLASSES,)))


def test_a_page_of_too_many_values_has_fewer_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_items, "_MOST", 3)
    found = section(tabled({"one": [(1, 1), (0, 1)]}, (POOLED, MEAN)), "items")
    assert [measure["name"] for measure in found.data["measures"]] == ["one/pooled"]
    assert "With 2 items, 1 headline measures are left out here" in text_of(found)


def test_what_was_noticed_is_counted_by_code() -> None:
    scores = with_diagnostics(
        tabled({"one": [(1, 1)]}),
        Diagnostic(code="KT200", severity="note", message="later", item="song"),
        Diagnostic(
            code="KT311", severity="error", message="first", file="/home/me/data/refs/a.lab", line=3, hint="h"
        ),
        Diagnostic(code="KT311", severity="error", message="second", count=2),
    )
    text = text_of(section(scores, "quality"))
    assert "error KT311 × 3 first h refs/a.lab:3 note KT200 × 1 later song" in text


def test_what_messages_have_in_backquotes_is_code() -> None:
    found = Diagnostic(code="KT311", severity="error", message="no label: `<b>`", hint="did you mean `N`?")
    page = section(with_diagnostics(tabled({"one": [(1, 1)]}), found), "quality")
    assert "no label: <code><bdi>&lt;b&gt;</bdi></code>" in page.body
    assert "did you mean <code><bdi>N</bdi></code>?" in page.body


def test_a_few_places_are_named_of_what_was_noticed_often() -> None:
    found = [Diagnostic(code="KT200", severity="note", message="m", item=f"song {each}") for each in "abcde"]
    text = text_of(section(with_diagnostics(tabled({"one": [(1, 1)]}), *found), "quality"))
    assert "note KT200 × 5 m song a , song b , song c and 2 more" in text


def test_missing_items_are_listed() -> None:
    scores = tabled({"one": [(1, 1), (np.nan, 1)]})
    text = text_of(section(scores, "quality"))
    assert "one 2 1 1 0" in text
    assert "one : items without a score item 00001 : missing" in text


def test_items_of_some_systems_only_are_listed() -> None:
    scores = tabled({"a": [(1, 1), (1, 1)], "b": [(1, 1), (np.nan, 1)]})
    assert "Items that only some systems have: 1 item 00001" in text_of(
        section(with_intervals(scores), "quality")
    )


def test_labels_that_are_left_out_are_listed() -> None:
    scores = kt.score(
        "chords",
        {"song": ([(0, 1), (1, 4)], ["C", "G:sus4"])},
        {"mine": {"song": ([(0, 4)], ["C"])}},
        measures=["mirex2013/MajMin"],
    )
    text = text_of(section(scores, "quality"))
    assert "mirex2013 leaves out 75.00 % of the reference for MajMin" in text
    assert "Labels that mirex2013/MajMin leaves out Label in all G:sus4 3 s" in text


def test_systems_of_one_rank_are_joined_whatever_the_critical_difference() -> None:
    assert cliques([2.0, 2.0, 2.0], 0.0) == []
    assert cliques([1.5, 1.5, 3.0], 0.5) == [(1.5, 1.5)]


def test_methods_have_formulas_signatures_and_citations() -> None:
    scores = kt.score(
        "chords", {"a": ([(0, 1)], ["C"])}, {"mine": {"a": ([(0, 1)], ["C"])}}, protocols=["mirex2013"]
    )
    text = text_of(section(scores, "methods"))
    assert "mirex2013, revision 2" in text
    assert "mirex2013/MajMin|rev:2|missing:worst|items:1|" in text
    assert "@misc{kammerton," in text
    assert "mirex2013/MajMin mine reference pooled 100.0" in text


def test_systems_that_were_scored_on_other_items_are_signed_apart() -> None:
    refs = {"a": ([(0, 1)], ["C"]), "b": ([(0, 1)], ["G"])}
    systems = {"whole": refs, "<part>": {"a": refs["a"]}}
    scores = kt.score("chords", refs, systems, measures=["mirex2013/MajMin"], missing="skip")
    for found in (section(scores, "scores"), section(scores, "methods")):
        text = text_of(found)
        assert re.search(r"whole ?: mirex2013/\S+\|items:2\|", text)
        assert re.search(r"<part> ?: mirex2013/\S+\|items:1/2\|", text)
        names = re.findall(r'<code id="([^"]*)">(?:whole: |&lt;part&gt;: )?mirex2013', found.body)
        assert len(set(names)) == len(names) == 2
        assert all(f'data-copy="{name}"' in found.body for name in names)
    assert "items:1/2|" in scores._repr_html_()


def test_headline_figures_come_first_and_others_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kammerton.reporting.html.methods._MOST_SCORES", 1)
    hidden, shown = replace(MEAN, headline=False), replace(LOSS, headline=True)
    text = text_of(section(tabled({"one": [(1, 2)]}, (hidden, shown)), "methods"))
    assert "one/loss one reference mean 50.0" in text
    assert "1 more are in the run" in text


def test_clusters_of_the_intervals_are_those_of_the_comparison() -> None:
    scores = tabled(valued({"a": [1, 1, 0.5, 0.5], "b": [0.5, 0.5, 0, 0]}), (MEAN,))
    clusters = dict(zip((f"item {n:05}" for n in range(4)), "xxyy", strict=True))
    resampled = scores.remade(bootstrap=BootstrapSettings(level=0.9, clusters=clusters))
    text = text_of(section(resampled, "comparison"))
    assert "all 4 swaps" in text
    assert "difference [90 % CI]" in text


def test_how_values_are_spread_is_drawn_where_there_are_values() -> None:
    found = section(tabled({"one": [(1, 2), (1, 4)]}), "items")
    assert "How many items score what by one/pooled" in text_of(found)
    # two bars, and the median of 50 and 25
    assert found.body.count("<rect") == 2
    assert '<line x1="37.5%"' in found.body
    assert "<svg" not in section(tabled({"one": [(0, 0)]}), "items").body
