# SPDX-License-Identifier: MIT
"""Protocols that score lists of instruments."""

from kammerton.instruments.protocols import kiritchenko2006, lca, open_mic_task1, open_mic_task2, scores

__all__ = ["PROTOCOLS"]

PROTOCOLS = tuple(
    module.PROTOCOL for module in (open_mic_task1, open_mic_task2, kiritchenko2006, lca, scores)
)
"""In the order in which they are shown."""
