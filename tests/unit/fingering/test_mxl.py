# SPDX-License-Identifier: MIT
"""Compressed scores; numbers in ids are rows of the table of bad inputs."""

import io
import re
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kammerton.fingering.annotation import Fingering
from kammerton.fingering.formats import read_fingering
from kammerton.fingering.formats.musicxml import parse_score, read_score
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.formats import Limits
from kammerton.model.task import Reading
from unit.fingering.scores import note, rows, score, told

SCORE = score(note("C4", "1"))
CONTAINER = '<container>\n<rootfiles><rootfile full-path="{}"/></rootfiles></container>'
INNER = "META-INF/container.xml"


def packed(members: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def archived(content: str | bytes = SCORE, name: str = "score.xml") -> bytes:
    return packed(
        {"mimetype": "application/vnd.recordare.musicxml", INNER: CONTAINER.format(name), name: content}
    )


def parsed(data: bytes, name: str = "a.mxl", **limits: int) -> Reading[Fingering]:
    return parse_score(data, name=name, options=FingeringOptions(limits=Limits(**limits)))


def said(data: bytes, name: str = "a.mxl", **limits: int) -> list[str]:
    reading = parsed(data, name, **limits)
    assert reading.annotations == ()
    return [problem.concise() for problem in reading.diagnostics]


def notes(reading: Reading[Fingering]) -> list[object]:
    assert told(reading) == ""
    ((_, found),) = reading.annotations
    return list(rows(found))


# --- archives --------------------------------------------------------------------------------


def test_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.mxl"
    path.write_bytes(archived())
    assert notes(read_score(path, "a.mxl")) == [(0, 1, 60, "R", "1")]
    assert notes(read_fingering(path)) == [(0, 1, 60, "R", "1")]
    missing = read_score(tmp_path / "b.mxl", "b.mxl")
    assert [d.concise() for d in missing.diagnostics] == [
        "b.mxl: KT101 cannot be read: no such file or directory"
    ]


@pytest.mark.parametrize("name", ["scores/é 𝄞.xml", "a.musicxml"])
def test_the_container_names_the_score(name: str) -> None:
    data = packed({"other.xml": "<x/>", INNER: CONTAINER.format(name), name: SCORE})
    assert notes(parsed(data)) == [(0, 1, 60, "R", "1")]


@pytest.mark.parametrize(
    ("members", "found"), [({"a.png": "x"}, "no score"), ({"a.xml": SCORE, "b.musicxml": SCORE}, "2 scores")]
)
def test_without_container_there_is_one_score(members: dict[str, str | bytes], found: str) -> None:  # row 71
    data = packed(members)
    assert said(data) == [f"a.mxl: KT404 archive without META-INF/container.xml has {found}"]
    assert parsed(data).diagnostics[0].hint == "it says which file is the score"


# --- what an archive may not be --------------------------------------------------------------


@pytest.mark.parametrize("name", ["../../x", "/etc/passwd", "C:/x", "..\\..\\x", "a/../../x", "\\x", "a\0b"])
def test_files_outside_of_the_archive(name: str) -> None:  # rows 71, 87
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        info = zipfile.ZipInfo("a.xml")
        info.filename = name
        archive.writestr(info, SCORE)
    shown = name.replace("\0", "\\x00")
    assert said(stream.getvalue()) == [f"a.mxl: KT401 archive with a file outside of itself: `{shown}`"]


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        (CONTAINER.format("../../x"), "KT401 container names a file outside of the archive: `../../x`"),
        (CONTAINER.format("/x"), "KT401 container names a file outside of the archive: `/x`"),
        (CONTAINER.format("b.xml"), "KT404 container names a file that is not in the archive: `b.xml`"),
        ("<container/>", "KT404 container names no root file"),
        ("<container><rootfile/></container>", "KT404 container names no root file"),
        (
            '<!DOCTYPE x [<!ENTITY a "b">]><x/>',
            "KT351 document type declarations with entities are not accepted",
        ),
    ],
)
def test_containers_that_name_no_score(container: str, expected: str) -> None:  # row 71
    (problem,) = said(packed({INNER: container, "a.xml": SCORE}))
    assert re.fullmatch(rf"a\.mxl/META-INF/container\.xml(:1:1)?: {re.escape(expected)}", problem)


def test_names_that_stand_twice() -> None:
    data = packed({"a.xml": SCORE, "b.xml": "<x/>"}).replace(b"b.xml", b"a.xml")
    assert said(data) == ["a.mxl: KT404 archive has `a.xml` twice"]


@pytest.mark.parametrize("cut", [4, 40, -1, -21])
def test_archives_that_were_cut_off(cut: int) -> None:
    (problem,) = said(archived()[:cut])
    assert problem == "a.mxl: KT400 zip archive is damaged: it has no end"


def test_archives_of_other_programs() -> None:
    data = bytearray(packed({"a.xml": SCORE}))
    data[data.find(b"PK\x01\x02") + 8] |= 1
    assert said(bytes(data)) == ["a.mxl: KT403 `a.xml` is encrypted"]
    packed_otherwise = packed({"a.xml": SCORE}, zipfile.ZIP_BZIP2)
    assert said(packed_otherwise) == ["a.mxl: KT403 `a.xml` is packed by another method than deflate"]


@given(st.data())
def test_any_damage_is_said_or_harmless(data: st.DataObject) -> None:
    archive = bytearray(archived())
    for _ in range(data.draw(st.integers(1, 4))):
        archive[data.draw(st.integers(2, len(archive) - 1))] = data.draw(st.integers(0, 255))
    reading = parsed(bytes(archive))
    assert bool(reading.annotations) != any(d.severity == "error" for d in reading.diagnostics)


# --- bombs -----------------------------------------------------------------------------------


def with_size(data: bytes, size: int) -> bytes:
    """Let an archive of one member say of it that it has another size."""
    changed = bytearray(data)
    directory = data.find(b"PK\x01\x02")
    struct.pack_into("<I", changed, directory + 24, size)
    struct.pack_into("<I", changed, 22, size)
    return bytes(changed)


def test_what_says_it_has_ten_gigabytes_is_refused() -> None:  # row 70
    (problem,) = said(with_size(packed({"a.xml": SCORE}), 2**32 - 2))
    assert (
        problem == "a.mxl: KT402 `a.xml` unpacks to more than 1,048,576 bytes, from 191" or "KT402" in problem
    )


def test_a_score_may_be_four_times_as_large_as_a_file() -> None:
    text = score(*[note(f"{letter}{octave}", "1") for octave in range(9) for letter in "CDEFGAB"])
    data = packed({"a.xml": text})
    assert len(text) > len(data) * 2
    assert parsed(data, bytes=len(text) // 4 + 1).annotations
    (problem,) = said(data, bytes=len(text) // 4 - 1)
    assert "KT402" in problem


def test_archives_for_more_than_four_gigabytes() -> None:
    data = packed({"a.xml": SCORE})
    end = data.rfind(b"PK\x05\x06")
    locator = b"PK\x06\x07" + bytes(16)
    assert said(data[:end] + locator + data[end:]) == [
        "a.mxl: KT402 archive of more or larger files than a score has"
    ]


# --- pages -----------------------------------------------------------------------------------
