# SPDX-License-Identifier: MIT
"""What systems stand between, by hand: baselines, systems against all annotators but one, the ceiling."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from cases.chords import song
from kammerton.fingering import Fingering
from kammerton.instruments import InstrumentList, InstrumentOptions
from kammerton.model.measure import Measure
from kammerton.model.registry import find_task
from kammerton.results.context import Context, ContextScore, Role
from kammerton.statistics import sample as sampling
from kammerton.statistics.intervals import bca, expanded
from kammerton.statistics.resampling import Resampling
from tabled_scores import context_of

MAJMIN = "mirex2013/MajMin"


def only(scores: kt.Scores, address: str, role: Role, name: str = "") -> ContextScore:
    """Return the one figure of a measure in a role."""
    (row,) = (each for each in rows(scores, address, role) if name in ("", each.name))
    return row


def values(scores: kt.Scores, address: str, role: Role) -> dict[str, float]:
    return {row.name: row.value for row in rows(scores, address, role)}


def rows(scores: kt.Scores, address: str, role: Role) -> tuple[ContextScore, ...]:
    (measure,) = (each for each in scores.measures if str(each) == address)
    found: Context = context_of(scores)
    return found.of(measure, role)


def by(annotators: Sequence[Mapping[str, Any]], task: Any, systems: Any, **choices: Any) -> kt.Scores:
    named = dict(zip("ABCDE", annotators, strict=False))
    return kt.score(
        task, None, systems, annotators=named, context=True, **{"protocols": "all", **{"ci": None} | choices}
    )


# --- pooled ------------------------------------------------------------------------------------
# x, 10 s. Pairs in seconds: A and B agree for 5, A and C for 0, B and C for 5; the system is A's.
# y, 10 s. A and B agree for 8; the system agrees with A for 0, with B for 2. C has no y.

A = {"x": song((0, 10, "C")), "y": song((0, 10, "C")), "z": song((0, 10, "C"))}
B = {"x": song((0, 5, "C"), (5, 10, "G")), "y": song((0, 8, "C"), (8, 10, "G"))}
C = {"x": song((0, 10, "G"))}
SYSTEM = {"x": song((0, 10, "C")), "y": song((0, 10, "G")), "z": song((0, 10, "C"))}


def of_songs(**choices: Any) -> kt.Scores:
    return by([A, B, C], "chords", {"s": SYSTEM}, measures=[MAJMIN, "mirex2013/MeanSeg"], **choices)


def test_pooled_figures_sum_the_sets_of_an_item() -> None:
    scores = of_songs()
    ceiling = only(scores, MAJMIN, "annotators")
    # x: without A 5 + 0 of 20 s, without B 5 + 5, without C 0 + 5; y: 8 of 10 s twice
    assert ceiling.value == pytest.approx((5 + 10 + 5 + 8 + 8) / (60 + 20))
    assert (ceiling.items, ceiling.undefined, ceiling.annotator) == (2, 0, "others")
    # x: without A 5 + 0, without B 10 + 0, without C 10 + 5; y: without A 2, without B 0
    system = only(scores, MAJMIN, "others")
    assert system.value == pytest.approx((5 + 10 + 15 + 2 + 0) / (60 + 20))
    assert system.share == pytest.approx(32 / 36)
    # against all annotators: x 10 + 5 + 0 of 30 s, y 0 + 2 of 20, z 10 of 10
    assert only(scores, MAJMIN, "system").value == pytest.approx(27 / 60)


def test_items_with_one_annotator_are_out_and_counted() -> None:
    found: Context = context_of(of_songs())
    assert (found.items, found.single) == (2, 1)


def test_intervals_draw_items_with_all_their_sets() -> None:
    found = of_songs(ci=0.95)
    ceiling, system = only(found, MAJMIN, "annotators"), only(found, MAJMIN, "others")
    # a quarter of the draws is x twice, a quarter y twice
    assert (ceiling.low, ceiling.high) == pytest.approx((20 / 60, 16 / 20))
    assert (system.low, system.high) == pytest.approx((2 / 20, 30 / 60))
    assert (system.share_low, system.share_high) == pytest.approx((2 / 16, 30 / 20))


def test_shares_have_corrected_intervals_too() -> None:
    names = "abcdef"
    # seconds of C that the second annotator and the system have; the first has it throughout
    people, own = np.array([9.0, 8, 9, 4, 10, 7]), np.array([3.0, 8, 2, 1, 5, 6])
    first = {name: song((0, 10, "C")) for name in names}
    second = {name: song((0, till, "C"), (till, 11, "X")) for name, till in zip(names, people, strict=True)}
    said = {name: song((0, till, "C")) for name, till in zip(names, own, strict=True)}
    scores = by([first, second], "chords", {"s": said}, measures=[MAJMIN], interval="bca", ci=0.95)
    # both quotients are of the same scored seconds, which cancel out
    ceilings, systems = 2 * people, own + np.minimum(own, people)
    draws = Resampling(6, 10_000, 0)
    drawn = np.concatenate([draws.block(start) for start in draws.starts]).astype(float)
    out = 1 - np.eye(6)
    expected = bca(
        systems.sum() / ceilings.sum(),
        (drawn @ systems) / (drawn @ ceilings),
        (out @ systems) / (out @ ceilings),
        expanded(0.95, 6),
    )
    row = only(scores, MAJMIN, "others")
    assert row.share == pytest.approx(systems.sum() / ceilings.sum())
    assert (row.share_low, row.share_high) == pytest.approx(expected)


def test_no_intervals_unless_they_are_wanted() -> None:
    found: Context = context_of(of_songs())
    for row in found.rows:
        assert all(map(math.isnan, (row.low, row.high, row.share_low, row.share_high)))
        assert math.isnan(row.share) == (row.role != "others")


def test_clusters_are_drawn_whole() -> None:
    scores = of_songs(clusters=dict.fromkeys("xyz", "album"), ci=0.95)
    assert math.isnan(only(scores, MAJMIN, "annotators").low)
    assert math.isnan(only(scores, MAJMIN, "others").share_low)


# --- means, and measures of all references at once ----------------------------------------------


def piece(*fingers: int) -> Fingering:
    times = np.arange(len(fingers), dtype=float)
    notes = np.full(len(fingers), 60), np.zeros(len(fingers), dtype=np.int64)
    return Fingering(times, times + 1, *notes, tuple(map(str, fingers)))


FIRST = {"p": piece(1, 2, 3, 4), "q": piece(1, 1)}
SECOND = {"p": piece(1, 2, 3, 5), "q": piece(1, 2)}
THIRD = {"p": piece(1, 1, 1, 1)}
PLAYED = {"p": piece(1, 2, 3, 4), "q": piece(2, 2)}


def of_pieces() -> kt.Scores:
    return by([FIRST, SECOND, THIRD], "fingering", {"s": PLAYED})


def test_means_average_within_an_item_first() -> None:
    # p: the first agrees with the others for 3/4 and 1/4 of the notes, so does the second; the third with
    # both for 1/4. q: 1/2
    ceiling = only(of_pieces(), "nakamura2020/M_gen", "annotators")
    people = (1 / 2 + 1 / 2 + 1 / 4) / 3
    assert ceiling.value == pytest.approx((people + 1 / 2) / 2)
    # p: the system is the first: against B, C it has 3/4 and 1/4; A, C 1 and 1/4; A, B 1 and 3/4.
    # q: against B 1/2, against A 0
    system = only(of_pieces(), "nakamura2020/M_gen", "others")
    own = (1 / 2 + 5 / 8 + 7 / 8) / 3
    assert system.value == pytest.approx((own + 1 / 4) / 2)
    assert system.share == pytest.approx((own + 1 / 4) / (people + 1 / 2))


def test_measures_of_all_references_get_all_but_one() -> None:
    # the best match: p: 3/4, 3/4, 1/4 for people; 3/4, 1, 1 for the system
    ceiling = only(of_pieces(), "nakamura2020/M_high", "annotators")
    assert ceiling.value == pytest.approx(((3 / 4 + 3 / 4 + 1 / 4) / 3 + 1 / 2) / 2)
    system = only(of_pieces(), "nakamura2020/M_high", "others")
    assert system.value == pytest.approx(((3 / 4 + 1 + 1) / 3 + 1 / 4) / 2)


def test_measures_that_are_better_if_lower_have_no_share() -> None:
    scores = of_pieces()
    address = "pianovam/IFR"
    ceiling, system = only(scores, address, "annotators"), only(scores, address, "others")
    # of the steps of one finger on one key none is impossible, nor are they between neighbours
    assert not math.isnan(ceiling.value)
    assert not math.isnan(system.value)
    assert math.isnan(system.share)


def test_measures_of_annotators_alone_are_out() -> None:
    scores = of_pieces()
    assert any(measure.needs == "annotators" for measure in scores.measures)
    found: Context = context_of(scores)
    assert not any(row.measure.needs == "annotators" for row in found.rows)


def test_numbers_of_annotators_need_not_be_persons() -> None:
    swapped = by(
        [{"p": FIRST["p"], "q": SECOND["q"]}, {"p": THIRD["p"], "q": FIRST["q"]}, {"p": SECOND["p"]}],
        "fingering",
        {"s": PLAYED},
    )
    for one, other in zip(context_of(of_pieces()).rows, context_of(swapped).rows, strict=True):
        assert (one.measure, one.role, one.name) == (other.measure, other.role, other.name)
        if str(one.measure) == "pianovam/Accuracy":  # is of the first annotator alone
            continue
        assert one.value == pytest.approx(other.value, abs=1e-12, nan_ok=True)
        assert one.share == pytest.approx(other.share, abs=1e-12, nan_ok=True)


# --- measures over classes -----------------------------------------------------------------------


def lists(**labels: str) -> dict[str, InstrumentList]:
    return {item: InstrumentList(tuple(text.split())) for item, text in labels.items()}


def test_classes_are_made_against_each_set() -> None:
    one, other = lists(a="piano", b="voice"), lists(a="piano voice", b="voice")
    options = InstrumentOptions(taxonomy="openmic-2018", min_support=1)
    address = "open-mic-task1/macro_F"
    scores = by(
        [one, other],
        "instruments",
        {"s": lists(a="voice", b="voice")},
        measures=[address],
        options=options,
        ci=0.95,
        resamples=50,
    )
    # one against the other: piano F 1; voice found in b, not in a: F 2/3. The other against one likewise
    assert only(scores, address, "annotators").value == pytest.approx(5 / 6)
    # against the other: piano F 0, voice 1; against the one: piano 0, voice right in b, wrong in a: 2/3
    system = only(scores, address, "others")
    assert system.value == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert system.share == pytest.approx(1 / 2)
    assert (system.items, system.role) == (2, "others")
    # of the two instruments one may be drawn twice: F of piano is 1, and that of voice 2/3, against each
    ceiling = only(scores, address, "annotators")
    assert (ceiling.low, ceiling.high) == pytest.approx((2 / 3, 1))
    # the system has F 0 for piano; for voice 1 and 2/3: instruments are drawn for both sides of the share
    assert (system.low, system.high) == pytest.approx((0, (1 + 2 / 3) / 2))
    assert (system.share_low, system.share_high) == pytest.approx((0, (1 + 2 / 3) / 2 / (2 / 3)))
    # everything: piano right in a, wrong in b: F 2/3 against each; voice F 2/3 and 1
    everything = only(scores, address, "baseline", "everything")
    assert everything.value == pytest.approx(((2 / 3 + 2 / 3) / 2 + (2 / 3 + 1) / 2) / 2)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_shares_are_of_the_same_classes_on_both_sides(method: str) -> None:
    """Annotators agree on piano and voice; the system lists guitar too, which is no class of theirs."""
    people = lists(a="piano", b="voice")
    address = "open-mic-task1/macro_F"
    scores = by(
        [people, people],
        "instruments",
        {"s": lists(a="piano guitar", b="voice")},
        measures=[address],
        ci=0.95,
        resamples=300,
        interval=method,
    )
    system = only(scores, address, "others")
    assert (system.value, system.share) == pytest.approx((2 / 3, 2 / 3))
    # guitar is drawn for the annotators too: three times it leaves them without a figure, and no share is 0
    assert (system.low, system.high) == pytest.approx((0, 1))
    assert (system.share_low, system.share_high) == pytest.approx((1 / 3, 1))


def test_shares_have_as_many_draws_as_the_figure_with_the_fewest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Measure, "resamples_classes", False)  # of what is made anew there are fewer
    monkeypatch.setattr(sampling, "_FEWEST", 5)
    monkeypatch.setattr(sampling, "_DRAWN_ROWS", 100_000)
    people = {str(number): InstrumentList(("piano",) if number % 2 else ("voice",)) for number in range(8)}
    options = InstrumentOptions(taxonomy="openmic-2018", min_support=1)
    address = "open-mic-task1/macro_F"
    scores = by(
        [people, people],
        "instruments",
        dict.fromkeys("abc", people),
        measures=[address],
        options=options,
        ci=0.95,
    )
    # 100,000 / (3 * 1,800 and some rows of classes); annotators alone would have three times as many
    assert context_of(scores).fewest_resamples == 18
    assert {(row.share_low, row.share_high) for row in rows(scores, address, "others")} == {(1, 1)}


# --- baselines --------------------------------------------------------------------------------------


def test_floors_are_scored_as_systems_are() -> None:
    scores = of_songs()
    # C lasts 10 + 5 + 10 + 8 + 10 = 43 s of 60, most; of x alone 15 of 30, as G does: the first by name
    assert values(scores, MAJMIN, "baseline") == {
        "all N": 0.0,
        "commonest triad": pytest.approx(43 / 60),
        "best triad of each song": pytest.approx((15 + 18 + 10) / 60),
    }
    assert {row.annotator for row in rows(scores, MAJMIN, "baseline")} == {"all"}
    assert {row.items for row in rows(scores, MAJMIN, "baseline")} == {3}


def test_floors_need_no_system() -> None:
    other = by([A, B, C], "chords", {"other": {"x": SYSTEM["y"]}}, measures=[MAJMIN])
    assert values(other, MAJMIN, "baseline") == values(of_songs(), MAJMIN, "baseline")


def test_queries_have_no_floor() -> None:
    topics = {"t": InstrumentList(("d1",), query=True, closed=True)}
    found = {"t": InstrumentList(("d1", "d2"), np.array([0.9, 0.5]), ranked=True, query=True)}
    scores = by([topics, topics], "instruments", {"s": found}, protocols=["open-mic-task2"])
    assert {row.role for row in context_of(scores).rows} == {"system", "others", "annotators"}


def test_a_task_may_have_no_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "kammerton.api.scoring.find_task", lambda name: replace(find_task(name), baselines=None)
    )
    assert {row.role for row in context_of(of_songs()).rows} == {"system", "others", "annotators"}


# --- who is there --------------------------------------------------------------------------------


def test_one_annotator_has_no_ceiling() -> None:
    scores = kt.score("chords", A, {"s": SYSTEM}, measures=[MAJMIN], context=True)
    found: Context = context_of(scores)
    assert (found.items, found.single) == (0, 3)
    assert {row.role for row in found.rows} == {"baseline", "system"}


def test_no_context_unless_it_is_wanted() -> None:
    scores = kt.score("chords", A, {"s": SYSTEM}, measures=[MAJMIN])
    assert scores.context is None
    assert "context" not in scores.to_dict()


def test_items_that_a_system_skips_are_out_of_its_yardstick() -> None:
    some = {name: each for name, each in SYSTEM.items() if name != "y"}
    scores = by([A, B, C], "chords", {"s": some}, measures=[MAJMIN], missing="skip")
    assert only(scores, MAJMIN, "annotators").value == pytest.approx(20 / 60)
    assert only(scores, MAJMIN, "others").value == pytest.approx(30 / 60)
    worst = by([A, B, C], "chords", {"s": some}, measures=[MAJMIN])
    assert only(worst, MAJMIN, "annotators").value == pytest.approx(36 / 80)
    assert only(worst, MAJMIN, "others").value == pytest.approx(30 / 80)


# eight songs of 4 s, two of them of C and six of G, which is the commonest triad
EIGHT = {name: song((0, 4, "C" if name in "ab" else "G")) for name in "abcdefgh"}


def eight(*systems: str, **choices: Any) -> kt.Scores:
    """Return the scores of systems that are right for the songs that they have."""
    named = {f"s{len(names)}": {name: EIGHT[name] for name in names} for names in systems}
    made = {"measures": [MAJMIN], "missing": "skip", "ci": None, "context": True} | choices
    return kt.score("chords", EIGHT, named, **{"protocols": "all", **made})


@pytest.mark.parametrize("ci", [None, 0.95])
def test_floors_are_of_the_items_that_the_system_has(ci: float | None) -> None:
    scores = eight("ab", ci=ci)
    floor = only(scores, MAJMIN, "baseline", "commonest triad")
    assert (floor.value, floor.items) == (0, 2)  # of all eight, .75
    assert only(scores, MAJMIN, "system").items == 2
    assert (context_of(scores).shared, context_of(scores).left_out) == (2, 6)
    assert math.isnan(floor.low) == (ci is None)
    whole = eight("ab", missing="worst", ci=ci)
    floor = only(whole, MAJMIN, "baseline", "commonest triad")
    assert (floor.value, floor.items) == (0.75, 8)
    assert (context_of(whole).shared, context_of(whole).left_out) == (8, 0)


@pytest.mark.parametrize("ci", [None, 0.95])
def test_floors_and_systems_are_of_the_items_that_all_systems_have(ci: float | None) -> None:
    scores = eight("abcdefgh", "abcdefg", "a", ci=ci)
    floor = only(scores, MAJMIN, "baseline", "commonest triad")
    assert floor.value == pytest.approx(5 / 7)
    assert floor.items == 7
    # s1 has too few items in common with any other, and takes nothing from them
    counts = {row.name: row.items for row in rows(scores, MAJMIN, "system")}
    assert counts == {"s8": 7, "s7": 7, "s1": 1}
    assert (context_of(scores).shared, context_of(scores).left_out) == (7, 1)
    assert context_of(scores).to_dict()["shared"] == 7
    ends = {row.name: row.low for row in rows(scores, MAJMIN, "system") if not math.isnan(row.low)}
    assert ends == ({} if ci is None else {"s8": 1, "s7": 1})


def test_a_system_with_one_item_takes_no_ceiling_from_the_others() -> None:
    second = {name: song((0, 2, "C"), (2, 4, "G")) for name in EIGHT}
    scores = eight("abcdefgh", "abcdefg", "a", annotators={"second": second})
    assert only(scores, MAJMIN, "annotators").items == 7
    counts = {row.name: row.items for row in rows(scores, MAJMIN, "others")}
    assert counts == {"s8": 7, "s7": 7, "s1": 1}


def test_nothing_in_common_is_no_ceiling() -> None:
    scores = by([A, B, C], "chords", {"s": {"z": SYSTEM["z"]}}, measures=[MAJMIN], missing="skip")
    assert {row.role for row in context_of(scores).rows} == {"baseline", "system"}


def test_a_ceiling_of_nothing_makes_no_share() -> None:
    apart = [{"x": song((0, 10, "C"))}, {"x": song((0, 10, "G"))}]
    system = only(by(apart, "chords", {"s": apart[0]}, measures=[MAJMIN]), MAJMIN, "others")
    assert system.value == 0.5
    assert math.isnan(system.share)


def test_undefined_figures_stay_so() -> None:
    nothing = {"x": song((0, 10, "X"))}
    row = only(by([nothing, nothing], "chords", {"s": nothing}, measures=[MAJMIN]), MAJMIN, "annotators")
    assert math.isnan(row.value)
    assert (row.items, row.undefined) == (1, 1)


def test_the_order_of_items_does_not_show() -> None:
    turned = [dict(reversed(songs.items())) for songs in (A, B, C)]
    again = by(turned, "chords", {"s": dict(reversed(SYSTEM.items()))}, measures=[MAJMIN], ci=0.95)
    rows = [row for row in context_of(of_songs(ci=0.95)).rows if str(row.measure) == MAJMIN]
    assert list(map(repr, context_of(again).rows)) == list(map(repr, rows))


# --- as tables -----------------------------------------------------------------------------------


def test_the_table_has_all_of_it() -> None:
    scores = of_songs()
    table = context_of(scores).table
    assert table.columns == [
        *("protocol", "measure", "aggregate", "role", "name", "annotator", "value", "low", "high", "items"),
        *("undefined", "share", "share_low", "share_high", "signature"),
    ]
    assert table.height == len(context_of(scores).rows) == 2 * (3 + 1 + 1 + 1)
    first = table.row(0, named=True)
    assert (first["protocol"], first["measure"], first["aggregate"]) == ("mirex2013", "MajMin", "pooled")
    assert first["share"] is None
    assert first["signature"] == scores.signatures("all")[scores.measures[0]]
    assert scores.to_dict()["context"]["rows"] == table.to_dicts()
    assert scores.to_dict()["context"]["single"] == 1


# --- the oracle --------------------------------------------------------------------------------


def test_the_oracle_has_what_any_system_has_right() -> None:
    truth = {"x": song((0, 4, "C"), (4, 10, "G:min7")), "y": song((0, 5, "F"))}
    systems = {
        # right for 2 s, and for 3 s but for its seventh
        "s": {"x": song((0, 2, "C"), (2, 7, "D"), (7, 10, "G:min")), "y": song((0, 5, "A"))},
        # right for 1 s of C, for 2 s of G:min7, and for 4 s of F; ends before the references
        "t": {"x": song((1, 3, "C"), (6, 8, "G:min7")), "y": song((0, 4, "F"))},
    }
    scores = by([truth], "chords", systems, measures=[MAJMIN, "mirex2013/Sevenths"], oracle=True)
    # x: C 0 to 3, G:min or G:min7 6 to 10; y: F 0 to 4
    assert only(scores, MAJMIN, "oracle").value == pytest.approx((3 + 4 + 4) / 15)
    # the nearest label is taken: 6 to 8 the tetrad, 8 to 10 the triad, which is no seventh
    assert only(scores, "mirex2013/Sevenths", "oracle").value == pytest.approx((3 + 2 + 4) / 15)
    assert "oracle" not in values(scores, MAJMIN, "baseline")
    assert "\noracle " in repr(scores)


def test_the_oracle_of_fingerings_and_instruments_is_right_where_one_system_is() -> None:
    notes = np.arange(4.0), np.arange(4.0) + 1, np.arange(60, 64), np.zeros(4, dtype=np.int64)
    pieces = [{"p": Fingering(*notes, tuple(labels))} for labels in ("1234", "1151", "5535")]
    fingers = by(
        pieces[:1], "fingering", {"s": pieces[1], "t": pieces[2]}, measures=["pianovam/Accuracy"], oracle=True
    )
    assert only(fingers, "pianovam/Accuracy", "oracle").value == pytest.approx(2 / 4)  # notes 1 and 3
    lists = [{"r": labels} for labels in (["piano", "voice", "flute"], ["piano", "drums"], ["voice"])]
    found = by(
        lists[:1], "instruments", {"s": lists[1], "t": lists[2]}, measures=["open-mic-task1/R"], oracle=True
    )
    assert only(found, "open-mic-task1/R", "oracle").value == pytest.approx(2 / 3)


def test_there_is_no_oracle_of_one_system() -> None:
    assert rows(of_songs(), MAJMIN, "oracle") == ()
    with pytest.raises(kt.OptionError, match="an oracle is of two systems or more"):
        of_songs(oracle=True)
