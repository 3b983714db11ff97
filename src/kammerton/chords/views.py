# SPDX-License-Identifier: MIT
"""One song, laid out for a reader: who wrote what when, which of it is wrong, and what was lost by it.

What is returned knows nothing of chords, and nothing of how it will be drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kammerton.chords.annotation import ChordAnnotation, ChordOptions
from kammerton.chords.error_analysis import Shares, credited_table, displacement, remarks, root_bass_table
from kammerton.chords.kernels import ChordColumns, Recall, Result, SliceJudgement, build_columns, judge
from kammerton.chords.protocols import MODULES, mir_eval, mirex2013
from kammerton.errors import OptionError
from kammerton.model.measure import Measure, find
from kammerton.model.task import Case
from kammerton.model.views import Column, ItemView, Span, Table, Track, largest_part

DEFAULT_MEASURE = "mirex2013/MajMin"

_MODULES = {module.PROTOCOL.name: module for module in MODULES if not module.PROTOCOL.on_request}
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

    Examples
    --------
    >>> import numpy as np
    >>> reference = ChordAnnotation(np.array([[0.0, 2.0], [2.0, 4.0]]), ("C", "G"))
    >>> estimate = ChordAnnotation(np.array([[0.0, 3.0], [3.0, 4.0]]), ("C", "G"))
    >>> view_item("song", "me", {"me": reference}, {"mine": estimate}).tracks[1].marks
    (Mark(start=2.0, end=3.0, state='wrong', kind='root'),)
    """
    chosen, reference = _choose(measure or DEFAULT_MEASURE), references[annotator]
    usable = {name: annotation for name, annotation in estimates.items() if not isinstance(annotation, str)}
    others = {name: annotation for name, annotation in references.items() if name != annotator}
    # the last pair, of nothing, is for what the reference decides alone
    sides = (*usable.values(), *others.values(), ChordAnnotation.empty())
    columns = build_columns([Case((reference,), side, number) for number, side in enumerate(sides)])
    results = {name: _evaluate(name, columns, chosen) for name in _MODULES}
    judged = {recall: judge(columns, results[recall.protocol], recall) for recall in _beside(chosen)}
    judgements = dict(zip(usable, judged[chosen], strict=False))
    end = max(float(side.intervals[-1, 1]) for side in (reference, *usable.values()) if len(side))
    tracks = list(_tracks((*usable.items(), *others.items()), judged, chosen, end))
    track_of = dict(zip(usable, tracks, strict=False))
    against = f", against {annotator}" if others else ""
    losses = {name: _losses(name, chosen, own, against) for name, own in judgements.items()}
    shares = _shares(reference, chosen)
    elsewhere = {name: message for name, own in usable.items() if (message := displacement(own, shares))}
    return ItemView(
        item=item,
        measure=str(chosen),
        end=end,
        tracks=(
            Track(annotator, _spans(reference)),
            *(track_of.get(name) or Track(name, (), note=str(reason)) for name, reason in estimates.items()),
        ),
        tables=(
            *losses.values(),
            _scores(results, list(usable), list(estimates), against),
            *_excluded(chosen, judged[chosen][-1]),
        ),
        notes=(
            *_notes(columns, results[chosen.protocol], chosen, list(usable)),
            *([f"also annotated by {', '.join(others)}"] if others else []),
            *(f"{name}: {message}" for name, message in elsewhere.items()),
        ),
        others=tuple(tracks[len(usable) :]),
        reasons={
            name: tuple(_reasons(_counted(own, chosen), losses[name], elsewhere.get(name), against))
            for name, own in judgements.items()
        },
    )


def _choose(address: str) -> Measure:
    measures = [measure for module in _MODULES.values() for measure in module.PROTOCOL.measures]
    chosen = find(address, measures, [measure for module in MODULES for measure in module.PROTOCOL.measures])
    if not isinstance(chosen.formula, Recall):
        judging = [m for m in measures if m.protocol == chosen.protocol and isinstance(m.formula, Recall)]
        raise OptionError(
            f"{chosen} does not say when an estimate is right", f"these do: {', '.join(map(str, judging))}"
        )
    return chosen


def _beside(chosen: Measure) -> list[Measure]:
    """Return the recalls that a reader may look through in place of the one that was chosen."""
    measures = _MODULES[chosen.protocol].PROTOCOL.measures
    recalls = [measure for measure in measures if isinstance(measure.formula, Recall)]
    return [measure for measure in recalls if measure.headline or measure == chosen]


def _evaluate(name: str, columns: ChordColumns, chosen: Measure) -> Result:
    module = _MODULES[name]
    shown = [measure for measure in module.PROTOCOL.measures if measure.headline or measure == chosen]
    result: Result = module.evaluate(columns, shown)
    return result


def _spans(annotation: ChordAnnotation) -> tuple[Span, ...]:
    rows = zip(annotation.intervals.tolist(), annotation.labels, strict=True)
    return tuple(Span(start, end, label) for (start, end), label in rows)


def _tracks(
    sides: Sequence[tuple[str, ChordAnnotation]],
    judged: Mapping[Measure, Sequence[SliceJudgement]],
    chosen: Measure,
    end: float,
) -> Iterator[Track]:
    """Give the track of each side, marked by every measure that judges."""
    for number, (name, annotation) in enumerate(sides):
        last = max([end, *annotation.intervals[-1:, 1].tolist()])
        marks = {str(measure): of_sides[number].marks(last) for measure, of_sides in judged.items()}
        yield Track(name, _spans(annotation), marks[str(chosen)], judged=marks)


def _shares(reference: ChordAnnotation, chosen: Measure) -> Shares:
    """Return what tells which share of the time estimates are right."""

    def shares(estimates: Sequence[ChordAnnotation]) -> NDArray[np.float64]:
        cases = [Case((reference,), estimate, number) for number, estimate in enumerate(estimates)]
        columns = build_columns(cases)
        result = _MODULES[chosen.protocol].evaluate(columns, [chosen])
        return chosen.formula.finalise(result.statistics[chosen])

    return shares


def _losses(name: str, chosen: Measure, judgement: SliceJudgement, against: str) -> Table:
    """List the pairs of labels that cost most; a last row has the rest."""
    scored = judgement.seconds(judgement.scored)
    sums = judgement.sums(judgement.wrong, judgement.ref, judgement.est)
    rows = [(ref, est, seconds, seconds / scored) for (ref, est), seconds in sums[:_LISTED]]
    if len(sums) > _LISTED:
        rest = sum(seconds for _, seconds in sums[_LISTED:])
        rows.append((f"{len(sums) - _LISTED} more", "", rest, rest / scored))
    return Table(
        f"{name}: {_counted(judgement, chosen)}{against}",
        (Column("reference"), Column("estimate"), Column("seconds", "time"), Column("of scored", "share")),
        tuple(rows),
    )


def _counted(judgement: SliceJudgement, chosen: Measure) -> str:
    scored, wrong = judgement.seconds(judgement.scored), judgement.seconds(judgement.wrong)
    return f"{wrong:.3f} s wrong of {scored:.3f} s scored by {chosen}"


def _reasons(counted: str, losses: Table, elsewhere: str | None, against: str) -> Iterator[str]:
    if elsewhere is not None:
        yield f"{elsewhere}{against}"
    if losses.rows:
        yield f"{counted}{against}; {largest_part(losses)}"


def _scores(
    results: Mapping[str, Result], usable: Sequence[str], systems: Sequence[str], against: str
) -> Table:
    """List the headline measures of every protocol, a column per system."""
    rows: list[tuple[str | float | None, ...]] = []
    for result in results.values():
        for measure, statistics in result.statistics.items():
            values = zip(usable, measure.formula.finalise(statistics).tolist(), strict=False)
            cells = {name: None if math.isnan(value) else value for name, value in values}
            rows.append((str(measure), *(cells.get(name, "-") for name in systems)))
    return Table(
        f"scores, per cent{against}",
        (Column("measure"), *(Column(name, "score") for name in systems)),
        tuple(rows),
    )


def _excluded(chosen: Measure, judgement: SliceJudgement) -> Iterator[Table]:
    """List the reference labels that are not scored, if there are any."""
    left_out, total = ~judgement.scored, judgement.ends[-1:].sum() - judgement.starts[:1].sum()
    if left_out.any():
        rows = judgement.sums(left_out, judgement.ref)
        yield Table(
            f"excluded: {judgement.seconds(left_out):.3f} s of {total:.3f} s, outside {chosen}",
            (Column("reference"), Column("seconds", "time"), Column("of all", "share")),
            tuple((label, seconds, seconds / total) for (label,), seconds in rows),
        )


def _notes(columns: ChordColumns, result: Result, chosen: Measure, systems: Sequence[str]) -> tuple[str, ...]:
    if chosen.protocol == mir_eval.PROTOCOL.name:
        table = credited_table(result, columns, [chosen])
    elif chosen.protocol == mirex2013.PROTOCOL.name:
        table = root_bass_table(result, columns, [chosen])
    else:
        return ()
    return tuple(
        f"{systems[pair]}: {remark.message}"
        for pair, classes, seconds in zip(table.groups, table.classes, table.weights, strict=True)
        if pair < len(systems)
        for remark in remarks({table.name: {classes: seconds}}, [str(chosen)])
    )
