# SPDX-License-Identifier: MIT
"""``kammerton diff``: what is printed of two runs, and how it ends.

MajMin of song `one` is 3 of 4 s; a boundary half a second later costs half a second. `two` has no value.
"""

import pytest

import kammerton
from cli.harness import Terminal

DIFF = ("diff", "a", "b", "--measure", "mirex2013/MajMin")


@pytest.fixture
def runs(corpus: Terminal) -> Terminal:
    """Run ``a`` is the corpus; in ``b`` the boundary is later."""
    corpus.write(later={"one.lab": "0 3.5 C|3.5 4 G", "two.lab": "0 2 D:dim"})
    for est, run in (("est", "a"), ("later", "b")):
        corpus.run("score", "chords", "ref", f"mine={est}", "--out", run, "--protocol", "mirex2013")
    return corpus


def test_nothing_changed(runs: Terminal) -> None:
    result = runs.run("diff", "a", "a")
    assert (result.code, result.out) == (0, "nothing changed\n")
    figures = len(kammerton.diff("a", "a").scores)
    assert result.lines == [f"0 of 2 items changed; 0 of {figures} corpus scores changed"]


def test_what_changed_is_printed(runs: Terminal) -> None:
    result = runs.run(*DIFF)
    assert result.code == 1
    # pooled and mean of one item with a value are the same
    assert result.out == (
        "Corpus scores\n"
        "system  annotator  measure           aggregate  before  after  difference\n"
        "mine    ref        mirex2013/MajMin  pooled      75.00  62.50      -12.50\n"
        "and 2 more: --format json has all of them\n"
        "\n"
        "Items\n"
        "system  item  annotator  measure           status  before  after  difference\n"
        "mine    one   ref        mirex2013/MajMin  ok       75.00  62.50      -12.50\n"
    )
    assert result.lines == ["1 of 2 items changed; 3 of 3 corpus scores changed"]


def test_markdown(runs: Terminal) -> None:
    result = runs.run(*DIFF, "--format", "md")
    assert result.code == 1
    assert "### Items\n\n| system | item |" in result.out
    assert "| mine | one | ref | mirex2013/MajMin | ok | 75.00 | 62.50 | -12.50 |" in result.out


def test_csv_and_json_have_everything(runs: Terminal) -> None:
    assert runs.run(*DIFF, "--format", "csv").out == (
        "system,item,annotator,protocol,measure,before,after,difference,status_before,status_after\n"
        "mine,one,ref,mirex2013,MajMin,0.75,0.625,-0.125,ok,ok\n"
    )
    result = runs.run(*DIFF, "--format", "json")
    assert result.document == kammerton.diff("a", "b", measures=["mirex2013/MajMin"]).to_dict()
    assert result.code == 1


def test_a_tolerance_and_quiet(runs: Terminal) -> None:
    result = runs.run(*DIFF, "--tolerance", "0.125", "--quiet")
    assert (result.code, result.out, result.err) == (0, "nothing changed\n", "")
    result = runs.run(*DIFF, "--tolerance", "0.1")
    assert result.code == 1
    assert result.lines[-1].endswith("changed by more than 0.1")


def test_an_item_that_only_one_run_has_is_listed(runs: Terminal) -> None:
    runs.write(other={"one.lab": "0 3 C|3 4 G", "two.lab": "0 2 D:dim"})
    runs.write(ref={"three.lab": "0 2 X"})
    runs.run("score", "chords", "ref", "mine=other", "--out", "c", "--protocol", "mirex2013")
    result = runs.run("diff", "a", "c", "--measure", "mirex2013/MajMin")
    assert result.code == 1
    assert "Items only after\nsystem  item   annotator\nmine    three\n" in result.out
    assert result.lines[-1].startswith("0 of 2 items changed; 1 only in one run; ")


def test_a_value_that_came_or_went_is_told(terminal: Terminal) -> None:
    """The violin is a class only after: nobody named it before."""
    terminal.write(
        ref={"x.csv": "item,instrument|1,piano|2,voice"},
        one={"x.csv": "item,instrument|1,piano|2,voice"},
        other={"x.csv": "item,instrument|1,piano|2,violin"},
    )
    for est in ("one", "other"):
        terminal.run(
            "score", "instruments", "ref/x.csv", f"mine={est}/x.csv", "--out", f"run-{est}", "--no-ci"
        )
    result = terminal.run("diff", "run-one", "run-other", "--measure", "open-mic-task1/macro_P")
    assert result.code == 1
    (violin,) = (line for line in result.out.splitlines() if "violin" in line)
    assert "absent, now " in violin
    # a change from nothing stands first
    assert result.out.splitlines().index(violin) == result.out.splitlines().index("Items") + 2


def test_what_is_refused(runs: Terminal) -> None:
    result = runs.run("diff", "a")
    assert (result.code, result.out) == (2, "")
    assert "RUN_A and RUN_B are needed" in result.err
    result = runs.run("diff", "a", "ref")
    assert (result.code, result.out) == (3, "")
    assert "error[KT700] ref: not a run: run.json cannot be read" in result.err
    runs.write(ref={"one.lab": "0 2 C|2 4 G:min"})
    runs.run("score", "chords", "ref", "mine=est", "--out", "c")
    result = runs.run("diff", "a", "c")
    assert (result.code, result.out) == (3, "")
    assert "error[KT708] runs are of different references: 1 of 2 items, such as `one`" in result.err
    assert runs.run("diff", "a", "b", "--measure", "Odd").code == 2
    assert runs.run("diff", "a", "b", "--tolerance", "-1").code == 2


def test_other_options_and_names_are_told(runs: Terminal) -> None:
    runs.run("score", "chords", "ref", "new=est", "--out", "c", "--protocol", "mirex2013", "--lenient")
    result = runs.run("diff", "a", "c")
    assert (result.code, result.out) == (0, "nothing changed\n")
    assert result.lines[:2] == [
        "system `mine` before is compared with `new` after",
        "option lenient was `default` before and is `yes` after",
    ]


def test_only_the_largest_changes_are_shown(terminal: Terminal) -> None:
    names = [f"{number:02}.lab" for number in range(25)]
    terminal.write(
        ref=dict.fromkeys(names, "0 4 C"),
        one=dict.fromkeys(names, "0 4 C"),
        other={name: f"0 {4 - place / 10} C|{4 - place / 10} 4 G" for place, name in enumerate(names)},
    )
    for est in ("one", "other"):
        terminal.run("score", "chords", "ref", f"mine={est}", "--out", f"run-{est}", "--no-ci")
    result = terminal.run("diff", "run-one", "run-other", "--measure", "mirex2013/MajMin")
    rows = result.out.partition("Items\n")[2].splitlines()
    assert rows[1].split()[1] == "24"
    assert len(rows) == 1 + 20 + 1
    assert rows[-1] == "and 4 more: --format json has all of them"  # of 24: the first did not change
