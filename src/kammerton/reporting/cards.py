# SPDX-License-Identifier: MIT
"""Protocols and measures described: what a reader must know to trust a score."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kammerton.model.measure import Measure, Protocol
from kammerton.model.task import Task
from kammerton.reporting.escaping import for_markdown
from kammerton.version import __version__

TERM = 15
"""Width of the names of fields."""


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
        lines = [_title(entry), *paragraph(entry.protocol.summary, "  ", width), ""]
        for measure in entry.measures:
            term = f"{'*' if measure.headline else ' '} {measure!s:<{longest}}  "
            lines += hanging(term, measure.card.summary, width)
        blocks.append("\n".join(lines) + "\n")
    return "\n".join([*blocks, "* headline measure: shown without --all\n"])


def render_cards(described: Sequence[Described], *, width: int = 80) -> str:
    """Return the rules of each protocol and the whole card of each measure."""
    blocks = []
    for entry in described:
        lines = [_title(entry)]
        for text in (entry.protocol.summary, entry.protocol.rules):
            lines += paragraph(text, "  ", width)
        for line in entry.protocol.citation.splitlines():
            lines += paragraph(line, "  ", width, "      ") or [""]
        blocks.append("\n".join(lines) + "\n")
        blocks += ["\n".join(_card(measure, width)) + "\n" for measure in entry.measures]
    return "\n".join(blocks)


def _title(described: Described) -> str:
    request = ", runs only when named" if described.protocol.on_request else ""
    return f"{described.task}: {described.protocol.name}, revision {described.protocol.revision}{request}"


def _card(measure: Measure, width: int) -> Iterator[str]:
    yield str(measure)
    yield from paragraph(measure.card.summary, "  ", width)
    for name, text in card_fields(measure).items():
        yield from hanging(f"  {name:<{TERM}} ", text, width)


def paragraph(text: str, indent: str, width: int, below: str | None = None) -> list[str]:
    """Return the lines of a text; those below the first have an indent of their own if it is given."""
    return textwrap.wrap(
        text,
        max(width, 20),
        initial_indent=indent,
        subsequent_indent=indent if below is None else below,
        break_on_hyphens=False,
        break_long_words=False,
    )


def hanging(term: str, text: str, width: int) -> list[str]:
    """Return a term with its text beside it or, where that leaves no room, below it."""
    indent = " " * (len(term) if len(term) <= width // 2 else 4)
    lines = paragraph(text, indent, width) or [indent]
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
