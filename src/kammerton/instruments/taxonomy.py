# SPDX-License-Identifier: MIT
"""A taxonomy as text."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic, OptionError, Severity, close_match, printable, quote
from kammerton.formats.reading import Limits, Problems
from kammerton.formats.tables import composed, render_rows
from kammerton.model.annotations import Place

_INDENT = "  "
_AGAIN = " ..."
"""Behind a node whose children stand further up."""


def draw_tree(tops: Sequence[str], children: Callable[[str], Sequence[str]], marks: Mapping[str, str]) -> str:
    """Draw nodes below their parents.

    Examples
    --------
    >>> print(draw_tree(["strings"], {"strings": ["violin"], "violin": []}.get, {"violin": "2 hits"}))
    strings
      violin  2 hits
    """
    lines: list[str] = []
    drawn: set[str] = set()
    stack = [(node, 0) for node in reversed(tops)]
    while stack:
        node, depth = stack.pop()
        below = children(node)
        again = bool(below) and node in drawn
        mark = f"{_INDENT}{printable(marks[node])}" if node in marks else ""
        lines.append(_INDENT * depth + printable(node) + (_AGAIN if again else "") + mark)
        if not again:
            stack += [(child, depth + 1) for child in reversed(below)]
        drawn.add(node)
    return "\n".join(lines)


MOST_NODES = 10_000
"""Nodes that a taxonomy may have: tables of nodes by nodes must fit in memory."""
RENAME = "give one of them another name"
Locate = Callable[[], Place]
Parents = dict[str, tuple[str, ...]]
"""Parents of each node, none of those at the top."""


class Links:
    """Nodes and what they are below, each with its place, as far as a source has been read."""

    def __init__(self, problems: Problems, limits: Limits) -> None:
        self._problems = problems
        self._limits = limits
        self._above: dict[str, dict[str, Locate]] = {}
        self._places: dict[str, Locate] = {}

    def say(
        self, severity: Severity, code: str, message: str, locate: Locate, hint: str | None = None
    ) -> None:
        """Report a problem."""
        self._problems.add_at(Diagnostic(code=code, severity=severity, message=message, hint=hint), locate)

    def name(self, text: str, locate: Locate) -> str | None:
        """Return the name of a node as labels are compared, or report that it is none."""
        name = composed(text)
        if not name:
            self.say("error", "KT646", "node without a name", locate)
        elif any(unicodedata.category(character) == "Cc" for character in name):
            self.say("error", "KT646", f"name with a control character: {quote(name)}", locate)
        elif len(name) > self._limits.label:
            message = f"name of {len(name):,} characters: over the limit of {self._limits.label:,}"
            self.say("error", "KT106", message, locate)
        else:
            return name
        return None

    def node(self, name: str, locate: Locate) -> None:
        """Take up a node, which is at the top unless it is put below another one."""
        self._above.setdefault(name, {})
        self._places.setdefault(name, locate)

    def put(self, name: str, parent: str, locate: Locate) -> None:
        """Put a node below another one."""
        if name == parent:
            self.say("error", "KT643", f"{quote(name)} stands below a family of its own name", locate, RENAME)
            return
        self.node(parent, locate)
        self.node(name, locate)
        if parent in self._above[name]:
            message = f"{quote(name)} stands below {quote(parent)} twice: the second is left out"
            self.say("warning", "KT642", message, locate)
        self._above[name].setdefault(parent, locate)

    def keep_below(self, top: str) -> None:
        """Leave out everything that is not below one node, and that node's own parents."""
        if top not in self._above:
            near = close_match(top, self._above)
            hint = None if near is None else f"did you mean {quote(near)}?"
            file = PurePath(self._problems.file).name
            raise OptionError(f"taxonomy {quote(file)} has no {quote(top)}", hint)
        below = _children(self._above)
        reached = {top}
        waiting = [top]
        while waiting:
            found = [name for name in below[waiting.pop()] if name not in reached]
            reached.update(found)
            waiting += found
        self._above = {
            name: {parent: place for parent, place in above.items() if parent in reached and name != top}
            for name, above in self._above.items()
            if name in reached
        }

    def finish(self, root: str | None = None) -> Parents:
        """Check everything that needs all nodes."""
        whole = partial(Place, self._problems.file)
        if not self._above and not self._problems.has_errors:
            self.say("error", "KT640", "taxonomy without nodes", whole)
        if len(self._above) > MOST_NODES:
            message = f"taxonomy of {len(self._above):,} nodes: over the limit of {MOST_NODES:,}"
            self.say("error", "KT106", message, whole)
        parents = {name: tuple(above) for name, above in self._above.items()}
        if not self._problems.has_errors:
            self._check_cycles()
        if not self._problems.has_errors:
            self._check_depth(parents)
            self._check_tops(parents, root)
            self._check_case(parents)
        return parents

    def _check_cycles(self) -> None:
        """Report each way that leads from a node to itself, taking one link out of it to find the next."""
        above = {name: list(parents) for name, parents in self._above.items()}
        number = {name: place for place, name in enumerate(above)}
        while self._problems.room("KT641"):
            try:
                TopologicalSorter(above).prepare()
            except CycleError as error:
                way: list[str] = error.args[1][1:]
                first = way.index(min(way, key=number.__getitem__))
                way = [*way[first:], *way[: first + 1]]
                parent, name = way[:2]
                message = f"nodes are below themselves: {' > '.join(map(quote, way))}"
                self.say("error", "KT641", message, self._above[name][parent])
                above[name].remove(parent)
            else:
                return

    def _check_depth(self, parents: Parents) -> None:
        levels: dict[str, int] = {}
        for name in TopologicalSorter(parents).static_order():
            levels[name] = 1 + max((levels[parent] for parent in parents[name]), default=0)
        deepest = max(levels, key=levels.__getitem__)
        if levels[deepest] > self._limits.depth:
            message = f"taxonomy of {levels[deepest]:,} levels: over the limit of {self._limits.depth}"
            self.say("error", "KT106", message, self._places[deepest])

    def _check_tops(self, parents: Parents, root: str | None) -> None:
        tops = [name for name, above in parents.items() if not above]
        if root is None:
            if len(tops) > 1:
                named = ", ".join(map(quote, tops[:5])) + (", ..." if len(tops) > 5 else "")
                message = f"{len(tops):,} nodes at the top, below a root without a name: {named}"
                self.say("note", "KT645", message, self._places[tops[0]])
            return
        for name in tops:
            if name != root:
                message = f"{quote(name)} is not below the root {quote(root)}"
                self.say("error", "KT644", message, self._places[name])

    def _check_case(self, names: Iterable[str]) -> None:
        spelled: dict[str, str] = {}
        for name in names:
            first = spelled.setdefault(name.casefold(), name)
            if first != name:
                message = f"names differ in case only: {quote(first)}, {quote(name)}"
                hint = "labels that are matched whatever their case stand for the first"
                self.say("note", "KT651", message, self._places[name], hint)


def in_order(parents: Parents) -> list[str]:
    """Return nodes as one would read them: each behind its parents, and what is below it behind it.

    Of nodes below one parent, the first of the source comes first.
    """
    below = _children(parents)
    waiting = {name: len(above) for name, above in parents.items()}
    stack = [name for name in reversed(parents) if not waiting[name]]
    placed: list[str] = []
    while stack:
        name = stack.pop()
        placed.append(name)
        for child in reversed(below[name]):
            waiting[child] -= 1
            if not waiting[child]:
                stack.append(child)
    return placed


def _children(parents: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    below: dict[str, list[str]] = {name: [] for name in parents}
    for name, above in parents.items():
        for parent in above:
            below[parent].append(name)
    return below


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """Nodes, each below its parents: a tree, or a graph without cycles.

    A single node at the top is the root, which holds everything and is never counted. If there are several
    nodes at the top, a root without a name is thought above them, and all of them count.

    Parameters
    ----------
    name : str
        What messages call it.
    nodes : tuple of str
        Each name once; parents before their children, those of one parent in the order of the source.
    parents : tuple of tuple of int
        Of each node, as numbers of nodes.
    source, licence : str
        Where it is from, and under which terms.
    numbers : mapping of str to int
        Numbers that the source gives to nodes: programs of General MIDI, from 0. Most have none.
    ids : mapping of str to str or None
        Nodes by the identifiers that the source gives to them, such as ``/m/0342h`` of AudioSet; None for
        identifiers and names of what the source has, and is no node, such as speech. Most have none.
    diagnostics : tuple of Diagnostic
        What was noticed when it was made; no errors.

    See Also
    --------
    kammerton.instruments.load_taxonomy : Reads one from a file, or by the name of a built-in one.

    Examples
    --------
    >>> tree = Taxonomy.build("mine", {"strings": [], "violin": ["strings"], "voice": []})
    >>> tree.ancestors("violin"), tree.roots
    (('strings',), ())
    """

    name: str
    nodes: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]
    source: str = ""
    licence: str = ""
    numbers: Mapping[str, int] = field(default_factory=dict)
    ids: Mapping[str, str | None] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()

    @classmethod
    def build(
        cls, name: str, parents: Mapping[str, str | Sequence[str]], *, source: str = "", licence: str = ""
    ) -> Taxonomy:
        """Return the taxonomy in which each key is below the nodes it is mapped to.

        Parameters
        ----------
        name, source, licence : str
            As above.
        parents : mapping of str to str, or to sequence of str
            Parents of each node, none of those at the top. What is a parent only is at the top.

        Returns
        -------
        Taxonomy

        Raises
        ------
        DataError
            If there is no node (KT640), nodes are below themselves (KT641, KT643), one has no name
            (KT646), or there are too many or too many levels (KT106).
        OptionError
            If a name is no text.
        """
        problems = Problems(name)
        links = Links(problems, Limits())
        locate = partial(Place, name)
        for child, given in parents.items():
            above = [given] if isinstance(given, str) else given
            names = [links.name(_text(each), locate) for each in (child, *above)]
            if names[0] is not None:
                links.node(names[0], locate)
                for parent in names[1:]:
                    if parent is not None:
                        links.put(names[0], parent, locate)
        checked = links.finish()
        if problems.has_errors:
            raise DataError(problems.diagnostics())
        return cls.of(name, checked, source=source, licence=licence, diagnostics=problems.diagnostics())

    @classmethod
    def of(
        cls,
        name: str,
        parents: Parents,
        *,
        source: str = "",
        licence: str = "",
        ids: Mapping[str, str | None] | None = None,
        diagnostics: tuple[Diagnostic, ...] = (),
    ) -> Taxonomy:
        """Return the taxonomy of links that have been checked; else as :meth:`build`."""
        nodes = tuple(in_order(parents))
        number = {node: place for place, node in enumerate(nodes)}
        above = tuple(tuple(number[each] for each in parents[node]) for node in nodes)
        return cls(name, nodes, above, source, licence, {}, ids or {}, diagnostics)

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.nodes)

    # --- one node ----------------------------------------------------------------------------

    def number(self, label: str) -> int:
        """Return the number of a node.

        Raises
        ------
        OptionError
            If there is no such node.
        """
        place = self.index.get(label)
        if place is None:
            near = self.nearest(_text(label))
            hint = f"nearest: {', '.join(map(quote, near))}" if near else None
            raise OptionError(f"taxonomy {quote(self.name)} has no {quote(label)}", hint)
        return place

    def ancestors(self, label: str) -> tuple[str, ...]:
        """Return what is above a node on all paths, the nearest first, the root left out."""
        return self._ancestors[self.number(label)]

    def children(self, label: str) -> tuple[str, ...]:
        """Return the nodes just below a node."""
        return self._children[self.number(label)]

    def siblings(self, label: str) -> tuple[str, ...]:
        """Return the other nodes that share a parent with a node, the root not counted as one."""
        above = [self.nodes[parent] for parent in self.parents[self.number(label)]]
        beside = (child for parent in above if parent not in self.roots for child in self.children(parent))
        return tuple(dict.fromkeys(child for child in beside if child != label))

    def depth(self, label: str) -> int:
        """Return how far a node is below the root, on the longest path; 0 for the root."""
        return self._depths[self.number(label)]

    def lca(self, one: str, other: str) -> tuple[str, ...]:
        """Return the deepest nodes that are above both nodes, or are one of them.

        Several are equally deep. The root is only returned if nothing else is; where it has no name, as an
        empty one.

        References
        ----------
        Kosmopoulos et al., "Evaluation measures for hierarchical classification: a unified view and novel
        approaches", Data Mining and Knowledge Discovery 29(3), 2015.
        """
        ranks = self._ranks
        shared = ranks.reached[self.number(one)] & ranks.reached[self.number(other)]
        if not shared:
            return ("",)
        deepest = self._depths[ranks.order[shared.bit_length() - 1]]
        found = []
        while shared:
            place = ranks.order[shared.bit_length() - 1]
            if self._depths[place] < deepest:
                break
            found.append(place)
            shared ^= 1 << (shared.bit_length() - 1)
        return tuple(self.nodes[place] for place in found)

    def project(self, label: str, level: int) -> tuple[str, ...]:
        """Return what a node belongs to so far below the root.

        Parameters
        ----------
        label : str
        level : int
            1 for what is just below the root.

        Returns
        -------
        tuple of str
            The node's ancestors of this depth, several in a graph; itself if it is not deeper.
        """
        if level < 1:
            raise OptionError(f"`level` is at least 1, got {level}")
        place = self.number(label)
        if self._depths[place] <= level:
            return (label,)
        return tuple(self.nodes[each] for each in sorted(self._above[place]) if self._depths[each] == level)

    def nearest(self, label: str, n: int = 3) -> tuple[str, ...]:
        """Return the names that are most like one that is not a node, whatever their case."""
        spelled = {node.casefold(): node for node in reversed(self.nodes)}
        near = difflib.get_close_matches(label.casefold(), spelled, n=n, cutoff=0.6)
        return tuple(spelled[each] for each in near)

    # --- all nodes ---------------------------------------------------------------------------

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Number of each node."""
        return {node: place for place, node in enumerate(self.nodes)}

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The single node at the top; none if there are several."""
        return self.tops if len(self.tops) == 1 else ()

    @cached_property
    def tops(self) -> tuple[str, ...]:
        """Nodes that are below no other."""
        return tuple(node for node, above in zip(self.nodes, self.parents, strict=True) if not above)

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """Nodes without children, in order."""
        return tuple(node for node, below in zip(self.nodes, self._children, strict=True) if not below)

    @cached_property
    def families(self) -> tuple[str, ...]:
        """Children of the root that have children."""
        highest = self.children(self.roots[0]) if self.roots else self.tops
        return tuple(node for node in highest if self.children(node))

    def closure(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return each node with all its ancestors, the root left out.

        Returns
        -------
        offsets : ndarray of int64, shape (nodes + 1,)
            Where the row of each node begins; that of the root is empty.
        rows : ndarray of int64
            Numbers of nodes: of the node itself, then of its ancestors, the nearest first.

        Notes
        -----
        Both are made once, and cannot be written to.
        """
        return self._closure

    def draw(self, marks: Mapping[str, str] | None = None) -> str:
        """Return the taxonomy as text, each node below its parents.

        Parameters
        ----------
        marks : mapping of str to str, optional
            What stands behind the names of nodes.

        Returns
        -------
        str
            A line for each node; one with several parents stands below each, what is below it only once.
        """
        return draw_tree(self.tops, self.children, marks or {})

    def to_csv(self) -> str:
        r"""Return the taxonomy as a table that :func:`~kammerton.instruments.load_taxonomy` reads.

        Returns
        -------
        str
            Header ``node,parent``, and a row for each node and parent; a node at the top has none.

        Examples
        --------
        >>> print(Taxonomy.build("mine", {"violin": ["strings"]}).to_csv(), end="")
        node,parent
        strings,
        violin,strings
        """
        rows = [("node", "parent")]
        for node, above in zip(self.nodes, self.parents, strict=True):
            rows += [(node, self.nodes[parent]) for parent in above] or [(node, "")]
        return render_rows(rows)

    # --- what is computed once ---------------------------------------------------------------

    @cached_property
    def _children(self) -> tuple[tuple[str, ...], ...]:
        below: list[list[str]] = [[] for _ in self.nodes]
        for node, above in zip(self.nodes, self.parents, strict=True):
            for parent in above:
                below[parent].append(node)
        return tuple(map(tuple, below))

    @cached_property
    def _above(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of what is above each node, the nearest first."""
        found: list[tuple[int, ...]] = []
        for own in self.parents:
            reached = dict.fromkeys(own)
            level = list(reached)
            while level:
                level = [
                    each
                    for each in dict.fromkeys(parent for place in level for parent in self.parents[place])
                    if each not in reached
                ]
                reached.update(dict.fromkeys(level))
            found.append(tuple(reached))
        return tuple(found)

    @cached_property
    def _counted(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of what is above each node, without the root."""
        root = self.index[self.roots[0]] if self.roots else None
        return tuple(tuple(each for each in above if each != root) for above in self._above)

    @cached_property
    def _ancestors(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(self.nodes[each] for each in above) for above in self._counted)

    @cached_property
    def _depths(self) -> tuple[int, ...]:
        top = 0 if self.roots else 1
        depths: list[int] = []
        for above in self.parents:  # parents come first
            depths.append(max((depths[parent] + 1 for parent in above), default=top))
        return tuple(depths)

    @cached_property
    def _ranks(self) -> _Ranks:
        order = sorted(range(len(self)), key=lambda place: (self._depths[place], -place))
        bit = {place: 1 << rank for rank, place in enumerate(order)}
        reached = [sum(bit[each] for each in (place, *above)) for place, above in enumerate(self._above)]
        return _Ranks(order, reached)

    @cached_property
    def _closure(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        rows = [(place, *above) for place, above in enumerate(self._counted)]
        if self.roots:
            rows[self.index[self.roots[0]]] = ()
        offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64)))
        flat = np.array([each for row in rows for each in row], dtype=np.int64)
        offsets.flags.writeable = flat.flags.writeable = False
        return offsets, flat


@dataclass(frozen=True, slots=True)
class _Ranks:
    """Nodes from the highest to the deepest, and of each node a set of ranks: its own and its ancestors'.

    Sets are bits of whole numbers: the deepest of those that two nodes share is the highest bit of both.
    """

    order: list[int]
    reached: list[int]


def _text(name: object) -> str:
    if not isinstance(name, str):
        raise OptionError.of_type("name of a node", name, "a str")
    return name
