# SPDX-License-Identifier: MIT
"""Instruments below their families, and what was listed instead."""

import pytest

from kammerton.instruments import InstrumentOptions
from kammerton.instruments.error_analysis import instrument_breakdown
from kammerton.model.task import ClassKey
from unit.instruments.scored import Parents, options

OPEN_MIC = InstrumentOptions(taxonomy="openmic-2018")


def test_instruments_stand_below_their_families() -> None:
    instruments: dict[ClassKey, float] = {
        ("violin", "hit"): 3.0,
        ("violin", "miss"): 1.0,
        ("cello", "hit"): 4.0,
        ("cello", "miss"): 2.0,
        ("cello", "spurious"): 1.0,
        ("piano", "spurious"): 2.0,
        ("theremin", "miss"): 1.0,
    }
    families: dict[ClassKey, float] = {("strings", "hit"): 7.0, ("keyboards", "spurious"): 2.0}
    found = instrument_breakdown({"instruments": instruments, "families": families}, OPEN_MIC)
    assert found is not None
    assert [(node.depth, node.name, node.support) for node in found.nodes] == [
        (0, "strings", 7.0),
        (1, "cello", 6.0),
        (1, "violin", 4.0),
        (0, "keyboards", 0.0),
        (1, "piano", 0.0),
        # the taxonomy does not have it
        (0, "theremin", 1.0),
    ]
    cello = found.nodes[1]
    assert (cello.precision, cello.recall) == pytest.approx((4 / 5, 4 / 6))
    piano, theremin = found.nodes[4], found.nodes[5]
    assert piano.precision == 0.0
    assert piano.recall != piano.recall  # nan: nobody annotated it
    assert theremin.precision != theremin.precision  # nan: nobody said it


def test_what_lies_between_families_and_instruments_has_figures_too() -> None:
    tables: dict[str, dict[ClassKey, float]] = {
        "instruments": {("violin", "hit"): 1.0, ("flute", "miss"): 1.0, ("woodwinds", "spurious"): 1.0},
        "families": {("strings", "hit"): 1.0, ("winds", "hit"): 1.0},
        "subfamilies": {("bowed", "hit"): 1.0, ("woodwinds", "hit"): 1.0},
    }
    tree: Parents = {
        "strings": "all",
        "winds": "all",
        "bowed": "strings",
        "woodwinds": "winds",
        "violin": "bowed",
        "flute": "woodwinds",
        "fiddle": ["bowed", "woodwinds"],
    }
    found = instrument_breakdown(tables, options(tree))
    assert found is not None
    assert [(node.depth, node.name, node.recall) for node in found.nodes] == [
        (0, "strings", 1.0),
        (1, "bowed", 1.0),
        (2, "violin", 1.0),
        (0, "winds", 1.0),
        # as a family of the flute it was found, though never as a label
        (1, "woodwinds", 1.0),
        (2, "flute", 0.0),
    ]


def test_what_is_below_a_class_of_two_families_stands_once() -> None:
    tree: Parents = {"a": "all", "b": "all", "c": ["a", "b"], "d": "c"}
    tables: dict[str, dict[ClassKey, float]] = {
        "instruments": {("d", "hit"): 1.0},
        "families": {("a", "hit"): 1.0, ("b", "hit"): 1.0},
        "subfamilies": {("c", "hit"): 1.0},
    }
    found = instrument_breakdown(tables, options(tree))
    assert found is not None
    assert [(node.depth, node.name) for node in found.nodes] == [
        (0, "a"),
        (1, "c"),
        (2, "d"),
        (0, "b"),
        (1, "c"),
    ]


def test_below_a_root_that_is_a_label_there_is_nothing() -> None:
    tree: Parents = {"strings": "all", "violin": "strings"}
    tables: dict[str, dict[ClassKey, float]] = {
        "instruments": {("all", "hit"): 2.0, ("violin", "hit"): 1.0},
        "families": {("all", "hit"): 2.0, ("strings", "hit"): 1.0},
    }
    found = instrument_breakdown(tables, options(tree))
    assert found is not None
    assert [(node.depth, node.name) for node in found.nodes] == [(0, "all"), (0, "strings"), (1, "violin")]


def test_a_family_that_is_a_label_stands_once() -> None:
    found = instrument_breakdown(
        {"instruments": {("strings", "hit"): 1.0}, "families": {("strings", "hit"): 1.0}}, OPEN_MIC
    )
    assert found is not None
    assert [node.name for node in found.nodes] == ["strings"]


def test_what_was_said_instead_is_told_by_family() -> None:
    pairs: dict[ClassKey, float] = {
        ("violin", "cello", "sibling"): 2.0,
        ("violin", "strings", "ancestor"): 1.0,
        ("violin", "guitar", "family"): 3.0,
        ("violin", "drums", "stranger"): 4.0,
    }
    found = instrument_breakdown({"instruments": {("violin", "miss"): 2.0}, "confusion": pairs}, OPEN_MIC)
    assert found is not None
    inside, outside = found.matrices
    assert inside.cells == {("violin", "cello"): 2.0, ("violin", "guitar"): 3.0, ("violin", "strings"): 1.0}
    assert (inside.rows, inside.columns) == (("violin",), ("guitar", "cello", "strings"))
    assert outside.cells == {("violin", "drums"): 4.0}
    assert inside.right == outside.right == frozenset()


def test_rare_instruments_are_counted() -> None:
    pairs: dict[ClassKey, float] = {
        (f"missed {number:02}", "said", "stranger"): 20.0 - number for number in range(16)
    }
    found = instrument_breakdown(
        {"instruments": {("said", "spurious"): 1.0}, "confusion": pairs}, InstrumentOptions()
    )
    assert found is not None
    (matrix,) = found.matrices
    assert matrix.rows == tuple(f"missed {number:02}" for number in range(14))
    # the last two have 6 and 5
    assert matrix.note.endswith("11 more pairs are of rarer instruments.")


def test_without_outcomes_there_is_nothing_to_break_down() -> None:
    assert instrument_breakdown({}, InstrumentOptions()) is None
