# SPDX-License-Identifier: MIT
"""Instruments on the command line: every verb, and what is said of taxonomies and maps."""

import re
from pathlib import Path

import pytest

from cli.harness import Terminal
from kammerton import instruments
from kammerton.errors import DataError, OptionError
from kammerton.formats.reading import signed_file
from kammerton.statistics import sample

SCORE = ("score", "instruments", "ref.csv", "est.csv", "--no-ci", "--protocol", "all")


@pytest.fixture
def lists(terminal: Terminal) -> Terminal:
    terminal.write(
        **{
            ".": {
                "ref.csv": "file,instrument|a,F|a,H|b,F",
                "est.csv": "file,instrument,score|a,F,0.9|a,I,0.8|b,G,0.5",
            }
        }
    )
    return terminal


def values(terminal: Terminal, *arguments: str) -> dict[str, float | None]:
    rows = terminal.run(*SCORE, *arguments, "--format", "json").document["scores"]
    return {f"{row['protocol']}/{row['measure']}": row["value"] for row in rows}


def test_files_of_many_items_are_scored(lists: Terminal) -> None:
    found = values(lists, "--taxonomy", "campaign-sample")
    # a is the example of the campaign, of b the sibling was said
    assert found["open-mic-task1/P"] == pytest.approx((1 / 2 + 0) / 2)
    assert found["open-mic-task1/hP"] == pytest.approx((3 / 4 + 1 / 2) / 2)
    assert found["open-mic-task1/micro_P"] == pytest.approx(1 / 3)


def test_fewer_resamples_are_said(lists: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    lists.write(**{".": {"est.csv": "file,F,G,H|a,0.9,0.1,0.8|b,0.2,0.5,0.7"}})
    arguments = ("score", "instruments", "ref.csv", "est.csv", "--protocol", "scores")
    whose = "scores/micro_mAP, scores/micro_ROC_AUC, scores/micro_PR_AUC"
    told = f"intervals of {whose} are of 2 resamples, not of 10,000: each takes long"
    assert told not in lists.run(*arguments).lines
    monkeypatch.setattr(sample, "_FEWEST", 2)  # of two items three draws differ
    monkeypatch.setattr(sample, "_DRAWN_ROWS", 0)
    assert told in lists.run(*arguments).lines
    least = told.replace("of 2 resamples", "of at least 2 resamples")
    for more in (("--context", "--annotator", "again=ref.csv"), ("--group-by", "[a-z]")):
        assert least in lists.run(*arguments, *more).lines
        assert least not in lists.run(*arguments, *more, "--no-ci").lines
    for fewer in (("--no-ci",), ("--cite",), ("--measure", "scores/mAP")):
        assert told not in lists.run(*arguments, *fewer).lines
    compared = ("compare", "instruments", "ref.csv", "est.csv", "again=est.csv", "--protocol", "scores")
    assert "\nIntervals are of 2 resamples.\n" in lists.run(*compared, "--measure", "micro_mAP").out
    averaged = lists.run(*compared, "--measure", "scores/mAP").out
    assert "Intervals are of 2" not in averaged
    assert "\nIntervals resample labels in place of items.\n" in averaged


@pytest.mark.parametrize(
    ("arguments", "measure", "value"),
    [
        (("--threshold", ">0.8"), "open-mic-task1/R", (1 / 2 + 0) / 2),
        (("--top-k", "1"), "open-mic-task1/P", (1 + 0) / 2),
        (("--taxonomy", "campaign-sample", "--level", "1"), "open-mic-task1/P", 1.0),
        (("--unknown", "keep", "--taxonomy", "campaign-sample"), "open-mic-task1/P", 1 / 4),
        (("--undefined", "skip", "--threshold", "0.6"), "open-mic-task1/P", 1 / 2),
        (("--threshold", ">=0.6"), "open-mic-task1/P", 1 / 4),
    ],
)
def test_choices_change_figures_and_signatures(
    lists: Terminal, arguments: tuple[str, ...], measure: str, value: float
) -> None:
    assert values(lists, *arguments)[measure] == pytest.approx(value)
    signature = lists.run(*SCORE, *arguments, "--format", "json").document["scores"][0]["signature"]
    assert f"|{arguments[0].removeprefix('--').replace('-', '_')}:{arguments[1]}|" in signature


def test_one_threshold_has_one_signature_however_it_is_written(lists: Terminal) -> None:
    signed = {lists.run(*SCORE, "--threshold", text).out for text in ("0.6", ">=0.6", ">= .60")}
    (out,) = signed
    assert "|threshold:>=0.6|" in out
    assert "|truth_threshold" not in lists.run(*SCORE, "--truth-threshold", "0.5").out


def test_an_encoding_is_that_of_taxonomies_maps_and_thresholds_too(lists: Terminal) -> None:
    files = {
        "latin.csv": "file,instrument\na,Fl\u00f6te\n",
        "tree.csv": "node,parent\nFl\u00f6te,wood\nFagott,wood\n",
        "map.csv": "label,instrument\nFl\u00f6te,Fagott\n",
        "least.csv": "instrument,threshold\nFl\u00f6te,0.5\n",
    }
    for name, text in files.items():
        (lists.folder / name).write_text(text, encoding="latin-1")
    same = ("score", "instruments", "latin.csv", "est=latin.csv", "--quiet", "--encoding")
    for option in (("--taxonomy", "tree.csv"), ("--map", "map.csv"), ("--threshold", "least.csv")):
        assert lists.run(*same, "latin-1", *option).code == 0
        assert "KT104" in lists.run(*same, "utf-8", *option).err


def test_labels_are_mapped_first(lists: Terminal) -> None:
    lists.write(**{".": {"map.csv": "label,instrument|I,H"}})
    assert values(lists, "--map", "map.csv")["open-mic-task1/P"] == pytest.approx((1 + 0) / 2)


def test_a_taxonomy_of_ones_own_is_remarked_on(lists: Terminal) -> None:
    lists.write(**{".": {"tree.json": '{"X": ["F", "G"], "Y": ["H", "I"]}'}})
    for command in (SCORE, ("check", "instruments", "ref.csv")):
        result = lists.run(*command, "--taxonomy", "tree.json")
        assert "note[KT645]" in result.out + result.err
    assert "KT645" not in lists.run(*SCORE, "--taxonomy", "campaign-sample").err


def test_an_unknown_label_is_named_once_with_its_nearest(lists: Terminal) -> None:
    lists.write(**{".": {"bad.csv": "file,instrument|a,piano|b,pian"}})
    result = lists.run("check", "instruments", "bad.csv", "--taxonomy", "openmic-2018")
    assert result.code == 1
    assert "bad.csv:3:3" in result.out
    assert "`piano`" in result.out


def test_every_unknown_spelling_is_named(lists: Terminal) -> None:
    rows = "|".join(f"a,thing {number}|b,thing {number}" for number in range(30))
    lists.write(**{".": {"bad.csv": f"file,instrument|{rows}"}})
    result = lists.run("check", "instruments", "bad.csv", "--taxonomy", "openmic-2018", "--format", "concise")
    assert len(result.out.splitlines()) == 30
    assert all(f"`thing {number}`" in result.out for number in range(30))


def test_a_recording_is_shown(lists: Terminal) -> None:
    result = lists.run("show", "instruments", "ref.csv", "est.csv", "a", "--taxonomy", "campaign-sample")
    assert result.code == 0
    assert re.search(r"^  H  \+ +missed", result.out, re.MULTILINE)


def test_lists_are_converted(lists: Terminal) -> None:
    assert lists.run("convert", "instruments", "est.csv", "again.csv").code == 0
    found = lists.run("score", "instruments", "ref.csv", "again.csv", "--no-ci", "--format", "json")
    assert found.document["scores"][0]["value"] == pytest.approx(1 / 4)
    refused = lists.run("convert", "instruments", "est.csv", "one.jams")
    assert (refused.code, refused.lines[0][:12]) == (3, "error[KT206]")


def test_one_list_is_read(tmp_path: Path) -> None:
    path = tmp_path / "song.txt"
    path.write_text("piano\nvoice\n")
    assert instruments.read(path).labels == ("piano", "voice")
    with pytest.raises(DataError, match="KT101"):
        instruments.read(tmp_path / "none.txt")
    with pytest.raises(OptionError, match="a path"):
        instruments.read(7)  # type: ignore[arg-type]


def test_a_file_with_a_hash_in_its_name_is_signed_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "a#b.json"
    path.write_text("x")
    assert signed_file(str(path)).startswith("a#b.json@")
    assert signed_file(f"{path}#node").endswith("#node")


@pytest.mark.parametrize(
    ("option", "value"),
    [("--top-k", "1.5"), ("--results", "1e3"), ("--results", "9" * 25), ("--seed", "0.5")],
)
def test_what_is_no_whole_number_is_refused(lists: Terminal, option: str, value: str) -> None:
    result = lists.run(*SCORE[:4], option, value)
    assert (result.code, result.lines[0]) == (2, f"error: invalid value `{value}` for {option}")


def test_one_item_is_and_several_are(lists: Terminal) -> None:
    lists.write(**{".": {"two.csv": "file,instrument,score|a,F,0.5|a,I,0.5|b,G,0.5|b,F,0.5"}})
    lists.write(**{".": {"one.csv": "file,instrument|a,F|b,"}})
    assert "note[KT690] 2 items list instruments with equal scores" in lists.run(*SCORE[:3], "two.csv").lines
    silent = lists.run(*SCORE[:3], "one.csv").lines
    assert "note[KT690] 1 item has annotated instruments, but no listed ones" in silent


def test_the_costliest_item_is_judged_by_f_unless_told(lists: Terminal) -> None:
    result = lists.run("show", "instruments", "ref.csv", "est.csv", "--worst", "1")
    assert (result.code, result.lines[:1]) == (0, [])
    assert "\n\nb: est against ref\nby open-mic-task1/F:" in result.out  # F is 0 there, and 1/2 of a


def test_a_measure_without_figure_is_said_to_be_so(lists: Terminal) -> None:
    result = lists.run("show", "instruments", "ref.csv", "est.csv", "a", "--measure", "LRAP")
    assert "note: estimates do not score every label of a vocabulary: scores/LRAP is not" in result.out
    gate = lists.run(*SCORE, "--fail-under", "scores/mAP=0.1")
    assert gate.code == 6
    assert "note[KT673] estimates do not score every label of a vocabulary: scores are not" in gate.err
    assert "--fail-under: scores/mAP of est is not evaluated; a note above says why: failed\n" in gate.err


def test_of_two_estimates_of_an_item_neither_is_taken(lists: Terminal) -> None:
    lists.write(**{".": {"two.csv": "file,annotator,instrument|a,x,F|a,y,H|b,x,F"}})
    result = lists.run("score", "instruments", "ref.csv", "two.csv", "--no-ci")
    assert result.code == 1
    assert "error[KT206] 2 annotations of `a` in the estimates" in result.err


def test_estimates_that_are_left_out_do_not_raise_the_figures_of_labels(lists: Terminal) -> None:
    lists.write(
        **{
            ".": {
                "scores.csv": "file,F,G,H|a,0.9,0.1,0.3|b,0.1,0.8,0.2",
                "part.csv": "file,F,G,H|a,0.9,0.1,0.3",
            }
        }
    )
    whole, part = (
        {row["measure"]: row["value"] for row in found.document["scores"] if row["protocol"] == "scores"}
        for found in (
            lists.run(*SCORE[:3], name, *SCORE[4:], "--format", "json") for name in ("scores.csv", "part.csv")
        )
    )
    assert (whole["mAP"], part["mAP"]) == (1.0, pytest.approx((1 / 2 + 1) / 2))  # F is in b too


def test_references_may_be_scores(lists: Terminal) -> None:
    lists.write(**{".": {"truth.csv": "file,F,G|a,0.9,0.1|b,0.4,0.6", "said.csv": "file,instrument|a,F|b,F"}})
    score = ("score", "instruments", "truth.csv", "said.csv", "--no-ci", "--format", "json")
    for more, value in (((), 1 / 2), (("--truth-threshold", "0.3"), 1.0)):
        result = lists.run(*score, *more)
        assert result.document["scores"][0]["value"] == value
        assert "note[KT678] 2 of 2 references score labels" in result.err


OPTIONS = [
    # reference, estimate, what is always said, option, measure, value without it and with it
    ("a,F|a,B", "a,F", ("--taxonomy", "campaign-sample"), ("--leaves",), "open-mic-task1/R", 1 / 2, 1.0),
    ("a,F", "a,f", (), ("--casefold",), "open-mic-task1/P", 0.0, 1.0),
    ("a,F,1|a,G,0", "a,H|a,F|a,G", (), ("--assume-absent",), "open-mic-task1/P", 1 / 2, 1 / 3),
    ("a,F,0.5|a,G,1", "a,F", (), ("--truth-threshold", ">0.5"), "open-mic-task1/P", 1.0, 0.0),
    ("a,F", "a,F,0.5|a,G,0.5", (), ("--ties", "grouped"), "open-mic-task1/AP", 3 / 4, 1 / 2),
    ("a,F", "a,F,0.5|a,G,0.5", (), ("--ties", "worst"), "open-mic-task1/AP", 3 / 4, 1 / 2),
    ("a,F|a,G|b,F", "a,F|b,F|b,G", (), ("--min-support", "2"), "open-mic-task1/macro_F", 1 / 2, 1.0),
    ("a,F|b,F", "a,F,0.9|b,F,0.1", (), ("--results", "1"), "open-mic-task2/AP", 1.0, 1 / 2),
    # E is in b, and a has a sibling of it, which alone is returned; F is not returned at all
    (
        "a,F|b,E",
        "a,E,0.5|b,J,0.1",
        ("--taxonomy", "campaign-sample"),
        ("--gain", "chapelle"),
        "ERR",
        1 / 4,
        1 / 8,
    ),
    ("a,", "a,F", (), ("--undefined", "zero"), "open-mic-task1/R", None, 0.0),
    (
        "a,F|b,F",
        "a,F|a,Z|b,F",
        ("--taxonomy", "campaign-sample"),
        ("--unknown", "drop"),
        "micro_F",
        1 / 2,
        1.0,
    ),
]


@pytest.mark.parametrize(("ref", "est", "always", "option", "measure", "without", "with_it"), OPTIONS)
def test_every_option_does_something_and_is_signed(
    lists: Terminal,
    ref: str,
    est: str,
    always: tuple[str, ...],
    option: tuple[str, ...],
    measure: str,
    without: float | None,
    with_it: float,
) -> None:
    def header(rows: str, third: str) -> str:
        return "file,instrument" + (third if rows.count(",") > 1 + 2 * rows.count("|") else "") + "|" + rows

    lists.write(**{".": {"ref.csv": header(ref, ",relevance"), "est.csv": header(est, ",score")}})
    before, after = values(lists, *always), values(lists, *always, *option)
    (address,) = [each for each in before if each.partition("/")[2] == measure or each == measure]
    assert before[address] == pytest.approx(without)
    assert after[address] == pytest.approx(with_it)
    plain, signed = (
        lists.run(*SCORE, *always, *more, "--format", "json").document["scores"][0]["signature"]
        for more in ((), option)
    )
    field = f"{option[0].removeprefix('--').replace('-', '_')}:{'yes' if len(option) == 1 else option[1]}"
    assert f"|{field}|" in signed
    assert f"|{field}|" not in plain


@pytest.mark.parametrize(
    ("form", "begin"),
    [
        ("table", "est scores 25.0 % F (2 items)."),
        ("json", '{\n  "kammerton"'),
        ("csv", "system,annotator,protocol,measure,aggregate,value"),
        ("md", "est scores 25.0 % F (2 items)."),
        ("latex", "% est scores 25.0 % F (2 items)."),
    ],
)
def test_figures_and_class_tables_have_every_form(lists: Terminal, form: str, begin: str) -> None:
    assert lists.run(*SCORE, "--format", form).out.startswith(begin)
    table = lists.run(*SCORE, "--format", form, "--table", "confusion", "--taxonomy", "campaign-sample")
    assert table.code == 0
    assert all(label in table.out for label in ("H", "I", "sibling"))
    assert lists.run(*SCORE, "--table", "nope").code == 2


def test_figures_of_items_and_output_go_to_files(lists: Terminal) -> None:
    result = lists.run(*SCORE, "--per-item", "items.csv", "--output", "out.txt")
    assert (result.code, result.out) == (0, "")
    assert "est,a,ref,open-mic-task1,P,0.5,1.0,ok,," in (lists.folder / "items.csv").read_text().splitlines()
    assert (lists.folder / "out.txt").read_text().startswith("est scores 25.0 % F")
    assert lists.run(*SCORE, "--output", "/dev/full").code == 5
    assert lists.run(*SCORE, "--output", "ref.csv").code == 2


def test_annotators_pairs_and_missing_estimates(lists: Terminal) -> None:
    lists.write(
        **{
            ".": {
                "two.csv": "file,annotator,instrument|a,x,F|a,y,I|b,x,F|b,y,F|c,x,F|c,y,F",
                "pairs.csv": "item,reference,mine|song,one.txt,other.txt",
                "one.txt": "F|H",
                "other.txt": "F",
            }
        }
    )

    def value(*arguments: str) -> float:
        return float(lists.run(*arguments, "--no-ci", "--format", "json").document["scores"][0]["value"])

    score = ("score", "instruments", "two.csv", "est.csv")
    # a has F and I listed, b has G, c is missing: its precision counts 0
    assert value(*score, "--annotator", "x") == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert value(*score, "--annotator", "y", "--missing", "skip") == pytest.approx((1 / 2 + 0) / 2)
    assert lists.run(*score, "--missing", "error").code == 3
    assert lists.run(*score, "--strict").code == 3
    assert value("score", "instruments", "--pairs", "pairs.csv", "--measure", "open-mic-task1/R") == 1 / 2
    agreed = lists.run("agree", "instruments", "two.csv", "--format", "json").document
    # units: F and I of a, b and c
    assert agreed["kappa"]["units"] == 6
    gate = lists.run(*score, "--missing", "skip", "--fail-under", "open-mic-task1/P=0.9")
    assert (gate.code, "open-mic-task1/P" in gate.err) == (6, True)


def test_measures_and_their_pages_are_described(lists: Terminal) -> None:
    assert "scores/LRAP" in lists.run("measures", "instruments", "scores/LRAP").out
    for code in ("KT677", "KT678", "KT679", "KT680"):
        assert lists.run("explain", code).out.startswith(f"# {code} ")


def test_each_instrument_has_precision_recall_and_f(lists: Terminal) -> None:
    # F is found in a and missed in b, H is missed; G and I are listed only
    rows = [line.split() for line in lists.run(*SCORE, "--table", "instruments").out.splitlines()]
    assert rows == [
        ["system", "annotator", "instrument", "hit", "miss", "spurious", "P", "R", "F"],
        ["est", "ref", "F", "1", "1", "0", "1.000", "0.500", "0.667"],
        ["est", "ref", "H", "0", "1", "0", "-", "0.000", "0.000"],
        ["est", "ref", "G", "0", "0", "1", "0.000", "-", "0.000"],
        ["est", "ref", "I", "0", "0", "1", "0.000", "-", "0.000"],
    ]
    document = lists.run(*SCORE, "--table", "instruments", "--format", "json").document
    assert (document[0]["F"], document[1]["P"]) == (pytest.approx(2 / 3), None)
    assert ",F,1.0,1.0,0.0,1.0,0.5,0.66" in lists.run(*SCORE, "--table", "instruments", "--format", "csv").out


def test_the_best_of_lists_that_are_not_ranked_are_warned_of(lists: Terminal) -> None:
    lists.write(**{".": {"set.csv": "file,instrument|a,F|a,H|b,G"}})
    sets = ("score", "instruments", "ref.csv", "set.csv")
    said = "warning[KT681] 1 of 2 estimates is not ranked: --top-k 1 keeps what is listed first\n"
    assert said in lists.run(*sets, "--top-k", "1").err
    assert "KT681" not in lists.run(*sets, "--top-k", "2").err
    assert "KT681" not in lists.run(*sets).err
    assert "KT681" not in lists.run(*SCORE, "--top-k", "1").err  # which has scores


def test_signs_are_explained(lists: Terminal) -> None:
    shown = ("show", "instruments", "ref.csv", "est.csv", "a")
    assert "\n+ named, 1 (0.90) place in a list and score\n" in lists.run(*shown).out
    lists.write(**{".": {"judged.csv": "file,instrument,relevance|a,F,1|a,I,0|b,F,1|b,F,1"}})
    lists.write(**{".": {"ranks.csv": "file,instrument,rank|a,H,1|a,F,2|a,I,3"}})
    told = lists.run("show", "instruments", "judged.csv", "ranks.csv", "a").out
    assert "\n+ named, - known to be absent, ? nobody judged it, 2 place in a list\n" in told
    tree = lists.run(*shown, "--taxonomy", "campaign-sample").out
    assert "\n+ named, (+) one below it is, 1 (0.90) place in a list and score\n" in tree
