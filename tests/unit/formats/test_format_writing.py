# SPDX-License-Identifier: MIT
import json
from collections.abc import Callable
from itertools import pairwise
from textwrap import dedent

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kammerton.errors import DataError
from kammerton.formats import (
    intervals_from_arrays,
    parse_intervals,
    render_audacity,
    render_csv,
    render_jams,
    render_lab,
)
from kammerton.model.annotations import LabelledIntervals, Place


def track(*rows: tuple[float, float, str], annotator: str | None = None) -> LabelledIntervals:
    return LabelledIntervals(
        np.array([row[0] for row in rows], float),
        np.array([row[1] for row in rows], float),
        [row[2] for row in rows],
        lambda row, _: Place("song", row=row),
        annotator,
    )


def rows(found: LabelledIntervals) -> list[tuple[float, float, str]]:
    return list(zip(found.starts.tolist(), found.ends.tolist(), found.labels, strict=True))


CD = track((0, 0.1, "C"), (0.1, 0.3, 'D, "x" y'))


def test_lab() -> None:
    assert render_lab(CD) == '0.0\t0.1\tC\n0.1\t0.3\tD, "x" y\n'


def test_audacity() -> None:
    assert render_audacity(CD) == '0.0\t0.1\tC\n0.1\t0.3\tD, "x" y\n'


def test_csv() -> None:
    assert render_csv(CD) == 'start,end,label\n0.0,0.1,C\n0.1,0.3,"D, ""x"" y"\n'


def test_jams() -> None:
    text = render_jams([CD, track((1, 2, "♯"), annotator="Adá")], namespace="chord")
    assert text == dedent("""\
        {
        "file_metadata": {"identifiers": {}, "jams_version": "0.3.4", "duration": 2.0},
        "annotations": [
        {"namespace": "chord", "annotation_metadata": {}, "data": [
        {"time": 0.0, "duration": 0.1, "value": "C", "confidence": null},
        {"time": 0.1, "duration": 0.19999999999999998, "value": "D, \\"x\\" y", "confidence": null}
        ], "time": 0, "duration": 2.0, "sandbox": {}},
        {"namespace": "chord", "annotation_metadata": {"annotator": {"name": "Adá"}}, "data": [
        {"time": 1.0, "duration": 1.0, "value": "♯", "confidence": null}
        ], "time": 0, "duration": 2.0, "sandbox": {}}
        ],
        "sandbox": {}
        }
        """)


def test_jams_without_rows() -> None:
    assert json.loads(render_jams([], namespace="chord"))["file_metadata"]["duration"] == 0
    assert json.loads(render_jams([track()], namespace="chord"))["annotations"][0]["data"] == []


UNWRITABLE = {
    "empty": ("", "KT151 row index 0: label cannot be written as .lab, it is empty: ``"),
    "blanks": ("C ", "KT151 row index 0: label cannot be written as .lab, it has blanks around it: `C `"),
    "tab": ("C\tD", r"KT151 row index 0: label cannot be written as .lab, it has a tab: `C\x09D`"),
    "newline": ("C\nD", r"KT151 row index 0: label cannot be written as .lab, it has a line end: `C\x0aD`"),
    "return": ("C\rD", r"KT151 row index 0: label cannot be written as .lab, it has a line end: `C\x0dD`"),
    "NUL": ("C\0", r"KT151 row index 0: label cannot be written as .lab, it has a NUL: `C\x00`"),
    "surrogate": (
        "C\ud800",
        r"KT151 row index 0: label cannot be written as .lab, half a surrogate pair: `C\ud800`",
    ),
}


@pytest.mark.parametrize(("label", "message"), UNWRITABLE.values(), ids=UNWRITABLE)
def test_labels_that_would_not_come_back(label: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        render_lab(track((0, 1, label)))
    (problem,) = caught.value.diagnostics
    assert problem.concise() == f"song: {message}"
    assert problem.hint == "JAMS can hold any text"


def test_other_forms_refuse_under_their_name() -> None:
    with pytest.raises(DataError, match="as an Audacity label track, it has a tab"):
        render_audacity(track((0, 1, "C\tD")))
    with pytest.raises(DataError, match="as CSV, it has a line end"):
        render_csv(track((0, 1, "C\nD")))
    with pytest.raises(DataError, match="as JAMS, half a surrogate pair"):
        render_jams([track((0, 1, "\udfff"))], namespace="chord")
    assert render_csv(track((0, 1, "C\tD"))) == "start,end,label\n0.0,1.0,C\tD\n"


# --- what is written comes back to the bit ------------------------------------------------------------------

times = st.lists(
    st.floats(0, 1e5) | st.decimals(0, 1000, places=3).map(float), min_size=2, max_size=12, unique=True
).map(sorted)
any_label = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
plain_label = any_label.filter(
    lambda label: label != "" and label == label.strip(" \t") and not set("\n\r\t\0") & set(label)
)


@st.composite
def tracks(draw: st.DrawFn, labels: st.SearchStrategy[str]) -> LabelledIntervals:
    """Rows that touch, and rows with gaps between."""
    boundaries = draw(times)
    made = [(begin, end, draw(labels)) for begin, end in pairwise(boundaries)]
    kept = [row for row in made if draw(st.booleans())]
    return track(*(kept or made))


# no double is the difference of these two: the sum is 1.0000000000000002 only as a decimal number
AWKWARD = track((2**-53, 1 + 2**-52, "C"))


@pytest.mark.parametrize(
    ("render", "name"),
    [(render_lab, "a.lab"), (render_audacity, "a.txt"), (render_csv, "a.csv")],
    ids=["lab", "audacity", "csv"],
)
@given(written=tracks(plain_label))
@example(written=AWKWARD)
@example(
    written=track((0, 1, "#"), (1, 2, "\\"), (2, 3, '"'), (3, 4, "a,b;c"), (4, 5, "\u00a0 \x1c\x85\u2028"))
)
def test_text_comes_back(
    render: Callable[[LabelledIntervals], str], name: str, written: LabelledIntervals
) -> None:
    reading = parse_intervals(render(written), name=name)
    assert [problem.code for problem in reading.diagnostics] == []
    assert rows(reading.tracks[0]) == rows(written)


@given(written=st.lists(tracks(any_label), min_size=1, max_size=3))
@example(written=[AWKWARD])
def test_jams_comes_back(written: list[LabelledIntervals]) -> None:
    text = render_jams(written, namespace="chord").replace("\r", "\n")
    reading = parse_intervals(text, name="a.jams", namespaces=("chord",))
    assert [problem.code for problem in reading.diagnostics] == []
    assert [rows(found) for found in reading.tracks] == [rows(one) for one in written]


@given(written=tracks(any_label))
def test_durations_of_jams_add_up_for_other_readers_too(written: LabelledIntervals) -> None:
    (annotation,) = json.loads(render_jams([written], namespace="chord"))["annotations"]
    ends = [row["time"] + row["duration"] for row in annotation["data"]]
    assert ends == pytest.approx(written.ends, rel=3e-16, abs=0)


def test_durations_of_jams_add_up_to_the_bit_for_times_of_recordings() -> None:
    # 0.441179138 + 1.2770975056666659 is 1.7182766436666659 only as doubles, 0.1 + 3.2 is 3.3 in both
    rows = [(0.1, 3.3, "A"), (137.322811791, 147.446712018, "B"), (0.441179138, 1.7182766436666659, "C")]
    for row in rows:
        (annotation,) = json.loads(render_jams([track(row)], namespace="chord"))["annotations"]
        (data,) = annotation["data"]
        assert data["time"] + data["duration"] == row[1]


@given(written=tracks(plain_label))
def test_all_forms_mean_the_same_as_arrays(written: LabelledIntervals) -> None:
    arrays = np.stack([written.starts, written.ends], axis=1)
    (track_of_arrays,) = intervals_from_arrays(arrays, written.labels, name="song").tracks
    assert rows(track_of_arrays) == rows(written)
