# SPDX-License-Identifier: MIT
"""``kammerton score``: figures of one or several systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from kammerton.cli.tasks import task_verb

if TYPE_CHECKING:
    from kammerton.model.task import Task

__all__ = ["app", "command"]

_Several = list[str] | None
_Interval = Literal["percentile", "bca"]
_Format = Literal["table", "json", "csv", "md", "latex"]

app = task_verb("score", "Score one or several systems.", "REF EST [EST ...] [OPTIONS]")


def command(task: Task) -> Callable[..., int]:
    """Return the sub-command of a task."""

    def score(  # noqa: PLR0913 - one per option
        references: Annotated[str | None, Parameter(name="REF", show_default=False)] = None,
        /,
        *estimates: Annotated[str, Parameter(name="EST")],
        protocols: Annotated[
            list[str] | None, Parameter(name="--protocol", negative="", metavar="NAME")
        ] = None,
        measures: Annotated[
            list[str] | None, Parameter(name="--measure", negative="", metavar="NAME")
        ] = None,
        every: Annotated[bool, Parameter(name="--all", negative="")] = False,
        table: Annotated[str | None, Parameter(metavar="NAME")] = None,
        cite: Annotated[bool, Parameter(negative="")] = False,
        context: Annotated[bool, Parameter(negative="")] = False,
        group_by: Annotated[str | None, Parameter(metavar="FILE.csv:COLUMN|REGEX")] = None,
        form: Annotated[_Format, Parameter(name="--format")] = "table",
        output: Annotated[str | None, Parameter(metavar="FILE")] = None,
        width: Annotated[int | None, Parameter(metavar="COLUMNS")] = None,
        per_item: Annotated[str | None, Parameter(metavar="FILE.(csv|jsonl|parquet)")] = None,
        out: Annotated[str | None, Parameter(metavar="RUN")] = None,
        no_annotations: Annotated[bool, Parameter(name="--no-annotations", negative="")] = False,
        safe_csv: Annotated[bool, Parameter(negative="")] = False,
        annotator: Annotated[
            _Several, Parameter(name="--annotator", negative="", metavar="NAME|NAME=PATH")
        ] = None,
        estimate_annotator: Annotated[str | None, Parameter(metavar="NAME|NUMBER")] = None,
        no_reference: Annotated[bool, Parameter(name="--no-reference", negative="")] = False,
        pairs: Annotated[str | None, Parameter(metavar="FILE.csv")] = None,
        missing: Literal["worst", "skip", "error"] = "worst",
        strict: Annotated[bool, Parameter(negative="")] = False,
        split: Annotated[str | None, Parameter(metavar="NAME")] = None,
        splits: Annotated[str | None, Parameter(metavar="FILE", negative="")] = None,
        ci: Annotated[float, Parameter(negative="", metavar="LEVEL", group="Intervals")] = 0.95,
        no_ci: Annotated[bool, Parameter(name="--no-ci", negative="", group="Intervals")] = False,
        interval: Annotated[_Interval, Parameter(group="Intervals")] = "percentile",
        resamples: Annotated[int, Parameter(metavar="N", group="Intervals")] = 10_000,
        seed: Annotated[int, Parameter(metavar="N", group="Intervals")] = 0,
        clusters: Annotated[
            str | None, Parameter(name="--cluster", metavar="FILE.csv:COLUMN|REGEX", group="Intervals")
        ] = None,
        jobs: Annotated[int, Parameter(metavar="N", group="Work")] = 1,
        executor: Annotated[str | None, Parameter(metavar="dask[://HOST:PORT]", group="Work")] = None,
        shard_size: Annotated[int, Parameter(metavar="N", group="Work")] = 2000,
        fail_under: Annotated[_Several, Parameter(negative="", metavar="PROTOCOL/MEASURE=VALUE")] = None,
        quiet: Annotated[bool, Parameter(negative="")] = False,
        **reading: Any,
    ) -> int:
        """Compare estimates with references, item by item, and print corpus figures.

        Items are paired by their path below the folder, without suffix.

        Parameters
        ----------
        references
            Folder or file of the references; NAME=PATH names the annotator.
        estimates
            Folder or file of each system; NAME=PATH names it, otherwise its last component does.
        protocols
            Protocol to run; repeatable, or several with commas. By default all of the task.
        measures
            Measure to compute, PROTOCOL/MEASURE, also 'PROTOCOL/*', or a name that only one has; case
            matters; repeatable, or with commas.
        every
            Show every measure in tables, not the headline measures only.
        table
            Print this class table in place of the figures: confusion, excluded (time by label), or of
            instruments P, R and F of each (instruments, families).
        cite
            Print what to cite in place of the figures: BibTeX of the protocols that were used.
        context
            Print figures between floors and ceiling: trivial answers made from the references, and annotators
            against each other, scored as the systems are.
        group_by
            Print figures group by group, such as by genre: a column of a table, or a regular expression
            on names of items.
        form
            What to print: tables of headline figures (table, md, latex), or every figure (json, csv).
        output
            Write that to a file instead.
        width
            Columns that tables fill; by default those of the terminal, and 80 in a file.
        per_item
            Write the figures of each item to a file.
        out
            Write everything that the figures are made from to a folder, for `kammerton diff` and
            `kammerton.read_run`; an earlier run there is replaced.
        no_annotations
            Leave the annotations out of the run, from which reports and `kammerton show` draw items.
        safe_csv
            Put an apostrophe before text in CSV that a spreadsheet would take for a formula.
        annotator
            Score against this annotator only; NAME=PATH adds a further annotator, repeatable.
        estimate_annotator
            Which annotation is the estimate where a file of a system holds several of an item: by the
            annotator's name, or by number from 1.
        no_reference
            Score estimates alone: all paths are EST. What compares with references is not evaluated.
        pairs
            List of what belongs together, item,annotator,reference,SYSTEM,... in place of REF and EST.
        missing
            What a missing or unusable estimate counts: the worst score, nothing, or an end to the run.
        strict
            End the run before scoring if there is any error or repair.
        split
            Score the items of this split only, such as test; needs --splits.
        splits
            List of items and splits: a table, or JSON with a field split for each. Without --split it
            only warns of items that are for training.
        ci
            Level of the intervals of figures.
        no_ci
            Leave intervals out.
        interval
            Quantiles of the figure on items drawn anew, or quantiles corrected for bias and skew; both
            expanded, as few items tell little of how much others vary.
        resamples
            How often items are drawn anew.
        seed
            Seed of the draws.
        clusters
            Draw items together that belong together, such as the songs of an album: a column of a table, or
            a regular expression on the names of items, such as '^(.*)/'.
        jobs
            Processes that score side by side.
        executor
            Score on a Dask cluster: one that is there, or a new one on this machine, of --jobs workers.
        shard_size
            Items that are scored together; more of them need more memory.
        fail_under
            Fail (exit code 1) if a headline figure is below, or undefined; repeatable.
        quiet
            Say errors only.
        """
        from kammerton.cli.names import sort_annotators, split_name  # noqa: PLC0415 - not for help pages
        from kammerton.cli.scoring import Plan, listed, paths_of_list, run, sides  # noqa: PLC0415

        plan = Plan(
            form=form,
            table=table,
            cite=cite,
            context=context,
            groups=group_by is not None,
            every=every or measures is not None,
            output=output,
            width=width,
            per_item=per_item,
            out=out,
            annotations=not no_annotations,
            safe_csv=safe_csv,
            quiet=quiet,
        )
        chosen, added = sort_annotators(annotator or ())
        arguments = {
            "protocols": listed(protocols),
            "measures": listed(measures),
            "annotator": chosen,
            "estimate_annotator": estimate_annotator,
            "pairs": pairs,
            "missing": missing,
            "strict": strict,
            "split": split,
            "splits": splits,
            "options": task.options(**reading),
            "ci": None if no_ci else ci,
            "resamples": resamples,
            "seed": seed,
            "interval": interval,
            "clusters": clusters,
            "context": context,
            "group_by": group_by,
            "jobs": jobs,
            "executor": executor,
            "shard_size": shard_size,
            **sides(references, estimates, added, pairs, alone=no_reference),
        }
        paths = [split_name(each)[1] for each in (references, *estimates, *(annotator or ())) if each]
        lists = [each for each in (pairs, splits) if each]
        plan.check([*paths, *lists, *paths_of_list(pairs)], task.suffixes)
        return run(task, arguments, fail_under or (), plan)

    return score
