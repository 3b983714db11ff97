# SPDX-License-Identifier: MIT
"""Whole pages: their size; what others wrote is inert in them, and nothing in them tells of the machine."""

import json
import os
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from tabled_scores import MEAN, POOLED, tabled

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    '" onmouseover="alert(1)" x="',
    "' onclick='alert(1)",
    "javascript:alert(1)",
    "{{7*7}}{% for x in y %}",
    "a\u2028b\u2029c",
    "\u202egnp.exe\u2066",
    "__proto__",
    "&lt;b&gt;&amp;",
    "\\u003cb\\u003e",
    10_000 * "x",
)
REF = ([(0.0, 2.0), (2.0, 4.0)], ["C", "G:7"])
EST = ([(0.0, 4.0)], ["C"])


class Reader(HTMLParser):
    """Notes which elements and attributes a page has."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str] = set()
        self.programs = 0

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        named = dict(attrs)
        self.attributes |= set(named)
        self.links |= {named["href"] or ""} if "href" in named else set()
        self.programs += tag == "script" and "type" not in named


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


def blocks(page: str) -> list[Any]:
    found = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert not set("".join(found)) & set("<>&\u2028\u2029")
    return [json.loads(text) for text in found]


def written(scores: kt.Scores, folder: Path, **options: Any) -> str:
    kt.report(scores, folder / "page.html", **options)
    return (folder / "page.html").read_text("utf-8")


@pytest.mark.slow
def test_names_of_others_are_inert(tmp_path: Path) -> None:
    systems = {f"{name} system": dict.fromkeys(HOSTILE, EST) for name in HOSTILE[:3]}
    choices: Any = {"protocols": ["mirex2013"], "resamples": 50, "context": True}
    scores = kt.score(
        "chords",
        dict.fromkeys(HOSTILE, REF),
        systems,
        annotators={f"{HOSTILE[0]} annotator": dict.fromkeys(HOSTILE, EST)},
        group_by=dict(zip(HOSTILE, reversed(HOSTILE), strict=True)),
        **choices,
    )
    page = written(scores, tmp_path, title=HOSTILE[0])
    tame = {f"item {number}": REF for number in range(len(HOSTILE))}
    plain = written(
        kt.score(
            "chords",
            tame,
            {name: dict.fromkeys(tame, EST) for name in "abc"},
            annotators={"x": dict.fromkeys(tame, EST)},
            group_by={name: name for name in tame},
            **choices,
        ),
        tmp_path,
    )
    assert read(page).elements == read(plain).elements
    assert read(page).attributes == read(plain).attributes
    assert read(page).programs == 1
    assert all(link.startswith("#c1") or link == "#content" for link in read(page).links)
    assert not set(page) & set("\u2028\u2029\u202e\u2066")
    assert "x" * 300 not in page
    assert ">49" not in page
    assert len(blocks(page)) == len(blocks(plain))


def test_labels_of_others_are_inert(tmp_path: Path) -> None:
    labels = [name[:100] for name in HOSTILE]
    scores = kt.score("instruments", {"a": labels[::2]}, {"mine": {"a": labels[1:]}}, ci=None)
    page = written(scores, tmp_path)
    tame = kt.score("instruments", {"a": ["a", "b"]}, {"mine": {"a": ["b", "c"]}}, ci=None)
    plain = written(tame, tmp_path)
    assert read(page).elements <= read(plain).elements | {"details", "summary"}
    assert read(page).attributes == read(plain).attributes
    assert read(page).programs == 1
    assert blocks(page)


def test_paths_of_the_machine_are_not_in_the_page(tmp_path: Path) -> None:
    for name, label in (("refs", "C"), ("ests", "D")):
        folder = tmp_path / "home" / "me" / name
        folder.mkdir(parents=True)
        (folder / "good.lab").write_text(f"0 4 {label}\n")
        (folder / "bad.lab").write_text(f"0 2 {label}\n1 0 Q\n")
    home = tmp_path / "home" / "me"
    scores = kt.score("chords", home / "refs", home / "ests", protocols=["mirex2013"], ci=None)
    kt.write_run(scores, tmp_path / "run")
    kt.report(tmp_path / "run", tmp_path / "run.html")
    for page in (written(scores, tmp_path), (tmp_path / "run.html").read_text("utf-8")):
        assert "refs/bad.lab" in page
        assert "home" not in page
        assert str(tmp_path) not in page


@pytest.mark.slow
def test_ten_thousand_items_of_two_systems(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    rows = {name: np.stack((draw.uniform(0, 100, 10_000), np.full(10_000, 100)), axis=1) for name in "ab"}
    page = written(tabled(rows, (POOLED, MEAN)), tmp_path)
    assert len(page.encode("utf-8")) < 15_000_000
    (items,) = (block for block in blocks(page) if "values" in block)
    assert len(items["items"]) == len(items["values"][0][0]) == 10_000
    assert page.count("<tr") < 100  # rows are made when they are looked at


@pytest.mark.slow
def test_217_songs_of_two_systems(tmp_path: Path) -> None:
    if "KAMMERTON_SHARED" not in os.environ:
        pytest.skip("KAMMERTON_SHARED names no folder with real annotations")
    folder = Path(os.environ["KAMMERTON_SHARED"], "data", "chords", "mirex", "Isophonics2009")
    systems = {name: folder / name for name in ("2017-CM2", "2017-KBK2")}
    scores = kt.score("chords", folder / "Ground-Truth", systems, context=True, resamples=100)
    page = written(scores, tmp_path)
    assert len(page.encode("utf-8")) <= 3_000_000
    assert "All 217 items can be looked at." in page
    assert str(folder.parent) not in page
