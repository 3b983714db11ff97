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
mirex2013, per cent; measured on 8 to 16 s per figure, 2 annotators
system                          annotator  items  MajMin
aggregate                                         pooled
floor: all N                    all            2    0.00
floor: commonest triad          all            2   87.50
floor: best triad of each song  all            2   87.50
good                            all            2   50.00
poor                            all            2   25.00
good                            others         2   50.00
poor                            others         2   25.00
annotators (ceiling)            others         2   75.00
good / ceiling                  others         2   66.67
poor / ceiling                  others         2   33.33
signature """


def test_one_table_has_floors_systems_and_ceiling(people: Terminal) -> None:
    found = people.run(*SCORE, "--no-ci")
    assert found.code == 0
    assert found.out.startswith(TABLE)
    assert found.out.splitlines()[-2:] == [
        "ceiling: every annotator of an item against the others, 2 items",
        "others: systems against the same sets, all annotators of an item but one",
    ]


def test_intervals_stand_below(people: Terminal) -> None:
    lines = people.run(*SCORE).out.splitlines()
    place = lines.index("good / ceiling                  others         2   66.67")
    assert [line.split() for line in lines[place + 1 : place + 3]] == [["95", "%", "66.67"], ["to", "66.67"]]


def test_markup_has_the_same_figures(people: Terminal) -> None:
    markdown = people.run(*SCORE, "--no-ci", "--format", "md").out
    assert (
        "| annotators (ceiling) | others | 2 | 75.00 |\n| good / ceiling | others | 2 | 66.67 |" in markdown
    )
    # the best system is bold; a floor is none, though it is better
    assert "| floor: commonest triad | all | 2 | 87.50 |\n" in markdown
    assert (
        "| good | all | 2 | **50.00** |\n| poor | all | 2 | 25.00 |\n| good | others | 2 | 50.00 |"
        in markdown
    )
    assert markdown.endswith("\n\nothers: systems against the same sets, all annotators of an item but one\n")
    latex = people.run(*SCORE, "--no-ci", "--format", "latex").out
    assert r"annotators (ceiling) & others & 2 & 75.00 \\" in latex
    assert latex.splitlines()[-2] == "% ceiling: every annotator of an item against the others, 2 items"


def test_measures_over_classes_do_not_change_how_many_items_there_are(terminal: Terminal) -> None:
    (terminal.folder / "ref.csv").write_text("file,label\na,piano\na,violin\na,cello\nb,voice\nb,drums\n")
    (terminal.folder / "est.csv").write_text("file,label\na,piano\nb,voice\n")
    measures = ("--measure", "open-mic-task1/F", "--measure", "open-mic-task1/macro_F")
    found = terminal.run(
        "score", "instruments", "ref.csv", "est.csv", "--taxonomy", "openmic-2018", *measures, "--context"
    )
    lines = [line for line in found.out.splitlines() if line.startswith(("floor: everything", "est "))]
    # two files, whose five instruments macro_F is the mean of
    assert [line.split()[-3] for line in lines] == ["2", "2"]


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
    assert "against the others, 1 item; 1 item with one\n  annotator left out\n" in people.run(*SCORE).out
    (people.folder / "Ann" / "b.lab").unlink()
    people.write(ref={"b.lab": "0 4 C"})
    alone = people.run("score", "chords", "ref", "good", *MAJMIN, "--context")
    assert alone.out.endswith("\nno ceiling: no item has two annotators\n")
    assert "/ ceiling" not in alone.out


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
    assert lines[-5:-3] == [
        "floors: all N 0.00, commonest triad 87.50, best triad of each song 87.50",
        "ceiling: annotators 75.00 against the others, 2 items, of which good 66.7 %, poor 33.3 %",
    ]
    plain = people.run(*COMPARE, "--width", "120").out.splitlines()
    assert [line for line in lines if not line.startswith(("floors:", "ceiling:"))] == plain
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
    assert (alone.code, "floors: all N" in alone.out) == (0, True)


def test_systems_of_runs_are_renamed_in_it_too(runs: Terminal) -> None:
    found = runs.run("compare", "chords", "mine=run_good", "run_poor", "--context", "--width", "100", *FEW)
    assert "2 items, of which mine 66.7 %, poor 33.3 %\n" in found.out


def test_runs_of_one_annotator_have_floors(people: Terminal) -> None:
    for name in ("good", "poor"):
        people.run("score", "chords", "ref", name, *MAJMIN, "--context", "--no-ci", "--out", f"run_{name}")
    found = people.run("compare", "chords", "run_good", "run_poor", "--context", *FEW)
    folders = people.run("compare", "chords", "ref", "good", "poor", "--context", *MAJMIN, *FEW)
    assert (found.code, found.out) == (0, folders.out)
    assert "floors: all N 0.00, commonest triad 100.00" in found.out
    assert "ceiling" not in found.out


def test_runs_without_it_cannot_tell(people: Terminal) -> None:
    for name, more in (("good", ["--context"]), ("poor", [])):
        people.run("score", "chords", "ref", name, *more, "--out", f"run_{name}")
    found = people.run("compare", "chords", "run_good", "run_poor", "--context")
    assert found.code == 2
    assert found.lines == [
        "error: not all runs have a context",
        "  help: score them with --context",
    ]
