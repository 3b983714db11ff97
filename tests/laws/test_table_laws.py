# SPDX-License-Identifier: MIT
"""Every way of printing scores has the same numbers: table, JSON, Markdown, LaTeX, notebook, repr."""

import re

from hypothesis import given
from hypothesis import strategies as st

from kammerton.reporting.comparisons import render_scores, render_values
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
        page = scores._repr_html_().replace("\n", "").replace("<tr><th><bdi>", "\n")
        texts += [repr(scores), page.replace("</bdi>", "  ")]
    for text in texts:
        for name in names:
            (row,) = re.findall(rf"^(?:\| )?{name}(?:  | \| | & ).*$", text, re.MULTILINE)
            assert expected[name] <= set(re.findall(r"\d+(?:\.\d+)?", row)), row
    bare = render_values(scores, options).splitlines()
    pooled = {e["system"]: f"{100 * e['value']:.{digits}f}" for e in entries if e["aggregate"] == "pooled"}
    assert bare == [pooled[name] for name in names]
