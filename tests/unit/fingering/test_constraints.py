# SPDX-License-Identifier: MIT
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kammerton.errors import DataError, OptionError
from kammerton.fingering.judging import PAIRS, Profile, limits_of
from kammerton.fingering.metrics import BiomechanicalConstraints

RIGHT_PAIRS = {
    "beginner": (8, 8, 9, 9, 4, 5, 7, 3, 4, 4),
    "intermediate": (10, 11, 12, 12, 5, 7, 9, 4, 6, 5),
    "advanced": (12, 13, 14, 14, 6, 8, 10, 4, 7, 6),
}


def rules(fingers: Any, pitches: Any, hands: Any = "R", **options: Any) -> list[tuple[int, str]]:
    hands = [hands] * len(fingers) if isinstance(hands, str) else hands
    found = BiomechanicalConstraints(**options).validate_sequence(fingers, pitches, hands)
    return [(violation.note_index, violation.rule) for violation in found]


# --- the document ----------------------------------------------------------------------------


def test_the_snippet_of_the_protocol_document() -> None:
    fingers, pitches, hands = [1, 2, 3, 1, 3, 3], [60, 62, 64, 65, 72, 76], ["R"] * 6
    constraints = BiomechanicalConstraints()
    violations = constraints.validate_sequence(fingers, pitches, hands)
    ifr = len(violations) / max(1, len(fingers) - 1)
    assert ifr == 1 / 5
    (violation,) = violations
    assert violation.note_index == 5
    assert violation.rule == "same_finger"
    assert violation.severity == pytest.approx(4 / 12)
    assert violation.hand == "right"
    assert violation.description == "finger 3 goes 4 semitones to another key"


@pytest.mark.parametrize("level", RIGHT_PAIRS)
@pytest.mark.parametrize("hand", ["R", "L"])
def test_stretches_by_skill(level: Any, hand: str) -> None:
    sign = 1 if hand == "R" else -1
    for (low, high), most in zip(PAIRS, RIGHT_PAIRS[level], strict=True):
        for fingers, way in (((low, high), sign), ((high, low), -sign)):
            at = rules(fingers, (60, 60 + way * most), hand, skill_level=level)
            over = rules(fingers, (60, 60 + way * (most + 1)), hand, skill_level=level)
            assert (at, over) == ([], [(1, "stretch")]), (low, high)


@pytest.mark.parametrize(
    ("fingers", "least"),
    [((2, 1), 5), ((3, 1), 4), ((4, 1), 3), ((5, 1), 0), ((3, 2), 0), ((5, 4), 0)],
)
def test_crossings(fingers: tuple[int, int], least: int) -> None:
    # the lower finger lands above the higher one; and back again
    for skill in ("beginner", "advanced"):  # minima do not scale
        legal = rules(fingers, (60, 60 + least), skill_level=skill)
        beyond = rules(fingers, (60, 61 + least), skill_level=skill)
        back = rules(fingers[::-1], (61 + least, 60), skill_level=skill)
        assert (legal, beyond, back) == ([], [(1, "crossing")], [(1, "crossing")])
    assert rules(fingers, (60, 59 - least), "L") == [(1, "crossing")]


@pytest.mark.parametrize(
    ("fingers", "pitches", "severity", "description"),
    [
        ((2, 3), (60, 66), 1 / 12, "fingers 2 and 3 span at most 5 semitones, not 6"),
        ((1, 5), (30, 90), 1.0, "fingers 1 and 5 span at most 12 semitones, not 60"),
        ((5, 5), (60, 75), 1.0, "finger 5 goes 15 semitones to another key"),
        ((3, 4), (62, 60), 1.0, "fingers 3 and 4 may not cross at all: 2 semitones"),
        ((1, 4), (64, 60), 1.0, "fingers 1 and 4 may not cross by more than 3: 4 semitones"),
    ],
)
def test_severity(
    fingers: tuple[int, int], pitches: tuple[int, int], severity: float, description: str
) -> None:
    (violation,) = BiomechanicalConstraints().validate_sequence(fingers, pitches, ("R", "R"))
    assert violation.severity == pytest.approx(severity)
    assert violation.description == description


def test_other_profiles_have_least_spans() -> None:
    constraints = BiomechanicalConstraints("parncutt1997")
    (violation,) = constraints.validate_sequence([2, 5], [60, 61], ["R", "R"])
    assert violation.rule == "stretch"
    assert violation.severity == pytest.approx(1 / 12)
    assert violation.description == "fingers 2 and 5 span at least 2 semitones, not 1"
    # E to A: 5 semitones, and one imaginary black key
    constraints = BiomechanicalConstraints("balliauw2017-M", "beginner")
    (violation,) = constraints.validate_sequence([2, 3], [64, 69], ["R", "R"])
    assert violation.description == "fingers 2 and 3 span at most 5 steps, not 6"
    own = Profile("own", "me", ((1, 3),) * 10)
    assert rules([1, 2], [60, 64], profile=own) == [(1, "stretch")]


# --- hands -----------------------------------------------------------------------------------


def test_each_hand_by_itself_in_the_order_given() -> None:
    # I15
    assert rules([1, 5, 2, 4], [72, 36, 74, 38], ["R", "L", "R", "L"]) == []
    # the right hand goes from note 0 to note 2
    found = BiomechanicalConstraints().validate_sequence([1, 5, 2], [60, 36, 74], ["R", "L", "R"])
    assert [(violation.note_index, violation.hand) for violation in found] == [(2, "right")]


def test_a_note_without_finger_breaks_the_line() -> None:
    assert rules([3, None, 4], [64, 63, 62], ["R", "R", "R"]) == []
    assert rules([3, 0, 4], [64, 63, 62], ["R", "L", "R"]) == [(2, "crossing")]
    assert rules([3, 0, 4], [64, 63, 62], ["R", None, "R"]) == []


# --- valid fingers and corrections -----------------------------------------------------------

fingers = st.integers(1, 5)
pitches = st.integers(48, 72)
hands = st.sampled_from(["R", "L", None])


def test_valid_fingers_by_sign() -> None:
    constraints = BiomechanicalConstraints()
    assert constraints.valid_fingers(-3, 60, 62) == constraints.valid_fingers(3, 60, 62, "L") == [1, 2, 3]
    with pytest.raises(OptionError, match="no finger to go on from"):
        constraints.valid_fingers(0, 60, 62)
    with pytest.raises(DataError, match="KT382"):
        constraints.valid_fingers(1, 60, 200)


@given(st.lists(st.tuples(fingers, pitches, hands.filter(bool)), min_size=1, max_size=6), st.data())
def test_corrections_agree(notes: list[tuple[int, int, str]], data: st.DataObject) -> None:
    numbers, keys, of_hand = (list(column) for column in zip(*notes, strict=True))
    index = data.draw(st.integers(0, len(notes) - 1))
    constraints = BiomechanicalConstraints()
    following = next((n for n in range(index + 1, len(notes)) if of_hand[n] == of_hand[index]), index)

    def is_clean(finger: int) -> bool:
        changed = [*numbers[:index], finger, *numbers[index + 1 :]]
        found = constraints.validate_sequence(changed, keys, of_hand)
        return not {violation.note_index for violation in found} & {index, following}

    suggestion = constraints.suggest_correction(numbers, keys, index, of_hand)
    clean = [finger for finger in range(1, 6) if is_clean(finger)]
    if suggestion is None:
        assert not clean
    else:
        assert suggestion in clean


def test_corrections_go_to_the_nearest_finger_that_does_not_slide() -> None:
    constraints = BiomechanicalConstraints()
    # 3 would do, sliding from E to D
    assert constraints.suggest_correction([3, 4], [64, 62], 1, ["R", "R"]) == 2
    assert constraints.suggest_correction([1, 5], [60, 72], 1, ["R", "R"]) == 5
    assert constraints.suggest_correction([1, 2], [60, 71], 1, ["R", "R"]) == 3
    # 2 cannot reach the tenth above, and the thumb only slides
    assert constraints.suggest_correction([1, 2, 5], [60, 62, 74], 1, ["R", "R", "R"]) == 1


def test_corrections_keep_the_sign() -> None:
    constraints = BiomechanicalConstraints()
    assert constraints.suggest_correction([-3, -4], [60, 62], 1) == -2
    assert constraints.suggest_correction([1, 1], [30, 90], 1, ["R", "R"]) is None
    with pytest.raises(OptionError, match="no note 2 among 2"):
        constraints.suggest_correction([1, 1], [30, 90], 2, ["R", "R"])


# --- arguments -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (([1, 2], [60]), "KT380", "fingers has 2 notes, but pitches has 1"),
        (([1, 2], [60, 62], ["R"]), "KT380", "fingers has 2 notes, but hands has 1"),
        (([1, 6], [60, 62]), "KT381", "fingers[1] is not a finger: `6`"),
        (([1, 1.5], [60, 62]), "KT381", "fingers[1] is not a finger: `1.5`"),
        (([1, True], [60, 62]), "KT381", "fingers[1] is not a finger: `True`"),
        (([1, "2"], [60, 62]), "KT381", "fingers[1] is not a finger: `'2'`"),
        (("12", [60, 62]), "KT381", "fingers must be a sequence, not str"),
        ((7, [60, 62]), "KT381", "fingers must be a sequence, not int"),
        (
            (np.ones((2, 2), dtype=int), [60, 62]),
            "KT381",
            "fingers must have one dimension, not shape (2, 2)",
        ),
        (([1, 2], [60, 128]), "KT382", "pitches[1] is not a MIDI number: `128`"),
        (([1, 2], [60, 61.5]), "KT382", "pitches[1] is not a MIDI number: `61.5`"),
        (([1, 2], [60, 62], ["R", "X"]), "KT383", "hands[1] is not a hand: `'X'`"),
        (([1, 2], [60, 62], [0, 2]), "KT383", "hands[1] is not a hand: `2`"),
        (([1, 2], [60, 62], [0, True]), "KT383", "hands[1] is not a hand: `True`"),
        (([1, 2], [60, 62], [0, 1.0]), "KT383", "hands[1] is not a hand: `1.0`"),
    ],
)
def test_arguments(arguments: Any, code: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        BiomechanicalConstraints().validate_sequence(*arguments)
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == (code, message)


def test_options() -> None:
    with pytest.raises(OptionError, match="did you mean `beginner`"):
        BiomechanicalConstraints(skill_level="begginer")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="unknown profile"):
        BiomechanicalConstraints("nobody")
    assert limits_of("pianovam", strict=True).slide == 0
