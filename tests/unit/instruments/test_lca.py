# SPDX-License-Identifier: MIT
"""Ways to lowest common ancestors, worked out by hand."""

import pytest

from kammerton.instruments.columns import build_columns
from kammerton.instruments.formulas import lca_counts
from kammerton.model.task import Case
from unit.instruments.scored import BELLS, DEEP, FIGURE, Parents, equals, listed, options, values

NAMES = ("lca/P", "lca/R", "lca/F")

TWO_TOPS: Parents = {"strings": [], "voice": [], "violin": "strings", "singer": "voice"}
DIAMOND: Parents = {
    **dict.fromkeys(("a", "b"), "top"),
    "both": ["a", "b"],
    "other": ["a", "b"],
    "deep": "both",
    "long": "deep",
    "short": ["long", "b"],
}


@pytest.mark.parametrize(
    ("tree", "annotated", "predicted", "expected"),
    [
        (FIGURE, "F,H", "F,I", "2/3 2/3 2/3"),  # S08: F, H, C against F, I, C
        (FIGURE, "F,H", "F,H", "1 1 1"),
        (FIGURE, "F", "G", "1/2 1/2 1/2"),  # F, B against G, B
        (FIGURE, "F", "J", "1/3 1/3 1/3"),  # F, B, A against J, D, A: there is only the root
        (FIGURE, "F", "B", "1 1/2 2/3"),  # F, B against B
        (FIGURE, "B", "F", "1/2 1 2/3"),
        (FIGURE, "E", "E,F", "1/3 1 1/2"),  # E against E, F, B
        (FIGURE, "E,F,G", "E", "1 1/4 2/5"),  # E, F, G, B against E
        (FIGURE, "F,H", "", "u 0 0"),
        (FIGURE, "", "F", "0 u 0"),
        (FIGURE, "", "", "u u u"),
        (FIGURE, "F", "A", "u 0 0"),  # a root is no label
        (FIGURE, "F", "F,Z", "1/3 1 1/2"),  # Z, A: the taxonomy does not have it
        (FIGURE, "Z", "Z", "1 1 1"),
        (FIGURE, "Z", "Y", "1/2 1/2 1/2"),  # Z, A against Y, A
        (DEEP, "violin", "guitar", "1/3 1/3 1/3"),  # violin, bowed, strings; guitar, plucked, strings
        (DEEP, "violin,male singer", "violin", "1 1/4 2/5"),  # voice and root on the singer's way
        (BELLS, "cowbell", "handbell", "1/2 1/2 1/2"),  # cowbell, bell; handbell, bell: not percussion
        (BELLS, "snare,handbell", "cowbell", "2/3 1/2 4/7"),  # both parents against cowbell's way to both
        (TWO_TOPS, "violin", "singer", "1/3 1/3 1/3"),  # the root without a name
        (DIAMOND, "both", "other", "2/3 2/3 2/3"),  # a and b are equally deep
        (DIAMOND, "short", "b", "1 1/2 2/3"),  # straight up
        (DIAMOND, "short", "both", "1 1/4 2/5"),  # both, though b is nearer: it is deeper
    ],
)
def test_ways(tree: Parents, annotated: str, predicted: str, expected: str) -> None:
    sides = [listed([label for label in text.split(",") if label]) for text in (annotated, predicted)]
    found = values((sides[0], sides[1]), options(tree, unknown="keep"), NAMES)
    assert list(found.values()) == [equals(text) for text in expected.split()]


@pytest.mark.parametrize(
    ("negative", "predicted", "expected"),
    [
        ("G", "G", "1/2 1/2 1/2"),  # G is not there, B is
        ("", "G", "1 1/2 2/3"),  # nobody knows of G
        ("JKD", "J", "1/3 1/3 1/3"),  # the root is known, whatever was judged
        ("", "J", "1 1/3 1/2"),  # of J, D, A only the root is known
        ("Z", "Z", "1/2 1/3 2/5"),
        ("", "Z", "1 1/3 1/2"),
        ("", "YZ", "1 1/3 1/2"),
    ],
)
def test_ways_through_what_nobody_judged(negative: str, predicted: str, expected: str) -> None:
    pair = listed("F", absent=negative), listed(predicted)
    found = values(pair, options(FIGURE, unknown="keep"), NAMES)
    assert list(found.values()) == [equals(text) for text in expected.split()]


def test_only_files_judged_in_part_leave_nodes_out() -> None:
    """The same file, judged in whole, beside one that is not."""
    files = [(listed("F"), listed("Z")), (listed("F", absent=""), listed("Z"))]
    columns = build_columns([Case((ref,), est) for ref, est in files], options(FIGURE, unknown="keep"))
    assert lca_counts(columns).tolist() == [[1, 2, 3], [1, 1, 3]]


def test_vocabularies_too_large_for_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = listed("FH"), listed("FI")
    before = values(pair, options(FIGURE), NAMES)
    monkeypatch.setattr("kammerton.instruments.columns._TABLE", 1)
    assert values(pair, options(FIGURE), NAMES) == before
