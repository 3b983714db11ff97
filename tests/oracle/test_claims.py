# SPDX-License-Identifier: MIT
"""What the card of each measure claims to agree with is what its tests compare it with."""

import re
from pathlib import Path

import pytest

from kammerton.model.measure import BY_HAND, Measure
from kammerton.model.registry import TASKS, find_task
from oracle.covered import COVERED

MEASURES = [measure for name in TASKS for measure in find_task(name).measures]
BY_HAND_TESTS = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted(Path(__file__).parents[1].glob("unit/**/test_*.py"))
}


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_a_card_names_the_oracles_that_cover_the_measure_and_no_others(measure: Measure) -> None:
    claimed = {oracle for oracle in COVERED if oracle in measure.card.agrees_with}
    assert claimed == {oracle for oracle, addresses in COVERED.items() if str(measure) in addresses}


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_a_card_without_an_oracle_says_that_there_is_none(measure: Measure) -> None:
    has_oracle = any(str(measure) in addresses for addresses in COVERED.values())
    assert measure.card.agrees_with.startswith(BY_HAND) != has_oracle


@pytest.mark.parametrize("measure", [m for m in MEASURES if m.card.agrees_with.startswith(BY_HAND)], ids=str)
def test_what_is_worked_out_by_hand_is_named_in_a_test(measure: Measure) -> None:
    """By its address; the name suffices if no other measure has it, or in the tests of its protocol alone."""
    is_only = [each.name for each in MEASURES].count(measure.name) == 1
    own = f"test_{measure.protocol.replace('-', '_')}"
    address, name = re.escape(f"{measure.protocol}/"), re.escape(measure.name)
    assert any(
        re.search(rf"""["'](?:{address}){"?" if is_only or file == own else ""}{name}["']""", text)
        for file, text in BY_HAND_TESTS.items()
    )


def test_what_is_covered_are_measures() -> None:
    assert frozenset().union(*COVERED.values()) <= set(map(str, MEASURES))
