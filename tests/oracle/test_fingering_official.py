# SPDX-License-Identifier: MIT
"""The published match rates, from files: every figure that the authors' own tool printed."""

import csv
import os
from pathlib import Path

import pytest

import kammerton
from oracle.covered import NAKAMURA

pytestmark = pytest.mark.slow

MODELS = ("CHMM", "FHMM1")


@pytest.fixture(scope="module")
def folder() -> Path:
    root = os.environ.get("KAMMERTON_SHARED")
    if root is None:
        pytest.skip("KAMMERTON_SHARED names no folder with real fingerings")
    return Path(root) / "data" / "fingering"


@pytest.fixture(scope="module")
def scores(folder: Path) -> kammerton.Scores:
    references = {path.stem: path for path in sorted((folder / "beringer_pig").glob("*_fingering.txt"))}
    annotators: dict[str, dict[str, Path]] = {}
    for name, path in references.items():
        item, annotator = name.removesuffix("_fingering").split("-")
        annotators.setdefault(annotator, {})[item] = path
    estimates = {
        model: {path.name[:3]: path for path in sorted((folder / f"beringer_est_{model}").glob("*.txt"))}
        for model in MODELS
    }
    return kammerton.score("fingering", None, estimates, annotators=annotators, protocols=["nakamura2020"])


def test_every_figure_of_the_official_tool_is_matched(folder: Path, scores: kammerton.Scores) -> None:
    ours = {(r["system"], r["item"], r["measure"]): r["value"] for r in scores.items.iter_rows(named=True)}
    with (folder / "expected_official_tool.tsv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    assert len(rows) == 136
    for row in rows:
        for rate in NAKAMURA:
            assert ours[row["model"], row["piece"], rate] == pytest.approx(float(row[rate]), abs=1e-6)


def test_the_folder_itself_gives_the_same_figures(folder: Path, scores: kammerton.Scores) -> None:
    system = folder / "beringer_est_CHMM"
    whole = kammerton.score(
        "fingering", folder / "beringer_pig", system, protocols=["nakamura2020"], missing="skip"
    )
    for rate in NAKAMURA:
        assert whole.value(rate) == pytest.approx(scores.value(rate, system="CHMM"), abs=1e-12)


def test_annotators_who_left_a_note_out_are_told(scores: kammerton.Scores) -> None:
    """Pieces 061 and 067: both annotators left a note unlabelled, and nobody labelled all."""
    told = [said.message for said in scores.diagnostics if said.code == "KT374"]
    assert len(told) == len(MODELS)
    assert all("4 fingerings of 2 items" in message for message in told)
