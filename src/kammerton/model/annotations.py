# SPDX-License-Identifier: MIT
"""Annotations as every reader yields them, before a task gives their labels a meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kammerton.arrays import Seconds
from kammerton.errors import Diagnostic

Field = Literal["start", "end", "label"]
EXCERPT_LEAD = 200
"""Characters before a token that an excerpt keeps: in an excerpt, the token of a diagnostic
stands at column ``min(column, EXCERPT_LEAD + 1)``."""
_EXCERPT_LENGTH = 2 * EXCERPT_LEAD


def clip_excerpt(line: str, column: int | None) -> str:
    """Cut a long line to some 400 characters around ``column``; see :data:`EXCERPT_LEAD`."""
    begin = max(0, (column or 1) - 1 - EXCERPT_LEAD)
    cut = line[begin : begin + _EXCERPT_LENGTH]
    if begin > 0:
        cut = "…" + cut[1:]
    return cut if begin + len(cut) >= len(line) else cut[:-1] + "…"


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a file."""

    # file, line, column, length: as in :class:`kammerton.errors.Diagnostic`
    file: str
    line: int | None = None
    column: int | None = None
    length: int = 1
    excerpt: str | None = None  # the whole line, however long
    row: int | None = None  # index of the row, from 0, where there are arrays instead of a file
    # where each character of the value begins, from 0, and where the last one ends, if escapes make the file
    # longer than the value
    offsets: tuple[int, ...] = ()

    def diagnose(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return ``diagnostic`` placed here.

        A diagnostic that has a column already is taken as relative to this place
        (a position within a label).
        """
        column, length = self.column, self.length
        if column is not None and diagnostic.column is not None:
            first, length = diagnostic.column - 1, diagnostic.length
            if self.offsets:
                last = len(self.offsets) - 1
                begin = self.offsets[min(first, last)]
                first, length = begin, max(1, self.offsets[min(first + length, last)] - begin)
            column += first
        message = diagnostic.message if self.row is None else f"row index {self.row}: {diagnostic.message}"
        excerpt = None
        if self.excerpt is not None:
            excerpt = clip_excerpt(self.excerpt, column)
            shown = min(column or 1, EXCERPT_LEAD + 1)
            length = max(1, min(length, len(excerpt) - shown + 1))
        return diagnostic.at(
            message=message, file=self.file, line=self.line, column=column, length=length, excerpt=excerpt
        )

    def token(self) -> str | None:
        """Return what stands here as the file has it, or None without a file."""
        if self.excerpt is None or self.column is None:
            return None
        return self.excerpt[self.column - 1 : self.column - 1 + self.length]


@dataclass(frozen=True, slots=True, eq=False)
class Metadata:
    """What a JAMS file says beside the rows of an annotation, as JSON has it; numbers are ``Decimal``."""

    # members of the file without its annotations: ``file_metadata`` and ``sandbox``
    file: Mapping[str, object]
    # members of the annotation without its data: ``annotation_metadata``, ``sandbox``, ``duration``
    annotation: Mapping[str, object]
    others: tuple[str, ...] = ()  # namespaces of the annotations in the file that are not of the task


@dataclass(frozen=True, slots=True, eq=False)
class LabelledIntervals:
    """Rows of start, end and label, sorted by start, of one annotator."""

    # starts, ends: seconds; finite, not negative, ``starts <= ends``, no overlaps. Rows of zero length are
    # kept: some protocols see them.
    starts: Seconds
    ends: Seconds
    labels: list[str]  # as written in the file
    # ``locate(row, field)`` returns the :class:`Place` of a field of a row in the file
    locate: Callable[[int, Field], Place]
    annotator: str | None = None  # name of the annotator if the file tells it
    # ``confidence(row)`` returns what the file says of the confidence of a row, as JSON has it
    confidence: Callable[[int], object] | None = None
    metadata: Metadata | None = None  # what a JAMS file says beside the rows
    item: str | None = None  # name of the item, of rows for a file of many


def carried(diagnostics: Iterable[Diagnostic], roots: Sequence[str] = ()) -> tuple[Diagnostic, ...]:
    """Return diagnostics without what is so on one machine only."""
    return tuple(
        diagnostic.at(file=diagnostic.file and portable(diagnostic.file, roots)) for diagnostic in diagnostics
    )


def portable(file: str, roots: Sequence[str] = ()) -> str:
    """Return the name of a file without what is so on one machine only."""
    path = Path(file)
    if not path.is_absolute():
        return file
    with suppress(OSError, ValueError):  # it was removed, or does not hold the file
        return path.relative_to(Path.cwd()).as_posix()
    inside = [root for root in roots if path.is_relative_to(root)]
    if inside:
        return path.relative_to(Path(max(inside, key=len)).parent).as_posix()
    return "/".join(path.parts[-2:])
