# SPDX-License-Identifier: MIT
import numpy as np
import pytest

from kammerton.errors import OptionError
from kammerton.statistics.resampling import Permutations, Resampling, each_block, number_units


def all_of(draws: Resampling | Permutations) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.concatenate([draws.block(start) for start in draws.starts])


def test_each_resample_has_as_many_items_as_there_are() -> None:
    counts = all_of(Resampling(items=7, repetitions=50))
    assert counts.shape == (50, 7)
    assert (counts.sum(axis=1) == 7).all()
    assert (counts == counts.round()).all()
    assert counts.min() == 0
    assert counts.max() > 1


def test_each_item_is_drawn_once_on_average_and_varies_like_a_binomial() -> None:
    # 10 draws with probability 1/10: mean 1, variance 9/10; of 40,000 resamples
    counts = all_of(Resampling(items=10, repetitions=40_000))
    assert counts.mean(axis=0) == pytest.approx(np.ones(10), abs=0.03)
    assert counts.var(axis=0) == pytest.approx(np.full(10, 0.9), abs=0.05)


def test_a_seed_repeats_and_another_does_not() -> None:
    first, again = all_of(Resampling(20, 30, seed=1)), all_of(Resampling(20, 30, seed=1))
    assert (first == again).all()
    assert (first != all_of(Resampling(20, 30, seed=2))).any()


def test_blocks_do_not_depend_on_each_other() -> None:
    draws = Resampling(items=1 << 20, repetitions=5)  # two rows to a block
    assert list(draws.starts) == [0, 2, 4]
    assert draws.block(4).shape == (1, 1 << 20)
    before = draws.block(2)
    draws.block(0)
    assert (draws.block(2) == before).all()
    assert (draws.block(0)[0] != before[0]).any()


def test_items_of_a_cluster_are_drawn_together() -> None:
    counts = all_of(Resampling(5, 200, clusters=["x", "y", "x", "z", "y"]))
    assert (counts[:, 0] == counts[:, 2]).all()
    assert (counts[:, 1] == counts[:, 4]).all()
    assert (counts[:, [0, 1, 3]].sum(axis=1) == 3).all()
    assert (counts[:, 0] != counts[:, 1]).any()


def test_units_are_numbered_as_they_come() -> None:
    assert number_units(["b", "b", "a", "b"]).tolist() == [0, 0, 1, 0]
    assert Resampling(4, clusters=["b", "b", "a", "b"]).units == 2
    assert Resampling(4).units == 4
    assert Resampling(0).units == 0


def test_no_items_give_empty_draws() -> None:
    assert all_of(Resampling(items=0, repetitions=3)).shape == (3, 0)
    assert all_of(Permutations(items=0)).shape == (1, 0)


def test_few_units_are_swapped_in_every_pattern() -> None:
    swaps = Permutations(items=3)
    assert swaps.exact
    assert sorted(map(tuple, all_of(swaps).tolist())) == [
        (a, b, c) for a in (0.0, 1.0) for b in (0.0, 1.0) for c in (0.0, 1.0)
    ]


def test_up_to_16_units_are_swapped_in_every_pattern() -> None:
    """Of items, or clusters: these are swapped together."""
    assert [(Permutations(items=n).exact, Permutations(items=n).total) for n in (16, 17)] == [
        (True, 65_536),
        (False, 10_000),
    ]
    clustered = [Permutations(items=20, clusters=[number % n for number in range(20)]) for n in (16, 17)]
    assert [each.total for each in clustered] == [65_536, 10_000]


def test_patterns_are_of_clusters() -> None:
    found = all_of(Permutations(items=3, clusters=["x", "y", "x"]))
    assert sorted(map(tuple, found.tolist())) == [(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1)]


def test_many_units_are_swapped_by_chance() -> None:
    swaps = Permutations(items=17, repetitions=5000)
    found = all_of(swaps)
    assert not swaps.exact
    assert found.shape == (5000, 17)
    assert set(np.unique(found)) == {0.0, 1.0}
    # the standard error of a share of 5000 is 0.0071
    assert found.mean(axis=0) == pytest.approx(np.full(17, 0.5), abs=0.03)


def test_exact_patterns_across_blocks_are_all_different() -> None:
    swaps = Permutations(items=300, clusters=[number % 14 for number in range(300)])
    assert len(swaps.starts) > 1
    patterns = all_of(swaps)[:, :14] @ (2.0 ** np.arange(14))
    assert sorted(patterns) == list(range(1 << 14))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clusters": ["a"]}, "2 items need a cluster each, got 1"),
        ({"repetitions": 0}, "at least one resample is needed, got 0"),
        ({"seed": -1}, "a seed is 0 or more, got -1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Resampling(2, **options)  # type: ignore[arg-type]


def test_blocks_are_worked_on_in_order() -> None:
    assert list(each_block(lambda start: start * 2, range(0, 100, 7))) == list(range(0, 200, 14))
