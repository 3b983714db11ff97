# SPDX-License-Identifier: MIT
"""Rows in columns are the rows that they were made of."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kammerton.model.evidence import Group, Row, Rows

ROW = st.builds(
    Row,
    st.sampled_from(["A", "B"]),
    st.sampled_from(["one", "two", "caf\udce9", ""]),
    st.sampled_from(["ann", "all"]),
    st.sampled_from(["ok", "missing", "failed"]),
    st.booleans(),
    st.sampled_from(["", "no estimate"]),
)
ROWS = st.lists(ROW, max_size=12)


@given(ROWS)
def test_rows_come_back(rows: list[Row]) -> None:
    found = Rows.of(rows)
    assert list(found) == rows
    assert [found[number] for number in range(len(found))] == rows
    assert list(found[1:7:2]) == rows[1:7:2]
    assert found.groups == tuple(dict.fromkeys((row.system, row.annotator) for row in rows))
    assert found.states == tuple(dict.fromkeys((row.status, row.counts, row.reason) for row in rows))
    assert Rows.of(found) is found


@given(st.lists(ROWS, max_size=4))
def test_parts_joined_are_the_whole(parts: list[list[Row]]) -> None:
    assert Rows.joined(map(Rows.of, parts)) == Rows.of(row for part in parts for row in part)


@given(ROWS, st.data())
def test_some_rows_are_as_if_there_were_no_others(rows: list[Row], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(range(len(rows))), max_size=9)) if rows else []
    found = Rows.of(rows).take(np.array(chosen, dtype=np.int64))
    assert found == Rows.of(rows[number] for number in chosen)


@given(ROWS, ROWS)
def test_rows_are_equal_if_each_is(one: list[Row], other: list[Row]) -> None:
    assert (Rows.of(one) == Rows.of(other)) == (one == other)
    assert Rows.of(one) != one


@given(ROWS)
def test_rows_are_told_by_group_and_state(rows: list[Row]) -> None:
    columns = Rows.of(rows)
    assert columns.of_system("A").tolist() == [row.system == "A" for row in rows]
    of_one = columns.of_system("A", "ann")
    assert of_one.tolist() == [(row.system, row.annotator) == ("A", "ann") for row in rows]
    missing = columns.counting & columns.with_status("missing")
    assert missing.tolist() == [row.counts and row.status == "missing" for row in rows]


def test_names_of_groups_change_and_nothing_else() -> None:
    def renamed(system: str, annotator: str) -> Group:
        return {"A": "C"}.get(system, system), f"1.{annotator}"

    found = Rows.of([Row("A", "one", "x"), Row("B", "one", "x", "failed", counts=False, reason="why")])
    assert list(found.regrouped(renamed)) == [
        Row("C", "one", "1.x"),
        Row("B", "one", "1.x", "failed", counts=False, reason="why"),
    ]
