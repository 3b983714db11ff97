# SPDX-License-Identifier: MIT
"""``kammerton annotate`` and ``systems``: baselines, fusion, and a system of a third party in one file."""

import json
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from cli.harness import Terminal
from kammerton.runs.joining import join_runs
from kammerton.systems.baselines import BASELINES
from plugins import tonic

CORPORA = {
    "chords": ("reference", "careful"),
    "fingering": ("reference", "careful"),
    "instruments": ("reference.csv", "careful.csv"),
}
"""Reference and estimate of each task in the bundled example."""
PLUGINS = Path(tonic.__file__).parent


@pytest.fixture
def songs(terminal: Terminal) -> Terminal:
    terminal.write(
        ref={"one.lab": "0 3 C|3 4 G:7", "two.lab": "0 4 F"},
        second={"one.lab": "0 2 C|2 4 A:min", "two.lab": "0 4 D"},
        third={"one.lab": "0 2 C|2 4 A:min"},
    )
    return terminal


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, entries: str, name: str = "tonic") -> None:
    """Lay out what pip writes for a package that declares systems."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    info.joinpath("entry_points.txt").write_text(f"[kammerton.systems]\n{entries}\n")
    for path in (str(PLUGINS), str(folder)):
        monkeypatch.syspath_prepend(path)


def test_a_baseline_is_written_and_scored(songs: Terminal) -> None:
    result = songs.run("annotate", "chords", "ref", "--system", "baseline:commonest-triad", "--out", "base")
    assert result.code == 0
    # C lasts 3 s, F 4 s, G 1 s
    assert (songs.folder / "base/one.lab").read_text() == "0.0\t4.0\tF:maj\n"
    record = json.loads((songs.folder / "base/kammerton.json").read_text())
    assert record["system"] == "baseline:commonest-triad"
    scored = songs.run("score", "chords", "ref", "base", "second", "--no-ci", "--format", "json", "--quiet")
    made = {score["system"]: "|made:baseline:commonest-triad;data:" in score["signature"]
            for score in scored.document["scores"]}  # fmt: skip
    assert made == {"base": True, "second": False}


def test_how_estimates_were_made_goes_along_with_runs(songs: Terminal) -> None:
    songs.run("annotate", "chords", "ref", "--system", "baseline:all-N", "--out", "base")
    songs.run("score", "chords", "ref", "base", "--no-ci", "--quiet", "--out", "first")
    songs.run("score", "chords", "ref", "second", "--no-ci", "--quiet", "--out", "other")
    joined = join_runs({"nothing": songs.folder / "first", "mine": songs.folder / "other"})
    made = {row["system"]: "|made:baseline:all-N;" in row["signature"] for row in joined.summary.to_dicts()}
    assert made == {"nothing": True, "mine": False}


@pytest.mark.parametrize("task", BASELINES)
def test_baselines_are_what_a_context_scores(task: Any, tmp_path: Path, terminal: Terminal) -> None:
    """Scored from their files, they have the scores of the context."""
    assert terminal.run("demo", "--copy", "demo").code == 0
    corpus = terminal.folder / "demo" / task
    reference, estimate = (corpus / name for name in CORPORA[task])
    folders = {}
    for name in BASELINES[task]:
        folders[name] = tmp_path / name
        kt.annotate(task, reference, system=f"baseline:{name}", out=folders[name])
    context = kt.score(task, reference, estimate, context=True, ci=None).context
    written = kt.score(task, reference, folders, ci=None)
    measure = written.measures[0]
    assert context is not None
    expected = {row.name: row.value for row in context.of(measure, "baseline")}
    for name in BASELINES[task]:
        (own,) = [value for key, value in expected.items() if key.replace(" ", "-").endswith(name)]
        assert written.value(str(measure), system=name) == pytest.approx(own, abs=1e-6)


def test_fusion_is_a_system_of_several_annotators(songs: Terminal) -> None:
    result = songs.run(
        "annotate", "chords", "ref", "second", "third", "--system", "fusion", "--out", "fused",
        "--set", "method=vote", "--set", "change_cost=0.2", "--set", "copies=keep",
    )  # fmt: skip
    assert result.code == 0
    assert (songs.folder / "fused/one.lab").read_text() == "0.0\t2.0\tC\n2.0\t4.0\tA:min\n"
    made = json.loads((songs.folder / "fused/kammerton.json").read_text())["made"]
    assert made.startswith("fusion|method:vote|copies:keep|change_cost:0.2|data:")


def test_a_system_of_a_third_party_is_found_run_and_described(
    songs: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(songs.folder / "site", monkeypatch, "tonic = tonic:SYSTEM")
    songs.write(notes={"one.txt": "0 60|2 64|4 67", "two.txt": "0 53|4 65", "bad.txt": "x y"})
    assert "The chord of the lowest note, throughout." in songs.run("systems", "chords").out
    card = songs.run("systems", "tonic").out
    assert "takes           sheet\n" in card
    assert "settings        quality=maj\n" in card
    assert "package         tonic 1.0\n" in card
    arguments = ("annotate", "chords", "notes", "--system", "tonic", "--out", "est")
    result = songs.run(*arguments, "--set", "quality=min")
    assert result.code == 1
    assert "error[KT807] `tonic` failed on `bad`: ValueError: could not convert" in result.err
    assert (songs.folder / "est/one.lab").read_text() == "0.0\t4.0\tC:min\n"
    record = json.loads((songs.folder / "est/kammerton.json").read_text())
    assert record["made"].startswith("tonic|quality:min|package:tonic 1.0|data:")
    assert list(record["failed"]) == ["bad"]
    assert songs.run(*arguments, "--set", "colour=red", "--force").code == 2


def test_systems_of_broken_packages_are_messages(songs: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    install(songs.folder / "site", monkeypatch, "odd = os:path\nlost = no_such_module:SYSTEM")
    listed = songs.run("systems")
    assert listed.code == 0
    assert "warning: the system `odd` of the package tonic 1.0 (os:path) is of the type module" in listed.err
    assert "warning: the system `lost`" in listed.err
    assert songs.run("annotate", "chords", "ref", "--system", "lost", "--out", "o").code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--system fusion --out o", "INPUT is needed"),
        ("ref --out o", "no system is given"),
        ("ref --system fusion", "no output folder is given"),
        ("ref --system fusoin --out o", "did you mean `fusion`?"),
        ("ref --system baseline:none --out o", "unknown baseline `none`"),
        ("ref --system fusion --out ref/o", "`ref/o` lies within a source"),
        ("ref --system fusion --out o --to xyz", "unknown format `xyz`"),
        ("ref --system fusion --out o --set method", "expected NAME=VALUE"),
        ("ref --system fusion --out o --set method=pikc", "did you mean `pick`?"),
        ("nowhere --system fusion --out o", "no such file or folder"),
    ],
)
def test_mistakes_of_use_write_nothing(songs: Terminal, arguments: str, message: str) -> None:
    result = songs.run("annotate", "chords", *arguments.split())
    assert result.code == 2
    assert message in result.err
    assert not (songs.folder / "o").exists()


def test_the_list_of_systems(terminal: Terminal) -> None:
    listed = terminal.run("systems", "--format", "json").document
    names = {(entry["task"], entry["system"]) for entry in listed}
    assert ("fingering", "baseline:always-3") in names
    assert ("instruments", "fusion") in names
    assert all(entry["summary"].endswith(".") for entry in listed)
    assert terminal.run("systems", "chords").out.startswith("chords:\n  fusion")
    assert terminal.run("systems", "fusion").out.count("takes ") == 3
    assert terminal.run("systems", "nobody").code == 2
