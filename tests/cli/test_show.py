# SPDX-License-Identifier: MIT
"""``kammerton show``: which item is meant, what is drawn, how it ends."""

import json
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import kammerton
from cli.harness import Terminal
from kammerton.cli import main, pages
from kammerton.cli.demo import EXAMPLE
from kammerton.cli.options import with_options
from kammerton.errors import OptionError
from kammerton.model.registry import find_task

GOLDEN = Path(__file__).parent.parent / "golden"


@pytest.fixture(autouse=True)
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a copy of the bundled chords, in a window of 80 columns."""
    shutil.copytree(EXAMPLE / "chords", tmp_path / "chords")
    monkeypatch.chdir(tmp_path / "chords")
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path / "chords"


def show(*arguments: str) -> int:
    return main(["show", "chords", *arguments])


SYSTEMS = ("reference", "careful", "hasty")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("show_amazing_grace", (*SYSTEMS, "Amazing Grace")),
        ("show_saints_mir_eval", (*SYSTEMS, "saints", "--measure", "mir_eval/sevenths_inv")),
        (
            "show_greensleeves_wide",
            (*SYSTEMS, "Greensleeves", "--width", "160", "--measure", "mirex2013/Root"),
        ),
        (
            "show_frere_narrow",
            ("reference", "hasty", "Frère Jacques", "--from", "2", "--to", "9", "--width", "60"),
        ),
    ],
)
def test_output_is_as_recorded(
    name: str, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Record anew with ``KAMMERTON_RECORD=1``, and read the difference."""
    assert show(*arguments) == 0
    path, written = GOLDEN / f"{name}.txt", capsys.readouterr().out
    if os.environ.get("KAMMERTON_RECORD"):
        path.write_text(written, encoding="utf-8")
    assert written == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["Frère Jacques", "frère", "FRERE", "jacques", "Fre\u0300re Jacques"])
def test_a_part_of_the_name_is_enough(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert show("reference", "careful", name) == 0
    assert capsys.readouterr().out.startswith("Frère Jacques, 0 to 21.123 s: careful against reference\n")


def test_an_exact_name_wins_over_longer_ones(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in ("reference", "careful"):
        shutil.copy(example / "reference/Amazing Grace.lab", example / folder / "Grace.lab")
    assert show("reference", "careful", "Grace") == 0
    assert capsys.readouterr().out.startswith("Grace, ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("e",), "error: 4 items have `e` in their names\n"),
        ((), "error: which of 4 items?\n  help: `Amazing Grace`, `Frère Jacques`,"),
        (("Greensleves",), "error: no item `Greensleves`\n  help: did you mean `Greensleeves`?\n"),
        (("zzz",), "error: no item `zzz`\n  help: there are `Amazing Grace`, "),
        (
            ("saints", "--measure", "MeanSeg"),
            "error: mirex2013/MeanSeg does not say when an estimate is right\n",
        ),
        (("saints", "--annotator", "third"), "error: unknown annotator `third`\n"),
        (("saints", "--from", "40"), "error: nothing to show from 40 to 33.91 s\n  help: `When the Saints"),
        (("saints", "--width", "20"), "error: width must be 40 to 400 columns, got 20\n"),
    ],
)
def test_what_cannot_be_shown_is_a_usage_error(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert show("reference", "careful", *arguments) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(message)
    assert not captured.out


def test_many_items_are_not_all_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(9):
        for folder in ("many", "est"):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / f"{number}.lab").write_text("0 1 C\n")
    assert show(str(tmp_path / "many"), str(tmp_path / "est"), "x") == 2
    assert "there are `0`, `1`, `2`, `3`, `4` and 4 more" in capsys.readouterr().err


def test_estimates_are_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert show("reference") == 2
    assert "REF and EST are needed" in capsys.readouterr().err


def test_single_files_need_no_item(capsys: pytest.CaptureFixture[str]) -> None:
    assert show("reference/Greensleeves.jams", "careful/Greensleeves.lab") == 0
    assert capsys.readouterr().out.startswith("Greensleeves, 0 to 64.078 s: estimate against reference\n")
    assert show("reference/Greensleeves.jams", "C=careful/Greensleeves.lab", "H=hasty/Greensleeves.lab") == 0
    assert "C, H against reference" in capsys.readouterr().out


def test_single_files_may_have_an_item_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert show("me=reference/Greensleeves.jams", "you=careful/Greensleeves.lab", "green") == 0
    assert capsys.readouterr().out.startswith("Greensleeves, 0 to 64.078 s: you against me\n")


def test_a_further_annotator_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("reference", "careful", "saints", "--annotator", "second=second")
    assert show(*arguments) == 0
    out = capsys.readouterr().out
    assert "careful against reference" in out
    assert out.endswith("\nnote: also annotated by second\n")
    assert show(*arguments, "--annotator", "second") == 0
    out = capsys.readouterr().out
    assert "careful against second" in out
    assert out.endswith("\nnote: also annotated by reference\n")


def test_a_missing_estimate_is_partial(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (example / "hasty/Greensleeves.lab").unlink()
    assert show(*SYSTEMS, "Greensleeves") == 1
    assert "\nhasty     (no estimate)\n" in capsys.readouterr().out


def test_an_estimate_that_cannot_be_read_is_partial(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (example / "hasty/Greensleeves.lab").write_text("0 2 C\n2 4 Hm\n")
    assert show(*SYSTEMS, "Greensleeves") == 1
    captured = capsys.readouterr()
    assert "\nhasty     (KT310 `H` is not a chord root)\n" in captured.out
    assert "hasty/Greensleeves.lab:2:5" in captured.err


def test_a_reference_that_cannot_be_read_is_the_end(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (example / "reference/Amazing Grace.lab").write_text("0 2 C\n2 4 Hm\n")
    assert show(*SYSTEMS, "grace") == 3
    captured = capsys.readouterr()
    assert "KT310" in captured.err
    assert not captured.out
    assert show(*SYSTEMS, "saints") == 0  # what is wrong with another item does not matter
    assert not capsys.readouterr().err


def test_two_files_for_the_item_are_the_end(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(example / "careful/Greensleeves.lab", example / "reference")
    assert show(*SYSTEMS, "Greensleeves") == 3
    assert "KT201" in capsys.readouterr().err


def test_an_empty_estimate_is_drawn_empty(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (example / "careful/Amazing Grace.lab").write_text("")
    assert show("reference", "careful", "grace") == 0
    captured = capsys.readouterr()
    assert "careful: 38.289 s wrong of 38.289 s scored" in captured.out
    assert "KT110" in captured.err


def test_reading_options_are_taken(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (example / "careful/Amazing Grace.lab").write_text("0 40 Gm7\n")
    assert show("reference", "careful", "grace") == 1
    assert show("reference", "careful", "grace", "--lenient", "--quiet") == 0
    assert (
        capsys.readouterr().out.count("G:min7") == 4 + 10
    )  # on each line of the score, in each row of the table


def test_annotators_of_one_file_can_be_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    annotations = [
        {
            "namespace": "chord",
            "annotation_metadata": {"annotator": {"name": name}},
            "data": [{"time": 0, "duration": 4, "value": label, "confidence": None}],
        }
        for name, label in (("Ann", "C"), ("Bob", "G"))
    ]
    (tmp_path / "song.jams").write_text(json.dumps({"annotations": annotations}))
    (tmp_path / "est.lab").write_text("0 4 G\n")
    paths = (str(tmp_path / "song.jams"), str(tmp_path / "est.lab"))
    assert show(*paths) == 0
    assert "est against Ann" in capsys.readouterr().out
    assert show(*paths, "--annotator", "Bob") == 0
    assert "est: 0.000 s wrong of 4.000 s scored" in capsys.readouterr().out


@pytest.fixture
def three(terminal: Terminal) -> Terminal:
    """Songs of 10, 4 and 2 s; of the first 3 s are wrong, of the second, without an estimate, all."""
    terminal.write(
        ref={"a.lab": "0 10 C", "b.lab": "0 4 C", "c.lab": "0 2 C"},
        est={"a.lab": "0 7 C|7 10 G", "c.lab": "0 2 C"},
    )
    return terminal


def test_the_costliest_items_come_first(three: Terminal) -> None:
    result = three.run("show", "chords", "ref", "est", "--worst", "5")
    assert result.code == 1  # b has no estimate
    assert [line for line in result.out.split("\n") if "against ref" in line] == [
        "b, 0 to 4 s: est against ref",
        "a, 0 to 10 s: est against ref",
    ]
    result = three.run("show", "chords", "ref", "est", "--worst", "1", "--measure", "decibel/CSR")
    assert "\n\nb, 0 to 4 s" in result.out
    assert "\na, " not in result.out


def test_a_list_of_the_items_with_the_largest_loss_stands_before_them(three: Terminal) -> None:
    result = three.run("show", "chords", "ref", "est", "--worst", "5")
    assert result.out.split("\n")[:6] == [
        "2 of 3 items with the largest loss: how far mirex2013/MajMin is from its best",
        "  value, times the weight of the item",
        "item  lost s    of s  lost %",
        "b      4.000   4.000  100.00",
        "a      3.000  10.000   30.00",
        "",
    ]
    twice = three.run("show", "chords", "ref", "est", "again=est", "--worst", "1", "--width", "60")
    assert "item over\n  2 systems\n" in twice.out
    assert "\nb      8.000  8.000  100.00\n" in twice.out


def test_what_cost_nothing_is_not_shown(three: Terminal) -> None:
    result = three.run("show", "chords", "ref/c.lab", "est/c.lab", "--worst", "1")
    assert (result.code, result.lines) == (2, ["error: no item has a loss by mirex2013/MajMin"])
    result = three.run("show", "chords", "ref", "est", "--worst", "1", "--measure", "mirex2013/OverSeg")
    assert (result.code, result.out) == (2, "")  # not even the list of items
    result = three.run("show", "chords", "ref", "est", "--worst", "0")
    assert (result.code, result.lines) == (2, ["error: --worst must be 1 or more, got 0"])


def test_a_task_that_judges_by_nothing_must_be_told() -> None:
    command = with_options(pages.show, [kammerton.show], replace(find_task("chords"), judge=""))
    with pytest.raises(OptionError, match="by which measure"):
        command("reference", "careful", worst=1, measure=None, pairs=None, estimate_annotator=None)


def test_items_of_a_list_of_pairs_are_shown(three: Terminal) -> None:
    (three.folder / "pairs.csv").write_text(
        "item,reference,mine\none,ref/a.lab,est/a.lab\ntwo,ref/c.lab,est/c.lab\n"
    )
    assert three.run("show", "chords", "--pairs", "pairs.csv", "tw").out.startswith("two, 0 to 2 s: mine")
    assert "\none, 0 to 10 s" in three.run("show", "chords", "--pairs", "pairs.csv", "--worst", "1").out
    result = three.run("show", "chords", "--pairs", "pairs.csv", "ref", "est")
    assert (result.code, "stands in place of REF" in result.err) == (2, True)
    assert three.run("show", "chords").lines[0] == "error: REF and EST are needed"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> str:
    """A run of the example by one measure, without the files that it was made of."""
    assert main(["score", "chords", *SYSTEMS, "--out", "run", "--measure", "mirex2013/MajMin"]) == 0
    for name in SYSTEMS:
        shutil.move(name, f"../{name}")
    capsys.readouterr()
    return "run"


@pytest.mark.parametrize("item", ["Amazing Grace", "frere"])
def test_an_item_of_a_run(run: str, item: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert show(run, item, "--measure", "mirex2013/MajMin") == 0
    drawn = capsys.readouterr()
    assert show(*(f"../{name}" for name in SYSTEMS), item, "--measure", "mirex2013/MajMin") == 0
    assert drawn == capsys.readouterr()


def test_what_cost_most_in_a_run(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert show(run, "--worst", "2", "--measure", "mirex2013/MajMin") == 0
    drawn = capsys.readouterr()
    assert show(*(f"../{name}" for name in SYSTEMS), "--worst", "2", "--measure", "mirex2013/MajMin") == 0
    assert drawn == capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "--worst", "2", "--measure", "Root"), "Root"),
        (("run", "Greensleeves", "--annotator", "x=../reference"), "a run has its own annotators"),
        (("run", "Greensleeves", "hasty"), "no such file or folder: `Greensleeves`"),
        (("run",), "which of 4 items?"),
    ],
)
def test_what_a_run_cannot_show(
    run: str, arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run == "run"
    assert show(*arguments) == 2
    assert said in capsys.readouterr().err


def test_a_run_without_annotations(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "chords", *SYSTEMS, "--out", "run", "--no-annotations"]) == 0
    assert show("run", "Greensleeves") == 2
    assert "`run` keeps no annotations" in capsys.readouterr().err
    assert main(["score", "chords", *SYSTEMS, "--no-annotations"]) == 2
    assert "--no-annotations needs a run" in capsys.readouterr().err


def test_the_worst_item_of_five_systems_has_80_lines_of_losses_and_what_is_wrong(terminal: Terminal) -> None:
    rows = [f"{n} {n + 1} {'CDEFGAB'[n % 7]}" for n in range(300)]
    systems = [f"s{number}" for number in range(5)]
    terminal.write(
        ref={"song.lab": "\n".join(rows)},
        **{
            name: {"song.lab": "\n".join([*rows[: 60 * number], f"{60 * number} 300 G#"])}
            for number, name in enumerate(systems)
        },
    )
    shown = terminal.run("show", "chords", "ref", *systems, "--worst", "1").out
    lines = shown.splitlines()
    assert len(lines) <= 80
    assert shown.index("s0: ") < shown.index("reference ") < shown.index("scores, per cent")
    assert re.search(r"\d+ of \d+ parts with errors are drawn, of \d+: --all draws every one", shown)
    assert "mirex2013/" in shown
    assert "mir_eval/" not in shown
    whole = terminal.run("show", "chords", "ref", *systems, "--worst", "1", "--all").out
    assert len(whole.splitlines()) > 80
    assert "decibel/" in terminal.run("show", "chords", "ref", "s1", "--protocol", "all").out
    chosen = terminal.run("show", "chords", "ref", "s1", "--worst", "1", "--protocol", "decibel").out
    assert re.findall(r"^  (\w+)/", chosen, re.MULTILINE)[:2] == ["mirex2013", "decibel"]


def test_where_nothing_is_left_out_of_the_drawing_nothing_is_said(terminal: Terminal) -> None:
    terminal.write(ref={"a.lab": "0 2 C|2 4 G"}, est={"a.lab": "0 3 C|3 4 G"})
    assert "--all" not in terminal.run("show", "chords", "ref", "est", "--worst", "1").out


def test_of_a_long_list_only_what_is_wrong_is_drawn(terminal: Terminal) -> None:
    rows = "".join(f"a,class{number:02}\n" for number in range(40))
    for name, first in (("ref.csv", ""), ("est.csv", "a,other\n")):
        Path(name).write_text(f"file,instrument\n{first}{rows}")
    shown = terminal.run("show", "instruments", "ref.csv", "est.csv", "--worst", "1").out
    assert "other" in shown
    assert "class39" not in shown
    assert "1 of 1 classes with errors are drawn, of 41: --all draws every one" in " ".join(shown.split())
    assert "class39" in terminal.run("show", "instruments", "ref.csv", "est.csv", "--worst", "1", "--all").out


def test_some_systems_of_a_run_are_shown(terminal: Terminal) -> None:
    songs = {"a.lab": "0 4 C", "b.lab": "0 2 C"}
    terminal.write(
        ref=songs, one=dict.fromkeys(songs, "0 1 C|1 4 G"), two={"a.lab": "0 4 C", "b.lab": "0 2 G"}
    )
    assert terminal.run("score", "chords", "ref", "one", "two", "--out", "run", "--quiet").code == 0
    both, lone = terminal.run("show", "run", "b"), terminal.run("show", "run", "b", "--system", "two")
    assert ("one: " in both.out, "one: " in lone.out) == (True, False)
    assert lone.out == terminal.run("show", "chords", "ref", "two", "b").out
    # 3 s of `a` and 1 s of `b` are lost by one, 2 s of `b` by two
    assert ", 0 to 4 s: one, two against" in terminal.run("show", "run", "--worst", "1").out
    worst = terminal.run("show", "run", "--worst", "1", "--system", "two").out
    assert "b, 0 to 2 s: two against" in worst
    unknown = terminal.run("show", "run", "--worst", "1", "--system", "three")
    assert (unknown.code, unknown.lines[0]) == (2, "error: unknown system `three`")
    assert terminal.run("show", "run", "b", "--system", "three").code == 2
