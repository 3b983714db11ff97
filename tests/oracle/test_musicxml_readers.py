# SPDX-License-Identifier: MIT
"""Pitches and times of scores as partitura and music21 read them, on files that these read rightly.

Both lose fingerings, so only notes are compared.
"""

import os
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kammerton.fingering.annotation import LEFT, RIGHT, Fingering
from kammerton.fingering.formats import read_fingering
from kammerton.fingering.formats.musicxml import parse_score, render_musicxml
from unit.fingering.scores import GRAND, measures, note, partwise

pytestmark = pytest.mark.slow

Sounding = list[tuple[float, float, int]]

SHARED = os.environ.get("KAMMERTON_SHARED")
needs_files = pytest.mark.skipif(SHARED is None, reason="KAMMERTON_SHARED is not set")
needs_partitura = pytest.mark.skipif(find_spec("partitura") is None, reason="partitura is not installed")
needs_music21 = pytest.mark.skipif(find_spec("music21") is None, reason="music21 is not installed")


def by_partitura(text: str, folder: Path) -> Sounding:
    path = folder / "a.musicxml"
    path.write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        score = import_module("partitura").load_musicxml(str(path), force_note_ids=True)
        notes = score.note_array()
    return sorted(
        (round(float(row["onset_quarter"]), 4), round(float(row["duration_quarter"]), 4), int(row["pitch"]))
        for row in notes
    )


def by_music21(text: str) -> Sounding:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        converter = import_module("music21").converter
        score: Any = converter.parseData(text, format="musicxml").stripTies()
        found = [
            (
                round(float(each.getOffsetInHierarchy(score)), 4),
                round(float(each.duration.quarterLength), 4),
                pitch.midi,
            )
            for each in score.recurse().notes
            for pitch in each.pitches
        ]
    return sorted(found)


def by_us(text: str) -> Sounding:
    (_, fingering), *_ = parse_score(text.encode(), name="a.musicxml").annotations
    return sounding(fingering)


def sounding(fingering: Fingering) -> Sounding:
    lengths = fingering.offsets - fingering.onsets
    columns = (fingering.onsets.round(4), lengths.round(4), fingering.pitches)
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


def two_staves() -> str:
    """Chords, ties over bars, voices, triplets and a grace note on two staves."""
    triplets = "".join(note(name, duration=4) for name in ("C5", "E5", "G5"))  # of 12 to a quarter
    first = (
        GRAND.replace("<divisions>4", "<divisions>12")
        + triplets
        + note("A5", duration=12, grace=True)
        + note("B5", duration=24)
        + note("G5", chord=True, duration=24)
        + note("D5", duration=12, tie="start")
        + "<backup><duration>48</duration></backup>"
        + note("C4", duration=24, voice=2)
        + "<forward><duration>12</duration></forward>"
        + note("E4", duration=12, voice=2)
        + "<backup><duration>48</duration></backup>"
        + note("C3", duration=48, voice=5, staff=2, tie="start")
    )
    second = (
        note("D5", duration=6, tie="stop")
        + note("F5", duration=42)
        + "<backup><duration>48</duration></backup>"
        + note("C3", duration=36, voice=5, staff=2, tie="stop")
        + note("G3", duration=12, voice=5, staff=2)
    )
    return partwise(
        '<part-list><score-part id="P1"><part-name/></score-part></part-list>', measures(first, second)
    )


def written() -> str:
    """A fingering with chords, overlaps and odd lengths as we write it."""
    generator = np.random.default_rng(7)
    onsets = np.sort(generator.integers(0, 160, 120)) / 4
    lengths = generator.integers(1, 20, 120) / 4
    pitches = generator.permutation(np.arange(21, 109).repeat(2))[:120]
    hands = np.where(pitches >= 60, RIGHT, LEFT)
    # one key is not struck again while it sounds: programs differ about that
    kept = [
        row
        for row in range(120)
        if not any(
            pitches[other] == pitches[row] and onsets[other] + lengths[other] > onsets[row]
            for other in range(row)
        )
    ]
    labels = tuple("1" if hands[row] == RIGHT else "-1" for row in kept)
    return render_musicxml(
        Fingering(onsets[kept], (onsets + lengths)[kept], pitches[kept], hands[kept].astype(np.int64), labels)
    )


@needs_partitura
@pytest.mark.parametrize("score", [two_staves, written])
def test_partitura_reads_the_same_notes(score: Callable[[], str], tmp_path: Path) -> None:
    assert by_us(score()) == by_partitura(score(), tmp_path)


@needs_music21
def test_music21_reads_the_same_notes() -> None:
    # it cannot strip the ties of many voices, as the written score has them
    assert by_us(two_staves()) == by_music21(two_staves())


FILES = {
    "own_chord_middle_note_only.musicxml": ("partitura", "music21"),
    "own_tricky_fingerings.musicxml": ("partitura", "music21"),
    "pianoplayer_test_scales_all_keys.xml": ("partitura", "music21"),
    "lilypond_32ab-Notations3.xml": ("music21",),
}


def content(name: str) -> str:
    return (Path(SHARED or "") / "data" / "fingering" / "musicxml" / name).read_text(encoding="utf-8")


@needs_files
@needs_partitura
@pytest.mark.parametrize("name", [name for name, readers in FILES.items() if "partitura" in readers])
def test_partitura_reads_the_same_files(name: str, tmp_path: Path) -> None:
    assert by_us(content(name)) == by_partitura(content(name), tmp_path)


@needs_files
@needs_music21
@pytest.mark.parametrize("name", [name for name, readers in FILES.items() if "music21" in readers])
def test_music21_reads_the_same_files(name: str) -> None:
    assert by_us(content(name)) == by_music21(content(name))


@needs_files
@needs_partitura
@needs_music21
@pytest.mark.parametrize("piece", ["025-1", "049-2", "066-4"])
def test_what_we_write_is_read_by_others(piece: str, tmp_path: Path) -> None:
    path = Path(SHARED or "") / "data" / "fingering" / "beringer_pig" / f"{piece}_fingering.txt"
    ((_, fingering),) = read_fingering(path).annotations
    text = render_musicxml(fingering)
    assert by_partitura(text, tmp_path) == sounding(fingering)
    assert by_music21(text) == sounding(fingering)
