# SPDX-License-Identifier: MIT
"""Hypothesis strategies that several tests share."""

from hypothesis import strategies as st

__all__ = ["harte_labels"]

_TRIADS = ["maj", "min", "dim", "aug", "sus2", "sus4", "1", "5"]
_SIXTHS_AND_SEVENTHS = ["maj6", "min6", "7", "maj7", "min7", "dim7", "hdim7", "minmaj7", "aug7"]
_EXTENDED = [family + number for family in ("", "maj", "min") for number in ("9", "11", "13")]


def _accidentals() -> st.SearchStrategy[str]:
    return st.builds(lambda sign, count: sign * count, st.sampled_from("b#"), st.integers(0, 4))


def _degrees() -> st.SearchStrategy[str]:
    return st.builds(lambda signs, number: f"{signs}{number}", _accidentals(), st.integers(1, 13))


def _lists() -> st.SearchStrategy[str]:
    items = st.builds(lambda star, degree: star + degree, st.sampled_from(["", "*"]), _degrees())
    return st.lists(items, min_size=1, max_size=5).map(lambda degrees: f"({','.join(degrees)})")


def harte_labels() -> st.SearchStrategy[str]:
    """Draw any label of the strict grammar; its lists have up to five degrees."""
    roots = st.builds(lambda letter, signs: letter + signs, st.sampled_from("ABCDEFG"), _accidentals())
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
