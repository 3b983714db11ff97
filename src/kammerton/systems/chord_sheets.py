# SPDX-License-Identifier: MIT
"""Chords of chord sheets, ChordPro files and guitar tabs: what they are, in their order, without times.

A line is, by the first that fits: *empty*; a ChordPro *directive*; a *comment*; a *definition* of shapes
(``Am x02210``); *tablature*; *tuning*; *capo*; a *heading* (``[Verse 2]``), behind which chords may stand;
*chords*; *inline* chords (``[Am]word``); else *lyrics*. A line is one of chords if all its words are, or at
least two thirds of them, unless the chords are ``A`` alone.

Chords are read by an anchored grammar, roots in upper case. Decisions, where one had to be made:

- The sounding chord is the written one, moved up by the capo, by the tuning if all strings share it, and by
  ``{transpose}`` from there on.
- ``H`` is ``B``; in a sheet that has an ``H``, ``B`` is ``Bb``.
- ``C2`` is ``C:sus2``, ``C4`` is ``C:sus4``, ``C7+`` is ``C:aug7``, ``C7/9`` is ``C:9``.
- A line that ends in ``x2`` or ``:|`` is played again, from ``|:`` or its beginning on; below a heading with
  ``x2``, the section.
- A section without chords has those of the last section of its kind: verses of which the words alone are
  written, and ``{chorus}``.
- Of a chord line and the tablature below it, the chord line is read. Of tablature alone, six strings are.
- What looks like a chord and cannot be read is reported, and stands as ``X``.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kammerton.chords.labels import parse
from kammerton.chords.respelling import ROOTS, respell
from kammerton.errors import DataError, Diagnostic, plural, quote
from kammerton.formats.source import read_text
from kammerton.systems.system import Input, System, SystemCard
from kammerton.systems.tablature import Tuning, is_tablature, read_tuning, tab_chords

LineKind = Literal[
    "empty", "directive", "comment", "tablature", "definition", "tuning", "capo", "heading", "chords",
    "inline", "lyrics",
]  # fmt: skip

_ROOT = r"(?:[A-G][#b♯♭]?|H(?![#b♯♭]))"
_NUMBER = r"(?:1[0-3]|69|[2-79])"
_QUALITY = (
    r"(?:[Mm]aj(?:or)?|MAJ|[Mm]in(?:or)?|MIN|[Mm]a(?!dd|ug|lt)|[Mm]i|[mM]|[Dd]im|[Aa]ug|[Ss]us|[Aa]dd|no|omit|dom|alt"
    rf"|[°ºøØΔ△^+-]|o(?=7)|[#b♯♭+-]?{_NUMBER}[+-]?|\([^()\s]*\)|,)*+"
)
_CHORD = re.compile(rf"{_ROOT}{_QUALITY}(?:/(?:{_ROOT}|[#b]?{_NUMBER}))?")
_NO_CHORD = re.compile(r"N\.?C\.?|n\.c\.?")
_NEARLY = re.compile(r"[A-H](?=\S{1,9}\Z)(?!\S*[a-z]{5})\S*(?:[\d#/]|maj|min|mj|mi|dim|aug|sus|add)\S*")
"""What is no chord, and was probably meant as one."""
_READINGS = {"2": "sus2", "4": "sus4", "7+": "aug7", "7/9": "9"}
"""Qualities that have two readings elsewhere, and the one that they have in sheets."""
_MARK = re.compile(r"[-–—/\\%~.…*'_=:()\[\]]+|&|\d+")
"""What stands between chords and is none: beats, bars, rests."""
_UNREAD = re.compile(r"[|‖║,;>→]|(?<!\S)\((?![^()]*\b[A-H][^()]*\))[^()]*\)|(?<![^\s|])[-–]+>?(?![^\s|])")
"""Bars, arrows and remarks in parentheses, which become blanks."""
_TIMES = r"(?:[xX×]\s*(\d{1,2})|(\d{1,2})\s*(?:[xX×]|times))(?![\w-])"
_REPEAT = re.compile(
    rf"(?:(?<=\s)|(?<=[|\]):])|\A)[\[(]?\s*(?:(?:repeat|play)\s+)?{_TIMES}\s*[\])]?\s*[.|]*\s*\Z",
    re.IGNORECASE,
)
_MOST_TIMES = 16
_LONGEST = 1000
"""Characters of a line, beyond which it is none of a sheet."""
_WORDS = {
    "verse": "verse", "vers": "verse", "strophe": "verse", "chorus": "chorus", "refrain": "chorus",
    "hook": "chorus", "pre-chorus": "pre-chorus", "prechorus": "pre-chorus", "pre chorus": "pre-chorus",
    "post-chorus": "post-chorus", "intro": "intro", "introduction": "intro", "bridge": "bridge",
    "middle 8": "bridge", "solo": "solo", "instrumental": "instrumental", "interlude": "interlude",
    "break": "break", "fine": "ending", "coda": "ending", "outro": "ending", "ending": "ending", "tag": "tag",
    "riff": "riff", "vamp": "vamp", "turnaround": "turnaround",
}  # fmt: skip
"""Words of headings, and the kind of section that each begins."""
_HEADING = re.compile(
    r"\s*(?P<open>[\[(<*]*)\s*(?:(?:guitar|piano|final|last|first|second|third|\d(?:st|nd|rd|th)?|main)\.?\s+)?"
    rf"(?P<word>{'|'.join(sorted(map(re.escape, _WORDS), key=len, reverse=True))})\b"
    r"\s*(?:(?:\d+|(?-i:[IVX]+))\b(?!\s*[xX×])|[A-D](?=\s*[\])>:]))?",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"(?P<inside>[^\])>*]{0,30})[\])>*]+\s*:?\s*")
_COLON = re.compile(r"\s*:\s*")
_DIRECTIVE = re.compile(r"\s*\{\s*(?P<name>[A-Za-z_-]+)\s*(?:[:\s]\s*(?P<value>[^{}]*?))?\s*\}\s*")
_SECTIONS = {"c": "chorus", "v": "verse", "b": "bridge"}
"""Sections by the last letter of short directives: ``{soc}``."""
_SHAPE = re.compile(r"\(?(?:(?=.*\d)[\dxXoO]{6}|[\dxX]{1,2}(?:-[\dxX]{1,2}){5})\)?")
_TUNING = re.compile(
    r"\W*(?:\w+\W+){0,3}tun(?:ing|ed|e)\b.{0,60}|\W*(?:half|whole|1/2)\W+step\W+down\W*|\W*drop\W?D\W*",
    re.IGNORECASE,
)
_CAPO = re.compile(
    r"(?=.*\d.*capo\b|.*\bno capo|.*\bcapo\b(?:\s*:|.*\d|.*\b[IVX]+\b)).{0,60}\bcapo\b.{0,40}", re.IGNORECASE
)
_FRETS = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_FRET = re.compile(r"\d{1,2}|\b[IVX]+\b")
_INLINE = re.compile(r"\[([^\[\]]*)\]")


class Token(NamedTuple):
    """A chord as it is written, and its column, from 1 on."""

    written: str
    column: int


@dataclass(frozen=True, slots=True)
class SheetChord:
    """A chord of a sheet.

    Parameters
    ----------
    label : str
        In Harte syntax, as it sounds; ``X`` for what cannot be read.
    written : str
        As it stands in the sheet.
    line, column : int
        Where it stands, from 1 on.
    section : str
        Kind of the section, such as ``"verse"``; empty before the first heading.
    row : int
        Number of the row of chords that it is played in; a row that is played again counts again.
    """

    label: str
    written: str
    line: int
    column: int
    section: str = ""
    row: int = 0


@dataclass(frozen=True, slots=True)
class Sheet:
    """Chords of a sheet, in the order in which they are played.

    Parameters
    ----------
    chords : tuple of SheetChord
    kinds : tuple of str
        What each line is.
    diagnostics : tuple of Diagnostic
        What could not be read, with its place.
    """

    chords: tuple[SheetChord, ...]
    kinds: tuple[LineKind, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(slots=True)
class _Line:
    """A line, and what it was found to be."""

    kind: LineKind
    tokens: list[Token] = field(default_factory=list)
    times: int = 1
    again: slice = field(default_factory=lambda: slice(None))  # the tokens that are played so often
    opens: bool = False  # whether a repetition begins here that ends in another line
    closes: bool = False
    section: str = ""  # kind of the section that begins here
    section_times: int = 1


@dataclass(slots=True)
class _Section:
    kind: str
    times: int = 1
    rows: list[list[SheetChord]] = field(default_factory=list)
    opened: int | None = None  # row with which a repetition begins


def read_sheet(path: str | Path) -> Sheet:
    """Read a chord sheet, a ChordPro file or a guitar tab.

    Parameters
    ----------
    path : path
        The file, in UTF-8.

    Returns
    -------
    Sheet

    Raises
    ------
    DataError
        If the file cannot be read, or has no chord.
    """
    return parse_sheet(read_text(path, name=str(path)), str(path))


def parse_sheet(text: str, name: str | None = None) -> Sheet:
    r"""Return the chords of the text of a sheet.

    >>> [chord.label for chord in parse_sheet("Capo 2\nC      Am7/G\nSome words").chords]
    ['D:maj', 'B:min7/b7']
    """
    written = text.splitlines()
    lines = _lines(written)
    reader = _Reader(written, lines)
    chords = tuple(_in_playing_order(reader.sections()))
    problems = tuple(problem.at(file=name) for problem in reader.problems)
    if not chords:
        raise DataError(
            (*problems, Diagnostic("KT831", "error", "there is no chord in the sheet", file=name))
        )
    return Sheet(chords, tuple(line.kind for line in lines), problems)


def _lines(written: Sequence[str]) -> list[_Line]:
    """Tell what each line is; within a block of tablature everything is tablature."""
    lines, within = [], False
    for text in written:
        directive = _DIRECTIVE.fullmatch(text)
        name = directive["name"].lower() if directive else ""
        within = within and name not in ("eot", "end_of_tab")
        lines.append(_Line("tablature") if within and text.strip() else _line(text))
        within = within or name in ("sot", "start_of_tab")
    return lines


def _is_definition(text: str) -> bool:
    """Tell whether a line has shapes of chords, each behind its name or alone."""
    shapes = [_SHAPE.fullmatch(word) is not None for word in re.split(r"[\s:=,;]+", text.strip())]
    return shapes[-1] and all(map(max, shapes[:-1], shapes[1:]))


_KINDS: tuple[tuple[LineKind, Callable[[str], object]], ...] = (
    ("empty", lambda text: not text.strip()),
    ("directive", _DIRECTIVE.fullmatch),
    ("comment", lambda text: text.startswith("#")),
    ("definition", _is_definition),
    ("tablature", is_tablature),
    ("tuning", _TUNING.fullmatch),
    ("capo", _CAPO.fullmatch),
)


def _line(text: str) -> _Line:
    """Tell what a line is, and which chords it has."""
    if len(text) > _LONGEST:
        return _Line("lyrics")
    kind = next((kind for kind, fits in _KINDS if fits(text)), None)
    if kind is not None:
        return _Line(kind)
    return _heading(text) or _chord_line(text) or _inline_line(text) or _Line("lyrics")


def _heading(text: str) -> _Line | None:
    """Return a heading, with the chords behind it."""
    match = _HEADING.match(text)
    if match is None:
        return None
    at, times = match.end(), 1
    closed = _CLOSED.match(text, at) if match["open"] else None
    colon = _COLON.match(text, at)
    if closed is not None:
        times, at = _times(closed["inside"]), closed.end()
    elif colon is not None:
        at = colon.end()
    tail = text[at:].strip()
    behind = _chord_line(text, at) or _inline_line(text, at)
    if _REPEAT.fullmatch(tail):
        times = _times(tail)
    elif tail and behind is None and closed is None and colon is None:
        return None  # `Bridge over the river`
    made = behind or _Line("heading")
    made.section, made.section_times = _WORDS[match["word"].lower()], times
    return made


def _times(text: str) -> int:
    """Return how often a text says that something is played."""
    match = _REPEAT.search(text)
    return min(max(int(match[1] or match[2]), 1), _MOST_TIMES) if match else 1


def _chord_line(text: str, at: int = 0) -> _Line | None:
    """Return a line of chords, if the text is one from this place on."""
    repeat = _REPEAT.search(text, at)
    body = text[at : len(text) if repeat is None else repeat.start()]
    tokens: list[Token] = []
    chords = others = 0
    for word in re.finditer(r"\S+", _UNREAD.sub(lambda match: " " * len(match[0]), body)):
        parts = list(_words(word[0], at + word.start()))
        if parts:
            tokens += parts
            chords += sum(_is_chord(part.written) for part in parts)
        elif not _MARK.fullmatch(word[0]):
            others += 1
    names = {token.written for token in tokens}
    if not chords or (others and (chords < max(2, 2 * others) or names == {"A"})):
        return None
    return _with_repetition(_Line("chords", tokens), text, repeat, body, at)


def _with_repetition(line: _Line, text: str, repeat: re.Match[str] | None, body: str, at: int) -> _Line:
    """Return a line with what of it is played again, and how often."""
    opening, closing = body.rfind("|:"), body.rfind(":|")
    line.opens, line.closes = opening > closing, closing >= 0 and opening < 0
    line.times = _times(text[repeat.start() :]) if repeat else 1 + (closing >= 0)
    if closing >= 0:
        columns = [token.column - at for token in line.tokens]
        line.again = slice(bisect(columns, opening), bisect(columns, closing))
    return line


def _words(word: str, at: int) -> Iterator[Token]:
    """Give the chords that a word consists of, and what looks like one; nothing if it is another word."""
    start = len(word) - len(word.lstrip("([*'\"~."))
    text = word[start:].rstrip("*'\"~.:!")
    if text.count(")") > text.count("("):
        text = text.rstrip(")]")
    text = text.rstrip("]")
    if _is_chord(text):
        yield Token(text, at + start + 1)
        return
    for sign in "-/":  # chords that no blank parts: `C-G-Am`
        parts = list(re.finditer(rf"[^{sign}]+", text))
        if len(parts) > 1 and all(_is_chord(part[0]) for part in parts):
            yield from (Token(part[0], at + start + part.start() + 1) for part in parts)
            return
    if _NEARLY.fullmatch(text):
        yield Token(text, at + start + 1)


def _is_chord(text: str) -> bool:
    return _CHORD.fullmatch(text) is not None or _NO_CHORD.fullmatch(text) is not None


def _inline_line(text: str, at: int = 0) -> _Line | None:
    """Return a line with chords in brackets among its words, if there is any from this place on."""
    tokens = [
        token
        for bracket in _INLINE.finditer(text, at)
        if not bracket[1].startswith("*")  # ChordPro's remarks
        for word in re.finditer(r"\S+", bracket[1])
        for token in _words(word[0], bracket.start(1) + word.start())
    ]
    return _Line("inline", tokens, _times(text[at:])) if tokens else None


class _Reader:
    """Puts the chords of lines into sections, as they sound."""

    def __init__(self, written: Sequence[str], lines: Sequence[_Line]) -> None:
        self.problems: list[Diagnostic] = []
        self._written, self._lines = written, lines
        tokens = [token.written for line in lines for token in line.tokens]
        self._german = any(re.match("H|.*/H", token) and _is_chord(token) for token in tokens)
        tunings = (
            read_tuning(text) for text, line in zip(written, lines, strict=True) if line.kind == "tuning"
        )
        self._tuning = next(filter(None, tunings), Tuning())
        self._transposed = 0
        self._capo = next(filter(None, map(self._capo_of, range(len(lines)))), 0)
        self._sections = [_Section("")]

    def sections(self) -> list[_Section]:
        """Return the sections with their rows."""
        number = 0
        for kind, group in groupby(self._lines, key=lambda line: line.kind):
            lines = list(group)
            if kind == "tablature":
                self._add_tablature(number, len(lines))
            for place, line in enumerate(lines, start=number):
                if kind == "directive":
                    self._obey(self._written[place])
                if line.section:
                    self._sections.append(_Section(line.section, line.section_times))
                self._add(line, place)
            number += len(lines)
        return self._sections

    def _capo_of(self, place: int) -> int:
        """Return the fret of the capo that a line names."""
        text, kind = self._written[place], self._lines[place].kind
        directive = _DIRECTIVE.fullmatch(text)
        if kind != "capo" and (directive is None or directive["name"].lower() != "capo"):
            return 0
        before, _, after = text.lower().partition("capo")
        fret = _FRET.search(after.upper()) or _FRET.search(before.upper())
        if fret is None:
            return 0
        return int(fret[0]) if fret[0].isdigit() else _FRETS.index(fret[0]) if fret[0] in _FRETS else 0

    def _obey(self, text: str) -> None:
        """Do what a directive says."""
        match = _DIRECTIVE.fullmatch(text)
        assert match is not None, "a directive is one"
        name, value = match["name"].lower(), match["value"] or ""
        kind = name.removeprefix("start_of_") if name.startswith("start_of_") else ""
        if name in ("soc", "sov", "sob"):
            kind = _SECTIONS[name[-1]]
        if name == "transpose":
            self._transposed = int(value) if re.fullmatch(r"[+-]?\d{1,2}", value) else 0
        elif name == "chorus":
            self._sections += (_Section("chorus"), _Section(""))
        elif name in ("c", "comment", "ci", "comment_italic", "highlight"):
            heading = _heading(value)
            if heading is not None and heading.kind == "heading":
                self._sections.append(_Section(heading.section, heading.section_times))
        elif kind in _WORDS:
            latest = self._sections[-1]
            if latest.kind != _WORDS[kind] or latest.rows:
                self._sections.append(_Section(_WORDS[kind]))
        elif name in ("eoc", "eov", "eob") or name.removeprefix("end_of_") in _WORDS:
            self._sections.append(_Section(""))

    def _add(self, line: _Line, place: int) -> None:
        """Add the chords of a line to the section, as often as they are played."""
        section = self._sections[-1]
        if line.opens:
            section.opened = len(section.rows)
        if not line.tokens:
            return
        row = [self._chord(token, place) for token in line.tokens]
        if line.closes and section.opened is not None:
            section.rows.append(row)
            section.rows += section.rows[section.opened :] * (line.times - 1)
            section.opened = None
        else:
            again = row[line.again] * (line.times - 1)
            end = line.again.indices(len(row))[1]
            section.rows.append([*row[:end], *again, *row[end:]])

    def _chord(self, token: Token, place: int) -> SheetChord:
        label = _label(token.written, german=self._german)
        if label is None:
            message = f"{quote(token.written)} looks like a chord, and cannot be read"
            self._report("KT830", "warning", message, place, token)
            label = "X"
        shift = self._capo + self._tuning.shift + self._transposed
        return SheetChord(transposed(label, shift), token.written, place + 1, token.column)

    def _report(
        self, code: str, severity: Literal["warning", "note"], message: str, place: int, token: Token
    ) -> None:
        problem = Diagnostic(
            code, severity, message, line=place + 1, column=token.column, length=len(token.written)
        )
        self.problems.append(problem.at(excerpt=self._written[place]))

    def _add_tablature(self, begin: int, count: int) -> None:
        """Add the chords of a block of tablature that has no line of chords above it."""
        if begin and self._lines[begin - 1].tokens:
            return
        strings = [place for place in range(begin, begin + count) if is_tablature(self._written[place])]
        texts = [self._written[place] for place in strings]
        if len(strings) != 6:
            if any(character.isdigit() for text in texts for character in text):
                message = f"tablature of {plural(len(strings), 'line')} is not read; that of six strings is"
                self._report("KT832", "note", message, strings[0], Token(texts[0].strip(), 1))
            return
        shift = self._capo + self._tuning.shift
        row = [
            SheetChord(transposed(chord.label, shift), chord.label, strings[-1] + 1, chord.column)
            for chord in tab_chords(texts, self._tuning)
        ]
        self._sections[-1].rows += [row] if row else []


def _in_playing_order(sections: Sequence[_Section]) -> Iterator[SheetChord]:
    """Give the chords of all sections; one that has none is played as the last one of its kind."""
    latest: dict[str, list[list[SheetChord]]] = {}
    number = 0
    for section in sections:
        rows = section.rows or (latest.get(section.kind, []) if section.kind else [])
        latest[section.kind] = rows
        for row in rows * section.times:
            yield from (replace(chord, section=section.kind, row=number) for chord in row)
            number += 1


def _label(written: str, *, german: bool) -> str | None:
    """Return the label of a chord of a sheet, None if it cannot be read."""
    if _NO_CHORD.fullmatch(written):
        return "N"
    if german:
        written = re.sub(r"(\A|/)B(?![b#♭♯])", r"\1Bb", written)
    root = re.match(_ROOT, written)
    if root is None or not _is_chord(written):
        return None
    quality, bass = written[root.end() :], ""
    if quality not in _READINGS and "/" in quality:
        quality, _, bass = quality.rpartition("/")
        bass = "/" + bass
    label = respell(root[0] + _READINGS.get(quality, quality) + bass)
    return None if label is None else str(parse(label))


def transposed(label: str, semitones: int) -> str:
    """Return a label so many semitones higher; one that does not move keeps its spelling.

    >>> transposed("F#:min7/b3", 2), transposed("N", 2), transposed("Gb", 12)
    ('Ab:min7/b3', 'N', 'Gb:maj')
    """
    chord = parse(label)
    if chord.root_pitch_class is None or semitones % 12 == 0:
        return str(chord)
    return str(replace(chord, root=ROOTS[(chord.root_pitch_class + semitones) % 12]))


@dataclass(frozen=True, eq=False)
class SheetOrder:
    """Chords of a sheet as an annotation in which each lasts a second."""

    intervals: NDArray[np.float64]
    labels: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


def _annotate(source: Input, _: object, __: object) -> SheetOrder:
    sheet = read_sheet(source.files["sheet"])
    times = np.arange(len(sheet.chords) + 1, dtype=np.float64)
    labels = tuple(chord.label for chord in sheet.chords)
    return SheetOrder(np.column_stack((times[:-1], times[1:])), labels, sheet.diagnostics)


SHEET_ORDER = System(
    name="sheet-order",
    task="chords",
    takes=frozenset(("sheet",)),
    card=SystemCard(
        summary="Chords of a chord sheet in their order; each lasts a second, since a sheet has no times.",
        source="kammerton; kinds of lines after DECIBEL (Odekerken, Koops & Volk 2020)",
        licence="MIT",
        levels=("25 sheets of its tests, written for them: every chord right",),
        limits="Not Italian names, degrees or lower case; of tablature alone, chords struck on six strings.",
        cost="a few milliseconds a sheet",
    ),
    annotate=_annotate,
)
