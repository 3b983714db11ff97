# SPDX-License-Identifier: MIT
"""Families that hold families, as MedleyDB has them, and lists of two levels."""

from __future__ import annotations

from functools import partial

from kammerton.errors import quote
from kammerton.formats.json_positions import Pointer
from kammerton.instruments.taxonomy_links import RENAME, Links, Locate
from kammerton.instruments.taxonomy_readers.sources import FORMS, Source, part

__all__ = ["read_nested"]


def read_nested(source: Source, pointer: Pointer, links: Links) -> None:
    """Read a mapping of families, or a list of names and of such mappings.

    What a family is mapped to is again such a mapping or list; nothing, if it has no members.

    Parameters
    ----------
    source : Source
    pointer : tuple of str and int
        Which part of it.
    links : Links
        Takes the nodes.
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
