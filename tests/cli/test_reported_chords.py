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
