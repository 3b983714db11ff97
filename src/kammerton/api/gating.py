# SPDX-License-Identifier: MIT
"""Gates: corpus scores below which a system fails, or an earlier run that it must not be worse than."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal

from kammerton.errors import OptionError, cut_lines, plural, printable, quote, some
from kammerton.model.measure import Measure, find
from kammerton.reporting.rankings import main_measure
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


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """Whether a system passed one gate."""

    gate: Literal["fail_under", "fail_below"]
    passed: bool
    text: str  # what was compared, and the outcome

    @classmethod
    def of(cls, gate: Literal["fail_under", "fail_below"], text: str, *, passed: bool) -> GateOutcome:
        """Return an outcome whose text says it."""
        return cls(gate, passed, f"{text}: {'passed' if passed else 'failed'}")


@dataclass(frozen=True, slots=True)
class GateResult:
    """Whether systems passed their gates; see :func:`gate`.

    Examples
    --------
    >>> import kammerton
    >>> scores = kammerton.score("chords", *kammerton.example("chords"), measures=["MajMin"])
    >>> result = kammerton.gate(scores, fail_under={"MajMin": 0.9})
    >>> result.passed, result.failures
    (False, ('mirex2013/MajMin of hasty is 61.1925 % (0.611925), below 90 % (0.9): failed',))
    """

    outcomes: tuple[GateOutcome, ...]  # of every gate and system

    @property
    def passed(self) -> bool:
        """Whether every system passed every gate."""
        return all(outcome.passed for outcome in self.outcomes)

    @property
    def failures(self) -> tuple[str, ...]:
        """What failed, in words."""
        return tuple(outcome.text for outcome in self.outcomes if not outcome.passed)

    def __repr__(self) -> str:
        """Return the outcomes, those that failed first."""
        failed_first = sorted(self.outcomes, key=attrgetter("passed"))
        return cut_lines("\n".join(outcome.text for outcome in failed_first), "`outcomes` has them")

    def __str__(self) -> str:
        return "\n".join(outcome.text for outcome in self.outcomes)


def gate(
    scores: Scores,
    *,
    fail_under: Mapping[str, float] | None = None,
    fail_below: Any = None,
    tolerance: float | None = None,
    measure: str | None = None,
) -> GateResult:
    """Hold scores against limits, and against an earlier run, as in continuous integration.

    Parameters
    ----------
    scores : Scores
        What :func:`kammerton.score` returned.
    fail_under : mapping of str to float, optional
        Worst corpus score that is accepted, by measure, such as ``{"MajMin": 0.75}``. A score that is
        undefined fails.
    fail_below : path of a run or Scores, optional
        Earlier scores, of one system or of the same systems. A system fails whose score is significantly
        worse than it was, by a paired permutation test at 5 % in which items, or the clusters of the scores,
        are swapped; improvements pass.
    tolerance : float, optional
        Loss that ``fail_below`` accepts, in place of the test: 0.005 is half a per cent.
    measure : str, optional
        By which ``fail_below`` compares; by default the main measure.

    Returns
    -------
    GateResult
        ``passed``, and ``failures`` in words.

    Raises
    ------
    OptionError
        If there is no gate, no such measure, a limit is not possible, or the earlier run has none of the
        systems, or not the measure.
    DataError
        If the run cannot be read, or is not comparable (KT700 to KT709).

    Examples
    --------
    >>> from kammerton import score
    >>> ref = {"song": ([(0, 2), (2, 4)], ["C", "G:7"])}
    >>> scores = score("chords", ref, {"mine": {"song": ([(0, 3), (3, 4)], ["C", "G"])}})
    >>> print(gate(scores, fail_under={"MajMin": 0.8}))
    mirex2013/MajMin of mine is 75 % (0.75), below 80 % (0.8): failed
    >>> gate(scores, fail_under={"MajMin": 0.7}, fail_below=scores, tolerance=0.01).passed
    True
    """
    if fail_under is None and fail_below is None:
        raise OptionError("which gate?", "fail_under has limits by measure, fail_below an earlier run")
    if not isinstance(fail_under, Mapping | None):
        raise OptionError.of_type("fail_under", fail_under, "a mapping of measures to numbers")
    known = scores.origin.task.measures
    thresholds = [
        Threshold.of(find(name, scores.measures, known), limit) for name, limit in (fail_under or {}).items()
    ]
    outcomes = [outcome for threshold in thresholds for outcome in threshold.outcomes(scores)]
    if fail_below is not None:
        judge = main_measure(scores) if measure is None else find(measure, scores.measures, known)
        outcomes += EarlierRun.of(fail_below, tolerance).outcomes(scores, judge)
    return GateResult(tuple(outcomes))


@dataclass(frozen=True, slots=True)
class Threshold:
    """The worst corpus score of a measure that is accepted."""

    measure: Measure
    limit: float

    @classmethod
    def of(cls, measure: Measure, limit: float, written: str | None = None) -> Threshold:
        """Refuse a limit that no score of the measure can have; ``written`` is how the caller wrote it."""
        if not isinstance(limit, int | float):
            wrong = OptionError.of_type(f"the limit of {measure}", limit, "a number")
            raise OptionError(str(wrong), "write 75 % as 0.75")
        low, high = measure.range
        if not low <= limit <= high:
            shown = f"0.75; you wrote {limit:g}" if written is None else f"0.75 or 75%; you wrote {written}"
            hint = f"write 75 % as {shown}" if (low, high) == (0.0, 1.0) else None
            raise OptionError(f"{measure} lies between {low:g} and {high:g}", hint)
        return cls(measure, limit)

    def outcomes(self, scores: Scores) -> Iterator[GateOutcome]:
        """Yield whether each system is as good as that; one whose score is undefined is not."""
        for system in scores.systems:
            opening = f"{self.measure} of {printable(system)} is"
            if self.measure not in scores.measures:
                text = f"{opening} not evaluated; a note above says why"
                yield GateOutcome.of("fail_under", text, passed=False)
                continue
            value = scores.value(str(self.measure), system=system)
            if math.isnan(value):
                reason = scores.why_undefined(self.measure, system, scores.annotators_of(self.measure)[-1])
                reason = f" ({reason})" if " " not in reason else ""  # codes only
                yield GateOutcome.of("fail_under", f"{opening} undefined{reason}", passed=False)
                continue
            beyond = differences(value, self.limit, scale_of(self.measure))
            is_lower_better = self.measure.direction == "lower"
            is_worse = bool(beyond > 0 if is_lower_better else beyond < 0)
            place = ("" if is_worse else "not ") + ("above" if is_lower_better else "below")
            text = f"{opening} {self._shown(value)}, {place} {self._shown(self.limit)}"
            yield GateOutcome.of("fail_under", text, passed=not is_worse)

    def _shown(self, value: float) -> str:
        """Return a score in per cent, as tables have it, and as callers write it."""
        return f"{100 * value:.6g} % ({value:.6g})" if self.measure.range == PER_CENT else f"{value:.6g}"


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """A run that scores must not be worse than, and by how much they may be if not by chance alone."""

    name: str  # as messages call it
    scores: Scores
    tolerance: float | None = None

    @classmethod
    def of(cls, run: Any, tolerance: float | None = None) -> EarlierRun:
        """Read a run, perhaps a pair of the name of its system and its path."""
        if not isinstance(tolerance, int | float | None):
            raise OptionError.of_type("a tolerance", tolerance, "a number")
        if tolerance is not None and not tolerance >= 0:
            raise OptionError(f"a tolerance is not negative: {tolerance:g}")
        (scores,) = named_runs([run])
        path = run[1] if isinstance(run, tuple) else run
        name = "the earlier scores" if isinstance(path, Scores) else quote(os.fsdecode(path))
        return cls(name, scores, tolerance)

    def outcomes(self, scores: Scores, measure: Measure) -> Iterator[GateOutcome]:
        """Yield whether each system is as good as it was.

        All are compared with the system of a run that has one; else systems are paired by their names.
        """
        if measure not in self.scores.measures:
            protocols = ", ".join(dict.fromkeys(known.protocol for known in self.scores.measures))
            yield GateOutcome.of("fail_below", f"{self.name} has {protocols}, not {measure}", passed=False)
            return
        lone = self.scores.systems[0] if len(self.scores.systems) == 1 else ""
        before = {system: system if system in self.scores.systems else lone for system in scores.systems}
        if not any(before.values()):
            names = f"they are {some(self.scores.systems)}"
            raise OptionError(f"{self.name} has none of these systems", names)
        names_before = {system: f"{system} in {self.name}" for system in self.scores.systems}
        joined = join_runs([with_names(self.scores, names_before), scores], measures=[str(measure)])
        clusters = scores.origin.clusters
        compared = compare(joined, measures=[measure], clusters=clusters).measures[0]
        pairs = {frozenset((pair.first, pair.second)): pair for pair in compared.pairs}
        items = {key.system: items_behind(joined, key) for key in headline_keys(joined, measure, None)}
        for system, earlier in before.items():
            if not earlier:
                text = f"{self.name} has no system {quote(system)}: not compared"
                yield GateOutcome("fail_below", passed=True, text=text)
                continue
            shared = items[system] & items[names_before[earlier]]
            resampled = plural(len(shared), "item")
            if clusters is not None:
                resampled += f" in {plural(len({clusters[item] for item in shared}), 'cluster')}"
            pair = pairs[frozenset((system, names_before[earlier]))]
            yield self._outcome(pair, system, measure, resampled)

    def _outcome(self, pair: Pair, system: str, measure: Measure, resampled: str) -> GateOutcome:
        """Return whether a system is as good as it was, and on what of ``resampled`` it was tested."""
        after, before = pair.first_value, pair.second_value
        if pair.first != system:
            after, before = before, after
        unit = " %" if measure.range == PER_CENT and not math.isnan(after + before) else ""
        values = [f"{format_score(value, measure, _DIGITS)}{unit}" for value in (after, before)]
        text = f"{measure} of {printable(system)} is {values[0]}, {values[1]} in {self.name}"
        if math.isnan(after) or math.isnan(before):
            return GateOutcome.of("fail_below", text, passed=not math.isnan(after))
        change = float(differences(after, before, scale_of(measure)))
        loss = change if measure.direction == "lower" else -change
        text += f": {format_difference(change, measure, _DIGITS)}"
        if self.tolerance is not None:
            slack = float(differences(loss, self.tolerance, scale_of(measure)))
            text += f", tolerated {format_score(self.tolerance, measure, _DIGITS)}"
            return GateOutcome.of("fail_below", text, passed=slack <= 0)
        evidence = resampled if math.isnan(pair.p) else f"p {format_p(pair.p)}, {resampled}"
        if loss > 0 and pair.exact and 2 / pair.permutations >= _ALPHA:
            evidence += ", too few for the test: a tolerance limits the loss"
        is_worse = loss > 0 and pair.p < _ALPHA
        return GateOutcome.of("fail_below", f"{text} ({evidence})", passed=not is_worse)
