# SPDX-License-Identifier: MIT
"""Read and write runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from kammerton.errors import DataError, Diagnostic, OptionError, OutputError, quote
from kammerton.formats.reading import Limits
from kammerton.formats.source import read_bytes
from kammerton.formats.writing import replacing_folder, write_new
from kammerton.model.measure import Measure
from kammerton.model.registry import find_task, known_tasks
from kammerton.model.task import Ratings, Task
from kammerton.results.agreement import AnnotatorAgreement
from kammerton.results.scores import Scores
from kammerton.results.signature import Grouping, Origin, data_hash
from kammerton.runs import layout
from kammerton.runs.layout import (
    candidates_of,
    context_evidence_of,
    corpus_in,
    digest_of,
    evidence_of,
    files_of,
    from_parquet,
    has_annotations,
    keep_annotations,
    keep_candidates,
    keep_context,
    keep_options,
    names_of,
    noticed,
    options_of,
    parse_record,
    render_record,
    tables_of,
    texts_of,
    to_parquet,
    versions,
)
from kammerton.statistics.resampling import BootstrapSettings

T = TypeVar("T")
Run = Scores | str | os.PathLike[str]
"""Scores, or the folder that they were written to."""
_HELD = {layout.SCORES: "scores", layout.AGREEMENT: "an agreement of annotators"}
_LIMITS = Limits(bytes=16 * 2**30)


def is_run(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a folder with the record of a run, torn or not."""
    try:
        data = (Path(path) / layout.RECORD).read_bytes()
    except (OSError, ValueError):
        return False
    return layout.KIND.encode("ascii") in data


def task_of_run(folder: str | os.PathLike[str]) -> str:
    """Return the name of the task that a run is of."""
    return str(_record(Path(folder), os.fsdecode(folder))["task"])


def read_run(folder: str | os.PathLike[str]) -> Scores:
    """Read a run.

    Parameters
    ----------
    folder : path
        What :func:`kammerton.write_run` wrote.

    Returns
    -------
    Scores
        The same as those that were written, to the last bit.

    Raises
    ------
    DataError
        KT700 if it is no run; KT701 to KT703 if it is torn or was changed; KT704 if a later version wrote it;
        KT705, KT706 if a protocol has another revision now, or is not known; KT711 if it holds no scores.

    Examples
    --------
    >>> import tempfile, kammerton
    >>> song = ([(0, 4)], ["C"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     scores = kammerton.score("chords", song, song, measures=["MajMin"])
    ...     _ = kammerton.write_run(scores, f"{folder}/run")
    ...     read_run(f"{folder}/run")["MajMin"]
    1.0
    """
    return open_run(folder, layout.SCORES, _scores)


def holds_scores(folder: str | os.PathLike[str]) -> bool:
    """Return whether a run is of scores, and not of an agreement."""
    return bool(_record(Path(folder), os.fsdecode(folder)).get("holds", layout.SCORES) == layout.SCORES)


def scores_of(run: Run) -> Scores:
    """Return scores, or read those that were written to a folder."""
    return run if isinstance(run, Scores) else read_run(run)


@dataclass(frozen=True, slots=True)
class Opened:
    """A run whose files are whole, and of this version's measures."""

    place: Path
    task: Task
    measures: tuple[Measure, ...]
    record: Mapping[str, Any]
    files: Mapping[str, bytes]


def open_run(folder: str | os.PathLike[str], holds: str, made: Callable[[Opened], T]) -> T:
    """Return what is made of a run."""
    if not isinstance(folder, str | os.PathLike):
        raise OptionError.of_type("a run", folder, "a path")
    place, name = Path(folder), os.fsdecode(folder)
    record = _record(place, name)
    held = record.get("holds", layout.SCORES)
    if held != holds:
        is_agreement = held == layout.AGREEMENT
        reader = "`kammerton agree`, or `kammerton.agree`" if is_agreement else "another version"
        hint = f"what reads it is {reader}"
        raise DataError.of(
            "KT711", f"run of {_HELD.get(held, 'something else')}, not of {_HELD[holds]}", name, hint
        )
    try:
        files = {file: _checked(place, file, digest, name) for file, digest in record["files"].items()}
        task = _task(record, name)
        return made(Opened(place, task, _measures(task, record, name), record, files))
    except DataError as error:
        if any(problem.code.startswith("KT7") for problem in error.diagnostics):
            raise
        raise DataError.of("KT703", f"run does not hold together: {error}", name) from error
    except Exception as error:  # whoever signs a record of his own making may write anything there
        message = f"run does not hold together: {type(error).__name__} {error}".partition("\n")[0]
        raise DataError.of("KT703", message, name, "score again") from error


def _record(place: Path, name: str) -> dict[str, Any]:
    path = place / layout.RECORD
    shown = os.path.join(name, layout.RECORD)  # noqa: PTH118 - as the caller wrote it
    try:
        data = read_bytes(path, name=shown, limits=_LIMITS)
    except DataError as error:
        why = error.diagnostics[0].message
        hint = "a run is a folder that `kammerton score --out` wrote"
        raise DataError.of("KT700", f"not a run: {layout.RECORD} {why}", name, hint) from error
    return parse_record(data, shown)


def _checked(place: Path, file: str, digest: str, name: str) -> bytes:
    shown = os.path.join(name, file)  # noqa: PTH118
    if Path(file).name != file:
        raise DataError.of("KT703", f"a run has no file {quote(file)}", name)
    try:
        data = read_bytes(place / file, name=shown, limits=_LIMITS)
    except DataError as error:
        raise DataError.of(
            "KT702", f"run is torn: {error.diagnostics[0].message}", shown, "score again"
        ) from error
    if digest_of(data) != digest:
        message = "run is torn: a file ends too early, or was changed"
        raise DataError.of("KT702", message, shown, "score again")
    return data


def _task(record: Mapping[str, Any], name: str) -> Task:
    if record["task"] not in known_tasks():
        message = f"run of a task that this version does not know: {quote(str(record['task']))}"
        raise DataError.of("KT706", message, name)
    return find_task(record["task"])


def _measures(task: Task, record: Mapping[str, Any], name: str) -> tuple[Measure, ...]:
    revisions = {protocol.name: protocol.revision for protocol in task.protocols}
    for protocol, revision in record["protocols"].items():
        now = revisions.get(protocol)
        if now is not None and now != revision:
            message = f"run of {protocol} of revision {revision}; the protocol has revision {now} now"
            hint = "scores of two revisions are not comparable: score again; the changelog has what changed"
            raise DataError.of("KT705", message, name, hint)
    known = {str(measure): measure for measure in task.measures}
    unknown = [address for address in record["measures"] if address not in known]
    if unknown:
        message = f"run of a measure that this version does not know: {quote(unknown[0])}"
        raise DataError.of("KT706", message, name)
    return tuple(known[address] for address in record["measures"])


def _scores(opened: Opened) -> Scores:
    record, task = opened.record, opened.task
    diagnostics = [Diagnostic(**values) for values in record["diagnostics"]]
    options = (
        task.options() if record["options"] is None else options_of(task, record["options"], opened.place)
    )
    origin = Origin(
        task=task,
        evidence=evidence_of(opened.files, opened.measures, record["needs"], record["tables"], diagnostics),
        missing=record["missing"],
        options=options,
        choices=record["choices"],
        bootstrap=_bootstrap(record["intervals"], opened.files),
    )
    # earlier versions had none of these
    if record.get("made"):
        origin = replace(origin, made=record["made"])
    if record.get("annotations") is not None:
        origin = replace(origin, corpus=corpus_in(opened.place, record["annotations"], task))
    measures = {str(measure): measure for measure in opened.measures}
    if record.get("candidates") is not None:
        origin = replace(origin, candidates=candidates_of(record["candidates"], opened.files, measures))
    if record.get("context") is not None:
        evidence = context_evidence_of(record["context"], opened.files, measures)
        origin = replace(origin, context_evidence=evidence)
    if record.get("grouped") is not None:
        groups = _by_item(opened.files[layout.GROUPS], "group")
        origin = replace(origin, grouping=Grouping(record["grouped"], groups))
    return Scores(origin)


def _by_item(data: bytes, column: str) -> dict[str, str]:
    frame = from_parquet(data)
    return dict(zip(texts_of(frame, "item"), texts_of(frame, column), strict=True))


def _bootstrap(intervals: Mapping[str, Any] | None, files: Mapping[str, bytes]) -> BootstrapSettings | None:
    if intervals is None:
        return None
    clusters = _by_item(files[layout.CLUSTERS], "cluster") if layout.CLUSTERS in files else None
    settings = {name: intervals[name] for name in ("level", "resamples", "seed", "method", "signed")}
    return BootstrapSettings(**settings, clusters=clusters)


_CODE = "annotator:"


def _of_agreement(agreement: AnnotatorAgreement) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the record of an agreement but for the digests of files, and the files by name."""
    files: dict[str, bytes] = {}
    for number, name in enumerate(agreement.annotators):
        evidence = replace(agreement.scores[name].origin.evidence, tallies={}, diagnostics=())
        files |= {layout.annotator_file(number, file): data for file, data in files_of(evidence).items()}
    if agreement.ratings is not None:
        files |= _files_of_ratings(agreement.ratings, agreement.annotators)
    record = {
        "holds": layout.AGREEMENT,
        "task": agreement.task,
        "versions": versions(),
        "protocols": {
            measure.protocol: agreement.revisions[measure.protocol] for measure in agreement.measures
        },
        "measures": list(map(str, agreement.measures)),
        "annotators": list(agreement.annotators),
        "items": list(agreement.items),
        "persons": agreement.persons,
        "unrated": "" if agreement.ratings is None else agreement.ratings.reason,
        "choices": dict(agreement.choices),
        "needs": list(agreement.scores[agreement.annotators[0]].origin.evidence.rows),
        "diagnostics": noticed(agreement.diagnostics),
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
    """Read a run of an agreement."""
    return open_run(folder, layout.AGREEMENT, _agreement)


def _agreement(opened: Opened) -> AnnotatorAgreement:
    record, task = opened.record, opened.task
    annotators = tuple(record["annotators"])
    return AnnotatorAgreement(
        task=task.name,
        annotators=annotators,
        measures=opened.measures,
        scores={name: _scores_against(opened, number) for number, name in enumerate(annotators)},
        items=tuple(record["items"]),
        persons=record["persons"],
        ratings=_ratings(opened.files, record.get("unrated", "")),  # earlier versions had no such reason
        rated=task.rated,
        revisions={protocol.name: protocol.revision for protocol in task.protocols},
        choices=record["choices"],
        diagnostics=tuple(Diagnostic(**values) for values in record["diagnostics"]),
    )


def _scores_against(opened: Opened, number: int) -> Scores:
    """Return the scores of all other annotators against one."""
    own = layout.below(layout.annotator_file(number, ""), opened.files)
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


def write_run(
    scores: Scores | AnnotatorAgreement, folder: str | os.PathLike[str], *, annotations: bool = True
) -> tuple[Diagnostic, ...]:
    """Write a run: statistics of every item, class tables, annotations, and a record of it all.

    Parameters
    ----------
    scores : Scores or AnnotatorAgreement
        From :func:`kammerton.score`, or :func:`read_run`; or from :func:`kammerton.agree`, which reads it.
    folder : path
        A new folder, an empty one, or a run, which is replaced.
    annotations : bool
        Whether to keep what was scored, so that items can be laid out from the run alone. It is read once
        more for that, from where it was read.

    Returns
    -------
    tuple of Diagnostic
        What is not in the run: KT712 if the annotations are too many to be kept.

    Raises
    ------
    OutputError
        KT707 if there is something else than a run; KT501, KT502 if the folder cannot be written. What
        stood there still does.

    Examples
    --------
    >>> import tempfile, kammerton
    >>> from kammerton import read_run
    >>> ref = {"song": ([(0, 2), (2, 4)], ["C", "G:7"])}
    >>> est = {"song": ([(0, 3), (3, 4)], ["C", "G"])}
    >>> scores = kammerton.score("chords", ref, {"mine": est}, protocols=["mirex2013"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     left_out = write_run(scores, folder)
    ...     read_run(folder).value("MajMin")
    0.75
    """
    if not isinstance(scores, Scores | AnnotatorAgreement):
        raise OptionError.of_type("scores", scores, "what kammerton.score or kammerton.agree returns")
    check_place(folder)
    left_out: tuple[Diagnostic, ...] = ()
    with replacing_folder(folder) as new:
        if isinstance(scores, Scores):
            with scores.timing.during("writing"):
                keep = annotations and has_annotations(scores.origin)
                record, files = _of_scores(scores, with_options=keep)
                if keep:
                    record["annotations"], left_out = keep_annotations(new, scores.origin)
                record["files"] = _written(new, files)
            record["timing"] = scores.timing.to_dict()
        else:
            record, files = _of_agreement(scores)
            record["files"] = _written(new, files)
        write_new(new / layout.RECORD, render_record(record))
    return left_out


def _written(folder: Path, files: Mapping[str, bytes]) -> dict[str, str]:
    """Write files, and return the digest of each."""
    for name, data in files.items():
        write_new(folder / name, data)
    return {name: digest_of(data) for name, data in files.items()}


def _of_scores(scores: Scores, *, with_options: bool) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the record but for the digests of files, and the files."""
    origin = scores.origin
    files = files_of(origin.evidence)
    context: dict[str, Any] | None = None
    if origin.context_evidence is not None:
        context, more = keep_context(origin.context_evidence)
        files |= more
    candidates: dict[str, Any] | None = None
    if origin.candidates is not None:
        candidates, more = keep_candidates(origin.candidates)
        files |= more
    options: dict[str, Any] | None = None
    if origin.evidence.gathered is not None or with_options:
        options, named = keep_options(origin.options)
        files |= named
    clusters = origin.clusters
    if clusters is not None:
        files[layout.CLUSTERS] = to_parquet({"item": list(clusters), "cluster": list(clusters.values())})
    if origin.grouping is not None:
        of = origin.grouping.of
        files[layout.GROUPS] = to_parquet({"item": list(of), "group": list(of.values())})
    record = {
        "task": scores.task,
        "versions": versions(),
        "protocols": {measure.protocol: origin.task.revision(measure) for measure in scores.measures},
        "measures": [str(measure) for measure in scores.measures],
        "systems": list(scores.systems),
        "annotators": list(scores.annotators),
        "references": {
            "items": len({item for _, item in scores.fingerprints}),
            "annotations": len(scores.fingerprints),
            "data": data_hash(scores.fingerprints),
        },
        "missing": origin.missing,
        "choices": dict(origin.choices),
        "made": dict(origin.made),
        "options": options,
        "intervals": _intervals(origin.bootstrap),
        "context": context,
        "candidates": candidates,
        "grouped": None if origin.grouping is None else origin.grouping.by,
        "needs": list(origin.evidence.rows),
        "tables": tables_of(origin.evidence),
        "diagnostics": noticed(scores.diagnostics, origin.roots),
    }
    return record, dict(sorted(files.items()))


def _intervals(bootstrap: BootstrapSettings | None) -> dict[str, Any] | None:
    if bootstrap is None:
        return None
    settings = {name: getattr(bootstrap, name) for name in ("level", "resamples", "seed", "method")}
    return {**settings, "signed": dict(bootstrap.signed)}


def check_place(folder: str | os.PathLike[str]) -> Mapping[str, Any] | None:
    """Check before any work whether a run may be written there."""
    if not isinstance(folder, str | os.PathLike):
        raise OptionError.of_type("folder", folder, "a path")
    place, name = Path(folder), quote(os.fsdecode(folder))
    if not place.exists():
        return None
    if not place.is_dir():
        raise OutputError(f"KT501 cannot write a run to {name}: it is no folder")
    names = {path.name for path in place.iterdir()}
    if not names:
        return None
    if layout.RECORD not in names:
        raise OutputError(f"KT707 cannot write a run to {name}: it is a folder with other things")
    path = place / layout.RECORD
    try:
        record = parse_record(read_bytes(path, name=os.fspath(path)), os.fspath(path))
        own = {layout.RECORD, *record["files"]}
        if record.get("annotations") is not None:
            own.add(layout.ANNOTATIONS)
    except Exception as error:
        raise OutputError(f"KT707 cannot write a run to {name}: what is there is no whole run") from error
    foreign = sorted(names - own)
    if foreign:
        raise OutputError(f"KT707 cannot write a run to {name}: {quote(foreign[0])} there is not of a run")
    return record
