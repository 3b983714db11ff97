# SPDX-License-Identifier: MIT
"""What a hostile caller tried: nothing is lost in silence, and one bad file is no more than that."""

import copy
import os
import pickle
import socket
from pathlib import Path
from typing import Any, cast

import pytest

import kammerton
from kammerton.chords.annotation import ChordOptions, read_chords
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


def test_a_link_out_of_the_folder_is_an_item_as_others_are(corpus: Path) -> None:
    outside = corpus / "blobs" / "3f9a"
    outside.parent.mkdir()
    outside.write_text("0 2 C\n")
    for side in ("r", "e"):
        Path(side, "z.lab").symlink_to(outside)
        Path(side, "album").symlink_to(f"../{side}-album")
        Path(f"{side}-album").mkdir()
        Path(f"{side}-album/b.lab").write_text("0 2 C\n")
    scores = kammerton.score("chords", "r", "e")
    assert scores.counts == {"e": {"total": 3, "ok": 3, "missing": 0, "failed": 0}}
    assert set(scores.items["item"]) == {"a", "album/b", "z"}


def test_links_to_devices_pipes_sockets_and_nothing_are_items_that_failed(corpus: Path) -> None:
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        targets = {"device": "/dev/zero", "nothing": "nowhere", "pipe": "../pipe", "socket": "../socket"}
        for name, target in targets.items():
            Path(f"r/{name}.lab").symlink_to(target)
        scores = kammerton.score("chords", "r", "e")
    assert scores.counts == {"e": {"total": 5, "ok": 1, "missing": 0, "failed": 4}}
    said = {found.item: found.message for found in scores.diagnostics if found.code == "KT102"}
    assert said == {
        "device": "not a regular file: a device",
        "nothing": "not a regular file: a link that leads nowhere (no such file or directory)",
        "pipe": "not a regular file: a named pipe",
        "socket": "not a regular file: a socket",
    }
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
    ("text", "code"),
    [
        ('item,reference,S\na,r/a.lab,"e/a.lab\nb,r/a.lab,e/a.lab\n', "11: KT160"),
        (f"item,reference,S\na,r/a.lab,{'e' * 200_000}\n", " KT106"),
    ],
)
def test_a_list_that_is_not_csv_is_refused(corpus: Path, text: str, code: str) -> None:
    Path("l.csv").write_text(text)
    with pytest.raises(kammerton.DataError, match=rf"l\.csv:2:{code}"):
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
        kammerton.score(cast("Any", "chards"), {}, {})
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
