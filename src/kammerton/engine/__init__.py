# SPDX-License-Identifier: MIT
"""A corpus cut into shards, scored one by one or side by side, and put together again."""

from kammerton.engine.means import Means
from kammerton.engine.plan import SHARD
from kammerton.engine.running import score_corpus

__all__ = ["SHARD", "Means", "score_corpus"]
