# SPDX-License-Identifier: MIT
"""Every problem of a chord file is said at once, whatever its kind."""

from pathlib import Path
from unittest.mock import patch

import pytest

from kammerton.chords import annotation as reading
from kammerton.chords import labels
from kammerton.chords.annotation import ChordOptions, read_chords
from kammerton.chords.labels import fault_code, parse
from kammerton.errors import LabelError, close_match


def test_labels_are_checked_in_a_file_whose_times_are_wrong(tmp_path: Path) -> None:
    song = tmp_path / "song.lab"
    song.write_text("0 1 C\n1 x G\n2 3 Emin\n3 4 H:maj\n")
    read = read_chords(song, "song.lab", ChordOptions())
    assert read.annotations == ()
    found = [(said.code, said.line, said.column) for said in read.diagnostics]
    assert found == [("KT120", 2, 3), ("KT311", 3, 6), ("KT310", 4, 5)]


def test_an_empty_cell_does_not_shift_the_place_of_the_next(tmp_path: Path) -> None:
    song = tmp_path / "song.tsv"
    song.write_text("start\tend\tnote\tchord\n0\t1\t\tH\n")
    (said,) = read_chords(song, "song.tsv", ChordOptions()).diagnostics
    assert (said.line, said.column) == (2, 6)


@pytest.mark.parametrize("lenient", [False, True])
def test_hints_are_looked_for_only_of_labels_that_are_listed(tmp_path: Path, lenient: bool) -> None:
    song = tmp_path / "song.lab"
    song.write_text("".join(f"{row} {row + 1} C:minn{row}\n" for row in range(200)) + "200 201 H:x\n")
    reading._problem.cache_clear()
    with patch.object(labels, "close_match", side_effect=close_match) as search:
        found = read_chords(song, "song.lab", ChordOptions(lenient=lenient)).diagnostics
    assert search.call_count == 20
    assert [each.code for each in found] == ["KT312"] * 20 + ["KT310", "KT312"]
    assert {(each.hint or "")[:16] for each in found[:20]} == {"did you mean `mi"}
    assert (found[-1].message, found[-1].count) == ("and 180 more like these", 180)


def test_labels_beyond_the_list_are_respelled_all_the_same(tmp_path: Path) -> None:
    song = tmp_path / "song.lab"
    song.write_text("".join(f"{row} {row + 1} Cfoo{row}\n" for row in range(25)) + "25 26 Am7\n")
    found = read_chords(song, "song.lab", ChordOptions(lenient=True)).diagnostics
    assert [each.code for each in found] == ["KT311"] * 20 + ["KT318", "KT311"]
    assert (found[20].message, found[20].line) == ("`Am7` read as `A:min7`", 26)
    assert found[21].count == 5


@pytest.mark.parametrize(
    "label",
    [
        *(
            "C",
            "N",
            "X",
            "C:maj(*3)/b7",
            "",
            "H",
            "C:",
            "C:minn",
            "Cmin",
            "C(9)",
            "C:maj(",
            "C:maj()",
            "C:maj(,3)",
        ),
        *(
            "C/",
            "C/x",
            "C/*3",
            "N:maj",
            "C b",
            " C",
            "C♭",
            "C\u200b",
            "Cb#",
            "C:maj(14)",
            "C:maj/3x",
            "x" * 5000,
        ),
    ],
)
def test_the_code_of_a_fault_is_that_of_the_problem(label: str) -> None:
    assert fault_code(label) == code_that_parsing_gives(label)


def code_that_parsing_gives(label: str) -> str | None:
    try:
        parse(label)
    except LabelError as error:
        return error.diagnostic.code
    return None
