# SPDX-License-Identifier: MIT
"""Evidence of parts of a corpus merges into that of the whole."""

from collections.abc import Mapping
from typing import Any

import pytest

import kammerton as kt
from cases.chords import song
from kammerton.model.evidence import Tally
from strategies import Song

REFS: dict[str, Song] = {
    "1": song((0, 6, "C"), (6, 10, "G")),
    "2": song((0, 5, "A:min")),
    "3": song((0, 2, "C:sus4"), (2, 9, "N")),
    "4": song((0, 3, "D")),
}
ONE: dict[str, Song] = {"1": song((0, 10, "C")), "2": song((0, 5, "A:min7")), "3": song((0, 9, "X"))}
TWO: dict[str, Song] = {"1": song((0, 6, "C"), (6, 9, "N")), "3": song((0, 9, "N")), "4": song((0, 3, "D"))}
SECOND: dict[str, Song] = {"2": song((0, 5, "C")), "3": song((0, 9, "C"))}


def scored(items: str, *, annotators: bool = False) -> kt.Scores:
    def only(side: Mapping[str, Song]) -> dict[str, Song]:
        return {item: song for item, song in side.items() if item in items}

    further = {"second": only(SECOND)} if annotators else None
    return kt.score("chords", only(REFS), {"one": only(ONE), "two": only(TWO)}, annotators=further, ci=None)


def merged(*parts: kt.Scores) -> kt.Scores:
    whole = parts[0].origin.evidence
    for part in parts[1:]:
        whole = whole.merged(part.origin.evidence)
    return parts[0].remade(evidence=whole)


def without_diagnostics(scores: kt.Scores) -> dict[str, Any]:
    return {key: value for key, value in scores.to_dict().items() if key != "diagnostics"}


@pytest.mark.parametrize("annotators", [False, True])
@pytest.mark.parametrize("parts", [("12", "34"), ("34", "12"), ("13", "24"), ("1", "2", "3", "4")], ids=str)
def test_parts_merge_into_the_whole(parts: tuple[str, ...], annotators: bool) -> None:
    found = merged(*(scored(items, annotators=annotators) for items in parts))
    whole = scored("1234", annotators=annotators)
    assert without_diagnostics(found) == without_diagnostics(whole)
    assert found.items.equals(whole.items)
    assert found.systems == whole.systems
    assert found.annotators == whole.annotators
    for table in whole.tables:
        key = found.table(table).columns[:-1]
        assert (
            found.table(table)
            .sort(key, nulls_last=True)
            .equals(whole.table(table).sort(key, nulls_last=True))
        )


def test_a_corpus_that_goes_through_the_kernels_in_several_parts_is_whole() -> None:
    # 450 songs of 10 s, 6 s of each right; every 9th has 2 s of X more, every 50th no estimate
    refs, ests = {}, {}
    for number in range(450):
        extra = [(10, 12, "X")] if number % 9 == 0 else []
        refs[f"{number:03}"] = song((0, 6, "C"), (6, 10, "N"), *extra)
        if number % 50:
            ests[f"{number:03}"] = song((0, 12, "C"))
    scores = kt.score("chords", refs, {"system": ests})
    missing, with_x, missing_with_x = 9, 50, 1  # numbers 0 to 400 by 50; 0 to 441 by 9; 0
    assert scores.counts["system"] == {"total": 450, "ok": 450 - missing, "missing": missing, "failed": 0}
    assert scores.value("mirex2013/MajMin") == pytest.approx((450 - missing) * 6 / (450 * 10))
    cells = {row[2:-1]: row[-1] for row in scores.table("confusion").iter_rows()}
    assert cells == pytest.approx(
        {
            (0, "maj", "maj"): (450 - missing) * 6,
            (None, "N", "maj"): (450 - missing) * 4,
            (None, "X", "maj"): (with_x - missing_with_x) * 2,
            (None, "maj", "silence"): missing * 6,
            (None, "N", "silence"): missing * 4,
            (None, "X", "silence"): missing_with_x * 2,
        }
    )
    excluded = scores.table("excluded").filter(measure="MajMin")
    assert excluded["s"].to_list() == pytest.approx([with_x * 2])


def test_diagnostics_of_all_parts_are_kept() -> None:
    codes = [found.code for found in merged(scored("12"), scored("34")).diagnostics]
    assert codes.count("KT203") == 2  # system `two` lacks item 2, system `one` lacks item 4


def test_tallies_add_up_and_are_left_as_they_are() -> None:
    one = Tally(("a", "b"), "s", {("sys", "ann"): {("x", "y"): 1.0, ("x", None): 2.0}})
    other = Tally(("a", "b"), "s", {("sys", "ann"): {("x", "y"): 4.0}, ("new", "ann"): {("z", "z"): 8.0}})
    assert one.merged(other) == Tally(
        ("a", "b"),
        "s",
        {("sys", "ann"): {("x", "y"): 5.0, ("x", None): 2.0}, ("new", "ann"): {("z", "z"): 8.0}},
    )
    assert one.cells == {("sys", "ann"): {("x", "y"): 1.0, ("x", None): 2.0}}
    assert other.cells["new", "ann"] == {("z", "z"): 8.0}
