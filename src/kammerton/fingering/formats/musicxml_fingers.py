# SPDX-License-Identifier: MIT
"""Put fingers into a score in MusicXML, and leave everything else in it as it is."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from kammerton.fingering.annotation import LEFT, MISSING, RIGHT, Fingering, parse_label
from kammerton.fingering.formats.musicxml import Labelled, notes_of_score, parse_score
from kammerton.fingering.formats.musicxml_parts import ScoreNote
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.formats.source import read_bytes

SCORES = (".musicxml", ".xml", ".mxl")
"""Suffixes of scores that fingers can be put into."""
_FINGERING = re.compile(r"[ \t]*<fingering\b(?:[^>]*/>|.*?</fingering\s*>)(?:\r?\n)?", re.DOTALL)
_EMPTY = re.compile(r"[ \t]*<(technical|notations)\b[^>]*>\s*</\1\s*>(?:\r?\n)?")
_AFTER_NOTATIONS = re.compile(r"[ \t]*<(?:lyric|play|listen)\b|[ \t]*</note\s*>")
_ENCODING = re.compile(r"""(<\?xml[^>]*encoding=)(["'])[^"']*\2""")


def score_with(path: Path, fingering: Fingering, options: FingeringOptions) -> str | None:
    """Return the text of the score of a file with other fingers; None if that does not give these fingers.

    Notes whose fingers are the same, and those of their chords, stay as they are written.
    """
    data, name = read_bytes(path, name=str(path)), str(path)
    document, notes = notes_of_score(data, name=name, options=options)
    if len(notes) != len(fingering):
        return None
    lines = np.cumsum([0, *(len(line) + 1 for line in document.text.split("\n"))]).tolist()
    begins = [note.start() for note in re.finditer(r"<note[\s>]", document.text)]
    fingers: dict[int, str] = {}
    for note, hand, label in _changed(notes, fingering.labels):
        for element in (note.element, *(element for element, _ in note.continued)):
            line, column = element.position
            begin = begins[bisect_right(begins, lines[line - 1] + column - 1) - 1]
            fingers[begin] = _elements(label, hand) if element is note.element else ""
    text = _with_fingers(document.text, sorted(fingers.items()))
    text = _ENCODING.sub(r"\1\2UTF-8\2", text, count=1)
    name, options = path.with_suffix(".xml").name, replace(options, label_encoding="auto", encoding="utf-8")
    again = parse_score(text.encode(), name=name, options=options).annotations
    return text if again and _same(again[0][1], fingering) else None


def _same(one: Fingering, other: Fingering) -> bool:
    return one.labels == other.labels and np.array_equal(one.pitches, other.pitches)


def _changed(notes: Sequence[Labelled], labels: Sequence[str]) -> list[tuple[ScoreNote, int, str]]:
    """Return the notes of chords with another label than they have, or with alternatives; hand and label."""
    rows = list(zip(notes, labels, strict=True))
    chords = {
        (note.chord, hand) for (note, hand, written), label in rows if (written or [MISSING]) != [label]
    }
    return [(note, hand, label) for (note, hand, _), label in rows if (note.chord, hand) in chords]


def _elements(written: str, hand: int) -> str:
    """Return the fingerings of a note of a hand; a finger of the other hand names its hand."""
    label = parse_label(written)
    if label is None:
        return ""
    if {finger > 0 for finger in label.fingers} != {hand == RIGHT}:
        return f"<fingering>{'R' * (hand == LEFT and label.hand == RIGHT)}{written}</fingering>"
    first, *others = (abs(finger) for finger in label.fingers)
    changes = (f'<fingering substitution="yes">{finger}</fingering>' for finger in others)
    return "".join((f"<fingering>{first}</fingering>", *changes))


def _with_fingers(text: str, fingers: Sequence[tuple[int, str]]) -> str:
    """Return a document with these fingerings at the notes that begin at these places."""
    parts, done = [], 0
    for begin, elements in fingers:
        end = re.compile(r"</note\s*>").search(text, begin)
        assert end is not None, "a document that was read is well-formed"
        parts += [text[done:begin], _note(text[begin : end.end()], elements)]
        done = end.end()
    return "".join((*parts, text[done:]))


def _note(note: str, element: str) -> str:
    """Return a note with these fingerings, and without those that it had."""
    note = _FINGERING.sub("", note)
    if not element:
        return _EMPTY.sub("", _EMPTY.sub("", note))
    for name in ("technical", "notations"):
        begin = re.search(rf"<{name}\b[^>/]*>", note)
        if begin is not None:
            return note[: begin.end()] + element + note[begin.end() :]
        element = f"<{name}>{element}</{name}>"
    place = _AFTER_NOTATIONS.search(note)
    assert place is not None, "a note ends"
    indent = re.match(r"[ \t]*", place[0])
    assert indent is not None, "nothing is a match"
    between = f"{indent[0]}  {element}\n" if note[: place.start()].endswith("\n") else element
    return note[: place.start()] + between + note[place.start() :]
