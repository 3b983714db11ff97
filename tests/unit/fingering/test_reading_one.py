# SPDX-License-Identifier: MIT
"""One fingering, read from a file."""

from pathlib import Path

import pytest

from kammerton.errors import DataError, OptionError
from kammerton.fingering import FingeringOptions, read

HEAD = "onset,offset,pitch,hand,finger,annotator\n"
ANN, BOB = "0,1,60,right,1,Ann\n", "0,1,60,right,2,Bob\n"


def test_one_of_several_annotators(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(HEAD + ANN + BOB)
    assert read(path, annotator="Bob").labels == ("2",)
    with pytest.raises(OptionError, match="unknown annotator `Eve`"):
        read(path, annotator="Eve")
    with pytest.raises(OptionError, match=r"2 annotations in `.*a\.csv`") as raised:
        read(path)
    assert raised.value.hint == "choose an annotator: Ann, Bob"


def test_options_are_those_of_the_task(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("onset,offset,pitch,finger\n0,1,60,7\n")
    assert read(path, options=FingeringOptions(label_encoding="1-10")).labels == (
        "2",
    )  # 6 is the right thumb
    with pytest.raises(DataError, match="KT3"):
        read(path)


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="path must be a path"):
        read(7)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="KT101"):
        read(tmp_path / "none.txt")
