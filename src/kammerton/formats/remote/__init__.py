# SPDX-License-Identifier: MIT
"""Annotations that lie elsewhere: ``s3://``, ``gs://``, ``http(s)://`` and whatever else fsspec opens."""

from kammerton.formats.remote.addresses import check_here, is_remote, name_at, shown_address, shown_path
from kammerton.formats.remote.finding import find_remote, source_at
from kammerton.formats.remote.sources import RemoteSource, lying_here

__all__ = [
    "RemoteSource",
    "check_here",
    "find_remote",
    "is_remote",
    "lying_here",
    "name_at",
    "shown_address",
    "shown_path",
    "source_at",
]
