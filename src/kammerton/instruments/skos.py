# SPDX-License-Identifier: MIT
"""Statements of a Turtle text (W3C Recommendation, RDF 1.1 Turtle), as far as taxonomies need them.

Blank nodes in brackets and collections are not read: nothing about concepts is said with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from urllib.parse import unquote

from kammerton.errors import DataError, Diagnostic, quote
from kammerton.formats.json_places import JsonPlaces, Span
from kammerton.formats.reading import Problems
from kammerton.instruments.taxonomy import Links

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
    """A name or a text, and where it stands."""

    value: str  # whole IRI, or the text
    is_text: bool
    language: str  # of a text, if it is told
    span: Span  # offsets of the source


Statement = tuple[Term, Term, Term]
"""Subject, predicate and object."""


def read_statements(text: str, places: JsonPlaces) -> Iterator[Statement]:
    """Give the statements of a text.

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


_SKOS = "http://www.w3.org/2004/02/skos/core#"
_BROADER, _NARROWER, _LABEL = (f"{_SKOS}{name}" for name in ("broader", "narrower", "prefLabel"))
_LANGUAGES = ("", "en")
"""Languages of labels, the preferred first; others come last."""


def read_skos(text: str, links: Links, problems: Problems) -> None:
    """Read a thesaurus: a concept is below those that are broader, and has its preferred label as its name.

    Notes
    -----
    A concept without a preferred label is called by the end of its IRI. Alternative labels are not names.
    """
    places = JsonPlaces(text, problems.file)
    try:
        statements = list(read_statements(text, places))
    except DataError as error:
        problems.add(error.diagnostics[0])
        return
    above: dict[tuple[str, str], Term] = {}
    concepts: dict[str, Term] = {}
    for subject, predicate, object_ in statements:
        if predicate.value in (_BROADER, _NARROWER) and not object_.is_text:
            below, over = (subject, object_) if predicate.value == _BROADER else (object_, subject)
            above.setdefault((below.value, over.value), object_)
            concepts.setdefault(subject.value, subject)
            concepts.setdefault(object_.value, object_)
        elif predicate.value == _LABEL:
            concepts.setdefault(subject.value, subject)
    names = _names(concepts, _labels(statements), links, places)
    for (lower, higher), term in above.items():
        if lower in names and higher in names:
            links.put(names[lower], names[higher], partial(places.at, term.span))


def _labels(statements: list[Statement]) -> dict[str, Term]:
    """Return the preferred label of each concept: in no language, in English, or else the first."""
    found: dict[str, Term] = {}
    for subject, predicate, object_ in statements:
        if predicate.value == _LABEL and object_.is_text:
            known = found.get(subject.value)
            if known is None or _rank(object_) < _rank(known):
                found[subject.value] = object_
    return found


def _rank(label: Term) -> int:
    language = label.language.lower().partition("-")[0]
    return _LANGUAGES.index(language) if language in _LANGUAGES else len(_LANGUAGES)


def _names(
    concepts: dict[str, Term], labels: dict[str, Term], links: Links, places: JsonPlaces
) -> dict[str, str]:
    """Return the name of each concept, and take it up as a node."""
    names: dict[str, str] = {}
    first: dict[str, str] = {}
    for iri, term in concepts.items():
        label = labels.get(iri, term)
        locate = partial(places.at, label.span)
        name = links.name(label.value if label.is_text else _called(iri), locate)
        if name is None:
            continue
        if first.setdefault(name, iri) != iri:
            links.say("error", "KT642", f"two concepts of one name: {quote(name)}", locate)
            continue
        names[iri] = name
        links.node(name, locate)
    return names


def _called(iri: str) -> str:
    return unquote(re.split("[#/]", iri)[-1]).replace("_", " ")
