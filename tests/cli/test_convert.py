# SPDX-License-Identifier: MIT
"""``kammerton convert``: what is written where, and what is not."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kammerton
from cli.harness import Terminal
from kammerton.model.registry import find_task

CONVERT = ("convert", "chords")
ROWS = "0.0\t2.5\tC:maj7/3\n2.5\t4.0\tN\n"
SUFFIXES = {"lab": ".lab", "jams": ".jams", "audacity": ".txt", "csv": ".csv"}


def jams(*annotators: str) -> str:
    data = [{"time": 0, "duration": 1, "value": "C", "confidence": None}]
    annotations = [
        {
            "namespace": "chord",
            "annotation_metadata": {"annotator": {"name": name}},
            "data": data,
            "sandbox": {},
        }
        for name in annotators
    ]
    return json.dumps({"file_metadata": {"duration": 1}, "annotations": annotations, "sandbox": {}})


def written(terminal: Terminal) -> set[str]:
    return {name for name in terminal.left() if name.startswith("out/")}


@pytest.mark.parametrize("first", SUFFIXES)
@pytest.mark.parametrize("second", SUFFIXES)
def test_there_and_back(terminal: Terminal, first: str, second: str) -> None:
    Path("song.lab").write_text(ROWS)
    there, back = f"there{SUFFIXES[first]}", f"back{SUFFIXES[second]}"
    for source, target in (("song.lab", there), (there, back), (back, "end.lab")):
        result = terminal.run(*CONVERT, source, target)
        assert (result.code, result.out) == (0, "")
    assert Path("end.lab").read_text() == ROWS


def test_labels_are_carried_over_as_written_or_respelled(terminal: Terminal) -> None:
    terminal.write(a={"x.lab": "0 1 Cm7|1 2 nonsense|2 3 Cm7"})
    result = terminal.run(*CONVERT, "a/x.lab", "x.csv")
    assert result.code == 0
    assert Path("x.csv").read_text().split() == [
        "start,end,label",
        "0.0,1.0,Cm7",
        "1.0,2.0,nonsense",
        "2.0,3.0,Cm7",
    ]
    assert "warning[KT311]" in result.err
    assert terminal.run(*CONVERT, "a/x.lab", "y.csv", "--lenient").code == 0
    assert Path("y.csv").read_text().split()[1:] == ["0.0,1.0,C:min7", "1.0,2.0,nonsense", "2.0,3.0,C:min7"]


def test_a_folder_keeps_its_tree(terminal: Terminal) -> None:
    terminal.write(a={"x.lab": "0 1 C", "Deep/er/y.txt": "0 1 D"})
    assert terminal.run(*CONVERT, "a", "out", "--to", "jams").code == 0
    assert written(terminal) == {
        "out/x.jams",
        "out/Deep/er/y.jams",
    }


def test_one_failure_does_not_stop_the_others(terminal: Terminal) -> None:
    terminal.write(a={"1.lab": "0 1 C", "2.lab": "1 0 C", "3.lab": "0 1 C", "3.csv": "start,end,label|0,1,C"})
    result = terminal.run(*CONVERT, "a", "out", "--to", "csv")
    assert result.code == 1
    assert written(terminal) == {"out/1.csv"}
    assert "error[KT124] a/2.lab:1:3:" in result.err
    assert "error[KT201]" in result.err
    assert result.lines[-1] == "1 file written, 3 not converted; 2 errors in 2 files"


def test_nothing_is_overwritten_without_force(terminal: Terminal) -> None:
    terminal.write(a={"x.lab": "0 1 C"})
    Path("x.csv").write_text("mine")
    result = terminal.run(*CONVERT, "a/x.lab", "x.csv")
    assert result.code == 5
    assert "error[KT503] a/x.lab: cannot write `x.csv`: it is there already\n  help: --force" in result.err
    assert Path("x.csv").read_text() == "mine"
    assert terminal.run(*CONVERT, "a/x.lab", "x.csv", "--force").code == 0
    assert Path("x.csv").read_text() == "start,end,label\n0.0,1.0,C\n"


def test_several_annotators_need_a_choice_or_a_folder(terminal: Terminal) -> None:
    Path("song.jams").write_text(jams("Ann", "Bob"))
    result = terminal.run(*CONVERT, "song.jams", "song.lab")
    assert result.code == 3
    assert "error[KT206] song.jams: 2 annotations in one file, and lab holds one" in result.err
    assert "annotators: `Ann`, `Bob`" in result.err
    assert terminal.run(*CONVERT, "song.jams", "song.lab", "--annotator", "Bob").code == 0
    Path("out").mkdir()
    assert terminal.run(*CONVERT, "song.jams", "out", "--to", "lab").code == 0
    assert written(terminal) == {"out/Ann.lab", "out/Bob.lab"}
    result = terminal.run(*CONVERT, "song.jams", "other.lab", "--annotator", "Eve")
    assert result.code == 3
    assert "error[KT212] song.jams: no annotator `Eve`\n  help: annotators: `Ann`, `Bob`" in result.err


def test_several_annotators_of_a_folder_get_a_folder_each(terminal: Terminal) -> None:
    Path("a").mkdir()
    Path("a/song.jams").write_text(jams("Ann", "Bob"))
    assert terminal.run(*CONVERT, "a", "out", "--to", "csv").code == 0
    assert written(terminal) == {
        "out/Ann/song.csv",
        "out/Bob/song.csv",
    }
    assert terminal.run(*CONVERT, "a", "joint", "--to", "jams").code == 0
    assert len(json.loads(Path("joint/song.jams").read_text())["annotations"]) == 2


WITH_METADATA: dict[str, Any] = {
    "file_metadata": {
        "title": "Blue",
        "artist": "A. Player",
        "duration": 185.5,
        "identifiers": {"isrc": "X1", "year": 1959},
        "jams_version": "0.2.0",
    },
    "annotations": [
        {
            "namespace": "chord",
            "annotation_metadata": {
                "curator": {"name": "Cora", "email": "c@example.org"},
                "annotator": {"name": "Ann", "level": 3},
                "version": 1.5,
                "annotation_rules": "by ear, twice",
                "annotation_tools": "Sonic Visualiser",
            },
            "data": [
                {"time": 2.5, "duration": 1.5, "value": "N", "confidence": 0.25},
                {"time": 0, "duration": 2.5, "value": "C:maj7/3", "confidence": "sure"},
            ],
            "sandbox": {"take": 2, "bars": [1, 2.5]},
            "time": 0,
            "duration": 4.0,
        },
        {"namespace": "beat", "annotation_metadata": {}, "data": [], "sandbox": {}},
    ],
    "sandbox": {"type": "audio"},
}


def test_jams_keeps_what_it_says_beside_its_rows(terminal: Terminal) -> None:
    Path("song.jams").write_text(json.dumps(WITH_METADATA))
    result = terminal.run(*CONVERT, "song.jams", "out.jams")
    assert result.code == 0
    out = json.loads(Path("out.jams").read_text())
    assert out["file_metadata"] == WITH_METADATA["file_metadata"] | {"jams_version": "0.3.4"}
    assert out["sandbox"] == {"type": "audio"}
    (annotation,) = out["annotations"]
    read = WITH_METADATA["annotations"][0]
    rows = annotation.pop("data")
    assert annotation == {key: value for key, value in read.items() if key != "data"}
    assert [(row["value"], row["confidence"]) for row in rows] == [("C:maj7/3", "sure"), ("N", 0.25)]
    assert "note[KT149] annotations of other namespaces are not carried over: `beat`" in result.err
    assert terminal.run(*CONVERT, "song.jams", "out.lab").err.count("KT149") == 0


def test_jams_keeps_the_name_of_the_one_annotator_that_is_chosen(terminal: Terminal) -> None:
    document = json.loads(jams("Ann", "Ann"))
    document["annotations"][1]["annotation_metadata"]["annotation_rules"] = "second"
    Path("song.jams").write_text(json.dumps(document))
    assert terminal.run(*CONVERT, "song.jams", "both.jams").code == 0
    both = json.loads(Path("both.jams").read_text())["annotations"]
    assert [each["annotation_metadata"]["annotator"]["name"] for each in both] == ["Ann", "Ann"]
    assert terminal.run(*CONVERT, "song.jams", "one.jams", "--annotator", "Ann (2)").code == 0
    (one,) = json.loads(Path("one.jams").read_text())["annotations"]
    assert one["annotation_metadata"] == {"annotator": {"name": "Ann (2)"}, "annotation_rules": "second"}


def test_what_json_cannot_have_in_metadata_becomes_null(terminal: Terminal) -> None:
    text = (
        json.dumps(WITH_METADATA).replace("185.5", "null").replace("1.5,", "NaN,", 1).replace("1959", "1e999")
    )
    Path("song.jams").write_text(text)
    assert terminal.run(*CONVERT, "song.jams", "out.jams").code == 0
    out = json.loads(Path("out.jams").read_text())
    assert out["file_metadata"]["duration"] == 4  # of the last row, where the file tells none
    assert out["file_metadata"]["identifiers"]["year"] is None
    assert out["annotations"][0]["annotation_metadata"]["version"] is None


def test_jams_of_instruments_keeps_what_it_says_beside_its_tags(terminal: Terminal) -> None:
    document = json.loads(json.dumps(WITH_METADATA))
    document["annotations"][0] |= {
        "namespace": "tag_open",
        "data": [{"time": 0, "duration": 185.5, "value": "piano", "confidence": 1}],
    }
    Path("song.jams").write_text(json.dumps(document))
    result = terminal.run("convert", "instruments", "song.jams", "out.jams")
    assert result.code == 0
    out = json.loads(Path("out.jams").read_text())
    assert out["file_metadata"] == document["file_metadata"] | {"jams_version": "0.3.4"}
    (annotation,) = out["annotations"]
    assert annotation["annotation_metadata"] == document["annotations"][0]["annotation_metadata"]
    assert [row["value"] for row in annotation["data"]] == ["piano"]
    assert "KT149" in result.err


def test_names_of_annotators_do_not_lead_out_of_the_folder(terminal: Terminal) -> None:
    Path("in").mkdir()
    Path("in/song.jams").write_text(jams("../../evil", "/etc/x", "..", "A/b", "a_B", "\x1b[31m\n"))
    before = terminal.left()
    assert terminal.run(*CONVERT, "in", "deep/out", "--to", "lab").code == 0
    new = terminal.left() - before
    assert len(new) == 6
    assert all(name.startswith("deep/out/") and name.count("/") == 3 for name in new)
    assert len({name.casefold() for name in new}) == 6


def test_no_two_annotators_get_one_file(terminal: Terminal) -> None:
    Path("song.jams").write_text(jams("a_", "a_-3", "a/", "A:"))
    assert terminal.run(*CONVERT, "song.jams", "out/", "--to", "lab").code == 0
    assert written(terminal) == {"out/a_.lab", "out/a_-3.lab", "out/a_-4.lab", "out/A_-5.lab"}


def test_a_folder_that_may_not_be_listed_is_no_success(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.write(a={"x.lab": "0 1 C", "closed/y.lab": "0 1 C"})
    scan = os.scandir

    def scandir(folder: str | Path | int) -> object:
        if not isinstance(folder, int) and Path(folder).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scan(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    said = f"error[KT101] {Path('a', 'closed')}: folder cannot be read: permission denied"
    result = terminal.run(*CONVERT, "a", "out", "--to", "csv")
    assert (result.code, written(terminal)) == (1, {"out/x.csv"})
    assert said in result.err
    for verb, code in (
        (("convert", "chords", "a/closed", "out", "--to", "csv"), 3),
        (("check", "chords", "a/closed"), 1),
    ):
        assert terminal.run(*verb).code == code
    scored = terminal.run("score", "chords", "a/closed", "a")
    assert (scored.code, scored.lines[0]) == (3, said)
    assert "nothing was scored: 1 error" in scored.err


def test_a_folder_without_annotations_is_a_mistake(terminal: Terminal) -> None:
    Path("empty").mkdir()
    result = terminal.run(*CONVERT, "empty", "out", "--to", "csv")
    assert (result.code, "no annotation files in `empty`" in result.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a", "out"), "has no suffix of a format"),
        (("a", "a/out", "--to", "csv"), "the target lies within the source"),
        (("a", "a", "--to", "csv"), "the target lies within the source"),
        (("a", "file", "--to", "csv"), "`file` is a file, and the source a folder"),
        (("a/x.lab", "a/x.lab"), "source and target are the same file"),
        (("a/x.lab", "x.lab", "--to", "lap"), "unknown format `lap`\n  help: did you mean `lab`?"),
        (("nowhere", "x.lab"), "no such file or folder: `nowhere`"),
        (("a/x.lab",), "IN and OUT are needed"),
    ],
)
def test_usage_errors(terminal: Terminal, arguments: tuple[str, ...], said: str) -> None:
    terminal.write(a={"x.lab": "0 1 C"})
    Path("file").touch()
    before = terminal.left()
    result = terminal.run(*CONVERT, *arguments)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert terminal.left() == before


def test_folder_that_is_missing_or_in_the_way(terminal: Terminal) -> None:
    terminal.write(a={"x.lab": "0 1 C"})
    result = terminal.run(*CONVERT, "a/x.lab", "nowhere/x.csv")
    assert result.code == 5
    assert "error[KT501] a/x.lab: cannot write `nowhere/x.csv`: folder `nowhere` does not exist" in result.err
    terminal.write(b={"deep/x.lab": "0 1 C"})
    Path("out").mkdir()
    Path("out/deep").touch()
    result = terminal.run(*CONVERT, "b", "out", "--to", "csv")
    assert result.code == 5
    assert "error[KT501]" in result.err


def test_label_that_a_format_cannot_hold(terminal: Terminal) -> None:
    Path("x.csv").write_text('start,end,label\n0,1,"a\tb"\n')
    result = terminal.run(*CONVERT, "x.csv", "x.lab")
    assert result.code == 3
    assert "KT151" in result.err
    assert not os.path.lexists("x.lab")


def test_quiet_says_errors_only(terminal: Terminal) -> None:
    terminal.write(a={"x.lab": "0 1 Cm7"})
    assert terminal.run(*CONVERT, "a", "out", "--to", "csv", "--quiet").err == ""


def test_a_task_without_other_formats_says_so(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    task = replace(find_task("chords"), conversion=None)
    monkeypatch.setattr("kammerton.api.files.find_task", lambda _: task)
    with pytest.raises(kammerton.OptionError, match="files of chords cannot be converted"):
        kammerton.convert("chords", "x.lab", "x.csv")


def test_api_says_what_it_did(terminal: Terminal) -> None:
    terminal.write(a={"1.lab": "0 1 C", "2.lab": "x"})
    done = kammerton.convert("chords", "a", "out", to="csv")
    assert done.written == (os.fspath(Path("out/1.csv")),)
    assert done.failed == (os.fspath(Path("a/2.lab")),)
    assert done.diagnostics[0].severity == "error"


BOTH = {"ann": {"a.lab": "0 1 C|1 2 G", "b.lab": "0 2 F"}, "bob": {"a.lab": "0 2 A", "deep/c.lab": "0 1 D"}}
TABLE = """item,annotator,start,end,label
a,ann,0.0,1.0,C
a,ann,1.0,2.0,G
b,ann,0.0,2.0,F
a,bob,0.0,2.0,A
deep/c,bob,0.0,1.0,D
"""


def annotators_of(path: str) -> dict[str, list[str]]:
    annotations = json.loads(Path(path).read_text())["annotations"]
    names = [each["annotation_metadata"]["annotator"]["name"] for each in annotations]
    values = [[row["value"] for row in each["data"]] for each in annotations]
    return dict(zip(names, values, strict=True))


def test_many_files_become_one_table_and_files_again(terminal: Terminal) -> None:
    terminal.write(**BOTH)
    assert terminal.run(*CONVERT, "ann", "bob", "songs.csv").code == 0
    assert Path("songs.csv").read_text() == TABLE
    assert terminal.run(*CONVERT, "ann", "one.csv").code == 0
    assert Path("one.csv").read_text() == ("item,start,end,label\na,0.0,1.0,C\na,1.0,2.0,G\nb,0.0,2.0,F\n")
    assert terminal.run(*CONVERT, "one.csv", "out/", "--to", "lab").code == 0
    assert written(terminal) == {"out/a.lab", "out/b.lab"}
    assert terminal.run(*CONVERT, "songs.csv", "parts/", "--to", "lab").code == 0
    names = {name for name in terminal.left() if name.startswith("parts/")}
    assert names == {"parts/ann/a.lab", "parts/ann/b.lab", "parts/bob/a.lab", "parts/bob/deep/c.lab"}
    assert Path("parts/ann/a.lab").read_text() == "0.0\t1.0\tC\n1.0\t2.0\tG\n"
    assert terminal.run(*CONVERT, "songs.csv", "bobs.csv", "--annotator", "bob").code == 0
    assert Path("bobs.csv").read_text().splitlines()[1:] == TABLE.splitlines()[4:]
    before = terminal.left()
    refused = terminal.run(*CONVERT, "ann", "songs.csv")
    assert (refused.code, "it is there already" in refused.err, terminal.left()) == (5, True, before)


def test_annotators_are_put_together_in_jams(terminal: Terminal) -> None:
    terminal.write(**BOTH)
    assert terminal.run(*CONVERT, "Ann=ann", "bob", "out/", "--to", "jams").code == 0
    assert written(terminal) == {"out/a.jams", "out/b.jams", "out/deep/c.jams"}
    assert annotators_of("out/a.jams") == {"Ann": ["C", "G"], "bob": ["A"]}
    assert annotators_of("out/b.jams") == {"Ann": ["F"]}
    assert terminal.run(*CONVERT, "x=ann/a.lab", "y=bob/deep/c.lab", "z=out/a.jams", "one.jams").code == 0
    assert annotators_of("one.jams") == {"x": ["C", "G"], "y": ["D"], "z-Ann": ["C", "G"], "z-bob": ["A"]}
    assert terminal.run(*CONVERT, "out", "split", "--to", "lab").code == 0
    assert {name for name in terminal.left() if name.startswith("split/")} == {
        *("split/Ann/a.lab", "split/bob/a.lab", "split/b.lab", "split/deep/c.lab"),
    }
    result = terminal.run(*CONVERT, "ann", "bob", "all.jams")
    assert result.code == 3
    assert "error[KT206] all.jams: 3 items in one file, and jams holds one" in result.err
    assert "is a folder for all; items: `a`, `b`, `deep/c`" in result.err
    for sources in (("out/a.jams",), ("x=ann/a.lab", "bob/a.lab")):
        assert "2 annotations in one file, and lab" in terminal.run(*CONVERT, *sources, "y.lab").err


def test_what_cannot_be_read_is_no_part_of_a_table(terminal: Terminal) -> None:
    terminal.write(a={"x.lab": "0 1 C", "y.lab": "1 0 C"})
    Path("torn.csv").write_text("item,start,end,label\na,0,1,C\nb,1,0,C\n../c,0,1,C\n")
    result = terminal.run(*CONVERT, "a", "t.csv")
    assert (result.code, result.lines[-1]) == (1, "1 file written, 1 not converted; 1 error in 1 file")
    assert Path("t.csv").read_text() == "item,start,end,label\nx,0.0,1.0,C\n"
    assert terminal.run(*CONVERT, "torn.csv", "u.csv").code == 3
    split = terminal.run(*CONVERT, "torn.csv", "out/", "--to", "lab")
    assert (split.code, written(terminal)) == (1, {"out/a.lab"})
    assert "error[KT727] torn.csv: name of an item leads out of the folder: `../c`" in split.err
    assert terminal.run(*CONVERT, "a/y.lab", "torn.csv", "v.csv").code == 3
    assert not Path("v.csv").exists()


def test_parts_are_all_written_or_none(terminal: Terminal) -> None:
    Path("song.jams").write_text(jams("Ann", "Bob"))
    Path("out").mkdir()
    Path("out/Bob.lab").write_text("mine")
    assert terminal.run(*CONVERT, "song.jams", "out", "--to", "lab").code == 5
    assert written(terminal) == {"out/Bob.lab"}


def test_a_name_that_no_row_can_hold(terminal: Terminal) -> None:
    terminal.write(a={"x ": "", "two\nlines.lab": "0 1 C"})
    result = terminal.run(*CONVERT, "a", "t.csv")
    assert "error[KT151] name cannot be written as CSV, it has a line end: `two\\x0alines`" in result.err


def test_tables_of_instruments_are_put_together_and_split(terminal: Terminal) -> None:
    terminal.write(**{".": {"x.csv": "file,instrument|a,piano|b,voice", "y.csv": "file,instrument|a,drums"}})
    run = ("convert", "instruments")
    assert terminal.run(*run, "x.csv", "y.csv", "both.csv").code == 0
    assert Path("both.csv").read_text() == "file,annotator,instrument\na,x,piano\nb,x,voice\na,y,drums\n"
    assert terminal.run(*run, "both.csv", "out/", "--to", "jams").code == 0
    assert written(terminal) == {"out/a.jams", "out/b.jams"}
    assert annotators_of("out/a.jams") == {"x": ["piano"], "y": ["drums"]}
    assert terminal.run(*run, "out", "again.csv").code == 0
    assert Path("again.csv").read_text() == "file,annotator,instrument\na,x,piano\nb,x,voice\na,y,drums\n"
    assert terminal.run(*run, "x.csv", "q/", "--to", "qrels").code == 0
    assert Path("q/b.qrels").read_text() == "b 0 voice 1\n"


def test_annotators_of_fingerings_keep_their_numbers(terminal: Terminal) -> None:
    row = "0\t0.0\t0.5\tC4\t64\t80\t0\t{}"
    terminal.write(
        ann={"p_fingering.txt": row.format(1), "q_fingering.txt": row.format(2)},
        bob={"q_fingering.txt": row.format(3), "r_fingering.txt": row.format(4)},
    )
    result = terminal.run("convert", "fingering", "ann", "bob", "out/", "--to", "pig")
    assert result.code == 0
    numbered = {"p-1": "1", "q-1": "2", "q-2": "3", "r-2": "4"}
    assert written(terminal) == {f"out/{name}_fingering.txt" for name in numbered}
    for name, finger in numbered.items():
        assert Path(f"out/{name}_fingering.txt").read_text().rstrip().endswith(finger)


def test_packs_are_put_together_too(terminal: Terminal) -> None:
    terminal.write(**BOTH)
    assert terminal.run("pack", "chords", "bob", "bob.parquet").code == 0
    assert terminal.run(*CONVERT, "ann", "bob=bob.parquet", "songs.csv").code == 0
    assert Path("songs.csv").read_text() == TABLE
    assert kammerton.convert("chords", {"ann": "ann", "bob": "bob"}, "p.csv").written == ("p.csv",)
    with pytest.raises(kammerton.OptionError, match="what is to be converted"):
        kammerton.convert("chords", {}, "q.csv")


def test_two_annotations_of_one_annotator_are_no_table(terminal: Terminal) -> None:
    table = "item,start,end,label|a,0,1,C"
    terminal.write(t={"one.csv": table, "two.csv": f"{table}|b,0,1,D"})
    result = terminal.run(*CONVERT, "t", "all.csv")
    assert (result.code, Path("all.csv").read_text()) == (1, "item,start,end,label\na,0.0,1.0,C\n")
    assert "error[KT201] t/two.csv: another annotation of `a`, beside that in `t/one.csv`" in result.err
    assert terminal.run(*CONVERT, "x=t/one.csv", "y=t/two.csv", "both.csv").code == 0
    document = json.loads(jams("Ann", "Bob"))
    for annotation in document["annotations"]:
        annotation["annotation_metadata"] = {}
    Path("j").mkdir()
    Path("j/s.jams").write_text(json.dumps(document))
    assert terminal.run(*CONVERT, "j", "s.csv").code == 0
    assert Path("s.csv").read_text().splitlines()[1:] == ["s,1,0.0,1.0,C", "s,2,0.0,1.0,C"]
