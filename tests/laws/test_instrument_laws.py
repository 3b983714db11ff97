# SPDX-License-Identifier: MIT
"""What must hold of measures of instruments whatever the labels are."""

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kammerton as kt
from kammerton.instruments import InstrumentOptions
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.options import Undefined
from kammerton.model.measure import Measure
from laws.corpora import merging_changes_nothing, order_changes_nothing
from unit.instruments.scored import (
    DEEP,
    FIGURE,
    MEASURES,
    Pair,
    Parents,
    figures,
    listed,
    options,
    run,
    values,
)

ROUNDING = 1e-12
PRESETS: tuple[Undefined, ...] = ("campaign", "skip", "zero", "one", "sklearn", "trec")

PER_FILE = [name for name, measure in MEASURES.items() if measure.aggregate != "gathered"]
FLAT = [name for name in PER_FILE if name.split("/")[1] in ("P", "R", "F", "micro_P", "micro_R", "micro_F")]
FLAT = [name for name in FLAT if name.startswith("open-mic-task1")]
HIERARCHICAL = [name for name in PER_FILE if "/h" in name or name.startswith("lca")]
AP = "open-mic-task1/AP"
RETRIEVAL = [
    f"open-mic-task2/{name}" for name in ("RR", "P@5", "AP", "ERR", "EP@5", "GAP", "nDCG", "set_P", "set_R")
]
CORPUS = [*PER_FILE, *(f"open-mic-task1/macro_{which}" for which in "PRF"), *RETRIEVAL]

NODES = "BCDEFGHIJK"


def labels(most: int = 5) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(NODES), max_size=most, unique=True)


def estimates() -> st.SearchStrategy[InstrumentList]:
    """Ranked lists, sets, and lists with scores that may tie."""
    ordered = labels().map(listed)
    sets = labels().map(lambda found: listed(found, ranked=False))
    scored = st.dictionaries(st.sampled_from(NODES), st.sampled_from((0.25, 0.5, 0.75)), max_size=5)
    return st.one_of(ordered, sets, scored.map(listed))


def references() -> st.SearchStrategy[InstrumentList]:
    """Sets that are judged in whole, or in part."""
    whole = labels().map(listed)
    part = st.tuples(labels(), labels()).map(
        lambda both: listed(both[0], absent=[label for label in both[1] if label not in both[0]])
    )
    return st.one_of(whole, whole, part)


PAIRS = st.tuples(references(), estimates())
CORPORA = st.lists(PAIRS, min_size=2, max_size=6)


def same(before: Mapping[str, float], after: Mapping[str, float]) -> None:
    assert dict(after) == pytest.approx(dict(before), abs=ROUNDING, nan_ok=True)


# --- one file ------------------------------------------------------------------------------


@given(references())
def test_a_reference_scored_against_itself_is_best_or_undefined(reference: InstrumentList) -> None:
    itself = listed(reference.labels)
    for name, value in values((reference, itself), options(FIGURE), PER_FILE).items():
        assert math.isnan(value) or value == 1.0, name


@given(PAIRS)
def test_values_lie_within_their_range(pair: Pair) -> None:
    for name, value in values(pair, options(FIGURE), PER_FILE).items():
        assert math.isnan(value) or 0.0 <= value <= 1.0, name


@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_labels_does_not_matter_to_sets(pair: Pair, random: Any) -> None:
    truth, said = pair
    shuffled = list(said.labels)
    random.shuffle(shuffled)
    same(
        values((truth, listed(said.labels)), options(FIGURE), [*FLAT, *HIERARCHICAL]),
        values((truth, listed(shuffled)), options(FIGURE), [*FLAT, *HIERARCHICAL]),
    )


@given(labels(), labels(), st.randoms(use_true_random=False))
def test_the_order_among_hits_is_free(truth: list[str], said: list[str], random: Any) -> None:
    hits = [label for label in said if label in truth]
    random.shuffle(hits)
    moved = iter(hits)
    other = [next(moved) if label in truth else label for label in said]
    same(
        values((listed(truth), listed(said)), options(), [AP]),
        values((listed(truth), listed(other)), options(), [AP]),
    )


@given(st.lists(st.booleans(), max_size=3), st.lists(st.booleans(), max_size=3))
def test_a_hit_that_moves_ahead_of_a_miss_gains(ahead: list[bool], behind: list[bool]) -> None:
    hits = dict(zip(NODES, [*ahead, False, True, *behind], strict=False))
    said, place = list(hits), len(ahead)
    truth = [label for label in said if hits[label]]
    better = [*said[:place], said[place + 1], said[place], *said[place + 2 :]]
    before, after = (values((listed(truth), listed(each)), options(), [AP])[AP] for each in (said, better))
    assert after > before


@given(references(), labels())
def test_a_miss_at_the_end_gains_nothing(truth: InstrumentList, said: list[str]) -> None:
    wrong = [label for label in NODES if label not in (*truth.labels, *said)]
    assume(wrong and said)
    names = [*FLAT, AP, *(name for name in HIERARCHICAL if name.startswith("lca"))]
    before = values((truth, listed(said)), options(FIGURE), names)
    after = values((truth, listed([*said, wrong[0]])), options(FIGURE), names)
    for name in (*FLAT, AP):
        assert math.isnan(before[name]) or after[name] <= before[name] + ROUNDING, name


@given(labels(), labels())
def test_a_miss_of_a_family_without_annotation_gains_nothing_either(
    truth: list[str], said: list[str]
) -> None:
    truth = [label for label in truth if label not in "DJK"]
    assume("J" not in said and said)
    names = [f"open-mic-task1/{name}" for name in ("hP", "hR", "hF")]
    before = values((listed(truth), listed(said)), options(FIGURE), names)
    after = values((listed(truth), listed([*said, "J"])), options(FIGURE), names)
    for name in names:
        assert math.isnan(before[name]) or after[name] <= before[name] + ROUNDING


@given(PAIRS)
def test_flat_is_hierarchical_on_one_level(pair: Pair) -> None:
    one_level = options(dict.fromkeys(NODES, "instrument"))
    names = [f"open-mic-task1/{name}" for name in ("P", "R", "F", "hP", "hR", "hF")]
    flat_p, flat_r, flat_f, *hierarchical = values(pair, one_level, names).values()
    assert hierarchical == pytest.approx([flat_p, flat_r, flat_f], abs=ROUNDING, nan_ok=True)


@given(PAIRS)
def test_refining_a_taxonomy_leaves_flat_measures_alone(pair: Pair) -> None:
    refined: Parents = {**FIGURE, "G": "F", "F": "E", "I": ["H", "B"]}
    bare = values(pair, options(), [*FLAT, AP])
    for tree in (FIGURE, refined):
        same(bare, values(pair, options(tree), [*FLAT, AP]))


@given(PAIRS, st.permutations("BCD"), st.permutations("EFG"))
def test_names_do_not_matter(pair: Pair, families: list[str], members: list[str]) -> None:
    """Families take each other's names, and so do the members of one."""
    names = dict(zip("BCDEFG", [*families, *members], strict=True))
    tree = {names.get(child, child): names.get(str(parent), str(parent)) for child, parent in FIGURE.items()}
    renamed = [_renamed(side, names) for side in pair]
    after = values((renamed[0], renamed[1]), options(tree), PER_FILE)
    same(values(pair, options(FIGURE), PER_FILE), after)


def _renamed(side: InstrumentList, names: Mapping[str, str]) -> InstrumentList:
    labels, absent = (tuple(names.get(label, label) for label in each) for each in (side.labels, side.absent))
    return InstrumentList(labels, side.scores, ranked=side.ranked, absent=absent, closed=side.closed)


@given(PAIRS)
def test_ties_lie_between_their_best_and_their_worst_order(pair: Pair) -> None:
    worst, expected, given_, trec, best = (
        values(pair, options(ties=ties), [AP])[AP] for ties in ("worst", "expected", "given", "trec", "best")
    )
    for between in (expected, given_, trec):
        assert math.isnan(between) or worst - ROUNDING <= between <= best + ROUNDING


@given(labels(), labels(), labels(8))
def test_what_was_not_judged_does_not_matter_to_flat_measures(
    truth: list[str], said: list[str], judged: list[str]
) -> None:
    absent = [label for label in judged if label not in truth]
    known = [label for label in said if label in truth or label in absent]
    names = [*FLAT, AP]
    found = values((listed(truth, absent=absent), listed(said)), options(), names)
    same(values((listed(truth), listed(known)), options(), names), found)


@given(PAIRS)
def test_everything_judged_is_judged_in_whole(pair: Pair) -> None:
    truth, said = pair
    every = [label for label in NODES if label not in truth.labels]
    named = values((listed(truth.labels, absent=every), said), options(FIGURE), PER_FILE)
    same(values((listed(truth.labels), said), options(FIGURE), PER_FILE), named)


# --- corpora -------------------------------------------------------------------------------


@given(CORPORA, st.sampled_from(PRESETS), st.randoms(use_true_random=False))
def test_the_order_of_files_does_not_matter(pairs: list[Pair], undefined: Undefined, random: Any) -> None:
    chosen = options(FIGURE, undefined=undefined)
    named = {f"file {number}": pair for number, pair in enumerate(pairs)}
    order_changes_nothing(partial(corpus, chosen=chosen), named, random)


def corpus(
    pairs: Mapping[str, Pair], chosen: InstrumentOptions, measures: list[str] | None = None
) -> kt.Scores:
    refs = {name: ref for name, (ref, _) in pairs.items()}
    ests = {name: est for name, (_, est) in pairs.items()}
    return kt.score("instruments", refs, {"system": ests}, options=chosen, measures=measures, ci=None)


@given(CORPORA, st.integers(1, 5), st.sampled_from(("expected", "given", "trec")))
def test_the_evidence_of_two_parts_merges_into_that_of_the_whole(
    pairs: list[Pair], cut: int, ties: Any
) -> None:
    chosen = options(FIGURE, ties=ties)
    named = {f"file {number}": pair for number, pair in enumerate(pairs)}
    wanted = corpus(named, chosen).measures

    def score(some: Mapping[str, Pair]) -> kt.Scores:
        scores = corpus(some, chosen, [str(measure) for measure in wanted])
        assume(scores.measures == wanted)  # a part of the lists may be unranked
        return scores

    merging_changes_nothing(score, named, cut, later_first=True)


@given(CORPORA, st.integers(0, 5), st.sampled_from(PRESETS))
def test_no_estimate_is_worse_for_a_corpus_than_the_worst(
    pairs: list[Pair], item: int, undefined: Undefined
) -> None:
    found = run(pairs, options(FIGURE, undefined=undefined), PER_FILE).statistics
    for measure, statistics in found.items():
        with_worst = statistics.copy()
        with_worst[[item % len(pairs)]] = measure.formula.worst(statistics[[item % len(pairs)]])
        real, worst = (
            measure.corpus_score(rows, measure.aggregate).value for rows in (statistics, with_worst)
        )
        assert not worst > real + ROUNDING, str(measure)


@given(CORPORA, st.integers(0, 5))
def test_a_missing_estimate_gains_nothing(pairs: list[Pair], item: int) -> None:
    """Of an item with annotation; what is pooled may lose false alarms with it."""
    truth, _ = pairs[item % len(pairs)]
    assume(truth.labels)
    named = {f"file {number}": pair for number, pair in enumerate(pairs)}
    chosen = options(FIGURE)
    means = [
        name for name in PER_FILE if MEASURES[name].aggregate == "mean" and not name.startswith("scores")
    ]
    whole = kt.score(
        "instruments",
        {name: ref for name, (ref, _) in named.items()},
        {"system": {name: est for name, (_, est) in named.items()}},
        options=chosen,
        measures=means,
    )
    rest = {name: est for number, (name, (_, est)) in enumerate(named.items()) if number != item % len(pairs)}
    assume(any(est.ranked for est in rest.values()) or not any(str(m) == AP for m in whole.measures))
    lacking = kt.score(
        "instruments",
        {name: ref for name, (ref, _) in named.items()},
        {"system": rest},
        options=chosen,
        measures=[str(measure) for measure in whole.measures],
    )
    for measure in whole.measures:
        assert not lacking.value(str(measure)) > whole.value(str(measure)) + ROUNDING, str(measure)


@given(CORPORA)
def test_an_empty_list_gains_nothing(pairs: list[Pair]) -> None:
    """Abstaining from a file that is annotated does not raise any mean over files."""
    truth, _ = pairs[0]
    assume(truth.labels)
    means = [name for name in PER_FILE if MEASURES[name].aggregate == "mean"]
    before = figures(pairs, options(FIGURE), means)
    after = figures([(truth, listed([])), *pairs[1:]], options(FIGURE), means)
    for name in means:
        assert not after[name] > before[name] + ROUNDING, name


# --- retrieval -----------------------------------------------------------------------------

SCORED = st.dictionaries(st.sampled_from(NODES), st.sampled_from((0.1, 0.3, 0.5, 0.7, 0.9)), max_size=5)
ANSWERED = st.lists(st.tuples(references(), SCORED.map(listed)), min_size=1, max_size=7)


@given(ANSWERED, st.sampled_from(PRESETS))
def test_retrieval_lies_within_its_range(pairs: list[Pair], undefined: Undefined) -> None:
    for name, value in figures(pairs, options(FIGURE, undefined=undefined), RETRIEVAL).items():
        assert math.isnan(value) or -ROUNDING <= value <= 1 + ROUNDING, name


@given(st.lists(labels(), min_size=1, max_size=7))
def test_perfect_scores_retrieve_perfectly(truths: list[list[str]]) -> None:
    pairs = [(listed(truth), listed(dict.fromkeys(truth, 1.0))) for truth in truths]
    found = figures(pairs, options(), ["open-mic-task2/RR", "open-mic-task2/AP", "open-mic-task2/nDCG"])
    for name, value in found.items():
        assert math.isnan(value) or value == pytest.approx(1.0), name


@given(ANSWERED, st.floats(0.1, 10), st.floats(-5, 5))
def test_only_the_order_of_scores_matters(pairs: list[Pair], factor: float, shift: float) -> None:
    """Stretching and moving all scores changes nothing, as long as those that differ still do."""
    moved = [
        (ref, InstrumentList(est.labels, est.scores * factor + shift, ranked=True)) for ref, est in pairs
    ]
    same(figures(pairs, options(FIGURE), RETRIEVAL), figures(moved, options(FIGURE), RETRIEVAL))


@given(ANSWERED)
def test_a_file_without_any_score_at_the_end_of_the_corpus_changes_no_rank(pairs: list[Pair]) -> None:
    names = ["open-mic-task2/RR", "open-mic-task2/P@5", "open-mic-task2/AP"]
    same(
        figures(pairs, options(FIGURE), names),
        figures([*pairs, (listed([]), listed([]))], options(FIGURE), names),
    )


@given(
    st.lists(st.tuples(labels(), st.lists(st.floats(0, 1), min_size=4, max_size=4)), min_size=2, max_size=8)
)
def test_turning_scores_round_turns_the_roc_curve(files: list[tuple[list[str], list[float]]]) -> None:
    name = "scores/ROC_AUC"
    both = []
    for sign in (1.0, -1.0):
        pairs = [
            (listed(truth), InstrumentList(tuple("EFGH"), sign * np.array(scores), ranked=True, vector=True))
            for truth, scores in files
        ]
        keep = [(listed([label for label in ref.labels if label in "EFGH"]), est) for ref, est in pairs]
        both.append(figures(keep, options(), [name])[name])
    assert both[0] == pytest.approx(1 - both[1], nan_ok=True)


# --- the registry --------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES.values(), ids=str)
def test_every_measure_is_documented(measure: Measure) -> None:
    card = measure.card
    assert card.summary.endswith(".")
    assert all((card.equation, card.undefined_when, card.source, card.agrees_with))
    assert measure.range == (0.0, 1.0)
    assert measure.worst == 0.0


def test_deep_taxonomies_have_the_same_laws() -> None:
    pair = listed(["violin", "male singer"]), listed(["violin"])
    found = values(pair, options(DEEP), [*HIERARCHICAL, *FLAT])
    assert found["open-mic-task1/hP"] == found["open-mic-task1/P"] == 1.0
