# SPDX-License-Identifier: MIT
"""Which items several annotators share: figures of agreement have only those."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from kammerton.errors import Diagnostic, inflected, out_of, some
from kammerton.model.loading import References
from kammerton.model.measure import Measure

__all__ = ["items_shared", "remarks_on_sharing", "those_who_share"]


def items_shared(references: References) -> list[str]:
    """Return the items with usable annotations of two annotators or more, sorted."""
    return sorted(item for item, count in references.annotators_of_items().items() if count > 1)


def those_who_share(references: References) -> References:
    """Return the annotations of the annotators who share an item with another, of all their items."""
    shared = set(items_shared(references))
    names = [name for name, items in references.annotations.items() if not shared.isdisjoint(items)]
    return References(
        {name: references.annotations[name] for name in names},
        {name: references.failed[name] for name in names},
        references.diagnostics,
    )


def remarks_on_sharing(
    references: References, measures: Sequence[Measure], *, persons: bool
) -> Iterator[Diagnostic]:
    """Say what figures of agreement leave out, and which of them are the same by nature.

    Parameters
    ----------
    references : References
        All annotations.
    measures : sequence of Measure
        What is measured.
    persons : bool
        Whether pairs of annotators have figures.
    """
    counts = references.annotators_of_items()
    alone = sorted(item for item, count in counts.items() if count == 1)
    if alone:
        verb = inflected(len(alone), "has", "have")
        message = f"{out_of(len(alone), len(counts), 'item')} {verb} one annotator, left out"
        yield _note("KT230", f"{message} ({some(alone)})", len(alone))
    if persons:
        pairs = list(combinations(references.annotations.values(), 2))
        apart = sum(first.keys().isdisjoint(second) for first, second in pairs)
        if apart:
            verb = inflected(apart, "shares", "share")
            message = f"{out_of(apart, len(pairs), 'pair')} of annotators {verb} no item, left out"
            yield _note("KT231", message, apart)
    several = [str(measure) for measure in measures if measure.needs == "references+estimate"]
    if several:
        message = f"made for several annotators, here against one at a time: {some(several)}"
        yield _note("KT232", message, 1)


def _note(code: str, message: str, count: int) -> Diagnostic:
    return Diagnostic(code=code, severity="note", message=message, count=count)
