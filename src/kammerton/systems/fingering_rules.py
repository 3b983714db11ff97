# SPDX-License-Identifier: MIT
"""Finger notes by rules: the fingers with the least cost, of all that there are.

The costs are those of M. Balliauw et al., which go back to R. Parncutt et al.: how far two fingers
stretch, how the hand changes its position, weak fingers, thumbs on black keys. Each looks at three notes at
most, so that the best fingers of a hand are found exactly.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from kammerton.arrays import Codes, Flags
from kammerton.errors import OptionError, plural, quote
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.judging import PAIRS, Profile, profile_named
from kammerton.fingering.lines import (
    MIDDLE_C,
    HandLine,
    Table,
    hand_lines,
    with_fingers,
)
from kammerton.fingering.lint import finger_name, key_name
from kammerton.model import views
from kammerton.systems.fingering_paths import best_paths, check_settings, keep_fixed, least_costs
from kammerton.systems.system import Input, System, SystemCard

REST_S = 0.5
"""Silence after which a hand lies down anew."""
FORBIDDEN = 1000.0
"""Cost of what no hand can do; it is finite, so that there is always an answer."""

# the span of each pair of fingers at rest; the least is the same in every table
_LEAST_AT_REST = (1, 3, 5, 7, 1, 3, 5, 1, 3, 1)
_MOST_AT_REST = {"S": (3, 6, 8, 10), "M": (5, 9, 11, 12), "L": (6, 9, 11, 12), "": (5, 7, 9, 10)}
_MOST_WITHOUT_THUMB = (2, 4, 6, 2, 4, 2)
_SIZES = {
    "balliauw2017-S": "S",
    "balliauw2017-M": "M",
    "balliauw2017-L": "L",
    "parncutt1997": "",
    "jacobs2001": "",
}
PROFILES = tuple(_SIZES)
"""Span tables that say how fingers lie at rest, too."""
_COMFORT = 2
"""Units by which a comfortable span is smaller than one that can be played; thumbs pass so far, too."""

_RANKS = 1000
"""Fingerings that can be ranked; memory grows with them."""
_WHY = 42
"""Columns of a line of reasons."""

_FIRST, _SECOND, _THIRD = (
    np.arange(1, 6).reshape(shape) for shape in ((1, 5, 1, 1), (1, 1, 5, 1), (1, 1, 1, 5))
)
"""Fingers of the note before the last, of the last one, and of a note: axes of all tables."""


@dataclass(frozen=True)
class RuleSettings:
    """Settings of the system ``rules``.

    Parameters
    ----------
    profile : str
        Span table: ``balliauw2017-S``, ``-M`` or ``-L`` by the size of the hand, ``parncutt1997`` or
        ``jacobs2001``.
    keep : bool
        Keep the fingers that the notes have, and find the others.
    split : int
        The lowest key, as a MIDI number, that goes to the right hand where nothing tells the hand.
    rank : int
        Which fingering: 1 is the cheapest, 2 the next one, which may cost the same.
    """

    profile: str = "balliauw2017-M"
    keep: bool = False
    split: int = MIDDLE_C
    rank: int = 1

    def __post_init__(self) -> None:
        if self.profile not in PROFILES:
            raise OptionError.unknown("profile of rules", self.profile, PROFILES)
        check_settings(self.keep, self.split)
        if isinstance(self.rank, bool) or not isinstance(self.rank, int) or not 1 <= self.rank <= _RANKS:
            raise OptionError(f"rank is a whole number from 1 to {_RANKS:,}, not {quote(str(self.rank))}")


@lru_cache(maxsize=len(PROFILES))
def _spans(name: str) -> Table:
    """Return least and largest span at rest, in comfort, and at all, shape (3, 2, 5, 5).

    From finger to finger: a lower one after an upper one has the span mirrored; one after itself, none.
    """
    playable = np.array(profile_named(name).spans, dtype=float)
    by_thumb = np.array([low == 1 for low, _ in PAIRS])
    comfortable = playable + np.stack((by_thumb * _COMFORT, np.full(len(PAIRS), -_COMFORT)), axis=1)
    at_rest = np.stack((_LEAST_AT_REST, (*_MOST_AT_REST[_SIZES[name]], *_MOST_WITHOUT_THUMB)), axis=1)
    spans = np.zeros((3, 2, 5, 5))
    for pair, (low, high) in enumerate(PAIRS):
        for kind, table in enumerate((at_rest, comfortable, playable)):
            least, most = table[pair]
            spans[kind, :, low - 1, high - 1] = least, most
            spans[kind, :, high - 1, low - 1] = -most, -least
    return spans


def _beyond(ways: Codes, span: Table) -> Table:
    """Return by how much each way is outside the span of each two fingers, shape (notes, 5, 5)."""
    apart = ways[:, None, None].astype(float)
    return np.asarray(np.maximum(np.maximum(span[0] - apart, apart - span[1]), 0.0))


def _column(values: Flags) -> Flags:
    return values[:, None, None, None]


def _before(values: Flags, apart: int) -> Flags:
    """Return the value of the note ``apart`` before each; False where there is none."""
    return np.concatenate((np.zeros(min(apart, len(values)), dtype=bool), values[:-apart]))


def rule_costs(line: HandLine, profile: str) -> dict[str, Table]:
    """Return what each rule costs at each note.

    Shapes are (notes, 5, 5, 5), or 1 where a finger does not matter: that of the note before the last, of
    the last, of this one.
    """
    spans, table = _spans(profile), profile_named(profile)
    same_chord = np.diff(line.chords, prepend=-1) == 0
    joined = (line.silences <= REST_S) & (np.arange(len(line)) > 0)
    stretched = joined[:, None, None] * np.where(same_chord, 2.0, 1.0)[:, None, None]
    way = line.ways(1, table)
    relaxed, comfortable, playable = (_beyond(way, span)[:, None] for span in spans)
    of_chord = _column(joined & same_chord & (way != 0))
    return {
        "stretch beyond rest": stretched[:, None] * relaxed,
        "stretch beyond comfort": 2 * stretched[:, None] * comfortable,
        "stretch beyond the hand": 10 * _column(joined) * playable,
        "one finger in a chord": FORBIDDEN * (of_chord & (_SECOND == _THIRD)),
        "fourth finger": 1.0 * (_THIRD == 4) * np.ones((len(line), 1, 1, 1)),
        "thumb on black": 0.5 * (_column(line.black) & (_THIRD == 1)),
        **_steps(line, joined & ~same_chord, way),
        **_positions(line, joined & _before(joined, 1), table, spans),
    }


def _steps(line: HandLine, melodic: Flags, way: Codes) -> dict[str, Table]:
    """Return costs of going from one key to the next."""
    black, black_before = _column(line.black), _column(_before(line.black, 1))
    step, up, down = _column(melodic), _column(way > 0), _column(way < 0)
    weak = step & (_SECOND + _THIRD == 7) & (abs(_SECOND - _THIRD) == 1)
    fourth_on_black = np.where(_THIRD == 4, black & ~black_before, black_before & ~black)
    passing = step & ((up & (_THIRD == 1) & (_SECOND != 1)) | (down & (_SECOND == 1) & (_THIRD != 1)))
    thumb_on_black = np.where(_THIRD == 1, black & ~black_before, black_before & ~black)
    onto_black, off_black = step & black & ~black_before, step & black_before & ~black
    return {
        "fingers 3 and 4": 1.0 * weak,
        "finger 3 on white, 4 on black": 1.0 * (weak & fourth_on_black),
        "thumb on black by white": 1.0 * ((onto_black & (_THIRD == 1)) | (off_black & (_SECOND == 1))),
        "finger 5 on black by white": 1.0 * ((onto_black & (_THIRD == 5)) | (off_black & (_SECOND == 5))),
        "thumb passing": passing * np.where(black == black_before, 1.0, 2.0 * thumb_on_black),
        "other finger on the same key": 1.0 * (step & _column(way == 0) & (_SECOND != _THIRD)),
    }


def _positions(line: HandLine, joined: Flags, table: Profile, spans: Table) -> dict[str, Table]:
    """Return costs of how the hand lies at a note, and two notes before."""
    count = len(line)
    apart = np.ones(count, dtype=bool)
    apart[2:] = line.chords[2:] != line.chords[:-2]
    three = _column(joined & apart & (np.arange(count) > 1))
    way = line.ways(2, table)
    moves = np.sign(np.diff(line.pitches, prepend=line.pitches[0]))
    between = _column((moves != 0) & (moves == np.append(0, moves)[:-1]))
    too_far = _beyond(way, spans[1])[:, :, None, :]
    whole = (_beyond(way, spans[2])[:, :, None, :] > 0) & between & (_SECOND == 1)
    same_key = _column(way == 0)
    return {
        "change of position": three * ((too_far > 0) * 1.0 + whole),
        "size of the change": three * too_far,
        "other finger on the key before": 1.0 * (three & same_key & (_FIRST != _THIRD)),
        "same finger two notes on": 1.0 * (three & ~same_key & between & (_FIRST == _THIRD)),
    }


def line_costs(line: HandLine, settings: RuleSettings) -> tuple[dict[str, Table], Table]:
    """Return the costs of a line by rule, and their sum, in which fingers that are fixed have no other."""
    rules = rule_costs(line, settings.profile)
    total = np.zeros((len(line), 5, 5, 5))
    for costs in rules.values():
        total += costs
    if settings.keep:
        total = keep_fixed(total, line, np.inf)
    return rules, total


def explain(fingering: Fingering, settings: RuleSettings | None = None) -> list[dict[str, float]]:
    """Return what each note of a fingering costs by each rule that applies to it.

    Parameters
    ----------
    fingering : Fingering
        Its fingers stay; notes without one are fingered by the rules.
    settings : RuleSettings, optional
        The profile, and the key at which hands are split.

    Examples
    --------
    >>> times, keys = np.arange(2.0), np.array([60, 65])
    >>> piece = Fingering(times, times + 1, keys, np.zeros(2, dtype=np.int64), ("1", "4"))
    >>> explain(piece)
    [{}, {'fourth finger': 1.0}]
    """
    chosen = replace(settings or RuleSettings(), keep=True)
    explained: list[dict[str, float]] = [{} for _ in range(len(fingering))]
    for line in hand_lines(fingering, chosen.split):
        rules, total = line_costs(line, chosen)
        path = best_paths(total)[0][0] - 1
        fingers = np.arange(len(path)), _fingers_before(line, path, 2), _fingers_before(line, path, 1), path
        for rule, costs in rules.items():
            of_notes = np.broadcast_to(costs, total.shape)[fingers]
            for note, cost in zip(line.notes.tolist(), of_notes.tolist(), strict=True):
                if cost:
                    explained[note][rule] = cost
    return explained


def explain_notes(
    fingering: Fingering, settings: RuleSettings, start: float = 0.0, end: float = np.inf
) -> views.Table:
    """Return a table of what each note costs from ``start`` to before ``end``, why, and what else there is.

    What is there instead is the best other finger, and how much more the hand costs with it, if all other
    notes have the fingers that are best then.
    """
    rows: list[tuple[float, int, tuple[tuple[str, ...], ...]]] = []
    costs = least = 0.0
    ties = 1
    reasons = explain(fingering, settings)
    for line in hand_lines(fingering, settings.split):
        paths, cost = best_paths(line_costs(line, replace(settings, keep=True))[1])
        by_finger, count = least_costs(line_costs(line, replace(settings, keep=False))[1])
        costs, least, ties = costs + cost[0], least + by_finger[0].min(), ties * count
        for note, finger, of_note in zip(line.notes.tolist(), paths[0].tolist(), by_finger, strict=True):
            onset = float(fingering.onsets[note])
            if start <= onset < end:
                others = np.where(np.arange(1, 6) == finger, np.inf, of_note)
                instead = f"{others.argmin() + 1} ({others.min() - of_note[finger - 1]:+g})"
                cells = _explained(fingering, note, "RL"[line.hand] + str(finger), reasons[note], instead)
                rows.append((onset, int(fingering.pitches[note]), cells))
    has = "have" if ties > 1 else "has"
    return views.Table(
        f"costs {costs:g} by rules; the least is {least:g}, which {plural(ties, 'fingering')} {has}",
        tuple(map(views.Column, ("onset", "key", "finger", "cost", "instead", "why"))),
        tuple(row for _, _, cells in sorted(rows) for row in cells),
    )


def _explained(
    fingering: Fingering, note: int, finger: str, reasons: Mapping[str, float], instead: str
) -> tuple[tuple[str, ...], ...]:
    """Return rows of when a note is, its key and finger, what it costs, what is there instead, and why.

    A finger of ours is in brackets. Reasons that do not fit go on below.
    """
    label = fingering.labels[note]
    ordered = sorted(reasons.items(), key=lambda reason: -reason[1])
    why = textwrap.wrap(", ".join(f"{reason}: {cost:g}" for reason, cost in ordered), _WHY) or [""]
    first = (
        fingering.moment(note).replace("measure", "m."),  # a column of a table is narrow
        key_name(fingering, note),
        finger_name(label) if label else f"({finger})",
        f"{sum(reasons.values()):g}",
        instead,
        why[0],
    )
    return (first, *(("", "", "", "", "", more) for more in why[1:]))


def _fingers_before(line: HandLine, path: Codes, apart: int) -> Codes:
    """Return the finger ``apart`` notes before each: in an earlier chord, the one that lets the key go."""
    same_chord = line.chords[apart:] == line.chords[:-apart]
    fingers = np.where(same_chord | (line.releases[:-apart] == 0), path[:-apart], line.releases[:-apart] - 1)
    return np.concatenate((np.zeros(min(apart, len(path)), dtype=np.int64), fingers))


def best_fingerings(
    fingering: Fingering, count: int = 1, settings: RuleSettings | None = None
) -> list[tuple[Fingering, float]]:
    """Return the ``count`` fingerings that cost least, the cheapest first, each with its cost.

    Fewer are returned where there are no more. Equal costs are ties, whatever their order.

    Parameters
    ----------
    fingering : Fingering
        The notes; their fingers count if the settings keep them.
    count : int
        How many.
    settings : RuleSettings, optional
        The profile, and more.

    Examples
    --------
    >>> times, keys = np.arange(2.0), np.array([60, 65])
    >>> piece = Fingering(times, times + 1, keys, np.zeros(2, dtype=np.int64), ("", ""))
    >>> [(best.labels, cost) for best, cost in best_fingerings(piece, 2)]  # a tie
    [(('1', '3'), 0.0), (('2', '5'), 0.0)]
    """
    chosen = settings or RuleSettings()
    lines = list(hand_lines(fingering, chosen.split))
    both: list[tuple[float, list[Codes]]] = [(0.0, [])]
    for line in lines:
        paths, costs = best_paths(line_costs(line, chosen)[1], count)
        pairs = zip(paths, costs.tolist(), strict=True)
        sums = ((sum_ + cost, [*before, path]) for path, cost in pairs for sum_, before in both)
        both = sorted(sums, key=lambda one: one[0])[:count]
    return [
        (with_fingers(fingering, lines, paths, chosen.split, keep=chosen.keep), cost) for cost, paths in both
    ]


def _annotate(source: Input, _: object, settings: RuleSettings) -> Fingering:
    notes = next(iter(source.annotations.values()))
    return best_fingerings(notes, settings.rank, settings)[-1][0]  # the last one where there are fewer


RULES = System(
    name="rules",
    task="fingering",
    takes=frozenset(("notes",)),
    card=SystemCard(
        summary="The fingers that cost least by ergonomic rules, found exactly in each hand.",
        source="Balliauw et al. 2017, doi:10.1111/itor.12211; Parncutt et al. 1997, doi:10.2307/40285730",
        licence="MIT",
        levels=("68 scales and arpeggios of Beringer (pydactyl, MIT): M_gen 52.2 [47.8, 56.7]",),
        limits="It looks at three notes at most, and knows neither phrases nor what both hands do.",
        cost="10,000 notes a second",
    ),
    options=RuleSettings,
    annotate=_annotate,
    explain=explain_notes,
)
