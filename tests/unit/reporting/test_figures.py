# SPDX-License-Identifier: MIT
"""Charts and tables for papers, as files."""

from dataclasses import replace

from kammerton.reporting.figures import figure_files
from kammerton.reporting.html.chapters import source_of
from kammerton.reporting.ranking_texts import render_rankings
from kammerton.reporting.rankings import RankingCell, RankingRow, ScoreRanking, TableOptions
from kammerton.reporting.tables import latex, markdown
from tabled_scores import LOSS, OTHER, POOLED, tabled
from unit.reporting.pages import with_intervals

BAD = "x\n\\input{/etc/passwd}"


def test_names_neither_end_comments_of_latex_nor_are_commands_in_it() -> None:
    table = {BAD: [(2, 2)], "50 % & _#$^~{}": [(1, 2)]}
    others = {BAD: [(0, 2)], "50 % & _#$^~{}": [(1, 2)]}
    scores = tabled(table, (POOLED, OTHER, LOSS), others=others)
    found = dict(figure_files(source_of(with_intervals(scores), "c1"), "tables"))
    texts = {name: data.decode("utf-8") for name, data in found.items() if name.endswith(".tex")}
    assert set(texts) == {"tables-figures-one.tex", "tables-comparison.tex"}
    for text in texts.values():
        lines = [line for line in text.splitlines() if not line.startswith("%")]
        assert "\\input" not in "\n".join(lines).replace("\\textbackslash{}input", "")
        assert "50 \\% \\& \\_\\#\\$\\textasciicircum{}\\textasciitilde{}\\{\\}" in text


def test_no_name_of_others_is_part_of_the_name_of_a_file() -> None:
    scores = tabled({"../../etc/passwd": [(2, 2)], "b": [(1, 2)]})
    names = [name for name, _ in figure_files(source_of(scores, "c1"), "tables")]
    assert all(name.replace("-", "").replace(".", "").isalnum() for name in names)


def test_signs_of_numbers_are_set_as_mathematics_in_latex() -> None:
    # the fonts that TeX begins with print `<` of a text as an inverted exclamation mark
    table = {"good-1": [(1, 4)] * 20, "poor": [(3, 4)] * 20}
    found = dict(figure_files(source_of(with_intervals(tabled(table, (LOSS,))), "c1"), "tables"))
    rows = found["tables-comparison.tex"].decode("utf-8").splitlines()
    (pair,) = (row for row in rows if row.startswith("good-1 & poor"))
    _, _, difference, p, adjusted, *_ = pair.split(" & ")
    assert (p, adjusted) == ("$<$.0001", "$<$.0001")
    assert difference == "$-$50.0 [$-$50.0, $-$50.0]"


def test_hyphens_that_are_no_minus_stay() -> None:
    row = ["-1 to-2", "-", "-0.58", "1e-05", "[-.5, -0.1]"]
    assert r"-1 to-2 & - & $-$0.58 & 1e-05 & {}[$-$.5, $-$0.1] \\" in latex("abcde", [row], text_columns=1)
    assert r"| -0.58 |" in markdown("abcde", [row], text_columns=1)


def test_scores_below_zero_and_their_intervals_have_minus_signs_in_latex() -> None:
    signed = replace(POOLED, range=(-1.0, 1.0))
    cell = RankingCell(value=-0.5, interval=(-0.75, 0.25))
    table = ScoreRanking(measures=(signed,), rows=(RankingRow(name="a-1", cells=(cell,)),))
    shown = render_rankings([table], "latex", TableOptions())
    assert r"a-1 & $-$0.500 {\scriptsize {}[$-$0.750, 0.250]} \\" in shown
    assert "| a-1 | -0.500 " in render_rankings([table], "md", TableOptions())
