# SPDX-License-Identifier: MIT
"""Charts and tables for papers, as files."""

from kammerton.reporting.figures import figure_files
from kammerton.reporting.html.chapters import source_of
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
