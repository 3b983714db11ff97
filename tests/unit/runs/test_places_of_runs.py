# SPDX-License-Identifier: MIT
"""A run replaces a run, and nothing else."""

from pathlib import Path

import pytest

import kammerton as kt

REF = {"one": ([(0, 2), (2, 4)], ["C", "G:7"])}
EST = {"one": ([(0, 3), (3, 4)], ["C", "G"])}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def scores(protocol: str = "mirex2013") -> kt.Scores:
    return kt.score("chords", REF, {"mine": EST}, protocols=[protocol], ci=None)


def refused(folder: str) -> str:
    with pytest.raises(kt.OutputError) as caught:
        kt.write_run(scores(), folder)
    return str(caught.value)


def test_a_run_replaces_a_run_with_all_that_is_in_it() -> None:
    kt.write_run(kt.score("fingering", *fingerings(), ci=None), "run")
    assert Path("run/rows_estimate.parquet").exists()
    kt.write_run(scores("decibel"), "run")
    assert kt.read_run("run").task == "chords"
    assert not Path("run/rows_estimate.parquet").exists()
    assert [path.name for path in Path().iterdir()] == ["run"]


def fingerings() -> tuple[object, object]:
    columns = {"onsets": [0, 1], "offsets": [1, 2], "pitches": [60, 62]}
    return {"x": columns | {"fingers": [1, 2]}}, {"mine": {"x": columns | {"fingers": [1, 3]}}}


def test_an_empty_folder_becomes_a_run() -> None:
    Path("run").mkdir()
    kt.write_run(scores(), "run")
    assert kt.read_run("run").systems == ("mine",)


def test_other_things_are_never_replaced() -> None:
    Path("run").mkdir()
    Path("run/notes.txt").write_text("dear", encoding="utf-8")
    assert refused("run") == "KT707 cannot write a run to `run`: it is a folder with other things"
    Path("run/run.json").write_text("{}", encoding="utf-8")
    assert refused("run") == "KT707 cannot write a run to `run`: what is there is no whole run"
    assert Path("run/notes.txt").read_text(encoding="utf-8") == "dear"


def test_a_run_with_other_things_is_not_replaced() -> None:
    kt.write_run(scores(), "run")
    Path("run/notes.txt").write_text("dear", encoding="utf-8")
    assert refused("run") == "KT707 cannot write a run to `run`: `notes.txt` there is not of a run"
    assert kt.read_run("run").systems == ("mine",)


def test_a_torn_run_is_not_replaced() -> None:
    kt.write_run(scores(), "run")
    Path("run/run.json").write_bytes(Path("run/run.json").read_bytes()[:-9])
    assert refused("run") == "KT707 cannot write a run to `run`: what is there is no whole run"


def test_a_file_is_not_replaced() -> None:
    Path("run").write_text("dear", encoding="utf-8")
    assert refused("run") == "KT501 cannot write a run to `run`: it is no folder"


def test_the_folder_above_must_be_there() -> None:
    assert refused("no/run") == "KT501 cannot write `no/run`: folder `no` does not exist"


def test_a_file_of_options_that_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Path("tree.csv")
    tree.write_text("node,parent\na,top\nb,top\n", encoding="utf-8")
    options = kt.instruments.InstrumentOptions(taxonomy="tree.csv")
    found = kt.score("instruments", {"x": ["a"]}, {"mine": {"x": ["b"]}}, options=options, ci=None)

    def fail(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", fail)
    with pytest.raises(kt.OutputError, match=r"KT502 cannot keep `tree.csv` in the run: permission denied"):
        kt.write_run(found, "run")
    assert not Path("run").exists()
