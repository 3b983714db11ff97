# SPDX-License-Identifier: MIT
"""Score vectors: figures of labels worked out by hand, over what was judged."""

import math
from typing import Any

import pytest

from unit.instruments.scored import FIGURE, Pair, by_class, equals, figures, listed, options, values

MACRO = ("scores/mAP", "scores/ROC_AUC", "scores/PR_AUC")
MICRO = ("scores/micro_mAP", "scores/micro_ROC_AUC", "scores/micro_PR_AUC")
LRAP = "scores/LRAP"


def vector(annotated: str, a: float, b: float, absent: str | None = None) -> Pair:
    return listed(annotated, absent=absent), listed({"a": a, "b": b}, vector=True)


FILES = [vector("a", 0.9, 0.9), vector("b", 0.7, 0.2), vector("ab", 0.2, 0.5), vector("", 0.2, 0.1)]
# a: .9 has it, .7 has not, .2 has it, .2 has not
# b: .9 has not, .5 has it, .2 has it, .1 has not


def test_figures_of_labels() -> None:
    names, found = by_class(FILES, options(), [*MACRO, *MICRO])
    assert names == ("a", "b", "all")
    a = (1 + 2 / 4) / 2
    b = (1 / 2 + 2 / 3) / 2
    assert found["scores/mAP"] == [equals(str(a)), pytest.approx(b), equals("u")]
    assert found["scores/PR_AUC"] == pytest.approx(found["scores/mAP"], nan_ok=True)
    # pairs of a: .9 beats both, .2 loses to .7 and is level; of b: .5 and .2 beat .1 alone
    assert found["scores/ROC_AUC"] == [equals("5/8"), equals("1/2"), equals("u")]
    # together: .9+ .9- | .7- | .5+ | .2+ .2+ .2- | .1-
    assert found["scores/micro_mAP"][:2] == [equals("u"), equals("u")]
    assert found["scores/micro_mAP"][2] == pytest.approx((1 / 2 + 2 / 4 + 2 * 4 / 7) / 4)
    assert found["scores/micro_ROC_AUC"][2] == pytest.approx((3.5 + 2 + 2 * 1.5) / 16)


def test_corpus_figures() -> None:
    found = figures(FILES, options(), [*MACRO, *MICRO, LRAP])
    assert found["scores/mAP"] == pytest.approx((3 / 4 + 7 / 12) / 2)
    assert found["scores/ROC_AUC"] == pytest.approx(9 / 16)
    assert found["scores/micro_PR_AUC"] == found["scores/micro_mAP"]
    assert found[LRAP] == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)  # the fourth file has no label


def test_pairs_that_nobody_judged_are_left_out() -> None:
    judged = [
        vector("a", 0.9, 0.9, absent=""),
        vector("", 0.95, 0.9, absent="a"),
        vector("", 0.99, 0.9, absent=""),
    ]
    _, found = by_class(judged, options(), MACRO)
    assert found["scores/mAP"] == [equals("1/2"), equals("u"), equals("u")]
    assert found["scores/ROC_AUC"] == [equals("0"), equals("u"), equals("u")]
    assert figures(judged, options(assume_absent=True), ["scores/mAP"])["scores/mAP"] == equals("1/3")


def test_an_annotated_label_without_a_score_is_not_found() -> None:
    files = [*FILES[:2], (listed("a"), listed(""))]
    _, found = by_class(files, options(), MACRO)
    # .9 has it, .7 has not, and one that has it was never scored
    assert found["scores/mAP"][0] == equals("1/2")
    assert found["scores/ROC_AUC"][0] == equals("1/2")


def test_who_leaves_files_out_gains_nothing() -> None:
    wrong = [vector("a", 0.1, 0.9), vector("a", 0.2, 0.7), vector("b", 0.8, 0.3), vector("b", 0.9, 0.4)]
    lazy = [wrong[0], *((ref, listed("")) for ref, _ in wrong[1:])]
    # of a, one of two is found, at the first place; of b, none
    assert figures(lazy, options(), ["scores/mAP"])["scores/mAP"] == equals("1/4")
    # all four pairs, by score .9- .1+, and the other three are not found
    assert figures(lazy, options(), ["scores/micro_mAP"])["scores/micro_mAP"] == equals("1/8")
    nothing = [(ref, listed("")) for ref, _ in wrong]
    assert figures(nothing, options(), ["scores/mAP"])["scores/mAP"] == 0.0


def test_a_system_of_lists_has_no_figures_of_labels() -> None:
    lists = [(ref, listed({"a": 0.9})) for ref, _ in FILES]
    for found in by_class(lists, options(), [*MACRO, *MICRO])[1].values():
        assert all(math.isnan(value) for value in found)
    assert math.isnan(figures(lists, options(), ["scores/mAP"])["scores/mAP"])


def test_references_that_are_scores_are_annotated_from_the_threshold_of_truth_on() -> None:
    pairs = [(listed({"a": 0.75, "b": 0.5, "c": 0.25}, vector=True), listed("ac"))]
    names = ["open-mic-task1/P", "open-mic-task1/R"]
    assert list(figures(pairs, options(), names).values()) == [0.5, 0.5]
    assert list(figures(pairs, options(truth_threshold=">0.5"), names).values()) == [0.5, 1.0]
    assert list(figures(pairs, options(truth_threshold="0.1"), names).values()) == [1.0, equals("2/3")]


def test_what_is_judged_absent_and_has_no_score_does_not_matter() -> None:
    files = [vector("a", 0.1, 0.1, absent=""), (listed("", absent="a"), listed({"b": 0.5}, vector=True))]
    _, found = by_class(files, options(), ["scores/ROC_AUC", "scores/mAP"])
    assert math.isnan(found["scores/ROC_AUC"][0])
    assert found["scores/mAP"][0] == 1.0


def test_rare_labels_can_be_left_out() -> None:
    files = [*FILES, vector("a", 0.1, 0.1)]
    alone = figures(files, options(min_support=3), MACRO)
    assert list(alone.values()) == [by_class(files, options(), [name])[1][name][0] for name in MACRO]
    assert figures(files, options(min_support=3), MICRO) == figures(files, options(), MICRO)


def test_thresholds_do_not_matter() -> None:
    whole = figures(FILES, options(), [*MACRO, LRAP])
    for choices in ({"threshold": "0.6"}, {"top_k": 1}):
        assert figures(FILES, options(**choices), [*MACRO, LRAP]) == whole


def test_a_threshold_concerns_lists_beside_vectors_too() -> None:
    pairs = [FILES[0], (listed("a"), listed({"b": 0.9, "a": 0.1})), (listed("b"), listed("b"))]
    found = figures(pairs, options(threshold="0.5"), [LRAP, "open-mic-task1/P"])
    assert found["open-mic-task1/P"] == pytest.approx((1 / 2 + 0 + 1) / 3)
    assert found[LRAP] == pytest.approx((1 / 2 + 0 + 1) / 3)


@pytest.mark.parametrize(
    ("undefined", "lrap", "auc"),
    [("campaign", 2 / 3, 9 / 16), ("skip", 2 / 3, 9 / 16), ("zero", 1 / 2, 3 / 8), ("one", 3 / 4, 17 / 24)],
)
def test_what_undefined_figures_count(undefined: Any, lrap: float, auc: float) -> None:
    with_c = [
        (ref, listed({"a": a, "b": b, "c": 0.1}, vector=True))
        for ref, (a, b) in zip([ref for ref, _ in FILES], [est.scores for _, est in FILES], strict=True)
    ]
    found = figures(with_c, options(undefined=undefined), [LRAP, "scores/ROC_AUC"])
    assert list(found.values()) == [pytest.approx(lrap), pytest.approx(auc)]


def test_scikit_learn_has_no_mean_where_a_label_has_no_area() -> None:
    chosen = options(undefined="sklearn")
    with_c = [(ref, listed({"a": 0.5, "c": 0.1}, vector=True)) for ref, _ in FILES]
    found = figures(with_c, chosen, ["scores/ROC_AUC", "scores/micro_ROC_AUC", "scores/mAP", LRAP])
    assert math.isnan(found["scores/ROC_AUC"])
    assert not math.isnan(found["scores/micro_ROC_AUC"])
    assert figures(FILES, chosen, [LRAP])[LRAP] == pytest.approx((1 / 2 + 1 / 2 + 1 + 1) / 4)


def test_families_are_scored_by_their_best_label() -> None:
    pair = listed("E"), listed({"E": 0.25, "F": 0.75, "J": 0.5}, vector=True)
    assert values(pair, options(FIGURE), [LRAP])[LRAP] == equals("1/3")
    assert values(pair, options(FIGURE, level=1), [LRAP])[LRAP] == 1.0
    assert values(pair, options(FIGURE, level=1, threshold="0.6"), [LRAP])[LRAP] == 1.0
