# SPDX-License-Identifier: MIT
"""XML with positions, read as untrusted text: no entities, nothing fetched, every size bounded.

The text is decoded here and not by the parser, so that encodings fail as those of other files do and
columns count code points.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NoReturn, Protocol
from xml.parsers import expat

from kammerton.errors import DataError, Diagnostic, OptionError, Severity, clip, quote
from kammerton.formats.reading import IntervalOptions, Limits, Problems
from kammerton.formats.source import read_stream
from kammerton.model.annotations import Place

__all__ = [
    "Element",
    "MeasureConsumer",
    "Position",
    "ScoreProblems",
    "ScoreTree",
    "XmlConsumer",
    "XmlText",
    "decode_xml",
    "looks_like_xml",
    "parse_xml",
    "refuse",
]

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
"""What we say for what expat says."""


class XmlConsumer(Protocol):
    """Takes the events of a document; what it raises ends the parsing."""

    def start(self, name: str, attributes: dict[str, str], position: Callable[[], Position]) -> bool:
        """Take a start tag, and tell whether what stands in the element is wanted, and its end tag."""

    def end(self) -> None:
        """Take an end tag."""

    def characters(self, text: str) -> None:
        """Take a piece of text."""


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

    def value(self, name: str, position: Position, text: str) -> Place:
        """Return the place of the text that an element begins with, or of its tag if it is not there."""
        line, column = position
        written = text.strip()
        rest = self._lines[line - 1][column - 1 : column - 1 + _REACH]
        found = re.match(rf"<[^>]*>\s*(?={re.escape(written)})", rest) if written else None
        if found is None:
            return self.tag(name, position)
        return self.place((line, column + found.end()), len(written))


def refuse(code: str, message: str, place: Place, hint: str | None = None) -> NoReturn:
    """End the reading of a file with one error."""
    raise DataError((place.diagnose(Diagnostic(code=code, severity="error", message=message, hint=hint)),))


def looks_like_xml(data: bytes) -> bool:
    """Tell XML from other files by its first character, in the encodings that have a mark or are ASCII."""
    head = data[:64].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    return head.startswith(b"<")


def decode_xml(data: bytes, *, name: str, encoding: str, limits: Limits) -> XmlText:
    """Decode a document by its byte order mark, else by its declaration, else as the caller says."""
    declared = _DECLARATION.match(data.removeprefix(b"\xef\xbb\xbf"))
    if declared is not None:
        written = declared[1].decode("ascii", "replace")
        # who can read the declaration as ASCII has no wide encoding before him, whatever it says
        encoding = "utf-8" if _WIDE.match(written) else written
        try:
            IntervalOptions(encoding=encoding)
        except OptionError as error:
            problem = Diagnostic(
                code="KT350",
                severity="error",
                message=f"the document declares an unknown encoding: {quote(written)}",
                file=name,
                line=1,
                hint="save it as UTF-8",
            )
            raise DataError((problem,)) from error
    return XmlText(read_stream(io.BytesIO(data), name=name, encoding=encoding, limits=limits), name)


def parse_xml(source: XmlText, consumer: XmlConsumer, limits: Limits) -> None:
    """Parse a document."""
    _Parsing(source, consumer, limits).run()


class _Parsing:
    """One run of the parser."""

    def __init__(self, source: XmlText, consumer: XmlConsumer, limits: Limits) -> None:
        self._source = source
        self._consumer = consumer
        self._limits = limits
        self._open: list[tuple[str, int]] = []
        self._unwanted = 0
        """How many of the open elements, counted from within, the consumer does not want."""
        self._run = 0
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._doctype
        parser.SkippedEntityHandler = self._skipped

    def run(self) -> None:
        data = self._source.text.encode("utf-8", "surrogatepass")
        limit = self._limits.line
        try:
            for begin in range(0, len(data), _CHUNK):
                chunk = data[begin : begin + _CHUNK]
                self._parser.Parse(chunk, False)
                # the parser looks at an unfinished token again with each chunk: do not let it grow
                if begin + len(chunk) - self._parser.CurrentByteIndex > limit + _CHUNK:
                    message = f"tag or comment of more than {limit:,} characters"
                    refuse("KT106", message, self._source.place(self._position()))
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            self._malformed(error)

    def _position(self) -> Position:
        return self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._run = 0
        if len(self._open) >= self._limits.depth:
            message = f"XML nested more than {self._limits.depth} levels deep"
            refuse("KT106", message, self._source.tag(name, self._position()))
        self._open.append((name, self._parser.CurrentLineNumber))
        if self._unwanted or not self._consumer.start(name, attributes, self._position):
            self._unwanted += 1

    def _end(self, name: str) -> None:
        del name
        self._run = 0
        self._open.pop()
        if self._unwanted:
            self._unwanted -= 1
        else:
            self._consumer.end()

    def _characters(self, text: str) -> None:
        self._run += len(text)
        if self._run > self._limits.line:
            message = f"text of more than {self._limits.line:,} characters"
            refuse("KT106", message, Place(self._source.file, self._parser.CurrentLineNumber))
        if not self._unwanted:
            self._consumer.characters(text)

    def _doctype(self, name: str, system: str | None, public: str | None, has_subset: bool) -> None:
        found = _DOCTYPE.search(self._source.text)
        before = self._source.text[: found.start()] if found else ""
        position = (before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
        place = self._source.tag("!DOCTYPE", position)
        if has_subset:
            message = "document type declarations with entities are not accepted"
            refuse("KT351", message, place, "take out what stands in `[ ]` after `<!DOCTYPE`")
        identifier = public or system
        if identifier is not None and _SCORE_TYPE.fullmatch(identifier) is None:
            message = f"document type is not that of MusicXML: {quote(identifier)}"
            refuse("KT351", message, place, f"take out the line that begins with `<!DOCTYPE {clip(name)}`")

    def _skipped(self, name: str, is_parameter: bool) -> None:
        del is_parameter
        self._fail(f"undefined entity {quote(f'&{name};')}", self._source.place(self._position()))

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
        else:
            message = _WORDS.get(message, message)
        self._fail(message, self._source.place((line, column)))

    def _fail(self, message: str, place: Place) -> NoReturn:
        refuse("KT350", f"not well-formed XML: {message}", place)


_LAYOUTS = {
    "score-partwise": ("score-partwise", "part", "measure"),
    "score-timewise": ("score-timewise", "measure", "part"),
}
_WHOLE = frozenset(("note", "backup", "forward", "attributes", "direction"))
"""Children of a measure that are handed over, each when it is complete."""
_KEPT = frozenset(
    [
        "grace",
        "cue",
        "chord",
        "pitch",
        "unpitched",
        "rest",
        "step",
        "alter",
        "octave",
        "duration",
        "tie",
        "tied",
        "voice",
        "staff",
        "notations",
        "technical",
        "fingering",
        "lyric",
        "text",
        "direction-type",
        "words",
        "divisions",
        "time",
        "beats",
        "beat-type",
        "staves",
        "transpose",
        "chromatic",
        "octave-change",
    ]
)
"""What is kept of them."""
_FREE = frozenset(("text", "words"))
"""Elements whose text may be of any length; what is too long is nothing that is looked for."""
_LARGEST = 1_000
"""Elements that one note may hold."""


@dataclass(slots=True, eq=False)
class Element:
    """An element, complete."""

    name: str
    attributes: dict[str, str]
    position: Position  # line and column of its start tag
    text: str = ""  # all text directly within it
    # or an empty tuple: most elements have none, and lists take time to make
    children: list[Element] | tuple[()] = ()

    def grow(self, child: Element) -> None:
        """Add a child."""
        if isinstance(self.children, tuple):
            self.children = [child]
        else:
            self.children.append(child)

    def fields(self) -> dict[str, Element]:
        """Return the first child of each name."""
        return {child.name: child for child in reversed(self.children)}

    def find(self, name: str) -> Element | None:
        """Return the first child of this name, or None."""
        for child in self.children:
            if child.name == name:
                return child
        return None

    def all(self, *path: str) -> Iterator[Element]:
        """Give every descendant down a path of names, in their order."""
        for child in self.children:
            if child.name == path[0]:
                if len(path) == 1:
                    yield child
                else:
                    yield from child.all(*path[1:])


class ScoreProblems:
    """Problems of a score, each with the place of an element."""

    def __init__(self, problems: Problems, source: XmlText) -> None:
        self.problems = problems
        self.source = source

    def say(
        self,
        code: str,
        severity: Severity,
        message: str,
        element: Element,
        where: object | None = None,
        hint: str | None = None,
    ) -> None:
        """Add a problem of an element; ``where`` is its place in the music."""
        problem = Diagnostic(code=code, severity=severity, message=message, hint=hint)
        self.add(problem, element, where)

    def add(self, problem: Diagnostic, element: Element, where: object | None = None) -> None:
        """Add a problem whose column, if it has one, lies within the text of the element."""
        if not self.problems.room(problem.code):  # places of what is not listed are not looked for
            self.problems.add_unlisted(problem.code, 1)
            return
        place = self._place(element)
        if place.length != len(element.text.strip()):
            problem = problem.at(column=None)
        message = problem.message if where is None else f"{problem.message} ({where})"
        self.problems.add(place.diagnose(problem.at(message=message)))

    def _place(self, element: Element) -> Place:
        if element.text.strip():
            return self.source.value(element.name, element.position, element.text)
        return self.source.tag(element.name, element.position)


class MeasureConsumer(Protocol):
    """Takes the measures of each part."""

    def begin(self, part: str, measure: int, number: str, *, is_implicit: bool) -> None:
        """Take up a measure of a part; measures are counted from 0."""

    def take(self, element: Element) -> None:
        """Take the next element of the measure."""

    def close(self) -> None:
        """End the measure."""


class ScoreTree:
    """Follows a document down to its measures; an :class:`XmlConsumer`."""

    def __init__(self, source: XmlText, consumer: MeasureConsumer, limits: Limits) -> None:
        self._source = source
        self._consumer = consumer
        self._limits = limits
        self._layout: tuple[str, ...] = ()
        self._path: list[tuple[str, dict[str, str]]] = []
        self._counts = [0, 0, 0]
        self._tree: list[Element] = []
        self._size = 0

    def start(self, name: str, attributes: dict[str, str], position: Callable[[], Position]) -> bool:
        """Take a start tag, and tell whether what stands in the element is wanted."""
        if self._tree:
            return name in _KEPT and self._grow(name, attributes, position())
        if len(self._path) < 3:
            return self._descend(name, attributes, position())
        if name in _WHOLE:
            self._size = 0
            self._tree.append(Element(name, attributes, position()))
            return True
        return False

    def end(self) -> None:
        """Take an end tag."""
        if self._tree:
            element = self._tree.pop()
            if not self._tree:
                self._consumer.take(element)
        else:
            if len(self._path) == 3:
                self._consumer.close()
            self._path.pop()

    def characters(self, text: str) -> None:
        """Take a piece of text."""
        if self._tree:
            element = self._tree[-1]
            if not element.text and text.isspace():
                return  # what stands between its children
            element.text += text
            if len(element.text) > self._limits.label and element.name in _FREE:
                element.text = element.text[: self._limits.label]
            elif len(element.text) > self._limits.label:
                message = f"text of more than {self._limits.label:,} characters"
                refuse("KT106", message, self._source.tag(element.name, element.position))

    def _grow(self, name: str, attributes: dict[str, str], position: Position) -> bool:
        self._size += 1
        if self._size > _LARGEST:
            whole = self._tree[0]
            message = f"more than {_LARGEST:,} elements in one {quote(f'<{whole.name}>')}"
            refuse("KT106", message, self._source.tag(whole.name, whole.position))
        element = Element(name, attributes, position)
        self._tree[-1].grow(element)
        self._tree.append(element)
        return True

    def _descend(self, name: str, attributes: dict[str, str], position: Position) -> bool:
        depth = len(self._path)
        if depth == 0:
            self._layout = _LAYOUTS.get(name) or self._not_a_score(name, position)
        if name != self._layout[depth]:
            return False
        self._path.append((name, attributes))
        self._counts[depth] += 1
        self._counts[depth + 1 :] = [0] * (2 - depth)
        if depth == 2:
            found = dict(self._path)
            measure = self._counts[self._layout.index("measure")]
            self._consumer.begin(
                found["part"].get("id", ""),
                measure - 1,
                found["measure"].get("number", str(measure)),
                is_implicit=found["measure"].get("implicit") == "yes",
            )
        return True

    def _not_a_score(self, name: str, position: Position) -> tuple[str, ...]:
        message = f"not a score in MusicXML: its root is {quote(f'<{name}>')}"
        hint = "an opus lists scores: read those" if name == "opus" else None
        refuse("KT352", message, self._source.tag(name, position), hint)
