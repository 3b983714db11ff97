# SPDX-License-Identifier: MIT
"""What a run did not score, or not as often as asked, and why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from kammerton.errors import out_of, plural
from kammerton.model.corpus import ALL
from kammerton.model.measure import Measure
from kammerton.model.scores import Scores
from kammerton.reporting.diagnostics import count_problems
from kammerton.reporting.escaping import for_terminal

__all__ = ["closing_line", "excluded_lines", "fewer_draws"]

_CODE = re.compile(r"KT\d{3}")
_KEY = frozenset(("protocol", "measure"))
_TABLE = "excluded"
"""Name of the class table in which a task lists what its measures leave out."""


def closing_line(scores: Scores) -> str:
    """Return e.g. ``4 of 5 items scored for CM2: 1 failed (estimate: KT312); 1 error in 1 file``."""
    groups: dict[tuple[int, int, str], list[str]] = {}
    for system, count in scores.counts.items():
        why = _why(scores, system, count)
        groups.setdefault((count["ok"], count["total"], why), []).append(system)
    whole = len(groups) == 1 and not scores.is_partial
    told = [_told(*key, systems, alone=whole) for key, systems in groups.items()]
    if whole:
        told.append("no item was left out")
    problems = count_problems(scores.diagnostics)
    return "; ".join([*told, problems] if problems else told)


def _told(ok: int, total: int, why: str, systems: list[str], *, alone: bool) -> str:
    named = ", ".join(map(for_terminal, systems))
    whom = plural(len(systems), "system") if alone or len(systems) > 3 else named
    return f"{out_of(ok, total, 'item')} scored for {whom}{why}"


def _why(scores: Scores, system: str, count: dict[str, int]) -> str:
    codes = Counter(
        _short(reason) for _, reason in {(row.item, row.reason) for row in scores.unusable(system)}
    )
    del codes["no estimate"]
    parts = [f"{count['missing']:,} missing"] if count["missing"] else []
    if count["failed"]:
        parts.append(f"{count['failed']:,} failed ({', '.join(sorted(codes))})")
    return f": {', '.join(parts)}" if parts else ""


def _short(reason: str) -> str:
    """Return the side and the code of a reason, such as ``estimate: KT312``."""
    code = _CODE.search(reason)
    return reason[: code.end()] if code else reason


def excluded_lines(scores: Scores) -> list[str]:
    """Say for each protocol what share of the reference its headline measures leave out."""
    if _TABLE not in scores.tables or not _KEY.issubset(scores.tally(_TABLE).columns):
        return []
    lines = []
    for protocol in dict.fromkeys(measure.protocol for measure in scores.measures):
        measures = [m for m in scores.measures if m.protocol == protocol and m.headline]
        systems: dict[str, list[str]] = {}
        for system in scores.systems:
            told = _shares(scores, system, measures)
            if told:
                systems.setdefault(told, []).append(system)
        for told, names in systems.items():
            whom = "" if len(names) == len(scores.systems) else f" ({', '.join(map(for_terminal, names))})"
            lines.append(f"{protocol} leaves out {told}{whom}")
    return lines


def fewer_draws(scores: Scores) -> list[str]:
    """Say how often measures of everything together were drawn, if that is not as often as was asked for."""
    asked = scores.origin.drawing.settings.get("resamples", 0)
    parts = [each for each in (scores.context, scores.groups) if each is not None]
    others = [each.fewest_draws for each in parts if each.fewest_draws]  # 0 of what has no intervals
    made = min([getattr(scores.intervals, "gathered_resamples", asked), *others])
    if made == asked:
        return []
    least = "at least " if parts else ""
    whose = ", ".join(str(measure) for measure in scores.measures if measure.over_all)
    return [f"intervals of {whose} are of {least}{made:,} resamples, not of {asked:,}: each takes long"]


def _shares(scores: Scores, system: str, measures: Sequence[Measure]) -> str:
    """Return e.g. ``3.2 % of the reference for MajMin, 12.1 % for Sevenths``."""
    tally = scores.tally(_TABLE)
    at = tally.columns.index("protocol"), tally.columns.index("measure")
    excluded: Counter[tuple[object, object]] = Counter()
    for (of_system, _), cells in tally.cells.items():
        for classes, weight in cells.items() if of_system == system else ():
            excluded[classes[at[0]], classes[at[1]]] += weight  # type: ignore[assignment]
    shares: dict[str, list[str]] = {}
    for measure in measures:
        left_out = float(excluded[measure.protocol, measure.name])
        if left_out and measure.aggregate == "pooled":
            scored = sum(
                scores.estimate(measure, system, annotator, "pooled").weight
                for annotator in scores.annotators_of(measure)
                if annotator != ALL
            )
            shares.setdefault(f"{100 * left_out / (left_out + scored):.2f} %", []).append(measure.name)
    told = [f"{share} for {', '.join(names)}" for share, names in shares.items()]
    return "; ".join(told).replace(" % for", " % of the reference for", 1)
