# SPDX-License-Identifier: MIT
"""The table of a system's candidates: the worst, the mean, the selected and the best of each item."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kammerton.errors import plural
from kammerton.reporting.rankings import TableOptions, shown_measures
from kammerton.reporting.tables import format_score
from kammerton.results.candidates import CHOSEN
from kammerton.results.scores import Scores


def candidate_table(scores: Scores, options: TableOptions) -> tuple[list[str], list[list[str]]] | None:
    """Return head and rows of the candidates by the main measure, or by those that were chosen."""
    if scores.candidates is None:
        return None
    measures = shown_measures(scores, options)
    if not (options.show or options.details):
        measures = measures[:1]
    every = {
        (row["system"], row["annotator"], f"{row['protocol']}/{row['measure']}"): row
        for row in scores.candidates.to_dicts()
    }
    chosen = [which for which in CHOSEN if any(row[which] is not None for row in every.values())]
    has_confidence = any(row["with_confidence"] for row in every.values())
    rows = []
    for system in dict.fromkeys(system for system, _, _ in every):
        for measure in measures:
            row = every.get((system, scores.annotators_of(measure)[-1], str(measure)))
            if row is not None:
                values = (math.nan if row[which] is None else row[which] for which in chosen)
                cells = [format_score(value, measure, options.digits) for value in values]
                if has_confidence:
                    correlation = row["rank_correlation"]
                    cells.append("-" if correlation is None else f"{correlation:.2f}")
                rows.append([system, str(measure), *cells])
    return ["candidates of", "measure", *chosen, *(["confidence ~ score"] if has_confidence else [])], rows


def candidate_notes(scores: Scores) -> Iterator[str]:
    """Yield what the columns of the table are."""
    yield (
        "Candidates: each item counts its worst, mean, selected or best one, by each measure for itself. The "
        "best is an upper bound, since no system knows it."
    )
    rows = [] if scores.candidates is None else scores.candidates.to_dicts()
    with_confidence = max((row["with_confidence"] for row in rows), default=0)
    if with_confidence:
        yield f"confidence ~ score: Spearman's rank correlation over {plural(with_confidence, 'candidate')}."
