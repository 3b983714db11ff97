# SPDX-License-Identifier: MIT
"""Score lists of instruments held in Python: one file, or a million, without an object for each."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from kammerton.arrays import mean
from kammerton.errors import Diagnostic, OptionError
from kammerton.instruments.columns import shaped
from kammerton.instruments.encoding import Encoded, Files, sides
from kammerton.instruments.formulas import Counts, Rate
from kammerton.instruments.hierarchical import counts_of_labels
from kammerton.instruments.kernels import statistics_of_files
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.protocols import kiritchenko2006, lca, open_mic_task1
from kammerton.model.measure import Measure, Statistics

__all__ = ["InstrumentScore", "InstrumentScores", "evaluate"]

_TOGETHER = 50_000
"""Files that go through the kernels at once."""

_PROTOCOLS = {module.PROTOCOL.name: module.PROTOCOL for module in (open_mic_task1, kiritchenko2006, lca)}
_NEEDLESS = (
    "taxonomy",
    "threshold",
    "truth_threshold",
    "assume_absent",
    "results",
    "gain",
    "encoding",
    "limits",
)


@dataclass(frozen=True, slots=True)
class InstrumentScore:
    """One instrument over all files."""

    # precision, recall, f1: naN where undefined
    precision: float
    recall: float
    f1: float
    # hits, predicted, support: files in which it is predicted and annotated, predicted, annotated
    hits: int
    predicted: int
    support: int


class InstrumentScores(dict[str, float]):
    """Figures by ``protocol/measure``, NaN where undefined.

    Attributes
    ----------
    instruments : dict of str to InstrumentFigures
        By instrument, in the order of names.
    files : int
        Number of files.
    diagnostics : tuple of Diagnostic
        What was noticed in the labels.
    """

    def __init__(
        self,
        figures: Mapping[str, float],
        instruments: dict[str, InstrumentScore],
        files: int,
        diagnostics: tuple[Diagnostic, ...],
    ) -> None:
        super().__init__(figures)
        self.instruments = instruments
        self.files = files
        self.diagnostics = diagnostics


def evaluate(
    annotated: Files,
    predicted: Files,
    taxonomy: str | os.PathLike[str] | None = None,
    *,
    protocols: Collection[str] | None = None,
    labels: Collection[str] | None = None,
    **options: Any,
) -> InstrumentScores:
    """Score lists of instruments.

    Parameters
    ----------
    annotated, predicted : list of str, list of lists of str, or mapping of file to list of str
        Labels of one file; or of many, both in the same order or under the same names. Predictions are
        ranked, the best first; sets are not, and have no AP.
    taxonomy : str or path, optional
        A built-in taxonomy, or a file. Without one there are flat measures only.
    protocols : collection of str, optional
        ``"open-mic-task1"``, ``"kiritchenko2006"``, ``"lca"``; by default all that the input allows.
    labels : collection of str, optional
        Instruments that figures of instruments, and means over them, are of; by default all that are
        annotated or predicted.
    **options
        Fields of :class:`kammerton.instruments.InstrumentOptions` that concern labels and means: ``map``,
        ``unknown``, ``casefold``, ``level``, ``leaves``, ``top_k``, ``ties``, ``undefined``,
        ``min_support``.

    Returns
    -------
    InstrumentScores
        A dict from ``"protocol/measure"`` to the figure over all files; figures of single instruments
        are in its attribute ``instruments``.

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
    >>> found = evaluate(truth, {"one": ["violin", "flute"], "two": ["voice"]})
    >>> found["open-mic-task1/P"], found["open-mic-task1/macro_R"]
    (0.75, 0.6666666666666666)
    >>> found.instruments["violin"].support
    1
    """
    choices = _choices(taxonomy, options)
    truth, said = sides(annotated, predicted)
    ranked = not any(issubclass(kind, AbstractSet) for kind in set(map(type, said)))
    encoded = Encoded(truth, said, choices)
    wanted = _measures(protocols, choices, ranked=ranked)
    per_file = [measure for measure in wanted if measure.aggregate != "gathered"]
    sums = {measure: np.zeros((1, len(measure.formula.statistics))) for measure in per_file}
    counts = np.zeros((len(encoded.labels), 3))
    for begin in range(0, len(truth), _TOGETHER):
        columns = shaped(encoded.columns(begin, begin + _TOGETHER, ranked=ranked), choices)
        for measure, found in statistics_of_files(columns, per_file, choices).items():
            sums[measure] += found.sum(axis=0, keepdims=True)
        counts += counts_of_labels(columns)
    names, counts = _chosen(encoded.labels, counts, labels)
    gathered = [measure for measure in wanted if measure.aggregate == "gathered"]
    of_labels = open_mic_task1.gathered_rates(counts, gathered, choices)
    figures = {measure: _figure(measure, sums[measure]) for measure in per_file}
    figures |= {measure: mean(Rate().counted(found)) for measure, found in of_labels.items()}
    return InstrumentScores(
        {str(measure): figures[measure] for measure in wanted},
        _by_instrument(names, counts),
        len(truth),
        encoded.diagnostics,
    )


def _figure(measure: Measure, summed: Statistics) -> float:
    """Return a figure from the sum of all rows of statistics, which say themselves how they are averaged."""
    if isinstance(measure.formula, Rate):
        return float(measure.formula.counted(summed)[0])
    return float(measure.formula.finalise(summed)[0])


def _choices(taxonomy: str | os.PathLike[str] | None, options: Mapping[str, Any]) -> InstrumentOptions:
    known = [field.name for field in fields(InstrumentOptions) if field.name not in _NEEDLESS]
    for name in options:
        if name not in known:
            raise OptionError.unknown("option", name, known)
    if taxonomy is not None and not isinstance(taxonomy, str | os.PathLike):
        raise OptionError.of_type("taxonomy", taxonomy, "a name or a path")
    return InstrumentOptions(taxonomy="" if taxonomy is None else os.fsdecode(taxonomy), **options)


def _measures(
    protocols: Collection[str] | None, options: InstrumentOptions, *, ranked: bool
) -> list[Measure]:
    names = list(_PROTOCOLS) if protocols is None else _names("protocols", protocols)
    for name in names:
        if name not in _PROTOCOLS:
            raise OptionError.unknown("protocol", name, _PROTOCOLS)
        if protocols is not None and name != open_mic_task1.PROTOCOL.name and options.tree is None:
            raise OptionError(f"protocol `{name}` needs a taxonomy")
    chosen = [measure for name in names for measure in _PROTOCOLS[name].measures]
    return [measure for measure in chosen if _is_allowed(measure, options, ranked=ranked)]


def _names(what: str, given: Collection[str]) -> list[str]:
    if isinstance(given, str | bytes) or not isinstance(given, Collection):
        raise OptionError.of_type(f"`{what}`", given, "a list of names")
    for name in given:
        if not isinstance(name, str):
            raise OptionError.of_type(f"a name in `{what}`", name, "a str")
    return list(given)


def _is_allowed(measure: Measure, options: InstrumentOptions, *, ranked: bool) -> bool:
    if measure.protocol != open_mic_task1.PROTOCOL.name:
        return options.tree is not None
    if measure.name == "AP":
        return ranked
    return options.tree is not None or measure.name not in open_mic_task1.HIERARCHICAL


def _chosen(
    known: Sequence[str], counts: Statistics, labels: Collection[str] | None
) -> tuple[list[str], Statistics]:
    """Return the labels that figures are of, by name, and their counts."""
    number = {name: code for code, name in enumerate(known)}
    if labels is None:
        names = sorted(known[code] for code in np.flatnonzero(counts.any(axis=1)).tolist())
    else:
        names = sorted(set(_names("labels", labels)))
    nothing = np.zeros((1, 3))
    codes = [number.get(name, len(known)) for name in names]
    return names, np.concatenate((counts, nothing))[codes]


def _by_instrument(names: Sequence[str], counts: Statistics) -> dict[str, InstrumentScore]:
    rates = [Counts(which).finalise(counts).tolist() for which in ("P", "R", "F")]
    whole = counts.astype(np.int64).tolist()
    return {
        name: InstrumentScore(*figures, *numbers)
        for name, *figures, numbers in zip(names, *rates, whole, strict=True)
    }
