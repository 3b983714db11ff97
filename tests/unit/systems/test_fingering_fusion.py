# SPDX-License-Identifier: MIT
"""Fingerings that are fused, against numbers worked out by hand; all pieces are C4, D4, E4, ... ."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import OptionError
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.systems.fingering_fusion import FusedFingering

KEYS = (60, 62, 64, 65, 67, 69)


def piece(*labels: str) -> Fingering:
    onsets = np.arange(len(labels)) / 2
    hands = np.array([LEFT if label.startswith("-") else RIGHT if label else UNKNOWN for label in labels])
    return Fingering(onsets, onsets + 0.4, np.array(KEYS[: len(labels)]), hands, labels)


def fuse(*fingerings: str, **choices: Any) -> kt.Fusion:
    """Fuse fingerings that are written as labels with blanks between them; ``.`` is a note without one."""
    named = {
        f"s{number}": {"piece": piece(*("" if label == "." else label for label in labels.split()))}
        for number, labels in enumerate(fingerings)
    }
    return kt.fuse("fingering", named, **choices)


def labels_of(fusion: kt.Fusion) -> str:
    return " ".join(label or "." for label in fusion.annotations["piece"].labels)


@pytest.mark.parametrize(
    ("sources", "fused"),
    [
        (["1 2 3 1 2"], "1 2 3 1 2"),
        (["1 2 3 1 2", "1 2 3 4 5", "1 3 4_1 1 2"], "1 2 3 1 2"),  # two of three everywhere
        (["1 2 3", "1 2 4", "1 2 4"], "1 2 4"),
        (["1 3 4", "1 2 3"], "1 3 4"),  # a tie: the first source
        (["1 .", "1 2"], "1 2"),
        ([". .", "1 ."], "1 ."),
        (["1 4_1", "1 4"], "1 4_1"),  # a change of finger is the finger that strikes
        (["1 4", "1 4_1"], "1 4"),
        (["-1 2", "-1 2", "3 2"], "-1 2"),
        (["-1", "2", "3"], "2"),  # two of three for the right hand, then the first of these
        # the right hand takes two notes of the second source although the left one takes the first's
        (["-1 2 -2 3", "-1 4 -2 5", "-3 4 -2 5"], "-1 4 -2 5"),
    ],
)
def test_votes_of_sources(sources: list[str], fused: str) -> None:
    assert labels_of(fuse(*sources, copies="keep")) == fused


@pytest.mark.parametrize(("cost", "last"), [(0.5, "5"), (0.3, "2"), (0.0, "2")])
def test_a_change_of_source_has_a_cost(cost: float, last: str) -> None:
    """The first: 2/3 + 2/3 + 2/3 + 1/3 = 7/3; with a change for the last note 8/3 less the cost."""
    fusion = fuse("1 2 3 5", "1 3 4 2", "2 2 3 2", change_cost=cost, copies="keep")
    assert labels_of(fusion) == f"1 2 3 {last}"
    support = fusion.annotations["piece"].support
    assert support.tolist() == pytest.approx([2 / 3, 2 / 3, 2 / 3, 1 / 3 if last == "5" else 2 / 3])


def test_what_the_fusion_tells() -> None:
    fusion = fuse("1 2 3 .", "1 2 4 .", "1 3 4_2 .", copies="keep")
    assert labels_of(fusion) == "1 2 4 ."
    assert fusion.rows["label"].to_list() == ["1", "2", "4"]
    assert fusion.rows["support"].to_list() == pytest.approx([1, 2 / 3, 2 / 3])
    assert fusion.rows["dissent"].to_list() == ["", "3 0.333", "3 0.333"]
    assert fusion.rows["agreeing"].to_list() == [3, 2, 2]
    assert fusion.sources["agreement"].to_list() == pytest.approx([2 / 3, 1.0, 2 / 3])
    assert {name: fusion.overall[name] for name in ("notes", "unanimous", "missing")} == {
        "notes": 3.0,
        "unanimous": pytest.approx(1 / 3),
        "missing": 1.0,
    }
    assert fusion.signature.startswith("fused:vote,keep,0.5|sources:s0,s1,s2|data:")


def test_the_finger_of_a_source_is_of_no_hand_if_it_plays_in_none() -> None:
    song = fuse("1 2", "1 3").annotations["piece"]
    assert isinstance(song, FusedFingering)
    assert song.hands.tolist() == [RIGHT, RIGHT]
    handless = [replace(piece("1", "2"), hands=np.array([UNKNOWN, UNKNOWN])) for _ in range(2)]
    named = {"a": {"piece": handless[0]}, "b": {"piece": handless[1]}}
    assert kt.fuse("fingering", named).annotations["piece"].hands.tolist() == [UNKNOWN, UNKNOWN]


def test_low_support_leaves_notes_open() -> None:
    fusion = fuse("1 2", "1 3", "1 4", least_support=0.5)
    assert labels_of(fusion) == "1 ."
    assert fusion.overall["unknown"] == 1
    assert np.isnan(fusion.annotations["piece"].support).tolist() == [False, True]


def test_other_methods() -> None:
    sources = ("1 2 3 .", "1 2 4 5", "1 3 4 5")
    assert labels_of(fuse(*sources, method="pick")) == "1 2 4 5"  # which agrees most with the others
    assert labels_of(fuse(*sources, method="agreement")) == "1 2 4 5"
    assert labels_of(fuse("1 2 3 .", "5 4 5 .", method="pick")) == "1 2 3 ."
    drawn = {labels_of(fuse("1", "2", method="random", seed=seed)) for seed in range(20)}
    assert drawn == {"1", "2"}
    assert labels_of(fuse("1 2", "3 4", method="random")) == labels_of(fuse("1 2", "3 4", method="random"))


def test_a_source_of_other_notes_abstains() -> None:
    other = replace(piece("5", "5"), pitches=np.array([40, 41]))
    named = {"a": {"piece": piece("1", "2")}, "b": {"piece": other}}
    fusion = kt.fuse("fingering", named)
    assert labels_of(fusion) == "1 2"
    assert fusion.sources["items"].to_list() == [1, 0]
    assert any(problem.severity == "error" for problem in fusion.diagnostics)


def test_weights_and_copies() -> None:
    assert labels_of(fuse("1 2", "1 3", "1 3", copies="keep")) == "1 3"
    assert labels_of(fuse("1 2", "1 3", "1 3")) == "1 2"  # a copy is no second vote, and the first wins a tie
    assert labels_of(fuse("1 2", "1 3", weights={"s1": 2})) == "1 3"
    assert labels_of(fuse("1 2", "1 3", weights={"s0": 0})) == "1 3"


def test_what_fingering_has_not() -> None:
    with pytest.raises(OptionError, match="details are of chords"):
        fuse("1", "2", details="all")
