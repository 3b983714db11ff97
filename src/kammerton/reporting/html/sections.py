# SPDX-License-Identifier: MIT
"""What a page is made of: chapters, one for each task that was scored, and their sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["Chapter", "Page", "Section"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a chapter.

    Parameters
    ----------
    part : str
        What kind of part it is, such as ``"items"``: the anchor is made of it, and the program of the page
        finds its element by ``data-part``.
    title : str
    body : Markup
        Made by a template.
    data : object
        What JSON can hold, for the program of the page; None if it needs nothing.
    """

    part: str
    title: str
    body: Markup
    data: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """All that was scored of one task on the same references.

    Parameters
    ----------
    key : str
        Begins the anchors of its sections, such as ``"c1"``.
    title, lead : str
        Heading, and what was scored in a sentence.
    sections : sequence of Section
    """

    key: str
    title: str
    lead: str
    sections: Sequence[Section]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A whole report."""

    title: str
    chapters: Sequence[Chapter]
