# SPDX-License-Identifier: MIT
"""Documents and messages, piece by piece."""

import csv
import io
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kammerton
from cli.harness import Terminal
from kammerton.chords import TASK
from kammerton.errors import Diagnostic
from kammerton.reporting.cards import Described, render_cards, render_list
from kammerton.reporting.diagnostics import (
    closing_line,
    count_problems,
    excluded_lines,
    render_diagnostic,
    render_github,
    render_grouped,
)
from kammerton.reporting.documents import render_csv
from kammerton.reporting.escaping import (
    display_width,
    for_github_data,
    for_json,
    for_latex,
    for_markdown,
    for_screen,
    for_terminal,
    pad,
)

MAJMIN = next(measure for measure in TASK.measures if str(measure) == "mirex2013/MajMin")
PROBLEM = Diagnostic(
    code="KT312",
    severity="error",
    message="unknown",
    file="a.lab",
    line=7,
    column=5,
    length=3,
    excerpt="0 1 abc",
)


@given(st.text(alphabet=st.characters(codec="utf-8")) | st.just("\ud800\x9b\u2028\U000e0001"))
def test_json_keeps_its_meaning_and_shows_nothing_a_terminal_obeys(text: str) -> None:
    written = for_json(json.dumps(text, ensure_ascii=False))
    assert json.loads(written) == text
    assert for_terminal(written) == written.replace("##[", r"\x23#[")


@given(st.lists(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0")), min_size=2))
def test_csv_gives_back_what_was_written(cells: list[str]) -> None:
    text = render_csv([str(place) for place in range(len(cells))], [cells])
    assert list(csv.reader(io.StringIO(text, newline="")))[1] == cells


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_escaped_text_is_one_harmless_line(text: str) -> None:
    for escape in (for_terminal, for_latex, for_markdown):
        shown = escape(text)
        assert len(shown.splitlines()) <= 1
        assert "\x1b" not in shown
        assert not shown.startswith("::") or escape is for_markdown
    assert "\n" not in for_github_data(text)
    assert "\x1b" not in for_screen(text)


@pytest.mark.parametrize(
    ("text", "latex", "markdown"),
    [
        ("a_b", r"a\_b", r"a\_b"),
        (r"\input{x}", r"\textbackslash{}input\{x\}", r"\\input{x}"),
        ("50%&#$^~", r"50\%\&\#\$\textasciicircum{}\textasciitilde{}", r"50%&amp;\#\$^\~"),
        ("[5cm]", "{}[5cm]", r"\[5cm\]"),
        ("*", "{}*", r"\*"),
        ("v1--2---''?`", "v1-{}-2-{}-{}-'{}'?{}`", r"v1--2---''?\`"),
        ("a|b\n<script>", r"a\textbar{}b\textbackslash{}x0a$<$script$>$", r"a\|b\\x0a\<script\>"),
    ],
)
def test_specials(text: str, latex: str, markdown: str) -> None:
    assert for_latex(text) == latex
    assert for_markdown(text) == markdown


def test_screens_get_documents_of_several_lines_with_tabs() -> None:
    assert for_screen("a\tb\x1b[2J\nc\n") == "a\tb\\x1b[2J\nc\n"


def test_columns_of_a_terminal() -> None:
    assert [display_width(text) for text in ("abc", "文字", "e\u0301", "é")] == [3, 4, 1, 1]
    assert (pad("文", 4), pad("文", 4, right=True)) == ("文  ", "  文")


def test_a_diagnostic_is_four_lines_at_most() -> None:
    assert render_diagnostic(replace(PROBLEM, hint="mend it")) == [
        "error[KT312] a.lab:7:5: unknown",
        "  7 | 0 1 abc",
        "    |     ^^^",
        "  help: mend it",
    ]


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({"column": None}, ["  7 | 0 1 abc"]),
        ({"line": None}, []),
        ({"excerpt": None}, []),
        ({"column": 99}, ["  7 | 0 1 abc", "    |        ^"]),
        ({"line": 12345}, ["12345 | 0 1 abc", "      |     ^^^"]),
        ({"excerpt": "\x1b\t\u202eabc", "column": 4}, [r"  7 | \x1b \u202eabc", "    |            ^^^"]),
        (
            {"excerpt": "0 1 ##[error]x", "column": 14},
            [r"  7 | 0 1 \x23#[error]x", "    |                 ^"],
        ),
    ],
)
def test_carets_stand_below_what_is_meant(changes: dict[str, object], lines: list[str]) -> None:
    assert render_diagnostic(PROBLEM.at(**changes))[1:] == lines


@given(st.text(min_size=1, max_size=300), st.data(), st.integers(20, 120))
def test_excerpts_fit_and_show_the_token(text: str, data: st.DataObject, width: int) -> None:
    column = data.draw(st.integers(1, min(len(text), 200)))
    _, shown, caret = render_diagnostic(PROBLEM.at(excerpt=text, column=column, length=1), width=width)
    assert max(display_width(shown), display_width(caret)) <= width + 10  # an escape may be ten columns
    assert "\x1b" not in shown


def test_colours_end_where_they_begin() -> None:
    first, _, caret, _ = render_diagnostic(replace(PROBLEM, hint="x"), colour=True)
    assert first.startswith("\x1b[1;31merror[KT312]\x1b[0m a.lab")
    assert caret.endswith("\x1b[1;31m^^^\x1b[0m")


def test_many_of_a_kind_are_counted() -> None:
    many = [replace(PROBLEM, file=f"{number}.lab", excerpt=None) for number in range(5)]
    several = replace(PROBLEM, code="KT200", severity="warning", file=None, line=None, column=None, count=4)
    assert render_grouped([*many, *[several] * 4])[3:] == [
        "error[KT312] 2 more of this kind in 2 files",
        "warning[KT200] unknown; and 12 more of this kind",
    ]
    assert (
        count_problems([*many, several, replace(several, severity="note")])
        == "5 errors, 4 warnings in 5 files"
    )
    assert count_problems([]) == ""


def test_what_was_left_out_is_told_by_system_where_it_differs() -> None:
    refs = {"a": ([(0, 1)], ["C"]), "b": ([(0, 3)], ["D:dim"])}
    scores = kammerton.score(
        "chords", refs, {"A": refs, "B": {"a": refs["a"]}}, protocols=["mirex2013"], missing="skip"
    )
    assert excluded_lines(scores) == [
        "mirex2013 leaves out 75.00 % of the reference for MajMin, MajMinBass, Sevenths, SeventhsBass (A)"
    ]
    assert closing_line(scores).startswith(
        "2 of 2 items scored for A; 1 of 2 items scored for B: 1 missing; "
    )


def test_reasons_of_failure_are_named_by_side_and_code() -> None:
    refs = {"a": ([(0, 1)], ["C"]), "b": ([(0, 1)], ["H"]), "c": ([(0, 1)], ["C"])}
    ests = {"a": ([(0, 1)], ["C"]), "b": ([(0, 1)], ["C"]), "c": ([(0, 1)], ["Cm"])}
    scores = kammerton.score("chords", refs, {"A": ests})
    assert closing_line(scores).startswith(
        "1 of 3 items scored for A: 2 failed (estimate: KT311, reference: KT310); 2 errors"
    )


def test_many_systems_are_counted_not_named() -> None:
    refs = {"a": ([(0, 1)], ["C"])}
    scores = kammerton.score("chords", refs, dict.fromkeys("ABCDE", refs))
    assert closing_line(scores).startswith("1 of 1 item scored for 5 systems; no item was left out")


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_cards_fit_the_window(width: int) -> None:
    described = [Described("chords", each, each.measures) for each in TASK.protocols]
    for text in (render_list(described, width=width), render_cards(described, width=width)):
        longest = [line for line in text.splitlines() if len(line) > width]
        assert not [line for line in longest if " " in line.strip(" *")] or width < 80


def test_annotations_of_a_pull_request_hold_nothing_that_a_log_obeys() -> None:
    odd = Diagnostic(code="KT101", severity="error", message="x\x1b[31m", file="a\x1b[2J,b.lab", hint="y\rz")
    written = render_github([odd])
    assert written == "::error file=a\\x1b[2J%2Cb.lab,title=KT101::x\\x1b[31m%0Ay\\x0dz\n"


def test_signatures_can_be_copied(corpus: Terminal) -> None:
    arguments = ("score", "chords", "ref", "est", "--measure", "mirex2013/*", "--columns", "a_`b=start")
    plain = corpus.run(*arguments).out
    signature = next(line for line in plain.split("\n") if "|rev:" in line)
    assert "columns:a_`b=start" in signature
    assert f"`` {signature} ``\n" in corpus.run(*arguments, "--format", "md").out
    assert f"% {signature}\n" in corpus.run(*arguments, "--format", "latex").out
    assert "`mirex2013/*|" in corpus.run(*arguments[:-2], "--format", "md").out


def test_systems_that_were_scored_on_other_items_are_signed_apart(corpus: Terminal) -> None:
    corpus.write(short={"one.lab": "0 4 C"}, shorter={"one.lab": "0 4 G"})
    systems = ("ref", "est", "short", "shorter", "--measure", "mirex2013/Root")
    arguments: tuple[str, ...] = ("score", "chords", *systems, "--no-ci")
    alike = [line for line in corpus.run(*arguments).out.splitlines() if "|rev:" in line]
    assert len(alike) == 1
    assert alike[0].startswith("mirex2013/*|rev:2|missing:worst|items:2|data:")
    arguments += ("--missing", "skip")
    first, other = (line for line in corpus.run(*arguments).out.splitlines() if "|rev:" in line)
    assert first == f"est: {alike[0]}".replace("worst", "skip")
    assert other.startswith("short, shorter: mirex2013/*|rev:2|missing:skip|items:1/2|data:")
    markdown = corpus.run(*arguments, "--format", "md").out
    assert f"\n`{first}`\n\n`{other}`\n" in markdown
    latex = corpus.run(*arguments, "--format", "latex").out
    assert f"\n% {first}\n% {other}\n" in latex
    document = corpus.run(*arguments, "--format", "json").document
    signed = {row["system"]: row["signature"].split("|")[3] for row in document["scores"]}
    assert signed == {"est": "items:2", "short": "items:1/2", "shorter": "items:1/2"}
    compared = corpus.run("compare", "chords", *systems, "--missing", "skip")
    assert "shorter: mirex2013/*|rev:2|missing:skip|items:1/2|data:" in compared.out
