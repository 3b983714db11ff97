# SPDX-License-Identifier: MIT
"""Sections of a page as text, for tests of what they say."""

import html
import re

from kammerton.reporting.html.chapters import chapter_of, source_of
from kammerton.reporting.html.page import Section
from kammerton.results.scores import Scores
from kammerton.statistics.resampling import BootstrapSettings

__all__ = ["section", "sections", "text_of", "with_intervals"]


def sections(scores: Scores) -> dict[str, Section]:
    """Return the sections of a chapter by their parts."""
    return {each.part: each for each in chapter_of(source_of(scores, "c1"), "Title").sections}


def section(scores: Scores, part: str) -> Section:
    return sections(scores)[part]


def text_of(found: Section) -> str:
    """Return the text of a section, its blanks and line ends as one blank each."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", found.body)).split())


def with_intervals(scores: Scores) -> Scores:
    """Return scores with intervals, so that systems are compared."""
    return scores.remade(bootstrap=BootstrapSettings(resamples=50))
