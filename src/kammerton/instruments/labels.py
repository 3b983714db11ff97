# SPDX-License-Identifier: MIT
"""Labels of a source become lists: names, numbers, scores and repeats are checked, for every reader."""

from __future__ import annotations

import math
import os.path
import re
from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePath
from typing import TypeVar

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
class LabelList:
    """What a source lists, row by row."""

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
    ) -> LabelList:
        """Take one label per row, by default all of one list."""
        spellings, codes = coded(labels)
        return cls(spellings, codes, np.zeros_like(codes) if lists is None else lists, locate, scores)

    def take(self, rows: NDArray[np.intp]) -> LabelList:
        """Return the rows of these indices, in this order."""
        locate = self.locate
        return LabelList(
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
    sheet: bool = False  # whether the source names its items, so that messages count them
    score: str = "score"  # what the source calls a score


Key = tuple[str, str | None]
"""Item and annotator of a list."""


@dataclass(frozen=True, slots=True, eq=False)
class ParsedLists:
    """The lists of a source."""

    keys: Sequence[Key]
    lists: Sequence[InstrumentList]  # one for each key; broken ones hold what could be read
    broken: Mapping[int, str] = field(default_factory=dict)  # why a list cannot be used
    is_sheet: bool = False  # whether the source names its items; else it is one item
    metadata: Sequence[Metadata] = ()  # what a JAMS file has beside each list; empty if it is none


def judge(entries: LabelList, relevance: Values, options: InstrumentOptions) -> Flags:
    """Return which labels are relevant enough to be present."""
    least = np.full(len(entries.spellings), np.inf)
    for code, meaning in enumerate(look_up(entries.spellings, options)):
        if meaning.stays:
            least[code] = options.truth_cut.values([meaning.label])[0]
    return options.truth_cut.reached(relevance, least[entries.codes])


def note_unjudged(judged: int, pairs: int, problems: Problems, options: InstrumentOptions) -> None:
    """Note that not every pair of list and label was judged, if it is so."""
    if judged < pairs:
        rest = "counts as absent" if options.assume_absent else "is neither right nor wrong"
        count = f"{out_of(judged, pairs, 'pair')} of item and instrument"
        message = f"{count} {inflected(judged, 'was', 'were')} judged; the rest {rest}"
        hint = None if options.assume_absent else "--assume-absent takes what nobody judged for absent"
        problems.report("KT614", message, severity="note", hint=hint)


# --- rows to lists -------------------------------------------------------------------------

Indices = NDArray[np.intp]
Repeats = tuple[Indices, Indices]
"""Rows left out because their list has the label already, ascending; and the row kept for each."""
_NO_SCORES: Values = np.empty(0)
_NO_GRADES: Codes = np.empty(0, dtype=np.int64)
_NO_ROWS: Indices = np.empty(0, dtype=np.intp)


def assemble(rows: LabelList, count: int, rules: ReadingRules) -> tuple[list[InstrumentList], Repeats]:
    """Make lists of rows.

    Examples
    --------
    >>> rows = LabelList.of(["violin", "piano", "violin"], Place, scores=np.array([0.25, 0.5, 0.75]))
    >>> (annotation,), (repeated, _) = assemble(rows, 1, ReadingRules())
    >>> annotation.labels, annotation.scores.tolist(), repeated.tolist()
    (('violin', 'piano'), [0.75, 0.5], [0])
    """
    keys = rows.lists * max(1, len(rows.spellings)) + rows.codes
    kept, repeats = _firsts(keys, _order(rows, by_score=not rules.vector))
    if len(repeats[0]) and rules.vector:
        _, repeats = _firsts(keys, _order(rows, by_score=True))
        first = np.delete(np.arange(len(keys)), repeats[0])
        kept = first[np.argsort(rows.lists[first], kind="stable")]
    return _cut(rows if kept is None else rows.take(kept), count, rules), repeats


def _order(rows: LabelList, *, by_score: bool) -> Indices | None:
    """Return the order by list, presence, score and row; None if it is the one they have."""
    keys = []
    if rows.scores is not None and by_score:
        keys.append(np.where(np.isnan(rows.scores), 0.0, -rows.scores))
    if rows.present is not None:
        keys.append(~rows.present)
    if not keys and bool((rows.lists[1:] >= rows.lists[:-1]).all()):
        return None
    return np.lexsort((*keys, rows.lists))


def _firsts(keys: Codes, order: Indices | None) -> tuple[Indices | None, Repeats]:
    """Return the first row of each key, in this order, None for all in theirs; and the other rows."""
    ordered = keys if order is None else keys[order]
    distinct, first = np.unique(ordered, return_index=True)
    if len(distinct) == len(ordered):
        return order, (_NO_ROWS, _NO_ROWS)
    indices = np.arange(len(keys)) if order is None else order
    repeated = np.ones(len(keys), dtype=bool)
    repeated[first] = False
    again = indices[repeated]
    kept = indices[first[np.searchsorted(distinct, ordered[repeated])]]
    by_row = np.argsort(again)
    return indices[~repeated], (again[by_row], kept[by_row])


def _cut(rows: LabelList, count: int, rules: ReadingRules) -> list[InstrumentList]:
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


# --- checks --------------------------------------------------------------------------------

_IDENTIFIERS = ("/m/", "/t/dd", "/g/")
"""What identifiers of AudioSet begin with."""


def finish(
    entries: LabelList,
    keys: Sequence[Key],
    problems: Problems,
    options: InstrumentOptions,
    rules: ReadingRules,
    broken: Mapping[int, str] | None = None,
) -> ParsedLists:
    """Make lists of the rows of a source."""
    check = _Check(entries, problems, options, rules, dict(broken or {}))
    meanings = look_up(entries.spellings, options)
    check.report_meanings(meanings)
    check.note_identifiers()
    names: dict[str, int] = {}
    targets = [names.setdefault(each.label, len(names)) if each.stays else -1 for each in meanings]
    codes = np.array(targets, dtype=np.int64)[entries.codes]
    kept = np.flatnonzero(codes >= 0)
    rows = replace(entries, spellings=list(names), codes=codes)
    if len(kept) < len(codes):
        rows = rows.take(kept)
    if not rules.vector:
        check.report_unscored(rows, kept)
    lists, (repeated, first) = assemble(rows, len(keys), rules)
    if len(repeated) and not rules.repeats:
        check.report_repeats(kept[repeated], kept[first], meanings)
    return ParsedLists(keys, lists, check.broken, rules.sheet)


def _fitting_map(labels: Collection[str], options: InstrumentOptions) -> LabelMap | None:
    """Return the built-in label map that has most of some unknown labels, if one has more than half."""
    if options.map or not labels:
        return None
    maps = map(load_label_map, LABEL_MAPS)
    counts = {table: sum(table.has(label, options.casefold) for label in labels) for table in maps}
    best = max(counts, key=counts.__getitem__)
    return best if 2 * counts[best] > len(labels) else None


def _unknown_hint(label: str, tree: Taxonomy, fitting: LabelMap | None, *, casefold: bool) -> str:
    """Return what to do about a label that the taxonomy does not have, but perhaps a label map."""
    nearest = tree.nearest(label)
    if not casefold and nearest and nearest[0].casefold() == label.casefold():
        return f"{quote(nearest[0])} differs by case only: --casefold takes it for that"
    parts = [f"nearest: {', '.join(map(quote, nearest))}"] if nearest else []
    if fitting is not None:
        target = fitting.name.rpartition("-to-")[2]
        taxonomy = "" if tree.name == target else f"--taxonomy {target} "
        parts.append(f"`{taxonomy}--map {fitting.name}` knows it")
    translates = "" if fitting else f"; --map FILE translates{'' if nearest else ' labels'}"
    return "; ".join([*parts, f"--unknown drop leaves it out, --unknown keep counts it{translates}"])


class _Check:
    """Reports what is wrong with the entries of one source."""

    def __init__(
        self,
        entries: LabelList,
        problems: Problems,
        options: InstrumentOptions,
        rules: ReadingRules,
        broken: dict[int, str],
    ) -> None:
        self._entries = entries
        self._problems = problems
        self._options = options
        self._rules = rules
        self.broken = broken
        self._fitting: LabelMap | None = None

    def _report(
        self, row: int, severity: Severity, code: str, message: str, count: int, hint: str | None = None
    ) -> None:
        """Report something about ``count`` rows or lists, at the first of them."""
        place = partial(self._entries.locate, row)
        self._problems.report(code, message, place, severity=severity, hint=hint, count=count)

    def _break(
        self, row: int, lists: list[int], code: str, message: str, many: str = "", hint: str | None = None
    ) -> None:
        """Report an error, and mark its lists."""
        self._report(row, "error", code, message + many, len(lists), hint)
        for number in lists:
            self.broken.setdefault(number, f"{code} {message}")

    def _many(self, count: int, noun: str = "item") -> str:
        """Return what a message adds if the source has many lists."""
        return f" ({plural(count, noun)})" if self._rules.sheet else ""

    def report_meanings(self, meanings: Sequence[Meaning]) -> None:
        """Report each spelling that is not simply a label, once."""
        odd = [code for code, meaning in enumerate(meanings) if not meaning.is_plain]
        if not odd:
            return
        self._fitting = _fitting_map(
            {each.label for each in meanings if each.fate == "unknown"}, self._options
        )
        order = np.argsort(self._entries.codes, kind="stable")
        codes = self._entries.codes[order]
        begins, ends = (np.searchsorted(codes, odd, side=side).tolist() for side in ("left", "right"))
        for code, begin, end in zip(odd, begins, ends, strict=True):
            if begin < end:  # the header of a table may name more than its rows do
                self._report_meaning(self._entries.spellings[code], meanings[code], order[begin:end])
        message = "numbers are read as programs of General MIDI, counted from 0"
        self._note_reading("KT608", message, [meaning.program for meaning in meanings])
        if self._options.tree is not None:
            message = f"identifiers are read by the names that {quote(self._options.tree.name)} gives them"
            self._note_reading("KT629", message, [meaning.identified for meaning in meanings])

    def _report_meaning(self, spelling: str, meaning: Meaning, rows: Indices) -> None:
        own = self._entries.lists[rows]
        lists = (np.unique(own) if len(own) > 1 else own).tolist()
        row, many = int(rows[0]), self._many(len(lists))
        written, label = quote(spelling.strip()), quote(meaning.label)
        label_map = f"the label map {quote(PurePath(self._options.map).name)}"
        tree = self._options.tree
        if meaning.mapped:
            message = f"{written} is taken for {label} by {label_map}{many}"
            self._report(row, "note", "KT605", message, len(lists))
        if meaning.root:
            message = f"{label} is the root of the taxonomy: it counts in flat measures only{many}"
            self._report(row, "warning", "KT607", message, len(lists))
        if meaning.fate == "left out":
            message = f"{written} is no instrument by {label_map}, and left out{many}"
            self._report(row, "note", "KT606", message, len(lists))
        elif meaning.fate == "empty":
            self._break(row, lists, "KT619", "row has no instrument")
        elif meaning.fate == "long":
            limit = f"over the limit of {self._options.limits.label:,}"
            message = f"label of {len(meaning.label):,} characters, {limit}: {label}"
            self._break(row, lists, "KT106", message)
        elif tree is not None and meaning.fate != "known":
            self._report_unknown(meaning, tree, row, lists)

    def _report_unknown(self, meaning: Meaning, tree: Taxonomy, row: int, lists: list[int]) -> None:
        message, many = f"taxonomy {quote(tree.name)} has no {quote(meaning.label)}", self._many(len(lists))
        casefold = self._options.casefold
        if meaning.fate == "outside":
            message = f"{quote(meaning.label)} is no instrument by {quote(tree.name)}, and left out{many}"
            self._report(row, "note", "KT606", message, len(lists))
        elif meaning.fate == "dropped":
            self._report(row, "warning", "KT601", f"{message}: left out{many}", len(lists))
        elif meaning.fate == "kept":
            self._report(row, "note", "KT602", f"{message}: counted as a label of its own{many}", len(lists))
        else:
            hint = None
            if self._problems.room("KT600"):
                fitting = self._fitting
                fits = fitting is not None and fitting.has(meaning.label, casefold)
                hint = _unknown_hint(meaning.label, tree, fitting if fits else None, casefold=casefold)
            self._break(row, lists, "KT600", message, many, hint)

    def _note_reading(
        self, code: str, message: str, concerned: Sequence[bool], hint: str | None = None
    ) -> None:
        """Note how the spellings that are concerned were read, once."""
        rows = np.flatnonzero(np.array(concerned, dtype=bool)[self._entries.codes])
        if len(rows):
            lists = len(np.unique(self._entries.lists[rows]))
            self._report(int(rows[0]), "note", code, message + self._many(lists), lists, hint)

    def note_identifiers(self) -> None:
        """Note labels that are identifiers of AudioSet, if nothing gives them names."""
        if self._options.tree is None and self._options.label_map is None:
            concerned = [spelling.strip().startswith(_IDENTIFIERS) for spelling in self._entries.spellings]
            hint = "--taxonomy ontology.json, or --map class_labels_indices.csv, gives them names"
            self._note_reading("KT629", "labels are identifiers of AudioSet, not names", concerned, hint)

    def report_repeats(self, repeated: Indices, kept: Indices, meanings: Sequence[Meaning]) -> None:
        """Report rows left out because their list has the label: as written, or by what it is read as."""
        codes, spellings = self._entries.codes, self._entries.spellings
        equal: dict[str, list[int]] = {}
        for row, code, kept_code in zip(
            repeated.tolist(), codes[repeated].tolist(), codes[kept].tolist(), strict=True
        ):
            label = meanings[code].label
            if spellings[code].strip() == spellings[kept_code].strip():
                self._report(row, "warning", "KT603", f"listed twice, counted once: {quote(label)}", 1)
            else:
                equal.setdefault(label, []).append(row)
        for label, rows in equal.items():
            message = f"several labels of a list are read as {quote(label)}, and count once"
            self._report(rows[0], "note", "KT604", message + self._many(len(rows), "time"), len(rows))

    def report_unscored(self, rows: LabelList, kept: Indices) -> None:
        """Report lists in which some labels have a score and some have none, and those without any."""
        if rows.scores is None:
            return
        lacking = np.isnan(rows.scores) & ~np.isin(rows.lists, list(self.broken))
        total = np.bincount(rows.lists, minlength=np.size(self._rules.ordered))
        without = np.bincount(rows.lists[lacking], minlength=len(total))
        places = np.flatnonzero(lacking)
        lists, first = np.unique(rows.lists[places], return_index=True)
        lines = kept[places[first]]
        mixed = (without < total)[lists]
        for number, line in zip(lists[mixed].tolist(), lines[mixed].tolist(), strict=True):
            message = f"label without a {self._rules.score} in a list in which others have one"
            hint = f"give every label a {self._rules.score}, or none"
            self._break(line, [number], "KT610", message, hint=hint)
        ordered = np.broadcast_to(self._rules.ordered, len(total))[lists]
        unscored = lines[~mixed & ~ordered]
        if len(unscored):
            count = len(unscored)
            message = f"labels without {self._rules.score}: they are not ranked{self._many(count)}"
            hint = "--ranked takes their order for their rank"
            self._report(int(unscored.min()), "note", "KT611", message, count, hint)


# --- names of items ------------------------------------------------------------------------

ONE: list[Key] = [("", None)]
"""Key of the only list of a file that is one item and has one annotator."""
_AUDIO = re.compile(
    r"\.(?:wav|wave|mp3|flac|ogg|oga|opus|aiff?|m4a|aac|wma|mid|midi|au|npz|jams)$", re.IGNORECASE
)
"""Suffixes of recordings, of their features, and of annotations, which are no part of their names."""
_ENDING = re.compile(r"_METADATA$|(?<=[^/])/metadata$")
"""What the names of metadata files of MedleyDB, Mixing Secrets and Slakh2100 end in."""
_K = TypeVar("_K", int, str)


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
    """Return what the items of a sheet are called.

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


# --- problems of items ---------------------------------------------------------------------


def fail(
    problems: Problems,
    broken: MutableMapping[_K, str],
    key: _K,
    code: str,
    message: str,
    place: Place | Callable[[], Place] | None,
    hint: str | None = None,
) -> None:
    """Report an error, and mark the list or item it is in as broken."""
    problems.report(code, message, place, hint=hint)
    broken.setdefault(key, f"{code} {message}")


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

    def fail(
        self,
        number: int,
        code: str,
        message: str,
        place: Place | Callable[[], Place] | None,
        hint: str | None = None,
    ) -> None:
        """Report an error, and mark the list that it is in as broken."""
        fail(self.problems, self.broken, number, code, message, place, hint)

    def note(
        self,
        code: str,
        message: str,
        count: int,
        place: Place | Callable[[], Place] | None = None,
        what: str = "such rows",
    ) -> None:
        """Note what holds of several rows, or of something else, at the first of them."""
        message += such_rows(count, what) if what else ""
        self.problems.report(code, message, place, severity="note", count=count)

    def finish(self, entries: LabelList, keys: Sequence[Key], rules: ReadingRules) -> ParsedLists:
        """Make lists of the rows of the source."""
        return finish(entries, keys, self.problems, self.options, rules, self.broken)


def report_unusable_names(
    names: Sequence[str],
    locate: Callable[[int], Place],
    problems: Problems,
    broken: dict[int, str],
    *,
    rows: Iterable[int] | None = None,
    what: str = "row",
) -> None:
    """Report each row or key, by default of all, that names no item, or one that stood before."""
    firsts: dict[str, int] = {}
    for row in range(len(names)) if rows is None else rows:
        name = names[row]
        first = firsts.setdefault(name, row)
        if not name:
            fail(problems, broken, row, "KT621", f"{what} names no item", locate(row))
        elif first < row:
            hint = first_place(locate(first))
            fail(problems, broken, row, "KT618", f"item stands twice: {quote(name)}", locate(row), hint)


def add_uneven(
    keys: list[Key], broken: dict[int, str], uneven: Iterable[tuple[Sequence[str], str]], index: int
) -> None:
    """Add the items of rows that could not be cut into cells, as broken."""
    numbers = {item: number for number, (item, _) in enumerate(keys)}
    for record, reason in uneven:
        if index < len(record) and record[index].strip():
            (item,) = item_names([record[index]])
            if item not in numbers:
                numbers[item] = len(keys)
                keys.append((item, None))
            broken.setdefault(numbers[item], reason)


def report_empty(problems: Problems) -> None:
    """Report that a file has no rows."""
    problems.report(NO_ROWS, "no annotation rows")


def report_unrecognised(problems: Problems, place: Place, message: str, hint: str) -> None:
    """Report that a file has none of the forms that are read."""
    problems.report("KT624", f"format not recognised: {message}", place, hint=hint)


# --- readings ------------------------------------------------------------------------------


def as_sheet(parsed: ParsedLists, problems: Problems) -> ItemReadings[InstrumentList]:
    """Return the items of a file; an item is broken if one of its lists is, and what has no name is none."""
    are_empty = all(each.closed and not len(each) and not each.absent for each in parsed.lists)
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
    if parsed is not None and parsed.is_sheet:
        items = {item for item, _ in parsed.keys}
        if len(items) != 1:
            message = f"file of {len(items):,} items, where one is expected"
            hint = "name the file itself as references or estimates"
            problems.report("KT623", message, hint=hint)
    if parsed is None or problems.has_errors:
        return Reading((), problems.diagnostics())
    annotators = (annotator for _, annotator in parsed.keys)
    return Reading(tuple(zip(annotators, parsed.lists, strict=True)), problems.diagnostics())


# --- numbers -------------------------------------------------------------------------------

_CHARACTERS = b"0123456789.e-+E"
"""Of these, ``float`` reads what numbers are and nothing else: no ``1_0``, no ``nan``."""
_NUMBER = re.compile(number_pattern("."))
_COMMA = re.compile(number_pattern(","))
_TRUTH = {"true": 1.0, "false": 0.0}


def numbers_of(
    cells: Sequence[str],
    locate: Callable[[int], Place],
    problems: Problems,
    *,
    what: str = "score",
    commas: bool = False,
    required: bool = False,
) -> tuple[Values, dict[int, str]]:
    """Return cells as numbers, NaN where there is none; and of rows whose cell is no number, the reason."""
    if commas:
        cells = [cell.replace(",", ".") for cell in cells]
    plain = _plain(cells)
    if plain is not None and not (required and np.isnan(plain).any()):
        return plain, {}
    values = np.full(len(cells), np.nan)
    wrong: dict[int, str] = {}
    undefined: list[int] = []
    numbers = {cell: _number(cell.strip()) for cell in set(cells)}
    for row, cell in enumerate(cells):
        value, written = numbers[cell], cell.strip()
        if value is None or (required and math.isnan(value)):
            message = f"{what} is no finite number: {quote(written)}" if written else f"row has no {what}"
            hint = f"a {what} looks like {'1' if what == 'rank' else '0.75'}"
            if "," in written and _COMMA.fullmatch(written):
                hint = "write it with a decimal point"
            fail(problems, wrong, row, "KT609", message, lambda row=row: locate(row), hint)  # type: ignore[misc]
            continue
        values[row] = value
        if math.isnan(value) and written:
            undefined.append(row)
    if undefined:
        message = f"{what} is not a number, and counts as none{such_rows(len(undefined))}"
        problems.report("KT612", message, lambda: locate(undefined[0]), severity="note", count=len(undefined))
    return values, wrong


def _plain(cells: Sequence[str]) -> Values | None:
    """Return cells that are all numbers, or empty; None if one of them is not."""
    if "".join(cells).encode("utf-8", "surrogatepass").translate(None, _CHARACTERS):
        return None
    try:
        values = np.array([float(cell) if cell else math.nan for cell in cells], dtype=np.float64)
    except ValueError:
        return None
    return None if np.isinf(values).any() else values


def is_number(cell: str) -> bool:
    """Return whether a cell is a number, and not empty.

    >>> [is_number(cell) for cell in ("0.5", "TRUE", "nan", "high", " ")]
    [True, True, False, False, False]
    """
    value = _number(cell.strip())
    return value is not None and not math.isnan(value)


def _number(cell: str) -> float | None:
    """Return what a cell means, NaN if it stands for nothing, None if it is no finite number."""
    if _NUMBER.fullmatch(cell):
        value = float(cell)
        return None if math.isinf(value) else value
    folded = cell.casefold()
    return math.nan if folded in ("", "nan") else _TRUTH.get(folded)
