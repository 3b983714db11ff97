# SPDX-License-Identifier: MIT
"""Intervals on the command line: of two songs with .2 and .8, drawn anew."""

from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from cases.chords import song
from cli.harness import Terminal
from kammerton.errors import OptionError

SCORE = ("score", "chords", "ref", "est", "--measure", "mirex2013/MajMin")


@pytest.fixture
def songs(terminal: Terminal) -> Terminal:
    terminal.write(
        ref={"1.lab": "0 10 C", "2.lab": "0 10 C"}, est={"1.lab": "0 2 C|2 10 G", "2.lab": "0 8 C|8 10 G"}
    )
    return terminal


def rows(out: str) -> list[list[str]]:
    return [line.split() for line in out.splitlines()]


def test_below_each_figure_stand_the_ends_of_its_interval(songs: Terminal) -> None:
    result = songs.run(*SCORE)
    assert rows(result.out)[3] == ["est", "50.0", "[20.0,", "80.0]"]
    assert "|ci:0.95,expanded-percentile,10000,0|" in result.out


def test_no_interval_if_none_is_wanted(songs: Terminal) -> None:
    result = songs.run(*SCORE, "--no-ci")
    assert rows(result.out)[3] == ["est", "50.0"]
    assert "20.0" not in result.out
    assert "ci:" not in result.out


def test_the_level_and_the_draws_are_signed(songs: Terminal) -> None:
    arguments = ("--ci", "0.5", "--interval", "bca", "--resamples", "200", "--seed", "3", "--format", "json")
    (pooled, *_) = songs.run(*SCORE, *arguments).document["scores"]
    assert "|ci:0.5,expanded-bca,200,3|" in pooled["signature"]
    assert pooled["ci"][0] <= pooled["value"] <= pooled["ci"][1]


@pytest.mark.parametrize("cluster", ["songs.csv:album", "^."])
def test_songs_of_one_album_are_drawn_together(songs: Terminal, cluster: str) -> None:
    (songs.folder / "songs.csv").write_text("item,album\n1,x\n2,y\n")
    document = songs.run(*SCORE, "--cluster", cluster, "--format", "json").document
    assert document["scores"][0]["ci"] == [0.2, 0.8]
    signed = "songs.csv@" if ":" in cluster else "^."
    assert f"|clusters:{signed}" in document["scores"][0]["signature"]


def test_a_run_keeps_its_clusters_and_what_else_is_not_chosen_anew(songs: Terminal) -> None:
    assert songs.run(*SCORE, "--cluster", "^.", "--resamples", "500", "--out", "run").code == 0
    for options, signed in (
        (("--seed", "4"), "|ci:0.95,expanded-percentile,500,4|clusters:^.|"),
        (("--ci", "90%"), "|ci:0.9,expanded-percentile,500,0|clusters:^.|"),
        (("--cluster", "(.)"), "|ci:0.95,expanded-percentile,500,0|clusters:(.)|"),
    ):
        assert signed in songs.run("score", "run", *options).out
    assert "|ci:" not in songs.run("score", "run", "--no-ci").out


def test_a_single_album_has_no_interval(songs: Terminal) -> None:
    (songs.folder / "songs.csv").write_text("item,album\n1,x\n2,x\n")
    result = songs.run(*SCORE, "--cluster", "songs.csv:album")
    assert rows(result.out)[3] == ["est", "50.0"]
    assert "80.0" not in result.out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--ci", "95"), 2, "the level of an interval is between 0 and 1"),
        (("--resamples", "0"), 2, "at least one resample"),
        (("--seed", "-1"), 2, "a seed is 0 or more"),
        (("--cluster", "("), 2, "not a regular expression"),
        (("--cluster", "x"), 2, "2 of 2 items have no group: `1` does not match `x`"),
        (("--no-ci", "--cluster", "^."), 2, "clusters are for intervals"),
        (("--cluster", "none.csv:album"), 3, "KT101"),
    ],
)
def test_what_is_refused(songs: Terminal, arguments: tuple[str, ...], code: int, message: str) -> None:
    result = songs.run(*SCORE, *arguments)
    assert (result.code, result.out) == (code, "")
    assert message in result.err


def test_the_kind_of_interval_is_one_of_two() -> None:
    with pytest.raises(OptionError, match="unknown kind of interval"):
        kt.score("chords", {"a": song((0, 1, "C"))}, {"a": song((0, 1, "C"))}, interval="bayes")  # type: ignore[arg-type]


def test_choices_are_refused_before_anything_is_read() -> None:
    def nowhere(scoring: Any, message: str, **choices: Any) -> None:
        with pytest.raises(OptionError, match=message):
            scoring("chords", "nowhere", ["nowhere/a", "nowhere/b"], **choices)

    for scoring in (kt.score, kt.compare):
        nowhere(scoring, "no such file or folder")
        nowhere(scoring, "the level of an interval", ci=95)
        nowhere(scoring, "the level of an interval must be a number between 0 and 1, not str", ci="a")
        nowhere(scoring, "unknown kind of interval", interval="bayes")
        nowhere(scoring, "at least one resample", resamples=0)
        nowhere(scoring, "a seed is 0 or more", seed=-1)
    nowhere(kt.score, "clusters are for intervals", ci=None, clusters="^.")
    nowhere(kt.compare, "the level of an interval must be a number between 0 and 1, not NoneType", ci=None)
    nowhere(kt.compare, "alpha is between 0 and 1", alpha=5)
    nowhere(kt.compare, "unknown test", test="sign")
    nowhere(kt.compare, "at least one resample", permutations=0)


def test_songs_in_folders_are_noticed(terminal: Terminal) -> None:
    names = [f"{album}/{number}.lab" for album in "xy" for number in range(2)]
    terminal.write(ref=dict.fromkeys(names, "0 1 C"), est=dict.fromkeys(names, "0 1 G"))
    result = terminal.run(*SCORE)
    assert (
        "note[KT218] intervals take 4 items for independent, but by their names they belong to 2"
        in result.err
    )
    assert "--cluster '^(.*)/'" in result.err
    assert "KT218" not in terminal.run(*SCORE, "--cluster", "^(.*)/").err
    assert "KT218" not in terminal.run(*SCORE, "--no-ci").err


def test_excerpts_are_noticed(terminal: Terminal) -> None:
    names = [f"{title}-{number}.lab" for title in "xy" for number in range(2)]
    terminal.write(ref=dict.fromkeys(names, "0 1 C"), est=dict.fromkeys(names, "0 1 G"))
    assert "KT218" in terminal.run(*SCORE).err


@pytest.mark.parametrize("names", [("x-0", "x-1", "y-0"), ("x-0", "x-1", "y-0", "y-1", "z"), ("x-0", "x-1")])
def test_names_that_only_some_share_are_not(terminal: Terminal, names: tuple[str, ...]) -> None:
    files = [f"{name}.lab" for name in names]
    terminal.write(ref=dict.fromkeys(files, "0 1 C"), est=dict.fromkeys(files, "0 1 G"))
    assert "KT218" not in terminal.run(*SCORE).err


def test_clusters_of_a_mapping_are_signed_as_given(tmp_path: Path) -> None:
    items = {name: song((0, 1, "C")) for name in "ab"}
    scores = kt.score("chords", items, items, measures=["mirex2013/MajMin"], clusters={"a": "x", "b": "y"})
    assert all("|clusters:given|" in signature for signature in scores.summary["signature"])


@pytest.mark.parametrize(
    ("level", "resamples", "needed"),
    [
        ("0.999999", "10000", "2000000"),
        ("0.9999", "10000", "20000"),
        ("0.9998", "10000", None),  # one of them lies beyond each end
        ("0.9998", "9999", "10000"),
        ("0.95", "40", None),
        ("0.95", "39", "40"),
    ],
)
def test_resamples_that_are_too_few_for_a_level_are_noted(
    terminal: Terminal, level: str, resamples: str, needed: str | None
) -> None:
    terminal.write(
        ref=dict.fromkeys(("a.lab", "b.lab"), "0 1 C"), est=dict.fromkeys(("a.lab", "b.lab"), "0 1 C")
    )
    chosen = ("--ci", level, "--resamples", resamples, "--measure", "mirex2013/Root")
    for command in (("score", "chords", "ref", "est"), ("compare", "chords", "ref", "est", "B=est")):
        result = terminal.run(*command, *chosen)
        assert result.code == 0
        assert ("KT222" in result.err) == (needed is not None)
        if needed is not None:
            told = f"{int(resamples):,} resamples are too few for intervals of {100 * float(level):g} %"
            assert f"note[KT222] {told}: these end at the lowest and highest of them\n" in result.err
            assert f"  help: --resamples {needed}, or a lower level\n" in result.err
            mended = ("--ci", level, "--resamples", needed, *chosen[4:])
            assert int(needed) > 30_000 or "KT222" not in terminal.run(*command, *mended).err
    assert "KT222" not in terminal.run("score", "chords", "ref", "est", "--no-ci", "--resamples", "1").err
