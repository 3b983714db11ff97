# SPDX-License-Identifier: MIT
"""Intervals of corpus figures: against drawing items one by one and scoring what was drawn, and by hand."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from cases.chords import song
from kammerton.errors import OptionError
from kammerton.instruments import InstrumentList, InstrumentOptions
from kammerton.model.measure import Measure
from kammerton.statistics import sample as sampling
from kammerton.statistics.intervals import Intervals, bca, expanded, intervals, percentile
from kammerton.statistics.resampling import BootstrapSettings, LeaveOneOut, Resampling, ScoreKey
from kammerton.statistics.sample import Sample, scores_of_classes

DRAWS = 60
MEASURES = ["mirex2013/MajMin", "mirex2013/MeanSeg", "mir_eval/majmin", "decibel/CSR"]

REFS = {
    f"{name}": song((0, 4, "C"), (4, 4 + number, "G:7"), (4 + number, 20, "X" if number == 3 else "D:min"))
    for number, name in enumerate("abcdefg", 1)
} | {"h": song((0, 5, "X"))}
ESTS = {
    f"{name}": song((0, number, "C"), (number, 9, "G"), (9, 20, "D:min" if number % 2 else "D"))
    for number, name in enumerate("abcdefgh", 1)
}
SECOND = {name: song((0, 7, "C"), (7, 20, "D:min")) for name in "abcd"}


def drawn(items: int, **choices: Any) -> list[list[int]]:
    """Return the numbers of the items of each draw."""
    draws = Resampling(items, DRAWS, seed=7, **choices)
    return [
        np.repeat(np.arange(items), counts.astype(int)).tolist()
        for start in draws.starts
        for counts in draws.block(start)
    ]


def figures(scores: kt.Scores, draw: list[int], items: list[str]) -> dict[ScoreKey, float]:
    """Return each figure of the items drawn, each as often as it was drawn."""
    found = {}
    for measure in scores.measures:
        for annotator in scores.annotators_of(measure):
            own = scores.of_items(measure, "s", annotator)
            place = {name: number for number, name in enumerate(own.names)}
            rows = [place[items[number]] for number in draw if items[number] in place]
            for how in measure.aggregates:
                if how == "pooled":
                    value = measure.corpus_score(own.statistics[rows], how).value
                else:
                    counted, weights = own.counted[rows], own.weights[rows]
                    known = ~np.isnan(counted)
                    value = {
                        "mean": lambda c, w: c.mean() if len(c) else math.nan,
                        "median": lambda c, w: np.median(c) if len(c) else math.nan,
                        "weighted_mean": lambda c, w: (c * w).sum() / w.sum() if w.sum() else math.nan,
                    }[how](counted[known], weights[known])
                found[ScoreKey("s", annotator, measure, how)] = float(value)
    return found


def check(
    scores: kt.Scores, found: Intervals, draws: list[list[int]], items: list[str], units: Mapping[str, str]
) -> None:
    every = [figures(scores, draw, items) for draw in draws]
    assert set(found) == set(every[0])
    for key, interval in found.items():
        own = scores.of_items(key.measure, key.system, key.annotator)
        known = {units[name] for name, value in zip(own.names, own.counted, strict=True) if value >= 0}
        expected = percentile(np.array([each[key] for each in every]), expanded(0.9, len(known)))
        assert interval == pytest.approx(expected, abs=1e-12, nan_ok=True), key


@pytest.mark.parametrize("annotators", [None, {"second": SECOND}])
def test_every_figure_of_every_draw(annotators: Mapping[str, Any] | None) -> None:
    scores = kt.score("chords", REFS, {"s": ESTS}, annotators=annotators, measures=MEASURES)
    found = intervals(scores, BootstrapSettings(level=0.9, resamples=DRAWS, seed=7))
    check(scores, found, drawn(8), sorted(REFS), {name: name for name in REFS})
    assert len(found) == len(scores.summary)


def test_clusters_are_drawn_whole() -> None:
    scores = kt.score("chords", REFS, {"s": ESTS}, measures=MEASURES)
    clusters = {name: "early" if name < "d" else name for name in REFS}
    found = intervals(scores, BootstrapSettings(level=0.9, resamples=DRAWS, seed=7, clusters=clusters))
    check(scores, found, drawn(8, clusters=[clusters[name] for name in sorted(REFS)]), sorted(REFS), clusters)


def test_clusters_of_one_are_no_clusters() -> None:
    scores = kt.score("chords", REFS, {"s": ESTS}, measures=MEASURES)
    alone = intervals(scores, BootstrapSettings(resamples=DRAWS, clusters={name: name for name in REFS}))
    assert dict(alone) == dict(intervals(scores, BootstrapSettings(resamples=DRAWS)))


def test_a_single_cluster_tells_nothing() -> None:
    scores = kt.score("chords", REFS, {"s": ESTS}, measures=MEASURES)
    found = intervals(scores, BootstrapSettings(resamples=DRAWS, clusters=dict.fromkeys(REFS, "all")))
    assert all(math.isnan(low) and math.isnan(high) for low, high in found.values())


def test_bias_corrected_intervals() -> None:
    scores = kt.score("chords", REFS, {"s": ESTS}, measures=["mirex2013/MajMin"])
    (measure,) = scores.measures
    found = intervals(scores, BootstrapSettings(level=0.9, resamples=DRAWS, seed=7, method="bca"))
    items = sorted(REFS)
    key = ScoreKey("s", "reference", measure, "pooled")
    every = np.array([figures(scores, draw, items)[key] for draw in drawn(8)])
    without = np.array(
        [figures(scores, [each for each in range(8) if each != out], items)[key] for out in range(8)]
    )
    level = expanded(0.9, 7)  # one of the eight is excluded throughout
    assert found[key] == pytest.approx(bca(scores.value("MajMin"), every, without, level), abs=1e-12)
    assert sum(len(LeaveOneOut(8).block(start)) for start in LeaveOneOut(8).starts) == 8


def test_one_item_tells_nothing_of_others() -> None:
    scores = kt.score("chords", {"a": REFS["a"]}, {"s": ESTS}, measures=["mirex2013/MajMin"])
    assert scores.summary.select("ci_low", "ci_high").row(0) == (None, None)
    assert scores.to_dict()["scores"][0]["ci"] is None


# --- measures over classes -----------------------------------------------------------------

TRUTH = {"a": ["piano", "voice"], "b": ["piano"], "c": ["drums", "voice"], "d": ["violin"], "e": ["voice"]}
SAID = {
    "a": {"piano": 0.9, "drums": 0.3},
    "b": {"piano": 0.8, "voice": 0.5},
    "c": {"voice": 0.7, "drums": 0.6},
    "d": {"cello": 0.4, "violin": 0.4},
    "e": {"drums": 0.2},
}


def lists(items: Mapping[str, Any]) -> dict[str, InstrumentList]:
    found = {}
    for item, labels in items.items():
        scores = np.array(list(labels.values())) if isinstance(labels, dict) else np.empty(0)
        found[item] = InstrumentList(tuple(labels), scores, ranked=isinstance(labels, dict))
    return found


def copied(items: Mapping[str, Any], draw: list[int], names: list[str]) -> dict[str, Any]:
    """Return what was drawn as items of their own, copies right behind what they are copies of."""
    seen: dict[str, int] = {}
    found = {}
    for number in draw:
        name = names[number]
        copy = seen.setdefault(name, 0)
        seen[name] += 1
        found[f"{name}{copy:03}"] = items[name]
    return found


def vectors() -> dict[str, InstrumentList]:
    """Return a score for each label of each item: those of ``SAID``, and lower ones."""
    labels = sorted({label for found in (*TRUTH.values(), *SAID.values()) for label in found})
    return {
        item: InstrumentList(
            tuple(labels),
            np.array([found.get(label, 0.01 * place) for place, label in enumerate(labels)]),
            vector=True,
        )
        for item, found in SAID.items()
    }


@pytest.mark.parametrize("of_classes", [False, True])
def test_classes_are_made_anew_from_what_was_drawn(monkeypatch: pytest.MonkeyPatch, of_classes: bool) -> None:
    """Where items are drawn: as of measures over all pairs of item and class; here of others too."""
    if of_classes:
        monkeypatch.setattr(Measure, "resamples_classes", False)
    options = InstrumentOptions(taxonomy="openmic-2018", min_support=1, threshold=">=0.4")
    truth, said = lists(TRUTH), vectors()
    choices: dict[str, Any] = {
        "options": options,
        "protocols": ["open-mic-task1", "open-mic-task2", "scores"],
    }
    scores = kt.score("instruments", truth, {"s": said}, **{"protocols": "all", **choices})
    found = intervals(scores, BootstrapSettings(level=0.9, resamples=DRAWS, seed=7))
    every = []
    for draw in drawn(5):
        again = kt.score(
            "instruments",
            copied(truth, draw, list(TRUTH)),
            {"s": copied(said, draw, list(TRUTH))},
            **{"protocols": "all", **choices},
        )
        every.append({str(measure): again.value(str(measure)) for measure in again.measures})
    for (_, _, measure, how), interval in found.items():
        if how == "gathered" and not measure.resamples_classes:
            expected = percentile(np.array([each[str(measure)] for each in every]), expanded(0.9, 5))
            assert interval == pytest.approx(expected, abs=1e-12, nan_ok=True), str(measure)
    gathered = [measure for measure in scores.measures if measure.aggregate == "gathered"]
    assert [m.resamples_classes for m in gathered].count(False) == (len(gathered) if of_classes else 3)


def test_queries_instruments_and_labels_are_drawn_where_they_are_averaged() -> None:
    scores = kt.score(
        "instruments",
        lists(TRUTH),
        {"s": vectors()},
        options=InstrumentOptions(threshold=">=0.4"),
        protocols="all",
    )
    found = intervals(scores, BootstrapSettings(level=0.9, resamples=DRAWS, seed=7))
    drawn_by = {}
    for key in found:
        if key.aggregate == "gathered":
            drawn_by[str(key.measure)] = key.measure.resamples_classes
            if key.measure.resamples_classes:
                own = scores.of_items(key.measure, "s", "reference")
                # all measures have the instruments that anybody listed or annotated
                values = dict(zip(own.names, own.counted, strict=True))
                classes = ("cello", "drums", "piano", "violin", "voice")
                column = np.array([values.get(name, math.nan) for name in classes])
                means = [column[draw][~np.isnan(column[draw])] for draw in drawn(5)]
                expected = percentile(
                    np.array([mean.mean() if len(mean) else math.nan for mean in means]),
                    expanded(0.9, int(np.count_nonzero(~np.isnan(column)))),
                )
                assert found[key] == pytest.approx(expected, abs=1e-12), key
    micro = {name for name, of_classes in drawn_by.items() if not of_classes}
    assert micro == {"scores/micro_mAP", "scores/micro_ROC_AUC", "scores/micro_PR_AUC"}
    assert {"open-mic-task2/RR", "open-mic-task1/macro_F", "scores/mAP"} <= set(drawn_by)


@pytest.mark.slow
@pytest.mark.parametrize("annotators", [{}, {"other": {"b": ["voice"], "d": ["drums"], "f": ["piano"]}}])
def test_many_draws_at_once_are_each_draw_for_itself(annotators: Any) -> None:
    options = InstrumentOptions(taxonomy="openmic-2018", min_support=1)
    truth = TRUTH | {f"{name}{again}": labels for name, labels in TRUTH.items() for again in range(2)}
    said = SAID | {f"{name}{again}": labels for name, labels in SAID.items() for again in range(2)}
    others = {name: lists(found) for name, found in annotators.items()}
    scores = kt.score(
        "instruments", lists(truth), {"s": lists(said)}, annotators=others, options=options, protocols="all"
    )
    keys = [key for key in intervals(scores, BootstrapSettings(resamples=1)) if key.aggregate == "gathered"]
    kept = dict.fromkeys(scores.measures, frozenset(truth))
    sample = Sample(scores, keys, kept)
    draws = Resampling(15, 7, seed=2)
    made = sample.evaluate(draws, sample.item_scores(keys))
    for number, counts in enumerate(draws.block(0).astype(int)):
        for key in keys:
            classes = sample._classes(counts, key.system, key.annotator)
            alone = (
                scores_of_classes(classes, key.measure, several=key.annotator == "all")
                .corpus_score("gathered")
                .value
            )
            assert made[key][number] == pytest.approx(alone, abs=1e-12, nan_ok=True), key


def test_intervals_of_retrieval_hold_the_score() -> None:
    """Of 40 instruments each is in two files: one in which it is first of all, one in which it is last.

    A third of the former are not in a resample of files, and the first file that is right is then the last:
    the mean reciprocal rank of such resamples is far below 1.
    """
    names = [f"i{number:02}" for number in range(40)]
    refs, ests = {}, {}
    for number, name in enumerate(names):
        for side, score in (("a", 0.9), ("b", 0.1)):
            refs[f"{side}{number:02}"] = InstrumentList((name,))
            scored = np.array([score if other == name else 0.5 for other in names])
            ests[f"{side}{number:02}"] = InstrumentList(tuple(names), scored, ranked=True, vector=True)
    options = InstrumentOptions(threshold=">=0.7")
    for method in ("percentile", "bca"):
        scores = kt.score(
            "instruments", refs, {"s": ests}, options=options, resamples=500, interval=method, protocols="all"
        )
        rows = {
            row["measure"]: (row["value"], row["ci_low"], row["ci_high"]) for row in scores.summary.to_dicts()
        }
        assert rows["RR"] == (1, 1, 1)
        # found in one of two files, and nowhere else
        assert (rows["macro_P"], rows["macro_R"]) == ((1, 1, 1), (1 / 2, 1 / 2, 1 / 2))


def test_intervals_of_means_over_instruments_hold_the_score_if_most_are_rare() -> None:
    """One of 31 is found, which is in all files; each other is in one, and in no file of many resamples."""
    refs = {str(number): InstrumentList(("voice", f"i{number:02}")) for number in range(30)}
    ests = {name: InstrumentList(("voice",)) for name in refs}
    choices: dict[str, Any] = {"measures": ["open-mic-task1/macro_R"], "ci": 0.9}
    scores = kt.score("instruments", refs, {"s": ests}, **{"protocols": "all", **choices})
    (row,) = scores.summary.to_dicts()
    # voice is drawn 31 times with probability 1/31: at most twice in 92.0 % of the draws, at most 3 times in
    # 98.1 %. Ends of a level of 0.9 are at 4.2 % and 95.8 %, as 1.697 * sqrt(31 / 30) is Student's quantile
    assert (row["value"], row["ci_low"], row["ci_high"]) == pytest.approx((1 / 31, 0, 3 / 31))


def test_few_items_get_all_draws_as_there_are_few_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    choices: dict[str, Any] = {"measures": ["scores/micro_mAP", "scores/mAP"]}
    monkeypatch.setattr(sampling, "_DRAWN_ROWS", 0)
    scores = kt.score("instruments", lists(TRUTH), {"s": vectors()}, **{"protocols": "all", **choices})
    # five of five items: 126 draws differ, which is below the fewest
    assert intervals(scores, BootstrapSettings(resamples=5_000)).gathered_resamples == 5_000
    monkeypatch.setattr(sampling, "_FEWEST", 125)
    assert intervals(scores, BootstrapSettings(resamples=5_000)).gathered_resamples == 125


def test_classes_are_of_the_items_that_a_system_has() -> None:
    said = {"all": vectors(), "few": {name: found for name, found in vectors().items() if name in "abd"}}
    scores = kt.score("instruments", lists(TRUTH), said, measures=["scores/micro_mAP"], missing="skip")
    (measure,) = scores.measures
    keys = [ScoreKey(system, "reference", measure, "gathered") for system in said]
    nothing = np.zeros(1)
    for clusters, units in ((None, [5, 3]), ({**{name: name for name in TRUTH}, "b": "a"}, [4, 2])):
        sample = Sample(scores, keys, {measure: frozenset(TRUTH)}, clusters)
        found = sample.item_scores(keys)
        assert [sample.units_behind(key, found[key], nothing) for key in keys] == units


def test_classes_against_all_are_of_the_items_that_anyone_annotated() -> None:
    of_one, of_other = (
        {name: each for name, each in lists(TRUTH).items() if name in some} for some in ("abc", "cd")
    )
    scores = kt.score(
        "instruments",
        of_one,
        {"s": vectors()},
        annotators={"other": of_other},
        measures=["scores/micro_mAP"],
    )
    keys = [
        ScoreKey("s", annotator, scores.measures[0], "gathered")
        for annotator in ("reference", "other", "all")
    ]
    sample = Sample(scores, keys, {scores.measures[0]: frozenset("abcd")})
    found = sample.item_scores(keys)
    assert [sample.units_behind(key, found[key], np.zeros(1)) for key in keys] == [3, 2, 4]


def test_classes_of_queries_and_of_several_annotators() -> None:
    topics = {
        f"t{number}": InstrumentList((f"d{number}", "d9"), query=True, closed=True) for number in range(4)
    }
    runs = {
        name: InstrumentList(("d9", f"d{number + number % 2}"), np.array([0.9, 0.5]), ranked=True, query=True)
        for number, name in enumerate(topics)
    }
    scores = kt.score("instruments", topics, {"s": runs}, protocols=["open-mic-task2"])
    measure = next(measure for measure in scores.measures if measure.name == "AP")
    low, high = intervals(scores, BootstrapSettings(resamples=DRAWS))[
        ScoreKey("s", "reference", measure, "gathered")
    ]
    # of the topics two find both documents, with AP 1, two only the first, with AP 1/2
    assert 0.5 <= low < 0.75 < high <= 1.0

    both = kt.score(
        "instruments", lists(TRUTH), {"s": lists(SAID)}, annotators={"other": lists(TRUTH)}, protocols="all"
    )
    macro = next(measure for measure in both.measures if measure.name == "macro_F")
    found = intervals(both, BootstrapSettings(resamples=DRAWS))
    assert (
        found[ScoreKey("s", "all", macro, "gathered")] == found[ScoreKey("s", "reference", macro, "gathered")]
    )


def test_items_that_do_not_count_make_no_classes() -> None:
    truth, said = lists(TRUTH), {name: found for name, found in lists(SAID).items() if name != "e"}
    some = {name: found for name, found in truth.items() if name != "e"}
    choices: dict[str, Any] = {"measures": ["open-mic-task1/macro_F"]}
    left_out = kt.score("instruments", truth, {"s": said}, missing="skip", **{"protocols": "all", **choices})
    there = kt.score("instruments", some, {"s": said}, **{"protocols": "all", **choices})
    assert dict(intervals(left_out, BootstrapSettings(resamples=DRAWS))) == dict(
        intervals(there, BootstrapSettings(resamples=DRAWS))
    )


# --- what cannot be ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"level": 1.0}, "between 0 and 1"),
        ({"method": "bayes"}, "unknown kind of interval"),
        ({"clusters": {"a": "x"}}, "7 of 8 items have no cluster, e.g. `b`"),
        ({"resamples": 0}, "at least one resample"),
        ({"seed": -1}, "a seed is 0 or more"),
    ],
)
def test_choices_that_are_refused(choices: dict[str, Any], message: str) -> None:
    scores = kt.score("chords", REFS, {"s": ESTS}, measures=MEASURES, ci=None)
    with pytest.raises(OptionError, match=message):
        intervals(scores, BootstrapSettings(**choices))
