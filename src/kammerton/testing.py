# SPDX-License-Identifier: MIT
"""Faults of what a task says of itself: names, cards, ranges, options."""

from __future__ import annotations

import inspect
import os
import pickle
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from kammerton.errors import DataError, Diagnostic, KammertonError, OptionError, plural
from kammerton.formats.packs import new_pack, open_pack
from kammerton.model.corpus import Collection, Corpus
from kammerton.model.evidence import Evidence, Tally
from kammerton.model.measure import Aggregate, Law, Measure, Needs, Protocol, Statistics, name_items
from kammerton.model.task import Case, Conversion, Evaluation, Reading, Task
from kammerton.model.views import ItemView
from kammerton.reporting.timeline import NARROWEST, render_item
from kammerton.results.scores import Scores
from kammerton.results.signature import Origin
from kammerton.scoring.loading import ScoringJob
from kammerton.scoring.running import score_corpus

__all__ = [
    "NonconformityError",
    "Specimens",
    "check_task",
    "faults_of_annotations",
    "faults_of_conversion",
    "faults_of_kernels",
    "faults_of_laws",
    "faults_of_merging",
    "faults_of_options",
    "faults_of_packing",
    "faults_of_reading",
    "faults_of_record",
    "faults_of_views",
    "find_faults",
    "gather",
]

_TASK = re.compile(r"[a-z][a-z0-9_]*")
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?")
_MEASURE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.@-]*[A-Za-z0-9])?")
_SUFFIX = re.compile(r"(?:\.[a-z0-9_+-]+)+")


def faults_of_record(task: Task) -> Iterator[str]:
    """Give the faults of names, protocols and measures."""
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
    yield from _twice("protocol", [protocol.name for protocol in task.protocols])
    yield from _twice("measure", [str(measure) for measure in task.measures])
    for protocol in task.protocols:
        yield from _faults_of_protocol(protocol)
    item = task.identify("folder/name")
    if not (isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str) and item[0]):
        yield f"identify('folder/name') returned {item!r}, not an item and an annotator or None"


def _twice(kind: str, names: list[str]) -> Iterator[str]:
    for name, count in Counter(names).items():
        if count > 1:
            yield f"{count} {kind}s are called {name}"


def _faults_of_protocol(protocol: Protocol) -> Iterator[str]:
    who = f"protocol {protocol.name}"
    if not _NAME.fullmatch(protocol.name):
        yield f"{who}: a name has letters, digits, `_`, `.` and `-`"
    if protocol.revision < 1:
        yield f"{who}: revisions count from 1"
    for field in ("summary", "rules"):
        if not getattr(protocol, field).strip():
            yield f"{who} has no {field}"
    if not protocol.measures:
        yield f"{who} has no measures"
    elif not any(measure.headline for measure in protocol.measures):
        yield f"{who} has no headline measure: tables would not show it"
    for measure in protocol.measures:
        if measure.protocol != protocol.name:
            yield f"measure {measure} is listed in {who}"
        yield from _faults_of_measure(measure)


def _faults_of_measure(measure: Measure) -> Iterator[str]:
    if not _MEASURE.fullmatch(measure.name):
        yield f"measure {measure}: a name has letters, digits, `_`, `.`, `-` and `@`"
    untold = [field.name for field in fields(measure.card) if not getattr(measure.card, field.name).strip()]
    yield from (f"the card of {measure} has no {name}" for name in untold)
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
    yield from _twice(f"aggregate of {measure}", list(measure.aggregates))
    for kind, values, known in (
        ("direction", (measure.direction,), ("higher", "lower")),
        ("need", (measure.needs,), get_args(Needs)),
        ("aggregate", measure.aggregates, get_args(Aggregate)),
        ("law", sorted(measure.laws), get_args(Law)),
    ):
        for value in values:
            if value not in known:
                yield f"{measure} has a {kind} {value!r}, which there is not: {', '.join(known)}"


def faults_of_options(options: type[Any]) -> Iterator[str]:
    """Give the faults of the record of options: each becomes an option of the command line."""
    if not is_dataclass(options):
        yield "options are no dataclass"
        return
    if not options.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        yield f"{options.__name__} is not frozen"
    try:
        options()
    except Exception as error:  # whatever the constructor raises
        yield f"{options.__name__}() fails: options need defaults ({error})"
    told = _documented(options)
    for field in fields(options):
        if not told.get(field.name):
            yield f"option {field.name} is not described in the docstring of {options.__name__}"


def _documented(options: type) -> dict[str, str]:
    """Return what the docstrings of a class and of those it extends say about each field."""
    told: dict[str, str] = {}
    for each in reversed(options.__mro__):
        text = inspect.cleandoc(each.__dict__.get("__doc__") or "")
        section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+$|\Z)", text, re.MULTILINE | re.DOTALL)
        for found in re.finditer(
            r"^(\w[\w, ]*) : [^\n]*\n((?:[ \t]+\S[^\n]*\n?)*)", section[1] if section else "", re.MULTILINE
        ):
            told |= dict.fromkeys((name.strip() for name in found[1].split(",")), found[2].strip())
    return told


@dataclass(frozen=True, slots=True, eq=False)
class Specimens:
    """A task, and what it is tried on.

    Parameters
    ----------
    task : Task
        What is tried.
    options : object
        Its options.
    annotations : tuple
        Annotations, each different from the others.
    files : tuple of Path
        Those files among the samples.
    """

    task: Task
    options: Any
    annotations: tuple[Any, ...]
    files: tuple[Path, ...]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that have figures for the annotations."""
        if self.task.applicable is None or self.task.survey is None:
            return self.task.measures
        counts = self.task.survey(self.annotations, self.annotations, self.options)
        return self.task.applicable(counts, self.task.measures, self.options)[0]

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Give every two annotations that belong together, reference first; each with itself, too."""
        for reference in self.annotations:
            for other in self.annotations:
                matched = self.matched(reference, other)
                if matched is not None:
                    yield reference, matched

    def matched(self, reference: Any, other: Any) -> Any | None:
        """Return another annotation on what the reference is made of, or None if it does not belong to it."""
        if self.task.match is None or other is reference:
            return other
        return self.task.match(reference, other, self.options)[0]

    def cases(self, needs: str) -> list[Case[Any]]:
        """Return cases of what measures need: of all pairs, and of estimates that say nothing."""
        pairs = [*self.pairs(), *((each, self.task.blank(each)) for each in self.annotations)]
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
        found = (self.matched(reference, other) for other in self.annotations if other is not reference)
        return [next((other for other in found if other is not None), reference)]


def gather(task: Task, samples: Sequence[Any], options: Any | None) -> Specimens:
    """Read those samples that are files.

    Raises
    ------
    OptionError
        If one of them cannot be read, or there are fewer than two annotations.
    """
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
    return Specimens(task, chosen, tuple(annotations), tuple(files))


_CODE = re.compile(r"[A-Z]{2,8}[0-9]{3,5}")


def _garbage() -> dict[str, bytes]:
    """Return contents that no reader expects, by what they are."""
    dice = random.Random("garbage")  # noqa: S311 - the same every time
    return {
        "empty": b"",
        "blank": b" \n\t\n\n",
        "zeros": bytes(64),
        "bytes": bytes(dice.randrange(256) for _ in range(512)),
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


def faults_of_reading(specimens: Specimens) -> Iterator[str]:
    """Give what reading does with what is no annotation: it never raises, and always says what is wrong."""
    task = specimens.task
    with tempfile.TemporaryDirectory() as folder:
        for suffix in sorted(task.suffixes):
            for what, content in _garbage().items():
                path = Path(folder, f"a{suffix}")
                path.write_bytes(content)
                yield from _tried(specimens, path, f"{what}{suffix}", f"a file {suffix} ({what})")
            yield from _tried(
                specimens, Path(folder, f"none{suffix}"), "none", f"a path {suffix} without a file"
            )
        yield from _tried(specimens, Path(folder), "folder", "a folder")


def _tried(specimens: Specimens, path: Path, name: str, what: str) -> Iterator[str]:
    try:
        reading = specimens.task.read(path, name, specimens.options)
    except Exception as error:  # whatever a reader raises is the fault that is looked for
        yield f"reading {what} raises {type(error).__name__}: {error}"
        return
    yield from _faults_of(reading, name, what)


def _faults_of(reading: Reading[Any], name: str | None, what: str) -> Iterator[str]:
    if not reading.annotations and not any(each.severity == "error" for each in reading.diagnostics):
        yield f"reading {what} gives neither an annotation nor an error"
    for each in reading.diagnostics:
        yield from _faults_of_diagnostic(each, name, what)


def _faults_of_diagnostic(found: Diagnostic, name: str | None, what: str) -> Iterator[str]:
    if name is not None and found.file != name:
        yield f"reading {what}: {found.code} names the file {found.file!r}, which is called {name!r}"
    if not _CODE.fullmatch(found.code):
        yield f"reading {what}: {found.code!r} is no code"
    if not found.message or not found.message.isprintable():
        yield f"reading {what}: the message of {found.code} is not one printable line: {found.message!r}"


def faults_of_annotations(specimens: Specimens) -> Iterator[str]:
    """Give the faults of content, extent, adoption, matching, and of estimates that say nothing."""
    task = specimens.task
    contents = [task.content(each) for each in specimens.annotations]
    if not all(isinstance(content, bytes) for content in contents):
        yield "content() returns no bytes"
        return
    if contents != [task.content(each) for each in specimens.annotations]:
        yield "content() of one annotation changes from call to call"
    for second, content in enumerate(contents):
        first = contents.index(content)
        if first < second:
            yield f"samples {first} and {second} have the same content: it must tell annotations apart"
    for number, each in enumerate(specimens.annotations):
        yield from _faults_of_annotation(specimens, number, each)
    try:
        refused = task.adopt(object(), "object", specimens.options)
    except Exception as error:  # whatever it raises
        yield f"adopt() of an object that is no annotation raises {type(error).__name__}: {error}"
    else:
        yield from _faults_of(refused, None, "an object that is no annotation")


def _faults_of_annotation(specimens: Specimens, number: int, annotation: Any) -> Iterator[str]:
    task, options = specimens.task, specimens.options
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
    if [task.content(found) for _, found in adopted.annotations] != [task.content(annotation)]:
        yield f"adopt() does not return sample {number} as it is"


def faults_of_conversion(specimens: Specimens) -> Iterator[str]:
    """Give what does not come back from the formats that a task writes; needs samples that are files."""
    conversion = specimens.task.conversion
    if conversion is None:
        return
    for form in sorted(conversion.joint.difference(conversion.forms)):
        yield f"format {form} holds several annotators, and is not written"
    for form, suffix in conversion.forms.items():
        if suffix not in specimens.task.suffixes:
            yield f"format {form} is written to files {suffix}, which the task does not read"
    for path in specimens.files:
        tracks = [track for _, track in conversion.load(path, os.fspath(path), specimens.options).annotations]
        for form in conversion.forms:
            groups = [tracks] if form in conversion.joint else [[track] for track in tracks]
            for group in groups:
                yield from _there_and_back(specimens, conversion, group, form, path.name)


def _there_and_back(
    specimens: Specimens, conversion: Conversion, tracks: Sequence[Any], form: str, what: str
) -> Iterator[str]:
    """Write and read; what was written once must come back, and be written the same again."""
    try:
        text = conversion.render(tracks, form)
    except DataError:  # the format cannot hold it, and says so
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a{conversion.forms[form]}")
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        back = conversion.load(path, "a", specimens.options)
        again = specimens.task.read(path, "a", specimens.options)
    if len(back.annotations) != len(tracks):
        yield f"{what} as {form}: {len(tracks)} annotations written, {len(back.annotations)} read"
    elif conversion.render([track for _, track in back.annotations], form) != text:
        yield f"{what} as {form}: what is read back is written otherwise"
    elif len(again.annotations) != len(tracks):
        yield f"{what} as {form}: what is written is not read as an annotation"


def faults_of_views(specimens: Specimens) -> Iterator[str]:
    """Give the faults of the view of an item, and of what is odd about annotations."""
    task = specimens.task
    for number, each in enumerate(specimens.annotations):
        for found in () if task.lint is None else task.lint(each, specimens.options):
            if found.severity == "error" or found.file is not None:
                yield f"lint() of sample {number}: {found.code} is an error, or names a file"
        if task.view is None:
            continue
        estimates = {"same": each, "blank": task.blank(each), "gone": "no estimate"}
        view = task.view("item", "me", {"me": each}, estimates, None, specimens.options)
        yield from _faults_of_view(view, ["me", *estimates], number)


def _faults_of_view(view: ItemView, names: Sequence[str], number: int) -> Iterator[str]:
    told = [track.name for track in view.tracks]
    if told != list(names):
        yield f"the view of sample {number} has the tracks {told}, not {names}"
    if [track.name for track in view.tracks if track.note] != ["gone"]:
        yield f"the view of sample {number} does not say why an estimate is not there"
    for width in (NARROWEST, 80):
        text = render_item(view, width=width)
        if max(map(len, text.splitlines())) > width:
            yield f"the view of sample {number} does not fit {width} columns"


def faults_of_packing(specimens: Specimens) -> Iterator[str]:
    """Give what does not come back from columns, or comes back although it is impossible."""
    task = specimens.task
    packing = task.packing
    if packing is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "samples.parquet")
        with new_pack(path, task, specimens.options) as writer:
            writer.begin(Collection("samples", {}))
            for number, each in enumerate(specimens.annotations):
                writer.add(f"{number}", None, None, Reading(((None, each),)))
        stored = [sources[0][1].read() for sources in open_pack(path, task).sources(0).values()]
    for number, (each, reading) in enumerate(zip(specimens.annotations, stored, strict=True)):
        if packing.rows(each) < 0:
            yield f"sample {number} is packed with {packing.rows(each)} rows"
        contents = [task.content(found) for _, found in reading.annotations]
        if contents != [task.content(each)]:
            yield f"sample {number} does not come back from a pack as it is"
        elif _said_of(specimens, reading.annotations[0][1]) != _said_of(specimens, each):
            yield f"lint() says something else of sample {number} once it was packed"


def _said_of(specimens: Specimens, annotation: Any) -> tuple[Diagnostic, ...]:
    lint = specimens.task.lint
    return () if lint is None else lint(annotation, specimens.options)


_ROUNDING = 1e-9


def faults_of_kernels(specimens: Specimens) -> Iterator[str]:
    """Give the faults of statistics and of what formulas make of them."""
    task = specimens.task
    for needs in dict.fromkeys(measure.needs for measure in specimens.measures):
        measures = [measure for measure in specimens.measures if measure.needs == needs]
        by_case = [measure for measure in measures if measure.aggregate != "gathered"]
        cases = specimens.cases(needs)
        whole = task.evaluate(cases, measures, specimens.options)
        yield from _faults_of_keys(whole, by_case)
        for measure in by_case:
            found = whole.statistics.get(measure)
            if found is not None:
                yield from _faults_of_statistics(measure, found, len(cases))
        alone = [task.evaluate([case], measures, specimens.options) for case in cases]
        for measure in by_case:
            rows = np.concatenate([each.statistics[measure] for each in alone])
            if not np.array_equal(rows, whole.statistics[measure], equal_nan=True):
                yield f"{measure}: the statistics of a case depend on the cases beside it"
        yield from _faults_of_tables(whole, alone)
        for measure in by_case:  # every measure can be had without the others
            single = task.evaluate(cases, [measure], specimens.options).statistics
            if not np.array_equal(single[measure], whole.statistics[measure], equal_nan=True):
                yield f"{measure}: the statistics depend on what else is measured"
        yield from _faults_of_classes(specimens, whole, [each for each in measures if each not in by_case])


def _faults_of_classes(specimens: Specimens, whole: Evaluation, measures: Sequence[Measure]) -> Iterator[str]:
    """Give the faults of measures over classes, which are made from the rows of all cases."""
    task = specimens.task
    if not measures:
        return
    if whole.gathered is None or task.gather is None:
        lacking = "evaluate() returned no rows" if whole.gathered is None else "the task has no gather()"
        yield f"{measures[0]}: {lacking} to make classes from"
        return
    cases = int(whole.gathered.cases.max(initial=-1)) + 1
    items = [f"item {number}" for number in range(cases)]
    rows = name_items(whole.gathered, np.arange(cases), items)
    names, found = task.gather(rows, measures, specimens.options)
    for measure in measures:
        expected = (len(names), len(measure.formula.statistics))
        if measure not in found or found[measure].shape != expected:
            yield f"{measure}: gather() returned no statistics of shape {expected}"
            continue
        own = found[measure][~np.isnan(found[measure]).all(axis=1)]
        if not np.isfinite(own).all():
            yield f"{measure}: statistics are not finite"
        yield from _faults_of_values(measure, own, " of classes")


def _faults_of_keys(evaluation: Evaluation, measures: Sequence[Measure]) -> Iterator[str]:
    for measure in measures:
        if measure not in evaluation.statistics:
            yield f"{measure}: evaluate() returned no statistics"


def _faults_of_statistics(measure: Measure, found: Statistics, cases: int) -> Iterator[str]:
    names = measure.formula.statistics
    if found.shape != (cases, len(names)):
        yield f"{measure}: statistics of shape {found.shape}, not {(cases, len(names))}: {', '.join(names)}"
        return
    if not np.isfinite(found).all():
        yield f"{measure}: statistics are not finite; they could not be added up"
        return
    yield from _faults_of_values(measure, found, "")
    worst = measure.formula.worst(found)
    if worst.shape != found.shape or not np.isfinite(worst).all():
        yield f"{measure}: worst() returned statistics of shape {worst.shape} or not finite ones"
        return
    value = measure.formula.finalise(worst)
    if not (np.isnan(value) | np.isclose(value, measure.worst, atol=_ROUNDING)).all():
        yield f"{measure}: worst() is worth {value.tolist()}, and the worst is {measure.worst:g}"
    summed = found.sum(axis=0, keepdims=True)
    yield from _faults_of_values(measure, summed, " of all samples together")
    yield from _faults_of_values(measure, np.zeros_like(summed), " of nothing")


def _faults_of_values(measure: Measure, found: Statistics, whose: str) -> Iterator[str]:
    values, weights = measure.formula.finalise(found), measure.formula.weight(found)
    low, high = measure.range
    if values.shape != (len(found),) or weights.shape != (len(found),):
        yield f"{measure}: a value and a weight for each row are needed"
        return
    defined = values[~np.isnan(values)]
    if ((defined < low - _ROUNDING) | (defined > high + _ROUNDING)).any():
        yield f"{measure}: values{whose} outside of {low:g} to {high:g}: {defined.tolist()}"
    if not ((weights >= 0) & np.isfinite(weights)).all():
        yield f"{measure}: weights{whose} are negative or not finite"


def _faults_of_tables(whole: Evaluation, alone: Sequence[Evaluation]) -> Iterator[str]:
    for table in whole.tables:
        weights = dict.fromkeys(table.classes, 0.0)
        for key, weight in zip(table.classes, table.weights.tolist(), strict=True):
            weights[key] += weight
        for each in (found for one in alone for found in one.tables if found.name == table.name):
            for key, weight in zip(each.classes, each.weights.tolist(), strict=True):
                weights[key] = weights.get(key, 0.0) - weight
        if any(abs(rest) > _ROUNDING for rest in weights.values()):
            yield f"class table {table.name}: the tables of single cases do not add up to that of all"
        if any(len(key) != len(table.columns) for key in table.classes):
            yield f"class table {table.name}: rows and columns {table.columns} differ in number"


def faults_of_laws(specimens: Specimens) -> Iterator[str]:
    """Give the declared laws that do not hold for the samples; those that can be tried without music."""
    for measure in specimens.measures:
        if "identity" in measure.laws:
            yield from _unlike_itself(specimens, measure)
        if "duplicate_annotator" in measure.laws and measure.needs == "references+estimate":
            yield from _unlike_doubled(specimens, measure)


def _unlike_itself(specimens: Specimens, measure: Measure) -> Iterator[str]:
    best = measure.range[1] if measure.direction == "higher" else measure.range[0]
    for number, each in enumerate(specimens.annotations):
        value = _value(specimens, measure, (each,), each)
        if not (np.isnan(value) or abs(value - best) <= _ROUNDING):
            yield f"{measure}: sample {number} scores {value:g} against itself, not {best:g}"


def _unlike_doubled(specimens: Specimens, measure: Measure) -> Iterator[str]:
    for reference, estimate in specimens.pairs():
        once = _value(specimens, measure, (reference,), estimate)
        twice = _value(specimens, measure, (reference, reference), estimate)
        if not (np.isnan(once) and np.isnan(twice)) and not abs(once - twice) <= _ROUNDING:
            yield f"{measure}: {once:g} with an annotator once, {twice:g} with the same one twice"


def _value(specimens: Specimens, measure: Measure, references: tuple[Any, ...], estimate: Any) -> float:
    case: Case[Any] = Case(references, estimate)
    if measure.needs == "estimate":
        case = Case((), estimate)
    elif measure.needs == "annotators":
        case = Case(references, None)
    found = specimens.task.evaluate([case], [measure], specimens.options).statistics[measure]
    return float(measure.formula.finalise(found)[0])


def faults_of_merging(specimens: Specimens) -> Iterator[str]:
    """Give what the merged evidence of two halves of a corpus has otherwise than that of the whole."""
    items = list(range(len(specimens.annotations)))
    try:
        whole = _evidence(specimens, items)
        merged = _evidence(specimens, items[1::2]).merged(_evidence(specimens, items[::2]))
    except KammertonError as error:
        yield f"a corpus of the samples cannot be scored: {error}"
        return
    if _figures(specimens, whole) != _figures(specimens, merged):
        yield "figures of a corpus differ from those of its two halves merged"
    if whole.fingerprints != merged.fingerprints:
        yield "fingerprints of a corpus differ from those of its two halves"
    for name, tally in whole.tallies.items():
        if not _equal(tally, merged.tallies.get(name)):
            yield f"class table {name} of a corpus differs from that of its two halves merged"


def _evidence(specimens: Specimens, items: Sequence[int]) -> Evidence:
    """Score samples against others that belong to them, in a corpus where each is an item."""
    annotations = specimens.annotations
    references, estimates = {}, {}
    for item in items:
        others = (specimens.matched(annotations[item], each) for each in reversed(annotations))
        references[f"item {item}"] = ((None, annotations[item]),)
        estimates[f"item {item}"] = ((None, next(each for each in others if each is not None)),)
    corpus = Corpus((Collection("reference", references),), (Collection("system", estimates),))
    # what one half allows, the other may not
    task = replace(specimens.task, applicable=None)
    return score_corpus(ScoringJob(task=task, measures=specimens.measures, options=specimens.options), corpus)


def _figures(specimens: Specimens, evidence: Evidence) -> list[dict[str, Any]]:
    scores = Scores(
        Origin(task=specimens.task, evidence=evidence, missing="worst", options=specimens.options, choices={})
    )
    found: list[dict[str, Any]] = scores.to_dict()["scores"]
    return found


def _equal(one: Tally, other: Tally | None) -> bool:
    if other is None or one.cells.keys() != other.cells.keys():
        return False
    return all(_close(cells, other.cells[key]) for key, cells in one.cells.items())


def _close(one: Mapping[Any, float], other: Mapping[Any, float]) -> bool:
    return all(abs(one.get(key, 0.0) - other.get(key, 0.0)) <= _ROUNDING for key in {*one, *other})


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
    faults = [*faults_of_options(task.options), *faults_of_record(task)]
    if not faults:  # what follows needs a record that can be worked with
        specimens = gather(task, samples, options)
        before = [task.content(each) for each in specimens.annotations]
        faults += _faults_of_work(specimens)
        if [task.content(each) for each in specimens.annotations] != before:
            faults.append("the samples have been changed; annotations are never written to")
    return list(dict.fromkeys(faults))


def _faults_of_pickling(specimens: Specimens) -> Iterator[str]:
    """Give what keeps workers from getting the task."""
    try:
        pickle.loads(pickle.dumps(specimens.task))  # noqa: S301 - what was pickled a moment ago
    except Exception as error:  # pickle raises whatever it likes
        yield f"workers cannot get the task: lambdas and nested functions have no pickle: {error}"


def _faults_of_work(specimens: Specimens) -> Iterator[str]:
    for faults_of in (
        _faults_of_pickling,
        faults_of_annotations,
        faults_of_kernels,
        faults_of_laws,
        faults_of_merging,
        faults_of_reading,
        faults_of_conversion,
        faults_of_packing,
        faults_of_views,
    ):
        try:
            yield from faults_of(specimens)
        except Exception as error:  # a task that is not finished raises anything
            name = faults_of.__name__.removeprefix("_").removeprefix("faults_of_")
            yield f"trying its {name} raises {type(error).__name__}: {error}"
