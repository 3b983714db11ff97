# SPDX-License-Identifier: MIT
"""The annotations that were scored, in the run: a pack, from which items are laid out again."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kammerton.errors import DataError, Diagnostic
from kammerton.formats.pack_layout import with_roles
from kammerton.formats.packs import PackWriter, open_pack, packing_in
from kammerton.model.annotations import carried, portable
from kammerton.model.corpus import Collection, Corpus, name_of_source
from kammerton.model.task import Reading, Task
from kammerton.results.signature import Origin
from kammerton.runs.layout import ANNOTATIONS
from kammerton.scoring.loading import read_source

MOST_ROWS = 5_000_000
"""Rows, notes or labels that a run keeps, of references and systems together."""


def has_annotations(origin: Origin) -> bool:
    """Return whether there are annotations that a run can keep."""
    return origin.corpus is not None and origin.task.packing is not None


def keep_annotations(folder: Path, origin: Origin) -> tuple[dict[str, str] | None, tuple[Diagnostic, ...]]:
    """Write the annotations that were scored to a run."""
    assert origin.corpus is not None, "there are annotations"
    parts = folder / "parts"
    parts.mkdir()
    with packing_in(parts, origin.task, origin.options) as writer:
        is_whole = _pack(writer, origin, origin.corpus.paired())
    if is_whole:
        (parts / "whole").replace(folder / ANNOTATIONS)
    shutil.rmtree(parts)
    return ({"digest": _digest(writer.record)}, ()) if is_whole else (None, (_too_many(),))


def _pack(writer: PackWriter, origin: Origin, corpus: Corpus) -> bool:
    """Pack a corpus; stop and return False if it is too large."""
    items = set(corpus.items)
    for collection, role in with_roles(corpus):
        writer.begin(_of_run(collection, items, origin.roots), role)
        for item, sources in collection.sources.items():
            for annotator, source in sources if item in items else ():
                file = name_of_source(source)
                reading = read_source(origin.task, source, item, collection.read_by(origin.options))
                diagnostics = carried(reading.diagnostics, origin.roots)
                name = file and portable(file, origin.roots)
                writer.add(item, annotator, name, Reading(reading.annotations, diagnostics))
            if writer.written.rows > MOST_ROWS:
                return False
    return True


def _of_run(collection: Collection, items: set[str], roots: Sequence[str]) -> Collection:
    """Return a collection without its sources, and without what is so on one machine only."""
    return Collection(
        collection.name,
        {},
        portable(collection.origin, roots),
        carried(collection.diagnostics, roots),
        broken={item: why for item, why in collection.broken.items() if item in items},
        single=collection.single,
        written=collection.written,
    )


def _too_many() -> Diagnostic:
    return Diagnostic(
        "KT712",
        "note",
        f"annotations are not kept in the run: they have more than {MOST_ROWS:,} rows",
        hint="`report` and `show` of the run have scores only; pack the annotations beside it",
    )


def corpus_in(folder: Path, about: Mapping[str, Any], task: Task) -> Corpus:
    """Return the annotations that a run holds; each is read when it is needed."""
    shown = os.fspath(folder / ANNOTATIONS)
    try:
        pack = open_pack(folder / ANNOTATIONS, task)
    except DataError as error:
        raise DataError.of(
            "KT702", f"run is torn: {error.diagnostics[0].message}", shown, "score again"
        ) from error
    if _digest(pack.record) != about["digest"]:
        raise DataError.of(
            "KT702", "run is torn: its annotations are not those that were scored", shown, "score again"
        )
    by_role: dict[str, list[Collection]] = {"reference": [], "system": []}
    for number, collection in enumerate(pack.record.collections):
        by_role[collection.role].append(replace(pack.collection(number), origin=collection.origin))
    return Corpus(tuple(by_role["reference"]), tuple(by_role["system"]))


def _digest(record: Any) -> str:
    """Return a digest of everything in a pack: its record has the digests of all it holds."""
    return hashlib.sha256(record.render().encode("ascii")).hexdigest()
