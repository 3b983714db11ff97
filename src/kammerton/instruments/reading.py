# SPDX-License-Identifier: MIT
"""Read instruments: which reader a file belongs to, and lists that come from Python."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import compress
from pathlib import PurePath
from typing import Any

import numpy as np

from kammerton.errors import DataError, quote
from kammerton.formats.json_places import JsonPlaces, decode
from kammerton.formats.reading import Problems, read_one
from kammerton.formats.source import open_regular, read_bytes, read_text, text_kind
from kammerton.formats.tables import Header, first_row, read_table
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.formats import documents, label_lines, tables
from kammerton.instruments.labels import (
    KEY_OF_ONE_LIST,
    LabelRows,
    ListReader,
    ParsedLists,
    ReadingRules,
    as_items,
    as_reading,
    judge,
)
from kammerton.instruments.options import PROGRAMS, InstrumentOptions, look_up
from kammerton.model.annotations import Metadata, Place
from kammerton.model.measure import Values
from kammerton.model.task import ItemReadings, Reading

SUFFIXES = frozenset(
    (
        *(".jams", ".json", ".csv", ".tsv", ".txt", ".yaml", ".yml", ".npz"),
        *(".mid", ".midi", ".qrels", ".run", ".trec"),
    )
)
"""Suffixes of files of instruments."""

_SINGLE = frozenset((".jams", ".yaml", ".yml", ".mid", ".midi"))
"""Suffixes of files that are one item."""

_YAML = frozenset((".yaml", ".yml"))
_SPELLINGS = dict.fromkeys(("KT600", "KT601", "KT602"), 1000)
"""Labels that the taxonomy does not have are all listed: who mends them needs the whole list."""

_MIDI = frozenset((".mid", ".midi"))
_TABLES = frozenset((".csv", ".tsv"))


def read(
    path: str | os.PathLike[str], *, annotator: str | None = None, options: InstrumentOptions | None = None
) -> InstrumentList:
    r"""Read the instruments of one recording from a file.

    Parameters
    ----------
    path : path
        A file of any format that instruments are read from, if it holds one recording.
    annotator : str, optional
        Which annotation, where the file holds several.
    options : InstrumentOptions, optional
        How it is read.

    Returns
    -------
    InstrumentList

    Raises
    ------
    DataError
        If the file cannot be used.
    OptionError
        If it holds several annotations and ``annotator`` names none of them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = pathlib.Path(folder, "song.txt").write_text("piano\nvoice\n")
    ...     read(pathlib.Path(folder, "song.txt")).labels
    ('piano', 'voice')
    """
    return read_one(read_instruments, path, annotator, options or InstrumentOptions())


def read_instruments(
    path: str | os.PathLike[str], name: str | None = None, options: InstrumentOptions | None = None
) -> Reading[InstrumentList]:
    """Read the instruments of one item, of any format."""
    return read_with_metadata(path, name, options)[0]


def read_with_metadata(
    path: str | os.PathLike[str], name: str | None = None, options: InstrumentOptions | None = None
) -> tuple[Reading[InstrumentList], Sequence[Metadata]]:
    """Read what :func:`read_instruments` does, and what a JAMS file has beside each of its lists."""
    parsed, problems = _parse(path, name, options)
    reading = as_reading(parsed, problems)
    return reading, parsed.metadata if parsed is not None and reading.annotations else ()


def unfold(
    path: str | os.PathLike[str], name: str | None = None, options: InstrumentOptions | None = None
) -> ItemReadings[InstrumentList] | None:
    """Read a file that holds many items."""
    if PurePath(os.fsdecode(path)).suffix.lower() in _SINGLE:
        return None
    parsed, problems = _parse(path, name, options, items=True)
    return as_items(parsed, problems) if parsed is not None and parsed.names_items else None


def _parse(
    path: str | os.PathLike[str], name: str | None, options: InstrumentOptions | None, *, items: bool = False
) -> tuple[ParsedLists | None, Problems]:
    """Read a file, of any format."""
    reader = ListReader(
        Problems(os.fsdecode(path) if name is None else name, _SPELLINGS), options or InstrumentOptions()
    )
    problems, limits = reader.problems, reader.options.limits
    suffix = PurePath(os.fsdecode(path)).suffix.lower()
    try:
        if suffix == ".npz":
            from kammerton.instruments.formats.binary import read_openmic_arrays  # noqa: PLC0415

            with open_regular(path, name=problems.file) as stream:
                return read_openmic_arrays(stream, reader), problems
        if suffix in _MIDI:
            from kammerton.instruments.formats.binary import read_midi_programs  # noqa: PLC0415 - few files are

            data = read_bytes(path, name=problems.file, limits=limits)
            return read_midi_programs(data, reader), problems
        text = read_text(path, name=problems.file, encoding=reader.options.encoding, limits=limits)
    except DataError as error:
        for problem in error.diagnostics:
            problems.add(problem)
        return None, problems
    parsed = parse_text(text, suffix, reader, items=items)
    kind = text_kind(text) if problems.has_errors else None
    if kind is None or kind.task == "instruments":
        return parsed, problems
    other_kind = Problems(problems.file)
    other_kind.add(kind.diagnose(problems.file))
    return None, other_kind


def parse_text(text: str, suffix: str, reader: ListReader, *, items: bool = False) -> ParsedLists | None:
    """Read the text of a file."""
    if suffix in _YAML:
        return documents.read_metadata(text, reader)
    if suffix in (".jams", ".json") or text.lstrip()[:1] in ("{", "["):
        return _parse_json(text, suffix, reader, items=items)
    segments = label_lines.segments_header(text)
    if segments is not None:
        return label_lines.read_segments(text, segments, reader)
    header = first_row(text, lambda names: len(tables.NAMES.columns(names)[0]))
    if header is None:
        reader.report_empty()
        return None
    return _parse_rows(text, header, suffix, reader, items=items)


def _parse_rows(
    text: str, header: Header, suffix: str, reader: ListReader, *, items: bool
) -> ParsedLists | None:
    """Read a text of lines: judgements and runs, tables, labels."""
    form = None if suffix in _TABLES else label_lines.trec_form(header.text)
    if form is not None:
        return label_lines.read_trec(text, form, reader)
    if label_lines.is_jamendo(header):
        return label_lines.read_jamendo(text, header, reader)
    if suffix in _TABLES or len(tables.NAMES.columns(header.names)[0]) > 1:
        return _parse_table(text, header, reader)
    kind = None if items else text_kind(text)
    if kind is not None:  # any text has lines
        reader.problems.add(kind.diagnose(reader.problems.file))
    return None if items or kind else label_lines.read_label_lines(text, reader)


def _parse_json(text: str, suffix: str, reader: ListReader, *, items: bool) -> ParsedLists | None:
    """Read JSON: JAMS if it is built like that."""
    if not text.strip():
        reader.report_empty()
        return None
    places = JsonPlaces(text, reader.problems.file)
    document = decode(places, reader.problems, reader.options.limits)
    if document is None:
        return None
    single = suffix == ".jams" or documents.is_jams(document.value)
    if items and (single or documents.is_one_item(document.value)):
        return None
    return (documents.read_jams_tags if single else documents.read_json)(document.value, places, reader)


def _parse_table(text: str, header: Header, reader: ListReader) -> ParsedLists | None:
    """Read a table: long if a column is of instruments, else wide."""
    table = read_table(text, header, reader.problems, reader.options.limits)
    if table is None:
        return None
    if not len(table) and not table.uneven:
        reader.report_empty()
        return None
    columns, _ = tables.NAMES.columns(header.names)
    if "label" in columns:
        return tables.read_long_table(table, reader)
    if columns.keys() & {"score", "rank", "relevance"}:
        tables.report_missing(table, reader.problems, "label")
        return None
    return tables.read_wide_table(table, reader)


# --- objects of Python -------------------------------------------------------------------------

_ATTRIBUTES = ("instruments", "instrument", "labels", "tags")
"""What objects call their labels: the first are those of mirdata."""
_HINT = "a list or set of labels, pairs of label and score, or a mapping of labels to scores"


def adopt(value: object, name: str, options: InstrumentOptions | None = None) -> Reading[InstrumentList]:
    """Take a list of instruments of the caller's.

    Examples
    --------
    >>> ((_, adopted),) = adopt({"piano": 0.25, "violin": 0.75}, "song").annotations
    >>> adopted.labels, adopted.scores.tolist(), adopted.vector
    (('piano', 'violin'), [0.25, 0.75], True)
    """
    adoption = _Adoption(Problems(name), options or InstrumentOptions())
    if isinstance(value, InstrumentList):
        return adoption.of_list(value)
    if isinstance(value, Mapping):
        return adoption.of_scores(value)
    if _is_listed(value):
        return adoption.of_labels(value)
    for attribute in _ATTRIBUTES:
        content = getattr(value, attribute, None)
        if isinstance(content, Mapping):
            return adoption.of_relevance(content)
        if isinstance(content, str):
            content = [content]
        if _is_listed(content):
            return adoption.of_labels(content)
    return adoption.refuse(f"not a list of instruments: {type(value).__name__}", _HINT)


def _is_listed(value: object) -> bool:
    return isinstance(value, np.ndarray | AbstractSet) or (
        isinstance(value, Sequence) and not isinstance(value, str | bytes)
    )


class _Adoption(ListReader):
    """Adopts one object."""

    def refuse(self, message: str, hint: str | None = None) -> Reading[InstrumentList]:
        """Report what is wrong with the object."""
        self.problems.report("KT620", message, hint=hint)
        return Reading((), self.problems.diagnostics())

    def _place(self, row: int) -> Place:
        return Place(self.problems.file, row=row)

    def of_list(self, value: InstrumentList) -> Reading[InstrumentList]:
        """Adopt a list that was made already, perhaps by hand, or read under other options."""
        fault = _fault_of(value)
        if fault is not None:
            return self.refuse(fault)
        written = () if value.query else (*value.labels, *value.absent)
        meanings = look_up(written, self.options)
        if all(
            meaning.stays and meaning.label == label for label, meaning in zip(written, meanings, strict=True)
        ):
            return Reading(((None, value),))
        present = self._looked_up(value.labels, value)
        absent = self._looked_up(value.absent, replace(value, scores=np.empty(0))).labels
        names = {old: new.label for old, new in zip(written, meanings, strict=True)}
        adopted = replace(
            value,
            labels=present.labels,
            scores=present.scores,
            absent=tuple(label for label in absent if label not in present.labels),
            grades=np.empty(0, dtype=np.int64),
            segments=tuple(
                segment._replace(label=names[segment.label])
                for segment in value.segments
                if names.get(segment.label) in present.labels
            ),
        )
        return as_reading(ParsedLists(KEY_OF_ONE_LIST, [adopted]), self.problems)

    def _looked_up(self, labels: Sequence[str], value: InstrumentList) -> InstrumentList:
        scores = value.scores if len(value.scores) else None
        entries = LabelRows.of(labels, self._place, scores=scores)
        rules = ReadingRules(ordered=value.ranked, vector=value.vector)
        return self.finish(entries, KEY_OF_ONE_LIST, rules).lists[0]

    def of_labels(self, value: Any) -> Reading[InstrumentList]:
        """Adopt labels, or pairs of label and score."""
        if isinstance(value, np.ndarray) and value.ndim > 1:
            return self.refuse(f"labels must be an array of one dimension, not of shape {value.shape}", _HINT)
        labels = value.tolist() if isinstance(value, np.ndarray) else list(value)
        if labels and all(isinstance(label, tuple | list) and len(label) == 2 for label in labels):
            scores = self._numbers([score for _, score in labels])
            return self._adopt([label for label, _ in labels], ReadingRules(), scores)
        if isinstance(value, AbstractSet):
            labels.sort(key=str)  # the order of a set is not the same each time
        return self._adopt(labels, ReadingRules(ordered=not isinstance(value, AbstractSet)))

    def of_scores(self, value: Mapping[Any, Any]) -> Reading[InstrumentList]:
        """Adopt a mapping of labels to scores; of labels to 1 and 0, if these are all there are."""
        scores, labels = self._numbers(value.values()), list(value)
        if np.isin(scores, (0.0, 1.0)).all():
            present = [label for label, score in zip(labels, scores.tolist(), strict=True) if score]
            return self._adopt(present, ReadingRules())
        lacking = np.isnan(scores)
        if lacking.any() and not self.problems.has_errors:
            row = int(lacking.argmax())
            message = f"label without a score left out: {quote(str(labels[row]))}"
            self.note("KT612", message, int(lacking.sum()), self._place(row), "")
            labels, scores = list(compress(labels, ~lacking)), scores[~lacking]
        return self._adopt(labels, ReadingRules(vector=True), scores)

    def of_relevance(self, value: Mapping[Any, Any]) -> Reading[InstrumentList]:
        """Adopt a mapping of labels that were judged to their relevance."""
        relevance = self._numbers(value.values())
        rules = ReadingRules(closed=np.array([self.options.assume_absent]))
        return self._adopt(list(value), rules, relevance, judged=True)

    def _numbers(self, values: Collection[object]) -> Values:
        """Return scores, NaN for None; report those that are no numbers."""
        numbers = list(map(_number, values))
        for row, (value, number) in enumerate(zip(values, numbers, strict=True)):
            if number is None:
                message = f"score is no finite number: {quote(str(value))}"
                self.problems.report("KT609", message, self._place(row))
        return np.array(numbers, dtype=np.float64)

    def _adopt(
        self,
        labels: Sequence[object],
        rules: ReadingRules,
        scores: Values | None = None,
        *,
        judged: bool = False,
    ) -> Reading[InstrumentList]:
        for row, label in enumerate(labels):
            if not isinstance(label, str) and not self._is_program(label):
                message = f"label must be a string, not {type(label).__name__}"
                self.problems.report("KT620", message, self._place(row), hint=_HINT)
        if self.problems.has_errors:
            return Reading((), self.problems.diagnostics())
        texts = [str.__str__(label) if isinstance(label, str) else str(label) for label in labels]
        entries = LabelRows.of(texts, self._place)
        if judged and scores is not None:
            entries.present = judge(entries, scores, self.options)
        else:
            entries.scores = scores
        return as_reading(self.finish(entries, KEY_OF_ONE_LIST, rules), self.problems)

    def _is_program(self, label: object) -> bool:
        """Return whether a label is a number of a taxonomy whose instruments have numbers."""
        tree = self.options.tree
        is_number = isinstance(label, int | np.integer) and not isinstance(label, bool)
        return is_number and tree is not None and tree.name == PROGRAMS


def _fault_of(value: InstrumentList) -> str | None:
    """Return what is wrong with a list that somebody made by hand."""
    labels = (*value.labels, *value.absent)
    for label in labels:
        if not isinstance(label, str):
            return f"label must be a string, not {type(label).__name__}"
    if len(set(labels)) < len(labels):
        again = next(label for place, label in enumerate(labels) if label in labels[:place])
        return f"label stands twice in a list: {quote(again)}"
    for what, column in (("scores", value.scores), ("grades", value.grades)):
        numbers = np.asarray(column)
        if numbers.shape not in ((0,), (len(value.labels),)):
            return f"{what} of a list have shape {numbers.shape}, and it has {len(value.labels):,} labels"
        if not np.isfinite(numbers).all():
            return f"{what} of a list must be finite"
    return None


def _number(value: object) -> float | None:
    """Return a number, NaN for what stands for none, or None for what is no finite number."""
    if value is None:
        return math.nan
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return None if math.isinf(number) else number
