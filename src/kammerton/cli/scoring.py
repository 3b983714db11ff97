# SPDX-License-Identifier: MIT
"""``kammerton score``, ``compare`` and ``agree``."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Annotated, Any, Literal, TypeVar

import kammerton
from kammerton.api.gating import EarlierRun, GateOutcome, Threshold
from kammerton.cli.gate import Gates, lines_of
from kammerton.cli.options import (
    INTERVALS,
    OUTPUT,
    Annotator,
    Estimates,
    NoReference,
    Quiet,
    References,
    option,
)
from kammerton.cli.output import (
    DONE,
    GATE,
    NOTHING,
    PARTIAL,
    check_stopped,
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
from kammerton.errors import DataError, OptionError, plural, quote
from kammerton.formats.collecting import name_of
from kammerton.formats.writing import write_atomically
from kammerton.model.corpus import check_names
from kammerton.model.measure import EVERY, Measure, find, namesakes
from kammerton.model.task import Task
from kammerton.reporting.cards import render_citations
from kammerton.reporting.comparisons import (
    render_agreement,
    render_comparison,
    render_scores,
    render_values,
)
from kammerton.reporting.diagnostics import closing_line, count_problems, excluded_lines, fewer_resamples
from kammerton.reporting.documents import render_class_table, render_frame, render_items, render_json
from kammerton.reporting.rankings import TableOptions, shown_measures
from kammerton.reporting.tables import DIGITS
from kammerton.results.scores import Scores
from kammerton.runs import is_run, write_run
from kammerton.scoring.keeping import keeping

_Format = Literal["table", "json", "csv", "md", "latex"]
_VALUE_DIGITS = 2
"""Decimals of bare numbers, unless chosen."""
_ITEM_SUFFIXES = (".csv", ".jsonl", ".parquet")
_R = TypeVar("_R", bound="Results")


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """How results are printed."""

    form: Annotated[
        _Format,
        option(
            "Print tables (table, md, latex), everything (json), or all rows (csv).",
            name="--format",
            group=OUTPUT,
        ),
    ] = "table"
    every: Annotated[
        bool,
        option("Show every measure, not the headline ones only.", name="--all", group=OUTPUT),
    ] = False
    show: Annotated[
        list[str] | None,
        option(
            "Show these measures, ranked by the first; in this order; repeatable, or several with commas.",
            metavar="NAME",
            group=OUTPUT,
        ),
    ] = None
    digits: Annotated[
        int | None, option("Decimals of scores; by default 1 of a per cent.", metavar="N", group=OUTPUT)
    ] = None
    details: Annotated[
        bool,
        option("Print everything; each annotator, every baseline, interval and test.", group=OUTPUT),
    ] = False
    output: Annotated[
        str | None,
        option("Write the results to this file.", metavar="FILE", group=OUTPUT),
    ] = None
    width: Annotated[
        int | None,
        option(
            "Width of tables; by default that of the terminal, and 80 in a file.",
            metavar="COLUMNS",
            group=OUTPUT,
        ),
    ] = None
    quiet: Quiet = False

    def check_tables(self, task: Task, computed: Sequence[Measure] | None) -> None:
        """Refuse before any work what tables cannot have, and their options where data are printed.

        Data are neither chosen nor rounded. ``computed`` is None if a run knows its measures.
        """
        check_width(self.width)
        for name in self.table_options().show if computed is not None else ():
            find(name, computed or (), task.measures)
        chosen = {"--show": self.show is not None, "--digits": self.digits is not None}
        for name in [name for name, is_chosen in chosen.items() if is_chosen]:
            if self.form in ("json", "csv"):
                raise OptionError(f"{name} is for tables; --format {self.form} has every score, not rounded")

    def write(self, document: str) -> None:
        """Write the document to the file, or to standard output."""
        write_document(document, self.output, is_data=self.form != "table")

    def table_options(self, **choices: bool) -> TableOptions:
        """Return the options of tables."""
        names = [name.strip() for names in self.show or () for name in names.split(",")]
        digits = DIGITS if self.digits is None else self.digits
        return TableOptions(
            digits=digits, every=self.every, show=tuple(names), details=self.details, **choices
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingResults(Results):
    """How systems by measures are printed."""

    intervals: Annotated[
        bool,
        option("Print the confidence interval of every score, not of the main measure only.", group=OUTPUT),
    ] = False
    tests: Annotated[
        bool,
        option("Print the tests of all pairs of systems below the scores.", group=OUTPUT),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreResults(RankingResults):
    """What ``kammerton score`` prints and writes."""

    value_only: Annotated[
        bool,
        option(
            "Print the score of the main measure alone, a line for each system.",
            name="--value-only",
            group=OUTPUT,
        ),
    ] = False
    table: Annotated[
        str | None,
        option(
            "Print a table of classes in place of the scores: confusion; excluded (time by label); for "
            "instruments, P, R and F of each class (instruments, families).",
            metavar="NAME",
            group=OUTPUT,
        ),
    ] = None
    cite: Annotated[
        bool, option("Print BibTeX of the protocols in place of the scores: what to cite.", group=OUTPUT)
    ] = False
    per_item: Annotated[
        str | None,
        option("Write the scores of each item to a file.", metavar="FILE.(csv|jsonl|parquet)", group=OUTPUT),
    ] = None
    out: Annotated[
        str | None,
        option(
            "Write a run, a folder for `report`, `compare`, `diff` and `show`; a stopped run is resumed, an "
            "earlier run is replaced.",
            metavar="RUN",
            group=OUTPUT,
        ),
    ] = None
    no_annotations: Annotated[
        bool,
        option(
            "Leave annotations out of the run; `kammerton report` and `show` need them to draw items.",
            name="--no-annotations",
            group=OUTPUT,
        ),
    ] = False
    safe_csv: Annotated[
        bool,
        option("Put an apostrophe before text in CSV that a spreadsheet takes for a formula.", group=OUTPUT),
    ] = False

    def check(self, choices: Mapping[str, Any], inputs: Sequence[str], task: Task) -> None:
        """Check before any work that everything can be written."""
        if self.table is not None and task.class_tables and self.table not in task.class_tables:
            raise OptionError.unknown("table", self.table, task.class_tables)
        of_tables = {f"format {self.form}": self.form != "table", "tests": self.tests}
        of_tables |= {"intervals": self.intervals, "details": self.details}
        for name in [name for name, is_chosen in of_tables.items() if is_chosen and self.value_only]:
            raise OptionError(f"--value-only prints bare numbers, and --{name} does not")
        if self.per_item is not None and PurePath(self.per_item).suffix.lower() not in _ITEM_SUFFIXES:
            raise OptionError(
                f"--per-item cannot write {quote(self.per_item)}", f"suffixes: {', '.join(_ITEM_SUFFIXES)}"
            )
        replacing = {"--cite": self.cite, "--table": self.table is not None}
        replacing |= {
            "--context": choices["context"] or choices["oracle"],
            "--group-by": choices["group_by"] is not None,
        }
        chosen = [name for name, is_chosen in replacing.items() if is_chosen]
        if len(chosen) > 1:
            raise OptionError(f"{chosen[0]} and {chosen[1]} both print in place of the scores")
        if self.safe_csv and self.form != "csv" and not (self.per_item or "").lower().endswith(".csv"):
            raise OptionError("--safe-csv needs a CSV", "--format csv, or --per-item FILE.csv")
        check_outputs(self.output, self.per_item, self.out, inputs, task.suffixes)
        if self.out is None and self.no_annotations:
            raise OptionError("--no-annotations needs a run", "--out RUN")

    def write_all(self, scores: Scores) -> None:
        """Write the files, then print the results."""
        check_stopped()
        document = self._document(scores)
        if self.per_item is not None:
            suffix = PurePath(self.per_item).suffix.lower()
            write_atomically(self.per_item, render_items(scores, suffix, safe=self.safe_csv))
        if self.out is not None:
            replaced = replaced_run(self.out)
            diagnostics = write_run(scores, self.out, annotations=not self.no_annotations)
            print_diagnostics(diagnostics, quiet=self.quiet)
            print_messages(() if self.quiet else replaced)
        write_document(document, self.output, is_data=self.cite or self.form != "table")

    def _document(self, scores: Scores) -> str:
        style = style_of_document(self.output, self.width)
        has_context = scores.origin.context_evidence is not None
        if self.cite:
            return render_citations(scores.origin.task, scores.measures)
        if self.table is not None:
            return render_class_table(
                scores, self.table, self.form, safe=self.safe_csv, encoding=style.encoding
            )
        if self.form == "json":
            return render_json(scores.to_dict())
        if self.form == "csv":
            divided = scores.context if has_context else scores.groups
            return render_frame(scores.summary if divided is None else divided.table, safe=self.safe_csv)
        options = self.table_options(intervals=self.intervals, tests=self.tests)
        if self.value_only:
            digits = _VALUE_DIGITS if self.digits is None else self.digits
            return render_values(scores, replace(options, digits=digits))
        return render_scores(scores, self.form, options, width=style.width, encoding=style.encoding)

    def print_closing(self, scores: Scores) -> None:
        """Print what was not scored and why."""
        if self.quiet:
            return
        print_messages(excluded_lines(scores))
        if not self.cite and self.table is None:  # otherwise no intervals were computed
            print_messages(fewer_resamples(scores))
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


def score(
    task: Task,
    references: References = None,
    /,
    *estimates: Estimates,
    annotator: Annotator = None,
    no_reference: NoReference = False,
    no_ci: Annotated[
        bool, option("Compute no confidence intervals.", name="--no-ci", group=INTERVALS)
    ] = False,
    gates: Gates,
    results: ScoreResults,
    **choices: Any,
) -> int:
    """Score estimates against references, item by item, and print corpus scores with confidence intervals.

    Items are paired by their path below the folder, without suffix.

    Parameters
    ----------
    references
        Folder or file of the references; NAME=PATH names the annotator. Or a run alone, whose scores are
        printed.
    estimates
        Folder or file of each system; NAME=PATH names it, otherwise its last component does.
    """
    if no_ci and (results.intervals or results.tests):
        raise OptionError("--intervals and --tests need confidence intervals", "leave out --no-ci")
    chosen, added = sort_annotators(annotator)
    arguments = {**choices, "annotator": chosen, **({"ci": None} if no_ci else {})}
    if references is not None and is_run(split_name(references)[1]):
        if estimates:
            raise OptionError(
                f"{quote(references)} is a run, and stands alone: {quote(estimates[0])} follows it",
                "`kammerton compare RUN RUN` compares",
            )
        arguments |= {"references": split_name(references), "annotators": added or None}
        computed = None
    else:
        arguments |= sides(references, estimates, added, choices["pairs"], no_reference=no_reference)
        computed = _computed(task, choices, no_reference=no_reference)
    results = _with_chosen_measures(results, choices)
    inputs = input_paths(
        (references, *estimates, *(annotator or ())), choices["pairs"], choices["splits"], choices["items"]
    )
    results.check_tables(task, computed)
    results.check(choices, inputs, task)
    earlier = gates.earlier_run(task, choices["items"])
    if computed is not None:  # refuses before any work
        gates.thresholds(computed, task)
    with keeping(results.out) as store:
        try:
            with watching(quiet=results.quiet) as watch:
                scores = kammerton.score(task, **arguments, store=store, progress=watch)
        except DataError as error:
            check_stopped()
            results.report_failure(task, error, strict=choices["strict"])
            return NOTHING
        print_diagnostics(scores.diagnostics, quiet=results.quiet)
        computed = scores.measures if computed is None else computed
        _print_namesakes(choices, computed, task, quiet=results.quiet)
        # before a run is written, which may replace the earlier run
        thresholds = gates.thresholds(computed, task)
        failures, results = _failures(scores, gates, thresholds, earlier, results)
        results.write_all(scores)
    print_messages(failures)
    results.print_closing(scores)
    if "estimates" in arguments or choices["pairs"] is not None:
        _print_other_protocols(choices, scores.measures, task, results)
    return GATE if failures else _exit_code(scores)


def _computed(task: Task, choices: Mapping[str, Any], *, no_reference: bool = False) -> tuple[Measure, ...]:
    """Return the measures that are to be computed."""
    every = [EVERY] if no_reference and choices["measures"] is None else None
    return task.choose(choices["protocols"] or every, choices["measures"])


def _failures(
    scores: Scores,
    gates: Gates,
    thresholds: Sequence[Threshold],
    earlier: EarlierRun | None,
    results: ScoreResults,
) -> tuple[list[str], ScoreResults]:
    """Print what passed the gates; return what failed, and results that keep a run they fail by."""
    below = [] if earlier is None else _outcomes_below(earlier, scores, results)
    outcomes = [*(outcome for threshold in thresholds for outcome in threshold.outcomes(scores)), *below]
    print_messages(() if results.quiet else lines_of(outcomes, passed=True))
    failures = list(lines_of(outcomes, passed=False))
    if (
        earlier is not None
        and gates.replaces_earlier_run(results.out)
        and not all(outcome.passed for outcome in below)
    ):
        failures.append(f"{earlier.name} was kept: the gate failed")
        results = replace(results, out=None)
    return failures, results


def _outcomes_below(earlier: EarlierRun, scores: Scores, results: ScoreResults) -> list[GateOutcome]:
    """Return whether each system is worse than it was; scores that are not comparable fail."""
    try:
        return list(earlier.outcomes(scores, shown_measures(scores, results.table_options())[0]))
    except DataError as error:
        print_diagnostics(error.diagnostics, quiet=results.quiet)
        return [GateOutcome.of("fail_below", f"not comparable with {earlier.name}", passed=False)]


def _with_chosen_measures(results: _R, choices: Mapping[str, Any]) -> _R:
    """Return the options of results in which measures that the user chose are shown, headline or not."""
    return replace(results, every=results.every or choices["measures"] is not None)


def _exit_code(scores: Scores) -> int:
    """Return the exit code of scores: items that are skipped on request are no failure."""
    lost = any(problem.severity == "error" for problem in scores.diagnostics)
    return PARTIAL if lost or (scores.is_partial and scores.origin.missing != "skip") else DONE


def _print_namesakes(
    choices: Mapping[str, Any], computed: Sequence[Measure], task: Task, *, quiet: bool
) -> None:
    """Print which measure was taken where the same name, perhaps in other case, is that of others too."""
    if quiet or choices["protocols"] is not None:
        return
    for measure, others in namesakes(list(choices["measures"] or ()), computed, task.measures).items():
        print_message(f"{measure.name} is {measure}; not {', '.join(map(str, others))}")


def _print_other_protocols(
    choices: Mapping[str, Any], computed: Sequence[Measure], task: Task, results: Results
) -> None:
    """Print below tables which protocols there are besides those that run by default."""
    if results.quiet or results.form != "table":
        return
    own = {measure.protocol for measure in computed}
    others = dict.fromkeys(m.protocol for m in task.choose(EVERY, None) if m.protocol not in own)
    if others and choices["protocols"] is None and choices["measures"] is None:
        print_message(f"also: --protocol {','.join(others)}, or all")


def compare(
    task: Task,
    references: References = None,
    /,
    *estimates: Estimates,
    annotator: Annotator = None,
    no_reference: NoReference = False,
    results: RankingResults,
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
    arguments |= _runs_or_sides(references, estimates, added, choices["pairs"], no_reference=no_reference)
    results = _with_chosen_measures(results, choices)
    inputs = input_paths(
        (references, *estimates, *(annotator or ())), choices["pairs"], choices["splits"], choices["items"]
    )
    computed = None if "runs" in arguments else _computed(task, choices, no_reference=no_reference)
    results.check_tables(task, computed)
    if results.output is not None:
        check_output(results.output, inputs, task.suffixes)
    comparison = kammerton.compare(task, **arguments)
    print_diagnostics(comparison.scores.diagnostics, quiet=results.quiet)
    _print_namesakes(choices, comparison.scores.measures, task, quiet=results.quiet)
    if results.form == "json":
        document = render_json(comparison.to_dict())
    elif results.form == "csv":
        document = render_frame(comparison.pairs)
    else:
        style = style_of_document(results.output, results.width)
        options = results.table_options(intervals=results.intervals, tests=results.tests)
        document = render_comparison(
            comparison, results.form, options, width=style.width, encoding=style.encoding
        )
    results.write(document)
    if not results.quiet:
        print_message(closing_line(comparison.scores))
    if "runs" not in arguments:
        _print_other_protocols(choices, comparison.scores.measures, task, results)
    return _exit_code(comparison.scores)


def _runs_or_sides(
    references: str | None,
    estimates: Sequence[str],
    added: dict[str, str],
    pairs: str | None,
    *,
    no_reference: bool,
) -> dict[str, Any]:
    """Return what is compared as the Python call takes it: runs, or sides, or estimates alone."""
    runs = [split_name(argument) for argument in (references, *estimates) if argument is not None]
    are_runs = [is_run(path) for _, path in runs]
    if not any(are_runs):
        return sides(references, estimates, added, pairs, no_reference=no_reference)
    if not all(are_runs):
        odd = runs[are_runs.index(False)][1]
        raise OptionError(
            f"runs are compared with runs, and {quote(odd)} is none", "score it with --out first"
        )
    if added or pairs is not None:
        raise OptionError("runs are scored already: there are no further annotators or pairs")
    if no_reference:
        raise OptionError("runs are scored already, with references or without", "leave out --no-reference")
    return {"runs": runs}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementResults(Results):
    """What ``kammerton agree`` prints and writes."""

    per_item: Annotated[
        str | None,
        option(
            "Write the scores of each item and pair of annotators to a file.",
            metavar="FILE.csv",
            group=OUTPUT,
        ),
    ] = None
    out: Annotated[
        str | None,
        option(
            "Write a run: a folder with everything that the scores are computed from, for `kammerton agree`. "
            "An earlier run is replaced.",
            metavar="RUN",
            group=OUTPUT,
        ),
    ] = None

    def check(self, inputs: Sequence[str], suffixes: Collection[str]) -> None:
        """Check before any work that everything can be written."""
        if self.per_item is not None and not self.per_item.lower().endswith(".csv"):
            raise OptionError("--per-item writes CSV", "name a file that ends in .csv")
        check_outputs(self.output, self.per_item, self.out, inputs, suffixes)


def agree(
    task: Task,
    /,
    *annotators: Annotated[str, option(name="ANN")],
    results: AgreementResults,
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
    names_and_paths = [split_name(argument) for argument in annotators]
    if not names_and_paths:
        raise OptionError("ANN is needed", "the folder of each annotator, or one that holds several")
    results = _with_chosen_measures(results, choices)
    paths = [path for _, path in names_and_paths]
    is_lone = len(paths) == 1 and names_and_paths[0][0] is None  # a run, or files of several annotators
    results.check_tables(task, None if is_lone and is_run(paths[0]) else _computed(task, choices))
    results.check(paths, task.suffixes)
    names = [name_of(path) if name is None else name for name, path in names_and_paths]
    check_names("annotator", names)
    sources = paths[0] if is_lone else dict(zip(names, paths, strict=True))
    agreement = kammerton.agree(task, sources, **choices)
    print_diagnostics(agreement.diagnostics, quiet=results.quiet)
    _print_namesakes(choices, agreement.measures, task, quiet=results.quiet)
    replaced = [] if results.out is None else replaced_run(results.out)
    if results.per_item is not None:
        write_document(render_frame(agreement.table), results.per_item, is_data=True)
    if results.out is not None:
        write_run(agreement, results.out)
    if results.form == "json":
        document = render_json(agreement.to_dict())
    elif results.form == "csv":
        document = render_frame(agreement.summary)
    else:
        style = style_of_document(results.output, results.width)
        document = render_agreement(
            agreement, results.form, results.table_options(), width=style.width, encoding=style.encoding
        )
    results.write(document)
    if not results.quiet:
        print_messages(replaced)
        counts = plural(len(agreement.annotators), "annotator"), plural(len(agreement.items), "item")
        print_message(f"{counts[0]} compared on {counts[1]}")
    return PARTIAL if any(problem.severity == "error" for problem in agreement.diagnostics) else DONE
