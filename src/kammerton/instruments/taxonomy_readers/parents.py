# SPDX-License-Identifier: MIT
"""Each node with its parents: a mapping, or a table."""

from __future__ import annotations

from functools import partial

from kammerton.formats.json_positions import Pointer
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.formats.tables import Shape, named_rows
from kammerton.instruments.taxonomy_links import Links, Locate
from kammerton.instruments.taxonomy_readers.sources import FORMS, Source, part

__all__ = ["read_parents", "read_parents_table"]

_SHAPE = Shape(
    "KT649",
    (
        ("node", "child", "instrument", "label", "name"),
        ("parent", "parents", "family", "class", "category"),
    ),
    repeats=True,
)


def read_parents(source: Source, pointer: Pointer, links: Links) -> None:
    """Read a mapping of nodes to the parent, or the list of parents, that each has.

    Parameters
    ----------
    source : Source
    pointer : tuple of str and int
        Which part of it, a mapping.
    links : Links
        Takes the nodes.
    """
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
    """Read a table ``node,parent``: several parents in several rows, or columns.

    Parameters
    ----------
    text : str
        The file.
    links : Links
        Takes the nodes.
    problems : Problems
        Takes what is wrong with rows.
    limits : Limits
        Budgets of the file.
    """
    for row in named_rows(text, _SHAPE, problems, limits):
        name = links.name(row.cells[0], partial(row.place, 0))
        if name is not None:
            links.node(name, partial(row.place, 0))
            for index, cell in enumerate(row.cells[1:], 1):
                parent = links.name(cell, partial(row.place, index)) if cell else None
                if parent is not None:
                    links.put(name, parent, partial(row.place, index))
