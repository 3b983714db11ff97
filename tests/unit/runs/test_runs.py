# SPDX-License-Identifier: MIT
"""What is read from a run is what was written, to the last bit; equal scores are equal bytes."""

import contextlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kammerton as kt
from kammerton.chords import ChordOptions
from kammerton.cli.demo import EXAMPLE
from kammerton.errors import Diagnostic
from kammerton.formats import Limits
from kammerton.instruments import InstrumentOptions
from kammerton.model.annotations import portable
from kammerton.model.evidence import Evidence, Row, Rows, Tally
from kammerton.model.registry import find_task
from kammerton.results.signature import Origin
from kammerton.runs import is_run
from kammerton.runs.layout import from_parquet, keep_options, options_of, texts_of, to_parquet
from run_folders import files_of_run

EXAMPLES = {
    "chords": ("reference", ["careful", "hasty"]),
    "fingering": ("reference", ["careful", "hasty"]),
    "instruments": ("reference.csv", ["careful.csv", "hasty.csv"]),
}
REF = {"one": ([(0, 2), (2, 4)], ["C", "G:7"]), "two": ([(0, 2)], ["D:min"])}
EST = {"one": ([(0, 3), (3, 4)], ["C", "G"])}


def bundled(task: Any, **choices: Any) -> kt.Scores:
    reference, systems = EXAMPLES[task]
    with contextlib.chdir(EXAMPLE / task):
        return kt.score(task, reference, systems, **choices)


def assert_equal(read: kt.Scores, written: kt.Scores) -> None:
    assert read.to_dict() == written.to_dict()
    assert read.items.equals(written.items)
    assert read.summary.equals(written.summary)
    assert read.tables == written.tables
    assert all(read.table(name).equals(written.table(name)) for name in written.tables)
    assert read.fingerprints == written.fingerprints
    assert repr(read) == repr(written)


def record(folder: Path) -> Any:
    return json.loads((folder / "run.json").read_text(encoding="ascii"))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of the song `one` and of `two`, which has no estimate."""
    kt.write_run(kt.score("chords", REF, {"mine": EST}, protocols=["mirex2013"]), tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.slow
@pytest.mark.parametrize("task", EXAMPLES)
def test_a_run_has_the_scores_it_was_written_from(task: str, tmp_path: Path) -> None:
    scores = bundled(task)
    kt.write_run(scores, tmp_path / "run")
    assert_equal(kt.read_run(tmp_path / "run"), scores)
    assert is_run(tmp_path / "run")


def test_equal_scores_are_equal_bytes_in_another_process(run: Path, tmp_path: Path) -> None:
    program = (
        "import sys, kammerton as kt\n"
        f"scores = kt.score('chords', {REF!r}, {{'mine': {EST!r}}}, protocols=['mirex2013'])\n"
        "kt.write_run(scores, sys.argv[1])\n"
    )
    subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "other")],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "7", "POLARS_MAX_THREADS": "1"},
    )
    assert files_of_run(tmp_path / "other") == files_of_run(run)


def test_a_run_has_the_choices_of_intervals(tmp_path: Path) -> None:
    clusters = {f"piece-{number}": "abc"[number % 3] for number in range(6)}
    ref = {item: ([(0, 2), (2, 4)], ["C", "G:7"]) for item in clusters}
    est = {item: ([(0, 4)], ["C" if number % 2 else "G"]) for number, item in enumerate(clusters)}
    scores = kt.score(
        "chords",
        ref,
        {"mine": est},
        protocols=["mirex2013"],
        ci=0.9,
        resamples=99,
        seed=3,
        interval="bca",
        clusters=clusters,
    )
    kt.write_run(scores, tmp_path / "run")
    read = kt.read_run(tmp_path / "run")
    assert_equal(read, scores)
    assert read.ci == 0.9
    assert read.intervals == scores.intervals
    assert "clusters:given" in read.summary["signature"][0]


def test_a_run_says_what_was_scored_by_what(run: Path) -> None:
    told = record(run)
    assert told["kind"] == "kammerton run"
    assert told["task"] == "chords"
    assert told["protocols"] == {"mirex2013": 2}
    assert told["versions"]["kammerton"] == kt.__version__
    assert told["systems"] == ["mine"]
    assert told["annotators"] == ["reference"]
    assert told["references"]["items"] == 2
    assert told["missing"] == "worst"
    assert told["intervals"]["resamples"] == 10_000
    assert [each["code"] for each in told["diagnostics"]] == ["KT203"]
    assert sorted([*told["files"], "run.json", "annotations.parquet"]) == sorted(files_of_run(run))


def test_a_run_says_what_each_phase_took_and_does_not_sign_it(run: Path) -> None:
    whole = record(run)
    told = whole["timing"]
    assert list(told["seconds"]) == ["collecting", "scoring", "merging", "writing"]
    assert min(told["seconds"].values()) >= 0
    assert (told["items"], told["found"]) == (2, 0)
    assert told["items_per_second"] > 0
    scores = kt.read_run(run)
    kt.write_run(scores, run)
    assert list(record(run)["timing"]["seconds"]) == ["writing"]  # nothing was scored anew
    assert {**record(run), "timing": told} == whole
    assert kt.read_run(run).to_dict() == scores.to_dict()


def test_rows_are_wide_and_can_be_read_by_others(run: Path) -> None:
    frame = pl.read_parquet(run / "rows_pair.parquet")
    assert frame.columns[:6] == ["system", "item", "annotator", "status", "counts", "reason"]
    assert frame["item"].to_list() == ["one", "two"]
    assert frame["status"].to_list() == ["ok", "missing"]
    # of 4 s, 0 to 2 and 3 to 4 are right; of the 2 s without estimate, nothing
    assert frame["mirex2013/MajMin:correct_chord"].to_list() == [3.0, 0.0]
    kinds = ("correct_chord", "correct_no_chord", "substituted", "deleted", "inserted")
    parts = [frame[f"mirex2013/MajMin:{kind}"] for kind in kinds]
    assert [sum(row) for row in zip(*parts, strict=True)] == [4.0, 2.0]


def test_nothing_of_the_machine_is_in_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("here/ref/disc/1/one.lab", "here/est/disc/1/one.lab", "there/est/disc/1/one.lab"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("0 1 C\n1 2 Q\n" if "est" in name else "0 2 C\n", encoding="utf-8")
    for name in ("here/ref/two.lab", "here/est/two.lab"):
        (tmp_path / name).write_text("0 2 C\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "here")
    systems = {"mine": tmp_path / "here/est", "yours": tmp_path / "there/est", "ours": "est"}
    scores = kt.score("chords", tmp_path / "here/ref", systems)
    kt.write_run(scores, "run")
    assert str(tmp_path) not in Path("run/run.json").read_text(encoding="ascii")
    files = {(each.system, each.code): each.file for each in kt.read_run("run").diagnostics}
    assert files["mine", "KT310"] == "est/disc/1/one.lab"
    assert files["yours", "KT310"] == "est/disc/1/one.lab"  # of a folder elsewhere, its name
    assert files["ours", "KT310"] == "est/disc/1/one.lab"


def test_of_files_that_lie_in_no_folder_that_was_scored_two_names_are_told(tmp_path: Path) -> None:
    file = str(tmp_path / "a/b/c.lab")
    assert portable(file) == portable(file, [str(tmp_path / "b"), "a"]) == "b/c.lab"
    assert portable(file, [str(tmp_path), str(tmp_path / "a")]) == "a/b/c.lab"  # the inner one


def test_in_a_folder_that_was_deleted_files_lie_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    with monkeypatch.context() as moved:
        moved.chdir(gone)
        gone.rmdir()
        assert portable(str(tmp_path / "ref/one.lab"), [str(tmp_path / "ref")]) == "ref/one.lab"


def test_options_and_their_files_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "C#"
    folder.mkdir()
    tree = folder / "tree.csv"
    reference = (EXAMPLE / "instruments/reference.csv").read_text(encoding="utf-8")
    nodes = sorted({row.split(",")[1] for row in reference.splitlines()[1:]})
    tree.write_text("node,parent\n" + "".join(f"{node},top\n" for node in nodes), encoding="utf-8")
    options = InstrumentOptions(taxonomy=str(tree), ties="best", min_support=1, unknown="drop")
    scores = bundled("instruments", options=options, resamples=20)
    assert scores.class_evidence is not None
    kt.write_run(scores, folder / "run")
    tree.unlink()
    read = kt.read_run(folder / "run")
    assert_equal(read, scores)
    told = record(folder / "run")
    assert told["options"]["taxonomy"] == {"file": "option_taxonomy.csv", "part": ""}
    assert told["options"]["ties"] == "best"
    assert "limits" not in told["options"]
    assert "tree.csv@" in read.summary["signature"][0]
    assert isinstance(read.origin.options, InstrumentOptions)
    assert read.origin.options.taxonomy == str(folder / "run/option_taxonomy.csv")


def test_a_part_of_a_file_is_kept(tmp_path: Path) -> None:
    tree = tmp_path / "tree.csv"
    tree.write_text("node,parent\na,top\nb,a\nc,b\n", encoding="utf-8")
    options = InstrumentOptions(taxonomy=f"{tree}#a", threshold="0.5")
    ref, est = {"x": ["b"], "y": ["c"]}, {"x": ["b"], "y": ["b"]}
    scores = kt.score("instruments", ref, {"mine": est}, options=options, resamples=20)
    kt.write_run(scores, tmp_path / "run")
    assert record(tmp_path / "run")["options"] == {
        "taxonomy": {"file": "option_taxonomy.csv", "part": "#a"},
        "threshold": ">=0.5",
    }
    assert_equal(kt.read_run(tmp_path / "run"), scores)


def made(evidence: Evidence) -> kt.Scores:
    return kt.Scores(
        Origin(
            task=find_task("chords"),
            evidence=evidence,
            missing="worst",
            options=None,
            choices={"lenient": "yes"},
        )
    )


MEASURE = next(each for each in find_task("chords").measures if str(each) == "mirex2013/MajMin")


NAMED = st.characters(codec="utf-8") | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF)
"""What names of files are made of: undecodable bytes are these surrogates."""


@given(
    names=st.lists(st.text(NAMED, max_size=6), max_size=4, unique=True),
    numbers=st.lists(st.floats(), min_size=24, max_size=24),
)
def test_any_names_and_numbers_are_kept(
    names: list[str], numbers: list[float], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = Rows.of(Row("s\udce9", name, "a\\b", reason=name) for name in names)
    statistics = np.array(numbers).reshape(4, 6)[: len(names)]
    cells: Any = {("s\udce9", "a\\b"): {(name, None, place): 0.1 for place, name in enumerate(names)}}
    evidence = Evidence(
        measures=(MEASURE,),
        rows={"pair": rows},
        statistics={MEASURE: statistics},
        tallies={
            "a/b": Tally(("label", "nothing", "place"), "s", cells),
            "none": Tally(("label",), "s", {("s\udce9", "a\\b"): {}}),
        },
        fingerprints={("a\\b", name): bytes(range(32)) for name in names},
        diagnostics=(Diagnostic(code="KT203", severity="note", message="".join(names), excerpt="x", line=2),),
    )
    folder = tmp_path_factory.mktemp("any") / "run"
    kt.write_run(made(evidence), folder)
    found = kt.read_run(folder).origin
    assert {need: list(rows) for need, rows in found.evidence.rows.items()} == {
        need: list(rows) for need, rows in evidence.rows.items()
    }
    np.testing.assert_array_equal(found.evidence.statistics[MEASURE], statistics)
    signs = np.signbit(found.evidence.statistics[MEASURE])
    assert (signs == np.signbit(statistics))[~np.isnan(statistics)].all()
    assert found.evidence.tallies == evidence.tallies
    assert found.evidence.fingerprints == evidence.fingerprints
    assert found.evidence.diagnostics == evidence.diagnostics
    assert found.choices == {"lenient": "yes"}


@given(st.lists(st.none() | st.text(st.characters(codec=None)), max_size=9))
def test_texts_are_kept(texts: list[str | None]) -> None:
    assert texts_of(from_parquet(to_parquet({"a\udce9": texts})), "a\udce9") == texts


def test_what_is_no_score_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        kt.OptionError, match=r"scores must be what kammerton.score or kammerton.agree returns, not str"
    ):
        kt.write_run("scores", tmp_path)  # type: ignore[arg-type]
    with pytest.raises(kt.OptionError, match="folder must be a path, not int"):
        kt.write_run(made_of_nothing(), 3)  # type: ignore[arg-type]
    with pytest.raises(kt.OptionError, match="a run must be a path, not Scores"):
        kt.read_run(made_of_nothing())  # type: ignore[arg-type]


def made_of_nothing() -> kt.Scores:
    return kt.score("chords", {"a": REF["one"]}, {"mine": {"a": EST["one"]}}, ci=None)


def test_options_are_kept_as_plain_values(tmp_path: Path) -> None:
    options = ChordOptions(columns={"von": "start"}, lenient=True, limits=Limits(rows=3))
    kept = keep_options(options)
    assert kept == ({"columns": {"von": "start"}, "lenient": True}, {})
    assert options_of(find_task("chords"), kept[0], tmp_path) == replace(options, limits=Limits())
