# SPDX-License-Identifier: MIT
"""The task record of fingering: what is told apart, what is matched, what says nothing."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from kammerton.fingering import TASK, Fingering, FingeringOptions

OPTIONS = FingeringOptions()
SCALE = Fingering(
    np.array([0.0, 1.0, 2.0]),
    np.array([1.0, 2.0, 3.0]),
    np.array([60, 62, 64]),
    np.array([0, 0, 0]),
    ("1", "2", "4_3"),
)


@pytest.mark.parametrize(
    "changes",
    [
        {"onsets": np.array([0.0, 1.0, 2.5])},
        {"offsets": np.array([1.0, 2.0, 3.5])},
        {"pitches": np.array([60, 62, 65])},
        {"hands": np.array([0, 0, -1])},
        {"labels": ("1", "2", "4")},
        {"labels": ("1", "24", "_3")},
    ],
)
def test_content_tells_every_field(changes: dict[str, object]) -> None:
    changed = replace(SCALE, **changes)  # type: ignore[arg-type]
    assert TASK.content(changed) != TASK.content(SCALE)
    assert TASK.content(replace(SCALE)) == TASK.content(SCALE)


def test_extent_is_the_last_end() -> None:
    held = replace(SCALE, offsets=np.array([9.0, 2.0, 3.0]))
    assert (TASK.extent(SCALE), TASK.extent(held)) == (3.0, 9.0)


def matched(other: Fingering, tolerance_s: float = 0.05) -> tuple[Fingering | None, list[str]]:
    assert TASK.match is not None
    found, said = TASK.match(SCALE, other, FingeringOptions(tolerance_s=tolerance_s))
    return found, [each.code for each in said]


def test_another_order_is_brought_to_that_of_the_reference() -> None:
    order = [2, 0, 1]
    other = Fingering(
        SCALE.onsets[order] + 0.02,
        SCALE.offsets[order],
        SCALE.pitches[order],
        np.array([1, 0, 0]),
        ("-5", "1", "2"),
    )
    found, said = matched(other)
    assert said == []
    assert found is not None
    assert found.labels == ("1", "2", "-5")
    assert found.hands.tolist() == [0, 0, 1]
    assert found.onsets.tolist() == SCALE.onsets.tolist()  # of the reference
    assert matched(other, tolerance_s=0.01)[0] is None


def test_notes_that_are_not_there_have_no_finger() -> None:
    count = 40
    times = np.arange(float(count))
    scale = Fingering(times, times + 1, np.arange(40, 40 + count), np.zeros(count, dtype=int), ("1",) * count)
    onsets, offsets, pitches, hands = scale.onsets[1:], scale.offsets[1:], scale.pitches[1:], scale.hands[1:]
    lacking = Fingering(onsets, offsets, pitches, hands, ("2",) * 39)
    for reference, other, labels, code in (
        (scale, lacking, ("", *("2",) * 39), "KT372"),
        (lacking, scale, ("1",) * 39, "KT371"),
    ):
        assert TASK.match is not None
        found, said = TASK.match(reference, other, OPTIONS)
        assert found is not None
        assert found.labels == labels
        assert [each.code for each in said] == [code]


def test_playability_alone_knows_labels_that_nothing_else_has_looked_at() -> None:
    """In a process of its own, since labels are numbered once for all."""
    code = (
        "import kammerton as kt\n"
        "notes = {'onsets': [0, 1], 'offsets': [1, 2], 'pitches': [60, 67], 'fingers': ['R2', 'R2']}\n"
        "scores = kt.score('fingering', {'a': notes}, {'mine': {'a': notes}}, protocols=['playability'])\n"
        "print(scores.value('ifr_melodic'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1.0\n"
