# SPDX-License-Identifier: MIT
"""What ``kammerton score`` does once its options are understood."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import kammerton
from kammerton.cli.exit_codes import DONE, NOTHING, PARTIAL
from kammerton.cli.gates import parse_gates
from kammerton.cli.names import name_systems, split_name
from kammerton.cli.outputs import check_outputs, replaced_run, write_document
from kammerton.cli.progress import line_of_phases, watching
from kammerton.cli.streams import (
    check_stopped,
    check_width,
    is_screen,
    say,
    say_all,
    style_of_document,
    write_out,
)
from kammerton.cli.talk import say_namesakes, say_problems
from kammerton.engine import keeping
from kammerton.errors import DataError, OptionError, quote
from kammerton.formats.atomic import write_atomically
from kammerton.formats.pairs import read_pairs
from kammerton.model.protocol import choose
from kammerton.model.scores import Scores
from kammerton.model.task import Task
from kammerton.reporting.blocks import render_blocks
from kammerton.reporting.citing import render_citations
from kammerton.reporting.class_tables import render_class_table
from kammerton.reporting.contexts import blocks_of_context
from kammerton.reporting.diagnostics import count_problems
from kammerton.reporting.documents import render_frame, render_items, render_json
from kammerton.reporting.groups import blocks_of_groups
from kammerton.reporting.left_out import closing_line, excluded_lines, fewer_draws
from kammerton.reporting.tables import Block, build_blocks
from kammerton.runs import write_run

__all__ = ["Plan", "listed", "outcome", "paths_of_list", "run", "sides"]

_ITEM_SUFFIXES = (".csv", ".jsonl", ".parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run prints and writes."""

    form: str
    table: str | None
    cite: bool
    context: bool
    groups: bool
    every: bool
    output: str | None
    width: int | None
    per_item: str | None
    out: str | None
    annotations: bool
    safe_csv: bool
    quiet: bool

    def check(self, inputs: Sequence[str], suffixes: Collection[str]) -> None:
        """Find out before any work whether everything can be written; see :func:`.check_outputs`."""
        check_width(self.width)
        if self.per_item is not None and PurePath(self.per_item).suffix.lower() not in _ITEM_SUFFIXES:
            raise OptionError(
                f"--per-item cannot write {quote(self.per_item)}", f"suffixes: {', '.join(_ITEM_SUFFIXES)}"
            )
        instead = {"--cite": self.cite, "--table": self.table is not None}
        instead |= {"--context": self.context, "--group-by": self.groups}
        chosen = [name for name, is_chosen in instead.items() if is_chosen]
        if len(chosen) > 1:
            raise OptionError(f"{chosen[0]} and {chosen[1]} both print in place of the figures")
        if self.safe_csv and self.form != "csv" and not (self.per_item or "").lower().endswith(".csv"):
            raise OptionError("--safe-csv needs a CSV", "--format csv, or --per-item FILE.csv")
        check_outputs(self.output, self.per_item, self.out, inputs, suffixes)
        if self.out is None and not self.annotations:
            raise OptionError("--no-annotations needs a run", "--out RUN")

    def deliver(self, scores: Scores) -> None:
        """Write and print the figures."""
        check_stopped()
        style = style_of_document(self.output, self.width)
        document = self._document(scores, style.width, style.encoding)
        if self.per_item is not None:
            suffix = PurePath(self.per_item).suffix.lower()
            write_atomically(self.per_item, render_items(scores, suffix, safe=self.safe_csv))
        if self.out is not None:
            replaced = replaced_run(self.out)
            say_problems(write_run(scores, self.out, annotations=self.annotations), quiet=self.quiet)
            say_all(() if self.quiet else replaced)
        write_document(document, self.output, is_data=self.cite or self.form != "table")

    def _document(self, scores: Scores, width: int, encoding: str) -> str:
        if self.cite:
            return render_citations(scores.origin.task, scores.measures)
        if self.table is not None:
            return render_class_table(scores, self.table, self.form, safe=self.safe_csv, encoding=encoding)
        if self.form == "json":
            return render_json(scores.to_dict())
        if self.form == "csv":
            found = scores.context if self.context else scores.groups if self.groups else None
            return render_frame(scores.summary if found is None else found.table, safe=self.safe_csv)
        blocks, notes = self._blocks(scores)
        return render_blocks(blocks, self.form, notes=notes, width=width, encoding=encoding)

    def _blocks(self, scores: Scores) -> tuple[Sequence[Block], Sequence[str]]:
        if self.context:
            return blocks_of_context(scores, every=self.every)
        if self.groups:
            return blocks_of_groups(scores, every=self.every)
        return build_blocks(scores, every=self.every), ()

    def say(self, scores: Scores) -> None:
        """Say what was not scored and why."""
        if not self.quiet:
            say_all(excluded_lines(scores))
            if not self.cite and self.table is None:  # then nobody made intervals
                say_all(fewer_draws(scores))
            say(closing_line(scores))
            if self.out is not None and is_screen(sys.stderr):
                say(line_of_phases(scores.timing))


def run(task: Task, arguments: dict[str, Any], fail_under: Sequence[str], plan: Plan) -> int:
    """Score, print, and return the exit code.

    Parameters
    ----------
    task : Task
        The task.
    arguments : dict
        Arguments of :func:`kammerton.score`.
    fail_under : sequence of str
        Gates, as written.
    plan : Plan
        What is printed and written.
    """
    chosen = choose(task.protocols, arguments["protocols"], arguments["measures"])
    gates = parse_gates(fail_under, chosen, task.measures)
    with keeping(plan.out) as store:
        try:
            with watching(quiet=plan.quiet) as watch:
                scores = kammerton.score(task.name, **arguments, store=store, progress=watch)
        except DataError as error:
            check_stopped()
            return _nothing(task, error, plan, strict=bool(arguments["strict"]))
        say_problems(scores.diagnostics, quiet=plan.quiet)
        if not plan.quiet and arguments["protocols"] is None:
            say_namesakes(arguments["measures"], chosen, task.measures)
        plan.deliver(scores)
    failures = [line for gate in gates for line in gate.failures(scores)]
    say_all(failures)
    plan.say(scores)
    return PARTIAL if failures else outcome(scores)


def outcome(scores: Scores) -> int:
    """Return the exit code of scores: items that are skipped because somebody asked for it are no failure."""
    lost = any(problem.severity == "error" for problem in scores.diagnostics)
    return PARTIAL if lost or (scores.is_partial and scores.origin.missing != "skip") else DONE


def listed(values: Sequence[str] | None) -> list[str] | None:
    """Take ``a,b`` for two values."""
    if values is None:
        return None
    parts = [part.strip() for value in values for part in value.split(",")]
    if not all(parts):
        raise OptionError(f"a name is empty in {quote(','.join(values))}")
    return parts


def sides(
    references: str | None,
    estimates: Sequence[str],
    added: dict[str, str],
    pairs: str | None,
    *,
    alone: bool = False,
) -> dict[str, Any]:
    """Return references, estimates and annotators as the API takes them, or estimates ``alone``."""
    if alone:
        if pairs is not None or added:
            named = "--pairs" if pairs is not None else "--annotator NAME=PATH"
            raise OptionError(f"--no-reference stands in place of references, and {named} has some")
        given = [each for each in (references, *estimates) if each is not None]
        if not given:
            raise OptionError("EST is needed", "the folder or file of a system")
        return {"estimates": name_systems(given)}
    if pairs is not None:
        if references is not None or added:
            raise OptionError("--pairs stands in place of REF, EST and further annotators")
        return {}
    if references is None or not estimates:
        raise OptionError("REF and EST are needed", "or --pairs FILE.csv")
    name, path = split_name(references)
    annotators = added if name is None else {name: path, **added}
    if name is not None and name in added:
        raise OptionError(f"two annotators are called {quote(name)}", "name them apart: NAME=PATH")
    return {
        "references": path if name is None else None,
        "estimates": name_systems(estimates),
        "annotators": annotators or None,
    }


def _nothing(task: Task, error: DataError, plan: Plan, *, strict: bool) -> int:
    """Say why nothing was scored; JSON says it on standard output too."""
    say_problems(error.diagnostics, quiet=plan.quiet)
    if plan.form == "json" and plan.output is None:
        document = {
            "kammerton": kammerton.__version__,
            "task": task.name,
            "items": {},
            "scores": [],
            "diagnostics": [diagnostic.to_dict() for diagnostic in error.diagnostics],
        }
        write_out(render_json(document), is_data=True)
    ended = " (ended by --strict)" if strict else ""
    told = any(problem.severity == "error" for problem in error.diagnostics)
    if not (plan.quiet and told):  # an exit without a word helps nobody
        say(f"nothing was scored{ended}: {count_problems(error.diagnostics)}")
    return NOTHING


def paths_of_list(pairs: str | None) -> list[str]:
    """Return the files that a list of pairs names; none of one that will be refused."""
    if pairs is None:
        return []
    with contextlib.suppress(DataError):
        corpus = read_pairs(pairs)
        sources = [item for side in (*corpus.references, *corpus.systems) for item in side.sources.values()]
        return [str(path) for item in sources for _, path in item]
    return []
