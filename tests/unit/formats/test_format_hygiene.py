# SPDX-License-Identifier: MIT
"""Checks of time; numbers in ids are rows of the table of bad inputs."""

from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from kammerton.formats import IntervalOptions, intervals_from_arrays
from unit.formats.telling import parse, rows_of, told

TRIM = "--overlap trim cuts the earlier one where the later one starts"

REPAIRED = {
    "17 row without length": (
        "0 1 C\n1 1 D\n1 2 E\n",
        {},
        [(0.0, 1.0, "C"), (1.0, 1.0, "D"), (1.0, 2.0, "E")],
        "warning 2:3+1 KT125 segment has no length: it starts and ends at 1 s",
    ),
    "17 only a row without length": (
        "2.50 2.5 C\n",
        {},
        [(2.5, 2.5, "C")],
        "warning 1:6+3 KT125 segment has no length: it starts and ends at 2.50 s",
    ),
    "17 several, counted": (
        "0 0 N\n0 1 C\n1 1 D\n1 2 E\n2 2 F\n",
        {},
        [(0.0, 0.0, "N"), (0.0, 1.0, "C"), (1.0, 1.0, "D"), (1.0, 2.0, "E"), (2.0, 2.0, "F")],
        "warning 1:3+1 KT125 segment has no length: it starts and ends at 0 s (3 such rows) (3 in all)",
    ),
    "17 within another, dropped": (
        "0 5 C\n2 2 D\n",
        {},
        [(0.0, 5.0, "C")],
        "warning 2:3+1 KT125 segment has no length: it starts and ends at 2 s",
    ),
    "17 at the start of another, before it": (
        "0 5 C\n0 0 D\n5 5 E\n",
        {},
        [(0.0, 0.0, "D"), (0.0, 5.0, "C"), (5.0, 5.0, "E")],
        "warning 2:3+1 KT125 segment has no length: it starts and ends at 0 s (2 such rows) (2 in all)",
    ),
    "18 overlap of a microsecond": (
        "0 1.000001 C\n1 2 D\n",
        {},
        [(0.0, 1.0, "C"), (1.0, 2.0, "D")],
        "warning 1:3+8 KT127 segment cut where line 2 starts: it went on for 1e-06 s",
    ),
    "18 overlap of a microsecond, late": (
        "1000 2000.000001 C\n2000 3000 D\n",
        {},
        [(1000.0, 2000.0, "C"), (2000.0, 3000.0, "D")],
        "warning 1:6+11 KT127 segment cut where line 2 starts: it went on for 1e-06 s",
    ),
    "18 rounding, counted": (
        "0 1.0000001 C\n1 2.0000002 D\n2 3 E\n",
        {},
        [(0.0, 1.0, "C"), (1.0, 2.0, "D"), (2.0, 3.0, "E")],
        """
        warning 1:3+9 KT127 segment cut where line 2 starts: it went on for 1e-07 s (2 such rows) (2 in all)
        """,
    ),
    "18 overlaps that sums of doubles leave": (
        "0 0.3 C\n0.3 6.985904761400003 D\n6.985904761400000 8.714013605000009 E\n8.714013605 9 F\n",
        {},
        [
            (0.0, 0.3, "C"),
            (0.3, 6.9859047614, "D"),
            (6.9859047614, 8.714013605, "E"),
            (8.714013605, 9.0, "F"),
        ],
        "",
    ),
    "18 a nanosecond says nothing": ("0 1.000000001 C\n1 2 D\n", {}, [(0.0, 1.0, "C"), (1.0, 2.0, "D")], ""),
    "18 two nanoseconds do": (
        "0 1.000000002 C\n1 2 D\n",
        {},
        [(0.0, 1.0, "C"), (1.0, 2.0, "D")],
        "warning 1:3+11 KT127 segment cut where line 2 starts: it went on for 2e-09 s",
    ),
    "15 a start that misses 0 by rounding": (
        "-1e-15 1 C\n1 2 D\n",
        {},
        [(0.0, 1.0, "C"), (1.0, 2.0, "D")],
        "",
    ),
    "16 an end that misses its start by rounding": (
        "0 1 C\n1 0.9999999999999 D\n1 2 E\n",
        {},
        [(0.0, 1.0, "C"), (1.0, 1.0, "D"), (1.0, 2.0, "E")],
        "warning 2:3+15 KT125 segment has no length: it starts and ends at 1 s",
    ),
    "15 a duration that misses 0 by rounding": (
        "0 1 C\n1 -1e-15 D\n1 1 E\n",
        {"layout": "durations"},
        [(0.0, 1.0, "C"), (1.0, 1.0, "D"), (1.0, 2.0, "E")],
        "warning 2:3+6 KT125 segment has no length: it starts and ends at 1 s",
    ),
    "18 rounding beside rows that touch": (
        "0 1 C\n1 2.0000002 D\n2 3 E\n",
        {},
        [(0.0, 1.0, "C"), (1.0, 2.0, "D"), (2.0, 3.0, "E")],
        "warning 2:3+9 KT127 segment cut where line 3 starts: it went on for 2e-07 s",
    ),
    "18 trimmed": (
        "0 1.5 C\n1 2.5 D\n2 3 E\n",
        {"overlap": "trim"},
        [(0.0, 1.0, "C"), (1.0, 2.0, "D"), (2.0, 3.0, "E")],
        """
        warning 1:3+3 KT127 segment cut where line 2 starts: it went on for 0.5 s
        warning 2:3+3 KT127 segment cut where line 3 starts: it went on for 0.5 s
        """,
    ),
    "18 containment, trimmed": (
        "0 9 C\n1 2 D\n3 4 E\n",
        {"overlap": "trim"},
        [(0.0, 1.0, "C"), (1.0, 2.0, "D"), (3.0, 4.0, "E")],
        "warning 1:3+1 KT127 segment cut where line 2 starts: it went on for 8 s",
    ),
    "18 same start, trimmed to nothing": (
        "0 2 C\n0 1 D\n",
        {"overlap": "trim"},
        [(0.0, 1.0, "D")],
        "warning 1:3+1 KT127 segment cut where line 2 starts: it went on for 2 s",
    ),
    "20 unsorted": (
        "1 2 C\n0 1 D\n3 4 E\n2 3 F\n",
        {},
        [(0.0, 1.0, "D"), (1.0, 2.0, "C"), (2.0, 3.0, "F"), (3.0, 4.0, "E")],
        """
        warning 2:1+1 KT128 rows out of order: this one starts before the one above (2 such rows) (2 in all)
        """,
    ),
    "20 identical rows": (
        "0 1 C\n1 2 D\n1 2.0 D\n",
        {},
        [(0.0, 1.0, "C"), (1.0, 2.0, "D")],
        "warning 3:1+1 KT129 row dropped: it repeats line 2",
    ),
    "20 identical rows, counted": (
        "0 1 C\n0 1 C\n0 1 C\n",
        {},
        [(0.0, 1.0, "C")],
        "warning 2:1+1 KT129 row dropped: it repeats line 1 (2 such rows) (2 in all)",
    ),
    "22 samples": (
        "0 123456789 C\n",
        {},
        [(0.0, 123456789.0, "C")],
        """
        warning 1:3+9 KT130 last end is 1.23457e+08 s (34,294 hours): milliseconds or samples?
          help: times are read as seconds
        """,
    ),
    "minus zero": ("1 2 D\n-0 -0.0 C\n", {}, [(0.0, 0.0, "C"), (1.0, 2.0, "D")], None),
}


@pytest.mark.parametrize(("text", "options", "rows", "message"), REPAIRED.values(), ids=REPAIRED)
def test_repairs(
    text: str, options: dict[str, Any], rows: list[tuple[float, float, str]], message: str | None
) -> None:
    reading = parse(text, **options)
    assert rows_of(reading) == rows
    assert not np.signbit(reading.tracks[0].starts).any()
    assert not np.signbit(reading.tracks[0].ends).any()
    if message is not None:
        assert told(reading) == dedent(message).strip()


REFUSED = {
    "16 end before start": (
        "0 20.5 C\n20.500\t19.000\tF:min\n21 22 D\n",
        """
        error 2:8+6 KT124 segment ends before it starts: end `19.000`, start `20.500`
          help: start and end swapped? 1 of 3 rows ends before it starts
        """,
    ),
    "16 durations": (
        "0 1 C\n1 2 C\n3 1 D\n4 2 C\n",
        """
        error 3:3+1 KT124 segment ends before it starts: end `1`, start `3`
          help: looks like start, duration, label: use --layout durations
        error 4:3+1 KT124 segment ends before it starts: end `2`, start `4`
          help: looks like start, duration, label: use --layout durations
        """,
    ),
    "18 overlap": (
        "0 1.000002 C\n1 2 D\n",
        f"""
        error 2:1+1 KT126 segment overlaps the one of line 1 by 2e-06 s
          help: {TRIM}
        """,
    ),
    "18 containment": (
        "0 9 C\n1 2 D\n3 4 E\n",
        f"""
        error 2:1+1 KT126 segment overlaps the one of line 1 by 1 s
          help: {TRIM}
        error 3:1+1 KT126 segment overlaps the one of line 1 by 1 s
          help: {TRIM}
        """,
    ),
    "20 conflicting rows": (
        "0 1 C\n0 1 D\n",
        f"""
        error 2:1+1 KT126 segment overlaps the one of line 1 by 1 s
          help: {TRIM}
        """,
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refuses(text: str, message: str) -> None:
    reading = parse(text)
    assert told(reading) == dedent(message).strip()
    assert reading.tracks == ()


def test_places_follow_their_rows() -> None:
    (track,) = parse("1 2 D\n1 2 D\n0 1 C\n").tracks
    assert [(track.locate(row, "label").line, track.labels[row]) for row in (0, 1)] == [(3, "C"), (1, "D")]


# --- the same checks on arrays ------------------------------------------------------------------------------


def test_arrays_are_checked_and_copied() -> None:
    intervals = np.array([[0.0, 1.0], [1.0, 2.5]])
    reading = intervals_from_arrays(intervals, ("C", "D"), name="song")
    assert reading.diagnostics == ()
    assert rows_of(reading) == [(0.0, 1.0, "C"), (1.0, 2.5, "D")]
    place = reading.tracks[0].locate(1, "label")
    assert (place.file, place.line, place.row, place.token()) == ("song", None, 1, None)
    intervals[:] = 9
    assert reading.tracks[0].starts.tolist() == [0.0, 1.0]


def test_numpy_strings_become_plain() -> None:
    (track,) = intervals_from_arrays([[0, 1]], np.array(["C"]), name="song").tracks  # type: ignore[arg-type]
    assert [type(label) for label in track.labels] == [str]


def test_numbers_of_numpy_may_be_objects() -> None:
    intervals = np.array([[np.float64(0), np.int64(2)], [np.float32(2), 4.0]], dtype=object)
    (track,) = intervals_from_arrays(intervals, ["C", "D"], name="song").tracks
    assert (track.starts.tolist(), track.ends.tolist()) == ([0.0, 2.0], [2.0, 4.0])


def test_a_mask_that_hides_nothing_does_no_harm() -> None:
    intervals = np.ma.array([[0.0, 2.0]])
    assert intervals_from_arrays(intervals, ["C"], name="song").diagnostics == ()


def test_problems_of_arrays_name_rows() -> None:
    reading = intervals_from_arrays([[0, 2], [3, 2], [-1, 1], [1, 4]], list("CDEF"), name="song")
    assert (
        told(reading)
        == dedent(
            f"""
        error KT123 row index 2: negative time: `-1.0`
        error KT124 row index 1: segment ends before it starts: end `2.0`, start `3.0`
          help: start and end swapped? 1 of 4 rows ends before it starts
        error KT126 row index 3: segment overlaps the one of row index 0 by 1 s
          help: {TRIM}
        """
        ).strip()
    )
    assert {problem.file for problem in reading.diagnostics} == {"song"}


def test_arrays_without_length_are_change_points() -> None:
    reading = intervals_from_arrays([[0, 0], [2, 2], [3, 3]], list("CDN"), name="song")
    assert rows_of(reading) == [(0.0, 2.0, "C"), (2.0, 3.0, "D")]
    assert told(reading) == (
        "note KT132 row index 0: read as change points, since no row has a length (3 rows)\n"
        "note KT131 row index 2: last change point has no end, and its label is not used: `N`"
    )
    rows = intervals_from_arrays(
        [[0, 0], [2, 2]], list("CD"), name="song", options=IntervalOptions(layout="rows")
    )
    assert rows_of(rows) == [(0.0, 0.0, "C"), (2.0, 2.0, "D")]


def test_arrays_take_options() -> None:
    reading = intervals_from_arrays(
        [[0, 2], [1, 3]], list("CD"), name="song", options=IntervalOptions(overlap="trim")
    )
    assert rows_of(reading) == [(0.0, 1.0, "C"), (1.0, 3.0, "D")]
    assert (
        told(reading) == "warning KT127 row index 0: segment cut where row index 1 starts: it went on for 1 s"
    )


UNFIT = {
    "shape": ([0, 1], ["C"], "KT114 intervals must have shape (n, 2), not (2,)"),
    "columns": ([[0, 1, 2]], ["C"], "KT114 intervals must have shape (n, 2), not (1, 3)"),
    "length": ([[0, 1]], ["C", "D"], "KT114 1 intervals, but 2 labels"),
    "text": ([["0", "1"]], ["C"], "KT114 intervals must be numbers, not str"),
    "nothing": ([[0, None]], ["C"], "KT114 intervals must be numbers, not NoneType"),
    "truth": ([[False, True]], ["C"], "KT114 intervals must be numbers, not bool"),
    "dates": (
        np.array([["2020", "2021"]], "M8[Y]"),
        ["C"],
        "KT114 intervals must be numbers, not datetime64[Y]",
    ),
    "too large": ([[0, 10**400]], ["C"], "KT114 intervals are too large for times"),
    "ragged": (
        [[0, 1], [2]],
        ["C", "D"],
        "KT114 intervals are not an array of numbers: rows differ in length",
    ),
    "masked": (
        np.ma.masked_greater([[0.0, 1.0], [1.0, 2.0]], 1.5),
        ["C", "D"],
        "KT114 intervals are masked: 1 of 4 values are hidden",
    ),
    "truth in objects": (
        np.array([[True, 2]], dtype=object),
        ["C"],
        "KT114 intervals must be numbers, not bool",
    ),
    "labels without order": ([[0, 1]], {"C"}, "KT114 labels must be a sequence of str, not set"),
    "one label": ([[0, 1]], "C", "KT114 labels must be a sequence of str, not one str"),
    "no label": ([[0, 1]], None, "KT114 labels must be a sequence of str, not NoneType"),
    "label of another type": (
        [[0, 1], [1, 2]],
        ["C", 7],
        "KT114 labels must be str: the one of row index 1 is int",
    ),
    "empty": ([], [], "KT110 no annotation rows"),
    "empty, two columns": (np.empty((0, 2)), [], "KT110 no annotation rows"),
}


@pytest.mark.parametrize(("intervals", "labels", "message"), UNFIT.values(), ids=UNFIT)
def test_arrays_that_do_not_fit(intervals: Any, labels: Any, message: str) -> None:
    reading = intervals_from_arrays(intervals, labels, name="song")
    assert told(reading) == f"error {message}"
    assert reading.tracks == ()


def test_both_arrays_are_reported() -> None:
    reading = intervals_from_arrays([0, 1], "C", name="song")
    assert [problem.code for problem in reading.diagnostics] == ["KT114", "KT114"]
