# SPDX-License-Identifier: MIT
"""Every code of systems has a page."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

PAGES = {
    page.name.removesuffix(".md"): page.read_text(encoding="utf-8")
    for page in files("kammerton").joinpath("explanations").iterdir()
    if re.fullmatch(r"KT8\d\d\.md", page.name)
}
SOURCES = Path(__file__).parents[3] / "src/kammerton/systems"


def test_every_code_has_a_page() -> None:
    used = {code for path in SOURCES.glob("*.py") for code in re.findall(r'"(KT8\d\d)"', path.read_text())}
    assert used == set(PAGES)


@pytest.mark.parametrize("code", PAGES)
def test_pages_have_one_form(code: str) -> None:
    title, blank, *lines = PAGES[code].split("\n")
    assert re.fullmatch(rf"# {code} [a-z\d].*[^.]", title)
    assert blank == ""
    assert 5 <= len(lines) <= 15
    assert max(map(len, lines)) <= 118
