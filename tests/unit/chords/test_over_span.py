# SPDX-License-Identifier: MIT
"""What two protocols are computed from is made once for both, and kept no longer than they need it."""

import weakref

import numpy as np

from kammerton.chords import ChordAnnotation
from kammerton.chords.kernels import build_columns
from kammerton.chords.protocols import decibel, mir_eval
from kammerton.model.task import Case

SONG = ChordAnnotation(np.array([[0.0, 1.0], [1.0, 2.0]]), ("C", "G:7"))


def test_protocols_share_what_they_are_computed_from() -> None:
    columns, other = (build_columns([Case((SONG,), SONG, 0)]) for _ in range(2))
    found = [module.evaluate(columns, module.PROTOCOL.measures) for module in (mir_eval, decibel)]
    assert found[0].times is found[1].times
    assert mir_eval.evaluate(other, mir_eval.PROTOCOL.measures).times is not found[0].times


def test_it_is_kept_as_long_as_the_columns() -> None:
    columns = build_columns([Case((SONG,), SONG, 0)])
    kept = weakref.ref(mir_eval.over_span(columns).times.weights)
    assert kept() is not None
    del columns
    assert kept() is None
