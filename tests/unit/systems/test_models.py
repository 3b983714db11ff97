# SPDX-License-Identifier: MIT
"""Models: what is refused, in words."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import DataError, OptionError, OutputError
from kammerton.systems import Model

NOTES = {"onsets": [0, 1], "offsets": [1, 2], "pitches": ["C4", "D4"], "hands": ["R", "R"]}
CORPUS = {"piece": {**NOTES, "fingers": [1, 2]}}


def trained(**choices: Any) -> Model:
    return kt.train("fingering", CORPUS, "hmm1", **choices)


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (None, OptionError, "`hmm1` needs a model"),
        (3, OptionError, "model"),
        (trained(settings={"split": 50}), None, ""),
        (kt.train("fingering", CORPUS, "hmm2"), OptionError, "the model is for `hmm2`, not for `hmm1`"),
        (replace(trained(), arrays={"first": np.zeros(5)}), OptionError, "another version of `hmm1`"),
        ("nowhere.npz", DataError, "nowhere.npz"),
    ],
)
def test_models_that_fit_and_do_not(model: Any, error: type[Exception] | None, message: str) -> None:
    if error is None:
        assert len(kt.annotate("fingering", {"new": CORPUS["piece"]}, "hmm1", model=model)["new"]) == 2
        return
    with pytest.raises(error, match=message):
        kt.annotate("fingering", CORPUS, "hmm1", model=model)


def test_files_that_are_no_models(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    path.write_text("0 1 C")
    with pytest.raises(DataError, match=r"KT808 .*not a model: it has no arrays"):
        kt.annotate("fingering", CORPUS, "hmm1", model=path)
    np.savez(path, header=np.array([{}], dtype=object))  # unpickling would run what is in it
    with pytest.raises(DataError, match=r"KT808 .*not a model: it has no arrays"):
        kt.annotate("fingering", CORPUS, "hmm1", model=path)
    model = trained()
    replace(model, header={**model.header, "format": 2}).write(path, force=True)
    with pytest.raises(DataError, match="its format is 2, this version reads 1"):
        kt.annotate("fingering", CORPUS, "hmm1", model=path)


def test_a_model_is_not_written_over_another_unless_asked(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    first = trained(out=path)
    with pytest.raises(OutputError, match="is there already"):
        trained(out=path)
    trained(out=path, force=True)
    assert path.read_bytes() == first.content  # nothing in it depends on the day
    thesis = tmp_path / "thesis.tex"
    thesis.write_text("all of it")
    with pytest.raises(OutputError, match="it is there already, and is no model"):
        trained(out=thesis, force=True)


def test_a_model_is_not_written_where_it_would_be_learned_from(tmp_path: Path) -> None:
    source = tmp_path / "one.csv"
    source.write_text("onset,offset,pitch,hand,finger\n0,1,60,right,1\n")
    for name in ("one.csv", "new.csv"):
        with pytest.raises(OptionError, match="would be read as a source"):
            kt.train("fingering", tmp_path, "hmm1", out=tmp_path / name, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["one.csv"]
    kt.train("fingering", tmp_path, "hmm1", out=tmp_path / "model.npz")


def test_a_model_of_nothing_is_refused() -> None:
    with pytest.raises(OptionError, match="`rules` takes no model"):
        kt.annotate("fingering", CORPUS, "rules", model=trained())


@pytest.mark.parametrize(
    ("choices", "error", "message"),
    [
        ({"split": "test"}, OptionError, "which items are in a split"),
        ({"splits": {"piece": "test"}}, OptionError, "unknown split `train`"),
        ({"splits": {"other": "train"}}, DataError, "KT809 there is no item to train on"),
        (
            {"references": {"piece": {**NOTES, "fingers": ["", ""]}}},
            DataError,
            "no note has a finger",
        ),
        ({"system": "rules"}, OptionError, "`rules` cannot be trained\n  help: these can: hmm1, hmm2"),
    ],
)
def test_what_cannot_be_trained(choices: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        kt.train("fingering", **{"references": CORPUS, "system": "hmm1", **choices})


def test_splits_may_be_a_table(tmp_path: Path) -> None:
    table = tmp_path / "splits.csv"
    table.write_text("item,split\npiece,training\nother,test\n")
    corpus = {**CORPUS, "other": {**NOTES, "fingers": [2, 3]}}
    assert kt.train("fingering", corpus, "hmm1", splits=table).header["items"] == ["piece"]
    assert kt.train("fingering", corpus, "hmm1", splits=table, split="test").header["items"] == ["other"]
