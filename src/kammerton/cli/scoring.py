# SPDX-License-Identifier: MIT
"""``kammerton score``, ``compare`` and ``agree``."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated, Any, Literal

import kammerton
from kammerton.cli.options import (
    INTERVALS,
    OUTPUT,
    All,
    Annotator,
    Estimates,
    NoReference,
    Output,
    Quiet,
    References,
    Width,
    option,
)
from kammerton.cli.output import (
    DONE,
    NOTHING,
    PARTIAL,
    check_width,
    is_screen,
    print_diagnostics,
    print_message,
    print_messages,
    style_of_document,
    write_document,
    write_output,
)
from kammerton.cli.paths import (
    check_output,
    check_outputs,
    input_paths,
    replaced_run,
    sides,
    sort_annotators,
    split_name,
)
from kammerton.cli.progress import line_of_phases, watching
from kammerton.cli.signals import check_stopped
from kammerton.errors import DataError, OptionError, plural, printable, quote
from kammerton.formats.collecting import name_of
from kammerton.formats.writing import write_atomically
from kammerton.model.corpus import check_names
from kammerton.model.measure import Measure, choose, find, namesakes
from kammerton.model.task import Task
from kammerton.reporting.cards import render_citations
from kammerton.reporting.comparisons import (
    agreement_blocks,
    beyond_chance,
    context_blocks,
    group_blocks,
    render_comparison,
)
from kammerton.reporting.diagnostics import closing_line, count_problems, excluded_lines, fewer_draws
from kammerton.reporting.documents import render_class_table, render_frame, render_items, render_json
from kammerton.reporting.tables import PER_CENT, build_blocks, render_blocks
from kammerton.results.agreement import AnnotatorAgreement
from kammerton.results.comparison import SystemComparison
from kammerton.results.scores import Scores
from kammerton.runs import is_run, write_run
from kammerton.scoring.running import keeping
from kammerton.statistics.paired import differences, scale_of

__all__ = ["Threshold", "agree", "compare", "score"]

_Format = Literal["table", "json", "csv", "md", "latex"]
_Scores = Annotated[
    _Format,
    option(
        "Print tables of the headline scores (table, md, latex), or all scores (json, csv).",
        name="--format",
        group=OUTPUT,
    ),
]
_Pairs = Annotated[
    _Format,
    option(
        "Print tables of the headline measures (table, md, latex), everything (json), or the pairs (csv).",
        name="--format",
        group=OUTPUT,
    ),
]

_ITEM_SUFFIXES = (".csv", ".jsonl", ".parquet")


def score(  # noqa: PLR0913 - one per option
    task: Task,
    references: References = None,
    /,
    *estimates: Estimates,
    annotator: Annotator = None,
    no_reference: NoReference = False,
    fail_under: Annotated[
        list[str] | None,
        option(
            "Exit with code 1 if the corpus score of a headline measure is worse, or undefined; repeatable.",
            metavar="PROTOCOL/MEASURE=VALUE",
        ),
    ] = None,
    no_ci: Annotated[
        bool, option("Compute no confidence intervals.", name="--no-ci", group=INTERVALS)
    ] = False,
    form: _Scores = "table",
    every: All = False,
    table: Annotated[
        str | None,
        option(
            "Print a table of classes in place of the scores: confusion; excluded (time by label); for "
            "instruments, P, R and F of each class (instruments, families).",
            metavar="NAME",
            group=OUTPUT,
        ),
    ] = None,
    cite: Annotated[
        bool, option("Print BibTeX of the protocols in place of the scores: what to cite.", group=OUTPUT)
    ] = False,
    output: Output = None,
    width: Width = None,
    per_item: Annotated[
        str | None,
        option("Write the scores of each item to a file.", metavar="FILE.(csv|jsonl|parquet)", group=OUTPUT),
    ] = None,
    out: Annotated[
        str | None,
        option(
            "Write a run: a folder with everything that the scores are computed from, for `kammerton "
            "report`, `compare`, `diff` and `show`. A stopped run is resumed; an earlier run is replaced.",
            metavar="RUN",
            group=OUTPUT,
        ),
    ] = None,
    no_annotations: Annotated[
        bool,
        option(
            "Leave annotations out of the run; `kammerton report` and `show` need them to draw items.",
            name="--no-annotations",
            group=OUTPUT,
        ),
    ] = False,
    safe_csv: Annotated[
        bool,
        option("Put an apostrophe before text in CSV that a spreadsheet takes for a formula.", group=OUTPUT),
    ] = False,
    quiet: Quiet = False,
    **choices: Any,
) -> int:
    """Score estimates against references, item by item, and print corpus scores with confidence intervals.

    Items are paired by their path below the folder, without suffix. Intervals come from bootstrap samples of
    the items.

    Parameters
    ----------
    references
        Folder or file of the references; NAME=PATH names the annotator.
    estimates
        Folder or file of each system; NAME=PATH names it, otherwise its last component does.
    """
    chosen, added = sort_annotators(annotator)
    arguments = {**choices, "annotator": chosen, **({"ci": None} if no_ci else {})}
    arguments |= sides(references, estimates, added, choices["pairs"], alone=no_reference)
    results = _ScoreOutput(
        form=form,
        table=table,
        cite=cite,
        context=choices["context"],
        groups=choices["group_by"] is not None,
        every=every or choices["measures"] is not None,
        output=output,
        width=width,
        per_item=per_item,
        out=out,
        annotations=not no_annotations,
        safe_csv=safe_csv,
        quiet=quiet,
    )
    inputs = input_paths((references, *estimates, *(annotator or ())), choices["pairs"], choices["splits"])
    results.check(inputs, task.suffixes)
    measures = choose(task.protocols, choices["protocols"], choices["measures"])
    thresholds = [_threshold(argument, measures, task.measures) for argument in fail_under or ()]
    with keeping(out) as store:
        try:
            with watching(quiet=quiet) as watch:
                scores = kammerton.score(task.name, **arguments, store=store, progress=watch)
        except DataError as error:
            check_stopped()
            results.report_failure(task, error, strict=choices["strict"])
            return NOTHING
        print_diagnostics(scores.diagnostics, quiet=quiet)
        _print_namesakes(choices, measures, task, quiet=quiet)
        results.write(scores)
    failures = [line for threshold in thresholds for line in threshold.failures(scores)]
    print_messages(failures)
    results.print_closing(scores)
    return PARTIAL if failures else _exit_code(scores)


def _exit_code(scores: Scores) -> int:
    """Return the exit code of scores: items that are skipped on request are no failure."""
    lost = any(problem.severity == "error" for problem in scores.diagnostics)
    return PARTIAL if lost or (scores.is_partial and scores.origin.missing != "skip") else DONE


def _print_namesakes(
    choices: dict[str, Any], computed: Sequence[Measure], task: Task, *, quiet: bool
) -> None:
    """Print which measure was taken where the same name, perhaps in other case, is that of others too."""
    if quiet or choices["protocols"] is not None:
        return
    for measure, others in namesakes(list(choices["measures"] or ()), computed, task.measures).items():
        print_message(f"{measure.name} is {measure}; not {', '.join(map(str, others))}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _ScoreOutput:
    """What ``kammerton score`` prints and writes."""

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
        """Check before any work that everything can be written."""
        check_width(self.width)
        if self.per_item is not None and PurePath(self.per_item).suffix.lower() not in _ITEM_SUFFIXES:
            raise OptionError(
                f"--per-item cannot write {quote(self.per_item)}", f"suffixes: {', '.join(_ITEM_SUFFIXES)}"
            )
        replacing = {"--cite": self.cite, "--table": self.table is not None}
        replacing |= {"--context": self.context, "--group-by": self.groups}
        chosen = [name for name, is_chosen in replacing.items() if is_chosen]
        if len(chosen) > 1:
            raise OptionError(f"{chosen[0]} and {chosen[1]} both print in place of the scores")
        if self.safe_csv and self.form != "csv" and not (self.per_item or "").lower().endswith(".csv"):
            raise OptionError("--safe-csv needs a CSV", "--format csv, or --per-item FILE.csv")
        check_outputs(self.output, self.per_item, self.out, inputs, suffixes)
        if self.out is None and not self.annotations:
            raise OptionError("--no-annotations needs a run", "--out RUN")

    def write(self, scores: Scores) -> None:
        """Write the files, then print the results."""
        check_stopped()
        style = style_of_document(self.output, self.width)
        document = self._document(scores, style.width, style.encoding)
        if self.per_item is not None:
            suffix = PurePath(self.per_item).suffix.lower()
            write_atomically(self.per_item, render_items(scores, suffix, safe=self.safe_csv))
        if self.out is not None:
            replaced = replaced_run(self.out)
            print_diagnostics(write_run(scores, self.out, annotations=self.annotations), quiet=self.quiet)
            print_messages(() if self.quiet else replaced)
        write_document(document, self.output, is_data=self.cite or self.form != "table")

    def _document(self, scores: Scores, width: int, encoding: str) -> str:
        if self.cite:
            return render_citations(scores.origin.task, scores.measures)
        if self.table is not None:
            return render_class_table(scores, self.table, self.form, safe=self.safe_csv, encoding=encoding)
        if self.form == "json":
            return render_json(scores.to_dict())
        if self.form == "csv":
            divided = scores.context if self.context else scores.groups if self.groups else None
            return render_frame(scores.summary if divided is None else divided.table, safe=self.safe_csv)
        notes: Sequence[str] = ()
        if self.context:
            blocks, notes = context_blocks(scores, every=self.every)
        elif self.groups:
            blocks, notes = group_blocks(scores, every=self.every)
        else:
            blocks = build_blocks(scores, every=self.every)
        return render_blocks(blocks, self.form, notes=notes, width=width, encoding=encoding)

    def print_closing(self, scores: Scores) -> None:
        """Print what was not scored and why."""
        if self.quiet:
            return
        print_messages(excluded_lines(scores))
        if not self.cite and self.table is None:  # otherwise no intervals were computed
            print_messages(fewer_draws(scores))
        print_message(closing_line(scores))
        if self.out is not None and is_screen(sys.stderr):
            print_message(line_of_phases(scores.timing))

    def report_failure(self, task: Task, error: DataError, *, strict: bool) -> None:
        """Print why nothing was scored; with ``--format json`` on standard output too."""
        print_diagnostics(error.diagnostics, quiet=self.quiet)
        if self.form == "json" and self.output is None:
            document = {
                "kammerton": kammerton.__version__,
                "task": task.name,
                "items": {},
                "scores": [],
                "diagnostics": [diagnostic.to_dict() for diagnostic in error.diagnostics],
            }
            write_output(render_json(document), is_data=True)
        ended = " (ended by --strict)" if strict else ""
        if not (self.quiet and any(problem.severity == "error" for problem in error.diagnostics)):
            print_message(f"nothing was scored{ended}: {count_problems(error.diagnostics)}")


@dataclass(frozen=True, slots=True)
class Threshold:
    """The worst corpus score of a headline measure that ``--fail-under`` accepts."""

    measure: Measure
    limit: float

    def failures(self, scores: Scores) -> Iterator[str]:
        """Yield a line on each system that is worse; an undefined score is."""
        higher = self.measure.direction == "higher"
        for system in scores.systems:
            opening = f"--fail-under: {self.measure} of {printable(system)} is"
            if self.measure not in scores.measures:
                yield f"{opening} not evaluated; a note above says why"
                continue
            value = scores.value(str(self.measure), system=system)
            if math.isnan(value):
                reason = scores.why_undefined(self.measure, system, scores.annotators_of(self.measure)[-1])
                yield f"{opening} undefined" + (f" ({reason})" if " " not in reason else "")  # codes only
                continue
            beyond = differences(value, self.limit, scale_of(self.measure))
            if (beyond < 0) if higher else (beyond > 0):
                side = "below" if higher else "above"
                yield f"{opening} {self._shown(value)}, {side} {self._shown(self.limit)}"

    def _shown(self, value: float) -> str:
        """Return a score in per cent, as tables have it, and as it is written on the command line."""
        return f"{100 * value:.6g} % ({value:.6g})" if self.measure.range == PER_CENT else f"{value:.6g}"


def _threshold(argument: str, computed: Sequence[Measure], known: Sequence[Measure]) -> Threshold:
    """Read ``PROTOCOL/MEASURE=VALUE``."""
    address, equals, written = argument.rpartition("=")
    if not equals:
        raise OptionError(f"expected PROTOCOL/MEASURE=VALUE, got {quote(argument)}")
    measure = find(address, computed, known)
    try:
        limit = float(written)
    except ValueError:
        raise OptionError(f"not a number: {quote(written)} in {quote(argument)}") from None
    low, high = measure.range
    if not low <= limit <= high:
        hint = f"write 75 % as 0.75; you wrote {limit:g}" if (low, high) == (0.0, 1.0) else None
        raise OptionError(f"{measure} lies between {low:g} and {high:g}", hint)
    return Threshold(measure, limit)


def compare(
    task: Task,
    references: References = None,
    /,
    *estimates: Estimates,
    annotator: Annotator = None,
    no_reference: NoReference = False,
    form: _Pairs = "table",
    every: All = False,
    output: Output = None,
    width: Width = None,
    quiet: Quiet = False,
    **choices: Any,
) -> int:
    """Rank systems by each measure, and test which differ significantly, on the items that each pair has.

    Systems that share a letter are not significantly different. Runs that `kammerton score --out` wrote
    stand in place of folders: all their systems are compared, if they were scored alike on the same
    references.

    Parameters
    ----------
    references
        Folder or file of the references; NAME=PATH names the annotator. Or a run.
    estimates
        Folder or file of each system, two or more; NAME=PATH names it. Or further runs; NAME=RUN names
        the system of a run that has one.
    """
    chosen, added = sort_annotators(annotator)
    arguments = {**choices, "annotator": chosen}
    arguments |= _runs_or_sides(references, estimates, added, choices["pairs"], alone=no_reference)
    inputs = input_paths((references, *estimates, *(annotator or ())), choices["pairs"], choices["splits"])
    check_width(width)
    if output is not None:
        check_output(output, inputs, task.suffixes)
    comparison = kammerton.compare(task.name, **arguments)
    print_diagnostics(comparison.scores.diagnostics, quiet=quiet)
    _print_namesakes(choices, comparison.scores.measures, task, quiet=quiet)
    document = _comparison_document(
        comparison, form, output, width, every=every or choices["measures"] is not None
    )
    write_document(document, output, is_data=form != "table")
    if not quiet:
        print_message(closing_line(comparison.scores))
    return _exit_code(comparison.scores)


def _runs_or_sides(
    references: str | None,
    estimates: Sequence[str],
    added: dict[str, str],
    pairs: str | None,
    *,
    alone: bool,
) -> dict[str, Any]:
    """Return what is compared as the Python call takes it: runs, or sides, or estimates ``alone``."""
    named = [split_name(argument) for argument in (references, *estimates) if argument is not None]
    are_runs = [is_run(path) for _, path in named]
    if not any(are_runs):
        return sides(references, estimates, added, pairs, alone=alone)
    if not all(are_runs):
        odd = named[are_runs.index(False)][1]
        raise OptionError(
            f"runs are compared with runs, and {quote(odd)} is none", "score it with --out first"
        )
    if added or pairs is not None:
        raise OptionError("runs are scored already: there are no further annotators or pairs")
    if alone:
        raise OptionError("runs are scored already, with references or without", "leave out --no-reference")
    return {"runs": named}


def _comparison_document(
    comparison: SystemComparison, form: str, output: str | None, width: int | None, *, every: bool
) -> str:
    if form == "json":
        return render_json(comparison.to_dict())
    if form == "csv":
        return render_frame(comparison.pairs)
    style = style_of_document(output, width)
    return render_comparison(comparison, form, every=every, width=style.width, encoding=style.encoding)


def agree(
    task: Task,
    /,
    *annotators: Annotated[str, option(name="ANN")],
    form: _Scores = "table",
    every: All = False,
    output: Output = None,
    width: Width = None,
    per_item: Annotated[
        str | None,
        option(
            "Write the scores of each item and pair of annotators to a file.",
            metavar="FILE.csv",
            group=OUTPUT,
        ),
    ] = None,
    out: Annotated[
        str | None,
        option(
            "Write a run: a folder with everything that the scores are computed from, for `kammerton agree`. "
            "An earlier run is replaced.",
            metavar="RUN",
            group=OUTPUT,
        ),
    ] = None,
    quiet: Quiet = False,
    **choices: Any,
) -> int:
    """Measure inter-annotator agreement: by every measure, and for all annotators together beyond chance.

    Each annotator is scored against each other annotator, on the items that both have.

    Parameters
    ----------
    annotators
        Folder or file of each annotator; NAME=PATH names it, otherwise its last component does. One
        folder is enough if its files hold several annotators of each item. Or a run that --out wrote.
    """
    named = [split_name(argument) for argument in annotators]
    if not named:
        raise OptionError("ANN is needed", "the folder of each annotator, or one that holds several")
    paths = [path for _, path in named]
    check_width(width)
    if per_item is not None and not per_item.lower().endswith(".csv"):
        raise OptionError("--per-item writes CSV", "name a file that ends in .csv")
    check_outputs(output, per_item, out, paths, task.suffixes)
    names = [name_of(path) if name is None else name for name, path in named]
    check_names("annotator", names)
    is_lone = len(named) == 1 and named[0][0] is None  # a run, or files of several annotators
    sources = paths[0] if is_lone else dict(zip(names, paths, strict=True))
    agreement = kammerton.agree(task.name, sources, **choices)
    print_diagnostics(agreement.diagnostics, quiet=quiet)
    _print_namesakes(choices, agreement.measures, task, quiet=quiet)
    replaced = [] if out is None else replaced_run(out)
    if per_item is not None:
        write_document(render_frame(agreement.table), per_item, is_data=True)
    if out is not None:
        write_run(agreement, out)
    every = every or choices["measures"] is not None
    document = _agreement_document(agreement, form, output, width, every=every)
    write_document(document, output, is_data=form != "table")
    if not quiet:
        print_messages(replaced)
        counts = plural(len(agreement.annotators), "annotator"), plural(len(agreement.items), "item")
        print_message(f"{counts[0]} compared on {counts[1]}")
    return PARTIAL if any(problem.severity == "error" for problem in agreement.diagnostics) else DONE


def _agreement_document(
    agreement: AnnotatorAgreement, form: str, output: str | None, width: int | None, *, every: bool
) -> str:
    if form == "json":
        return render_json(agreement.to_dict())
    if form == "csv":
        return render_frame(agreement.summary)
    blocks, lines = agreement_blocks(agreement, every=every), beyond_chance(agreement)
    style = style_of_document(output, width)
    return render_blocks(blocks, form, notes=lines, width=style.width, encoding=style.encoding)
