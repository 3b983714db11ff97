# SPDX-License-Identifier: MIT
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kammerton.errors import DataError
from kammerton.fingering.formats import read_splits
from kammerton.formats import Limits

EXPECTED = {"2024-02-14_19-10-09": "train", "2024-02-15_20-07-54": "validation", "2024-09-04": "test"}


def written(tmp_path: Path, content: object, name: str = "splits.json") -> Path:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def fault(tmp_path: Path, content: object, name: str = "splits.json", **options: Any) -> list[str]:
    with pytest.raises(DataError) as caught:
        read_splits(written(tmp_path, content, name), **options)
    return [
        f"{d.line}:{d.column}: {d.code} {d.message}" if d.line else f"{d.code} {d.message}"
        for d in caught.value.diagnostics
    ]


def records(key: str) -> list[dict[str, str]]:
    return [{key: item, "split": split, "composer": "Grieg"} for item, split in EXPECTED.items()]


@pytest.mark.parametrize(
    "content",
    [
        # as PianoVAM has it
        {str(number): record for number, record in enumerate(records("record_time"))},
        *(records(key) for key in ("item", "record_time", "recording", "id", "name")),
        {item: {"split": split} for item, split in EXPECTED.items()},
        {item: {"split": split.upper()} for item, split in EXPECTED.items()},
        EXPECTED,
        {split: [item] for item, split in EXPECTED.items()},
    ],
)
def test_metadata_in_json(tmp_path: Path, content: object) -> None:
    assert read_splits(written(tmp_path, content)) == EXPECTED
    assert read_splits(written(tmp_path, content, "splits.txt")) == EXPECTED


@pytest.mark.parametrize(
    "head", ["", "item,split\n", "# by hand\n\nItem,Split\n", "record_time,split\n", "id, split\n"]
)
def test_tables(tmp_path: Path, head: str) -> None:
    text = head + "".join(f"{item},{split}\n" for item, split in EXPECTED.items())
    assert read_splits(written(tmp_path, text, "a.csv")) == EXPECTED
    assert read_splits(written(tmp_path, text.replace(",", "\t"), "a.tsv")) == EXPECTED


def test_columns_of_a_table_stand_in_any_order(tmp_path: Path) -> None:
    text = "split,composer,id\ntrain,Grieg,1\ntest,Bach,2\ntrain,Bach,1\n"
    assert read_splits(written(tmp_path, text, "a.csv")) == {"1": "train", "2": "test"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Training", "train"),
        ("val", "validation"),
        ("valid", "validation"),
        ("dev", "validation"),
        ("fold 3", "fold 3"),
    ],
)
def test_splits_have_one_name_each(tmp_path: Path, name: str, expected: str) -> None:
    assert read_splits(written(tmp_path, {"a": name})) == {"a": expected}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({}, ["KT349 no items"]),
        ([], ["KT349 no items"]),
        (4, ["1:1: KT349 no list and no object of recordings"]),
        ({"a": {"x": 1}}, ["1:7: KT349 recording has no `split`"]),
        ({"a": {"split": ""}}, ["1:7: KT349 recording has no `split`"]),
        ({"a": 4, "b": "test"}, ["1:7: KT349 recording has no `split`"]),
        (
            [{"split": "test"}],
            ["1:2: KT349 recording has no name, none of `item`, `record_time`, `recording`, `id`, `name`"],
        ),
        (
            [{"split": "test", "id": []}],
            ["1:2: KT349 recording has no name, none of `item`, `record_time`, `recording`, `id`, `name`"],
        ),
        ({"test": ["a", []]}, ["1:16: KT349 not the name of an item"]),
        ({"test": ["a"], "train": ["a"]}, ["1:27: KT349 item `a` is in two splits: `test`, `train`"]),
        ("{", ["1:2: KT141 JSON ends too early"]),
    ],
)
def test_metadata_that_tell_no_splits(tmp_path: Path, content: object, expected: list[str]) -> None:
    assert fault(tmp_path, content) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["KT349 no items"]),
        ("item,split\n", ["KT349 no items"]),
        (
            "a,train\nb\nc,\n",
            ["2:1: KT349 row has no item and split", "3:1: KT349 row has no item and split"],
        ),
        ('a,train\n"b,test\n', ["2:1: KT349 row has no item and split"]),
        ("a,train\na,test\n", ["2:1: KT349 item `a` is in two splits: `train`, `test`"]),
        ("a\n", ["1:1: KT349 row has no item and split"]),
    ],
)
def test_tables_that_tell_no_splits(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert fault(tmp_path, text, "a.csv") == expected


def test_a_file_is_read_within_its_budget(tmp_path: Path) -> None:
    assert fault(tmp_path, "a,train\n", "a.csv", limits=Limits(bytes=3))[0][:5] == "KT106"
    with pytest.raises(DataError, match="KT101"):
        read_splits(tmp_path / "none.csv")


@given(
    text=st.one_of(st.text(), st.text('[]{}",:\n\tabsplit1', max_size=40)),
    suffix=st.sampled_from((".json", ".csv")),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_tells_splits_or_is_refused(tmp_path: Path, text: str, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_text(text, errors="replace")
    try:
        assert read_splits(path)
    except DataError as error:
        assert error.diagnostics  # noqa: PT017 - either outcome will do
