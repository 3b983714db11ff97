# SPDX-License-Identifier: MIT
"""Metadata of recordings in YAML."""

from pathlib import Path

import pytest

import kammerton as kt
from kammerton.formats import Limits
from kammerton.instruments.labels import identify
from kammerton.instruments.reading import read_instruments, unfold
from unit.instruments.listing import SAMPLE, lists, only, read, told, write

REPORTED = Path(__file__).parents[2] / "cases" / "reported" / "instruments"

TEXT = """\
album: None
excerpt: 'no'
stems:
  S01:
    component: melody
    filename: A_STEM_01.wav
    instrument: synthesizer
    raw:
      R01: {filename: A_RAW_01_01.wav, instrument: fx/processed sound}
  S02:
    instrument:
    - male singer
    - vocalists
  S03:
    instrument: synthesizer
version: 1.2
"""


def test_instruments_of_stems_are_a_set() -> None:
    assert only(read(TEXT, ".yaml")) == "{synthesizer male singer vocalists}"
    assert only(read(TEXT, ".yml")) == "{synthesizer male singer vocalists}"


def test_files_are_called_like_their_recordings(tmp_path: Path) -> None:
    assert identify("AHa_TakeOnMe_METADATA") == ("AHa_TakeOnMe", None)
    assert identify("x/AHa_METADATA_2") == ("x/AHa_METADATA_2", None)
    path = write(tmp_path, "AHa_TakeOnMe_METADATA.yaml", TEXT)
    assert unfold(path) is None
    assert only(read_instruments(path)) == "{synthesizer male singer vocalists}"


def test_what_names_no_instrument_is_left_out() -> None:
    text = (
        "stems:\n  S01: {instrument: Main System}\n  S02: {instrument: Unlabeled}\n  S03: {instrument: ''}\n"
        "  S04: {component: bass}\n  S05: {instrument: [Main System, F]}\n"
    )
    reading = read(text, ".yaml")
    assert lists(reading) == {None: "{F}"}
    assert told(reading.diagnostics) == (
        "note 2:21+11 KT627 `Main System` names no instrument, and is left out (2 in all)\n"
        "note 3:21+9 KT627 `Unlabeled` names no instrument, and is left out\n"
        "note 4:21+2 KT627 stem without an instrument is left out\n"
        "note 5:8+1 KT627 stem without an instrument is left out"
    )


def test_unknown_labels_have_places() -> None:
    reading = read(
        "stems: {S01: {instrument: F}, S02: {instrument: [E, Z]}, S03: {instrument: Z}}",
        ".yaml",
        taxonomy=SAMPLE,
    )
    assert reading.annotations == ()
    assert [(each.code, each.line, each.column, each.count) for each in reading.diagnostics] == [
        ("KT600", 1, 53, 1)
    ]


def test_no_stems() -> None:
    assert told(read("stems: {}", ".yaml").diagnostics) == "error KT110 no annotation rows"


# --- Slakh2100 -------------------------------------------------------------------------------


def test_stems_of_slakh_are_the_classes_of_those_that_were_rendered() -> None:
    reading = read_instruments(REPORTED / "slakh" / "Track00001" / "metadata.yaml", "a")
    assert lists(reading) == {None: "{Guitar Drums}"}
    assert told(reading.diagnostics) == "note 24:21+5 KT627 stem that was not rendered is left out"


def test_tracks_of_slakh_are_called_like_their_folders() -> None:
    said = {"Track00001": ["Guitar", "Piano"]}
    found = kt.score("instruments", REPORTED / "slakh", {"system": said}, ci=None)
    assert found.value("open-mic-task1/P") == 1 / 2
    assert found.value("open-mic-task1/R") == 1 / 2
    assert identify("metadata") == ("metadata", None)
    assert identify("x/song_metadata") == ("x/song_metadata", None)


def test_stems_that_were_all_rendered() -> None:
    reading = read("stems: {S00: {inst_class: Bass, audio_rendered: true}}", ".yaml")
    assert lists(reading) == {None: "{Bass}"}
    assert told(reading.diagnostics) == ""


def test_stems_without_any_class() -> None:
    text = "stems: {S00: {audio_rendered: true, program_num: 30}}"
    assert told(read(text, ".yaml").diagnostics).startswith(
        "error 1:8+1 KT624 format not recognised: no stem has an `instrument` or an `inst_class`\n"
    )
    empty = read("stems: {S00: {inst_class: null}, S01: {inst_class: Bass, audio_rendered: False}}", ".yaml")
    assert lists(empty) == {None: "{}"}
    assert told(empty.diagnostics) == (
        "note 1:27+4 KT627 stem without an instrument is left out\n"
        "note 1:74+5 KT627 stem that was not rendered is left out"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "error KT110 no annotation rows"),
        ("# nothing\n", "error KT110 no annotation rows"),
        (
            "album: x\n",
            (
                "error 1:1+1 KT624 format not recognised: no mapping of `stems`\n"
                "  help: `stems` have an `instrument` each (MedleyDB), or an `inst_class` (Slakh2100)"
            ),
        ),
        (
            "[a]",
            (
                "error 1:1+1 KT624 format not recognised: no mapping of `stems`\n"
                "  help: `stems` have an `instrument` each (MedleyDB), or an `inst_class` (Slakh2100)"
            ),
        ),
        (
            "stems: [a]",
            (
                "error 1:8+1 KT624 format not recognised: no mapping of `stems`\n"
                "  help: `stems` have an `instrument` each (MedleyDB), or an `inst_class` (Slakh2100)"
            ),
        ),
        (
            "stems: {S01: piano}",
            (
                "error 1:14+5 KT624 format not recognised: stem is no mapping\n"
                "  help: `stems` have an `instrument` each (MedleyDB), or an `inst_class` (Slakh2100)"
            ),
        ),
        ("stems: {S01: {instrument: {a: b}}}", "error 1:27+1 KT619 label must be a string, not a mapping"),
        (
            "stems: {S01: {instrument: !!python/object/apply:os.system [ls]}}",
            (
                "error 1:27+33 KT171 tag is not read: `tag:yaml.org,2002:python/object/apply:o…`\n"
                "  help: YAML is read as mappings, lists and text; nothing is constructed"
            ),
        ),
        (
            "stems: {S01: {instrument: a}, S01: {instrument: b}}",
            "error 1:31+3 KT142 key stands twice in one mapping: `S01`",
        ),
    ],
)
def test_texts_that_cannot_be_used(text: str, expected: str) -> None:
    reading = read(text, ".yaml")
    assert reading.annotations == ()
    assert told(reading.diagnostics) == expected


def test_anchors_that_explode_are_refused() -> None:
    lines = ["a: &a0 [x, x]"]
    lines += [f"b{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    reading = read("\n".join((*lines, "stems: {S01: {instrument: *a39}}")), ".yaml")
    assert [each.code for each in reading.diagnostics] == ["KT106"]


def test_aliases_that_do_not_are_read() -> None:
    assert (
        only(read("x: &v [E, F]\nstems: {S01: {instrument: *v}, S02: {instrument: *v}}", ".yaml")) == "{E F}"
    )


def test_budgets() -> None:
    reading = read("stems: {S01: {instrument: F}}", ".yaml", limits=Limits(depth=2))
    assert [each.code for each in reading.diagnostics] == ["KT106"]
