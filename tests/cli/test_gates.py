# SPDX-License-Identifier: MIT
"""Gates against an earlier run: losses that are no chance fail, all else passes."""

import re
from typing import Any

import pytest

import kammerton as kt
from cli.harness import Terminal

SCORE = ("score", "chords", "ref")
GATE = (*SCORE, "new", "--fail-below", "run")
MAJMIN = "--fail-below: mirex2013/MajMin of new is"


@pytest.fixture
def nightly(terminal: Terminal) -> Terminal:
    """Ten songs, of which half was right in the earlier run."""
    songs = [f"{number}.lab" for number in range(10)]
    terminal.write(
        ref=dict.fromkeys(songs, "0 4 C"),
        old=dict.fromkeys(songs, "0 2 C\n2 4 G"),
        same=dict.fromkeys(songs, "0 2 C\n2 4 G"),
        better=dict.fromkeys(songs, "0 3 C\n3 4 G"),
        worse=dict.fromkeys(songs, "0 1 C\n1 4 G"),
        chance=dict.fromkeys(songs[:5], "0 1 C\n1 4 G") | dict.fromkeys(songs[5:], "0 2 C\n2 4 G"),
        half={"0.lab": "0 4 C"},
    )
    assert terminal.run(*SCORE, "old", "--out", "run").code == 0
    return terminal


@pytest.mark.parametrize(
    ("system", "options", "code", "line"),
    [
        (
            "worse",
            (),
            6,
            "25.00 %, 50.00 % in `run`: -25.00 (p = .002, 10 items): failed",
        ),  # 2 of 1,024 swaps
        (
            "chance",
            (),
            0,
            "37.50 %, 50.00 % in `run`: -12.50 (p = .062, 10 items): passed",
        ),  # 2 of 32: five differ
        ("same", (), 0, "50.00 %, 50.00 % in `run`: 0.00 (p = 1, 10 items): passed"),
        ("better", (), 0, "75.00 %, 50.00 % in `run`: +25.00 (p = .002, 10 items): passed"),
        ("chance", ("--tolerance", "12.5%"), 0, "-12.50, tolerated 12.50: passed"),
        ("chance", ("--tolerance", "0.12"), 6, "-12.50, tolerated 12.00: failed"),
        ("better", ("--tolerance", "0"), 0, "+25.00, tolerated 0.00: passed"),
        ("worse", ("--show", "UnderSeg"), 6, "is not"),
        (
            "worse",
            ("--items", "[0-3]"),
            0,
            "-25.00 (p = .125, 4 items, too few for the test: a tolerance limits the loss): passed",
        ),
    ],
)
def test_a_loss_fails_if_it_is_no_chance(
    nightly: Terminal, system: str, options: tuple[str, ...], code: int, line: str
) -> None:
    result = nightly.run(*SCORE, f"new={system}", "--fail-below", "run", *options)
    if "--show" in options:  # each estimate has one boundary too many: that is the same in both
        assert (result.code, "UnderSeg of new is" in result.err) == (0, True)
        return
    assert result.code == code
    assert line in result.err
    assert MAJMIN in result.err
    quiet = nightly.run(*SCORE, f"new={system}", "--fail-below", "run", *options, "--quiet")
    assert (quiet.code, MAJMIN in quiet.err) == (code, code == 6)


def test_systems_are_paired_by_name(nightly: Terminal) -> None:
    assert nightly.run(*SCORE, "a=old", "b=worse", "--out", "both").code == 0
    result = nightly.run(*SCORE, "a=worse", "b=worse", "c=worse", "--fail-below", "both")
    assert result.code == 6
    assert "MajMin of a is 25.00 %, 50.00 % in `both`: -25.00 (p = .002, 10 items): failed" in result.err
    assert "MajMin of b is 25.00 %, 25.00 % in `both`: 0.00 (p = 1, 10 items): passed" in result.err
    assert "`both` has no system `c`: not compared" in result.err
    lacking = nightly.run(*SCORE, "c=worse", "--fail-below", "both")
    assert (lacking.code, "has none of these systems" in lacking.err) == (2, True)


def test_a_failed_gate_keeps_the_run_that_would_be_replaced(nightly: Terminal) -> None:
    for out in ("run", "./run"):  # the same command fails again
        worse = nightly.run(*SCORE, "new=worse", "--fail-below", "run", "--out", out, "--quiet")
        assert worse.code == 6
        assert worse.lines[-1] == "`run` was kept: the gate failed"
    other = nightly.run("score", "chords", "ref", "worse", "--items", "0", "--fail-under", "MajMin=1")
    assert (other.code, "was kept" in other.err) == (6, False)
    assert nightly.run(*SCORE, "new=worse", "--fail-below", "run", "--out", "other").code == 6
    assert nightly.run("score", "other", "--value-only").out == "25.00\n"
    better = nightly.run(*SCORE, "new=better", "--fail-below", "run", "--out", "run")
    assert (better.code, "replaced a run of 1 system in `run`" in better.err) == (0, True)
    assert nightly.run("score", "run", "--fail-below", "run", "--value-only").out == "75.00\n"


@pytest.mark.parametrize(
    ("together", "code", "evidence"),
    [  # songs of an album are swapped together: 2 of 64 swaps, and 2 of 4
        (5, 6, "-25.00 (p = .031, 10 items in 6 clusters): failed"),
        (9, 0, "-25.00 (p = .500, 10 items in 2 clusters, too few for the test: "),
    ],
)
def test_clusters_of_the_scores_are_swapped(
    nightly: Terminal, together: int, code: int, evidence: str
) -> None:
    albums = [f"{song},{max(song, together - 1)}" for song in range(10)]
    (nightly.folder / "songs.csv").write_text("\n".join(["item,album", *albums]) + "\n")
    clusters = ("--cluster", "songs.csv:album")
    result = nightly.run(*SCORE, "new=worse", *clusters, "--fail-below", "run")
    assert (result.code, evidence in result.err) == (code, True)
    assert nightly.run(*SCORE, "new=worse", *clusters, "--out", "new").code == 0
    of_run = nightly.run("score", "new", "--fail-below", "run")
    assert (of_run.code, evidence in of_run.err) == (code, True)


def test_what_is_not_comparable_is_refused(nightly: Terminal) -> None:
    nightly.write(other={"0.lab": "0 4 D"})
    for arguments, code in (
        (("other", "worse"), "KT708"),
        (("ref", "worse", "--missing", "skip"), "KT709"),
    ):
        result = nightly.run("score", "chords", *arguments, "--fail-below", "run")
        assert (result.code, code in result.err) == (6, True)
        assert "--fail-below: not comparable with `run`: failed\n" in result.err
    assert nightly.run("score", "instruments", "x.csv", "y.csv", "--fail-below", "run").code == 2
    assert nightly.run(*SCORE, "worse", "--fail-below", "old").code == 3
    assert nightly.run(*SCORE, "worse", "--fail-below", "run", "--tolerance", "-1").code == 2
    assert nightly.run(*SCORE, "worse", "--tolerance", "1").code == 2


def test_a_run_without_the_measure_fails_the_gate(nightly: Terminal) -> None:
    assert nightly.run(*SCORE, "old", "--protocol", "decibel", "--out", "other").code == 0
    result = nightly.run(*SCORE, "new=better", "--fail-below", "other")
    assert result.code == 6
    assert "--fail-below: `other` has decibel, not mirex2013/MajMin: failed\n" in result.err


def test_an_undefined_score_fails_and_one_that_was_undefined_passes(terminal: Terminal) -> None:
    terminal.write(ref={"a.lab": "0 2 D:dim"}, est={"a.lab": "0 2 D:dim"})
    assert terminal.run(*SCORE, "est", "--out", "run").code == 0
    result = terminal.run(*SCORE, "est", "--fail-below", "run")
    assert (result.code, "is undefined, undefined in `run`: failed\n" in result.err) == (6, True)


def test_a_gate_of_a_run_is_of_the_measures_of_the_run(nightly: Terminal) -> None:
    assert nightly.run(*SCORE, "old", "--protocol", "all", "--out", "all").code == 0
    result = nightly.run("score", "all", "--fail-under", "MajMin=0.1")
    assert (result.code, "is not unique" in result.err) == (2, True)
    assert nightly.run("score", "all", "--fail-under", "mir_eval/majmin=0.9").code == 6


def test_gates_of_python_are_those_of_the_command_line(
    nightly: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(nightly.folder)
    limits: dict[str, Any] = {"fail_under": {"MajMin": 0.3}, "fail_below": "run"}
    options = ("--fail-under", "MajMin=30%", "--fail-below", "run")
    for system in ("worse", "chance", "better"):
        result = nightly.run(*SCORE, f"new={system}", *options)
        outcome = kt.gate(kt.score("chords", "ref", {"new": system}), **limits)
        assert (result.code == 6) != outcome.passed
        lines = [line.partition(": ")[2] for line in result.err.splitlines() if line.startswith("--fail-")]
        assert sorted(lines) == sorted(str(outcome).splitlines())
        assert all(text in lines for text in outcome.failures)


def test_a_gate_of_scores(nightly: Terminal) -> None:
    old, worse = (
        kt.score("chords", str(nightly.folder / "ref"), {"s": str(nightly.folder / n)})
        for n in ("old", "worse")
    )
    (failure,) = kt.gate(worse, fail_below=old).failures
    assert failure.endswith("is 25.00 %, 50.00 % in the earlier scores: -25.00 (p = .002, 10 items): failed")
    assert kt.gate(worse, fail_below=old, tolerance=0.25).passed
    assert kt.gate(worse, fail_below=old, measure="UnderSeg").passed  # a boundary too many in both
    anything: Any = "MajMin"
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "which gate?"),
        ({"fail_under": anything}, "fail_under must be a mapping of measures to numbers, not str"),
        (
            {"fail_under": {"MajMin": anything}},
            "MajMin must be a number, not str\n  help: write 75 % as 0.75",
        ),
        ({"fail_under": {"MajMin": 75}}, "help: write 75 % as 0.75; you wrote 75"),
        ({"fail_under": {"decibel/CSR": 0.5}}, "is not among those that are computed"),
        ({"fail_below": old, "tolerance": anything}, "a tolerance must be a number, not str"),
        ({"fail_below": old, "tolerance": -1}, "a tolerance is not negative: -1"),
    ]
    for choices, message in wrong:
        with pytest.raises(kt.OptionError, match=re.escape(message)):
            kt.gate(old, **choices)
