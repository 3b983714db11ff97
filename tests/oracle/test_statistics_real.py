# SPDX-License-Identifier: MIT
"""Systems of MIREX and models of fingering compared: SciPy on the values of the same items."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import kammerton as kt
from kammerton.model.measure import Measure, Values
from kammerton.results.comparison import compare
from kammerton.statistics.comparison import Comparison
from kammerton.statistics.intervals import intervals
from kammerton.statistics.resampling import BootstrapSettings
from tabled_scores import context_of

pytestmark = pytest.mark.slow

CHORDS = ["mirex2013/Root", "mirex2013/MajMin", "mirex2013/SeventhsBass", "mirex2013/MeanSeg", "decibel/CSR"]


def data() -> Path:
    root = os.environ.get("KAMMERTON_SHARED")
    if root is None:
        pytest.skip("KAMMERTON_SHARED names no folder with real annotations")
    return Path(root, "data")


def of_chords() -> kt.Scores:
    folder = data() / "chords" / "mirex" / "Isophonics2009"
    systems = {name: folder / name for name in ("2017-CM2", "2017-KBK2")}
    # a third: half of the songs by one, half by the other
    songs = sorted(path.relative_to(systems["2017-CM2"]) for path in systems["2017-CM2"].rglob("*.lab"))
    mixed = {
        song.with_suffix("").as_posix(): systems["2017-CM2" if number % 2 else "2017-KBK2"] / song
        for number, song in enumerate(songs)
    }
    assert len(mixed) == 217
    return kt.score("chords", folder / "Ground-Truth", {**systems, "mixed": mixed}, measures=CHORDS, ci=None)


def of_fingerings() -> kt.Scores:
    folder = data() / "fingering"
    models = {name: folder / f"beringer_est_{name}" for name in ("CHMM", "FHMM1")}
    return kt.score(
        "fingering", folder / "beringer_pig", models, protocols=["nakamura2020"], missing="skip", ci=None
    )


@pytest.fixture(scope="module", params=[of_chords, of_fingerings], ids=["chords", "fingering"])
def scores(request: pytest.FixtureRequest) -> kt.Scores:
    made: kt.Scores = request.param()
    return made


def test_the_ceiling_is_each_annotator_against_the_others() -> None:
    people: dict[str, dict[str, Path]] = {}
    for path in sorted((data() / "fingering" / "beringer_pig").glob("*_fingering.txt")):
        item, annotator = path.stem.removesuffix("_fingering").split("-")
        people.setdefault(item, {})[annotator] = path
    rates = ["nakamura2020/M_gen", "nakamura2020/M_high", "nakamura2020/M_soft", "nakamura2020/M_rec"]
    of_items: dict[str, list[float]] = {rate: [] for rate in rates}
    for item, paths in people.items():
        sets = [(one, {who: {item: each} for who, each in paths.items() if who != one}) for one in paths]
        found = [
            kt.score("fingering", None, {"s": {item: paths[one]}}, annotators=others, measures=rates, ci=None)
            for one, others in sets
            if others
        ]
        for rate in rates if found else ():
            of_items[rate].append(float(np.mean([each.value(rate) for each in found])))
    folder = data() / "fingering"
    scores = kt.score(
        "fingering",
        folder / "beringer_pig",
        {"CHMM": folder / "beringer_est_CHMM"},
        measures=rates,
        missing="skip",
        ci=None,
        context=True,
    )
    for measure in scores.measures:
        (ceiling,) = context_of(scores).of(measure, "annotators")
        assert ceiling.items == len(of_items[str(measure)]) > 30
        assert ceiling.value == pytest.approx(np.mean(of_items[str(measure)]))


def values(scores: kt.Scores, measure: Measure) -> dict[str, Values]:
    """Return the values of the items that all systems have, from the table that users see."""
    frame = scores.items.filter(protocol=measure.protocol, measure=measure.name).drop_nulls("value")
    frame = frame.group_by("system", "item").agg(pl.col("value").mean())
    wide = frame.pivot("system", index="item", values="value").drop_nulls().sort("item")
    return {name: wide[name].to_numpy() for name in scores.systems}


def compared(scores: kt.Scores, test: Any) -> Comparison:
    return compare(scores, test=test, resamples=200, permutations=2000)


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_pairs(scores: kt.Scores, test: Any) -> None:
    for found in compared(scores, test).measures:
        of_items = values(scores, found.measure)
        for pair in found.pairs:
            first, second = of_items[pair.first], of_items[pair.second]
            if test == "t":
                expected = stats.ttest_rel(first, second)
            else:
                # distances are of counts: 1/7 - 1/9 and 8/9 - 6/7 share a rank, whatever rounding makes of it
                rounded = (first - second).round(12)
                expected = stats.wilcoxon(rounded, correction=True, method="approx")
            assert pair.p == pytest.approx(float(expected.pvalue), rel=1e-9, abs=1e-300)
            difference = first - second
            assert pair.d_z == pytest.approx(difference.mean() / difference.std(ddof=1), rel=1e-9)


def test_ranks(scores: kt.Scores) -> None:
    for found in compared(scores, "friedman").measures:
        of_items = values(scores, found.measure)
        assert found.friedman is not None
        if len(of_items) > 2:
            expected = stats.friedmanchisquare(*of_items.values())
            assert found.friedman.chi_squared == pytest.approx(expected.statistic, rel=1e-9)
        ranks = stats.rankdata(-np.stack(list(of_items.values()), axis=1), axis=1).mean(axis=0)
        assert found.friedman.ranks.tolist() == pytest.approx(ranks.tolist())


def test_permutations_of_means_come_near_those_of_scipy(scores: kt.Scores) -> None:
    for found in compared(scores, "permutation").measures:
        if found.measure.aggregate == "mean":
            of_items = values(scores, found.measure)
            for pair in found.pairs:
                expected = stats.permutation_test(
                    (of_items[pair.first] - of_items[pair.second],),
                    np.mean,
                    permutation_type="samples",
                    n_resamples=2000,
                    rng=0,
                )
                assert pair.p == pytest.approx(float(expected.pvalue), abs=0.045)


def test_intervals_of_means_come_near_those_of_scipy(scores: kt.Scores) -> None:
    for method in ("percentile", "bca"):
        found = intervals(scores, BootstrapSettings(method=method))
        for measure in scores.measures:
            if "mean" not in measure.aggregates:
                continue
            who = scores.annotators_of(measure)[-1]
            for system, of_items in values(scores, measure).items():
                count = len(of_items)
                # of n values a resample has the variance with n, not n - 1, below the fraction line
                quantile = stats.t.ppf(0.975, count - 1) * np.sqrt(count / (count - 1))
                expected = stats.bootstrap(
                    (of_items,),
                    np.mean,
                    n_resamples=9999,
                    confidence_level=1 - 2 * stats.norm.sf(quantile),
                    method={"bca": "BCa"}.get(method, method),
                    rng=0,
                ).confidence_interval
                key: Any = (system, who, measure, "mean")
                wide = expected.high - expected.low
                assert found[key] == pytest.approx((expected.low, expected.high), abs=0.06 * wide)


def test_the_better_system_of_mirex_is_told_apart() -> None:
    found = compared(of_chords(), "permutation")
    for each in found.measures:
        named = [ranked.system for ranked in each.ranking]
        assert named.index("2017-KBK2") < named.index("2017-CM2")
        apart = {(pair.first, pair.second): pair.significant for pair in each.pairs}
        assert apart["2017-KBK2", "2017-CM2"]
