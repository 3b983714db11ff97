# SPDX-License-Identifier: MIT
"""The ontology of AudioSet: a list of classes, each with the identifiers of those below it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from kammerton.errors import quote
from kammerton.formats.tables import composed
from kammerton.instruments.taxonomy_links import Links
from kammerton.instruments.taxonomy_readers.sources import FORMS, Source

__all__ = ["is_ontology", "read_ontology"]

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
    """Read what is below one class.

    Parameters
    ----------
    source : Source
        Its value is a list of mappings with ``id``, ``name`` and ``child_ids``.
    links : Links
        Takes the nodes.
    top : str, optional
        Name of the class at the top; by default "Musical instrument". Everything, where no class has it.

    Returns
    -------
    dict of str to str
        Name of every class by its identifier, also of those that are not below.
    """
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
