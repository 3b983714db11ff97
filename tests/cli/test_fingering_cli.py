# SPDX-License-Identifier: MIT
"""The command line with fingerings: every verb, and every option that the task brings."""

import csv
import io
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from cli.harness import Terminal
from kammerton.cli.demo import EXAMPLE

GOLDEN = Path(__file__).parent.parent / "golden"
HEAD = "//Version: PianoFingering_v170101\n"


def pig(*notes: tuple[float, str, str]) -> str:
    """Return onsets, pitches and fingers as a file of PIG; each note lasts a second."""
    rows = (
        f"{number}\t{onset}\t{onset + 1}\t{pitch}\t64\t80\t{int(finger.startswith('-'))}\t{finger}\n"
        for number, (onset, pitch, finger) in enumerate(notes)
    )
    return HEAD + "".join(rows)


SCALE = ((0.0, "C4", "1"), (1.0, "D4", "2"), (2.0, "E4", "3"), (3.0, "F4", "1"))


def fingered(*fingers: str) -> str:
    return pig(*((onset, pitch, finger) for (onset, pitch, _), finger in zip(SCALE, fingers, strict=True)))


@pytest.fixture
def files(terminal: Terminal) -> Terminal:
    """A scale by two annotators, who agree on 1 2 . 1 and differ on E4, and what a system makes of it.

    ``est`` is 1 2 4 4: against 1 (1 2 3 1) right on 2 of 4, against 2 (1 2 4 1) on 3 of 4.
    """
    for name, text in {
        "refs/scale-1_fingering.txt": fingered("1", "2", "3", "1"),
        "refs/scale-2_fingering.txt": fingered("1", "2", "4", "1"),
        "est/scale_est_fingering.txt": fingered("1", "2", "4", "4"),
        "other/scale_est_fingering.txt": fingered("1", "2", "3", "1"),
    }.items():
        path = terminal.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return terminal


@pytest.fixture
def example(terminal: Terminal) -> Terminal:
    """The bundled fingerings."""
    shutil.copytree(EXAMPLE / "fingering", terminal.folder, dirs_exist_ok=True)
    return terminal


def figures(terminal: Terminal, *arguments: str) -> dict[tuple[str, str, str], float | None]:
    """Return headline figures by annotator, protocol and measure, of a single system."""
    found: dict[tuple[str, str, str], float | None] = {}
    every = ("--protocol", "all", "--format", "json")
    for row in terminal.run("score", "fingering", *arguments, *every).document["scores"]:
        found.setdefault((row["annotator"], row["protocol"], row["measure"]), row["value"])
    return found


# score


def test_figures_are_those_worked_out_by_hand(files: Terminal) -> None:
    found = figures(files, "refs", "est")
    assert found["all", "nakamura2020", "M_gen"] == (2 / 4 + 3 / 4) / 2
    assert found["all", "nakamura2020", "M_high"] == 3 / 4
    assert found["all", "strike", "M_soft"] == 3 / 4
    assert (found["1", "strike", "accuracy"], found["2", "strike", "accuracy"]) == (2 / 4, 3 / 4)
    assert found["all", "strike", "accuracy"] == 5 / 8  # 5 of 8 labels
    assert found["all", "pianovam", "Accuracy"] == 2 / 4
    # 2-4 over a whole tone is legal, E4 to F4 with 4 twice goes a semitone: nothing is irrational
    assert found["all", "pianovam", "IFR"] == 0
    assert found["all", "playability", "ifr_melodic"] == 0


def test_one_annotator_can_be_chosen(files: Terminal) -> None:
    found = figures(files, "refs", "est", "--annotator", "2")
    assert found["all", "nakamura2020", "M_gen"] == 3 / 4
    assert found["2", "strike", "accuracy"] == 3 / 4
    assert not any(annotator == "1" for annotator, *_ in found)
    result = files.run("score", "fingering", "refs", "est", "--annotator", "3")
    assert (result.code, result.lines[0]) == (2, "error: unknown annotator `3`")


def test_tables_name_the_annotators(files: Terminal) -> None:
    out = files.run("score", "fingering", "refs", "est", "other", "--protocol", "all").out
    assert (
        "\nAgainst 2 annotators together: " in out
        or "\nAgainst all annotators of an item together: 2.\n" in out
    )
    one = files.run("score", "fingering", "refs", "est", "--annotator", "1", "--protocol", "nakamura2020").out
    assert "\nAgainst" not in one


def test_items_may_have_different_numbers_of_annotators(files: Terminal) -> None:
    Path("refs/lone-7_fingering.txt").write_text(fingered("1", "2", "3", "1"))
    Path("est/lone_est_fingering.txt").write_text(fingered("1", "2", "3", "1"))
    note = "\nAgainst all annotators of an item together: 1 to 2.\n"
    assert note in files.run("score", "fingering", "refs", "est", "--protocol", "nakamura2020").out
    md = files.run("score", "fingering", "refs", "est", "--protocol", "nakamura2020", "--format", "md").out
    assert note in md


# options: each changes a figure or what is said, and the signature


def signature(terminal: Terminal, *arguments: str) -> str:
    text = terminal.run("score", "fingering", *arguments, "--format", "csv").out
    return next(csv.DictReader(io.StringIO(text)))["signature"]


def test_tolerance(files: Terminal) -> None:
    late = ((onset + 0.04, pitch, finger) for onset, pitch, finger in SCALE)
    Path("est/scale_est_fingering.txt").write_text(pig(*late))
    assert figures(files, "refs", "est")["1", "strike", "accuracy"] == 1
    result = files.run("score", "fingering", "refs", "est", "--tolerance-s", "0.03")
    assert result.code == 3  # no note is matched, so nothing is scored
    assert "KT373" in result.err
    assert "|tolerance_s:0.06|" in signature(files, "refs", "est", "--tolerance-s", "0.06")


@pytest.mark.parametrize(("way", "accuracy"), [("strike", 3 / 4), ("exact", 2 / 4), ("any", 4 / 4)])
def test_substitution(files: Terminal, way: str, accuracy: float) -> None:
    # strikes 1 2 3 3: right but for the last; as lists right on 1 and 2; with a finger in common always
    Path("refs/scale-1_fingering.txt").write_text(fingered("1", "2", "3_2", "1_3"))
    Path("refs/scale-2_fingering.txt").unlink()
    Path("est/scale_est_fingering.txt").write_text(fingered("1", "2", "3", "3"))
    arguments = ("refs", "est", "--substitution", way)
    found = figures(files, *arguments)
    assert {value for (_, *address), value in found.items() if address == ["strike", "accuracy"]} == {
        accuracy
    }
    assert ("|substitution:" in signature(files, *arguments)) == (way != "strike")
    # the published rates know no such option
    assert found["all", "nakamura2020", "M_soft"] == 3 / 4


def test_profile(files: Terminal) -> None:
    tenth = pig((0, "C4", "1"), (1, "Eb5", "5"))  # 15 semitones: Parncutt's limit, 12 is the document's
    for path in ("refs/scale-1_fingering.txt", "refs/scale-2_fingering.txt", "est/scale_est_fingering.txt"):
        Path(path).write_text(tenth)
    for profile, rate in (("parncutt1997", 0), ("pianovam", 1), ("balliauw2017-L", 0), ("badgerow", 0)):
        found = figures(files, "refs", "est", "--profile", profile)
        assert found["all", "playability", "ifr_melodic"] == rate
        assert found["all", "playability", "ifr_melodic_references"] == rate
        assert found["all", "pianovam", "IFR"] == 1  # the document's own table
    assert "|profile:pianovam|" in signature(files, "refs", "est", "--profile", "pianovam")
    assert files.run("check", "fingering", "est").err == "1 file checked: no problems\n"
    assert "KT391" in files.run("check", "fingering", "est", "--profile", "pianovam").out
    result = files.run("score", "fingering", "refs", "est", "--profile", "parncut1997")
    assert (result.code, result.lines[0]) == (2, "error: unknown profile `parncut1997`")
    assert "did you mean `parncutt1997`?" in result.lines[1]


def test_a_profile_of_ones_own(files: Terminal) -> None:
    pairs = [f"{low}-{high}" for low in range(1, 5) for high in range(low + 1, 6)]
    spans = "\n".join(f"{pair} = [-5, 1]" for pair in pairs)  # a hand that spans a semitone
    Path("tiny.toml").write_text(f'source = "test"\n[spans]\n{spans}\n')
    # C-D, D-E and (for 2 annotators 3-1 and 4-1, passes) E-F: the first two are too wide
    found = figures(files, "refs", "other", "--profile", "tiny.toml")
    assert found["all", "playability", "ifr_melodic"] == pytest.approx(2 / 3)


def test_label_encoding(terminal: Terminal) -> None:
    # 1 is the right thumb in pig, the left thumb in 1-10, the right forefinger in 0-9; the labels of the
    # references tell their hands themselves, and mean the same in each of them
    notes = ("0,1,60", "1,2,62", "2,3,64", "3,4,65")
    tables = {
        "ref.csv": zip(notes, ("R1", "R2", "L3", "R2"), strict=True),
        "est.csv": zip(notes, ("1", "2", "3", "1"), strict=True),
    }
    for name, rows in tables.items():
        text = "".join(f"{note},{finger}\n" for note, finger in rows)
        Path(name).write_text(f"onset,offset,pitch,finger\n{text}")
    # pig: R1 R2 R3 R1; 1-10: L1 L2 L3 L1; 0-9: R2 R3 R4 R2
    for encoding, right in (("pig", 2), ("1-10", 1), ("0-9", 1)):
        arguments = ("ref.csv", "est.csv", "--label-encoding", encoding)
        assert figures(terminal, *arguments)["all", "strike", "M_soft"] == right / 4
        assert f"|label_encoding:{encoding}|" in signature(terminal, *arguments)
    result = terminal.run("score", "fingering", "ref.csv", "est.csv", "--label-encoding", "L1/R5")
    assert result.code == 3
    assert "KT333" in result.err


def test_hand(files: Terminal) -> None:
    notes = ("0,1,60,1", "1,2,62,2", "2,3,64,3", "3,4,65,1")
    Path("scale.csv").write_text("\n".join(("onset,offset,pitch,finger", *notes)))
    right = ("onset,offset,pitch,finger,hand", *(f"{note},right" for note in notes))
    Path("scale_est.csv").write_text("\n".join(right))
    sides = ("scale.csv", "scale_est.csv")
    assert figures(files, *sides)["all", "strike", "M_soft"] == 1
    assert figures(files, *sides, "--hand", "left")["all", "strike", "M_soft"] == 0  # of the references
    assert "|hand:left|" in signature(files, *sides, "--hand", "left")


def test_options_are_explained(terminal: Terminal) -> None:
    page = " ".join(terminal.run("score", "fingering", "--help-all").out.split())
    for option, about in {
        "--label-encoding [SIDE=]auto|pig|1-10|0-9|L1/R5": "How numbers mean fingers",
        "--hand [SIDE=]auto|right|left": "Whose notes and fingers they are where a file does not tell",
        "--tolerance-s TOLERANCE_S": "Seconds that onsets of one note may differ",
        "--substitution strike|exact|any": "When labels with a change of fingers match",
        "--profile PROFILE": "Span table of the protocol `playability`",
        "--split NAME": "Score the items of this split only",
        "--splits FILE": "File that names the split of each item",
    }.items():
        assert f"{option} {about}" in page


# splits


def test_split(files: Terminal) -> None:
    Path("refs/etude-1_fingering.txt").write_text(fingered("1", "2", "3", "1"))
    Path("est/etude_est_fingering.txt").write_text(fingered("5", "4", "3", "1"))
    Path("splits.csv").write_text("item,split\nscale,test\netude,train\n")
    result = files.run("score", "fingering", "refs", "est", "--splits", "splits.csv")
    said = "warning[KT215] the scores include the training split: 1 of 2 items (`etude`)"
    assert said in result.lines
    arguments = ("refs", "est", "--splits", "splits.csv", "--split", "test")
    assert figures(files, *arguments)["all", "nakamura2020", "M_high"] == 3 / 4
    assert "|split:test|items:1|" in signature(files, *arguments)
    assert "KT21" not in files.run("score", "fingering", *arguments).err
    result = files.run("score", "fingering", "refs", "est", "--split", "test")
    assert (result.code, result.lines) == (
        2,
        ["error: which items are in a split?", "  help: name the table of splits: --splits FILE"],
    )
    result = files.run("score", "fingering", *arguments[:-1], "tset")
    assert "did you mean `test`?" in result.err
    Path("names.csv").write_text("scale\netude\n")
    result = files.run("score", "fingering", "refs", "est", "--splits", "names.csv")
    assert (result.code, result.lines[0][:15]) == (3, "error[KT213] na")
    result = files.run("score", "fingering", *arguments, "--output", "splits.csv")
    assert (result.code, result.lines[0]) == (2, "error: `splits.csv` would overwrite an input")
    assert Path("splits.csv").read_text().startswith("item,split")


def test_split_of_a_list_of_pairs(files: Terminal) -> None:
    pair = "refs/scale-1_fingering.txt,est/scale_est_fingering.txt"
    Path("pairs.csv").write_text(f"item,reference,mine\nscale,{pair}\netude,{pair}\n")
    Path("splits.csv").write_text("scale,test\netude,train\n")
    arguments = ("--pairs", "pairs.csv", "--splits", "splits.csv", "--split", "test")
    assert "|split:test|items:1|" in signature(files, *arguments)


# show, check, convert, measures


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("show_cadence", ("reference", "careful", "hasty", "cadence")),
        (
            "show_minuet_narrow",
            ("reference", "careful", "minuet", "--to", "3", "--width", "60", "--measure", "strike/M_soft"),
        ),
        ("show_scale_document", ("reference", "hasty", "scale", "--annotator", "2", "--profile", "pianovam")),
    ],
)
def test_views_are_as_recorded(example: Terminal, name: str, arguments: Iterable[str]) -> None:
    """Record anew with ``KAMMERTON_RECORD=1``, and read the difference."""
    result = example.run("show", "fingering", *arguments)
    assert result.code == 0
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("KAMMERTON_RECORD"):
        path.write_text(result.out, encoding="utf-8")
    assert result.out == path.read_text(encoding="utf-8")


def test_show_says_why_an_estimate_is_not_there(example: Terminal) -> None:
    Path("hasty/Cadence_est_fingering.txt").write_text(fingered("1", "2", "3", "1"))  # another piece
    result = example.run("show", "fingering", "reference", "hasty", "careful", "cadence")
    assert result.code == 1
    assert "hasty   (KT373 1 of 17 notes of the reference matched)" in result.out
    Path("hasty/Cadence_est_fingering.txt").unlink()
    result = example.run("show", "fingering", "reference", "hasty", "cadence")
    assert result.code == 1
    assert "hasty (no estimate)" in result.out


def test_a_lone_file_is_called_reference(example: Terminal) -> None:
    paths = ("reference/Cadence-1_fingering.txt", "hasty/Cadence_est_fingering.txt")
    out = example.run("show", "fingering", *paths).out
    assert out.startswith("Cadence, 0 to 4 s: estimate against reference\n")
    assert "\nnote: 17 notes, 1 annotator; strike/accuracy compares with reference\n" in out


def test_check_lists_what_cannot_be_played(example: Terminal) -> None:
    result = example.run("check", "fingering", "hasty/Cadence_est_fingering.txt", "--format", "concise")
    assert result.code == 0
    # both notes stand in lines of their own, below the version
    first, second, third = (
        line.removeprefix("hasty/Cadence_est_fingering.txt:") for line in result.out.splitlines()
    )
    assert (
        first == "8: KT390 note 6 (C4, R1) with note 7 (F4, R1) at 1 s: finger 1 spans 5 semitones, at most 2"
    )
    assert second == "17: KT392 note 15 (C4, R3) with note 16 (E4, R1) at 3 s: fingers 1 and 3 are crossed"
    assert third == " KT393 1 of 17 notes not judged: 1 without finger"  # the one that `hasty` left out
    assert result.err == "1 file checked: 2 warnings in 1 file\n"
    assert example.run("check", "fingering", "hasty", "--strict").code == 1
    (first, *_) = example.run("check", "fingering", "hasty", "--format", "json").document["diagnostics"]
    assert (first["severity"], first["code"][:4]) == ("warning", "KT39")


def test_convert_there_and_back(example: Terminal) -> None:
    assert example.run("convert", "fingering", "reference", "scores", "--to", "musicxml").code == 0
    assert example.run("convert", "fingering", "scores", "back", "--to", "pig").code == 0
    for path in Path("reference").iterdir():
        assert (Path("back") / path.name).read_text() == path.read_text()
    result = example.run("convert", "fingering", "reference", "x", "--to", "midi")
    assert (result.code, result.lines[0]) == (2, "error: unknown format `midi`")


def test_measures_of_the_task_are_described(terminal: Terminal) -> None:
    out = terminal.run("measures", "fingering").out
    for protocol in ("nakamura2020", "strike", "pianovam", "playability"):
        assert f"fingering: {protocol}, revision 2" in out
    card = " ".join(terminal.run("measures", "fingering", "pianovam/M_high").out.split())
    assert "Elsewhere this is M_soft" in card
    assert terminal.run("measures", "M_high").code == 0


def test_a_missing_estimate_counts_as_worst(files: Terminal) -> None:
    Path("refs/etude-1_fingering.txt").write_text(fingered("1", "2", "3", "1"))
    result = files.run(
        "score", "fingering", "refs", "est", "--measure", "strike/M_soft,playability/ifr_melodic"
    )
    assert result.code == 1
    found = figures(files, "refs", "est")
    assert found["all", "strike", "M_soft"] == (3 / 4 + 0) / 2
