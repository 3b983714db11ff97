# SPDX-License-Identifier: MIT
"""Lists of instruments in files that are no text: arrays of OpenMIC-2018 in ``.npz`` archives, and MIDI."""

from __future__ import annotations

import io
import math
import pickle
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from tokenize import TokenError
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Flags
from kammerton.errors import DataError, Diagnostic, clip, printable, quote
from kammerton.formats.midi import CHANNELS, DRUMS, NOTE_ON, PROGRAM, Event, MidiError, MidiFile
from kammerton.formats.reading import Limits, Problems, within_row_limit
from kammerton.formats.source import larger_files
from kammerton.instruments.labels import (
    KEY_OF_ONE_LIST,
    LabelRows,
    ListReader,
    ParsedLists,
    ReadingRules,
    item_names,
    judge,
)
from kammerton.instruments.options import PROGRAMS, look_up
from kammerton.instruments.taxonomy_files import load_taxonomy
from kammerton.model.annotations import Place

_DIRECTORY = 2**16
"""Bytes of the list of members: a data set has few arrays."""
_END = b"PK\x05\x06"
_END_LENGTH = 22
_COMMENT = 2**16
"""Bytes that may follow the end."""
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, OSError, ValueError),
    *(RuntimeError, SyntaxError, TokenError),  # encrypted; the head of an array, which is written in Python
)
_KINDS = "biufUS"
_HARMLESS = frozenset(
    (
        *(("numpy.core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "_reconstruct")),
        *(("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode")),
    )
)
"""What numpy pickles an array of text with; none of it is called."""
_STATE = 5
"""Version, shape, type, order and values of an array that numpy pickles."""
Array = NDArray[Any]


def read_arrays(stream: BinaryIO, names: Iterable[str], *, file: str, limits: Limits) -> dict[str, Array]:
    """Return those arrays of an archive that have some names."""
    arrays: dict[str, Array] = {}
    try:
        _check_end(stream, file)
        with zipfile.ZipFile(stream) as archive:
            members = {member.filename: member for member in archive.infolist()}
            wanted = {name: members[f"{name}.npy"] for name in names if f"{name}.npy" in members}
            _check_size(wanted.values(), file, limits)
            for name, member in wanted.items():
                arrays[name] = _array(_content(archive, member), name, file)
    except DataError:
        raise
    except _DAMAGED as error:
        reason = printable(clip(str(error), 100)).lower()
        if not reason or isinstance(error, SyntaxError | TokenError) or " at 0x" in reason:
            reason = "an array cannot be read"  # of Python's own messages nobody reads these
        _refuse("KT634", f"archive is damaged: {reason}", file)
    return arrays


def _refuse(code: str, message: str, file: str, hint: str | None = None) -> NoReturn:
    raise DataError((Diagnostic(code=code, severity="error", message=message, file=file, hint=hint),))


def _check_end(stream: BinaryIO, file: str) -> None:
    """Look at the end of the archive before a list of members of any length is made."""
    begin = stream.read(2)
    size = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, size - _END_LENGTH - _COMMENT))
    end = stream.read()
    where = end.rfind(_END)
    if begin != b"PK" or where < 0 or where + _END_LENGTH > len(end):
        _refuse("KT634", "not a zip archive, or cut off", file, "arrays are saved by numpy.savez")
    (size,) = struct.unpack_from("<I", end, where + 12)
    if size > _DIRECTORY:
        _refuse("KT636", "archive has more arrays than a data set", file)


def _check_size(members: Collection[zipfile.ZipInfo], file: str, limits: Limits) -> None:
    """Refuse arrays that are too large together by what the archive says, which is never exceeded."""
    size = sum(member.file_size for member in members)
    if size > limits.bytes:
        listed = ", ".join(quote(member.filename) for member in members)
        message = f"{listed} take {size:,} bytes: over the limit of {limits.bytes:,}"
        _refuse("KT636", message, file, larger_files(size))


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    with archive.open(member) as stream:
        return stream.read(member.file_size)


def _array(content: bytes, name: str, file: str) -> Array:
    """Return the array that a member holds."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0
    shape, in_fortran_order, dtype = (read if version == (1, 0) else np.lib.format.read_array_header_2_0)(
        stream
    )
    if dtype.hasobject:
        text = _pickled_text(stream, shape)
        if text is None:
            message = f"array {quote(name)} holds pickled objects other than text, which are not loaded"
            _refuse("KT635", message, file, f"save it again as text: {name}.astype(str)")
        return np.array(text, dtype=object)
    if dtype.kind not in _KINDS:
        _refuse("KT634", f"array {quote(name)} is of {dtype}, not of numbers or text", file)
    count = math.prod(shape)
    begin = stream.tell()
    if count * dtype.itemsize != len(content) - begin:
        size = f"{len(content) - begin:,} bytes, and not those of {count:,} values"
        _refuse("KT634", f"array {quote(name)} has {size}", file)
    values = np.frombuffer(content, dtype, count, begin) if count else np.empty(0, dtype)
    return values.reshape(shape, order="F" if in_fortran_order else "C")


class _Inert:
    """Stands for what a pickle would call: does nothing, and keeps the state that it is given."""

    def __init__(self, *_: object) -> None:
        self.state: object = None

    def __setstate__(self, state: object) -> None:
        self.state = state


class _TextUnpickler(pickle._Unpickler):  # noqa: SLF001
    """Makes inert objects of what numpy pickles an array of text with, and refuses everything else.

    The unpickler in C would make room in its memo for any index that a file names.
    """

    def find_class(self, module: str, name: str) -> type[_Inert]:
        """Return what stands for a global name."""
        if (module, name) not in _HARMLESS:
            raise pickle.UnpicklingError(name)
        return _Inert


def _pickled_text(stream: BinaryIO, shape: tuple[int, ...]) -> list[str] | None:
    """Return the strings of a pickled array; None if it holds anything else."""
    try:
        array = _TextUnpickler(stream).load()
    except Exception:  # a pickle is a program, and may go wrong in any way
        return None
    state = array.state if isinstance(array, _Inert) else None
    if not isinstance(state, tuple) or len(state) != _STATE or state[1] != shape or len(shape) != 1:
        return None
    values = state[-1]
    if not isinstance(values, list) or len(values) != shape[0]:
        return None
    return values if all(type(value) is str for value in values) else None


INSTRUMENTS = (
    *("accordion", "banjo", "bass", "cello", "clarinet", "cymbals", "drums", "flute", "guitar"),
    *("mallet_percussion", "mandolin", "organ", "piano", "saxophone", "synthesizer", "trombone"),
    *("trumpet", "ukulele", "violin", "voice"),
)
"""The columns, in alphabetical order, as ``class-map.json`` of the data set has them."""
_NEEDED = ("Y_true", "Y_mask", "sample_key")
_NAMES = "labels"
"""Array that names the columns where they are others."""


def read_openmic_arrays(stream: BinaryIO, reader: ListReader) -> ParsedLists | None:
    """Read an ``.npz`` archive with ``Y_true``, ``Y_mask`` and ``sample_key``."""
    if not stream.read(1):
        reader.report_empty()
        return None
    stream.seek(0)
    try:
        arrays = read_arrays(
            stream, (*_NEEDED, _NAMES), file=reader.problems.file, limits=reader.options.limits
        )
    except DataError as error:
        reader.problems.add(error.diagnostics[0])
        return None
    names = _column_names(arrays, reader.problems)
    if names is None or not _fit(arrays, len(names), reader):
        return None
    relevance, mask, keys = (arrays[name] for name in _NEEDED)
    if not len(keys):
        reader.report_empty()
        return None
    items = item_names(
        [key if isinstance(key, str) else key.decode("utf-8", "replace") for key in keys.tolist()]
    )
    reader.report_unusable_names(items, lambda row: Place(reader.problems.file, row=row))
    judged = _judged(relevance, mask, names, reader)
    rows, columns = np.nonzero(judged)
    entries = LabelRows(
        names, columns.astype(np.int64), rows.astype(np.int64), lambda _: Place(reader.problems.file)
    )
    entries.present = judge(entries, relevance[rows, columns].astype(np.float64), reader.options)
    reader.note_unjudged(len(rows), judged.size)
    rules = ReadingRules(closed=np.full(len(items), reader.options.assume_absent), names_items=True)
    return reader.finish(entries, [(item, None) for item in items], rules)


def _column_names(arrays: dict[str, Array], problems: Problems) -> list[str] | None:
    """Return what the columns are called; report arrays that are missing."""
    missing = [name for name in _NEEDED if name not in arrays]
    if missing:
        hint = f"read are archives with the arrays {', '.join(_NEEDED)}"
        problems.report("KT634", f"archive has no array {quote(missing[0])}", hint=hint)
        return None
    names = [str(name) for name in arrays[_NAMES].ravel().tolist()] if _NAMES in arrays else [*INSTRUMENTS]
    if len(set(names)) < len(names):
        problems.report("KT617", f"array {quote(_NAMES)} has a name twice")
        return None
    return names


def _fit(arrays: dict[str, Array], width: int, reader: ListReader) -> bool:
    """Return whether arrays have the shapes and kinds that belong together."""
    relevance, mask, keys = (arrays[name] for name in _NEEDED)
    shape = (len(keys) if keys.ndim == 1 else -1, width)
    for name, array, kinds in (("Y_true", relevance, "fiub"), ("Y_mask", mask, "biuf")):
        if array.shape != shape or array.dtype.kind not in kinds:
            actual = f"numbers of shape {array.shape}" if array.dtype.kind in kinds else f"{array.dtype}"
            expected = f"a number for each of {len(keys):,} clips and {width} labels"
            message = f"array {quote(name)} is {actual}, not {expected}"
            hint = f"an array {quote(_NAMES)} names other columns than the 20 of OpenMIC-2018"
            reader.problems.report("KT634", message, hint=hint)
            return False
    if keys.dtype.kind not in "USO":
        reader.problems.report("KT634", f"array `sample_key` is of {keys.dtype}, not of text")
        return False
    return within_row_limit(len(keys), reader.problems, reader.options.limits)


def _judged(relevance: Array, mask: Array, names: Sequence[str], reader: ListReader) -> Flags:
    """Return which pairs of clip and label were judged; report numbers that are none of theirs.

    A clip is broken if its mask is neither 0 nor 1, or what was judged is not between 0 and 1; NaN is noted,
    and counts as not judged.
    """
    undefined = np.isnan(relevance)
    wrong_mask = ~np.isin(mask, (0, 1))
    in_range = (relevance >= 0) & (relevance <= 1)
    judged: Flags = (mask == 1) & in_range
    for name, array, wrong, expected in (
        ("Y_mask", mask, wrong_mask, "neither 0 nor 1"),
        ("Y_true", relevance, (mask == 1) & ~in_range & ~undefined, "no number from 0 to 1"),
    ):
        for row, column in np.argwhere(wrong).tolist():
            value = f"{array[row, column]:g} for {quote(names[column])}"
            message = f"{quote(name)} is {expected}: {value}"
            reader.fail(row, "KT609", message, Place(reader.problems.file, row=row))
    lacking = np.argwhere((mask == 1) & undefined).tolist()
    if lacking:
        row, column = lacking[0]
        message = f"`Y_true` is not a number for {quote(names[column])}, and counts as not judged"
        place = Place(reader.problems.file, row=row)
        reader.note("KT612", message, len(lacking), place, "such values")
    return judged


@dataclass(slots=True)
class Performance:
    """What sounds in a file."""

    # programs that play a note, 0 to 127, in the order in which they begin
    programs: list[int] = field(default_factory=list)
    percussion: bool = False  # whether the channel of percussion plays a note
    defaulted: bool = False  # whether a channel plays a note before it is given a program, which is then 0
    # what is not as the standard has it, but does not matter
    oddities: list[str] = field(default_factory=list)


def read_midi(data: bytes, limit: int) -> Performance:
    """Return what sounds in a file."""
    file = MidiFile(data, limit)
    patterns = file.read()  # which finds the oddities
    sound = Performance(oddities=file.oddities)
    for events in patterns:
        _play(events, sound)
    return sound


def _play(events: Iterable[Event], sound: Performance) -> None:
    """Note what sounds, each note with the program that its channel has at its time."""
    programs: dict[int, int] = {}
    sounding = dict.fromkeys(sound.programs)
    for _, _, _, kind, channel, first, second in events:
        if kind == PROGRAM:
            programs[channel] = first
        elif kind == NOTE_ON and second:
            if channel % CHANNELS == DRUMS:
                sound.percussion = True
            else:
                sound.defaulted |= channel not in programs
                sounding[programs.get(channel, 0)] = None
    sound.programs = list(sounding)


PERCUSSION = "drums"
"""Label of the channel of percussion, which has no program."""


def read_midi_programs(data: bytes, reader: ListReader) -> ParsedLists | None:
    """Read which instruments sound in a MIDI file."""
    problems = reader.problems
    if not data:
        reader.report_empty()
        return None
    try:
        sound = read_midi(data, reader.options.limits.rows)
    except MidiError as error:
        problems.report("KT630", f"MIDI file is damaged: {error}")
        return None
    for oddity in sound.oddities:
        problems.report("KT631", f"MIDI file is not as the standard has it: {oddity}", severity="warning")
    names = load_taxonomy(PROGRAMS).leaves
    labels = [names[program] for program in sound.programs]
    if sound.defaulted:
        message = f"notes before any program: played by program 0, {names[0]}"
        problems.report("KT633", message, severity="note")
    if sound.percussion:
        if look_up([PERCUSSION], reader.options)[0].fate in ("known", "kept", "left out"):
            labels.append(PERCUSSION)
        else:
            message = f"channel of percussion left out: the taxonomy has no `{PERCUSSION}`"
            hint = f"a label map can say what `{PERCUSSION}` is"
            problems.report("KT632", message, severity="note", hint=hint)
    if not labels and not sound.percussion:
        reader.report_empty()
        return None
    entries = LabelRows.of(labels, lambda _: Place(problems.file))
    return reader.finish(entries, KEY_OF_ONE_LIST, ReadingRules())
