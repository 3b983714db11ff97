# SPDX-License-Identifier: MIT
"""Which items cost most, by one of several measures."""

import polars as pl

from kammerton.reporting.documents import ItemLoss, item_losses
from tabled_scores import CLASSES, LOSS, OTHER, POOLED, names, tabled

TABLE = {
    "a": {"one": [(1, 2), (6, 8), (3, 3)], "two": [(2, 2), (0, 1), (3, 3)]},
    "b": {"one": [(0, 2), (8, 8), (3, 3)]},
}


def test_items_cost_what_they_lack_times_what_they_are_of_by_the_measure_alone() -> None:
    scores = tabled(
        TABLE,
        (OTHER, POOLED, CLASSES, LOSS),
        others={"a": {"one": [(0, 9)] * 3, "two": [(0, 9)] * 3}, "b": {"one": [(0, 9)] * 3}},
    )
    first, second, _ = names(3)
    # (1 of 2, 0 of 2, 2 of 2) and (6 of 8, 8 of 8, 0 of 1); the third item is right
    assert item_losses(scores, POOLED) == [ItemLoss(first, 3.0, 6.0), ItemLoss(second, 3.0, 17.0)]
    # of a mean each item is of one, and what is lost is the value: 1/2 + 1 + 0, 3/4 + 0 + 1, 3
    assert [cost.lost for cost in item_losses(scores, LOSS)] == [3.0, 1.75, 1.5]


def test_items_by_some_measures_are_those_of_the_table_of_all() -> None:
    scores = tabled(TABLE, (OTHER, POOLED, CLASSES, LOSS))
    assert [*scores.items["system"].unique(maintain_order=True)] == ["a", "b"]
    for measure in scores.measures:
        of_measure = scores.items.filter(
            pl.col("protocol") == measure.protocol, pl.col("measure") == measure.name
        )
        assert len(of_measure) > 0
        assert scores.items_by([measure]).equals(of_measure)
