# SPDX-License-Identifier: MIT
"""What a source says is below what, and the checks that make a taxonomy of it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePath

from kammerton.errors import Diagnostic, OptionError, Severity, close_match, quote
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.formats.tables import composed
from kammerton.model.annotations import Place

__all__ = ["MOST_NODES", "RENAME", "Links", "Locate", "Parents", "in_order"]

MOST_NODES = 10_000
"""Nodes that a taxonomy may have: tables of nodes by nodes must fit in memory."""

RENAME = "give one of them another name"

Locate = Callable[[], Place]
Parents = dict[str, tuple[str, ...]]
"""Parents of each node, none of those at the top."""


class Links:
    """Nodes and what they are below, each with its place, as far as a source has been read.

    Parameters
    ----------
    problems : Problems
        Takes KT106, KT640 to KT646 and KT651.
    limits : Limits
        ``label`` and ``depth`` are kept.
    """

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
        """Leave out everything that is not below one node, and that node's own parents.

        Raises
        ------
        OptionError
            If there is no such node.
        """
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
        """Check everything that needs all nodes.

        Parameters
        ----------
        root : str, optional
            The node at the top, if the source names one.

        Returns
        -------
        dict of str to tuple of str
            Of no use if there was an error.
        """
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
