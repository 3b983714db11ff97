# SPDX-License-Identifier: MIT
"""A run that is torn, changed, or of another version is refused with the reason, never with a traceback."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kammerton as kt
from kammerton.cli import main
from kammerton.instruments import InstrumentOptions
from kammerton.model.registry import find_task
from kammerton.runs import files as reading
from kammerton.runs import is_run
from kammerton.runs.layout import digest_of, render_record

REF = {"one": ([(0, 2), (2, 4)], ["C", "G:7"])}
EST = {"one": ([(0, 3), (3, 4)], ["C", "G"])}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    clusters = dict.fromkeys(REF, "album")
    kt.write_run(kt.score("chords", REF, {"mine": EST}, clusters=clusters, resamples=20), "run")
    return Path("run")


def refused(run: Path | str) -> tuple[str, str]:
    """Return where and how reading fails."""
    with pytest.raises(kt.DataError) as caught:
        kt.read_run(run)
    (problem,) = caught.value.diagnostics
    assert problem.severity == "error"
    return problem.code, f"{problem.file}: {problem.message}"


def forge(run: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change a record, and sign it anew."""
    record = json.loads((run / "run.json").read_bytes())
    for name in ("kind", "format", "digest"):
        del record[name]
    change(record)
    (run / "run.json").write_bytes(render_record(record))


def test_no_folder() -> None:
    code, told = refused("nowhere")
    assert (code, told) == (
        "KT700",
        "nowhere: not a run: run.json cannot be read: no such file or directory",
    )
    assert not is_run("nowhere")
    assert not is_run("\0")


@pytest.mark.parametrize("text", ["[1]", '{"a": 1}', "{", "[" * 100_000, '{"kind": "kammerton"}', "\xff"])
def test_a_record_of_something_else(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text, encoding="latin-1")
    assert refused(tmp_path)[0] == "KT700"
    assert not is_run(tmp_path)


def test_a_torn_record(run: Path) -> None:
    whole = (run / "run.json").read_bytes()
    (run / "run.json").write_bytes(whole[:-40])
    assert refused(run) == (
        "KT701",
        "run/run.json: run is torn: its record ends too early, or was changed",
    )
    assert is_run(run)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"missing": "worst"', '"missing": "skip"'),
        ('"seed": 0', '"seed": NaN'),
        ('"seed": 0', '"seed": 1e999'),
        ('"digest": "', '"digest": "0'),
        ('"digest": "', '"other": "'),
    ],
)
def test_an_edited_record(run: Path, before: str, after: str) -> None:
    text = (run / "run.json").read_text(encoding="ascii")
    assert before in text
    (run / "run.json").write_text(text.replace(before, after), encoding="ascii")
    assert refused(run) == (
        "KT701",
        "run/run.json: run was changed after it was written: its record is not what was signed",
    )


def test_a_number_of_too_many_digits(run: Path) -> None:
    text = (run / "run.json").read_text(encoding="ascii").replace('"seed": 0', f'"seed": {"9" * 5000}')
    (run / "run.json").write_text(text, encoding="ascii")
    assert refused(run)[0] == "KT701"


@pytest.mark.parametrize("name", ["rows_pair.parquet", "references.parquet", "clusters.parquet"])
def test_a_torn_file(run: Path, name: str) -> None:
    whole = (run / name).read_bytes()
    (run / name).write_bytes(whole[:-1])
    assert refused(run) == ("KT702", f"run/{name}: run is torn: a file ends too early, or was changed")
    (run / name).unlink()
    assert refused(run) == (
        "KT702",
        f"run/{name}: run is torn: cannot be read: no such file or directory",
    )
    (run / name).mkdir()
    assert refused(run) == ("KT702", f"run/{name}: run is torn: not a regular file: a folder")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_changed_byte_goes_unnoticed(run: Path, data: st.DataObject) -> None:
    names = sorted(path.name for path in run.iterdir() if path.name != "annotations.parquet")
    name = data.draw(st.sampled_from(names))
    whole = (run / name).read_bytes()
    # how long it took differs between two runs of the same, and is not signed
    timing = re.search(rb'"timing": \{.*?\n \}', whole, re.DOTALL) if name == "run.json" else None
    unsigned = range(*timing.span()) if timing else ()
    place = data.draw(st.integers(0, len(whole) - 1).filter(lambda each: each not in unsigned))
    changed = bytearray(whole)
    changed[place] ^= data.draw(st.integers(1, 255))
    (run / name).write_bytes(changed)
    try:
        assert refused(run)[0] in {"KT700", "KT701", "KT702", "KT704"}
    finally:
        (run / name).write_bytes(whole)


@pytest.mark.parametrize(("before", "after"), [(b"\n", b" "), (b" ", b"\t"), (b"\\u00e9", b"\\u00E9")])
def test_a_record_is_the_same_to_the_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bytes, after: bytes
) -> None:
    """JSON would say the same; which changes are harmless is not for the reader to judge."""
    monkeypatch.chdir(tmp_path)
    kt.write_run(kt.score("chords", REF, {"é": EST}, ci=None), "run")
    whole = Path("run/run.json").read_bytes()
    changed = whole.replace(before, after, 1)
    assert changed != whole
    assert json.loads(changed) == json.loads(whole)
    Path("run/run.json").write_bytes(changed)
    assert refused("run")[0] == "KT701"


@pytest.mark.parametrize("name", ["../tree.csv", "/etc/hostname", "tree.csv", "option_unknown.csv"])
def test_files_outside_a_run_are_not_opened(tmp_path: Path, name: str) -> None:
    lists = {"song": ["flute"]}
    tree = tmp_path / "tree.json"
    tree.write_text('{"flute": "wind"}', encoding="utf-8")
    options = InstrumentOptions(taxonomy=str(tree))
    kt.write_run(kt.score("instruments", lists, lists, options=options, ci=None), tmp_path / "run")
    forge(tmp_path / "run", lambda record: record["options"]["taxonomy"].update(file=name))
    assert refused(tmp_path / "run")[0] == "KT701"


def without_rows(record: dict[str, Any]) -> None:
    del record["files"]["rows_pair.parquet"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (without_rows, "run does not hold together: KeyError 'rows_pair.parquet'"),
        (lambda record: record.clear(), "run does not hold together: KeyError 'files'"),
        (lambda record: record.update(files=[]), "run does not hold together: AttributeError"),
        (lambda record: record["files"].update({"../x": "0"}), "a run has no file `../x`"),
        (lambda record: record["tables"][0].update(columns=["root"]), "run does not hold together: Column"),
        (lambda record: record["tables"][0].update(groups=[]), "run does not hold together: KeyError"),
        (lambda record: record["diagnostics"].append({}), "run does not hold together: TypeError"),
        (lambda record: record.update(options={"layout": "odd"}), "run does not hold together: OptionError"),
        (lambda record: record.update(options={"odd": 1}), "run does not hold together: TypeError"),
        (lambda record: record["intervals"].pop("level"), "run does not hold together: KeyError 'level'"),
    ],
)
def test_a_forged_record(run: Path, change: Callable[[dict[str, Any]], Any], told: str) -> None:
    forge(run, change)
    code, message = refused(run)
    assert code == "KT703"
    assert message.startswith(f"run: {told}")


def test_a_forged_file(run: Path) -> None:
    (run / "rows_pair.parquet").write_bytes(b"PAR1")
    forge(run, lambda record: record["files"].update({"rows_pair.parquet": digest_of(b"PAR1")}))
    assert refused(run)[0] == "KT703"


def test_a_file_of_options_that_cannot_be_used(tmp_path: Path) -> None:
    tree = tmp_path / "tree.csv"
    tree.write_text("node,parent\na,top\nb,top\n", encoding="utf-8")
    options = kt.instruments.InstrumentOptions(taxonomy=str(tree))
    folder = tmp_path / "run"
    kt.write_run(kt.score("instruments", {"x": ["a"]}, {"mine": {"x": ["b"]}}, options=options), folder)
    (folder / "option_taxonomy.csv").write_bytes(b"node,parent\na,b\nb,a\n")
    forge(
        folder,
        lambda record: record["files"].update(
            {"option_taxonomy.csv": digest_of((folder / "option_taxonomy.csv").read_bytes())}
        ),
    )
    code, told = refused(folder)
    assert code == "KT703"
    assert "run does not hold together: " in told
    assert "option_taxonomy.csv" in told


def test_a_run_of_a_later_version(run: Path) -> None:
    text = (run / "run.json").read_text(encoding="ascii")
    (run / "run.json").write_text(text.replace('"format": 1', '"format": 2'), encoding="ascii")
    assert refused(run) == (
        "KT704",
        "run/run.json: run of form 2, written by a later version; this one reads 1",
    )


def test_a_run_of_another_revision(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = find_task("chords")
    raised = replace(
        task, protocols=tuple(replace(each, revision=each.revision + 1) for each in task.protocols)
    )
    monkeypatch.setattr(reading, "find_task", lambda _: raised)
    assert refused(run) == (
        "KT705",
        "run: run of mirex2013 of revision 2; the protocol has revision 3 now",
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"task": "beats"}, "run of a task that this version does not know: `beats`"),
        (
            {"measures": ["mirex2013/Odd"]},
            "run of a measure that this version does not know: `mirex2013/Odd`",
        ),
    ],
)
def test_a_run_of_what_is_not_known(run: Path, change: dict[str, Any], told: str) -> None:
    forge(run, lambda record: record.update(change))
    assert refused(run) == ("KT706", f"run: {told}")
    for verb in (["report", "run"], ["diff", "run", "run"], ["compare", "chords", "run"]):
        assert main(verb) == 2  # as for any name that is not known


def test_a_run_may_be_moved(run: Path) -> None:
    written = kt.read_run(run).to_dict()
    shutil.move(run, "elsewhere")
    assert kt.read_run("elsewhere").to_dict() == written
