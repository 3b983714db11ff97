# SPDX-License-Identifier: MIT
"""Notes on staves of text, with the fingers of one player below them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kammerton.model.views import Note, Roll

_NAMED = re.compile(r"([A-G])(\D*?)(-?\d+)")
_STEPS = "CDEFGAB"
_STAVES = {"right": (30, 38), "left": (18, 26)}
"""Lowest and highest line of each hand, in white keys from C0: E4 to F5, and G2 to A3."""
_CHORD_S = 0.03
"""Onsets that are no farther apart stand in one column."""
_CELL, _NAME = 4, 6
"""Columns of text of a column of notes, and before all."""


def render_staves(roll: Roll, voice: str, width: int) -> str:
    """Return the notes of a roll on a staff for each hand, one player's fingers below, in so many columns.

    Examples
    --------
    >>> from kammerton.model.views import Cell, Voice
    >>> notes = (Note(0.0, 1.0, 64, "E4", "right"), Note(1.0, 2.0, 66, "F#4", "right"))
    >>> print(render_staves(Roll(notes, (Voice("mine", (Cell("2"), Cell("3"))),)), "mine", 40))
          --------
          --------
    right --------
          --------
               #o
          -o------
           2   3
    """
    (fingers,) = ([cell.text for cell in own.fingers] for own in roll.voices if own.name == voice)
    columns: list[list[int]] = []
    for note in sorted(range(len(roll.notes)), key=lambda note: roll.notes[note].onset):
        if not columns or roll.notes[note].onset - roll.notes[columns[-1][0]].onset > _CHORD_S:
            columns.append([])
        columns[-1].append(note)
    room = max((width - _NAME) // _CELL, 1)
    parts = []
    for begin in range(0, len(columns), room):
        for hand, (bottom, top) in _STAVES.items():
            of_hand = [
                [
                    (roll.notes[note], fingers[note].removeprefix(hand[0].upper()))
                    for note in column
                    if roll.notes[note].hand == hand
                ]
                for column in columns[begin : begin + room]
            ]
            if any(of_hand):
                parts.append("\n".join(_staff(hand, bottom, top, of_hand)))
    return "\n\n".join(parts)


def _staff(hand: str, bottom: int, top: int, columns: Sequence[Sequence[tuple[Note, str]]]) -> Iterator[str]:
    """Give the lines of a staff, then those of fingers; the highest first."""
    placed = [[(*_place(note), finger) for note, finger in column] for column in columns]
    steps = [step for column in placed for step, _, _ in column]
    for step in range(max(top, *steps), min(bottom, *steps) - 1, -1):
        name = hand if step == (bottom + top) // 2 else ""
        cells = (_cell(step, bottom, top, column) for column in placed)
        yield f"{name:<{_NAME}}{''.join(cells)}".rstrip()
    below = [[finger for _, _, finger in sorted(column, reverse=True)] for column in placed]
    for row in range(max(map(len, below))):
        cells = (f" {own[row] if row < len(own) else '':<{_CELL - 1}.{_CELL - 1}}" for own in below)
        yield f"{'':<{_NAME}}{''.join(cells)}".rstrip()


def _place(note: Note) -> tuple[int, str]:
    """Return the number of a note's white key, and its accidentals."""
    spelled = _NAMED.fullmatch(note.name)
    assert spelled is not None, "a key has a name"
    return 7 * int(spelled[3]) + _STEPS.index(spelled[1]), spelled[2]


def _cell(step: int, bottom: int, top: int, column: Sequence[tuple[int, str, str]]) -> str:
    """Return what a column has on a line or in a space, with the ledger lines of notes outside the staff."""
    is_line = (step - bottom) % 2 == 0
    steps = [own for own, _, _ in column]
    ledger = is_line and any(top < step <= own or own <= step < bottom for own in steps)
    blank = "-" * _CELL if is_line and bottom <= step <= top else "--- " if ledger else " " * _CELL
    for own, accidentals, _ in column:
        if own == step:
            return (accidentals[:1] or blank[0]) + "o" + blank[2:]
    return blank
