# SPDX-License-Identifier: MIT
"""Run a system item by item: in parallel, with progress, and so that a stopped run resumes."""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from time import monotonic
from typing import Any

from kammerton.arrays import Weights
from kammerton.errors import Diagnostic
from kammerton.scoring.keeping import Store
from kammerton.scoring.running import Progress, Watch
from kammerton.scoring.workers import work_in_order
from kammerton.systems.system import Input

_SECONDS = 1.0
"""After which what was finished since is written: each file takes its time."""
_OF_ARRAYS = {"_frombuffer", "_reconstruct", "dtype", "ndarray", "scalar"}
"""What NumPy makes arrays with."""
_DIGEST = hashlib.sha256().digest_size


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What became of an item."""

    annotation: Any | None  # None if there is none
    confidence: Weights | None  # of its rows, if the system has it
    diagnostics: tuple[Diagnostic, ...]


class _Unpickler(pickle.Unpickler):
    """Makes nothing but records of ours and arrays: anybody may have written the file."""

    def find_class(self, module: str, name: str) -> Any:
        root = module.partition(".")[0]
        made = (
            super().find_class(module, name) if root in ("kammerton", "numpy") and "." not in name else None
        )
        is_record = root == "kammerton" and isinstance(made, type) and is_dataclass(made)
        if not is_record and not (root == "numpy" and name in _OF_ARRAYS):
            raise pickle.UnpicklingError(f"{module}.{name} is in no outcome")
        return made


class Kept:
    """Outcomes by key in a store: those of an earlier run, and those of this one."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._new: dict[str, Outcome] = {}
        self._last = monotonic()
        self._outcomes: dict[str, Outcome] = {}
        for data in () if store is None else store.parts():
            body = data[_DIGEST:]
            if hashlib.sha256(body).digest() == data[:_DIGEST]:
                self._outcomes |= _read(body)

    def find(self, key: str) -> Outcome | None:
        """Return the outcome of a key, if it is there."""
        return self._outcomes.get(key)

    def add(self, key: str, outcome: Outcome) -> None:
        """Keep an outcome; one without an annotation may be another the next time."""
        if self._store is not None and outcome.annotation is not None:
            self._new[key] = outcome
            if monotonic() - self._last >= _SECONDS:
                self.write()

    def write(self) -> None:
        """Write what was not written yet."""
        if self._store is not None and self._new:
            body = pickle.dumps(self._new, protocol=5)
            digest = hashlib.sha256(body)
            self._store.keep(digest.hexdigest(), digest.digest() + body)
            self._new, self._last = {}, monotonic()


def _read(body: bytes) -> dict[str, Outcome]:
    try:
        outcomes = dict(_Unpickler(io.BytesIO(body)).load())
    except Exception:  # whatever comes of what others made; it is done again
        return {}
    return {key: outcome for key, outcome in outcomes.items() if isinstance(outcome, Outcome)}


def work_through(
    work: Callable[[Input], Outcome],
    sources: Mapping[str, Input],
    keys: Mapping[str, str],
    *,
    store: Store | None = None,
    jobs: int = 1,
    watch: Watch | None = None,
) -> Iterator[tuple[str, Outcome]]:
    """Give the outcome of each item, in their order; ``keys`` has what each depends on."""
    kept = Kept(store)
    before = {item: outcome for item in sources if (outcome := kept.find(keys[item])) is not None}
    outcomes = work_in_order(work, [own for item, own in sources.items() if item not in before], jobs)
    failed = 0
    try:
        for done, item in enumerate(sources, 1):
            if (outcome := before.get(item)) is None:
                outcome = next(outcomes)
                kept.add(keys[item], outcome)
            failed += outcome.annotation is None
            if watch is not None:
                watch(Progress(done, len(sources), len(before), failed))
            yield item, outcome
    except BaseException:
        kept.write()
        raise
