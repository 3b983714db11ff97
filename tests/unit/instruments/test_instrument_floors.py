# SPDX-License-Identifier: MIT
"""Trivial lists, by hand."""

from kammerton.instruments import InstrumentList
from kammerton.instruments.task import baselines


def lists(**labels: str) -> dict[str, list[InstrumentList]]:
    return {item: [InstrumentList(tuple(each.split()))] for item, each in labels.items()}


def test_as_many_as_there_are_on_average() -> None:
    # 7 labels of 3 recordings: 2.33, so the 2 commonest; b and c are in 2, a in 3
    found = baselines(lists(x="c a b", y="a b", z="c a"))
    assert list(found) == ["the 2 commonest", "everything"]
    assert {each.labels for each in found["the 2 commonest"].values()} == {("a", "b")}
    everything = found["everything"]["z"]
    assert everything.labels == ("a", "b", "c")
    assert everything.scores.tolist() == [1.0, 2 / 3, 2 / 3]
    assert everything.ranked


def test_annotators_count_each() -> None:
    both = {"x": [InstrumentList(("a",)), InstrumentList(("b", "c", "b2"))]}
    assert list(baselines(both)) == ["the 2 commonest", "everything"]


def test_silence_has_a_list_of_its_own() -> None:
    found = baselines(lists(x=""))
    assert {name: each["x"].labels for name, each in found.items()} == {
        "the 1 commonest": (),
        "everything": (),
    }


def test_queries_have_no_floor() -> None:
    assert baselines({"topic": [InstrumentList(("d1",), query=True)]}) == {}
    assert baselines({}) == {}
