# SPDX-License-Identifier: MIT
"""Items that take their worker with them: they fail, and the run goes on."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from kammerton.engine.plan import Shard
from kammerton.errors import Diagnostic, plural, quote
from kammerton.model.corpus import Collection, Corpus

__all__ = ["only", "said_of", "without"]

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
            message=f"{plural(len(items), 'item')} could not be scored, e.g. {quote(items[0])}: {why}",
            hint="is there enough memory? the rest was scored without them",
            count=len(items),
        )
        for why, items in by_reason.items()
    )


def _restricted(corpus: Corpus, kept: Sequence[str], failed: Mapping[str, str]) -> Corpus:
    failing = {each.name: _failing(each.only(kept), each.items, failed) for each in corpus.bases}
    if not corpus.references:
        return Corpus((), tuple(failing.values()))
    return Corpus(tuple(failing.values()), tuple(each.only(kept) for each in corpus.systems))


def _failing(kept: Collection, items: Container[str], failed: Mapping[str, str]) -> Collection:
    """Return a collection in which some of its items before are broken."""
    return replace(kept, broken={**kept.broken, **{i: why for i, why in failed.items() if i in items}})
