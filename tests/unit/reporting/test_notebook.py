# SPDX-License-Identifier: MIT
"""What notebooks show of results."""

import html
import re
import subprocess
import sys
from typing import Any

import pytest

import kammerton as kt

REF: dict[str, Any] = {"a<b": ([(0, 4)], ["C"]), "other": ([(0, 4)], ["G"])}
GOOD = REF
POOR: dict[str, Any] = {"a<b": ([(0, 3), (3, 4)], ["C", "D"]), "other": ([(0, 4)], ["D"])}


def scored() -> kt.Scores:
    return kt.score(
        "chords", REF, {"<good>": GOOD, "poor": POOR}, measures=["mirex2013/MajMin"], resamples=100
    )


def text_of(result: Any) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", result._repr_html_())).split())


def test_scores_are_tables_with_their_signature() -> None:
    scores = scored()
    text = text_of(scores)
    assert text.startswith(
        "<good> is not significantly better than poor: +62.5 percentage points of MajMin (95 % CI "
    )
    assert "mirex2013, % MajMin ↑ <good> 100.0 a [100.0, 100.0] poor 37.5 a [0.0, 75.0] " in text
    assert "mirex2013/*|rev:2|missing:worst|items:2|" in text
    assert "2 of 2 items scored for 2 systems; no item was left out" in text
    assert "<good>" not in scores._repr_html_()


def test_comparisons_have_pairs_too() -> None:
    compared = kt.compare("chords", REF, {"<good>": GOOD, "poor": POOR}, measures=["mirex2013/MajMin"])
    text = text_of(compared)
    assert "<good> 100.0 a " in text
    assert text.startswith(
        "<good> is not significantly better than poor: +62.5 percentage points of MajMin (95 % CI 25.0"
    )


def test_items_are_drawn() -> None:
    item: Any = kt.show("chords", REF, {"<good>": GOOD}, "a<b")
    shown = item._repr_html_()
    assert shown.startswith("<pre>a&lt;b, 0 to 4 s: &lt;good&gt; against reference\n")
    assert shown.endswith("</pre>")


def test_charts_are_asked_for_by_name_and_measure() -> None:
    scores = scored()
    assert scores.chart().to_dict() == scores.chart("forest", measure="MajMin").to_dict()
    assert scores.chart("items").to_dict()["facet"]["row"]["field"] == "system"
    with pytest.raises(kt.OptionError, match="unknown chart `pie`"):
        scores.chart("pie")
    with pytest.raises(kt.OptionError, match="unknown measure `Rooot`"):
        scores.chart(measure="Rooot")


def test_what_is_above_is_imported_when_it_is_asked_for() -> None:
    program = (
        "import sys, kammerton; kammerton.Scores; "
        "print([m for m in sys.modules if m.startswith('kammerton.reporting') and 'notebook' in m])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
