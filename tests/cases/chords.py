# SPDX-License-Identifier: MIT
"""Chord cases with the values of both tools, checked by hand; see the files beside this module."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strategies import Song

__all__ = ["LabelPair", "ScoredSong", "TimeCase", "decibel_songs", "label_pairs", "song", "time_cases"]

HERE = Path(__file__).parent

_NAMES = {
    "musoo_MirexRoot": "mirex2013/Root",
    "musoo_MirexMajMin": "mirex2013/MajMin",
    "musoo_MirexMajMinBass": "mirex2013/MajMinBass",
    "musoo_MirexSevenths": "mirex2013/Sevenths",
    "musoo_MirexSeventhsBass": "mirex2013/SeventhsBass",
    "musoo_Mirex2010": "mirex2013/Mirex2010",
}
"""Columns of MusOOEvaluator that are targets, with our measure; the others are information."""


def song(*rows: tuple[float, float, str]) -> Song:
    """Return intervals and labels of these rows."""
    return [(start, end) for start, end, _ in rows], [label for *_, label in rows]


@dataclass(frozen=True)
class LabelPair:
    """Two labels, and by measure the value that the tool gives: -1 is not scored, None no value."""

    ref: str
    est: str
    values: dict[str, float | None]
    note: str = ""


def label_pairs(file: str) -> list[LabelPair]:
    """Return the pairs of one of the files."""
    with (HERE / file).open(encoding="utf-8", newline="") as lines:
        return [_label_pair(row) for row in csv.DictReader(lines)]


def _label_pair(row: dict[str, str]) -> LabelPair:
    values = {
        address: None if row[column] in ("", "E") else float(row[column])
        for column in row
        for address in _addresses(column)
    }
    return LabelPair(row["ref"], row["est"], values, row.get("note", ""))


def _addresses(column: str) -> Iterator[str]:
    if column in _NAMES:
        yield _NAMES[column]
    elif column.startswith("mir_eval_"):
        yield f"mir_eval/{column.removeprefix('mir_eval_')}"


@dataclass(frozen=True)
class TimeCase:
    """Two annotations, and what each tool printed for them."""

    number: int
    name: str
    ref: Song
    est: Song
    mir_eval: dict[str, str]
    musoo: dict[str, str]


def time_cases() -> list[TimeCase]:
    """Return the 34 cases, numbered from 1."""
    found: list[dict[str, Any]] = json.loads((HERE / "chords_tricky_segments.json").read_text("utf-8"))
    return [
        TimeCase(
            number, each["case"], song(*each["ref"]), song(*each["est"]), each["mir_eval"], each["musoo"]
        )
        for number, each in enumerate(found, 1)
    ]


@dataclass(frozen=True)
class ScoredSong:
    """Two annotations, and by measure what the tool returns for them."""

    ref: Song
    est: Song
    values: dict[str, float]


def decibel_songs() -> list[ScoredSong]:
    """Return 40 made-up songs with what the DECIBEL evaluator returns, its CSR, OvS, UnS and Seg."""
    found: list[dict[str, Any]] = json.loads((HERE / "decibel_songs.json").read_text("utf-8"))["songs"]
    return [
        ScoredSong(
            song(*each["reference"]),
            song(*each["estimate"]),
            {f"decibel/{name}": each[name] for name in ("CSR", "OvS", "UnS", "Seg")},
        )
        for each in found
    ]
