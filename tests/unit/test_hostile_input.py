# SPDX-License-Identifier: MIT
"""What a hostile caller tried: nothing is lost in silence, and one bad file is no more than that."""

import copy
import pickle
from pathlib import Path

import pytest

import kammerton
from kammerton.chords.reading import ChordOptions, read_chords
from kammerton.cli import main


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for side in ("r", "e"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.lab").write_text("0 2 C\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_list_of_pairs_names_inputs_too(corpus: Path) -> None:
    Path("l.csv").write_text("item,reference,S\na,r/a.lab,e/a.lab\n")
    assert main(["score", "chords", "--pairs", "l.csv", "--output", "r/a.lab"]) == 2
    assert Path("r/a.lab").read_text() == "0 2 C\n"
    Path("x.out").symlink_to("r/a.lab")
    assert main(["score", "chords", "r", "e", "--output", "x.out"]) == 2
    assert corpus.joinpath("r/a.lab").read_text() == "0 2 C\n"


def test_two_outputs_are_two_files(corpus: Path) -> None:
    options = ["--format", "csv", "--output", "o.csv", "--per-item", "./o.csv"]
    assert main(["score", "chords", "r", "e", *options]) == 2
    assert not corpus.joinpath("o.csv").exists()


def test_a_link_out_of_the_folder_is_an_item_that_failed(corpus: Path) -> None:
    outside = corpus / "outside.lab"
    outside.write_text("0 2 C\n")
    Path("r/z.lab").symlink_to(outside)
    scores = kammerton.score("chords", "r", "e")
    assert scores.counts == {"e": {"total": 2, "ok": 1, "missing": 0, "failed": 1}}
    assert main(["score", "chords", "r", "e"]) == 1


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("s.csv", "start,end,label\n0,1,C\n1,,G\n", "KT120"),
        ("s.csv", "start,end,label\n0,1,C\n,2,G\n", "KT120"),
        ("s.csv", 'x,y,start,end,label\n\t"a,b",0,1,Zzz\n', None),
        ("s.lab", '1","Q"\n', None),
        ("s.lab", "0 1e308 C\n", "KT122"),
    ],
)
def test_bad_files_are_said_to_be_bad(tmp_path: Path, name: str, text: str, code: str | None) -> None:
    song = tmp_path / name
    song.write_text(text)
    reading = read_chords(song, name, ChordOptions())
    assert reading.annotations == ()
    assert code in (None, *(said.code for said in reading.diagnostics))


@pytest.mark.parametrize(
    "text",
    [
        'item,reference,S\na,r/a.lab,"e/a.lab\nb,r/a.lab,e/a.lab\n',
        f"item,reference,S\na,r/a.lab,{'e' * 200_000}\n",
    ],
)
def test_a_list_that_is_not_csv_is_refused(corpus: Path, text: str) -> None:
    Path("l.csv").write_text(text)
    with pytest.raises(kammerton.DataError, match=r"l\.csv:2: KT211"):
        kammerton.score("chords", pairs=corpus / "l.csv")


@pytest.mark.parametrize(
    "text", ["item,reference,S,\na,r/a.lab,e/a.lab,\n", "item;reference;S\na;r/a.lab;e/a.lab\n"]
)
def test_lists_as_spreadsheets_write_them(corpus: Path, text: str) -> None:
    Path("l.csv").write_text(text)
    assert kammerton.score("chords", pairs=corpus / "l.csv").systems == ("S",)


def test_exceptions_can_be_copied_and_sent() -> None:
    with pytest.raises(kammerton.LabelError) as label:
        kammerton.chords.parse("Cm")
    with pytest.raises(kammerton.OptionError) as option:
        kammerton.score("chards", {}, {})
    for error in (label.value, option.value, kammerton.DataError(label.value.diagnostics)):
        for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
            assert type(again) is type(error)
            assert str(again) == str(error)


@pytest.mark.parametrize(
    ("count", "lines"),
    [
        (10, [*(f"KT111 {number}" for number in range(10))]),
        (11, [*(f"KT111 {number}" for number in range(11))]),
        (13, [*(f"KT111 {number}" for number in range(10)), "and 2 more, in `diagnostics`", "KT111 12"]),
    ],
)
def test_exceptions_tell_the_first_problems_and_the_last(count: int, lines: list[str]) -> None:
    problems = [
        kammerton.Diagnostic(code="KT111", severity="error", message=str(number)) for number in range(count)
    ]
    error = kammerton.DataError(problems)
    assert str(error).splitlines() == lines
    assert len(pickle.loads(pickle.dumps(error)).diagnostics) == count


def test_names_too_long_for_the_system_are_no_crash(corpus: Path) -> None:
    assert main(["score", "chords", "r", "n" * 300]) == 2
    assert main(["score", "chords", "r", "e", "--output", "o" * 300]) in (2, 5)
    assert sorted(path.name for path in corpus.iterdir()) == ["e", "r"]
