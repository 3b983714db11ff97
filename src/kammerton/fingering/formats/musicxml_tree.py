# SPDX-License-Identifier: MIT
"""From the events of a MusicXML document to its measures, one element of interest at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from kammerton.errors import Diagnostic, Severity, quote
from kammerton.fingering.formats.xml_document import Position, XmlText, refuse
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.model.annotations import Place

__all__ = ["Element", "MeasureConsumer", "ScoreProblems", "ScoreTree"]

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
    """An element, complete.

    Parameters
    ----------
    name : str
    attributes : dict of str to str
    position : tuple of int
        Line and column of its start tag.
    text : str
        All text directly within it.
    children : list of Element
        Or an empty tuple: most elements have none, and lists take time to make.
    """

    name: str
    attributes: dict[str, str]
    position: Position
    text: str = ""
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
    """Follows a document down to its measures; an :class:`XmlConsumer`.

    Parameters
    ----------
    source : XmlText
        The document.
    consumer : MeasureConsumer
        Takes its measures, in the order of the document.
    limits : Limits
        ``label`` bounds the text of an element.
    """

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
