# SPDX-License-Identifier: MIT
"""What reading a file gives, and how its problems are collected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kammerton.errors import Diagnostic
from kammerton.model.annotations import LabelledIntervals, Place

__all__ = ["LISTED_PROBLEMS", "Problems", "TrackReading", "such_rows"]

LISTED_PROBLEMS = 20
"""Problems of one code that a file lists one by one; the rest is counted."""


@dataclass(frozen=True, slots=True)
class TrackReading:
    """What a file gave.

    Parameters
    ----------
    tracks : tuple of LabelledIntervals
        One per annotator; empty if a diagnostic is an error.
    diagnostics : tuple of Diagnostic
        Every problem found, by line.
    rejected : tuple of LabelledIntervals
        What could be read of tracks that are of no use, so that the rest of what is wrong with them
        can be said too.
    """

    tracks: tuple[LabelledIntervals, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    rejected: tuple[LabelledIntervals, ...] = ()


class Problems:
    """Diagnostics of one file while it is read: twenty of each code, then a count.

    Parameters
    ----------
    file : str
        Name of the file.
    limits : mapping of str to int, optional
        Codes of which more, or fewer, are listed.
    """

    def __init__(self, file: str, limits: Mapping[str, int] | None = None) -> None:
        self.file = file
        self._limits = limits or {}
        self.has_errors = False
        self._listed: list[Diagnostic] = []
        self._seen: dict[str, int] = {}
        self._last: dict[str, Diagnostic] = {}

    def room(self, code: str) -> int:
        """Return how many more problems of ``code`` will be listed."""
        return max(0, self._limit(code) - self._seen.get(code, 0))

    def _limit(self, code: str) -> int:
        return self._limits.get(code, LISTED_PROBLEMS)

    def add(self, diagnostic: Diagnostic) -> None:
        """Take up a problem, once; it is listed, or only counted if there were many of its code."""
        if diagnostic in self._listed:
            return
        if self.room(diagnostic.code):
            self._listed.append(diagnostic)
        self._last[diagnostic.code] = diagnostic
        self.add_unlisted(diagnostic.code, 1)
        self.has_errors |= diagnostic.severity == "error"

    def add_at(self, problem: Diagnostic, place: Callable[[], Place]) -> None:
        """Take up a problem whose place is looked up only if it will be listed."""
        if self.room(problem.code):
            self.add(place().diagnose(problem))
        else:
            self.add_unlisted(problem.code, 1)

    def add_unlisted(self, code: str, count: int) -> None:
        """Count problems of a code that has filled its list already."""
        self._seen[code] = self._seen.get(code, 0) + count

    def add_rest(self, count: int) -> None:
        """Count further problems that nobody told apart, as of the code that there are most of."""
        if count > 0:
            self.add_unlisted(max(self._seen, key=self._seen.__getitem__), count)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return all of them by line; those that were only counted come last, as "and 431 more"."""
        if not self._seen:
            return ()
        listed = sorted(self._listed, key=lambda problem: (problem.line or 0, problem.column or 0))
        rest = [
            Diagnostic(
                code=code,
                severity=self._last[code].severity,
                message=f"and {seen - self._limit(code):,} more like these",
                file=self.file,
                count=seen - self._limit(code),
            )
            for code, seen in self._seen.items()
            if seen > self._limit(code)
        ]
        return (*listed, *rest)

    def reading(self, tracks: tuple[LabelledIntervals, ...]) -> TrackReading:
        """Return the tracks with the diagnostics, or no track if there was an error."""
        if self.has_errors:
            return TrackReading((), self.diagnostics(), tracks)
        return TrackReading(tracks, self.diagnostics())


def such_rows(count: int, what: str = "such rows") -> str:
    """Return what a message about the first of several rows, or of something else, adds."""
    return "" if count == 1 else f" ({count:,} {what})"
