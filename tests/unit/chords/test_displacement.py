# SPDX-License-Identifier: MIT
"""Estimates that are right at another time, or at another pitch."""

import numpy as np
import pytest

from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.error_analysis import displacement
from kammerton.chords.views import view_item

# a song of ten seconds each, without a progression that comes again
SONG = ("C", "A:min", "F", "D:min", "G:7", "E:min/b3", "Bb", "N")


def song(*labels: str, start: float = 0.0) -> ChordAnnotation:
    starts = start + 10.0 * np.arange(len(labels))
    return ChordAnnotation(np.column_stack([starts, starts + 10.0]), labels)


def reasons(reference: ChordAnnotation, estimate: ChordAnnotation, measure: str | None = None) -> list[str]:
    shown = view_item("song", "me", {"me": reference}, {"mine": estimate}, measure)
    told = [note.removeprefix("mine: ") for note in shown.notes if "would be right" in note]
    # the same is a note, and the first reason
    assert told == [each for each in shown.reasons.get("mine", ()) if "would be right" in each]
    return told


def test_an_estimate_that_comes_late_would_be_right_earlier() -> None:
    # of each 10 s the first 6.3 are wrong; moved, all is right but the 6.3 s beyond its end
    late = song(*SONG, start=6.3)
    assert reasons(song(*SONG), late) == ["100 % would be right if it came 6.3 s earlier"]
    early = ChordAnnotation(late.intervals - 12.6 + np.where(late.intervals < 6.4, 6.3, 0), late.labels)
    # begins at 0, of its first row 3.7 s are left: moved, 3.7 + 70 of 80 s are right
    assert reasons(song(*SONG), early) == ["92 % would be right if it came 6.3 s later"]


def test_what_comes_before_the_beginning_when_moved_counts_no_more() -> None:
    introduced = song("A:min", *SONG)
    assert reasons(song(*SONG), introduced) == ["100 % would be right if it came 10.0 s earlier"]


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (("B", "G#:min", "E", "C#:min", "F#:7", "D#:min/b3", "A", "N"), "1 semitone higher"),
        (("D", "B:min", "G", "E:min", "A:7", "F#:min/b3", "C", "N"), "2 semitones lower"),
        (("F#", "D#:min", "B", "G#:min", "C#:7", "A#:min/b3", "E", "N"), "6 semitones higher"),
    ],
)
def test_an_estimate_in_another_key_would_be_right_in_that_of_the_reference(
    labels: tuple[str, ...], told: str
) -> None:
    assert reasons(song(*SONG), song(*labels)) == [f"100 % would be right if all of it were {told}"]


def test_what_is_right_depends_on_the_measure() -> None:
    # the basses are wrong in either key: by MajMinBass only N, the last of eight, is right
    reference = song(*(f"{each}/3" for each in "CDEFGAB"), "N")
    estimate = song("Db", "Eb", "F", "Gb", "Ab", "Bb", "C", "N")
    assert reasons(reference, estimate, "mirex2013/MajMin") == [
        "100 % would be right if all of it were 1 semitone lower"
    ]
    assert reasons(reference, estimate, "mirex2013/MajMinBass") == []


def test_what_is_mostly_right_is_not_displaced() -> None:
    # half of it is right, the other half would be a semitone lower
    assert reasons(song(*["C"] * 6), song(*["C"] * 3, *["Db"] * 3)) == []
    assert reasons(song(*["C"] * 6), song(*["C"] * 2, *["Db"] * 4)) == [
        "67 % would be right if all of it were 1 semitone lower"
    ]


def test_a_single_chord_that_is_wrong_tells_of_no_key() -> None:
    assert reasons(song("C"), song("D", "N")) == []
    assert reasons(song("C", "E"), song("D", "Gb")) == [
        "100 % would be right if all of it were 2 semitones lower"
    ]


def test_what_would_not_be_right_anywhere_is_not_displaced() -> None:
    # at best, with its B a semitone higher, one of three is right, as before
    assert reasons(song("C", "D", "E"), song("C:min", "D", "B")) == []
    # three of five would be right a semitone lower, and two are as it is: less than twice as many
    assert reasons(song(*["C"] * 5), song(*["C"] * 2, *["Db"] * 3)) == []
    # two of five, as one would be at their place, are less than half
    assert reasons(song("C", "D", "E", "F", "G"), song("Db", "Eb", "C:min", "C:min", "C:min")) == []


def test_what_comes_much_too_late_is_something_else() -> None:
    # 20 s earlier it would still be 20 s late
    assert reasons(song(*SONG), song(*SONG, start=40.0)) == []
    assert reasons(song(*SONG), song(*SONG, start=20.0)) == ["100 % would be right if it came 20.0 s earlier"]


def test_what_is_undefined_is_not_displaced() -> None:
    assert displacement(song("C", "G"), lambda moved: np.full(len(moved), np.nan)) == ""
    # MajMin scores no X
    assert reasons(song("X"), song("C", "G")) == []


def test_whom_it_is_against_is_said_where_there_are_several() -> None:
    references = {"me": song(*SONG), "you": song(*SONG, start=1.0)}
    shown = view_item("song", "me", references, {"mine": song(*SONG, start=6.0)})
    displaced, counted = shown.reasons["mine"]
    assert displaced == "100 % would be right if it came 6.0 s earlier, against me"
    # of 80 s, 6 of each 10 are wrong; the parts are equal, and come by name
    assert counted == (
        "48.000 s wrong of 80.000 s scored by mirex2013/MajMin, against me; "
        "the largest parts, 6.000 s each: A:min taken for C, Bb taken for E:min/b3, "
        "C taken for (no row) and others"
    )
