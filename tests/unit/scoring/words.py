# SPDX-License-Identifier: MIT
"""A small task of words, some of which are the end of who reads them.

An annotation is a tuple of words. ``words/recall`` is the share of the words of the reference that the
estimate has.
"""

import os
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import numpy as np

from kammerton.arrays import ratio
from kammerton.errors import Diagnostic
from kammerton.model.corpus import Collection, Corpus
from kammerton.model.measure import Card, Measure, Protocol, Statistics, Values
from kammerton.model.task import Case, Evaluation, Reading, Task
from kammerton.scoring.loading import ScoringJob

__all__ = ["RECALL", "TASK", "Words", "corpus_of", "order"]

Words = tuple[str, ...]


@dataclass(frozen=True)  # equal in all processes
class Share:
    statistics = ("part", "whole")

    def finalise(self, statistics: Statistics, /) -> Values:
        return ratio(statistics[:, 0], statistics[:, 1])

    def weight(self, statistics: Statistics, /) -> Values:
        return statistics[:, 1]

    def worst(self, statistics: Statistics, /) -> Statistics:
        return statistics * [0, 1]


CARD = Card(summary="s", equation="e", undefined_when="there are no words", source="s", agrees_with="a")
RECALL = Measure(protocol="words", name="recall", formula=Share(), aggregate="mean", card=CARD)


@dataclass(frozen=True, kw_only=True)
class Options:
    pass


def evaluate(cases: Sequence[Case[Words]], measures: Sequence[Measure], options: Options) -> Evaluation:
    if any("memory" in case.pair[0] for case in cases):
        raise MemoryError
    counts = [(len(set(ref) & set(est)), len(ref)) for ref, est in (case.pair for case in cases)]
    return Evaluation({RECALL: np.array(counts, dtype=float).reshape(-1, 2)})


def is_worker() -> bool:
    """Tell whether this process works for another; those of Dask are told so by who starts them."""
    return parent_process() is not None or "KAMMERTON_TEST_WORKER" in os.environ


def adopt(words: Any, name: str, options: Options) -> Reading[Words]:
    if "worker" in words:  # the last of those that were here
        Path(words[-1]).write_text(str(os.getpid()), encoding="utf-8")
    if "kill" in words and is_worker():
        os.kill(os.getpid(), signal.SIGKILL)
    if "once" in words and not Path(words[-1]).exists():
        Path(words[-1]).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if "leave" in words and is_worker():
        os._exit(7)
    if "bug" in words:
        raise ZeroDivisionError("a bug")
    if "sleep" in words:
        time.sleep(100_000)
    if "?" in words:
        return Reading((), (Diagnostic(code="KT999", severity="error", message="a question", file=name),))
    return Reading(((None, words),))


def nothing(reference: Words) -> Words:
    del reference
    return ()


def content(words: Words) -> bytes:
    return " ".join(words).encode()


def extent(words: Words) -> float:
    del words
    return 0.0


TASK = Task(
    name="words",
    summary="Words.",
    protocols=(Protocol(name="words", revision=1, summary="s", rules="r", measures=(RECALL,)),),
    suffixes=frozenset((".txt",)),
    options=Options,
    read=adopt,
    adopt=adopt,
    blank=nothing,
    content=content,
    extent=extent,
    evaluate=evaluate,
    coincides=True,
)


def order(**choices: Any) -> ScoringJob:
    return ScoringJob(task=TASK, measures=(RECALL,), options=Options(), **choices)


def corpus_of(words: Mapping[int, Words], items: int = 1000) -> Corpus:
    """Return a corpus of one system, which has half of the words of each item; some references are given."""
    references = {f"{n:04}": ((None, words.get(n, ("a", "b"))),) for n in range(items)}
    estimates = dict.fromkeys(references, ((None, ("a", "c")),))
    return Corpus((Collection("people", references),), (Collection("system", estimates),))
