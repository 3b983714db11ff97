# SPDX-License-Identifier: MIT
"""Chords of sheets: 25 sheets of our own, read by hand; kinds of lines; what cannot be read."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kammerton as kt
from kammerton.chords.labels import parse
from kammerton.errors import DataError
from kammerton.systems.chord_sheets import Sheet, parse_sheet, read_sheet
from kammerton.systems.tablature import read_tuning, tab_chords

SHEETS = Path(__file__).parent / "sheets"


def expected() -> Iterator[tuple[str, list[str]]]:
    for line in (SHEETS / "expected.list").read_text().splitlines()[1:]:
        name, _, chords = line.partition(": ")
        played: list[str] = []
        for part in chords.split(" | "):
            once, _, times = part.partition(" x ")
            played += once.split() * int(times or 1)
        yield name, played


def sheet(name: str) -> Sheet:
    return read_sheet(next(SHEETS.glob(f"{name}.*")))


def labels(text: str) -> str:
    return " ".join(chord.label for chord in parse_sheet(text).chords)


@pytest.mark.parametrize(("name", "chords"), tuple(expected()))
def test_chords_in_the_order_in_which_they_are_played(name: str, chords: list[str]) -> None:
    assert [chord.label for chord in sheet(name).chords] == chords


def test_every_sheet_has_its_chords_written_down() -> None:
    assert sorted(name for name, _ in expected()) == sorted(
        path.stem for path in SHEETS.iterdir() if path.stem != "expected"
    )


def test_what_cannot_be_read_is_reported_at_its_place() -> None:
    problems = [
        problem.concise().partition("14_unreadable.txt:")[2] for problem in sheet("14_unreadable").diagnostics
    ]
    assert problems == [
        "1:5: KT830 `Cmj9` looks like a chord, and cannot be read",
        "1:12: KT830 `G7alt` looks like a chord, and cannot be read",
        "3:5: KT830 `Dm7sus99` looks like a chord, and cannot be read",
        "3:15: KT830 `G#sus/x` looks like a chord, and cannot be read",
    ]
    (problem,) = sheet("25_bass_tab").diagnostics
    assert (problem.code, problem.severity, problem.line, problem.column) == ("KT832", "note", 1, 1)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("  ", "empty"),
        ("{soc}", "directive"),
        ("# remark", "comment"),
        ("e|---0---2h4p2---0----| x2", "tablature"),
        ("----------------------", "tablature"),
        ("Am x02210   C x32010", "definition"),
        ("Tuning: D A D G B E", "tuning"),
        ("2nd fret capo", "capo"),
        ("capo: none", "capo"),
        ("[Verse 12]", "heading"),
        ("Chorus: sing along with me", "heading"),
        ("Am | G/B | N.C. | % |", "chords"),
        ("Intro  G D Em", "chords"),
        ("a  e7  g", "lyrics"),  # no lower-case roots
        ("A", "chords"),
        ("A man", "lyrics"),
        ("A A and A", "lyrics"),  # articles
        ("G D Em C let ring", "chords"),  # four of six
        ("G D let ring", "lyrics"),  # two of four
        ("Sing [Am]to me", "inline"),
        ("Sing [softly] to me", "lyrics"),
        ("867530 is my number", "lyrics"),
        ("He played the capo up and down", "lyrics"),
    ],
)
def test_what_a_line_is(line: str, kind: str) -> None:
    assert parse_sheet(f"{line}\nC7").kinds == (kind, "chords")


def test_a_chord_knows_its_place_and_row() -> None:
    verse, again = parse_sheet("[Verse]\n  C   G/B x2\n[Chorus]\nF").chords[1::2]
    assert (verse.written, verse.line, verse.column, verse.section, verse.row) == ("G/B", 2, 7, "verse", 0)
    assert again.label == "G:maj/3"
    assert [chord.row for chord in parse_sheet("C\nG\n[Chorus]\nF\n[Solo]\n[Chorus]").chords] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("text", "chords"),
    [
        ("Capo II\nA", "B:maj"),
        ("capo on 4th fret\nA", "Db:maj"),
        ("No capo\nA", "A:maj"),
        ("Capo 2\nTuning: half step down\nA", "Bb:maj"),  # 2 - 1
        ("tuned a whole step down\nC", "Bb:maj"),
        ("{transpose: 12}\n[F#]", "F#:maj"),  # an octave changes nothing, nor the spelling
        ("{transpose}\n[C]", "C:maj"),
        ("N.C.  n.c.  NC", "N N N"),
        ("C C/G/E", "C:maj C:maj G:maj E:maj"),
        ("C x99", " ".join(["C:maj"] * 16)),
        ("Amadd9 Bmaj Cmaug", "A:min(9) B:maj X"),
        ("{sot}\nC G Am\n{eot}\nD", "D:maj"),  # within tablature nothing is a chord line
        ("{sov}\n[C]\n{eov}\n{sob}\n[F]\n{eob}", "C:maj F:maj"),
        ("[Solo]\nTune your heart\nC", "C:maj"),
    ],
)
def test_rules_of_sheets(text: str, chords: str) -> None:
    assert labels(text) == chords


@pytest.mark.parametrize("text", ["", "no chord at all", "[Verse]\nla la", "e|-0-2-3-5-7-|"])
def test_a_sheet_without_chords_cannot_be_used(text: str) -> None:
    with pytest.raises(DataError, match="KT831 there is no chord in the sheet"):
        parse_sheet(text, "song.txt")


@given(st.text("ABCDEFGHmx27#b/|:[](){}-\n Ncapo.sudge", max_size=200))
def test_any_text_is_a_sheet_or_has_no_chords(text: str) -> None:
    lines = text.splitlines()
    try:
        read = parse_sheet(text)
    except DataError:
        return
    assert len(read.kinds) == len(lines)
    for chord in read.chords:
        written = lines[chord.line - 1][chord.column - 1 :]
        assert written.startswith(chord.written) or read.kinds[chord.line - 1] == "tablature"
        assert str(parse(chord.label)) == chord.label


@pytest.mark.parametrize(
    "line", ["x02210 " * 200 + "!", "C" + "-2" * 900, "capo " * 180, "verse " * 160, "[" * 900, "C " * 9000]
)
def test_a_line_is_read_in_time_that_grows_with_it(line: str) -> None:
    # where parts of a pattern fit in several ways, such lines take longer than the universe
    assert parse_sheet(f"{line}\nC7").kinds[-1] == "chords"


@pytest.mark.parametrize(
    ("text", "lowest", "shift"),
    [
        ("Standard tuning", 40, 0),
        ("Tuning: half step down", 39, -1),
        ("tune down a whole step", 38, -2),
        ("Tuning: D G C F A D", 38, -2),
        ("dropped D tuning", 38, 0),
        ("Tuning: D A D G A D", 38, 0),  # DADGAD: not all strings alike
    ],
)
def test_tunings(text: str, lowest: int, shift: int) -> None:
    tuning = read_tuning(text)
    assert tuning is not None
    assert (tuning.strings[0], tuning.shift) == (lowest, shift)


def test_what_is_no_tuning_and_no_chord() -> None:
    assert read_tuning("Tuning: by ear") is None
    # two strings are no chord; D A D with F# above, which is major, and without
    strings = ["---2---|", "--------", "--------", "---0--0-", "---0--0-", "---0--0-"]
    tuning = read_tuning("drop D")
    assert tuning is not None
    assert list(tab_chords(["-2------"] + ["--------"] * 4 + ["-0------"], tuning)) == []
    assert [(chord.label, chord.column) for chord in tab_chords(strings, tuning)] == [
        ("D:maj", 4),
        ("D:5", 7),
    ]


def test_the_order_of_a_sheet_is_an_annotation(tmp_path: Path) -> None:
    (tmp_path / "song.cho").write_text("[C]la [G7]la [F#alt]la")
    made = kt.annotate("chords", tmp_path, "sheet-order")
    assert made["song"].labels == ("C:maj", "G:7", "X")
    assert made["song"].intervals.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert [(problem.code, problem.item) for problem in made.diagnostics] == [("KT830", "song")]
