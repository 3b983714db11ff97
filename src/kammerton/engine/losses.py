# SPDX-License-Identifier: MIT
"""Items that take their worker with them: they fail, and the run goes on."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace

from kammerton.engine.plan import Shard
from kammerton.errors import Diagnostic, quote
from kammerton.model.corpus import Collection, Corpus

__all__ = ["only", "said_of", "without"]

_CODE = "KT240"


def only(shard: Shard, items: Iterable[str]) -> Shard:
    """Return the part of a shard that has these items."""
    kept = tuple(items)
    return Shard(shard.number, kept, _restricted(shard.corpus, frozenset(kept), {}))


def without(shard: Shard, failed: Mapping[str, str]) -> Shard:
    """Return a shard of which some items are not read: they fail, for a reason."""
    kept = frozenset(shard.items) - failed.keys()
    reasons = {item: f"{_CODE} {why}" for item, why in failed.items()}
    return replace(shard, corpus=_restricted(shard.corpus, kept, reasons))


def said_of(failed: Iterable[tuple[str, str]]) -> tuple[Diagnostic, ...]:
    """Say which items failed, and why.

    Parameters
    ----------
    failed : iterable of (item, reason)
    """
    by_reason: dict[str, list[str]] = {}
    for item, why in failed:
        by_reason.setdefault(why, []).append(item)
    return tuple(
        Diagnostic(
            code=_CODE,
            severity="error",
            message=f"{_count(items)} could not be scored, e.g. {quote(items[0])}: {why}",
            hint="is there enough memory? the rest was scored without them",
            count=len(items),
        )
        for why, items in by_reason.items()
    )


def _count(items: list[str]) -> str:
    return "1 item" if len(items) == 1 else f"{len(items):,} items"


def _restricted(corpus: Corpus, kept: Container[str], failed: Mapping[str, str]) -> Corpus:
    return Corpus(
        tuple(_part(each, kept, failed) for each in corpus.references),
        tuple(_part(each, kept, {}) for each in corpus.systems),
    )


def _part(collection: Collection, kept: Container[str], failed: Mapping[str, str]) -> Collection:
    broken = {item: why for item, why in collection.broken.items() if item in kept}
    lost = {item: why for item, why in failed.items() if item in collection.items}
    return replace(
        collection,
        sources={item: each for item, each in collection.sources.items() if item in kept},
        broken={**broken, **lost},
    )
