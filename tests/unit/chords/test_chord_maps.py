# SPDX-License-Identifier: MIT
"""What the protocols make of one label: types by thirds (mirex2013), twelve bits (mir_eval)."""

import pytest

from kammerton.chords.protocols.mirex2013 import CLASSES, VOCABULARIES
from kammerton.chords.templates import SOUNDING, TETRADS, encode_label, map_label

# --- types by thirds -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "spelled_triad", "spelled_tetrad"),
    [
        ("C", "maj", "maj"),
        ("C:(3)", "maj", "maj"),  # no fifth needed
        ("C:maj(*5)", "maj", "maj"),
        ("C:aug", "aug", "aug"),
        ("C:maj(#5)", "maj", "maj"),  # the fifth is there too
        ("C:(1,3,b5)", "majb5", "majb5"),
        ("C:(1,3,b5,#5)", "maj", "maj"),  # both altered fifths
        ("C:(1,b3,3,5)", "maj", "maj"),  # the major third is asked for first
        ("C:min(*5)", "min", "min"),
        ("C:dim", "dim", "dim"),
        ("C:(1,b3,#5)", "min#5", "min#5"),
        ("C:(1,b3,b5,#5)", "min", "dim"),  # a triad asks that the other alteration is absent, a tetrad not
        ("C:sus4", "sus4", "sus4"),
        ("C:sus2", "sus2", "sus2"),
        ("C:sus4(2)", "5", "5"),  # both suspensions are none
        ("C:maj(*3)", "5", "5"),
        ("C:5", "5", "5"),
        ("C:1", "1", "1"),
        ("C:(5)", "1", "1"),  # a power chord needs the 1, which a list does not imply
        ("C:(*1)", "1", "1"),
        ("C:(1,#2,5)", "5", "5"),  # #2 is no third as spelled
        # the seventh: b7, then 7, then 6
        ("C:7", "maj", "7"),
        ("C:7(7)", "maj", "7"),
        ("C:maj7", "maj", "maj7"),
        ("C:maj6(7)", "maj", "maj7"),
        ("C:maj6", "maj", "maj6"),
        ("C:maj(13)", "maj", "maj6"),  # the octave is folded
        ("C:7(13)", "maj", "7"),
        ("C:maj(bb7)", "maj", "maj"),  # bb7 is no 6 as spelled
        ("C:min7", "min", "min7"),
        ("C:minmaj7", "min", "minmaj7"),
        ("C:min6", "min", "min6"),
        ("C:dim7", "dim", "dim7"),
        ("C:hdim7", "dim", "hdim7"),
        ("C:dim(7)", "dim", "dim"),  # a diminished chord takes b7 or bb7 only
        ("C:dim(6)", "dim", "dim"),
        ("C:aug7", "aug", "aug(b7)"),
        ("C:aug(6)", "aug", "aug"),  # no 6 for altered fifths
        ("C:(1,3,b5,6)", "majb5", "majb5"),
        ("C:(1,b3,#5,6)", "min#5", "min#5"),
        ("C:sus4(b7)", "sus4", "sus4(b7)"),
        ("C:5(6)", "5", "5(6)"),
        ("C:1(7)", "1", "1(7)"),
        # the upper tones of shorthands are not looked at
        ("C:9", "maj", "7"),
        ("C:maj9", "maj", "maj7"),
        ("C:min11", "min", "min7"),
        ("C:maj11", "maj", "maj7"),
        ("C:13", "maj", "7"),
        ("C:9(*3)", "5", "5(b7)"),  # its 9 does not make it sus2
        # a bass is a tone
        ("C/b7", "maj", "7"),
        ("C:5/3", "maj", "maj"),
        ("C:maj(*3)/3", "maj", "maj"),
        ("C:5/4", "sus4", "sus4"),
        ("C/9", "maj", "maj"),
    ],
)
def test_chords_are_typed_by_their_third_as_spelled(
    label: str, spelled_triad: str, spelled_tetrad: str
) -> None:
    found = map_label(label)
    assert (found.spelled_triad, found.spelled_tetrad) == (spelled_triad, spelled_tetrad)


@pytest.mark.parametrize(
    ("label", "triad", "tetrad"),
    [
        ("C", "maj", "maj"),
        ("A:min7(*5,b6)", "min#5", "min#5(b7)"),  # b6 sounds like #5
        ("C:(1,#2,5)", "min", "min"),
        ("C:(1,b4,5)", "maj", "maj"),
        ("C:(1,3,b6)", "aug", "aug"),
        ("C:(1,3,#4)", "majb5", "majb5"),
        ("C:dim(6)", "dim", "dim7"),
        ("C:maj(bb7)", "maj", "maj6"),
        ("C:maj(#6)", "maj", "7"),
        ("C:(1,##1,5)", "sus2", "sus2"),
        ("C:(1,#3,5)", "sus4", "sus4"),
    ],
)
def test_chords_are_typed_by_their_third_as_they_sound(label: str, triad: str, tetrad: str) -> None:
    found = map_label(label)
    assert (found.triad, found.tetrad) == (triad, tetrad)


@pytest.mark.parametrize(
    ("label", "in_triad", "in_tetrad"),
    [
        ("C", -1, -1),
        ("C/1", 0, 0),  # an explicit root is a bass
        ("C/3", 4, 4),
        ("C/5", 7, 7),
        ("C/b7", -1, 10),  # a tone of the mapped seventh chord, not of the triad
        ("C/2", -1, -1),
        ("C:min/3", 4, 4),  # the bass makes it major
        ("C:maj6/6", -1, 9),
        ("C:dim/b5", 6, 6),
    ],
)
def test_a_bass_counts_if_it_is_a_tone_of_the_mapped_chord(label: str, in_triad: int, in_tetrad: int) -> None:
    found = map_label(label)
    assert found.bass_within(found.triad) == in_triad
    assert found.bass_within(found.tetrad) == in_tetrad


def pitch_classes(bits: int) -> set[int]:
    return {pitch for pitch in range(12) if bits >> pitch & 1}


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("C", {0, 4, 7}),
        ("D:min", {2, 5, 9}),
        ("C:(3,5)", {4, 7}),
        ("C:9", {0, 4, 7, 10, 2}),
        ("C:11", {0, 4, 7, 10, 2, 5}),
        ("C:min11", {0, 3, 7, 10, 2, 5}),
        ("C:13", {0, 4, 7, 10, 2, 5}),  # without its 13th
        ("C:min13", {0, 3, 7, 10, 2, 5}),
        ("C:maj13", {0, 4, 7, 11, 2, 5, 9}),  # with it
        ("C:maj(9)", {0, 4, 7, 2}),
        ("C/b7", {0, 4, 7, 10}),
        ("B:maj(*1)", {3, 6}),
        ("N", set()),
        ("X", set()),
    ],
)
def test_pitch_classes_are_those_of_the_set_and_the_upper_tones_of_the_shorthand(
    label: str, expected: set[int]
) -> None:
    assert pitch_classes(map_label(label).chroma) == expected


def test_n_and_x_have_no_type() -> None:
    for label in ("N", "X"):
        found = map_label(label)
        assert (found.kind, found.root, found.triad, found.tetrad) == (label, -1, "", "")


def test_there_are_nine_triads_below_the_single_root_with_their_sevenths() -> None:
    # 10 bases; b7, 7, 6 on maj, min, sus4, sus2, 5, 1; b7, 7 on aug, majb5, min#5; b7, bb7 on dim
    assert len(TETRADS) == 10 + 6 * 3 + 3 * 2 + 2
    assert len(set(TETRADS.values())) == len(TETRADS)
    assert list(CLASSES) == ["N", "silence", "X", *TETRADS]
    assert all(types <= TETRADS.keys() for types in VOCABULARIES.values())
    assert [SOUNDING[tone] for tone in TETRADS["hdim7"]] == [0, 3, 6, 10]
    assert [SOUNDING[tone] for tone in TETRADS["dim7"]] == [0, 3, 6, 9]


# --- twelve bits ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "root", "tones", "bass"),
    [
        ("C", 0, {0, 4, 7}, 0),
        ("Cb:min", 11, {0, 3, 7}, 0),
        ("C:maj(9)", 0, {0, 4, 7}, 0),  # an octave or more is no tone
        ("C:maj(2)", 0, {0, 4, 7, 2}, 0),
        ("C:sus4(*3)", 0, {0, 5, 7}, 0),  # omitting what is absent does nothing
        ("C:maj(*1)", 0, {0, 4, 7}, 0),  # the bass is always a tone
        ("C:maj(*1)/3", 0, {4, 7}, 4),
        ("C:maj(*5)/5", 0, {0, 4, 7}, 7),
        ("C/2", 0, {0, 4, 7, 2}, 2),
        ("C/9", 0, {0, 4, 7, 2}, 2),
        ("C:maj(3,*3)", 0, {0, 4, 7}, 0),  # in the shorthand, added, omitted: 1 + 1 - 1
        ("C:maj(b1)", 0, {0, 4, 7, 11}, 0),
        ("C:9", 0, {0, 4, 7, 10}, 0),
        ("C:maj11", 0, {0, 4, 7, 11}, 0),  # as maj7
        ("C:aug7", 0, {0, 4, 8, 10}, 0),
        ("C:maj13", 0, {0, 4, 7, 11}, 0),
        ("C:(5)", 0, {0, 7}, 0),  # the root always is a tone
    ],
)
def test_chords_are_encoded_as_bits(label: str, root: int, tones: set[int], bass: int) -> None:
    found = encode_label(label)
    assert (found.root, pitch_classes(found.bits), found.bass) == (root, tones, bass)
    assert pitch_classes(found.chroma) == {(root + tone) % 12 for tone in tones}


def test_n_has_no_bits_and_x_has_all() -> None:
    assert (encode_label("N").root, encode_label("N").bits, encode_label("N").bass) == (-1, 0, -1)
    assert (encode_label("X").root, encode_label("X").bits, encode_label("X").bass) == (-1, -1, -1)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("C", "C:maj", True),
        ("C", "C:(1,3,5)", True),
        ("C:maj(9)", "C:maj(2)", True),
        ("C:9", "C:7(9)", True),
        ("C:9", "C:7", False),
        ("C:minmaj7", "C:min(7)", True),
        ("C", "C/5", False),
        ("N", "X", False),
    ],
)
def test_neighbours_that_are_equal_with_upper_tones_folded_are_one_segment(
    one: str, other: str, equal: bool
) -> None:
    keys = [(c.root, c.merged_bits, c.bass) for c in (encode_label(one), encode_label(other))]
    assert (keys[0] == keys[1]) is equal
