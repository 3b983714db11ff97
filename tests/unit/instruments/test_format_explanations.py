# SPDX-License-Identifier: MIT
"""The file on the page of each code of a reader of instruments triggers the code."""

from pathlib import Path
from typing import Any

import pytest

from explained import codes, example
from kammerton.errors import DataError
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.reading import read_instruments, unfold
from unit.instruments.listing import write

PAGES = codes(r"KT6[0-5]\d|KT665")
WITHOUT_TEXT = {
    **dict.fromkeys(("KT620",), "objects of Python"),
    **dict.fromkeys(("KT630", "KT631", "KT632", "KT633"), "MIDI"),
    **dict.fromkeys(("KT634", "KT635", "KT636"), "arrays"),
    **dict.fromkeys(("KT665",), "thresholds"),
    **dict.fromkeys((code for code in PAGES if "KT640" <= code < "KT660"), "taxonomies and label maps"),
}
"""Codes that no text of instruments can trigger."""

SAMPLE: dict[str, Any] = {"taxonomy": "campaign-sample"}
OPENMIC: dict[str, Any] = {"taxonomy": "openmic-2018"}
IRMAS: dict[str, Any] = {"map": "irmas-to-openmic-2018"}
OPTIONS: dict[str, dict[str, Any]] = {
    "KT600": OPENMIC,
    "KT601": OPENMIC | {"unknown": "drop"},
    "KT602": OPENMIC | {"unknown": "keep"},
    "KT604": IRMAS,
    "KT605": IRMAS,
    "KT606": IRMAS,
    "KT607": SAMPLE,
    "KT608": {"taxonomy": "general-midi"},
}
BESIDES = {"KT604": {"KT605"}, "KT606": {"KT605"}}
"""Codes that come along."""


@pytest.mark.parametrize("code", sorted(set(PAGES) - set(WITHOUT_TEXT)))
def test_the_file_on_a_page_triggers_its_code(tmp_path: Path, code: str) -> None:
    text = example(code)
    suffix = ".json" if text.startswith("{") else ".csv" if "," in text.split("\n")[0] else ".txt"
    path = write(tmp_path, f"a{suffix}", text)
    options = InstrumentOptions(**OPTIONS.get(code, {}))
    sheet = None if code == "KT623" else unfold(path, "a", options)
    said = read_instruments(path, "a", options).diagnostics if sheet is None else sheet.diagnostics
    assert {each.code for each in said} == {code} | BESIDES.get(code, set())


def test_the_table_of_thresholds_on_its_page_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", example("KT665"))
    with pytest.raises(DataError, match=r"a\.csv:2:7: KT665 not a number"):
        InstrumentOptions(threshold=str(path))
