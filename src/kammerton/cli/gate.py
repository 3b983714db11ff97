# SPDX-License-Identifier: MIT
"""Gates of ``kammerton score``: ``--fail-under``, ``--fail-below`` and ``--tolerance``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from kammerton.api.gating import EarlierRun, GateOutcome, Threshold
from kammerton.api.scoring import items_of_run
from kammerton.cli.options import option
from kammerton.cli.paths import split_name
from kammerton.errors import OptionError, quote
from kammerton.model.measure import Measure, find
from kammerton.model.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Gates:
    """What makes ``kammerton score`` fail."""

    fail_under: Annotated[
        list[str] | None,
        option(
            "Exit with code 6 if the corpus score of a measure is worse, or undefined, as "
            "mirex2013/MajMin=75%; repeatable.",
            metavar="MEASURE=VALUE",
        ),
    ] = None
    fail_below: Annotated[
        str | None,
        option(
            "Exit with code 6 if the main measure is significantly worse than in an earlier run; with "
            "--tolerance, if it is worse by more than that.",
            metavar="[NAME=]RUN",
        ),
    ] = None
    tolerance: Annotated[
        str | None,
        option("Loss that --fail-below accepts, in place of the test: 0.005 or 0.5%.", metavar="X"),
    ] = None

    def thresholds(self, computed: Sequence[Measure], task: Task) -> list[Threshold]:
        """Return the thresholds, of measures that are computed."""
        return [_threshold(argument, computed, task.measures) for argument in self.fail_under or ()]

    def earlier_run(self, task: Task, items: str | None) -> EarlierRun | None:
        """Read the earlier run, if there is one, of chosen items."""
        if self.fail_below is None:
            if self.tolerance is not None:
                raise OptionError("--tolerance needs an earlier run", "--fail-below RUN")
            return None
        limit = None if self.tolerance is None else _number_of(self.tolerance, self.tolerance)
        run = EarlierRun.of(split_name(self.fail_below), limit)
        if run.scores.task != task.name:
            is_of = f"is a run of {run.scores.task}, not of {task.name}"
            raise OptionError(f"--fail-below: {quote(self.fail_below)} {is_of}")
        return replace(run, scores=items_of_run(run.scores, items))

    def replaces_earlier_run(self, path: str | None) -> bool:
        """Return whether the earlier run lies at a path."""
        if path is None or self.fail_below is None:
            return False
        return os.path.realpath(path) == os.path.realpath(split_name(self.fail_below)[1])


def lines_of(outcomes: Sequence[GateOutcome], *, passed: bool) -> Iterator[str]:
    """Yield a line on each outcome that is so."""
    for outcome in outcomes:
        if outcome.passed == passed:
            yield f"--{outcome.gate.replace('_', '-')}: {outcome.text}"


def _threshold(argument: str, computed: Sequence[Measure], known: Sequence[Measure]) -> Threshold:
    """Read ``MEASURE=VALUE``."""
    address, equals, number = argument.rpartition("=")
    if not equals:
        raise OptionError(f"expected MEASURE=VALUE, got {quote(argument)}", "such as mirex2013/MajMin=75%")
    return Threshold.of(find(address, computed, known), _number_of(number, argument), number)


def _number_of(text: str, argument: str) -> float:
    """Return ``0.75`` of ``0.75`` or ``75%``."""
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise OptionError(f"not a number: {quote(text)} in {quote(argument)}") from None
