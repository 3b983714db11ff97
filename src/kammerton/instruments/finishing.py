# SPDX-License-Identifier: MIT
"""What every reader of instruments does last: look labels up, judge scores, make lists.

A list with an error is broken; the other lists of its source are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, Severity, plural, quote
from kammerton.formats.reading import Problems
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.assembling import ListedLabels, Manner, Repeats, assemble
from kammerton.instruments.entries import Entries
from kammerton.instruments.label_maps import LabelMap
from kammerton.instruments.lookup import Meaning, fitting_map, look_up, unknown_hint
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.taxonomy import Taxonomy

__all__ = ["Lists", "finish"]

Integers = NDArray[np.int64]

_IDS = ("/m/", "/t/dd", "/g/")
"""What identifiers of AudioSet begin with."""


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The lists of a source.

    Parameters
    ----------
    found : list of InstrumentList
        All of them; broken ones hold what could be read.
    broken : dict of int to str
        Why a list cannot be used.
    """

    found: list[InstrumentList]
    broken: dict[int, str] = field(default_factory=dict)


def finish(
    entries: Entries,
    count: int,
    problems: Problems,
    options: InstrumentOptions,
    manner: Manner,
    broken: Mapping[int, str] | None = None,
) -> Lists:
    """Make lists of what a source says.

    Parameters
    ----------
    entries : Entries
    count : int
        Number of lists; some may have no row.
    problems : Problems
        Takes every problem found.
    options : InstrumentOptions
        Label map, taxonomy, and what to do with labels that it does not have.
    manner : Manner
        What the rows mean.
    broken : mapping of int to str, optional
        Lists that the reader found broken already, and why.

    Returns
    -------
    Lists
    """
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
        entries: Entries,
        problems: Problems,
        options: InstrumentOptions,
        manner: Manner,
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
