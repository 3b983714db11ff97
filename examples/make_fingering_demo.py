# SPDX-License-Identifier: MIT
"""Write the bundled example of fingerings: three short pieces, two annotators, two made-up systems.

    python examples/make_fingering_demo.py FOLDER

The pieces are a scale, a cadence of ours, and the first part of a minuet by Christian Petzold (1677-1733)
in our own transcription. A part has one bar between two ``|``; a note is its pitch, with ``/`` and its
beats where it is not one beat long, and a chord is pitches joined by ``+``. Fingers stand in the same form;
``4_1`` is a change of fingers on one key, ``.`` no finger. Those of the left hand get their sign here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HEAD = "//Version: PianoFingering_v170101\n"
ANNOTATORS = ("1", "2")
KEYS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}


@dataclass(frozen=True)
class Piece:
    """A piece: how long a beat is, the parts of both hands, and what fingers each one takes for them."""

    title: str
    beat_s: float
    right: str
    left: str
    fingers: dict[str, tuple[str, str]]


PIECES = (
    Piece(
        "C major scale",
        0.25,
        "C4 D4 E4 F4 | G4 A4 B4 C5 | B4 A4 G4 F4 | E4 D4 C4/2",
        "C3 D3 E3 F3 | G3 A3 B3 C4 | B3 A3 G3 F3 | E3 D3 C3/2",
        {
            "1": ("1 2 3 1 | 2 3 4 5 | 4 3 2 1 | 3 2 1", "5 4 3 2 | 1 3 2 1 | 2 3 1 2 | 3 4 5"),
            "2": ("1 2 3 1 | 2 3 4 5 | 4 3 2 1 | 3 2 1", "4 3 2 1 | 4 3 2 1 | 2 3 4 1 | 2 3 4"),
            "careful": ("1 2 3 1 | 2 3 4 5 | 4 3 2 1 | 3 2 1", "5 4 3 2 | 1 3 2 1 | 2 3 4 1 | 2 3 4"),
            "hasty": ("1 2 3 4 | 5 1 2 3 | 2 1 5 4 | 3 2 1", "5 4 3 2 | 1 5 4 3 | 4 5 1 2 | 3 4 5"),
        },
    ),
    Piece(
        "Cadence",
        0.5,
        "C4+E4+G4/2 C4+F4+A4/2 | B3+D4+G4/2 C4+E4+G4/2",
        "C3/2 F3/2 | G3 G2 C3/2",
        {
            "1": ("1+3+5 1+4+5 | 1+2+5 1+3+5", "5 2 | 1 5 2"),
            "2": ("1+2+4 1+3+5 | 1+2+5 1+2+4", "4 1 | 1 5_4 2"),
            "careful": ("1+3+5 1+3+5 | 1+2+5 1+3+5", "5 2 | 1 5 2"),
            "hasty": ("1+3+5 1+1+5 | 1+2+3 3+1+5", "5 1 | 1 5 ."),
        },
    ),
    Piece(
        "Minuet in G",
        0.5,
        "D5 G4/.5 A4/.5 B4/.5 C5/.5 | D5 G4 G4 | E5 C5/.5 D5/.5 E5/.5 F#5/.5 | G5 G4 G4 |"
        "C5 D5/.5 C5/.5 B4/.5 A4/.5 | B4 C5/.5 B4/.5 A4/.5 G4/.5 | F#4 G4/.5 A4/.5 B4/.5 G4/.5 | A4/3",
        "G3+B3+D4/2 A3 | B3/3 | C4/3 | B3/3 | A3/3 | G3/3 | D4 B3 G3 | D4 D3/.5 C4/.5 B3/.5 A3/.5",
        {
            "1": (
                "5 1 2 3 4 | 5 1 1 | 3 1 2 3 4 | 5 1 1 | 4 5 4 3 2 | 3 4 3 2 1 | 2 1 2 3 1 | 2_1",
                "5+3+1 4 | 3 | 2 | 3 | 4 | 5 | 1 2 4 | 1 5 1 2 3",
            ),
            "2": (
                "5 1 2 3 4 | 5 2 1 | 4 2 3 4 5 | 5 1 2 | 4 5 4 3 2 | 3 4 3 2 1 | 2 3 4 5 3 | 4_2",
                "5+2+1 4 | 3 | 2 | 3 | 4 | 5 | 1 3 5 | 1 5 2 3 4",
            ),
            "careful": (
                "5 1 2 3 4 | 5 1 1 | 3 1 2 3 4 | 5 1 1 | 4 5 4 3 2 | 3 4 3 2 1 | 2 3 4 5 3 | 2",
                "5+3+1 4 | 3 | 2 | 3 | 4 | 5 | 1 2 5 | 1 5 1 2 3",
            ),
            "hasty": (
                "4 1 2 3 4 | 5 1 1 | 4 2 3 4 5 | 5 2 2 | 3 4 3 2 1 | 2 3 2 1 1 | 1 2 3 4 2 | 3",
                "5+3+1 4 | 3 | 2 | 3 | 4 | 5 | 1 3 5 | 1 5 4 2 3",
            ),
        },
    ),
)

Note = tuple[float, float, str, int, str]
"""Onset, offset, pitch, channel, finger."""


def tokens(text: str) -> list[str]:
    """Return what stands between blanks and bars."""
    return text.replace("|", " ").split()


def notes_of(part: str, fingers: str, channel: int, beat_s: float) -> Iterator[Note]:
    """Give the notes of one hand."""
    beat = 0.0
    for played, struck in zip(tokens(part), tokens(fingers), strict=True):
        pitches, _, length = played.partition("/")
        begin, beat = beat, beat + float(length or 1)
        for pitch, finger in zip(pitches.split("+"), struck.split("+"), strict=True):
            yield begin * beat_s, beat * beat_s, pitch, channel, signed(finger, channel)


def signed(finger: str, channel: int) -> str:
    """Return a finger as PIG has it; none is 0."""
    if finger == ".":
        return "0"
    return "_".join(f"-{part}" for part in finger.split("_")) if channel else finger


def height(pitch: str) -> int:
    """Return where a pitch lies on the keyboard."""
    return 12 * int(pitch[-1]) + KEYS[pitch[0]] + pitch.count("#")


def render(piece: Piece, who: str) -> str:
    """Return a piece as one annotator or system fingered it, in the form of PIG."""
    right, left = piece.fingers[who]
    notes = [*notes_of(piece.right, right, 0, piece.beat_s), *notes_of(piece.left, left, 1, piece.beat_s)]
    notes.sort(key=lambda note: (note[0], height(note[2])))
    rows = (
        f"{number}\t{onset}\t{offset}\t{pitch}\t64\t80\t{channel}\t{finger}\n"
        for number, (onset, offset, pitch, channel, finger) in enumerate(notes)
    )
    return HEAD + "".join(rows)


def main(folder: Path) -> None:
    """Write every file below ``folder``."""
    for piece in PIECES:
        for who in piece.fingers:
            annotates = who in ANNOTATORS
            name = f"{piece.title}-{who}_fingering" if annotates else f"{piece.title}_est_fingering"
            path = folder / ("reference" if annotates else who) / f"{name}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(render(piece, who), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
