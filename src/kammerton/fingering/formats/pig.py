# SPDX-License-Identifier: MIT
"""Short cells of a file as integers of eight bytes, and the numbers that their digits make.

A cell of up to eight characters is one integer, its last character in the highest byte, with zeros where
there is no character.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from hashlib import sha256
from operator import add
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic, quote
from kammerton.fingering.annotation import (
    HIGHEST_KEY,
    LEFT,
    LOWEST_KEY,
    RIGHT,
    UNKNOWN,
    Fingering,
    diagnose_pitch,
    number_of_label,
    parse_midi,
    parse_pitch,
    spell,
)
from kammerton.fingering.formats.notes import (
    DEFAULT_OPTIONS,
    Column,
    NoteField,
    Notes,
    ReadingOptions,
    check_notes,
    codes_of,
    plain_times,
    say_no_notes,
    texts_of,
    times_of,
)
from kammerton.fingering.labels import Encoding, inspect
from kammerton.formats.reading import Limits, Problems, keeps_lines
from kammerton.formats.source import read_text
from kammerton.formats.tables import BLANK, SEPARATORS, NumberedLine, Table, cut, numbered_lines
from kammerton.model.annotations import Place
from kammerton.model.task import Reading

__all__ = [
    "CELL_BYTES",
    "FINGER",
    "HAND",
    "ID",
    "OFFSET",
    "ONSET",
    "PITCH",
    "Cells",
    "Grid",
    "cells_before",
    "identify",
    "numbers_of",
    "parse_pig",
    "plain_fingering",
    "read_pig",
    "render_pig",
    "text_of",
]

CELL_BYTES = 8
Cells = NDArray[np.uint64]
_ZEROS = np.uint64(0x3030303030303030)
_TO_SIXTEEN, _HIGH = np.uint64(0x0606060606060606), np.uint64(0xF0F0F0F0F0F0F0F0)
_PAIRINGS = (
    (np.uint64(0x00FF00FF00FF00FF), np.uint64(10 * 2**8 + 1), np.uint64(8)),
    (np.uint64(0x0000FFFF0000FFFF), np.uint64(100 * 2**16 + 1), np.uint64(16)),
    (np.uint64(0x00000000FFFFFFFF), np.uint64(10_000 * 2**32 + 1), np.uint64(32)),
)
"""Two neighbours become one number: its mask, the factor of the first one, and where the sum appears."""


def cells_before(data: bytes, ends: NDArray[np.int64], widths: NDArray[np.int64]) -> Cells:
    """Return the cells that end at some places; 0 for those that are empty or too wide."""
    windows = np.ndarray((len(data) - CELL_BYTES + 1,), "<u8", data, strides=(1,))
    unused = _unused(widths)
    return np.asarray(windows[ends] >> unused << unused, dtype=np.uint64)


def text_of(cell: int) -> str:
    """Return the characters of a cell."""
    return cell.to_bytes(CELL_BYTES, "little").lstrip(b"\0").decode("ascii")


def numbers_of(cells: Cells, widths: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the numbers that digits make, and whether cells are nothing but digits."""
    unused = _unused(widths)
    digits = cells ^ (_ZEROS >> unused << unused)
    plain = (((digits + _TO_SIXTEEN) | digits) & _HIGH == 0) & (widths <= CELL_BYTES)
    for mask, factor, shift in _PAIRINGS:
        digits = (digits * factor >> shift) & mask
    return digits.astype(np.float64), plain


def _unused(widths: NDArray[np.int64]) -> Cells:
    """Return how many bits of a cell have no character; 64 and more leave none."""
    return (8 * (CELL_BYTES - widths)).astype(np.uint64)


_LEADING_COMMENTS = re.compile(r"(?:[ \t]*+(?:(?://|#)[^\n]*+)?\n)*+")
_NO_ROWS = re.compile(r"\n[ \t]*+(?:(?://|#)[^\n]*+)?(?=\n)")
_NOT_CLEAN = (" ", '"', "\r")
_BEFORE = b" " * CELL_BYTES
_SEPARATORS = ord("\n") + 1
"""Characters below this separate cells, or are in no clean file."""
_EXACT_DIGITS = 15
"""Up to so many digits make an integer that a double holds, as does the power of ten to divide by."""
_POWERS = np.array([float(f"1e{places}") for places in range(CELL_BYTES + 1)])
Indices = NDArray[np.int64]


class Grid:
    """Rows of cells as the bytes of a file."""

    def __init__(self, text: str, first: int | None, data: bytes, bounds: Indices, file: str) -> None:
        self._text = text
        self._first = first
        self._data = data
        self._codes = np.frombuffer(data, dtype=np.uint8, offset=CELL_BYTES)
        self._bounds = bounds
        self._file = file
        self._lines: list[NumberedLine] | None = None

    @classmethod
    def of(cls, text: str, width: int, limits: Limits, file: str, *, comments: bool = True) -> Grid | None:
        """Return the rows of a text, or None if it is not clean or exceeds a budget.

        Clean rows are of ``width`` cells between tabs, without blanks and quotes. Comments and blank
        lines are passed over, those between rows only if there may be ``comments``.
        """
        whole = text.rstrip("\n") + "\n"
        begin = next(_LEADING_COMMENTS.finditer(whole)).end()
        lines = whole[begin:] or "\n"
        body = _NO_ROWS.sub("", lines) if comments else lines
        cut = _cut(body, width)
        if cut is None:
            return None
        data, bounds = cut
        longest = np.diff(bounds[:, -1], prepend=-1).max() if len(body) > limits.line else 0
        if len(bounds) > limits.rows or longest > limits.line:
            return None
        first = text.count("\n", 0, begin) + 1 if len(body) == len(lines) else None
        return cls(text, first, data, bounds, file)

    def cells(self, column: int, rows: Indices | None = None) -> list[str]:
        """Return the cells of a column, or those of some rows."""
        some = slice(None) if rows is None else rows
        begins, ends = self._begins(column)[some].tolist(), self._bounds[some, column].tolist()
        body = self._data[CELL_BYTES:].decode()
        return [body[begin:end] for begin, end in zip(begins, ends, strict=True)]

    def short_cells(self, column: int) -> Cells | None:
        """Return the cells of a column as integers, or None if one is too wide."""
        widths = self._widths(column)
        if widths.max() > CELL_BYTES:
            return None
        return cells_before(self._data, self._bounds[:, column], widths)

    def column(self, column: int) -> Column[str]:
        """Return a column by its distinct cells."""
        short = self.short_cells(column)
        if short is None:
            return Column.of(self.cells(column))
        cells, codes = np.unique(short, return_inverse=True)
        return Column(list(map(text_of, cells.tolist())), codes)

    def rest(self, column: int) -> bytes:
        """Return the rows without a column."""
        begins, ends = self._begins(column), self._bounds[:, column]
        widths = ends - begins
        behind = np.cumsum(widths)
        left_out = np.arange(behind[-1])
        left_out += np.repeat(ends - behind, widths)
        kept = np.ones(len(self._codes), dtype=bool)
        kept[left_out] = False
        return self._codes[kept].tobytes()

    def plain_times(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """Return times of at most eight digits, a point and eight more; NaN is anything else."""
        begins = np.concatenate([self._begins(column) for column in columns])
        ends = np.concatenate([self._bounds[:, column] for column in columns])
        points = np.append(np.flatnonzero(self._codes == ord(".")), len(self._codes))
        found = np.minimum(points[np.searchsorted(points, begins)], ends)
        behind = np.concatenate((found, ends))
        widths = np.concatenate((found - begins, np.maximum(ends - found - 1, 0)))
        numbers, plain = numbers_of(cells_before(self._data, behind, widths), widths)
        (whole, part), (digits, places) = numbers.reshape(2, -1), widths.reshape(2, -1)
        count = digits + places
        sound = plain.reshape(2, -1).all(axis=0) & (count > 0) & (count <= _EXACT_DIGITS)
        power = _POWERS[np.minimum(places, CELL_BYTES)]
        return np.where(sound, (whole * power + part) / power, np.nan).reshape(len(columns), -1)

    def place(self, row: int, column: int) -> Place:
        """Return where a cell stands."""
        if self._lines is None:
            self._lines = numbered_lines(self._text)
        number, line = self._lines[row]
        ends = [int(self._bounds[row - 1, -1]) if row else -1, *self._bounds[row].tolist()]
        begin, end = ends[column] + 1, ends[column + 1]
        return Place(self._file, number, begin - ends[0], max(1, end - begin), line)

    def line_of(self) -> Callable[[int], int]:
        """Return what finds the line of a row, and keeps no more of the file than that takes."""
        if self._first is not None:
            return partial(add, self._first)
        return [number for number, _ in numbered_lines(self._text)].__getitem__

    def locator(self, column: int) -> Callable[[int], Place]:
        """Return what finds the cells of a column."""
        return lambda row: self.place(row, column)

    def _begins(self, column: int) -> Indices:
        if column:
            return self._bounds[:, column - 1] + 1
        return np.concatenate(([0], self._bounds[:-1, -1] + 1))

    def _widths(self, column: int) -> Indices:
        return self._bounds[:, column] - self._begins(column)


def _cut(body: str, width: int) -> tuple[bytes, Indices] | None:
    """Return rows as bytes, eight more before them, and the ends of their cells, if they are clean."""
    if not body.isascii() or any(mark in body for mark in _NOT_CLEAN):
        return None
    data = _BEFORE + body.encode()
    codes = np.frombuffer(data, dtype=np.uint8, offset=CELL_BYTES)
    separators = np.flatnonzero(codes < _SEPARATORS)
    count, rest = divmod(len(separators), width)
    if rest or codes.take(separators).tobytes() != (b"\t" * (width - 1) + b"\n") * count:
        return None
    return data, separators.reshape(-1, width)


ID, ONSET, OFFSET, PITCH, HAND, FINGER = 0, 1, 2, 3, 6, 7
"""Columns of a PIG file; between them are velocities."""
_in_use: WeakValueDictionary[bytes, Fingering] = WeakValueDictionary()
"""Fingerings that something refers to, by the digest of the columns that their notes are in."""


def plain_fingering(grid: Grid, encoding: Encoding) -> Fingering | None:
    """Return the fingering that a file holds, or None if there is anything to say about it."""
    labels = _labels(encoding).find(grid.short_cells(FINGER))
    if labels is None:
        return None
    key = sha256(grid.rest(FINGER)).digest()
    known = _in_use.get(key) or _notes(grid)
    codes, hands = labels
    if known is None or ((hands != UNKNOWN) & (hands != known.hands)).any():
        return None
    fingering = known.labelled(codes, grid.line_of())
    _in_use.setdefault(key, fingering)
    return fingering


def _notes(grid: Grid) -> Fingering | None:
    """Read the notes alone; their labels are to follow."""
    ids, *plain = grid.plain_times((ID, ONSET, OFFSET))
    onsets, offsets = (_times(grid, *each) for each in zip((ONSET, OFFSET), plain, strict=True))
    keys, channels = _pitches.find(grid.short_cells(PITCH)), _hands.find(grid.short_cells(HAND))
    if onsets is None or offsets is None or keys is None or channels is None:
        return None
    (pitches,), (hands,) = keys, channels
    if not (_count_upwards(ids) and _in_order(onsets, offsets)):
        return None
    moments = np.append(0, np.cumsum(onsets[1:] > onsets[:-1]))
    if not _count_upwards(np.sort(moments * (HIGHEST_KEY + 1) + pitches)):
        return None
    for column in (onsets, offsets, pitches, hands):
        column.flags.writeable = False  # several fingerings share it
    return Fingering(onsets, offsets, pitches, hands, ("",) * len(pitches))


def _times(grid: Grid, column: int, times: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return times of which those that are not plain have yet to be read."""
    rest = np.flatnonzero(np.isnan(times))
    found = plain_times(grid.cells(column, rest)) if len(rest) else times[rest]
    if found is None:
        return None
    times = times.copy()  # a column of its own
    times[rest] = found + 0.0  # makes -0.0 a 0.0
    return times


def _count_upwards(numbers: NDArray[np.number]) -> bool:
    return bool((numbers[1:] > numbers[:-1]).all())


def _in_order(onsets: NDArray[np.float64], offsets: NDArray[np.float64]) -> bool:
    return bool(
        onsets[0] >= 0
        and (onsets[1:] >= onsets[:-1]).all()
        and (offsets >= onsets).all()
        and offsets.max() < np.inf
    )


class _Meanings:
    """What short cells mean, in numbers; each distinct one is looked at once."""

    def __init__(self, read: Callable[[str], tuple[int, ...] | None], count: int = 1) -> None:
        self._read = read
        last = np.array([2**64 - 1], dtype=np.uint64)  # is above any cell
        self._known = last, np.full((count, 1), -1)

    def find(self, cells: Cells | None) -> NDArray[np.int64] | None:
        """Return the numbers of each cell, shape (numbers, cells), or None if one of them has none."""
        if cells is None:
            return None
        known, numbers = self._known
        at = np.searchsorted(known, cells)
        if (known.take(at) == cells).all():
            return numbers.take(at, axis=1)
        new = np.unique(cells[known.take(at) != cells])
        found = []
        for cell in new.tolist():
            meaning = self._read(text_of(cell))
            if meaning is None:
                return None
            found.append(meaning)
        places = np.searchsorted(known, new)
        self._known = np.insert(known, places, new), np.insert(numbers, places, np.transpose(found), axis=1)
        return self.find(cells)


def _pitch(text: str) -> tuple[int] | None:
    midi = parse_pitch(text)
    return (midi,) if midi is not None and LOWEST_KEY <= midi <= HIGHEST_KEY else None


_pitches = _Meanings(_pitch)
_hands = _Meanings({"0": (RIGHT,), "1": (LEFT,)}.get)


@cache
def _labels(encoding: Encoding) -> _Meanings:
    """Return what tells the number of a label, and its hand."""

    def read(text: str) -> tuple[int, int] | None:
        found = inspect(text, encoding)
        if found.diagnostic is not None:
            return None
        return number_of_label(found.canonical), UNKNOWN if found.label is None else found.label.hand_code

    return _Meanings(read, 2)


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
_SEPARATORS_of_pig = (*SEPARATORS, BLANK)
_EXPECTED = "id, onset, offset, pitch, onset velocity, offset velocity, channel, finger"
_NAME = re.compile(r"(?P<item>(?:.*/)?[^/]+?)(?:-(?P<annotator>[0-9]+)|_est)?_fingering", re.DOTALL)
_HANDS = {"0": RIGHT, "1": LEFT}
_HEAD = "//Version: PianoFingering_v170101"
_VELOCITIES = "64\t80"
"""What the published files have for each note."""


def identify(stem: str, /) -> tuple[str, str | None]:
    """Take the name of a PIG file apart.

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
    """Read a PIG file."""
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
    notes = _cut_of_pig(text, problems, options) if grid is None else _clean(grid, problems, options)
    if not notes.labels:
        say_no_notes(problems)
        return Reading((), problems.diagnostics())
    fingering = check_notes(notes, problems)
    return Reading(() if problems.has_errors else ((None, fingering),), problems.diagnostics())


def _clean(grid: Grid, problems: Problems, options: ReadingOptions) -> Notes:
    at = {field: grid.locator(index) for field, index in _COLUMNS.items()}
    onsets, offsets = (_times_of_pig(grid, column, problems) for column in (ONSET, OFFSET))
    (ids,) = grid.plain_times([ID])
    return Notes(
        onsets,
        offsets,
        codes_of(grid.column(PITCH), _pitch_of_pig, at["pitch"], problems),
        codes_of(grid.column(HAND), _hand, at["hand"], problems),
        texts_of(grid.column(FINGER), partial(_label, options), at["finger"], problems),
        lambda row, field: grid.place(row, _COLUMNS[field]),
        # ids that count upwards are distinct
        None if (ids[1:] > ids[:-1]).all() else grid.cells(ID),
        grid.line_of(),
    )


def _times_of_pig(grid: Grid, column: int, problems: Problems) -> NDArray[np.float64]:
    times: NDArray[np.float64] = grid.plain_times([column])[0]
    rest = np.flatnonzero(np.isnan(times))
    if len(rest):
        locate = grid.locator(column)
        times[rest] = times_of(grid.cells(column, rest), lambda index: locate(int(rest[index])), problems)
    return times


def _cut_of_pig(text: str, problems: Problems, options: ReadingOptions) -> Notes:
    table = _table(numbered_lines(text), problems)
    for misfit in table.fill():
        table.report_misfit(misfit, problems, "KT340", f"a row is {_EXPECTED}")
    cells = {field: table.columns[index] for field, index in _COLUMNS.items()}
    at = {field: table.locator(index) for field, index in _COLUMNS.items()}
    return Notes(
        times_of(cells["onset"], at["onset"], problems),
        times_of(cells["offset"], at["offset"], problems),
        codes_of(
            Column.of(cells["pitch"]), _pitch_of_pig if table.width == _WIDTH else _key, at["pitch"], problems
        ),
        codes_of(Column.of(cells["hand"]), _hand, at["hand"], problems),
        texts_of(Column.of(cells["finger"]), partial(_label, options), at["finger"], problems),
        lambda row, field: table.locate(row, _COLUMNS[field]),
        cells["id"],
    )


def _table(lines: list[NumberedLine], problems: Problems) -> Table:
    """Find what separates the cells: that by which any line has as many as it should."""
    texts, numbers = [line for _, line in lines], [number for number, _ in lines]
    for separator in _SEPARATORS_of_pig:
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
        width = max(_width(line, separator) for separator in _SEPARATORS_of_pig)
        message = f"no row has {_WIDTH} columns; this one has {width}"
        problem = Diagnostic(
            code="KT340", severity="error", message=message, hint=f"a row is {_EXPECTED}", count=len(lines)
        )
        problems.add(Place(problems.file, number, 1, len(line), line).diagnose(problem))
    return Table(problems.file, _SEPARATORS_of_pig[0], _WIDTH, [], [])


def _say_wider(width: int, line: int, problems: Problems) -> None:
    message = f"rows of {width} columns, as PianoPlayer writes them: those behind the finger are not read"
    problems.add(Diagnostic(code="KT340", severity="note", message=message, file=problems.file, line=line))


def _width(line: str, separator: str) -> int:
    """Return the number of cells; a line with few separators need not be cut for that."""
    least = line.count(separator) + 1
    return least if separator != BLANK and least < _WIDTH else len(cut(line, separator) or ())


def _pitch_of_pig(text: str) -> tuple[int, Diagnostic | None]:
    midi = parse_pitch(text)
    return (-1, diagnose_pitch(text)) if midi is None else (midi, None)


def _key(text: str) -> tuple[int, Diagnostic | None]:
    """Read a pitch of PianoPlayer's, which is a MIDI number."""
    midi = parse_midi(text)
    return _pitch_of_pig(text) if midi is None else (midi, None)


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
