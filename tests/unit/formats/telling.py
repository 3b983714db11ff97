# SPDX-License-Identifier: MIT
"""Readings as text that a test can hold."""

from typing import Any

from kammerton.errors import Diagnostic
from kammerton.formats import IntervalOptions, TrackReading, parse_intervals

CHORDS = ("chord", "chord_harte")


def told(reading: TrackReading) -> str:
    """Return all diagnostics, a line each and one for each hint."""
    return "\n".join(map(tell, reading.diagnostics))


def tell(diagnostic: Diagnostic) -> str:
    """Return ``severity line:column+length CODE message``, and the hint on a line of its own."""
    place = ""
    if diagnostic.column is not None:
        place = f" {diagnostic.line}:{diagnostic.column}+{diagnostic.length}"
    elif diagnostic.line is not None:
        place = f" {diagnostic.line}"
    count = "" if diagnostic.count == 1 else f" ({diagnostic.count} in all)"
    hint = "" if diagnostic.hint is None else f"\n  help: {diagnostic.hint}"
    return f"{diagnostic.severity}{place} {diagnostic.code} {diagnostic.message}{count}{hint}"


def rows_of(reading: TrackReading) -> list[tuple[float, float, str]]:
    """Return the rows of the only track."""
    (track,) = reading.tracks
    return list(zip(track.starts.tolist(), track.ends.tolist(), track.labels, strict=True))


def parse(text: str, name: str = "a.lab", **options: Any) -> TrackReading:
    """Read a text as the chord task does."""
    return parse_intervals(text, name=name, options=IntervalOptions(**options), namespaces=CHORDS)
