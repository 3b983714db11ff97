# SPDX-License-Identifier: MIT
"""Which form a JSON or YAML value has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from kammerton.formats.json_positions import Pointer
from kammerton.formats.tables import composed
from kammerton.instruments.taxonomy_links import Links
from kammerton.instruments.taxonomy_readers.nested import read_nested
from kammerton.instruments.taxonomy_readers.ontology import is_ontology, read_ontology
from kammerton.instruments.taxonomy_readers.parents import read_parents
from kammerton.instruments.taxonomy_readers.records import has_records, read_records
from kammerton.instruments.taxonomy_readers.sources import FORMS, Source, part

__all__ = ["Heading", "read_tree"]

PARENTS, TREE = "parents", "tree"
"""Members that say what they hold: parents of nodes, and families with their members."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What a file says about itself, beside the nodes.

    Parameters
    ----------
    source, licence : str
        As in :class:`~kammerton.instruments.Taxonomy`.
    root : str, optional
        The node at the top.
    ids : mapping of str to str
        Names by identifier.
    """

    source: str = ""
    licence: str = ""
    root: str | None = None
    ids: Mapping[str, str] = field(default_factory=dict)


def read_tree(source: Source, links: Links, top: str | None) -> Heading:
    """Read a taxonomy from JSON or YAML.

    Parameters
    ----------
    source : Source
    links : Links
        Takes the nodes.
    top : str, optional
        Node at the top, if the caller named one.

    Returns
    -------
    Heading
        Filled by files that name what they hold: ``{"source": ..., "tree": {...}}``.
    """
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
