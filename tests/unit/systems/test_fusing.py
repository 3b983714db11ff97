# SPDX-License-Identifier: MIT
"""What every fusion refuses, and what it reports of its sources."""

from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import DataError, OptionError
from plugins import song_keys

SONG = ([(0, 60), (60, 120)], ["C", "G"])
OTHER = ([(0, 60), (60, 120)], ["C", "F"])


def fuse(*sources: Any, **choices: Any) -> kt.Fusion:
    return kt.fuse("chords", {f"s{number}": lists for number, lists in enumerate(sources)}, **choices)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"method": "votes"}, "did you mean `vote`"),
        ({"details": "some"}, "unknown details `some`"),
        ({"accuracy": "song"}, "unknown accuracy `song`"),
        ({"copies": "two"}, "unknown copies `two`"),
        ({"change_cost": -1}, "a cost is 0 or more, got -1"),
        ({"change_cost": float("nan")}, "a cost is 0 or more"),
        ({"least_support": 1.5}, "least support is a share from 0 to 1, got 1.5"),
        ({"min_sources": 0}, "min_sources is a whole number, 1 or more, got 0"),
        ({"seed": True}, "seed is a whole number, 0 or more, got True"),
        ({"to": "midi"}, "unknown format `midi`"),
        ({"jobs": 0}, "jobs are 1 or more"),
        ({"weights": {"s7": 1}}, "unknown source `s7`"),
        ({"weights": {"s0": -1}}, "a weight is a number, 0 or more, got -1 for `s0`"),
        ({"weights": {"s0": 0}}, "the weight of every source is 0"),
        ({"leave_out": "s3"}, "unknown source `s3`"),
        (
            {"options": kt.chords.ChordOptions(sides={"estimates": {"layout": "points"}})},
            "there is no side `estimates`",
        ),
        ({"options": 3}, "options must be ChordOptions, got int"),
    ],
)
def test_choices_that_are_not_possible(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        fuse({"song": SONG}, **choices)


def test_a_task_that_cannot_be_fused() -> None:
    with pytest.raises(OptionError, match="annotations of `keys` cannot be fused"):
        kt.fuse(song_keys.TASK, {"a": {"song": SONG}})


def codes(fusion: kt.Fusion) -> list[str]:
    return [problem.code for problem in fusion.diagnostics]


def test_what_is_reported_of_sources() -> None:
    longer = ([(0, 60), (60, 123)], ["C", "G"])
    fusion = fuse({"song": SONG}, {"song": longer}, copies="keep")
    (problem,) = [problem for problem in fusion.diagnostics if problem.code == "KT802"]
    assert problem.message == "sources of 1 of 1 item end far apart, most of all `song`: 3.0 s"
    nearly = ([(0, 60), (60, 121.9)], ["C", "G"])
    assert "KT802" not in codes(fuse({"song": SONG}, {"song": nearly}))
    same = fuse({"song": SONG}, {"song": SONG})
    assert [problem.message for problem in same.diagnostics] == [
        "`s0` and `s1` label alike, as copies do (100 % of what was compared): counted as one"
    ]
    # a third source of its own: a tie of three for half of the song
    third = ([(0, 60), (60, 120)], ["C", "D"])
    divided = fuse({"song": SONG}, {"song": OTHER}, {"song": third})
    assert [problem.message for problem in divided.diagnostics] == ["no majority in 50 % of what was fused"]


def test_sources_without_a_common_item_are_reported() -> None:
    fusion = fuse({"one": SONG, "two": SONG}, {"other": OTHER})
    problems = [(problem.code, problem.hint) for problem in fusion.diagnostics]
    hint = "it has no item that another source has: items are called by their path below the folder"
    assert problems == [("KT801", hint), ("KT801", hint)]


def test_a_source_without_a_vote_leaves_no_majority_to_miss() -> None:
    assert "KT804" in codes(fuse({"song": SONG}, {"song": OTHER}))
    assert "KT804" not in codes(fuse({"song": SONG}, {"song": OTHER}, weights={"s1": 0}))


def test_items_of_few_sources_are_left_out() -> None:
    fusion = fuse({"one": SONG, "two": SONG}, {"one": OTHER}, min_sources=2)
    assert list(fusion.annotations) == ["one"]
    assert dict(fusion.failed) == {"two": "fewer than 2 sources"}
    assert "KT806" in codes(fusion)
    with pytest.raises(DataError, match="KT806"):
        fuse({"one": SONG}, {"two": SONG}, min_sources=2)


def test_an_item_of_which_sources_label_nothing_fails() -> None:
    empty: Any = (np.empty((0, 2)), [])
    fusion = fuse({"one": SONG, "two": empty}, {"one": OTHER, "two": empty})
    assert list(fusion.annotations) == ["one"]
    assert set(fusion.failed) == {"two"}


def test_names_that_lead_out_of_the_folder_are_refused(tmp_path: Any) -> None:
    with pytest.raises(OptionError, match="leads out of the folder"):
        fuse({"../song": SONG}).write(tmp_path / "out")
    assert not (tmp_path / "out").exists()
