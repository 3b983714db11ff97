# SPDX-License-Identifier: MIT
"""What a label of a source means: trimmed, mapped, and found in the taxonomy; each spelling once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal
from weakref import ref

from kammerton.errors import quote
from kammerton.formats.tables import composed
from kammerton.instruments.label_maps import LABEL_MAPS, LabelMap, load_label_map
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.taxonomy import Taxonomy

__all__ = ["PROGRAMS", "Fate", "Meaning", "fitting_map", "look_up", "unknown_hint"]

Fate = Literal["known", "kept", "dropped", "unknown", "left out", "outside", "empty", "long"]
"""*known*: in the taxonomy, or there is none. *kept*, *dropped*, *unknown*: not in the taxonomy, by what
the caller wants done with it. *left out*: no instrument, says the label map. *outside*: no instrument,
says the source of the taxonomy. *empty*: no label at all. *long*: over the budget."""

PROGRAMS = "general-midi"
"""Taxonomy whose leaves have numbers."""

_DIGITS = 9
_REMEMBERED = 100_000
_FATES: dict[str, Fate] = {"error": "unknown", "drop": "dropped", "keep": "kept"}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one spelling means."""

    label: str  # the label it stands for; where it has none, what was looked for
    fate: Fate = "known"  # what becomes of it
    mapped: bool = False  # whether the label map has changed it
    root: bool = False  # whether it is a root of the taxonomy, which is never counted
    program: bool = False  # whether it is the number of a General MIDI program
    identified: bool = False  # whether it is an identifier, and the label is the name that goes with it

    @property
    def stays(self) -> bool:
        """Whether lists keep the label."""
        return self.fate in ("known", "kept")


def look_up(spellings: Sequence[str], options: InstrumentOptions) -> list[Meaning]:
    """Return what each spelling means.

    Examples
    --------
    >>> [meaning.label for meaning in look_up([" piano", "Piano"], InstrumentOptions(casefold=True))]
    ['piano', 'piano']
    """
    if options.label_map is None and options.tree is None and not options.casefold:
        return [_free(spelling, options.limits.label) for spelling in spellings]
    return list(map(_lookup_of(options).meaning, spellings))


def fitting_map(labels: Collection[str], options: InstrumentOptions) -> LabelMap | None:
    """Return the built-in label map that has most of some unknown labels, if one has more than half.

    Examples
    --------
    >>> fitting_map(["gel", "pia", "nothing"], InstrumentOptions()).name
    'irmas-to-openmic-2018'
    """
    if options.map:
        return None
    maps = map(load_label_map, LABEL_MAPS)
    counted = {each: sum(each.has(label, options.casefold) for label in labels) for each in maps}
    best = max(counted, key=counted.__getitem__)
    return best if 2 * counted[best] > len(labels) else None


def unknown_hint(label: str, tree: Taxonomy, fitting: LabelMap | None = None) -> str:
    """Return what to do about a label that the taxonomy does not have, but perhaps a label map."""
    near = ", ".join(map(quote, tree.nearest(label)))
    nearest = [f"nearest: {near}"] if near else []
    if fitting is not None:
        target = fitting.name.rpartition("-to-")[2]
        taxonomy = "" if tree.name == target else f"--taxonomy {target} "
        nearest.append(f"`{taxonomy}--map {fitting.name}` knows it")
    translates = "" if fitting else f"; --map FILE translates{'' if near else ' labels'}"
    return "; ".join([*nearest, f"--unknown drop leaves it out, --unknown keep counts it{translates}"])


def _free(spelling: str, limit: int) -> Meaning:
    label = composed(spelling)
    if not label:
        return Meaning(label, "empty")
    return Meaning(label, "long") if len(label) > limit else Meaning(label)


class _Lookup:
    """A label map and a taxonomy, asked in this order."""

    def __init__(self, options: InstrumentOptions) -> None:
        self._casefold = options.casefold
        self._limit = options.limits.label
        self._unknown = _FATES[options.unknown]
        self._known: dict[str, Meaning] = {}
        self._map = options.label_map
        self._tree = options.tree
        self._nodes: dict[str, str] = {}
        self._roots: frozenset[str] = frozenset()
        if self._tree is not None:
            self._nodes = {self._key(node): node for node in reversed(self._tree.nodes)}
            self._roots = frozenset(self._tree.roots)

    def _key(self, label: str) -> str:
        return label.casefold() if self._casefold else label

    def meaning(self, spelling: str) -> Meaning:
        """Return what a spelling means; files of a collection have the same ones over and over."""
        found = self._known.get(spelling)
        if found is None:
            found = self._find(spelling)
            if len(self._known) < _REMEMBERED:
                self._known[spelling] = found
        return found

    def _find(self, spelling: str) -> Meaning:
        free = _free(spelling, self._limit)
        if free.fate != "known":
            return free
        label = free.label
        if self._map is not None:
            found = self._map.apply(label, casefold=self._casefold)
            if found is None:
                return Meaning(label, "left out")
            label = found
        mapped = label != free.label
        if self._tree is None:
            return Meaning(self._key(label), mapped=mapped)
        return self._in(self._tree, label, mapped=mapped)

    def _in(self, tree: Taxonomy, label: str, *, mapped: bool) -> Meaning:
        """Return which node of the taxonomy a label is: by its name, its identifier or its number."""
        identified = label in tree.ids
        node = tree.ids[label] if identified else self._nodes.get(self._key(label))
        if node is not None:
            return Meaning(node, mapped=mapped, root=node in self._roots, identified=identified)
        if identified:
            return Meaning(label, "outside", mapped=mapped)
        program = _program(label, tree)
        if program is not None:
            return Meaning(program, mapped=mapped, program=True)
        return Meaning(self._key(label), self._unknown, mapped=mapped)


_LOOKUPS: dict[int, tuple[ref[InstrumentOptions], _Lookup]] = {}
"""Those of options in use, by their identity: equal options may have read a file at different times."""


def _lookup_of(options: InstrumentOptions) -> _Lookup:
    """Return what was remembered under these options: a folder asks once for each file."""
    key = id(options)
    if key not in _LOOKUPS:
        _LOOKUPS[key] = (ref(options, lambda _: _LOOKUPS.pop(key, None)), _Lookup(options))
    return _LOOKUPS[key][1]


def _program(label: str, tree: Taxonomy) -> str | None:
    """Return the instrument that a number means, counted from 0 as in MIDI files."""
    if tree.name != PROGRAMS or not (label.isascii() and label.isdigit()):
        return None
    number = int(label) if len(label) <= _DIGITS else len(tree.leaves)
    return tree.leaves[number] if number < len(tree.leaves) else None
