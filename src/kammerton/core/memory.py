# SPDX-License-Identifier: MIT
"""Memory that columns take and give back thousands of times."""

from __future__ import annotations

import numpy as np

__all__ = ["keep_freed_memory"]

_LARGEST = 8 << 20
"""Bytes: larger than any column of a block."""


def keep_freed_memory() -> None:
    """Have the C library keep what is freed, twice 8 MiB at most, for what is taken next.

    By default glibc gives large blocks back to the system at once, which then clears page after page for
    the next: a tenth of the time that scoring takes. It keeps blocks up to the size of the largest that was
    ever freed (mallopt(3), ``M_MMAP_THRESHOLD``); this one is never written to, and so takes no memory. With
    another C library nothing changes.
    """
    np.empty(_LARGEST, dtype=np.uint8)
