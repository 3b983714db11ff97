# SPDX-License-Identifier: MIT
"""Practice material: fingers as books of scales have them, and as hands can play them."""

import pytest

import kammerton as kt
from kammerton.systems.practice import practice_pieces

PIECES = practice_pieces()


@pytest.mark.parametrize(
    ("piece", "right", "left"),
    [
        ("C major scale", "1 2 3 1 2 3 4 1 2 3 1 2 3 4 5", "5 4 3 2 1 3 2 1 4 3 2 1 3 2 1"),
        ("F major scale", "1 2 3 4 1 2 3 1 2 3 4 1 2 3 4", "5 4 3 2 1 3 2 1 4 3 2 1 3 2 1"),
        ("B major scale", "1 2 3 1 2 3 4 1 2 3 1 2 3 4 5", "4 3 2 1 4 3 2 1 3 2 1 4 3 2 1"),
        ("Db major scale", "2 3 1 2 3 4 1 2 3 1 2 3 4 1 2", "3 2 1 4 3 2 1 3 2 1 4 3 2 1 3"),
        ("Gb minor scale", "3 4 1 2 3 1 2 3 4 1 2 3 1 2 3", "4 3 2 1 3 2 1 4 3 2 1 3 2 1 4"),
        ("C major arpeggio", "1 2 3 1 2 3 5", "5 4 2 1 4 2 1"),
        ("D major arpeggio", "1 2 3 1 2 3 5", "5 3 2 1 3 2 1"),
        ("Eb major arpeggio", "4 1 2 4 1 2 4", "2 1 4 2 1 4 2"),
    ],
)
def test_fingers_are_those_of_books(piece: str, right: str, left: str) -> None:
    labels = PIECES[piece].labels
    for hand, fingers in ((labels[::2], right), (labels[1::2], left)):
        up = [label.removeprefix("-") for label in hand]
        assert up[: len(up) // 2 + 1] == fingers.split()
        assert up == up[::-1]  # and down by the same


def test_each_thumb_lies_on_the_right_key() -> None:
    """No scale but one on black keys alone has a thumb on a black key: that is what their fingers are for."""
    for name, piece in PIECES.items():
        if name.endswith("scale"):
            thumbs = {key % 12 for key, label in zip(piece.pitches.tolist(), piece.labels, strict=True)
                      if label.removeprefix("-") == "1"}  # fmt: skip
            assert not thumbs & {1, 3, 6, 8, 10}, name


def test_every_hand_can_play_the_scales() -> None:
    scales = {name: piece for name, piece in PIECES.items() if name.endswith("scale")}
    scores = kt.score("fingering", None, {"books": scales}, ci=None, protocols=["playability"])
    assert scores.value("ifr_melodic") == 0.0


def test_what_is_learned_from_most_keys_holds_in_others() -> None:
    splits = {item: "test" if number % 4 == 3 else "train" for number, item in enumerate(PIECES)}
    model = kt.train("fingering", PIECES, "hmm2", splits=splits)
    tests = {item: piece for item, piece in PIECES.items() if splits[item] == "test"}
    learned = kt.annotate("fingering", tests, "hmm2", model=model)
    scores = kt.score("fingering", tests, {"learned": learned, "constant": kt.annotate(
        "fingering", tests, "baseline:always-3")}, ci=None, measures=["nakamura2020/M_gen"])  # fmt: skip
    rates = {row["system"]: row["value"] for row in scores.summary.to_dicts() if row["measure"] == "M_gen"}
    assert rates["learned"] > 0.5 > rates["constant"]
