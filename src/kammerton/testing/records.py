# SPDX-License-Identifier: MIT
"""Faults of what a task says of itself: names, cards, ranges, options."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_args

from kammerton.model.measure import Aggregate, Law, Measure, Needs
from kammerton.model.protocol import Protocol
from kammerton.model.task import Task

__all__ = ["faults_of_options", "faults_of_record"]

_TASK = re.compile(r"[a-z][a-z0-9_]*")
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?")
_MEASURE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.@-]*[A-Za-z0-9])?")
_SUFFIX = re.compile(r"(?:\.[a-z0-9_+-]+)+")


def faults_of_record(task: Task) -> Iterator[str]:
    """Give the faults of names, protocols and measures."""
    if not _TASK.fullmatch(task.name):
        yield f"task name {task.name!r}: lower-case letters, digits and `_`, a letter first"
    if not task.summary.strip() or "\n" in task.summary:
        yield "the task has no summary of one line"
    if not task.suffixes:
        yield "the task reads no suffix"
    for suffix in sorted(task.suffixes):
        if not _SUFFIX.fullmatch(suffix):
            yield f"suffix {suffix!r}: lower-case, with its dot"
    if not task.protocols:
        yield "the task has no protocol"
    yield from _twice("protocol", [protocol.name for protocol in task.protocols])
    yield from _twice("measure", [str(measure) for measure in task.measures])
    for protocol in task.protocols:
        yield from _faults_of_protocol(protocol)
    item = task.identify("folder/name")
    if not (isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str) and item[0]):
        yield f"identify('folder/name') returned {item!r}, not an item and an annotator or None"


def _twice(kind: str, names: list[str]) -> Iterator[str]:
    for name, count in Counter(names).items():
        if count > 1:
            yield f"{count} {kind}s are called {name}"


def _faults_of_protocol(protocol: Protocol) -> Iterator[str]:
    who = f"protocol {protocol.name}"
    if not _NAME.fullmatch(protocol.name):
        yield f"{who}: a name has letters, digits, `_`, `.` and `-`"
    if protocol.revision < 1:
        yield f"{who}: revisions count from 1"
    for field in ("summary", "rules"):
        if not getattr(protocol, field).strip():
            yield f"{who} has no {field}"
    if not protocol.measures:
        yield f"{who} has no measures"
    elif not any(measure.headline for measure in protocol.measures):
        yield f"{who} has no headline measure: tables would not show it"
    for measure in protocol.measures:
        if measure.protocol != protocol.name:
            yield f"measure {measure} is listed in {who}"
        yield from _faults_of_measure(measure)


def _faults_of_measure(measure: Measure) -> Iterator[str]:
    if not _MEASURE.fullmatch(measure.name):
        yield f"measure {measure}: a name has letters, digits, `_`, `.`, `-` and `@`"
    untold = [field.name for field in fields(measure.card) if not getattr(measure.card, field.name).strip()]
    yield from (f"the card of {measure} has no {name}" for name in untold)
    low, high = measure.range
    if not low < high:
        yield f"the range of {measure} is empty: {low:g} to {high:g}"
    elif measure.worst != (low if measure.direction == "higher" else high):
        yield f"{measure}: {measure.direction} is better, so the worst is not {measure.worst:g}"
    if not measure.weight_unit:
        yield f"{measure} has no unit of weight"
    names = measure.formula.statistics
    if not names or len(set(names)) < len(names):
        yield f"{measure}: statistics have names, each its own: {', '.join(names)}"
    yield from _twice(f"aggregate of {measure}", list(measure.aggregates))
    for kind, values, known in (
        ("direction", (measure.direction,), ("higher", "lower")),
        ("need", (measure.needs,), get_args(Needs)),
        ("aggregate", measure.aggregates, get_args(Aggregate)),
        ("law", sorted(measure.laws), get_args(Law)),
    ):
        for value in values:
            if value not in known:
                yield f"{measure} has a {kind} {value!r}, which there is not: {', '.join(known)}"


def faults_of_options(options: type[Any]) -> Iterator[str]:
    """Give the faults of the record of options: each becomes an option of the command line."""
    if not is_dataclass(options):
        yield "options are no dataclass"
        return
    if not options.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        yield f"{options.__name__} is not frozen"
    try:
        options()
    except Exception as error:  # whatever the constructor raises
        yield f"{options.__name__}() fails: options need defaults ({error})"
    told = _documented(options)
    for field in fields(options):
        if not told.get(field.name):
            yield f"option {field.name} is not described in the docstring of {options.__name__}"


def _documented(options: type) -> dict[str, str]:
    """Return what the docstrings of a class and of those it extends say about each field."""
    told: dict[str, str] = {}
    for each in reversed(options.__mro__):
        text = inspect.cleandoc(each.__dict__.get("__doc__") or "")
        section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+$|\Z)", text, re.MULTILINE | re.DOTALL)
        for found in re.finditer(
            r"^(\w[\w, ]*) : [^\n]*\n((?:[ \t]+\S[^\n]*\n?)*)", section[1] if section else "", re.MULTILINE
        ):
            told |= dict.fromkeys((name.strip() for name in found[1].split(",")), found[2].strip())
    return told
