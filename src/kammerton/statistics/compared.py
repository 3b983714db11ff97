# SPDX-License-Identifier: MIT
"""A comparison of systems with the scores it was made from, as tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kammerton.model.notebook import Shown
from kammerton.model.portable import carried
from kammerton.model.scores import Scores
from kammerton.statistics.comparison import Comparison, MeasureComparison, Pair, Ranked
from kammerton.statistics.groups import Groups
from kammerton.statistics.records import frame, plain
from kammerton.version import __version__

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SystemComparison"]

_KEY = ("protocol", "measure", "annotator")


@dataclass(frozen=True, eq=False)
class SystemComparison(Shown):
    """Systems compared, each pair on the items that both have.

    Made by :func:`kammerton.compare`.

    Parameters
    ----------
    scores : Scores
        Of all systems.
    comparison : Comparison
        What was found.
    groups : Groups, optional
        Figures group by group, if they were asked for: of the items that all systems have, but for those
        that have too few.
    """

    scores: Scores
    comparison: Comparison
    groups: Groups | None = None

    @cached_property
    def ranking(self) -> pl.DataFrame:
        """A row for each system by each measure, the best first.

        ``protocol``, ``measure``, ``annotator``, ``system``, ``value``, ``low``, ``high``, ``letters``
        (systems that share one are not significantly different), ``wins``, ``ties``, ``losses``, ``items``,
        ``place``.
        """
        return _frame([(found, row) for found in self.comparison.measures for row in found.ranking], Ranked)

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """A row for each pair of systems by each measure: see :class:`.comparison.Pair`."""
        return _frame([(found, row) for found in self.comparison.measures for row in found.pairs], Pair)

    def of(self, measure: str) -> MeasureComparison:
        """Return what was found by one measure, named ``protocol/measure`` or by a unique name."""
        from kammerton.model.protocol import find  # noqa: PLC0415

        chosen = find(measure, [found.measure for found in self.comparison.measures])
        return next(found for found in self.comparison.measures if found.measure == chosen)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, undefined ones as None."""
        comparison = self.comparison
        choices = ("against", "test", "alpha", "level", "method", "seed", "items", "units", "clustered")
        return {
            "kammerton": __version__,
            "task": self.scores.task,
            "systems": list(comparison.systems),
            **{name: getattr(comparison, name) for name in choices},
            "left_out": list(comparison.left_out),
            "few": dict(comparison.few),
            "measures": [_plain_measure(found, self.scores) for found in comparison.measures],
            "disagreements": [
                {
                    "first": str(each.first),
                    "second": str(each.second),
                    "better": each.better,
                    "worse": each.worse,
                    "told_apart": each.told_apart,
                }
                for each in comparison.disagreements
            ],
            **({} if self.scores.context is None else {"context": self.scores.context.to_dict()}),
            **({} if self.groups is None else {"groups": self.groups.to_dict()}),
            "diagnostics": [
                each.to_dict() for each in carried(self.scores.diagnostics, self.scores.origin.roots)
            ],
        }


def _plain_measure(found: MeasureComparison, scores: Scores) -> dict[str, Any]:
    made = {
        "protocol": found.measure.protocol,
        "measure": found.measure.name,
        "aggregate": found.measure.aggregate,
        "annotator": found.annotator,
        "signature": scores.signatures(found.annotator, systems=scores.systems)[found.measure],
        "items": found.items,
        "undefined": found.undefined,
        "resamples": found.resamples,
        "permutations": found.permutations,
        "exact": found.exact,
        "ranking": [
            {
                **plain(asdict(row)),
                "signature": scores.signatures(found.annotator, systems=(row.system,))[found.measure],
            }
            for row in found.ranking
        ],
        "pairs": [plain(asdict(row)) for row in found.pairs],
    }
    if found.friedman is not None:
        made["friedman"] = plain(asdict(found.friedman))
    if found.reliability is not None:
        made["reliability"] = plain(asdict(found.reliability))
    return made


def _frame(rows: Iterable[tuple[MeasureComparison, Any]], kind: type[Any]) -> pl.DataFrame:
    names = [field.name for field in fields(kind)]
    return frame(map(_row, rows), (*_KEY, *names), kind)


def _row(found: tuple[MeasureComparison, Any]) -> dict[str, Any]:
    comparison, row = found
    key = (comparison.measure.protocol, comparison.measure.name, comparison.annotator)
    return {**dict(zip(_KEY, key, strict=True)), **plain(asdict(row))}
