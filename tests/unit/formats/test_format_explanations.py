# SPDX-License-Identifier: MIT
"""The file on the page of each code of a reader triggers the code."""

import pytest

from explained import codes, example
from unit.formats.telling import parse

WITHOUT_TEXT = {
    *("KT101", "KT102", "KT103", "KT104", "KT105", "KT106", "KT107", "KT108"),
    *("KT114", "KT149", "KT151"),
}
"""Codes that no text can trigger: of paths, bytes, arrays and writers."""

YAML = {"KT170", "KT171", "KT172"}
"""Codes of YAML, which the tests of its reader trigger."""


@pytest.mark.parametrize("code", sorted({*codes(r"KT1\d\d")} - WITHOUT_TEXT - YAML))
def test_the_file_on_a_page_triggers_its_code(code: str) -> None:
    text = example(code)
    name = "a.jams" if text.startswith("{") else "a.csv" if "," in text.split("\n")[0] else "a.lab"
    reading = parse(text, name, layout="points" if code in ("KT131", "KT133") else "auto")
    assert {problem.code for problem in reading.diagnostics} == {code}
