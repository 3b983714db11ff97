# SPDX-License-Identifier: MIT
import csv
import json
import os
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kammerton.arrays import ratio
from kammerton.fingering.annotation import Comparison, LabelTable, tabulate
from kammerton.fingering.match_rates import (
    Matches,
    Pieces,
    collect,
    confusion_counts,
    finger_counts,
    group_pieces,
    hand_confusions,
    least_costs,
    split_hands,
)

CASES = json.loads((Path(__file__).parents[2] / "cases" / "fingering.json").read_text())["match"]

Labels = Sequence[str]
Item = tuple[Labels, Sequence[Labels]]


def encoded(items: Sequence[Item]) -> tuple[tuple[Pieces, ...], LabelTable]:
    index = {"": 0}

    def codes(labels: Labels) -> list[int]:
        return [index.setdefault(label, len(index)) for label in labels]

    pieces = []
    for est, refs in items:
        rows = np.array([codes(ref) for ref in refs], dtype=np.int64).reshape(len(refs), len(est))
        pieces.append((np.array(codes(est), dtype=np.int64), rows))
    return group_pieces(pieces), tabulate(list(index))


def matches(est: str, *refs: str, comparison: Comparison = "strike") -> Matches:
    """Match one piece; a dot is a missing label."""
    item = (cells(est), [cells(ref) for ref in refs])
    (pieces,), table = encoded([item])
    return Matches(pieces, table, comparison)


def cells(text: str) -> list[str]:
    return ["" if cell == "." else cell for cell in text.split()]


def rate(statistics: NDArray[np.float64]) -> float:
    return float(ratio(statistics[:, 0], statistics[:, 1])[0])


def rates(counted: Matches) -> tuple[float, float, float, float]:
    statistics = (counted.general_by_annotator(), counted.closest(), counted.soft(), counted.recombined())
    general, closest, soft, recombined = map(rate, statistics)
    return general, closest, soft, recombined


# --- the cases of the specification ----------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_match_cases(case: dict[str, Any]) -> None:
    est, refs = case["est"], case["gts"]
    strike, text = matches(est, *refs), matches(est, *refs, comparison="text")
    unsigned = matches(est, *refs, comparison="finger")
    against = strike.against()
    found = {
        "acc": rate(against[:, [4, 0]]),
        "M_gen": rate(strike.general_by_annotator()),
        "M_high": rate(strike.closest()),
        "M_soft": rate(strike.soft()),
        "M_rec": rate(strike.recombined()),
        "M_high_piece": rate(strike.closest("piece")),
        "tool_M_gen": rate(text.general_by_annotator()),
        "pianovam_M_high": rate(unsigned.soft()),
    }
    assert found == pytest.approx({name: float(Fraction(case[name])) for name in found}, abs=1e-12)
    assert strike.hits.any(axis=0).sum() == strike.soft()[0, 0]


def test_a01_annotators_have_their_own_denominators() -> None:
    counted = matches("1 2 3 4", "1 2 3 4", "1 2 . 5")
    assert rate(counted.general_by_annotator()) == pytest.approx(5 / 6)  # (4/4 + 2/3) / 2
    assert rates(counted)[1:] == (1.0, 1.0, 1.0)
    # notes: 2/2, 2/2, 1/1, 1/2
    assert counted.general_by_note().tolist() == [[3.5, 4.0]]


@pytest.mark.parametrize("refs", [["", ""], []], ids=["two annotators", "none"])
def test_a03_nothing_at_all_is_undefined(refs: list[str]) -> None:
    counted = matches("", *refs)
    assert np.isnan(rates(counted)).all()
    assert counted.recombined().tolist() == [[0, 0]]
    assert counted.against().tolist() == [[0] * 5]


def test_a05_an_annotator_without_any_label_is_none() -> None:
    assert rates(matches("1 2 3", "1 2 4", ". . .")) == rates(matches("1 2 3", "1 2 4"))
    # and is no way round an agreement that does not exist: 2 switches would save 3 of 6 misses
    refs = "1 1 1 1 1 1 5 5 5 5 5 5", "5 5 5 5 5 5 1 1 1 1 1 1"
    est = "1 1 1 1 1 1 1 1 1 1 1 1"
    assert rate(matches(est, *refs, ". . . . . . . . . . . .").recombined()) == 0.5
    assert rate(matches(est, *refs, ". . . . . . . . . . . 5").recombined()) == pytest.approx(
        10 / 12 - 1 / 12
    )


def test_a15_a_missing_label_is_no_match_and_no_barrier() -> None:
    assert rates(matches("1 2 3 4", "1 2 . .", ". . 3 4")) == (1, 2 / 4, 1, 3 / 4)


# --- other answers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("est", "ref", "strike", "exact", "any_", "text"),
    [
        ("4", "4_1", 1, 0, 1, 0),
        ("1", "4_1", 0, 0, 1, 0),
        ("4_1", "1_4", 0, 0, 1, 0),
        ("4", "4_", 1, 1, 1, 0),
        ("-1", "-2_1", 0, 0, 0, 0),
        ("1", "-2_1", 0, 0, 1, 0),
        ("4_1", "4_1", 1, 1, 1, 1),
    ],
)
def test_substitutions(est: str, ref: str, strike: int, exact: int, any_: int, text: int) -> None:
    found = {
        name: rate(matches(est, ref, comparison=name).soft()) for name in ("strike", "exact", "any", "text")
    }
    assert found == {"strike": strike, "exact": exact, "any": any_, "text": text}


def test_hands_beside_the_fingers() -> None:
    # right finger in the wrong hand; wrong finger in the right hand; both right
    assert matches("-3 2 5", "3 3 5").against().tolist() == [[3, 3, 2, 1, 1]]
    # a finger in common by the other hand is no finger of the right hand
    assert matches("1", "-2_1", comparison="any").against().tolist() == [[1, 1, 0, 0, 1]]


def test_notes_that_count_in_no_hand() -> None:
    est, refs = np.array([1, 0, 0, -2]), np.array([[-1, 0, 0, 2], [2, -3, 0, 2]])
    assert split_hands(est, refs).tolist() == [0, 1, -1, 1]


def test_a_note_nobody_labelled_is_free() -> None:
    # the second note has no label at all; one may switch after it, as after any missing label
    assert rate(matches("1 3 2 2", "1 . 5 5", "5 . 2 2").recombined()) == pytest.approx((3 - 1) / 3)
    # not predicted either, it stands in no hand
    assert rate(matches("1 . 2 2", "1 . 5 5", "5 . 2 2").recombined()) == pytest.approx((3 - 1) / 3)


def test_confusions_and_fingers() -> None:
    (pieces,), table = encoded([(["1", "", "-1", "2", "2", "3"], [["1", "2", "1", "3", "", "-3"]])])
    counts = confusion_counts(pieces, table)
    assert counts.sum() == 6
    expected = {(1, 1), (2, 0), (1, 6), (3, 2), (0, 2), (8, 3)}
    assert set(zip(*np.nonzero(counts[0]), strict=True)) == expected
    right, predicted, support = finger_counts(counts)[0].T
    assert right.tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    assert predicted.tolist() == [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert support.tolist() == [2, 1, 1, 0, 0, 0, 0, 1, 0, 0]
    hands = hand_confusions(counts)[0]
    assert hands.shape == (2, 5, 5)
    assert (hands[0, 0, 0], hands[0, 2, 1], hands.sum()) == (1, 1, 2)


def test_tables_of_labels() -> None:
    table = tabulate(["", "4", "4_", "4_1", "-2_1"])
    assert table.strikes.tolist() == [0, 4, 4, 4, -2]
    assert table.tuples.tolist() == [0, 1, 1, 2, 3]
    assert table.fingers.tolist() == [0, 1 << 3, 1 << 3, 1 << 3 | 1, 1 << 6 | 1]


# --- many pieces -----------------------------------------------------------------------------

Statistics = NDArray[np.float64]
Kernel = Callable[[Matches], Statistics]

KERNELS: tuple[Kernel, ...] = (
    Matches.general_by_annotator,
    Matches.general_by_note,
    Matches.closest,
    lambda counted: counted.closest("piece"),
    Matches.soft,
    Matches.recombined,
    Matches.against,
)


def applied(
    kernel: Kernel, table: LabelTable, comparison: Comparison = "strike"
) -> Callable[[Pieces], Statistics]:
    return lambda pieces: kernel(Matches(pieces, table, comparison))


fingers = st.sampled_from(["1", "2", "3", "-1", "-2", "2_1", ""])


@st.composite
def items(draw: st.DrawFn, labels: st.SearchStrategy[str] = fingers, most: int = 4, notes: int = 7) -> Item:
    length = draw(st.integers(0, notes))
    column = st.lists(labels, min_size=length, max_size=length)
    return draw(column), draw(st.lists(column, min_size=0, max_size=most))


@given(st.lists(items(), min_size=1, max_size=6))
def test_a_batch_is_its_pieces(batch: list[Item]) -> None:
    groups, table = encoded(batch)
    for kernel in KERNELS:
        together = collect(groups, applied(kernel, table))
        for item, row in zip(batch, together, strict=True):
            (alone,), own = encoded([item])
            assert kernel(Matches(alone, own))[0].tobytes() == row.tobytes()


def cheapest(est: NDArray[np.int64], refs: NDArray[np.int64]) -> int:
    """Try every way through the annotators of one hand."""
    least = len(est)
    for path in product(range(len(refs)), repeat=len(est)):
        cost = sum(not est[n] == refs[z, n] != 0 for n, z in enumerate(path) if refs[:, n].any())
        for n, (before, after) in enumerate(pairwise(path)):
            if before != after:
                pair = {int(refs[before, n]), int(refs[after, n])} - {0}
                cost += 1 if len(pair) < 2 else len(est)
        least = min(least, int(cost))
    return least


def brute_force(item: Item) -> list[int]:
    est = tabulate(item[0]).strikes
    refs = np.array([tabulate(ref).strikes for ref in item[1]], dtype=np.int64).reshape(
        len(item[1]), len(est)
    )
    hands = split_hands(est, refs)
    refs = refs[(refs != 0).any(axis=1)]
    scored = int((refs != 0).any(axis=0).sum())
    if not scored:
        return [0, 0]
    return [scored - sum(cheapest(est[hands == h], refs[:, hands == h]) for h in (0, 1)), scored]


@given(items())
def test_recombination_against_all_paths(item: Item) -> None:
    (pieces,), table = encoded([item])
    assert Matches(pieces, table).recombined()[0].tolist() == brute_force(item)


def test_lanes_may_be_many() -> None:
    """Each annotator misses one of two notes, and nowhere may one go over to the other."""
    closed = np.zeros(600, dtype=bool)
    misses = np.repeat([[False, True], [True, False]], 300, axis=1)
    costs = least_costs(np.tile(np.arange(300), 2), 300, misses, lambda *_: closed)
    assert costs.tolist() == [1] * 300


# --- laws ------------------------------------------------------------------------------------


# --- the authors' tool -----------------------------------------------------------------------

SHARED = os.environ.get("KAMMERTON_SHARED")


def pig_labels(path: Path) -> list[str]:
    rows = csv.reader(path.read_text().splitlines()[1:], delimiter="\t")
    return [row[7] for row in rows]


def as_the_tool_reads(item: Item) -> Item:
    """Write for the label 0 a finger that is not predicted: the tool takes it for one."""
    est, refs = item
    other = ["-5" if finger != "-5" else "5" for finger in est]
    return est, [
        [ref if ref != "0" else finger for ref, finger in zip(labels, other, strict=True)] for labels in refs
    ]


def published() -> Iterator[tuple[Item, list[float]]]:
    root = Path(SHARED or "") / "data" / "fingering"
    with (root / "expected_official_tool.tsv").open() as file:
        for row in csv.DictReader(file, delimiter="\t"):
            est = root / f"beringer_est_{row['model']}" / f"{row['piece']}_est_fingering.txt"
            refs = sorted((root / "beringer_pig").glob(f"{row['piece']}-*_fingering.txt"))
            values = [float(row[name]) for name in ("M_gen", "M_high", "M_soft", "M_rec")]
            yield as_the_tool_reads((pig_labels(est), [pig_labels(ref) for ref in refs])), values


@pytest.mark.skipif(SHARED is None, reason="KAMMERTON_SHARED names no folder with the tool's figures")
def test_figures_of_the_authors_tool() -> None:
    batch, values = zip(*published(), strict=True)
    groups, table = encoded(batch)
    assert [len(group.refs) for group in groups] == [1, 2, 3, 4]
    kernels = (Matches.closest, Matches.soft, Matches.recombined)
    statistics = [collect(groups, applied(Matches.general_by_annotator, table, "text"))]
    statistics += [collect(groups, applied(kernel, table)) for kernel in kernels]
    found = np.stack([ratio(s[:, 0], s[:, 1]) for s in statistics], axis=1)
    assert found.shape == (136, 4)
    np.testing.assert_allclose(found, values, atol=1e-6)
