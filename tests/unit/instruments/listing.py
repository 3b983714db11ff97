# SPDX-License-Identifier: MIT
"""Readings of instruments as text that a test can hold."""

from pathlib import Path
from typing import Any

from kammerton.errors import Diagnostic
from kammerton.formats.reading import Problems
from kammerton.formats.source import with_newlines
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.labels import ListReader, as_items, as_reading
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.reading import parse_text
from kammerton.model.task import ItemReadings, Reading
from unit.formats.telling import tell

SAMPLE = "campaign-sample"
"""Taxonomy of the campaign's figure: below A are B, C and D, and below those E to K."""


def read(text: str, suffix: str = ".txt", **options: Any) -> Reading[InstrumentList]:
    """Read a text as the file of one item."""
    problems = Problems("f" + suffix)
    source = parse_text(with_newlines(text), suffix, ListReader(problems, InstrumentOptions(**options)))
    return as_reading(source, problems)


def sheet(text: str, suffix: str = ".csv", **options: Any) -> ItemReadings[InstrumentList]:
    """Read a text as a file of many items, which it must be."""
    problems = Problems("f" + suffix)
    source = parse_text(text, suffix, ListReader(problems, InstrumentOptions(**options)))
    assert source is not None, told(problems.diagnostics())
    assert source.names_items
    return as_items(source, problems)


def told(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return diagnostics, a line each and one for each hint."""
    return "\n".join(map(tell, diagnostics))


def shown(found: InstrumentList) -> str:
    """Return a list as text: ranked labels between ``<`` and ``>``, the labels of a set between braces.

    Scores stand behind labels, ``!`` before labels that are absent, and ``...`` at the end of a list that
    does not say that all others are absent. A vector begins with ``v``, a query with ``q``.
    """
    labels = list(found.labels)
    if len(found.scores):
        labels = [f"{label}={score:g}" for label, score in zip(labels, found.scores, strict=True)]
    if len(found.grades):
        labels = [f"{label}:{grade}" for label, grade in zip(labels, found.grades, strict=True)]
    labels += [f"!{label}" for label in found.absent]
    labels += [] if found.closed else ["..."]
    begin, end = "<>" if found.ranked else "{}"
    kind = "v" * found.vector + "q" * found.query
    return kind + begin + " ".join(labels) + end


def lists(reading: Reading[InstrumentList]) -> dict[str | None, str]:
    """Return the lists of one item by annotator."""
    return {annotator: shown(found) for annotator, found in reading.annotations}


def only(reading: Reading[InstrumentList]) -> str:
    """Return the list of one item with one annotator and nothing wrong."""
    assert told(reading.diagnostics) == ""
    ((annotator, found),) = reading.annotations
    assert annotator is None
    return shown(found)


def items(found: ItemReadings[InstrumentList]) -> dict[str, str]:
    """Return the lists of items that have one annotator, who is not named."""
    assert all(annotations[0][0] is None for annotations in found.items.values())
    return {item: shown(annotation) for item, ((_, annotation),) in found.items.items()}


def write(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file and return its path."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
