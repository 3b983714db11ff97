# SPDX-License-Identifier: MIT
"""What becomes of labels, scores and repeats, whichever format they come from."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kammerton.formats import Limits
from kammerton.formats.reading import Problems
from kammerton.instruments.labels import LabelRows, ListReader, ParsedLists, ReadingRules, assemble, judge
from kammerton.instruments.options import InstrumentOptions, look_up
from kammerton.model.annotations import Place
from unit.instruments.listing import SAMPLE, shown, told, write

NAN = float("nan")


def entries(*rows: tuple[Any, ...]) -> LabelRows:
    """Return entries of (list, label), with a score if there is a third, and a presence if a fourth."""
    lists = np.array([row[0] for row in rows], dtype=np.int64)
    found = LabelRows.of([row[1] for row in rows], lambda row: Place("f", row + 1, 1, 1, "x" * 9), lists)
    if rows and len(rows[0]) > 2 and rows[0][2] is not None:
        found.scores = np.array([row[2] for row in rows])
    if rows and len(rows[0]) > 3:
        found.present = np.array([row[3] for row in rows])
    return found


def finished(
    given: LabelRows, count: int = 1, manner: ReadingRules | None = None, **options: Any
) -> tuple[list[str], str, ParsedLists]:
    problems = Problems("f")
    keys = [("", None)] * count
    found = ListReader(problems, InstrumentOptions(**options)).finish(given, keys, manner or ReadingRules())
    return [shown(each) for each in found.lists], told(problems.diagnostics()), found


def label_map(folder: Path, *rows: str) -> str:
    return str(write(folder, "map.csv", "\n".join(("label,instrument", *rows, ""))))


def test_blanks_around_labels_do_not_count_and_case_does() -> None:
    lists, said, _ = finished(entries((0, " F"), (0, "e\t")), casefold=False)
    assert (lists, said) == (["{F e}"], "")
    assert finished(entries((0, " F"), (0, "e\t")), casefold=True)[0] == ["{f e}"]
    assert finished(entries((0, " f"), (0, "e")), casefold=True, taxonomy=SAMPLE)[0] == ["{F E}"]


def test_labels_are_composed() -> None:
    assert [each.label for each in look_up(["cafe\u0301", "caf\xe9"], InstrumentOptions())] == 2 * ["caf\xe9"]


# --- the label map -------------------------------------------------------------------------


def test_a_map_comes_first_and_is_logged(tmp_path: Path) -> None:
    table = label_map(tmp_path, "Geige,F", "Klavier,E", "Rauschen,")
    given = entries((0, "Geige"), (0, "E"), (1, "Geige"), (1, "Rauschen"))
    lists, said, _ = finished(given, 2, ReadingRules(names_items=True), map=table, taxonomy=SAMPLE)
    assert lists == ["{F E}", "{F}"]
    assert said == (
        "note 1:1+1 KT605 `Geige` is taken for `F` by the label map `map.csv` (2 items) (2 in all)\n"
        "note 4:1+1 KT606 `Rauschen` is no instrument by the label map `map.csv`, and left out (1 item)"
    )


def test_a_map_is_asked_with_and_without_case(tmp_path: Path) -> None:
    table = label_map(tmp_path, "geige,F")
    assert finished(entries((0, "Geige")), map=table)[0] == ["{Geige}"]
    assert finished(entries((0, "Geige")), map=table, casefold=True)[0] == ["{f}"]


def test_what_a_map_makes_may_be_unknown(tmp_path: Path) -> None:
    table = label_map(tmp_path, "Geige,Violine")
    _, said, found = finished(entries((0, "Geige")), map=table, taxonomy=SAMPLE)
    assert found.broken == {0: "KT600 taxonomy `campaign-sample` has no `Violine`"}
    assert [line.split()[2] for line in said.split("\n") if "KT6" in line] == ["KT605", "KT600"]


def test_two_labels_that_a_map_makes_one_are_noted(tmp_path: Path) -> None:
    table = label_map(tmp_path, "kick,F", "snare,F")
    given = entries((0, "kick"), (0, "snare"), (1, "snare"), (1, "F"), (1, "E"))
    lists, said, _ = finished(given, 2, ReadingRules(names_items=True), map=table)
    assert lists == ["{F}", "{F E}"]
    assert said.split("\n")[2] == (
        "note 2:1+1 KT604 several labels of a list are read as `F`, and count once (2 times) (2 in all)"
    )


# --- the taxonomy --------------------------------------------------------------------------


def test_a_root_is_warned_of() -> None:
    lists, said, _ = finished(entries((0, "A"), (0, "F")), taxonomy=SAMPLE)
    assert lists == ["{A F}"]
    assert said == ("warning 1:1+1 KT607 `A` is the root of the taxonomy: it counts in flat measures only")


@pytest.mark.parametrize(
    ("unknown", "lists", "said"),
    [
        (
            "drop",
            ["{F}", "{}"],
            "warning 2:1+1 KT601 taxonomy `campaign-sample` has no `Z`: left out (2 items) (2 in all)",
        ),
        (
            "keep",
            ["{F Z}", "{Z}"],
            (
                "note 2:1+1 KT602 taxonomy `campaign-sample` has no `Z`: counted as a label of its own"
                " (2 items) (2 in all)"
            ),
        ),
    ],
)
def test_unknown_labels(unknown: str, lists: Sequence[str], said: str) -> None:
    given = entries((0, "F"), (0, "Z"), (1, "Z"))
    found = finished(given, 2, ReadingRules(names_items=True), taxonomy=SAMPLE, unknown=unknown)
    assert found[:2] == (lists, said)
    assert found[2].broken == {}


def test_unknown_labels_are_kept_whatever_their_case() -> None:
    given = entries((0, "Zither"), (0, "zither"))
    assert finished(given, taxonomy=SAMPLE, unknown="keep", casefold=True)[0] == ["{zither}"]


def test_nearest_names_are_in_the_hint() -> None:
    _, said, _ = finished(entries((0, "Acoustic Grand Pianos")), taxonomy="general-midi")
    hint = said.split("\n")[1]
    assert hint.startswith("  help: nearest: `Acoustic Grand Piano`, ")
    assert hint.endswith("; --unknown drop leaves it out, --unknown keep counts it; --map FILE translates")
    _, said, _ = finished(entries((0, "Wölbklang")), taxonomy="general-midi")
    assert said.split("\n")[1] == (
        "  help: --unknown drop leaves it out, --unknown keep counts it; --map FILE translates labels"
    )


def test_a_built_in_map_that_has_most_unknown_labels_is_in_the_hint() -> None:
    rest = "--unknown drop leaves it out, --unknown keep counts it"
    codes = entries((0, "gel"), (0, "gac"), (0, "Wölbklang"))
    said = finished(codes, taxonomy="openmic-2018")[1].split("\n")
    assert said[1::2] == [
        f"  help: `--map irmas-to-openmic-2018` knows it; {rest}",
        f"  help: `--map irmas-to-openmic-2018` knows it; {rest}",
        f"  help: {rest}; --map FILE translates labels",
    ]
    said = finished(entries((0, "gac")), taxonomy="general-midi")[1].split("\n")
    assert said[1] == f"  help: `--taxonomy openmic-2018 --map irmas-to-openmic-2018` knows it; {rest}"


def test_a_map_that_has_half_of_the_unknown_labels_is_not_named() -> None:
    given = entries((0, "gel"), (0, "Wölbklang"))
    said = finished(given, taxonomy="openmic-2018")[1]
    assert said.count("KT600") == 2
    assert "irmas" not in said


def test_a_map_may_have_a_label_in_another_case() -> None:
    given = entries((0, "YODELING"))
    assert "`--map audioset-" in finished(given, taxonomy="openmic-2018", casefold=True)[1]
    assert "audioset" not in finished(given, taxonomy="openmic-2018")[1]


def test_where_there_is_a_map_no_other_is_named() -> None:
    said = finished(entries((0, "gel")), taxonomy="openmic-2018", map="medleydb-to-openmic-2018")[1]
    assert "KT600" in said
    assert "irmas" not in said


def test_of_many_unknown_labels_twenty_are_listed() -> None:
    given = entries(*((number, f"Z{number}") for number in range(30)))
    _lists, said, found = finished(given, 30, ReadingRules(names_items=True), taxonomy=SAMPLE)
    assert len(found.broken) == 30
    assert said.count("KT600") == 21
    assert said.endswith("error KT600 and 10 more like these (10 in all)")


# --- labels that cannot be used ------------------------------------------------------------


def test_empty_and_long_labels() -> None:
    given = entries((0, " "), (1, "FFFF"), (2, "F"))
    lists, said, found = finished(given, 3, limits=Limits(label=3))
    assert lists[2] == "{F}"
    assert found.broken == {
        0: "KT619 row has no instrument",
        1: "KT106 label of 4 characters, over the limit of 3: `FFFF`",
    }
    assert said == (
        "error 1:1+1 KT619 row has no instrument\n"
        "error 2:1+1 KT106 label of 4 characters, over the limit of 3: `FFFF`"
    )


# --- repeats -------------------------------------------------------------------------------


def test_repeats_count_once_in_their_first_place() -> None:
    lists, said, _ = finished(entries((0, "F"), (0, "E"), (0, "F "), (1, "F")), 2, ReadingRules(ordered=True))
    assert lists == ["<F E>", "<F>"]
    assert said == "warning 3:1+1 KT603 listed twice, counted once: `F`"
    given = entries((0, "F"), (0, "F"))
    assert finished(given, 1, ReadingRules(repeats=True))[:2] == (["{F}"], "")


def test_of_scored_repeats_the_best_counts() -> None:
    given = entries((0, "F", 0.25), (0, "E", 0.5), (0, "F", 0.75))
    assert finished(given)[0] == ["<F=0.75 E=0.5>"]
    assert finished(given, 1, ReadingRules(vector=True))[0] == ["v<E=0.5 F=0.75>"]


def test_what_is_present_counts_before_what_is_absent() -> None:
    given = entries((0, "F", None, False), (0, "F", None, True), (0, "E", None, False))
    assert finished(given, 1, ReadingRules(closed=np.array([False])))[0] == ["{F !E ...}"]


# --- scores --------------------------------------------------------------------------------


def test_lists_are_sorted_by_scores_and_equal_ones_stay() -> None:
    given = entries((1, "F", 0.5), (0, "E", 0.25), (1, "G", 0.5), (0, "F", 0.75), (1, "E", 1.0))
    assert finished(given, 2)[0] == ["<F=0.75 E=0.25>", "<E=1 F=0.5 G=0.5>"]


def test_mixtures_of_scores_and_none() -> None:
    given = entries((0, "F", 0.5), (0, "E", NAN), (1, "F", NAN), (1, "E", NAN), (2, "F", 1.0))
    lists, said, found = finished(given, 3, ReadingRules(score="confidence"))
    assert lists[1:] == ["{F E}", "<F=1>"]
    assert found.broken == {0: "KT610 label without a confidence in a list in which others have one"}
    assert said == (
        "error 2:1+1 KT610 label without a confidence in a list in which others have one\n"
        "  help: give every label a confidence, or none\n"
        "note 3:1+1 KT611 labels without confidence: they are not ranked\n"
        "  help: --ranked takes their order for their rank"
    )
    assert finished(entries((0, "F", NAN), (0, "E", NAN)), 1, ReadingRules(ordered=True))[:2] == (
        ["<F E>"],
        "",
    )


def test_lists_that_were_broken_before_stay_broken_and_say_no_more() -> None:
    problems = Problems("f")
    given = entries((0, "F", NAN), (0, "E", 0.5), (1, "E", 0.5))
    reader = ListReader(problems, InstrumentOptions())
    reader.broken[0] = "KT609 no number"
    found = reader.finish(given, [("", None)] * 2, ReadingRules())
    assert found.broken == {0: "KT609 no number"}
    assert problems.diagnostics() == ()


def test_empty_lists() -> None:
    assert finished(entries(), 2)[:2] == (["{}", "{}"], "")
    scored = entries((1, "F", 0.5))
    assert finished(scored, 3)[0] == ["<>", "<F=0.5>", "<>"]
    assert finished(entries(), 1, taxonomy=SAMPLE)[0] == ["{}"]


# --- rows to lists -------------------------------------------------------------------------


def test_a_vocabulary_is_held_once() -> None:
    rows = entries(
        *((number, label, score) for number in range(3) for label, score in (("E", 0.5), ("F", 0.75)))
    )
    found, (repeated, _) = assemble(rows, 3, ReadingRules(vector=True))
    assert found[0].labels is found[2].labels
    assert len(repeated) == 0


def test_grades_stay_with_their_labels() -> None:
    rows = entries((0, "c", None, True), (0, "b", None, False), (0, "a", None, True))
    rows.grades = np.array([2, 0, 1])
    (found,), _ = assemble(rows, 1, ReadingRules(query=True))
    assert shown(found) == "q{c:2 a:1 !b}"


def test_relevance_is_judged_by_the_label_that_is_meant(tmp_path: Path) -> None:
    cut = str(write(tmp_path, "cut.csv", "instrument,threshold\nF,0.9\n*,0.5\n"))
    table = label_map(tmp_path, "Geige,F", "Rauschen,")
    options = InstrumentOptions(truth_threshold=cut, map=table)
    given = entries((0, "Geige"), (0, "E"), (0, "F"), (0, "Rauschen"))
    assert judge(given, np.array([0.8, 0.5, 0.9, 1.0]), options).tolist() == [False, True, True, False]
    options = InstrumentOptions(truth_threshold=">0.5")
    assert judge(given, np.array([0.8, 0.5, 0.9, 1.0]), options).tolist() == [True, False, True, True]


# --- what is remembered --------------------------------------------------------------------


def test_a_map_that_was_changed_is_read_by_new_options(tmp_path: Path) -> None:
    table = label_map(tmp_path, "Geige,F")
    old = InstrumentOptions(map=table)
    assert look_up(["Geige"], old)[0].label == "F"
    label_map(tmp_path, "Geige,E")
    assert look_up(["Geige"], InstrumentOptions(map=table))[0].label == "E"
    assert look_up(["Geige"], old)[0].label == "F"
