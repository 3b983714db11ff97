# SPDX-License-Identifier: MIT
"""Lists of instruments carried over to other formats, and back."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kammerton as kt
from kammerton.errors import DataError
from kammerton.formats.reading import Problems
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.formats.writing import (
    ListEntry,
    render_jams,
    render_qrels,
    render_run,
    render_table,
)
from kammerton.instruments.labels import ListReader, as_items, as_reading
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.reading import parse_text
from kammerton.instruments.task import CONVERSION
from unit.instruments.listing import shown, told, write


def carry(
    folder: Path, name: str, content: str, form: str, annotator: str | None = None, **options: Any
) -> str:
    path, chosen = write(folder, name, content), InstrumentOptions(**options)
    assert CONVERSION.unfold and CONVERSION.gather  # noqa: PT018
    table = CONVERSION.unfold(path, name, chosen)
    if table is not None:
        parts = [(item, *track) for item, tracks in table.items.items() for track in tracks]
        return CONVERSION.render(CONVERSION.gather([p for p in parts if annotator in (None, p[1])]), form)
    reading = CONVERSION.load(path, name, chosen)
    assert reading.annotations, told(reading.diagnostics)
    return CONVERSION.render([track for who, track in reading.annotations if annotator in (None, who)], form)


def refusal(folder: Path, name: str, content: str, form: str, **options: Any) -> str:
    with pytest.raises(DataError) as raised:
        carry(folder, name, content, form, **options)
    assert [(each.code, each.file) for each in raised.value.diagnostics] == [("KT151", name)]
    return told(raised.value.diagnostics).removeprefix("error KT151 ")


def again(text: str, suffix: str) -> dict[tuple[str | None, str | None], str]:
    """Read what was written, by item and annotator."""
    problems = Problems("f")
    source = parse_text(text, suffix, ListReader(problems, InstrumentOptions()))
    assert source is not None, told(problems.diagnostics())
    if source.names_items:
        many_items = as_items(source, problems)
        assert many_items.broken == {}
        return {(item, who): shown(found) for item, each in many_items.items.items() for who, found in each}
    reading = as_reading(source, problems)
    assert reading.annotations, told(reading.diagnostics)
    return {(None, who): shown(found) for who, found in reading.annotations}


# --- what is written -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", "F\t\nE\t\n", "instrument\nF\nE\n"),
        ("a.json", '["F", "E"]', "instrument,rank\nF,1\nE,2\n"),
        ("a.json", '[["F", 0.25], ["E", 0.5]]', "instrument,score\nE,0.5\nF,0.25\n"),
        ("s.json", '{"a": ["F"], "b": []}', "file,instrument,rank\na,F,1\nb,,\n"),
        ("s.json", '{"a": {"F": 1, "E": 0}, "b": {"E": 0}}', "file,instrument\na,F\nb,\n"),
        ("s.json", '{"a": {"F": 0.25, "E": 1}, "b": {"E": 0.5}}', "file,F,E\na,0.25,1.0\nb,,0.5\n"),
        ("s.csv", "file,F,E\na,1,\nb,,\n", "file,instrument,relevance\na,F,1\nb,,\n"),
        (
            "s.csv",
            "file,annotator,instrument\na,x,F\na,y,E\nb,,G\n",
            "file,annotator,instrument\na,x,F\na,y,E\nb,,G\n",
        ),
        ("a.csv", "annotator,instrument\nx,F\ny,E\n", "annotator,instrument\nx,F\ny,E\n"),
        ("a.yaml", "stems: {S: {instrument: fx/processed sound}}", "instrument\nfx/processed sound\n"),
        ("a.json", '{"instruments": []}', 'instrument\n""\n'),
        ("s.run", "1 Q0 a 1 0.5 x\n1 Q0 b 2 0.25 x\n", "file,instrument,score\n1,a,0.5\n1,b,0.25\n"),
        ("s.qrels", "1 0 a 1\n1 0 b 0\n", "file,instrument\n1,a\n"),
    ],
)
def test_tables(tmp_path: Path, name: str, content: str, expected: str) -> None:
    assert carry(tmp_path, name, content, "csv") == expected


JAMENDO = (
    "TRACK_ID\tARTIST_ID\tALBUM_ID\tPATH\tDURATION\tTAGS\n"
    "track_1\ta\tb\t1.mp3\t1\tgenre---rock\tinstrument---piano\tinstrument---bass\tmood/theme---sad\n"
    "track_2\ta\tb\t2.mp3\t1\tgenre---jazz\n"
    "track_3\ta\tb\t3.mp3\t1\tinstrument---voice\n"
)


def test_of_mixed_files_of_jamendo_instruments_are_carried_over_and_the_rest_is_said(tmp_path: Path) -> None:
    expected = "file,instrument\ntrack_1,piano\ntrack_1,bass\ntrack_3,voice\n"
    assert carry(tmp_path, "s.tsv", JAMENDO, "csv") == expected
    judged = "track_1 0 piano 1\ntrack_1 0 bass 1\ntrack_3 0 voice 1\n"
    assert carry(tmp_path, "s.tsv", JAMENDO, "qrels") == judged
    path = write(tmp_path, "s.tsv", JAMENDO)
    found = kt.convert("instruments", path, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == expected
    said = {each.code: (each.severity, each.message) for each in found.diagnostics}
    assert said == {
        "KT627": ("note", "tags that are no instruments are left out: `genre`, `mood/theme`"),
        "KT614": ("note", "tracks without a tag of an instrument: nobody judged theirs"),
        "KT666": ("note", "1 item is left out, of whose instruments nothing is known"),
    }
    assumed = carry(tmp_path, "s.tsv", JAMENDO, "csv", assume_absent=True)
    assert assumed == "file,instrument\ntrack_1,piano\ntrack_1,bass\ntrack_2,\ntrack_3,voice\n"


def test_files_without_any_instrument_are_written_as_judgements(tmp_path: Path) -> None:
    lines = JAMENDO.split("\n")
    text = "\n".join((lines[0], lines[2], ""))
    assert carry(tmp_path, "s.tsv", text, "csv") == "file,instrument,relevance\ntrack_2,,\n"


def test_jams(tmp_path: Path) -> None:
    text = carry(tmp_path, "a.csv", "annotator,instrument,score\nx,F,0.25\nx,E,1\ny,G,2\n", "jams")
    written = json.loads(text)
    assert [each["namespace"] for each in written["annotations"]] == ["tag_open", "tag_open"]
    assert [each["annotation_metadata"]["annotator"]["name"] for each in written["annotations"]] == ["x", "y"]
    assert written["annotations"][0]["data"] == [
        {"time": 0, "duration": 0, "value": "E", "confidence": 1.0},
        {"time": 0, "duration": 0, "value": "F", "confidence": 0.25},
    ]
    assert again(text, ".jams") == {(None, "x"): "<E=1 F=0.25>", (None, "y"): "<G=2>"}
    plain = carry(tmp_path, "a.txt", "F\nE\n", "jams")
    assert again(plain, ".jams") == {(None, None): "{F E}"}
    assert again(carry(tmp_path, "a.json", "[]", "jams"), ".jams") == {(None, None): "<>"}


def test_jams_of_a_ranking_without_scores_says_that_its_order_ranks(tmp_path: Path) -> None:
    text = carry(tmp_path, "a.json", '["F", "E"]', "jams")
    (written,) = json.loads(text)["annotations"]
    assert [each["confidence"] for each in written["data"]] == [None, None]
    assert written["sandbox"] == {"ranked": True}
    assert again(text, ".jams") == {(None, None): "<F E>"}
    assert carry(tmp_path, "a.jams", text, "jams") == text


def test_judgements_and_runs(tmp_path: Path) -> None:
    assert carry(tmp_path, "s.qrels", "1 0 a 2\n1 0 b 0\n2 0 a 1\n", "qrels") == "1 0 a 2\n1 0 b 0\n2 0 a 1\n"
    assert carry(tmp_path, "s.csv", "file,E,F\na,1,1\nb,0,1\n", "qrels") == "a 0 E 1\na 0 F 1\nb 0 F 1\n"
    text = "file,instrument,score\na,E,0.25\na,F,0.5\n"
    assert carry(tmp_path, "s.csv", text, "run") == "a Q0 F 1 0.5 kammerton\na Q0 E 2 0.25 kammerton\n"
    assert carry(tmp_path, "s.json", '{"a": ["F", "E"]}', "run") == (
        "a Q0 F 1 2 kammerton\na Q0 E 2 1 kammerton\n"
    )
    judged = "file,E,F\na,1,\nb,0,1\n"
    assert carry(tmp_path, "s.csv", judged, "qrels", assume_absent=True) == "a 0 E 1\nb 0 F 1\n"


def test_one_annotator_may_be_chosen(tmp_path: Path) -> None:
    text = "file,annotator,instrument\na,x,F\na,y,E\nb,x,G\n"
    assert carry(tmp_path, "s.csv", text, "qrels", annotator="x") == "a 0 F 1\nb 0 G 1\n"
    assert "item `a` has several annotators" in refusal(tmp_path, "s.csv", text, "qrels")


def test_nothing_is_carried_over_if_an_item_is_broken(tmp_path: Path) -> None:
    path = write(tmp_path, "s.csv", "file,F\na,1\nb,high\n")
    done = kt.convert("instruments", path, tmp_path / "t.csv")
    assert (done.written, done.failed) == ((), (str(path),))
    assert [each.code for each in done.diagnostics] == ["KT609"]
    assert CONVERSION.load(tmp_path / "gone.csv", "gone.csv", InstrumentOptions()).annotations == ()


# --- what cannot be written ----------------------------------------------------------------

GRADES = "grades of relevance have no form in it\n  help: qrels can hold them"


@pytest.mark.parametrize(
    ("name", "content", "form", "expected"),
    [
        ("s.csv", "file,F\na,1\nb,1\n", "jams", "cannot be written as JAMS: a file is of one recording"),
        (
            "a.json",
            '{"F": 0.5}',
            "jams",
            "cannot be written as JAMS: scores of a vocabulary have no form in it",
        ),
        (
            "s.csv",
            "file,F,E\na,1,\n",
            "jams",
            "cannot be written as JAMS: judgements of some labels have no form in it\n  help: csv can",
        ),
        (
            "s.json",
            '{"a": ["F"], "b": {"F": 0.5}}',
            "csv",
            "cannot be written as CSV: lists are of several kinds: rankings without scores, scores of",
        ),
        ("s.qrels", "1 0 a 2\n", "csv", f"cannot be written as CSV: {GRADES}"),
        ("s.qrels", "1 0 a 2\n", "jams", f"cannot be written as JAMS: {GRADES}"),
        (
            "a.json",
            '{"F": 0.5}',
            "csv",
            "cannot be written as CSV: scores of a vocabulary need the name of their item",
        ),
        (
            "s.json",
            '{"a": {"score": 0.5}, "b": {"score": 0.25}}',
            "csv",
            "cannot be written as CSV: label `score` would be read as the name of another column",
        ),
        ("a.json", '[["a\\nb", 1]]', "csv", r"cannot be written as CSV: a line end or NUL: `a\x0ab`"),
        ("a.txt", "F\n", "qrels", "cannot be written as qrels: the file does not name its item"),
        ("s.csv", "file,F G\na,1\n", "qrels", "cannot be written as qrels: a blank in a name: `F G`"),
        ("s.csv", "file,F\na,0\n", "qrels", "cannot be written as qrels: item `a` has no label"),
        ("s.csv", "file,F,G\na,1,\n", "qrels", "cannot be written as qrels: what nobody judged would"),
        ("s.csv", "file,F,G\na,1,1\n", "run", "cannot be written as a run: the labels of `a` have no order"),
    ],
)
def test_what_a_format_cannot_hold(tmp_path: Path, name: str, content: str, form: str, expected: str) -> None:
    assert refusal(tmp_path, name, content, form).startswith(expected)


def test_labels_of_python_may_be_what_no_file_holds() -> None:
    for label in ("\ud800", "a\0b"):
        entry = ListEntry("a", None, InstrumentList((label,)))
        with pytest.raises(DataError, match="KT151"):
            render_table([entry])
    with pytest.raises(DataError, match="half a surrogate"):
        render_jams([ListEntry("a", None, InstrumentList(("\ud800",)))])
    assert again(render_jams([ListEntry("a", None, InstrumentList(("a\tb",)))]), ".jams") == {
        (None, None): "{a\tb}"
    }
    vector = InstrumentList(("a", "b"), np.array([0.0, 1.0]), ranked=True, vector=True)
    with pytest.raises(DataError, match="would be read as sets"):
        render_table([ListEntry("a", None, vector)])


# --- there and back ------------------------------------------------------------------------

NAMES = st.text("abF #,;\"'=-\xe9", min_size=1, max_size=6).map(lambda text: f"{text.strip()}x")
LABELS = st.lists(NAMES, unique=True, max_size=4)


@st.composite
def lists_of_items(draw: st.DrawFn) -> list[ListEntry]:
    kind = draw(st.sampled_from(["set", "order", "scores", "judged"]))
    entries = []
    for item in draw(st.lists(NAMES, unique=True, min_size=1, max_size=4)):
        labels = tuple(draw(LABELS))
        scores = (
            sorted((draw(st.floats(-1e6, 1e6)) for _ in labels), reverse=True) if kind == "scores" else []
        )
        absent = tuple(f"{label}y" for label in draw(LABELS)) if kind == "judged" else ()
        ranked = kind == "order" or len(scores) > 0 or (kind == "scores" and not labels)
        found = InstrumentList(
            labels, np.array(scores), ranked=ranked, absent=absent, closed=kind != "judged"
        )
        entries.append(ListEntry(item, None, found))
    return entries


def by_item(entries: list[ListEntry]) -> dict[tuple[str | None, str | None], str]:
    return {(entry.item, None): shown(entry.annotation) for entry in entries}


@given(lists_of_items())
def test_a_table_comes_back_as_it_was(entries: list[ListEntry]) -> None:
    back = again(render_table(entries), ".csv")
    empty = all(len(entry.annotation) == 0 and entry.annotation.closed for entry in entries)
    expected = {key: text.replace("<>", "{}") if empty else text for key, text in by_item(entries).items()}
    assert back == expected


@given(lists_of_items())
def test_judgements_and_runs_come_back_as_they_were(entries: list[ListEntry]) -> None:
    entries = [
        ListEntry(f"{n}", None, found)
        for n, entry in enumerate(entries)
        if (found := entry.annotation).closed
        and len(found)
        and not any(" " in label for label in found.labels)
    ]
    if not entries:
        return
    ranked = all(entry.annotation.ranked for entry in entries)
    text = (render_run if ranked else render_qrels)(entries)
    problems = Problems("f")
    source = parse_text(text, ".txt", ListReader(problems, InstrumentOptions()))
    assert source is not None
    assert problems.diagnostics() == ()
    assert [item for item, _ in source.keys] == [entry.item for entry in entries]
    for found, entry in zip(source.lists, entries, strict=True):
        assert sorted(found.labels) == sorted(entry.annotation.labels)
        assert sorted(found.absent) == sorted(entry.annotation.absent)
        if len(entry.annotation.scores):
            assert found.scores.tolist() == entry.annotation.scores.tolist()
        elif ranked:
            assert found.labels == entry.annotation.labels
