# SPDX-License-Identifier: MIT
"""Annotations of chords: labels by number, and how files and objects are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from threading import Lock
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import some_repr
from kammerton.chords.labels import absent_omissions, fault_code, parse
from kammerton.chords.respelling import respell
from kammerton.errors import Diagnostic, LabelError, quote
from kammerton.formats import IntervalOptions, intervals_from_arrays, read_intervals
from kammerton.formats.reading import Problems, TrackReading, read_one
from kammerton.formats.rows import read_items
from kammerton.model.annotations import LabelledIntervals
from kammerton.model.task import A, ItemReadings, Reading

_MANY = 1 << 16
"""Labels after which others are begun, so that what is read for days does not fill the memory."""
_adding = Lock()
"""Annotations may be read in threads; a process forked meanwhile would wait for one that it does not have."""
if os.name == "posix":
    os.register_at_fork(
        before=_adding.acquire, after_in_parent=_adding.release, after_in_child=_adding.release
    )


class Spellings:
    """Labels as they are spelled, each with a number.

    Which number says nothing: it is that of the first row that had the label, in this process.

    Attributes
    ----------
    labels : list of str
        The label of each number.
    sound : dict of str to int
        Numbers of labels that were parsed and had nothing to report.
    """

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.sound: dict[str, int] = {}
        self._numbers: dict[str, int] = {}

    def numbers(self, labels: Collection[str]) -> NDArray[np.int64]:
        """Return the number of each label."""
        try:
            return _looked_up(labels, self._numbers)
        except KeyError:
            self._add(labels)
        return _looked_up(labels, self._numbers)

    def numbers_of_sound(self, labels: Collection[Any]) -> NDArray[np.int64] | None:
        """Return the number of each label, or nothing if they are not all known to be sound."""
        try:
            return _looked_up(labels, self.sound)
        except (KeyError, TypeError):
            return None

    def _add(self, labels: Collection[str]) -> None:
        with _adding:
            for label in labels:
                # the text that it equals, whatever a type of the caller's shows in its place
                own = str.__str__(label) if isinstance(label, str) else str(label)
                if own not in self._numbers:
                    self.labels.append(own)
                    self._numbers[own] = len(self.labels) - 1
                self._numbers[label] = self._numbers[own]


def _looked_up(labels: Collection[Any], numbers: dict[str, int]) -> NDArray[np.int64]:
    return np.fromiter(map(numbers.__getitem__, labels), dtype=np.int64, count=len(labels))


def spellings_in_use() -> Spellings:
    """Return the spellings that labels are numbered by now."""
    if len(_in_use[0].labels) > _MANY:
        _in_use[0] = Spellings()
    return _in_use[0]


_in_use = [Spellings()]

_new, _set = object.__new__, object.__setattr__
"""What makes an annotation, which does not change once it is made."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class ChordAnnotation:
    """Chords of one song by one annotator or system.

    Parameters
    ----------
    intervals : ndarray of float64, shape (n, 2)
        Start and end in seconds; sorted, without overlaps. Rows of zero length are kept: the
        segmentation of ``mirex2013`` sees them.
    labels : collection of str, length n
        Labels in Harte syntax, each as it was written.

    Attributes
    ----------
    codes : ndarray of int64, shape (n,)
        Number of each label in ``spellings``.
    spellings : Spellings

    Notes
    -----
    Made by :func:`kammerton.chords.read` and by everything that takes intervals and labels; the
    constructor does not check.

    Examples
    --------
    >>> song = ChordAnnotation(np.array([[0.0, 2.0], [2.0, 4.0]]), ("C", "G:7"))
    >>> len(song), song.labels
    (2, ('C', 'G:7'))
    """

    intervals: NDArray[np.float64]
    codes: NDArray[np.int64]
    spellings: Spellings

    def __init__(self, intervals: NDArray[np.float64], labels: Collection[str]) -> None:
        spellings = spellings_in_use()
        _set(self, "intervals", intervals)
        _set(self, "codes", spellings.numbers(labels))
        _set(self, "spellings", spellings)

    @classmethod
    def coded(
        cls, intervals: NDArray[np.float64], codes: NDArray[np.int64], spellings: Spellings
    ) -> ChordAnnotation:
        """Return the annotation whose labels have these numbers."""
        made = _new(cls)
        _set(made, "intervals", intervals)
        _set(made, "codes", codes)
        _set(made, "spellings", spellings)
        return made

    @classmethod
    def empty(cls) -> ChordAnnotation:
        """Return the annotation without rows."""
        return cls(np.empty((0, 2)), ())

    @property
    def labels(self) -> tuple[str, ...]:
        """Label of each row, as it was written."""
        return tuple(map(self.spellings.labels.__getitem__, self.codes.tolist()))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.codes)

    def __repr__(self) -> str:
        """Show intervals and labels, of many the first and the last."""
        return f"ChordAnnotation({some_repr(self.intervals)}, {some_repr(self.labels)})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to other processes by labels: numbers are of this one."""
        return ChordAnnotation, (self.intervals, self.labels)


NAMESPACES = ("chord", "chord_harte")
"""JAMS namespaces of chord annotations."""
OTHER_NOTATIONS = ("chord_weimar", "chord_ireal", "chord_jparser_harte")
"""JAMS namespaces of ChoCo for chords in other notations, which are respelled or not read."""
_NAMESPACES_READ = {False: NAMESPACES, True: (*NAMESPACES, *OTHER_NOTATIONS)}
"""Those that are read, if labels may be respelled or not."""
SHEETS = frozenset((".csv", ".tsv"))
"""Suffixes of those that may be tables of many songs."""
SUFFIXES = frozenset((".lab", ".txt", ".jams", ".json", ".csv", ".tsv", ".svl.txt"))
"""Suffixes of chord annotation files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChordOptions(IntervalOptions):
    """How chord annotations are read.

    All but budgets may be said of one side alone: ``lenient={"estimates": True}``.

    Parameters
    ----------
    lenient : bool
        Respell labels that are common in the wild, such as ``Cm7`` for ``C:min7``; each respelling is
        reported once.

    Examples
    --------
    >>> song = [(0, 2)], ["Cm7"]
    >>> adopt_chords(song, "song", ChordOptions(lenient=True)).annotations[0][1].labels
    ('C:min7',)
    """

    by_side: ClassVar[frozenset[str]] = IntervalOptions.by_side | {"lenient"}
    lenient: bool = False


def read_chords(path: str | os.PathLike[str], name: str, options: ChordOptions) -> Reading[ChordAnnotation]:
    """Read a file of chords; one annotation per annotator."""
    reading = read_intervals(path, name=name, options=options, namespaces=_NAMESPACES_READ[options.lenient])
    return _checked(reading if reading.tracks else _with_other_notations(reading, options), name, options)


def read_tracks(path: str | os.PathLike[str], name: str, options: ChordOptions) -> TrackReading:
    """Read a file of chords without looking at the labels."""
    reading = read_intervals(path, name=name, options=options, namespaces=_NAMESPACES_READ[options.lenient])
    return _with_other_notations(reading, options)


def unfold(
    path: str | os.PathLike[str], name: str, options: ChordOptions
) -> ItemReadings[ChordAnnotation] | None:
    """Read a table of many items; None of a file of one."""
    return unfold_tracks(path, name, options, lambda tracks: _checked(tracks, name, options))


def unfold_tracks(
    path: str | os.PathLike[str],
    name: str,
    options: ChordOptions,
    checked: Callable[[TrackReading], Reading[A]],
) -> ItemReadings[A] | None:
    """Read a table of many items, of which each is made by a function of its rows; None of a file of one."""
    parts = read_items(path, name=name, options=options)
    if parts is None:
        return None
    diagnostics = list(parts.pop("").diagnostics)
    errors = [problem for problem in diagnostics if problem.severity == "error"]
    items: dict[str, tuple[tuple[str | None, A], ...]] = {}
    broken: dict[str, str] = {}
    for item, tracks in parts.items():
        reading = checked(tracks)
        if reading.annotations and not errors:
            items[item] = reading.annotations
        else:
            broken[item] = Reading((), (*errors, *reading.diagnostics)).why
        diagnostics += (problem.at(item=item) for problem in reading.diagnostics)
    return ItemReadings(items, broken, tuple(diagnostics))


def _with_other_notations(reading: TrackReading, options: ChordOptions) -> TrackReading:
    """Add a hint where a file has none of the namespaces but one that ``lenient`` reads."""
    diagnostics = []
    for diagnostic in reading.diagnostics:
        hint = diagnostic.hint or ""
        there = [name for name in OTHER_NOTATIONS if quote(name) in hint]
        if there and diagnostic.code == "KT145" and not options.lenient:
            hint = f"{hint}; --lenient reads {quote(there[0])}"
        diagnostics.append(diagnostic.at(hint=hint or None))
    return replace(reading, diagnostics=tuple(diagnostics))


def adopt_chords(value: object, name: str, options: ChordOptions) -> Reading[ChordAnnotation]:
    """Take an annotation of the caller's."""
    parts = _parts(value)
    if parts is None:
        message = f"not a chord annotation: {type(value).__name__}"
        own = [name for name in dir(value) if "chords" in name and not name.endswith("_path")]
        hint = "an object with .intervals and .labels, or a pair (intervals, labels)"
        if own:
            hint = f"its annotations are {', '.join(f'.{name}' for name in own)}: take one of them"
        return Reading((), (Diagnostic("KT114", "error", message, file=name, hint=hint),))
    return _checked(intervals_from_arrays(*parts, name=name, options=options), name, options)


def _parts(value: Any) -> tuple[Any, Any] | None:
    if hasattr(value, "intervals") and hasattr(value, "labels"):
        return value.intervals, value.labels
    if hasattr(value, "chords"):  # a track of mirdata
        return _parts(value.chords)
    if isinstance(value, tuple | list) and len(value) == 2:
        return value[0], value[1]
    return None


def _checked(reading: TrackReading, name: str, options: ChordOptions) -> Reading[ChordAnnotation]:
    problems = Problems(name)
    annotations = []
    for track in reading.tracks:
        annotation = _annotation(track, problems, options)
        if annotation is not None:
            annotations.append((track.annotator, annotation))
    for track in reading.rejected:
        _annotation(track, problems, options)
    diagnostics = (*reading.diagnostics, *problems.diagnostics())
    if reading.rejected:
        diagnostics = tuple(sorted(diagnostics, key=lambda d: (d.line is None, d.line or 0)))
    return Reading(() if problems.has_errors else tuple(annotations), diagnostics)


_SHORT = 64
"""Characters up to which a label is called sound: a limit of as many or more lets it pass unseen."""


def _annotation(
    track: LabelledIntervals, problems: Problems, options: ChordOptions
) -> ChordAnnotation | None:
    """Return a track as an annotation, or None if there is an error."""
    spellings = spellings_in_use()
    codes = spellings.numbers_of_sound(track.labels)
    labels = _spelled(track, problems, lenient=options.lenient) if codes is None else ()
    if problems.has_errors:
        return None
    intervals = np.empty((len(track.labels), 2))
    intervals[:, 0], intervals[:, 1] = track.starts, track.ends
    return (
        ChordAnnotation(intervals, labels)
        if codes is None
        else ChordAnnotation.coded(intervals, codes, spellings)
    )


def _spelled(track: LabelledIntervals, problems: Problems, *, lenient: bool) -> list[str]:
    """Report what is wrong or odd about the labels of a track, and respell them if ``lenient``."""
    spelling: dict[str, str] = {}
    rows_of: dict[str, list[int]] = {}
    for row, label in enumerate(track.labels):
        rows_of.setdefault(label, []).append(row)
    for label, rows in rows_of.items():
        code = fault_code(label)
        if code is not None and not problems.room(code) and not (lenient and respell(label)):
            problems.add_unlisted(code, len(rows))  # hints take long to find, and nobody would see this one
            continue
        spelling[label] = label
        problem = _problem(label)
        if problem is None:
            if len(label) <= _SHORT:
                spellings = spellings_in_use()
                spellings.sound[label] = int(spellings.numbers((label,))[0])
            continue
        respelled = respell(label) if lenient else None
        if problem.severity == "error" and respelled is None:
            for row in rows:
                problems.add_at(problem, partial(track.locate, row, "label"))
            continue
        if respelled is not None:
            spelling[label] = respelled
            message = f"{quote(label)} read as {quote(respelled)}"
            problem = Diagnostic("KT318", "warning", message)
        problems.add_at(problem.at(count=len(rows)), partial(track.locate, rows[0], "label"))
    return [] if problems.has_errors else [spelling[label] for label in track.labels]


def is_chord(label: str) -> bool:
    """Tell whether a label is a chord as annotations have them."""
    return fault_code(label) is None


@lru_cache(maxsize=1 << 16)
def _problem(label: str) -> Diagnostic | None:
    """Return what is wrong or odd about a label; each distinct label is looked at once."""
    try:
        absent = absent_omissions(parse(label))
    except LabelError as error:
        return error.diagnostic
    if not absent:
        return None
    message = f"{quote(label)} omits {', '.join(map(str, absent)).replace('*', '')}, which it does not have"
    return Diagnostic("KT319", "note", message)


def read(
    path: str | os.PathLike[str], *, annotator: str | None = None, options: ChordOptions | None = None
) -> ChordAnnotation:
    r"""Read one chord annotation from a file.

    Parameters
    ----------
    path : path
        A file of any format that chords are read from.
    annotator : str, optional
        Which annotation, where the file holds several.
    options : ChordOptions, optional
        How it is read.

    Returns
    -------
    ChordAnnotation

    Raises
    ------
    DataError
        If the file cannot be used.
    OptionError
        If it holds several annotations and ``annotator`` names none of them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "song.lab")
    ...     written = path.write_text("0 2 C\n2 4 G:7\n")
    ...     read(path).labels
    ('C', 'G:7')
    """
    return read_one(read_chords, path, annotator, options or ChordOptions())
