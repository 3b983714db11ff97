# SPDX-License-Identifier: MIT
"""What readers are told of systems: their cards, how their networks learned, and what they fused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from kammerton.reporting.cards import TERM, hanging, paragraph
from kammerton.reporting.charts import ACCENT, SOFT, altair_of, styled
from kammerton.reporting.escaping import for_terminal
from kammerton.reporting.tables import FORMS, aligned, latex

if TYPE_CHECKING:
    import altair as alt

_CAPTION = "Sources of a fusion: agreement with the result, and what their votes count."
_LEAST = 10
"""Items of least support that are listed: those that need a human most."""


def render_system_list(systems: Sequence[Mapping[str, Any]], *, width: int = 80) -> str:
    """Return a line or two for each system, under its task."""
    longest = max(len(for_terminal(system["system"])) for system in systems)
    lines: list[str] = []
    for task, of_task in groupby(systems, key=itemgetter("task")):
        lines += [""] * bool(lines) + [f"{for_terminal(task)}:"]
        for system in of_task:
            term = f"  {for_terminal(system['system']):<{longest}}  "
            lines += hanging(term, for_terminal(system["summary"]), width)
    return "\n".join(lines) + "\n"


def render_system_cards(systems: Sequence[Mapping[str, Any]], *, width: int = 80) -> str:
    """Return the whole card of each system."""
    blocks = []
    for system in systems:
        lines = [for_terminal(f"{system['task']}: {system['system']}")]
        lines += paragraph(for_terminal(system["summary"]), "  ", width)
        fields = {
            "takes": ", ".join(system["takes"]),
            "settings": ", ".join(
                name if value is None else f"{name}={value}" for name, value in system["settings"].items()
            )
            or "none",
            "source": system["source"],
            "licence": system["licence"],
            "trained on": system["trained_on"],
            "levels": "; ".join(system["levels"]) or "none stated",
            "limits": system["limits"],
            "cost": system["cost"],
            "package": system["package"],
            "needs": system["extra"] and f"kammerton[{system['extra']}]",
        }
        for name, text in fields.items():
            if text:
                lines += hanging(f"  {name:<{TERM}} ", for_terminal(str(text)), width)
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def learning_curve(epochs: Sequence[Sequence[float]]) -> alt.TopLevelMixin:
    """Return the agreement after each epoch, the best one marked, and the loss below.

    A row has the loss of an epoch, the agreement after it, and its rate, as models have them.
    """
    alt = altair_of()
    best = max(range(len(epochs)), key=lambda number: epochs[number][1])
    rows = [
        {"epoch": number + 1, "loss": loss, "agreement": 100 * agreement, "best": number == best}
        for number, (loss, agreement, _) in enumerate(epochs)
    ]
    epoch = alt.X("epoch:Q", title="epoch", axis=alt.Axis(tickMinStep=1), scale=alt.Scale(nice=False))
    panel = alt.Chart(alt.Data(values=rows)).properties(width=460, height=150)
    panels = []
    for name, title, colour in (
        ("agreement", "validation agreement, %", ACCENT),
        ("loss", "loss for each note, training", SOFT),
    ):
        height = alt.Y(f"{name}:Q", title=title, scale=alt.Scale(zero=False))
        line = panel.mark_line(color=colour, strokeWidth=2).encode(x=epoch, y=height)
        mark = panel.transform_filter("datum.best").mark_point(color=colour, filled=True, size=60)
        panels.append(line + mark.encode(x=epoch, y=height))
    return styled(alt.vconcat(*panels))


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
