# SPDX-License-Identifier: MIT
"""Entries of a file become an annotation: names looked up, ranks and scores checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, Severity, inflected, out_of, plural, quote
from kammerton.formats.reading import Problems
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.label_maps import LabelMap
from kammerton.instruments.lookup import Meaning, fitting_map, look_up, unknown_hint
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.annotations import Place

__all__ = [
    "NO_INSTRUMENTS",
    "STEMS",
    "LabelList",
    "ListedLabels",
    "Lists",
    "ReadingRules",
    "Repeats",
    "assemble",
    "coded",
    "finish",
    "judge",
    "leave_out_others",
    "note_unjudged",
]

STEMS = "stems"
"""Member of the metadata that lists the stems."""
NO_INSTRUMENTS = ("Main System", "Unlabeled")
"""What stands for the instrument of a stem where there is none, or nobody knows it."""
Integers = NDArray[np.int64]


def coded(cells: Sequence[str]) -> tuple[list[str], Integers]:
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

    spellings: Sequence[str]  # the distinct labels, as written
    codes: Integers  # which of them a row has
    lists: Integers  # which list a row belongs to
    locate: Callable[[int], Place]  # ``locate(row)`` returns the place of the label of a row
    scores: NDArray[np.float64] | None = None  # naN where there is none
    present: NDArray[np.bool_] | None = None  # whether the label is there, or judged not to be

    @classmethod
    def of(
        cls,
        labels: Sequence[str],
        lists: Integers,
        locate: Callable[[int], Place],
        *,
        scores: NDArray[np.float64] | None = None,
        present: NDArray[np.bool_] | None = None,
    ) -> LabelList:
        """Take one label per row, and find the distinct ones."""
        spellings, codes = coded(labels)
        return cls(spellings, codes, lists, locate, scores, present)

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
        )


def judge(
    entries: LabelList, relevance: NDArray[np.float64], options: InstrumentOptions
) -> NDArray[np.bool_]:
    """Return which labels are relevant enough to be present."""
    cut = options.truth_cut
    least = np.full(len(entries.spellings), np.inf)
    for code, meaning in enumerate(look_up(entries.spellings, options)):
        if meaning.stays:
            least[code] = cut.values([meaning.label])[0]
    given = least[entries.codes]
    return relevance >= given if cut.operator == ">=" else relevance > given


def note_unjudged(judged: int, pairs: int, problems: Problems, options: InstrumentOptions) -> None:
    """Note that not every pair of list and label was judged, if it is so."""
    if judged >= pairs:
        return
    what = "counts as absent" if options.assume_absent else "is neither right nor wrong"
    count = f"{out_of(judged, pairs, 'pair')} of item and instrument"
    message = f"{count} {inflected(judged, 'was', 'were')} judged; the rest {what}"
    hint = None if options.assume_absent else "--assume-absent takes what nobody judged for absent"
    problems.add(Diagnostic(code="KT614", severity="note", message=message, hint=hint, file=problems.file))


def leave_out_others(entries: LabelList, problems: Problems) -> LabelList:
    """Return entries without those that name no instrument, which are noted."""
    for name in NO_INSTRUMENTS:
        codes = [code for code, spelling in enumerate(entries.spellings) if spelling.strip() == name]
        found = np.flatnonzero(np.isin(entries.codes, codes))
        if len(found):
            message = f"{quote(name)} names no instrument, and is left out"
            note = Diagnostic(code="KT627", severity="note", message=message, count=len(found))
            problems.add(entries.locate(int(found[0])).diagnose(note))
            entries = entries.take(np.setdiff1d(np.arange(len(entries.codes)), found))
    return entries


Indices = NDArray[np.intp]
_UNSCORED: NDArray[np.float64] = np.empty(0)
_NONE: Indices = np.empty(0, dtype=np.intp)
_UNGRADED: Integers = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class ListedLabels:
    """Labels by list, as columns of one length."""

    lists: Integers  # list that a row belongs to
    codes: Integers  # index of its label
    scores: NDArray[np.float64] | None = None  # naN in lists that have none
    # whether the label is there, or judged not to be; all are there by default
    present: NDArray[np.bool_] | None = None
    grades: Integers | None = None  # how relevant it is

    def take(self, kept: Indices | NDArray[np.bool_]) -> ListedLabels:
        """Return the rows of a mask, or of indices in this order."""
        columns = (self.lists, self.codes, self.scores, self.present, self.grades)
        return ListedLabels(*(None if column is None else column[kept] for column in columns))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False)
class Repeats:
    """Rows that were left out because their list has the label already."""

    rows: Indices  # their indices, ascending
    first: Indices  # index of the row that was kept for each


@dataclass(frozen=True, slots=True, eq=False)
class ReadingRules:
    """What the rows of a source mean."""

    ordered: bool | NDArray[np.bool_] = False  # whether their order ranks the labels of lists without scores
    vector: bool = False  # whether the scores are of a whole vocabulary; they then stay in order
    # whether labels that a list does not have are absent; by default they are
    closed: NDArray[np.bool_] | None = None
    query: bool = False  # whether lists are queries, and their labels documents
    # whether it is usual that a list has a label several times, so that nothing is said
    repeats: bool = False
    sheet: bool = False  # whether the lists are many, so that messages say how many of them they are about
    score: str = "score"  # what the source calls a score


def assemble(
    rows: ListedLabels, names: Sequence[str], count: int, manner: ReadingRules
) -> tuple[list[InstrumentList], Repeats]:
    """Make lists of rows.

    Examples
    --------
    >>> rows = ListedLabels(np.array([0, 0, 0]), np.array([1, 0, 1]), np.array([0.25, 0.5, 0.75]))
    >>> (found,), repeats = assemble(rows, ["piano", "violin"], 1, ReadingRules())
    >>> found.labels, found.scores.tolist(), repeats.rows.tolist()
    (('violin', 'piano'), [0.75, 0.5], [0])
    """
    order = _order(rows, by_score=not manner.vector)
    keys = rows.lists * max(1, len(names)) + rows.codes
    kept, repeats = _firsts(keys, order)
    if len(repeats.rows) and manner.vector:
        _, repeats = _firsts(keys, _order(rows, by_score=True))
        first = np.delete(np.arange(len(keys)), repeats.rows)
        kept = first[np.argsort(rows.lists[first], kind="stable")]
    return _lists(rows if kept is None else rows.take(kept), names, count, manner), repeats


def _order(rows: ListedLabels, *, by_score: bool) -> Indices | None:
    """Return the order by list, presence, score and row; None if it is the one they have."""
    keys = []
    if rows.scores is not None and by_score:
        keys.append(np.where(np.isnan(rows.scores), 0.0, -rows.scores))
    if rows.present is not None:
        keys.append(~rows.present)
    if not keys and bool((rows.lists[1:] >= rows.lists[:-1]).all()):
        return None
    return np.lexsort((*keys, rows.lists))


def _firsts(keys: Integers, order: Indices | None) -> tuple[Indices | None, Repeats]:
    """Return the first row of each key, in this order, None for all in theirs; and the other rows."""
    given = keys if order is None else keys[order]
    distinct, first = np.unique(given, return_index=True)
    if len(distinct) == len(given):
        return order, Repeats(_NONE, _NONE)
    indices = np.arange(len(keys)) if order is None else order
    repeated = np.ones(len(keys), dtype=bool)
    repeated[first] = False
    again = indices[repeated]
    kept = indices[first[np.searchsorted(distinct, given[repeated])]]
    by_row = np.argsort(again)
    return indices[~repeated], Repeats(again[by_row], kept[by_row])


def _lists(
    rows: ListedLabels, names: Sequence[str], count: int, manner: ReadingRules
) -> list[InstrumentList]:
    """Cut sorted rows where the next list begins."""
    ends = np.cumsum(np.bincount(rows.lists, minlength=count))
    there = ends
    if rows.present is not None:
        there = ends - np.bincount(rows.lists[~rows.present], minlength=count)
    scored = np.zeros(count, dtype=bool)
    if rows.scores is not None:
        scored = np.bincount(rows.lists[~np.isnan(rows.scores)], minlength=count) > 0
    labels = np.array(names, dtype=object)[rows.codes].tolist() if len(names) else []
    scores = _UNSCORED if rows.scores is None else rows.scores
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}  # lists over one vocabulary have one tuple of it
    closed = np.ones(count, dtype=bool) if manner.closed is None else manner.closed
    ordered = np.broadcast_to(manner.ordered, count)
    found = []
    begin = 0
    for behind, end, has_scores, all_judged, in_order in zip(
        there.tolist(), ends.tolist(), scored.tolist(), closed.tolist(), ordered.tolist(), strict=True
    ):
        listed = tuple(labels[begin:behind])
        grades = _UNGRADED if rows.grades is None else rows.grades[begin:behind]
        found.append(
            InstrumentList(
                shared.setdefault(listed, listed) if manner.vector else listed,
                scores[begin:behind] if has_scores else _UNSCORED,
                ranked=has_scores or in_order or (behind == begin and rows.scores is not None),
                vector=manner.vector and has_scores,
                absent=tuple(labels[behind:end]) if behind < end else (),
                closed=all_judged,
                grades=grades,
                query=manner.query,
            )
        )
        begin = end
    return found


_IDS = ("/m/", "/t/dd", "/g/")
"""What identifiers of AudioSet begin with."""


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The lists of a source."""

    found: list[InstrumentList]  # all of them; broken ones hold what could be read
    broken: dict[int, str] = field(default_factory=dict)  # why a list cannot be used


def finish(
    entries: LabelList,
    count: int,
    problems: Problems,
    options: InstrumentOptions,
    manner: ReadingRules,
    broken: Mapping[int, str] | None = None,
) -> Lists:
    """Make lists of what a source says."""
    work = _Finishing(entries, problems, options, manner, dict(broken or {}))
    meanings = look_up(entries.spellings, options)
    work.say_meanings(meanings)
    work.say_identifiers()
    names = list(dict.fromkeys(meaning.label for meaning in meanings if meaning.stays))
    index = {name: code for code, name in enumerate(names)}
    targets = np.array([index[m.label] if m.stays else -1 for m in meanings], dtype=np.int64)
    codes = targets[entries.codes] if len(meanings) else entries.codes
    kept = np.flatnonzero(codes >= 0)
    rows = ListedLabels(entries.lists, codes, entries.scores, entries.present)
    if len(kept) < len(codes):
        rows = rows.take(kept)
    if not manner.vector:
        work.judge_scores(rows, kept)
    found, repeats = assemble(rows, names, count, manner)
    if len(repeats.rows) and not manner.repeats:
        work.say_repeats(Repeats(kept[repeats.rows], kept[repeats.first]), meanings)
    return Lists(found, work.broken)


class _Finishing:
    """Says what is wrong with the entries of one source."""

    def __init__(
        self,
        entries: LabelList,
        problems: Problems,
        options: InstrumentOptions,
        manner: ReadingRules,
        broken: dict[int, str],
    ) -> None:
        self._entries = entries
        self._problems = problems
        self._options = options
        self._manner = manner
        self.broken = broken
        self._fitting: LabelMap | None = None

    @property
    def _map(self) -> str:
        """What messages call the label map."""
        table = self._options.label_map
        assert table is not None, "only a map translates"
        return quote(PurePath(table.name).name)

    def _add(
        self, row: int, severity: Severity, code: str, message: str, count: int, hint: str | None = None
    ) -> None:
        """Report something about ``count`` rows or lists, at the first of them."""
        problem = Diagnostic(code=code, severity=severity, message=message, hint=hint, count=count)
        self._problems.add_at(problem, lambda: self._entries.locate(row))

    def _many(self, count: int, noun: str = "item") -> str:
        """Return what a message adds if the source has many lists."""
        return f" ({plural(count, noun)})" if self._manner.sheet else ""

    # --- labels ----------------------------------------------------------------------------

    def say_meanings(self, meanings: Sequence[Meaning]) -> None:
        """Report each spelling that is not simply a label, once."""
        odd = [
            code
            for code, each in enumerate(meanings)
            if each.fate != "known" or each.mapped or each.root or each.program or each.identified
        ]
        if not odd:
            return
        unknown = {each.label for each in meanings if each.fate == "unknown"}
        self._fitting = fitting_map(unknown, self._options) if unknown else None
        order = np.argsort(self._entries.codes, kind="stable")
        given = self._entries.codes[order]
        begins, ends = (np.searchsorted(given, odd, side=side).tolist() for side in ("left", "right"))
        for code, begin, end in zip(odd, begins, ends, strict=True):
            rows = order[begin:end]
            if len(rows):
                self._say_meaning(self._entries.spellings[code], meanings[code], rows)
        if any(meanings[code].program for code in odd):
            message = "numbers are read as programs of General MIDI, counted from 0"
            self._say_reading("KT608", message, [meaning.program for meaning in meanings])
        if any(meanings[code].identified for code in odd):
            assert self._options.tree is not None, "only a taxonomy identifies"
            message = f"identifiers are read by the names that {quote(self._options.tree.name)} gives them"
            self._say_reading("KT629", message, [meaning.identified for meaning in meanings])

    def _say_meaning(self, spelling: str, meaning: Meaning, rows: NDArray[np.intp]) -> None:
        own = self._entries.lists[rows]
        lists = (np.unique(own) if len(own) > 1 else own).tolist()
        row, many = int(rows[0]), self._many(len(lists))
        if meaning.mapped:
            message = (
                f"{quote(spelling.strip())} is taken for {quote(meaning.label)} by the label map {self._map}"
            )
            self._add(row, "note", "KT605", message + many, len(lists))
        if meaning.root:
            message = f"{quote(meaning.label)} is the root of the taxonomy: it counts in flat measures only"
            self._add(row, "warning", "KT607", message + many, len(lists))
        if meaning.fate == "left out":
            message = f"{quote(spelling.strip())} is no instrument by the label map {self._map}, and left out"
            self._add(row, "note", "KT606", message + many, len(lists))
        elif meaning.fate == "outside":
            assert self._options.tree is not None, "only a taxonomy has an outside"
            source = quote(self._options.tree.name)
            message = f"{quote(meaning.label)} is no instrument by {source}, and left out{many}"
            self._add(row, "note", "KT606", message, len(lists))
        elif meaning.fate in ("empty", "long"):
            self._break(row, lists, *self._unusable(meaning))
        elif meaning.fate != "known":
            self._say_unknown(meaning, row, lists, many)

    def _unusable(self, meaning: Meaning) -> tuple[str, str]:
        if meaning.fate == "empty":
            return "KT619", "row has no instrument"
        limit = f"over the limit of {self._options.limits.label:,}"
        return "KT106", f"label of {len(meaning.label):,} characters, {limit}: {quote(meaning.label)}"

    def _say_unknown(self, meaning: Meaning, row: int, lists: list[int], many: str) -> None:
        tree = self._options.tree
        assert tree is not None, "only a taxonomy makes labels unknown"
        message = f"taxonomy {quote(tree.name)} has no {quote(meaning.label)}"
        if meaning.fate == "unknown":
            hint = self._hint_of_unknown(meaning.label, tree) if self._problems.room("KT600") else None
            self._break(row, lists, "KT600", message, many, hint)
        elif meaning.fate == "dropped":
            self._add(row, "warning", "KT601", f"{message}: left out{many}", len(lists))
        else:
            self._add(row, "note", "KT602", f"{message}: counted as a label of its own{many}", len(lists))

    def _hint_of_unknown(self, label: str, tree: Taxonomy) -> str:
        fitting = self._fitting
        has_it = fitting is not None and fitting.has(label, self._options.casefold)
        return unknown_hint(label, tree, fitting if has_it else None)

    def _break(
        self, row: int, lists: list[int], code: str, message: str, many: str = "", hint: str | None = None
    ) -> None:
        """Report an error, and mark its lists."""
        self._add(row, "error", code, message + many, len(lists), hint)
        for each in lists:
            self.broken.setdefault(each, f"{code} {message}")

    def _say_reading(
        self, code: str, message: str, concerned: Sequence[bool], hint: str | None = None
    ) -> None:
        """Note how the spellings that are concerned were read, once."""
        rows = np.flatnonzero(np.array(concerned)[self._entries.codes])
        if len(rows):  # the header of a table may name more than its rows do
            lists = len(np.unique(self._entries.lists[rows]))
            self._add(int(rows[0]), "note", code, message + self._many(lists), lists, hint)

    def say_identifiers(self) -> None:
        """Note labels that are identifiers of AudioSet, if nothing gives them names."""
        if self._options.tree is not None or self._options.label_map is not None:
            return
        concerned = [spelling.strip().startswith(_IDS) for spelling in self._entries.spellings]
        if any(concerned):
            hint = "--taxonomy ontology.json, or --map class_labels_indices.csv, gives them names"
            self._say_reading("KT629", "labels are identifiers of AudioSet, not names", concerned, hint)

    def say_repeats(self, repeats: Repeats, meanings: Sequence[Meaning]) -> None:
        """Report rows left out because their list has the label: as written, or by what it is read as."""
        spellings = self._entries.spellings
        first, again = (self._entries.codes[rows].tolist() for rows in (repeats.first, repeats.rows))
        equal: dict[str, list[int]] = {}
        for row, one, other in zip(repeats.rows.tolist(), first, again, strict=True):
            label = meanings[other].label
            if one == other or spellings[one].strip() == spellings[other].strip():
                message = f"listed twice, counted once: {quote(label)}"
                self._add(row, "warning", "KT603", message, 1)
            else:
                equal.setdefault(label, []).append(row)
        for label, rows in equal.items():
            message = f"several labels of a list are read as {quote(label)}, and count once"
            self._add(rows[0], "note", "KT604", message + self._many(len(rows), "time"), len(rows))

    # --- scores ----------------------------------------------------------------------------

    def judge_scores(self, rows: ListedLabels, kept: NDArray[np.intp]) -> None:
        """Report lists in which some labels have a score and some have none, and those without any."""
        if rows.scores is None or not len(kept):
            return
        lacking = np.isnan(rows.scores)
        if not lacking.any():
            return
        lacking &= ~np.isin(rows.lists, list(self.broken))
        total = np.bincount(rows.lists)
        without = np.bincount(rows.lists[lacking], minlength=len(total))
        called = self._manner.score
        places = np.flatnonzero(lacking)
        lists, first = np.unique(rows.lists[places], return_index=True)
        lines = kept[places[first]].tolist()
        mixed = (without < total)[lists].tolist()
        for each, line, is_mixed in zip(lists.tolist(), lines, mixed, strict=True):
            if is_mixed:
                message = f"label without a {called} in a list in which others have one"
                hint = f"give every label a {called}, or none"
                self._break(line, [each], "KT610", message, hint=hint)
        ordered = np.broadcast_to(self._manner.ordered, len(total))[lists].tolist()
        unscored = [
            line
            for line, is_mixed, in_order in zip(lines, mixed, ordered, strict=True)
            if not is_mixed and not in_order
        ]
        if unscored:
            message = f"labels without {called}: they are not ranked{self._many(len(unscored))}"
            hint = "--ranked takes their order for their rank"
            self._add(min(unscored), "note", "KT611", message, len(unscored), hint)
