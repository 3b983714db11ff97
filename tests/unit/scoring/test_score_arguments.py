# SPDX-License-Identifier: MIT
"""The forms in which references and estimates may be handed to ``kammerton.score``."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import kammerton as kt
from cases.chords import song
from kammerton.api.checking import check
from kammerton.chords import ChordAnnotation, ChordOptions, evaluate, frame_csr, parse, read
from kammerton.errors import DataError, OptionError

MAJMIN = "mirex2013/MajMin"
REF = song((0, 6, "C"), (6, 10, "G"))
EST = song((0, 10, "C"))  # 6 of 10 s


@dataclass
class ChordData:
    """An annotation as mirdata has it; further attributes do no harm."""

    intervals: np.ndarray[Any, Any]
    labels: list[str]
    interval_unit: str = "s"
    confidence: list[float] = field(default_factory=list)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Folders ``refs``, ``A`` and ``B.v2`` of two songs each."""
    for name, (first, second) in {
        "refs": ("0 6 C\n6 10 G\n", "0 5 A:min\n"),
        "A": ("0 10 C\n", "0 5 A:min\n"),
        "B.v2": ("0 10 G\n", "0 5 C\n"),
    }.items():
        (tmp_path / name / "album").mkdir(parents=True)
        (tmp_path / name / "album" / "1.lab").write_text(first)
        (tmp_path / name / "2.lab").write_text(second)
    return tmp_path


def value(references: Any, estimates: Any, **options: Any) -> float:
    return kt.score("chords", references, estimates, **options).value(MAJMIN)


# --- one annotation ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(song((0, 6, "C"), (6, 10, "G")), id="lists"),
        pytest.param((np.array([[0.0, 6.0], [6.0, 10.0]]), ("C", "G")), id="arrays"),
        pytest.param((np.array([[0, 6], [6, 10]]), np.array(["C", "G"])), id="arrays of integers and str"),
        pytest.param(([(0, 6), (6, 10)], ["C", "G"]), id="tuples in lists"),
        pytest.param([[[0, 6], [6, 10]], ["C", "G"]], id="a list of both"),
        pytest.param(ChordData(np.array([[0.0, 6.0], [6.0, 10.0]]), ["C", "G"]), id="an object of mirdata"),
        pytest.param(
            ChordAnnotation(np.array([[0.0, 6.0], [6.0, 10.0]]), ("C", "G")), id="a ChordAnnotation"
        ),
    ],
)
def test_an_annotation_may_have_many_forms(given: Any) -> None:
    assert value({"song": given}, {"song": EST}) == pytest.approx(0.6)
    assert value(given, EST) == pytest.approx(0.6)
    assert value({"song": EST}, {"song": given}) == pytest.approx(0.6)


def test_two_annotations_are_a_pair_whatever_they_are_called() -> None:
    scores = kt.score("chords", REF, EST)
    assert (scores.systems, scores.annotators) == (("estimate",), ("reference",))
    assert scores.counts["estimate"]["ok"] == 1


def test_an_annotation_of_an_annotator_more_is_of_the_same_item() -> None:
    scores = kt.score("chords", REF, EST, annotators={"B": EST})
    assert scores.value(MAJMIN, annotator="B") == 1.0
    assert scores.counts["estimate"]["total"] == 1


def test_arguments_are_left_as_they_are() -> None:
    intervals = np.array([[6.0, 10.0], [0.0, 6.0]])
    labels = ["G", "C"]
    kt.score("chords", {"1": (intervals, labels)}, {"1": (intervals, labels)})
    assert intervals.tolist() == [[6.0, 10.0], [0.0, 6.0]]
    assert labels == ["G", "C"]


@pytest.mark.parametrize("given", [None, 7, {"a": 1}, ([(0, 1)],), "nonsense"], ids=str)
def test_what_is_no_annotation_fails_alone(given: Any) -> None:
    scores = kt.score("chords", {"1": REF, "2": REF}, {"system": {"1": EST, "2": given}})
    assert scores.counts["system"] == {"total": 2, "ok": 1, "missing": 0, "failed": 1}


# --- files and folders ---------------------------------------------------------------------


def test_two_files_are_a_pair_whatever_they_are_called(folder: Path) -> None:
    scores = kt.score("chords", folder / "refs" / "album" / "1.lab", str(folder / "A" / "2.lab"))
    assert (scores.systems, scores.annotators) == (("2",), ("1",))
    assert scores.value(MAJMIN) == 0.0


def test_items_of_a_folder_are_called_by_their_path(folder: Path) -> None:
    scores = kt.score("chords", folder / "refs", folder / "A")
    assert (scores.systems, scores.annotators) == (("A",), ("refs",))
    assert scores.items["item"].unique().sort().to_list() == ["2", "album/1"]
    assert scores.value(MAJMIN) == pytest.approx((6 + 5) / 15)


def test_the_name_of_a_folder_keeps_its_dots(folder: Path) -> None:
    assert kt.score("chords", folder / "refs", folder / "B.v2").systems == ("B.v2",)


def test_several_folders_are_several_systems(folder: Path) -> None:
    scores = kt.score("chords", folder / "refs", [folder / "B.v2", folder / "A"])
    assert scores.systems == ("B.v2", "A")
    assert scores.value(MAJMIN, system="A") == pytest.approx(11 / 15)
    assert scores.value(MAJMIN, system="B.v2") == pytest.approx(4 / 15)


def test_systems_may_be_named(folder: Path) -> None:
    scores = kt.score("chords", folder / "refs", {"mine": folder / "A", "yours": str(folder / "B.v2")})
    assert scores.systems == ("mine", "yours")


def test_two_systems_of_one_name_are_refused(folder: Path) -> None:
    (folder / "other").mkdir()
    with pytest.raises(OptionError, match="two systems are called `A`"):
        kt.score("chords", folder / "refs", [folder / "A", folder / "other" / ".." / "A"])


def test_a_folder_is_paired_with_a_mapping(folder: Path) -> None:
    assert value(folder / "refs", {"album/1": EST, "2": song((0, 5, "A:min"))}) == pytest.approx(11 / 15)
    assert value({"album/1": REF}, folder / "A") == pytest.approx(0.6)


def test_a_mapping_of_paths_is_of_items_if_the_references_have_them(folder: Path) -> None:
    refs = {"a": folder / "refs" / "album" / "1.lab", "b": folder / "refs" / "2.lab"}
    ests = {"a": folder / "A" / "album" / "1.lab", "b": folder / "A" / "2.lab"}
    scores = kt.score("chords", refs, ests)
    assert scores.systems == ("estimate",)
    assert scores.value(MAJMIN) == pytest.approx(11 / 15)


def test_systems_may_have_different_forms(folder: Path) -> None:
    ests = {"folder": folder / "A", "mapping": {"album/1": REF, "2": folder / "B.v2" / "2.lab"}}
    scores = kt.score("chords", folder / "refs", ests)
    assert scores.value(MAJMIN, system="folder") == pytest.approx(11 / 15)
    assert scores.value(MAJMIN, system="mapping") == pytest.approx(10 / 15)


def test_a_single_file_is_paired_with_the_item_of_a_single_reference(folder: Path) -> None:
    assert value(REF, folder / "A" / "album" / "1.lab") == pytest.approx(0.6)
    assert value(folder / "refs" / "album" / "1.lab", {"mine": {"1": EST}}) == pytest.approx(0.6)


def test_keys_of_a_mapping_need_not_be_text() -> None:
    assert value({1: REF}, {1: EST}) == pytest.approx(0.6)


def test_keys_that_are_one_text_are_refused() -> None:
    with pytest.raises(OptionError, match="two items of `reference` are called `1`"):
        kt.score("chords", {1: REF, "1": REF}, {1: EST})
    with pytest.raises(OptionError, match="two systems are called `1`"):
        kt.score("chords", REF, {1: {"1": EST}, "1": {"1": EST}})
    assert kt.score("chords", {1: REF}, {7: {1: EST}}).systems == ("7",)


NFC, NFD = "Caf\u00e9", "Cafe\u0301"


def test_names_of_one_unicode_form_are_paired_without_a_word() -> None:
    scores = kt.score("chords", {NFD: REF}, {"mine": {NFD: REF}})
    assert scores.value(MAJMIN) == 1.0
    assert "KT207" not in {said.code for said in scores.diagnostics}


@pytest.mark.parametrize("as_files", [False, True])
def test_names_that_differ_in_unicode_form_are_paired_with_a_warning(tmp_path: Path, as_files: bool) -> None:
    refs: Any = {NFC: REF}
    ests: Any = {"mine": {NFD: REF}, "other": {NFC: REF}}
    if as_files:
        for folder, name in (("refs", NFC), ("mine", NFD), ("other", NFC)):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / f"{name}.lab").write_text("0 6 C\n6 10 G\n")
        refs, ests = tmp_path / "refs", [tmp_path / "mine", tmp_path / "other"]
    scores = kt.score("chords", refs, ests)
    assert [scores.value(MAJMIN, system=name) for name in scores.systems] == [1.0, 1.0]
    (said,) = (each for each in scores.diagnostics if each.code == "KT207")
    assert (said.severity, said.system) == ("warning", "mine")
    assert said.message.endswith(r"reference `Caf\xe9`, estimate `Cafe\u0301`")


def test_names_in_a_list_of_splits_are_composed() -> None:
    scores = kt.score(
        "chords", {NFC: REF, "x": REF}, {NFC: REF, "x": EST}, split="test", splits={NFD: "test"}
    )
    assert scores.counts["estimate"]["total"] == 1


# --- refusals ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("references", "estimates"), [(None, None), (None, EST), ({"1": REF}, None)], ids=str
)
def test_both_sides_are_needed(references: Any, estimates: Any) -> None:
    with pytest.raises(OptionError, match="references and estimates are needed"):
        kt.score("chords", references, estimates)


def test_a_folder_must_be_there_and_hold_annotations(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no such file or folder"):
        kt.score("chords", tmp_path / "nowhere", {"1": EST})
    (tmp_path / "empty").mkdir()
    with pytest.raises(OptionError, match="no annotation files in"):
        kt.score("chords", {"1": REF}, tmp_path / "empty")


@pytest.mark.parametrize(("references", "estimates"), [({}, {"1": EST}), ({"1": REF}, {})], ids=str)
def test_an_empty_side_cannot_be_scored(references: Any, estimates: Any) -> None:
    with pytest.raises(OptionError, match=r"there is no (reference|estimate)"):
        kt.score("chords", references, estimates)


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(OptionError, match="did you mean `chords`"):
        kt.score(cast("Any", "chord"), REF, EST)


WRONG_TYPES: dict[str, tuple[dict[str, Any], str]] = {
    "protocols": ({"protocols": 5}, "protocols must be names, not int"),
    "protocol": ({"protocols": [5]}, "protocol must be a str, not int"),
    "measure": ({"measures": [None]}, "measure must be a str, not NoneType"),
    "resamples": ({"resamples": "a"}, "the number of resamples must be a whole number, not str"),
    "seed": ({"seed": 1.5}, "a seed must be a whole number, not float"),
    "annotator": ({"annotator": None}, "annotator must be a str, not NoneType"),
    "clusters": ({"clusters": 5}, "what items belong to must be a mapping or a str, not int"),
    "group_by": ({"group_by": ["a"]}, "what items belong to must be a mapping or a str, not list"),
    "annotators": ({"annotators": ["a"]}, "annotators must be a mapping of names to references, not list"),
    "missing": ({"missing": None}, "policy for missing estimates must be a str, not NoneType"),
    "splits": ({"splits": 5}, "splits must be a mapping or a path, not int"),
    "split": ({"splits": {"a": 5}}, "split must be a str, not int"),
}


@pytest.mark.parametrize(("given", "message"), WRONG_TYPES.values(), ids=WRONG_TYPES)
def test_a_wrong_type_is_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        kt.score("chords", {"a": REF}, {"a": EST}, **given)


def test_wrong_types_elsewhere_are_named() -> None:
    anything: Any = 5
    calls: dict[str, Callable[[], object]] = {
        "task must be a name or a Task, not int": lambda: kt.score(anything, REF, EST),
        "pairs must be a path, not int": lambda: kt.score("chords", pairs=anything),
        "item must be a str, not int": lambda: kt.show("chords", REF, EST, anything),
        "path must be a path, not int": lambda: read(anything),
        "path must be a path": lambda: check("chords", anything),
        "label must be a str, not int": lambda: parse(anything),
        "columns must be a mapping": lambda: ChordOptions(columns=anything),
        "encoding must be a str": lambda: ChordOptions(encoding=anything),
        "layout must be a str": lambda: ChordOptions(layout=anything),
        "protocol must be a str": lambda: evaluate(*REF, *EST, protocol=anything),
        "options must be ChordOptions, not int": lambda: evaluate(*REF, *EST, options=anything),
        "hop_s must be a number": lambda: frame_csr(*REF, *EST, hop_s="1"),  # type: ignore[arg-type]
    }
    for message, call in calls.items():
        with pytest.raises(OptionError, match=message):
            call()


def test_options_must_be_those_of_the_task(tmp_path: Path) -> None:
    path, given = tmp_path / "song.lab", {"lenient": True}
    path.write_text("0 1 C", encoding="utf-8")
    for call in (
        lambda: kt.score("chords", REF, EST, options=cast("Any", given)),
        lambda: kt.check("chords", path, options=cast("Any", given)),
        lambda: kt.convert("chords", path, tmp_path / "song.csv", options=cast("Any", given)),
    ):
        with pytest.raises(OptionError, match="options must be ChordOptions, got dict"):
            call()


def test_protocols_and_measures_are_chosen_by_name() -> None:
    scores = kt.score("chords", REF, EST, protocols=["decibel"])
    assert [str(measure) for measure in scores.measures] == [
        "decibel/CSR",
        "decibel/CSR_total",
        "decibel/OvS",
        "decibel/UnS",
        "decibel/Seg",
    ]
    scores = kt.score("chords", REF, EST, measures=["mir_eval/root", "mirex2013/MajMin"])
    assert [str(measure) for measure in scores.measures] == ["mirex2013/MajMin", "mir_eval/root"]


def test_a_lone_measure_has_the_value_it_has_among_all() -> None:
    every = kt.score("chords", REF, EST, protocols=["mirex2013", "mir_eval", "decibel", "frames10ms"])
    for measure in every.measures:
        alone = kt.score("chords", REF, EST, measures=[str(measure)])
        assert alone.value(str(measure)) == every.value(str(measure))


def test_lenient_labels_are_respelled() -> None:
    options = ChordOptions(lenient=True)
    scores = kt.score("chords", song((0, 6, "C"), (6, 10, "Gm7")), song((0, 10, "C")), options=options)
    assert scores.value(MAJMIN) == pytest.approx(0.6)
    assert "KT318" in {found.code for found in scores.diagnostics}


# --- chords.evaluate -----------------------------------------------------------------------


def test_one_song_has_the_values_of_a_corpus_of_one() -> None:
    scores = kt.score("chords", REF, EST, protocols=["mirex2013", "mir_eval", "decibel", "frames10ms"])
    for protocol in ("mirex2013", "mir_eval", "decibel", "frames10ms"):
        found = evaluate(*REF, *EST, protocol=protocol)
        assert found == {
            measure.name if protocol == "mir_eval" else str(measure): scores.value(str(measure))
            for measure in scores.measures
            if measure.protocol == protocol
        }
    assert evaluate(*REF, *EST) == evaluate(*REF, *EST, protocol="mir_eval")


def test_one_song_is_read_with_options() -> None:
    ref, est = song((0, 4, "C:min7")), song((0, 3, "Cm7"), (3, 4, "C"))
    with pytest.raises(DataError, match="KT311"):
        evaluate(*ref, *est)
    assert evaluate(*ref, *est, options=ChordOptions(lenient=True))["tetrads"] == 0.75


def test_an_estimate_may_have_no_rows_but_not_half_of_them() -> None:
    assert evaluate(*REF, [], [])["majmin"] == 0.0
    labels: Any = iter(EST[1])
    assert evaluate(*REF, EST[0], labels)["majmin"] == pytest.approx(0.6)
    for intervals, labels in ((EST[0], []), (EST[0], None), (None, EST[1]), (None, None)):
        with pytest.raises(DataError, match="estimate: KT114"):
            evaluate(*REF, intervals, labels)  # type: ignore[arg-type]


def test_an_unknown_protocol_is_refused() -> None:
    with pytest.raises(OptionError, match="did you mean `mir_eval`"):
        evaluate(*REF, *EST, protocol="mireval")


@pytest.mark.parametrize(("ref", "est"), [(([], []), EST), (REF, song((0, 1, "H"))), (song((0, 1, "")), EST)])
def test_a_song_that_cannot_be_used_is_an_error(ref: Any, est: Any) -> None:
    with pytest.raises(DataError):
        evaluate(*ref, *est)


# --- chords.read ---------------------------------------------------------------------------


def test_one_file_is_read(folder: Path) -> None:
    found = read(folder / "refs" / "album" / "1.lab")
    assert found.intervals.tolist() == [[0.0, 6.0], [6.0, 10.0]]
    assert found.labels == ("C", "G")
    assert len(found) == 2
    assert value(found, EST) == pytest.approx(0.6)


def test_a_file_that_cannot_be_used_is_an_error(folder: Path) -> None:
    (folder / "bad.lab").write_text("0 1 H\n")
    with pytest.raises(DataError, match="KT310"):
        read(folder / "bad.lab")


def test_an_annotator_of_a_file_is_chosen(tmp_path: Path) -> None:
    path = tmp_path / "a.jams"
    annotations = [
        {"namespace": namespace, "annotation_metadata": {"annotator": {"name": name}}, "data": [
            {"time": 0, "duration": 1, "value": label}
        ]}
        for namespace, name, label in (("chord", "anna", "C"), ("chord_harte", "", "G"))
    ]  # fmt: skip
    path.write_text(json.dumps({"annotations": annotations}))
    assert read(path, annotator="anna").labels == ("C",)
    assert read(path, annotator="2").labels == ("G",)
    with pytest.raises(
        OptionError, match=r"2 annotations in `.*a\.jams`\n  help: choose an annotator: anna, 2"
    ):
        read(path)
    with pytest.raises(OptionError, match="known: 2, anna"):
        read(path, annotator="ann")
