# SPDX-License-Identifier: MIT
"""One item at a time: who wrote what, what of it is wrong, and what that cost."""

from __future__ import annotations

import math
from collections import Counter

from kammerton.errors import out_of, plural
from kammerton.model.views import ItemView
from kammerton.reporting.html.filling import fill, shown
from kammerton.reporting.html.item_choice import BUDGET, Chosen, choose
from kammerton.reporting.html.judges import judges_of
from kammerton.reporting.html.sections import Section
from kammerton.reporting.html.source import Draw, Source

__all__ = ["item"]

_SEED = 0


def item(source: Source, draw: Draw | None, *, budget: int = BUDGET) -> Section | None:
    """Return the section in which an item is looked at, if any can be laid out.

    Parameters
    ----------
    source : Source
        Says which items are worse.
    draw : callable, optional
        Lays an item out.
    budget : int
        Bytes that may be used.
    """
    if draw is None:
        return None
    ranked, others = _ranked(source)
    worst = source.worst
    first = ranked if worst is None else [worst[1], *(each for each in ranked if each != worst[1])]
    judges = judges_of(source)

    def laid_out(number: int) -> ItemView | None:
        name = source.items[number]
        return draw(name, judges.get(name))

    chosen = choose(first, others, laid_out, budget=budget, seed=_SEED)
    if not chosen.data.items:
        return None
    order = [number for number in (*ranked, *others) if str(number) in chosen.data.items]
    data = {
        "texts": chosen.data.texts,
        "items": chosen.data.items,
        "order": order,
        "first": next(number for number in (*first, *order) if str(number) in chosen.data.items),
        "system": shown(source.ranked[0]),  # of which the answers speak
    }
    body = fill(
        "item",
        key=source.key,
        measure=str(source.main),
        told=_told(chosen, len(source.items), budget),
        hardest=shown(source.ranked[0], 60) if len(set(judges.values())) > 1 else "",
    )
    return Section(part="item", title="One item", body=body, data=data)


def _ranked(source: Source) -> tuple[list[int], list[int]]:
    """Return the items with a value, the worst first by the mean over systems, and those without."""
    measure = source.main
    systems = () if measure.aggregate == "gathered" else source.scores.systems
    means = dict[int, float]()
    for number, values in enumerate(zip(*(source.of_items(measure, each) for each in systems), strict=True)):
        known = [value for value in values if not math.isnan(value)]
        if known:
            means[number] = sum(known) / len(known)
    sign = -1 if measure.direction == "lower" else 1
    ranked = sorted(means, key=lambda number: (sign * means[number], number))
    return ranked, [number for number in range(len(source.items)) if number not in means]


def _told(chosen: Chosen, items: int, budget: int) -> str:
    """Say which items can be looked at."""
    there = len(chosen.data.items)
    if not chosen.left:
        if there == items:
            return f"All {plural(items, 'item')} can be looked at."
        return f"{out_of(there, items, 'item')} can be looked at; the others have no reference to lay out."
    counts = Counter(chosen.why.values())
    return (
        f"{out_of(there, items, 'item')} can be looked at, as many as {budget / 1e6:.3g} MB hold: the "
        f"{counts['worst']:,} worst, the {counts['best']:,} best, and {counts['drawn']:,} drawn at random."
    )
