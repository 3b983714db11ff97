# SPDX-License-Identifier: MIT
"""Score lists of instruments held in Python: one file, or a million, without an object for each."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from kammerton.arrays import Codes, Flags, mean
from kammerton.errors import DataError, Diagnostic, OptionError, inflected, plural, quote
from kammerton.formats.reading import Problems
from kammerton.instruments.columns import InstrumentColumns, LabelCodes, Lists, lists_of, shaped
from kammerton.instruments.formulas import Counts, Rate, counts_of_labels
from kammerton.instruments.kernels import statistics_of_files
from kammerton.instruments.labels import LabelRows, ListReader, ReadingRules
from kammerton.instruments.options import InstrumentOptions, look_up
from kammerton.instruments.protocols import kiritchenko2006, lca, open_mic_task1
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.annotations import Place
from kammerton.model.measure import Measure, NamedScores, Statistics

_TOGETHER = 50_000
"""Files that go through the kernels at once."""

_PROTOCOLS = {module.PROTOCOL.name: module.PROTOCOL for module in (open_mic_task1, kiritchenko2006, lca)}
_NEEDLESS = frozenset(
    (
        *("taxonomy", "threshold", "truth_threshold", "assume_absent"),
        *("results", "gain", "encoding", "limits"),
    )
)

Labels = Collection[str]
"""Labels of a file: ranked, unless it is a set."""
Files = Labels | Sequence[Labels] | Mapping[Any, Labels]
"""Labels of one file, or of many."""


@dataclass(frozen=True, slots=True)
class InstrumentScore:
    """One instrument over all files."""

    # precision, recall, f1: NaN where undefined
    precision: float
    recall: float
    f1: float
    # hits, predicted, support: files in which it is predicted and annotated, predicted, annotated
    hits: int
    predicted: int
    support: int


class InstrumentScores(NamedScores):
    """Scores by ``protocol/measure``, NaN where undefined.

    Attributes
    ----------
    instruments : dict of str to InstrumentScore
        By instrument, in the order of names.
    files : int
        Number of files.
    diagnostics : tuple of Diagnostic
        What was noticed in the labels.
    """

    def __init__(
        self,
        scores: Mapping[str, float],
        instruments: dict[str, InstrumentScore],
        files: int,
        diagnostics: tuple[Diagnostic, ...],
    ) -> None:
        super().__init__(scores)
        self.instruments = instruments
        self.files = files
        self.diagnostics = diagnostics


def evaluate(
    reference: Files,
    estimate: Files,
    taxonomy: str | os.PathLike[str] | None = None,
    *,
    protocol: str | Collection[str] | None = None,
    labels: Collection[str] | None = None,
    options: InstrumentOptions | None = None,
    **choices: Any,
) -> InstrumentScores:
    """Score lists of instruments.

    Parameters
    ----------
    reference, estimate : list of str, list of lists of str, or mapping of file to list of str
        Labels of one file; or of many, both in the same order or under the same names. Estimates are
        ranked, the best first; sets are not, and have no AP.
    taxonomy : str or path, optional
        A built-in taxonomy, or a file. Without one there are flat measures only.
    protocol : str or collection of str, optional
        ``"open-mic-task1"``, ``"kiritchenko2006"``, ``"lca"``, or several of them; by default all that the
        input allows.
    labels : collection of str, optional
        Instruments that scores of instruments, and means over them, are of; by default all that are
        annotated or estimated.
    options : InstrumentOptions, optional
        How labels are read, and means are taken.
    **choices
        In place of ``options``, fields of :class:`kammerton.instruments.InstrumentOptions` that concern
        labels and means: ``map``, ``unknown``, ``casefold``, ``level``, ``leaves``, ``top_k``, ``ties``,
        ``undefined``, ``min_support``.

    Returns
    -------
    InstrumentScores
        A dict from ``"protocol/measure"`` to the score over all files; scores of single instruments are in
        its attribute ``instruments``.

    Raises
    ------
    DataError
        If a label is none, or the taxonomy does not have it and ``unknown`` is ``"error"``.
    OptionError
        If there is no such option, or both sides do not have the same files.

    Notes
    -----
    For files on disk, scores, partial truth, and retrieval see :func:`kammerton.score`.

    Examples
    --------
    >>> truth = {"one": ["piano", "violin"], "two": ["voice"]}
    >>> scores = evaluate(truth, {"one": ["violin", "flute"], "two": ["voice"]})
    >>> scores["open-mic-task1/P"], scores["open-mic-task1/macro_R"]
    (0.75, 0.6666666666666666)
    >>> scores.instruments["violin"].support
    1
    """
    reading = _options(taxonomy, options, choices)
    truth, predictions = _sides(reference, estimate)
    ranked = not any(issubclass(kind, AbstractSet) for kind in set(map(type, predictions)))
    encoded, diagnostics = _encode(truth, predictions, reading, ranked=ranked)
    names = [protocol] if isinstance(protocol, str) else protocol
    measures = _measures(names, reading, ranked=ranked)
    per_file = [measure for measure in measures if measure.aggregate != "gathered"]
    sums = {measure: np.zeros((1, len(measure.formula.statistics))) for measure in per_file}
    counts = np.zeros((len(encoded.labels), 3))
    for begin in range(0, len(truth), _TOGETHER):
        columns = shaped(encoded.columns(begin, min(begin + _TOGETHER, len(truth))), reading)
        for measure, statistics in statistics_of_files(columns, per_file, reading).items():
            sums[measure] += statistics.sum(axis=0, keepdims=True)
        counts += counts_of_labels(columns)
    instruments, counts = _chosen(encoded.labels, counts, labels)
    gathered = [measure for measure in measures if measure.aggregate == "gathered"]
    of_labels = open_mic_task1.gathered_rates(counts, gathered, reading)
    scores = {measure: _score(measure, summed) for measure, summed in sums.items()}
    scores |= {measure: mean(Rate().counted(rows)) for measure, rows in of_labels.items()}
    return InstrumentScores(
        {str(measure): scores[measure] for measure in measures},
        _by_instrument(instruments, counts),
        len(truth),
        diagnostics,
    )


def _score(measure: Measure, summed: Statistics) -> float:
    """Return a score from the sum of all rows of statistics, which know how they are averaged."""
    formula = measure.formula
    values = formula.counted(summed) if isinstance(formula, Rate) else formula.finalise(summed)
    return float(values[0])


# --- what the caller gave --------------------------------------------------------------------


def _options(
    taxonomy: str | os.PathLike[str] | None, options: InstrumentOptions | None, choices: Mapping[str, Any]
) -> InstrumentOptions:
    known = [field.name for field in fields(InstrumentOptions) if field.name not in _NEEDLESS]
    for name in choices:
        if name not in known:
            raise OptionError.unknown("option", name, known)
    if taxonomy is not None and not isinstance(taxonomy, str | os.PathLike):
        raise OptionError.of_type("taxonomy", taxonomy, "a name or a path")
    if options is not None and not isinstance(options, InstrumentOptions):
        raise OptionError.of_type("options", options, "InstrumentOptions")
    tree: dict[str, Any] = {} if taxonomy is None else {"taxonomy": os.fsdecode(taxonomy)}
    return replace(options or InstrumentOptions(), **tree, **choices)


def _sides(reference: Files, estimate: Files) -> tuple[list[Labels], list[Labels]]:
    """Return the labels of each file, of both sides."""
    sides: tuple[list[Any], list[Any]]
    if isinstance(reference, Mapping) and isinstance(estimate, Mapping):
        for side, other, what in ((reference, estimate, "estimates"), (estimate, reference, "references")):
            lacking = [str(name) for name in side if name not in other]
            if lacking:
                verb = inflected(len(lacking), "is", "are")
                message = (
                    f"{plural(len(lacking), 'file')} {verb} not in the {what}, such as {quote(lacking[0])}"
                )
                raise OptionError(message, "give each file a list; an empty one, if it has no instrument")
        sides = ([*reference.values()], [estimate[name] for name in reference])
    elif isinstance(reference, Mapping) or isinstance(estimate, Mapping):
        message = "one side names its files and the other does not"
        raise OptionError(message, "give two mappings, or two lists")
    else:
        expected = "a list of labels, or of lists, or a mapping of files to lists"
        sides = _listed("reference", reference, expected), _listed("estimate", estimate, expected)
        if all(isinstance(label, str) for side in sides for label in side):
            sides = [reference], [estimate]
    counts = tuple(map(len, sides))
    if counts[0] != counts[1]:
        raise OptionError(f"{plural(counts[0], 'reference')}, and {plural(counts[1], 'estimate')}")
    for what, files in zip(("reference", "estimate"), sides, strict=True):
        for kind in set(map(type, files)):
            if issubclass(kind, str | bytes | Mapping) or not issubclass(kind, Collection):
                odd = next(labels for labels in files if type(labels) is kind)
                error = OptionError.of_type(f"a file of `{what}`", odd, "a list of labels")
                raise OptionError(error.message, "`kammerton.score` takes labels with scores")
    return sides


def _listed(what: str, value: Any, expected: str) -> list[Any]:
    if isinstance(value, str | bytes) or not isinstance(value, Collection):
        raise OptionError.of_type(what, value, expected)
    return list(value)


def _names(what: str, value: Collection[str]) -> list[str]:
    names = _listed(f"`{what}`", value, "a list of names")
    for name in names:
        if not isinstance(name, str):
            raise OptionError.of_type(f"a name in `{what}`", name, "a str")
    return names


def _measures(
    protocols: Collection[str] | None, options: InstrumentOptions, *, ranked: bool
) -> list[Measure]:
    """Return the measures of protocols that the input allows."""
    names = list(_PROTOCOLS) if protocols is None else _names("protocol", protocols)
    flat = open_mic_task1.PROTOCOL.name
    for name in names:
        if name not in _PROTOCOLS:
            raise OptionError.unknown("protocol", name, _PROTOCOLS)
        if protocols is not None and name != flat and options.tree is None:
            raise OptionError(f"protocol `{name}` needs a taxonomy")
    return [
        measure
        for name in names
        for measure in _PROTOCOLS[name].measures
        if options.tree is not None or (name == flat and measure.name not in open_mic_task1.HIERARCHICAL)
        if ranked or name != flat or measure.name != "AP"
    ]


# --- labels as codes -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Encoded:
    """Both sides as codes of labels."""

    labels: tuple[str, ...]
    truth: Lists
    predictions: Lists
    tree: Taxonomy | None

    def columns(self, begin: int, end: int) -> InstrumentColumns:
        """Return the columns of some files."""
        truth, predictions = self.truth.some(begin, end), self.predictions.some(begin, end)
        zeros = np.zeros(len(truth), dtype=np.int64)
        no, yes = zeros > 0, zeros == 0
        return InstrumentColumns(
            labels=self.labels,
            truth=truth,
            absent=lists_of(zeros, truth.codes[:0]),
            closed=yes,
            grades=np.ones_like(truth.codes),
            predictions=predictions,
            scored=predictions,
            vector=no,
            listed=yes,
            confident=no,
            queries=no,
            groups=zeros,
            tree=self.tree,
        )


def _encode(
    truth: Sequence[Labels], predictions: Sequence[Labels], options: InstrumentOptions, *, ranked: bool
) -> tuple[_Encoded, tuple[Diagnostic, ...]]:
    """Return both sides with what their labels mean, each spelling looked up once; and what was noticed."""
    spellings = LabelCodes(None)
    try:
        written = spellings.encode(truth), spellings.encode(predictions)
    except TypeError as error:
        raise OptionError("labels are strings", str(error)) from error
    for label in spellings.labels:
        if not isinstance(label, str):
            raise OptionError.of_type("a label", label, "a string")
    meanings = look_up(spellings.labels, options)
    vocabulary = LabelCodes(options.tree)
    codes = np.array(
        [vocabulary.code(meaning.label) if meaning.stays else -1 for meaning in meanings], dtype=np.int64
    )
    plain = np.array([meaning.is_plain for meaning in meanings], dtype=bool)
    sides: list[Lists] = []
    diagnostics: list[Diagnostic] = []
    for name, side in zip(("reference", "estimate"), written, strict=True):
        lists, odd = _each_once(side, codes, plain, len(vocabulary.labels))
        sides.append(lists)
        diagnostics += _noticed(side, odd, spellings.labels, ListReader(Problems(name), options))
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
    if errors:
        raise DataError(errors)
    listed = sides[1] if ranked else replace(sides[1], strengths=np.zeros(len(sides[1].codes)))
    return _Encoded(vocabulary.labels, sides[0], listed, options.tree), tuple(diagnostics)


def _each_once(side: Lists, codes: Codes, plain: Flags, size: int) -> tuple[Lists, Flags]:
    """Return the lists with the codes of what their labels mean, each once; and which lists are odd."""
    lists = replace(side, codes=codes[side.codes])
    odd = np.bincount(side.owners[~plain[side.codes]], minlength=len(side)) > 0
    if (codes < 0).any():
        lists = lists.keep(lists.codes >= 0)
    keys = lists.keys(size)
    ordered = np.sort(keys)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(repeated):
        odd[repeated // size] = True
        once = np.zeros(len(keys), dtype=bool)
        once[np.unique(keys, return_index=True)[1]] = True
        lists = lists.keep(once)
    return lists, odd


def _noticed(side: Lists, odd: Flags, spellings: Sequence[str], reader: ListReader) -> tuple[Diagnostic, ...]:
    """Read odd lists as those of files are, for their diagnostics."""
    if odd.any():
        rows = np.flatnonzero(odd[side.owners])
        entries = LabelRows(
            spellings, side.codes[rows], side.owners[rows], lambda row: Place(reader.problems.file, row=row)
        )
        rules = ReadingRules(ordered=True, names_items=len(side) > 1)
        reader.finish(entries, [("", None)] * len(side), rules)
    return reader.problems.diagnostics()


# --- scores of instruments -------------------------------------------------------------------


def _chosen(
    known: Sequence[str], counts: Statistics, labels: Collection[str] | None
) -> tuple[list[str], Statistics]:
    """Return the labels that scores are of, by name, and their counts."""
    codes = {name: code for code, name in enumerate(known)}
    if labels is None:
        names = sorted(known[code] for code in np.flatnonzero(counts.any(axis=1)).tolist())
    else:
        names = sorted(set(_names("labels", labels)))
    nothing = np.zeros((1, 3))
    return names, np.concatenate((counts, nothing))[[codes.get(name, len(known)) for name in names]]


def _by_instrument(names: Sequence[str], counts: Statistics) -> dict[str, InstrumentScore]:
    rates = [Counts(which).finalise(counts).tolist() for which in ("P", "R", "F")]
    return {
        name: InstrumentScore(precision, recall, f1, *numbers)
        for name, precision, recall, f1, numbers in zip(
            names, *rates, counts.astype(np.int64).tolist(), strict=True
        )
    }
