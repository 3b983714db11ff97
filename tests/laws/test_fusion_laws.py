# SPDX-License-Identifier: MIT
"""What holds of any chords, fingerings and lists of instruments that are fused."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kammerton as kt
from fingering_strategies import finger_labels, fingerings
from kammerton.chords.labels import parse
from kammerton.chords.respelling import PITCH_CLASSES, ROOTS
from kammerton.chords.templates import map_label
from kammerton.fingering.annotation import LEFT, MISSING, RIGHT, UNKNOWN, Fingering
from kammerton.instruments import InstrumentOptions
from kammerton.instruments.annotation import InstrumentList
from kammerton.systems.chord_fusion import FusedChords
from strategies import chord_songs, plain_labels

Rows = list[tuple[float, float, str]]
Songs = list[Rows]
TIMES = 8
"""Times are multiples of 1/8 s, as of all songs of the strategies."""


@st.composite
def songs(draw: st.DrawFn, *, least: int = 1) -> Songs:
    """Draw what some sources say of a song."""
    number = draw(st.integers(least, 4))
    drawn = [draw(chord_songs(plain_labels())) for _ in range(number)]
    rows = [
        [(a, b, label) for (a, b), label in zip(intervals, labels, strict=True) if b > a]
        for intervals, labels in drawn
    ]
    assume(all(rows))
    return rows


def fusion(sources: Songs, **choices: Any) -> kt.Fusion:
    named = {
        f"s{number}": {"song": ([row[:2] for row in rows], [row[2] for row in rows])}
        for number, rows in enumerate(sources)
    }
    return kt.fuse("chords", named, **choices)


def fused(sources: Songs, **choices: Any) -> Rows:
    song: FusedChords = fusion(sources, **choices).annotations["song"]
    times = song.intervals.tolist()
    return [(a, b, label) for (a, b), label in zip(times, song.labels, strict=True)]


def sound(rows: Rows) -> list[tuple[float, float, Any]]:
    """Rows by what they sound like; those that sound alike are one."""
    joined: list[tuple[float, float, Any]] = []
    for start, end, label in rows:
        mapped = map_label(label)
        chord = (mapped.kind, mapped.root, mapped.triad, mapped.tetrad, max(mapped.bass, 0))
        if joined and joined[-1][1] == start and joined[-1][2] == chord:
            joined[-1] = (joined[-1][0], end, chord)
        else:
            joined.append((start, end, chord))
    return joined


def triad(label: str) -> tuple[str, int, str]:
    mapped = map_label(label)
    return mapped.kind, mapped.root, mapped.triad


@given(songs(), st.integers(1, 3))
def test_equal_sources_give_themselves(sources: Songs, copies: int) -> None:
    assert sound(fused([sources[0]] * copies)) == sound(sources[0])


def test_a_copy_weighs_no_more_among_those_that_spell_otherwise() -> None:
    plain, spelled = [[(0.0, 1.0, label)] for label in ("C#", "C#:maj")]
    assert fused([plain, spelled, spelled]) == fused([plain, spelled]) == plain
    triads, sevenths = [[(0.0, 1.0, "C"), (1.0, 2.0, label)] for label in ("G", "G:7")]
    assert fused([triads, sevenths, sevenths]) == fused([triads, sevenths])


@given(songs(), st.data())
def test_a_further_copy_changes_nothing(sources: Songs, data: st.DataObject) -> None:
    copied = data.draw(st.integers(0, len(sources) - 1))
    assert fused([*sources, sources[copied]]) == fused(sources)


@given(songs())
def test_sources_that_say_nothing_change_nothing(sources: Songs) -> None:
    end = max(row[1] for rows in sources for row in rows)
    silent: Rows = [(0.0, end, "X")]
    known = [row for row in sound(fused(sources)) if row[2] != ("X", -1, "", "", 0)]
    with_silent = [row for row in sound(fused([*sources, silent])) if row[2] != ("X", -1, "", "", 0)]
    assert with_silent == known


@given(songs(), st.data())
def test_splitting_a_row_changes_nothing(sources: Songs, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(sources[0]) - 1))
    start, end, label = sources[0][number]
    middle = (start + end) / 2
    split = [*sources[0][:number], (start, middle, label), (middle, end, label), *sources[0][number + 1 :]]
    assert fused([split, *sources[1:]]) == fused(sources)


@given(songs(), st.integers(1, 11))
def test_transposing_transposes(sources: Songs, semitones: int) -> None:
    def moved(label: str) -> str:
        chord = parse(label)
        if chord.kind != "chord":
            return label
        root = ROOTS[(PITCH_CLASSES[chord.root] + semitones) % 12]
        return f"{root}{str(chord).removeprefix(chord.root)}"

    def all_moved(rows: Rows) -> Rows:
        return [(start, end, moved(label)) for start, end, label in rows]

    assert sound(fused([all_moved(rows) for rows in sources])) == sound(all_moved(fused(sources)))


@given(songs(), st.integers(1, 80))
def test_shifting_shifts(sources: Songs, ticks: int) -> None:
    seconds = ticks / TIMES

    def shifted(rows: Rows) -> Rows:
        return [(start + seconds, end + seconds, label) for start, end, label in rows]

    assert fused([shifted(rows) for rows in sources]) == shifted(fused(sources))


@given(songs(), st.sampled_from([0.5, 2.0, 4.0]))
def test_stretching_stretches(sources: Songs, factor: float) -> None:
    def stretched(rows: Rows) -> Rows:
        return [(factor * start, factor * end, label) for start, end, label in rows]

    own = fused([stretched(rows) for rows in sources], change_cost=0.1 * factor, copies="keep")
    assert own == stretched(fused(sources, copies="keep"))


@given(songs(least=2), st.sampled_from(["agreement", "vote", "pick", "random"]))
def test_the_result_is_well_formed(sources: Songs, method: str) -> None:
    made = fusion(sources, method=method)
    rows = fused(sources, method=method)
    assert all(a < b for a, b, _ in rows)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(rows))
    said = {triad(row[2]) for source in sources for row in source}
    assert {triad(label) for _, _, label in rows} <= said | {triad("X")}
    if method != "pick":  # the song of one source may have gaps where others have none
        time = {
            (k / 16)
            for a, b, _ in (row for source in sources for row in source)
            for k in range(round(16 * a), round(16 * b))
        }
        covered = {(k / 16) for a, b, _ in rows for k in range(round(16 * a), round(16 * b))}
        assert covered == time
    support = made.rows["support"].drop_nulls().to_numpy()
    assert ((support > 0) & (support <= 1 + 1e-12)).all()


@given(songs(least=2))
def test_unanimous_times_keep_their_triad(sources: Songs) -> None:
    rows = fused(sources)
    for tick in range(round(16 * max(row[1] for source in sources for row in source))):
        time = tick / 16
        said = {
            triad(label) for source in sources for a, b, label in source if a <= time < b and label != "X"
        }
        if len(said) == 1:
            assert {triad(label) for a, b, label in rows if a <= time < b} == said


@given(songs(least=2))
def test_order_changes_nothing_but_ties(sources: Songs) -> None:
    weights = {f"s{number}": 1 + 0.1 * number**1.7 for number in range(len(sources))}
    turned = {f"s{len(sources) - 1 - number}": weight for number, weight in enumerate(weights.values())}
    choices: dict[str, Any] = {"copies": "keep", "method": "vote", "change_cost": 0.0137}
    rows = fused(sources, weights=weights, **choices)
    again = fused(sources[::-1], weights=turned, **choices)
    assert [(a, b, c[2]) for a, b, c in sound(rows)] == [(a, b, c[2]) for a, b, c in sound(again)]


@given(songs(least=2))
def test_the_same_twice(sources: Songs) -> None:
    first, second = fusion(sources), fusion(sources)
    assert first.rows.write_csv() == second.rows.write_csv()
    assert first.to_dict() == second.to_dict()


def test_nothing_labelled_is_an_error() -> None:
    with pytest.raises(kt.DataError, match="KT805"):
        kt.fuse("chords", {"a": {"song": (np.empty((0, 2)), [])}, "b": {"song": (np.empty((0, 2)), [])}})


# --- fingering -------------------------------------------------------------------------------


@st.composite
def pieces(draw: st.DrawFn) -> list[Fingering]:
    """Draw what some sources say of the notes of a piece; labels tell the hands."""
    piece = draw(fingerings(max_size=8))
    sources = []
    for _ in range(draw(st.integers(1, 4))):
        drawn = [draw(finger_labels(draw(st.sampled_from((RIGHT, LEFT))))) for _ in range(len(piece))]
        hands = [LEFT if label.startswith("-") else RIGHT if label else UNKNOWN for label in drawn]
        sources.append(replace(piece, labels=tuple(drawn), hands=np.array(hands)))
    assume(any(label for source in sources for label in source.labels))
    return sources


def fused_fingers(sources: list[Fingering], **choices: Any) -> tuple[str, ...]:
    named = {f"s{number}": {"piece": source} for number, source in enumerate(sources)}
    labels: tuple[str, ...] = kt.fuse("fingering", named, **choices).annotations["piece"].labels
    return labels


@given(pieces(), st.integers(1, 3))
def test_equal_fingerings_give_themselves(sources: list[Fingering], copies: int) -> None:
    assume(any(sources[0].labels))
    assert fused_fingers([sources[0]] * copies) == sources[0].labels


@given(pieces(), st.data())
def test_a_further_copy_changes_no_finger(sources: list[Fingering], data: st.DataObject) -> None:
    copied = data.draw(st.integers(0, len(sources) - 1))
    assert fused_fingers([*sources, sources[copied]]) == fused_fingers(sources)


@given(pieces())
def test_a_source_without_fingers_changes_nothing(sources: list[Fingering]) -> None:
    silent = replace(sources[0], labels=(MISSING,) * len(sources[0]))
    assert fused_fingers([*sources, silent]) == fused_fingers(sources)


@given(pieces(), st.sampled_from(["vote", "agreement", "pick", "random"]))
def test_every_finger_is_one_that_a_source_has(sources: list[Fingering], method: str) -> None:
    fused = fused_fingers(sources, method=method)
    for note, label in enumerate(fused):
        said = {source.labels[note] for source in sources}
        assert label in said
        if method != "pick":
            assert (label == MISSING) == (said == {MISSING})


# --- instruments -----------------------------------------------------------------------------

GM = InstrumentOptions(taxonomy="general-midi")
LABELS = ("Strings", "Violin", "Cello", "Piano", "Acoustic Grand Piano", "Flute")
Lists = dict[str, InstrumentList]


@st.composite
def instrument_lists(draw: st.DrawFn) -> Lists:
    """Draw what one source lists of two recordings: closed, or open with some labels absent."""
    lists: Lists = {}
    for item in ("one", "two"):
        said = draw(st.lists(st.sampled_from(LABELS), unique=True, max_size=4))
        if draw(st.booleans()):
            lists[item] = InstrumentList(tuple(said))
        else:
            cut = draw(st.integers(0, len(said)))
            above = {name for label in said[:cut] for name in (GM.tree.ancestors(label) if GM.tree else ())}
            absent = tuple(label for label in said[cut:] if label not in above)
            lists[item] = InstrumentList(tuple(said[:cut]), absent=absent, closed=False)
    return lists


def fused_lists(sources: list[Lists], **choices: Any) -> dict[str, tuple[set[str], set[str], bool]]:
    """Return the labels that are present, and absent, of each recording, and whether the list is closed."""
    named = {f"s{number}": lists for number, lists in enumerate(sources)}
    fused = kt.fuse("instruments", named, options=GM, **choices).annotations
    return {item: (set(own.labels), set(own.absent), own.closed) for item, own in fused.items()}


@given(instrument_lists(), st.integers(1, 3))
def test_equal_lists_give_themselves(lists: Lists, copies: int) -> None:
    expected = {item: (set(own.labels), set(own.absent), own.closed) for item, own in lists.items()}
    assert fused_lists([lists] * copies) == expected


@given(st.lists(instrument_lists(), min_size=1, max_size=4), st.data())
def test_a_further_copy_changes_no_list(sources: list[Lists], data: st.DataObject) -> None:
    copied = data.draw(st.integers(0, len(sources) - 1))
    assert fused_lists([*sources, sources[copied]]) == fused_lists(sources)


@given(st.lists(instrument_lists(), min_size=2, max_size=4))
def test_lists_have_no_order(sources: list[Lists]) -> None:
    assert fused_lists(sources[::-1]) == fused_lists(sources)


@given(st.lists(instrument_lists(), min_size=1, max_size=4))
def test_every_instrument_is_one_that_a_source_lists(sources: list[Lists]) -> None:
    fused = fused_lists(sources, copies="keep")
    for item, (present, absent, _) in fused.items():
        listed = [set(source[item].labels) for source in sources]
        assert present <= set().union(*listed)
        assert present.isdisjoint(absent)
        if all(own == listed[0] for own in listed) and all(source[item].closed for source in sources):
            assert present == listed[0]
