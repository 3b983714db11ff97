# SPDX-License-Identifier: MIT
"""Tables of notes whose first row names the columns: of PianoVAM, variants of PIG, and anybody's."""

from __future__ import annotations

import re

from kammerton.errors import DataError, Diagnostic, close_match, quote
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.formats.fields import NAMES, Numbers, field_of, notes_of
from kammerton.fingering.formats.notes import NoteField, Notes, check_notes, say_no_notes
from kammerton.fingering.formats.options import ReadingOptions
from kammerton.fingering.formats.tables import SEPARATORS, Table, lines_with_data, split_cells
from kammerton.formats.budgets import keeps_lines
from kammerton.formats.csv_header import HeaderRow
from kammerton.formats.reading import Problems
from kammerton.formats.tables import render_rows
from kammerton.model.annotations import Place
from kammerton.model.task import Reading

__all__ = ["Header", "find_header", "parse_note_table", "render_csv"]

_NEEDED: tuple[NoteField, ...] = ("onset", "offset", "pitch", "finger")
_ITEM_NAMES = frozenset(("id", "item", "file", "filename", "path", "piece", "name", "recording", "title"))
_PIANOVAM = frozenset(("key_offset", "frame_offset"))


class Header(HeaderRow):
    """The header of a table of notes."""

    __slots__ = ()

    @property
    def known(self) -> int:
        """How many fields the names tell."""
        return len({found[0] for name in self.names if (found := field_of(name)) is not None})

    @property
    def is_index(self) -> bool:
        """Whether the table lists pieces, and says nothing of notes."""
        fields = {found[0] for name in self.names if (found := field_of(name)) is not None}
        return fields <= {"id"} and any(name.strip().casefold() in _ITEM_NAMES for name in self.names)

    @property
    def is_pianovam(self) -> bool:
        """Whether the columns are those of PianoVAM."""
        return {name.strip().casefold() for name in self.names} >= _PIANOVAM

    def columns(self, problems: Problems) -> dict[NoteField, int]:
        """Return where each field stands; report those that are missing or there twice."""
        best: dict[NoteField, tuple[int, int]] = {}
        for index, name in enumerate(self.names):
            found = field_of(name)
            if found is None:
                continue
            field, rank = found
            if field in best and best[field][0] == rank:
                self._say_double(name, problems)
            best[field] = min(best.get(field, (rank, index)), (rank, index))
        columns = {field: index for field, (_, index) in best.items()}
        if "offset" in columns:
            columns.pop("duration", None)
        for field in _NEEDED:
            if field not in columns and not (field == "offset" and "duration" in columns):
                self._say_missing(field, problems)
        return columns

    def _say(self, code: str, message: str, hint: str, problems: Problems) -> None:
        problem = Diagnostic(code=code, severity="error", message=message, hint=hint)
        problems.add(Place(problems.file, self.line, 1, len(self.text), self.text).diagnose(problem))

    def _say_double(self, name: str, problems: Problems) -> None:
        self._say("KT163", f"column {quote(name)} stands twice", "rename or delete one of them", problems)

    def _say_missing(self, field: NoteField, problems: Problems) -> None:
        unknown = [name for name in self.names if name.strip() and field_of(name) is None]
        near = next((name for name in unknown if close_match(name, NAMES[field])), None)
        hint = f"known names: {', '.join(NAMES[field])}"
        if field == "offset":
            hint += f"; or, as a duration: {', '.join(NAMES['duration'])}"
        if near is not None:
            hint = f"is it {quote(near)}? {hint}"
        named = ", ".join(quote(name) for name in self.names[:8])
        self._say("KT162", f"no column is the {field}: {named}", hint, problems)


_LINE = re.compile(r"^[^\n]*+", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]{3}")
"""What every name of a field has but ``id``, which no header has alone."""

_NUMBER_BEGINS = "0123456789.+-"


def find_header(text: str, *, expected: bool) -> Header | None:
    """Return the header if the first row is one.

    Parameters
    ----------
    text : str
        The file.
    expected : bool
        Whether any first row that does not begin with a number counts as a header; else it must
        name two fields. One that is a comment, as PianoVAM has it, must name three.
    """
    for number, found in enumerate(_LINE.finditer(text), 1):
        line = found[0]
        row = line.strip(" \t")
        if not row or row.startswith("//"):
            continue
        commented = row.startswith("#")
        any_word = expected and row[0] not in _NUMBER_BEGINS
        if not (commented or any_word or _WORD.search(row)):
            return None
        names = line.lstrip(" \t").lstrip("#") if commented else line
        headers = [Header(number, line, mark, split_cells(names, mark) or [names]) for mark in SEPARATORS]
        best = max(headers, key=lambda header: (header.known, len(header.names)))
        if best.known >= (3 if commented else 2):
            return best
        if not commented:
            return best if any_word else None
    return None


def parse_note_table(
    text: str, header: Header, problems: Problems, options: ReadingOptions
) -> Reading[Fingering]:
    r"""Read rows below a header.

    Parameters
    ----------
    text : str
        The file, lines ended by ``\n``.
    header : Header
        Its first row.
    problems : Problems
        Takes every problem found.
    options : ReadingOptions
        How hands and labels are read.

    Returns
    -------
    Reading
        One annotation per annotator, in the order of their first rows.
    """
    if not keeps_lines(text, problems, options.limits):
        return Reading((), problems.diagnostics())
    columns = header.columns(problems)
    if problems.has_errors:
        return Reading((), problems.diagnostics())
    lines = [line for line in lines_with_data(text) if line[0] > header.line]
    table = Table(problems.file, header.separator, len(header.names), columns, lines)
    records = table.records(problems, "as wide as the header")
    if not records:
        say_no_notes(problems)
        return Reading((), problems.diagnostics())
    cells = {field: [record[index] for record in records] for field, index in columns.items()}
    numbers: Numbers = "1-10" if header.is_pianovam else "by_hand"
    notes = notes_of(cells, table.locate, problems, options, numbers=numbers)
    found = tuple(
        (annotator, check_notes(_taken(notes, rows), problems)) for annotator, rows in _by_annotator(cells)
    )
    return Reading(() if problems.has_errors else found, problems.diagnostics())


def _by_annotator(cells: dict[NoteField, list[str]]) -> list[tuple[str | None, list[int] | None]]:
    """Return the rows of each annotator; None stands for all of them."""
    if "annotator" not in cells:
        return [(None, None)]
    rows: dict[str, list[int]] = {}
    for row, annotator in enumerate(cells["annotator"]):
        rows.setdefault(annotator, []).append(row)
    return [(annotator or None, found) for annotator, found in rows.items()]


def _taken(notes: Notes, rows: list[int] | None) -> Notes:
    if rows is None:
        return notes
    return Notes(
        notes.onsets[rows],
        notes.offsets[rows],
        notes.pitches[rows],
        notes.hands[rows],
        [notes.labels[row] for row in rows],
        lambda row, field: notes.locate(rows[row], field),
        None if notes.ids is None else [notes.ids[row] for row in rows],
    )


_HANDS = {RIGHT: "right", LEFT: "left", UNKNOWN: ""}


def render_csv(fingering: Fingering, /) -> str:
    """Write comma-separated rows below the header ``onset,offset,pitch,hand,finger``.

    Times are written in the fewest digits that mean the same double, pitches as MIDI numbers, fingers
    in the notation of PIG.

    Parameters
    ----------
    fingering : Fingering
        What is written; its readers give it back exactly.

    Raises
    ------
    DataError
        KT151 if the pitch of a note is not known.
    """
    if (fingering.pitches < 0).any():
        row = int((fingering.pitches < 0).argmax())
        message = f"note index {row} cannot be written as CSV: its pitch is not known"
        raise DataError((Diagnostic(code="KT151", severity="error", message=message),))
    hands = [_HANDS[hand] for hand in fingering.hands.tolist()]
    onsets, offsets = (map(repr, times.tolist()) for times in (fingering.onsets, fingering.offsets))
    rows = zip(onsets, offsets, fingering.pitches.tolist(), hands, fingering.labels, strict=True)
    return render_rows((("onset", "offset", "pitch", "hand", "finger"), *rows))
