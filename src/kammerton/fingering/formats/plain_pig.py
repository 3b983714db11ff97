# SPDX-License-Identifier: MIT
"""PIG files of which there is nothing to say: short ones are cut into strings without a look back.

Annotators of one piece finger the same notes. Where another fingering of them is in use, its notes are
taken, and only the last column is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import product
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.formats.columns import Column, plain_times
from kammerton.fingering.formats.grid import LEADING_COMMENTS
from kammerton.fingering.labels import Encoding, inspect
from kammerton.fingering.pitch import HIGHEST_KEY, LOWEST_KEY, parse_pitch
from kammerton.formats.options import Limits

__all__ = ["LONG", "PlainRows"]

LONG = 4000
"""Lines beyond which :class:`~kammerton.fingering.formats.grid.Grid` is faster."""

_SEPARATORS_BEFORE_FINGER = 6
_CELLS_BEFORE_FINGER = 7
_HANDS = {"0": RIGHT, "1": LEFT}
_COMMENT_BEGINS = frozenset("#/")

_in_use: WeakValueDictionary[bytes, Fingering] = WeakValueDictionary()
"""Fingerings that something refers to, by the digest of the columns that their notes are in."""


@dataclass(frozen=True, slots=True, eq=False)
class PlainRows:
    """Rows of a file, cut before the last cell.

    Parameters
    ----------
    notes : tuple of str
        All cells but the last.
    fingers : tuple of str
        The last cells.
    line : int
        Number of the first row's line.
    key : bytes
        Digest of ``notes``.
    """

    notes: tuple[str, ...]
    fingers: tuple[str, ...]
    line: int
    key: bytes

    @classmethod
    def of(cls, text: str, limits: Limits) -> PlainRows | None:
        """Return the rows of a text, or None if it is long, is not clean, or exceeds a budget."""
        if text.count("\n") > LONG:
            return None
        begin = next(LEADING_COMMENTS.finditer(text)).end()
        body = text[begin:].rstrip("\n")
        if not body.isascii() or " " in body or '"' in body:
            return None
        lines = body.split("\n")
        longest = max(map(len, lines)) if len(body) > limits.line else 0
        if len(lines) > limits.rows or longest > limits.line:
            return None
        notes, _, fingers = zip(*[line.rpartition("\t") for line in lines], strict=True)
        line = text.count("\n", 0, begin) + 1
        return cls(notes, fingers, line, sha256("\n".join(notes).encode()).digest())

    def fingering(self, encoding: Encoding) -> Fingering | None:
        """Return what the rows mean, or None if there is anything to say about them."""
        known = _in_use.get(self.key) or self._read()
        if known is None:
            return None
        column = Column.of(self.fingers)
        findings = [inspect(text, encoding) for text in column.values]
        if any(finding.diagnostic is not None for finding in findings):
            return None
        hand_codes = [UNKNOWN if f.label is None else f.label.hand_code for f in findings]
        hands = np.array(hand_codes, dtype=np.int64)[column.codes]
        if ((hands != UNKNOWN) & (hands != known.hands)).any():
            return None
        canonical = [finding.canonical for finding in findings]
        fingering = known.labelled(canonical, column.codes, self.line)
        _in_use.setdefault(self.key, fingering)
        return fingering

    def _read(self) -> Fingering | None:
        """Read the notes alone; their labels are to follow."""
        if {note.count("\t") for note in self.notes} != {_SEPARATORS_BEFORE_FINGER}:
            return None
        cells = "\t".join(self.notes).split("\t")
        ids, onset, offset, pitch, _, _, hand = (cells[at::_CELLS_BEFORE_FINGER] for at in range(7))
        onsets, offsets = plain_times(onset), plain_times(offset)
        keys = list(map(_pitches().get, pitch))
        channels = list(map(_HANDS.get, hand))
        if onsets is None or offsets is None or None in keys or None in channels:
            return None
        if not _COMMENT_BEGINS.isdisjoint([name[:1] for name in ids]):
            return None
        distinct = len(set(ids)) == len(set(zip(onsets.tolist(), keys, strict=True))) == len(ids)
        if not (distinct and _in_order(onsets, offsets)):
            return None
        pitches, hands = np.array(keys, dtype=np.int64), np.array(channels, dtype=np.int64)
        onsets, offsets = onsets + 0.0, offsets + 0.0  # makes -0.0 a 0.0
        for column in (onsets, offsets, pitches, hands):
            column.flags.writeable = False  # several fingerings share it
        return Fingering(onsets, offsets, pitches, hands, self.fingers)


def _in_order(onsets: NDArray[np.float64], offsets: NDArray[np.float64]) -> bool:
    return bool(
        onsets[0] >= 0
        and (onsets[1:] >= onsets[:-1]).all()
        and (offsets >= onsets).all()
        and offsets.max() < np.inf
    )


@cache
def _pitches() -> dict[str, int]:
    """Return the keys of a piano by their usual spellings."""
    spellings = ("".join(parts) for parts in product("CDEFGAB", ("", "#", "b", "##", "bb"), "012345678"))
    midi = {spelling: parse_pitch(spelling) for spelling in spellings}
    return {name: key for name, key in midi.items() if key is not None and LOWEST_KEY <= key <= HIGHEST_KEY}
