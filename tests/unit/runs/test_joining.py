# SPDX-License-Identifier: MIT
"""Several runs as one: what must be alike, and what is said of the rest."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from kammerton.runs.joining import join_runs

REF: dict[str, Any] = {"one": ([(0, 2), (2, 4)], ["C", "G:7"]), "two": ([(0, 2)], ["D:min"])}
MAJMIN = "mirex2013/MajMin"


def song(end: float) -> Any:
    return ([(0, end), (end, 4)], ["C", "G"])


def scored(name: str, end: float, ref: Any = None, **choices: Any) -> kt.Scores:
    choices = {"protocols": ["mirex2013"], "ci": None} | choices
    return kt.score("chords", ref or REF, {name: {"one": song(end), "two": REF["two"]}}, **choices)


def refused(*runs: Any) -> tuple[str, str]:
    with pytest.raises(kt.DataError) as caught:
        join_runs(runs)
    (problem,) = caught.value.diagnostics
    return problem.code, problem.message


def test_runs_have_the_figures_that_one_run_of_all_has() -> None:
    together = kt.score(
        "chords",
        REF,
        {name: {"one": song(end), "two": REF["two"]} for name, end in (("a", 2), ("b", 3))},
        protocols=["mirex2013"],
        ci=None,
    )
    joined = join_runs([scored("a", 2), scored("b", 3)])
    assert joined.to_dict() == together.to_dict()
    assert joined.items.equals(together.items)
    assert all(joined.table(name).equals(together.table(name)) for name in together.tables)
    assert (joined.value("MajMin", system="a"), joined.value("MajMin", system="b")) == (1, 5 / 6)


def test_paths_and_scores_and_one_alone(tmp_path: Path) -> None:
    kt.write_run(scored("a", 2), tmp_path / "run")
    assert join_runs([tmp_path / "run", scored("b", 3)]).systems == ("a", "b")
    assert join_runs(tmp_path / "run").systems == ("a",)
    with pytest.raises(kt.OptionError, match="there is no run"):
        join_runs([])


def test_names_of_systems() -> None:
    part = {"one": song(3)}
    lacking = kt.score("chords", REF, {"a": part}, protocols=["mirex2013"], ci=None)
    joined = join_runs({"new": lacking, "other": scored("a", 3)})
    assert joined.systems == ("new", "other")
    told = [(each.code, each.system) for each in joined.diagnostics]
    assert told == [("KT203", "new"), ("KT208", "other")]  # no estimate of `two`; one that is the reference
    assert set(joined.table("confusion")["system"]) == {"new", "other"}
    assert join_runs([("b", scored("a", 2)), (None, scored("a", 2))]).systems == ("b", "a")
    with pytest.raises(kt.OptionError, match="two systems are called `a`"):
        join_runs([scored("a", 2), scored("a", 3)])
    both = join_runs([scored("a", 2), scored("b", 2)])
    with pytest.raises(kt.OptionError, match="a run has several systems, and `c` names one"):
        join_runs({"c": both})


def test_the_only_annotator_may_be_called_otherwise() -> None:
    other = kt.score(
        "chords", None, {"b": {"one": song(3)}}, annotators={"Ann": REF}, protocols=["mirex2013"]
    )
    joined = join_runs([scored("a", 2), other])
    assert joined.annotators == ("reference",)
    assert joined.value("MajMin", system="b") == 3 / 6  # 3 of 4 s, and `two` is missing: 0 of 2 s


def test_references_that_differ() -> None:
    corrected = REF | {"two": ([(0, 2)], ["D"])}
    assert refused(scored("a", 2), scored("b", 2, corrected)) == (
        "KT708",
        "runs are of different references: 1 of 2 items, such as `two`",
    )
    more = REF | {"three": REF["two"]}
    assert refused(scored("a", 2, more), scored("b", 2)) == (
        "KT708",
        "runs are of different references: 1 of 3 items, such as `three`",
    )
    several = scored("b", 2, annotators={"Ann": REF})
    assert refused(scored("a", 2), several)[0] == "KT708"


def test_choices_that_differ() -> None:
    assert refused(scored("a", 2), scored("b", 2, missing="skip")) == (
        "KT709",
        "runs were not scored alike: option missing was `worst` and `skip`",
    )
    lenient = scored("b", 2, options=kt.chords.ChordOptions(lenient=True))
    assert refused(scored("a", 2), lenient) == (
        "KT709",
        "runs were not scored alike: option lenient was `default` and `yes`",
    )


def test_tasks_that_differ() -> None:
    lists = kt.score("instruments", {"x": ["piano"]}, {"b": {"x": ["piano"]}}, ci=None)
    with pytest.raises(kt.OptionError, match="runs are of two tasks: chords, instruments"):
        join_runs([scored("a", 2), lists])


def test_measures_that_not_all_have_are_left_out_and_said() -> None:
    more = scored("b", 3, protocols=["mirex2013", "decibel"])
    joined = join_runs([scored("a", 2), more])
    assert {measure.protocol for measure in joined.measures} == {"mirex2013"}
    (said,) = [each for each in joined.diagnostics if each.code == "KT710"]
    assert said.message.startswith("not all runs have decibel/CSR, ")
    chosen = join_runs([scored("a", 2), more], measures=[MAJMIN])
    assert list(map(str, chosen.measures)) == [MAJMIN]
    assert "KT710" not in {each.code for each in chosen.diagnostics}
    with pytest.raises(kt.OptionError, match="runs have no such measure in common"):
        join_runs([scored("a", 2), more], protocols=["decibel"])


def test_measures_over_classes_of_several_runs() -> None:
    ref = {"x": ["piano"], "y": ["piano", "voice"], "z": ["voice"]}
    found = {"a": {"x": ["piano"], "y": ["voice"], "z": ["piano"]}, "b": {"z": ["voice"]}}
    together = kt.score("instruments", ref, found, ci=None)
    joined = join_runs([kt.score("instruments", ref, {name: found[name]}, ci=None) for name in found])
    assert any(measure.aggregate == "gathered" for measure in joined.measures)
    assert joined.summary.equals(together.summary)


def test_what_was_noticed_is_kept_once() -> None:
    odd = REF | {"odd": ([(0, 2)], ["H"])}
    runs = [scored(name, end, odd, ci=0.95) for name, end in (("a", 2), ("b", 3))]
    noted = [
        run.remade(evidence=replace(run.origin.evidence, diagnostics=(*run.diagnostics, *more)))
        for run, more in zip(
            runs, ((kt.Diagnostic(code="KT218", severity="note", message="albums"),), ()), strict=True
        )
    ]
    codes = [(each.code, each.system) for each in join_runs(noted).diagnostics]
    (of_reference,) = [code for code, system in codes if system is None]
    assert of_reference.startswith("KT3")
