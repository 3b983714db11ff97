# SPDX-License-Identifier: MIT
"""Agreements of annotators as the files of a run, and back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kammerton.errors import Diagnostic
from kammerton.model.origin import Origin
from kammerton.model.ratings import Ratings
from kammerton.model.scores import Scores
from kammerton.runs import layout
from kammerton.runs.columns import from_parquet, names_of, texts_of, to_parquet
from kammerton.runs.evidence_files import evidence_of, files_of
from kammerton.runs.reading import Opened, open_run
from kammerton.runs.record import noticed, versions
from kammerton.statistics.annotators import AnnotatorAgreement

__all__ = ["parts_of", "read_agreement"]

_CODE = "annotator:"


def parts_of(found: AnnotatorAgreement) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the record of an agreement but for the digests of files, and the files by name."""
    files: dict[str, bytes] = {}
    for number, name in enumerate(found.annotators):
        evidence = replace(found.scores[name].origin.evidence, tallies={}, diagnostics=())
        files |= {layout.of_annotator(number, file): data for file, data in files_of(evidence).items()}
    if found.ratings is not None:
        files |= _files_of_ratings(found.ratings, found.annotators)
    record = {
        "holds": layout.AGREEMENT,
        "task": found.task,
        "versions": versions(),
        "protocols": {measure.protocol: found.revisions[measure.protocol] for measure in found.measures},
        "measures": list(map(str, found.measures)),
        "annotators": list(found.annotators),
        "items": list(found.items),
        "persons": found.persons,
        "unrated": "" if found.ratings is None else found.ratings.reason,
        "choices": dict(found.choices),
        "needs": list(found.scores[found.annotators[0]].origin.evidence.rows),
        "diagnostics": noticed(found.diagnostics),
    }
    return record, dict(sorted(files.items()))


def _files_of_ratings(ratings: Ratings, annotators: tuple[str, ...]) -> dict[str, bytes]:
    codes = {f"{_CODE}{name}": column for name, column in zip(annotators, ratings.codes.T, strict=True)}
    sizes = {} if ratings.weights is None else {"size": ratings.weights}
    return {
        layout.RATINGS: to_parquet({**codes, **sizes}),
        layout.LABELS: to_parquet({"label": list(ratings.labels)}),
    }


def read_agreement(folder: str | os.PathLike[str]) -> AnnotatorAgreement:
    """Read a run of an agreement.

    Parameters
    ----------
    folder : path
        What :func:`kammerton.write_run` wrote of an agreement.

    Returns
    -------
    AnnotatorAgreement

    Raises
    ------
    DataError
        As for :func:`kammerton.read_run`; KT711 if the run holds no agreement.
    """
    return open_run(folder, layout.AGREEMENT, _agreement)


def _agreement(opened: Opened) -> AnnotatorAgreement:
    record, task = opened.record, opened.task
    annotators = tuple(record["annotators"])
    return AnnotatorAgreement(
        task=task.name,
        annotators=annotators,
        measures=opened.measures,
        scores={name: _scores(opened, number) for number, name in enumerate(annotators)},
        items=tuple(record["items"]),
        persons=record["persons"],
        ratings=_ratings(opened.files, record.get("unrated", "")),  # earlier versions had no such reason
        rated=task.rated,
        revisions={protocol.name: protocol.revision for protocol in task.protocols},
        choices=record["choices"],
        diagnostics=tuple(Diagnostic(**each) for each in record["diagnostics"]),
    )


def _scores(opened: Opened, number: int) -> Scores:
    """Return the scores of all other annotators against one."""
    own = layout.below(layout.of_annotator(number, ""), opened.files)
    evidence = evidence_of(own, opened.measures, opened.record["needs"], (), ())
    return Scores(
        Origin(task=opened.task, evidence=evidence, missing="skip", options=opened.task.options(), choices={})
    )


def _ratings(files: Mapping[str, bytes], reason: str) -> Ratings | None:
    if layout.RATINGS not in files:
        return None
    frame = from_parquet(files[layout.RATINGS])
    codes = [
        frame.get_column(column).to_numpy()
        for column, name in zip(frame.columns, names_of(frame), strict=True)
        if name.startswith(_CODE)
    ]
    weights = frame.get_column("size").to_numpy().copy() if "size" in frame.columns else None
    labels = tuple(texts_of(from_parquet(files[layout.LABELS]), "label"))
    return Ratings(labels, np.stack(codes, axis=1).astype(np.int64), weights, reason)
