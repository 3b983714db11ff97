# SPDX-License-Identifier: MIT
"""Charts and tables for papers, as files."""

from dataclasses import replace

from kammerton.model.measure import Estimate
from kammerton.reporting.figures import figure_files
from kammerton.reporting.html.chapters import source_of
from kammerton.reporting.tables import Block, Line, latex, markdown, render_latex, render_markdown
from tabled_scores import LOSS, OTHER, POOLED, tabled

BAD = "x\n\\input{/etc/passwd}"


def test_names_neither_end_comments_of_latex_nor_are_commands_in_it() -> None:
    # one/pooled ranks BAD first, other/pooled the other, so that names stand in a comment too
    table = {BAD: [(2, 2)], "50 % & _#$^~{}": [(1, 2)]}
    others = {BAD: [(0, 2)], "50 % & _#$^~{}": [(1, 2)]}
    scores = tabled(table, (POOLED, OTHER, LOSS), others=others)
    found = dict(figure_files(source_of(scores, "c1"), "tables"))
    texts = {name: data.decode("utf-8") for name, data in found.items() if name.endswith(".tex")}
    assert set(texts) == {"tables-figures-one.tex", "tables-figures-other.tex", "tables-comparison.tex"}
    for text in texts.values():
        lines = [line for line in text.splitlines() if not line.startswith("%")]
        assert "\\input" not in "\n".join(lines).replace("\\textbackslash{}input", "")
        assert "50 \\% \\& \\_\\#\\$\\textasciicircum{}\\textasciitilde{}\\{\\}" in text
    assert "% one/pooled ranks x\\x0a\\input{/etc/passwd} before " in texts["tables-comparison.tex"]


def test_no_name_of_others_is_part_of_the_name_of_a_file() -> None:
    scores = tabled({"../../etc/passwd": [(2, 2)], "b": [(1, 2)]})
    names = [name for name, _ in figure_files(source_of(scores, "c1"), "tables")]
    assert all(name.replace("-", "").replace(".", "").isalnum() for name in names)


def test_signs_of_numbers_are_set_as_mathematics_in_latex() -> None:
    # the fonts that TeX begins with print `<` of a text as an inverted exclamation mark
    table = {"good-1": [(1, 4)] * 20, "poor": [(3, 4)] * 20}
    found = dict(figure_files(source_of(tabled(table, (LOSS,)), "c1"), "tables"))
    rows = found["tables-comparison.tex"].decode("utf-8").splitlines()
    (pair,) = (row for row in rows if row.startswith("good-1 & poor"))
    _, _, _, difference, low, high, p, adjusted, *_ = pair.split(" & ")
    assert (p, adjusted) == ("$<$.0001", "$<$.0001")
    assert (difference, low, high) == ("$-$50.00",) * 3


def test_hyphens_that_are_no_minus_stay() -> None:
    row = ["-1 to-2", "-", "-0.58", "1e-05", "[-.5, -0.1]"]
    assert r"-1 to-2 & - & $-$0.58 & 1e-05 & {}[$-$.5, $-$0.1] \\" in latex("abcde", [row], texts=1)
    assert r"| -0.58 |" in markdown("abcde", [row], texts=1)


def test_figures_below_zero_and_their_intervals_have_minus_signs_in_latex() -> None:
    signed = replace(POOLED, range=(-1.0, 1.0))
    line = Line("a-1", "all", (Estimate(-0.5, 1.0, 1, 0),), 1, ((-0.75, 0.25),))
    block = Block("one", (signed,), (line,), ("one/*",), level="95 %")
    shown = render_latex([block])
    assert r"a-1 & 1 & $-$0.5000 \\" in shown
    assert r"95 \% interval &  & [$-$0.7500, 0.2500] \\" in shown
    assert "| a-1 | 1 | -0.5000 |" in render_markdown([block])
