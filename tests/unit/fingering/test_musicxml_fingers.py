# SPDX-License-Identifier: MIT
"""Fingers are put into a score; everything else in it stays."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Literal

import kammerton as kt
from kammerton.fingering.formats.musicxml_fingers import score_with

HEAD = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- by hand -->
<score-partwise version="4.0">
  <part-list><score-part id="P1"><part-name>Fl\xfcgel</part-name></score-part></part-list>
  <part id="P1">
    <measure number="1">
      <attributes><divisions>1</divisions></attributes>
"""
TAIL = """    </measure>
  </part>
</score-partwise>
"""


def note(step: str, inner: str = "", *, before: str = "") -> str:
    pitch = f"<pitch><step>{step}</step><octave>4</octave></pitch>"
    return f"      <note>\n        {before}{pitch}<duration>1</duration>\n{inner}      </note>\n"


LYRIC = "        <lyric><text>la</text></lyric>\n"
SCORE = (
    HEAD
    + note("C", LYRIC)
    + note("D", "        <notehead>x</notehead><notations><fermata/></notations>\n")
    + note("E", "        <notations><technical><up-bow/><fingering>5</fingering></technical></notations>\n")
    + note("F", "        <notations><technical/></notations>\n")
    + note("G", before="<!-- last -->")
    + TAIL
)
EXPECTED = (
    HEAD.replace("ISO-8859-1", "UTF-8")
    + note("C", "          <notations><technical><fingering>1</fingering></technical></notations>\n" + LYRIC)
    + note(
        "D",
        "        <notehead>x</notehead><notations><technical><fingering>2</fingering></technical><fermata/>"
        "</notations>\n",
    )
    + note("E", "        <notations><technical><fingering>3</fingering><up-bow/></technical></notations>\n")
    + note(
        "F",
        "        <notations><technical><fingering>4</fingering></technical><technical/></notations>\n",
    )
    + note(
        "G",
        "        <notations><technical><fingering>5</fingering></technical></notations>\n",
        before="<!-- last -->",
    )
    + TAIL
)


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def test_a_score_comes_back_with_fingers(tmp_path: Path) -> None:
    path = tmp_path / "in/five.musicxml"
    path.parent.mkdir()
    path.write_bytes(SCORE.encode("latin-1"))
    out = tmp_path / "out"
    made = kt.annotate("fingering", path.parent, "rules", out=out, to="musicxml")
    text = (out / "five.musicxml").read_text(encoding="utf-8")
    assert lines(text) == lines(EXPECTED)
    assert kt.fingering.read(out / "five.musicxml").labels == made["five"].labels == ("1", "2", "3", "4", "5")


def test_ties_have_one_finger(tmp_path: Path) -> None:
    tied = note("C", "        <tie type='start'/><voice>1</voice>\n") + note(
        "C",
        "        <tie type='stop'/><voice>1</voice><notations><technical><fingering>4</fingering></technical>"
        "</notations>\n",
    )
    path = tmp_path / "tied.musicxml"
    path.write_bytes((HEAD + tied + TAIL).encode("latin-1"))
    kt.annotate("fingering", path, "rules", out=tmp_path / "out", to="musicxml")
    text = (tmp_path / "out/tied.musicxml").read_text(encoding="utf-8")
    assert re.findall("<fingering>.*?</fingering>", text) == ["<fingering>1</fingering>"]
    assert text.count("<note>") == 2


def test_other_notes_become_a_new_score(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("onset,offset,pitch,hand,finger\n0,1,60,right,\n")
    kt.annotate("fingering", path, "rules", out=tmp_path / "out", to="musicxml")
    assert kt.fingering.read(tmp_path / "out/one.musicxml").labels == ("1",)


def fingers(*elements: str) -> str:
    return f"<notations><technical>{''.join(elements)}</technical></notations>\n"


SUBSTITUTION = fingers("<fingering>4</fingering>", '<fingering substitution="yes">1</fingering>')
AS_TEXT = fingers('<fingering placement="below">4-1</fingering>')
OF_LEFT = fingers("<fingering>L2</fingering>")
OF_CHORD = fingers("<fingering>3</fingering>", "<fingering>1</fingering>")
ALTERNATE = fingers("<fingering>2</fingering>", '<fingering alternate="yes">3</fingering>')


def test_fingers_that_are_kept_stay_as_they_are_written(tmp_path: Path) -> None:
    chord = note("C", OF_CHORD) + note("E", before="<chord/>")
    begin = HEAD + note("D", SUBSTITUTION) + note("E", ALTERNATE) + note("F", AS_TEXT) + note("C", OF_LEFT)
    path = tmp_path / "kept.musicxml"
    path.write_bytes((begin + chord + note("G") + TAIL).encode("latin-1"))
    made = kt.annotate(
        "fingering", path, "rules", settings={"keep": True}, out=tmp_path / "out", to="musicxml"
    )
    assert made["kept"].labels[:-1] == ("4_1", "2", "4_1", "-2", "1", "3")
    text = (tmp_path / "out/kept.musicxml").read_text(encoding="utf-8")
    first = begin.replace('<fingering alternate="yes">3</fingering>', "").replace("ISO-8859-1", "UTF-8")
    last = fingers(f"<fingering>{made['kept'].labels[-1]}</fingering>")
    assert lines(text) == lines(first + chord + note("G", last) + TAIL)
    left_out = [problem.message for problem in made.diagnostics if problem.code == "KT811"]
    assert left_out == ["of `kept` the labels of annotator `1` are kept, those of `2` are not taken"]


def test_substitutions_and_hands_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "one.musicxml"
    path.write_bytes((HEAD + note("C", OF_LEFT) + note("D") + TAIL).encode("latin-1"))
    own = kt.fingering.read(path)
    cases: list[tuple[tuple[str, str], Literal["left", "right"], list[str]]] = [
        (("1", "4_1"), "right", ["1", "4", "1"]),
        (("1", "4_1"), "left", ["R1", "R4_1"]),
        (("-1", "-4_-1"), "right", ["-1", "-4_-1"]),
        (("-1", "-4_-1"), "left", ["1", "4", "1"]),
        (("4_-1", "-1_4"), "right", ["4_-1", "-1_4"]),
        (("", ""), "right", []),
    ]
    for labels, hand, written in cases:
        options = kt.fingering.FingeringOptions(hand=hand)
        text = score_with(path, replace(own, labels=labels), options)
        assert re.findall("<fingering.*?>(.*?)</fingering>", text or "") == written


def test_a_score_that_has_no_place_for_the_fingers_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "own.musicxml"
    path.write_bytes((HEAD + note("C") + note("D") + TAIL).encode("latin-1"))
    made = kt.annotate("fingering", path, "rules")
    path.write_bytes((HEAD + note("C") + TAIL).encode("latin-1"))
    noticed = made.write(tmp_path / "out", to="musicxml")
    assert kt.fingering.read(tmp_path / "out/own.musicxml").pitches.tolist() == [60, 62]
    assert [problem.code for problem in noticed] == ["KT812"]
