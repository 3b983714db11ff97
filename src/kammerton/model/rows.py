# SPDX-License-Identifier: MIT
"""What statistics are of: one row for an item of a system against an annotator, and many rows as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

__all__ = ["Group", "Row", "Rows", "State", "Status"]

Status = Literal["ok", "missing", "failed"]

Group = tuple[str, str]
"""A system, and an annotator or ``"all"``."""

Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
Known = TypeVar("Known")


@dataclass(frozen=True, slots=True)
class Row:
    """One item of one system against one annotator, or against all of them at once.

    Parameters
    ----------
    system, item, annotator : str
        Which.
    status : {"ok", "missing", "failed"}
        Whether there was an estimate, and whether both sides could be used.
    counts : bool
        Whether the row enters corpus figures: a missing estimate does under the policy ``worst``, a
        failed reference never.
    reason : str
        Why the status is not ok; else what the annotations lack, for :meth:`.Measure.why_undefined`.
    """

    system: str
    item: str
    annotator: str
    status: Status = "ok"
    counts: bool = True
    reason: str = ""


class State(NamedTuple):
    """What a row says beside what it is of."""

    status: Status
    counts: bool
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Rows(Sequence[Row]):
    """Rows in columns: of many rows few say anything of their own but the item.

    Made by :meth:`of` and :meth:`made`.

    Parameters
    ----------
    items : tuple of str
        Of each row.
    groups : tuple of (system, annotator)
        Those that there are, in the order of their first rows.
    group_codes : ndarray of int64, shape (rows,)
        Place of the group of each row.
    states : tuple of State
        Those that there are, in the order of their first rows.
    state_codes : ndarray of int64, shape (rows,)
        Place of the state of each row.
    """

    items: tuple[str, ...]
    groups: tuple[Group, ...]
    group_codes: Codes
    states: tuple[State, ...]
    state_codes: Codes

    @classmethod
    def made(
        cls,
        items: Iterable[str],
        groups: Sequence[Group],
        group_codes: Codes,
        states: Sequence[State],
        state_codes: Codes,
    ) -> Rows:
        """Return rows of columns in which groups and states may stand in any order, or be of no row.

        Raises
        ------
        ValueError
            If the columns are not of one length.
        IndexError
            If there is no such group or state.
        """
        names = tuple(items)
        if not len(names) == len(group_codes) == len(state_codes):
            raise ValueError("columns of rows are of one length")
        return cls(names, *_by_first_use(groups, group_codes), *_by_first_use(states, state_codes))

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Rows:
        """Return rows as columns."""
        if isinstance(rows, Rows):
            return rows
        groups: dict[Group, int] = {}
        states: dict[State, int] = {}
        known = [
            (
                row.item,
                groups.setdefault((row.system, row.annotator), len(groups)),
                states.setdefault(State(row.status, row.counts, row.reason), len(states)),
            )
            for row in rows
        ]
        items, group_codes, state_codes = zip(*known, strict=True) if known else ((), (), ())
        codes = (np.array(each, dtype=np.int64) for each in (group_codes, state_codes))
        return cls(items, tuple(groups), next(codes), tuple(states), next(codes))

    @classmethod
    def joined(cls, parts: Iterable[Rows]) -> Rows:
        """Return the rows of all parts, one part behind the other."""
        known = list(parts)
        return cls(
            tuple(chain.from_iterable(each.items for each in known)),
            *_joined([(each.groups, each.group_codes) for each in known]),
            *_joined([(each.states, each.state_codes) for each in known]),
        )

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Row]:
        codes = self.group_codes.tolist(), self.state_codes.tolist()
        for item, group, state in zip(self.items, *codes, strict=True):
            system, annotator = self.groups[group]
            yield Row(system, item, annotator, *self.states[state])

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Rows: ...
    def __getitem__(self, index: int | slice) -> Row | Rows:
        if isinstance(index, slice):
            return self.take(np.arange(len(self))[index])
        system, annotator = self.groups[self.group_codes[index]]
        return Row(system, self.items[index], annotator, *self.states[self.state_codes[index]])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rows):
            return NotImplemented
        return (
            (self.items, self.groups, self.states) == (other.items, other.groups, other.states)
            and np.array_equal(self.group_codes, other.group_codes)
            and np.array_equal(self.state_codes, other.state_codes)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def take(self, numbers: Codes) -> Rows:
        """Return some rows by number, in that order."""
        return Rows.made(
            self.items_at(numbers),
            self.groups,
            self.group_codes[numbers],
            self.states,
            self.state_codes[numbers],
        )

    def items_at(self, numbers: Codes) -> tuple[str, ...]:
        """Return the items of some rows by number."""
        return tuple(map(self.items.__getitem__, numbers.tolist()))

    def of_groups(self, test: Callable[[str, str], bool]) -> Flags:
        """Tell of each row whether it is of a group with such a system and annotator."""
        return np.array([test(*group) for group in self.groups], dtype=bool)[self.group_codes]

    def of_system(self, name: str) -> Flags:
        """Tell of each row whether it is of this system."""
        return self.of_groups(lambda system, _: system == name)

    def in_state(self, test: Callable[[State], bool]) -> Flags:
        """Tell of each row whether it is in such a state."""
        return np.array([test(state) for state in self.states], dtype=bool)[self.state_codes]

    def regrouped(self, name: Callable[[str, str], Group]) -> Rows:
        """Return the rows with other names of systems and annotators, which tell as many groups apart."""
        groups = tuple(name(*group) for group in self.groups)
        return Rows(self.items, groups, self.group_codes, self.states, self.state_codes)


def _by_first_use(known: Sequence[Known], codes: Codes) -> tuple[tuple[Known, ...], Codes]:
    """Return what is used, in the order of first use, and the codes of that."""
    used, first, places = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return tuple(known[code] for code in used[order].tolist()), rank[places]


def _joined(parts: Sequence[tuple[tuple[Known, ...], Codes]]) -> tuple[tuple[Known, ...], Codes]:
    """Return what is used in several parts, each in the order of first use, and the codes of that."""
    place: dict[Known, int] = {}
    codes = [np.empty(0, dtype=np.int64)]
    for known, of_part in parts:
        table = np.array([place.setdefault(each, len(place)) for each in known], dtype=np.int64)
        codes.append(table[of_part])
    return tuple(place), np.concatenate(codes)
