# SPDX-License-Identifier: MIT
"""Lists of labels handed over in Python, as columns of codes; each spelling is looked up once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from kammerton.arrays import Codes, Flags
from kammerton.errors import DataError, Diagnostic, OptionError, inflected, plural, quote
from kammerton.formats.reading import Problems
from kammerton.instruments.columns import Columns, Vocabulary
from kammerton.instruments.finishing import LabelList, ReadingRules, finish
from kammerton.instruments.lists import IN_ORDER, Lists, lists_of
from kammerton.instruments.lookup import Meaning, look_up
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Place

__all__ = ["Encoded", "Files", "Labels", "sides"]

Labels = Collection[str]
"""Labels of a file: ranked, unless it is a set."""

Files = Labels | Sequence[Labels] | Mapping[Any, Labels]
"""Labels of one file, or of many."""


def sides(annotated: Files, predicted: Files) -> tuple[list[Labels], list[Labels]]:
    """Return the labels of each file, of both sides."""
    if isinstance(annotated, Mapping) and isinstance(predicted, Mapping):
        truth, said = _named(annotated, predicted)
    elif isinstance(annotated, Mapping) or isinstance(predicted, Mapping):
        message = "one side names its files and the other does not"
        raise OptionError(message, "give two mappings, or two lists")
    else:
        truth, said = _listed("annotated", annotated), _listed("predicted", predicted)
        if _is_file(truth) and _is_file(said):
            truth, said = [annotated], [predicted]
    if len(truth) != len(said):
        verb = inflected(len(truth), "is", "are")
        raise OptionError(f"{plural(len(truth), 'file')} {verb} annotated and {len(said):,} predicted")
    for what, side in (("annotated", truth), ("predicted", said)):
        for kind in set(map(type, side)):
            if issubclass(kind, str | bytes | Mapping) or not issubclass(kind, Collection):
                odd = next(each for each in side if type(each) is kind)
                error = OptionError.of_type(f"a file of `{what}`", odd, "a list of labels")
                raise OptionError(error.message, "`kammerton.score` takes labels with scores")
    return truth, said


def _named(annotated: Mapping[Any, Any], predicted: Mapping[Any, Any]) -> tuple[list[Any], list[Any]]:
    for side, other, what in ((annotated, predicted, "predicted"), (predicted, annotated, "annotated")):
        lacking = [str(name) for name in side if name not in other]
        if lacking:
            verb = inflected(len(lacking), "is", "are")
            message = f"{plural(len(lacking), 'file')} {verb} not {what}, such as {quote(lacking[0])}"
            raise OptionError(message, "give each file a list; an empty one, if it has no instrument")
    return [*annotated.values()], [predicted[name] for name in annotated]


def _listed(what: str, side: Any) -> list[Any]:
    if isinstance(side, str | bytes) or not isinstance(side, Collection):
        raise OptionError.of_type(what, side, "a list of labels, or of lists, or a mapping of files to lists")
    return list(side)


def _is_file(side: Sequence[object]) -> bool:
    return all(isinstance(label, str) for label in side)


class Encoded:
    """Both sides as codes of labels.

    Attributes
    ----------
    labels : tuple of str
        What the codes stand for.
    diagnostics : tuple of Diagnostic
        What was noticed.
    """

    def __init__(self, truth: Sequence[Labels], said: Sequence[Labels], options: InstrumentOptions) -> None:
        self._options = options
        spellings = Vocabulary(None)
        try:
            raw = spellings.encode(truth), spellings.encode(said)
        except TypeError as error:
            raise OptionError("labels are strings", str(error)) from error
        for label in spellings.labels:
            if not isinstance(label, str):
                raise OptionError.of_type("a label", label, "a string")
        meanings = look_up(spellings.labels, options)
        vocabulary = Vocabulary(options.tree)
        targets = np.array([vocabulary.code(m.label) if m.stays else -1 for m in meanings], dtype=np.int64)
        self.labels: tuple[str, ...] = vocabulary.labels
        problems = [Problems("annotated"), Problems("predicted")]
        self._truth, self._said = (
            self._finished(lists, spellings.labels, meanings, targets, problem)
            for lists, problem in zip(raw, problems, strict=True)
        )
        self.diagnostics: tuple[Diagnostic, ...] = tuple(
            said for problem in problems for said in problem.diagnostics()
        )
        if any(problem.has_errors for problem in problems):
            raise DataError([said for said in self.diagnostics if said.severity == "error"])

    def _finished(
        self,
        raw: Lists,
        spellings: Sequence[str],
        meanings: Sequence[Meaning],
        targets: Codes,
        problems: Problems,
    ) -> Lists:
        """Return the lists with what their labels mean, each once; say what is odd."""
        lists = Lists(raw.offsets, targets[raw.codes], IN_ORDER)
        plain = np.array([_is_plain(meaning) for meaning in meanings], dtype=bool)
        odd = np.bincount(raw.owners[~plain[raw.codes]], minlength=len(raw)) > 0
        if (targets < 0).any():
            lists = lists.keep(lists.codes >= 0)
        keys = lists.keys(len(self.labels))
        ordered = np.sort(keys)
        repeated = ordered[1:][ordered[1:] == ordered[:-1]]
        if len(repeated):
            odd[repeated // len(self.labels)] = True
            _, first = np.unique(keys, return_index=True)
            once = np.zeros(len(keys), dtype=bool)
            once[first] = True
            lists = lists.keep(once)
        if odd.any():
            self._say(raw, odd, spellings, problems)
        return lists

    def _say(self, raw: Lists, odd: Flags, spellings: Sequence[str], problems: Problems) -> None:
        """Read the lists in which something is odd as those of files are read, to hear what it is."""
        rows = np.flatnonzero(odd[raw.owners])
        entries = LabelList(
            spellings, raw.codes[rows], raw.owners[rows], lambda row: Place(problems.file, row=int(row))
        )
        finish(entries, len(raw), problems, self._options, ReadingRules(ordered=True, sheet=len(raw) > 1))

    def columns(self, begin: int, end: int, *, ranked: bool) -> Columns:
        """Return the columns of some files."""
        truth, said = (side.some(begin, min(end, len(side))) for side in (self._truth, self._said))
        files = len(truth)
        if not ranked:
            said = Lists(said.offsets, said.codes, np.zeros(len(said.codes)))
        no, yes = np.zeros(files, dtype=bool), np.ones(files, dtype=bool)
        return Columns(
            labels=self.labels,
            truth=truth,
            absent=lists_of(np.zeros(files, dtype=np.int64), truth.codes[:0]),
            closed=yes,
            grades=np.ones(len(truth.codes), dtype=np.int64),
            said=said,
            scored=said,
            vector=no,
            listed=yes,
            confident=no,
            queries=no,
            groups=np.zeros(files, dtype=np.int64),
            tree=self._options.tree,
        )


def _is_plain(meaning: Meaning) -> bool:
    return meaning.fate == "known" and not (meaning.mapped or meaning.root or meaning.program)
