# SPDX-License-Identifier: MIT
"""One song laid out: which seconds are wrong, what cost most, what was excluded; and how it is drawn.

Expected values are worked out by hand from rows in round numbers.
"""

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

import kammerton.api.pages
from kammerton.chords import TASK, ChordAnnotation
from kammerton.chords.kernels import build_columns, judge
from kammerton.chords.protocols import mirex2013
from kammerton.chords.views import view_item
from kammerton.errors import OptionError
from kammerton.model.measure import find
from kammerton.model.task import Case
from kammerton.model.views import Column, ErrorKind, ItemView, Mark, Span, Table, Track
from kammerton.reporting.timeline import render_item


def annotation(*rows: tuple[float, float, str]) -> ChordAnnotation:
    intervals = np.array([row[:2] for row in rows], dtype=float).reshape(-1, 2)
    return ChordAnnotation(intervals, tuple(row[2] for row in rows))


REFERENCE = annotation((0, 2, "C"), (2, 3, "D:sus4"), (3, 6, "A:min"), (6, 7, "N"))
ESTIMATE = annotation((0, 2.5, "C"), (2.5, 5, "G"), (5, 6.5, "A:min7"))


def view(
    measure: str | None = None, reference: ChordAnnotation = REFERENCE, **estimates: ChordAnnotation | str
) -> ItemView:
    return view_item("song", "ref", {"ref": reference}, estimates or {"est": ESTIMATE}, measure)


MAJMINBASS = find("MajMinBass", mirex2013.PROTOCOL.measures)
EXCLUDED = Mark(2, 3, "excluded")


def wrong(start: float, end: float, kind: ErrorKind) -> Mark:
    return Mark(start, end, "wrong", kind)


def table(shown: ItemView, title: str) -> Table:
    return next(each for each in shown.tables if title in each.title)


def scores(shown: ItemView) -> dict[Any, Any]:
    return {row[0]: row[1] for row in table(shown, "scores").rows}


# 0-2 right; 2-3 a fourth instead of the third; 3-5 A:min is G; 5-6 right; 6-6.5 N is A:min7; then no row


def test_time_is_marked_as_majmin_of_mirex_judges_it() -> None:
    shown = view()
    assert shown.measure == "mirex2013/MajMin"
    assert shown.tracks[1].marks == (EXCLUDED, wrong(3, 5, "root"), wrong(6, 7, "presence"))


def test_time_is_marked_as_another_measure_judges_it() -> None:
    # sevenths: 5-6 is A:min7 for A:min as well
    assert view("mirex2013/Sevenths").tracks[1].marks == (
        EXCLUDED,
        wrong(3, 5, "root"),
        wrong(5, 6, "quality"),
        wrong(6, 7, "presence"),
    )
    # root: D:sus4 is scored; 2-2.5 is C, 2.5-3 is G
    assert view("mirex2013/Root").tracks[1].marks == (wrong(2, 5, "root"), wrong(6, 7, "presence"))


def test_what_is_wrong_is_told_apart() -> None:
    reference = annotation((0, 1, "C"), (1, 2, "C/3"), (2, 3, "C"), (3, 4, "C"), (4, 5, "N"))
    estimate = annotation((0, 1, "G"), (1, 2, "C"), (2, 3, "C:min"), (3, 4, "X"), (4, 5, "C"))
    shown = view("MajMinBass", reference, est=estimate)
    assert shown.tracks[1].marks == (
        wrong(0, 1, "root"),
        wrong(1, 2, "bass"),
        wrong(2, 3, "quality"),
        wrong(3, 5, "presence"),
    )
    # measures without a bass do not see it, and mir_eval says the same of these
    assert shown.tracks[1].judged["mirex2013/MajMin"] == (
        wrong(0, 1, "root"),
        wrong(2, 3, "quality"),
        wrong(3, 5, "presence"),
    )
    assert view("majmin_inv", reference, est=estimate).tracks[1].marks == shown.tracks[1].marks


def test_a_recall_named_after_basses_needs_none_without_them() -> None:
    reference, estimate = annotation((0, 1, "C/3"), (1, 2, "C")), annotation((0, 1, "C"), (1, 2, "G"))
    columns, low_bass = build_columns([Case((reference,), estimate, 0)]), replace(MAJMINBASS, name="LowBass")
    computed = mirex2013.evaluate(columns, [MAJMINBASS])
    alone = replace(computed, rules={"LowBass": computed.rules["MajMinBass"]})
    (judgement,) = judge(columns, alone, low_bass)
    assert judgement.marks(2.0) == (wrong(0, 1, "quality"), wrong(1, 2, "root"))


def test_every_headline_recall_of_the_protocol_judges() -> None:
    track = view().tracks[1]
    assert list(track.judged) == [
        f"mirex2013/{name}" for name in ("Root", "MajMin", "MajMinBass", "Sevenths", "SeventhsBass")
    ]
    assert track.judged["mirex2013/MajMin"] == track.marks
    assert track.judged["mirex2013/Sevenths"] == view("mirex2013/Sevenths").tracks[1].marks
    assert "mir_eval/thirds" in view("mir_eval/thirds").tracks[1].judged  # no headline, but asked for


def test_other_annotators_are_shown_with_where_they_differ() -> None:
    other = annotation((0, 3, "C"), (3, 6, "A:min"), (6, 8, "N"))
    shown = view_item("song", "ref", {"ref": REFERENCE, "other": other}, {"est": "no estimate"})
    (track,) = shown.others
    assert track.name == "other"
    assert track.spans[-1] == Span(6, 8, "N")
    assert track.marks == (EXCLUDED, Mark(7, 8, "excluded"))
    assert (shown.end, shown.references) == (7, 1)
    assert shown.tracks[1] == Track("est", (), note="no estimate")


def test_mir_eval_pads_the_estimate_with_no_chord() -> None:
    marks = view("mir_eval/majmin").tracks[1].marks
    assert marks == (EXCLUDED, wrong(3, 5, "root"), wrong(6, 6.5, "presence"))


def test_decibel_judges_as_mir_eval_does() -> None:
    assert view("CSR").tracks[1].marks == view("mir_eval/majmin").tracks[1].marks


def test_tracks_are_the_rows_as_written() -> None:
    reference, estimate = view().tracks
    assert reference == Track(
        "ref", (Span(0, 2, "C"), Span(2, 3, "D:sus4"), Span(3, 6, "A:min"), Span(6, 7, "N"))
    )
    assert estimate.name == "est"
    assert estimate.spans[2] == Span(5, 6.5, "A:min7")


def test_no_time_outside_the_reference_is_judged() -> None:
    shown = view(reference=annotation((1, 4, "C")), est=annotation((0, 5, "C")))
    assert shown.end == 5
    assert shown.tracks[1].marks == (wrong(0, 1, "presence"), Mark(4, 5, "excluded"))  # silence from 0 on
    shown = view("mir_eval/majmin", reference=annotation((1, 4, "C")), est=annotation((0, 5, "C")))
    assert shown.tracks[1].marks == (Mark(0, 1, "excluded"), Mark(4, 5, "excluded"))


def test_costs_are_listed_the_dearest_first() -> None:
    costs = table(view(), "est:")
    assert costs.title == "est: 3.000 s wrong of 6.000 s scored by mirex2013/MajMin"
    assert costs.rows == (
        ("A:min", "G", 2.0, 2 / 6),
        ("N", "(no row)", 0.5, 0.5 / 6),
        ("N", "A:min7", 0.5, 0.5 / 6),
    )


def test_costs_of_one_kind_are_added_up() -> None:
    reference = annotation((0, 2, "C"), (2, 4, "G"), (4, 6, "C"))
    shown = view(reference=reference, est=annotation((0, 6, "G")))
    assert table(shown, "est:").rows == (("C", "G", 4.0, 4 / 6),)


def test_costs_beyond_the_tenth_are_one_row() -> None:
    roots = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"]
    reference = annotation(*((n, n + 1, root) for n, root in enumerate(roots)))
    rows = table(view(reference=reference, est=annotation((0, 12, "N"))), "est:").rows
    assert len(rows) == 11
    assert rows[-1] == ("2 more", "", 2.0, 2 / 12)


def test_scores_are_the_headlines_of_every_protocol() -> None:
    found = scores(view())
    assert found["mirex2013/MajMin"] == 0.5  # 3 of 6 s
    assert found["mirex2013/Root"] == pytest.approx(3 / 7)  # 0-2 and 5-6 of 7 s
    assert found["mir_eval/majmin"] == pytest.approx(3.5 / 6)  # and 6.5-7
    assert found["decibel/CSR"] == pytest.approx(3.5 / 6)
    assert "mirex2013/Mirex2010" not in found
    assert not any(name.startswith("frames10ms") for name in found)


def test_a_measure_that_is_no_headline_is_scored_if_it_is_chosen() -> None:
    assert "mirex2013/Mirex2010" in scores(view("Mirex2010"))


def test_excluded_labels_are_listed() -> None:
    excluded = table(view(), "excluded")
    assert excluded.title == "excluded: 1.000 s of 7.000 s, outside mirex2013/MajMin"
    assert excluded.rows == (("D:sus4", 1.0, 1 / 7),)
    assert not any("excluded" in each.title for each in view("mirex2013/Root").tables)


def test_nothing_scored_is_undefined() -> None:
    shown = view(reference=annotation((0, 4, "X")))
    assert scores(shown)["mirex2013/MajMin"] is None
    assert table(shown, "est:").title == "est: 0.000 s wrong of 0.000 s scored by mirex2013/MajMin"
    assert table(shown, "excluded").rows == (("X", 4.0, 1.0),)


def test_systems_stand_side_by_side() -> None:
    shown = view(good=REFERENCE, bad=annotation((0, 7, "N")))
    assert [track.name for track in shown.tracks] == ["ref", "good", "bad"]
    assert shown.tracks[1].marks == (Mark(2, 3, "excluded"),)
    assert table(shown, "scores").rows[1] == ("mirex2013/MajMin", 1.0, 1 / 6)


def test_an_estimate_that_is_not_there_says_so() -> None:
    shown = view(gone="no estimate", est=ESTIMATE)
    assert shown.tracks[1] == Track("gone", (), note="no estimate")
    assert table(shown, "scores").rows[1] == ("mirex2013/MajMin", "-", 0.5)
    assert not any(each.title.startswith("gone") for each in shown.tables)


def test_without_any_estimate_the_reference_is_shown() -> None:
    shown = view(gone="no estimate")
    assert shown.end == 7
    assert table(shown, "scores").rows[0][1] == "-"
    assert table(shown, "excluded").rows == (("D:sus4", 1.0, 1 / 7),)


def test_an_empty_estimate_is_silence() -> None:
    assert view(est=annotation()).tracks[1].marks == (
        wrong(0, 2, "presence"),
        EXCLUDED,
        wrong(3, 7, "presence"),
    )


def test_credit_for_unknown_chords_is_noted() -> None:
    shown = view("mir_eval/root", reference=annotation((0, 4, "N")), est=annotation((0, 4, "X")))
    (note,) = shown.notes
    assert note.startswith("est: ")
    assert "4.000 s" in note
    assert view("mirex2013/Root", reference=annotation((0, 4, "N")), est=annotation((0, 4, "X"))).notes == ()


@pytest.mark.parametrize("measure", ["MeanSeg", "ACQA", "decibel/Seg"])
def test_a_measure_must_say_what_is_wrong(measure: str) -> None:
    with pytest.raises(OptionError, match="does not say when an estimate is right"):
        view(measure)


def test_samples_are_no_time_to_mark() -> None:
    with pytest.raises(OptionError, match="not among those that are computed"):
        view("frames10ms/MajMin")


def test_items_of_a_task_without_a_layout_cannot_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kammerton.api.pages.find_task", lambda name: replace(TASK, name=name, view=None))
    with pytest.raises(OptionError, match="items of dances cannot be shown"):
        kammerton.api.pages.show(cast("Any", "dances"), "no such file", "nor this one")


# how it is drawn: 40 columns for 8 s are 0.2 s each, behind names of 3 letters and a blank

DRAWN = ItemView(
    item="song",
    measure="p/m",
    end=8.0,
    tracks=(
        Track("ref", (Span(0, 2, "C"), Span(2, 8, "G:7"))),
        Track(
            "est",
            (Span(0, 2.5, "C:maj7"), Span(2.5, 3, "G:min"), Span(3.6, 8, "G")),
            (Mark(2, 2.5, "wrong"), Mark(4, 4.05, "wrong"), Mark(6, 8, "excluded")),
        ),
    ),
    tables=(),
)


def drawn(shown: ItemView = DRAWN, width: int = 44, **options: Any) -> list[str]:
    return render_item(shown, width=width, **options).split("\n")


def test_a_timeline_is_drawn_to_scale() -> None:
    assert drawn() == [
        "song, 0 to 8 s: est against ref",
        "by p/m: ▀ wrong, ▔ partly wrong, ░ not",
        "  scored",
        "",
        "  s 0         2         4         6",
        "ref │C        │G:7",
        "est │C:maj7      │…│  │G",
        "              ▀▀▀       ▔         ░░░░░░░░░░",
        "",
    ]


def test_short_rows_are_bars_without_a_label() -> None:
    # 0.2 s fill one column, 0.05 s none
    spans = (Span(0, 0.2, "C"), Span(0.2, 0.4, "G"), Span(1, 1.2, "D"), Span(2, 2.05, "E"), Span(4, 4.4, "A"))
    shown = replace(DRAWN, tracks=(DRAWN.tracks[0], Track("est", spans)))
    assert drawn(shown)[6] == "est │││  ││   │         │A│"


def test_without_blocks_it_is_drawn_in_ascii() -> None:
    lines = drawn(encoding="ascii")
    assert lines[5] == "ref |C        |G:7"
    assert lines[7] == "              xxx       '         ~~~~~~~~~~"
    assert "\n".join(lines).isascii()


def test_what_an_encoding_lacks_is_escaped_before_it_is_laid_out() -> None:
    named = replace(DRAWN, item="Frère", tracks=(replace(DRAWN.tracks[0], name="é"), *DRAWN.tracks[1:]))
    lines = drawn(named, encoding="ascii", width=46)
    assert lines[0] == r"Fr\xe8re, 0 to 8 s: est against \xe9"
    assert lines[4].startswith(r"\xe9 |C")
    assert drawn(named, encoding="latin-1", width=46)[4].startswith("é   |C")


def test_a_part_of_the_time_is_drawn_larger() -> None:
    lines = drawn(start=2, end=4)
    assert lines[0] == "song, 2 to 4 of 8 s: est against ref"
    assert lines[4:] == [
        "  s 2         2.5       3         3.5",
        "ref │G:7",
        "est ┊C:maj7   │G:min    │           │G",
        "    ▀▀▀▀▀▀▀▀▀▀",
        "",
    ]


def test_long_items_are_wrapped_to_round_times() -> None:
    long = replace(
        DRAWN,
        end=10.0,
        tracks=(
            Track("ref", tuple(Span(n, n + 1, "C:maj7") for n in range(10))),
            Track("est", (Span(0, 10, "A"),), (Mark(0, 10, "wrong"),)),
        ),
    )
    lines = drawn(long)
    # 6 columns for each row of 1 s would make 6.67 s a line; it is 6 s, so 2 s stand at column 13.3
    assert lines[4] == "  s 0            2             4"
    assert [line for line in lines if line.startswith("est")] == ["est │A", "est ┊A" + " " * 25 + "│"]
    assert lines[5].count("│") == 6


def test_a_mistyped_end_does_not_draw_for_ever() -> None:
    reference, estimate = DRAWN.tracks
    late = replace(estimate, spans=(*estimate.spans[:2], Span(3.6, 1e7, "G")))
    shown = replace(DRAWN, tracks=(reference, late), end=1e7)
    lines = drawn(shown)
    # rows of 2 s in 6 of 40 columns are 13.3 s in a line, so 10 s, and 5000 s in 500 lines
    assert sum(line.startswith("ref") for line in lines) == 500
    assert lines[-3:-1] == ["5000 to 1e+07 s not drawn; --from and --to", "  choose a part"]
    assert not any("not drawn" in line for line in drawn(shown, start=9e6, end=9e6 + 100))


def test_a_line_looks_only_at_the_rows_that_it_shows() -> None:
    count = 2000
    looked_at = 0

    class Counted(Span):
        def __getattribute__(self, name: str) -> Any:
            nonlocal looked_at
            looked_at += name == "start"
            return super().__getattribute__(name)

    rows = tuple(Counted(at, at + 1, "C") for at in range(count))
    drawn(replace(DRAWN, tracks=(Track("ref", rows), Track("est", rows)), end=float(count)))
    # 6 s in a line, so 333 lines; in each, of both tracks, 6 rows and a search among 2000
    assert looked_at < 333 * 2 * (6 * 4 + 12) + 4 * count


def test_colour_follows_the_marks() -> None:
    lines = drawn(colour=True)
    assert lines[0] == "\x1b[1msong, 0 to 8 s: est against ref\x1b[0m"
    assert "\x1b[31m▀▀▀\x1b[0m" in lines[7]
    assert "\x1b[33m░░░░░░░░░░\x1b[0m" in lines[7]
    assert "\x1b" not in "".join(drawn())


def test_control_characters_are_never_drawn() -> None:
    evil = "a\x1b]0;x\x07"
    shown = replace(
        DRAWN,
        item=evil,
        tracks=(Track(evil, (Span(0, 8, evil),)), Track("est", (), note=evil)),
        tables=(Table(evil, (Column(evil), Column("n", "time")), ((evil, 1.0),)),),
        notes=(evil,),
    )
    assert "\x1b" not in "".join(drawn(shown))


def test_wide_characters_keep_their_columns() -> None:
    shown = replace(DRAWN, tracks=(Track("和", (Span(0, 4, "和音"), Span(4, 8, "N"))), DRAWN.tracks[1]))
    lines = drawn(shown)
    assert lines[5] == "和  │和音               │N"


def test_marks_of_a_missing_estimate_give_way_to_the_reason() -> None:
    shown = replace(DRAWN, tracks=(DRAWN.tracks[0], Track("est", (), note="no estimate")))
    assert drawn(shown)[6:] == ["est (no estimate)", ""]


def test_tables_that_are_too_wide_are_continued_below() -> None:
    columns = (Column("measure"), *(Column(f"system{n}", "score") for n in range(5)))
    shown = replace(DRAWN, tables=(Table("scores", columns, (("p/m", 0.5, 0.25, None, "-", 1.0),)),))
    assert drawn(shown)[-6:] == [
        "scores",
        "  measure  system0  system1    system2",
        "  p/m        50.00    25.00  undefined",
        "  measure  system3  system4",
        "  p/m            -   100.00",
        "",
    ]


def test_long_texts_in_tables_are_cut() -> None:
    columns = (
        Column("reference"),
        Column("estimate"),
        Column("seconds", "time"),
        Column("of scored", "share"),
    )
    rows = (("C:maj7(9,11,13)/3", "G", 1.23456, 0.25),)
    view = replace(DRAWN, tables=(Table("costs", columns, rows),))
    assert "  C:maj7(9,11,13)/3  G           1.235    25.00 %" in drawn(view, width=60)
    assert "  C:maj7(9…  G           1.235    25.00 %" in drawn(view, width=44)


@pytest.mark.parametrize("width", [39, 401, 0])
def test_a_width_that_cannot_be_filled_is_refused(width: int) -> None:
    with pytest.raises(OptionError, match=f"width must be 40 to 400 columns, got {width}"):
        drawn(width=width)


@pytest.mark.parametrize(
    ("start", "end"), [(8, None), (4, 4), (5, 3), (-1, 3), (float("nan"), None), (0, 5e-324)]
)
def test_an_empty_part_is_refused(start: float, end: float | None) -> None:
    with pytest.raises(OptionError, match="nothing to show from"):
        drawn(start=start, end=end)


@pytest.mark.parametrize("width", range(40, 201, 7))
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_no_line_is_wider_than_asked(width: int, encoding: str) -> None:
    for shown in (DRAWN, view(), view("mirex2013/Sevenths", est=ESTIMATE, other=REFERENCE)):
        assert max(map(len, drawn(shown, width=width, encoding=encoding))) <= width


def test_an_item_is_drawn_where_it_is_printed() -> None:
    shown = kammerton.api.pages.show("chords", ([(0, 2)], ["C"]), ([(0, 2)], ["C"]))
    assert str(shown) == repr(shown) == render_item(shown)
    long = [(second, second + 1) for second in range(200)], ["C", "G"] * 100
    drawn_long = kammerton.api.pages.show("chords", long, long)
    assert len(str(drawn_long).splitlines()) > 25
    assert repr(drawn_long).splitlines()[:24] == str(drawn_long).splitlines()[:24]
    assert repr(drawn_long).endswith("more lines: `print` shows them")
    assert str(shown).startswith("reference, 0 to 2 s: estimate against reference\n")
    short = kammerton.api.pages.show("chords", ([(0, 1e-12)], ["C"]), ([(0, 1e-12)], ["C"]))
    assert repr(short) == "<reference: nothing to draw>"
