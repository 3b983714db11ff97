# SPDX-License-Identifier: MIT
"""``--context`` of ``score`` and ``compare``: what it prints, and what runs keep of it."""

import csv
import io

import pytest

from cli.harness import Terminal

MAJMIN = ("--measure", "mirex2013/MajMin")
FEW = ("--resamples", "50", "--permutations", "50")


@pytest.fixture
def people(terminal: Terminal) -> Terminal:
    """Two songs of 4 s: of each `Ann` agrees with `ref` for 3 s, `good` for 2 s, `poor` for 1 s."""
    songs = ("a.lab", "b.lab")
    terminal.write(
        ref=dict.fromkeys(songs, "0 4 C"),
        Ann=dict.fromkeys(songs, "0 3 C|3 4 G"),
        good=dict.fromkeys(songs, "0 2 C|2 4 D"),
        poor=dict.fromkeys(songs, "0 1 C|1 4 D"),
    )
    return terminal


SCORE = ("score", "chords", "ref", "good", "poor", "--annotator", "Ann=Ann", *MAJMIN, "--context")
COMPARE = ("compare", "chords", "ref", "good", "poor", "--annotator", "Ann=Ann", *MAJMIN, *FEW)

TABLE = """\
good scores best, 50.0 % MajMin, +25.0 percentage points against poor (2 items,
not tested).

mirex2013, %     MajMin ↑
good             50.0
poor             25.0
baseline         87.5
human agreement  75.0

Against 2 annotators together: ref, Ann.
Baseline: commonest triad, the best of 3.
Human agreement: each annotator of an item against the others together, 2 items.
Against the same annotators, and as a share of human agreement: good 50.0
(67 %), poor 25.0 (33 %).
mirex2013/*|"""


def test_one_table_has_the_baseline_systems_and_human_agreement(people: Terminal) -> None:
    found = people.run(*SCORE, "--no-ci")
    assert found.code == 0
    assert found.out.startswith(TABLE)


def test_details_have_every_baseline_and_interval(people: Terminal) -> None:
    lines = people.run(*SCORE, "--details").out.splitlines()
    assert [
        " ".join(line.split()) for line in lines if line.startswith(("baseline:", "human", "good /"))
    ] == [
        "human agreement 75.0 [75.0, 75.0]",
        "good / ref 50.0 [50.0, 50.0]",
        "good / Ann 50.0 [50.0, 50.0]",
        "good / all 50.0 [50.0, 50.0]",
        "baseline: commonest triad 87.5 [87.5, 87.5]",
        "baseline: best triad of each song 87.5 [87.5, 87.5]",
        "baseline: all N 0.0 [0.0, 0.0]",
        "human agreement 75.0 [75.0, 75.0]",
    ]


def test_markup_has_the_same_scores(people: Terminal) -> None:
    markdown = people.run(*SCORE, "--no-ci", "--format", "md").out
    # the best system is bold; a baseline is none, though it is better
    assert "| good | **50.0** |\n| poor | 25.0 |\n| baseline | 87.5 |\n" in markdown
    assert "| human agreement | 75.0 |\n" in markdown
    latex = people.run(*SCORE, "--no-ci", "--format", "latex").out
    assert "\\midrule\nbaseline & 87.5 \\\\\n" in latex
    assert r"human agreement & 75.0 \\" in latex


def test_measures_over_classes_do_not_change_how_many_items_there_are(terminal: Terminal) -> None:
    (terminal.folder / "ref.csv").write_text("file,label\na,piano\na,violin\na,cello\nb,voice\nb,drums\n")
    (terminal.folder / "est.csv").write_text("file,label\na,piano\nb,voice\n")
    measures = ("--measure", "open-mic-task1/F", "--measure", "open-mic-task1/macro_F")
    found = terminal.run(
        "score", "instruments", "ref.csv", "est.csv", "--taxonomy", "openmic-2018", *measures, "--context"
    )
    assert found.out.startswith("est scores 58.3 % F (95 % CI 50.0 to 66.7, 2 items).")


def test_files_have_every_row(people: Terminal) -> None:
    rows = list(csv.DictReader(io.StringIO(people.run(*SCORE, "--no-ci", "--format", "csv").out)))
    assert [(row["role"], row["name"], row["value"], row["share"]) for row in rows[3:]] == [
        ("system", "good", "0.5", ""),
        ("system", "poor", "0.25", ""),
        ("others", "good", "0.5", str(2 / 3)),
        ("others", "poor", "0.25", str(1 / 3)),
        ("annotators", "annotators", "0.75", ""),
    ]
    document = people.run(*SCORE, "--no-ci", "--format", "json").document
    assert [each["role"] for each in document["context"]["rows"]] == [row["role"] for row in rows]
    assert (document["context"]["items"], document["context"]["single"]) == (2, 0)
    assert {each["system"] for each in document["scores"]} == {"good", "poor"}


def test_songs_with_one_annotator_are_told(people: Terminal) -> None:
    (people.folder / "Ann" / "a.lab").unlink()
    out = people.run(*SCORE).out.replace("\n", " ")
    assert "against the others together, 1 item; 1 item with one annotator left out. " in out
    (people.folder / "Ann" / "b.lab").unlink()
    people.write(ref={"b.lab": "0 4 C"})
    alone = people.run("score", "chords", "ref", "good", *MAJMIN, "--context")
    assert "\nHuman agreement is unknown: no item has two annotators.\n" in alone.out
    assert "share" not in alone.out


def test_every_measure_or_headlines_only(people: Terminal) -> None:
    arguments = ("score", "chords", "ref", "good", "--context", "--no-ci", "--protocol", "mir_eval")
    headlines, every = people.run(*arguments).out, people.run(*arguments, "--all").out
    assert "tetrads" not in headlines
    assert "tetrads" in every


@pytest.mark.parametrize("other", [("--cite",), ("--table", "excluded")])
def test_one_thing_is_printed(people: Terminal, other: tuple[str, ...]) -> None:
    found = people.run(*SCORE, *other)
    assert found.code == 2
    assert found.lines == [f"error: {other[0]} and --context both print in place of the scores"]


def test_a_comparison_says_what_systems_stand_between(people: Terminal) -> None:
    lines = people.run(*COMPARE, "--context", "--width", "120").out.splitlines()
    assert [" ".join(line.split()) for line in lines[5:7]] == [
        "baseline 87.5",
        "human agreement 75.0",
    ]
    plain = people.run(*COMPARE, "--width", "120").out.splitlines()
    assert {line.split()[0] for line in set(lines) - set(plain)} == {
        *("mirex2013,", "good", "poor", "baseline", "Baseline:", "human", "Human", "Against")
    }
    document = people.run(*COMPARE, "--context", "--format", "json").document
    assert document["context"]["items"] == 2


@pytest.fixture
def runs(people: Terminal) -> Terminal:
    """A run of each system, with what it stands between."""
    for name in ("good", "poor"):
        arguments = ("ref", name, "--annotator", "Ann=Ann", *MAJMIN, "--context", "--no-ci")
        assert people.run("score", "chords", *arguments, "--out", f"run_{name}").code == 0
    return people


@pytest.mark.parametrize("form", ["table", "json", "csv", "md", "latex"])
def test_runs_print_what_folders_print(runs: Terminal, form: str) -> None:
    folders = runs.run(*COMPARE, "--context", "--format", form)
    found = runs.run("compare", "chords", "run_good", "run_poor", "--context", "--format", form, *FEW)
    assert (found.code, found.out) == (0, folders.out)


def test_runs_have_the_context_of_all_annotators(runs: Terminal) -> None:
    arguments = ("compare", "chords", "run_good", "run_poor", "--context", *FEW)
    found = runs.run(*arguments, "--annotator", "Ann")
    assert found.code == 2
    assert found.lines == [
        "error: runs have the context of all annotators together",
        "  help: choose no annotator, or compare folders",
    ]
    runs.run("score", "chords", "ref", "good", *MAJMIN, "--context", "--no-ci", "--out", "alone")
    alone = runs.run("compare", "chords", "alone", "other=alone", "--context", "--annotator", "ref", *FEW)
    assert (alone.code, "\nbaseline " in alone.out) == (0, True)


def test_systems_of_runs_are_renamed_in_it_too(runs: Terminal) -> None:
    found = runs.run("compare", "chords", "mine=run_good", "run_poor", "--context", "--width", "100", *FEW)
    assert "as a share of human agreement: mine 50.0 (67 %), poor 25.0 (33 %)." in found.out.replace(
        "\n", " "
    )


def test_runs_of_one_annotator_have_floors(people: Terminal) -> None:
    for name in ("good", "poor"):
        people.run("score", "chords", "ref", name, *MAJMIN, "--context", "--no-ci", "--out", f"run_{name}")
    found = people.run("compare", "chords", "run_good", "run_poor", "--context", *FEW)
    folders = people.run("compare", "chords", "ref", "good", "poor", "--context", *MAJMIN, *FEW)
    assert (found.code, found.out) == (0, folders.out)
    assert "\nbaseline      100.0" in found.out
    assert "\nhuman" not in found.out


def test_runs_without_it_cannot_tell(people: Terminal) -> None:
    for name, more in (("good", ["--context"]), ("poor", [])):
        people.run("score", "chords", "ref", name, *more, "--out", f"run_{name}")
    found = people.run("compare", "chords", "run_good", "run_poor", "--context")
    assert found.code == 2
    assert found.lines == [
        "error: not all runs have a context",
        "  help: score them with --context",
    ]
