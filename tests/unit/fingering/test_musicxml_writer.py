# SPDX-License-Identifier: MIT
"""Fingerings written as MusicXML: what is read back is what was written."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given

from fingering_strategies import fingerings
from kammerton.errors import OptionError
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.formats.musicxml import parse_score, render_musicxml

Note = tuple[float, float, int, int, str]


def made(*notes: Note) -> Fingering:
    onsets, offsets, pitches, hands, labels = zip(*notes, strict=True) if notes else ((),) * 5
    return Fingering(
        np.array(onsets, dtype=np.float64),
        np.array(offsets, dtype=np.float64),
        np.array(pitches, dtype=np.int64),
        np.array(hands, dtype=np.int64),
        tuple(labels),
    )


def reread(fingering: Fingering) -> Fingering:
    reading = parse_score(render_musicxml(fingering).encode(), name="a.xml")
    assert {d.code for d in reading.diagnostics} <= {"KT345", "KT347"}
    ((annotator, found),) = reading.annotations
    assert annotator is None
    return found


def same(one: Fingering, other: Fingering, tolerance: float) -> bool:
    return (
        one.labels == other.labels
        and one.pitches.tolist() == other.pitches.tolist()
        and one.hands.tolist() == other.hands.tolist()
        and np.allclose(one.onsets, other.onsets, rtol=0, atol=tolerance)
        and np.allclose(one.offsets, other.offsets, rtol=0, atol=tolerance)
    )


def ordered(fingering: Fingering) -> Fingering:
    order = np.argsort(fingering.onsets, kind="stable")
    columns = {name: getattr(fingering, name)[order] for name in ("onsets", "offsets", "pitches", "hands")}
    return replace(fingering, labels=tuple(fingering.labels[row] for row in order), **columns)


@given(fingerings())
def test_what_is_written_is_read_back(fingering: Fingering) -> None:
    assert same(reread(fingering), ordered(fingering), 1.501e-6)


def test_times_of_music_are_exact() -> None:
    thirds = made(*((step / 3, (step + 1) / 3, 60 + step, RIGHT, "1") for step in range(40)))
    sevenths = made(
        (0, 1 / 7, 60, RIGHT, "1"), (1 / 7, 1 / 5, 62, LEFT, "-1"), (1 / 5, 99 / 32, 64, RIGHT, "")
    )
    for fingering in (thirds, sevenths):
        assert same(reread(fingering), fingering, 0)


def test_what_sounds_keeps_a_length_and_what_does_not_is_a_grace_note() -> None:
    fingering = made((0, 1e-7, 60, RIGHT, "1"), (0.5, 0.5, 62, RIGHT, "2"), (0.5, 1 / 3, 64, RIGHT, "3"))
    assert render_musicxml(fingering).count("<grace />") == 2
    assert reread(fingering).offsets.tolist() == [1e-6, 0.5, 0.5]
    assert reread(made((0, 1e-200, 60, RIGHT, "1"))).offsets.tolist() == [1e-6]


def test_a_score_as_it_is_written() -> None:
    text = render_musicxml(
        made(
            (0, 1, 48, LEFT, "-5_-1"),
            (0, 1, 61, RIGHT, "1"),
            (0, 1, 63, RIGHT, ""),
            (3.5, 5, 70, RIGHT, "4_"),
        )
    )
    assert text.startswith(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE score-partwise PUBLIC "-//Recordare//DTD MusicXML 4.0 Partwise//EN" '
        '"http://www.musicxml.org/dtds/partwise.dtd">\n'
        '<score-partwise version="4.0">\n'
    )
    assert ET.canonicalize(text, strip_text=True) == ET.canonicalize(
        '<score-partwise version="4.0">\n'
        " <identification><encoding><software>Kammerton</software></encoding></identification>\n"
        ' <part-list><score-part id="P1"><part-name>Piano</part-name></score-part></part-list>\n'
        ' <part id="P1">\n'
        '  <measure number="1">\n'
        "   <attributes>\n"
        "    <divisions>2</divisions>\n"
        "    <time><beats>4</beats><beat-type>4</beat-type></time>\n"
        "    <staves>2</staves>\n"
        '    <clef number="1"><sign>G</sign><line>2</line></clef>\n'
        '    <clef number="2"><sign>F</sign><line>4</line></clef>\n'
        "   </attributes>\n"
        "   <note><pitch><step>C</step><octave>3</octave></pitch><duration>2</duration><voice>5</voice>"
        "<staff>2</staff><notations><technical><fingering>5</fingering>"
        '<fingering substitution="yes">1</fingering></technical></notations></note>\n'
        "   <backup><duration>2</duration></backup>\n"
        "   <note><pitch><step>C</step><alter>1</alter><octave>4</octave></pitch><duration>2</duration>"
        "<voice>1</voice><staff>1</staff><notations><technical><fingering>1</fingering></technical></notations>"
        "</note>\n"
        "   <note><chord/><pitch><step>E</step><alter>-1</alter><octave>4</octave></pitch>"
        "<duration>2</duration><voice>1</voice><staff>1</staff></note>\n"
        "   <forward><duration>5</duration></forward>\n"
        "   <note><pitch><step>B</step><alter>-1</alter><octave>4</octave></pitch><duration>1</duration>"
        '<tie type="start"/><voice>1</voice><staff>1</staff><notations><tied type="start"/>'
        "<technical><fingering>4_</fingering></technical></notations></note>\n"
        "  </measure>\n"
        '  <measure number="2">\n'
        "   <note><pitch><step>B</step><alter>-1</alter><octave>4</octave></pitch><duration>2</duration>"
        '<tie type="stop"/><voice>1</voice><staff>1</staff><notations><tied type="stop"/></notations>'
        "</note>\n"
        "   <forward><duration>6</duration></forward>\n"
        "  </measure>\n"
        " </part>\n"
        "</score-partwise>\n",
        strip_text=True,
    )


def test_a_note_of_an_unknown_hand_goes_where_its_finger_or_its_pitch_says() -> None:
    fingering = made(
        (0, 1, 40, UNKNOWN, "3"), (1, 2, 80, UNKNOWN, "-3"), (2, 3, 60, UNKNOWN, ""), (3, 4, 59, UNKNOWN, "")
    )
    assert reread(fingering).hands.tolist() == [RIGHT, LEFT, RIGHT, LEFT]
    assert reread(fingering).labels == fingering.labels


@pytest.mark.parametrize("end", [2_000 * 4, 2_000 * 4 + 1, 9e8])
def test_long_pieces_have_longer_measures(end: float) -> None:
    fingering = made((0, 1, 60, RIGHT, "1"), (end - 1, end, 60, RIGHT, "1"))
    text = render_musicxml(fingering)
    assert text.count("<measure ") <= 2_000
    assert same(reread(fingering), fingering, 0)


@pytest.mark.parametrize("time", [-1.0, float("nan"), float("inf"), 2e9])
def test_times_a_score_cannot_have(time: float) -> None:
    with pytest.raises(OptionError, match="a score has no times outside of 0 to 1e\\+09"):
        render_musicxml(made((0, time, 60, RIGHT, "1")))


@pytest.mark.parametrize("pitch", [-1, 11, 128])
def test_pitches_a_score_cannot_have(pitch: int) -> None:
    with pytest.raises(OptionError, match="a score has no pitches outside of C0 to G9"):
        render_musicxml(made((0, 1, pitch, RIGHT, "1")))
