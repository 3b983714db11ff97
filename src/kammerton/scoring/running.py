# SPDX-License-Identifier: MIT
"""A corpus is scored shard by shard; scores do not depend on the shards, nor on who scores them."""

from __future__ import annotations

import hashlib
import os
import stat
import struct
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from pathlib import Path

from kammerton.errors import Diagnostic, OptionError, plural, quote
from kammerton.formats.reading import file_of
from kammerton.model.corpus import Corpus, StoredSource
from kammerton.model.evidence import Evidence
from kammerton.model.task import Task
from kammerton.scoring.evaluating import BLOCK, PartialEvidence, Timing, score_part
from kammerton.scoring.keeping import Store, decode_part, encode_part
from kammerton.scoring.loading import CorpusSurvey, ScoringJob, read_source
from kammerton.scoring.merging import EvidenceMerger
from kammerton.scoring.workers import SerialPool, WorkerPool, open_pool
from kammerton.version import __version__

SHARD = 2000
"""Items of a shard by default: seconds of work, and little memory."""
_LOST = "KT240"
"""Code of items that lost their worker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """How the work is done."""

    size: int = SHARD  # items of a shard
    jobs: int = 1  # processes that work side by side; 1 is this process
    # in place of processes: an executor, which stays open; ``dask`` for a new Dask cluster on this machine,
    # with ``jobs`` workers; ``dask://host:port`` for one that runs already
    executor: Executor | str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.jobs, int) or isinstance(self.jobs, bool) or self.jobs < 1:
            raise OptionError(f"jobs are 1 or more, got {self.jobs!r}")
        if not isinstance(self.executor, Executor | str | None):
            raise OptionError.of_type("executor", self.executor, "an Executor, dask, or dask://HOST:PORT")
        if self.jobs > 1 and self.executor not in (None, "dask"):
            raise OptionError("an executor knows how many jobs it has")


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """Some items of a corpus."""

    number: int  # its place among the shards
    items: tuple[str, ...]  # sorted
    corpus: Corpus  # what references and systems have of them

    def only(self, item: str) -> Shard:
        """Return the part of the shard that has this item."""
        return replace(self, items=(item,), corpus=_restricted(self.corpus, (item,), {}))

    def without(self, failed: Mapping[str, str]) -> Shard:
        """Return the shard with some items unread: they fail, for a reason."""
        rest = [item for item in self.items if item not in failed]
        reasons = {item: f"{_LOST} {reason}" for item, reason in failed.items()}
        return replace(self, corpus=_restricted(self.corpus, rest, reasons))


def _restricted(corpus: Corpus, items: Sequence[str], failed: Mapping[str, str]) -> Corpus:
    """Return a corpus of some items; others of its bases are broken, for a reason."""
    bases = []
    for base in corpus.bases:
        broken = {item: reason for item, reason in failed.items() if item in base.items}
        rest = base.only(items)
        bases.append(replace(rest, broken={**rest.broken, **broken}))
    if not corpus.references:
        return Corpus((), tuple(bases))
    return Corpus(tuple(bases), tuple(system.only(items) for system in corpus.systems))


class ShardPlan:
    """A corpus in shards.

    Attributes
    ----------
    corpus : Corpus
        The whole, paired.
    items : tuple of str
        Every item that is to be scored, sorted.
    size, count : int
        Items of a shard, whole blocks of them, and number of shards; there is always one.
    """

    def __init__(self, corpus: Corpus, size: int = SHARD) -> None:
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise OptionError(f"a shard has one item or more, got {size!r}")
        self.corpus: Corpus = corpus.paired()
        self.items: tuple[str, ...] = tuple(sorted(self.corpus.items))
        self.size: int = -(-size // BLOCK) * BLOCK
        self.count: int = max(-(-len(self.items) // self.size), 1)

    def shard(self, number: int) -> Shard:
        """Return a shard."""
        items = self.items[number * self.size : (number + 1) * self.size]
        parts = []
        for collection in (*self.corpus.references, *self.corpus.systems):
            # the diagnostics of collecting are of the whole
            parts.append(replace(collection.only(items), diagnostics=(), written={}))
        annotators = len(self.corpus.references)
        return Shard(number, items, Corpus(tuple(parts[:annotators]), tuple(parts[annotators:])))


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
    execution: Execution = Execution(),
    store: Store | None = None,
    watch: Watch | None = None,
    timing: Timing | None = None,
) -> Evidence:
    """Score every system of a corpus against every annotator."""
    timing = timing or Timing()
    here = execution.jobs == 1 and execution.executor is None
    with timing.during("collecting"):
        plan = ShardPlan(corpus, execution.size)
    # a process without a shard would have nothing to do; a cluster has its own number of workers
    jobs = execution.jobs if execution.executor is not None else min(execution.jobs, plan.count)
    pool_of_run = nullcontext(SerialPool()) if here else open_pool(jobs, execution.executor)
    with timing.during("scoring"), pool_of_run as pool:
        if not here:
            pool.prepare(job)
        run = _Run(job, plan, pool, store if plan.count > 1 else None, watch)
        numbers: Iterable[int] = range(plan.count)
        survey: CorpusSurvey | None = None
        while numbers:
            if not here:
                run.score(numbers, survey)
            for number in numbers if here else ():
                shard = run.shard(number)
                if store is not None and survey is None and run.resume(shard):
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
        return run.merger.evidence(_report_losses(run.failed) if run.failed else ())


def _report_losses(failed: Mapping[int, Mapping[str, str]]) -> tuple[Diagnostic, ...]:
    """Report which items of each shard no worker could score, and why."""
    by_reason: dict[str, list[str]] = {}
    for _, reasons in sorted(failed.items()):
        for item, reason in reasons.items():
            by_reason.setdefault(reason, []).append(item)
    return tuple(
        Diagnostic(
            _LOST,
            "error",
            f"{plural(len(items), 'item')} could not be scored, e.g. {quote(items[0])}: {reason}",
            hint="is there enough memory? the rest was scored without them",
            count=len(items),
        )
        for reason, items in by_reason.items()
    )


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
    failed : dict of int to dict of str to str
        By shard, the items that no worker could score, and why.
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
        self.failed: dict[int, dict[str, str]] = {}
        self._store, self._watch = store, watch
        self.progress = Progress(0, len(plan.items), 0, 0)
        self._choices = None if store is None else key_of_job(job)
        self._keys: dict[int, str] = {}
        self._finished: set[int] = set()

    def score(self, numbers: Iterable[int], survey: CorpusSurvey | None) -> None:
        """Score shards by workers; ``survey`` is that of the whole corpus, once it is known."""
        waiting, running = deque(numbers), dict[Future[bytes], int]()
        suspects: list[int] = []
        while waiting or running:
            while waiting and not suspects and len(running) < self._pool.workers * _AHEAD:
                shard = self.shard(waiting.popleft())
                if survey is not None or not self.resume(shard):
                    running[self._submit(shard, survey)] = shard.number
            for future in self._wait_for_one(running):
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

    def _wait_for_one(self, running: Collection[Future[bytes]]) -> Iterable[Future[bytes]]:
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
        self._keys[shard.number] = key_of_shard(self._job, self._choices, shard)
        part = self._store.find(self._keys[shard.number], self._job.measures)
        if part is None:
            return False
        self._add(shard.number, part, found=True)
        return True

    def score_alone(self, number: int, survey: CorpusSurvey | None) -> None:
        """Score a shard again whose worker was lost; the items that lose their worker again fail.

        One item that needs more memory than there is would otherwise cost all the work of hours.
        """
        shard = self.shard(number)
        future = self._submit(shard, survey)
        reason = self._loss(future)
        if reason is not None:
            self._pool.renew()
            guilty = self._guilty(shard, reason, survey)
            self.failed[number] = {**self.failed.get(number, {}), **guilty}
            future = self._submit(self.shard(number), survey)
            if self._loss(future) is not None:
                self._pool.renew()
                self.failed[number] = dict.fromkeys(shard.items, reason)
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
            loss = self._loss(self._submit(shard.only(item), survey))
            if loss is not None:
                self._pool.renew()
                guilty[item] = loss
        return guilty

    def _loss(self, future: Future[bytes]) -> str | None:
        """Wait, and return how the worker was lost, if it was."""
        self._wait_for_one((future,))
        error = future.exception()
        return None if error is None else self._pool.loss(error)

    def shard(self, number: int) -> Shard:
        """Return a shard, without the items that failed with their worker."""
        shard = self._plan.shard(number)
        return shard.without(self.failed[number]) if number in self.failed else shard

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
        """Take in a part; what is scored again is no progress."""
        self.merger.add(number, part)
        if number in self._finished:
            return
        self._finished.add(number)
        plan, before, failed = self._plan, self.progress, 0
        items = min(plan.size, len(plan.items) - number * plan.size)
        if self._watch is not None and part.results is not None:
            rows = next(iter(part.results.rows.values()))
            failed = int(rows.with_status("failed").sum())
        self.progress = Progress(
            done=before.done + items,
            items=before.items,
            found=before.found + items * found,
            failed=before.failed + failed,
        )
        if self._watch is not None:
            self._watch(self.progress)


def key_of_job(job: ScoringJob) -> bytes:
    """Return the digest of what is done with every shard."""
    choices = []
    for field in fields(job.options):
        value = getattr(job.options, field.name)
        choices.append(f"{field.name}={value!r}")
        path = file_of(str(value))[0] if field.metadata.get("file") else None
        if path is not None:  # what is in the file counts
            choices.append(f"{field.name}={_digest_of_file(Path(path)).hex()}")
    return _digest(
        __version__,
        job.task.name,
        *(f"{measure}|{job.task.revision(measure)}" for measure in job.measures),
        *choices,
        job.missing,
        job.annotator,
        str(job.strict),
        str(BLOCK),
    )


def key_of_shard(job: ScoringJob, choices: bytes, shard: Shard) -> str:
    """Return the digest of what the part of a shard depends on."""
    whole = hashlib.sha256(choices)
    for role, collections in (("reference", shard.corpus.references), ("system", shard.corpus.systems)):
        for collection in collections:
            texts = [role, collection.name]
            options = collection.read_by(job.options)
            for item in shard.items:
                texts += [item, collection.broken.get(item, "")]
                for annotator, source in collection.sources.get(item, ()):
                    stored = source.digest if isinstance(source, StoredSource) else None
                    texts += [annotator or "", stored or _content(job.task, source, item, options).hex()]
            whole.update(_digest(*texts))
    return whole.hexdigest()


def _content(task: Task, source: object, item: str, options: object) -> bytes:
    """Return the digest of what a source holds; of a file its name too, which diagnostics have."""
    if isinstance(source, str | os.PathLike):
        return _digest(os.fsdecode(source)) + _digest_of_file(Path(source))
    reading = read_source(task, source, item, options)
    annotations = [f"{name}|{task.content(annotation).hex()}" for name, annotation in reading.annotations]
    return _digest(*annotations, *map(repr, reading.diagnostics))


def _digest_of_file(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return _digest("no regular file")
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        return _digest("unreadable", str(error.errno))


def _digest(*texts: str) -> bytes:
    """Return the digest of texts; their lengths keep each apart from the next."""
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = struct.pack(f">{1 + len(parts)}q", len(parts), *map(len, parts))
    return hashlib.sha256(b"".join((lengths, *parts))).digest()
