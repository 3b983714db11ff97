# SPDX-License-Identifier: MIT
"""What systems stand between as the files of a run, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kammerton.model.evidence import Evidence
from kammerton.model.surroundings import Surroundings
from kammerton.runs import layout
from kammerton.runs.evidence_files import evidence_of, files_of
from kammerton.statistics.context import context_of

__all__ = ["keep_surroundings", "surroundings_of"]

_PARTS = ("floors", "others", "annotators")


def keep_surroundings(surroundings: Surroundings) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return surroundings as plain values, and the files of their evidence."""
    parts: dict[str, Any] = {}
    files: dict[str, bytes] = {}
    for name in _PARTS:
        evidence: Evidence | None = getattr(surroundings, name)
        if evidence is not None:
            parts[name] = {"measures": list(map(str, evidence.measures)), "needs": list(evidence.rows)}
            files |= {layout.of_part(name, file): data for file, data in files_of(evidence).items()}
    return {"single": surroundings.single, "parts": parts}, files


def surroundings_of(
    kept: Mapping[str, Any], files: Mapping[str, bytes], measures: Mapping[str, Any]
) -> Surroundings:
    """Return the surroundings that were kept.

    Parameters
    ----------
    kept : mapping
        From :func:`keep_surroundings`.
    files : mapping of str to bytes
        All files of the run.
    measures : mapping of str to Measure
        Measures of the run by address.
    """
    parts: dict[str, Evidence] = {}
    for name, told in kept["parts"].items():
        own = layout.below(layout.of_part(name, ""), files)
        chosen = [measures[address] for address in told["measures"]]
        parts[name] = evidence_of(own, chosen, told["needs"], (), ())
    return Surroundings(**parts, single=kept["single"], stand=context_of)
