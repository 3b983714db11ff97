# SPDX-License-Identifier: MIT
"""``--group-by`` of ``score`` and ``compare``: what it prints, also of runs, and what runs keep of it."""

import csv
import io

import pytest

import kammerton as kt
from cli.harness import Terminal
from kammerton.cli.demo import EXAMPLE
from tabled_scores import groups_in

MAJMIN = ("--measure", "mirex2013/MajMin")
FEW = ("--resamples", "50", "--permutations", "50")


@pytest.fixture
def genres(terminal: Terminal) -> Terminal:
    """Four songs of 4 s: `good` has 3 s of the rock songs right, 1 s of jazz; `poor` none, of jazz 2 s."""
    rock, jazz = ("a.lab", "b.lab"), ("c.lab", "d.lab")
    terminal.write(
        ref=dict.fromkeys((*rock, *jazz), "0 4 C"),
        good=dict.fromkeys(rock, "0 3 C|3 4 D") | dict.fromkeys(jazz, "0 1 C|1 4 D"),
        poor=dict.fromkeys(rock, "0 4 D") | dict.fromkeys(jazz, "0 2 C|2 4 D"),
    )
    terminal.write(**{"": {"songs.csv": "item,genre|a,rock|b,rock|c,jazz|d,|e,jazz"}})
    return terminal


GROUPS = ("--group-by", "songs.csv:genre")
SCORE = ("score", "chords", "ref", "good", "poor", *MAJMIN, *GROUPS)
COMPARE = ("compare", "chords", "ref", "good", "poor", *MAJMIN, *GROUPS, *FEW)

TABLE = """\
good scores best, 50.0 % MajMin, +25.0 percentage points against poor (4 items,
not tested).

mirex2013, %  MajMin ↑
good          50.0
poor          25.0

"""
BY_GENRE = """
mirex2013, %, by genre  MajMin ↑
good, jazz              25.0
good, rock              75.0
good, (no genre)        25.0
poor, jazz              50.0
poor, rock               0.0
poor, (no genre)        50.0

Items of each genre: jazz 1, rock 2, (no genre) 1.
Most MajMin is lost by poor in rock (25.0): what all would gain if it were like
the rest.
"""


def test_each_group_stands_below_the_ranking(genres: Terminal) -> None:
    found = genres.run(*SCORE, "--no-ci")
    assert found.code == 0
    assert found.out.startswith(TABLE)
    # without rock poor has 4 of 8 s, 25 % more; good loses as much in jazz as without a genre
    assert found.out.endswith(BY_GENRE)
    assert found.lines[:2] == [
        (
            "warning[KT219] 1 of 4 items is in no group, shown as a group of their own: "
            "`d` has none in the table"
        ),
        "note[KT220] table of groups has 1 name that no item has, such as `e`",
    ]


def test_groups_have_intervals(genres: Terminal) -> None:
    assert "good, rock              75.0 [75.0, 75.0]\n" in genres.run(*SCORE).out


def test_markup_and_files(genres: Terminal) -> None:
    assert "| good, rock | 75.0 |\n" in genres.run(*SCORE, "--no-ci", "--format", "md").out
    latex = genres.run(*SCORE, "--no-ci", "--format", "latex").out
    assert r"good, rock & 75.0 \\" in latex
    assert "Most MajMin is lost by poor in rock (25.0)" in latex
    rows = list(csv.DictReader(io.StringIO(genres.run(*SCORE, "--no-ci", "--format", "csv").out)))
    assert [(row["system"], row["group"], row["value"], row["cost"]) for row in rows[3:]] == [
        ("poor", "jazz", "0.5", str(2 / 12 - 1 / 4)),
        ("poor", "rock", "0.0", "0.25"),
        ("poor", "", "0.5", str(2 / 12 - 1 / 4)),
    ]
    document = genres.run(*SCORE, "--no-ci", "--format", "json").document
    assert [row["group"] for row in document["groups"]["rows"][:3]] == ["jazz", "rock", None]


def test_names_may_say_the_group(genres: Terminal) -> None:
    out = genres.run("score", "chords", "ref", "good", *MAJMIN, "--group-by", "[ab]", "--no-ci").out
    assert "Items of each group: a 1, b 1, (no group) 2.\n" in out


def test_every_measure_or_headlines_only(genres: Terminal) -> None:
    arguments = ("score", "chords", "ref", "good", *GROUPS, "--no-ci", "--protocol", "mir_eval")
    assert "tetrads" not in genres.run(*arguments).out
    assert "tetrads" in genres.run(*arguments, "--all").out


def test_measures_of_annotators_alone_have_no_groups(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLE / "fingering")
    arguments = ("score", "fingering", "reference", "careful", "--group-by", "^(.)", "--no-ci")
    rows = list(csv.DictReader(io.StringIO(terminal.run(*arguments, "--format", "csv").out)))
    assert "ifr_melodic" in {row["measure"] for row in rows}
    assert "ifr_melodic_references" not in {row["measure"] for row in rows}
    assert terminal.run(*arguments, "--protocol", "playability").code == 0


def test_a_comparison_has_groups_below_the_ranking(genres: Terminal) -> None:
    lines = genres.run(*COMPARE).out.splitlines()
    assert lines[-10:-4] == [
        "good, jazz              25.0",
        "good, rock              75.0 [75.0, 75.0]",
        "good, (no genre)        25.0",
        "poor, jazz              50.0",
        "poor, rock               0.0 [0.0, 0.0]",
        "poor, (no genre)        50.0",
    ]


@pytest.mark.parametrize("form", ["table", "json", "csv", "md", "latex"])
def test_runs_print_what_folders_print(genres: Terminal, form: str) -> None:
    for name in ("good", "poor"):
        genres.run("score", "chords", "ref", name, *MAJMIN, "--no-ci", "--out", f"run_{name}")
    folders = genres.run(*COMPARE, "--format", form)
    runs = genres.run("compare", "chords", "run_good", "run_poor", *GROUPS, *FEW, "--format", form)
    assert (runs.code, runs.out) == (0, folders.out)
    assert runs.err == folders.err
    assert ("(no genre)" in runs.out) == (form in ("table", "md", "latex"))


def test_runs_keep_groups(genres: Terminal) -> None:
    document = genres.run(*SCORE, "--resamples", "50", "--out", "run", "--format", "json").document
    read = kt.read_run(genres.folder / "run")
    assert groups_in(read).to_dict() == document["groups"]
    joined = genres.run("compare", "chords", "run", *FEW)
    assert "rock" not in joined.out
    assert "KT219" not in joined.err


@pytest.mark.parametrize("other", [("--cite",), ("--context",)])
def test_one_thing_is_printed(genres: Terminal, other: tuple[str, ...]) -> None:
    found = genres.run(*SCORE, *other)
    assert found.code == 2
    assert found.lines == [f"error: {other[0]} and --group-by both print in place of the scores"]


def test_a_table_that_does_not_say(genres: Terminal) -> None:
    found = genres.run("score", "chords", "ref", "good", "--group-by", "songs.csv:decade")
    assert found.code == 3
    assert "KT217" in found.err
    compared = genres.run("compare", "chords", "ref", "good", "poor", *FEW, "--group-by", "^(x)")
    assert compared.code == 2
    assert compared.lines == ["error: no item has a group: `a` does not match `^(x)`"]
