# SPDX-License-Identifier: MIT
"""What a system is: the record that baselines, fusion and systems of third parties share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from kammerton.errors import Diagnostic, OptionError, quote
from kammerton.model.views import Table

SUFFIXES: Mapping[str, tuple[str, ...]] = {
    "audio": (".wav", ".flac", ".ogg", ".mp3", ".aif", ".aiff", ".m4a"),
    "score": (".mid", ".midi", ".musicxml", ".xml", ".mxl"),
    "sheet": (".txt", ".cho", ".chordpro", ".crd", ".pro"),
}
"""Suffixes of each kind of files that a system may take."""
TAKES = (*SUFFIXES, "notes", "annotations")
"""Everything that a system may take; notes and annotations are read as the task reads them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemCard:
    """What a reader must know of a system; shown by ``kammerton systems NAME``.

    Parameters
    ----------
    summary : str
        One sentence.
    source : str
        Paper with its DOI, or program.
    licence : str
        Licence of the code.
    trained_on : str
        Data that it learned from, with their licence.
    levels : tuple of str
        Scores that it reaches, each with data set, protocol and confidence interval.
    limits : str
        What it cannot do.
    cost : str
        Time and memory that it takes.
    """

    summary: str
    source: str = ""
    licence: str = ""
    trained_on: str = "nothing"
    levels: tuple[str, ...] = ()
    limits: str = ""
    cost: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Input:
    """What a system is given of one item.

    Parameters
    ----------
    item : str
        Name of the item.
    annotations : mapping of str to annotation
        By annotator, if the system takes annotations or notes.
    files : mapping of str to Path
        By kind, if it takes files: ``files["audio"]``. Of notes in a score, ``files["score"]``.
    """

    item: str
    annotations: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict)


class TrainingItems(dict[str, Sequence[Any]]):
    """The annotations that a system learns from, a sequence by item.

    Attributes
    ----------
    validation : mapping of str to sequence
        Those by which it may tell when it has learned enough, of the split ``validation``; mostly none.
    report : callable
        ``report(text)`` shows how far it is.
    facts : dict of str to object
        What is to be known of the model beside its arrays, as JSON has it; the system fills it. Items that it
        names as ``validation`` count as learned from.
    files : mapping of str to mapping of str to Path
        Files of each item by kind, if the system takes any: ``files[item]["audio"]``.
    diagnostics : list of Diagnostic
        What is wrong with items that were left out.
    """

    def __init__(
        self,
        items: Mapping[str, Sequence[Any]],
        *,
        validation: Mapping[str, Sequence[Any]] | None = None,
        report: Callable[[str], None] | None = None,
        files: Mapping[str, Mapping[str, Path]] | None = None,
    ) -> None:
        super().__init__(items)
        self.files: Mapping[str, Mapping[str, Path]] = files or {}
        self.diagnostics: list[Diagnostic] = []
        self.validation: Mapping[str, Sequence[Any]] = validation or {}
        self.report: Callable[[str], None] = report or (lambda _: None)
        self.facts: dict[str, Any] = {}

    def leave_out(self, item: str, reasons: Sequence[Diagnostic]) -> None:
        """Leave out an item that cannot be learned from."""
        del self[item]
        self.diagnostics += (reason.at(item=item) for reason in reasons)


@dataclass(frozen=True)
class NoSettings:
    """Settings of a system that has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """Something that makes annotations of one task; built-in systems and those of others use one record.

    Parameters
    ----------
    name : str
        Name on the command line, such as ``"template"``.
    task : str
        Name of the task.
    takes : frozenset of str
        What it needs of each item: ``"audio"``, ``"score"``, ``"sheet"``, ``"notes"``, ``"annotations"``.
    card : SystemCard
    annotate : callable
        ``annotate(source, model, settings)`` takes an :class:`Input`, and returns an annotation of the task,
        or whatever :func:`kammerton.score` takes as one: for chords, intervals and labels. An object with
        ``intervals``, ``labels`` and ``confidence`` gives a number for each row, which JAMS files carry; its
        ``diagnostics``, if it has them, are reported.
    options : type
        Frozen dataclass of its settings, which have defaults.
    prepare : callable, optional
        ``prepare(inputs, model, settings)`` takes all inputs by item, and returns what ``annotate`` is given
        as the model; for systems that need to know the whole corpus.
    extra : str, optional
        Extra of pip that it needs.
    train : callable, optional
        ``train(items, settings)`` takes :class:`TrainingItems`, the annotations of each item, and returns the
        arrays of a model by name. A system that has it needs a model, a :class:`Model` to ``annotate``.
    arrays : mapping of str to tuple of int
        Shapes of the arrays of its models, which are checked; None is any size, and no shapes are any at all.
    explain : callable, optional
        ``explain(annotation, settings, start, end)`` returns a :class:`kammerton.model.views.Table` that says
        why the system would make this annotation, or not: ``kammerton show --explain NAME`` prints it.
    shipped : Path, optional
        A model that comes with it, taken where no other is named.
    version : int
        Number of what the arrays mean; models of another one are refused.
    """

    name: str
    task: str
    takes: frozenset[str]
    card: SystemCard
    annotate: Callable[[Input, Any, Any], Any]
    options: type[Any] = NoSettings
    prepare: Callable[[Mapping[str, Input], Any, Any], Any] | None = None
    extra: str | None = None
    train: Callable[[TrainingItems, Any], Mapping[str, Any]] | None = None
    arrays: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)
    explain: Callable[[Any, Any, float, float], Table] | None = None
    shipped: Path | None = None
    version: int = 1


_SIMPLE: dict[object, tuple[type, str]] = {
    bool: (bool, "true or false"),
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    type(None): (type(None), "nothing"),
}
"""Types of settings that are looked at: what a value of them is, and in words."""


def check_settings(options: type, settings: Mapping[str, Any], whose: str) -> None:
    """Refuse settings that a dataclass of options has not, and values that are no number, or no yes or no."""
    known = [field.name for field in fields(options)]
    try:
        types = get_type_hints(options)
    except NameError:  # of a class that is imported for type checkers alone
        types = {}
    for name, value in settings.items():
        if name not in known:
            raise OptionError.unknown(f"setting of {whose}:", name, known)
        kind = types.get(name)
        wanted = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
        if not all(simple in _SIMPLE for simple in wanted):
            continue  # words and others: their dataclass looks at them
        if not any(_is_of(value, simple) for simple in wanted):
            words = " or ".join(_SIMPLE[simple][1] for simple in wanted if simple is not type(None))
            raise OptionError(f"{name} is {words}, not {quote(str(value))}")


def _is_of(value: object, kind: object) -> bool:
    """Tell whether a value is of a simple type; true and false are no numbers."""
    return isinstance(value, _SIMPLE[kind][0]) and (kind is bool or not isinstance(value, bool))
