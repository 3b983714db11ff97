# SPDX-License-Identifier: MIT
"""``kammerton agree``: annotators against each other.

Of `a` the annotators share 3 of 4 s, of `b` all 10 s.
"""

import csv
import io

import pytest

from cli.harness import Terminal

AGREE = ("agree", "chords", "one", "two", "--measure", "mirex2013/MajMin")


@pytest.fixture
def annotators(terminal: Terminal) -> Terminal:
    terminal.write(
        one={"a.lab": "0 2 C|2 4 G:7", "b.lab": "0 10 C"}, two={"a.lab": "0 3 C|3 4 G", "b.lab": "0 10 C"}
    )
    return terminal


def test_a_line_for_each_pair_and_the_means(annotators: Terminal) -> None:
    result = annotators.run(*AGREE)
    assert result.code == 0
    lines = [line.split() for line in result.out.splitlines()]
    assert [*lines[:4], *lines[7:9]] == [
        ["MajMin,", "%", "one", "two", "mean"],
        ["one", "92.9", "92.9"],  # 13 of 14 s
        ["two", "92.9", "92.9"],
        [],
        ["measure", "mean", "of", "pairs", "mean", "of", "items"],
        ["mirex2013/MajMin,", "%", "92.9", "87.5"],  # of 3/4 and 1
    ]
    assert (
        " ".join(lines[4]) == "Each score is the mean of both directions: one annotator as reference, or the"
    )
    # Do = 1/14, De = 1 - (25**2 + 3**2) / 28**2
    text = result.out.replace("\n", " ")
    assert "Beyond chance (roots and triads, as they sound by the map of mirex2013, and N; a unit is" in text
    assert "Krippendorff's alpha 0.627 (4 units); Fleiss' kappa 0.627 (4 units). " in text
    assert result.err == "2 annotators compared on 2 items\n"


def test_names_may_be_given(annotators: Terminal) -> None:
    result = annotators.run("agree", "chords", "me=one", "you=two", "--format", "json", "--quiet")
    assert result.document["annotators"] == ["me", "you"]
    assert result.document["alpha"]["value"] == pytest.approx(1 - (1 / 14) / (150 / 784))
    assert result.err == ""


def test_csv(annotators: Terminal) -> None:
    rows = list(csv.DictReader(io.StringIO(annotators.run(*AGREE, "--format", "csv").out)))
    assert [(row["reference"], row["estimate"], row["aggregate"]) for row in rows] == [
        ("one", "two", "pooled"),
        ("two", "one", "pooled"),
        ("all", "all", "mean_of_pairs"),
        ("all", "all", "mean_of_items"),
    ]
    assert float(rows[2]["value"]) == pytest.approx(13 / 14)
    assert float(rows[3]["value"]) == pytest.approx(7 / 8)


def test_items_are_written(annotators: Terminal) -> None:
    assert annotators.run(*AGREE, "--per-item", "items.csv").code == 0
    rows = list(csv.DictReader(io.StringIO((annotators.folder / "items.csv").read_text(encoding="utf-8"))))
    assert [(row["item"], row["reference"], row["value"]) for row in rows] == [
        ("a", "one", "0.75"),
        ("b", "one", "1.0"),
        ("a", "two", "0.75"),
        ("b", "two", "1.0"),
    ]


@pytest.mark.parametrize(
    ("form", "sign"),
    [
        ("md", "| MajMin, % | one | two | mean |"),
        ("latex", r"MajMin, \% & one & two & mean \\"),
    ],
)
def test_tables_for_papers(annotators: Terminal, form: str, sign: str) -> None:
    result = annotators.run(*AGREE, "--format", form, "--output", "table")
    assert (result.code, result.out) == (0, "")
    text = (annotators.folder / "table").read_text(encoding="utf-8")
    assert sign in text
    assert "system" not in text
    assert "87.5" in text
    assert "alpha 0.627" in text


def test_one_folder_may_hold_several_annotators(terminal: Terminal) -> None:
    rows = "0 0.0 0.5 C4 64 64 0 {}|1 1.0 1.5 D4 64 64 0 2".replace(" ", "\t")
    terminal.write(
        pig={"001-1_fingering.txt": rows.format(1), "001-2_fingering.txt": rows.format(3)},
    )
    result = terminal.run("agree", "fingering", "pig", "--measure", "strike/accuracy")
    assert result.code == 0
    assert "strike/accuracy, %           50.0" in result.out
    assert "mean of pairs" not in result.out


def test_a_file_that_fails_is_exit_code_1(annotators: Terminal) -> None:
    annotators.write(one={"c.lab": "0 1 H"}, two={"c.lab": "0 1 C"})
    result = annotators.run(*AGREE)
    assert result.code == 1
    assert "error[KT" in result.err
    assert "mean of pairs" in result.out


def test_nothing_in_common_is_exit_code_3(terminal: Terminal) -> None:
    terminal.write(one={"a.lab": "0 2 C"}, two={"b.lab": "0 3 C"})
    result = terminal.run(*AGREE)
    assert (result.code, result.out) == (3, "")
    assert "no item has annotations of two of `one`, `two`" in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("agree", "chords"), "ANN is needed"),
        (("agree", "chords", "one"), "agreement needs two annotators"),
        (("agree", "chords", "one", "one"), "two annotators are called `one`"),
        ((*AGREE, "--per-item", "x.json"), "--per-item writes CSV"),
        ((*AGREE, "--per-item", "x.csv", "--output", "./x.csv"), "name the same file"),
        ((*AGREE, "--output", "one/a.lab"), "one/a.lab"),
    ],
)
def test_usage(annotators: Terminal, arguments: tuple[str, ...], message: str) -> None:
    result = annotators.run(*arguments)
    assert result.code in (2, 5)
    assert message in result.err


@pytest.mark.parametrize("form", ["table", "json", "csv", "md", "latex"])
def test_folders_and_runs_print_the_same_bytes(terminal: Terminal, form: str) -> None:
    terminal.write(
        one={"a.lab": "0 2 C|2 4 G:7", "b.lab": "0 10 C", "c.lab": "0 1 H"},
        two={"a.lab": "0 3 C|3 4 G", "b.lab": "0 10 C"},
    )
    arguments = ("--protocol", "mirex2013", "--format", form)
    folders = terminal.run("agree", "chords", "one", "two", *arguments, "--out", "run")
    again = terminal.run("agree", "chords", "run", "--format", form)
    assert (folders.code, again.code) == (1, 1)  # c cannot be read
    assert folders.out == again.out
    assert "replaced" not in folders.err
    replaced = terminal.run("agree", "chords", "one", "two", *arguments, "--out", "run")
    assert "replaced a run of 2 annotators in `run`" in replaced.lines
    quiet = terminal.run("agree", "chords", "one", "two", *arguments, "--out", "run", "--quiet")
    assert "replaced" not in quiet.err
    inside = terminal.run("agree", "chords", "one", "two", "--out", "one/run")
    assert (inside.code, inside.out) == (2, "")
