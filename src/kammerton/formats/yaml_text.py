# SPDX-License-Identifier: MIT
"""YAML as data: mappings, sequences and text, each with its place; nothing is constructed from it.

The events of the parser are used, not its objects: so depth and size are known before memory is taken,
and texts stay as they are written. A label ``no`` is not false, and ``010`` is not eight.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NoReturn

import yaml

from kammerton.errors import quote
from kammerton.formats.json_places import JsonPlaces, Pointer, TextSpan
from kammerton.formats.reading import Limits, Problems
from kammerton.model.annotations import Place

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser of libyaml if there is one, which is ten times as fast."""

_STANDARD = "tag:yaml.org,2002:"
_TEXT = ("str", "int", "float", "bool", "null", "timestamp")
_TAGS = {
    "scalar": frozenset((None, "!", *(_STANDARD + kind for kind in _TEXT))),
    "map": frozenset((None, "!", _STANDARD + "map")),
    "seq": frozenset((None, "!", _STANDARD + "seq")),
}
"""Tags that change nothing; of text, all but that of null."""

_NULL_TAG = _STANDARD + "null"
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_MERGE = "<<"

_UNREADABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What YAML does not allow in a text."""


@dataclass(slots=True, eq=False)
class _Node:
    """A value that is being read, or has been.

    ``size`` counts the values it stands for, and ``height`` their levels, as if aliases were written out.
    """

    value: Any
    span: TextSpan
    anchor: str | None = None
    members: dict[str | int, _Node] = field(default_factory=dict)
    keys: dict[str, TextSpan] = field(default_factory=dict)
    size: int = 1
    height: int = 0
    pending: str | None = None
    closed: bool = False


_WORD = re.compile(r"[\n ]*+(?P<word>\w+|[^\n ])")


class YamlDocument:
    """A YAML text of one document.

    Attributes
    ----------
    value : dict, list, str or None
        Keys are text; every scalar is text as written, but null is None.
    """

    def __init__(self, root: _Node, places: JsonPlaces) -> None:
        self.value: object = root.value
        self._root = root
        self._places = places

    def of(self, pointer: Pointer) -> Place:
        """Return the place of a value, or of the nearest one around it if it is not there."""
        node = self._root
        for step in pointer:
            if step not in node.members:
                break
            node = node.members[step]
        return self._places.at(node.span)

    def key(self, pointer: Pointer) -> Place:
        """Return the place of the key of a member; of an element of a sequence, its own."""
        node = self._root
        for step in pointer[:-1]:
            node = node.members[step]
        last = pointer[-1]
        return self._places.at(node.keys[last]) if isinstance(last, str) else self.of(pointer)


def decode_yaml(text: str, problems: Problems, limits: Limits) -> YamlDocument | None:
    r"""Parse YAML, or report why it cannot be.

    Examples
    --------
    >>> problems = Problems("song.yaml")
    >>> decode_yaml("stems: {S01: {instrument: piano}}", problems, Limits()).value
    {'stems': {'S01': {'instrument': 'piano'}}}
    """
    places = JsonPlaces(text, problems.file)
    bad = _UNREADABLE.search(text)
    if bad is not None:
        message = f"character that YAML does not allow: {quote(bad.group())}"
        problems.report("KT170", message, places.at(bad.span()))
        return None
    builder = _Builder(places, problems, limits)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except yaml.YAMLError as error:
        _report_invalid(error, places, problems)
    except _RefusedError:
        pass  # it has been reported
    root = builder.root or _Node(None, (0, 0))
    return None if problems.has_errors else YamlDocument(root, places)


def _report_invalid(error: yaml.YAMLError, places: JsonPlaces, problems: Problems) -> None:
    """Report invalid YAML in our words: those of the two parsers differ."""
    text = places.text
    mark = getattr(error, "problem_mark", None)
    offset = len(text) if mark is None else mark.index
    token = _WORD.match(text, offset)
    hint = None
    if token is None:
        offset = len(text.rstrip())
        message, hint = "YAML ends too early", "is a bracket or a quote still open, or a colon missing?"
    elif token.group() == "\t":
        message, hint = "not valid YAML: unexpected tab", "indent with spaces"
    else:
        message = f"not valid YAML: unexpected {quote(token.group())}"
        if token.group() == ":":
            hint = "text with `: ` in it stands between quotes"
    span = (offset, token.end() if token else offset + 1)
    problems.report("KT170", message, partial(places.at, span), hint=hint)


class _RefusedError(Exception):
    """Reading ends here; the reason has been reported."""


class _Builder:
    """Builds values from events, and counts the nodes that aliases repeat."""

    def __init__(self, places: JsonPlaces, problems: Problems, limits: Limits) -> None:
        self.root: _Node | None = None
        self._places = places
        self._problems = problems
        self._limits = limits
        self._open: list[_Node] = []
        self._anchors: dict[str, _Node] = {}
        self._count = 0
        self._documents = 0

    def take(self, event: Any) -> None:
        """Add one event of the parser."""
        span = (event.start_mark.index, event.end_mark.index)
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                self._refuse(span, "KT170", "second document", "one file holds one value")
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event, span)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(str(event.anchor), span)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._begin(event, span)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._end()

    def _refuse(self, span: TextSpan, code: str, message: str, hint: str | None = None) -> NoReturn:
        self._problems.report(code, message, partial(self._places.at, span), hint=hint)
        raise _RefusedError

    def _scalar(self, event: yaml.ScalarEvent, span: TextSpan) -> None:
        self._check_tag("scalar", event.tag, span)
        plain = event.implicit[0] and event.tag is None
        is_null = event.tag == _NULL_TAG or (plain and event.value in _NULLS)
        holder = self._open[-1] if self._open else None
        if holder is not None and isinstance(holder.value, dict) and holder.pending is None:
            self._key(holder, event, span, merges=plain and event.value == _MERGE)
        else:
            self._close(_Node(None if is_null else event.value, span, event.anchor))

    def _check_tag(self, kind: str, tag: str | None, span: TextSpan) -> None:
        if tag not in _TAGS[kind]:
            hint = "YAML is read as mappings, lists and text; nothing is constructed"
            self._refuse(span, "KT171", f"tag is not read: {quote(str(tag))}", hint)

    def _key(self, holder: _Node, event: yaml.ScalarEvent, span: TextSpan, *, merges: bool) -> None:
        if merges:
            self._refuse(span, "KT171", "merge key `<<` is not read", "write the members out")
        if event.value in holder.keys:
            message = f"key stands twice in one mapping: {quote(event.value)}"
            self._problems.report("KT142", message, partial(self._places.at, span))
        holder.keys[event.value] = span
        holder.pending = event.value
        if event.anchor is not None:
            self._anchors[event.anchor] = _Node(event.value, span, closed=True)

    def _alias(self, name: str, span: TextSpan) -> None:
        target = self._anchors.get(name)
        if target is None:
            self._refuse(span, "KT170", f"alias of nothing: no anchor {quote(name)} before it")
        if not target.closed:
            self._refuse(span, "KT172", f"alias {quote(name)} stands within what it stands for")
        self._no_key(span)
        self._close(replace(target, span=span, anchor=None))

    def _begin(self, event: yaml.CollectionStartEvent, span: TextSpan) -> None:
        is_map = isinstance(event, yaml.MappingStartEvent)
        self._check_tag("map" if is_map else "seq", event.tag, span)
        self._no_key(span)
        node = _Node({} if is_map else [], span, event.anchor, height=1)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        self._open.append(node)
        self._check_depth(len(self._open), span)

    def _no_key(self, span: TextSpan) -> None:
        """Refuse what stands where a key should, if it is no text."""
        holder = self._open[-1] if self._open else None
        if holder is not None and isinstance(holder.value, dict) and holder.pending is None:
            self._refuse(span, "KT171", "key that is no text", "keys of mappings are text here")

    def _check_depth(self, depth: int, span: TextSpan) -> None:
        if depth > self._limits.depth:
            self._refuse(span, "KT106", f"YAML nested more than {self._limits.depth} levels deep")

    def _end(self) -> None:
        self._close(self._open.pop())

    def _close(self, node: _Node) -> None:
        """Put a finished node where it belongs."""
        node.closed = True
        if node.anchor is not None:
            self._anchors[node.anchor] = node
        self._count += 1
        self._check_depth(len(self._open) + node.height, node.span)
        if not self._open:
            self.root = node
            return
        holder = self._open[-1]
        holder.size += node.size
        holder.height = max(holder.height, node.height + 1)
        if max(holder.size, self._count) > self._limits.rows:
            self._refuse(node.span, "KT106", f"more than {self._limits.rows:,} values in the YAML")
        step: str | int = len(holder.members)
        if isinstance(holder.value, dict):
            assert holder.pending is not None, "values of mappings come behind their keys"
            step, holder.pending = holder.pending, None
            holder.value[step] = node.value
        else:
            holder.value.append(node.value)
        holder.members[step] = node
