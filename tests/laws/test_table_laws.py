# SPDX-License-Identifier: MIT
"""Every way of printing scores has the same numbers: table, JSON, Markdown, LaTeX, notebook, repr, page."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

import kammerton as kt
from kammerton.reporting.comparisons import render_agreement, render_comparison, render_scores, render_values
from kammerton.reporting.html.chapters import source_of
from kammerton.reporting.html.scores import scores as html_scores
from kammerton.reporting.rankings import TableOptions
from kammerton.statistics.resampling import BootstrapSettings
from tabled_scores import LOSS, MEAN, POOLED, tabled, valued

SHARES = st.lists(st.integers(0, 100), min_size=3, max_size=3)


@given(st.lists(SHARES, min_size=1, max_size=4), st.integers(0, 4))
def test_every_form_has_the_same_numbers(rows: list[list[int]], digits: int) -> None:
    names = [f"sys{letter}" for letter in "abcd"[: len(rows)]]
    values = valued({name: [part / 100 for part in row] for name, row in zip(names, rows, strict=True)})
    scores = tabled(values, (POOLED, MEAN, LOSS)).remade(bootstrap=BootstrapSettings(resamples=50))
    entries = [entry for entry in scores.to_dict()["scores"] if entry["aggregate"] in ("pooled", "mean")]
    expected = {name: set[str]() for name in names}
    for entry in entries:
        expected[entry["system"]].add(f"{100 * entry['value']:.{digits}f}")
    options = TableOptions(digits=digits)
    texts = [render_scores(scores, "table", options, width=200)]
    texts += [scores.to_markdown(digits=digits), scores.to_latex(digits=digits)]
    if digits == 1:
        page = str(html_scores(source_of(scores, "c1")).body)
        forms = [
            form.replace("\n", "").replace("<tr><th><bdi>", "\n") for form in (scores._repr_html_(), page)
        ]
        texts += [repr(scores), *(form.replace("</bdi>", "  ") for form in forms)]
    for text in texts:
        for name in names:
            (row,) = re.findall(rf"^(?:\| )?{name}(?:  | \| | & ).*$", text, re.MULTILINE)
            assert expected[name] <= set(re.findall(r"\d+(?:\.\d+)?", row)), row
    bare = render_values(scores, options).splitlines()
    pooled = {e["system"]: f"{100 * e['value']:.{digits}f}" for e in entries if e["aggregate"] == "pooled"}
    named = len(names) > 1
    assert bare == [f"{name}\t{pooled[name]}" if named else pooled[name] for name in names]


SECONDS = st.lists(st.integers(0, 40), min_size=4, max_size=4)


def _numbers(text: str, opening: str) -> set[str]:
    """Return the numbers of the row that begins with a text."""
    (row,) = re.findall(rf"^(?:\| )?{re.escape(opening)}(?:  | \| | & ).*$", text, re.MULTILINE)
    return set(re.findall(r"\d+(?:\.\d+)?", row.removeprefix(opening)))


@given(st.lists(SECONDS, min_size=2, max_size=3), st.integers(1, 3))
@settings(max_examples=20)
def test_comparisons_and_agreement_have_the_same_numbers_in_every_form(
    rows: list[list[int]], digits: int
) -> None:
    names = [f"sys{letter}" for letter in "abc"[: len(rows)]]
    reference = {str(item): ([(0, 40)], ["C"]) for item in range(4)}
    systems = {
        name: {str(item): ([(0, end), (end, 41)], ["C", "D"]) for item, end in enumerate(row)}
        for name, row in zip(names, rows, strict=True)
    }
    measures = ["mirex2013/MajMin", "mirex2013/Root"]
    compared = kt.compare("chords", reference, systems, measures=measures, resamples=50)
    for text in (
        render_comparison(compared, "table", TableOptions(digits=digits), width=200),
        compared.to_markdown(digits=digits),
        compared.to_latex(digits=digits),
        *([repr(compared)] if digits == 1 else []),
    ):
        for measure in compared.to_dict()["measures"]:
            for row in measure["ranking"]:
                assert f"{100 * row['value']:.{digits}f}" in _numbers(text, row["system"])
    agreed = kt.agree("chords", systems, measures=measures)
    means = [entry for entry in agreed.to_dict()["agreement"] if entry["reference"] == "all"]
    for text, title in (
        (render_agreement(agreed, "table", TableOptions(digits=digits), width=200), "{}, %"),
        (agreed.to_markdown(digits=digits), "{}, %"),
        (agreed.to_latex(digits=digits), r"{}, \%"),
        *([(repr(agreed), "{}, %")] if digits == 1 else []),
    ):
        for mean in means:
            row = title.format(f"{mean['protocol']}/{mean['measure']}")
            assert f"{100 * mean['value']:.{digits}f}" in _numbers(text, row)
