# SPDX-License-Identifier: MIT
"""One piece, laid out for a reader: who plays what with which finger, what is wrong, what cannot be played.

What is returned knows nothing of fingers, and nothing of how it will be drawn.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from kammerton.errors import out_of, plural
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.columns import build_columns, key_presses
from kammerton.fingering.constraints import limits_of
from kammerton.fingering.judging import Judge, choose_judge
from kammerton.fingering.laying import Player, grid_of, roll_of, shown_hands
from kammerton.fingering.lint import find_spots, finger_name, key_name
from kammerton.fingering.options import FingeringOptions
from kammerton.fingering.playability import Playability
from kammerton.fingering.protocols import PROTOCOLS, nakamura2020, pianovam, playability, strike
from kammerton.model.measure import Measure, Statistics
from kammerton.model.protocol import Protocol
from kammerton.model.task import Case
from kammerton.model.views import Column, ItemView, Table, Track, largest_part

__all__ = ["DEFAULT_MEASURE", "view_item"]

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
    annotators = [Player(name, each, find_spots(each, limits)) for name, each in references.items()]
    systems = [
        Player(name, each, find_spots(each, limits), chosen.verdict(references, each))
        for name, each in estimates.items()
        if not isinstance(each, str)
    ]
    notes = references[annotator]
    players = (*annotators, *systems)
    hands = shown_hands(notes, [notes, *(player.fingering for player in players)])
    last = float(max(notes.onsets.max(), np.nanmax(notes.offsets)))
    costs = {system.name: _costs(system, chosen, references) for system in systems}
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
            *costs.values(),
            *(_violations(player, options) for player in players if player.findings.spots),
            _scores(references, annotator, estimates, options),
        ),
        notes=(_described(chosen, references, len(notes)),),
        unit=notes.unit,
        grid=grid_of(notes, hands, players),
        roll=roll_of(notes, hands, players),
        references=len(references),
        legend=_legend(chosen, references, options),
        reasons={
            system.name: (_reason(system, chosen, references, costs[system.name]),)
            for system in systems
            if costs[system.name].rows
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


def _described(judge: Judge, references: Mapping[str, Fingering], notes: int) -> str:
    counted = f"{plural(notes, 'note')}, {plural(len(references), 'annotator')}"
    return f"{counted}; {judge.measure} compares with {judge.whom(references)}"


def _costs(system: Player, judge: Judge, references: Mapping[str, Fingering]) -> Table:
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


def _counted(system: Player, judge: Judge) -> str:
    verdict = system.verdict
    assert verdict is not None, "systems are judged"
    return f"{out_of(int(verdict.wrong.sum()), int(verdict.scored.sum()), 'note')} wrong by {judge.measure}"


def _reason(system: Player, judge: Judge, references: Mapping[str, Fingering], costs: Table) -> str:
    whom = judge.whom(references, "annotator {}")
    return f"{_counted(system, judge)}, against {whom}; {largest_part(costs)}"


def _violations(player: Player, options: FingeringOptions) -> Table:
    """List what cannot be played, in order of time."""
    found, notes = player.findings, player.fingering
    rows = [
        (
            notes.moment(spot.second).replace("measure", "m."),  # a column of a table is narrow
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
        for measure in _headlines(*PROTOCOLS)
    ]
    against = f"; accuracies of strike against {annotator}" if len(references) > 1 else ""
    return Table(
        f"scores, per cent{against}",
        (Column("measure"), *(Column(name, "score") for name in estimates)),
        tuple(rows),
    )


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
    own, others = (Playability(key_presses(each)) for each in ([estimate], references.values()))
    judged = playability.evaluate(others, [m for m in of_hands if m.needs == "annotators"], options)
    return {
        **nakamura2020.evaluate(together, _headlines(nakamura2020.PROTOCOL)),
        **strike.evaluate(together, [m for m in of_strike if m.needs != "pair"], options),
        **strike.evaluate(alone, [m for m in of_strike if m.needs == "pair"], options),
        **pianovam.evaluate(together, [m for m in of_document if m.needs != "estimate"]),
        **pianovam.evaluate_alone(own, [m for m in of_document if m.needs == "estimate"]),
        **playability.evaluate(own, [m for m in of_hands if m.needs == "estimate"], options),
        **{measure: found.sum(axis=0, keepdims=True) for measure, found in judged.items()},
    }
