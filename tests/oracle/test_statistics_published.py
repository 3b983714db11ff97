# SPDX-License-Identifier: MIT
"""Published studies, on the tables that they were made from.

The tables are not in the repository: ``data/stats`` of the folder that ``KAMMERTON_SHARED`` names has them.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from kammerton.statistics.agreement import variance_components
from kammerton.statistics.paired import t_test, wilcoxon
from tabled_scores import permutation_test

Table = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def load(name: str) -> Table:
    root = os.environ.get("KAMMERTON_SHARED")
    if root is None:
        pytest.skip("KAMMERTON_SHARED names no folder with published tables")
    return np.loadtxt(Path(root, "data", "stats", name), delimiter=",", skiprows=1)


def test_gt4ireval() -> None:
    """The study in the manual of gt4ireval: adhoc3, without the worst quarter of the systems."""
    table = load("adhoc3.csv")
    best = np.argsort(table.mean(axis=0), kind="stable")[table.shape[1] // 4 :]
    found = variance_components(table[:, best])
    shares = [100 * share for share in found.shares]
    assert shares == pytest.approx([6.8482, 68.425, 24.727], abs=5e-4)
    stable = [found.e_rho2(items) for items in (50, 100, 150)]
    assert stable == pytest.approx([0.93265, 0.96515, 0.97649], abs=5e-6)
    absolute = [found.phi(items) for items in (50, 100, 150)]
    assert absolute == pytest.approx([0.78613, 0.88026, 0.91686], abs=5e-6)


@pytest.fixture(scope="module")
def runs() -> tuple[Table, Table]:
    """Average precision of runs 125 and 126 of adhoc8 on 50 topics."""
    table = load("adhoc8_ap.csv")
    return table[:, 124], table[:, 125]


def test_urbano_2019(runs: tuple[Table, Table]) -> None:
    """The worked example of Urbano, Lima and Hanjalic, SIGIR 2019."""
    one, other = runs
    differences = one - other if one.mean() > other.mean() else other - one
    assert t_test(differences).p == pytest.approx(0.0013194, abs=5e-8)
    assert wilcoxon(differences).p == pytest.approx(0.0034452, abs=5e-8)


def test_urbano_2019_permutation(runs: tuple[Table, Table]) -> None:
    one, other = runs
    differences = one - other if one.mean() > other.mean() else other - one
    found = permutation_test(differences, repetitions=200_000)
    # three standard errors of a share of 200,000: 0.00023
    assert found.p == pytest.approx(0.0012, abs=0.00028)
