# SPDX-License-Identifier: MIT
"""A corpus is scored shard by shard; scores do not depend on who scores what."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass

from kammerton.errors import Diagnostic
from kammerton.model.corpus import Corpus
from kammerton.model.evidence import Evidence
from kammerton.scoring.evaluating import PartialEvidence, Timing, score_part
from kammerton.scoring.keeping import Store, decode_part, encode_part, keeping
from kammerton.scoring.loading import CorpusSurvey, ScoringJob
from kammerton.scoring.merging import EvidenceMerger
from kammerton.scoring.shards import (
    SHARD,
    Shard,
    ShardPlan,
    key_of_job,
    key_of_shard,
    only,
    report_losses,
    without,
)
from kammerton.scoring.workers import Execution, WorkerPool, open_pool

__all__ = ["SHARD", "Execution", "Progress", "Store", "Watch", "keeping", "score_corpus"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    # done, items: items that are finished, and all of them
    done: int
    items: int
    found: int  # items that were finished before the run began
    failed: int  # rows of finished items that failed: an item of each system and annotator


Watch = Callable[[Progress], None]


_AHEAD = 2
"""Shards for each worker that are submitted at the same time: one to work on, and one to go on with."""
_CHECK_S = 5
"""Seconds after which the pool is asked whether there still are workers."""
_KEY = 64
"""Characters of a key."""
_MOST = 40
"""Items of a shard that may lose their workers until the rest of the shard fails with them."""


def score_corpus(
    job: ScoringJob,
    corpus: Corpus,
    execution: Execution = Execution(),  # noqa: B008 - frozen
    store: Store | None = None,
    watch: Watch | None = None,
    timing: Timing | None = None,
) -> Evidence:
    """Score every system of a corpus against every annotator."""
    timing = timing or Timing()
    with timing.during("scoring"), open_pool(execution) as pool:
        pool.prepare(job)
        with timing.during("collecting"):
            plan = ShardPlan(corpus, execution.size)
        run = _Run(job, plan, pool, store if len(plan) > 1 else None, watch)
        numbers: Iterable[int] = range(len(plan))
        survey: CorpusSurvey | None = None
        while numbers:
            if not pool.here:
                run.score(numbers, survey)
            for number in numbers if pool.here else ():
                shard = run.shard(number)
                if survey is None and run.resume(shard):
                    continue
                try:
                    known = survey or run.merger.survey
                    part = score_part(job, shard.corpus, shard.items, known, complete=survey is not None)
                except MemoryError:
                    run.score_alone(number, survey)
                else:
                    run.take(shard, part)
            # a later shard may show something of the whole that earlier ones were scored without
            numbers, survey = run.merger.stale(), run.merger.survey
    timing.items, timing.found = run.progress.done - run.progress.found, run.progress.found
    with timing.during("merging"):
        return run.merger.evidence(run.losses)


def _score_elsewhere(
    job: ScoringJob, choices: bytes | None, shard: Shard, known: CorpusSurvey | None, complete: bool
) -> bytes:
    """Score a shard in another process: the key of what was read comes first, padded; none if nobody asks."""
    part = score_part(job, shard.corpus, shard.items, known, complete=complete)
    key = "" if choices is None else key_of_shard(job, choices, shard)
    return f"{key:{_KEY}}".encode("ascii") + encode_part(part)


class _Run:
    """Submits shards, and takes in what comes back.

    Attributes
    ----------
    progress : Progress
        How far it is.
    merger : EvidenceMerger
        Has the evidence of the shards that are finished.
    """

    def __init__(
        self,
        job: ScoringJob,
        plan: ShardPlan,
        pool: WorkerPool,
        store: Store | None,
        watch: Watch | None,
    ) -> None:
        self._job, self._plan, self._pool = job, plan, pool
        self.merger = EvidenceMerger(job, plan.corpus)
        self._failed: dict[int, dict[str, str]] = {}
        self._store, self._watch = store, watch
        self.progress = Progress(0, len(plan.items), 0, 0)
        self._choices = None if store is None else key_of_job(job)
        self._keys: dict[int, str] = {}
        self._seen: set[int] = set()

    @property
    def losses(self) -> tuple[Diagnostic, ...]:
        """Diagnostics of items that no worker could score."""
        reasons: list[tuple[str, str]] = []
        for _, failed in sorted(self._failed.items()):
            reasons += failed.items()
        return report_losses(reasons) if reasons else ()

    def score(self, numbers: Iterable[int], survey: CorpusSurvey | None) -> None:
        """Score shards by workers; ``survey`` is that of the whole corpus, once it is known."""
        waiting, running = deque(numbers), dict[Future[bytes], int]()
        suspects: list[int] = []
        while waiting or running:
            while waiting and not suspects and len(running) < self._pool.workers * _AHEAD:
                shard = self.shard(waiting.popleft())
                if survey is not None or not self.resume(shard):
                    running[self._submit(shard, survey)] = shard.number
            for future in self._finished(running):
                number = running.pop(future)
                if self._loss(future) is None:
                    self._take_bytes(number, future.result())
                else:
                    suspects.append(number)
            if suspects and not running:  # one of the shards that were running lost the worker, or none
                self._pool.renew()
                for number in sorted(suspects):
                    self.score_alone(number, survey)
                suspects = []

    def _finished(self, running: Collection[Future[bytes]]) -> Iterable[Future[bytes]]:
        """Wait for one of several shards at least."""
        while running:
            done = wait(running, timeout=_CHECK_S, return_when=FIRST_COMPLETED).done
            if done:
                return done
            self._pool.check()
        return ()

    def resume(self, shard: Shard) -> bool:
        """Take in a shard that was finished before, if there is one."""
        if self._store is None or self._choices is None:
            return False
        self._keys[shard.number] = key_of_shard(self._job, self._choices, shard, claimed=True)
        part = self._store.find(self._keys[shard.number], self._job.measures)
        if part is None:
            return False
        self._add(shard.number, part, found=True)
        return True

    def score_alone(self, number: int, survey: CorpusSurvey | None) -> None:
        """Score a shard again whose worker was lost; the items that lose their worker again fail.

        One item that needs more memory than there is would otherwise cost all the work of hours.
        """
        future = self._submit(self.shard(number), survey)
        reason = self._loss(future)
        if reason is not None:
            self._pool.renew()
            shard = self.shard(number)
            guilty = self._guilty(shard, reason, survey)
            self._failed[number] = {**self._failed.get(number, {}), **guilty}
            future = self._submit(self.shard(number), survey)
            if self._loss(future) is not None:
                self._pool.renew()
                self._failed[number] = dict.fromkeys(shard.items, reason)
                empty = self.shard(number)  # nothing of it is read
                known = self.merger.survey
                self._take_bytes(number, _score_elsewhere(self._job, None, empty, known, complete=False))
                return
        self._take_bytes(number, future.result())

    def _guilty(self, shard: Shard, reason: str, survey: CorpusSurvey | None) -> dict[str, str]:
        """Score the items of a shard one by one to find those that lose their worker, and why."""
        guilty: dict[str, str] = {}
        for number, item in enumerate(shard.items):
            if len(guilty) >= _MOST:
                return guilty | dict.fromkeys(shard.items[number:], reason)
            loss = self._loss(self._submit(only(shard, (item,)), survey))
            if loss is not None:
                self._pool.renew()
                guilty[item] = loss
        return guilty

    def _loss(self, future: Future[bytes]) -> str | None:
        """Wait, and return how the worker was lost, if it was."""
        self._finished((future,))
        error = future.exception()
        return None if error is None else self._pool.loss(error)

    def shard(self, number: int) -> Shard:
        """Return a shard, without the items that failed with their worker."""
        shard = self._plan.shard(number)
        return without(shard, self._failed[number]) if number in self._failed else shard

    def _submit(self, shard: Shard, survey: CorpusSurvey | None) -> Future[bytes]:
        known, complete = survey or self.merger.survey, survey is not None
        try:
            return self._pool.submit(_score_elsewhere, self._job, self._choices, shard, known, complete)
        except BrokenExecutor as error:  # by another shard
            broken: Future[bytes] = Future()
            broken.set_exception(error)
            return broken

    def _take_bytes(self, number: int, data: bytes) -> None:
        """Take in what a worker returned."""
        part = decode_part(data[_KEY:], self._job.measures)
        self._keep(number, data[:_KEY].decode("ascii"), data[_KEY:])
        self._add(number, part)

    def take(self, shard: Shard, part: PartialEvidence) -> None:
        """Take in what this process scored."""
        if self._choices is not None:
            self._keep(shard.number, key_of_shard(self._job, self._choices, shard), part)
        self._add(shard.number, part)

    def _keep(self, number: int, key: str, part: bytes | PartialEvidence) -> None:
        """Keep a part for a run that resumes, unless its sources changed while they were read."""
        if self._store is not None and key == self._keys[number]:
            self._store.keep(key, part)

    def _add(self, number: int, part: PartialEvidence, *, found: bool = False) -> None:
        self.merger.add(number, part)
        if number in self._seen:  # what is scored again is no progress
            return
        self._seen.add(number)
        items, failed, before = len(self._plan.items_of(number)), 0, self.progress
        if self._watch is not None and part.results is not None:
            rows = next(iter(part.results.rows.values()))
            failed = int(rows.in_state(lambda state: state.status == "failed").sum())
        self.progress = Progress(
            done=before.done + items,
            items=before.items,
            found=before.found + items * found,
            failed=before.failed + failed,
        )
        if self._watch is not None:
            self._watch(self.progress)
