# SPDX-License-Identifier: MIT
"""``--no-reference``: estimates alone, in every form of output."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from cli.harness import Terminal
from kammerton.cli.demo import EXAMPLE
from kammerton.model.registry import find_task

SCORE = ("score", "fingering", "--no-reference")
WAITING = "Not evaluated, for lack of references: "


@pytest.fixture
def example(terminal: Terminal) -> Terminal:
    """The bundled fingerings: `hasty` and `careful`, three pieces each."""
    shutil.copytree(EXAMPLE / "fingering", terminal.folder, dirs_exist_ok=True)
    return terminal


@pytest.fixture
def pieces(terminal: Terminal) -> Terminal:
    """Of four steps from key to key one is wrong: finger 2 leaps from C4 to Eb4."""
    terminal.write(
        est={
            "one.csv": "onset,offset,pitch,hand,finger|0,1,60,R,2|1,2,63,R,2|2,3,64,R,3",
            "two.csv": "onset,offset,pitch,hand,finger|0,1,60,R,1|1,2,62,R,2|2,3,64,R,3",
        }
    )
    return terminal


def test_tables_say_what_needs_a_reference(pieces: Terminal) -> None:
    result = pieces.run(*SCORE, "est", "--no-ci")
    assert result.code == 0
    text = " ".join(result.out.split())
    assert text.startswith("est scores 25.0 % IFR (2 items).")
    assert f"{WAITING}nakamura2020/M_gen, nakamura2020/M_high," in text
    assert "Undefined for every system: ifr_chord." in text
    assert result.lines == ["2 of 2 items scored for 1 system; no item was left out"]


@pytest.mark.parametrize("form", ["table", "md", "latex"])
@pytest.mark.parametrize("options", [(), ("--all",)])
def test_every_form_of_tables_has_one_column_for_ifr(
    pieces: Terminal, form: str, options: tuple[str, ...]
) -> None:
    result = pieces.run(*SCORE, "est", "--format", form, "--protocol", "pianovam,nakamura2020", *options)
    assert result.code == 0
    assert " ".join(result.out.replace("%", "").split()).count(WAITING) == 1
    (row,) = (
        line
        for line in result.out.splitlines()
        if line.lstrip("| ").startswith(("est 25", "est  ", "est & 25", "est | 25"))
    )
    assert row.count("25.0") == 1


def test_json_has_null_and_the_reason(pieces: Terminal) -> None:
    document = pieces.run(*SCORE, "est", "--no-ci", "--format", "json").document
    told = {
        f"{entry['protocol']}/{entry['measure']}": (entry["value"], entry.get("reason"))
        for entry in document["scores"]
    }
    assert told["pianovam/IFR"] == (0.25, None)
    assert told["playability/ifr_melodic"] == (0.25, None)
    reason = told.pop("playability/ifr_chord")[1]
    assert reason is not None
    assert reason.startswith("nothing comparable: no chord has two fingered notes")
    others = {each for address, each in told.items() if each[0] is None}
    assert (others, len(told)) == ({(None, "no_reference")}, len(find_task("fingering").measures) - 1)
    assert document["items"] == {"est": {"total": 2, "ok": 2, "missing": 0, "failed": 0}}


def test_csv_has_empty_cells(pieces: Terminal) -> None:
    rows = list(csv.DictReader(io.StringIO(pieces.run(*SCORE, "est", "--format", "csv").out)))
    filled = {row["measure"] for row in rows if row["value"]}
    assert filled == {"IFR", "ifr_melodic"}
    assert {(row["items"], row["undefined"]) for row in rows if not row["value"]} == {("2", "2")}


def test_items_have_a_status_and_a_reason(pieces: Terminal) -> None:
    assert pieces.run(*SCORE, "est", "--no-ci", "--per-item", "items.jsonl").code == 0
    rows = [json.loads(line) for line in Path("items.jsonl").read_text().splitlines()]
    found = {(row["item"], row["value"], row["status"]) for row in rows if row["measure"] == "IFR"}
    assert found == {("one", 0.5, "ok"), ("two", 0.0, "ok")}
    assert {
        (row["value"], row["status"], row["reason"]) for row in rows if row["protocol"] == "nakamura2020"
    } == {(None, "undefined", "no_reference")}


def test_gates_look_at_what_has_a_value(pieces: Terminal) -> None:
    gates = [word for gate in ("pianovam/IFR=0.25", "strike/accuracy=0") for word in ("--fail-under", gate)]
    assert pieces.run(*SCORE, "est", *gates[:2]).code == 0
    result = pieces.run(*SCORE, "est", *gates, "--quiet")
    assert (result.code, result.lines) == (
        6,
        ["--fail-under: strike/accuracy of est is undefined (no_reference): failed"],
    )
    assert pieces.run(*SCORE, "est", "--fail-under", "pianovam/IFR=0.2").code == 6


def test_processes_do_not_show(example: Terminal) -> None:
    one = example.run(*SCORE, "hasty", "careful", "--resamples", "200")
    two = example.run(*SCORE, "hasty", "careful", "--resamples", "200", "--jobs", "2", "--shard-size", "1")
    assert (one.code, one.out) == (0, two.out)
    assert "CI -14.3 to" in one.out


def test_values_are_those_beside_references(example: Terminal) -> None:
    for protocol in ("pianovam", "playability"):
        options = ("--no-ci", "--protocol", protocol, "--format", "json")
        alone = example.run(*SCORE, "hasty", *options).document["scores"]
        beside = example.run("score", "fingering", "reference", "hasty", *options).document["scores"]
        known = {(row["measure"], row["aggregate"]): row["value"] for row in beside}
        defined = [row for row in alone if row["value"] is not None]
        assert len(defined) in (3, 6)
        for row in defined:
            assert known[row["measure"], row["aggregate"]] == row["value"]


def test_runs_packs_and_comparisons_need_no_references_either(example: Terminal) -> None:
    assert example.run("pack", "fingering", "hasty", "hasty.parquet").code == 0
    packed = example.run(*SCORE, "hasty.parquet", "--no-ci", "--out", "one")
    folder = example.run(*SCORE, "hasty", "--no-ci", "--out", "two")
    assert (packed.code, packed.out) == (0, folder.out)
    assert "nothing changed" in example.run("diff", "one", "two").out
    compared = example.run("compare", "fingering", "--no-reference", "hasty", "careful", "--format", "json")
    measures = {entry["measure"] for entry in compared.document["measures"]}
    assert (compared.code, measures) == (0, {"IFR", "ifr_melodic", "ifr_chord"})
    assert example.run(*SCORE, "careful", "--no-ci", "--out", "three").code == 0
    of_runs = example.run("compare", "fingering", "two", "three", "--format", "csv")
    of_folders = example.run("compare", "fingering", "--no-reference", "hasty", "careful", "--format", "csv")
    assert (of_runs.code, of_runs.out) == (0, of_folders.out)


def test_groups_are_told(example: Terminal) -> None:
    out = example.run(*SCORE, "hasty", "--no-ci", "--group-by", "^(.)").out
    assert "hasty, C" in out
    assert WAITING in out


NEEDED = "references and estimates are needed: no measure of {} does without references"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "chords", "--no-reference", "est"), NEEDED.format("chords")),
        (("score", "instruments", "--no-reference", "est"), NEEDED.format("instruments")),
        (("compare", "chords", "--no-reference", "est", "x=est"), NEEDED.format("chords")),
        ((*SCORE,), "EST is needed"),
        ((*SCORE, "est", "--measure", "strike/accuracy"), "all of these measures need references"),
        (
            (*SCORE, "est", "--pairs", "x.csv"),
            "--pairs names references, and --no-reference scores without any",
        ),
        (
            (*SCORE, "est", "--annotator", "x=est"),
            "--annotator NAME=PATH names references, and --no-reference scores",
        ),
        ((*SCORE, "est", "--annotator", "x"), "without references there is no annotator to choose"),
        ((*SCORE, "est", "--context"), "context is made from references, and there are none"),
        ((*SCORE, "est", "--table", "confusion"), "no table `confusion`"),
        (
            (*SCORE, "est", "--label-encoding", "references=pig"),
            "unknown side, annotator or system `references`",
        ),
    ],
)
def test_what_is_not_possible_is_a_usage_error(
    pieces: Terminal, arguments: tuple[str, ...], message: str
) -> None:
    result = pieces.run(*arguments)
    assert result.code == 2
    assert result.lines[0].startswith(f"error: {message}")


TSV = "onset\tkey_offset\tframe_offset\tnote\tvelocity"


def test_a_transcription_of_pianovam_has_nothing_to_judge(terminal: Terminal) -> None:
    rows = f"{TSV}|0.5\t0.75\t0.8\t60\t64|0.75\t1.0\t1.0\t63\t64"
    terminal.write(est={"a.tsv": rows, "b.tsv": rows})
    result = terminal.run(*SCORE, "est", "--no-ci", "--protocol", "pianovam", "--format", "json")
    assert result.code == 0
    assert result.lines[-1].startswith("no score is defined for any of 2 items; ")
    reasons = {entry["measure"]: (entry["value"], entry["reason"]) for entry in result.document["scores"]}
    assert reasons["IFR"] == (None, "no_fingers")
    assert reasons["Accuracy"] == (None, "no_reference")
    (said,) = (line for line in result.lines if line.startswith("warning"))
    assert said == (
        "warning[KT338] est/a.tsv:1:1: notes without fingers: as an estimate, nothing of them can be judged"
    )
    gate = terminal.run(*SCORE, "est", "--fail-under", "pianovam/IFR=1", "--quiet")
    assert (gate.code, gate.lines) == (
        6,
        ["--fail-under: pianovam/IFR of est is undefined (no_fingers): failed"],
    )


def test_with_fingers_it_has(terminal: Terminal) -> None:
    # a whole tone by one finger is legal, three semitones are not
    terminal.write(
        est={
            "a.tsv": f"{TSV}\tfinger|0\t1\t1\t60\t64\tR2|1\t2\t2\t63\t64\tR2|2\t3\t3\t65\t64\tR2",
            "b.tsv": f"{TSV}\tfinger|0\t1\t1\t60\t64\t7|1\t2\t2\t62\t64\tNoinfo|2\t3\t3\t65\t64\t7",
        }
    )
    result = terminal.run(*SCORE, "est", "--no-ci", "--format", "json")
    assert (result.code, result.lines) == (0, ["2 of 2 items scored for 1 system; no item was left out"])
    values = {(entry["measure"], entry["aggregate"]): entry["value"] for entry in result.document["scores"]}
    assert values["IFR", "pooled"] == 1 / 2  # of `b`, nobody says who plays the second note
    assert values["ifr_melodic", "pooled"] == 1 / 2
