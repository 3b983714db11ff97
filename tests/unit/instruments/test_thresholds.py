# SPDX-License-Identifier: MIT
"""From scores to lists."""

import math
from pathlib import Path

import numpy as np
import pytest

from kammerton.errors import DataError, OptionError
from kammerton.instruments.options import LabelThreshold, read_threshold
from unit.instruments.listing import told, write


@pytest.mark.parametrize(
    ("text", "threshold", "kept"),
    [
        ("0.5", LabelThreshold(">=", 0.5), [False, True, True]),
        (">=0.5", LabelThreshold(">=", 0.5), [False, True, True]),
        (">0.5", LabelThreshold(">", 0.5), [False, False, True]),
        (" > .5 ", LabelThreshold(">", 0.5), [False, False, True]),
        ("-1e-3", LabelThreshold(">=", -0.001), [True, True, True]),
    ],
)
def test_numbers(text: str, threshold: LabelThreshold, kept: list[bool]) -> None:
    found = read_threshold(text)
    assert found == threshold
    assert found.passes("abc", [0.25, 0.5, 0.75]).tolist() == kept
    assert found.passes("ab", np.array([math.nan, 1.0])).tolist() == [False, True]
    assert found.passes([], []).tolist() == []


@pytest.mark.parametrize(
    "text", ["", "high", "nan", "1e400", "<0.5", "=0.5", "0,5", "> ", "0.5 0.6", "1_0", "٣"]
)
def test_texts_that_are_none(text: str) -> None:
    with pytest.raises(OptionError, match="no threshold: "):
        read_threshold(text)


@pytest.mark.parametrize(
    "text",
    [
        "instrument,threshold\npiano,0.25\n*,0.5\n",
        "\ufefflabel;Threshold\n piano ; 0.25\n\n*;.5\n",
        "# ours\ninstrument\tthreshold\n*\t0.5\npiano\t2.5e-1",
    ],
)
def test_files_have_values_by_instrument(tmp_path: Path, text: str) -> None:
    found = read_threshold(str(write(tmp_path, "cut.csv", text)))
    assert found == LabelThreshold(">=", 0.5, {"piano": 0.25})
    assert found.passes(["piano", "violin", "piano"], [0.25, 0.4, 0.2]).tolist() == [True, False, False]


def test_a_label_without_a_value_is_refused(tmp_path: Path) -> None:
    found = read_threshold(str(write(tmp_path, "cut.txt", "instrument,threshold\npiano,0.25\n")))
    assert math.isnan(found.value)
    assert found.passes(["piano"], [0.25]).tolist() == [True]
    with pytest.raises(OptionError) as raised:
        found.passes(["piano", "Piano"], [0.25, 1.0])
    assert raised.value.message == "no threshold for `Piano`"
    assert raised.value.hint == "is it `piano`? add a row for it, or `*` for all others"
    with pytest.raises(OptionError, match=r"no threshold for `voice`\n  help: add a row"):
        found.values(["voice"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "error KT665 no thresholds\n  help: a header `instrument,threshold`, and a row for each"),
        (
            "instrument,threshold\n",
            "error KT665 no thresholds\n  help: a header `instrument,threshold`, and a row for each",
        ),
        ("piano,0.5\n", "error 1:1+9 KT665 header must be `instrument,threshold`"),
        (
            "instrument,threshold\npiano,high\nvoice,nan\n",
            (
                "error 2:7+4 KT665 not a number: `high`\n  help: a threshold looks like 0.5\n"
                "error 3:7+3 KT665 not a number: `nan`\n  help: a threshold looks like 0.5"
            ),
        ),
        (
            "instrument,threshold\npiano,0.5\n piano,0.6\n",
            "error 3:2+5 KT665 instrument stands twice: `piano`",
        ),
        (
            "instrument,threshold\n,0.5\n",
            "error 2:1+1 KT665 row has no instrument\n  help: `*` stands for all others",
        ),
        (
            "instrument,threshold\npiano\n",
            (
                "error 2:1+5 KT665 row has 1 column, the header 2\n"
                "  help: a cell that is empty still needs its separator"
            ),
        ),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(DataError) as raised:
        read_threshold(str(write(tmp_path, "cut.csv", text)))
    assert told(raised.value.diagnostics) == expected


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="KT101 cannot be read"):
        read_threshold(str(tmp_path / "cut.csv"))
