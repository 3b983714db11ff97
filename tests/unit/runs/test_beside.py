# SPDX-License-Identifier: MIT
"""Runs sorted into those that can stand beside each other."""

from typing import Any

import pytest

import kammerton as kt
from kammerton.runs.joining import join_alike
from kammerton.statistics.resampling import ScoreKey

REF: dict[str, Any] = {"one": ([(0, 2), (2, 4)], ["C", "G:7"]), "two": ([(0, 2)], ["D:min"])}


def scored(name: str, end: float, ref: Any = None, **choices: Any) -> kt.Scores:
    choices = {"protocols": ["mirex2013"], "ci": None} | choices
    song = ([(0, end), (end, 4)], ["C", "G"])
    return kt.score("chords", ref or REF, {name: {"one": song, "two": REF["two"]}}, **choices)


def test_runs_are_joined_as_far_as_they_are_alike() -> None:
    other = {"one": REF["one"], "two": ([(0, 2)], ["E:min"])}
    instruments = kt.score("instruments", {"x": ["piano"]}, {"a": {"x": ["piano"]}}, ci=None)
    drawn = scored("b", 3, ci=0.9, resamples=50)
    found = join_alike([scored("a", 2), instruments, drawn, scored("c", 2, other), scored("d", 1, other)])
    assert [each.scores.systems for each in found] == [("a", "b"), ("a",), ("c", "d")]
    assert [each.scores.task for each in found] == ["chords", "instruments", "chords"]
    assert [each.apart for each in found] == [
        "",
        "",
        "runs are of different references: 1 of 2 items, such as `two`",
    ]
    assert [each.scores.ci for each in found] == [0.9, None, None]
    again = join_alike([drawn])[0].scores
    key = ScoreKey("b", "reference", again.measures[0], "pooled")
    assert found[0].scores.intervals[key] == again.intervals[key]
    named = join_alike({"new": drawn})[0].scores
    assert (named.systems, named.ci) == (("new",), 0.9)
    with pytest.raises(kt.OptionError, match="two systems are called `a`"):
        join_alike([scored("a", 2), scored("a", 3)])


def test_annotations_stay_with_runs_that_are_joined() -> None:
    joined = join_alike([("new", scored("a", 2)), (None, scored("b", 3))])[0].scores.origin.corpus
    assert joined is not None
    assert [each.name for each in joined.references] == ["reference"]
    assert [each.name for each in joined.systems] == ["new", "b"]
    bare = figures_only(scored("c", 3))
    assert join_alike([scored("a", 2), bare])[0].scores.origin.corpus is None
    assert join_alike({"d": bare})[0].scores.origin.corpus is None


def figures_only(scores: kt.Scores) -> kt.Scores:
    return scores.remade(bootstrap=None, corpus=None)


def test_a_context_stays_if_all_runs_have_one() -> None:
    found = join_alike([scored("a", 2, context=True), scored("b", 3, context=True)])[0].scores
    assert found.origin.context_evidence is not None
    found = join_alike([scored("a", 2, context=True), scored("b", 3)])[0].scores
    assert found.origin.context_evidence is None


def test_settings_that_differ_are_reported() -> None:
    settings = {"ci": 0.95, "resamples": 50}
    for changes, what in (
        ({}, []),
        ({"resamples": 60}, ["confidence intervals"]),
        ({"clusters": "."}, ["confidence intervals"]),
        ({"group_by": "^(.)"}, ["groups"]),
    ):
        runs = [scored("a", 2, **settings), scored("b", 3, **settings | changes)]
        (joined,) = join_alike(runs)
        notes = [problem.message for problem in joined.scores.diagnostics if problem.code == "KT712"]
        assert [note.startswith(f"runs have {name} of") for note, name in zip(notes, what, strict=True)] == [
            True
        ] * len(what)
