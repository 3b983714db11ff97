# SPDX-License-Identifier: MIT
"""``kammerton check``: every problem at once, in the form that is asked for."""

import os
import re
from pathlib import Path

import pytest
import yaml

import kammerton
from cli.harness import Terminal
from kammerton.model.registry import TASKS

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


def test_a_path_may_have_a_name_as_for_other_commands(terminal: Terminal) -> None:
    terminal.write(songs={"a.lab": "0 1 C"}, **{"x=y": {"b.lab": "0 1 C"}})
    for paths in (("Ann=songs",), ("x=y",), ("Ann=songs", "x=y/b.lab")):
        result = terminal.run(*CHECK, *paths)
        assert (result.code, result.lines[-1]) == (
            0,
            f"{len(paths)} file{'s' * (len(paths) > 1)} checked: no problems",
        )


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
    assert result.err == "2 files checked: 40 errors in 2 files, 1 distinct message\n"


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


def test_severity_is_chosen_by_code(terminal: Terminal) -> None:
    terminal.write(songs={"a.lab": "0 1 C:mja7|1 1 F|1 2 Gm"})
    levels = ("--severity", "KT31=warning, kt312=note", "--severity", "KT125=error")
    result = terminal.run(*CHECK, "songs", *levels, "--format", "json")
    found = {row["code"]: row["severity"] for row in result.document["diagnostics"]}
    assert found == {"KT312": "note", "KT125": "error", "KT311": "warning"}
    milder = terminal.run(*CHECK, "songs", "--severity", "KT31=warning")
    assert milder.code == 0
    assert "; 1 file cannot be used, though no error is reported" in milder.err
    for wrong, said in (("KT312", "expected CODE=LEVEL"), ("KT312=eror", "did you mean `error`?")):
        result = terminal.run(*CHECK, "songs", "--severity", wrong)
        assert (result.code, said in result.err) == (2, True)


def test_statistics_count_problems_and_files(terminal: Terminal) -> None:
    terminal.write(songs={"a.lab": "0 1 Cm|1 2 Gm|2 2 F", "b.lab": "0 1 Em|1 2 C:mja7"})
    result = terminal.run(*CHECK, "songs", "--statistics")
    assert [line.split() for line in result.out.splitlines()] == [
        ["code", "severity", "problem", "times", "files"],
        ["KT311", "error", "missing", "colon", "before", "the", "quality", "3", "2"],
        ["KT125", "warning", "segment", "has", "no", "length", "1", "1"],
        ["KT312", "error", "unknown", "chord", "quality", "1", "1"],
    ]
    assert result.code == 1
    assert terminal.run(*CHECK, "songs", "--statistics", "--select", "KT9").out == ""
    assert terminal.run(*CHECK, "songs", "--statistics", "--format", "sarif").code == 2


YAML = "stems:|  S01:|    instrument: pianno{}|  S02:|    instrument: voice|"
XML = (
    '<?xml version="1.0"?>|{}<score-partwise><part-list><score-part id="P"><part-name/></score-part>'
    '</part-list><part id="P"><measure number="1"><attributes><divisions>1</divisions></attributes>|'
    "<note><pitch><step>C</step><octave>4</octave></pitch><duration>1</duration>"
    "<notations><technical><fingering>7</fingering></technical></notations></note>{}|</measure></part>"
    "</score-partwise>|"
)


@pytest.mark.parametrize(
    ("task", "name", "text", "suppressed"),
    [
        ("chords", "a.lab", "# kammerton: ignore[KT125]|0 1 C|1 1 F|1 1 A|", {"KT125": 2}),
        (
            "chords",
            "a.csv",
            "start,end,label|// Kammerton:ignore [kt1, KT31]|0,1,Cm|1,1,F",
            {"KT125": 1, "KT311": 1},
        ),
        ("instruments", "a.yaml", YAML.format(" # kammerton: ignore[KT600]"), {"KT600": 1}),
        ("fingering", "a.musicxml", XML.format("<!-- kammerton: ignore[KT330] -->|", ""), {"KT330": 1}),
        ("fingering", "a.xml", XML.format("", "<!-- off: kammerton: ignore[KT330] -->"), {"KT330": 1}),
        ("fingering", "a.txt", "// kammerton: ignore[KT330]|0\t0.0\t0.5\tC4\t64\t80\t0\t8|", {"KT330": 1}),
        (
            "fingering",
            "a.abcd",
            "% kammerton: ignore[KT36]|X:1|K:C|CDEF|% abcD fingering 1: 12@4|",
            {"KT362": 2},
        ),
    ],
)
def test_comments_ignore_codes(
    terminal: Terminal, task: str, name: str, text: str, suppressed: dict[str, int]
) -> None:
    Path(name).write_text(text.replace("|", "\n"))
    options = ("--taxonomy", "openmic-2018") if task == "instruments" else ()
    result = terminal.run("check", task, name, *options, "--format", "json")
    assert result.document["suppressed"] == suppressed
    found = {row["code"] for row in result.document["diagnostics"]}
    assert not found & {"KT251", *suppressed}
    assert "left out by comments in the files" in result.err


def test_a_comment_behind_a_row_holds_for_its_line(terminal: Terminal) -> None:
    Path("a.yaml").write_text(
        "stems:\n  S01:\n    instrument: pianno\n  S02:\n    instrument: voise  # kammerton: ignore[KT600]\n"
    )
    result = terminal.run(
        "check", "instruments", "a.yaml", "--taxonomy", "openmic-2018", "--format", "concise"
    )
    assert [line.split()[0] for line in result.out.splitlines()] == ["a.yaml:3:17:"]
    assert "1 left out by comments" in result.err


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("# kammerton: ignore[KT125,KT124]|0 1 C|1 1 F", "1:3", "nothing to ignore: KT124"),
        ("# kammerton: ignore|0 1 C", "1:3", "nothing ignored: no code is named"),
        ("0 1 C|#see kammerton: ignore[KT999]", "2:6", "no code begins with `KT999`"),
        ("0\t1\tC # kammerton: ignore[KT3]|", "1:9", "not ignored: a comment has a line of its own here"),
    ],
)
def test_a_comment_that_ignores_nothing_is_noted(
    terminal: Terminal, text: str, place: str, said: str
) -> None:
    terminal.write(songs={"a.lab": text})
    lines = terminal.run(*CHECK, "songs", "--format", "concise").out.splitlines()
    assert [line for line in lines if "KT251" in line] == [f"songs/a.lab:{place}: KT251 {said}"]


def test_a_comment_of_more_rows_than_are_listed_is_not_unused(terminal: Terminal) -> None:
    rows = "|".join("1 1 C" for _ in range(30))
    terminal.write(songs={"a.lab": f"# kammerton: ignore[KT125]|{rows}|1 2 G"})
    result = terminal.run(*CHECK, "songs", "--format", "json")
    assert result.document["suppressed"] == {"KT125": 30}
    assert "KT251" not in result.out


SETTINGS = """
[tool.kammerton]
ignore = ["KT125"]
severity = { KT31 = "warning", KT312 = "note" }

[tool.kammerton.chords]
severity = { KT311 = "error" }

[tool.kammerton.fingering]
ignore = ["KT3"]
"""


def test_settings_of_the_nearest_project_hold(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal.write(**{"work/songs": {"a.lab": "0 1 C:mja7|1 1 F|1 2 Gm"}})
    monkeypatch.chdir("work")
    Path("pyproject.toml").write_text("[tool.other]\n")
    Path("..", "pyproject.toml").write_text(SETTINGS.strip())
    result = terminal.run(*CHECK, "songs", "--format", "json")
    found = {row["code"]: row["severity"] for row in result.document["diagnostics"]}
    assert found == {"KT312": "note", "KT311": "error"}
    assert result.document["left_out"] == {"KT125": 1}
    assert "1 left out by their codes; settings of `../pyproject.toml`" in result.err
    assert result.document == kammerton.check("chords", "songs", config="../pyproject.toml").to_dict()
    over = terminal.run(*CHECK, "songs", "--ignore", "KT3", "--severity", "KT125=error", "--format", "json")
    assert {row["code"]: row["severity"] for row in over.document["diagnostics"]} == {"KT125": "error"}
    alone = terminal.run(*CHECK, "songs", "--isolated", "--format", "json").document
    assert alone == kammerton.check("chords", "songs").to_dict()
    Path("mine.toml").write_text("[tool.kammerton]\nselect = ['KT125']\n")
    assert terminal.run(*CHECK, "songs", "--config", "mine.toml").err.startswith("1 file checked: 1 warning")
    assert terminal.run(*CHECK, "songs", "--config", "mine.toml", "--isolated").code == 2
    assert "no table `tool.kammerton`" in terminal.run(*CHECK, "songs", "--config", "pyproject.toml").err


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("ignore = ['KT999']", "`tool.kammerton.ignore`: no code begins with `KT999`"),
        ("select = 'KT3'", "`tool.kammerton.select`: select must be a list of codes, not str"),
        ("ignore = [3]", "`tool.kammerton.ignore`: ignore must be a list of codes, not list"),
        ("severity = 3", "`tool.kammerton.severity`: severity must be a mapping of codes to levels, not int"),
        ("severity = {KT3 = 'warn'}", "`tool.kammerton.severity`: unknown severity `warn`"),
        ("igonre = []", "`tool.kammerton.igonre`: no such setting"),
        ("chords = 3", "`tool.kammerton.chords` is no table"),
        ("chords.quiet = true", "`tool.kammerton.chords.quiet`: no such setting"),
        ("ignore = ", "not TOML: Invalid value (at line 2, column 10)"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(terminal: Terminal, settings: str, said: str) -> None:
    terminal.write(songs={"a.lab": "0 1 C"})
    Path("pyproject.toml").write_text(f"[tool.kammerton]\n{settings}\n")
    Path("odd.toml").write_text("tool = {kammerton = 3}\n")
    assert "no table `tool.kammerton`" in terminal.run(*CHECK, "songs", "--config", "odd.toml").err
    Path("empty.toml").write_text("[tool.kammerton]\n")
    assert terminal.run(*CHECK, "songs", "--config", "empty.toml").code == 0
    result = terminal.run(*CHECK, "songs")
    assert (result.code, result.out) == (2, "")
    assert f"pyproject.toml: {said}" in result.err.splitlines()[0]
    assert result.err.startswith("error[KT250]")
    assert terminal.run(*CHECK, "songs", "--isolated").code == 0


def test_sarif_has_rules_results_and_places(terminal: Terminal) -> None:
    terminal.write(**{"my songs": {"é.lab": "# kammerton: ignore[KT125]|0 1 Cm|1 1 F", "a.md": ""}})
    document = terminal.run(*CHECK, "my songs", "--format", "sarif").document
    assert (document["version"], document["$schema"][-16:]) == ("2.1.0", "sarif-2.1.0.json")
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"] == "kammerton"
    assert [rule["id"] for rule in rules] == ["KT125", "KT205", "KT311"]
    assert rules[2]["shortDescription"] == {"text": "missing colon before the quality"}
    assert rules[2]["help"]["text"].startswith("In Harte's syntax")
    ignored, colon, length = run["results"]
    assert ignored["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "my%20songs/a.md"}}
    assert (colon["ruleId"], colon["ruleIndex"], colon["level"]) == ("KT311", 2, "error")
    assert colon["message"]["text"].startswith("missing colon before the quality `m`\n")
    assert colon["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "my%20songs/%C3%A9.lab"},
        "region": {"startLine": 2, "startColumn": 6, "endColumn": 7},
    }
    assert (length["ruleId"], length["suppressions"]) == ("KT125", [{"kind": "inSource"}])
    whole = terminal.run(*CHECK, str(Path("my songs").absolute()), "--format", "sarif").document
    uri = whole["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.startswith("file:///")


SARIF: dict[str, tuple[set[str], set[str]]] = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"columnKind", "results"}),
    "driver": ({"name"}, {"version", "rules"}),
    "rule": ({"id"}, {"shortDescription", "help"}),
    "result": (
        {"message"},
        {"ruleId", "ruleIndex", "level", "locations", "occurrenceCount", "suppressions"},
    ),
    "region": (set(), {"startLine", "startColumn", "endColumn"}),
}
"""What objects of SARIF 2.1.0 must have, and may have of what is written here; it allows nothing else."""


def test_sarif_has_no_other_keys_than_its_standard(terminal: Terminal) -> None:
    rows = "".join(f"{n} {n + 1} C:mja7\n" for n in range(30))
    terminal.write(songs={"a.lab": "# kammerton: ignore[KT125]|0 1 Cm|1 1 F", "b.lab": rows, "c.md": ""})
    log = terminal.run(*CHECK, "songs", "--format", "sarif").document
    (run,) = log["runs"]
    driver, results = run["tool"]["driver"], run["results"]
    regions = [row["physicalLocation"].get("region", {}) for result in results for row in result["locations"]]
    objects = {"log": [log], "run": [run], "driver": [driver], "rule": driver["rules"]}
    for name, parts in {**objects, "result": results, "region": regions}.items():
        needed, allowed = SARIF[name]
        assert all(needed <= part.keys() <= needed | allowed for part in parts)
    assert {result["level"] for result in results} <= {"none", "note", "warning", "error"}
    assert all(result["occurrenceCount"] >= 1 and result["message"]["text"] for result in results)
    assert all(driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] for result in results)
    assert all(value >= 1 for region in regions for value in region.values())


def test_there_is_a_hook_of_pre_commit_for_each_task() -> None:
    hooks = yaml.safe_load(Path(__file__).parents[2].joinpath(".pre-commit-hooks.yaml").read_text())
    assert [hook["entry"] for hook in hooks] == [f"kammerton check {task}" for task in TASKS]


def test_unknown_labels_are_a_draft_of_a_label_map(terminal: Terminal) -> None:
    terminal.write(
        songs={
            "a.csv": "file,instrument|x,pianno|y,pianno|y,gel|z,qqqq|z,Guitar",
            "b.jams": '{"annotations": [{"namespace": "tag_open", "data": ['
            '{"time": 0, "duration": 1, "value": "pianno", "confidence": null}]}]}',
        }
    )
    run = ("check", "instruments", "songs", "--taxonomy", "openmic-2018")
    assert terminal.run(*run, "--unknown-labels", "draft.csv").code == 1
    draft = (
        "label,instrument,times,files\npianno,piano,3,2\nGuitar,guitar,1,1\ngel,guitar,1,1\nqqqq,qqqq,1,1\n"
    )
    assert Path("draft.csv").read_text() == draft
    mapped = terminal.run(*run, "--map", "draft.csv", "--format", "json").document
    assert [row["message"] for row in mapped["diagnostics"] if row["severity"] == "error"] == [
        "taxonomy `openmic-2018` has no `qqqq` (1 item)"
    ]
    refused = terminal.run(*run, "--unknown-labels", "draft.csv")
    assert (refused.code, refused.lines) == (
        5,
        ["error[KT503] cannot write `draft.csv`: it is there already", "  help: write to a new file"],
    )
    assert terminal.run(*run[:3], "--unknown-labels", "other.csv").code == 2
    assert terminal.run("pack", *run[1:], "--unknown", "keep", "songs.parquet").code == 0
    packed = terminal.run("check", "instruments", "songs.parquet", *run[3:], "--unknown-labels", "other.csv")
    assert "a pack has no unknown labels" in packed.err


def test_unknown_chords_are_listed_with_what_they_may_mean(terminal: Terminal) -> None:
    terminal.write(songs={"a.lab": "0 1 Cm|1 2 C|2 3 Cm|3 4 oh", "b.lab": "1 0 Cm|1 2 F#maj7"})
    Path("t.csv").write_text("item,start,end,label\nx,0,1,Cm\n")
    assert terminal.run(*CHECK, "songs", "t.csv", "--unknown-labels", "labels.csv").code == 1
    assert Path("labels.csv").read_text() == "label,chord,times,files\nCm,C:min,3,2\noh,oh,1,1\n"
    listed = kammerton.check("chords", "songs", labels=True).unknown_labels
    assert [(row.label, row.nearest, row.times, row.files) for row in listed] == [
        ("Cm", "C:min", 2, 1),
        ("oh", None, 1, 1),
    ]
    with pytest.raises(kammerton.OptionError, match="has no names of its own to know"):
        kammerton.check("fingering", "songs", labels=True)


@pytest.mark.parametrize(("ignored", "listed", "rest"), [(40, 0, 0), (30, 10, 0), (3, 20, 17), (0, 20, 20)])
def test_rows_are_ignored_however_many_there_are(
    terminal: Terminal, ignored: int, listed: int, rest: int
) -> None:
    note = (
        "<note><pitch><step>C</step><octave>4</octave></pitch><duration>1</duration>"
        "<notations><technical><fingering>7</fingering></technical></notations></note>"
    )
    marks = ["<!-- kammerton: ignore[KT330] -->" if number < ignored else "" for number in range(40)]
    opening = XML.partition("<note>")[0].replace("{}", "")
    text = f"{opening}{''.join(f'{note}{mark}|' for mark in marks)}</measure></part></score-partwise>"
    Path("a.musicxml").write_text(text.replace("|", "\n"))
    document = terminal.run("check", "fingering", "a.musicxml", "--format", "json").document
    assert document["suppressed"] == ({"KT330": ignored} if ignored else {})
    found = [row for row in document["diagnostics"] if row["code"] == "KT330"]
    assert sum(row["count"] for row in found) == 40 - ignored
    assert sum(row["line"] is not None for row in found) == listed
    assert [row["count"] for row in found if row["line"] is None] == ([rest] if rest else [])
    assert "KT251" not in {row["code"] for row in document["diagnostics"]}
