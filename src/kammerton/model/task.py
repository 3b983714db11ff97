# SPDX-License-Identifier: MIT
"""What a task is: everything that the rest of the package knows of chords, fingering or instruments."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar
from typing import Protocol as StructuralType

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic
from kammerton.model.measure import Gathered, Measure, Protocol, Statistics, choose, find, join_codes
from kammerton.model.registry import TASKS, find_task
from kammerton.model.views import ItemView


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Labels that annotators gave to units."""

    labels: tuple[str, ...]  # what the codes stand for
    codes: NDArray[np.int64]  # label of each unit by each annotator; -1 where there is none
    weights: NDArray[np.float64] | None = None  # size of each unit, such as its seconds; None if all count 1
    reason: str = ""  # why agreement cannot be measured on them, if it cannot


def join_ratings(parts: Iterable[Ratings]) -> Ratings:
    """Return the units of all parts, by the same annotators in the same order; at least one part."""
    known = list(parts)
    labels, codes = join_codes((part.labels, part.codes) for part in known)
    weights = [part.weights for part in known if part.weights is not None]
    return Ratings(labels, codes, np.concatenate(weights) if weights else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Amounts by two classes, such as reference and estimate."""

    title: str  # what is counted, as a heading
    # down, across: what the rows and the columns are
    down: str
    across: str
    # rows, columns: classes in the order of drawing
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], float]  # amount by row and column; what is not there is 0
    right: frozenset[tuple[str, str]] = frozenset()  # cells of what is right
    share: Literal["row", "all"] = "row"  # whether shares are of a row, or of everything
    note: str = ""  # what a reader must know


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A class, and how well it is found."""

    depth: int  # 0 at the top; what is below a class follows it
    name: str
    support: float  # how much of the references it is in
    # precision, recall: shares; NaN where it was never estimated, or never annotated
    precision: float
    recall: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """What went wrong with one system, class by class."""

    unit: str  # unit of the amounts
    matrices: tuple[Matrix, ...] = ()
    nodes: tuple[Node, ...] = ()  # classes below their families, where there are such


def commonest(cells: Mapping[tuple[str, str], float], side: int) -> tuple[str, ...]:
    """Return the classes of a side, the commonest first; classes of equal weight by name.

    Examples
    --------
    >>> commonest({("maj", "min"): 2.0, ("min", "maj"): 1.0, ("dim", "maj"): 2.0}, 1)
    ('maj', 'min')
    >>> commonest({("maj", "min"): 2.0, ("min", "maj"): 1.0, ("dim", "maj"): 2.0}, 0)
    ('dim', 'maj', 'min')
    """
    sums: dict[str, float] = {}
    for classes, weight in cells.items():
        sums[classes[side]] = sums.get(classes[side], 0.0) + weight
    return tuple(sorted(sums, key=lambda name: (-sums[name], name)))


def counted_node(depth: int, name: str, *, hits: float, misses: float, spurious: float) -> Node:
    """Return a class with its scores.

    Examples
    --------
    >>> counted_node(0, "oboe", hits=3, misses=1, spurious=0)
    Node(depth=0, name='oboe', support=4, precision=1.0, recall=0.75)
    """
    estimated, support = hits + spurious, hits + misses
    return Node(
        depth=depth,
        name=name,
        support=support,
        precision=hits / estimated if estimated else math.nan,
        recall=hits / support if support else math.nan,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassLoss:
    """What was lost by one class."""

    name: str  # of the class
    whole: float  # how much of it there is in the references
    lost: float  # how much was wrong
    instead: str = ""  # what more of that was taken for than for anything else; empty if nothing was
    f: float | None = None  # F of the class, where what was lost is no part of what there is


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassLosses:
    """What a system lost by each class, the largest loss first."""

    kind: str  # what the classes are, e.g. ``"chord quality"``.
    unit: str  # unit of what there is
    rule: str  # what counts as lost, as a sentence
    rows: tuple[ClassLoss, ...]
    # amount by what it is, and what it was taken for
    cells: Mapping[tuple[str, str], float] = field(default_factory=dict)
    instead: str = "It was taken for {} most often."  # the sentence on what a class was taken for
    lost_unit: str = ""  # unit of what was lost; that of what there is if empty
    by: str = ""  # what is compared, if no measure compares just that, e.g. ``"root and tetrad"``.
    needs: str = ""  # what must be scored for it to be known, as a sentence; empty if it is known

    @property
    def unit_of_loss(self) -> str:
        """Unit of what was lost."""
        return self.lost_unit or self.unit


def losses_by_confusion(cells: Mapping[tuple[str, str], float]) -> tuple[ClassLoss, ...]:
    """Return what was lost by each class of a confusion.

    Examples
    --------
    >>> losses_by_confusion({("maj", "maj"): 5.0, ("maj", "min"): 2.0, ("min", "min"): 1.0})[0]
    ClassLoss(name='maj', whole=7.0, lost=2.0, instead='min', f=None)
    """
    whole: dict[str, float] = {}
    wrong: dict[str, dict[str, float]] = {}
    for (name, taken), weight in cells.items():
        whole[name] = whole.get(name, 0.0) + weight
        if taken != name:
            of_name = wrong.setdefault(name, {})
            of_name[taken] = of_name.get(taken, 0.0) + weight
    losses = []
    for name, amount in whole.items():
        by_label = wrong.get(name, {})
        instead = commonest({(name, taken): lost for taken, lost in by_label.items()}, 1)
        lost = sum(by_label.values())
        losses.append(ClassLoss(name=name, whole=amount, lost=lost, instead=instead[0] if instead else ""))
    return tuple(sorted(losses, key=lambda loss: (-loss.lost, loss.name)))


OF_BLOCKS = frozenset(("KT721", "KT723"))
"""Codes of what is wrong with a block of a pack, and so with every source in it alike."""
ColumnKind = Literal["real", "whole", "text", "flag"]
"""What a column holds: float64, int64, str or bool."""


@dataclass(frozen=True, eq=False)
class PackedColumn:
    """One field of many annotations."""

    values: NDArray[Any]  # of all annotations, one behind the other; of texts, the index of each in ``names``
    offsets: NDArray[np.int64]  # where the values of each annotation begin, and where the last ones end
    names: Sequence[str] | None = None  # distinct texts, if the values are texts

    @classmethod
    def of_texts(cls, texts: Sequence[str], offsets: NDArray[np.int64]) -> PackedColumn:
        """Return the column of texts that stand one behind the other."""
        index: dict[str, int] = {}
        values = [index.setdefault(text, len(index)) for text in texts]
        return cls(np.array(values, dtype=np.int64), offsets, tuple(index))

    @cached_property
    def texts(self) -> list[str]:
        """The values, as they are spelled."""
        assert self.names is not None, "only of texts"
        spelled: list[str] = np.array(self.names, dtype=object).take(self.values).tolist()
        return spelled

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Number of values of each annotation."""
        return np.diff(self.offsets)

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """Number of the annotation that each value is of."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths)

    def parts(self) -> Iterator[Any]:
        """Yield the values of each annotation, texts as they are spelled."""
        values = self.values if self.names is None else self.texts
        return (values[begin:end] for begin, end in pairwise(self.offsets.tolist()))

    def having(self, odd: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which annotations have any of the values that are odd."""
        return np.bincount(self.owners[odd], minlength=len(self.offsets) - 1) > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """How annotations become columns, and columns annotations.

    Parameters
    ----------
    lists : mapping of str to kind
        Fields that have any number of values in an annotation.
    single : mapping of str to kind
        Fields that have one.
    pack : callable
        ``pack(annotation)`` returns the values of each field.
    unpack : callable
        ``unpack(columns)`` returns the annotations that stand in columns by name; None for one that no
        reader would have given, so that nothing else has to expect it.
    rows : callable
        ``rows(annotation)`` returns how many rows, notes or labels it has.
    choices : frozenset of str
        Options that decide what is made of a file that can be read, so that they have to be the same
        when it is packed and when it is used.
    """

    lists: Mapping[str, ColumnKind]
    single: Mapping[str, ColumnKind]
    pack: Callable[[Any], Mapping[str, Any]]
    unpack: Callable[[Mapping[str, PackedColumn]], Sequence[Any | None]]
    rows: Callable[[Any], int]
    choices: frozenset[str] = frozenset()


class Options(StructuralType):
    """Options of a task, which are a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


A = TypeVar("A")
ClassKey = tuple[str | int | None, ...]
"""What a cell of a class table belongs to."""


@dataclass(frozen=True, slots=True)
class Reading(Generic[A]):
    """What a source held: one annotation per annotator, and what was wrong with it.

    ``annotations`` is empty if an error kept the source from being used.
    """

    annotations: tuple[tuple[str | None, A], ...]
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def why(self) -> str:
        """Code and message of the first error, which kept the source from being used."""
        first = next(diagnostic for diagnostic in self.diagnostics if diagnostic.severity == "error")
        return f"{first.code} {first.message}"

    @property
    def annotators(self) -> list[str]:
        """What the annotators are called: as the source does, else by number."""
        return [name or str(number) for number, (name, _) in enumerate(self.annotations, 1)]


@dataclass(frozen=True, slots=True)
class ItemReadings(Generic[A]):
    """What a source of many items held.

    Parameters
    ----------
    items : mapping of str to tuple of (str or None, annotation)
        By item: the annotator, if the source tells one, and the annotation.
    broken : mapping of str to str
        Items that are there but cannot be used, and why.
    diagnostics : tuple of Diagnostic
    """

    items: Mapping[str, tuple[tuple[str | None, A], ...]]
    broken: Mapping[str, str] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Case(Generic[A]):
    """What one row of statistics is computed from.

    Parameters
    ----------
    references : tuple
        Annotations, in the order of the annotators' names: one for measures of pairs, all of an item
        for measures that need them at once, none for measures of the estimate alone.
    estimate : annotation
        None for measures of the annotators alone.
    group : int
        The group whose class tables the case counts in.
    """

    references: tuple[A, ...]
    estimate: A | None
    group: int = 0

    @property
    def pair(self) -> tuple[A, A]:
        """The reference and the estimate of a case that has one of each."""
        (reference,) = self.references
        assert self.estimate is not None, "measures of pairs get pairs"
        return reference, self.estimate


@dataclass(frozen=True, slots=True, eq=False)
class ClassTable:
    """Weights by classes: a confusion matrix, the time left out by label, ...

    Parameters
    ----------
    name : str
        What it counts, e.g. ``"confusion"``.
    columns : tuple of str
        Names of the classes.
    unit : str
        Unit of the weights.
    groups : ndarray of int64, shape (rows,)
        Group of cases that a row was summed over.
    classes : list of tuple
        Classes of each row: strings, numbers or None.
    weights : ndarray of float64, shape (rows,)
    """

    name: str
    columns: tuple[str, ...]
    unit: str
    groups: NDArray[np.int64]
    classes: list[ClassKey]
    weights: NDArray[np.float64]


def class_table(
    name: str, columns: tuple[str, ...], unit: str, rows: Iterable[tuple[int, ClassKey, float]]
) -> ClassTable:
    """Return the table of some rows: a group, classes, and their weight."""
    groups, classes, weights = zip(*listed, strict=True) if (listed := list(rows)) else ((), (), ())
    return ClassTable(
        name,
        columns,
        unit,
        np.array(groups, dtype=np.int64),
        list(classes),
        np.array(weights, dtype=np.float64),
    )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the kernels of a task return for a list of cases.

    Parameters
    ----------
    statistics : mapping of Measure to ndarray, shape (cases, statistics)
        Of all measures but those over classes.
    tables : tuple of ClassTable
    gathered : Gathered, optional
        For measures over classes.
    """

    statistics: Mapping[Measure, Statistics]
    tables: tuple[ClassTable, ...] = ()
    gathered: Gathered | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filler:
    """How an annotation is put into the file that its notes, or whatever it is of, were read from.

    Parameters
    ----------
    suffixes : tuple of str
        Suffixes of the files that can have it.
    fill : callable
        ``fill(path, annotation, options)`` returns the text of the file with the annotation in it, and
        everything else as it was; None if the annotation has no place there.
    """

    suffixes: tuple[str, ...]
    fill: Callable[[Path, Any, Any], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """How files of a task are carried over to other formats.

    Parameters
    ----------
    forms : mapping of str to str
        Each format that can be written, with the suffix of its files.
    joint : frozenset of str
        Formats whose files hold several annotators.
    load : callable
        ``load(path, name, options)`` reads a file without judging what need not be judged.
    render : callable
        ``render(tracks, form)`` returns the text of a file with what ``load`` gave: one track, or
        several if the format is joint. It raises ``DataError`` if the format cannot hold them.
    track : callable
        ``track(annotation, annotator, name)`` returns what ``render`` takes for an annotation that was read
        for scoring; ``name`` is what diagnostics call it.
    stems : callable, optional
        ``stems(item, annotators, form)`` returns the name without suffix of the file of each annotator of an
        item, if the format has a custom for it; None if it has not.
    remark : callable, optional
        ``remark(track, form)`` says what a reader of the file that is written must know.
    sheets : frozenset of str
        Formats whose files hold many items.
    unfold : callable, optional
        ``unfold(path, name, options)`` reads a file of many items as ``load`` does one; None if it is of one.
    gather : callable, optional
        ``gather(parts)`` returns what ``render`` takes for a file of many items. A part is an item, its
        annotator or None, and what ``load`` gave.
    fillers : mapping of str to Filler
        Formats whose files can be given back with what a system made of them.
    """

    forms: Mapping[str, str]
    joint: frozenset[str]
    load: Callable[[Any, str, Any], Reading[Any]]
    render: Callable[[Sequence[Any], str], str]
    track: Callable[[Any, str | None, str], Any]
    stems: Callable[[str, Sequence[str], str], Sequence[str] | None] | None = None
    remark: Callable[[Any, str], Iterable[Diagnostic]] | None = None
    sheets: frozenset[str] = frozenset()
    unfold: Callable[[Any, str, Any], ItemReadings[Any] | None] | None = None
    gather: Callable[[Sequence[tuple[str, str | None, Any]]], Sequence[Any]] | None = None
    fillers: Mapping[str, Filler] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Which labels of a task are known.

    Parameters
    ----------
    noun : str
        What a label is a name of, such as ``"instrument"``.
    unknown : callable
        ``unknown(options)`` returns a function of a path and the name of a file, which returns the labels
        that are not known there, as often as they are there.
    nearest : callable
        ``nearest(label, options)`` returns the known label that such a one may mean, or None.
    """

    noun: str
    unknown: Callable[[Any], Callable[[Any, str], Iterable[str]]]
    nearest: Callable[[str, Any], str | None]


Match = Callable[[Any, Any, Any], tuple[Any | None, tuple[Diagnostic, ...]]]
Gather = Callable[[Gathered, Sequence[Measure], Any], tuple[tuple[str, ...], Mapping[Measure, Statistics]]]
Survey = Callable[[Sequence[Any], Sequence[Any], Any], Mapping[str, int]]
Applicable = Callable[
    [Mapping[str, int], Sequence[Measure], Any],
    tuple[tuple[Measure, ...], tuple[Diagnostic, ...]],
]


def _is_item(name: str) -> tuple[str, str | None]:
    return name, None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A kind of annotation. The built-in tasks and those of third parties use the same record.

    Parameters
    ----------
    name, summary : str
        Name on the command line; one sentence.
    protocols : tuple of Protocol
        In the order of output.
    suffixes : frozenset of str
        Suffixes of the files it reads, lower-case, with the dot.
    options : type
        Frozen dataclass of the choices a caller has in reading and scoring; ``options()`` are the
        defaults.
    read : callable
        ``read(path, name, options)`` reads a file.
    adopt : callable
        ``adopt(value, name, options)`` takes an object of the caller's.
    lacking : callable, optional
        ``lacking(annotation)`` names what is not there of what a measure may need: the ``inputs`` of a
        :class:`.Measure`.
    blank : callable
        ``blank(reference)`` returns the estimate that says nothing.
    content : callable
        ``content(annotation)`` returns bytes that are equal for equal annotations.
    extent : callable
        ``extent(annotation)`` returns how far it reaches, in ``extent_unit``.
    evaluate : callable
        ``evaluate(cases, measures, options)`` runs the kernels; the measures need the same.
    gather : callable, optional
        ``gather(gathered, measures, options)`` returns the names of the classes, and the statistics of
        each measure over classes, one row per class; a row of NaN where a measure has no such class, as
        measures over everything have only one. It gets the rows of one system and annotator; but for such
        measures, what it says of a class depends on the rows of this class alone.
    survey : callable, optional
        ``survey(references, estimates, options)`` counts what ``applicable`` must know of annotations, by
        name: counts of two parts of a corpus add up to those of the whole.
    applicable : callable, optional
        ``applicable(counts, measures, options)`` returns the measures that annotations of which ``survey``
        counts so many have scores for, and reports which were left out and why. Without it all have.
    unfold : callable, optional
        ``unfold(path, name, options)`` reads a file that holds many items; None if it holds one, which
        is for ``read``.
    sheets : frozenset of str
        Suffixes of the files that ``unfold`` is asked of; all if empty.
    remark : callable, optional
        ``remark(tables)`` says what a reader of the scores of one system must know. It gets the cells of
        each class table by name.
    losses : callable, optional
        ``losses(tables, measure)`` returns what one system lost by each class of labels, or None; by the
        measure of an address as far as the tables tell. They are those of ``remark``, summed over annotators.
    breakdown : callable, optional
        ``breakdown(tables, options)`` returns confusions of classes, and how well each is found, or None; of
        the same tables.
    view : callable, optional
        ``view(item, annotator, references, estimates, measure, options)`` lays out one item.
        ``references`` has all its annotations by annotator, ``annotator`` is the one to compare with;
        an estimate is a text that says why there is none, and ``measure`` the address of the measure
        that judges, or None.
    judge : str
        Address of the measure by which ``view`` judges by default.
    default_measures : tuple of str
        Measures that are computed if no protocol and no measure is named, as ``PROTOCOL/MEASURE`` or
        ``PROTOCOL/*``; those of the first protocol if empty.
    leading : str
        Address of the measure that reports summarise; that of ``judge`` by default.
    match : callable, optional
        ``match(reference, other, options)`` returns the other annotation on what the reference is made
        of (its notes), and diagnostics; None in its place if they do not belong together. Without it
        annotations need not be matched.
    identify : callable
        ``identify(name)`` takes the name of a file (its path below the folder, without suffix) apart
        into item and annotator, None where the name does not tell one.
    extent_unit : str
        Unit of the extent.
    conversion : Conversion, optional
        How files are converted, if they are.
    lint : callable, optional
        ``lint(annotation, options)`` returns what is odd about an annotation that was read without
        error, as warnings and notes that name no file.
    baselines : callable, optional
        ``baselines(references)`` takes all annotations of each item, and returns trivial estimates by name
        and item: what a system must beat.
    oracle : callable, optional
        ``oracle(references, estimates, options)`` takes all annotations of an item, and the estimates of
        several systems, and returns the estimate that has of each part what is right, if a system has it:
        an upper bound of what can be chosen from these systems. None where there is no such estimate.
    ratings : callable, optional
        ``ratings(items, options)`` takes the annotations of each item by annotator, None where there is
        none, and returns the nominal labels that agreement beyond chance is measured on.
    judged_by_both : callable, optional
        ``judged_by_both(items, options)`` takes what ``ratings`` takes, and returns a function of a reference
        and of another annotator's annotation, which leaves of the former what the latter judged too; or None
        where every annotator judged everything.
    rated : str
        What these labels are, and what a unit is, as a phrase.
    notices : callable, optional
        ``notices(options)`` returns what is odd about files that the options name, such as a taxonomy.
    packing : Packing, optional
        How annotations stand in columns, so that many can be packed into one file.
    vocabulary : Vocabulary, optional
        Which labels are known, where files may have others.
    class_tables : tuple of str
        Names of the class tables that ``evaluate`` may make; other names are refused before any work. Not
        checked if empty.
    said_once : frozenset of str
        Codes of diagnostics that are said once for all files of a collection with equal messages.
    coincides : bool
        Whether annotations of different origin are often equal, so that only a whole system that equals
        the reference is odd.
    """

    name: str
    summary: str
    protocols: tuple[Protocol, ...]
    suffixes: frozenset[str]
    options: type[Any]
    read: Callable[[Any, str, Any], Reading[Any]]
    adopt: Callable[[object, str, Any], Reading[Any]]
    blank: Callable[[Any], Any]
    content: Callable[[Any], bytes]
    extent: Callable[[Any], float]
    evaluate: Callable[[Sequence[Case[Any]], Sequence[Measure], Any], Evaluation]
    lacking: Callable[[Any], Collection[str]] | None = None
    remark: Callable[[Mapping[str, Mapping[ClassKey, float]]], Iterable[Diagnostic]] | None = None
    losses: Callable[[Mapping[str, Mapping[ClassKey, float]], str], ClassLosses | None] | None = None
    breakdown: Callable[[Mapping[str, Mapping[ClassKey, float]], Any], Breakdown | None] | None = None
    view: Callable[[str, str, Mapping[str, Any], Mapping[str, Any], str | None, Any], ItemView] | None = None
    judge: str = ""
    default_measures: tuple[str, ...] = ()
    leading: str = ""
    match: Match | None = None
    identify: Callable[[str], tuple[str, str | None]] = _is_item
    extent_unit: str = "s"
    conversion: Conversion | None = None
    lint: Callable[[Any, Any], tuple[Diagnostic, ...]] | None = None
    gather: Gather | None = None
    survey: Survey | None = None
    applicable: Applicable | None = None
    unfold: Callable[[Any, str, Any], ItemReadings[Any] | None] | None = None
    sheets: frozenset[str] = frozenset()
    baselines: Callable[[Mapping[str, Sequence[Any]]], Mapping[str, Mapping[str, Any]]] | None = None
    oracle: Callable[[Sequence[Any], Sequence[Any], Any], Any | None] | None = None
    ratings: Callable[[Sequence[Sequence[Any | None]], Any], Ratings] | None = None
    judged_by_both: (
        Callable[[Sequence[Sequence[Any | None]], Any], Callable[[Any, Any], Any] | None] | None
    ) = None
    rated: str = ""
    notices: Callable[[Any], tuple[Diagnostic, ...]] | None = None
    packing: Packing | None = None
    vocabulary: Vocabulary | None = None
    class_tables: tuple[str, ...] = ()
    said_once: frozenset[str] = frozenset()
    coincides: bool = False

    def __hash__(self) -> int:
        """Return the hash of the name: records hold mappings, which have none."""
        return hash(self.name)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle a built-in task by its name, which takes a hundredth of the bytes."""
        if self.name in TASKS and find_task(self.name) is self:
            return find_task, (self.name,)
        return object.__reduce_ex__(self, protocol)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Every measure of every protocol, in the order of output."""
        return tuple(chain.from_iterable(map(attrgetter("measures"), self.protocols)))

    def unfolder(self, name: str) -> Callable[[Any, str, Any], ItemReadings[Any] | None] | None:
        """Return what reads a file of this name if it holds many items; None if no such file does."""
        may_hold_many = not self.sheets or name.lower().endswith(tuple(self.sheets))
        return self.unfold if may_hold_many else None

    def choose(
        self, protocols: Iterable[str] | None = None, measures: Iterable[str] | None = None
    ) -> tuple[Measure, ...]:
        """Return the measures of some names that are to be computed, or those by default."""
        defaults = self.default_measures or (f"{self.protocols[0].name}/*",)
        return choose(self.protocols, protocols, measures, defaults)

    def find(self, address: str) -> Measure:
        """Return the measure with an address or a name; a name that several have is that of the default."""
        usual = [measure for measure in self.choose() if measure.name == address]
        return usual[0] if len(usual) == 1 else find(address, self.measures)

    def revision(self, measure: Measure) -> int:
        """Return the revision of the measure's protocol."""
        return next(p.revision for p in self.protocols if p.name == measure.protocol)
