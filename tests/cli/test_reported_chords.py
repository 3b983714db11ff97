# SPDX-License-Identifier: MIT
"""Inputs of chords from practice, each with what it must give."""

from pathlib import Path

import pytest

from cli.harness import Result, Terminal

CASES = Path(__file__).parents[1] / "cases" / "reported"


def values(result: Result) -> dict[str, float | None]:
    """Return the value of each measure, as it is aggregated by default."""
    scores = result.document["scores"]
    return {f"{row['protocol']}/{row['measure']}": row["value"] for row in reversed(scores)}


# --- labels of other notations -------------------------------------------------------------


def test_labels_of_lead_sheets_and_of_jazz_databases_are_respelled(terminal: Terminal) -> None:
    labels = CASES / "chords-labels" / "lenient.lab"
    result = terminal.run("convert", "chords", str(labels), "out.lab", "--to", "lab", "--lenient")
    assert result.code == 0
    rows = [line.split("\t")[2] for line in Path("out.lab").read_text().splitlines()]
    assert rows == ["C:sus4(b7)/5", "C:hdim7", "Bb:7(b9)", "F:maj7(#11)"]
    checked = terminal.run("check", "chords", str(labels), "--lenient")
    assert checked.err.count("KT318") + checked.out.count("KT318") == 4


# --- a bass that is the root ---------------------------------------------------------------


def test_a_root_that_is_written_as_bass_is_a_bass_and_the_seconds_are_named(terminal: Terminal) -> None:
    ref, est = (str(CASES / "chords-bass-1" / name) for name in ("ref.lab", "est.lab"))
    result = terminal.run("score", "chords", ref, est, "--no-ci", "--format", "json", "--protocol", "all")
    found = values(result)
    assert (result.code, found["mirex2013/MajMin"], found["mirex2013/MajMinBass"]) == (0, 1, 0)
    assert found["mir_eval/majmin_inv"] == 1
    said = "mirex2013/MajMinBass counts 4.000 s as wrong for a `/1` on one side only"
    assert said in " ".join(result.err.split())


# --- texts about the data ------------------------------------------------------------------


def test_a_readme_in_a_folder_is_passed_over(terminal: Terminal) -> None:
    data = str(CASES / "chords-readme-in-folder" / "data")
    for command in (("check", "chords", data), ("score", "chords", data, data, "--no-ci")):
        result = terminal.run(*command)
        assert result.code == 0
        assert "note[KT205]" in result.out + result.err
        assert "README.txt: ignored: about the data by its name" in result.out + result.err
    assert terminal.run("convert", "chords", data, "out", "--to", "csv").code == 0
    assert terminal.left() == {"out/song.csv"}


# --- times of a score ----------------------------------------------------------------------


def test_jams_of_a_score_has_no_seconds(terminal: Terminal) -> None:
    score = str(CASES / "chords-score-jams" / "ireal.jams")
    for options in ((), ("--overlap", "trim")):
        result = terminal.run("check", "chords", score, *options)
        assert result.code == 1
        assert "error[KT148]" in result.out
        assert "not seconds" in result.out
        assert "--overlap" not in result.out


# --- estimates that hold several annotations -----------------------------------------------


def test_one_annotation_of_an_estimate_is_chosen_as_the_hint_says(terminal: Terminal) -> None:
    song = str(CASES / "chords-annotators-of-estimates" / "song.jams")
    terminal.write(ref={"song.lab": "0 2 G"})
    arguments = ("score", "chords", "ref/song.lab", song, "--no-ci", "--format", "json")
    refused = terminal.run(*arguments)
    assert refused.code == 3
    assert "--estimate-annotator NAME chooses one, by name or number: `1`, `2`" in refused.err
    # the first annotation is G:maj, the second G:maj7/1
    for chosen, sevenths in (("1", 1), ("2", 0)):
        result = terminal.run(*arguments, "--estimate-annotator", chosen)
        assert (result.code, values(result)["mirex2013/Sevenths"]) == (0, sevenths)
        assert f"|estimate_annotator:{chosen}|" in result.document["scores"][0]["signature"]
    unknown = terminal.run(*arguments, "--estimate-annotator", "3")
    assert unknown.code == 3
    assert "KT212" in unknown.err
    assert "annotators: `1`, `2`" in unknown.err


def test_the_choice_is_kept_by_runs_and_taken_by_other_commands(terminal: Terminal) -> None:
    song = str(CASES / "chords-annotators-of-estimates" / "song.jams")
    terminal.write(ref={"song.lab": "0 2 G"})
    systems = (f"one={song}", f"two={song}")
    run = terminal.run("score", "chords", "ref/song.lab", song, "--estimate-annotator", "2", "--out", "run")
    assert run.code == 0
    drawn = terminal.run("show", "chords", "run")
    assert (drawn.code, "G:maj7/1" in drawn.out) == (0, True)
    again = terminal.run("show", "chords", "ref/song.lab", song, "--estimate-annotator", "2")
    assert again.out == drawn.out.replace("run", "song")
    assert terminal.run("compare", "chords", "ref/song.lab", *systems).code == 3
    compared = terminal.run("compare", "chords", "ref/song.lab", *systems, "--estimate-annotator", "1")
    assert compared.code == 0


# --- layouts that a file shows -------------------------------------------------------------


def roots(terminal: Terminal, *arguments: str) -> tuple[int, float | None]:
    """Score `mirex2013/Root`, and return exit code and value in per cent."""
    result = terminal.run(
        "score", "chords", *arguments, "--measure", "mirex2013/Root", "--no-ci", "--format", "json"
    )
    (value,) = values(result).values()
    return result.code, None if value is None else round(100 * value, 2)


@pytest.mark.parametrize("layout", [(), ("--layout", "points")])
@pytest.mark.parametrize(("name", "root"), [("audacity.txt", 100), ("sonic-annotator.json", 73.67)])
def test_files_without_length_are_change_points(
    terminal: Terminal, name: str, root: float, layout: tuple[str, ...]
) -> None:
    folder = CASES / "chords-points-without-length"
    assert roots(terminal, str(folder / "ref.lab"), str(folder / name), *layout) == (0, root)
    checked = terminal.run("check", "chords", str(folder / name), *layout)
    assert checked.code == 0
    assert "note[KT132]" in checked.err + checked.out


def test_exports_of_sonic_visualiser_and_sonic_annotator(terminal: Terminal) -> None:
    expected = {
        "quoted.lab": ["0.0\t2.46\tN", "2.46\t6.12\tG", "6.12\t12.0\tE:min"],
        "with-file-column.csv": ["0.0\t2.5\tN", "2.5\t6.0\tG", "6.0\t9.0\tE:min"],
        "sv-region-layer.txt": ["0.0\t2.5\tN", "2.5\t6.0\tG", "6.0\t9.0\tE:min"],
        "sv-region-header.csv": ["0.0\t2.5\tN", "2.5\t6.0\tG", "6.0\t9.0\tE:min"],
    }
    for name, rows in expected.items():
        source = str(CASES / "chords-sonic-exports" / name)
        assert terminal.run("convert", "chords", source, f"{name}.lab", "--to", "lab").code == 0
        assert Path(f"{name}.lab").read_text().splitlines() == rows
        assert terminal.run("check", "chords", source, "--strict").code == 0


def test_what_csv_messages_say_is_true(terminal: Terminal) -> None:
    folder = CASES / "chords-csv-messages"
    four = terminal.run("check", "chords", str(folder / "four-columns.csv"))
    assert (four.code, "rows have 4 columns" in four.err + four.out) == (0, True)
    named = terminal.run("check", "chords", str(folder / "t-chord.csv"))
    assert (named.code, "no column is an end or a duration" in named.err + named.out) == (0, True)
    bars = terminal.run("check", "chords", str(folder / "salami_chords.txt"))
    said = bars.err + bars.out
    assert bars.code == 1
    assert "KT113" in said
    assert "salami_chords.txt" in said
    assert ".lab files" in said


def test_overlaps_that_sums_of_doubles_leave_say_nothing(terminal: Terminal) -> None:
    folder = CASES / "chords-billboard-rounding"
    ref, est = str(folder / "ref.lab"), str(folder / "est.lab")
    checked = terminal.run("check", "chords", ref, est, "--strict")
    assert (checked.code, checked.err.splitlines()) == (0, ["2 files checked: no problems"])
    assert roots(terminal, ref, est, "--strict") == (0, 100)


# --- options of one side -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimates", "options"),
    [
        ("est-points", ()),
        ("est-points", ("--layout", "points")),
        ("est-points", ("--layout", "estimates=points")),
        ("est-points", ("--layout", "est-points=points")),
        ("est-points", ("--layout", "rows", "--layout", "estimates=points")),
        ("est-comma", ("--decimal", ",")),
        ("est-comma", ("--decimal", "estimates=,")),
        ("est-comma", ("--decimal", "est-comma=,", "--lenient-for", "estimates")),
    ],
)
def test_one_command_reads_both_sides(terminal: Terminal, estimates: str, options: tuple[str, ...]) -> None:
    folder = CASES / "chords-options-for-both-sides"
    assert roots(terminal, str(folder / "ref"), str(folder / estimates), *options) == (0, 100)


def test_one_command_reads_two_systems(terminal: Terminal) -> None:
    folder = CASES / "chords-options-for-both-sides"
    result = terminal.run(
        *("score", "chords", str(folder / "ref"), f"P={folder / 'est-points'}", f"C={folder / 'est-comma'}"),
        *("--layout", "P=points", "--decimal", "C=,", "--columns", "P=von=start", "--format", "json"),
        *("--measure", "mirex2013/Root", "--no-ci"),
    )
    assert {row["system"]: row["value"] for row in result.document["scores"]} == {"P": 1, "C": 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--layout", "CM3=points"), "unknown side, annotator or system `CM3`"),
        (("--layout", "points", "--layout", "rows"), "--layout is given twice"),
        (("--decimal", "x=,", "--decimal", "x=."), "--decimal is given twice for `x`"),
        (("--layout", "estimates=pionts"), "invalid value `pionts` for --layout"),
    ],
)
def test_options_of_one_side_that_are_wrong(
    terminal: Terminal, options: tuple[str, ...], message: str
) -> None:
    folder = CASES / "chords-options-for-both-sides"
    result = terminal.run("score", "chords", str(folder / "ref"), str(folder / "est-points"), *options)
    assert result.code == 2
    assert message in result.err


@pytest.mark.parametrize("verb", ["check", "convert"])
def test_where_there_are_no_sides_options_take_values_alone(terminal: Terminal, verb: str) -> None:
    page = terminal.run(verb, "chords", "--help-all").out
    assert "--layout auto|rows|durations|points" in page
    assert "SIDE" not in page
    source = str(CASES / "chords-options-for-both-sides" / "est-points")
    result = terminal.run(
        verb, "chords", source, *(["out"] if verb == "convert" else []), "--layout", "estimates=points"
    )
    assert (result.code, "--layout" in result.err) == (2, True)
