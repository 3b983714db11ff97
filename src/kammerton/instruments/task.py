# SPDX-License-Identifier: MIT
"""The task record: how everything else reaches instruments."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

import numpy as np

from kammerton.errors import Diagnostic, inflected, plural
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.applicability import applicable, survey
from kammerton.instruments.breakdown import instrument_breakdown
from kammerton.instruments.conversion import CONVERSION
from kammerton.instruments.costs import instrument_costs
from kammerton.instruments.floors import floors
from kammerton.instruments.formats import SUFFIXES, adopt, identify, read_instruments, unfold
from kammerton.instruments.kernels import evaluate, gather
from kammerton.instruments.label_maps import LABEL_MAPS
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.packing import PACKING
from kammerton.instruments.protocols import PROTOCOLS
from kammerton.instruments.ratings import judged_by_both, ratings
from kammerton.instruments.taxonomy_files import TAXONOMIES
from kammerton.instruments.views import DEFAULT_MEASURE, view_item
from kammerton.model.task import Classes, Task

__all__ = ["TASK"]

_ABOUT_FILES = {
    "nothing annotated, nothing listed": "have neither annotated nor listed instruments",
    "nothing annotated, something listed": "have no annotated instruments, but listed ones",
    "nothing listed": "have annotated instruments, but no listed ones",
    "labels tied": "list instruments with equal scores",
    "too many errors to pair": "have more errors than the tables `errors` and `confusion` can pair",
}
_OF_ONE = {"have": "has", "list": "lists"}

_SAID_ONCE = frozenset(
    (
        *("KT600", "KT601", "KT602", "KT605", "KT606", "KT607", "KT608"),
        *("KT611", "KT612", "KT627", "KT628", "KT629", "KT632", "KT633"),
    )
)
"""Codes of what is true of a label, or of how a collection was written, whichever file it is said of."""


def _remark(tables: Mapping[str, Mapping[Classes, float]]) -> Iterator[Diagnostic]:
    for (what,), count in tables.get("files", {}).items():
        verb, _, rest = _ABOUT_FILES[str(what)].partition(" ")
        number = round(count)
        who = f"{plural(number, 'item')} {inflected(number, _OF_ONE[verb], verb)}"
        yield Diagnostic(code="KT690", severity="note", message=f"{who} {rest}")


def _notices(options: InstrumentOptions) -> tuple[Diagnostic, ...]:
    """Return what is odd about a taxonomy and a label map of the caller's own."""
    tree = None if options.taxonomy in TAXONOMIES else options.tree
    label_map = None if options.map in LABEL_MAPS else options.label_map
    return tuple(said for each in (tree, label_map) if each is not None for said in each.diagnostics)


def _blank(reference: InstrumentList) -> InstrumentList:
    return InstrumentList((), ranked=True, query=reference.query)


def _content(annotation: InstrumentList) -> bytes:
    """Return labels, then numbers as little-endian."""
    labels = "\0".join((*annotation.labels, "", *annotation.absent)).encode("utf-8", "surrogatepass")
    flags = (annotation.ranked, annotation.vector, annotation.closed, annotation.query)
    return b"".join(
        (
            struct.pack("<qq4?", len(annotation.labels), len(annotation.absent), *flags),
            np.asarray(annotation.scores, dtype="<f8").tobytes(),
            np.asarray(annotation.grades, dtype="<i8").tobytes(),
            labels,
        )
    )


def _extent(_: InstrumentList) -> float:
    return 0.0


TASK = Task(
    name="instruments",
    summary="Instruments of recordings.",
    protocols=PROTOCOLS,
    suffixes=SUFFIXES,
    options=InstrumentOptions,
    read=read_instruments,
    adopt=adopt,
    blank=_blank,
    content=_content,
    extent=_extent,
    evaluate=evaluate,
    gather=gather,
    survey=survey,
    applicable=applicable,
    unfold=unfold,
    remark=_remark,
    notices=_notices,
    view=view_item,
    judge=DEFAULT_MEASURE,
    costs=instrument_costs,
    breakdown=instrument_breakdown,
    floors=floors,
    ratings=ratings,
    rated=(
        "present or absent; a unit is a recording and an instrument that the taxonomy has, or that anyone "
        "names of any recording"
    ),
    judged_by_both=judged_by_both,
    identify=identify,
    conversion=CONVERSION,
    packing=PACKING,
    said_once=_SAID_ONCE,
    coincides=True,
)
