# SPDX-License-Identifier: MIT
"""Systems that are run over a corpus, and how what they make is named afterwards."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import DataError, OptionError
from kammerton.instruments.annotation import InstrumentList
from kammerton.model.registry import find_task
from kammerton.systems import Input, System, SystemCard
from kammerton.systems.registry import find_system
from plugins import song_keys, tonic

SONGS = {"one": ([(0, 3), (3, 4)], ["C", "G:7"]), "two": ([(0, 4)], ["F"])}


def system(annotate: Any, *takes: str, **fields: Any) -> System:
    card = SystemCard(summary="A test.")
    return System(name="test", task="chords", takes=frozenset(takes), card=card, annotate=annotate, **fields)


def first_label(source: Input, _: object, __: object) -> Any:
    """Return the first chord of the first annotator, as long as it lasts."""
    annotation = next(iter(source.annotations.values()))
    return annotation.intervals[:1], annotation.labels[:1]


def test_a_record_is_run_as_it_is() -> None:
    made = kt.annotate("chords", SONGS, system(first_label, "annotations"))
    assert {item: annotation.labels for item, annotation in made.items()} == {"one": ("C",), "two": ("F",)}
    assert (made.task, made.system, len(made)) == ("chords", "test", 2)
    assert made.made.startswith("test|data:")
    scores = kt.score("chords", SONGS, {"mine": made}, ci=None, protocols=["mirex2013"])
    assert scores.value("MajMin") == pytest.approx(7 / 8)
    assert f"|made:{made.made.replace('|', ';')}|" in scores.summary["signature"][0]


def test_the_same_inputs_have_the_same_digest_and_others_another() -> None:
    def made(songs: Any, **choices: Any) -> str:
        return kt.annotate("chords", songs, "baseline:all-N", **choices).made

    assert made(SONGS) == made(dict(reversed(SONGS.items())))
    assert made(SONGS) != made({"one": SONGS["one"]})
    lenient = kt.chords.ChordOptions(lenient=True)
    assert "|lenient:yes|" in made(SONGS, options=lenient)


def test_files_by_kind(tmp_path: Path) -> None:
    for name in ("a.wav", "a.txt", "b.wav"):
        (tmp_path / name).write_bytes(name.encode())

    def annotate(source: Input, model: object, _: object) -> Any:
        assert source.files["audio"].read_bytes() == f"{source.item}.wav".encode()
        assert model == "weights"
        return [(0, 1)], ["C"]

    alone = kt.annotate("chords", tmp_path, system(annotate, "audio"), model="weights")
    assert list(alone) == ["a", "b"]
    both = kt.annotate("chords", tmp_path, system(annotate, "audio", "sheet"), model="weights")
    assert dict(both.failed) == {"b": "there is no file of the kind sheet"}
    assert [problem.code for problem in both.diagnostics] == ["KT807"]
    mapped = kt.annotate("chords", {"a": tmp_path / "a.wav"}, system(annotate, "audio"), model="weights")
    assert list(mapped) == ["a"]
    two = [tmp_path / "a.wav", tmp_path / "a.txt"]
    assert list(kt.annotate("chords", two, system(annotate, "audio", "sheet"), model="weights")) == ["a"]
    with pytest.raises(OptionError, match="no such file or folder"):
        kt.annotate("chords", {"a": tmp_path / "c.wav"}, system(annotate, "audio"))
    with pytest.raises(OptionError, match="two inputs have the item `a`"):
        kt.annotate("chords", [tmp_path, tmp_path / "a.wav"], system(annotate, "audio"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(OptionError, match="finds no input"):
        kt.annotate("chords", tmp_path / "empty", system(annotate, "audio"))


def test_a_model_in_a_file_is_signed(tmp_path: Path) -> None:
    (tmp_path / "weights.npz").write_bytes(b"numbers")
    made = kt.annotate("chords", SONGS, system(first_label, "notes"), model=tmp_path / "weights.npz").made
    assert "|model:weights.npz" in made


def raises(error: Exception) -> Any:
    def annotate(source: Input, model: object, settings: object) -> Any:
        if source.item == "one":
            raise error
        return first_label(source, model, settings)

    return annotate


@pytest.mark.parametrize(
    ("annotate", "code", "reason"),
    [
        (raises(ValueError("no beats")), "KT807", "`test` failed on `one`: ValueError: no beats"),
        (raises(KeyError()), "KT807", "`test` failed on `one`: KeyError"),
        (raises(DataError.of("KT110", "no rows")), "KT110", "no rows"),
    ],
)
def test_items_on_which_a_system_fails_are_reported(annotate: Any, code: str, reason: str) -> None:
    made = kt.annotate("chords", SONGS, system(annotate, "annotations"))
    assert list(made) == ["two"]
    assert dict(made.failed) == {"one": reason}
    assert [(problem.code, problem.item) for problem in made.diagnostics] == [(code, "one")]


def test_jams_carries_confidences_and_how_it_was_made(tmp_path: Path) -> None:
    sure = SimpleNamespace(intervals=[(0, 1), (1, 2)], labels=["C", "G"], confidence=[0.75, float("nan")])
    made = kt.annotate("chords", SONGS, system(lambda *_: sure, "annotations"), out=tmp_path / "o", to="jams")
    (written,) = json.loads((tmp_path / "o/one.jams").read_text())["annotations"]
    assert [row["confidence"] for row in written["data"]] == [0.75, None]
    assert written["annotation_metadata"]["annotation_tools"] == f"kammerton {made.made}"


def test_scores_of_a_vocabulary_are_written_with_their_item(tmp_path: Path) -> None:
    vector = InstrumentList(("piano", "voice"), np.array([0.75, 0.25]), ranked=True, vector=True)
    chosen = replace(system(lambda *_: vector, "annotations"), task="instruments")
    kt.annotate("instruments", {"song": ["piano"]}, chosen, out=tmp_path / "o", to="csv")
    assert (tmp_path / "o/song.csv").read_text() == "file,piano,voice\nsong,0.75,0.25\n"


def test_a_system_that_cannot_prepare_annotates_nothing() -> None:
    def prepare(*_: object) -> object:
        raise ValueError("no model")

    with pytest.raises(DataError, match="`test` failed: ValueError: no model"):
        kt.annotate("chords", SONGS, system(first_label, "annotations", prepare=prepare))


def test_what_is_no_annotation_is_reported_as_of_a_file() -> None:
    with pytest.raises(DataError, match="mja"):
        kt.annotate("chords", SONGS, system(lambda *_: ([(0, 1)], ["C:mja"]), "annotations"))


@pytest.mark.parametrize(
    ("chosen", "choices", "message"),
    [
        ("nobody", {}, "unknown system `nobody`"),
        (7, {}, "system must be a name or a System"),
        (replace(tonic.SYSTEM, task="fingering"), {}, "`tonic` is for fingering, not for chords"),
        (replace(tonic.SYSTEM, takes=frozenset(("sheets",))), {}, "did you mean `sheet`"),
        ("fusion", {"settings": {"methd": "vote"}}, "did you mean `method`"),
        ("symbolic", {"settings": {"tempo": "fast"}}, "tempo is a number, not `fast`"),
        ("symbolic", {"settings": {"tempo": True}}, "tempo is a number, not `True`"),
        ("symbolic", {"settings": {"inversions": "maybe"}}, "inversions is true or false, not `maybe`"),
        ("fusion", {"settings": 3}, "settings must be a mapping or FusionSettings"),
    ],
)
def test_mistakes_of_use(chosen: Any, choices: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        kt.annotate("chords", SONGS, chosen, **choices)


def test_settings_may_be_the_dataclass(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("0 60\n2 55\n")
    settings = tonic.TonicOptions(quality="min")
    made = kt.annotate("chords", tmp_path, tonic.SYSTEM, settings=settings)
    assert made["one"].labels == ("G:min",)
    assert made.made.startswith("tonic|quality:min|data:")


def test_baselines_of_other_tasks() -> None:
    keys = song_keys.parse("C major", "one", song_keys.KeyOptions()).annotations[0][1]
    assert song_keys.TASK.baselines is not None
    (name, *_) = song_keys.TASK.baselines({"one": [keys]})
    chosen = find_system(song_keys.TASK, f"baseline:{name.replace(' ', '-')}")
    made = kt.annotate(song_keys.TASK, {"one": keys}, chosen)
    assert len(made) == 1
    with pytest.raises(OptionError, match="there is no baseline `other` of these items"):
        kt.annotate(song_keys.TASK, {"one": keys}, "baseline:other")
    with pytest.raises(OptionError, match="annotations of keys cannot be written"):
        made.write("nowhere")
    with pytest.raises(OptionError, match="has no baselines"):
        find_system(replace(find_task("chords"), name="other", baselines=None), "baseline:all-N")


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ('{"made": "mine|data:12"}', "|made:mine;data:12|"),
        ('{"made": 3}', ""),
        ('["made"]', ""),
        ("not JSON", ""),
        (None, ""),
    ],
)
def test_only_a_record_says_how_annotations_were_made(tmp_path: Path, record: str | None, field: str) -> None:
    folder = tmp_path / "mine"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "one.lab").write_text("0 4 C\n")
    if record is not None:
        (folder / "kammerton.json").write_text(record)
    kt.pack("chords", folder, tmp_path / "mine.parquet")
    (tmp_path / "pairs.csv").write_text("item,reference,mine\na/one,one.lab,mine/a/one.lab\n")
    (tmp_path / "one.lab").write_text("0 4 C\n")
    songs, choices = {"a/one": SONGS["one"]}, {"ci": None, "protocols": ["mirex2013"]}
    for scores in (
        kt.score("chords", songs, folder, **choices),  # type: ignore[arg-type]
        kt.score("chords", songs, tmp_path / "mine.parquet", **choices),  # type: ignore[arg-type]
        kt.score("chords", pairs=tmp_path / "pairs.csv", **choices),  # type: ignore[arg-type]
    ):
        signature = scores.summary["signature"][0]
        assert (field in signature) if field else ("made:" not in signature)


def test_files_of_a_list_that_several_systems_made_have_no_making(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.lab").write_text("0 4 C\n")
        (tmp_path / name / "kammerton.json").write_text(f'{{"made": "{name}"}}')
    rows = "".join(f"{name},{name}/{name}.lab,{name}/{name}.lab\n" for name in ("one", "two"))
    (tmp_path / "pairs.csv").write_text("item,reference,mine\n" + rows)
    scores = kt.score("chords", pairs=tmp_path / "pairs.csv", ci=None, protocols=["mirex2013"])
    assert "made:" not in scores.summary["signature"][0]


@pytest.mark.slow
def test_the_result_is_the_same_by_any_number_of_processes() -> None:
    chosen = system(first_label, "annotations")
    alone, together = (kt.annotate("chords", SONGS, chosen, jobs=jobs) for jobs in (1, 2))
    assert {item: own.labels for item, own in together.items()} == {"one": ("C",), "two": ("F",)}
    assert together.made == alone.made
    with pytest.raises(OptionError, match="`test` cannot run in other processes"):
        kt.annotate("chords", SONGS, system(lambda *_: None, "annotations"), jobs=2)
