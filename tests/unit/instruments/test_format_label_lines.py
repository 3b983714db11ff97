# SPDX-License-Identifier: MIT
"""Text with a label on each line, and tags of MTG-Jamendo."""

import pytest

from kammerton.formats import Limits
from unit.instruments.listing import SAMPLE, items, lists, only, read, sheet, told


@pytest.mark.parametrize(
    "text",
    ["gel\t\nvoi\t\n", "gel\nvoi", "\n# no label\n  gel \n\nvoi\n", "gel\t \r\n".replace("\r", "") + "voi\n"],
)
def test_lines_are_a_set(text: str) -> None:
    assert only(read(text)) == "{gel voi}"


def test_a_score_may_stand_behind_a_tab() -> None:
    assert only(read("acoustic guitar\t0.25\nvoice\t 0.5 \n")) == "<voice=0.5 acoustic guitar=0.25>"


def test_places_of_labels_and_scores() -> None:
    reading = read("F\n  Z\t\n", taxonomy=SAMPLE)
    assert [(said.code, said.line, said.column, said.length) for said in reading.diagnostics] == [
        ("KT600", 2, 3, 1)
    ]
    reading = read("F\thigh\nG\t0.5\n")
    assert told(reading.diagnostics) == (
        "error 1:3+4 KT609 score is no finite number: `high`\n  help: a score looks like 0.75"
    )
    assert reading.annotations == ()


def test_a_label_that_stands_twice() -> None:
    reading = read("F\nF\n")
    assert lists(reading) == {None: "{F}"}
    assert told(reading.diagnostics) == "warning 2:1+1 KT603 listed twice, counted once: `F`"


def test_another_form_is_recognised() -> None:
    assert told(read("0.0 1.5 C:maj\n1.5 2.0 N\n").diagnostics) == (
        "error 1:1+13 KT624 format not recognised: rows of times\n"
        "  help: one label a line, or a table with a header"
    )


@pytest.mark.parametrize("text", ["", " \n\n", "# F\n", "\x0b\n"])
def test_no_labels(text: str) -> None:
    assert told(read(text).diagnostics) == "error KT110 no annotation rows"


def test_budgets() -> None:
    assert (
        told(read("F\nG\nE\n", limits=Limits(rows=2)).diagnostics)
        == "error KT106 3 rows: over the limit of 2"
    )


# --- MTG-Jamendo ---------------------------------------------------------------------------

HEADER = "TRACK_ID\tARTIST_ID\tALBUM_ID\tPATH\tDURATION\tTAGS\n"
FIRST = (
    "track_0000948\tartist_000087\talbum_000149\t48/948.mp3\t212.7\tinstrument---piano\tinstrument---bass\n"
)


def test_tags_of_instruments() -> None:
    found = sheet(HEADER + FIRST + "track_0000950\ta\tb\t50/950.mp3\t1.0\tinstrument---piano\t\n", ".tsv")
    assert items(found) == {"track_0000948": "{piano bass}", "track_0000950": "{piano}"}
    assert (found.broken, told(found.diagnostics)) == ({}, "")


def test_other_tags_are_left_out_and_a_track_without_any_was_judged_by_nobody() -> None:
    text = HEADER + FIRST + "track_2\ta\tb\t2.mp3\t1.0\tgenre---rock\tmood/theme---sad\n"
    found = sheet(text, ".tsv")
    assert items(found) == {"track_0000948": "{piano bass}", "track_2": "{...}"}
    assert told(found.diagnostics) == (
        "note KT627 tags that are no instruments left out (2 in all) (2 in all)\n"
        "note KT614 tracks without a tag of an instrument: nobody judged theirs (1 in all)"
    )
    assumed = sheet(text, ".tsv", assume_absent=True)
    assert items(assumed)["track_2"] == "{}"
    assert assumed.diagnostics[1].message == (
        "tracks without a tag of an instrument: none of theirs is there (1 in all)"
    )


def test_tags_have_places() -> None:
    found = sheet(HEADER + FIRST, ".tsv", taxonomy=SAMPLE)
    begin = FIRST.index("piano") + 1
    assert [(said.code, said.line, said.column, said.length) for said in found.diagnostics] == [
        ("KT600", 2, begin, 5),
        ("KT600", 2, FIRST.index("bass") + 1, 4),
    ]


def test_rows_that_cannot_be_used() -> None:
    text = HEADER + "track_1\ta\tb\n\ta\tb\t2.mp3\t1\tinstrument---F\n" + 3 * FIRST
    found = sheet(text + "track_3\ta\tb\t2.mp3\t1\tinstrument---F\n", ".tsv")
    assert items(found) == {"track_3": "{F}"}
    assert [(said.code, said.line, said.severity) for said in found.diagnostics if said.line] == [
        ("KT161", 2, "error"),
        ("KT621", 3, "error"),
        ("KT618", 5, "error"),
        ("KT618", 6, "error"),
    ]
    assert [said.hint for said in found.diagnostics if said.code == "KT618"] == [
        "it stands first in line 4: take one of the two out"
    ] * 2
    assert found.broken["track_1"] == "KT161 row has 3 columns, the header 6"
    assert found.broken["track_0000948"] == "KT618 item stands twice: `track_0000948`"


def test_a_file_without_tracks_and_budgets() -> None:
    assert told(read(HEADER, ".tsv").diagnostics) == "error KT110 no annotation rows"
    said = read(HEADER + FIRST + FIRST, ".tsv", limits=Limits(rows=1)).diagnostics
    assert told(said) == "error KT106 2 rows: over the limit of 1"
