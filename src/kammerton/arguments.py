# SPDX-License-Identifier: MIT
"""What callers hand over: options, collections of annotations, splits."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from kammerton.errors import OptionError, quote
from kammerton.formats.collecting import collect, name_of
from kammerton.formats.folders import normal_form
from kammerton.formats.options import SIDES, SidedOptions
from kammerton.formats.packs import is_pack, read_packed_pairs
from kammerton.formats.pairs import read_pairs
from kammerton.model.corpus import ALL, Collection, Corpus, check_names
from kammerton.model.loading import choose_estimates
from kammerton.model.measure import Measure
from kammerton.model.splits import choose_split
from kammerton.model.task import Task

__all__ = ["check_system", "corpus_of", "measures_alone", "options_of", "split_of"]


def split_of(
    corpus: Corpus, splits: Mapping[str, str] | str | os.PathLike[str] | None, split: str | None
) -> tuple[Corpus, dict[str, str]]:
    """Return the items of a split, and what the signature says of it."""
    if splits is None:
        if split is not None:
            raise OptionError("which items are in a split?", "say it: --splits FILE")
        return corpus, {}
    from kammerton.formats.splits import read_splits, split_name  # noqa: PLC0415 - most runs have none

    if not isinstance(splits, Mapping) and not _is_path(splits):
        raise OptionError.of_type("splits", splits, "a mapping or a path")
    if isinstance(splits, Mapping):
        known = {str(item): split_name(name) for item, name in splits.items()}
    else:
        known = read_splits(splits)
    chosen = None if split is None else split_name(split)
    known = {normal_form(item): name for item, name in known.items()}
    return choose_split(corpus, known, chosen), {} if chosen is None else {"split": chosen}


def options_of(task: Task, options: object | None) -> Any:
    """Return the options of a caller, or the defaults.

    Raises
    ------
    OptionError
        If they are those of another task.
    """
    chosen = task.options() if options is None else options
    if not isinstance(chosen, task.options):
        raise OptionError(f"options must be {task.options.__name__}, got {type(options).__name__}")
    return chosen


def measures_alone(
    task: Task, measures: Sequence[Measure], annotator: str = ALL, *, context: bool = False
) -> tuple[Measure, ...]:
    """Return the measures that are told of estimates without references: some have values, the others none.

    Raises
    ------
    OptionError
        If all of them need references, or something else that was asked for does.
    """
    if annotator != ALL:
        raise OptionError("without references there is no annotator to choose")
    if context:
        raise OptionError("context is made from references, and there are none")
    if not any(measure.needs == "estimate" for measure in measures):
        known = [str(measure) for measure in task.measures if measure.needs == "estimate"]
        if known:
            raise OptionError("all of these measures need references", f"these need none: {', '.join(known)}")
        message = f"references and estimates are needed: no measure of {task.name} does without references"
        raise OptionError(message, "name the folder or file of the references too")
    return tuple(measure for measure in measures if measure.aggregate != "gathered")


def corpus_of(
    task: Task,
    references: Any,
    estimates: Any,
    annotators: Mapping[str, Any],
    pairs: Any,
    options: object,
    estimate_annotator: str | int | None = None,
    *,
    alone: bool = False,
) -> Corpus:
    """Return what references and estimates, or a list of pairs, name.

    ``alone`` says that there may be estimates only.

    Raises
    ------
    OptionError
        If a path does not exist, a type is wrong, or two have the same name.
    """
    if not isinstance(estimate_annotator, str | int | None) or isinstance(estimate_annotator, bool):
        raise OptionError.of_type("estimate_annotator", estimate_annotator, "a str or an int")
    given = _corpus(task, references, estimates, annotators, pairs, options, alone=alone)
    corpus = read_as_said(given, options)
    if estimate_annotator is None:
        return corpus
    chosen = str(estimate_annotator)
    systems = tuple(choose_estimates(task, system, chosen, options) for system in corpus.systems)
    return replace(corpus, systems=systems)


def _corpus(
    task: Task,
    references: Any,
    estimates: Any,
    annotators: Mapping[str, Any],
    pairs: Any,
    options: object,
    *,
    alone: bool,
) -> Corpus:
    if pairs is None:
        return _collected(task, references, estimates, annotators, options, alone=alone)
    if references is not None or estimates is not None or annotators:
        raise OptionError("a list of pairs stands in place of references, estimates and annotators")
    if not _is_path(pairs):
        raise OptionError.of_type("pairs", pairs, "a path")
    if is_pack(pairs):
        return read_packed_pairs(pairs, task=task, options=options)
    return read_pairs(pairs)


def _collected(
    task: Task,
    references: Any,
    estimates: Any,
    annotators: Mapping[str, Any],
    options: object,
    *,
    alone: bool,
) -> Corpus:
    if not isinstance(annotators, Mapping):
        raise OptionError.of_type("annotators", annotators, "a mapping of names to references")
    if estimates is None or (references is None and not annotators and not alone):
        raise OptionError("references and estimates are needed", "or a list of pairs")
    for kind, given in (("reference", references), ("estimate", estimates)):
        if isinstance(given, Mapping | list | tuple) and not given:
            raise OptionError(f"there is no {kind}", "a path, an annotation, or a mapping that is not empty")
    first: list[tuple[str | None, Any]] = [] if references is None else [(None, references)]
    is_annotation = partial(_can_be_adopted, task, options) if references is None else None
    systems = _systems(estimates, references, is_annotation)
    return Corpus(
        tuple(
            collected(source, name, "reference", task, options)
            for name, source in [*first, *annotators.items()]
        ),
        tuple(collected(source, name, "estimate", task, options) for name, source in systems),
    )


def collected(
    source: Any, name: str | None, role: Literal["reference", "estimate"], task: Task, options: object
) -> Collection:
    """Return the items of a source, which are looked through by the options of its side."""
    called = name or (name_of(source) if _is_path(source) else role)
    if isinstance(options, SidedOptions):
        options = options.of(f"{role}s", called)
    return collect(source, name=name, default_name=role, task=task, options=options)


def read_as_said(corpus: Corpus, options: object) -> Corpus:
    """Return a corpus of which each collection is read by the options of its side and name.

    Raises
    ------
    OptionError
        If options are said of a side or a name that is not there.
    """
    if not isinstance(options, SidedOptions) or not options.sides:
        return corpus
    every = (*corpus.references, *corpus.systems)
    known = {collection.name for collection in every} | {*SIDES[: 2 if corpus.systems else 1]}
    for side in options.sides:
        if side not in known:
            raise OptionError.unknown("side, annotator or system", side, known)
    return Corpus(
        tuple(replace(each, options=options.of("references", each.name)) for each in corpus.references),
        tuple(replace(each, options=options.of("estimates", each.name)) for each in corpus.systems),
    )


def without_sides(options: Any) -> Any:
    """Return options, of which none may be of one side alone, where there are no sides."""
    if isinstance(options, SidedOptions) and options.sides:
        (side, *_) = options.sides
        raise OptionError(f"there is no side {quote(side)} here: files are read alike", "say the value alone")
    return options


def check_system(name: str | None, estimates: Any, references: Any) -> None:
    """Refuse before any work a name that no system has, as far as estimates tell the names.

    Raises
    ------
    OptionError
        If no system is called so.
    """
    systems = [] if estimates is None else [system for system, _ in _systems(estimates, references)]
    known = [system for system in systems if system is not None]
    if name is not None and known and name not in known:
        raise OptionError.unknown("system", name, known)


def _can_be_adopted(task: Task, options: object, value: object) -> bool:
    return bool(task.adopt(value, "", options).annotations)


def _systems(
    estimates: Any, references: Any, is_annotation: Callable[[object], bool] | None = None
) -> list[tuple[str | None, Any]]:
    """Tell several systems from one.

    A mapping of items and a mapping of systems look alike if the values are paths: then it is items
    if it shares a key with references that are a mapping too. They do, too, if the values are mappings: those
    may be annotations.
    """
    if isinstance(estimates, list | tuple) and all(_is_path(each) for each in estimates):
        names = [name_of(each) for each in estimates]
        check_names("system", names)
        return list(zip(names, estimates, strict=True))
    if not isinstance(estimates, Mapping):
        return [(None, estimates)]
    shares_items = isinstance(references, Mapping) and not references.keys().isdisjoint(estimates)
    whole = all(_is_path(value) or isinstance(value, Mapping) for value in estimates.values())
    mappings = (value for value in estimates.values() if isinstance(value, Mapping))
    if shares_items or not whole or (is_annotation is not None and any(map(is_annotation, mappings))):
        return [(None, estimates)]
    check_names("system", map(str, estimates))
    return [(str(name), source) for name, source in estimates.items()]


def _is_path(value: object) -> bool:
    return isinstance(value, str | os.PathLike)
