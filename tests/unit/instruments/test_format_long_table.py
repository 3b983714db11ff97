# SPDX-License-Identifier: MIT
"""Tables with a row for each item and instrument."""

import pytest

from kammerton.formats import Limits
from unit.instruments.listing import SAMPLE, items, lists, only, read, sheet, shown, told


@pytest.mark.parametrize(
    ("header", "separator"),
    [
        ("file,instrument", ","),
        ("File;Instrument", ";"),
        ("track_id\tlabel", "\t"),
        ("instrument,clip-id", ","),
        ("sample_key,tag,num_responses", ","),
        ("id,song,class", ","),
        ("sep=;\nfile;instrument", ";"),
        ("\n# comment\nfile,instrument", ","),
    ],
)
def test_rows_of_item_and_instrument_are_sets(header: str, separator: str) -> None:
    names = header.rsplit("\n", maxsplit=1)[-1].lower().split(separator)
    cells = {"piano": ("a", "piano"), "violin": ("a", "violin"), "voice": ("b", "voice")}
    rows = []
    for item, label in cells.values():
        row = dict.fromkeys(names, "3")
        row |= dict.fromkeys(("file", "track_id", "clip-id", "sample_key", "song"), item)
        row |= dict.fromkeys(("instrument", "label", "tag", "class"), label)
        rows.append(separator.join(row[name] for name in names))
    found = sheet("\n".join((header, *rows)) + "\n")
    assert items(found) == {"a": "{piano violin}", "b": "{voice}"}
    assert (found.broken, told(found.diagnostics)) == ({}, "")


def test_items_need_not_be_together_and_lose_the_suffix_of_a_recording() -> None:
    found = sheet("file,instrument\nx/a.wav,piano\nx/b.WAV,voice\n x/a.wav , violin \n")
    assert items(found) == {"a": "{piano violin}", "b": "{voice}"}


def test_scores_rank_and_of_equal_ones_the_first_is_first() -> None:
    found = sheet("file,instrument,score\na,piano,0.25\na,violin,.5\na,voice,0.5\nb,banjo,-3.7e0\n")
    assert items(found) == {"a": "<violin=0.5 voice=0.5 piano=0.25>", "b": "<banjo=-3.7>"}


@pytest.mark.parametrize("name", ["score", "confidence", "Probability", "likelihood"])
def test_names_of_scores(name: str) -> None:
    assert items(sheet(f"item,label,{name}\na,piano,1\n")) == {"a": "<piano=1>"}


def test_without_a_column_of_items_the_file_is_one() -> None:
    assert only(read("instrument,score\npiano,0.25\nviolin,0.5\n", ".csv")) == "<violin=0.5 piano=0.25>"
    assert only(read("label\nflute\n", ".csv")) == "{flute}"
    assert only(read("label\tscore\nflute\t1\n", ".txt")) == "<flute=1>"


def test_annotators_have_lists_of_their_own() -> None:
    text = "file,annotator,instrument\na,x,piano\na,y,violin\na,x,voice\nb,,banjo\n"
    found = sheet(text)
    assert [(who, shown(each)) for who, each in found.items["a"]] == [
        ("x", "{piano voice}"),
        ("y", "{violin}"),
    ]
    assert [(who, shown(each)) for who, each in found.items["b"]] == [(None, "{banjo}")]
    single = read("annotator,instrument\nx,piano\ny,violin\n", ".csv")
    assert lists(single) == {"x": "{piano}", "y": "{violin}"}


# --- ranks ---------------------------------------------------------------------------------


def test_ranks_order_lists_without_scores() -> None:
    assert items(sheet("file,instrument,rank\na,piano,2\nb,banjo,1\na,violin,1\n")) == {
        "a": "<violin piano>",
        "b": "<banjo>",
    }


def test_equal_ranks_keep_their_order_and_are_noted() -> None:
    found = sheet("file,instrument,rank\na,piano,1\na,violin,1\na,voice,1\n")
    assert items(found) == {"a": "<piano violin voice>"}
    assert told(found.diagnostics) == (
        "note 3:10+1 KT613 two labels of a list have one rank, and stay in order (2 times) (2 in all)"
    )


def test_scores_count_before_ranks_and_contradictions_are_noted() -> None:
    text = "file,instrument,score,rank\na,piano,0.5,2\na,violin,0.25,1\nb,piano,0.5,1\nb,violin,0.25,2\n"
    found = sheet(text)
    assert items(found) == dict.fromkeys("ab", "<piano=0.5 violin=0.25>")
    assert told(found.diagnostics) == ("note 3:15+1 KT613 rank contradicts the scores, which count")
    assert sheet("file,instrument,score,rank\na,F,0.25,2\na,G,0.5,1\n").diagnostics == ()


def test_a_label_without_a_rank_breaks_its_item() -> None:
    found = sheet("file,instrument,rank\na,piano,1\na,violin,\nb,piano,x\nc,piano,1\n")
    assert items(found) == {"c": "<piano>"}
    assert told(found.diagnostics) == (
        "error 3:10+1 KT609 row has no rank\n  help: a rank looks like 1\n"
        "error 4:9+1 KT609 rank is no finite number: `x`\n  help: a rank looks like 1"
    )


# --- what was judged -----------------------------------------------------------------------

JUDGED = (
    "sample_key,instrument,relevance,num_responses\n"
    "000046_3840,clarinet,0.17104999999999998,3\n000046_3840,flute,0.5,3\n000135_0,flute,0.75,3\n"
)


def test_relevance_at_the_threshold_is_present_and_what_nobody_judged_is_not_known() -> None:
    found = sheet(JUDGED)
    assert items(found) == {"000046_3840": "{flute !clarinet ...}", "000135_0": "{flute ...}"}
    assert told(found.diagnostics) == (
        "note KT614 3 of 4 pairs of item and instrument were judged; the rest is neither right nor wrong\n"
        "  help: --assume-absent takes what nobody judged for absent"
    )


def test_what_nobody_judged_may_count_as_absent() -> None:
    found = sheet(JUDGED, assume_absent=True)
    assert items(found) == {"000046_3840": "{flute !clarinet}", "000135_0": "{flute}"}
    assert told(found.diagnostics) == (
        "note KT614 3 of 4 pairs of item and instrument were judged; the rest counts as absent"
    )


def test_workers_are_annotators_and_relevance_may_be_missing() -> None:
    text = (
        "sample_key,worker_id,worker_trust,channel,instrument,response\n"
        "1,w,0.8,a,flute,0.0\n1,w,0.8,a,piano,1.0\n1,v,0.9,a,flute,\n1,v,0.9,a,piano,TRUE\n"
    )
    found = sheet(text)
    assert [(who, shown(each)) for who, each in found.items["1"]] == [
        ("w", "{piano !flute ...}"),
        ("v", "{piano ...}"),
    ]


# --- labels --------------------------------------------------------------------------------


def test_an_unknown_label_is_said_once_with_its_count_and_breaks_its_items() -> None:
    found = sheet("file,instrument\na,e\na,F\nb,F\nc,e\nd,Q\n", taxonomy=SAMPLE)
    assert items(found) == {"b": "{F}"}
    assert found.broken == {
        "a": "KT600 taxonomy `campaign-sample` has no `e`",
        "c": "KT600 taxonomy `campaign-sample` has no `e`",
        "d": "KT600 taxonomy `campaign-sample` has no `Q`",
    }
    first, second = (each.message for each in found.diagnostics)
    assert first == "taxonomy `campaign-sample` has no `e` (2 items)"
    assert second == "taxonomy `campaign-sample` has no `Q` (1 item)"
    assert [(d.line, d.column, d.count) for d in found.diagnostics] == [(2, 3, 2), (6, 3, 1)]
    assert found.diagnostics[0].hint == "`E` differs by case only: --casefold takes it for that"


def test_a_row_without_an_instrument_stands_for_an_item_that_has_none() -> None:
    found = sheet("file,instrument,score\na,F,0.5\nb,,\n")
    assert items(found) == {"a": "<F=0.5>", "b": "<>"}
    assert (
        told(found.diagnostics) == "note 3:3+1 KT622 row without an instrument: its item has none (1 in all)"
    )


def test_beside_others_a_row_without_an_instrument_is_an_error() -> None:
    found = sheet("file,instrument\na,F\na, \nb,G\n")
    assert items(found) == {"b": "{G}"}
    assert told(found.diagnostics) == "error 3:4+1 KT619 row has no instrument"


def test_missing_values_of_other_programs_are_labels_and_names_like_any_other() -> None:
    found = sheet("file,instrument\n001,None\n1e5,NA\nTRUE,null\n")
    assert items(found) == {"001": "{None}", "1e5": "{NA}", "TRUE": "{null}"}


# --- scores that cannot be used ------------------------------------------------------------


def test_scores_that_are_no_numbers_break_their_items() -> None:
    text = "file,instrument,score\na,F,high\nb,F,1e400\nc,F,inf\nd,F,1_0\ne,F,٣\nf,F,0x10\ng,F,0.5\n"
    found = sheet(text)
    assert items(found) == {"g": "<F=0.5>"}
    assert sheet("file,instrument,score\na,F,1-2\n").broken == {"a": "KT609 score is no finite number: `1-2`"}
    assert told(found.diagnostics[:2]) == (
        "error 2:5+4 KT609 score is no finite number: `high`\n  help: a score looks like 0.75\n"
        "error 3:5+5 KT609 score is no finite number: `1e400`\n  help: a score looks like 0.75"
    )
    assert [said.line for said in found.diagnostics] == [2, 3, 4, 5, 6, 7]
    assert found.broken["a"] == "KT609 score is no finite number: `high`"


def test_a_decimal_comma_is_an_error_where_commas_separate_and_understood_where_they_do_not() -> None:
    found = sheet('file,instrument,score\na,F,"0,5"\n')
    assert told(found.diagnostics) == (
        "error 2:6+3 KT609 score is no finite number: `0,5`\n  help: write it with a decimal point"
    )
    assert items(sheet("file;instrument;score\na;F;0,5\na;G;0,25\n")) == {"a": "<F=0.5 G=0.25>"}
    mixed = sheet("file;instrument;score\na;F;0,5\nb;G;0.25\n")
    assert items(mixed) == {"b": "<G=0.25>"}


def test_rows_of_parts_of_a_recording_name_a_label_again_and_again() -> None:
    text = (
        "segment_id\tstart_time_seconds\tend_time_seconds\tlabel\nx_0\t0\t1\tF\nx_0\t2\t3\tF\ny_0\t0\t1\tG\n"
    )
    found = sheet(text, ".tsv")  # as the strong labels of AudioSet
    assert items(found) == {"x_0": "{F}", "y_0": "{G}"}
    assert told(found.diagnostics) == ""


def test_the_caller_may_say_that_the_order_ranks() -> None:
    found = sheet("file,instrument,score\na,G,\na,F,\nb,E,1\n", ranked=True)
    assert items(found) == {"a": "<G F>", "b": "<E=1>"}
    assert told(found.diagnostics) == ""
    assert items(sheet("file,instrument\na,G\na,F\n", ranked=True)) == {"a": "<G F>"}
    judged = sheet("file,instrument,relevance\na,G,1\n", ranked=True)
    assert items(judged) == {"a": "{G ...}"}


def test_full_vectors_are_recognised_and_lists_with_the_best_first_are_not() -> None:
    found = sheet("file,instrument,score\na,F,0.25\na,G,0.5\nb,F,0.75\nb,G,0.5\n")
    assert items(found) == {"a": "v<F=0.25 G=0.5>", "b": "v<F=0.75 G=0.5>"}
    assert told(found.diagnostics) == (
        "note KT615 all items have the same 2 labels in the same order: read as scores of a vocabulary\n"
        "  help: --threshold or --top-k makes lists of them"
    )
    ranked = sheet("file,instrument,score\na,G,0.5\na,F,0.25\nb,G,0.75\nb,F,0.5\n")
    assert items(ranked) == {"a": "<G=0.5 F=0.25>", "b": "<G=0.75 F=0.5>"}
    other = sheet("file,instrument,score\na,F,0.25\na,G,0.5\nb,F,0.75\nb,H,0.5\n")
    assert items(other) == {"a": "<G=0.5 F=0.25>", "b": "<F=0.75 H=0.5>"}
    twice = sheet("file,instrument,score\na,F,0.25\na,F,0.5\nb,F,0.75\nb,F,0.5\n")
    assert items(twice) == {"a": "<F=0.5>", "b": "<F=0.75>"}


SHORT = "a cell that is empty still needs its separator"
LONG = "a cell with a separator in it stands between double quotes"


# --- rows and headers that cannot be used --------------------------------------------------


def test_rows_that_cannot_be_cut_break_their_items() -> None:
    found = sheet('file,instrument\na,F\nb\nc,F,G\nd,"F\n,F\na.wav,F,G\n"e\ne,F,\nf,F,  \n')
    assert items(found) == {"e": "{F}", "f": "{F}"}
    assert told(found.diagnostics) == (
        "error 3:1+1 KT161 row has 1 column, the header 2\n"
        f"  help: {SHORT}\n"
        f"error 4:5+1 KT161 row has 3 columns, the header 2\n  help: {LONG}\n"
        'error 5:3+1 KT160 quote is not closed: `"F`\n  help: a quote within a quoted field is doubled\n'
        "error 6:1+1 KT621 row names no item\n"
        f"error 7:9+1 KT161 row has 3 columns, the header 2\n  help: {LONG}\n"
        'error 8:1+1 KT160 quote is not closed: `"e`\n  help: a quote within a quoted field is doubled'
    )
    assert found.broken == {
        "a": "KT161 row has 3 columns, the header 2",
        "b": "KT161 row has 1 column, the header 2",
        "c": "KT161 row has 3 columns, the header 2",
        "d": 'KT160 quote is not closed: `"F`',
    }


def test_one_item_with_a_broken_row_is_not_used() -> None:
    reading = read("instrument,score\nF,0.5\nG\n", ".csv")
    assert reading.annotations == ()
    assert [said.code for said in reading.diagnostics] == ["KT161"]


def test_a_table_without_instruments_says_which_column_may_be_meant() -> None:
    reading = read("file,instrumnt,score\na,F,0.5\n", ".csv")
    assert told(reading.diagnostics) == (
        "error 1:1+20 KT616 no column is the label\n"
        "  help: is it `instrumnt`? known names: instrument, label, tag, class, instrument_name"
    )
    reading = read("file,rank\na,1\n", ".csv")
    assert told(reading.diagnostics) == (
        "error 1:1+9 KT616 no column is the label\n"
        "  help: known names: instrument, label, tag, class, instrument_name"
    )


def test_columns_that_stand_twice() -> None:
    said = read("file,instrument,Instrument \na,F,G\n", ".csv").diagnostics
    assert told(said) == "error 1:17+10 KT617 columns 2 and 3 are both `instrument`"
    assert items(sheet("id,track,x,x,instrument\n1,a,,,F\n")) == {"a": "{F}"}


@pytest.mark.parametrize("text", ["", "\n \n", "# nothing\n", "file,instrument\n", "file,instrument\n\n,\n"])
def test_no_rows(text: str) -> None:
    assert told(read(text, ".csv").diagnostics) == "error KT110 no annotation rows"


def test_budgets() -> None:
    text = "file,instrument\na,F\nb,F\n"
    said = read(text, ".csv", limits=Limits(rows=1)).diagnostics
    assert told(said) == "error KT106 2 rows: over the limit of 1"
    long = sheet("file,instrument\na,FFFFFF\nb,F\n", limits=Limits(label=5))
    assert items(long) == {"b": "{F}"}
    assert told(long.diagnostics) == "error 2:3+6 KT106 label of 6 characters, over the limit of 5: `FFFFFF`"
    field = sheet(f'file,instrument\nb,F\n"{"x" * 140_000}",F\n')
    assert told(field.diagnostics) == "error 3 KT106 field of more than 131,072 characters"


def test_two_names_of_one_item_are_not_taken_together() -> None:
    found = sheet("file,instrument\nb.wav,piano\na.wav,piano\na.mp3,voice\n a.wav ,flute\n")
    assert list(found.items) == ["b"]
    assert found.broken == {"a": "KT618 `a.wav` and `a.mp3` are both item `a`"}
    assert told(found.diagnostics) == (
        "error 4:1+5 KT618 `a.wav` and `a.mp3` are both item `a`\n"
        "  help: `a.wav` stands in line 3; "
        "names are compared without suffixes, and composed (NFC): call both alike, or take one out"
    )
    composed = sheet("file,instrument\n\u00e9,piano\ne\u0301,voice\n")
    assert not composed.items
    assert set(composed.broken) == {"\u00e9"}


def test_blanks_around_annotators_do_not_matter() -> None:
    found = sheet("file,annotator,instrument\na,x,piano\na, x,voice\na,y,flute\n")
    assert {who: shown(each) for who, each in found.items["a"]} == {"x": "{piano voice}", "y": "{flute}"}
    assert len(found.items["a"]) == 2
