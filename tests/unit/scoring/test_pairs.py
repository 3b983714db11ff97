# SPDX-License-Identifier: MIT
"""The list of pairs: a CSV file in place of references and estimates."""

from functools import partial
from pathlib import Path

import pytest

import kammerton as kt
from kammerton.errors import DataError, Diagnostic, OptionError
from kammerton.formats import Limits
from kammerton.formats.pairs import read_pairs

MAJMIN = "mirex2013/MajMin"
HEADER = "item,annotator,reference,good,bad"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two songs, two annotators of the first one, two systems; song 2 has no estimate of ``bad``."""
    for name, text in {
        "refs/1.lab": "0 10 C\n",
        "other/one.lab": "0 4 C\n4 10 G\n",
        "refs/2.lab": "0 5 A:min\n",
        "good/first.lab": "0 10 C\n",
        "good/2.lab": "0 5 A:min\n",
        "bad/1.lab": "0 10 G\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def write(folder: Path, *lines: str) -> Path:
    path = folder / "pairs.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def problems(path: Path) -> list[tuple[int | None, str]]:
    with pytest.raises(DataError) as caught:
        read_pairs(path)
    assert {found.code for found in caught.value.diagnostics} == {"KT211"}
    assert {found.file for found in caught.value.diagnostics} == {str(path)}
    return [(found.line, found.message) for found in caught.value.diagnostics]


def hint(path: Path) -> str | None:
    with pytest.raises(DataError) as caught:
        read_pairs(path)
    found: Diagnostic = caught.value.diagnostics[0]
    return found.hint


# --- lists that can be used ----------------------------------------------------------------


def test_a_list_scores_systems_and_annotators(folder: Path) -> None:
    pairs = write(
        folder,
        HEADER,
        "1,A,refs/1.lab,good/first.lab,bad/1.lab",
        "1,B,other/one.lab,good/first.lab,bad/1.lab",
        "2,A,refs/2.lab,good/2.lab,",
    )
    scores = kt.score("chords", pairs=pairs)
    assert scores.systems == ("good", "bad")
    assert scores.annotators == ("A", "B", "all")
    values = {
        (system, who): scores.value(MAJMIN, system=system, annotator=who)
        for system in scores.systems
        for who in scores.annotators
    }
    assert values == {
        ("good", "A"): 1.0,
        ("good", "B"): pytest.approx(4 / 10),
        ("good", "all"): pytest.approx(19 / 25),
        ("bad", "A"): 0.0,
        ("bad", "B"): pytest.approx(6 / 10),
        ("bad", "all"): pytest.approx(6 / 25),
    }
    assert scores.counts["bad"] == {"total": 2, "ok": 1, "missing": 1, "failed": 0}


def test_the_annotator_may_be_left_out(folder: Path) -> None:
    pairs = write(folder, "item,reference,good", "1,refs/1.lab,good/first.lab")
    scores = kt.score("chords", pairs=pairs)
    assert (scores.annotators, scores.value(MAJMIN)) == (("reference",), 1.0)


def test_an_empty_annotator_is_called_reference(folder: Path) -> None:
    pairs = write(folder, HEADER, "1,,refs/1.lab,good/first.lab,bad/1.lab")
    assert kt.score("chords", pairs=pairs).annotators == ("reference",)


def test_columns_may_stand_in_any_order(folder: Path) -> None:
    pairs = write(folder, "good,reference,bad,item", "good/2.lab,refs/2.lab,,2")
    scores = kt.score("chords", pairs=pairs)
    assert scores.systems == ("good", "bad")
    assert scores.value(MAJMIN, system="good") == 1.0


def test_an_estimate_is_of_an_item_whoever_annotated_it(folder: Path) -> None:
    pairs = write(folder, HEADER, "1,A,refs/1.lab,good/first.lab,", "1,B,other/one.lab,,bad/1.lab")
    scores = kt.score("chords", pairs=pairs)
    # `good` has C: right for 10 of 10 s by A, 4 of 10 s by B; `bad` has G: 0 of 10 s, 6 of 10 s
    values = {
        name: [scores.value(MAJMIN, system=name, annotator=who) for who in "AB"] for name in ("good", "bad")
    }
    assert values == {"good": [1.0, pytest.approx(0.4)], "bad": [0.0, pytest.approx(0.6)]}


def test_paths_may_be_absolute(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = write(
        tmp_path_factory.mktemp("lists"),
        "item,reference,good",
        f"1,{folder / 'refs/1.lab'},{folder / 'good/first.lab'}",
    )
    assert kt.score("chords", pairs=elsewhere).value(MAJMIN) == 1.0


def test_blanks_around_cells_blank_lines_and_a_byte_order_mark_do_no_harm(folder: Path) -> None:
    path = folder / "pairs.csv"
    path.write_bytes("\ufeffitem , reference,good\r\n\r\n 1, refs/1.lab ,good/first.lab\r\n,,\r\n".encode())
    assert kt.score("chords", pairs=path).value(MAJMIN) == 1.0


def test_a_cell_may_be_quoted(folder: Path) -> None:
    (folder / "refs" / "a, b.lab").write_text("0 10 C\n")
    pairs = write(folder, "item,reference,good", '"a, b","refs/a, b.lab",good/first.lab')
    assert set(kt.score("chords", pairs=pairs).items["item"]) == {"a, b"}


def test_a_file_that_is_not_there_fails_alone(folder: Path) -> None:
    pairs = write(folder, "item,reference,good", "1,refs/1.lab,good/1.lab", "2,refs/2.lab,good/2.lab")
    scores = kt.score("chords", pairs=pairs)
    assert scores.counts["good"] == {"total": 2, "ok": 1, "missing": 0, "failed": 1}
    assert scores.value(MAJMIN) == pytest.approx(5 / 15)


def test_a_list_and_folders_have_the_same_signature(folder: Path) -> None:
    pairs = write(folder, "item,reference,good", "1,refs/1.lab,good/first.lab", "2,refs/2.lab,good/2.lab")
    listed = kt.score("chords", pairs=pairs, measures=[MAJMIN])
    found = kt.score("chords", folder / "refs", {"good": folder / "good"}, measures=[MAJMIN])
    assert set(listed.summary["signature"]) == set(found.summary["signature"])


# --- lists that cannot ---------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "\n\n", ",,\n"])
def test_an_empty_list_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(text)
    assert problems(path) == [(1, "the list of pairs is empty")]


def test_a_list_without_rows_is_an_error(tmp_path: Path) -> None:
    assert problems(write(tmp_path, HEADER)) == [(1, "the list of pairs has no rows")]


def test_columns_that_are_missing_are_all_named(tmp_path: Path) -> None:
    path = write(tmp_path, "annotator,good", "A,x.lab")
    assert problems(path) == [(1, "column `item` is missing"), (1, "column `reference` is missing")]
    assert hint(path) == "columns: item,annotator,reference,SYSTEM,..."


def test_a_column_of_a_like_name_is_pointed_at(tmp_path: Path) -> None:
    path = write(tmp_path, "item,referense,good", "1,a.lab,b.lab")
    assert problems(path) == [(1, "column `reference` is missing")]
    assert hint(path) == "did you mean `referense`?"


def test_a_column_that_stands_twice_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, "item,reference,good,good", "1,a.lab,b.lab,c.lab")
    assert problems(path) == [(1, "column `good` stands twice")]


def test_a_list_without_a_system_is_an_error(tmp_path: Path) -> None:
    assert problems(write(tmp_path, "item,annotator,reference", "1,A,a.lab")) == [
        (1, "no column of a system")
    ]


def test_every_row_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        HEADER,
        "1,A,a.lab,b.lab",
        ",A,a.lab,b.lab,c.lab",
        "2,A,,b.lab,c.lab",
        "3,A,a.lab,b.lab,c.lab",
        "3,A,other.lab,b.lab,c.lab",
        "3,B,a.lab,else.lab,c.lab",
        "3,all,a.lab,b.lab,c.lab",
        "Caf\u00e9,A,a.lab,b.lab,c.lab",
        "Cafe\u0301,A,a.lab,b.lab,c.lab",
    )
    assert problems(path) == [
        (2, "row has 4 columns, the header 5"),
        (3, "item and reference must not be empty"),
        (4, "item and reference must not be empty"),
        (6, "item `3` stands twice for annotator `A`"),
        (7, "two estimates of `3` by `good`"),
        (8, "no annotator can be called `all`"),
        (10, "item `Caf\u00e9` stands twice for annotator `A`"),
    ]


def test_a_list_stands_in_place_of_everything_else(folder: Path) -> None:
    pairs = write(folder, "item,reference,good", "1,refs/1.lab,good/first.lab")
    with pytest.raises(OptionError, match="a list of pairs stands in place"):
        kt.score("chords", folder / "refs", pairs=pairs)
    with pytest.raises(OptionError, match="a list of pairs stands in place"):
        kt.score("chords", pairs=pairs, annotators={"A": folder / "refs"})


def test_a_list_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(kt.KammertonError):
        kt.score("chords", pairs=tmp_path / "nowhere.csv")


def test_a_list_over_its_budget_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kammerton.formats.pairs.Limits", partial(Limits, rows=1))
    path = write(tmp_path, HEADER, "1,A,a.lab,b.lab,c.lab", "2,A,a.lab,b.lab,c.lab")
    with pytest.raises(DataError) as caught:
        read_pairs(path)
    assert [found.code for found in caught.value.diagnostics] == ["KT106"]
