# SPDX-License-Identifier: MIT
"""Columns of annotations: what comes back, and what no reader would have given."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kammerton.chords import ChordAnnotation
from kammerton.chords.task import PACKING as CHORDS
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.task import PACKING as FINGERING
from kammerton.instruments import InstrumentList
from kammerton.instruments.annotation import PACKING as INSTRUMENTS
from kammerton.model.task import PackedColumn, Packing

TYPES = {"real": np.float64, "whole": np.int64, "flag": np.bool_}


def columns(packing: Packing, rows: Sequence[Mapping[str, Any]]) -> dict[str, PackedColumn]:
    """Put rows of fields one behind the other."""
    found = {}
    for name, kind in (*packing.lists.items(), *packing.single.items()):
        values = [list(row[name]) if name in packing.lists else [row[name]] for row in rows]
        flat = [value for each in values for value in each]
        offsets = np.cumsum([0, *map(len, values)])
        if kind == "text":
            found[name] = PackedColumn.of_texts(flat, offsets)
        else:
            found[name] = PackedColumn(np.array(flat, dtype=TYPES[kind]), offsets)
    return found


def back(packing: Packing, *annotations: Any) -> Sequence[Any]:
    return packing.unpack(columns(packing, [packing.pack(each) for each in annotations]))


SONG = ChordAnnotation(np.array([[0.0, 2.0], [2.0, 4.0]]), ("C", "G:7"))
PIECE = Fingering(
    onsets=np.array([0.0, 0.5]),
    offsets=np.array([0.5, 1.0]),
    pitches=np.array([60, 62]),
    hands=np.array([0, 0]),
    labels=("1", "2_1"),
    line_of=[None, 7].__getitem__,
)
LIST = InstrumentList(("flute", "harp"), np.array([0.5, 0.25]), absent=("horn",), ranked=True)


def test_fingers_come_back_with_their_lines() -> None:
    without = Fingering(PIECE.onsets, PIECE.offsets, PIECE.pitches, PIECE.hands, PIECE.labels)
    unknown = Fingering(PIECE.onsets, PIECE.offsets, PIECE.pitches, PIECE.hands, PIECE.labels, lambda _: None)
    first, second, third = back(FINGERING, PIECE, without, unknown)
    assert [first.line_of(note) for note in (0, 1)] == [None, 7]
    assert second.line_of is third.line_of is None
    for found in (first, second, third):
        for name in ("onsets", "offsets", "pitches", "hands"):
            assert getattr(found, name).tolist() == getattr(PIECE, name).tolist()
        assert found.labels == PIECE.labels
    assert FINGERING.rows(PIECE) == 2


def test_places_in_scores_come_back() -> None:
    places = ["measure 1, beat 1", "measure 1, beat 1.5"]
    score = replace(PIECE, unit="quarters", place_of=places.__getitem__)
    first, second = back(FINGERING, score, PIECE)
    assert (first.unit, [first.moment(note) for note in (0, 1)]) == ("quarters", places)
    assert (second.unit, second.moment(1)) == ("s", "0.5 s")


def test_lists_come_back() -> None:
    graded = InstrumentList(("d1",), grades=np.array([2]), query=True, closed=False)
    for found, each in zip(back(INSTRUMENTS, LIST, graded), (LIST, graded), strict=True):
        for name in ("labels", "absent", "ranked", "vector", "closed", "query"):
            assert getattr(found, name) == getattr(each, name)
        for name in ("scores", "grades"):
            assert getattr(found, name).tobytes() == getattr(each, name).tobytes()


@pytest.mark.parametrize(
    ("packing", "sound", "change"),
    [
        (CHORDS, SONG, {"starts": [0.0, 1.5]}),
        (CHORDS, SONG, {"ends": [2.0, np.inf]}),
        (CHORDS, SONG, {"ends": [2.0, 1.0]}),
        (CHORDS, SONG, {"ends": [2.0]}),
        (CHORDS, SONG, {"labels": ("C", "H")}),
        (FINGERING, PIECE, {"onsets": [-1.0, 0.5]}),
        (FINGERING, PIECE, {"offsets": [0.5, 0.25]}),
        (FINGERING, PIECE, {"offsets": [0.5, np.inf]}),
        (FINGERING, PIECE, {"pitches": [60, 128]}),
        (FINGERING, PIECE, {"pitches": [60, -2]}),
        (FINGERING, PIECE, {"hands": [0, 5]}),
        (FINGERING, PIECE, {"labels": ("1", "6")}),
        (FINGERING, PIECE, {"labels": ("1",)}),
        (FINGERING, PIECE, {"onsets": [0.0]}),
        (FINGERING, PIECE, {"lines": [1]}),
        (FINGERING, PIECE, {"places": ["measure 1, beat 1"]}),
        (INSTRUMENTS, LIST, {"scores": [0.5]}),
        (INSTRUMENTS, LIST, {"scores": [0.5, np.nan]}),
        (INSTRUMENTS, LIST, {"grades": [1, 0]}),
        (INSTRUMENTS, LIST, {"labels": ("flute", "flute")}),
        (INSTRUMENTS, LIST, {"labels": ("flute", "")}),
        (INSTRUMENTS, LIST, {"absent": ("harp",)}),
    ],
)
def test_what_no_reader_gives_fails_alone(packing: Packing, sound: Any, change: Mapping[str, Any]) -> None:
    row = packing.pack(sound)
    found = packing.unpack(columns(packing, [row, {**row, **change}]))
    assert found[1] is None
    assert found[0] is not None or change == {"ends": [2.0]}
