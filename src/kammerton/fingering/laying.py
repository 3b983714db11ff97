# SPDX-License-Identifier: MIT
"""Notes in columns and on a keyboard, and the fingers that annotators and systems give to each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kammerton.core.intervals import Codes
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.judging import Verdict
from kammerton.fingering.labels import strike_codes
from kammerton.fingering.lint import Findings, finger_name, key_name
from kammerton.fingering.match_rates import hands_of_labels
from kammerton.fingering.playability import CHORD_S, EXACT_S
from kammerton.model.views import Cell, CellState, Grid, Line, Note, Roll, Staff, Violation, Voice

__all__ = ["Player", "grid_of", "roll_of", "shown_hands"]

_STAVES = {RIGHT: "right", LEFT: "left", UNKNOWN: "either hand"}
_LETTERS = {RIGHT: "R", LEFT: "L", UNKNOWN: ""}
_NO_FINGER = "."
_HANDS: Mapping[int, Literal["right", "left", ""]] = {RIGHT: "right", LEFT: "left", UNKNOWN: ""}


@dataclass(frozen=True, slots=True)
class Player:
    """An annotator or a system: the fingers, what of them cannot be played, and which notes are wrong."""

    name: str
    fingering: Fingering
    findings: Findings
    verdict: Verdict | None = None

    def states(self) -> list[CellState | None]:
        """Return how each note was judged."""
        if self.verdict is None:
            return [None] * len(self.fingering)
        wrong, shared = self.verdict.wrong.tolist(), self.verdict.shared.tolist()
        return [
            "excluded" if not scored else None if not is_wrong else "partly" if is_shared else "wrong"
            for scored, is_wrong, is_shared in zip(self.verdict.scored.tolist(), wrong, shared, strict=True)
        ]

    def flagged(self) -> frozenset[int]:
        """Return the notes at which something cannot be played: of a step, the second one."""
        spots = self.findings.spots
        return frozenset(
            (*(spot.second for spot in spots), *(spot.first for spot in spots if spot.kind == "chord"))
        )


def grid_of(notes: Fingering, hands: Codes, players: Sequence[Player]) -> Grid:
    """Lay out notes by onset, hand and key, and below each what finger each one has for it."""
    order = np.lexsort((notes.pitches, notes.onsets))
    columns: list[list[int]] = []
    times: list[float] = []
    for note, onset in zip(order.tolist(), notes.onsets[order].tolist(), strict=True):
        if not times or onset - times[-1] > CHORD_S + EXACT_S:
            columns.append([])
            times.append(onset)
        columns[-1].append(note)
    staves = []
    for hand, name in _STAVES.items():
        of_hand = [
            tuple(sorted((note for note in column if hands[note] == hand), key=notes.pitches.__getitem__))
            for column in columns
        ]
        if any(of_hand):
            keys = [Cell(_key(notes, note)) for note in range(len(notes))]
            lines = [Line(name, _cells(keys, of_hand))]
            lines += [Line(player.name, _cells(_fingers(player, hand), of_hand)) for player in players]
            staves.append(Staff(tuple(lines)))
    return Grid(tuple(times), tuple(staves))


def roll_of(notes: Fingering, hands: Codes, players: Sequence[Player]) -> Roll:
    """Lay out the notes on a keyboard, with every finger and whose it is."""
    offsets = np.where(np.isnan(notes.offsets), notes.onsets, notes.offsets)
    columns = (notes.onsets, offsets, notes.pitches, hands)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return Roll(
        tuple(
            Note(onset, offset, pitch, _key(notes, number), _HANDS[hand])
            for number, (onset, offset, pitch, hand) in enumerate(rows)
        ),
        tuple(
            Voice(
                player.name,
                tuple(_fingers(player, UNKNOWN)),
                tuple(
                    Violation(spot.first, spot.second, f"{'-'.join(spot.fingers)}: {spot.reason}")
                    for spot in player.findings.spots
                ),
            )
            for player in players
        ),
    )


def shown_hands(notes: Fingering, fingerings: Sequence[Fingering]) -> Codes:
    """Return the hand that each note is shown in: of the first who fingered it, else as the source says."""
    hands = np.full(len(notes), UNKNOWN)
    for each in fingerings:
        hands = np.where(hands == UNKNOWN, hands_of_labels(strike_codes(each.labels)), hands)
    return np.where(hands == UNKNOWN, notes.hands, hands)


def _cells(cells: Sequence[Cell], columns: Sequence[tuple[int, ...]]) -> tuple[tuple[Cell, ...], ...]:
    return tuple(tuple(cells[note] for note in column) for column in columns)


def _key(notes: Fingering, note: int) -> str:
    """Return the name of a key, or the number of the note if the key is not known."""
    return f"#{note + 1}" if notes.pitches[note] < 0 else key_name(notes, note)


def _fingers(player: Player, hand: int) -> list[Cell]:
    """Return what stands below each key; the hand is told only where it is the other one."""
    flagged = player.flagged()
    texts = {
        label: finger_name(label).removeprefix(_LETTERS[hand]) if label else _NO_FINGER
        for label in set(player.fingering.labels)
    }
    return [
        Cell(texts[label], state, flagged=note in flagged)
        for note, (label, state) in enumerate(zip(player.fingering.labels, player.states(), strict=True))
    ]
