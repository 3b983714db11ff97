# SPDX-License-Identifier: MIT
"""Confusions in a page."""

import re
from dataclasses import replace
from typing import Any

import kammerton as kt
from kammerton.instruments import InstrumentOptions
from kammerton.model.task import Breakdown, Matrix
from kammerton.reporting.html.classes import breakdown
from kammerton.reporting.html.page import Source
from unit.reporting.pages import text_of

REFERENCE = {"one": ([(0, 2), (2, 4)], ["C", "G:7"])}


def source_of(**systems: Any) -> Source:
    scores = kt.score("chords", REFERENCE, systems, protocols=["mirex2013"], ci=None)
    return Source(key="c1", scores=scores)


def test_fields_have_their_shares_and_amounts() -> None:
    section = breakdown(source_of(est={"one": ([(0, 3), (3, 4)], ["C", "G"])}))
    assert section is not None
    text = text_of(section)
    # right: 2 of 4 s C, 1 s G by root; from 2 to 3 C lies a fourth above G
    assert "same root 3 s 75.0" in text
    assert "+5 fourth 1 s 25.0" in text
    # of 1 s of 7 where the root is right, all was maj
    assert "7 1 s 100.0" in text
    assert re.search(r'<td class="right heat-9" title="3 s">75.0</td>', section.body)  # sqrt(.75) = .87
    assert re.search(r'<td class="false heat-5" title="1 s">25.0</td>', section.body)  # sqrt(.25) = .5


def test_small_shares_are_not_rounded_to_nothing() -> None:
    source = source_of(est=REFERENCE)
    tiny = Matrix(
        title="t",
        down="d",
        across="a",
        rows=("r", "few", "empty"),
        columns=("x", "y"),
        cells={("r", "x"): 10_000.0, ("r", "y"): 1.0, ("few", "x"): 199.0, ("few", "y"): 1.0},
    )
    task = replace(
        source.scores.origin.task,
        breakdown=lambda *_: Breakdown(unit="s", matrices=(tiny,)),
    )
    section = breakdown(with_task(source, task))
    assert section is not None
    assert 'class="false heat-1" title="1 s">&lt;0.1</td>' in section.body
    text = text_of(section)
    assert "few 3 min 20 s 99.5 0.5" in text
    assert text.endswith("empty 0 s")


def with_task(source: Source, task: Any) -> Source:
    return Source(key="c1", scores=source.scores.remade(task=task))


def test_classes_have_their_figures() -> None:
    scores = kt.score(
        "instruments",
        {"a": ["violin", "cello"], "b": ["violin"]},
        {"est": {"a": ["violin"], "b": ["drums"]}},
        options=InstrumentOptions(taxonomy="openmic-2018"),
        protocols=["open-mic-task1"],
        ci=None,
    )
    section = breakdown(Source(key="c1", scores=scores))
    assert section is not None
    text = text_of(section)
    assert "strings 2 files 100.0 50.0" in text
    assert "violin 2 files 100.0 50.0 cello 1 file undefined 0.0" in text
    assert "drums 0 files 0.0 undefined" in text
    assert '<td class="right heat-5">50.0</td>' in section.body


def test_systems_beyond_some_are_counted() -> None:
    section = breakdown(source_of(**{f"s{number}": REFERENCE for number in range(8)}))
    assert section is not None
    assert section.body.count("<details") == 6
    assert "2 more systems" in section.body


def test_tasks_that_tell_nothing_have_no_section() -> None:
    source = source_of(est=REFERENCE)
    assert breakdown(with_task(source, replace(source.scores.origin.task, breakdown=None))) is None
    nothing = replace(source.scores.origin.task, breakdown=lambda *_: None)
    assert breakdown(with_task(source, nothing)) is None
