# SPDX-License-Identifier: MIT
"""Tables of chords whose rows name their items: each item is read as a file of its own."""

from pathlib import Path

import pytest

import kammerton as kt
from kammerton.errors import DataError
from kammerton.formats.reading import IntervalOptions, Limits
from kammerton.formats.rows import read_intervals, read_items

TABLE = """item,annotator,start,end,label
a,x,0,1,C
a,y,0,2,G
b,x,0,1,D
a,x,1,2,F
"""
Found = dict[str, tuple[list[tuple[str | None, list[str]]], list[tuple[str, int | None]]]]


def read(
    folder: Path, text: str, name: str = "t.csv", options: IntervalOptions | None = None
) -> Found | None:
    """Return by item: annotators with their labels, and codes with their lines."""
    (folder / name).write_text(text, encoding="utf-8")
    readings = read_items(folder / name, name=name, options=options or IntervalOptions())
    if readings is None:
        return None
    return {
        item: (
            [(track.annotator, track.labels) for track in reading.tracks],
            [(problem.code, problem.line) for problem in reading.diagnostics],
        )
        for item, reading in readings.items()
    }


def test_each_item_has_its_rows_by_annotator(tmp_path: Path) -> None:
    assert read(tmp_path, TABLE) == {
        "": ([], []),
        "a": ([("x", ["C", "F"]), ("y", ["G"])], []),
        "b": ([("x", ["D"])], []),
    }


def test_names_are_composed_and_a_column_may_have_another_name(tmp_path: Path) -> None:
    rows = "song,start,end,label\nCafe\u0301,0,1,C\nCaf\u00e9,1,2,G\n"
    options = IntervalOptions(columns={"song": "item"})
    assert read(tmp_path, rows, options=options) == {"": ([], []), "Caf\u00e9": ([(None, ["C", "G"])], [])}
    assert read(tmp_path, rows) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (  # what is wrong with rows is wrong with their items
            "item,start,end,label\na,0,1,C\na,x,2,G\nb,0,1,C\nb,3,2,G\nc,0,1,F\nd,0,1,\n",
            {
                "": ([], []),
                "a": ([], [("KT120", 3)]),
                "b": ([], [("KT124", 5)]),
                "c": ([(None, ["F"])], []),
                "d": ([], [("KT111", 7)]),
            },
        ),
        (  # whose a row is that is cut otherwise, nobody knows
            "item,start,end,label\na,0,1,C\nb,0,1,C,D,E\n",
            {"": ([], [("KT161", 3)]), "a": ([(None, ["C"])], [])},
        ),
        (
            "item,start,end,label\na,0,1,C\n,1,2,G\n,2,3,G\n",
            {"": ([], [("KT111", 3)]), "a": ([(None, ["C"])], [])},
        ),
        (
            "item,start,label\na,0,C\na,1,D\n",
            {"": ([], [("KT132", 1)]), "a": ([(None, ["C"])], [("KT131", 3)])},
        ),
        ('item,start,end,label\na,0,"1,5",C\nb,2,3,D\n', {"": ([], [("KT121", 2)])}),
        ("item,start,end\na,0,1\n", {"": ([], [("KT162", 1)])}),
        ("item,start,end,label\n", {"": ([], [])}),
    ],
)
def test_what_is_wrong_is_said_of_the_item_or_of_the_table(
    tmp_path: Path, text: str, expected: Found
) -> None:
    assert read(tmp_path, text) == expected


def test_limits_are_those_of_the_table(tmp_path: Path) -> None:
    few = IntervalOptions(limits=Limits(rows=2))
    assert read(tmp_path, TABLE, options=few) == {"": ([], [("KT106", None)])}
    assert read_items(tmp_path / "gone.csv", name="gone.csv") is None


def test_a_table_of_many_is_not_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    problem = read_intervals(tmp_path / "t.csv").diagnostics[0]
    assert (problem.code, problem.message) == ("KT206", "a table of 2 items, where one is read")
    (tmp_path / "one.csv").write_text("item,start,end,label\na,0,1,C\n")
    assert kt.chords.read(tmp_path / "one.csv").labels == ("C",)


def test_items_of_tables_are_scored_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "ref.csv").write_text("item,start,end,label\na,0,1,C\nb,0,1,C\nb,1,2,D\n")
    (tmp_path / "est.csv").write_text("item,start,end,label\nb,0,2,C\na,0,1,C\n")
    scores = kt.score("chords", tmp_path / "ref.csv", tmp_path / "est.csv", ci=None)
    assert scores.value("mirex2013/MajMin") == 2 / 3
    (tmp_path / "est.csv").write_text("item,start,end,label\nb,0,2,C\na,0,1,oh\n")
    torn = kt.score("chords", tmp_path / "ref.csv", tmp_path / "est.csv", ci=None)
    assert torn.counts["est"] == {"total": 2, "ok": 1, "missing": 0, "failed": 1}


def test_where_an_error_is_of_any_item_none_is_used(tmp_path: Path) -> None:
    bad = "".join(f"b,{row},x,C\n" for row in range(30))  # of which twenty are listed
    (tmp_path / "t.csv").write_text(f"item,start,end,label\na,0,1,C\n{bad}")
    found = kt.check("chords", tmp_path / "t.csv")
    assert (len(found.diagnostics), {problem.code for problem in found.diagnostics}) == (21, {"KT120"})
    with pytest.raises(DataError):
        kt.score("chords", tmp_path / "t.csv", tmp_path / "t.csv", ci=None)
