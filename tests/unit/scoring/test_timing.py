# SPDX-License-Identifier: MIT
"""Phases of a run: each has its own seconds, whatever it stands within."""

from collections.abc import Iterator
from contextlib import suppress

import kammerton as kt
from kammerton.scoring.evaluating import Timing

REF = {"song": ([(0, 2), (2, 4)], ["C", "G:7"])}


def ticking(*moments: float) -> Timing:
    """Return a timing whose clock shows these moments one after the other."""
    shown: Iterator[float] = iter(moments)
    return Timing(lambda: next(shown))


def test_a_phase_within_another_counts_for_itself_alone() -> None:
    timing = ticking(0.0, 1.0, 3.0, 4.0, 8.0, 16.0, 32.0, 64.0)
    with timing.during("scoring"):  # 0 to 16, of which 1 to 3 and 4 to 8 are others'
        with timing.during("collecting"):
            pass
        with timing.during("merging"):
            pass
    with timing.during("collecting"):  # 32 to 64
        pass
    assert timing.seconds == {"collecting": 2 + 32, "merging": 4, "scoring": 16 - 2 - 4}


def test_a_phase_that_failed_took_time_too() -> None:
    timing = ticking(0.0, 2.0)
    with suppress(ZeroDivisionError), timing.during("scoring"):
        _ = 1 / 0
    assert timing.seconds == {"scoring": 2.0}


def test_items_a_second_are_those_that_were_scored() -> None:
    timing = ticking(0.0, 4.0)
    assert timing.rate is None
    with timing.during("scoring"):
        pass
    assert timing.to_dict()["items_per_second"] is None
    timing.items, timing.found = 1000, 9000
    assert timing.to_dict() == {
        "seconds": {"scoring": 4.0},
        "items": 1000,
        "found": 9000,
        "items_per_second": 250.0,
    }


def test_intervals_are_timed_once_they_are_made() -> None:
    scores = kt.score("chords", REF, {"mine": REF}, context=True, group_by="^(.)")
    assert list(scores.timing.seconds) == ["collecting", "scoring", "merging", "context"]
    assert scores.timing.items == 1
    _ = dict(scores.intervals), scores.groups
    made = dict(scores.timing.seconds)
    assert list(made)[4:] == ["intervals", "groups"]
    assert min(made.values()) > 0
    scores.to_dict()
    assert {name: scores.timing.seconds[name] for name in ("intervals", "groups")} == {
        name: made[name] for name in ("intervals", "groups")
    }


def test_there_is_no_phase_of_what_was_not_asked_for() -> None:
    scores = kt.score("chords", REF, {"mine": REF}, ci=None)
    scores.to_dict()
    assert list(scores.timing.seconds) == ["collecting", "scoring", "merging"]
