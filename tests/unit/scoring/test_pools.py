# SPDX-License-Identifier: MIT
"""Who works on shards does not show in the result; a worker that is lost costs the items that lose it."""

import os
import signal
import threading
import time
from collections.abc import Iterable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from kammerton.errors import OptionError, TaskError
from kammerton.model.evidence import Evidence
from kammerton.runs.layout import files_of, tables_of
from kammerton.scoring import running, workers
from kammerton.scoring.running import Execution, Shard, score_corpus
from kammerton.scoring.workers import ProcessPool
from unit.scoring.words import Words, corpus_of, order

SIZE = 200


def parts(evidence: Evidence) -> tuple[Any, ...]:
    return files_of(evidence), tables_of(evidence), evidence.diagnostics


def failed(evidence: Evidence) -> dict[str, str]:
    """Return the items that failed, and why; all others were scored."""
    assert {row.status for row in evidence.rows["pair"]} <= {"ok", "failed"}
    return {row.item: row.reason for row in evidence.rows["pair"] if row.status == "failed"}


@pytest.mark.parametrize("jobs", [2, 3])
def test_processes_give_what_one_gives(jobs: int) -> None:
    corpus = corpus_of({3: ("?",), 998: ("a",)})
    expected = parts(score_corpus(order(), corpus))
    assert parts(score_corpus(order(), corpus, Execution(size=SIZE, jobs=jobs))) == expected


def test_there_is_no_process_without_a_shard(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[int] = []

    def open_pool(jobs: int, executor: Any) -> Any:
        opened.append(jobs)
        return workers.open_pool(jobs, executor)

    monkeypatch.setattr(running, "open_pool", open_pool)
    for items in (12, SIZE + 1):
        score_corpus(order(), corpus_of({}, items), Execution(size=SIZE, jobs=100_000))
    assert opened == [1, 2]


def test_any_executor_will_do_and_is_left_open() -> None:
    corpus = corpus_of({3: ("?",)})
    with ThreadPoolExecutor(2) as executor:
        found = score_corpus(order(), corpus, Execution(size=SIZE, executor=executor))
        assert executor.submit(abs, -1).result() == 1
    assert parts(found) == parts(score_corpus(order(), corpus))


def test_songs_by_the_public_functions() -> None:
    songs = {str(n): ([(0, 2), (2, 4)], ["C", "G:7"]) for n in range(401)}
    others = {str(n): ([(0, 2 + n % 2), (3, 4)], ["C", "G:7"]) for n in range(401)}
    one = kt.score("chords", songs, others)
    two = kt.score("chords", songs, others, jobs=2, shard_size=SIZE)
    assert two.to_dict() == one.to_dict()


def test_a_worker_that_is_killed_once_costs_nothing(tmp_path: Path) -> None:
    corpus = corpus_of({450: ("a", "b", "once", str(tmp_path / "killed"))})
    found = score_corpus(order(), corpus, Execution(size=SIZE, jobs=2))
    assert failed(found) == {}
    assert found.diagnostics == ()
    assert parts(found) == parts(score_corpus(order(), corpus))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("kill", "worker killed (signal 9)"),
        ("leave", "worker ended with exit code 7"),
        ("memory", "out of memory"),
    ],
)
def test_an_item_that_loses_its_worker_fails_and_no_other(word: str, why: str) -> None:
    found = score_corpus(order(), corpus_of({450: (word,)}), Execution(size=SIZE, jobs=2))
    assert failed(found) == {"0450": f"reference: KT240 {why}"}
    (said,) = found.diagnostics
    assert (said.code, said.severity) == ("KT240", "error")
    assert said.message == f"1 item could not be scored, e.g. `0450`: {why}"


def test_memory_may_run_out_in_one_process_too() -> None:
    found = score_corpus(order(), corpus_of({7: ("memory",), 9: ("memory",)}, 200))
    assert failed(found) == dict.fromkeys(("0007", "0009"), "reference: KT240 out of memory")
    assert found.diagnostics[0].message == "2 items could not be scored, e.g. `0007`: out of memory"


def test_items_that_are_broken_stay_so_where_another_loses_its_worker() -> None:
    corpus = corpus_of({7: ("memory",)}, 200)
    (people,) = corpus.references
    sources = {item: each for item, each in people.sources.items() if item != "0009"}
    people = replace(people, sources=sources, broken={"0009": "KT205 two files"})
    assert failed(score_corpus(order(), replace(corpus, references=(people,)))) == {
        "0007": "reference: KT240 out of memory",
        "0009": "reference: KT205 two files",
    }


@pytest.mark.parametrize(("most", "failing"), [(0, range(200)), (1, range(7, 200)), (3, [7, 9])])
def test_patience_with_a_shard_ends(
    monkeypatch: pytest.MonkeyPatch, most: int, failing: Iterable[int]
) -> None:
    monkeypatch.setattr("kammerton.scoring.running._MOST", most)
    found = score_corpus(order(), corpus_of({7: ("memory",), 9: ("memory",)}, 400), Execution(size=SIZE))
    assert sorted(failed(found)) == [f"{n:04}" for n in failing]


class Exhausted(Executor):
    """Has no memory for anything of the second shard, whatever is left out of it."""

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if any(isinstance(each, Shard) and each.number == 1 for each in arguments):
            future.set_exception(MemoryError())
        else:
            future.set_result(function(*arguments))
        return future


def test_a_shard_that_loses_its_worker_without_the_guilty_too_fails_as_a_whole() -> None:
    corpus = corpus_of({3: ("a",)}, 600)
    found = score_corpus(order(), corpus, Execution(size=SIZE, executor=Exhausted()))
    assert sorted(failed(found)) == [f"{n:04}" for n in range(200, 400)]
    assert set(failed(found).values()) == {"reference: KT240 out of memory"}
    assert [each.count for each in found.diagnostics if each.code == "KT240"] == [200]


def test_a_pool_that_takes_no_more_work_is_a_lost_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    submit, calls = ProcessPoolExecutor.submit, []

    def broken_once(pool: ProcessPoolExecutor, /, *arguments: Any, **options: Any) -> Future[Any]:
        calls.append(arguments)
        if len(calls) == 4:  # two were for workers to be ready
            raise BrokenExecutor
        return submit(pool, *arguments, **options)

    monkeypatch.setattr(ProcessPoolExecutor, "submit", broken_once)
    corpus = corpus_of({3: ("a",)}, 600)
    assert parts(score_corpus(order(), corpus, Execution(size=SIZE, jobs=2))) == parts(
        score_corpus(order(), corpus)
    )
    assert len(calls) > 4


@pytest.mark.parametrize("breaks", [True, False])
def test_a_pool_that_breaks_while_a_process_starts_is_a_lost_worker(
    breaks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def submit(pool: ProcessPoolExecutor, /, *_: Any) -> None:
        pool._broken = breaks  # as the pool's own thread does
        raise ValueError("bad value(s) in fds_to_keep")

    pool = ProcessPool(1)
    with monkeypatch.context() as patched:
        patched.setattr(ProcessPoolExecutor, "submit", submit)
        with pytest.raises(BrokenExecutor if breaks else ValueError, match="fds_to_keep"):
            pool.submit(bytes, 3)
    pool.close(at_once=True)


def test_a_fault_of_the_program_is_no_lost_worker() -> None:
    for means in (Execution(size=SIZE), Execution(size=SIZE, jobs=2)):
        message = "the task `words` failed: `adopt` of `0450`: ZeroDivisionError: a bug"
        with pytest.raises(TaskError, match=message):
            score_corpus(order(), corpus_of({450: ("bug",)}), means)


def test_workers_that_are_left_over_are_not_waited_for() -> None:
    pool = ProcessPool(2)
    slept = pool.submit(time.sleep, 100_000)
    pool.prepare()
    assert pool.loss(BrokenExecutor()) == "worker killed"  # though the pool itself is not broken
    assert isinstance(slept.exception(), BrokenExecutor)
    pool.prepare()
    pool.renew()
    assert pool.submit(bytes, 3).result() == bytes(3)
    pool.close(at_once=False)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2] != "Z"


def test_who_is_interrupted_leaves_no_workers(tmp_path: Path) -> None:
    note = tmp_path / "worker"
    sleeper: Words = ("worker", "sleep", str(note))

    def interrupt() -> None:
        while not note.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        score_corpus(order(), corpus_of({450: sleeper}), Execution(size=SIZE, jobs=2))
    assert not alive(int(note.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"jobs": 0}, "jobs are 1 or more, got 0"),
        ({"jobs": True}, "jobs are 1 or more, got True"),
        ({"jobs": 1.5}, "jobs are 1 or more"),
        ({"executor": 3}, "executor must be an Executor"),
        ({"jobs": 2, "executor": Executor()}, "an executor knows how many jobs it has"),
        ({"jobs": 2, "executor": "dask://localhost:1"}, "an executor knows how many jobs it has"),
        ({"executor": "ray"}, "unknown executor `ray`"),
        ({"shard_size": 0}, "a shard has one item or more, got 0"),
    ],
)
def test_choices_that_are_not_possible(choices: dict[str, Any], message: str) -> None:
    songs = {"one": ([(0, 2)], ["C"])}
    with pytest.raises(OptionError, match=message.replace("[", r"\[")):
        kt.score("chords", songs, songs, **choices)
