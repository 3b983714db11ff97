# SPDX-License-Identifier: MIT
"""Pages of the reference that are made of the program itself: measures, diagnostics, the command line."""

import contextlib
import io
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from unittest import mock

from kammerton.cli import main
from kammerton.cli.program import VERBS
from kammerton.model.measure import Measure, Protocol
from kammerton.model.registry import TASKS, find_task
from kammerton.reporting.cards import card_fields
from kammerton.reporting.escaping import for_markdown
from kammerton.reporting.explanations import page_of, pages, topics

GROUPS = {
    "KT1": "Files and rows",
    "KT2": "Items, annotators, systems",
    "KT3": "Labels, and what they mean",
    "KT4": "Archives of scores",
    "KT5": "Output",
    "KT6": "Instruments and taxonomies",
    "KT7": "Runs, packs, addresses",
    "KT8": "Systems",
}
"""What codes that begin so are about."""


def write_reference(folder: Path) -> None:
    """Write all pages of the reference into a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    for path, text in (*measure_pages(), *diagnostic_pages(), *command_pages()):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def measure_pages() -> Iterator[tuple[str, str]]:
    """Give a page for each measure, one for each protocol, and one of all protocols."""
    text = [
        "# Protocols and measures",
        "Every score is of a measure, and every measure of a protocol. These pages are made of their cards.",
    ]
    names = []
    for task in TASKS:
        rows = []
        for protocol in find_task(task).protocols:
            name = f"{task}-{protocol.name}"
            names.append(name)
            rows.append((f"[{protocol.name}]({name}.md)", protocol.summary, str(len(protocol.measures))))
            yield f"measures/{name}.md", protocol_page(task, protocol)
            for measure in protocol.measures:
                yield f"measures/{task}-{file_of(measure)}.md", measure_page(task, protocol, measure)
        text += [f"## {task.capitalize()}", table(("protocol", "what it is", "measures"), rows)]
    yield "measures/index.md", page(*text, toctree(names))


def protocol_page(task: str, protocol: Protocol) -> str:
    """Return the page of a protocol: its rules, its measures, what to cite."""
    files = [f"{task}-{file_of(measure)}" for measure in protocol.measures]
    rows = [
        (f"[{measure.name}]({file}.md)", "yes" if measure.headline else "", measure.card.summary)
        for measure, file in zip(protocol.measures, files, strict=True)
    ]
    request = "It is computed only when it is named." if protocol.on_request else ""
    citation = f"## What to cite\n\n```bibtex\n{protocol.citation}\n```" if protocol.citation else ""
    return page(
        f"# {protocol.name}: a protocol for {task}",
        f"{for_markdown(protocol.summary)} Revision {protocol.revision}. {request}",
        for_markdown(protocol.rules),
        "## Measures",
        table(("measure", "headline", "what it is"), rows),
        citation,
        toctree(files),
    )


def measure_page(task: str, protocol: Protocol, measure: Measure) -> str:
    """Return the page of a measure: its card, and the command that computes it."""
    return page(
        f"# {measure}",
        for_markdown(measure.card.summary),
        table(("card", ""), card_fields(measure).items()),
        f"```sh\nkammerton score {task} references estimates --measure {measure}\n```",
        f"Rules and citation: [{protocol.name}]({task}-{protocol.name}.md).",
    )


def file_of(measure: Measure) -> str:
    """Return what the page of a measure is called; no two names differ in case alone."""
    return str(measure).replace("/", "-")


def diagnostic_pages() -> Iterator[tuple[str, str]]:
    """Give a page for each code and topic that `kammerton explain` knows, and one of all."""
    text = [
        "# Diagnostics",
        "A code stands in brackets behind each message; `kammerton explain CODE` prints its page.",
    ]
    for beginning, title in GROUPS.items():
        rows = [(f"[{code}]({code}.md)", page_of(code)[0]) for code in pages() if code.startswith(beginning)]
        text += [f"## {title}", table(("code", "problem"), rows)]
    text += ["## Topics", *(f"- [{name}]({name}.md)" for name in topics())]
    every = {**pages(), **topics()}
    yield "diagnostics/index.md", page(*text, toctree(every))
    for name, path in every.items():
        yield f"diagnostics/{name}.md", path.read_text(encoding="utf-8")


def command_pages() -> Iterator[tuple[str, str]]:
    """Give a page for each command, with every option of each task."""
    commands = table(
        ("command", "what it does"), [(f"[{name}]({name}.md)", verb.summary) for name, verb in VERBS.items()]
    )
    yield "commands/index.md", page("# Command line", help_of(), commands, toctree(VERBS))
    for name, verb in VERBS.items():
        tasks = TASKS if verb.takes_task else ("",)
        text = [
            f"## {task.capitalize()}\n\n{help_of(name, task)}" if task else help_of(name) for task in tasks
        ]
        yield f"commands/{name}.md", page(f"# kammerton {name}", verb.summary, *text)


def help_of(*words: str) -> str:
    """Return what `--help-all` prints, as a block."""
    arguments = [*filter(None, words), "--help-all"]
    with contextlib.redirect_stdout(io.StringIO()) as output, mock.patch.dict(os.environ, COLUMNS="100"):
        main(arguments)
    return f"```text\n$ kammerton {' '.join(arguments)}\n{output.getvalue()}```"


def page(*parts: str) -> str:
    """Return a page of these parts; empty ones are left out."""
    return "\n\n".join(filter(None, parts)) + "\n"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table in Markdown; a cell that begins with a bracket is a link."""
    cells = [[cell if cell.startswith("[") else for_markdown(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *cells))


def toctree(names: Iterable[str]) -> str:
    """Return what puts pages below this one."""
    return "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])
