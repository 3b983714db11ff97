# SPDX-License-Identifier: MIT
"""Read fingerings from scores in MusicXML.

Notes come in the order of their onsets, at one onset in the order of the score; a grace note has its
main note's onset and no length. Times are quarter notes from the beginning: tempo marks are not
followed, and repeats are not played. Measures are laid end to end, each as long as it is in most
parts, in doubt as in the longest. Keys are those that sound.

Staff 1 is the right hand, staff 2 the left; a voice that goes on in the other staff stays with the hand
of its home staff. What stands under ``alternate="yes"`` makes a further
annotator, who agrees with the first one wherever he has no alternative.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, groupby
from operator import itemgetter

import numpy as np

from kammerton.errors import DataError, Diagnostic, plural, some
from kammerton.fingering.annotation import LEFT, RIGHT, Fingering
from kammerton.fingering.formats.musicxml_fingers import FingerReader, NoteLabels
from kammerton.fingering.formats.musicxml_parts import Part, PartReader, ScoreNote, Spot
from kammerton.fingering.formats.musicxml_staves import home_staves
from kammerton.fingering.formats.musicxml_tree import Element, ScoreProblems, ScoreTree
from kammerton.fingering.formats.notes import Notes, check_notes, say_no_notes
from kammerton.fingering.formats.options import DEFAULT_OPTIONS, ReadingOptions
from kammerton.fingering.formats.score_time import ZERO, add_times
from kammerton.fingering.formats.xml_document import XmlText, decode_xml, parse_xml
from kammerton.fingering.labels import Encoding, parse_label
from kammerton.formats.reading import Problems
from kammerton.model.task import Reading

__all__ = ["parse_musicxml", "score_from_bytes"]

_HAND_HINT = "--hand right or --hand left"

Labelled = tuple[ScoreNote, int, NoteLabels]
"""A note, the hand that plays it, and its labels."""


def score_from_bytes(
    data: bytes, *, name: str, options: ReadingOptions = DEFAULT_OPTIONS
) -> Reading[Fingering]:
    """Read a MusicXML document that is not compressed; parameters as in :func:`parse_musicxml`."""
    try:
        source = decode_xml(data, name=name, encoding=options.encoding, limits=options.limits)
    except DataError as error:
        return Reading((), error.diagnostics)
    return parse_musicxml(source, options=options)


def parse_musicxml(source: XmlText, *, options: ReadingOptions = DEFAULT_OPTIONS) -> Reading[Fingering]:
    """Read a MusicXML document.

    Parameters
    ----------
    source : XmlText
        The document.
    options : ReadingOptions
        ``hand`` says whose the notes are where staves do not tell.

    Returns
    -------
    Reading of Fingering
        One annotation without name; or, where there are alternatives, annotations ``1``, ``2``, ...
        None if a diagnostic is an error.
    """
    problems = Problems(source.file)
    placed = ScoreProblems(problems, source)
    reader = PartReader(placed, options.limits)
    try:
        parse_xml(source, ScoreTree(source, reader, options.limits), options.limits)
    except DataError as error:
        return Reading((), (*problems.diagnostics(), *error.diagnostics))
    _say_written_fingers(reader.written_fingers, placed)
    notes = list(_labelled(reader.parts, placed, options))
    if not notes:
        say_no_notes(problems)
    if problems.has_errors:
        return Reading((), problems.diagnostics())
    annotations = _annotations(notes, _measure_starts(reader.parts), source, problems)
    return Reading(annotations, problems.diagnostics())


def _measure_starts(parts: Sequence[Part]) -> list[Fraction]:
    """Return where each measure begins; one part with a beat too many does not shift the others."""
    lengths: dict[int, list[Fraction]] = {}
    for part in parts:
        for measure, length in part.lengths.items():
            lengths.setdefault(measure, []).append(length)
    # of a measure that stands empty in a score by measures, no part tells the length
    usual = [_usual(lengths.get(measure, [ZERO])) for measure in range(max(lengths, default=-1) + 1)]
    return list(accumulate(usual, add_times, initial=ZERO))


def _usual(lengths: Sequence[Fraction]) -> Fraction:
    """Return the most frequent length, of equally frequent ones the longest."""
    counts = Counter(lengths)
    return max(counts, key=lambda length: (counts[length], length))


def _labelled(parts: Sequence[Part], problems: ScoreProblems, options: ReadingOptions) -> Iterator[Labelled]:
    encoding: Encoding = "pig" if options.label_encoding == "auto" else options.label_encoding
    readers = {hand: FingerReader(hand, encoding, problems) for hand in (RIGHT, LEFT)}
    for part, hands in _hands(parts, problems, options):
        staves = home_staves(part, problems) if len(hands) > 1 else [1] * len(part.notes)
        playing = [hands[min(staff, len(hands)) - 1] for staff in staves]
        chords = [(note.chord, hand) for note, hand in zip(part.notes, playing, strict=True)]
        for (_, hand), group in groupby(zip(chords, part.notes, strict=True), key=itemgetter(0)):
            notes = [note for _, note in group]
            for note, labels in zip(notes, readers[hand].label_chord(notes), strict=True):
                yield note, hand, labels


def _hands(
    parts: Sequence[Part], problems: ScoreProblems, options: ReadingOptions
) -> list[tuple[Part, tuple[int, ...]]]:
    """Return the parts that a piano plays, each with the hands of its staves."""
    playing = [part for part in parts if part.notes]
    grand = [part for part in playing if part.staves > 1]
    for part in grand:
        if part.staves > 2:
            message = f"part of {part.staves} staves: those below the second taken as the left hand"
            _say_of(part, "KT356", message, problems)
    if grand:
        for part in playing:
            if part.staves == 1:
                message = "part of one staff left out: another part has the staves of a piano"
                _say_of(part, "KT358", message, problems)
        return [(part, (RIGHT, LEFT)) for part in grand]
    if options.hand != "auto":
        return [(part, (RIGHT if options.hand == "right" else LEFT,)) for part in playing]
    if len(playing) == 1:
        _say_of(playing[0], "KT356", "single staff taken as the right hand", problems, _HAND_HINT)
    elif len(playing) == 2:
        message = "two parts of one staff: the upper one taken as the right hand, the lower as the left"
        _say_of(playing[0], "KT356", message, problems, _HAND_HINT)
    elif playing:
        first = playing[0].notes[0]
        message = f"{len(playing)} parts of one staff each: which hand plays which cannot be told"
        problems.say("KT352", "error", message, first.element, first.where, _HAND_HINT)
    return list(zip(playing, ((RIGHT,), (LEFT,)), strict=False))


def _say_of(part: Part, code: str, message: str, problems: ScoreProblems, hint: str | None = None) -> None:
    first = part.notes[0]
    problems.say(code, "warning", message, first.element, first.where, hint)


def _say_written_fingers(written: Sequence[tuple[Element, Spot]], problems: ScoreProblems) -> None:
    """Report text that looks like fingers, once, at the first one."""
    if not written:
        return
    first, where = written[0]
    element = "words" if first.name == "words" else "lyric"
    examples = some(list(dict.fromkeys(text.text.strip() for text, _ in written)))
    message = f"{plural(len(written), 'text')} in `<{element}>` may be fingers, and are not read: {examples}"
    hint = (
        "make each a fingering of its note, `<fingering>` in `<technical>`; MuseScore has a palette of them"
    )
    problem = Diagnostic(code="KT368", severity="note", message=message, hint=hint, count=len(written))
    problems.add(problem, first, where)


def _annotations(
    labelled: Sequence[Labelled], starts: Sequence[Fraction], source: XmlText, problems: Problems
) -> tuple[tuple[str | None, Fingering], ...]:
    """Return the annotation of each annotator: notes by onset, at one onset in the order of the score."""
    begins = [starts[note.bar.index] + note.offset for note, _, _ in labelled]
    ends = [begin + note.length for begin, (note, _, _) in zip(begins, labelled, strict=True)]
    onsets = np.array([float(begin) for begin in begins])
    order = np.argsort(onsets, kind="stable").tolist()
    ordered = [labelled[index] for index in order]
    annotators = 1 + max(len(labels.alternates) for _, _, labels in ordered)
    notes = [
        Notes(
            onsets[order],
            np.array([float(end) for end in ends])[order],
            np.array([note.midi for note, _, _ in ordered], dtype=np.int64),
            np.array([_hand(labels.of(annotator), hand) for _, hand, labels in ordered], dtype=np.int64),
            [labels.of(annotator) for _, _, labels in ordered],
            lambda row, _: source.tag("note", ordered[row][0].element.position),
            unit="quarters",
            place_of=lambda row: ordered[row][0].where.in_part,
        )
        for annotator in range(annotators)
    ]
    check_notes(notes[0], problems)
    names = [None] if annotators == 1 else [str(number + 1) for number in range(annotators)]
    return tuple((name, each.fingering()) for name, each in zip(names, notes, strict=True))


def _hand(label: str, staff: int) -> int:
    """Return the hand that plays a note: that of its finger, which may be written to be the other one."""
    finger = parse_label(label)
    return staff if finger is None else finger.hand_code
