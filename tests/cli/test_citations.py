# SPDX-License-Identifier: MIT
"""``kammerton score --cite``: what to cite, in place of the scores."""

from pathlib import Path

import pytest

from cli.harness import Terminal
from kammerton.model.registry import find_task
from kammerton.reporting.cards import render_citations

SCORE = ("score", "chords", "ref", "est", "--no-ci", "--cite")


@pytest.mark.parametrize("form", ["table", "json", "csv", "md", "latex"])
def test_the_protocols_that_were_used_are_cited(corpus: Terminal, form: str) -> None:
    result = corpus.run(*SCORE, "--protocol", "mir_eval", "--format", form)
    assert result.code == 0
    assert result.out.startswith("@misc{kammerton,\n")
    assert "\n\n@inproceedings{raffel2014mireval,\n" in result.out
    assert result.out.count("@") == 2


def test_those_of_the_protocols_that_are_run(corpus: Terminal) -> None:
    task = find_task("chords")
    used = [measure for measure in task.measures if measure.protocol != "frames10ms"]
    assert corpus.run(*SCORE, "--protocol", "all").out == render_citations(task, used)
    assert corpus.run(*SCORE).out == render_citations(task, task.choose())


def test_it_is_written_to_a_file(corpus: Terminal) -> None:
    assert corpus.run(*SCORE, "--output", "kammerton.bib").out == ""
    assert Path("kammerton.bib").read_text(encoding="utf-8").startswith("@misc{kammerton,")


def test_one_thing_is_printed_in_place_of_the_figures(corpus: Terminal) -> None:
    result = corpus.run(*SCORE, "--table", "confusion")
    assert (result.code, result.out) == (2, "")
    assert "--cite and --table both print in place of the scores" in result.err
