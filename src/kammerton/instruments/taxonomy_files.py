# SPDX-License-Identifier: MIT
"""Taxonomies by name: those that are built in, and files."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import PurePath

from kammerton.errors import DataError, OptionError, quote
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.formats.source import read_text
from kammerton.formats.tables import composed
from kammerton.instruments.shipped_files import is_path, shipped
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.instruments.taxonomy_links import Links
from kammerton.instruments.taxonomy_readers.parents import read_parents_table
from kammerton.instruments.taxonomy_readers.sources import FORMS, Source, read_json
from kammerton.instruments.taxonomy_readers.telling import Heading, read_tree
from kammerton.model.annotations import Place

__all__ = ["TAXONOMIES", "load_taxonomy"]

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
        from kammerton.instruments.taxonomy_readers.skos import read_skos  # noqa: PLC0415 - few need it

        read_skos(text, links, problems)
    else:
        known = ", ".join((".json", *_YAML, *_TABLES, _TURTLE))
        message = f"not a taxonomy: files are {known}, not {quote(suffix)}"
        links.say("error", "KT647", message, partial(Place, problems.file), FORMS)
    return Heading() if source is None else read_tree(source, links, top)
