# SPDX-License-Identifier: MIT
"""Write the bundled example: four old tunes, two annotators, two made-up systems.

    python examples/make_demo.py FOLDER

The chords are ours, on tunes in the public domain; no recording is behind them. A chart has one bar
between two ``|``; chords share the bar unless ``@`` gives their beats. A ``+`` begins a new row although
the chord stays.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Row = tuple[float, float, str]


@dataclass(frozen=True)
class Song:
    """A tune: when its first bar begins, how fast it goes, and what each one hears in it."""

    title: str
    lead_in_s: float
    beats: int
    beat_s: float
    tail_s: float
    charts: dict[str, str]


@dataclass(frozen=True)
class Ear:
    """How someone places boundaries.

    Parameters
    ----------
    late_s, spread_s : float
        Boundaries are late by ``late_s``, give or take ``spread_s``.
    grid_s : float
        Times are multiples of this.
    silent : bool
        Whether ``N`` rows are written before and after the music.
    """

    late_s: float
    spread_s: float
    grid_s: float
    silent: bool


EARS = {
    "reference": Ear(0.0, 0.0, 0.001, True),
    "second": Ear(0.02, 0.06, 0.01, True),
    "careful": Ear(0.03, 0.04, 0.001, True),
    "hasty": Ear(0.18, 0.10, 0.1, False),
}

SONGS = (
    Song(
        "Amazing Grace",
        *(1.2, 3, 0.75, 1.5),
        {
            "reference": """
                G | G:7/3 | C | G | G | E:min | A:7 | D:sus4@1 D:7@2 |
                G | G:7 | C:maj6 | G/3 | E:min7 | G/5@2 D:7@1 | G@2 C/5@1 | G""",
            "second": """
                G | G:7 | C | G/5 | G | E:min7 | A:7/3 | D:7 |
                G | G:9 | C | G | E:min | D:7 | G@1 C/5@2 | G""",
            "careful": """
                G | G | C | G | G | E:min | A:7 | D |
                G | G:7 | C | G | E:min | G@2 D:7@1 | G | G""",
            "hasty": """
                G | G | C@2 A:min@1 | G | G | G | A:min | D |
                +G | E:min | C | G | G | D | G | +G""",
        },
    ),
    Song(
        "Frère Jacques",
        *(0.8, 4, 0.6, 1.0),
        {
            "reference": """
                Gb@2 Db:7@1 Gb@1 | Gb@2 Db:7@1 Gb@1 | Gb/3@2 Ab:min@1 Gb@1 | Gb/3@2 Ab:min@1 Gb@1 |
                Gb | Gb | Gb@1 Db@1 Gb@2 | Gb@1 Db@1 Gb@2""",
            "second": """
                Gb@2 Db:7@1 Gb@1 | Gb@2 Db:7@1 Gb@1 | Gb@2 Db:sus4@1 Gb@1 | Gb@2 Db:sus4@1 Gb@1 |
                Gb | Gb:maj6 | Gb@1 Db:7@1 Gb@2 | Gb@1 Db:7@1 Gb@2""",
            "careful": """
                F#@2 C#:7@1 F#@1 | F#@2 C#:7@1 F#@1 | F#@2 G#:min@1 F#@1 | F# |
                F# | F# | F#@1 C#@1 F#@2 | F#@1 C#@1 F#@2""",
            "hasty": """
                F# | F# | D#:min@2 C#@2 | F# |
                F# | D#:min@2 F#@2 | F# | F#""",
        },
    ),
    Song(
        "Greensleeves",
        *(0.5, 2, 0.95, 2.0),
        {
            "reference": """
                A:min | C | G | E:min | A:min | F:maj7 | E:sus4 E | E |
                A:min | C | G | E:min | F | E:7 | A:min | A:min |
                C:maj7 | C | G | E:min/b3 | A:min | F:maj7 | E:sus4 E | E |
                C:maj7 | C | G | E:min | F | E:7 | A:min | A:min""",
            "second": """
                A:min7 | C | G/3 | E:min | A:min | F | E:7 | E |
                A:min7 | C | G/3 | E:min | A:min@1 F@1 | E:7 | A:min | A:minmaj7 |
                C | C | G | G | A:min | D:min/b3 | E:sus4 E | E:7 |
                C | C | G | G | A:min@1 F@1 | E:7 | A:min | A:min""",
            "careful": """
                A:min | C | G | E:min | A:min | F | E | E |
                A:min | C | G | E:min | F | E:7 | A:min | A:min |
                C | C | G | G | A:min | F:maj7 | E | E |
                C:maj7 | C | G | G | A:min@1 F@1 | E:7 | A:min | A:min""",
            "hasty": """
                A:min | A:min | G | G | A:min | F | E | +E |
                C | C | G | E:min | A:min | E | A:min | +A:min |
                C | A:min | G | G | A:min | A:min | E | E:min@1 E@1 |
                C | A:min | G | G | F | E | A:min | C""",
        },
    ),
    Song(
        "When the Saints Go Marching In",
        *(0.0, 4, 0.5, 1.5),
        {
            "reference": """
                F | F | F | F/3 | F | D:min7 | G:min7 | C:7 |
                F | F:7 | Bb | B:dim7 | F/5@2 D:7@2 | G:min7@2 Bb/2@2 | F | F""",
            "second": """
                F | F | F | F | F | F | C:9 | C:7 |
                F:maj6 | F:7/3 | Bb | Bb:min6 | F/5@2 D:min@2 | G:min7@2 C:11@2 | F@2 Bb@1 C:7@1 | F""",
            "careful": """
                F | F | F | F | F | D:min | G:min7 | C:7 |
                F | F | Bb | Bb:min | F@2 D@2 | G:min@2 Bb@2 | F | F""",
            "hasty": """
                F | F | A:min | F | D:min | D:min | Bb | C |
                +F | F | +Bb | Bb | F | Bb | F | +F@2 C@2""",
        },
    ),
)


def beats_of(chart: str, beats: int) -> Iterator[tuple[float, str]]:
    """Give how many beats each chord of a chart lasts."""
    for bar in chart.split("|"):
        chords = [token.partition("@") for token in bar.split()]
        for label, _, own in chords:
            yield float(own) if own else beats / len(chords), label


def beat_time(song: Song, beat: float) -> float:
    """Return the time of a beat; the band slows down by two per cent on its way."""
    return song.lead_in_s + song.beat_s * beat * (1 + 0.0002 * beat)


def rows_of(song: Song, who: str) -> list[Row]:
    """Return what someone wrote about a song."""
    ear = EARS[who]
    dice = random.Random(f"{song.title}/{who}")  # noqa: S311 - the same files every time

    def heard(beat: float) -> float:
        late = ear.late_s + ear.spread_s * (2 * dice.random() - 1)
        time = beat_time(song, beat) + (late if beat else max(late, 0.0))
        return round(round(time / ear.grid_s) * ear.grid_s, 3)

    beat, chords = 0.0, list[tuple[float, str]]()
    for length, label in beats_of(song.charts[who], song.beats):
        if not chords or label != chords[-1][1].removeprefix("+"):
            chords.append((heard(beat), label))
        beat += length
    starts = [*(start for start, _ in chords), heard(beat)]
    rows = [(starts[n], starts[n + 1], label.removeprefix("+")) for n, (_, label) in enumerate(chords)]
    if not ear.silent:
        return rows
    before = [(0.0, starts[0], "N")] if starts[0] else []
    return [*before, *rows, (starts[-1], round(beat_time(song, beat) + song.tail_s, 3), "N")]


def render_lab(rows: list[Row]) -> str:
    """Write start, end and label between tabs."""
    return "".join(f"{start:.3f}\t{end:.3f}\t{label}\n" for start, end, label in rows)


def render_jams(song: Song, rows: list[Row]) -> str:
    """Write the little of JAMS that is needed, one observation per line."""
    data = ",\n".join(
        json.dumps({"time": start, "duration": round(end - start, 3), "value": label, "confidence": None})
        for start, end, label in rows
    )
    about = json.dumps({"title": song.title, "duration": rows[-1][1], "jams_version": "0.3.4"})
    head = f'{{"file_metadata": {about},\n"annotations": [{{"namespace": "chord", "annotation_metadata": {{}}'
    return f'{head}, "data": [\n{data}\n]}}],\n"sandbox": {{}}}}\n'


def main(folder: Path) -> None:
    """Write every file below ``folder``."""
    for song in SONGS:
        for who in song.charts:
            rows = rows_of(song, who)
            is_jams = (who, song.title) == ("reference", "Greensleeves")
            path = folder / who / f"{song.title}{'.jams' if is_jams else '.lab'}"
            path.parent.mkdir(parents=True, exist_ok=True)
            text = render_jams(song, rows) if is_jams else render_lab(rows)
            path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
