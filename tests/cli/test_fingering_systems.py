# SPDX-License-Identifier: MIT
"""``kammerton annotate fingering``: from files of notes to files with fingers."""

import json

import pytest

from cli.harness import Terminal
from kammerton.fingering import read

HEAD = "onset,offset,pitch,hand,finger\n"
FIVE = [f"{time},{time + 1},{key},right," for time, key in enumerate((60, 62, 64, 65, 67))]


def test_tables_of_notes_are_fingered_by_rules_unless_told(terminal: Terminal) -> None:
    terminal.write(notes={"five.csv": HEAD + "|".join(FIVE)})
    result = terminal.run("annotate", "fingering", "notes", "--out", "out")
    assert (result.code, result.err) == (0, "1 item annotated by `rules`, in `out`\n")
    assert read(terminal.folder / "out/five.txt").labels == ("1", "2", "3", "4", "5")
    written = terminal.run("annotate", "fingering", "notes", "--out", "tables", "--to", "csv", "--quiet")
    assert written.code == 0
    assert read(terminal.folder / "tables/five.csv").labels == ("1", "2", "3", "4", "5")


def test_a_half_fingered_file_becomes_whole(terminal: Terminal) -> None:
    terminal.write(notes={"five.csv": HEAD + "|".join([*FIVE[:2], FIVE[2] + "4", *FIVE[3:]])})
    terminal.run("annotate", "fingering", "notes", "--out", "anew", "--quiet")
    assert read(terminal.folder / "anew/five.txt").labels[2] == "3"
    terminal.run("annotate", "fingering", "notes", "--out", "whole", "--set", "keep=true", "--quiet")
    whole = read(terminal.folder / "whole/five.txt").labels
    assert whole[2] == "4"
    assert all(whole)


def test_a_model_is_trained_and_run(terminal: Terminal) -> None:
    fingered = [row + str(finger) for finger, row in enumerate(FIVE, 1)]
    terminal.write(notes={"five.csv": HEAD + "|".join(FIVE)}, refs={"six.csv": HEAD + "|".join(fingered)})
    trained = terminal.run("train", "fingering", "refs", "--system", "hmm2", "--out", "model.npz")
    assert trained.code == 0
    assert trained.err.startswith("`hmm2` trained on 1 item of refs, data:")
    run = ("annotate", "fingering", "notes", "--system", "hmm2", "--model", "model.npz", "--out", "out")
    assert terminal.run(*run, "--quiet").code == 0
    assert read(terminal.folder / "out/five.txt").labels == ("1", "2", "3", "4", "5")
    record = json.loads((terminal.folder / "out/kammerton.json").read_text())
    assert record["trained_on"].startswith("1 item of refs, data:")
    assert record["made"].startswith("hmm2|model:")
    assert "\n  trained on      1 item of refs, data:" in terminal.run("systems", "--model", "model.npz").out
    (card,) = json.loads(terminal.run("systems", "--model", "model.npz", "--format", "json").out)
    assert (card["system"], card["levels"], card["settings"]["split"]) == ("hmm2", [], 60)
    refused = terminal.run("systems", "--model", "refs/six.csv")
    assert (refused.code, "KT808" in refused.err) == (3, True)
    terminal.write(refs={"broken.csv": HEAD + "0,1,H4,right,1"})
    trained = terminal.run("train", "fingering", "refs", "--system", "hmm2", "--out", "model.npz", "--force")
    assert trained.code == 1
    assert "error[KT341]" in trained.err
    assert "trained on 1 item of refs" in trained.err


def test_why_notes_have_their_fingers(terminal: Terminal) -> None:
    fourth = [row + str(finger) for row, finger in zip(FIVE, (1, 2, 4, 4, 5), strict=True)]
    terminal.write(ref={"five.csv": HEAD + "|".join(fourth)})
    terminal.run("annotate", "fingering", "ref", "--out", "est", "--quiet")
    show = ("show", "fingering", "ref", "est", "five")
    shown = terminal.run(*show, "--explain", "rules", "--from", "2", "--to", "3")
    assert shown.code == 0
    assert "\nest: costs 2 by rules; the least is 2, which 1 fingering has\n" in shown.out
    # D to E is 2 units up: 2-4 lie from 3 to 4 at rest
    assert "\n  2 s    E4   R4      2     3 (" in shown.out
    assert "stretch beyond rest: 1, fourth finger: 1\n" in shown.out
    assert "  3 s    F4" not in shown.out
    assert "profile of rules" in terminal.run(*show, "--explain", "rules", "--set", "profile=mine").err
    for arguments, message in (
        (("--explain", "hmm2"), "`hmm2` does not explain itself\n  help: these do: rules\n"),
        (("--set", "keep=true"), "--set needs --explain\n"),
    ):
        refused = terminal.run(*show, *arguments)
        assert refused.code == 2
        assert message in refused.err
    terminal.write(songs={"one.lab": "0 1 C"})
    assert (
        "no system of chords does"
        in terminal.run("show", "chords", "songs", "songs", "one", "--explain", "fusion").err
    )


def test_scores_say_what_a_model_was_trained_on(terminal: Terminal) -> None:
    fingered = HEAD + "|".join(row + str(finger) for finger, row in enumerate(FIVE, 1))
    terminal.write(refs={"one.csv": fingered}, more={"one.csv": fingered, "two.csv": fingered})
    terminal.run("train", "fingering", "refs", "--system", "hmm1", "--out", "model.npz", "--quiet")
    run = ("annotate", "fingering", "more", "--system", "hmm1", "--model", "model.npz", "--out", "out")
    terminal.run(*run, "--quiet")
    record = json.loads((terminal.folder / "out/kammerton.json").read_text())
    assert record["learned"] == ["one"]
    trained = f"trained:{record['made'].partition('|trained:')[2]}"
    assert record["trained_on"].endswith(trained.replace("trained:", "data:"))
    said = (
        "by its record, `out` comes from a model that was trained on 1 of 2 items (`one`)\n"
        "  help: scores of these are no measure of what it does on others\n"
    )
    scored = terminal.run("score", "fingering", "more", "out", "--protocol", "strike", "--no-ci")
    assert said in scored.err
    assert f";{trained}|items:2|" in scored.out
    chosen = terminal.run("score", "fingering", "more", "out", "--items", "two", "--protocol", "strike")
    assert "KT215" not in chosen.err
    assert terminal.run("score", "fingering", "more", "refs", "--no-ci").err.count("KT215") == 0
    (terminal.folder / "out/kammerton.json").write_text('{"made": "mine", "learned": 3}')
    assert "KT215" not in terminal.run("score", "fingering", "more", "out", "--no-ci").err


def test_a_learning_curve_is_checked_first(terminal: Terminal) -> None:
    terminal.write(refs={"six.csv": HEAD + "|".join(FIVE)})
    run = ("train", "fingering", "refs", "--out", "model.npz", "--system")
    for system, curve, message in (
        ("hmm2", "curve.svg", "`hmm2` learns in no epochs"),
        ("crf", "curve.doc", "unknown form of pictures `doc`"),
        ("crf", "nowhere/curve.svg", "folder `nowhere` does not exist"),
    ):
        result = terminal.run(*run, system, "--curve", curve)
        assert result.code in (2, 5)
        assert message in result.err
    assert not (terminal.folder / "model.npz").exists()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
def test_a_network_is_trained_and_run(terminal: Terminal) -> None:
    rows = [f"{time},{time + 1},{60 + time},right,{1 + time % 5}" for time in range(9)]
    notes = {f"{name}.csv": HEAD + "|".join(rows) for name in "abc"}
    terminal.write(refs=notes)
    (terminal.folder / "splits.csv").write_text("item,split\na,train\nb,validation\nc,test\n")
    run = ("train", "fingering", "refs", "--system", "crf", "--splits", "splits.csv", "--out", "model.npz")
    small = ("--set", "epochs=1", "--set", "units=4")
    trained = terminal.run(*run, *small, "--curve", "curve.svg")
    assert trained.code == 0
    *_, first, second = trained.err.splitlines()
    assert first.startswith("`crf` trained on 2 items of refs, data:")
    assert second.startswith("1 validation item: agreement ")
    assert second.endswith(" %, after epoch 1 of 1")
    card = terminal.run("systems", "--model", "model.npz").out
    assert "trained on      2 items of refs" in card
    assert "levels          1 validation item: agreement " in card
    assert "units=4" in card
    assert "validation agreement" in (terminal.folder / "curve.svg").read_text()
    annotate = ("annotate", "fingering", "refs", "--system", "crf", "--model", "model.npz", "--out", "out")
    assert terminal.run(*annotate, "--set", "decoding=path", "--quiet").code == 0
    assert all(read(terminal.folder / "out/c.txt").labels)


def test_one_split_alone_is_annotated(terminal: Terminal) -> None:
    piece = HEAD + "|".join(FIVE)
    terminal.write(
        notes={"one.csv": piece, "two.csv": piece, "three.csv": piece, "bad.csv": HEAD + "0,1,H4,right,"},
    )
    (terminal.folder / "splits.csv").write_text("item,split\none,train\ntwo,test\nbad,train\n")
    run = ("annotate", "fingering", "notes", "--out", "out")
    result = terminal.run(*run, "--splits", "splits.csv", "--split", "test")
    assert (result.code, result.err) == (0, "1 item annotated by `rules`, in `out`\n")
    assert [path.name for path in (terminal.folder / "out").glob("*.txt")] == ["two.txt"]
    broken = terminal.run(*run, "--splits", "splits.csv", "--split", "train", "--force")
    assert (broken.code, "KT341" in broken.err) == (1, True)
    for choices, message in (
        (("--split", "test"), "which items are in a split?"),
        (("--splits", "splits.csv"), "which split?\n  help: known: test, train"),
        (("--splits", "splits.csv", "--split", "tets"), "did you mean `test`?"),
    ):
        assert message in terminal.run(*run, "--force", *choices).err
