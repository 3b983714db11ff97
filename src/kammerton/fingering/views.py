# SPDX-License-Identifier: MIT
"""Which notes of one estimate a measure takes for right, and what it would have had instead."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kammerton.arrays import Codes, Flags
from kammerton.errors import OptionError, out_of, plural
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Comparison, Fingering
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.fingering.judging import CHORD_S, EXACT_S, limits_of
from kammerton.fingering.lint import Findings, find_spots, finger_name, key_name
from kammerton.fingering.match_rates import Matches, build_columns
from kammerton.fingering.protocols import PROTOCOLS, evaluate
from kammerton.model.measure import Measure, find
from kammerton.model.task import Case
from kammerton.model.views import (
    Cell,
    CellState,
    Column,
    DrawnViolation,
    Grid,
    ItemView,
    Line,
    Note,
    Roll,
    Staff,
    Table,
    Track,
    Voice,
    largest_part,
)

Against = Literal["one", "first", "hand", "piece", "any"]
"""Whom a note must match: the annotator chosen, the first one, the closest one of the hand or of the
piece, or any."""
_CLOSEST: Mapping[str, Against] = {"M_high": "hand", "M_high_piece": "piece", "M_soft": "any"}
_AGAINST: Mapping[str, Against] = {
    "strike/accuracy": "one",
    **{f"strike/{name}": against for name, against in _CLOSEST.items()},
    **{f"nakamura2020/{name}": against for name, against in _CLOSEST.items()},
    "pianovam/Accuracy": "first",
    "pianovam/M_high": "any",
}

_WHOM: Mapping[Against, str] = {
    "hand": "the closest annotator of each hand",
    "piece": "the closest annotator",
    "any": "all annotators",
}


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What a measure says of each note of an estimate."""

    scored: Flags  # whether the note counts
    right: Flags  # whether it is right
    shared: Flags  # whether any annotator has the finger
    wanted: tuple[tuple[str, ...], ...]  # labels of each note that would have been right

    @property
    def wrong(self) -> Flags:
        """Whether a note counts and is not right."""
        return self.scored & ~self.right


@dataclass(frozen=True, slots=True)
class Judge:
    """A measure that can say note by note what is right."""

    measure: Measure  # the measure
    comparison: Comparison  # when two labels match
    annotator: str  # the annotator chosen

    @property
    def against(self) -> Against:
        """Whom a note must match."""
        return _AGAINST[str(self.measure)]

    def whom(self, references: Mapping[str, Fingering], called: str = "{}") -> str:
        """Return in words whom a note must match; ``called`` says what a single annotator is called."""
        names = list(references)
        if len(names) == 1 or self.against == "first":
            return called.format(names[0])
        return called.format(self.annotator) if self.against == "one" else _WHOM[self.against]

    def verdict(self, references: Mapping[str, Fingering], estimate: Fingering) -> Verdict:
        """Judge an estimate."""
        names = list(references)
        columns = build_columns([Case(tuple(references.values()), estimate)])
        (pieces,) = columns.pieces
        if self.measure.protocol == "nakamura2020":
            (pieces,) = columns.complete
            names = [name for name in names if all(references[name].labels)] or names
        matches = Matches(pieces, columns.table, self.comparison)
        hits, labelled = matches.hits, pieces.refs != 0
        shared = np.asarray(hits.any(axis=0))
        labels = [references[name].labels for name in names]
        if self.against == "any":
            every = zip(*labels, strict=True)
            wanted = tuple(tuple(dict.fromkeys(filter(None, note))) for note in every)
            return Verdict(labelled.any(axis=0), shared, shared, wanted)
        chosen = self._chosen(names, matches.hands, hits)
        notes = np.arange(len(chosen))
        alone = self.against in ("one", "first")
        return Verdict(
            labelled[chosen, notes] if alone else labelled.any(axis=0),
            hits[chosen, notes],
            shared,
            tuple((labels[row][note],) for note, row in enumerate(chosen.tolist())),
        )

    def _chosen(self, names: list[str], hands: Codes, hits: Flags) -> Codes:
        """Return the row of the annotator that each note is compared with."""
        if self.against in ("one", "first"):
            return np.full(len(hands), names.index(self.annotator) if self.against == "one" else 0)
        if self.against == "piece":
            return np.full(len(hands), hits.sum(axis=1).argmax())
        chosen = np.zeros(len(hands), dtype=np.int64)
        for hand in (RIGHT, LEFT):
            chosen[hands == hand] = hits[:, hands == hand].sum(axis=1).argmax()
        return chosen


def choose_judge(address: str, annotator: str, options: FingeringOptions) -> Judge:
    """Return the measure of this address as a judge."""
    measure = find(address, [measure for protocol in PROTOCOLS for measure in protocol.measures])
    if str(measure) not in _AGAINST:
        raise OptionError(f"{measure} does not say when a note is right", f"these do: {', '.join(_AGAINST)}")
    comparison: Comparison = "strike"
    if measure.protocol != "nakamura2020":
        comparison = "finger" if measure.protocol == "pianovam" else options.substitution
    return Judge(measure, comparison, annotator)


_STAVES = {RIGHT: "right", LEFT: "left", UNKNOWN: "either hand"}
_LETTERS = {RIGHT: "R", LEFT: "L", UNKNOWN: ""}
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
            rows = [(name, keys), *((player.name, _fingers(player, hand)) for player in players)]
            lines = (
                Line(name, tuple(tuple(cells[note] for note in column) for column in of_hand))
                for name, cells in rows
            )
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
                    DrawnViolation(spot.first, spot.second, f"{'-'.join(spot.fingers)}: {spot.reason}")
                    for spot in player.findings.spots
                ),
            )
            for player in players
        ),
    )


def shown_hands(notes: Fingering, fingerings: Sequence[Fingering]) -> Codes:
    """Return the hand that each note is shown in: of the first who fingered it, else as the source says."""
    hands = np.full(len(notes), UNKNOWN)
    for fingering in fingerings:
        hands = np.where(hands == UNKNOWN, fingering.label_hands, hands)
    return np.where(hands == UNKNOWN, notes.hands, hands)


def _key(notes: Fingering, note: int) -> str:
    """Return the name of a key, or the number of the note if the key is not known."""
    return f"#{note + 1}" if notes.pitches[note] < 0 else key_name(notes, note)


def _fingers(player: Player, hand: int) -> list[Cell]:
    """Return what stands below each key; the hand is told only where it is the other one."""
    flagged = player.flagged()
    texts = {
        label: finger_name(label).removeprefix(_LETTERS[hand]) if label else "."
        for label in set(player.fingering.labels)
    }
    return [
        Cell(texts[label], state, flagged=note in flagged)
        for note, (label, state) in enumerate(zip(player.fingering.labels, player.states(), strict=True))
    ]


DEFAULT_MEASURE = "strike/accuracy"
_LISTED = 10
"""Confusions and violations that are listed one by one."""


def view_item(
    item: str,
    annotator: str,
    references: Mapping[str, Fingering],
    estimates: Mapping[str, Fingering | str],
    measure: str | None = None,
    options: FingeringOptions | None = None,
) -> ItemView:
    """Lay out one piece.

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
    annotators = [Player(name, ref, find_spots(ref, limits)) for name, ref in references.items()]
    systems = [
        Player(name, est, find_spots(est, limits), chosen.verdict(references, est))
        for name, est in estimates.items()
        if not isinstance(est, str)
    ]
    notes = references[annotator]
    players = (*annotators, *systems)
    hands = shown_hands(notes, [notes, *(player.fingering for player in players)])
    last = float(max(notes.onsets.max(), np.nanmax(notes.offsets)))
    losses = {system.name: _losses(system, chosen, references) for system in systems}
    counted = f"{plural(len(notes), 'note')}, {plural(len(references), 'annotator')}"
    return ItemView(
        item=item,
        measure=str(chosen.measure),
        end=last if last > notes.onsets.max() else last + 1.0,
        tracks=(
            *(Track(name, ()) for name in references),
            *(Track(name, (), note=est if isinstance(est, str) else "") for name, est in estimates.items()),
        ),
        tables=(
            *losses.values(),
            *(_violations(player, options) for player in players if player.findings.spots),
            _scores(references, annotator, estimates, options),
        ),
        notes=(f"{counted}; {chosen.measure} compares with {chosen.whom(references)}",),
        unit=notes.unit,
        grid=grid_of(notes, hands, players),
        roll=roll_of(notes, hands, players),
        references=len(references),
        legend=_legend(chosen, references, options),
        reasons={
            system.name: (_reason(system, chosen, references, losses[system.name]),)
            for system in systems
            if losses[system.name].rows
        },
    )


def _legend(judge: Judge, references: Mapping[str, Fingering], options: FingeringOptions) -> dict[str, str]:
    shared = len(references) > 1 and judge.against != "any"
    return {
        "wrong": "nobody's finger" if shared else "wrong",
        **({"partly": "another annotator's"} if shared else {}),
        "excluded": "not scored",
        "flagged": f"cannot be played ({options.span_table().name})",
    }


def _losses(system: Player, judge: Judge, references: Mapping[str, Fingering]) -> Table:
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
    scored = int(verdict.scored.sum())
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
        f"{system.name}: {_counted(system, judge)}, against {judge.whom(references)}",
        (
            *map(Column, ("reference", "estimate")),
            Column("notes", "count"),
            Column("of scored", "share"),
            *((Column("another's", "count"),) if several else ()),
        ),
        tuple(rows),
    )


def _counted(system: Player, judge: Judge) -> str:
    verdict = system.verdict
    assert verdict is not None, "systems are judged"
    return f"{out_of(int(verdict.wrong.sum()), int(verdict.scored.sum()), 'note')} wrong by {judge.measure}"


def _reason(system: Player, judge: Judge, references: Mapping[str, Fingering], losses: Table) -> str:
    whom = judge.whom(references, "annotator {}")
    return f"{_counted(system, judge)}, against {whom}; {largest_part(losses)}"


def _violations(player: Player, options: FingeringOptions) -> Table:
    """List what cannot be played, in order of time."""
    findings, notes = player.findings, player.fingering
    rows = [
        (
            notes.moment(spot.second).replace("measure", "m."),  # a column of a table is narrow
            f"{spot.first + 1} {spot.second + 1}",
            f"{key_name(notes, spot.first)} {key_name(notes, spot.second)}",
            " ".join(spot.fingers),
            spot.reason,
        )
        for spot in findings.spots[:_LISTED]
    ]
    if len(findings.spots) > _LISTED:
        rows.append((f"{len(findings.spots) - _LISTED} more", "", "", "", ""))
    steps, chords = f"{findings.count('step'):,}", f"{findings.count('chord'):,}"
    return Table(
        f"{player.name}: {steps} of {findings.steps:,} steps and {chords} of {findings.chords:,} chords "
        f"cannot be played, by {options.span_table().name}",
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
    headlines = [measure for protocol in PROTOCOLS for measure in protocol.measures if measure.headline]
    columns = []
    for estimate in estimates.values():
        values: dict[Measure, float | None] = {}
        for needs in dict.fromkeys(measure.needs for measure in headlines):
            if isinstance(estimate, str):
                continue
            annotators = (references[annotator],) if needs == "pair" else tuple(references.values())
            measures = [measure for measure in headlines if measure.needs == needs]
            evaluation = evaluate([Case(annotators, estimate)], measures, options)
            for measure, statistics in evaluation.statistics.items():
                value = float(measure.formula.finalise(statistics)[0])
                values[measure] = None if math.isnan(value) else value
        columns.append(values)
    against = f"; accuracies of strike against {annotator}" if len(references) > 1 else ""
    return Table(
        f"scores, per cent{against}",
        (Column("measure"), *(Column(name, "score") for name in estimates)),
        tuple((str(measure), *(values.get(measure, "-") for values in columns)) for measure in headlines),
    )
