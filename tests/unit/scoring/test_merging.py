# SPDX-License-Identifier: MIT
"""Columns of statistics that are equal are kept once, and come back as they went in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kammerton.model.evidence import Row, Rows
from kammerton.model.measure import Gathered, Measure, Statistics
from kammerton.scoring.merging import ColumnStatistics, RowMerger
from tabled_scores import LOSS, MEAN, POOLED

GROUPS = [("system", "annotator"), ("other", "annotator")]
NUMBERS = st.sampled_from([0.0, 0.0, 0.0, 1.0, 2.0, -0.0, float("nan")])


def rows(count: int, group: int = 0) -> Rows:
    system, annotator = GROUPS[group]
    return Rows.of(Row(system, str(number), annotator) for number in range(count))


@given(st.lists(st.lists(st.tuples(*[NUMBERS] * 6), min_size=1, max_size=3), min_size=1, max_size=4))
def test_statistics_come_back_to_the_bit(parts: list[list[tuple[float, ...]]]) -> None:
    merger = RowMerger()
    whole: dict[Measure, list[Statistics]] = {POOLED: [], MEAN: [], LOSS: []}
    for number, part in enumerate(parts):
        found = np.array(part)
        split = {POOLED: found[:, :2], MEAN: found[:, 2:4], LOSS: found[:, 4:]}
        merger.add(number, rows(len(part)), split, None)
        for measure, each in split.items():
            whole[measure].append(each)
    merged, columns, _ = merger.merged(GROUPS)
    statistics = ColumnStatistics(columns, {"pair": merged})
    assert list(statistics) == list(whole)
    assert len(statistics) == 3
    for measure, expected in whole.items():
        assert statistics[measure].tobytes() == np.concatenate(expected).tobytes()


def test_equal_columns_are_one_until_they_differ() -> None:
    merger = RowMerger()
    one = np.array([[1.0, 0.0], [2.0, 0.0]])
    merger.add(0, rows(2), {POOLED: one, MEAN: one}, None)
    assert len(merger._columns) == 1
    merger.add(1, rows(1), {POOLED: np.array([[3.0, 0.0]]), MEAN: np.array([[4.0, 5.0]])}, None)
    assert len(merger._columns) == 3
    merged, columns, _ = merger.merged(GROUPS)
    statistics = ColumnStatistics(columns, {"pair": merged})
    assert statistics[POOLED].tolist() == [[1, 0], [2, 0], [3, 0]]
    assert statistics[MEAN].tolist() == [[1, 0], [2, 0], [4, 5]]


def test_rows_are_put_in_order_and_parts_replaced() -> None:
    merger = RowMerger()
    merger.add(1, Rows.of([*rows(1, 0), *rows(1, 1)]), {POOLED: np.array([[1.0, 1], [2, 2]])}, None)
    case = np.array([0])
    gathered = Gathered(("score",), case, ("flute",), case, ("song",), case, np.ones((1, 1)))
    merger.add(0, Rows.of([*rows(1, 0), *rows(1, 1)]), {POOLED: np.array([[9.0, 9], [9, 9]])}, gathered)
    merger.add(0, Rows.of([*rows(1, 0), *rows(1, 1)]), {POOLED: np.array([[3.0, 3], [4, 4]])}, None)
    merged, columns, regathered = merger.merged(GROUPS)
    statistics = ColumnStatistics(columns, {"pair": merged})
    assert regathered is None
    assert [row.system for row in merged] == ["system", "system", "other", "other"]
    assert statistics[POOLED].tolist() == [[3, 3], [1, 1], [4, 4], [2, 2]]
    with pytest.raises(KeyError):
        _ = statistics[MEAN]
