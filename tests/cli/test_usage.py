# SPDX-License-Identifier: MIT
"""Mistakes on the command line, help pages, and the verbs that only print."""

import re
import shlex
from pathlib import Path

import pytest

import kammerton
from cli.harness import Terminal
from kammerton.cli.program import VERBS
from kammerton.model.registry import TASKS, find_task
from kammerton.reporting.explanations import pages

SOURCES = Path(kammerton.__file__).parent


@pytest.mark.parametrize(
    ("arguments", "first", "hint"),
    [
        ("sore", "unknown command `sore`", "did you mean `score`? known: score, compare, agree"),
        ("score", "which task?", "known: chords"),
        ("score chrods a b", "unknown task `chrods`", "did you mean `chords`?"),
        ("score chords", "REF and EST are needed", "or --pairs FILE.csv"),
        ("score chords ref", "REF and EST are needed", "or --pairs FILE.csv"),
        ("score chords ref est --protcol x", "unknown option: --protcol", "did you mean `--protocol`?"),
        ("score chords ref est --protocol mirx", "unknown protocol `mirx`", "did you mean `mirex2013`?"),
        ("score chords ref est --measure majmn", "unknown measure `majmn`", "did you mean"),
        ("score chords ref est --measure Root,majmi --protocol mirex2013", "unknown measure `majmi`", ""),
        ("score chords ref est --format jsn", "invalid value `jsn` for --format", "did you mean `json`?"),
        ("score chords ref est --missing no", "invalid value `no` for --missing", "known: worst, skip"),
        ("score chords ref est --layout row", "invalid value `row` for --layout", "did you mean `rows`?"),
        ("score chords ref est --encoding uft8", "unknown encoding `uft8`", "common: utf-8"),
        ("score chords ref est --columns onset", "expected [SIDE=]OWN=OURS, got `onset`", ""),
        ("score chords ref est --columns onset=begin", "unknown column `begin`", "known: annotator"),
        ("score chords ref est --measure Root,,", "a name is empty in `Root,,`", ""),
        ("score chords ref est --annotator A --annotator B", "two annotators are chosen", "leave out"),
        ("score chords ref est --annotator Eve", "unknown annotator `Eve`", "known: all, ref"),
        ("score chords ref =est", "expected NAME=PATH, got `=est`", ""),
        ("score chords ref all=est --protocol", "--protocol needs a value", ""),
        ("score chords all=ref est", "an annotator cannot be called `all`", "name it"),
        ("score chords ref est --annotator ref=ref", "two annotators are called `ref`", "name them apart"),
        ("score chords A=ref est --annotator A=ref", "two annotators are called `A`", "name them apart"),
        ("score chords nowhere est", "no such file or folder: `nowhere`", ""),
        ("score chords ref nowhere", "no such file or folder: `nowhere`", ""),
        ("score chords ref -", "nothing is read from standard input", "save it, and name the file"),
        ("check chords -", "nothing is read from standard input", "save it, and name the file"),
        ("explain KT1", "unknown code `KT1`", "KT101 to KT172 begin alike; `kammerton explain` lists"),
        ("explain KT999", "unknown code `KT999`", "`kammerton explain` lists all codes"),
        ("explain KT599", "unknown code `KT599`", "KT501 to KT50"),
        ("explain KT200 KT201", "unexpected argument: `KT201`", ""),
        ("measures majmn", "no task, protocol or measure is called `majmn`", "did you mean `majmin`?"),
        ("measures chords/x y", "unknown task `chords/x`", ""),
        ("--version x", "", ""),
    ],
)  # fmt: skip
def test_mistakes_are_one_line_and_a_hint(corpus: Terminal, arguments: str, first: str, hint: str) -> None:
    result = corpus.run(*arguments.split())
    if not first:
        return
    assert (result.code, result.out) == (2, "")
    assert result.lines[0].startswith(f"error: {first}")
    assert len(result.lines) <= 2
    assert hint in result.err


@pytest.mark.parametrize(
    ("arguments", "option", "hint"),
    [
        ("score chords a b --figures x", "--figures", "`--figures` is an option of `kammerton report`"),
        ("score chords a b --worst 2", "--worst", "`--worst` is an option of `kammerton show`"),
        ("compare chords a b c --cite", "--cite", "`--cite` is an option of `kammerton score`"),
        ("compare --cite", "--cite", "`--cite` is an option of `kammerton score`"),
        ("report --cite", "--cite", "`--cite` is an option of `kammerton score`"),
        (
            "report x --context",
            "--context",
            "`--context` is an option of `kammerton score` and `kammerton compare`",
        ),
        (
            "compare chords a b --per-item x",
            "--per-item",
            "`--per-item` is an option of `kammerton score` and `kammerton agree`",
        ),
        (
            "score chords a b --taxonomy=x",
            "--taxonomy",
            "`--taxonomy` is an option of `kammerton score instruments`",
        ),
        (
            "report x --out y",
            "--out",
            (
                "did you mean `--output`? `--out` is an option of `kammerton score`, `kammerton agree`, "
                "`kammerton fuse`, `kammerton annotate`, `kammerton train` and `kammerton scenes`"
            ),
        ),
        ("score chords a b --CI=0.9", "--CI", "did you mean `--ci`?"),
        ("score chords a b --zzz", "--zzz", "`kammerton score chords --help` lists the options"),
        ("score chords a b --colour x", "--colour", "`kammerton score chords --help` lists the options"),
        ("score chords a b --fromat x", "--fromat", "did you mean `--format`?"),
        ("agree instruments a b --test t", "--test", "`--test` is an option of `kammerton compare`"),
        ("report chords --titel x", "--titel", "did you mean `--title`?"),
        ("demo -x", "-x", "`kammerton demo --help` lists the options"),
        ("--zzz", "--zzz", "`kammerton --help` lists the options"),
    ],
)
def test_an_option_of_another_command_is_looked_up(
    corpus: Terminal, arguments: str, option: str, hint: str
) -> None:
    result = corpus.run(*arguments.split())
    assert (result.code, result.lines) == (2, [f"error: unknown option: {option}", f"  help: {hint}"])


def test_an_option_of_several_commands_names_each(corpus: Terminal) -> None:
    hint = corpus.run("report", "x", "--top-k", "2").lines[1]
    commands = [f"`kammerton {verb} instruments`" for verb in VERBS if verb in hint]
    assert len(commands) > 1
    assert hint == f"  help: `--top-k` is an option of {', '.join(commands[:-1])} and {commands[-1]}"


@pytest.mark.parametrize("paths", [("ref", "est"), ("./no where", "est")])
def test_paths_in_the_place_of_a_task(corpus: Terminal, paths: tuple[str, ...]) -> None:
    result = corpus.run("score", *paths)
    command = f"`kammerton score chords {shlex.join(paths)}`"
    assert result.lines == [
        f"error: unknown task `{paths[0]}`",
        f"  help: the task comes first: {command}; known: chords, fingering, instruments",
    ]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere/x.csv", "folder `nowhere` does not exist"),
        ("ref/one.lab/x.csv", "is not a folder"),
        ("folder.csv", "it is a folder"),
    ],
)
@pytest.mark.parametrize("option", ["--output", "--per-item"])
def test_output_is_checked_before_the_work(corpus: Terminal, option: str, path: str, said: str) -> None:
    Path("folder.csv").mkdir()
    result = corpus.run("score", "chords", "ref", "est", option, path)
    assert (result.code, result.out) == (5, "")
    assert re.fullmatch(rf"error\[KT501\] cannot write `{path}`: .*{said}\n", result.err)


def test_folder_that_may_not_be_written_to(corpus: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    result = corpus.run("score", "chords", "ref", "est", "--output", "x.csv")
    assert (result.code, result.err) == (5, "error[KT501] cannot write `x.csv`: folder `.` is not writable\n")


def test_pairs_that_cannot_be_used_are_exit_code_3(corpus: Terminal) -> None:
    Path("p.csv").write_text("item,refrence,A\n")
    result = corpus.run("score", "chords", "--pairs", "p.csv")
    assert result.code == 3
    assert result.lines[0] == "error[KT211] p.csv:1:1: column `reference` is missing"
    assert "  help: did you mean `refrence`?" in result.lines
    assert result.lines[-1] == "nothing was scored: 1 error in 1 file"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_page(terminal: Terminal, verb: str) -> None:
    page = terminal.run(verb, "--help")
    assert page.code == 0
    assert page.out.startswith(f"Usage: kammerton {verb}")
    assert "<" not in page.out
    assert VERBS[verb].summary in terminal.run("--help").out
    assert "\n\n\n" not in page.out


@pytest.mark.parametrize(
    ("verb", "task"),
    [(verb, task) for verb in VERBS for task in (TASKS if VERBS[verb].takes_task else [None])],
)
def test_a_page_of_help_has_60_lines_and_names_every_option(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, verb: str, task: str | None
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = [word for word in (verb, task) if word]
    page, whole = (terminal.run(*words, option).out for option in ("--help", "--help-all"))
    assert len(page.splitlines()) <= 60
    options = set(re.findall(r"^  (--[a-z-]+)", whole, re.MULTILINE))
    assert options <= set(re.findall(r"--[a-z-]+", page))
    groups = re.findall(r"^([A-Z][a-z ]+):$", whole, re.MULTILINE)
    order = ["Arguments", "Options", "Output", "Reading", "Confidence intervals", "Parallel work"]
    assert groups == [group for group in order if group in groups]


@pytest.mark.parametrize("width", ["20", "80"])
def test_help_fits_the_window(terminal: Terminal, monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    page = terminal.run("score", "chords", "--help").out
    too_long = [line for line in page.splitlines() if len(line) > int(width)]
    assert not [line for line in too_long if " " in line.strip() and not line.strip().startswith("-")]


@pytest.mark.parametrize("command", ["score chords", "report", "score"])
def test_help_may_be_asked_for_anywhere(terminal: Terminal, command: str) -> None:
    words = command.split()
    page = terminal.run(*words, "--help").out
    assert terminal.run("--help", *words).out == page
    assert terminal.run(words[0], "-h", *words[1:]).out == page


def test_help_of_a_task_that_does_not_exist(terminal: Terminal) -> None:
    assert terminal.run("score", "--help", "chrods").lines[0] == "error: unknown task `chrods`"


def test_version(terminal: Terminal) -> None:
    assert terminal.run("--version").out == f"{kammerton.__version__}\n"


@pytest.mark.parametrize("verb", ["score", "show", "check", "convert"])
def test_a_verb_names_its_tasks_and_where_options_are_explained(terminal: Terminal, verb: str) -> None:
    whole, one = (terminal.run(*words, "--help").out for words in ((verb,), (verb, "chords")))
    hint = f"`kammerton {verb} TASK --help` explains arguments and options."
    assert hint in whole
    assert "\nTasks:\n  chords " in whole
    assert hint not in one
    assert one.startswith(f"Usage: kammerton {verb} chords ")


def test_no_arguments_print_help(terminal: Terminal) -> None:
    result = terminal.run()
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("Usage: kammerton COMMAND")


def test_measures_lists_everything(terminal: Terminal) -> None:
    listed = terminal.run("measures").out
    for task in TASKS:
        for measure in find_task(task).measures:
            assert f" {measure}" in listed


def test_measures_shows_cards(terminal: Terminal) -> None:
    card = terminal.run("measures", "chords", "mirex2013/MajMin").out
    for line in ("formula", "range", "unit", "aggregate", "undefined when", "source", "agrees with", "laws"):
        assert f"\n  {line} " in card
    assert terminal.run("measures", "mirex2013/MajMin").out == card
    assert "MeanSeg" in terminal.run("measures", "mirex2013").out
    (plain,) = terminal.run("measures", "mirex2013/MajMin", "--format", "json").document
    assert plain["measures"][0]["aggregate"] == "pooled"
    assert "| undefined when |" in terminal.run("measures", "mirex2013/MajMin", "--format", "md").out


@pytest.mark.parametrize("name", ["MajMin", "majmin", "MAJMIN"])
def test_measures_of_one_name_are_all_shown_in_upper_or_lower_case(terminal: Terminal, name: str) -> None:
    found = terminal.run("measures", "chords", name, "--format", "json").document
    addresses = [card["measure"] for protocol in found for card in protocol["measures"]]
    assert addresses == ["mirex2013/MajMin", "mir_eval/majmin", "frames10ms/MajMin"]


def test_explain_prints_a_page_or_all_titles(terminal: Terminal) -> None:
    page = terminal.run("explain", "KT203").out
    assert page.startswith("# KT203 no estimate\n")
    for spelling in ("kt203", "203", "[KT203]"):
        assert terminal.run("explain", spelling).out == page
    titles = terminal.run("explain").out.splitlines()
    assert "KT203 no estimate" in titles
    assert titles == sorted(titles)
    assert terminal.run("explain", "Human-Agreement").out.startswith("# human-agreement: three numbers")


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    sources = "".join(path.read_text("utf-8") for path in SOURCES.rglob("*.py"))
    assert set(re.findall(r"[\"'` ](KT\d{3})\b", sources)) == set(pages())


@pytest.mark.parametrize("code", pages())
def test_pages_have_their_form(code: str) -> None:
    title, blank, *lines = pages()[code].read_text("utf-8").split("\n")
    assert re.fullmatch(rf"# {code} .*[^.]", title)
    assert blank == ""
    assert 4 <= len(lines) <= 16
    assert max(map(len, lines)) <= 118


def test_a_folder_that_was_deleted_under_our_feet(corpus: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = corpus.folder / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    result = corpus.run("score", "chords", ".", "..")
    assert (result.code, result.lines[0]) == (2, "error: the current folder does not exist any more")
    songs = [str(corpus.folder / name) for name in ("ref", "est")]
    assert corpus.run("score", "chords", *songs).code == 0
    result = corpus.run("score", "chords", *songs, "--output", "x.txt")
    assert (result.code, result.lines[0]) == (
        5,
        "error[KT501] cannot write `x.txt`: no such file or directory",
    )
    monkeypatch.undo()


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("ref", ""), "an argument is empty", "is a variable of the shell not set?"),
        (
            ("ref", "est", "--columns", "a=start", "--columns", "a=end"),
            "--columns is given twice for `a`",
            "give it once",
        ),
        (
            ("ref", "est", "--layout", "=points"),
            "--layout has no side before `=` in `=points`",
            "`references`",
        ),
        (
            ("ref", "references=est", "--layout", "ref=rows"),
            "a system cannot be called `references` where options differ by side",
            "name it",
        ),
        (
            ("ref", "all=est", "--layout", "ref=rows"),
            "a system cannot be called `all` where options differ by side",
            "name it",
        ),
        (
            ("estimates=ref", "est", "--layout", "est=rows"),
            "an annotator cannot be called `estimates` where options differ by side",
            "name",
        ),
        (("ref", "x=y"), "no such file or folder: `y`, to be called `x`", "with its folder: `./x=y`"),
        (
            ("ref", "est", "--annotator", "other/ref"),
            "not the name of an annotator: `other/ref`",
            "NAME=PATH adds",
        ),
        (("ref", "est", "--annotator", "est"), "unknown annotator `est`", "NAME=PATH adds a further one"),
        (
            ("ref", "est", "--protocol", "decibel", "--fail-under", "mirex2013/MajMin=0.5"),
            "measure `mirex2013/MajMin` is not among those that are computed",
            "they are of decibel",
        ),
    ],
)
def test_hints_lead_on(corpus: Terminal, arguments: tuple[str, ...], message: str, hint: str) -> None:
    (corpus.folder / "x=y").mkdir()
    result = corpus.run("score", "chords", *arguments)
    assert (result.code, result.lines[0]) == (2, f"error: {message}")
    assert hint in result.lines[1]


def test_an_empty_path_is_not_the_current_folder(corpus: Terminal) -> None:
    for call in (
        lambda: kammerton.score("chords", "", "est"),
        lambda: kammerton.check("chords", ""),
        lambda: kammerton.convert("chords", "ref", "", to="csv"),
    ):
        with pytest.raises(kammerton.OptionError, match="is empty"):
            call()


def test_measures_of_a_protocol_are_chosen_by_a_star(corpus: Terminal) -> None:
    document = corpus.run(
        "score", "chords", "ref", "est", "--measure", "decibel/*", "--format", "json"
    ).document
    assert {(row["protocol"], row["measure"]) for row in document["scores"]} == {
        ("decibel", name) for name in ("CSR", "CSR_total", "OvS", "UnS", "Seg")
    }
