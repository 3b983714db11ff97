# SPDX-License-Identifier: MIT
"""Hypothesis strategies that several tests share."""

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import strategies as st

from kammerton.chords.respelling import MAX_ACCIDENTALS

__all__ = [
    "Song",
    "chord_songs",
    "harte_labels",
    "label_pools",
    "plain_labels",
    "song_pairs",
    "spanning_pairs",
]

Song = tuple[list[tuple[float, float]], list[str]]
"""Intervals and labels, as the array API takes them."""

TICKS_PER_SECOND = 8
"""Times are multiples of 1/8 s, so that their sums and differences are exact."""

_TRIADS = ["maj", "min", "dim", "aug", "sus2", "sus4", "1", "5"]
_SIXTHS_AND_SEVENTHS = ["maj6", "min6", "7", "maj7", "min7", "dim7", "hdim7", "minmaj7", "aug7"]
_EXTENDED = [family + number for family in ("", "maj", "min") for number in ("9", "11", "13")]


def _accidentals(most: int = MAX_ACCIDENTALS) -> st.SearchStrategy[str]:
    return st.builds(lambda sign, count: sign * count, st.sampled_from("b#"), st.integers(0, most))


def _degrees() -> st.SearchStrategy[str]:
    return st.builds(lambda signs, number: f"{signs}{number}", _accidentals(), st.integers(1, 13))


def _lists() -> st.SearchStrategy[str]:
    items = st.builds(lambda star, degree: star + degree, st.sampled_from(["", "*"]), _degrees())
    return st.lists(items, min_size=1, max_size=5).map(lambda degrees: f"({','.join(degrees)})")


def harte_labels(*, root_accidentals: int = MAX_ACCIDENTALS) -> st.SearchStrategy[str]:
    """Draw any label of the strict grammar; its lists have up to five degrees."""
    roots = st.builds(
        lambda letter, signs: letter + signs, st.sampled_from("ABCDEFG"), _accidentals(root_accidentals)
    )
    shorthands = st.sampled_from([*_TRIADS, *_SIXTHS_AND_SEVENTHS, *_EXTENDED])
    qualities = st.one_of(
        st.just(""),
        shorthands.map(lambda name: f":{name}"),
        _lists().map(lambda listed: f":{listed}"),
        st.builds(lambda name, listed: f":{name}{listed}", shorthands, _lists()),
    )
    basses = st.one_of(st.just(""), _degrees().map(lambda degree: f"/{degree}"))
    chords = st.builds(lambda root, quality, bass: root + quality + bass, roots, qualities, basses)
    return st.one_of(chords, st.sampled_from("NX"))


def plain_labels() -> st.SearchStrategy[str]:
    """Draw a label of the kind that annotations are full of; many of them are equal to some rule."""
    roots = st.sampled_from(["C", "C#", "Db", "B#", "A", "E"])
    qualities = st.sampled_from(
        ["", ":maj", ":min", ":7", ":min7", ":maj7", ":9", ":sus4", ":dim", ":(1,3,5)", ":maj(9)", ":5"]
    )
    basses = st.sampled_from(["", "", "", "/1", "/3", "/5", "/b7", "/2"])
    chords = st.builds(lambda root, quality, bass: root + quality + bass, roots, qualities, basses)
    return st.one_of(chords, st.sampled_from("NX"))


def label_pools(*, root_accidentals: int = 2) -> st.SearchStrategy[list[str]]:
    """Draw up to five labels for both sides of a pair, so that they agree now and then."""
    labels = st.one_of(plain_labels(), plain_labels(), harte_labels(root_accidentals=root_accidentals))
    return st.lists(labels, min_size=1, max_size=5)


def chord_songs(
    labels: st.SearchStrategy[str],
    *,
    gaps: bool = True,
    empty_rows: bool = True,
    min_rows: int = 1,
    max_rows: int = 8,
) -> st.SearchStrategy[Song]:
    """Draw an annotation.

    Parameters
    ----------
    labels : strategy
        Labels of the rows.
    gaps : bool
        Whether there may be time between two rows.
    empty_rows : bool
        Whether rows may have no length.
    min_rows, max_rows : int
        Number of rows.
    """
    gap = st.sampled_from((0, 0, 0, 1, 3)) if gaps else st.just(0)
    lengths = st.sampled_from((*range(1, 9), 0) if empty_rows else range(1, 9))
    rows = st.lists(st.tuples(gap, lengths, labels), min_size=min_rows, max_size=max_rows)
    return st.builds(_laid_out, st.sampled_from((0, 0, 4, 9)), rows)


def _laid_out(start: int, rows: Sequence[tuple[int, int, str]]) -> Song:
    intervals, labels, tick = [], [], start
    for gap, length, label in rows:
        tick += gap
        intervals.append((tick / TICKS_PER_SECOND, (tick + length) / TICKS_PER_SECOND))
        labels.append(label)
        tick += length
    return intervals, labels


@st.composite
def song_pairs(draw: st.DrawFn, *, gaps: bool = True, empty_rows: bool = True) -> tuple[Song, Song]:
    """Draw a reference and an estimate, which may be empty, begin and end anywhere."""
    labels = st.sampled_from(draw(label_pools()))
    ref = draw(chord_songs(labels, gaps=gaps, empty_rows=empty_rows))
    est = draw(chord_songs(labels, gaps=gaps, empty_rows=empty_rows, min_rows=0))
    return ref, est


@st.composite
def spanning_pairs(draw: st.DrawFn) -> tuple[Song, Song]:
    """Draw a reference and an estimate without gaps that begin and end together."""
    labels = st.sampled_from(draw(label_pools()))
    start, length = draw(st.sampled_from((0, 3))), draw(st.integers(1, 24))
    inner = st.sets(st.integers(1, length - 1), max_size=6) if length > 1 else st.just(set[int]())

    def side() -> Song:
        ticks = [start, *(start + tick for tick in sorted(draw(inner))), start + length]
        seconds = [tick / TICKS_PER_SECOND for tick in ticks]
        rows = list(pairwise(seconds))
        return rows, [draw(labels) for _ in rows]

    return side(), side()
