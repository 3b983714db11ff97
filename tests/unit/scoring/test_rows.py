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


def columns(rows: Rows) -> tuple[object, ...]:
    return rows.items, rows.groups, rows.group_codes.tolist(), rows.states, rows.state_codes.tolist()


@given(ROWS)
def test_rows_come_back(rows: list[Row]) -> None:
    found = Rows.of(rows)
    assert list(found) == rows
    assert [found[number] for number in range(len(found))] == rows
    assert found.groups == tuple(dict.fromkeys((row.system, row.annotator) for row in rows))
    assert found.states == tuple(dict.fromkeys((row.status, row.counts, row.reason) for row in rows))
    assert Rows.of(found) is found


@given(st.lists(ROWS, max_size=4))
def test_parts_joined_are_the_whole(parts: list[list[Row]]) -> None:
    whole = Rows.of(row for part in parts for row in part)
    assert columns(Rows.joined(map(Rows.of, parts))) == columns(whole)


@given(ROWS, st.data())
def test_some_rows_are_as_if_there_were_no_others(rows: list[Row], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(range(len(rows))), max_size=9)) if rows else []
    found = Rows.of(rows).take(np.array(chosen, dtype=np.int64))
    assert columns(found) == columns(Rows.of(rows[number] for number in chosen))


@given(ROWS)
def test_rows_are_told_by_group_and_state(rows: list[Row]) -> None:
    made = Rows.of(rows)
    assert made.of_system("A").tolist() == [row.system == "A" for row in rows]
    of_one = made.of_system("A", "ann")
    assert of_one.tolist() == [(row.system, row.annotator) == ("A", "ann") for row in rows]
    missing = made.counting & made.with_status("missing")
    assert missing.tolist() == [row.counts and row.status == "missing" for row in rows]


def test_names_of_groups_change_and_nothing_else() -> None:
    def renamed(system: str, annotator: str) -> Group:
        return {"A": "C"}.get(system, system), f"1.{annotator}"

    found = Rows.of([Row("A", "one", "x"), Row("B", "one", "x", "failed", counts=False, reason="why")])
    assert list(found.regrouped(renamed)) == [
        Row("C", "one", "1.x"),
        Row("B", "one", "1.x", "failed", counts=False, reason="why"),
    ]
