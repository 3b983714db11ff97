# SPDX-License-Identifier: MIT
"""Kinds of files: what a file is that cannot be read, and what to do with it, such as which task reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from types import MappingProxyType

from kammerton.errors import Diagnostic, quote, some


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


# --- texts ----------------------------------------------------------------------------------------------

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
