# SPDX-License-Identifier: MIT
"""What checkers of types say of scripts that users write."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "typed" / "every_call.py"
HEAD = """import kammerton as kt
from kammerton import chords, fingering

song = [(0, 2)], ["C"]
"""
WRONG = (
    'kt.score("chord", song, song)',
    'kt.score("chords", song, song, missing="worse")',
    'kt.score("chords", song, song, options={"lenient": True})',
    'kt.score("chords", song, song, interval="bootstrap")',
    'kt.score("chords", song, song).values("MajMin")',
    'kt.Accumulator("fingerings")',
    'kt.example("keys")',
    'kt.check("chords", "here", options="lenient")',
    "chords.evaluate(*song, *song, options=fingering.FingeringOptions())",
    'chords.ChordOptions(lenient="yes please")',
    'fingering.FingeringOptions(substitution="some")',
)
"""Mistakes that are found before anything runs, a line each."""


def test_a_script_with_every_call_runs(tmp_path: Path) -> None:
    seen = runpy.run_path(str(SCRIPT))["main"](tmp_path)
    assert len(seen) > 5
    assert seen[-1].startswith("1: KT310 `H` is not a chord root")


@pytest.mark.slow
@pytest.mark.parametrize(
    "checker",
    [("mypy", "--strict"), ("pyright", "--pythonpath", sys.executable)],
    ids=lambda command: command[0],
)
def test_types_of_right_and_wrong_calls(checker: tuple[str, ...], tmp_path: Path) -> None:
    pytest.importorskip(checker[0])
    wrong = tmp_path / "wrong.py"
    wrong.write_text(HEAD + "\n".join((*WRONG, "")))
    command = [sys.executable, "-m", *checker]
    right = subprocess.run([*command, str(SCRIPT)], capture_output=True, text=True, check=False)
    assert right.returncode == 0, right.stdout
    output = subprocess.run([*command, str(wrong)], capture_output=True, text=True, check=False).stdout
    first = HEAD.count("\n") + 1
    missed = [call for line, call in enumerate(WRONG, first) if f"wrong.py:{line}:" not in output]
    assert missed == []
