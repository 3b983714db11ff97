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
  howpublished = {{Computer program}},
  year = {{2026}},
  note = {{Version {__version__}}},
}}"""
"""The entry of the program itself; the same is in ``CITATION.cff``."""


def render_citations(task: Task, measures: Iterable[Measure]) -> str:
    """Return the entry of the program, and those of the works that define a protocol of these measures."""
    used = {measure.protocol for measure in measures}
    cited = [protocol.citation for protocol in task.protocols if protocol.name in used]
    entries = [entry for citation in cited for entry in citation.split("\n\n")]
    return "\n\n".join(entry for entry in dict.fromkeys((OWN, *entries)) if entry) + "\n"
