# SPDX-License-Identifier: MIT
"""What is finished is kept until a run is whole, found again, and never taken for something else."""

import hashlib
import json
import os
import pickle
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from kammerton.errors import OutputError
from kammerton.formats.packs import collect_pack
from kammerton.instruments import InstrumentOptions
from kammerton.model.corpus import Collection, Corpus
from kammerton.model.evidence import Evidence
from kammerton.model.registry import find_task
from kammerton.runs.layout import files_of, tables_of
from kammerton.scoring.evaluating import Timing, score_part
from kammerton.scoring.keeping import Store, TornError, decode_part, encode_part, keeping
from kammerton.scoring.loading import ScoringJob
from kammerton.scoring.running import (
    Execution,
    Progress,
    ShardPlan,
    key_of_job,
    key_of_shard,
    score_corpus,
)
from unit.scoring.words import corpus_of, order

SMALL = Execution(size=200)


def parts(evidence: Evidence) -> tuple[Any, ...]:
    return files_of(evidence), tables_of(evidence), evidence.diagnostics


def chords() -> tuple[ScoringJob, Corpus]:
    """Return songs of two annotators, of which some are broken, and two systems."""
    rng = random.Random(1)

    def songs(lacking: str = "") -> dict[str, Any]:
        made = {
            f"{n:03}": ([(0, 2), (2, rng.uniform(1, 9))], [rng.choice(["C", "G:7", "N"]), "A:min"])
            for n in range(450)
        }
        return {item: ((None, each),) for item, each in made.items() if item != lacking}

    references = (Collection("first", songs()), Collection("second", songs("007")))
    task = find_task("chords")
    corpus = Corpus(references, (Collection("A", songs()), Collection("B", songs("449"))))
    return ScoringJob(task=task, measures=task.measures, options=task.options()), corpus


def instruments() -> tuple[ScoringJob, Corpus]:
    rng = random.Random(2)
    names = ["flute", "violin", "piano", "drums"]
    lists = {f"{n}": ((None, rng.sample(names, rng.randint(1, 3))),) for n in range(30)}
    scored = {item: ((None, {name: rng.random() for name in names}),) for item in lists}
    task = find_task("instruments")
    corpus = Corpus((Collection("people", lists),), (Collection("A", scored),))
    return ScoringJob(task=task, measures=task.measures, options=InstrumentOptions()), corpus


@pytest.mark.parametrize("made", [chords, instruments])
def test_parts_come_back_from_bytes_as_they_were(made: Callable[[], tuple[ScoringJob, Corpus]]) -> None:
    order_, corpus = made()
    shard = ShardPlan(corpus).shard(0)
    part = score_part(order_, shard.corpus, shard.items)
    again = decode_part(encode_part(part), order_.measures)
    assert (again.items, again.survey, again.assumptions) == (part.items, part.survey, part.assumptions)
    assert again.diagnostics == part.diagnostics
    assert again.sanity_checks == part.sanity_checks
    assert again.fingerprints == part.fingerprints
    assert again.results is not None
    assert part.results is not None
    assert {need: list(rows) for need, rows in again.results.rows.items()} == {
        need: list(rows) for need, rows in part.results.rows.items()
    }
    assert {name: each.cells for name, each in again.results.tallies.items()} == {
        name: each.cells for name, each in part.results.tallies.items()
    }
    assert (again.results.gathered is None) == (part.results.gathered is None)
    for measure, found in part.results.statistics.items():
        assert again.results.statistics[measure].tobytes() == found.tobytes()


@pytest.mark.parametrize("harm", ["", "half", "flipped", "other"])
def test_bytes_that_are_no_whole_part_are_known(harm: str) -> None:
    shard = ShardPlan(corpus_of({}, 3)).shard(0)
    data = encode_part(score_part(order(), shard.corpus, shard.items))
    harmed = {
        "": b"",
        "half": data[: len(data) // 2],
        "flipped": data[:-1] + bytes([data[-1] ^ 1]),
        "other": b"PAR1" + data,
    }[harm]
    with pytest.raises(TornError):
        decode_part(harmed, order().measures)


@pytest.mark.parametrize("value", [None, print, Path("here"), order().measures[0]])
def test_what_somebody_signed_and_is_no_part_is_not_made(value: object) -> None:
    body = pickle.dumps(value)
    with pytest.raises(TornError):
        decode_part(hashlib.sha256(body).digest() + body, order().measures)


class KilledError(Exception):
    """The run ends here."""


def until(shards: int) -> Callable[[Progress], None]:
    def watch(progress: Progress) -> None:
        if progress.done == 200 * shards:
            raise KilledError

    return watch


def interrupted(run: Path, shards: int, order_: ScoringJob, corpus: Corpus) -> None:
    with pytest.raises(KilledError) as caught, keeping(run) as store:
        score_corpus(order_, corpus, SMALL, store, until(shards))
    plural = "shard is" if shards == 1 else "shards are"
    assert caught.value.__notes__ == [f"{shards} finished {plural} kept"]


def kept(run: Path) -> list[Path]:
    return sorted(run.with_name(f".{run.name}.shards").glob("*.part"))


def resumed(run: Path, order_: ScoringJob, corpus: Corpus) -> tuple[Evidence, Store]:
    timing = Timing()
    with keeping(run) as store:
        assert store is not None
        found = score_corpus(order_, corpus, SMALL, store, timing=timing)
    items = len(corpus.references[0].items)
    assert (timing.items, timing.found) == (items - 200 * store.found, 200 * store.found)
    return found, store


def test_what_is_finished_is_not_done_again(tmp_path: Path) -> None:
    run, given = tmp_path / "run", chords()
    interrupted(run, 2, *given)
    assert len(kept(run)) == 2
    found, store = resumed(run, *given)
    assert (store.found, store.kept) == (2, 1)
    assert parts(found) == parts(score_corpus(*given))
    assert list(tmp_path.iterdir()) == []  # all is well: nothing is left


def test_the_first_shards_are_found_where_a_later_one_decided(tmp_path: Path) -> None:
    run, order_ = tmp_path / "run", instruments()[0]
    many = {f"{n:03}": ((None, ["flute"]),) for n in range(450)}
    scored: dict[str, Any] = {**many, "449": ((None, {"flute": 0.5, "piano": 0.1}),)}
    whole = Corpus((Collection("people", many),), (Collection("A", scored),))
    interrupted(run, 2, order_, whole)
    found, store = resumed(run, order_, whole)
    assert (store.found, store.kept) == (2, 3)  # two were scored on grounds that do not hold
    assert parts(found) == parts(score_corpus(order_, whole))


def test_a_torn_part_is_done_again(tmp_path: Path) -> None:
    run, given = tmp_path / "run", chords()
    interrupted(run, 2, *given)
    torn = kept(run)[0]
    torn.write_bytes(torn.read_bytes()[:-100])
    found, store = resumed(run, *given)
    assert (store.found, store.kept) == (1, 2)
    assert parts(found) == parts(score_corpus(*given))


def test_a_part_under_the_name_of_another_is_done_again(tmp_path: Path) -> None:
    run, given = tmp_path / "run", chords()
    interrupted(run, 2, *given)
    one, other = kept(run)
    one.write_bytes(other.read_bytes())
    found, store = resumed(run, *given)
    assert (store.found, store.kept) == (1, 2)
    assert parts(found) == parts(score_corpus(*given))


def test_nothing_is_kept_of_a_run_that_ends_before_a_shard_does(tmp_path: Path) -> None:
    with pytest.raises(KilledError), keeping(tmp_path / "run"):
        raise KilledError
    assert list(tmp_path.iterdir()) == []


def test_items_that_failed_with_their_worker_are_tried_again(tmp_path: Path) -> None:
    run, corpus = tmp_path / "run", corpus_of({450: ("memory",)})
    with pytest.raises(KilledError), keeping(run) as store:
        score_corpus(order(), corpus, SMALL, store, until(5))
    assert len(kept(run)) == 4


def test_two_cannot_write_one_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with keeping(run), pytest.raises(OutputError) as caught, keeping(run):
        pytest.fail("the second is not let in")
    assert re.match(r"KT504 cannot write `.*`: locked by pid \d+ on .* since .* UTC$", str(caught.value))
    assert f" {os.getpid()} " in str(caught.value)
    with keeping(run):
        pass


def test_a_lock_that_nobody_holds_is_none(tmp_path: Path) -> None:
    folder = tmp_path / ".run.shards"
    folder.mkdir()
    (folder / "lock").write_text(json.dumps({"pid": 1, "host": "h", "since": "s"}), encoding="utf-8")
    with keeping(tmp_path / "run"):
        pass
    assert not folder.exists()


def test_a_lock_that_says_nothing_is_one(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with keeping(run):
        (tmp_path / ".run.shards" / "owner.json").write_text("", encoding="utf-8")
        with pytest.raises(OutputError, match="locked by another process"), keeping(run):
            pytest.fail("the second is not let in")


def test_where_no_folder_can_be(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"KT501 cannot write .*: no folder"), keeping(tmp_path / "a" / "b"):
        pytest.fail("there is no such folder")
    (tmp_path / ".run.shards").write_text("", encoding="utf-8")
    with pytest.raises(OutputError, match="KT501 cannot write"), keeping(tmp_path / "run"):
        pytest.fail("there is a file")


# --- keys ----------------------------------------------------------------------------------


def key(order_: ScoringJob, corpus: Corpus) -> str:
    return key_of_shard(order_, key_of_job(order_), ShardPlan(corpus).shard(0))


def test_keys_depend_on_what_figures_depend_on(tmp_path: Path) -> None:
    order_, corpus = chords()
    path = tmp_path / "song.lab"
    path.write_text("0 2 C\n", encoding="utf-8")
    reference = Collection("r", {"song": ((None, path),)})
    of_file = Corpus((reference,), (Collection("s", {"song": ((None, path),)}),))
    before = key(order_, of_file)
    stamp = path.stat()
    os.utime(path, (0, 0))
    assert key(order_, of_file) == before
    keys = {before, key(order_, corpus)}
    path.write_text("0 2 D\n", encoding="utf-8")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    keys.add(key(order_, of_file))
    for changed in (
        replace(order_, missing="skip"),
        replace(order_, strict=True),
        replace(order_, annotator="r"),
        replace(order_, measures=order_.measures[1:]),
        replace(order_, options=replace(order_.options, lenient=True)),
    ):
        keys.add(key(changed, of_file))
    keys.add(key(order_, Corpus((replace(reference, name="other"),), of_file.systems)))
    keys.add(key(order_, Corpus((replace(reference, broken={"song": "why"}),), of_file.systems)))
    told = replace(reference, sources={"song": (("A", path),)})
    keys.add(key(order_, Corpus((told,), of_file.systems)))
    path.unlink()
    keys.add(key(order_, of_file))
    path.mkdir()
    keys.add(key(order_, of_file))
    assert len(keys) == 13


def test_keys_depend_on_what_is_in_packs(tmp_path: Path) -> None:
    order_, _ = chords()
    keys = []
    for number, label in enumerate(("C", "C", "D")):
        path = tmp_path / f"{number}.parquet"
        kt.pack("chords", {"song": ([(0, 2)], [label])}, path)
        packed = collect_pack(path, name="r", task=order_.task, options=order_.options)
        keys.append(key(order_, Corpus((packed,), (replace(packed, name="s"),))))
    assert keys[0] == keys[1] != keys[2]


@pytest.mark.parametrize(("folder", "part"), [("v2", ""), ("v#2", ""), ("v2", "#flute")])
def test_keys_depend_on_what_is_in_files_of_options(tmp_path: Path, folder: str, part: str) -> None:
    order_, corpus = instruments()
    (tmp_path / folder).mkdir()
    tree = tmp_path / folder / "tree.json"
    keys = set()
    for text in ('{"flute": "wind"}', '{"flute": "woodwind"}'):
        tree.write_text(text, encoding="utf-8")
        keys.add(key(replace(order_, options=InstrumentOptions(taxonomy=f"{tree}{part}")), corpus))
    assert len(keys) == 2


def test_what_changed_while_it_was_scored_is_not_kept(tmp_path: Path) -> None:
    names = [f"{n:03}.lab" for n in range(250)]
    for name in names:
        (tmp_path / name).write_text("0 2 C\n", encoding="utf-8")
    order_, _ = chords()
    songs = Collection("r", {name: ((None, tmp_path / name),) for name in names})
    corpus = Corpus((songs,), (replace(songs, name="s"),))
    keys = []

    def key_then_change(*arguments: Any, **options: Any) -> str:
        keys.append(key_of_shard(*arguments, **options))
        if len(keys) == 1:
            (tmp_path / names[0]).write_text("0 2 D\n", encoding="utf-8")
        return keys[-1]

    with keeping(tmp_path / "run") as store, pytest.MonkeyPatch.context() as patch:
        assert store is not None
        patch.setattr("kammerton.scoring.running.key_of_shard", key_then_change)
        score_corpus(order_, corpus, SMALL, store)
        assert store.kept == 1  # the other one


@pytest.mark.slow
def test_progress_is_told_shard_by_shard() -> None:
    told: list[Progress] = []
    songs = {f"{n:03}": ([(0, 2)], ["C"]) for n in range(450)}
    broken = {**songs, "001": ([(2, 0)], ["C"])}
    kt.score("chords", songs, broken, shard_size=200, progress=told.append)
    assert [(each.done, each.items, each.found, each.failed) for each in told] == [
        (200, 450, 0, 1),
        (400, 450, 0, 1),
        (450, 450, 0, 1),
    ]


def test_a_place_where_no_folder_can_be_made_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As below /proc, whose folder is there and takes none."""

    def refused(*_: object, **__: object) -> None:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(Path, "mkdir", refused)
    with pytest.raises(OutputError, match=r"KT501 cannot write .*: no folder"), keeping(tmp_path / "run"):
        pass
