# SPDX-License-Identifier: MIT
"""The signature of a score: what must be equal for two figures to be comparable."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from kammerton.model.measure import Measure
from kammerton.version import __version__

__all__ = ["data_hash", "signature", "signed_choices", "signed_file"]

_NOT_SIGNED = ("limits", "sides")
"""Budgets decide whether a file can be read, not what is read; sides are signed with their options."""


def data_hash(fingerprints: Mapping[tuple[str, str], bytes]) -> str:
    """Return six hexadecimal digits that tell apart sets of references.

    Parameters
    ----------
    fingerprints : mapping of (annotator, item) to bytes
        Digest of the parsed content of each reference.
    """
    whole = hashlib.sha256()
    for item, digest in sorted((item, digest) for (_, item), digest in fingerprints.items()):
        whole.update(item.encode("utf-8", "surrogateescape") + b"\0" + digest)
    return whole.hexdigest()[:6]


def signed_file(choice: str) -> str:
    """Return how a choice is signed that may name a file: as it is, or by the file's name and content.

    Parameters
    ----------
    choice : str
        A name, or a path, perhaps with ``#`` and a part of the file behind it.
    """
    path, mark, part = choice, "", ""
    if not os.path.isfile(path):  # noqa: PTH113 - a path may be too long, or hold what no path has
        path, mark, part = choice.rpartition("#")
        if not os.path.isfile(path):  # noqa: PTH113
            return choice
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:6]
    return f"{Path(path).name}@{digest}{mark}{part}"


def signed_choices(options: Any) -> dict[str, str]:
    """Return the options that differ from their defaults, as signatures have them.

    Of one side, such as ``layout={"estimates": "points"}``, it is said as ``estimates=points``.
    """
    default = type(options)()
    sides: Mapping[str, Mapping[str, Any]] = getattr(options, "sides", {})
    changed = {}
    for field in fields(options):
        if field.name in _NOT_SIGNED:
            continue
        value = getattr(options, field.name)
        plain = getattr(default, field.name)
        shown = [] if value == plain else [_shown(value, is_file=bool(field.metadata.get("file")))]
        shown += [
            f"{side}={_shown(values[field.name])}"
            for side, values in sorted(sides.items())
            if field.name in values and values[field.name] != value
        ]
        if shown:
            changed[field.name] = ",".join(shown)
    return changed


def _shown(value: object, *, is_file: bool = False) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    shown = ",".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, Mapping) else str(value)
    return signed_file(shown) if is_file else shown


def signature(
    measure: Measure,
    *,
    revision: int,
    missing: str,
    items: int,
    scored: int | None = None,
    data: str,
    choices: Mapping[str, str],
    drawing: Mapping[str, str] | None = None,
) -> str:
    """Return e.g. ``mirex2013/MajMin|rev:1|missing:worst|items:217|data:9f3c2a|kammerton:0.1.0``.

    Parameters
    ----------
    measure : Measure
        What was measured.
    revision : int
        Revision of its protocol.
    missing : str
        Policy for missing estimates.
    items : int
        Items of the references that could be used.
    scored : int, optional
        How many of them were scored, if not all were.
    data : str
        From :func:`data_hash`, of the references that were scored.
    choices : mapping of str to str
        Further choices that differ from their defaults.
    drawing : mapping of str to str, optional
        How items were drawn for intervals.
    """
    fields = {
        "rev": str(revision),
        "missing": missing,
        **choices,
        "items": str(items) if scored in (None, items) else f"{scored}/{items}",
        "data": data,
        **(drawing or {}),
        "kammerton": __version__,
    }
    return "|".join((str(measure), *(f"{key}:{value}" for key, value in fields.items())))
