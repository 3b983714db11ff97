# SPDX-License-Identifier: MIT
"""What a source lists, row by row, before labels are looked up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, inflected, out_of, quote
from kammerton.formats.reading import Problems
from kammerton.instruments.lookup import look_up
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Place

__all__ = ["NO_INSTRUMENTS", "STEMS", "Entries", "coded", "judge", "leave_out_others", "note_unjudged"]

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
class Entries:
    """What a source lists, row by row.

    Parameters
    ----------
    spellings : sequence of str
        The distinct labels, as written.
    codes : ndarray of int64, shape (n,)
        Which of them a row has.
    lists : ndarray of int64, shape (n,)
        Which list a row belongs to.
    locate : callable
        ``locate(row)`` returns the place of the label of a row.
    scores : ndarray of float64, shape (n,), optional
        NaN where there is none.
    present : ndarray of bool, shape (n,), optional
        Whether the label is there, or judged not to be.
    """

    spellings: Sequence[str]
    codes: Integers
    lists: Integers
    locate: Callable[[int], Place]
    scores: NDArray[np.float64] | None = None
    present: NDArray[np.bool_] | None = None

    @classmethod
    def of(
        cls,
        labels: Sequence[str],
        lists: Integers,
        locate: Callable[[int], Place],
        *,
        scores: NDArray[np.float64] | None = None,
        present: NDArray[np.bool_] | None = None,
    ) -> Entries:
        """Take one label per row, and find the distinct ones."""
        spellings, codes = coded(labels)
        return cls(spellings, codes, lists, locate, scores, present)

    def take(self, rows: NDArray[np.intp]) -> Entries:
        """Return the rows of these indices, in this order."""
        locate = self.locate
        return Entries(
            self.spellings,
            self.codes[rows],
            self.lists[rows],
            lambda row: locate(int(rows[row])),
            None if self.scores is None else self.scores[rows],
            None if self.present is None else self.present[rows],
        )


def judge(entries: Entries, relevance: NDArray[np.float64], options: InstrumentOptions) -> NDArray[np.bool_]:
    """Return which labels are relevant enough to be present.

    Parameters
    ----------
    entries : Entries
    relevance : ndarray of float64, shape (n,)
    options : InstrumentOptions
        The threshold of truth; if it differs by label, it is that of the label that a spelling means.

    Returns
    -------
    ndarray of bool, shape (n,)
    """
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


def leave_out_others(entries: Entries, problems: Problems) -> Entries:
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
