# SPDX-License-Identifier: MIT
"""XML with positions, and the archives it comes in, read as untrusted: no entities, every size bounded.

The text is decoded here and not by the parser, so that encodings fail as those of other files do and
columns count code points.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import NoReturn
from xml.parsers import expat

from kammerton.errors import DataError, Diagnostic, OptionError, Severity, clip, printable, quote
from kammerton.formats.reading import Limits, Problems, check_encoding
from kammerton.formats.source import read_stream
from kammerton.model.annotations import Place

Position = tuple[int, int]
"""Line and column of the ``<`` of a tag, from 1."""
_CHUNK = 1 << 16
_REACH = 5000
"""Characters behind a tag in which its text is looked for."""
_DECLARATION = re.compile(rb"""\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([^"'>]{0,60})["']""")
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]{0,500}")
_WIDE = re.compile(r"(?:utf|ucs|iso-10646-ucs)[-_]?(?:16|32|2|4)", re.IGNORECASE)
_SCORE_TYPE = re.compile(r"-//Recordare//DTD MusicXML .*|.*\b(?:partwise|timewise|container|score)\.dtd")
"""Public or system identifiers of the document types that scores name."""
_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "no element found": "the document ends too early",
        "unclosed token": "the document ends within a tag",
        "not well-formed (invalid token)": "a character that cannot stand here",
        "junk after document element": "text after the end of the document",
        "XML or text declaration not at start of entity": "text before the XML declaration",
    }
)
"""Our words for the messages of expat."""


@dataclass(slots=True, eq=False)
class Element:
    """An element, complete."""

    name: str
    attributes: dict[str, str]
    position: Position  # line and column of its start tag
    text: str = ""  # all text directly within it
    children: list[Element] = field(default_factory=list)

    def fields(self) -> dict[str, Element]:
        """Return the first child of each name."""
        return {child.name: child for child in reversed(self.children)}

    def find(self, name: str) -> Element | None:
        """Return the first child of this name, or None."""
        return next((child for child in self.children if child.name == name), None)

    def all(self, *path: str) -> Iterator[Element]:
        """Give every descendant down a path of names, in their order."""
        for child in self.children:
            if child.name == path[0]:
                if len(path) == 1:
                    yield child
                else:
                    yield from child.all(*path[1:])


class XmlText:
    """The text of a document, and where things stand in it."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    def place(self, position: Position, length: int = 1) -> Place:
        """Return the place of ``length`` characters."""
        line, column = position
        return Place(self.file, line, column, length, self._lines[line - 1])

    def tag(self, name: str, position: Position) -> Place:
        """Return the place of a tag as far as its name goes."""
        return self.place(position, len(name) + 1)

    def tag_of(self, element: Element) -> Place:
        """Return the place of the start tag of an element."""
        return self.tag(element.name, element.position)

    def value(self, element: Element) -> Place:
        """Return the place of the text that an element begins with, or of its tag if it is not there."""
        line, column = element.position
        text = element.text.strip()
        rest = self._lines[line - 1][column - 1 : column - 1 + _REACH]
        match = re.match(rf"<[^>]*>\s*(?={re.escape(text)})", rest) if text else None
        if match is None:
            return self.tag_of(element)
        return self.place((line, column + match.end()), len(text))


def refuse(code: str, message: str, place: Place, hint: str | None = None) -> NoReturn:
    """End the reading of a file with one error."""
    raise DataError((place.diagnose(Diagnostic(code=code, severity="error", message=message, hint=hint)),))


def decode_xml(data: bytes, *, name: str, encoding: str, limits: Limits) -> XmlText:
    """Decode a document by its byte order mark, else by its declaration, else as the caller says."""
    declared = _DECLARATION.match(data.removeprefix(b"\xef\xbb\xbf"))
    if declared is not None:
        written = declared[1].decode("ascii", "replace")
        # who can read the declaration as ASCII has no wide encoding before him, whatever it says
        encoding = "utf-8" if _WIDE.match(written) else written
        try:
            check_encoding(encoding)
        except OptionError:
            message = f"the document declares an unknown encoding: {quote(written)}"
            refuse("KT350", message, Place(name, 1), "save it as UTF-8")
    return XmlText(read_stream(io.BytesIO(data), name=name, encoding=encoding, limits=limits), name)


class XmlReader:
    """Parses a document; what is taken of it is up to subclasses, whose exceptions end the parsing."""

    def __init__(self, source: XmlText, limits: Limits) -> None:
        self.source = source
        self.limits = limits
        self.run: int = 0  # characters since the last tag
        self._open: list[tuple[str, int]] = []
        self._unwanted = 0  # how many of the open elements, counted from within, the subclass does not want
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._doctype
        parser.SkippedEntityHandler = self._skipped

    @abstractmethod
    def start(self, name: str, attributes: dict[str, str]) -> bool:
        """Take a start tag, and return whether what stands in the element is wanted, and its end tag."""

    def end(self) -> None:
        """Take an end tag."""

    def characters(self, text: str) -> None:
        """Take a piece of text."""

    def position(self) -> Position:
        """Return where the parser is."""
        return self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1

    def parse(self) -> None:
        """Parse the document."""
        data = self.source.text.encode("utf-8", "surrogatepass")
        limit = self.limits.line
        try:
            for begin in range(0, len(data), _CHUNK):
                chunk = data[begin : begin + _CHUNK]
                self._parser.Parse(chunk, False)
                # the parser looks at an unfinished token again with each chunk: do not let it grow
                if begin + len(chunk) - self._parser.CurrentByteIndex > limit + _CHUNK:
                    message = f"tag or comment of more than {limit:,} characters"
                    refuse("KT106", message, self.source.place(self.position()))
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            self._malformed(error)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.run = 0
        if len(self._open) >= self.limits.depth:
            message = f"XML nested more than {self.limits.depth} levels deep"
            refuse("KT106", message, self.source.tag(name, self.position()))
        self._open.append((name, self._parser.CurrentLineNumber))
        if self._unwanted or not self.start(name, attributes):
            self._unwanted += 1

    def _end(self, _: str) -> None:
        self.run = 0
        self._open.pop()
        if self._unwanted:
            self._unwanted -= 1
        else:
            self.end()

    def _characters(self, text: str) -> None:
        self.run += len(text)
        if self.run > self.limits.line:
            message = f"text of more than {self.limits.line:,} characters"
            refuse("KT106", message, Place(self.source.file, self._parser.CurrentLineNumber))
        if not self._unwanted:
            self.characters(text)

    def _doctype(self, name: str, system: str | None, public: str | None, has_subset: bool) -> None:
        match = _DOCTYPE.search(self.source.text)
        before = self.source.text[: match.start()] if match else ""
        position = (before.count("\n") + 1, len(before) - before.rfind("\n"))
        place = self.source.tag("!DOCTYPE", position)
        if has_subset:
            message = "document type declarations with entities are not accepted"
            refuse("KT351", message, place, "take out what stands in `[ ]` after `<!DOCTYPE`")
        identifier = public or system
        if identifier is not None and _SCORE_TYPE.fullmatch(identifier) is None:
            message = f"document type is not that of MusicXML: {quote(identifier)}"
            refuse("KT351", message, place, f"take out the line that begins with `<!DOCTYPE {clip(name)}`")

    def _skipped(self, name: str, _: bool) -> None:
        self._refuse_malformed(f"undefined entity {quote(f'&{name};')}", self.position())

    def _malformed(self, error: expat.ExpatError) -> NoReturn:
        line, column = error.lineno, error.offset + 1
        message = expat.ErrorString(error.code)
        if message == "mismatched tag":
            name, opened = self._open[-1]
            message = f"closing tag does not match {quote(f'<{name}>')} of line {opened}"
            column -= 2  # the parser points behind its `</`
        elif message in ("no element found", "unclosed token") and self._open:
            name, opened = self._open[-1]
            message = f"{_WORDS[message]}: {quote(f'<{name}>')} of line {opened} is not closed"
        self._refuse_malformed(_WORDS.get(message, message), (line, column))

    def _refuse_malformed(self, message: str, position: Position) -> NoReturn:
        refuse("KT350", f"not well-formed XML: {message}", self.source.place(position))


class ScoreProblems(Problems):
    """Problems of a score, each with the place of an element."""

    def __init__(self, source: XmlText) -> None:
        super().__init__(source.file)
        self.source = source

    def report_of(
        self,
        element: Element,
        code: str,
        message: str,
        where: object | None = None,
        *,
        severity: Severity = "error",
        hint: str | None = None,
        count: int = 1,
    ) -> None:
        """Add a problem of an element; ``where`` is its place in the music."""
        problem = Diagnostic(code=code, severity=severity, message=message, hint=hint, count=count)
        self.add_of(element, problem, where)

    def add_of(self, element: Element, problem: Diagnostic, where: object | None) -> None:
        """Add a problem whose column, if it has one, lies within the text of the element."""
        if not self.room(problem.code):  # places of what is not listed are not looked for
            self.add_unlisted(problem.code, 1)
            return
        place = self.source.value(element)
        if place.length != len(element.text.strip()):
            problem = problem.at(column=None)
        message = problem.message if where is None else f"{problem.message} ({where})"
        self.add(place.diagnose(problem.at(message=message)))


# --- archives -------------------------------------------------------------------------------------------

EXPANSION = 4
"""How many times as large as a file may be, what it unpacks to may be."""
RATIO = 100
"""How many times as large as its packed form a member may be, if it is not small."""
SMALL = 2**20
DIRECTORY_LIMIT = 2**20
"""Bytes of the list of members."""
CONTAINER = "META-INF/container.xml"
_END = b"PK\x05\x06"
_LARGE = b"PK\x06\x07"
"""Stands 20 bytes before the end of archives that may be larger than 4 GiB."""
_END_LENGTH = 22
_ENCRYPTED = 0x1
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, RuntimeError)
"""What reading a damaged archive raises."""


def unpack_score(data: bytes, name: str, limits: Limits) -> tuple[str, bytes]:
    """Return the name and the content of the score in an archive."""
    _check_end(data, name)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = _checked_members(archive, name)
            container = members.get(CONTAINER)
            if container is None:
                score = _only_score(members, name)
            else:
                score = _root_file(
                    _content(archive, container, name, limits), members, f"{name}/{CONTAINER}", limits
                )
            return score.filename, _content(archive, score, name, limits)
    except DataError:
        raise
    except _DAMAGE as error:
        refuse("KT400", f"zip archive is damaged: {printable(clip(str(error), 100)).lower()}", Place(name))


def _check_end(data: bytes, name: str) -> None:
    """Look at the end of the archive, before a list of members of any length is made."""
    where = data.rfind(_END)
    if where < 0 or where + _END_LENGTH > len(data):
        refuse("KT400", "zip archive is damaged: it has no end", Place(name), "was the file cut off?")
    (size,) = struct.unpack_from("<I", data, where + 12)
    if size > DIRECTORY_LIMIT or data[max(0, where - 20) :].startswith(_LARGE):
        refuse("KT402", "archive of more or larger files than a score has", Place(name))


def _checked_members(archive: zipfile.ZipFile, name: str) -> dict[str, zipfile.ZipInfo]:
    """Return the files of an archive by name, if all of them lie within it and none stands twice."""
    members: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        written = member.orig_filename
        if _escapes(written):
            refuse("KT401", f"archive with a file outside of itself: {quote(written)}", Place(name))
        if member.filename in members:
            refuse("KT404", f"archive has {quote(member.filename)} twice", Place(name))
        members[member.filename] = member
    return members


def _escapes(written: str) -> bool:
    parts = written.replace("\\", "/").split("/")
    return ".." in parts or parts[0] == "" or ":" in parts[0] or "\0" in written


def _only_score(members: dict[str, zipfile.ZipInfo], name: str) -> zipfile.ZipInfo:
    scores = [
        member
        for written, member in members.items()
        if PurePosixPath(written).suffix.lower() in (".musicxml", ".xml")
        and not written.startswith(("META-INF/", "__MACOSX/"))
    ]
    if len(scores) == 1:
        return scores[0]
    count = "no score" if not scores else f"{len(scores)} scores"
    message = f"archive without {CONTAINER} has {count}"
    refuse("KT404", message, Place(name), "it says which file is the score")


class _Container(XmlReader):
    """Takes the first root file that a container names."""

    path: str | None = None

    def start(self, name: str, attributes: dict[str, str]) -> bool:
        """Take a start tag."""
        if name.rpartition(":")[2] == "rootfile" and self.path is None:
            self.path = attributes.get("full-path")
        return True


def _root_file(
    data: bytes, members: dict[str, zipfile.ZipInfo], name: str, limits: Limits
) -> zipfile.ZipInfo:
    container = _Container(decode_xml(data, name=name, encoding="utf-8", limits=limits), limits)
    container.parse()
    path = container.path
    if path is None:
        refuse("KT404", "container names no root file", Place(name))
    if _escapes(path):
        refuse("KT401", f"container names a file outside of the archive: {quote(path)}", Place(name))
    if path not in members:
        refuse("KT404", f"container names a file that is not in the archive: {quote(path)}", Place(name))
    return members[path]


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, limits: Limits) -> bytes:
    """Unpack one member, if it says that it stays within the budget: nothing gives more than it says."""
    if member.flag_bits & _ENCRYPTED:
        refuse("KT403", f"{quote(member.filename)} is encrypted", Place(name))
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        refuse("KT403", f"{quote(member.filename)} is packed by another method than deflate", Place(name))
    limit = limits.bytes * EXPANSION
    if member.compress_size * RATIO < limit:
        limit = max(SMALL, member.compress_size * RATIO)
    if member.file_size > limit:
        packed = f"{member.compress_size:,}"
        message = f"{quote(member.filename)} unpacks to more than {limit:,} bytes, from {packed}"
        refuse("KT402", message, Place(name), "this is no score")
    with archive.open(member) as stream:
        return stream.read(limit)
