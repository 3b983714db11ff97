# SPDX-License-Identifier: MIT
"""One recording laid out and drawn: every cell by hand."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kammerton.errors import OptionError
from kammerton.instruments import InstrumentList, InstrumentOptions
from kammerton.instruments.views import view_item
from kammerton.model.views import Cell, ItemView, Ranked
from kammerton.reporting.timeline import render_item

FIGURE = InstrumentOptions(taxonomy="campaign-sample")
"""A root; below it the families B (E F G), C (H I) and D (J K)."""


def ranked(*labels: str) -> InstrumentList:
    return InstrumentList(labels, ranked=True)


def cells(view: ItemView) -> dict[str, tuple[Cell, ...]]:
    return {branch.label: branch.cells for branch in view.outline or ()}


def column(view: ItemView, place: int = 1) -> dict[object, object]:
    """Return a column of the last table, that of scores."""
    return {row[0]: row[place] for row in view.tables[-1].rows}


def drawn(view: ItemView, **choices: object) -> list[str]:
    shown = render_item(replace(view, tables=()), **choices)  # type: ignore[arg-type]
    return shown.split("\n\n")[1].splitlines()


def test_the_campaigns_example() -> None:
    view = view_item("x", "me", {"me": InstrumentList(("F", "H"))}, {"s": ranked("F", "I")}, options=FIGURE)
    assert [(branch.depth, branch.label) for branch in view.outline or ()] == [
        *[(0, "B"), (1, "F"), (0, "C"), (1, "H"), (1, "I")]
    ]
    assert cells(view) == {
        "B": (Cell("(+)"), Cell("(+)")),
        "F": (Cell("+"), Cell("1")),
        "C": (Cell("(+)"), Cell("(+)")),
        "H": (Cell("+"), Cell("missed", "partly")),  # I is of the family C too
        "I": (Cell(""), Cell("2", "partly")),
    }
    assert view.tables[0].rows == (("missed", "H", "I", "sibling"), ("spurious", "I", "H", "sibling"))
    assert column(view) == {
        "lca/F": pytest.approx(2 / 3),
        "open-mic-task1/P": 1 / 2,
        "open-mic-task1/R": 1 / 2,
        "open-mic-task1/F": 1 / 2,
        "open-mic-task1/AP": 1 / 2,
        "open-mic-task1/hP": 3 / 4,
        "open-mic-task1/hR": 3 / 4,
        "open-mic-task1/hF": 3 / 4,
    }


def test_another_family_is_wrong_all_the_way() -> None:
    view = view_item("x", "me", {"me": ranked("F")}, {"s": ranked("J")}, options=FIGURE)
    assert cells(view) == {
        "B": (Cell("(+)"), Cell("(missed)", "wrong")),
        "F": (Cell("+"), Cell("missed", "wrong")),
        "D": (Cell(""), Cell("(+)", "wrong")),
        "J": (Cell(""), Cell("1", "wrong")),
    }


def test_without_a_taxonomy_labels_stand_as_they_are_listed() -> None:
    view = view_item("x", "me", {"me": InstrumentList(("b", "a"))}, {"s": InstrumentList(("c", "a"))})
    assert cells(view) == {
        "b": (Cell("+"), Cell("missed", "wrong")),
        "a": (Cell("+"), Cell("+")),
        "c": (Cell(""), Cell("+", "wrong")),
    }
    # no label is nearer than another one
    assert [column.heading for column in view.tables[0].columns] == ["error", "label"]
    assert view.tables[0].rows == (("missed", "b"), ("spurious", "c"))


def test_what_nobody_judged_is_neither_right_nor_wrong() -> None:
    reference = InstrumentList(("piano",), absent=("guitar",), closed=False)
    view = view_item("x", "me", {"me": reference}, {"s": ranked("voice", "piano", "guitar")})
    assert cells(view) == {
        "piano": (Cell("+"), Cell("2")),
        "voice": (Cell("?"), Cell("1", "excluded")),
        "guitar": (Cell("-"), Cell("3", "wrong")),
    }
    assert column(view)["open-mic-task1/P"] == 1 / 2


def test_what_nobody_judged_can_be_taken_for_absent() -> None:
    reference = InstrumentList(("piano",), absent=("guitar",), closed=False)
    options = InstrumentOptions(assume_absent=True)
    view = view_item("x", "me", {"me": reference}, {"s": ranked("voice", "piano")}, options=options)
    assert cells(view)["voice"] == (Cell(""), Cell("1", "wrong"))
    assert view.reasons == {"s": ("spurious voice",)}
    assert column(view)["open-mic-task1/P"] == 1 / 2


def test_what_was_missed_and_what_is_spurious_are_reasons() -> None:
    reference = ranked(*"abcdefgh")
    view = view_item(
        "x", "me", {"me": reference}, {"s": ranked("z", "h"), "all": reference, "t": "no estimate"}
    )
    # of seven, six are named; what is right has no reason not to be better
    assert view.reasons == {"s": ("missed a, b, c, d, e, f and 1 more; spurious z",)}
    topic = InstrumentList(("d1", "d2"), query=True)
    assert view_item("x", "me", {"me": topic}, {"s": InstrumentList(("d3",), query=True)}).reasons == {}


def test_scores_are_shown_and_cut() -> None:
    estimate = InstrumentList(("a", "b", "c"), scores=np.array([0.25, 0.75, 0.5]), ranked=True, vector=True)
    references = {"me": InstrumentList(("a", "b"))}
    whole = view_item("x", "me", references, {"s": estimate}, options=InstrumentOptions(threshold=">=0.5"))
    assert [cell[1].text for cell in cells(whole).values()] == ["missed", "1 (0.75)", "2 (0.50)"]
    best = view_item("x", "me", references, {"s": estimate}, options=InstrumentOptions(top_k=1))
    assert list(cells(best)) == ["a", "b"]


def test_what_one_side_implies_the_other_says_is_partly_right() -> None:
    view = view_item("x", "me", {"me": ranked("E", "B")}, {"s": ranked("E")}, options=FIGURE)
    assert cells(view)["B"] == (Cell("+"), Cell("(+)", "partly"))
    view = view_item("x", "me", {"me": ranked("E")}, {"s": ranked("E", "B")}, options=FIGURE)
    assert cells(view)["B"] == (Cell("(+)"), Cell("2", "partly"))


def test_a_node_with_two_parents_is_drawn_below_both(tmp_path: Path) -> None:
    path = tmp_path / "bells.json"
    path.write_text(
        '{"percussion": [], "bell": [], "cowbell": ["percussion", "bell"], "tuned cowbell": ["cowbell"]}'
    )
    options = InstrumentOptions(taxonomy=str(path))
    view = view_item("x", "me", {"me": ranked("tuned cowbell")}, {"s": ranked("bell")}, options=options)
    assert [(branch.depth, branch.label) for branch in view.outline or ()] == [
        *[(0, "percussion"), (1, "cowbell"), (2, "tuned cowbell"), (0, "bell"), (1, "cowbell")]
    ]


def test_annotators_and_absent_systems_have_their_place() -> None:
    view = view_item(
        "x", "b", {"a": ranked("piano"), "b": ranked("voice")}, {"s": ranked("voice"), "t": "no estimate"}
    )
    assert cells(view)["voice"] == (Cell(""), Cell("+"), Cell("1"), Cell(""))
    assert cells(view)["piano"] == (Cell("+"), Cell(""), Cell(""), Cell(""))
    assert view.notes == ("judged by b",)
    assert render_item(view).split("\n\n")[1:3] == [
        "       a  b  s\npiano  +\nvoice     +  1",
        "t: no estimate",
    ]
    assert column(view, 2)["open-mic-task1/P"] == "-"


def test_documents_of_a_query_are_listed_up_to_a_limit() -> None:
    truth = InstrumentList(tuple(f"d{number}" for number in range(60)), query=True)
    view = view_item("topic", "me", {"me": truth}, {"s": InstrumentList(("d7",), ranked=True, query=True)})
    assert len(view.outline or ()) == 50
    assert view.notes == ("10 more documents are not shown",)
    assert len(view.tables) == 1


@pytest.mark.parametrize("measure", ["open-mic-task2/AP", "macro_F", "scores/mAP", "nothing"])
def test_only_measures_of_recordings_can_be_asked_for(measure: str) -> None:
    with pytest.raises(OptionError):
        view_item("x", "me", {"me": ranked("a")}, {"s": ranked("a")}, measure)


def test_nothing_at_all_can_be_shown() -> None:
    view = view_item("x", "me", {"me": InstrumentList(())}, {"s": InstrumentList((), ranked=True)})
    assert view.outline == ()
    assert column(view)["open-mic-task1/F"] is None
    assert "x: s against me" in render_item(view)


def test_tracks_that_do_not_fit_stand_below() -> None:
    systems = {f"a system with a long name {number}": ranked("voice") for number in range(4)}
    view = view_item("x", "me", {"me": ranked("voice")}, systems)
    parts = render_item(view, width=44).split("\n\n")
    name = "a system with a…"
    assert [part.splitlines()[0] for part in parts[1:4]] == [
        f"       me  {name}",
        f"       {name}  {name}",
        f"       {name}",
    ]


def test_an_outline_has_no_time() -> None:
    view = view_item("x", "me", {"me": ranked("voice")}, {"s": ranked("voice")})
    with pytest.raises(OptionError, match="no time"):
        render_item(view, start=1.0)


def test_marks_can_be_written_in_ascii() -> None:
    view = view_item("x", "me", {"me": ranked("a")}, {"s": ranked("b")})
    assert drawn(view, encoding="ascii") == ["   me  s", "a  +   missed x", "b      1 x"]


def test_signs_of_cells_are_told_of_those_that_occur() -> None:
    scored = InstrumentList(("F", "J"), scores=np.array([0.75, 0.5]), ranked=True)
    judged = InstrumentList(("F",), absent=("J",), closed=False)
    view = view_item("x", "me", {"me": judged}, {"list": ranked("F"), "s": scored}, options=FIGURE)
    # J is known to be absent, D above it is not
    assert [cell.text for cell in cells(view)["J"]] == ["-", "", "2 (0.50)"]
    assert dict(view.signs) == {
        "+": "named",
        "(+)": "one below it is",
        "-": "known to be absent",
        "?": "nobody judged it",
        "1 (0.75)": "place in a list and score",
    }
    alone = view_item("x", "me", {"me": InstrumentList(("F",))}, {"list": ranked("F")}, options=FIGURE)
    assert dict(alone.signs) == {"+": "named", "(+)": "one below it is", "1": "place in a list"}


def test_lists_are_given_in_their_order_with_what_is_wrong() -> None:
    scored = InstrumentList(("I", "J", "F"), scores=np.array([0.9, 0.75, 0.5]), ranked=True)
    shown = view_item(
        "x", "me", {"me": InstrumentList(("F", "H"))}, {"s": scored, "none": "no estimate"}, options=FIGURE
    )
    assert shown.ranked == (
        (Ranked("F"), Ranked("H")),
        # I is of the family C, as H is; D has nothing that was annotated
        (Ranked("I", 0.9, "partly"), Ranked("J", 0.75, "wrong"), Ranked("F", 0.5)),
        (),
    )
