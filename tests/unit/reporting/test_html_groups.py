# SPDX-License-Identifier: MIT
"""Groups on a page: what each scored, and what it costs.

Of three songs of 4 s, right are 4 and 2 s of the two of rock and 1 s of the one of pop: 6 of 8 and 1 of 4, 7
of 12 in all. Without rock the figure were 1/4, 33.3 less; without pop it were 6/8, 16.7 more: pop costs that.
"""

from dataclasses import replace
from typing import Any

import kammerton as kt
from kammerton.reporting.figures import charts_of
from kammerton.reporting.html.page import Source
from tabled_scores import groups_in, tabled
from unit.reporting.pages import section, sections, text_of

SONGS: dict[str, Any] = {name: ([(0, 4)], ["C"]) for name in "abc"}
GENRES = {"a": "rock", "b": "rock", "c": "<pop>"}


def right(a: float, b: float, c: float) -> dict[str, Any]:
    return {
        name: ([(0, end), (end, 4)], ["C", "D"]) if end < 4 else SONGS[name]
        for name, end in (("a", a), ("b", b), ("c", c))
    }


def scored(**systems: Any) -> kt.Scores:
    return kt.score("chords", SONGS, systems, measures=["mirex2013/MajMin"], group_by=GENRES, ci=None)


def test_groups_have_figures_and_costs() -> None:
    found = section(scored(mine=right(4, 2, 1)), "groups")
    text = text_of(found)
    assert "mine <pop> 1 25.0 +16.7 rock 2 75.0 -33.3" in text
    assert '<small class="best">+16.7</small>' in found.body


def test_groups_of_several_systems_stand_beside_each_other() -> None:
    text = text_of(section(scored(mine=right(4, 2, 1), other=right(4, 4, 4)), "groups"))
    assert "other mine <pop> 1 100.0 0.0 25.0 +16.7 rock 2 100.0 0.0 75.0 -33.3" in text


def test_systems_that_lack_items_of_a_group_have_their_own_counts() -> None:
    scores = kt.score(
        "chords",
        SONGS,
        {"whole": right(4, 2, 1), "some": {"a": SONGS["a"]}},
        measures=["mirex2013/MajMin"],
        group_by=GENRES,
        missing="skip",
        ci=None,
    )
    text = text_of(section(scores, "groups"))
    assert "rock 2 100.0 1 item 75.0 -33.3" in text
    assert "<pop> 1 undefined 0.0 0 items 25.0 +16.7" in text
    assert "Systems have 1 to 3 items." in text_of(section(scores, "scores"))


def test_undefined_groups_are_not_drawn() -> None:
    bare: dict[str, Any] = {"a": ([(0, 1)], ["X"])}
    scores = kt.score(
        "chords", bare, {"mine": bare}, measures=["mir_eval/majmin"], group_by={"a": "g"}, ci=None
    )
    source = Source(key="c1", scores=scores)
    assert "groups" not in dict(charts_of(source))
    assert "g 1 undefined" in text_of(section(scores, "groups"))


def test_without_groups_there_is_no_such_section() -> None:
    assert "groups" not in sections(tabled({"one": [(1, 1)]}))


def test_many_groups_are_cut(monkeypatch: Any) -> None:
    monkeypatch.setattr("kammerton.reporting.html.scores._GROUPS", 1)
    text = text_of(section(scored(mine=right(4, 2, 1)), "groups"))
    assert "1 more groups" in text
    assert "rock" not in text.partition("mine <pop>")[2]


def test_measures_that_groups_have_no_figures_of_are_left_out() -> None:
    scores = scored(mine=right(4, 2, 1))
    groups = groups_in(scores)
    scores.__dict__["groups"] = replace(groups, rows=())
    assert "groups" not in sections(scores)
