# SPDX-License-Identifier: MIT
"""The page of data sets: its commands run on files built as published ones are, its scores are official."""

import csv
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from kammerton.cli import main

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "data_sets.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^kammerton .*$", PAGE, re.MULTILINE)
COLUMNS = ["Root", "MajMin", "MajMinBass", "Sevenths", "SeventhsBass", "MeanSeg", "UnderSeg", "OverSeg"]

NOTES = "//Version: PianoFingering_v170101\n0\t0\t1\tC4\t64\t80\t0\t1\n1\t1\t2\tE4\t64\t80\t0\t3\n"
ABCDF = (
    "% abcDidactyl v5\n% abcD fingering 1: 12@\n% abcDidactyl END\nX:1\nT:short\nM:4/4\nL:1/4\nK:C\nC D |\n"
)
TABLE = (
    "onset\tkey_offset\tframe_offset\tnote\tvelocity\tfinger\n0\t1\t1\t60\t64\tR1\n1\t2\t2\t64\t64\tNoinfo\n"
)
NODES = """[{"id": "/m/04szw", "name": "Musical instrument", "child_ids": ["/m/05r5c"]},
 {"id": "/m/05r5c", "name": "Piano", "child_ids": []}]"""
STEMS = "stems:\n  S01: {instrument: piano}\n  S02: {instrument: [violin, cello]}\n"

FILES: dict[str, Mapping[str, str]] = {
    "mirex": {
        f"{folder}/Queen/Song.lab": "0.0\t2.0\tC\n2.0\t4.0\tG:7\n\n"
        for folder in ("2017-CM2", "2017-KBK2", "2018-JLCX1", *(f"Ground-Truth{k}" for k in ["", *"1234"]))
    },
    "PIG": {
        "FingeringFiles/001-1_fingering.txt": NOTES,
        "FingeringFiles/001-2_fingering.txt": NOTES.replace("3\n", "2\n"),
        "estimates/001_est_fingering.txt": NOTES,
    },
    "PianoVAM": {
        "Fingering/a.tsv": TABLE,
        "estimates/a.tsv": TABLE,
        "metadata.json": '{"1": {"record_time": "a", "split": "test"}}',
    },
    "Beringer": {"abcd/short.abcd": ABCDF, "estimates/short_est_fingering.txt": NOTES.replace("E4", "D4")},
    "OpenMIC-2018": {
        "openmic-2018-aggregated-labels.csv": "sample_key,instrument,relevance,num_responses\n"
        "000046_3840,flute,0.9,3\n000046_3840,piano,0.1,3\n000178_3840,piano,0.8,3\n000178_3840,flute,0.0,3\n",
        "openmic-2018-individual-responses.csv": "sample_key,worker_id,worker_trust,channel,instrument,"
        "response\n000046_3840,u,0.8,a,flute,1.0\n000046_3840,v,0.9,a,flute,1.0\n000178_3840,u,0.9,a,flute,0.0\n",
        "partitions/split01_test.csv": "000046_3840\n000178_3840\n",
        "scores.csv": "sample_key,flute,piano\n000046_3840,0.9,0.3\n000178_3840,0.2,0.6\n",
    },
    "MedleyDB": {"Metadata/A_B_METADATA.yaml": STEMS, "estimates.csv": "file,instrument\nA_B,piano\n"},
    "IRMAS": {
        "IRTestingData/song-1.txt": "pia\t\n",
        "IRTestingData/song-2.txt": "vio\t\nvoi\t\n",
        "IRTestingData/more-1.txt": "vio\t\n",
        "estimates.csv": "file,instrument\nsong-1,pia\nsong-2,voi\nmore-1,vio\n",
    },
    "MTG-Jamendo": {
        "data/splits/split-0/autotagging_instrument-test.tsv": "TRACK_ID\tARTIST_ID\tALBUM_ID\tPATH\t"
        "DURATION\tTAGS\ntrack_1\ta\tb\t1/1.mp3\t30\tinstrument---piano\n"
        "track_2\ta\tb\t2/2.mp3\t30\tinstrument---violin\tgenre---pop\n",
        "scores.csv": "file,piano,violin\ntrack_1,0.9,0.1\ntrack_2,0.2,0.8\n",
    },
    "AudioSet": {
        "eval_segments.csv": '# YTID, start_seconds, end_seconds, positive_labels\n'
        'abc, 30, 40, "/m/05r5c,/m/09x0r"\n',
        "ontology.json": NODES,
        "class_labels_indices.csv": 'index,mid,display_name\n0,/m/05r5c,"Piano"\n1,/m/09x0r,"Speech"\n',
        "estimates.csv": "file,instrument\nabc,/m/05r5c\n",
    },
}  # fmt: skip


def test_each_command_runs_on_files_as_they_are_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sections = dict(
        zip(FILES, re.split(r"^###? (?!Fingering|Instruments)", PAGE, flags=re.MULTILINE)[1:], strict=True)
    )
    ran = []
    for name, files in FILES.items():
        for path, text in files.items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_text(text, encoding="utf-8")
        monkeypatch.chdir(tmp_path / name)
        for command in re.findall(r"^kammerton .*$", sections[name], re.MULTILINE):
            code = main([*shlex.split(command)[1:]])
            assert code == 0, f"{command}\n{capsys.readouterr()}"
            ran.append(command)
    assert ran == COMMANDS


def rows() -> list[tuple[str, str, dict[str, str], str]]:
    """Return the rows of the table of MIREX: set, submission, scores, and whether these are tested."""
    found = re.findall(r"^\| (201\S+) \| (\w+) \| (.*) \| (tested|quoted) \|$", PAGE, re.MULTILINE)
    return [
        (songs, system, dict(zip(COLUMNS, scores.split(" | "), strict=True)), how)
        for songs, system, scores, how in found
    ]


def test_scores_quoted_are_those_that_were_scored_again() -> None:
    with (ROOT / "examples" / "mirex_rescored.csv").open(encoding="utf-8", newline="") as file:
        again = {
            (f"{row['year']}-{row['set']}", row["system"], row["measure"]): row["score"]
            for row in csv.DictReader(file)
        }
    compared = 0
    for songs, system, scores, _ in rows():
        for measure in ("MajMin", "SeventhsBass"):
            if (songs, system, measure) in again:
                compared += 1
                assert scores[measure] == again[songs, system, measure]
    assert compared == 14


def test_scores_tested_are_official() -> None:
    """That they are what Kammerton computes, tests/oracle/test_real_songs.py shows."""
    root = os.environ.get("KAMMERTON_SHARED")
    if root is None:
        pytest.skip("KAMMERTON_SHARED names no folder with real annotations")
    with (Path(root) / "data/chords/mirex/official_summary.csv").open(encoding="utf-8", newline="") as file:
        official = {(row["edition_dataset"], row["Algorithm"]): row for row in csv.DictReader(file)}
    tested = [row for row in rows() if row[3] == "tested"]
    assert len(tested) == 6
    for songs, system, scores, _ in tested:
        row = official[songs, system]
        assert scores == {name: row[name if name.endswith("Seg") else f"Mirex{name}"] for name in COLUMNS}
