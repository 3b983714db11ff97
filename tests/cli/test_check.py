# SPDX-License-Identifier: MIT
"""``kammerton check``: every problem at once, in the form that is asked for."""

import os
import re
from pathlib import Path

import pytest

import kammerton
from cli.harness import Terminal

CHECK = ("check", "chords")


@pytest.fixture
def bad(terminal: Terminal) -> Terminal:
    """Two files with an error, one with a warning, one without, one that is no annotation."""
    terminal.write(
        songs={
            "good.lab": "0 1 C",
            "label.lab": "0 1 C|1 2 Cm",
            "rows.lab": "0 1 C|3 2 G",
            "zero.lab": "0 1 C|1 1 F|1 2 G",
            "notes.md": "nothing",
        }
    )
    return terminal


def test_every_file_is_read_and_every_problem_listed(bad: Terminal) -> None:
    result = bad.run(*CHECK, "songs")
    assert result.code == 1
    label, rows = Path("songs/label.lab"), Path("songs/rows.lab")
    assert (
        f"error[KT311] {label}:2:6: missing colon before the quality `m`\n  2 | 1 2 Cm\n    |      ^\n"
        in result.out
    )
    assert f"error[KT124] {rows}:2:3: segment ends before it starts" in result.out
    assert "ignored: suffix not recognised" in result.out
    assert result.err == "4 files checked: 2 errors, 1 warning in 3 files; 1 path ignored\n"


def test_clean_files_are_exit_code_0(bad: Terminal) -> None:
    result = bad.run(*CHECK, "songs/good.lab")
    assert (result.code, result.out) == (0, "")
    assert result.err == "1 file checked: no problems\n"


def test_warnings_count_only_if_strict(bad: Terminal) -> None:
    assert bad.run(*CHECK, "songs/zero.lab").code == 0
    assert bad.run(*CHECK, "songs/zero.lab", "--strict").code == 1


def test_lenient_labels_are_warnings(bad: Terminal) -> None:
    result = bad.run(*CHECK, "songs/label.lab", "--lenient")
    assert result.code == 0
    assert "`Cm` read as `C:min`" in result.out


def test_json_holds_everything(bad: Terminal) -> None:
    found = bad.run(*CHECK, "songs", "--format", "json").document
    assert (found["task"], found["files"]) == ("chords", 4)
    assert found["ignored"] == [os.fspath(Path("songs/notes.md"))]
    assert sorted(each["code"] for each in found["diagnostics"]) == ["KT124", "KT125", "KT205", "KT311"]
    assert found == kammerton.check("chords", "songs").to_dict()


def test_concise_is_one_line_each(bad: Terminal) -> None:
    lines = bad.run(*CHECK, "songs/label.lab", "songs/rows.lab", "--format", "concise").out.splitlines()
    assert [line.split(" ", 1)[0] for line in lines] == ["songs/label.lab:2:6:", "songs/rows.lab:2:3:"]


@pytest.mark.skipif(os.name != "posix", reason="such names are possible on POSIX only")
def test_github_output_cannot_be_broken_out_of(terminal: Terminal) -> None:
    name = "a,b:c\n::error::x%0A.lab"
    terminal.write(songs={name: "0 1 ::error::y"})
    for form in ("github", "concise", "table"):
        result = terminal.run(*CHECK, "songs", "--format", form)
        assert result.code == 1
        commands = [line for line in result.out.splitlines() if line.lstrip().startswith("::")]
        assert len(commands) == (1 if form == "github" else 0)
    (command,) = terminal.run(*CHECK, "songs", "--format", "github").out.splitlines()
    assert re.fullmatch(r"::error file=[^,:]*,line=1,col=5,title=KT310::[^\n]*", command)
    assert "file=songs/a%2Cb%3Ac%0A%3A%3Aerror%3A%3Ax%250A.lab" in command


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        ((), "PATH is needed"),
        (("empty",), "no annotation files to check"),
        (("nowhere",), "no such file or folder: `nowhere`"),
    ],
)
def test_nothing_to_check_is_a_usage_error(terminal: Terminal, paths: tuple[str, ...], said: str) -> None:
    Path("empty").mkdir()
    result = terminal.run(*CHECK, *paths)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_a_folder_of_which_nothing_may_be_read_is_told_by_what_is_in_it(terminal: Terminal) -> None:
    Path("songs").mkdir()
    Path("songs/a.lab").symlink_to("/dev/zero")
    result = terminal.run(*CHECK, "songs")
    assert result.code == 1
    assert "KT102" in result.out


def test_quiet_leaves_out_notes_and_summary(bad: Terminal) -> None:
    result = bad.run(*CHECK, "songs", "--quiet")
    assert (result.code, result.err) == (1, "")
    assert "KT205" not in result.out


def test_long_lines_are_clipped_around_the_token(terminal: Terminal) -> None:
    terminal.write(songs={"a.lab": "0 1 " + "C:maj(" + "9," * 300 + "x" + ",9" * 300 + ")"})
    lines = terminal.run(*CHECK, "songs").out.splitlines()
    assert all(len(line) <= 80 for line in lines[1:3])
    assert lines[1][lines[2].index("^")] == "x"
    assert (lines[1][6:9], lines[1][-3:]) == ("...", "...")


def test_tabs_are_one_column_and_wide_characters_two(terminal: Terminal) -> None:
    terminal.write(songs={"a.lab": "0\t1\tC|1\t2\t文Cm"})
    lines = terminal.run(*CHECK, "songs").out.splitlines()
    assert lines[1] == "  2 | 1 2 文Cm"
    assert lines[2] == "    |     ^^"


def test_a_file_named_twice_is_read_once(bad: Terminal) -> None:
    assert bad.run(*CHECK, "songs", "songs/label.lab").err.startswith("4 files checked")


def test_one_cause_in_many_items_is_told_from_many(terminal: Terminal) -> None:
    rows = "file,instrument|" + "|".join(f"{item},pianno" for item in range(20))
    terminal.write(**{".": {"one.csv": rows, "two.csv": rows}})
    result = terminal.run("check", "instruments", "one.csv", "two.csv", "--taxonomy", "openmic-2018")
    assert result.err == "2 files checked: 40 errors in 2 files, of 1 cause\n"


def test_codes_are_selected_and_ignored(terminal: Terminal) -> None:
    terminal.write(lab={"a.lab": "0 1 C:mja7|1 2 G"}, empty={"b.lab": ""})
    paths = ("check", "chords", "lab", "empty", "--format", "json")
    everything = {row["code"] for row in terminal.run(*paths).document["diagnostics"]}
    assert "KT312" in everything
    for code in ("KT312", "kt31", "KT3,KT7"):
        result = terminal.run(*paths, "--select", code)
        assert {row["code"] for row in result.document["diagnostics"]} == {"KT312"}
        assert result.code == 1
    rest = terminal.run(*paths, "--ignore", "KT312")
    assert {row["code"] for row in rest.document["diagnostics"]} == everything - {"KT312"}
    assert terminal.run(*paths, "--ignore", "KT").code == 0
    assert terminal.run(*paths, "--select", "3").lines[0] == "error: not a code: `3`"
    assert terminal.run(*paths, "--ignore", "KT999").lines[0] == "error: no code begins with `KT999`"
    assert "left out by their codes" in terminal.run(*paths, "--ignore", "KT").err
