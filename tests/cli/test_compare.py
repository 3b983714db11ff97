# SPDX-License-Identifier: MIT
"""``kammerton compare``: of six songs of 4 s, `good` has 3 s right, `fair` 2 s, `poor` 1 s."""

import csv
import io

import numpy as np
import pytest

import kammerton as kt
from cases.chords import song
from cli.harness import Terminal
from kammerton.errors import OptionError
from kammerton.fingering import Fingering

COMPARE = ("compare", "chords", "ref", "poor", "good", "--measure", "mirex2013/MajMin")
SONGS = [f"{name}.lab" for name in "abcdef"]


def test_swaps_that_can_tell_nothing_say_so(systems: Terminal) -> None:
    for name in ("ref", "good", "poor"):
        for item in "def":
            (systems.folder / name / f"{item}.lab").unlink()
    arguments = ("compare", "chords", "ref", "good", "poor", "--measure", "mirex2013/MajMin")
    few = "Too few items differ: no adjusted p could be smaller than .250.\n"
    # 2 of 8 patterns are as far apart
    assert few in systems.run(*arguments).out
    assert few not in systems.run(*arguments, "--test", "t").out
    # (6/2 - 1/2) / sqrt(3 * 4 * 7 / 24 - 24/48) = 1.443, as all three ranks are the same
    assert "no adjusted p could be smaller than .149.\n" in systems.run(*arguments, "--test", "wilcoxon").out
    assert "too few" not in systems.run(*arguments, "--alpha", "0.3").out


def test_the_better_system_first_and_the_pair_below(systems: Terminal) -> None:
    result = systems.run(*COMPARE)
    assert result.code == 0
    lines = [line.split() for line in result.out.splitlines()]
    # 2 of the 2**6 ways to swap them are as far apart
    assert result.out.startswith(
        "good is significantly better than poor: +50.0 percentage points of MajMin (95 %\n"
        "CI 50.0 to 50.0, p = .031, 6 items).\n\n"
    )
    assert lines[3:6] == [
        ["mirex2013,", "%", "MajMin", "↑"],
        ["good", "75.0", "a", "[75.0,", "75.0]"],
        ["poor", "25.0", "b", "[25.0,", "25.0]"],
    ]
    assert "good is better on 6 items, worse on 0, equal on 0.\n" in result.out
    assert "(paired permutation\ntest, all 64 swaps, Holm, 5 %).\n" in result.out
    assert "\nmirex2013/*|rev:2|" in result.out
    # the differences do not vary, so there is no d_z
    pairs = systems.run(*COMPARE, "--tests").out.splitlines()
    head = next(number for number, line in enumerate(pairs) if line.startswith("first "))
    assert pairs[head].split()[-10:-6] == ["p", "adjusted", "p", "(Holm)"]
    assert pairs[head + 1].split()[:8] == ["good", "poor", "*", "+50.0", "[50.0,", "50.0]", ".031", ".031"]
    details = systems.run(*COMPARE, "--details").out
    assert "* significant at 0.05: paired permutation test, all 64 swaps, Holm over 1 pair" in details
    assert result.err == "6 of 6 items scored for 2 systems; no item was left out\n"


def test_holm_over_three_pairs(systems: Terminal) -> None:
    document = systems.run(*COMPARE, "fair", "--format", "json").document
    (found,) = document["measures"]
    assert [row["system"] for row in found["ranking"]] == ["good", "fair", "poor"]
    # each pair has 2/64, times 3 by Holm's first step: .09375, and nothing is told apart
    assert {(pair["p"], pair["adjusted"], pair["told_apart"]) for pair in found["pairs"]} == {
        (2 / 64, 6 / 64, False)
    }
    assert {row["letters"] for row in found["ranking"]} == {"a"}
    assert document["test"] == "permutation"


def test_a_smallest_p_that_is_too_large_is_said(systems: Terminal, terminal: Terminal) -> None:
    # of three pairs, 3 * 2/64 at least
    said = "Too few items differ: no adjusted p could be smaller than "
    assert f"{said}.094.\n" in systems.run(*COMPARE, "fair").out
    assert said not in systems.run(*COMPARE, "fair", "--alpha", "0.1").out
    songs = [f"{number}.lab" for number in range(17)]  # 2**17 swaps are not all tried
    terminal.write(
        ref=dict.fromkeys(songs, "0 4 C"),
        poor=dict.fromkeys(songs, "0 1 C|1 4 G"),
        good=dict.fromkeys(songs, "0 3 C|3 4 G"),
    )
    # the observed one and 15 more: at least 1/16
    assert f"{said}.062.\n" in terminal.run(*COMPARE, "--permutations", "15", "--resamples", "20").out


def test_everything_as_json(systems: Terminal) -> None:
    arguments = ("--test", "friedman", "--reliability", "--format", "json")
    (found,) = systems.run(*COMPARE, "fair", *arguments).document["measures"]
    assert found["friedman"]["ranks"] == [3.0, 1.0, 2.0]  # of poor, good, fair, in the order given
    assert found["friedman"]["chi_squared"] == pytest.approx(12.0)  # 12 n / (k (k + 1)) * 2, n = 6, k = 3
    # systems differ and items do not: all variance is that of systems
    assert found["reliability"]["e_rho2"] == pytest.approx(1.0)
    assert found["aggregate"] == "pooled"


def test_pairs_as_csv(systems: Terminal) -> None:
    (row,) = csv.DictReader(io.StringIO(systems.run(*COMPARE, "--format", "csv").out))
    assert (row["measure"], row["first"], row["second"]) == ("MajMin", "good", "poor")
    assert float(row["difference"]) == pytest.approx(0.5)
    assert (row["wins"], row["ties"], row["losses"]) == ("6", "0", "0")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--test", "friedman"), "Friedman: chi2 6.000, p = .014"),  # 6 songs, all ranks alike: chi2 = n
        (("--test", "wilcoxon"), "(Wilcoxon's signed-rank\ntest, Holm, 5 %)"),
        (("--test", "t"), "(paired t test, Holm,\n5 %)"),
        (("--alpha", "0.01"), "all 64 swaps, Holm, 1 %)"),
        (("--reliability",), "Reliability: E rho2"),
        (("--cluster", "^.", "--details"), "6 clusters resampled"),
        (("--seed", "5", "--details"), "seed 5"),
        (("--ci", "0.9"), "MajMin (90 %\nCI"),
    ],
)
def test_choices_are_said(systems: Terminal, arguments: tuple[str, ...], said: str) -> None:
    result = systems.run(*COMPARE, *arguments)
    assert result.code == 0
    assert said in result.out


@pytest.mark.parametrize(
    ("form", "sign"),
    [("md", "| good | **75.0**<sup>a</sup> "), ("latex", r"good & \textbf{75.0}\textsuperscript{a} ")],
)
def test_tables_for_papers(systems: Terminal, form: str, sign: str) -> None:
    result = systems.run(*COMPARE, "--format", form, "--output", "table")
    assert (result.code, result.out) == (0, "")
    assert sign in (systems.folder / "table").read_text(encoding="utf-8")


def test_the_caption_explains_the_letters_where_readers_of_the_paper_see_it(systems: Terminal) -> None:
    out = systems.run(*COMPARE, "--format", "latex").out
    caption = next(line for line in out.splitlines() if line.startswith(r"\caption"))
    assert caption == (
        r"\caption{mirex2013, \%; 95 \% CI in brackets. Systems that share a letter do not differ "
        r"significantly (paired permutation test, all 64 swaps, Holm, 5 \%).}"
    )


def test_headline_measures_unless_all_are_wanted(systems: Terminal) -> None:
    some = systems.run(*COMPARE[:5], "--protocol", "mirex2013").out
    assert " MajMin ↑ " in some
    assert "ACQA" not in some
    assert "ACQA" in systems.run(*COMPARE[:5], "--protocol", "mirex2013", "--all").out


def test_protocols_that_disagree_are_named(terminal: Terminal) -> None:
    # silence is not N in mirex2013: 2.5 and 3 of 4 s are right; mir_eval fills it with N: 3.5 and 3 s
    terminal.write(
        ref=dict.fromkeys(SONGS, "0 1 N|1 4 C"),
        short=dict.fromkeys(SONGS, "1 3.5 C|3.5 4 G"),
        long=dict.fromkeys(SONGS, "0 1 N|1 3 C|3 4 G"),
    )
    arguments = ("compare", "chords", "ref", "short", "long", "--measure", "mirex2013/Root,mir_eval/root")
    result = terminal.run(*arguments, "--details")
    assert result.code == 0
    said = (
        "mirex2013/Root ranks long before short, mir_eval/root the other way round; both\nare significant.\n"
    )
    assert said in result.out


def test_a_missing_song_counts_as_worst_and_is_said(systems: Terminal) -> None:
    (systems.folder / "good" / "a.lab").unlink()
    result = systems.run(*COMPARE)
    assert result.code == 1
    assert "good          62.5 a" in result.out  # 15 of 24 s
    skipped = systems.run(*COMPARE, "--missing", "skip")
    assert "1 item left out: no pair has it." in skipped.out
    assert "Systems have 5 to 6 items: each score is over its system's own" in skipped.out


@pytest.fixture
def lacking(systems: Terminal) -> Terminal:
    """Four more songs; a system that has only one of the ten."""
    more = [f"{name}.lab" for name in "ghij"]
    systems.write(
        ref=dict.fromkeys(more, "0 4 C"),
        good=dict.fromkeys(more, "0 3 C|3 4 G"),
        poor=dict.fromkeys(more, "0 1 C|1 4 G"),
        sub={"a.lab": "0 4 C"},
    )
    return systems


def test_a_system_with_one_song_spoils_nothing(lacking: Terminal) -> None:
    result = lacking.run(*COMPARE, "sub", "--missing", "skip", "--width", "120")
    assert result.code == 0  # songs are missing, as the user chose to skip
    lines = [line.split() for line in result.out.splitlines()]
    assert [line[:3] for line in lines[4:7]] == [
        ["good", "75.0", "a"],
        ["poor", "25.0", "b"],
        ["sub", "100.0", "ab"],
    ]
    assert "Systems have 1 to 10 items" in result.out
    assert "all 2 to 1,024 swaps, Holm, 5 %" in result.out
    signed = [line for line in result.out.splitlines() if "|rev:" in line]
    assert [line.split("|rev:")[0] for line in signed] == ["poor, good: mirex2013/*", "sub: mirex2013/*"]
    assert ["|items:1/10|" in line for line in signed] == [False, True]  # of ten, of one
    detailed = lacking.run(*COMPARE, "sub", "--missing", "skip", "--width", "120", "--details").out
    assert "System sub has at most 1 item in common with any other: too few to be compared.\n" in detailed
    # of the ten songs 2/1024, of one 2/2; three pairs by Holm
    pairs = [line.split() for line in detailed.splitlines() if line.startswith(("good   poor", "sub    "))]
    pairs = [pair for pair in pairs if pair[1] in ("good", "poor")]
    assert pairs[0][:4] + pairs[0][7:9] == ["good", "poor", "*", "10", ".002", ".006"]
    assert [line[:3] for line in pairs[1:3]] == [["sub", "good", "1"], ["sub", "poor", "1"]]
    assert "warning[KT221] system `sub` has at most 1 item in common with any other" in result.err
    document = lacking.run(*COMPARE, "sub", "--missing", "skip", "--format", "json").document
    assert (document["few"], document["against"]) == ({"sub": 1}, None)
    (found,) = document["measures"]
    assert [pair["items"] for pair in found["pairs"]] == [10, 1, 1]
    assert [row["items"] for row in found["ranking"]] == [10, 10, 1]
    assert ["|items:1/10|" in row["signature"] for row in found["ranking"]] == [False, False, True]
    friedman = lacking.run(*COMPARE, "sub", "--missing", "skip", "--test", "friedman", "--width", "120").out
    assert "differ significantly; on 1 item that all systems have.\n" in friedman


def test_a_pair_without_a_common_song_has_no_p(systems: Terminal) -> None:
    systems.write(first={"a.lab": "0 4 C"}, last={"b.lab": "0 2 C|2 4 G"})
    arguments = ("compare", "chords", "ref", "first", "last", "good", "--missing", "skip", "--width", "120")
    chosen = ("--measure", "MajMin", "--protocol", "mirex2013", "--details")
    lines = systems.run(*arguments, *chosen).out.splitlines()
    (pair,) = [line.split() for line in lines if line.split()[:2] == ["first", "last"]]
    assert pair == ["first", "last", "0", "undefined", "-", "-", "-", "0", "/", "0", "/", "0"]
    assert any("Holm over 2 pairs" in line for line in lines)
    friedman = systems.run(*arguments, "--measure", "mirex2013/MajMin", "--test", "friedman").out
    assert (
        "Friedman: chi2 -, p undefined; mean ranks that differ by - differ significantly; on no item that"
        in friedman
    )


def test_runs_on_disk_are_compared_pair_by_pair_too(lacking: Terminal) -> None:
    names = ("poor", "good", "sub")
    for name in names:
        lacking.run("score", "chords", "ref", name, "--missing", "skip", "--out", f"run_{name}", "--no-ci")
    chosen = ("--measure", "mirex2013/MajMin,mirex2013/Root")
    folders = lacking.run("compare", "chords", "ref", *names, "--missing", "skip", *chosen)
    runs = lacking.run("compare", "chords", *(f"run_{name}" for name in names), *chosen)
    assert runs.out == folders.out


def test_groups_are_of_what_the_systems_share_that_have_enough(lacking: Terminal) -> None:
    arguments = ("--missing", "skip", "--group-by", "^([a-e])?", "--format", "json")
    rows = lacking.run(*COMPARE, "sub", *arguments).document["groups"]["rows"]
    of_a = {row["system"]: (row["items"], row["value"]) for row in rows if row["group"] == "a"}
    assert of_a == {"poor": (1, 0.25), "good": (1, 0.75), "sub": (1, 1)}
    of_b = {row["system"]: (row["items"], row["value"]) for row in rows if row["group"] == "b"}
    assert of_b == {"poor": (1, 0.25), "good": (1, 0.75), "sub": (0, None)}


def test_all_are_compared_with_one(systems: Terminal) -> None:
    result = systems.run(*COMPARE, "fair", "--against", "fair")
    assert result.code == 0
    lines = [line.split() for line in result.out.splitlines()]
    # 2 of 64 swaps, two pairs: .0625
    assert result.out.startswith(
        "good is not significantly better than fair: +25.0 percentage points of MajMin\n"
    )
    assert "\n(95 % CI 25.0 to 25.0, adjusted p = .062, 6 items)." in result.out
    assert lines[3:7] == [
        ["mirex2013,", "%", "MajMin", "↑", "vs", "fair"],
        ["good", "75.0", "[75.0,", "75.0]", "+25.0", "[25.0,", "25.0]"],
        ["fair", "50.0", "[50.0,", "50.0]"],
        ["poor", "25.0", "[25.0,", "25.0]", "-25.0", "[-25.0,", "-25.0]"],
    ]
    assert "* differs significantly from fair (paired permutation test, all 64 swaps, Holm," in result.out
    starred = systems.run(*COMPARE, "fair", "--against", "fair", "--alpha", "0.1", "--format", "latex").out
    assert "+25.0 [25.0, 25.0] * \\\\" in starred
    assert "* differs significantly from fair" in starred
    friedman = systems.run(*COMPARE, "fair", "--against", "fair", "--test", "friedman", "--tests").out
    assert "adjusted p (Holm)" in friedman
    assert "mean ranks that differ" not in friedman  # the threshold of Tukey, of all pairs
    tukey = systems.run(*COMPARE, "fair", "--test", "friedman", "--tests", "--width", "200").out
    assert "adjusted p (Tukey)" in tukey


@pytest.mark.parametrize("option", [("--against", "fiar"), ("--against", "fiar", "--pairs", "pairs.csv")])
def test_a_system_that_is_not_there(systems: Terminal, option: tuple[str, ...]) -> None:
    arguments = [*COMPARE, "fair"]
    if "--pairs" in option:
        rows = [f"{name},ref/{name}.lab,poor/{name}.lab,fair/{name}.lab" for name in "abcdef"]
        text = "\n".join(["item,reference,poor,fair", *rows, ""])
        (systems.folder / "pairs.csv").write_text(text, encoding="utf-8")
        arguments = ["compare", "chords"]
    result = systems.run(*arguments, *option)
    assert (result.code, result.out) == (2, "")
    assert "unknown system `fiar`\n  help: did you mean `fair`?" in result.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("compare", "chords", "ref", "poor"), 2, "a comparison needs two systems"),
        (("compare", "chords", "ref"), 2, "REF and EST are needed"),
        ((*COMPARE, "--alpha", "2"), 2, "alpha"),
        ((*COMPARE, "--output", "ref/a.lab"), 2, "ref/a.lab"),
        (("compare", "chords", "ref", "x=none", "good"), 2, "no such file or folder"),
    ],
)
def test_what_is_refused(systems: Terminal, arguments: tuple[str, ...], code: int, message: str) -> None:
    result = systems.run(*arguments)
    assert (result.code, result.out) == (code, "")
    assert message in result.err


def test_nothing_that_can_be_scored_is_exit_code_3(terminal: Terminal) -> None:
    terminal.write(ref={"a.lab": "0 1 H"}, one={"a.lab": "0 1 C"}, two={"a.lab": "0 1 C"})
    assert terminal.run("compare", "chords", "ref", "one", "two").code == 3


def test_the_only_annotator_may_be_named() -> None:
    def piece(*fingers: int) -> Fingering:
        times, zeros = np.arange(4.0), np.zeros(4, dtype=np.int64)
        return Fingering(times, times + 1, zeros + 60, zeros, tuple(map(str, fingers)))

    people = {"A": {"p": piece(1, 2, 3, 4)}}
    systems = {"s": {"p": piece(1, 2, 3, 5)}, "t": {"p": piece(1, 1, 1, 1)}}
    found = kt.compare("fingering", None, systems, annotators=people, annotator="A")
    # also by measures of all references at once, as there is but one
    assert found.of("nakamura2020/M_high").ranking[0].value == 0.75


def test_tables_in_python() -> None:
    refs = {name: song((0, 4, "C")) for name in "abcdef"}
    good, poor = ({name: song((0, n, "C"), (n, 4, "G")) for name in refs} for n in (3, 1))
    found = kt.compare("chords", refs, {"poor": poor, "good": good}, measures=["mirex2013/MajMin"])
    assert found.ranking.select("system", "letters", "value").rows() == [
        ("good", "a", 0.75),
        ("poor", "b", 0.25),
    ]
    assert found.pairs.select("first", "p", "told_apart").rows() == [("good", 2 / 64, True)]
    assert found.ranking.select("items", "place").rows() == [(6, 1), (6, 2)]
    columns = ("items", "first_value", "second_value", "permutations", "exact")
    assert found.pairs.select(columns).rows() == [(6, 0.75, 0.25, 64, True)]
    against = kt.compare(
        "chords", refs, {"poor": poor, "good": good}, measures=["mirex2013/MajMin"], against="good"
    )
    assert against.pairs.select("first", "second", "difference").rows() == [("poor", "good", -0.5)]
    with pytest.raises(OptionError, match="unknown system `goood`"):
        kt.compare("chords", "nowhere", {"poor": "neither", "good": "here"}, against="goood")
    with pytest.raises(OptionError, match="unknown measure"):
        found.of("nothing")


def test_workers_do_not_show(systems: Terminal) -> None:
    result = systems.run(*COMPARE, "--jobs", "2", "--shard-size", "200")
    assert result == systems.run(*COMPARE)
    assert systems.run(*COMPARE, "--jobs", "0").err == "error: jobs are 1 or more, got 0\n"
    assert "unknown executor `ray`" in systems.run(*COMPARE, "--executor", "ray").err
