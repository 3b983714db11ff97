# SPDX-License-Identifier: MIT
"""Hierarchical measures against sets of names, written down from their definitions, on random taxonomies."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.instruments.scored import Pair, Parents, listed, options, values

NAMES = [f"n{number}" for number in range(8)]
OUTSIDE = ["x", "y"]


@st.composite
def taxonomies(draw: st.DrawFn) -> dict[str, list[str]]:
    """Graphs without cycles: each node below any of those before it, or at the top."""
    return {
        name: draw(st.lists(st.sampled_from(NAMES[:number]), max_size=3, unique=True)) if number else []
        for number, name in enumerate(NAMES)
    }


class Tree:
    """The definitions, on names."""

    def __init__(self, parents: dict[str, list[str]]) -> None:
        self.parents = parents
        tops = [name for name in NAMES if not parents[name]]
        self.root = tops[0] if len(tops) == 1 else ""
        self.counted = {name for name in NAMES if name != self.root}

    def above(self, name: str) -> set[str]:
        """Return a label with all its ancestors, roots and all; labels outside hang from the root."""
        if name not in self.parents:
            return {name, self.root}
        below_root = {self.root} if not self.parents[name] else set()
        return {name} | below_root | {up for parent in self.parents[name] for up in self.above(parent)}

    def depth(self, name: str) -> int:
        if name == self.root:
            return 0
        return 1 + max((self.depth(parent) for parent in self.parents.get(name, [])), default=0)

    def extended(self, labels: list[str]) -> set[str]:
        return {up for label in labels for up in self.above(label)} - {self.root}

    def distance(self, name: str, up: str) -> float:
        if name == up:
            return 0
        parents = self.parents.get(name) or ([self.root] if name != self.root else [])
        return 1 + min((self.distance(parent, up) for parent in parents), default=math.inf)

    def way(self, name: str, up: str) -> set[str]:
        """Return the nodes on all shortest ways up."""
        whole = self.distance(name, up)
        return {
            each for each in self.above(name) if self.distance(name, each) + self.distance(each, up) == whole
        }

    def ways(self, own: list[str], other: list[str]) -> set[str]:
        """Connect each label with the deepest common ancestors."""
        own, other = [label for label in own if label != self.root], [o for o in other if o != self.root]
        found = set(own)
        for label in own:
            shared = {up for one in other for up in self.above(label) & self.above(one)}
            deepest = max(map(self.depth, shared), default=0)
            for up in shared:
                if self.depth(up) == deepest:
                    found |= self.way(label, up)
        return found

    def absent(self, judged: list[str], present: set[str]) -> set[str]:
        """Return what is judged absent, and families whose children all are."""
        found = set(judged) - present - {self.root}
        for name in sorted(self.counted, key=self.depth, reverse=True):
            children = [child for child in NAMES if name in self.parents[child]]
            if children and set(children) <= found and name not in present:
                found.add(name)
        return found


def ratio(part: int, whole: int) -> float:
    return float(Fraction(part, whole)) if whole else math.nan


def rates(truth: set[str], said: set[str]) -> list[float]:
    hits = len(truth & said)
    return [ratio(hits, len(said)), ratio(hits, len(truth)), ratio(2 * hits, len(said) + len(truth))]


LABELS = st.lists(st.sampled_from([*NAMES, *OUTSIDE]), max_size=4, unique=True)


def found_by_kernels(parents: Parents, pair: Pair) -> tuple[list[float], list[float]]:
    names = [*(f"open-mic-task1/h{which}" for which in "PRF"), *(f"lca/{which}" for which in "PRF")]
    figures = list(values(pair, options(parents, unknown="keep"), names).values())
    return figures[:3], figures[3:]


@given(taxonomies(), LABELS, LABELS)
def test_files_judged_in_whole(parents: dict[str, list[str]], truth: list[str], said: list[str]) -> None:
    tree = Tree(parents)
    extended, ways = found_by_kernels(parents, (listed(truth), listed(said)))
    expected = rates(tree.extended(truth), tree.extended(said))
    assert extended == pytest.approx(expected, abs=1e-12, nan_ok=True)
    expected = rates(tree.ways(truth, said), tree.ways(said, truth))
    assert ways == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(taxonomies(), LABELS, LABELS, st.lists(st.sampled_from([*NAMES, *OUTSIDE]), max_size=8, unique=True))
def test_files_judged_in_part(
    parents: dict[str, list[str]], truth: list[str], said: list[str], judged: list[str]
) -> None:
    tree, judged = Tree(parents), [label for label in judged if label not in truth]
    extended, ways = found_by_kernels(parents, (listed(truth, absent=judged), listed(said)))
    present = tree.extended(truth)
    known = present | tree.absent(judged, present)
    expected = rates(present, tree.extended(said) & known)
    assert extended == pytest.approx(expected, abs=1e-12, nan_ok=True)
    expected = rates(tree.ways(truth, said), tree.ways(said, truth) & (known | {tree.root}))
    assert ways == pytest.approx(expected, abs=1e-12, nan_ok=True)
