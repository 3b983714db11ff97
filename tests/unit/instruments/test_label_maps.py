# SPDX-License-Identifier: MIT
"""From the labels of a source to those of a taxonomy."""

import json
import os
from pathlib import Path

import pytest

from kammerton.errors import DataError, OptionError
from kammerton.formats.reading import Limits
from kammerton.instruments.options import LABEL_MAPS, LabelMap, load_label_map
from kammerton.instruments.taxonomy_files import load_taxonomy
from unit.formats.telling import tell

QUOTED = "\n  help: a cell with a separator in it stands between double quotes"
SHORT = "\n  help: a cell that is empty still needs its separator"
ROWS = "\n  help: a header `label,instrument`, and a row for each label"
KEEP = "\n  help: keep one of the rows"


def load(folder: Path, text: str, **limits: int) -> LabelMap:
    path = folder / "map.csv"
    path.write_text(text, encoding="utf-8")
    return load_label_map(str(path), limits=Limits(**limits))


def refused(folder: Path, text: str, **limits: int) -> list[str]:
    with pytest.raises(DataError) as raised:
        load(folder, text, **limits)
    assert {each.file for each in raised.value.diagnostics} == {str(folder / "map.csv")}
    return [tell(each) for each in raised.value.diagnostics]


def test_what_labels_stand_for() -> None:
    codes = LabelMap("mine", {"pia": "piano", "nod": None})
    assert [codes.apply(label) for label in ("pia", "nod", "piano", "Pia")] == ["piano", None, "piano", "Pia"]
    assert [codes.apply(label, casefold=True) for label in ("PIA", "NOD", "Gel")] == ["piano", None, "Gel"]
    assert len(codes) == 2


def test_the_entry_in_the_same_case_wins() -> None:
    codes = LabelMap("mine", {"Bass": "bass guitar", "bass": "double bass"})
    assert [codes.apply(label, casefold=True) for label in ("bass", "Bass", "BASS")] == [
        *("double bass", "bass guitar"),
        "bass guitar",  # the first
    ]


@pytest.mark.parametrize(
    "text",
    [
        'label,instrument\n"Marimba, xylophone",mallets\nfx,\nflüte,flute\n',
        '# ours\nTo;From\nmallets;Marimba, xylophone\n;fx\n\n flute ; "flu\u0308te"\n',
        "sep=|\nsource|target\nMarimba, xylophone|mallets\nfx|\nflüte|flute\n",
        "label\tinstrument\nMarimba, xylophone\tmallets\nfx\t\nflüte\tflute",
    ],
)
def test_maps_from_files(tmp_path: Path, text: str) -> None:
    found = load(tmp_path, text)
    assert found.entries == {"Marimba, xylophone": "mallets", "fx": None, "flüte": "flute"}
    assert found.name == str(tmp_path / "map.csv")
    assert found.diagnostics == ()


def test_encodings(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    path.write_bytes(b"label,instrument\nfl\xfcte,flute\n")
    assert load_label_map(path, encoding="latin-1").apply("flüte") == "flute"
    assert load_label_map(os.fsencode(path), encoding="latin-1").apply("flüte") == "flute"  # type: ignore[arg-type]
    with pytest.raises(DataError, match="KT104"):
        load_label_map(path)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ["error KT657 label map has no rows" + ROWS]),
        ("label,instrument\n\n", ["error KT657 label map has no rows" + ROWS]),
        ("gel,guitar\n", ["error 1:1+10 KT655 header must be `label,instrument`"]),
        ("label,label\n", ["error 1:1+11 KT655 header must be `label,instrument`"]),
        ("label,instrument,note\n", ["error 1:1+21 KT655 header must be `label,instrument`"]),
        ("label,instrument,to\n", ["error 1:1+19 KT655 header must be `label,instrument`"]),
        ("label,instrument\nx\n", [f"error 2:1+1 KT655 row has 1 column, the header 2{SHORT}"]),
        (
            "label,instrument\ngel\nMarimba, xylophone,mallets\n,piano\n",
            [
                f"error 2:1+3 KT655 row has 1 column, the header 2{SHORT}",
                f"error 3:20+7 KT655 row has 3 columns, the header 2{QUOTED}",
                "error 4:1+1 KT655 row has no label",
            ],
        ),
        (
            'label,instrument\n"gel,guitar\n',
            [
                (
                    'error 2:1+1 KT160 quote is not closed: `"gel,guitar`\n'
                    "  help: a quote within a quoted field is doubled"
                )
            ],
        ),
        (
            "label,instrument\ngel,guitar\ngel,bass\nx,\nx,y\n",
            [
                f"error 3:1+3 KT656 `gel` stands for `guitar` and `bass`{KEEP}",
                f"error 5:1+1 KT656 `x` stands for no instrument and `y`{KEEP}",
            ],
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, lines: list[str]) -> None:
    assert refused(tmp_path, text) == lines


def test_budgets_are_kept(tmp_path: Path) -> None:
    text = "label,instrument\ngel,guitar\nlong,gel\n"
    assert refused(tmp_path, text, label=3) == [
        "error 2:5+6 KT106 label of 6 characters: over the limit of 3",
        "error 3:1+4 KT106 label of 4 characters: over the limit of 3",
    ]
    assert refused(tmp_path, text, rows=1) == ["error KT106 2 rows: over the limit of 1"]


def test_rows_that_say_the_same_are_one(tmp_path: Path) -> None:
    found = load(tmp_path, "label,instrument\ngel,guitar\n gel ,guitar\n")
    assert found.entries == {"gel": "guitar"}
    assert [tell(each) for each in found.diagnostics] == [
        "warning 3:2+3 KT656 row dropped: `gel` stands in the map already"
    ]


def test_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("irmas").mkdir()  # a folder is no file, whatever it is called
    with pytest.raises(OptionError, match="unknown label map `irmas`") as raised:
        load_label_map("irmas")
    assert str(raised.value.hint).endswith(f"known: {', '.join(LABEL_MAPS)}")
    with pytest.raises(DataError, match=r"^nothing\.csv: KT101 cannot be read"):
        load_label_map("nothing.csv")
    Path("irmas").rmdir()
    Path("irmas").write_text("label,instrument\ngel,guitar\n")
    assert load_label_map("irmas").apply("gel") == "guitar"


@pytest.mark.parametrize("name", LABEL_MAPS)
def test_built_in_maps_lead_to_labels_of_openmic(name: str) -> None:
    found = load_label_map(name)
    assert found.name == name
    assert {each for each in found.entries.values() if each is not None} <= set(
        load_taxonomy("openmic-2018").leaves
    )
    assert load_label_map(name) is found
    assert found.diagnostics == ()


@pytest.mark.parametrize(
    ("name", "label", "instrument"),
    [
        ("irmas-to-openmic-2018", "gel", "guitar"),
        ("irmas-to-openmic-2018", "gac", "guitar"),
        ("irmas-to-openmic-2018", "voi", "voice"),
        ("irmas-to-openmic-2018", "nod", None),
        ("irmas-to-openmic-2018", "guitar (electric)", "guitar"),
        ("medleydb-to-openmic-2018", "female singer", "voice"),
        ("medleydb-to-openmic-2018", "vibraphone", "mallet_percussion"),
        ("medleydb-to-openmic-2018", "oboe", "oboe"),  # OpenMIC-2018 has none: it stays unknown
        ("audioset-to-openmic-2018", "Marimba, xylophone", "mallet_percussion"),
        ("audioset-to-openmic-2018", "Harp", "Harp"),
        ("general-midi-to-openmic-2018", "Honky-tonk Piano", "piano"),
        ("general-midi-to-openmic-2018", "Synth Bass 1", "bass"),
        ("general-midi-to-openmic-2018", "SynthBrass 1", "synthesizer"),
        ("general-midi-to-openmic-2018", "Fiddle", "violin"),
        ("general-midi-to-openmic-2018", "FX 1 (rain)", "synthesizer"),
        ("general-midi-to-openmic-2018", "Telephone Ring", None),
        ("general-midi-to-openmic-2018", "Oboe", "Oboe"),
        ("general-midi-to-openmic-2018", "drums", "drums"),  # what the channel of percussion is called
    ],
)
def test_entries_of_built_in_maps(name: str, label: str, instrument: str | None) -> None:
    assert load_label_map(name).apply(label) == instrument


def test_maps_of_medleydb_start_from_its_labels() -> None:
    known = set(load_taxonomy("medleydb").nodes)
    others = {label for label in load_label_map("medleydb-to-openmic-2018").entries if label not in known}
    assert others == {"electric guitar", "upright bass"}  # older names of MedleyDB


def test_the_map_of_general_midi_starts_from_its_programs() -> None:
    entries = load_label_map("general-midi-to-openmic-2018").entries
    tree = load_taxonomy("general-midi")
    assert list(entries) == [program for program in tree.leaves if program in entries]
    assert {program for program, instrument in entries.items() if instrument is None} == set(
        tree.children("Sound Effects")
    )
    for family, instrument in {"Guitar": "guitar", "Bass": "bass", "Synth Pad": "synthesizer"}.items():
        assert {entries[program] for program in tree.children(family)} == {instrument}
    without = set(load_taxonomy("openmic-2018").leaves) - set(entries.values())
    assert without == {"mandolin", "ukulele"}  # General MIDI has neither


SHARED = Path(os.environ.get("KAMMERTON_SHARED", "")) / "data/instruments"


@pytest.mark.skipif(not SHARED.is_dir(), reason="KAMMERTON_SHARED names no folder with real annotations")
@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("irmas-to-openmic-2018", "IRMAS_MAP"),
        ("medleydb-to-openmic-2018", "MEDLEY_MAP"),
        ("audioset-to-openmic-2018", "AUDIOSET_MAP"),
    ],
)
def test_built_in_maps_are_those_of_the_source(name: str, member: str) -> None:
    source = json.loads((SHARED / "taxonomies/label_maps_to_openmic25.json").read_text("utf-8"))[member]
    known = set(load_taxonomy("openmic-2018").leaves)
    kept = {label: instrument for label, instrument in source.items() if instrument in known}
    ours = {
        label: instrument
        for label, instrument in load_label_map(name).entries.items()
        if not ((name.startswith("irmas") and len(label) == 3) or label.startswith("/"))
    }
    assert ours == kept


@pytest.mark.skipif(not SHARED.is_dir(), reason="KAMMERTON_SHARED names no folder with real annotations")
def test_identifiers_of_audioset_stand_for_what_their_names_stand_for() -> None:
    entries = load_label_map("audioset-to-openmic-2018").entries
    names = load_label_map(SHARED / "audioset" / "class_labels_indices.csv").entries
    ids = {label: instrument for label, instrument in entries.items() if label.startswith("/")}
    assert ids == {id_: entries[name] for id_, name in names.items() if name and name in entries}
