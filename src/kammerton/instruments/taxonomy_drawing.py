# SPDX-License-Identifier: MIT
"""A taxonomy as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kammerton.errors import printable

__all__ = ["draw_tree"]

_INDENT = "  "
_AGAIN = " ..."
"""Behind a node whose children stand further up."""


def draw_tree(tops: Sequence[str], children: Callable[[str], Sequence[str]], marks: Mapping[str, str]) -> str:
    """Draw nodes below their parents.

    Parameters
    ----------
    tops : sequence of str
        Nodes that are below no other.
    children : callable
        Returns the nodes just below one.
    marks : mapping of str to str
        What stands behind the names of nodes.

    Returns
    -------
    str
        A line for each node, indented by two spaces for each level.

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
