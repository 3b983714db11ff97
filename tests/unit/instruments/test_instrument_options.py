# SPDX-License-Identifier: MIT
"""What may be said about lists of instruments, and what may not."""

from pathlib import Path
from typing import Any

import pytest

from kammerton.errors import OptionError
from kammerton.instruments import InstrumentOptions


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"top_k": -1}, "`top_k` is at least 0, got -1"),
        ({"results": 0}, "`results` is at least 1, got 0"),
        ({"results": 10**30}, "`results` is at most 9,007,199,254,740,992, got 10"),
        ({"min_support": 1.5}, "`min_support` must be a whole number, not float"),
        ({"top_k": True}, "`top_k` must be a whole number, not bool"),
        ({"level": None}, "`level` must be a whole number, not NoneType"),
        ({"leaves": 1}, "`leaves` must be True or False, not int"),
        ({"taxonomy": 5}, "`taxonomy` must be a name or a path, not int"),
        ({"map": None}, "`map` must be a name or a path, not NoneType"),
        ({"threshold": 0.5}, "`threshold` must be a text, such as '0.5' or '>0.5', not float"),
        ({"truth_threshold": None}, "`truth_threshold` must be a text"),
        ({"threshold": "0" * 5000 + "x"}, "no threshold: `0"),
        ({"ties": "nope"}, "unknown choice of `ties` `nope`"),
        ({"encoding": 5}, "encoding must be a str"),
    ],
)
def test_what_cannot_be_chosen(given: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=f"^{message}"):
        InstrumentOptions(**given)


@pytest.mark.parametrize("given", [{"level": 1}, {"leaves": True}])
def test_what_would_do_nothing_without_a_taxonomy(given: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=r"need a taxonomy\n.*taxonomy NAME"):
        InstrumentOptions(**given)
    assert InstrumentOptions(taxonomy="openmic-2018", **given).tree is not None


def test_a_taxonomy_may_be_a_path(tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    path.write_text('{"X": ["F", "G"]}', encoding="utf-8")
    tree = InstrumentOptions(taxonomy=path).tree  # type: ignore[arg-type]
    assert tree is not None
    assert tree.leaves == ("F", "G")
