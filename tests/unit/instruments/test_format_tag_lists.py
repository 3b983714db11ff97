# SPDX-License-Identifier: MIT
"""Rows that list the labels of an item: tags of MTG-Jamendo, segments of AudioSet."""

import os
from pathlib import Path

import pytest

import kammerton as kt
from kammerton.formats import Limits
from kammerton.instruments import InstrumentOptions
from unit.instruments.listing import SAMPLE, items, read, sheet, told

REPORTED = Path(__file__).parents[2] / "cases" / "reported" / "instruments"
SEGMENTS = (REPORTED / "audioset_segments.csv").read_text(encoding="utf-8")

# --- MTG-Jamendo ---------------------------------------------------------------------------

HEADER = "TRACK_ID\tARTIST_ID\tALBUM_ID\tPATH\tDURATION\tTAGS\n"
FIRST = (
    "track_0000948\tartist_000087\talbum_000149\t48/948.mp3\t212.7\tinstrument---piano\tinstrument---bass\n"
)


def test_tags_of_instruments() -> None:
    found = sheet(HEADER + FIRST + "track_0000950\ta\tb\t50/950.mp3\t1.0\tinstrument---piano\t\n", ".tsv")
    assert items(found) == {"track_0000948": "{piano bass}", "track_0000950": "{piano}"}
    assert (found.broken, told(found.diagnostics)) == ({}, "")


def test_other_tags_are_left_out_and_a_track_without_any_was_judged_by_nobody() -> None:
    text = HEADER + FIRST + "track_2\ta\tb\t2.mp3\t1.0\tgenre---rock\tmood/theme---sad\n"
    found = sheet(text, ".tsv")
    assert items(found) == {"track_0000948": "{piano bass}", "track_2": "{...}"}
    assert told(found.diagnostics) == (
        "note KT627 tags that are no instruments are left out: `genre`, `mood/theme` (2 in all)\n"
        "note KT614 tracks without a tag of an instrument: nobody judged theirs"
    )
    assumed = sheet(text, ".tsv", assume_absent=True)
    assert items(assumed)["track_2"] == "{}"
    assert assumed.diagnostics[1].message == (
        "tracks without a tag of an instrument: none of theirs is there"
    )


def test_tags_have_places() -> None:
    found = sheet(HEADER + FIRST, ".tsv", taxonomy=SAMPLE)
    begin = FIRST.index("piano") + 1
    assert [(said.code, said.line, said.column, said.length) for said in found.diagnostics] == [
        ("KT600", 2, begin, 5),
        ("KT600", 2, FIRST.index("bass") + 1, 4),
    ]


def test_rows_that_cannot_be_used() -> None:
    text = HEADER + "track_1\ta\tb\n\ta\tb\t2.mp3\t1\tinstrument---F\n" + 3 * FIRST
    found = sheet(text + "track_3\ta\tb\t2.mp3\t1\tinstrument---F\n", ".tsv")
    assert items(found) == {"track_3": "{F}"}
    assert [(said.code, said.line, said.severity) for said in found.diagnostics if said.line] == [
        ("KT161", 2, "error"),
        ("KT621", 3, "error"),
        ("KT618", 5, "error"),
        ("KT618", 6, "error"),
    ]
    assert [said.hint for said in found.diagnostics if said.code == "KT618"] == [
        "it stands first in line 4: take one of the two out"
    ] * 2
    assert found.broken["track_1"] == "KT161 row has 3 columns, the header 6"
    assert found.broken["track_0000948"] == "KT618 item stands twice: `track_0000948`"


def test_a_file_without_tracks_and_budgets() -> None:
    assert told(read(HEADER, ".tsv").diagnostics) == "error KT110 no annotation rows"
    said = read(HEADER + FIRST + FIRST, ".tsv", limits=Limits(rows=1)).diagnostics
    assert told(said) == "error KT106 2 rows: over the limit of 1"


# --- AudioSet ------------------------------------------------------------------------------

ONTOLOGY = """[
  {"id": "/m/04rlf", "name": "Music", "child_ids": ["/m/04szw", "/m/0ggq0m"]},
  {"id": "/m/0ggq0m", "name": "Classical music", "child_ids": []},
  {"id": "/m/04szw", "name": "Musical instrument", "child_ids": ["/m/0342h", "/m/05148p4", "/m/0l14md"]},
  {"id": "/m/0342h", "name": "Guitar", "child_ids": []},
  {"id": "/m/05148p4", "name": "Keyboard (musical)", "child_ids": ["/m/05r5c"]},
  {"id": "/m/05r5c", "name": "Piano", "child_ids": []},
  {"id": "/m/0l14md", "name": "Percussion", "child_ids": ["/m/026t6"]},
  {"id": "/m/026t6", "name": "Drum", "child_ids": []},
  {"id": "/m/07y_7", "name": "Violin, fiddle", "child_ids": []}
]"""
"""A part of it, in which violins are below nothing."""


def test_segments_are_the_labels_of_videos() -> None:
    found = sheet(SEGMENTS, ".csv")
    assert items(found) == {
        "--aaaaaaaaa": "{/m/0342h /m/04rlf}",
        "--bbbbbbbbb": "{/m/05r5c /m/05148p4}",
        "--ccccccccc": "{/m/026t6}",
        "-0dddddddddd": "{/m/07y_7 /m/0l14md}",
    }
    assert told(found.diagnostics) == (
        "note 4:31+8 KT629 labels are identifiers of AudioSet, not names (4 items) (4 in all)\n"
        "  help: --taxonomy ontology.json, or --map class_labels_indices.csv, gives them names"
    )


def test_segments_may_have_a_header_or_none() -> None:
    whole = items(sheet(SEGMENTS, ".csv"))
    rows = SEGMENTS.split("\n", 3)[3]
    assert items(sheet(rows, ".csv")) == whole
    assert items(sheet("YTID,start_seconds,end_seconds,positive_labels\n" + rows, ".csv")) == whole


def test_identifiers_are_looked_up_in_the_ontology(tmp_path: Path) -> None:
    path = tmp_path / "ontology.json"
    path.write_text(ONTOLOGY)
    found = sheet(SEGMENTS, ".csv", taxonomy=str(path))
    assert items(found) == {
        "--aaaaaaaaa": "{Guitar}",
        "--bbbbbbbbb": "{Piano Keyboard (musical)}",
        "--ccccccccc": "{Drum}",
        "-0dddddddddd": "{Percussion}",
    }
    by_names = "identifiers are read by the names that `ontology.json` gives them (4 items)"
    assert told(found.diagnostics) == (
        f"note 4:31+8 KT629 {by_names} (4 in all)\n"
        "note 4:40+8 KT606 `/m/04rlf` is no instrument by `ontology.json`, and left out (1 item)\n"
        "note 7:32+8 KT606 `/m/07y_7` is no instrument by `ontology.json`, and left out (1 item)"
    )
    named = sheet("file,instrument\na,Music\na,Drum\na,/m/04szw\na,Musik\n", ".csv", taxonomy=str(path))
    assert [(each.code, each.line) for each in named.diagnostics] == [
        *(("KT606", 2), ("KT607", 4), ("KT629", 4), ("KT600", 5))
    ]


def test_identifiers_are_looked_up_in_label_maps(tmp_path: Path) -> None:
    choices = {"map": "audioset-to-openmic-2018", "taxonomy": "openmic-2018", "unknown": "drop"}
    assert items(sheet(SEGMENTS, ".csv", **choices)) == {
        "--aaaaaaaaa": "{guitar}",
        "--bbbbbbbbb": "{piano}",
        "--ccccccccc": "{drums}",
        "-0dddddddddd": "{violin}",
    }
    classes = tmp_path / "class_labels_indices.csv"
    classes.write_text('index,mid,display_name\n137,/m/0342h,"Guitar"\n186,/m/07y_7,"Violin, fiddle"\n')
    found = items(sheet(SEGMENTS, ".csv", map=str(classes)))
    assert found["--aaaaaaaaa"] == "{Guitar /m/04rlf}"
    assert found["-0dddddddddd"] == "{Violin, fiddle /m/0l14md}"


def test_segments_are_scored() -> None:
    path = REPORTED / "audioset_segments.csv"
    options = InstrumentOptions(map="audioset-to-openmic-2018", taxonomy="openmic-2018", unknown="drop")
    said = {
        "--aaaaaaaaa": ["guitar"],
        "--bbbbbbbbb": ["piano", "organ"],
        "--ccccccccc": [],
        "-0dddddddddd": [],
    }
    found = kt.score("instruments", path, {"system": {**said, "-0dddddddddd": []}}, options=options, ci=None)
    assert found.value("open-mic-task1/micro_P") == 2 / 3
    assert found.value("open-mic-task1/micro_R") == 2 / 4


def test_segments_that_cannot_be_used() -> None:
    text = (
        '# YTID, start_seconds, end_seconds, positive_labels\na, 0, 10, "/m/1,/m/2"\nb, 0, 10\nc, 0, 10, ""\n'
        ', 0, 10, "/m/1"\nd, 0, 10, "/m/1"\nd, 10, 20, "/m/1"\n'
    )
    found = sheet(text, ".csv", map="audioset-to-openmic-2018")
    assert items(found) == {"a": "{/m/1 /m/2}", "c": "{}"}
    assert set(found.broken) == {"b", "d"}
    assert told(found.diagnostics) == (
        "error 3:1+8 KT161 row has 3 columns instead of 4\n"
        "  help: a row is the id of a video, start, end, and its labels between quotes\n"
        "note 4:12+1 KT622 row without a label: its item has none\n"
        "error 5:1+1 KT621 row names no item\n"
        "error 7:1+1 KT618 item stands twice: `d`\n"
        "  help: it stands first in line 6: take one of the two out"
    )


def test_a_list_of_classes_is_no_annotation() -> None:
    said = told(read('index,mid,display_name\n0,/m/09x0r,"Speech"\n', ".csv").diagnostics)
    assert said == (
        "error 1:1+22 KT616 a list of classes, and no annotations\n"
        "  help: --map FILE reads it, and gives identifiers of AudioSet their names"
    )


def test_segments_within_budgets() -> None:
    said = read(SEGMENTS, ".csv", limits=Limits(rows=2)).diagnostics
    assert told(said) == "error KT106 4 rows: over the limit of 2"
    empty = read("# YTID, start_seconds, end_seconds, positive_labels\n", ".csv")
    assert told(empty.diagnostics) == "error KT110 no annotation rows"


def test_real_classes_and_ontology() -> None:
    root = os.environ.get("KAMMERTON_SHARED")
    if root is None:
        pytest.skip("KAMMERTON_SHARED names no folder with the ontology")
    folder = Path(root) / "data" / "instruments" / "audioset"
    by_ontology = items(sheet(SEGMENTS, ".csv", taxonomy=str(folder / "ontology.json")))
    assert by_ontology["--aaaaaaaaa"] == "{Guitar}"
    assert by_ontology["-0dddddddddd"] == "{Violin, fiddle Percussion}"
    by_classes = items(sheet(SEGMENTS, ".csv", map=str(folder / "class_labels_indices.csv")))
    assert by_classes["--aaaaaaaaa"] == "{Guitar Music}"
    found = kt.check("instruments", folder / "class_labels_indices.csv")
    assert ["a list of classes" in each.message for each in found.diagnostics] == [True]
