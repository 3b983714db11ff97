# SPDX-License-Identifier: MIT
"""Annotations that lie elsewhere: ``s3://``, ``gs://``, ``http(s)://`` and whatever else fsspec opens."""

from kammerton.formats.remote.addresses import is_remote, name_at, shown_address
from kammerton.formats.remote.finding import RemoteFiles, find_remote, source_at
from kammerton.formats.remote.sources import RemoteSource

__all__ = [
    "RemoteFiles",
    "RemoteSource",
    "find_remote",
    "is_remote",
    "name_at",
    "shown_address",
    "source_at",
]
