# SPDX-License-Identifier: MIT
"""``kammerton report``: what it writes, and what it refuses."""

import pytest

from cli.harness import Terminal


@pytest.fixture
def two(corpus: Terminal) -> Terminal:
    """Give two runs on the same references, and one on others."""
    corpus.write(
        poor={"one.lab": "0 4 D", "two.lab": "0 4 D"},
        other={"one.lab": "0 4 C", "two.lab": "0 4 G:min"},
    )
    for name, ref, est in (("a", "ref", "est"), ("b", "ref", "poor"), ("c", "other", "est")):
        score = ("score", "chords", ref, est, "--resamples", "20", "--out", name, "--quiet")
        assert corpus.run(*score, "--output", f"{name}.txt").code == 0
    return corpus


def page(terminal: Terminal, name: str = "report.html") -> str:
    return (terminal.folder / name).read_text("utf-8")


def test_runs_on_the_same_references_are_one_chapter(two: Terminal) -> None:
    result = two.run(
        "report", "a", "b", "--title", "Two <systems>", "--description", "Drafts.", "--date", "2026-11-28"
    )
    assert (result.code, result.out, result.err) == (0, "", "wrote `report.html`\n")
    assert "<h1>Two &lt;systems&gt;</h1>" in page(two)
    assert '<p class="lead">Drafts.</p>' in page(two)
    assert '<time datetime="2026-11-28">' in page(two)
    assert "<dt>Command</dt><dd>kammerton report a b --output report.html</dd>" in page(two)
    assert page(two).count("<article") == 1
    assert 'id="c1-comparison"' in page(two)


def test_runs_on_others_are_a_chapter_of_their_own_that_says_why(two: Terminal) -> None:
    assert two.run("report", "a", "c", "-o", "x.html", "--quiet").err == ""
    assert page(two, "x.html").count("<article") == 2
    assert "Not compared with what stands above: runs are of different references: " in page(two, "x.html")
    assert 'id="c1-comparison"' not in page(two, "x.html")


def test_a_run_may_be_named(two: Terminal) -> None:
    result = two.run("report", "before=a", "after=a")
    assert (result.code, result.err) == (0, "wrote `report.html`\n")
    assert "before, after on 2 items" in page(two)
    result = two.run("report", "a", "a")
    assert result.code == 2
    assert "two systems are called `est`" in result.err


@pytest.mark.slow
def test_figures_for_papers(two: Terminal) -> None:
    result = two.run("report", "a", "b", "--figures", "figures")
    assert result.err == "wrote `report.html`, and figures to `figures`\n"
    found = {path.name: path.read_bytes() for path in (two.folder / "figures").iterdir()}
    charts = ("forest-mirex2013", "items", "scatter", "losses", "confusion")
    starts = {"svg": b"<svg ", "pdf": b"%PDF-", "png": b"\x89PNG"}
    for chart in charts:
        for form, start in starts.items():
            assert found[f"chords-{chart}.{form}"].startswith(start)
    assert b"\\begin{tabular}" in found["chords-figures-mirex2013.tex"]
    assert b"% mirex2013/*|rev:2|" in found["chords-figures-mirex2013.tex"]
    assert b"adjusted p (Holm)" in found["chords-comparison.tex"]
    assert set(found) == {
        *(f"chords-{chart}.{form}" for chart in charts for form in starts),
        *(f"chords-{table}.tex" for table in ("figures-mirex2013", "comparison", "losses")),
    }
    two.run("report", "a", "b", "--figures", "figures")
    assert {path.name: path.read_bytes() for path in (two.folder / "figures").iterdir()} == found


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "error: RUN is needed"),
        (("none",), 3, "error[KT700] none: not a run"),
        (("a", "-o", "ref"), 5, "error[KT501] cannot write `ref`: it is a folder"),
        (("a", "-o", "no/x.html"), 5, "error[KT501] cannot write `no/x.html`: folder `no` does not exist"),
        (("a", "-o", "a/x.html"), 2, "error: `a/x.html` is within a run"),
        (("a", "--figures", "a/x"), 2, "error: `a/x` is within a run"),
        (("a", "--figures", "a.txt"), 5, "error[KT501] cannot write `a.txt`: "),
        (("a", "--figures", "no/x"), 5, "error[KT501] cannot write `no/x`: no such file or directory"),
    ],
)
def test_what_is_refused_leaves_nothing_behind(
    two: Terminal, arguments: tuple[str, ...], code: int, said: str
) -> None:
    before = two.left()
    result = two.run("report", *arguments)
    assert (result.code, result.out) == (code, "")
    assert result.err.startswith(said)
    assert two.left() == before
