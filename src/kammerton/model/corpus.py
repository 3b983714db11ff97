# SPDX-License-Identifier: MIT
"""What a corpus is: items, the references of each annotator, the estimates of each system."""

from __future__ import annotations

import os
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from kammerton.errors import Diagnostic, OptionError, inflected, out_of, quote, some

if TYPE_CHECKING:
    from kammerton.model.task import Reading

ItemSources = Mapping[str, tuple[tuple[str | None, object], ...]]
"""By item: the annotator, if the name of the file tells one, and the path of the file or an object."""


class StoredSource(ABC):
    """A source that lies with others in a store: a file, or what was once read of one.

    It is a small handle that other processes can be given. Handles of one store are best read in the
    order in which the collection has them.
    """

    __slots__ = ()

    @abstractmethod
    def read(self) -> Reading[Any]:
        """Return what the source holds, with its diagnostics."""

    @property
    @abstractmethod
    def file(self) -> str | None:
        """What diagnostics call the file that it is, or was read from, if it was one."""

    @property
    @abstractmethod
    def digest(self) -> str | None:
        """What is another if the source gives anything else; None if only reading tells."""


def name_of_source(source: object) -> str | None:
    """Return what diagnostics call a source, if it is a file."""
    if isinstance(source, StoredSource):
        return source.file
    return os.fsdecode(source) if isinstance(source, str | os.PathLike) else None


class StoredSources(Mapping[str, tuple[tuple[str | None, StoredSource], ...]]):
    """Sources of many items in a store, of which handles are made when they are looked at."""

    @abstractmethod
    def only(self, items: Iterable[str]) -> StoredSources:
        """Return those of some items, in their order, as little as other processes have to be given."""


ALL = "all"
"""The annotator column of scores over all annotators."""
Missing = Literal["worst", "skip", "error"]


@dataclass(frozen=True)
class Collection:
    """The sources of one annotator or one system, before they are read."""

    name: str  # name of the annotator or system
    # by item: the annotator, if the name of the file tells one, and the path of the file or an object of the
    # caller's. An annotator may have several entries in one collection.
    sources: ItemSources
    origin: str = ""  # what messages call the whole, e.g. the folder.
    # what was noticed while collecting; items that are ambiguous have no source
    diagnostics: tuple[Diagnostic, ...] = ()
    # items that are there but cannot be used, and why
    broken: Mapping[str, str] = field(default_factory=dict)
    # whether the whole is one file or object, which is paired with another whatever they are called
    single: bool = False
    # names as their origin has them, of the items whose names had to be composed (Unicode's NFC)
    written: Mapping[str, str] = field(default_factory=dict)
    # the task's options by which its sources are read, where they are not those of the whole
    options: object | None = None
    # whether it is one of several candidates: items that it lacks are another one's
    partial: bool = False
    made: str = ""  # how a system made the annotations, as signatures have it; nothing if that is not known
    learned: frozenset[str] = frozenset()  # items that the model of a system was trained on, if known

    def read_by(self, options: object) -> object:
        """Return the options by which the sources are read, of those of the whole."""
        return options if self.options is None else self.options

    @property
    def items(self) -> frozenset[str]:
        """Every item that is there, usable or not."""
        return frozenset((*self.sources, *self.broken))

    def only(self, items: Iterable[str]) -> Collection:
        """Return the part of the collection that has these items, in their order; it is no single file."""
        wanted, sources, broken = list(items), {}, {}
        for item in wanted:
            if item in self.broken:
                broken[item] = self.broken[item]
        if isinstance(self.sources, StoredSources):
            return replace(self, sources=self.sources.only(wanted), broken=broken, single=False)
        for item in wanted:
            if item in self.sources:
                sources[item] = self.sources[item]
        return replace(self, sources=sources, broken=broken, single=False)

    @cached_property
    def crowded(self) -> bool:
        """Whether several annotations of an item are here."""
        return any(len(sources) > 1 for sources in self.sources.values())

    def called(self, item: str) -> Collection:
        """Return the collection of one item with that item called ``item``."""
        return replace(self, sources=dict.fromkeys((item,), next(iter(self.sources.values()))))


_NAME, _ITEMS, _IS_SINGLE = attrgetter("name"), attrgetter("items"), attrgetter("single")


@dataclass(frozen=True, slots=True)
class Corpus:
    """References of one or several annotators, and the systems that are scored against them.

    Without references systems are scored by what needs none.
    """

    references: tuple[Collection, ...]
    systems: tuple[Collection, ...]
    candidates: str | None = None  # what estimates are called of which an item has several, if a list says so

    def __post_init__(self) -> None:
        check_annotators(map(_NAME, self.references))
        check_names("system", map(_NAME, self.systems))

    @property
    def bases(self) -> tuple[Collection, ...]:
        """What says which items there are: the references, or the systems if there are none."""
        return self.references or self.systems

    @property
    def items(self) -> frozenset[str]:
        """Every item that is to be scored."""
        return frozenset().union(*map(_ITEMS, self.bases))

    def paired(self) -> Corpus:
        """Return the corpus in which single files are one item, called like the first of them."""
        if not all(map(_IS_SINGLE, self.bases)):
            return self
        item = next(iter(self.bases[0].items))
        called = []
        for collection in (*self.references, *self.systems):
            one_item = collection.single and collection.sources
            called.append(collection.called(item) if one_item else collection)
        annotators = len(self.references)
        return replace(self, references=tuple(called[:annotators]), systems=tuple(called[annotators:]))

    def only(self, is_chosen: Callable[[str], bool]) -> Corpus:
        """Return the items that are chosen, each collection in its order."""
        references, systems = (
            tuple(
                collection.only(filter(is_chosen, (*collection.sources, *collection.broken)))
                for collection in side
            )
            for side in (self.references, self.systems)
        )
        return Corpus(references, systems)

    def with_warnings(self, warnings: Iterable[Diagnostic]) -> Corpus:
        """Return the corpus with diagnostics on its items as a whole."""
        first, *rest = self.bases
        bases = (replace(first, diagnostics=(*first.diagnostics, *warnings)), *rest)
        return replace(self, references=bases) if self.references else replace(self, systems=bases)


def check_annotators(names: Iterable[str]) -> None:
    """Raise an error if two annotators have one name, or one is called like all of them together."""
    known = list(names)
    check_names("annotator", known)
    if ALL in known:
        raise OptionError(f"an annotator cannot be called `{ALL}`", "name it: NAME=PATH")


def check_names(kind: str, names: Iterable[str]) -> None:
    """Raise an error if two annotators or systems have one name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise OptionError(f"two {kind}s are called {quote(name)}", "name them apart: NAME=PATH")
        seen.add(name)


def one_of(kind: str, name: str | None, known: Sequence[str]) -> str:
    """Return the name if it is known, or the only one that is."""
    if name is None and len(known) == 1:
        return known[0]
    if name is None:
        raise OptionError(f"several {kind}s: say which", f"known: {', '.join(known)}")
    if name not in known:
        raise OptionError.unknown(kind, name, known)
    return name


def spelled_apart(references: Iterable[Collection], system: Collection) -> Iterator[Diagnostic]:
    """Report which items are paired although their names differ in Unicode form."""
    apart = []
    for collection in references:
        written = {*collection.written, *system.written}
        for item in sorted(written & collection.items & system.items if written else ()):
            names = [side.written.get(item, item) for side in (collection, system)]
            if names[0] != names[1]:
                apart.append([name.encode("ascii", "backslashreplace").decode() for name in names])
    if apart:
        yield Diagnostic(
            "KT207",
            "warning",
            "paired by composed names: reference {}, estimate {}".format(*map(quote, apart[0])),
            file=system.origin or None,
            system=system.name,
            count=len(apart),
        )


TRAIN = "train"
"""The split that systems learn from."""
VALIDATION = "validation"
"""The split by which they tell when they have learned enough."""


def choose_split(corpus: Corpus, splits: Mapping[str, str], split: str | None) -> Corpus:
    """Return the items of one split, with warnings on items of no split, training items, and lacking ones."""
    if split is not None and split not in splits.values():
        raise OptionError.unknown("split", split, set(splits.values()))
    corpus = corpus.paired()
    known = {unicodedata.normalize("NFC", item): name for item, name in splits.items()}
    entries = {item: listed_as(item, known) for item in sorted(corpus.items)}
    warnings = tuple(_diagnoses(entries, known, split, "reference" if corpus.references else "estimate"))
    if split is not None:
        corpus = corpus.only(lambda item: known.get(listed_as(item, known) or "") == split)
    return corpus.with_warnings(warnings)


def warn_of_learned(corpus: Corpus) -> Corpus:
    """Return the corpus, with warnings on systems that were trained on items of it."""
    warnings = []
    for system in corpus.systems:
        items = sorted(corpus.paired().items) if system.learned else []
        learned = [item for item in items if listed_as(item, system.learned) is not None]
        if learned:
            counted = out_of(len(learned), len(items), "item")
            message = f"by its record, {quote(system.name)} comes from a model that was trained on {counted}"
            warnings.append(_warning("KT215", message, learned, LEARNED).at(system=system.name))
    return corpus.with_warnings(warnings) if warnings else corpus


LEARNED = "scores of these are no measure of what it does on others"
"""Hint on scores of items that a model was trained on."""


def listed_as(item: str, known: Container[str]) -> str | None:
    """Return the name by which an item is listed, whole or without its folder, if it is."""
    name = unicodedata.normalize("NFC", item)
    return next((entry for entry in (name, name.rpartition("/")[2]) if entry in known), None)


def _diagnoses(
    entries: Mapping[str, str | None], known: Mapping[str, str], split: str | None, needed: str
) -> Iterator[Diagnostic]:
    unknown = [item for item, entry in entries.items() if entry is None]
    if unknown:
        fate = "scored all the same" if split is None else "not scored"
        verb = inflected(len(unknown), "is", "are")
        message = f"{out_of(len(unknown), len(entries), 'item')} {verb} in no split, {fate}"
        yield _warning("KT214", message, unknown)
    if split is None:
        training = [item for item, entry in entries.items() if entry is not None and known[entry] == TRAIN]
        if training:
            hint = "a system may have learnt them; --split test scores the test items alone"
            message = f"the scores include the training split: {out_of(len(training), len(entries), 'item')}"
            yield _warning("KT215", message, training, hint)
        return
    listed = [item for item, name in known.items() if name == split]
    lacking = sorted(set(listed).difference(entry for entry in entries.values() if entry is not None))
    if lacking:
        verb = inflected(len(lacking), "has", "have")
        counted = out_of(len(lacking), len(listed), "item")
        message = f"{counted} of the split {quote(split)} {verb} no {needed}"
        yield _warning("KT216", message, lacking, "the scores are not of the whole split")


def _warning(code: str, message: str, items: Sequence[str], hint: str | None = None) -> Diagnostic:
    message = f"{message} ({some(items)})"
    return Diagnostic(code, "warning", message, hint=hint, count=len(items))
