# SPDX-License-Identifier: MIT
"""Protocol ``mir_eval`` against the original, label by label: any labels of the grammar."""

import warnings

import mir_eval
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import kammerton as kt
from cases.chords import song
from kammerton.chords.templates import encode_label
from strategies import harte_labels, plain_labels

COMPARED = [
    *("thirds", "thirds_inv", "triads", "triads_inv", "tetrads", "tetrads_inv"),
    *("root", "mirex", "majmin", "majmin_inv", "sevenths", "sevenths_inv"),
]


def encodable(label: str) -> bool:
    """0.8.2 accepts these two qualities, but has no bitmap for them."""
    return ":maj11" not in label and ":aug7" not in label


LABELS = st.one_of(harte_labels(), plain_labels()).filter(encodable)


@given(LABELS)
@example("C:minmaj7(7,*7)")
@example("C:maj(*8)/3")  # an octave is no root
@example("C:maj(b1,bb1)")
def test_a_label_is_encoded_as_the_original_does(label: str) -> None:
    found = encode_label(label)
    for reduced, bits in ((False, found.bits), (True, found.merged_bits)):
        root, bitmap, bass = mir_eval.chord.encode(label, reduce_extended_chords=reduced)
        assert (found.root, found.bass) == (root, bass)
        if label == "X":
            assert bits == -1
            assert set(bitmap) == {-1}
        else:
            assert [bits >> tone & 1 for tone in range(12)] == bitmap.tolist()


@pytest.mark.parametrize("shorthand", [f"{family}{n}" for family in ("", "maj", "min") for n in (9, 11, 13)])
def test_an_upper_tone_counts_once_in_shorthand_and_list(shorthand: str) -> None:
    for tone in (9, 11, 13):
        for listed in (f"{tone}", f"*{tone}", f"{tone},*{tone}", f"{tone},{tone},*{tone}"):
            label = f"C:{shorthand}({listed})"
            if encodable(label):
                _, bitmap, _ = mir_eval.chord.encode(label, reduce_extended_chords=True)
                assert [encode_label(label).merged_bits >> bit & 1 for bit in range(12)] == bitmap.tolist()


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40))
def test_labels_compare_as_in_the_original(pairs: list[tuple[str, str]]) -> None:
    refs = [ref for ref, _ in pairs] + [est for _, est in pairs]
    ests = [est for _, est in pairs] * 2  # each label against itself, too
    scores = kt.score(
        "chords",
        {f"{number:03}": song((0, 1, label)) for number, label in enumerate(refs)},
        {f"{number:03}": song((0, 1, label)) for number, label in enumerate(ests)},
        protocols=["mir_eval"],
    )
    for measure in COMPARED:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = getattr(mir_eval.chord, measure)(refs, ests)
        ours = scores.items.filter(measure=measure).sort("item")["value"].fill_null(-1.0).to_numpy()
        different = np.flatnonzero(ours != theirs)
        assert not [(refs[at], ests[at], ours[at], theirs[at]) for at in different], measure
