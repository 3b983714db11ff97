# SPDX-License-Identifier: MIT
"""Names of the files of a run."""

from __future__ import annotations

from urllib.parse import quote

from kammerton.model.measure import Needs

__all__ = [
    "CASES",
    "CLASSES",
    "CLUSTERS",
    "FORMAT",
    "KIND",
    "RECORD",
    "REFERENCES",
    "UNITS",
    "rows_of",
    "table_of",
]

KIND = "kammerton run"
FORMAT = 1
"""Raised whenever a run of this form could no longer be read by an earlier version."""

RECORD = "run.json"
REFERENCES = "references.parquet"
CASES = "gathered.parquet"
"""Rows that measures over classes are made from."""
CLASSES = "gathered_classes.parquet"
UNITS = "gathered_units.parquet"
CLUSTERS = "clusters.parquet"


def rows_of(needs: Needs) -> str:
    """Return the file of rows for measures that need the same."""
    return f"rows_{needs.replace('+', '_')}.parquet"


def table_of(name: str) -> str:
    """Return the file of a class table."""
    return f"table_{quote(name, safe='')}.parquet"
