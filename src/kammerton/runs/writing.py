# SPDX-License-Identifier: MIT
"""From scores to a run: a folder from which the same scores are read again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kammerton.errors import Diagnostic, OptionError, OutputError, quote
from kammerton.formats.atomic import replacing_folder, write_new
from kammerton.formats.source import read_bytes
from kammerton.model.drawing import Drawing
from kammerton.model.scores import Scores
from kammerton.model.signature import data_hash
from kammerton.runs import layout
from kammerton.runs.agreements import parts_of
from kammerton.runs.annotations import has_annotations, keep_annotations
from kammerton.runs.columns import to_parquet
from kammerton.runs.context_files import keep_surroundings
from kammerton.runs.evidence_files import files_of, tables_of
from kammerton.runs.kept_options import keep_options
from kammerton.runs.record import digest_of, noticed, parse_record, render_record, versions
from kammerton.statistics.annotators import AnnotatorAgreement

__all__ = ["check_place", "write_run"]


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
            record, files = parts_of(scores)
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
    if origin.surroundings is not None:
        context, more = keep_surroundings(origin.surroundings)
        files |= more
    options: dict[str, Any] | None = None
    if origin.evidence.gathered is not None or with_options:
        options, named = keep_options(origin.options)
        files |= named
    clusters = origin.drawing.settings.get("clusters")
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
        "options": options,
        "intervals": _intervals(origin.drawing),
        "context": context,
        "grouped": None if origin.grouping is None else origin.grouping.by,
        "needs": list(origin.evidence.rows),
        "tables": tables_of(origin.evidence),
        "diagnostics": noticed(scores.diagnostics, origin.roots),
    }
    return record, dict(sorted(files.items()))


def _intervals(drawing: Drawing) -> dict[str, Any] | None:
    if drawing.resample is None:
        return None
    settings = {name: value for name, value in drawing.settings.items() if name != "clusters"}
    return {**settings, "signed": dict(drawing.signed)}


def check_place(folder: str | os.PathLike[str]) -> Mapping[str, Any] | None:
    """Find out before any work whether a run may be written there.

    Returns
    -------
    mapping of str to object or None
        The record of the run that would be replaced.

    Raises
    ------
    OutputError
        KT501 if there is a file; KT707 if what is there is no run, or a run with other things: nothing is
        removed that no run left.
    """
    if not isinstance(folder, str | os.PathLike):
        raise OptionError.of_type("folder", folder, "a path")
    place, name = Path(folder), quote(os.fsdecode(folder))
    if not place.exists():
        return None
    if not place.is_dir():
        raise OutputError(f"KT501 cannot write a run to {name}: it is no folder")
    there = {each.name for each in place.iterdir()}
    if not there:
        return None
    if layout.RECORD not in there:
        raise OutputError(f"KT707 cannot write a run to {name}: it is a folder with other things")
    path = place / layout.RECORD
    try:
        record = parse_record(read_bytes(path, name=os.fspath(path)), os.fspath(path))
        own = {layout.RECORD, *record["files"]}
        if record.get("annotations") is not None:
            own.add(layout.ANNOTATIONS)
    except Exception as error:
        raise OutputError(f"KT707 cannot write a run to {name}: what is there is no whole run") from error
    other = sorted(there - own)
    if other:
        raise OutputError(f"KT707 cannot write a run to {name}: {quote(other[0])} there is not of a run")
    return record
