# SPDX-License-Identifier: MIT
"""JSON and YAML as one thing: a value, and where its parts stand."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import PurePath
from typing import Any, Protocol

from kammerton.errors import DataError, OptionError, quote
from kammerton.formats.json_places import JsonPlaces, Pointer, decode, offset_of
from kammerton.formats.reading import Limits, Problems
from kammerton.formats.source import read_text
from kammerton.formats.tables import TableShape, composed, named_rows
from kammerton.instruments.label_maps import is_path, shipped
from kammerton.instruments.taxonomy import RENAME, Links, Locate, Taxonomy
from kammerton.model.annotations import Place

FORMS = "`kammerton explain KT647` shows the forms that are read"


class Source(Protocol):
    """A value, and where its parts stand."""

    @property
    def value(self) -> object:
        """Mappings, lists and text; what JSON has beside them."""

    def of(self, pointer: Pointer) -> Place:
        """Return the place of a part."""

    def key(self, pointer: Pointer) -> Place:
        """Return the place of the key of a part; of an element of a list, its own."""


def part(source: Source, pointer: Pointer) -> object:
    """Return a part that is there."""
    value: Any = source.value
    for step in pointer:
        value = value[step]
    return value


@dataclass(frozen=True, slots=True)
class _Json:
    value: object
    places: JsonPlaces

    def of(self, pointer: Pointer) -> Place:
        return self.places.of(pointer)

    def key(self, pointer: Pointer) -> Place:
        value = offset_of(self.places.text, pointer)
        if value is None or not isinstance(pointer[-1], str):
            return self.of(pointer)
        text = self.places.text
        end = text.rindex('"', 0, text.rindex(":", 0, value))
        begin = text.rindex('"', 0, end)
        while _is_escaped(text, begin):
            begin = text.rindex('"', 0, begin)
        return self.places.at((begin, end + 1))


def _is_escaped(text: str, offset: int) -> bool:
    before = offset
    while text[before - 1] == "\\":
        before -= 1
    return (offset - before) % 2 == 1


def read_json(text: str, problems: Problems, limits: Limits) -> Source | None:
    """Return a JSON text as a source, or report why it is none."""
    places = JsonPlaces(text, problems.file)
    document = decode(places, problems, limits)
    return None if document is None else _Json(document.value, places)


def read_nested(source: Source, pointer: Pointer, links: Links) -> None:
    """Read a mapping of families, or a list of names and of such mappings.

    What a family is mapped to is again such a mapping or list; nothing, if it has no members.
    """
    _Nested(source, links).members(part(source, pointer), None, pointer)


class _Nested:
    """Takes up names from the outer to the inner ones, and holds them against each other."""

    def __init__(self, source: Source, links: Links) -> None:
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
            self._refuse("a list of names, or families", pointer)

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
            both = ("at the top" if each is None else f"below {quote(each)}" for each in (first, family))
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


@dataclass(frozen=True, slots=True)
class _Class:
    """A class, and which element of the list it is."""

    index: int
    id_: str
    name: str
    below: list[str]


def is_ontology(value: object) -> bool:
    """Tell whether a value is a list of classes."""
    return isinstance(value, list) and any(isinstance(each, dict) and "child_ids" in each for each in value)


def read_ontology(source: Source, links: Links, top: str | None = None) -> dict[str, str]:
    """Read what is below one class."""
    classes = _classes(source, links)
    top = _TOP if top is None else top
    tops = [id_ for id_, each in classes.items() if composed(each.name) == top]
    names = _names(source, classes, _reached(classes, tops) if tops else list(classes), links)
    for id_, name in names.items():
        for number, child in enumerate(classes[id_].below):
            locate = partial(source.of, (classes[id_].index, "child_ids", number))
            if child in names:
                links.put(names[child], name, locate)
            elif child not in classes:
                links.say("error", "KT644", f"no class has the identifier {quote(child)}", locate)
    return {id_: composed(each.name) for id_, each in classes.items()}


def _names(source: Source, classes: Mapping[str, _Class], chosen: list[str], links: Links) -> dict[str, str]:
    """Return the names of classes by identifier, and take them up as nodes."""
    names: dict[str, str] = {}
    first: dict[str, str] = {}
    for id_ in chosen:
        locate = partial(source.of, (classes[id_].index, "name"))
        name = links.name(classes[id_].name, locate)
        if name is None:
            continue
        if first.setdefault(name, id_) != id_:
            links.say("error", "KT642", f"two classes of one name: {quote(name)}", locate)
        else:
            names[id_] = name
            links.node(name, locate)
    return names


def _reached(classes: Mapping[str, _Class], tops: list[str]) -> list[str]:
    """Return the classes below some, and those themselves: each behind one that holds it."""
    reached: dict[str, None] = {}
    waiting = list(reversed(tops))
    while waiting:
        id_ = waiting.pop()
        if id_ in classes and id_ not in reached:
            reached[id_] = None
            waiting += reversed(classes[id_].below)
    return list(reached)


def _classes(source: Source, links: Links) -> dict[str, _Class]:
    """Return the classes by identifier; report elements that are none."""
    elements = source.value
    assert isinstance(elements, list), "the caller has looked"
    classes: dict[str, _Class] = {}
    for index, element in enumerate(elements):
        found = _class(index, element)
        if found is None:
            message = "not a class: expected `id`, `name` and a list `child_ids`, all of them text"
            links.say("error", "KT647", message, partial(source.of, (index,)), FORMS)
        elif found.id_ in classes:
            message = f"identifier stands twice: {quote(found.id_)}"
            links.say("error", "KT642", message, partial(source.of, (index, "id")))
        else:
            classes[found.id_] = found
    return classes


def _class(index: int, element: object) -> _Class | None:
    if not isinstance(element, dict):
        return None
    id_, name, below = (element.get(key) for key in ("id", "name", "child_ids"))
    if not (isinstance(id_, str) and isinstance(name, str) and isinstance(below, list)):
        return None
    return _Class(index, id_, name, below) if all(isinstance(child, str) for child in below) else None


_SHAPE = TableShape(
    "KT649",
    (
        ("node", "child", "instrument", "label", "name"),
        ("parent", "parents", "family", "class", "category"),
    ),
    repeats=True,
)


def read_parents(source: Source, pointer: Pointer, links: Links) -> None:
    """Read a mapping of nodes to the parent, or the list of parents, that each has."""
    value = part(source, pointer)
    assert isinstance(value, dict), "the caller has looked"
    for key, given in value.items():
        name = links.name(key, partial(source.key, (*pointer, key)))
        if name is None:
            continue
        links.node(name, partial(source.key, (*pointer, key)))
        if isinstance(given, list):
            for index, parent in enumerate(given):
                _put(name, parent, partial(source.of, (*pointer, key, index)), links)
        elif given is not None:
            _put(name, given, partial(source.of, (*pointer, key)), links)


def _put(name: str, parent: object, locate: Locate, links: Links) -> None:
    if not isinstance(parent, str):
        links.say("error", "KT647", "not a taxonomy: expected the name of a parent", locate, FORMS)
        return
    above = links.name(parent, locate)
    if above is not None:
        links.put(name, above, locate)


def read_parents_table(text: str, links: Links, problems: Problems, limits: Limits) -> None:
    """Read a table ``node,parent``: several parents in several rows, or columns."""
    for row in named_rows(text, _SHAPE, problems, limits):
        name = links.name(row.cells[0], partial(row.place, 0))
        if name is not None:
            links.node(name, partial(row.place, 0))
            for index, cell in enumerate(row.cells[1:], 1):
                parent = links.name(cell, partial(row.place, index)) if cell else None
                if parent is not None:
                    links.put(name, parent, partial(row.place, index))


_NAME, _CLASS = "name", "class"
_LABEL, _INSTRUMENTS = "Label", "Instruments"


def has_records(value: object) -> bool:
    """Tell whether a value is a mapping to records of one of the two kinds."""
    if not isinstance(value, dict) or not value:
        return False
    first = next(iter(value.values()))
    return isinstance(first, dict) and any(
        isinstance(first.get(key), str) and other in first
        for key, other in ((_NAME, _CLASS), (_LABEL, _INSTRUMENTS))
    )


def read_records(source: Source, links: Links) -> None:
    """Read a mapping of numbers to names and classes, or of codes to labels and instruments."""
    records: Any = source.value
    by_code = _LABEL in next(iter(records.values()))
    usable = {key: record for key, record in records.items() if _is_record(record, by_code=by_code)}
    wanted = f"`{_LABEL}` and a list `{_INSTRUMENTS}`" if by_code else f"`{_NAME}` and `{_CLASS}`"
    for key in records:
        if key not in usable:
            message = f"not a record: expected {wanted}, all of it text"
            links.say("error", "KT647", message, partial(source.key, (key,)), FORMS)
    (_put_codes if by_code else _put_numbers)(source, usable, links)


def _is_record(record: Any, *, by_code: bool) -> bool:
    if not isinstance(record, dict):
        return False
    if not by_code:
        return all(isinstance(record.get(field), str) for field in (_NAME, _CLASS))
    instruments = record.get(_INSTRUMENTS)
    return (
        isinstance(record.get(_LABEL), str)
        and isinstance(instruments, list)
        and all(isinstance(each, str) for each in instruments)
    )


def _put_numbers(source: Source, records: Mapping[str, Any], links: Links) -> None:
    for key, record in records.items():
        locate = partial(source.of, (key, _NAME))
        name = links.name(record[_NAME], locate)
        above = links.name(record[_CLASS], partial(source.of, (key, _CLASS)))
        if name is None or above is None:
            continue
        if name == above:  # the drums are a class of their own
            links.node(name, locate)
        else:
            links.put(name, above, locate)


def _class_names(source: Source, records: Mapping[str, Any], links: Links) -> dict[str, str]:
    """Return the name of each class by its code, and take it up as a node."""
    codes: dict[str, str] = {}
    for code, record in records.items():
        locate = partial(source.of, (code, _LABEL))
        name = links.name(record[_LABEL], locate)
        if name is None:
            continue
        if codes.setdefault(name, code) != code:
            links.say("error", "KT642", f"two classes of one name: {quote(name)}", locate)
        links.node(name, locate)
    return {code: name for name, code in codes.items()}


def _put_codes(source: Source, records: Mapping[str, Any], links: Links) -> None:
    """Put classes below classes, and instruments below theirs, unless a class has their name."""
    names = _class_names(source, records, links)
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


PARENTS, TREE = "parents", "tree"
"""Members that say what they hold: parents of nodes, and families with their members."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What a file says about itself, beside the nodes."""

    # source, licence: as in :class:`~kammerton.instruments.Taxonomy`
    source: str = ""
    licence: str = ""
    root: str | None = None  # the node at the top
    ids: Mapping[str, str] = field(default_factory=dict)  # names by identifier


def read_tree(source: Source, links: Links, top: str | None) -> Heading:
    """Read a taxonomy from JSON or YAML."""
    value = source.value
    if is_ontology(value):
        return Heading(ids=read_ontology(source, links, top))
    if has_records(value):
        read_records(source, links)
    elif isinstance(value, dict) and isinstance(value.get(PARENTS), dict):
        read_parents(source, (PARENTS,), links)
        return _heading(value)
    elif isinstance(value, dict) and isinstance(value.get(TREE), dict | list):
        read_nested(source, (TREE,), links)
        return _heading(value)
    elif isinstance(value, dict) and _is_by_parents(source, links):
        read_parents(source, (), links)
    elif isinstance(value, dict | list | None):
        read_nested(source, (), links)
    else:
        message = "not a taxonomy: expected a mapping, or a list"
        links.say("error", "KT647", message, partial(source.of, ()), FORMS)
    return Heading()


def _heading(value: dict[str, object]) -> Heading:
    origin, licence, root = (value.get(key) for key in ("source", "licence", "root"))
    return Heading(
        origin if isinstance(origin, str) else "",
        licence if isinstance(licence, str) else "",
        composed(root) if isinstance(root, str) else None,
    )


def _is_by_parents(source: Source, links: Links) -> bool:
    """Tell whether keys are nodes and values their parents, and not families and their members.

    A single name is a parent. Of lists only: there are fewer families than members.
    """
    value = part(source, ())
    assert isinstance(value, dict), "the caller has looked"
    named: set[str] = set()
    has_single = False
    for given in value.values():
        if not isinstance(given, str | list | None):
            return False
        has_single |= isinstance(given, str)
        members = [given] if isinstance(given, str) else given or []
        if not all(isinstance(each, str) for each in members):
            return False
        named.update(members)
    if has_single or not named:
        return has_single
    by_parents = len(named) < len(value)
    read = "node: its parents" if by_parents else "family: its members"
    hint = f'{{"{TREE if by_parents else PARENTS}": {{...}}}} around it says the other'
    place: Pointer = (next(iter(value)),)
    links.say("note", "KT650", f"lists are read as `{read}`", partial(source.key, place), hint)
    return by_parents


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
    heading = _read(text, PurePath(path).suffix.lower(), top, links, problems, limits)
    if top is not None and not problems.has_errors:
        links.keep_below(top)
    parents = links.finish(heading.root if top is None else None)
    if problems.has_errors:
        raise DataError(problems.diagnostics())
    return Taxonomy.of(
        _named(PurePath(path).name, top),
        parents,
        source=heading.source,
        licence=heading.licence,
        ids=_identified(heading.ids, parents),
        diagnostics=problems.diagnostics(),
    )


def _identified(names: Mapping[str, str], nodes: Collection[str]) -> dict[str, str | None]:
    """Return nodes by identifier; None for identifiers and names of what is no node."""
    found: dict[str, str | None] = {id_: name if name in nodes else None for id_, name in names.items()}
    return found | dict.fromkeys(name for name in names.values() if name not in nodes)


def _read(
    text: str, suffix: str, top: str | None, links: Links, problems: Problems, limits: Limits
) -> Heading:
    """Read what a file holds; what it says about itself is returned."""
    source: Source | None = None
    if suffix in _TABLES:
        read_parents_table(text, links, problems, limits)
    elif suffix in _YAML:
        from kammerton.formats.yaml_text import decode_yaml  # noqa: PLC0415 - few need it, and it takes a while

        source = decode_yaml(text, problems, limits)
    elif suffix == ".json":
        source = read_json(text, problems, limits)
    elif suffix == _TURTLE:
        from kammerton.instruments.skos import read_skos  # noqa: PLC0415 - few need it

        read_skos(text, links, problems)
    else:
        known = ", ".join((".json", *_YAML, *_TABLES, _TURTLE))
        message = f"not a taxonomy: files are {known}, not {quote(suffix)}"
        links.say("error", "KT647", message, partial(Place, problems.file), FORMS)
    return Heading() if source is None else read_tree(source, links, top)
