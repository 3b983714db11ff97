# SPDX-License-Identifier: MIT
"""A question that readers ask first, with its answer."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A question, its answer, and what it rests on.

    Parameters
    ----------
    question, answer : str
    details : tuple of str
        Sentences below the answer.
    part : str
        Section that has more.
    more : str
        What it has, as text of the link.
    """

    question: str
    answer: str
    details: tuple[str, ...] = ()
    part: str = ""
    more: str = ""
