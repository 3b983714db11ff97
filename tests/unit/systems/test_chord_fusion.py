# SPDX-License-Identifier: MIT
"""Chords that are fused, against numbers worked out by hand and a plain implementation."""

import itertools
import os
import signal
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.chords.respelling import ROOTS
from kammerton.chords.templates import TETRADS, map_label
from kammerton.errors import OptionError
from kammerton.scoring import workers
from kammerton.systems.chord_fusion import FUSION, FusedChords
from kammerton.systems.fused import Choices
from unit.systems.plain_fusion import Rows, accuracies, fused_triads, triad_of, units, worth

A: Rows = [(0, 2, "C:maj"), (2, 4, "G:maj"), (4, 6, "N")]
B: Rows = [(0, 2.2, "C:maj"), (2.2, 4, "G:maj"), (4, 6, "N")]
C: Rows = [(0, 1.8, "C:maj/3"), (1.8, 4, "G:7"), (4, 5, "A:min")]


def source(rows: Rows) -> tuple[list[tuple[float, float]], list[str]]:
    return [(start, end) for start, end, _ in rows], [label for _, _, label in rows]


def fuse(*songs: Rows, **choices: Any) -> kt.Fusion:
    named = {f"s{number}": {"song": source(rows)} for number, rows in enumerate(songs)}
    return kt.fuse("chords", named, **choices)


def fused(*songs: Rows, **choices: Any) -> FusedChords:
    annotation: FusedChords = fuse(*songs, **choices).annotations["song"]
    return annotation


def rows_of(annotation: FusedChords) -> Rows:
    times = annotation.intervals.tolist()
    return [(start, end, label) for (start, end), label in zip(times, annotation.labels, strict=True)]


def test_worked_case() -> None:
    fusion = fuse(A, B, C, copies="keep")
    song = fusion.annotations["song"]
    assert rows_of(song) == [(0, 2, "C:maj"), (2, 4, "G:maj"), (4, 6, "N")]
    assert song.support == pytest.approx([29 / 30, 29 / 30, 5 / 6])
    assert fusion._made.weighing.accuracies == pytest.approx([0.990, 0.967, 0.760], abs=5e-4)
    # G:maj of A, G:7 of C half of what the row has; C:maj/3 for 1.8 of 2 s
    assert fusion.rows["label_support"].to_list() == pytest.approx([2 / 3, 0.6333333, 5 / 6])
    assert fusion.rows["dissent"].to_list() == ["C:maj/3 0.300", "G:7 0.333", "A:min 0.200"]
    assert fusion.rows["agreeing"].to_list() == [3, 3, 2]
    assert fusion.sources["agreement"].to_list() == pytest.approx([1.0, 5.8 / 6, 3.8 / 5])


@pytest.mark.parametrize(("first", "second"), [("F", "G"), ("G", "F")])
def test_a_tie_goes_to_the_first_source(first: str, second: str) -> None:
    one: Rows = [(0, 4, "C"), (4, 5, first), (5, 8, "C")]
    other: Rows = [(0, 4, "C"), (4, 5, second), (5, 8, "C")]
    song = fused(one, other)
    assert rows_of(song) == one
    assert song.support.tolist() == [1.0, 0.5, 1.0]


def random_song(rng: np.random.Generator, labels: Sequence[str], end: float) -> Rows:
    times = np.sort(rng.random(rng.integers(2, 9))) * end
    rows = []
    for start, stop in itertools.pairwise(times):
        if rng.random() < 0.9:
            rows.append((float(start), float(stop), str(rng.choice(labels))))
    return rows or [(0.0, float(times[-1]), "N")]


@pytest.mark.parametrize("seed", range(200))
def test_triads_are_those_of_a_plain_implementation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    number = int(rng.integers(2, 6))
    labels = ["C", "C:7", "C:maj/3", "A:min7", "F:maj7", "G", "Gb", "F#:7", "N", "X", "D:dim", "B:sus4"]
    pool = rng.choice(labels, int(rng.integers(2, 9)), replace=False).tolist()
    corpus = {str(k): [random_song(rng, pool, 20) for _ in range(number)] for k in range(rng.integers(1, 4))}
    named = {f"s{s}": {item: source(songs[s]) for item, songs in corpus.items()} for s in range(number)}
    fusion = kt.fuse("chords", named)
    votes = fusion._made.weighing.votes.tolist()
    expected = accuracies(corpus, votes)
    assert fusion._made.weighing.accuracies == pytest.approx(expected)
    weights = [vote * np.log(24 * a / (1 - a)) for vote, a in zip(votes, expected, strict=True)]
    shown = np.array(weights) * sum(votes) / sum(weights)
    assert fusion.sources["weight"].to_list() == pytest.approx(shown.tolist())
    for item, songs in corpus.items():
        rows = rows_of(fusion.annotations[item]) if item in fusion.annotations else []
        found = []
        for start, end, others in units(songs):
            middle = (start + end) / 2
            label = next((label for a, b, label in rows if a <= middle < b), None)
            found.append(triad_of(label))
            said = {triad_of(other) for other in others if other} - {None}
            assert (label is None) == (not any(others))
            assert found[-1] in said if len(said) == 1 else (found[-1] is None) == (not said)
        best = fused_triads(songs, weights, 0.1)  # of ways that are worth the same either may be taken
        assert worth(songs, found, weights, 0.1) == pytest.approx(worth(songs, best, weights, 0.1))


def test_what_nobody_can_name_is_unknown_and_what_nobody_labels_is_missing() -> None:
    one: Rows = [(0, 1, "C"), (1, 2, "X"), (5, 6, "C")]
    other: Rows = [(0, 1, "C"), (1, 3, "X"), (4, 5, "G"), (5, 6, "C")]
    fusion = fuse(one, other)
    song = fusion.annotations["song"]
    assert rows_of(song) == [(0, 1, "C"), (1, 3, "X"), (4, 5, "G"), (5, 6, "C")]
    assert np.isnan(song.support).tolist() == [False, True, False, False]
    assert fusion.rows["support"].to_list() == [1.0, None, 1.0, 1.0]
    assert (fusion.overall["unknown"], fusion.overall["missing"]) == (2.0, 1.0)


def test_sevenths_are_of_sources_that_write_such() -> None:
    plain: Rows = [(0, 700, "C"), (700, 1400, "G")]
    also_plain: Rows = [(0, 701, "C"), (701, 1400, "G")]
    rich: Rows = [(0, 702, "C:maj7"), (702, 1400, "G:7/3")]
    labels = {
        choice: fused(plain, also_plain, rich, details=choice, copies="keep").labels
        for choice in ("able", "all", "none")
    }
    assert labels == {"able": ("C:maj7", "G:7/3"), "all": ("C", "G"), "none": ("C", "G")}
    assert fuse(plain, also_plain, rich, copies="keep").sources["able_sevenths"].to_list() == [
        False,
        False,
        True,
    ]


def test_a_detail_is_carried_over_to_where_nobody_able_says_the_triad() -> None:
    one: Rows = [(0, 400, "C:7"), (400, 500, "F"), (500, 900, "G")]
    plain: Rows = [(0, 400, "C"), (400, 500, "F"), (500, 700, "C"), (700, 900, "G")]
    other: Rows = [(0, 399, "C"), (399, 500, "F"), (500, 701, "C"), (701, 900, "G")]
    assert fused(one, plain, other, copies="keep").labels == ("C:7", "F", "C:7", "G")


def test_low_support_is_unknown() -> None:
    one: Rows = [(0, 4, "C"), (4, 6, "F"), (6, 9, "C")]
    other: Rows = [(0, 4, "C"), (4, 6, "G"), (6, 9, "C")]
    assert rows_of(fused(one, other, least_support=0.6)) == [(0, 4, "C"), (4, 6, "X"), (6, 9, "C")]


def test_arrays_of_one_song_are_fused_as_songs_are() -> None:
    intervals, labels, support = kt.chords.fuse([*map(source, (A, B, C)), ([], [])], copies="keep")
    song = fused(A, B, C, copies="keep")
    assert (intervals.tolist(), labels) == (song.intervals.tolist(), song.labels)
    assert support == pytest.approx(song.support)
    *_, support = kt.chords.fuse([source(A), source(C)], method="vote", weights=[3, 1], copies="keep")
    assert support[0] == pytest.approx((1.8 + 0.2 * 0.75) / 2)  # both say C for 1.8 s, A alone for 0.2 s
    for sources, message in [
        ([source(A), ([(0, 1), (1, 2)], ["C"])], "source 2: KT114 2 intervals, but 1 labels"),
        ([([], [])], "not fused"),
        (3, "sources must be a list of pairs"),
    ]:
        with pytest.raises(kt.KammertonError, match=message):
            kt.chords.fuse(sources)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="there are 2 sources, and 1 weights"):
        kt.chords.fuse([source(A), source(B)], weights=[1])


def test_pick_takes_the_whole_song_from_the_source_that_agrees_most() -> None:
    odd: Rows = [(0, 6, "D")]
    assert rows_of(fused(C, A, odd, B, method="pick")) == A
    assert rows_of(fused([(0, 6, "E")], odd, method="pick")) == [(0, 6, "E")]


def test_random_takes_labels_of_sources_alike_for_a_seed() -> None:
    first = fused(A, B, C, method="random", seed=3)
    assert rows_of(first) == rows_of(fused(A, B, C, method="random", seed=3))
    seconds = np.zeros(2)
    for seed in range(200):
        song = fused([(0, 1, "C")], [(0, 1, "D")], method="random", seed=seed)
        seconds["CD".index(song.labels[0])] += 1
    assert 70 < seconds[0] < 130


def test_vote_counts_all_alike() -> None:
    """Where the first two, which agree for long, contradict two that agree with nobody but here."""
    songs: list[Rows] = [
        [(0, 100, "C"), (100, 101, "D"), (101, 102, "E")],
        [(0, 100, "C"), (100, 101, "D"), (101, 102, "Bb")],
        [(0, 100, "G"), (100, 101, "D"), (101, 102, "F")],
        [(0, 50, "A"), (50, 100, "B"), (100, 101, "D"), (101, 102, "F")],
    ]
    assert rows_of(fused(*songs, method="vote", copies="keep"))[-1] == (101, 102, "F")
    assert rows_of(fused(*songs, copies="keep"))[-1] == (101, 102, "E")


def choices_of(fusion: kt.Fusion) -> str:
    """Return the signature without the digest of the data."""
    return fusion.signature.rpartition("|data:")[0]


def test_the_signature_names_every_choice_that_can_change_the_result() -> None:
    plain = "fused:agreement,able,one,0.1|sources:s0,s1,s2"
    assert choices_of(fuse(A, B, C)) == plain
    chosen = fuse(A, B, C, accuracy="item", least_support=0.5, min_sources=2, weights={"s1": 3})
    assert choices_of(chosen) == f"{plain}|accuracy:item|least_support:0.5|min_sources:2|weights:s1=3"
    assert choices_of(fuse(A, B, C, seed=4)) == plain  # which only random uses
    assert choices_of(fuse(A, B, C, method="random", seed=4)).endswith("|seed:4")


def test_the_signature_names_the_data() -> None:
    def data(*songs: Rows) -> str:
        return fuse(*songs).signature.rpartition("|data:")[2]

    assert data(A, B, C) == data(A, B, C)
    assert len({data(A, B, C), data(A, B, B), data(A, B, [*C[:2], (4, 5, "A:min7")])}) == 3


def test_a_fusion_without_a_source_is_one_of_the_others() -> None:
    whole = fuse(A, B, C, weights={"s0": 2, "s2": 0.5})
    rest = whole.without("s0")
    assert choices_of(rest) == "fused:agreement,able,one,0.1|sources:s1,s2|weights:s2=0.5"
    assert rows_of(rest.annotations["song"]) == rows_of(fused(B, C, weights={"s1": 0.5}))
    with pytest.raises(OptionError, match="s4"):
        whole.without("s4")


def test_weight_of_zero_leaves_a_source_out_of_votes() -> None:
    fusion = fuse([(0, 4, "C")], [(0, 4, "D")], [(0, 4, "D"), (4, 5, "E")], weights={"s1": 0, "s2": 0})
    assert rows_of(fusion.annotations["song"]) == [(0, 4, "C")]
    assert fusion.sources["agreement"].to_list() == [1.0, 0.0, 0.0]


def test_labels_keep_the_spelling_that_most_votes_have() -> None:
    songs: list[Rows] = [[(0, 4, "Db:9")], [(0, 3, "C#:7"), (3, 4, "Db:7")], [(0, 2, "C#:9"), (2, 4, "Gb")]]
    assert fused(*songs, copies="keep").labels == ("Db:9",)


def test_of_equal_spellings_the_earlier_is_written_whichever_was_read_first() -> None:
    fuse([(0, 1, "E#:9"), (1, 2, "E#:9(13)")])
    assert fused([(0, 1, "E#:7"), (1, 2, "E#:9"), (2, 3, "E#:9(13)")]).labels == ("E#:7",)


@pytest.mark.slow
def test_the_result_is_the_same_by_any_number_of_processes() -> None:
    rng = np.random.default_rng(3)
    labels = ["C", "C:7", "C:9", "C:maj/3", "A:min7", "F:maj7", "Gb", "F#:7", "N", "X"]
    songs = {str(item): [source(random_song(rng, labels, 20)) for _ in range(3)] for item in range(70)}
    named = {f"s{number}": {item: own[number] for item, own in songs.items()} for number in range(3)}
    alone, together = kt.fuse("chords", named), kt.fuse("chords", named, jobs=2)
    assert together.rows.write_csv() == alone.rows.write_csv()
    assert together.to_dict() == alone.to_dict()
    assert together.without("s0").to_dict() == alone.without("s0").to_dict()


@pytest.mark.slow
def test_what_a_lost_process_had_is_fused_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_pickled", killed)
    named = {f"s{number}": {str(item): source(A) for item in range(70)} for number in range(2)}
    assert len(kt.fuse("chords", named, jobs=2).annotations) == 70


def killed(*_: object) -> bytes:
    """End the process that this runs in."""
    os.kill(os.getpid(), signal.SIGKILL)
    return b""


def test_a_chord_that_nobody_wrote_so() -> None:
    songs: list[Rows] = [
        [(0, 4, "Db:7"), (4, 5, "N")],
        [(0, 4, "Db:7"), (4, 5.1, "N")],
        [(0, 4, "Db/3"), (4, 5.2, "N")],
        [(0, 4, "C#/3"), (4, 5.3, "N")],
        [(0, 4, "Db:maj7/3"), (4, 5.4, "N")],
    ]
    # sevenths: 7 twice, none twice, maj7 once; of equal ones the first source's; bass: 3 of 5
    assert fused(*songs, copies="keep").labels[0] == "Db:7/3"


@pytest.mark.parametrize("tetrad", TETRADS)
def test_every_tetrad_can_be_written(tetrad: str) -> None:
    from kammerton.systems.chord_fusion import _new_label  # noqa: PLC0415 - the branch is rare

    label = _new_label(1, tetrad, -1, {})
    assert label.startswith(ROOTS[1])
    assert map_label(label).tetrad == tetrad


def test_accuracy_of_each_item() -> None:
    fusion = fuse(A, B, C, accuracy="item", copies="keep")
    assert fusion._made.weighing.accuracies is None
    assert rows_of(fusion.annotations["song"]) == [(0, 2, "C:maj"), (2, 4, "G:maj"), (4, 6, "N")]


def test_fused_chords_survive_pickling() -> None:
    import pickle  # noqa: PLC0415

    song = fused(A, B, C)
    again = pickle.loads(pickle.dumps(song))
    assert again.labels == song.labels
    assert again.support.tolist() == song.support.tolist()


def test_survey_of_nothing_weighs_alike() -> None:
    choices = Choices(
        method="agreement",
        details="able",
        accuracy="corpus",
        copies="one",
        change_cost=0.1,
        least_support=0.0,
        seed=0,
        factors=np.ones(2),
    )
    survey = FUSION.survey([None, None], choices)
    assert FUSION.weigh(survey, choices).able.all()
