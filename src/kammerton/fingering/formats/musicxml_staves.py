# SPDX-License-Identifier: MIT
"""Which staff a note of a MusicXML score belongs to: that of its voice, wherever it is written.

A voice that goes on in the other staff is played by the same hand. Its *home* is the staff on which most
of its notes are, of equally many the one on which it begins; that counts for all voices if one staff would
be the home of them all. What a number of a voice means, programs do
not agree on:

- MuseScore and Sibelius number voices from 1 on the upper staff and from 5 on the lower one, Finale from 1
  on through both: a number is one voice.
- Some number the voices of each staff from 1: the number is on both staves at one time.
- music21 numbers the voices of each measure anew, from the top: 2 is the second voice of the upper staff in
  one measure, and the first voice of the lower staff in another. No voice is on both staves in a measure,
  and neither staff is empty.

So a note off the home of its voice goes home if its voice is on both staves in its measure; or if its voice
has left its home staff empty, and meets a voice that is at home where it is, which is enough where numbers
are by staff throughout. The rest belong where they are written.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping

from kammerton.errors import Diagnostic, plural, quote
from kammerton.fingering.formats.musicxml_parts import Part, ScoreNote
from kammerton.fingering.formats.musicxml_tree import ScoreProblems

__all__ = ["home_staves"]

_NUMBER = re.compile("[1-9][0-9]?")
_PER_STAFF = 4
"""Voices of a staff, where numbers are by staff."""


def home_staves(part: Part, problems: ScoreProblems) -> list[int]:
    """Return the staff that each note of a part belongs to, and report the notes written on another one.

    Parameters
    ----------
    part : Part
        Of two staves or more.
    problems : ScoreProblems
        Takes a note, KT367, for each voice and measure.
    """
    staves = [note.staff for note in part.notes]
    homes = _homes(part)
    strays = [
        index for index, note in enumerate(part.notes) if homes.get(note.voice, note.staff) != note.staff
    ]
    if not strays:
        return staves
    guests = _Guests(part, homes)
    crossing: dict[tuple[str, int], list[ScoreNote]] = defaultdict(list)
    for index in strays:
        note = part.notes[index]
        if guests.include(note):
            staves[index] = homes[note.voice]
            crossing[note.voice, note.bar.index].append(note)
    for (voice, _), notes in crossing.items():
        _say_crossing(notes, homes[voice], problems)
    return staves


def _homes(part: Part) -> dict[str, int]:
    """Return the home staff of each voice; empty if all notes have one number, which then tells nothing."""
    numbers = {voice for bar in part.measures for voice in bar.staves_of if voice}
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for note in part.notes:
        if note.voice and note.voice not in part.doubled:
            counts[note.voice][note.staff] += 1
    if len(numbers) < 2:
        return {}
    # of equally many, the first one that was counted
    homes = {voice: max(count, key=count.__getitem__) for voice, count in counts.items()}
    if len(set(homes.values())) > 1:
        return homes
    return {voice: next(iter(count)) for voice, count in counts.items()}


class _Guests:
    """Tells which notes off the home of their voice belong there.

    Parameters
    ----------
    part : Part
    homes : mapping of str to int
        The home staff of each voice.
    """

    def __init__(self, part: Part, homes: Mapping[str, int]) -> None:
        self._homes = homes
        self._by_staff = len(set(homes.values())) > 1 and all(
            _NUMBER.fullmatch(voice) and (int(voice) - 1) // _PER_STAFF + 1 == home
            for voice, home in homes.items()
        )
        self._hosts = {
            (note.bar.index, note.staff) for note in part.notes if homes.get(note.voice) == note.staff
        }
        """Staves, and measures, in which a voice that is at home there has notes."""
        staff_of: dict[int, int] = {}
        self._spread = {
            note.chord for note in part.notes if staff_of.setdefault(note.chord, note.staff) != note.staff
        }
        """Chords whose notes are on several staves."""

    def include(self, note: ScoreNote) -> bool:
        """Tell whether a note off the home of its voice goes with its voice.

        Those of a chord across staves do if the other hand has notes of its own in their measure;
        else each hand plays what is on its staff.
        """
        home, staves_of = self._homes[note.voice], note.bar.staves_of
        if note.chord in self._spread:
            return (note.bar.index, note.staff) in self._hosts
        if home in staves_of[note.voice]:
            return True
        meets = any(
            self._homes.get(voice) == note.staff and note.staff in staves
            for voice, staves in staves_of.items()
        )
        return meets and (self._by_staff or not any(home in staves for staves in staves_of.values()))


def _say_crossing(notes: list[ScoreNote], home: int, problems: ScoreProblems) -> None:
    first = notes[0]
    hand = "right" if home == 1 else "left"
    message = (
        f"{plural(len(notes), 'note')} of voice {quote(first.voice)} on staff {first.staff}:"
        f" taken for the {hand} hand, as the home of the voice is staff {home}"
    )
    problem = Diagnostic(code="KT367", severity="note", message=message, count=len(notes))
    problems.add(problem, first.element, first.where)
