# SPDX-License-Identifier: MIT
"""The result of a fusion: annotations, what they rest on, and the record of how they were made."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kammerton.errors import Diagnostic
from kammerton.formats.reading import signed_choices
from kammerton.model.annotations import portable
from kammerton.model.task import Task
from kammerton.results.signature import data_hash
from kammerton.results.tables import plain, table
from kammerton.systems.fused import Choices, FusedItem, TaskFusion, Weighing
from kammerton.systems.provenance import Content, Written, annotation_files
from kammerton.systems.sources import Sources, StrPath
from kammerton.version import __version__

if TYPE_CHECKING:
    import polars as pl

_INTEGERS = ("items", "sources")
_TEXTS = ("item", "source", "copy_of")
_SIGNED = {"accuracy": "corpus", "least_support": 0.0, "min_sources": 1, "seed": 0}
"""Choices that a signature names where they differ from these defaults."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Fusion(Written):
    """Annotations that were fused of several sources.

    Attributes
    ----------
    task : str
        Name of the task.
    annotations : mapping of str to annotation
        By item. Of chords, each has ``support`` and ``label_support`` for its rows, of fingering ``support``
        for its notes: shares of votes, which are no probabilities. Of instruments, they are ``scores``.
    signature : str
        How they were fused, and of what.
    failed : mapping of str to str
        Items that were not fused, and why.
    diagnostics : tuple of Diagnostic
        What was noticed about the sources.
    """

    task: str
    annotations: Mapping[str, Any] = field(repr=False)
    signature: str
    failed: Mapping[str, str] = field(repr=False)
    diagnostics: tuple[Diagnostic, ...] = field(repr=False)
    _made: Making = field(repr=False)

    @property
    def unit(self) -> str:
        """Unit of amounts, and the name of their column: seconds, notes or labels."""
        return self._made.fusion.unit

    @property
    def source_annotations(self) -> Mapping[str, Mapping[str, Any]]:
        """Annotations of each source by item, as they were fused."""
        return self._made.sources.annotations

    @property
    def sources(self) -> pl.DataFrame:
        """What each source labels, how far it agrees with the result, and what its vote counts."""
        return _frame(self._made.source_rows())

    @cached_property
    def rows(self) -> pl.DataFrame:
        """Every row of every item, with its support and the strongest dissent."""
        import polars as pl  # noqa: PLC0415 - where tables are asked for
        from polars import selectors as cs  # noqa: PLC0415

        columns: dict[str, list[Any]] = {"item": []}
        for item, fused in self._made.items.items():
            columns["item"] += [item] * len(fused.rows["label"])
            for name, values in fused.rows.items():
                columns.setdefault(name, []).extend(np.asarray(values).tolist())
        return pl.DataFrame(columns).with_columns(cs.float().fill_nan(None))

    @property
    def items(self) -> pl.DataFrame:
        """Support of each item, the share that all sources say alike, and how many sources it has."""
        return _frame(self._made.item_rows())

    def without(self, name: str) -> Fusion:
        """Fuse the other sources alone, as a reference for this one.

        Parameters
        ----------
        name : str
            Name of a source.

        Returns
        -------
        Fusion

        Raises
        ------
        OptionError
            If there is no such source, or no other one has a vote.
        DataError
            If nothing can be fused.
        """
        return self._made.without(name)

    @property
    def overall(self) -> dict[str, Any]:
        """Support over all items, what is unanimous, has no majority, or is not labelled."""
        return self._made.overall()

    def to_dict(self) -> dict[str, Any]:
        """Return sources, items and what was noticed as plain values."""
        return {
            "kammerton": __version__,
            "task": self.task,
            "signature": self.signature,
            "unit": self.unit,
            "overall": plain(self.overall),
            "sources": plain(list(self._made.source_rows())),
            "items": plain(list(self._made.item_rows())),
            "failed": dict(self.failed),
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }

    def _kind(self) -> Task:
        return self._made.task

    def _places(self) -> Sequence[StrPath]:
        return self._made.sources.paths

    def _files(self, form: str, noticed: list[Diagnostic]) -> Iterator[tuple[str, str]]:
        support = {
            item: getattr(annotation, "support", None) for item, annotation in self.annotations.items()
        }
        content = Content(annotations=self.annotations, made=self.signature, confidences=support)
        yield from annotation_files(self._made.task, content, form, noticed)
        yield "_fusion/rows.csv", self.rows.write_csv()

    def _record(self) -> dict[str, Any]:
        """Return how the annotations were made, without anything that differs from machine to machine."""
        return {
            "task": self.task,
            "system": "fusion",
            "made": self.signature,
            "options": _plain_choices(self._made.choices, self._made.sources),
            "from": [portable(origin) for origin in self._made.sources.origins],
            "sources": plain(list(self._made.source_rows())),
            "overall": plain(self.overall),
            "failed": dict(self.failed),
        }


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Making:
    """What a fusion was made with."""

    task: Task
    fusion: TaskFusion
    sources: Sources
    weighing: Weighing
    choices: Choices
    items: Mapping[str, FusedItem]
    without: Callable[[str], Fusion]  # fuses the other sources alone

    def source_rows(self) -> Iterator[dict[str, Any]]:
        """Give a row for each source."""
        weighing, names = self.weighing, list(self.sources.annotations)
        compared = np.sum([fused.compared for fused in self.items.values()], axis=0)
        agreeing = np.sum([fused.agreeing for fused in self.items.values()], axis=0)
        for number, (name, own) in enumerate(self.sources.annotations.items()):
            first = int(weighing.copies.groups[number])
            yield {
                "source": name,
                "items": len(own),
                self.fusion.unit: float(compared[number]),
                "agreement": float(agreeing[number] / compared[number]) if compared[number] else math.nan,
                "weight": float(weighing.counts[number]),
                "copy_of": names[first] if first != number else None,
                **{f"able_{detail}": bool(able[number]) for detail, able in self.details()},
            }

    def details(self) -> Iterator[tuple[str, Any]]:
        """Give each detail, and which sources are able of it."""
        return zip(self.fusion.able_of, self.weighing.able, strict=True)

    def item_rows(self) -> Iterator[dict[str, Any]]:
        """Give a row for each item."""
        for item, fused in self.items.items():
            yield {
                "item": item,
                "sources": sum(annotation is not None for annotation in self.sources.of_item(item)),
                self.fusion.unit: fused.weight,
                "support": _share(fused.supported, fused.weight),
                "unanimous": _share(fused.unanimous, fused.weight),
            }

    def overall(self) -> dict[str, Any]:
        """Return the sums over all items."""
        every = self.items.values()
        weight = math.fsum(fused.weight for fused in every)
        by_sources: dict[int, int] = {}
        for row in self.item_rows():
            by_sources[row["sources"]] = by_sources.get(row["sources"], 0) + 1
        return {
            self.fusion.unit: weight,
            "support": _share(math.fsum(fused.supported for fused in every), weight),
            "unanimous": _share(math.fsum(fused.unanimous for fused in every), weight),
            "no_majority": _share(math.fsum(fused.contested for fused in every), weight),
            "unknown": math.fsum(fused.unknown for fused in every),
            "missing": math.fsum(fused.missing for fused in every),
            "items_by_sources": {str(count): by_sources[count] for count in sorted(by_sources)},
        }


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def _frame(rows: Any) -> pl.DataFrame:
    known = list(rows)
    columns = list(known[0]) if known else ["item"]
    types = {name: "Int64" if name in _INTEGERS else "Float64" for name in columns if name not in _TEXTS}
    types |= {name: "Boolean" for name in columns if name.startswith("able_")}
    return table((plain(list(row.values())) for row in known), columns, types)


def _plain_choices(choices: Choices, sources: Sources) -> dict[str, Any]:
    """Return how sources were read and fused, so that it can be done again."""
    names = ("method", "details", "accuracy", "copies", "change_cost", "least_support", "seed")
    chosen = {name: getattr(choices, name) for name in (*names, "min_sources", "leave_out")}
    return chosen | {"weights": _weights(choices, sources), "reading": signed_choices(choices.options)}


def _weights(choices: Choices, sources: Sources) -> dict[str, float]:
    factors = zip(sources.annotations, choices.factors.tolist(), strict=True)
    return {name: factor for name, factor in factors if factor != 1}


def signature_of(task: Task, fusion: TaskFusion, choices: Choices, sources: Sources) -> str:
    """Return the method and the sources, every other choice that can change the result, and the data."""
    details = [choices.details] if fusion.has_details else []
    cost = [] if fusion.change_cost is None else [f"{choices.change_cost:g}"]
    parts = {
        "fused": ",".join((choices.method, *details, choices.copies, *cost)),
        "sources": ",".join(sources.annotations),
    }
    for name, default in _SIGNED.items():
        if getattr(choices, name) != default and (name != "seed" or choices.method == "random"):
            parts[name] = str(getattr(choices, name))
    weights = _weights(choices, sources)
    if weights:
        parts["weights"] = ",".join(f"{name}={factor:g}" for name, factor in weights.items())
    parts |= signed_choices(choices.options)
    digests = {
        (name, item): hashlib.sha256(task.content(annotation)).digest()
        for name, own in sources.annotations.items()
        for item, annotation in own.items()
    }
    parts["data"] = data_hash(digests)
    return "|".join(f"{name}:{value}" for name, value in parts.items())
