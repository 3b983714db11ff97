# SPDX-License-Identifier: MIT
"""``kammerton annotate fingering``: from files of notes to files with fingers."""

from cli.harness import Terminal
from kammerton.fingering import read

HEAD = "onset,offset,pitch,hand,finger\n"
FIVE = [f"{time},{time + 1},{key},right," for time, key in enumerate((60, 62, 64, 65, 67))]


def test_tables_of_notes_are_fingered_by_rules_unless_told(terminal: Terminal) -> None:
    terminal.write(notes={"five.csv": HEAD + "|".join(FIVE)})
    result = terminal.run("annotate", "fingering", "notes", "--out", "out")
    assert (result.code, result.err) == (0, "1 item annotated by `rules`, in `out`\n")
    assert read(terminal.folder / "out/five.txt").labels == ("1", "2", "3", "4", "5")
    written = terminal.run("annotate", "fingering", "notes", "--out", "tables", "--to", "csv", "--quiet")
    assert written.code == 0
    assert read(terminal.folder / "tables/five.csv").labels == ("1", "2", "3", "4", "5")


def test_a_half_fingered_file_becomes_whole(terminal: Terminal) -> None:
    terminal.write(notes={"five.csv": HEAD + "|".join([*FIVE[:2], FIVE[2] + "4", *FIVE[3:]])})
    terminal.run("annotate", "fingering", "notes", "--out", "anew", "--quiet")
    assert read(terminal.folder / "anew/five.txt").labels[2] == "3"
    terminal.run("annotate", "fingering", "notes", "--out", "whole", "--set", "keep=true", "--quiet")
    whole = read(terminal.folder / "whole/five.txt").labels
    assert whole[2] == "4"
    assert all(whole)
