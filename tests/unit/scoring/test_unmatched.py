# SPDX-License-Identifier: MIT
"""What is said where references and estimates have no item in common."""

from pathlib import Path

import pytest

import kammerton as kt
from cases.chords import song
from kammerton.errors import DataError


def write(*paths: str) -> None:
    for path in map(Path, paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("0 10 C\n")


def hint(references: object, *systems: str) -> str | None:
    with pytest.raises(DataError) as caught:
        kt.score("chords", references, {Path(each).stem: each for each in systems})
    return next(each.hint for each in caught.value.diagnostics if each.code == "KT203")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_names_of_both_are_shown() -> None:
    write("ref/Beatles/1.lab", "ref/Beatles/2.lab", "est/1012.lab", "est/1013.lab")
    assert hint("ref", "est") == (
        "no item in common: references are called like `Beatles/1`, estimates like `1012`"
    )


def test_the_nearest_name_is_the_example() -> None:
    write("ref/song 1.lab", "est/a.lab", "est/Song 1.lab")
    assert hint("ref", "est") == (
        "no item in common: references are called like `song 1`, estimates like `Song 1`"
    )


def test_estimates_below_a_folder_within() -> None:
    name = "a folder with a name of more than forty characters"
    write("all/truth/x/1.lab", "all/truth/x/2.lab", f"all/2017/{name}/x/1.lab", f"all/2017/{name}/x/2.lab")
    assert hint("all/truth", "all") == f"no item in common: did you mean the folder `all/2017/{name}`?"


def test_of_several_folders_those_that_hold_most_are_named() -> None:
    write(*(f"all/{name}/{number}.lab" for name in "AB" for number in range(3)), "all/C/1.lab")
    write(*(f"ref/{number}.lab" for number in range(3)))
    assert hint("ref", "all") == "no item in common: did you mean the folder `all/A` or `all/B`?"


def test_references_below_a_folder_within() -> None:
    write("top/ref/1.lab", "est/1.lab")
    assert hint("top", "est") == "no item in common: did you mean the folder `top/ref`?"


def test_a_file_against_a_folder() -> None:
    write("ref/one.lab", "est/album/one.lab", "est/album/two.lab")
    assert hint("ref/one.lab", "est") == (
        "`ref/one.lab` is a file, and `est` a folder, "
        "in which `album/one` has its name: compare file with file"
    )
    write("other/1.lab")
    assert hint("ref/one.lab", "other") == (
        "`ref/one.lab` is a file, and `other` a folder, in which no item is called `one`, but such as `1`"
    )


def test_a_folder_against_a_file() -> None:
    write("ref/album/one.lab", "ref/album/two.lab", "one.lab", "1.lab")
    assert hint("ref", "one.lab") == (
        "`one.lab` is a file, and `ref` a folder, in which `album/one` has its name: compare file with file"
    )
    assert hint("ref", "1.lab") == (
        "`1.lab` is a file, and `ref` a folder, in which no item is called `1`, but such as `album/one`"
    )


def test_objects_lie_in_no_folder() -> None:
    write("est/1.lab")
    assert hint({"x/1": song((0, 10, "C"))}, "est") == (
        "no item in common: references are called like `x/1`, estimates like `1`"
    )


def test_one_pair_is_enough_for_the_policy_to_matter() -> None:
    write("ref/1.lab", "ref/q/2.lab", "est/1.lab", "est/x/y/z.lab")
    scores = kt.score("chords", "ref", "est")
    (found,) = (each for each in scores.diagnostics if each.code == "KT203")
    assert found.hint == "scored as worst; `--missing skip` leaves them out"
