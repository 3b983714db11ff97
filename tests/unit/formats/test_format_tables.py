# SPDX-License-Identifier: MIT
"""One rule cuts every delimited table; each reader is held to it here."""

from collections.abc import Callable
from pathlib import Path

import pytest

import kammerton as kt
from kammerton.errors import DataError, Diagnostic
from kammerton.fingering.formats import read_fingering
from kammerton.formats import Limits, read_intervals
from kammerton.formats.lists import read_groups, read_pairs, read_splits
from kammerton.formats.reading import Problems
from kammerton.formats.tables import BLANK, DelimitedTable, cells_of, cut, first_row, read_table, render_rows
from kammerton.instruments.options import load_label_map, read_threshold
from kammerton.instruments.reading import unfold
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.instruments.taxonomy_files import load_taxonomy

Read = Callable[[Path], tuple[object, tuple[Diagnostic, ...]]]


def of_file(read: Callable[[Path], object]) -> Read:
    """Return what a reader that raises gives, or the diagnostics that it raises."""

    def reading(path: Path) -> tuple[object, tuple[Diagnostic, ...]]:
        try:
            return read(path), ()
        except DataError as error:
            return None, error.diagnostics

    return reading


def pairs(path: Path) -> object:
    corpus = read_pairs(path)
    sources = {each.name: dict(each.sources) for each in (*corpus.references, *corpus.systems)}
    names = {
        name: {item: Path(str(found[0][1])).name for item, found in items.items()}
        for name, items in sources.items()
    }
    return tuple((name, tuple(items.items())) for name, items in names.items())


def parents(path: Path) -> object:
    tree: Taxonomy = load_taxonomy(path)
    return {node: tree.ancestors(node) for node in tree.nodes}


def chords(path: Path) -> tuple[object, tuple[Diagnostic, ...]]:
    found = read_intervals(path, name=path.name)
    rows = [
        list(zip(each.starts.tolist(), each.ends.tolist(), each.labels, strict=True)) for each in found.tracks
    ]
    return rows, found.diagnostics


def notes(path: Path) -> tuple[object, tuple[Diagnostic, ...]]:
    found = read_fingering(path, path.name)
    rows = [(each.onsets.tolist(), each.pitches.tolist(), each.labels) for _, each in found.annotations]
    return rows, found.diagnostics


def instruments(path: Path) -> tuple[object, tuple[Diagnostic, ...]]:
    found = unfold(path, path.name)
    assert found is not None
    lists = {
        item: [(each.labels, each.scores.tolist()) for _, each in of] for item, of in found.items.items()
    }
    return lists, found.diagnostics


def thresholds(path: Path) -> object:
    return dict(read_threshold(str(path)).by_label)


TABLES: dict[str, tuple[Read, list[str], list[list[str]]]] = {
    "label map": (
        of_file(lambda path: dict(load_label_map(path).entries)),
        ["label", "instrument"],
        [["gel", "guitar"], ["vio", "violin"]],
    ),
    "thresholds": (of_file(thresholds), ["instrument", "threshold"], [["piano", "0.5"], ["voice", "0.25"]]),
    "taxonomy": (of_file(parents), ["node", "parent"], [["violin", "strings"], ["oboe", "winds"]]),
    "splits": (of_file(read_splits), ["item", "split"], [["a", "train"], ["b", "test"]]),
    "groups": (of_file(lambda path: read_groups(path, "album")), ["item", "album"], [["a", "X"], ["b", "Y"]]),
    "pairs": (of_file(pairs), ["item", "reference", "S"], [["a", "r.lab", "e.lab"], ["b", "s.lab", "f.lab"]]),
    "instruments": (instruments, ["file", "instrument", "score"], [["a", "F", "0.5"], ["b", "G", "0.25"]]),
    "notes": (
        notes,
        ["onset", "offset", "pitch", "hand", "finger"],
        [["0.5", "1.5", "60", "R", "1"], ["1.5", "2.5", "62", "R", "2"]],
    ),
    "chords": (chords, ["start", "end", "label"], [["0.5", "1.5", "C"], ["1.5", "2.5", "G"]]),
}

NUMBERS = {"thresholds", "instruments", "notes", "chords"}


def joined(separator: str, header: list[str], rows: list[list[str]]) -> str:
    return "".join(separator.join(cells) + "\n" for cells in (header, *rows))


def read(tmp_path: Path, name: str, text: str) -> tuple[object, tuple[Diagnostic, ...]]:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    return TABLES[name][0](path)


def expected(tmp_path: Path, name: str) -> object:
    _, header, rows = TABLES[name]
    found, diagnostics = read(tmp_path, name, joined(",", header, rows))
    assert diagnostics == ()
    assert found
    return found


SPELLINGS: dict[str, Callable[[list[str], list[list[str]]], str]] = {
    "semicolons": lambda header, rows: joined(";", header, rows),
    "tabs": lambda header, rows: joined("\t", header, rows),
    "told separator": lambda header, rows: "sep=;\n" + joined(";", header, rows),
    "another separator": lambda header, rows: "SEP=|\n" + joined("|", header, rows),
    "comments": lambda header, rows: (
        "# by me\n// and you\n" + joined(",", header, rows).replace("\n", "\n  # a note\n//another\n")
    ),
    "blank lines": lambda header, rows: "\n \t\n" + joined(",", header, rows).replace("\n", "\n\n ,,\n"),
    "blanks around cells": lambda header, rows: joined(" , ", header, rows).replace("\n", " \n "),
    "quotes": lambda header, rows: joined(
        ",", [f'"{name}"' for name in header], [[f'"{cell}"' for cell in row] for row in rows]
    ),
    "quotes and blanks": lambda header, rows: joined(
        "\t, ", header, [[f'"{cell}"' for cell in row] for row in rows]
    ),
    "empty cells at the end": lambda header, rows: joined(",", header, [[*row, "", " "] for row in rows]),
    "unnamed columns at the end": lambda header, rows: joined(
        ",", [*header, ""], [[*row, ""] for row in rows]
    ),
    "upper case": lambda header, rows: joined(
        ",", [name if name in ("S", "reference", "item") else name.upper() for name in header], rows
    ),
    "no final newline": lambda header, rows: joined(",", header, rows).removesuffix("\n"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("name", TABLES)
def test_tables_may_be_written_in_many_ways(tmp_path: Path, name: str, spelling: str) -> None:
    _, header, rows = TABLES[name]
    found, diagnostics = read(tmp_path, name, SPELLINGS[spelling](header, rows))
    assert [each.concise() for each in diagnostics] == []
    assert found == expected(tmp_path, name)


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_numbers_between_semicolons_may_have_decimal_commas(tmp_path: Path, name: str) -> None:
    _, header, rows = TABLES[name]
    found, diagnostics = read(tmp_path, name, joined(";", header, rows).replace(".", ","))
    assert diagnostics == ()
    assert found == expected(tmp_path, name)


@pytest.mark.parametrize("name", TABLES)
def test_a_row_of_another_length_is_an_error_at_its_place(tmp_path: Path, name: str) -> None:
    _, header, rows = TABLES[name]
    long = [*rows[0], "more"]
    text = joined(",", header, [rows[1], long, rows[0][:-1]])
    _, diagnostics = read(tmp_path, name, text)
    places = [(each.severity, each.line, each.column, each.message) for each in diagnostics]
    width = len(header)
    assert places == [
        ("error", 3, len(",".join(rows[0])) + 2, f"row has {width + 1} columns, the header {width}"),
        ("error", 4, 1, f"row has {width - 1} column{'s' * (width > 2)}, the header {width}"),
    ]


@pytest.mark.parametrize("name", TABLES)
def test_a_quote_that_is_not_closed_is_an_error_at_its_place(tmp_path: Path, name: str) -> None:
    _, header, rows = TABLES[name]
    text = joined(",", header, [rows[0], [*rows[1][:-1], f'"{rows[1][-1]}']])
    _, diagnostics = read(tmp_path, name, text)
    (problem,) = [each for each in diagnostics if each.severity == "error"]
    assert (problem.code, problem.line) == ("KT160", 3)
    assert problem.column == len(",".join(rows[1][:-1])) + 2


@pytest.mark.parametrize("name", ["instruments", "chords"])
def test_a_comment_that_is_cut_like_a_row_is_noted(tmp_path: Path, name: str) -> None:
    _, header, rows = TABLES[name]
    text = joined(",", header, [rows[0], ["#" + rows[0][0], *rows[0][1:]], rows[1]])
    found, diagnostics = read(tmp_path, name, text)
    assert found == expected(tmp_path, name)
    (note,) = diagnostics
    assert (note.code, note.severity, note.line, note.column) == ("KT164", "note", 3, 1)
    assert note.hint == 'a cell that begins with # or // stands between double quotes: "#1"'


def test_a_cell_that_begins_like_a_comment_is_quoted(tmp_path: Path) -> None:
    found, diagnostics = read(tmp_path, "instruments", 'file,instrument\n"#1",F\n"//x",G\n')
    assert diagnostics == ()
    assert found == {"#1": [(("F",), [])], "//x": [(("G",), [])]}


def test_what_is_written_is_read_back() -> None:
    rows = [("item", "label"), ("#1", "a, b"), ("//x", 'c "d"'), ("plain", "(e, f)")]
    text = render_rows(rows)
    assert text.splitlines()[1:3] == ['"#1","a, b"', '"//x","c ""d"""']
    first = first_row(text, len)
    assert first is not None
    table = read_table(text, first, Problems("t.csv"), Limits())
    assert table is not None
    assert list(zip(*table.columns, strict=True)) == rows[1:]


# --- cells ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "separator", "width", "cells"),
    [
        ("a,b", ",", 0, ["a", "b"]),
        (",a,", ",", 0, ["", "a", ""]),
        ("a,,b", ",", 0, ["a", "", "b"]),
        ('"a, b",c', ",", 0, ["a, b", "c"]),
        ('a,"say ""no""" ', ",", 0, ["a", 'say "no"']),
        ('a,5" pipe', ",", 0, ["a", '5" pipe']),
        ('a,"b', ",", 0, None),
        ('a,"b"c', ",", 0, None),
        ("0,1,C:(3,5)", ",", 3, ["0", "1", "C:(3,5)"]),
        ("0,1,C:(3,5)", ",", 4, ["0", "1", "C:(3", "5)"]),
        ("0,1,C:(3", ",", 3, ["0", "1", "C:(3"]),
        ("0;1;C:(3;5);", ";", 3, ["0", "1", "C:(3;5)"]),
        ("a,b,,", ",", 2, ["a", "b"]),
        ("a,b,,c", ",", 2, ["a", "b", "", "c"]),
        ("a\t\tb", "\t", 0, ["a", "", "b"]),
        ("  a \t b", BLANK, 0, ["a", "b"]),
        ('a "b c" d', BLANK, 0, ["a", "b c", "d"]),
        ("0 1\tC maj 7", BLANK, 3, ["0", "1", "C maj 7"]),
        ("0 1 C maj 7", BLANK, 3, ["0", "1", "C", "maj", "7"]),
        ("0 1\tC\tmaj 7", BLANK, 3, ["0", "1", "C", "maj", "7"]),
        ("a\u00a0b c", BLANK, 0, ["a\u00a0b", "c"]),
    ],
)
def test_lines_are_cut(line: str, separator: str, width: int, cells: list[str] | None) -> None:
    assert cut(line, separator, width) == cells


def test_cells_have_columns_without_their_quotes() -> None:
    assert [(cell.column, cell.text) for cell in cells_of('a , "b ""c""",d', ",")] == [
        (1, "a"),
        (6, 'b ""c""'),
        (15, "d"),
    ]


def test_rows_between_blanks_are_the_same_however_they_are_cut() -> None:
    """Whether all lines are cut at once or one by one does not matter."""
    lines = ["0\t1\tC maj", "1\t 2\tD", "2\t3\tE:min"]
    at_once = DelimitedTable("t", BLANK, 3, list(lines), range(1, 4))
    assert at_once.fill() == []
    singly = DelimitedTable("t", BLANK, 3, [*lines, "3 4 F"], range(1, 5))
    assert singly.fill() == []
    assert [column[:3] for column in singly.columns] == at_once.columns


def test_a_system_may_be_called_as_the_table_of_pairs_says(tmp_path: Path) -> None:
    (tmp_path / "r.lab").write_text("0 2 C\n")
    (tmp_path / "p.csv").write_text('item;reference;"my ""best"""\n# none yet\na;r.lab;r.lab\n')
    scores = kt.score("chords", pairs=tmp_path / "p.csv", measures=["mirex2013/Root"], ci=None)
    assert scores.systems == ('my "best"',)


def test_a_row_without_the_cell_is_located_as_a_whole() -> None:
    table = DelimitedTable("t", BLANK, 3, ["1 2 C"], range(7, 8))
    place = table.locate(0, None)
    assert (place.file, place.line, place.column, place.excerpt) == ("t", 7, None, "1 2 C")
