# SPDX-License-Identifier: MIT
"""The data in a page: as recorded, and the same bytes each time.

The songs are those of ``test_golden.py``, with a third system that has 0 4 G:7 for ``one``: it is right for 2
of 4 s, which is 5000 steps of 10,000. ``two`` has nothing that MajMin scores.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt

GOLDEN = Path(__file__).parent / "report_data.txt"
REFERENCES = {"one": ([(0, 2), (2, 4)], ["C", "G:7"]), "two": ([(0, 2)], ["D:dim"])}
SYSTEMS = {
    "plain": {"one": ([(0, 3), (3, 4)], ["C", "G"]), "two": ([(0, 2)], ["D:dim"])},
    "A_B|50%": {"one": ([(0, 2), (2, 4)], ["C", "G:7"])},
    "held": {"one": ([(0, 4)], ["G:7"]), "two": ([(0, 2)], ["D:dim"])},
}

BLOCK = re.compile(r'<script type="application/json" id="([^"]*)">(.*?)</script>', re.DOTALL)

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from test_report_data import page
sys.stdout.buffer.write(page())
"""


def page() -> bytes:
    """Return a report as the content of its file."""
    import tempfile  # noqa: PLC0415

    scores = kt.score("chords", REFERENCES, SYSTEMS, measures=["mirex2013/MajMin", "mirex2013/MeanSeg"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "page.html")
        kt.report(scores, path)
        return path.read_bytes()


def lines(name: str, data: Any, depth: int) -> Iterator[str]:
    """Give data as lines of a path and JSON, mappings taken apart to some depth."""
    if isinstance(data, dict) and depth > 0:
        for key in data:
            yield from lines(f"{name} {key}", data[key], depth - 1)
    else:
        yield f"{name}: {json.dumps(data, ensure_ascii=False)}"


def test_data_are_as_recorded() -> None:
    found = {name: json.loads(text) for name, text in BLOCK.findall(page().decode("utf-8"))}
    written = "".join(f"{line}\n" for name in sorted(found) for line in lines(name, found[name], 2))
    if os.environ.get("KAMMERTON_RECORD"):
        GOLDEN.write_text(written, "utf-8")
    assert written == GOLDEN.read_text("utf-8")
    items = found["c1-items-data"]
    # by rows: plain 3 of 4 s, A_B all, held 2 of 4 s; what is missing has nothing to be wrong in
    values = dict(zip(items["systems"], items["values"][0], strict=True))
    assert values == {"plain": [7500, None], "A_B|50%": [10000, None], "held": [5000, None]}


@pytest.mark.slow
def test_the_same_inputs_give_the_same_bytes() -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "COLUMNS": "20"}
    command = [sys.executable, "-c", PROGRAM, str(Path(__file__).parent)]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert done.stdout == page()
