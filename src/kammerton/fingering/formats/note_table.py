# SPDX-License-Identifier: MIT
"""Tables of notes whose first row names the columns: of PianoVAM, variants of PIG, and anybody's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kammerton.errors import DataError, Diagnostic, close_match, quote
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.formats.fields import NAMES, Numbers, field_of, notes_of
from kammerton.fingering.formats.notes import NoteField, Notes, ReadingOptions, check_notes, report_no_notes
from kammerton.formats.reading import Problems
from kammerton.formats.tables import BLANK, SEPARATORS, Header, first_row, read_table, render_rows
from kammerton.model.annotations import Place
from kammerton.model.task import Reading

__all__ = ["find_header", "is_index", "parse_note_table", "render_csv"]

_NEEDED: tuple[NoteField, ...] = ("onset", "offset", "pitch", "finger")
_ITEM_NAMES = frozenset(("id", "item", "file", "filename", "path", "piece", "name", "recording", "title"))
_PIANOVAM = frozenset(("key_offset", "frame_offset"))


_NO_HEADER = re.compile(r"(?:[ \t]*+(?://[^\n]*+)?\n)*+[ \t]*+[0-9]")
"""A first row that begins with a number, as those of PIG files do."""

_NUMBER_BEGINS = "0123456789.+-"


def find_header(text: str, *, expected: bool) -> Header | None:
    """Return the header if the first row is one."""
    if _NO_HEADER.match(text):
        return None
    header = first_row(text, _known, separators=(*SEPARATORS, BLANK), commented=True)
    if header is None or _known(header.names) > 1:
        return header
    return header if expected and header.names[0][:1] not in _NUMBER_BEGINS else None


def _fields(names: Sequence[str]) -> set[NoteField]:
    return {found[0] for name in names if (found := field_of(name)) is not None}


def _known(names: Sequence[str]) -> int:
    """Count the fields that names tell."""
    return len(_fields(names))


def is_index(header: Header) -> bool:
    """Tell whether a table lists pieces, and says nothing of notes."""
    return _fields(header.names) <= {"id"} and any(name.casefold() in _ITEM_NAMES for name in header.names)


def _is_pianovam(header: Header) -> bool:
    """Tell whether the columns are those of PianoVAM."""
    return {name.casefold() for name in header.names} >= _PIANOVAM


def _columns_of(header: Header, problems: Problems) -> dict[NoteField, int]:
    """Return where each field stands; report those that are missing or there twice."""
    best: dict[NoteField, tuple[int, int]] = {}
    for index, name in enumerate(header.names):
        found = field_of(name)
        if found is None:
            continue
        field, rank = found
        if field in best and best[field][0] == rank:
            message = f"column {quote(name)} stands twice"
            _say(header, "KT163", message, "rename or delete one of them", problems, index)
        best[field] = min(best.get(field, (rank, index)), (rank, index))
    columns = {field: index for field, (_, index) in best.items()}
    if "offset" in columns:
        columns.pop("duration", None)
    for field in _NEEDED:
        if field not in columns and not (field == "offset" and "duration" in columns):
            if field == "finger" and _is_pianovam(header) and _near(header, field) is None:
                _say_unfingered(header, problems)
            else:
                _say_missing(header, field, problems)
    return columns


def _say(
    header: Header, code: str, message: str, hint: str, problems: Problems, index: int | None = None
) -> None:
    problem = Diagnostic(code=code, severity="error", message=message, hint=hint)
    problems.add(header.place(problems.file, index).diagnose(problem))


def _say_unfingered(header: Header, problems: Problems) -> None:
    """Say of a transcription by PianoVAM, which tells notes only, that there is nothing to judge."""
    message = "notes without fingers: as an estimate, nothing of them can be judged"
    hint = "a column `finger`, such as L1 to R5, says who plays what"
    problem = Diagnostic(code="KT338", severity="warning", message=message, hint=hint)
    problems.add(header.place(problems.file, None).diagnose(problem))


def _near(header: Header, field: NoteField) -> str | None:
    """Return the name of a column that may be meant for a field."""
    unknown = (name for name in header.names if name and field_of(name) is None)
    return next((name for name in unknown if close_match(name, NAMES[field], cutoff=0.75)), None)


def _say_missing(header: Header, field: NoteField, problems: Problems) -> None:
    near = _near(header, field)
    hint = f"known names: {', '.join(NAMES[field])}"
    if field == "offset":
        hint += f"; or, as a duration: {', '.join(NAMES['duration'])}"
    if near is not None:
        hint = f"is it {quote(near)}? {hint}"
    named = ", ".join(quote(name) for name in header.names[:8])
    _say(header, "KT162", f"no column is the {field}: {named}", hint, problems)


def parse_note_table(
    text: str, header: Header, problems: Problems, options: ReadingOptions
) -> Reading[Fingering]:
    r"""Read rows below a header."""
    columns = _columns_of(header, problems)
    table = None
    if not problems.has_errors:
        table = read_table(text, header, problems, options.limits, code="KT340")
    if table is None:
        return Reading((), problems.diagnostics())
    if not len(table):
        report_no_notes(problems)
        return Reading((), problems.diagnostics())
    cells = {field: table.columns[index] for field, index in columns.items()}
    times: tuple[NoteField, ...] = ("onset", "offset", "duration")
    if table.has_decimal_commas(columns[field] for field in times if field in columns):
        cells |= {
            field: [cell.replace(",", ".") for cell in cells[field]] for field in times if field in cells
        }

    def locate(row: int, field: NoteField) -> Place:
        return table.locate(row, columns.get(field))

    numbers: Numbers = "1-10" if _is_pianovam(header) else "by_hand"
    notes = notes_of(cells, locate, problems, options, numbers=numbers)
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
    """
    if (fingering.pitches < 0).any():
        row = int((fingering.pitches < 0).argmax())
        message = f"note index {row} cannot be written as CSV: its pitch is not known"
        raise DataError((Diagnostic(code="KT151", severity="error", message=message),))
    hands = [_HANDS[hand] for hand in fingering.hands.tolist()]
    onsets, offsets = (map(repr, times.tolist()) for times in (fingering.onsets, fingering.offsets))
    rows = zip(onsets, offsets, fingering.pitches.tolist(), hands, fingering.labels, strict=True)
    return render_rows((("onset", "offset", "pitch", "hand", "finger"), *rows))
