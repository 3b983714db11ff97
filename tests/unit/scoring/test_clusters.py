# SPDX-License-Identifier: MIT
"""Shards on a Dask cluster of two processes, which the tests start and stop."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

import pytest

from kammerton.errors import DataError, OptionError
from kammerton.model.evidence import Evidence
from kammerton.runs.layout import files_of, tables_of
from kammerton.scoring.running import Execution, score_corpus
from unit.scoring.words import Words, corpus_of, order

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # those of the cluster are not ours


@contextmanager
def cluster(allowed: int) -> Iterator[str]:
    """Give the address of a cluster of two workers that allows a task to lose so many of them."""
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": allowed}),
        distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as started,
        workers(started.scheduler_address),
    ):
        yield started.scheduler_address.replace("tcp://", "dask://")


@contextmanager
def workers(address: str) -> Iterator[None]:
    """Keep two workers: Dask itself does not replace one that is killed before it counts as started."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--no-dashboard"]
    paths = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
    environment = {**os.environ, "PYTHONPATH": paths, "KAMMERTON_TEST_WORKER": "yes"}
    at_end = Event()

    def start(folder: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*command, "--nthreads", "1", "--local-directory", folder],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def keep(folder: str) -> None:
        running = [start(folder), start(folder)]
        while not at_end.wait(0.05):
            running = [worker if worker.poll() is None else start(folder) for worker in running]
        for worker in running:
            worker.kill()
            worker.wait()

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        keeper = Thread(target=keep, args=(folder,))
        keeper.start()
        try:
            yield
        finally:
            at_end.set()
            keeper.join()


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    with cluster(3) as address:
        yield address


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Wait for schedulers, and for workers until they are back: on a busy machine they take their time."""
    dask = pytest.importorskip("dask")
    pytest.importorskip("distributed")
    monkeypatch.setattr("kammerton.scoring.workers._LONELY_S", 600)
    monkeypatch.setattr("kammerton.scoring.workers._SECONDS", 600)
    with dask.config.set({f"distributed.comm.timeouts.{name}": "600s" for name in ("connect", "tcp")}):
        yield


def parts(evidence: Evidence) -> tuple[Any, ...]:
    return files_of(evidence), tables_of(evidence), evidence.diagnostics


def test_a_cluster_gives_what_one_process_gives(scheduler: str) -> None:
    corpus = corpus_of({3: ("?",), 998: ("a",)})
    found = score_corpus(order(), corpus, Execution(size=200, executor=scheduler))
    assert parts(found) == parts(score_corpus(order(), corpus))


def test_workers_that_are_killed_twice_during_a_run_cost_nothing(scheduler: str, tmp_path: Path) -> None:
    once: dict[int, Words] = {at: ("a", "b", "once", str(tmp_path / f"killed{at}")) for at in (250, 850)}
    found = score_corpus(order(), corpus_of(once), Execution(size=200, executor=scheduler))
    assert len(list(tmp_path.iterdir())) == 2
    assert parts(found) == parts(score_corpus(order(), corpus_of(once)))


def test_a_shard_that_kills_its_workers_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kammerton.scoring.running._MOST", 0)
    with cluster(0) as address:
        found = score_corpus(order(), corpus_of({450: ("kill",)}), Execution(size=200, executor=address))
    failed = {row.item: row.reason for row in found.rows["pair"] if row.status == "failed"}
    assert failed == {f"{n:04}": "reference: KT240 worker killed" for n in range(400, 600)}


def test_a_cluster_that_stays_without_workers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("kammerton.scoring.workers._LONELY_S", 0.2)
    monkeypatch.setattr("kammerton.scoring.running._CHECK_S", 0.1)
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as started:
        address = started.scheduler_address.replace("tcp://", "dask://")
        with pytest.raises(DataError) as caught:
            score_corpus(order(), corpus_of({}, 3), Execution(executor=address))
    (said,) = caught.value.diagnostics
    assert (said.code, said.message) == ("KT241", "the cluster has had no workers for 0.2 s")


def test_a_cluster_on_this_machine() -> None:
    found = score_corpus(order(), corpus_of({}, 400), Execution(size=200, jobs=2, executor="dask"))
    assert parts(found) == parts(score_corpus(order(), corpus_of({}, 400)))


@pytest.mark.parametrize("address", ["dask://127.0.0.1:1", "dask://", "dask://nowhere"])
def test_nobody_answers(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kammerton.scoring.workers._SECONDS", 0.5)
    with pytest.raises(OptionError, match=f"no scheduler of Dask answers at `{re.escape(address)}`"):
        score_corpus(order(), corpus_of({}, 3), Execution(executor=address))


def test_dask_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(OptionError, match="clusters need dask and distributed"):
        score_corpus(order(), corpus_of({}, 3), Execution(executor="dask"))
