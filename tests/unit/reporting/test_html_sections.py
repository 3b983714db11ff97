# SPDX-License-Identifier: MIT
"""What the sections of a page say, and the data in them."""

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import Diagnostic
from kammerton.reporting.charts import cliques
from kammerton.reporting.html import items as html_items
from kammerton.results.scores import Scores
from kammerton.statistics.resampling import BootstrapSettings
from tabled_scores import CLASSES, LOSS, MEAN, OTHER, POOLED, Table, lacking, tabled, valued
from unit.reporting.pages import section, sections, text_of

pytestmark = pytest.mark.usefixtures("undrawn")


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
    assert "good 87.5 a 75.0 to 100.0 poor 0.0 a 0.0 to 0.0" in text_of(found)
    assert 'class="number best">87.5<' in found.body
    assert "mirex2013/*|rev:2|missing:worst|items:2|" in text_of(found)
    assert found.body.count("<svg") == 1


def test_figures_without_intervals_are_alone() -> None:
    found = section(tabled({"one": [(1, 2)]}), "scores")
    assert re.search(r"Scores of one.*System pooled pooled one 50\.0 ", text_of(found)) is None
    assert "one 50.0 " in text_of(found)
    assert "cannot be told apart" not in text_of(found)


def test_undefined_figures_have_no_drawing() -> None:
    found = section(tabled({"one": [(0, 0)]}), "scores")
    assert "one undefined" in text_of(found)
    assert "<svg" not in found.body


def test_pairs_have_their_tests() -> None:
    found = section(tabled(valued({"one": [1, 1, 0.5], "other": [0.5, 0, 0.5]}), (MEAN, LOSS)), "comparison")
    text = text_of(found)
    # 5/6 less 1/3; better on two, as good on one: superiority (2 + 1/2) / 3
    assert (
        "one/mean, per cent, 3 items. Significant at 0.05: paired permutation test, all 8 swaps, Holm over "
        "1 pair." in text
    )
    assert re.search(r"one other no 3 \+50\.0 \S+ to \S+ \.500 \.500 83 % 2 / 1 / 0", text)
    assert "Pairs by other measures" in text
    assert re.search(r"Measure one other one/mean 1 a 2 a one/loss 2 a 1 a", text)


def test_pairs_have_the_items_that_both_have() -> None:
    table = lacking({"sub": [0.9, *[math.nan] * 9], "a": [0.5] * 10, "b": [0.25] * 10})
    found = section(tabled(table, (MEAN,)), "comparison")
    text = text_of(found)
    assert (
        "one/mean, per cent, 1 to 10 items. Significant at 0.05: paired permutation test, all 2 to 1,024"
        in text
    )
    assert re.search(r"a b yes 10 \+25\.0 \S+ to \S+ \.002 \.006 100 % 10 / 0 / 0", text)
    assert re.search(r"sub a no 1 \+40\.0 1 1 100 % 1 / 0 / 0", text)
    assert "System sub has at most 1 item in common with any other: too few to be compared." in text
    assert "p adjusted p (Holm)" in text
    assert "On 1 item that all systems have; 1 is best." in text


def test_protocols_that_disagree_are_named() -> None:
    scores = tabled({"a": [(2, 2)], "b": [(1, 2)]}, (POOLED, OTHER), others={"a": [(0, 2)], "b": [(1, 2)]})
    text = text_of(section(scores, "comparison"))
    assert (
        "one/pooled ranks a before b, other/pooled the other way round; not both differences are significant."
        in text
    )


def test_mean_ranks_are_drawn_of_three_systems() -> None:
    values = {"a": [1.0, 0.9, 0.8, 0.9], "b": [0.5, 0.4, 0.5, 0.4], "c": [0.1, 0.1, 0.2, 0.3]}
    found = section(tabled(valued(values), (MEAN,)), "comparison")
    assert found.body.count("<svg") == 1
    assert "Mean ranks over items" in text_of(found)
    del values["c"]
    assert "<svg" not in section(tabled(valued(values), (MEAN,)), "comparison").body


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
    assert "Items that only some systems have: 1 item 00001" in text_of(section(scores, "quality"))


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
        assert re.search(r"whole : mirex2013/\S+\|items:2\|", text)
        assert re.search(r"<part> : mirex2013/\S+\|items:1/2\|", text)
        names = re.findall(r'<code id="([^"]*)">mirex2013', found.body)
        assert len(set(names)) == len(names) == 2
        assert all(f'data-copy="{name}"' in found.body for name in names)
    assert "items:1/2|" in scores._repr_html_()


def test_headline_figures_come_first_and_others_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kammerton.reporting.html.overview._MOST_SCORES", 1)
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
    assert "90 % interval" in text


def test_how_values_are_spread_is_drawn_where_there_are_values() -> None:
    found = section(tabled({"one": [(1, 2), (1, 4)]}), "items")
    assert "How one/pooled is spread over items" in text_of(found)
    assert found.body.count("<svg") == 1
    assert "<svg" not in section(tabled({"one": [(0, 0)]}), "items").body
