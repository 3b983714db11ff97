# SPDX-License-Identifier: MIT
"""A real model on real tracks, and hierarchical figures of another program."""

import csv
import json
import os
import random
from pathlib import Path, PurePosixPath

import pytest
from hiclass import metrics

import kammerton
from kammerton.instruments import evaluate
from oracle.covered import HICLASS

pytestmark = pytest.mark.slow

FAMILIES = {"bowed": ["cello", "violin"], "winds": ["flute", "oboe", "sax"], "keys": ["piano", "organ"]}


@pytest.fixture(scope="module")
def folder() -> Path:
    root = os.environ.get("KAMMERTON_SHARED")
    if root is None:
        pytest.skip("KAMMERTON_SHARED names no folder with real annotations")
    return Path(root) / "data" / "instruments" / "irmas_lumen"


EXPECTED = {"P": 0.607402, "R": 0.673927, "F": 0.626561, "micro_F": 0.628959, "macro_F": 0.610173}


def test_a_model_on_101_tracks(folder: Path) -> None:
    predictions = json.loads((folder / "predictions_model.json").read_text(encoding="utf-8"))
    with (folder / "lumen_test.csv").open(encoding="utf-8") as lines:
        rows = {PurePosixPath(row.pop("file")).stem: row for row in csv.DictReader(lines)}
    truth = {name: [label for label, flag in rows[name].items() if flag == "1"] for name in predictions}
    said = {name: {label for label, flag in row.items() if flag} for name, row in predictions.items()}
    assert len(truth) == 101
    found = evaluate(truth, said)
    for name, figure in EXPECTED.items():
        assert found[f"open-mic-task1/{name}"] == pytest.approx(figure, abs=5e-7)
    scores = kammerton.score("instruments", truth, {"model": said})
    for name, figure in EXPECTED.items():
        assert scores.value(name) == pytest.approx(figure, abs=5e-7)
        assert scores.value(name) == pytest.approx(found[f"open-mic-task1/{name}"], abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_hiclass_on_lists_that_it_takes(seed: int, tmp_path: Path) -> None:
    """It needs lists of one length, without empty ones."""
    parents = {child: family for family, below in FAMILIES.items() for child in below}
    path = tmp_path / "taxonomy.json"
    path.write_text(json.dumps(parents | dict.fromkeys(FAMILIES, "instrument")), encoding="utf-8")
    draw = random.Random(seed)
    truth, said = ([draw.sample(sorted(parents), 3) for _ in range(20)] for _ in range(2))
    found = evaluate(truth, said, path)
    paths = [[[[parents[label], label] for label in labels] for labels in side] for side in (truth, said)]
    for letter, measure in (("P", metrics.precision), ("R", metrics.recall), ("F", metrics.f1)):
        for average, protocol in HICLASS.items():
            theirs = measure(*paths, average=average)
            assert found[f"{protocol}/h{letter}"] == pytest.approx(theirs, abs=1e-12)
