# SPDX-License-Identifier: MIT
"""Read regular files as text, within limits and in the right encoding; what files of other kinds are."""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import BinaryIO

from kammerton.errors import DataError, Diagnostic, quote, some
from kammerton.formats.reading import Limits
from kammerton.model.annotations import clip_excerpt

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
"""Byte order marks, each with the codec that takes it off and the name that messages use."""
_OPEN_FLAGS = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):  # as far as the system has them
    _OPEN_FLAGS |= getattr(os, _flag, 0)


def read_text(
    path: str | os.PathLike[str], *, name: str, encoding: str = "utf-8", limits: Limits | None = None
) -> str:
    r"""Read a regular file as text."""
    return _decode(read_bytes(path, name=name, limits=limits), name, encoding)


def read_bytes(path: str | os.PathLike[str], *, name: str, limits: Limits | None = None) -> bytes:
    """Read a regular file as it is, with those diagnostics of :func:`read_text` that apply."""
    limits = limits or Limits()
    try:
        _check_kind(os.stat(path), name, limits.bytes)  # noqa: PTH116 - a Path takes longer to make than to read
        descriptor = os.open(path, _OPEN_FLAGS)  # does not wait, should a FIFO stand here by now
        try:
            opened = os.fstat(descriptor)
            _check_kind(opened, name, limits.bytes)
            data = _read_descriptor(descriptor, opened.st_size)
            closed = os.fstat(descriptor)
        finally:
            os.close(descriptor)
    except DataError:
        raise
    except (OSError, ValueError) as error:  # ValueError: NUL in the path
        raise _unreadable(error, name, path) from error
    if (len(data), closed.st_mtime_ns) != (opened.st_size, opened.st_mtime_ns):
        raise _failure("KT108", "file changed while it was read", name, "run again when it is complete")
    return data


@contextlib.contextmanager
def open_regular(path: str | os.PathLike[str], *, name: str) -> Iterator[BinaryIO]:
    """Open a regular file of any size, of which only parts will be read."""
    place = Path(path)
    try:
        _check_kind(place.stat(), name)
        descriptor = os.open(place, _OPEN_FLAGS)  # does not wait, should a FIFO stand here by now
    except DataError:
        raise
    except (OSError, ValueError) as error:  # ValueError: NUL in the path
        raise _unreadable(error, name, place) from error
    with os.fdopen(descriptor, "rb") as file:
        yield file


def read_stream(stream: BinaryIO, *, name: str, encoding: str = "utf-8", limits: Limits | None = None) -> str:
    """Read a stream, such as a member of an archive, as :func:`read_text` reads a file."""
    limit = (limits or Limits()).bytes
    try:
        data = stream.read(limit + 1)
    except OSError as error:
        raise _unreadable(error, name) from error
    if len(data) > limit:
        raise _failure("KT106", f"more than {limit:,} bytes", name, larger_files())
    return _decode(data, name, encoding)


def _failure(code: str, message: str, name: str, hint: str | None = None) -> DataError:
    from kammerton.formats.remote import is_remote, shown_address  # noqa: PLC0415 - if all else fails

    file = shown_address(name) if is_remote(name) else name  # it was given as the path of a file
    return DataError.of(code, message, file, hint)


def _read_descriptor(descriptor: int, size: int) -> bytes:
    """Read ``size`` bytes and one more, if there is one, by which a file that has grown is noticed."""
    data = os.read(descriptor, size + 1)
    while len(data) <= size and (more := os.read(descriptor, size + 1 - len(data))):
        data += more
    return data


def _check_kind(status: os.stat_result, name: str, limit: int | None = None) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _failure("KT102", f"not a regular file: {_kind(status.st_mode)}", name)
    if limit is not None and status.st_size > limit:
        message = f"file of {status.st_size:,} bytes: over the limit of {limit:,}"
        raise _failure("KT106", message, name, larger_files(status.st_size))


def larger_files(size: int | None = None) -> str:
    """Return the hint at the option that allows for files of a size.

    >>> larger_files(70_000_000)
    '--max-file-size 67MiB allows for it'
    """
    return f"--max-file-size {'SIZE' if size is None else f'{-(-size // 2**20)}MiB'} allows for it"


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"))
    return next((kind for test, kind in kinds if test(mode)), "a device")


def _unreadable(
    error: OSError | ValueError, name: str, path: str | os.PathLike[str] | None = None
) -> DataError:
    reason = "NUL in its path"
    if isinstance(error, OSError):
        reason = (error.strerror or str(error)).lower()
    # a link to nothing, or in a circle
    if path is not None and os.path.islink(path) and not os.path.exists(path):  # noqa: PTH110, PTH114
        return _failure("KT102", f"not a regular file: a link that leads nowhere ({reason})", name)
    return _failure("KT101", f"cannot be read: {reason}", name)


def _decode(data: bytes, name: str, encoding: str) -> str:
    if data.startswith(BEGINNINGS) or data[4:8] == b"ftyp":
        raise DataError([bytes_kind(data, name).diagnose(name)])
    codec, title = encoding, encoding.upper()
    for mark, its_codec, its_title in _MARKS:
        if data.startswith(mark):
            codec, title = its_codec, its_title
            break
    if codec == "utf-8" and b"\0" in data:
        _check_bytes(data, name)
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        raise _undecodable(error, data, name, codec, title) from error
    if "\0" in text:
        at = text.index("\0")
        raise _placed("KT105", "NUL character: not a text file", name, text[:at], text[at : at + 401], None)
    return with_newlines(text)


def with_newlines(text: str) -> str:
    r"""Return a text whose lines all end in ``\n``, whether they ended in ``\r\n``, ``\r`` or that."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _check_bytes(data: bytes, name: str) -> None:
    """Refuse UTF-16 without a mark, of which every other byte of Latin text is NUL."""
    sample = data[: 2**16]
    halves = [sample[offset::2].count(0) / len(sample[offset::2] or b"?") for offset in (0, 1)]
    if max(halves) > 0.4 and min(halves) < 0.1:
        order = "LE" if halves[1] > halves[0] else "BE"
        message = f"looks like UTF-16 {order} without a byte order mark"
        raise _failure("KT103", message, name, f"save it as UTF-8, or --encoding utf-16-{order.lower()}")


def _undecodable(error: UnicodeDecodeError, data: bytes, name: str, codec: str, title: str) -> DataError:
    text = data[: error.start].decode(codec, "replace")
    rest = data[error.start : error.start + 400].decode(codec, "replace")
    byte = f"byte 0x{data[error.start]:02X}"
    hint = "--encoding latin-1 (or cp1252), or save it as UTF-8" if codec == "utf-8" else None
    return _placed("KT104", f"not {title}: {byte}", name, text, rest, hint)


def _placed(code: str, message: str, name: str, before: str, rest: str, hint: str | None) -> DataError:
    """Return the error at the place between ``before`` and ``rest``."""
    before = with_newlines(before)
    begin = before.rfind("\n") + 1
    column = len(before) - begin + 1
    line = before[begin:] + rest.replace("\r", "\n").partition("\n")[0]
    problem = Diagnostic(
        code,
        "error",
        message,
        file=name,
        line=before.count("\n") + 1,
        column=column,
        excerpt=clip_excerpt(line, column),
        hint=hint,
    )
    return DataError((problem,))


# --- kinds of files -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of files."""

    what: str  # what it is, with its article
    hint: str  # what to do with it
    task: str | None = None  # the task that reads it

    @classmethod
    def of_task(cls, what: str, task: str) -> FileKind:
        """Return a kind of files that a task reads."""
        return cls(what, f"the task {quote(task)} reads it: `kammerton check {task}`", task)

    def diagnose(self, file: str) -> Diagnostic:
        """Return the diagnostic of a file of this kind where another one is read."""
        return Diagnostic("KT109", "error", f"this is {self.what}", file=file, hint=self.hint)


_MIDI = FileKind(
    "a MIDI file, which has notes, but neither chords nor fingers",
    "fingers are read from PIG, tables, JSON, MusicXML and abcDF, chords from rows of start, end and label;"
    " programs of MIDI files are instruments",
)
_AUDIO = FileKind(
    "an audio file", "annotations are compared, not sounds: give what was annotated or estimated"
)
_FILM = FileKind("an audio or video file", _AUDIO.hint)
_PDF = FileKind("a PDF document", "export a score as MusicXML, a table as CSV, from the program that made it")
_IMAGE = FileKind("an image", _PDF.hint)
_ZIP = FileKind("a zip archive", "unpack it, and give the files")
_PACKED = FileKind("a compressed file", _ZIP.hint)
_SPREADSHEET = FileKind("a document of an office program", "save the table as CSV")
_MUSESCORE = FileKind("a score in MuseScore's own format", "export it as MusicXML")
_ARRAYS = FileKind(
    "a file of NumPy arrays",
    "write the annotations as a table or JSON; the task `instruments` reads the `.npz` archives of OpenMIC",
)
_OBJECTS = FileKind("a file of Python objects (pickle)", "write the annotations as a table or JSON")
_HDF5 = FileKind("an HDF5 file", _OBJECTS.hint)
_DATABASE = FileKind("a SQLite database", _OBJECTS.hint)
_BEGINNINGS: Mapping[bytes, FileKind] = MappingProxyType(
    {
        b"MThd": _MIDI,
        **dict.fromkeys(
            (b"RIFF", b"FORM", b"fLaC", b"OggS", b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2"), _AUDIO
        ),
        b"\x1aE\xdf\xa3": _FILM,
        b"%PDF-": _PDF,
        **dict.fromkeys((b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a"), _IMAGE),
        **dict.fromkeys((b"PK\x03\x04", b"PK\x05\x06"), _ZIP),
        **dict.fromkeys((b"\x1f\x8b", b"BZh91AY", b"\xfd7zXZ\0", b"7z\xbc\xaf'\x1c"), _PACKED),
        b"\x93NUMPY": _ARRAYS,
        **dict.fromkeys((b"\x80\2", b"\x80\3", b"\x80\4", b"\x80\5"), _OBJECTS),
        b"\x89HDF\r\n": _HDF5,
        b"SQLite format 3\0": _DATABASE,
    }
)
BEGINNINGS = tuple(_BEGINNINGS)
"""What binary files begin with; films of another form have ``ftyp`` from the fifth byte on."""
_SUFFIXES: Mapping[str, FileKind] = MappingProxyType(
    {
        **dict.fromkeys((".mid", ".midi"), _MIDI),
        **dict.fromkeys((".wav", ".flac", ".ogg", ".mp3", ".aif", ".aiff", ".m4a", ".opus"), _AUDIO),
        **dict.fromkeys((".mp4", ".mov", ".mkv", ".avi", ".webm"), _FILM),
        ".pdf": _PDF,
        **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif"), _IMAGE),
        **dict.fromkeys((".mscz", ".mscx"), _MUSESCORE),
        **dict.fromkeys((".xlsx", ".xls", ".ods", ".docx", ".odt"), _SPREADSHEET),
        **dict.fromkeys((".npz", ".npy"), _ARRAYS),
        **dict.fromkeys((".pkl", ".pickle"), _OBJECTS),
        **dict.fromkeys((".h5", ".hdf5"), _HDF5),
        ".zip": _ZIP,
        **dict.fromkeys((".gz", ".bz2", ".xz", ".7z"), _PACKED),
    }
)


def bytes_kind(data: bytes, name: str) -> FileKind:
    """Return the kind of a binary file by its first bytes, of an archive by its suffix."""
    kind = next((kind for begin, kind in _BEGINNINGS.items() if data.startswith(begin)), _FILM)
    return _SUFFIXES.get(PurePath(name).suffix.lower(), kind) if kind is _ZIP else kind


def suffix_kind(suffix: str) -> FileKind | None:
    """Return the kind of files with a suffix, in lower case; None if tasks read them."""
    return _SUFFIXES.get(suffix)


_ROOT = re.compile(r"<(?![?!])(?:[\w.-]+:)?([\w.-]+)")
_ROOTS: Mapping[str, FileKind] = MappingProxyType(
    {
        **dict.fromkeys(
            ("score-partwise", "score-timewise"), FileKind.of_task("a score in MusicXML", "fingering")
        ),
        "musescore": _MUSESCORE,
        "mei": FileKind("a score in MEI", "convert it to MusicXML"),
        "sv": FileKind("a layer or session of Sonic Visualiser", "export the layer as text or CSV"),
        "html": FileKind(
            "a web page", "what was downloaded is a page about the file, or an error: download the file"
        ),
    }
)
_XML = FileKind("an XML document", "of XML, scores in MusicXML are read, by the task `fingering`")
_ABC = FileKind.of_task("music in ABC", "fingering")
_PIG = FileKind.of_task("a PIG file, which has notes and fingers", "fingering")
_NOTES = FileKind.of_task("a list of notes with fingers", "fingering")
_CHORDS = FileKind.of_task("a list of chords, in rows of start, end and label", "chords")
_INSTRUMENTS = FileKind.of_task("a list of instruments", "instruments")
_NUMBER = r"[-+]?[0-9]+(?:\.[0-9]*)?"
_PIG_ROW = re.compile(
    rf"\S+[ \t]+{_NUMBER}[ \t]+{_NUMBER}[ \t]+[A-G][#b]*[0-9][ \t]+\S+[ \t]+\S+[ \t]+[01][ \t]+[-0-9_]+\s*"
)
_CHORD_ROW = re.compile(
    rf"{_NUMBER}[ \t,;]+{_NUMBER}[ \t,;]+(?:N|X|[A-G][#b]*(?::\S+|/\S+|m|maj7?|min7?|m7|7)?)\s*"
)
_HEAD = 1 << 15
"""Characters that tell what a text is, and rows of those."""
_LOOKED_AT = 20
"""Rows that are looked at to recognise a text."""
_FINGER_NAMES = frozenset(("finger", "finger_number", "fingering"))
_INSTRUMENT_NAMES = frozenset(("instrument", "instruments"))


def text_kind(text: str) -> FileKind | None:
    """Return the kind of a text; None if it is not plain."""
    begin = text.lstrip()[:1]
    if begin == "<":
        return _xml_kind(text)
    if begin in ("{", "["):
        return _json_kind(text)
    head = text[:_HEAD]
    if re.search(r"^X:", head, re.MULTILINE) and re.search(r"^K:", head, re.MULTILINE):
        return _ABC
    lines = [line.strip() for line in head.split("\n")]
    rows = [line for line in lines if line and line[0] not in "#/"][:_LOOKED_AT]
    for pattern, kind in ((_PIG_ROW, _PIG), (_CHORD_ROW, _CHORDS)):
        if 2 * sum(pattern.fullmatch(row) is not None for row in rows) > len(rows):
            return kind
    return _header_kind(rows[0]) if rows else None


def _xml_kind(text: str) -> FileKind | None:
    root = _ROOT.search(text[:_HEAD])
    kind = None if root is None else _ROOTS.get(root[1].lower())
    return kind or (_XML if "</" in text or text.lstrip().startswith("<?xml") else None)


def _header_kind(row: str) -> FileKind | None:
    names = {name.strip(' "').casefold() for name in re.split("[,;\t]", row)}
    if names & _FINGER_NAMES and len(names) > 2:
        return _NOTES
    return _INSTRUMENTS if names & _INSTRUMENT_NAMES else None


def _json_kind(text: str) -> FileKind | None:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    notes = document.get("notes")
    if isinstance(notes, list) and notes and isinstance(notes[0], dict) and _FINGER_NAMES & notes[0].keys():
        return _NOTES
    return None


def jams_kind(annotations: Sequence[object]) -> FileKind:
    """Return the kind of a JAMS file by the namespaces of its annotations."""
    namespaces = [name.get("namespace") for name in annotations if isinstance(name, dict)]
    spaces = list(dict.fromkeys(name for name in namespaces if isinstance(name, str)))
    what = f"a JAMS file of {some(spaces)}" if spaces else "a JAMS file"
    if any(name in ("chord", "chord_harte") for name in spaces):
        return FileKind.of_task(what, "chords")
    if any(name.startswith("tag_") for name in spaces):
        return FileKind.of_task(what, "instruments")
    return FileKind(what, "of JAMS, chords and tags of instruments are read")


def explained(diagnostics: Sequence[Diagnostic], text: str, task: str, file: str) -> tuple[Diagnostic, ...]:
    """Return a diagnostic of the kind of an unreadable text, if it is plain, else those of its reader."""
    kind = text_kind(text) if any(diagnostic.severity == "error" for diagnostic in diagnostics) else None
    if kind in (None, _XML) or kind.task == task:
        return tuple(diagnostics)
    return (kind.diagnose(file),)
