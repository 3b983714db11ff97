# SPDX-License-Identifier: MIT
"""Measures over classes, what items count in a mean, files of many items: on a small task of words.

An annotation is a tuple of words. ``words/recall`` is the share of the reference's words that the estimate
has; an item without words counts 0. ``words/by_word`` is, for each word, the share of items that have it in
the reference and are found; its corpus figure is the mean over words.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.api import checking
from kammerton.api import scoring as api
from kammerton.arrays import ratio
from kammerton.errors import DataError, Diagnostic
from kammerton.model.measure import Card, Gathered, Measure, Protocol, Statistics, Values, join, name_items
from kammerton.model.task import Case, Evaluation, ItemReadings, Reading, Task

Words = tuple[str, ...]

WORDS: Any = "words"
"""The task that is registered for these tests."""


class Share:
    statistics = ("part", "whole")

    def finalise(self, statistics: Statistics, /) -> Values:
        part, whole = statistics.T
        return ratio(part, whole)

    def weight(self, statistics: Statistics, /) -> Values:
        return statistics[:, 1]

    def worst(self, statistics: Statistics, /) -> Statistics:
        return statistics * [0, 1]


class CountedShare(Share):
    def counted(self, statistics: Statistics, /) -> Values:
        return np.nan_to_num(self.finalise(statistics))


CARD = Card(summary="s", equation="e", undefined_when="there are no words", source="s", agrees_with="a")
RECALL = Measure(protocol="words", name="recall", formula=CountedShare(), aggregate="mean", card=CARD)
BY_WORD = Measure(
    protocol="words", name="by_word", formula=Share(), aggregate="gathered", weight_unit="words", card=CARD
)


@dataclass(frozen=True, kw_only=True)
class Options:
    deaf_to: str = ""


def evaluate(cases: Sequence[Case[Words]], measures: Sequence[Measure], options: Options) -> Evaluation:
    counts, rows = [], []
    for number, case in enumerate(cases):
        reference, estimate = case.pair
        counts.append((len(set(reference) & set(estimate)), len(reference)))
        rows += [(number, word, float(word in estimate)) for word in reference if word != options.deaf_to]
    words = tuple({word: None for _, word, _ in rows})
    gathered = Gathered(
        columns=("found",),
        cases=np.array([number for number, _, _ in rows], dtype=np.int64),
        classes=words,
        codes=np.array([words.index(word) for _, word, _ in rows], dtype=np.int64),
        units=(),
        unit_codes=np.full(len(rows), -1),
        values=np.array([[found] for _, _, found in rows]).reshape(-1, 1),
    )
    return Evaluation({RECALL: np.array(counts, dtype=float).reshape(-1, 2)}, gathered=gathered)


def gather(
    gathered: Gathered, measures: Sequence[Measure], options: Options
) -> tuple[tuple[str, ...], Mapping[Measure, Statistics]]:
    used = np.unique(gathered.codes)
    statistics = [
        (gathered.values[gathered.codes == code].sum(), (gathered.codes == code).sum()) for code in used
    ]
    names = tuple(gathered.classes[code] for code in used)
    return names, dict.fromkeys(measures, np.array(statistics, dtype=float).reshape(-1, 2))


def read(path: Any, name: str, options: Options) -> Reading[Words]:
    words = tuple(Path(path).read_text(encoding="utf-8").split())
    if "?" in words:
        said = Diagnostic(code="KT999", severity="error", message="a question", file=name)
        return Reading((), (said,))
    return Reading(((None, words),))


def unfold(path: Path, name: str, options: Options) -> ItemReadings[Words] | None:
    if path.suffix != ".sheet":
        return None
    items: dict[str, tuple[tuple[str | None, Words], ...]] = {}
    broken = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        item, _, words = line.partition(" ")
        if words == "?":
            broken[item] = "KT999 a question"
        else:
            items[item] = ((None, tuple(words.split())),)
    said = Diagnostic(code="KT999", severity="error", message="a question", file=name)
    return ItemReadings(items, broken, (said,) if broken else ())


TASK = Task(
    name="words",
    summary="Words.",
    protocols=(Protocol(name="words", revision=1, summary="s", rules="r", measures=(RECALL, BY_WORD)),),
    suffixes=frozenset((".txt", ".sheet")),
    options=Options,
    read=read,
    adopt=lambda value, name, options: Reading(((None, value),)),
    blank=lambda reference: (),
    content=lambda words: " ".join(words).encode(),
    extent=lambda words: 0.0,
    evaluate=evaluate,
    gather=gather,
    unfold=unfold,
    said_once=frozenset(("KT999",)),
    coincides=True,
)

REFERENCES: dict[str, Words] = {"1": ("a", "b"), "2": ("a",), "3": ()}
ESTIMATES: dict[str, Words] = {"1": ("a",), "2": ("b",), "3": ("b",)}


@pytest.fixture(autouse=True)
def the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, TASK)


def use(monkeypatch: pytest.MonkeyPatch, task: Task) -> None:
    monkeypatch.setattr(api, "find_task", lambda name: task)


def rows_of(scores: kt.Scores, measure: str) -> list[tuple[Any, ...]]:
    frame = scores.items.filter(scores.items["measure"] == measure)
    return frame.select("item", "value", "weight", "status", "counted_as").rows()


def test_an_undefined_value_may_count_in_the_mean() -> None:
    scores = kt.score(WORDS, REFERENCES, ESTIMATES)
    assert scores.value("recall") == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert rows_of(scores, "recall") == [
        ("1", 0.5, 1.0, "ok", None),
        ("2", 0.0, 1.0, "ok", None),
        ("3", None, 0.0, "undefined", 0.0),
    ]
    (entry, _) = scores.to_dict()["scores"]
    assert (entry["items"], entry["undefined"], entry["weight"]) == (3, 1, 3.0)


def test_classes_are_averaged() -> None:
    scores = kt.score(WORDS, REFERENCES, ESTIMATES)
    assert rows_of(scores, "by_word") == [("a", 0.5, 1.0, "ok", None), ("b", 0.0, 1.0, "ok", None)]
    assert scores.value("by_word") == pytest.approx((1 / 2 + 0) / 2)
    entry = scores.to_dict()["scores"][1]
    assert (entry["aggregate"], entry["items"], entry["weight"]) == ("gathered", 2, 2.0)
    assert entry["weight_unit"] == "words"


def test_options_reach_the_classes() -> None:
    scores = kt.score(WORDS, REFERENCES, ESTIMATES, options=Options(deaf_to="b"))
    assert scores.value("by_word") == pytest.approx(1 / 2)


def test_a_measure_may_lack_a_class(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_a(*given: Any) -> tuple[tuple[str, ...], Mapping[Measure, Statistics]]:
        names, found = gather(*given)
        lacking = np.array([np.nan if name == "a" else 1.0 for name in names]).reshape(-1, 1)
        return names, {measure: each * lacking for measure, each in found.items()}

    use(monkeypatch, replace(TASK, gather=without_a))
    scores = kt.score(WORDS, REFERENCES, ESTIMATES)
    assert rows_of(scores, "by_word") == [("b", 0.0, 1.0, "ok", None)]
    entry = scores.to_dict()["scores"][1]
    assert (entry["value"], entry["items"], entry["undefined"]) == (0.0, 1, 0)


def test_classes_belong_to_a_system_and_an_annotator() -> None:
    scores = kt.score(
        WORDS,
        REFERENCES,
        {"poor": ESTIMATES, "good": REFERENCES},
        annotators={"second": {"1": ("b",), "2": ("b",)}},
    )
    found = {
        (system, annotator): scores.value("by_word", system=system, annotator=annotator)
        for system in scores.systems
        for annotator in scores.annotators
    }
    assert found == {
        ("poor", "reference"): pytest.approx((1 / 2 + 0) / 2),
        ("poor", "second"): 1 / 2,
        ("poor", "all"): pytest.approx((1 / 2 + (0 + 1 / 2) / 2) / 2),  # a word over its annotators first
        ("good", "reference"): 1.0,
        ("good", "second"): 1 / 2,
        ("good", "all"): pytest.approx((1 + (1 + 1 / 2) / 2) / 2),
    }


def test_a_missing_estimate_says_nothing_of_classes() -> None:
    scores = kt.score(WORDS, REFERENCES, {"1": ("a", "b"), "3": ()})
    assert rows_of(scores, "by_word") == [("a", 0.5, 1.0, "ok", None), ("b", 1.0, 1.0, "ok", None)]
    skipping = kt.score(WORDS, REFERENCES, {"1": ("a", "b"), "3": ()}, missing="skip")
    assert rows_of(skipping, "by_word") == [("a", 1.0, 1.0, "ok", None), ("b", 1.0, 1.0, "ok", None)]


def test_classes_are_no_items() -> None:
    scores = kt.score(WORDS, REFERENCES, ESTIMATES)
    assert scores.counts == {"estimate": {"total": 3, "ok": 3, "missing": 0, "failed": 0}}


def test_parts_merge_into_the_whole() -> None:
    rows = np.arange(3)
    whole = Gathered(("v",), rows, ("a", "b"), np.array([0, 1, 0]), ("x",), np.zeros(3, int), np.ones((3, 1)))
    one, other = whole.of(np.array([True, False, False])), whole.of(np.array([False, True, True]))
    other = replace(other, classes=("b", "a"), codes=1 - other.codes)
    joined = join((one, other))
    assert [joined.classes[code] for code in joined.codes] == ["a", "b", "a"]
    assert joined.cases.tolist() == [0, 1, 2]
    assert joined.units == ("x",)


def test_items_stand_for_classes_and_units_without_a_name() -> None:
    part = Gathered(
        ("v",),
        np.array([0, 1, 1]),
        ("a",),
        np.array([-1, 0, -1]),
        ("second", "b"),
        np.array([1, -1, 0]),
        np.ones((3, 1)),
    )
    named = name_items(part, np.array([2, 3]), ["zeroth", "first", "second", "third"])
    assert named.cases.tolist() == [2, 3, 3]
    assert [named.classes[code] for code in named.codes] == ["second", "a", "third"]
    assert [named.units[code] for code in named.unit_codes] == ["b", "third", "second"]


def test_measures_that_do_not_apply_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    note = Diagnostic(code="KT998", severity="note", message="no classes")
    use(monkeypatch, replace(TASK, applicable=lambda counts, measures, options: ((RECALL,), (note,))))
    scores = kt.score(WORDS, REFERENCES, ESTIMATES)
    assert scores.measures == (RECALL,)
    assert note in scores.diagnostics


def test_nothing_that_applies_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    note = Diagnostic(code="KT998", severity="error", message="no classes")
    use(monkeypatch, replace(TASK, applicable=lambda counts, measures, options: ((), (note,))))
    with pytest.raises(DataError, match="no classes"):
        kt.score(WORDS, REFERENCES, ESTIMATES)


def test_a_file_may_hold_many_items(tmp_path: Path) -> None:
    (tmp_path / "ref.sheet").write_text("1 a b\n2 a\n4 ?\n")
    (tmp_path / "est.sheet").write_text("1 a\n2 a\n4 a\n")
    scores = kt.score(WORDS, tmp_path / "ref.sheet", tmp_path / "est.sheet")
    assert scores.systems == ("est",)
    assert scores.value("recall") == pytest.approx((1 / 2 + 1) / 2)
    assert scores.counts == {"est": {"total": 3, "ok": 2, "missing": 0, "failed": 1}}


def test_a_folder_may_hold_both(tmp_path: Path) -> None:
    (tmp_path / "some.sheet").write_text("1 a b\n2 a\n")
    (tmp_path / "3.txt").write_text("c")
    scores = kt.score(WORDS, tmp_path, {"s": {"1": ("a",), "2": (), "3": ("c",)}})
    assert scores.value("recall") == pytest.approx((1 / 2 + 0 + 1) / 3)


def test_what_is_wrong_with_many_files_is_said_once(tmp_path: Path) -> None:
    for name in ("1", "2", "3"):
        (tmp_path / f"{name}.txt").write_text("?" if name != "3" else "a")
    scores = kt.score(WORDS, tmp_path, {"3": ("a",)})
    (said,) = [each for each in scores.diagnostics if each.code == "KT999"]
    assert (said.count, said.file) == (2, str(tmp_path / "1.txt"))
    assert scores.counts["estimate"]["failed"] == 2


@pytest.mark.parametrize(("estimates", "odd"), [(REFERENCES, True), (REFERENCES | {"1": ("a",)}, False)])
def test_only_a_whole_corpus_that_is_equal_is_odd(estimates: dict[str, Words], odd: bool) -> None:
    said = [each.code for each in kt.score(WORDS, REFERENCES, estimates).diagnostics]
    assert ("KT208" in said) is odd


def test_names_do_not_change_the_last_bits() -> None:
    shares = [0.1, 0.2, 0.3, 1e16, -1e16]
    statistics = np.array([[share, 1.0] for share in shares])
    found = {
        RECALL.corpus_score(statistics[list(order)], how).value
        for order in ((0, 1, 2, 3, 4), (3, 0, 1, 4, 2), (4, 3, 2, 1, 0))
        for how in ("mean", "pooled")
    }
    assert found == {math.fsum(shares) / 5}


def test_files_of_many_items_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = Diagnostic(code="KT998", severity="note", message="a word")
    task = replace(TASK, lint=lambda words, options: (odd,) if "a" in words else ())
    monkeypatch.setattr(checking, "find_task", lambda name: task)
    (tmp_path / "some.sheet").write_text("1 a b\n2 c\n4 ?\n")
    found = checking.check(WORDS, tmp_path).diagnostics
    file = str(tmp_path / "some.sheet")
    assert [(each.code, each.file, each.item, each.message) for each in found] == [
        ("KT999", file, None, "a question"),
        ("KT998", file, "1", "`1`: a word"),
    ]
