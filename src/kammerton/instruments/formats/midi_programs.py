# SPDX-License-Identifier: MIT
"""MIDI files as sets of instruments: the programs that sound, by their names in General MIDI."""

from __future__ import annotations

import numpy as np

from kammerton.errors import Diagnostic, Severity
from kammerton.formats.reading import Problems
from kammerton.instruments.assembling import Manner
from kammerton.instruments.entries import Entries
from kammerton.instruments.finishing import finish
from kammerton.instruments.formats.midi_file import MidiError, read_midi
from kammerton.instruments.formats.source import ONE, Source, say_empty
from kammerton.instruments.lookup import PROGRAMS, look_up
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.taxonomy_files import load_taxonomy
from kammerton.model.annotations import Place

__all__ = ["PERCUSSION", "read_midi_programs"]

PERCUSSION = "drums"
"""Label of the channel of percussion, which has no program."""


def read_midi_programs(data: bytes, problems: Problems, options: InstrumentOptions) -> Source | None:
    """Read which instruments sound in a MIDI file.

    Parameters
    ----------
    data : bytes
        The file.
    problems : Problems
        Takes every problem found.
    options : InstrumentOptions

    Returns
    -------
    Source or None
        A set. Programs have the names of the built-in taxonomy ``general-midi``. Percussion is ``drums``
        where the label map or the taxonomy has that, or where there is no taxonomy; else it is left out,
        with a note.
    """
    try:
        found = read_midi(data, options.limits.rows)
    except MidiError as error:
        _say(problems, "error", "KT630", f"MIDI file is damaged: {error}")
        return None
    for oddity in found.oddities:
        _say(problems, "warning", "KT631", f"MIDI file is not as the standard has it: {oddity}")
    names = load_taxonomy(PROGRAMS).leaves
    labels = [names[program] for program in found.programs]
    if found.defaulted:
        message = f"notes before any program: played by program 0, {names[0]}"
        _say(problems, "note", "KT633", message)
    if found.percussion:
        if look_up([PERCUSSION], options)[0].fate in ("known", "kept", "left out"):
            labels.append(PERCUSSION)
        else:
            message = f"channel of percussion left out: the taxonomy has no `{PERCUSSION}`"
            _say(problems, "note", "KT632", message, f"a label map can say what `{PERCUSSION}` is")
    if not labels and not found.percussion:
        say_empty(problems)
        return None
    entries = Entries.of(labels, np.zeros(len(labels), dtype=np.int64), lambda _: Place(problems.file))
    return Source(ONE, finish(entries, 1, problems, options, Manner()))


def _say(problems: Problems, severity: Severity, code: str, message: str, hint: str | None = None) -> None:
    problems.add(Diagnostic(code=code, severity=severity, message=message, file=problems.file, hint=hint))
