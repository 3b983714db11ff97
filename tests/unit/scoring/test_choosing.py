# SPDX-License-Identifier: MIT
"""Measures and protocols by name."""

from collections.abc import Sequence
from dataclasses import replace

import mir_eval
import numpy as np
import pytest

from kammerton.chords import TASK
from kammerton.errors import OptionError
from kammerton.model.measure import Protocol, choose, find
from kammerton.model.registry import TASKS, find_task


def chosen(protocols: Sequence[str] | None = None, measures: Sequence[str] | None = None) -> list[str]:
    return [str(measure) for measure in choose(TASK.protocols, protocols, measures)]


MIREX = [
    "mirex2013/Root",
    "mirex2013/MajMin",
    "mirex2013/MajMinBass",
    "mirex2013/Sevenths",
    "mirex2013/SeventhsBass",
    "mirex2013/Mirex2010",
    "mirex2013/MeanSeg",
    "mirex2013/UnderSeg",
    "mirex2013/OverSeg",
    "mirex2013/WorstSeg",
    "mirex2013/ACQA",
]
MIR_EVAL = [
    f"mir_eval/{name}"
    for name in (
        *("thirds", "thirds_inv", "triads", "triads_inv", "tetrads", "tetrads_inv", "root", "mirex"),
        *("majmin", "majmin_inv", "sevenths", "sevenths_inv", "underseg", "overseg", "seg"),
    )
]
DECIBEL = ["decibel/CSR", "decibel/CSR_total", "decibel/OvS", "decibel/UnS", "decibel/Seg"]
FRAMES = [f"frames10ms/{name}" for name in ("Root", "MajMin", "MajMinBass", "Sevenths", "SeventhsBass")]


def test_all_run_but_those_on_request() -> None:
    assert chosen() == MIREX + MIR_EVAL + DECIBEL


@pytest.mark.parametrize(
    ("task", "protocols"),
    [
        ("chords", ["mirex2013"]),
        ("fingering", ["nakamura2020", "strike", "pianovam", "playability"]),
        ("instruments", ["open-mic-task1"]),
    ],
)
def test_the_main_measures_of_a_task_are_the_default(task: str, protocols: list[str]) -> None:
    kind = find_task(task)
    measures = kind.choose()
    assert list(dict.fromkeys(measure.protocol for measure in measures)) == protocols
    whole = kind.choose([protocols[0]])
    assert measures[: len(whole)] == whole
    assert len(kind.choose("all")) > len(measures)


def test_the_first_protocol_is_the_default_of_tasks_that_name_no_measures() -> None:
    assert [str(measure) for measure in replace(TASK, default_measures=()).choose()] == MIREX
    everything = replace(TASK, default_measures=("*",))
    assert [str(measure) for measure in everything.choose()] == MIREX + MIR_EVAL + DECIBEL
    with pytest.raises(OptionError, match="unknown measure `mirex2013/Nothing`"):
        replace(TASK, default_measures=("mirex2013/Nothing",)).choose()


def test_mir_eval_has_the_names_and_the_order_of_the_original() -> None:
    song = np.array([[0.0, 1.0]]), ["C"]
    assert [f"mir_eval/{name}" for name in mir_eval.chord.evaluate(*song, *song)] == MIR_EVAL


@pytest.mark.parametrize(
    ("protocols", "measures", "expected"),
    [
        (["decibel"], None, DECIBEL),
        (["decibel", "mirex2013"], None, DECIBEL + MIREX),
        (["decibel", "decibel"], None, DECIBEL),
        (["frames10ms"], None, FRAMES),
        ("all", None, MIREX + MIR_EVAL + DECIBEL),
        (["decibel", "all", "frames10ms"], None, DECIBEL + MIREX + MIR_EVAL + FRAMES),
        ("all", ["MajMinBass"], ["mirex2013/MajMinBass"]),
        (None, ["MajMinBass"], ["mirex2013/MajMinBass"]),
        (None, ["mirex2013/MajMin", "triads"], ["mirex2013/MajMin", "mir_eval/triads"]),
        (None, ["triads", "ACQA", "triads"], ["mirex2013/ACQA", "mir_eval/triads"]),
        (["mirex2013"], ["MajMin"], ["mirex2013/MajMin"]),
        (["mir_eval"], ["majmin"], ["mir_eval/majmin"]),
        (None, ["frames10ms/Root"], ["frames10ms/Root"]),
        (None, ["frames10ms/Root", "MeanSeg"], ["mirex2013/MeanSeg", "frames10ms/Root"]),
        (["frames10ms"], ["MajMin"], ["frames10ms/MajMin"]),
        (["mirex2013", "decibel"], ["CSR", "Root"], ["mirex2013/Root", "decibel/CSR"]),
    ],
)
def test_measures_are_chosen_in_the_order_of_output(
    protocols: list[str] | None, measures: list[str] | None, expected: list[str]
) -> None:
    assert chosen(protocols, measures) == expected


@pytest.mark.parametrize(
    ("protocols", "measures", "message"),
    [
        (["mirex"], None, "unknown protocol `mirex`"),
        (["mir-eval"], None, "unknown protocol `mir-eval`\n  help: did you mean `mir_eval`?"),
        (None, ["majmen"], "unknown measure `majmen`\n  help: did you mean `majmin`?"),
        (None, ["decibel/MajMin"], "unknown measure `decibel/MajMin`"),
        (["decibel"], ["MajMin"], "measure `MajMin` is not among those that are computed"),
        (
            ["decibel"],
            ["frames10ms/MajMin"],
            "measure `frames10ms/MajMin` is not among those that are",
        ),
        (["decibel"], ["mirex2013/*"], "unknown measure `mirex2013/*`"),
        (None, ["MAJMIN"], "measure `MAJMIN` is not unique\n  help: say which: mirex2013/MajMin, mir_eval"),
        (None, ["csr"], "unknown measure `csr`\n  help: did you mean `CSR`?"),
        (None, ["MajMin"], "measure `MajMin` is not unique\n  help: say which: mirex2013/MajMin, mir_eval"),
        (None, ["majmin"], "measure `majmin` is not unique\n  help: say which: mirex2013/MajMin, mir_eval"),
        (None, ["Seg"], "measure `Seg` is not unique\n  help: say which: mir_eval/seg, decibel/Seg"),
        (["mirex2013"], ["majmin"], "measure `majmin` is not among those that are computed"),
        (["mirex2013"], ["MAJMIN"], "unknown measure `MAJMIN`\n  help: did you mean `MajMin`?"),
        (None, ["frames10ms/Root", "Root"], "measure `Root` is not unique"),
        (["mirex2013", "frames10ms"], ["MajMin"], "measure `MajMin` is not unique"),
    ],
)
def test_names_that_do_not_fit_are_refused(
    protocols: list[str] | None, measures: list[str] | None, message: str
) -> None:
    with pytest.raises(OptionError) as caught:
        chosen(protocols, measures)
    assert str(caught.value).startswith(message)


def test_a_measure_is_found_by_address_or_by_a_name_that_only_it_has() -> None:
    measures = TASK.measures
    assert str(find("mirex2013/MajMin", measures)) == "mirex2013/MajMin"
    assert str(find("majmin_inv", measures)) == "mir_eval/majmin_inv"
    with pytest.raises(OptionError, match="say which: mirex2013/MajMin, mir_eval/majmin, frames10ms/MajMin"):
        find("MajMin", measures)


@pytest.mark.parametrize("task", TASKS)
def test_a_bare_name_finds_a_measure_only_if_no_other_differs_in_case(task: str) -> None:
    measures = find_task(task).measures
    for measure in measures:
        assert find(str(measure), measures) is measure
        alike = [other for other in measures if other.name.lower() == measure.name.lower()]
        if len(alike) == 1:
            assert find(measure.name, measures) is measure
        else:
            with pytest.raises(OptionError, match=f"say which: {', '.join(map(str, alike))}"):
                find(measure.name, measures)


def test_the_task_has_every_measure_once() -> None:
    addresses = [str(measure) for measure in TASK.measures]
    assert addresses == MIREX + MIR_EVAL + DECIBEL + FRAMES
    assert len(set(addresses)) == len(addresses)


def test_a_task_is_found_by_name() -> None:
    assert find_task("chords") is TASK
    assert "chords" in TASKS
    with pytest.raises(OptionError, match="did you mean `chords`"):
        find_task("Chords")


def test_every_measure_has_its_traits_and_its_card() -> None:
    for measure in TASK.measures:
        low, high = measure.range
        assert low < high
        assert measure.worst == (low if measure.direction == "higher" else high)
        assert measure.laws
        assert measure.weight_unit in ("s", "samples")
        card = measure.card
        for text in (card.summary, card.equation, card.undefined_when, card.source, card.agrees_with):
            assert text
            assert text == text.strip()
        assert card.summary.endswith(".")


@pytest.mark.parametrize("protocol", TASK.protocols, ids=lambda protocol: protocol.name)
def test_every_protocol_is_described(protocol: Protocol) -> None:
    assert all((protocol.name, protocol.summary, protocol.rules))
    assert protocol.revision >= 1
