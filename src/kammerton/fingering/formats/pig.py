# SPDX-License-Identifier: MIT
"""Fingerings in the format of the PIG data set, and what PianoPlayer makes of it."""

from __future__ import annotations

import re
from functools import cache, partial
from hashlib import sha256
from operator import add
from weakref import WeakValueDictionary

import numpy as np

from kammerton.errors import Diagnostic, quote
from kammerton.fingering.annotation import (
    LEFT,
    RIGHT,
    UNKNOWN,
    Encoding,
    Fingering,
    inspect,
    number_of_label,
    read_key,
    read_pitch,
    spell,
)
from kammerton.fingering.formats.notes import (
    DEFAULT_OPTIONS,
    FingeringOptions,
    NoteField,
    Notes,
    check_known,
    check_notes,
    codes_of,
    finish,
    interpret,
    times_of,
)
from kammerton.formats.reading import Problems, within_line_limits
from kammerton.formats.tables import BLANK, SEPARATORS, DelimitedTable, NumberedLine, cut, numbered_lines
from kammerton.model.annotations import Place
from kammerton.model.task import Reading

_COLUMNS: dict[NoteField, int] = {"id": 0, "onset": 1, "offset": 2, "pitch": 3, "hand": 6, "finger": 7}
"""Columns of a PIG file; between pitch and hand are velocities."""
_WIDTH = 8
_WIDER = (10, 9)
"""Widths of the rows that PianoPlayer writes: its cost and a number stand behind the finger."""
_SEPARATORS = (*SEPARATORS, BLANK)
_EXPECTED = "a row is id, onset, offset, pitch, onset velocity, offset velocity, channel, finger"
_NAME = re.compile(r"(?P<item>(?:.*/)?[^/]+?)(?:-(?P<annotator>[0-9]+)|_est)?_fingering", re.DOTALL)
_HANDS = {"0": RIGHT, "1": LEFT}
_HEAD = "//Version: PianoFingering_v170101"
_VELOCITIES = "64\t80"
"""What the published files have for each note."""
_LEADING_COMMENTS = re.compile(r"(?:[ \t]*+(?:(?://|#)[^\n]*+)?\n)*+")

_notes_in_use: WeakValueDictionary[bytes, Fingering] = WeakValueDictionary()
"""Fingerings that something refers to, by the digest of their rows without the finger.

The annotators of a piece share its notes, which are read and checked once.
"""


def identify(stem: str, /) -> tuple[str, str | None]:
    """Take the name of a PIG file apart.

    Examples
    --------
    >>> identify("001-1_fingering"), identify("test/020_est_fingering"), identify("etude-1")
    (('001', '1'), ('test/020', None), ('etude-1', None))
    """
    match = _NAME.fullmatch(stem)
    return (stem, None) if match is None else (match["item"], match["annotator"])


def parse_pig(
    text: str, problems: Problems, options: FingeringOptions = DEFAULT_OPTIONS
) -> Reading[Fingering]:
    r"""Read the text of a PIG file, its lines ended by ``\n``."""
    if not within_line_limits(text, problems, options.limits):
        return Reading((), problems.diagnostics())
    encoding = options.encoding_of_labels
    begin = next(_LEADING_COMMENTS.finditer(text)).end()
    digest, fingers = _split_fingers(text[begin:].rstrip("\n") + "\n")
    notes_in_use = _notes_in_use.get(digest)
    fingering = None
    if notes_in_use is not None:
        fingering = _refinger(notes_in_use, fingers, encoding, text.count("\n", 0, begin) + 1)
    if fingering is None:
        notes = _notes(_table(numbered_lines(text), problems), problems, encoding)
        if not notes.labels:
            return finish((), problems)
        fingering = check_notes(notes, problems)
        if len(fingers) == len(fingering) and not problems.diagnostics():
            for column in (fingering.onsets, fingering.offsets, fingering.pitches, fingering.hands):
                column.flags.writeable = False  # several fingerings share it
            _notes_in_use[digest] = fingering
    return finish([(None, fingering)], problems)


def _split_fingers(body: str) -> tuple[bytes, list[str]]:
    """Return the digest of rows without their fingers, and the fingers; none of rows that are not plain."""
    data = np.frombuffer(body.encode("utf-8", "replace"), np.uint8)
    marks = np.flatnonzero(data <= ord("\n"))
    plain_marks = (b"\t" * (_WIDTH - 1) + b"\n") * (len(marks) // _WIDTH)
    if not body.isascii() or data[marks].tobytes() != plain_marks:
        return b"", []
    edges = np.zeros(len(data) + 1, np.int8)
    edges[marks[_WIDTH - 2 :: _WIDTH] + 1] = 1  # a finger begins behind the last tab
    edges[marks[_WIDTH - 1 :: _WIDTH] + 1] = -1  # and ends with its line
    of_fingers = np.cumsum(edges[:-1], dtype=np.int8).view(np.bool_)
    fingers = data[of_fingers].tobytes().decode().split("\n")[:-1]
    return sha256(data[~of_fingers].tobytes()).digest(), fingers


def _refinger(notes: Fingering, fingers: list[str], encoding: Encoding, first_line: int) -> Fingering | None:
    """Return notes with other fingers, or None if there is anything to report about these."""
    codes = np.fromiter(map(_label_codes(encoding).__getitem__, fingers), np.int64, len(fingers))
    if codes.min() < 0:
        return None
    fingering = notes.labelled(codes, partial(add, first_line))
    hands = fingering.label_hands
    if ((hands != UNKNOWN) & (hands != notes.hands)).any():
        return None
    vars(fingering)["played_hands"] = notes.hands  # each finger is of the hand of its note
    return fingering


class _LabelCodes(dict[str, int]):
    """The code of each label text, -1 if there is anything to report about it."""

    def __init__(self, encoding: Encoding) -> None:
        super().__init__()
        self._encoding = encoding

    def __missing__(self, text: str) -> int:
        meaning = inspect(text, self._encoding)
        self[text] = -1 if meaning.diagnostic is not None else number_of_label(meaning.canonical)
        return self[text]


@cache
def _label_codes(encoding: Encoding) -> _LabelCodes:
    return _LabelCodes(encoding)


def _notes(table: DelimitedTable, problems: Problems, encoding: Encoding) -> Notes:
    for misfit in table.fill():
        table.report_misfit(misfit, problems, "KT340", _EXPECTED)
    cells = {field: table.columns[index] for field, index in _COLUMNS.items()}
    at = {field: table.locator(index) for field, index in _COLUMNS.items()}

    def read_label(text: str) -> tuple[str, Diagnostic | None]:
        meaning = inspect(text, encoding)
        return meaning.canonical, meaning.diagnostic

    meanings, codes = interpret(cells["finger"], read_label, at["finger"], problems)
    read = read_pitch if table.width == _WIDTH else read_key  # PianoPlayer writes MIDI numbers
    return Notes(
        times_of(cells["onset"], at["onset"], problems),
        times_of(cells["offset"], at["offset"], problems),
        codes_of(cells["pitch"], read, at["pitch"], problems),
        codes_of(cells["hand"], _read_hand, at["hand"], problems),
        [meanings[code] for code in codes.tolist()],
        lambda row, field: table.locate(row, _COLUMNS[field]),
        cells["id"],
        table.numbers.__getitem__,
    )


def _table(lines: list[NumberedLine], problems: Problems) -> DelimitedTable:
    """Find the separator by which any line has as many cells as it should."""
    texts, numbers = [line for _, line in lines], [number for number, _ in lines]
    for separator in _SEPARATORS:
        first: dict[int, int] = {}
        for number, line in lines:
            first.setdefault(_width(line, separator), number)
            if _WIDTH in first:
                return DelimitedTable(problems.file, separator, _WIDTH, texts, numbers)
        for width in _WIDER:
            if width in first:
                message = f"rows of {width} columns, as PianoPlayer writes them"
                message += ": those behind the finger are not read"
                problems.report("KT340", message, Place(problems.file, first[width]), severity="note")
                return DelimitedTable(problems.file, separator, width, texts, numbers)
    if lines:  # one speaks for all: the file is of another kind, or lacks a column
        number, line = lines[0]
        width = max(_width(line, separator) for separator in _SEPARATORS)
        place = Place(problems.file, number, 1, len(line), line)
        message = f"no row has {_WIDTH} columns; this one has {width}"
        problems.report("KT340", message, place, hint=_EXPECTED, count=len(lines))
    return DelimitedTable(problems.file, "\t", _WIDTH, [], [])


def _width(line: str, separator: str) -> int:
    """Return the number of cells; a line with few separators need not be cut for that."""
    least = line.count(separator) + 1
    return least if separator != BLANK and least < _WIDTH else len(cut(line, separator) or ())


def _read_hand(text: str) -> tuple[int, Diagnostic | None]:
    if text in _HANDS:
        return _HANDS[text], None
    message = f"not a channel: {quote(text)}"
    hint = "channel 0 is the right hand, 1 the left"
    return UNKNOWN, Diagnostic(code="KT342", severity="error", message=message, hint=hint)


def render_pig(fingering: Fingering, /) -> str:
    """Write a fingering as a PIG file.

    Times are written in the fewest digits that mean the same double, black keys as C#, Eb, F#, Ab and
    Bb, a missing finger as 0.
    """
    check_known(fingering.pitches, "pitch", "PIG")
    check_known(fingering.hands, "hand", "PIG")
    onsets, offsets = fingering.onsets.tolist(), fingering.offsets.tolist()
    pitches, hands = map(spell, fingering.pitches.tolist()), fingering.hands.tolist()
    rows = enumerate(zip(onsets, offsets, pitches, hands, fingering.labels, strict=True))
    lines = (
        f"{number}\t{onset!r}\t{offset!r}\t{pitch}\t{_VELOCITIES}\t{hand}\t{label or '0'}\n"
        for number, (onset, offset, pitch, hand, label) in rows
    )
    return f"{_HEAD}\n{''.join(lines)}"
