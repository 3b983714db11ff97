# SPDX-License-Identifier: MIT
"""``run.json``: what was scored by what, and the digest of every file of the run, its own too."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from kammerton.errors import Diagnostic
from kammerton.model.portable import carried
from kammerton.runs.layout import FORMAT, KIND
from kammerton.runs.problems import fault
from kammerton.version import __version__

__all__ = ["digest_of", "noticed", "parse_record", "render_record", "versions"]

_DIGEST = "digest"
_NOT_SIGNED = "timing"
"""What differs between two runs of the same."""


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(data).hexdigest()


def render_record(record: Mapping[str, Any]) -> bytes:
    """Return a record as the content of ``run.json``."""
    whole = {"kind": KIND, "format": FORMAT, **record}
    signed = {name: value for name, value in whole.items() if name != _NOT_SIGNED}
    return _text({**whole, _DIGEST: digest_of(_text(signed))})


def _text(record: Mapping[str, Any]) -> bytes:
    return (json.dumps(record, indent=1, allow_nan=False) + "\n").encode("ascii")


def parse_record(data: bytes, name: str) -> dict[str, Any]:
    """Return the record that ``run.json`` holds.

    Raises
    ------
    DataError
        KT700 if it is that of no run, KT701 if it is torn or was changed, KT704 if a later version wrote it.
    """
    try:
        record = json.loads(data)
    except (ValueError, RecursionError) as error:
        if KIND.encode("ascii") in data:
            raise fault("KT701", "run is torn: its record ends too early, or was changed", name) from error
        raise fault("KT700", "not the record of a run", name) from error
    if not isinstance(record, dict) or record.get("kind") != KIND:
        raise fault("KT700", "not the record of a run", name)
    if record.get("format") != FORMAT:
        message = f"run of form {record.get('format')!r}, written by a later version; this one reads {FORMAT}"
        raise fault("KT704", message, name, "score again, or read it with that version")
    del record["kind"], record["format"]
    record.pop(_DIGEST, None)
    if data != _rewritten(record):  # to the byte: nobody has to judge which changes matter
        raise fault("KT701", "run was changed after it was written: its record is not what was signed", name)
    return record


def _rewritten(record: Mapping[str, Any]) -> bytes:
    try:
        return render_record(record)
    except (ValueError, RecursionError):  # what no record has: NaN, too many digits, lists in lists
        return b""


def versions() -> dict[str, str]:
    """Return the versions of what a run is made with."""
    import polars as pl  # noqa: PLC0415 - half the import time; most runs of the program write no run

    return {
        "kammerton": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "polars": pl.__version__,
    }


def noticed(diagnostics: Iterable[Diagnostic], roots: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return diagnostics as plain values, without what is so on one machine only."""
    return [asdict(each) for each in carried(diagnostics, roots)]
