# SPDX-License-Identifier: MIT
"""From scores to the chapters of a page."""

from __future__ import annotations

from functools import cache

from kammerton.errors import plural
from kammerton.reporting.html.classes import breakdown, losses
from kammerton.reporting.html.items import BUDGET, item, items
from kammerton.reporting.html.methods import methods, quality
from kammerton.reporting.html.page import OPTIONS, Chapter, Draw, Section, Source, embedded, shown
from kammerton.reporting.html.scores import agreement, candidates, compared, groups, scores
from kammerton.reporting.html.summary import summary
from kammerton.reporting.rankings import comparison_of, shown_measures
from kammerton.results.scores import Scores

_NAMED = 4
_CHAPTER = 2_800_000
"""Bytes of a chapter that items are laid out in, beside everything else."""
_LEAST = 500_000
"""Bytes for them in a chapter that is larger without."""


def source_of(scores: Scores, key: str) -> Source:
    """Return what a chapter is made from: scores, and their comparison where there is one."""
    return Source(key=key, scores=scores, comparison=comparison_of(scores, shown_measures(scores, OPTIONS)))


def chapter_of(source: Source, title: str, draw: Draw | None = None, apart: str = "") -> Chapter:
    """Return the chapter of one task."""
    before = [scores(source), items(source)]
    behind = [
        candidates(source),
        *(losses(source), groups(source), agreement(source), quality(source)),
        *(compared(source), breakdown(source), methods(source)),
    ]
    used = sum(_size(section) for section in (*before, *behind) if section is not None)
    if draw is not None:
        draw = cache(draw)  # the summary reads the view of the worst item too
    item_section = item(source, draw, budget=min(BUDGET, max(_LEAST, _CHAPTER - used)))
    sections = [summary(source, item_section, draw), *before, item_section, *behind]
    return Chapter(
        key=source.key,
        title=title,
        lead=_lead(source) + (f" Not compared with what stands above: {apart}." if apart else ""),
        sections=[section for section in sections if section is not None],
    )


def _size(section: Section) -> int:
    """Return about how many bytes a section has in the page."""
    return len(section.body) + (0 if section.data is None else len(embedded(section.data)))


def _lead(source: Source) -> str:
    scores = source.scores
    known = [shown(name, 60) for name in scores.systems[:_NAMED]]
    more = len(scores.systems) - len(known)
    systems = ", ".join(known) + (f" and {more} more" if more else "")
    people = [shown(name, 60) for name in source.people]
    annotators = ", ".join(people[:_NAMED]) + (", …" if people[_NAMED:] else "")
    whom = f"{plural(len(people), 'annotator')} ({annotators})" if people[1:] else annotators
    return f"{systems} on {plural(len(source.items), 'item')}, against {whom}."
