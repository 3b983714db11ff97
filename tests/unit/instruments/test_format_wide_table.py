# SPDX-License-Identifier: MIT
"""Tables with a row for each item and a column for each instrument."""

import pytest

from unit.instruments.listing import SAMPLE, items, read, sheet, shown, told


@pytest.mark.parametrize(
    "text",
    [
        "file,E,F\na.wav,1,0\nb.wav,0,0\n",
        ",E,F\na,1,0\nb,0,0\n",
        "index;E;F\nx/a.mp3;1.0;0.0\nx/b.mp3;0.0;0.0\n",
        "\ttrack\tE\tF\n".lstrip("\t") + "a\tTrue\tfalse\nb\tFALSE\tFalse\n",
        "file, E ,F,\na, 1 ,0,\nb,0,0\n",
        '"file","E","F"\n"a","1","0"\n"b","0","0"\n',
    ],
)
def test_a_table_of_0_and_1_is_a_set_for_each_item(text: str) -> None:
    found = sheet(text)
    assert items(found) == {"a": "{E}", "b": "{}"}
    assert (found.broken, told(found.diagnostics)) == ({}, "")


def test_a_table_of_other_numbers_is_scores_in_the_order_of_columns() -> None:
    found = sheet("file,E,F,G\na,0.25,1,.5\nb,1,0,0\n")
    assert items(found) == {"a": "v<E=0.25 F=1 G=0.5>", "b": "v<E=1 F=0 G=0>"}
    assert told(found.diagnostics) == ""
    first, second = (found.items[item][0][1] for item in "ab")
    assert first.labels is second.labels


def test_an_empty_cell_among_0_and_1_was_not_judged() -> None:
    text = "file,E,F,G\na,1,0,\nb,,,\nc,0,1,1\n"
    found = sheet(text)
    assert items(found) == {"a": "{E !F ...}", "b": "{...}", "c": "{F G}"}
    assert told(found.diagnostics) == (
        "note KT614 5 of 9 pairs of item and instrument were judged; the rest is neither right nor wrong\n"
        "  help: --assume-absent takes what nobody judged for absent"
    )
    assert items(sheet(text, assume_absent=True)) == {"a": "{E !F}", "b": "{}", "c": "{F G}"}


def test_an_empty_cell_among_scores_leaves_its_instrument_out() -> None:
    found = sheet("file,E,F\na,0.25,\nb,NaN,0.5\n")
    assert items(found) == {"a": "v<E=0.25>", "b": "v<F=0.5>"}
    assert told(found.diagnostics) == (
        "note 2:8+1 KT612 cell without a score: its instrument has none in this item (2 such cells)"
        " (2 in all)\n"
        "note 3:3+3 KT612 score is not a number, and counts as none"
    )


def test_annotators() -> None:
    found = sheet("file,annotator,E,F\na,x,1,0\na,y,0,1\nb,,1,1\n")
    assert [(who, shown(each)) for who, each in found.items["a"]] == [("x", "{E}"), ("y", "{F}")]
    assert [(who, shown(each)) for who, each in found.items["b"]] == [(None, "{E F}")]


def test_decimal_commas_between_semicolons() -> None:
    assert items(sheet("file;E;F\na;0,25;0,5\n")) == {"a": "v<E=0.25 F=0.5>"}
    found = sheet('file,E,F\na,"0,25",0.5\nb,0.5,0.5\n')
    assert items(found) == {"b": "v<E=0.5 F=0.5>"}
    assert told(found.diagnostics) == (
        "error 2:4+4 KT609 score is no finite number: `0,25`\n  help: write it with a decimal point"
    )


def test_text_in_a_cell_breaks_its_item() -> None:
    found = sheet("file,E,F\na,1,yes\nb,0,1\nc,high,low\n")
    assert items(found) == {"b": "{F}"}
    assert told(found.diagnostics) == (
        "error 2:5+3 KT609 score is no finite number: `yes`\n  help: a score looks like 0.75\n"
        "error 4:3+4 KT609 score is no finite number: `high`\n  help: a score looks like 0.75\n"
        "error 4:8+3 KT609 score is no finite number: `low`\n  help: a score looks like 0.75"
    )
    assert found.broken == {
        "a": "KT609 score is no finite number: `yes`",
        "c": "KT609 score is no finite number: `high`",
    }


def test_ragged_rows_break_their_items() -> None:
    found = sheet("file,E,F\na,1\nb,0,1\nc,1,1,1\n,1,1\n")
    assert items(found) == {"b": "{F}"}
    assert told(found.diagnostics) == (
        "error 2:1+3 KT161 row has 2 columns, the header 3\n"
        "  help: a cell that is empty still needs its separator\n"
        "error 4:7+1 KT161 row has 4 columns, the header 3\n"
        "  help: a cell with a separator in it stands between double quotes\n"
        "error 5:1+1 KT621 row names no item"
    )
    assert found.broken == {
        "a": "KT161 row has 2 columns, the header 3",
        "c": "KT161 row has 4 columns, the header 3",
    }


def test_an_item_that_stands_twice() -> None:
    found = sheet("file,E,F\na,1,0\nb,0,1\na,1,0\nb,1,0\nc,x,1\nc,x,1\nd,1,1\nd.wav,1,1\n")
    assert items(found) == {"a": "{E}", "d": "{E F}"}
    assert told([said for said in found.diagnostics if said.code == "KT618"]) == (  # type: ignore[arg-type]
        "warning 4:1+1 KT618 row dropped: item stands twice, and the rows are alike: `a`\n"
        "  help: it stands first in line 2: take one of the two out\n"
        "error 5:1+1 KT618 item stands twice, with different instruments: `b`\n"
        "  help: it stands first in line 3: take one of the two out\n"
        "warning 7:1+1 KT618 row dropped: item stands twice, and the rows are alike: `c`\n"
        "  help: it stands first in line 6: take one of the two out\n"
        "warning 9:1+5 KT618 row dropped: item stands twice, and the rows are alike: `d`\n"
        "  help: it stands first in line 8: take one of the two out"
    )
    assert set(found.broken) == {"b", "c"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "file\na\nb\n",
            (
                "error 1:1+4 KT616 no column is an instrument\n"
                "  help: the first column names the item; give the others the names of instruments"
            ),
        ),
        (
            "E,F\n1,0\n0,1\n1,1\n",
            (
                "error 1:1+3 KT616 no column names the items\n"
                "  help: put a column such as `file` before the instruments"
            ),
        ),
        (
            "a.wav,piano\nb.wav,violin\n",
            (
                "error 1:1+11 KT616 the first row is no header, or no column is `instrument`\n"
                "  help: name the columns of a table of item and instrument `file,instrument`"
            ),
        ),
        ("file,E,,F\na,1,1,1\n", "error 1:8+1 KT616 column has no name"),
        ("file,E,F,E\na,1,1,1\n", "error 1:10+1 KT617 columns 2 and 4 are both `E`"),
    ],
)
def test_headers_that_cannot_be_used(text: str, expected: str) -> None:
    assert told(read(text, ".csv").diagnostics) == expected


def test_items_may_be_called_0_and_1() -> None:
    assert items(sheet("E,F\n0,0\n1,1\n")) == {"0": "{}", "1": "{F}"}
    assert items(sheet("id,F\n0,0\n1,1\n")) == {"0": "{}", "1": "{F}"}


def test_unknown_columns_are_said_once_and_break_the_items_that_have_them() -> None:
    found = sheet("file,E,Z\na,1,0\nb,0,1\nc,1,1\n", taxonomy=SAMPLE)
    assert items(found) == {"a": "{E}"}
    assert [(said.code, said.line, said.column, said.count) for said in found.diagnostics] == [
        ("KT600", 3, 5, 2)
    ]


def test_numbers_of_columns_without_any_value_are_not_spoken_of() -> None:
    assert "KT608" in told(sheet("file,flute,3\na,0.5,0.25\n", taxonomy="general-midi").diagnostics)
    assert "KT608" not in told(sheet("file,flute,3\na,0.5,\n", taxonomy="general-midi").diagnostics)
