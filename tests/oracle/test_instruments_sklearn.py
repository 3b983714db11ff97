# SPDX-License-Identifier: MIT
"""Lists and score vectors against scikit-learn on random data."""

import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics
from sklearn.preprocessing import MultiLabelBinarizer

import kammerton
from kammerton.instruments import InstrumentOptions, evaluate
from kammerton.instruments.annotation import InstrumentList
from oracle.covered import SKLEARN_GAINS, SKLEARN_LISTS, SKLEARN_VECTORS

LABELS = [f"label {number}" for number in range(9)]
SEEDS = range(25)

Lists = list[list[str]]
Matrix = NDArray[np.float64]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns of each undefined figure
        yield


def lists(rng: np.random.Generator, files: int) -> Lists:
    """Return lists of labels, some of them empty; the last label is never used."""
    return [rng.permutation(LABELS[:-1])[: rng.choice((0, 1, 2, 3, 5))].tolist() for _ in range(files)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("undefined", "zero_division"), [("zero", 0.0), ("one", 1.0), ("sklearn", "warn"), ("skip", np.nan)]
)
def test_precision_recall_and_f(seed: int, undefined: str, zero_division: Any) -> None:
    rng = np.random.default_rng(seed)
    truth, said = lists(rng, 12), lists(rng, 12)
    ours = evaluate(truth, said, labels=LABELS, undefined=undefined)
    binary = MultiLabelBinarizer(classes=LABELS).fit(truth)
    matrices = binary.transform(truth), binary.transform(said)
    compared = set()
    for average, prefix in (("samples", ""), ("macro", "macro_"), ("micro", "micro_")):
        theirs = metrics.precision_recall_fscore_support(
            *matrices, average=average, zero_division=zero_division
        )
        for which, figure in zip("PRF", theirs, strict=False):
            address = f"open-mic-task1/{prefix}{which}"
            assert ours[address] == pytest.approx(figure, abs=1e-12), (average, which)
            compared.add(address)
    assert compared == SKLEARN_LISTS


@pytest.mark.parametrize("seed", SEEDS)
def test_labels_one_by_one_and_all_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, said = lists(rng, 12), lists(rng, 12)
    ours = evaluate(truth, said, labels=LABELS)
    binary = MultiLabelBinarizer(classes=LABELS).fit(truth)
    matrices = binary.transform(truth), binary.transform(said)
    theirs = metrics.precision_recall_fscore_support(*matrices, average=None, zero_division=np.nan)
    for label, *figures, support in zip(LABELS, *theirs, strict=True):
        own = ours.instruments[label]
        assert [own.precision, own.recall, own.f1] == pytest.approx(figures, abs=1e-12, nan_ok=True)
        assert own.support == support
    micro = metrics.precision_recall_fscore_support(*matrices, average="micro")
    assert [ours[f"open-mic-task1/micro_{which}"] for which in "PRF"] == pytest.approx(micro[:3], abs=1e-12)


# --- score vectors -------------------------------------------------------------------------


def vectors(rng: np.random.Generator, files: int) -> tuple[Matrix, Matrix, Matrix]:
    """Return truth, scores with many ties, and what was judged."""
    shape = files, len(LABELS)
    truth = (rng.random(shape) < rng.choice((0.1, 0.4, 0.7))).astype(float)
    scores = rng.integers(0, 6, shape) / 5 if rng.random() < 0.6 else rng.random(shape)
    return truth, scores, (rng.random(shape) < 0.7).astype(float)


def scored(truth: Matrix, scores: Matrix, judged: Matrix | None, **choices: Any) -> kammerton.Scores:
    references, estimates = {}, {}
    for number, row in enumerate(truth):
        present = tuple(np.array(LABELS)[row > 0].tolist())
        if judged is None:
            references[f"{number}"] = InstrumentList(present)
        else:
            known = judged[number] > 0
            references[f"{number}"] = InstrumentList(
                tuple(np.array(LABELS)[(row > 0) & known].tolist()),
                absent=tuple(np.array(LABELS)[(row == 0) & known].tolist()),
                closed=False,
            )
        estimates[f"{number}"] = InstrumentList(tuple(LABELS), scores[number], ranked=True, vector=True)
    options = InstrumentOptions(**choices)
    return kammerton.score("instruments", references, {"system": estimates}, options=options, protocols="all")


@pytest.mark.parametrize("seed", SEEDS)
def test_figures_of_score_vectors(seed: int) -> None:
    truth, scores, _ = vectors(np.random.default_rng(seed), 15)
    ours = scored(truth, scores, None, undefined="sklearn", ties="grouped")
    theirs = {
        "scores/mAP": metrics.average_precision_score(truth, scores, average="macro"),
        "scores/PR_AUC": metrics.average_precision_score(truth, scores, average="macro"),
        "scores/micro_mAP": metrics.average_precision_score(truth, scores, average="micro"),
        "scores/ROC_AUC": metrics.roc_auc_score(truth, scores, average="macro"),
        "scores/micro_PR_AUC": metrics.average_precision_score(truth, scores, average="micro"),
        "scores/micro_ROC_AUC": metrics.roc_auc_score(truth, scores, average="micro"),
        "scores/LRAP": metrics.label_ranking_average_precision_score(truth, scores),
        "open-mic-task1/AP": metrics.average_precision_score(truth, scores, average="samples"),
    }
    assert theirs.keys() == SKLEARN_VECTORS
    found = {address: ours.value(address) for address in theirs}
    assert found == pytest.approx(theirs, abs=1e-12, nan_ok=True)


def by_label(
    measure: Callable[..., float], truth: Matrix, scores: Matrix, judged: Matrix
) -> dict[str, float | None]:
    """Return the figure of each label over the files in which it was judged."""
    found: dict[str, float | None] = {}
    for label, y, s, w in zip(LABELS, truth.T, scores.T, judged.T, strict=True):
        if w.any():
            is_there = y[w > 0].any()
            both = is_there and not y[w > 0].all()
            defined = both if measure is metrics.roc_auc_score else is_there
            found[label] = measure(y, s, sample_weight=w) if defined else None
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_what_nobody_judged_has_no_weight(seed: int) -> None:
    truth, scores, judged = vectors(np.random.default_rng(seed), 15)
    ours = scored(truth, scores, judged)
    rows = ours.items.filter(ours.items["item"] != "all").iter_rows(named=True)
    values = {(row["measure"], row["item"]): row["value"] for row in rows if row["protocol"] == "scores"}
    for name, measure in (("mAP", metrics.average_precision_score), ("ROC_AUC", metrics.roc_auc_score)):
        for label, theirs in by_label(measure, truth, scores, judged).items():
            found = values[name, label]
            assert (found is None) == (theirs is None), (name, label)
            assert found == (None if theirs is None else pytest.approx(theirs, abs=1e-12)), (name, label)
    flat = judged.ravel() > 0
    y, s = truth.ravel()[flat], scores.ravel()[flat]
    assert ours.value("micro_mAP") == pytest.approx(metrics.average_precision_score(y, s), abs=1e-12)
    assert ours.value("micro_ROC_AUC") == pytest.approx(metrics.roc_auc_score(y, s), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_thresholds_make_decisions(seed: int) -> None:
    truth, scores, _ = vectors(np.random.default_rng(seed), 15)
    ours = scored(truth, scores, None, threshold="0.6", undefined="zero")
    theirs = metrics.precision_recall_fscore_support(
        truth, scores >= 0.6, average="samples", zero_division=0.0
    )
    assert [ours.value(f"open-mic-task1/{which}") for which in "PRF"] == pytest.approx(theirs[:3], abs=1e-12)
    macro = metrics.precision_recall_fscore_support(truth, scores >= 0.6, average="macro", zero_division=0.0)
    found = [ours.value(f"open-mic-task1/macro_{which}") for which in "PRF"]
    assert found == pytest.approx(macro[:3], abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_discounted_gains(seed: int) -> None:
    """One query per label: scikit-learn averages gains over ties, too."""
    truth, scores, _ = vectors(np.random.default_rng(seed), 15)
    ours = scored(truth, scores, None)
    protocol, measure = SKLEARN_GAINS.split("/")
    rows = ours.items.filter(protocol=protocol, measure=measure).select("item", "value").rows()
    assert sorted(label for label, _ in rows) == LABELS
    for label, value in rows:
        column = LABELS.index(label)
        theirs = metrics.ndcg_score([truth[:, column]], [scores[:, column]])
        assert (value or 0.0) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_kappa_of_two_annotators(seed: int) -> None:
    """Each item stands twice, the second time with the annotators changed over: Cohen's kappa is Fleiss'."""
    rng = np.random.default_rng(seed)
    first, second = lists(rng, 15), lists(rng, 15)
    one, other = first + second, second + first
    named = [{str(item): set(labels) for item, labels in enumerate(each)} for each in (one, other)]
    found = kammerton.agree("instruments", {"one": named[0], "other": named[1]}, protocols=["open-mic-task1"])
    binary = MultiLabelBinarizer().fit(one)
    theirs = metrics.cohen_kappa_score(binary.transform(one).ravel(), binary.transform(other).ravel())
    assert found.kappa.value == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_alpha_by_its_formula(seed: int) -> None:
    """Three annotators, who lack some items; of pairs of ratings, as Krippendorff writes it."""
    rng = np.random.default_rng(seed)
    names = ("one", "two", "three")
    given = {
        name: {str(item): set(labels) for item, labels in enumerate(lists(rng, 12)) if rng.random() < 0.8}
        for name in names
    }
    shared = [item for item in map(str, range(12)) if sum(item in items for items in given.values()) > 1]
    used = set[str]().union(*(items.get(item, set()) for items in given.values() for item in shared))
    units = [
        [label in given[name][item] for name in names if item in given[name]]
        for item in shared
        for label in used
    ]
    n = sum(map(len, units))
    present = sum(map(sum, units))
    apart = sum(Fraction(sum(a != b for a, b in permutations(unit, 2)), len(unit) - 1) for unit in units)
    expected = 1 - (apart / n) / Fraction(2 * present * (n - present), n * (n - 1))
    found = kammerton.agree("instruments", given, protocols=["open-mic-task1"])
    assert found.alpha.value == pytest.approx(float(expected), abs=1e-12)
