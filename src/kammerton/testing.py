# SPDX-License-Identifier: MIT
"""The conformance kit: what a task must keep so that every verb can rely on it."""

from __future__ import annotations

import os
import pickle
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from kammerton.api.docstrings import described_fields
from kammerton.errors import DataError, Diagnostic, KammertonError, OptionError, plural
from kammerton.formats.packs import new_pack, open_pack
from kammerton.model.corpus import Collection, Corpus
from kammerton.model.evidence import Evidence, Tally
from kammerton.model.measure import EVERY, Aggregate, Law, Measure, Needs, Protocol, Statistics, name_items
from kammerton.model.task import Case, Conversion, Evaluation, Reading, Task
from kammerton.model.views import ItemView
from kammerton.reporting.timeline import NARROWEST, render_item
from kammerton.results.scores import Scores
from kammerton.results.signature import Origin
from kammerton.scoring.loading import ScoringJob
from kammerton.scoring.running import score_corpus

_TASK = re.compile(r"[a-z][a-z0-9_]*")
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?")
_MEASURE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.@-]*[A-Za-z0-9])?")
_SUFFIX = re.compile(r"(?:\.[a-z0-9_+-]+)+")


def _record_faults(task: Task) -> Iterator[str]:
    """Yield the faults of names, protocols and measures."""
    if not _TASK.fullmatch(task.name):
        yield f"task name {task.name!r}: lower-case letters, digits and `_`, a letter first"
    if not task.summary.strip() or "\n" in task.summary:
        yield "the task has no summary of one line"
    if not task.suffixes:
        yield "the task reads no suffix"
    for suffix in sorted(task.suffixes):
        if not _SUFFIX.fullmatch(suffix):
            yield f"suffix {suffix!r}: lower-case, with its dot"
    if not task.protocols:
        yield "the task has no protocol"
    else:
        try:
            task.choose()
        except OptionError as error:
            yield f"default_measures: {error.message}"
    yield from _repeated("protocol", [protocol.name for protocol in task.protocols])
    yield from _repeated("measure", [str(measure) for measure in task.measures])
    for protocol in task.protocols:
        yield from _protocol_faults(protocol)
    item = task.identify("folder/name")
    if not (isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str) and item[0]):
        yield f"identify('folder/name') returned {item!r}, not an item and an annotator or None"


def _repeated(kind: str, names: list[str]) -> Iterator[str]:
    for name, count in Counter(names).items():
        if count > 1:
            yield f"{count} {kind}s are called {name}"


def _protocol_faults(protocol: Protocol) -> Iterator[str]:
    subject = f"protocol {protocol.name}"
    if protocol.name == EVERY:
        yield f"{subject}: this is the name of all protocols"
    if not _NAME.fullmatch(protocol.name):
        yield f"{subject}: a name has letters, digits, `_`, `.` and `-`"
    if protocol.revision < 1:
        yield f"{subject}: revisions count from 1"
    for field in ("summary", "rules"):
        if not getattr(protocol, field).strip():
            yield f"{subject} has no {field}"
    if not protocol.measures:
        yield f"{subject} has no measures"
    elif not any(measure.headline for measure in protocol.measures):
        yield f"{subject} has no headline measure: tables would not show it"
    for measure in protocol.measures:
        if measure.protocol != protocol.name:
            yield f"measure {measure} is listed in {subject}"
        yield from _measure_faults(measure)


def _measure_faults(measure: Measure) -> Iterator[str]:
    if not _MEASURE.fullmatch(measure.name):
        yield f"measure {measure}: a name has letters, digits, `_`, `.`, `-` and `@`"
    empty = [field.name for field in fields(measure.card) if not getattr(measure.card, field.name).strip()]
    yield from (f"the card of {measure} has no {name}" for name in empty)
    low, high = measure.range
    if not low < high:
        yield f"the range of {measure} is empty: {low:g} to {high:g}"
    elif measure.worst != (low if measure.direction == "higher" else high):
        yield f"{measure}: {measure.direction} is better, so the worst is not {measure.worst:g}"
    if not measure.weight_unit:
        yield f"{measure} has no unit of weight"
    names = measure.formula.statistics
    if not names or len(set(names)) < len(names):
        yield f"{measure}: statistics have names, each its own: {', '.join(names)}"
    yield from _repeated(f"aggregate of {measure}", list(measure.aggregates))
    for kind, values, known in (
        ("direction", (measure.direction,), ("higher", "lower")),
        ("need", (measure.needs,), get_args(Needs)),
        ("aggregate", measure.aggregates, get_args(Aggregate)),
        ("law", sorted(measure.laws), get_args(Law)),
    ):
        for value in values:
            if value not in known:
                yield f"{measure} has a {kind} {value!r}, which there is not: {', '.join(known)}"


def _options_faults(options: type[Any]) -> Iterator[str]:
    """Yield the faults of the dataclass of options, of which each field is an option of the command line."""
    if not is_dataclass(options):
        yield "options are no dataclass"
        return
    if not options.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        yield f"{options.__name__} is not frozen"
    try:
        options()
    except Exception as error:  # whatever the constructor raises
        yield f"{options.__name__}() fails: options need defaults ({error})"
    described = described_fields(options)
    for field in fields(options):
        if not described.get(field.name):
            yield f"option {field.name} is not described in the docstring of {options.__name__}"


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """A task, and the samples that it is tried on."""

    task: Task
    options: Any
    annotations: tuple[Any, ...]  # each different from the others
    files: tuple[Path, ...]  # the samples that are files

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that have scores for the annotations."""
        if self.task.applicable is None or self.task.survey is None:
            return self.task.measures
        counts = self.task.survey(self.annotations, self.annotations, self.options)
        return self.task.applicable(counts, self.task.measures, self.options)[0]

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Yield every two annotations that belong together, reference first; each with itself, too."""
        for reference in self.annotations:
            for other in self.annotations:
                matched = self.matched(reference, other)
                if matched is not None:
                    yield reference, matched

    def matched(self, reference: Any, other: Any) -> Any | None:
        """Return another annotation matched to the reference, or None if it does not belong to it."""
        if self.task.match is None or other is reference:
            return other
        return self.task.match(reference, other, self.options)[0]

    def cases(self, needs: str) -> list[Case[Any]]:
        """Return cases of what measures need: of all pairs, and of blank estimates."""
        blank = ((annotation, self.task.blank(annotation)) for annotation in self.annotations)
        pairs = [*self.pairs(), *blank]
        if needs == "pair":
            return [Case((reference,), estimate) for reference, estimate in pairs]
        if needs == "estimate":
            return [Case((), estimate) for _, estimate in pairs]
        if needs == "annotators":
            return [Case((reference,), None) for reference in self.annotations]
        return [
            Case((reference, other), estimate)
            for reference, estimate in pairs
            for other in self._beside(reference)
        ]

    def _beside(self, reference: Any) -> list[Any]:
        """Return a second annotator of an item."""
        others = (self.matched(reference, other) for other in self.annotations if other is not reference)
        return [next((other for other in others if other is not None), reference)]


def _read_samples(task: Task, samples: Sequence[Any], options: Any | None) -> _Trial:
    """Read the samples that are files, and refuse fewer than two annotations."""
    chosen = task.options() if options is None else options
    annotations: list[Any] = []
    files = []
    for sample in samples:
        if not isinstance(sample, str | os.PathLike):
            annotations.append(sample)
            continue
        path = Path(sample)
        reading = task.read(path, os.fspath(path), chosen)
        if not reading.annotations:
            raise OptionError(f"sample {os.fspath(path)} cannot be read", reading.diagnostics[0].concise())
        annotations += [annotation for _, annotation in reading.annotations]
        files.append(path)
    if len(annotations) < 2:
        raise OptionError("two samples are needed at least, of different content")
    return _Trial(task, chosen, tuple(annotations), tuple(files))


_CODE = re.compile(r"[A-Z]{2,8}[0-9]{3,5}")


def _garbage() -> dict[str, bytes]:
    """Return contents that no reader expects, by name."""
    generator = random.Random("garbage")  # noqa: S311 - the same every time
    return {
        "empty": b"",
        "blank": b" \n\t\n\n",
        "zeros": bytes(64),
        "bytes": bytes(generator.randrange(256) for _ in range(512)),
        "latin-1": b"caf\xe9\n",
        "utf-16 without mark": "0 1 C\n".encode("utf-16-le"),
        "words": b"this is not an annotation\nat all\n",
        "numbers": b"1 2 3 4 5\n6 7\n8,9;10\n",
        "json begun": b'{"a": [1, {"b": ',
        "json of another kind": b'{"a": [1, null, {"b": NaN}]}',
        "deep json": b"[" * 5000,
        "xml begun": b"<?xml version='1.0'?><a><b>",
        "xml with entities": b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        "quote": b'a,b\n"c,d\n',
        "zip begun": b"PK\x03\x04" + bytes(40),
        "long line": b"a" * 5000,
        "escape": b"\x1b]0;x\x07\x1b[31m\n",
    }


def _reading_faults(trial: _Trial) -> Iterator[str]:
    """Yield the faults of reading files without annotations: an exception, or no diagnostic of the file."""
    task = trial.task
    with tempfile.TemporaryDirectory() as folder:
        for suffix in sorted(task.suffixes):
            for kind, content in _garbage().items():
                path = Path(folder, f"a{suffix}")
                path.write_bytes(content)
                yield from _path_faults(trial, path, f"{kind}{suffix}", f"a file {suffix} ({kind})")
            missing = Path(folder, f"none{suffix}")
            yield from _path_faults(trial, missing, "none", f"a path {suffix} without a file")
        yield from _path_faults(trial, Path(folder), "folder", "a folder")


def _path_faults(trial: _Trial, path: Path, name: str, source: str) -> Iterator[str]:
    try:
        reading = trial.task.read(path, name, trial.options)
    except Exception as error:  # whatever a reader raises is the fault that is looked for
        yield f"reading {source} raises {type(error).__name__}: {error}"
        return
    yield from _result_faults(reading, name, source)


def _result_faults(reading: Reading[Any], name: str | None, source: str) -> Iterator[str]:
    if not reading.annotations and not any(problem.severity == "error" for problem in reading.diagnostics):
        yield f"reading {source} gives neither an annotation nor an error"
    for problem in reading.diagnostics:
        code, message = problem.code, problem.message
        if name is not None and problem.file != name:
            yield f"reading {source}: {code} names the file {problem.file!r}, which is called {name!r}"
        if not _CODE.fullmatch(code):
            yield f"reading {source}: {code!r} is no code: two to eight capitals, then three to five digits"
        if not message or not message.isprintable():
            yield f"reading {source}: the message of {code} is not one printable line: {message!r}"


def _annotations_faults(trial: _Trial) -> Iterator[str]:
    """Yield the faults of content, extent, adoption, matching, and blank estimates."""
    task = trial.task
    contents = [task.content(annotation) for annotation in trial.annotations]
    if not all(isinstance(content, bytes) for content in contents):
        yield "content() returns no bytes"
        return
    if contents != [task.content(annotation) for annotation in trial.annotations]:
        yield "content() of one annotation changes from call to call"
    for second, content in enumerate(contents):
        first = contents.index(content)
        if first < second:
            yield f"samples {first} and {second} have the same content: it must tell annotations apart"
    for number, annotation in enumerate(trial.annotations):
        yield from _annotation_faults(trial, number, annotation)
    try:
        refused = task.adopt(object(), "object", trial.options)
    except Exception as error:  # whatever it raises
        yield f"adopt() of an object that is no annotation raises {type(error).__name__}: {error}"
    else:
        yield from _result_faults(refused, None, "an object that is no annotation")


def _annotation_faults(trial: _Trial, number: int, annotation: Any) -> Iterator[str]:
    task, options = trial.task, trial.options
    extent = task.extent(annotation)
    if not 0 <= extent < float("inf"):
        yield f"sample {number} has the extent {extent!r}"
    if task.match is not None and task.match(annotation, annotation, options)[0] is None:
        yield f"sample {number} does not match itself"
    task.content(task.blank(annotation))
    try:
        adopted = task.adopt(annotation, "sample", options)
    except Exception as error:  # whatever it raises
        yield f"adopt() of sample {number} raises {type(error).__name__}: {error}"
        return
    if [task.content(copy) for _, copy in adopted.annotations] != [task.content(annotation)]:
        yield f"adopt() does not return sample {number} as it is"


def _conversion_faults(trial: _Trial) -> Iterator[str]:
    """Yield the samples that change by writing and reading in a format of the task; of files only."""
    conversion = trial.task.conversion
    if conversion is None:
        return
    for form in sorted(conversion.joint.difference(conversion.forms)):
        yield f"format {form} holds several annotators, and is not written"
    for form in sorted(conversion.sheets.difference(conversion.forms if conversion.gather else ())):
        yield f"format {form} holds many items, and is not written, or nothing gathers them"
    for form, suffix in conversion.forms.items():
        if suffix not in trial.task.suffixes:
            yield f"format {form} is written to files {suffix}, which the task does not read"
    for path in trial.files:
        tracks = [track for _, track in conversion.load(path, os.fspath(path), trial.options).annotations]
        for form in conversion.forms:
            groups = [tracks] if form in conversion.joint else [[track] for track in tracks]
            for group in groups:
                yield from _round_trip_faults(trial, conversion, group, form, path.name)


def _round_trip_faults(
    trial: _Trial, conversion: Conversion, tracks: Sequence[Any], form: str, sample: str
) -> Iterator[str]:
    """Write, read and write again: the second text must be the first."""
    try:
        text = conversion.render(tracks, form)
    except DataError:  # the format cannot hold it, and says so
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a{conversion.forms[form]}")
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        back = conversion.load(path, "a", trial.options)
        again = trial.task.read(path, "a", trial.options)
    if len(back.annotations) != len(tracks):
        yield f"{sample} as {form}: {len(tracks)} annotations written, {len(back.annotations)} read"
    elif conversion.render([track for _, track in back.annotations], form) != text:
        yield f"{sample} as {form}: what is read back is written otherwise"
    elif len(again.annotations) != len(tracks):
        yield f"{sample} as {form}: what is written is not read as an annotation"


def _views_faults(trial: _Trial) -> Iterator[str]:
    """Yield the faults of the view of an item, and of warnings on annotations."""
    task = trial.task
    for number, annotation in enumerate(trial.annotations):
        for problem in _lint(trial, annotation):
            if problem.severity == "error" or problem.file is not None:
                yield f"lint() of sample {number}: {problem.code} is an error, or names a file"
        if task.view is None:
            continue
        estimates = {"same": annotation, "blank": task.blank(annotation), "gone": "no estimate"}
        view = task.view("item", "me", {"me": annotation}, estimates, None, trial.options)
        yield from _view_faults(view, ["me", *estimates], number)


def _view_faults(view: ItemView, names: Sequence[str], number: int) -> Iterator[str]:
    tracks = [track.name for track in view.tracks]
    if tracks != list(names):
        yield f"the view of sample {number} has the tracks {tracks}, not {names}"
    if [track.name for track in view.tracks if track.note] != ["gone"]:
        yield f"the view of sample {number} does not say why an estimate is not there"
    for width in (NARROWEST, 80):
        text = render_item(view, width=width)
        if max(map(len, text.splitlines())) > width:
            yield f"the view of sample {number} does not fit {width} columns"


def _packing_faults(trial: _Trial) -> Iterator[str]:
    """Yield the samples that change by packing."""
    task = trial.task
    packing = task.packing
    if packing is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "samples.parquet")
        with new_pack(path, task, trial.options) as writer:
            writer.begin(Collection("samples", {}))
            for number, annotation in enumerate(trial.annotations):
                writer.add(f"{number}", None, None, Reading(((None, annotation),)))
        stored = [sources[0][1].read() for sources in open_pack(path, task).sources(0).values()]
    for number, (annotation, reading) in enumerate(zip(trial.annotations, stored, strict=True)):
        if packing.rows(annotation) < 0:
            yield f"sample {number} is packed with {packing.rows(annotation)} rows"
        contents = [task.content(copy) for _, copy in reading.annotations]
        if contents != [task.content(annotation)]:
            yield f"sample {number} does not come back from a pack as it is"
        elif _lint(trial, reading.annotations[0][1]) != _lint(trial, annotation):
            yield f"lint() reports something else of sample {number} once it was packed"


def _lint(trial: _Trial, annotation: Any) -> tuple[Diagnostic, ...]:
    lint = trial.task.lint
    return () if lint is None else lint(annotation, trial.options)


_ROUNDING = 1e-9


def _kernels_faults(trial: _Trial) -> Iterator[str]:
    """Yield the faults of statistics, and of the values and weights that formulas make of them."""
    task = trial.task
    for needs in dict.fromkeys(measure.needs for measure in trial.measures):
        measures = [measure for measure in trial.measures if measure.needs == needs]
        by_case = [measure for measure in measures if measure.aggregate != "gathered"]
        cases = trial.cases(needs)
        whole = task.evaluate(cases, measures, trial.options)
        for measure in by_case:
            if measure in whole.statistics:
                yield from _statistics_faults(measure, whole.statistics[measure], len(cases))
            else:
                yield f"{measure}: evaluate() returned no statistics"
        alone = [task.evaluate([case], measures, trial.options) for case in cases]
        for measure in by_case:
            rows = np.concatenate([evaluation.statistics[measure] for evaluation in alone])
            if not np.array_equal(rows, whole.statistics[measure], equal_nan=True):
                yield f"{measure}: the statistics of a case depend on the cases beside it"
        yield from _tables_faults(trial.task, whole, alone)
        for measure in by_case:  # every measure can be had without the others
            single = task.evaluate(cases, [measure], trial.options).statistics
            if not np.array_equal(single[measure], whole.statistics[measure], equal_nan=True):
                yield f"{measure}: the statistics depend on what else is measured"
        gathered = [measure for measure in measures if measure.aggregate == "gathered"]
        yield from _classes_faults(trial, whole, gathered)


def _classes_faults(trial: _Trial, whole: Evaluation, measures: Sequence[Measure]) -> Iterator[str]:
    """Yield the faults of measures over classes, which are made from the rows of all cases."""
    task = trial.task
    if not measures:
        return
    if whole.gathered is None or task.gather is None:
        lacking = "evaluate() returned no rows" if whole.gathered is None else "the task has no gather()"
        yield f"{measures[0]}: {lacking} to make classes from"
        return
    cases = int(whole.gathered.cases.max(initial=-1)) + 1
    items = [f"item {number}" for number in range(cases)]
    rows = name_items(whole.gathered, np.arange(cases), items)
    names, by_measure = task.gather(rows, measures, trial.options)
    for measure in measures:
        expected = (len(names), len(measure.formula.statistics))
        statistics = by_measure.get(measure)
        if statistics is None or statistics.shape != expected:
            yield f"{measure}: gather() returned no statistics of shape {expected}"
            continue
        defined = statistics[~np.isnan(statistics).all(axis=1)]
        if not np.isfinite(defined).all():
            yield f"{measure}: statistics are not finite"
        yield from _values_faults(measure, defined, " of classes")


def _statistics_faults(measure: Measure, statistics: Statistics, cases: int) -> Iterator[str]:
    names = measure.formula.statistics
    expected = (cases, len(names))
    if statistics.shape != expected:
        yield f"{measure}: statistics of shape {statistics.shape}, not {expected}: {', '.join(names)}"
        return
    if not np.isfinite(statistics).all():
        yield f"{measure}: statistics are not finite; they could not be added up"
        return
    yield from _values_faults(measure, statistics, "")
    worst = measure.formula.worst(statistics)
    if worst.shape != statistics.shape or not np.isfinite(worst).all():
        yield f"{measure}: worst() returned statistics of shape {worst.shape} or not finite ones"
        return
    value = measure.formula.finalise(worst)
    if not (np.isnan(value) | np.isclose(value, measure.worst, atol=_ROUNDING)).all():
        yield f"{measure}: worst() is worth {value.tolist()}, and the worst is {measure.worst:g}"
    summed = statistics.sum(axis=0, keepdims=True)
    yield from _values_faults(measure, summed, " of all samples together")
    yield from _values_faults(measure, np.zeros_like(summed), " of nothing")


def _values_faults(measure: Measure, statistics: Statistics, whose: str) -> Iterator[str]:
    values, weights = measure.formula.finalise(statistics), measure.formula.weight(statistics)
    low, high = measure.range
    if values.shape != (len(statistics),) or weights.shape != (len(statistics),):
        yield f"{measure}: a value and a weight for each row are needed"
        return
    defined = values[~np.isnan(values)]
    if ((defined < low - _ROUNDING) | (defined > high + _ROUNDING)).any():
        yield f"{measure}: values{whose} outside of {low:g} to {high:g}: {defined.tolist()}"
    if not ((weights >= 0) & np.isfinite(weights)).all():
        yield f"{measure}: weights{whose} are negative or not finite"


def _tables_faults(task: Task, whole: Evaluation, alone: Sequence[Evaluation]) -> Iterator[str]:
    for table in whole.tables:
        weights = dict.fromkeys(table.classes, 0.0)
        for key, weight in zip(table.classes, table.weights.tolist(), strict=True):
            weights[key] += weight
        parts = (part for evaluation in alone for part in evaluation.tables if part.name == table.name)
        for part in parts:
            for key, weight in zip(part.classes, part.weights.tolist(), strict=True):
                weights[key] = weights.get(key, 0.0) - weight
        if any(abs(rest) > _ROUNDING for rest in weights.values()):
            yield f"class table {table.name}: the tables of single cases do not add up to that of all"
        if task.class_tables and table.name not in task.class_tables:
            yield f"class table {table.name} is not among class_tables"
        if any(len(key) != len(table.columns) for key in table.classes):
            yield f"class table {table.name}: rows and columns {table.columns} differ in number"


def _laws_faults(trial: _Trial) -> Iterator[str]:
    """Yield the declared laws that do not hold for the samples; those that can be tried without music."""
    for measure in trial.measures:
        best = measure.range[1] if measure.direction == "higher" else measure.range[0]
        for number, annotation in enumerate(trial.annotations if "identity" in measure.laws else ()):
            value = _value(trial, measure, (annotation,), annotation)
            if not (np.isnan(value) or abs(value - best) <= _ROUNDING):
                yield f"{measure}: sample {number} scores {value:g} against itself, not {best:g}"
        doubles = "duplicate_annotator" in measure.laws and measure.needs == "references+estimate"
        for reference, estimate in trial.pairs() if doubles else ():
            once = _value(trial, measure, (reference,), estimate)
            twice = _value(trial, measure, (reference, reference), estimate)
            if not (np.isnan(once) and np.isnan(twice)) and not abs(once - twice) <= _ROUNDING:
                yield f"{measure}: {once:g} with an annotator once, {twice:g} with the same one twice"


def _value(trial: _Trial, measure: Measure, references: tuple[Any, ...], estimate: Any) -> float:
    case: Case[Any] = Case(references, estimate)
    if measure.needs == "estimate":
        case = Case((), estimate)
    elif measure.needs == "annotators":
        case = Case(references, None)
    statistics = trial.task.evaluate([case], [measure], trial.options).statistics[measure]
    return float(measure.formula.finalise(statistics)[0])


def _merging_faults(trial: _Trial) -> Iterator[str]:
    """Yield the differences between the merged evidence of two halves of a corpus and that of the whole."""
    items = list(range(len(trial.annotations)))
    try:
        whole = _evidence(trial, items)
        merged = _evidence(trial, items[1::2]).merged(_evidence(trial, items[::2]))
    except KammertonError as error:
        yield f"a corpus of the samples cannot be scored: {error}"
        return
    if _scores(trial, whole) != _scores(trial, merged):
        yield "scores of a corpus differ from those of its two halves merged"
    if whole.fingerprints != merged.fingerprints:
        yield "fingerprints of a corpus differ from those of its two halves"
    for name, tally in whole.tallies.items():
        if not _is_alike(tally, merged.tallies.get(name)):
            yield f"class table {name} of a corpus differs from that of its two halves merged"


def _evidence(trial: _Trial, items: Sequence[int]) -> Evidence:
    """Score samples against others that belong to them, in a corpus where each sample is an item."""
    annotations = trial.annotations
    references, estimates = {}, {}
    for item in items:
        others = (trial.matched(annotations[item], other) for other in reversed(annotations))
        references[f"item {item}"] = ((None, annotations[item]),)
        estimates[f"item {item}"] = ((None, next(other for other in others if other is not None)),)
    corpus = Corpus((Collection("reference", references),), (Collection("system", estimates),))
    # what one half allows, the other may not
    task = replace(trial.task, applicable=None)
    return score_corpus(ScoringJob(task=task, measures=trial.measures, options=trial.options), corpus)


def _scores(trial: _Trial, evidence: Evidence) -> list[dict[str, Any]]:
    origin = Origin(task=trial.task, evidence=evidence, missing="worst", options=trial.options, choices={})
    scores: list[dict[str, Any]] = Scores(origin).to_dict()["scores"]
    return scores


def _is_alike(tally: Tally, merged: Tally | None) -> bool:
    if merged is None or tally.cells.keys() != merged.cells.keys():
        return False
    return all(
        abs(cells.get(key, 0.0) - merged.cells[group].get(key, 0.0)) <= _ROUNDING
        for group, cells in tally.cells.items()
        for key in {*cells, *merged.cells[group]}
    )


class NonconformityError(AssertionError):
    """A task does not keep what it must.

    Attributes
    ----------
    faults : tuple of str
        Everything that is wrong.
    """

    def __init__(self, name: str, faults: Sequence[str]) -> None:
        listed = "".join(f"\n- {fault}" for fault in faults)
        super().__init__(f"task {name!r} has {plural(len(faults), 'fault')}:{listed}")
        self.faults: tuple[str, ...] = tuple(faults)


def check_task(task: Task, *, samples: Sequence[Any], options: object | None = None) -> None:
    """Raise if a task does not keep what the rest of Kammerton relies on.

    Parameters
    ----------
    task : Task
        The record of the task.
    samples : sequence
        Annotations, or paths of files, of at least two different contents; some of them should belong
        together, so that one can be scored against the other. Conversion is tried on files alone.
    options : object, optional
        The task's options; by default its defaults.

    Raises
    ------
    NonconformityError
        An ``AssertionError`` that lists every fault.
    OptionError
        If a sample cannot be read, or there are fewer than two.

    See Also
    --------
    find_faults : The same as a list.

    Notes
    -----
    What is tried:

    - names, cards, ranges, directions, worst values, unique addresses; options described one by one;
    - statistics: as many as the formula names, finite, the same whatever else is computed, and such that
      the evidence of two halves of a corpus merges into that of the whole;
    - values within their range, of single items, of sums, of classes and of nothing; the worst worth what
      it says;
    - the declared laws ``identity`` and ``duplicate_annotator``;
    - ``content`` that tells the samples apart, ``adopt`` that keeps them, no sample changed;
    - ``read`` on garbage of every suffix: no exception, an error that names the file;
    - conversion and packing there and back, views that can be drawn, lint without errors;
    - pickling, by which workers get the task.

    Laws that need to know the music, such as transposition, are for the task's own tests.

    Examples
    --------
    In the tests of a task of your own::

        def test_the_task_conforms():
            check_task(TASK, samples=[*Path("tests/data").glob("*.txt")])

    >>> import numpy as np
    >>> from kammerton import chords
    >>> times = np.array([[0.0, 2.0], [2.0, 4.0]])
    >>> samples = [chords.ChordAnnotation(times, labels) for labels in (("C", "G:7"), ("C", "N"))]
    >>> check_task(chords.TASK, samples=samples)
    """
    faults = find_faults(task, samples=samples, options=options)
    if faults:
        raise NonconformityError(task.name, faults)


def find_faults(task: Task, *, samples: Sequence[Any], options: object | None = None) -> list[str]:
    """Return everything that :func:`check_task` would complain about, each once.

    Parameters
    ----------
    task, samples, options
        As for :func:`check_task`.
    """
    faults = [*_options_faults(task.options), *_record_faults(task)]
    if not faults:  # what follows needs a record that can be worked with
        trial = _read_samples(task, samples, options)
        before = [task.content(annotation) for annotation in trial.annotations]
        faults += _all_faults(trial)
        if [task.content(annotation) for annotation in trial.annotations] != before:
            faults.append("the samples have been changed; annotations are never written to")
    return list(dict.fromkeys(faults))


def _pickling_faults(trial: _Trial) -> Iterator[str]:
    """Yield the reason why workers cannot get the task."""
    try:
        pickle.loads(pickle.dumps(trial.task))  # noqa: S301 - what was pickled a moment ago
    except Exception as error:  # pickle raises whatever it likes
        yield f"workers cannot get the task: lambdas and nested functions have no pickle: {error}"


def _all_faults(trial: _Trial) -> Iterator[str]:
    for find in (
        _pickling_faults,
        _annotations_faults,
        _kernels_faults,
        _laws_faults,
        _merging_faults,
        _reading_faults,
        _conversion_faults,
        _packing_faults,
        _views_faults,
    ):
        try:
            yield from find(trial)
        except Exception as error:  # a task that is not finished raises anything
            name = find.__name__.removeprefix("_").removesuffix("_faults")
            yield f"trying its {name} raises {type(error).__name__}: {error}"
