# SPDX-License-Identifier: MIT
"""What is paired with what: items, annotators, systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from kammerton.errors import Diagnostic, OptionError, quote
from kammerton.model.sources import Sources, StoredSources

__all__ = [
    "ALL",
    "Collection",
    "Corpus",
    "Missing",
    "check_annotators",
    "check_names",
    "one_of",
    "spelled_apart",
]

ALL = "all"
"""The annotator column of figures that take all annotators together."""

Missing = Literal["worst", "skip", "error"]


@dataclass(frozen=True)
class Collection:
    """What one annotator or one system has said, before it is read.

    Parameters
    ----------
    name : str
        Name of the annotator or system.
    sources : mapping of str to tuple of (str or None, object)
        By item: the annotator, if the name of the file tells one, and the path of the file or an
        object of the caller's. An annotator may have several entries in one collection.
    origin : str
        What messages call the whole, e.g. the folder.
    diagnostics : tuple of Diagnostic
        What was noticed while collecting; items that are ambiguous have no source.
    broken : mapping of str to str
        Items that are there but cannot be used, and why.
    single : bool
        Whether the whole is one file or object, which is paired with another whatever they are called.
    written : mapping of str to str
        Names as their origin has them, of the items whose names had to be composed (Unicode's NFC).
    options : object, optional
        The task's options by which its sources are read, where they are not those of the whole.
    """

    name: str
    sources: Sources
    origin: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    broken: Mapping[str, str] = field(default_factory=dict)
    single: bool = False
    written: Mapping[str, str] = field(default_factory=dict)
    options: object | None = None

    def read_by(self, options: object) -> object:
        """Return the options by which the sources are read, of those of the whole."""
        return options if self.options is None else self.options

    @property
    def items(self) -> frozenset[str]:
        """Every item that is there, usable or not."""
        return frozenset((*self.sources, *self.broken))

    def only(self, items: Iterable[str]) -> Collection:
        """Return the part of the collection that has these items, in their order; it is no single file."""
        wanted = list(items)
        return replace(
            self,
            sources=_only(self.sources, wanted),
            broken={item: self.broken[item] for item in wanted if item in self.broken},
            single=False,
        )

    @cached_property
    def crowded(self) -> bool:
        """Whether several annotations of an item are here."""
        return any(len(each) > 1 for each in self.sources.values())

    def called(self, item: str) -> Collection:
        """Return the collection of one item with that item called ``item``."""
        return replace(self, sources=dict.fromkeys((item,), next(iter(self.sources.values()))))


def _only(sources: Sources, items: Sequence[str]) -> Sources:
    if isinstance(sources, StoredSources):
        return sources.only(items)
    return {item: sources[item] for item in items if item in sources}


@dataclass(frozen=True, slots=True)
class Corpus:
    """References of one or several annotators, and the systems that are scored against them.

    Without references systems are scored by what needs none.
    """

    references: tuple[Collection, ...]
    systems: tuple[Collection, ...]

    def __post_init__(self) -> None:
        check_annotators([collection.name for collection in self.references])
        check_names("system", [collection.name for collection in self.systems])

    @property
    def bases(self) -> tuple[Collection, ...]:
        """What says which items there are: the references, or the systems if there are none."""
        return self.references or self.systems

    @property
    def items(self) -> frozenset[str]:
        """Every item that is to be scored."""
        return frozenset().union(*(collection.items for collection in self.bases))

    def paired(self) -> Corpus:
        """Return the corpus in which single files are one item, called like the first of them."""
        if not all(collection.single for collection in self.bases):
            return self
        item = next(iter(self.bases[0].items))
        return Corpus(
            tuple(c.called(item) if c.sources else c for c in self.references),
            tuple(c.called(item) if c.single and c.sources else c for c in self.systems),
        )


def check_annotators(names: Iterable[str]) -> None:
    """Refuse two annotators of one name, and one called like all of them together."""
    known = list(names)
    check_names("annotator", known)
    if ALL in known:
        raise OptionError(f"an annotator cannot be called `{ALL}`", "name it: NAME=PATH")


def check_names(kind: str, names: Iterable[str]) -> None:
    """Refuse two annotators or systems of one name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise OptionError(f"two {kind}s are called {quote(name)}", "name them apart: NAME=PATH")
        seen.add(name)


def one_of(kind: str, name: str | None, known: Sequence[str]) -> str:
    """Return the name if it is known, or the only one that is.

    Raises
    ------
    OptionError
        If it is not known, or was left out where there is a choice.
    """
    if name is None and len(known) == 1:
        return known[0]
    if name is None:
        raise OptionError(f"several {kind}s: say which", f"known: {', '.join(known)}")
    if name not in known:
        raise OptionError.unknown(kind, name, known)
    return name


def spelled_apart(references: Iterable[Collection], system: Collection) -> Iterator[Diagnostic]:
    """Say which items are paired although their names differ in Unicode form."""
    apart = []
    for collection in references:
        written = {*collection.written, *system.written}
        for item in sorted(written & collection.items & system.items if written else ()):
            names = [each.written.get(item, item) for each in (collection, system)]
            if names[0] != names[1]:
                apart.append([name.encode("ascii", "backslashreplace").decode() for name in names])
    if apart:
        yield Diagnostic(
            code="KT207",
            severity="warning",
            message="paired by composed names: reference {}, estimate {}".format(*map(quote, apart[0])),
            file=system.origin or None,
            system=system.name,
            count=len(apart),
        )
