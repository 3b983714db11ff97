# SPDX-License-Identifier: MIT
"""One piece laid out: whose fingers are wrong by which measure, what cannot be played; and how it is drawn.

The piece, one note a second, by Ann, by Bob and by the estimate::

    right   0 C4   1 E4   2 G4   3 A4        left   0 C3   0 E3 (until 3)
    ann     1      2      3      .                  5      3
    bob     1      3      4      5                  5      .
    est     1      3      5      4                  5      .

The estimate crosses 5 and 4 from G4 to A4: the only step that no hand can play.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kammerton as kt
from fingering_strategies import fingerings
from kammerton.errors import OptionError
from kammerton.fingering import TASK, Fingering, FingeringOptions
from kammerton.fingering.views import choose_judge, view_item
from kammerton.model.views import Cell, DrawnViolation, ItemView, Note, Table, Track
from kammerton.reporting.timeline import render_item

ONSETS = np.array([0.0, 1.0, 2.0, 0.0, 0.0, 3.0])
ENDS = np.array([1.0, 2.0, 3.0, 3.0, 3.0, 4.0])
PITCHES = np.array([60, 64, 67, 48, 52, 69])
HANDS = np.array([0, 0, 0, 1, 1, 0])


def fingered(*labels: str) -> Fingering:
    return Fingering(ONSETS, ENDS, PITCHES, HANDS, labels)


ANN = fingered("1", "2", "3", "-5", "-3", "")
BOB = fingered("1", "3", "4", "-5", "", "5")
EST = fingered("1", "3", "5", "-5", "", "4")
BOTH = {"ann": ANN, "bob": BOB}


def view(measure: str | None = None, annotator: str = "ann", **estimates: Fingering | str) -> ItemView:
    return view_item("piece", annotator, BOTH, estimates or {"est": EST}, measure)


def states(shown: ItemView) -> list[str | None]:
    """How the notes of the estimate are judged: C4, E4, G4, A4, then C3, E3."""
    assert shown.grid is not None
    cells = [cell for staff in shown.grid.staves for column in staff.lines[-1].columns for cell in column]
    return [cell.state for cell in cells]


def table(shown: ItemView, title: str) -> Table:
    return next(each for each in shown.tables if title in each.title)


def scores(shown: ItemView) -> dict[Any, Any]:
    return {row[0]: row[1] for row in table(shown, "scores").rows}


X, P, E = "wrong", "partly", "excluded"


JUDGED = (
    # Ann did not finger A4; E4 has Bob's finger
    ("strike/accuracy", "ann", [None, P, X, E, None, X], 2 / 5),
    ("strike/accuracy", "bob", [None, None, X, X, None, E], 3 / 5),
    ("strike/M_soft", "ann", [None, None, X, X, None, X], 3 / 6),
    # the closest for the right hand is Bob (C4, E4), for the left hand both are
    ("strike/M_high", "ann", [None, None, X, X, None, X], 3 / 6),
    # of the piece Bob (3 against 2)
    ("strike/M_high_piece", "ann", [None, None, X, X, None, X], 3 / 6),
    # nobody fingered every note, so missing fingers are mismatches
    ("nakamura2020/M_soft", "ann", [None, None, X, X, None, X], 3 / 6),
    ("nakamura2020/M_high", "bob", [None, None, X, X, None, X], 3 / 6),
    ("nakamura2020/M_high_piece", "bob", [None, None, X, X, None, X], 3 / 6),
    # always the first
    ("pianovam/Accuracy", "bob", [None, P, X, E, None, X], 2 / 5),
    ("pianovam/M_high", "ann", [None, None, X, X, None, X], 3 / 6),
)
JUDGES = {measure for measure, *_ in JUDGED}


@pytest.mark.parametrize(("measure", "annotator", "expected", "share"), JUDGED)
def test_notes_are_judged_as_the_measure_does(
    measure: str, annotator: str, expected: list[str | None], share: float
) -> None:
    shown = view(measure, annotator)
    assert states(shown) == expected
    judged = [state for state in expected if state != E]
    assert judged.count(None) / len(judged) == share
    if not measure.endswith("_piece"):
        assert scores(shown)[measure] == pytest.approx(share)


@pytest.mark.parametrize("way", ["strike", "exact", "any"])
def test_substitutions_match_as_the_option_says(way: Any) -> None:
    references = {"ann": fingered("4_1", "4_1", "4_1", "-5_-4", "", "")}
    estimate = fingered("4", "1", "4_1", "-4_-5", "", "")
    shown = view_item("a", "ann", references, {"est": estimate}, None, FingeringOptions(substitution=way))
    right = {"strike": [0, 2], "exact": [2], "any": [0, 1, 2, 4]}[way]
    assert [place for place, state in enumerate(states(shown)) if state is None] == right
    assert shown.grid is not None
    assert shown.grid.staves[0].lines[1].columns[0] == (Cell("4-1"),)


def test_costs_count_notes_and_whose_finger_it_was() -> None:
    costs = table(view(), "est:")
    assert costs.title == "est: 3 of 5 notes wrong by strike/accuracy, against ann"
    assert [column.heading for column in costs.columns] == [
        *("reference", "estimate", "notes", "of scored", "another's")
    ]
    assert costs.rows == (
        ("L3", "none", 1.0, 0.2, 0.0),
        ("R2", "R3", 1.0, 0.2, 1.0),
        ("R3", "R5", 1.0, 0.2, 0.0),
    )
    told = "3 of 5 notes wrong by strike/accuracy, against annotator ann"
    alike = "L3 taken for none, R2 taken for R3, R3 taken for R5"
    assert view().reasons == {"est": (f"{told}; the largest parts, 1 note each: {alike}",)}
    assert view(est=ANN).reasons == {}
    hand = view("strike/M_high").reasons["est"][0]
    assert "by strike/M_high, against the closest annotator of each hand; the largest part" in hand
    costs = table(view("strike/M_soft"), "est:")
    assert costs.title == "est: 3 of 6 notes wrong by strike/M_soft, against all annotators"
    assert costs.rows == (
        ("L3", "none", 1.0, 1 / 6),
        ("R3 or R4", "R5", 1.0, 1 / 6),
        ("R5", "R4", 1.0, 1 / 6),
    )
    costs = table(view("strike/M_high"), "est:")
    assert costs.title.endswith("against the closest annotator of each hand")
    assert {row[:2] for row in costs.rows} == {("R4", "R5"), ("R5", "R4"), ("L3", "none")}
    assert "against the closest annotator" in table(view("strike/M_high_piece"), "est:").title


def test_costs_beyond_the_tenth_are_one_row() -> None:
    count = 12
    labels = [f"{finger}_{other}" for finger in (1, 2, 3, 4) for other in range(1, 6) if other != finger]
    times = np.arange(float(count))
    notes = times, times + 1, np.full(count, 60), np.zeros(count, dtype=int)
    reference, estimate = Fingering(*notes, tuple(labels[:count])), Fingering(*notes, ("5",) * count)
    rows = table(view_item("a", "a", {"a": reference}, {"est": estimate}), "est:").rows
    assert len(rows) == 11
    assert rows[-1] == ("2 more", "", 2.0, 2 / 12)


def test_what_cannot_be_played_is_listed_and_flagged() -> None:
    shown = view()
    found = table(shown, "cannot be played")
    # steps of est: 1-3, 3-5, 5-4; one note of the chord is not fingered
    assert found.title == "est: 1 of 3 steps and 0 of 0 chords cannot be played, by parncutt1997"
    assert found.rows == (("3 s", "3 6", "G4 A4", "R5 R4", "fingers 4 and 5 are crossed"),)
    assert shown.grid is not None
    flagged = [cell.flagged for column in shown.grid.staves[0].lines[-1].columns for cell in column]
    assert flagged == [False, False, False, True]
    assert not any(table.title.startswith(("ann:", "bob:")) for table in shown.tables)


def test_violations_beyond_the_tenth_are_counted() -> None:
    count = 14
    times = np.arange(float(count))
    pitches = np.where(np.arange(count) % 2, 67, 60)
    leaps = Fingering(times, times + 1, pitches, np.zeros(count, dtype=int), ("2",) * count)
    found = table(view_item("a", "a", {"a": leaps}, {"est": leaps}), "a: 13 of 13 steps")
    assert len(found.rows) == 11
    assert found.rows[-1][0] == "3 more"


def test_they_are_those_of_scoring_the_item() -> None:
    scored = kt.score("fingering", {"p": ANN}, {"est": {"p": EST}}, annotators={"bob": {"p": BOB}})
    annotators = {"pair": "reference"}
    for measure in scored.measures:
        if measure.headline:
            value = scored.value(str(measure), annotator=annotators.get(measure.needs))
            assert scores(view())[str(measure)] == (None if np.isnan(value) else pytest.approx(value))


def test_an_estimate_that_is_not_there_says_so() -> None:
    shown = view(gone="no estimate", est=EST)
    assert shown.tracks == (
        Track("ann", ()),
        Track("bob", ()),
        Track("gone", (), note="no estimate"),
        Track("est", ()),
    )
    assert table(shown, "scores").rows[0][1] == "-"
    assert not any(each.title.startswith("gone") for each in shown.tables)


@pytest.mark.parametrize(
    "measure", ["strike/M_gen", "M_rec", "playability/ifr_chord", "finger_F1", "pianovam/IFR"]
)
def test_a_measure_must_judge_notes(measure: str) -> None:
    with pytest.raises(OptionError, match=r"does not say when a note is right|is not unique"):
        view(measure)
    with pytest.raises(OptionError, match="unknown measure"):
        view("M_hihg")


def test_columns_are_onsets_and_chords_go_upwards() -> None:
    shown = view()
    assert shown.grid is not None
    assert shown.grid.times == (0.0, 1.0, 2.0, 3.0)
    right, left = shown.grid.staves
    assert [line.name for line in right.lines] == ["right", "ann", "bob", "est"]
    assert left.lines[0].columns == ((Cell("C3"), Cell("E3")), (), (), ())
    rolled = replace(ANN, onsets=np.array([0.02, 1.0, 2.0, 0.03, 0.0, 3.0]))
    shown = view_item("a", "a", {"a": rolled}, {"est": rolled})
    assert shown.grid is not None
    assert shown.grid.times == (0.0, 1.0, 2.0, 3.0)  # within 30 ms


def test_notes_of_unknown_hands_and_keys_have_a_place() -> None:
    bare = Fingering(ONSETS, ENDS, np.full(6, -1), np.full(6, -1), ("1", "", "", "", "", ""))
    shown = view_item("a", "a", {"a": bare}, {"est": bare})
    assert shown.grid is not None
    right, either = shown.grid.staves
    assert right.lines[0].columns[0] == (Cell("#1"),)
    assert either.lines[0].name == "either hand"
    assert [cell.text for column in either.lines[0].columns for cell in column] == [
        "#4",
        "#5",
        "#2",
        "#3",
        "#6",
    ]


@given(fingerings(max_size=8), st.data())
def test_judges_agree_with_their_measures(notes: Fingering, data: st.DataObject) -> None:
    """Right over scored notes is the value of the measure, for any labels."""
    count = len(notes)
    drawn_ = [data.draw(fingerings(min_size=count, max_size=count)) for _ in range(3)]
    ann, bob, est = (replace(notes, labels=each.labels, hands=each.hands) for each in drawn_)
    measures = {str(measure): measure for measure in TASK.measures if str(measure) in JUDGES}
    scored = kt.score(
        "fingering", {"p": ann}, {"e": {"p": est}}, annotators={"bob": {"p": bob}}, measures=list(measures)
    )
    for address, measure in measures.items():
        verdict = choose_judge(address, "bob", FingeringOptions()).verdict({"ann": ann, "bob": bob}, est)
        value = scored.value(address, annotator="bob" if measure.needs == "pair" else None)
        if verdict.scored.any():
            assert (verdict.right & verdict.scored).sum() / verdict.scored.sum() == pytest.approx(value)
        else:
            assert np.isnan(value)


# how it is drawn


def drawn(shown: ItemView | None = None, width: int = 60, **options: Any) -> list[str]:
    return render_item(shown or view(), width=width, **options).split("\n")


def staves(shown: ItemView | None = None, width: int = 60, **options: Any) -> list[str]:
    return drawn(replace(shown or view(), tables=()), width, **options)


def test_staves_are_drawn_note_by_note() -> None:
    assert drawn()[:28] == [
        "piece, 0 to 4 s: est against ann, bob",
        "by strike/accuracy: ▀ nobody's finger, ▔ another",
        "  annotator's, ░ not scored, ! cannot be played",
        "  (parncutt1997)",
        "",
        "est: 3 of 5 notes wrong by strike/accuracy, against ann",
        "  reference  estimate  notes  of scored  another's",
        "  L3         none          1    20.00 %          0",
        "  R2         R3            1    20.00 %          1",
        "  R3         R5            1    20.00 %          0",
        "",
        "est: 1 of 3 steps and 0 of 0 chords cannot be played, by",
        "  parncutt1997",
        "  onset  notes  keys   fingers  why",
        "  3 s    3 6    G4 A4  R5 R4    fingers 4 and 5 are crossed",
        "",
        "    s 0      1   2   3",
        "right C4     E4  G4  A4",
        "ann   1      2   3   .",
        "bob   1      3   4   5",
        "est   1      3   5   4",
        "             ▔   ▀   ░!",
        "left  C3 E3",
        "ann   5  3",
        "bob   5  .",
        "est   5  .",
        "         ▀",
        "",
    ]


def test_staves_without_notes_are_left_out_of_a_line() -> None:
    lines = staves(start=1)
    assert lines[5:11] == [
        "    s 1   2   3",
        "right E4  G4  A4",
        "ann   2   3   .",
        "bob   3   4   5",
        "est   3   5   4",
        "      ▔   ▀   ░!",
    ]
    assert lines[11] == ""
    lines = staves(end=1)
    assert lines[0] == "piece, 0 to 1 of 4 s: est against ann, bob"
    assert "A4" not in "\n".join(lines[:12])


def test_in_ascii_and_in_colour() -> None:
    lines = staves(encoding="ascii")
    assert lines[10] == "             '   x   ~!"
    assert "\n".join(lines).isascii()
    lines = staves(colour=True)
    assert lines[9] == "est   1      \x1b[31m3\x1b[0m   \x1b[31m5\x1b[0m   \x1b[33m4\x1b[0m"
    flagged = replace(EST, labels=("1", "3", "5", "-5", "", "4"))
    shown = view_item("a", "a", {"a": flagged}, {"est": EST})
    assert "\x1b[35m4\x1b[0m" in "\n".join(drawn(shown, colour=True))


def test_long_pieces_are_wrapped_at_columns() -> None:
    count = 24
    times = np.arange(float(count))
    scale = Fingering(times, times + 1, np.arange(60, 60 + count), np.zeros(count, dtype=int), ("1",) * count)
    shown = view_item("a", "a", {"a": scale}, {"est": scale})
    lines = drawn(shown, width=40)
    keys = [line for line in lines if line.startswith("right")]
    # 34 columns: a key of two letters takes 4, of three letters 5
    assert keys[0] == "right C4  C#4  D4  Eb4  E4  F4  F#4  G4"
    assert shown.grid is not None
    every = [cell.text for column in shown.grid.staves[0].lines[0].columns for cell in column]
    assert "".join(keys).replace("right", "").split() == every


def test_a_chord_that_no_line_holds_is_cut() -> None:
    count = 20
    nothing = np.zeros(count)
    cluster = Fingering(
        nothing, nothing + 1, np.arange(40, 40 + count), np.zeros(count, dtype=int), ("1",) * count
    )
    lines = staves(view_item("a", "a", {"a": cluster}, {"est": cluster}), width=40)
    assert lines[6].endswith("…")
    assert max(map(len, lines)) <= 40


@pytest.mark.parametrize("width", range(40, 141, 7))
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_no_line_is_wider_than_asked(width: int, encoding: str) -> None:
    assert max(map(len, drawn(view(first=EST, second=ANN), width=width, encoding=encoding))) <= width


def test_notes_lie_on_a_keyboard_with_everybodys_fingers() -> None:
    roll = view().roll
    assert roll is not None
    assert roll.notes[2] == Note(2, 3, 67, "G4", "right")
    assert [note.hand for note in roll.notes] == ["right", "right", "right", "left", "left", "right"]
    assert [(voice.name, [cell.text for cell in voice.fingers]) for voice in roll.voices] == [
        ("ann", ["R1", "R2", "R3", "L5", "L3", "."]),
        ("bob", ["R1", "R3", "R4", "L5", ".", "R5"]),
        ("est", ["R1", "R3", "R5", "L5", ".", "R4"]),
    ]
    est = roll.voices[2]
    assert [cell.state for cell in est.fingers] == [None, P, X, None, X, E]
    assert [cell.flagged for cell in est.fingers] == [False, False, False, False, False, True]
    (violation,) = est.violations
    assert isinstance(violation, DrawnViolation)
    assert (violation.first, violation.second) == (2, 5)
    assert violation.reason.startswith("R5-R4: ")
    assert roll.voices[0].violations == ()


def test_a_note_of_either_hand_without_an_end_lies_on_the_keyboard() -> None:
    nobody = Fingering(np.array([0.0]), np.array([np.nan]), np.array([-1]), np.array([-1]), ("",))
    shown = view_item(
        "piece", "ann", {"ann": replace(nobody, offsets=np.array([1.0]))}, {"est": "no estimate"}
    )
    assert shown.roll is not None
    assert shown.roll.notes == (Note(0, 1, -1, "#1", ""),)
