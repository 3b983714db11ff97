# SPDX-License-Identifier: MIT
"""Put fingers into a score in MusicXML, and leave everything else in it as it is."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kammerton.fingering.annotation import Fingering
from kammerton.fingering.formats.musicxml import notes_of_score, parse_score
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.formats.source import read_bytes

SUFFIXES = (".musicxml", ".xml", ".mxl")
_FINGERING = re.compile(r"[ \t]*<fingering\b(?:[^>]*/>|.*?</fingering\s*>)(?:\r?\n)?", re.DOTALL)
_EMPTY = re.compile(r"[ \t]*<(technical|notations)\b[^>]*>\s*</\1\s*>(?:\r?\n)?")
_AFTER_NOTATIONS = re.compile(r"[ \t]*<(?:lyric|play|listen)\b|[ \t]*</note\s*>")
_ENCODING = re.compile(r"""(<\?xml[^>]*encoding=)(["'])[^"']*\2""")


def score_with(path: Path, fingering: Any, options: Any) -> str | None:
    """Return the text of the score of a file with other fingers; None if that does not give these fingers."""
    if path.suffix.lower() not in SUFFIXES or not isinstance(options, FingeringOptions):
        return None
    data, name = read_bytes(path, name=str(path)), str(path)
    document, notes = notes_of_score(data, name=name, options=options)
    if len(notes) != len(fingering):
        return None
    lines = np.cumsum([0, *(len(line) + 1 for line in document.text.split("\n"))]).tolist()
    begins = [note.start() for note in re.finditer(r"<note[\s>]", document.text)]
    labels: dict[int, str] = {}
    for note, label in zip(notes, fingering.labels, strict=True):
        for element in (note.element, *(element for element, _ in note.continued)):
            line, column = element.position
            begin = begins[bisect_right(begins, lines[line - 1] + column - 1) - 1]
            labels[begin] = label if element is note.element else ""
    text = _with_labels(document.text, sorted(labels.items()))
    text = _ENCODING.sub(r"\1\2UTF-8\2", text, count=1)
    again = parse_score(text.encode(), name=path.with_suffix(".xml").name, options=options).annotations
    return text if again and _same(again[0][1], fingering) else None


def _same(one: Fingering, other: Fingering) -> bool:
    return one.labels == other.labels and np.array_equal(one.pitches, other.pitches)


def _with_labels(text: str, labels: Sequence[tuple[int, str]]) -> str:
    """Return a document with these labels at the notes that begin at these places."""
    parts, done = [], 0
    for begin, label in labels:
        end = re.compile(r"</note\s*>").search(text, begin)
        assert end is not None, "a document that was read is well-formed"
        parts += [text[done:begin], _note(text[begin : end.end()], label)]
        done = end.end()
    return "".join((*parts, text[done:]))


def _note(note: str, label: str) -> str:
    """Return a note with this label, and without those that it had."""
    note = _FINGERING.sub("", note)
    if not label:
        return _EMPTY.sub("", _EMPTY.sub("", note))
    element = f"<fingering>{label.removeprefix('-')}</fingering>"
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
