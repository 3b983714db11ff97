# SPDX-License-Identifier: MIT
"""Task 1 on single files: the cases of the specification, as exact fractions."""

import random

import pytest

from unit.instruments.scored import BELLS, DEEP, FIGURE, Parents, equals, listed, options, values

NAMES = ("P", "R", "F", "AP", "hP", "hR", "hF")

CASES = """
C01 | F,H           | F,I           | 1/2 1/2 1/2 1/2    3/4 3/4 3/4
C02 | F,H           | F,H           | 1   1   1   1      1   1   1
C03 | F,H           | H,F           | 1   1   1   1      1   1   1
C04 | F             | J             | 0   0   0   0      0   0   0
C05 | F             | G             | 0   0   0   0      1/2 1/2 1/2
C06 | F,H           | F,H,J,K       | 1/2 1   2/3 1      4/7 1   8/11
C07 | F,H           | J,K,F,H       | 1/2 1   2/3 5/12   4/7 1   8/11
C08 | E,F,G         | E             | 1   1/3 1/2 1/3    1   1/2 2/3
C09 | F             | J,K,F         | 1/3 1   1/2 1/3    2/5 1   4/7
C10 |               |               | u   u   u   u      u   u   u
C11 | F,H           |               | u   0   0   0      u   0   0
C12 |               | F,H           | 0   u   0   u      0   u   0
C15 | F             | B             | 0   0   0   0      1   1/2 2/3
C16 | F             | B,F           | 1/2 1   2/3 1/2    1   1   1
C17 | F             | F,B           | 1/2 1   2/3 1      1   1   1
C18 | B             | F             | 0   0   0   0      1/2 1   2/3
C19 | B             | B             | 1   1   1   1      1   1   1
C20 | B,F           | F             | 1   1/2 2/3 1/2    1   1   1
C21 | E,F           | G             | 0   0   0   0      1/2 1/3 2/5
C22 | E             | E,F,G         | 1/3 1   1/2 1      1/2 1   2/3
C23 | F             | E,F,G,H,I,J,K | 1/7 1   1/4 1/2    1/5 1   1/3
C24 | F             | A             | 0   0   0   0      u   0   0
C25 | F             | A,F           | 1/2 1   2/3 1/2    1   1   1
C26 | F             | F,Z           | 1/2 1   2/3 1      2/3 1   4/5
C27 | E,H           | E,J           | 1/2 1/2 1/2 1/2    1/2 1/2 1/2
C28 | E,F,G         | E,H,F,I,G     | 3/5 1   3/4 34/45  4/7 1   8/11
C29 | E,F,G         | E,H           | 1/2 1/3 2/5 1/3    1/2 1/2 1/2
C30 | cowbell       | handbell      | 0   0   0   0      1/2 1/3 2/5
C31 | snare         | cowbell       | 0   0   0   0      1/3 1/2 2/5
C32 | cowbell,snare | cowbell       | 1   1/2 2/3 1/2    1   3/4 6/7
C33 | violin        | guitar        | 0   0   0   0      1/3 1/3 1/3
C34 | violin        | strings       | 0   0   0   0      1   1/3 1/2
C35 | violin,male singer | violin   | 1   1/2 2/3 1/2    1   3/5 3/4
C36 | violin,male singer | male singer | 1 1/2 2/3 1/2   1   2/5 4/7
"""


def tree_of(case: str) -> Parents:
    if case in ("C30", "C31", "C32"):
        return BELLS
    return DEEP if case in ("C33", "C34", "C35", "C36") else FIGURE


def split(text: str) -> list[str]:
    return [label.strip() for label in text.split(",") if label.strip()]


ROWS = [[cell.strip() for cell in line.split("|")] for line in CASES.strip().split("\n")]


@pytest.mark.parametrize(("case", "annotated", "predicted", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_cases_of_one_file(case: str, annotated: str, predicted: str, expected: str) -> None:
    pair = listed(split(annotated)), listed(split(predicted))
    names = [f"open-mic-task1/{name}" for name in NAMES]
    found = values(pair, options(tree_of(case), unknown="keep"), names)
    assert list(found.values()) == [equals(text) for text in expected.split()]


def test_labels_outside_of_the_taxonomy_on_both_sides() -> None:
    pair = listed(["F", "Y", "Z"]), listed(["Z", "X", "G"])
    names = [f"open-mic-task1/{name}" for name in ("hP", "hR", "hF")]
    found = values(pair, options(FIGURE, unknown="keep"), names)
    assert list(found.values()) == [equals(text) for text in ("1/2", "1/2", "1/2")]  # Z and B of four each


LARGE = {f"node {number}": f"node {(number - 1) // 3}" for number in range(1, 200)}
"""Two hundred nodes in five levels: more than fit into one word, or three."""


def extended(labels: list[str]) -> set[str]:
    found: set[str] = set()
    for label in labels:
        while label != "node 0":
            found.add(label)
            label = LARGE[label]  # noqa: PLW2901 - up to the root
    return found


@pytest.mark.parametrize("seed", range(20))
def test_taxonomies_of_any_size(seed: int) -> None:
    draw = random.Random(seed)
    truth, said = (draw.sample(list(LARGE), draw.randint(1, 6)) for _ in range(2))
    above, below = extended(truth), extended(said)
    found = values((listed(truth), listed(said)), options(LARGE), ["open-mic-task1/hP", "open-mic-task1/hR"])
    shared = len(above & below)
    assert list(found.values()) == [pytest.approx(shared / len(below)), pytest.approx(shared / len(above))]
    judged = listed(truth, absent=[label for label in said if label not in above])
    (known,) = values((judged, listed(said)), options(LARGE), ["open-mic-task1/hP"]).values()
    sure = (below & above) | (set(said) - above)
    families = {label for label in below - sure if _all_absent(label, sure - above)}
    assert known == pytest.approx(shared / len(sure | families))


def _all_absent(label: str, absent: set[str]) -> bool:
    children = [child for child, parent in LARGE.items() if parent == label]
    return bool(children) and all(child in absent or _all_absent(child, absent) for child in children)
