# SPDX-License-Identifier: MIT
"""Protocols and measures described: what a reader must know to trust a score."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from kammerton.model.measure import Measure, Protocol
from kammerton.model.task import Task
from kammerton.reporting.escaping import for_markdown, for_terminal
from kammerton.version import __version__

_TERM = 15


@dataclass(frozen=True, slots=True)
class Described:
    """A protocol of a task, and those of its measures that are to be described."""

    task: str
    protocol: Protocol
    measures: tuple[Measure, ...]


def card_fields(measure: Measure) -> dict[str, str]:
    """Return the lines of a measure's card by their names."""
    low, high = measure.range
    beside = f", also {', '.join(measure.beside)}" if measure.beside else ""
    return {
        "formula": measure.card.equation,
        "range": f"{low:g} to {high:g}, {measure.direction} is better, worst {measure.worst:g}",
        "unit": f"none; weighed in {measure.weight_unit}",
        "aggregate": (measure.aggregate + beside).replace("_", " "),
        "intervals": f"resample {_resampled(measure)}",
        "undefined when": measure.card.undefined_when,
        "source": measure.card.source,
        "agrees with": measure.card.agrees_with,
        "laws": ", ".join(sorted(measure.laws)).replace("_", " ") or "none",
        "needs": "; ".join(filter(None, (measure.needs.replace("+", " and "), ", ".join(measure.inputs)))),
    }


def _resampled(measure: Measure) -> str:
    """Return what intervals resample: items, or the classes that the measure averages."""
    return measure.weight_unit if measure.resamples_classes else "items"


def describe(described: Sequence[Described]) -> list[dict[str, Any]]:
    """Return everything as plain values."""
    return [
        {
            "task": entry.task,
            "protocol": entry.protocol.name,
            "revision": entry.protocol.revision,
            "on_request": entry.protocol.on_request,
            "summary": entry.protocol.summary,
            "rules": entry.protocol.rules,
            "citation": entry.protocol.citation,
            "measures": [_plain(measure) for measure in entry.measures],
        }
        for entry in described
    ]


def _plain(measure: Measure) -> dict[str, Any]:
    return {
        "measure": str(measure),
        "summary": measure.card.summary,
        "formula": measure.card.equation,
        "range": list(measure.range),
        "direction": measure.direction,
        "worst": measure.worst,
        "weight_unit": measure.weight_unit,
        "aggregate": measure.aggregate,
        "beside": list(measure.beside),
        "headline": measure.headline,
        "resampled": _resampled(measure),
        "undefined_when": measure.card.undefined_when,
        "source": measure.card.source,
        "agrees_with": measure.card.agrees_with,
        "laws": sorted(measure.laws),
        "needs": measure.needs,
        "inputs": list(measure.inputs),
    }


def render_list(described: Sequence[Described], *, width: int = 80) -> str:
    """Return a line or two for each protocol and measure; a star marks headline measures."""
    blocks = []
    for entry in described:
        longest = max(len(str(measure)) for measure in entry.measures)
        lines = [_title(entry), *_paragraph(entry.protocol.summary, "  ", width), ""]
        for measure in entry.measures:
            term = f"{'*' if measure.headline else ' '} {measure!s:<{longest}}  "
            lines += _hanging(term, measure.card.summary, width)
        blocks.append("\n".join(lines) + "\n")
    return "\n".join([*blocks, "* headline measure: shown without --all\n"])


def render_cards(described: Sequence[Described], *, width: int = 80) -> str:
    """Return the rules of each protocol and the whole card of each measure."""
    blocks = []
    for entry in described:
        lines = [_title(entry)]
        for text in (entry.protocol.summary, entry.protocol.rules):
            lines += _paragraph(text, "  ", width)
        for line in entry.protocol.citation.splitlines():
            lines += _paragraph(line, "  ", width, "      ") or [""]
        blocks.append("\n".join(lines) + "\n")
        blocks += ["\n".join(_card(measure, width)) + "\n" for measure in entry.measures]
    return "\n".join(blocks)


def _title(described: Described) -> str:
    request = ", runs only when named" if described.protocol.on_request else ""
    return f"{described.task}: {described.protocol.name}, revision {described.protocol.revision}{request}"


def _card(measure: Measure, width: int) -> Iterator[str]:
    yield str(measure)
    yield from _paragraph(measure.card.summary, "  ", width)
    for name, text in card_fields(measure).items():
        yield from _hanging(f"  {name:<{_TERM}} ", text, width)


def render_system_list(systems: Sequence[Mapping[str, Any]], *, width: int = 80) -> str:
    """Return a line or two for each system, under its task."""
    longest = max(len(for_terminal(system["system"])) for system in systems)
    lines: list[str] = []
    for task, of_task in groupby(systems, key=itemgetter("task")):
        lines += [""] * bool(lines) + [f"{for_terminal(task)}:"]
        for system in of_task:
            term = f"  {for_terminal(system['system']):<{longest}}  "
            lines += _hanging(term, for_terminal(system["summary"]), width)
    return "\n".join(lines) + "\n"


def render_system_cards(systems: Sequence[Mapping[str, Any]], *, width: int = 80) -> str:
    """Return the whole card of each system."""
    blocks = []
    for system in systems:
        lines = [for_terminal(f"{system['task']}: {system['system']}")]
        lines += _paragraph(for_terminal(system["summary"]), "  ", width)
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
                lines += _hanging(f"  {name:<{_TERM}} ", for_terminal(str(text)), width)
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _paragraph(text: str, indent: str, width: int, below: str | None = None) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, 20),
        initial_indent=indent,
        subsequent_indent=indent if below is None else below,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _hanging(term: str, text: str, width: int) -> list[str]:
    """Return a term with its text beside it or, where that leaves no room, below it."""
    indent = " " * (len(term) if len(term) <= width // 2 else 4)
    lines = _paragraph(text, indent, width) or [indent]
    if len(term) > len(indent):
        return [term.rstrip(), *lines]
    return [(term + lines[0][len(indent) :]).rstrip(), *lines[1:]]


def render_markdown_cards(described: Sequence[Described]) -> str:
    """Return headings, rules and one table for each measure in Markdown."""
    parts = []
    for entry in described:
        parts.append(f"## {for_markdown(_title(entry))}\n\n{for_markdown(entry.protocol.rules)}\n")
        if entry.protocol.citation:
            parts.append(f"```bibtex\n{entry.protocol.citation}\n```\n")
        for measure in entry.measures:
            rows = [f"| {name} | {for_markdown(text)} |" for name, text in card_fields(measure).items()]
            table = "\n".join(["| | |", "| --- | --- |", *rows])
            parts.append(f"### {measure}\n\n{for_markdown(measure.card.summary)}\n\n{table}\n")
    return "\n".join(parts)


OWN = f"""\
@misc{{kammerton,
  author = {{{{The Kammerton developers}}}},
  title = {{Kammerton: scores for music annotations}},
  howpublished = {{Computer program}},
  year = {{2026}},
  note = {{Version {__version__}}},
}}"""
"""The entry of the program itself; the same is in ``CITATION.cff``."""


def render_citations(task: Task, measures: Iterable[Measure]) -> str:
    """Return the entry of the program, and those of the works that define a protocol of these measures."""
    used = {measure.protocol for measure in measures}
    cited = [protocol.citation for protocol in task.protocols if protocol.name in used]
    entries = [entry for citation in cited for entry in citation.split("\n\n")]
    return "\n\n".join(entry for entry in dict.fromkeys((OWN, *entries)) if entry) + "\n"
