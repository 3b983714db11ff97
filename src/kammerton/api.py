# SPDX-License-Identifier: MIT
"""What the command line and notebooks call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import partial
from typing import Any

from kammerton.errors import OptionError
from kammerton.formats.collecting import collect, name_of
from kammerton.formats.pairs import read_pairs
from kammerton.model.corpus import ALL, Corpus, Missing, check_names
from kammerton.model.protocol import choose
from kammerton.model.registry import find_task
from kammerton.model.scores import Scores
from kammerton.model.scoring import gather_evidence
from kammerton.model.task import Task

__all__ = ["score"]

_POLICIES = ("worst", "skip", "error")
_NOT_IN_SIGNATURE = ("encoding", "limits")
"""Reading options that decide whether a file can be read, not what is read."""


def score(
    task: str,
    references: Any = None,
    estimates: Any = None,
    *,
    protocols: Iterable[str] | None = None,
    measures: Iterable[str] | None = None,
    annotators: Mapping[str, Any] | None = None,
    annotator: str = ALL,
    pairs: str | os.PathLike[str] | None = None,
    missing: Missing = "worst",
    strict: bool = False,
    options: object | None = None,
) -> Scores:
    """Score one or several systems.

    Parameters
    ----------
    task : str
        ``"chords"``.
    references : path, mapping or annotation
        A folder, in which an item is called by its path without suffix; a single file; a mapping of
        items to paths or annotations (anything with ``intervals`` and ``labels``, or a pair of both);
        or a single annotation.
    estimates : the same, or several of them
        A mapping of names to any of these is one system per name; a list of paths is one system per
        path, called by its last component without suffix.
    protocols : iterable of str, optional
        Protocols to run; by default all that do not run on request only.
    measures : iterable of str, optional
        Measures to compute, as ``protocol/measure`` or by a name that only one has; by default all.
    annotators : mapping of str to the same as ``references``, optional
        Further annotators by name.
    annotator : str
        Score against this annotator only.
    pairs : path, optional
        A CSV file ``item,annotator,reference,SYSTEM,...`` in place of references and estimates.
    missing : {"worst", "skip", "error"}
        What a missing or unusable estimate counts: the worst score, nothing, or an end to the run.
    strict : bool
        End the run before scoring if there is any error or repair.
    options : object, optional
        How files are read; for chords a :class:`kammerton.chords.ChordOptions`.

    Returns
    -------
    Scores

    Raises
    ------
    OptionError
        If a name or combination is not possible.
    DataError
        If nothing can be scored, or ``strict`` or ``missing="error"`` ended the run.

    Examples
    --------
    >>> ref = {"song": ([(0, 2), (2, 4)], ["C", "G:7"])}
    >>> est = {"song": ([(0, 3), (3, 4)], ["C", "G"])}
    >>> score("chords", ref, {"mine": est}, protocols=["mirex2013"]).value("MajMin")
    0.75
    """
    found = find_task(task)
    chosen = choose(found.protocols, protocols, measures)
    if missing not in _POLICIES:
        raise OptionError.unknown("policy for missing estimates", missing, _POLICIES)
    reading = found.options() if options is None else options
    if not isinstance(reading, found.options):
        raise OptionError(f"options must be {found.options.__name__}, got {type(options).__name__}")
    if pairs is not None:
        if references is not None or estimates is not None or annotators:
            raise OptionError("a list of pairs stands in place of references, estimates and annotators")
        corpus = read_pairs(pairs)
    else:
        corpus = _corpus(found, references, estimates, annotators or {})
    evidence = gather_evidence(
        found, corpus, chosen, options=reading, missing=missing, annotator=annotator, strict=strict
    )
    choices = _choices(reading) | ({} if annotator == ALL else {"annotator": annotator})
    return Scores(found, evidence, missing=missing, choices=choices)


def _corpus(task: Task, references: Any, estimates: Any, annotators: Mapping[str, Any]) -> Corpus:
    if estimates is None or (references is None and not annotators):
        raise OptionError("references and estimates are needed", "or a list of pairs")
    collected = partial(collect, suffixes=task.suffixes, identify=task.identify)
    first: list[tuple[str | None, Any]] = [] if references is None else [(None, references)]
    systems = _systems(estimates, references)
    return Corpus(
        tuple(
            collected(source, name=name, default_name="reference")
            for name, source in [*first, *annotators.items()]
        ),
        tuple(collected(source, name=name, default_name="estimate") for name, source in systems),
    )


def _systems(estimates: Any, references: Any) -> list[tuple[str | None, Any]]:
    """Tell several systems from one.

    A mapping of items and a mapping of systems look alike if the values are paths: then it is items
    if it shares a key with references that are a mapping too.
    """
    if isinstance(estimates, list | tuple) and estimates and all(_is_path(each) for each in estimates):
        names = [name_of(each) for each in estimates]
        check_names("system", names)
        return list(zip(names, estimates, strict=True))
    if not isinstance(estimates, Mapping):
        return [(None, estimates)]
    shares_items = isinstance(references, Mapping) and not references.keys().isdisjoint(estimates)
    whole = all(_is_path(value) or isinstance(value, Mapping) for value in estimates.values())
    return list(estimates.items()) if whole and not shares_items else [(None, estimates)]


def _is_path(value: object) -> bool:
    return isinstance(value, str | os.PathLike)


def _choices(options: Any) -> dict[str, str]:
    """Return the reading options that differ from their defaults, for the signature."""
    default = type(options)()
    changed = {}
    for field in fields(options):
        value = getattr(options, field.name)
        if field.name in _NOT_IN_SIGNATURE or value == getattr(default, field.name):
            continue
        shown = ",".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, Mapping) else str(value)
        changed[field.name] = "yes" if value is True else shown
    return changed
