# SPDX-License-Identifier: MIT
"""Whatever a file holds, reading it gives a reading, and a sound one."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kammerton.formats import (
    IntervalOptions,
    TrackReading,
    intervals_from_arrays,
    parse_intervals,
    read_intervals,
)
from unit.formats.telling import CHORDS

NAMES = ("a.lab", "a.txt", "a.csv", "a.tsv", "a.jams", "a")

options = st.builds(
    IntervalOptions,
    layout=st.sampled_from(["auto", "rows", "durations", "points"]),
    decimal=st.sampled_from([".", ","]),
    overlap=st.sampled_from(["error", "trim"]),
    encoding=st.sampled_from(["utf-8", "latin-1", "utf-16"]),
)

number = st.sampled_from(
    ["0", "1", "2.5", "-1", "1e400", "nan", "1,5", "1_0", "0x1", "١", "3", "4", "1.0000001"]
)
word = number | st.sampled_from(
    [
        "C",
        "D:min7",
        '"',
        '"E"',
        "(",
        "#",
        "\\",
        "start",
        "end",
        "label",
        "time",
        "duration",
        "sep=;",
        "♯",
        "\u00a0",
    ]
)
gap = st.sampled_from([" ", "\t", ",", ";", "\n", "  ", "", "\r"])
wordy = st.lists(st.tuples(word, gap), max_size=40).map(lambda pairs: "".join(map("".join, pairs)))
rowy = st.lists(st.tuples(number, number, word), max_size=9).map(lambda rows: "\n".join(map(" ".join, rows)))

json_number = st.floats() | st.integers()
observation = st.fixed_dictionaries(
    {},
    optional={
        "time": json_number,
        "duration": json_number,
        "value": st.text(max_size=3),
        "confidence": json_number,
    },
)
odd = st.none() | st.booleans() | json_number | st.text(max_size=3)
jams_text = st.builds(
    lambda annotations, metadata, cut: json.dumps({"annotations": annotations, "file_metadata": metadata})[
        : cut or None
    ],
    st.lists(
        st.fixed_dictionaries(
            {"namespace": st.sampled_from(["chord", "beat"])},
            optional={
                "data": st.lists(observation | odd, max_size=4) | odd | observation,
                "annotation_metadata": st.fixed_dictionaries({}, optional={"annotator": observation | odd})
                | odd,
            },
        )
        | odd,
        max_size=3,
    ),
    st.fixed_dictionaries({}, optional={"duration": odd}) | odd,
    st.integers(-5, 0),
)


def check(reading: TrackReading) -> None:
    """A reading has tracks or an error, and tracks keep what the model promises of them."""
    has_error = any(problem.severity == "error" for problem in reading.diagnostics)
    assert has_error == (reading.tracks == ())
    for problem in reading.diagnostics:
        assert problem.concise().isprintable()
        if problem.excerpt is not None and problem.column is not None:
            assert min(problem.column, 201) <= len(problem.excerpt) + 1
    for track in reading.tracks:
        assert len(track.starts) == len(track.ends) == len(track.labels) > 0
        assert np.isfinite(track.ends).all()
        assert (track.starts >= 0).all()
        assert (track.starts <= track.ends).all()
        assert (track.starts[1:] >= track.ends[:-1]).all()
        for row in range(len(track.labels)):
            for field in ("start", "end", "label"):
                assert track.locate(row, field).file


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=60), name=st.sampled_from(NAMES), options=options)
def test_any_bytes(tmp_path: Path, data: bytes, name: str, options: IntervalOptions) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    check(read_intervals(path, options=options, namespaces=CHORDS))


@given(text=st.text(max_size=60) | wordy | rowy, name=st.sampled_from(NAMES), options=options)
def test_any_text(text: str, name: str, options: IntervalOptions) -> None:
    check(parse_intervals(text, name=name, options=options, namespaces=CHORDS))


@given(text=jams_text, options=options)
def test_any_jams(text: str, options: IntervalOptions) -> None:
    check(parse_intervals(text, name="a.jams", options=options, namespaces=CHORDS))


@given(
    rows=st.lists(
        st.tuples(st.floats(-1, 5) | st.floats(), st.floats(-1, 5), st.sampled_from("CD")), max_size=6
    ),
    overlap=st.sampled_from(["error", "trim"]),
)
def test_any_arrays(rows: list[tuple[float, float, str]], overlap: str) -> None:
    options = IntervalOptions(overlap=overlap)  # type: ignore[arg-type]
    intervals = [row[:2] for row in rows]
    check(intervals_from_arrays(intervals, [row[2] for row in rows], name="song", options=options))


@pytest.mark.parametrize("name", NAMES)
def test_order_of_rows_does_not_matter(name: str) -> None:
    lines = [f"{start} {start + 1} {'CDEF'[start % 4]}" for start in range(12)]
    (forward,) = parse_intervals("\n".join(lines), name=name.replace("jams", "lab")).tracks
    (backward,) = parse_intervals("\n".join(reversed(lines)), name=name.replace("jams", "lab")).tracks
    assert forward.labels == backward.labels
    assert forward.starts.tolist() == backward.starts.tolist()
