# SPDX-License-Identifier: MIT
"""The program of the page, as a whole: its parts know each other."""

import re
import subprocess
from importlib.metadata import files
from pathlib import Path

from kammerton.reporting.html.page import program


def test_the_program_is_free_of_what_a_linter_finds(tmp_path: Path) -> None:
    (tmp_path / "program.js").write_text(program(), "utf-8")
    linter = next(each for each in files("oxlint") or () if each.stem == "oxlint").locate()
    # each part says "use strict" anew
    rules = [
        "-D",
        "correctness",
        "-D",
        "suspicious",
        "-A",
        "no-unused-expressions",
        "-A",
        "consistent-function-scoping",
    ]
    done = subprocess.run(
        [str(linter), *rules, "program.js"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_text_reaches_the_page_as_text_only() -> None:
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert way not in program()
    assert re.findall(r"setAttribute\(.style", program()) == []
    assert "fetch(" not in program()
