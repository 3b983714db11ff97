# SPDX-License-Identifier: MIT
"""However a corpus is cut, what comes out is the same to the last byte."""

import random
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kammerton.errors import DataError, OptionError
from kammerton.model.corpus import Collection, Corpus
from kammerton.model.evidence import Evidence
from kammerton.model.registry import find_task
from kammerton.runs.layout import files_of, tables_of
from kammerton.scoring.evaluating import score_part
from kammerton.scoring.loading import ScoringJob
from kammerton.scoring.merging import EvidenceMerger
from kammerton.scoring.running import Execution, Shard, ShardPlan, score_corpus

Sources = dict[str, tuple[tuple[str | None, Any], ...]]

ITEMS = [f"{number:03}" for number in range(450)]
ONE, MANY = 5000, 200
"""Sizes that make one shard of them, and three."""


def order_of(task: str, **choices: Any) -> ScoringJob:
    found = find_task(task)
    wanted = {"measures": found.measures, "options": found.options()} | choices
    return ScoringJob(task=found, **wanted)


def collection(name: str, annotations: Mapping[str, Any], **more: Any) -> Collection:
    return Collection(name, {item: ((None, each),) for item, each in annotations.items()}, **more)


def parts(evidence: Evidence) -> tuple[Any, ...]:
    """Return all of it in a form that can be compared."""
    return tuple(map(str, evidence.measures)), files_of(evidence), tables_of(evidence), evidence.diagnostics


def scored(order: ScoringJob, corpus: Corpus) -> Evidence:
    """Score a corpus cut and uncut, and in another order of its items."""
    whole = score_corpus(order, corpus, Execution(size=ONE))
    backwards = Corpus(
        tuple(_backwards(each) for each in corpus.references),
        tuple(_backwards(each) for each in corpus.systems),
    )
    for size, each in ((MANY, corpus), (MANY, backwards)):
        for found, expected in zip(
            parts(score_corpus(order, each, Execution(size=size))), parts(whole), strict=True
        ):
            assert found == expected
    return whole


def refused(order: ScoringJob, corpus: Corpus) -> list[str]:
    """Return what ends the run, cut and uncut."""
    said = []
    for size in (ONE, MANY):
        with pytest.raises(DataError) as caught:
            score_corpus(order, corpus, Execution(size=size))
        said.append(caught.value.diagnostics)
    assert said[0] == said[1]
    return [each.code for each in said[0]]


def _backwards(each: Collection) -> Collection:
    return replace(each, sources=dict(list(each.sources.items())[::-1]))


def song(rng: random.Random, *, length: int = 12) -> Any:
    edges = np.cumsum([0, *(rng.uniform(0.1, 4.0) for _ in range(length))])
    labels = [rng.choice(["C", "G:7", "A:min", "N", "F:sus4", "B:dim/b3"]) for _ in range(length)]
    return np.column_stack([edges[:-1], edges[1:]]), labels


def songs(seed: int, *, error: str = "") -> dict[str, Any]:
    rng = random.Random(seed)
    return {item: song(rng) if item != error else (np.array([[1.0, 0.0]]), ["C"]) for item in ITEMS}


def test_chords_of_several_annotators_and_systems() -> None:
    lacking = {item: each for item, each in songs(4).items() if item not in ("003", "444")}
    corpus = Corpus(
        (collection("first", songs(1, error="449")), collection("second", songs(2))),
        (collection("A", songs(3, error="007")), collection("B", lacking), collection("C", songs(1))),
    )
    whole = scored(order_of("chords"), corpus)
    assert {row.status for row in whole.rows["pair"]} == {"ok", "missing", "failed"}
    assert {each.code for each in whole.diagnostics} >= {"KT203", "KT208", "KT210"}


def piece(rng: random.Random) -> Any:
    onsets = np.arange(16) / 4
    return SimpleNamespace(
        onsets=onsets,
        offsets=onsets + 0.25,
        pitches=np.arange(60, 76),
        fingers=np.array([rng.randint(1, 5) for _ in range(16)]),
    )


@pytest.mark.slow
def test_fingerings_of_which_an_item_tells_late_that_there_are_several_annotators() -> None:
    rng = random.Random(5)
    sources: Sources = {item: (("1", piece(rng)),) for item in ITEMS}
    sources["010"] = ((None, "no piece"),)  # fails for every annotator
    sources["440"] = (("1", piece(rng)), ("10", piece(rng)), ("9", piece(rng)))
    estimates = {item: piece(rng) for item in ITEMS}
    corpus = Corpus((Collection("people", sources),), (collection("A", estimates),))
    whole = scored(order_of("fingering"), corpus)
    assert [who for who, item in whole.fingerprints if item == "440"] == ["1", "9", "10"]
    failed = {row.annotator for row in whole.rows["pair"] if row.status == "failed"}
    assert failed == {"1", "9", "10"}


@pytest.mark.slow
def test_an_annotator_called_all_where_a_late_item_has_several() -> None:
    rng = random.Random(6)
    sources: Sources = {item: (("A", piece(rng)),) for item in ITEMS}
    sources["002"] = (("all", piece(rng)),)
    alone = Corpus((Collection("people", sources),), (collection("S", {i: piece(rng) for i in ITEMS}),))
    assert "KT202" not in {each.code for each in scored(order_of("fingering"), alone).diagnostics}
    crowd = {**sources, "449": (("A", piece(rng)), ("B", piece(rng)))}
    whole = scored(order_of("fingering"), replace(alone, references=(Collection("people", crowd),)))
    assert "KT202" in {each.code for each in whole.diagnostics}
    assert "KT202" in refused(
        order_of("fingering", strict=True), replace(alone, references=(Collection("people", crowd),))
    )


def lists(seed: int) -> dict[str, list[str]]:
    rng = random.Random(seed)
    names = ["flute", "violin", "piano", "drums", "voice"]
    return {item: rng.sample(names, rng.randint(1, 3)) for item in ITEMS}


def test_instruments_of_which_the_last_decides_what_can_be_measured() -> None:
    estimates: dict[str, Any] = dict(lists(2))
    plain = Corpus((collection("people", lists(1)),), (collection("A", estimates),))
    before = scored(order_of("instruments"), plain)
    estimates["449"] = {"flute": 0.9, "piano": 0.3}
    after = scored(order_of("instruments"), replace(plain, systems=(collection("A", estimates),)))
    assert set(before.measures) != set(after.measures)
    assert after.gathered is not None


def shards_of(plan: ShardPlan) -> list[Shard]:
    return [plan.shard(number) for number in range(plan.count)]


def test_parts_that_come_late_on_grounds_that_hold_no_more_are_scored_again() -> None:
    estimates = {**lists(2), "449": {"flute": 0.9, "piano": 0.3}}
    corpus = Corpus((collection("people", lists(1)),), (collection("A", estimates),))
    order, shards = order_of("instruments"), shards_of(ShardPlan(corpus, MANY))
    merger = EvidenceMerger(order, corpus)
    for number in (2, 0, 1):  # what the last of them tells was not known to the others
        merger.add(number, score_part(order, shards[number].corpus, shards[number].items))
    assert merger.stale() == [0, 1]
    for shard in shards[:2]:
        again = score_part(order, shard.corpus, shard.items, merger.survey, complete=True)
        merger.add(shard.number, again)
    assert merger.stale() == []
    assert parts(merger.evidence()) == parts(score_corpus(order, corpus, Execution(size=ONE)))


def test_a_late_error_ends_a_strict_run() -> None:
    corpus = Corpus((collection("people", songs(1)),), (collection("A", songs(2, error="440")),))
    assert "KT124" in refused(order_of("chords", strict=True), corpus)


def test_an_estimate_that_cannot_be_used_may_end_the_run() -> None:
    order = order_of("chords", missing="error")
    broken = Corpus((collection("people", songs(1)),), (collection("A", songs(2, error="440")),))
    assert "KT124" in refused(order, broken)
    lacking = {item: each for item, each in songs(2).items() if item != "440"}
    missing = Corpus((collection("people", songs(1)),), (collection("A", lacking),))
    assert "KT203" in refused(order, missing)


def test_nothing_to_score() -> None:
    corpus = Corpus((collection("people", songs(1)),), (collection("A", {"other": song(random.Random(1))}),))
    assert refused(order_of("chords"), corpus) == ["KT203", "KT204", "KT200"]


def test_an_annotator_that_there_is_not() -> None:
    corpus = Corpus((collection("people", songs(1)),), (collection("A", songs(2)),))
    with pytest.raises(OptionError, match="unknown annotator `person`") as caught:
        score_corpus(order_of("chords", annotator="person"), corpus, Execution(size=MANY))
    assert "people" in str(caught.value)


def test_one_annotator_of_two() -> None:
    corpus = Corpus(
        (collection("first", songs(1)), collection("second", songs(2))), (collection("A", songs(3)),)
    )
    whole = scored(order_of("chords", annotator="second"), corpus)
    assert {row.annotator for row in whole.rows["pair"]} == {"second"}


def test_a_plan_is_of_whole_blocks() -> None:
    corpus = Corpus((collection("people", dict.fromkeys(ITEMS)),), (collection("A", {"001": None}),))
    plan = ShardPlan(corpus, 201)
    assert [len(shard.items) for shard in shards_of(plan)] == [400, 50]
    assert [list(shard.corpus.systems[0].sources) for shard in shards_of(plan)] == [["001"], []]
    assert ShardPlan(Corpus((collection("people", {}),), (collection("A", {}),))).count == 1


@pytest.mark.parametrize("size", [0, -200, 1.5, True])
def test_a_shard_is_not_empty(size: Any) -> None:
    corpus = Corpus((collection("people", {}),), (collection("A", {}),))
    with pytest.raises(OptionError, match="a shard has one item or more"):
        ShardPlan(corpus, size)
