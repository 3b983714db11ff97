# SPDX-License-Identifier: MIT
"""The page as a file: what may run in it, and that text of other people stays text."""

import base64
import hashlib
import json
import re

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from kammerton.reporting.html.page import Chapter, Page, Section, embedded, fill, render_page, shown

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    '" onmouseover="alert(1)',
    "javascript:alert(1)",
    "{{7*7}}{% raw %}",
    "a\u2028b\u2029c",
    "\u202egnp.exe",
    "__proto__",
    "&lt;b&gt;",
)


def page_of(text: str) -> str:
    section = Section(part="figures", title=text, body=Markup("<p>here</p>"), data={text: [text, None, 0.5]})
    chapter = Chapter(key="c1", title=text, lead=text, sections=[section])
    return render_page(Page(title=text, chapters=[chapter])).decode("utf-8")


def digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_the_policy_names_the_one_program_and_the_one_style_sheet() -> None:
    page = page_of("title")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert policy is not None
    assert len(scripts) == len(styles) == 1
    assert policy[1].replace("&#39;", "'") == (
        f"default-src 'none'; script-src '{digest(scripts[0])}'; style-src '{digest(styles[0])}'; "
        "img-src data:; media-src blob: data:; base-uri 'none'; form-action 'none'"
    )


def test_nothing_in_the_page_names_another_place() -> None:
    page = page_of("title")
    assert re.findall(r"""(?:src|srcset|href|action|data)\s*=\s*["'](?!#)""", page) == []
    assert "url(" not in page
    assert "@import" not in page
    assert " style=" not in page


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_other_people_is_text(text: str) -> None:
    page, plain = page_of(text), page_of("x")
    tags = r"<(?=[a-zA-Z!/])[^>]*>"
    assert len(re.findall(tags, page)) == len(re.findall(tags, plain))
    assert not set(page) & {"\u2028", "\u2029", "\u202e"}
    block = re.search(r'<script type="application/json" id="c1-figures-data">(.*?)</script>', page, re.DOTALL)
    assert block is not None
    assert not set(block[1]) & set("<>&")
    assert json.loads(block[1]) == {text: [text, None, 0.5]}


def test_no_number_is_outside_json() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        embedded([float("nan")])


def test_a_long_name_is_clipped() -> None:
    assert shown("a" * 10_000) == "a" * 199 + "…"


def test_templates_name_only_what_they_are_given() -> None:
    with pytest.raises(UndefinedError):
        fill("page")


def test_the_same_page_is_the_same_bytes() -> None:
    assert page_of("title") == page_of("title")
