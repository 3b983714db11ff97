# SPDX-License-Identifier: MIT
"""Evidence as Parquet files, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from kammerton.errors import Diagnostic
from kammerton.model.evidence import Evidence, Row, Rows, State, Tally
from kammerton.model.measure import Gathered, Measure, Needs, Statistics
from kammerton.runs import layout
from kammerton.runs.layout import from_parquet, names_of, numbers_of, texts_of, to_parquet
from kammerton.scoring.context import ContextEvidence

_ROW = ("system", "item", "annotator", "status", "counts", "reason")
_PLACES = ("case", "class", "unit")


def files_of(evidence: Evidence) -> dict[str, bytes]:
    """Return the files of evidence by name."""
    files = {layout.rows_of(needs): _rows(evidence, needs) for needs in evidence.rows}
    files |= {layout.table_of(name): _table(tally) for name, tally in evidence.tallies.items()}
    files[layout.REFERENCES] = to_parquet(
        {
            "annotator": [annotator for annotator, _ in evidence.fingerprints],
            "item": [item for _, item in evidence.fingerprints],
            "sha256": [digest.hex() for digest in evidence.fingerprints.values()],
        }
    )
    if evidence.gathered is not None:
        files |= _gathered(evidence.gathered)
    return files


def tables_of(evidence: Evidence) -> list[dict[str, Any]]:
    """Return names, columns, unit and groups of class tables, as plain values."""
    return [
        {
            "name": name,
            "columns": list(tally.columns),
            "unit": tally.unit,
            "groups": [list(group) for group in tally.cells],
        }
        for name, tally in evidence.tallies.items()
    ]


def evidence_of(
    files: Mapping[str, bytes],
    measures: Sequence[Measure],
    needs: Sequence[Needs],
    tables: Sequence[Mapping[str, Any]],
    diagnostics: Sequence[Diagnostic],
) -> Evidence:
    """Return the evidence that files hold."""
    rows: dict[Needs, Rows] = {}
    statistics: dict[Measure, Statistics] = {}
    for kind in needs:
        frame = from_parquet(files[layout.rows_of(kind)])
        rows[kind] = Rows.of(map(Row, *(texts_of(frame, name) for name in _ROW)))
        for measure in _measured(measures, kind):
            statistics[measure] = numbers_of(frame, _names(measure))
    references = from_parquet(files[layout.REFERENCES])
    keys = zip(texts_of(references, "annotator"), texts_of(references, "item"), strict=True)
    return Evidence(
        measures=tuple(measures),
        rows=rows,
        statistics={measure: statistics[measure] for measure in measures if measure in statistics},
        tallies={about["name"]: _tally(files[layout.table_of(about["name"])], about) for about in tables},
        fingerprints=dict(zip(keys, map(bytes.fromhex, texts_of(references, "sha256")), strict=True)),
        gathered=_gathered_of(files) if layout.CASES in files else None,
        diagnostics=tuple(diagnostics),
    )


def _measured(measures: Sequence[Measure], needs: Needs) -> Iterator[Measure]:
    return (m for m in measures if m.needs == needs and m.aggregate != "gathered")


def _names(measure: Measure) -> list[str]:
    return [f"{measure}:{name}" for name in measure.formula.statistics]


def _rows(evidence: Evidence, needs: Needs) -> bytes:
    rows = evidence.rows[needs]
    groups = [rows.groups[code] for code in rows.group_codes.tolist()]
    states = [rows.states[code] for code in rows.state_codes.tolist()]
    columns: dict[str, Any] = {
        "system": [system for system, _ in groups],
        "item": rows.items,
        "annotator": [annotator for _, annotator in groups],
    }
    columns |= {name: [getattr(state, name) for state in states] for name in State._fields}
    for measure in _measured(evidence.measures, needs):
        columns |= zip(_names(measure), evidence.statistics[measure].T, strict=True)
    return to_parquet(columns)


def _table(tally: Tally) -> bytes:
    cells = [
        (*group, *classes, weight) for group, row in tally.cells.items() for classes, weight in row.items()
    ]
    names = _columns_of(tally.columns)
    columns = [list(column) for column in zip(*cells, strict=True)] if cells else [[] for _ in names]
    return to_parquet(dict(zip(names, columns, strict=True)))


def _columns_of(classes: Sequence[str]) -> list[str]:
    return ["system", "annotator", *(f"class:{name}" for name in classes), "weight"]


def _tally(data: bytes, about: Mapping[str, Any]) -> Tally:
    frame, names = from_parquet(data), _columns_of(about["columns"])
    cells: dict[tuple[str, str], dict[Any, float]] = {(system, who): {} for system, who in about["groups"]}
    for system, annotator, *classes, weight in zip(*(texts_of(frame, name) for name in names), strict=True):
        cells[system, annotator][tuple(classes)] = weight
    return Tally(tuple(about["columns"]), about["unit"], cells)


def _gathered(gathered: Gathered) -> dict[str, bytes]:
    places = zip(_PLACES, (gathered.cases, gathered.codes, gathered.unit_codes), strict=True)
    values = (
        (f"value:{name}", column) for name, column in zip(gathered.columns, gathered.values.T, strict=True)
    )
    return {
        layout.CASES: to_parquet({**dict(places), **dict(values)}),
        layout.CLASSES: to_parquet({"class": gathered.classes}),
        layout.UNITS: to_parquet({"unit": gathered.units}),
    }


def _gathered_of(files: Mapping[str, bytes]) -> Gathered:
    frame = from_parquet(files[layout.CASES])
    cases, codes, unit_codes = (frame.get_column(name).to_numpy().astype(np.int64) for name in _PLACES)
    values = names_of(frame)[len(_PLACES) :]
    return Gathered(
        columns=tuple(name.removeprefix("value:") for name in values),
        cases=cases,
        classes=tuple(texts_of(from_parquet(files[layout.CLASSES]), "class")),
        codes=codes,
        units=tuple(texts_of(from_parquet(files[layout.UNITS]), "unit")),
        unit_codes=unit_codes,
        values=numbers_of(frame, values),
    )


_PARTS = {"floors": "baselines", "others": "others", "annotators": "annotators"}
"""Names of the parts of a context in a run, and in :class:`ContextEvidence`."""


def keep_context(context_evidence: ContextEvidence) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the context as plain values, and the files of their evidence."""
    parts: dict[str, Any] = {}
    files: dict[str, bytes] = {}
    for name, attribute in _PARTS.items():
        evidence: Evidence | None = getattr(context_evidence, attribute)
        if evidence is not None:
            parts[name] = {"measures": list(map(str, evidence.measures)), "needs": list(evidence.rows)}
            files |= {layout.of_part(name, file): data for file, data in files_of(evidence).items()}
    return {"single": context_evidence.single, "parts": parts}, files


def context_evidence_of(
    record: Mapping[str, Any], files: Mapping[str, bytes], measures: Mapping[str, Measure]
) -> ContextEvidence:
    """Return the evidence of the context that a run keeps."""
    parts: dict[str, Evidence] = {}
    for name, about in record["parts"].items():
        files_of_part = layout.below(layout.of_part(name, ""), files)
        chosen = [measures[address] for address in about["measures"]]
        parts[_PARTS[name]] = evidence_of(files_of_part, chosen, about["needs"], (), ())
    return ContextEvidence(**parts, single=record["single"])
