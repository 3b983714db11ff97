# SPDX-License-Identifier: MIT
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kammerton as kt
from kammerton.errors import DataError, OptionError
from kammerton.formats import Limits
from kammerton.formats.splits import read_splits

NAMES = "`item`, `record_time`, `recording`, `file`, `track`, `id`, `name`"
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
        ({}, ["KT213 no items"]),
        ([], ["KT213 no items"]),
        (4, ["1:1: KT213 no list and no object of recordings"]),
        ({"a": {"x": 1}}, ["1:7: KT213 recording has no `split`"]),
        ({"a": {"split": ""}}, ["1:7: KT213 recording has no `split`"]),
        ({"a": 4, "b": "test"}, ["1:7: KT213 recording has no `split`"]),
        (
            [{"split": "test"}],
            [f"1:2: KT213 recording has no name, none of {NAMES}"],
        ),
        (
            [{"split": "test", "id": []}],
            [f"1:2: KT213 recording has no name, none of {NAMES}"],
        ),
        ({"test": ["a", []]}, ["1:16: KT213 not the name of an item"]),
        ({"test": ["a"], "train": ["a"]}, ["1:27: KT213 item `a` is in two splits: `test`, `train`"]),
        ("{", ["1:2: KT141 JSON ends too early"]),
    ],
)
def test_metadata_that_tell_no_splits(tmp_path: Path, content: object, expected: list[str]) -> None:
    assert fault(tmp_path, content) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["KT213 no items"]),
        ("item,split\n", ["KT213 no items"]),
        (
            "a,train\nb\nc,\n",
            ["2:1: KT213 row has 1 column instead of 2", "3:3: KT213 row has no split"],
        ),
        ('a,train\n"b,test\n', ['2:1: KT160 quote is not closed: `"b,test`']),
        ("a,train\na,test\n", ["2:1: KT213 item `a` is in two splits: `train`, `test`"]),
        ("a\n", ["1:1: KT213 row has no split, and the name of the file does not tell one"]),
    ],
)
def test_tables_that_tell_no_splits(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert fault(tmp_path, text, "a.csv") == expected


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("split01_train.csv", "train"),  # as OpenMIC-2018 has them
        ("split01_test.csv", "test"),
        ("Testing-tracks.txt", "test"),
        ("val.tsv", "validation"),
    ],
)
@pytest.mark.parametrize("head", ["", "id\n", "# keys\n"])
def test_a_list_of_items_is_called_like_its_split(tmp_path: Path, name: str, split: str, head: str) -> None:
    text = f"{head}000046_3840\n\n  000135_483840 \nAC DC\n"
    assert read_splits(written(tmp_path, text, name)) == dict.fromkeys(
        ("000046_3840", "000135_483840", "AC DC"), split
    )


def test_what_is_no_list_of_one_split(tmp_path: Path) -> None:
    assert read_splits(written(tmp_path, "a train\nb test\n", "test.txt")) == {"a": "train", "b": "test"}
    assert read_splits(written(tmp_path, "a,b\n", "test.txt")) == {"a": "b"}
    message = "1:1: KT213 row has no split, and the name of the file does not tell one"
    for name in ("splits.csv", "train-and-test.csv", "latest.csv"):
        assert fault(tmp_path, "a\nb\n", name) == [message]
    assert fault(tmp_path, "a\nb\n", "test.csv", limits=Limits(rows=1))[0][:5] == "KT106"


def test_lists_of_openmic() -> None:
    root = os.environ.get("KAMMERTON_SHARED")
    if root is None:
        pytest.skip("KAMMERTON_SHARED names no folder with the lists")
    folder = Path(root) / "data" / "instruments" / "openmic2018"
    for split in ("train", "test"):
        keys = (folder / f"split01_{split}.csv").read_text().split()
        assert read_splits(folder / f"split01_{split}.csv") == dict.fromkeys(keys, split)


def test_a_list_of_one_split_is_scored(tmp_path: Path) -> None:
    lists = {"a": ["piano"], "b": ["voice"]}
    path = written(tmp_path, "b\n", "split01_test.csv")
    said = {"system": {"a": ["piano"], "b": list[str]()}}
    found = kt.score("instruments", lists, said, splits=path, split="test", ci=None)
    assert found.value("open-mic-task1/R") == 0.0


def test_a_table_is_read_within_its_budget(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,train\nb,test\nc,test\n")
    with pytest.raises(DataError) as error:
        read_splits(path, limits=Limits(rows=2))
    assert [found.code for found in error.value.diagnostics] == ["KT106"]


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


# scoring a split


SONG = ([(0, 2)], ["C"])
WRONG = ([(0, 2)], ["G"])
SPLITS = {"a": "train", "b": "valid", "c": "test", "d": "test"}
REFS = dict.fromkeys(SPLITS, SONG)
ESTS = {"a": SONG, "b": SONG, "c": SONG, "d": WRONG}


def score(refs: Any = REFS, ests: Any = ESTS, **options: Any) -> kt.Scores:
    return kt.score("chords", refs, {"mine": ests}, measures=["mirex2013/MajMin"], **options)


def said(scores: kt.Scores) -> list[str]:
    return [f"{each.code} {each.message}" for each in scores.diagnostics if each.code != "KT208"]


def test_a_split_is_scored_alone_and_named_in_the_signature() -> None:
    scores = score(split="test", splits=SPLITS)
    assert scores.value("MajMin") == 0.5  # c right, d wrong
    assert scores.counts["mine"]["total"] == 2
    assert said(scores) == []  # the other estimates are not superfluous
    assert "|missing:worst|split:test|items:2|" in scores.summary["signature"][0]
    assert score(split="validation", splits=SPLITS).value("MajMin") == 1
    assert score(split="val", splits=SPLITS).summary["signature"][0].count("|split:validation|") == 1


def test_training_items_in_a_figure_are_named() -> None:
    scores = score(splits=SPLITS)
    assert scores.value("MajMin") == 0.75
    assert said(scores) == ["KT215 the figures include the training split: 1 of 4 items (`a`)"]
    assert "split:" not in scores.summary["signature"][0]
    many = {f"{number:03}": "Training" for number in range(8)} | {"c": "test"}
    scores = score(dict.fromkeys(many, SONG), dict.fromkeys(many, SONG), splits=many)
    assert said(scores) == [
        "KT215 the figures include the training split: 8 of 9 items (`000`, `001`, `002` and 5 more)"
    ]
    assert scores.diagnostics[0].count == 8
    assert said(score(split="train", splits=SPLITS)) == []  # it was asked for
    assert said(score(splits={"a": "fold 1", "b": "fold 1", "c": "fold 2", "d": "fold 2"})) == []


def test_items_that_the_list_does_not_know_are_named() -> None:
    part = {"a": "train", "c": "test"}
    assert said(score(splits=part)) == [
        "KT214 2 of 4 items are in no split, scored all the same (`b`, `d`)",
        "KT215 the figures include the training split: 1 of 4 items (`a`)",
    ]
    scores = score(split="test", splits=part)
    assert said(scores) == ["KT214 2 of 4 items are in no split, not scored (`b`, `d`)"]
    assert scores.value("MajMin") == 1


def test_items_that_the_references_lack_are_named() -> None:
    scores = score({"c": SONG}, {"c": SONG}, split="test", splits=SPLITS)
    assert said(scores) == ["KT216 1 of 2 items of the split `test` has no reference (`d`)"]
    with pytest.raises(DataError, match="KT216 1 of 1 item of the split `fold 2`"):
        score(split="fold 2", splits={**SPLITS, "z": "fold 2"})


def test_strict_ends_the_run() -> None:
    with pytest.raises(DataError, match="KT215"):
        score(splits=SPLITS, strict=True)


def test_estimates_of_the_split_without_reference_are_still_named() -> None:
    scores = score({"c": SONG}, ESTS, split="test", splits=SPLITS)
    assert said(scores)[1] == "KT204 no reference for 1 of 2 items (`d`); not scored"


def test_names_without_folders_stand_for_items_in_folders() -> None:
    refs = {"x/a": SONG, "y/c": SONG, "y/d": SONG}
    splits = {"a": "train", "c": "test", "y/d": "validation", "d": "test"}
    scores = score(refs, refs, split="test", splits=splits)
    assert scores.counts["mine"]["total"] == 1  # y/d by its full name
    assert said(scores) == ["KT216 1 of 2 items of the split `test` has no reference (`d`)"]


def test_accents_may_be_composed_or_not() -> None:
    refs = {"Frère": SONG}
    assert said(score(refs, refs, split="test", splits={"Fre\u0300re": "test"})) == []


def test_a_single_file_is_an_item_too(tmp_path: Path) -> None:
    for name in ("a.lab", "b.lab"):
        (tmp_path / name).write_text("0 2 C\n")
    files = tmp_path / "a.lab", tmp_path / "b.lab"
    assert said(score(*files, split="test", splits={"a": "test"})) == []
    with pytest.raises(DataError, match="KT200"):
        score(*files, split="test", splits={"a": "train", "c": "test"})


def test_lists_are_read_from_files(tmp_path: Path) -> None:
    path = written(tmp_path, "item,split\na,train\nb,val\nc,test\nd,test\n", "splits.csv")
    assert score(split="test", splits=path).value("MajMin") == 0.5


def test_a_split_must_be_one_of_the_list() -> None:
    with pytest.raises(OptionError, match=r"unknown split `tset`\n  help: did you mean `test`\?"):
        score(split="tset", splits=SPLITS)
    with pytest.raises(OptionError, match="which items are in a split"):
        score(split="test")
