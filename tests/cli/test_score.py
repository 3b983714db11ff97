# SPDX-License-Identifier: MIT
"""``kammerton score``: what is scored, what is printed, how it ends."""

import csv
import io
import json
import os
import unicodedata
from pathlib import Path

import polars as pl
import pytest

import kammerton
from cli.harness import Terminal

SCORE = ("score", "chords")


def values(terminal: Terminal, *arguments: str) -> dict[tuple[str, str], float | None]:
    """Return the headline figures by system and measure."""
    found: dict[tuple[str, str], float | None] = {}
    for row in terminal.run(*SCORE, *arguments, "--format", "json").document["scores"]:
        found.setdefault((row["system"], row["measure"]), row["value"])
    return found


def test_figures_are_those_worked_out_by_hand(corpus: Terminal) -> None:
    found = values(corpus, "ref", "est", "--protocol", "mirex2013")
    assert found["est", "Root"] == pytest.approx(5 / 6, abs=1e-12)
    assert (found["est", "MajMin"], found["est", "Sevenths"]) == (0.75, 0.5)


def test_everything_scored_is_exit_code_0_and_says_so(corpus: Terminal) -> None:
    result = corpus.run(*SCORE, "ref", "est", "--protocol", "mirex2013")
    assert result.code == 0
    assert result.lines[-2] == (
        "mirex2013 leaves out 33.33 % of the reference for MajMin, MajMinBass, Sevenths, SeventhsBass"
    )
    assert result.lines[-1].startswith("2 of 2 items scored for 1 system; no item was left out")


def test_json_is_exactly_to_dict(corpus: Terminal) -> None:
    result = corpus.run(*SCORE, "ref", "A=est", "--format", "json")
    assert result.document == kammerton.score("chords", "ref", {"A": "est"}).to_dict()
    assert "NaN" not in result.out


def test_csv_is_the_summary(corpus: Terminal) -> None:
    result = corpus.run(*SCORE, "ref", "est", "--format", "csv")
    summary = kammerton.score("chords", "ref", "est").summary
    assert pl.read_csv(io.StringIO(result.out), schema=summary.schema).equals(summary)


def test_table_shows_headline_measures_and_all_of_them_on_request(corpus: Terminal) -> None:
    headline = corpus.run(*SCORE, "ref", "est").out
    assert "MajMin" in headline
    assert "ACQA" not in headline
    assert "ACQA" in corpus.run(*SCORE, "ref", "est", "--all").out
    assert "ACQA" in corpus.run(*SCORE, "ref", "est", "--measure", "ACQA").out


def test_protocols_and_measures_come_repeated_or_with_commas(corpus: Terminal) -> None:
    repeated = corpus.run(*SCORE, "ref", "est", "--protocol", "decibel", "--protocol", "mirex2013").out
    assert corpus.run(*SCORE, "ref", "est", "--protocol", "decibel,mirex2013").out == repeated
    found = values(corpus, "ref", "est", "--measure", "MeanSeg,decibel/CSR")
    assert set(found) == {("est", "MeanSeg"), ("est", "CSR")}


def test_undefined_is_a_word_and_null_never_0(terminal: Terminal) -> None:
    terminal.write(ref={"a.lab": "0 2 D:dim"}, est={"a.lab": "0 2 D:dim"})
    result = terminal.run(*SCORE, "ref", "est", "--measure", "mirex2013/MajMin")
    table = [line.split() for line in result.out.splitlines()]
    assert table[0] == ["MajMin", "is", "undefined", "for", "every", "system."]
    assert table[3] == ["est", "undefined"]
    assert values(terminal, "ref", "est", "--measure", "mirex2013/MajMin") == {("est", "MajMin"): None}
    assert ",MajMin,pooled,,,,1,1," in terminal.run(*SCORE, "ref", "est", "--format", "csv").out


def test_what_is_undefined_for_all_is_no_column(terminal: Terminal) -> None:
    # a diminished chord is in the vocabulary of Root alone
    terminal.write(
        ref={"a.lab": "0 2 D:dim"},
        one={"a.lab": "0 2 D:dim"},
        two={"a.lab": "0 2 E"},
    )
    chosen = (*SCORE, "ref", "one", "two", "--protocol", "mirex2013")
    folded = "Undefined for every system: MajMin, MajMinBass, Sevenths, SeventhsBass."
    out = terminal.run(*chosen, "--no-ci").out
    assert f"\n{folded}\n" in out
    lines = [line.split() for line in out.splitlines()]
    assert lines[3:6] == [
        ["mirex2013,", "%", "Root", "↑", "MeanSeg", "UnderSeg", "OverSeg"],
        ["one", "100.0", "100.0", "100.0", "100.0"],
        ["two", "0.0", "100.0", "100.0", "100.0"],
    ]
    assert folded in terminal.run(*chosen, "--format", "md").out
    assert "Undefined for" not in terminal.run(*chosen, "--all").out
    assert "Undefined for" not in terminal.run(*chosen, "--measure", "mirex2013/MajMin").out
    # defined for one song is defined
    terminal.write(ref={"b.lab": "0 2 C"}, one={"b.lab": "0 2 C"}, two={"b.lab": "0 2 C"})
    assert "Undefined for" not in terminal.run(*chosen).out


def test_systems_are_named_by_path_or_by_hand(corpus: Terminal) -> None:
    found = values(corpus, "ref", "est", "B=est", "--measure", "mirex2013/Root")
    assert list(found) == [("est", "Root"), ("B", "Root")]


def test_single_files_are_paired_whatever_they_are_called(corpus: Terminal) -> None:
    (corpus.folder / "x=y.lab").write_text("0 3 C\n3 4 G\n")
    found = values(corpus, "ref/one.lab", "./x=y.lab", "--measure", "mirex2013/MajMin")
    assert found == {("x=y", "MajMin"): 0.75}


def test_two_systems_of_one_name_are_a_usage_error(corpus: Terminal) -> None:
    corpus.write(**{"other/est": {"one.lab": "0 1 C"}})
    result = corpus.run(*SCORE, "ref", "est", "other/est")
    assert (result.code, result.out) == (2, "")
    assert result.err == "error: two systems are called `est`\n  help: name them apart: NAME=PATH\n"


def test_annotators_are_added_and_chosen(corpus: Terminal) -> None:
    corpus.write(ref2={"one.lab": "0 4 C", "two.lab": "0 2 D:dim"})
    arguments = ("A=ref", "est", "--annotator", "B=ref2", "--measure", "mirex2013/MajMin")
    both = corpus.run(*SCORE, *arguments, "--format", "json").document["scores"]
    # B holds C for all 4 s: 3 s of the estimate are C; together (3 + 3) / (4 + 4)
    pooled = {row["annotator"]: row["value"] for row in both if row["aggregate"] == "pooled"}
    assert pooled == {"A": 0.75, "B": 0.75, "all": 0.75}
    table = corpus.run(*SCORE, *arguments, "--no-ci").out
    assert "\nAgainst 2 annotators together: A, B.\n" in table
    details = corpus.run(*SCORE, *arguments, "--no-ci", "--details").out
    assert [line.split()[:3] for line in details.splitlines() if line.startswith("est / ")] == [
        ["est", "/", "A"],
        ["est", "/", "B"],
        ["est", "/", "all"],
    ]
    chosen = corpus.run(*SCORE, *arguments, "--annotator", "B", "--format", "json").document["scores"]
    assert {row["annotator"] for row in chosen} == {"B"}
    of_both = {row["signature"] for row in both if row["annotator"] == "B"}
    assert {row["signature"] for row in chosen} == of_both  # the same figure has the same signature


def test_pairs_stand_in_place_of_paths(corpus: Terminal) -> None:
    (corpus.folder / "pairs.csv").write_text("item,reference,mine\nsong,ref/one.lab,est/one.lab\n")
    found = values(corpus, "--pairs", "pairs.csv", "--measure", "mirex2013/MajMin")
    assert found == {("mine", "MajMin"): 0.75}
    assert corpus.run(*SCORE, "ref", "est", "--pairs", "pairs.csv").code == 2


@pytest.mark.parametrize(
    ("limit", "code", "said"),
    [
        ("0.75", 0, "not below 75 % (0.75): passed"),
        ("75%", 0, "not below 75 % (0.75): passed"),
        ("75.01%", 6, "below 75.01 % (0.7501): failed"),
        ("0.7501", 6, "below 75.01 % (0.7501): failed"),
    ],
)
def test_gate(corpus: Terminal, limit: str, code: int, said: str) -> None:
    gates = ("--fail-under", "decibel/CSR=0", "--fail-under", f"mirex2013/MajMin={limit}")
    result = corpus.run(*SCORE, "ref", "est", "--protocol", "all", *gates)
    assert result.code == code
    assert f"--fail-under: mirex2013/MajMin of est is 75 % (0.75), {said}\n" in result.err
    assert "\nmirex2013, % " in result.out


def test_a_measure_on_request_that_has_the_same_name_is_told_apart(corpus: Terminal) -> None:
    said = "MajMinBass is mirex2013/MajMinBass; not frames10ms/MajMinBass\n"
    by_name = ("--measure", "MajMinBass")
    assert said in corpus.run(*SCORE, "ref", "est", *by_name).err
    assert said in corpus.run("compare", "chords", "ref", "est", "est2=est", *by_name).err
    assert said in corpus.run("agree", "chords", "ref", "est", *by_name).err
    for quiet in ((*by_name, "--quiet"), ("--measure", "mirex2013/MajMinBass")):
        assert "not frames10ms" not in corpus.run(*SCORE, "ref", "est", *quiet).err


@pytest.mark.parametrize(
    "arguments",
    [
        (*SCORE, "ref", "est", "--measure", "majmin"),
        (*SCORE, "ref", "est", "--protocol", "all", "--fail-under", "MajMin=0"),
        (*SCORE, "ref", "est", "--protocol", "all", "--fail-under", "majmin=0"),
        ("compare", "chords", "ref", "est", "est2=est", "--measure", "majmin"),
        ("agree", "chords", "ref", "est", "--measure", "majmin"),
        ("show", "chords", "ref", "est", "one", "--measure", "majmin"),
        ("show", "chords", "ref", "est", "--worst", "1", "--measure", "majmin"),
    ],
)
def test_names_that_differ_in_case_only_ask_for_the_address(
    corpus: Terminal, arguments: tuple[str, ...]
) -> None:
    result = corpus.run(*arguments)
    assert result.code == 2
    assert "is not unique\n  help: say which: mirex2013/MajMin, mir_eval/majmin" in result.err


@pytest.mark.parametrize(
    "arguments",
    [
        (*SCORE, "ref", "est"),
        ("compare", "chords", "ref", "est", "est2=est"),
        ("agree", "chords", "ref", "est"),
        ("show", "chords", "ref", "est", "one"),
        ("show", "chords", "ref", "est", "--worst", "1"),
    ],
)
def test_a_name_of_several_measures_is_that_of_the_default(
    corpus: Terminal, arguments: tuple[str, ...]
) -> None:
    result = corpus.run(*arguments, "--measure", "MajMin")
    assert "mirex2013" in result.out
    assert "mir_eval" not in result.out


@pytest.mark.parametrize(
    ("verb", "options", "message"),
    [
        ("score", ("--show", "Foo"), "unknown measure `Foo`"),
        ("compare", ("--show", "MajMin,Foo"), "unknown measure `Foo`"),
        ("agree", ("--show", "Foo"), "unknown measure `Foo`"),
        ("score", ("--digits", "100"), "digits must be 0 to 10, got 100"),
        ("agree", ("--digits", "-1"), "digits must be 0 to 10, got -1"),
        ("score", ("--table", "foo"), "unknown table `foo`"),
        (
            "score",
            ("--value-only", "--tests"),
            "--value-only prints bare numbers, and --tests does not",
        ),
    ],
)
def test_what_cannot_be_printed_is_refused_before_files_are_read(
    terminal: Terminal, verb: str, options: tuple[str, ...], message: str
) -> None:
    terminal.write(ref={"a.lab": "no chords"}, est={"a.lab": "at all"}, est2={"a.lab": "here"})
    result = terminal.run(verb, "chords", "ref", "est", "est2", *options)
    assert (result.code, result.lines[0]) == (2, f"error: {message}")


@pytest.mark.parametrize("verb", ["score", "compare", "agree"])
def test_tables_fill_a_width(corpus: Terminal, verb: str) -> None:
    arguments = (verb, "chords", "ref", "est", "est2=est", "--protocol", "mirex2013")
    for width in (50, 120):
        tables = corpus.run(*arguments, "--width", str(width), "--quiet").out.split("\n")
        lines = [line for line in tables if "|rev:" not in line]
        assert width - 60 < max(map(len, lines)) <= width
    narrow = corpus.run(*arguments, "--width", "50", "--quiet").out
    assert corpus.run(*arguments, "--width", "50", "--quiet", "--output", "table.txt").code == 0
    assert (corpus.folder / "table.txt").read_text(encoding="utf-8") == narrow
    result = corpus.run(*arguments, "--width", "19")
    assert (result.code, result.lines) == (2, ["error: --width must be 20 to 10,000 columns, got 19"])


def test_an_undefined_figure_fails_its_gate(terminal: Terminal) -> None:
    terminal.write(ref={"a.lab": "0 2 D:dim"}, est={"a.lab": "0 2 D:dim"})
    result = terminal.run(*SCORE, "ref", "est", "--fail-under", "mirex2013/MajMin=0")
    assert result.code == 6
    assert "--fail-under: mirex2013/MajMin of est is undefined: failed\n" in result.err


def test_a_failed_gate_wins_over_a_missing_item(corpus: Terminal) -> None:
    (corpus.folder / "est" / "two.lab").unlink()
    assert corpus.run(*SCORE, "ref", "est", "--fail-under", "mirex2013/MajMin=0").code == 1
    assert corpus.run(*SCORE, "ref", "est", "--fail-under", "mirex2013/MajMin=1").code == 6
    skipped = corpus.run(*SCORE, "ref", "est", "--missing", "skip", "--fail-under", "mirex2013/MajMin=1")
    assert skipped.code == 6


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        ("mirex2013/MajMin=75", "write 75 % as 0.75 or 75%; you wrote 75"),
        ("mirex2013/MajMin=high", "not a number: `high`"),
        ("mirex2013/MajMin", "expected MEASURE=VALUE"),
        ("mirex2013/MajMn=0.5", "did you mean `mirex2013/MajMin`?"),
    ],
)
def test_a_gate_that_cannot_be_is_a_usage_error(corpus: Terminal, gate: str, said: str) -> None:
    result = corpus.run(*SCORE, "ref", "est", "--fail-under", gate)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_per_item_is_written_in_three_forms(corpus: Terminal) -> None:
    for suffix in (".csv", ".jsonl", ".parquet"):
        assert corpus.run(*SCORE, "ref", "est", "--per-item", f"items{suffix}").code == 0
    items = kammerton.score("chords", "ref", "est").items
    assert pl.read_parquet("items.parquet").equals(items)
    assert pl.read_csv("items.csv", schema=items.schema).equals(items)
    rows = [json.loads(line) for line in Path("items.jsonl").read_text("utf-8").splitlines()]
    assert rows == list(items.iter_rows(named=True))


def test_per_item_of_another_suffix_is_a_usage_error(corpus: Terminal) -> None:
    result = corpus.run(*SCORE, "ref", "est", "--per-item", "items.xlsx")
    assert (result.code, result.out) == (2, "")
    assert result.lines[1] == "  help: suffixes: .csv, .jsonl, .parquet"


def test_the_document_goes_to_a_file_on_request(corpus: Terminal) -> None:
    printed = corpus.run(*SCORE, "ref", "est", "--format", "md").out
    result = corpus.run(*SCORE, "ref", "est", "--format", "md", "--output", "scores.md")
    assert (result.code, result.out) == (0, "")
    assert Path("scores.md").read_text("utf-8") == printed


def test_quiet_says_errors_only(corpus: Terminal) -> None:
    assert corpus.run(*SCORE, "ref", "est", "--quiet").err == ""
    (corpus.folder / "est/two.lab").unlink()
    assert corpus.run(*SCORE, "ref", "est", "--quiet").lines[0].startswith("error[KT203]")


def test_quiet_runs_that_score_nothing_say_errors_only(terminal: Terminal) -> None:
    terminal.write(ref={"a.lab": "0 1 C"}, est={"b.lab": "0 1 C"})
    lines = terminal.run(*SCORE, "ref", "est", "--quiet").lines
    assert [line.split("]")[0] for line in lines if not line.startswith(" ")] == [
        "error[KT203",
        "error[KT200",
    ]


def test_reading_options_reach_the_reader_and_the_signature(terminal: Terminal) -> None:
    (terminal.folder / "r.csv").write_text("onset;fin;chord\n0,0;2,0;Cm7\n")
    arguments = (
        "r.csv",
        "e=r.csv",
        "--columns",
        "onset=start",
        "--columns",
        "fin=end",
        "--columns",
        "chord=label",
    )
    assert terminal.run(*SCORE, *arguments, "--decimal", ",").code == 3
    result = terminal.run(*SCORE, *arguments, "--decimal", ",", "--lenient")
    assert result.code == 0
    assert "|lenient:yes|" in result.out


def test_help_shows_the_reading_options_of_the_task_only(terminal: Terminal) -> None:
    page = terminal.run(*SCORE, "--help-all")
    assert page.code == 0
    options = ("--encoding", "--layout", "--decimal", "--columns [SIDE=]OWN=OURS", "--overlap", "--lenient")
    assert all(option in page.out for option in options)
    assert "limits" not in page.out
    assert "A byte order mark" in page.out or "byte order" in page.out


def test_one_bad_file_of_five_is_named_and_the_rest_is_scored(terminal: Terminal) -> None:
    names = [f"{number}.lab" for number in range(1, 6)]
    terminal.write(ref=dict.fromkeys(names, "0 2 C|2 4 G"), est=dict.fromkeys(names, "0 2 C|2 4 G"))
    terminal.write(est={"3.lab": "0 2 C|2 4 G:mja7"})
    result = terminal.run(*SCORE, "ref", "est", "--missing", "skip", "--measure", "mirex2013/MajMin")
    assert result.code == 1
    assert result.lines[0] == f"error[KT312] {Path('est/3.lab')}:2:7: unknown chord quality `mja7`"
    assert result.lines[1:3] == ["  2 | 2 4 G:mja7", "    |       ^^^^"]
    assert result.lines[-1] == (
        "4 of 5 items scored for est: 1 failed (estimate: KT312); 1 error, 4 warnings in 1 file"
    )
    assert result.out.splitlines()[3].split()[:2] == ["est", "100.0"]


def test_problems_of_a_file_scored_against_itself_are_said_once(terminal: Terminal) -> None:
    terminal.write(ref={"a.lab": "0 2 C:mja7|2 4 C:mja7", "b.lab": "0 2 C"})
    result = terminal.run(*SCORE, "ref", "same=ref", "--measure", "mirex2013/MajMin")
    assert result.err.count("error[KT312]") == 2  # of two lines
    assert result.lines[-1].endswith("2 errors, 1 warning in 1 file")


def test_missing_estimate_is_scored_as_worst_and_named(corpus: Terminal) -> None:
    (corpus.folder / "est/one.lab").unlink()
    result = corpus.run(*SCORE, "ref", "est", "--measure", "mirex2013/Root")
    assert result.code == 1
    assert "error[KT203] est: no estimate for 1 of 2 items (`one`)" in result.err
    assert result.lines[-1].startswith("1 of 2 items scored for est: 1 missing; ")
    assert result.out.splitlines()[3].split()[:2] == ["est", "33.3"]  # 2 of 6 s


def test_missing_estimates_that_are_skipped_on_request_are_no_failure(corpus: Terminal) -> None:
    (corpus.folder / "est/one.lab").unlink()
    result = corpus.run(*SCORE, "ref", "est", "--measure", "mirex2013/Root", "--missing", "skip")
    assert result.code == 0
    assert "warning[KT203] est: no estimate for 1 of 2 items (`one`)" in result.err
    assert result.out.splitlines()[3].split() == ["est", "100.0"]
    broken = corpus.folder / "est/one.lab"
    broken.write_text("0 2 nonsense\n")  # a file that cannot be used is another thing
    assert corpus.run(*SCORE, "ref", "est", "--missing", "skip").code == 1


def test_missing_error_and_strict_stop_the_run(corpus: Terminal) -> None:
    (corpus.folder / "est/one.lab").unlink()
    for option, why in ((("--missing", "error"), ""), (("--strict",), " (ended by --strict)")):
        result = corpus.run(*SCORE, "ref", "est", *option)
        assert (result.code, result.out) == (3, "")
        assert result.lines[-1].startswith(f"nothing was scored{why}: ")


def test_a_quiet_run_that_warnings_end_says_so(corpus: Terminal) -> None:
    corpus.write(est={"one.lab": "0 2 C\n2 2 N\n2 4 G"})
    result = corpus.run(*SCORE, "ref", "est", "--strict", "--quiet")
    assert (result.code, result.out) == (3, "")
    assert result.lines[-1].startswith("nothing was scored (ended by --strict): ")


def test_estimate_without_reference_is_named_and_not_scored(corpus: Terminal) -> None:
    corpus.write(est={"extra.lab": "0 1 C"})
    result = corpus.run(*SCORE, "ref", "est")
    assert result.code == 0
    assert "warning[KT204] est: no reference for 1 of 3 items (`extra`); not scored" in result.err


def test_two_files_for_one_item_are_an_error_that_names_both(corpus: Terminal) -> None:
    corpus.write(est={"one.txt": "0 1 C"})
    result = corpus.run(*SCORE, "ref", "est")
    assert result.code == 1
    assert "error[KT201]" in result.err
    assert "`one.lab`, `one.txt`" in result.err


def test_names_are_paired_whatever_their_unicode_form(terminal: Terminal) -> None:
    name = "Café.lab"
    terminal.write(
        ref={unicodedata.normalize("NFC", name): "0 1 C"},
        est={unicodedata.normalize("NFD", name): "0 1 C|1 2 G"},
    )
    result = terminal.run(*SCORE, "ref", "est", "--format", "json")
    assert result.code == 0
    assert result.document["items"]["est"] == {"total": 1, "ok": 1, "missing": 0, "failed": 0}


def test_nothing_to_pair_is_exit_code_3_in_json_too(terminal: Terminal) -> None:
    terminal.write(ref={"a.lab": "0 1 C"}, est={"b.lab": "0 1 C"})
    result = terminal.run(*SCORE, "ref", "est", "--format", "json")
    assert result.code == 3
    assert result.document["scores"] == []
    assert "KT200" in {found["code"] for found in result.document["diagnostics"]}
    assert result.lines[-1].startswith("nothing was scored: 2 errors, 1 warning")


def test_many_of_a_kind_are_grouped_and_json_has_all(terminal: Terminal) -> None:
    names = [f"{number:03}.lab" for number in range(30)]
    terminal.write(ref=dict.fromkeys(names, "0 2 C"), est=dict.fromkeys(names, "0 2 Cm"))
    terminal.write(est={"000.lab": "0 2 C"})
    result = terminal.run(*SCORE, "ref", "est", "--format", "json")
    assert result.err.count("error[KT311] est/") == 3
    assert "error[KT311] 26 more of this kind in 26 files" in result.lines
    assert sum(found["code"] == "KT311" for found in result.document["diagnostics"]) == 29


HOSTILE = '::error::\x1b[31m, "x"\u202e=cmd()\\input{/etc/passwd}%&|##[add-mask]'


def pairs_with(terminal: Terminal, system: str) -> tuple[str, str]:
    """Write a list of pairs with a system of any name; of two lines, it can only be named with its path."""
    if "\n" in system:
        return "ref/one.lab", f"{system}=est/one.lab"
    header = ["item", "reference", system]
    with (terminal.folder / "pairs.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, ["one", "ref/one.lab", "est/one.lab"]])
    return "--pairs", "pairs.csv"


@pytest.mark.parametrize("form", ["table", "md", "latex", "json"])
def test_hostile_names_reach_no_reader_raw(corpus: Terminal, form: str) -> None:
    result = corpus.run(*SCORE, *pairs_with(corpus, HOSTILE), "--format", form)
    assert result.code == 0
    assert "\x1b" not in result.out + result.err
    assert "\u202e" not in result.out + result.err
    assert not any(line.lstrip().startswith("::") for line in (result.out + result.err).splitlines())
    if form == "latex":
        rows = [line for line in result.out.splitlines() if not line.startswith("%")]
        (row,) = (row for row in rows if row.startswith("{}::error::"))
        assert r"\textbackslash{}input\{/etc/" in row
        assert all(r"\input" not in row for row in rows)
    if form == "md":
        assert r"\|" in result.out.splitlines()[0]
    if form == "table":
        assert "##[" not in result.out + result.err
    if form == "json":
        assert result.document["scores"][0]["system"] == HOSTILE


def test_hostile_labels_reach_standard_error_escaped(terminal: Terminal) -> None:
    terminal.write(
        ref={"a.lab": "0 1 C", "b.lab": "0 1 C"}, est={"a.lab": "0 1 C\x1b[31m\x07", "b.lab": "0 1 N"}
    )
    result = terminal.run(*SCORE, "ref", "est")
    assert result.code == 1
    assert "\x1b" not in result.err
    assert r"\x1b[31m" in result.err


@pytest.mark.skipif(os.name != "posix", reason="such names are possible on POSIX only")
def test_hostile_file_names_are_one_line_each(corpus: Terminal) -> None:
    name = "\x1b]8;;evil\x07\n::error::\u202e"
    corpus.write(ref={f"{name}.lab": "0 1 Cm"}, est={f"{name}2.lab": "0 1 C", f"{name}.lab": "0 1 C"})
    result = corpus.run(*SCORE, "ref", "est", "--measure", "mirex2013/Root")
    assert result.code == 1
    assert not {"\x1b", "\x07", "\u202e"} & set(result.out + result.err)
    assert not any(line.lstrip().startswith("::") for line in result.lines)
    assert r"error[KT311] ref/\x1b]8;;evil\x07\x0a::error::\u202e.lab:1:6: missing colon" in result.err


@pytest.mark.parametrize("name", ["=cmd()", "+1", "-1", "@x", "＝y", 'a, "b"', "a\nb", "plain"], ids=ascii)
def test_csv_is_faithful_and_safe_on_request(corpus: Terminal, name: str) -> None:
    arguments = (*SCORE, *pairs_with(corpus, name), "--format", "csv", "--measure", "mirex2013/Root")
    for option, mark in (((), ""), (("--safe-csv", "--per-item", "items.csv"), "'")):
        rows = list(csv.DictReader(io.StringIO(corpus.run(*arguments, *option).out, newline="")))
        assert rows[0]["system"] == (mark if name[0] in "=+-@＝" else "") + name
        assert rows[0]["value"] == "0.75"
    with Path("items.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["system"] == ("'" if name[0] in "=+-@＝" else "") + name


def test_safe_csv_without_csv_is_a_usage_error(corpus: Terminal) -> None:
    assert corpus.run(*SCORE, "ref", "est", "--safe-csv").code == 2


@pytest.mark.parametrize("width", ["80", "40", "20"])
def test_tables_fit_the_window(corpus: Terminal, monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    lines = corpus.run(*SCORE, "ref", "est").out.splitlines()
    assert max(len(line) for line in lines if "|rev:" not in line) <= int(width)
    assert sum("83.3" in line for line in lines) >= 1


def test_colour_and_width_are_for_screens(corpus: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR")
    (corpus.folder / "est/one.lab").write_text("0 1 Cm\n")
    assert "\x1b[" not in corpus.run(*SCORE, "ref", "est").err
    monkeypatch.setattr("kammerton.cli.output.is_screen", lambda stream: True)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[1;31merror[KT311]\x1b[0m" in corpus.run(*SCORE, "ref", "est").err
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b[" not in corpus.run(*SCORE, "ref", "est").err


def test_no_input_is_overwritten(corpus: Terminal) -> None:
    before = Path("ref/one.lab").read_text()
    result = corpus.run(*SCORE, "ref/one.lab", "est/one.lab", "--output", "ref/one.lab")
    assert result.code == 2
    assert Path("ref/one.lab").read_text() == before
    assert corpus.run(*SCORE, "ref", "est", "--output", "o.csv", "--per-item", "o.csv").code == 2


@pytest.mark.parametrize(("path", "code"), [("est/s.csv", 2), ("bob/s.json", 2), ("est/s.md", 0)])
def test_no_input_is_added(corpus: Terminal, path: str, code: int) -> None:
    corpus.write(bob={"one.lab": "0 1 C"})
    result = corpus.run(*SCORE, "ref", "A=est", "--annotator", "bob=bob", "--quiet", "--output", path)
    assert result.code == code
    assert ("would be read as an annotation next time" in result.err) == (code == 2)
    assert Path(path).exists() == (code == 0)


@pytest.mark.skipif(os.name != "posix", reason="file names are bytes on POSIX only")
def test_file_names_that_are_no_utf8_are_printed_escaped(corpus: Terminal) -> None:
    for folder in ("ref", "est"):
        Path(os.fsdecode(f"{folder}/".encode() + b"caf\xe9.lab")).write_text("0 1 Cm\n")
    result = corpus.run(*SCORE, "ref", "est", "--format", "json")
    assert result.code == 1
    assert "caf\\udce9.lab" in result.err
    assert any("caf\udce9.lab" in (found["file"] or "") for found in result.document["diagnostics"])


def test_class_tables_are_printed_in_every_form(corpus: Terminal) -> None:
    arguments = ("score", "chords", "ref", "est", "--measure", "mirex2013/MajMin", "--table", "excluded")
    # D:dim is 2 s that MajMin leaves out
    assert corpus.run(*arguments).out.split("\n") == [
        "system  annotator  protocol   measure  label      s",
        "est     ref        mirex2013  MajMin   D:dim  2.000",
        "",
    ]
    row = {
        "system": "est",
        "annotator": "ref",
        "protocol": "mirex2013",
        "measure": "MajMin",
        "label": "D:dim",
    }
    assert corpus.run(*arguments, "--format", "json").document == [{**row, "s": 2.0}]
    assert corpus.run(*arguments, "--format", "csv").out == (
        "system,annotator,protocol,measure,label,s\nest,ref,mirex2013,MajMin,D:dim,2.0\n"
    )
    assert corpus.run(*arguments, "--format", "md").out.split("\n")[1:3] == [
        "| --- | --- | --- | --- | --- | ---: |",
        "| est | ref | mirex2013 | MajMin | D:dim | 2.000 |",
    ]
    assert (
        r"est & ref & mirex2013 & MajMin & D:dim & 2.000 \\"
        in corpus.run(*arguments, "--format", "latex").out
    )


def test_confusions_have_a_line_for_each_pair_of_classes(corpus: Terminal) -> None:
    result = corpus.run("score", "chords", "ref", "est", "--table", "confusion")
    assert [line.split()[2:] for line in result.out.splitlines()] == [
        ["root_interval", "reference", "estimate", "s"],
        ["0", "dim", "dim", "2.000"],
        ["0", "maj", "maj", "2.000"],
        ["0", "7", "maj", "1.000"],
        ["5", "7", "maj", "1.000"],
    ]


def test_a_table_that_there_is_not_is_refused(corpus: Terminal) -> None:
    result = corpus.run("score", "chords", "ref", "est", "--table", "confusions")
    assert (result.code, result.out) == (2, "")
    assert "did you mean `confusion`?" in result.err
