# SPDX-License-Identifier: MIT
"""What items belong to: tables and names."""

from pathlib import Path

import pytest

from kammerton.errors import DataError, OptionError
from kammerton.formats.lists import find_groups, group_items, read_groups

ITEMS = ["Help!/Yesterday", "Help!/Act Naturally", "Revolver/Taxman"]


def written(folder: Path, text: str, name: str = "songs.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_parentheses_are_the_group() -> None:
    assert list(group_items("^(.*)/", ITEMS).values()) == ["Help!", "Help!", "Revolver"]


def test_without_parentheses_all_that_is_found() -> None:
    assert list(group_items(r"^\w+", ITEMS).values()) == ["Help", "Help", "Revolver"]


def test_a_column_of_a_table(tmp_path: Path) -> None:
    path = written(
        tmp_path, "album;Item;genre\nA;Yesterday;pop\nB;Help!/Act Naturally;country\nC;Taxman;pop\n"
    )
    assert group_items(f"{path}:Genre", ITEMS) == dict(zip(ITEMS, ("pop", "country", "pop"), strict=True))
    assert group_items(f"{path}:album", ITEMS)["Revolver/Taxman"] == "C"


def test_names_are_composed(tmp_path: Path) -> None:
    path = written(tmp_path, "file,who\nCafe\u0301,a\n")
    assert group_items(f"{path}:who", ["Caf\u00e9"]) == {"Caf\u00e9": "a"}


def test_a_mapping() -> None:
    assert group_items({"x": "a", "y": "b"}, ["x"]) == {"x": "a"}


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("^(.*", "not a regular expression: `^(.*`"),
        ("^Help!", "1 of 3 items has no group: `Revolver/Taxman` does not match `^Help!`"),
    ],
)
def test_expressions_that_do_not_fit(choice: str, message: str) -> None:
    with pytest.raises(OptionError) as error:
        group_items(choice, ITEMS)
    assert error.value.message.startswith(message)


def test_items_that_the_table_lacks(tmp_path: Path) -> None:
    path = written(tmp_path, "item,album\nYesterday,A\n")
    with pytest.raises(OptionError, match="2 of 3 items have no group: `Help!/Act Naturally` has none in"):
        group_items(f"{path}:album", ITEMS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "KT217 no items in the column `album`"),
        (
            "item,genre\nx,pop\n",
            "1:1: KT217 no column `album` beside that of the items; columns: `item`, `genre`",
        ),
        (
            "song,album\nx,A\n",
            "1:1: KT217 no column `album` beside that of the items; columns: `song`, `album`",
        ),
        ("item,album\nx,A\nx,B\n", "3:1: KT217 item `x` is in two groups: `A`, `B`"),
        ("item,album\nx\ny,A\n", "2:1: KT217 row has 1 column, the header 2"),
        ("item,album\n", "KT217 no items in the column `album`"),
    ],
)
def test_tables_that_do_not_say(tmp_path: Path, text: str, expected: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(DataError) as error:
        read_groups(path, "album")
    assert str(error.value.diagnostics[0].concise()).removeprefix(f"{path}:").strip() == expected


def test_empty_cells_are_no_group(tmp_path: Path) -> None:
    path = written(tmp_path, "item,album\nYesterday,\nTaxman,Revolver\n")
    assert read_groups(path, "album") == {"Taxman": "Revolver"}
    found = find_groups(f"{path}:album", ITEMS)
    assert (found.by, found.of, found.lacking) == ("album", {ITEMS[2]: "Revolver"}, tuple(ITEMS[:2]))
    assert found.unknown == ()


def test_names_of_no_item_are_told_in_the_order_of_the_table() -> None:
    found = find_groups({"z": "1", "Taxman": "2", "y": "3", "Help!/Yesterday": "4"}, ITEMS)
    assert found.unknown == ("z", "y")
    assert found.lacking == (ITEMS[1],)


def test_equal_rows_are_no_contradiction(tmp_path: Path) -> None:
    assert read_groups(written(tmp_path, "item\talbum\nx\tA\nx\tA\n"), "album") == {"x": "A"}


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="KT101"):
        group_items(f"{tmp_path}/none.csv:album", ITEMS)
