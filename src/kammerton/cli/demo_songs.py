# SPDX-License-Identifier: MIT
"""Songs that ``kammerton demo --report`` makes on the spot, to hear and to see what systems make of them."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import kammerton

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kammerton.results.scores import Scores

HEADING = (
    "Chords of two songs made just now: of a recording (`audio`), of a MIDI file with mistakes\n"
    "(`symbolic`), of a chord sheet with mistakes (`sheet`), and of all three together (`fused`)."
)
_SONGS = 2
_SETTINGS = {"bars": 8, "errors": 0.4}


@contextmanager
def made_songs() -> Iterator[tuple[Scores, Path]]:
    """Make songs, and give the scores of every system on them, and the folder of the recordings."""
    with TemporaryDirectory(prefix="kammerton-") as made:
        folder = Path(made, "songs")
        songs = kammerton.scenes(
            items=_SONGS,
            difficulty="hard",
            settings=_SETTINGS,
            audio=True,
            bad_midis=1,
            sheets=1,
            out=folder,
        )
        sound, midi, sheets = (folder / name for name in ("audio", "bad_midi_1", "sheets_1"))
        inputs = {"audio": [sound], "symbolic": [midi], "sheet": [sheets, sound]}
        heard = {system: kammerton.annotate("chords", paths, system) for system, paths in inputs.items()}
        fused = kammerton.fuse("chords", heard)
        reference = {item: song.chords for item, song in songs.items()}
        systems = {**heard, "fused": fused.annotations}
        yield kammerton.score("chords", reference, systems, protocols=["mirex2013"], ci=None), sound
