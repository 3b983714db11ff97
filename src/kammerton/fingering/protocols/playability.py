# SPDX-License-Identifier: MIT
"""Protocol ``playability``: how much of a fingering no hand can play, in melody and in chords.

Its scores need no reference; those of the references themselves stand beside them.
"""

from __future__ import annotations

from collections.abc import Sequence

from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.fingering.judging import Playability, ViolationRate, limits_of
from kammerton.model.measure import BY_HAND, Card, Law, Measure, Protocol, Statistics

REFERENCES = "_references"
"""Ending of the name of a measure that judges the references."""

_CARDS = {
    "ifr_melodic": (
        "Legato steps from one note to one note of a hand that break a constraint",
        "steps that break a rule / steps judged",
        "no hand plays two fingered notes legato; pitches, times or hands are not known",
        "steps",
        ("fingers", "pitches", "onsets", "durations", "hands"),
    ),
    "ifr_chord": (
        "Chords of a hand that cannot be held: fingers crossed, too far, or one on two keys",
        "chords that break a rule / chords judged",
        "no chord has two fingered notes; pitches, onsets or hands are not known",
        "chords",
        ("fingers", "pitches", "onsets", "hands"),
    ),
}
_LAWS: frozenset[Law] = frozenset(("time_shift", "note_order", "mirror"))


def _measure(name: str, *, of_references: bool) -> Measure:
    summary, equation, undefined_when, unit, inputs = _CARDS[name]
    return Measure(
        protocol="playability",
        name=name + REFERENCES if of_references else name,
        formula=ViolationRate(),
        aggregate="pooled",
        beside=("mean", "median"),
        weight_unit=unit,
        headline=True,
        needs="annotators" if of_references else "estimate",
        inputs=inputs,
        direction="lower",
        worst=1.0,
        laws=_LAWS if of_references else _LAWS | {"duplicate_annotator"},
        card=Card(
            summary=f"{summary}{', in the references' if of_references else ''}.",
            equation=equation,
            undefined_when=undefined_when,
            source="span tables of the literature (option profile); after Guan, Zhao & Li 2022 in name",
            agrees_with=BY_HAND,
        ),
    )


_CITATION = """@article{parncutt1997fingering,
  author = {Parncutt, Richard and Sloboda, John A. and Clarke, Eric F. and
    Raekallio, Matti and Desain, Peter},
  title = {An ergonomic model of keyboard fingering for melodic fragments},
  journal = {Music Perception},
  volume = {14},
  number = {4},
  year = {1997},
}"""

PROTOCOL = Protocol(
    name="playability",
    revision=2,
    summary="What no hand can play, by the span table of your choice; needs no reference.",
    rules=(
        "Within a hand, notes that begin within 30 ms are a chord. A step leads from one note to one "
        "note with at most 50 ms of silence between. Judged in this order: one finger on keys more "
        "than 2 semitones apart, fingers against the order of the keys, a span outside the profile."
    ),
    measures=tuple(
        _measure(name, of_references=of_references) for name in _CARDS for of_references in (False, True)
    ),
    citation=_CITATION,
)


def evaluate(
    judge: Playability, measures: Sequence[Measure], options: FingeringOptions
) -> dict[Measure, Statistics]:
    """Return the statistics of ``measures``, one row per fingering."""
    limits = limits_of(options.span_table())
    return {
        measure: (judge.melodic if "melodic" in measure.name else judge.chords)(limits).statistics
        for measure in measures
    }
