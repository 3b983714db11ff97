# SPDX-License-Identifier: MIT
"""Some of the items: a regular expression, a file, or names."""

import json
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from cli.harness import Terminal
from kammerton.errors import OptionError

REFERENCES = {name: ([(0, 4)], ["C"]) for name in ("new/a", "new/b", "old/a", "old/c")}
ENDS = {"new/a": 1, "new/b": 2, "old/a": 3, "old/c": 4}
ESTIMATES = {name: ([(0, end), (end, 5)], ["C", "G"]) for name, end in ENDS.items()}
MEASURE = "mirex2013/MajMin"


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, rows in (("ref", REFERENCES), ("est", ESTIMATES)):
        for name, (spans, labels) in rows.items():
            path = Path(folder, f"{name}.lab")
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = (f"{start} {end} {label}\n" for (start, end), label in zip(spans, labels, strict=True))
            path.write_text("".join(lines))


@pytest.mark.parametrize(
    ("items", "share", "unknown"),
    [
        ("^old/", (3 + 4) / 8, None),
        ("a$", (1 + 3) / 8, None),
        (["old/c", "new/b"], (2 + 4) / 8, None),
        (["a"], (1 + 3) / 8, None),  # without folders
        (Path("list"), (2 + 3) / 8, "`nothing`"),
        ("list.txt", (2 + 3) / 8, "`nothing`"),
    ],
)
@pytest.mark.usefixtures("folders")
def test_items_are_chosen(items: Any, share: float, unknown: str | None) -> None:
    for name in ("list", "list.txt"):
        Path(name).write_text("item\n# by hand\nold/a\n\nnew/b\nnothing\n")
    scores = kt.score("chords", REFERENCES, {"mine": ESTIMATES}, items=items, measures=[MEASURE], ci=None)
    assert scores.value(MEASURE) == pytest.approx(share)
    assert f"items:{len(scores.references)}|" in scores.signatures("all")[scores.measures[0]]
    codes = [problem.code for problem in scores.diagnostics if problem.code == "KT223"]
    assert codes == ["KT223"] * (unknown is not None)
    compared = kt.compare("chords", REFERENCES, {"one": ESTIMATES, "two": REFERENCES}, items=items)
    assert compared.scores.value(MEASURE, system="one") == pytest.approx(share)
    agreed = kt.agree("chords", {"one": ESTIMATES, "two": REFERENCES}, items=items)
    assert agreed.items == tuple(sorted(scores.references))


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ("zzz", "no item matches `zzz`"),
        ("(", "not a regular expression: `(`"),
        (["x", "y"], "no item is called as listed: `x`, `y`"),
        (3, "items must be a str, a path or names"),
    ],
)
def test_items_that_cannot_be_chosen(items: Any, message: str) -> None:
    with pytest.raises(OptionError, match="^" + message.replace("(", r"\(")):
        kt.score("chords", REFERENCES, {"mine": ESTIMATES}, items=items)


@pytest.mark.usefixtures("folders")
def test_a_list_that_is_not_there(terminal: Terminal) -> None:
    assert (
        "songs.txt: cannot be read"
        in terminal.run("score", "chords", "ref", "est", "--items", "songs.txt").err
    )


@pytest.mark.usefixtures("folders")
def test_items_of_a_run_score_as_those_of_folders(terminal: Terminal) -> None:
    chosen = ("--items", "^old/", "--format", "json")
    assert terminal.run("score", "chords", "ref", "est", "ref2=ref", "--context", "--out", "run").code == 0
    whole = terminal.run("score", "chords", "ref", "est", "ref2=ref", *chosen)
    narrowed = terminal.run("score", "chords", "run", *chosen)
    scores = [json.loads(result.out)["scores"] for result in (whole, narrowed)]
    assert scores[0] == scores[1]
    assert "KT224" in narrowed.err
    assert "KT224" in terminal.run("compare", "chords", "run", *chosen).err
    assert "KT224" not in terminal.run("score", "run", "--items", ".").err  # all of them
    Path("all.txt").write_text("\n".join([*REFERENCES, "nothing"]))
    assert "warning[KT223]" in terminal.run("score", "run", "--items", "all.txt").err
    shown = terminal.run("show", "chords", "run", "--worst", "1", "--items", "a$")
    assert "1 of 2 items with the largest loss" in shown.out
    assert terminal.run("show", "chords", "run", "new/a", "--items", "a$").code == 2
    agreed = terminal.run("agree", "chords", "ref", "est", "--out", "both")
    assert agreed.code == 0
    assert "is of all its items" in terminal.run("agree", "chords", "both", "--items", "a$").err


def test_measures_over_classes_of_items_of_a_run(tmp_path: Path) -> None:
    references = {name: ["piano", "voice"] if name < "c" else ["voice"] for name in "abcd"}
    estimates = {name: ["piano"] if name in "bc" else ["voice"] for name in "abcd"}
    protocols = ["open-mic-task1"]
    sides = references, {"mine": estimates}
    kt.write_run(kt.score("instruments", *sides, protocols=protocols), tmp_path / "run")
    some = kt.score("instruments", *sides, protocols=protocols, items=["b", "c"])
    narrowed = kt.score("instruments", tmp_path / "run", items=["b", "c"])
    # piano: one hit, one spurious; voice: two misses
    assert narrowed.value("open-mic-task1/macro_F") == pytest.approx((2 / 3 + 0) / 2)
    assert narrowed.summary.equals(some.summary)


def test_a_run_without_class_tables_has_nothing_left_out(tmp_path: Path) -> None:
    notes = {
        name: {"onsets": [0, 1], "offsets": [1, 2], "pitches": [60, 62], "fingers": ["1", "2"]}
        for name in "ab"
    }
    kt.write_run(kt.score("fingering", None, {"mine": notes}), tmp_path / "run")
    narrowed = kt.score("fingering", tmp_path / "run", items=["a"])
    assert narrowed.counts["mine"]["total"] == 1
    assert "KT224" not in [problem.code for problem in narrowed.diagnostics]
