# SPDX-License-Identifier: MIT
"""Gates: corpus scores below which ``kammerton score`` fails, or runs that it must not be worse than."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from kammerton.api.scoring import items_of_run
from kammerton.cli.options import option
from kammerton.cli.paths import split_name
from kammerton.errors import OptionError, plural, printable, quote, some
from kammerton.model.measure import Measure, find
from kammerton.model.task import Task
from kammerton.reporting.tables import PER_CENT, format_difference, format_p, format_score
from kammerton.results.comparison import compare
from kammerton.results.scores import Scores
from kammerton.runs.joining import join_runs, named_runs, with_names
from kammerton.statistics.comparison import Pair
from kammerton.statistics.paired import differences, scale_of
from kammerton.statistics.sample import headline_keys, items_behind

_ALPHA = 0.05
"""Level of the test of a loss."""
_DIGITS = 2
_PASSED, _FAILED = ": passed", ": failed"


@dataclass(frozen=True, slots=True)
class Threshold:
    """The worst corpus score of a headline measure that ``--fail-under`` accepts."""

    measure: Measure
    limit: float

    def outcomes(self, scores: Scores) -> Iterator[tuple[bool, str]]:
        """Yield whether each system is worse, or undefined, and a line on it."""
        for system in scores.systems:
            opening = f"--fail-under: {self.measure} of {printable(system)} is"
            if self.measure not in scores.measures:
                yield True, f"{opening} not evaluated; a note above says why{_FAILED}"
                continue
            value = scores.value(str(self.measure), system=system)
            if math.isnan(value):
                reason = scores.why_undefined(self.measure, system, scores.annotators_of(self.measure)[-1])
                reason = f" ({reason})" if " " not in reason else ""  # codes only
                yield True, f"{opening} undefined{reason}{_FAILED}"
                continue
            beyond = differences(value, self.limit, scale_of(self.measure))
            is_lower_better = self.measure.direction == "lower"
            is_worse = bool(beyond > 0 if is_lower_better else beyond < 0)
            place = ("" if is_worse else "not ") + ("above" if is_lower_better else "below")
            line = f"{opening} {self._shown(value)}, {place} {self._shown(self.limit)}"
            yield is_worse, line + (_FAILED if is_worse else _PASSED)

    def _shown(self, value: float) -> str:
        """Return a score in per cent, as tables have it, and as it is written on the command line."""
        return f"{100 * value:.6g} % ({value:.6g})" if self.measure.range == PER_CENT else f"{value:.6g}"


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """A run that scores must not be worse than, and by how much they may be if not by chance alone."""

    name: str
    scores: Scores
    tolerance: float | None = None

    @classmethod
    def read(cls, argument: str, task: Task, items: str | None, tolerance: str | None) -> EarlierRun:
        """Read chosen items of ``[NAME=]RUN``, and the tolerance as a share or in per cent."""
        (run,) = named_runs([split_name(argument)])
        if run.task != task.name:
            raise OptionError(f"--fail-below: {quote(argument)} is a run of {run.task}, not of {task.name}")
        limit = None if tolerance is None else _number_of(tolerance, tolerance)
        if limit is not None and limit < 0:
            raise OptionError(f"a tolerance is not negative: {tolerance}")
        return cls(split_name(argument)[1], items_of_run(run, items), limit)

    def lies_at(self, path: str | None) -> bool:
        """Return whether the run lies at a path."""
        return path is not None and os.path.realpath(path) == os.path.realpath(self.name)

    def outcomes(self, scores: Scores, measure: Measure) -> Iterator[tuple[bool, str]]:
        """Yield a line on each system, and whether it is worse than it was, or undefined.

        All are compared with the system of a run that has one; else systems are paired by their names.
        """
        lone = self.scores.systems[0] if len(self.scores.systems) == 1 else ""
        before = {system: system if system in self.scores.systems else lone for system in scores.systems}
        if not any(before.values()):
            names = f"they are {some(self.scores.systems)}"
            raise OptionError(f"--fail-below: {quote(self.name)} has none of these systems", names)
        names_before = {system: f"{system} in {self.name}" for system in self.scores.systems}
        joined = join_runs([with_names(self.scores, names_before), scores], measures=[str(measure)])
        clusters = scores.origin.clusters
        compared = compare(joined, measures=[measure], clusters=clusters).measures[0]
        pairs = {frozenset((pair.first, pair.second)): pair for pair in compared.pairs}
        items = {key.system: items_behind(joined, key) for key in headline_keys(joined, measure, None)}
        for system, earlier in before.items():
            if not earlier:
                yield False, f"--fail-below: {quote(self.name)} has no system {quote(system)}: not compared"
                continue
            shared = items[system] & items[names_before[earlier]]
            resampled = plural(len(shared), "item")
            if clusters is not None:
                resampled += f" in {plural(len({clusters[item] for item in shared}), 'cluster')}"
            pair = pairs[frozenset((system, names_before[earlier]))]
            is_worse, line = self._outcome(pair, system, measure, resampled)
            yield is_worse, line + (_FAILED if is_worse else _PASSED)

    def _outcome(self, pair: Pair, system: str, measure: Measure, resampled: str) -> tuple[bool, str]:
        """Return whether a system is worse, and a line on what was ``resampled``."""
        after, before = pair.first_value, pair.second_value
        if pair.first != system:
            after, before = before, after
        unit = " %" if measure.range == PER_CENT and not math.isnan(after + before) else ""
        values = [f"{format_score(value, measure, _DIGITS)}{unit}" for value in (after, before)]
        opening = f"--fail-below: {measure} of {printable(system)} is"
        line = f"{opening} {values[0]}, {values[1]} in {quote(self.name)}"
        if math.isnan(after) or math.isnan(before):
            return math.isnan(after), line
        change = float(differences(after, before, scale_of(measure)))
        loss = change if measure.direction == "lower" else -change
        line += f": {format_difference(change, measure, _DIGITS)}"
        if self.tolerance is not None:
            slack = float(differences(loss, self.tolerance, scale_of(measure)))
            return slack > 0, f"{line}, tolerated {format_score(self.tolerance, measure, _DIGITS)}"
        evidence = resampled if math.isnan(pair.p) else f"p {format_p(pair.p)}, {resampled}"
        if loss > 0 and pair.exact and 2 / pair.permutations >= _ALPHA:
            evidence += ", too few for the test: --tolerance X limits the loss"
        return loss > 0 and pair.p < _ALPHA, f"{line} ({evidence})"


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
        return [read_threshold(argument, computed, task.measures) for argument in self.fail_under or ()]

    def earlier_run(self, task: Task, items: str | None) -> EarlierRun | None:
        """Read the earlier run, if there is one, of chosen items."""
        if self.fail_below is not None:
            return EarlierRun.read(self.fail_below, task, items, self.tolerance)
        if self.tolerance is not None:
            raise OptionError("--tolerance needs an earlier run", "--fail-below RUN")
        return None


def read_threshold(argument: str, computed: Sequence[Measure], known: Sequence[Measure]) -> Threshold:
    """Read ``PROTOCOL/MEASURE=VALUE``."""
    address, equals, number = argument.rpartition("=")
    if not equals:
        raise OptionError(f"expected PROTOCOL/MEASURE=VALUE, got {quote(argument)}")
    measure = find(address, computed, known)
    limit = _number_of(number, argument)
    low, high = measure.range
    if not low <= limit <= high:
        hint = f"write 75 % as 0.75 or 75%; you wrote {number}" if (low, high) == (0.0, 1.0) else None
        raise OptionError(f"{measure} lies between {low:g} and {high:g}", hint)
    return Threshold(measure, limit)


def _number_of(text: str, argument: str) -> float:
    """Return ``0.75`` of ``0.75`` or ``75%``."""
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise OptionError(f"not a number: {quote(text)} in {quote(argument)}") from None
