# SPDX-License-Identifier: MIT
"""A task of a third party, complete in one file: the key of each song.

A file `song.key` holds one line, such as `C major` or `F# minor`. Keys are compared as MIREX does: the same
key scores 1, a perfect fifth above 0.5, the relative key 0.3, the parallel key 0.2, any other 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kammerton.tasks import (
    BY_HAND,
    Card,
    Case,
    Diagnostic,
    Evaluation,
    Measure,
    Protocol,
    Reading,
    Statistics,
    Task,
    Values,
    quote,
)

PITCH_CLASSES = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
MODES = ("major", "minor")


@dataclass(frozen=True)
class Key:
    """The key of a song: pitch class of the tonic, and the mode; None for a system that names no key."""

    tonic: int | None
    mode: str = "major"


@dataclass(frozen=True)
class KeyOptions:
    """How keys are read.

    Parameters
    ----------
    german : bool
        Whether `H` stands for B, and `B` for B flat.
    """

    german: bool = False


@dataclass(frozen=True)
class MeanScore:
    """The score of each song, and 1 for each song; their quotient is the mean."""

    statistics = ("score", "songs")

    def finalise(self, statistics: Statistics, /) -> Values:
        score, songs = statistics.T
        means: Values = np.divide(score, songs, where=songs > 0, out=np.full(len(score), np.nan))
        return means

    def weight(self, statistics: Statistics, /) -> Values:
        return statistics[:, 1]

    def worst(self, statistics: Statistics, /) -> Statistics:
        return statistics * (0, 1)


def read(path: Path, name: str, options: KeyOptions) -> Reading[Key]:
    """Read a file; whatever is wrong with it is a diagnostic with its place."""
    try:
        line = Path(path).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        message = f"cannot be read: {type(error).__name__}"
        return Reading((), (Diagnostic(code="KEY101", severity="error", message=message, file=name),))
    return parse(line, name, options)


def parse(line: str, name: str | None, options: KeyOptions) -> Reading[Key]:
    tonic, _, mode = line.partition(" ")
    letter, accidentals = tonic[:1], tonic[1:]
    if options.german:
        letter, accidentals = {"H": ("B", accidentals), "B": ("B", f"b{accidentals}")}.get(
            letter, (letter, accidentals)
        )
    if letter not in PITCH_CLASSES or accidentals.strip("#b") or mode not in MODES:
        problem = Diagnostic(
            code="KEY102",
            severity="error",
            message=f"not a key: {quote(line)}",
            file=name,
            line=1,
            column=1,
            hint="a tonic and a mode, such as `F# minor`",
        )
        return Reading((), (problem,))
    pitch_class = PITCH_CLASSES[letter] + accidentals.count("#") - accidentals.count("b")
    return Reading(((None, Key(pitch_class % 12, mode)),))


def adopt(value: object, name: str, _: KeyOptions) -> Reading[Key]:
    """Take an object of the caller's: a Key."""
    if isinstance(value, Key):
        return Reading(((None, value),))
    message = f"a Key is needed, got {type(value).__name__}"
    return Reading((), (Diagnostic(code="KEY103", severity="error", message=message),))


def weighted(reference: Key, estimate: Key) -> float:
    """Return the MIREX score of an estimated key."""
    if reference.tonic is None or estimate.tonic is None:
        return 0.0
    interval = (estimate.tonic - reference.tonic) % 12
    if reference.mode == estimate.mode:
        return {0: 1.0, 7: 0.5}.get(interval, 0.0)
    relative = 9 if reference.mode == "major" else 3
    return {0: 0.2, relative: 0.3}.get(interval, 0.0)


def evaluate(cases: Sequence[Case[Key]], measures: Sequence[Measure], _: KeyOptions) -> Evaluation:
    """Return the statistics of each pair of a reference and an estimate."""
    pairs = [case.pair for case in cases]
    scores = {
        "Weighted": np.array([weighted(reference, estimate) for reference, estimate in pairs]),
        "Accuracy": np.array([float(reference == estimate) for reference, estimate in pairs]),
    }
    ones = np.ones(len(cases))
    return Evaluation({measure: np.stack((scores[measure.name], ones), axis=1) for measure in measures})


def blank(_: Key) -> Key:
    """Return the estimate that says nothing."""
    return Key(None)


def content(key: Key) -> bytes:
    """Return what tells keys apart."""
    return repr(key).encode()


def extent(_: Key) -> float:
    """Return how much a reference is: one song."""
    return 1.0


def lint(key: Key, _: KeyOptions) -> tuple[Diagnostic, ...]:
    if key.mode == "minor" and key.tonic == 3:
        return (Diagnostic(code="KEY104", severity="note", message="a song in D# minor is rare"),)
    return ()


def baselines(references: Mapping[str, Sequence[Key]]) -> Mapping[str, Mapping[str, Key]]:
    return {"always C major": dict.fromkeys(references, Key(0))}


CARDS = {
    "Weighted": Card(
        summary="Mean score of keys, in which near misses count in part.",
        equation="1 same key, 0.5 fifth above, 0.3 relative, 0.2 parallel, 0 otherwise; mean over songs",
        undefined_when="there is no song",
        source="MIREX audio key detection, 2005",
        agrees_with=BY_HAND,
    ),
    "Accuracy": Card(
        summary="Share of songs whose key is right.",
        equation="songs with the same tonic and mode / songs",
        undefined_when="there is no song",
        source="MIREX audio key detection, 2005",
        agrees_with=BY_HAND,
    ),
}

PROTOCOL = Protocol(
    name="mirex_key",
    revision=1,
    summary="Keys of songs, as MIREX scores them.",
    rules="A song has one key. Enharmonic keys are equal.",
    measures=tuple(
        Measure(
            protocol="mirex_key",
            name=name,
            formula=MeanScore(),
            aggregate="mean",
            weight_unit="songs",
            headline=True,
            card=card,
            laws=frozenset({"identity"}),
        )
        for name, card in CARDS.items()
    ),
)

TASK = Task(
    name="keys",
    summary="Keys of songs",
    protocols=(PROTOCOL,),
    suffixes=frozenset({".key"}),
    coincides=True,  # right keys are equal to the reference
    options=KeyOptions,
    read=read,
    adopt=adopt,
    blank=blank,
    content=content,
    extent=extent,
    evaluate=evaluate,
    lint=lint,
    baselines=baselines,
    judge="mirex_key/Weighted",
    extent_unit="songs",
)
