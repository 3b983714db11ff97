# SPDX-License-Identifier: MIT
"""A system of a third party in one file: the chord of the lowest note of a song, from a list of its notes."""

from dataclasses import dataclass
from typing import Any

from kammerton.systems import Input, System, SystemCard

NAMES = ["C", "Db", "D", "Eb", "E", "F", "Gb", "G", "Ab", "A", "Bb", "B"]


@dataclass(frozen=True)
class TonicOptions:
    """Settings: the quality of the chord."""

    quality: str = "maj"


def annotate(source: Input, _: Any, settings: TonicOptions) -> tuple[list[tuple[float, float]], list[str]]:
    """Return one chord from the first onset to the last: lines of the file are seconds and MIDI numbers."""
    lines = source.files["sheet"].read_text().split("\n")
    times, keys = zip(*(map(float, line.split()) for line in lines if line), strict=True)
    return [(min(times), max(times))], [f"{NAMES[int(min(keys)) % 12]}:{settings.quality}"]


SYSTEM = System(
    name="tonic",
    task="chords",
    takes=frozenset({"sheet"}),
    card=SystemCard(
        summary="The chord of the lowest note, throughout.",
        licence="MIT",
        levels=("none: it is an example",),
        limits="It needs no harmony.",
    ),
    options=TonicOptions,
    annotate=annotate,
)
