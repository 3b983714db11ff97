# SPDX-License-Identifier: MIT
"""Taxonomies of files: JSON, YAML, tables and Turtle, and those of the package."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib.resources import files
from pathlib import PurePath
from typing import Any, Protocol
from urllib.parse import unquote

from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.formats.json_places import JsonPlaces, Pointer, TextSpan, decode, offset_of
from kammerton.formats.reading import Limits, Problems
from kammerton.formats.source import read_text
from kammerton.formats.tables import TableShape, composed, named_rows
from kammerton.instruments.taxonomy import RENAME, Links, Locate, Taxonomy
from kammerton.model.annotations import Place

FORMS = "`kammerton explain KT647` shows the forms that are read"


class PlacedValue(Protocol):
    """A value, and where its parts stand."""

    @property
    def value(self) -> object:
        """Mappings, lists and text; what JSON has beside them."""

    def of(self, pointer: Pointer) -> Place:
        """Return the place of a part."""

    def key(self, pointer: Pointer) -> Place:
        """Return the place of the key of a part."""


_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Json:
    value: object
    places: JsonPlaces

    def of(self, pointer: Pointer) -> Place:
        return self.places.of(pointer)

    def key(self, pointer: Pointer) -> Place:
        begin, value = (offset_of(self.places.text, way) for way in (pointer[:-1], pointer))
        *_, key = _STRING.finditer(self.places.text, begin or 0, value or 0)
        return self.places.at(key.span())


def read_json(text: str, problems: Problems, limits: Limits) -> PlacedValue | None:
    """Return a JSON text as a source, or report why it is none."""
    places = JsonPlaces(text, problems.file)
    document = decode(places, problems, limits)
    return None if document is None else _Json(document.value, places)


class _Nested:
    """Takes up names from the outer to the inner ones, and holds them against each other."""

    def __init__(self, source: PlacedValue, links: Links) -> None:
        self._source = source
        self._links = links
        self._is_tree = True
        self._families: set[str] = set()
        self._leaves: dict[str, str | None] = {}
        """Names without members, with the family that each was first found in."""

    def members(self, value: object, family: str | None, pointer: Pointer) -> None:
        """Take up what a family, or the whole, is mapped to."""
        if isinstance(value, dict):
            for key, inner in value.items():
                self._family(key, inner, family, (*pointer, key))
        elif isinstance(value, list):
            for index, element in enumerate(value):
                if isinstance(element, str):
                    self._leaf(element, family, partial(self._source.of, (*pointer, index)))
                elif isinstance(element, dict):
                    self.members(element, family, (*pointer, index))
                else:
                    self._refuse("a name, or a family with its members", (*pointer, index))
        elif value is not None:
            self._refuse("a list of names, or families" if pointer else "a mapping, or a list", pointer)

    def _refuse(self, expected: str, pointer: Pointer) -> None:
        self._is_tree = False
        locate = partial(self._source.of, pointer)
        self._links.say("error", "KT647", f"not a taxonomy: expected {expected}", locate, FORMS)

    def _family(self, key: str, inner: object, family: str | None, pointer: Pointer) -> None:
        locate = partial(self._source.key, pointer)
        if not inner and isinstance(inner, dict | list | None):
            self._leaf(key, family, locate)
            return
        name = self._links.name(key, locate)
        if name is not None and self._is_tree:  # else keys are no families, and repeats mean nothing
            self._check_family(name, locate)
            self._put(name, family, locate)
        self.members(inner, name, pointer)

    def _check_family(self, name: str, locate: Locate) -> None:
        if name in self._families:
            message = f"two families of one name: {quote(name)}"
            self._links.say("error", "KT642", message, locate, RENAME)
        elif name in self._leaves:
            message = f"{quote(name)} is a family here, and has no members elsewhere"
            self._links.say("error", "KT643", message, locate, RENAME)
        self._families.add(name)

    def _leaf(self, text: str, family: str | None, locate: Locate) -> None:
        name = self._links.name(text, locate)
        if name is None:
            return
        if name in self._families and name != family:
            message = f"{quote(name)} has no members here, and is a family elsewhere"
            self._links.say("error", "KT643", message, locate, RENAME)
            return
        first = family if name == family else self._leaves.setdefault(name, family)
        if first != family:
            both = ("at the top" if name is None else f"below {quote(name)}" for name in (first, family))
            message = f"one node at several places: {quote(name)} stands {' and '.join(both)}"
            self._links.say("note", "KT648", message, locate)
        self._put(name, family, locate)

    def _put(self, name: str, family: str | None, locate: Locate) -> None:
        if family is None:
            self._links.node(name, locate)
        else:
            self._links.put(name, family, locate)


_TOP = "Musical instrument"
"""Class of AudioSet that holds all instruments."""
_Classes = dict[str, tuple[int, dict[str, Any]]]
"""Classes by identifier, each with its place in the list."""


def _has(record: object, names: Sequence[str], members: str | None = None) -> bool:
    """Return whether a record has text under some names, and perhaps a list of text."""
    if not isinstance(record, dict):
        return False
    inner = [] if members is None else record.get(members)
    texts = (record.get(name) for name in names)
    return isinstance(inner, list) and all(isinstance(text, str) for text in (*texts, *inner))


def _read_ontology(source: PlacedValue, links: Links, top: str) -> dict[str, str]:
    """Read what is below one class of a list of classes; return the names of all by identifier."""
    classes = _classes(source, links)
    tops = [id_ for id_, (_, element) in classes.items() if composed(element["name"]) == top]
    texts = (
        (id_, classes[id_][1]["name"], partial(source.of, (classes[id_][0], "name")))
        for id_ in (_reached(classes, tops) if tops else classes)
    )
    names = links.names(texts, "classes")
    for id_, name in names.items():
        index, element = classes[id_]
        for number, child in enumerate(element["child_ids"]):
            locate = partial(source.of, (index, "child_ids", number))
            if child in names:
                links.put(names[child], name, locate)
            elif child not in classes:
                links.say("error", "KT644", f"no class has the identifier {quote(child)}", locate)
    return {id_: composed(element["name"]) for id_, (_, element) in classes.items()}


def _classes(source: PlacedValue, links: Links) -> _Classes:
    """Return the classes by identifier; report elements that are none."""
    classes: _Classes = {}
    elements: Any = source.value
    for index, element in enumerate(elements):
        if not _has(element, ("id", "name"), "child_ids"):
            message = "not a class: expected `id`, `name` and a list `child_ids`, all of them text"
            links.say("error", "KT647", message, partial(source.of, (index,)), FORMS)
        elif element["id"] in classes:
            message = f"identifier stands twice: {quote(element['id'])}"
            links.say("error", "KT642", message, partial(source.of, (index, "id")))
        else:
            classes[element["id"]] = index, element
    return classes


def _reached(classes: _Classes, tops: list[str]) -> list[str]:
    """Return the classes below some, and those themselves: each behind one that holds it."""
    reached: dict[str, None] = {}
    waiting = list(reversed(tops))
    while waiting:
        id_ = waiting.pop()
        if id_ in classes and id_ not in reached:
            reached[id_] = None
            waiting += reversed(classes[id_][1]["child_ids"])
    return list(reached)


_SHAPE = TableShape(
    "KT649",
    (("node", "child", "instrument", "label", "name"), ("parent", "parents", "family", "class", "category")),
    repeats=True,
)


def _read_parents(source: PlacedValue, pointer: Pointer, links: Links) -> None:
    """Read a mapping of nodes to the parent, or the list of parents, that each has."""
    parents: Any = source.value
    for step in pointer:
        parents = parents[step]
    for key, above in parents.items():
        way = (*pointer, key)
        texts = [(above, partial(source.of, way))] if above is not None else []
        if isinstance(above, list):
            texts = [(parent, partial(source.of, (*way, index))) for index, parent in enumerate(above)]
        links.put_named(key, partial(source.key, way), _texts(texts, links))


def _texts(values: Iterable[tuple[object, Locate]], links: Links) -> Iterator[tuple[str, Locate]]:
    """Give the values that are text; report the others."""
    for value, locate in values:
        if isinstance(value, str):
            yield value, locate
        else:
            links.say("error", "KT647", "not a taxonomy: expected the name of a parent", locate, FORMS)


def read_parents_table(text: str, links: Links, problems: Problems, limits: Limits) -> None:
    """Read a table ``node,parent``: several parents in several rows, or columns."""
    for row in named_rows(text, _SHAPE, problems, limits):
        parents = [
            (cell, partial(row.place, index)) for index, cell in enumerate(row.cells) if index and cell
        ]
        links.put_named(row.cells[0], partial(row.place, 0), parents)


_NUMBERED = ("name", "class")
_CODED = _LABEL, _INSTRUMENTS = "Label", "Instruments"
"""Members of records by number, and by code."""


def _are_records(value: object) -> bool:
    """Return whether a value is a mapping to records of one of the two kinds."""
    first = next(iter(value.values()), None) if isinstance(value, dict) else None
    return isinstance(first, dict) and any(
        isinstance(first.get(text), str) and other in first for text, other in (_NUMBERED, _CODED)
    )


def _read_records(source: PlacedValue, links: Links) -> None:
    """Read a mapping of numbers to names and classes, or of codes to labels and instruments."""
    records: Any = source.value
    by_code = _LABEL in next(iter(records.values()))
    usable = {}
    for key, record in records.items():
        if _has(record, (_LABEL,), _INSTRUMENTS) if by_code else _has(record, _NUMBERED):
            usable[key] = record
        else:
            wanted = "`Label` and a list `Instruments`" if by_code else "`name` and `class`"
            message = f"not a record: expected {wanted}, all of it text"
            links.say("error", "KT647", message, partial(source.key, (key,)), FORMS)
    (_put_codes if by_code else _put_numbers)(source, usable, links)


def _put_numbers(source: PlacedValue, records: Mapping[str, Any], links: Links) -> None:
    for key, record in records.items():
        name, above = (links.name(record[field], partial(source.of, (key, field))) for field in _NUMBERED)
        locate = partial(source.of, (key, _NUMBERED[0]))
        if name is not None and name == above:  # the drums are a class of their own
            links.node(name, locate)
        elif name is not None and above is not None:
            links.put(name, above, locate)


def _put_codes(source: PlacedValue, records: Mapping[str, Any], links: Links) -> None:
    """Put classes below classes, and instruments below theirs, unless a class has their name."""
    texts = ((code, record[_LABEL], partial(source.of, (code, _LABEL))) for code, record in records.items())
    names = links.names(texts, "classes")
    for code, name in names.items():
        parent = next((code[:end] for end in range(len(code) - 1, 0, -1) if code[:end] in names), None)
        if parent is not None:
            links.put(name, names[parent], partial(source.of, (code, _LABEL)))
    labels = frozenset(names.values())
    for code, name in names.items():
        for place, text in enumerate(records[code][_INSTRUMENTS]):
            locate = partial(source.of, (code, _INSTRUMENTS, place))
            instrument = links.name(text, locate)
            if instrument is None or instrument == name:
                continue
            if instrument in labels:
                message = f"instrument left out: {quote(instrument)} is a class of its own"
                links.say("note", "KT648", message, locate)
            else:
                links.put(instrument, name, locate)


_PARENTS, _TREE = "parents", "tree"
"""Members that say what they hold: parents of nodes, and families with their members."""


def _read_tree(source: PlacedValue, links: Links, top: str | None) -> None:
    """Read a taxonomy from JSON or YAML."""
    value = source.value
    if isinstance(value, list) and any(isinstance(part, dict) and "child_ids" in part for part in value):
        links.ids = _read_ontology(source, links, _TOP if top is None else top)
    elif _are_records(value):
        _read_records(source, links)
    elif isinstance(value, dict) and isinstance(value.get(_PARENTS), dict):
        _read_heading(value, links)
        _read_parents(source, (_PARENTS,), links)
    elif isinstance(value, dict) and isinstance(value.get(_TREE), dict | list):
        _read_heading(value, links)
        _Nested(source, links).members(value[_TREE], None, (_TREE,))
    elif isinstance(value, dict) and _is_by_parents(value, source, links):
        _read_parents(source, (), links)
    else:
        _Nested(source, links).members(value, None, ())


def _read_heading(value: Mapping[str, object], links: Links) -> None:
    source, licence, root = (
        text if isinstance(text, str) else "" for text in map(value.get, ("source", "licence", "root"))
    )
    links.source, links.licence = source, licence
    links.root = composed(root) if isinstance(value.get("root"), str) else None


def _is_by_parents(value: Mapping[str, object], source: PlacedValue, links: Links) -> bool:
    """Return whether keys are nodes and values their parents, and not families and their members.

    A single name is a parent. Of lists only: there are fewer families than members.
    """
    named: set[str] = set()
    for members in value.values():
        texts: list[Any] = members if isinstance(members, list) else [] if members is None else [members]
        if not all(isinstance(text, str) for text in texts):
            return False
        named.update(texts)
    has_single = any(isinstance(members, str) for members in value.values())
    if has_single or not named:
        return has_single
    by_parents = len(named) < len(value)
    read = "node: its parents" if by_parents else "family: its members"
    hint = f'{{"{_TREE if by_parents else _PARENTS}": {{...}}}} around it says the other'
    place: Pointer = (next(iter(value)),)
    links.say("note", "KT650", f"lists are read as `{read}`", partial(source.key, place), hint)
    return by_parents


# --- SKOS ------------------------------------------------------------------------------------

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
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_BROADER, _NARROWER, _PREFERRED = (f"{_SKOS}{name}" for name in ("broader", "narrower", "prefLabel"))
_LANGUAGES = ("", "en")
"""Languages of labels, the preferred first; others come last."""


@dataclass(frozen=True, slots=True)
class _Term:
    """A name or a text, and where it stands."""

    value: str  # whole IRI, or the text
    is_text: bool
    language: str  # of a text, if it has one
    span: TextSpan  # offsets of the source


_Statement = tuple[_Term, _Term, _Term]
"""Subject, predicate and object."""


class _Turtle:
    """Reads the statements of a Turtle text (W3C Recommendation, RDF 1.1 Turtle), as far as SKOS needs them.

    Blank nodes in brackets and collections are not read: nothing about concepts is said with them.
    """

    def __init__(self, places: JsonPlaces) -> None:
        self._text = places.text
        self._places = places
        self._prefixes: dict[str, str] = {}
        self._tokens = self._cut()
        self._token = next(self._tokens)

    def _cut(self) -> Iterator[re.Match[str] | None]:
        """Give the tokens, and None at the end."""
        offset = 0
        while offset < len(self._text):
            token = _TOKEN.match(self._text, offset)
            if token is None:
                raise self._refused((offset, offset + 1))
            offset = token.end()
            if token.lastgroup != "space":
                yield token
        yield None

    def _refused(self, span: TextSpan) -> DataError:
        shown = quote(self._text[slice(*span)]) if span[0] < len(self._text) else "the end"
        problem = Diagnostic(code="KT652", severity="error", message=f"not Turtle as it is read: {shown}")
        return DataError([self._places.at(span).diagnose(problem)])

    def _unexpected(self) -> DataError:
        end = len(self._text)
        return self._refused((end, end) if self._token is None else self._token.span())

    def _next(self, kind: str, text: str | None = None) -> re.Match[str] | None:
        """Return the token that stands here and go on behind it, if it is of a kind."""
        token = self._token
        if token is None or token[kind] is None or text not in (None, token[kind]):
            return None
        self._token = next(self._tokens)
        return token

    def _take(self, kind: str, text: str | None = None) -> re.Match[str]:
        token = self._next(kind, text)
        if token is None:
            raise self._unexpected()
        return token

    def statements(self) -> Iterator[_Statement]:
        """Give the statements."""
        while self._token is not None:
            if directive := self._next("directive"):
                self._declare(directive[0])
            else:
                yield from self._about(self._term())
                self._take("mark", ".")

    def _declare(self, directive: str) -> None:
        if directive.lower().endswith("prefix"):
            prefix = self._take("name")[0].removesuffix(":")
            self._prefixes[prefix] = self._take("iri")[0][1:-1]
        else:
            self._take("iri")  # names are compared as they are written
        if directive.startswith("@"):
            self._take("mark", ".")

    def _about(self, subject: _Term) -> Iterator[_Statement]:
        """Give what is said of a subject: predicates between semicolons, objects between commas."""
        while True:
            predicate = self._term()
            yield subject, predicate, self._term()
            while self._next("mark", ","):
                yield subject, predicate, self._term()
            if not self._next("mark", ";"):
                return
            while self._next("mark", ";"):
                pass
            if self._token is not None and self._token["mark"] == ".":
                return

    def _term(self) -> _Term:
        if token := self._next("text"):
            return _Term(self._plain(token), True, token["language"] or "", token.span())
        if token := self._next("iri"):
            return _Term(token[0][1:-1], False, "", token.span())
        if token := self._next("word"):
            is_type = token[0] == "a"
            return _Term(_TYPE if is_type else token[0], not is_type, "", token.span())
        name = "" if self._token is None else self._token["name"] or ""
        prefix, mark, local = name.partition(":")
        if not mark or prefix not in self._prefixes:
            raise self._unexpected()
        span = self._take("name").span()
        return _Term(self._prefixes[prefix] + re.sub(r"\\(.)", r"\1", local), False, "", span)

    def _plain(self, token: re.Match[str]) -> str:
        """Return a text without its quotes and escapes."""
        written = token["text"]
        marks = 3 if written[:3] in ('"""', "'''") else 1

        def plain(escape: re.Match[str]) -> str:
            code = escape[1] or escape[2]
            if code is None:
                return _ESCAPED.get(escape[3], escape[3])
            if int(code, 16) > sys.maxunicode:
                raise self._refused(token.span("text"))
            return chr(int(code, 16))

        return _ESCAPE.sub(plain, written[marks:-marks])


def _language_rank(label: _Term) -> int:
    language = label.language.lower().partition("-")[0]
    return _LANGUAGES.index(language) if language in _LANGUAGES else len(_LANGUAGES)


def _read_skos(text: str, links: Links, problems: Problems) -> None:
    """Read a thesaurus: a concept is below those that are broader, and has its preferred label as its name.

    Notes
    -----
    A concept without a preferred label is called by the end of its IRI. Alternative labels are not names.
    """
    places = JsonPlaces(text, problems.file)
    try:
        statements = list(_Turtle(places).statements())
    except DataError as error:
        problems.add(error.diagnostics[0])
        return
    above: dict[tuple[str, str], _Term] = {}
    concepts: dict[str, _Term] = {}
    labels: dict[str, _Term] = {}  # preferred: in no language, in English, or else the first
    for subject, predicate, object_ in statements:
        if predicate.value in (_BROADER, _NARROWER) and not object_.is_text:
            below, over = (subject, object_) if predicate.value == _BROADER else (object_, subject)
            above.setdefault((below.value, over.value), object_)
            concepts.setdefault(subject.value, subject)
            concepts.setdefault(object_.value, object_)
        elif predicate.value == _PREFERRED:
            concepts.setdefault(subject.value, subject)
            if object_.is_text:
                labels[subject.value] = min(labels.get(subject.value, object_), object_, key=_language_rank)
    texts = []
    for iri, term in concepts.items():
        called = unquote(re.split("[#/]", iri)[-1]).replace("_", " ")
        label = labels.get(iri, replace(term, value=called))
        texts.append((iri, label.value, partial(places.at, label.span)))
    names = links.names(texts, "concepts")
    for (lower, higher), term in above.items():
        if lower in names and higher in names:
            links.put(names[lower], names[higher], partial(places.at, term.span))


# --- by name or path -------------------------------------------------------------------------


def is_path(name: str) -> bool:
    """Return whether a text that is no built-in name is a path: it looks like one, or a file has it."""
    is_file = os.path.lexists(name) and not os.path.isdir(name)  # noqa: PTH112 - a Path refuses NUL
    return bool(PurePath(name).suffix) or "/" in name or os.sep in name or is_file


def shipped(folder: str, name: str) -> str:
    """Return the text of a file of the package."""
    return files(__package__).joinpath(folder, name).read_text(encoding="utf-8")


TAXONOMIES: Mapping[str, str] = {
    "campaign-sample": "eleven nodes A to K: the figure of the OpenMIC campaign",
    "general-midi": "128 programs of General MIDI in 16 families",
    "medleydb": "122 instruments of MedleyDB in 6 families",
    "openmic-2018": "20 instruments of OpenMIC-2018 in 5 families",
}
"""Names of the built-in taxonomies, and what they are."""
_YAML = (".yaml", ".yml")
_TABLES = (".csv", ".tsv")
_TURTLE = ".ttl"


def load_taxonomy(
    name: str | os.PathLike[str], *, encoding: str = "utf-8", limits: Limits | None = None
) -> Taxonomy:
    """Read a taxonomy.

    Parameters
    ----------
    name : str or path
        One of :data:`TAXONOMIES`, or the path of a file. Families with their members, nested as deep as you
        like, as YAML or JSON; each node with its parents, as JSON, YAML or a table ``node,parent``; records
        by number with ``name`` and ``class``, as General MIDI has them, or by decimal code with ``Label``
        and ``Instruments``, as Hornbostel-Sachs has; concepts of SKOS in Turtle; or the ``ontology.json`` of
        AudioSet, of which what is below "Musical instrument" is taken. A node named behind ``#`` is the
        root: ``ontology.json#Bell``, ``medleydb#strings``.
    encoding : str
        Encoding of a file that has no byte order mark.
    limits : Limits, optional
        Budgets of the file.

    Returns
    -------
    Taxonomy
        What was noticed in the file is in ``diagnostics``.

    Raises
    ------
    OptionError
        If the name is neither a built-in taxonomy nor looks like a path, or there is no node of the name
        behind ``#``.
    DataError
        If the file cannot be used (KT101 to KT108, KT141 to KT146, KT170 to KT172, KT640 to KT652).

    Examples
    --------
    >>> tree = load_taxonomy("general-midi")
    >>> tree.ancestors("Violin"), tree.numbers["Violin"]
    (('Strings',), 40)
    >>> load_taxonomy("medleydb#strings").families
    ('bowed', 'plucked', 'struck')
    """
    path, top = _with_top(os.fsdecode(name))
    if isinstance(name, str) and path in TAXONOMIES:
        return _built_in(path, top)
    if isinstance(name, str) and not is_path(path):
        raise OptionError.unknown("taxonomy", path, TAXONOMIES)
    limits = limits or Limits()
    return _parse(read_text(path, name=path, encoding=encoding, limits=limits), path, top, limits)


def _with_top(name: str) -> tuple[str, str | None]:
    """Cut off the node that a name ends with; a file whose own name has ``#`` in it stays as it is."""
    path, mark, top = name.rpartition("#")
    return (path, composed(top)) if mark and not os.path.lexists(name) else (name, None)


@lru_cache
def _built_in(name: str, top: str | None) -> Taxonomy:
    text = shipped("taxonomies", f"{name}.json")
    tree = _parse(text, f"{name}.json", top, Limits())
    numbers = {
        node: number for node, number in json.loads(text).get("numbers", {}).items() if node in tree.index
    }
    return replace(tree, name=_named(name, top), numbers=numbers)


def _named(name: str, top: str | None) -> str:
    return name if top is None else f"{name}#{top}"


def _parse(text: str, path: str, top: str | None, limits: Limits) -> Taxonomy:
    problems = Problems(path)
    links = Links(problems, limits)
    _read(text, PurePath(path).suffix.lower(), top, links, problems, limits)
    if top is not None and not problems.has_errors:
        links.keep_below(top)
    return links.taxonomy(_named(PurePath(path).name, top))


def _read(text: str, suffix: str, top: str | None, links: Links, problems: Problems, limits: Limits) -> None:
    """Read what a file holds."""
    source: PlacedValue | None = None
    if suffix in _TABLES:
        read_parents_table(text, links, problems, limits)
    elif suffix in _YAML:
        from kammerton.formats.yaml_text import decode_yaml  # noqa: PLC0415 - few need it, and it takes a while

        source = decode_yaml(text, problems, limits)
    elif suffix == ".json":
        source = read_json(text, problems, limits)
    elif suffix == _TURTLE:
        _read_skos(text, links, problems)
    else:
        known = ", ".join((".json", *_YAML, *_TABLES, _TURTLE))
        message = f"not a taxonomy: files are {known}, not {quote(suffix)}"
        links.say("error", "KT647", message, partial(Place, problems.file), FORMS)
    if source is not None:
        _read_tree(source, links, top)
