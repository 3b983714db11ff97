# SPDX-License-Identifier: MIT
"""Every code of a reader has a page, and the file on it triggers the code."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from unit.formats.telling import parse

PAGES = {
    page.name.removesuffix(".md"): page.read_text(encoding="utf-8")
    for page in files("kammerton").joinpath("explanations").iterdir()
    if re.fullmatch(r"KT1\d\d\.md", page.name)
}
WITHOUT_TEXT = {
    *("KT101", "KT102", "KT103", "KT104", "KT105", "KT106", "KT107", "KT108"),
    *("KT114", "KT149", "KT151"),
}
"""Codes that no text can trigger: of paths, bytes, arrays and writers."""

YAML = {"KT170", "KT171", "KT172"}
"""Codes of YAML, which the tests of its reader trigger."""

SOURCES = Path(__file__).parents[3] / "src/kammerton/formats"


def test_every_code_has_a_page() -> None:
    used = {code for path in SOURCES.glob("*.py") for code in re.findall(r'"(KT1\d\d)"', path.read_text())}
    assert used == set(PAGES)


OTHERS = (*(f"KT72{number}" for number in range(8)), *(f"KT40{number}" for number in range(5)))


@pytest.mark.parametrize("code", [*PAGES, *OTHERS])
def test_pages_have_one_form(code: str) -> None:
    page = files("kammerton").joinpath("explanations", f"{code}.md").read_text(encoding="utf-8")
    title, blank, *lines = page.split("\n")
    assert re.fullmatch(rf"# {code} [a-z\d].*[^.]", title, re.IGNORECASE)
    assert blank == ""
    assert 5 <= len(lines) <= 15
    assert max(map(len, lines)) <= 118


@pytest.mark.parametrize("code", sorted(set(PAGES) - WITHOUT_TEXT - YAML))
def test_the_file_on_a_page_triggers_its_code(code: str) -> None:
    blocks = re.findall(r"(?:^    .*\n)+", PAGES[code], re.MULTILINE)
    text = re.sub(r"^    ", "", blocks[0], flags=re.MULTILINE)
    name = "a.jams" if text.startswith("{") else "a.csv" if "," in text.split("\n")[0] else "a.lab"
    reading = parse(text, name, layout="points" if code in ("KT131", "KT133") else "auto")
    assert {problem.code for problem in reading.diagnostics} == {code}
