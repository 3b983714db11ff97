# SPDX-License-Identifier: MIT
"""Options of lists of instruments, and the label maps and thresholds that they name."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import ClassVar, Literal, TypeVar, get_args

import numpy as np

from kammerton.arrays import Flags
from kammerton.errors import DataError, Diagnostic, OptionError, close_match, quote
from kammerton.formats.intervals import parse_time
from kammerton.formats.reading import Limits, Problems, SidedOptions
from kammerton.formats.source import read_text
from kammerton.formats.tables import TableRow, TableShape, composed, first_row, named_rows
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.instruments.taxonomy_files import is_path, load_taxonomy, shipped
from kammerton.model.measure import Values

# --- label maps --------------------------------------------------------------------------------

LABEL_MAPS: Mapping[str, str] = {
    "audioset-to-openmic-2018": "names and identifiers of AudioSet to the 20 labels of OpenMIC-2018",
    "general-midi-to-openmic-2018": "programs of General MIDI to the 20 labels of OpenMIC-2018",
    "irmas-to-openmic-2018": "names and three-letter codes of IRMAS to the 20 labels of OpenMIC-2018",
    "medleydb-to-openmic-2018": "instruments of MedleyDB to the 20 labels of OpenMIC-2018",
}
"""Names of the built-in maps, and what they are."""
_MAP = TableShape(
    "KT655",
    (("label", "from", "source"), ("instrument", "to", "target")),
    others=frozenset(("times", "files")),  # of drafts that `check` writes
)
_CLASSES = TableShape("KT655", (("mid",), ("display_name",), ("index",)))
"""The ``class_labels_indices.csv`` of AudioSet: names by identifier."""


@dataclass(frozen=True, eq=False)
class LabelMap:
    """What labels stand for.

    Parameters
    ----------
    name : str
        Name or path it was loaded by.
    entries : mapping of str to str or None
        Instrument of each label; None for a label that names none, and is left out on purpose.
    diagnostics : tuple of Diagnostic
        What was noticed in its file.

    Examples
    --------
    >>> codes = LabelMap("mine", {"pia": "piano", "nod": None})
    >>> codes.apply("pia"), codes.apply("nod"), codes.apply("violin")
    ('piano', None, 'violin')
    """

    name: str
    entries: Mapping[str, str | None]
    diagnostics: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        """Return the name, and how many labels it has."""
        return f"<LabelMap {self.name}: {len(self.entries):,} labels>"

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.entries)

    def apply(self, label: str, casefold: bool = False) -> str | None:
        """Return what a label stands for: itself if the map does not have it.

        Parameters
        ----------
        label : str
            Without blanks around it.
        casefold : bool
            Whether an entry in another case will do, if there is none in this one; of several the first.

        Returns
        -------
        str or None
            None for what is no instrument.
        """
        if label in self.entries:
            return self.entries[label]
        return self._folded.get(label.casefold(), label) if casefold else label

    def has(self, label: str, casefold: bool = False) -> bool:
        """Return whether the map has an entry for a label, perhaps in another case."""
        return label in self.entries or (casefold and label.casefold() in self._folded)

    @cached_property
    def _folded(self) -> dict[str, str | None]:
        folded: dict[str, str | None] = {}
        for label, instrument in self.entries.items():
            folded.setdefault(label.casefold(), instrument)
        return folded


def load_label_map(
    name: str | os.PathLike[str], *, encoding: str = "utf-8", limits: Limits | None = None
) -> LabelMap:
    """Read a label map.

    Parameters
    ----------
    name : str or path
        One of :data:`LABEL_MAPS`, or the path of a table with the header ``label,instrument``. A row
        without an instrument says that the label names none. Or the path of the
        ``class_labels_indices.csv`` of AudioSet, which gives identifiers their names.
    encoding : str
        Encoding of a file that has no byte order mark.
    limits : Limits, optional
        Budgets of the file.

    Returns
    -------
    LabelMap

    Raises
    ------
    OptionError
        If the name is neither a built-in map nor looks like a path.
    DataError
        If the file cannot be used (KT101 to KT108, KT655 to KT657).

    Examples
    --------
    >>> load_label_map("irmas-to-openmic-2018").apply("gel")
    'guitar'
    """
    path = os.fsdecode(name)
    if isinstance(name, str) and name in LABEL_MAPS:
        return _built_in(name)
    if isinstance(name, str) and not is_path(name):
        raise OptionError.unknown("label map", name, LABEL_MAPS)
    limits = limits or Limits()
    return _read(path, read_text(path, name=path, encoding=encoding, limits=limits), limits)


@lru_cache
def _built_in(name: str) -> LabelMap:
    return _read(name, shipped("maps", f"{name}.csv"), Limits())


def _read(name: str, text: str, limits: Limits) -> LabelMap:
    problems = Problems(name)
    entries: dict[str, str | None] = {}
    first = first_row(text, _CLASSES.known)
    shape = _MAP if first is None or _CLASSES.order(first.names) is None else _CLASSES
    for row in named_rows(text, shape, problems, limits):
        _add_entry(entries, row, problems, limits)
    if not entries and not problems.has_errors:
        hint = f"a header `{_MAP.header}`, and a row for each label"
        problems.report("KT657", "label map has no rows", hint=hint)
    if problems.has_errors:
        raise DataError(problems.diagnostics())
    return LabelMap(name, entries, problems.diagnostics())


def _add_entry(entries: dict[str, str | None], row: TableRow, problems: Problems, limits: Limits) -> None:
    """Add the entry of one row, or report what is wrong with it."""
    label, instrument = row.cells[0], row.cells[1] or None
    place = partial(row.place, 0)
    long = next((index for index, cell in enumerate(row.cells) if len(cell) > limits.label), None)
    if long is not None:
        message = f"label of {len(row.cells[long]):,} characters: over the limit of {limits.label:,}"
        problems.report("KT106", message, partial(row.place, long))
    elif not label:
        problems.report("KT655", "row has no label", place)
    elif label not in entries:
        entries[label] = instrument
    elif entries[label] == instrument:
        message = f"row dropped: {quote(label)} stands in the map already"
        problems.report("KT656", message, place, severity="warning")
    else:  # nobody can tell which of the two it is
        both = ("no instrument" if name is None else quote(name) for name in (entries[label], instrument))
        message = f"{quote(label)} stands for {' and '.join(both)}"
        problems.report("KT656", message, place, hint="keep one of the rows")


# --- thresholds --------------------------------------------------------------------------------

Operator = Literal[">=", ">"]
OTHERS = "*"
"""Row of a file that stands for all instruments without a row of their own."""
_TEXT = re.compile(r"(?P<operator>>=?)?[ \t]*(?P<value>\S+)")
_SHAPE = TableShape("KT665", (("instrument", "label"), ("threshold",)), numbers=(1,))


@dataclass(frozen=True, slots=True)
class LabelThreshold:
    """The least score of a label that is taken for present.

    Examples
    --------
    >>> LabelThreshold(">", 0.5).passes(["piano", "violin"], [0.5, 0.75]).tolist()
    [False, True]
    """

    operator: Operator  # whether a score that equals the value passes
    value: float  # of all labels that have no value of their own; NaN if those have none
    by_label: Mapping[str, float] = field(default_factory=dict)  # values of single labels

    def passes(self, labels: Sequence[str], scores: Values | Sequence[float]) -> Flags:
        """Return which labels a list keeps."""
        return self.reached(np.asarray(scores, dtype=np.float64), self.values(labels))

    def reached(self, scores: Values, least: Values) -> Flags:
        """Return which scores reach the threshold beside them."""
        return scores >= least if self.operator == ">=" else scores > least

    def values(self, labels: Sequence[str]) -> Values:
        """Return the threshold of each label; ``OptionError`` if one has none."""
        if not self.by_label:
            return np.full(len(labels), self.value)
        values = [self.by_label.get(label, self.value) for label in labels]
        for lacking in (label for label, value in zip(labels, values, strict=True) if math.isnan(value)):
            near = close_match(lacking, self.by_label)
            hint = f"add a row for it, or `{OTHERS}` for all others"
            hint = hint if near is None else f"is it {quote(near)}? {hint}"
            raise OptionError(f"no threshold for {quote(lacking)}", hint)
        return np.array(values, dtype=np.float64)


def canonical(text: str) -> str:
    """Return a threshold as signatures have it; what is no number is returned as it is.

    >>> canonical("0.50"), canonical("> .5"), canonical("each.csv")
    ('>=0.5', '>0.5', 'each.csv')
    """
    number = _number(text)
    return text if number is None else f"{number[0]}{number[1]!r}"


def _number(text: str) -> tuple[Operator, float] | None:
    match = _TEXT.fullmatch(text.strip())
    value = None if match is None else _finite(match["value"])
    if match is None or value is None:
        return None
    return ">" if match["operator"] == ">" else ">=", value


def _finite(text: str) -> float | None:
    value = parse_time(text, ".")
    return None if value is None or not math.isfinite(value) else value


def read_threshold(text: str, *, encoding: str = "utf-8", limits: Limits | None = None) -> LabelThreshold:
    """Return the threshold that a text names.

    Examples
    --------
    >>> read_threshold(">0.5")
    LabelThreshold(operator='>', value=0.5, by_label={})
    """
    number = _number(text)
    if number is not None:
        return LabelThreshold(*number)
    # a path may be too long, or hold what no path has
    if not (text.lower().endswith((".csv", ".tsv")) or os.path.isfile(text)):  # noqa: PTH113
        raise OptionError(
            f"no threshold: {quote(text)}", "write a number, `>` and a number, or the path of a CSV file"
        )
    problems, limits = Problems(text), limits or Limits()
    by_label: dict[str, float] = {}
    content = read_text(text, name=text, encoding=encoding, limits=limits)
    for row in named_rows(content, _SHAPE, problems, limits):
        _add_threshold(by_label, row, problems)
    if not by_label and not problems.has_errors:
        problems.report("KT665", "no thresholds", hint=f"a header `{_SHAPE.header}`, and a row for each")
    if problems.has_errors:
        raise DataError(problems.diagnostics())
    return LabelThreshold(">=", by_label.pop(OTHERS, math.nan), by_label)


def _add_threshold(by_label: dict[str, float], row: TableRow, problems: Problems) -> None:
    """Add the threshold of one row, or report what is wrong with it."""
    label, written = row.cells
    value = _finite(written)
    if value is None:
        message = f"not a number: {quote(written)}"
        problems.report("KT665", message, row.place(1), hint="a threshold looks like 0.5")
    elif label in by_label:
        problems.report("KT665", f"instrument stands twice: {quote(label)}", row.place(0))
    elif not label:
        hint = f"`{OTHERS}` stands for all others"
        problems.report("KT665", "row has no instrument", row.place(0), hint=hint)
    else:
        by_label[label] = value


# --- options -----------------------------------------------------------------------------------

Unknown = Literal["error", "drop", "keep"]
Ties = Literal["expected", "given", "trec", "grouped", "best", "worst"]
Undefined = Literal["campaign", "skip", "zero", "one", "sklearn", "trec"]
Gain = Literal["campaign", "chapelle"]
_MOST = 2**53
"""Numbers of items beyond which no arithmetic here is exact."""
_Loaded = TypeVar("_Loaded")


@dataclass(frozen=True, kw_only=True)
class InstrumentOptions(SidedOptions):
    """How lists of instruments are read and scored.

    The encoding may be that of one side alone: ``encoding={"estimates": "latin-1"}``.

    Parameters
    ----------
    taxonomy : str
        Taxonomy that labels belong to; a built-in name, or a file. Without one only flat measures are
        computed.
    map : str
        Label map that is applied before anything else: a built-in name, or a CSV file
        ``label,instrument``.
    unknown : {"error", "drop", "keep"}
        What happens to labels that the taxonomy does not have: the item fails, the label is left out,
        or it counts as a node of its own.
    casefold : bool
        Match labels whatever their case.
    level : int
        Replace each label by its ancestor this far below the root, 1 for families; 0 leaves labels alone.
    leaves : bool
        Leave out labels that have others below them.
    threshold : str
        Least score of an estimated label, such as ``0.5``, ``>0.5``, or a CSV file
        ``instrument,threshold``.
    top_k : int
        Keep this many of the best labels; 0 keeps all.
    truth_threshold : str
        Least relevance of an annotated label in data sets that give one.
    assume_absent : bool
        Take labels that nobody judged for absent.
    ranked : bool
        Take the order of labels without scores or ranks for their rank, the best first. JSON lists are ranked
        anyway, and JAMS annotations whose sandbox says `"ranked": true`.
    ties : {"expected", "given", "trec", "grouped", "best", "worst"}
        Order of labels with equal scores: the mean over all orders, that of the source, by name from
        the last as trec_eval does, one step for all as scikit-learn does, hits first, or hits last.
    undefined : {"campaign", "skip", "zero", "one", "sklearn", "trec"}
        What a value that is undefined counts in a mean.
    min_support : int
        Leave instruments that are annotated in fewer items out of means over instruments.
    results : int
        Files that a query returns at most.
    gain : {"campaign", "chapelle"}
        Probability that a file of grade r satisfies in ERR: r / 2, or (2**r - 1) / 4.
    encoding : str
        Character encoding of text files, also of taxonomies, label maps and thresholds; a byte order mark
        always wins over it.
    limits : Limits
        Budgets of one file, likewise.

    Examples
    --------
    >>> InstrumentOptions(taxonomy="openmic-2018").tree
    <Taxonomy openmic-2018: 25 nodes>
    """

    by_side: ClassVar[frozenset[str]] = frozenset(("encoding",))
    choices: ClassVar[Mapping[str, tuple[str, tuple[str, ...]]]] = {
        name: (f"choice of `{name}`", get_args(values))
        for name, values in (("unknown", Unknown), ("ties", Ties), ("undefined", Undefined), ("gain", Gain))
    }
    taxonomy: str = field(default="", metadata={"file": True})
    map: str = field(default="", metadata={"file": True})
    unknown: Unknown = "error"
    casefold: bool = False
    level: int = 0
    leaves: bool = False
    threshold: str = field(default="", metadata={"file": True})
    top_k: int = 0
    truth_threshold: str = ">=0.5"
    assume_absent: bool = False
    ranked: bool = False
    ties: Ties = "expected"
    undefined: Undefined = "campaign"
    min_support: int = 0
    results: int = 1000
    gain: Gain = "campaign"
    encoding: str = "utf-8"
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        SidedOptions.__post_init__(self)
        for name, least in (("level", 0), ("top_k", 0), ("min_support", 0), ("results", 1)):
            _check_number(name, getattr(self, name), least)
        for name in ("taxonomy", "map"):
            if not isinstance(getattr(self, name), str | os.PathLike):
                raise OptionError.of_type(f"`{name}`", getattr(self, name), "a name or a path")
        for name in ("threshold", "truth_threshold"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise OptionError.of_type(f"`{name}`", value, "a text, such as '0.5' or '>0.5'")
            object.__setattr__(self, name, canonical(value))  # `0.5` and `>= .50` are signed as one
        for what, is_on in (("levels", self.level > 0), ("leaves", self.leaves)):
            if is_on and not self.taxonomy:
                raise OptionError(f"{what} need a taxonomy", "say which: --taxonomy NAME or FILE")
        _ = self.tree, self.label_map, self.cut, self.truth_cut  # refuses what cannot be read

    @cached_property
    def tree(self) -> Taxonomy | None:
        """The taxonomy, read once; None if there is none."""
        return self._loaded(load_taxonomy, self.taxonomy) if self.taxonomy else None

    @cached_property
    def label_map(self) -> LabelMap | None:
        """The label map, read once; None if there is none."""
        return self._loaded(load_label_map, self.map) if self.map else None

    @cached_property
    def _meanings(self) -> _Meanings:
        return _Meanings(self)

    @cached_property
    def cut(self) -> LabelThreshold | None:
        """Threshold of estimated scores; None if there is none."""
        return self._loaded(read_threshold, self.threshold) if self.threshold else None

    @cached_property
    def truth_cut(self) -> LabelThreshold:
        """Threshold of annotated relevance."""
        return self._loaded(read_threshold, self.truth_threshold)

    def _loaded(self, load: Callable[..., _Loaded], name: str) -> _Loaded:
        return load(name, encoding=self.encoding, limits=self.limits)


def _check_number(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise OptionError.of_type(f"`{name}`", value, "a whole number")
    if not least <= value <= _MOST:
        bounds = f"at least {least}" if value < least else f"at most {_MOST:,}"
        raise OptionError(f"`{name}` is {bounds}, got {value}")


# --- what labels mean ----------------------------------------------------------------------------

Fate = Literal["known", "kept", "dropped", "unknown", "left out", "outside", "empty", "long"]
"""*known*: in the taxonomy, or there is none. *kept*, *dropped*, *unknown*: not in the taxonomy, by the
option ``unknown``. *left out*: no instrument by the label map. *outside*: no instrument by the source of the
taxonomy. *empty*: no label at all. *long*: over the budget."""

PROGRAMS = "general-midi"
"""Taxonomy whose leaves have numbers."""

_DIGITS = 9
_REMEMBERED = 100_000
_FATES: dict[str, Fate] = {"error": "unknown", "drop": "dropped", "keep": "kept"}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one spelling means."""

    label: str  # the label it stands for; where it has none, what was looked for
    fate: Fate = "known"  # what becomes of it
    mapped: bool = False  # whether the label map has changed it
    root: bool = False  # whether it is a root of the taxonomy, which is never counted
    program: bool = False  # whether it is the number of a General MIDI program
    identified: bool = False  # whether it is an identifier, and the label is the name that goes with it

    @property
    def stays(self) -> bool:
        """Whether lists keep the label."""
        return self.fate in ("known", "kept")

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to report about it."""
        return self.fate == "known" and not (self.mapped or self.root or self.program or self.identified)


def look_up(spellings: Sequence[str], options: InstrumentOptions) -> list[Meaning]:
    """Return what each spelling means.

    Examples
    --------
    >>> [meaning.label for meaning in look_up([" piano", "Piano"], InstrumentOptions(casefold=True))]
    ['piano', 'piano']
    """
    return list(map(options._meanings.meaning, spellings))  # noqa: SLF001 - which users do not need


class _Meanings:
    """Looks spellings up in the label map, then in the taxonomy."""

    def __init__(self, options: InstrumentOptions) -> None:
        self._options = options
        nodes = () if options.tree is None else options.tree.nodes
        self._nodes = {self._key(node): node for node in reversed(nodes)}
        # files of a collection have the same spellings over and over
        self.meaning: Callable[[str], Meaning] = lru_cache(_REMEMBERED)(self._find)

    def _key(self, label: str) -> str:
        return label.casefold() if self._options.casefold else label

    def _find(self, spelling: str) -> Meaning:
        options, written = self._options, composed(spelling)
        if not written:
            return Meaning(written, "empty")
        if len(written) > options.limits.label:
            return Meaning(written, "long")
        label: str | None = written
        if options.label_map is not None:
            label = options.label_map.apply(written, casefold=options.casefold)
        if label is None:
            return Meaning(written, "left out")
        if options.tree is None:
            return Meaning(self._key(label), mapped=label != written)
        return self._find_node(options.tree, label, mapped=label != written)

    def _find_node(self, tree: Taxonomy, label: str, *, mapped: bool) -> Meaning:
        """Return which node of the taxonomy a label is: by its name, its identifier or its number."""
        identified = label in tree.ids
        node = tree.ids[label] if identified else self._nodes.get(self._key(label))
        if node is not None:
            return Meaning(node, mapped=mapped, root=node in tree.roots, identified=identified)
        if identified:
            return Meaning(label, "outside", mapped=mapped)
        if tree.name == PROGRAMS and label.isascii() and label.isdigit() and len(label) <= _DIGITS:
            program = tree.leaves[int(label) :][:1]  # counted from 0 as in MIDI files
            if program:
                return Meaning(program[0], mapped=mapped, program=True)
        return Meaning(self._key(label), _FATES[self._options.unknown], mapped=mapped)
