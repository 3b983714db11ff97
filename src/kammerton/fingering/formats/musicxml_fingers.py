# SPDX-License-Identifier: MIT
"""Which fingers the fingerings of a MusicXML score give to which notes.

A note may have alternatives, each of which may be a substitution. Some programs put the fingers of a
whole chord on one of its notes: they go to the notes as a hand lies on them, the thumb of the right
hand at the bottom, that of the left at the top, in whatever order they are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from kammerton.errors import quote
from kammerton.fingering.annotation import MISSING, RIGHT
from kammerton.fingering.formats.musicxml_parts import ScoreNote, Spot
from kammerton.fingering.formats.musicxml_tree import Element, ScoreProblems
from kammerton.fingering.labels import Encoding, FingerLabel, Hand, inspect

__all__ = ["MOST_ALTERNATES", "FingerReader", "NoteLabels"]

MOST_ALTERNATES = 9
"""Alternatives of one note that are read; each makes an annotator."""


_KINDS = ("substitution", "alternate")
"""Attributes by which a fingering belongs to the one before it."""


@dataclass(frozen=True, slots=True)
class _Label:
    """A label, and how it is kept."""

    label: FingerLabel
    written: str
    element: Element

    def taken_over(self, by: _Label, *, after: int | None = None) -> _Label:
        """Return the label with further fingers, after all of its own or the first few."""
        label = FingerLabel(self.label.fingers[:after] + by.label.fingers)
        return replace(self, label=label, written=str(label))


@dataclass(slots=True)
class _Choice:
    """A label and the alternatives to it."""

    main: _Label
    alternates: list[_Label] = field(default_factory=list)

    def texts(self) -> NoteLabels:
        return NoteLabels(self.main.written, tuple(label.written for label in self.alternates))


@dataclass(frozen=True, slots=True)
class NoteLabels:
    """The labels of a note in the notation of PIG: the main one, and alternatives to it."""

    main: str = MISSING
    alternates: tuple[str, ...] = ()

    def of(self, annotator: int) -> str:
        """Return the label that an annotator, counted from 0, gives: the main one where he has no own."""
        if 0 < annotator <= len(self.alternates):
            return self.alternates[annotator - 1]
        return self.main


_UNLABELLED = NoteLabels()


class FingerReader:
    """Reads the fingerings of one hand.

    Parameters
    ----------
    hand : int
        The hand that plays.
    encoding : str
        How numbers mean fingers.
    problems : ScoreProblems
        Takes what is wrong or odd about the fingerings.
    """

    def __init__(self, hand: int, encoding: Encoding, problems: ScoreProblems) -> None:
        self._hand: Hand = "right" if hand == RIGHT else "left"
        self._encoding = encoding
        self._problems = problems
        self._known: dict[str, NoteLabels] = {}
        """What texts mean that there is nothing to say about."""

    def label_chord(self, notes: Sequence[ScoreNote]) -> list[NoteLabels]:
        """Return the labels of notes struck together: the notes of a chord, or a single one."""
        plain = self._plain(notes[0]) if len(notes) == 1 else None
        if plain is not None:
            return [plain]
        choices = [self._read(note) if note.fingerings else [] for note in notes]
        if any(len(each) > 1 for each in choices):
            self._settle(notes, choices)
        for note, each in zip(notes, choices, strict=True):
            self._continue_tied(note, each)
        return [each[0].texts() if each else _UNLABELLED for each in choices]

    def _plain(self, note: ScoreNote) -> NoteLabels | None:
        """Return the label of a note that has one finger, and nothing else to look at."""
        if note.continued or len(note.fingerings) != 1 or note.fingerings[0].attributes:
            return None
        text = note.fingerings[0].text.strip()
        known = self._known.get(text)
        if known is None and text:
            found = inspect(text, self._encoding, self._hand)
            if found.label is not None and found.diagnostic is None:
                known = self._known[text] = NoteLabels(found.canonical)
        return known

    def _read(self, note: ScoreNote) -> list[_Choice]:
        """Read what stands at the beginning of a note: the choices, of which there should be one."""
        choices: list[_Choice] = []
        for element in note.fingerings:
            label = self._label(element, note.where)
            if label is None:
                continue
            kind = next(filter(partial(_is, element), _KINDS), None) if element.attributes else None
            if kind is not None and choices:
                if len(choices[-1].alternates) < MOST_ALTERNATES or not _is(element, "alternate"):
                    _extend(choices[-1], label)
                else:
                    message = f"more than {MOST_ALTERNATES} alternatives: left out"
                    self._problems.say("KT357", "warning", message, element, note.where)
                continue
            if kind is not None:
                message = f"{kind} without a finger before it: taken as the finger"
                self._problems.say("KT357", "warning", message, element, note.where)
            choices.append(_Choice(label))
        return choices

    def _label(self, element: Element, where: Spot) -> _Label | None:
        text = element.text.strip()
        found = inspect(text, self._encoding, self._hand)
        problem = found.diagnostic
        if problem is not None and problem.severity == "error":  # of a score, one odd mark costs one finger
            message = f"{problem.message}: the note counts as without finger"
            problem = problem.at(severity="warning", message=message)
        if problem is not None:
            self._problems.add(problem, element, where)
        elif not text:
            message = "empty fingering: the note counts as without finger"
            self._problems.say("KT357", "note", message, element, where)
        return None if found.label is None else _Label(found.label, found.canonical, element)

    def _settle(self, notes: Sequence[ScoreNote], choices: list[list[_Choice]]) -> None:
        """Give fingers that stand together at one note to the notes of its chord, if each gets one."""
        crowded = next(index for index, each in enumerate(choices) if len(each) > 1)
        everything = [choice for each in choices for choice in each]
        if len(everything) != len(notes):
            self._drop(notes, choices)
            return
        count = len(choices[crowded])
        message = f"{count} fingers on one note of a chord: they go to its {len(notes)} notes by hand"
        element = choices[crowded][0].main.element
        self._problems.say("KT357", "note", message, element, notes[crowded].where)
        if len(everything[-1].alternates) == len(notes):  # another whole chord
            others = sorted(everything[-1].alternates, key=_strike)
        else:
            others = []
        everything.sort(key=lambda choice: _strike(choice.main))
        upwards = sorted(range(len(notes)), key=lambda index: notes[index].midi)
        for rank, index in enumerate(upwards):
            choices[index] = [everything[rank]]
            if others:
                everything[rank].alternates = [others[rank]]

    def _drop(self, notes: Sequence[ScoreNote], choices: list[list[_Choice]]) -> None:
        for note, each in zip(notes, choices, strict=True):
            if len(each) < 2:
                continue
            texts = ", ".join(choice.main.element.text.strip() for choice in each)
            if len(notes) == 1:
                message = f"several fingers on one note, the first one strikes it: {quote(texts)}"
                kept = each[:1]
            else:
                message = f"fingers that do not go to the {len(notes)} notes of their chord: {quote(texts)}"
                kept = []
            self._problems.say("KT357", "warning", message, each[0].main.element, note.where)
            each[:] = kept

    def _continue_tied(self, note: ScoreNote, choices: list[_Choice]) -> None:
        """Add the fingers that take a tied note over."""
        for element, where in note.continued:
            label = self._label(element, where)
            if label is None:
                continue
            if not choices:
                message = "finger on the continuation of a tie, none on its beginning: taken as the finger"
                self._problems.say("KT357", "warning", message, element, where)
                choices.append(_Choice(label))
                continue
            now = choices[0].main.label.fingers[-1:]
            if label.label.fingers == now:
                continue  # a reminder
            if not _is(element, "substitution"):
                message = (
                    f"finger on the continuation of a tie: {quote(element.text.strip())} takes the key over"
                )
                self._problems.say("KT357", "note", message, element, where)
            choices[0].main = choices[0].main.taken_over(label)
            choices[0].alternates = [each.taken_over(label) for each in choices[0].alternates]


def _extend(choice: _Choice, label: _Label) -> None:
    """Add a substitution, an alternative, or an alternative substitution after the same first finger."""
    is_substitution, is_alternate = (_is(label.element, kind) for kind in ("substitution", "alternate"))
    if is_alternate:
        choice.alternates.append(choice.main.taken_over(label, after=1) if is_substitution else label)
    elif choice.alternates:
        choice.alternates[-1] = choice.alternates[-1].taken_over(label)
    else:
        choice.main = choice.main.taken_over(label)


def _strike(label: _Label) -> int:
    """Return the signed finger: these ascend from the left of the keyboard to the right in both hands."""
    return label.label.strike


def _is(element: Element, attribute: str) -> bool:
    return element.attributes.get(attribute) == "yes"
