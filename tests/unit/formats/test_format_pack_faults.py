# SPDX-License-Identifier: MIT
"""Packs that are torn, that lie, or that others wrote; numbers in ids are rows of the table of bad inputs."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import kammerton as kt
from kammerton.chords import TASK
from kammerton.errors import DataError
from kammerton.fingering import TASK as FINGERING
from kammerton.formats.pack_layout import put_seal
from kammerton.formats.packs import open_pack
from kammerton.model.task import Reading
from unit.formats.packing import SONG, pack_of, readings_of, record_of, said_on_opening, signed, songs


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return songs(tmp_path / "x.parquet")


def of(path: Path) -> str:
    (said,) = said_on_opening(path)
    return said


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "KT720 pack cannot be read: no Parquet file: it does not begin with PAR1"),
        (b"0 1 C\n" * 9, "KT720 pack cannot be read: no Parquet file: it does not begin with PAR1"),
        (b"PAR1", "KT720 pack cannot be read: no Parquet file: it does not begin with PAR1"),
        (b"PAR1" + bytes(20), "KT721 pack cannot be read: file ends too early: it has no footer"),
        (b"PAR1\xff\xff\xff\x7fPAR1", "KT721 pack cannot be read: file ends too early: it has no footer"),
        (b"PAR1kammerton\x09\x00\x00\x00PAR1", "KT721 pack is damaged: it is not what was written"),
    ],
    ids=["59-empty", "59-text", "59-magic-only", "59-no-footer", "59-footer-over-the-begin", "59-footer"],
)
def test_what_is_no_parquet_file(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(data)
    assert of(path) == said


def test_a_pack_cut_off_anywhere_is_refused(path: Path) -> None:
    """59: truncated."""
    whole = path.read_bytes()
    for length in range(0, len(whole), 97):
        path.write_bytes(whole[:length])
        assert re.match("KT72[01] pack cannot be read: (no Parquet file|file ends too early)", of(path))


def test_no_byte_of_a_pack_changes_without_notice(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """59: a page flipped. It is refused before anything is decoded."""
    whole = path.read_bytes()
    for at in range(0, len(whole), 41):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        assert of(path).startswith(("KT720 ", "KT721 "))
    assert capfd.readouterr() == ("", "")  # nothing that decodes it says anything


@pytest.mark.parametrize(
    "verb",
    [
        lambda path, _: kt.score("chords", path, {"same": path}),
        lambda path, _: kt.check("chords", path),
        lambda path, out: kt.pack("chords", path, out.with_suffix(".parquet")),
        lambda path, out: kt.convert("chords", path, out, to="lab"),
    ],
    ids=["score", "check", "pack", "convert"],
)
def test_a_torn_pack_is_refused(path: Path, verb: Callable[[Path, Path], object]) -> None:
    data = bytearray(path.read_bytes())
    data[20] ^= 1
    path.write_bytes(data)
    out = path.with_name("out")
    with pytest.raises(DataError, match="KT721 pack is damaged: it is not what was written"):
        verb(path, out)
    assert not out.exists()


def test_more_rows_than_a_file_can_hold(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """60: whoever seals a file may claim any number of rows."""
    monkeypatch.setattr("kammerton.formats.packs._ROWS_PER_BYTE", 0)
    assert of(path) == f"KT722 file of {path.stat().st_size:,} bytes claims 3 rows: over the limit of 0"


def test_a_bomb_of_constants(tmp_path: Path) -> None:
    """60: a million rows of the same in a small file are refused before they are decoded."""
    path = tmp_path / "bomb.parquet"
    frame = pl.select(starts=pl.repeat(0.0, 1_000_000))
    frame.write_parquet(path)
    assert path.stat().st_size < 125_000
    assert of(path) == "KT720 a Parquet file, but no pack of annotations"
    signed(path, frame, {})
    assert re.match(r"KT722 file of [\d,]+ bytes claims 1,000,000 rows: over the limit of [\d,]+$", of(path))


@pytest.mark.parametrize("name", ["x", "kammerton"])
def test_a_table_of_ones_own(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.parquet"
    pl.DataFrame({"start": [0.0], name: ["C"]}).write_parquet(path)
    if name == "x":
        assert of(path) == "KT720 a Parquet file, but no pack of annotations"
        return
    assert of(path) == "KT721 pack is damaged: it is not what was written"
    put_seal(path)
    assert of(path) == "KT721 pack is damaged: its footer cannot be read"


Change = Callable[[pl.DataFrame], pl.DataFrame]


def _cast(column: str, dtype: Any) -> Change:
    return lambda frame: frame.with_columns(pl.col(column).cast(dtype))


TIMES = pl.List(pl.Float64)
DECIMAL = pl.List(pl.Decimal(10, 2))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda frame: frame.drop("starts"), "KT723 pack has no column `starts`"),
        (
            _cast("starts", pl.List(pl.String)),
            "KT723 column `starts` of a pack is of type List(String), not List(Float64)",
        ),
        (
            _cast("ends", pl.List(pl.Duration("ms"))),
            "KT723 column `ends` of a pack is of type List(Duration(time_unit='ms')), not List(Float64)",
        ),
        (
            _cast("starts", DECIMAL),
            f"KT723 column `starts` of a pack is of type {DECIMAL}, not List(Float64)",
        ),
        (
            _cast("ends", pl.List(pl.UInt8)),
            "KT723 column `ends` of a pack is of type List(UInt8), not List(Float64)",
        ),
        (
            lambda frame: frame.with_columns(starts=pl.lit(0.0)),
            "KT723 column `starts` of a pack is of type Float64, not List(Float64)",
        ),
        (
            lambda frame: frame.with_columns(ends=pl.lit([0.0, None], TIMES)),
            "KT723 pack cannot be used: column `ends` has nulls",
        ),
        (
            lambda frame: frame.with_columns(labels=pl.lit(None, frame.schema["labels"])),
            "KT723 pack cannot be used: column `labels` has nulls",
        ),
    ],
    ids=["missing", "61-text", "61-duration", "61-decimal", "61-bytes", "61-flat", "61-null", "61-null-list"],
)
def test_columns_of_other_types(
    path: Path, change: Callable[[pl.DataFrame], pl.DataFrame], said: str
) -> None:
    """61: by whoever wrote the file by other means, with digests that fit."""
    _sign_again(path, change(pl.read_parquet(path)))
    reading = readings_of(path)["0"]
    assert reading.annotations == ()
    assert [f"{each.code} {each.message}" for each in reading.diagnostics] == [said]


def _sign_again(path: Path, frame: pl.DataFrame) -> None:
    """Write a pack by other means."""
    signed(path, frame, {**record_of(path), "blocks": [[len(frame), ""]]})


def test_index_columns_of_other_types(path: Path) -> None:
    _sign_again(path, pl.read_parquet(path).with_columns(pl.col("item").cast(pl.Int64)))
    assert of(path) == "KT723 column `item` of a pack is of type Int64, not String"


@pytest.mark.parametrize("name", ["collection", "item", "first"])
def test_index_columns_with_nulls(path: Path, name: str) -> None:
    frame = pl.read_parquet(path)
    _sign_again(path, frame.with_columns(pl.lit(None, frame.schema[name]).alias(name)))
    assert of(path) == f"KT723 pack cannot be used: column `{name}` has nulls"


@pytest.mark.parametrize("text", ["", "{", "3", '[{"code": 3, "x": 2}]', "[" * 100_000])
def test_what_was_said_cannot_be_read(path: Path, text: str) -> None:
    _sign_again(path, pl.read_parquet(path).with_columns(said=pl.lit(text)))
    (said,) = readings_of(path)["0"].diagnostics
    assert (said.code, said.message) == ("KT721", "pack is damaged: diagnostics of a file cannot be read")


def test_sources_that_cannot_be_used_have_no_file(path: Path) -> None:
    _sign_again(path, pl.read_parquet(path).with_columns(said=pl.lit("{")))
    ((_, source),) = open_pack(path, TASK).sources(0)["0"]
    assert source.file is None


ABOUT = {
    "role": "",
    "name": "x",
    "origin": "",
    "single": False,
    "broken": {},
    "written": {},
    "diagnostics": [],
}


def test_packs_of_other_tasks(path: Path) -> None:
    with pytest.raises(DataError, match="KT724 pack of chords, not of fingering"):
        open_pack(path, FINGERING)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 2}, "KT725 pack of form 2, written by a later version of Kammerton"),
        ({"kind": "run"}, "KT721 pack is damaged: not the record of a pack"),
        ({"blocks": [[2, ""]]}, "KT721 pack is damaged: rows are missing"),
        ({"blocks": [["many", ""]]}, "KT721 pack is damaged: record is damaged"),
        ({"blocks": [[4, ""], [-1, ""]]}, "KT721 pack is damaged: record is damaged"),
        ({"blocks": [[True, ""]]}, "KT721 pack is damaged: record is damaged"),
        ({"collections": [{**ABOUT, "role": "judge"}]}, "KT721 pack is damaged: record is damaged"),
        ({"collections": [{**ABOUT, "name": 3}]}, "KT721 pack is damaged: record is damaged"),
        ({"collections": [{**ABOUT, "broken": {"x": None}}]}, "KT721 pack is damaged: record is damaged"),
        ({"collections": [{**ABOUT, "diagnostics": [{}]}]}, "KT721 pack is damaged: record is damaged"),
        ({"collections": [{}]}, "KT721 pack is damaged: record is damaged"),
        ({"collections": 3}, "KT721 pack is damaged: record is damaged"),
        ({"choices": ["lenient"]}, "KT721 pack is damaged: record is damaged"),
    ],
)
def test_records_that_cannot_be_used(path: Path, change: dict[str, Any], said: str) -> None:
    signed(path, pl.read_parquet(path), {**record_of(path), **change})
    assert of(path) == said


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"kind": "kammerton pack", "format": 1}'])
def test_records_that_are_none(path: Path, text: str) -> None:
    pl.read_parquet(path).write_parquet(path, metadata={"kammerton": text})
    put_seal(path)
    assert of(path).startswith("KT721 pack is damaged: ")


def test_unreadable_files(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert of(tmp_path / "none.parquet").startswith("KT101 ")
    assert of(tmp_path).startswith("KT102 ")
    os.mkfifo(tmp_path / "pipe.parquet")
    assert of(tmp_path / "pipe.parquet").startswith("KT102 ")

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("kammerton.formats.packs.check_seal", fail)
    assert of(path) == "KT101 cannot be read: Input/output error"


def test_who_stops_the_program_is_not_told_of_damage(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decoding says that it was interrupted as it says that it cannot go on."""

    def stop(*_: object, **__: object) -> None:
        raise pl.exceptions.PolarsError("__POLARS_ABORT_KEYBOARD_INTERRUPT")

    sources = open_pack(path, TASK).sources(0)
    monkeypatch.setattr(pl.LazyFrame, "collect", stop)
    with pytest.raises(KeyboardInterrupt):
        list(sources)


@pytest.mark.parametrize(
    "change",
    [
        {"starts": [2.0, 0.0]},
        {"ends": [0.5, float("inf")]},
        {"starts": [float("nan"), 2.0]},
        {"starts": [-1.0, 2.0]},
        {"starts": [0.0, 1.0]},
        {"labels": ["C", "nonsense"]},
        {"labels": ["C"]},
    ],
    ids=str,
)
def test_annotations_that_no_file_gives(path: Path, change: dict[str, Any]) -> None:
    frame = pl.read_parquet(path)
    (column, values), *_ = change.items()
    other = pl.lit(values, TIMES if column != "labels" else pl.List(pl.String)).cast(frame.schema[column])
    first = pl.int_range(pl.len()) == 0
    _sign_again(path, frame.with_columns(pl.when(first).then(other).otherwise(column).alias(column)))
    readings = readings_of(path)
    assert [each.code for each in readings["0"].diagnostics] == ["KT726"]
    # lengths that do not fit leave nothing of a block; anything else fails alone
    assert bool(readings["1"].annotations) is (values != ["C"])


def test_a_second_annotator_whom_no_file_gives(tmp_path: Path) -> None:
    path = pack_of(tmp_path / "x.parquet", {"0": Reading((("A", SONG), ("B", SONG)))})
    _sign_again(path, pl.read_parquet(path).with_columns(ends=pl.Series([[2.0, 4.0], [2.0, 1.0]])))
    reading = readings_of(path)["0"]
    assert ([each.code for each in reading.diagnostics], reading.annotations) == (["KT726"], ())


def test_blocks_that_cannot_be_decoded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a page of zstd that is none, of which the checksum is right."""

    def fail(*_: object, **__: object) -> None:
        raise pl.exceptions.ComputeError("corrupt")

    sources = open_pack(path, TASK).sources(0)
    assert list(sources) == ["0", "1", "2"]
    monkeypatch.setattr(pl.LazyFrame, "collect", fail)
    for ((_, source),) in sources.values():
        (said,) = source.read().diagnostics
        assert (said.code, said.message) == ("KT721", "pack is damaged: rows 1 to 3 cannot be decoded")


@pytest.mark.parametrize("rows", [3, 0])
def test_packs_without_their_seal(path: Path, rows: int) -> None:
    """As another program writes it that read it."""
    pl.read_parquet(path).head(rows).write_parquet(path, metadata=pl.read_parquet_metadata(path))
    assert of(path) == "KT721 pack is damaged: it is not what was written"


def test_nothing_at_all(tmp_path: Path) -> None:
    assert said_on_opening(pack_of(tmp_path / "x.parquet", {})) == []
