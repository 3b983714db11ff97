# SPDX-License-Identifier: MIT
"""Numbers and pitches as MusicXML writes them; what is none is reported and read as the nearest that is."""

from __future__ import annotations

import re
from fractions import Fraction

from kammerton.errors import quote
from kammerton.fingering.formats.musicxml_tree import Element, ScoreProblems
from kammerton.fingering.pitch import midi_of

__all__ = ["read_integer", "read_pitch", "read_staff", "read_time"]

_TIME = re.compile(r"[0-9]{1,10}(?:\.[0-9]{0,6})?")
_INTEGER = re.compile(r"[+-]?[0-9]{1,3}")
_ALTER = re.compile(r"[+-]?[0-9](?:\.[0-9]{0,6})?")

MAX_ALTER = 4


def read_time(element: Element, problems: ScoreProblems, where: object) -> Fraction | None:
    """Read a duration, or divisions, which are above zero; None, and KT353, if it is none."""
    text = element.text.strip()
    if _TIME.fullmatch(text):
        value = Fraction(text)
        if value or element.name != "divisions":
            return value
    kind = "a number above zero" if element.name == "divisions" else "a number from zero on"
    problems.say("KT353", "error", f"{element.name} is not {kind}: {quote(text)}", element, where)
    return None


def read_integer(element: Element | None, problems: ScoreProblems, where: object) -> int:
    """Read a whole number; 0 if there is no element, and KT353 if it is no number."""
    if element is None:
        return 0
    text = element.text.strip()
    if _INTEGER.fullmatch(text):
        return int(text)
    problems.say("KT353", "error", f"{element.name} is not a whole number: {quote(text)}", element, where)
    return 0


def read_staff(element: Element | None, problems: ScoreProblems, where: object) -> int:
    """Read the number of a staff, from 1; KT353 if it is none."""
    if element is None:
        return 1
    text = element.text.strip()
    if re.fullmatch(r"[1-9][0-9]?", text):
        return int(text)
    problems.say(
        "KT353", "error", f"{element.name} is not a number from 1 to 99: {quote(text)}", element, where
    )
    return 1


def read_pitch(pitch: Element, problems: ScoreProblems, where: object) -> int | None:
    """Read a written pitch as a MIDI number; None, and KT354, if it is none."""
    step = _text(pitch, "step")
    octave = _text(pitch, "octave")
    alter = _read_alter(pitch, problems, where)
    if not re.fullmatch("[A-G]", step):
        hint = "German `H` is `B`, `B` is `B` with an alter of -1" if step == "H" else None
        _say_no_pitch(pitch, "step", "a letter from A to G", problems, where, hint)
    elif not re.fullmatch("[0-9]", octave):
        _say_no_pitch(pitch, "octave", "a number from 0 to 9", problems, where, None)
    elif alter is not None:
        midi = midi_of(step, alter, int(octave))
        if 0 <= midi <= 127:
            return midi
        message = f"pitch beyond the range of MIDI: {step}{octave} altered by {alter}"
        problems.say("KT354", "error", message, pitch, where)
    return None


def _text(element: Element, name: str) -> str:
    found = element.find(name)
    return "" if found is None else found.text.strip()


def _say_no_pitch(
    pitch: Element, name: str, kind: str, problems: ScoreProblems, where: object, hint: str | None
) -> None:
    element = pitch.find(name)
    if element is None:
        problems.say("KT354", "error", f"pitch without {name}", pitch, where)
    else:
        message = f"{name} is not {kind}: {quote(element.text.strip())}"
        problems.say("KT354", "error", message, element, where, hint)


def _read_alter(pitch: Element, problems: ScoreProblems, where: object) -> int | None:
    """Return the alteration in semitones; what lies between two keys goes to the one nearer the letter."""
    element = pitch.find("alter")
    if element is None:
        return 0
    text = element.text.strip()
    if not _ALTER.fullmatch(text) or abs(Fraction(text)) > MAX_ALTER:
        message = f"alter is not a number from -{MAX_ALTER} to {MAX_ALTER}: {quote(text)}"
        problems.say("KT354", "error", message, element, where)
        return None
    semitones = int(Fraction(text))
    if semitones != Fraction(text):
        message = f"no key lies between two keys: alter {quote(text)} read as {semitones}"
        problems.say("KT355", "warning", message, element, where)
    return semitones
