# SPDX-License-Identifier: MIT
"""A corpus is scored shard by shard; scores do not depend on who scores what."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from kammerton.errors import Diagnostic
from kammerton.model.corpus import Corpus
from kammerton.model.evidence import Evidence
from kammerton.scoring.evaluating import Facts, Part, ScoringJob, Timing, score_part
from kammerton.scoring.keeping import Store, decode_part, encode_part, keeping
from kammerton.scoring.merging import Ledger
from kammerton.scoring.shards import SHARD, Plan, Shard, key_of_order, key_of_shard, only, said_of, without
from kammerton.scoring.workers import Execution, WorkerPool, pool_of

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
"""Shards for each worker that are handed out at the same time: one to work on, and one to go on with."""
_CHECK_S = 5
"""Seconds after which those who work are asked whether they will finish."""
_KEY = 64
"""Characters of a key."""
_MOST = 40
"""Workers that may be lost to a shard until all its items that may be to blame fail."""


def score_corpus(
    order: ScoringJob,
    corpus: Corpus,
    means: Execution = Execution(),  # noqa: B008 - frozen
    store: Store | None = None,
    watch: Watch | None = None,
    timing: Timing | None = None,
) -> Evidence:
    """Score every system of a corpus against every annotator."""
    timing = timing or Timing()
    with timing.during("scoring"), pool_of(means) as crew:
        crew.prepare(order)
        with timing.during("collecting"):
            plan = Plan(corpus, means.size)
        ledger = Ledger(order, plan.corpus)
        run = _Run(order, plan, ledger, crew, store if len(plan) > 1 else None, watch)
        run.score(range(len(plan)))
        while stale := ledger.stale():  # a shard may not know yet what a later one tells of the whole
            run.score(stale, whole=ledger.facts)
    timing.items, timing.found = run.progress.done - run.progress.found, run.progress.found
    with timing.during("merging"):
        return ledger.evidence(run.losses)


class _Scored(NamedTuple):
    """What was found in a shard, and the key of what was read for it; none if nobody wants it."""

    part: Part
    key: str


def _scored(order: ScoringJob, choices: bytes | None, shard: Shard, known: Facts, complete: bool) -> _Scored:
    part = score_part(order, shard.corpus, shard.items, known, complete=complete)
    return _Scored(part, "" if choices is None else key_of_shard(order, choices, shard))


def _encoded(order: ScoringJob, choices: bytes | None, shard: Shard, known: Facts, complete: bool) -> bytes:
    """Score a shard in another process: the key comes first, padded."""
    part, key = _scored(order, choices, shard, known, complete)
    return f"{key:{_KEY}}".encode("ascii") + encode_part(part)


class _Run:
    """Hands out shards, and takes in what comes back.

    Attributes
    ----------
    progress : Progress
        How far it is.
    """

    def __init__(
        self,
        order: ScoringJob,
        plan: Plan,
        ledger: Ledger,
        crew: WorkerPool,
        store: Store | None,
        watch: Watch | None,
    ) -> None:
        self._order, self._plan, self._ledger, self._crew = order, plan, ledger, crew
        self._failed: dict[int, dict[str, str]] = {}
        self._ahead = 1 if crew.here else crew.workers * _AHEAD
        self._store = store
        self._watch = watch
        self.progress = Progress(0, len(plan.items), 0, 0)
        self._choices = None if store is None else key_of_order(order)
        self._keys: dict[int, str] = {}
        self._seen: set[int] = set()

    @property
    def losses(self) -> tuple[Diagnostic, ...]:
        """What is said of items that no worker could score."""
        return said_of(why for _, failed in sorted(self._failed.items()) for why in failed.items())

    def score(self, numbers: Iterable[int], whole: Facts | None = None) -> None:
        """Score shards; ``whole`` is what is known of the corpus, once it is."""
        waiting, running = deque(numbers), dict[Future[bytes | _Scored], int]()
        suspects: list[int] = []
        while waiting or running:
            while waiting and not suspects and len(running) < self._ahead:
                shard = self._shard(waiting.popleft())
                if whole is not None or not self._find(shard):
                    running[self._begin(shard, whole)] = shard.number
            for future in self._finished(running):
                number = running.pop(future)
                if self._lost(future) is None:
                    self._take(number, future.result())
                else:
                    suspects.append(number)
            if suspects and not running:  # one of those that were worked on is to blame, or none
                self._crew.renew()
                for number in sorted(suspects):
                    self._score_alone(number, whole)
                suspects = []

    def _finished(self, running: Collection[Future[bytes | _Scored]]) -> Iterable[Future[bytes | _Scored]]:
        """Wait for one of several shards at least."""
        while running:
            done = wait(running, timeout=_CHECK_S, return_when=FIRST_COMPLETED).done
            if done:
                return done
            self._crew.check()
        return ()

    def _find(self, shard: Shard) -> bool:
        """Take in what was finished before."""
        if self._store is None or self._choices is None:
            return False
        self._keys[shard.number] = key_of_shard(self._order, self._choices, shard, claimed=True)
        part = self._store.find(self._keys[shard.number], self._order.measures)
        if part is None:
            return False
        self._add(shard.number, part, found=True)
        return True

    def _score_alone(self, number: int, whole: Facts | None) -> None:
        """Score a shard again whose worker was lost; what loses its worker again fails."""
        future = self._begin(self._shard(number), whole)
        why = self._lost(future)
        if why is not None:
            self._crew.renew()
            shard = self._shard(number)
            guilty = self._guilty(shard, why, whole)
            self._failed[number] = {**self._failed.get(number, {}), **guilty}
            future = self._begin(self._shard(number), whole)
            if self._lost(future) is not None:
                self._crew.renew()
                self._failed[number] = dict.fromkeys(shard.items, why)
                empty = self._shard(number)  # nothing of it is read
                self._take(number, _scored(self._order, None, empty, self._ledger.facts, complete=False))
                return
        self._take(number, future.result())

    def _guilty(self, shard: Shard, why: str, whole: Facts | None) -> dict[str, str]:
        """Find the items that lose their worker, by halves; in the end all that may be among them."""
        found: dict[str, str] = {}
        suspects, lost = deque([(shard.items, why)]), 0
        while suspects:
            items, why = suspects.popleft()
            if len(items) == 1 or lost >= _MOST:
                found |= dict.fromkeys(items, why)
                continue
            for half in (items[: len(items) // 2], items[len(items) // 2 :]):
                again = self._lost(self._begin(only(shard, half), whole))
                if again is not None:
                    self._crew.renew()
                    suspects.append((half, again))
                    lost += 1
        return dict(sorted(found.items()))

    def _lost(self, future: Future[bytes | _Scored]) -> str | None:
        """Wait, and say how the worker was lost, if it was."""
        self._finished((future,))
        error = future.exception()
        return None if error is None else self._crew.loss(error)

    def _shard(self, number: int) -> Shard:
        shard = self._plan.shard(number)
        return without(shard, self._failed[number]) if number in self._failed else shard

    def _begin(self, shard: Shard, whole: Facts | None) -> Future[bytes | _Scored]:
        complete = whole is not None
        known = self._ledger.facts if whole is None else whole
        work: Callable[..., bytes | _Scored] = _scored if self._crew.here else _encoded
        try:
            return self._crew.submit(work, self._order, self._choices, shard, known, complete)
        except BrokenExecutor as error:  # by what is still running
            broken: Future[bytes | _Scored] = Future()
            broken.set_exception(error)
            return broken

    def _take(self, number: int, found: bytes | _Scored) -> None:
        """Take in what was found, and keep it if it was found in what was asked for."""
        data: bytes | Part
        if isinstance(found, bytes):
            key, data = found[:_KEY].decode("ascii"), found[_KEY:]
            part = decode_part(data, self._order.measures)
        else:
            part, key = found
            data = part
        if self._store is not None and key == self._keys[number]:
            self._store.keep(key, data)
        self._add(number, part)

    def _add(self, number: int, part: Part, *, found: bool = False) -> None:
        self._ledger.add(number, part)
        if number in self._seen:  # what is scored again is no progress
            return
        self._seen.add(number)
        items = len(self._plan.items_of(number))
        judged = () if part.judged is None else islice(part.judged.rows.values(), 1)
        failed = (int(rows.in_state(lambda state: state.status == "failed").sum()) for rows in judged)
        before = self.progress
        self.progress = Progress(
            done=before.done + items,
            items=before.items,
            found=before.found + items * found,
            failed=before.failed + sum(failed),
        )
        if self._watch is not None:
            self._watch(self.progress)
