# SPDX-License-Identifier: MIT
"""``kammerton fuse``: several annotations of each item into one folder."""

import json

import pytest

from cli.harness import Terminal


@pytest.fixture
def sources(terminal: Terminal) -> Terminal:
    terminal.write(
        a={"one.lab": "0 2 C|2 4 G:7", "two.lab": "0 4 F"},
        b={"one.lab": "0 2 C|2 4 A:min", "two.lab": "0 4 D"},
        c={"one.lab": "0 1 C|1 4 G:7"},
    )
    return terminal


def test_a_folder_is_written_with_how_it_was_made(sources: Terminal) -> None:
    result = sources.run("fuse", "chords", "a", "b", "c", "--out", "out")
    assert result.code == 0
    assert (sources.folder / "out/one.lab").read_text() == "0.0\t2.0\tC\n2.0\t4.0\tG:7\n"
    record = json.loads((sources.folder / "out/kammerton.json").read_text())
    assert record["made"].startswith("fused:agreement,able,one,0.1|sources:a,b,c|data:")
    assert (sources.folder / "out/_fusion/rows.csv").read_text().startswith("item,start,end,label,support")
    assert sources.run("score", "chords", "a", "out", "--quiet", "--no-ci").code == 0


def test_what_is_there_is_replaced_on_request_only(sources: Terminal) -> None:
    assert sources.run("fuse", "chords", "a", "b", "--out", "out").code == 0
    assert sources.run("fuse", "chords", "a", "b", "--out", "out").code == 5
    assert sources.run("fuse", "chords", "a", "b", "--out", "out", "--force").code == 0
    assert sources.run("fuse", "chords", "a", "b", "--out", "c", "--force").code == 5  # holds other things


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("a --out o", "`a` is the only source"),
        ("a b", "--out DIR"),
        ("--out o", "SRC is needed"),
        ("a b --out o --weight z=1", "unknown source `z`"),
        ("a b --out o --weight a=0 --weight b=0", "the weight of every source is 0"),
        ("a b --out a/x", "`a/x` lies within a source, `a`"),
        ("a b --out .", "`.` holds a source, `a`"),
        ("a b --out o --reference nowhere", "nowhere"),
    ],
)
def test_mistakes_of_use_write_nothing(sources: Terminal, arguments: str, message: str) -> None:
    result = sources.run("fuse", "chords", *arguments.split())
    assert result.code != 0
    assert message in result.err
    assert not (sources.folder / "o").exists()


def test_a_fused_folder_may_be_a_source_and_is_not_replaced(sources: Terminal) -> None:
    assert sources.run("fuse", "chords", "a", "b", "--out", "first").code == 0
    result = sources.run("fuse", "chords", "first", "c", "--out", "first", "--force")
    assert result.code == 2
    assert (sources.folder / "first/one.lab").exists()


def test_leaving_out_one_after_the_other(sources: Terminal) -> None:
    assert sources.run("fuse", "chords", "a", "b", "c", "--out", "out", "--leave-one-out").code == 0
    assert sorted(path.name for path in (sources.folder / "out").iterdir()) == ["a", "b", "c"]


def test_forms_and_scores_beside_the_sources(sources: Terminal) -> None:
    result = sources.run("fuse", "chords", "a", "b", "--out", "o", "--format", "json", "--reference", "a")
    assert {score["system"] for score in result.document["scores"]} == {"a", "b", "fused"}
    # the result is a wherever the two differ: both agree with it in `one` for 2 s of 4, and in all of `two` a
    for number, form in enumerate(("table", "csv", "md", "latex")):
        result = sources.run("fuse", "chords", "a", "b", "--out", f"o{number}", "--format", form)
        assert result.code == 0
        assert ("0.25" if form == "csv" else "25.0") in result.out  # b: 2 s of 8


def test_an_item_without_a_usable_annotation_fails(sources: Terminal) -> None:
    sources.write(a={"bad.lab": "0 2 nonsense"})
    assert sources.run("fuse", "chords", "a", "b", "--out", "o").code == 1


def test_what_leaves_one_out_is_scored_beside_the_sources(sources: Terminal) -> None:
    arguments = ("fuse", "chords", "a", "b", "c", "--leave-one-out", "--reference", "c", "--quiet")
    result = sources.run(*arguments, "--out", "o", "--format", "json")
    systems = {score["system"] for score in result.document["scores"]}
    assert systems == {"a", "b", "c", "without a", "without b", "without c"}
    written = sources.run("score", "chords", "c", "o/a", "--format", "json", "--quiet", "--no-ci")
    written_scores = {score["measure"]: score["value"] for score in written.document["scores"]}
    for score in result.document["scores"]:
        if score["system"] == "without a":
            assert score["value"] == written_scores[score["measure"]]
    for wrong in (("a", "b", "--leave-one-out"), ("a", "b", "--reference", "c", "--format", "csv")):
        assert sources.run("fuse", "chords", *wrong, "--out", "p").code == 2


def value_of(terminal: Terminal, task: str, reference: str, estimate: str, measure: str) -> object:
    """Return the corpus score by one measure."""
    arguments = ("score", task, reference, estimate, "--measure", measure, "--format", "json", "--no-ci")
    (score, *_) = terminal.run(*arguments, "--quiet").document["scores"]
    return score["value"]


NOTES = "onset,offset,pitch,hand,finger|0,1,60,right,1|1,2,62,right,{}"


def test_fingerings_and_instruments(terminal: Terminal) -> None:
    for name, finger, instruments in (("a", 2, "piano"), ("b", 3, "piano|song,voice"), ("c", 3, "piano")):
        notes, lists = NOTES.format(finger), f"file,instrument|song,{instruments}|other,voice"
        terminal.write(**{name: {"piece.csv": notes}, f"{name}i": {"lists.csv": lists}})
    result = terminal.run("fuse", "fingering", "a", "b", "c", "--out", "notes", "--copies", "keep")
    assert result.code == 0
    assert "mean support 83.3 %, unanimous 50.0 %, no majority 0.0 %, of 2 notes" in result.out  # 1, 2/3
    assert value_of(terminal, "fingering", "b", "notes", "nakamura2020/M_gen") == 1
    result = terminal.run("fuse", "instruments", "ai", "bi", "ci", "--out", "lists", "--copies", "keep")
    assert result.code == 0
    # two of three do not list the voice of `song`, which they know
    assert value_of(terminal, "instruments", "ai", "lists", "open-mic-task1/F") == 1


def test_a_folder_that_is_converted_keeps_how_it_was_made(terminal: Terminal) -> None:
    terminal.write(a={"x.lab": "0 4 C"}, b={"x.lab": "0 4 C"}, c={"x.lab": "0 3 C|3 4 G"})
    for out, options in (("lab", ()), ("jams", ("--to", "jams"))):
        assert terminal.run("fuse", "chords", "a", "b", "c", "--out", out, *options).code == 0
    assert terminal.run("convert", "chords", "lab", "converted/", "--to", "jams").code == 0
    texts = [(terminal.folder / folder / "x.jams").read_text() for folder in ("jams", "converted")]
    made = [json.loads(text)["annotations"][0]["annotation_metadata"] for text in texts]
    assert made[0] == made[1]
    assert made[0]["annotation_tools"].startswith("kammerton fused:agreement")
