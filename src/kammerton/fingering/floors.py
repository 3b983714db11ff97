# SPDX-License-Identifier: MIT
"""Trivial answers made from the references: what a system must beat to know anything of hands."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from kammerton.core.intervals import Codes
from kammerton.fingering.annotation import LEFT, Fingering

__all__ = ["floors"]

_SEED = 1


def floors(references: Mapping[str, Sequence[Fingering]]) -> dict[str, dict[str, Fingering]]:
    """Return fingerings that no thought was needed for, on the notes and hands of the references.

    Parameters
    ----------
    references : mapping of str to sequence of Fingering
        All annotations of each piece, on the same notes.

    Returns
    -------
    dict of str to dict of str to Fingering
        *always 3*: the middle finger of the hand. *random*: any finger of the hand; the same for a piece
        of the same name every time.

    Examples
    --------
    >>> notes = np.array([0.0]), np.array([1.0]), np.array([60]), np.array([LEFT])
    >>> floors({"piece": [Fingering(*notes, ("-1",))]})["always 3"]["piece"].labels
    ('-3',)
    """
    first = {item: annotations[0] for item, annotations in references.items()}
    return {
        "always 3": {item: _labelled(piece, np.full(len(piece), 3)) for item, piece in first.items()},
        "random": {item: _labelled(piece, _drawn(item, len(piece))) for item, piece in first.items()},
    }


def _drawn(item: str, notes: int) -> Codes:
    """Return fingers that depend on the name of the piece alone: not on its place, nor on the others."""
    digest = hashlib.sha256(item.encode("utf-8", "surrogateescape")).digest()
    generator = np.random.default_rng([_SEED, int.from_bytes(digest[:8], "little")])
    return generator.integers(1, 6, notes)


def _labelled(piece: Fingering, fingers: Codes) -> Fingering:
    hands = np.where([label.startswith("-") for label in piece.labels], LEFT, piece.hands)
    signed = np.where(hands == LEFT, -fingers, fingers)
    return replace(piece, labels=tuple(map(str, signed.tolist())))
