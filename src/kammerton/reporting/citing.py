# SPDX-License-Identifier: MIT
"""What to cite for figures, as BibTeX."""

from __future__ import annotations

from collections.abc import Iterable

from kammerton.model.measure import Measure
from kammerton.model.task import Task
from kammerton.version import __version__

__all__ = ["OWN", "render_citations"]

OWN = f"""\
@misc{{kammerton,
  author = {{{{The Kammerton developers}}}},
  title = {{Kammerton: scores for music annotations}},
  note = {{Version {__version__}}},
}}"""
"""The entry of the program itself; the same is in ``CITATION.cff``."""


def render_citations(task: Task, measures: Iterable[Measure]) -> str:
    """Return the entry of the program, and one for each work that defines a protocol of these measures."""
    used = {measure.protocol for measure in measures}
    entries = [protocol.citation for protocol in task.protocols if protocol.name in used]
    return "\n\n".join(entry for entry in dict.fromkeys((OWN, *entries)) if entry) + "\n"
