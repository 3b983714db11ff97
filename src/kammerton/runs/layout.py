# SPDX-License-Identifier: MIT
"""Names of the files of a run."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from kammerton.model.measure import Needs

__all__ = [
    "AGREEMENT",
    "ANNOTATIONS",
    "CASES",
    "CLASSES",
    "CLUSTERS",
    "FORMAT",
    "GROUPS",
    "KIND",
    "LABELS",
    "RATINGS",
    "RECORD",
    "REFERENCES",
    "SCORES",
    "UNITS",
    "below",
    "of_annotator",
    "of_part",
    "rows_of",
    "table_of",
]

KIND = "kammerton run"
FORMAT = 1
"""Raised whenever a run of this form could no longer be read by an earlier version."""

SCORES, AGREEMENT = "scores", "agreement"
"""What a run may hold."""

RECORD = "run.json"
REFERENCES = "references.parquet"
CASES = "gathered.parquet"
"""Rows that measures over classes are made from."""
CLASSES = "gathered_classes.parquet"
UNITS = "gathered_units.parquet"
CLUSTERS = "clusters.parquet"
GROUPS = "groups.parquet"
ANNOTATIONS = "annotations.parquet"
"""A pack of what was scored. Nothing of it is read before an item is looked at."""
RATINGS = "ratings.parquet"
"""Codes of what annotators called each unit, and the size of it."""
LABELS = "ratings_labels.parquet"


def rows_of(needs: Needs) -> str:
    """Return the file of rows for measures that need the same."""
    return f"rows_{needs.replace('+', '_')}.parquet"


def table_of(name: str) -> str:
    """Return the file of a class table."""
    return f"table_{quote(name, safe='')}.parquet"


def below(start: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files whose names begin so, called by the rest of their names."""
    return {name.removeprefix(start): data for name, data in files.items() if name.startswith(start)}


def of_annotator(number: int, file: str) -> str:
    """Return the file of one annotator in a run of an agreement."""
    return f"annotator{number}_{file}"


def of_part(part: str, file: str) -> str:
    """Return the file of a part of what systems stand between: floors, others, annotators."""
    return f"context_{part}_{file}"
