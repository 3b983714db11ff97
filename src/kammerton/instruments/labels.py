# SPDX-License-Identifier: MIT
"""Labels of a source become lists: names, numbers, scores and repeats are checked, for every reader."""

from __future__ import annotations

import math
import os.path
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags
from kammerton.errors import Severity, inflected, out_of, plural, quote
from kammerton.formats.folders import normal_form
from kammerton.formats.intervals import number_pattern
from kammerton.formats.reading import NO_ROWS, Problems, such_rows
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.options import (
    LABEL_MAPS,
    InstrumentOptions,
    LabelMap,
    Meaning,
    load_label_map,
    look_up,
)
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.annotations import Metadata, Place
from kammerton.model.measure import Values
from kammerton.model.task import ItemReadings, Reading

# --- rows of labels ------------------------------------------------------------------------


def coded(cells: Sequence[str]) -> tuple[list[str], Codes]:
    """Return the distinct cells, and which of them each row has.

    >>> values, codes = coded(["b", "a", "b"])
    >>> values, codes.tolist()
    (['b', 'a'], [0, 1, 0])
    """
    index = {cell: code for code, cell in enumerate(dict.fromkeys(cells))}
    return list(index), np.fromiter(map(index.__getitem__, cells), np.int64, len(cells))


@dataclass(slots=True, eq=False)
class LabelRows:
    """The rows of all lists of a source."""

    spellings: Sequence[str]  # the distinct labels
    codes: Codes  # which of them a row has
    lists: Codes  # which list a row belongs to
    locate: Callable[[int], Place]  # ``locate(row)`` returns the place of the label of a row
    scores: Values | None = None  # NaN where there is none
    present: Flags | None = None  # whether the label is there, or judged not to be; by default all are
    grades: Codes | None = None  # how relevant it is

    @classmethod
    def of(
        cls,
        labels: Sequence[str],
        locate: Callable[[int], Place],
        lists: Codes | None = None,
        scores: Values | None = None,
    ) -> LabelRows:
        """Take one label per row, by default all of one list."""
        spellings, codes = coded(labels)
        return cls(spellings, codes, np.zeros_like(codes) if lists is None else lists, locate, scores)

    def take(self, rows: NDArray[np.intp]) -> LabelRows:
        """Return the rows of these indices, in this order."""
        locate = self.locate
        return LabelRows(
            self.spellings,
            self.codes[rows],
            self.lists[rows],
            lambda row: locate(int(rows[row])),
            None if self.scores is None else self.scores[rows],
            None if self.present is None else self.present[rows],
            None if self.grades is None else self.grades[rows],
        )


@dataclass(frozen=True, slots=True, eq=False)
class ReadingRules:
    """What the rows of a source mean."""

    ordered: bool | Flags = False  # whether their order ranks the labels of lists without scores
    vector: bool = False  # whether the scores are of a whole vocabulary; they then stay in order
    closed: Flags | None = None  # whether labels that a list does not have are absent; by default they are
    query: bool = False  # whether lists are queries, and their labels documents
    repeats: bool = False  # whether lists usually have a label several times, which is then not reported
    names_items: bool = False  # whether the source names its items, so that messages count them
    score: str = "score"  # what the source calls a score


Key = tuple[str, str | None]
"""Item and annotator of a list."""


@dataclass(frozen=True, slots=True, eq=False)
class ParsedLists:
    """The lists of a source."""

    keys: Sequence[Key]
    lists: Sequence[InstrumentList]  # one for each key; broken ones hold what could be read
    broken: Mapping[int, str] = field(default_factory=dict)  # why a list cannot be used
    names_items: bool = False  # whether the source names its items; else it is one item
    metadata: Sequence[Metadata] = ()  # what a JAMS file has beside each list; empty if it is none


def judge(entries: LabelRows, relevance: Values, options: InstrumentOptions) -> Flags:
    """Return which labels are relevant enough to be present."""
    least = np.full(len(entries.spellings), np.inf)
    for code, meaning in enumerate(look_up(entries.spellings, options)):
        if meaning.stays:
            least[code] = options.truth_cut.values([meaning.label])[0]
    return options.truth_cut.reached(relevance, least[entries.codes])


# --- rows to lists -------------------------------------------------------------------------

Indices = NDArray[np.intp]
Repeats = tuple[Indices, Indices]
"""Rows left out because their list has the label already, ascending; and the row kept for each."""
_NO_SCORES: Values = np.empty(0)
_NO_GRADES: Codes = np.empty(0, dtype=np.int64)


def assemble(rows: LabelRows, count: int, rules: ReadingRules) -> tuple[list[InstrumentList], Repeats]:
    """Make lists of rows.

    Examples
    --------
    >>> rows = LabelRows.of(["violin", "piano", "violin"], Place, scores=np.array([0.25, 0.5, 0.75]))
    >>> (annotation,), (repeated, _) = assemble(rows, 1, ReadingRules())
    >>> annotation.labels, annotation.scores.tolist(), repeated.tolist()
    (('violin', 'piano'), [0.75, 0.5], [0])
    """
    keys = rows.lists * max(1, len(rows.spellings)) + rows.codes
    rows_in_order, repeats = _firsts(keys, _order(rows, by_score=not rules.vector))
    if len(repeats[0]) and rules.vector:
        _, repeats = _firsts(keys, _order(rows, by_score=True))
        first = np.delete(np.arange(len(keys)), repeats[0])
        rows_in_order = first[np.argsort(rows.lists[first], kind="stable")]
    return _cut(rows.take(rows_in_order), count, rules), repeats


def _order(rows: LabelRows, *, by_score: bool) -> Indices:
    """Return the order by list, presence, score and row."""
    keys: list[NDArray[Any]] = [rows.lists]
    if rows.present is not None:
        keys.insert(0, ~rows.present)
    if rows.scores is not None and by_score:
        keys.insert(0, np.where(np.isnan(rows.scores), 0.0, -rows.scores))
    return np.lexsort(keys)


def _firsts(keys: Codes, order: Indices) -> tuple[Indices, Repeats]:
    """Return the first row of each key, in this order; and the other rows."""
    ordered = keys[order]
    distinct, first = np.unique(ordered, return_index=True)
    repeated = np.ones(len(keys), dtype=bool)
    repeated[first] = False
    again = order[repeated]
    firsts = order[first[np.searchsorted(distinct, ordered[repeated])]]
    by_row = np.argsort(again)
    return order[~repeated], (again[by_row], firsts[by_row])


def _cut(rows: LabelRows, count: int, rules: ReadingRules) -> list[InstrumentList]:
    """Cut sorted rows where the next list begins."""
    ends = np.cumsum(np.bincount(rows.lists, minlength=count))
    present_ends = ends
    if rows.present is not None:
        present_ends = ends - np.bincount(rows.lists[~rows.present], minlength=count)
    scored = np.zeros(count, dtype=bool)
    if rows.scores is not None:
        scored = np.bincount(rows.lists[~np.isnan(rows.scores)], minlength=count) > 0
    labels = np.array([*rows.spellings, ""], dtype=object)[rows.codes].tolist()
    scores = _NO_SCORES if rows.scores is None else rows.scores
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}  # lists over one vocabulary have one tuple of it
    closed = np.ones(count, dtype=bool) if rules.closed is None else rules.closed
    ordered = np.broadcast_to(rules.ordered, count)
    columns = (present_ends, ends, scored, closed, ordered)
    lists = []
    begin = 0
    for middle, end, has_scores, is_closed, in_order in zip(*(c.tolist() for c in columns), strict=True):
        listed = tuple(labels[begin:middle])
        annotation = InstrumentList(
            shared.setdefault(listed, listed) if rules.vector else listed,
            scores[begin:middle] if has_scores else _NO_SCORES,
            ranked=has_scores or in_order or (middle == begin and rows.scores is not None),
            vector=rules.vector and has_scores,
            absent=tuple(labels[middle:end]) if middle < end else (),
            closed=is_closed,
            grades=_NO_GRADES if rows.grades is None else rows.grades[begin:middle],
            query=rules.query,
        )
        lists.append(annotation)
        begin = end
    return lists


# --- readers -------------------------------------------------------------------------------

KEY_OF_ONE_LIST: list[Key] = [("", None)]
"""Key of the only list of a file that is one item and has one annotator."""
Where = Place | Callable[[], Place] | None
"""Place of a problem; a callable is asked only if the problem will be listed."""


def first_place(first: Place) -> str:
    """Return the hint for an item that stands twice: where it stands first."""
    column = f", column {first.column}" if (first.column or 1) > 1 else ""
    where = f"in line {first.line}{column}" if first.row is None else f"at row index {first.row}"
    return f"it stands first {where}: take one of the two out"


@dataclass(eq=False)
class ListReader:
    """What every reader of lists needs, and which lists of its source are broken."""

    problems: Problems
    options: InstrumentOptions
    broken: dict[int, str] = field(default_factory=dict, init=False)

    def fail(self, number: int, code: str, message: str, place: Where, hint: str | None = None) -> None:
        """Report an error, and mark the list that it is in as broken."""
        self.problems.report(code, message, place, hint=hint)
        self.broken.setdefault(number, f"{code} {message}")

    def note(self, code: str, message: str, count: int, place: Where = None, what: str = "such rows") -> None:
        """Note what holds of several rows, or of something else, at the first of them."""
        message += such_rows(count, what) if what else ""
        self.problems.report(code, message, place, severity="note", count=count)

    def note_unjudged(self, judged: int, pairs: int) -> None:
        """Note that not every pair of list and label was judged, if it is so."""
        if judged < pairs:
            assumed = self.options.assume_absent
            rest = "counts as absent" if assumed else "is neither right nor wrong"
            count = f"{out_of(judged, pairs, 'pair')} of item and instrument"
            message = f"{count} {inflected(judged, 'was', 'were')} judged; the rest {rest}"
            hint = None if assumed else "--assume-absent takes what nobody judged for absent"
            self.problems.report("KT614", message, severity="note", hint=hint)

    def report_empty(self) -> None:
        """Report that a file has no rows."""
        self.problems.report(NO_ROWS, "no annotation rows")

    def report_unrecognised(self, place: Place, message: str, hint: str) -> None:
        """Report that a file has none of the forms that are read."""
        self.problems.report("KT624", f"format not recognised: {message}", place, hint=hint)

    def report_unusable_names(
        self,
        names: Sequence[str],
        locate: Callable[[int], Place],
        rows: Iterable[int] | None = None,
        what: str = "row",
    ) -> None:
        """Report each row or key, by default of all, that names no item, or one that stood before."""
        firsts: dict[str, int] = {}
        for row in range(len(names)) if rows is None else rows:
            name = names[row]
            first = firsts.setdefault(name, row)
            if not name:
                self.fail(row, "KT621", f"{what} names no item", locate(row))
            elif first < row:
                message, hint = f"item stands twice: {quote(name)}", first_place(locate(first))
                self.fail(row, "KT618", message, locate(row), hint)

    def add_uneven(
        self, keys: list[Key], uneven: Iterable[tuple[Sequence[str], str]], index: int = 0
    ) -> None:
        """Add the items of rows that could not be cut into cells, as broken."""
        numbers = {item: number for number, (item, _) in enumerate(keys)}
        for record, reason in uneven:
            if index < len(record) and record[index].strip():
                (item,) = item_names([record[index]])
                if item not in numbers:
                    numbers[item] = len(keys)
                    keys.append((item, None))
                self.broken.setdefault(numbers[item], reason)

    def numbers(
        self,
        cells: Sequence[str],
        lists: Codes,
        locate: Callable[[int], Place],
        *,
        what: str = "score",
        commas: bool = False,
        required: bool = False,
    ) -> Values:
        """Return cells as numbers, NaN where there is none; lists with a wrong cell are broken."""
        if commas:
            cells = [cell.replace(",", ".") for cell in cells]
        known = {cell: _number(cell.strip()) for cell in set(cells)}
        numbers = [known[cell] for cell in cells]
        for row in [row for row, number in enumerate(numbers) if _is_wrong(number, required=required)]:
            written = cells[row].strip()
            message = f"{what} is no finite number: {quote(written)}" if written else f"row has no {what}"
            hint = f"a {what} looks like {'1' if what == 'rank' else '0.75'}"
            if "," in written and _COMMA.fullmatch(written):
                hint = "write it with a decimal point"
            self.fail(int(lists[row]), "KT609", message, partial(locate, row), hint)
        values = np.array(numbers, dtype=np.float64)
        blanks = {cell for cell, number in known.items() if number is not None and math.isnan(number)}
        undefined = (
            [row for row, cell in enumerate(cells) if cell in blanks and cell.strip()] if blanks else []
        )
        if undefined and not required:
            message = f"{what} is not a number, and counts as none"
            self.note("KT612", message, len(undefined), partial(locate, undefined[0]))
        return values

    def compare_ranks(
        self, ranks: Values, scores: Values, lists: Codes, locate: Callable[[int], Place], what: str
    ) -> None:
        """Note that ranks give another order than scores."""
        order = np.lexsort((ranks, -scores, lists))
        same, falling = np.diff(lists[order]) == 0, np.diff(scores[order]) < 0
        against = np.flatnonzero(same & falling & (np.diff(ranks[order]) < 0))
        if len(against):
            count, place = len(np.unique(lists[order[against]])), locate(int(order[against[0] + 1]))
            self.note("KT613", "rank contradicts the scores, which count", count, place, what)

    def finish(self, entries: LabelRows, keys: Sequence[Key], rules: ReadingRules) -> ParsedLists:
        """Make lists of the rows of the source."""
        check = _Check(self, entries, rules)
        check.report_meanings()
        names: dict[str, int] = {}
        targets = [
            names.setdefault(meaning.label, len(names)) if meaning.stays else -1 for meaning in check.meanings
        ]
        codes = np.array(targets, dtype=np.int64)[entries.codes]
        staying = np.flatnonzero(codes >= 0)
        rows = replace(entries, spellings=list(names), codes=codes).take(staying)
        if rows.scores is not None and not rules.vector:
            check.report_unscored(rows.scores, rows.lists, staying)
        lists, (repeated, first) = assemble(rows, len(keys), rules)
        if len(repeated) and not rules.repeats:
            check.report_repeats(staying[repeated].tolist(), staying[first].tolist())
        return ParsedLists(keys, lists, self.broken, rules.names_items)


# --- numbers -------------------------------------------------------------------------------

_NUMBER = re.compile(number_pattern("."))
_COMMA = re.compile(number_pattern(","))
_TRUTH = {"true": 1.0, "false": 0.0}


def is_number(cell: str) -> bool:
    """Return whether a cell is a number, and not empty.

    >>> [is_number(cell) for cell in ("0.5", "TRUE", "nan", "high", " ")]
    [True, True, False, False, False]
    """
    return not _is_wrong(_number(cell.strip()), required=True)


def _is_wrong(number: float | None, *, required: bool) -> bool:
    return number is None or (required and math.isnan(number))


def _number(cell: str) -> float | None:
    """Return what a cell means, NaN if it stands for nothing, None if it is no finite number."""
    if _NUMBER.fullmatch(cell):
        value = float(cell)
        return None if math.isinf(value) else value
    folded = cell.casefold()
    return math.nan if folded in ("", "nan") else _TRUTH.get(folded)


# --- checks --------------------------------------------------------------------------------

_IDENTIFIERS = ("/m/", "/t/dd", "/g/")
"""What identifiers of AudioSet begin with."""


@dataclass(eq=False)
class _Check:
    """Reports what is wrong with the entries of one source."""

    reader: ListReader
    entries: LabelRows
    rules: ReadingRules

    @cached_property
    def meanings(self) -> list[Meaning]:
        """What each spelling means."""
        return look_up(self.entries.spellings, self.reader.options)

    def _report(
        self,
        rows: Sequence[int] | Indices,
        severity: Severity,
        code: str,
        message: str,
        hint: str | None = None,
        noun: str = "item",
    ) -> None:
        """Report something about rows, at the first of them; their lists are broken if it is an error."""
        lists = np.unique(self.entries.lists[rows]).tolist()
        count = len(rows) if noun == "time" else len(lists)
        many = f" ({plural(count, noun)})" if noun and self.rules.names_items else ""
        place = partial(self.entries.locate, int(rows[0]))
        self.reader.problems.report(code, message + many, place, severity=severity, hint=hint, count=count)
        if severity == "error":
            for number in lists:
                self.reader.broken.setdefault(number, f"{code} {message}")

    def report_meanings(self) -> None:
        """Report each spelling that is not simply a label, once."""
        odd = [code for code, meaning in enumerate(self.meanings) if not meaning.is_plain]
        if odd:
            order = np.argsort(self.entries.codes, kind="stable")
            codes = self.entries.codes[order]
            begins, ends = (np.searchsorted(codes, odd, side=side).tolist() for side in ("left", "right"))
            for code, begin, end in zip(odd, begins, ends, strict=True):
                if begin < end:  # the header of a table may name more than its rows do
                    self._report_meaning(self.entries.spellings[code], self.meanings[code], order[begin:end])
        message = "numbers are read as programs of General MIDI, counted from 0"
        self._note_reading("KT608", message, [meaning.program for meaning in self.meanings])
        tree = self.reader.options.tree
        if tree is not None:
            message = f"identifiers are read by the names that {quote(tree.name)} gives them"
            self._note_reading("KT629", message, [meaning.identified for meaning in self.meanings])
        elif self.reader.options.label_map is None:
            concerned = [spelling.strip().startswith(_IDENTIFIERS) for spelling in self.entries.spellings]
            hint = "--taxonomy ontology.json, or --map class_labels_indices.csv, gives them names"
            self._note_reading("KT629", "labels are identifiers of AudioSet, not names", concerned, hint)

    def _report_meaning(self, spelling: str, meaning: Meaning, rows: Indices) -> None:
        options, written, label = self.reader.options, quote(spelling.strip()), quote(meaning.label)
        label_map = f"the label map {quote(PurePath(options.map).name)}"
        if meaning.mapped:
            self._report(rows, "note", "KT605", f"{written} is taken for {label} by {label_map}")
        if meaning.root:
            message = f"{label} is the root of the taxonomy: it counts in flat measures only"
            self._report(rows, "warning", "KT607", message)
        if meaning.fate == "left out":
            self._report(rows, "note", "KT606", f"{written} is no instrument by {label_map}, and left out")
        elif meaning.fate == "empty":
            self._report(rows, "error", "KT619", "row has no instrument", noun="")
        elif meaning.fate == "long":
            limit = f"over the limit of {options.limits.label:,}"
            message = f"label of {len(meaning.label):,} characters, {limit}: {label}"
            self._report(rows, "error", "KT106", message, noun="")
        elif options.tree is not None and meaning.fate != "known":
            self._report_unknown(meaning, options.tree, rows)

    def _report_unknown(self, meaning: Meaning, tree: Taxonomy, rows: Indices) -> None:
        label, name = quote(meaning.label), quote(tree.name)
        if meaning.fate == "outside":
            self._report(rows, "note", "KT606", f"{label} is no instrument by {name}, and left out")
        elif meaning.fate == "dropped":
            self._report(rows, "warning", "KT601", f"taxonomy {name} has no {label}: left out")
        elif meaning.fate == "kept":
            message = f"taxonomy {name} has no {label}: counted as a label of its own"
            self._report(rows, "note", "KT602", message)
        else:
            hint = self._unknown_hint(meaning.label, tree) if self.reader.problems.room("KT600") else None
            self._report(rows, "error", "KT600", f"taxonomy {name} has no {label}", hint)

    def _unknown_hint(self, label: str, tree: Taxonomy) -> str:
        """Return what to do about a label that the taxonomy does not have, but perhaps a label map."""
        nearest, casefold = tree.nearest(label), self.reader.options.casefold
        if not casefold and nearest and nearest[0].casefold() == label.casefold():
            return f"{quote(nearest[0])} differs by case only: --casefold takes it for that"
        parts = [f"nearest: {', '.join(map(quote, nearest))}"] if nearest else []
        fitting = self._fitting_map
        fits = fitting is not None and fitting.has(label, casefold)
        if fitting is not None and fits:
            target = fitting.name.rpartition("-to-")[2]
            taxonomy = "" if tree.name == target else f"--taxonomy {target} "
            parts.append(f"`{taxonomy}--map {fitting.name}` knows it")
        translates = "" if fits else f"; --map FILE translates{'' if nearest else ' labels'}"
        return "; ".join([*parts, f"--unknown drop leaves it out, --unknown keep counts it{translates}"])

    @cached_property
    def _fitting_map(self) -> LabelMap | None:
        """The built-in label map that has most of the unknown labels, if one has more than half."""
        if self.reader.options.map:
            return None
        labels = {meaning.label for meaning in self.meanings if meaning.fate == "unknown"}
        casefold, maps = self.reader.options.casefold, map(load_label_map, LABEL_MAPS)
        counts = {table: sum(table.has(label, casefold) for label in labels) for table in maps}
        best = max(counts, key=counts.__getitem__)
        return best if 2 * counts[best] > len(labels) else None

    def _note_reading(
        self, code: str, message: str, concerned: Sequence[bool], hint: str | None = None
    ) -> None:
        """Note how the spellings that are concerned were read, once."""
        rows = np.flatnonzero(np.array(concerned, dtype=bool)[self.entries.codes])
        if len(rows):
            self._report(rows, "note", code, message, hint)

    def report_repeats(self, repeated: Sequence[int], first: Sequence[int]) -> None:
        """Report rows left out because their list has the label: as written, or by what it is read as."""
        codes, spellings = self.entries.codes, self.entries.spellings
        equal: dict[str, list[int]] = {}
        for row, other in zip(repeated, first, strict=True):
            label = self.meanings[codes[row]].label
            if spellings[codes[row]].strip() == spellings[codes[other]].strip():
                message = f"listed twice, counted once: {quote(label)}"
                self._report([row], "warning", "KT603", message, noun="")
            else:
                equal.setdefault(label, []).append(row)
        for label, rows in equal.items():
            message = f"several labels of a list are read as {quote(label)}, and count once"
            self._report(rows, "note", "KT604", message, noun="time")

    def report_unscored(self, scores: Values, lists: Codes, rows: Indices) -> None:
        """Report lists in which some labels have a score and some have none, and those without any."""
        lacking = np.isnan(scores) & ~np.isin(lists, list(self.reader.broken))
        total = np.bincount(lists, minlength=np.size(self.rules.ordered))
        without = np.bincount(lists[lacking], minlength=len(total))
        unscored, first = np.unique(lists[lacking], return_index=True)
        first_rows = rows[lacking][first]
        mixed = (without < total)[unscored]
        score = self.rules.score
        for row in first_rows[mixed].tolist():
            message = f"label without a {score} in a list in which others have one"
            self._report([row], "error", "KT610", message, f"give every label a {score}, or none", noun="")
        ordered = np.broadcast_to(self.rules.ordered, len(total))[unscored]
        unranked = np.sort(first_rows[~mixed & ~ordered])
        if len(unranked):
            hint = "--ranked takes their order for their rank"
            self._report(unranked, "note", "KT611", f"labels without {score}: they are not ranked", hint)


# --- names of items ------------------------------------------------------------------------

_AUDIO = re.compile(
    r"\.(?:wav|wave|mp3|flac|ogg|oga|opus|aiff?|m4a|aac|wma|mid|midi|au|npz|jams)$", re.IGNORECASE
)
"""Suffixes of recordings, of their features, and of annotations, which are no part of their names."""
_ENDING = re.compile(r"_METADATA$|(?<=[^/])/metadata$")
"""What the names of metadata files of MedleyDB, Mixing Secrets and Slakh2100 end in."""


def identify(name: str) -> tuple[str, str | None]:
    """Take the name of a file apart into item and annotator.

    Examples
    --------
    >>> identify("AHa_TakeOnMe_METADATA")
    ('AHa_TakeOnMe', None)
    >>> identify("Track00001/metadata")
    ('Track00001', None)
    """
    return _ENDING.sub("", name), None


def item_names(written: Sequence[str]) -> list[str]:
    """Return what the items of a file are called.

    Examples
    --------
    >>> item_names(["data/a/1.wav", "data/b/1.wav"])
    ['a/1', 'b/1']
    >>> item_names(["AC/DC"])
    ['AC/DC']
    """
    names = [normal_form(name.strip()) for name in written]
    bare = [_AUDIO.sub("", name) or name for name in names]
    if not names or any(len(name) == len(cut) for name, cut in zip(names, bare, strict=True)):
        return bare
    paths = [name.replace("\\", "/") for name in bare]
    folders = {path.rpartition("/")[0] for path in paths}
    if folders == {""}:
        return paths
    try:
        common = os.path.commonpath(folders)
    except ValueError:  # some begin at the root and some do not
        return paths
    return [path[len(common) :].lstrip("/") for path in paths] if common else paths


# --- readings ------------------------------------------------------------------------------


def as_items(parsed: ParsedLists, problems: Problems) -> ItemReadings[InstrumentList]:
    """Return the items of a file; an item is broken if one of its lists is, and what has no name is none."""
    are_empty = all(lists.closed and not len(lists) and not lists.absent for lists in parsed.lists)
    if parsed.lists and are_empty and not parsed.broken:
        problems.report("KT622", "no item of the file has an instrument", severity="warning")
    broken: dict[str, str] = {}
    for number, reason in sorted(parsed.broken.items()):
        broken.setdefault(parsed.keys[number][0], reason)
    items: dict[str, tuple[tuple[str | None, InstrumentList], ...]] = {}
    for (item, annotator), annotation in zip(parsed.keys, parsed.lists, strict=True):
        if item and item not in broken:
            items[item] = (*items.get(item, ()), (annotator, annotation))
    broken.pop("", None)
    return ItemReadings(items, broken, problems.diagnostics())


def as_reading(parsed: ParsedLists | None, problems: Problems) -> Reading[InstrumentList]:
    """Return the lists of one item, or none if there was an error."""
    if parsed is not None and parsed.names_items:
        items = {item for item, _ in parsed.keys}
        if len(items) != 1:
            message = f"file of {len(items):,} items, where one is expected"
            hint = "name the file itself as references or estimates"
            problems.report("KT623", message, hint=hint)
    if parsed is None or problems.has_errors:
        return Reading((), problems.diagnostics())
    annotators = (annotator for _, annotator in parsed.keys)
    return Reading(tuple(zip(annotators, parsed.lists, strict=True)), problems.diagnostics())
