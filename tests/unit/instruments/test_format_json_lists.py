# SPDX-License-Identifier: MIT
"""JSON of one item, or by item."""

import json
from pathlib import Path

import pytest

from kammerton.formats import Limits
from unit.instruments.listing import SAMPLE, items, lists, only, read, sheet, told

REPORTED = Path(__file__).parents[2] / "cases" / "reported" / "instruments"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["E", "F"], "<E F>"),
        ([], "<>"),
        ({"instruments": ["E", "F"], "title": "x"}, "<E F>"),
        ({"labels": {"E": 0.25, "F": 0.5}}, "v<E=0.25 F=0.5>"),
        ({"E": 0.25, "F": 1}, "v<E=0.25 F=1>"),
        ({"E": 1, "F": 0, "G": True, "H": False}, "{E G}"),
        ({"E": 1.0, "F": 0.0}, "{E}"),
        ([["E", 0.25], ["F", 0.5]], "<F=0.5 E=0.25>"),
        ({"stems": ["E", "E", "F"], "raw": ["G"]}, "{E F}"),
    ],
)
def test_one_item(value: object, expected: str) -> None:
    assert only(read(json.dumps(value), ".json")) == expected
    assert only(read(json.dumps(value), ".txt")) == expected


def test_items_with_lists_labels_and_scores_beside_each_other() -> None:
    text = json.dumps(
        {"a.wav": ["F", "E"], "b": {"E": 0.25, "F": 0.5}, "c": [], "d": "E", "e": {"tags": ["G"]}}
    )
    found = sheet(text, ".json")
    assert items(found) == {"a": "<F E>", "b": "v<E=0.25 F=0.5>", "c": "<>", "d": "<E>", "e": "<G>"}
    assert (found.broken, told(found.diagnostics)) == ({}, "")


def test_0_and_1_in_all_items_are_sets_and_null_was_not_judged() -> None:
    text = '{"a": {"E": 1, "F": 0}, "b": {"E": 0, "F": null}, "c": {}}'
    found = sheet(text, ".json")
    assert items(found) == {"a": "{E}", "b": "{!E ...}", "c": "{}"}
    assert told(found.diagnostics) == (
        "note KT614 3 of 4 pairs of item and instrument were judged; the rest is neither right nor wrong\n"
        "  help: --assume-absent takes what nobody judged for absent"
    )
    assert items(sheet(text, ".json", assume_absent=True)) == {"a": "{E}", "b": "{!E}", "c": "{}"}
    other = sheet('{"a": {"E": 1, "F": 0}, "b": {"E": 0.5, "F": null}}', ".json")
    assert items(other) == {"a": "v<E=1 F=0>", "b": "v<E=0.5>"}
    assert told(other.diagnostics) == "note 1:46+4 KT612 label without a score left out"


def test_stems_by_recording() -> None:
    text = (
        '{"a": {"genre": "", "raw": ["X"],\n"stems": ["Main System", "E", "Unlabeled", "E"]},\n'
        '"b": {"stems": ["Main System"]}}'
    )
    found = sheet(text, ".json")
    assert items(found) == {"a": "{E}", "b": "{}"}
    assert told(found.diagnostics) == (
        "note 2:12+11 KT627 `Main System` names no instrument, and is left out (2 in all)\n"
        "note 2:32+9 KT627 `Unlabeled` names no instrument, and is left out"
    )


def test_notes_of_nsynth_are_of_their_families() -> None:
    text = (REPORTED / "nsynth_examples.json").read_text(encoding="utf-8")
    found = sheet(text, ".json")
    assert items(found) == {"bass_synthetic_033-022-050": "{bass}", "guitar_acoustic_010-066-100": "{guitar}"}
    assert told(found.diagnostics) == ""
    unknown = sheet('{"n": {"pitch": 22,\n"instrument_family_str": "Ee"}}', ".json", taxonomy=SAMPLE)
    assert [(each.code, each.line, each.column) for each in unknown.diagnostics] == [("KT600", 2, 27)]


@pytest.mark.parametrize("text", ['{"lists": {}}', '{"a": [], "b": {}}', '{"a": {"F": 0, "G": 0}}'])
def test_a_file_in_which_no_item_has_an_instrument_is_said(text: str) -> None:
    found = sheet(text, ".json")
    assert told(found.diagnostics) == "warning KT622 no item of the file has an instrument"
    assert told(sheet('{"a": [], "b": ["F"]}', ".json").diagnostics) == ""


def test_numbers_of_classes_are_no_scores() -> None:
    said = told(read('{"E": 0, "F": 1, "G": 2}', ".json").diagnostics)
    assert said.startswith(
        "error 1:1+24 KT624 format not recognised: numbers of classes, and no annotations\n"
    )
    assert only(read('{"E": 2, "F": 1, "G": 0}', ".json")) == "v<E=2 F=1 G=0>"


def test_repeats_and_unknown_labels_have_places() -> None:
    found = sheet('{"a": ["E", "E"],\n "b": ["Ee", "F"], "c": ["F"]}', ".json", taxonomy=SAMPLE)
    assert items(found) == {"a": "<E>", "c": "<F>"}
    said = [(each.severity, each.code, each.line, each.column, each.length) for each in found.diagnostics]
    assert said == [("warning", "KT603", 1, 14, 1), ("error", "KT600", 2, 9, 2)]
    nested = read('{"instruments": ["F",\n "Ee"]}', ".json", taxonomy=SAMPLE)
    assert [(each.code, each.line, each.column) for each in nested.diagnostics] == [("KT600", 2, 3)]
    single = sheet('{"a": ""}', ".json")
    assert [(each.code, each.line, each.column) for each in single.diagnostics] == [("KT619", 1, 8)]


def test_values_that_cannot_be_used_break_their_items() -> None:
    text = (
        '{"a": ["E", 5],\n"b": {"E": "high", "F": 1},\n"c": [["E", "x"]],\n"d": null,\n'
        '"e": {"E": 1e400},\n"f": [["E", 1], "F"],\n"g": ["E", ["F", "G", "H"]],\n"h": 3,\n"i": ["E"],\n'
        '"j": {"E": {"F": 1}},\n"k": {"E": Infinity}, "l": {"E": null}}'
    )
    found = sheet(text, ".json")
    assert items(found) == {"i": "<E>"}
    places = [(each.code, each.line, each.column) for each in found.diagnostics]
    assert places == [
        ("KT619", 1, 13),
        ("KT624", 2, 6),
        ("KT609", 3, 7),
        ("KT624", 4, 6),
        ("KT609", 5, 12),
        ("KT610", 6, 18),
        ("KT619", 7, 12),
        ("KT624", 8, 6),
        ("KT624", 10, 6),
        ("KT609", 11, 12),
        ("KT624", 11, 28),
    ]
    assert found.broken["a"] == "KT619 label must be a string, not a number"
    assert found.broken["b"] == "KT624 format not recognised: mixed values for an item"
    assert found.broken["c"] == "KT609 score is no finite number: the string `x`"
    assert found.broken["e"] == "KT609 score is no finite number: `1E+400`"


def test_nan_is_no_score() -> None:
    reading = read('{"E": 0.5, "F": NaN}', ".json")
    assert lists(reading) == {None: "v<E=0.5>"}
    assert told(reading.diagnostics) == (
        "note 1:17+3 KT612 score is not a number, and counts as none\n"
        "note 1:17+3 KT612 label without a score left out"
    )


def test_names_of_items() -> None:
    found = sheet('{"a.wav": ["E"], "a.mp3": ["F"], "": ["G"], "b": ["G"], "cafe\\u0301": []}', ".json")
    assert items(found) == {"b": "<G>", "caf\xe9": "<>"}
    assert told(found.diagnostics) == (
        "error 1:27+5 KT618 item stands twice: `a`\n"
        "  help: it stands first in line 1, column 11: take one of the two out\n"
        "error 1:38+5 KT621 key names no item"
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "KT110"),
        ("{}", "KT110"),
        ('"E"', "KT624"),
        ("3", "KT624"),
        ("null", "KT624"),
        ("{'a': 1}", "KT141"),
        ('{"a": ["E"]', "KT141"),
        ('{"a": ["E"],}', "KT141"),
        ('{"a": ["E"], "a": ["F"]}', "KT142"),
        ('["\\ud800"]', "KT146"),
        ("[" * 200_000, "KT106"),
        ('{"a": ' + "[" * 100 + "]" * 100 + "}", "KT106"),
    ],
)
def test_texts_that_cannot_be_used(text: str, code: str) -> None:
    reading = read(text, ".json")
    assert reading.annotations == ()
    assert [said.code for said in reading.diagnostics] == [code]


def test_numbers_of_any_length_cost_nothing() -> None:
    reading = read('{"E": ' + "9" * 5_000 + ', "F": 0.5}', ".json")
    assert [said.code for said in reading.diagnostics] == ["KT609"]
    reading = read('{"E": 1e-999999999, "F": 0.5}', ".json")
    assert lists(reading) == {None: "v<E=0 F=0.5>"}


def test_keys_of_javascript_are_items_and_labels_like_others() -> None:
    assert items(sheet('{"__proto__": ["constructor"]}', ".json")) == {"__proto__": "<constructor>"}


def test_budgets() -> None:
    said = read('["E", "F", "G"]', ".json", limits=Limits(rows=2)).diagnostics
    assert told(said) == "error KT106 3 rows: over the limit of 2"


@pytest.mark.parametrize("text", ["[0, 40, 128]", '["0", "40", "128"]'])
def test_numbers_are_programs_in_general_midi(text: str) -> None:
    reading = read(text.replace(", 128", "").replace(', "128"', ""), ".json", taxonomy="general-midi")
    assert lists(reading) == {None: "<Acoustic Grand Piano Violin>"}
    assert [(each.code, each.count) for each in reading.diagnostics] == [("KT608", 1)]
    beyond = read(text, ".json", taxonomy="general-midi")
    assert beyond.annotations == ()
    assert [each.code for each in beyond.diagnostics] == ["KT608", "KT600"]
