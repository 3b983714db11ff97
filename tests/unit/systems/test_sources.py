# SPDX-License-Identifier: MIT
"""What sources may be: packs, files of several annotators, files with confidences, parts of a corpus."""

import json
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from kammerton.errors import OptionError

Rows = list[tuple[float, float, str]]
A: Rows = [(0, 2, "C:maj"), (2, 4, "G:maj")]
B: Rows = [(0, 2, "C:maj"), (2, 4, "A:min")]
C: Rows = [(0, 1, "C:maj"), (1, 4, "G:maj")]


def jams(*annotators: tuple[str, Rows, float | None]) -> str:
    """Return a JAMS file of chords."""
    annotations = [
        {
            "namespace": "chord",
            "annotation_metadata": {"annotator": {"name": name}},
            "data": [
                {"time": start, "duration": end - start, "value": label, "confidence": confidence}
                for start, end, label in rows
            ],
        }
        for name, rows, confidence in annotators
    ]
    return json.dumps({"annotations": annotations})


def lab(rows: Rows) -> str:
    return "".join(f"{start}\t{end}\t{label}\n" for start, end, label in rows)


def labels_of(fusion: kt.Fusion, item: str = "song") -> tuple[str, ...]:
    labels: tuple[str, ...] = fusion.annotations[item].labels
    return labels


def test_annotators_of_a_file_are_a_source_each(tmp_path: Path) -> None:
    (tmp_path / "song.jams").write_text(jams(("Ann", A, None), ("Bob", B, None), ("Cy", C, None)))
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab/song.lab").write_text(lab(B))
    fusion = kt.fuse("chords", tmp_path / "song.jams", copies="keep")
    assert fusion.sources["source"].to_list() == ["song/Ann", "song/Bob", "song/Cy"]
    assert labels_of(fusion) == ("C:maj", "G:maj")
    both = kt.fuse("chords", {"people": tmp_path / "song.jams", "system": tmp_path / "lab/song.lab"})
    assert both.sources["source"].to_list() == ["people/Ann", "people/Bob", "people/Cy", "system"]
    assert both.sources["copy_of"].to_list() == [None, None, None, "people/Bob"]


def test_an_annotator_without_an_item_abstains_there(tmp_path: Path) -> None:
    (tmp_path / "one.jams").write_text(jams(("Ann", A, None), ("Bob", B, None)))
    (tmp_path / "two.jams").write_text(jams(("Bob", C, None)))
    fusion = kt.fuse("chords", {"people": tmp_path})
    assert fusion.sources["items"].to_list() == [1, 2]
    assert labels_of(fusion, "two") == ("C:maj", "G:maj")
    assert [problem.code for problem in fusion.diagnostics] == ["KT801", "KT804"]


def test_confidences_of_files_are_no_votes_and_support_is_written_as_one(tmp_path: Path) -> None:
    (tmp_path / "sure.jams").write_text(jams(("Ann", A, 1.0)))
    (tmp_path / "unsure.jams").write_text(jams(("Bob", B, 0.01)))
    (tmp_path / "other.jams").write_text(jams(("Cy", [*B[:1], (2, 4, "A:min7")], 0.02)))
    sources = {name: tmp_path / f"{name}.jams" for name in ("sure", "unsure", "other")}
    fusion = kt.fuse("chords", sources, details="none", copies="keep")
    assert labels_of(fusion, "sure") == ("C:maj", "A:min")  # single files are one item
    fusion.write(tmp_path / "out", to="jams")
    (written,) = json.loads((tmp_path / "out/sure.jams").read_text())["annotations"]
    assert written["annotation_metadata"]["annotation_tools"] == f"kammerton {fusion.signature}"
    rows = written["data"]
    assert [row["confidence"] for row in rows] == [1, pytest.approx(2 / 3, abs=1e-6)]
    again = kt.fuse("chords", {"fused": tmp_path / "out", "ann": {"sure": (tmp_path / "sure.jams")}})
    assert labels_of(again, "sure") == ("C:maj", "A:min")


def test_a_pack_is_as_good_as_its_folder(tmp_path: Path) -> None:
    folders = {}
    for name, rows in (("a", A), ("b", B), ("c", C)):
        folders[name] = tmp_path / name
        folders[name].mkdir()
        (folders[name] / "song.lab").write_text(lab(rows))
        kt.pack("chords", folders[name], tmp_path / f"{name}.parquet")
    packs = {name: tmp_path / f"{name}.parquet" for name in folders}
    of_folders, of_packs = kt.fuse("chords", folders), kt.fuse("chords", packs)
    assert of_packs.rows.equals(of_folders.rows)
    assert of_packs.signature == of_folders.signature  # the digest is of what they hold
    mixed = kt.fuse("chords", {"a": packs["a"], "b": {"song": folders["b"] / "song.lab"}, "c": folders["c"]})
    assert mixed.signature == of_folders.signature


def test_unreadable_files_of_a_source_are_abstentions(tmp_path: Path) -> None:
    for name, text in (("a", "0 2 nonsense\n"), ("b", lab(B))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "song.lab").write_text(text)
    fusion = kt.fuse("chords", [tmp_path / "a", tmp_path / "b"])
    assert labels_of(fusion) == ("C:maj", "A:min")
    assert [problem.code for problem in fusion.diagnostics][:2] == ["KT310", "KT801"]


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ({}, "there is no source"),
        ([{"song": ([(0, 1)], ["C"])}], "a source without a name"),
        ({"a": {"song": ([(0, 1)], ["C"])}, "b": "nowhere"}, "no such file or folder"),
    ],
)
def test_what_is_no_source(sources: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        kt.fuse("chords", sources)
