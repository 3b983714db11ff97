# SPDX-License-Identifier: MIT
"""Options of reading that are said of one side, of one annotator, or of one system."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from kammerton.chords import ChordOptions
from kammerton.errors import OptionError
from kammerton.fingering import FingeringOptions
from kammerton.formats import IntervalOptions
from kammerton.instruments import InstrumentOptions

ROWS = "0 2 C\n2 4 G:7\n"
COMMAS = "0,0 2,0 C\n2,0 4,0 G:7\n"
DURATIONS = "0 2 C\n2 2 G:7\n"


def chords(**choices: Any) -> ChordOptions:
    """Return options; that fields take a mapping of sides is more than their types say."""
    return ChordOptions(**choices)


def fingers(**choices: Any) -> FingeringOptions:
    return FingeringOptions(**choices)


def instruments(**choices: Any) -> InstrumentOptions:
    return InstrumentOptions(**choices)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "ref/a.lab": ROWS,
        "rows/a.lab": ROWS,
        "commas/a.lab": COMMAS,
        "durations/a.lab": DURATIONS,
        "latin/a.lab": ROWS + "# caf\xe9\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="latin-1")
    return tmp_path


def score(
    folder: Path, *systems: str, reference: str = "ref", options: Any = None, **choices: Any
) -> kt.Scores:
    return kt.score(
        "chords",
        folder / reference,
        [folder / system for system in systems],
        measures=["mirex2013/MajMin"],
        options=options,
        ci=None,
        **choices,
    )


def values(scores: kt.Scores) -> dict[str, float | None]:
    return {system: scores.value("mirex2013/MajMin", system=system) for system in scores.systems}


def test_a_value_may_be_of_one_side(folder: Path) -> None:
    found = score(folder, "commas", options=chords(decimal={"estimates": ","}))
    assert values(found) == {"commas": 1}
    swapped = score(
        folder, "rows", reference="commas", options=chords(sides={"references": {"decimal": ","}})
    )
    assert values(swapped) == {"rows": 1}


def test_a_value_may_be_of_one_system_and_a_name_goes_before_a_side(folder: Path) -> None:
    sides = {"estimates": {"decimal": ","}, "rows": {"decimal": "."}}
    found = score(folder, "rows", "commas", options=chords(sides=sides))
    assert values(found) == {"rows": 1, "commas": 1}
    sides |= {"durations": {"layout": "durations", "decimal": "."}}
    found = score(folder, "rows", "commas", "durations", options=chords(sides=sides), jobs=2)
    assert values(found) == {"rows": 1, "commas": 1, "durations": 1}


def test_a_value_may_be_of_one_annotator(folder: Path) -> None:
    found = score(
        folder,
        "rows",
        annotators={"B": folder / "commas"},
        options=chords(decimal={"B": ","}),
    )
    assert [found.value("mirex2013/MajMin", annotator=who) for who in found.annotators] == [1, 1, 1]


def test_all_is_whatever_is_not_named(folder: Path) -> None:
    options = chords(layout={"all": "rows", "durations": "durations"})
    assert (options.layout, options.sides) == ("rows", {"durations": {"layout": "durations"}})
    assert values(score(folder, "rows", "durations", options=options)) == {"rows": 1, "durations": 1}


def test_each_option_of_reading_has_sides(folder: Path) -> None:
    (folder / "own").mkdir()
    (folder / "own" / "a.csv").write_text("von;bis;Akkord\n0;3;C\n2;4;G7\n")
    mine = {
        "columns": {"estimates": {"von": "start", "bis": "end", "Akkord": "label"}},
        "overlap": {"estimates": "trim"},
        "lenient": {"estimates": True},
    }
    assert values(score(folder, "own", options=chords(**mine))) == {"own": 1}
    latin = chords(encoding={"references": "latin-1"})
    assert values(score(folder, "rows", reference="latin", options=latin)) == {"rows": 1}


def test_columns_of_all_files_are_no_sides() -> None:
    options = IntervalOptions(columns={"estimates": "start"})
    assert (options.columns, options.sides) == ({"estimates": "start"}, {})


def test_the_choice_is_signed_and_kept(folder: Path) -> None:
    options = chords(decimal={"estimates": ","}, lenient={"all": True, "rows": False})
    found = score(folder, "commas", options=chords(decimal={"estimates": ","}))
    assert "|decimal:estimates=,|" in found.summary["signature"][0]
    both = score(folder, "rows", "commas", options=options.of("references", "x"))
    assert "|lenient:yes|" in both.summary["signature"][0]
    signed = score(folder, "rows", options=chords(lenient={"all": True, "rows": False}))
    assert "|lenient:yes,rows=no|" in signed.summary["signature"][0]
    run = folder / "run"
    kt.write_run(found, run)
    again = kt.read_run(run)
    assert values(again) == {"commas": 1}
    assert again.summary["signature"][0] == found.summary["signature"][0]


def test_data_are_signed_as_they_are_parsed(folder: Path) -> None:
    one = score(folder, "rows").summary["signature"][0]
    other = score(
        folder,
        "rows",
        reference="commas",
        options=chords(decimal={"references": ","}),
    ).summary["signature"][0]
    data = [next(part for part in text.split("|") if part.startswith("data:")) for text in (one, other)]
    assert data[0] == data[1]


def test_pairs_have_sides_too(folder: Path) -> None:
    (folder / "p.csv").write_text("item,reference,S,T\na,ref/a.lab,rows/a.lab,commas/a.lab\n")
    options = chords(decimal={"T": ","})
    found = kt.score(
        "chords", pairs=folder / "p.csv", options=options, measures=["mirex2013/MajMin"], ci=None
    )
    assert values(found) == {"S": 1, "T": 1}


def test_packs_are_read_by_the_options_of_their_side(folder: Path) -> None:
    kt.pack("chords", folder / "commas", folder / "commas.parquet", options=chords(decimal=","))
    found = score(folder, "commas.parquet", options=chords(lenient={"references": True}))
    assert values(found) == {"commas": 1}
    with pytest.raises(OptionError, match="lenient"):
        score(folder, "commas.parquet", options=chords(lenient={"estimates": True}))


def test_annotators_that_are_compared_have_options_of_their_own(folder: Path) -> None:
    found = kt.agree(
        "chords",
        {"A": folder / "ref", "B": folder / "commas"},
        measures=["mirex2013/MajMin"],
        options=chords(decimal={"B": ","}),
    )
    assert found.value("mirex2013/MajMin") == 1


def test_fingers_of_one_side_may_be_coded(tmp_path: Path) -> None:
    row = "onset,offset,pitch,hand,finger\n0,1,60,R,{}\n1,2,62,R,{}\n"
    (tmp_path / "ref.csv").write_text(row.format(1, 2))
    (tmp_path / "est.csv").write_text(row.format(6, 7))
    options = fingers(label_encoding={"estimates": "1-10"})
    found = kt.score(
        "fingering",
        tmp_path / "ref.csv",
        tmp_path / "est.csv",
        options=options,
        measures=["nakamura2020/M_gen"],
        ci=None,
    )
    assert found.value("nakamura2020/M_gen") == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: chords(layout={"estimates": "pionts"}), "unknown layout"),
        (lambda: chords(sides={"estimates": {"limits": None}}), "unknown option of one side `limits`"),
        (lambda: chords(sides={"estimates": "points"}), "sides must be"),
        (lambda: instruments(encoding={"estimates": "latin-0"}), "unknown encoding"),
        (
            lambda: instruments(sides={"estimates": {"ties": "best"}}),
            "unknown option of one side `ties`",
        ),
    ],
)
def test_what_is_not_possible_is_refused_at_once(make: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make()


def test_sides_and_names_that_are_not_there_are_refused(folder: Path) -> None:
    with pytest.raises(OptionError, match="unknown side, annotator or system `estimate`") as caught:
        score(folder, "rows", options=chords(lenient={"estimate": True}))
    assert caught.value.hint == "did you mean `estimates`? known: estimates, ref, references, rows"


@pytest.mark.parametrize("verb", ["check", "convert", "pack"])
def test_where_there_are_no_sides_there_are_no_options_of_one(folder: Path, verb: str) -> None:
    options = chords(lenient={"estimates": True})
    calls: dict[str, Callable[[], object]] = {
        "check": lambda: kt.check("chords", folder / "ref", options=options),
        "convert": lambda: kt.convert("chords", folder / "ref", folder / "out", to="jams", options=options),
        "pack": lambda: kt.pack("chords", folder / "ref", folder / "out.parquet", options=options),
    }
    with pytest.raises(OptionError, match="there is no side `estimates` here"):
        calls[verb]()


@pytest.mark.parametrize("value", ["no", 0, None, {"estimates": "no"}])
def test_switches_are_true_or_false(value: object) -> None:
    with pytest.raises(OptionError, match="`lenient` must be True or False"):
        ChordOptions(lenient=value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "choices",
    [
        {"layout": {"estimates": "points"}, "sides": {"estimates": {"layout": "rows"}}},
        {"layout": "points", "sides": {"all": {"layout": "rows"}}},
    ],
)
def test_what_contradicts_itself_is_refused(choices: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="`sides` contradicts `layout`"):
        chords(**choices)
    agreeing = chords(layout={"estimates": "points"}, sides={"estimates": {"layout": "points"}})
    assert agreeing.sides == {"estimates": {"layout": "points"}}
