# SPDX-License-Identifier: MIT
"""Permutation tests of figures: the items of two systems change places, and figures are computed anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kammerton.core.intervals import Codes, Flags
from kammerton.model.item_figures import ItemFigures
from kammerton.model.measure import Values
from kammerton.statistics.figures import Key
from kammerton.statistics.paired import PairedTest, Tails
from kammerton.statistics.products import each_block
from kammerton.statistics.ranks import scale_of
from kammerton.statistics.regathering import values_of
from kammerton.statistics.resampling import Swaps
from kammerton.statistics.sample import Sample, is_gathered

__all__ = ["Contest", "swap_figures"]


_TOGETHER = 100
"""Patterns whose classes are held at once."""


class Contest(NamedTuple):
    """Two figures that are tested against each other: one measure, two systems."""

    one: Key
    other: Key


def swap_figures(
    sample: Sample, found: Mapping[Key, ItemFigures], contests: Sequence[Contest], swaps: Swaps
) -> tuple[dict[Contest, PairedTest], Swaps]:
    """Test differences of figures.

    Parameters
    ----------
    sample : Sample
        Has the figures.
    found : mapping of Key to ItemFigures
        What the items bring to them: all of them gathered, or none.
    contests : sequence of Contest
        What is tested.
    swaps : Swaps
        Of the items.

    Returns
    -------
    dict of Contest to PairedTest, Swaps
        The tests, and the swaps: of measures over classes there may be fewer.
    """
    values = {key: each.estimate(key.aggregate).value for key, each in found.items()}
    tails = {each: Tails(*_observed(each, values)) for each in contests}
    if is_gathered(list(found)):
        pairs = {(each.one.system, each.other.system) for each in contests}
        draws = sample.gathered_swaps(swaps.draws, len(pairs))
        swaps = replace(swaps, draws=draws, exact_up_to=min(swaps.exact_up_to, draws.bit_length() - 1))
        blocks = _of_classes(sample, contests, swaps)
    else:
        blocks = _of_sums(sample, found, contests, swaps)
    for block in blocks:
        for each, permuted in zip(contests, block, strict=True):
            tails[each].add(permuted)
    items = len(sample.items)
    return {each: tail.result(exact=swaps.exact, items=items) for each, tail in tails.items()}, swaps


def _observed(contest: Contest, values: Mapping[Key, float]) -> tuple[float, float]:
    """Return the difference of two figures, and the size of what was subtracted."""
    one, other = (values[key] for key in contest)
    return one - other, max(abs(one), abs(other), scale_of(contest.one.measure))


def _of_sums(
    sample: Sample, found: Mapping[Key, ItemFigures], contests: Sequence[Contest], swaps: Swaps
) -> Iterator[list[Values]]:
    figures = sample.figures(found)
    whole = figures.sums(np.ones((1, len(sample.items))))

    def permuted(start: int) -> list[Values]:
        block = swaps.block(start)
        sums = whole, np.asfortranarray(figures.sums(block))  # each contest takes a few columns
        return [figures.swapped(one, other, block, sums) for one, other in contests]

    return each_block(permuted, swaps.starts)


def _of_classes(sample: Sample, contests: Sequence[Contest], swaps: Swaps) -> Iterator[list[Values]]:
    for start in swaps.starts:
        block = swaps.block(start) > 0
        for at in range(0, len(block), _TOGETHER):
            yield _swapped_classes(sample, contests, block[at : at + _TOGETHER])


def _swapped_classes(sample: Sample, contests: Sequence[Contest], swaps: Flags) -> list[Values]:
    """Return the differences of figures over classes for some patterns, one pair of systems after another."""
    made: dict[Contest, Values] = {}
    groups: dict[tuple[str, str, str], list[Contest]] = {}
    for each in contests:
        groups.setdefault((each.one.system, each.other.system, each.one.annotator), []).append(each)
    nothing = np.zeros(swaps.shape[1], dtype=np.int64)
    for (one, other, annotator), own in groups.items():
        first, second = (sample.regathering.cases(name, annotator) for name in (one, other))
        measures = [each.one.measure for each in own]
        values = [
            values_of([sample.regathering.classes(side, nothing).values() for side in sides], measures)
            for sides in (
                [_crossed(first, second, swap) for swap in swaps],
                [_crossed(second, first, swap) for swap in swaps],
            )
        ]
        made |= zip(own, (values[0] - values[1]).T, strict=True)
    return [made[each] for each in contests]


def _crossed(mine: Mapping[str, Codes], theirs: Mapping[str, Codes], swap: Flags) -> dict[str, Codes]:
    return {who: np.where(swap, theirs[who], cases) for who, cases in mine.items()}
