# SPDX-License-Identifier: MIT
"""Files of real data sets, from ``KAMMERTON_SHARED``; expectations are counted by other means."""

import csv
import json
import os
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
import yaml

from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.reading import read_instruments, unfold
from kammerton.model.task import ItemReadings
from unit.instruments.listing import shown, told


@pytest.fixture(scope="module")
def data() -> Path:
    root = os.environ.get("KAMMERTON_SHARED")
    if root is None:
        pytest.skip("KAMMERTON_SHARED names no folder with real annotations")
    return Path(root) / "data" / "instruments"


def sheet_of(path: Path, **options: object) -> ItemReadings[object]:
    found = unfold(path, path.name, InstrumentOptions(**options))  # type: ignore[arg-type]
    assert found is not None
    return found  # type: ignore[return-value]


def labels_of(found: ItemReadings[object]) -> dict[str, set[str]]:
    return {item: set(each[0][1].labels) for item, each in found.items.items()}  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["irmas_test_from_test_n_1330", "irmas_train_from_test_n_1544"])
def test_irmas(data: Path, name: str) -> None:
    path = data / "irmas_lumen" / f"{name}.csv"
    found = sheet_of(path)
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    expected = {
        unicodedata.normalize("NFC", Path(row["file"]).name.removesuffix(".wav")): {
            code for code, cell in row.items() if cell == "1"
        }
        for row in rows
    }
    assert labels_of(found) == expected
    assert len(expected) == int(name.rpartition("_")[2])
    assert (found.broken, told(found.diagnostics)) == ({}, "")


def test_irmas_through_the_map(data: Path) -> None:
    path = data / "irmas_lumen" / "irmas_test_from_test_n_1330.csv"
    found = sheet_of(path, map="irmas-to-openmic-2018", taxonomy="openmic-2018")
    assert len(found.items) == 1330
    assert {each.code for each in found.diagnostics} == {"KT604", "KT605"}
    assert set.union(*labels_of(found).values()) == {
        *("cello", "clarinet", "flute", "guitar", "organ", "piano", "saxophone", "trumpet", "violin", "voice")
    }


def test_lumen_pairs_with_its_predictions_and_two_tracks_contradict_themselves(data: Path) -> None:
    truth = sheet_of(data / "irmas_lumen" / "lumen_test.csv")
    predicted = sheet_of(data / "irmas_lumen" / "predictions_model.json")
    assert len(predicted.items) == 101
    assert set(truth.broken) == {"track_57", "track_86"}
    assert {*truth.items, *truth.broken} == set(predicted.items)
    raw = json.loads((data / "irmas_lumen" / "predictions_model.json").read_text())
    assert labels_of(predicted) == {i: {c for c, cell in each.items() if cell} for i, each in raw.items()}


@pytest.mark.parametrize(("name", "count"), [("medleydb", 330), ("mixing_secrets", 258)])
def test_instruments_of_stems(data: Path, name: str, count: int) -> None:
    path = data / name / "instruments_per_track.json"
    found = sheet_of(path)
    raw = json.loads(path.read_text())
    assert len(found.items) == count
    assert labels_of(found) == {
        item: {label.strip() for label in each["stems"]} - {"Main System", "Unlabeled"}
        for item, each in raw.items()
    }
    assert {each.code for each in found.diagnostics} == {"KT627"}


def test_unknown_spellings_of_mixing_secrets_are_said_once(data: Path) -> None:
    path = data / "mixing_secrets" / "instruments_per_track.json"
    found = sheet_of(path, taxonomy="medleydb")
    raw = json.loads(path.read_text())
    known = InstrumentOptions(taxonomy="medleydb").tree
    assert known is not None
    by_spelling = Counter(
        label
        for each in raw.values()
        for label in {label.strip() for label in each["stems"]} - {"Main System", "Unlabeled"}
        if label not in known.index
    )
    said = [each for each in found.diagnostics if each.code == "KT600"]
    assert len(by_spelling) > 20
    assert {each.message.split("`")[3]: each.count for each in said} == by_spelling
    assert len(said) == len(by_spelling)


@pytest.mark.parametrize("name", ["medleydb", "mixing_secrets"])
def test_metadata(data: Path, name: str) -> None:
    per_track = json.loads((data / name / "instruments_per_track.json").read_text())
    paths = sorted((data / name).glob("*_METADATA.yaml"))
    assert len(paths) >= 4
    for path in paths:
        reading = read_instruments(path)
        ((_, found),) = reading.annotations
        raw = yaml.safe_load(path.read_text())
        expected: set[str] = set()
        for stem in raw["stems"].values():
            expected |= (
                {*stem["instrument"]} if isinstance(stem["instrument"], list) else {stem["instrument"]}
            )
        expected -= {"Main System", "Unlabeled"}
        assert set(found.labels) == expected
        assert not found.ranked
        stems = per_track[path.name.removesuffix("_METADATA.yaml")]["stems"]
        assert expected <= {*stems, *expected}


def test_openmic(data: Path) -> None:
    folder = data / "openmic2018"
    aggregated = sheet_of(folder / "sample-aggregated-labels.csv")
    assert [shown(each) for _, each in aggregated.items["000046_3840"]] == [  # type: ignore[arg-type]
        "{!clarinet !flute !trumpet ...}"
    ]
    single = sheet_of(folder / "sample-individual-responses.csv")
    with (folder / "sample-individual-responses.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 9
    answers = {
        who: (*each.labels, *(f"no {label}" for label in each.absent))  # type: ignore[attr-defined]
        for who, each in single.items["000046_3840"]
    }
    assert answers == {
        row["worker_id"]: ("no " * (row["response"] == "0.0") + row["instrument"],) for row in rows
    }


def test_trec(data: Path) -> None:
    qrels = sheet_of(data / "trec" / "qrels.test")
    lines = (data / "trec" / "qrels.test").read_text().split("\n")[:-1]
    expected: dict[str, dict[str, int]] = {}
    for line in lines:
        topic, _, document, relevance = line.split()
        if int(relevance) > 0:
            expected.setdefault(topic, {})[document] = int(relevance)
    found = {
        topic: dict(zip(each[0][1].labels, each[0][1].grades.tolist(), strict=True))  # type: ignore[attr-defined]
        for topic, each in qrels.items.items()
    }
    assert found == expected
    run = sheet_of(data / "trec" / "results.test")
    rows = [line.split() for line in (data / "trec" / "results.test").read_text().split("\n")[:-1]]
    for topic in ("301", "302", "303"):
        ranked = sorted(((-float(row[4]), row[2]) for row in rows if row[0] == topic), key=lambda row: row[0])
        assert run.items[topic][0][1].labels == tuple(name for _, name in ranked)  # type: ignore[attr-defined]
    assert (told(qrels.diagnostics), run.broken) == ("", {})


def test_jams(data: Path) -> None:
    reading = read_instruments(data / "jams_samples" / "valid.jams")
    ((annotator, found),) = reading.annotations
    raw = json.loads((data / "jams_samples" / "valid.jams").read_text())
    (tags,) = (each for each in raw["annotations"] if each["namespace"].startswith("tag"))
    assert set(found.labels) == {each["value"] for each in tags["data"]}
    assert annotator == tags["annotation_metadata"]["curator"]["name"]
    assert [each.code for each in reading.diagnostics if each.severity == "error"] == []


def test_files_of_another_kind_are_refused(data: Path) -> None:
    for name in ("openmic2018/split01_test.csv", "taxonomies/label_maps_to_openmic25.json"):
        found = unfold(data / name)
        assert found is None or not found.items or found.diagnostics
