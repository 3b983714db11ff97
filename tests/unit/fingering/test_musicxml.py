# SPDX-License-Identifier: MIT
"""Scores in MusicXML; numbers in ids are rows of the table of bad inputs, A13 and A14 cases of fingering."""

import itertools
import pickle
from fractions import Fraction

import pytest

from kammerton.fingering.formats.notes import add_times
from unit.fingering.scores import (
    GRAND,
    SINGLE,
    chord,
    labels,
    measures,
    note,
    only,
    parsed,
    partwise,
    rows,
    score,
    told,
    told_without_hints,
)
from unit.formats.telling import tell

# --- notes and times -------------------------------------------------------------------------


def test_divisions_may_change_and_be_decimal() -> None:
    text = score(
        note("C4", duration=4),
        "<attributes><divisions>6</divisions></attributes>",
        note("D4", duration=2),
        "<attributes><divisions>0.5</divisions></attributes>",
        note("E4", duration="0.25"),
    )
    assert only(text) == [
        (0, 1, 60, "R", ""),
        (1, 4 / 3, 62, "R", ""),
        (4 / 3, 11 / 6, 64, "R", ""),
    ]


def test_a_grace_note_comes_before_its_main_note_and_has_no_length() -> None:  # A14
    text = score(note("C5", "1"), note("D5", "2", grace=True), note("E5", "3"))
    assert only(text) == [(0, 1, 72, "R", "1"), (1, 1, 74, "R", "2"), (1, 2, 76, "R", "3")]


@pytest.mark.parametrize(
    ("time", "start"),
    [
        ("<time><beats>3</beats><beat-type>4</beat-type></time>", 4),
        ("<time><beats>3</beats><beat-type>8</beat-type></time>", 2.5),
        ("<time><beats>3+2</beats><beat-type>8</beat-type></time>", 1),
        ("<time><beats>3</beats><beat-type>0</beat-type></time>", 4),
        ("<time><senza-misura/></time>", 1),
        ("", 1),
    ],
)
def test_an_empty_measure_is_as_long_as_its_meter_says(time: str, start: float) -> None:
    attributes = f"<attributes><divisions>4</divisions>{time}<staves>2</staves></attributes>"
    text = partwise(measures(attributes + note("C4"), "", note("D4")))
    assert only(text)[1][0] == start


def test_a_measure_lasts_as_long_as_its_longest_part() -> None:
    upper = measures(SINGLE + note("C5"), note("D5"), part="P1")
    lower = measures(SINGLE + note("C3", duration=16), note("D3"), part="P2")
    ((_, found),) = parsed(partwise(upper, lower)).annotations
    assert rows(found) == [(0, 1, 72, "R", ""), (0, 4, 48, "L", ""), (4, 5, 74, "R", ""), (4, 5, 50, "L", "")]


@pytest.mark.parametrize("wrong", [2, 6])
def test_a_part_with_a_wrong_measure_does_not_shift_the_others(wrong: int) -> None:
    parts = [
        measures(SINGLE + note(f"{letter}4", duration=duration), note(f"{letter}5"), part=letter)
        for letter, duration in (("C", 4), ("D", 4), ("E", wrong))
    ]
    assert [row[0] for row in only(partwise(*parts), hand="right")] == [0, 0, 0, 1, 1, 1]


def test_measures_may_hold_the_parts() -> None:
    def part(name: str, content: str) -> str:
        return f'<part id="{name}">{content}</part>'

    text = (
        "<score-timewise>"
        f'<measure number="1">{part("P1", SINGLE + note("C5"))}'
        f"{part('P2', SINGLE + note('C3', duration=8))}</measure>"
        f'<measure number="2">{part("P1", note("D5", "9"))}{part("P2", note("D3"))}</measure>'
        "</score-timewise>"
    )
    assert parsed(text).diagnostics[-1].message == (
        "`9` is not a finger: the note counts as without finger (part P1, measure 2, beat 1)"
    )
    reading = parsed(text.replace(">9<", ">2<").replace("wise><m", "wise><measure/><m"))
    assert rows(reading.annotations[0][1]) == [
        (0, 1, 72, "R", ""),
        (0, 2, 48, "L", ""),
        (2, 3, 74, "R", "2"),
        (2, 3, 50, "L", ""),
    ]


def test_exact_sums_stay_bounded() -> None:
    total = Fraction(0)
    for prime in (1_000_003, 1_000_033, 1_000_037):
        total = add_times(total, Fraction(1, prime))
    assert total.denominator <= 10**9
    assert float(total) == pytest.approx(3e-6, abs=1e-7)


# --- ties ------------------------------------------------------------------------------------


def test_a_tie_goes_to_the_voice_it_comes_from() -> None:
    text = score(
        note("C4", "1", tie="start"),
        "<backup><duration>4</duration></backup>",
        note("C4", "2", voice=2, tie="start"),
        note("C4", voice=2, tie="stop", duration=8),
        "<backup><duration>8</duration></backup>",
        note("C4", tie="stop"),
    )
    ((_, found),) = parsed(text).annotations
    assert rows(found) == [(0, 2, 60, "R", "1"), (0, 3, 60, "R", "2")]


def test_a_tie_may_change_voice() -> None:
    assert only(score(note("C4", tie="start"), note("C4", voice=2, tie="stop"))) == [(0, 2, 60, "R", "")]


def test_only_so_many_notes_wait_for_a_continuation() -> None:
    back = "<backup><duration>4</duration></backup>"
    starts = [note("C4", tie="start") + back for _ in range(40)]
    stops = [note("C4", tie="stop") + back for _ in range(40)]
    ((_, found),) = parsed(score(*starts, "<forward><duration>4</duration></forward>", *stops)).annotations
    assert len(found) == 40 + 40 - 17


def test_a_finger_takes_a_tied_note_over() -> None:  # A13
    text = score(note("B3", "3", tie="start"), note("B3", "2 substitution", tie="stop"))
    assert only(text) == [(0, 2, 59, "R", "3_2")]
    assert [row[4] for row in only(text.replace("<staff>1", "<staff>2"))] == ["-3_-2"]


def test_a_finger_only_on_the_continuation_of_a_tie() -> None:  # A13
    text = score(note("B3", tie="start"), note("B3", "2 substitution", tie="stop"))
    assert told(parsed(text)) == (
        "warning 5:31+1 KT357 finger on the continuation of a tie, none on its beginning: "
        "taken as the finger (part P1, measure 1, beat 2)"
    )
    assert labels(text) == [["2"]]


def test_a_finger_repeated_on_the_continuation_of_a_tie_is_a_reminder() -> None:
    assert [row[4] for row in only(score(note("B3", "3", tie="start"), note("B3", "3", tie="stop")))] == ["3"]
    assert [row[4] for row in only(score(note("B3", "3", tie="start"), note("B3", "x", tie="stop")))] == ["3"]


def test_another_finger_on_the_continuation_of_a_tie_takes_it_over() -> None:
    text = score(note("B3", "3", "4 alternate", tie="start"), note("B3", "2", tie="stop"))
    assert told(parsed(text)) == (
        "note 7:12+1 KT357 finger on the continuation of a tie: `2` takes the key over "
        "(part P1, measure 1, beat 2)"
    )
    assert labels(text) == [["3_2"], ["4_2"]]


# --- fingers ---------------------------------------------------------------------------------

AT_1 = "(part P1, measure 1, beat 1)"
NOT_A_LABEL = f"warning 4:12+{{}} KT331 not a finger label, the note counts as without finger: `{{}}` {AT_1}"


@pytest.mark.parametrize(
    ("fingers", "expected"),
    [
        (["4"], "4"),
        (["4", "1 substitution"], "4_1"),
        (["2", "4 substitution", "5 substitution"], "2_4_5"),
        (["4_1"], "4_1"),
        (["4-1"], "4_1"),
        (["(1)"], "1"),
        ([" 3 "], "3"),
        (["L3"], "-3"),
        (["0"], ""),
        (["x"], ""),
        (["4_"], "4_"),
    ],
)
def test_fingers_of_a_note(fingers: list[str], expected: str) -> None:  # row 73
    assert [row[4] for row in only(score(note("C4", *fingers)))] == [expected]


@pytest.mark.parametrize(
    ("finger", "expected", "label"),
    [
        ("", f"note 4:1+10 KT357 empty fingering: the note counts as without finger {AT_1}", ""),
        (
            "1 3",
            NOT_A_LABEL.format(3, "1 3"),
            "",
        ),
        (
            "thumb",
            NOT_A_LABEL.format(5, "thumb"),
            "",
        ),
        ("⑤", f"warning 4:12+1 KT332 `⑤` read as `5` {AT_1}", "5"),
        ("1.", f"warning 4:12+2 KT332 `1.` read as `1` {AT_1}", "1"),
    ],
)
def test_odd_fingers_are_told_with_their_place(finger: str, expected: str, label: str) -> None:  # row 73
    text = score(note("C4", finger))
    assert told_without_hints(parsed(text)) == expected
    assert labels(text) == [[label]]


@pytest.mark.parametrize(
    ("finger", "expected"),
    [
        ("6", "4:12+1 KT330 `6`"),
        ("12", "4:12+2 KT330 `12`"),
        ("4-7", "4:14+1 KT330 `7`"),
        ("1.5", "4:12+3 KT330 `1.5`"),
        ("-0", "4:12+2 KT330 `-0`"),
    ],
)
def test_a_number_that_is_no_finger_costs_its_note_the_finger_alone(finger: str, expected: str) -> None:
    text = score(note("C4"), note("D4", finger), note("E4", "3"))
    assert told_without_hints(parsed(text)) == (
        f"warning {expected.replace('4:', '5:', 1)} is not a finger: the note counts as without finger"
        " (part P1, measure 1, beat 2)"
    )
    assert labels(text) == [["", "", "3"]]


def test_alternatives_make_annotators() -> None:
    text = score(
        note("C4", "1"),
        note("D4", "2", "3 alternate"),
        note("E4", "4", "1 substitution", "5 alternate", "2 substitution", "3 alternate"),
        note("F4"),
    )
    reading = parsed(text)
    assert told(reading) == ""
    assert [(name, list(found.labels)) for name, found in reading.annotations] == [
        ("1", ["1", "2", "4_1", ""]),
        ("2", ["1", "3", "5_2", ""]),
        ("3", ["1", "2", "3", ""]),
    ]


def test_an_alternative_substitution_follows_the_same_first_finger() -> None:
    text = score(note("E4", "4", "1 substitution", "2 substitution alternate"))
    assert labels(text) == [["4_1"], ["4_2"]]


def test_alternatives_are_bounded() -> None:
    text = score(note("E4", "4", *["1 alternate"] * 9, "2 substitution", "3 alternate"))
    assert [d.message for d in parsed(text).diagnostics] == [f"more than 9 alternatives: left out {AT_1}"]
    assert [each[0] for each in labels(text)] == ["4", *["1"] * 8, "1_2"]


@pytest.mark.parametrize("order", list(itertools.permutations(["5", "3", "1"])))
@pytest.mark.parametrize(
    ("staff", "expected"), [(1, {60: "1", 64: "3", 67: "5"}), (2, {60: "-5", 64: "-3", 67: "-1"})]
)
def test_fingers_stacked_on_one_note_go_to_the_chord_as_the_hand_lies(
    order: tuple[str, ...], staff: int, expected: dict[int, str]
) -> None:
    for names, carrier in itertools.product(itertools.permutations(["C4", "E4", "G4"]), ["C4", "G4"]):
        reading = parsed(score(*chord(*names, fingers={carrier: list(order)}, staff=staff)))
        assert [d.severity for d in reading.diagnostics] == ["note"]
        assert reading.diagnostics[0].message == (
            f"3 fingers on one note of a chord: they go to its 3 notes by hand {AT_1}"
        )
        ((_, found),) = reading.annotations
        assert dict(zip(found.pitches.tolist(), found.labels, strict=True)) == expected


def test_stacked_fingers_may_be_substitutions_and_alternatives() -> None:
    fingers = ["5", "4", "3 substitution", "1", "4 alternate", "2 alternate", "1 alternate"]
    text = score(*chord("C4", "E4", "G4", fingers={"E4": fingers}, staff=1))
    assert labels(text) == [["1", "4_3", "5"], ["1", "2", "4"]]
    own = score(*chord("C4", "E4", "G4", fingers={"C4": ["5", "4 alternate", "3", "1"]}, staff=1))
    assert labels(own) == [["1", "3", "5"], ["1", "3", "4"]]


def test_fingers_that_do_not_go_to_the_notes_of_a_chord_are_left_out() -> None:
    text = score(*chord("C4", "E4", "G4", fingers={"C4": ["3", "5"], "E4": ["2", "3"]}, staff=1))
    assert [tell(d) for d in parsed(text).diagnostics] == [
        f"warning 4:12+1 KT357 fingers that do not go to the 3 notes of their chord: `3, 5` {AT_1}",
        f"warning 7:12+1 KT357 fingers that do not go to the 3 notes of their chord: `2, 3` {AT_1}",
    ]
    assert labels(text) == [["", "", ""]]


# --- hands -----------------------------------------------------------------------------------

HAND_HINT = "\n  help: --hand right or --hand left"


def test_a_single_staff_is_the_right_hand_unless_told_otherwise() -> None:
    text = score(note("C4", "1"), attributes=SINGLE)
    assert told(parsed(text)) == f"warning 3:1+5 KT356 single staff taken as the right hand {AT_1}{HAND_HINT}"
    assert labels(text) == [["1"]]
    assert only(text, hand="right") == [(0, 1, 60, "R", "1")]
    assert only(text, hand="left") == [(0, 1, 60, "L", "-1")]


def test_two_parts_of_one_staff_are_the_hands() -> None:
    upper, lower = (
        measures(SINGLE + note(name, "1"), part=part) for name, part in (("C5", "P1"), ("C3", "P2"))
    )
    reading = parsed(partwise(upper, lower))
    assert [(d.code, d.severity, d.message) for d in reading.diagnostics] == [
        (
            "KT356",
            "warning",
            f"two parts of one staff: the upper one taken as the right hand, the lower as the left {AT_1}",
        )
    ]
    assert rows(reading.annotations[0][1]) == [(0, 1, 72, "R", "1"), (0, 1, 48, "L", "-1")]
    assert [row[3] for row in only(partwise(upper, lower), hand="left")] == ["L", "L"]


def test_many_parts_of_one_staff_do_not_tell_the_hands() -> None:
    parts = [measures(SINGLE + note(f"C{number + 3}", "1"), part=f"P{number}") for number in range(3)]
    reading = parsed(partwise(*parts))
    assert reading.annotations == ()
    assert [(d.code, d.severity, d.message) for d in reading.diagnostics] == [
        (
            "KT352",
            "error",
            "3 parts of one staff each: which hand plays which cannot be told (part P0, measure 1, beat 1)",
        )
    ]
    assert [row[3] for row in only(partwise(*parts), hand="right")] == ["R", "R", "R"]


def test_other_instruments_are_left_out() -> None:
    violin = measures(SINGLE + note("A5", "3"), part="Vl.")
    silent = measures(SINGLE + "<note><rest/><duration>4</duration></note>", part="Tacet")
    piano = measures(GRAND + note("C4", "1"), part="Pno")
    reading = parsed(partwise(violin, silent, piano))
    assert [(d.code, d.message) for d in reading.diagnostics] == [
        (
            "KT358",
            f"part of one staff left out: another part has the staves of a piano {AT_1.replace('P1', 'Vl.')}",
        )
    ]
    assert rows(reading.annotations[0][1]) == [(0, 1, 60, "R", "1")]


def test_staves_below_the_second_are_the_left_hand() -> None:
    text = score(note("C4", "1"), note("C3", "1", staff=2), note("C2", "5", staff=3))
    assert told(parsed(text)) == (
        f"warning 3:1+5 KT356 part of 3 staves: those below the second taken as the left hand {AT_1}"
    )
    assert labels(text) == [["1", "-1", "-5"]]


# --- voices that go on in the other staff ----------------------------------------------------


def voiced(*marks: str) -> str:
    """Notes and rests of a measure, one quarter each; ``1@2`` is voice 1 on staff 2.

    What follows a ``/`` begins with the measure; ``r`` is a rest; ``+`` adds a note to the chord before.
    """
    content = []
    keys = {"1": "C5", "2": "C3"}
    length = 0
    for mark in marks:
        if mark == "/":
            content.append(f"<backup><duration>{4 * length}</duration></backup>")
            length = 0
            continue
        voice, _, staff = mark.strip("+r").partition("@")
        element = note(keys[staff], voice=int(voice or 0), staff=int(staff), chord=mark[0] == "+")
        if mark.endswith("r"):
            element = element.replace(keys[staff], "")
            element = element[: element.index("<pitch>")] + "<rest/>" + element[element.index("<duration>") :]
        content.append(element.replace("<voice>0</voice>", ""))
        length += mark[0] != "+"
    return "".join(content)


def hands_of(*contents: str) -> str:
    """The hands of the notes, measure by measure, in the order of onsets and of the score."""
    ((_, found),) = parsed(partwise(measures(GRAND + contents[0], *contents[1:]))).annotations
    measures_of = [found.moment(row).split(",")[0] for row in range(len(found))]
    hands = zip(measures_of, rows(found), strict=True)
    return " ".join(
        "".join(row[3] for _, row in group) for _, group in itertools.groupby(hands, key=lambda each: each[0])
    )


ONE_FIVE = voiced("1@1", "1@1", "/", "5@2", "5@2")
ONE_TWO = ONE_FIVE.replace("<voice>5", "<voice>2")


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        ((ONE_FIVE, voiced("1@2", "/", "5@2")), "RLRL RL"),  # as MuseScore has it
        ((ONE_TWO, voiced("1@2", "/", "2@2")), "RLRL RL"),  # as Finale has it
        ((ONE_FIVE, voiced("1@1", "/", "5@1")), "RLRL RL"),  # the left hand goes up
        ((ONE_FIVE, voiced("1@2", "/", "5@2r")), "RLRL R"),  # the left hand rests
        ((voiced("1@1", "1@2", "/", "2@2", "2@2"),), "RLRL"),  # within a measure; as many here as there
        ((voiced("1@2", "1@1", "1@1", "/", "2@2", "2@2"),), "RLRLR"),  # most notes count, not the first one
        ((voiced("1@1", "1@2", "/", "2@2r"),), "RR"),
        # else no voice would be at home on the upper staff
        ((voiced("1@1", "1@2", "1@2", "/", "5@2", "5@2", "5@2"),), "RLRLRL"),
        # the second voice of the right hand, while the first one stays
        ((voiced("1@1", "/", "2@1", "/", "5@2"), voiced("1@1", "/", "2@2", "/", "5@2")), "RRL RRL"),
    ],
)
def test_a_voice_stays_with_its_hand_in_the_other_staff(contents: tuple[str, ...], expected: str) -> None:
    assert hands_of(*contents) == expected


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        # no numbers, one number, the numbers of each staff
        ((ONE_FIVE, voiced("@2", "/", "5@2")), "RLRL LL"),
        ((voiced("1@1", "1@1"), voiced("1@2")), "RR L"),
        ((voiced("1@1", "1@1", "/", "1@2", "/", "2@1"), voiced("1@2", "/", "2@2")), "RLRR LL"),
        # numbers that are given anew in each measure, from the top
        ((ONE_TWO, voiced("1@1", "/", "2@1", "/", "3@2"), voiced("1@1r", "/", "2@2")), "RLRL RRL L"),
        (
            (ONE_TWO, voiced("1@1", "/", "2@1", "/", "3@2r"), voiced("1@1", "/", "6@2", "/", "7@2")),
            "RLRL RR RLL",
        ),
        # only the upper voice, in the lower staff: nobody is met there
        ((ONE_FIVE, voiced("1@2")), "RLRL L"),
    ],
)
def test_in_doubt_notes_belong_to_the_staff_they_are_on(contents: tuple[str, ...], expected: str) -> None:
    assert hands_of(*contents) == expected
    assert "KT367" not in told(parsed(partwise(measures(GRAND + contents[0], *contents[1:]))))


def test_a_chord_across_staves_is_of_one_hand_if_the_other_one_plays() -> None:
    across = voiced("1@1", "+1@2")
    assert (
        hands_of(ONE_FIVE, across + "<backup><duration>4</duration></backup>" + voiced("5@2")) == "RLRL RRL"
    )
    assert (
        hands_of(ONE_FIVE, across + "<backup><duration>4</duration></backup>" + voiced("5@2r")) == "RLRL RL"
    )
    assert hands_of(ONE_FIVE, across) == "RLRL RL"


@pytest.mark.parametrize(("overlap", "hands"), [(2, "RRL"), (3, "RLL")])
def test_notes_of_a_voice_may_overlap_as_far_as_programs_round(overlap: int, hands: str) -> None:
    upper, lower = (note(name, duration=8, staff=staff) for name, staff in (("C5", 1), ("C4", 2)))
    # of 32 to a quarter, two are a 64th: more is another voice by the same number
    back = "<backup><duration>{}</duration></backup>"
    other = note("C3", duration=32, staff=2, voice=2)
    first = upper + back.format(overlap) + lower + back.format(16 - overlap) + other
    ((_, found),) = parsed(partwise(measures(GRAND.replace(">4<", ">32<") + first))).annotations
    assert "".join(row[3] for row in sorted(rows(found), key=lambda row: -row[2])) == hands


def test_notes_that_go_home_are_told_measure_by_measure() -> None:
    second = voiced("1@2", "1@2", "/", "5@2").replace("<voice>1", "\n<voice>1")
    text = partwise(measures(GRAND + ONE_FIVE, second, voiced("1@1", "/", "5@1")))
    found = [each for each in parsed(text).diagnostics if each.code == "KT367"]
    assert [(each.code, each.severity, each.count) for each in found] == [
        ("KT367", "note", 2),
        ("KT367", "note", 1),
    ]
    assert found[0].message == (
        "2 notes of voice `1` on staff 2: taken for the right hand, as the home of the voice is staff 1"
        " (part P1, measure 2, beat 1)"
    )
    assert found[1].message == (
        "1 note of voice `5` on staff 1: taken for the left hand, as the home of the voice is staff 2"
        " (part P1, measure 3, beat 1)"
    )
    for each in found:
        assert each.line is not None
        assert each.column is not None
        assert text.split("\n")[each.line - 1][each.column - 1 :].startswith("<note>")


# --- fingers that are written otherwise ------------------------------------------------------


@pytest.mark.parametrize("written", ["3", "4-1", "1 3 5", "5\n3\n1", "2–1", "1.", " 5 "])
def test_words_that_may_be_fingers_are_told(written: str) -> None:
    words = f"<direction><direction-type><words>{written}</words></direction-type></direction>\n"
    (found,) = parsed(score(words, note("C4"), words, note("D4"))).diagnostics
    assert (found.code, found.severity, found.line, found.count) == ("KT368", "note", 3, 2)
    shown = written.strip().replace("\n", "\\x0a")
    assert found.message == (
        f"2 texts in `<words>` may be fingers, and are not read: `{shown}` (part P1, measure 1, beat 1)"
    )
    assert labels(score(words, note("C4"))) == [[""]]


def test_lyrics_that_may_be_fingers_are_told() -> None:
    lyric = "<lyric><syllabic>single</syllabic><text>{}</text></lyric></note>"
    text = score(
        note("C4").replace("</note>", lyric.format("1")), note("D4").replace("</note>", lyric.format("2"))
    )
    (found,) = parsed(text).diagnostics
    assert found.message.startswith(
        "2 texts in `<lyric>` may be fingers, and are not read: `1`, `2` (part P1"
    )


@pytest.mark.parametrize("written", ["6", "12", "dolce", "I", "1. time", "1/2", "", "x" * 9000])
def test_other_words_are_passed_over(written: str) -> None:
    words = f"<direction><direction-type><words>{written}</words></direction-type></direction>"
    only(score(words, note("C4")))


def test_a_note_stands_at_a_beat_of_a_measure() -> None:
    text = score(note("C5", "1"), note("D5", "2", duration=1), note("E5", "3", duration=1))
    ((_, found),) = parsed(text).annotations
    assert found.unit == "quarters"
    # four divisions to a quarter note
    assert [found.moment(each) for each in range(3)] == [
        "measure 1, beat 1",
        "measure 1, beat 2",
        "measure 1, beat 2.25",
    ]
    again = pickle.loads(pickle.dumps(found))
    assert (again.moment(2), again.place_of) == ("1.25 quarters", None)
