# SPDX-License-Identifier: MIT
import pickle
from typing import Any

import pytest

from kammerton.errors import OptionError
from kammerton.formats import IntervalOptions, Limits

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "encoding": ({"encoding": "utf-99"}, "unknown encoding `utf-99`"),
    "encoding with a NUL": ({"encoding": "a\0b"}, r"unknown encoding `a\x00b`"),
    "codec of bytes": ({"encoding": "hex"}, "unknown encoding `hex`"),
    "codec of text": ({"encoding": "rot13"}, "unknown encoding `rot13`"),
    "escapes": ({"encoding": "unicode_escape"}, "`unicode_escape` is not an encoding of files"),
    "layout": ({"layout": "row"}, "unknown layout `row`"),
    "decimal": ({"decimal": ";"}, "unknown decimal mark `;`"),
    "overlap": ({"overlap": "cut"}, "unknown way with overlaps `cut`"),
    "column": ({"columns": {"von": "begin"}}, "unknown column `begin`"),
}


@pytest.mark.parametrize(("options", "message"), REFUSED.values(), ids=REFUSED)
def test_refuses_what_it_does_not_know(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        IntervalOptions(**options)
    assert caught.value.message == message
    assert caught.value.hint


def test_near_names_are_suggested() -> None:
    with pytest.raises(OptionError, match="did you mean `durations`"):
        IntervalOptions(layout="duration")  # type: ignore[arg-type]


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1252", "mac-roman", "utf-16", "shift_jis"])
def test_encodings_of_files(encoding: str) -> None:
    assert IntervalOptions(encoding=encoding).encoding == encoding


def test_options_travel_to_other_processes() -> None:
    options = IntervalOptions(columns={"von": "start"}, limits=Limits(rows=3))
    assert pickle.loads(pickle.dumps(options)) == options


def test_budgets_have_the_documented_size() -> None:
    assert Limits() == Limits(bytes=67_108_864, rows=1_000_000, line=1_048_576, label=4_096, depth=64)
