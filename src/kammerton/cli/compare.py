# SPDX-License-Identifier: MIT
"""``kammerton compare``: which system is better, and whether the data can tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from kammerton.cli.tasks import task_verb

if TYPE_CHECKING:
    from kammerton.model.task import Task

__all__ = ["app", "command"]

_Several = list[str] | None
_Format = Literal["table", "json", "csv", "md", "latex"]
_Test = Literal["permutation", "t", "wilcoxon", "friedman"]

app = task_verb("compare", "Rank systems, with tests.", "(REF EST EST [EST ...] | RUN [RUN ...]) [OPTIONS]")


def command(task: Task) -> Callable[..., int]:
    """Return the sub-command of a task."""

    def compare(  # noqa: PLR0913 - one per option
        references: Annotated[str | None, Parameter(name="REF", show_default=False)] = None,
        /,
        *estimates: Annotated[str, Parameter(name="EST")],
        protocols: Annotated[_Several, Parameter(name="--protocol", negative="", metavar="NAME")] = None,
        measures: Annotated[_Several, Parameter(name="--measure", negative="", metavar="NAME")] = None,
        every: Annotated[bool, Parameter(name="--all", negative="")] = False,
        against: Annotated[str | None, Parameter(metavar="SYSTEM")] = None,
        test: _Test = "permutation",
        alpha: Annotated[float, Parameter(metavar="P")] = 0.05,
        permutations: Annotated[int, Parameter(metavar="N")] = 10_000,
        reliability: Annotated[bool, Parameter(negative="")] = False,
        context: Annotated[bool, Parameter(negative="")] = False,
        group_by: Annotated[str | None, Parameter(metavar="FILE.csv:COLUMN|REGEX")] = None,
        ci: Annotated[float, Parameter(metavar="LEVEL")] = 0.95,
        interval: Literal["percentile", "bca"] = "percentile",
        resamples: Annotated[int, Parameter(metavar="N")] = 10_000,
        seed: Annotated[int, Parameter(metavar="N")] = 0,
        clusters: Annotated[str | None, Parameter(name="--cluster", metavar="FILE.csv:COLUMN|REGEX")] = None,
        form: Annotated[_Format, Parameter(name="--format")] = "table",
        output: Annotated[str | None, Parameter(metavar="FILE")] = None,
        width: Annotated[int | None, Parameter(metavar="COLUMNS")] = None,
        annotator: Annotated[
            _Several, Parameter(name="--annotator", negative="", metavar="NAME|NAME=PATH")
        ] = None,
        estimate_annotator: Annotated[str | None, Parameter(metavar="NAME|NUMBER")] = None,
        no_reference: Annotated[bool, Parameter(name="--no-reference", negative="")] = False,
        pairs: Annotated[str | None, Parameter(metavar="FILE.csv")] = None,
        missing: Literal["worst", "skip", "error"] = "worst",
        strict: Annotated[bool, Parameter(negative="")] = False,
        jobs: Annotated[int, Parameter(metavar="N", group="Work")] = 1,
        executor: Annotated[str | None, Parameter(metavar="dask[://HOST:PORT]", group="Work")] = None,
        shard_size: Annotated[int, Parameter(metavar="N", group="Work")] = 2000,
        quiet: Annotated[bool, Parameter(negative="")] = False,
        **reading: Any,
    ) -> int:
        """Compare systems by each measure, each pair on exactly the items that both have.

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
        protocols
            Protocol to run; repeatable, or several with commas. By default all of the task.
        measures
            Measure to compare by, PROTOCOL/MEASURE, or a name that only one has; repeatable, or with commas.
        every
            Show every measure in tables, not the headline measures only.
        against
            Compare all others with this system only; p-values are adjusted over these pairs.
        test
            Swap the statistics of two systems item by item (permutation), or test the values of items: t,
            wilcoxon; p-values are adjusted over pairs by Holm. Or ranks of all systems, as MIREX (friedman).
        alpha
            Adjusted p-values below it tell systems apart.
        permutations
            How often systems are swapped, where not all swaps are tried.
        reliability
            Add how far the items can be relied on, and the smallest difference they can detect.
        context
            Add what the systems stand between: trivial answers, and annotators against each other.
        group_by
            Add figures group by group, such as by genre: a column of a table, or a regular expression
            on names of items.
        ci
            Level of the intervals of figures and differences.
        interval
            Quantiles, or quantiles corrected for bias and skew; both expanded, the more the fewer the items.
        resamples
            How often items are drawn anew.
        seed
            Seed of all draws.
        clusters
            Draw and swap items together that belong together, such as the songs of an album.
        form
            What to print: tables of headline measures (table, md, latex), everything (json), pairs (csv).
        output
            Write that to a file instead.
        width
            Columns that tables fill; by default those of the terminal, and 80 in a file.
        annotator
            Compare against this annotator only; NAME=PATH adds a further annotator, repeatable.
        estimate_annotator
            Which annotation is the estimate where a file of a system holds several of an item: by the
            annotator's name, or by number from 1.
        no_reference
            Compare estimates alone, by what needs no references: all paths are EST.
        pairs
            List of what belongs together, item,annotator,reference,SYSTEM,... in place of REF and EST.
        missing
            What a missing or unusable estimate counts: the worst score, nothing, or an end to the run.
        strict
            End the run before scoring if there is any error or repair.
        jobs
            Processes that score side by side.
        executor
            Score on a Dask cluster: one that is there, or a new one on this machine, of --jobs workers.
        shard_size
            Items that are scored together; more of them need more memory.
        quiet
            Say errors only.
        """
        from kammerton.cli.comparing import run, runs_or_sides  # noqa: PLC0415 - not for help pages
        from kammerton.cli.names import sort_annotators, split_name  # noqa: PLC0415
        from kammerton.cli.scoring import listed, paths_of_list  # noqa: PLC0415

        chosen, added = sort_annotators(annotator or ())
        choices = {
            "protocols": listed(protocols),
            "measures": listed(measures),
            "annotator": chosen,
            "estimate_annotator": estimate_annotator,
            "pairs": pairs,
            "missing": missing,
            "strict": strict,
            "options": task.options(**reading),
            "against": against,
            "test": test,
            "alpha": alpha,
            "permutations": permutations,
            "reliability": reliability,
            "context": context,
            "group_by": group_by,
            "ci": ci,
            "interval": interval,
            "resamples": resamples,
            "seed": seed,
            "clusters": clusters,
            "jobs": jobs,
            "executor": executor,
            "shard_size": shard_size,
            **runs_or_sides(references, estimates, added, pairs, alone=no_reference),
        }
        paths = [split_name(each)[1] for each in (references, *estimates, *(annotator or ())) if each]
        inputs = [*paths, *([pairs] if pairs else []), *paths_of_list(pairs)]
        every = every or measures is not None
        return run(task, choices, inputs, form=form, output=output, width=width, every=every, quiet=quiet)

    return compare
