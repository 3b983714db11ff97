# SPDX-License-Identifier: MIT
"""``kammerton demo``, and the bundled files."""

import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import kammerton
from kammerton.cli import main
from kammerton.cli.demo import EXAMPLE
from kammerton.instruments import InstrumentOptions

ROOT = Path(__file__).parents[2]
SCALE = """\
      ------------------------------------------------------------

      ------------------------------------------------------------
                                   o
right -------------------------o-------o--------------------------
                           o               o
      -----------------o-----------------------o------------------
                   o                               o
      ---------o---------------------------------------o----------
           o                                               o
      -o-                                                     -o-
       1   2   3   1   2   3   4   5   4   3   2   1   3   2   1
"""


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_the_example_is_scored(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    captured = capsys.readouterr()
    assert not captured.err
    assert captured.out.startswith("Chords of four old tunes: the systems `careful` and `hasty`")
    assert re.search(r"^hasty +61\.2 a \[", captured.out, re.MULTILINE)
    assert "\nAmazing Grace, 8 to 24 of 39.046 s: careful, hasty against reference\n" in captured.out
    assert "\nnakamura2020, %  M_gen ↑ " in captured.out
    assert "\nCadence, 0 to 4 s: careful, hasty against 1, 2\n" in captured.out
    assert f"\nC major scale, fingered by the system `rules`:\n\n{SCALE}\n" in captured.out
    assert "\nopen-mic-task1, %  F ↑ " in captured.out
    assert "\nharbour song: careful, hasty against reference\n" in captured.out
    assert f"\nThe files are in {EXAMPLE}\n" in captured.out


def test_the_commands_it_proposes_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    first, *others = [
        line.strip() for line in capsys.readouterr().out.partition("Next, try:\n")[2].splitlines()
    ]
    copy, _, folder = first.partition(" && cd ")
    assert main(shlex.split(copy)[1:]) == 0
    monkeypatch.chdir(folder)
    assert len(others) == 13
    for command in others:
        program, *arguments = shlex.split(command)
        if program == "cd":
            monkeypatch.chdir(*arguments)
        else:
            assert program == "kammerton"
            assert main(arguments) == 0


def test_the_example_is_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("new", "empty", "deep/er"):
        assert main(["demo", "--copy", str(tmp_path / name)]) == 0
        assert capsys.readouterr().out.startswith(f"copied to {tmp_path / name}\ntry, in ")
        copied = files(tmp_path / name)
        made = {path for path in copied if path.startswith("fingering/practice")}
        assert len(made) == 49  # 48 pieces and a table of splits
        assert {path: data for path, data in copied.items() if path not in made} == files(EXAMPLE)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deep", "empty", "new"]


def test_nothing_is_copied_over_other_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    for place, why in ((tmp_path, "the folder is not empty"), (tmp_path / "mine.txt", "a file is there")):
        assert main(["demo", "--copy", str(place)]) == 5
        assert f": {why}\n" in capsys.readouterr().err
    assert files(tmp_path) == {"mine.txt": b"mine"}


def test_a_copy_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", full)
    assert main(["demo", "--copy", str(tmp_path / "new")]) == 5
    assert "no space left on device" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("script", "task"), [("make_demo.py", "chords"), ("make_fingering_demo.py", "fingering")]
)
def test_the_files_are_what_the_script_writes(tmp_path: Path, script: str, task: str) -> None:
    subprocess.run([sys.executable, ROOT / "examples" / script, tmp_path], check=True)
    assert files(tmp_path) == files(EXAMPLE / task)


@pytest.mark.parametrize("annotator", ["reference", "second"])
def test_nothing_is_wrong_with_the_files(annotator: str) -> None:
    chords = EXAMPLE / "chords"
    scores = kammerton.score("chords", chords / annotator, [chords / "careful", chords / "hasty"])
    assert scores.diagnostics == ()
    assert scores.counts["hasty"] == {"total": 4, "ok": 4, "missing": 0, "failed": 0}


def test_the_fingerings_are_as_they_are_described() -> None:
    fingering = EXAMPLE / "fingering"
    systems = [fingering / "careful", fingering / "hasty"]
    scores = kammerton.score("fingering", fingering / "reference", systems)
    (left_out,) = scores.diagnostics  # the last bass note of the cadence
    assert (left_out.code, left_out.system) == ("KT379", "hasty")
    assert left_out.message == "no finger from the system: 1 note of 1 item, which count as wrong"
    assert scores.counts["hasty"] == {"total": 3, "ok": 3, "missing": 0, "failed": 0}
    assert scores.annotators == ("1", "2", "all")
    assert scores.references == {"C major scale": 2, "Cadence": 2, "Minuet in G": 2}
    # the annotators write nothing that cannot be played, `careful` is always with one of them
    assert scores.value("ifr_melodic_references", system="careful") == 0
    assert scores.value("ifr_chord_references", system="careful") == 0
    assert scores.value("nakamura2020/M_soft", system="careful") == 1
    found = [each for each in kammerton.check("fingering", fingering).diagnostics if each.code != "KT393"]
    assert Counter(Path(each.file or "").parent.name for each in found) == {"careful": 1, "hasty": 9}
    assert {each.code for each in found} == {"KT390", "KT391", "KT392"}


def test_the_instruments_are_as_they_are_described() -> None:
    folder = EXAMPLE / "instruments"
    systems = [folder / "careful.csv", folder / "hasty.csv"]
    options = InstrumentOptions(taxonomy="openmic-2018")
    scores = kammerton.score(
        "instruments", folder / "reference.csv", systems, options=options, protocols="all"
    )
    assert [said.code for said in scores.diagnostics] == ["KT673"]  # nobody scores every label
    assert scores.counts["hasty"] == {"total": 6, "ok": 6, "missing": 0, "failed": 0}
    # of market square 2 of 3 are right, of harbour song 2 of 3, of first snow 1 of 2
    assert scores.value("open-mic-task1/P", system="careful") == pytest.approx((3 + 4 / 3 + 1 / 2) / 6)
    # hasty is right about families more often than about instruments
    families = scores.value("open-mic-task1/hP", system="hasty")
    assert families > scores.value("open-mic-task1/P", system="hasty")


@pytest.mark.slow
@pytest.mark.slow
def test_without_what_reads_sound_no_songs_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "soundfile", None)
    path = tmp_path / "demo.html"
    assert main(["demo", "--report", str(path)]) == 0
    assert capsys.readouterr().err == (
        "no songs are made: audio needs soundfile\n"
        f"  help: pip install 'kammerton[audio]'\nwrote `{path}`: open it in a browser\n"
    )
    assert path.read_text("utf-8").count("<article") == 3


def test_a_report_of_the_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("soundfile", reason="songs are made with soundfile")
    assert main(["demo"]) == 0
    shown = capsys.readouterr().out
    path = tmp_path / "demo.html"
    assert main(["demo", "--report", str(path)]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith(f"{shown}\nChords of two songs made just now: ")
    table = captured.out.removeprefix(shown).partition("MajMin ↑")[2]
    rows = re.findall(r"^(fused|sheet|audio|symbolic) +(\S+)", table, re.MULTILINE)
    songs = {system: float(score) for system, score in reversed(rows)}  # the first table counts
    assert songs["fused"] > songs["audio"] > songs["symbolic"]
    assert captured.err == f"wrote `{path}`: open it in a browser\n"
    page = path.read_text("utf-8")
    assert page.count("<article") == 4
    assert page.count('"sound":"data:audio/mpeg;base64,') == 2
    assert len(page) < 1_500_000
    assert page.count("reaches ") >= 2  # chords and fingerings have two annotators
    sections = [page.count(f'data-part="{part}" data-chapter') for part in ("summary", "item", "losses")]
    assert sections == [4, 4, 4]
    assert main(["demo", "--report", "x.html", "--copy", "y"]) == 2
    assert "--copy and --report exclude each other" in capsys.readouterr().err
    assert main(["demo", "--report", str(tmp_path)]) == 5
