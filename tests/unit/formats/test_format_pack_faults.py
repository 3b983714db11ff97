# SPDX-License-Identifier: MIT
"""Packs that are torn, that lie, or that others wrote; numbers in ids are rows of the table of bad inputs."""

import contextlib
import io
import os
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kammerton as kt
from kammerton.chords import TASK
from kammerton.errors import DataError
from kammerton.fingering import TASK as FINGERING
from kammerton.formats.packs import open_pack
from kammerton.formats.packs.layout import FooterError, contents_of, digest_of, read_footer
from kammerton.formats.packs.packing import Seal, put_seal
from kammerton.model.task import Reading
from unit.formats.packing import SONG, pack_of, readings_of, record_of, said_on_opening, signed, songs

SOURCES = Path(__file__).parents[3] / "src/kammerton"
PAGES = [f"KT72{number}" for number in range(8)]


def test_every_code_has_a_page() -> None:
    used = {code for path in SOURCES.rglob("*.py") for code in re.findall(r'"(KT72\d)"', path.read_text())}
    assert used == set(PAGES)


@pytest.mark.parametrize("code", PAGES)
def test_pages_have_one_form(code: str) -> None:
    page = files("kammerton").joinpath("explanations", f"{code}.md").read_text(encoding="utf-8")
    title, blank, *lines = page.split("\n")
    assert re.fullmatch(rf"# {code} [a-z\d].*[^.]", title, re.IGNORECASE)
    assert blank == ""
    assert 5 <= len(lines) <= 15
    assert max(map(len, lines)) <= 118


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
        (b"PAR1\x01\x01\x00\x00\x00PAR1", "KT721 pack cannot be read: footer is damaged"),
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
    """59: a page flipped. Whatever byte is another, either we tell it, or what is read is the same."""
    whole, expected = path.read_bytes(), _contents(path)
    said = set()
    for at in range(4, len(whole), 41):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        opened = said_on_opening(path)
        if opened:
            said.add(opened[0][:5])
            continue
        found = readings_of(path)
        problems = {each.code for reading in found.values() for each in reading.diagnostics}
        assert problems or _contents(path) == expected
        said |= problems
    assert said - {"KT720"} == {"KT721"}
    assert capfd.readouterr() == ("", "")  # nothing that decodes it says anything


def _contents(path: Path) -> dict[str, Any]:
    return {
        item: [(name, TASK.content(each)) for name, each in reading.annotations]
        for item, reading in readings_of(path).items()
    }


def test_torn_blocks_fail_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """59: what is in sound blocks is used."""
    monkeypatch.setattr("kammerton.formats.packs.packing._ROWS", 1)
    path = songs(tmp_path / "x.parquet", 2)
    record = record_of(path)
    record["blocks"][1][1] = "0" * 64
    signed(path, pl.read_parquet(path), record)
    first, second = readings_of(path).values()
    assert len(first.annotations) == 1
    assert [(each.code, each.message) for each in second.diagnostics] == [
        ("KT721", "pack is damaged: rows 2 to 2 are not what was written")
    ]


@pytest.mark.parametrize("verb", ["score", "check", "convert", "pack"])
def test_a_torn_block_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    """And decoded once, however many items are in it."""
    monkeypatch.setattr("kammerton.formats.packs.packing._ROWS", 3)
    path, sound = songs(tmp_path / "x.parquet", 7), songs(tmp_path / "y.parquet", 7)
    data = bytearray(path.read_bytes())
    with path.open("rb") as file:
        data[read_footer(file).groups[1].chunks[-1].begin + 20] ^= 1
    path.write_bytes(data)
    opened, check = [], Seal.check

    def watch(seal: Seal, *arguments: Any) -> None:
        opened.append((seal, arguments[-2:]))
        check(seal, *arguments)

    monkeypatch.setattr(Seal, "check", watch)
    if verb == "score":
        found: Any = kt.score("chords", path, {"same": sound}, ci=None)
        assert len(found.references) == 4
    elif verb == "check":
        found = kt.check("chords", path)
        assert len(found.files) == 4
    elif verb == "pack":
        found = kt.pack("chords", path, tmp_path / "again.parquet")
        assert (found.items, found.annotations, found.broken) == (7, 4, 3)
    else:
        found = kt.convert("chords", path, tmp_path / "out", to="lab")
        assert (len(found.written), len(found.failed)) == (4, 3)
    assert [
        (each.code, each.message, each.count) for each in found.diagnostics if each.severity == "error"
    ] == [("KT721", "pack is damaged: rows 4 to 6 are not what was written", 3)]
    assert len(opened) == len(set(opened))
    assert [rows for _, rows in opened].count((3, 6)) == (2 if verb == "score" else 1)  # of the sound one too


@pytest.mark.parametrize("rows", [100_000_000, 1 << 62])
def test_rows_that_cannot_be_are_refused_before_they_are_decoded(path: Path, rows: int) -> None:
    """60: a constant column of a hundred million rows takes a few kilobytes."""
    bomb = path.with_name("bomb.parquet")
    _with_rows(path, bomb, rows)
    said = of(bomb)
    assert said == (
        f"KT722 file of {bomb.stat().st_size:,} bytes claims {rows:,} rows: "
        f"over the limit of {bomb.stat().st_size * 8:,}"
    )


def _with_rows(path: Path, target: Path, rows: int) -> None:
    """Write a file again that claims other rows; of the footer, field 3 is their number."""
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - length : -8]
    begin = footer.index(b"\x16\x06")  # three rows, behind the schema
    zigzag, number = bytearray(), rows << 1
    while number > 127:
        zigzag.append(number & 127 | 128)
        number >>= 7
    zigzag.append(number)
    changed = footer[:begin] + b"\x16" + bytes(zigzag) + footer[begin + 2 :]
    target.write_bytes(data[: -8 - length] + changed + len(changed).to_bytes(4, "little") + b"PAR1")


def test_a_bomb_of_constants(tmp_path: Path) -> None:
    """60: a real one. A million rows of the same in a small file are refused by its footer."""
    path = tmp_path / "bomb.parquet"
    pl.select(starts=pl.repeat(0.0, 1_000_000)).write_parquet(path)
    assert path.stat().st_size < 125_000
    assert re.match(r"KT722 file of [\d,]+ bytes claims 1,000,000 rows: over the limit of [\d,]+$", of(path))


@pytest.mark.parametrize("budget", ["_MOST_VALUES", "_MOST_BYTES"])
def test_groups_over_the_budget(path: Path, monkeypatch: pytest.MonkeyPatch, budget: str) -> None:
    monkeypatch.setattr(f"kammerton.formats.packs.opening.{budget}", 5)
    assert re.search(r"claims [\d,]+ (values|bytes) in a group of rows: over the limit of 5$", of(path))


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pl.DataFrame({"start": [0.0], "label": ["C"]}).write_parquet(path)
    assert of(path) == "KT720 a Parquet file, but no pack of annotations"


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
    """Write a pack by other means, with digests that fit what is in it."""
    record = record_of(path)
    try:
        digest = digest_of(contents_of(frame))
    except ValueError:  # of what no pack holds there is none
        digest = ""
    record["blocks"] = [[len(frame), digest]]
    signed(path, frame, record)


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


def test_the_file_of_a_damaged_source_cannot_be_told(path: Path) -> None:
    _sign_again(path, pl.read_parquet(path).with_columns(said=pl.lit("{")))
    ((_, source),) = open_pack(path, TASK).sources(0)["0"]
    assert source.file is None
    assert source.digest is None  # so that nobody takes it for what it was


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
    assert of(path).startswith("KT721 pack is damaged: ")


def test_unreadable_files(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert of(tmp_path / "none.parquet").startswith("KT101 ")
    assert of(tmp_path).startswith("KT102 ")
    os.mkfifo(tmp_path / "pipe.parquet")
    assert of(tmp_path / "pipe.parquet").startswith("KT102 ")

    def fail(_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("kammerton.formats.packs.opening.read_footer", fail)
    assert of(path) == "KT101 cannot be read: Input/output error"


def test_who_stops_the_program_is_not_told_of_damage(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decoding says that it was interrupted as it says that it cannot go on."""

    def stop(*_: object, **__: object) -> None:
        raise pl.exceptions.PolarsError("__POLARS_ABORT_KEYBOARD_INTERRUPT")

    monkeypatch.setattr(pl.LazyFrame, "collect", stop)
    with pytest.raises(KeyboardInterrupt):
        of(path)


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


@pytest.mark.parametrize(
    "footer",
    [
        b"\x36\x00\x00",  # rows, but no groups
        b"\x36\x01\x19\x0c\x00",  # -1 rows
        b"\x36\x00\x19\x1c\x19\x0c\x26\x01\x00\x00",  # a group of -1 rows
        b"\x3d\x00",  # a value of a kind that is none
        b"\x3c" * 5000,  # structs in structs
        b"\x39\xfc\xff\xff\xff\x7f",  # a list longer than the footer
        b"\x38\x7f\x00",  # a text longer than the footer
        b"\x36\xfe" + b"\xff" * 9 + b"\x01\x19\x0c\x00",  # a number of 77 bits
        b"\x36\x02",  # no end
        b"",
    ],
)
def test_footers_that_are_none(tmp_path: Path, footer: bytes) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with path.open("rb") as file, pytest.raises(FooterError, match="footer is damaged"):
        read_footer(file)


def _footer(values: int, unpacked: int, length: int, begin: int) -> bytes:
    """Return a footer of one chunk in a group of no rows; each number takes a byte."""
    numbers = b"\x26%c\x16%c\x16%c\x26%c" % tuple(
        each * 2 if each >= 0 else -each * 2 - 1 for each in (values, unpacked, length, begin)
    )
    chunk = b"\x3c\x39\x18\x01a" + numbers + b"\x00\x00"
    return b"\x36\x00\x19\x1c\x19\x1c" + chunk + b"\x26\x00\x00\x00"


@pytest.mark.parametrize(
    ("claims", "is_possible"),
    [
        ((1, 2, 3, 4), True),
        ((1, 2, 4, 4), False),  # it reaches into the footer
        ((-1, 2, 3, 4), False),
        ((1, -1, 3, 4), False),
        ((1, 2, -1, 4), False),
        ((1, 2, 3, -1), False),
    ],
)
def test_what_a_chunk_may_claim(claims: tuple[int, int, int, int], is_possible: bool) -> None:
    footer = _footer(*claims)
    file = io.BytesIO(b"PAR1abc" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    if not is_possible:
        with pytest.raises(FooterError, match="footer is damaged"):
            read_footer(file)
        return
    found = read_footer(file)
    assert [tuple(chunk) for group in found.groups for chunk in group.chunks] == [("a", 4, 3, 1, 2)]
    assert (found.values, found.unpacked, found.begin) == (1, 2, 7)


def test_blocks_that_share_a_torn_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Groups of two rows, blocks of three: the second group has rows of the first two blocks."""
    monkeypatch.setattr("kammerton.formats.packs.packing._ROWS", 3)
    monkeypatch.setattr("kammerton.formats.packs.packing._MOST_VALUES", 5)
    path = songs(tmp_path / "x.parquet", 9)
    data = bytearray(path.read_bytes())
    with path.open("rb") as file:
        groups = read_footer(file).groups
    assert [group.rows for group in groups] == [2, 2, 2, 2, 1]
    chunk = groups[1].chunks[-1]
    data[chunk.begin : chunk.begin + chunk.length] = bytes(chunk.length)
    path.write_bytes(data)
    said = [[each.message for each in one.diagnostics] for one in readings_of(path).values()]
    assert said == [
        *[["pack is damaged: rows 1 to 3 are not what was written"]] * 3,
        *[["pack is damaged: rows 4 to 6 are not what was written"]] * 3,
        *[[]] * 3,
    ]
    assert capfd.readouterr() == ("", "")


def test_forged_counts_of_a_footer_are_told(path: Path) -> None:
    """Of rows and values, three of each."""
    data, said = path.read_bytes(), set()
    begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for found in re.finditer(b"\x16\x06", data[begin:-8]):
        at = begin + found.start()
        _seal_again(path, data[:at] + b"\x16\x08" + data[at + 2 :])
        opened = said_on_opening(path)
        told = opened or [each.code for one in readings_of(path).values() for each in one.diagnostics]
        assert told
        said |= {*told}
    assert "KT721 pack is damaged: rows are missing" in said


@given(st.binary(max_size=300), st.booleans())
def test_any_footer_is_read_or_refused(data: bytes, framed: bool) -> None:
    whole = b"PAR1" + data + len(data).to_bytes(4, "little") + b"PAR1" if framed else data
    with contextlib.suppress(FooterError):
        assert read_footer(io.BytesIO(whole)).rows >= 0


def test_a_footer_of_all_kinds_of_values(tmp_path: Path) -> None:
    """Passed over: flags, a byte, a double, a set, a list of flags, a far field by number; then 2 rows."""
    passed = b"\x61\x12\x13\x07\x17" + bytes(8) + b"\x1a\x13\x05\x19\x22\x01\x02\x08\xc8\x01\x01a"
    footer = passed + b"\x06\x06\x04\x19\x0c\x00"
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with path.open("rb") as file:
        found = read_footer(file)
    assert (found.rows, found.values, found.unpacked, found.pairs) == (2, 0, 0, {})
    assert said_on_opening(path)[0].startswith("KT720 a Parquet file, but")


def test_what_the_footer_of_a_pack_says(tmp_path: Path) -> None:
    """polars wrote it; three songs of two rows each."""
    with songs(tmp_path / "x.parquet").open("rb") as file:
        found = read_footer(file)
    assert (found.rows, found.values) == (3, 6)
    assert found.unpacked > 3 * 2 * 2 * 8
    assert "kammerton" in found.pairs


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


@pytest.mark.parametrize(
    ("at", "byte"),
    [
        (7, 0x0F),  # the page of names takes -8 bytes once it is unpacked
        (9, 0x21),  # it takes -17 bytes
        (9, 0x24),  # it ends where no page begins
        (10, 0x00),  # it is a page of nothing
        (12, 0x01),  # it has -1 names
        (12, 0x12),  # it has 9 names in 8 bytes
        (39, 0x24),  # the last page ends behind its chunk
        (37, 0x0F),  # the page of values takes -8 bytes
        (37, 0x7E),  # the page of values takes 63 bytes, and the footer says 70 with the page of names
        (42, 0x05),  # it has -3 values
        (42, 0x08),  # it has 4 values of 3
    ],
)
def test_forged_pages_are_not_decoded(
    path: Path, at: int, byte: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whoever seals a file may say anything of a page; what unpacks -1 values ends the program."""
    data = bytearray(path.read_bytes())
    assert data[4:17].hex(" ") == "15 04 15 10 15 22 4c 15 02 15 00 00 00"  # type, sizes, 1 name
    assert data[34:43].hex(" ") == "15 00 15 10 15 22 2c 15 06"  # type, sizes, 3 values
    data[at] = byte
    _seal_again(path, bytes(data))
    assert of(path) == "KT721 pack is damaged: rows 1 to 3 are not what was written"
    assert capfd.readouterr() == ("", "")


def _seal_again(path: Path, data: bytes) -> None:
    """Write a file with a seal that fits it."""
    path.write_bytes(data)
    with path.open("rb") as file:
        footer = read_footer(file)
    size = 32 + 4 * sum(len(group.chunks) for group in footer.groups)
    path.write_bytes(data[: footer.begin - size] + data[footer.begin :])
    put_seal(path)


@pytest.mark.parametrize("rows", [3, 0])
def test_packs_without_their_seal(path: Path, rows: int) -> None:
    """As another program writes it that read it."""
    pl.read_parquet(path).head(rows).write_parquet(path, metadata=pl.read_parquet_metadata(path))
    assert of(path) == "KT721 pack is damaged: its footer is not what was written"


def test_nothing_at_all(tmp_path: Path) -> None:
    assert said_on_opening(pack_of(tmp_path / "x.parquet", {})) == []
