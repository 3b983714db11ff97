# SPDX-License-Identifier: MIT
"""How a corpus is cut into shards, and the key of each."""

from __future__ import annotations

import hashlib
import os
import stat
import struct
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from kammerton.errors import Diagnostic, OptionError, plural, quote
from kammerton.formats.reading import file_of
from kammerton.model.corpus import Collection, Corpus, StoredSource
from kammerton.scoring.evaluating import BLOCK
from kammerton.scoring.loading import ScoringJob, read_source
from kammerton.version import __version__

__all__ = ["SHARD", "Shard", "ShardPlan", "key_of_job", "key_of_shard", "only", "report_losses", "without"]

SHARD = 2000
"""Items of a shard by default: seconds of work, and little memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """Some items of a corpus."""

    number: int  # its place among the shards
    items: tuple[str, ...]  # sorted
    corpus: Corpus  # what references and systems have of them


class ShardPlan:
    """A corpus in shards.

    Attributes
    ----------
    corpus : Corpus
        The whole, paired.
    items : tuple of str
        Every item that is to be scored, sorted.
    """

    def __init__(self, corpus: Corpus, size: int = SHARD) -> None:
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise OptionError(f"a shard has one item or more, got {size!r}")
        self.corpus: Corpus = corpus.paired()
        self.items: tuple[str, ...] = tuple(sorted(self.corpus.items))
        self._size = -(-size // BLOCK) * BLOCK

    def __len__(self) -> int:
        """Return the number of shards; there is always one."""
        return max(-(-len(self.items) // self._size), 1)

    def items_of(self, number: int) -> tuple[str, ...]:
        """Return the items of a shard."""
        return self.items[number * self._size : (number + 1) * self._size]

    def shard(self, number: int) -> Shard:
        """Return a shard."""
        items = self.items_of(number)
        parts = []
        for collection in (
            *self.corpus.references,
            *self.corpus.systems,
        ):
            # the diagnostics of collecting are of the whole
            parts.append(replace(collection.only(items), diagnostics=(), written={}))
        annotators = len(self.corpus.references)
        return Shard(number, items, Corpus(tuple(parts[:annotators]), tuple(parts[annotators:])))


_CODE = "KT240"


def only(shard: Shard, items: Iterable[str]) -> Shard:
    """Return the part of a shard that has these items."""
    kept = tuple(items)
    return replace(shard, items=kept, corpus=_restricted(shard.corpus, kept, {}))


def without(shard: Shard, failed: Mapping[str, str]) -> Shard:
    """Return a shard of which some items are not read: they fail, for a reason."""
    kept = [item for item in shard.items if item not in failed]
    reasons = {item: f"{_CODE} {why}" for item, why in failed.items()}
    return replace(shard, corpus=_restricted(shard.corpus, kept, reasons))


def report_losses(failed: Iterable[tuple[str, str]]) -> tuple[Diagnostic, ...]:
    """Report which items failed, and why."""
    by_reason: dict[str, list[str]] = {}
    for item, why in failed:
        by_reason.setdefault(why, []).append(item)
    return tuple(
        Diagnostic(
            code=_CODE,
            severity="error",
            message=f"{plural(len(items), 'item')} could not be scored, e.g. {quote(items[0])}: {why}",
            hint="is there enough memory? the rest was scored without them",
            count=len(items),
        )
        for why, items in by_reason.items()
    )


def _restricted(corpus: Corpus, kept: Sequence[str], failed: Mapping[str, str]) -> Corpus:
    bases = tuple(_failing(each.only(kept), each.items, failed) for each in corpus.bases)
    if not corpus.references:
        return Corpus((), bases)
    return Corpus(bases, tuple(each.only(kept) for each in corpus.systems))


def _failing(kept: Collection, items: Container[str], failed: Mapping[str, str]) -> Collection:
    """Return a collection in which some of its items before are broken."""
    return replace(kept, broken={**kept.broken, **{i: why for i, why in failed.items() if i in items}})


def key_of_job(job: ScoringJob) -> bytes:
    """Return the digest of what is done with every shard."""
    task = job.task
    return _digest(
        __version__,
        task.name,
        *(f"{measure}|{task.revision(measure)}" for measure in job.measures),
        *(f"{name}={value}" for name, value in _choices(job.options)),
        job.missing,
        job.annotator,
        str(job.strict),
        str(BLOCK),
    )


def _choices(options: Any) -> Iterator[tuple[str, str]]:
    """Give every option; of files what is in them."""
    for field in fields(options):
        value = getattr(options, field.name)
        yield field.name, repr(value)
        path = file_of(str(value))[0] if field.metadata.get("file") else None
        if path is not None:
            yield field.name, _of_file(Path(path)).hex()


def key_of_shard(job: ScoringJob, choices: bytes, shard: Shard, *, claimed: bool = False) -> str:
    """Return the digest of what the part of a shard depends on."""
    whole = hashlib.sha256(choices)
    for role, collections in (("reference", shard.corpus.references), ("system", shard.corpus.systems)):
        for collection in collections:
            whole.update(_digest(role, collection.name, *_items(job, collection, shard.items, claimed)))
    return whole.hexdigest()


def _items(job: ScoringJob, collection: Collection, items: Iterable[str], claimed: bool) -> Iterator[str]:
    for item in items:
        yield item
        yield collection.broken.get(item, "")
        for annotator, source in collection.sources.get(item, ()):
            yield annotator or ""
            stored = isinstance(source, StoredSource) and (source.claim if claimed else source.digest)
            yield stored or _content(job, source, item, collection.read_by(job.options)).hex()


def _content(job: ScoringJob, source: object, item: str, options: object) -> bytes:
    """Return the digest of what a source holds; of a file its name too, which diagnostics have."""
    if isinstance(source, str | os.PathLike):
        return _digest(os.fsdecode(source)) + _of_file(Path(source))
    reading = read_source(job.task, source, item, options)
    annotations = [f"{name}|{job.task.content(annotation).hex()}" for name, annotation in reading.annotations]
    return _digest(*annotations, *map(repr, reading.diagnostics))


def _of_file(path: Path) -> bytes:
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
