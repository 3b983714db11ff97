# SPDX-License-Identifier: MIT
"""Inputs of chords from practice, each with what it must give."""

from pathlib import Path

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
    result = terminal.run("score", "chords", ref, est, "--no-ci", "--format", "json")
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
