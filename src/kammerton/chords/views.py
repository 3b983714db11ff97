# SPDX-License-Identifier: MIT
"""One song, laid out for a reader: who wrote what when, which of it is wrong, and what that costs.

What is returned knows nothing of chords, and nothing of how it will be drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kammerton.chords.anatomy import credit_remarks, credited_table
from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.columns import Columns, build_columns
from kammerton.chords.formulas import Recall
from kammerton.chords.kernels import Result
from kammerton.chords.protocols import decibel, frames10ms, mir_eval, mirex2013
from kammerton.chords.reading import ChordOptions
from kammerton.core.intervals import Codes, Flags, Seconds
from kammerton.errors import OptionError
from kammerton.model.measure import Measure
from kammerton.model.protocol import find
from kammerton.model.task import Case
from kammerton.model.views import Column, ItemView, Mark, Span, State, Table, Track

__all__ = ["DEFAULT_MEASURE", "view_item"]

DEFAULT_MEASURE = "mirex2013/MajMin"

NO_ROW = "(no row)"
"""What tables call time in which a side has no row."""

_MODULES = {module.PROTOCOL.name: module for module in (mirex2013, mir_eval, decibel)}
_LISTED = 10
"""Confusions that are listed one by one."""


def view_item(
    item: str,
    annotator: str,
    references: Mapping[str, ChordAnnotation],
    estimates: Mapping[str, ChordAnnotation | str],
    measure: str | None = None,
    _: ChordOptions | None = None,
) -> ItemView:
    """Lay out one song.

    Parameters
    ----------
    item, annotator : str
        Names of the song, and of who wrote the reference that judges.
    references : mapping of str to ChordAnnotation
        By annotator; at least one row each.
    estimates : mapping of str to ChordAnnotation or str
        By system; a text says why there is none.
    measure : str, optional
        A recall measure, as ``protocol/measure`` or by a name that only one has; by default
        ``mirex2013/MajMin``. Time is marked as it judges it.

    Returns
    -------
    ItemView

    Raises
    ------
    OptionError
        If there is no such measure, or it does not compare labels.

    Examples
    --------
    >>> reference = ChordAnnotation(np.array([[0.0, 2.0], [2.0, 4.0]]), ("C", "G"))
    >>> estimate = ChordAnnotation(np.array([[0.0, 3.0], [3.0, 4.0]]), ("C", "G"))
    >>> view_item("song", "me", {"me": reference}, {"mine": estimate}).tracks[1].marks
    (Mark(start=2.0, end=3.0, state='wrong'),)
    """
    chosen, reference = _choose(measure or DEFAULT_MEASURE), references[annotator]
    usable = {name: each for name, each in estimates.items() if not isinstance(each, str)}
    # the last pair, of nothing, is for what the reference decides alone
    sides = (*usable.values(), ChordAnnotation.empty())
    columns = build_columns([Case((reference,), each, number) for number, each in enumerate(sides)])
    results = {name: _evaluate(name, columns, chosen) for name in _MODULES}
    *judged, of_reference = _judge(columns, results[chosen.protocol], chosen)
    end = max(float(each.intervals[-1, 1]) for each in (reference, *sides) if len(each))
    judgements = dict(zip(usable, judged, strict=True))
    return ItemView(
        item=item,
        measure=str(chosen),
        end=end,
        tracks=(
            Track(annotator, _spans(reference)),
            *(_track(name, each, judgements.get(name), end) for name, each in estimates.items()),
        ),
        tables=(
            *(_costs(name, chosen, each) for name, each in judgements.items()),
            _scores(results, list(usable), list(estimates)),
            *_excluded(chosen, of_reference),
        ),
        notes=(
            *_notes(columns, results[chosen.protocol], chosen, list(usable)),
            *_others([name for name in references if name != annotator]),
        ),
    )


def _choose(address: str) -> Measure:
    measures = [measure for module in _MODULES.values() for measure in module.PROTOCOL.measures]
    chosen = find(address, measures, frames10ms.PROTOCOL.measures)
    if not isinstance(chosen.formula, Recall):
        judging = [m for m in measures if m.protocol == chosen.protocol and isinstance(m.formula, Recall)]
        raise OptionError(
            f"{chosen} does not say when an estimate is right", f"these do: {', '.join(map(str, judging))}"
        )
    return chosen


def _evaluate(name: str, columns: Columns, chosen: Measure) -> Result:
    module = _MODULES[name]
    shown = [measure for measure in module.PROTOCOL.measures if measure.headline or measure == chosen]
    result: Result = module.evaluate(columns, shown)
    return result


def _spans(annotation: ChordAnnotation) -> tuple[Span, ...]:
    rows = zip(annotation.intervals.tolist(), annotation.labels, strict=True)
    return tuple(Span(start, end, label) for (start, end), label in rows)


@dataclass(frozen=True, slots=True, eq=False)
class _Judgement:
    """The slices of one pair that a protocol looks at, and what a measure says of each."""

    starts: Seconds
    ends: Seconds
    ref: Codes
    est: Codes
    scored: Flags
    wrong: Flags
    labels: Sequence[str]

    def seconds(self, mask: Flags) -> float:
        """Return how long the slices of a mask last together."""
        return float((self.ends - self.starts)[mask].sum())

    def sums(self, mask: Flags, *sides: Codes) -> list[tuple[tuple[str, ...], float]]:
        """Sum time by the labels of one or both sides, the longest first."""
        sums: dict[tuple[str, ...], float] = {}
        durations = (self.ends - self.starts)[mask].tolist()
        for seconds, *codes in zip(durations, *(side[mask].tolist() for side in sides), strict=True):
            labels = tuple(self.labels[code] or NO_ROW for code in codes)
            sums[labels] = sums.get(labels, 0.0) + seconds
        return sorted(sums.items(), key=lambda entry: (-entry[1], entry[0]))

    def marks(self, end: float) -> tuple[Mark, ...]:
        """Return what is not right from 0 to ``end``; no time outside the slices is judged."""
        marks: list[Mark] = []
        for start, stop, state in self._states(end):
            if state is None or start >= stop:
                continue
            begun = (
                marks.pop().start if marks and marks[-1].state == state and marks[-1].end == start else start
            )
            marks.append(Mark(begun, stop, state))
        return tuple(marks)

    def _states(self, end: float) -> Iterator[tuple[float, float, State | None]]:
        first, last = (float(self.starts[0]), float(self.ends[-1])) if len(self.starts) else (end, end)
        yield 0.0, first, "excluded"
        states = np.where(self.scored, np.where(self.wrong, 1, 0), 2)
        for start, stop, state in zip(self.starts.tolist(), self.ends.tolist(), states.tolist(), strict=True):
            yield start, stop, (None, "wrong", "excluded")[state]
        yield last, end, "excluded"


def _judge(columns: Columns, result: Result, chosen: Measure) -> Iterator[_Judgement]:
    """Give what ``chosen`` says of each pair."""
    timeline, rule = result.timeline, result.rules[chosen.name]
    scored = rule.scored[timeline.ref]
    wrong = scored & ~rule.correct(timeline.ref, timeline.est)
    for pair in range(columns.pairs):
        own = timeline.pair == pair
        yield _Judgement(
            timeline.starts[own],
            timeline.starts[own] + timeline.weights[own],
            timeline.ref[own],
            timeline.est[own],
            scored[own],
            wrong[own],
            columns.labels,
        )


def _track(name: str, estimate: ChordAnnotation | str, judgement: _Judgement | None, end: float) -> Track:
    if isinstance(estimate, str) or judgement is None:
        return Track(name, (), note=str(estimate))
    return Track(name, _spans(estimate), judgement.marks(end))


def _costs(name: str, chosen: Measure, judgement: _Judgement) -> Table:
    """List the pairs of labels that cost most; a last row has the rest."""
    scored, wrong = judgement.seconds(judgement.scored), judgement.seconds(judgement.wrong)
    sums = judgement.sums(judgement.wrong, judgement.ref, judgement.est)
    rows = [(ref, est, seconds, seconds / scored) for (ref, est), seconds in sums[:_LISTED]]
    if len(sums) > _LISTED:
        rest = sum(seconds for _, seconds in sums[_LISTED:])
        rows.append((f"{len(sums) - _LISTED} more", "", rest, rest / scored))
    return Table(
        f"{name}: {wrong:.3f} s wrong of {scored:.3f} s scored by {chosen}",
        (Column("reference"), Column("estimate"), Column("seconds", "time"), Column("of scored", "share")),
        tuple(rows),
    )


def _scores(results: Mapping[str, Result], usable: Sequence[str], systems: Sequence[str]) -> Table:
    """List the headline measures of every protocol, a column per system."""
    rows: list[tuple[str | float | None, ...]] = []
    for result in results.values():
        for measure, statistics in result.statistics.items():
            values = dict(zip(usable, measure.formula.finalise(statistics).tolist(), strict=False))
            cells = (values.get(name, "-") for name in systems)
            rows.append((str(measure), *(None if _is_nan(cell) else cell for cell in cells)))
    return Table(
        "scores, per cent", (Column("measure"), *(Column(name, "score") for name in systems)), tuple(rows)
    )


def _is_nan(cell: str | float) -> bool:
    return isinstance(cell, float) and math.isnan(cell)


def _excluded(chosen: Measure, judgement: _Judgement) -> Iterator[Table]:
    """List the reference labels that are not scored, if there are any."""
    left_out, total = ~judgement.scored, judgement.ends[-1:].sum() - judgement.starts[:1].sum()
    if left_out.any():
        rows = judgement.sums(left_out, judgement.ref)
        yield Table(
            f"excluded: {judgement.seconds(left_out):.3f} s of {total:.3f} s, outside {chosen}",
            (Column("reference"), Column("seconds", "time"), Column("of all", "share")),
            tuple((label, seconds, seconds / total) for (label,), seconds in rows),
        )


def _others(annotators: Sequence[str]) -> Iterator[str]:
    if annotators:
        yield f"also annotated by {', '.join(annotators)}"


def _notes(columns: Columns, result: Result, chosen: Measure, systems: Sequence[str]) -> tuple[str, ...]:
    if chosen.protocol != mir_eval.PROTOCOL.name:
        return ()
    table = credited_table(result, columns, [chosen])
    return tuple(
        f"{systems[pair]}: {remark.message}"
        for pair, classes, seconds in zip(table.groups, table.classes, table.weights, strict=True)
        for remark in credit_remarks({classes: seconds})
    )
