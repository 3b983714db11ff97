# SPDX-License-Identifier: MIT
"""A corpus cut into shards, scored one by one or side by side, and put together again."""

from kammerton.engine.keeping import Store, keeping
from kammerton.engine.means import Means
from kammerton.engine.plan import SHARD
from kammerton.engine.progress import Progress, Watch
from kammerton.engine.running import score_corpus

__all__ = ["SHARD", "Means", "Progress", "Store", "Watch", "keeping", "score_corpus"]
