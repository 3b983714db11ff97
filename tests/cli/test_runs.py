# SPDX-License-Identifier: MIT
"""``kammerton score --out``: what is written, and what is refused before any work."""

import json
import re
import sys
from pathlib import Path

import pytest

import kammerton
from cli.harness import Terminal

SCORE = ("score", "chords", "ref", "est", "--no-ci")


def test_a_run_is_written_beside_the_figures(corpus: Terminal) -> None:
    plain = corpus.run(*SCORE)
    result = corpus.run(*SCORE, "--out", "run")
    assert (result.code, result.out, result.err) == (plain.code, plain.out, plain.err)
    read = kammerton.read_run("run")
    assert read.to_dict() == kammerton.score("chords", "ref", "est", ci=None).to_dict()


def test_on_a_terminal_it_is_said_what_phases_took(corpus: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kammerton.cli.scoring.is_screen", lambda stream: stream is sys.stderr)
    seconds = r"\d+\.\d"
    phases = [rf"collecting {seconds}", rf"scoring {seconds} \([\d,]+ items/s\)"]
    phases += [rf"{phase} {seconds}" for phase in ("merging", "intervals", "writing")]
    told = rf"took {seconds} s: {', '.join(phases)}"
    assert re.fullmatch(told, corpus.run("score", "chords", "ref", "est", "--out", "run").lines[-2])
    assert "took" not in corpus.run("score", "chords", "ref", "est", "--out", "run", "--quiet").err
    assert "took" not in corpus.run("score", "chords", "ref", "est").err
    assert list(json.loads(Path("run/run.json").read_bytes())["timing"]["seconds"])[-2:] == [
        "intervals",
        "writing",
    ]


def test_it_is_written_whatever_is_printed(corpus: Terminal) -> None:
    corpus.run(*SCORE, "--out", "run", "--format", "json", "--output", "a.json", "--quiet")
    assert kammerton.read_run("run").systems == ("est",)


def test_a_run_is_replaced_but_nothing_else_is(corpus: Terminal) -> None:
    assert corpus.run(*SCORE, "--out", "run").code == 0
    again = corpus.run(*SCORE, "--out", "run", "--protocol", "decibel")
    assert again.code == 0
    assert "replaced a run of 1 system in `run`\n" in again.err
    assert {str(measure).partition("/")[0] for measure in kammerton.read_run("run").measures} == {"decibel"}
    quiet = corpus.run(*SCORE, "--out", "run", "--protocol", "decibel", "--quiet")
    assert "replaced" not in quiet.err
    corpus.write(run={"notes.txt": "dear"})
    result = corpus.run(*SCORE, "--out", "run")
    assert (result.code, result.out) == (5, "")
    assert "error[KT707] cannot write a run to `run`: `notes.txt` there is not of a run" in result.err


def test_no_run_is_written_if_nothing_was_scored(corpus: Terminal) -> None:
    corpus.write(est={"one.lab": "0 2 Q", "two.lab": "0 2 Q"})
    assert corpus.run(*SCORE, "--out", "run").code == 3
    assert "run" not in {name.partition("/")[0] for name in corpus.left()}


def test_places_that_are_refused_before_any_work(corpus: Terminal) -> None:
    result = corpus.run(*SCORE, "--out", "ref/run")
    assert (result.code, result.out) == (2, "")
    assert "`ref/run` is within an input" in result.err
    assert corpus.run(*SCORE, "--out", "est").code == 2
    result = corpus.run(*SCORE, "--out", "no/run")
    assert (result.code, result.out) == (5, "")
    assert "error[KT501] cannot write `no/run`: folder `no` does not exist" in result.err
    result = corpus.run(*SCORE, "--out", ".")
    assert "error[KT707] cannot write a run to `.`: it is a folder with other things" in result.err
    corpus.run(*SCORE, "--out", "run")
    result = corpus.run(*SCORE, "--out", "run", "--per-item", "run/items.csv")
    assert result.code == 2
    assert "`run/items.csv` is within the run" in result.err
    assert kammerton.read_run("run").systems == ("est",)


def test_a_file_in_the_way(corpus: Terminal) -> None:
    corpus.write(here={"run": "dear"})
    result = corpus.run(*SCORE, "--out", "here/run")
    assert (result.code, result.out) == (5, "")
    assert result.err == "error[KT501] cannot write a run to `here/run`: it is no folder\n"


def test_a_saved_run_prints_itself(corpus: Terminal) -> None:
    scored = corpus.run("score", "chords", "ref", "est", "--protocol", "mirex2013", "--out", "run")
    again = corpus.run("score", "run")
    assert (again.code, again.out) == (0, scored.out)
    assert corpus.run("score", "chords", "run").out == scored.out
    root = corpus.run(
        "score", "mine=run", "--measure", "mirex2013/Root", "--no-ci", "--format", "json"
    ).document
    values = {(row["system"], row["measure"], row["aggregate"]): row["value"] for row in root["scores"]}
    assert values["mine", "Root", "pooled"] == 5 / 6
    groups = corpus.run("score", "run", "--group-by", "^(.)", "--format", "csv", "--ci", "0.9")
    assert groups.code == 0
    assert corpus.run("score", "run", "--fail-under", "mirex2013/MajMin=0.9").code == 6
    assert corpus.run("show", "run", "one").out == corpus.run("show", "chords", "run", "one").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "run", "--missing", "skip"), "runs are scored already: `missing` is a choice of scoring"),
        (("score", "run", "--context"), "the run has no context"),
        (("score", "fingering", "run"), "the run is of another task: chords"),
    ],
)
def test_what_a_saved_run_cannot_have_any_more(
    corpus: Terminal, arguments: tuple[str, ...], message: str
) -> None:
    corpus.run("score", "chords", "ref", "est", "--protocol", "mirex2013", "--out", "run")
    result = corpus.run(*arguments)
    assert (result.code, result.lines[0]) == (2, f"error: {message}")
