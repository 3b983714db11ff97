# SPDX-License-Identifier: MIT
"""Several estimates of an item by one system: worst, mean, selected and best."""

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kammerton as kt
from cases.chords import song
from kammerton.errors import DataError, OptionError
from strategies import Song, chord_songs, label_pools

PATTERN = "{item}.{candidate}"
REFS: Mapping[str, Song] = {
    "a": song((0, 4, "C"), (4, 8, "G")),
    "b": song((0, 4, "F"), (4, 8, "G:min")),
    "c": song((0, 2, "C")),
}
AUDIO: Mapping[str, Song] = {"a": song((0, 8, "C")), "b": song((0, 8, "F")), "c": song((0, 2, "C"))}
# right seconds of a: 6 and 5 of 8; of b: 4 and 0 of 8; c has no candidate
MIDI: Mapping[str, Song] = {
    "a.m1": song((0, 4, "C"), (4, 6, "G"), (6, 8, "D")),
    "a.m2": song((0, 1, "C"), (1, 8, "G")),
    "b.m1": song((0, 8, "F")),
    "b.m3": song((0, 8, "B")),
}
CONFIDENCES = {("a", "m1"): 0.3, ("a", "m2"): 0.9, ("b", "m1"): 1.0, ("b", "m3"): 0.0}


def scored(**choices: object) -> kt.Scores:
    arguments = {"ci": None, "measures": ["mirex2013/MajMin"], "candidates": PATTERN, **choices}
    return kt.score("chords", REFS, {"audio": AUDIO, "midi": MIDI}, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("select", "selected"),
    [
        (CONFIDENCES, 5 + 4 + 0),  # m2 of a, m1 of b
        ("m1", 6 + 4 + 0),
        ("m3", 0 + 0 + 0),  # a has no m3
        # a: m1 agrees 4 of 8 s with audio and 5 with m2, m2 1 and 5; b: m1 8 with audio, m3 0
        ("agreement", 6 + 4 + 0),
    ],
)
def test_each_item_counts_one_of_its_candidates(select: object, selected: float) -> None:
    scores = scored(select_by=select)
    values = {system: scores.value("MajMin", system=system) for system in scores.systems}
    assert values == {
        "audio": pytest.approx((4 + 4 + 2) / 18),
        "midi:selected": pytest.approx(selected / 18),
        "midi:worst": pytest.approx((5 + 0 + 0) / 18),
        "midi:best": pytest.approx((6 + 4 + 0) / 18),
    }
    assert scores.candidates is not None
    (row,) = scores.candidates.to_dicts()
    assert row["mean"] == pytest.approx((5.5 + 2 + 0) / 18)
    assert (row["items"], row["candidates"]) == (3, 4)
    assert (row["worst"], row["selected"], row["best"]) == (
        values["midi:worst"],
        values["midi:selected"],
        values["midi:best"],
    )


def test_confidences_are_correlated_with_scores_by_their_ranks() -> None:
    scores = scored(select_by=CONFIDENCES)
    assert scores.candidates is not None
    (row,) = scores.candidates.to_dicts()
    # ranks of confidence 2 3 4 1, of 6/8 5/8 4/8 0: 4 3 2 1, so that 1 - 6 * (4 + 0 + 4 + 0) / (4 * 15) = 0.2
    assert row["rank_correlation"] == pytest.approx(0.2)
    assert row["with_confidence"] == 4


def test_each_candidate_has_its_score_and_confidence() -> None:
    scores = scored(select_by=CONFIDENCES)
    assert scores.candidate_items is not None
    assert [
        (row["item"], row["candidate"], row["value"], row["confidence"], row["selected"])
        for row in scores.candidate_items.to_dicts()
    ] == [
        ("a", "m1", 6 / 8, 0.3, False),
        ("b", "m1", 4 / 8, 1.0, True),
        ("a", "m2", 5 / 8, 0.9, True),
        ("b", "m3", 0.0, 0.0, False),
    ]


def test_a_run_keeps_candidates(tmp_path: Path) -> None:
    choices: dict[str, Any] = {"ci": None, "measures": ["mirex2013/MajMin", "mirex2013/OverSeg"]}
    confidences = {key: value for key, value in CONFIDENCES.items() if key != ("b", "m3")}
    scores = kt.score("chords", REFS, {"midi": MIDI}, candidates=PATTERN, select_by=confidences, **choices)
    assert scores.candidates is not None
    kt.write_run(scores, tmp_path / "run")
    run = kt.read_run(tmp_path / "run")
    for name in ("candidates", "candidate_items"):
        assert getattr(run, name).equals(getattr(scores, name))
    part = kt.score("chords", tmp_path / "run", items=["b"], measures=["MajMin"], ci=None).candidates
    assert part is not None
    ((items, number, mean),) = part.select("items", "candidates", "mean").rows()
    assert (items, number, mean) == (1, 2, pytest.approx((4 + 0) / 2 / 8))


def test_candidates_of_runs_are_joined(tmp_path: Path) -> None:
    of_systems = [
        kt.score("chords", REFS, {name: MIDI}, ci=None, measures=["mirex2013/MajMin"], candidates=PATTERN)
        for name in ("midi", "tabs")
    ]
    joined = kt.compare("chords", runs=of_systems).scores.candidates
    assert joined is not None
    means = dict(joined.select("system", "mean").rows())
    assert means == {"midi": pytest.approx((5.5 + 2 + 0) / 18), "tabs": pytest.approx((5.5 + 2 + 0) / 18)}


def test_means_of_songs_average_the_values_of_their_candidates() -> None:
    # cut off of a: by m1 2 s of G, by m2 1 s of C, of 8 s; nothing of b, whose estimates have one row; c has
    # no candidate, and counts 0
    scores = scored(measures=["mirex2013/OverSeg"])
    assert scores.candidates is not None
    (row,) = scores.candidates.to_dicts()
    assert row["mean"] == pytest.approx(((6 / 8 + 7 / 8) / 2 + 1 + 0) / 3)
    assert (row["worst"], row["best"]) == (pytest.approx((6 / 8 + 1) / 3), pytest.approx((7 / 8 + 1) / 3))
    alone = kt.score("chords", REFS, {"audio": AUDIO}, ci=None)
    assert alone.candidates is alone.candidate_items is None


def test_measures_over_classes_have_no_candidates() -> None:
    lists = {"x.1": ["piano"], "x.2": ["voice"]}
    measures = ["open-mic-task1/R", "open-mic-task1/macro_R"]
    scores = kt.score(
        "instruments", {"x": ["piano", "voice"]}, {"s": lists}, measures=measures, candidates=PATTERN, ci=None
    )
    assert scores.candidates is not None
    assert scores.candidates["measure"].to_list() == ["R"]
    with pytest.raises(OptionError, match="candidates are compared item by item"):
        kt.score("instruments", {"x": ["piano"]}, {"s": lists}, measures=measures[1:], candidates=PATTERN)


def test_items_without_a_candidate_are_missing() -> None:
    scores = scored()
    assert [d.message for d in scores.diagnostics if d.code == "KT203"] == [
        "no estimate for 1 of 3 items (`c`)"
    ]
    skipped = scored(missing="skip")
    assert skipped.candidates is not None
    assert skipped.candidates["items"].to_list() == [2]
    assert skipped.value("MajMin", system="midi:best") == pytest.approx((6 + 4) / 16)
    with pytest.raises(DataError, match="no estimate for 1 of 3 items"):
        scored(missing="error")


def test_best_is_another_one_by_another_measure() -> None:
    # under-segmentation by a row of a.m2 that begins within C: 3 s of 8 s lost; m1 cuts G, which is no loss
    scores = scored(measures=["mirex2013/MajMin", "mirex2013/OverSeg"])
    by_item = {(row["item"], row["system"], row["measure"]): row["value"] for row in scores.items.to_dicts()}
    assert by_item["a", "midi:best", "MajMin"] == pytest.approx(6 / 8)  # m1
    assert by_item["a", "midi:best", "OverSeg"] == pytest.approx(1 - 1 / 8)  # m2: 1 s of C cut off
    assert by_item["a", "midi:worst", "OverSeg"] == pytest.approx(1 - 2 / 8)  # m1: 2 s of G cut off


SONGS = label_pools().flatmap(lambda pool: chord_songs(st.sampled_from(pool)))


def written(folder: Path, side: Mapping[str, Song]) -> None:
    folder.mkdir()
    for item, (intervals, labels) in side.items():
        rows = zip(intervals, labels, strict=True)
        text = "".join(f"{start} {end} {label}\n" for (start, end), label in rows)
        (folder / f"{item}.lab").write_text(text, encoding="utf-8")


def test_a_list_of_pairs_has_a_row_for_each_candidate(tmp_path: Path) -> None:
    for name, side in (("ref", REFS), ("audio", AUDIO), ("midi", MIDI)):
        written(tmp_path / name, side)
    rows = [
        f"{item},{name},ref/{item}.lab,audio/{item}.lab,midi/{item}.{name}.lab" for item, name in CONFIDENCES
    ]
    pairs = tmp_path / "pairs.csv"
    header = "item,candidate,reference,audio,midi"
    pairs.write_text("\n".join([header, "a,m1,ref/a.lab,,", "a,m2,ref/b.lab,,"]), encoding="utf-8")
    with pytest.raises(DataError, match="two references of `a`"):
        kt.score("chords", pairs=pairs)
    pairs.write_text("\n".join([header, *rows, "c,,ref/c.lab,audio/c.lab,"]), encoding="utf-8")
    scores = kt.score("chords", pairs=pairs, measures=["mirex2013/MajMin"], ci=None, select_by="m1")
    assert {system: scores.value("MajMin", system=system) for system in scores.systems} == {
        "audio": pytest.approx(10 / 18),
        "midi:selected": pytest.approx(10 / 18),
        "midi:worst": pytest.approx(5 / 18),
        "midi:best": pytest.approx(10 / 18),
    }


def test_annotations_of_one_file_are_candidates(tmp_path: Path) -> None:
    def annotation(name: str, song: Song) -> dict[str, object]:
        data = [
            {"time": start, "duration": end - start, "value": label, "confidence": None}
            for (start, end), label in zip(*song, strict=True)
        ]
        return {
            "namespace": "chord_harte",
            "annotation_metadata": {"annotator": {"name": name}},
            "data": data,
            "sandbox": {},
        }

    for item in ("a", "b"):
        annotations = [annotation(name, MIDI[f"{item}.{name}"]) for own, name in CONFIDENCES if own == item]
        document = {"annotations": annotations, "file_metadata": {"duration": 8.0}, "sandbox": {}}
        (tmp_path / f"{item}.jams").write_text(json.dumps(document), encoding="utf-8")
    refs = {item: REFS[item] for item in "ab"}
    choices: dict[str, Any] = {"candidates": "annotations", "select_by": CONFIDENCES, "ci": None}
    scores = kt.score("chords", refs, {"midi": tmp_path}, measures=["mirex2013/MajMin"], **choices)
    assert scores.value("MajMin", system="midi:best") == pytest.approx(10 / 16)
    assert scores.value("MajMin", system="midi:selected") == pytest.approx(9 / 16)
    with pytest.raises(OptionError, match="no estimate has several annotations"):
        kt.score("chords", REFS, {"audio": AUDIO}, **choices)


@given(
    st.lists(st.tuples(SONGS, st.lists(SONGS, min_size=1, max_size=3)), min_size=1, max_size=3),
    st.integers(0, 2),
)
def test_best_is_at_least_selected_and_that_at_least_worst(
    items: list[tuple[Song, list[Song]]], number: int
) -> None:
    refs = {f"song {place}": ref for place, (ref, _) in enumerate(items)}
    ests = {
        f"song {place}.{name}": est
        for place, (_, candidates) in enumerate(items)
        for name, est in enumerate(candidates)
    }
    confidences = {
        (f"song {place}", str(name)): float((name + number) % 3)
        for place, (_, candidates) in enumerate(items)
        for name in range(len(candidates))
    }
    scores = kt.score(
        "chords", refs, {"s": ests}, protocols="all", candidates=PATTERN, select_by=confidences, ci=None
    )
    values: dict[tuple[str, str], dict[str, float | None]] = {}
    for row in scores.items.to_dicts():
        values.setdefault((row["item"], f"{row['protocol']}/{row['measure']}"), {})[row["system"]] = row[
            "value"
        ]
    for of_systems in values.values():
        ranked = [of_systems[f"s:{which}"] for which in ("worst", "selected", "best")]
        defined = [value for value in ranked if value is not None]
        assert all(low <= high + 1e-12 for low, high in pairwise(defined))
        assert (ranked[0] is None) == (ranked[2] is None)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"candidates": "{item}"}, "does not say where item and candidate stand"),
        ({"candidates": "{candidate}_of_{item}"}, "no estimate is called"),
        ({"candidates": None, "select_by": "m1"}, "there are no candidates to select from"),
        ({"select_by": "m7"}, "unknown candidate `m7`"),
        ({"select_by": {("z", "m1"): 1.0}}, "no candidate of `midi` has a confidence"),
        ({"candidates": 3}, "candidates must be a str"),
        ({"select_by": {("a", "m1"): float("nan")}}, "a confidence is a finite number, got nan for `a`"),
        ({"select_by": {("a", "m1"): "high"}}, "a confidence is a finite number, got 'high' for `a`"),
        ({"select_by": {"a": 1.0}}, "a key of select_by must be a pair of item and candidate"),
    ],
)
def test_what_is_not_possible_is_refused(choices: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        scored(**choices)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("item,candidate\na,m1\n", "1: KT225 no header names item, candidate and confidence"),
        ("item,candidate,confidence\n", "1: KT225 the table of confidences has no rows"),
        ("item,candidate,confidence\na,m1,high\n", "2:6: KT225 confidence `high` is no number"),
        ("item,candidate,confidence\na,m1,nan\n", "2:6: KT225 confidence `nan` is no number"),
        ("item,candidate,confidence\na,m1,\n", "2:6: KT225 a confidence is missing"),
        (
            "item,candidate,confidence\na,m1,1\na,m1,2\n",
            "3:3: KT225 candidate `m1` of `a` has two confidences",
        ),
    ],
)
def test_tables_of_confidences_are_checked(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "confidences.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        scored(select_by=path)
    (diagnostic,) = caught.value.diagnostics
    place = ":".join(str(part) for part in (diagnostic.line, diagnostic.column) if part)
    assert f"{place}: {diagnostic.code} {diagnostic.message}" == expected


def test_confidences_and_candidates_that_do_not_match_are_reported() -> None:
    confidences = {("a", "m2"): 0.9, ("b", "m1"): 1.0, ("b", "m3"): 0.0, ("b", "m4"): 2.0}
    scores = scored(select_by=confidences)
    assert [d.message for d in scores.diagnostics if d.code == "KT226"] == [
        "`midi`: 1 of 4 candidates has no confidence, such as `m1` of `a`; never selected",
        "1 confidence is of no candidate, such as `m4` of `b`",
    ]
    assert scores.value("MajMin", system="midi:selected") == pytest.approx((5 + 4 + 0) / 18)
    lacking = [d.message for d in scored(select_by="m3").diagnostics if d.code == "KT203"]
    assert lacking == ["no estimate for 1 of 3 items (`c`)", "no estimate for 2 of 3 items (`a`, `c`)"]


def test_a_table_of_confidences_selects(tmp_path: Path) -> None:
    path = tmp_path / "confidences.csv"
    path.write_text(
        "item,candidate,confidence\n" + "".join(f"{i},{c},{v}\n" for (i, c), v in CONFIDENCES.items()),
        encoding="utf-8",
    )
    scores = scored(select_by=path)
    assert scores.value("MajMin", system="midi:selected") == pytest.approx(9 / 18)
    (signature,) = scores.signatures("all").values()
    assert "candidates:{item}.{candidate}|select_by:confidences.csv@" in signature
