# SPDX-License-Identifier: MIT
"""PIG: one note per line in eight columns, as Nakamura, Saito and Yoshii published their data set.

A clean file is cut at once; any other is cut line by line, to say what is wrong with it.
"""

from __future__ import annotations

import os
import re
from functools import partial

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic, quote
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.formats.columns import Column, codes_of, texts_of, times_of
from kammerton.fingering.formats.grid import Grid
from kammerton.fingering.formats.notes import NoteField, Notes, check_notes, say_no_notes
from kammerton.fingering.formats.options import DEFAULT_OPTIONS, ReadingOptions
from kammerton.fingering.formats.plain_pig import FINGER, HAND, ID, OFFSET, ONSET, PITCH, plain_fingering
from kammerton.fingering.labels import Encoding, inspect
from kammerton.fingering.pitch import diagnose_pitch, parse_midi, parse_pitch, spell
from kammerton.formats.budgets import keeps_lines
from kammerton.formats.reading import Problems
from kammerton.formats.source import read_text
from kammerton.formats.tables import BLANK, SEPARATORS, NumberedLine, Table, cut, numbered_lines
from kammerton.model.annotations import Place
from kammerton.model.task import Reading

__all__ = ["identify", "parse_pig", "read_pig", "render_pig"]

_COLUMNS: dict[NoteField, int] = {
    "id": ID,
    "onset": ONSET,
    "offset": OFFSET,
    "pitch": PITCH,
    "hand": HAND,
    "finger": FINGER,
}
_WIDTH = 8
_WIDER = (10, 9)
"""Widths of the rows that PianoPlayer writes: what stands behind the finger is its cost, and a number."""

_SEPARATORS = (*SEPARATORS, BLANK)
_EXPECTED = "id, onset, offset, pitch, onset velocity, offset velocity, channel, finger"

_NAME = re.compile(r"(?P<item>(?:.*/)?[^/]+?)(?:-(?P<annotator>[0-9]+)|_est)?_fingering", re.DOTALL)
_HANDS = {"0": RIGHT, "1": LEFT}
_HEAD = "//Version: PianoFingering_v170101"
_VELOCITIES = "64\t80"
"""What the published files have for each note."""


def identify(stem: str, /) -> tuple[str, str | None]:
    """Take the name of a PIG file apart.

    Parameters
    ----------
    stem : str
        Name or relative path, with ``/``, without suffix.

    Returns
    -------
    item : str
        With the folders it is in.
    annotator : str or None
        Number of the annotator; None for estimates and for names of another form.

    Examples
    --------
    >>> identify("001-1_fingering"), identify("test/020_est_fingering"), identify("etude-1")
    (('001', '1'), ('test/020', None), ('etude-1', None))
    """
    found = _NAME.fullmatch(stem)
    return (stem, None) if found is None else (found["item"], found["annotator"])


def read_pig(
    path: str | os.PathLike[str], *, name: str | None = None, options: ReadingOptions = DEFAULT_OPTIONS
) -> Reading[Fingering]:
    """Read a PIG file.

    Parameters
    ----------
    path : path
        A regular file.
    name : str, optional
        What diagnostics call it; by default its path.
    options : ReadingOptions
        How it is read.

    Returns
    -------
    Reading
        One annotation without a name, or none and the diagnostics that say why.
    """
    shown = os.fsdecode(path) if name is None else name
    try:
        text = read_text(path, name=shown, encoding=options.encoding, limits=options.limits)
    except DataError as error:
        return Reading((), error.diagnostics)
    return parse_pig(text, Problems(shown), options)


def parse_pig(text: str, problems: Problems, options: ReadingOptions = DEFAULT_OPTIONS) -> Reading[Fingering]:
    r"""Read the text of a PIG file, its lines ended by ``\n``, as :func:`read_pig` does."""
    grid = Grid.of(text, _WIDTH, options.limits, problems.file, comments=False)
    fingering = None if grid is None else plain_fingering(grid, _encoding(options))
    return _read(text, problems, options) if fingering is None else Reading(((None, fingering),))


def _read(text: str, problems: Problems, options: ReadingOptions) -> Reading[Fingering]:
    grid = Grid.of(text, _WIDTH, options.limits, problems.file)
    if grid is None and not keeps_lines(text, problems, options.limits):
        return Reading((), problems.diagnostics())
    notes = _cut(text, problems, options) if grid is None else _clean(grid, problems, options)
    if not notes.labels:
        say_no_notes(problems)
        return Reading((), problems.diagnostics())
    fingering = check_notes(notes, problems)
    return Reading(() if problems.has_errors else ((None, fingering),), problems.diagnostics())


def _clean(grid: Grid, problems: Problems, options: ReadingOptions) -> Notes:
    at = {field: grid.locator(index) for field, index in _COLUMNS.items()}
    onsets, offsets = (_times(grid, column, problems) for column in (ONSET, OFFSET))
    (ids,) = grid.plain_times([ID])
    return Notes(
        onsets,
        offsets,
        codes_of(grid.column(PITCH), _pitch, at["pitch"], problems),
        codes_of(grid.column(HAND), _hand, at["hand"], problems),
        texts_of(grid.column(FINGER), partial(_label, options), at["finger"], problems),
        lambda row, field: grid.place(row, _COLUMNS[field]),
        # ids that count upwards are distinct
        None if (ids[1:] > ids[:-1]).all() else grid.cells(ID),
        grid.line_of(),
    )


def _times(grid: Grid, column: int, problems: Problems) -> NDArray[np.float64]:
    times: NDArray[np.float64] = grid.plain_times([column])[0]
    rest = np.flatnonzero(np.isnan(times))
    if len(rest):
        locate = grid.locator(column)
        times[rest] = times_of(grid.cells(column, rest), lambda index: locate(int(rest[index])), problems)
    return times


def _cut(text: str, problems: Problems, options: ReadingOptions) -> Notes:
    table = _table(numbered_lines(text), problems)
    for misfit in table.fill():
        table.say_misfit(misfit, problems, "KT340", f"a row is {_EXPECTED}")
    cells = {field: table.columns[index] for field, index in _COLUMNS.items()}
    at = {field: table.locator(index) for field, index in _COLUMNS.items()}
    return Notes(
        times_of(cells["onset"], at["onset"], problems),
        times_of(cells["offset"], at["offset"], problems),
        codes_of(Column.of(cells["pitch"]), _pitch if table.width == _WIDTH else _key, at["pitch"], problems),
        codes_of(Column.of(cells["hand"]), _hand, at["hand"], problems),
        texts_of(Column.of(cells["finger"]), partial(_label, options), at["finger"], problems),
        lambda row, field: table.locate(row, _COLUMNS[field]),
        cells["id"],
    )


def _table(lines: list[NumberedLine], problems: Problems) -> Table:
    """Find what separates the cells: that by which any line has as many as it should."""
    texts, numbers = [line for _, line in lines], [number for number, _ in lines]
    for separator in _SEPARATORS:
        first: dict[int, int] = {}
        for number, line in lines:
            first.setdefault(_width(line, separator), number)
            if _WIDTH in first:
                return Table(problems.file, separator, _WIDTH, texts, numbers)
        for width in _WIDER:
            if width in first:
                _say_wider(width, first[width], problems)
                return Table(problems.file, separator, width, texts, numbers)
    if lines:  # one speaks for all: the file is of another kind, or lacks a column
        number, line = lines[0]
        width = max(_width(line, separator) for separator in _SEPARATORS)
        message = f"no row has {_WIDTH} columns; this one has {width}"
        problem = Diagnostic(
            code="KT340", severity="error", message=message, hint=f"a row is {_EXPECTED}", count=len(lines)
        )
        problems.add(Place(problems.file, number, 1, len(line), line).diagnose(problem))
    return Table(problems.file, _SEPARATORS[0], _WIDTH, [], [])


def _say_wider(width: int, line: int, problems: Problems) -> None:
    message = f"rows of {width} columns, as PianoPlayer writes them: those behind the finger are not read"
    problems.add(Diagnostic(code="KT340", severity="note", message=message, file=problems.file, line=line))


def _width(line: str, separator: str) -> int:
    """Return the number of cells; a line with few separators need not be cut for that."""
    least = line.count(separator) + 1
    return least if separator != BLANK and least < _WIDTH else len(cut(line, separator) or ())


def _pitch(text: str) -> tuple[int, Diagnostic | None]:
    midi = parse_pitch(text)
    return (-1, diagnose_pitch(text)) if midi is None else (midi, None)


def _key(text: str) -> tuple[int, Diagnostic | None]:
    """Read a pitch of PianoPlayer's, which is a MIDI number."""
    midi = parse_midi(text)
    return _pitch(text) if midi is None else (midi, None)


def _hand(text: str) -> tuple[int, Diagnostic | None]:
    if text in _HANDS:
        return _HANDS[text], None
    message = f"not a channel: {quote(text)}"
    hint = "channel 0 is the right hand, 1 the left"
    return UNKNOWN, Diagnostic(code="KT342", severity="error", message=message, hint=hint)


def _encoding(options: ReadingOptions) -> Encoding:
    return "pig" if options.label_encoding == "auto" else options.label_encoding


def _label(options: ReadingOptions, text: str) -> tuple[str, Diagnostic | None]:
    found = inspect(text, _encoding(options))
    return found.canonical, found.diagnostic


def render_pig(fingering: Fingering, /) -> str:
    """Write a fingering as a PIG file.

    Times are written in the fewest digits that mean the same double, black keys as C#, Eb, F#, Ab and
    Bb, a missing finger as 0.

    Parameters
    ----------
    fingering : Fingering
        What is written; :func:`read_pig` gives it back exactly.

    Raises
    ------
    DataError
        KT151 if the pitch or the hand of a note is not known: the format requires both.
    """
    for values, kind in ((fingering.pitches, "pitch"), (fingering.hands, "hand")):
        if (values < 0).any():
            row = int((values < 0).argmax())
            message = f"note index {row} cannot be written as PIG: its {kind} is not known"
            raise DataError((Diagnostic(code="KT151", severity="error", message=message),))
    onsets, offsets = fingering.onsets.tolist(), fingering.offsets.tolist()
    pitches, hands = map(spell, fingering.pitches.tolist()), fingering.hands.tolist()
    rows = enumerate(zip(onsets, offsets, pitches, hands, fingering.labels, strict=True))
    lines = (
        f"{number}\t{onset!r}\t{offset!r}\t{pitch}\t{_VELOCITIES}\t{hand}\t{label or '0'}\n"
        for number, (onset, offset, pitch, hand, label) in rows
    )
    return f"{_HEAD}\n{''.join(lines)}"
