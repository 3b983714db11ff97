# SPDX-License-Identifier: MIT
"""One piece, laid out for a reader: who plays what with which finger, what is wrong, what cannot be played.

What is returned knows nothing of fingers, and nothing of how it will be drawn.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kammerton.core.intervals import Codes
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.columns import build_columns
from kammerton.fingering.constraints import limits_of
from kammerton.fingering.judging import Judge, Verdict, choose_judge
from kammerton.fingering.labels import strike_codes
from kammerton.fingering.lint import Findings, find_spots, finger_name, key_name
from kammerton.fingering.match_rates import hands_of_labels
from kammerton.fingering.options import FingeringOptions
from kammerton.fingering.playability import CHORD_S, EXACT_S
from kammerton.fingering.protocols import nakamura2020, pianovam, playability, strike
from kammerton.model.measure import Measure, Statistics
from kammerton.model.protocol import Protocol
from kammerton.model.task import Case
from kammerton.model.views import Cell, CellState, Column, Grid, ItemView, Line, Staff, Table, Track

__all__ = ["DEFAULT_MEASURE", "view_item"]

DEFAULT_MEASURE = "strike/accuracy"

_LISTED = 10
"""Confusions and violations that are listed one by one."""

_STAVES = {RIGHT: "right", LEFT: "left", UNKNOWN: "either hand"}
_LETTERS = {RIGHT: "R", LEFT: "L", UNKNOWN: ""}
_NO_FINGER = "."


def view_item(
    item: str,
    annotator: str,
    references: Mapping[str, Fingering],
    estimates: Mapping[str, Fingering | str],
    measure: str | None = None,
    options: FingeringOptions | None = None,
) -> ItemView:
    """Lay out one piece.

    Parameters
    ----------
    item, annotator : str
        Names of the piece, and of the annotator whom measures of one annotator compare with.
    references : mapping of str to Fingering
        All annotations by annotator, on the same notes.
    estimates : mapping of str to Fingering or str
        By system, on these notes too; a text says why there is none.
    measure : str, optional
        Says which notes are wrong, as ``protocol/measure`` or by a name that only one has; by default
        ``strike/accuracy``.
    options : FingeringOptions, optional
        Its profile says what cannot be played.

    Returns
    -------
    ItemView

    Raises
    ------
    OptionError
        If there is no such measure, or it does not judge notes.

    Examples
    --------
    >>> notes = np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.array([60, 62]), np.array([0, 0])
    >>> reference, estimate = Fingering(*notes, ("1", "2")), Fingering(*notes, ("1", "3"))
    >>> shown = view_item("scale", "me", {"me": reference}, {"mine": estimate})
    >>> shown.grid.staves[0].lines[2].columns[1]
    (Cell(text='3', state='wrong', flagged=False),)
    """
    options = options or FingeringOptions()
    chosen = choose_judge(measure or DEFAULT_MEASURE, annotator, options)
    limits = limits_of(options.span_table())
    annotators = [_Player(name, each, find_spots(each, limits)) for name, each in references.items()]
    systems = [
        _Player(name, each, find_spots(each, limits), chosen.verdict(references, each))
        for name, each in estimates.items()
        if not isinstance(each, str)
    ]
    notes = references[annotator]
    players = (*annotators, *systems)
    last = float(max(notes.onsets.max(), np.nanmax(notes.offsets)))
    return ItemView(
        item=item,
        measure=str(chosen.measure),
        end=last if last > notes.onsets.max() else last + 1.0,
        tracks=(
            *(Track(name, ()) for name in references),
            *(
                Track(name, (), note=each if isinstance(each, str) else "")
                for name, each in estimates.items()
            ),
        ),
        tables=(
            *(_costs(system, chosen, references) for system in systems),
            *(_violations(player, options) for player in players if player.findings.spots),
            _scores(references, annotator, estimates, options),
        ),
        notes=(_described(chosen, references, len(notes)),),
        grid=_grid(notes, [references[annotator], *(player.fingering for player in players)], players),
        references=len(references),
        legend=_legend(chosen, references, options),
    )


@dataclass(frozen=True, slots=True)
class _Player:
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


def _grid(notes: Fingering, fingerings: Sequence[Fingering], players: Sequence[_Player]) -> Grid:
    """Lay out notes by onset, hand and key, and below each what finger each one has for it."""
    hands = _hands(notes, fingerings)
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


def _hands(notes: Fingering, fingerings: Sequence[Fingering]) -> Codes:
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


def _fingers(player: _Player, hand: int) -> list[Cell]:
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


def _legend(judge: Judge, references: Mapping[str, Fingering], options: FingeringOptions) -> dict[str, str]:
    shared = len(references) > 1 and judge.against != "any"
    return {
        "wrong": "nobody's finger" if shared else "wrong",
        **({"partly": "another annotator's"} if shared else {}),
        "excluded": "not scored",
        "flagged": f"cannot be played ({options.span_table().name})",
    }


def _described(judge: Judge, references: Mapping[str, Fingering], notes: int) -> str:
    annotators = "1 annotator" if len(references) == 1 else f"{len(references)} annotators"
    counted = "1 note" if notes == 1 else f"{notes:,} notes"
    return f"{counted}, {annotators}; {judge.measure} compares with {judge.whom(references)}"


def _costs(system: _Player, judge: Judge, references: Mapping[str, Fingering]) -> Table:
    """List the confusions that cost most notes; a last row has the rest."""
    verdict = system.verdict
    assert verdict is not None, "systems are judged"
    counts: Counter[tuple[str, str]] = Counter()
    shared: Counter[tuple[str, str]] = Counter()
    for note in np.flatnonzero(verdict.wrong).tolist():
        wanted = " or ".join(map(finger_name, verdict.wanted[note]))
        pair = (wanted, finger_name(system.fingering.labels[note]))
        counts[pair] += 1
        shared[pair] += bool(verdict.shared[note])
    scored, wrong = int(verdict.scored.sum()), counts.total()
    ranked = sorted(counts, key=lambda pair: (-counts[pair], pair))
    several = len(references) > 1 and judge.against != "any"

    def row(ref: str, est: str, pairs: Sequence[tuple[str, str]]) -> tuple[str | float | None, ...]:
        count = sum(counts[pair] for pair in pairs)
        others = (float(sum(shared[pair] for pair in pairs)),) if several else ()
        return ref, est, float(count), count / scored, *others

    rows = [row(*pair, [pair]) for pair in ranked[:_LISTED]]
    if len(ranked) > _LISTED:
        rows.append(row(f"{len(ranked) - _LISTED} more", "", ranked[_LISTED:]))
    return Table(
        f"{system.name}: {wrong:,} of {scored:,} notes wrong by {judge.measure}, against "
        f"{judge.whom(references)}",
        (
            *(
                Column("reference"),
                Column("estimate"),
                Column("notes", "count"),
                Column("of scored", "share"),
            ),
            *((Column("another's", "count"),) if several else ()),
        ),
        tuple(rows),
    )


def _violations(player: _Player, options: FingeringOptions) -> Table:
    """List what cannot be played, in order of time."""
    found, notes = player.findings, player.fingering
    rows = [
        (
            f"{float(notes.onsets[spot.second]):.6g}",
            f"{spot.first + 1} {spot.second + 1}",
            f"{key_name(notes, spot.first)} {key_name(notes, spot.second)}",
            " ".join(spot.fingers),
            spot.reason,
        )
        for spot in found.spots[:_LISTED]
    ]
    if len(found.spots) > _LISTED:
        rows.append((f"{len(found.spots) - _LISTED} more", "", "", "", ""))
    return Table(
        f"{player.name}: {found.count('step'):,} of {found.steps:,} steps and {found.count('chord'):,} of "
        f"{found.chords:,} chords cannot be played, by {options.span_table().name}",
        tuple(map(Column, ("onset", "notes", "keys", "fingers", "why"))),
        tuple(rows),
    )


def _scores(
    references: Mapping[str, Fingering],
    annotator: str,
    estimates: Mapping[str, Fingering | str],
    options: FingeringOptions,
) -> Table:
    """List the headline measures of every protocol, a column per system."""
    columns = [
        {} if isinstance(each, str) else _statistics(references, annotator, each, options)
        for each in estimates.values()
    ]
    rows = [
        (str(measure), *(_value(measure, column.get(measure)) for column in columns))
        for measure in _headlines(*_PROTOCOLS)
    ]
    against = f"; accuracies of strike against {annotator}" if len(references) > 1 else ""
    return Table(
        f"scores, per cent{against}",
        (Column("measure"), *(Column(name, "score") for name in estimates)),
        tuple(rows),
    )


_PROTOCOLS = (nakamura2020.PROTOCOL, strike.PROTOCOL, pianovam.PROTOCOL, playability.PROTOCOL)


def _headlines(*protocols: Protocol) -> list[Measure]:
    return [measure for protocol in protocols for measure in protocol.measures if measure.headline]


def _value(measure: Measure, statistics: Statistics | None) -> str | float | None:
    if statistics is None:
        return "-"
    value = float(measure.formula.finalise(statistics)[0])
    return None if math.isnan(value) else value


def _statistics(
    references: Mapping[str, Fingering], annotator: str, estimate: Fingering, options: FingeringOptions
) -> dict[Measure, Statistics]:
    """Return the statistics of the headline measures, one row each."""
    together = build_columns([Case(tuple(references.values()), estimate)])
    alone = build_columns([Case((references[annotator],), estimate)])
    of_strike, of_document = _headlines(strike.PROTOCOL), _headlines(pianovam.PROTOCOL)
    of_hands = _headlines(playability.PROTOCOL)
    judged = playability.evaluate(
        list(references.values()), [m for m in of_hands if m.needs == "annotators"], options
    )
    return {
        **nakamura2020.evaluate(together, _headlines(nakamura2020.PROTOCOL)),
        **strike.evaluate(together, [m for m in of_strike if m.needs != "pair"], options),
        **strike.evaluate(alone, [m for m in of_strike if m.needs == "pair"], options),
        **pianovam.evaluate(together, [m for m in of_document if m.needs != "estimate"]),
        **pianovam.evaluate_alone([estimate], [m for m in of_document if m.needs == "estimate"]),
        **playability.evaluate([estimate], [m for m in of_hands if m.needs == "estimate"], options),
        **{measure: found.sum(axis=0, keepdims=True) for measure, found in judged.items()},
    }
