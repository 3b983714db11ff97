# SPDX-License-Identifier: MIT
"""Items as data of a page, and which of them a page holds."""

import base64
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import OptionError
from kammerton.model.views import (
    Branch,
    Cell,
    Column,
    DrawnViolation,
    ItemView,
    Mark,
    Note,
    Ranked,
    Roll,
    Span,
    Table,
    Track,
    Voice,
)
from kammerton.reporting.html.chapters import chapter_of
from kammerton.reporting.html.chapters import source_of as with_comparison
from kammerton.reporting.html.items import ItemData, choose, in_turn, item
from kammerton.reporting.html.page import Source


def added(view: ItemView) -> tuple[dict[str, Any], list[str]]:
    data = ItemData()
    data.add(3, view)
    return data.items["3"], data.texts


def laid_out(*tracks: Track, **more: Any) -> ItemView:
    return ItemView(
        item="x", measure="p/m", end=4.0, **({"tracks": tracks, "tables": (), "legend": {}} | more)
    )


def test_rows_become_steps_between_their_edges_and_gaps_have_no_label() -> None:
    item, texts = added(laid_out(Track("me", (Span(0.5, 1.25, "C"), Span(1.25, 2, "G"), Span(3, 4, "C")))))
    (track,) = item["tracks"]
    assert track["role"] == "reference"
    # edges 0.5, 1.25, 2, 3, 4 in thousandths, as steps; nothing lies between 2 and 3
    assert track["edges"] == [500, 750, 750, 1000, 1000]
    assert [None if label < 0 else texts[label] for label in track["labels"]] == ["C", "G", None, "C"]
    assert "marks" not in track


def test_steps_do_not_drift() -> None:
    thirds = tuple(Span(number / 3, (number + 1) / 3, "C") for number in range(3000))
    item, _ = added(laid_out(Track("me", thirds)))
    # 3000 thirds are 1000 s; rounded one by one, they would be 999 s
    assert sum(item["tracks"][0]["edges"]) == 1_000_000


def test_marks_of_all_measures_are_told_together() -> None:
    judged = {
        "p/a": (Mark(0, 1, "excluded"), Mark(1, 2, "wrong", "root")),
        "p/m": (Mark(1, 1.5, "wrong", "bass"), Mark(1.5, 3, "wrong", "quality"), Mark(3, 4, "wrong")),
    }
    item, texts = added(laid_out(Track("me", ()), Track("s", (), judged["p/m"], judged=judged)))
    assert [texts[number] for number in item["measures"]] == ["p/a", "p/m"]
    assert item["chosen"] == 1
    edges, said = item["tracks"][1]["marks"]
    assert edges == [0, 1000, 500, 500, 1000, 1000]
    # from 0, 1, 1.5, 2, 3 and 4 on: 1 excluded, 4 root, 6 bass, 5 quality, 2 wrong, 0 right
    assert [texts[number] for number in said] == ["10", "46", "45", "05", "02", "00"]


def test_tracks_that_do_not_judge_stand_between_references_and_systems() -> None:
    view = laid_out(Track("me", ()), Track("s", (), note="no estimate"), others=(Track("you", ()),))
    item, texts = added(view)
    assert [(texts[track["name"]], track["role"]) for track in item["tracks"]] == [
        ("me", "reference"),
        ("you", "other"),
        ("s", "system"),
    ]
    assert texts[item["tracks"][2]["note"]] == "no estimate"


def test_texts_stand_once_and_cannot_hide() -> None:
    rows = (Span(0, 1, "a\u202eb"), Span(1, 2, "a\u202eb"), Span(2, 3, "c" * 10_000))
    item, texts = added(laid_out(Track("me", rows)))
    first, again, long = item["tracks"][0]["labels"]
    assert first == again
    assert texts[first] == "a\\u202eb"
    assert len(texts[long]) <= 200


def test_beats_notes_tables_and_the_legend_are_there() -> None:
    table = Table("t", (Column("a"), Column("b", "share")), (("r", 0.123456), ("s", None)))
    view = laid_out(
        Track("me", ()), beats=(0.5, 1.0), notes=("told",), tables=(table,), legend={"wrong": "not so"}
    )
    item, texts = added(view)
    assert item["beats"] == [500, 500]
    assert [texts[number] for number in item["notes"]] == ["told"]
    (found,) = item["tables"]
    assert [(texts[number], kind) for number, kind in found["columns"]] == [("a", "text"), ("b", "share")]
    assert found["rows"] == [[[texts.index("r")], 0.1235], [[texts.index("s")], None]]
    assert item["legend"] == [["2", texts.index("not so")]]


def test_notes_are_columns_and_voices_have_fingers() -> None:
    roll = Roll(
        (Note(0, 0.5, 60, "C4", "right"), Note(0.5, 2, 48, "C3", "left"), Note(2, 2, -1, "#3", "")),
        (
            Voice("me", (Cell("R1"), Cell("L5"), Cell("."))),
            Voice(
                "s",
                (Cell("R2", "wrong"), Cell("L5", flagged=True), Cell(".", "excluded")),
                (DrawnViolation(0, 1, "too wide"),),
            ),
        ),
    )
    item, texts = added(laid_out(Track("me", ()), Track("s", ()), roll=roll))
    found = item["roll"]
    assert (found["onsets"], found["lengths"]) == ([0, 500, 1500], [500, 1500, 0])
    assert (found["pitches"], found["hands"], found["references"]) == ([60, 48, -1], "rl-", 1)
    me, system = found["voices"]
    assert [texts[number] for number in system["fingers"]] == ["R2", "L5", "."]
    assert (me["states"], system["states"]) == ("000", "201")
    assert (me["flagged"], system["flagged"]) == ([], [1])
    assert system["violations"] == [[0, 1, texts.index("too wide")]]


def test_outlines_and_lists_are_there() -> None:
    view = laid_out(
        Track("me", ()),
        Track("s", ()),
        outline=(Branch(1, "oboe", (Cell("+"), Cell("missed", "partly"))),),
        ranked=((Ranked("oboe"),), (Ranked("flute", 0.61234567, "wrong"), Ranked("horn", None, "excluded"))),
    )
    item, texts = added(view)
    assert item["outline"] == [[1, texts.index("oboe"), [texts.index("+"), texts.index("missed")], "03"]]
    assert item["ranked"] == [
        [[texts.index("oboe"), None, "0"]],
        [[texts.index("flute"), 0.6123, "2"], [texts.index("horn"), None, "1"]],
    ]


def test_size_is_what_the_data_takes_in_the_page() -> None:
    data = ItemData()
    for number in range(20):
        spans = tuple(Span(at, at + 1, f"<{at % 7}>") for at in range(number, 60))
        data.add(number, laid_out(Track("me", spans)))
    written = json.dumps({"items": data.items, "texts": data.texts}, separators=(",", ":"))
    written = written.replace("<", "\\u003c").replace(">", "\\u003e")
    assert data.size == pytest.approx(len(written), rel=0.1)


def test_each_item_comes_once_worst_best_and_drawn() -> None:
    found = list(in_turn(range(100), range(100, 110), 0))
    assert sorted(number for number, _ in found) == list(range(110))
    assert [(number, why) for number, why in found[:3]] == [(0, "worst"), (1, "worst"), (99, "best")]
    assert [number for number, why in found if why == "best"][:3] == [99, 98, 97]
    assert [why for _, why in found[:8]].count("drawn") == 2
    drawn = [number for number, why in found if why == "drawn"]
    again = [number for number, why in in_turn(range(100), range(100, 110), 0) if why == "drawn"]
    other = [number for number, why in in_turn(range(100), range(100, 110), 1) if why == "drawn"]
    assert drawn == again != other


def view_of(number: int) -> ItemView | None:
    return None if number == 2 else laid_out(Track(f"{number}", (Span(0, 1, str(number) * 50),)))


def test_all_items_are_chosen_if_they_fit() -> None:
    chosen = choose([0, 1, 2, 3], [4], view_of)
    assert sorted(chosen.data.items) == ["0", "1", "3", "4"]
    assert (chosen.why, chosen.left) == ({}, 0)


def test_items_are_chosen_until_the_budget_is_used() -> None:
    chosen = choose(range(10, 100), [], view_of, budget=1000)
    assert 0 < len(chosen.data.items) < 10
    assert chosen.left == 90 - len(chosen.data.items)
    assert chosen.why[10] == "worst"
    assert chosen.why[99] == "best"
    # the last one to be added may exceed it
    one = max(len(json.dumps(each)) for each in chosen.data.items.values())
    assert 1000 <= chosen.data.size < 1000 + one + 200


def test_one_item_is_chosen_however_large() -> None:
    assert list(choose([5, 6], [], view_of, budget=0).data.items) == ["5"]


REFERENCE = {name: ([(0, 4)], ["C"]) for name in ("a", "b", "c")}


def source_of(estimates: dict[str, Any], **choices: Any) -> Source:
    scores = kt.score("chords", REFERENCE, {"s": estimates}, protocols=["mirex2013"], ci=None, **choices)
    return Source(key="c1", scores=scores)


ESTIMATES = {"a": ([(0, 2), (2, 4)], ["C", "D"]), "b": ([(0, 4)], ["D"]), "c": ([(0, 4)], ["C"])}


def test_items_are_listed_from_the_worst() -> None:
    section = item(source_of(ESTIMATES), lambda name, _: laid_out(Track(name, ())))
    assert section is not None
    # b is all wrong, a half, c not at all; their numbers are 1, 0, 2
    assert section.data["order"] == [1, 0, 2]
    assert "All 3 items can be looked at." in section.body


def test_the_worst_item_is_laid_out_once_for_what_is_told_of_it_and_what_is_seen() -> None:
    asked: list[str] = []

    def draw(name: str, _: str | None) -> ItemView:
        asked.append(name)
        return laid_out(Track("reference", ()), Track("mine", ()), reasons={"mine": ("it sleeps",)})

    good, poor = ([(0, 4)], ["C"]), ([(0, 4)], ["G"])
    scores = kt.score("chords", dict.fromkeys("ab", good), {"mine": {"a": good, "b": poor}}, ci=None)
    short, *_ = chapter_of(with_comparison(scores, "c1"), "Chords", draw).sections
    assert sorted(asked) == ["a", "b"]
    assert "It sleeps." in short.body


def test_the_item_that_opens_first_is_the_worst_of_the_best_system() -> None:
    # good misses a alone, poor b and c: means are 1/2 each, but for c, which good has half
    good = {"a": ([(0, 4)], ["D"]), "b": ([(0, 4)], ["C"]), "c": ([(0, 4)], ["C"])}
    poor = {"a": ([(0, 4)], ["C"]), "b": ([(0, 4)], ["D"]), "c": ([(0, 3), (3, 4)], ["D", "C"])}
    scores = kt.score("chords", REFERENCE, {"poor": poor, "good": good}, protocols=["mirex2013"], ci=None)
    source = with_comparison(scores, "c1")
    section = item(source, lambda name, _: laid_out(Track(name, (Span(0, 1, name),))), budget=1)
    assert section is not None
    # it is laid out even where the page holds one item only
    assert (section.data["first"], section.data["order"]) == (0, [0])
    whole = item(source, lambda name, _: laid_out(Track(name, ())))
    assert whole is not None
    # (0 + 1) / 2 of a, (1 + 0) / 2 of b, (1 + 1/4) / 2 of c
    assert (whole.data["first"], whole.data["order"]) == (0, [0, 1, 2])


def test_items_without_a_value_stand_last() -> None:
    section = item(
        source_of({"c": ESTIMATES["c"]}, missing="skip"), lambda name, _: laid_out(Track(name, ()))
    )
    assert section is not None
    assert section.data["order"] == [2, 0, 1]


def test_items_that_cannot_be_laid_out_are_told() -> None:
    section = item(source_of(ESTIMATES), lambda name, _: None if name == "b" else laid_out(Track(name, ())))
    assert section is not None
    assert section.data["order"] == [0, 2]
    assert "2 of 3 items can be looked at; the others have no reference to lay out." in section.body


def test_a_page_says_which_items_it_holds() -> None:
    section = item(source_of(ESTIMATES), lambda name, _: laid_out(Track(name, ())), budget=1)
    assert section is not None
    assert "1 of 3 items can be looked at" in section.body
    assert "the 1 worst, the 0 best, and 0 drawn at random" in section.body


def test_without_views_there_is_no_section() -> None:
    source = source_of(ESTIMATES)
    assert item(source, None) is None
    assert item(source, lambda _, __: None) is None


def test_notes_without_times_are_no_reason_to_fail() -> None:
    notes = Roll((Note(float(np.float64(1)), 1.0, 60, "C4", ""),), ())
    item, _ = added(laid_out(roll=notes, references=0))
    assert item["roll"]["hands"] == "-"


def test_a_page_holds_recordings_of_a_folder(tmp_path: Path) -> None:
    soundfile = pytest.importorskip("soundfile")
    (tmp_path / "audio").mkdir()
    soundfile.write(
        tmp_path / "audio/one.wav", 0.1 * np.sin(np.arange(44100)).repeat(2).reshape(-1, 2), 44100
    )
    song = ([(0, 1)], ["C"])
    scores = kt.score("chords", {"one": song, "two": song}, {"mine": {"one": song, "two": song}}, ci=None)
    kt.report(scores, tmp_path / "page.html", recordings=tmp_path / "audio")
    (sound,) = re.findall(
        '"sound":"data:audio/mpeg;base64,([^"]*)"', (tmp_path / "page.html").read_text("utf-8")
    )
    heard, rate = soundfile.read(io.BytesIO(base64.b64decode(sound)))
    assert heard.ndim == 1
    assert len(heard) / rate == pytest.approx(1, abs=0.1)
    with pytest.raises(OptionError, match="recordings must be a path or a mapping"):
        kt.report(scores, tmp_path / "page.html", recordings=3)  # type: ignore[arg-type]
