# SPDX-License-Identifier: MIT
"""The signature of a figure: equal where figures may be compared, different where they may not."""

import re
from dataclasses import fields
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from cases.chords import song
from kammerton.chords import TASK, ChordOptions
from kammerton.fingering import Fingering, FingeringOptions
from kammerton.formats.reading import signed_file
from kammerton.version import __version__
from strategies import Song
from tabled_scores import context_of, groups_in

MAJMIN = "mirex2013/MajMin"
REFS: dict[str, Song] = {"1": song((0, 6, "C"), (6, 10, "G")), "2": song((0, 5, "A:min"))}
ESTS: dict[str, Song] = {"1": song((0, 10, "C")), "2": song((0, 5, "A:min"))}


def signed(references: Any = REFS, estimates: Any = ESTS, *, measure: str = MAJMIN, **options: Any) -> str:
    scores = kt.score("chords", references, {"system": estimates}, measures=[measure], **options)
    (found,) = set(scores.summary["signature"])
    assert isinstance(found, str)
    return found


def data(signature: str) -> str:
    found = re.search(r"\|data:([0-9a-f]{6})\|", signature)
    assert found is not None
    return found[1]


def write(folder: Path, songs: dict[str, Song]) -> Path:
    folder.mkdir()
    for item, (intervals, labels) in songs.items():
        rows = zip(intervals, labels, strict=True)
        (folder / f"{item}.lab").write_text("".join(f"{a}\t{b}\t{label}\n" for (a, b), label in rows))
    return folder


def test_a_signature_reads_like_this() -> None:
    found = signed()
    drawn = "ci:0.95,expanded-percentile,10000,0"
    signed_by = f"rev:2|missing:worst|items:2|data:{data(found)}|{drawn}|kammerton:{__version__}"
    assert found == f"mirex2013/MajMin|{signed_by}"
    assert signed(ci=None) == found.replace(f"|{drawn}", "")


def test_it_names_the_revision_of_the_protocol() -> None:
    for protocol in TASK.protocols:
        measure = str(protocol.measures[0])
        assert f"{measure}|rev:{protocol.revision}|" in signed(measure=measure)


def test_every_figure_has_one_of_its_own_measure() -> None:
    table = kt.score("chords", REFS, ESTS).summary
    for protocol, measure, signature in table.select("protocol", "measure", "signature").iter_rows():
        assert signature.startswith(f"{protocol}/{measure}|")


# --- the data ------------------------------------------------------------------------------


def test_order_form_and_place_of_the_references_do_not_matter(tmp_path: Path) -> None:
    folder = write(tmp_path / "any name", REFS)
    expected = data(signed())
    assert data(signed(dict(reversed(REFS.items())))) == expected
    assert data(signed(folder)) == expected
    assert data(signed({item: folder / f"{item}.lab" for item in REFS})) == expected


def test_spelling_of_times_does_not_matter(tmp_path: Path) -> None:
    folder = write(tmp_path / "refs", REFS)
    (folder / "2.lab").write_bytes(b"\xef\xbb\xbf# a comment\r\n0.000   5.000\tA:min  \r\n")
    assert data(signed(folder)) == data(signed())


def test_estimates_do_not_matter() -> None:
    assert signed(estimates={"1": song((0, 10, "X"))}) == signed()


@pytest.mark.parametrize(
    "changed",
    [
        {**REFS, "1": song((0, 6, "C"), (6, 10, "G:7"))},
        {**REFS, "1": song((0, 6, "C:maj"), (6, 10, "G"))},  # another spelling matters to segmentation
        {**REFS, "1": song((0, 6.001, "C"), (6.001, 10, "G"))},
        {**REFS, "1": song((0, 6, "C"), (6, 6, "N"), (6, 10, "G"))},
        {**REFS, "3": song((0, 1, "C"))},
        {"1": REFS["1"]},
        {"1": REFS["2"], "2": REFS["1"]},
        {"1": REFS["1"], "two": REFS["2"]},
    ],
)
def test_other_references_have_another_hash(changed: dict[str, Song]) -> None:
    assert data(signed(changed)) != data(signed())


def test_a_figure_is_signed_by_the_references_that_it_was_measured_on() -> None:
    """Against one annotator it is the same figure, whoever else was scored; against all it is another."""
    other = {"1": song((0, 5, "A"), (5, 10, "E")), "2": REFS["2"]}
    scores = kt.score("chords", REFS, {"s": REFS}, annotators={"B": other}, measures=["mirex2013/Root"])
    rows = {r["annotator"]: r["signature"] for r in scores.summary.iter_rows(named=True)}
    alone = kt.score("chords", other, {"s": REFS}, measures=["mirex2013/Root"])
    assert len(set(rows.values())) == 3
    assert rows["B"] == alone.summary["signature"][0]
    chosen = kt.score(
        "chords", REFS, {"s": REFS}, annotators={"B": other}, annotator="B", measures=["mirex2013/Root"]
    )
    assert set(chosen.summary["signature"]) == {rows["B"]}


@pytest.mark.parametrize("choice", [{"measures": []}, {"protocols": ()}])
def test_no_choice_at_all_is_a_mistake(choice: dict[str, Any]) -> None:
    with pytest.raises(kt.OptionError, match=r"no (measures|protocols) are named"):
        kt.score("chords", REFS, {"s": REFS}, **choice)


def test_a_text_is_one_name() -> None:
    one = kt.score("chords", REFS, {"s": REFS}, protocols="mirex2013", measures="MajMin")
    assert [str(measure) for measure in one.measures] == ["mirex2013/MajMin"]


def test_a_reference_that_failed_is_not_counted() -> None:
    found = signed({**REFS, "3": song((0, 1, "nonsense"))})
    assert found == signed()


# --- items that were scored ----------------------------------------------------------------

FOUR: dict[str, Song] = {str(number): song((0, number, "C"), (number, 9, "G")) for number in range(1, 5)}


def of_systems(scores: kt.Scores, measure: str = "MajMin") -> dict[str, str]:
    rows = scores.summary.filter(measure=measure, aggregate="pooled", annotator="all")
    if not len(rows):
        rows = scores.summary.filter(measure=measure, aggregate="pooled")
    return dict(rows.select("system", "signature").rows())


def items_and_data(signature: str) -> str:
    return signature[signature.index("|items:") : signature.index("|kammerton:")]


def some(*items: str) -> dict[str, Song]:
    return {item: FOUR[item] for item in items}


def test_items_that_were_skipped_are_not_signed() -> None:
    """Figures of other items are told apart: how many of all were scored, and which."""
    systems = {
        "a": some("1", "2"),
        "b": some("3", "4"),
        "c": some("1", "2", "3"),
        "all": FOUR,
        "none": some(),
    }
    scores = kt.score("chords", FOUR, systems, missing="skip", measures=[MAJMIN], ci=None)
    found = {name: items_and_data(each) for name, each in of_systems(scores).items()}
    alone = {name: data_of(list(each)) for name, each in systems.items() if each}
    assert found == {
        "a": f"|items:2/4|data:{alone['a']}",
        "b": f"|items:2/4|data:{alone['b']}",
        "c": f"|items:3/4|data:{alone['c']}",
        "all": f"|items:4|data:{alone['all']}",
        "none": "|items:0/4|data:e3b0c4",  # the SHA-256 of nothing
    }
    assert len(set(found.values())) == 5


def data_of(items: list[str]) -> str:
    """Return the hash of some references, scored alone."""
    return data(signed(some(*items), some(*items), ci=None))


def test_where_every_item_is_scored_the_signature_is_as_without_skipping() -> None:
    assert signed(FOUR, FOUR, missing="skip") == signed(FOUR, FOUR).replace("missing:worst", "missing:skip")
    lacking = signed(FOUR, some("1"))
    assert items_and_data(lacking) == items_and_data(signed(FOUR, FOUR))  # what is missing counts as worst


def test_estimates_that_cannot_be_used_are_skipped_too() -> None:
    broken = {**FOUR, "4": song((0, 1, "nonsense"))}
    found = signed(FOUR, broken, missing="skip", ci=None)
    assert items_and_data(found) == f"|items:3/4|data:{data_of(['1', '2', '3'])}"


def test_of_several_annotators_an_item_is_skipped_once() -> None:
    """B has items 1 to 3; of A, item 1 cannot be used. The system lacks item 2."""
    mine = {**FOUR, "1": song((0, 1, "nonsense"))}
    systems = {"s": some("1", "3", "4")}
    scores = kt.score(
        "chords",
        mine,
        systems,
        annotators={"B": some("1", "2", "3")},
        missing="skip",
        measures=[MAJMIN],
        ci=None,
    )
    rows = scores.summary.filter(aggregate="pooled").to_dicts()
    found = {row["annotator"]: items_and_data(row["signature"]) for row in rows}
    assert found["B"] == f"|items:2/3|data:{data_of(['1', '3'])}"
    assert found["reference"] == f"|items:2/3|data:{data_of(['3', '4'])}"
    assert found["all"].startswith("|items:3/4|data:")
    assert len(set(found.values())) == 3


def test_measures_of_references_alone_skip_nothing() -> None:
    times, pitches = np.array([0.0, 1.0]), np.array([60, 62])
    pieces = {
        name: Fingering(times, times + 1, pitches, np.zeros(2, dtype=np.int64), ("1", "2")) for name in "pq"
    }
    scores = kt.score(
        "fingering", pieces, {"s": {"p": pieces["p"]}}, protocols=["playability"], missing="skip", ci=None
    )
    items = {
        measure: re.search(r"\|items:([^|]*)\|", signature)[1]  # type: ignore[index]
        for measure, signature in scores.summary.select("measure", "signature").rows()
    }
    needs = {measure.name: measure.needs for measure in scores.measures}
    assert set(needs.values()) == {"estimate", "annotators"}
    assert items == {name: "2" if needs[name] == "annotators" else "1/2" for name in needs}


def test_a_comparison_is_signed_by_the_items_of_all_systems() -> None:
    systems = {"a": some("1", "2", "3"), "b": some("2", "3", "4")}
    found = kt.compare("chords", FOUR, systems, missing="skip", measures=[MAJMIN]).to_dict()
    (measure,) = found["measures"]
    assert f"|items:2/4|data:{data_of(['2', '3'])}|" in measure["signature"]


def test_groups_are_signed_by_their_items_that_were_scored() -> None:
    groups = {"1": "x", "2": "x", "3": "y", "4": "y"}
    systems = {"a": some("1", "3", "4"), "b": FOUR}
    scores = kt.score("chords", FOUR, systems, missing="skip", measures=[MAJMIN], ci=None, group_by=groups)
    found = {
        (row["system"], row["group"]): items_and_data(row["signature"])
        for row in groups_in(scores).table.to_dicts()
    }
    assert found == {
        ("a", "x"): f"|items:1/2|data:{data_of(['1'])}",
        ("a", "y"): f"|items:2|data:{data_of(['3', '4'])}",
        ("b", "x"): f"|items:2|data:{data_of(['1', '2'])}",
        ("b", "y"): f"|items:2|data:{data_of(['3', '4'])}",
    }


def test_a_context_is_signed_by_the_items_of_each_figure() -> None:
    """All that stands beside each other is of the same items: those that all systems have."""
    systems = {"a": some("1", "2", "3"), "b": some("2", "3", "4")}
    scores = kt.score(
        "chords",
        FOUR,
        systems,
        annotators={"B": FOUR},
        missing="skip",
        measures=[MAJMIN],
        context=True,
        ci=None,
    )
    rows = context_of(scores).table.to_dicts()
    found = {(row["role"], row["name"]): items_and_data(row["signature"]) for row in rows}
    assert {role for role, _ in found} == {"baseline", "system", "others", "annotators"}
    (signed,) = set(found.values())
    assert signed.startswith("|items:2/4|")
    assert {row["items"] for row in rows} == {2}
    own = {name: items_and_data(each) for name, each in of_systems(scores).items()}
    assert all(each.startswith("|items:3/4|") for each in own.values())  # of scores outside the context


def test_an_agreement_is_signed_by_the_items_that_annotators_share() -> None:
    choices: dict[str, Any] = {"measures": [MAJMIN]}
    (shared,) = kt.agree("chords", {"a": some("1", "2"), "b": some("1", "2")}, **choices).signatures.values()
    (more,) = kt.agree("chords", {"a": FOUR, "b": some("1", "2")}, **choices).signatures.values()
    (other,) = kt.agree("chords", {"a": FOUR, "b": some("3", "4")}, **choices).signatures.values()
    assert more == shared != other
    assert "|items:2|" in other


# --- the choices ---------------------------------------------------------------------------

CHANGED: dict[str, tuple[dict[str, Any], str]] = {
    "missing": ({"missing": "skip"}, "missing:skip"),
    "encoding": ({"options": ChordOptions(encoding="latin-1")}, "encoding:latin-1"),
    "lenient": ({"options": ChordOptions(lenient=True)}, "lenient:yes"),
    "overlap": ({"options": ChordOptions(overlap="trim")}, "overlap:trim"),
    "layout": ({"options": ChordOptions(layout="durations")}, "layout:durations"),
    "decimal": ({"options": ChordOptions(decimal=",")}, "decimal:,"),
    "columns": (
        {"options": ChordOptions(columns={"von": "start", "bis": "end"})},
        "columns:von=start,bis=end",
    ),
    "sides": (
        {"options": ChordOptions(sides={"estimates": {"overlap": "trim"}})},
        "overlap:estimates=trim",
    ),
}
NEVER_CHANGE_WHAT_IS_READ = {"limits"}


@pytest.mark.parametrize(("options", "field"), CHANGED.values(), ids=CHANGED)
def test_every_choice_that_can_change_a_score_is_signed(options: dict[str, Any], field: str) -> None:
    found = signed(**options)
    assert field in found.split("|")
    assert found != signed()


def test_no_reading_option_is_forgotten() -> None:
    assert {field.name for field in fields(ChordOptions)} <= CHANGED.keys() | NEVER_CHANGE_WHAT_IS_READ


def test_defaults_are_not_signed() -> None:
    assert signed(options=ChordOptions(lenient=False), missing="worst", annotator="all") == signed()


def test_strict_is_not_signed() -> None:
    assert signed(strict=False) == signed()


# Why each of them can change a score: the same file, other figures of 10 s of C:min.
CHANGING = {
    "lenient": ("0 10 Cm\n", ChordOptions(lenient=True), 0.0, 1.0),
    "overlap": ("0 8 C:min\n6 10 G\n", ChordOptions(overlap="trim"), 0.0, 0.6),
    "layout": ("0 6 C:min\n6 9 C:min\n", ChordOptions(layout="durations"), 0.9, 1.0),
    "decimal": ("0,0 6,0 C:min\n6,0 10,0 G\n", ChordOptions(decimal=","), 0.0, 0.6),
}


@pytest.mark.parametrize(("text", "options", "before", "after"), CHANGING.values(), ids=CHANGING)
def test_choices_do_change_scores(
    tmp_path: Path, text: str, options: ChordOptions, before: float, after: float
) -> None:
    path = tmp_path / "1.lab"
    path.write_text(text)
    refs = {"1": song((0, 10, "C:min")), "2": song((0, 10, "C"))}
    ests = {"1": path, "2": song((0, 10, "G"))}
    values = [kt.score("chords", refs, {"s": ests}, options=each).value(MAJMIN) for each in (None, options)]
    assert values == pytest.approx([before / 2, after / 2])


def test_a_file_is_signed_by_name_and_content(tmp_path: Path) -> None:
    for folder, text in (("one", "a"), ("other", "a"), ("third", "b")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "spans.toml").write_text(text)
    one, other, third = (signed_file(str(tmp_path / f / "spans.toml")) for f in ("one", "other", "third"))
    assert re.fullmatch(r"spans\.toml@[0-9a-f]{6}", one)
    assert one == other != third
    assert signed_file(f"{tmp_path}/one/spans.toml#part") == f"{one}#part"
    assert signed_file("parncutt1997") == "parncutt1997"
    assert signed_file("x" * 5000) == "x" * 5000


def test_options_that_name_files_say_so(tmp_path: Path) -> None:
    profile = tmp_path / "spans.toml"
    rows = "".join(f"{first}-{second} = [-5, 9]\n" for first, second in combinations(range(1, 6), 2))
    profile.write_text(f'source = "a hand"\n[spans]\n{rows}')
    chosen = FingeringOptions(profile=str(profile))
    times, pitches = np.array([0.0, 1.0]), np.array([60, 62])
    pieces = {"p": Fingering(times, times + 1, pitches, np.zeros(2, dtype=np.int64), ("1", "2"))}
    scores = kt.score("fingering", pieces, pieces, protocols=["playability"], options=chosen)
    signatures = set(scores.summary["signature"])
    assert all(re.search(r"\|profile:spans\.toml@[0-9a-f]{6}\|", each) for each in signatures)
