# SPDX-License-Identifier: MIT
"""From a path to text; numbers in ids are rows of the table of bad inputs."""

import codecs
import io
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kammerton.errors import DataError
from kammerton.formats import Limits, read_intervals, read_stream, read_text
from unit.formats.telling import rows_of, tell

TEXT = "0 1 Cé♯\n"

ENCODED = {
    "plain": TEXT.encode(),
    "1 UTF-8 BOM": codecs.BOM_UTF8 + TEXT.encode(),
    "2 UTF-16 LE": codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
    "2 UTF-16 BE": codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    "2 UTF-32 LE": codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"),
    "2 UTF-32 BE": codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"),
    "6 CR": TEXT.replace("\n", "\r").encode(),
    "6 CRLF": TEXT.replace("\n", "\r\n").encode(),
    "6 CRLF in UTF-16": codecs.BOM_UTF16_LE + TEXT.replace("\n", "\r\n").encode("utf-16-le"),
}


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@pytest.mark.parametrize("data", ENCODED.values(), ids=ENCODED)
def test_marks_win_over_the_encoding(tmp_path: Path, data: bytes, encoding: str) -> None:
    path = tmp_path / "a.lab"
    path.write_bytes(data)
    is_marked = data[:1] > b"\x7f" or data[:1] == b"\0"
    if encoding == "utf-8" or is_marked:
        assert read_text(path, name="a.lab", encoding=encoding) == TEXT


def test_3_other_encodings_on_demand(tmp_path: Path) -> None:
    path = tmp_path / "a.lab"
    path.write_bytes(b"0 1 Caf\xe9\n")
    assert read_text(path, name="a.lab", encoding="latin-1") == "0 1 Café\n"


def test_4_never_the_locale(tmp_path: Path) -> None:
    path = tmp_path / "a.lab"
    path.write_text(TEXT, encoding="utf-8")
    program = f"from kammerton.formats import read_text; print(ascii(read_text({str(path)!r}, name='a')))"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    shown = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, check=True, text=True
    )
    assert shown.stdout.strip() == ascii(TEXT)


UNMARKED = """\
error KT103 looks like UTF-16 {} without a byte order mark
  help: save it as UTF-8, or --encoding utf-16-{}"""

REFUSED: dict[str, tuple[bytes, dict[str, Any], str]] = {
    "2 UTF-16 LE without mark": (TEXT.encode("utf-16-le"), {}, UNMARKED.format("LE", "le")),
    "2 UTF-16 BE without mark": (TEXT.encode("utf-16-be"), {}, UNMARKED.format("BE", "be")),
    "2 UTF-16 cut off": (
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le")[:-1],
        {},
        "error 1:8+1 KT104 not UTF-16: byte 0x0A",
    ),
    "3 Latin-1": (
        b"0 1 C\r\n1 2 \xe9t\xe9\r\n2 3 D\r\n",
        {},
        "error 2:5+1 KT104 not UTF-8: byte 0xE9\n  help: --encoding latin-1 (or cp1252), or save it as UTF-8",
    ),
    "3 Latin-1 after lone CR": (
        b"0 1 C\r1 2 \xe9\r2 3 D\r",
        {},
        "error 2:5+1 KT104 not UTF-8: byte 0xE9\n  help: --encoding latin-1 (or cp1252), or save it as UTF-8",
    ),
    "3 not the encoding that was given": (
        b"0 1 \x81\n",
        {"encoding": "cp1252"},
        "error 1:5+1 KT104 not CP1252: byte 0x81",
    ),
    "3 encoding that says no place": (
        b"0 1 \xff\n",
        {"encoding": "utf-7"},
        "error 1:5+1 KT104 not UTF-7: byte 0xFF",
    ),
    "5 NUL": (b"0 1 C\n1 2 D\0x\n", {}, "error 2:6+1 KT105 NUL character: not a text file"),
    "5 NUL in UTF-16": (
        codecs.BOM_UTF16_LE + "0 1 C\0".encode("utf-16-le"),
        {},
        "error 1:6+1 KT105 NUL character: not a text file",
    ),
    "24 size": (
        b"0 1 C\n",
        {"limits": Limits(bytes=5)},
        "error KT106 file of 6 bytes: over the limit of 5\n  help: --max-file-size 1MiB allows for it",
    ),
}


@pytest.mark.parametrize(("data", "options", "message"), REFUSED.values(), ids=REFUSED)
def test_refuses(tmp_path: Path, data: bytes, options: dict[str, Any], message: str) -> None:
    path = tmp_path / "a.lab"
    path.write_bytes(data)
    with pytest.raises(DataError) as caught:
        read_text(path, name="a.lab", **options)
    (problem,) = caught.value.diagnostics
    assert tell(problem) == message
    assert problem.file == "a.lab"


def test_undecodable_bytes_show_in_the_excerpt(tmp_path: Path) -> None:
    path = tmp_path / "a.lab"
    path.write_bytes(b"0 1 C\n1 2 \xe9t\xe9\n2 3 D\n")
    (problem,) = read_intervals(path, name="a.lab").diagnostics
    assert problem.excerpt == "1 2 \ufffdt\ufffd"


def test_24_size_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.lab"
    path.touch()
    os.truncate(path, 100_000_000_000)  # what is read of it would not fit
    reading = read_intervals(path, name="a.lab")
    (problem,) = reading.diagnostics
    assert tell(problem) == (
        "error KT106 file of 100,000,000,000 bytes: over the limit of 67,108,864\n"
        "  help: --max-file-size 95368MiB allows for it"
    )


# --- what is no regular file --------------------------------------------------------------------------------


def _told(path: Path) -> str:
    reading = read_intervals(path, name="a.lab")
    assert reading.tracks == ()
    return "\n".join(map(tell, reading.diagnostics))


def test_32_folder(tmp_path: Path) -> None:
    assert _told(tmp_path) == "error KT102 not a regular file: a folder"


def test_32_named_pipe_does_not_hang(tmp_path: Path) -> None:
    path = tmp_path / "a.lab"
    os.mkfifo(path)
    assert _told(path) == "error KT102 not a regular file: a named pipe"


def test_32_named_pipe_that_takes_the_place_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.lab"
    os.mkfifo(path)
    ordinary = Path(__file__).stat()
    monkeypatch.setattr(Path, "stat", lambda self, **_: ordinary)
    assert _told(path).startswith("error KT102 not a regular file: a named pipe")


def test_32_device() -> None:
    assert _told(Path("/dev/zero")) == "error KT102 not a regular file: a device"


def test_32_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("a.lab")
        assert _told(Path("a.lab")) == "error KT102 not a regular file: a socket"


def test_32_dangling_link(tmp_path: Path) -> None:
    path = tmp_path / "a.lab"
    path.symlink_to("nowhere")
    message = "a link that leads nowhere (no such file or directory)"
    assert _told(path) == f"error KT102 not a regular file: {message}"


def test_32_looping_link(tmp_path: Path) -> None:
    path = tmp_path / "a.lab"
    path.symlink_to(path)
    assert _told(path).startswith("error KT102 not a regular file: a link that leads nowhere (")


def test_32_link_to_a_file(tmp_path: Path) -> None:
    (tmp_path / "b.lab").write_text("0 1 C\n")
    path = tmp_path / "a.lab"
    path.symlink_to("b.lab")
    assert rows_of(read_intervals(path)) == [(0.0, 1.0, "C")]


# --- what cannot be read ------------------------------------------------------------------------------------


def test_33_missing(tmp_path: Path) -> None:
    assert _told(tmp_path / "a.lab") == "error KT101 cannot be read: no such file or directory"


def test_33_no_path() -> None:
    assert _told(Path("a\0b")) == "error KT101 cannot be read: NUL in its path"


@pytest.mark.parametrize(
    "error", [PermissionError(13, "Permission denied"), OSError(5, "Input/output error")]
)
def test_33_refused_by_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError) -> None:
    path = tmp_path / "a.lab"
    path.write_text("0 1 C\n")

    def read(*_: object) -> bytes:
        raise error

    monkeypatch.setattr("kammerton.formats.source.os.read", read)
    assert _told(path) == f"error KT101 cannot be read: {str(error.strerror).lower()}"


def test_33_files_in_a_folder_that_nobody_may_enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "stat", refused)
    monkeypatch.setattr(os, "lstat", refused)
    assert _told(tmp_path / "a.lab") == "error KT101 cannot be read: permission denied"


def test_33_grows_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.lab"
    path.write_text("0 1 C\n")
    read = os.read

    def read_later(descriptor: int, size: int) -> bytes:
        with path.open("a") as file:
            file.write("1 2 D\n")
        return read(descriptor, size)

    monkeypatch.setattr("kammerton.formats.source.os.read", read_later)
    assert _told(path) == (
        "error KT108 file changed while it was read\n  help: run again when it is complete"
    )


def test_33_is_rewritten_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.lab"
    path.write_text("0 1 C\n")
    read = os.read

    def read_and_touch(descriptor: int, size: int) -> bytes:
        data = read(descriptor, size)
        os.utime(path, (1, 1))
        return data

    monkeypatch.setattr("kammerton.formats.source.os.read", read_and_touch)
    assert _told(path).startswith("error KT108")


def test_reads_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.lab"
    path.write_text(TEXT, encoding="utf-8")
    read = os.read
    monkeypatch.setattr("kammerton.formats.source.os.read", lambda descriptor, size: read(descriptor, 3))
    assert read_text(path, name="a.lab") == TEXT


@pytest.mark.parametrize(
    "name",
    [b"a\nb.lab", b"-a.lab", b"x" * 251 + b".lab", b"caf\xe9.lab"],
    ids=["newline", "dash", "255 bytes", "not UTF-8"],
)
def test_34_names(tmp_path: Path, name: bytes) -> None:
    path = tmp_path / os.fsdecode(name)
    path.write_text("0 x C\n")
    (problem,) = read_intervals(path).diagnostics
    shown = problem.concise()
    assert shown.isprintable()
    assert shown.encode()


# --- streams ------------------------------------------------------------------------------------------------


def test_streams_are_read_like_files() -> None:
    assert read_stream(io.BytesIO(ENCODED["1 UTF-8 BOM"]), name="<stdin>") == TEXT


def test_streams_have_the_same_budget() -> None:
    with pytest.raises(DataError, match="<stdin>: KT106 more than 5 bytes"):
        read_stream(io.BytesIO(b"0 1 C\n"), name="<stdin>", limits=Limits(bytes=5))


def test_streams_may_fail() -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(DataError, match="<stdin>: KT101 cannot be read: input/output error"):
        read_stream(Broken(), name="<stdin>")
