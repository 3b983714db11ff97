# SPDX-License-Identifier: MIT
"""Taxonomies: nodes below their parents, from any source."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic, OptionError, Severity, close_match, printable, quote
from kammerton.formats.reading import Limits, Problems
from kammerton.formats.tables import composed, render_rows
from kammerton.model.annotations import Place

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
        # what the source says about itself, as in :class:`Taxonomy`; and names by identifier
        self.source = self.licence = ""
        self.root: str | None = None  # the node at the top, if the source names it
        self.ids: Mapping[str, str] = {}
        self._above: dict[str, dict[str, Locate]] = {}
        self._places: dict[str, Locate] = {}

    def say(
        self, severity: Severity, code: str, message: str, locate: Locate, hint: str | None = None
    ) -> None:
        """Report a problem."""
        self._problems.report(code, message, locate, severity=severity, hint=hint)

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

    def names(self, texts: Iterable[tuple[str, str, Locate]], what: str) -> dict[str, str]:
        """Take up nodes by identifier, and return the name of each; of two of one name, the first."""
        names: dict[str, str] = {}
        first: dict[str, str] = {}
        for id_, text, locate in texts:
            name = self.name(text, locate)
            if name is None:
                continue
            if first.setdefault(name, id_) != id_:
                self.say("error", "KT642", f"two {what} of one name: {quote(name)}", locate)
            else:
                names[id_] = name
                self.node(name, locate)
        return names

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

    def put_named(self, text: str, locate: Locate, parents: Iterable[tuple[str, Locate]]) -> None:
        """Take up a node and those that it is below, by what the source calls them."""
        name = self.name(text, locate)
        if name is not None:
            self.node(name, locate)
            for parent_text, parent_locate in parents:
                parent = self.name(parent_text, parent_locate)
                if parent is not None:
                    self.put(name, parent, parent_locate)

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
            new = [name for name in below[waiting.pop()] if name not in reached]
            reached.update(new)
            waiting += new
        self._above = {
            name: {parent: place for parent, place in above.items() if parent in reached and name != top}
            for name, above in self._above.items()
            if name in reached
        }
        self.root = None

    def taxonomy(self, name: str) -> Taxonomy:
        """Return all that was taken up, after checks of everything that needs all nodes."""
        whole = partial(Place, self._problems.file)
        if not self._above and not self._problems.has_errors:
            self.say("error", "KT640", "taxonomy without nodes", whole)
        if len(self._above) > MOST_NODES:
            message = f"taxonomy of {len(self._above):,} nodes: over the limit of {MOST_NODES:,}"
            self.say("error", "KT106", message, whole)
        parents = {node: tuple(above) for node, above in self._above.items()}
        if not self._problems.has_errors:
            self._check_cycles()
        nodes = () if self._problems.has_errors else _in_order(parents)
        number = {node: place for place, node in enumerate(nodes)}
        tree = Taxonomy(
            name,
            nodes,
            tuple(tuple(number[parent] for parent in parents[node]) for node in nodes),
            self.source,
            self.licence,
            ids={id_: node if node in parents else None for id_, node in self.ids.items()}
            | {node: None for node in self.ids.values() if node not in parents},
        )
        if nodes:
            self._check_depth(tree)
            self._check_tops(tree)
            self._check_case()
        if self._problems.has_errors:
            raise DataError(self._problems.diagnostics())
        return replace(tree, diagnostics=self._problems.diagnostics())

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

    def _check_depth(self, tree: Taxonomy) -> None:
        deepest = max(tree.nodes, key=tree.depth)
        levels = tree.depth(deepest) + len(tree.roots)
        if levels > self._limits.depth:
            message = f"taxonomy of {levels:,} levels: over the limit of {self._limits.depth}"
            self.say("error", "KT106", message, self._places[deepest])

    def _check_tops(self, tree: Taxonomy) -> None:
        tops = tree.tops
        if self.root is None and len(tops) > 1:
            named = ", ".join(map(quote, tops[:5])) + (", ..." if len(tops) > 5 else "")
            message = f"{len(tops):,} nodes at the top, below a root without a name: {named}"
            self.say("note", "KT645", message, self._places[tops[0]])
        for name in tops if self.root is not None else ():
            if name != self.root:
                message = f"{quote(name)} is not below the root {quote(self.root or '')}"
                self.say("error", "KT644", message, self._places[name])

    def _check_case(self) -> None:
        spelled: dict[str, str] = {}
        for name in self._above:
            first = spelled.setdefault(name.casefold(), name)
            if first != name:
                message = f"names differ in case only: {quote(first)}, {quote(name)}"
                hint = "labels that are matched whatever their case stand for the first"
                self.say("note", "KT651", message, self._places[name], hint)


def _in_order(parents: Parents) -> tuple[str, ...]:
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
    return tuple(placed)


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

    def __repr__(self) -> str:
        """Return the name, and how many nodes it has."""
        return f"<Taxonomy {self.name}: {len(self.nodes):,} nodes>"

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
        for child, above in parents.items():
            names = [above] if isinstance(above, str) else above
            links.put_named(_text(child), locate, [(_text(parent), locate) for parent in names])
        links.source, links.licence = source, licence
        return links.taxonomy(name)

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
        return tuple(self._children[self.nodes[self.number(label)]])

    def siblings(self, label: str) -> tuple[str, ...]:
        """Return the other nodes that share a parent with a node, the root not counted as one."""
        above = self._parents[self.nodes[self.number(label)]]
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
        shared, other_way = ({place, *self._above[place]} for place in map(self.number, (one, other)))
        shared &= other_way
        deepest = max((self._depths[place] for place in shared), default=0)
        return tuple(self.nodes[place] for place in sorted(shared) if self._depths[place] == deepest) or ("",)

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
        return tuple(self.nodes[node] for node in sorted(self._above[place]) if self._depths[node] == level)

    def nearest(self, label: str, n: int = 3) -> tuple[str, ...]:
        """Return the names that are most like one that is not a node, whatever their case."""
        spelled = {node.casefold(): node for node in reversed(self.nodes)}
        near = difflib.get_close_matches(label.casefold(), spelled, n=n, cutoff=0.6)
        return tuple(map(spelled.__getitem__, near))

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
        return tuple(node for node, above in self._parents.items() if not above)

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """Nodes without children, in order."""
        return tuple(node for node, below in self._children.items() if not below)

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
        lines: list[str] = []
        drawn: set[str] = set()
        stack = [(node, 0) for node in reversed(self.tops)]
        while stack:
            node, depth = stack.pop()
            below = self.children(node)
            again = " ..." if below and node in drawn else ""  # its children stand further up
            mark = f"  {printable(marks[node])}" if marks and node in marks else ""
            lines.append("  " * depth + printable(node) + again + mark)
            if not again:
                stack += [(child, depth + 1) for child in reversed(below)]
            drawn.add(node)
        return "\n".join(lines)

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
        for node, above in self._parents.items():
            rows += [(node, parent) for parent in above] or [(node, "")]
        return render_rows(rows)

    # --- what is computed once ---------------------------------------------------------------

    @cached_property
    def _parents(self) -> Parents:
        names = (tuple(self.nodes[parent] for parent in above) for above in self.parents)
        return dict(zip(self.nodes, names, strict=True))

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        return _children(self._parents)

    @cached_property
    def _above(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of what is above each node, the nearest first."""
        above: list[tuple[int, ...]] = []
        for parents in self.parents:
            reached = dict.fromkeys(parents)
            level = parents
            while level:
                level = tuple(dict.fromkeys(over for place in level for over in self.parents[place]))
                level = tuple(over for over in level if over not in reached)
                reached.update(dict.fromkeys(level))
            above.append(tuple(reached))
        return tuple(above)

    @cached_property
    def _ancestors(self) -> tuple[tuple[str, ...], ...]:
        return tuple(
            tuple(self.nodes[place] for place in above if self.nodes[place] not in self.roots)
            for above in self._above
        )

    @cached_property
    def _depths(self) -> tuple[int, ...]:
        top = 0 if self.roots else 1
        depths: list[int] = []
        for above in self.parents:  # parents come first
            depths.append(max((depths[parent] + 1 for parent in above), default=top))
        return tuple(depths)

    @cached_property
    def _closure(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        rows = [
            () if node in self.roots else (place, *map(self.number, self._ancestors[place]))
            for place, node in enumerate(self.nodes)
        ]
        offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64)))
        flat = np.array(list(chain.from_iterable(rows)), dtype=np.int64)
        offsets.flags.writeable = flat.flags.writeable = False
        return offsets, flat


def _text(name: object) -> str:
    if not isinstance(name, str):
        raise OptionError.of_type("name of a node", name, "a str")
    return name
