# SPDX-License-Identifier: MIT
"""Files as they lie on disk: which reader they get, how they are encoded, what hostile ones do."""

import codecs
import json
import os
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import effort
from kammerton.formats import Limits
from kammerton.instruments.labels import item_names
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.reading import SUFFIXES, adopt, read_instruments, unfold
from unit.instruments.listing import items, only, read, sheet, told, write

TABLE = "file,instrument\na,Bl\xe4ser\nb,F\n"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", "F\t\n", "{F}"),
        ("a.csv", "instrument\nF\n", "{F}"),
        ("a.json", '["F"]', "<F>"),
        ("a", '["F"]', "<F>"),
        (
            "a.JAMS",
            '{"annotations": [{"namespace": "tag_open", "data": [{"value": "F", "confidence": 1}]}]}',
            "<F=1>",
        ),
        ("a.yaml", "stems: {S01: {instrument: F}}", "{F}"),
        ("a.YML", "stems: {S01: {instrument: F}}", "{F}"),
    ],
)
def test_files_of_one_item(tmp_path: Path, name: str, content: str, expected: str) -> None:
    path = write(tmp_path, name, content)
    assert unfold(path) is None
    assert only(read_instruments(path)) == expected


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("s.csv", "file,instrument\na,F\n", "{F}"),
        ("s.txt", "file\tinstrument\na\tF\n", "{F}"),
        ("s.csv", "file,F\na,1\n", "{F}"),
        ("s.json", '{"a": ["F"]}', "<F>"),
        ("s.tsv", "TRACK_ID\tTAGS\na\tinstrument---F\n", "{F}"),
        ("s.qrels", "a 0 F 1\n", "q{F:1}"),
        ("s.test", "a Q0 F 1 1.0 x\n", "q<F=1>"),
    ],
)
def test_files_of_many_items(tmp_path: Path, name: str, content: str, expected: str) -> None:
    path = write(tmp_path, name, content)
    found = unfold(path)
    assert found is not None
    assert items(found) == {"a": expected}


def test_a_sheet_of_one_item_may_be_read_as_it_and_one_of_several_may_not(tmp_path: Path) -> None:
    path = write(tmp_path, "s.csv", "file,instrument\na,F\na,E\n")
    assert only(read_instruments(path)) == "{F E}"
    path = write(tmp_path, "s.csv", "file,instrument\na,F\nb,E\n")
    reading = read_instruments(path)
    assert reading.annotations == ()
    assert told(reading.diagnostics) == (
        "error KT623 file of 2 items, where one is expected\n"
        "  help: name the file itself as references or estimates"
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encodings_and_ends_of_lines(tmp_path: Path, encoding: str, end: str) -> None:
    path = write(tmp_path, "s.csv", TABLE.replace("\n", end).encode(encoding))
    chosen = InstrumentOptions(encoding="latin-1" if encoding == "latin-1" else "utf-8")
    found = unfold(path, options=chosen)
    assert found is not None
    assert items(found) == {"a": "{Bl\xe4ser}", "b": "{F}"}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (TABLE.encode("latin-1"), "KT104"),
        (TABLE.encode("utf-16-le"), "KT103"),
        (b"file,instrument\na,F\x00\n", "KT105"),
        (codecs.BOM_UTF16_LE + b"\x00", "KT104"),
        (b"x" * 2000, "KT106"),
        (b"", "KT110"),
    ],
)
def test_bytes_that_are_no_text(tmp_path: Path, content: bytes, code: str) -> None:
    path = write(tmp_path, "s.csv", content)
    options = InstrumentOptions(limits=Limits(bytes=1000))
    assert unfold(path, "s", options) is None
    reading = read_instruments(path, "s", options)
    assert reading.annotations == ()
    assert [(each.code, each.file) for each in reading.diagnostics] == [(code, "s")]


@pytest.mark.parametrize("suffix", sorted(SUFFIXES))
def test_files_that_are_not_there_or_no_files(tmp_path: Path, suffix: str) -> None:
    gone = tmp_path / f"gone{suffix}"
    assert unfold(gone) is None
    assert [each.code for each in read_instruments(gone).diagnostics] == ["KT101"]
    folder = tmp_path / f"folder{suffix}"
    folder.mkdir()
    assert [each.code for each in read_instruments(folder).diagnostics] == ["KT102"]
    pipe = tmp_path / f"pipe{suffix}"
    os.mkfifo(pipe)
    assert unfold(pipe) is None
    assert [each.code for each in read_instruments(pipe).diagnostics] == ["KT102"]


# --- names of items ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ([], []),
        (["a", "b.wav", " c.MP3 "], ["a", "b", "c"]),
        (["x/y/a.wav", "x/y/b.wav"], ["a", "b"]),
        (["x/y/a.wav", "x/z/a.wav"], ["y/a", "z/a"]),
        (["x\\a.wav", "x\\b.wav"], ["a", "b"]),
        (["/x/a.wav", "/x/b.wav"], ["a", "b"]),
        (["/x/a.wav", "x/b.wav"], ["/x/a", "x/b"]),
        (["xy/a.wav", "xz/a.wav"], ["xy/a", "xz/a"]),
        (["x/a.wav", "x/b"], ["x/a", "x/b"]),
        (["a.wav"], ["a"]),
        (["AC/DC"], ["AC/DC"]),
        ([".wav"], [".wav"]),
        (["cafe\u0301.wav"], ["caf\xe9"]),
        (["track_1.5"], ["track_1.5"]),
    ],
)
def test_names_of_items(written: list[str], names: list[str]) -> None:
    assert item_names(written) == names


def test_sheets_pair_with_files_of_a_folder() -> None:
    """A sheet of paths and one of bare names call an item alike."""
    paths = sheet("file,F\ndata/test/track_0.wav,1\ndata/test/track_1.wav,0\n")
    names = sheet('{"track_0": {"F": 1}, "track_1": {"F": 0}}', ".json")
    assert items(paths) == items(names) == {"track_0": "{F}", "track_1": "{}"}


# --- what hostile files do -----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".json", '{"a":' * 300_000),
        (".json", "[" + "9" * 3_000_000 + "]"),
        (".json", '{"a": [' + '"F",' * 50_000 + '"F"]}'),
        (".csv", "file,instrument\n" + "a," * 200_000),
        (".csv", "file,instrument\n" + 'a,"\n' * 30_000),
        (".csv", "file," + ",".join(f"x{n}" for n in range(30_000)) + "\na,1\n"),
        (".txt", "\t" * 500_000),
        (".txt", "F\n" * 50_000),
        (".txt", "1 0 d 1\n" * 30_000),
        (".yaml", "a: " * 100_000),
    ],
)
def test_large_nonsense_is_refused_in_no_time(suffix: str, text: str) -> None:
    spent, reading = effort(lambda: read(text, suffix, taxonomy="campaign-sample"))
    assert spent < 1000
    assert len(reading.diagnostics) <= 50
    assert max(len(each.message) for each in reading.diagnostics) < 300


def test_control_characters_are_shown_and_not_obeyed() -> None:
    reading = read('["\\u001b[31mred"]', ".json", taxonomy="campaign-sample")
    assert reading.diagnostics[0].message == r"taxonomy `campaign-sample` has no `\x1b[31mred`"


LINES = st.lists(
    st.text(st.sampled_from('file,instrument;\t"#ABFZ019.-\n {}[]:\ue000'), max_size=20), max_size=6
).map("\n".join)


@given(
    text=st.one_of(st.text(max_size=60), LINES),
    suffix=st.sampled_from([".csv", ".tsv", ".txt", ".json", ".jams", ".yaml"]),
)
def test_any_text_is_read_or_refused(text: str, suffix: str) -> None:
    for begin in (
        "",
        "file,instrument,score\n",
        "file,A,B\n",
        '{"annotations": ',
        "1 0 d 1\n",
        "1 Q0 d 1 1 x\n",
    ):
        reading = read(begin + text, suffix, taxonomy="campaign-sample")
        refused = any(each.severity == "error" for each in reading.diagnostics)
        assert refused == (not reading.annotations)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text("ABF", max_size=2),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text("ABF.wav", max_size=5), inner, max_size=3)
        ),
        max_leaves=8,
    )
)
def test_any_json_is_read_or_refused(value: object) -> None:
    reading = read(json.dumps(value), ".json", taxonomy="campaign-sample")
    assert any(each.severity == "error" for each in reading.diagnostics) == (not reading.annotations)
    adopted = adopt(value, "song", InstrumentOptions(taxonomy="campaign-sample"))
    assert any(each.severity == "error" for each in adopted.diagnostics) == (not adopted.annotations)


@pytest.mark.slow
def test_the_time_for_a_sheet_grows_with_its_rows(tmp_path: Path) -> None:
    rng = random.Random(3)
    labels = [f"instrument {number}" for number in range(20)]
    rows = [
        f"track{item}.wav,{label},{rng.random():.4f}\n"
        for item in range(20_000)
        for label in rng.sample(labels, 5)
    ]
    path = write(tmp_path, "s.csv", "file,instrument,score\n" + "".join(rows))
    spent, found = effort(lambda: unfold(path))
    assert spent < 400
    assert found is not None
    assert len(found.items) == 20_000
    assert found.diagnostics == ()
    ((_, first),) = found.items["track0"]
    assert list(first.scores) == sorted((float(row.split(",")[2]) for row in rows[:5]), reverse=True)
