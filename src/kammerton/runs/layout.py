# SPDX-License-Identifier: MIT
"""The form of a run on disk: its files, its record, the evidence, annotations and options it keeps."""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as url_quote

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic, OutputError, quote
from kammerton.formats.pack_layout import with_roles
from kammerton.formats.packs import PackWriter, open_pack, packing_in
from kammerton.formats.reading import file_of
from kammerton.formats.writing import escaped, unescaped
from kammerton.model.annotations import carried, portable
from kammerton.model.corpus import Collection, Corpus, name_of_source
from kammerton.model.evidence import Evidence, Row, Rows, State, Tally
from kammerton.model.measure import Gathered, Measure, Needs, Statistics
from kammerton.model.task import Reading, Task
from kammerton.results.signature import Origin
from kammerton.scoring.candidates import CandidateEvidence, CandidateSystem
from kammerton.scoring.evaluating import ContextEvidence
from kammerton.scoring.loading import read_source
from kammerton.version import __version__

if TYPE_CHECKING:
    import polars as pl


KIND = "kammerton run"
FORMAT = 1
"""Raised whenever a run of this form could no longer be read by an earlier version."""
SCORES, AGREEMENT = "scores", "agreement"
"""What a run may hold."""
RECORD = "run.json"
REFERENCES = "references.parquet"
CASES = "gathered.parquet"
"""Rows that measures over classes are made from."""
CLASSES = "gathered_classes.parquet"
UNITS = "gathered_units.parquet"
CLUSTERS = "clusters.parquet"
GROUPS = "groups.parquet"
ANNOTATIONS = "annotations.parquet"
"""A pack of what was scored. Nothing of it is read before an item is looked at."""
CANDIDATES = "candidates.parquet"
"""Candidates of each item by system, their confidences, and which are selected."""
RATINGS = "ratings.parquet"
"""Codes of what annotators called each unit, and the size of it."""
LABELS = "ratings_labels.parquet"


def rows_file(needs: Needs) -> str:
    """Return the name of the file of rows for measures that need the same."""
    return f"rows_{needs.replace('+', '_')}.parquet"


def table_file(name: str) -> str:
    """Return the name of the file of a class table."""
    return f"table_{url_quote(name, safe='')}.parquet"


def below(start: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files whose names begin so, called by the rest of their names."""
    return {name.removeprefix(start): data for name, data in files.items() if name.startswith(start)}


def annotator_file(number: int, file: str) -> str:
    """Return the name of the file of one annotator in a run of an agreement."""
    return f"annotator{number}_{file}"


def candidate_file(file: str) -> str:
    """Return the name of a file of the evidence of candidates."""
    return f"candidates_{file}"


def part_file(part: str, file: str) -> str:
    """Return the name of the file of a part of the context: floors (baselines), others, annotators."""
    return f"context_{part}_{file}"


_LEVEL = 3
_ROW_GROUP = 1 << 20


def to_parquet(columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> bytes:
    """Return columns as a file; of one kind each: texts, numbers, flags, with None where there is nothing."""
    import polars as pl  # noqa: PLC0415 - half the import time; most runs of the program write no run

    series = []
    for name, values in columns.items():
        if isinstance(values, np.ndarray) or any(isinstance(value, int | float) for value in values):
            series.append(pl.Series(escaped(name), values))
        else:
            texts = [None if value is None else escaped(value) for value in values]
            series.append(pl.Series(escaped(name), texts, dtype=pl.String))
    file = io.BytesIO()
    pl.DataFrame(series).write_parquet(
        file, compression="zstd", compression_level=_LEVEL, row_group_size=_ROW_GROUP
    )
    return file.getvalue()


def from_parquet(data: bytes) -> pl.DataFrame:
    """Return the columns of :func:`to_parquet`; the functions below find them by their names."""
    import polars as pl  # noqa: PLC0415

    return pl.read_parquet(io.BytesIO(data))


def names_of(frame: pl.DataFrame) -> list[str]:
    """Return the names of the columns."""
    return [unescaped(name) for name in frame.columns]


def texts_of(frame: pl.DataFrame, name: str) -> list[Any]:
    """Return a column that is no array: texts, numbers or flags, None where there is nothing."""
    values = frame.get_column(escaped(name)).to_list()
    return [unescaped(value) if isinstance(value, str) else value for value in values]


def numbers_of(frame: pl.DataFrame, names: Iterable[str]) -> NDArray[np.float64]:
    """Return columns of numbers side by side, shape (rows, names)."""
    chosen = [frame.get_column(escaped(name)).to_numpy() for name in names]
    return np.ascontiguousarray(np.stack(chosen, axis=1), dtype=np.float64)


_DIGEST = "digest"
_NOT_SIGNED = "timing"
"""What differs between two runs of the same."""


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(data).hexdigest()


def render_record(record: Mapping[str, Any]) -> bytes:
    """Return a record as the content of ``run.json``."""
    whole = {"kind": KIND, "format": FORMAT, **record}
    signed = {name: value for name, value in whole.items() if name != _NOT_SIGNED}
    return _encoded({**whole, _DIGEST: digest_of(_encoded(signed))})


def _encoded(record: Mapping[str, Any]) -> bytes:
    return (json.dumps(record, indent=1, allow_nan=False) + "\n").encode("ascii")


def parse_record(data: bytes, name: str) -> dict[str, Any]:
    """Return the record that ``run.json`` holds."""
    try:
        record = json.loads(data)
    except (ValueError, RecursionError) as error:
        if KIND.encode("ascii") in data:
            raise DataError.of(
                "KT701", "run is torn: its record ends too early, or was changed", name
            ) from error
        raise DataError.of("KT700", "not the record of a run", name) from error
    if not isinstance(record, dict) or record.get("kind") != KIND:
        raise DataError.of("KT700", "not the record of a run", name)
    if record.get("format") != FORMAT:
        message = f"run of form {record.get('format')!r}, written by a later version; this one reads {FORMAT}"
        raise DataError.of("KT704", message, name, "score again, or read it with that version")
    del record["kind"], record["format"]
    record.pop(_DIGEST, None)
    if data != _rewritten(record):  # to the byte: nobody has to judge which changes matter
        raise DataError.of(
            "KT701", "run was changed after it was written: its record is not what was signed", name
        )
    return record


def _rewritten(record: Mapping[str, Any]) -> bytes:
    try:
        return render_record(record)
    except (ValueError, RecursionError):  # what no record has: NaN, too many digits, lists in lists
        return b""


def versions() -> dict[str, str]:
    """Return the versions of what a run is made with."""
    import polars as pl  # noqa: PLC0415 - half the import time; most runs of the program write no run

    return {
        "kammerton": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "polars": pl.__version__,
    }


def noticed(diagnostics: Iterable[Diagnostic], roots: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return diagnostics as plain values, without what is so on one machine only."""
    return [asdict(diagnostic) for diagnostic in carried(diagnostics, roots)]


_PLAIN = (str, int, float, type(None))


def keep_options(options: Any) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the options that differ from their defaults, and the files among them."""
    default = type(options)()
    values: dict[str, Any] = {}
    files: dict[str, bytes] = {}
    for field in fields(options):
        value = getattr(options, field.name)
        if value == getattr(default, field.name):
            continue
        if isinstance(value, Mapping):
            values[field.name] = dict(value)
        elif isinstance(value, _PLAIN):
            values[field.name] = value
        if field.metadata.get("file"):
            path, part = file_of(value)
            if path is not None:
                name = _name(field.name, PurePath(path).suffix.lower())
                values[field.name] = {"file": name, "part": part}
                files[name] = _content(path)
    return values, files


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"KT502 cannot keep {quote(path)} in the run: {reason}") from error


def options_of(task: Task, values: Mapping[str, Any], folder: Path) -> Any:
    """Return the options that a run keeps."""
    own = {field.name for field in fields(task.options) if field.metadata.get("file")}
    return task.options(
        **{
            name: _path(folder, name, value) if name in own and isinstance(value, Mapping) else value
            for name, value in values.items()
        }
    )


def _path(folder: Path, option: str, value: Mapping[str, Any]) -> str:
    """Return the path of a file that was kept; one that is not of the run is not opened."""
    name = str(value["file"])
    if Path(name).name != name or not name.startswith(_name(option, "")):
        message = f"run was changed: the file of its option {option} is {quote(name)} in the record"
        raise DataError.of("KT701", message, os.fspath(folder))
    return f"{folder / name}{value['part']}"


def _name(option: str, suffix: str) -> str:
    return f"option_{option}{suffix}"


_ROW = ("system", "item", "annotator", "status", "counts", "reason")
_PLACES = ("case", "class", "unit")


def files_of(evidence: Evidence) -> dict[str, bytes]:
    """Return the files of evidence by name."""
    files = {rows_file(needs): _rows(evidence, needs) for needs in evidence.rows}
    files |= {table_file(name): _table(tally) for name, tally in evidence.tallies.items()}
    files[REFERENCES] = to_parquet(
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
        frame = from_parquet(files[rows_file(kind)])
        rows[kind] = Rows.of(map(Row, *(texts_of(frame, name) for name in _ROW)))
        for measure in _measured(measures, kind):
            statistics[measure] = numbers_of(frame, _names(measure))
    references = from_parquet(files[REFERENCES])
    keys = zip(texts_of(references, "annotator"), texts_of(references, "item"), strict=True)
    return Evidence(
        measures=tuple(measures),
        rows=rows,
        statistics={measure: statistics[measure] for measure in measures if measure in statistics},
        tallies={about["name"]: _tally(files[table_file(about["name"])], about) for about in tables},
        fingerprints=dict(zip(keys, map(bytes.fromhex, texts_of(references, "sha256")), strict=True)),
        gathered=_gathered_of(files) if CASES in files else None,
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
        CASES: to_parquet({**dict(places), **dict(values)}),
        CLASSES: to_parquet({"class": gathered.classes}),
        UNITS: to_parquet({"unit": gathered.units}),
    }


def _gathered_of(files: Mapping[str, bytes]) -> Gathered:
    frame = from_parquet(files[CASES])
    cases, codes, unit_codes = (frame.get_column(name).to_numpy().astype(np.int64) for name in _PLACES)
    values = names_of(frame)[len(_PLACES) :]
    return Gathered(
        columns=tuple(name.removeprefix("value:") for name in values),
        cases=cases,
        classes=tuple(texts_of(from_parquet(files[CLASSES]), "class")),
        codes=codes,
        units=tuple(texts_of(from_parquet(files[UNITS]), "unit")),
        unit_codes=unit_codes,
        values=numbers_of(frame, values),
    )


_CANDIDATE = ("system", "candidate", "item", "confidence", "selected")
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
            files |= {part_file(name, file): data for file, data in files_of(evidence).items()}
    return {"single": context_evidence.single, "parts": parts}, files


def context_evidence_of(
    record: Mapping[str, Any], files: Mapping[str, bytes], measures: Mapping[str, Measure]
) -> ContextEvidence:
    """Return the evidence of the context that a run keeps."""
    parts: dict[str, Evidence] = {}
    for name, about in record["parts"].items():
        files_of_part = below(part_file(name, ""), files)
        chosen = [measures[address] for address in about["measures"]]
        parts[_PARTS[name]] = evidence_of(files_of_part, chosen, about["needs"], (), ())
    return ContextEvidence(**parts, single=record["single"])


def keep_candidates(candidates: CandidateEvidence) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return what the evidence of candidates is of as plain values, and the files of it."""
    rows = [
        (system.name, candidate, item, system.confidences.get((item, candidate)), candidate == selected)
        for system in candidates.systems
        for candidate, names in system.candidates.items()
        for item in names
        for selected in ((system.selected or {}).get(item),)
    ]
    columns = dict(zip(_CANDIDATE, map(list, zip(*rows, strict=True)), strict=True))
    evidence = candidates.evidence
    files = {candidate_file(file): data for file, data in files_of(evidence).items()}
    about = {"measures": list(map(str, evidence.measures)), "needs": list(evidence.rows)}
    return about, {CANDIDATES: to_parquet(columns), **files}


def candidates_of(
    record: Mapping[str, Any], files: Mapping[str, bytes], measures: Mapping[str, Measure]
) -> CandidateEvidence:
    """Return the evidence of candidates that a run keeps."""
    frame = from_parquet(files[CANDIDATES])
    candidates: dict[str, dict[str, dict[str, str]]] = {}
    confidences: dict[str, dict[tuple[str, str], float]] = {}
    selected: dict[str, dict[str, str]] = {}
    for system, candidate, item, confidence, is_selected in zip(
        *(texts_of(frame, name) for name in _CANDIDATE), strict=True
    ):
        candidates.setdefault(system, {}).setdefault(candidate, {})[item] = item
        if confidence is not None:
            confidences.setdefault(system, {})[item, candidate] = confidence
        if is_selected:
            selected.setdefault(system, {})[item] = candidate
    own, chosen = below(candidate_file(""), files), [measures[name] for name in record["measures"]]
    return CandidateEvidence(
        systems=tuple(
            CandidateSystem(
                Collection(system, {}), of_system, confidences.get(system, {}), selected.get(system)
            )
            for system, of_system in candidates.items()
        ),
        evidence=evidence_of(own, chosen, record["needs"], (), ()),
    )


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
    if is_whole:
        return {"digest": digest_of(writer.record.render().encode())}, ()
    message = f"annotations are not kept in the run: they have more than {MOST_ROWS:,} rows"
    hint = "`report` and `show` of the run have scores only; pack the annotations beside it"
    return None, (Diagnostic("KT712", "note", message, hint=hint),)


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


def corpus_in(folder: Path, about: Mapping[str, Any], task: Task) -> Corpus:
    """Return the annotations that a run holds; each is read when it is needed."""
    shown = os.fspath(folder / ANNOTATIONS)
    try:
        pack = open_pack(folder / ANNOTATIONS, task)
    except DataError as error:
        raise DataError.of(
            "KT702", f"run is torn: {error.diagnostics[0].message}", shown, "score again"
        ) from error
    if digest_of(pack.record.render().encode()) != about["digest"]:
        raise DataError.of(
            "KT702", "run is torn: its annotations are not those that were scored", shown, "score again"
        )
    by_role: dict[str, list[Collection]] = {"reference": [], "system": []}
    for number, collection in enumerate(pack.record.collections):
        by_role[collection.role].append(replace(pack.collection(number), origin=collection.origin))
    return Corpus(tuple(by_role["reference"]), tuple(by_role["system"]))
