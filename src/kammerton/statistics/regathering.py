# SPDX-License-Identifier: MIT
"""Measures over classes, made anew from the items that were drawn."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

import numpy as np

from kammerton.core.intervals import Codes, Flags
from kammerton.core.ratios import ratio
from kammerton.model.classes import Classes, Gathering, has_class
from kammerton.model.corpus import ALL
from kammerton.model.gathering import Gathered
from kammerton.model.item_figures import ItemFigures
from kammerton.model.measure import Measure, Values

__all__ = ["Regathering", "figures_of", "times", "values_of"]


def times(counts: Codes) -> tuple[Codes, Codes]:
    """Return each item as often as it was drawn, and how often it was drawn before.

    >>> times(np.array([2, 0, 1]))
    (array([0, 0, 2]), array([0, 1, 0]))
    """
    drawn = np.repeat(np.arange(len(counts)), counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    return drawn, np.arange(len(drawn)) - first


class Regathering:
    """Classes of the items that were drawn.

    An item that is drawn twice is two: the second time, what is called like it (the unit that something
    is said of, or the class) has another name, and its place is behind the first.

    Parameters
    ----------
    gathering : Gathering
        What there is of the whole corpus.
    items : sequence of str
        All items, in the order of the draws.
    kept : container of str
        Those of them that are in.
    """

    def __init__(self, gathering: Gathering, items: Sequence[str], kept: Container[str]) -> None:
        self._gathering = gathering
        place = {name: number for number, name in enumerate(items) if name in kept}
        self._cases: dict[tuple[str, str], Codes] = {}
        for number, row in enumerate(gathering.rows):
            of_group = self._cases.setdefault((row.system, row.annotator), np.full(len(items), -1))
            if row.counts and row.item in place:
                of_group[place[row.item]] = number
        gathered = gathering.gathered
        self._order = np.argsort(gathered.cases, kind="stable")
        cases = gathered.cases[self._order]
        self._offsets = np.searchsorted(cases, np.arange(len(gathering.rows) + 1))
        self._unit_is_item = self._units_are_items(cases)

    def _units_are_items(self, cases: Codes) -> Flags:
        """Tell for each row whether all units of its case are called like the item."""
        gathered, rows = self._gathering.gathered, self._gathering.rows
        number = {name: code for code, name in enumerate(gathered.units)}
        own = np.array([number.get(row.item, -1) for row in rows], dtype=np.int64)
        others = np.bincount(cases, gathered.unit_codes[self._order] != own[cases], minlength=len(rows))
        return np.asarray(others[cases] == 0)

    def __len__(self) -> int:
        """Return how many rows classes are made of, of all systems and annotators."""
        return len(self._order)

    def cases(self, system: str, annotator: str) -> dict[str, Codes]:
        """Return the case of each item of a system, -1 where there is none, by annotator: one, or all."""
        return {
            who: cases
            for (name, who), cases in self._cases.items()
            if name == system and annotator in (ALL, who)
        }

    def classes(self, cases: Mapping[str, Codes], copies: Codes) -> dict[str, Classes]:
        """Return the classes against each annotator.

        Parameters
        ----------
        cases : mapping of str to ndarray of int64, shape (drawn,)
            By annotator: the case of each item drawn; -1 where there is none.
        copies : ndarray of int64, shape (drawn,)
            How often the same item was drawn before.
        """
        return {who: self._gathering.classes(self._gathered(own, copies)) for who, own in cases.items()}

    def _gathered(self, cases: Codes, copies: Codes) -> Gathered:
        copies, cases = copies[cases >= 0], cases[cases >= 0]
        begins, lengths = self._offsets[cases], np.diff(self._offsets)[cases]
        at = np.arange(int(lengths.sum())) + np.repeat(begins - np.cumsum(lengths) + lengths, lengths)
        whole, rows, again = self._gathering.gathered, self._order[at], np.repeat(copies, lengths)
        of_unit = self._unit_is_item[at]
        units, unit_codes = _renamed(whole.units, whole.unit_codes[rows], np.where(of_unit, again, 0))
        classes, codes = _renamed(whole.classes, whole.codes[rows], np.where(of_unit, 0, again))
        return Gathered(
            columns=whole.columns,
            cases=np.repeat(np.arange(len(cases)), lengths),
            classes=classes,
            codes=codes,
            units=units,
            unit_codes=unit_codes,
            values=whole.values[rows],
        )


def figures_of(parts: Iterable[Classes], measure: Measure, *, several: bool) -> ItemFigures:
    """Return what classes bring to a figure.

    Parameters
    ----------
    parts : iterable of classes
        One, or one for each annotator.
    measure : Measure
        One that is gathered.
    several : bool
        Whether there are several annotators, whose values of a class are averaged first.
    """
    known = list(parts)
    names = [name for part, _ in known for name in part]
    statistics = np.concatenate([found[measure] for _, found in known])
    own = [place for place, row in enumerate(statistics) if has_class(row)]
    return ItemFigures(measure, [names[place] for place in own], statistics[own], several=several)


def values_of(draws: Sequence[Iterable[Classes]], measures: Sequence[Measure]) -> Values:
    """Return figures of many draws at once.

    Parameters
    ----------
    draws : sequence of iterable of classes
        Of each draw: one, or one for each annotator, whose values of a class are averaged first.
    measures : sequence of Measure
        All of them gathered.

    Returns
    -------
    ndarray, shape (draws, measures)
        What ``figures_of(draw, measure).estimate("gathered")`` gives, but for rounding.
    """
    known = [list(parts) for parts in draws]
    several = max(map(len, known), default=0) > 1
    number: dict[tuple[int, str], int] = {}
    of_draw: list[int] = []
    rows: list[int] = []
    for draw, parts in enumerate(known):
        for names, _ in parts:
            if several:
                rows += [number.setdefault((draw, name), len(number)) for name in names]
            of_draw += [draw] * len(names)
    place = np.array(of_draw, dtype=np.int64)
    classes = np.array(rows, dtype=np.int64) if several else np.arange(len(place))
    draw_of = np.array([draw for draw, _ in number], dtype=np.int64) if several else place
    made = np.empty((len(known), len(measures)))
    for column, measure in enumerate(measures):
        statistics = np.concatenate([found[measure] for parts in known for _, found in parts])
        counted = measure.counted(statistics)
        counted[np.isnan(statistics).all(axis=1)] = np.nan
        made[:, column] = _means(_means(counted, classes, len(draw_of)), draw_of, len(known))
    return made


def _means(values: Values, groups: Codes, count: int) -> Values:
    """Return the mean of the values of each group that are defined."""
    defined = ~np.isnan(values)
    sums = np.bincount(groups[defined], values[defined], count).astype(np.float64)
    return ratio(sums, np.bincount(groups[defined], minlength=count).astype(np.float64))


def _renamed(names: tuple[str, ...], codes: Codes, copies: Codes) -> tuple[tuple[str, ...], Codes]:
    """Give copies names of their own, which come right behind the name that they are copies of."""
    again = copies > 0
    if not again.any():
        return names, codes
    pairs = np.stack((codes[again], copies[again]), axis=1)
    used, number = np.unique(pairs, axis=0, return_inverse=True)
    renamed = codes.copy()
    renamed[again] = len(names) + number.ravel()
    return (*names, *(f"{names[code]}\0{copy:06}" for code, copy in used.tolist())), renamed
