# SPDX-License-Identifier: MIT
"""Readers of the files that lists of instruments come in."""

from kammerton.instruments.formats.adopting import adopt
from kammerton.instruments.formats.sniffing import (
    SUFFIXES,
    read,
    read_instruments,
    read_with_metadata,
    unfold,
)
from kammerton.instruments.formats.source import identify

__all__ = ["SUFFIXES", "adopt", "identify", "read", "read_instruments", "read_with_metadata", "unfold"]
