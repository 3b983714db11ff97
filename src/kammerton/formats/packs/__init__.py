# SPDX-License-Identifier: MIT
"""Packs: many annotations, with their diagnostics, in one Parquet file."""

from kammerton.formats.packs.pack import collect_pack, is_pack, open_pack, opened_pack, read_packed_pairs
from kammerton.formats.packs.packing import new_pack

__all__ = ["collect_pack", "is_pack", "new_pack", "open_pack", "opened_pack", "read_packed_pairs"]
