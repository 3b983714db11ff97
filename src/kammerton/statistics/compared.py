# SPDX-License-Identifier: MIT
"""A comparison of systems with the scores it was made from, as tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kammerton.model.notebook import Shown
from kammerton.model.scores import Scores
from kammerton.statistics.comparison import Comparison, MeasureComparison, Pair, Ranked
from kammerton.statistics.groups import Groups
from kammerton.version import __version__

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SystemComparison"]

_KEY = ("protocol", "measure", "annotator")


@dataclass(frozen=True, eq=False)
class SystemComparison(Shown):
    """Systems compared on the same items.

    Made by :func:`kammerton.compare`.

    Parameters
    ----------
    scores : Scores
        Of all systems.
    comparison : Comparison
        What was found.
    groups : Groups, optional
        Figures group by group, if they were asked for: of the items that all systems have.
    """

    scores: Scores
    comparison: Comparison
    groups: Groups | None = None

    @cached_property
    def ranking(self) -> pl.DataFrame:
        """A row for each system by each measure, the best first.

        ``protocol``, ``measure``, ``annotator``, ``system``, ``value``, ``low``, ``high``, ``letters``
        (systems that share one cannot be told apart), ``wins``, ``ties``, ``losses``.
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
        choices = ("test", "alpha", "level", "method", "seed", "items", "units", "clustered")
        return {
            "kammerton": __version__,
            "task": self.scores.task,
            "systems": list(comparison.systems),
            **{name: getattr(comparison, name) for name in choices},
            "left_out": list(comparison.left_out),
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
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.scores.diagnostics],
        }


def _plain_measure(found: MeasureComparison, scores: Scores) -> dict[str, Any]:
    plain = {
        "protocol": found.measure.protocol,
        "measure": found.measure.name,
        "aggregate": found.measure.aggregate,
        "annotator": found.annotator,
        "signature": scores.signatures(found.annotator)[found.measure],
        "items": found.items,
        "undefined": found.undefined,
        "resamples": found.resamples,
        "permutations": found.permutations,
        "exact": found.exact,
        "ranking": [_plain(asdict(row)) for row in found.ranking],
        "pairs": [_plain(asdict(row)) for row in found.pairs],
    }
    if found.friedman is not None:
        plain["friedman"] = _plain(asdict(found.friedman))
    if found.reliability is not None:
        plain["reliability"] = _plain(asdict(found.reliability))
    return plain


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; what is undefined, or without end, is None."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _frame(rows: list[tuple[MeasureComparison, Any]], kind: type[Any]) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415 - tables are for those who look at them

    names = [field.name for field in fields(kind)]
    types = {"str": pl.String, "float": pl.Float64, "int": pl.Int64, "bool": pl.Boolean}
    schema = dict.fromkeys(_KEY, pl.String) | {field.name: types[str(field.type)] for field in fields(kind)}
    return pl.DataFrame(list(_rows(rows, names)), schema=schema, orient="row")


def _rows(rows: list[tuple[MeasureComparison, Any]], names: list[str]) -> Iterator[tuple[Any, ...]]:
    for found, row in rows:
        key = (found.measure.protocol, found.measure.name, found.annotator)
        yield *key, *(_plain(getattr(row, name)) for name in names)
