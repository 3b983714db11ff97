# SPDX-License-Identifier: MIT
"""What was fused of which sources, for readers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kammerton.reporting.tables import FORMS, aligned, latex

_CAPTION = "Sources of a fusion: agreement with the result, and what their votes count."
_LEAST = 10
"""Items of least support that are listed: those that need a human most."""


def render_fusion(document: Mapping[str, Any], form: str, *, encoding: str = "utf-8") -> str:
    """Return the sources of a fusion as a table; for a terminal, with the support of the result.

    ``document`` is what :meth:`kammerton.Fusion.to_dict` returns.
    """
    head, rows = _sources(document)
    if form == "latex":
        signed = f"signature {document['signature']}"
        return latex(head, rows, text_columns=1, caption=_CAPTION, label="sources", comments=[signed])
    if form != "table":
        return FORMS[form](head, rows, text_columns=1)
    overall = "".join(f"{line}\n" for line in _overall(document))
    least = _least_supported(document["items"], encoding)
    return f"{aligned(head, rows, text_columns=1, encoding=encoding)}{overall}\n{least}"


def _sources(document: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the table of sources; what a source agrees with is the result, not the truth."""
    unit, sources = document["unit"], document["sources"]
    details = [name for name in sources[0] if name.startswith("able_")]
    rows = [
        [
            row["source"],
            f"{row['items']:,}",
            _amount(row[unit], unit),
            _per_cent(row["agreement"]),
            f"{row['weight']:.2f}",
            *("yes" if row[name] else "no" for name in details),
            row["copy_of"] or "-",
        ]
        for row in sources
    ]
    names = [name.removeprefix("able_") for name in details]
    return ["source", "items", unit, "agrees %", "weight", *names, "copy of"], rows


def _overall(document: Mapping[str, Any]) -> Iterator[str]:
    unit, overall = document["unit"], document["overall"]
    shares = {name: f"{_per_cent(overall[name])} %" for name in ("support", "unanimous", "no_majority")}
    yield (
        f"mean support {shares['support']}, unanimous {shares['unanimous']}, "
        f"no majority {shares['no_majority']}, of {_amount(overall[unit], unit)} {unit}"
    )
    for name, fate in (("unknown", "left open"), ("missing", "labelled by no source")):
        if overall[name]:
            yield f"{fate}: {_amount(overall[name], unit)} {unit}"
    counts = [f"{count:,} of {sources}" for sources, count in overall["items_by_sources"].items()]
    yield f"items by number of sources: {', '.join(counts)}"
    yield f"signature {document['signature']}"


def _least_supported(items: Sequence[Mapping[str, Any]], encoding: str) -> str:
    """Return the items of least support; those that have none stand last."""
    ordered = sorted(items, key=lambda row: (row["support"] is None, row["support"], row["item"]))
    rows = [[row["item"], str(row["sources"]), _per_cent(row["support"])] for row in ordered[:_LEAST]]
    return aligned(["item of least support", "sources", "support %"], rows, text_columns=1, encoding=encoding)


def _amount(value: float, unit: str) -> str:
    """Return seconds with a decimal, counts without."""
    return f"{value:,.{1 if unit == 'seconds' else 0}f}"


def _per_cent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"
