# SPDX-License-Identifier: MIT
"""Concepts of SKOS (W3C Recommendation, 2009) in Turtle: which are broader, and what they are called."""

from __future__ import annotations

import re
from functools import partial
from urllib.parse import unquote

from kammerton.errors import DataError, quote
from kammerton.formats.json_positions import JsonPlaces
from kammerton.formats.reading import Problems
from kammerton.instruments.taxonomy_links import Links
from kammerton.instruments.taxonomy_readers.turtle import Statement, Term, read_statements

__all__ = ["read_skos"]

_SKOS = "http://www.w3.org/2004/02/skos/core#"
_BROADER, _NARROWER, _LABEL = (f"{_SKOS}{name}" for name in ("broader", "narrower", "prefLabel"))
_LANGUAGES = ("", "en")
"""Languages of labels, the preferred first; others come last."""


def read_skos(text: str, links: Links, problems: Problems) -> None:
    """Read a thesaurus: a concept is below those that are broader, and has its preferred label as its name.

    Parameters
    ----------
    text : str
        In Turtle.
    links : Links
        Takes the nodes.
    problems : Problems
        Takes KT652.

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
