# SPDX-License-Identifier: MIT
"""Taxonomies by name: those that are built in, and files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from kammerton.errors import OptionError
from kammerton.instruments.taxonomy import Taxonomy

__all__ = ["TAXONOMIES", "load_taxonomy"]

TAXONOMIES: Mapping[str, str] = {
    "campaign-sample": "eleven nodes A to K: the figure of the OpenMIC campaign",
    "general-midi": "128 programs of General MIDI in 16 families",
    "medleydb": "122 instruments of MedleyDB in 6 families",
    "openmic-2018": "20 instruments of OpenMIC-2018 in 5 families",
}
"""Names of the built-in taxonomies, and what they are."""


def load_taxonomy(name: str | os.PathLike[str]) -> Taxonomy:
    """Read a taxonomy."""
    path = os.fspath(name)
    if path in TAXONOMIES:
        return _built_in(path)
    raise OptionError.unknown("taxonomy", path, TAXONOMIES)


@lru_cache
def _built_in(name: str) -> Taxonomy:
    data = json.loads(files(__package__).joinpath("taxonomies", f"{name}.json").read_text(encoding="utf-8"))
    parents: dict[str, list[str]] = {}
    for child, parent in data.get("parents", {}).items():
        parents[child] = [parent]
    _nest(data.get("tree", {}), [], parents)
    return Taxonomy.build(name, parents, source=data["source"], licence=data["licence"])


def _nest(value: object, above: list[str], parents: dict[str, list[str]]) -> None:
    if isinstance(value, dict):
        for node, below in value.items():
            parents[node] = above
            _nest(below, [node], parents)
    elif isinstance(value, list):
        parents.update(dict.fromkeys(value, above))
