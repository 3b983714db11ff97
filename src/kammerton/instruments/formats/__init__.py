# SPDX-License-Identifier: MIT
"""Readers of lists of instruments."""

from kammerton.instruments.formats.adopting import adopt

__all__ = ["adopt"]
