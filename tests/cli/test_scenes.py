# SPDX-License-Identifier: MIT
"""``kammerton scenes``: what it writes and says."""

import json

from cli.harness import Terminal
from kammerton.systems.scenes import DIFFICULTIES


def test_scenes_are_written_with_the_record_of_their_making(terminal: Terminal) -> None:
    result = terminal.run(
        "scenes", "--items", "2", "--set", "bars=2", "--set", "ensemble=piano", "--out", "corpus"
    )
    assert (result.code, result.out, result.err) == (0, "", "2 scenes made, in `corpus`\n")
    record = json.loads((terminal.folder / "corpus/kammerton.json").read_text())
    assert record["made"] == "scenes|seed:0|difficulty:medium"
    assert record["options"]["settings"]["bars"] == 2
    assert record["options"]["settings"]["sevenths"] == DIFFICULTIES["medium"].sevenths
    again = terminal.run("scenes", "--items", "2", "--out", "corpus")
    assert again.lines == [
        "error[KT503] cannot write `corpus`: it is there already",
        "  help: --force replaces it",
    ]
    scored = terminal.run("score", "chords", "corpus/reference", "corpus/reference", "--no-ci")
    assert scored.code == 0


def test_what_is_not_possible_is_said(terminal: Terminal) -> None:
    for arguments, message in (
        ("", "error: no output folder is given"),
        ("--out x --set bar=2", "error: unknown setting of scenes: `bar`"),
        ("--out x --difficulty hrad", "error: invalid value `hrad` for --difficulty"),
        ("--out x --soundfont none.sf2", "error: soundfont cannot be read: `none.sf2`"),
        ("--out x --items 0", "error: items is 1 or more; bad_midis and sheets are 0 or more"),
    ):
        result = terminal.run("scenes", *arguments.split())
        assert (result.code, result.lines[0]) == (2, message)
        assert not (terminal.folder / "x").exists()
