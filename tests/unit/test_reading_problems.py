# SPDX-License-Identifier: MIT
"""Every problem of a chord file is said at once, whatever its kind."""

from pathlib import Path

from kammerton.chords.reading import ChordOptions, read_chords


def test_labels_are_checked_in_a_file_whose_times_are_wrong(tmp_path: Path) -> None:
    song = tmp_path / "song.lab"
    song.write_text("0 1 C\n1 x G\n2 3 Emin\n3 4 H:maj\n")
    reading = read_chords(song, "song.lab", ChordOptions())
    assert reading.annotations == ()
    found = [(said.code, said.line, said.column) for said in reading.diagnostics]
    assert found == [("KT120", 2, 3), ("KT311", 3, 6), ("KT310", 4, 5)]


def test_an_empty_cell_does_not_shift_the_place_of_the_next(tmp_path: Path) -> None:
    song = tmp_path / "song.tsv"
    song.write_text("start\tend\tnote\tchord\n0\t1\t\tH\n")
    (said,) = read_chords(song, "song.tsv", ChordOptions()).diagnostics
    assert (said.line, said.column) == (2, 6)
