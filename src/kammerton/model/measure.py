# SPDX-License-Identifier: MIT
"""What a measure is: additive statistics, a pure formula, and what its card says; what a protocol is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import chain
from operator import attrgetter
from typing import Literal, TypeVar
from typing import Protocol as TypingProtocol

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import mean, median, total, weighted_mean
from kammerton.errors import OptionError, close_match, quote

Name = TypeVar("Name")


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """What measures over classes are a function of: rows of all cases, each on one class.

    Parameters
    ----------
    columns : tuple of str
        Names of the values.
    cases : ndarray of int64, shape (rows,)
        Case of each row.
    classes : tuple of str
        Names of the classes, such as instruments.
    codes : ndarray of int64, shape (rows,)
        Class of each row; -1 if the item of the case is the class.
    units : tuple of str
        Names of what the classes are said of, such as recordings.
    unit_codes : ndarray of int64, shape (rows,)
        Unit of each row; -1 if it is the item of the case.
    values : ndarray of float64, shape (rows, columns)
    """

    columns: tuple[str, ...]
    cases: NDArray[np.int64]
    classes: tuple[str, ...]
    codes: NDArray[np.int64]
    units: tuple[str, ...]
    unit_codes: NDArray[np.int64]
    values: NDArray[np.float64]

    def of(self, chosen: NDArray[np.bool_]) -> Gathered:
        """Return the rows of some cases; ``chosen`` has one flag per case."""
        rows = chosen[self.cases]
        return replace(
            self,
            cases=self.cases[rows],
            codes=self.codes[rows],
            unit_codes=self.unit_codes[rows],
            values=self.values[rows],
        )


def name_items(part: Gathered, places: NDArray[np.int64], items: Sequence[str]) -> Gathered:
    """Return a part with its cases at their places in the whole, and the names of items put in."""
    cases = places[part.cases]
    classes, codes = _put_in(part.classes, part.codes, cases, items)
    units, unit_codes = _put_in(part.units, part.unit_codes, cases, items)
    return Gathered(part.columns, cases, classes, codes, units, unit_codes, part.values)


def _put_in(
    names: tuple[str, ...], codes: NDArray[np.int64], cases: NDArray[np.int64], items: Sequence[str]
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    own = codes < 0
    if not own.any():
        return names, codes
    used, at = np.unique(cases[own], return_inverse=True)
    filled = codes.copy()
    filled[own] = len(names) + at
    return join_codes([((*names, *(items[case] for case in used.tolist())), filled)])


def join(parts: Iterable[Gathered]) -> Gathered:
    """Return the rows of all parts, whose cases are numbered alike."""
    known = list(parts)
    classes, codes = join_codes((part.classes, part.codes) for part in known)
    units, unit_codes = join_codes((part.units, part.unit_codes) for part in known)
    return Gathered(
        known[0].columns,
        np.concatenate([part.cases for part in known]),
        classes,
        codes,
        units,
        unit_codes,
        np.concatenate([part.values for part in known]),
    )


def join_codes(
    parts: Iterable[tuple[Sequence[Name], NDArray[np.int64]]],
) -> tuple[tuple[Name, ...], NDArray[np.int64]]:
    """Return the names of all parts, equal ones once, and the codes of all; -1 stays -1."""
    number: dict[Name, int] = {}
    joined = []
    for names, codes in parts:
        table = [number.setdefault(name, len(number)) for name in names]
        joined.append(np.array([*table, -1], dtype=np.int64)[codes])
    return tuple(number), np.concatenate(joined) if joined else np.empty(0, dtype=np.int64)


Statistics = NDArray[np.float64]
"""Shape (items, statistics): the additive statistics of one measure."""
Values = NDArray[np.float64]
Aggregate = Literal["pooled", "mean", "weighted_mean", "median", "gathered"]
Needs = Literal["pair", "references+estimate", "estimate", "annotators"]
Law = Literal[
    "identity",  # reference = estimate scores the best value, or is undefined
    "transposition",  # both sides transposed: nothing changes
    "respelling",  # roots respelled enharmonically: nothing changes
    "time_shift",  # both sides later by the same time: nothing changes
    "split",  # a row split in two equal rows: nothing changes
    "symmetry",  # sides swapped: nothing changes
    "note_order",  # simultaneous notes in another order: nothing changes
    "mirror",  # hands swapped and keys mirrored: nothing changes
    "duplicate_annotator",  # an annotator counted twice: nothing changes
]


class Formula(TypingProtocol):
    """The arithmetic of a measure.

    ``statistics`` names the columns; every statistic is additive over items. An item may count in a mean
    what is not its value, 0 if undefined, say: ``counted(statistics)`` then returns what each row counts,
    NaN where it does not take part. Without it that is the value.
    """

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns of the statistics."""

    def finalise(self, statistics: Statistics, /) -> Values:
        """Return the value of each row of statistics; NaN where undefined."""

    def weight(self, statistics: Statistics, /) -> Values:
        """Return what the value was measured on, in the measure's ``weight_unit``."""

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Return the statistics of the worst estimate for the same reference."""


REFERENCE = "reference"
"""What every measure lacks that compares with references, where there are none."""
BY_HAND = "compared with no other program; worked out by hand in the tests"
"""What the card of a measure without an oracle says that it agrees with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What a reader must know to trust a score; shown by ``kammerton measures``.

    Parameters
    ----------
    summary : str
        One sentence.
    equation : str
        The formula in plain text.
    undefined_when : str
        When there is no value.
    source : str
        Paper, document or program that defines it.
    agrees_with : str
        Tool, version and tolerance of the agreement that the tests hold for this very measure, or
        :data:`BY_HAND`.
    """

    summary: str
    equation: str
    undefined_when: str
    source: str
    agrees_with: str


@dataclass(frozen=True, slots=True)
class CorpusScore:
    """A corpus score: the value, what it was measured on, and how many items had none."""

    value: float
    weight: float
    items: int
    undefined: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measure of a protocol: a frozen value, addressed ``protocol/name``.

    Parameters
    ----------
    protocol, name : str
        Together its address: CLI argument, column name and key.
    formula : Formula
        Statistics and finaliser.
    aggregate : {"pooled", "mean", "weighted_mean", "median", "gathered"}
        How items become the headline corpus score. *pooled*: sum the statistics, finalise once.
        *mean*, *median*: finalise per item, then average. *weighted_mean*: the same with the
        formula's weight. *gathered*: statistics are of classes, each a function of what all items say
        of it; finalise per class, then average.
    beside : tuple of aggregate
        Further aggregates that are reported beside the headline.
    weight_unit : str
        Unit of the formula's weight.
    card : Card
        Its documentation.
    headline : bool
        Whether the terminal table shows it without being asked; no measure is by default, since each
        makes the tables of everyone wider.
    range : (float, float)
        Smallest and largest value.
    direction : {"higher", "lower"}
        Which way is better.
    worst : float
        The value an unusable estimate gets.
    laws : frozenset of str
        Invariances it keeps; a law it does not declare has a counterexample among the tests.
    needs : {"pair", "references+estimate", "estimate", "annotators"}
        What one row of statistics is computed from: one reference and the estimate, all references of
        an item and the estimate, the estimate alone, or the references alone.
    over_all : bool
        Of a gathered measure: whether all items and classes together make its only class. Intervals then
        resample items, else classes: those that it averages.
    inputs : tuple of str
        What annotations may lack and the measure has no value without, such as ``"pitches"``; the first that
        is lacking is the reason, ``no_pitches``.
    """

    protocol: str
    name: str
    formula: Formula
    aggregate: Aggregate
    card: Card
    beside: tuple[Aggregate, ...] = ()
    weight_unit: str = "s"
    headline: bool = False
    range: tuple[float, float] = (0.0, 1.0)
    direction: Literal["higher", "lower"] = "higher"
    worst: float = 0.0
    laws: frozenset[Law] = field(default_factory=frozenset)
    needs: Needs = "pair"
    over_all: bool = False
    inputs: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.protocol}/{self.name}"

    def __hash__(self) -> int:
        """Return that of its address: a key of most mappings is not looked through each time."""
        return hash((self.protocol, self.name))

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """The headline aggregate and those beside it."""
        return (self.aggregate, *self.beside)

    @property
    def resamples_classes(self) -> bool:
        """Whether intervals resample classes, which the measure averages, and not items.

        A class that few items have is in no resample of items at times, and the first file that a query asks
        for is lost in one of three: such scores lie apart from that of all items.
        """
        return self.aggregate == "gathered" and not self.over_all

    def why_undefined(self, lacking: str) -> str:
        """Return the reason why a row has no value.

        Parameters
        ----------
        lacking : str
            Names of what its annotations lack, with blanks between them.
        """
        known = lacking.split()
        lacks = (f"no_{name}" for name in (REFERENCE, *self.inputs) if name in known)
        return next(lacks, f"nothing comparable: {self.card.undefined_when}")

    def counted(self, statistics: Statistics) -> Values:
        """Return what each row of statistics counts in a mean; NaN where it does not take part."""
        counted = getattr(self.formula, "counted", self.formula.finalise)
        values: Values = counted(statistics)
        return values

    def corpus_score(self, statistics: Statistics, how: Aggregate) -> CorpusScore:
        """Return the corpus score of items with these statistics.

        Parameters
        ----------
        statistics : ndarray, shape (items, statistics)
            One row per item, or per class.
        how : aggregate
            How items become a corpus score.

        Returns
        -------
        CorpusScore
            ``weight`` is the formula's weight summed over the items that have a value, or the number of
            those that count where each counts the same.
        """
        values, weights = self.formula.finalise(statistics), self.formula.weight(statistics)
        if how == "pooled":
            return self.pooled(statistics, values, weights)
        return average(values, self.counted(statistics), weights, how)

    def pooled(self, statistics: Statistics, values: Values, weights: Values) -> CorpusScore:
        """Return the corpus score of summed statistics, of items with these values and weights."""
        undefined = np.isnan(values)
        summed = np.array([list(map(total, statistics.T))])
        value = float(self.formula.finalise(summed)[0])
        return CorpusScore(value, total(weights[~undefined]), len(values), int(np.count_nonzero(undefined)))


def average(values: Values, counted: Values, weights: Values, how: Aggregate) -> CorpusScore:
    """Return the mean, weighted mean or median of what items count."""
    items, undefined = len(values), int(np.isnan(values).sum())
    if how == "weighted_mean":
        weight = total(weights[~np.isnan(counted)])
        return CorpusScore(weighted_mean(counted, weights), weight, items, undefined)
    value = median(counted) if how == "median" else mean(counted)
    return CorpusScore(value, float(items - np.isnan(counted).sum()), items, undefined)


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """How items are aligned, labels compared, time left out, and items made a corpus score.

    Parameters
    ----------
    name : str
        First part of its measures' address.
    revision : int
        Raised whenever any of its numbers could change.
    summary : str
        One sentence.
    rules : str
        The rules in words, for ``kammerton measures``.
    measures : tuple of Measure
        In the order of output.
    on_request : bool
        Whether it runs only when named.
    citation : str
        BibTeX entries, with their keys, of the works that define it, a blank line between them; protocols of
        one work have equal entries.
    """

    name: str
    revision: int
    summary: str
    rules: str
    measures: tuple[Measure, ...]
    on_request: bool = False
    citation: str = ""


EVERY = "all"
"""The name of all protocols together, but those that run on request only."""


def choose(
    protocols: Sequence[Protocol],
    names: Iterable[str] | None,
    measures: Iterable[str] | None,
    defaults: Sequence[str] = (),
) -> tuple[Measure, ...]:
    """Return the measures that are to be computed: the defaults, if no protocol and no measure is named."""
    wanted = _several("measures", measures)
    if names is None and wanted is None and defaults:
        wanted = list(defaults)
    names = _several("protocols", names)
    known = dict(zip(map(attrgetter("name"), protocols), protocols, strict=True))
    chosen: list[Protocol] = []
    for name in dict.fromkeys(names or ()):
        if name != EVERY and (not isinstance(name, str) or name not in known):
            raise OptionError.unknown("protocol", name, (*known, EVERY))
        added = [p for p in protocols if not p.on_request] if name == EVERY else [known[name]]
        chosen += [protocol for protocol in added if protocol not in chosen]
    if names is None:
        prefixes = {str(address).partition("/")[0] for address in wanted or () if "/" in str(address)}
        chosen = [p for p in protocols if not p.on_request or p.name in prefixes]
    available = list(chain.from_iterable(map(attrgetter("measures"), chosen)))
    if wanted is None:
        return tuple(available)
    every = [measure for protocol in protocols for measure in protocol.measures]
    usual = [] if names is not None else [m for m in available if _fits(m, defaults)]
    picked = {measure for address in wanted for measure in _fitting(address, available, every, usual)}
    return tuple(measure for measure in available if measure in picked)


def _several(kind: str, names: Iterable[str] | None) -> list[str] | None:
    """Return the names that were given; a text is one name, and no name at all is a mistake."""
    if names is None:
        return None
    if not isinstance(names, Iterable):
        raise OptionError.of_type(kind, names, "names")
    listed = [names] if isinstance(names, str) else list(names)
    if not listed:
        raise OptionError(f"no {kind} are named", f"leave out {kind} for all of them")
    return listed


def _fits(measure: Measure, addresses: Iterable[str]) -> bool:
    return any(fnmatchcase(str(measure), address) for address in addresses)


def _fitting(
    address: str, measures: Sequence[Measure], every: Sequence[Measure], usual: Sequence[Measure]
) -> list[Measure]:
    """Return the measures that an address such as ``mirex2013/*`` fits, or the one that it is of.

    A name that several have is that of the usual one.
    """
    if "*" in str(address) and (fitting := [m for m in measures if _fits(m, (address,))]):
        return fitting
    named = [measure for measure in usual if measure.name == address]
    return named if len(named) == 1 else [find(address, measures, every)]


def find(address: str, measures: Sequence[Measure], every: Sequence[Measure] = ()) -> Measure:
    """Return the measure with this address, or with this name if only one has it."""
    if not isinstance(address, str):
        raise OptionError.of_type("measure", address, "a str")
    folded = address.casefold()
    alike, exact = [], []
    for measure in measures:
        if folded in (str(measure).casefold(), measure.name.casefold()):
            alike.append(measure)
            exact += [measure] if str(measure) == address else []
    matches = exact or alike
    if len(matches) > 1:
        raise OptionError(
            f"measure {quote(address)} is not unique", f"say which: {', '.join(map(str, alike))}"
        )
    if matches and address in (str(matches[0]), matches[0].name):
        return matches[0]
    if any(address in (str(m), m.name) for m in every):
        raise OptionError(
            f"measure {quote(address)} is not among those that are computed",
            f"they are of {', '.join(dict.fromkeys(m.protocol for m in measures))}",
        )
    near = close_match(address, [*(m.name for m in measures), *map(str, measures)])
    listed = "`kammerton measures` lists all"
    hint = listed if near is None else f"did you mean {quote(near)}? {listed}"
    raise OptionError(f"unknown measure {quote(address)}", hint)


class NamedScores(dict[str, float]):
    """Scores by ``protocol/measure``, NaN where undefined.

    The name of a measure alone does where only one of them has it.

    Examples
    --------
    >>> scores = NamedScores({"mirex2013/MajMin": 0.75, "mirex2013/Root": 1.0})
    >>> scores["Root"]
    1.0
    """

    def __missing__(self, name: str) -> float:
        """Return the score of the only measure of a name."""
        addresses = [address for address in self if address.rpartition("/")[2] == name]
        if len(addresses) != 1:
            raise KeyError(name)
        return self[addresses[0]]


def namesakes(
    addresses: Iterable[str], chosen: Sequence[Measure], every: Sequence[Measure]
) -> dict[Measure, tuple[Measure, ...]]:
    """Return measures that were chosen by their names alone, and others that are called alike."""
    alike: dict[Measure, tuple[Measure, ...]] = {}
    for measure in chosen:
        if measure.name in addresses:
            folded = measure.name.casefold()
            others = tuple(m for m in every if m != measure and m.name.casefold() == folded)
            alike |= {measure: others} if others else {}
    return alike
