# SPDX-License-Identifier: MIT
"""Statements of a Turtle text (W3C Recommendation, RDF 1.1 Turtle), as far as taxonomies need them.

Blank nodes in brackets and collections are not read: nothing about concepts is said with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kammerton.errors import DataError, Diagnostic, quote
from kammerton.formats.json_positions import JsonPlaces, Span

__all__ = ["Statement", "Term", "read_statements"]

_LOCAL = r"(?:[\w%:/-]|\\[^\w\s]|\.(?=[\w%:/-]))*"
_TOKEN = re.compile(
    rf"""
    (?P<space>(?:\s|\#[^\n]*)+)
    |(?P<iri><[^<>"{{}}|^`\s]*>)
    |(?P<text>(?:\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
        (?:@(?P<language>[A-Za-z-]+)|\^\^(?:<[^<>\s]*>|[\w.-]*:{_LOCAL}))?
    |(?P<directive>@prefix|@base|PREFIX\b|BASE\b)
    |(?P<name>(?:[\w-]|\.(?=[\w-]))*:{_LOCAL})
    |(?P<word>a\b|true\b|false\b|[+-]?[0-9.]*[0-9](?:[eE][+-]?[0-9]+)?)
    |(?P<mark>[;,.])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
_LAST = 0x10FFFF
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


@dataclass(frozen=True, slots=True)
class Term:
    """A name or a text, and where it stands.

    Parameters
    ----------
    value : str
        Whole IRI, or the text.
    is_text : bool
    language : str
        Of a text, if it is told.
    span : (int, int)
        Offsets of the source.
    """

    value: str
    is_text: bool
    language: str
    span: Span


Statement = tuple[Term, Term, Term]
"""Subject, predicate and object."""


def read_statements(text: str, places: JsonPlaces) -> Iterator[Statement]:
    """Give the statements of a text.

    Parameters
    ----------
    text : str
        In Turtle.
    places : JsonPlaces
        Finds places of the text.

    Yields
    ------
    tuple of Term
        Subject, predicate, object.

    Raises
    ------
    DataError
        If the text is not in Turtle, or has blank nodes or collections (KT652).

    Examples
    --------
    >>> text = '@prefix m: <http://x#> . m:Reeds m:broader m:Woodwind ; m:label "reeds", "r" .'
    >>> [triple[2].value for triple in read_statements(text, JsonPlaces(text, "x.ttl"))]
    ['http://x#Woodwind', 'reeds', 'r']
    """
    return _Reader(text, places).statements()


class _Reader:
    def __init__(self, text: str, places: JsonPlaces) -> None:
        self._text = text
        self._places = places
        self._prefixes: dict[str, str] = {}
        self._tokens = self._cut()
        self._now = next(self._tokens)

    def _cut(self) -> Iterator[re.Match[str] | None]:
        """Give the tokens, and None at the end."""
        offset = 0
        while offset < len(self._text):
            found = _TOKEN.match(self._text, offset)
            if found is None:
                raise self._refused((offset, offset + 1))
            offset = found.end()
            if found.lastgroup != "space":
                yield found
        yield None

    def _refused(self, span: Span) -> DataError:
        shown = quote(self._text[slice(*span)]) if span[0] < len(self._text) else "the end"
        problem = Diagnostic(code="KT652", severity="error", message=f"not Turtle as it is read: {shown}")
        return DataError([self._places.at(span).diagnose(problem)])

    def _unexpected(self) -> DataError:
        end = len(self._text)
        return self._refused((end, end) if self._now is None else self._now.span())

    def _take(self, kind: str, text: str | None = None) -> re.Match[str]:
        """Return the token that stands here, which must be of a kind, and go on."""
        found = self._now
        if found is None or found.group(kind) is None or text not in (None, found.group(kind)):
            raise self._unexpected()
        self._now = next(self._tokens)
        return found

    def _is(self, kind: str, text: str | None = None) -> bool:
        given = None if self._now is None else self._now.group(kind)
        return given is not None and text in (None, given)

    def statements(self) -> Iterator[Statement]:
        while self._now is not None:
            if self._is("directive"):
                self._take_directive()
                continue
            subject = self._term()
            yield from self._about(subject)
            self._take("mark", ".")

    def _take_directive(self) -> None:
        which = self._take("directive").group()
        if which.lower().endswith("prefix"):
            prefix = self._take("name").group().removesuffix(":")
            self._prefixes[prefix] = self._take("iri").group("iri")[1:-1]
        else:
            self._take("iri")  # names are compared as they are written
        if which.startswith("@"):
            self._take("mark", ".")

    def _about(self, subject: Term) -> Iterator[Statement]:
        """Give what is said of a subject: predicates between semicolons, objects between commas."""
        while True:
            predicate = self._term()
            yield subject, predicate, self._term()
            while self._is("mark", ","):
                self._take("mark")
                yield subject, predicate, self._term()
            if not self._is("mark", ";"):
                return
            while self._is("mark", ";"):
                self._take("mark")
            if self._is("mark", "."):
                return

    def _term(self) -> Term:
        now = self._now
        if self._is("text"):
            found = self._take("text")
            return Term(self._plain(found), True, found.group("language") or "", found.span())
        if self._is("iri"):
            found = self._take("iri")
            return Term(found.group("iri")[1:-1], False, "", found.span())
        if self._is("word"):
            found = self._take("word")
            is_type = found.group() == "a"
            return Term(_TYPE if is_type else found.group(), not is_type, "", found.span())
        if now is None or now.group("name") is None:
            raise self._unexpected()
        prefix, _, local = now.group("name").partition(":")
        if prefix not in self._prefixes:
            raise self._unexpected()
        self._take("name")
        return Term(self._prefixes[prefix] + re.sub(r"\\(.)", r"\1", local), False, "", now.span())

    def _plain(self, found: re.Match[str]) -> str:
        """Return a text without its quotes and escapes."""
        written = found.group("text")
        marks = 3 if written[:3] in ('"""', "'''") else 1

        def plain(escape: re.Match[str]) -> str:
            code = escape[1] or escape[2]
            if code is None:
                return _ESCAPED.get(escape[3], escape[3])
            if int(code, 16) > _LAST:
                raise self._refused(found.span("text"))
            return chr(int(code, 16))

        return _ESCAPE.sub(plain, written[marks:-marks])
