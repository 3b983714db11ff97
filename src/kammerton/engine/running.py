# SPDX-License-Identifier: MIT
"""Score a corpus shard by shard."""

from __future__ import annotations

from kammerton.engine.plan import SHARD, Plan
from kammerton.model.corpus import Corpus
from kammerton.model.evidence import Evidence
from kammerton.model.merging import Ledger
from kammerton.model.scoring import Order, score_part

__all__ = ["score_corpus"]


def score_corpus(order: Order, corpus: Corpus, *, size: int = SHARD) -> Evidence:
    """Score every system of a corpus against every annotator.

    Parameters
    ----------
    order : Order
        What is to be done.
    corpus : Corpus
        References and systems.
    size : int
        Items of a shard; it does not show in the result.

    Returns
    -------
    Evidence

    Raises
    ------
    DataError
        If nothing can be scored; if the order is strict, and anything was wrong; if a missing estimate is to
        end the run, and one is.
    OptionError
        If there is no such annotator, or two are called alike.
    """
    plan = Plan(corpus, size)
    ledger = Ledger(order, plan.corpus)
    for shard in plan:
        ledger.add(shard.number, score_part(order, shard.corpus, shard.items, ledger.facts))
    while stale := ledger.stale():  # a shard may not know yet what a later one tells of the whole
        whole = ledger.facts
        for number in stale:
            shard = plan.shard(number)
            part = score_part(order, shard.corpus, shard.items, whole, complete=True)
            ledger.add(number, part)
    return ledger.evidence()
